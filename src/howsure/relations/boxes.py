"""Branch and bound over boxes of tables: proofs that no table agrees with a report, and outer bounds of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.catalogue.expressions import Expression
from howsure.relations.enclosures import (
    ORDERS,
    VANISHING,
    Bounds,
    Boxes,
    Quotients,
    all_tables,
    by_parts,
    enclosed,
    joined,
    number_bounds,
    sums,
    written,
)
from howsure.relations.quantities import Target, quantity
from howsure.relations.roots import approached
from howsure.relations.system import Constraint, System

# -- corners
#
# Where the sides of a polytope meet.


def meeting_points(sides: Array, offsets: Array, base: Array, directions: Array) -> Array:
    """The points base + steps·directions at which as many sides·point + offset are 0 as there are directions.

    >>> meeting_points(np.eye(2), np.array([0.0, -1.0]), np.zeros(2), np.eye(2))
    array([[0., 1.]])
    """
    picks = _picks(len(sides), len(directions))
    steps = _steps((sides @ directions.T)[picks], -(sides @ base + offsets)[picks])
    return np.asarray(base + steps @ directions)


@lru_cache(maxsize=128)
def _picks(sides: int, size: int) -> Integers:
    return np.array(list(combinations(range(sides), size)), dtype=np.int64).reshape(math.comb(sides, size), size)


def _steps(a: Array, b: Array) -> Array:
    """The solutions of a·step = b, where there is one; two unknowns, the common case, in closed form."""
    if a.shape[1] == 2:
        (p, q), (r, s) = a.transpose(1, 2, 0)
        det = p * s - q * r
        good = np.abs(det) > 1e-13
        one, two = b[:, 0], b[:, 1]
        steps = np.stack([s * one - q * two, p * two - r * one], axis=1)
        return np.asarray(steps[good] / det[good, None])
    good = np.abs(np.linalg.det(a)) > 1e-13
    return np.asarray(np.linalg.solve(a[good], b[good][..., None])[..., 0])


# -- cover
#
# A cover of all tables that agree with a report, by boxes: what no box holds cannot be.
#
# Branch and bound: a box over which a given metric stays outside of its digits is left out, the others are halved. No
# box left is a proof that no table agrees (to rounding, 1e-12). Steps of Newton from the boxes that are left find
# tables; the ranges of metrics over these boxes are outer bounds, which are narrowed where they are furthest from what
# a table was found to have.

_PER_CALL: Final = 4
_MOST: Final = 3_000  # boxes halved at once while a table is looked for
_BUDGET: Final = 100_000  # boxes looked at before the search gives up
_TRIED: Final = 96  # starts a round
_STEPS: Final = 12
_DEEP: Final = 24
_EMPTY: Final = np.array([*np.eye(4), [1, 0, 0, 1], [0, 1, 1, 0]], dtype=bool)  # cells that leave all margins


def cost(target: Target) -> int:
    """How many times longer than a formula a box of it takes."""
    return _PER_CALL if target.quantity.name == "tetrachoric" else 1


@dataclass(frozen=True)
class Cover:
    """Boxes that hold all tables that agree, and tables that were found to; no boxes where none can."""

    conditions: tuple[Constraint, ...]
    boxes: Boxes
    points: Array

    @property
    def empty(self) -> bool:
        """Whether it is proved that no table agrees."""
        return not len(self.boxes)


def cover(system: System) -> Cover:
    """Halve boxes until a table is found, or none is left, or it takes too long."""
    known = system.conditions
    rng = np.random.default_rng(4)
    boxes = agreeing(known, all_tables())
    waiting: list[Boxes] = []
    spent, each = 0, max((cost(c.target) for c in known), default=1)
    while spent < _BUDGET:
        if not len(boxes):
            if not waiting:
                break
            boxes = waiting.pop()
        starts = boxes if len(boxes) <= _TRIED else boxes[rng.choice(len(boxes), _TRIED, replace=False)]
        points = meeting(known, starts.middles())
        if len(points):
            return Cover(known, joined([boxes, *waiting]), points)
        if len(boxes) > _MOST:
            near = np.argsort(_distance(known, boxes))
            waiting.append(boxes[near[_MOST // 2 :]])
            boxes = boxes[near[: _MOST // 2]]
        spent += 2 * each * len(boxes)
        boxes = agreeing(known, boxes.halves(longest(known, boxes)))
    return Cover(known, joined([boxes, *waiting]), np.zeros((0, 4)))


def agreeing(known: Sequence[Constraint], boxes: Boxes) -> Boxes:
    """The boxes in which every condition may hold."""
    return boxes[possible(known, boxes)]


def refined(known: Sequence[Constraint], boxes: Boxes, least: int) -> Boxes:
    """The boxes halved until they are so many, or as small as this makes them."""
    for _ in range(_DEEP):
        if not 0 < len(boxes) < least:
            break
        boxes = agreeing(known, boxes.halves(longest(known, boxes)))
    return boxes


def possible(known: Sequence[Constraint], boxes: Boxes) -> Integers:
    """The places of the boxes in which every condition may hold."""
    left = np.arange(len(boxes))
    for one in known:
        if not len(left):
            break
        low, high = enclosed(one.target, boxes[left])
        left = left[(low <= one.high + one.slack) & (high >= one.low - one.slack)]
    return left


def longest(known: Sequence[Constraint], boxes: Boxes, more: Array | None = None) -> Integers:
    """The direction along which the given metrics change most; `more` is the change of other metrics."""
    tables = boxes.across()
    change = 1e-3 * (boxes.high - boxes.low).T if more is None else more
    for one in known:
        change = change + changed(one.target.at(tables))
    return np.asarray(change.argmax(axis=0))


def changed(values: Array) -> Array:
    """How much values change from one face of a box to the other, ratios without end on the scale of x/(1 + x)."""
    ends = squeezed(values)
    return np.asarray(np.nan_to_num(np.abs(ends[1] - ends[0])))


def squeezed(x: Array) -> Array:
    """Any number between -1 and 1."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(np.isinf(x), np.sign(x), x / (1.0 + np.abs(x))))


