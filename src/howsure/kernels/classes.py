"""Draws of many-class tables: for every class its true items, its right answers and its answers, by system.

Statement: a flat Dirichlet is normalised independent Gammas. Occupied patterns (truth, answer of each system) carry the
Gammas of their counts; the prior's weight of a truth row is one more Gamma, dealt to patterns of that row by
stick-breaking from the prior itself (Sethuraman 1994), so patterns that did not occur need no enumeration and the cost
follows the occupied ones. Where the table is small, the prior is simply added to the shapes of all its cells.
A pooled prior draws its share of right answers, p, anew with each table, from a Beta around the mean accuracy of the
classes; systems on the same items draw theirs together.
Two-level model (Zhang, Wang & Zhao 2015): truth rows and class shares are Dirichlets of their own.
Measures are quotients: nothing is normalised here but in the two-level model.
Domain: shapes above 0. Sticks leave 1e-3 of a row's prior mass, whose weight is about one item, to their last atom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.draws import gamma_each, gammas, gammas_by_shape, rows_by_shape
from howsure.kernels.sticks import count as stick_count
from howsure.kernels.sticks import sticks

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

_CHUNK = 500_000  # numbers drawn at a time
_LEAST = 64  # tables drawn at a time, at least
_FLOOR = 1e-290  # a row without data keeps a trace of mass, so that its own shares stay defined
_WORKERS = 2


@dataclass(frozen=True)
class PooledAccuracy:
    """The shared share of right answers: weights of the (right or wrong by system) patterns, and the total size."""

    right: NDArray[np.bool_]
    weights: Array
    smooth: float
    size: float

    def centre(self) -> Array:
        """The mean share of right answers of each system."""
        total = self.weights.sum() + self.smooth
        return np.asarray((self.weights @ self.right + 0.5 * self.smooth) / total)

    def draw(self, rng: np.random.Generator, m: int) -> Array:
        """Shares of right answers, (systems, m): each Beta(size·centre, size·(1 - centre)), drawn together."""
        total = self.weights.sum() + self.smooth
        systems = self.right.shape[1]
        if systems == 1:
            p = float(self.centre()[0])
            return rng.beta(self.size * p, self.size * (1.0 - p), (1, m))
        seen = gammas(self.size * self.weights / total, m, rng)
        rest = self.size * self.smooth / total
        parts = sticks(rng, np.array([rest]), m)[0] * gammas(np.array([rest]), m, rng)
        coin = rng.random((systems, *parts.shape)) < 0.5
        right = self.right.T.astype(float) @ seen + np.einsum("jm,sjm->sm", parts, coin)
        return np.asarray(np.clip(right / (seen.sum(axis=0) + parts.sum(axis=0)), 1e-300, 1.0))


@dataclass(frozen=True)
class Scales:
    """What a unit of each pattern weighs, and of each truth row: of its prior, and of its class share."""

    patterns: Array
    rows: Array


@dataclass(frozen=True)
class Classes:
    """What is drawn: patterns with their shapes, and the prior's weight of each truth row, still to be dealt."""

    codes: Codes  # (patterns, 1 + systems); -1 is an answer that is missing, and wrong for every class
    shapes: Array
    k: int
    rows: Array | None = None  # prior weight of each truth row
    right: Array | None = None  # its share that is right; with a pool, drawn
    pool: PooledAccuracy | None = None
    lost: bool = True  # whether a missing answer is a false answer of every class
    shares: Array | None = None  # two-level: shapes of the class shares; the patterns are then all k² cells
    scales: Scales | None = None  # where items have weights that differ

    @property
    def systems(self) -> int:
        return int(self.codes.shape[1] - 1)

    @cached_property
    def cost(self) -> int:
        """Random numbers a draw."""
        dealt = 0
        if self.rows is not None:
            wrong = 0.5 if self.systems == 1 else 1.0  # a single system deals its wrong answers only
            dealt = self.k * stick_count(wrong * float(self.rows.max())) * (1 + self.systems)
        return int(self.shapes.size + dealt + 1)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, seed, self._some)

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        if self.pool is not None and self.rows is None:
            return self._summed(self._pooled(rng, m))
        mass = self._gammas(m, rng)
        if self.shares is not None:
            return self._two_level(rng, mass)
        tables = self._summed(mass)
        if self.rows is not None:
            (self._deal_one if self.systems == 1 else self._deal)(rng, m, tables.row, tables.tp, tables.col)
        return tables

    def _summed(self, mass: Array) -> Tables:
        """Sums by class of the mass of the patterns."""
        row = added(mass, self._rows)
        tp = [added(mass[at], where) for at, where in self._right]
        col = [added(mass[at], where) for at, where in self._columns]
        for s, at in enumerate(self._lost):
            if at.size and self.lost:
                lost = added(mass[at], ByClass.of(self.codes[at, 0], self.k))
                col[s] = col[s] + lost.sum(axis=0) - lost
        return Tables(row, tp, col)

    def _pooled(self, rng: np.random.Generator, m: int) -> Array:
        """A small table of one system, all cells drawn with the prior that each draw of p gives them."""
        assert self.pool is not None  # noqa: S101 - narrows the type
        p = self.pool.draw(rng, m)[0]
        weights = {True: p, False: (1.0 - p) / (self.k - 1)}
        right = self.codes[:, 0] == self.codes[:, 1]
        out = np.empty((self.shapes.size, m))
        for i, (count, good) in enumerate(zip(self.shapes.tolist(), right.tolist(), strict=True)):
            shape = count + weights[good]
            out[i] = rng.standard_gamma(shape) if count >= 1 else gamma_each(shape, rng)
        return out

    def _two_level(self, rng: np.random.Generator, mass: Array) -> Tables:
        """Each truth row normalised, times its class share."""
        assert self.shares is not None  # noqa: S101 - narrows the type
        cells = mass.reshape(self.k, self.k, -1)
        share = gammas(self.shares, cells.shape[2], rng)
        share = share if self.scales is None else share * self.scales.rows[:, None]
        part = share / np.maximum(cells.sum(axis=1), _FLOOR)
        diagonal = np.arange(self.k)
        return Tables(share, [cells[diagonal, diagonal] * part], [np.einsum("jkm,jm->km", cells, part)])

    def _deal_one(self, rng: np.random.Generator, m: int, row: Array, tp: list[Array], col: list[Array]) -> None:
        """The prior's mass of one system: its right answers are a Gamma of their own, and the wrong ones are dealt."""
        assert self.rows is not None  # noqa: S101 - narrows the type
        k, rows = self.k, self.rows[:, None]
        share = self.pool.draw(rng, m) if self.pool is not None else np.asarray(self.right)[:, None]
        shapes = np.broadcast_to(rows * share, (k, m)), np.broadcast_to(rows * (1.0 - share), (k, m))
        right, wrong = (np.maximum(gamma_each(a, rng), 0.1 * _FLOOR) for a in shapes)
        if self.scales is not None:
            right, wrong = right * self.scales.rows[:, None], wrong * self.scales.rows[:, None]
        row += right + wrong
        tp[0] += right
        col[0] += right
        parts = sticks(rng, np.ascontiguousarray(shapes[1]), m) * wrong[:, None, :]
        other = (rng.random(parts.shape, dtype=np.float32) * (k - 1)).astype(np.int64)
        np.minimum(other, k - 2, out=other)
        other += other >= np.arange(k, dtype=np.int64)[:, None, None]
        target = other * m + np.arange(m, dtype=np.int64)
        col[0] += np.bincount(target.ravel(), parts.ravel(), k * m).reshape(k, m)

    def _deal(self, rng: np.random.Generator, m: int, row: Array, tp: list[Array], col: list[Array]) -> None:
        """The prior's mass of each row, in atoms."""
        assert self.rows is not None  # noqa: S101 - narrows the type
        k = self.k
        own = np.maximum(gammas(self.rows, m, rng), _FLOOR)
        own = own if self.scales is None else own * self.scales.rows[:, None]
        parts = sticks(rng, self.rows, m) * own[:, None, :]
        row += own
        if self.pool is not None:
            share = self.pool.draw(rng, m)[:, None, None, :]
        else:
            assert self.right is not None  # noqa: S101 - narrows the type
            share = np.broadcast_to(self.right[None, :, None, None], (self.systems, k, 1, 1))
        place = np.arange(m, dtype=np.int64)
        truth = np.arange(k, dtype=np.int64)[:, None, None]
        for s in range(self.systems):
            good = rng.random(parts.shape, dtype=np.float32) < share[s]
            tp[s] += np.einsum("kjm,kjm->km", parts, good)
            other = (rng.random(parts.shape, dtype=np.float32) * (k - 1)).astype(np.int64)
            np.minimum(other, k - 2, out=other)
            other += other >= truth
            target = np.where(good, truth, other) * m + place
            col[s] += np.bincount(target.ravel(), parts.ravel(), k * m).reshape(k, m)

    def _gammas(self, m: int, rng: np.random.Generator) -> Array:
        mass = gammas_by_shape(self._groups, self.shapes.size, m, rng)
        return mass if self.scales is None else mass * self.scales.patterns[:, None]

    @cached_property
    def _groups(self) -> list[tuple[float, Codes]]:
        return rows_by_shape(self.shapes)

    @cached_property
    def _rows(self) -> ByClass:
        return ByClass.of(self.codes[:, 0], self.k)

    @cached_property
    def _right(self) -> list[tuple[Codes, ByClass]]:
        found = [np.flatnonzero(self.codes[:, 0] == self.codes[:, 1 + s]) for s in range(self.systems)]
        return [(at, ByClass.of(self.codes[at, 0], self.k)) for at in found]

    @cached_property
    def _columns(self) -> list[tuple[Codes, ByClass]]:
        found = []
        for s in range(self.systems):
            answer = self.codes[:, 1 + s]
            at = np.flatnonzero(answer >= 0)
            at = at[np.argsort(answer[at], kind="stable")]
            found.append((at, ByClass.of(answer[at], self.k)))
        return found

    @cached_property
    def _lost(self) -> list[Codes]:
        return [np.flatnonzero(self.codes[:, 1 + s] < 0) for s in range(self.systems)]


