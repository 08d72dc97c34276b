"""hs.gate: probabilities by another way, the three answers, slices, baselines, and what is refused."""

from __future__ import annotations

import json
from math import comb

import mpmath
import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure._gate import Ruling, growth, holds
from howsure.distributions.sampled import Sampled
from howsure.errors import BadSetting, HowsureError
from howsure.posteriors.distribution import Distribution
from howsure.verbs.requirements import requirement
from tests.laws.kinds import KINDS

T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
RATE = hs.Tally.rate(hits=47, of=50)


def beta_above(a: int, b: int, x: float) -> float:
    """P(Beta(a, b) > x) of whole numbers, as a sum of binomials."""
    n = a + b - 1
    return float(sum(comb(n, k) * mpmath.mpf(x) ** k * (1 - mpmath.mpf(x)) ** (n - k) for k in range(a)))


def one(data, text, **more):
    """The row of one requirement."""
    (row,) = hs.gate(data, text, **more).to_dict()["rows"]
    return row


# -- probabilities


@pytest.mark.parametrize("limit", [0.8, 0.9, 0.95, 0.99])
def test_a_rate_by_binomials(limit):
    """P(rate > x) and P(rate < x) are sums of binomials: the posterior is Beta(48, 4)."""
    above = beta_above(48, 4, limit)
    assert one(RATE, f"rate > {limit}")["probability"] == pytest.approx(above, rel=1e-12)
    assert one(RATE, f"rate >= {limit}")["probability"] == pytest.approx(above, rel=1e-12)
    assert one(RATE, f"rate < {limit}")["probability"] == pytest.approx(1 - above, rel=1e-9)
    assert one(RATE, f"rate <= {limit}")["probability"] == pytest.approx(1 - above, rel=1e-9)


@pytest.mark.parametrize("limit", [0.7, 0.75, 0.8])
def test_f1_by_mpmath(limit):
    """F1 = 2B/(1 + B) with B ~ Beta(tp + 1/2, fp + fn + 1) (Goutte & Gaussier)."""
    at = mpmath.mpf(limit) / (2 - mpmath.mpf(limit))
    above = float(mpmath.betainc(80.5, 51, at, 1, regularized=True))
    assert one(T, f"f1 > {limit}")["probability"] == pytest.approx(above, rel=1e-10)


def test_not_worse_on_the_same_items():
    """Right alone 12 and 7 of 100: the difference is that of two cells of a Dirichlet with 1/2 each."""
    new, old = [1] * 12 + [0] * 7 + [1] * 70 + [0] * 11, [0] * 12 + [1] * 7 + [1] * 70 + [0] * 11
    frame = {"new": [bool(x) for x in new], "old": [bool(x) for x in old]}
    draws = np.random.default_rng(3).dirichlet([12.5, 7.5, 70.5, 11.5], 150_000)
    apart = draws[:, 0] - draws[:, 1]
    for margin in (0.0, 0.02, 0.1):
        row = one(frame, f"rate not worse by {margin}", outcome=["new", "old"])
        assert row["probability"] == pytest.approx((apart > -margin).mean(), abs=0.003)
        assert row["score"] == pytest.approx(0.05)
        assert (row["low"], row["high"]) == pytest.approx(np.quantile(apart, [0.025, 0.975]), abs=0.003)


@pytest.mark.parametrize(("metric", "sign"), [("recall", 1), ("miss-rate", -1), ("fallout", -1)])
def test_not_worse_on_other_items(metric, sign):
    """Independent Betas, in the direction of the measure: lower miss-rate and fallout are better."""
    old = hs.Tally.binary(tp=85, fp=30, fn=25, tn=860)
    rng = np.random.default_rng(4)
    cells = {"recall": ((80.5, 30.5), (85.5, 25.5)), "miss-rate": ((30.5, 80.5), (25.5, 85.5)),
             "fallout": ((20.5, 870.5), (30.5, 860.5))}[metric]  # fmt: skip
    x, y = (rng.beta(a, b, 150_000) for a, b in cells)
    for margin in (0.0, 0.01, 0.05):
        row = one(T, f"{metric} not worse by {margin}", baseline=old)
        assert row["probability"] == pytest.approx((sign * (x - y) > -margin).mean(), abs=0.003)


def test_draws_may_lie_on_the_limit():
    """Of draws 0, 0, 1 and 2 the sign counts: at least 0 are all of them, more than 0 are two."""
    law = Sampled(np.array([0.0, 0.0, 1.0, 2.0]), 0.0, 4.0)
    drawn = Distribution("x", law, "sampled", lambda n, seed: np.zeros(n))
    assert [holds(drawn, sign, 0.0) for sign in (">=", ">", "<=", "<")] == [1.0, 0.5, 0.5, 0.0]


# -- answers


