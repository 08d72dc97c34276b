"""The standing of slices: in which order to show them, and which to leave out of a page.

Slices go from those that are most surely worse than the rest of the data to those most surely better: by the normal
score of the difference between the slice's posterior and that of all other slices together. It orders; it is not shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.document import Place, Row, Source
from howsure.errors import UnknownName, nearest
from howsure.model import posterior
from howsure.slices import Slices
from howsure.table import Tally

SORTS: Final = ("worse", "better", "name", "n", "score")
MOST: Final = 50  # tables of a row that a page shows in full
ENDS: Final = 10  # shown at either end of a longer row


def check_sort(sort: Any) -> str:
    """One of the orders of slices."""
    if sort not in SORTS:
        hint = nearest(str(sort), SORTS)
        raise UnknownName(f"no order {sort!r}.{hint} Give worse, better, name, n or score.")
    return str(sort)


def sliced(t: Source) -> int | None:
    """The place of the axis of slices, if there is one."""
    return next((k for k, (_, axis) in enumerate(t.batch) if isinstance(axis, Slices)), None)


def order(p: Any, row: Row, i: int | None, sort: str) -> list[Place]:
    """The tables of a row (of its i-th class) in the order asked for."""
    shape = p.source.shape
    if sliced(p.source) is None or sort == "name":
        return list(np.ndindex(shape))
    key = _key(p, row, i, sort)
    flat = np.argsort(key.ravel(), kind="stable")
    return list(zip(*(x.tolist() for x in np.unravel_index(flat, shape)), strict=True))


def _key(p: Any, row: Row, i: int | None, sort: str) -> NDArray[Any]:
    """What to sort by, least first; scores that are undefined come last."""
    if sort == "n":
        return -np.asarray(p.source.totals, dtype=float)
    if sort == "score":
        score = row.score if i is None else row.score[i]
        worst = -1.0 if row.metric.better == "lower" else 1.0
        return np.where(np.isnan(score), np.inf, worst * score)
    z = worse(p, row, i)
    return -z if sort == "worse" else z


def worse(p: Any, row: Row, i: int | None = None) -> NDArray[np.float64]:
    """How surely each slice is worse than the rest, as a normal score; 0 where the measure has no direction."""
    t = p.source
    if row.metric.better is None or not isinstance(t, Tally):
        return np.zeros(t.shape)
    mean, std = (np.asarray(x if i is None else x[i]) for x in (row.distribution.mean, row.distribution.std))
    with np.errstate(all="ignore"):
        apart, spread = _rest(p, row, i, mean)
        z = (apart - mean) / np.hypot(std, spread)
    z = np.nan_to_num(z, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(z if row.metric.better == "higher" else -z)


def _rest(p: Any, row: Row, i: int | None, mean: NDArray[Any]) -> tuple[Any, Any]:
    """Mean and standard deviation of the measure on all other slices together, for each slice."""
    t = p.source
    k = sliced(t)
    if row.distribution.route == "sampled":  # no second round of draws for an order: the mean slice will do
        n = np.asarray(t.totals, dtype=float)
        return (n * mean).sum(axis=k, keepdims=True) / n.sum(axis=k, keepdims=True), 0.0

    def others(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.maximum(values.sum(axis=k, keepdims=True) - values, 0))

    own = t if row.system is None else t.system(row.system)
    rest = replace(own, counts=others(own.counts), squares=None if own.squares is None else others(own.squares))
    name = str(row.metric) if i is None or row.classes is None else f"{row.metric}:{row.classes[i]}"
    d = posterior(rest, p.prior, tolerance=p.tolerance, seed=p.seed)[name]
    return d.mean, d.std


def ends(places: list[Place]) -> list[Place]:
    """The first and the last of a long list."""
    return places if len(places) <= MOST else [*places[:ENDS], *places[-ENDS:]]
