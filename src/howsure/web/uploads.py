"""Files that were sent, and reports that a page shows: kept for a while in a folder of our own."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadFile

# -- keeping
#
# Reports that a page shows in a frame: the last few, in memory, for a quarter of an hour.

_MOST: Final = 8
_LONGEST_KEPT: Final = 900.0  # seconds
_LARGEST: Final = 20_000_000


class Reports:
    """Pages by addresses that nobody can guess."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, str]] = OrderedDict()

    def keep(self, page: str) -> str | None:
        """The address of a page; None where it is too large to be kept."""
        if len(page) > _LARGEST:
            return None
        name = secrets.token_urlsafe(18)
        self._kept[name] = (time.monotonic(), page)
        self._forget()
        return f"/report/{name}"

    def page(self, name: str) -> str | None:
        """The page of that name, if it is still there."""
        self._forget()
        found = self._kept.get(name)
        return None if found is None else found[1]

    def _forget(self) -> None:
        now = time.monotonic()
        while self._kept and (len(self._kept) > _MOST or now - next(iter(self._kept.values()))[0] > _LONGEST_KEPT):
            self._kept.popitem(last=False)


# -- uploads
#
# Files that were sent: streamed to a folder of our own, called by a harmless label, and deleted, at the latest when
# the next server starts.


class NotKept(BadFile):
    """What was sent has no place on the disk: `full` where that is for lack of room."""

    def __init__(self, text: str, full: bool) -> None:
        super().__init__(text)
        self.full = full


_PREFIX: Final = "server-"
_SOCKETS: Final = "pymp-"  # as multiprocessing calls its folder
_LONGEST: Final = 66  # bytes of a path in which a folder with a socket fits: some systems take 104 in all
_LOCK: Final = "in-use"
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIXES: Final = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_PACKED: Final = ("", ".gz", ".zst")


def label(name: str) -> str:
    r"""What a file is called here: the last part of its name, of plain letters, with a suffix that is known.

    >>> label("../../etc/passwd"), label("C:\\x\\my preds (1).CSV"), label("<script>.jsonl.gz"), label("-rf")
    ('passwd', 'my_preds_1_.csv', 'script_.jsonl.gz', 'rf')
    """
    last = re.split(r"[/\\]", name)[-1]
    known = next((s + p for s in _SUFFIXES for p in _PACKED if last.lower().endswith(s + p)), "")
    stem = _ODD.sub("_", last[: len(last) - len(known)] if known else last).lstrip("._-")
    return f"{stem[:60] or 'data'}{known}"


def own_name(name: str) -> str:
    r"""What its owner calls a file, to be shown and never opened; it is no option, and no stream, of the command.

    >>> own_name("my preds (1).CSV"), own_name("-x.csv"), own_name("a\x00b.csv")
    ('my preds (1).CSV', './-x.csv', 'a_b.csv')
    """
    if not name.strip() or not name.isprintable():
        return label(name)
    return f"./{name}" if name.startswith("-") else name


def root() -> Path:
    """The folder of all servers of this user; nobody else may look into it."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    path = Path(tempfile.gettempdir(), f"howsure-web-{owner}")
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        told = error.strerror or error
        raise BadFile(f"uploads cannot be kept in {str(path)!r}: {told}; set TMPDIR to another folder.") from None
    if path.is_symlink() or (hasattr(os, "getuid") and found.st_uid != owner):
        raise BadFile(f"{str(path)!r} belongs to somebody else; remove it, or set TMPDIR to another folder.")
    if hasattr(os, "getuid") and found.st_mode & 0o077:
        path.chmod(0o700)
    return path


class Folder:
    """The folder of this server. Its lock is held as long as the process lives, however it ends."""

    def __init__(self) -> None:
        with _alone():
            _sweep()
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root()))
            self._lock = (self.path / _LOCK).open("w")
            _locked(self._lock)

    def close(self) -> None:
        """Delete all that is left."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)

    @contextlib.asynccontextmanager
    async def file(self, name: str, pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
        """A folder with one file in it, which holds what was sent; gone afterwards."""
        import asyncio

        folder: Path | None = None
        try:
            try:
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)  # somebody may have tidied up
                folder = Path(tempfile.mkdtemp(prefix="file-", dir=self.path))
                with (folder / label(name)).open("wb") as file:
                    async for piece in pieces:
                        await asyncio.to_thread(file.write, piece)
            except OSError as error:
                told = f"the file cannot be kept while it is read: {error.strerror or error}"
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                mend = "make room, or set TMPDIR" if full else "set TMPDIR"
                raise NotKept(f"{told}; {mend} to another folder and start again.", full) from None
            yield str(folder)
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


@cache
def sockets() -> list[Any]:
    """Have multiprocessing keep its sockets beside the files of servers, and hold a lock for this process.

    What it left elsewhere when it was killed or interrupted would stay for good.
    """
    from multiprocessing import util

    if len(os.fsencode(root())) > _LONGEST:
        return []
    with _alone():
        before, tempfile.tempdir = tempfile.tempdir, str(root())
        try:
            path = Path(util.get_temp_dir())
        finally:
            tempfile.tempdir = before
        if path.parent != root():  # this process has had one for long
            return []
        lock = (path / _LOCK).open("w")
        _locked(lock)
    return [path, lock]


def forget_sockets() -> None:
    """Delete them where a process ends on the spot; it can start no others."""
    if sockets.cache_info().currsize and sockets():
        path, lock = sockets()
        lock.close()
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """No other server starts meanwhile: it would take a folder that has no lock yet for one that was left."""
    with (root() / "starting").open("w") as file:
        _locked(file, wait=True)
        yield


def _sweep() -> None:
    """Delete what servers left that are no more."""
    for path in (*root().glob(f"{_PREFIX}*"), *root().glob(f"{_SOCKETS}*")):
        try:
            with (path / _LOCK).open("w") as lock:
                free = _locked(lock)
        except OSError:
            free = True  # killed before it had a lock
        if free:
            shutil.rmtree(path, ignore_errors=True)


def _locked(file: Any, wait: bool = False) -> bool:
    """Take the lock of a file, if nobody has it, or once nobody has it."""
    try:
        import fcntl
    except ImportError:  # where there is none, a file that is open cannot be deleted
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
