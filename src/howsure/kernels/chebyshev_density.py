"""The log density of a law as Chebyshev series, one for each piece of its range.

Statement: between two corners (values of the measure at the corners of the simplex) a density is analytic, with any
power of the distance as its limit at the ends; its logarithm is smooth where a tail probability is not.
Domain: densities down to exp(-60) = 9e-27 of their peak; gaps to the ends down to 1e-130.
Formula: a piece is mapped to the line by scale.py, and there y = centre + width·sinh(u): bulk and tails fit on
one grid. In u the series is doubled until its last terms vanish (Battles & Trefethen 2004). Where order 128 does
not do, the centre moves to where the log density bends most. Points are pairs of doubles, exact close to an end.
Error: the last terms are below 5e-11, or as small as the rounding of the density allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import Continuous
from howsure.kernels.exact import two_sum
from howsure.kernels.scale import Scale

Array = NDArray[np.float64]
Index = NDArray[np.intp]

DROP = 60.0  # the series reach down to exp(-60) of the peak
_SCAN, _CORE = 32, 5.0
_FIRST, _MOVE, _LAST = 32, 128, 1024  # orders: the first, the one at which the line is moved, the last
_SMALL = 5e-11
_NOISE = 1e-8  # terms below this that no longer shrink are rounding
_DEEP = 50.0  # a window that ends further below the floor is cut
_NEAR, _FAR = 1e-130, 300.0  # the smallest gap to an end; the largest log of a distance


@dataclass(frozen=True)
class Point:
    """Points given as end + shift + gap, so that their distance to an end of another law keeps its digits."""

    end: Array | float
    shift: Array | float
    gap: Array | float = 0.0

    def above(self, x: float) -> Array:
        """How far the points lie above x."""
        return np.asarray(((self.end - x) + self.shift) + self.gap)


@dataclass(frozen=True)
class Place:
    """The line of one piece of the range: y = centre + width·sinh(u), arrays by row."""

    scale: Scale
    centre: Array
    width: Array

    def line(self, rows: Index, t: Point) -> tuple[Array, Array]:
        """The u of points, and dt/du there."""
        value, below, above = t.above(0.0), t.above(self.scale.lower), -t.above(self.scale.upper)
        u = np.arcsinh((self.scale.between(value, below, above) - self.centre[rows]) / self.width[rows])
        return u, self.stretch(rows, u, value, below, above)

    def out(self, rows: Index, u: Array) -> tuple[Array, Array, Array]:
        """The points at u, and their gaps to both ends."""
        return self.scale.out(self.centre[rows] + self.width[rows] * np.sinh(u))

    def from_end(self, rows: Index, u: Array) -> tuple[Array, Array]:
        """The points at u as the nearer end and the gap to it; 0 and the point where there is no end."""
        t, below, above = self.out(rows, u)
        if not (self.scale.from_low or self.scale.from_high):
            return np.zeros_like(t), t
        low = below <= above
        return np.where(low, self.scale.lower, self.scale.upper), np.where(low, below, -above)

    def stretch(self, rows: Index, u: Array, t: Array, below: Array, above: Array) -> Array:
        """dt/du."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.scale.stretch(t, below, above) * self.width[rows] * np.cosh(u)

    def limits(self) -> tuple[Array, Array]:
        """The u of the smallest gaps to both ends, or of the largest distances."""
        span = self.scale.upper - self.scale.lower if self.scale.bounded else 1.0
        least = np.log(_NEAR / span)
        low, high = least if self.scale.from_low else -_FAR, -least if self.scale.from_high else _FAR
        return np.arcsinh((low - self.centre) / self.width), np.arcsinh((high - self.centre) / self.width)


@dataclass(frozen=True)
class ChebyshevSeries:
    """Chebyshev series in u, from first to last, of the log density of some rows with respect to u."""

    rows: Index
    first: Array
    last: Array
    terms: Array  # (order + 1, rows)

    @property
    def order(self) -> int:
        return len(self.terms) - 1

    def picked(self, some: NDArray[np.bool_]) -> ChebyshevSeries:
        """Some of the rows."""
        return ChebyshevSeries(self.rows[some], self.first[some], self.last[some], self.terms[:, some])


def breaks(law: Continuous) -> tuple[float, ...]:
    """Inner points where a density may have a corner: the values of the measure at the corners of the simplex."""
    return tuple(sorted({p for p in law.corners() if law.lower < p < law.upper}))


