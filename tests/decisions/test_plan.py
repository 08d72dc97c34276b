"""Plans: textbook sample sizes, brute force and simulation hold them; every refusal is one sentence."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.distributions import future_counts
from howsure.distributions.three_moments import Sums, above, quantile
from howsure.errors import HowsureError

EXPECTED = {"recall": 0.8, "precision": 0.7, "prevalence": 0.1}
PILOT = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
Z95, Z975, Z80 = 1.6448536269514722, 1.959963984540054, 0.8416212335729143


# -- kernels


@pytest.mark.parametrize(("n", "p"), [(7, 0.3), (50, 0.02), (900, 0.9)])
def test_binomial_quantiles_are_the_smallest_that_reach(n, p):
    """By mpmath's incomplete beta on both sides of each quantile."""
    u = np.array([1e-6, 0.1, 0.37, 0.5, 0.93, 1 - 1e-6])
    found = future_counts.binomial_quantile(u, np.full(6, n), np.full(6, p))

    def cdf(k):
        return 0 if k < 0 else 1 if k >= n else mpmath.betainc(n - k, k + 1, 0, 1 - p, regularized=True)

    for one, k in zip(u, found.tolist(), strict=True):
        assert cdf(k) >= one - 1e-12
        assert cdf(k - 1) < one + 1e-12


def test_future_counts_have_their_means_and_variances():
    """Of a multinomial, from evenly spread points."""
    p = np.array([0.08, 0.02, 0.03, 0.87])
    found = future_counts.counts(future_counts.points(8192, 3, 1), 500, p)
    assert (found.sum(axis=1) == 500).all()
    assert np.abs(found.mean(axis=0) - 500 * p).max() < 0.1
    assert np.abs(found.var(axis=0) / (500 * p * (1 - p)) - 1).max() < 0.05


def test_three_moments_are_near_the_exact_law():
    """Of the mean of graded items: within 0.01 from 15 items on, within 0.004 from 40 on."""
    rng = np.random.default_rng(3)
    for n, most in ((15, 0.01), (40, 0.004), (150, 0.004)):
        x = rng.beta(0.7, 2, n)
        d = hs.posterior(hs.graded(x), "none")["mean"]
        s = Sums.of(np.ones((1, n)), x, np.ones(n))
        low, high = d.interval()
        assert abs(above(s, low)[0] - 0.975) < most
        assert abs(above(s, high)[0] - 0.025) < most
        assert abs(quantile(s, 0.975)[0] - quantile(s, 0.025)[0] - (high - low)) < 0.03 * (high - low)


# -- against brute force and textbooks


def brute(n: int, rate: float, width: float) -> tuple[float, float]:
    """P(interval at most so wide) and the mean width, summed over all numbers of hits."""
    hits = np.arange(n + 1)
    w = np.array([math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)])
    found = hs.posterior(hs.Tally.rate(hits=hits, of=n))["rate"].interval().width
    return float(w[found <= width].sum()), float((w * found).sum())


def test_a_rate_is_planned_exactly():
    """The n found reaches the goal, one less does not, and the probability is that of the sum over all outcomes."""
    made = hs.plan(expected={"rate": 0.8}, width=0.2)
    share, _ = brute(made.n, 0.8, 0.2)
    assert share >= 0.8 > brute(made.n - 1, 0.8, 0.2)[0]
    assert made.power == pytest.approx(share, abs=1e-9)
    assert all(brute(made.n + k, 0.8, 0.2)[0] >= 0.8 for k in range(1, 12))
    assert brute(made.n_average, 0.8, 0.2)[1] <= 0.2 < brute(made.n_average - 1, 0.8, 0.2)[1]


def test_a_pilot_of_a_rate_is_summed_over_the_beta_binomial():
    """P(P(rate > 0.7) >= 0.95) of 50 more items after 40 of 50, by fractions of Beta functions."""
    made = hs.plan(pilot=hs.Tally.rate(hits=40, of=50), above=0.7, n=50)
    hits = np.arange(51)
    w = [float(mpmath.binomial(50, k) * mpmath.beta(k + 41, 50 - k + 11) / mpmath.beta(41, 11)) for k in range(51)]
    sure = hs.posterior(hs.Tally.rate(hits=hits, of=50))["rate"].sf(0.7) >= 0.95
    assert made.power == pytest.approx(float(np.array(w)[sure].sum()), abs=1e-9)


@pytest.mark.deep
def test_near_the_textbook():
    """Wald's width, one and two proportions and McNemar (0.05, power 0.8; two systems two-sided), within 6%."""
    wide = hs.plan(expected={"rate": 0.8}, width=0.05)
    assert wide.n_average == pytest.approx(4 * 1.959964**2 * 0.16 / 0.05**2, rel=0.02)
    shown = hs.plan(expected={"rate": 0.8}, above=0.75)
    assert shown.n == pytest.approx((Z95 * math.sqrt(0.1875) + Z80 * 0.4) ** 2 / 0.05**2, rel=0.06)
    apart = hs.plan(expected={"rate": 0.8}, difference=0.05)
    assert apart.n == pytest.approx((Z975 + Z80) ** 2 * (0.16 + 0.1875) / 0.05**2, rel=0.06)
    same = hs.plan(expected={"rate": 0.8}, difference=0.05, disagreement=0.15)
    discordant = (Z975 * math.sqrt(0.15) + Z80 * math.sqrt(0.15 - 0.05**2)) ** 2 / 0.05**2
    assert same.n == pytest.approx(discordant, rel=0.06)


