"""What a file is (CSV, JSON lines or Parquet), how it is packed, and how DuckDB reads it.

CSV columns are read as text under names of our own, JSON fields as JSON. Paths and values are bound; a name goes into
SQL only when quoted, and only after it was found in the file.
"""

from __future__ import annotations

import codecs
import csv
import glob
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from howsure import duck
from howsure.errors import BadFile, BadLabels, no_column
from howsure.io import where as conditions
from howsure.io.damaged_files import MIXED, explained, no_record
from howsure.io.groups import Key
from howsure.io.streams import (
    BUFFER,
    ENDS,
    LONG_LINES,
    LONGEST,
    File,
    check_zstd,
    csv_bound,
    csv_table,
    lines_table,
    packing_of,
    stream_names,
    unpacked,
)
from howsure.io.where import Judged
from howsure.messages.language import spelled

# -- what a file is

HEAD: Final = 1 << 16
_SUFFIXES: Final = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_RECORD: Final = re.compile(rb'(?:[^"\r\n]++|"[^"]*+")*+(?:\r\n|[\r\n])')  # a line; in quotes no line ends
_BLANK: Final = re.compile(r"(?: *(?:\r\n|\r|\n))*")  # lines with nothing on them
_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"')  # in which nothing parts columns
_PACKED: Final = {".gz": "gzip", ".zst": "zstd"}


def expanded(given: Iterable[str]) -> list[str]:
    """Paths with their globs written out; each must be there."""
    paths: list[str] = []
    for text in given:
        if not text:
            raise BadFile("the name of a file is needed, or - for standard input; got ''.")
        if text != "-" and os.path.isdir(text):  # noqa: PTH112 - a name that is too long is none
            raise BadFile(f"{text!r} is a directory; give its files, such as {text.rstrip('/')}/*.parquet.")
        found = matching(text)
        if not found:
            raise BadFile(f"no file matches {text!r}; check the pattern and the folder.")
        paths += found
    if not paths:
        raise BadFile("no file was given; name one or more, or - for standard input.")
    odd = next((x for x in paths if any("\ud800" <= sign <= "\udfff" for sign in x)), None)
    if odd is not None:
        raise BadFile(
            f"the name {odd!r} is not UTF-8 text; rename the file, or give its contents as - (standard input)."
        )
    return paths


def matching(text: str) -> list[str]:
    """A path, or the files that a pattern means."""
    if os.path.lexists(text) or not glob.has_magic(text):
        return [text]
    return sorted(x for x in glob.iglob(text, recursive=True) if not Path(x).is_dir())  # noqa: PTH207 - any pattern, absolute too


def sniff(path: str, shown: str | None = None) -> File:
    """What the file at a path is."""
    name = shown or path
    head, packing = _head(path, name)
    if not head:
        raise BadFile(f"{name!r} is empty; it needs a header line with column names, or records.")
    suffixes = [x.lower() for x in Path(path).suffixes]
    kind = next((_SUFFIXES[x] for x in reversed(suffixes) if x in _SUFFIXES), None)
    if head.startswith(b"PAR1"):
        return File(path, name, "parquet")
    if kind == "parquet":
        raise BadFile(f"{name!r} is not a Parquet file, though its name says so.")
    text = _text(head, name)
    first = text.lstrip()[:1]
    if kind is None:
        kind = "json" if first in ("{", "[") else "csv"
    if kind == "json":
        if first not in ("{", "["):
            raise BadFile(f"{name!r} does not hold JSON records: it starts with {text[:20]!r}.")
        if head.startswith(codecs.BOM_UTF8):
            raise BadFile(f"{name!r} starts with a byte order mark, which JSON does not allow; save it without one.")
        return File(path, name, "json", packing, array=first == "[")
    before = _BLANK.match(text)[0]  # type: ignore[index]
    found = File(path, name, "csv", packing, "\t" if {".tsv", ".tab"} & set(suffixes) else "", blank=_lines(before))
    found = _csv_head(text[len(before) :], found)
    return _csv_head_of_zstd(found) if packing == "zstd" else found


