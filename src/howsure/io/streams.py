"""Streams and packed files: what is read from standard input, pipes and archives."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from howsure.errors import BadFile, HowsureError

# -- packing
#
# Files and how they are packed: their bytes in pieces of bounded size, read to a proper end.
#
# DuckDB takes a zstd file that was cut for a whole one, a gzip file with damaged bytes, and a JSON array that ends
# after a comma; what it does not look at is looked at here.
#
# CSV queries always name the line end: left alone, DuckDB takes the first that it meets, which may lie within a quoted
# name.
#
# Several threads drop a last line of more than 8 MB in silence, so `ends.py` measures the lines of plain and gzip
# files. Only DuckDB can unpack zstd: there one thread, which refuses lines of up to 32 MB, and the JSON reader, which
# refuses longer ones, look for long lines first. Rows are read by several threads, as one drops a last row whose
# quote is open.

PIECE: Final = 1 << 20
LONGEST: Final = 2_000_000  # bytes of one line
ENDS: Final = {
    "\n": "\\n",
    "\r": "\\r",
    "\r\n": "\\r\\n",
}  # if told \r\n, DuckDB takes \r too: try it last
BUFFER: Final = 16 * LONGEST  # bytes that DuckDB holds at once; within them it drops nothing
LONG_LINES: Final = (
    "SELECT count(*) FROM read_json_objects($file, format='newline_delimited', ignore_errors=true, compression='zstd')"
)
_MARKS: Final = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_BLOCK: Final = 1 << 17  # bytes that a block of zstd unpacks to at most
_UNPACKERS: Final[dict[str, Any]] = {"bzip2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}


@dataclass(frozen=True)
class File:
    """One file: where it is, what it is; for CSV also its delimiter and the head's names."""

    path: str
    shown: str  # its name in messages: what is read once only lies in a temporary file
    kind: str
    packing: str = "none"
    delimiter: str = ","
    names: tuple[str, ...] = ()
    array: bool = False  # JSON: one array in place of lines
    blank: int = 0  # CSV: lines before the head
    end: str = ""  # CSV: what ends the lines; nothing if the head is all there is
    tall: bool = False  # CSV: the head has several lines

    @property
    def group(self) -> tuple[str, str, str, tuple[str, ...], bool, int, str, str]:
        """Files that one query reads together; one with a head of several lines is read alone."""
        alone = self.path if self.tall else ""
        return self.kind, self.packing, self.delimiter, self.names, self.array, self.blank, self.end, alone


def packing_of(first: bytes) -> str:
    """How a file is packed, by its first bytes: gzip, bzip2, xz, zstd or none."""
    if _is_skippable(first):
        return "zstd"
    return next((name for mark, name in _MARKS.items() if first.startswith(mark)), "none")


def _is_skippable(mark: bytes) -> bool:
    """Whether these bytes begin a frame of zstd that holds no data."""
    return mark[1:4] == b"\x2a\x4d\x18" and mark[0] >> 4 == 5


def damaged(shown: str, packing: str) -> BadFile:
    """What to say of a packed file that has no proper end."""
    return BadFile(f"{shown!r} is a damaged or truncated {packing} file; copy it again.")


def unpacked(path: str | Path, packing: str, shown: str) -> Iterator[bytes]:
    """The bytes of a file, plain or packed (not by zstd), in pieces of at most a megabyte; up to its proper end."""
    try:
        with Path(path).open("rb") as file:
            if packing == "none":
                while piece := file.read(PIECE):
                    yield piece
            elif packing == "gzip":
                with gzip.GzipFile(fileobj=file) as inner:
                    while piece := inner.read(PIECE):
                        yield piece
            else:
                yield from _streams(file, packing)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error):
        raise damaged(shown, packing) from None
    except OSError as error:
        if error.errno is None:  # bz2 says so of bytes it cannot unpack
            raise damaged(shown, packing) from None
        raise BadFile(f"cannot read {shown!r}: {error.strerror or error}.") from None


def _streams(file: IO[bytes], packing: str) -> Iterator[bytes]:
    """The streams of a file one after the other; unlike bz2.open, bytes after the last one are not passed over."""
    data = file.read(PIECE)
    while data:
        unpack = _UNPACKERS[packing]()
        while not unpack.eof:
            if unpack.needs_input and not data:
                raise EOFError
            piece = unpack.decompress(data, PIECE)
            data = file.read(PIECE) if unpack.needs_input else b""
            if piece:
                yield piece
        data = unpack.unused_data or file.read(PIECE)


