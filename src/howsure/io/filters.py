"""Rows of one item under several filters, as lm-evaluation-harness writes them: an answer, extracted in several ways.

It is one answer still, and counting all of its rows would take an item for several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from howsure.errors import BadSetting, Remedy, listing, plural
from howsure.io import where as conditions
from howsure.io.column_names import guess
from howsure.io.groups import Source
from howsure.io.keys import Grouping, Key
from howsure.io.request import Request
from howsure.messages.language import option

FILTER: Final = "filter"
_HASH: Final = "doc_hash"  # ids begin anew in every task; the same document has the same hash


def refuse_filters(source: Source, request: Request) -> None:
    """Refuse items that are there once for each filter, unless it was said what to make of that."""
    if request.cluster is not None:
        return
    items, found = _several(source, request, request.item)
    if not items:
        return
    ways = f"{option('by', FILTER)} to see each, or {option('cluster', items[1])} to take their rows together"
    raise BadSetting(
        f"{plural(items[0], 'item has', 'items have')} a row for each {FILTER!r} ({listing(found, 4)}), and the same "
        f"items again are no more evidence: choose one with {option('where', _choice(found))}; or give {ways}.",
        remedies=[Remedy({"where": _choice(found)}, example=True)],
    )


def of_filters(source: Source, request: Request, on: Sequence[str]) -> str:
    """What to do with ids that cannot be paired, where they occur once for each filter."""
    items, found = _several(source, request, on)
    return f"; each has a row for every filter: choose one with {option('where', _choice(found))}" if items else ""


def _choice(filters: Sequence[str]) -> str:
    return f"{FILTER}={filters[0]}"


def _several(source: Source, request: Request, given: Sequence[str] = ()) -> tuple[tuple[int, str] | None, list[str]]:
    """How many items are there under more than one filter, the column that tells them apart, and the filters."""
    names = [x for x in source.heading() if isinstance(x, str)]
    ids = list(given) or guess(names, "id")
    told = {x for text in request.where for x in conditions.mentioned(text)}
    if FILTER not in names or not ids or FILTER in {*told, *request.grouping.columns}:
        return None, []
    items = [*ids[: len(given) or 1], *([_HASH] if _HASH in names else [])]
    systems = [] if request.system is None else [Key("system0", request.system)]  # each may have a filter of its own
    keys = (*(Key(f"item{i}", x) for i, x in enumerate(items)), *systems, Key("slice0", FILTER))
    g = source.grouped(Grouping(keys, where=request.where))
    codes = np.stack([g.labels[k.name].codes for k in keys], axis=1)
    pairs = np.unique(codes[(codes >= 0).all(axis=1)], axis=0)
    filters = sorted(str(x) for x in g.labels["slice0"].levels)
    if len(filters) < 2 or not len(pairs):
        return None, []
    times = np.unique(pairs[:, :-1], axis=0, return_counts=True)[1]
    many = int((times > 1).sum())
    return ((many, ids[0]), filters) if many else (None, [])