@pytest.mark.parametrize(("p", "status"), [(0.79, "pass"), (0.83, "inconclusive"), (0.99, "inconclusive")])
def test_three_answers(p, status):
    """Pass from p on, fail from 1 - p down, inconclusive between: P(F1 > 0.73) is P(Beta(80.5, 51) > 0.73/1.27)."""
    above = float(mpmath.betainc(80.5, 51, mpmath.mpf("0.73") / mpmath.mpf("1.27"), 1, regularized=True))
    assert 0.80 < above < 0.82
    assert one(T, f"f1 > 0.73 with {p}")["status"] == status
    assert one(T, f"f1 < 0.73 with {p}")["status"] == {"pass": "fail"}.get(status, status)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (["f1 > 0.6"], "pass"),
        (["f1 > 0.6", "f1 > 0.77"], "inconclusive"),
        (["f1 > 0.77", "f1 > 0.95", "f1 > 0.6"], "fail"),
        (["f1 > 0.95"], "fail"),
    ],
)
def test_any_fail_fails_and_any_doubt_leaves_it_open(asked, status):
    """The status of all, and the sentence that begins with it."""
    made = hs.gate(T, asked)
    assert made.status == status == made.to_dict()["status"]
    assert made.verdict.startswith(f"{status.capitalize()}: ")
    assert str(made).startswith(f"{status.capitalize()}: ")
    assert made.to_markdown().startswith(f"**{status.capitalize()}**: ")


def judged(found: float, error: float, p: float = 0.95) -> Ruling:
    asked, law = requirement(f"f1 > 0.8 with {p}"), hs.posterior(T)["f1"]
    return Ruling(asked, "f1", law, 0.8, found, error, 1000, 1002.0, "items")


@pytest.mark.parametrize(
    ("found", "error", "status", "near"),
    [
        (0.951, 0.002, "inconclusive", True),
        (0.949, 0.002, "inconclusive", True),
        (0.953, 0.002, "pass", False),
        (0.9500000000001, 1e-12, "pass", False),
        (0.049, 0.002, "inconclusive", True),
        (0.047, 0.002, "fail", False),
        (0.5, 0.01, "inconclusive", False),
    ],
)
def test_draws_that_cannot_tell_leave_it_open(found, error, status, near):
    """A sampled probability whose error reaches over the one that is needed is inconclusive, and said to be near."""
    row = judged(found, error)
    assert (row.status, row.near) == (status, near)


def test_a_sampled_probability_near_the_limit_is_told():
    """Tolerance is what helps, and the note says so; with finer draws it is settled."""
    three = hs.Tally.matrix([[50, 5, 2], [6, 47, 4], [3, 8, 45]])
    limit = float(hs.posterior(three, tolerance=0.02)["macro-f1"].ppf(0.049))
    rough = hs.gate(three, f"macro-f1 > {limit!r}", tolerance=0.3)
    assert rough.status == "inconclusive"
    assert [n["code"] for n in rough.to_dict()["notes"]].count("gate-near") == 1
    assert "tolerance=" in next(n.text for n in rough.notes if n.code == "gate-near")


def test_a_gate_is_neither_true_nor_false():
    """`assert hs.gate(...)` would pass whatever the answer is."""
    with pytest.raises(BadSetting, match=r"\.status"):
        assert hs.gate(T, "f1 > 0.1")


def test_every_class_has_its_row():
    """f1:* asks for each class, and each counts."""
    three = hs.Tally.matrix([[50, 5, 2], [6, 47, 4], [3, 8, 45]], labels=["a", "b", "c"])
    made = hs.gate(three, "f1:* > 0.8 with 0.9")
    assert [row["requirement"] for row in made.to_dict()["rows"]] == [f"f1:{x} > 0.8 with 0.9" for x in "abc"]
    alone = hs.gate(three, "f1:b > 0.8 with 0.9").to_dict()["rows"][0]
    assert made.to_dict()["rows"][1] == alone


# -- slices

FRAME = pd.DataFrame(
    {
        "y": [1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1] * 5,
        "new": [1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1] * 5,
        "old": [1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1] * 5,
        "grade": [0.5, 0.25, 1.0, 0.75, 0.5, 1.0, 0.25, 0.75, 1.0, 0.5, 1.0, 0.0] * 5,
        "region": ["north", "south", "north west"] * 20,
        "year": [2023, 2024] * 30,
    }
)


NORTH, WEST = FRAME.region == "north", FRAME.region == "north west"
CLASSES = {"truth": "y", "pred": "new"}