def meeting(known: Sequence[Constraint], starts: Array, within: float = 1e-3) -> Array:
    """Tables that meet all conditions, by steps from these; as shares."""
    if not known:
        return np.asarray(starts / starts.sum(axis=1, keepdims=True))
    points = approached(starts, [partial(c.misses, within=within) for c in known], _STEPS)
    if any(c.may_need_empty_cell for c in known):
        points = np.concatenate([points, _with_an_empty_cell(known, starts, within)])
    good = np.ones(len(points), dtype=bool)
    for one in known:
        good &= one.holds(points)
    return np.asarray(points[good] / points[good].sum(axis=1, keepdims=True))


def _with_an_empty_cell(known: Sequence[Constraint], starts: Array, within: float) -> Array:
    """Steps with each cell in turn left empty, or two across, for metrics that are elsewhere just there."""
    others = [partial(c.misses, within=within) for c in known if not c.may_need_empty_cell]
    empty = np.repeat(_EMPTY, len(starts), axis=0)
    tables = np.tile(starts, (len(_EMPTY), 1))
    tables = np.where(empty, VANISHING * tables.min(axis=1, keepdims=True), tables)
    return np.where(empty, 0.0, approached(tables, others, _STEPS) if others else tables)


def _distance(known: Sequence[Constraint], boxes: Boxes) -> Array:
    """How far the middles are from meeting the conditions."""
    middles = boxes.middles()
    with np.errstate(all="ignore"):
        each = [np.abs(c.misses(middles, 0.0)) / (1.0 + abs(c.low)) for c in known]
    return np.asarray(np.nan_to_num(np.max(each, axis=0), nan=np.inf))


# -- slopes
#
# Bounds of metrics and of their slopes over boxes of tables, and what two metrics say of a third.
#
# Slopes are by the logarithms of the steps t1, t2, t3 of a cube. With their bounds a metric is a straight
# line over a box but for a remainder that falls with the square of its size. So a metric less a mix of the given ones,
# chosen to be flat, is bounded more narrowly than the metric alone: the given ones stay within their digits.

_STEEP: Final = 1e60  # no line is known beyond


@dataclass(frozen=True)
class Slopes:
    """Bounds of a value (a number a box) and of its three slopes (three numbers a box)."""

    value: Bounds
    slope: Bounds

    def __add__(self, other: Slopes) -> Slopes:
        return Slopes(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: Slopes) -> Slopes:
        return Slopes(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: Slopes) -> Slopes:
        return Slopes(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Slopes) -> Slopes:
        value = self.value / other.value
        return Slopes(value, (self.slope - value * other.slope) / other.value)

    def sqrt(self) -> Slopes:
        """The square root."""
        value = self.value.sqrt()
        return Slopes(value, self.slope / (value + value))


