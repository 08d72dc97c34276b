"""F1, precision and other quotients of two systems on the same items: P(A > B) without draws."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.paired_quotients import JointCells, PairedQuotients, chart, paired_quotients, rule
from howsure.distributions.quadrature import gauss_beta
from howsure.distributions.stacked import stacked
from tests import tiers

PATTERNS = list(product((0, 1), (0, 1), (0, 1)))  # truth, a, b
METRICS = ["f1", "precision", "jaccard", "f2", "npv", "fdr"]
TABLES = {
    "ordinary": [860, 12, 15, 10, 20, 15, 25, 70],
    "rare": [9000, 2, 1, 0, 4, 3, 5, 12],
    "false alarms": [8000, 150, 120, 10, 22, 3, 1, 50],
    "few": [5, 1, 2, 2, 3, 1, 2, 4],
    "many": [8.6e8, 1.2e7, 1.2004e7, 1e7, 2e7, 1.5e7, 1.5004e7, 7e7],
}


def joint(counts: list[float]) -> hs.Tally:
    """Joint evidence with these counts of the patterns."""
    cells = np.array(PATTERNS)
    return hs.Tally(cells=cells, counts=np.array(counts).astype(int), systems=("a", "b"), labels=(0, 1), positive=1)


def keys(metric: str) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """What every pattern counts for in both quotients, in the order of PATTERNS."""
    form = hs.posterior(hs.Tally.binary(tp=1, fp=1, fn=1, tn=1)).measure(metric).reading.form
    place = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}
    of = [(place[y, a], place[y, b]) for y, a, b in PATTERNS]
    return tuple((form.top[i], form.bottom[i], form.top[j], form.bottom[j]) for i, j in of)


def charts(counts: list[float], metric: str) -> list[JointCells]:
    """All ways to split the groups of a table under the prior even."""
    of, shapes = dict(zip(PATTERNS, keys(metric), strict=True)), {}
    for p, n in zip(PATTERNS, counts, strict=True):
        if any(of[p]):
            shapes[of[p]] = shapes.get(of[p], 0.0) + n + 0.25
    first, second = (of[1, 1, 0], of[0, 0, 1]), (of[1, 0, 1], of[0, 1, 0])
    rest = tuple(k for k in shapes if k not in (*first, *second))
    both = [JointCells(first, second, rest, shapes)]
    return both + [JointCells((first[i],), (second[i],), (first[1 - i], second[1 - i], *rest), shapes) for i in (0, 1)]


def law_of(cells: JointCells) -> PairedQuotients:
    """The law, which these measures have."""
    law = paired_quotients(cells, (-1.0, 1.0), 0.0)
    assert law is not None
    return law


@pytest.mark.parametrize(("table", "metric"), tiers.spread(TABLES, METRICS))
def test_three_ways_to_split_agree(table: str, metric: str) -> None:
    """P(A > B) is the same whatever share is integrated first, within the errors stated."""
    found = [law_of(c) for c in charts(TABLES[table], metric)]
    sure = [x for x in found if x.zero_error < 1e-4]
    assert sure
    best = min(sure, key=lambda x: x.zero_error)
    for x in sure:
        assert abs(x.tail(0.0) - best.tail(0.0)) <= x.zero_error + best.zero_error + 1e-9
        assert x.tail(0.0) + x.tail(0.0, True) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("seed", tiers.some(range(4), every=4))
def test_stated_errors_hold_on_small_tables(seed: int) -> None:
    """Against 60,000 outer draws with the inner share integrated, for tables of 2 to 400 items."""
    rng = np.random.default_rng(seed)
    for n in (2, 10, 40, 400):
        counts = rng.multinomial(n, rng.dirichlet(np.full(8, 0.6)))
        for metric in ("f1", "precision", "f2"):
            x = law_of(chart(*_sides(metric), _shapes(counts, metric)))
            if x.zero_error <= 1e-4:
                value, error = _conditional(x, rng)
                assert abs(x.tail(0.0) - value) < 4.5 * error + x.zero_error, (counts, metric)


@pytest.mark.parametrize("seed", tiers.some(range(400), every=67))
def test_no_small_table_is_off_by_more_than_it_states(seed: int) -> None:
    """P(D > 0), and the tails at the ends of the interval, held against finer rules: 5 to 40 items.

    Tables that state more than 1e-4 are drawn.
    """
    rng = np.random.default_rng([seed, 40])
    counts = rng.multinomial(rng.integers(5, 41), rng.dirichlet(np.full(8, rng.choice([0.2, 0.6, 2.0]))))
    metric = METRICS[seed % len(METRICS)]
    law = law_of(chart(*_sides(metric), _shapes(counts, metric)))
    finer = replace(law, rule=rule(law.cells, (30, 16) if len(law.cells.splits()[0]) < 5 else (24, 10)))
    off = abs(law.tail(0.0) - finer.tail(0.0))
    assert off <= law.zero_error or law.zero_error > 1e-4
    mean = _mean(finer)
    ended = replace(law, known_mean=mean).for_ends()
    for sign in (-1.96, 1.96):
        t = mean + sign * float(ended.std())
        off = abs(ended.tail(t) - finer.tail(t))
        assert off <= ended.ends_error or ended.ends_error > 1e-4


def _mean(law: PairedQuotients) -> float:
    """The mean of D, which callers know from the laws of both systems."""
    v, rest, weight = (x[0] for x in gauss_beta(*np.array([law.cells.share]).T, 24))
    return float(weight @ law.rule.at(v / rest) @ law.rule.weight)


def test_one_small_step_is_no_agreement() -> None:
    """Rules of 5 and 7 nodes agree to 1e-7 on this table, and are off by 1e-3: .15252 +- .00013 of 8 million draws."""
    y, a, b = [0] * 11 + [1], [0] * 4 + [1] * 7 + [0], [1] * 4 + [0] * 3 + [1] * 5
    c = hs.compare(y, {"a": a, "b": b}, metric="f1")
    assert abs(c.p_better - 0.15252) < c.error.probability + 3 * 0.00013


def test_errors_of_ends_follow_the_level() -> None:
    """The error of a tail over the density there: further out there is less of it."""
    law = law_of(charts(TABLES["ordinary"], "f1")[0]).for_ends()
    miss = max(law.zero_error, law.ends_error)
    wide = []
    for level in (0.5, 0.95, 0.999):
        low, high = law.equal_tailed(level)[:2]
        errors = law.end_errors(level, False)
        np.testing.assert_allclose(errors, [miss / law.pdf(low), miss / law.pdf(high)], rtol=0.01)
        np.testing.assert_allclose(stacked([law, law], (2,)).end_errors(level, False)[1], [errors[1]] * 2)
        wide.append(float(errors[1]))
    assert wide[2] > 10 * wide[1] > 20 * wide[0]
    assert float(law.error[0]) >= wide[1]


def _sides(metric: str) -> tuple[tuple, tuple]:
    of = dict(zip(PATTERNS, keys(metric), strict=True))
    return (of[1, 1, 0], of[0, 0, 1]), (of[1, 0, 1], of[0, 1, 0])


def _shapes(counts: np.ndarray, metric: str) -> dict:
    return charts(list(counts), metric)[0].shapes


def _conditional(law: PairedQuotients, rng: np.random.Generator) -> tuple[float, float]:
    """P(D <= 0) by draws of all cells, v integrated by scipy's own Beta."""
    from scipy import special

    c, n = law.cells, 60_000
    mass = {k: rng.standard_gamma(s, n) for k, s in c.shapes.items()}
    low, high = np.zeros(n), np.ones(n)
    sides = [sum(mass[k] for k in side) for side in (c.first, c.second)]

    def gap(v: np.ndarray) -> np.ndarray:
        whole = sides[0] + sides[1]
        shares = {k: whole * v * mass[k] / sides[0] for k in c.first}
        shares |= {k: whole * (1 - v) * mass[k] / sides[1] for k in c.second} | {k: mass[k] for k in c.rest}
        form = [sum(k[i] * m for k, m in shares.items()) for i in range(4)]
        return np.nan_to_num(form[0] / form[1] - form[2] / form[3])

    with np.errstate(all="ignore"):
        for _ in range(45):
            middle = 0.5 * (low + high)
            up = gap(middle) > 0
            low, high = np.where(up, low, middle), np.where(up, middle, high)
    p = special.betainc(*c.share, 0.5 * (low + high))
    return float(p.mean()), float(p.std() / np.sqrt(n))


