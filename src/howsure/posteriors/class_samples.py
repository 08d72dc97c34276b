"""Tables of many classes, drawn: which draws a measure of all classes needs under a prior, and how they are moved.

Prior `even`, for measures in which classes count alike however rare they are (macro averages, balanced accuracy,
informedness, markedness): weight 1 a class, of which the share p is on its right answer and the rest on its wrong
ones, and p is drawn with each table from a Beta around the classes' mean accuracy, of size K/3; the draws are then
moved by the difference between the measure of the mean table and their mean (docs/why/005, docs: coverage).
All other measures and priors: the weights of the prior as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import CELLS, Expression
from howsure.catalogue.metric import Metric
from howsure.distributions.classes import Classes, Drawable, PooledAccuracy, Scales, measured
from howsure.distributions.sampling import stream
from howsure.distributions.weights import added_at, gamma_of
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.posteriors.priors import Prior
from howsure.posteriors.sampling import MOST_DRAWS, MOST_NUMBERS
from howsure.posteriors.state import State
from howsure.posteriors.weighing import of_patterns, scales_of_rows

Cells = dict[str, Array]
Measured = Callable[[Cells], Array]

SMALL: Final = 1024  # cells up to which a table is drawn whole
TINY: Final = 6  # classes up to which the same holds for the pooled prior
MOST_WEIGHT: Final = 30.0  # of a truth row, that sticks can still deal
MOST_CLASS_NUMBERS: Final = 60_000_000  # drawn for a measure of many classes
MOST_CLASS_DRAWS: Final = 400_000
MANY_TABLES: Final = 100  # beyond which each has fewer draws, at least


@dataclass(frozen=True)
class Bounded:
    """The measure of drawn cells (classes first), within its range."""

    formula: Expression
    low: float
    high: float

    def __call__(self, cells: Cells) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            value = np.asarray(self.formula(**cells))
        return np.clip(np.where(np.isnan(value), 0.0, value), self.low, self.high)


@dataclass(frozen=True)
class OfClass:
    """The measure of one class among the drawn ones."""

    formula: Expression
    place: int

    def __call__(self, cells: Cells) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            return np.asarray(self.formula(**{c: np.maximum(x[self.place], 1e-300) for c, x in cells.items()}))


class Drawing(Protocol):
    """What is drawn for a measure of all classes of some kind of evidence."""

    @property
    def pooled(self) -> bool:
        """Whether its prior is the pooled one."""

    def plan(self, j: int = 0) -> Drawable:
        """What is drawn for one table of the batch."""

    def pools(self) -> list[PooledAccuracy]:
        """The shared shares of right answers, one for each table of the batch."""

    def units(self) -> Array | None:
        """What an item of the prior weighs in each class, where that differs."""


@dataclass(frozen=True, eq=False)
class ClassDrawing:
    """Draws of a tally of classes; `lost` makes a missing answer a false one of every class."""

    tally: Tally
    prior: Prior
    alike: bool  # whether classes count alike in the measure
    lost: bool = True

    @property
    def pooled(self) -> bool:
        """Measures in which classes count alike, under even."""
        return self.alike and self.prior.name == "even"

    def plan(self, j: int = 0) -> Drawable:
        """Patterns with their shapes, and the prior's weight still to be dealt."""
        made = self._plan(j)
        return made if self.lost else replace(made, lost=False)

    def pools(self) -> list[PooledAccuracy]:
        """Of each table."""
        found = [self._occupied(j) for j in range(self.tally.tables)]
        return [pool_of(codes, shapes, len(self.tally.labels), scales) for codes, shapes, scales in found]

    def units(self) -> Array | None:
        """What an item of the prior weighs in each truth row of each table, (classes, *batch); None if all alike."""
        t, k = self.tally, len(self.tally.labels)
        if not t.weighted:
            return None
        found = [self._occupied(j) for j in range(t.tables)]
        if all(scales is None for _, _, scales in found):
            return None
        each = [
            np.ones(k) if scales is None else scales_of_rows(shapes, scales, codes[:, 0], k)
            for codes, shapes, scales in found
        ]
        return np.stack(each, axis=-1)

    def _occupied(self, j: int) -> tuple[Any, Array, Array | None]:
        """Patterns, effective sizes and scales of one table of the batch; none of an empty one."""
        t = self.tally
        row = t.counts.reshape(t.tables, -1)[j]
        kept = row > 0
        squares = None if t.squares is None else t.squares.reshape(t.tables, -1)[j][kept]
        return t.cells[kept].astype(np.int64), *of_patterns(row[kept], squares)

    def _plan(self, j: int) -> Classes:
        prior, k = self.prior, len(self.tally.labels)
        codes, shapes, scales = self._occupied(j)
        single = len(self.tally.systems) == 1
        if self.pooled:
            pool = pool_of(codes, shapes, k, scales)
            if single and k <= TINY and (codes >= 0).all() and scales is None:
                table = np.bincount(codes[:, 0] * k + codes[:, 1], shapes, k * k).astype(float)
                return Classes(_square(k), table, k, pool=pool)
            return Classes(codes, shapes, k, rows=np.ones(k), pool=pool, scales=_by_scale(codes, shapes, scales, k))
        if prior.two_level and not single:
            raise BadSetting(
                "systems on the same items need a flat prior such as even; a two-level prior has no joint form."
            )
        whole = prior.two_level or prior.table is not None or prior.weight is not None
        if single and (whole or k * k <= SMALL):
            return _dense(codes, shapes, k, prior, scales)
        if prior.table is not None or (prior.weight is not None and k * prior.weight > MOST_WEIGHT):
            got = "a table of weights" if prior.table is not None else f"{prior.weight:g} a cell"
            raise BadSetting(
                f"systems on the same items and {k} classes need the prior even or a small weight; got {got}."
            )
        diagonal, off = prior.diagonal(k)
        if single and scales is None:  # right answers are few: their weight is added to the shapes
            right = np.arange(k)
            wrong = codes[:, 0] != codes[:, 1]
            sums = np.bincount(codes[~wrong, 0], shapes[~wrong], k) + diagonal
            both = np.concatenate([np.stack([right, right], axis=1), codes[wrong]])
            rows = np.full(k, (k - 1) * off)
            return Classes(both, np.concatenate([sums, shapes[wrong]]), k, rows=rows, right=np.zeros(k))
        rows = np.full(k, diagonal + (k - 1) * off)
        return Classes(codes, shapes, k, rows=rows, right=diagonal / rows, scales=_by_scale(codes, shapes, scales, k))