def _head(path: str, name: str) -> tuple[bytes, str]:
    """The first bytes, unpacked, with as much as the first line needs."""
    try:
        with Path(path).open("rb") as file:
            packing = packing_of(file.read(8))
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}.") from None
    if packing == "zstd":
        check_zstd(path, name)
        return _unzst(path, name), packing
    if packing in ("bzip2", "xz"):
        raise BadFile(f"{name!r} is compressed with {packing}, which cannot be read here; use gzip or zstd.")
    raw, first = b"", None
    for piece in unpacked(path, packing, name):
        raw += piece
        first = _RECORD.match(raw, len(raw) - len(raw.lstrip()))
        if first or raw.startswith(b"PAR1") or len(raw) >= LONGEST:
            break
    return raw[: max(HEAD, first.end() if first else len(raw))], packing


def _unzst(path: str, name: str) -> bytes:
    """The first lines: DuckDB unpacks them, as Python learned zstd only lately. What ended them is not told."""
    import duckdb

    for mixed in (False, True):
        query = f"SELECT line FROM {lines_table(mixed=mixed)} LIMIT 20"
        try:
            with duck.connect() as con:
                lines = [row[0] or "" for row in con.execute(query, {"file": [glob.escape(path)]}).fetchall()]
            break
        except duckdb.Error as error:
            if "Expected Number of Columns: 1 " in str(error):  # no delimiter is the byte 0
                return b"\0"
            if mixed or MIXED not in str(error):
                raise BadFile(explained(str(error), [File(path, name, "csv", "zstd")])) from None
    return "\n".join([*lines, ""]).encode() if lines else b""


def _text(head: bytes, name: str) -> str:
    """The head as text; anything else is a binary file."""
    for cut in range(4):  # the head may end within a letter
        try:
            text = head[: len(head) - cut].decode("utf-8-sig")
            break
        except UnicodeDecodeError:
            continue
    else:
        text = "\0"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadFile(f"{name!r} is UTF-16 text; save it as UTF-8.")
    kind = "sqlite" if head.startswith(b"SQLite format 3\0") else "duckdb" if head[8:12] == b"DUCK" else None
    if kind is not None:
        way = spelled(f"give '{kind}:///{name}' and table=", f"give --db {kind}:///{name} and --table")
        raise BadFile(f"{name!r} is a database; {way}.")
    if "\0" in text:
        raise BadFile(f"{name!r} is a binary file; give CSV, JSON lines (both UTF-8) or Parquet.")
    return text


def _lines(text: str) -> int:
    return len(io.StringIO(text, newline="").readlines())


def _csv_head(text: str, file: File) -> File:
    """The file with its names, line end and delimiter (unless its suffix tells), by the text from the head on."""
    name = file.shown
    if len(text) >= LONGEST // 4 and not any(x in text[1:] for x in "\r\n"):
        raise BadFile(f"the first line of {name!r} is longer than 2 MB; a header line with column names is needed.")
    delimiter = file.delimiter or max(",\t;|", key=_QUOTED.sub("", _first_record(text)).count)
    lines = io.StringIO(text, newline="")
    try:
        names = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise BadFile(f"the header line of {name!r} cannot be read: {error}.") from None
    if not any(x.strip() for x in names):
        raise BadFile(f"{name!r} has no header line; the names of its columns are needed.")
    head = text[: lines.tell()]
    end = next((x for x in ("\r\n", "\n", "\r") if head.endswith(x)), "")
    tall = any(x in head.removesuffix(end) for x in "\r\n")
    return replace(file, delimiter=delimiter, names=tuple(x.strip() for x in names), end=end, tall=tall)


def _first_record(text: str) -> str:
    found = _RECORD.match(text.encode())
    return text if found is None else found[0].decode()


