"""Control-C in every command, and a disk that fills while it writes: its own code, no trace, nothing half-written."""

from __future__ import annotations

import json

import pytest

from howsure.cli.app import app
from tests.faults.lines import LINES, WRITE, words
from tests.faults.nursery import Line, ran
from tests.refusals import one_sentence
from tests.tiers import tier, turn

QUICK = ("solve", "gate", "metrics")  # the others write in the same way; all of them when deep
COUNTS = ["score", "--counts", "tp=80,fp=20,fn=30,tn=870", "--metric", "f1"]
AFTER = (30, 300, 1_000, 3_000, 10_000)  # calls
FORMATS = ("x.json", "x.csv", "x.html", "x.md", "x.tex", "x.txt", "x.parquet")


def test_every_command_has_a_line() -> None:
    """A new command is tried by these tests as soon as it has one; tests/web interrupts the server."""
    assert set(LINES) == set(app.commands) - {"serve"}


def test_an_interrupt_when_a_command_begins(tmp_path) -> None:
    """130, silence, and no file."""
    lines = [Line(words(name), str(tmp_path), interrupt="click.core:Context.invoke") for name in LINES]
    for name, left in zip(LINES, ran(lines), strict=True):
        assert (left.code, left.out, left.err.strip(), left.files) == (130, "", "", []), name


def test_an_interrupt_in_the_middle(tmp_path) -> None:
    """After so many calls of our functions, wherever that is: 130 and no file, or a whole one that was done before."""
    ends = [(name, n) for name in WRITE for n in AFTER]
    tries = turn(ends, at=0, every=4)  # four and five have no divisor in common: all ends and all commands are met
    lines = [Line(words(name, "--out", f"{name}{n}.json"), str(tmp_path), after=n) for name, n in tries]
    stopped = 0
    for (name, n), left in zip(tries, ran(lines), strict=True):
        assert left.out == "", (name, n)
        assert left.err.strip() in ("", *(f"wrote {x}" for x in left.files)), (name, n)
        assert (left.code, left.files) in ((130, []), *((code, [f"{name}{n}.json"]) for code in (0, 130))), (name, n)
        assert all(json.loads((tmp_path / x).read_text(encoding="utf-8")) for x in left.files), (name, n)
        stopped += left.code == 130
    assert stopped > len(tries) / 2


@pytest.mark.whole
def test_an_interrupt_while_the_file_is_written(tmp_path) -> None:
    """Its bytes are there but not its name: it goes, and what had the name stays."""
    old = tmp_path / "x.json"
    old.write_text("old")
    tries = WRITE if tier == "deep" else QUICK
    lines = [Line(words(n, "--out", "x.json"), str(tmp_path), interrupt="howsure.atomic:_settle") for n in tries]
    for name, left in zip(tries, ran(lines), strict=True):
        assert (left.code, left.out, left.err.strip(), left.files) == (130, "", "", []), name
    assert old.read_text() == "old"


def test_a_disk_that_fills_while_a_file_is_written(tmp_path) -> None:
    """Every command, and every format of one: a sentence that names the file, exit 2, and nothing half-written."""
    tries = [(words(n), "x.json") for n in (WRITE if tier == "deep" else QUICK)] + [(COUNTS, x) for x in FORMATS]
    lines = [Line([*line, "--out", x], str(tmp_path), most_bytes=64) for line, x in tries]
    for (line, out), left in zip(tries, ran(lines), strict=True):
        assert (left.code, left.out, left.files) == (2, "", []), (line, out, left)
        assert one_sentence(left.err), left.err
        assert out in left.err, left.err
