"""hs.compare_folds: the correlated t law against baycomp and by hand, inputs, several systems, and a simulation."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special

import howsure as hs
from bench import folds as study
from howsure.render.text import fitted

CASES = json.loads((Path(__file__).parents[1] / "reference" / "folds.json").read_text())["cases"]
RNG = np.random.default_rng(8)
BASE = 0.8 + 0.03 * RNG.standard_normal((5, 4))
THREE = {name: BASE + gap + 0.02 * RNG.standard_normal((5, 4)) for name, gap in (("a", 0.0), ("b", 0.02), ("c", -0.02))}
TWO = {name: THREE[name] for name in "ab"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['repeats']}x{c['folds']}")
def test_against_baycomp(case):
    """Mean, variance and the three shares; from lists with the share, and from repeats x folds without it."""
    margin = case["rope"] or None
    lists = {"x": case["x"], "y": case["y"]}
    f = hs.compare_folds(lists, test_share=1 / case["folds"], equal_within=margin)
    square = {k: np.reshape(v, (case["repeats"], case["folds"])) for k, v in lists.items()}
    law = f.difference.law
    assert float(law.centre) == pytest.approx(case["mean"], rel=1e-12, abs=1e-16)
    assert float(law.scale) ** 2 == pytest.approx(case["variance"], rel=1e-12)
    assert float(law.freedom) == case["freedom"]
    found = (f.p_worse, f.p_better) if margin is None else tuple(f.shares)[::-1]
    assert found == pytest.approx(tuple(case["probabilities"]), rel=1e-9, abs=1e-12)
    assert hs.compare_folds(square, equal_within=margin).p_better == pytest.approx(f.p_better, rel=1e-12)


def test_by_hand():
    """Four folds, worked on paper: mean .04, s² = .0006667, scale² = (1/4 + 1/3)·s², 3 degrees of freedom."""
    f = hs.compare_folds({"a": [0.91, 0.88, 0.93, 0.90], "b": [0.86, 0.87, 0.88, 0.85]}, test_share=0.25)
    gap = [0.05, 0.01, 0.05, 0.05]
    mean = sum(gap) / 4
    scale = math.sqrt(sum((x - mean) ** 2 for x in gap) / 3 * (1 / 4 + 1 / 3))
    assert f.difference.mean == pytest.approx(mean)
    assert f.p_better == pytest.approx(float(special.stdtr(3, mean / scale)), rel=1e-10)
    assert f.difference.std == pytest.approx(scale * math.sqrt(3.0))
    assert tuple(f.difference.interval()) == pytest.approx(tuple(mean + scale * special.stdtrit(3, [0.025, 0.975])))


def test_shares_add_up_and_agree_with_the_law():
    """Better, equal and worse are all there is; p_better and p_worse are, too; p_equal overlaps both."""
    f = hs.compare_folds(TWO, equal_within=0.01)
    d = f.difference
    assert sum(f.shares) == pytest.approx(1.0, abs=1e-14)
    assert f.p_better + f.p_worse == pytest.approx(1.0, abs=1e-14)
    assert f.shares.better == d.sf(0.01)
    assert f.shares.worse == d.cdf(-0.01)
    assert f.p_equal == f.shares.equal == pytest.approx(d.cdf(0.01) - d.cdf(-0.01), rel=1e-12)
    assert hs.compare_folds(TWO).shares is None
    assert hs.compare_folds(TWO).p_equal is None


def test_draws_follow_the_law():
    """Their quantiles are those of the law; the same seed gives the same numbers."""
    d = hs.compare_folds(TWO).difference
    drawn = d.draws(40_000, seed=3)
    assert np.array_equal(drawn, d.draws(40_000, seed=3))
    assert not np.array_equal(drawn, d.draws(40_000, seed=4))
    np.testing.assert_allclose(np.quantile(drawn, [0.05, 0.5, 0.95]), d.ppf([0.05, 0.5, 0.95]), atol=0.03 * d.std)


def test_directions_mirror():
    """Where lower is better, better and worse change places; so they do with the systems."""
    up, down = hs.compare_folds(TWO, equal_within=0.01), hs.compare_folds(TWO, equal_within=0.01, better="lower")
    assert (up.p_better, up.shares) == (down.p_worse, tuple(down.shares)[::-1])
    turned = hs.compare_folds({"b": TWO["b"], "a": TWO["a"]}, equal_within=0.01)
    assert turned.p_better == pytest.approx(up.p_worse, rel=1e-13)
    assert "b is" in up.verdict or "P(b better" in up.verdict
    assert "a is" in down.verdict or "P(a better" in down.verdict


def test_the_correction_widens_what_looks_independent():
    """As if independent the scale is s/√J; a share of nearly nothing comes to that."""
    plain = hs.compare_folds({k: v.ravel() for k, v in TWO.items()}, test_share=1e-9).difference
    gap = (TWO["a"] - TWO["b"]).ravel()
    assert float(plain.law.scale) == pytest.approx(gap.std(ddof=1) / math.sqrt(20), rel=1e-6)
    f = hs.compare_folds(TWO)
    assert f.inflation == pytest.approx(1 + 20 / 3)
    assert float(f.difference.law.scale / plain.law.scale) ** 2 == pytest.approx(f.inflation, rel=1e-6)


@pytest.mark.parametrize(
    "given",
    [
        {k: v.ravel().tolist() for k, v in TWO.items()},
        {k: tuple(v.ravel()) for k, v in TWO.items()},
        {k: pd.Series(v.ravel(), index=range(5, 25)) for k, v in TWO.items()},
        {k: pl.Series(v.ravel()) for k, v in TWO.items()},
        {k: {"test_score": v.ravel(), "fit_time": np.ones(20)} for k, v in TWO.items()},
        pd.DataFrame({k: v.ravel() for k, v in TWO.items()}),
        pl.DataFrame({k: v.ravel() for k, v in TWO.items()}),
    ],
    ids=["lists", "tuples", "pandas", "polars", "cross_validate", "pandas frame", "polars frame"],
)
def test_inputs(given):
    """The same document from all of them."""
    assert hs.compare_folds(given, test_share=0.25) == hs.compare_folds(
        {k: v.ravel() for k, v in TWO.items()}, test_share=0.25
    )


def test_several_systems_are_all_pairs():
    """In the order of their means; each row is what the two say alone."""
    f = hs.compare_folds(THREE, metric="accuracy", equal_within=0.01)
    assert f.systems == tuple(sorted(THREE, key=lambda s: -THREE[s].mean()))
    rows = f.to_dict()["rows"]
    assert [(r["first"]["system"], r["second"]["system"]) for r in rows] == [("b", "a"), ("b", "c"), ("a", "c")]
    for r in rows:
        a, b = r["first"]["system"], r["second"]["system"]
        alone = hs.compare_folds({a: THREE[a], b: THREE[b]}, metric="accuracy", equal_within=0.01)
        assert alone.to_dict()["rows"] == [r]
        assert f.pair(a, b) == alone
    assert f.verdict.startswith("b leads 3 systems on accuracy; ")
    low = hs.compare_folds(THREE, better="lower").systems
    assert low == f.systems[::-1]


def test_the_document_and_its_formats():
    """Rows as compare has them; what every format shows."""
    f = hs.compare_folds(TWO, metric="accuracy", equal_within=0.01)
    made = f.to_dict()
    assert made["schema"] == "howsure.folds/1"
    assert made["data"] | {"bounds": 0} == {
        "systems": ["a", "b"], "paired": True, "folds": 20, "repeats": 5, "test_share": 0.25, "bounds": 0,
    }  # fmt: skip
    row = made["rows"][0]
    same = hs.compare(hs.graded({k: v.ravel() for k, v in TWO.items()}), "a", "b").to_dict()["rows"][0]
    shared = {"metric", "better", "paired", "first", "second", "slice", "p_better", "p_worse", "p_equal",
              "equal_within", "difference", "error", "route", "verdict"}  # fmt: skip
    assert shared <= set(row)
    assert shared <= set(same)
    assert set(row["difference"]) == set(same["difference"])
    assert row["first"]["low"] < row["first"]["score"] < row["first"]["high"]
    assert json.loads(f.to_json()) == made
    assert pickle.loads(pickle.dumps(f)) == f
    for text in (str(f), f.to_markdown(), f.to_latex(), f.to_html()):
        assert "accuracy" in text
        assert "0.01" in text
    assert "the same folds, 25% of the data tested in each" in str(f).splitlines()[1]
    assert len(f.to_frame()) == 1
    assert "Nadeau" in f.to_text(verbose=True)


def test_narrow_tables_keep_the_names_of_the_pair():
    """Where no table fits, each pair has a block with its probabilities below its names."""
    text = fitted(hs.compare_folds(THREE, metric="accuracy", equal_within=0.01).to_dict(), 40)
    assert all(f"\n{a}, " in text for a in "ba")
    assert "P(within" in text


def test_few_folds_have_no_moments_and_say_so():
    """Infinite in Python, null in the document, a note; intervals are there."""
    two = hs.compare_folds({"a": [0.9, 0.8], "b": [0.7, 0.75]}, test_share=0.5)
    assert math.isinf(two.difference.mean)
    assert math.isinf(two.difference.std)
    assert (two.to_dict()["rows"][0]["difference"]["mean"], two.to_dict()["rows"][0]["difference"]["std"]) == (
        None,
        None,
    )
    assert two.difference.median == pytest.approx(0.125)
    three = hs.compare_folds({"a": [0.9, 0.8, 0.7], "b": [0.7, 0.75, 0.6]}, test_share=1 / 3)
    assert math.isfinite(three.difference.mean)
    assert math.isinf(three.difference.std)
    for f in (two, three):
        assert [n.code for n in f.notes] == ["folds", "few-folds"]
        low, high = f.difference.interval()
        assert math.isfinite(low)
        assert math.isfinite(high)
    assert "infinite" in three.to_text(columns="std")


def test_bounds_are_stated_and_nothing_is_clipped():
    """The law goes on beyond them; the note says with what probability, and the numbers are the same without."""
    scores = {"a": [0.99, 1.0, 0.97], "b": [0.90, 0.99, 0.99]}
    plain, bound = hs.compare_folds(scores, test_share=1 / 3), hs.compare_folds(scores, test_share=1 / 3, bounds=(0, 1))
    assert plain.to_dict()["rows"] == bound.to_dict()["rows"]
    assert bound["a"].interval()[1] > 1
    (told,) = [n for n in bound.notes if n.code == "no-bounds"]
    beyond = max(d.cdf(low) + d.sf(high) for d, low, high in
                 ((bound["a"], 0, 1), (bound["b"], 0, 1), (bound.difference, -1, 1)))  # fmt: skip
    assert told["beyond"] == pytest.approx(beyond, rel=1e-12)
    assert told["beyond"] > 0.1


def test_a_system_that_always_scores_the_same_is_still_compared():
    """Its own mean has no interval, which a note says; the difference has one."""
    f = hs.compare_folds({"a": [1.0, 1.0, 1.0, 1.0], "b": [0.9, 0.8, 0.95, 1.0]}, test_share=0.25)
    row = f.to_dict()["rows"][0]
    assert row["first"]["score"] == 1
    assert row["first"]["low"] is None
    assert "all 4 scores of a are 1" in str(f)
    assert 0.5 < f.p_better < 1


def test_rounding_is_no_spread():
    """Scores that differ by one number but for rounding are refused."""
    a = np.array([0.1, 0.7, 0.3, 0.9])
    with pytest.raises(hs.HowsureError, match=r"differ by -0\.2 in every fold"):
        hs.compare_folds({"a": a, "b": a + 0.2}, test_share=0.25)


# -- simulation


@pytest.mark.deep
@pytest.mark.parametrize("learner", study.LEARNERS)
def test_the_study_cross_validates_as_scikit_learn_does(learner):
    """One data set of bench/folds.py, fold by fold."""
    from sklearn.model_selection import PredefinedSplit, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    theirs = NearestCentroid() if learner == "nearest centroid" else KNeighborsClassifier(1)
    x, y, fold = study.data_set(np.random.default_rng(5), 60, 6, 1, 5)
    ours = study.scores(x, y, fold, learner)
    for half, columns in enumerate((slice(0, 3), slice(3, 6))):
        found = cross_val_score(theirs, x[:, columns], y, cv=PredefinedSplit(fold[0]))
        np.testing.assert_allclose(ours[half, 0], found, atol=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("learner", study.LEARNERS)
@pytest.mark.parametrize(("n", "repeats", "folds"), [(100, 1, 10), (100, 10, 10), (300, 5, 5)])
def test_equal_learners_are_rarely_told_apart(learner, n, repeats, folds):
    """At most 7% of 1,000 data sets beyond 97.5%; up to 14% with repeats of one nearest neighbour, an unstable learner.

    The plain t test tells them apart far more often.
    """
    ours, plain = study.rates(learner, n, repeats, folds, 1000)
    assert ours <= (0.07 if learner == "nearest centroid" or repeats == 1 else 0.14)
    assert ours < 0.5 * plain
    if repeats > 1:
        assert plain > 0.15


def test_a_known_measure_has_its_direction():
    """Lower error rates are better, unless told otherwise; scores with another name are better the higher they are."""
    scores = {"a": [0.10, 0.11, 0.12, 0.10], "b": [0.20, 0.22, 0.21, 0.19]}
    told = {m: hs.compare_folds(scores, test_share=0.25, metric=m).p_better for m in ("error-rate", "my-score")}
    assert told["error-rate"] > 0.99
    assert told["my-score"] == pytest.approx(1.0 - told["error-rate"])
    assert hs.compare_folds(scores, test_share=0.25, metric="error-rate", better="higher").p_better < 0.01
