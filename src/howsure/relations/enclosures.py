"""Interval arithmetic, boxes of tables, and enclosures of metrics over them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.catalogue.expressions import CELLS, Expression, cells, sqrt
from howsure.relations.quantities import Quantity, Target, quantity

# -- intervals
#
# Interval arithmetic: bounds of a formula over boxes of tables, for arrays of boxes at once.

Leaf = Callable[[Expression], Any]  # what a part of a formula is, or None where it is made of its own parts


@dataclass(frozen=True)
class Bounds:
    """All numbers from low to high; what is NaN has no bounds."""

    low: Array
    high: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.low, self.high))

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Bounds) -> Bounds:
        return Bounds(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Bounds) -> Bounds:
        return _hull([x * y for x in self for y in other])

    def __truediv__(self, other: Bounds) -> Bounds:
        ends = _hull([x / y for x in self for y in other])
        return ends.unless((other.low <= 0) & (other.high >= 0))

    def __pow__(self, power: int) -> Bounds:
        low, high = self.low**power, self.high**power
        if power % 2:
            return Bounds(low, high)
        across = (self.low <= 0) & (self.high >= 0)
        return Bounds(np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high))

    def sqrt(self) -> Bounds:
        """The square root, that of 0 below 0."""
        return Bounds(*(np.sqrt(np.maximum(x, 0.0)) for x in self))

    def log(self) -> Bounds:
        """The natural logarithm."""
        return Bounds(*(np.log(np.maximum(x, 0.0)) for x in self))

    def unless(self, lost: Any) -> Bounds:
        """The same, but any number where it is lost."""
        return Bounds(np.where(lost, -np.inf, self.low), np.where(lost, np.inf, self.high))


def _hull(values: list[Any]) -> Bounds:
    stack = np.stack(np.broadcast_arrays(*values))
    low, high = stack.min(axis=0), stack.max(axis=0)
    return Bounds(low, high).unless(np.isnan(low))


def number_bounds(x: Any) -> Bounds:
    """One number."""
    return Bounds(np.asarray(float(x)), np.asarray(float(x)))


_OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "sqrt": lambda x: x.sqrt(), "log": lambda x: x.log(),
}  # fmt: skip


def by_parts(e: Expression, leaf: Leaf) -> Any:
    """A formula with its smallest parts as `leaf` has them: intervals, or intervals with slopes."""
    made = leaf(e)
    if made is not None:
        return made
    if e.function is not None:
        return Bounds(np.asarray(-np.inf), np.asarray(np.inf))
    if e.op == "^":
        return by_parts(e.args[0], leaf) ** int(float(e.args[1].value))
    with np.errstate(all="ignore"):
        return _OPERATIONS[e.op](*(by_parts(x, leaf) for x in e.args))


def bounds(e: Expression, at: dict[str, Bounds]) -> Bounds:
    """The least and the greatest value, or wider, where each cell lies between its two ends.

    >>> from howsure.catalogue.expressions import cells
    >>> box = {c: Bounds(np.array([1.0]), np.array([2.0])) for c in ("tp", "fp", "fn", "tn")}
    >>> low, high = bounds(cells.tp / (cells.tp + cells.fp), box)
    >>> float(low[0]), float(high[0])
    (0.25, 1.0)
    """

    def leaf(part: Expression) -> Bounds | None:
        return number_bounds(part.value) if part.op == "number" else at.get(str(part.value))

    return by_parts(e, leaf)  # type: ignore[no-any-return]


# -- boxes
#
# All tables in 24 cubes, and boxes of them.
#
# A cube holds the tables whose cells come in one order, largest first: c1 = 1, c2 = t1, c3 = t1·t2, c4 = t1·t2·t3, each
# t from 0 to 1. What a table approaches as cells or margins vanish is a face of a cube, t = 0, with all ratios of cells
# as they are on the way there; so no quotient is 0/0 in a cube, and a box of it needs no exceptions. Places are u = √t,
# since metrics such as phi go with the root of a small cell.


ORDERS: Final[Integers] = np.array(list(permutations(range(4))), dtype=np.int64)  # of the cells in each cube
_RANKS: Final[Integers] = np.argsort(ORDERS, axis=1)
VANISHING: Final = 1e-40  # stands for t = 0: roots of it are still nothing
_NEXT_TO_NOTHING: Final = 1e-30
_VERTICES: Final[Integers] = np.array(list(product((0, 1), repeat=3)), dtype=np.int64)


@dataclass(frozen=True)
class Boxes:
    """Boxes of tables: the cube of each, and its ends in the places u."""

    cube: Integers
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.cube)

    def __getitem__(self, which: Mask | Integers | slice) -> Boxes:
        return Boxes(self.cube[which], self.low[which], self.high[which])

    @property
    def steps(self) -> tuple[Array, Array]:
        """The ends in t."""
        return np.maximum(self.low**2, VANISHING), np.maximum(self.high**2, VANISHING)

    def vertices(self) -> Array:
        """The tables at the eight vertices of each box, cells along the last axis."""
        ends = np.stack(self.steps)
        t = np.stack([ends[_VERTICES[:, j], :, j] for j in range(3)], axis=-1)
        return self.cells(t[..., 0], t[..., 1], t[..., 1], t[..., 2])

    def cells(self, first: Array, second: Array, second_too: Array, third: Array) -> Array:
        """Tables of steps t1, t2 and t3; c3 and c4 may each have a t2 of their own."""
        ranked = np.stack([np.ones_like(first), first, first * second, first * second_too * third], axis=-1)
        ranks = np.broadcast_to(_RANKS[self.cube], ranked.shape)
        return np.take_along_axis(ranked, ranks, axis=-1)

    def middles(self) -> Array:
        """The table in the middle of each box."""
        t = np.maximum((0.5 * (self.low + self.high)) ** 2, VANISHING)
        return self.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2])

    def halves(self, along: Integers) -> Boxes:
        """Each box cut in two across one direction."""
        at = np.arange(len(self)), along
        middle = 0.5 * (self.low[at] + self.high[at])
        low, high = self.low.copy(), self.high.copy()
        low[at], high[at] = middle, middle
        return Boxes(
            np.concatenate([self.cube, self.cube]),
            np.concatenate([self.low, low]),
            np.concatenate([high, self.high]),
        )

    def across(self) -> Array:
        """Tables in the middle of both faces across each direction: pairs, directions, boxes, cells."""
        middle = 0.5 * (self.low + self.high)
        u = np.broadcast_to(middle, (2, 3, *middle.shape)).copy()
        for j in range(3):
            u[0, j, :, j], u[1, j, :, j] = self.low[:, j], self.high[:, j]
        t = np.maximum(u**2, VANISHING)
        return self.cells(t[..., 0], t[..., 1], t[..., 1], t[..., 2])

    def widest(self) -> Integers:
        """The direction in which each box is the longest."""
        return np.asarray((self.high - self.low).argmax(axis=1))


def joined(parts: list[Boxes]) -> Boxes:
    """Boxes of several lots in one."""
    return Boxes(
        np.concatenate([x.cube for x in parts]),
        np.concatenate([x.low for x in parts]),
        np.concatenate([x.high for x in parts]),
    )


def around(tables: Array) -> Boxes:
    """A box for each table, of no size; steps of next to nothing are none."""
    order = np.argsort(-tables, axis=1)
    cube = (order[:, None] == ORDERS).all(axis=2).argmax(axis=1)
    ranked = np.take_along_axis(tables, order, axis=1)
    t = ranked[:, 1:] / ranked[:, :-1]
    places = np.sqrt(np.where(t < _NEXT_TO_NOTHING, 0.0, t))
    return Boxes(cube, places, places)


def all_tables() -> Boxes:
    """The 24 cubes."""
    return Boxes(np.arange(24), np.zeros((24, 3)), np.ones((24, 3)))


# -- enclosures
#
# Bounds of metrics over boxes of tables.
#
# Along one step t of a cube the cells are straight lines, so a quotient of two sums of cells goes one way
# along it and has its extremes at the vertices. Of the other metrics nearly all rise or fall with each cell, whatever
# the others are; as they do not change when all cells double, they then rise or fall along t1 (against the first cell)
# and t3 (with the last). Along t2, which moves two cells, they turn at most once: where the slopes at both ends agree
# the extremes are at the ends, else the two cells are given a t2 each, which bounds from outside. What is left over is
# bounded part by part, by interval arithmetic.

_STEP: Final = 1e-30  # of derivatives by a complex step
SIGNED: Final = ("phi", "informedness", "markedness", "tetrachoric")  # along t2 away from 0, then back to it

_LAST_IS_RIGHT: Final = np.isin(ORDERS[:, 3], (0, 3))  # the smallest cell of a cube is tp or tn
_BESIDE_LAST: Final = np.isin(ORDERS, (0, 3)) != _LAST_IS_RIGHT[:, None]  # the cells in a row or column with it

_tp, _fp, _fn, _tn = cells
_recall, _specificity = _tp / (_tp + _fn), _tn / (_tn + _fp)
_precision, _npv = _tp / (_tp + _fp), _tn / (_tn + _fn)
_informedness = _recall + _specificity - 1
_OF_KAPPA: Final = (Quantity("fp/positives", _fp / (_tp + _fn)), Quantity("fn/negatives", _fn / (_tn + _fp)))
_PHI: Final = sqrt(_recall * _specificity * _precision * _npv) - sqrt(
    (1 - _recall) * (1 - _specificity) * (1 - _precision) * (1 - _npv)
)
_WRITTEN: Final[dict[str, Expression]] = {  # by quotients of sums
    "phi": _PHI,
    "chi-square": _PHI * _PHI,
    "kappa": 2 * _informedness / (1 + _informedness + _OF_KAPPA[0].formula + _OF_KAPPA[1].formula),
    "odds-ratio": (_tp / _fn) * (_tn / _fp),
}


def written(q: Quantity) -> Expression:
    """The formula by quotients of sums, where it has one."""
    return _WRITTEN.get(q.name, q.formula)


@dataclass(frozen=True)
class Quotients:
    """Quotients of sums of cells, one for each box."""

    weights: tuple[Array, Array]  # of the top and of the bottom

    def at(self, tables: Array) -> Array:
        """The values at tables, those of a box along the last axis but one."""
        with np.errstate(all="ignore"):
            top, bottom = ((tables * x).sum(axis=-1) for x in self.weights)
            return np.asarray(top / bottom)


def enclosed(x: Target | Quotients, boxes: Boxes) -> Bounds:
    """The least and greatest value over each box, or wider."""
    if isinstance(x, Quotients):
        values = x.at(boxes.vertices())
        found = Bounds(values.min(axis=0), values.max(axis=0))
    else:
        found = _curved(x, boxes) if x.weights is None else at_vertices(x.weights, boxes)
    return Bounds(np.where(np.isnan(found.low), -np.inf, found.low), np.where(np.isnan(found.high), np.inf, found.high))


def limits(x: Target, tables: Array) -> Bounds:
    """The least and greatest value that is approached where some cells of tables are all but nothing."""
    if (tables == 0).any():  # cells that are empty on the way there too
        value = x.at(tables)
        return Bounds(value, value)
    return enclosed(x, around(tables))


def at_vertices(weights: tuple[Array, Array], boxes: Boxes) -> Bounds:
    """The least and greatest quotient of sums, whose weights are those of all boxes."""
    tables = boxes.vertices()
    with np.errstate(all="ignore"):
        values = (tables @ weights[0]) / (tables @ weights[1])
    return Bounds(values.min(axis=0), values.max(axis=0))


def _curved(x: Target, boxes: Boxes) -> Bounds:
    name = x.quantity.name
    if name == "chi-square":  # n·phi²
        items = enclosed(Target(quantity("n"), x.per or quantity("n")), boxes)
        with np.errstate(all="ignore"):
            return enclosed(Target(quantity("phi")), boxes) ** 2 * items
    if x.per is not None:  # a count per chi-square
        n = quantity("n")
        with np.errstate(all="ignore"):
            return enclosed(Target(x.quantity, n), boxes) / enclosed(Target(x.per, n), boxes)
    if name == "kappa":
        return _kappa(x, boxes)
    signs = cell_signs(x.quantity)
    if signs is None:
        return _by_parts(x.quantity.formula, boxes)
    return (_tetrachoric if name == "tetrachoric" else _rising)(x, signs, boxes)


def _kappa(x: Target, boxes: Boxes) -> Bounds:
    """2J/(1 + J + fp/positives + fn/negatives), J informedness; above 0 it also rises or falls with each cell."""
    j, *more = (enclosed(Target(q), boxes) for q in (quantity("informedness"), *_OF_KAPPA))
    more_low, more_high = (1.0 + a + b for a, b in zip(*more, strict=True))
    with np.errstate(all="ignore"):
        least = 2.0 * j.low / (j.low + np.where(j.low > 0, more_high, more_low))
        most = 2.0 * j.high / (j.high + np.where(j.high > 0, more_low, more_high))
    least, most = np.where(np.isnan(least), -1.0, least), np.where(np.isnan(most), 1.0, most)
    one, two = _rising(x, (1, -1, -1, 1), boxes)
    return Bounds(np.where(one >= 0, np.maximum(one, least), least), np.where(two >= 0, np.minimum(two, most), most))


@lru_cache(maxsize=1024)
def sums(e: Expression) -> tuple[Array, Array] | None:
    """Top and bottom of what is written as a sum of cells (of shares), a quotient of two, or a number less one."""
    whole = _sum(e)
    if whole is not None:
        return whole, np.ones(4)
    if e.op == "/":
        top, bottom = (_sum(x) for x in e.args)
        return None if top is None or bottom is None or (bottom < 0).any() else (top, bottom)
    if e.op == "-" and e.args[0].op == "number":
        inner = sums(e.args[1])
        return None if inner is None else (float(e.args[0].value) * inner[1] - inner[0], inner[1])
    return None


def _sum(e: Expression) -> Array | None:
    """The weights of a sum of cells."""
    if e.op == "cell":
        return np.array([float(e.value == c) for c in CELLS])
    if e.op == "*" and e.args[0].op == "number":
        inner = _sum(e.args[1])
        return None if inner is None else float(e.args[0].value) * inner
    if e.op in "+-":
        a, b = (_sum(x) for x in e.args)
        return None if a is None or b is None else (a + b if e.op == "+" else a - b)
    return None


def _by_parts(e: Expression, boxes: Boxes) -> Bounds:
    """Interval arithmetic, with quotients of sums and shares of cells as its smallest parts."""

    def leaf(part: Expression) -> Bounds | None:
        if part.op == "number":
            return number_bounds(part.value)
        weights = sums(part)
        return None if weights is None else at_vertices(weights, boxes)

    return by_parts(e, leaf)  # type: ignore[no-any-return]


# -- metrics that rise or fall with each cell


@lru_cache(maxsize=256)
def cell_signs(q: Quantity) -> tuple[int, ...] | None:
    """Whether the metric rises (1), stays (0) or falls (-1) with each cell; None if that depends on the table.

    Told by its slopes at tables of all kinds: tests prove it for the metrics of the catalogue.
    """
    if q.name == "tetrachoric":
        return 1, -1, -1, 1
    rng = np.random.default_rng(5)
    tables = 10.0 ** rng.uniform(-6.0, 0.0, (3000, 4))
    slopes = _slopes(Target(q), np.broadcast_to(tables[:, None], (3000, 4, 4)), np.eye(4))
    size = np.abs(slopes).max(axis=1, keepdims=True)
    signs = np.where(np.abs(slopes) > 1e-9 * size, np.sign(slopes), 0.0)
    low, high = signs.min(axis=0), signs.max(axis=0)
    if not np.isfinite(slopes).all() or ((low < 0) & (high > 0)).any():
        return None
    return tuple(int(x) for x in np.sign(low + high))


def _slopes(x: Target, tables: Array, along: Array) -> Array:
    """Derivatives by the logarithms of cells, by a complex step."""
    return np.asarray(x.at(tables * (1.0 + 1j * _STEP * along)).imag / _STEP)


def _corners(signs: tuple[int, ...], boxes: Boxes, up: bool) -> tuple[Array, Array, Array, Array]:
    """t1, t2 of c3, t2 of c4 and t3 at which a rising metric is greatest (`up`) or least."""
    want = (1 if up else -1) * np.array(signs)[ORDERS[boxes.cube]]
    low, high = boxes.steps
    first = np.where(want[:, 0] < 0, high[:, 0], low[:, 0])
    second = np.where(want[:, 2] > 0, high[:, 1], low[:, 1])
    second_too = np.where(want[:, 3] > 0, high[:, 1], low[:, 1])
    third = np.where(want[:, 3] > 0, high[:, 2], low[:, 2])
    return first, second, second_too, third


def _rising(x: Target, signs: tuple[int, ...], boxes: Boxes) -> Bounds:
    low, high = boxes.steps
    tables, straight, moved = [], [], np.zeros((len(boxes), 4))
    np.put_along_axis(moved, ORDERS[boxes.cube][:, 2:], 1.0, axis=1)
    for up in (False, True):
        first, second, second_too, third = _corners(signs, boxes, up)
        tables.append(boxes.cells(first, second, second_too, third))
        straight += [boxes.cells(first, t, t, third) for t in (low[:, 1], high[:, 1])]
    values = x.at(np.stack(straight) * (1.0 + 1j * _STEP * moved))
    slopes, ends = values.imag.reshape(2, 2, -1) / _STEP, values.real.reshape(2, 2, -1)
    if np.isnan(ends).any():  # complex steps are for cells that are more than nothing
        ends = x.at(np.stack(straight)).reshape(2, 2, -1)
    slopes = np.where(np.abs(slopes) > 1e-12 * np.abs(ends), slopes, 0.0)  # what is smaller is rounding
    if x.quantity.name in SIGNED:
        slopes[:, 0] = np.where((boxes.low[:, 1] <= 0) & (slopes[:, 1] != 0), ends[:, 1], slopes[:, 0])
    turns = np.sign(slopes[:, 0]) != np.sign(slopes[:, 1])
    if x.quantity.name in SIGNED:
        turns &= np.stack([ends[0, 1] <= 0, ends[1, 1] >= 0])
    loose = x.at(np.stack(tables))
    least = np.where(turns[0], loose[0], np.maximum(ends[0].min(axis=0), loose[0]))
    most = np.where(turns[1], loose[1], np.minimum(ends[1].max(axis=0), loose[1]))
    some = np.flatnonzero(turns.any(axis=0))
    if len(some):
        low, high = _by_parts(written(x.quantity), boxes[some])
        least[some], most[some] = np.fmax(least[some], low), np.fmin(most[some], high)
    return Bounds(least, most)


def _tetrachoric(x: Target, signs: tuple[int, ...], boxes: Boxes) -> Bounds:
    """As for others, and the limits: it comes close to them only where cells are nothing at all.

    A table with an empty cell is also scored with that cell filled, which is bounded too.
    """
    low, high = _rising(x, signs, boxes)
    order = np.array(signs)[ORDERS[boxes.cube]]
    margin = order[:, 2] != order[:, 3]  # c3 and c4 share a row or a column: without them there is no association
    limits = np.stack([order[:, 0], np.where(margin, 0, -order[:, 2]), -order[:, 3]], axis=1).astype(float)
    there = boxes.low <= 0.0
    low = np.minimum(low, np.where(there, limits, np.inf).min(axis=1))
    high = np.maximum(high, np.where(there, limits, -np.inf).max(axis=1))
    last, both = there[:, 2], there[:, 1] & ~margin
    some = np.flatnonzero(last | both)
    if len(some):
        filled = _least_when_filled(x, boxes[some], last[some])
        right = order[some, 3] > 0  # an empty tp or tn: from -1 up
        low[some] = np.where(right, low[some], np.fmin(low[some], filled))
        high[some] = np.where(right, np.fmax(high[some], filled), high[some])
    return Bounds(low, high)


def _least_when_filled(x: Target, boxes: Boxes, last: Mask) -> Array:
    """The value furthest from ±1 that filling c4 = 0 by `keep-margins` may give in a box; c3 = 0 too but for `last`.

    The rule moves 1/2 of an item, or half of the smaller neighbour of c4, from both neighbours to c4 and the cell
    across. Each cell is taken where it is worst, which bounds from outside; NaN counts as anything.
    """
    (low, high), one = boxes.steps, np.ones(len(boxes))
    third = np.where(last, high[:, 1], VANISHING)
    most = np.stack([one, high[:, 0], high[:, 0] * third, np.zeros(len(boxes))], axis=1)
    least = np.stack([one, low[:, 0], low[:, 0] * low[:, 1], np.zeros(len(boxes))], axis=1)
    beside = _BESIDE_LAST[boxes.cube]
    smaller = np.where(beside, most, np.inf).min(axis=1)
    move = np.minimum(0.5 * most.sum(axis=1) / x.fewest, 0.5 * smaller)[:, None]
    ranked = np.where(beside, np.maximum(least - move, 0.5 * least), most + move)
    value = x.at(np.take_along_axis(ranked, np.argsort(ORDERS[boxes.cube], axis=1), axis=1))
    return np.where(np.isnan(value), np.where(_LAST_IS_RIGHT[boxes.cube], 1.0, -1.0), value)
