"""Default intervals reach the end of a bounded range if the score is there."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import howsure as hs
from howsure.cli import app

PERFECT = hs.Tally.binary(tp=10, fp=0, fn=0, tn=90)
SEPARATED = np.arange(30) < 10


@pytest.mark.parametrize(
    ("data", "metric", "end"),
    [
        (hs.Tally.rate(hits=30, of=30), "rate", 1.0),
        (hs.Tally.rate(hits=0, of=30), "rate", 0.0),
        (PERFECT, "recall", 1.0),
        (PERFECT, "f1", 1.0),
        (PERFECT, "phi", 1.0),
        (PERFECT, "fallout", 0.0),
        (hs.Tally.matrix(np.eye(3, dtype=int) * 10), "macro-f1", 1.0),
        (hs.Scored(SEPARATED, SEPARATED[:, None] + 0.0), "auc", 1.0),
    ],
)
def test_the_interval_of_a_score_at_an_end_reaches_it(data: Any, metric: str, end: float) -> None:
    d = hs.posterior(data, tolerance=0.1)[metric]
    found, even = d.interval(), d.interval(kind="equal-tailed")
    assert d.score in found
    assert (found.kind, even.kind) == ("to-end", "equal-tailed")
    assert d.score not in even
    if end == 1.0:
        assert (found.low, found.high, found.high_gap) == (even.low, 1.0, 0.0)
        assert d.end_errors(0.95, "auto")[1] == 0.0
    else:
        assert (found.low, found.high, found.low_gap) == (0.0, even.high, 0.0)
    (told,) = [x for x in found.notes if x.code == "interval-to-end"]
    assert told.text.endswith("the interval runs to that end and holds 97.5%")


def test_other_intervals_are_equal_tailed() -> None:
    d = hs.posterior(hs.Tally.binary(tp=8, fp=2, fn=3, tn=87))["f1"]
    assert d.interval() == d.interval(kind="equal-tailed")
    odds = hs.posterior(PERFECT)["diagnostic-odds-ratio"]
    assert odds.interval() == odds.interval(kind="equal-tailed")


def test_a_difference_does_not_reach_the_end() -> None:
    worst = hs.Tally.binary(tp=0, fp=90, fn=10, tn=0)
    c = hs.compare(PERFECT, worst, metric="accuracy")
    assert c.difference.interval().high < 1.0
    assert c.difference.interval().kind == "equal-tailed"


def test_a_batch_reaches_the_ends_of_its_tables() -> None:
    d = hs.posterior(hs.Tally.rate(hits=[0, 5, 9], of=[9, 9, 9]))["rate"]
    found, even = d.interval(), d.interval(kind="equal-tailed")
    np.testing.assert_array_equal(found.low, [0.0, even.low[1], even.low[2]])
    np.testing.assert_array_equal(found.high, [even.high[0], even.high[1], 1.0])


def test_the_shortest_interval_stays_what_it_is() -> None:
    d = hs.posterior(hs.Tally.rate(hits=30, of=30))["rate"]
    assert d.interval(kind="hdi").low == pytest.approx(d.ppf(0.05), abs=1e-9)


@pytest.mark.parametrize(("given", "kind", "high"), [((), "auto", 1.0), (("equal-tailed",), "equal-tailed", 0.99918)])
def test_json_names_the_kind(
    given: tuple[str, ...], kind: str, high: float, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [x for name in given for x in ("--interval", name)]
    assert app.run(["score", "--rate", "30/30", "--format", "json", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["interval"] == kind
    assert document["rows"][0]["high"] == pytest.approx(high, abs=1e-5)
    assert ("interval-to-end" in [x["code"] for x in document["notes"]]) == (kind == "auto")


def test_gates_and_plans_have_the_same_default() -> None:
    row = hs.gate(hs.Tally.rate(hits=30, of=30), "rate > 0.8").to_dict()["rows"][0]
    assert row["high"] == 1.0
    assert hs.plan(expected={"rate": 0.9}, width=0.2).to_dict()["interval"] == "auto"
