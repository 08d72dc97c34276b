"""The prior of AUC and average precision: near the outermost items, so that a nearly perfect order keeps its score."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import howsure as hs
from howsure.distributions.classical_tests import delong
from howsure.evidence.scored import Scored
from howsure.posteriors.score_samples import score_draws
from tests.tiers import tier

DEEP = tier == "deep"


def scored(positives: int, negatives: int, area: float, seed: int) -> Scored:
    """Normal scores with this true AUC."""
    rng = np.random.default_rng(seed)
    y = np.arange(positives + negatives) < positives
    return Scored(y, (rng.normal(size=y.size) + np.sqrt(2.0) * ndtri(area) * y)[:, None])


def paired(positives: int, negatives: int, areas: tuple[float, float], alike: float, seed: int) -> Scored:
    """Two systems whose scores correlate."""
    rng = np.random.default_rng(seed)
    y = np.arange(positives + negatives) < positives
    common, noise = rng.normal(size=y.size), rng.normal(size=(2, y.size))
    scores = [np.sqrt(alike) * common + np.sqrt(1 - alike) * e + np.sqrt(2.0) * ndtri(a) * y
              for e, a in zip(noise, areas, strict=True)]  # fmt: skip
    return Scored(y, np.column_stack(scores), systems=("a", "b"))


def test_a_nearly_perfect_score_lies_within_its_distribution() -> None:
    """Between the 10% and the 90% quantile, where half an item at the worst place moved it out."""
    for seed in range(12 if DEEP else 3):
        p = hs.posterior(scored(50, 200, 0.99, seed), tolerance=0.05 if DEEP else 0.1)
        for metric in ("auc", "AP"):
            score = float(p.point(metric))
            if score < 1.0:
                low, high = p[metric].ppf(0.1), p[metric].ppf(0.9)
                assert low <= score <= high, (metric, seed, low, score, high)


def test_intervals_of_a_nearly_perfect_order_cover() -> None:
    """At an AUC of .998 with 20 + 100 items no more than a tenth of intervals miss: a quarter did."""
    missed, runs = 0, 100 if DEEP else 20
    for seed in range(runs):
        p = hs.posterior(scored(20, 100, 0.998, seed), tolerance=0.15)
        low, high = p["auc"].interval(kind="equal-tailed")
        missed += not low <= 0.998 <= (1.0 if float(p.point("auc")) == 1.0 else high)
    assert missed <= runs // 10


def test_the_interval_is_of_the_width_of_delongs() -> None:
    """Of many items it is that of DeLong's, longer on the side that has room."""
    d = scored(200, 800, 0.98, 4)
    (value,), ((variance,),) = delong(d.truth, d.scores)
    low, high = hs.posterior(d)["auc"].interval()
    half = 1.96 * float(np.sqrt(variance))
    assert 0.95 < (high - low) / (2 * half) < 1.25
    assert value - low > high - value > 0.7 * half


def test_a_perfect_order_keeps_all_weight_beyond() -> None:
    """It has no item that is misplaced, so its law is that of half an item beyond all scores."""
    y = np.arange(40) < 15
    p = hs.posterior(Scored(y, (y + np.arange(40) / 100)[:, None]), tolerance=0.1)
    drawn = score_draws(p).through(lambda c: np.stack([p.measure("auc").evaluate(x) for x in (c, c.for_areas)]), 500, 3)
    np.testing.assert_array_equal(drawn[0, 0], drawn[0, 1])
    assert p["auc"].ppf(0.025) < 0.9


@pytest.mark.parametrize("area", [0.7, 0.95])
def test_turned_scores_turn_the_law(area: float) -> None:
    """Scores turned around make 1 - AUC; classes turned around as well leave it as it is."""
    d = scored(30, 60, area, 2)
    turned_ones = (d, Scored(d.truth, -d.scores), Scored(~d.truth, -d.scores))
    own, turned, both = (hs.posterior(x, tolerance=0.1)["auc"] for x in turned_ones)
    assert turned.mean == pytest.approx(1.0 - own.mean, abs=1e-12)
    assert both.mean == pytest.approx(own.mean, abs=1e-12)
    for q in (0.025, 0.5, 0.975):
        tolerance = 3 * float(own.error.value)
        assert turned.ppf(1 - q) == pytest.approx(1.0 - own.ppf(q), abs=tolerance)
        assert both.ppf(q) == pytest.approx(own.ppf(q), abs=tolerance)


def test_the_mean_is_that_of_draws() -> None:
    """It is known in closed form, with the weight near the items."""
    p = hs.posterior(scored(12, 40, 0.93, 5), tolerance=0.5)
    draws = p.draws(50_000, seed=9, metrics=["auc"])["auc"]
    assert p["auc"].mean == pytest.approx(draws.mean(), abs=4 * draws.std() / np.sqrt(draws.size))