@pytest.mark.parametrize(
    ("text", "rows", "asked", "columns"),
    [
        ("region=north", NORTH, "f1 > 0.8", CLASSES),
        ("region=north west", WEST, "f1 > 0.8", CLASSES),
        ("year=2024", FRAME.year == 2024, "recall > 0.8", CLASSES),
        ('region="north west", year=2023', WEST & (FRAME.year == 2023), "f1 > 0.8", CLASSES),
        ("year=2023", FRAME.year == 2023, "mean > 0.6", {"value": "grade", "bounds": (0, 1)}),
        ("region=north", NORTH, "f1 not worse by 0.02", {"truth": "y", "pred": ["new", "old"]}),
    ],
)
def test_a_slice_is_as_if_it_were_alone(text, rows, asked, columns):
    """Requirements of several slices, and of all items, from one count: each is that of its rows alone."""
    all_of_it = [f"{asked} in {text}", asked, f"{asked} in region=south, year=2023"]
    found = hs.gate(FRAME, all_of_it, tolerance=0.3, **columns).to_dict()["rows"]
    alone = hs.gate(FRAME[rows], asked, tolerance=0.3, **columns).to_dict()["rows"][0]
    whole = hs.gate(FRAME, asked, tolerance=0.3, **columns).to_dict()["rows"][0]
    for here, there in ((found[0], alone), (found[1], whole)):
        assert (here["n"], here["status"], here["more"]) == (there["n"], there["status"], there["more"])
        numbers = ("probability", "low", "high", "score")
        assert [here[k] for k in numbers] == pytest.approx([there[k] for k in numbers], rel=1e-9)


def test_slices_of_a_tally_that_is_made():
    """Evidence by region and year answers for either of them; of other slices it says which there are."""
    t = hs.tally(FRAME, truth="y", pred="new", by=["region", "year"])
    north = hs.gate(FRAME[FRAME.region == "north"], "f1 > .8", truth="y", pred="new")
    assert one(t, "f1 > .8 in region=north")["probability"] == north.to_dict()["rows"][0]["probability"]
    for text, said in {
        "in region=norht": "Did you mean 'north'",
        "in regoin=north": "Did you mean 'region'",
        "in region=west": "'north', 'north west', 'south'",
    }.items():
        with pytest.raises(HowsureError, match=said):
            hs.gate(t, f"f1 > .8 {text}")
    some = hs.tally(
        FRAME[(FRAME.region == "north") | (FRAME.year == 2023)], truth="y", pred="new", by=["region", "year"]
    )
    with pytest.raises(HowsureError, match="no item is in region=south, year=2024"):
        hs.gate(some, "f1 > .8 in region=south, year=2024")


# -- more items


def test_more_items_are_told_only_where_it_is_open():
    """To two digits; none where it passes or fails."""
    assert one(T, "f1 > 0.6")["more"] is None
    assert one(T, "f1 > 0.95")["more"] is None
    more = one(T, "f1 > 0.77")["more"]
    assert more > 1000
    assert more == float(f"{more:.2g}")
    made = hs.gate(T, ["f1 > 0.77", "f1 > 0.6"])
    assert f"{more:,}" in str(made)
    assert "gate-more" in [n["code"] for n in made.to_dict()["notes"]]
    assert "more items" not in str(hs.gate(T, "f1 > 0.6"))


def test_more_items_of_a_slice_are_said_to_be_of_that_slice():
    """They are counted from the items of the slice: in the table, in the note, and only where there is a slice."""
    frame = {"g": ["a"] * 40 + ["b"] * 400, "o": [1] * 27 + [0] * 13 + [1] * 260 + [0] * 140}
    inside, whole = (hs.gate(frame, x, outcome="o") for x in ("rate > 0.63 in g=a", "rate > 0.64"))
    (row,) = inside.to_dict()["rows"]
    exact = 42 * growth(row["probability"], 0.95)
    assert exact <= row["more"] <= 1.1 * exact + 1
    assert "more items of the slice" in str(inside)
    assert "in a slice they are items of that slice" in str(inside)
    assert "slice" not in str(whole)
    both = str(hs.gate(frame, ["rate > 0.63 in g=a", "rate > 0.64"], outcome="o"))
    assert "more items of the slice" not in both
    assert both.count("in a slice they are items of that slice") == 1


@pytest.mark.parametrize(
    ("columns", "requirement"),
    [
        ({"outcome": "o"}, "pass@2 > 0.7"),
        ({"outcome": "o"}, "rate > 0.58"),
        ({"value": "o", "bounds": (0, 1)}, "mean > 0.58"),
        ({"truth": "o", "pred": "p"}, "accuracy > 0.5"),
    ],
)
def test_more_of_clusters_counts_clusters(columns, requirement):
    """12 clusters of 5 items: the factor is that of the probability, of 12 clusters and the prior's 2."""
    rng = np.random.default_rng(5)
    o, p = (rng.random((12, 5)) < rng.random((12, 1)) for _ in "op")
    frame = {"q": np.repeat(np.arange(12), 5), "o": o.ravel().astype(int), "p": p.ravel().astype(int)}
    made = hs.gate(frame, requirement, cluster="q", **columns)
    row = made.to_dict()["rows"][0]
    exact = 14 * growth(row["probability"], 0.95)
    assert exact <= row["more"] <= 1.1 * exact + 1
    assert (row["n"], row["more_unit"]) == (60, "clusters")
    assert "more clusters" in str(made)
    assert "more items" not in str(made)
    assert one(T, "f1 > 0.77")["more_unit"] == "items"
    assert one(T, "f1 > 0.6")["more_unit"] is None


