"""Differences of two systems with scores on the same items: by a control, or exact at a threshold, against draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.control_variate import Controlled
from howsure.evidence.scored import Scored
from howsure.posteriors.score_control import pair_draws
from tests.tiers import turn

MANY = 30_000


def scored(n: int, share: float, digits: int, gap: float, seed: int) -> Scored:
    """Two systems that see the same signal with noise of their own; few digits make ties."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    y[:3], y[3:6] = True, False
    signal = y + rng.normal(size=n)
    both = {"a": signal + rng.normal(size=n), "b": signal + gap * y + 0.7 * rng.normal(size=n)}
    return Scored(y, np.column_stack([np.round(x, digits) for x in both.values()]), systems=tuple(both))


CASES = [(1_500, 0.2, 1, 0.3, 1), (500, 0.5, 9, 0.0, 2), (900, 0.1, 9, 1.0, 3), (2_000, 0.05, 2, 0.1, 4)]


@pytest.mark.parametrize("metric", ["auc", "AP"])
@pytest.mark.parametrize("case", turn(CASES, at=0, every=2), ids=str)
def test_the_law_by_a_control_is_that_of_the_draws(case, metric):
    """Quantiles and P(better) within the errors of both; its own error is far below that of as many draws."""
    data = scored(*case)
    p = hs.posterior(data)
    q = p.resolve(metric)
    gap = q.difference()
    drawn = pair_draws(p, q.metric).of([q.metric], MANY, 77)[0]
    plain = np.sort(drawn[:, 0] - drawn[:, 1])
    law = gap.difference.law
    assert isinstance(law, Controlled)
    assert law.n < q.drawn.wanted  # that order statistics would need
    at = np.array([0.005, 0.025, 0.16, 0.5, 0.84, 0.975, 0.995])
    share = np.searchsorted(plain, np.asarray(gap.difference.ppf(at))) / MANY
    allowed = 4.0 * np.sqrt(at * (1 - at) / MANY) + float(gap.difference.error.probability)
    assert (np.abs(share - at) <= allowed).all(), (share, at, allowed)
    above = (plain > 0).mean() + 0.5 * (plain == 0).mean()
    assert abs(gap.above - above) <= 4.0 * np.sqrt(0.25 / MANY) + gap.error
    assert gap.difference.mean == pytest.approx(plain.mean(), abs=5 * plain.std() / np.sqrt(MANY))
    assert gap.difference.std == pytest.approx(plain.std(), rel=0.03)


def test_a_smaller_tolerance_is_heard():
    """It lowers the error that is told, also where the budget of the usual one was used up."""
    data = scored(1_500, 0.2, 9, 0.1, 5)
    errors = [hs.posterior(data, tolerance=t).resolve("auc").difference().error for t in (0.02, 0.005)]
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("metric", ["f1@0.5", "recall@0.2", "accuracy@0.5"])
def test_a_difference_at_a_threshold_is_that_of_the_answers(metric):
    """Exact, and the same whether scores or the answers that they make are given; draws agree."""
    data = scored(300, 0.3, 9, 0.4, 6)
    q = hs.posterior(data).resolve(metric)
    gap = q.difference()
    name, _, at = metric.partition("@")
    answers = {s: (data.scores[:, i] >= float(at)).astype(int) for i, s in enumerate(data.systems)}
    told = hs.compare(hs.tally(data.truth.astype(int), answers), metric=name)
    assert gap.route != "sampled"
    assert gap.above == pytest.approx(told.p_better, abs=1e-9)
    assert gap.difference.name == f"difference of {metric}"
    drawn = q.drawn.of([q.metric], MANY, 78)[0]
    plain = drawn[:, 0] - drawn[:, 1]
    assert abs(gap.above - (plain > 0).mean() - 0.5 * (plain == 0).mean()) < 5 * np.sqrt(0.25 / MANY)
    assert gap.difference.mean == pytest.approx(plain.mean(), abs=5 * plain.std() / np.sqrt(MANY))


def test_weights_of_items_at_a_threshold():
    """With weights the law at a threshold is that of the weighted answers: draws agree as far as its scale allows."""
    rng = np.random.default_rng(7)
    data = scored(500, 0.4, 9, 0.4, 8)
    w = rng.uniform(0.5, 2.0, size=500)
    weighted = replace(data, counts=w, squares=w * w)
    q = hs.posterior(weighted).resolve("recall@0.5")
    drawn = q.drawn.of([q.metric], MANY, 79)[0]
    plain = drawn[:, 0] - drawn[:, 1]
    gap = q.difference().difference
    assert gap.mean == pytest.approx(plain.mean(), abs=0.05 * plain.std())
    assert gap.std == pytest.approx(plain.std(), rel=0.05)
