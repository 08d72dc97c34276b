"""The progress bar: after a second, on stderr, and only where stderr is a terminal."""

from __future__ import annotations

import io
import sys
import time

from howsure.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Query:
    """Stands for a connection that is half-way through."""

    def query_progress(self) -> float:
        return 50.0


def test_no_terminal_no_bar(monkeypatch):
    """Nobody watches a file."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.watcher(("x",)) is None


def test_a_bar_shows_once_patience_is_over(monkeypatch, tmp_path, capsys):
    """A long query shows its bytes on stderr; nothing reaches stdout."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * 4000)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(process, "PATIENCE", 0.05)
    watch = progress.watcher((str(path),))
    assert watch is not None
    with watch(Query()):
        time.sleep(0.6)
    assert "counting" in screen.getvalue()
    assert "kB" in screen.getvalue()
    assert not capsys.readouterr().out


def test_a_short_query_shows_nothing(monkeypatch):
    """Under a second the screen stays as it is."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    watch = progress.watcher(())
    assert watch is not None
    with watch(Query()):
        pass
    assert screen.getvalue() == ""
