"""A law tabulated once, so that its density and both tails cost a look-up.

Statement: a law with a density f is told by log f, which is smooth where a tail probability is not; the tails are sums
of positive parts of its integral, so they keep the relative precision of the density however small they are.
Domain: laws with tails of 1e-20 and more; between two corners of the density (values of the measure at the corners of
the simplex) f is analytic, with any power of the distance as its limit at the ends.
Formula: a piece between corners is mapped to the line by solve.Scale, and there y = centre + width·sinh(u). In u the
log density is a Chebyshev series, doubled until its last terms vanish (Battles & Trefethen 2004). Its integral is
taken cell by cell (Gauss-Legendre); between the cells' ends log f, log F and log S are quintic Hermite polynomials.
What lies beyond the outermost node, closer to an end than doubles reach, is the integral of a power: an atom there.
Error: see tests/comparison/test_difference.py; `miss` is how far the integral of the density is from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from howsure.kernels import solve
from howsure.kernels.exact import two_sum
from howsure.kernels.solve import Scale

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_DROP = 60.0  # the table reaches down to exp(-60) = 9e-27 of the peak
_SCAN = 32
_FIRST, _LAST = 32, 1024
_CELLS = 256
_SMALL = 5e-11  # the last Chebyshev terms of the log density
_NOISE = 1e-8
_MOVE = 128  # the order at which the line is moved
_DEEP = 25.0
_FAR = 300.0  # on the line: gaps of 1e-130 and distances of 1e130
_EPS = float(np.finfo(float).eps)
_GAUSS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class Point:
    """Points given as end + shift + gap, so that their distance to the same end of another law keeps its digits."""

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
        below, above = t.above(self.scale.lower), -t.above(self.scale.upper)
        value = t.above(0.0)
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
        """How far u may go before a point rounds to an end, or its distance leaves the doubles."""
        low, high = self.scale.lower, self.scale.upper
        span = high - low if self.scale.bounded else 1.0
        near = [np.log(max(4 * _EPS * abs(x), 1e-130) / span) if np.isfinite(x) else -_FAR for x in (low, high)]
        left, right = (np.arcsinh((y - self.centre) / self.width) for y in (near[0], -near[1]))
        return left, right


@dataclass(frozen=True)
class Piece:
    """The law between two corners: arrays by row, and by row and node."""

    place: Place
    first: Array  # u at the first node
    step: Array
    log_f: Array  # log density with respect to u, and its derivatives
    slope: Array
    bend: Array
    below: Array  # logs of both tails
    above: Array
    atoms: tuple[Array, Array]  # masses beyond the first and the last node

    @property
    def last(self) -> Array:
        return np.asarray(self.first + self.step * (self.log_f.shape[1] - 1))

    def _cell(self, rows: Index, u: Array) -> tuple[Index, Array, Array]:
        """The node to the left of u, the place in the cell, and the cell's length."""
        step = self.step[rows]
        s = (u - self.first[rows]) / step
        count = self.log_f.shape[1]
        cell = np.clip(s, 0, count - 2).astype(np.intp)
        return rows * count + cell, np.clip(s - cell, 0.0, 1.0), step

    def weight(self, rows: Index, u: Array) -> Array:
        """The density with respect to u."""
        at, r, step = self._cell(rows, u)
        log_f, slope, bend = (x.ravel() for x in (self.log_f, self.slope, self.bend))
        ends = [(log_f[k], slope[k] * step, bend[k] * step * step) for k in (at, at + 1)]
        return np.exp(_hermite(r, *ends[0], *ends[1]))

    def look(self, rows: Index, t: Point, density: bool) -> tuple[Array, Array, Array]:
        """Both tails and, if asked for, the density at points within the piece."""
        u, stretch = self.place.line(rows, t)
        at, r, step = self._cell(rows, u)
        log_f, slope, bend, below, above = (
            x.ravel() for x in (self.log_f, self.slope, self.bend, self.below, self.above)
        )
        low = below[at] <= above[at]
        sign = np.where(low, 1.0, -1.0)
        ends = []
        for k in (at, at + 1):
            tail = np.where(low, below[k], above[k])
            rate = sign * np.exp(log_f[k] - tail)
            ends.append((tail, rate * step, rate * (slope[k] - rate) * step * step))
        small = np.exp(_hermite(r, *ends[0], *ends[1]))
        lower, upper = np.where(low, small, 1.0 - small), np.where(low, 1.0 - small, small)
        if not density:
            return lower, upper, np.zeros(())
        ends = [(log_f[k], slope[k] * step, bend[k] * step * step) for k in (at, at + 1)]
        inside = (u >= self.first[rows]) & (u <= self.last[rows])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            pdf = np.where(inside, np.exp(_hermite(r, *ends[0], *ends[1])) / stretch, 0.0)
        return lower, upper, pdf