def whole_table(t: Tally, prior: Prior, pooled: bool, j: int, size: int, seed: int) -> tuple[Any, Array]:
    """All cells of one table and draws of their shapes, (size, cells): the prior's share of right ones may be drawn."""
    k = len(t.labels)
    row = t.counts.reshape(t.tables, -1)[j]
    codes, counts = t.cells[row > 0].astype(np.int64), row[row > 0].astype(float)
    there = codes[:, 1] >= 0
    table = np.bincount(codes[there, 0] * k + codes[there, 1], counts[there], k * k)
    added = prior.cells(k).astype(float).ravel()[None]
    if pooled:
        rng = np.random.Generator(np.random.SFC64([stream(seed, codes, counts), 90_013]))
        p = pool_of(codes, counts, k).draw(rng, size).T
        added = np.where(np.eye(k, dtype=bool).ravel(), p, (1.0 - p) / (k - 1))
    lost = np.tile(counts[~there], (size, 1))
    every = np.concatenate([_square(k), codes[~there]])
    return every, np.concatenate([np.broadcast_to(table + added, (size, k * k)), lost], axis=1)


def _dense(codes: Any, shapes: Array, k: int, prior: Prior, scales: Array | None = None) -> Classes:
    """All k² cells, the prior added to their shapes; missing answers stay patterns of their own."""
    added = prior.cells(k).astype(float).ravel()
    there = codes[:, 1] >= 0
    at, by = codes[there, 0] * k + codes[there, 1], np.ones(len(codes)) if scales is None else scales
    sums, squares = (added_at(at, (shapes * power)[there], k * k) for power in (by, by * by))
    units = np.ones(k) if scales is None else scales_of_rows(shapes, scales, codes[:, 0], k)
    cells, table = _square(k), sums + added
    weigh = None
    if scales is not None:
        table, own = gamma_of(sums, squares, added, np.repeat(units, k))
        weigh = Scales(np.concatenate([own, scales[~there]]), units)
    if not prior.two_level:
        return Classes(np.concatenate([cells, codes[~there]]), np.concatenate([table, shapes[~there]]), k, scales=weigh)
    if not there.all():
        raise BadSetting("a two-level prior has no place for missing answers; give missing='drop'.")
    assert prior.between is not None  # noqa: S101 - narrows the type
    shares = np.bincount(codes[:, 0], shapes * by, k) / units + prior.between
    return Classes(cells, table, k, shares=np.asarray(shares, dtype=float), scales=weigh)


def _by_scale(codes: Any, shapes: Array, scales: Array | None, k: int) -> Scales | None:
    """What units of the patterns and of the prior of each truth row weigh, where that differs."""
    return None if scales is None else Scales(scales, scales_of_rows(shapes, scales, codes[:, 0], k))


def _square(k: int) -> Any:
    return np.stack(np.meshgrid(np.arange(k), np.arange(k), indexing="ij"), axis=-1).reshape(-1, 2)


def pool_of(codes: Any, counts: Array, k: int, scales: Array | None = None) -> PooledAccuracy:
    """The shared accuracy: items weighted so that every class counts about alike, with one pseudo-item, half right."""
    if scales is not None:  # in units of the class, which has then its own effective size
        counts = counts * scales / scales_of_rows(counts, scales, codes[:, 0], k)[codes[:, 0]]
    if not counts.size:
        return PooledAccuracy(np.zeros((1, codes.shape[1] - 1), dtype=bool), np.zeros(1), 1.0, k / 3.0)
    size = np.bincount(codes[:, 0], counts, k)
    weights = counts / (size[codes[:, 0]] + 1.0)
    right, which = np.unique(codes[:, 1:] == codes[:, [0]], axis=0, return_inverse=True)
    return PooledAccuracy(right, np.asarray(np.bincount(np.ravel(which), weights), dtype=float), 1.0, k / 3.0)


