"""Slices together: the law of what they share, and the law of each, against finer grids, sums and another rule."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import special

from howsure.distributions.beta_mixture import BetaMixture, SharedNodes, log_rising, shared_nodes

HALF = (0.5, 0.5)


def _binomial(seed: int, sizes: list[int], rates: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    hits = np.random.default_rng(seed).binomial(sizes, rates)
    return hits, np.asarray(sizes) - hits


def _sizes(seed: int, slices: int) -> list[int]:
    return np.exp(np.random.default_rng(seed).uniform(np.log(5), np.log(200), slices)).astype(int).tolist()


SETS = {
    "equal": _binomial(1, _sizes(1, 50), 0.8),
    "apart": _binomial(2, _sizes(2, 50), np.random.default_rng(2).beta(14, 6, 50)),
    "far": _binomial(3, _sizes(3, 20), np.random.default_rng(3).beta(0.3, 0.3, 20)),
    "groups": _binomial(4, _sizes(4, 50), np.where(np.arange(50) % 2, 0.6, 0.85)),
    "rare": _binomial(5, _sizes(5, 50), 0.01),
    "two": (np.array([9, 40]), np.array([1, 60])),
    "nothing found": (np.zeros(10), np.full(10, 20)),
    "all or nothing": (np.array([0, 10, 0, 10]), np.array([10, 0, 10, 0])),
    "one of each": (np.array([0, 1]), np.array([1, 0])),
    "empty ones": (np.array([0, 7, 0, 3]), np.array([0, 3, 0, 4])),
    "no items": (np.zeros(3), np.zeros(3)),
    "one is huge": (np.array([900_000, *[15] * 20]), np.array([100_000, *[5] * 20])),
    "all are huge": (np.full(5, 8e8), np.array([2e8, 2e8 + 9e4, 2e8 - 5e4, 2e8, 2e8])),
    "an outlier": (np.array([10, *[95] * 19]), np.array([90, *[5] * 19])),
}


def _tail(nodes: SharedNodes, h: float, m: float, t: np.ndarray) -> np.ndarray:
    """The mixture's cdf by scipy's incomplete beta."""
    return np.asarray((special.betainc(h + nodes.a, m + nodes.b, t[:, None]) * nodes.weight).sum(axis=1))


@pytest.mark.parametrize("name", [x for x in SETS if "huge" not in x])
def test_nodes_are_as_good_as_three_times_as_many(name: str) -> None:
    """No probability moves by 1e-6 on a grid with a third of the steps in both directions."""
    hits, misses = SETS[name]
    usual, fine = (shared_nodes(hits, misses, HALF, finer) for finer in (1, 3))
    t = np.array([0.001, 0.01, 0.05, 0.2, 0.4, 0.6, 0.75, 0.8, 0.85, 0.9, 0.97, 0.999])
    for i in {0, 1, len(hits) - 1}:
        apart = _tail(usual, hits[i], misses[i], t) - _tail(fine, hits[i], misses[i], t)
        assert np.abs(apart).max() < 1e-6


def test_nodes_agree_with_a_plain_product_rule() -> None:
    """Mean of a slice and of all, by Gauss nodes on the square of λ/(λ+1) and μ, the model as it is written down."""
    hits, misses = np.array([3, 9, 5, 0]), np.array([2, 1, 5, 0])
    x, w = np.polynomial.legendre.leggauss(80)
    top = 25 / 26  # λ/(λ+1) is uniform up to λ = N
    share, mean = np.meshgrid(0.5 * top * (1 + x), 0.5 * (1 + x), indexing="ij")
    lent = share / (1 - share)
    a, b = 0.5 + lent * mean, 0.5 + lent * (1 - mean)
    seen = special.betaln(a[..., None] + hits, b[..., None] + misses) - special.betaln(a, b)[..., None]
    weight = np.exp(seen.sum(axis=-1)) * np.outer(w, w)
    weight /= weight.sum()
    nodes = shared_nodes(hits, misses, HALF)
    for h, m in zip(hits, misses, strict=True):
        rate = (h + a) / (h + m + a + b)
        assert (h + nodes.a) / (h + m + nodes.a + nodes.b) @ nodes.weight == pytest.approx(
            (rate * weight).sum(), abs=1e-6
        )
        assert nodes.pull(np.array(h + m)) == pytest.approx((lent / (h + m + 1 + lent) * weight).sum(), abs=1e-6)


@pytest.mark.deep
def test_nodes_agree_with_an_integral_by_mpmath() -> None:
    """Mean of a slice, by adaptive integrals over λ and μ of the model as it is written down."""
    hits, misses = [3, 9, 5], [2, 1, 5]
    total = sum(hits) + sum(misses)

    def parts(share: mpmath.mpf, mean: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        lent = share / (1 - share)
        a, b = mpmath.mpf("0.5") + lent * mean, mpmath.mpf("0.5") + lent * (1 - mean)
        seen = mpmath.mpf(1)
        for h, m in zip(hits, misses, strict=True):
            seen *= mpmath.beta(a + h, b + m) / mpmath.beta(a, b)
        return seen, seen * (a + hits[0]) / (a + b + hits[0] + misses[0])

    mpmath.mp.dps = 15
    top = mpmath.mpf(total) / (total + 1)  # λ/(λ+1) is uniform up to λ = N
    whole, part = (
        mpmath.quad(
            lambda s, k=k: mpmath.quad(lambda u: parts(s, u)[k], [0, 0.5, 1], maxdegree=4), [0, 0.7, top], maxdegree=4
        )  # type: ignore[misc]
        for k in (0, 1)
    )
    nodes = shared_nodes(np.array(hits), np.array(misses), HALF)
    mean = (hits[0] + nodes.a) / (sum((hits[0], misses[0])) + nodes.a + nodes.b) @ nodes.weight
    assert float(part / whole) == pytest.approx(mean, abs=1e-7)


@pytest.mark.parametrize("name", list(SETS))
def test_series_are_the_sums_over_nodes(name: str) -> None:
    """Tails, quantiles and density of every slice by its series are those of the mixture, summed."""
    hits, misses = (np.asarray(x, dtype=float) for x in SETS[name])
    law = BetaMixture(hits, misses, shared_nodes(hits, misses, HALF))
    p = np.array([0.001, 0.025, 0.5, 0.975, 0.999])[:, None]
    value, below, above = law.quantile(p, 1.0 - p)
    row = np.broadcast_to(law._few[2], value.shape).ravel()
    summed = law._summed(row, below.ravel(), above.ravel(), "lower").reshape(value.shape)
    assert np.abs(summed - p).max() < 1e-7
    assert np.abs(law.tails(value)[0] - summed).max() < 1e-7
    density = law._summed(row, below.ravel(), above.ravel(), "density").reshape(value.shape) / (below * above)
    assert np.allclose(law.pdf(value), density, rtol=2e-5)
    assert np.all((below > 0) & (above > 0))
    assert np.all(np.diff(value, axis=0) > 0)


def test_deep_tails_keep_their_digits() -> None:
    """Tails below what series show are sums of incomplete betas, on either side."""
    hits, misses = (np.asarray(x, dtype=float) for x in SETS["apart"])
    nodes = shared_nodes(hits, misses, HALF)
    law = BetaMixture(hits, misses, nodes)
    low, high = law.tails(np.asarray(0.2))[0], law.tails(np.asarray(0.9999))[1]
    for i in (0, 7, 49):
        assert low[i] == pytest.approx(_tail(nodes, hits[i], misses[i], np.array([0.2]))[0], rel=1e-6, abs=1e-300)
        upper = special.betaincc(hits[i] + nodes.a, misses[i] + nodes.b, 0.9999) @ nodes.weight
        assert high[i] == pytest.approx(upper, rel=1e-5)
    tiny = law.quantile(np.asarray(1e-8), np.asarray(1.0 - 1e-8))[0]
    assert np.allclose(law.tails(tiny)[0], 1e-8, rtol=1e-6)


def test_points_of_the_law() -> None:
    """Mean, standard deviation and mode are those of its density on a fine grid; equal counts have equal laws."""
    hits, misses = np.array([8.0, 30.0, 8.0, 0.0]), np.array([4.0, 10.0, 4.0, 12.0])
    law = BetaMixture(hits, misses, shared_nodes(hits, misses, HALF))
    x = (np.arange(1500) + 0.5) / 1500
    density = law.pdf(x[:, None])
    assert density.mean(axis=0)[:3] == pytest.approx(np.ones(3), abs=1e-5)
    mean = (density * x[:, None]).mean(axis=0)
    assert law.mean()[:3] == pytest.approx(mean[:3], abs=1e-5)
    assert law.std()[:3] == pytest.approx(np.sqrt((density * x[:, None] ** 2).mean(axis=0) - mean**2)[:3], abs=1e-4)
    assert law.mode()[:3] == pytest.approx(x[density.argmax(axis=0)][:3], abs=5e-4)
    assert law.mode()[3] == 0.0
    assert law.median()[0] == law.median()[2]
    low, high, wild = law.shortest(0.9)
    assert not wild.any()
    inside = law.tails(high)[0] - law.tails(low)[0]
    assert inside == pytest.approx(np.full(4, 0.9), abs=1e-6)
    ends = law.equal_tailed(0.9)
    assert np.all(high - low <= ends[1] - ends[0] + 1e-9)


def test_hits_and_misses_mirror_each_other() -> None:
    """The law of misses is that of hits turned around."""
    hits, misses = (np.asarray(x, dtype=float) for x in SETS["rare"])
    one = BetaMixture(hits, misses, shared_nodes(hits, misses, HALF))
    two = BetaMixture(misses, hits, shared_nodes(misses, hits, HALF))
    p = np.array([0.025, 0.5, 0.975])[:, None]
    assert np.allclose(one.quantile(p, 1 - p)[1], two.quantile(1 - p, p)[2], rtol=1e-4, atol=1e-7)


def test_what_is_lent_follows_the_data() -> None:
    """Alike slices lend much, slices far apart next to nothing; many items are moved less than few."""
    alike, apart = (shared_nodes(*SETS[name], HALF) for name in ("equal", "far"))
    assert alike.pull(np.array(10)) > 0.9
    assert apart.pull(np.array(10)) < 0.05
    assert np.all(np.diff(alike.pull(np.array([0, 10, 100, 1000]))) < 0)
    fine = shared_nodes(*SETS["apart"], HALF, finer=4)
    p = np.array([0.025, 0.5, 0.975])
    assert shared_nodes(*SETS["apart"], HALF).spread_quantiles(p) == pytest.approx(fine.spread_quantiles(p), rel=0.03)


@pytest.mark.parametrize(("a", "h"), [(2e4, 3), (1e6, 1e6), (3e7, 1e9), (1e9, 1)])
def test_rising_factorials(a: float, h: float) -> None:
    """log Γ(a+h) - log Γ(a) of large shapes, against mpmath."""
    mpmath.mp.dps = 40
    true = mpmath.loggamma(mpmath.mpf(a) + h) - mpmath.loggamma(a)
    assert float(log_rising(np.array([a]), np.array([h]))[0]) == pytest.approx(float(true), rel=1e-14)
    mpmath.mp.dps = 15


def test_the_stated_error_holds_against_a_plain_rule():
    """Two Gauss-Legendre rules over all of both shared quantities, nothing left out; every slice at five points."""
    hits = np.array([2.0, 19, 45, 88, 30, 9, 140, 61])
    misses = np.array([5.0, 20, 50, 100, 36, 9, 160, 75]) - hits
    u, wu = special.roots_legendre(240)
    v, wv = special.roots_legendre(160)
    top = np.log1p((hits + misses).sum())
    odds = np.expm1(0.5 * top * (u + 1.0))  # items lent, from 0 to all
    mean = 0.5 * (v + 1.0)
    a, b = 0.5 + np.outer(odds, mean), 0.5 + np.outer(odds, 1.0 - mean)
    like = sum(special.betaln(h + a, m + b) - special.betaln(a, b) for h, m in zip(hits, misses, strict=True))
    weight = np.exp(like - like.max()) * (wu / (1.0 + odds))[:, None] * wv  # lent/(lent + 1) is uniform
    weight /= weight.sum()
    law = BetaMixture(hits, misses, shared_nodes(hits, misses, HALF))
    p = np.array([[0.02], [0.1], [0.5], [0.9], [0.98]])
    points = law.quantile(p, 1.0 - p)[0]
    for i, (h, m) in enumerate(zip(hits, misses, strict=True)):
        exact = [(special.betainc(h + a, m + b, x) * weight).sum() for x in points[:, i]]
        assert np.abs(law.tails(points)[0][:, i] - exact).max() <= np.broadcast_to(law.error[1], hits.shape)[i]
