"""Graded values in files to Items: columns of one file, or one column of several files joined on their ids."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadFile, BadLabels, BadSetting
from howsure.evidence.items import Items
from howsure.ingest import conditions, files, pairing, request
from howsure.ingest.files import Watch
from howsure.ingest.graded import means

Array = NDArray[np.float64]

_TRUTHS = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Graded:
    """How values are to be taken."""

    weight: str | None = None
    cluster: str | None = None
    better: str = "higher"
    bounds: tuple[float, float] | None = None
    missing: str = "refuse"

    def items(self, values: dict[str, Any], weight: Any, cluster: Any, name: str | None) -> Items:
        """The Items of columns in memory."""
        given = values if len(values) > 1 else next(iter(values.values()))
        made = means(
            given, weight=weight, cluster=cluster, better=self.better, bounds=self.bounds, missing=self.missing
        )
        return replace(made, measure=replace(made.measure, of=name)) if name is not None else made


def items_of_files(
    paths: Sequence[str | Path],
    columns: Sequence[str],
    names: Sequence[str],
    how: Graded,
    where: Sequence[str] = (),
    watch: Watch | None = None,
) -> Items:
    """Columns of one data set, each the values of a system; several files are its shards."""
    extra = [x for x in (how.weight, how.cluster) if x is not None]
    found: dict[str, list[Any]] = {x: [] for x in dict.fromkeys([*columns, *extra])}
    with files.opened(paths) as (con, sources):
        for group in files.grouped(sources):
            r = files.reader(con, group, [*found, *(conditions.parse(w).column for w in where)])
            bound = dict(r.bound)
            wanted = ", ".join(f"{r.text(x)} AS v{i}" for i, x in enumerate(found))
            with watch(con) if watch is not None else contextlib.nullcontext():
                query = f"SELECT {wanted} FROM {r.table}{files.filters(r, where, bound)}"
                rows = con.execute(query, bound).fetchnumpy()
            for i, x in enumerate(found):
                found[x].extend(np.ma.asarray(rows[f"v{i}"]).tolist())
    values = {name: _floats(found[x], x) for name, x in zip(names, columns, strict=True)}
    weight = None if how.weight is None else _floats(found[how.weight], how.weight)
    cluster = None if how.cluster is None else found[how.cluster]
    return how.items(values, weight, cluster, columns[0] if len(columns) == 1 else None)


def items_joined(
    paths: Sequence[str | Path],
    columns: Sequence[str],
    names: Sequence[str],
    on: Sequence[str],
    how: Graded,
    where: Sequence[str] = (),
    unmatched: str = "refuse",
    watch: Watch | None = None,
) -> Items:
    """One file a system, joined on the ids of the items."""
    if how.weight is not None or how.cluster is not None:
        raise BadSetting("files joined on ids have no --weight and no --cluster; put them into one file for these.")
    wanted = request.make(outcome=list(names), missing="drop")
    with files.opened(paths) as (con, sources), watch(con) if watch is not None else contextlib.nullcontext():
        if len(sources) != len(columns):
            raise BadSetting(f"{len(sources)} files were found for {len(columns)} systems; give one file a system.")
        troubles = pairing.load(con, sources, wanted, columns, on, where, unmatched)
        joins = " ".join(f"JOIN file{i} USING (id)" for i in range(len(sources)))
        picked = ", ".join(f"file{i}.answer AS v{i}" for i in range(len(sources)))
        rows = con.execute(f"SELECT {picked} FROM good {joins}").fetchnumpy()
    values = {
        name: _floats([_plain(x) for x in np.ma.asarray(rows[f"v{i}"]).tolist()], columns[i])
        for i, name in enumerate(names)
    }
    made = how.items(values, None, None, columns[0] if len(set(columns)) == 1 else None)
    return replace(made, notes=(*(t.note for t in troubles), *made.notes))


def _plain(x: Any) -> Any:
    """A value that may still be JSON."""
    if not isinstance(x, str):
        return x
    try:
        return json.loads(x)
    except ValueError:
        return x


def _floats(texts: Sequence[Any], column: str) -> Array:
    """Numbers; what is missing is NaN, what is no number is refused."""
    out = np.empty(len(texts))
    for i, x in enumerate(texts):
        if x is None or (isinstance(x, str) and not x.strip()):
            out[i] = np.nan
            continue
        said = str(x).strip().lower()
        try:
            out[i] = _TRUTHS[said] if said in _TRUTHS else float(x)
        except (TypeError, ValueError):
            raise BadLabels(f"column {column!r} holds {str(x)[:40]!r}, which is no number; a value is one.") from None
    if not len(out):
        raise BadFile(f"there are no rows to take {column!r} from.")
    return out