def _hermite(r: Array, f0: Array, d0: Array, c0: Array, f1: Array, d1: Array, c1: Array) -> Array:
    """The quintic with given values, first and second derivatives at 0 and 1."""
    rise, tilt, turn = f1 - f0 - d0 - 0.5 * c0, d1 - d0 - c0, 0.5 * (c1 - c0)
    a, b, c = 10 * rise - 4 * tilt + turn, -15 * rise + 7 * tilt - 2 * turn, 6 * rise - 3 * tilt + turn
    return np.asarray(f0 + r * (d0 + r * (0.5 * c0 + r * (a + r * (b + r * c)))))


@dataclass(frozen=True)
class Tabulated:
    """A law by its pieces; rows are the entries of its batch, flat."""

    ends: tuple[float, ...]
    pieces: tuple[Piece, ...]
    spread: Array
    miss: Array

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

    def near(self, p: Array, q: Array, rows: Index | slice = slice(None)) -> Array:
        """Points close to the quantiles of some rows, by the nodes of the table; p and q are (points, rows)."""
        t = np.concatenate([x.place.out(*_nodes(x))[0] for x in self.pieces], axis=1)
        score = np.concatenate([solve.normal_score(np.exp(x.below), np.exp(x.above)) for x in self.pieces], axis=1)
        t, score, want = t[rows], score[rows], solve.normal_score(p, q)
        at = np.clip((score[None] < want[..., None]).sum(axis=-1), 1, t.shape[1] - 1)
        every = np.arange(len(t))
        s0, s1, t0, t1 = score[every, at - 1], score[every, at], t[every, at - 1], t[every, at]
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip((want - s0) / (s1 - s0), 0.0, 1.0)
        return np.asarray(t0 + (t1 - t0) * np.where(np.isfinite(share), share, 0.5))


def _nodes(piece: Piece) -> tuple[Index, Array]:
    rows = np.arange(len(piece.first))[:, None]
    return rows, piece.first[:, None] + piece.step[:, None] * np.arange(piece.log_f.shape[1])


def breaks(law: Any) -> tuple[float, ...]:
    """Inner points where a density may have a corner: the values of the measure at the corners of the simplex."""
    points = law.corners() if hasattr(law, "corners") else ()
    return tuple(sorted({p for p in points if law.lower < p < law.upper}))


def tabulate(law: Any) -> Tabulated:
    """The table of a law."""
    law = law.rows(np.full(law.shape, True), law.shape)
    ends = (law.lower, *breaks(law), law.upper)
    p = np.array([[0.16], [0.5], [0.84]])
    scale = Scale(law.lower, law.upper)
    points = scale.out(solve.start(law, scale, *np.broadcast_arrays(p, 1.0 - p, law.mean())[:2]))[0]
    places = [_place(low, high, points) for low, high in pairwise(ends)]
    scans = [_scan(law, place, rows) for place, rows in zip(places, _live(law, ends), strict=True)]
    floor = np.full(law.shape, -np.inf)
    for rows, _, values in scans:
        floor[rows] = np.maximum(floor[rows], values.max(axis=1) - _DROP)
    drafts = [_series(law, place, *_window(*scan, floor), floor) for place, scan in zip(places, scans, strict=True)]
    return _joined(ends, places, drafts, points[2] - points[0])


def _place(low: float, high: float, points: Array) -> Place:
    """Where in a piece the law lives, and how wide it is there."""
    scale = Scale(low, high)
    spread = points[2] - points[0]
    room = np.minimum(spread, 0.25 * (high - low)) if scale.bounded else spread
    inside = (points[1] > low) & (points[1] < high)
    middle = np.where(inside, points[1], np.clip(points[1], low + room, high - room))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        width = np.clip(0.5 * spread / scale.stretch(middle, middle - low, high - middle), 1e-12, 1.0)
    return Place(scale, scale.place(middle), width)


def _log_density(law: Any, place: Place, rows: Index, u: Array) -> Array:
    """The log density with respect to u of some rows, at points u of shape (rows, points)."""
    t, below, above = place.out(rows[:, None], u)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        from_low, from_high = two_sum(place.scale.lower, below)[1], two_sum(place.scale.upper, -above)[1]
        rest = np.where(below <= above, from_low, from_high)  # what rounding took from t
        rest = np.where(np.isfinite(rest), rest, 0.0)
        pdf = law.rows(rows, law.shape).pdf(t.T, rest.T).T
        return np.log(pdf * place.stretch(rows[:, None], u, t, below, above))


