"""Odd input to the command: one sentence and exit 2, or an answer; never an error of our own, never a warning."""

from __future__ import annotations

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
COUNTED = ("--truth", "t", "--pred", "p", "--count", "n")
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
        ("score", "--counts", "1,815901230737,946156147969,0", "--metric", "tetrachoric", "--interval", "hdi"), None,
    ),
    "one name too many": (("score", "--matrix", "minus.csv", "--name", "a", "--name", "b"), "--name"),
    "one name too many for columns": (("score", "labels.csv", *COUNTED, "--name", "a", "--name", "b"), "--name"),
    "cells below any double": (("score", "--counts", "0,999,0,13", "--prior", "0.001", "--tolerance", "0.2"), None),
    "laws at the very end of the range": (
        ("compare", "--counts", "1000000000000,7,53,0", "--counts", "1000000000000000,981745,803127890170,49",
         "--metric", "fallout", "--prior", "0.001", "--tolerance", "0.2"), None,
    ),
    "draws next to 1": (("score", "--counts", "9007199254740992,43,55,0", "--metric", "weighted-f0.5"), None),
}  # fmt: skip


@pytest.mark.parametrize(("line", "says"), LINES.values(), ids=LINES)
def test_odd_input_has_an_answer_or_one_sentence(line, says, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    """Exit 0 and nothing on stderr, or exit 2 and one line of moderate length that names what is wrong."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = app.run([*line, "--debug"])
    out, err = capsys.readouterr()
    if says is None:
        assert (code, err) == (0, "")
        assert out
    else:
        assert (code, out, one_sentence(err)) == (2, "", True)
        assert says in err
        assert len(err.splitlines()[0]) < 400


def test_counts_together_stay_whole_numbers() -> None:
    """A table whose total would pass what whole numbers hold is refused, in one piece and as shards."""
    with pytest.raises(BadCounts, match=r"2\^62"):
        hs.Tally.matrix([[2**53] * 40] * 40)
    assert hs.Tally.binary(tp=2**53, fp=2**53, fn=2**53, tn=2**53).n == 2**55
