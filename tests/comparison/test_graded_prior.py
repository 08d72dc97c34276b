"""The prior of graded values: read off the values seen, and on 0 and 1 that of rates, pairs of outcomes and wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.errors import BadSetting
from howsure.posteriors.unit_prior import centres, ends, largest, spreads
from tests.comparison.stretching import stretched

RNG = np.random.default_rng(20_260_816)
A = np.round(0.85 + 0.04 * RNG.normal(size=25), 3)
B = np.round(A - 0.02 + 0.03 * RNG.normal(size=25), 3)


def law_of(values: Any, atoms: Any, weights: Any, n: int = 400_000) -> np.ndarray:
    """Draws of a mean: Gammas of shape 1 for each value, and of the weights given for the prior's atoms."""
    rng = np.random.default_rng(11)
    g = rng.standard_gamma([*np.ones(len(values)), *weights], (n, len(values) + len(weights)))
    return np.asarray(g @ np.array([*values, *atoms]) / g.sum(axis=1))


def mean_of(values: Any, atoms: Any, weight: float, bounds: Any = None) -> np.ndarray:
    """Draws of a mean whose prior has this weight on two atoms, stretched."""
    centre = (np.sum(values) + weight * np.sum(atoms)) / (len(values) + 2 * weight)
    return stretched(law_of(values, atoms, [weight, weight]), centre, len(values), values, bounds)


def agrees(d: Any, x: np.ndarray) -> None:
    """A law and draws of it: mean, spread and both ends."""
    assert d.mean == pytest.approx(x.mean(), abs=4 * x.std() / np.sqrt(len(x)))
    assert d.std == pytest.approx(x.std(), rel=0.01)
    assert tuple(d.interval()) == pytest.approx(tuple(np.quantile(x, [0.025, 0.975])), abs=0.03 * x.std())


# -- where the weight is


def test_a_mean_has_weight_a_tenth_beyond_what_was_seen() -> None:
    """Weight 1 on the smallest and on the largest value, each moved a tenth of the way to its bound."""
    low, high = A.min(), A.max()
    agrees(
        hs.posterior(hs.graded(A, bounds=(0, 1)))["mean"],
        mean_of(A, [0.9 * low, high + 0.1 * (1 - high)], 1, (0, 1)),
    )
    step = 0.1 * (high - low)
    agrees(hs.posterior(hs.graded(A))["mean"], mean_of(A, [low - step, high + step], 1))
    agrees(hs.posterior(hs.graded(A, bounds=(0, 1)), "none")["mean"], law_of(A, [], []))
    agrees(hs.posterior(hs.graded(A), 0.5)["mean"], mean_of(A, [low - step, high + step], 0.5))


def test_values_in_a_small_part_of_their_bounds_are_not_swamped() -> None:
    """25 values of .85 ± .04: within 1.35 of Student's interval (weight on the bounds 0 and 1 made it 3.7 times)."""
    low, high = hs.posterior(hs.graded(A, bounds=(0, 1)))["mean"].interval()
    width = 2 * 2.0639 * A.std(ddof=1) / 5
    assert 0.9 < (high - low) / width < 1.35
    assert low < A.mean() < high


def test_a_difference_has_weight_on_the_largest_seen() -> None:
    """Weight 1/2 on plus and 1/2 on minus the largest difference, and 1 on none, with bounds or without."""
    gap = A - B
    size = np.abs(gap).max()
    want = law_of(gap, [size, -size, 0.0], [0.5, 0.5, 1.0])
    for bounds in (None, (0, 1)):
        c = hs.compare(hs.graded({"a": A, "b": B}, bounds=bounds))
        agrees(c.difference, want)
        assert c.p_better == pytest.approx((want > 0).mean(), abs=0.003)
        x = c.difference.draws(200_000, seed=5)
        assert c.difference.cdf(np.quantile(x, 0.1)) == pytest.approx(0.1, abs=0.004)


def test_twenty_items_of_which_one_is_lost() -> None:
    """b is better on 19 of 20: Student's t has p below 1e-5, and the posterior no longer says .88."""
    gap = np.array([*np.linspace(0.03, 0.07, 19), -0.01])
    base = np.linspace(0.3, 0.6, 20)
    c = hs.compare(hs.graded({"b": base + gap, "a": base}, bounds=(0, 1)))
    assert c.p_better > 0.999


