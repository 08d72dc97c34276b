"""The 2x2 tables that scored items have at thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.evidence.classes import Tally
from howsure.evidence.layout import SQUARE, THRESHOLD
from howsure.evidence.scored import Scored


def tally_at(data: Scored, thresholds: Any = None) -> Tally:
    """The 2x2 tables of one system at thresholds (by default every distinct score, from the highest down)."""
    (order,) = data.orders
    amounts = data.amounts
    up, down = (
        np.append(0.0, np.cumsum(amounts[mask][at]))
        for mask, at in ((data.truth, order.positives), (~data.truth, order.negatives))
    )
    if thresholds is None:
        points, found, alarms = order.thresholds, order.found, order.alarms
    else:
        points = np.asarray(thresholds, dtype=float)
        above = np.searchsorted(-order.thresholds, -points, side="right")
        found, alarms = (np.append(0, x)[above] for x in (order.found, order.alarms))
    tp, fp = up[found], down[alarms]
    counts = np.stack([down[-1] - fp, fp, up[-1] - tp, tp], axis=-1)
    squares = None
    if data.square is not None:
        squares = counts * (data.square / counts[0].sum())  # only their sum matters
    else:
        counts = counts.astype(np.int64)
    return Tally(
        cells=SQUARE, counts=counts, labels=data.labels, systems=data.systems, positive=data.positive, squares=squares,
        batch=((THRESHOLD, tuple(points.tolist())),), notes=data.notes, positive_given=True, library=data.library,
    )  # fmt: skip