def test_points_and_best_thresholds_keep_their_prior() -> None:
    """At a threshold the table has half a count a cell: recall there is Beta."""
    d = scored(20, 40, 0.9, 6)
    p = hs.posterior(d)
    found = score_draws(p).of([p.measure("recall@0.5")], 40_000, 1)[0][:, 0]
    tp = int((d.scores[d.truth, 0] >= 0.5).sum())
    assert found.mean() == pytest.approx((tp + 0.5) / 21, abs=4 * found.std() / np.sqrt(found.size))


def prior_notes(d: Scored) -> list[str]:
    """Return what a curve says of its priors."""
    notes = hs.curve(d, metrics=["auc", "AP", "max-f1"], tolerance=0.5).to_dict()["notes"]
    return [n["text"] for n in notes if n["code"] == "prior"]


def test_the_note_says_where_the_weight_lies() -> None:
    """Areas have a note of their own, unless all of the weight lies beyond: near chance, and in a perfect order."""
    texts = prior_notes(scored(20, 40, 0.9, 7))
    assert any(x.startswith("auc, AP: prior even") and "part of it there" in x for x in texts)
    assert any(x.startswith("prior even") and "part of it" not in x for x in texts)
    y = np.arange(40) < 15
    perfect = Scored(y, (y + np.arange(40) / 100)[:, None])
    for d in (scored(40, 40, 0.55, 1), perfect):
        (text,) = prior_notes(d)
        assert text.startswith("prior even")
        assert "part of it" not in text


# -- two systems


def test_equal_and_better_systems() -> None:
    """Of similar systems the better one is found as often as by DeLong's test, and equal ones are not told apart."""
    side = np.array([1.0, -1.0])
    clear, runs = {"equal": 0, "ours": 0, "delong": 0}, 60 if DEEP else 20
    for seed in range(runs):
        equal, better = (paired(20, 100, x, 0.8, seed) for x in ((0.95, 0.95), (0.975, 0.93)))
        above = [hs.posterior(d, tolerance=0.1).resolve("auc").difference().above for d in (equal, better)]
        value, covariance = delong(better.truth, better.scores)
        clear["equal"] += not 0.025 <= above[0] <= 0.975
        clear["ours"] += above[1] > 0.975
        clear["delong"] += ndtr(side @ value / np.sqrt(side @ covariance @ side)) > 0.975
    assert clear["equal"] <= 0.12 * runs
    assert clear["ours"] >= clear["delong"] - runs // 12


@pytest.mark.parametrize("metric", ["auc", "AP"])
def test_a_difference_turns_with_its_systems(metric: str) -> None:
    """b - a is a - b turned around, and systems that order alike differ by nothing on average."""
    d = paired(30, 60, (0.9, 0.85), 0.5, 1)
    gaps = [hs.posterior(x, tolerance=0.1).resolve(metric).difference() for x in (d, d.pick(("b", "a")))]
    assert gaps[0].above == pytest.approx(gaps[1].below, abs=3 * gaps[0].error)
    same = Scored(d.truth, d.scores[:, [0, 0]] * [1.0, 2.0], systems=("a", "b"))
    gap = hs.posterior(same, tolerance=0.05).resolve(metric).difference()
    assert gap.above == pytest.approx(0.5, abs=0.02)


def test_a_curve_and_a_leaderboard_show_the_difference_of_compare() -> None:
    """Pairs of a curve, of two or three systems, are the comparisons of two."""
    d = paired(20, 60, (0.95, 0.9), 0.8, 3)
    rng = np.random.default_rng(5)
    three = Scored(d.truth, np.column_stack([d.scores, rng.normal(size=80) + d.truth]), systems=("a", "b", "c"))
    alone = hs.compare(hs.posterior(d, tolerance=0.05), "a", "b", metric="auc").p_better
    shown = [
        x for x in hs.curve(three, metrics=["auc"], tolerance=0.05).pairs if (x["first"], x["second"]) == ("a", "b")
    ]
    assert shown[0]["p_better"] == pytest.approx(alone, abs=0.02)
    board = hs.leaderboard(three, metric="auc", tolerance=0.05)
    pair = next(x for x in board.to_dict()["pairs"] if {x["first"], x["second"]} == {"a", "b"})
    assert pair["p_better"] == pytest.approx(alone if pair["first"] == "a" else 1 - alone, abs=0.02)
    assert "pairs-prior" in {n.code for n in board.notes}


def test_the_mean_of_a_weighted_area_is_exact() -> None:
    """It moved with the tolerance; the mean of a hundred thousand draws agrees within four standard errors."""
    rng = np.random.default_rng(4)
    y = np.arange(40) < 15
    w = rng.choice([1.0, 2.0, 7.0], 40)
    d = Scored(y, (rng.normal(size=40) + y)[:, None], counts=w, squares=w * w)
    rough, fine = (hs.posterior(d, tolerance=x)["auc"] for x in (0.5, 0.1))
    assert rough.mean == fine.mean
    draws = rough.draws(100_000, seed=3)
    assert abs(draws.mean() - fine.mean) < 4 * draws.std() / np.sqrt(draws.size)
