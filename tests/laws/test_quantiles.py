"""Quantiles are checked by their tails: in order, inverse to the cdf, and right where scipy's are not."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy import special

import howsure as hs
from howsure.distributions import beta
from howsure.distributions.integral import Integral
from howsure.distributions.moebius import Moebius
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from tests.tiers import some

P = np.array([1e-9, 0.005, 0.025, 0.3, 0.5, 0.8, 0.975, 0.995, 1 - 1e-9])[:, None]
SIZES = (1e3, 1e5, 1e7, 1e8, 1e9, 3e9, 1e10, 1e11, 1e12)


def test_a_thousand_beside_a_billion() -> None:
    """The ends of 10**9 hits and 999 misses, where scipy 1.17.1 answers one number whatever the tail."""
    d = hs.posterior(Tally.rate(hits=10**9, of=10**9 + 999))["rate"]
    low, high = d.interval()
    assert low < d.median < high
    with mpmath.workdps(40):
        for end, tail in ((low, 0.025), (high, 0.975)):
            misses = _beta_cdf(1000, 10**9 + 1, 1 - mpmath.mpf(end))
            assert abs(1 - misses - tail) < 1e-8  # a double next to 1 moves the cdf by this much


def _beta_cdf(a: int, b: int, x: mpmath.mpf) -> mpmath.mpf:
    """By its integral around the mean, in pieces of a few standard deviations."""
    mean, sd = mpmath.mpf(a) / (a + b), mpmath.sqrt(mpmath.mpf(a)) / (a + b)
    constant = mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)

    def density(u: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(constant + (a - 1) * mpmath.log(u) + (b - 1) * mpmath.log1p(-u))

    cuts = [mean + k * sd for k in range(-14, 15, 2)]
    return mpmath.quad(density, [*(c for c in cuts if c < x), x])


@pytest.mark.parametrize("first", some(range(1, 2701, 50), every=60, start=19))
def test_quantiles_of_whole_and_half_shapes(first: int) -> None:
    """In the order of tails and of shapes at every size; from 1e9 on those of the Gamma law that is then the limit."""
    a, b = first + np.arange(0, 51, 0.5)[:, None, None], np.array(SIZES)
    x, y = beta.quantile(*np.broadcast_arrays(a, b, P, 1 - P))
    assert (np.diff(x, axis=0) > 0).all()
    assert (np.diff(x, axis=1) > 0).all()
    assert (np.diff(x, axis=2) < 0).all()
    np.testing.assert_allclose(beta.quantile(*np.broadcast_arrays(b, a, 1 - P, P))[1], x, rtol=1e-14)
    np.testing.assert_allclose(x + y, 1.0, rtol=1e-15)
    limit = np.where(P < 0.5, special.gammaincinv(a, P), special.gammainccinv(a, 1 - P))
    by_gamma = -np.expm1(-limit / (b + 0.5 * (a - 1)))
    np.testing.assert_allclose(x[..., b >= 1e9], by_gamma[..., b >= 1e9], rtol=1e-10)


def test_what_scipy_gets_wrong_is_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever scipy answers, the tails at the quantile are the ones asked for."""
    a, b = np.array([0.5, 3.0, 40.0, 1e4, 1e9]), np.array([2.5, 0.7, 40.0, 3.0, 1e9])
    right = beta.quantile(a, b, P, 1 - P)
    for wrong in (0.25, 0.0, 1.0, np.nan):
        monkeypatch.setattr(special, "betaincinv", lambda a, b, p, wrong=wrong: np.full(np.shape(a * b * p), wrong))
        monkeypatch.setattr(special, "betainccinv", special.betaincinv)
        np.testing.assert_allclose(beta.quantile(a, b, P, 1 - P), right, rtol=1e-9)


