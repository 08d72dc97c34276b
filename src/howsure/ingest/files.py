"""Files to a Tally through DuckDB, embedded: one GROUP BY a group of files, and only the cells come back.

CSV columns are read as text under names of our own, JSON fields as JSON; what the labels are is settled on their few
distinct values. Paths, names, conditions and thresholds are bound; a name goes into SQL only when quoted, and only
after it was found in the file.
"""

from __future__ import annotations

import contextlib
import glob
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure import duck
from howsure.errors import BadFile, BadLabels, UnknownName, listing, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest import conditions
from howsure.ingest.patterns import Column, Counted, coded, merged
from howsure.ingest.request import COUNT, GIVEN, LEAST, MOST, SQUARE, SUM, Request
from howsure.ingest.sniffing import LONGEST, Source, expanded, sniff
from howsure.ingest.texts import typed, typed_together

Watch = Callable[[Any], contextlib.AbstractContextManager[None]]
_WHOLE_SAMPLE: Final = -1
LARGEST: Final = 1 << 24  # bytes of one JSON record


def tally_files(
    paths: Sequence[str | Path],
    request: Request,
    where: Sequence[str] = (),
    watch: Watch | None = None,
) -> Tally | Outcomes:
    """The Tally of one or more files, which are shards of one data set; `-` is standard input."""
    with opened(paths) as (con, sources):
        pieces = [_count(con, group, request, where, watch) for group in grouped(sources)]
        return request.settle(merged(pieces))


@contextlib.contextmanager
def opened(paths: Sequence[str | Path]) -> Iterator[tuple[Any, list[Source]]]:
    """A connection and what each file is; standard input is kept in a temporary file meanwhile."""
    import duckdb

    with contextlib.ExitStack() as stack:
        given = [str(p) for p in paths]
        found = [_standard_input(stack)] if given == ["-"] else [sniff(p) for p in expanded(given)]
        con = stack.enter_context(duck.connect())
        try:
            yield con, found
        except (duckdb.ParserException, duckdb.CatalogException, duckdb.InternalException):
            raise  # our own mistake
        except duckdb.Error as error:
            raise BadFile(explained(str(error), given[0])) from None


def _standard_input(stack: contextlib.ExitStack) -> Source:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="howsure-")))
    kept = folder / "input"
    with kept.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
    return sniff(str(kept), "standard input")


def grouped(sources: Sequence[Source]) -> list[list[Source]]:
    """Files that one query can read together."""
    ordered = sorted(sources, key=lambda s: s.group)
    return [list(group) for _, group in groupby(ordered, key=lambda s: s.group)]


# -- one group of files as a table


@dataclass(frozen=True)
class Reader:
    """A FROM clause with its bound values, and how a column is written in SQL."""

    kind: str
    table: str
    bound: dict[str, Any]
    names: tuple[str, ...]
    place: dict[str, str]  # column -> SQL expression
    where: str  # the files, in words

    def sql(self, column: str) -> str:
        """The column as it is stored: text for CSV, JSON for JSON."""
        if list(self.names).count(column) > 1:
            raise BadLabels(
                f"column {column!r} of {self.where} is named twice; every column that is read needs its own name."
            )
        if column not in self.place:
            hint = nearest(column, self.place)
            shown = listing(dict.fromkeys(self.names))
            raise UnknownName(f"no column named {column!r} in {self.where}.{hint} Columns: {shown}.")
        return self.place[column]

    def text(self, column: str) -> str:
        """The column as text."""
        raw = self.sql(column)
        return f"json_extract_string({raw}, '$')" if self.kind == "json" else f"CAST({raw} AS VARCHAR)"

    def number(self, column: str) -> str:
        """The column as a number; what is none becomes NULL."""
        return f"TRY_CAST({self.text(column)} AS DOUBLE)"


def reader(con: Any, sources: Sequence[Source], columns: Sequence[str]) -> Reader:
    """How to read these files, given the columns that are wanted."""
    paths = [glob.escape(s.path) for s in sources]
    where = repr(sources[0].path) if len(sources) == 1 else f"{len(sources)} files such as {sources[0].path!r}"
    maker = {"csv": _csv_reader, "json": _json_reader, "parquet": _parquet_reader}[sources[0].kind]
    return maker(con, paths, sources[0], columns, where)


