"""The law of the difference of two independent measures, exact on every exact route."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.distributions.contour import GammaQuotient
from howsure.distributions.difference import Difference
from howsure.distributions.tabulated import Point, Tabulated, breaks, tabulate
from howsure.evidence.classes import Tally
from howsure.posteriors.distribution import Distribution
from tests.tiers import spread

CELLS = ("tp", "fp", "fn", "tn")
METRICS = [
    m for m in hs.metrics() if m.name not in ("rate", "phi", "kappa") and not m.any_of and m.route != "sampled"
]  # phi and kappa state errors of their own: below
A, B = (84, 18, 26, 872), (70, 25, 40, 865)
SMALL, OTHER, EMPTY, BIG = (3, 2, 1, 4), (4, 3, 2, 1), (0, 0, 0, 0), (10**9, 5 * 10**8, 10**8, 10**9)
PAIRS = {
    "ordinary": (A, B),
    "small": (SMALL, OTHER),
    "empty": (EMPTY, EMPTY),
    "empty against many": (EMPTY, B),
    "no errors": ((10, 0, 0, 1000), (8, 0, 0, 20)),
    "ten against 1e9": (SMALL, BIG),
    "1e9 against 1e9": (BIG, (10**9, 5 * 10**8 + 20_000, 10**8, 10**9)),
    "skewed": ((1, 0, 0, 10**6), (0, 1000, 1, 10**6)),
}


@cache
def law(cells: tuple[int, ...], metric: object) -> Distribution:
    return hs.posterior(Tally.binary(**dict(zip(CELLS, cells, strict=True))))[metric]


def difference(a: tuple[int, ...], b: tuple[int, ...], metric: object) -> Difference:
    return Difference(law(a, metric).law, law(b, metric).law)


MADE: dict[int, tuple[Any, Tabulated]] = {}


def table_of(one: Any) -> Tabulated:
    """The table of a law, made once: nearly all the time of these tests goes there."""
    if id(one) not in MADE:
        MADE[id(one)] = one, tabulate(one)
    return MADE[id(one)][1]


@pytest.fixture(autouse=True)
def tables_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.distributions.difference.tabulate", table_of)


# P(A - B <= t) by tests/reference/make_difference.py
REFERENCE = [
    ("informedness", SMALL, BIG, 0.0, 0.81108705831899741589),
    ("informedness", SMALL, BIG, -0.25, 0.44836273609655238121),
    ("informedness", SMALL, OTHER, 0.0, 0.1349261482864766),
    ("informedness", SMALL, OTHER, 0.3, 0.3802059124378598),
    ("informedness", EMPTY, SMALL, -0.3, 0.5325860586710794),
    ("lr-plus", SMALL, OTHER, 2.0, 0.7188642822803444),
    ("lr-plus", EMPTY, OTHER, 2.0, 0.7544607495076563),
]


@pytest.mark.parametrize(("metric", "a", "b", "t", "want"), REFERENCE)
def test_against_mpmath(metric: str, a: tuple[int, ...], b: tuple[int, ...], t: float, want: float) -> None:
    """Both tails within 1e-12: half shapes, empty tables, infinite ranges, n = 10 against 1e9."""
    below, above = difference(a, b, metric).tails(np.asarray(t))
    assert below == pytest.approx(want, abs=1e-12)
    assert above == pytest.approx(1 - want, abs=1e-12)


@pytest.mark.parametrize("t", [-0.3, 0.0, 0.1])
@pytest.mark.parametrize(("a", "b"), [(A, B), (EMPTY, SMALL), (SMALL, OTHER)])
def test_closed_laws_against_mpmath(a: tuple[int, ...], b: tuple[int, ...], t: float) -> None:
    """F1 is 2x/(1+x) of a Beta: the integral over the other law's own variable, at 25 digits."""
    import mpmath as mp

    shapes = [(c[0] + 0.5, c[1] + c[2] + 1.0) for c in (a, b)]
    with mp.workdps(25):

        def below(y: mp.mpf) -> mp.mpf:
            f = 2 * y / (1 + y) + mp.mpf(t)
            x = f / (2 - f)
            return mp.mpf(x >= 1) if x <= 0 or x >= 1 else mp.betainc(*shapes[0], 0, x, regularized=True)

        c, d = shapes[1]
        f = lambda y: y ** (c - 1) * (1 - y) ** (d - 1) / mp.beta(c, d) * below(y)  # noqa: E731
        corner = mp.mpf(-t) / (2 + mp.mpf(t)) if t < 0 else (1 - mp.mpf(t)) / (1 + mp.mpf(t))
        want = mp.quad(f, sorted({mp.mpf(0), corner, mp.mpf(1) / 4, mp.mpf(1) / 2, mp.mpf(3) / 4, mp.mpf(1)}))
    assert difference(a, b, "f1").tails(np.asarray(t))[0] == pytest.approx(float(want), abs=1e-12)


