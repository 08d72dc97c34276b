"""Distributions held as Chebyshev series of their densities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev

from howsure.arrays import Array, Index, Mask
from howsure.distributions.continuous import Continuous
from howsure.distributions.exact import two_sum
from howsure.distributions.scale import Scale, normal_score

# -- chebyshev density
#
# The log density of a law as Chebyshev series, one for each piece of its range.
#
# Statement: between two corners (values of the measure at the corners of the simplex) a density is analytic, with any
# power of the distance as its limit at the ends; its logarithm is smooth where a tail probability is not.
# Domain: densities down to exp(-60) = 9e-27 of their peak; gaps to the ends down to 1e-130.
# Formula: a piece is mapped to the line by scale.py, and there y = centre + width·sinh(u): bulk and tails fit on
# one grid. In u the series is doubled until its last terms vanish (Battles & Trefethen 2004). Where order 128 does
# not do, the centre moves to where the log density bends most. Points are pairs of doubles, exact close to an end.
# Error: the last terms are below 5e-11, or as small as the rounding of the density allows.


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

    def picked(self, some: Mask) -> ChebyshevSeries:
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


# -- tabulated
#
# A law tabulated once, so that its density and both tails cost a look-up.
#
# Statement: both tails are sums of positive parts of the integral of the density, so they keep its relative precision
# however small they are.
# Domain: tails of 1e-20 and more, of laws with a density (chebyshev_density.py).
# Formula: the series of the log density are integrated cell by cell (Gauss-Legendre); between the ends of a cell log f,
# log F and log S are quintic Hermite polynomials, whose derivatives are known. What lies beyond the outermost node is
# the integral of a power: an atom at that end.
# Error: 1e-11 relative in both tails (tests/comparison/test_difference.py); `miss` is how far the integral of the
# density is from 1, before it is divided out.

_CELLS = 256  # at least; a multiple of _COARSE
_COARSE = 64
_EMPTY = -700.0
_GAUSS = np.polynomial.legendre.leggauss(6)
_LOST = 1e-12  # of the mass, by which polynomials between nodes may differ from the series
_FINEST = 64  # cells for a Chebyshev term, at most


@dataclass(frozen=True)
class Section:
    """The law between two corners: arrays by row, and arrays of all nodes of all rows, flat."""

    place: Place
    start: Index  # of the row's nodes
    count: Index  # of the row's cells
    first: Array  # u at the first node
    step: Array  # of u
    log_f: Array  # the log density with respect to u, and its derivatives
    slope: Array
    bend: Array
    below: Array  # logs of both tails
    above: Array
    atoms: Array  # masses beyond the first and the last node

    @property
    def last(self) -> Array:
        return np.asarray(self.first + self.step * self.count)

    def _cell(self, rows: Index, u: Array) -> tuple[Index, Array, Array]:
        """The node to the left of u, the place in the cell, and the cell's length."""
        step = self.step[rows]
        s = (u - self.first[rows]) / step
        cell = np.clip(s, 0, self.count[rows] - 1).astype(np.intp)
        return self.start[rows] + cell, np.clip(s - cell, 0.0, 1.0), step

    def _density(self, at: Index, r: Array, step: Array) -> Array:
        ends = (x for k in (at, at + 1) for x in (self.log_f[k], self.slope[k] * step, self.bend[k] * step * step))
        return np.exp(_hermite(r, *ends))

    def weight(self, rows: Index, u: Array) -> Array:
        """The density with respect to u."""
        return self._density(*self._cell(rows, u))

    def look(self, rows: Index, t: Point, density: bool) -> tuple[Array, Array, Array]:
        """Both tails and, if asked for, the density at points within the piece."""
        u, stretch = self.place.line(rows, t)
        at, r, step = self._cell(rows, u)
        low = self.below[at] <= self.above[at]  # the smaller tail is looked up, the other is its complement
        ends: list[Array] = []
        for k in (at, at + 1):
            tail = np.where(low, self.below[k], self.above[k])
            rate = np.where(low, 1.0, -1.0) * np.exp(self.log_f[k] - tail)
            ends += [tail, rate * step, rate * (self.slope[k] - rate) * step * step]
        small = np.exp(_hermite(r, *ends))
        pdf = np.zeros(())
        if density:
            inside = (u >= self.first[rows]) & (u <= self.last[rows]) & (stretch > 0)
            pdf = np.where(inside, self._density(at, r, step), 0.0) / np.where(inside, stretch, 1.0)
        return np.where(low, small, 1.0 - small), np.where(low, 1.0 - small, small), pdf


