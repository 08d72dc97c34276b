"""Whether files end as they should: packed files with their trailers, JSON arrays with their brackets, lines in time.

DuckDB drops a last line of more than 32 MB in silence, so the lines of CSV files are measured here.
"""

from __future__ import annotations

import contextlib
import glob
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from howsure import duck
from howsure.errors import BadFile
from howsure.ingest.explaining import too_long
from howsure.ingest.packing import LONGEST, File, damaged, lines_table, unpacked

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
