"""Streams (standard input, pipes) kept in temporary files, since files are read more than once; devices are refused."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from howsure.errors import BadFile, HowsureError

PIECE: Final = 1 << 20
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
            raise type(error)(str(error).replace(str(target), shown)) from None


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