def test_queries_near_the_paired_t_test():
    """Differences of spread s between two runs on queries: n = ((z + z) s / d)², and the t test's one or two more."""
    rng = np.random.default_rng(5)
    x = rng.normal(0.02, 0.1, 400)
    pilot = hs.graded({"a": 0.4 + x, "b": np.full(400, 0.4) + 0 * x})
    made = hs.plan(pilot=pilot, difference=0.03)
    assert made.unit == "items"
    assert made.n == pytest.approx(((Z975 + Z80) * x.std() / 0.03) ** 2 + 1.5, rel=0.08)


def test_runs_of_queries_are_a_pilot():
    """What hs.trec gives, with the measure that is asked for; another measure or a third run is refused."""
    rng = np.random.default_rng(1)
    judged = {f"q{i}": {f"d{j}": int(rng.random() < 0.3) for j in range(20)} for i in range(25)}
    runs = {
        name: {q: {d: float(gain * x + rng.normal()) for d, x in found.items()} for q, found in judged.items()}
        for name, gain in (("a", 1.5), ("b", 1.0))
    }
    pilot = hs.trec(judged, runs, metrics=["AP", "P@5"])
    made = hs.plan(pilot=pilot, metric="AP", difference=0.1)
    values = hs.trec(judged, runs, metrics=["AP"]).values
    assert (made.metric, made.unit) == ("AP", "queries")
    assert made.n == pytest.approx(((Z975 + Z80) * np.std(values[:, 0] - values[:, 1], ddof=1) / 0.1) ** 2, rel=0.15)
    with pytest.raises(HowsureError, match="nDCG@10"):
        hs.plan(pilot=pilot, metric="nDCG@10", difference=0.1)
    with pytest.raises(HowsureError, match="has 3"):
        hs.plan(pilot=hs.trec(judged, {**runs, "c": runs["a"]}, metrics=["AP"]), difference=0.1)


def test_more_is_surer():
    """Widths fall and the probability of reaching the goal rises along the curve."""
    for made in (
        hs.plan(metric="f1", expected=EXPECTED, width=0.1),
        hs.plan(metric="f1", expected=EXPECTED, above=0.7),
    ):
        rows = [r for r in made.to_dict()["rows"] if r["n"] > 100]
        assert 12 <= len(rows) <= 21
        assert all(a["n"] < b["n"] for a, b in pairwise(rows))
        assert all(a["power"] <= b["power"] + 0.03 for a, b in pairwise(rows))
        if made.goal["kind"] == "width":
            assert all(a["width_average"] > b["width_average"] for a, b in pairwise(rows))


def test_a_vague_pilot_needs_more():
    """The same shares from fewer items leave more open, so that the assurance takes more items."""
    small, large = (hs.Tally.binary(tp=8 * k, fp=2 * k, fn=3 * k, tn=87 * k) for k in (3, 100))
    few, many = (hs.plan(metric="f1", pilot=t, width=0.1).n for t in (small, large))
    assert few > 1.1 * many


def test_the_reverse_agrees():
    """What n items give is what n was chosen for."""
    made = hs.plan(metric="f1", expected=EXPECTED, width=0.1)
    back = hs.plan(metric="f1", expected=EXPECTED, n=made.n)
    assert back.width_assured == pytest.approx(0.1, rel=0.01)
    small = hs.plan(expected={"rate": 0.8}, disagreement=0.2, n=300)
    again = hs.plan(expected={"rate": 0.8}, disagreement=0.2, difference=small.smallest, n=300)
    assert again.power == pytest.approx(0.8, abs=0.06)


def test_settings_matter():
    """A higher level, assurance or prior weight takes other numbers; the same seed the same."""
    plain = hs.plan(metric="f1", expected=EXPECTED, width=0.1)
    assert hs.plan(metric="f1", expected=EXPECTED, width=0.1) == plain
    assert hs.plan(metric="f1", expected=EXPECTED, width=0.1, level=0.99).n > 1.5 * plain.n
    assert hs.plan(metric="f1", expected=EXPECTED, width=0.1, assurance=0.99).n > plain.n
    assert hs.plan(metric="f1", expected=EXPECTED, width=0.1, seed=5).n == pytest.approx(plain.n, rel=0.03)
    assert hs.plan(metric="f1", expected=EXPECTED, width=0.1, interval="hdi").n <= plain.n


def test_lower_is_better():
    """An error rate of the first that is lower by 0.05 is an accuracy that is higher."""
    one, two = (
        hs.plan(metric=m, expected={"accuracy": 0.8}, difference=0.05, n=500).power for m in ("error-rate", "accuracy")
    )
    assert 0.3 < one < 0.7
    assert one == pytest.approx(two, abs=1e-6)


