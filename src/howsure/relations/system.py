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
from typing import Any, NamedTuple

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import Expression
from howsure.relations.quantities import Quantity, quantity
from howsure.relations.values import CLOSE, Given

_PIVOT = 1e-9


@dataclass(frozen=True)
class Constraint:
    """A function of the shares that must lie in a range."""

    quantity: Quantity
    low: float
    high: float
    per: Quantity | None = None  # a count is taken per this count

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def formula(self) -> Expression:
        """What must lie in the range."""
        return self.quantity.formula if self.per is None else self.quantity.formula / self.per.formula

    @property
    def extreme(self) -> bool:
        """Whether it is one number at an end of the range of the quantity, which tables reach with an empty cell."""
        return self.exact and self.per is None and any(abs(self.low - end) < 1e-12 for end in self.quantity.bounds)

    def misses(self, shares: Any) -> Any:
        """How far from the range, with its sign; 0 within it."""
        value, low, high = self.at(shares), self.low, self.high
        if low > 0 and self.quantity.bounds[1] == math.inf:  # a ratio without end is smooth on the log scale
            with np.errstate(all="ignore"):
                value, low, high = np.log(value), math.log(low), math.log(high)
        if self.exact:
            return value - low
        return np.where(value.real < low, value - low, np.where(value.real > high, value - high, 0))

    def at(self, shares: Any) -> Any:
        value = self.quantity.at(shares)
        if self.per is None:
            return value
        with np.errstate(all="ignore"):
            return value / self.per.at(shares)


@dataclass(frozen=True)
class System:
    """Equations and inequalities in the shares: row·shares = 0, row·shares >= 0, and curves."""

    givens: tuple[Given, ...]
    scale: Given | None
    equations: tuple[tuple[Fraction, ...], ...]
    inequalities: tuple[tuple[Fraction, ...], ...]
    curves: tuple[Constraint, ...]
    ranges: tuple[Constraint, ...]  # what the inequalities hold, as functions

    @cached_property
    def sides(self) -> Array:
        """Rows that are not negative within: the cells, and the inequalities scaled to size 1."""
        rows = [[float(x) for x in row] for row in self.inequalities]
        scaled = [[x / max(map(abs, row)) for x in row] for row in rows if any(row)]
        return np.array([*np.eye(4).tolist(), *scaled])

    def size(self, shares: Any) -> Any:
        """n of a table with these shares; 1 when no count is given."""
        if self.scale is None:
            return np.ones(np.shape(shares)[:-1])
        with np.errstate(all="ignore"):
            return float(self.scale.middle) / self.scale.quantity.at(shares)


def system(givens: tuple[Given, ...]) -> System:
    """The conditions that the reported values put on the shares."""
    scale = _scale(givens)
    equations: list[tuple[Fraction, ...]] = []
    inequalities: list[tuple[Fraction, ...]] = []
    curves: list[Constraint] = []
    ranges: list[Constraint] = []
    for one in givens:
        if one is scale:
            continue
        low, high, per = one.low, one.high, None
        if one.quantity.sized and scale is not None and high:
            low, high, per = low / scale.high, high / scale.low, scale.quantity
        what = one.quantity
        if what.name == "chi-square" and not high:  # 0 is no end that an empty cell reaches: phi crosses it
            what = quantity("phi")
        if what.formula.op == "sqrt" and low >= 0:  # a root is smooth at 0 only when squared
            what, low, high = Quantity(what.name, what.formula.args[0]), low**2, high**2
        linear = _parts(what, per)
        if linear is None:
            curves.append(Constraint(what, float(low), float(high), per))
        elif low == high:
            equations.append(_row(linear, low))
        else:
            ranges.append(Constraint(what, float(low), float(high), per))
            inequalities += [_row(linear, low), tuple(-x for x in _row(linear, high))]
    inequalities += _between_ranges(givens, scale)
    return System(givens, scale, tuple(equations), tuple(inequalities), tuple(curves), tuple(ranges))


