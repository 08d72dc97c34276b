"""What a JSON file is whose lines are not records: one object, records over several lines, or damaged."""

from __future__ import annotations

import glob
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from howsure import duck
from howsure.errors import BadFile, listing, plural
from howsure.ingest.packing import File, check_zstd, lines_table, unpacked
from howsure.language import spelled

_MOST: Final = 1 << 26  # bytes of a file that are looked at
_DEPTH: Final = 3  # objects within objects that may hold the records
_SPACE: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def described(file: File) -> str | None:
    """One sentence about the file and what to give instead; None if its lines are to blame one by one."""
    path = repr(file.shown)
    try:
        text = _text(file)
        values = list(_values(text))
    except json.JSONDecodeError as error:
        if text.lstrip().partition("\n")[0].strip() != "{":
            return None
        return f"line {error.lineno} of {path} is not JSON: {error.msg.lower()}; correct it, or copy the file again."
    except (BadFile, ValueError, RecursionError):
        return None
    if len(values) == sum(not x.isspace() for x in text.splitlines() if x):
        return None
    if len(values) == 1 and isinstance(values[0], dict):
        return _one_object(values[0], file)
    message = f"{path} holds {plural(len(values), 'JSON value')} over several lines; write one record per line"
    return f"{message}{_jq('-c .', file)}."


def refuse_columns(files: Sequence[File], rows: int) -> None:
    """Refuse one record whose fields are lists: these are columns, and not the labels of one item."""
    if rows == 1 and len(files) == 1 and files[0].kind == "json" and not files[0].array:
        told = f"{files[0].shown!r} is one record whose fields are lists, which looks like columns"
        way = spelled("hs.score(json.load(file)) takes columns", "pandas.read_json(FILE).to_csv(...) makes one")
        raise BadFile(f"{told}; give a file of one record per line: {way}.")


def _one_object(value: dict[str, Any], file: File) -> str:
    keys = f"{'key' if len(value) == 1 else 'keys'} {listing(value)}"
    message = (
        f"{file.shown!r} is one JSON object ({keys}); give a file of records: a JSON array, or one record per line."
    )
    found = max(_lists(value, (), _DEPTH), key=lambda x: x[1], default=None)
    if found is None:
        return message
    way, size = found
    query = "".join(f".{x}" if _NAME.fullmatch(x) else f"[{json.dumps(x)}]" for x in way)
    query = query if query.startswith(".") else f".{query}"
    told = f"{'.'.join(way)!r} holds {plural(size, 'record')}; write them to a file of their own"
    return f"{message} {told}{_jq(shlex.quote(query), file)}."


def _jq(query: str, file: File) -> str:
    """The command that does so, for readers at the command line who gave the path of a plain file."""
    if file.packing != "none" or file.shown != file.path:
        return ""
    return spelled("", f" (jq {query} {shlex.quote(file.path)} > records.json)")


def _lists(value: dict[str, Any], way: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Lists of records within an object: the keys that lead there, and how many records there are."""
    for key, inner in value.items():
        if isinstance(inner, list) and inner and all(isinstance(x, dict) for x in inner):
            yield (*way, key), len(inner)
        elif isinstance(inner, dict) and depth > 1:
            yield from _lists(inner, (*way, key), depth - 1)


def _text(file: File) -> str:
    """The whole file, unless it is too large."""
    if file.packing == "zstd":
        return _text_of_zstd(file)
    data = b""
    for piece in unpacked(file.path, file.packing, file.shown):
        data += piece
        if len(data) > _MOST:
            raise ValueError(f"{file.shown!r} is too large.")
    return data.decode()


def _text_of_zstd(file: File) -> str:
    """The same for zstd, which only DuckDB unpacks; it drops the line ends, and JSON has none within texts."""
    import duckdb

    if check_zstd(file.path, file.shown) > _MOST:
        raise ValueError(f"{file.shown!r} is too large.")
    query = f"SELECT line FROM {lines_table(mixed=True)}"
    try:
        with duck.connect() as con:
            lines = con.execute(query, {"file": [glob.escape(file.path)]}).fetchall()
    except duckdb.Error as error:
        raise ValueError("a line is too long, or no text") from error
    return "\n".join(x or "" for (x,) in lines)


def _values(text: str) -> Iterator[Any]:
    """JSON values one after another, with nothing but white space between them."""
    decoder, at = json.JSONDecoder(), _SPACE.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield value
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