def _csv_reader(con: Any, paths: list[str], s: Source, columns: Sequence[str], where: str) -> Reader:  # noqa: ARG001
    inner = {f"c{i}": "VARCHAR" for i in range(len(s.names))}
    table = (
        "read_csv($files, auto_detect=false, header=true, delim=$delimiter, quote='\"', escape='\"', "
        f"columns=$types, compression='{s.packing}', max_line_size={LONGEST})"
    )
    bound = {"files": paths, "delimiter": s.delimiter, "types": inner}
    return Reader("csv", table, bound, s.names, dict(zip(s.names, inner, strict=True)), where)


def _json_reader(con: Any, paths: list[str], s: Source, columns: Sequence[str], where: str) -> Reader:
    bound: dict[str, Any] = {"files": paths}
    layout = "array" if s.array else "newline_delimited"
    packing = f"compression='{s.packing}', format='{layout}', maximum_object_size={LARGEST}"
    names = _json_names(con, paths, packing)
    if any(column not in names for column in columns):  # a field may occur late
        names = _json_names(con, paths, f"{packing}, sample_size={_WHOLE_SAMPLE}")
    place: dict[str, str] = {}
    for path, (top, rest) in names.items():
        place[path] = quoted(top) if not rest else f"json_extract({quoted(top)}, {_literal(_json_path(rest))})"
    tops = {names[c][0]: "JSON" for c in columns if c in names} or {next(iter(names)): "JSON"}
    table = f"read_json($files, columns=$types, {packing})"
    return Reader("json", table, {**bound, "types": tops}, tuple(names), place, where)


