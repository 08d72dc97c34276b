"""The posterior of the trade-off curve: exact laws against draws, integrals and closed forms."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.distributions.truncated import Truncated
from howsure.errors import HowsureError
from tests.tiers import spread

CASES = [
    (80, 20, 30, 870),
    (0, 3, 2, 500),
    (3, 50, 2, 1000),
    (5, 0, 0, 5),
    (0, 3, 2, 5),
    (60, 20, 20, 5),
    (0, 0, 0, 5),
]
LARGE = (10**9, 10**8, 10**8, 10**9)


def tally(cells):
    return hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))


@cache
def band_of(cells):
    return hs.tradeoff(tally(cells))


@cache
def drawn(cells):
    """From 200,000 tables of the posterior those with another recall and the same accuracy and prevalence."""
    x = band_of(cells).posterior.draws(200_000, seed=7)
    positive, right = x["tp"] + x["fn"], x["tp"] + x["tn"]

    def moved(r):
        tp = r * positive
        fp = 1 - right - positive + tp
        return tp, fp, positive - tp, 1 - positive - fp

    return moved


@pytest.mark.parametrize(("cells", "r"), spread(CASES, [0.15, 0.5, 0.8, 1.0]))
def test_precision_at_a_recall_agrees_with_draws_of_the_table(cells, r):
    """P(feasible), mean, spread and tails of precision, against draws of all four cells moved to that recall."""
    band = band_of(cells)
    tp, fp, fn, tn = drawn(cells)(r)
    ok = (fp >= 0) & (tn >= 0) & (fn >= 0)
    n = len(ok)
    p = band.p_feasible(r)
    assert abs(p - ok.mean()) <= 4.5 * np.sqrt(p * (1 - p) / n) + 1 / n
    if p < 0.01:
        return
    x = tp[ok] / (tp + fp)[ok]
    d = band.precision(r)
    assert abs(d.mean - x.mean()) <= 4.5 * x.std() / np.sqrt(len(x)) + d.error.value
    assert d.std == pytest.approx(x.std(), rel=0.05)
    at = np.quantile(x, [0.05, 0.3, 0.6, 0.95])
    assert np.abs(d.cdf(at) - [0.05, 0.3, 0.6, 0.95]).max() <= 2.5 / np.sqrt(len(x)) + d.error.probability
    low, high = d.interval()
    assert 0 <= low < high <= 1


@pytest.mark.parametrize("cells", [*CASES, LARGE])
def test_p_tradeoff_has_two_exact_routes(cells):
    """P(tp > fp) is the closed Beta tail of precision at 1/2, and the tail of (tp - fp)/(tp + fn) at 0, an integral."""
    from scipy import special

    band = band_of(cells)
    tp, fp = cells[0] + 0.5, cells[1] + 0.5
    assert band.p_tradeoff == pytest.approx(special.betaincc(tp, fp, 0.5), abs=1e-12)
    assert band.excess.sf(0.0) == pytest.approx(band.p_tradeoff, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.tuples(*[st.integers(0, 300)] * 3), st.floats(0.05, 1), st.floats(0.01, 0.99))
def test_the_exact_law_is_a_law(three, r, q):
    """The quantile undoes the cdf, tails add to 1, the mean lies inside, for tables with room for every recall."""
    tp, fp, fn = three
    band = hs.tradeoff(tally((tp, fp, fn, 5 * (tp + fn) + 2000)))
    if band.p_feasible(r) < 1e-5:
        return
    d = band.precision(r)
    assert d.route == "quadrature"
    t = d.ppf(q)
    if 0 < t < 1:
        assert d.cdf(t) == pytest.approx(q, abs=1e-9)
    assert d.cdf(t) + d.sf(t) == pytest.approx(1, abs=1e-12)
    assert 0 < d.mean < 1
    assert d.cdf(0.0) == 0
    assert d.cdf(1.0) == 1


@pytest.mark.parametrize(("cells", "r"), spread(CASES[:3], [0.3, 0.6, 1.0]))
def test_moments_of_the_exact_law_by_another_integral(cells, r):
    """Mass, mean and variance by Gauss-Legendre nodes over the density, between quantiles and where it has a corner."""
    from scipy import special

    band = band_of(cells)
    if band.p_feasible(r) < 1e-6:
        return
    d = band.precision(r)
    tails = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.02, 0.1, 0.3])
    ends = np.unique([0.0, *d.ppf(np.concatenate([tails, 1 - tails])), 0.5, 1.0])
    x, w = special.roots_legendre(60)
    half = np.diff(ends)[:, None] / 2
    t = (ends[:-1, None] + half * (1 + x)).ravel()
    mass = (half * w).ravel() * d.pdf(t)
    assert mass.sum() == pytest.approx(1, abs=1e-7)
    assert mass @ t == pytest.approx(d.mean, abs=1e-7)
    assert mass @ (t - d.mean) ** 2 == pytest.approx(d.std**2, abs=1e-7)


def test_the_band_is_one_curve_a_quantile():
    """Where every recall is feasible, the 2.5% points of all recalls lie on one hyperbola."""
    band = hs.tradeoff(tally((3, 50, 2, 1000)))
    e = band.excess.ppf(0.025)
    for r in (0.3, 0.6, 1.0):
        assert band.p_feasible(r) == pytest.approx(1, abs=1e-3)
        d = band.precision(r)
        assert d.cdf(r / (2 * r - e)) == pytest.approx(0.025 / band.p_feasible(r), rel=1e-9)


@pytest.mark.parametrize(("cells", "p"), [((80, 20, 30, 870), 0.75), ((3, 50, 2, 1000), 0.05), ((60, 20, 20, 5), 0.7)])
def test_recall_at_a_precision_agrees_with_draws(cells, p):
    """Recall at a given precision, precision above and below 1/2, exact and sampled."""
    band = band_of(cells)
    x = band.posterior.draws(200_000, seed=3)
    positive = x["tp"] + x["fn"]
    r = (x["tp"] - x["fp"]) / positive * p / (2 * p - 1)
    fp = x["fp"] - x["tp"] + r * positive
    ok = (r >= 0) & (r <= 1) & (fp >= 0) & (1 - positive - fp >= 0)
    r = r[ok]
    d = band.recall(p)
    assert abs(d.mean - r.mean()) <= 5 * r.std() / np.sqrt(len(r)) + d.error.value
    at = np.quantile(r, [0.05, 0.5, 0.95])
    assert np.abs(d.cdf(at) - [0.05, 0.5, 0.95]).max() <= 2.5 / np.sqrt(len(r)) + d.error.probability
    assert np.abs(np.quantile(d.draws(20_000, seed=5), [0.2, 0.8]) - d.ppf([0.2, 0.8])).max() < 0.02


def test_a_billion_items_leave_the_curve_itself():
    """With 2e9 items the band is the curve of the counts, within a few parts in 1e5."""
    band = hs.tradeoff(tally(LARGE), recalls=[0.85, 0.95])
    for row in band.to_dict()["rows"]:
        assert row["low"] < row["precision"] < row["high"]
        assert row["high"] - row["low"] < 1e-4
        assert row["mean"] == pytest.approx(row["precision"], abs=1e-7)


def test_draws_of_a_rare_event_come_from_its_law():
    """Where one table in 1e4 is feasible, draws are made by quantiles, and agree with the law."""
    band = hs.tradeoff(tally((80, 20, 30, 870)))
    r = 0.28
    assert 1e-6 < band.p_feasible(r) < 0.01
    d = band.precision(r)
    assert np.quantile(d.draws(4000), 0.5) == pytest.approx(d.median, abs=0.01)
    assert d.error.probability > 1e-12 / band.p_feasible(r)


def test_a_posterior_and_other_priors_are_taken():
    """A Posterior gives what its tally and prior give; the two-level model is sampled, and near the flat one."""
    t = tally((80, 20, 30, 870))
    assert hs.tradeoff(hs.posterior(t, "uniform")).to_dict() == hs.tradeoff(t, prior="uniform").to_dict()
    flat = hs.tradeoff(t).precision(0.9)
    same = hs.tradeoff(t, prior=hs.two_level(within=0.5, between=1)).precision(0.9)  # the flat model, in two levels
    assert same.route == "sampled"
    assert same.mean == pytest.approx(flat.mean, abs=same.error.value)
    other = hs.tradeoff(t, prior=hs.two_level(within=0.5, between=200))
    x = other.posterior.draws(100_000, seed=9)
    e = (x["tp"] - x["fp"]) / (x["tp"] + x["fn"])
    assert other.excess.median == pytest.approx(np.median(e), abs=0.005)
    assert abs(other.excess.median - hs.tradeoff(t).excess.median) > 0.05
    three = hs.Tally.matrix([[50, 3, 2], [4, 30, 6], [1, 2, 40]], labels=list("abc"), positive="b")
    band = hs.tradeoff(three)
    assert band.curve is not None
    assert band.curve.point == pytest.approx((30 / 40, 30 / 35))


def test_documents_have_no_nan_and_all_formats():
    """JSON is finite at the extremes, an empty table included, and every format is made."""
    for cells in (*CASES, (0, 0, 0, 0), (1, 0, 0, 0)):
        band = band_of(cells)
        json.dumps(band.to_dict(), allow_nan=False)
        for text in (band.to_markdown(), band.to_latex(), band.to_csv(), band.to_html(), str(band)):
            assert "nan" not in text.lower()
        assert len(band.to_frame()) == len(band.to_dict()["rows"])
    t = hs.tradeoff(accuracy=0.8, prevalence=0.2)
    json.dumps(t.to_dict(), allow_nan=False)
    for text in (t.to_markdown(), t.to_latex(), t.to_csv(), t.to_html(), str(t), t._repr_html_()):
        assert "nan" not in text.lower()
    assert len(t.to_frame()) == 11


def test_recalls_out_of_reach_are_told():
    """A recall that no table of the posterior reaches is an error that says so; in rows its numbers are null."""
    band = hs.tradeoff(tally(LARGE), recalls=[0.1, 0.9])
    with pytest.raises(HowsureError, match=r"recall 0\.1 is out of reach: P\(feasible\) is 0"):
        band.precision(0.1)
    first, second = band.to_dict()["rows"]
    assert first["mean"] is None
    assert first["p_feasible"] == 0
    assert second["mean"] is not None


def test_counts_without_a_curve_of_their_own():
    """No positive item: nothing is out of reach, the precision of the counts is 0/0, and the posterior is there."""
    text = hs.tradeoff(tally((0, 0, 0, 5)), recalls=[0.5]).to_text()
    assert "undefined" in text
    assert "out of reach" not in text


def test_the_hdi_of_a_band_is_no_longer_than_the_equal_tailed_interval():
    """The same for rows and for laws."""
    t = tally((80, 20, 30, 870))
    even, short = (hs.tradeoff(t, interval=k).to_dict()["rows"] for k in ("equal-tailed", "hdi"))
    for a, b in zip(even, short, strict=True):
        assert b["high"] - b["low"] <= a["high"] - a["low"] + 1e-9


def test_a_law_kept_whole_is_the_law_itself():
    """Within bounds that leave nothing out, and through the map e/1, the law of recall is unchanged."""
    d = hs.posterior(tally((80, 20, 30, 870)))["recall"]
    one, zero = np.ones(()), np.zeros(())
    law = Truncated(d.law, zero, one, (one, zero, zero, one))
    x = np.linspace(0.6, 0.85, 7)
    assert np.allclose(law.tails(x)[0], d.cdf(x), rtol=1e-12)
    assert np.allclose(law.pdf(x), d.pdf(x), rtol=1e-12)
    assert law.mean() == pytest.approx(d.mean, abs=1e-12)
    assert law.std() == pytest.approx(d.std, abs=1e-12)
    turned = Truncated(d.law, zero, one, (-one, one, zero, one))  # 1 - recall falls with recall
    assert np.allclose(turned.tails(1 - x)[1], d.cdf(x), rtol=1e-12)
    assert turned.mean() == pytest.approx(1 - d.mean, abs=1e-12)


@pytest.mark.parametrize(("cells", "r"), [((60, 20, 20, 5), 0.6), ((100, 400, 500, 20), 0.14), ((40, 10, 10, 40), 0.9)])
def test_what_the_exact_law_leaves_out_is_within_its_error(cells, r):
    """Where r > a/λ has a small probability the law leaves it out; its error holds the difference to the full event."""
    exact = hs.tradeoff(tally(cells))
    d = exact.precision(r)
    missed = float(exact.reach.cdf(r))
    assert d.route == "quadrature"
    assert missed > 1e-13
    assert d.error.probability >= missed
    sampled = exact._sampled("precision", lambda e: r / (2 * r - e), lambda e, h: (e <= r) & (h >= r), 1.0)
    at = d.ppf([0.025, 0.2, 0.5, 0.8, 0.975])
    assert np.abs(sampled.cdf(at) - d.cdf(at)).max() <= d.error.probability + sampled.error.probability
    assert abs(sampled.mean - d.mean) <= d.error.value + sampled.error.value
    assert d.error.value < sampled.error.value


def test_the_tolerance_decides_what_is_sampled():
    """With a finer tolerance less is left out, and a row that was exact with a stated error is sampled."""
    t = tally((60, 20, 20, 5))
    missed = float(hs.tradeoff(t).reach.cdf(0.6))
    assert 1e-5 < missed < 1.5e-4
    assert hs.tradeoff(t).precision(0.6).route == "quadrature"
    assert hs.tradeoff(t, tolerance=missed * 50).precision(0.6).route == "sampled"