def centres(evidence: Any, drawing: Drawing, measure: Measured, lost: bool = True) -> Array:
    """The measure of the mean table under the pooled prior, for every table of the batch."""
    k = len(evidence.labels)
    p = np.array([float(pool.centre()[0]) for pool in drawing.pools()])
    cells = {c: x.reshape(k, -1) for c, x in evidence.by_class(effective=True, lost=lost).items()}
    more = {"tp": p, "fp": 1 - p, "fn": 1 - p, "tn": k - 2 + p}
    units = drawing.units()
    if units is not None:  # every class has one item of the prior, of the weight that its own items have
        wrong = (1 - p) * (units.sum(axis=0) - units) / (k - 1)
        more = {"tp": p * units, "fp": wrong, "fn": (1 - p) * units, "tn": units.sum(axis=0) - units - wrong}
    return measure({c: cells[c] + more[c] for c in CELLS}).reshape(evidence.shape)


def move_to(x: Array, middle: Array, bounds: tuple[float, float]) -> Array:
    """How far draws are moved, on the logit scale of their range, so that their mean is `middle`; Newton's steps."""
    low, high = bounds
    y, want = logit(x, bounds), (middle - low) / (high - low)
    shift = np.zeros(x.shape[1:])
    for _ in range(12):
        p = 1.0 / (1.0 + np.exp(-(y + shift)))
        step = (p.mean(axis=0) - want) / np.maximum((p * (1.0 - p)).mean(axis=0), 1e-12)
        shift = shift - np.clip(step, -1.0, 1.0)
        if np.all(np.abs(step) < 1e-9):
            break
    return shift


def moved(x: Array, shift: Array | float, bounds: tuple[float, float]) -> Array:
    """Draws moved by so much on the logit scale of their range, which they never leave."""
    low, high = bounds
    return np.asarray(low + (high - low) / (1.0 + np.exp(-(logit(x, bounds) + shift))))


def logit(x: Array, bounds: tuple[float, float]) -> Array:
    """The log odds of a place in the range."""
    low, high = bounds
    p = np.clip((x - low) / (high - low), 1e-15, 1.0 - 1e-15)
    return np.asarray(np.log(p) - np.log1p(-p))


@dataclass(frozen=True, eq=False)
class ClassSampler:
    """Draws of a measure of all classes, moved by the shift."""

    drawing: Drawing
    shape: tuple[int, ...]
    measure: Measured
    bounds: tuple[float, float]
    shift: Array | None = None  # on the logit scale of the range
    apart: bool = False  # whether equal tables of a batch have independent draws

    @property
    def tables(self) -> int:
        """The number of tables of the batch."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def cost(self) -> int:
        """Random numbers a draw of all tables."""
        return self.drawing.plan().cost * self.tables

    @property
    def most(self) -> int:
        """Draws at most."""
        most = min(max(10_000, min(MOST_DRAWS, MOST_NUMBERS // max(1, self.tables))), MOST_CLASS_DRAWS)
        least = 10_000 if self.tables <= MANY_TABLES else 1_000
        return max(min(most, least), min(most, MOST_CLASS_NUMBERS // self.cost))

    def __call__(self, n: int, seed: int) -> Array:
        drawn: dict[tuple[int, int], Array] = {}  # equal tables are drawn once
        columns = []
        for j in range(self.tables):
            plan = self.drawing.plan(j)
            key = stream(0, plan), 0
            while self.apart and key in drawn:
                key = key[0], key[1] + 1
            if key not in drawn:
                drawn[key] = measured(plan, n, seed + 1_000_003 * key[1], self.measure, silent)[:, 0]
            columns.append(drawn[key])
        values = np.stack(columns, axis=-1).reshape(n, *self.shape)
        return values if self.shift is None else moved(values, self.shift, self.bounds)


def class_sampler(state: State, metric: Metric, formula: Expression) -> tuple[ClassSampler, Array | None]:
    """The draws of a measure of all classes and, under the pooled prior, where their mean is to be."""
    t, lost = state.evidence, bool(metric.average)
    drawing = ClassDrawing(t, state.prior, metric.classes_count_alike, lost)
    return sampler_of(t, drawing, metric, formula, lost)


def sampler_of(
    evidence: Any, drawing: Drawing, metric: Metric, formula: Expression, lost: bool
) -> tuple[ClassSampler, Array | None]:
    """The same of any evidence with classes; draws of a ratio, whose mean may not exist, are not moved."""
    measure = Bounded(formula, *metric.bounds)
    shifted = drawing.pooled and bool(np.isfinite(metric.bounds).all())
    middle = centres(evidence, drawing, measure, lost) if shifted else None
    return ClassSampler(drawing, evidence.shape, measure, metric.bounds), middle


def silent(done: int) -> None:
    """No progress is shown."""
    del done
