"""A small run of bench/stress in every test run, and what its full run has found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import howsure as hs
from bench.stress.__main__ import jobs
from bench.stress.trial import Job, tried
from tests.tiers import tier

CHEAP = [
    job
    for job in jobs(1e-5 if tier != "deep" else 1e-3, 3)
    if tier == "deep" or job.subject not in ("differences", "pairs")
]


def test_a_share_of_the_stress_test() -> None:
    """A few random tables of every kind through every measure: no violation."""
    assert {job.subject for job in CHEAP} >= {"binary", "rates", "classes", "weighted", "wins"}
    wrong = [v for job in CHEAP for v in tried(job)[1]]
    assert wrong == []


def test_the_stress_test_can_fail(monkeypatch) -> None:
    """A law whose median lies above its interval, and one that raises, are both found, with a text that can be run."""
    from howsure.posteriors.distribution import Distribution

    monkeypatch.setattr(Distribution, "median", property(lambda d: d.law.equal_tailed(0.999999)[1]))
    found = tried(Job("binary", "recall", 1, 20, 0.5))[1]
    assert any("high is below the median" in v.kind for v in found)
    assert all(v.example.startswith("d = hs.posterior(hs.Tally.binary(") for v in found)
    monkeypatch.setattr(Distribution, "median", property(lambda d: 1 / 0))
    assert "ZeroDivisionError" in tried(Job("binary", "recall", 1, 20, 0.5))[1][0].kind


# -- what it found


def of(table: tuple[int, ...], prior: object, name: str):
    return hs.posterior(hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), table, strict=True))), prior)[name]


@pytest.mark.whole
@pytest.mark.parametrize("name", ["phi", "kappa"])
@pytest.mark.parametrize("table", [(10, 0, 0, 10), (1000, 0, 0, 5), (4191725, 0, 0, 12116732)], ids=str)
def test_phi_next_to_its_ends(name, table) -> None:
    """Without a wrong answer half of the law may lie closer to 1 than doubles: once NaN, as a slope cancelled."""
    d = of(table, 0.0207788, name)
    i = d.interval(kind="equal-tailed")
    assert 0.9 < i.low < i.high == 1.0
    assert 0 < i.high_gap < 1e-30
    assert np.isfinite(d.cdf([-1 + 2e-16, 1 - 1e-15, 1 - 1e-16])).all()
    mirror = of((table[1], table[0], table[3], table[2]), 0.0207788, "phi")
    if name == "phi":
        assert mirror.interval(kind="equal-tailed").low_gap == pytest.approx(i.high_gap, rel=1e-6)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("table", "prior", "name"),
    [
        ((0, 0, 0, 0), [[0.00242793, 0.0878265], [1.94032, 167.239]], "balanced-accuracy"),
        ((0, 0, 0, 0), [[0.555669, 88.4101], [1.48204, 0.00279343]], "informedness"),
        ((19672, 0, 0, 0), [[37.1441, 0.00386551], [789.061, 0.0560591]], "g-mean"),
        ((0, 0, 121166, 0), [[174.763, 0.0036269], [1.66899, 106.95]], "lr-minus"),
    ],
)
def test_quantiles_where_the_density_is_off(table, prior, name) -> None:
    """Cell shapes below 0.01: the search stopped a step early, at 1e-8 of the probability."""
    d = of(table, prior, name)
    low, high = d.interval()
    for x, q in ((low, 0.025), (d.median, 0.5), (high, 0.975)):
        assert d.cdf(x) == pytest.approx(q, abs=1e-11)


def test_quantiles_of_a_narrow_law_around_0() -> None:
    """1e11 items, hardly any of which count: the last step of the search was left out."""
    d = of((0, 0, 102877379924, 0), "jeffreys", "utility(2,-1,0,0)")
    low = d.interval().low
    assert abs(d.cdf(low) - 0.025) <= 8 * np.finfo(float).eps * d.pdf(low)


@pytest.mark.parametrize("name", ["lr-plus", "odds-ratio"])
def test_differences_at_infinite_points(name) -> None:
    """The cdf is 0 and 1 there, without a warning."""
    one, two = (hs.Tally.binary(tp=tp, fp=159, fn=10, tn=66) for tp in (417, 300))
    d = hs.compare(one, two, metric=name).difference
    assert d.cdf([-np.inf, np.inf]).tolist() == [0.0, 1.0]
    assert d.sf([-np.inf, np.inf]).tolist() == [1.0, 0.0]


def test_lower_ends_keep_their_digits_where_both_shapes_are_small() -> None:
    """Half of the mass lies next to each end: the low end was 0, as 1 less the quantile of the complement."""
    d = of((0, 0, 0, 0), [[0.0684902, 0.0190828], [0.0586167, 0.0928]], "npv")
    i = d.interval()
    assert 1e-20 < i.low < 1e-17
    assert d.cdf(i.low) == pytest.approx(0.025, rel=1e-12)
    assert d.law.tails(np.asarray(1.0), -np.asarray(i.high_gap))[1] == pytest.approx(0.025, rel=1e-9)
    assert of((0, 0, 0, 0), 0.06, "npv").median == pytest.approx(0.5, abs=1e-12)


def test_intervals_hold_the_median_next_to_an_end() -> None:
    """Half of the law rounds to 1: the median was 1, and the high end one unit below it."""
    weight = [0.0921416, 7.91836e-06, 20.3254, 1.053e-06, 145.648, 0.255384]
    t = hs.tally([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0], labels=[0, 1], positive=1, weight=weight)
    d = hs.posterior(t, 0.00307368)["f2"]
    for level in (0.95, 0.5):
        assert d.interval(level).low <= d.median <= d.interval(level).high


def test_quantiles_that_scipy_leaves_off() -> None:
    """The median of Beta(1.06, 1.06) was off by 4e-10, more than its stated error."""
    d = of((0, 0, 1, 1), 0.0318573, "error-rate")
    assert d.cdf(d.median) == pytest.approx(0.5, abs=1e-14)


def test_quantiles_of_two_huge_shapes() -> None:
    """They start from a normal logit, and end where the tails are as asked, down to 1e-12."""
    from howsure.distributions import beta

    a, b = (np.array([2e8, 1e12, 3e15, 1e9]), np.array([1e15, 1e12, 2e8, 5e9]))
    for p in (1e-12, 0.025, 0.5):
        for low, high in ((p, 1 - p), (1 - p, p)):
            x, y = beta.quantile(a, b, np.full(4, low), np.full(4, high))
            lower, upper = beta.tails(a, b, x, y)
            np.testing.assert_allclose(lower if low <= high else upper, p, rtol=3e-7)


@pytest.mark.whole
@pytest.mark.parametrize("weight", [0.001, 0.00189947, 0.005, 0.02])
@pytest.mark.parametrize("table", [(332, 0, 0, 0), (5, 0, 0, 7), (0, 3, 0, 0)], ids=str)
def test_odds_ratios_under_small_priors(weight, table) -> None:
    """Against a plain sum over the logit of one rate, a quarter apart: the integral had stopped 4e-8 short.

    Two independent logits add up to the log of the odds ratio, and the trapezoid rule is exact to exp(-2 pi² / 0.25).
    """
    tp, fp, fn, tn = (count + weight for count in table)
    y = np.arange(-60 / weight, 60 / weight, 0.25)
    density = np.exp(tn * y - (tn + fp) * np.logaddexp(0.0, y) - special.betaln(tn, fp))
    d = of(table, weight, "odds-ratio")
    for log_t in (-200.0, -3.0, 0.0, 2.5, 150.0, 600.0):
        assert d.cdf(np.exp(log_t)) == pytest.approx(0.25 * density @ below_logit(tp, fn, log_t - y), abs=1e-11)


def below_logit(a: float, b: float, y: np.ndarray) -> np.ndarray:
    """P(logit of a Beta(a, b) <= y), by the first term of the series far out."""
    size = np.exp(-special.betaln(a, b))
    left, right = (np.exp(-k * np.maximum(x, 30.0)) * size / k for k, x in ((a, -y), (b, y)))
    left = np.where(y < -30, left, special.betainc(a, b, special.expit(y)))
    return np.where(y < 0, left, 1 - np.where(y > 30, right, special.betainc(b, a, special.expit(-y))))


def test_differences_of_laws_that_bend_next_to_an_end() -> None:
    """35 million right answers, none wrong, and a prior of 0.04: both tails were 1 less 1.4e-9 together."""
    one, two = hs.Tally.binary(tp=172, fp=27, fn=4, tn=27), hs.Tally.binary(tp=34951721, fp=0, fn=0, tn=0)
    d = hs.compare(one, two, metric="recall", prior=[[0.144769, 0.0375833], [0.0408, 0.0180948]]).difference
    low, high = d.interval()
    for x, q in ((low, 0.025), (d.median, 0.5), (high, 0.975)):
        below, _, above = d.law._evaluate(np.asarray(x), False)
        assert below == pytest.approx(q, abs=1e-11)
        assert below + above == pytest.approx(1.0, abs=2e-12)


def test_quantiles_next_to_a_pole_inside_the_range() -> None:
    """Half of the law lies within 1e-14 of 1, where steps by the density are small but not the last ones."""
    d = of((0, 0, 0, 383), [[366.88, 0.0282762], [16.5961, 0.00114562]], "lr-minus")
    for q in (0.48, 0.49, 0.5, 0.51):
        x = d.ppf(q)
        assert d.cdf(np.nextafter(np.nextafter(x, 0), 0)) <= q <= d.cdf(np.nextafter(np.nextafter(x, 2), 2))


@pytest.mark.parametrize("table", [(256335, 0, 0, 0), (2, 0, 0, 0), (0, 0, 0, 0), (0, 1, 0, 0)], ids=str)
def test_quantiles_on_a_pole_are_in_order(table) -> None:
    """Much of the law rounds to 1, where the line that is searched has doubles down to 1e-324: the steps ran out."""
    d = of(table, [[0.0013, 0.0034], [0.0055, 0.0064]], "lr-plus")
    q = np.array([0.05, 0.3, 0.4, 0.5, 0.55, 0.6, 0.75])
    x = d.ppf(q)
    assert (x[1:] >= x[:-1]).all()
    inside = (x > 1e-290) & (x < 1e290)
    around = [d.cdf(x[inside] + k * np.spacing(x[inside])) for k in (-4, 4)]
    assert (around[0] <= q[inside] + 1e-10).all()
    assert (around[1] >= q[inside] - 1e-10).all()


@pytest.mark.parametrize(
    ("table", "name", "level"),
    [((240, 230601, 878728674, 759), "accuracy", 0.8), ((0, 1449564746, 999, 0), "prevalence", 0.5)],
)
def test_quantiles_that_start_from_one_wrong_number(table, name, level) -> None:
    """A shape of 1,000 beside a billion: three steps from what scipy answers left 8e-9 of the probability."""
    d = of(table, "even" if name == "prevalence" else "jeffreys", name)
    for end, q in zip(d.interval(level), (0.5 - level / 2, 0.5 + level / 2), strict=True):
        assert d.cdf(end) == pytest.approx(q, abs=1e-12)


def test_means_of_weighted_items_far_apart() -> None:
    """A precision whose wrong answer weighs 6,000 times a right one: alone it had too few nodes, and was off by 3e-9.

    The mean and the standard deviation are by mpmath, of the map of one Beta variable.
    """
    weight = [5.26912, 0.00828901, 2.85259e-05, 3.38237, 32380.3, 0.0905047]
    t = hs.tally([1, 0, 1, 0, 0, 1], [1, 1, 0, 1, 1, 1], labels=[0, 1], positive=1, weight=weight)
    d = hs.posterior(t, 0.0232936)["precision"]
    assert d.mean == pytest.approx(0.00116516147053789320, rel=1e-12)
    assert d.std == pytest.approx(0.0116807013251809651, rel=1e-12)


def test_intervals_hold_the_median_next_to_a_pole() -> None:
    """Most of the law rounds to one half: ends and median may be any of its neighbours, but in order."""
    prior = [[888.625, 0.0368913], [2.40085, 0.0354342]]
    d = of((0, 0, 10303041, 245145807005019), prior, "balanced-accuracy")
    for level in (0.5, 0.95, 0.999):
        assert d.interval(level).low <= d.median <= d.interval(level).high
