"""Formats for programs: JSON, CSV, flat rows, and files of columns."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from howsure import duck
from howsure.messages.user_text import field, json_escaped

# -- raw
#
# JSON and CSV: full precision, no NaN and no Infinity.


def json_text(document: dict[str, Any]) -> str:
    """The document itself, texts as they are."""
    return json_escaped(json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2)) + "\n"


def csv_text(document: dict[str, Any]) -> str:
    """One line a row; nested parts become columns joined by a dot. Texts are such that no spreadsheet computes them."""
    rows = [flat(row, text=field) for row in document["rows"] or _answer(document)]
    found = list(dict.fromkeys(k for row in rows for k in row))
    names = [k for k in found if not any(x.startswith(f"{k}.") for x in found)]  # a part that some rows lack
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(field, names))
    writer.writerows(["" if row.get(k) is None else row[k] for k in names] for row in rows)
    return out.getvalue()


def _answer(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What a document without rows has found, where it says so."""
    return [{k: document[k] for k in ("status", "why")}] if "status" in document else []


def flat(row: dict[str, Any], prefix: str = "", text: Callable[[str], str] = str) -> dict[str, Any]:
    """A row without nesting: keys joined by a dot, lists by blanks; `text` changes texts, not lists of numbers."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out |= flat(value, f"{prefix}{key}.", text)
        elif isinstance(value, (list, tuple)):
            joined = " ".join(str(x) for x in value)
            out[prefix + key] = text(joined) if any(isinstance(x, str) for x in value) else joined
        else:
            out[prefix + key] = text(value) if isinstance(value, str) else value
    return out


# -- flat rows
#
# Rows for programs: the columns that people read, and flat names with numbers for experiment trackers.

Row = dict[str, Any]
_TECHNICAL: Final = frozenset({
    "asked", "overall", "class", "marked", "better", "paired", "std", "median", "mode", "low_gap", "high_gap",
    "p_worse", "chance", "p_above_chance", "route", "range", "infinite", "verdict", "same", "reason", "kind", "sign",
    "limit", "margin", "more_unit", "unit", "ranks", "trec_eval", "equal_within",
})  # fmt: skip
_PARTS: Final = {  # of the parts of a row, what people read; the other parts in full
    "first": ("system", "score", "wins"),
    "second": ("system", "score", "wins"),
    "difference": ("score", "low", "high"),
    **dict.fromkeys(("error", "p_top", "shares", "log_odds"), ()),
}
_ALWAYS: Final = frozenset({"score", "low", "high"})
_ENDINGS: Final = {"score": "", "value": "", "low": "_low", "high": "_high"} | {
    k: f"_{k}" for k in ("p_better", "p_best", "expected_rank", "probability")
}
_NAMES: Final = ("asked", "metric", "measure", "what")
_SETTINGS: Final = frozenset({"schema", "version", "level", "seed"})


def readable(rows: Iterable[Row]) -> list[Row]:
    """The rows without nesting, and without technical columns or columns that are empty throughout."""
    found = [flat({k: _part(k, v) for k, v in row.items() if k not in _TECHNICAL}) for row in rows]
    used = {k for row in found for k, v in row.items() if v is not None or k in _ALWAYS}
    return [{k: v for k, v in row.items() if k in used} for row in found]


def _part(key: str, value: Any) -> Any:
    if isinstance(value, dict) and key in _PARTS:
        return {k: value[k] for k in _PARTS[key] if k in value}
    return value


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result under flat names: f1, f1_low, f1_high; system/f1/spam/region=north_low.

    Names that repeat are numbered. Rows without a name (points of a curve, one of many tables) are left out.
    """
    rows = list(document["rows"])
    out = {k: v for k, v in document.items() if k not in _SETTINGS and _is_number(v)}
    found: dict[str, list[dict[str, float]]] = {}
    for name, own in (x for row in [*rows, *(document.get("ranges") or [])] for x in _named(row)):
        values = {end: own[k] for k, end in _ENDINGS.items() if _is_number(own.get(k))}
        if values not in found.setdefault(name, []):  # a system of two pairs has one score
            found[name].append(values)
    if len(rows) == 1 and not any(_named(rows[0])):
        out |= {k: v for k, v in rows[0].items() if _is_number(v)}
    for name, listed in found.items():
        for i, values in enumerate(listed, 1):
            out |= {(name if len(listed) == 1 else f"{name}/{i}") + end: v for end, v in values.items()}
    return out


def _named(row: Row) -> Iterator[tuple[str, Row]]:
    """The names of a row with the values that go under them: of two systems, each of them and the difference."""
    called = next((str(row[k]) for k in _NAMES if row.get(k) is not None), None)
    if called is None:
        return
    metric = called.replace(":", "/").replace("@", "/")
    where = [f"{k}={v}" for k, v in (row.get("slice") or {}).items()]
    sides = [row.get(k) for k in ("first", "second")]
    systems = [x.get("system") if isinstance(x, dict) else x for x in sides]
    for side, system in zip(sides, systems, strict=True):
        if isinstance(side, dict):
            yield "/".join([str(system), metric, *where]), side | {"value": side.get("wins")}
    own = row if row.get("difference") is None else row["difference"] | {"p_better": row.get("p_better")}
    if row.get("next") is not None:  # of future items the mean is expected, whatever the score so far
        own, where = row | {"score": row["mean"]}, [*where, f"next={row['next']}"]
    pair = [] if None in systems else [f"{systems[0]}-{systems[1]}"]
    system = [] if row.get("system") is None else [str(row["system"])]
    yield "/".join([*system, metric, *pair, *where]), own


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)


# -- columns
#
# Columns as files, for tables of millions of rows: arrays of one length, by name, through DuckDB.

Columns = Mapping[str, Any]
_ERRNO = re.compile(r'"errno":"(\d+)"')  # in what DuckDB says of files


def parquet_file(columns: Columns, path: Path) -> None:
    """A Parquet file."""
    _copy(columns, path, "FORMAT parquet, COMPRESSION zstd")


def csv_file(columns: Columns, path: Path) -> None:
    """A CSV file with a head line; texts are such that no spreadsheet computes them."""
    _copy({field(name): _guarded(values) for name, values in columns.items()}, path, "FORMAT csv, HEADER")


def _guarded(values: Any) -> Any:
    """The same values; of texts, each distinct one is looked at once."""
    if values.dtype != object:
        return values
    texts = {x: field(x) for x in set(values.tolist()) if isinstance(x, str)}
    out = values.copy()
    out[:] = [texts.get(x, x) for x in values.tolist()]
    return out


def _copy(columns: Columns, path: Path, options: str) -> None:
    """The file is written where it is: whoever asks has seen to it that it is not half there (howsure.atomic)."""
    import duckdb

    table = {f"c{i}": values for i, values in enumerate(columns.values())}
    names = ", ".join(f'c{i} AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns))
    quoted = str(path).replace("'", "''")
    try:
        with duck.connect() as con:
            con.register("columns_given", table)
            con.execute(f"COPY (SELECT {names} FROM columns_given) TO '{quoted}' ({options}, USE_TMP_FILE false)")
    except duckdb.Error as error:
        number = _ERRNO.search(str(error))
        raise OSError(os.strerror(int(number[1])) if number else str(error).splitlines()[0]) from None
