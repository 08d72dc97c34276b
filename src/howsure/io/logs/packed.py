"""The texts of logs: members of a zip archive, lines, and large JSON read piece by piece; with limits."""

from __future__ import annotations

import contextlib
import json
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from howsure import duck
from howsure.errors import BadFile
from howsure.io.streams import check_zstd

HEAD: Final = 1 << 18  # bytes by which a log is known
MOST: Final = 1 << 30  # bytes of one text
_LOCAL: Final = struct.Struct("<26x2H")  # of the header before a member: the lengths of its name and of what follows
_ZSTD: Final = 93  # a method that zipfile learned in Python 3.14
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()
Take = Callable[[Any], Any]


def head(path: Path) -> bytes:
    """The first bytes of a file; none if it cannot be read, which others tell."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def damaged(path: Path, why: str) -> BadFile:
    """What to say of a log that cannot be read."""
    return BadFile(
        f"{str(path)!r} is a damaged or half-written log: {why}; copy it again, or run the evaluation again."
    )


def _too_large(path: Path, what: str) -> BadFile:
    return BadFile(f"{what} of {str(path)!r} is larger than {MOST >> 20:,} MB, more than a log may have.")


# -- JSON


def text_of(path: Path) -> str:
    """The text of a file."""
    try:
        if path.stat().st_size > MOST:
            raise _too_large(path, "the text")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise damaged(path, "it is not UTF-8 text") from None
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror or error}.") from None


def read_json(path: Path, text: str, at: tuple[str, ...] = (), take: Take = lambda x: x) -> dict[str, Any]:
    """The object of a JSON text; of the array at a place in it, each element as what `take` makes of it.

    >>> read_json(Path("x"), '{"a": {"b": [1, 2]}}', ("a", "b"), lambda x: 10 * x)
    {'a': {'b': [10, 20]}}
    """
    try:
        start = _skip(text, 0)
        if text[start] != "{":
            raise damaged(path, "it is not a JSON object")
        found, end = _object(text, start, at, take)
        if _skip(text, end) != len(text):
            raise damaged(path, "it goes on after its end")
        return found
    except (ValueError, IndexError, RecursionError) as error:
        if isinstance(error, BadFile):
            raise
        raise damaged(path, "its JSON does not end as it should") from None


def _skip(text: str, i: int) -> int:
    return _BLANK.match(text, i).end()  # type: ignore[union-attr]


def _object(text: str, i: int, at: tuple[str, ...], take: Take) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    i = _skip(text, i + 1)
    while text[i] != "}":
        key, i = _DECODER.raw_decode(text, i)
        i = _skip(text, _skip(text, i) + 1)
        if at[:1] == (key,) and len(at) == 1 and text[i] == "[":
            found[key], i = _array(text, i, take)
        elif at[:1] == (key,) and text[i] == "{":
            found[key], i = _object(text, i, at[1:], take)
        else:
            found[key], i = _DECODER.raw_decode(text, i)
        i = _skip(text, i)
        i = _skip(text, i + 1) if text[i] == "," else i
    return found, i + 1


def _array(text: str, i: int, take: Take) -> tuple[list[Any], int]:
    found: list[Any] = []
    i = _skip(text, i + 1)
    while text[i] != "]":
        one, i = _DECODER.raw_decode(text, i)
        found.append(take(one))
        i = _skip(text, i)
        i = _skip(text, i + 1) if text[i] == "," else i
    return found, i + 1


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines."""
    try:
        with path.open("rb") as file:
            for i, line in enumerate(file, 1):
                if line.strip():
                    yield _record(path, line, i)
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror or error}.") from None


def _record(path: Path, line: bytes, i: int) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        if isinstance(found, dict):
            return found
    raise damaged(path, f"line {i:,} is not a JSON record")


# -- zip


@contextlib.contextmanager
def archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive; one without its directory is refused."""
    try:
        with zipfile.ZipFile(path) as found:
            yield found
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError):
        raise damaged(path, "it has no proper zip directory, or one of its members is cut") from None
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror or error}.") from None


def member(archived: zipfile.ZipFile, name: str) -> str:
    """The text of a member, packed by any method, zstd included."""
    path, info = Path(str(archived.filename)), archived.getinfo(name)
    if info.file_size > MOST:
        raise _too_large(path, name)
    if info.compress_type == _ZSTD:
        return _unzst(path, info)
    with archived.open(info) as file:
        return _decoded(path, file.read(info.file_size))


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise damaged(path, "it is not UTF-8 text") from None


def _unzst(path: Path, info: zipfile.ZipInfo) -> str:
    """A member packed with zstd, which DuckDB unpacks: Python learned it only lately."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="howsure-") as folder, path.open("rb") as file:
        kept = Path(folder) / "member.zst"
        kept.write_bytes(_packed(path, file, info))
        if check_zstd(kept, str(path)) > MOST + (1 << 20):
            raise _too_large(path, info.filename)
        query = (
            "SELECT json FROM read_json_objects($file, format='unstructured', compression='zstd', "
            "maximum_object_size=$most)"
        )
        try:
            with duck.connect(in_order=True) as con:
                rows = con.execute(query, {"file": [str(kept)], "most": info.file_size + 1024}).fetchall()
        except duckdb.Error:
            raise damaged(path, f"{info.filename} cannot be unpacked") from None
    if len(rows) != 1:
        raise damaged(path, f"{info.filename} is not one JSON value")
    return str(rows[0][0])


def _packed(path: Path, file: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member as they lie in the archive."""
    file.seek(info.header_offset)
    name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
    file.seek(name + extra, 1)
    found = file.read(info.compress_size)
    if len(found) < info.compress_size:
        raise damaged(path, f"{info.filename} is cut")
    return found
