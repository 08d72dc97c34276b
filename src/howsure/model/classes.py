"""Many classes at once: which draws a measure of all classes needs under a prior, and what is said of them.

Prior `even`, for measures in which classes count alike however rare they are (macro averages, balanced accuracy,
informedness, markedness): weight 1 a class, of which the share p is on its right answer and the rest on its wrong
ones, and p is drawn with each table from a Beta around the classes' mean accuracy, of size K/3; the draws are then
moved by the difference between the measure of the mean table and their mean (docs/why/005, docs/coverage.md).
All other measures and priors: the weights of the prior as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.expressions import CELLS, Expression
from howsure.kernels.classes import Classes, Drawable, PooledAccuracy, measured
from howsure.model import anyof
from howsure.priors import Prior
from howsure.table import Tally

Array = NDArray[np.float64]
Cells = dict[str, Array]
Measure = Callable[[Cells], Array]

SMALL = 1024  # cells up to which a table is drawn whole
TINY = 6  # classes up to which the same holds for the pooled prior
LEAST_DOUBTED = 5  # classes from which intervals of averages can fall short
MOST_WEIGHT = 30.0  # of a truth row, that sticks can still deal


def formula(e: Expression, low: float, high: float) -> Measure:
    """The measure of drawn cells (classes first), within its range."""

    def measure(cells: Cells) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            value = np.asarray(e(**cells))
        return np.clip(np.where(np.isnan(value), 0.0, value), low, high)

    return measure


def of_class(e: Expression, place: int) -> Measure:
    """The measure of one class among the drawn ones."""

    def measure(cells: Cells) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            return np.asarray(e(**{c: np.maximum(x[place], 1e-300) for c, x in cells.items()}))

    return measure


def pooled(t: Tally, prior: Prior, equal: bool) -> bool:
    """Whether the prior of a measure is the pooled one."""
    return equal and prior.name == "even" and not t.independent


def plan(t: Tally, prior: Prior, equal: bool, j: int = 0, lost: bool = True) -> Drawable:
    """What is drawn for one table of the batch; `lost` makes a missing answer a false one of every class."""
    if t.sets is not None:
        return anyof.plan(t, prior, equal)
    made = _plan(t, prior, equal, j)
    return made if lost else replace(made, lost=False)


def _plan(t: Tally, prior: Prior, equal: bool, j: int) -> Classes:
    k = len(t.labels)
    codes, shapes = _occupied(t, j)
    single = len(t.systems) == 1
    if pooled(t, prior, equal):
        pool = pool_of(codes, shapes, k)
        if single and k <= TINY and (codes >= 0).all():
            return Classes(
                _square(k), np.bincount(codes[:, 0] * k + codes[:, 1], shapes, k * k).astype(float), k, pool=pool
            )
        return Classes(codes, shapes, k, rows=np.ones(k), pool=pool)
    if prior.two_level and not single:
        raise BadSetting(
            "systems on the same items need a flat prior such as even; a two-level prior has no joint form."
        )
    whole = prior.two_level or prior.table is not None or prior.weight is not None
    if single and (whole or k * k <= max(SMALL, 4 * shapes.size)):
        return _dense(codes, shapes, k, prior)
    if prior.table is not None or (prior.weight is not None and k * prior.weight > MOST_WEIGHT):
        got = "a table of weights" if prior.table is not None else f"{prior.weight:g} a cell"
        raise BadSetting(f"systems on the same items and {k} classes need the prior even or a small weight; got {got}.")
    diagonal, off = prior.diagonal(k)
    rows = np.full(k, diagonal + (k - 1) * off)
    return Classes(codes, shapes, k, rows=rows, right=diagonal / rows)


def _occupied(t: Tally, j: int) -> tuple[Any, Array]:
    """Patterns and counts of one table of the batch; none of an empty one."""
    counts = t.effective_of(j)
    kept = counts > 0
    return t.cells[kept].astype(np.int64), counts[kept].astype(float)


def _dense(codes: Any, shapes: Array, k: int, prior: Prior) -> Classes:
    """All k² cells, the prior added to their shapes; missing answers stay patterns of their own."""
    table = prior.cells(k).astype(float).copy()
    there = codes[:, 1] >= 0
    table[codes[there, 0], codes[there, 1]] += shapes[there]
    cells = _square(k)
    if not prior.two_level:
        return Classes(np.concatenate([cells, codes[~there]]), np.concatenate([table.ravel(), shapes[~there]]), k)
    if not there.all():
        raise BadSetting("a two-level prior has no place for missing answers; give missing='drop'.")
    assert prior.between is not None  # noqa: S101 - narrows the type
    shares = np.bincount(codes[:, 0], shapes, k) + prior.between
    return Classes(cells, table.ravel(), k, shares=np.asarray(shares, dtype=float))


def _square(k: int) -> Any:
    return np.stack(np.meshgrid(np.arange(k), np.arange(k), indexing="ij"), axis=-1).reshape(-1, 2)


def pool_of(codes: Any, counts: Array, k: int) -> PooledAccuracy:
    """The shared accuracy: items weighted so that every class counts about alike, with one pseudo-item, half right."""
    if not counts.size:
        return PooledAccuracy(np.zeros((1, codes.shape[1] - 1), dtype=bool), np.zeros(1), 1.0, k / 3.0)
    size = np.bincount(codes[:, 0], counts, k)
    weights = counts / (size[codes[:, 0]] + 1.0)
    right, which = np.unique(codes[:, 1:] == codes[:, [0]], axis=0, return_inverse=True)
    return PooledAccuracy(right, np.asarray(np.bincount(np.ravel(which), weights), dtype=float), 1.0, k / 3.0)


def centres(t: Tally, measure: Measure, lost: bool = True) -> Array:
    """The measure of the mean table under the pooled prior, for every table of the batch."""
    k, tables = len(t.labels), range(int(np.prod(t.shape, dtype=int)))
    pools = [anyof.pool_of(t)] if t.sets is not None else [pool_of(*_occupied(t, j), k) for j in tables]
    p = np.array([float(pool.centre()[0]) for pool in pools])
    cells = {c: x.reshape(k, -1) for c, x in t.by_class(effective=True, lost=lost).items()}
    more = {"tp": p, "fp": 1 - p, "fn": 1 - p, "tn": k - 2 + p}
    return measure({c: cells[c] + more[c] for c in CELLS}).reshape(t.shape)


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
    """Draws of a measure of all classes (or of one class in a two-level model), moved by the shift."""

    tally: Tally
    prior: Prior
    measure: Measure
    equal: bool
    bounds: tuple[float, float]
    shift: Array | None = None  # on the logit scale of the range
    lost: bool = True  # whether a missing answer is a false answer of every class

    @property
    def cost(self) -> int:
        """Random numbers a draw of all tables."""
        tables = int(np.prod(self.tally.shape, dtype=int))
        return plan(self.tally, self.prior, self.equal).cost * tables

    def __call__(self, n: int, seed: int) -> Array:
        t = self.tally
        tables = range(int(np.prod(t.shape, dtype=int)))
        columns = [self._table(j, n, seed)[:, 0] for j in tables]
        values = np.stack(columns, axis=-1).reshape(n, *t.shape)
        return values if self.shift is None else moved(values, self.shift, self.bounds)

    def _table(self, j: int, n: int, seed: int) -> Array:
        drawn = plan(self.tally, self.prior, self.equal, j, self.lost)
        return measured(drawn, n, seed + 1_000_003 * j, self.measure, silent)


def silent(done: int) -> None:
    """No progress is shown."""
    del done


def doubts(t: Tally) -> tuple[str, ...]:
    """What a table has in which intervals under the pooled prior were seen to fall short (docs/coverage.md).

    many: thirty classes or more with ten items a class or fewer. rare: half of the classes have no more true items than
    would be taken for them if wrong answers were spread evenly. never: a class is never right, although it has so many
    items that classes alike in accuracy would have a right one (999 in 1,000).
    """
    k, cells = len(t.labels), t.by_class()
    size, right = cells["tp"] + cells["fn"], cells["tp"]
    n = int(size.sum())
    if k < LEAST_DOUBTED or not n:
        return ()
    wrong = 1.0 - right.sum() / n
    found = {
        "many": k >= 30 and n <= 10 * k,
        "rare": 2 * int((size * (k - 1) <= wrong * n).sum()) >= k,
        "never": bool(((right == 0) & (wrong**size < 1e-3)).any()),
    }
    return tuple(name for name, here in found.items() if here)