def test_clusters_that_agree_are_worth_one_item_each():
    """With all items of a cluster alike, so many clusters are needed as items without clusters."""
    rng = np.random.default_rng(2)
    hits = 5 * (rng.random(300) < 0.8)
    made = hs.plan(pilot=hs.Clustered.of({"a": hs.Outcomes.rate(hits=hits, of=5)}), width=0.1)
    alone = hs.plan(pilot=hs.Outcomes.rate(hits=int((hits > 0).sum()), of=300), width=0.1)
    assert made.unit == "clusters"
    assert made.n == pytest.approx(alone.n, rel=0.1)


# -- the document, and what is refused


def test_what_is_printed():
    """The answer first, in words; the curve beneath; the same from the command."""
    made = hs.plan(expected={"rate": 0.8}, width=0.1)
    assert f"Label {made.n} items: then the 95% interval of rate is at most 0.1 wide" in str(made)
    told = made.to_dict()
    assert told["schema"] == "howsure.plan/1"
    assert {"n", "n_average", "assurance", "goal", "unit", "power", "metric"} <= set(told)
    json.dumps(told, allow_nan=False)
    assert made.to_markdown().count("|") > 20
    assert "tabular" in made.to_latex()


def test_the_command_gives_what_the_library_gives(capsys):
    """The same document from the same words."""
    assert run(["plan", "--expected", "rate=80%", "--width", ".1", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == hs.plan(expected={"rate": 0.8}, width=0.1).to_dict()


REFUSED = {
    "no goal": ({"pilot": PILOT}, "width="),
    "two goals": ({"pilot": PILOT, "width": 0.1, "above": 0.7}, "one goal"),
    "no source": ({"width": 0.1}, "neither"),
    "two sources": ({"pilot": PILOT, "expected": EXPECTED, "width": 0.1}, "both"),
    "no width": ({"pilot": PILOT, "width": 0}, "above 0"),
    "a width of everything": ({"pilot": PILOT, "width": 1.0}, "0 to 1"),
    "a width that is text": ({"pilot": PILOT, "width": "x"}, "number"),
    "no difference": ({"pilot": PILOT, "difference": 0}, "above 0"),
    "too large a difference": ({"pilot": PILOT, "metric": "f1", "difference": 0.99}, "out of reach"),
    "a limit out of range": ({"pilot": PILOT, "above": 1.2}, "0 to 1"),
    "a claim that is not expected": ({"expected": EXPECTED, "above": 0.8}, "0.747"),
    "a claim that is hardly true": ({"pilot": PILOT, "above": 0.75}, "0.617"),
    "a width that no n reaches": ({"expected": {"rate": 0.8}, "width": 1e-5}, "100,000,000"),
    "a contradiction": ({"expected": EXPECTED | {"prevalence": 0.9}, "width": 0.1}, "contradicts"),
    "an open table": ({"expected": {"recall": 0.8}, "width": 0.1}, "recall, precision and prevalence"),
    "an unknown measure": ({"expected": {"recal": 0.8}, "width": 0.1}, "recal"),
    "a rate of 1": ({"expected": {"rate": 1}, "width": 0.1}, "between 0 and 1"),
    "counts": ({"expected": {"tp": 8, "fp": 2, "fn": 3, "tn": 87}, "width": 0.1}, "counts"),
    "too little disagreement": ({"expected": {"rate": 0.8}, "difference": 0.05, "disagreement": 0.01}, "disagree"),
    "idle disagreement": ({"pilot": PILOT, "width": 0.1, "disagreement": 0.1}, "disagreement="),
    "an assurance in percent": ({"pilot": PILOT, "width": 0.1, "assurance": 80}, "0.8?"),
    "half an item": ({"pilot": PILOT, "n": 0.5}, "whole number"),
    "weights": ({"pilot": hs.tally([1, 0, 1], [1, 0, 0], weight=[1.0, 2.0, 1.5]), "width": 0.1}, "weight="),
    "slices": ({"pilot": hs.Tally.binary(tp=[8, 9], fp=2, fn=3, tn=87), "width": 0.1}, "slices"),
    "no pilot": ({"pilot": [1, 0, 1], "width": 0.1}, "list"),
    "label sets": ({"pilot": hs.Tally.multilabel([{"a"}, {"b"}], [{"a"}, {"a"}]), "width": 0.1}, "Multilabel"),
    "no direction": ({"pilot": PILOT, "metric": "prevalence", "difference": 0.1}, "better"),
    "hdi without a width": ({"pilot": PILOT, "above": 0.7, "interval": "hdi"}, "interval="),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    """One sentence that says what was given or is needed."""
    given, told = REFUSED[what]
    with pytest.raises(HowsureError) as caught:
        hs.plan(**given)
    said = str(caught.value)
    assert told in said
    assert said.endswith((".", "?", "howsure metrics"))
    assert "\n" not in said
