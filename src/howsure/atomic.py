"""Files that appear whole or not at all.

What is written stands in a temporary file beside its place until it is whole. Its writer holds a lock on it, which ends
with the process, however that ends: a temporary file whose lock is free was left by a process that was killed, and the
next write in that folder removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from howsure.errors import BadFile

Name = str | os.PathLike[str]
_TEMPORARY = re.compile(r"\.howsure-([0-9a-f]{8})[0-9a-f]{8}")  # of the machine, and of the file
_DAY = 86_400.0  # seconds
_MOST_LINKS = 40  # as many as Linux follows


@contextmanager
def whole(path: Name) -> Iterator[Path]:
    """A place to write what shall stand at `path`: put there when the block ends well, removed when it does not.

    A new file has the permissions that the umask leaves; one that is replaced keeps its own. Links are followed. A pipe
    or a device cannot be replaced and is written to as it is, and so is what is open already, such as /dev/stdout: the
    bytes go where it stands. What cannot be written is a BadFile.
    """
    target = checked(path)
    try:
        descriptor, old = _descriptor(target), _mode(target)
        if is_stream(target):
            with _passed_on(target if descriptor is None else descriptor) as place:
                yield place
            return
        home = Path(os.path.realpath(target))
        _remove_leftovers(home.parent)
        with _temporary(home.parent, 0o666 if old is None else stat.S_IMODE(old) | stat.S_IWUSR) as place:
            yield place
            _settle(place, old)
            place.replace(home)
    except OSError as error:
        if isinstance(error, BrokenPipeError) and descriptor is not None:
            raise  # as of standard output: the reader has seen enough
        raise BadFile(f"cannot write {str(target)!r}: {error.strerror or error}.") from None


def checked(path: Name) -> Path:
    """A path that a file can have."""
    if not isinstance(path, (str, os.PathLike)):
        raise BadFile(f"a file is named by text or a path; got {path!r}.")
    try:
        found = Path(path)
        if b"\0" not in os.fsencode(found):
            return found
    except UnicodeEncodeError:
        pass
    raise BadFile(f"cannot write {str(path)!r}: no file can have that name.")


def check(path: Name) -> None:
    """Refuse a place where nothing can be written, before there is anything to write; nothing is left there."""
    target = checked(path)
    try:
        old = _mode(target)
        if old is not None and stat.S_ISDIR(old):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if is_stream(target):
            return  # a pipe or a device tells when it is written to
        with _temporary(Path(os.path.realpath(target)).parent, 0o600):
            pass
    except OSError as error:
        raise BadFile(f"cannot write {str(target)!r}: {error.strerror or error}.") from None


def write_text(path: Name, text: str) -> None:
    """A text as a UTF-8 file, whole or not at all; halves of characters, which UTF-8 has not, become escapes."""
    with whole(path) as place:
        place.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def is_stream(path: Path) -> bool:
    """Whether a path leads to an open file of this process, a pipe or a device, which no file can replace."""
    mode = _mode(path)
    return _descriptor(path) is not None or (mode is not None and not stat.S_ISREG(mode))


@contextmanager
def _temporary(folder: Path, mode: int) -> Iterator[Path]:
    """Yield a new file in a folder, locked as long as the block lasts; if it has not been moved by then, remove it."""
    place, lock = _created(folder, mode)
    try:
        yield place
    finally:
        if lock is not None:
            os.close(lock)
        place.unlink(missing_ok=True)  # another process may have been faster


def _created(folder: Path, mode: int) -> tuple[Path, int | None]:
    """Create a temporary file and lock it, if there are locks; another one, if somebody took it for a leftover."""
    while True:
        place = folder / f".howsure-{_machine()}{os.urandom(4).hex()}"
        try:
            number = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            continue
        kept = False
        try:
            locked = _lock(number)
            kept = locked is None or (locked and place.exists())
        finally:
            if not kept:
                place.unlink(missing_ok=True)
            if not kept or locked is None:
                os.close(number)
        if kept:
            return place, number if locked else None


@cache
def _machine() -> str:
    """Return eight digits for this machine: a lock may not be seen from another one that shares the disk."""
    name = os.uname().nodename if hasattr(os, "uname") else ""
    with contextlib.suppress(OSError):  # names repeat, this does not; Linux has it
        name += Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    return f"{zlib.crc32(name.encode()):08x}"


def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files of processes that are gone; whatever cannot be removed stays."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = _TEMPORARY.fullmatch(entry.name)
            if name is not None:
                with contextlib.suppress(OSError):
                    _remove_if_left(entry.path, name[1] == _machine())


def _remove_if_left(path: str, ours: bool) -> None:
    """Remove a temporary file of this user that nobody has locked; without a lock to rely on, once it is a day old."""
    number = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
            return
        free = _lock(number)
        if (free and ours) or (free is not False and found.st_mtime < time.time() - _DAY):
            os.unlink(path)  # noqa: PTH108 - while the lock is held
    finally:
        os.close(number)


def _lock(number: int) -> bool | None:
    """Lock an open file until it is closed; return False if another has it, and None if there are no locks here."""
    try:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _descriptor(path: Path) -> int | None:
    """The number of an open file of this process, where links such as /dev/stdout lead to one."""
    at = path.absolute()
    for _ in range(_MOST_LINKS):
        home = os.path.realpath(at.parent)
        if home == f"/proc/{os.getpid()}/fd" or (home == "/dev/fd" and not at.is_symlink()):
            return int(at.name) if at.name.isdecimal() else None
        if not at.is_symlink():
            return None
        at = Path(home) / at.readlink()
    return None


@contextmanager
def _passed_on(target: Path | int) -> Iterator[Path]:
    """A place to write; when the block has ended well, its bytes go to a pipe, a device or an open file."""
    if isinstance(target, Path) and target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with tempfile.TemporaryDirectory(prefix="howsure-") as folder:
        place = Path(folder) / "output"
        yield place
        number = os.open(target, os.O_WRONLY) if isinstance(target, Path) else os.dup(target)
        with place.open("rb") as made, os.fdopen(number, "wb") as out:
            shutil.copyfileobj(made, out)


def _mode(path: Path) -> int | None:
    """What the file at the end of all links is, and its permissions; None where there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _settle(place: Path, old: int | None) -> None:
    """Bytes reach the disk before the name does: a full disk, or a power cut after the renaming, loses nothing."""
    with place.open("rb+") as file:
        os.fsync(file.fileno())
    if old is not None:
        place.chmod(stat.S_IMODE(old))