def check_zstd(path: str | Path, shown: str) -> int:
    """Refuse a zstd file whose frames do not end with the file; blocks are stepped over, not unpacked (RFC 8878).

    Returns how many bytes it holds at most.
    """
    most = 0
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while file.tell() < size:
            mark = file.read(4)
            if _is_skippable(mark):
                file.seek(_number(file, 4, shown), os.SEEK_CUR)
            elif packing_of(mark) == "zstd":
                most += _step_over_frame(file, shown)
            else:
                raise damaged(shown, "zstd")
        if file.tell() > size:
            raise damaged(shown, "zstd")
    return most


def _step_over_frame(file: IO[bytes], shown: str) -> int:
    head = _number(file, 1, shown)
    single, checksum = head >> 5 & 1, head >> 2 & 1
    content = (single, 2, 4, 8)[head >> 6]
    dictionary = (0, 1, 2, 4)[head & 3]
    file.seek((1 - single) + dictionary + content, os.SEEK_CUR)
    last, most = False, 0
    while not last:
        block = _number(file, 3, shown)
        last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
        if kind == 3:
            raise damaged(shown, "zstd")
        file.seek(1 if kind == 1 else size, os.SEEK_CUR)  # a block of kind 1 repeats one byte
        most += _BLOCK if kind == 2 else size
    file.seek(4 * checksum, os.SEEK_CUR)
    return most


def _number(file: IO[bytes], size: int, shown: str) -> int:
    raw = file.read(size)
    if len(raw) < size:
        raise damaged(shown, "zstd")
    return int.from_bytes(raw, "little")


def csv_table(file: File) -> str:
    """The rows of CSV files of one form. DuckDB skips a header of one line; one of several lines is their first row."""
    end = f", new_line='{ENDS[file.end]}'" if file.end else ""
    return (
        f"read_csv($files, auto_detect=false, header={not file.tall}, skip={file.blank}, delim=$delimiter, quote='\"', "
        f"escape='\"', columns=$types, compression='{file.packing}', max_line_size={LONGEST}{end})"
    )


def csv_bound(file: File) -> dict[str, Any]:
    """The bound values of `csv_table`, except the files."""
    return {"delimiter": file.delimiter, "types": {f"c{i}": "VARCHAR" for i in range(len(file.names))}}


def lines_table(*, mixed: bool) -> str:
    """The lines of a zstd file, `$file`, as they are; with `mixed` line ends, some lines are empty."""
    ends = ", new_line='\\n', strict_mode=false" if mixed else ""
    return (
        "read_csv($file, columns={'line': 'VARCHAR'}, auto_detect=false, delim='', quote='', escape='', header=false, "
        f"compression='zstd', max_line_size={LONGEST}, parallel=false, buffer_size={BUFFER + LONGEST}{ends})"
    )


# -- streams
#
# Streams (standard input, pipes) kept in temporary files, since files are read more than once; devices are refused.

_STANDARD: Final = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))
_OPEN_ALREADY: Final = ("/dev/stdin", "/dev/fd/", "/proc/")  # a descriptor, whose place in the file may be shared
_NUMBERED: Final = re.compile(r"(/dev|/proc/[^/]+)/fd/[0-9]+")
_NOT_LITERAL: Final = re.compile(r"~|[A-Za-z][A-Za-z0-9+.-]+:")  # to DuckDB the home folder, or a scheme
_CALLED: Final = "standard input"


@dataclass(frozen=True)
class OnDisk:
    """Where a file can be read any number of times, and what it is called."""

    path: str
    shown: str


def is_stream(path: str | Path) -> bool:
    """Whether what a path leads to can be read once only, or is no file at all."""
    text = str(path)
    if text in _STANDARD:
        return True
    try:
        mode = Path(text).stat().st_mode
    except (OSError, ValueError):
        return False  # whoever reads it says what is wrong
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or text.startswith(_OPEN_ALREADY)


def stream_names(paths: Sequence[str | Path]) -> list[str | None]:
    """What to call systems that have no name of their own: standard input, and streams that have a number only.

    >>> stream_names(["-", "a.csv", "/dev/fd/63", "/dev/fd/62"]), stream_names(["a.csv", "/dev/fd/63"])
    (['standard input', None, 'stream 1', 'stream 2'], [None, 'stream'])
    """
    texts = [str(p) for p in paths]
    numbered = [x for x in texts if x not in _STANDARD and _NUMBERED.fullmatch(x)]
    places = {x: f"stream {i}" if len(numbered) > 1 else "stream" for i, x in enumerate(numbered, 1)}
    return [_CALLED if x in _STANDARD else places.get(x) for x in texts]


