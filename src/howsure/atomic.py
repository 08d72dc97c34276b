"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from howsure.errors import BadFile

Name = str | os.PathLike[str]
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
        if descriptor is not None or (old is not None and not stat.S_ISREG(old)):
            with _passed_on(target if descriptor is None else descriptor) as place:
                yield place
            return
        home = Path(os.path.realpath(target))
        place = home.with_name(f".howsure-{os.urandom(8).hex()}")
        place.touch(0o666 if old is None else stat.S_IMODE(old) | stat.S_IWUSR, exist_ok=False)
        try:
            yield place
            _settle(place, old)
            place.replace(home)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
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
        if _descriptor(target) is not None or (old is not None and not stat.S_ISREG(old)):
            return  # a pipe or a device tells when it is written to
        place = Path(os.path.realpath(target)).with_name(f".howsure-{os.urandom(8).hex()}")
        place.touch(0o600, exist_ok=False)
        place.unlink()
    except OSError as error:
        raise BadFile(f"cannot write {str(target)!r}: {error.strerror or error}.") from None


def write_text(path: Name, text: str) -> None:
    """A text as a UTF-8 file, whole or not at all; halves of characters, which UTF-8 has not, become escapes."""
    with whole(path) as place:
        place.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


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
