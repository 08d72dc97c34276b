"""Bounds of measures and of their slopes over boxes of tables, and what two measures say of a third.

Slopes are by the logarithms of the steps t1, t2, t3 of a cube (boxes.py). With their bounds a measure is a straight
line over a box but for a remainder that falls with the square of its size. So a measure less a mix of the given ones,
chosen to be flat, is bounded more narrowly than the measure alone: the given ones stay within their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import Expression
from howsure.relations.boxes import ORDERS, Boxes
from howsure.relations.enclosures import Target, sums, written
from howsure.relations.quantities import quantity

Array = NDArray[np.float64]
Interval = tuple[Array, Array]
_STEEP: Final = 1e60  # no line is known beyond


@dataclass(frozen=True)
class Slopes:
    """Bounds of a value (a number a box) and of its three slopes (three numbers a box)."""

    value: Interval
    slope: Interval


def slopes(target: Target, boxes: Boxes) -> Slopes | None:
    """The bounds over each box, or None for what is no formula."""
    if target.linear is not None:
        return quotient_slopes(target.linear, boxes)
    if target.quantity.sized and (target.quantity.name != "chi-square" or target.per != quantity("n")):
        return None
    formula = written(target.quantity)
    if any(x.function is not None or x.op in ("^", "log") for x in formula.walk()):
        return None
    with np.errstate(all="ignore"):
        return _formula(formula, boxes)


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
        value = values.min(axis=0), values.max(axis=0)
        low, high = shares.min(axis=0), shares.max(axis=0)
        factor = top - bottom * value[1][:, None], top - bottom * value[0][:, None]
        by_cell = _times((low, high), factor)
    still = (top == 0) & (bottom == 0)
    ranked = [np.take_along_axis(np.where(still, 0.0, x), ORDERS[boxes.cube], axis=1) for x in by_cell]
    low, high = ranked
    # what moves with a step, and what does not: their slopes cancel
    moving = [np.stack([x[:, j:].sum(axis=1) for j in (1, 2, 3)]) for x in (low, high)]
    resting = [np.stack([-x[:, :j].sum(axis=1) for j in (1, 2, 3)]) for x in (high, low)]
    return Slopes(value, (np.maximum(moving[0], resting[0]), np.minimum(moving[1], resting[1])))


def _formula(e: Expression, boxes: Boxes) -> Slopes:
    if e.op == "number":
        x, zero = np.full(len(boxes), float(e.value)), np.zeros((3, len(boxes)))
        return Slopes((x, x), (zero, zero))
    weights = sums(e)
    if weights is not None:
        return quotient_slopes(weights, boxes)
    made: Slopes = _OPERATIONS[e.op](*(_formula(x, boxes) for x in e.args))
    return made


def _times(a: Interval, b: Interval) -> Interval:
    products = np.stack([x * y for x in a for y in b])
    return products.min(axis=0), products.max(axis=0)


def _over(a: Interval, b: Interval) -> Interval:
    """A quotient by what is above 0."""
    ends = np.stack([x / y for x in a for y in b])
    return ends.min(axis=0), ends.max(axis=0)


def _plus(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _minus(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _root(a: Slopes) -> Slopes:
    value = np.sqrt(np.maximum(a.value[0], 0.0)), np.sqrt(np.maximum(a.value[1], 0.0))
    return Slopes(value, _over(a.slope, (2.0 * value[0], 2.0 * value[1])))


def _quotient_of(a: Slopes, b: Slopes) -> Slopes:
    value = _over(a.value, b.value)
    return Slopes(value, _over(_minus(a.slope, _times(value, b.slope)), b.value))


_OPERATIONS: Final[dict[str, Any]] = {
    "+": lambda a, b: Slopes(_plus(a.value, b.value), _plus(a.slope, b.slope)),
    "-": lambda a, b: Slopes(_minus(a.value, b.value), _minus(a.slope, b.slope)),
    "*": lambda a, b: Slopes(_times(a.value, b.value), _plus(_times(a.slope, b.value), _times(a.value, b.slope))),
    "/": _quotient_of,
    "sqrt": _root,
}


# -- straight lines


@dataclass(frozen=True)
class StraightPart:
    """A measure over each box: its value in the middle, its change along each direction to the side, what is left."""

    value: Array
    change: Array
    rest: Array

    def take(self, which: Any) -> StraightPart:
        """Some of the boxes."""
        return StraightPart(self.value[which], self.change[:, which], self.rest[which])


def line(target: Target, boxes: Boxes) -> StraightPart | None:
    """The straight line of a target over each box."""
    found = slopes(target, boxes)
    return None if found is None else _straight(found, target.at(_centres(boxes)), boxes)


def quotient_line(weights: tuple[Array, Array], boxes: Boxes) -> tuple[StraightPart, Interval]:
    """The straight line of a quotient of sums over each box, whose weights it has, and the bounds of its value."""
    found = quotient_slopes(weights, boxes)
    tables = _centres(boxes)
    with np.errstate(all="ignore"):
        value = (tables * weights[0]).sum(axis=1) / (tables * weights[1]).sum(axis=1)
    return _straight(found, value, boxes), found.value


def _centres(boxes: Boxes) -> Array:
    """The tables in the middle of boxes, by logarithms."""
    low, high = (np.log(x) for x in boxes.steps)
    t = np.exp(0.5 * (low + high))
    return boxes.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2])


def _straight(found: Slopes, value: Array, boxes: Boxes) -> StraightPart:
    low, high = (np.log(x) for x in boxes.steps)
    half = 0.5 * (high - low).T
    with np.errstate(all="ignore"):
        change = 0.5 * (found.slope[0] + found.slope[1]) * half
        rest = (0.5 * (found.slope[1] - found.slope[0]) * half).sum(axis=0)
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
