"""Slips and odd input on the command line: one sentence and exit 2, or an answer; never a trace, never a warning."""

from __future__ import annotations

import json
import warnings

import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import BadCounts
from tests.refusals import one_sentence

LONG = "9" * 5000
HEAD = "t,p,n\n"
FILES = {
    "long.csv": f"{HEAD}{LONG},1,1\n1,1,1\n0,0,1\n",
    "long_count.csv": f"{HEAD}1,1,{LONG}\n0,0,1\n",
    "past.csv": f"{HEAD}1,1,9223372036854775808\n0,1,3\n1,0,2\n0,0,4\n",
    "sum.csv": f"{HEAD}1,1,9223372036854775807\n1,1,9223372036854775807\n0,1,3\n",
    "most.csv": f"{HEAD}1,1,9007199254740992\n1,1,8\n0,0,4\n",
    "minus.csv": ",--5,3\n--5,3,4\n3,1,2\n",
    "square.csv": ",²,3\n²,3,4\n3,1,2\n",
    "labels.csv": f"{HEAD}1,1,2\n2,1,3\n",
}
TABLE = ("score", "--counts", "8,2,3,9")
COUNTED = ("--truth", "t", "--pred", "p", "--count", "n")
# What is typed, and what the refusal says; None where there is an answer.
LINES = {
    "a label of 5,000 digits": (("score", "long.csv", "--truth", "t", "--pred", "p"), None),
    "a count of 5,000 digits": (("score", "long_count.csv", *COUNTED), "finite"),
    "a count from 2^63 on": (("score", "past.csv", *COUNTED), "2^53"),
    "counts whose sum is past 2^63": (("score", "sum.csv", *COUNTED), "2^53"),
    "counts whose sum is past 2^53": (("score", "most.csv", *COUNTED), "2^53"),
    "the label --5 of a matrix": (("score", "--matrix", "minus.csv"), None),
    "the label ² of a matrix": (("score", "--matrix", "square.csv"), None),
    "the label ² among numbers": (("score", "labels.csv", "--truth", "t", "--pred", "p", "--labels", "²,1"), "labels"),
    "a long count": (("score", "--counts", f"{LONG},1,2,3"), "finite"),
    "too many draws": (("leaderboard", "--rate", "3/4", "--rate", "2/5", "--draws", "1000000000000"), "--draws"),
    "draws closer than doubles": (
        ("score", "--counts", "1,815901230737,946156147969,0", "--metric", "tetrachoric", "--interval", "hdi"),
        None,
    ),
    "one name too many": (("score", "--matrix", "minus.csv", "--name", "a", "--name", "b"), "--name"),
    "one name too many for columns": (("score", "labels.csv", *COUNTED, "--name", "a", "--name", "b"), "--name"),
    "cells below any double": (("score", "--counts", "0,999,0,13", "--prior", "0.001", "--tolerance", "0.2"), None),
    "laws at the very end of the range": (
        (
            "compare",
            "--counts",
            "1000000000000,7,53,0",
            "--counts",
            "1000000000000000,981745,803127890170,49",
            "--metric",
            "fallout",
            "--prior",
            "0.001",
            "--tolerance",
            "0.2",
        ),
        None,
    ),
    "draws next to 1": (("score", "--counts", "9007199254740992,43,55,0", "--metric", "weighted-f0.5"), None),
    "slip: command": (("scor",), "Did you mean 'score'?"),
    "slip: option": (
        (*TABLE, "--levle", ".9"),
        "no option named '--levle'. Did you mean --level? See: howsure score --help",
    ),
    "slip: metric": ((*TABLE, "--metric", "presision"), "Did you mean 'precision'?"),
    "slip: f of eleven": ((*TABLE, "--metric", "f11"), "Did you mean 'f1'?"),
    "slip: level": ((*TABLE, "--level", "95"), "between 0 and 1, such as 0.95; got 95.0. Did you mean 0.95?"),
    "slip: level of a word": ((*TABLE, "--level", "high"), "--level needs a number, such as 0.95 or 95%; got 'high'"),
    "solve: unknown posterior": (
        ("solve", "precision=.5", "recall=.5", "n=10", "--posterior", "nosuch"),
        "no metric named 'nosuch'",
    ),
    "solve: level of no posterior": (("solve", "recall=.5", "n=10", "--posterior", "f1", "--level", "7"), "level"),
    "solve: too large a count": (("solve", "tp=9007199254740993", "fp=1", "fn=1", "tn=1"), "2^53 (9007199254740992)"),
    "solve: too large a sum": (("solve", "tp=9007199254740992", "fp=1", "fn=1", "tn=1"), "2^53 (9007199254740992)"),
    "solve: too large to be open": (
        ("solve", "tp=1e10", "fp=1", "n=10000000003", "--exact"),
        "count, or leave out --exact",
    ),
    "solve: too large to be sure": (("solve", "n=1e12", "positives=5", "recall=.40"), "certain only with counts up to"),
    "solve: too large for a rate": (
        ("solve", "n=1e12", "positives=5", "recall=.4", "--exact"),
        "counts below 1,000,000,000",
    ),
    "solve: percentage": (("solve", "precision=75.0", "recall=.6"), "Did you mean 75.0%?"),
    "solve: exact percentage": (("solve", "precision=75", "recall=.6", "--exact"), "Did you mean 0.75?"),
    "solve: unknown name": (("solve", "precison=.75"), "Did you mean 'precision'?"),
    "solve: nothing": (("solve",), "nothing is given"),
    "solve: no value": (("solve", "precision"), "name=value"),
    "solve: twice": (("solve", "precision=.75", "precision=.8"), "twice"),
    "solve: word": (("solve", "precision=high"), "'high'"),
    "solve: class": (("solve", "f1:spam=.75"), "leave out the class"),
    "solve: negative count": (("solve", "tp=-3", "n=10"), "negative"),
    "solve: no n": (
        ("solve", "precision=.75", "recall=.6", "--most", "5"),
        "need n or a range of it, such as n=200 or n=100-200",
    ),
    "solve: wins alone": (("solve", "n=10", "--wins", "a,b=1,2"), "--system"),
    "solve: unknown system": (("solve", "n=10", "--system", "a tp=3", "--wins", "a,b=1,2"), "'b'"),
    "solve: unshared": (("solve", "tp=3", "--system", "a f1=.5"), "systems share"),
    "solve: range upside down": (("solve", "n=200-100", "precision=.5"), "low to high"),
}


@pytest.mark.parametrize(("line", "says"), LINES.values(), ids=LINES)
def test_odd_input_has_an_answer_or_one_sentence(line, says, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    """Exit 0 and nothing on stderr, or exit 2 and one line of moderate length: what is wrong, or what to type."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = app.run([*line, "--debug"] if line[0] in app.app.commands else line)
    out, err = capsys.readouterr()
    if says is None:
        assert (code, err) == (0, "")
        assert out
    else:
        assert (code, out, one_sentence(err), err.count("\n")) == (2, "", True, 1)
        assert says in err
        assert len(err) < 400


def test_a_level_may_be_a_percentage(command) -> None:  # type: ignore[no-untyped-def]
    """90% is 0.9."""
    code, out, _ = command(*TABLE, "--level", "90%", "--format", "json")
    assert (code, json.loads(out)["level"]) == (0, 0.9)


def test_counts_together_stay_whole_numbers() -> None:
    """A table whose total would pass what whole numbers hold is refused, in one piece and as shards."""
    with pytest.raises(BadCounts, match=r"2\^62"):
        hs.Tally.matrix([[2**53] * 40] * 40)
    assert hs.Tally.binary(tp=2**53, fp=2**53, fn=2**53, tn=2**53).n == 2**55
