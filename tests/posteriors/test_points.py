"""A Distribution carries the point score of the data, and an Interval is a pair with a width."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import howsure as hs
from howsure.posteriors.distribution import Interval
from tests.laws.kinds import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_score(kind):
    """The score of a law is that of the row of a report."""
    p = hs.posterior(KINDS[kind](), tolerance=0.5).system(KINDS[kind]().systems[0])
    d = p[p.default_metric]
    assert isinstance(d.score, float)
    assert d.score == hs.score(p, metrics=p.default_metric).to_dict()["rows"][0]["score"]


def test_scores_of_a_batch():
    """One for each table; 0/0 is not a number."""
    d = hs.posterior(hs.Tally.binary(tp=[80, 0], fp=[20, 0], fn=30, tn=870))["precision"]
    assert d.score.tolist()[0] == 0.8
    assert math.isnan(d.score[1])
    assert hs.posterior(hs.Tally.binary(tp=8, fp=1, fn=3, tn=[[8], [70]]))["f1"].score.shape == (2, 1)


def test_undefined_and_none():
    """0/0 is not a number; the law of the log odds of wins has no score."""
    empty = hs.posterior(hs.Tally.binary(tp=0, fp=0, fn=3, tn=7))["precision"]
    assert math.isnan(empty.score)
    assert hs.compare_wins(first=17, second=4, same=10).log_odds.score is None


def test_the_score_travels():
    """A law that is pickled keeps its score, asked for before or not."""
    d = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))["recall"]
    assert pickle.loads(pickle.dumps(d)).score == 80 / 110
    assert d.score == 80 / 110
    assert pickle.loads(pickle.dumps(d)).score == 80 / 110


def test_a_law_is_equal_whatever_was_asked_of_it():
    """The score takes no part in comparing."""
    one, two = (hs.posterior(hs.Tally.binary(tp=8, fp=2, fn=3, tn=7))["recall"] for _ in range(2))
    assert one.score == 8 / 11
    assert one == two


def test_an_interval_is_a_pair():
    """It unpacks, indexes and has a width; a number lies in it or not."""
    i = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))["f1"].interval()
    low, high = i
    assert (i[0], i[1], i[-1], i[:]) == (low, high, high, (low, high))
    assert i.width == high - low
    assert 0.76 in i
    assert low in i
    assert 0.5 not in i
    with pytest.raises(IndexError):
        i[2]


def test_an_interval_of_a_batch():
    """Ends and widths are arrays; a number lies in it if all intervals hold it."""
    i = hs.posterior(hs.Tally.binary(tp=[80, 8], fp=[20, 2], fn=[30, 3], tn=70))["f1"].interval()
    low, high = i
    assert i.width.tolist() == (high - low).tolist()
    assert i.width[1] > i.width[0]
    assert 0.76 in i
    assert 0.99 not in i
    assert np.array([0.76, 0.6]) in i  # one for each


def test_widths_at_infinity():
    """An endless interval is endlessly wide; nothing is not a number but what has no ends."""
    assert Interval(1.0, math.inf, 0.95, "hdi").width == math.inf
    assert Interval(math.inf, math.inf, 0.95, "hdi").width == 0.0
