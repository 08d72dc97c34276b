"""Streams of draws: equal tables have equal numbers, different ones have errors of their own, two sides never share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.sampling import stream
from howsure.evidence.classes import Tally
from howsure.posteriors.routes import Model

MATRIX = np.array([[30, 4, 1], [3, 25, 2], [2, 5, 18]])
OTHER = np.array([[28, 6, 1], [3, 25, 2], [2, 5, 18]])
ROUGH = {"tolerance": 0.3}


def _binary(tp: Any) -> Tally:
    return Tally.binary(tp=tp, fp=20, fn=30, tn=870)


@pytest.mark.parametrize(
    ("one", "batch", "metric"),
    [
        (_binary(80), _binary([80, 60, 80]), "tetrachoric"),
        (Tally.matrix(MATRIX), Tally.matrix(np.stack([MATRIX, OTHER, MATRIX])), "macro-f1"),
    ],
)
def test_equal_tables_have_equal_numbers(one: Tally, batch: Tally, metric: str) -> None:
    """Wherever a table stands in a batch the same interval to the last digit, and alone; another table has others."""
    alone, many = hs.posterior(one, **ROUGH)[metric].interval(), hs.posterior(batch, **ROUGH)[metric]
    if many.law.n == hs.posterior(one, **ROUGH)[metric].law.n:
        assert tuple(alone) == pytest.approx((many.interval().low[0], many.interval().high[0]), rel=1e-12)
    low, high = many.interval()
    assert (low[0], high[0]) == (low[2], high[2])
    assert low[0] != low[1]
    x = many.draws(4_000, seed=1)
    assert abs(np.corrcoef(x.T) - np.eye(3)).max() < 0.1  # drawn by the user, equal tables are independent copies


def test_errors_of_many_tables_are_not_off_together() -> None:
    """Ends of 60 different tables, each by its own draws: their errors have a mean of about 0, not of one table's."""
    off = []
    for tp in range(60, 120):
        p = hs.posterior(_binary(tp), tolerance=0.3)
        law = p["tetrachoric"].law
        assert law.n is not None
        exact = p["informedness"].ppf(0.025)
        drawn = np.quantile(p["informedness"].draws(law.n), 0.025)
        off.append((drawn - exact) / p["informedness"].std * np.sqrt(law.n) / 2.67)  # in standard errors
    assert abs(np.mean(off)) < 4 / np.sqrt(60)
    assert 0.6 < np.std(off) < 1.5


@pytest.mark.parametrize("metric", ["tetrachoric", "macro-f1"])
def test_two_sides_of_a_comparison_never_share_a_stream(metric: str) -> None:
    """Two independent systems with equal tables: better with probability one half, and a difference that spreads."""
    t = _binary(80) if metric == "tetrachoric" else Tally.matrix(MATRIX)
    c = hs.compare(hs.posterior(t, **ROUGH), hs.posterior(t, **ROUGH), metric=metric)
    one = hs.posterior(t, **ROUGH)[metric]
    assert c.p_better == pytest.approx(0.5, abs=0.06)
    assert c.difference.std == pytest.approx(np.sqrt(2) * one.std, rel=0.1)
    board = hs.leaderboard({"a": hs.posterior(t, **ROUGH), "b": hs.posterior(t, **ROUGH)}, metric=metric, draws=2000)
    assert board.p_best[0] == pytest.approx(0.5, abs=0.06)


def test_strata_with_equal_tables_are_independent() -> None:
    """Two equal strata of half the population each have a rate with 1/√2 of the spread of one."""
    shapes = {c: np.array([x, x]) for c, x in {"tp": 30.5, "fp": 5.5, "fn": 10.5, "tn": 50.5}.items()}
    from howsure.posteriors.routes import Mixed

    two = Mixed(Model(shapes), (0.5, 0.5)).table(0, 20_000, 0)[0]["tp"].std()
    one = Model(shapes).table(0, 20_000, 0)[0]["tp"].std()
    assert two == pytest.approx(one / np.sqrt(2), rel=0.05)


def test_a_stream_follows_what_is_drawn() -> None:
    """The same for equal numbers, for any other another, and not for the last digit of a sum of weights."""
    a = np.array([1.5, 2.5, 1e9])
    assert stream(3, a) == stream(3, a.copy()) == stream(3, a * (1 + 1e-15))
    others = [stream(3, a[::-1].copy()), stream(3, a[:2]), stream(4, a), stream(3, a, None), stream(3, a + 0.5)]
    assert len({stream(3, a), *others}) == 6


@pytest.mark.parametrize(("n", "apart"), [(20, 3.0), (60, 2.0)])
def test_measures_of_curves_have_their_tolerance(n: int, apart: float) -> None:
    """A skewed AUC takes more draws than a normal law would: both ends within the tolerance, three errors counted."""
    truth = np.arange(n) % 2 == 0
    scores = np.random.default_rng(0).normal(size=n) + apart * truth
    p = hs.posterior(hs.curve(truth, scores).posterior.evidence, tolerance=0.05)
    for metric in ("auc", "AP"):
        d = p[metric]
        assert max(d.end_errors(0.95, "equal-tailed")) <= 0.05 * 1.05 * d.std


def test_no_error_of_a_probability_is_above_1() -> None:
    """However few the draws: of a law, a comparison and a leaderboard."""
    p = hs.posterior(_binary(80), tolerance=1.0)
    d = p["tetrachoric"]
    few = type(d)(d.name, type(d.law)(d.law.draws[:1], -1.0, 1.0), d.route, d.sampler)  # type: ignore[call-arg,attr-defined]
    assert few.error.probability == 1.0
    board = hs.leaderboard({"a": p, "b": p}, metric="tetrachoric", draws=100)
    assert board.error.probability <= 1.0
    assert all(row["error"]["best"] <= 1.0 for row in board.to_dict()["rows"])


def _correlation(one: Any, two: Any) -> float:
    """Of draws with the same seed."""
    return float(abs(np.corrcoef(one.draws(4_000, seed=0), two.draws(4_000, seed=0))[0, 1]))


def test_differences_of_graded_values_have_streams_of_their_own() -> None:
    """Two data sets alike in size: their draws at one seed have nothing in common, those of equal ones everything."""
    rng = np.random.default_rng(3)
    sets = [hs.Graded(rng.random((40, 2)), ("a", "b")) for _ in range(2)]
    one, two = (hs.compare(x, "a", "b", metric="mean").difference for x in sets)
    again = hs.compare(sets[0], "a", "b", metric="mean").difference
    assert _correlation(one, two) < 0.1
    assert _correlation(one, again) > 0.999


def test_confusions_have_streams_of_their_own() -> None:
    """Shares of two mistakes are not drawn from the same numbers."""
    from howsure.posteriors.classes import confusions

    one, two = (confusions(hs.posterior(Tally.matrix(x)))[0].share for x in (MATRIX, OTHER))
    assert _correlation(one, two) < 0.1


def test_deals_of_other_scores_are_others() -> None:
    """Trials of a threshold take their stream from the order of the scores; a map that keeps it changes nothing."""
    from howsure.evidence.scored import Scored
    from howsure.ranking.thresholds import _generator

    rng = np.random.default_rng(4)
    y, x = rng.random(60) < 0.4, rng.random(60)
    first, same, other = (_generator(hs.posterior(Scored(y, s[:, None])), 5).random() for s in (x, x**3, 1 - x))
    assert first == same != other