def slopes(target: Target | Quotients, boxes: Boxes) -> Slopes | None:
    """The bounds over each box, or None for what is no formula."""
    if target.weights is not None:
        return quotient_slopes(target.weights, boxes)
    assert isinstance(target, Target)  # noqa: S101 - narrows the type: quotients have weights
    if target.quantity.sized and (target.quantity.name != "chi-square" or target.per != quantity("n")):
        return None
    formula = written(target.quantity)
    if any(x.function is not None or x.op in ("^", "log") for x in formula.walk()):
        return None

    def leaf(part: Expression) -> Slopes | None:
        if part.op == "number":
            return Slopes(number_bounds(part.value), number_bounds(0))
        weights = sums(part)
        return None if weights is None else quotient_slopes(weights, boxes)

    return by_parts(formula, leaf)  # type: ignore[no-any-return]


def quotient_slopes(weights: tuple[Array, Array], boxes: Boxes) -> Slopes:
    """A quotient of sums: the slope by a cell is its share of the bottom times (top - value·bottom).

    The weights are those of all boxes, or each has its own.
    """
    top, bottom = (np.broadcast_to(x, (len(boxes), 4)) for x in weights)
    tables = boxes.vertices()
    with np.errstate(all="ignore"):
        under = (tables * bottom).sum(axis=-1)
        values = (tables * top).sum(axis=-1) / under
        shares = tables / under[..., None]
        value = Bounds(values.min(axis=0), values.max(axis=0))
        factor = Bounds(top - bottom * value.high[:, None], top - bottom * value.low[:, None])
        by_cell = Bounds(shares.min(axis=0), shares.max(axis=0)) * factor
    still = (top == 0) & (bottom == 0)
    low, high = (np.take_along_axis(np.where(still, 0.0, x), ORDERS[boxes.cube], axis=1) for x in by_cell)
    # what moves with a step, and what does not: their slopes cancel
    moving = [np.stack([x[:, j:].sum(axis=1) for j in (1, 2, 3)]) for x in (low, high)]
    resting = [np.stack([-x[:, :j].sum(axis=1) for j in (1, 2, 3)]) for x in (high, low)]
    return Slopes(value, Bounds(np.maximum(moving[0], resting[0]), np.minimum(moving[1], resting[1])))


# -- straight lines


@dataclass(frozen=True)
class StraightPart:
    """A metric over each box: its value in the middle, its change along each direction to the side, what is left."""

    value: Array
    change: Array
    rest: Array

    def take(self, which: Any) -> StraightPart:
        """Some of the boxes."""
        return StraightPart(self.value[which], self.change[:, which], self.rest[which])


def line(target: Target | Quotients, boxes: Boxes) -> StraightPart | None:
    """The straight line of a target over each box."""
    found = slopes(target, boxes)
    return None if found is None else _straight(found, target.at(_centres(boxes)), boxes)


def _centres(boxes: Boxes) -> Array:
    """The tables in the middle of boxes, by logarithms."""
    low, high = (np.log(x) for x in boxes.steps)
    t = np.exp(0.5 * (low + high))
    return boxes.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2])


def _straight(found: Slopes, value: Array, boxes: Boxes) -> StraightPart:
    low, high = (np.log(x) for x in boxes.steps)
    half = 0.5 * (high - low).T
    with np.errstate(all="ignore"):
        change = 0.5 * (found.slope.low + found.slope.high) * half
        rest = (0.5 * (found.slope.high - found.slope.low) * half).sum(axis=0)
    bad = ~((np.abs(change) < _STEEP).all(axis=0) & (rest < _STEEP) & np.isfinite(value))
    return StraightPart(np.where(bad, 0.0, value), np.where(bad, 0.0, change), np.where(bad, np.inf, rest))


def highest(q: StraightPart, sign: Array, known: Sequence[tuple[StraightPart, float, float]]) -> Array:
    """A bound of sign·q over each box, where each known line stays between its two ends.

    For any weights w, q is (q - Σ w·known) + Σ w·known, and the second part is at most w times an end. Weights that
    make the first part flat are found for one, two and three known lines at a time; any weights give a bound.
    """
    start, goal = sign * q.value + q.rest, sign * q.change
    best = start + np.abs(goal).sum(axis=0)
    for some in _subsets(len(known)):
        lines = [known[k][0].change for k in some]
        weights = _least_squares(lines, goal)
        bound = start + np.abs(goal - sum(w * x for w, x in zip(weights, lines, strict=True))).sum(axis=0)
        with np.errstate(all="ignore"):
            for k, w in zip(some, weights, strict=True):
                one, low, high = known[k]
                end = np.where(w > 0, high, low)
                bound = bound + np.where(w == 0, 0.0, w * (end - one.value) + np.abs(w) * one.rest)
        best = np.fmin(best, bound)
    return np.asarray(best)


def _subsets(count: int) -> list[tuple[int, ...]]:
    return [x for size in (1, 2, 3) for x in combinations(range(count), size)]


