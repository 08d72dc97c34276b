"""What a file is: CSV, JSON lines or Parquet, how it is packed, and the names of its columns; or one clear sentence."""

from __future__ import annotations

import codecs
import csv
import glob
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from howsure import duck
from howsure.errors import BadFile
from howsure.ingest.explaining import explained
from howsure.ingest.packing import File, check_zstd, packing_of, unpacked
from howsure.ingest.streams import stream_names
from howsure.language import spelled

HEAD: Final = 1 << 16
LONGEST: Final = 2_000_000  # bytes of one line
_SUFFIXES: Final = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_LINE_END: Final = re.compile(rb"[\r\n]")
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
    delimiter, names = _csv_head(text[len(before) :], name, ".tsv" in suffixes or ".tab" in suffixes)
    return File(path, name, "csv", packing, delimiter, names, blank=len(before.splitlines()))


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
        first = _LINE_END.search(raw, len(raw) - len(raw.lstrip()) + 1)
        if first or raw.startswith(b"PAR1") or len(raw) >= LONGEST:
            break
    return raw[: max(HEAD, first.end() if first else len(raw))], packing


def _unzst(path: str, name: str) -> bytes:
    """DuckDB unpacks it: Python learned zstd only lately."""
    import duckdb

    escaped = glob.escape(path)
    query = "SELECT line FROM read_csv($1, columns={'line': 'VARCHAR'}, auto_detect=false, delim='', quote='', "
    query += f"escape='', header=false, compression='zstd', max_line_size={LONGEST}) LIMIT 20"
    try:
        with duck.connect() as con:
            lines = [row[0] or "" for row in con.execute(query, [[escaped]]).fetchall()]
    except duckdb.Error as error:
        if "Expected Number of Columns: 1 " in str(error):  # no delimiter is the byte 0
            return b"\0"
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


def _csv_head(text: str, name: str, tabs: bool) -> tuple[str, tuple[str, ...]]:
    if len(text) >= LONGEST // 4 and not any(x in text[1:] for x in "\r\n"):
        raise BadFile(f"the first line of {name!r} is longer than 2 MB; a header line with column names is needed.")
    line = text.lstrip("\n\r").splitlines()[0] if text.strip() else ""
    delimiter = "\t" if tabs else max(",\t;|", key=_QUOTED.sub("", line).count)
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise BadFile(f"the header line of {name!r} cannot be read: {error}.") from None
    if not any(x.strip() for x in names):
        raise BadFile(f"{name!r} has no header line; the names of its columns are needed.")
    return delimiter, tuple(x.strip() for x in names)


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