def profile(law: Continuous) -> tuple[tuple[float, ...], list[Place], list[list[ChebyshevSeries]], Array]:
    """Ends of the pieces, their lines and series, and the spread of the law, by row of its batch."""
    law = law.rows(np.full(law.shape, True), law.shape)
    size = int(np.prod(law.shape, dtype=int))
    ends = (law.lower, *breaks(law), law.upper)
    scale = Scale(law.lower, law.upper)
    p = np.array([[0.16], [0.5], [0.84]]) + np.zeros(size)
    points = scale.out(law.start(p, 1.0 - p))[0]
    places = [_place(low, high, points) for low, high in pairwise(ends)]
    scans = [_scan(law, place, rows) for place, rows in zip(places, _live(law, ends, size), strict=True)]
    floor = np.full(size, -np.inf)
    for rows, _, values in scans:
        floor[rows] = np.maximum(floor[rows], values.max(axis=1) - DROP)
    found = [_series(law, place, *_window(*scan, floor), floor) for place, scan in zip(places, scans, strict=True)]
    return ends, places, found, points[2] - points[0]


def _place(low: float, high: float, points: Array) -> Place:
    """Where in a piece the law lives, and how wide it is there."""
    scale = Scale(low, high)
    spread = np.maximum(points[2] - points[0], 1e-300)
    room = np.minimum(spread, 0.25 * (high - low)) if scale.bounded else spread
    inside = (points[1] > low) & (points[1] < high)
    middle = np.where(inside, points[1], np.clip(points[1], low + room, high - room))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        width = np.clip(0.5 * spread / scale.stretch(middle, middle - low, high - middle), 1e-12, 1.0)
    return Place(scale, np.clip(scale.place(middle), -_FAR, _FAR), width)  # an end itself has no place on the line


def _log_density(law: Continuous, place: Place, rows: Index, u: Array) -> Array:
    """The log density with respect to u of some rows, at points u of shape (rows, points)."""
    t, below, above = place.out(rows[:, None], u)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        from_low, from_high = two_sum(place.scale.lower, below)[1], two_sum(place.scale.upper, -above)[1]
        rest = np.where(below <= above, from_low, from_high)  # what rounding took from t
        rest = np.where(np.isfinite(rest), rest, 0.0)
        pdf = law.rows(rows, law.shape).pdf(t.T, rest.T).T
        return np.asarray(np.log(pdf * place.stretch(rows[:, None], u, t, below, above)))


def _live(law: Continuous, ends: tuple[float, ...], size: int) -> list[Index]:
    """The rows that may have mass in each of the pieces."""
    sure = np.ones(size)
    tails = [law.tails(np.full(size, c)) for c in ends[1:-1]]
    below, above = [*(x[0] for x in tails), sure], [sure, *(x[1] for x in tails)]
    return [np.flatnonzero(np.minimum(p, q) > np.exp(-DROP)) for p, q in zip(below, above, strict=True)]


def _scan(law: Continuous, place: Place, rows: Index) -> tuple[Index, Array, Array]:
    """The log density of some rows on a coarse grid: over 74 spreads, or all of the piece if it lives at their ends."""
    left, right = (x[rows, None] for x in place.limits())
    share = np.linspace(0.0, 1.0, _SCAN)
    low, high = np.maximum(left, -_CORE), np.minimum(right, _CORE)
    u = low + (high - low) * share
    values = _log_density(law, place, rows, u) if rows.size else u
    lives = values > np.nan_to_num(values, nan=-np.inf).max(axis=1, keepdims=True, initial=-np.inf) - DROP - 5.0
    wide = np.flatnonzero(
        (lives[:, :1] & (left < low) | lives[:, -1:] & (right > high)) | ~lives.any(axis=1, keepdims=True)
    )
    if wide.size:
        u[wide] = left[wide] + (right - left)[wide] * share
        values[wide] = _log_density(law, place, rows[wide], u[wide])
    return rows, u, np.where(np.isfinite(values), values, -np.inf)