def _live(law: Any, ends: tuple[float, ...]) -> list[Index]:
    """The rows that may have mass in each of the pieces."""
    sure = np.ones(law.shape)
    tails = [law.tails(np.asarray(c)) for c in ends[1:-1]]
    below, above = [*(x[0] for x in tails), sure], [sure, *(x[1] for x in tails)]
    return [np.flatnonzero(np.minimum(p, q) > np.exp(-_DROP)) for p, q in zip(below, above, strict=True)]


def _scan(law: Any, place: Place, rows: Index) -> tuple[Index, Array, Array]:
    """The log density of some rows on a coarse grid over all of the piece."""
    left, right = (x[rows] for x in place.limits())
    u = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, _SCAN)
    values = _log_density(law, place, rows, u) if rows.size else u
    return rows, u, np.where(np.isfinite(values), values, -np.inf)


def _window(rows: Index, u: Array, values: Array, floor: Array) -> tuple[Index, Array, Array]:
    """Rows that live in the piece, and where: to the floor, by the slope of the last two points above it."""
    lives = values > floor[rows, None]
    some = np.flatnonzero(lives.any(axis=1))
    rows, u, values, lives = rows[some], u[some], values[some], lives[some]
    floor = floor[rows]
    ends = []
    for flip in (False, True):
        x, v, on = (y[:, ::-1] if flip else y for y in (u, values, lives))
        k, rows_ = on.argmax(axis=1), np.arange(len(rows))
        step, height = x[:, 1] - x[:, 0], v[rows_, k]
        rise = v[rows_, np.minimum(k + 1, _SCAN - 1)] - height
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(rise > 0, np.minimum((height - floor) / rise, 1.0), 1.0)
        ends.append(x[rows_, k] - np.where(k > 0, share, 0.0) * step)
    return rows, ends[0], ends[1]


@lru_cache(maxsize=8)
def _transform(n: int) -> Array:
    """From values at the n + 1 Chebyshev points to coefficients."""
    k = np.arange(n + 1)
    matrix = np.cos(np.pi * np.outer(k, k) / n) * (2.0 / n)
    matrix[:, [0, n]] *= 0.5
    matrix[[0, n]] *= 0.5
    return np.asarray(matrix)


@dataclass(frozen=True)
class Series:
    """Chebyshev series of the log density of some rows of a piece."""

    rows: Index
    first: Array
    last: Array
    terms: Array  # (order, rows)


