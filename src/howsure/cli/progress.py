"""Progress on a terminal: one line while the command works, and a bar for what takes over a second."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.io.files import Watch


# -- waiting
#
# One line on a terminal while the command works for over a second: what it does, and for how long.

PATIENCE = 1.0  # seconds before it shows
_EVERY = 0.2


class _Shown:
    """The line that is shown, if any; a bar of its own may take its place."""

    said: str = ""
    over: threading.Event | None = None
    thread: threading.Thread | None = None
    aside: bool = False


def begin(what: str) -> None:
    """Say from a second on that it works, on standard error; where that is no terminal, nothing."""
    stop()
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return
    _Shown.over = threading.Event()
    _Shown.thread = threading.Thread(target=_show, args=(what, _Shown.over), daemon=True)
    _Shown.thread.start()


def stop() -> None:
    """Take the line away: output comes, or the end."""
    if _Shown.over is not None and _Shown.thread is not None:
        _Shown.over.set()
        _Shown.thread.join()
        _Shown.over = _Shown.thread = None


def step_aside(there: bool) -> None:
    """Whether a bar that knows more is shown meanwhile."""
    _Shown.aside = there


def _show(what: str, over: threading.Event) -> None:
    begun, shown = time.monotonic(), False
    wait = PATIENCE
    while not over.wait(wait):
        wait = _EVERY
        if _Shown.aside:
            shown = _clear() if shown else False
            continue
        shown = True
        _put(f"\r{what}, {time.monotonic() - begun:.0f} s")
    if shown:
        _clear()


def _clear() -> bool:
    _put("\r\x1b[K")
    return False


def _put(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


# -- progress
#
# A progress bar on stderr for whatever takes over a second; silent when stderr is no terminal.


def watcher(paths: tuple[str, ...]) -> Watch | None:
    """What shows the progress of a DuckDB query over these files; None where nobody would see it."""
    if not sys.stderr.isatty():
        return None
    size = sum(_size(p) for p in paths)

    @contextlib.contextmanager
    def watch(con: Any) -> Iterator[None]:
        done = threading.Event()
        thread = threading.Thread(target=_show_bar, args=(con, size, done), daemon=True)
        step_aside(True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            step_aside(False)

    return watch


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _show_bar(con: Any, size: int, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting rows", total=size or None)
        while not done.wait(0.2):
            rows, share = _state(con)
            said = f"counting, {rows:,} rows" if rows else "counting rows"
            bar.update(task, description=said, completed=int(share * size) if share is not None else 0)


def _state(con: Any) -> tuple[int, float | None]:
    """Rows done, where DuckDB tells, and the share of the query that is done."""
    percent = getattr(con, "query_progress", lambda: -1.0)()
    return 0, percent / 100 if percent is not None and percent >= 0 else None
