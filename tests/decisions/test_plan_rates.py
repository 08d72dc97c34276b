"""Planned numbers of items reach their goals in fresh tests, by the functions of bench/plans.py on other seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from bench import plans
from howsure.posteriors.future_tables import moved

CASES = plans.cases()


def held(found: plans.Found) -> None:
    """At least the assurance but for chance, and no far larger number than is needed."""
    assert found.reached >= found.assurance - found.slack - 0.01
    assert found.reached <= found.assurance + found.slack + 0.03


def test_a_rate_in_fresh_tests():
    """The cheapest of the cases; half of all tests miss the width with the textbook's n."""
    found = plans.run(CASES["rate 0.8, width 0.1"], seed=3)
    held(found)
    assert found.by_textbook < 0.6


def test_populations_differ_as_they_should():
    """Those of the simulation, which the plans do not make."""
    two = plans.worse(plans.TABLE, 0.05)
    assert float(plans.f1(plans.TABLE) - plans.f1(two)) == pytest.approx(0.05, abs=1e-9)
    both = plans.together(plans.TABLE, two, 0.04)
    assert both.sum() == pytest.approx(1.0)
    assert both[plans.RIGHT[:, 0] != plans.RIGHT[:, 1]].sum() == pytest.approx(0.04)
    assert plans.single(both, 0) == pytest.approx(plans.TABLE)
    assert plans.single(both, 1) == pytest.approx(two)


def test_probabilities_are_moved_to_the_laws():
    """A line on the normal scale is found, whatever happens far out."""
    z = np.linspace(-1.0, 4.0, 101)
    told = ndtr(0.03 + 0.98 * z)
    assert moved(ndtr(z), ndtr(z[::5]), told[::5]) == pytest.approx(told, abs=1e-9)
    assert moved(np.array([0.9]), np.array([0.9]), np.array([0.92])) == pytest.approx([0.92])


@pytest.mark.deep
@pytest.mark.parametrize("name", CASES)
def test_planned_numbers_reach_their_goals(name):
    """2,000 tests each; fewer where a law is drawn or comes one by one."""
    held(plans.run(CASES[name], seed=11))
