"""A law tabulated once, so that its density and both tails cost a look-up.

Statement: both tails are sums of positive parts of the integral of the density, so they keep its relative precision
however small they are.
Domain: tails of 1e-20 and more, of laws with a density (chebyshev_density.py).
Formula: the series of the log density are integrated cell by cell (Gauss-Legendre); between the ends of a cell log f,
log F and log S are quintic Hermite polynomials, whose derivatives are known. What lies beyond the outermost node is
the integral of a power: an atom at that end.
Error: 1e-11 relative in both tails (tests/comparison/test_difference.py); `miss` is how far the integral of the density
is from 1, before it is divided out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from howsure.kernels.chebyshev_density import ChebyshevSeries, Place, Point, profile
from howsure.kernels.continuous import Continuous
from howsure.kernels.scale import normal_score

Array = NDArray[np.float64]
Index = NDArray[np.intp]

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


def _coarse(piece: Section, beyond: NDArray[np.bool_]) -> tuple[Array, Array]:
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

    def picked(self, some: NDArray[np.bool_]) -> NodeCells:
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
