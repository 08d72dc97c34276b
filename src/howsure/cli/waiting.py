"""One line on a terminal while the command works for over a second: what it does, and for how long."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

PATIENCE = 1.0  # seconds before it shows
_EVERY = 0.2


class _Line:
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
    _Line.over = threading.Event()
    _Line.thread = threading.Thread(target=_show, args=(what, _Line.over), daemon=True)
    _Line.thread.start()


def stop() -> None:
    """Take the line away: output comes, or the end."""
    if _Line.over is not None and _Line.thread is not None:
        _Line.over.set()
        _Line.thread.join()
        _Line.over = _Line.thread = None


def step_aside(there: bool) -> None:
    """Whether a bar that knows more is shown meanwhile."""
    _Line.aside = there


def _show(what: str, over: threading.Event) -> None:
    begun, shown = time.monotonic(), False
    wait = PATIENCE
    while not over.wait(wait):
        wait = _EVERY
        if _Line.aside:
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