def _window(rows: Index, u: Array, values: Array, floor: Array) -> tuple[Index, Array, Array]:
    """Rows that live in the piece, and where: to the floor, by the slope of the last two points above it."""
    lives = values > floor[rows, None]
    some = np.flatnonzero(lives.any(axis=1))
    rows, u, values, lives = rows[some], u[some], values[some], lives[some]
    ends, every = [], np.arange(rows.size)
    for way in (1, -1):
        x, v, k = u[:, ::way], values[:, ::way], lives[:, ::way].argmax(axis=1)
        height = v[every, k]
        rise = v[every, np.minimum(k + 1, _SCAN - 1)] - height
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(rise > 0, np.minimum((height - floor[rows]) / rise, 1.0), 1.0)
        ends.append(x[every, k] - np.where(k > 0, share, 0.0) * (x[:, 1] - x[:, 0]))
    return rows, ends[0], ends[1]


@lru_cache(maxsize=8)
def _transform(n: int) -> Array:
    """From values at the n + 1 Chebyshev points to coefficients."""
    k = np.arange(n + 1)
    matrix = np.cos(np.pi * np.outer(k, k) / n) * (2.0 / n)
    matrix[:, [0, n]] *= 0.5
    matrix[[0, n]] *= 0.5
    return np.asarray(matrix)


def _series(
    law: Continuous,
    place: Place,
    rows: Index,
    first: Array,
    last: Array,
    floor: Array,
    cuts: int = 6,
    move: bool = True,
) -> list[ChebyshevSeries]:
    """The order is doubled until the last terms are small; before that the window is cut and the line moved."""
    done: list[ChebyshevSeries] = []
    n, before, values = _FIRST, np.full(rows.size, np.inf), np.zeros((0, 0))
    while rows.size:
        u = 0.5 * (first + last)[:, None] + 0.5 * (last - first)[:, None] * np.cos(np.pi * np.arange(n + 1) / n)
        if n == _FIRST:
            values = _log_density(law, place, rows, u)
        else:  # every other point is known
            values = np.insert(values, np.arange(1, n // 2 + 1), _log_density(law, place, rows, u[:, 1::2]), axis=1)
        again = np.full(rows.size, False)
        if n == _FIRST and cuts:
            again = ~(values[:, [0, -1]].min(axis=1) > floor[rows] - _DEEP)
        values = np.where(np.isfinite(values), values, -700.0)
        terms = _transform(n) @ values.T
        tail = np.abs(terms[-n // 8 :]).max(axis=0)
        good = (tail <= _SMALL) | ((tail < _NOISE) & (tail > 0.3 * before)) | (n >= _LAST)
        again = (again | ~good) if n == _MOVE and move else again
        good &= ~again
        if good.any():
            done.append(ChebyshevSeries(rows[good], first[good], last[good], terms[:, good]))
        if again.any():
            some = rows[again]
            ends = _cut(u[again], values[again], floor[some])
            if n == _MOVE:
                ends = _moved(place, some, u[again], values[again], floor[some], ends)
            done += _series(law, place, some, *ends, floor, cuts - 1 if n == _FIRST else 1, move and n != _MOVE)
        rest = ~(good | again)
        rows, first, last, values, before = (x[rest] for x in (rows, first, last, values, tail))
        n *= 2
    return done


def _cut(u: Array, values: Array, floor: Array) -> tuple[Array, Array]:
    """The window around the points above the floor; u falls."""
    lives = values > floor[:, None]
    count, every = lives.shape[1] - 1, np.arange(len(u))
    right = u[every, np.maximum(lives.argmax(axis=1) - 1, 0)]
    left = u[every, np.minimum(count - lives[:, ::-1].argmax(axis=1) + 1, count)]
    return left, right


def _moved(
    place: Place, rows: Index, u: Array, values: Array, floor: Array, ends: tuple[Array, Array]
) -> tuple[Array, Array]:
    """The line centred where the log density bends most, as wide as the bend; the same ends on that line."""
    centre, width, every = place.centre[rows], place.width[rows], np.arange(rows.size)
    y = centre[:, None] + width[:, None] * np.sinh(u)
    slope = np.diff(values - np.log(np.cosh(u)), axis=1) / np.diff(y, axis=1)
    bend = np.abs(2 * np.diff(slope, axis=1) / (y[:, 2:] - y[:, :-2])) * (values[:, 1:-1] > floor[:, None])
    best = bend.argmax(axis=1)
    place.centre[rows] = y[every, best + 1]
    place.width[rows] = np.clip(1.0 / np.sqrt(bend[every, best] + 1.0), 1e-12, 1.0)
    left, right = (np.arcsinh((centre + width * np.sinh(x) - place.centre[rows]) / place.width[rows]) for x in ends)
    return left, right