def chunks(cost: int, n: int, seed: int, some: Callable[[np.random.Generator, int], Tables]) -> Iterator[Tables]:
    """Draws a part at a time, on two cores; every part has a stream of its own, so the seed alone decides."""
    size = min(n, max(_LEAST, _CHUNK // cost))
    if size < n:  # as many parts for each core
        parts = -(-n // size)
        size = -(-n // (parts + -parts % _WORKERS))
    starts = list(range(0, n, size))

    def one(i: int) -> Tables:
        rng = np.random.Generator(np.random.SFC64([seed, 30_011, i]))
        return some(rng, min(size, n - starts[i]))

    if len(starts) == 1:
        yield one(0)
        return
    with ThreadPoolExecutor(_WORKERS) as pool:
        for first in range(0, len(starts), _WORKERS):
            yield from pool.map(one, range(first, min(first + _WORKERS, len(starts))))


@dataclass(frozen=True)
class Tables:
    """Drawn tables: mass of true items (classes, m); right answers and all answers, one such array a system."""

    row: Array
    tp: list[Array]
    col: list[Array]
    total: Array | None = None  # of all items, where they may have several labels or none

    def cells(self, s: int) -> dict[str, Array]:
        """The four cells of every class against the rest, for one system."""
        tp = self.tp[s]
        fn, fp = np.maximum(self.row - tp, 0.0), np.maximum(self.col[s] - tp, 0.0)
        total = self.row.sum(axis=0) if self.total is None else self.total
        tn = np.maximum(total - tp - fn - fp, 0.0)
        return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@dataclass(frozen=True)
class ByClass:
    """Rows of an array to be added up by class, once they are in the order of their classes."""

    order: Codes | None
    starts: Codes
    classes: Codes
    k: int

    @classmethod
    def of(cls, classes: Codes, k: int) -> ByClass:
        order = None if (np.diff(classes) >= 0).all() else np.argsort(classes, kind="stable")
        kept = classes if order is None else classes[order]
        found, starts = np.unique(kept, return_index=True)
        return cls(order, starts.astype(np.int64), found, k)


def added(mass: Array, where: ByClass) -> Array:
    """Sums of the rows of mass by class, (classes, m)."""
    out = np.zeros((where.k, mass.shape[1]))
    if where.starts.size:
        out[where.classes] = np.add.reduceat(mass if where.order is None else mass[where.order], where.starts, axis=0)
    return out


class Drawable(Protocol):
    """What draws the tables of all classes."""

    @property
    def systems(self) -> int: ...
    @property
    def cost(self) -> int: ...
    def draws(self, n: int, seed: int) -> Iterator[Tables]: ...


def measured(
    classes: Drawable, n: int, seed: int, measure: Callable[[dict[str, Array]], Array], tick: Callable[[int], None]
) -> Array:
    """n draws of a measure of all classes, (n, systems)."""
    out = np.empty((n, classes.systems))
    done = 0
    for tables in classes.draws(n, seed):
        m = tables.row.shape[1]
        for s in range(classes.systems):
            out[done : done + m, s] = measure(tables.cells(s))
        done += m
        tick(m)
    return out
