"""What the Tab key offers, asked as the shells ask; and `howsure` alone."""

from __future__ import annotations

import contextlib
import os
import shlex
import sqlite3
import subprocess
import sys

import pytest

from howsure.cli.app import app, run


@pytest.fixture
def offered(monkeypatch, tmp_path, capsys):
    """What bash is told of a line that ends with a part of a word."""
    (tmp_path / "preds.csv").write_text("label,answer,area\n1,1,x\n")
    (tmp_path / "runs.jsonl").write_text('{"gold": 1, "guess": 0}\n')
    with contextlib.closing(sqlite3.connect(tmp_path / "x.db")) as con:
        con.execute("CREATE TABLE t (y int, z int)")
        con.commit()
    monkeypatch.chdir(tmp_path)

    def ask(line):
        words = shlex.split(line)
        monkeypatch.setenv("_HOWSURE_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) if line.endswith(" ") else len(words) - 1))
        assert run([]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return [x.partition(",")[2] for x in said.out.splitlines() if x]

    return ask


def test_commands_options_choices_and_measures(offered):
    """Whatever is known without data."""
    assert offered("howsure comp") == ["compare", "completion"]
    assert "--truth" in offered("howsure score --tr")
    assert offered("howsure score --better ") == ["higher", "lower"]
    assert offered("howsure score --missing d") == ["drop"]
    assert "f1" in offered("howsure score --metric f")
    assert "recall" not in offered("howsure score --metric f")
    assert offered("howsure completion f") == ["fish"]


def test_columns_of_the_data(offered):
    """Of a file of any kind, and of a database that is a file."""
    assert offered("howsure score preds.csv --truth ") == ["label", "answer", "area"]
    assert offered("howsure score preds.csv --truth label --pred a") == ["answer", "area"]
    assert offered("howsure score runs.jsonl --by g") == ["gold", "guess"]
    assert offered("howsure score --db sqlite:///x.db --table t --truth ") == ["y", "z"]


@pytest.mark.parametrize(
    "line",
    ["howsure score none.csv --truth ", "howsure score --truth ", "howsure score --db none.db --truth ",
     "howsure score --db postgresql://h:1/x --table t --truth ", "howsure score x.db --truth "],
)  # fmt: skip
def test_nothing_where_there_is_nothing(offered, line):
    """It never fails and never prints."""
    assert offered(line) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell, capsys):
    """Each says at its head how it is installed, and asks howsure by the variable that it heeds."""
    assert run(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"# Completion of howsure in {shell}.")
    assert f"howsure completion {shell} >" in out
    assert f"_HOWSURE_COMPLETE={shell}_complete" in out


def test_as_a_module():
    """python -m howsure answers the shells too."""
    env = {"_HOWSURE_COMPLETE": "zsh_complete", "COMP_WORDS": "howsure lead", "COMP_CWORD": "1"}
    made = subprocess.run(
        [sys.executable, "-m", "howsure"], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.splitlines()[:2] == ["plain", "leaderboard"]


def test_howsure_alone_shows_commands_that_work(capsys, monkeypatch, tmp_path):
    """Three commands to try, the one with a file first, 40 columns wide; each of them works."""
    monkeypatch.chdir(tmp_path)
    assert run([]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 40
    (tmp_path / "preds.csv").write_text("label,pred,model_a,model_b\n1,1,1,0\n0,0,1,0\n1,1,1,1\n0,1,0,0\n")
    shown = said.out.replace("\\\n", " ").splitlines()
    tried = [x.split()[1:] for x in shown if x.startswith("  howsure")]
    assert [x[0] for x in tried] == ["preds.csv", "compare", "score"]
    assert [run(words) for words in tried] == [0, 0, 0]


def test_the_help_lists_all_commands_whole(capsys, monkeypatch):
    """No sentence is cut at 80 columns, and the most used come first."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:\n")[2].partition("\n\n")[0]
    assert "..." not in listed
    names = [x.split()[0] for x in listed.splitlines() if x[:3].strip()]
    assert names[:3] == ["score", "compare", "leaderboard"]
    assert set(names) == set(app.commands)


@pytest.mark.parametrize("asked", [{}, {"COMP_WORDS": "howsure sc", "COMP_CWORD": "x"}, {"COMP_WORDS": "'"}])
def test_a_shell_that_asks_amiss_hears_nothing(asked, capsys, monkeypatch):
    """No sentence, no failure: it would stand in the middle of a line that is typed."""
    monkeypatch.setenv("_HOWSURE_COMPLETE", "bash_complete")
    for name in ("COMP_WORDS", "COMP_CWORD"):
        monkeypatch.delenv(name, raising=False)
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert run([]) == 0
    assert capsys.readouterr() == ("", "")
