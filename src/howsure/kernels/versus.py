"""One law against another, independent one: P(A > B), and the law of A - B.

Statement: P(A > B) = E[F_B(A)] = E[S_A(B)]; P(A - B <= d) = E[F_A(B + d)]: one integral, with the narrower law
outside, so that the other is smooth on its scale (Goutte & Gaussier 2005, eq. 12, who sample it).
Domain: laws with tails and densities on intervals.
Formula: two Betas seen through the same map compare as the Betas themselves, by quadrature.expect on shares. Other laws
are integrated over their own points, piece by piece between the points where a density may have a corner.
Error: the last difference of the doubled trapezoid rule, as in quadrature.py; P(A < B) has its own integral.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import beta, solve
from howsure.kernels.moebius import Moebius
from howsure.kernels.quadrature import Index, Nodes, Window, expect
from howsure.kernels.solve import Scale

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SCAN = 96
_FIRST = 64
_LEVELS = 6
_KEEP = 1e-19
_AGREE = 1e-11
_REACH = 1e-40


def beats(a: Any, b: Any) -> tuple[Array, Array]:
    """P(A > B) and P(A < B), each by its own integral."""
    if isinstance(a, Moebius) and isinstance(b, Moebius) and _same_map(a, b):
        return _betas(a.a, a.b, b.a, b.b)
    shape = np.broadcast_shapes(a.shape, b.shape)
    a_wide = np.broadcast_to(_spread(a) > _spread(b), shape)
    above, below = np.empty(shape), np.empty(shape)
    for mask, swap in ((~a_wide, False), (a_wide, True)):
        if mask.any():
            one, two = a.rows(mask, shape), b.rows(mask, shape)
            if swap:
                below[mask], above[mask] = _both(two, one)
            else:
                above[mask], below[mask] = _both(one, two)
    return above, below


def _both(outer: Any, inner: Any) -> tuple[Array, Array]:
    """P(outer > inner) and P(outer < inner)."""
    up, down = expect_under(outer, lambda t: np.stack(inner.tails(t)), inner.lower, inner.upper, *breaks(inner))[0]
    return up, down


def _same_map(a: Moebius, b: Moebius) -> bool:
    return (a.u1, a.v1, a.u2, a.v2) == (b.u1, b.v1, b.u2, b.v2)


def _betas(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """P(X > Y) and P(X < Y) for X ~ Beta(a, b), Y ~ Beta(c, d), the law with the narrower logit outside."""
    shape = np.broadcast_shapes(a.shape, c.shape)
    a, b, c, d = (np.broadcast_to(x, shape).astype(float).ravel() for x in (a, b, c, d))
    swap = 1 / a + 1 / b > 1 / c + 1 / d
    a, b, c, d = np.where(swap, c, a), np.where(swap, d, b), np.where(swap, a, c), np.where(swap, b, d)
    zero = np.zeros_like(a)
    window = Window(a, b, zero, zero, np.ones_like(a))

    def inner(index: Index, nodes: Nodes) -> Array:
        return np.stack(beta.tails(c[index, None], d[index, None], nodes.v, nodes.w))

    (above, below), _ = expect(window, inner, 2)
    above, below = np.where(swap, below, above), np.where(swap, above, below)
    total = above + below  # 1 but for rounding: the smaller one keeps its relative precision
    return (above / total).reshape(shape), (below / total).reshape(shape)


def breaks(law: Any) -> tuple[float, ...]:
    """Inner points where a density may have a corner: the values of the measure at the corners of the simplex."""
    points = law.corners() if hasattr(law, "corners") else ()
    return tuple(sorted({p for p in points if law.lower < p < law.upper}))


def _spread(law: Any) -> Array:
    p = np.array([0.16, 0.84]).reshape(2, *([1] * len(law.shape)))
    low, high = law.quantile(p, 1.0 - p)[0]
    return np.asarray(high - low)


def expect_under(law: Any, g: Callable[[Array], Array], *more: Array | float) -> tuple[Array, Array]:
    """Means of the stacked functions g(t) under a law, split at its corners and at `more` points; last differences.

    Points may be arrays: their leading axes come before the batch of the law.
    """
    shape = np.broadcast_shapes(law.shape, *(np.shape(x) for x in more))
    cuts = [np.broadcast_to(np.clip(x, law.lower, law.upper), shape) for x in (*breaks(law), *more)]
    ends = np.sort(np.stack([np.full(shape, law.lower), *cuts, np.full(shape, law.upper)]), axis=0)
    layout = _layout(law)
    total, error = np.asarray(0.0), np.asarray(0.0)
    for low, high in pairwise(ends):
        if (high > low).any():
            value, last = _piece(law, g, low, high, layout)
            total, error = total + value, error + last
    return total, error


def _piece(law: Any, g: Callable[[Array], Array], low: Array, high: Array, layout: Array) -> tuple[Array, Array]:
    """The integral over one piece of the range, by a scan and the doubled trapezoid rule on its own line."""
    empty = ~(high > low)
    scale = Scale(np.where(empty, 0.0, low), np.where(empty, 1.0, high))
    centre, width, left, right = _place(scale, layout)

    def at(u: Array) -> Array:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            t, below, above = scale.out(centre + width * np.sinh(u))
            weight = law.pdf(t) * scale.stretch(below, above) * width * np.cosh(u)
            inside = (t > low) & (t < high) & np.isfinite(weight)
            return np.asarray(np.where(inside, g(t) * np.where(inside, weight, 0.0), 0.0))

    batch = [1] * low.ndim
    line = np.linspace(0.0, 1.0, _SCAN).reshape(-1, *batch)
    u = -left + (left + right) * line
    coarse = at(u)
    peak = coarse.max(axis=1, keepdims=True)
    lives = ((coarse > _KEEP * peak) & (peak > 0)).any(axis=0)
    start = np.maximum(lives.argmax(axis=0) - 1, 0)
    stop = np.minimum(_SCAN - lives[::-1].argmax(axis=0), _SCAN - 1)
    nothing = ~lives.any(axis=0)
    a = np.take_along_axis(u, np.where(nothing, 0, start)[None], axis=0)[0]
    b = np.take_along_axis(u, np.where(nothing, _SCAN - 1, stop)[None], axis=0)[0]
    n = _FIRST
    total = at(a + (b - a) * np.linspace(0.0, 1.0, n + 1).reshape(-1, *batch)).sum(axis=1) / n
    error = np.full_like(total, np.inf)
    for _ in range(_LEVELS):
        middle = ((np.arange(n) + 0.5) / n).reshape(-1, *batch)
        finer = 0.5 * (total + at(a + (b - a) * middle).sum(axis=1) / n)
        error, total, n = np.abs(finer - total), finer, 2 * n
        if (error <= _AGREE * np.abs(total) + 1e-300).all():
            break
    return total * (b - a), error * (b - a)


def _layout(law: Any) -> Array:
    """Far and near quantiles of a law: where it lives."""
    p = np.array([_REACH, 0.16, 0.5, 0.84, 1.0]).reshape(5, *([1] * len(law.shape)))
    return np.asarray(law.quantile(p, p[::-1])[0])


def _place(scale: Scale, points: Array) -> tuple[Array, Array, Array, Array]:
    """Where on the line of a piece the law lives, how wide it is there, and how far the scan must reach in u."""
    low, high = scale.lower, scale.upper
    spread = points[3] - points[1]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        room = np.minimum(spread, 0.25 * (high - low))
        middle = np.maximum(np.minimum(points[2], high - room), low + room)
        centre = scale.place(middle)
        width = np.clip(0.5 * spread / scale.stretch(middle - low, high - middle), 1e-12, 1.0)
        far = [scale.place(np.clip(x, low, high)) for x in (points[0], points[4])]
    left, right = (np.where(np.isfinite(x), np.abs(x - centre), 800.0) for x in far)
    return centre, width, np.arcsinh((left + 40.0) / width), np.arcsinh((right + 40.0) / width)


@dataclass(frozen=True)
class Difference:
    """The law of A - B for independent laws, the narrower one outside the integral."""

    a: Any
    b: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.a.shape, self.b.shape)

    @property
    def lower(self) -> float:
        return float(self.a.lower - self.b.upper)

    @property
    def upper(self) -> float:
        return float(self.a.upper - self.b.lower)

    @property
    def unimodal(self) -> bool:
        return bool(self.a.unimodal and self.b.unimodal)

    def mean(self) -> Array:
        return np.asarray(self.a.mean() - self.b.mean())

    def std(self) -> Array:
        return np.asarray(np.hypot(self.a.std(), self.b.std()))

    @cached_property
    def _parts(self) -> list[tuple[Mask, Any, Any, bool]]:
        wide = np.broadcast_to(_spread(self.a) > _spread(self.b), self.shape)
        return [
            (mask, self.a.rows(mask, self.shape), self.b.rows(mask, self.shape), wider)
            for mask, wider in ((~wide, False), (wide, True))
            if mask.any()
        ]

    def _evaluate(self, t: Array, with_density: bool) -> Array:
        """Stacked lower tail, upper tail and density at points t, which broadcast against the batch."""
        full = np.broadcast_shapes(t.shape, self.shape)
        points = np.broadcast_to(t, full)
        out = np.empty((3, *full))
        for mask, a, b, wider in self._parts:
            out[..., mask] = self._one(a, b, points[..., mask], wider, with_density)
        return out

    @staticmethod
    def _one(a: Any, b: Any, d: Array, wider: bool, with_density: bool) -> Array:
        """P(A - B <= d), P(A - B > d) and the density at d."""
        outer, other = (b, a) if wider else (a, b)
        sign = -1.0 if wider else 1.0

        def inner(x: Array) -> Array:
            t = x + d if wider else x - d
            below, above = other.tails(t)
            pdf = other.pdf(t) if with_density else np.zeros_like(below)
            low, high = (below, above) if wider else (above, below)
            return np.stack([low, high, np.where(np.isfinite(pdf), pdf, 0.0)])

        corners = (other.lower, other.upper, *breaks(other))
        return expect_under(outer, inner, *(c + sign * d for c in corners if np.isfinite(c)))[0]

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        low, high, _ = self._evaluate(np.asarray(t, dtype=float), False)
        t = np.asarray(t)
        low = np.where(t <= self.lower, 0.0, np.where(t >= self.upper, 1.0, low))
        return np.where(high < low, 1.0 - high, low), np.where(high < low, high, 1.0 - low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        del t_low
        return np.asarray(self._evaluate(np.asarray(t, dtype=float), True)[2])

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array, Array]:
        del t_low
        low, high, pdf = self._evaluate(np.asarray(t, dtype=float), density)
        return np.where(upper, high, low), pdf, np.zeros_like(pdf)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return solve.quantile(self, p, q)

    def moments(self, g: Callable[[Array], Array], growth: float) -> tuple[Array, Array]:
        """Only the identity is asked for."""
        del g, growth
        return self.mean(), self.std()
