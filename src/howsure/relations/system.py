"""Reports as conditions on the shares of the four cells, and the exact solution of the linear ones.

A quotient of sums of cells with a given value is a linear equation, top - m·bottom = 0; with a range it is two
inequalities. A count fixes the scale; every further count is a ratio of two counts, so linear again. What is left are
curves: phi, informedness, kappa and the like. Elimination is in exact fractions; what is smaller than the rounding of
given values counts as 0, so that repeated information does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Mask
from howsure.relations.quantities import Quantity, Target, Weights, quantity
from howsure.relations.values import CLOSE, Given

_PIVOT: Final = 1e-9


_TEN_DIGITS: Final = 1e-8  # of exact values
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Constraint:
    """What must lie between two ends, `slack` beyond them at most."""

    target: Target
    low: float
    high: float
    scale: Given | None = None  # the count that tells the number of items

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def slack(self) -> float:
        size = max(abs(self.low), abs(self.high))
        return (_TEN_DIGITS if self.exact else _ROUNDING) * size + (1e-30 if self.target.linear else 1e-14)

    @property
    def extreme(self) -> bool:
        """Whether it is one number at an end of the range of a metric, which tables reach with an empty cell."""
        q = self.target.quantity
        return self.exact and self.target.per is None and any(abs(self.low - end) < 1e-12 for end in q.bounds)

    @property
    def may_need_empty_cell(self) -> bool:
        """Whether tables with an empty cell have values that those with a small one do not come close to."""
        return self.target.quantity.name == "tetrachoric"

    def misses(self, tables: Any, within: float = 0.0) -> Any:
        """How far from what is between the ends, `within` of their distance from both, with its sign; 0 there."""
        value = self.target.at(tables)
        if self.exact and not self._endless:
            return value - self.low
        inset = within * min(self.high - self.low, 1.0)
        low, high = self.low + inset, self.high - inset
        if self._endless:  # smooth on the log scale
            with np.errstate(all="ignore"):
                value, low, high = np.log(value), math.log(low), math.log(high)
        return (
            value - low
            if self.exact
            else np.where(value.real < low, value - low, np.where(value.real > high, value - high, 0.0))
        )

    @property
    def _endless(self) -> bool:
        """Whether it is a ratio without end."""
        return self.low > 0 and self.target.per is None and self.target.quantity.bounds[1] == math.inf

    def holds(self, tables: Array) -> Mask:
        """Whether tables have it; one with an empty cell may have been scored with that cell filled."""
        value = self.target.at(tables)
        low, high = self.low - self.slack, self.high + self.slack
        good = np.asarray((value >= low) & (value <= high))
        if self.may_need_empty_cell:
            empty = np.flatnonzero((tables == 0).any(axis=-1))
            least, most = filled_range(tables[empty], self.scale)
            good[empty] |= (most >= low) & (least <= high)
        return good


def filled_range(tables: Array, scale: Given | None) -> tuple[Array, Array]:
    """The tetrachoric correlations of tables with their empty cells filled, for all numbers of items they may have."""
    if scale is None:  # from half of the smaller neighbour in the empty cell to nothing
        ends = np.stack([when_filled(tables, 1.0), quantity("tetrachoric").at(tables)])
    else:
        with np.errstate(all="ignore"):
            items = 1.0 / scale.quantity.at(tables / tables.sum(axis=-1, keepdims=True))
            ends = np.stack([when_filled(tables, float(x) * items) for x in (scale.low, scale.high)])
    return ends.min(axis=0), ends.max(axis=0)


def when_filled(tables: Array, items: Array | float) -> Array:
    """The tetrachoric correlation by the rule for the empty cells of tables of so many items, that of point scores."""
    from howsure.distributions.tetrachoric import correlation, without_zeros

    counts = np.asarray(tables / tables.sum(axis=-1, keepdims=True) * np.asarray(items)[..., None])
    tp, fp, fn, tn = np.moveaxis(counts, -1, 0)
    return correlation(*without_zeros(tp, fp, fn, tn, "keep-margins"))


@dataclass(frozen=True)
class System:
    """Conditions on the shares; those on quotients of sums as rows too: row·shares = 0, or row·shares >= 0."""

    givens: tuple[Given, ...]
    scale: Given | None
    conditions: tuple[Constraint, ...]
    equations: tuple[tuple[Fraction, ...], ...]
    inequalities: tuple[tuple[Fraction, ...], ...]

    @property
    def exact(self) -> bool:
        """Whether every value is one number."""
        return all(one.exact for one in self.givens)

    @property
    def curves(self) -> tuple[Constraint, ...]:
        """The conditions that are no rows."""
        return tuple(c for c in self.conditions if c.target.linear is None)

    @cached_property
    def sides(self) -> Array:
        """Index that are not negative within: the cells, and the inequalities scaled to size 1."""
        rows = [[float(x) for x in row] for row in self.inequalities]
        scaled = [[x / max(map(abs, row)) for x in row] for row in rows if any(row)]
        return np.array([*np.eye(4).tolist(), *scaled])

    def target(self, q: Quantity) -> Target:
        """A metric of tables with as many items as are known, or a count per the one that gives the scale, else n."""
        if q.sized:
            return Target(q, quantity("n") if self.scale is None else self.scale.quantity)
        return Target(q, fewest=max([1.0, *(float(g.low) for g in self.givens if g.quantity.sized)]))

    def size(self, shares: Any) -> Any:
        """n of a table with these shares; 1 when no count is given."""
        if self.scale is None:
            return np.ones(np.shape(shares)[:-1])
        with np.errstate(all="ignore"):
            return float(self.scale.middle) / self.scale.quantity.at(shares)


def system(givens: tuple[Given, ...]) -> System:
    """The conditions that the reported values put on the shares."""
    empty = System(givens, _scale(givens), (), (), ())
    scale = empty.scale
    counts = sorted((g for g in givens if g.quantity.sized and g is not scale), key=lambda g: g.low)
    made: list[tuple[Target, Fraction, Fraction]] = []
    for one in givens:
        q, low, high = one.quantity, one.low, one.high
        if one is scale or (q.sized and scale is None and high):
            continue
        if q.name == "chi-square" and not high:  # 0 is no end that an empty cell reaches: phi crosses it
            q = quantity("phi")
        if q.sized and scale is not None:
            low, high = low / scale.high, high / scale.low
        made.append((empty.target(q), low, high))
    loose = [g for g in counts if not g.exact]  # intervals that meet in pairs have a point in common
    made += [
        (Target(a.quantity, b.quantity), a.low / b.high, a.high / b.low) for a, b in combinations(loose, 2) if b.low
    ]
    equations: list[tuple[Fraction, ...]] = []
    inequalities: list[tuple[Fraction, ...]] = []
    for target, low, high in made:
        if target.linear is not None and low == high:
            equations.append(_row(target.linear, low))
        elif target.linear is not None:
            inequalities += [_row(target.linear, low), tuple(-x for x in _row(target.linear, high))]
    held = [Constraint(target, float(low), float(high), scale) for target, low, high in made]
    held.sort(key=lambda c: (c.target.linear is None, c.may_need_empty_cell))
    return System(givens, scale, tuple(held), tuple(equations), tuple(inequalities))


def _scale(givens: tuple[Given, ...]) -> Given | None:
    """The count that all others are divided by: one number before a range, n before others, then the largest."""
    counts = [g for g in givens if g.quantity.sized and g.low > 0]
    return max(counts, key=lambda g: (g.quantity.linear is not None, g.exact, g.name == "n", g.low), default=None)


def _row(parts: tuple[Weights, Weights], value: Fraction) -> tuple[Fraction, ...]:
    return tuple(t - value * b for t, b in zip(*parts, strict=True))


# -- exact elimination


@dataclass(frozen=True)
class Flat:
    """All shares that satisfy the equations: base + any mix of the directions."""

    base: tuple[Fraction, ...]
    directions: tuple[tuple[Fraction, ...], ...]


def flat(equations: Iterable[tuple[Fraction, ...]]) -> Flat | None:
    """The solutions of the equations with shares that add to 1, or None if there are none."""
    rows = [[Fraction(1)] * 5]
    for weights in equations:
        top = max(map(abs, weights))
        if top:
            rows.append([*(x / top for x in weights), Fraction(0)])
    columns = _reduce(rows)
    if any(abs(row[4]) > CLOSE for row in rows[len(columns) :]):
        return None
    base = [Fraction(0)] * 4
    for c, row in zip(columns, rows, strict=False):
        base[c] = row[4]
    directions = []
    for free in (c for c in range(4) if c not in columns):
        step = [Fraction(int(i == free)) for i in range(4)]
        for c, row in zip(columns, rows, strict=False):
            step[c] = -row[free]
        directions.append(tuple(step))
    return Flat(tuple(base), tuple(directions))


def _reduce(rows: list[list[Fraction]]) -> list[int]:
    """Gauss-Jordan in place, exact, with the largest pivot; the pivot columns, one for each row from the first."""
    columns: list[int] = []
    while len(columns) < min(4, len(rows)):
        k = len(columns)
        size, i, c = max((abs(rows[i][c]), -i, -c) for i in range(k, len(rows)) for c in range(4))
        if size <= _PIVOT:
            break
        rows[k], rows[-i] = rows[-i], rows[k]
        rows[k] = [x / rows[k][-c] for x in rows[k]]
        for j, row in enumerate(rows):
            if j != k and row[-c]:
                rows[j] = [x - row[-c] * y for x, y in zip(row, rows[k], strict=True)]
        columns.append(-c)
    return columns