def _hermite(r: Array, f0: Array, d0: Array, c0: Array, f1: Array, d1: Array, c1: Array) -> Array:
    """The quintic with given values, first and second derivatives at 0 and 1."""
    rise, tilt, turn = f1 - f0 - d0 - 0.5 * c0, d1 - d0 - c0, 0.5 * (c1 - c0)
    a, b, c = 10 * rise - 4 * tilt + turn, -15 * rise + 7 * tilt - 2 * turn, 6 * rise - 3 * tilt + turn
    return np.asarray(f0 + r * (d0 + r * (0.5 * c0 + r * (a + r * (b + r * c)))))


@dataclass(frozen=True)
class Tabulated:
    """A law by its pieces; rows are the entries of its batch, flat."""

    ends: tuple[float, ...]
    pieces: tuple[Section, ...]
    spread: Array
    miss: Array
    coarse: tuple[Array, Array]  # points and normal scores, (rows, points)

    def look(self, rows: Index, t: Point, density: bool) -> tuple[Array, Array, Array]:
        """Both tails and, if asked for, the density at any points."""
        over = [t.above(x) > 0 for x in self.ends[:-1]] + [t.above(self.ends[-1]) >= 0]
        upper = np.where(over[0], 0.0, 1.0)
        lower, pdf = 1.0 - upper, np.zeros_like(upper)
        rows = np.broadcast_to(rows, upper.shape)
        for (low, high), piece in zip(pairwise(over), self.pieces, strict=True):
            here = low & ~high
            if here.all():
                return piece.look(rows, t, density)
            if here.any():
                part = Point(*(np.broadcast_to(x, here.shape)[here] for x in (t.end, t.shift, t.gap)))
                lower[here], upper[here], found = piece.look(rows[here], part, density)
                if density:
                    pdf[here] = found
        return lower, upper, pdf

    def near(self, rows: Index, p: Array, q: Array) -> Array:
        """Points close to the quantiles of some rows; p and q are (points, rows)."""
        t, score = (x[rows] for x in self.coarse)
        want = normal_score(p, q)
        at = np.clip((score[None] < want[..., None]).sum(axis=-1), 1, t.shape[1] - 1)
        every = np.arange(rows.size)
        s0, s1, t0, t1 = score[every, at - 1], score[every, at], t[every, at - 1], t[every, at]
        share = np.where(s1 > s0, (want - s0) / np.where(s1 > s0, s1 - s0, 1.0), 0.5)
        return np.asarray(t0 + (t1 - t0) * np.clip(share, 0.0, 1.0))


def tabulate(law: Continuous) -> Tabulated:
    """The table of a law."""
    ends, places, found, spread = profile(law)
    size = spread.size
    drafts = [[cells for series in several for cells in _cells(series)] for several in found]
    masses = np.zeros((3 * len(places), size))  # of each piece: before its first node, between its nodes, beyond
    for k, draft in enumerate(drafts):
        for cells in draft:
            masses[3 * k : 3 * k + 3, cells.series.rows] = cells.atoms[0], cells.masses.sum(axis=1), cells.atoms[1]
    total = masses.sum(axis=0)
    masses = masses / np.where(total > 0, total, 1.0)
    below, above = np.cumsum(masses, axis=0), np.cumsum(masses[::-1], axis=0)[::-1]
    pieces = tuple(
        _piece(place, draft, total, below[3 * k], above[3 * k + 2], masses[[3 * k, 3 * k + 2]])
        for k, (place, draft) in enumerate(zip(places, drafts, strict=True))
    )
    coarse = [_coarse(piece, below[3 * k] > 0.5) for k, piece in enumerate(pieces)]
    t, score = (np.concatenate(x, axis=1) for x in zip(*coarse, strict=True))
    return Tabulated(ends, pieces, spread, total - 1.0, (t, score))


def _coarse(piece: Section, beyond: Mask) -> tuple[Array, Array]:
    """Some points of a piece and their normal scores; of rows without mass there, that of the side they are on."""
    nodes = np.arange(_COARSE + 1)
    at = piece.start[:, None] + piece.count[:, None] // _COARSE * nodes
    u = piece.first[:, None] + (piece.last - piece.first)[:, None] * nodes / _COARSE
    score = normal_score(np.exp(piece.below[at]), np.exp(piece.above[at]))
    score = np.where((piece.start == 0)[:, None], np.where(beyond, 38.0, -38.0)[:, None], score)
    return piece.place.out(np.arange(piece.start.size)[:, None], u)[0], score


