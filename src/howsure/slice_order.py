"""The order of slices: in which to show them, and which to leave out of a page.

Slices of a report go from those that are most surely worse than the rest of the data to those most surely better: by
the normal score of the difference between the slice and the rest, which is what all items show without it. Slices of a
comparison go by how surely the first system is worse there. It orders; it is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting, UnknownName, listing, nearest
from howsure.evidence.protocol import Evidence
from howsure.language import option
from howsure.rows import Place, Row, row_parts
from howsure.slices import Slices

SORTS: Final = ("worse", "better", "name", "n", "score")
SORTS_OF_PAIRS: Final = ("worse", "better", "name", "n", "difference")
MOST: Final = 50  # tables that a page shows in full
ENDS: Final = 10  # shown at either end of a longer list


def check_sort(sort: Any, evidence: Evidence, known: Sequence[str] = SORTS) -> str:
    """One of the orders of slices; refused where there are no slices."""
    if sort is None:
        return known[0]
    if sliced(evidence) is None:
        raise BadSetting(f"{option('sort')} is the order of slices; this evidence has none.")
    if sort not in known:
        raise UnknownName(f"no order {sort!r}.{nearest(str(sort), known)} Give {listing(known)}.")
    return str(sort)


def sliced(evidence: Evidence) -> int | None:
    """The place of the axis of slices, if there is one."""
    return next((k for k, (_, axis) in enumerate(evidence.batch) if isinstance(axis, Slices)), None)


def order(evidence: Evidence, rows: Sequence[Row], overall: Sequence[Row], sort: str) -> list[Place]:
    """The tables of all rows in the order asked for, by the first measure that has a direction."""
    axis = sliced(evidence)
    if axis is None or sort == "name":
        return list(np.ndindex(evidence.shape))
    if sort == "n":
        return by_key(-np.asarray(evidence.totals, dtype=float))
    parts = list(zip(row_parts(rows), row_parts(overall), strict=True))
    (row, i), (whole, _) = next((x for x in parts if x[0][0].metric.better is not None), parts[0])
    if sort == "score":
        score = row.score if i is None else row.score[i]
        worst = -1.0 if row.metric.better == "lower" else 1.0
        return by_key(np.where(np.isnan(score), np.inf, worst * score))
    z = worse(row, whole, i, axis)
    return by_key(-z if sort == "worse" else z)


def by_key(key: NDArray[Any]) -> list[Place]:
    """Places of a batch, least key first; of equal ones in the order of their names."""
    flat = np.argsort(key.ravel(), kind="stable")
    return list(zip(*(x.tolist() for x in np.unravel_index(flat, key.shape)), strict=True))


def worse(row: Row, whole: Row, i: int | None, axis: int) -> NDArray[np.float64]:
    """How surely each slice is worse than the rest, as a normal score; 0 where the measure has no direction.

    A slice with the share w of all items is apart from the rest by its distance from the whole over 1 - w, and the rest
    has the variance of the whole over 1 - w. The share is that of items, or of what is known where this is less: recall
    of a slice with few positive items.
    """
    evidence = row.question.state.evidence
    if row.metric.better is None:
        return np.zeros(evidence.shape)
    (mean, std), (middle, spread) = (_moments(x, i) for x in (row, whole))
    n = np.asarray(evidence.totals, dtype=float)
    middle, spread = (np.expand_dims(x, axis) for x in (middle, spread))
    with np.errstate(all="ignore"):
        rest = 1.0 - np.fmin(n / n.sum(axis=axis, keepdims=True), (spread / std) ** 2)
        z = (middle - mean) / rest / np.sqrt(std**2 + spread**2 / rest)
    z = np.nan_to_num(z, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(z if row.metric.better == "higher" else -z)


def _moments(row: Row, i: int | None) -> tuple[NDArray[Any], NDArray[Any]]:
    mean, std = (np.asarray(x if i is None else x[i]) for x in (row.distribution.mean, row.distribution.std))
    return mean, std


def ends(places: list[Place]) -> list[Place]:
    """The first and the last of a long list."""
    return places if len(places) <= MOST else [*places[:ENDS], *places[-ENDS:]]


def gap(tables: int, overall: int, each: int) -> dict[str, int]:
    """What a page hides: how many tables, and after which row; a table has so many rows each."""
    return {"tables": tables - 2 * ENDS, "row": overall + ENDS * each}
