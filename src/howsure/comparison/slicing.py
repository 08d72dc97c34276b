"""Slices of a comparison: their order, which stand out by their difference, and what a page shows of many."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure import slice_order
from howsure.distribution import Distribution
from howsure.model.posterior import Posterior
from howsure.rows import Row
from howsure.slice_marks import SliceMarks, dealt, marks

Pair = tuple[Row, Row]


def marked(rows: Pair, wholes: Pair, joint: Posterior | None) -> SliceMarks | None:
    """Which slices stand out by the difference of the two; both are dealt together where they had the same items."""
    apart: Any = [row.question.state for row in rows]
    deal = dealt([joint] if joint is not None else apart, apart[0].seed)
    if deal is None:
        return None
    parts = []
    for k, row in enumerate(rows):
        own = deal.posteriors[k] if joint is None else deal.posteriors[0].system(str(row.system))
        parts.append(row.put_to(own).score)
    with np.errstate(invalid="ignore"):
        whole = float(wholes[0].score - wholes[1].score)
        return marks(deal, rows[0].score - rows[1].score, parts[0] - parts[1], whole)


def ordered(sort: str, direction: str | None, better: Any, d: Distribution, sizes: NDArray[Any]) -> list[int]:
    """The slices, flat, in the order asked for; by name where the measure has no direction."""
    if sort == "n":
        return np.argsort(-np.ravel(sizes), kind="stable").tolist()  # type: ignore[no-any-return]
    if sort == "name" or direction is None:
        return list(range(int(np.size(d.mean))))
    mean, std = np.ravel(d.mean), np.ravel(d.std)
    if direction == "lower":
        mean = -mean
    if sort == "difference":
        return np.argsort(mean, kind="stable").tolist()  # type: ignore[no-any-return]
    sign = 1.0 if sort == "worse" else -1.0
    with np.errstate(all="ignore"):  # equal probabilities, as of draws, go by how far the difference is from 0
        z = np.nan_to_num(mean / std)
    return np.lexsort((sign * z, sign * np.ravel(better))).tolist()  # type: ignore[no-any-return]


def page(document: dict[str, Any], each: int = 1) -> dict[str, Any]:
    """Of the rows of many tables only the first and the last; a table has so many rows each."""
    rows = document["rows"]
    overall = sum(bool(row.get("overall")) for row in rows)
    tables = (len(rows) - overall) // each
    if tables <= slice_order.MOST:
        return document
    ends, hidden = slice_order.ENDS * each, slice_order.gap(tables, overall, each)
    return document | {"rows": [*rows[: overall + ends], *rows[-ends:]], "hidden": hidden}


def grouped(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of several measures, those of a slice together; slices in the order of the first measure."""
    place = {_key(row): k for k, row in enumerate(documents[0]["rows"])}
    rows = [row for document in documents for row in document["rows"]]
    return sorted(rows, key=lambda row: place.get(_key(row), len(place)))


def _key(row: dict[str, Any]) -> str:
    return json.dumps([row.get("overall"), row.get("slice")])
