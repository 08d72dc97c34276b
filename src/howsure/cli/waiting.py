"""One line on a terminal while the command works for over a second: what it does, and for how long."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

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