def test_no_difference_at_all() -> None:
    """Equal values: the range of the bounds, or of the values, stands for the largest difference."""
    for bounds, size in (((0, 1), 1.0), (None, np.ptp(A))):
        c = hs.compare(hs.graded({"a": A, "b": A}, bounds=bounds))
        assert c.p_better == pytest.approx(0.5, abs=1e-12)
        agrees(c.difference, law_of(np.zeros(25), [size, -size, 0.0], [0.5, 0.5, 1.0]))


def test_all_values_equal() -> None:
    """The bounds themselves; without bounds a refusal, and under none always."""
    agrees(hs.posterior(hs.graded([0.7] * 9, bounds=(0, 1)))["mean"], law_of([0.7] * 9, [0, 1], [1, 1]))
    for items, prior in ((hs.graded([0.7] * 9), "even"), (hs.graded([0.7] * 9, bounds=(0, 1)), "none")):
        with pytest.raises(BadSetting, match=r"all 9 values of system are 0\.7"):
            hs.posterior(items, prior)["mean"]


# -- values of 0 and 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40), st.sampled_from(["even", 0.5, 2.0]))
@settings(max_examples=40, deadline=None)
def test_on_right_and_wrong_it_is_the_rule_of_wins(items: list[tuple[bool, bool]], prior: Any) -> None:
    """0 and 1: the difference has exactly the law of wins under (1/2, 1/2, 1), each mean exactly that of a rate."""
    a, b = np.array(items, dtype=float).T
    weight = 1.0 if prior == "even" else prior
    c = hs.compare(hs.graded({"a": a, "b": b}, bounds=(0, 1)), prior=prior)
    counts = int((a > b).sum()), int((a < b).sum()), int((a == b).sum())
    wins = hs.compare_wins(*counts, prior=(weight / 2, weight / 2, weight))
    assert (c.p_better, c.p_worse) == pytest.approx((wins.p_better, wins.p_worse), rel=1e-9, abs=1e-14)
    for q in (1e-3, 0.025, 0.5, 0.975):
        assert c.difference.ppf(q) == pytest.approx(wins.difference.ppf(q), abs=1e-10)
    rate = hs.posterior(hs.Tally.rate(hits=int(a.sum()), of=len(a)), prior)["rate"]
    assert tuple(c.first.distribution.interval()) == pytest.approx(tuple(rate.interval()), rel=1e-12)


def test_clusters_of_right_and_wrong_are_clusters_of_outcomes() -> None:
    """The prior's clusters of 0 and 1 are those of outcomes: all right and all wrong, of mean size."""
    rng = np.random.default_rng(4)
    right, group = (rng.random(60) < 0.7).astype(int), np.sort(rng.integers(0, 15, 60))
    d = hs.posterior(hs.graded(right, bounds=(0, 1), cluster=group))["mean"]
    import pandas as pd

    frame = pd.DataFrame({"right": right, "group": group})
    outcome = hs.posterior(hs.tally(frame, outcome="right", cluster="group"))["rate"]
    assert (d.mean, d.std) == pytest.approx((outcome.mean, outcome.std), rel=0.02)
    assert tuple(d.interval()) == pytest.approx(tuple(outcome.interval()), abs=0.05 * d.std)


# -- laws


@pytest.mark.parametrize("options", [{}, {"bounds": (0, 1)}])
def test_an_update_is_the_posterior_of_both(options: dict[str, Any]) -> None:
    """The prior is read off all values: update(b) has exactly the laws of a + b, though b has the extremes."""
    order = np.argsort(A)
    parts = [hs.graded({"a": A[k], "b": B[k]}, **options) for k in (order[5:15], np.delete(order, np.arange(5, 15)))]
    whole = hs.posterior(parts[0] + parts[1])
    p = hs.posterior(parts[0]).update(parts[1])
    assert p == whole
    for q in (0.025, 0.5, 0.975):
        assert p.system("a")["mean"].ppf(q) == pytest.approx(whole.system("a")["mean"].ppf(q), abs=1e-12)
    same = hs.compare(hs.graded({"a": A, "b": B}, **options))
    assert hs.compare(p, "a", "b").p_better == pytest.approx(same.p_better, abs=1e-12)


