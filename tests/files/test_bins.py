"""Scores in bins: every edge is a cut of the items, whatever the scores look like and whichever engine counts them."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pytest

from howsure.errors import BadLabels, HowsureError
from howsure.io import scored
from howsure.io.entrance import evidence
from howsure.io.groups import NUMPY, Key, made
from tests.tiers import spread

N = 6_000
RNG = np.random.default_rng(11)
Y = RNG.random(N) < 0.3
SHAPES = {
    "even": RNG.random(N),
    "bell": RNG.normal(size=N) + Y,
    "thirty decades": np.exp(-70 * RNG.random(N)),
    "both ends": 1 / (1 + np.exp(-9 * RNG.normal(size=N))),
    "atoms": np.where(RNG.random(N) < 0.6, 0.5, RNG.random(N)),
    "hundredths": RNG.integers(0, 101, N) / 100,
    "far away": 1e15 + RNG.integers(0, 9_000, N),
    "one far above": np.append(RNG.random(N - 1), 1e200),
    "tiny": 1e-290 * RNG.integers(0, 4_000, N),
    "negative": -np.exp(20 * RNG.random(N)),
}


def frame(scores, other=None):
    return pl.DataFrame({"y": Y.astype(int), "s": scores, "t": SHAPES["bell"] if other is None else other,
                         "w": 1 + np.arange(N) % 3, "g": np.arange(N) % 40})  # fmt: skip


def lazily(data, folder):
    return data.lazy()


def parquet(data, folder):
    data.write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def relation(data, folder):
    return duckdb.from_arrow(data.to_arrow())


def check(found, scores, i=0, weight=1.0):
    """Above every score that a bin stands at lie as many items of each class, by weight, as before."""
    own = found.scores[:, i]
    for cut in np.unique(own):
        for truth in (True, False):
            before = (np.ones(N) * weight)[(scores >= cut) & (truth == Y)].sum()
            assert found.amounts[(own >= cut) & (found.truth == truth)].sum() == before


def eagerly(data, folder):
    return data


HOLDS = {"file": parquet, "lazy": lazily, "relation": relation, "eager": eagerly}


@pytest.mark.parametrize(("shape", "hold"), spread(SHAPES, HOLDS))
def test_every_edge_is_a_cut_of_the_items(shape, hold, tmp_path):
    """At every edge the counts are those of the scores themselves; the highest positive score is one."""
    scores = SHAPES[shape]
    found = evidence(HOLDS[hold](frame(scores), tmp_path), truth="y", score="s", bins=60)
    assert 1 < found.bins <= 60
    assert len(np.unique(found.scores)) == found.bins
    check(found, scores)
    assert scores[Y].max() in found.scores
    assert found.notes[-1].code == "binned"
    share = np.array([found.amounts[found.scores[:, 0] == x].sum() for x in np.unique(found.scores)]) / N
    alone = np.max(np.unique(scores, return_counts=True)[1]) / N
    assert share.max() < max(0.06, 1.1 * alone + 0.03)  # no bin holds far more than its share, but for equal scores


@pytest.mark.parametrize("shape", ["even", "both ends", "hundredths", "atoms"])
@pytest.mark.parametrize("hold", [parquet, lazily], ids=["file", "lazy"])
def test_the_hundredths_are_edges(shape, hold, tmp_path):
    """Between 0 and 1 every hundredth cuts the items as before, where there is room."""
    scores = SHAPES[shape]
    found = evidence(hold(frame(scores), tmp_path), truth="y", score="s", bins=500)
    assert found.bins <= 500
    check(found, scores)
    for cut in np.arange(101) / 100:
        assert found.amounts[found.scores[:, 0] >= cut].sum() == (scores >= cut).sum()


def test_hundredths_are_told_exactly():
    """A score of k/100 reaches k hundredths, the number below it does not."""
    points = np.arange(101) / 100
    below = np.nextafter(points[1:], 0)
    key = Key("h", "x", "hundredths")
    assert made(key, points, NUMPY).tolist() == list(range(101))
    assert made(key, below, NUMPY).tolist() == list(range(100))


def test_weights_clusters_and_two_scores(tmp_path):
    """Sums of weights at every edge, by each of two scores; clusters keep their items apart."""
    other = SHAPES["both ends"]
    data = frame(SHAPES["bell"], other)
    path = parquet(data, tmp_path)
    found = evidence(path, truth="y", score=["s", "t"], weight="w", bins=40)
    check(found, SHAPES["bell"], 0, data["w"].to_numpy())
    check(found, other, 1, data["w"].to_numpy())
    assert found.bins <= 40
    assert found.squares.sum() == (data["w"].to_numpy() ** 2).sum()
    assert evidence(data, truth="y", score=["s", "t"], weight="w", bins=40).scores.shape == found.scores.shape
    apart = evidence(path, truth="y", score="s", cluster="g", bins=40)
    assert apart.clustered == 40
    check(apart, SHAPES["bell"])
    sizes = [apart.amounts[apart.clusters == k].sum() for k in range(40)]
    assert sizes == [N / 40] * 40


@pytest.mark.parametrize("hold", [parquet, lazily, eagerly])
def test_bins_take_over_when_scores_are_too_many(hold, tmp_path, monkeypatch):
    """Past the limit of distinct scores, by themselves; below it every score is kept."""
    exact = evidence(hold(frame(SHAPES["even"]), tmp_path), truth="y", score="s")
    assert (exact.bins, exact.rows, exact.counts) == (0, N, None)
    monkeypatch.setattr(scored, "MOST", 300)
    monkeypatch.setattr(scored, "BINS", 450)
    found = evidence(hold(frame(SHAPES["even"]), tmp_path), truth="y", score="s")
    assert 400 < found.bins <= 450
    check(found, SHAPES["even"])
    few = evidence(hold(frame(SHAPES["hundredths"]), tmp_path), truth="y", score="s")
    assert (few.bins, few.rows) == (0, 202)


def test_rows_that_do_not_count_take_no_edge(tmp_path):
    """A positive item that is left out, or weighs nothing, above all others, is no edge."""
    scores = SHAPES["bell"].copy()
    first, second = np.flatnonzero(Y)[np.argsort(scores[Y])[::-1][:2]]
    data = frame(scores).with_columns(
        t=pl.when(pl.int_range(N) == first).then(None).otherwise("t"),
        w=pl.when(pl.int_range(N) == second).then(0).otherwise("w"),
    )
    found = evidence(parquet(data, tmp_path), truth="y", score=["s", "t"], weight="w", missing="drop", bins=20)
    kept = np.delete(np.arange(N), [first, second])
    top = scores[kept][Y[kept]].max()
    assert top in found.scores[:, 0]
    assert found.scores[:, 0].max() < scores[first] or scores[~Y].max() > scores[first]
    assert found.notes[0]["count"] == data["w"][int(first)]


def test_scores_that_are_no_numbers(tmp_path):
    """Infinite ones are refused, missing ones refused or dropped, in bins too; so is a range beyond floating point."""
    for bad, said in ((np.inf, "finite"), (np.nan, "1 of 6,000 rows has a score that is missing or NaN")):
        scores = SHAPES["even"].copy()
        scores[7] = bad
        for bins in (None, 30):
            with pytest.raises(BadLabels, match=said):
                evidence(parquet(frame(scores), tmp_path), truth="y", score="s", bins=bins)
    assert evidence(parquet(frame(scores), tmp_path), truth="y", score="s", bins=30, missing="drop").n == N - 1
    scores[:2] = -1.7e308, 1.7e308
    with pytest.raises(BadLabels, match="beyond floating point"):
        evidence(parquet(frame(scores), tmp_path), truth="y", score="s", bins=30, missing="drop")
    (tmp_path / "a.csv").write_text("y,s\n1,0.5\n0,high\n")
    with pytest.raises(BadLabels, match="column 's' holds 'high', which is not a number"):
        evidence(tmp_path / "a.csv", truth="y", score="s")
    (tmp_path / "a.csv").write_text("y,s\n1,0.5\n1,0.7\n")
    with pytest.raises(HowsureError, match="both classes"):
        evidence(tmp_path / "a.csv", truth="y", score="s", bins=3)
    (tmp_path / "a.csv").write_text("y,s\n")
    with pytest.raises(HowsureError, match="no items"):
        evidence(tmp_path / "a.csv", truth="y", score="s", bins=3)
