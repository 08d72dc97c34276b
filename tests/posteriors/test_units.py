"""One model of weighted units: tables, rates, clusters, graded values and pairs are ratios over units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.posteriors.units import LINES, Ratio, Units

COUNTS = st.integers(0, 40)


def same(ratio: Ratio, d: hs.Distribution) -> None:
    law, _ = ratio.law()
    low, high, *_ = law.equal_tailed(0.95)
    assert (float(low), float(high)) == pytest.approx(tuple(d.interval(kind="equal-tailed")), rel=1e-9, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_table_is_four_units(tp, fp, fn, tn):
    """Metrics of a 2x2 table are ratios over its four cells, with half a made-up item in each."""
    cells = Units(np.eye(4), np.array([tp, fp, fn, tn], dtype=float)) + Units(np.eye(4), np.full(4, 0.5))
    p = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn), "jeffreys")
    for name, top, bottom in (
        ("f1", (2, 0, 0, 0), (2, 1, 1, 0)), ("recall", (1, 0, 0, 0), (1, 0, 1, 0)), ("f2", (5, 0, 0, 0), (5, 1, 4, 0)),
    ):  # fmt: skip
        same(cells.ratio(top, bottom), p[name])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=3, max_size=30))
def test_values_are_units(values):
    """The mean of graded values has atoms a tenth of the way from the values seen to the bounds."""
    x = np.array(values) / 20.0
    low, high = x.min() * 0.9, x.max() + 0.1 * (1.0 - x.max())
    if not np.ptp(x) or np.isin(x, (0.0, 1.0)).all():
        return
    units = Units.seen(np.stack([x, np.ones(x.size)], axis=1)) + Units(np.array([[low, 1.0], [high, 1.0]]), np.ones(2))
    d = hs.posterior(hs.graded(x, bounds=(0, 1)))["mean"]
    mean = units.ratio(*LINES).centre
    assert d.cdf(mean) == pytest.approx(float(units.ratio(*LINES).law()[0].tails(np.asarray(mean))[0]), abs=1e-9)


def test_a_difference_is_a_ratio_where_denominators_agree():
    """First less second over the same units; none where a unit counts more for one of them."""
    rng = np.random.default_rng(1)
    one, two = (Units.seen(np.stack([rng.random(9), np.ones(9)], axis=1)).ratio(*LINES) for _ in range(2))
    gap = one.minus(two)
    assert gap is not None
    assert gap.centre == pytest.approx(one.centre - two.centre)
    assert one.minus(Ratio(two.top, 2.0 * two.bottom, two.shapes)) is None
    assert one.minus(one) is None
