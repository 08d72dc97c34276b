"""Error rates of gates in simulated tests, by the functions of bench/gates.py on other seeds than the page shows."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from bench import gates
from howsure._gate import growth, more_items


def test_more_items_by_simulation():
    """With the number told, the z of then passes either end in 80% of futures, as its normal law has it."""
    rng = np.random.default_rng(7)
    for now, p in ((0.5, 0.95), (0.9, 0.95), (0.2, 0.8), (0.97, 0.99)):
        r = growth(now, p)
        mean = gates.ndtri(now) + rng.normal(size=200_000) * np.sqrt(r / (1 + r))  # of the posterior, in its first std
        z = mean * np.sqrt(1 + r)
        assert np.mean(np.abs(z) >= gates.ndtri(p)) == pytest.approx(0.8, abs=0.004)


def test_more_items_fall_as_the_answer_nears():
    """The closer to p, the fewer; the surer it must be, the more; in proportion to the items there are."""
    found = [growth(x, 0.95) for x in (0.5, 0.6, 0.8, 0.9, 0.94)]
    assert found == sorted(found, reverse=True)
    assert growth(0.3, 0.95) == pytest.approx(growth(0.7, 0.95))
    assert growth(0.7, 0.9) < growth(0.7, 0.95) < growth(0.7, 0.999)
    assert growth(0.95, 0.95) is None
    assert growth(0.05, 0.95) is None
    assert more_items(0.7, 0.95, 1e6) == pytest.approx(1e4 * more_items(0.7, 0.95, 100.0), rel=0.05)
    assert more_items(0.9499999, 0.95, 10.0) >= 1


def test_a_gate_at_its_limit():
    """It passes and fails in about 1 - p (of 4,000 tests)."""
    for metric in ("rate", "f1", "recall"):
        found = gates.at_limit(metric, 500, 0.95, 4_000, seed=3)
        assert 0.035 < found.passed < 0.065
        assert 0.035 < found.failed < 0.065


def test_the_batch_is_what_single_gates_say():
    """The simulation asks laws of many tests at once; the first of them, one by one."""
    t = gates.tables(np.random.default_rng(2), "f1", 200, 5)
    limit = gates.MEASURES["f1"]
    at_once = hs.posterior(t)["f1"].sf(limit)
    for i in range(5):
        one = hs.gate(t.at(i, ()), f"f1 > {limit!r}").rows[0]
        assert one.probability == pytest.approx(at_once[i], rel=1e-9)


@pytest.mark.deep
@pytest.mark.parametrize("p", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", gates.SIZES)
@pytest.mark.parametrize("metric", gates.MEASURES)
def test_a_gate_exactly_at_its_limit(metric, n, p):
    """20,000 tests: passes and fails are within a third of 1 - p and three standard errors, and 0.01 of steps at 50."""
    found, tail = gates.at_limit(metric, n, p, 20_000, seed=11), 1 - p
    off = tail / 3 + 3 * (tail * p / 20_000) ** 0.5 + 0.5 / n
    assert abs(found.passed - tail) < off
    assert abs(found.failed - tail) < off


@pytest.mark.deep
@pytest.mark.parametrize("n", [200, 500])
def test_not_worse_exactly_at_its_margin(n):
    """4,000 pairs of systems."""
    passed, failed = gates.at_margin(n, 0.95, 4_000, seed=11)
    assert 0.03 < passed < 0.07
    assert 0.03 < failed < 0.07


@pytest.mark.deep
@pytest.mark.parametrize(("metric", "counts", "limit", "p"), gates.SETTLING)
def test_so_many_more_items_settle_it(metric, counts, limit, p):
    """In 76 to 84% of 20,000 futures."""
    assert 0.76 < gates.settled(metric, counts, limit, p, 20_000, seed=11)[1] < 0.84


@pytest.mark.deep
@pytest.mark.parametrize(("metric", "limit", "p"), gates.CLUSTERED)
def test_so_many_more_clusters_settle_it(metric, limit, p):
    """In 74 to 86% of 400 futures."""
    assert 0.74 < gates.settled_by_clusters(metric, limit, p, 400, seed=11)[1] < 0.86


@pytest.mark.deep
@pytest.mark.parametrize("times", [1, 20, 100])
def test_looking_again(times):
    """Truths from the prior: P at the stop is right, however often one looks; at the limit it is no error rate."""
    truths = np.random.default_rng(12).beta(1, 1, 100_000)
    _, right, told = gates.stopped(truths, 0.8, 0.95, times, 50, seed=12)
    assert right == pytest.approx(told, abs=0.004)
    assert right >= 0.95
    some = gates.ever(gates.looks(0.8, 0.8, times, 50, 20_000, seed=12), 0.95)[1]
    assert (some < 0.06) == (times == 1)
    assert (some > 0.18) == (times >= 20)