@pytest.mark.parametrize("metric", METRICS)
def test_compare_agrees_with_joint_draws(metric: str) -> None:
    """Probability, mean, standard deviation and interval, and no draw behind any of them."""
    c = hs.compare(joint(TABLES["ordinary"]), "a", "b", metric=metric, equal_within=0.02)
    assert (c.route, c.difference.route) == ("quadrature", "quadrature")
    assert c.error.probability < 1e-5
    x = c.difference.draws(400_000, seed=8)
    se = 0.5 / np.sqrt(x.size)
    assert c.p_above == pytest.approx((x > 0).mean(), abs=4.5 * se)
    assert c.p_equal == pytest.approx((np.abs(x) <= 0.02).mean(), abs=4.5 * se)
    assert c.difference.mean == pytest.approx(c.first.distribution.mean - c.second.distribution.mean, abs=1e-13)
    assert c.difference.mean == pytest.approx(x.mean(), abs=5 * x.std() / np.sqrt(x.size))
    assert c.difference.std == pytest.approx(x.std(), rel=0.006)
    np.testing.assert_allclose(tuple(c.difference.interval()), np.quantile(x, [0.025, 0.975]), atol=0.015 * x.std())
    assert c.difference.cdf(c.difference.ppf(0.3)) == pytest.approx(0.3, abs=1e-8)
    height = ((x > c.difference.median - 0.002) & (x < c.difference.median + 0.002)).mean() / 0.004
    assert c.difference.pdf(c.difference.median) == pytest.approx(height, rel=0.05)


