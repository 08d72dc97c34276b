"""Rules for phi and kappa on either side of 0, large enough for each table, and how far they may be off.

Statement: two sizes of a product rule (agreement_rules.py) are held against each other at three points of the law, next
to 0 and at the mean; while they differ the rule grows, and a lattice takes over where that does not help. Below 0 phi
is that of the table with its answers swapped, with the sign turned; kappa takes the split by right answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from howsure.kernels.agreement import Kind
from howsure.kernels.agreement_rules import FIBONACCI, SIZES, Cells, Moments, ProductRule, TruncatedRule, chosen

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

REACH: Final = 9.0  # standard deviations of atanh M
MORE: Final = 8.0  # by which a probability between the points of a trial may be further off
_SCORES: Final = np.array([[-1.96], [0.0], [1.96], [-3.29], [3.29]])  # where two rules are held against each other
_ENDS: Final = 3  # of these are in the body: a rule grows until it does there
_NEAR_ZERO: Final = np.array([[0.004], [0.04]])
_BENT: Final = 1e-5  # as a probability: less is stated, but the rule need not grow for it
_CLOSE: Final = 1e-8  # in standard deviations: the smaller rule will do
_ENOUGH: Final = 1e-5  # the larger rule will do
_LARGE: Final = 5  # in the row of sizes: from here on less will do,
_POOR: Final = 1e-4  # and if the largest has not this, a lattice is tried
PLAIN: Final = 5.0  # tables with such shapes, for which few nodes are wanted, take a rule two sizes up:
_EASY: Final = 2
_SHOWN: Final = 1e-6  # it was never off by more (6e-8 in 3,000 tables), in standard deviations or as a probability
_SHOWN_FAR: Final = 1e-4  # the same for quantiles from .0005 to .9995 (1e-5 in these tables)
_INNER: Final = (8, 24)  # nodes of the inner share for moments, where shapes are ordinary or small
_SMALL: Final = 3.0


@dataclass(frozen=True)
class Side:
    """Rules for values of one sign, each table with its own, and how far they may be off."""

    groups: tuple[tuple[Index, ProductRule], ...]
    moments: Moments
    off: Array  # of a quantile from .025 to .975, in standard deviations
    far: Array  # of one from .0005 to .9995
    mean_off: Array
    chance: Array  # of a probability

    @cached_property
    def _place(self) -> tuple[Index, Index]:
        """The group of each table, and its row there."""
        group, row = np.empty(self.off.size, dtype=np.intp), np.empty(self.off.size, dtype=np.intp)
        for k, (tables, _) in enumerate(self.groups):
            group[tables], row[tables] = k, np.arange(tables.size)
        return group, row

    def tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """Tail and density of atanh M, table by table."""
        if len(self.groups) == 1:
            return self.groups[0][1].tail(self._place[1][tables], h, upper)
        tail, density = np.empty(h.shape), np.empty(h.shape)
        group, row = self._place
        for k, (_, rule) in enumerate(self.groups):
            at = np.flatnonzero(group[tables] == k)
            if at.size:
                tail[at], density[at] = rule.tail(row[tables[at]], h[at], upper[at])
        return tail, density


def settled(kind: Kind, cells: Cells, right: bool = False, lattice: Mask | None = None) -> Side:
    """Rules that are large enough for each table; those for which a Gauss rule is known not to do take a lattice."""
    split, level = chosen(kind, cells, right)
    size, sign = split.size, -1.0 if right else 1.0
    made = _Settling(size)
    plain = (np.min(cells, axis=0) >= PLAIN) & (level.max(axis=1) <= _EASY) & (not right)
    plain = plain if lattice is None else plain & ~lattice
    for tables, rule in _by_size(kind, cells, split, level + 2, np.flatnonzero(plain)):
        made.trust(tables, rule)
    by_lattice = np.full(size, False) if lattice is None else lattice
    for table in np.flatnonzero(by_lattice):
        own = ProductRule(kind, _of(cells, np.array([table])), split[[table]], (0, 0))
        made.take(np.array([table]), _lattices(own, sign), np.array([True]))
    todo = np.flatnonzero(~plain & ~by_lattice)
    while todo.size:
        again = []
        for tables, rule in _by_size(kind, cells, split, level, todo, right):
            trial = _Trial(rule, _larger(rule), sign)
            last = (level[tables] >= SIZES.size - 2).all(axis=1)
            done = trial.off <= np.where(level[tables].max(axis=1) < _LARGE, _ENOUGH, _POOR)
            made.take(tables, trial, done)
            for poor in tables[last & ~done]:
                own = rule.only(np.flatnonzero(tables == poor))
                made.take(np.array([poor]), _lattices(own, sign), np.array([True]))
            again.append(tables[~done & ~last])
        todo = np.concatenate(again) if again else todo[:0]
        level[todo] = np.minimum(level[todo] + np.where(made.off[todo] > 1e-4, 2, 1)[:, None], SIZES.size - 2)
    return made.side()


class _Settling:
    """Rules found so far."""

    def __init__(self, size: int) -> None:
        self.off, self.far, self.mean_off, self.chance = (np.empty(size) for _ in range(4))
        self.moments = [np.empty(size) for _ in range(5)]
        self.groups: list[tuple[Index, ProductRule]] = []

    def take(self, tables: Index, trial: _Trial, good: Mask) -> None:
        """What the trial found of its tables, and the rule of those that are served by it."""
        self.off[tables], self.far[tables] = trial.off, trial.far
        self.mean_off[tables], self.chance[tables] = trial.mean_off, trial.chance
        for values, own in zip(self.moments, vars(trial.moments).values(), strict=True):
            values[tables] = own
        close = trial.off <= _CLOSE
        for mask, rule in ((good & close, trial.small), (good & ~close, trial.large)):
            if mask.any():
                self.groups.append((tables[mask], rule if mask.all() else rule.only(np.flatnonzero(mask))))

    def trust(self, tables: Index, rule: ProductRule) -> None:
        """Tables for which tests have shown that a rule of this size will do."""
        self.off[tables], self.far[tables] = _SHOWN, _SHOWN_FAR
        self.mean_off[tables], self.chance[tables] = _SHOWN, _SHOWN / MORE
        for values, own in zip(self.moments, vars(rule.moments(_INNER[0])).values(), strict=True):
            values[tables] = own
        self.groups.append((tables, rule))

    def side(self) -> Side:
        return Side(tuple(self.groups), Moments(*self.moments), self.off, self.far, self.mean_off, self.chance)


def _lattices(rule: ProductRule, sign: float) -> _Trial:
    few, many = (replace(rule, nodes=(n, 0)) for n in FIBONACCI)
    return _Trial(few, many, sign)


def _of(cells: Cells, tables: Index) -> Cells:
    tp, fp, fn, tn = (x[tables] for x in cells)
    return tp, fp, fn, tn


def _larger(rule: ProductRule) -> ProductRule:
    u, v = (int(SIZES[np.searchsorted(SIZES, n) + 1]) for n in rule.nodes)
    return replace(rule, nodes=(u, v))


def _by_size(
    kind: Kind, cells: Cells, split: Index, level: Index, todo: Index, right: bool = False
) -> Iterator[tuple[Index, ProductRule]]:
    """Tables that take the same numbers of nodes, with their rule."""
    family = TruncatedRule if right else ProductRule
    code = level[todo, 0] * SIZES.size + level[todo, 1]
    for one in np.unique(code):
        tables = todo[code == one]
        tp, fp, fn, tn = (x[tables] for x in cells)
        u, v = divmod(int(one), SIZES.size)
        yield tables, family(kind, (tp, fp, fn, tn), split[tables], (int(SIZES[u]), int(SIZES[v])))


class _Trial:
    """A rule held against the next larger one."""

    def __init__(self, rule: ProductRule, larger: ProductRule, sign: float) -> None:
        self.small, self.large = rule, larger
        inner = _INNER[int(min(float(x.min()) for x in rule.cells) < _SMALL)]
        before, self.moments = rule.moments(inner), self.large.moments(inner + 4)
        size = rule.split.size
        h = self._points(np.tile(np.arange(size), _SCORES.size), sign).reshape(_SCORES.size, size)
        near = np.where(np.abs(self.moments.middle) < REACH * self.moments.spread, self.moments.spread, np.nan)
        h = np.concatenate([h, sign * near * _NEAR_ZERO])  # splits by right answers, or by a class, bend at 0
        tables = np.tile(np.arange(size), len(h))
        one, two, density = self._held(tables, np.where(np.isnan(h), sign, h).ravel())
        apart = np.where(sign * h > 0, np.abs(one - two).reshape(h.shape), 0.0)  # the other side has its own rule
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ends = (apart / density.reshape(h.shape))[: _SCORES.size] / self.moments.spread
            mean = np.abs(before.mean - self.moments.mean) + np.abs(before.std - self.moments.std)
            mean = mean / self.moments.std
        ends = np.where((apart[: _SCORES.size] == 0) & ~np.isfinite(ends), 0.0, ends)
        safety = 1.0 if rule.nodes[1] else 6.0  # a lattice gains a power only, a Gauss rule gains by squares
        self.chance, ends, mean = (
            np.nan_to_num(x, nan=np.inf, posinf=np.inf) for x in (apart.max(axis=0), safety * ends, safety * mean)
        )  # MORE, which is stated of probabilities, covers a lattice too
        bent = np.where(safety * self.chance > _BENT, safety * self.chance, 0.0)
        self.off, self.far, self.mean_off = np.maximum(ends[:_ENDS].max(axis=0), bent), ends.max(axis=0), mean

    def _held(self, tables: Index, h: Array) -> tuple[Array, Array, Array]:
        """Tails by both rules, and the density."""
        upper = h > self.moments.middle[tables]
        (one, _), (two, density) = self.small.tail(tables, h, upper), self.large.tail(tables, h, upper)
        return one, two, density

    def _points(self, tables: Index, sign: float) -> Array:
        """About where the tails of _SCORES are: a guess by moments, and a step from it."""
        h = sign * np.maximum(sign * self.moments.quantile(_SCORES).ravel(), 0.0)
        upper = np.repeat(_SCORES[:, 0] > 0, tables.size // _SCORES.size)
        tail, density = self.small.tail(tables, h, upper)
        wanted = np.repeat(special.ndtr(-np.abs(_SCORES[:, 0])), tables.size // _SCORES.size)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = np.where(upper, 1.0, -1.0) * np.log(tail / wanted) * tail / np.maximum(density, 1e-300)
        spread = self.moments.spread[tables]
        h = h + np.clip(np.where(np.isfinite(step), step, 0.0), -spread, spread)
        return np.asarray(sign * np.maximum(sign * h, 0.0))


class Below:
    """Rules for values below 0, made for a table when it is first asked for."""

    def __init__(self, kind: Kind, cells: Cells, lattice: Mask | None = None) -> None:
        self.kind, self.cells, self.lattice = kind, cells, lattice
        self.sides: list[Side] = []
        self.side, self.row = np.full(cells[0].size, -1), np.zeros(cells[0].size, dtype=np.intp)

    def _make(self, tables: Index) -> None:
        new = np.unique(tables[self.side[tables] < 0])
        if new.size:
            tp, fp, fn, tn = (x[new] for x in self.cells)
            phi = self.kind == "phi"
            lattice = None if self.lattice is None else self.lattice[new]
            turned = (fp, tp, tn, fn) if phi else (tp, fp, fn, tn)
            made = settled(self.kind, turned, right=not phi, lattice=lattice)
            self.side[new], self.row[new] = len(self.sides), np.arange(new.size)
            self.sides.append(made)

    def _parts(self, tables: Index) -> Iterator[tuple[Index, Side, Index]]:
        """Where the tables of one side are, that side, and their rows in it."""
        self._make(tables)
        for k in np.unique(self.side[tables]):
            at = np.flatnonzero(self.side[tables] == k)
            yield at, self.sides[k], self.row[tables[at]]

    def tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """As for a Side."""
        tail, density = np.empty(h.shape), np.empty(h.shape)
        for at, side, rows in self._parts(tables):
            tail[at], density[at] = side.tail(rows, h[at], upper[at])
        return tail, density

    def of(self, tables: Index) -> Array:
        """How far quantiles, far ones and probabilities of some tables may be off: three rows."""
        found = np.empty((3, tables.size))
        for at, side, rows in self._parts(tables):
            found[:, at] = side.off[rows], side.far[rows], side.chance[rows]
        return found