# -- documents


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_evidence_has_gates(kind):
    """The default measure of every kind, as a limit and against a baseline where there are two systems."""
    p = hs.posterior(KINDS[kind](), tolerance=0.5)
    names = p.evidence.systems
    first = p if len(names) == 1 else p.system(names[0])
    name = first.default_metric
    middle = float(np.ravel(first[name].median)[0])
    made = hs.gate(first, f"{name} > {middle:.6g}")
    assert made.status == "inconclusive"
    assert 0.3 < made.to_dict()["rows"][0]["probability"] < 0.7
    if len(names) > 1:
        pair = hs.gate(p.pick(names[:2]), f"{name} not worse by 0.2 with 0.9").to_dict()
        assert 0 <= pair["rows"][0]["probability"] <= 1
        assert pair["data"]["paired"] is True


def test_the_document():
    """Every key of a row, the envelope, and all formats without a NaN."""
    made = hs.gate(T, ["f1 > 0.77 with 0.9", "recall > 0.6"])
    doc = made.to_dict()
    assert (doc["schema"], doc["status"], doc["level"], doc["data"]["n"]) == (
        "howsure.gate/1",
        "inconclusive",
        0.95,
        1000,
    )
    row = doc["rows"][0]
    assert {k: row[k] for k in ("requirement", "metric", "slice", "kind", "limit", "margin", "p", "status")} == {
        "requirement": "f1 > 0.77 with 0.9", "metric": "f1", "slice": None, "kind": "above", "limit": 0.77,
        "margin": None, "p": 0.9, "status": "inconclusive",
    }  # fmt: skip
    score = hs.score(T, metrics="f1", above=0.77).to_dict()["rows"][0]
    assert [row[k] for k in ("score", "low", "high", "mean", "route")] == [
        score[k] for k in ("score", "low", "high", "mean", "route")
    ]
    assert row["probability"] == score["p_above"]
    json.dumps(doc, allow_nan=False)
    for kind in ("table", "json", "markdown", "latex", "csv", "html"):
        assert "inconclusive" in made.to_text(kind)
    assert list(made.to_frame()["status"]) == ["inconclusive", "pass"]


def test_a_slip_of_the_sign_is_asked_about():
    """More than a limit of what is better lower, or less of what is better higher."""
    codes = {
        text: [n.code for n in hs.gate(T, text).notes] for text in ("fallout > 0.01", "recall < 0.9", "recall > 0.9")
    }
    assert ["gate-direction" in x for x in codes.values()] == [True, True, False]


def test_settings_travel_with_a_posterior():
    """Prior, seed and tolerance of a posterior count, unless others are given; the level is that of the intervals."""
    p = hs.posterior(T, "uniform")
    assert one(p, "f1 > 0.75")["probability"] == one(T, "f1 > 0.75", prior="uniform")["probability"]
    assert one(T, "f1 > 0.75", prior="uniform")["probability"] != one(T, "f1 > 0.75")["probability"]
    wide, narrow = one(T, "f1 > 0.75", level=0.99), one(T, "f1 > 0.75", level=0.5)
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert wide["probability"] == narrow["probability"]


def test_an_infinite_score_is_called_so():
    """A likelihood ratio without a false positive is infinite, and its difference from one with some, either way."""
    endless, usual = hs.Tally.binary(tp=5, fp=0, fn=2, tn=5), hs.Tally.binary(tp=4, fp=1, fn=2, tn=5)
    alone = hs.gate(endless, ["lr-plus > 2 with 0.9", "f1 > 0.2"])
    assert [row["infinite"] for row in alone.to_dict()["rows"]] == [["score", "mean", "std"], []]
    assert "  infinite  [" in str(alone)
    against = {
        (a, b): hs.gate(x, ["lr-plus not worse by 1"], baseline=y).to_dict()["rows"][0]["infinite"]
        for a, x in zip("eu", (endless, usual), strict=True)
        for b, y in zip("eu", (endless, usual), strict=True)
    }
    found = {pair: [x for x in named if x.endswith("score")] for pair, named in against.items()}
    assert found == {("e", "e"): [], ("e", "u"): ["score"], ("u", "e"): ["-score"], ("u", "u"): []}
    assert " -infinite " in str(hs.gate(usual, ["lr-plus not worse by 1"], baseline=endless))
