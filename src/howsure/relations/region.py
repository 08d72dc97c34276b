"""The tables that agree with a report, when they are more than a few: corners, points within, and spans of measures.

Linear conditions leave a polytope of shares, known by its corners; a quotient of two sums of cells has its extremes
there. Curves are met by Newton steps from many points of the polytope. Other extremes are found by a search that
starts from the best of these points and narrows down; it is good to about six digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.relations.quantities import Quantity
from howsure.relations.system import Curve, Flat, System, flat

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
EDGE: Final = 1e-9  # a share this far below 0 is 0
_STARTS: Final = 600
_STEPS: Final = 40
_MET: Final = 1e-10
_ROUNDS: Final = 45
_TRIES: Final = 48


@dataclass(frozen=True)
class Region:
    """Shares that satisfy the linear conditions (`corners`) and lie on all curves."""

    system: System
    corners: Array
    curves: tuple[Curve, ...]

    @cached_property
    def middle(self) -> Array:
        """A point within the polytope."""
        return np.asarray(self.corners.mean(axis=0))

    @cached_property
    def directions(self) -> Array:
        """Orthonormal directions in which the polytope extends."""
        _, size, rows = np.linalg.svd(self.corners - self.middle, full_matrices=False)
        return np.asarray(rows[size > EDGE])

    @property
    def dimension(self) -> int:
        """Of the polytope, curves left aside."""
        return len(self.directions)

    @cached_property
    def _sides(self) -> Array:
        """Rows that are not negative within."""
        return _sides(self.system)

    # -- points

    @cached_property
    def points(self) -> Array:
        """Many points of the region; none if it is empty."""
        rng = np.random.default_rng(0)
        k = len(self.corners)
        mix = np.concatenate([rng.dirichlet(np.full(k, a), _STARTS // 2) for a in (0.4, 1.0)])
        starts = np.concatenate([mix @ self.corners, self.middle[None]])
        if not self.curves:
            return np.concatenate([starts, self.corners])
        return self.settle(starts)

    def settle(self, starts: Array) -> Array:
        """The points that Newton steps lead to, from where these meet all curves."""
        if not self.curves or not self.dimension:
            return starts[self._met(starts)] if self.curves else starts
        x = starts
        for _ in range(_STEPS):
            miss, slopes = self._slopes(x)
            good = np.isfinite(miss).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
            x, miss, slopes = x[good], miss[good], slopes[good]
            if not len(x) or np.abs(miss).max() < 1e-15:
                break
            step = -(np.linalg.pinv(slopes, rcond=1e-9) @ miss[..., None])[..., 0] @ self.directions
            x = x + step * self._room(x, step)[:, None]
        return x[self._met(x)]

    def _met(self, x: Array) -> Mask:
        met: Mask = np.ones(len(x), dtype=bool)
        for curve in self.curves:
            met &= np.abs(curve.misses(x)) <= _MET * max(1.0, abs(curve.low))
        return met

    def _slopes(self, x: Array, curves: tuple[Curve, ...] | None = None) -> tuple[Array, Array]:
        """Misses of all curves and their derivatives, by a complex step (exact to rounding)."""
        h = 1e-30
        chosen = self.curves if curves is None else curves
        miss = np.stack([np.real(c.misses(x)) for c in chosen], axis=1)
        moved = x[:, None, :] + 1j * h * self.directions
        slopes = np.stack([np.imag(c.misses(moved)) / h for c in chosen], axis=1)
        return miss, slopes

    def _room(self, x: Array, step: Array) -> Array:
        """The part of a step that stays within, nine tenths of the way to a side at most."""
        now, change = x @ self._sides.T, step @ self._sides.T
        with np.errstate(all="ignore"):
            room = np.where(change < 0, 0.9 * np.maximum(now, 0.0) / -change, np.inf)
        return np.minimum(1.0, room.min(axis=1))

    # -- size

    @cached_property
    def freedom(self) -> int:
        """How many values are free at a typical point, ranges not counted."""
        return self.dimension - self._rank(())

    def _rank(self, more: tuple[Quantity, ...]) -> int:
        """How many of the exact curves and these quantities are independent at a typical point."""
        exact = tuple(c for c in self.curves if c.exact)
        extra = tuple(Curve(self.system.givens[0], q, 0.0, 0.0) for q in more)
        if not exact and not extra:
            return 0
        inner = np.argsort(-(self.points @ self._sides.T).min(axis=1))[:5]
        _, slopes = self._slopes(self.points[inner], exact + extra)
        slopes = slopes[np.isfinite(slopes).all(axis=(1, 2))]
        return int(max((np.linalg.matrix_rank(s, tol=1e-6) for s in slopes), default=0))

    def settled_by(self, more: tuple[Quantity, ...]) -> int:
        """How many values stay free when these quantities are given too."""
        return self.dimension - self._rank(more)

    @cached_property
    def isolated(self) -> Array:
        """The points, near ones taken as one."""
        kept: list[Array] = []
        for x in self.points:
            if not any(np.abs(x - y).max() < 1e-7 for y in kept):
                kept.append(x)
        return np.array(kept).reshape(-1, 4)

    # -- spans

    def span(self, q: Quantity) -> tuple[float, float] | None:
        """The lowest and highest value of a quantity; None if it is undefined throughout."""
        if not self.curves and q.linear is not None and (not q.sized or self._scaled_by_sum):
            return _ends(self._values(q, self.corners[_defined(q, self.corners)]), self._spread(q))
        values = self._values(q, self.points)
        kept = self.points[np.isfinite(values)]
        if not len(kept):
            return None
        low, high = (sign * self._best(q, kept, sign) for sign in (-1.0, 1.0))
        return _ends(np.array([low, high]), self._spread(q))

    @property
    def _scaled_by_sum(self) -> bool:
        scale = self.system.scale
        return scale is None or scale.quantity.linear is not None

    def _spread(self, q: Quantity) -> tuple[float, float]:
        """How far a count stretches when the scale itself is a range."""
        scale = self.system.scale
        if not q.sized or scale is None:
            return 1.0, 1.0
        middle = float(scale.middle)
        return float(scale.low) / middle, float(scale.high) / middle

    def _values(self, q: Quantity, x: Array) -> Array:
        values = np.asarray(q.at(x), dtype=float)
        return values * self.system.size(x) if q.sized else values

    def _best(self, q: Quantity, points: Array, sign: float) -> float:
        """The highest value of sign·q, by moves towards other points that become smaller."""
        rng = np.random.default_rng(1)
        values = sign * self._values(q, points)
        order = np.argsort(-values)[:4]
        x, best = points[order], float(values[order[0]])
        radius = 0.5
        pool = np.concatenate([self.corners, points])
        for _ in range(_ROUNDS if self.dimension else 0):
            goals = np.concatenate([self.corners, pool[rng.integers(len(pool), size=_TRIES)]])
            moved = (x[:, None] + radius * (goals - x[:, None])).reshape(-1, 4)
            if self.curves:
                moved = self.settle(moved[:: max(1, len(moved) // 64)])
            trial = np.concatenate([x, moved])
            values = np.nan_to_num(sign * self._values(q, trial), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
            order = np.argsort(-values)[:4]
            x = trial[order]
            best = max(best, float(values[order[0]]))
            radius *= 0.7
        return best


def region(system: System) -> Region | None:
    """The polytope of the linear conditions with the curves, or None if it is empty."""
    found = flat(system.equations)
    if found is None:
        return None
    corners = _corners(found, _sides(system))
    if not len(corners):
        return None
    return Region(system, corners, system.curves)


def _sides(system: System) -> Array:
    rows = [[float(x) for x in row] for row in system.inequalities]
    scaled = [[x / max(map(abs, row)) for x in row] for row in rows if any(row)]
    return np.array([*np.eye(4).tolist(), *scaled])


def _corners(f: Flat, sides: Array) -> Array:
    """Where as many sides meet as there are free directions, within all others."""
    base = np.array([float(x) for x in f.base])
    steps = np.array([[float(x) for x in step] for step in f.directions]).reshape(-1, 4)
    d = len(steps)
    if d == 0:
        points = base[None]
    else:
        picks = np.array(list(combinations(range(len(sides)), d)))
        a = sides[picks] @ steps.T
        b = -(sides[picks] @ base)
        good = np.abs(np.linalg.det(a)) > 1e-13
        if not good.any():
            return np.zeros((0, 4))
        points = base + np.linalg.solve(a[good], b[good][..., None])[..., 0] @ steps
    points = points[(points @ sides.T >= -EDGE).all(axis=1)]
    points = np.maximum(points, 0.0)
    return np.unique(np.round(points / points.sum(axis=1, keepdims=True), 14), axis=0) if len(points) else points


def _defined(q: Quantity, x: Array) -> Mask:
    """Where a quotient of sums is not 0/0."""
    assert q.linear is not None  # noqa: S101 - narrows the type
    if q.sized:
        return np.ones(len(x), dtype=bool)
    return np.asarray(x @ np.array([float(c) for c in q.linear[1]]) > 1e-13)


def _ends(values: Array, spread: tuple[float, float]) -> tuple[float, float] | None:
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = float(values.min()) * spread[0], float(values.max()) * spread[1]
    return _tidy(low), _tidy(high)


def _tidy(x: float) -> float:
    """A number found by search, with its noise rounded off."""
    if not math.isfinite(x):
        return x
    near = round(x, 6)
    return near + 0.0 if abs(x - near) < 2e-8 * max(1.0, abs(x)) else x

