"""Very many graded items: their means are drawn from the normal law of the sums, where that is as good as the items."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.posteriors import items, units

RNG = np.random.default_rng(31)
VALUES = RNG.beta(5, 2, (4_000, 3)) + np.array([0.0, 0.004, 0.006])


def board(values: np.ndarray, draws: int) -> hs.Leaderboard:
    return hs.leaderboard(hs.graded({f"s{i}": x for i, x in enumerate(values.T)}), draws=draws)


def test_normal_sums_give_the_ranks_of_the_items(monkeypatch):
    """The same P(best), means and spreads by both ways, within their errors."""
    slow = board(VALUES, 20_000)
    monkeypatch.setattr(items, "NUMEROUS", 0)
    monkeypatch.setattr(items, "masses", None)  # the other way is not taken
    monkeypatch.setattr(units, "SKEWED", 1.0)
    fast = board(VALUES, 20_000)
    assert fast.systems == slow.systems
    np.testing.assert_allclose(fast.p_best, slow.p_best, atol=slow.error.probability + fast.error.probability)
    np.testing.assert_allclose(fast.draws.mean(axis=0), slow.draws.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(fast.draws.std(axis=0), slow.draws.std(axis=0), rtol=0.03)
    np.testing.assert_allclose(np.corrcoef(fast.draws.T), np.corrcoef(slow.draws.T), atol=0.03)


def test_skewed_values_are_drawn_item_by_item(monkeypatch):
    """A few large values among small ones: the mean is far from normal."""
    few = np.zeros((4_000, 2))
    few[:5, 0], few[5:12, 1] = 1.0, 1.0
    ones = np.ones((4_000, 2))
    assert not units.nearly_normal(few, ones, np.ones(4_000))
    assert units.nearly_normal(np.tile(VALUES, (25, 1)), np.ones((100_000, 3)), np.ones(100_000))
    monkeypatch.setattr(items, "NUMEROUS", 0)
    monkeypatch.setattr(items, "normal_sums", None)
    assert board(few, 500).p_best.sum() == pytest.approx(1.0)
