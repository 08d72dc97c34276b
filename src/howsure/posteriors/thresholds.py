"""The 2x2 tables that scored items have at thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array
from howsure.distributions.ranked import Order
from howsure.evidence.classes import Tally
from howsure.evidence.protocol import SQUARE, THRESHOLD, Axis, number
from howsure.evidence.scored import Scored
from howsure.messages.notes import Notes, note

_TAIL: Final = 0.005  # of items: a threshold beyond it is outside the middle 99% of the scores
_FEWER: Final = 0.1  # than items of the class: rare positives that are called so are no reason to warn


def tally_at(data: Scored, thresholds: Any = None) -> Tally:
    """The 2x2 tables of one system at thresholds (by default every distinct score, from the highest down)."""
    (order,) = data.orders
    if thresholds is None:
        points, found, alarms = order.thresholds, order.found, order.alarms
    else:
        points = np.asarray(thresholds, dtype=float)
        above = np.searchsorted(-order.thresholds, -points, side="right")
        found, alarms = (np.append(0, x)[above] for x in (order.found, order.alarms))
    counts, squares = _cells(data, order, found, alarms, data.amounts), None
    if data.squares is not None:
        squares = _cells(data, order, found, alarms, data.squares)
        squares[counts == 0] = 0.0
    else:
        counts = counts.astype(np.int64)
    return table_of(data, counts, squares, ((THRESHOLD, tuple(points.tolist())),))


def answers_at(data: Scored, threshold: float) -> Tally:
    """The answers of two systems at one threshold, on the same items."""
    patterns = np.column_stack([data.truth, data.scores >= threshold]).astype(np.int64)
    codes = patterns @ (1 << np.arange(patterns.shape[1])[::-1])
    cells = np.array(list(product((0, 1), repeat=patterns.shape[1])))  # in the order of their codes
    counts: Any = np.bincount(codes, data.amounts, len(cells))
    squares = None if data.squares is None else np.bincount(codes, data.squares, len(cells))
    return Tally(
        cells=cells, counts=counts.astype(np.int64) if squares is None else counts, labels=data.labels,
        systems=data.systems, positive=data.positive, squares=squares, notes=data.notes, positive_given=True,
        library=data.library,
    )  # fmt: skip


def extreme_thresholds(thresholds: Sequence[float], tables: AnyArray) -> Notes:
    """Warn about thresholds at which almost no item, or almost every item, is called positive.

    `tables` has a 2x2 table for each threshold, by truth and by whether the score reaches the threshold.

    >>> [n["called"] for n in extreme_thresholds([0.5, 50], np.array([[[80, 9], [3, 8]], [[89, 0], [11, 0]]]))]
    [0]
    """
    found = []
    for at, table in zip(thresholds, tables, strict=True):
        total, (off, on), truths = table.sum(), table.sum(axis=0), table.sum(axis=1)
        if any(x < _TAIL * total and x < _FEWER * own for x, own in ((off, truths[0]), (on, truths[1]))):
            found.append(note("threshold-extreme", threshold=float(at), called=number(on), total=number(total)))
    return tuple(found)


def table_of(data: Scored, counts: Array, squares: Array | None, batch: tuple[Axis, ...] = ()) -> Tally:
    """2x2 tables (tn, fp, fn, tp) of so many items of one system, parts of items allowed."""
    return Tally(
        cells=SQUARE, counts=counts, labels=data.labels, systems=data.systems, positive=data.positive, squares=squares,
        batch=batch, notes=data.notes, positive_given=True, library=data.library,
    )  # fmt: skip


def _cells(data: Scored, order: Order, found: Any, alarms: Any, amounts: Array) -> Array:
    """tn, fp, fn and tp of amounts of the items, at cuts that find so many positive and negative ones."""
    columns = []
    for mask, places, cuts in ((~data.truth, order.negatives, alarms), (data.truth, order.positives, found)):
        own = amounts[mask][places]
        above = np.append(0.0, np.cumsum(own))
        below = np.append(np.cumsum(own[::-1])[::-1], 0.0)  # a difference of sums would leave a trace where none is
        columns += [below[cuts], above[cuts]]
    return np.stack(columns, axis=-1)
