"""Systems on the same items: the prior of two is that of wins, and a leaderboard's pairs are those of compare."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.posteriors.paired import Answers, cell_draws

PATTERNS = list(product((0, 1), (0, 1), (0, 1)))  # truth, a, b
Counts = st.lists(st.integers(0, 12), min_size=8, max_size=8).filter(lambda c: sum(c[4:]) > 0 and sum(c[:4]) > 0)


def expanded(counts: list[int], prior: str = "even") -> hs.Posterior:
    """A joint posterior with these counts of the patterns."""
    rows = np.repeat(PATTERNS, counts, axis=0)
    return hs.posterior(hs.tally(rows[:, 0], {"a": rows[:, 1], "b": rows[:, 2]}, labels=[0, 1], positive=1), prior)


def many(systems: int, n: int = 120, seed: int = 0) -> hs.Tally:
    """Systems of slightly different quality on the same items."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return hs.tally(y, {f"s{k}": np.where(rng.random(n) < 0.8 + 0.03 * k, y, 1 - y) for k in range(systems)})


def test_two_items_that_only_one_finds() -> None:
    """2:0 among positives: .924, as wins have it, where ¼ on each discordant pattern gave .958."""
    p = expanded([5, 0, 0, 5, 3, 0, 2, 4])
    assert hs.compare(p, "a", "b", metric="recall").p_better == pytest.approx(0.9244131815783876, abs=1e-12)


@given(Counts)
@settings(max_examples=40, deadline=None)
def test_recall_is_wins_among_positives_and_accuracy_wins_over_all(counts: list[int]) -> None:
    """For any joint table; specificity is wins among negatives, and the complements of these follow."""
    p = expanded(counts)
    c = dict(zip(PATTERNS, counts, strict=True))
    wins = {
        "recall": (c[1, 1, 0], c[1, 0, 1]),
        "miss-rate": (c[1, 1, 0], c[1, 0, 1]),
        "specificity": (c[0, 0, 1], c[0, 1, 0]),
        "fallout": (c[0, 0, 1], c[0, 1, 0]),
        "accuracy": (c[1, 1, 0] + c[0, 0, 1], c[1, 0, 1] + c[0, 1, 0]),
    }
    for metric, (first, second) in wins.items():
        found = hs.compare(p, "a", "b", metric=metric)
        assert found.p_better == pytest.approx(hs.compare_wins(first, second).p_better, abs=1e-11), metric
        assert hs.leaderboard(p, metric=metric).pairs[0, 1] >= 0.5 - 1e-12


def test_counts_of_a_million_millions() -> None:
    """2e12 wins apart by a million of them: z = .5, where scipy's own incomplete beta is off."""
    big, apart = 10**12, 10**6
    counts = np.array([big, 0, 0, 5, big, big, big + apart, big])
    t = hs.Tally(cells=np.array(PATTERNS), counts=counts, systems=("a", "b"), labels=(0, 1), positive=1)
    want = 0.5 * (1 + math.erf(apart / math.sqrt(2 * big + apart) / math.sqrt(2)))
    c = hs.compare(t, "a", "b", metric="recall")
    assert c.p_better == pytest.approx(want, abs=1e-9)
    assert hs.leaderboard(t, metric="recall").pairs[0, 1] == pytest.approx(want, abs=1e-9)


@given(Counts)
@settings(max_examples=15, deadline=None)
def test_the_difference_of_recalls_has_the_means_of_both(counts: list[int]) -> None:
    """Each system keeps its own posterior, so the mean difference is the difference of means."""
    c = hs.compare(expanded(counts), "a", "b", metric="recall")
    assert c.difference.mean == pytest.approx(c.first.distribution.mean - c.second.distribution.mean, abs=1e-12)
    x = c.difference.draws(20_000, seed=5)
    assert (x <= c.difference.ppf(0.3)).mean() == pytest.approx(0.3, abs=0.02)


def test_slices_some_of_which_have_no_item_the_same() -> None:
    """A batch gives what each slice gives alone, where the concordant patterns of some weigh nothing at all."""
    y = np.ones(20, dtype=int)
    a, b = np.array([1] * 4 + [0] * 2 + [1] * 14), np.array([0] * 4 + [1] * 2 + [1] * 14)
    by = np.array(["none the same"] * 6 + ["most the same"] * 14)
    frame = {"truth": y, "a": a, "b": b, "by": by}
    c = hs.compare(_frame(frame), truth="truth", pred=["a", "b"], by="by", labels=[0, 1], positive=1, metric="recall")
    for row in c.to_dict()["rows"]:
        here = np.full(20, True) if row["overall"] else by == row["slice"]["by"]
        alone = hs.compare(hs.tally(y[here], {"a": a[here], "b": b[here]}, labels=[0, 1], positive=1), metric="recall")
        assert row["p_better"] == pytest.approx(alone.p_better, abs=1e-11)
        for key, value in alone.to_dict()["rows"][0]["difference"].items():
            assert row["difference"][key] == pytest.approx(value, abs=3e-8)


