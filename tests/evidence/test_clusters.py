"""Clusters: items that belong together are resampled together, for every measure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import howsure as hs

RNG = np.random.default_rng(77)
GROUPS = [k // 5 for k in range(200)]
EASE = np.repeat(RNG.random(40), 5)
PASSED = (RNG.random(200) < EASE).astype(int)
Y = RNG.integers(0, 2, 200)
Z = np.where(RNG.random(200) < 0.8, Y, 1 - Y)
CLASSES = RNG.integers(0, 4, 200)
ANSWERS = np.where(RNG.random(200) < 0.7, CLASSES, RNG.integers(0, 4, 200))
ALONE = list(range(200))
tp, fp, fn, tn = hs.cells


def outcomes(cluster):
    return hs.tally(pd.DataFrame({"passed": PASSED, "q": cluster}), outcome="passed", cluster="q")


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "accuracy", "specificity", "jaccard"])
def test_clusters_of_one_item_change_nothing(metric):
    """Then whole clusters are items, and the prior is what it is without them."""
    plain, one = hs.posterior(hs.tally(Y, Z))[metric], hs.posterior(hs.tally(Y, Z, cluster=ALONE))[metric]
    np.testing.assert_allclose(tuple(one.interval()), tuple(plain.interval()), rtol=1e-10)
    assert one.mean == pytest.approx(plain.mean, rel=1e-10)


@pytest.mark.parametrize("metric", ["macro-f1", "macro-recall", "weighted-f1", "kappa", "phi"])
def test_clusters_of_one_item_change_nothing_for_many_classes(metric):
    """The same of draws, within their errors."""
    plain = hs.posterior(hs.tally(CLASSES, ANSWERS), tolerance=0.1)[metric]
    one = hs.posterior(hs.tally(CLASSES, ANSWERS, cluster=ALONE), tolerance=0.1)[metric]
    slack = 2 * (plain.error.value + one.error.value)
    np.testing.assert_allclose(tuple(one.interval()), tuple(plain.interval()), atol=slack)


def test_outcomes_are_graded_values_of_0_and_1():
    """A rate of passes is the mean of 0 and 1 with bounds, number by number; without bounds hardly another."""
    rate = hs.posterior(outcomes(GROUPS))["rate"]
    bounded = hs.posterior(hs.graded(PASSED, cluster=GROUPS, bounds=(0, 1)))["mean"]
    plain = hs.posterior(hs.graded(PASSED, cluster=GROUPS))["mean"]
    assert tuple(rate.interval()) == tuple(bounded.interval())
    assert (rate.mean, rate.std) == (bounded.mean, bounded.std)
    widths = [d.interval()[1] - d.interval()[0] for d in (rate, plain)]
    assert abs(widths[0] - widths[1]) < 0.02


def test_clusters_widen_what_they_share():
    """Answers to one question go together: the interval is wider, and the note says by how much."""
    alone, together = (hs.score(outcomes(x)) for x in (ALONE, GROUPS))
    widths = [r["rate"].interval()[1] - r["rate"].interval()[0] for r in (alone, together)]
    assert widths[1] > 1.2 * widths[0]
    (told,) = [n for n in together.notes if n.code == "design-effect"]
    assert told["effect"][0] == pytest.approx((widths[1] / widths[0]) ** 2, rel=0.25)
    assert told["worth"][0] == pytest.approx(200 / told["effect"][0])


def test_the_design_effect_is_that_of_the_sums():
    """Σ over clusters of (hits - rate·size)², over Σ over items of (hit - rate)²."""
    sums, rate = np.bincount(GROUPS, PASSED), PASSED.mean()
    want = ((sums - rate * 5) ** 2).sum() / ((PASSED - rate) ** 2).sum()
    assert hs.posterior(outcomes(GROUPS)).resolve("rate").design_effect == pytest.approx(want, rel=1e-9)


def test_a_design_effect_below_1_is_told_as_no_gain():
    """Clusters that are alike by chance do not make more items of those that there are."""
    found = hs.score(outcomes(np.arange(200) % 40))
    (told,) = [n for n in found.notes if n.code == "design-effect"]
    assert told["effect"][0] < 1
    assert "independent items" not in told.text
    assert told.text.endswith("(no loss: items of one cluster are no more alike than others)")


def test_no_design_effect_of_nothing():
    """Where all items are right there is no spread to compare, only rounding."""
    r = hs.score(hs.tally(CLASSES, CLASSES, cluster=GROUPS))
    assert not [n for n in r.notes if n.code == "design-effect"]


def test_draws_agree_with_the_exact_law():
    """The law of a quotient over clusters is that of its own draws."""
    d = hs.posterior(hs.tally(Y, Z, cluster=GROUPS))["f1"]
    x = d.draws(40_000, seed=3)
    for q in (0.05, 0.5, 0.95):
        assert (x <= d.ppf(q)).mean() == pytest.approx(q, abs=0.008)


def test_systems_may_have_different_numbers_of_samples():
    """Each system's own posterior is the same alone and drawn with another, for label sets and classes."""
    sets = [{"x"} if k % 3 else {"x", "y"} for k in range(60)]
    said = [s if RNG.random() < 0.7 else {"y"} for s in sets]
    a = hs.tally(pd.DataFrame({"t": sets[:24], "p": said[:24], "c": [k % 8 for k in range(24)]}), truth="t", pred="p",
                 cluster="c")  # fmt: skip
    b = hs.tally(pd.DataFrame({"t": sets, "p": said, "c": [k % 8 for k in range(60)]}), truth="t", pred="p",
                 cluster="c")  # fmt: skip
    both = hs.posterior(hs.Clustered.of({"a": a.parts[0], "b": b.parts[0]}), tolerance=0.2)
    for metric in ("samples-f1", "micro-f1", "macro-f1"):
        drawn = both.resolve(metric).joint_draws(8_000, 5)
        for k, name in enumerate("ab"):
            alone = both.system(name)[metric]
            assert drawn[:, k].std() == pytest.approx(alone.std, rel=0.06), (metric, name)


