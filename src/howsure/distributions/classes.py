"""Tables of many classes and label sets: sampled tables, and metrics of all of them at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.control_variate import GammaSum, Weighted
from howsure.distributions.sampling import (
    JUMPS,
    SMALL_JUMPS,
    gamma_each,
    gammas,
    gammas_by_shape,
    jumps,
    rows_by_shape,
    sticks,
    stream,
)
from howsure.distributions.sampling import count as stick_count

# -- class tables
#
# What drawn tables of many classes are made of: sums by class, the shared share of right answers, slopes and tilts.

_BINS: Final = 2000  # of slopes: more classes have too many cells to look at each


@dataclass(frozen=True)
class Tables:
    """Drawn tables: mass of true items (classes, m); right answers and all answers, one such array a system."""

    row: Array
    tp: list[Array]
    col: list[Array]
    total: Array | None = None  # of all items, where they may have several labels or none
    linear: Array | None = None  # the linear part of a measure, where the plan is tilted

    def cells(self, s: int) -> dict[str, Array]:
        """The four cells of every class against the rest, for one system."""
        tp = self.tp[s]
        total = self.row.sum(axis=0) if self.total is None else self.total
        fn, fp, tn = self.row - tp, self.col[s] - tp, total - tp
        np.maximum(fn, 0.0, out=fn)
        np.maximum(fp, 0.0, out=fp)
        tn -= fn
        tn -= fp
        np.maximum(tn, 0.0, out=tn)
        return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@dataclass(frozen=True)
class ByClass:
    """Rows of an array to be added up by class: in layers, each with one row of a class at most, or class by class."""

    rows: Integers  # in the order of their classes
    starts: Integers  # of the classes that have any
    classes: Integers
    layers: list[
        tuple[Integers, Integers]
    ]  # rows, and their classes; none where classes have more rows than there are classes
    k: int

    @classmethod
    def of(cls, classes: Integers, k: int, rows: Integers | None = None) -> ByClass:
        """Of all rows of an array, or of some."""
        order = np.argsort(classes, kind="stable")
        kept, count = classes[order], np.bincount(classes, minlength=k)
        found, first = order if rows is None else rows[order], np.cumsum(count) - count
        layers = []
        if classes.size and count.max() <= max(k, 4):
            rank = np.arange(kept.size) - np.repeat(first, count)
            parts = np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1])
            layers = [(found[part], kept[part]) for part in parts]
        some = np.flatnonzero(count)
        return cls(found, first[some], some, layers, k)


def added(mass: Array, where: ByClass) -> Array:
    """Sums of the rows of mass by class, (classes, m)."""
    out = np.zeros((where.k, mass.shape[1]))
    for i, (rows, classes) in enumerate(where.layers):
        if i == 0:
            out[classes] = mass[rows]
        else:
            out[classes] += mass[rows]
    if where.starts.size and not where.layers:
        out[where.classes] = np.add.reduceat(mass[where.rows], where.starts, axis=0)
    return out


@dataclass(frozen=True)
class PooledAccuracy:
    """The shared share of right answers: weights of the (right or wrong by system) patterns, and the total size."""

    right: Mask
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


@dataclass(frozen=True, eq=False)
class ClassSlopes:
    """How a measure follows the right, the missed and the false answers of each class, at the mean table."""

    right: Array
    missed: Array
    false: Array

    def of(self, codes: Integers, lost: bool) -> Array:
        """Of each pattern (truth, answer)."""
        truth, answer = codes[:, 0], codes[:, 1]
        wrong = self.missed[truth] + self.false[answer]
        missing = self.missed[truth] + (self.false.sum() - self.false[truth] if lost else 0.0)
        return np.where(truth == answer, self.right[truth], np.where(answer < 0, missing, wrong))

    def wrong_cells(self, weights: Array) -> tuple[Array, Array]:
        """Slopes of all wrong cells, and the weight of its class that each has; of very many, those alike as one."""
        k = self.right.size
        if k <= _BINS:
            coefs = (self.missed[:, None] + self.false)[~np.eye(k, dtype=bool)]
            return coefs, np.repeat(weights / (k - 1), k - 1)
        (missed, rows), (false, columns) = _alike(self.missed), _alike(self.false)
        mass, many = np.bincount(rows, weights), np.bincount(columns)
        diagonal = np.bincount(rows * many.size + columns, weights, mass.size * many.size)
        shapes = (np.multiply.outer(mass, many).ravel() - diagonal) / (k - 1)
        kept = shapes > 0
        return np.add.outer(missed, false).ravel()[kept], shapes[kept]

    def along(self, tables: Tables) -> Array:
        """The linear part at drawn tables."""
        tp = tables.tp[0]
        return np.asarray(self.right @ tp + self.missed @ (tables.row - tp) + self.false @ (tables.col[0] - tp))


def _alike(x: Array) -> tuple[Array, Integers]:
    """The means of values that are nearly the same, and which of them each value belongs to."""
    step = max(float(np.ptp(x)), 1e-300) / _BINS
    _, place = np.unique(((x - x.min()) / step).astype(np.int64), return_inverse=True)
    return np.bincount(place, x) / np.bincount(place), place


@dataclass(frozen=True, eq=False)
class Tilt:
    """Weights exp(θ·L) on draws; `leaning` is what they put on the shared share of right answers."""

    slopes: ClassSlopes
    theta: float
    leaning: float

    def factor(self, coefs: Array) -> Array:
        """Of Gammas with these coefficients."""
        found = np.asarray(self.theta * coefs)
        np.subtract(1.0, found, out=found)
        return np.divide(1.0, found, out=found)


# -- classes
#
# Draws of many-class tables: for every class its true items, its right answers and its answers, by system.
#
# Statement: a flat Dirichlet is normalised independent Gammas. Occupied patterns (truth, answer of each system) carry
# the Gammas of their counts; the prior's weight of a truth row is one more Gamma, dealt to patterns of that row by
# stick-breaking from the prior itself (Sethuraman 1994), so patterns that did not occur need no enumeration and the
# cost follows the occupied ones. Where the table is small, the prior is simply added to the shapes of all its cells.
# A pooled prior draws its share of right answers, p, anew with each table, from a Beta around the mean accuracy of
# the classes; systems on the same items draw theirs together. Two-level model (Zhang, Wang & Zhao 2015): truth rows
# and class shares are Dirichlets of their own. Measures are quotients: nothing is normalised here but in the
# two-level model. A single system deals the prior's wrong answers as the jumps of one Gamma process, which fall on
# any wrong cell. A tilted plan draws with weights exp(θ·L), L the linear part of a measure (control.py), and tells L
# of each draw.
# Domain: shapes above 0; rows of equal prior weight. Sticks leave 1e-3 of a row's prior mass, whose weight is about one
# item, to their last atom; jumps below 1e-3 of an item are spread evenly.

_CHUNK = 250_000  # numbers drawn at a time
_LEAST = 64  # tables drawn at a time, at least
_POOL = 512  # shares of right answers, at least, from which a tilted plan chooses
_FLOOR = 1e-290  # a row without data keeps a trace of mass, so that its own shares stay defined
_WORKERS = 2
_LOOKED_UP = ("cost", "_groups", "_seen", "_right", "_missed", "_false", "_lost")


@dataclass(frozen=True)
class Scales:
    """What a unit of each pattern weighs, and of each truth row: of its prior, and of its class share."""

    patterns: Array
    rows: Array


@dataclass(frozen=True)
class Classes:
    """What is drawn: patterns with their shapes, and the prior's weight of each truth row, still to be dealt."""

    codes: Integers  # (patterns, 1 + systems); -1 is an answer that is missing, and wrong for every class
    shapes: Array
    k: int
    rows: Array | None = None  # prior weight of each truth row
    right: Array | None = None  # its share that is right; with a pool, drawn
    pool: PooledAccuracy | None = None
    lost: bool = True  # whether a missing answer is a false answer of every class
    shares: Array | None = None  # two-level: shapes of the class shares; the patterns are then all k² cells
    scales: Scales | None = None  # where items have weights that differ
    tilt: Tilt | None = None

    @property
    def systems(self) -> int:
        return int(self.codes.shape[1] - 1)

    @cached_property
    def cost(self) -> int:
        """Random numbers a draw."""
        dealt = 0
        if self.rows is not None and self.systems == 1:
            dealt = int(2 * self.k + 2 * JUMPS * 0.5 * float(self.rows.sum()))
        elif self.rows is not None:
            dealt = self.k * stick_count(float(self.rows.max())) * (1 + self.systems)
        return int(self.shapes.size + dealt + 1)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, stream(seed, replace(self, lost=True)), self._some)  # lost or not, the same draws

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        if self.shares is not None:
            return self._two_level(rng, self._gammas(m, rng))
        if self.pool is not None and self.rows is None:
            tables = self.summed(self._pooled(rng, m))
        else:
            tables = self.summed(self._lifted(self._gammas(m, rng)))
            if self.rows is not None:
                (self._deal_one if self.systems == 1 else self._deal)(rng, m, tables.row, tables.tp, tables.col)
        return tables if self.tilt is None else replace(tables, linear=self.tilt.slopes.along(tables))

    def _lifted(self, mass: Array) -> Array:
        """The Gammas of the patterns under the tilt."""
        if self.tilt is not None and self.tilt.theta != 0.0:
            mass *= self.tilt.factor(self.tilt.slopes.of(self.codes, self.lost))[:, None]
        return mass

    def _share(self, rng: np.random.Generator, m: int) -> Array:
        """Draws of the shared share of right answers; under a tilt the same law resampled by its weights."""
        assert self.pool is not None  # noqa: S101 - narrows the type
        if self.tilt is None or self.tilt.leaning == 0.0:
            return self.pool.draw(rng, m)
        p = self.pool.draw(rng, max(_POOL, 4 * m))[0]
        weight = np.cumsum(np.exp(self.tilt.leaning * (p - (p.max() if self.tilt.leaning > 0 else p.min()))))
        return np.asarray(p[np.searchsorted(weight, weight[-1] * rng.random(m))][None])

    def summed(self, mass: Array) -> Tables:
        """Sums by class of the mass of the patterns."""
        tp = [added(mass, where) for where in self._right]
        col = [x + added(mass, where) for x, where in zip(tp, self._false, strict=True)]
        row = tp[0] + added(mass, self._missed)
        for s, where in enumerate(self._lost):
            if where.rows.size and self.lost:
                lost = added(mass, where)
                col[s] = col[s] + lost.sum(axis=0) - lost
        return Tables(row, tp, col)

    def _pooled(self, rng: np.random.Generator, m: int) -> Array:
        """A small table of one system, all cells drawn with the prior that each draw of p gives them."""
        p = self._share(rng, m)[0]
        weights = {True: p, False: (1.0 - p) / (self.k - 1)}
        right = self.codes[:, 0] == self.codes[:, 1]
        out = np.empty((self.shapes.size, m))
        for i, (count, good) in enumerate(zip(self.shapes.tolist(), right.tolist(), strict=True)):
            shape = count + weights[good]
            out[i] = rng.standard_gamma(shape) if count >= 1 else gamma_each(shape, rng)
        return self._lifted(out)

    def _two_level(self, rng: np.random.Generator, mass: Array) -> Tables:
        """Each truth row normalised, times its class share."""
        assert self.shares is not None  # noqa: S101 - narrows the type
        share = gammas(self.shares, mass.shape[1], rng)
        linear = None
        if self.tilt is not None:
            inner, outer = self._two_level_coefs(self.tilt.slopes)
            mass *= self.tilt.factor(inner)[:, None]
            share *= self.tilt.factor(outer)[:, None]
            linear = inner @ mass + outer @ share
        cells = mass.reshape(self.k, self.k, -1)
        share = share if self.scales is None else share * self.scales.rows[:, None]
        part = share / np.maximum(cells.sum(axis=1), _FLOOR)
        diagonal = np.arange(self.k)
        col = np.einsum("jkm,jm->km", cells, part)
        return Tables(share, [cells[diagonal, diagonal] * part], [col], linear=linear)

    def _deal_one(self, rng: np.random.Generator, m: int, row: Array, tp: list[Array], col: list[Array]) -> None:
        """The prior's mass of one system: its right answers are a Gamma of their own, and the wrong ones are dealt."""
        assert self.rows is not None  # noqa: S101 - narrows the type
        k, rows = self.k, self.rows[:, None]
        share = self._share(rng, m) if self.pool is not None else np.asarray(self.right)[:, None]
        right = np.zeros((k, 1))
        if self._pooled_right:  # with the right answers that were seen, in one Gamma
            right = rng.standard_gamma(self._seen[:, None] + rows * share)
            none = self._seen < 1
            if none.any():
                right[none] = gamma_each(self._seen[none, None] + rows[none] * share, rng)
            np.maximum(right, 0.1 * _FLOOR, out=right)
        elif share.any():
            right = np.maximum(gamma_each(np.broadcast_to(rows * share, (k, m)), rng), 0.1 * _FLOOR)
        weight = np.broadcast_to((rows * (1.0 - share)).sum(axis=0), (m,))
        draw, mass = jumps(rng, weight)
        truth = rng.integers(0, k, draw.size)
        answer = rng.integers(0, k - 1, draw.size)
        answer += answer >= truth
        if self.scales is not None:
            right *= self.scales.rows[:, None]
            mass *= self.scales.rows[truth]
        if self.tilt is not None and self.tilt.theta != 0.0:
            slopes = self.tilt.slopes
            right *= self.tilt.factor(slopes.right)[:, None]
            both = slopes.missed.take(truth)
            both += slopes.false.take(answer)
            mass *= self.tilt.factor(both)
        rest = weight * (SMALL_JUMPS / k)
        units = np.ones(k) if self.scales is None else self.scales.rows
        for x, of, more in ((row, truth, units[:, None] * rest), (col[0], answer, units.mean() * rest)):
            dealt = np.asarray(np.bincount(of * m + draw, mass, k * m), dtype=float).reshape(k, m)
            x += right
            x += np.add(dealt, more, out=dealt)
        tp[0] += right

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
        for s in range(self.systems):
            good = rng.random(parts.shape, dtype=np.float32) < share[s]
            right = np.einsum("kjm,kjm->km", parts, good)
            tp[s] += right
            wrong = np.flatnonzero(~good)  # the few that need another class
            other = (rng.random(parts.size, dtype=np.float32)[wrong] * (k - 1)).astype(np.int64)
            np.minimum(other, k - 2, out=other)
            other += other >= wrong // parts[0].size
            col[s] += right + np.bincount(other * m + wrong % m, parts.ravel()[wrong], k * m).reshape(k, m)

    # -- the linear part of a measure

    def expected(self) -> Tables:
        """The mean table."""
        if self.shares is not None:
            cells = self.shapes.reshape(self.k, self.k)
            cells = cells / cells.sum(axis=1, keepdims=True) * self.shares[:, None]
            return Tables(self.shares[:, None], [np.diag(cells)[:, None]], [cells.sum(axis=0)[:, None]])
        tables = self.summed(self.shapes[:, None].copy())
        for weights, share, right in zip(self._prior(), self._means, (True, False), strict=False):
            mass = share * weights[:, None]
            if right:
                for x in (tables.row, tables.tp[0], tables.col[0]):
                    x += mass
            else:
                tables.row[:] += mass
                tables.col[0][:] += mass.sum() / self.k
        return tables

    @property
    def _means(self) -> tuple[float, float]:
        """The mean shares of right and wrong answers, where they are drawn."""
        p = 1.0 if self.pool is None else float(self.pool.centre()[0])
        return p, 1.0 if self.pool is None else 1.0 - p

    def _prior(self) -> list[Array]:
        """The prior's weights of the right and of the wrong cells of each class, where the shapes do not hold them."""
        if self.rows is None and self.pool is None:
            return []
        rows = np.ones(self.k) if self.rows is None else self.rows
        if self.pool is not None:
            return [rows, rows]
        right = np.asarray(self.right)
        return [rows * right, rows * (1.0 - right)]

    def linear(self, slopes: ClassSlopes) -> GammaSum:
        """The linear part of a measure, as a sum of Gammas."""
        if self.shares is not None:
            both = self._two_level_coefs(slopes)
            return GammaSum(Weighted(np.concatenate(both), np.concatenate([self.shapes, self.shares])))
        fixed, weights = Weighted(slopes.of(self.codes, self.lost), self.shapes), self._prior()
        prior = [Weighted(slopes.right, weights[0]), Weighted(*slopes.wrong_cells(weights[1]))] if weights else []
        if self.pool is not None:
            p = float(self.pool.centre()[0])
            return GammaSum(fixed, (self.pool.size * p, self.pool.size * (1.0 - p)), *prior)
        every = [fixed, *prior]
        return GammaSum(Weighted(*(np.concatenate(x) for x in zip(*((w.coefs, w.shapes) for w in every), strict=True))))

    def _two_level_coefs(self, slopes: ClassSlopes) -> tuple[Array, Array]:
        """Of the Gammas of the rows, and of the class shares."""
        assert self.shares is not None  # noqa: S101 - narrows the type
        cells = self.shapes.reshape(self.k, self.k)
        total = cells.sum(axis=1)
        at = slopes.of(self.codes, self.lost).reshape(self.k, self.k)
        outer = (cells * at).sum(axis=1) / total
        return ((self.shares / total)[:, None] * (at - outer[:, None])).ravel(), outer

    def tilted(self, slopes: ClassSlopes, linear: GammaSum, sigmas: float) -> Classes:
        """The plan with draws moved by about so many standard deviations of the linear part."""
        theta = linear.tilt(sigmas)
        made = replace(self, tilt=Tilt(slopes, theta, linear.leaning(theta)))
        made.__dict__.update({name: getattr(self, name) for name in _LOOKED_UP})
        return made

    # -- what is looked up

    def _gammas(self, m: int, rng: np.random.Generator) -> Array:
        mass = gammas_by_shape(self._groups, self.shapes.size, m, rng)
        return mass if self.scales is None else mass * self.scales.patterns[:, None]

    @cached_property
    def _groups(self) -> list[tuple[float, Integers]]:
        return rows_by_shape(np.where(self._is_right, 0.0, self.shapes) if self._pooled_right else self.shapes)

    @property
    def _pooled_right(self) -> bool:
        """Whether right answers that were seen are drawn with those of the prior."""
        return self.pool is not None and self.rows is not None and self.systems == 1 and self.scales is None

    @property
    def _is_right(self) -> Mask:
        return np.asarray(self.codes[:, 0] == self.codes[:, 1])

    @cached_property
    def _seen(self) -> Array:
        """Right answers of each class."""
        right = self._is_right
        return np.asarray(np.bincount(self.codes[right, 0], self.shapes[right], self.k), dtype=float)

    @cached_property
    def _right(self) -> list[ByClass]:
        """Right answers of each system."""
        return [self._where(answer == self.codes[:, 0], 0) for answer in self.codes.T[1:]]

    @cached_property
    def _missed(self) -> ByClass:
        """Items that the first system got wrong, by their truth."""
        return self._where(self.codes[:, 1] != self.codes[:, 0], 0)

    @cached_property
    def _false(self) -> list[ByClass]:
        """Wrong answers of each system, by the answer."""
        answers = self.codes.T[1:]
        return [self._where((x != self.codes[:, 0]) & (x >= 0), 1 + s) for s, x in enumerate(answers)]

    @cached_property
    def _lost(self) -> list[ByClass]:
        """Missing answers of each system, by their truth."""
        return [self._where(answer < 0, 0) for answer in self.codes.T[1:]]

    def _where(self, kept: Mask, column: int) -> ByClass:
        at = np.flatnonzero(kept)
        return ByClass.of(self.codes[at, column], self.k, at)


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
        ahead = deque(pool.submit(one, i) for i in range(_WORKERS))
        for i in range(_WORKERS, len(starts) + _WORKERS):
            done = ahead.popleft().result()
            if i < len(starts):  # the next part is drawn while this one is used
                ahead.append(pool.submit(one, i))
            yield done


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
    return all_measured(classes, n, seed, [measure], tick)[0]


