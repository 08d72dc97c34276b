"""The expansion of Beta tails with large shapes, against mpmath, scipy and what is known of its terms."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

from howsure.distributions import beta
from howsure.distributions import beta as beta_expansion
from howsure.distributions.agreement import AgreementLaw
from tests.tiers import spread

EPS = float(np.finfo(float).eps)
SHAPES = [(2e3, 3e5), (3e5, 2e3), (1.5e5, 1.5e5), (4e3, 7e7), (2e6, 3e6), (9.5e7, 1.2e8), (3e4, 2e9), (1e9, 1e9)]
SCORES = [0.0, 0.3, 1.0, 2.0, 4.0, 7.0, 9.0]  # standard deviations below the mean


def by_mpmath(a: float, b: float, x: float) -> float:
    """P(B <= x) by its continued fraction (DLMF 8.17.22), the doubles taken exactly."""
    with mpmath.workdps(40):
        p, q, t = mpmath.mpf(a), mpmath.mpf(b), mpmath.mpf(x)
        front = p * mpmath.log(t) + q * mpmath.log(1 - t) - mpmath.log(p)
        front -= mpmath.loggamma(p) + mpmath.loggamma(q) - mpmath.loggamma(p + q)
        value, up, down, k = mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf(0), 1
        while k < 3 or abs(up * down - 1) > mpmath.mpf(10) ** -25:
            m, odd = divmod(k, 2)
            if odd:
                d = -(p + m) * (p + q + m) * t / ((p + 2 * m) * (p + 2 * m + 1))
            else:
                d = m * (q - m) * t / ((p + 2 * m - 1) * (p + 2 * m))
            down, up, k = 1 / (1 + d * down), 1 + d / up, k + 1
            value *= up * down
        return float(mpmath.exp(front) / value)


@pytest.mark.parametrize(("shapes", "score"), spread(SHAPES, SCORES, 3))
def test_tails_are_those_of_mpmath(shapes: tuple[float, float], score: float) -> None:
    """Within a few units of rounding of the point, which move a tail by its density."""
    a, b = shapes
    mean = a / (a + b)
    x = mean - score * np.sqrt(mean * (1 - mean) / (a + b + 1))
    assert beta_expansion.fits(np.array(a), np.array(b), np.array(0.5 * score * score))
    found = float(beta.tails(*(np.array([k]) for k in (a, b, x, 1 - x)))[0][0])
    density = np.exp(beta.log_density(*(np.array(k) for k in (a, b, x, 1 - x))))
    assert found == pytest.approx(by_mpmath(a, b, x), rel=1e-13, abs=4 * EPS * float(density))


def test_the_terms_are_known_at_both_ends() -> None:
    """At q - p = 1 they are those of the Gamma law; of equal shapes the odd ones are 0."""
    terms = beta_expansion.slopes(7)
    gamma = [sum(d) for d in terms]
    assert gamma[:6] == [1, Fraction(-1, 3), Fraction(1, 12), Fraction(-2, 135), Fraction(1, 864), Fraction(1, 2835)]
    assert [d[0] for d in terms[1::2]] == [0, 0, 0]
    assert terms[2] == [Fraction(1, 16), 0, Fraction(1, 48)]


def test_it_meets_scipy_where_it_begins() -> None:
    """Next to the smallest shapes that it takes scipy has its digits, and both agree."""
    rng = np.random.default_rng(18)
    a, b = 10 ** rng.uniform(3.05, 5.0, (2, 4000))
    score = rng.uniform(0, 0.25, 4000) * np.sqrt(a * b / (a + b))
    x = a / (a + b) * np.exp(-score * np.sqrt(b / a / (a + b)))
    fine = beta.drop_from_peak(a, b, np.log(x / (1 - x) * b / a))
    good = beta_expansion.fits(a, b, fine) & (fine < 300)
    factor = beta.stirling_remainder(a + b) - beta.stirling_remainder(a) - beta.stirling_remainder(b)
    found = beta_expansion.tail(a[good], b[good], fine[good], factor[good])
    assert np.count_nonzero(good) > 500
    np.testing.assert_allclose(found, special.betainc(a[good], b[good], x[good]), rtol=3e-11)


@pytest.mark.parametrize(
    "cells",
    [(19006.119, 558096.119, 4226558.119, 199.119), (7141397487579.119, 3372145177.119, 209.119, 660452450526.119)],
)
def test_a_search_that_ends_on_its_bracket_stays_there(cells: tuple[float, ...]) -> None:
    """A last step of nothing once sent the low end of phi to the middle of its bracket, far above the median."""
    law = AgreementLaw("phi", tuple(np.array([x]) for x in cells))  # type: ignore[arg-type]
    p = np.array([[0.025], [0.5], [0.975]])
    found = law.quantile(p, 1.0 - p)[0]
    assert (np.diff(found[:, 0]) > 0).all()
    np.testing.assert_allclose(law.tails(found)[0], p, rtol=1e-5)