@dataclass(frozen=True)
class NodeCells:
    """The nodes of some rows, (rows, nodes), the masses between them, and the masses beyond the first and the last."""

    series: ChebyshevSeries
    log_f: Array
    slope: Array
    bend: Array
    masses: Array
    atoms: tuple[Array, Array]

    def picked(self, some: Mask) -> NodeCells:
        log_f, slope, bend, masses = (x[some] for x in (self.log_f, self.slope, self.bend, self.masses))
        return NodeCells(
            self.series.picked(some), log_f, slope, bend, masses, (self.atoms[0][some], self.atoms[1][some])
        )


def _cells(series: ChebyshevSeries, count: int = 0) -> Iterator[NodeCells]:
    """Values, derivatives and integrals of series; four cells a Chebyshev term, or more in rows where these do not do.

    Next to an end a density may bend so much that quintics between the nodes of four lose 1e-9 of its mass.
    """
    count = count or max(_CELLS, 4 * series.order)
    cells, lost = _at_nodes(series, count)
    rough = (lost > _LOST) & (2 * count <= max(_CELLS, _FINEST * series.order))
    if not rough.all():
        yield cells.picked(~rough) if rough.any() else cells
    if rough.any():
        yield from _cells(series.picked(rough), 2 * count)


def _at_nodes(series: ChebyshevSeries, count: int) -> tuple[NodeCells, Array]:
    """So many cells of each row, and the share of its mass that is lost between the nodes."""
    half = 0.5 * (series.last - series.first)[:, None]
    x = np.linspace(-1.0, 1.0, count + 1)
    inner = (0.5 * (x[1:] + x[:-1])[:, None] + _GAUSS[0] / count).ravel()
    log_f = np.asarray(chebyshev.chebval(x, series.terms), dtype=float)
    slope = chebyshev.chebval(x, chebyshev.chebder(series.terms)) / half
    bend = chebyshev.chebval(x, chebyshev.chebder(series.terms, 2)) / half**2
    density = np.exp(chebyshev.chebval(inner, series.terms)).reshape(series.rows.size, count, -1)
    atoms = []
    for k, sign, u in ((0, 1.0, series.first), (-1, -1.0, series.last)):
        power = sign * (slope[:, k] - np.tanh(u))  # of the distance, with respect to u
        atoms.append(np.where(power > 0, np.exp(log_f[:, k]) / np.where(power > 0, power, 1.0), 0.0))
    size = half / count
    nodes = [x[..., None] for x in (log_f, slope * 2 * size, bend * (2 * size) ** 2)]
    with np.errstate(over="ignore"):  # of far too few nodes
        between = np.exp(_hermite(0.5 + 0.5 * _GAUSS[0], *(x[:, :-1] for x in nodes), *(x[:, 1:] for x in nodes)))
    masses = (density @ _GAUSS[1]) * size
    lost = (np.abs(between - density) @ _GAUSS[1] * size).sum(axis=1) / np.maximum(masses.sum(axis=1), 1e-300)
    return NodeCells(series, log_f, slope, bend, masses, (atoms[0], atoms[1])), lost


def _piece(place: Place, draft: list[NodeCells], total: Array, below: Array, above: Array, atoms: Array) -> Section:
    """The nodes of all rows, flat; rows without mass share an empty cell. below and above are the tails at the ends."""
    size = total.size
    start, count = np.zeros(size, dtype=np.intp), np.full(size, _COARSE)
    first, step = np.zeros(size), np.full(size, 1.0 / _COARSE)
    empty = np.full(_COARSE + 1, _EMPTY)
    flat: list[list[Array]] = [[empty], [0 * empty], [0 * empty], [empty], [empty]]
    at = empty.size
    for cells in draft:
        rows = cells.series.rows
        nodes = cells.log_f.shape[1]
        start[rows] = at + nodes * np.arange(rows.size)
        count[rows], first[rows] = nodes - 1, cells.series.first
        step[rows] = (cells.series.last - cells.series.first) / (nodes - 1)
        part = np.pad(cells.masses / total[rows, None], ((0, 0), (1, 1)))
        lower = below[rows, None] + np.cumsum(part, axis=1)[:, :-1]
        upper = above[rows, None] + np.cumsum(part[:, ::-1], axis=1)[:, -2::-1]
        with np.errstate(divide="ignore"):
            tails = (np.maximum(np.log(x), _EMPTY) for x in (lower, upper))
            found = (cells.log_f - np.log(total[rows, None]), cells.slope, cells.bend, *tails)
        for parts, x in zip(flat, found, strict=True):
            parts.append(x.ravel())
        at += nodes * rows.size
    log_f, slope, bend, lower, upper = (np.concatenate(parts) for parts in flat)
    return Section(place, start, count, first, step, log_f, slope, bend, lower, upper, atoms)