def all_measured(
    classes: Drawable,
    n: int,
    seed: int,
    measures: Sequence[Callable[[dict[str, Array]], Array]],
    tick: Callable[[int], None],
) -> list[Array]:
    """n draws of several measures of the same tables, (n, systems) each."""
    out = [np.empty((n, classes.systems)) for _ in measures]
    done = 0
    for tables in classes.draws(n, seed):
        m = tables.row.shape[1]
        for s in range(classes.systems):
            cells = tables.cells(s)
            for values, measure in zip(out, measures, strict=True):
                values[done : done + m, s] = measure(cells)
        done += m
        tick(m)
    return out


# -- multilabel
#
# Draws for items with any number of labels: whole items are resampled, so that labels of one item stay together.
#
# Statement: items carry Gammas of their counts (the Bayesian bootstrap, Rubin 1981); a label's true items, right
# answers and answers are sums over the items that have it. Every label has a little prior mass of its own: a Gamma of
# weight `rows` on its true items, of which the share p is right, and as much as is wrong there on false answers. With
# `independent` each label has a Dirichlet of its own instead (Zhang, Wang & Zhao 2015, section 4).

Pairs = tuple[Integers, Integers]  # pattern and label of each membership


@dataclass(frozen=True)
class AnyOf:
    """Patterns with their shapes; memberships of truths, of each system's answers, and of those that are right."""

    shapes: Array
    k: int
    truth: Pairs
    answers: tuple[Pairs, ...]
    both: tuple[Pairs, ...]
    rows: float  # the prior's weight on the true items of a label
    pool: PooledAccuracy | None = None  # the shared share of right ones; one half without it

    @property
    def systems(self) -> int:
        return len(self.answers)

    @property
    def cost(self) -> int:
        """Numbers handled a draw."""
        members = self.truth[0].size + sum(x[0].size for x in (*self.answers, *self.both))
        return int(self.shapes.size + members + 4 * self.k * self.systems)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, stream(seed, self), self._some)

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        mass = gammas(self.shapes, m, rng)
        row, tp, col = (self._sums(mass, part) for part in self._sorted)
        p = self.pool.draw(rng, m) if self.pool is not None else np.full((self.systems, m), 0.5)
        own = gamma_each(np.full((self.k, m), self.rows), rng)
        for s in range(self.systems):
            right, wrong = (self._own(x, rng) for x in (p[s], 1 - p[s]))
            with np.errstate(invalid="ignore", divide="ignore"):
                share = right / (right + wrong)
            good = own * np.where(np.isnan(share), p[s], share)
            tp[s] += good
            col[s] += good + self._own(1 - p[s], rng)
        row[0] += own
        return Tables(row[0], tp, col, total=mass.sum(axis=0) + own.sum(axis=0))

    def _own(self, share: Array, rng: np.random.Generator) -> Array:
        """The prior's mass of a share of every label's weight, (labels, m)."""
        return gamma_each(np.broadcast_to(np.maximum(self.rows * share, 1e-9), (self.k, share.size)), rng)

    def _sums(self, mass: Array, parts: list[ByClass]) -> list[Array]:
        return [added(mass, where) for where in parts]

    @cached_property
    def _sorted(self) -> tuple[list[ByClass], ...]:
        parts = ((self.truth,), self.both, self.answers)
        return tuple([ByClass.of(labels, self.k, patterns) for patterns, labels in part] for part in parts)


@dataclass(frozen=True)
class EachLabel:
    """Every label with a 2x2 table of its own: shapes of tp, fp, fn and tn, (4, labels)."""

    shapes: Array

    @property
    def systems(self) -> int:
        return 1

    @property
    def cost(self) -> int:
        """Numbers drawn a draw."""
        return int(self.shapes.size)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, stream(seed, self), self._some)

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        cells = gammas(self.shapes.ravel(), m, rng).reshape(4, -1, m)
        cells /= cells.sum(axis=0)
        tp, fp, fn, _ = cells
        return Tables(tp + fn, [tp], [tp + fp], total=np.ones(m))