def test_ends_that_cross_are_refused() -> None:
    """Rounding may swap two ends; ends further apart are no interval."""

    class Crossed(Moebius):
        def equal_tailed(self, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
            low, high, below, above = super().equal_tailed(level)
            return high, low, below, above

    d = hs.posterior(Tally.rate(hits=5, of=9))["rate"]
    assert isinstance(d.law, Moebius)
    law = Crossed(d.law.a, d.law.b, d.law.u1, d.law.v1, d.law.u2, d.law.v2)
    with pytest.raises(BadSetting, match="low end"):
        replace(d, law=law).interval()
    close = replace(law, a=np.asarray(1e25), b=np.asarray(1e25))
    low, high = replace(d, law=close).interval()
    assert low < high < low + 1e-11


# -- down to the smallest double


def _below(a: float, b: float, c: float, d: float, t: float) -> mpmath.mpf:
    """P(√(RS) <= t) for R ~ Beta(a, b) and S ~ Beta(c, d) near 0: the first residues of the Mellin transform."""
    a, b, c, d = (mpmath.mpf(x) for x in (a, b, c, d))
    log_s = 2 * mpmath.log(mpmath.mpf(t))
    constant = mpmath.gamma(a + b) * mpmath.gamma(c + d) / (mpmath.gamma(a) * mpmath.gamma(c))

    def h(w: mpmath.mpf) -> mpmath.mpf:
        top = mpmath.exp(w * log_s) * mpmath.gamma(1 + a - w) * mpmath.gamma(1 + c - w)
        return constant * top / (w * mpmath.gamma(a + b - w) * mpmath.gamma(c + d - w))

    return -mpmath.diff(h, a) if a == c else (h(a) - h(c)) / (c - a)


@pytest.mark.parametrize(
    ("table", "prior"),
    [((0, 5, 3, 9), 0.001), ((0, 0, 0, 0), 0.001), ((0, 4, 3, 0), 0.001), ((0, 4, 0, 0), 0.003)],
)
def test_g_mean_down_to_the_smallest_double(table: tuple[int, int, int, int], prior: float) -> None:
    """Tails, quantiles and draws of g-mean where recall times specificity underflows: its square is below 1e-324."""
    tp, fp, fn, tn = (x + prior for x in table)
    d = hs.posterior(Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), table, strict=True))), prior)["g-mean"]
    draws = d.draws(20_000)
    with mpmath.workdps(40):
        for t in (1e-300, 1e-200, 1e-163, 1e-150, 1e-100, 1e-40):
            want = float(_below(tp, fn, tn, fp, t))
            assert d.cdf(t) == pytest.approx(want, rel=1e-12)
            assert d.sf(t) == pytest.approx(1 - want, rel=1e-12)
            assert d.ppf(want) == pytest.approx(t, rel=1e-9)
            assert (draws <= t).mean() == pytest.approx(want, abs=4 * 0.5 / np.sqrt(20_000))
            assert d.pdf(t) == pytest.approx((d.cdf(t * 1.001) - d.cdf(t / 1.001)) / (t * 0.002), rel=1e-3)


@pytest.mark.parametrize("metric", ["informedness", "markedness", "balanced-accuracy", "lr-plus", "lr-minus"])
def test_draws_of_two_rates_follow_their_law_at_tiny_shapes(metric: str) -> None:
    """At prior .001 rates lie below any double, or as close to 1: the draws have the tails of the law there too."""
    d = hs.posterior(Tally.binary(tp=0, fp=0, fn=3, tn=3), 0.001)[metric]
    x = d.draws(20_000)
    points = [s * 10.0**e for e in (-200, -100, -50, -20, -6, -0.5, 50) for s in (1, -1)]
    for t in (t for t in points if d.range[0] < t < d.range[1]):
        assert (x <= t).mean() == pytest.approx(d.cdf(t), abs=4 * 0.5 / np.sqrt(20_000))


def test_tables_that_have_settled_are_left_alone(monkeypatch):
    """One table of a batch that takes many steps does not make the others take them; its own answer is unchanged."""
    looked = []
    one_tail = Integral.one_tail

    def counted(self, t, *rest, **more):
        looked.append(np.size(t))
        return one_tail(self, t, *rest, **more)

    easy = np.stack([np.arange(3, 203), *(np.full(200, x) for x in (5, 4, 9))])
    hard = np.append(easy, [[10**15], [0], [0], [0]], axis=1)
    monkeypatch.setattr(Integral, "one_tail", counted)
    found = {}
    for name, (tp, fp, fn, tn) in (("easy", easy), ("hard", hard)):
        looked.clear()
        found[name] = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))["f2"].ppf(0.3), sum(looked), len(looked)
    np.testing.assert_allclose(found["easy"][0], found["hard"][0][:-1], rtol=1e-14)
    assert found["hard"][2] > found["easy"][2]
    assert found["hard"][1] < 1.2 * found["easy"][1]