def _json_names(con: Any, paths: list[str], options: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every field by its dotted path: the top field and the way down from it."""
    relation = con.execute(f"SELECT * FROM read_json($files, {options}, maximum_depth=6) LIMIT 0", {"files": paths})
    found: dict[str, tuple[str, tuple[str, ...]]] = {d[0]: (d[0], ()) for d in relation.description}
    for name, kind, *_ in relation.description:
        for way in _ways(kind):
            found.setdefault(".".join((name, *way)), (name, way))
    return found


def _ways(kind: Any) -> Iterator[tuple[str, ...]]:
    """The fields below a struct, as ways down."""
    if getattr(kind, "id", None) != "struct":
        return
    for name, inner in kind.children:
        yield (name,)
        yield from ((name, *rest) for rest in _ways(inner))


def _parquet_reader(con: Any, paths: list[str], s: Source, columns: Sequence[str], where: str) -> Reader:  # noqa: ARG001
    table = "read_parquet($files, union_by_name=true)" if len(paths) > 1 else "read_parquet($files)"
    relation = con.execute(f"SELECT * FROM {table} LIMIT 0", {"files": paths})
    place: dict[str, str] = {}
    names = []
    for d in relation.description:
        names.append(d[0])
        place[d[0]] = quoted(d[0])
        for way in _ways(d[1]):
            place.setdefault(".".join((d[0], *way)), ".".join(quoted(x) for x in (d[0], *way)))
    return Reader("parquet", table, {"files": paths}, tuple(names), place, where)


def quoted(name: str) -> str:
    """A name as SQL reads it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _json_path(way: Sequence[str]) -> str:
    return "$" + "".join("." + json.dumps(x, ensure_ascii=False) for x in way)


# -- one query


def _count(con: Any, sources: Sequence[Source], request: Request, where: Sequence[str], watch: Watch | None) -> Counted:
    names = [*request.columns, *(conditions.parse(w).column for w in where)]
    r = reader(con, sources, names)
    for column in request.columns:
        r.sql(column)
    bound = dict(r.bound)
    wanted = [f"{expression} AS {name}" for name, expression in keys(r, request, bound)]
    inner = f"SELECT {', '.join([*wanted, *amount(r, request)])} FROM {r.table}{filters(r, where, bound)}"
    groups = ", ".join(name for name, _ in request.keys)
    query = f"SELECT {groups}, {aggregates(request)} FROM ({inner}) GROUP BY {groups}"
    with watch(con) if watch is not None else contextlib.nullcontext():
        found = con.execute(query, bound).fetchnumpy()
    return request.counted(decoded(r.kind, request, found))


def keys(r: Reader, request: Request, bound: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, SQL) of all that is grouped by; a score becomes the number of thresholds it reaches."""
    found = []
    for name, column in request.keys:
        if not request.thresholds or not name.startswith("answer"):
            found.append((name, r.sql(column)))
            continue
        for i, t in enumerate(request.thresholds):
            bound[f"threshold{i}"] = t
        x = r.number(column)
        steps = " + ".join(f"CAST({x} >= $threshold{i} AS INTEGER)" for i in range(len(request.thresholds)))
        found.append((name, f"CASE WHEN NOT isnan({x}) THEN {steps} END"))
    return found


def amount(r: Reader, request: Request) -> list[str]:
    """The column that is added up."""
    return [] if request.amount is None else [f"{r.number(request.amount)} AS {SUM}"]


def aggregates(request: Request) -> str:
    """The aggregates of the group-by, under the names that Request knows."""
    found = [f"count(*) AS {COUNT}"]
    if request.amount is not None:
        found += [f"count({SUM}) AS {GIVEN}", f"min({SUM}) AS {LEAST}", f"max({SUM}) AS {MOST}"]
        found += [f"sum({SUM} * {SUM}) AS {SQUARE}", f"sum({SUM}) AS {SUM}"]
    return ", ".join(found)


def filters(r: Reader, where: Sequence[str], bound: dict[str, Any]) -> str:
    """A WHERE clause; values are bound."""
    parts = []
    for i, text in enumerate(where):
        c = conditions.parse(text, tuple(r.place))
        name = f"where{i}"
        shown = r.text(c.column)
        if c.number is not None:
            bound[name] = c.number
            test = f"{r.number(c.column)} {c.operator} ${name}"
        elif c.value.lower() in ("true", "false"):
            bound[name] = c.value.lower()
            test = f"lower({shown}) {c.operator} ${name}"
        else:
            bound[name] = c.value
            test = f"{shown} {c.operator} ${name}"
        parts.append(f"({test})")
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def decoded(kind: str, request: Request, found: dict[str, Any]) -> dict[str, Any]:
    """The keys with levels of their own types: text is read as numbers where all of it is."""
    out = dict(found)
    names = [name for name, _ in request.keys if not (request.thresholds and name.startswith("answer"))]
    for name in names:
        column = coded(found[name])
        if kind == "json":
            out[name] = _relevelled(column, _from_json(column.levels, dict(request.keys)[name]))
        else:
            out[name] = column
    if kind != "csv":
        return out
    labels = [name for name in names if not name.startswith("slice")]
    values = dict(zip(labels, typed_together([out[name].levels for name in labels]), strict=True))
    for name in names:
        column = out[name]
        own = values[name] if name in labels else typed(column.levels)
        out[name] = _relevelled(column, [own[x] for x in column.levels])
    return out


def _relevelled(column: Column, values: Sequence[Any]) -> Column:
    """The same rows with other values for the levels."""
    new = coded(list(values))
    return Column(new.levels, np.append(new.codes, -1)[column.codes])


def _from_json(levels: Sequence[str], column: str) -> list[Any]:
    values = [json.loads(text) for text in levels]
    for value in values:
        if isinstance(value, dict):
            inside = next(iter(value), "field")
            raise BadLabels(f"column {column!r} holds records; name one of their fields, such as {column}.{inside}.")
        if isinstance(value, list):
            raise BadLabels(f"column {column!r} holds lists; one plain value an item is needed.")
    text = [x for x in values if isinstance(x, str)]
    other = [x for x in values if x is not None and not isinstance(x, str)]
    if text and other:
        raise BadLabels(
            f"column {column!r} holds both text and numbers, such as {min(text)!r} and {other[0]!r}; "
            "write all of it in one type."
        )
    return values


# -- what went wrong

_RAGGED = re.compile(r"CSV Error on Line: (\d+).*?Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_FILE = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
_PATH = re.compile(r"file [\"'](.+?)[\"']")


def explained(text: str, given: str) -> str:
    """One sentence from what DuckDB says of a file."""
    file = _FILE.search(text) or _PATH.search(text)
    path = repr(file.group(1) if file else given)
    ragged = _RAGGED.search(text)
    if ragged:
        line, expected, got = ragged.groups()
        return f"line {line} of {path} has {got} fields where the head has {expected}; mend the line, or quote it."
    at = _LINE.search(text)
    if at and ("aximum line size" in text or "Maximum_line_size" in text):
        return f"line {at.group(1)} of {path} is longer than 2 MB; is it the right file?"
    if "maximum_object_size" in text:
        return f"a record of {path} is larger than 16 MB; is it JSON lines?"
    if "No magic bytes" in text or "too small to be a Parquet" in text or "Snappy" in text:
        return f"{path} is a damaged or truncated Parquet file; copy it again."
    if at and "unicode" in text.lower():
        return f"line {at.group(1)} of {path} is not UTF-8 text."
    first = text.partition("Error: ")[2] or text
    first = " ".join(first.partition("\n\n")[0].splitlines()[:2])[:240].strip().rstrip(".")
    return f"cannot read {path}: {first}."