@pytest.mark.parametrize("scale", [(1.0, 10.0), (1e6, -3e6), (-2.0, 1.0)])
def test_a_change_of_scale_changes_nothing(scale: tuple[float, float]) -> None:
    """Means and differences follow a linear change of the values and their bounds."""
    slope, shift = scale
    plain = hs.compare(hs.graded({"a": A, "b": B}, bounds=(0, 1)))
    turned = sorted((shift, shift + slope))
    other = hs.compare(hs.graded({"a": shift + slope * A, "b": shift + slope * B}, bounds=(turned[0], turned[1])))
    assert (other.p_better if slope > 0 else other.p_worse) == pytest.approx(plain.p_better, abs=1e-8)
    assert other.first.distribution.median == pytest.approx(shift + slope * plain.first.distribution.median, rel=1e-9)


def test_clusters_of_one_are_items() -> None:
    """With a cluster for each item the prior is that of items; copies within a cluster add nothing."""
    items = hs.graded({"a": A, "b": B}, bounds=(0, 1))
    alone = hs.graded({"a": A, "b": B}, bounds=(0, 1), cluster=range(25))
    copies = hs.graded({k: np.repeat(v, 3) for k, v in (("a", A), ("b", B))}, bounds=(0, 1), cluster=np.arange(75) // 3)
    want = hs.compare(items)
    for other in (alone, copies):
        c = hs.compare(other)
        assert c.p_better == pytest.approx(want.p_better, abs=1e-12)
        assert c.second.distribution.ppf(0.1) == pytest.approx(want.second.distribution.ppf(0.1), abs=1e-10)


def test_averages_over_items_with_many_labels_are_means() -> None:
    """samples-f1 and samples-jaccard have the law of the items' own values, and so have their differences and ranks."""
    rng = np.random.default_rng(8)
    truth = rng.random((40, 5)) < 0.4
    said = {name: np.where(rng.random((40, 5)) < share, ~truth, truth) for name, share in (("a", 0.1), ("b", 0.2))}
    t = hs.Tally.multilabel(truth.astype(int), {k: v.astype(int) for k, v in said.items()}, labels=range(5))
    both = {k: 2 * (truth & v).sum(axis=1) for k, v in said.items()}
    sizes = {k: truth.sum(axis=1) + v.sum(axis=1) for k, v in said.items()}
    f1 = {k: np.divide(both[k], sizes[k], out=np.zeros(40), where=sizes[k] > 0) for k in said}
    values = {"samples-f1": f1, "samples-jaccard": {k: v / (2 - v) for k, v in f1.items()}}
    for name, v in values.items():
        c, want = hs.compare(t, "a", "b", metric=name), hs.compare(hs.graded(v, bounds=(0, 1)))
        assert (c.p_better, c.p_worse) == pytest.approx((want.p_better, want.p_worse), abs=1e-11)
        for q in (0.025, 0.5, 0.975):
            assert c.difference.ppf(q) == pytest.approx(want.difference.ppf(q), abs=1e-9)
            assert c.second.distribution.ppf(q) == pytest.approx(want.second.distribution.ppf(q), abs=1e-9)
        agrees(want.difference, np.subtract(*hs.posterior(t).resolve(name).joint_draws(200_000, 2).T))
        assert "prior-from-data" in [n.code for n in c.notes]


# -- many systems


def test_two_systems_of_a_leaderboard_are_a_comparison() -> None:
    """At two systems the made-up items give the law of compare."""
    items = hs.graded({"a": A, "b": B}, bounds=(0, 1))
    x = hs.posterior(items).resolve("mean").joint_draws(200_000, 3)
    agrees(hs.compare(items).difference, x[:, 0] - x[:, 1])


def test_made_up_items_of_many_systems() -> None:
    """On 0 and 1 they are those of pass and fail; one system that is far off does not widen the others'."""
    right = (RNG.random((12, 5)) < 0.6).astype(float)
    right[:2] = [[0], [1]] * np.ones((2, 5))
    right[2] = [0, 1, 0, 1, 0]
    right[3] = [1, 1, 0, 0, 1]
    right[4] = [0, 0, 0, 1, 1]
    assert spreads(right, (0.0, 1.0)).tolist() == [1.0] * 5
    assert centres(right, (0.0, 1.0), 1.0) == (0.5, 0.5)
    near = np.stack([A, B, A + 0.01, A - 0.8], axis=1)
    assert spreads(near, None)[:3].max() <= np.abs(A - B).max() + 0.011
    middle, half = centres(near, (0.0, 1.0), 0.8), 0.4
    assert ends(near, (0.0, 1.0)) == pytest.approx((middle[0] - half, middle[1] + half))
    same = np.stack([A, A, A], axis=1)
    assert spreads(same, (0.0, 1.0)).tolist() == [1.0] * 3
    assert largest(same[:, :2], None) == np.ptp(A)


def test_every_pair_of_many_has_nearly_the_law_of_two() -> None:
    """P(one beats the other) by the joint draws of six systems is that of compare, within .03."""
    values = np.clip(RNG.random((20, 1)) + RNG.normal(0.02, 0.1, (20, 6)) + 0.02 * np.arange(6), 0, 1)
    items = hs.graded({f"s{k}": v for k, v in enumerate(values.T)}, bounds=(0, 1))
    x = hs.posterior(items).resolve("mean").joint_draws(40_000, 1)
    for i in range(6):
        for j in range(i):
            p = hs.compare(items, f"s{i}", f"s{j}").p_better
            assert (x[:, i] > x[:, j]).mean() == pytest.approx(p, abs=0.03)


def test_pairs_of_a_leaderboard_are_comparisons() -> None:
    """Pairs have exactly the law of compare, at two systems P(best) too; a note tells where ranks have another."""
    items = hs.graded({"a": A, "b": B, "c": A - 0.01 + 0.02 * RNG.normal(size=25)}, bounds=(0, 1.2))
    board = hs.leaderboard(items)
    i, j = board.systems.index("a"), board.systems.index("b")
    want = hs.compare(items, "a", "b").p_better
    assert board.pairs[i, j] == pytest.approx(want, abs=1e-12)
    assert "pairs-prior" in [n.code for n in board.notes]
    two = hs.leaderboard(items.pick(("a", "b")))
    assert two.p_best[two.systems.index("a")] == pytest.approx(want, abs=1e-12)
    assert "pairs-prior" not in [n.code for n in two.notes]


# -- what is said, and what is refused


def test_notes() -> None:
    """Where the weight is, and that the mean difference is not the difference of means."""
    items = hs.graded({"a": A, "b": B}, bounds=(0, 1))
    (told,) = [n.text for n in hs.score(items).notes if n.code == "prior-from-data"]
    assert "smallest and on the largest value seen, each moved a tenth of the way to its bound" in told
    (told,) = [n.text for n in hs.compare(items).notes if n.code == "prior-from-data"]
    assert "need not equal the difference of the means" in told
    assert f"on {np.abs(A - B).max():g}" in told
    assert not [n for n in hs.compare(items, prior="none").notes if n.code == "prior-from-data"]
    assert hs.score(items, prior=0.5).to_dict()["prior"] == {"name": "0.5", "total": 1}


@pytest.mark.parametrize("prior", ["two-level", [1, 1, 1, 1]])
def test_priors_of_tables_do_not_fit(prior: Any) -> None:
    """Graded values have one weight for either end."""
    with pytest.raises(BadSetting, match="graded values need the prior even, none or a weight"):
        hs.score(hs.graded(A), prior=prior)


def test_one_sided_without_a_prior() -> None:
    """Always better: without a prior that cannot be doubted, and the note says what can."""
    c = hs.compare(hs.graded({"a": A + 0.1 + 0.1 * B, "b": A}), prior="none")
    assert "one-sided" in [n.code for n in c.notes]
    assert c.p_worse == 0.0
    assert 0 < hs.compare(hs.graded({"a": A + 0.1 + 0.1 * B, "b": A})).p_worse < 1e-6
