"""The prior of clusters: sizes follow the correlation seen, few clusters are stretched, and what stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from bench.clusters import rules
from bench.clusters.simulated import Case
from bench.clusters.two_classes import pairs, rates
from howsure.posteriors.cluster_prior import ClusterSums, difference_share, pattern_correlation, stretch_factor

RNG = np.random.default_rng(451)


def clustered(*hits, of):
    """Systems a, b, … with so many hits of so many items in each cluster."""
    return hs.Clustered.of(
        {name: hs.Tally.rate(hits=np.asarray(h), of=of) for name, h in zip("ab", hits, strict=False)}
    )


def width(d):
    low, high = d.interval()
    return high - low


# -- the correlation


def test_the_correlation_is_0_of_independent_items_and_1_of_equal_ones():
    """And in between where clusters have rates of their own."""
    n = np.full(400, 12.0)
    for rho in (0.0, 0.3, 0.8):
        p = np.full(400, 0.8) if not rho else RNG.beta(0.8 * (1 - rho) / rho, 0.2 * (1 - rho) / rho, 400)
        assert ClusterSums.of_hits(RNG.binomial(12, p).astype(float), n).correlation == pytest.approx(rho, abs=0.08)
    alike = ClusterSums.of_hits(12.0 * (np.arange(400) < 300), n)
    assert (alike.correlation, alike.share, alike.factor) == (1.0, 1.0, 1.0)
    single = ClusterSums.of_hits(np.array([1.0, 0, 1, 1]), np.ones(4))
    assert (single.share, single.factor) == (1.0, 1.0)


def test_values_and_weights_have_the_same_correlation():
    """Hits are values of 0 and 1, a weight that all items share changes nothing, two patterns are hits and misses."""
    hits, n = RNG.binomial(6, 0.7, 30).astype(float), np.full(30, 6.0)
    plain = ClusterSums.of_hits(hits, n)
    counts = np.stack([hits, n - hits], axis=1)
    assert ClusterSums.of_patterns(counts, np.array([1.0, 0]), np.ones(2)).share == pytest.approx(plain.share)
    assert ClusterSums.of_hits(0.3 * hits, 0.3 * n, 0.3).share == pytest.approx(plain.share)
    assert pattern_correlation(counts) == pytest.approx(plain.correlation)


def test_the_study_has_the_rule_of_the_package():
    """bench/clusters/rules.py, for many tests at once."""
    n = RNG.integers(0, 9, (20, 15))
    hits, other = RNG.binomial(n, 0.7), RNG.binomial(n, 0.6)
    gap = np.abs(hits - other) / np.maximum(n, 1)
    share, apart = rules.share(hits, n), rules.difference_share(gap, n)
    for i in range(20):
        own = ClusterSums.of_hits(hits[i].astype(float), n[i].astype(float))
        assert share[i] == pytest.approx(own.share)
        assert rules.stretch_factor(own.clusters, share[i : i + 1])[0] == pytest.approx(own.factor)
        floor = 1.0 / n[i][n[i] > 0].mean()
        assert apart[i] == pytest.approx(difference_share(gap[i], n[i].astype(float), floor))


def test_the_stretch_fades_as_clusters_grow_many():
    """It is 1 where clusters are worth no more items than there are clusters."""
    factors = [stretch_factor(m, 0.1) for m in (5, 10, 20, 80, 1000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == pytest.approx(1.0, abs=0.003)
    assert stretch_factor(20, 1.0) == stretch_factor(1, 0.2) == 1.0


# -- distributions


def test_independent_items_in_clusters_are_hardly_less_than_independent_items():
    """80 clusters of 12: within a few percent of the width, and not shifted; whole made-up clusters gave 1.5 times."""
    ratios, shifts = [], []
    for _ in range(8):
        hits = RNG.binomial(12, 0.9, 80)
        d, plain = (
            hs.posterior(clustered(hits, of=12))["rate"],
            hs.posterior(hs.Tally.rate(hits=hits.sum(), of=960))["rate"],
        )
        ratios.append(width(d) / width(plain))
        shifts.append(d.mean - plain.mean)
    assert 0.9 < np.mean(ratios) < 1.12
    assert abs(np.mean(shifts)) < 0.002


def test_clusters_of_equal_items_are_as_many_items():
    """But for rounding: with a rate, and with the difference of two."""
    one, two = np.arange(20) < 15, np.arange(20) % 2 == 0
    both, items = hs.posterior(clustered(10 * one, 10 * two, of=10)), hs.posterior(clustered(one, two, of=1))
    for name in "ab":
        one, two = (tuple(p.system(name)["rate"].interval()) for p in (both, items))
        assert one == pytest.approx(two, rel=1e-14)
    assert hs.compare(both, "a", "b").p_better == pytest.approx(hs.compare(items, "a", "b").p_better, rel=1e-12)


def test_one_wrong_answer_shows_that_items_need_not_be_alike():
    """Without any, whole clusters might be wrong: the low end is lower then, and docs/how-to/clusters.md says so."""
    hits = np.full(80, 12)
    none = hs.posterior(clustered(hits, of=12))["rate"].interval()[0]
    hits[0] = 11
    assert hs.posterior(clustered(hits, of=12))["rate"].interval()[0] > none
    plain = hs.posterior(hs.Tally.rate(hits=80, of=80))["rate"].interval()[0]
    assert none == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("metric", ["f1", "recall", "phi", "macro-f1", "kappa", "accuracy"])
def test_tables_of_independent_items_are_not_much_wider_than_without_clusters(metric):
    """Of 60 clusters of 8 with mixed truths."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3 if metric in ("macro-f1", "kappa") else 2, 480)
    said = np.where(rng.random(480) < 0.85, truth, 0)
    plain = hs.posterior(hs.tally(truth, said), tolerance=0.05)[metric]
    d = hs.posterior(hs.tally(truth, said, cluster=np.arange(480) // 8), tolerance=0.05)[metric]
    assert 0.75 < width(d) / width(plain) < 1.35


def test_the_lead_over_guessing_is_stretched_too():
    """Informedness is 0 by guessing: P(better than guessing) is P(informedness > 0), also of six clusters."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 120)
    said = np.where(rng.random(120) < 0.57, truth, 1 - truth)
    p = hs.posterior(hs.tally(truth, said, cluster=np.arange(120) // 20))
    found = p.against_chance("informedness")
    assert 0.7 < found.better < 0.97
    assert found.better == pytest.approx(p["informedness"].sf(0.0), abs=0.012)


def test_graded_values_in_clusters_have_the_same_rule():
    """Independent values: hardly wider than without clusters; copies: as many items as there are clusters."""
    values = RNG.beta(6, 2, 240)
    plain = hs.posterior(hs.graded(values, bounds=(0, 1)))["mean"]
    d = hs.posterior(hs.graded(values, bounds=(0, 1), cluster=np.arange(240) // 8))["mean"]
    assert 0.8 < width(d) / width(plain) < 1.35
    copies = hs.graded(np.repeat(values[:30], 8), bounds=(0, 1), cluster=np.arange(240) // 8)
    some = hs.posterior(hs.graded(values[:30], bounds=(0, 1)))["mean"]
    np.testing.assert_allclose(tuple(hs.posterior(copies)["mean"].interval()), tuple(some.interval()), rtol=1e-9)


def test_a_plan_looks_forward_to_stretched_intervals():
    """The width that a plan of as many clusters as the pilot expects is about that of the pilot."""
    pilot = clustered(RNG.binomial(10, 0.8, 20), of=10)
    seen = width(hs.posterior(pilot)["rate"])
    found = hs.posterior(pilot).resolve("rate").outlook(1).widths(20, 0.95, "equal-tailed").values
    assert np.median(found) == pytest.approx(seen, rel=0.15)


def test_plans_of_rate_and_pass_at_1_agree():
    """Of equal samples: widths and claims alike, and about the same number of questions for a difference."""
    ease = RNG.beta(6, 2, 60)
    one, two = (RNG.binomial(8, ease) for _ in range(2))
    for goal in ({"width": 0.08}, {"above": 0.6}):
        n = [hs.plan(pilot=clustered(one, of=8), metric=m, **goal).n for m in ("rate", "pass@1")]
        assert n[0] == pytest.approx(n[1], abs=1)
    n = [hs.plan(pilot=clustered(one, two, of=8), metric=m, difference=0.06).n for m in ("rate", "pass@1")]
    assert n[0] == pytest.approx(n[1], rel=0.15)


# -- how often intervals cover


@pytest.mark.parametrize(("clusters", "size", "rate"), [(80, "12", 0.9), (20, "10", 0.95), (10, "10", 0.8)])
def test_intervals_of_uncorrelated_items_cover(clusters, size, rate):
    """A gate at the true rate seldom fails; with whole made-up clusters it failed in .08 to .23 of tests."""
    found = rates(Case(clusters, size, "one", 0.5, rate, 0.0), 2000).figures()
    new, before, t = (found[rule]["rate"] for rule in ("seen", "whole", "t"))
    assert 0.94 <= new["held"] <= 0.985
    assert new["fails"] < 0.085
    assert new["passes"] < 0.06
    assert new["width"] < 0.75 * before["width"]
    assert new["width"] < 1.3 * t["width"]


def test_equal_systems_are_seldom_told_apart():
    """Of several cases on average about as often as a t test rejects."""
    cases = [Case(20, "5", "mixed", 0.5, 0.8, 0.3, "own"), Case(50, "20", "mixed", 0.5, 0.8, 0.0, "common")]
    found = [pairs(case, 400).figures() for case in cases]
    for name in ("rate", "recall", "f1"):
        assert 0.01 < np.mean([x["seen"][name]["held"] for x in found]) < 0.08
