"""What is wrong with a file that was cut or cannot be read, as one sentence."""

from __future__ import annotations

import contextlib
import glob
import json
import math
import os
import re
import shlex
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from howsure import duck
from howsure.errors import BadFile, listing, plural
from howsure.io.streams import LONGEST, File, check_zstd, damaged, lines_table, unpacked
from howsure.messages.language import spelled

# -- json forms
#
# What a JSON file is whose lines are not records: one object, records over several lines, or damaged.

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


# -- explaining
#
# What DuckDB says of a file it cannot read, as one sentence of our own.

_RAGGED: Final = re.compile(r"CSV Error on Line: (\d+).*?Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
_LINE: Final = re.compile(r"CSV Error on Line: (\d+)")
_FILE: Final = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
_PATH: Final = re.compile(r"file [\"'](.+?)[\"']")
_JSON: Final = re.compile(r"in (line|record/value) (\d+): (.+)")
_NO_RECORD: Final = re.compile(r"in (?:line|record/value) (\d+): Expected OBJECT, but got (\w+)")
_TWICE: Final = re.compile(r'has duplicate key "(.+?)"')
_END: Final = re.compile(rb'"|\r\n|\r|\n')
MIXED: Final = "state machine reached an invalid state"
_UNPACKING: Final = ("GZIP", "ZSTD", "gzip stream", "zstd", "Failed to decode")


def explained(text: str, files: Sequence[File]) -> str:
    """One sentence from what DuckDB says of files."""
    file = _meant(text, files)
    path = repr(file.shown)
    text = text.replace(file.path, file.shown)
    ragged = _RAGGED.search(text)
    if ragged:
        line, expected, got = ragged.groups()
        said = f"line {line} of {path} has {plural(int(got), 'field')} but the header line has {expected}"
        return f"{said}; correct the line, or quote its fields."
    at = _LINE.search(text)
    if at and ("aximum line size" in text or "Maximum_line_size" in text):
        return _too_long(int(at.group(1)), file)
    if "Parallel CSV Reader" in text:  # a line longer than what a thread reads
        return f"a line of {path} is longer than 2 MB; is it the right file?"
    if at and "nterminated quote" in text:
        field = "does not end where its field does (a line may have 2 MB)"
        return f"a quote of line {at.group(1)} of {path} {field}; correct the line."
    if "bad allocation" in text or "ut of Memory" in text:
        return f"there is too little memory to read {path}; give the command more than 600 MB."
    if "maximum_object_size" in text:
        return f"a record of {path} is larger than 16 MB; is it JSON lines?"
    if "No magic bytes" in text or "too small to be a Parquet" in text or "Snappy" in text:
        return f"{path} is a damaged or truncated Parquet file; copy it again."
    if at and "unicode" in text.lower():
        return f"line {at.group(1)} of {path} is not UTF-8 text."
    if MIXED in text:
        return _mixed(file)
    json = _JSON.search(text)
    if "Malformed JSON" in text and json:
        wrong = f"is not JSON: {json.group(3).split('.')[0]}; correct it, or copy the file again."
        return (None if file.array else described(file)) or f"{_record(json)} of {path} {wrong}"
    if file.packing != "none" and any(x in text for x in _UNPACKING):
        return f"{path} is a damaged or truncated {file.packing} file; copy it again."
    other = _NO_RECORD.search(text)
    if other:
        return no_record(int(other.group(1)), other.group(2), file.shown)
    twice = _TWICE.search(text)
    if twice:
        return f"a record of {path} names {twice.group(1)!r} twice; every field needs its own name."
    first = text.partition("Error: ")[2] or text
    first = " ".join(first.partition("\n\n")[0].splitlines()[:2])[:240].strip().rstrip(".")
    return f"cannot read {path}: {first}."


def no_record(at: int, kind: str, shown: str) -> str:
    """What to say of a JSON value among records that is none; lines with nothing on them are not counted."""
    return (
        f"value {at:,} of {shown!r} is not a record but a JSON {kind.lower()}; each line, or entry of the array, "
        'is a record such as {"y": 1}.'
    )


def too_long(file: File, at: int) -> BadFile:
    """What to say of the line of a CSV file that begins at this byte; lines within quotes are not counted."""
    line, quoted = 1, False
    for end in _ends(file, at):
        quoted = quoted != (end == b'"')
        line += not quoted and end != b'"'
    return BadFile(_too_long(line, file))


def _too_long(line: int, file: File) -> str:
    return f"line {line} of {file.shown!r} is longer than 2 MB; is it the right file?"


def _meant(text: str, files: Sequence[File]) -> File:
    """The file that it is about."""
    named = _FILE.search(text) or _PATH.search(text)
    found = [x for x in files if named and x.path == named.group(1)]
    return (found or [x for x in files if x.path in text] or list(files))[0]


def _record(found: re.Match[str]) -> str:
    """DuckDB counts one too many."""
    word = "line" if found.group(1) == "line" else "record"
    return f"{word} {max(int(found.group(2)) - 1, 1)}"


def _mixed(file: File) -> str:
    """Which line ends another way than the first."""
    told = f"{file.shown!r} mixes line ends; write it with one kind of line end."
    if file.packing == "zstd":
        return told
    names = {b"\n": "\\n", b"\r\n": "\\r\\n", b"\r": "\\r"}
    first, line, quoted = b"", 0, False
    try:
        for end in _ends(file):
            if end == b'"':
                quoted = not quoted
                continue
            line += 1
            first = first or (b"" if quoted else end)
            if not quoted and end != first:
                ends = f"ends with {names[end]} where the first ends with {names[first]}"
                return f"line {line} of {file.shown!r} {ends}; write the file with one kind of line end."
    except BadFile as error:
        return str(error)
    return told


def _ends(file: File, most: float = math.inf) -> Iterator[bytes]:
    """Quotes and line ends of so many bytes, in order; a carriage return at the end of a piece may be half of one."""
    rest, seen = b"", 0
    for piece in unpacked(file.path, file.packing, file.shown):
        data = rest + (piece if seen + len(piece) <= most else piece[: int(most) - seen])
        seen += len(piece)
        rest = b"\r" if data.endswith(b"\r") else b""
        yield from _END.findall(data[: len(data) - len(rest)])
        if seen >= most:
            break
    if rest:
        yield rest


# -- ends
#
# Whether files end as they should: packed files with their trailers, JSON arrays with their brackets, lines in time.
#
# DuckDB drops a last line of more than 32 MB in silence, so the lines of CSV files are measured here.

_TAIL: Final = 1 << 12


@contextlib.contextmanager
def checked(files: Sequence[File]) -> Iterator[None]:
    """Refuse files that were cut, or are meanwhile; the bytes of gzip files are checked by a thread as others read."""
    sizes = [_size(file) for file in files]
    for file in files:
        if file.array and file.packing != "gzip":
            _check_bracket(_last_of_lines(file) if file.packing == "zstd" else _last_of_file(file), file.shown)
        if file.kind == "csv" and file.packing == "none":
            _check_lines(file)
    zipped = [file for file in files if file.packing == "gzip"]
    stop, wrong = threading.Event(), list[BadFile]()
    thread = threading.Thread(target=_check_gzip, args=(zipped, stop, wrong), daemon=True)
    if zipped:
        thread.start()
    done = False
    try:
        yield
        done = True
    except Exception:  # whatever it is, it may be for this
        _refuse_cut(files, sizes, least=-1)
        raise
    finally:
        if zipped:
            if not done:
                stop.set()
            thread.join()
    _refuse_cut(files, sizes, least=0)  # DuckDB takes what is left for the whole; a file that is gone it had open
    if wrong:
        raise wrong[0]


def _size(file: File) -> int:
    try:
        return Path(file.path).stat().st_size
    except OSError:
        return -1


def _refuse_cut(files: Sequence[File], sizes: Sequence[int], least: int) -> None:
    """Files that are smaller than they were, and not smaller than `least`."""
    for file, size in zip(files, sizes, strict=True):
        if least <= _size(file) < size:
            raise BadFile(f"{file.shown!r} was cut or removed while it was read; ask again once it is whole.") from None


def _check_gzip(files: Iterable[File], stop: threading.Event, wrong: list[BadFile]) -> None:
    try:
        for file in files:
            last, seen, line = b"", 0, 0
            for piece in unpacked(file.path, "gzip", file.shown):
                if stop.is_set():
                    return
                last = piece.rstrip()[-1:] or last
                found = _after_last_end(piece)
                line = seen + found if found else line
                seen += len(piece)
                if file.kind == "csv" and seen - line > LONGEST:
                    raise too_long(file, line)
            if file.array:
                _check_bracket(last, file.shown)
    except BadFile as error:
        wrong.append(error)


def _check_lines(file: File) -> None:
    """Refuse a plain file with a line that is too long, by looking for the last line end of each 2 MB."""
    with Path(file.path).open("rb") as opened:
        size, at = os.fstat(opened.fileno()).st_size, 0
        while at + LONGEST < size:
            for part in (_TAIL, LONGEST):  # mostly there is one close by
                opened.seek(at + LONGEST - part)
                found = _after_last_end(opened.read(part))
                if found:
                    break
            else:
                raise too_long(file, at)
            at += LONGEST - part + found


def _after_last_end(data: bytes) -> int:
    """Where the last line begins; 0 if nothing ends a line."""
    return max(data.rfind(b"\n"), data.rfind(b"\r")) + 1


def _check_bracket(last: bytes, shown: str) -> None:
    if last != b"]":
        raise BadFile(f"the JSON array of {shown!r} does not end with ']'; copy the file again.")


def _last_of_file(file: File) -> bytes:
    """The last byte that is no white space."""
    with Path(file.path).open("rb") as opened:
        at = opened.seek(0, os.SEEK_END)
        while at > 0:
            at = max(at - _TAIL, 0)
            opened.seek(at)
            found = opened.read(_TAIL).rstrip()
            if found:
                return found[-1:]
    return b""


def _last_of_lines(file: File) -> bytes:
    """The same of a zstd file, which DuckDB unpacks."""
    import duckdb

    query = f"SELECT last(right(rtrim(line), 1)) FROM {lines_table(mixed=True)} WHERE rtrim(line) <> ''"
    try:
        with duck.connect(in_order=True) as con:
            (found,) = con.execute(query, {"file": [glob.escape(file.path)]}).fetchone()
    except duckdb.Error:
        raise damaged(file.shown, "zstd") from None
    return str(found or "").encode()
