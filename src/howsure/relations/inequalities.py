"""What reported digits say of tables of whole numbers: linear inequalities, their corners and their projections.

The digits of a quotient of sums are two inequalities with whole coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.relations.corners import meeting_points
from howsure.relations.values import Given

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ENDLESS: Final = 1e13  # items, where nothing bounds n
_NOT_ENDLESS: Final = np.array([[-1.0, -1.0, -1.0, -1.0, ENDLESS]])
_WIDE: Final = 2**40  # larger weights are Python's integers
_TINY: Final = 1e-10


@dataclass(frozen=True)
class Inequalities:
    """weights·cells + constant >= 0, above 0 where strict; whole numbers."""

    weights: Any
    constant: Any
    strict: NDArray[np.bool_]
    pinned: NDArray[np.bool_]  # says, with another row, that a sum is one number

    @cached_property
    def scaled(self) -> Array:
        """Rows with the constant last, scaled to size 1."""
        table = np.concatenate([self.weights, self.constant[:, None]], axis=1).astype(float)
        return np.asarray(table / np.abs(table[:, :4]).max(axis=1, keepdims=True))

    def corners(self, held: Array) -> Array:
        """The corners of the real tables that agree; `held` are rows that are 0 in all of them."""
        sides, offsets = self._sides
        directions, back = _along(tuple(map(tuple, held[:, :4].tolist())))
        points = meeting_points(sides, offsets, back @ -held[:, 4], directions)
        size = np.abs(points).sum(axis=1, keepdims=True) + 1.0
        inside = (points @ sides.T + offsets >= -1e-9 * size).all(axis=1)
        return np.asarray(points[inside])

    @cached_property
    def _sides(self) -> tuple[Array, Array]:
        """The rows that do not pin a sum, and that n is not endless: weights and constants."""
        table = np.concatenate([self.scaled[~self.pinned], _NOT_ENDLESS])
        return table[:, :4], table[:, 4]


def inequalities(known: tuple[Given, ...]) -> Inequalities:
    """Cells are not negative, quotients are defined and lie in their digits' interval."""
    made: list[list[int]] = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
    strict, pinned = [False] * 4, [False] * 4
    for g in known:
        if g.quantity.linear is None:
            continue
        top, bottom = g.quantity.linear
        (a, below), (b, above) = (x.as_integer_ratio() for x in _ends(g, known))
        if g.quantity.sized:
            made += [[*(below * t for t in top), -a], [*(-above * t for t in top), b]]
            strict += [False, g.open_end]
            pinned += [g.exact, g.exact]
            continue
        made.append([*(below * t - a * u for t, u in zip(top, bottom, strict=True)), 0])
        made.append([*(b * u - above * t for t, u in zip(top, bottom, strict=True)), 0])
        made.append([*bottom, 0])
        strict += [False, g.open_end, True]
        pinned += [False] * 3
    told = [i for i, row in enumerate(made) if any(row[:4])]  # 0 >= 0 says nothing
    rows = [made[i] for i in told]
    wide = max(max(map(abs, row)) for row in rows) > _WIDE
    table = np.array(rows, dtype=object if wide else np.int64)
    open_ends, held = (np.array([x[i] for i in told], dtype=bool) for x in (strict, pinned))
    return Inequalities(table[:, :4], table[:, 4], open_ends, held)


def _ends(g: Given, known: tuple[Given, ...]) -> tuple[Fraction, Fraction]:
    """The ends of a value; those of a float are as far apart as float arithmetic may be off.

    Two quotients p/q and a/b differ by 1/qb at least: with a bottom b too small for that, the float is p/q.
    """
    if not g.slack or g.quantity.sized or g.quantity.linear is None:
        return g.low, g.high
    away = 2 * g.slack  # the fraction may be off the float, and the float off the truth
    n = next((x.high for x in known if x.name == "n"), None)
    if n is not None and g.low.denominator * n * max(map(abs, g.quantity.linear[1])) * away < 1:
        return g.low, g.high
    return g.low - away, g.high + away


def held_sums(known: tuple[Given, ...]) -> Array:
    """Independent sums that are given as one number: rows that are 0 in every table."""
    held = np.zeros((0, 5))
    for g in known:
        if g.exact and g.quantity.sized and g.quantity.linear is not None:
            more = np.concatenate([held, [[*g.quantity.linear[0], -float(g.low)]]])
            if len(more) < 3 or np.linalg.matrix_rank(more[:, :4]) == len(more):  # two different sums always are
                held = more
    return held


@lru_cache(maxsize=128)
def _along(held: tuple[tuple[float, ...], ...]) -> tuple[Array, Array]:
    """Directions along which these sums stay as they are, and the way from their values to a point."""
    rows = np.array(held).reshape(-1, 4)
    turned = np.linalg.svd(rows, full_matrices=True)[2]
    return np.ascontiguousarray(turned[len(rows) :]), np.linalg.pinv(rows)


def between(rows: Array, start: Whole) -> tuple[Whole, Whole]:
    """The next sum lies between these whole numbers, or a little wider."""
    k = start.shape[1]
    rest = start.astype(float) @ rows[:, :k].T + rows[:, -1]
    lead = rows[:, k]
    up, down = lead > _TINY, lead < -_TINY  # what is smaller is rounding
    low = (-rest[:, up] / lead[up]).max(axis=1, initial=-ENDLESS)
    high = (-rest[:, down] / lead[down]).min(axis=1, initial=ENDLESS)
    return whole_ends(low, high)


def whole_ends(low: Array, high: Array) -> tuple[Whole, Whole]:
    """Whole numbers between two ends that rounding may have moved a little."""
    slack = 1e-6 + 1e-12 * np.maximum(np.abs(low), np.abs(high))
    return np.ceil(low - slack).astype(np.int64), np.floor(high + slack).astype(np.int64)


def projections(rows: Array, times: int) -> list[Array]:
    """The inequalities without the last sum, without the last two, ...; the shortest first (Fourier-Motzkin)."""
    out: list[Array] = []
    marks = np.array([1 << i for i in range(len(rows))], dtype=object)
    for step in range(1, times + 1):
        rows, marks = _without_last(rows, marks, step + 1)
        out.insert(0, rows)
    return out


def _without_last(rows: Array, marks: Any, most: int) -> tuple[Array, Any]:
    """Eliminate the last sum: each lower bound lies below each upper one.

    After k steps a row that is made of more than k + 1 others follows from the rest (Kohler's rule).
    """
    lead = rows[:, -2]
    plain = np.abs(lead) < 1e-15  # rows between this and _TINY are left out: the last sum is checked against all
    up, down = np.nonzero(lead >= _TINY)[0], np.nonzero(lead <= -_TINY)[0]
    i, j = (x.ravel() for x in np.meshgrid(up, down, indexing="ij"))
    made = np.concatenate([rows[plain], rows[i] / lead[i, None] - rows[j] / lead[j, None]])
    marked = np.concatenate([marks[plain], marks[i] | marks[j]])
    made = np.delete(made, -2, axis=1)
    size = np.abs(made[:, :-1]).max(axis=1)
    keep = (size > _TINY) & np.array([x.bit_count() <= most for x in marked], dtype=bool)
    return made[keep] / size[keep, None], marked[keep]
