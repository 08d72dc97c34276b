"""The help of every command: it ends with examples, and these work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from howsure.cli.app import run
from howsure.cli.examples import EXAMPLES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_fits_the_screen_and_shows_examples(name, capsys, monkeypatch):
    """No line is wider than 80 columns; the examples come last."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run([name, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(f"howsure {name} " in line for line in lines[lines.index(next(x for x in lines if "Examples:" in x)) :])


@pytest.mark.parametrize(("name", "line"), [(name, x) for name, lines in EXAMPLES.items() for x in lines])
def test_examples_of_the_help_work(name, line, capsys, monkeypatch):
    """Each runs from the root of the clone and prints something."""
    monkeypatch.chdir(ROOT)
    assert run([name, *shlex.split(line)]) == 0
    assert capsys.readouterr().out.strip()