def refuse_twice(paths: Sequence[str | Path]) -> None:
    """A stream that is given more than once: it would be read empty the second time."""
    seen: set[Any] = set()
    for text in (str(p) for p in paths if is_stream(p)):
        own: Any = _CALLED
        if text not in _STANDARD:
            with contextlib.suppress(OSError):
                found = Path(text).stat()
                own = found.st_dev, found.st_ino
        if own in seen:
            called = _CALLED if own == _CALLED else repr(text)
            raise BadFile(f"{called} is given twice, but can be read only once; write it to a file, and give that.")
        seen.add(own)


def literal(path: str) -> str:
    """Return a path that DuckDB takes for itself: ~ would be the home folder, and file: an address.

    >>> literal("a/x.csv"), literal("/~/x.csv"), literal("file:/x.csv").endswith("/file:/x.csv")
    ('a/x.csv', '/~/x.csv', True)
    """
    return os.path.abspath(path) if _NOT_LITERAL.match(path) else path  # noqa: PTH100 - no folder is looked up


@contextlib.contextmanager
def on_disk(paths: Sequence[str | Path]) -> Iterator[list[OnDisk]]:
    """The files at these paths; what can be read once only is kept in a temporary file meanwhile."""
    refuse_twice(paths)
    with contextlib.ExitStack() as stack:
        places: list[OnDisk] = []
        for text in (str(p) for p in paths):
            kept, shown = text, _CALLED if text == "-" else text
            if is_stream(text):
                name = Path(text).name.removeprefix("-") or "input"  # it may tell the format
                kept = str(stack.enter_context(kept_file(_pieces(text, shown), shown, name)))
            places.append(OnDisk(literal(kept), shown))
        yield places


@contextlib.contextmanager
def kept_file(pieces: Iterable[bytes], shown: str, name: str = "input") -> Iterator[Path]:
    """A temporary file with these bytes; messages that name it name what it holds."""
    with contextlib.ExitStack() as stack:
        target = _folder(stack) / name
        try:
            with target.open("wb") as file:
                file.writelines(pieces)
        except OSError as error:
            raise BadFile(
                f"{shown!r} cannot be kept in the temporary folder {str(target.parent.parent)!r}: "
                f"{error.strerror or error}; set TMPDIR to a folder with room, or give a plain file."
            ) from None
        try:
            yield target
        except HowsureError as error:
            error.args = (error.message.replace(str(target), shown),)
            raise


def read_at_most(path: str | Path, most: int) -> bytes:
    """The bytes of a file or stream, and one more than allowed where it is larger."""
    text = str(path)
    shown = _CALLED if text == "-" else text
    with _source(text, shown) as file:
        return _read(file, shown, most + 1)


def _folder(stack: contextlib.ExitStack) -> Path:
    try:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="howsure-")))
    except OSError as error:
        raise BadFile(f"there is no temporary folder to keep a stream in: {error.strerror}; set TMPDIR.") from None


def _pieces(path: str, shown: str) -> Iterator[bytes]:
    with _source(path, shown) as source:
        while piece := _read(source, shown, PIECE):
            yield piece


def _read(file: IO[bytes], shown: str, size: int) -> bytes:
    try:
        return file.read(size)
    except (OSError, ValueError) as error:
        closed = getattr(error, "errno", None) == errno.EBADF
        why = "it is closed" if closed else getattr(error, "strerror", None) or error
        raise BadFile(f"cannot read {shown!r}: {why}.") from None


@contextlib.contextmanager
def _source(path: str, shown: str) -> Iterator[IO[bytes]]:
    """What is at a path, opened; standard input stays open."""
    if path == "-":
        file = getattr(sys.stdin, "buffer", None)
        if file is None or file.closed:
            raise BadFile(f"cannot read {shown!r}: it is closed.")
        with contextlib.suppress(OSError):  # it may be one in memory
            _refuse_device(file.fileno(), shown)
        yield file
        return
    try:
        opened = Path(path).open("rb")  # noqa: SIM115 - what its reader raises is not meant here
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {shown!r}: {getattr(error, 'strerror', None) or error}.") from None
    with opened:
        _refuse_device(opened.fileno(), shown)
        yield opened


def _refuse_device(file: int, shown: str) -> None:
    """Devices that may never end; a terminal does, and the one for nothing is empty."""
    found = os.fstat(file)
    nothing = found.st_rdev == Path(os.devnull).stat().st_rdev
    endless = stat.S_ISCHR(found.st_mode) and not nothing and not os.isatty(file)
    if endless or stat.S_ISBLK(found.st_mode):
        raise BadFile(f"{shown!r} is a device, which may never end; give a file or a pipe.")
