"""Boxes that cover all tables which fit what was reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.relations.enclosures import VANISHING, Boxes, all_tables, enclosed, joined
from howsure.relations.quantities import Target
from howsure.relations.roots import approached
from howsure.relations.system import Condition, System

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
# Branch and bound: a box over which a given measure stays outside of its digits is left out, the others are halved. No
# box left is a proof that no table agrees (to rounding, 1e-12). Steps of Newton from the boxes that are left find
# tables; the ranges of measures over these boxes are outer bounds, which are narrowed where they are furthest from what
# a table was found to have.

_PER_CALL: Final = 4
_MOST: Final = 3_000  # boxes halved at once while a table is looked for
_BUDGET: Final = 100_000  # boxes looked at before the search gives up
_TRIED: Final = 96  # starts a round
_STEPS: Final = 12
_DEEP: Final = 24
_EMPTY: Final = ([0], [1], [2], [3], [0, 3], [1, 2])  # cells that leave all margins


def cost(target: Target) -> int:
    """How many times longer than a formula a box of it takes."""
    return _PER_CALL if target.quantity.name == "tetrachoric" else 1


@dataclass(frozen=True)
class Cover:
    """Boxes that hold all tables that agree, and tables that were found to; no boxes where none can."""

    conditions: tuple[Condition, ...]
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


def agreeing(known: Sequence[Condition], boxes: Boxes) -> Boxes:
    """The boxes in which every condition may hold."""
    return boxes[possible(known, boxes)]


def refined(known: Sequence[Condition], boxes: Boxes, least: int) -> Boxes:
    """The boxes halved until they are so many, or as small as this makes them."""
    for _ in range(_DEEP):
        if not 0 < len(boxes) < least:
            break
        boxes = agreeing(known, boxes.halves(longest(known, boxes)))
    return boxes


def possible(known: Sequence[Condition], boxes: Boxes) -> Integers:
    """The places of the boxes in which every condition may hold."""
    left = np.arange(len(boxes))
    for one in known:
        if not len(left):
            break
        low, high = enclosed(one.target, boxes[left])
        left = left[(low <= one.high + one.slack) & (high >= one.low - one.slack)]
    return left


def longest(known: Sequence[Condition], boxes: Boxes, more: Array | None = None) -> Integers:
    """The direction along which the given measures change most; `more` is the change of other measures."""
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


def meeting(known: Sequence[Condition], starts: Array, within: float = 1e-3) -> Array:
    """Tables that meet all conditions, by steps from these; as shares."""
    if not known:
        return np.asarray(starts / starts.sum(axis=1, keepdims=True))
    points = approached(starts, [partial(c.misses, within=within) for c in known], _STEPS)
    if any(c.may_need_empty_cell for c in known):
        points = np.concatenate([points, *_with_an_empty_cell(known, starts, within)])
    good = np.ones(len(points), dtype=bool)
    for one in known:
        good &= one.holds(points)
    return np.asarray(points[good] / points[good].sum(axis=1, keepdims=True))


def _with_an_empty_cell(known: Sequence[Condition], starts: Array, within: float) -> list[Array]:
    """Steps with each cell in turn left empty, or two across, for measures that are elsewhere just there."""
    others = [partial(c.misses, within=within) for c in known if not c.may_need_empty_cell]
    made = []
    for empty in _EMPTY:
        held = starts.copy()
        held[:, empty] = VANISHING * held.min(axis=1, keepdims=True)
        held = approached(held, others, _STEPS) if others else held
        held[:, empty] = 0.0
        made.append(held)
    return made


def _distance(known: Sequence[Condition], boxes: Boxes) -> Array:
    """How far the middles are from meeting the conditions."""
    middles = boxes.middles()
    with np.errstate(all="ignore"):
        each = [np.abs(c.misses(middles, 0.0)) / (1.0 + abs(c.low)) for c in known]
    return np.asarray(np.nan_to_num(np.max(each, axis=0), nan=np.inf))
