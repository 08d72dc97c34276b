"""Ranges of measures over all tables that agree with a report: outer bounds.

Each end of each range has boxes of its own (cover.py), the most promising of which are halved. Boxes that reach no
further than a table that was found are left out, so that most ends meet; the others stay a little outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.relations.boxes import Boxes, Whole, joined
from howsure.relations.cover import Cover, Held, changes, longest, meeting, possible, squeezed
from howsure.relations.enclosures import Target, enclosed

Array = NDArray[np.float64]
_CHOSEN: Final = 400  # boxes halved a round
_ROUNDS: Final = 60
_FINE: Final = 1e-8
_CLOSE: Final = 0.05
_NOTHING: Final = 1e-15
_SEARCHES: Final = 2  # rounds from one search for tables to the next


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


def outer_bounds(found: Cover, targets: Sequence[Target], points: Array) -> list[Reach]:
    """The range of every target over all tables that agree, of which some points are known."""
    search = _Ends(found.conditions, targets, np.concatenate([found.points, points]))
    many, count = 2 * len(targets), len(found.boxes)
    front = search.front(found.boxes[np.tile(np.arange(count), many)], np.repeat(np.arange(many), count))
    for turn in range(_ROUNDS):
        front = search.open(front)
        if not len(front.end):
            break
        chosen = search.chosen(front)
        if turn % _SEARCHES == 0:
            search.look(front.keep(chosen))
        rest = np.ones(len(front.end), dtype=bool)
        rest[chosen] = False
        made = search.halved(front.keep(chosen))
        front = _Front(
            joined([front.boxes[rest], made.boxes]),
            np.concatenate([front.end[rest], made.end]),
            np.concatenate([front.reach[rest], made.reach]),
        )
    return search.reaches(front)


class _Ends:
    """The ends of the ranges of some targets, and how far tables were found to reach."""

    def __init__(self, known: tuple[Held, ...], targets: Sequence[Target], points: Array) -> None:
        self.known, self.targets = known, targets
        self.inner = np.full(2 * len(targets), -np.inf)
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
        for k in np.unique(end // 2):
            own = np.flatnonzero(end // 2 == k)
            low, high = enclosed([self.targets[k]], boxes[own])
            low, high = self._within(self.targets[k], low[0], high[0])
            reach[own] = np.where(end[own] % 2 == 0, -squeezed(low), squeezed(high))
        return _Front(boxes, end, reach)

    def _within(self, target: Target, low: Array, high: Array) -> tuple[Array, Array]:
        """What is given does not leave what was given."""
        for one in self.known:
            if one.target == target:
                return np.maximum(low, one.low), np.minimum(high, one.high)
        return low, high

    def open(self, front: _Front) -> _Front:
        """The boxes that may hold more than what was found."""
        return front.keep(front.reach > self.inner[front.end] + _FINE)

    def chosen(self, front: _Front) -> Whole:
        """For each end alike the boxes that reach furthest."""
        order = np.lexsort((-front.reach, front.end))
        ends, first, count = np.unique(front.end[order], return_index=True, return_counts=True)
        place = np.arange(len(order)) - np.repeat(first, count)
        return np.asarray(order[place < max(2, _CHOSEN // len(ends))])

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

    def halved(self, front: _Front) -> _Front:
        """Boxes cut in two, without those in which a condition cannot hold."""
        tables = front.boxes.across()
        change = np.empty((3, len(front.end)))
        for k in np.unique(front.end // 2):
            own = np.flatnonzero(front.end // 2 == k)
            change[:, own] = changes(self.targets[k], tables[:, :, own])
        made = front.boxes.halves(longest(self.known, front.boxes, change))
        left = possible(self.known, made)
        return self.front(made[left], np.concatenate([front.end, front.end])[left])

    def furthest(self, front: _Front) -> Array:
        """How far the boxes of each end reach, or what was found."""
        out = self.inner.copy()
        np.maximum.at(out, front.end, front.reach)
        return out

    def reaches(self, front: _Front) -> list[Reach]:
        """The outer bounds and what was found."""
        outer, inner = (_unsqueezed(x) for x in (self.furthest(self.open(front)), self.inner))
        return [
            Reach(*(float(x) for x in (-outer[i], outer[i + 1], -inner[i], inner[i + 1])))
            for i in range(0, len(outer), 2)
        ]


def _unsqueezed(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.where(np.abs(x) >= 1.0, np.sign(x) * np.inf, x / (1.0 - np.abs(x))))
