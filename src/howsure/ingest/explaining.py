"""What DuckDB says of a file it cannot read, as one sentence of our own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from howsure.errors import BadFile, plural
from howsure.ingest.json_forms import described
from howsure.ingest.packing import File, unpacked

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