def _csv_head_of_zstd(file: File) -> File:
    """The same for a zstd file, whose lines came without their ends: try each line end until the names are found.

    If lines were parted at ends of two kinds, there may be twice as many blank lines before the head as in the file.
    """
    import duckdb

    _refuse_long_lines(file)
    wrong: list[str] = []
    with duck.connect() as con:
        for end, blank in product(ENDS, dict.fromkeys((file.blank, file.blank // 2))):
            tall = replace(file, end=end, blank=blank, tall=True)
            query = f"SELECT * FROM {csv_table(tall)} LIMIT 1"
            try:
                rows = con.execute(query, {"files": [glob.escape(file.path)], **csv_bound(tall)}).fetchall()
            except duckdb.Error as error:
                wrong.append(str(error))
                continue
            names = tuple((x or "").strip() for x in rows[0]) if rows else ()
            if [x.split() for x in names] == [x.split() for x in file.names]:
                return replace(tall, names=names, tall=file.tall)
    raise BadFile(explained(next((x for x in wrong if MIXED not in x), MIXED), [file]))


def _refuse_long_lines(file: File) -> None:
    """Refuse a zstd file with a line that the CSV reader would drop."""
    import duckdb

    if check_zstd(file.path, file.shown) < BUFFER:
        return
    try:
        with duck.connect() as con:
            for query in (LONG_LINES, f"SELECT count(*) FROM {lines_table(mixed=True)}"):
                con.execute(query, {"file": [glob.escape(file.path)]})
    except duckdb.Error as error:
        if "maximum_object_size" not in str(error):
            raise BadFile(explained(str(error), [file])) from None
        ends = "In a large zstd file, lines must end with \\n or \\r\\n"
        raise BadFile(f"a line of {file.shown!r} is longer than 2 MB; is it the right file? {ends}.") from None


def system_names(paths: Iterable[str]) -> tuple[str, ...]:
    """The shortest part of each path that tells them apart.

    >>> system_names(["runs/gpt/out.jsonl", "runs/claude/out.jsonl"]), system_names(["a.jsonl", "x/b.csv.gz"])
    (('gpt', 'claude'), ('a', 'b'))
    """
    given = list(paths)
    parts = [[*Path(p).parts[:-1], _stem(Path(p).name)] for p in given]
    streams = stream_names(given)
    for back in range(1, max(len(p) for p in parts) + 1):
        names = tuple(own or (p[-back] if len(p) >= back else "") for p, own in zip(parts, streams, strict=True))
        if all(names) and len(set(names)) == len(names):
            return names
    return tuple(given)


def _stem(name: str) -> str:
    path = Path(name)
    while path.suffix.lower() in _SUFFIXES or path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path.name


# -- as tables of DuckDB

_WHOLE_SAMPLE: Final = -1
_FIRST: Final = 100  # records of a file that mostly show all of its fields
LARGEST: Final = 1 << 24  # bytes of one JSON record


@dataclass(frozen=True)
class Reader:
    """A FROM clause with its bound values, and how a column is written in SQL."""

    kind: str
    table: str
    bound: dict[str, Any]
    names: tuple[str, ...]
    place: dict[str, str]  # column -> SQL expression
    where: str  # the files, in words
    kinds: dict[str, str] = field(default_factory=dict)  # column -> type, where it is not read as text
    nested: dict[str, str] = field(default_factory=dict)  # column -> lists or records, where it is read as text

    @property
    def numeric(self) -> frozenset[str]:
        """Columns that are stored as numbers."""
        return frozenset(x for x, kind in self.kinds.items() if kind.partition("(")[0] in conditions.NUMERIC)

    def sql(self, column: str) -> str:
        """The column as it is stored: text for CSV, JSON for JSON."""
        if list(self.names).count(column) > 1:
            raise BadLabels(
                f"column {column!r} of {self.where} is named twice; every column that is read needs its own name."
            )
        if column not in self.place:
            raise no_column(column, self.names, self.where, self.place)
        return self.place[column]

    def plain(self, column: str) -> str:
        """The column as values of Python; times in a zone lose it, as DuckDB needs pytz to hand them over."""
        kind, raw = self.kinds.get(column, ""), self.sql(column)
        if kind.startswith("TIMESTAMP") and _is_zoned(kind):
            return f"CAST(CAST({raw} AS TIMESTAMPTZ) AS TIMESTAMP)"
        return f"CAST({raw} AS VARCHAR)" if _is_zoned(kind) else raw

    def label(self, key: Key) -> str:
        """The column of a key; an empty field of CSV may be an empty text."""
        raw = self.sql(key.column)
        return f"coalesce({raw}, '')" if key.blank and self.kind == "csv" else raw

    def text(self, column: str) -> str:
        """The column as text."""
        raw = self.sql(column)
        return f"json_extract_string({raw}, '$')" if self.kind == "json" else f"CAST({raw} AS VARCHAR)"

    def number(self, column: str) -> str:
        """The column as a number; true is 1, false is 0, and what is no number becomes NULL."""
        if column in self.numeric:
            return f"CAST({self.sql(column)} AS DOUBLE)"
        return f"nullif({conditions.read_number(self.text(column))}, 'NaN'::DOUBLE)"

    def judged(self, where: Sequence[str], bound: dict[str, Any]) -> list[tuple[conditions.Condition, Judged]]:
        """The conditions, each with its SQL; values are bound."""
        found = []
        for i, text in enumerate(where):
            c = conditions.parse(text, tuple(self.place))
            own, name = self.sql(c.column), f"where{i}_"
            if c.column in self.nested:
                conditions.refuse_nested(c, self.nested[c.column])
            if c.column in self.kinds:
                found.append((c, conditions.of_duckdb(c, own, self.kinds[c.column], bound, name)))
            else:
                found.append((c, conditions.of_text(c, self.text(c.column), bound, name)))
        return found

    def filters(self, where: Sequence[str], bound: dict[str, Any]) -> str:
        """A WHERE clause."""
        parts = [f"({judged.holds})" for _, judged in self.judged(where, bound)]
        return f" WHERE {' AND '.join(parts)}" if parts else ""


def reader(con: Any, sources: Sequence[File], columns: Sequence[str], conditioned: Sequence[str] = ()) -> Reader:
    """How to read these files, given the columns that are wanted, and conditions."""
    paths = [glob.escape(s.path) for s in sources]
    where = repr(sources[0].shown) if len(sources) == 1 else f"{len(sources)} files such as {sources[0].shown!r}"
    if sources[0].kind == "csv":
        return _csv_reader(paths, sources[0], where)
    if sources[0].kind == "json":
        return _json_reader(con, paths, sources[0], columns, conditioned, where)
    return _parquet_reader(con, paths, where)


def apart(con: Any, files: list[File], columns: Sequence[str]) -> list[list[File]]:
    """Parquet files with a column of texts apart from those that hold others in it: one query would make all texts."""
    if len(files) == 1 or files[0].kind != "parquet":
        return [files]
    held = _held(con, files, columns)
    names = [name for column in columns for name in _ends(column)]
    mixed = [x for x in dict.fromkeys(names) if {own for (_, name), own in held.items() if name == x} == {True, False}]
    kinds = [tuple(held.get((s.path, name), True) for name in mixed) for s in files]
    return [[s for s, own in zip(files, kinds, strict=True) if own == kind] for kind in dict.fromkeys(kinds)]


def refuse_lacking(con: Any, files: list[File], columns: Sequence[str], conditioned: Sequence[str] = ()) -> None:
    """Refuse a column that some of these files have and another lacks: its rows would be left out as if it were empty.

    A JSON file has a field if one record has.
    """
    if len(files) == 1 or files[0].kind == "csv":  # CSV files that are read together have one head
        return
    sought = dict.fromkeys([*columns, *(x for w in conditioned for x in conditions.mentioned(w))])
    if files[0].kind == "parquet":
        held = _held(con, files, list(sought))
        for column in sought:
            have = {path for path, name in held if name in _ends(column)}
            for s in files:
                if have and s.path not in have:
                    _parquet_reader(con, [glob.escape(s.path)], repr(s.shown)).sql(column)
        return
    whole = reader(con, files, columns, conditioned)
    names = [x for x in sought if x in whole.place]
    for s in files:
        if not _json_has(con, s, names):
            own = _json_reader(con, [glob.escape(s.path)], s, names, (), repr(s.shown))
            for column in names:
                own.sql(column)


def _ends(column: str) -> tuple[str, str]:
    """The names that a column may have in the schema of a Parquet file, which tells no paths."""
    return column, column.rpartition(".")[2]


def _held(con: Any, files: list[File], columns: Sequence[str]) -> dict[tuple[str, str], bool]:
    """The columns of each Parquet file, of those that are wanted, and whether they hold texts."""
    text = "type IN ('BYTE_ARRAY', 'BINARY') AND coalesce(CAST(logical_type AS VARCHAR), '') NOT LIKE 'Decimal%'"
    query = f"SELECT file_name, name, {text} FROM parquet_schema($files) WHERE list_contains($names, name)"
    names = [name for column in columns for name in _ends(column)]
    found = con.execute(query, {"files": [glob.escape(s.path) for s in files], "names": names}).fetchall()
    return {(path, name): is_text for path, name, is_text in found}


def _json_has(con: Any, s: File, columns: Sequence[str]) -> bool:
    """Whether the first records of a file have all of these fields."""
    return set(columns) <= set(_json_names(con, [glob.escape(s.path)], f"{_packing(s)}, sample_size={_FIRST}"))


def _packing(s: File) -> str:
    """How a JSON file is packed and laid out; DuckDB 1 does not know 'none' here, other than in CSV."""
    packing = "uncompressed" if s.packing == "none" else s.packing
    layout = "array" if s.array else "newline_delimited"
    return f"compression='{packing}', format='{layout}', maximum_object_size={LARGEST}"


def _csv_reader(paths: list[str], s: File, where: str) -> Reader:
    table = f"(SELECT * FROM {csv_table(s)} OFFSET 1)" if s.tall else csv_table(s)  # rows come in the file's order
    bound = {"files": paths, **csv_bound(s)}
    return Reader("csv", table, bound, s.names, dict(zip(s.names, bound["types"], strict=True)), where)


def _json_reader(
    con: Any, paths: list[str], s: File, columns: Sequence[str], conditioned: Sequence[str], where: str
) -> Reader:
    sought = [*((x,) for x in columns), *(conditions.mentioned(x) for x in conditioned)]  # one of each is a column
    bound: dict[str, Any] = {"files": paths}
    packing = _packing(s)
    names = _json_names(con, paths, packing)
    if any(names.keys().isdisjoint(x) for x in sought):  # a field may occur late
        names = _json_names(con, paths, f"{packing}, sample_size={_WHOLE_SAMPLE}")
    if tuple(names) == ("json",) and not any("json" in x for x in sought):  # so DuckDB calls what are not all records
        _refuse_no_record(con, paths, packing, s.shown)
        _refuse_no_fields(con, paths, packing, where)
    place: dict[str, str] = {}
    for path, (top, rest, _) in names.items():
        place[path] = quoted(top) if not rest else f"json_extract({quoted(top)}, {_literal(_json_path(rest))})"
    tops = {names[c][0]: "JSON" for x in sought for c in x if c in names} or {next(iter(names)): "JSON"}
    told = {path: conditions.nested_duckdb(str(kind)) for path, (_, _, kind) in names.items()}
    nested = {path: words for path, words in told.items() if words is not None}
    table = f"read_json($files, columns=$types, {packing})"
    return Reader("json", table, {**bound, "types": tops}, tuple(names), place, where, nested=nested)


def _refuse_no_record(con: Any, paths: list[str], options: str, shown: str) -> None:
    """Name the first value that is no record; null is one in which all is missing."""
    rows = f"SELECT row_number() OVER () AS n, json FROM read_json_objects($file, {options})"
    for path in paths:
        query = f"SELECT n, json_type(json) FROM ({rows}) WHERE json_type(json) NOT IN ('OBJECT', 'NULL') LIMIT 1"
        found = con.execute(query, {"file": path}).fetchone()
        if found is not None:
            raise BadFile(no_record(found[0], found[1], shown if len(paths) == 1 else path))


def _refuse_no_fields(con: Any, paths: list[str], options: str, where: str) -> None:
    """Refuse files without a record, or whose records are all empty."""
    counted = "count(*), count(*) FILTER (len(json_keys(json)) > 0)"
    query = f"SELECT {counted} FROM read_json_objects($files, {options})"
    records, filled = con.execute(query, {"files": paths}).fetchone()
    if not filled:
        said = f"there are no fields in the records of {where}" if records else f"there are no records in {where}"
        raise BadFile(f"{said}; records that name their fields are needed.")


def _json_names(con: Any, paths: list[str], options: str) -> dict[str, tuple[str, tuple[str, ...], Any]]:
    """Every field by its dotted path: the top field, the way down from it, and what seems to be its type."""
    relation = con.execute(f"SELECT * FROM read_json($files, {options}, maximum_depth=6) LIMIT 0", {"files": paths})
    found: dict[str, tuple[str, tuple[str, ...], Any]] = {d[0]: (d[0], (), d[1]) for d in relation.description}
    for name, kind, *_ in relation.description:
        for way, own in _ways(kind):
            found.setdefault(".".join((name, *way)), (name, way, own))
    return found


def _ways(kind: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The fields below a struct, as ways down, with their types."""
    if getattr(kind, "id", None) != "struct":
        return
    for name, inner in kind.children:
        yield (name,), inner
        yield from (((name, *rest), own) for rest, own in _ways(inner))


def _parquet_reader(con: Any, paths: list[str], where: str) -> Reader:
    table = "read_parquet($files, union_by_name=true)" if len(paths) > 1 else "read_parquet($files)"
    relation = con.execute(f"SELECT * FROM {table} LIMIT 0", {"files": paths})
    place: dict[str, str] = {}
    kinds: dict[str, Any] = {}
    names = []
    for name, kind, *_ in relation.description:
        names.append(name)
        place[name], kinds[name] = quoted(name), kind
        for way, own in _ways(kind):
            path = ".".join((name, *way))
            if path not in place:
                place[path], kinds[path] = ".".join(quoted(x) for x in (name, *way)), own
    types = {name: str(kind) for name, kind in kinds.items()}
    doubled = _doubled(con, paths, names)
    return Reader("parquet", table, {"files": paths}, (*names, *doubled), place, where, types)


def _doubled(con: Any, paths: list[str], names: list[str]) -> list[str]:
    """Columns that a Parquet file has twice: DuckDB adds a number to the name of the second, as a file may have too."""
    known = set(names)
    if not any(x.rpartition("_")[0] in known and x.rpartition("_")[2].isdigit() for x in names):
        return []
    rows = con.execute("SELECT file_name, name, num_children FROM parquet_schema($files)", {"files": paths}).fetchall()
    found, below, seen = [], 0, set[tuple[str, str]]()
    for i, (path, name, children) in enumerate(rows):
        if i == 0 or path != rows[i - 1][0]:
            continue  # the root
        if not below:
            found += [name] if (path, name) in seen else []
            seen.add((path, name))
        below += (children or 0) - (1 if below else 0)
    return found


def _is_zoned(kind: str) -> bool:
    return "TIMESTAMP WITH TIME ZONE" in kind or "TIMESTAMPTZ" in kind


def quoted(name: str) -> str:
    """A name as SQL reads it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _json_path(way: Sequence[str]) -> str:
    return "$" + "".join("." + json.dumps(x, ensure_ascii=False) for x in way)