def _series(
    law: Any, place: Place, rows: Index, first: Array, last: Array, floor: Array, tries: int = 6
) -> list[Series]:
    """The order is doubled until the last terms are small, or noise; where that takes long, the line is moved first."""
    done: list[Series] = []
    n, before = _FIRST, np.full(rows.size, np.inf)
    values = np.zeros((0, 0))
    while rows.size:
        x = np.cos(np.pi * np.arange(n + 1) / n)
        u = 0.5 * (first + last)[:, None] + 0.5 * (last - first)[:, None] * x
        if n == _FIRST:
            values = _log_density(law, place, rows, u)
            deep = ~(values[:, [0, -1]].min(axis=1) > floor[rows] - _DEEP) & (tries > 0)
        else:
            old, values = values, np.empty((rows.size, n + 1))
            values[:, ::2], values[:, 1::2] = old, _log_density(law, place, rows, u[:, 1::2])
            deep = np.full(rows.size, n == _MOVE and tries > 0)
        values = np.where(np.isfinite(values), values, -700.0)
        terms = _transform(n) @ values.T
        tail = np.abs(terms[-n // 8 :]).max(axis=0)
        good = (tail <= _SMALL) | ((tail < _NOISE) & (tail > 0.3 * before)) | (n >= _LAST)
        again = deep if n == _FIRST else deep & ~good
        good &= ~again
        if good.any():
            done.append(Series(rows[good], first[good], last[good], terms[:, good]))
        if again.any():
            some = rows[again]
            ends = _moved(place, some, u[again], values[again], floor[some], n == _MOVE)
            done += _series(law, place, some, *ends, floor, tries - 1 if n == _FIRST else 0)
        rest = ~(good | again)
        rows, first, last, values, before = (x[rest] for x in (rows, first, last, values, tail))
        n *= 2
    return done


def _moved(place: Place, rows: Index, u: Array, values: Array, floor: Array, centre: bool) -> tuple[Array, Array]:
    """The window cut to the points around those above the floor; the line moved to where the density bends most."""
    lives = values > floor[:, None]
    count, every = lives.shape[1] - 1, np.arange(rows.size)
    right = u[every, np.maximum(lives.argmax(axis=1) - 1, 0)]
    left = u[every, np.minimum(count - lives[:, ::-1].argmax(axis=1) + 1, count)]
    if centre:
        c, w = place.centre[rows], place.width[rows]
        y = c[:, None] + w[:, None] * np.sinh(u)
        slope = np.diff(values - np.log(np.cosh(u)), axis=1) / np.diff(y, axis=1)
        bend = np.abs(2 * np.diff(slope, axis=1) / (y[:, 2:] - y[:, :-2])) * lives[:, 1:-1]
        best = bend.argmax(axis=1)
        ends = [c + w * np.sinh(x) for x in (left, right)]
        place.centre[rows] = y[every, best + 1]
        place.width[rows] = np.clip(1.0 / np.sqrt(bend[every, best]), 1e-12, 1.0)
        left, right = (np.arcsinh((x - place.centre[rows]) / place.width[rows]) for x in ends)
    return left, right


def _joined(ends: tuple[float, ...], places: list[Place], drafts: list[list[Series]], spread: Array) -> Tabulated:
    """Pieces side by side: the tails at their nodes, from both ends of the range."""
    order = max(len(series.terms) - 1 for draft in drafts for series in draft)
    raw = [_cells(place, draft, spread.size, max(_CELLS, 4 * order)) for place, draft in zip(places, drafts, strict=True)]
    parts = np.concatenate([np.concatenate([r[5][0][:, None], r[4], r[5][1][:, None]], axis=1) for r in raw], axis=1)
    total = parts.sum(axis=1)
    below, above = np.cumsum(parts, axis=1), np.cumsum(parts[:, ::-1], axis=1)[:, ::-1]
    pieces, at = [], 0
    with np.errstate(divide="ignore"):
        scale = np.log(total)[:, None]
        for place, (first, step, logs, slopes, masses, atoms) in zip(places, raw, strict=True):
            nodes = masses.shape[1] + 1
            tails = np.log(below[:, at : at + nodes]) - scale, np.log(above[:, at + 1 : at + 1 + nodes]) - scale
            tails = tuple(np.maximum(x, -700.0) for x in tails)
            size = np.exp(-scale[:, 0])
            pieces.append(
                Piece(place, first, step, logs - scale, *slopes, *tails, (atoms[0] * size, atoms[1] * size))
            )
            at += nodes + 1
    return Tabulated(ends, tuple(pieces), spread, total - 1.0)


def _cells(place: Place, draft: list[Series], size: int, count: int) -> tuple[Any, ...]:
    """Nodes, log densities, derivatives, masses of the cells and of what lies beyond them, of all rows of a piece."""
    first, step = np.zeros(size), np.ones(size)
    logs, slopes, bends = np.full((size, count + 1), -700.0), *np.zeros((2, size, count + 1))
    masses, atoms = np.zeros((size, count)), np.zeros((2, size))
    x = np.linspace(-1.0, 1.0, count + 1)
    inner = (0.5 * (x[1:] + x[:-1])[:, None] + _GAUSS[0] / count).ravel()
    for series in draft:
        rows = series.rows
        half = 0.5 * (series.last - series.first)
        first[rows], step[rows] = series.first, 2.0 * half / count
        one, two = chebyshev.chebder(series.terms), chebyshev.chebder(series.terms, 2)
        logs[rows] = chebyshev.chebval(x, series.terms)
        slopes[rows] = chebyshev.chebval(x, one) / half[:, None]
        bends[rows] = chebyshev.chebval(x, two) / half[:, None] ** 2
        density = np.exp(chebyshev.chebval(inner, series.terms)).reshape(rows.size, count, -1)
        masses[rows] = (density @ _GAUSS[1]) * half[:, None] / count
        for k, sign, u in ((0, 1.0, series.first), (-1, -1.0, series.last)):
            power = sign * (slopes[rows, k] - np.tanh(u))
            with np.errstate(divide="ignore"):
                atoms[k, rows] = np.where(power > 0, np.exp(logs[rows, k]) / np.maximum(power, 1e-300), 0.0)
    return first, step, logs, (slopes, bends), masses, tuple(atoms)
