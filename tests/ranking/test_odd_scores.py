"""Scores that tell little: all equal, a measure that is infinite, and levels other than 95%."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import howsure as hs

RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, 60)


@pytest.mark.parametrize("value", [0.5, 0.123456789, -3.25])
def test_scores_that_are_all_equal_name_themselves_as_threshold(value):
    """Any lower number cuts alike, but 0 was never a score."""
    curve = hs.curve(Y, np.full(60, value), tolerance=0.3)
    assert curve.best == value
    assert curve.to_dict()["rows"][-1]["metric"] == f"fallout@{value!r}"


def test_a_threshold_below_all_scores_stays_near_them():
    """Where all are best called positive, the name is within a tenth of the range under the lowest score."""
    scores = 5.3217 + 0.01 * RNG.random(60)
    y = np.ones(60, dtype=int)
    y[np.argmax(scores)] = 0
    curve = hs.curve(y, scores)
    assert scores.min() - 0.1 * np.ptp(scores) < curve.best <= scores.min()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.999])
def test_delongs_interval_has_the_level_asked_for(level):
    """For a check of an interval it must be of the same level."""
    scores = RNG.normal(size=60) + Y
    curve = hs.curve(Y, scores, metrics=["auc"], level=level, tolerance=0.3)
    (note,) = [n for n in curve.notes if n.code == "delong"]
    reach = special.ndtri(0.5 + 0.5 * level) * note["error"]
    assert f"{100 * level:g}% interval" in note.text
    assert f"[{max(0.0, note['value'] - reach):.3f}, {min(1.0, note['value'] + reach):.3f}]" in note.text
    other = scores + RNG.normal(size=60)
    both = hs.compare(hs.curve(Y, {"a": scores, "b": other}, tolerance=0.3), "a", "b", metric="auc", level=level)
    assert any(f"{100 * level:g}% interval of the difference" in n.text for n in both.notes if n.code == "delong")


@pytest.mark.parametrize("metric", ["lr-plus", "odds-ratio"])
def test_a_measure_that_is_infinite_is_called_so(metric):
    """Where no negative is above some threshold there is no best finite value, however many items there are."""
    y = np.r_[np.zeros(20, dtype=int), np.ones(20, dtype=int)]
    scores = np.r_[np.linspace(0, 0.5, 20), np.linspace(0.6, 1, 20)]
    curve = hs.curve(y, scores)
    with pytest.raises(hs.HowsureError, match=f"{metric} is infinite at a threshold of these items") as error:
        curve.choose(metric)
    assert "too few" not in str(error.value)
    assert curve.choose(metric, correct=None).score == np.inf
