"""A distribution that is stretched on the logit scale: every answer against integrals, draws and the map itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

from howsure.distributions.contour import GammaQuotient
from howsure.distributions.difference import difference_of
from howsure.distributions.moebius import Moebius
from howsure.distributions.protocol import Law
from howsure.distributions.sampled import Sampled
from howsure.distributions.stretched import Stretch, Stretched, stretched
from howsure.distributions.student import Student


def _beta(a: float, b: float) -> Moebius:
    return Moebius(np.asarray(a), np.asarray(b), 1.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("factor", [0.7, 1.05, 1.8])
@pytest.mark.parametrize(("a", "b", "centre"), [(5.0, 3.0, 0.6), (60.0, 1.5, 0.97), (0.5, 4.0, 0.1)])
def test_every_answer_is_that_of_the_map(a: float, b: float, centre: float, factor: float) -> None:
    """Tails, quantiles, density, mean and standard deviation, from those of the Beta."""
    law, route = stretched(_beta(a, b), "closed form", Stretch(centre, factor, 0.0, 1.0))
    assert route == "quadrature"
    inner, middle = stats.beta(a, b), special.logit(centre)

    def forth(x: float) -> float:
        return float(special.expit(middle + factor * (special.logit(x) - middle)))

    for t in (0.02, 0.3, 0.6, 0.95, 0.9999):
        y = middle + (special.logit(t) - middle) / factor
        back = special.expit(y)
        slope = back * special.expit(-y) / (factor * t * (1 - t))
        below, above = law.tails(np.asarray(t))
        assert below == pytest.approx(inner.cdf(back), rel=1e-9)
        assert above == pytest.approx(inner.sf(back), rel=1e-9, abs=1e-14)
        assert law.pdf(np.asarray(t)) == pytest.approx(inner.pdf(back) * slope, rel=1e-9)
    for p in (1e-6, 0.025, 0.5, 0.975):
        assert law.quantile(np.asarray(p), np.asarray(1 - p))[0] == pytest.approx(forth(inner.ppf(p)), rel=1e-9)
    mean, square = (
        integrate.quad(lambda p, k=k: forth(inner.ppf(p)) ** k, 0, 1, limit=500, epsabs=1e-12)[0] for k in (1, 2)
    )
    assert law.mean() == pytest.approx(mean, abs=1e-8)
    assert law.std() == pytest.approx(np.sqrt(square - mean**2), abs=1e-7)
    assert law.error[0] < 1e-9


def test_a_point_next_to_an_end_keeps_its_digits() -> None:
    """A quantile of 1 - 1e-40 is known by its gap, and the tails of that point are as asked for."""
    law, _ = stretched(_beta(3.0, 0.1), "closed form", Stretch(0.9, 1.5, 0.0, 1.0))
    p, q = np.asarray(0.999), np.asarray(0.001)
    _, _, gap = law.quantile(p, q)
    inner = _beta(3.0, 0.1).quantile(p, q)[2]
    assert 0 < gap < 1e-30
    assert np.log(gap) == pytest.approx(-(np.log(9) + 1.5 * (-np.log(inner) - np.log(9))), rel=1e-12)


@pytest.mark.parametrize(("b", "at_end"), [(0.5, np.inf), (1.5, None), (3.0, 0.0)])
def test_the_density_at_an_end_is_the_limit(b: float, at_end: float | None) -> None:
    """A gap of M is a power f of the gap of R: Beta(a, f) has a finite density there."""
    law, _ = stretched(_beta(2.0, b), "closed form", Stretch(0.6, 1.5, 0.0, 1.0))
    found = float(law.pdf(np.asarray(1.0)))
    assert found == (pytest.approx(float(law.pdf(np.asarray(1.0 - 1e-12))), rel=1e-5) if at_end is None else at_end)


def test_the_shortest_interval_and_the_mode() -> None:
    """Searched on the stretched density itself."""
    law, _ = stretched(_beta(40.0, 6.0), "closed form", Stretch(0.87, 1.3, 0.0, 1.0))
    low, high, unbounded = law.shortest(0.95)
    assert not unbounded
    assert law.tails(high)[0] - law.tails(low)[0] == pytest.approx(0.95, abs=1e-8)
    assert law.pdf(low) == pytest.approx(law.pdf(high), rel=1e-5)
    grid = np.linspace(0.6, 0.99, 4001)
    assert law.mode() == pytest.approx(grid[law.pdf(grid).argmax()], abs=2e-4)


def test_differences_and_ranges_without_ends() -> None:
    """On [-1, 1] the middle stays the middle; on the line a stretch is linear."""
    gap = GammaQuotient(np.array([1.0, -1.0, 0.0, 0.5]), np.ones(4), np.array([3.0, 3.0, 5.0, 2.0]))
    law, _ = stretched(gap, "quadrature", Stretch(0.1, 1.4, -1.0, 1.0))
    rng = np.random.default_rng(5)
    mass = rng.standard_gamma([3.0, 3.0, 5.0, 2.0], (400_000, 4))
    draws = Stretch(0.1, 1.4, -1.0, 1.0)(mass @ np.array([1.0, -1.0, 0.0, 0.5]) / mass.sum(axis=1))
    assert law.mean() == pytest.approx(draws.mean(), abs=4 * draws.std() / 632)
    assert law.std() == pytest.approx(draws.std(), rel=0.01)
    assert law.signs()[0] == pytest.approx((draws > 0).mean(), abs=0.004)

    line, _ = stretched(Student(np.asarray(2.0), np.asarray(1.0), np.asarray(9.0)), "closed form",
                        Stretch(3.0, 2.0, -np.inf, np.inf))  # fmt: skip
    p = np.array([0.025, 0.5, 0.975])
    np.testing.assert_allclose(line.quantile(p, 1 - p)[0], 3.0 + 2.0 * (stats.t(9).ppf(p) - 1.0), rtol=1e-12)
    assert line.std() == pytest.approx(2.0 * stats.t(9).std(), rel=1e-5)


def test_draws_are_mapped_one_by_one() -> None:
    """And those at an end of the range stay there."""
    draws = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    law, route = stretched(Sampled(draws, 0.0, 1.0), "sampled", Stretch(0.5, 2.0, 0.0, 1.0))
    assert route == "sampled"
    assert isinstance(law, Sampled)
    np.testing.assert_allclose(law.draws, [0.0, 1 / 17, 0.5, 81 / 82, 1.0], rtol=1e-12)
    stretch = Stretch(0.5, 2.0, 0.0, 1.0)
    np.testing.assert_allclose(stretch.undo(law.draws), draws, rtol=1e-12)


@pytest.mark.parametrize("stretch", [Stretch(0.4, 1.0, 0.0, 1.0), Stretch(1.0, 1.3, 0.0, 1.0)])
def test_nothing_to_stretch_leaves_the_distribution_itself(stretch: Stretch) -> None:
    """A factor of 1, or a centre on an end of the range."""
    inner: Law = _beta(3.0, 4.0)
    law, route = stretched(inner, "closed form", stretch)
    assert law is inner
    assert route == "closed form"


def test_each_entry_of_a_batch_has_its_own_stretch() -> None:
    """Also beside an entry whose centre is on an end, which keeps its distribution."""
    inner = Moebius(np.array([3.0, 8.0]), np.array([4.0, 1.0]), 1.0, 1.0, 0.0, 1.0)
    both = Stretched(inner, Stretch(np.array([0.4, 1.0]), np.array([1.3, 1.3]), 0.0, 1.0))
    one = Stretched(_beta(3.0, 4.0), Stretch(0.4, 1.3, 0.0, 1.0))
    assert both.mean()[0] == pytest.approx(float(one.mean()), rel=1e-10)
    assert both.mean()[1] == pytest.approx(8 / 9, rel=1e-9)
    assert both.median()[0] == pytest.approx(float(one.median()), rel=1e-12)
    assert both.tails(np.asarray(0.7))[0][1] == pytest.approx(stats.beta(8, 1).cdf(0.7), rel=1e-12)


def test_a_single_distribution_is_its_own_row() -> None:
    """As that of the quotient of Gammas inside is; differences of independent systems ask for it."""
    inner = GammaQuotient(np.array([0.1, 0.4, 0.5, 0.9]), np.ones(4), np.array([3.0, 2.0, 1.0, 4.0]))
    law = Stretched(inner, Stretch(0.5, 1.2, 0.0, 1.0))
    points = np.array([[0.3], [0.6]])
    np.testing.assert_array_equal(law.rows(np.array([0]), ()).pdf(points)[:, 0], law.pdf(points[:, 0]))
    gap = difference_of(law, Stretched(inner, Stretch(0.5, 1.4, 0.0, 1.0)))
    assert gap is not None
    assert gap.tails(np.zeros(()))[0] == pytest.approx(0.5, abs=0.02)