def _scale(givens: tuple[Given, ...]) -> Given | None:
    """The count that all others are measured by: one number before a range, n before others, then the largest."""
    counts = [g for g in givens if g.quantity.sized and g.low > 0]
    return max(counts, key=lambda g: (g.quantity.linear is not None, g.exact, g.name == "n", g.low), default=None)


def _between_ranges(givens: tuple[Given, ...], scale: Given | None) -> list[tuple[Fraction, ...]]:
    """Counts with ranges, two by two: intervals that meet in pairs have a point in common, so this says it all."""
    loose = [g for g in givens if g.quantity.sized and g.quantity.linear and not g.exact and g is not scale]
    return [
        tuple(t * b.high - u * a.low for t, u in zip(a.quantity.linear[0], b.quantity.linear[0], strict=True))
        for a in loose
        for b in loose
        if a is not b and a.quantity.linear and b.quantity.linear
    ]


def _parts(q: Quantity, per: Quantity | None) -> Any:
    """Top and bottom as weights of the cells, or None."""
    if q.linear is None or not q.sized:
        return q.linear
    if per is None:  # a count of 0
        return q.linear[0], quantity("n").linear[0]  # type: ignore[index]
    return None if per.linear is None else (q.linear[0], per.linear[0])


def _row(parts: Any, value: Fraction) -> tuple[Fraction, ...]:
    return tuple(t - value * b for t, b in zip(*parts, strict=True))


# -- exact elimination


@dataclass(frozen=True)
class Flat:
    """All shares that satisfy the equations: base + any mix of the directions."""

    base: tuple[Fraction, ...]
    directions: tuple[tuple[Fraction, ...], ...]


def flat(equations: Iterable[tuple[Fraction, ...]]) -> Flat | None:
    """The solutions of the equations with shares that add to 1, or None if there are none."""
    rows = [_Row([1, 1, 1, 1, 1], 1)]
    for row in equations:
        whole = math.lcm(*(x.denominator for x in row))
        numbers = [x.numerator * (whole // x.denominator) for x in row]
        top = max(map(abs, numbers))
        if top:
            rows.append(_Row([*numbers, 0], top))
    columns = _reduce(rows)
    if any(abs(row.size(4)) > CLOSE for row in rows[len(columns) :]):
        return None
    solved = [(c, row.numbers, row.numbers[c]) for c, row in zip(columns, rows, strict=False)]
    base = [Fraction(0)] * 4
    for c, numbers, lead in solved:
        base[c] = Fraction(numbers[4], lead)
    directions = []
    for free in (c for c in range(4) if c not in columns):
        step = [Fraction(int(i == free)) for i in range(4)]
        for c, numbers, lead in solved:
            step[c] = Fraction(-numbers[free], lead)
        directions.append(tuple(step))
    return Flat(tuple(base), tuple(directions))


class _Row(NamedTuple):
    """Whole numbers over one denominator: four weights and the right side."""

    numbers: list[int]
    over: int

    def size(self, c: int) -> float:
        return abs(self.numbers[c]) / self.over


def _reduce(rows: list[_Row]) -> list[int]:
    """Gauss-Jordan in place, exact, with the largest pivot; the pivot columns, one for each row from the first."""
    columns: list[int] = []
    while len(columns) < min(4, len(rows)):
        k = len(columns)
        size, i, c = max((rows[i].size(c), -i, -c) for i in range(k, len(rows)) for c in range(4))
        if size <= _PIVOT:
            break
        i, c = -i, -c
        rows[k], rows[i] = rows[i], rows[k]
        pivot = rows[k].numbers if rows[k].numbers[c] > 0 else [-x for x in rows[k].numbers]
        rows[k] = _Row(pivot, rows[k].over)
        lead = pivot[c]
        for j, row in enumerate(rows):
            factor = row.numbers[c]
            if j != k and factor:
                numbers = [x * lead - factor * y for x, y in zip(row.numbers, pivot, strict=True)]
                common = math.gcd(*numbers, row.over * lead)
                rows[j] = _Row([x // common for x in numbers], row.over * lead // common)
        columns.append(c)
    return columns
