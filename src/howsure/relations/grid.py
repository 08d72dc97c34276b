"""The tables at many points at once: three measures, each with a value for every point.

The batched form of solve. A quotient of sums of cells with a value is a row of weights, so three of them meet in one
direction, their cofactors, and the table is that direction scaled to shares. Two of them leave a segment of tables,
along which all roots of the third measure are found (vector_roots.py). Points where rows coincide, and sets with
less than two such quotients, go through solve itself, one by one. Cells below 1e-14 of all items count as empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from howsure.arrays import Array, Index, Integers, Mask
from howsure.relations import roots
from howsure.relations.outcomes import outcome
from howsure.relations.quantities import Quantity, quantity
from howsure.relations.region import EDGE, HUGE
from howsure.relations.values import CLOSE, Given, short_number, simplest

FREE: Final = -1  # tables without number
_COINCIDE: Final = 1e-7  # rows this close to a plane meet in more than a direction, or in one that rounding decides
_EMPTY: Final = 1e-14


@dataclass(frozen=True)
class HeldMeasure:
    """A measure with its value at every point; a count is divided by n, so that it is of shares."""

    quantity: Quantity
    values: Array
    n: float = 1.0

    @property
    def rows(self) -> Array:
        """Weights of the cells whose sum is 0, for each point; the largest is 1."""
        top, bottom = self.quantity.weights  # type: ignore[misc]
        below = np.ones(4) if self.quantity.sized else bottom
        made = top - self.values[:, None] * below
        return np.asarray(made / np.abs(made).max(axis=1, keepdims=True))

    def misses(self, points: Index, shares: Array) -> Array:
        """How far the measure of shares is from its value at these points."""
        values = self.values[points]
        return np.asarray(self.quantity.at(shares) - (values[:, None] if shares.ndim > 2 else values))

    def holds(self, points: Index, shares: Array) -> Mask:
        """Whether shares have the value, within rounding; never where the measure is 0/0."""
        return np.asarray(np.abs(self.misses(points, shares)) <= CLOSE * np.maximum(1.0, np.abs(self.values[points])))


class Spans(NamedTuple):
    """At every point: how many tables, and the lowest and highest value of the measure asked for (NaN if 0/0)."""

    tables: Integers
    low: Array
    high: Array
    solved: int  # points that went through solve one by one


def batched(quantities: Sequence[Quantity]) -> bool:
    """Whether points need not be solved one by one."""
    return sum(q.weights is not None for q in quantities) >= 2


def spans(z: Quantity, conditions: Sequence[HeldMeasure], n: float | None = None) -> Spans:
    """The values of a measure over all tables that meet three conditions, at every point."""
    size = conditions[0].values.size
    points, shares, left, (free, start, end) = _tables(conditions)
    tables = np.bincount(points, minlength=size)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    value = _value(z, shares, n)
    keep = ~np.isnan(value)
    np.minimum.at(low, points[keep], value[keep])
    np.maximum.at(high, points[keep], value[keep])
    nothing = np.bincount(points[keep], minlength=size) == 0
    low[nothing] = high[nothing] = np.nan
    if free.size:
        tables[free] = FREE
        low[free], most = roots.extremes(lambda at, s: _value(z, roots.between(start, end, at, s), n), free.size)
        high[free] = np.where(most > HUGE, np.inf, most)
    for point in left:
        tables[point], low[point], high[point] = _solved(z, conditions, int(point), n)
    return Spans(tables, low, high, len(left))


def _value(z: Quantity, shares: Array, n: float | None) -> Array:
    return np.asarray(z.at(shares) * (n or 1.0) if z.sized else z.at(shares), dtype=float)


Segments = tuple[Index, Array, Array]  # points, and both ends of their tables


def _tables(conditions: Sequence[HeldMeasure]) -> tuple[Index, Array, Index, Segments]:
    """Points and shares of all tables, the points that are left to solve, and those with a segment of tables."""
    linear = [c for c in conditions if c.quantity.weights is not None]
    curves = [c for c in conditions if c.quantity.weights is None]
    everything = np.arange(conditions[0].values.size)
    free: Segments = everything[:0], np.zeros((0, 4)), np.zeros((0, 4))
    if len(linear) < 2:
        return everything[:0], np.zeros((0, 4)), everything, free
    if not curves:
        shares, inside, coincide = _meeting(*(c.rows for c in linear))
        points = everything[inside & ~coincide]
        shares = shares[points]
    else:
        start, end, inside, coincide = _segments(*(c.rows for c in linear))
        single = np.abs(end - start).max(axis=1) < EDGE
        rows, alone = (everything[inside & ~coincide & chosen] for chosen in (~single, single))
        points, shares, throughout = _along(curves[0], rows, start[rows], end[rows])
        points, shares = np.concatenate([points, alone]), np.concatenate([shares, start[alone]])
        middle = 0.5 * (start[throughout] + end[throughout])
        throughout = throughout[_hold(conditions, throughout, middle)]
        free = throughout, start[throughout], end[throughout]
    good = _hold(conditions, points, shares)
    return points[good], shares[good], everything[coincide], free


def _hold(conditions: Sequence[HeldMeasure], points: Index, shares: Array) -> Mask:
    return np.asarray(np.logical_and.reduce([c.holds(points, shares) for c in conditions]))


def _meeting(a: Array, b: Array, c: Array) -> tuple[Array, Mask, Mask]:
    """The shares at right angles to three rows; whether they are a table; and where the rows lie in a plane."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape, c.shape))
    for i in range(4):
        j, k, l = (x for x in range(4) if x != i)
        minor = a[..., j] * (b[..., k] * c[..., l] - b[..., l] * c[..., k])
        minor -= a[..., k] * (b[..., j] * c[..., l] - b[..., l] * c[..., j])
        minor += a[..., l] * (b[..., j] * c[..., k] - b[..., k] * c[..., j])
        out[..., i] = -minor if i % 2 else minor
    size, total = np.abs(out).max(axis=-1), out.sum(axis=-1)
    coincide = size < _COINCIDE
    with np.errstate(all="ignore"):
        shares = out / total[..., None]
        inside = (shares >= -EDGE).all(axis=-1)
    return np.where(shares >= _EMPTY, shares, 0.0), np.asarray(inside), np.asarray(coincide)


