"""Slices that lend strength to each other, in simulated tests on seeds of their own (bench/shrinking.py)."""

from __future__ import annotations

import pytest

from bench.shrinking import TRUTHS, simulate

WIDE = "anything, uniform"  # the prior of slices alone is the truth there: nothing can be gained


@pytest.mark.deep
@pytest.mark.parametrize("slices", [5, 20])
@pytest.mark.parametrize("name", list(TRUTHS))
def test_coverage_is_kept_and_errors_fall(name: str, slices: int) -> None:
    """95% intervals hold the true rates on average over slices, and the squared error is below that of slices alone."""
    found = simulate(TRUTHS[name], slices, 200, seed=2026)
    noise = 3.0 * (0.05 * 0.95 / (200 * slices)) ** 0.5
    assert found["shrink"].coverage > 0.945 - noise
    assert found["shrink"].error < found["alone"].error * (1.15 if name == WIDE else 1.0)


def test_alike_slices_in_a_few_tests() -> None:
    """A small sample of the same: alike slices have less than a third of the squared error, and covered rates."""
    found = simulate(TRUTHS["all 0.80"], 20, 6, seed=5)
    assert found["shrink"].coverage > 0.9
    assert found["shrink"].error < found["alone"].error / 3
