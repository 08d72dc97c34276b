"""Scores in files: every format gives the curve of the arrays, and bins keep within their bounds."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure as hs
from howsure.catalogue import retrieval
from howsure.cli import app
from howsure.errors import HowsureError
from howsure.evidence.scored import Scored
from howsure.io import scored as binning
from howsure.io.groups import NUMPY, Key, made
from howsure.posteriors.score_samples import score_draws
from tests.ranking.test_ranked import cuts, scored
from tests.refusals import one_sentence
from tests.tiers import examples

NAMES = ["auc", "AP", "BEP", "AP11", "AP11(rule='trec_eval-9')", "AP11(rule='trec_eval-10')", "max-f1",
         "max-informedness",
         "min-error-rate", "precision@recall=0.9", "recall@fallout=0.1", "f1@0.3", "phi@0.3", "max-phi"]  # fmt: skip


def frame(n=600, seed=0):
    d = scored(n, seed, digits=9, systems=2)
    p, q = (1 / (1 + np.exp(-d.scores[:, k])) for k in (0, 1))
    weight = 1 + np.arange(n) % 4
    return pd.DataFrame(
        {"y": np.where(d.truth, "spam", "ham"), "p": p, "q": q.round(2), "w": weight, "set": weight % 2}
    )


FRAME = frame()


def written(folder, kind, data=FRAME):
    path = folder / f"preds.{kind}"
    if kind.startswith("csv"):
        data.to_csv(path, index=False)
    elif kind == "parquet":
        data.to_parquet(path)
    else:
        data.to_json(path, orient="records", lines=True, double_precision=15)
    return path


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "jsonl"])
def test_files_are_frames(tmp_path, kind):
    """A file of any format gives the numbers of the frame it was written from: points, bands and draws."""
    path = written(tmp_path, kind)
    made = hs.curve(path, truth="y", score="p", positive="spam", tolerance=0.2)
    own = pd.read_json(path, lines=True, precise_float=True) if kind == "jsonl" else FRAME
    expected = hs.curve(own, truth="y", score="p", positive="spam", tolerance=0.2)
    assert made.thresholds.tolist() == expected.thresholds.tolist()
    assert made.band("f1").low.tolist() == expected.band("f1").low.tolist()
    assert made["AP"].interval() == expected["AP"].interval()


def test_shards_weights_and_two_systems(tmp_path):
    """Two shards are one data set; weights are added up by score; systems are paired row by row."""
    paths = [tmp_path / "a.parquet", tmp_path / "b.csv"]
    FRAME[:200].to_parquet(paths[0])
    FRAME[200:].to_csv(paths[1], index=False)
    made = hs.curve(paths, truth="y", score=["p", "q"], weight="w", positive="spam")
    whole = hs.curve(FRAME, truth="y", score=["p", "q"], weight="w", positive="spam")
    assert made.systems == ("p", "q")
    assert made.items.n == FRAME.w.sum()
    assert made.items.squares.sum() == pytest.approx(float((FRAME.w**2).sum()))
    for name in ("p", "q"):
        a, b = made.system(name), whole.system(name)
        assert float(a.posterior.point("AP")) == pytest.approx(float(b.posterior.point("AP")), abs=1e-12)
        np.testing.assert_allclose(a.band("recall").low, b.band("recall").low, rtol=0, atol=1e-12)
    one, two = (hs.compare(x, "p", "q", tolerance=0.1) for x in (made, whole))
    assert one.p_better == pytest.approx(two.p_better, abs=0.02)


def test_equal_scores_are_counted_in_the_engine(tmp_path):
    """A score of two decimals has a hundred rows, whatever the number of items."""
    made = hs.curve(written(tmp_path, "parquet"), truth="y", score="q", positive="spam")
    assert made.items.rows <= 202
    assert made.items.n == len(FRAME)
    assert made.items.bins == 0


@st.composite
def binned(draw):
    """Scored items, and the same with scores put together into a few bins, the first positive item's score an edge."""
    n = draw(st.integers(4, 60))
    truth = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda x: 0 < sum(x) < len(x))))
    scores = np.array(draw(st.lists(st.sampled_from(np.arange(30) / 30), min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 1.0, 0.5, 3.0]), min_size=n, max_size=n)))
    if draw(st.booleans()):
        weights = np.ones(n)
    edges = np.unique(np.append(draw(st.lists(st.sampled_from(np.arange(30) / 30), max_size=6)), scores.min()))
    edges = np.unique(np.append(edges[edges >= scores.min()], scores[truth].max()))
    return truth, scores, edges[np.searchsorted(edges, scores, side="right") - 1], weights


