"""Reports for other programs: columns for files of millions of slices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from howsure import atomic
from howsure.errors import UnknownName
from howsure.evidence.protocol import Evidence
from howsure.render import named
from howsure.render.columns import csv_file, parquet_file
from howsure.rows import Row
from howsure.slices import Slices


def columns_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Arrays of one entry for each table and row."""
    parts: list[dict[str, Any]] = []
    for row in rows:
        evidence = row.question.state.evidence
        size = int(np.prod(evidence.shape, dtype=int))
        shared = {**_where(evidence), "n": np.asarray(evidence.totals).ravel()}
        low, high = row.interval
        values = {"score": row.score, "mean": row.distribution.mean, "low": low, "high": high}
        for i, label in enumerate(row.classes or (None,)):
            name = row.asked if label is None else f"{row.asked}:{label}"
            at = {k: np.asarray(v, dtype=float)[i] if label is not None else v for k, v in values.items()}
            flat = {k: np.broadcast_to(np.asarray(v, dtype=float), evidence.shape).ravel() for k, v in at.items()}
            named = {"metric": _same(name, size)}
            if row.system is not None:
                named["system"] = _same(row.system, size)
            parts.append({**{k: v for k, v in shared.items() if k != "n"}, **named, "n": shared["n"], **flat})
    return parts[0] if len(parts) == 1 else {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def _same(text: str, size: int) -> Any:
    out = np.empty(size, dtype=object)
    out.fill(text)
    return out


def _where(t: Evidence) -> dict[str, Any]:
    """Each slice column, or other axis, as an array of one entry a table."""
    found: dict[str, Any] = {}
    if not t.shape:
        return found
    index = np.indices(t.shape).reshape(len(t.shape), -1)
    for k, (name, axis) in enumerate(t.batch):
        if isinstance(axis, Slices):
            for j, column in enumerate(axis.columns):
                found[column] = axis.values(j)[index[k]]
        else:
            values = np.empty(len(axis), dtype=object)
            values[:] = list(axis)
            found[name] = values[index[k]]
    return {name: _narrow(values) for name, values in found.items()}


def _narrow(values: Any) -> Any:
    """Numbers as numbers, everything else as text."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        return values.astype(np.int64)
    if kinds <= {int, float}:
        return values.astype(float)
    if kinds <= {bool}:
        return values.astype(bool)
    if kinds <= {str, type(None)}:
        return values
    out = np.empty(len(values), dtype=object)
    out[:] = [None if x is None else str(x) for x in values]
    return out


def write_columns(columns: dict[str, Any], path: atomic.Name) -> None:
    """A Parquet or CSV file, by its suffix, written whole or not at all; without a suffix it is Parquet."""
    parquet = named("parquet")
    suffix = atomic.checked(path).suffix.lower()
    if suffix not in (".csv", "", *parquet.suffixes):
        raise UnknownName(f"write() makes .parquet and .csv files; got {str(path)!r}. For other formats use save().")
    with atomic.whole(path) as place:
        (csv_file if suffix == ".csv" else parquet_file)(columns, place)