def _least_squares(lines: list[Array], goal: Array) -> list[Array]:
    """Weights of one, two or three lines that come close to the goal, for each box."""
    a = np.stack(lines, axis=-1).transpose(1, 0, 2)
    square = a.transpose(0, 2, 1) @ a
    size = np.trace(square, axis1=1, axis2=2)[:, None, None]
    square = square + (1e-14 * size + 1e-300) * np.eye(len(lines))
    right = a.transpose(0, 2, 1) @ goal.T[..., None]
    with np.errstate(all="ignore"):
        found = np.linalg.solve(square, right)[..., 0]
    return list(np.where(np.isfinite(found), found, 0.0).T)


# -- outer bounds
#
# Ranges of metrics over all tables that agree with a report: outer bounds.
#
# Each end of each range has boxes of its own, the most promising of which are halved. Boxes that reach no
# further than a table that was found are left out, so that most ends meet; the others stay a little outside.

_CHOSEN: Final = 400  # boxes quartered a round; fewer where each takes long
_EACH: Final = 60  # of one end at most
_ROUNDS: Final = 24
_SHARED: Final = 60  # boxes at least that all ends begin with
ROUGHLY: Final = 5e-7  # ends this close to a table that was found are left as they are
FINELY: Final = 1e-8
_CLOSE: Final = 0.05
_NOTHING: Final = 1e-15
_SEARCHES: Final = 1  # rounds from one search for tables to the next


@dataclass(frozen=True)
class Reach:
    """How far a target goes: outer bounds, and the lowest and highest value of a table that was found."""

    low: float
    high: float
    least: float
    most: float

    def narrow(self, limits: tuple[float, float]) -> tuple[float, float]:
        """What tables have where that is close to the outer bounds, and these where they are not, or are limits."""
        low, high = (
            inner if _apart(inner, outer) < _CLOSE and outer not in limits and abs(outer) > _NOTHING else outer
            for inner, outer in ((self.least, self.low), (self.most, self.high))
        )
        return low, high


def _apart(a: float, b: float) -> float:
    one, two = squeezed(np.array([a, b]))
    return float(abs(one - two))


@dataclass
class _Front:
    """Boxes, each for the end `end` of a range: target end // 2, the lowest (0) or the highest (1) value."""

    boxes: Boxes
    end: Integers
    reach: Array  # squeezed, and turned for lowest values, so that more is further

    def keep(self, which: Any) -> _Front:
        """Some of the boxes."""
        return _Front(self.boxes[which], self.end[which], self.reach[which])


