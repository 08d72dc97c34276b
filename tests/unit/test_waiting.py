"""The line of a command that works for over a second: on a terminal only, and gone afterwards."""

from __future__ import annotations

import io
import sys
import time

from howsure.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch, stream, seconds=0.3, patience=0.05, aside=False):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(process, "PATIENCE", patience)
    progress.step_aside(aside)
    progress.begin("working")
    time.sleep(seconds)
    progress.stop()
    progress.step_aside(False)
    return stream.getvalue()


def test_a_line_that_goes(monkeypatch):
    """It shows after a while, and is cleared."""
    said = shown(monkeypatch, Terminal())
    assert said.startswith("\rworking, 0 s")
    assert said.endswith("\r\x1b[K")


def test_nothing_where_nobody_sees_it(monkeypatch):
    """No terminal, not long enough, or a bar in its place."""
    assert shown(monkeypatch, io.StringIO()) == ""
    assert shown(monkeypatch, Terminal(), seconds=0.05, patience=5.0) == ""
    assert shown(monkeypatch, Terminal(), aside=True) == ""
