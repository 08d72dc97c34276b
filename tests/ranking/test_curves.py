"""Curves: points against scikit-learn, bands against slow and independent routes, and every way in."""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics as peer

import howsure as hs
from howsure.distributions import beta, beta_interpolation
from howsure.posteriors.score_samples import score_draws
from howsure.ranking.bands import _joint_tail
from tests.ranking.test_ranked import scored
from tests.tiers import spread


def data(n=400, seed=0, digits=2):
    d = scored(n, seed, digits)
    return d.truth.astype(int), d.scores[:, 0]


Y, S = data()
CURVE = hs.curve(Y, S)
ROUGH = hs.curve(Y, S, tolerance=0.05)  # for what is drawn


def test_lines_are_those_of_scikit_learn():
    """roc and precision_recall hold the points of the peer's curves, ties together."""
    fallout, recall, thresholds = CURVE.roc
    fpr, tpr, cut = peer.roc_curve(Y, S, drop_intermediate=False)
    for mine, theirs in ((fallout, fpr), (recall, tpr), (thresholds, cut)):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
    recall, precision, thresholds = CURVE.precision_recall
    p, r, cut = peer.precision_recall_curve(Y, S)
    np.testing.assert_allclose(precision[::-1], p[:-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(recall[::-1], r[:-1], rtol=0, atol=1e-12)
    assert np.array_equal(thresholds[::-1], cut)


@pytest.mark.parametrize("name", ["f1", "accuracy", "informedness", "phi", "kappa"])
def test_any_measure_against_the_threshold(name):
    """metric() is the measure of each table of the batch, looked at one by one."""
    line = CURVE.metric(name)
    for i in (0, 5, 50, len(line.x) - 1):
        t = hs.tally(Y, (line.x[i] <= S).astype(int))
        expected = float(hs.posterior(t).point(name))
        assert line.y[i] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["recall", "fallout", "precision", "f1", "accuracy", "informedness", "f2"])
def test_bands_are_the_intervals_of_the_tables(name):
    """The batched band is the interval of each table alone."""
    band = CURVE.band(name)
    for i in (0, 3, 40, band.x.size - 1):
        t = hs.tally(Y, (band.x[i] <= S).astype(int))
        low, high = hs.posterior(t)[name].interval(kind="equal-tailed")
        assert band.low[i] == pytest.approx(low, abs=1e-10)
        assert band.high[i] == pytest.approx(high, abs=1e-10)


def slow(a, b, p):
    return beta.quantile(a, b, p, 1.0 - p, polish_above=0.0)


@pytest.mark.parametrize(
    ("kind", "tail"),
    spread(["precision", "recall", "scattered", "tiny", "huge", "one-sided"], [0.025, 0.5, 1e-6]),
)
def test_quantiles_by_patches_agree_with_the_slow_route(kind, tail):
    """1e-12 in value, and 5e-11 standard deviations, over tiny and huge counts and both kinds of paths."""
    rng = np.random.default_rng(5)
    n = 6_000
    hits = rng.random(n) < 0.3
    tp, fp = np.cumsum(hits) + 0.5, np.cumsum(~hits) + 0.5
    a, b = {
        "precision": (tp, fp),
        "recall": (tp, hits.sum() + 1.0 - tp),
        "scattered": (10.0 ** rng.uniform(np.log10(0.5), 3, n), 10.0 ** rng.uniform(np.log10(0.5), 3, n)),
        "tiny": (rng.uniform(0.5, 3.0, n), rng.uniform(0.5, 3.0, n)),
        "huge": (rng.uniform(0.4e7, 1e8, n), rng.uniform(0.4e7, 1e8, n)),
        "one-sided": (np.arange(n) + 0.5, np.full(n, 0.5)),
    }[kind]
    p = np.array([[tail], [1.0 - tail]])
    assert beta_interpolation.fits(a, b, p, 1.0 - p)
    x, y = beta_interpolation.quantiles(a, b, p, 1.0 - p)
    some = rng.choice(n, 300, replace=False)
    exact = slow(a[some], b[some], p)
    spread = np.sqrt(a * b / (a + b) ** 3)[some]
    for got, expected in zip((x[:, some], y[:, some]), exact, strict=True):
        assert np.abs(got - expected).max() < 1e-12
        assert (np.abs(got - expected) / spread).max() < 5e-11
        assert np.abs(got / expected - 1.0).max() < 1e-10


def test_patches_keep_the_error_they_state():
    """5e-12 standard deviations in the octaves with the fewest points, down to tails of 1e-6."""
    rng = np.random.default_rng(3)
    a, b = 2.0 ** rng.uniform(8, 11, (2, 20_000))
    for tail in (0.025, 0.0005, 1e-6):
        p = np.array([[tail], [1.0 - tail]])
        x, _ = beta_interpolation.quantiles(a, b, p, p[::-1])
        some = rng.choice(a.size, 2_000, replace=False)
        exact, _ = beta.quantile(a[some], b[some], p, p[::-1], polish_above=0.0)
        spread = np.sqrt(a * b / (a + b) ** 3)[some]
        assert (np.abs(x[:, some] - exact) / spread).max() < 5e-12


def test_quantiles_by_patches_against_mpmath():
    """The tails beyond the interpolated points, with 40 digits, are what was asked for."""
    rng = np.random.default_rng(8)
    a = np.append([0.5, 0.5, 3.5, 40.5, 900.5], rng.uniform(0.5, 1000, 4_995))
    b = np.append([0.5, 30.5, 1.5, 7.5, 20_000.5], rng.uniform(0.5, 1000, 4_995))
    p = np.array([[0.025], [0.975]])
    x, y = beta_interpolation.quantiles(a, b, p, 1.0 - p)
    with mpmath.workdps(40):
        for i in range(8):
            lower = mpmath.betainc(a[i], b[i], 0, mpmath.mpf(x[0, i]), regularized=True)
            upper = mpmath.betainc(b[i], a[i], 0, mpmath.mpf(y[1, i]), regularized=True)
            assert float(lower) == pytest.approx(0.025, rel=1e-10)
            assert float(upper) == pytest.approx(0.025, rel=1e-10)


def test_a_curve_of_many_thresholds_takes_the_fast_route_and_keeps_its_digits():
    """At 20,000 thresholds the ends of the bands agree with tables computed alone."""
    y, s = data(20_000, digits=9)
    c = hs.curve(y, s)
    for name in ("recall", "precision", "fallout", "f1"):
        band = c.band(name)
        assert band.x.size > beta_interpolation.MANY
        for i in (0, 1, 77, 5_000, band.x.size - 2):
            t = c.tally
            one = hs.Tally.binary(**{k: int(v[i]) for k, v in t.named().items()})
            low, high = hs.posterior(one)[name].interval(kind="equal-tailed")
            assert band.low[i] == pytest.approx(low, abs=1e-12)
            assert band.high[i] == pytest.approx(high, abs=1e-12)


def test_a_simultaneous_band_holds_whole_curves():
    """About 95% of fresh draws lie inside everywhere, and the pointwise band holds far fewer."""
    y, s = data(120, digits=9)
    c = hs.curve(y, s, tolerance=0.05)
    wide, narrow = (c.band("recall", simultaneous=x) for x in (True, False))
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    order = c.posterior.evidence.tidy.orders[0]

    def recall(cuts):
        return np.take(cuts.up, order.found, axis=1).T / cuts.positives

    x = score_draws(c.posterior).through(recall, 4_000, 77)[0]
    inside = [float(((x >= b.low[:, None]) & (x <= b.high[:, None])).all(axis=0).mean()) for b in (wide, narrow)]
    assert 0.93 < inside[0] < 0.97
    assert inside[1] < 0.8


def test_few_draws_still_make_a_simultaneous_band():
    """Of 40 independent points and 500 draws: the tail that holds all points with 95% is near 0.025/40 by theory."""
    tails = [_joint_tail(np.random.default_rng(k).normal(size=(40, 500)), 0.95) for k in range(20)]
    assert 0.93 < np.mean([(1.0 - 2.0 * t) ** 40 for t in tails]) < 0.97


@pytest.mark.parametrize("prior", ["even", "none"])
def test_points_that_draws_cannot_tell_of_have_no_interval(prior):
    """Fallout 0 is the origin when the prior lies above all scores; no end is a number that means nothing."""
    y, s = data(120)
    c = hs.curve(y, s, prior=prior)
    for band in (c.at(fallout=[0.0, 0.1, 1.0]), c.at(fallout=[0.0, 0.1], metric="precision"), c.at(recall=[0.5, 1.0])):
        known = np.isfinite(band.low)
        assert known[1]
        assert ((band.low <= band.score) & (band.score <= band.high))[1]
        wide = (band.low < band.high)[known & (band.x < 1)].all()
        assert wide or (prior == "none" and any(note.code == "no-width" for note in band.notes))
        assert known.all() or any(note.code == "no-interval" for note in band.notes)
        assert "NaN" not in json.dumps(band.to_dict())
    assert (prior == "even") == any(note.code == "full-recall" for note in c.at(recall=[1.0]).notes)


@pytest.mark.parametrize("name", ["precision@fallout=0", "lr-plus@fallout=0", "npv@recall=1", "recall@fallout=0"])
def test_measures_that_are_nothing_over_nothing_are_refused(name):
    """One sentence, where every draw is 0/0, infinite or the same."""
    y, s = data(120)
    with pytest.raises(hs.HowsureError, match="ask for another point or measure"):
        hs.curve(y, s, tolerance=0.2)[name]


def test_extremes_of_scores_weights_and_clusters():
    """Scores of any size have a summary; weights that leave a class nothing, and a single cluster, are refused."""
    y, s = data(40)
    assert "auc" in str(hs.curve(y, np.full(40, 1e300), tolerance=0.5))
    lonely = np.where(np.arange(40) == 0, 1e12, 1.0)
    with pytest.raises(hs.HowsureError, match="use the prior even"):
        hs.curve(y, s, weight=lonely, prior="none")["auc"]
    with pytest.raises(hs.HowsureError, match="two or more"):
        hs.curve(y, s, cluster=["one"] * 40)
    assert len(repr(hs.curve(y, s, weight=np.full(40, 1e90), tolerance=0.5))) < 100


def test_vertical_bands_are_the_laws_of_the_points():
    """at() gives the interval of precision@recall and recall@fallout, and the points lie on the line."""
    down = ROUGH.at(recall=[0.3, 0.9])
    law = ROUGH["precision@recall=0.9"]
    assert down.score[1] == pytest.approx(float(CURVE.posterior.point("precision@recall=0.9")), abs=1e-12)
    assert down.low[1] == pytest.approx(law.interval().low, abs=0.01)
    assert down.high[1] == pytest.approx(law.interval().high, abs=0.01)
    across = ROUGH.at(fallout=[0.1])
    assert across.low[0] == pytest.approx(ROUGH["recall@fallout=0.1"].interval().low, abs=0.01)
    assert ROUGH.at(fallout=0.1, metric="f1").score.shape == (1,)
    both = [ROUGH.at(recall=np.linspace(0.05, 1, 20), simultaneous=x) for x in (True, False)]
    assert (both[0].low <= both[1].low).all()


def test_the_break_even_point_is_the_only_crossing():
    """Precision falls through recall once: counted on the line itself, the origin aside."""
    (crossing,) = CURVE.crossings
    recall, precision, thresholds = CURVE.precision_recall
    signs = np.sign(precision - recall)[recall > 0]
    signs = signs[signs != 0]
    assert (np.diff(signs) != 0).sum() <= 1
    assert crossing["value"] == pytest.approx(float(CURVE.posterior.point("BEP")))
    at = int(np.flatnonzero(thresholds == crossing["threshold"])[0])
    assert precision[at] <= recall[at]
    assert precision[at - 1] > recall[at - 1]


def frames():
    columns = {"label": Y.tolist(), "p": S.tolist(), "w": (1 + np.arange(len(Y)) % 3).tolist()}
    return {
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
        "pyarrow": pa.table(columns),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow"])
def test_frames_are_arrays_by_another_name(kind):
    """Columns of any frame give the curve of the arrays, weights too."""
    made = hs.curve(frames()[kind], truth="label", score="p", weight="w")
    expected = hs.curve(Y, S, weight=1 + np.arange(len(Y)) % 3)
    assert made.band("recall").low.tolist() == expected.band("recall").low.tolist()
    assert made.items.weighted
    two = hs.curve(frames()[kind], truth="label", score=["p", "w"])
    assert two.systems == ("p", "w")


def test_labels_of_every_kind():
    """Text with positive=, booleans, -1 and 1, Series and lists: the same curve."""
    text = np.where(Y == 1, "spam", "ham")
    low = CURVE.band("recall").low.tolist()
    for y, positive in ((text, "spam"), (text.tolist(), "spam"), (Y == 1, None), (2 * Y - 1, None), (Y.tolist(), 1)):
        assert hs.curve(y, S.tolist(), positive=positive).band("recall").low.tolist() == low
    assert hs.curve(pd.Series(Y), pd.Series(S)).band("recall").low.tolist() == low
    three = np.where(Y == 1, "spam", np.where(np.arange(len(Y)) % 2, "ham", "eggs"))
    assert hs.curve(three, S, positive="spam").band("recall").low.tolist() == low
    turned = hs.curve(Y, -S, positive=0)
    assert float(turned.posterior.point("auc")) == pytest.approx(float(CURVE.posterior.point("auc")))


def test_missing_items_are_dropped_when_asked():
    """missing="drop" leaves items out, and says so; zero weights are no items."""
    y = [1, 0, None, 1, 0, 1]
    s = [0.9, 0.1, 0.5, float("nan"), 0.3, 0.2]
    c = hs.curve(y, s, missing="drop")
    assert c.items.n == 4
    assert "2 of 6 items" in c.items.notes[0].text
    assert hs.curve([1, 0, 1], [1, 2, 3], weight=[1, 1, 0]).thresholds.tolist() == [2.0, 1.0]


def test_the_document_is_plain_json_and_every_format_renders():
    """No NaN, no infinity; the points of the curve are thinned; a band has its own document."""
    c = hs.curve(Y, {"a": S, "b": S[::-1].copy()}, tolerance=0.2)
    document = c.to_dict()
    json.dumps(document, allow_nan=False)
    assert document["schema"] == "howsure.curve/1"
    assert {x["system"] for x in document["points"]} == {"a", "b"}
    assert [x["metric"] for x in document["rows"]][:3] == ["auc", "AP", "BEP"]
    for text in (str(c), c.to_markdown(), c.to_latex(), c.to_html(), c.to_csv()):
        assert "AP11" in text
    assert len(c.to_frame()) == len(document["rows"])
    assert repr(c).startswith("Curve(a: auc ")
    band = CURVE.band("precision")
    json.dumps(band.to_dict(), allow_nan=False)
    assert len(band.to_frame()) == band.x.size
    assert "20 of" in str(band)
    assert hs.curve(Y, S, metrics=["auc"], tolerance=0.2).to_dict()["rows"][0]["asked"] == "auc"


def test_verbs_take_a_curve():
    """posterior, score, compare and leaderboard see the scored items of a curve."""
    c = hs.curve(Y, {"a": S, "b": S[::-1].copy()}, tolerance=0.2)
    assert hs.compare(c, "a", "b", tolerance=0.2).p_better > 0.99
    assert hs.leaderboard(c, metric="AP").names[0] == "a"
    assert hs.score(c, metrics="auc", tolerance=0.2).rows[0].system == "a"
    assert hs.posterior(CURVE)["f1@0.5"].mean == CURVE["f1@0.5"].mean


def test_the_summary_threshold_cuts_where_the_best_does():
    """The short number shown for the best threshold gives the highest F1."""
    best = CURVE.posterior.point(f"f1@{CURVE.best!r}")
    assert float(best) == float(CURVE.posterior.point("max-f1"))
    assert len(repr(CURVE.best)) < 8


def test_clusters_have_bands_by_draws():
    """Where items hang together the band is sampled, wider than that of independent items."""
    five = hs.curve(np.repeat(Y, 5), np.repeat(S, 5), cluster=np.repeat(np.arange(len(Y)), 5), tolerance=0.1)
    band, alone = five.band("recall"), hs.curve(np.repeat(Y, 5), np.repeat(S, 5)).band("recall")
    assert band.route == "sampled"
    middle = len(band.x) // 2
    at = int(np.flatnonzero(alone.x == band.x[middle])[0])
    assert band.high[middle] - band.low[middle] > 1.5 * (alone.high[at] - alone.low[at])
