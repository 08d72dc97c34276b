"""Priors of much weight: what they cost follows the data, and their laws are those of so many items."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.sampling import ATOMS, atoms, count
from howsure.io.arrays import scored
from howsure.posteriors.paired import prior_cells
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.unit_prior import made_up_means
from tests.laws.kinds import KINDS
from tests.tiers import some, spread

N = 20_000
HEAVY = (9.0, 60.0, 198.0, 2_000.0, 2e6)
MARGIN = 4 / np.sqrt(2 * N)  # four standard errors of a standard deviation, as a share of it


def together(weight):
    """E[(a - r)²(b - r)²] over the product of the variances: shares of two coins in a Dirichlet process."""
    return (weight + 1) * (weight + 6) / ((weight + 2) * (weight + 3))


@pytest.mark.parametrize("weight", [0.5, 2.0, *HEAVY])
def test_sticks_are_few_whatever_the_weight(weight):
    """All of the mass is there, in few atoms and a rest; a rest is kept only where they would be many."""
    (parts,), rest = atoms(np.random.default_rng(1), np.array([weight]), 200, 1e-6)
    assert len(parts) <= ATOMS
    assert (rest is None) == (count(weight, 1e-6, 10**6) <= ATOMS)
    np.testing.assert_allclose(parts.sum(axis=0) + (0.0 if rest is None else rest[0]), 1.0, rtol=1e-12)


@pytest.mark.parametrize(("weight", "row"), spread(HEAVY, [None, 0], every=2))
def test_answers_of_a_heavy_prior_have_their_law(weight, row):
    """Each system's share of a truth row is Beta: its mean and spread; pairs go together as under one process."""
    rows = {0: (0.7 * weight, 0.3 * weight)}
    cells = prior_cells(np.random.default_rng(2), N, rows, 7, row)
    share = cells["fp"] / (cells["fp"] + cells["tn"])
    spread = np.sqrt(0.21 / (weight + 1))
    np.testing.assert_allclose(share.mean(axis=0), 0.3, atol=4 * spread / np.sqrt(N))
    np.testing.assert_allclose(share.std(axis=0) / spread, 1.0, atol=1.5 * MARGIN)
    squares = ((share - 0.3) / spread) ** 2
    if row is None:
        both = np.corrcoef(share.T)[np.triu_indices(7, 1)]
        np.testing.assert_allclose(both, 0.0, atol=4.5 / np.sqrt(N))
        found = np.mean([(squares[:, i] * squares[:, j]).mean() for i in range(7) for j in range(i)])
        assert found == pytest.approx(together(weight), abs=0.02)


@pytest.mark.parametrize("weight", HEAVY)
def test_made_up_items_of_a_heavy_prior_have_their_law(weight):
    """Their mean is at the middle, and a half of it is a sum of coins of so much weight."""
    middle, half = np.full((1, 4), 0.5), np.array([0.1, 0.2, 0.3, 0.4])
    x = made_up_means(np.random.default_rng(3), N, weight, middle, half)
    spread = half / np.sqrt(weight + 1)
    np.testing.assert_allclose(x.mean(axis=0), 0.5, atol=4 * spread.max() / np.sqrt(N))
    np.testing.assert_allclose(x.std(axis=0) / spread, 1.0, atol=1.5 * MARGIN)


@pytest.mark.parametrize("weight", some([1_000.0, 30.0, 200.0], 3))
def test_scores_of_a_heavy_prior_have_their_law(weight):
    """Of many systems: the prior's positives above all negatives are half of its mass, within a Beta's spread."""
    rng = np.random.default_rng(4)
    y = np.arange(30) % 2
    p = hs.posterior(scored(y, {f"s{i}": rng.random(30) for i in range(12)}), prior=weight)
    out = score_draws(p)._prior(np.random.default_rng(5), N)
    share = out[:, :, 0] / (out[:, :, 0] + out[:, :, 1])
    np.testing.assert_allclose(share.std(axis=0) * np.sqrt(2 * weight + 1) / 0.5, 1.0, atol=1.5 * MARGIN)
    total = out[:, 0, :2].sum(axis=1)
    assert total.mean() == pytest.approx(2 * weight, abs=4 * np.sqrt(2 * weight / N))


@pytest.mark.parametrize("kind", ["clusters of three classes", "clusters of two classes", "graded items"])
def test_under_a_heavy_prior_systems_are_nearly_alike(kind):
    """P(best) of three goes to a third each as the weight grows, and pairs to a half."""
    board = hs.leaderboard(KINDS[kind](), prior=1e7, tolerance=0.1, draws=4_000)
    np.testing.assert_allclose(board.p_best, 1 / 3, atol=0.03)
    np.testing.assert_allclose(board.pairs, 0.5, atol=0.03)
