"""Laws of the trade-off curve: it is what the solver finds, what tables on it have, and what eqs 1 and 22 to 32 say."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.errors import HowsureError
from tests.tiers import examples

counts = st.one_of(st.integers(0, 3), st.integers(0, 200), st.integers(0, 10**9))
tables = st.tuples(counts, counts, counts, counts).filter(lambda x: x[0] + x[2] > 0)
hundredths = st.integers(0, 100).map(lambda x: x / 100)
shares = st.one_of(
    st.floats(0, 1).filter(lambda x: x == 0 or x > 1e-290),
    st.sampled_from([0.0, 1e-6, 0.2, 0.5, 0.8, 1 - 1e-6, 1.0]),
    hundredths,
)
above_0 = shares.filter(lambda x: x >= 1e-15)


def of_table(table):
    tp, fp, fn, tn = (Fraction(x) for x in table)
    n = tp + fp + fn + tn
    return hs.relations.Tradeoff((tp + tn) / n, (tp + fn) / n)


@given(tables)
def test_a_table_lies_on_its_own_curve(table):
    """Recall and precision of every table are a point of the curve of its accuracy and prevalence."""
    tp, fp, fn, _ = table
    t = of_table(table)
    assert t.feasible(tp / (tp + fn))
    assert t.trades_off == (tp > fp)
    if tp + fp > 0:
        assert t.precision(np.array([tp / (tp + fn)]))[0] == pytest.approx(tp / (tp + fp), rel=1e-9, abs=1e-12)


@given(tables)
def test_the_ends_of_the_arc_are_tables_with_an_empty_cell(table):
    """At each end one of the four cells is 0 and none is negative; a step beyond makes one negative."""
    t = of_table(table)
    a, prevalence, e = t.exact_accuracy, t.exact_prevalence, t._e
    low, high = max(Fraction(0), e), min(Fraction(1), a / prevalence)
    assert t.arc.recall == (float(low), float(high))
    for r, step in ((low, -1), (high, 1)):
        cells = [prevalence * r, prevalence * (r - e), prevalence * (1 - r), a - prevalence * r]
        assert min(cells) == 0
        assert sum(cells) == 1
        beyond = r + Fraction(step, 10**6)
        assert (
            min(prevalence * beyond, prevalence * (beyond - e), prevalence * (1 - beyond), a - prevalence * beyond) < 0
        )


@examples(15, 40)
@given(st.integers(1, 12), st.integers(0, 12), st.integers(2, 14))
def test_the_arc_is_what_all_tables_of_that_size_show(positives, right, n):
    """Over all whole tables with these margins: every one lies on the arc, and the ends are reached or just missed."""
    assume(positives <= n)
    assume(right <= n)
    t = hs.relations.Tradeoff(Fraction(right, n), Fraction(positives, n))
    low, high = t.arc.recall
    seen = []
    for tp in range(positives + 1):
        tn = right - tp
        fp = n - positives - tn
        if tn < 0 or fp < 0:
            assert not t.feasible(tp / positives)
            continue
        seen.append(tp / positives)
        if tp + fp:
            assert t.precision(np.array([tp / positives]))[0] == pytest.approx(tp / (tp + fp), abs=1e-14)
    assert (min(seen), max(seen)) == (pytest.approx(low), pytest.approx(high))  # its ends are whole numbers of items


@settings(max_examples=30, deadline=None)
@given(tables, st.floats(0.02, 0.98))
def test_the_curve_is_what_solve_finds(table, place):
    """hs.solve from accuracy, prevalence and a recall of the arc gives the precision of the curve."""
    t = of_table(table)
    assume(1e-4 < t.prevalence < 1 - 1e-4)
    assume(t.arc.recall[1] - t.arc.recall[0] > 1e-3)
    r = float(t.arc.recall[0] + place * (t.arc.recall[1] - t.arc.recall[0]))
    s = hs.solve(accuracy=t.accuracy, prevalence=t.prevalence, recall=r)
    assert s.status == "unique"
    assert s.measure("precision") == pytest.approx(t.precision(r), rel=1e-6)


@given(shares, above_0, st.floats(0, 1))
def test_eqs_1_24_and_25_hold_on_the_curve(a, prevalence, place):
    """Every point satisfies λr + (λ+a-1)p = 2λpr, and (r' - c'_r)² - (p' - c'_p)² = c' in rotated coordinates."""
    t = hs.tradeoff(accuracy=a, prevalence=prevalence)
    low, high = t.arc.recall
    r = low + place * (high - low)
    p = t.precision(np.array([r]))[0]
    assume(not math.isnan(p))
    assert prevalence * r + (prevalence + a - 1) * p == pytest.approx(2 * prevalence * p * r, abs=1e-11)
    x, y = t.rotated(r, p)
    (cr, cp), c = t.rotated_centre, t.constant
    assert (x - cr) ** 2 - (y - cp) ** 2 == pytest.approx(c, abs=1e-9 * max(1.0, cr * cr))
    assert (cr, cp) == pytest.approx(t.rotated(*t.centre), rel=1e-9, abs=1e-12)


