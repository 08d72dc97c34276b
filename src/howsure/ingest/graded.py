"""hs.graded: graded values per item, of arrays, or of columns in long or wide form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.evidence.graded import Graded
from howsure.evidence.sliced_items import SlicedGraded

Names = str | Sequence[str]


def graded(
    data: Any,
    *,
    value: Names | None = None,
    item: Names | None = None,
    system: str | None = None,
    weight: Any = None,
    cluster: Any = None,
    better: str | None = "higher",
    bounds: tuple[float, float] | None = None,
    by: Names | None = None,
    missing: str = "refuse",
    count: str | None = None,
    where: Names | None = None,
    independent_rows: bool = False,
    table: str | None = None,
    query: str | None = None,
    engine: str | None = None,
    remote: str | None = None,
) -> Graded | SlicedGraded:
    """Graded values of items: a sequence, a mapping from system to sequence, or columns of a frame, file or database.

    A mapping may also go from system to item to value, {"a": {"q1": 0.5, "q2": 1.0}}: items are then matched by name.
    A frame is long (value="grade", item="id", system="model": one row for each item and system) or wide
    (value=["a", "b"]: one row an item). `cluster` names items that belong together, such as several answers to one
    question: whole clusters are resampled. `bounds` are the least and the greatest value that an item can have. `by`
    slices: every slice has its own items and its own prior.

    >>> graded([0.5, 1.0, 0.75], bounds=(0, 1))
    Graded(3 items)
    """
    from howsure.ingest.entrance import evidence

    columns: dict[str, Any] = {"value": value, "item": item, "system": system, "count": count}
    columns |= {"by": by, "where": where, "independent_rows": independent_rows}
    place: dict[str, Any] = {"table": table, "query": query, "engine": engine, "remote": remote}
    settings: dict[str, Any] = {"weight": weight, "cluster": cluster, "better": better, "bounds": bounds}
    found = evidence(data, kind="values", missing=missing, **columns, **place, **settings)
    assert isinstance(found, (Graded, SlicedGraded))  # noqa: S101 - narrows the type
    return found
