"""Means of few graded values: stretched by Student's t, unless the values are right or wrong."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from bench.coverage_graded import below, of_means, unstretched, with_ends

VALUES = np.array([0.91, 0.97, 0.99, 0.42, 0.88, 1.0, 0.95, 0.93])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), None])
def test_the_mean_is_the_stretched_sum_of_gammas(bounds):
    """Against an integral of another kind, at points on both sides."""
    d = hs.posterior(hs.graded(VALUES, bounds=bounds))["mean"]
    for at in (0.7, 0.85, 0.9, 0.96):
        point = unstretched(VALUES[None], bounds, np.array([[at]]))
        want = below(*with_ends(VALUES[None], bounds, "even"), point[:, 0])[0]
        assert d.cdf(at) == pytest.approx(want, abs=1e-9)


def test_right_and_wrong_have_the_distribution_of_a_rate():
    """And the plain bootstrap stays plain."""
    graded, rate = hs.posterior(hs.graded([1, 0, 1, 1, 0], bounds=(0, 1)))["mean"], hs.Tally.rate(hits=3, of=5)
    assert [*graded.interval()] == pytest.approx([*hs.posterior(rate)["rate"].interval()], abs=1e-12)
    plain = hs.posterior(hs.graded(VALUES), "none")["mean"]
    want = below(VALUES[None], np.ones(8), np.array([0.9]))[0]
    assert plain.cdf(0.9) == pytest.approx(want, abs=1e-9)


def test_counts_are_items():
    """Three items of one value, or one that counts three."""
    apart = hs.posterior(hs.graded([0.2, 0.2, 0.2, 0.7, 0.9], bounds=(0, 1)))["mean"]
    frame = {"x": [0.2, 0.7, 0.9], "n": [3, 1, 1]}
    together = hs.posterior(hs.graded(frame, value="x", count="n", bounds=(0, 1)))["mean"]
    assert [*apart.interval()] == pytest.approx([*together.interval()], abs=1e-9)


def test_few_skewed_values_are_covered():
    """8 values of a Beta(0.6, 1.6): .90 without the stretch."""
    by = {row.method: row.held["mean"][0] for row in of_means("Beta(0.6, 1.6), as AP", 8, 600)}
    assert by["even"] > 0.93 > by["even, not stretched"]


def test_predictions_of_many_items_are_no_surer_than_the_score():
    """Of graded values and of few clusters: the score of 100,000 more items has the width of the distribution."""
    few = {"ok": [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0] * 2, "question": np.repeat(np.arange(6), 4)}
    for p in (
        hs.posterior(hs.graded(VALUES, bounds=(0, 1))),
        hs.posterior(hs.tally(few, outcome="ok", cluster="question")),
    ):
        (name,) = list(p)[:1]
        width, ahead = p[name].interval().width, hs.forecast(p, n=100_000, metric=name).interval().width
        assert 0.95 < ahead / width < 1.35
