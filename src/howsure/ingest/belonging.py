"""Ids that nobody named and that repeat: rows of one id may belong together, which is asked where counting is cheap."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadLabels
from howsure.evidence.account import Account
from howsure.ingest.conditions import mentioned
from howsure.ingest.files import Files
from howsure.ingest.frames import Frame, is_batches
from howsure.ingest.groups import Source
from howsure.ingest.guessing import guess
from howsure.ingest.keys import Grouping, Key
from howsure.ingest.memory import Table
from howsure.ingest.request import OPTIONS, Request
from howsure.notes import Notes, note

MOST_ROWS: Final = 250_000  # so that a second look takes about a tenth of a second
MOST_BYTES: Final = 1 << 26  # of files of text, whose every field is read once more


def repeated(source: Source, request: Request, account: Account | None, heading: Sequence[Any]) -> Notes:
    """A question about the first column with a usual name of an id whose values repeat, where it has no role yet."""
    named = request.item or request.cluster or request.system or request.count
    if named or "cluster" not in OPTIONS[request.kind] or account is None or not 1 < account.read <= MOST_ROWS:
        return ()
    names = [x for x in heading if isinstance(x, str)]
    used = {*request.grouping.columns, *request.answers, *(x for w in request.where for x in mentioned(w))}
    ids = [x for x in guess(names, "id") if x not in used and names.count(x) == 1]
    for column, (values, rows) in zip(ids, _sizes(source, ids, request.where), strict=False):
        if values < rows:
            return (note("rows-together", column=column, ids=values, rows=rows),)
    return ()


def _sizes(source: Source, columns: Sequence[str], where: tuple[str, ...]) -> list[tuple[int, int]]:
    """How many values each column has, in how many rows; nothing where that is not known at little cost."""
    if not columns:
        return []
    if isinstance(source, Files):
        small = sum(Path(x.path).stat().st_size for x in source.files) <= MOST_BYTES
        return source.sizes(columns, where) if small or all(x.kind == "parquet" for x in source.files) else []
    kept = Grouping(tuple(Key(f"item{i}", x) for i, x in enumerate(columns)), where=where, drop=True)
    try:
        if isinstance(source, Table):
            return [(len(x.present), int((~x.missing).sum())) for x in source.rows(kept).labels.values()]
        if isinstance(source, Frame) and source.eager and not is_batches(source.data):
            frame = source.chosen(kept)
            return [_of_series(frame[x]) for x in columns]
    except (BadLabels, TypeError):
        pass  # lists and records are no ids
    return []


def _of_series(series: Any) -> tuple[int, int]:
    if series.dtype.is_nested():
        return 0, 0
    known = series.drop_nulls()
    return int(known.n_unique()), len(known)
