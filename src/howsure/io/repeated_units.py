"""Rows that may not be independent: columns without a role whose values repeat, and columns that name systems.

Five samples of each question are not five questions. The rule looks at columns that nobody gave a role, and only where
counting is cheap. A column is a unit of sampling if it has at least 20 values of 2 to 100 rows each on average, is no
prediction, no date and no number with decimals, and has the name of an id, groups of one size, or long texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray
from howsure.errors import HowsureError
from howsure.evidence.protocol import Account
from howsure.io.column_names import guess, is_id, is_system
from howsure.io.files import Files
from howsure.io.frames import Frame, is_batches
from howsure.io.groups import Source
from howsure.io.keys import Grouping, Key
from howsure.io.memory import Table
from howsure.io.request import OPTIONS, Request
from howsure.messages.notes import Note, Notes, note

MOST_ROWS: Final = 250_000  # so that a second look takes about a tenth of a second
MOST_BYTES: Final = 1 << 26  # of files of text, whose every field is read once more
MOST_COLUMNS: Final = 40
LEAST_VALUES: Final = 20
ROWS_EACH: Final = (2.0, 100.0)
LONG_TEXT: Final = 20  # characters
MOST_SYSTEMS: Final = 50
_SLACK: Final = 1.25  # of counts that are estimates
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


def repeated(source: Source, request: Request, found: Any, heading: Sequence[Any]) -> Notes:
    """Return a warning about rows that may not be independent, unless the user says that they are."""
    columns = _free(request, found.account, heading)
    sizes = _sizes(source, columns, request.where) if columns else {}
    systems = [x for x, size in sizes.items() if is_system(x) and size.may_be_systems]
    seen = {str(x) for x in getattr(found, "labels", ())}
    units = [
        x for x, size in sizes.items() if x not in systems and size.may_repeat and _is_unit(source, x, request, seen)
    ]
    system = next((x for x in systems if _is_system(source, x, request)), None)
    unit = next(iter(sorted(units, key=lambda x: not is_id(x))), None)
    if system is None and unit is None:
        return ()
    if system is not None:
        return (_of_systems(source, system, unit, request),)
    return (_of_units(source, str(unit), request),)


def _free(request: Request, account: Account | None, heading: Sequence[Any]) -> list[str]:
    """The columns without a role, where a second look is cheap and rows are items."""
    named = request.item or request.cluster or request.system or request.count or request.independent_rows
    if named or "cluster" not in OPTIONS[request.kind] or account is None or not 1 < account.read <= MOST_ROWS:
        return []
    names = [x for x in heading if isinstance(x, str)]
    used = {*request.grouping.columns, *request.answers}
    used |= {x for role in ("truth", "pred", "score", "outcome") for x in guess(names, role)}
    free = [x for x in names if x not in used and names.count(x) == 1]
    return sorted(free, key=lambda x: not (is_id(x) or is_system(x)))[:MOST_COLUMNS]


@dataclass(frozen=True)
class _Size:
    """About how many values a column has, in how many rows."""

    values: int
    rows: int

    @property
    def may_repeat(self) -> bool:
        each = self.rows / max(self.values, 1)
        return self.values * _SLACK >= LEAST_VALUES and ROWS_EACH[0] <= each * _SLACK <= ROWS_EACH[1] * _SLACK**2

    @property
    def may_be_systems(self) -> bool:
        return 2 <= self.values <= MOST_SYSTEMS * _SLACK


def _sizes(source: Source, columns: Sequence[str], where: tuple[str, ...]) -> dict[str, _Size]:
    """How many values each column has, about; nothing where that is not known at little cost."""
    found: dict[str, tuple[int, int]] = {}
    if isinstance(source, Files):
        small = sum(Path(x.path).stat().st_size for x in source.files) <= MOST_BYTES
        found = source.sizes(columns, where) if small or all(x.kind == "parquet" for x in source.files) else {}
    elif isinstance(source, Table):
        found = {x: size for x in columns if (size := _of_table(source, x, where)) is not None}
    elif isinstance(source, Frame) and source.eager and not is_batches(source.data):
        frame = source.chosen(Grouping((), where=where, drop=True))
        found = {x: _of_series(frame[x]) for x in columns}
    return {x: _Size(*size) for x, size in found.items()}


def _of_table(source: Table, column: str, where: tuple[str, ...]) -> tuple[int, int] | None:
    try:
        own = source.rows(Grouping((Key("item0", column),), where=where, drop=True)).labels["item0"]
    except (HowsureError, TypeError):  # lists and records are no ids
        return None
    return len(own.present), int((~own.missing).sum())


def _of_series(series: Any) -> tuple[int, int]:
    known = series.drop_nulls()
    try:
        return (0, 0) if series.dtype.is_nested() else (int(known.n_unique()), len(known))
    except TypeError:  # objects that are lists
        return 0, 0


def _groups(source: Source, columns: Sequence[str], request: Request) -> tuple[list[Any], AnyArray]:
    """The values of the last of some columns, and how many rows each combination has; values that are missing apart."""
    keys = tuple(Key(f"item{i}", x) for i, x in enumerate(columns))
    try:
        g = source.grouped(Grouping(keys, where=request.where, drop=True))
    except (HowsureError, TypeError):
        return [], np.zeros(0)
    last = g.labels[keys[-1].name]
    known = ~last.missing
    return [last.levels[k] for k in last.codes[known]], g.counts[known]


def _is_unit(source: Source, column: str, request: Request, labels: set[str]) -> bool:
    """Whether the column looks like what was sampled."""
    values, counts = _groups(source, [column], request)
    if len(values) < LEAST_VALUES or not ROWS_EACH[0] <= counts.sum() / len(values) <= ROWS_EACH[1]:
        return False
    texts = [str(x).strip() for x in values]
    if 2 * sum(x in labels for x in texts) > len(texts) or all(map(_DATE.match, texts)) or _decimals(texts):
        return False
    long = sum(map(len, texts)) > LONG_TEXT * len(texts)
    return is_id(column) or long or bool((counts == counts[0]).all())


def _decimals(texts: Iterable[str]) -> bool:
    """Whether all are numbers, and some are not whole."""
    try:
        return any(not float(x).is_integer() for x in texts)
    except (ValueError, OverflowError):
        return False


def _is_system(source: Source, column: str, request: Request) -> bool:
    values, counts = _groups(source, [column], request)
    return 2 <= len(values) <= MOST_SYSTEMS and bool(counts.mean() >= ROWS_EACH[0])


def _of_systems(source: Source, column: str, unit: str | None, request: Request) -> Note:
    values, counts = _groups(source, [column], request)
    facts: dict[str, Any] = {"column": column, "count": len(values), "rows": int(counts.sum())}
    return note("repeated-units", what="systems", unit=unit, first=min(map(str, values)), **facts)


def _of_units(source: Source, column: str, request: Request) -> Note:
    """A warning about units that repeat; with slices, whether they repeat only across slices."""
    values, counts = _groups(source, [column], request)
    facts: dict[str, Any] = {"column": column, "count": len(values), "rows": int(counts.sum())}
    if request.by and (_groups(source, [*request.by, column], request)[1] == 1).all():
        return note("slices-share-items", **facts)
    return note("repeated-units", what="units", by=request.by[0] if request.by else None, **facts)