def _frame(columns: dict[str, np.ndarray]) -> object:
    import pandas as pd

    return pd.DataFrame(columns)


# -- leaderboards


@pytest.mark.parametrize("metric", ["recall", "specificity", "fallout", "accuracy", "f1", "precision", "npv", "phi"])
def test_pairs_are_those_of_compare(metric: str) -> None:
    """Number by number, for measures of one row and of all."""
    t = many(4)
    b = hs.leaderboard(t, metric=metric)
    for i, j in ((0, 1), (2, 0), (3, 2)):
        pair = sorted((b.names[i], b.names[j]))  # the order in which they came: draws depend on it
        c = hs.compare(t, *pair, metric=metric)
        if pair[0] != b.names[i]:
            i, j = j, i
        assert b.pairs[i, j] == pytest.approx(
            c.p_better, abs=1e-11 if c.route != "sampled" else 2 * c.error.probability
        )
    assert "pairs-prior" in [n.code for n in b.notes] or metric not in ("recall", "specificity", "fallout")
    assert metric in ("recall", "specificity", "fallout") or "pairs-prior" not in [n.code for n in b.notes]


@pytest.mark.parametrize("metric", ["recall", "fallout", "f1", "accuracy"])
def test_of_two_the_better_is_the_best(metric: str) -> None:
    """p_best is p_better, and no note tells them apart."""
    t = many(2)
    b, c = hs.leaderboard(t, metric=metric), hs.compare(t, "s0", "s1", metric=metric)
    assert b.p_best[b.names.index("s0")] == pytest.approx(c.p_better, abs=1e-12)
    assert b.expected_rank[b.names.index("s0")] == pytest.approx(1 + c.p_worse, abs=1e-12)
    assert "pairs-prior" not in [n.code for n in b.notes]


def test_the_weight_of_a_row_is_spread_over_the_most_balanced_splits() -> None:
    """Three systems: one or two of three say yes, each split 1/6; every pair is discordant with ⅓ each way."""
    one = Answers(np.zeros(0, int), np.zeros((0, 3), bool), np.zeros(0), np.zeros(0), {1: (0.5, 0.5)}, 1)
    found = {says: one.weight(1, *says) for says in product((0, 1), repeat=3)}
    assert found[0, 0, 0] == found[1, 1, 1] == 0.0
    assert [found[s] for s in ((1, 0, 0), (0, 1, 1))] == pytest.approx([1 / 6, 1 / 6])
    assert sum(w for s, w in found.items() if s[0] and not s[1]) == pytest.approx(1 / 3)
    assert sum(w for s, w in found.items() if s[0]) == pytest.approx(0.5)


@pytest.mark.parametrize(("systems", "prior"), [(4, 0.5), (5, 1e5), (8, 0.5), (8, 1e5), (9, 3.0), (12, 1e5)])
@pytest.mark.parametrize("row", [1, None])
def test_draws_have_the_spread_and_the_pairs_of_the_prior(systems: int, prior: float, row: int | None) -> None:
    """Without data: every system's share has its Beta law, and two have the correlation of the splits."""
    rows = {1: (prior, 2 * prior), 0: (prior, prior)}
    one = Answers(np.zeros(0, int), np.zeros((0, systems), bool), np.zeros(0), np.zeros(0), rows, row)
    parts = list(cell_draws(one, 20_000, 3))
    x = np.concatenate([p["tp"] / (p["tp"] + p["fn"]) for p in parts])
    variance = (2 / 9) / (3 * prior + 1)
    assert x.mean() == pytest.approx(2 / 3, abs=0.01)
    assert x.var(axis=0) == pytest.approx(variance, rel=0.06)
    low, part = divmod(2 * systems / 3, 1)
    both = (1 - part) * low * (low - 1) + part * (low + 1) * low
    joint = both / (systems * (systems - 1)) - 4 / 9 if row is not None else 0.0
    found = np.cov(x[:, 0], x[:, 1])[0, 1] * (3 * prior + 1)
    assert found == pytest.approx(joint, abs=0.02)


@pytest.mark.parametrize("systems", [2, 3, 7])
def test_heavy_priors_take_no_longer(systems: int) -> None:
    """Two columns with weight 1e5 took minutes: a stick for every unit of weight."""
    import time

    start = time.perf_counter()
    for metric in ("recall", "f1"):
        b = hs.leaderboard(many(systems), metric=metric, prior=1e5)
        assert b.p_best == pytest.approx(1 / systems, abs=0.05)
    assert time.perf_counter() - start < 20


def test_a_row_says_that_its_difference_is_sampled() -> None:
    """P(better) of two equal systems is computed, the ends of their difference are not."""
    y = [1] * 20 + [0] * 40
    z = [1] * 17 + [0] * 3 + [1] * 5 + [0] * 35
    c = hs.compare(y, {"a": z, "b": list(z)}, metric="f1")
    assert c.difference.route == "sampled"
    assert c.to_dict()["rows"][0]["route"] == "sampled"
