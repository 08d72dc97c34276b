"""Curves drawn at a few points have the law of curves drawn with a weight for every item."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.distributions import sparse_walks
from howsure.evidence.scored import Scored
from howsure.posteriors import score_samples as module
from howsure.posteriors.score_samples import CurvePoints, ScoreDraws, score_draws
from tests.tiers import spread

DRAWS = 20_000
LEVELS = np.array([0.9, 0.03, 0.3, 0.31, 0.55, 1.0])  # in no order; some in one block, some at one cut


def items(form: str) -> Scored:
    rng = np.random.default_rng(4)
    y = rng.random(70) < 0.4
    s = rng.normal(size=70) + y
    if form == "ties":
        return Scored(y, np.round(s)[:, None])
    if form == "counts":
        return Scored(y, s[:, None], counts=rng.integers(1, 5, 70).astype(float))
    return Scored(y, s[:, None])


def moments(p: CurvePoints) -> np.ndarray:
    """Rates at the points, and products of neighbours: means of these tell laws and dependence apart."""
    recall, fallout = p.tp / p.positives, p.fp / p.negatives
    share = p.positives / (p.positives + p.negatives)
    return np.concatenate([recall, fallout, recall[1:] * recall[:-1], fallout[1:] * recall[:-1], recall**2, [share]])


def same(one: CurvePoints, two: CurvePoints) -> None:
    a, b = moments(one), moments(two)
    error = np.sqrt((a.var(axis=1) + b.var(axis=1)) / DRAWS)
    np.testing.assert_array_less(np.abs(a.mean(axis=1) - b.mean(axis=1)), 4.5 * error + 1e-9)


WAYS = ["even recall", "none fallout", "even fallout", "none recall"]


@pytest.mark.parametrize(("form", "way"), spread(["items", "ties", "counts"], WAYS))
def test_points_at_a_rate_have_the_law_of_whole_curves(form: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and parts of them, against a weight for every item: means, squares and products of neighbours."""
    prior, rate = way.split()
    p = hs.posterior(items(form), prior=prior)
    whole = score_draws(p).at_rate(rate, LEVELS, DRAWS, 1)
    monkeypatch.setattr(module, "FEW_ITEMS", 0)
    few = score_draws(p).at_rate(rate, LEVELS, DRAWS, 2)
    same(whole, few)
    at = few.tp / few.positives if rate == "recall" else few.fp / few.negatives
    np.testing.assert_allclose(at, np.broadcast_to(LEVELS[:, None], at.shape), atol=1e-9)


@pytest.mark.parametrize("form", ["items", "ties", "counts"])
def test_points_at_thresholds_have_the_law_of_whole_curves(form: str) -> None:
    """Sums of Gammas between cuts, against the sums of every item's."""
    p = hs.posterior(items(form))
    draws: ScoreDraws = score_draws(p)
    (order,) = draws.units.orders
    cuts = np.unique(np.linspace(0, order.thresholds.size - 1, 5).astype(int))
    few = draws.at_cuts(cuts, DRAWS, 1)
    parts = draws.through(
        lambda c: np.concatenate(
            [c.up[:, order.found[cuts]].T, c.down[:, order.alarms[cuts]].T, c.positives[None], c.negatives[None]]
        ),
        DRAWS,
        2,
    )[0]
    tp, fp, totals = np.split(parts, [cuts.size, 2 * cuts.size])
    same(few, CurvePoints(tp, fp, *totals))


def test_points_of_a_draw_lie_on_one_curve() -> None:
    """Neighbouring levels never cross, whatever block or cut they share; the same seed gives the same draws."""
    rng = np.random.default_rng(1)
    lead, other = np.cumsum(rng.integers(0, 2, 400)), np.cumsum(rng.integers(0, 2, 400))
    s = sparse_walks.Shapes(lead.astype(float), other.astype(float), 7)
    prior = rng.standard_gamma(0.5, (300, 4))
    levels = np.linspace(0.0, 1.0, 101)
    one, two = (
        sparse_walks.at_levels(s, levels, 1e-12, np.random.default_rng(2), 300, prior[:, :2], prior[:, 2:])
        for _ in range(2)
    )
    assert (np.diff(one[0], axis=1) >= 0).all()
    assert (np.diff(one[1], axis=1) >= -1e-12 * one[3][:, None]).all()
    assert (one[1] <= one[3][:, None]).all()
    assert all((x == y).all() for x, y in zip(one, two, strict=True))
