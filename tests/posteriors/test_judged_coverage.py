"""Coverage of corrected rates in simulated tests: the study of bench/coverage_judge.py, and hs.correct_judge itself."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from bench.coverage_judge import corrected, elsewhere, study


def test_the_study_has_the_posterior_of_correct():
    """Ends of the study's interval are those of the package."""
    known, passes = np.array([[[25, 3], [12, 60]]]), np.array([700])
    low, high = corrected(known, passes, 1_000, 200_000, np.random.default_rng(5))[:, 0]
    found = hs.correct_judge(hs.Tally.rate(hits=700, of=1000), hs.Tally.binary(tp=60, fp=12, fn=3, tn=25))["rate"]
    assert [low, high] == pytest.approx(list(found.interval()), abs=2 * found.error.value)


CASES = [(se, sp, rate, *size) for se, sp in ((0.6, 0.6), (0.8, 0.99), (0.99, 0.9)) for rate in (0.1, 0.5)
         for size in ((30, 10_000), (500, 200))]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES)
def test_corrected_rates_cover(case):
    """At least .93 but for the noise of 3,000 replicates, and no wider than PPI++ with five errors of each kind."""
    found = study(case, 3_000, 600, 99)
    assert found["correct covers"] >= 0.93 - 2.5 * np.sqrt(0.93 * 0.07 / 3_000)
    assert np.isnan(found["five"]) or found["five"] <= 1.01


@pytest.mark.deep
@pytest.mark.parametrize(
    "case", [(0.6, 0.6, 0.5, 100, 1_000), (0.8, 0.8, 0.1, 30, 1_000), (0.99, 0.99, 0.5, 500, 1_000)]
)
def test_rates_validated_elsewhere_cover(case):
    """At least .93 but for the noise of 400 replicates."""
    covers, width = elsewhere(case, 400, 800, 99)
    assert covers >= 0.93 - 2.5 * np.sqrt(0.93 * 0.07 / 400)
    assert width < 1.0