def test_a_metric_of_ones_own_is_compared():
    """A Metric is asked as it is, not by its name."""
    mine = hs.Metric("f1", 2 * tp / (2 * tp + fp + 3 * fn))
    other = np.where(RNG.random(200) < 0.6, Y, 1 - Y)
    for cluster in (None, GROUPS):
        c = hs.compare(hs.tally(Y, {"a": Z, "b": other}, cluster=cluster), "a", "b", metric=mine)
        alone = hs.posterior(hs.tally(Y, Z, cluster=cluster))[mine]
        assert c.first.distribution.mean == pytest.approx(alone.mean)


def test_differences_of_values_keep_their_range():
    """A drawn difference lies between minus and plus the width of the bounds, wherever these are."""
    rows = [(f"q{q}", m, -6 + 2 * (m == "b") + RNG.normal()) for q in range(12) for m, k in (("a", 3), ("b", 2 + q % 3))
            for _ in range(k)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["q", "m", "v"])
    c = hs.compare(frame, value="v", system="m", cluster="q", bounds=(-12, 2))
    low, high = c.difference.interval()
    assert low < c.difference.mean < high
    assert c.difference.range == (-14, 14)


def test_wins_of_clusters_are_not_counted():
    """Items of one cluster are not independent wins."""
    c = hs.compare(hs.graded({"a": PASSED, "b": 1 - PASSED}, cluster=GROUPS, bounds=(0, 1)))
    assert c.wins is None
    assert "wins" not in c.to_dict()["rows"][0]


def test_what_clusters_refuse():
    """One sentence each."""
    with pytest.raises(hs.HowsureError, match="one cluster"):
        hs.tally(Y, Z, cluster=[1] * 200)
    with pytest.raises(hs.HowsureError, match="flat prior"):
        hs.posterior(hs.tally(Y, Z, cluster=GROUPS), hs.two_level())
    with pytest.raises(hs.HowsureError, match="independent items"):
        hs.compare(hs.tally(Y, {"a": Z, "b": Y}, cluster=GROUPS), "a", "b").tests()
    with pytest.raises(hs.HowsureError, match="cannot be written as JSON"):
        hs.tally(Y, Z, cluster=GROUPS).to_dict()
