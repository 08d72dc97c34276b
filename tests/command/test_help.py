"""The help of every command: it ends with examples, and these work."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from howsure.cli.app import app, run
from howsure.cli.options import COLUMNS, LOGS, OUTPUT, QUESTION, RARE, SOURCES, SYSTEMS, Command
from tests.tiers import rough

ROOT = Path(__file__).parents[2]
EXAMPLES = {name: command.examples for name, command in app.commands.items() if isinstance(command, Command)}


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
    """Each runs from the root of the clone and prints something; what is sampled is sampled roughly."""
    monkeypatch.chdir(ROOT)
    assert run(rough([name, *shlex.split(line)])) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", ["score", "compare", "leaderboard", "curve"])
def test_options_are_in_groups_with_the_rare_ones_last(name, capsys, monkeypatch):
    """Every option is shown once; what most people need comes first; all texts begin in one column."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run([name, "--help"]) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    headings = [x for x in lines if x.endswith(":") and not x.startswith(" ")]
    logs = [] if name == "curve" else [LOGS]
    assert headings == [f"{x}:" for x in (COLUMNS, *logs, QUESTION, SYSTEMS, SOURCES, OUTPUT, RARE)]
    below = lines[lines.index(f"{COLUMNS}:") :]
    named = [x.split()[0].rstrip(",") for x in below if x.startswith("  -")]
    own = [x.opts[0] for x in app.commands[name].params if isinstance(x, click.Option)]
    assert sorted(named) == sorted([*own, "-h"])
    rare = {"--tolerance", "--seed", "--bins", "--engine", "--remote", "--stratum", "--population", "--rows"}
    assert {x for x in own if f"  {x} " in shown.partition(f"{RARE}:")[2].partition("Examples:")[0]} >= rare & set(own)
    assert not [x for x in rare if f"  {x} " in shown.partition(f"{RARE}:")[0]]


@pytest.mark.parametrize("name", ["score", "compare", "leaderboard", "curve"])
def test_most_options_take_one_line(name, capsys, monkeypatch):
    """Texts are short enough to be looked over: most take one line beside or below their option."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run([name, "--help"]) == 0
    told = capsys.readouterr().out.partition(f"{COLUMNS}:")[2].partition("Examples:")[0].splitlines()
    options = [i for i, x in enumerate(told) if x.startswith("  -")]
    texts = [
        sum(x.startswith(" " * 28) for x in told[i + 1 : j])
        for i, j in zip(options, [*options[1:], len(told)], strict=True)
    ]
    beside = [len(told[i]) > 28 and told[i][26:28] == "  " for i in options]
    assert sum(more + near <= 1 for more, near in zip(texts, beside, strict=True)) >= 0.85 * len(options)


def test_the_help_of_score_says_that_columns_are_found(capsys, monkeypatch):
    """In the first paragraph below its summary."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["score", "--help"]) == 0
    assert "`howsure score preds.csv` finds columns" in " ".join(capsys.readouterr().out.split("\n\n")[2].split())


@pytest.mark.parametrize("name", ["compare", "leaderboard"])
def test_one_column_is_not_compared(name, capsys, monkeypatch):
    """It says what to add."""
    monkeypatch.chdir(ROOT)
    assert run([name, "examples/breast_cancer.csv", "--pred", "tree"]) == 2
    assert "needs two systems; got one, 'tree': give a second --pred, or a second file" in capsys.readouterr().err
