"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from howsure.errors import BadFile

Name = str | os.PathLike[str]


@contextmanager
def whole(path: Name) -> Iterator[Path]:
    """A place to write what shall stand at `path`: put there when the block ends well, removed when it does not.

    A new file has the permissions that the umask leaves; one that is replaced keeps its own. Links are followed. A pipe
    or a device cannot be replaced and is written to as it is. What cannot be written is a BadFile.
    """
    target = Path(path)
    try:
        old = _mode(target)
        if old is not None and not stat.S_ISREG(old):
            yield target
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
        raise BadFile(f"cannot write {str(target)!r}: {error.strerror or error}.") from None


def write_text(path: Name, text: str) -> None:
    """A text as a UTF-8 file, whole or not at all."""
    with whole(path) as place:
        place.write_text(text, encoding="utf-8", newline="\n")


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