@given(shares.filter(lambda x: 1e-3 < x < 0.999), shares.filter(lambda x: 1e-3 < x < 0.999), st.floats(0.05, 0.95))
def test_derivatives_are_slopes_of_the_curve(a, prevalence, place):
    """Eqs 29 and 30 as printed, and dp/dr, against differences of the curve itself."""
    t = hs.tradeoff(accuracy=a, prevalence=prevalence)
    low, high = t.arc.recall
    assume(abs(t.excess) > 1e-2)
    assume(high - low > 1e-2)
    r = low + place * (high - low)
    p = t.precision(r)
    by_p = (prevalence * (1 - 2 * r) + a - 1) / (prevalence * (2 * p - 1))
    assert t.recall_by_precision(r) == pytest.approx(by_p, rel=1e-7)
    assert t.recall_by_accuracy(r) == pytest.approx(p / (prevalence * (2 * p - 1)), rel=1e-7)
    h = 1e-6 * (high - low)
    assert t.precision_by_recall(r) == pytest.approx((t.precision(r + h) - t.precision(r - h)) / (2 * h), rel=1e-4)
    assert t.precision_by_recall(r) * t.recall_by_precision(r) == pytest.approx(1)
    assert t.trades_off == (t.precision_by_recall(r) < 0)
    assert t.recall(p) == pytest.approx(r, rel=1e-9)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(0.1, 0.9), st.sampled_from([-1, 1]), st.floats(-2, 2))
def test_the_verdict_on_a_change_is_that_of_eq_32_only_above_one_half(a, prevalence, place, up, ratio):
    """Recall moves against precision just where eq. 32 says so if p > 1/2 and Δp > 0; the two other signs turn it."""
    t = hs.tradeoff(accuracy=a, prevalence=prevalence)
    low, high = t.arc.recall
    assume(abs(t.excess) > 1e-2)
    r = low + place * (high - low)
    p = t.precision(r)
    dp, da = up * 1e-6, ratio * 1e-6
    c = t.change(r, precision=dp, accuracy=da)
    room = (prevalence * (2 * r - 1) + 1 - a) * dp - p * da
    assume(abs(room) > 1e-9)
    assert c.trades_off == ((room > 0) == (p > 0.5) if up > 0 else (room < 0) == (p > 0.5))
    assert c.estimate == pytest.approx(t.recall_by_precision(r) * dp + t.recall_by_accuracy(r) * da)
    if not math.isnan(c.exact):
        assert c.exact == pytest.approx(c.estimate, abs=1e-7 + 1e-3 * abs(c.estimate) + 1e-8 / t.excess**2)
    at_limit = t.change(r, precision=dp, accuracy=c.most_accuracy)
    assert at_limit.estimate == pytest.approx(0, abs=1e-9 * abs(t.recall_by_precision(r)))


@given(above_0, shares)
def test_any_measure_along_the_curve_is_that_of_the_table(prevalence, a):
    """Accuracy and prevalence stay the same at every feasible recall; the others come from the catalogue."""
    t = hs.tradeoff(accuracy=a, prevalence=prevalence)
    r = np.linspace(*t.arc.recall, 5)
    assert np.allclose(t.measure("accuracy", r), a, atol=1e-9)
    assert np.allclose(t.measure("prevalence", r), prevalence, rtol=1e-9)
    assert np.allclose(t.measure("recall", r), r, atol=1e-9)


def test_precision_at_random_guessing_is_no_limit():
    """Alvarez 5.2 takes p = 1/2 for random guessing: a system far better than random rises in both."""
    t = hs.tradeoff(recall=0.9, fallout=0.2, prevalence=0.1)
    assert hs.solve(recall=0.9, fallout=0.2, prevalence=0.1).measure("informedness") == pytest.approx(0.7)
    assert not t.trades_off
    assert t.precision_by_recall(0.9) > 0


@pytest.mark.parametrize(
    ("a", "prevalence", "arc"),
    [
        (1, 0.2, ((1, 1), (1, 1))),
        (0, 0.2, ((0, 0), (0, 0))),
        (0.3, 1, ((0.3, 0.3), (1, 1))),
        (0.9, 0.2, ((0.5, 1), (1, 2 / 3))),
        (0.8, 0.2, ((0, 1), (0.5, 0.5))),
        (0.3, 0.8, ((0.125, 0.375), (1, 0.6))),
        (0.999999, 1e-6, ((0, 1), (0.5, 0.5))),
        (0.9999995, 1e-6, ((0.5, 1), (1, 2 / 3))),
        (0.4, 1e-6, ((0, 1), (0, 1e-6 / 0.600001))),
    ],
)
def test_arcs_at_the_extremes(a, prevalence, arc):
    """Ends in fractions: 0.9 + 0.2 - 1 is 1/10 and 0.8 + 0.2 - 1 is 0, not what is left of them in doubles."""
    assert hs.tradeoff(accuracy=a, prevalence=prevalence).arc == tuple(pytest.approx(x, rel=1e-14) for x in arc)


def test_recalls_that_no_table_has_are_told():
    """A single recall or precision out of reach is an error with the range; in an array it is NaN."""
    t = hs.tradeoff(accuracy=0.9, prevalence=0.2)
    with pytest.raises(HowsureError, match=r"recall 0\.3 is out of reach .* between 0\.5 and 1\."):
        t.precision(0.3)
    with pytest.raises(HowsureError, match=r"precision 0\.6 is out of reach .* between 0\.666667 and 1\."):
        t.recall(0.6)
    assert np.isnan(t.precision([0.3, 0.8])).tolist() == [True, False]
    assert np.isnan(t.recall([0.6, 0.8])).tolist() == [True, False]
    assert np.isnan(t.measure("f1", [0.3, 0.8])).tolist() == [True, False]


def test_other_measures_lead_to_the_same_curve():
    """Precision, recall and prevalence settle the accuracy; the curve is the same, and knows its point."""
    t = hs.tradeoff(precision=0.75, recall=0.6, prevalence=0.25)
    assert (t.accuracy, t.prevalence) == pytest.approx((0.85, 0.25))
    assert t.point == pytest.approx((0.6, 0.75))
    assert hs.tradeoff(error_rate=0.15, prevalence=0.25).arc == hs.tradeoff(accuracy=0.85, prevalence=0.25).arc