@given(binned())
@examples(50, 150)
def test_bins_keep_within_their_bounds(data):
    """Whatever the order within the bins, each measure differs by no more than its bound says."""
    truth, scores, put, weights = data
    fine, coarse = cuts(truth, scores, weights), cuts(truth, put, weights)
    for name in NAMES:
        m = retrieval.parse(name)
        assert m.bound is not None
        gap = abs(float(m.evaluate(fine)[0]) - float(m.evaluate(coarse)[0]))
        if not np.isnan(gap):
            assert gap <= float(m.bound(coarse)[0]) + 1e-12, name


def test_a_bound_that_is_reached():
    """All positive items first within one bin: AUC is off by all that its bound allows."""
    truth = np.array([True, True, False, False])
    fine, coarse = cuts(truth, [4.0, 3, 2, 1]), cuts(truth, [1.0, 1, 1, 1])
    m = retrieval.parse("auc")
    assert float(m.evaluate(fine)[0] - m.evaluate(coarse)[0]) == pytest.approx(float(m.bound(coarse)[0]))


def test_a_hundredth_is_the_number_nearest_to_its_decimals():
    """0.29 * 100 is below 29: whole hundredths are themselves, and what lies next to them is on its side."""
    whole = np.arange(-200, 201)
    for x, wanted in ((whole / 100, whole), (np.nextafter(whole / 100, -9.0), whole - 1)):
        assert made(Key("edge", "p", "hundredths"), x, NUMPY).tolist() == wanted.tolist()


def test_too_many_scores_are_binned(tmp_path, monkeypatch):
    """Past the limit bins take over by themselves; edges are stated, and measures say how far they can be off."""
    monkeypatch.setattr(binning, "MOST", 300)
    monkeypatch.setattr(binning, "BINS", 450)
    path = written(tmp_path, "parquet")
    made = hs.curve(path, truth="y", score="p", positive="spam", tolerance=0.2)
    exact = hs.curve(FRAME.y, FRAME.p, positive="spam", tolerance=0.2)  # arrays are taken as they are
    assert 100 < made.items.bins <= 450
    assert "with edges from" in made.items.notes[0].text
    assert any("bins of scores" in note.text for note in made.notes)
    for name in ("auc", "AP", "BEP", "AP11"):
        m = retrieval.parse(name)
        gap = abs(float(made.posterior.point(name)) - float(exact.posterior.point(name)))
        assert gap <= float(m.bound(score_draws(made.posterior).point_cuts[0])[0]) + 1e-12
        assert gap < 0.01
    assert float(made.posterior.point("f1@0.37")) == float(exact.posterior.point("f1@0.37"))  # hundredths are edges
    again = hs.curve(path, truth="y", score="p", positive="spam", tolerance=0.2)
    assert np.array_equal(again.thresholds, made.thresholds)
    two = hs.curve(path, truth="y", score=["p", "q"], positive="spam", tolerance=0.2)
    assert two.items.n == len(FRAME)
    assert two.items.bins > 0


