"""Cuts of a curve that are marked on it: the thresholds that were asked for, else the one with the highest F1."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from howsure.catalogue import parse
from howsure.evidence.layout import number
from howsure.evidence.scored import Scored
from howsure.model.thresholds import tally_at
from howsure.rows import Row, real


def marked(items: Scored, asked: Iterable[Row], best: Callable[[], float]) -> list[dict[str, Any]]:
    """Where thresholds stand on the curve of one system, cells and rates; a rate of no items is null.

    Several systems have none: a threshold of one means nothing to another.
    """
    if len(items.systems) > 1:
        return []
    found = [getattr(row.question.metric, "threshold", None) for row in asked]
    wanted = list(dict.fromkeys(t for t in found if t is not None))
    why, places = ("asked", wanted) if wanted else ("highest f1", [best()])
    cells = tally_at(items, places).named()
    rates = {name: np.asarray(parse(name).at(cells)) for name in ("recall", "fallout", "precision")}
    return [
        {"threshold": real(t), "why": why}
        | {name: number(x[i]) for name, x in cells.items()}
        | {name: real(x[i]) for name, x in rates.items()}
        for i, t in enumerate(places)
    ]
