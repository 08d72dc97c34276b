"""Ranges of measures over all tables that agree with a report: outer bounds.

Each end of each range has boxes of its own (cover.py), the most promising of which are halved. Boxes that reach no
further than a table that was found are left out, so that most ends meet; the others stay a little outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.relations.boxes import Boxes, Whole, joined
from howsure.relations.cover import Cover, Held, changed, longest, meeting, possible, refined, squeezed
from howsure.relations.enclosures import Target, enclosed
from howsure.relations.slopes import StraightPart, highest, line, quotient_line

Array = NDArray[np.float64]
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
    end: Whole
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

    def __init__(self, known: tuple[Held, ...], targets: Sequence[Target], points: Array, fine: float) -> None:
        self.known, self.targets, self.fine = known, targets, fine
        self.inner, self.closed = np.full((2, 2 * len(targets)), -np.inf)
        self.straight = np.array([x.linear is not None for x in targets])
        self.tops, self.bottoms = (
            np.array([np.zeros(4) if x.linear is None else x.linear[k] for x in targets]) for k in (0, 1)
        )
        slow = max((one.cost for one in known), default=1)
        self.cost = np.repeat([max(slow, x.cost) for x in targets], 2)
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

    def front(self, boxes: Boxes, end: Whole) -> _Front:
        """Boxes with how far they reach towards their end."""
        reach = np.empty(len(end))
        lines = [(line(one.target, boxes), one.low - one.slack, one.high + one.slack) for one in self.known]
        held = [(one, a, b) for one, a, b in lines if one is not None]
        for own, target in self._lots(end):
            part, sign = boxes[own], np.where(end[own] % 2 == 0, -1.0, 1.0)
            straight: StraightPart | None
            if target is None:
                straight, (low, high) = quotient_line(self._weights(end[own]), part)
            else:
                both = enclosed([target], part)
                low, high, straight = both[0][0], both[1][0], line(target, part)
            reach[own] = np.where(sign < 0, -squeezed(low), squeezed(high))
            if straight is not None:
                known = [(one.take(own), a, b) for one, a, b in held]
                reach[own] = np.fmin(reach[own], squeezed(highest(straight, sign, known)))
        return _Front(boxes, end, np.fmin(reach, self.limit[end]))

    def _lots(self, end: Whole) -> Iterator[tuple[Whole, Target | None]]:
        """The boxes of each target that is no quotient of sums, and those of all that are."""
        straight = self.straight[end // 2]
        if straight.any():
            yield np.flatnonzero(straight), None
        for k in np.unique(end[~straight] // 2):
            yield np.flatnonzero(end // 2 == k), self.targets[k]

    def _weights(self, end: Whole) -> tuple[Array, Array]:
        """Of quotients of sums, for each box."""
        return self.tops[end // 2], self.bottoms[end // 2]

    def open(self, front: _Front) -> _Front:
        """The boxes that may hold more than what was found; how far the others reach is kept."""
        more = front.reach > self.inner[front.end] + self.fine
        np.maximum.at(self.closed, front.end[~more], front.reach[~more])
        return front.keep(more)

    def chosen(self, front: _Front) -> Whole:
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

    def _longest(self, boxes: Boxes, end: Whole) -> Whole:
        """The direction in which what is given and the target change most."""
        tables = boxes.across()
        change = np.empty((3, len(end)))
        for own, target in self._lots(end):
            if target is None:
                top, bottom = self._weights(end[own])
                part = tables[:, :, own]
                with np.errstate(all="ignore"):
                    change[:, own] = changed((part * top).sum(axis=-1) / (part * bottom).sum(axis=-1))
            else:
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
