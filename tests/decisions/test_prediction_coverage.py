"""Predicted intervals hold the next score at their rate: exactly so where the truth comes from the prior."""

from __future__ import annotations

import pytest

from bench.coverage_prediction import SIZES, TRUTHS, five_classes, one_system, two_systems

SEED = 7_919


def least(tests: int, rate: float = 0.95) -> float:
    """What a share of so many tests falls below once in 100,000 times."""
    return rate - 4.3 * (rate * (1 - rate) / tests) ** 0.5


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_a_few_tests(metric):
    """Small data and few items to come; the posterior's own interval would hold far fewer."""
    found = one_system(metric, None, 30, 20, 300, SEED)
    assert found.predicted >= least(found.tests)
    assert found.posterior < 0.93


@pytest.mark.deep
@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "f1"])
@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("truth", TRUTHS)
def test_exact_laws(metric, n, m, truth):
    """2,000 tests each: at least the level where the truth is drawn from the prior, close to it where it is fixed."""
    found = one_system(metric, TRUTHS[truth], n, m, 2000, SEED)
    assert found.predicted >= least(found.tests, 0.95 if TRUTHS[truth] is None else 0.94)


@pytest.mark.deep
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_drawn_laws(n, m):
    """phi, macro-f1, and differences of two systems on the same items."""
    found = one_system("phi", None, n, m, 400, SEED)
    assert found.predicted >= least(found.tests)
    for other in (five_classes(n, m, 60, SEED), *(two_systems(x, n, m, 150, SEED) for x in ("accuracy", "f1"))):
        assert other.predicted >= least(other.tests, 0.94)
