"""Measures of all classes by regression on their linear part: its law is exact, and stated errors hold.

References are order statistics of plain draws, whose own errors are counted in.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import howsure as hs
from howsure.distributions.classes import Classes
from howsure.distributions.control_variate import Controlled, GammaSum, Weighted
from howsure.distributions.difference import order_of
from howsure.distributions.quadrature import gauss_beta
from howsure.distributions.sampled import Sampled
from howsure.distributions.sampling import jumps
from howsure.evidence.classes import Tally
from howsure.posteriors.all_classes import AllClasses, _by_differences, slopes_of
from howsure.posteriors.class_samples import Bounded, ClassSampler, moved
from tests.tiers import some

Array = NDArray[np.float64]
MANY = 100_000
PLACES = np.array([0.025, 0.16, 0.5, 0.84, 0.975])


def table(k: int, n: int, right: float, uneven: bool, seed: int) -> Tally:
    """A table of k classes, of equal sizes or of Zipf's."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, k + 1) if uneven else np.ones(k)
    cells = np.where(np.eye(k, dtype=bool), right, (1.0 - right) / (k - 1)) * (share / share.sum())[:, None]
    return hs.Tally.matrix(rng.multinomial(n, cells.ravel()).reshape(k, k))


def question(t: Tally, name: str, prior: Any = "even", **settings: Any) -> AllClasses:
    found = hs.posterior(t, prior, **settings).resolve(name)
    assert isinstance(found, AllClasses)
    return found


# -- the parts


def test_the_law_of_one_gamma() -> None:
    """Density and cdf on the grid are those of scipy."""
    law = GammaSum(Weighted(np.array([2.0]), np.array([7.5]))).law()
    assert law is not None
    known = stats.gamma(7.5, scale=2.0)
    at = known.mean() + known.std() * law.points
    np.testing.assert_allclose(law.cdf, known.cdf(at), atol=1e-7)
    np.testing.assert_allclose(law.pdf, known.pdf(at) * known.std(), atol=1e-6)


def test_the_law_of_a_sum_whose_shapes_hang_on_a_share() -> None:
    """Against draws: coefficients of both signs, more than are kept apart, and a share from a Beta."""
    rng = np.random.default_rng(3)
    fixed, right, wrong = (
        Weighted(rng.normal(size=size), rng.gamma(1.0, scale, size))
        for size, scale in ((300, 0.3), (9, 1.0), (80, 0.2))
    )
    total = GammaSum(fixed, (2.5, 0.7), right, wrong)
    many = 50_000
    p = rng.beta(2.5, 0.7, many)
    x = rng.standard_gamma(fixed.shapes[:, None], (300, many)).T @ fixed.coefs
    for part, share in ((right, p), (wrong, 1.0 - p)):
        for c, a in zip(part.coefs, part.shapes, strict=True):
            x += c * rng.standard_gamma(a * share)
    assert x.mean() == pytest.approx(total.mean, abs=4 * total.std / np.sqrt(many))
    assert x.std() == pytest.approx(total.std, rel=0.02)
    law = total.law()
    assert law is not None
    places = np.interp(np.quantile((x - total.mean) / total.std, PLACES), law.points, law.cdf)
    np.testing.assert_allclose(places, PLACES, atol=4 * 0.5 / np.sqrt(many))


def test_a_law_that_hangs_on_next_to_nothing_is_not_given() -> None:
    """The characteristic function of a Gamma of shape 1/20 falls too slowly."""
    assert GammaSum(Weighted(np.ones(1), np.array([0.05]))).law() is None


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.2, 0.1), (30.0, 4.0)])
def test_means_over_a_beta(a: float, b: float) -> None:
    """Against the moment generating function, by its series."""
    p, _, w = (x[0] for x in gauss_beta(np.array([a]), np.array([b]), 24))
    series, term = 1.0, 1.0
    for k in range(60):
        term *= 1.7 * (a + k) / ((a + b + k) * (k + 1))
        series += term
    assert float(w @ np.exp(1.7 * p)) == pytest.approx(series, rel=1e-12)


def test_jumps_add_up_to_a_gamma() -> None:
    """Mean, variance and skewness of sums of jumps are those of Gammas, less what is below the smallest."""
    rng = np.random.default_rng(0)
    weights = np.full(MANY, 2.5)
    place, size = jumps(rng, weights)
    x = np.bincount(place, size, MANY)
    assert x.mean() == pytest.approx(2.5 * np.exp(-1e-3), abs=4 * np.sqrt(2.5 / MANY))
    assert x.var() == pytest.approx(2.5, rel=0.03)
    assert stats.skew(x) == pytest.approx(2 / np.sqrt(2.5), rel=0.05)