def _segments(a: Array, b: Array) -> tuple[Array, Array, Mask, Mask]:
    """Both ends of the tables that two rows leave: where they meet the sides of the simplex, farthest apart."""
    corners, inside, coincide = (
        np.stack(x, axis=1) for x in zip(*(_meeting(a, b, side) for side in np.eye(4)), strict=True)
    )
    inside = inside & ~coincide
    pairs = np.array(list(combinations(range(4), 2)) + [(i, i) for i in range(4)])
    corners = np.where(inside[..., None], corners, 0.0)
    apart = np.abs(corners[:, pairs[:, 0]] - corners[:, pairs[:, 1]]).max(axis=2)
    apart = np.where(inside[:, pairs[:, 0]] & inside[:, pairs[:, 1]], apart, -1.0)
    best = apart.argmax(axis=1)
    at = np.arange(len(a))
    start, end = corners[at, pairs[best, 0]], corners[at, pairs[best, 1]]
    return start, end, np.asarray(inside.any(axis=1)), np.asarray(coincide.all(axis=1))


def _along(curve: HeldMeasure, rows: Index, start: Array, end: Array) -> tuple[Index, Array, Index]:
    """All tables on segments that meet the curve, and the points where all tables of the segment do."""

    def off(at: Index, s: Array) -> Array:
        with np.errstate(all="ignore"):
            return curve.misses(rows[at], roots.between(start, end, at, s))

    found = roots.roots(off, np.maximum(1.0, np.abs(curve.values[rows])))
    made = roots.between(start, end, found.rows, found.places)
    return rows[found.rows], np.where(made < _EMPTY, 0.0, made), rows[found.throughout]


def _solved(z: Quantity, conditions: Sequence[HeldMeasure], point: int, n: float | None) -> tuple[int, float, float]:
    """One point through solve: the number of tables, and the span of the measure over them."""
    known = [_given(c.quantity, float(c.values[point]) * c.n) for c in conditions]
    if n is not None:
        known.append(_given(quantity("n"), n))
    found = outcome(tuple(known), proved=False)
    if found.region is not None:
        span = found.region.spans((z,), proved=False)[0]
        return FREE, *(span or (np.nan, np.nan))
    if not len(found.tables):
        return 0, np.nan, np.nan
    tables = found.tables / found.tables.sum(axis=1, keepdims=True)
    values = _value(z, tables, n)
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (np.nan, np.nan)
    return len(tables), low, high


def _given(q: Quantity, value: float) -> Given:
    exact = simplest(value)
    return Given(q, exact, exact, short_number(exact))
