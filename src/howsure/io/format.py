"""What a file is: CSV, JSON lines or Parquet, how it is packed, and the names of its columns; or one clear sentence."""

from __future__ import annotations

import codecs
import csv
import glob
import io
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final

from howsure import duck
from howsure.errors import BadFile
from howsure.io.damaged_files import MIXED, explained
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
from howsure.messages.language import spelled

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


def packed_as(path: str) -> str | None:
    """The packing a name promises."""
    return _PACKED.get(Path(path).suffix.lower())


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
