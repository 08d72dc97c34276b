"""Checks of what counts cannot tell, by a second look at rows: items under several filters, repeated units, shifts.

A look costs nothing where rows are independent and predictions are mostly right: it is taken only if names of columns
or the counts suggest that something is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray
from howsure.errors import BadSetting, HowsureError, Remedy, listing, plural
from howsure.evidence.protocol import Account
from howsure.io import where as conditions
from howsure.io.files import Files
from howsure.io.first_rows import MOST, ROWS, guess, is_id, is_system, kind_of
from howsure.io.frames import Frame, is_batches
from howsure.io.groups import Grouping, Key, Source
from howsure.io.memory import Table
from howsure.io.request import OPTIONS, Request
from howsure.io.units import LEAST_IDS, head_of, of_another_row
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes, note

# -- items under several filters
#
# lm-evaluation-harness writes a row for each way to extract an answer. It is one answer still, and counting all of its
# rows would take an item for several.

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


# -- predictions of another row, and predictions that are ids
#
# Counts do not have the order of rows, so the first 200 are read once more. That happens only if most predictions are
# wrong in the way that such mistakes make them wrong.

IDS: Final = "id-predictions"


def misaligned(source: Source, request: Request, doubted: Sequence[set[str]]) -> Notes:
    """Warn about predictions that are the true labels of the row before or after, or the values of an id column.

    `doubted` says for each system which of these the counts leave possible (`labelling.doubtful`).
    """
    heading = [x for x in source.heading() if isinstance(x, str)]
    others = [x for x in heading if heading.count(x) == 1 and x not in (request.truth, *request.answers)]
    usual = [x for x in others if is_id(x)]
    picked = dict.fromkeys((str(request.truth), *request.answers, *usual[:MOST], *others[:MOST]))
    head = {name: head_of(own) for name, own in source.first([*picked], ROWS).items()}
    found: list[Note] = []
    for answer, system, doubt in zip(request.answers, request.systems, doubted, strict=True):
        of = f" of {system}" if len(request.systems) > 1 else ""
        truth, own = head[str(request.truth)], head[answer]
        if "shifted" in doubt:
            found += of_another_row(truth, own, of)
        if "ids" in doubt:
            names = [x for x in head if x in others or (x == answer and is_id(x))]
            found += _ids(truth, own, {x: head[x] for x in names}, of)
    return tuple(found)


def _ids(truth: Sequence[Any], answer: Sequence[Any], columns: dict[str, list[Any]], of: str) -> Notes:
    known = [x for x in answer if x is not None]
    for name, own in columns.items():
        distinct = len(set(known)) == len(known) and kind_of(known) == "whole number"
        if len(set(known)) >= LEAST_IDS and own == answer != truth and (distinct or is_id(name)):
            return (note(IDS, form="column", system=of, column=name),)
    return ()


# -- rows that may not be independent
#
# Five samples of each question are not five questions. The rule looks at columns that nobody gave a role, and only
# where counting is cheap. A column is a unit of sampling if it has at least 20 values of 2 to 100 rows each on average,
# is no prediction, no date and no number with decimals, and has the name of an id, groups of one size, or long texts.

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