def run(capsys, *arguments):
    code = app.run([str(x) for x in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_the_command(tmp_path, capsys):
    """howsure curve prints the summary in every format, for one score and for several."""
    data = FRAME[:60]
    path = written(tmp_path, "parquet", data)
    base = ("curve", path, "--truth", "y", "--score", "p", "--positive", "spam", "--tolerance", "0.2")
    code, out, _ = run(capsys, *base, "--score", "q", "--metric", "auc", "--metric", "AP11(rule='trec_eval-9')")
    assert code == 0
    assert "which is better on auc: P(" in out
    assert "rule='trec_eval-9'" in out
    for kind in ("markdown", "latex", "csv", "html"):
        code, out, _ = run(capsys, *base, "--metric", "f1@0.5", "--format", kind)
        assert code == 0
        assert "f1@0.5" in out
    code, out, _ = run(capsys, *base, "--metric", "f1@0.5", "--format", "json", "--where", "set=1", "--weight", "w")
    document = json.loads(out)
    assert document["schema"] == "howsure.curve/1"
    assert document["data"]["n"] == int(data.w[data.set == 1].sum())
    assert document["rows"][0]["route"] == "quadrature"  # tp, fp and fn have scales of their own
    code, out, _ = run(capsys, *base, "--band", "recall", "--format", "csv")
    assert out.count("\n") == len(data) + 1
    code, out, _ = run(capsys, *base, "--bins", "50", "--metric", "auc")
    assert "is computed from 49 bins of scores" in out


BAD = {
    "no such column": (("--truth", "z", "--score", "p"), "no column named 'z'"),
    "text for scores": (("--truth", "y", "--score", "y"), "column 'y' holds"),
    "no positive class": (("--truth", "y", "--score", "p"), "name it with --positive"),
    "twice": (("--truth", "y", "--score", "p", "--score", "p"), "twice"),
    "too few bins": (("--truth", "y", "--score", "p", "--bins", "1"), "--bins"),
    "names": (("--truth", "y", "--score", "p", "--name", "a", "--name", "b"), "--name"),
    "simultaneous": (("--truth", "y", "--score", "p", "--simultaneous"), "--band"),
    "one class": (("--truth", "y", "--score", "p", "--positive", "spam", "--where", "y=spam"), "both classes"),
    "nothing left": (
        ("--truth", "y", "--score", "p", "--positive", "spam", "--where", "w=99"),
        "no row is left of 600",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(tmp_path, capsys, name):
    """Exit code 2 and one line on standard error."""
    options, said = BAD[name]
    code, out, err = run(capsys, "curve", written(tmp_path, "parquet"), *options)
    assert (code, out) == (2, "")
    assert said in err
    assert one_sentence(err)


@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"bins": 9}])
def test_files_without_rows_are_refused(tmp_path, more):
    """A head and nothing below it has no items, weighted, binned or not."""
    with pytest.raises(HowsureError, match="no items"):
        hs.curve(written(tmp_path, "csv", FRAME[:0]), truth="y", score="p", positive="spam", **more)


def test_bins_end_at_a_positive_item_that_counts(tmp_path):
    """A positive item that is left out, above all others, takes no edge: 11-point precision keeps within its bound."""
    rng = np.random.default_rng(4)
    y = rng.random(4_000) < 0.3
    data = pd.DataFrame({"y": y.astype(int), "p": rng.normal(size=4_000) + y, "q": rng.normal(size=4_000) + y})
    data.loc[data[data.y == 1].p.idxmax(), "q"] = np.nan
    data.loc[data[data.y == 1].nlargest(2, "p").index[1], "y"] = 0
    path = written(tmp_path, "parquet", data)
    kept = data.dropna()
    made = hs.curve(path, truth="y", score=["p", "q"], missing="drop", bins=20).system("p").posterior
    exact = float(hs.curve(kept.y.to_numpy(), kept.p.to_numpy()).posterior.point("AP11"))
    m = retrieval.parse("AP11")
    assert abs(float(made.point(m)) - exact) <= float(m.bound(score_draws(made).point_cuts[0])[0]) + 1e-12
    first = kept[kept.y == 1].p.max()
    assert first in made.evidence.orders[0].thresholds


def test_true_and_false_are_scores_in_files_too(tmp_path):
    """A column of booleans is 0 and 1, as in memory."""
    data = FRAME.assign(b=FRAME.p > FRAME.p.median())
    found = hs.curve(written(tmp_path, "parquet", data), truth="y", score="b", positive="spam")
    inside = hs.curve(data, truth="y", score="b", positive="spam")
    assert found.tally.counts.tolist() == inside.tally.counts.tolist()


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_missing_and_infinite_scores(tmp_path, value):
    """A missing or NaN score is refused, or dropped when asked; an infinite one is refused."""
    data = FRAME.copy()
    data.loc[3, "p"] = value
    path = written(tmp_path, "parquet", data)
    with pytest.raises(HowsureError, match="finite" if value == float("inf") else "1 of 600 rows"):
        hs.curve(path, truth="y", score="p", positive="spam")
    if value != float("inf"):
        made = hs.curve(path, truth="y", score="p", positive="spam", missing="drop")
        assert made.items.n == 599
        assert isinstance(made.items, Scored)
