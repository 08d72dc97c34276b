"""A progress bar on stderr for whatever takes over a second; silent when stderr is no terminal."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from howsure.cli import waiting
from howsure.ingest.files import Watch

PATIENCE = 1.0  # seconds before the bar shows


def watcher(paths: tuple[str, ...]) -> Watch | None:
    """What shows the progress of a DuckDB query over these files; None where nobody would see it."""
    if not sys.stderr.isatty():
        return None
    size = sum(_size(p) for p in paths)

    @contextlib.contextmanager
    def watch(con: Any) -> Iterator[None]:
        done = threading.Event()
        thread = threading.Thread(target=_show, args=(con, size, done), daemon=True)
        waiting.step_aside(True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            waiting.step_aside(False)

    return watch


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _show(con: Any, size: int, done: threading.Event) -> None:
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
