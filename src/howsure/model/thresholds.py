"""The 2x2 tables that scored items have at thresholds."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.evidence.classes import Tally
from howsure.evidence.layout import SQUARE, THRESHOLD, Axis
from howsure.evidence.scored import Scored
from howsure.kernels.ranked import Order

Array = NDArray[np.float64]


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
