"""Student's t law against mpmath: tails, density and quantiles, from 1 degree of freedom on, to tails of 1e-300."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from howsure.distributions.student import Student

POINTS = (0.0, 1e-8, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 40.0, 1e3, 1e6, 1e100, 1e200)
SMALL = (1e-300, 1e-100, 1e-15, 1e-6, 1e-3, 0.025, 0.16, 0.4, 0.4999)


def upper(freedom: int, z: float) -> mp.mpf:
    v, x = mp.mpf(freedom), mp.mpf(z)
    return mp.betainc(v / 2, mp.mpf(1) / 2, 0, v / (v + x * x), regularized=True) / 2


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 99, 999])
def test_tails_density_and_quantiles(freedom):
    """Relative to the smaller tail, on either side, and through a centre and a scale."""
    law = Student(np.asarray(0.0), np.asarray(1.0), np.asarray(float(freedom)))
    moved = Student(np.asarray(3.0), np.asarray(0.25), np.asarray(float(freedom)))
    with mp.workdps(40):
        for z in POINTS:
            exact = upper(freedom, z)
            if exact < 1e-290:
                continue
            (low, high), (below, above) = law.tails(np.asarray(-z)), law.tails(np.asarray(z))
            assert (low, high) == (above, below)
            assert abs(mp.mpf(float(above)) / exact - 1) < 2e-13
            half = mp.gamma((mp.mpf(freedom) + 1) / 2) / mp.gamma(mp.mpf(freedom) / 2) / mp.sqrt(mp.pi * freedom)
            density = half * (1 + mp.mpf(z) ** 2 / freedom) ** (-(mp.mpf(freedom) + 1) / 2)
            if density > 1e-290:
                assert abs(mp.mpf(float(law.pdf(np.asarray(z)))) / density - 1) < 1e-12
        for p in SMALL:
            value = float(law.quantile(np.asarray(p), np.asarray(1.0 - p))[0])
            assert abs(upper(freedom, -value) / mp.mpf(p) - 1) < 1e-12
            other = float(law.quantile(np.asarray(1.0 - p), np.asarray(p))[0])
            assert other == -value
            assert float(moved.quantile(np.asarray(p), np.asarray(1.0 - p))[0]) == pytest.approx(3.0 + 0.25 * value)


def test_moments_are_infinite_where_they_do_not_exist():
    """No mean at 1 degree of freedom, no standard deviation at 2; a batch has each its own."""
    law = Student(np.asarray(1.0), np.asarray(2.0), np.array([1.0, 2.0, 3.0, 10.0]))
    assert law.mean().tolist() == [np.inf, 1.0, 1.0, 1.0]
    np.testing.assert_allclose(law.std(), [np.inf, np.inf, 2 * np.sqrt(3.0), 2 * np.sqrt(10 / 8)])
    assert law.median().tolist() == law.mode().tolist() == [1.0] * 4
    low, high, _, _ = law.equal_tailed(0.9)
    np.testing.assert_allclose(law.shortest(0.9)[:2], (low, high), rtol=1e-14)
    np.testing.assert_allclose(law.tails(high)[1], 0.05, rtol=1e-12)
    assert [float(x) for x in law.rows(np.array([3]), (4,)).std()] == [pytest.approx(2 * np.sqrt(10 / 8))]