def outer_bounds(found: Cover, targets: Sequence[Target], points: Array, fine: float = ROUGHLY) -> list[Reach]:
    """The range of every target over all tables that agree, of which some points are known."""
    search = _Ends(found.conditions, targets, np.concatenate([found.points, points]), fine)
    boxes = refined(found.conditions, found.boxes, _SHARED)
    many, count = 2 * len(targets), len(boxes)
    front = search.front(boxes[np.tile(np.arange(count), many)], np.repeat(np.arange(many), count))
    for turn in range(_ROUNDS if fine == ROUGHLY else 3 * _ROUNDS // 2):
        front = search.open(front)
        if not len(front.end):
            break
        chosen = search.chosen(front)
        if turn % _SEARCHES == 0:
            search.look(front.keep(chosen))
        rest = np.ones(len(front.end), dtype=bool)
        rest[chosen] = False
        made = search.quartered(front.keep(chosen))
        front = _Front(
            joined([front.boxes[rest], made.boxes]),
            np.concatenate([front.end[rest], made.end]),
            np.concatenate([front.reach[rest], made.reach]),
        )
    return search.reaches(front)


class _Ends:
    """The ends of the ranges of some targets, and how far tables were found to reach."""

    def __init__(self, known: tuple[Constraint, ...], targets: Sequence[Target], points: Array, fine: float) -> None:
        self.known, self.targets, self.fine = known, targets, fine
        self.inner, self.closed = np.full((2, 2 * len(targets)), -np.inf)
        self.straight = np.array([x.weights is not None for x in targets])
        self.tops, self.bottoms = (
            np.array([np.zeros(4) if x.weights is None else x.weights[k] for x in targets]) for k in (0, 1)
        )
        slow = max((cost(one.target) for one in known), default=1)
        self.cost = np.repeat([max(slow, cost(x)) for x in targets], 2)
        self.limit = np.full(2 * len(targets), 1.0)  # what is given does not leave what was given
        for one in known:
            for k in (k for k, x in enumerate(targets) if x == one.target):
                self.limit[2 * k : 2 * k + 2] = squeezed(np.array([-one.low, one.high]))
        self.learn(points)

    def learn(self, points: Array) -> None:
        """Reach further by tables that were found."""
        if not len(points):
            return
        values = squeezed(np.stack([x.at(points) for x in self.targets]))
        for side, sign in ((0, -1.0), (1, 1.0)):
            best = np.fmax.reduce(sign * values, axis=1)
            self.inner[side::2] = np.fmax(self.inner[side::2], best)

    def front(self, boxes: Boxes, end: Integers) -> _Front:
        """Boxes with how far they reach towards their end."""
        reach = np.empty(len(end))
        lines = [(line(one.target, boxes), one.low - one.slack, one.high + one.slack) for one in self.known]
        held = [(one, a, b) for one, a, b in lines if one is not None]
        for own, target in self._lots(end):
            part, sign = boxes[own], np.where(end[own] % 2 == 0, -1.0, 1.0)
            (low, high), straight = enclosed(target, part), line(target, part)
            reach[own] = np.where(sign < 0, -squeezed(low), squeezed(high))
            if straight is not None:
                known = [(one.take(own), a, b) for one, a, b in held]
                reach[own] = np.fmin(reach[own], squeezed(highest(straight, sign, known)))
        return _Front(boxes, end, np.fmin(reach, self.limit[end]))

    def _lots(self, end: Integers) -> Iterator[tuple[Integers, Target | Quotients]]:
        """The boxes of each target that is no quotient of sums, and those of all that are."""
        straight = self.straight[end // 2]
        if straight.any():
            own = np.flatnonzero(straight)
            yield own, Quotients((self.tops[end[own] // 2], self.bottoms[end[own] // 2]))
        for k in np.unique(end[~straight] // 2):
            yield np.flatnonzero(end // 2 == k), self.targets[k]

    def open(self, front: _Front) -> _Front:
        """The boxes that may hold more than what was found; how far the others reach is kept."""
        more = front.reach > self.inner[front.end] + self.fine
        np.maximum.at(self.closed, front.end[~more], front.reach[~more])
        return front.keep(more)

    def chosen(self, front: _Front) -> Integers:
        """For each end alike the boxes that reach furthest."""
        order = np.lexsort((-front.reach, front.end))
        ends, first, count = np.unique(front.end[order], return_index=True, return_counts=True)
        place = np.arange(len(order)) - np.repeat(first, count)
        each = np.clip(_CHOSEN // (len(ends) * self.cost[ends]), 2, _EACH)
        return np.asarray(order[place < np.repeat(each, count)])

    def look(self, front: _Front) -> None:
        """Look for tables in the boxes that reach furthest, from the middle and from the vertex that does."""
        _, first = np.unique(front.end, return_index=True)
        best = front.keep(first)
        vertices = best.boxes.vertices()
        starts = [best.boxes.middles()]
        for i, end in enumerate(best.end):
            values = self.targets[end // 2].at(vertices[:, i])
            at = np.nan_to_num(values if end % 2 else -values, nan=-np.inf).argmax()
            starts.append(vertices[at, i][None])
        points = meeting(self.known, np.concatenate(starts), 1e-9)
        self.learn(points)

    def quartered(self, front: _Front) -> _Front:
        """Boxes cut in two and these in two, without those in which a condition cannot hold."""
        boxes, end = front.boxes, front.end
        for _ in range(2):
            made = boxes.halves(self._longest(boxes, end))
            left = possible(self.known, made)
            boxes, end = made[left], np.concatenate([end, end])[left]
        return self.front(boxes, end)

    def _longest(self, boxes: Boxes, end: Integers) -> Integers:
        """The direction in which what is given and the target change most."""
        tables = boxes.across()
        change = np.empty((3, len(end)))
        for own, target in self._lots(end):
            change[:, own] = changed(target.at(tables[:, :, own]))
        return longest(self.known, boxes, change)

    def furthest(self, front: _Front) -> Array:
        """How far the boxes of each end reach, or what was found."""
        out: Array = np.maximum(self.inner, self.closed)
        np.maximum.at(out, front.end, front.reach)
        return out

    def reaches(self, front: _Front) -> list[Reach]:
        """The outer bounds and what was found."""
        outer, inner = (_unsqueezed(x) for x in (self.furthest(front), self.inner))
        return [
            Reach(*(float(x) for x in (-outer[i], outer[i + 1], -inner[i], inner[i + 1])))
            for i in range(0, len(outer), 2)
        ]


def _unsqueezed(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.where(np.abs(x) >= 1.0, np.copysign(np.inf, x), x / (1.0 - np.abs(x))))