@pytest.mark.parametrize(("metric", "pair"), spread(METRICS, PAIRS))
def test_is_a_law(metric: hs.Metric, pair: str) -> None:
    """Its tables hold all the mass; quantiles undo the cdf; swapping the systems mirrors it to 1e-12."""
    a, b = PAIRS[pair]
    d, mirrored = difference(a, b, metric), difference(b, a, metric)
    assert d.closes
    p = np.array([0.025, 0.5, 0.975])
    t = d.quantile(p, 1 - p)[0]
    resolution = 8 * np.finfo(float).eps * (np.abs(t) + 1) * d.pdf(t)
    np.testing.assert_array_less(np.abs(d.tails(t)[0] - p), 1e-10 + resolution)
    assert (np.diff(t) > 0).all()
    (below, above), (other_above, other_below) = d.tails(t), mirrored.tails(-t)
    np.testing.assert_allclose(below, other_below, rtol=0, atol=1e-12)
    np.testing.assert_allclose(above, other_above, rtol=0, atol=1e-12)
    np.testing.assert_allclose(below + above, 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("metric", ["f1", "recall"])
def test_sign_agrees_with_the_betas(metric: str, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """P(A > B) of two Betas by their own integral, which uses no table."""
    d = difference(*pair, metric)
    (above, below), (at_low, at_high) = d.signs(), d.tails(np.zeros(()))
    assert at_high == pytest.approx(float(above), abs=1e-10)
    assert at_low == pytest.approx(float(below), abs=1e-10)


@pytest.mark.parametrize(
    ("metric", "a", "b"),
    [("f2", A, B), ("informedness", (60, 9, 9, 60), (24, 42, 42, 24)), ("g-mean", SMALL, OTHER), ("lr-plus", A, OTHER)],
)
def test_against_the_laws_themselves(metric: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """The mean of the cdf of A under B without tables, by quantiles of B: 1e-10, and 1e-6 relative down to 5e-19."""
    one, two = law(a, metric).law, law(b, metric).law
    x, w = np.polynomial.legendre.leggauss(12)
    z = np.linspace(-12.0, 12.0, 25)
    nodes = (0.5 * (z[1:] + z[:-1])[:, None] + 0.5 * np.diff(z)[:, None] * x).ravel()
    weights = (0.5 * np.diff(z)[:, None] * w).ravel() * np.exp(-0.5 * nodes**2) / np.sqrt(2 * np.pi)
    from scipy.special import ndtr

    t = two.quantile(ndtr(nodes), ndtr(-nodes))[0]  # B's point at each normal score
    for shift in (0.0, 0.05):
        below, above = one.tails(t + shift)
        found = Difference(one, two).tails(np.asarray(shift))
        for got, want in zip(found, ((weights * below).sum(), (weights * above).sum()), strict=True):
            assert got == pytest.approx(float(want), abs=1e-10)
            assert got / want == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_tables_agree_with_their_laws(metric: hs.Metric) -> None:
    """Tails from 1e-15 to 1 - 1e-15 within 1e-10 relative of the law, densities within 2e-10 (g-mean has 1.1e-10)."""
    p = np.array([1e-15, 1e-9, 1e-4, 0.1, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12])
    for cells in (A, SMALL, EMPTY):
        one = law(cells, metric).law
        t = one.quantile(p, 1 - p)[0]
        t = t[np.min([np.abs(t - x) for x in (one.lower, one.upper, *breaks(one))], axis=0) > 1e-14]
        rows = np.zeros(t.shape, dtype=int)
        table = table_of(one)
        density = one.pdf(t)
        for got, want in zip(table.look(rows, Point(0.0, t), density=True), (*one.tails(t), density), strict=True):
            np.testing.assert_allclose(got, want, rtol=2e-10 if want is density else 1e-10)
        assert abs(float(table.miss[0])) < 1e-12


@pytest.mark.parametrize("metric", ["f2", "informedness", "a-measure", "fowlkes-mallows", "lr-plus", "odds-ratio"])
@pytest.mark.parametrize("pair", [(A, B), (SMALL, OTHER)])
def test_agrees_with_draws(metric: str, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """The share of 200,000 draws below each quantile, within five standard errors; mean and std too."""
    tallies = [Tally.binary(**dict(zip(CELLS, c, strict=True))) for c in pair]
    d = hs.compare(*tallies, metric=metric).difference
    assert d.route == "quadrature"
    x = d.draws(200_000, seed=3)
    for q in (0.025, 0.3, 0.5, 0.975):
        assert (x <= d.ppf(q)).mean() == pytest.approx(q, abs=5 * np.sqrt(q * (1 - q) / 200_000))
    if np.isfinite(d.range[1]):  # the draws of a ratio have too heavy tails for their mean to tell
        assert d.mean == pytest.approx(x.mean(), abs=5 * d.std / np.sqrt(200_000))
        assert d.std == pytest.approx(x.std(), rel=0.02)
    low, high = d.interval(0.9, kind="hdi")
    assert d.cdf(high) - d.cdf(low) == pytest.approx(0.9, abs=1e-6)


def test_infinite_moments() -> None:
    """Without false positives the mean of a likelihood ratio is infinite; the quantiles of the difference are not."""
    pair = [Tally.binary(tp=tp, fp=0, fn=2, tn=30) for tp in (8, 9)]
    c = hs.compare(*pair, metric="lr-plus")
    assert np.isinf(c.first.distribution.mean)
    low, high = c.difference.interval()
    assert -np.inf < low < c.difference.median < high < np.inf
    assert c.difference.cdf(low) == pytest.approx(0.025, abs=1e-10)
    assert c.to_dict()["rows"][0]["difference"]["mean"] is None


@pytest.mark.parametrize("metric", ["informedness", "f2", "lr-plus"])
def test_batches_give_what_each_pair_gives(metric: str) -> None:
    """Tables of very different sizes in one batch, against one table."""
    cells = np.array([A, SMALL, EMPTY, (500, 3, 0, 20), (10**6, 10**4, 10**5, 10**6)])
    many = Tally.binary(**dict(zip(CELLS, cells.T, strict=True)))
    one = Tally.binary(**dict(zip(CELLS, B, strict=True)))
    c = hs.compare(many, one, metric=metric, equal_within=0.01)
    low, high = c.difference.interval()
    for i, row in enumerate(cells.tolist()):
        alone = hs.compare(Tally.binary(**dict(zip(CELLS, row, strict=True))), one, metric=metric, equal_within=0.01)
        assert c.p_above[i] == pytest.approx(alone.p_above, abs=1e-12)
        assert c.p_equal[i] == pytest.approx(alone.p_equal, abs=1e-12)
        width = alone.difference.interval().high - alone.difference.interval().low
        assert low[i] == pytest.approx(alone.difference.interval().low, abs=1e-9 * width)
        assert high[i] == pytest.approx(alone.difference.interval().high, abs=1e-9 * width)


def test_tiny_shapes_are_drawn() -> None:
    """Where most of the mass lies closer to an end than 1e-130, the difference is sampled and says so."""
    empty = Tally.binary(tp=0, fp=0, fn=0, tn=0)
    c = hs.compare(empty, empty, metric="f1", prior=0.001)
    assert c.difference.route == "sampled"


def test_means_of_a_few_graded_items() -> None:
    """The density of a bootstrap mean is a spline with a knot at every value: tables break there."""
    x, y = np.array([0.1, 0.3, 0.5, 0.8, 0.95]), np.array([0.05, 0.2, 0.55, 0.7, 0.9])
    a, b = (GammaQuotient(v, np.ones(5), np.ones(5)) for v in (x, y))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for t in (-0.2, 0.0, 0.5):
        cuts = np.unique(np.clip(np.concatenate([y, x - t]), y[0], y[-1]))
        z = (0.5 * (cuts[1:] + cuts[:-1])[:, None] + 0.5 * np.diff(cuts)[:, None] * nodes).ravel()
        w = (0.5 * np.diff(cuts)[:, None] * weights).ravel()
        want = (w * b.pdf(z) * a.tails(z + t)[0]).sum()
        assert Difference(a, b).tails(np.asarray(t))[0] == pytest.approx(float(want), abs=1e-12)


@given(st.tuples(*[st.integers(0, 40)] * 4), st.tuples(*[st.integers(0, 40)] * 4), st.sampled_from(METRICS))
@settings(max_examples=30, deadline=None)
def test_any_pair(a: tuple[int, ...], b: tuple[int, ...], metric: hs.Metric) -> None:
    """Any counts: the cdf at 0 is P(A < B), the cdf rises, and the tables hold."""
    d = difference(a, b, metric)
    above, below = d.signs()
    assert d.closes
    assert d.tails(np.zeros(()))[0] == pytest.approx(float(below), abs=1e-10)
    assert below + above == pytest.approx(1.0, abs=1e-12)
    p = np.array([0.01, 0.2, 0.5, 0.8, 0.99])
    t = d.quantile(p, 1 - p)[0]
    assert np.max(np.abs(d.tails(t)[0] - p)) < 1e-9


@pytest.mark.parametrize("metric", ["phi", "kappa"])
def test_phi_and_kappa_have_exact_differences(metric: str) -> None:
    """Against a sum over many quantiles of one of the laws, and with an error that holds both of theirs."""
    one, two = (hs.posterior(hs.Tally.binary(tp=a, fp=b, fn=c, tn=d))[metric] for a, b, c, d in (A, B))
    c = hs.compare(*(hs.Tally.binary(tp=a, fp=b, fn=c, tn=d) for a, b, c, d in (A, B)), metric=metric)
    assert c.difference.route != "sampled"
    p = (np.arange(20_000) + 0.5) / 20_000
    for t in (0.0, 0.03):
        assert c.difference.sf(t) == pytest.approx(float(np.mean(one.sf(two.ppf(p) + t))), abs=1e-6)
    assert c.p_better == pytest.approx(c.difference.sf(0.0), abs=1e-9)
    assert one.error.value + two.error.value <= c.difference.error.value < 1e-5