def test_swapping_the_systems_swaps_the_answer() -> None:
    """And equal systems are even, with a difference around 0."""
    t = joint(TABLES["rare"])
    one, two = (hs.compare(t, *names, metric="f1") for names in (("a", "b"), ("b", "a")))
    assert one.p_better == pytest.approx(two.p_worse, abs=1e-9)
    even = hs.compare(joint([50, 3, 3, 2, 4, 5, 5, 20]), metric="f1")
    assert even.p_better == pytest.approx(0.5, abs=1e-9)
    assert even.difference.median == pytest.approx(0.0, abs=1e-6)


def test_a_batch_gives_what_each_table_gives() -> None:
    """Slices have laws of their own, set beside each other."""
    import pandas as pd

    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 1200)
    a, b = (np.where(rng.random(1200) < p, y, 1 - y) for p in (0.85, 0.8))
    by = np.repeat(["x", "y", "z"], 400)
    frame = pd.DataFrame({"truth": y, "a": a, "b": b, "by": by})
    c = hs.compare(frame, truth="truth", pred=["a", "b"], by="by", metric="f1", positive=1)
    for i, name in enumerate("xyz"):
        here = by == name
        alone = hs.compare(y[here], {"a": a[here], "b": b[here]}, metric="f1")
        assert c.p_better[i] == pytest.approx(alone.p_better, abs=1e-9)
        for q in (0.025, 0.5, 0.975):
            assert c.difference.ppf(q)[i] == pytest.approx(alone.difference.ppf(q), abs=1e-8)
        assert c.difference.std[i] == pytest.approx(alone.difference.std, rel=1e-9)


def test_a_small_slice_does_not_make_the_others_drawn() -> None:
    """Slices of 4 and of 400 items: each has what it has alone."""
    import pandas as pd

    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 404)
    a, b = (np.where(rng.random(404) < p, y, 1 - y) for p in (0.85, 0.8))
    y[400:], a[400:], b[400:] = [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]
    by = np.repeat(["large", "small"], [400, 4])
    frame = pd.DataFrame({"truth": y, "a": a, "b": b, "by": by})
    c = hs.compare(frame, truth="truth", pred=["a", "b"], by="by", metric="precision", positive=1)
    alone = [hs.compare(y[s], {"a": a[s], "b": b[s]}, metric="precision") for s in (by == "large", by == "small")]
    assert [x.route for x in alone] == ["quadrature", "sampled"]
    assert c.p_better[0] == pytest.approx(alone[0].p_better, abs=1e-9)
    assert c.p_better[1] == pytest.approx(alone[1].p_better, abs=2 * alone[1].error.probability)
    assert c.difference.ppf(0.975)[0] == pytest.approx(alone[0].difference.ppf(0.975), abs=1e-6)
    rows = c.to_dict()["rows"]
    assert rows[1]["difference"]["high"] == pytest.approx(alone[1].difference.interval().high, abs=0.02)


def test_few_items_take_draws_for_the_interval_only() -> None:
    """Ten items: the probability is still computed, the ends are within the tolerance of draws."""
    c = hs.compare(joint([3, 0, 1, 0, 1, 1, 2, 2]), metric="f1")
    assert c.route == "quadrature"
    assert c.error.probability < 1e-4
    x = c.difference.draws(400_000, seed=3)
    assert c.p_better == pytest.approx((x > 0).mean(), abs=0.0036)
    assert c.difference.route == "sampled"


def test_it_is_quick() -> None:
    """P(A > B) on paired F1, warm, in well under 30 ms on a busy machine (bench: under 10)."""
    t = joint(TABLES["ordinary"])
    laps = []
    for _ in range(15):
        start = time.perf_counter()
        assert 0.88 < hs.compare(t, "a", "b", metric="f1").p_better < 0.882
        laps.append(time.perf_counter() - start)
    assert min(laps) < 0.03