@pytest.mark.parametrize(
    "name",
    ["macro-f1", "macro-specificity", "weighted-f1", "kappa", "phi", "macro-g-mean", "informedness", "macro-phi"],
)
def test_slopes_of_formulas_are_their_differences(name: str) -> None:
    """One pass back through the formula gives what steps of every cell of every class give."""
    asked = question(table(7, 60, 0.8, True, 7), name, "even")
    plan, measure = asked.drawing.plan(), Bounded(asked.formula, *asked.metric.bounds)
    assert isinstance(plan, Classes)
    mean = plan.expected()
    tp = mean.tp[0]
    steps = _by_differences(np.concatenate([tp, mean.row - tp, mean.col[0] - tp]), measure)
    found = slopes_of(plan, measure, asked.formula)
    for one, two in zip(vars(found).values(), vars(steps).values(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-9 * np.abs(two).max())


@pytest.mark.parametrize("name", ["macro-f1", "macro-specificity", "weighted-f1"])
@pytest.mark.parametrize(("k", "prior"), [(4, "even"), (9, "even"), (40, "even"), (5, "two-level"), (5, "jeffreys")])
def test_the_linear_part_of_draws_has_the_law_that_is_computed(k: int, prior: Any, name: str) -> None:
    """Plain draws of the linear part are uniform under its cdf; so are tilted ones, once their weights are undone."""
    asked = question(table(k, 12 * k, 0.8, True, k), name, prior)
    plan, measure = asked.drawing.plan(), Bounded(asked.formula, *asked.metric.bounds)
    assert isinstance(plan, Classes)
    slopes = slopes_of(plan, measure, asked.formula)
    linear = plan.linear(slopes)
    law = linear.law()
    assert law is not None
    values = {}
    for sigmas in (0.0, -0.7, 0.7):
        tilted = plan.tilted(slopes, linear, sigmas)
        assert tilted.tilt is not None
        drawn = [(t.linear, measure(t.cells(0))) for t in tilted.draws(8_000, 1)]
        x, y = (np.concatenate(z) for z in zip(*drawn, strict=True))
        weight = np.exp(-tilted.tilt.theta * (x - linear.mean))
        weight /= weight.sum()
        order = np.argsort(x)
        below = np.interp((x[order] - linear.mean) / linear.std, law.points, law.cdf)
        size = 1.0 / float(weight @ weight)
        assert np.abs(np.cumsum(weight[order]) - below).max() < 2.5 / np.sqrt(size), sigmas
        assert x.mean() == pytest.approx(linear.mean + sigmas * linear.std, abs=0.4 * linear.std)
        mean = float(weight @ y)
        values[sigmas] = mean, np.sqrt(float(weight**2 @ (y - mean) ** 2))
    for sigmas in (-0.7, 0.7):
        gap = values[sigmas][0] - values[0.0][0]
        assert abs(gap) < 4.5 * np.hypot(values[sigmas][1], values[0.0][1]), sigmas


# -- the laws

CASES = [
    (10, 1000, 0.85, False), (10, 100, 0.8, False), (6, 300, 0.95, True), (3, 300, 0.9, False), (4, 40, 0.7, False),
    (8, 60, 0.5, True), (12, 240, 0.9, True), (5, 2000, 0.6, False),
]  # fmt: skip
NAMES = ("macro-f1", "macro-precision", "weighted-f1", "kappa", "phi")


def plain(asked: AllClasses, n: int, seed: int) -> Array:
    """Draws without a control, before they are moved."""
    measure = Bounded(asked.formula, *asked.metric.bounds)
    return ClassSampler(asked.drawing, (), measure, asked.metric.bounds)(n, seed)


def worst(law: Controlled, x: Array) -> float:
    """How far quantiles are from those of plain draws that are moved alike, in units of what is allowed."""
    x = moved(x, law.shift, (law.lower, law.upper)) if law.shift else x
    drawn = Sampled(np.sort(x), law.lower, law.upper)
    gap = np.abs(law.quantile(PLACES, 1.0 - PLACES)[0] - drawn.quantile(PLACES, 1.0 - PLACES)[0])
    allowed = [np.hypot(float(law.quantile_error(p)), float(drawn.quantile_error(p))) for p in PLACES.tolist()]
    return float((gap / np.array(allowed)).max())


@pytest.mark.parametrize("case", some(CASES, 3))
def test_stated_errors_hold(case: tuple[int, int, float, bool]) -> None:
    """Three standard errors, at five places of five measures, against plain draws."""
    t = table(*case, seed=17)
    for name in NAMES:
        asked = question(t, name)
        law = asked.law()[0]
        if isinstance(law, Controlled):
            assert law.n < 40_000
            raw = Controlled(law.fit, law.control, law.n, law.lower, law.upper)
            assert worst(raw, plain(asked, MANY, 5)) < 1.15, name


def test_the_paper_model_has_a_control_too() -> None:
    """The two-level model of Zhang, Wang & Zhao: class shares and rows of their own."""
    asked = question(table(5, 400, 0.8, True, 1), "macro-f1", "two-level")
    law = asked.law()[0]
    assert isinstance(law, Controlled)
    assert law.n < 8_000  # order statistics take 160,000; how many exactly depends on the first draws
    assert worst(law, plain(asked, MANY, 3)) < 1.15


def test_the_mean_is_where_the_pooled_prior_puts_it() -> None:
    """The moved law has the mean that is known, and its draws have it too."""
    d = hs.posterior(table(10, 300, 0.8, False, 2))["macro-f1"]
    assert isinstance(d.law, Controlled)
    assert d.law._moments[0] == pytest.approx(d.mean, abs=1e-4 * d.std)
    assert d.mc_error == 0.0
    assert d.draws(50_000).mean() == pytest.approx(d.mean, abs=0.03 * d.std)


def test_a_law_by_control_is_a_law() -> None:
    """Tails, quantiles, density, mode and both intervals agree with each other."""
    d = hs.posterior(table(10, 1000, 0.85, False, 3))["macro-f1"]
    assert isinstance(d.law, Controlled)
    p = np.array([0.001, 0.025, 0.3, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(d.cdf(d.ppf(p)), p, rtol=1e-6)
    np.testing.assert_allclose(d.cdf(d.ppf(p)) + d.sf(d.ppf(p)), 1.0, atol=1e-12)
    assert (d.cdf(d.range[0]), d.cdf(d.range[1])) == (0.0, 1.0)
    t = np.linspace(d.ppf(1e-6), d.ppf(1 - 1e-6), 4001)
    assert np.trapezoid(d.pdf(t), t) == pytest.approx(1.0, abs=1e-3)
    assert np.trapezoid(t * d.pdf(t), t) == pytest.approx(d.mean, abs=0.002 * d.std)
    assert d.ppf(0.3) < d.mode < d.ppf(0.8)
    short, even = d.interval(kind="hdi"), d.interval()
    assert short.high - short.low <= even.high - even.low
    assert d.cdf(short.high) - d.cdf(short.low) == pytest.approx(0.95, abs=1e-6)
    assert d.pdf(short.high) == pytest.approx(d.pdf(short.low), rel=0.02)


def test_a_fit_that_leaves_the_range_is_not_taken() -> None:
    """One regression for classes and for scores: the same draws, further from the end of the range, have a law."""
    linear = GammaSum(Weighted(np.ones(1), np.array([40.0])))
    control = linear.law()
    assert control is not None
    rng = np.random.default_rng(1)
    x = linear.mean + linear.std * rng.uniform(-3.0, 3.0, 1000)
    y = 0.99 + 0.004 * (x - linear.mean) / linear.std + 1e-4 * rng.standard_normal(1000)
    assert Controlled.fitted(linear, control, (x, y - 0.02), (0.0, 1.0), 0.9) is not None
    assert Controlled.fitted(linear, control, (x, y), (0.0, 1.0), 0.9) is None
    assert Controlled.fitted(linear, control, (x[:50], y[:50] - 0.02), (0.0, 1.0), 0.9) is None


def test_no_tail_is_0_within_the_range_and_the_floor_is_stated() -> None:
    """Far tails go on falling; a table shows a bound that the draws behind it can vouch for."""
    t = table(10, 500, 0.75, False, 3)
    d = hs.posterior(t)["macro-f1"]
    assert isinstance(d.law, Controlled)
    far = np.array([0.02, 0.3, 0.5, 0.95, 0.999])
    below, above = d.cdf(far), d.sf(far)
    assert ((below > 0) & (below < 1) & (above > 0) & (above < 1)).all()
    points = d.ppf(1.0 - np.array([0.3, 1e-2, 1e-4, 1e-6, 1e-8]))
    assert (np.diff(points) > 0).all()
    assert d.law.floor >= max(3 / d.law.n, 1e-5)
    x = np.sort(d.draws(MANY, seed=5))
    for side in (-1, 1):
        at = d.mean + side * d.std * np.linspace(2.5, 4.5, 9)
        seen = np.searchsorted(x, at) / MANY
        assert (np.abs(d.cdf(at) - seen) < d.law.floor + 4 * np.sqrt(d.law.floor / MANY)).all()
    report = hs.score(t, metrics=["macro-f1"], above=0.98)
    (shown,) = (float(x) for x in re.findall(r" < ([\d.e-]+)", str(report)))
    assert shown >= 3 / d.law.n
    assert report.to_dict()["rows"][0]["error"]["floor"] == d.law.floor


def test_thousands_of_draws_or_fewer_where_classes_have_items() -> None:
    """At the default tolerance; a finer one takes more, in proportion to its square."""
    t = table(10, 1000, 0.85, False, 4)
    for name in NAMES:
        assert hs.posterior(t)[name].ess < 5_000, name
    fine = hs.posterior(t, tolerance=0.005)["macro-f1"]
    assert 4_000 < fine.ess < 60_000
    assert max(fine.end_errors(0.95, "equal-tailed")) <= 1.05 * 0.005 * fine.std


def test_where_a_control_is_poor_order_statistics_remain() -> None:
    """No wrong answer at all: the measure lies at the end of its range."""
    d = hs.posterior(hs.Tally.matrix(10 * np.eye(4, dtype=int)), tolerance=0.1)["macro-f1"]
    assert isinstance(d.law, Sampled)
    assert d.route == "sampled"


def test_the_seed_decides() -> None:
    """The same seed has the same numbers; another seed has others, within the errors."""
    t = table(10, 500, 0.85, True, 5)
    one, again, other = (hs.posterior(t, seed=s)["macro-f1"].interval() for s in (0, 0, 1))
    assert one == again
    assert one != other
    d = hs.posterior(t)["macro-f1"]
    assert abs(one.low - other.low) < 2 * d.end_errors(0.95, "equal-tailed")[0]


def test_missing_answers_have_a_control() -> None:
    """A missing answer is a false one of every class in averages."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 7, 400)
    z = np.where(rng.random(400) < 0.8, y, rng.integers(0, 7, 400)).astype(object)
    z[::9] = None
    asked = question(hs.tally(y, z, labels=range(7), missing="wrong"), "macro-f1")
    law = asked.law()[0]
    assert isinstance(law, Controlled)
    assert worst(Controlled(law.fit, law.control, law.n, 0.0, 1.0), plain(asked, MANY, 1)) < 1.15


# -- two laws


PAIRS = [(40, 300, 0.78), (40, 300, 0.7), (12, 200, 0.7), (100, 3000, 0.79), (12, 2000, 0.5)]


@pytest.mark.parametrize("case", some(PAIRS, 5))
def test_the_order_of_two_laws_is_that_of_their_draws(case: tuple[int, int, float]) -> None:
    """P(A > B) from the laws alone is the share among independent draws of both, within both errors."""
    k, n, right = case
    one, two = question(table(k, n, 0.8, False, 1), "macro-f1"), question(table(k, n, right, False, 2), "macro-f1")
    found = order_of(one.distribution.law, two.distribution.law)
    assert found is not None
    above, below, error = found
    share = float((one.draws(MANY // 2, 11) > two.draws(MANY // 2, 12)).mean())
    off = 4.0 * np.sqrt(max(share * (1.0 - share), 10.0 / MANY) / (MANY // 2))
    assert abs(above - share) <= error + off
    assert above + below == pytest.approx(1.0, abs=1e-9)
    assert 1e-5 < error < 0.02


def test_the_order_of_one_law_and_itself() -> None:
    """Neither is above; and the other way round the two chances change places."""
    a, b = (question(table(20, 400, right, False, 3), "macro-f1").distribution.law for right in (0.8, 0.75))
    even, there, back = order_of(a, a), order_of(a, b), order_of(b, a)
    assert even is not None
    assert there is not None
    assert back is not None
    assert even[:2] == pytest.approx((0.5, 0.5), abs=1e-3)
    assert there[:2] == pytest.approx(back[1::-1], abs=1e-3)
    assert there[2] == pytest.approx(back[2])


def test_laws_without_a_control_have_no_order_here() -> None:
    """Order statistics are left to draws."""
    a = question(table(20, 400, 0.8, False, 3), "macro-f1").distribution.law
    assert order_of(a, Sampled(np.linspace(0.1, 0.9, 101), 0.0, 1.0)) is None


def test_what_pairing_told_takes_no_draws_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note on systems that might have been tested on different items asks the two laws, and draws no table."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 30, 600)
    a, b = (np.where(rng.random(600) < right, y, rng.integers(0, 30, 600)) for right in (0.8, 0.7))
    found = hs.compare(y, {"a": a, "b": b}, metric="macro-f1")
    monkeypatch.setattr(AllClasses, "draws", lambda *_: pytest.fail("tables are drawn"))
    (said,) = (n for n in found.notes if n.code == "pairing")
    assert 0.9 < said["apart"][0] < 1.0


def test_differences_of_different_items_keep_to_the_budget() -> None:
    """As many draws as on the same items: those wanted where they are cheap, ten thousand where each is dear."""
    few, many = (question(table(k, 30 * k, 0.8, False, 3), "macro-f1") for k in (8, 300))
    assert few.gap_draws == few.state.wanted_draws(1.3)
    assert 10_000 <= many.gap_draws < 30_000
