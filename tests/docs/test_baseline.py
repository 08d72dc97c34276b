"""The comparison of a run of the benchmark with its baseline, on made-up figures, and the memory that rows state."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import baseline, memory, report
from bench.memory import Peak
from bench.registry import Group, Row
from bench.timing import Cost, Rules, commands, race

GROUP = Group("a", "A", lambda _: iter(()))


def figures(*rows: Row) -> dict[str, dict[str, object]]:
    return baseline.figures([(GROUP, rows)])


def row(ours: float, peer: float | None = None, *, own_peer: bool = False) -> Row:
    return Row("all of it", Cost(ours), "peer" if peer else "", None if peer is None else Cost(peer), own_peer=own_peer)


@pytest.mark.parametrize(
    ("then", "now", "times", "by_ratio"),
    [
        (row(2.0, 1.0), row(4.0, 2.0), 1.0, True),  # all of the machine was slower
        (row(2.0, 1.0), row(2.4, 1.0), 1.2, True),
        (row(2.0, 1.0), row(2.0, 0.8), 1.25, True),  # slower than the peer on a faster machine
        (row(2.0), row(2.1), 1.05, False),
        (row(2.0), row(3.0), 1.5, False),
        (row(2.0, 1.0, own_peer=True), row(4.0, 2.0, own_peer=True), 2.0, False),  # both are our own code
    ],
)
def test_a_row_is_compared_by_its_ratio_or_its_seconds(then: Row, now: Row, times: float, by_ratio: bool):
    """With a peer that is not ours the ratio of ratios counts, else the seconds; over 1.1 it is a regression."""
    (change,) = baseline.changes(figures(now), figures(then))
    assert change.times == pytest.approx(times)
    assert change.by_ratio is by_ratio
    assert change.regressed is (times > 1.1)


def test_the_limit_itself_is_no_regression():
    assert not baseline.Change("a: b", baseline.LIMIT, by_ratio=False).regressed


def test_rows_of_one_side_alone_are_named():
    """A row that is gone cannot hide, unless its group was not run."""
    then = {"a: gone": {}, "b: not run": {}, **figures(row(1.0))}
    lines = baseline.comparison(figures(row(1.5), Row("new", Cost(1.0))), then, ["a"])
    assert "new, not in the baseline: a: new" in lines
    assert "in the baseline alone: a: gone" in lines
    assert not any("not run" in line for line in lines)
    assert lines[0].split()[:3] == ["1.50", "seconds", "REGRESSION"]
    assert lines[-1].startswith("1 of 1 rows are over 1.1 times")
    assert lines[-1].endswith("--only a")


def test_a_baseline_has_every_figure_of_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Seconds, ratio and memory of both, and where they come from; what is written is read again."""
    made = Row("b", Cost(0.5, Peak(1.0)), "peer", Cost(2.0, Peak(3.0, whole=True)))
    document = baseline.document([(GROUP, [made])], report.Origin("abc123", "load 0.1", 60))
    assert document["commit"] == "abc123"
    assert document["rows"]["a: b, against peer"] == {
        "seconds": 0.5, "peer_seconds": 2.0, "ratio": 0.25, "own_peer": False, "memory_mb": 1.0, "memory_of": "call",
        "peer_memory_mb": 3.0, "peer_memory_of": "process",
    }  # fmt: skip
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert baseline.read(path) == document
    with pytest.raises(baseline.Unreadable, match="type make bench"):
        baseline.read(tmp_path / "none.json")
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(baseline.Unreadable, match="has no rows"):
        baseline.read(path)


def test_two_rows_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two rows of the benchmark are called 'a: all of it'"):
        figures(row(1.0), row(2.0))


def test_the_memory_of_a_call_is_the_rise_of_the_peak(tmp_path: Path):
    """A call that holds 60 MB for a moment has 60 MB, whatever was held before; a command has that and Python's own."""
    held = b"x" * 80_000_000
    program = [sys.executable, "-S", "-c", "x = b'x' * 60_000_000"]
    calls = {"call": lambda: len(b"x" * 60_000_000), **commands({"command": program}, str(tmp_path))}
    laps = race(calls, Rules(rounds=2))
    peak, whole = laps["call"].peak, laps["command"].peak
    assert len(held) == 80_000_000
    assert peak is not None
    assert whole is not None
    assert 57 <= peak.megabytes <= 60  # 60,000,000 bytes are 57.2 of 1,048,576
    assert not peak.whole
    assert 60 < whole.megabytes < 80
    assert whole.whole
    assert memory.rise(None) is None
