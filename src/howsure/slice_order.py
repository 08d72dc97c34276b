"""The order of slices: in which to show them, and which to leave out of a page.

Slices go from those that are most surely worse than the rest of the data to those most surely better: by the normal
score of the difference between the slice's posterior and that of all other slices together. It orders; it is not shown.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import UnknownName, nearest
from howsure.evidence.protocol import Evidence
from howsure.model.posterior import Posterior
from howsure.rows import Place, Row
from howsure.slices import Slices

SORTS: Final = ("worse", "better", "name", "n", "score")
MOST: Final = 50  # tables of a row that a page shows in full
ENDS: Final = 10  # shown at either end of a longer row


def check_sort(sort: Any) -> str:
    """One of the orders of slices."""
    if sort not in SORTS:
        hint = nearest(str(sort), SORTS)
        raise UnknownName(f"no order {sort!r}.{hint} Give worse, better, name, n or score.")
    return str(sort)


def sliced(evidence: Evidence) -> int | None:
    """The place of the axis of slices, if there is one."""
    return next((k for k, (_, axis) in enumerate(evidence.batch) if isinstance(axis, Slices)), None)


def order(p: Posterior, row: Row, i: int | None, sort: str) -> list[Place]:
    """The tables of a row (of its i-th class) in the order asked for."""
    shape = p.evidence.shape
    axis = sliced(p.evidence)
    if axis is None or sort == "name":
        return list(np.ndindex(shape))
    key = _key(p, row, i, sort, axis)
    flat = np.argsort(key.ravel(), kind="stable")
    return list(zip(*(x.tolist() for x in np.unravel_index(flat, shape)), strict=True))


def _key(p: Posterior, row: Row, i: int | None, sort: str, axis: int) -> NDArray[Any]:
    """What to sort by, least first; scores that are undefined come last."""
    if sort == "n":
        return -np.asarray(p.evidence.totals, dtype=float)
    if sort == "score":
        score = row.score if i is None else row.score[i]
        worst = -1.0 if row.metric.better == "lower" else 1.0
        return np.where(np.isnan(score), np.inf, worst * score)
    z = worse(p, row, i, axis)
    return -z if sort == "worse" else z


def worse(p: Posterior, row: Row, i: int | None, axis: int) -> NDArray[np.float64]:
    """How surely each slice is worse than the rest, as a normal score; 0 where the measure has no direction."""
    if row.metric.better is None:
        return np.zeros(p.evidence.shape)
    mean, std = (np.asarray(x if i is None else x[i]) for x in (row.distribution.mean, row.distribution.std))
    with np.errstate(all="ignore"):
        apart, spread = _rest(p, row, i, mean, axis)
        z = (apart - mean) / np.hypot(std, spread)
    z = np.nan_to_num(z, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(z if row.metric.better == "higher" else -z)


def _rest(p: Posterior, row: Row, i: int | None, mean: NDArray[Any], axis: int) -> tuple[Any, Any]:
    """Mean and standard deviation of the measure on all other slices together, for each slice."""
    if row.distribution.route == "sampled":  # no second round of draws for an order: the mean slice will do
        n = np.asarray(p.evidence.totals, dtype=float)
        return (n * mean).sum(axis=axis, keepdims=True) / n.sum(axis=axis, keepdims=True), 0.0
    key = ("others", row.system, axis)
    if key not in p.kept:
        own = p if row.system is None else p.system(row.system)
        p.kept[key] = own.seeing(own.evidence.others(axis))
    measure = row.metric if i is None or row.classes is None else row.metric.of(row.classes[i])
    d = p.kind.question(p.kept[key], measure, row.asked).distribution
    return d.mean, d.std


def ends(places: list[Place]) -> list[Place]:
    """The first and the last of a long list."""
    return places if len(places) <= MOST else [*places[:ENDS], *places[-ENDS:]]
