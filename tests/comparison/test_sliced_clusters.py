"""Slices of clusters: every slice as it is alone, all clusters as without slices, and clusters in several slices."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import HowsureError
from tests.comparison.test_sliced_items import same


def answers(seed: int = 3, questions: int = 24, samples: int = 4) -> pd.DataFrame:
    """Samples of questions; each question has a topic, and each sample a language; two systems and a grade each."""
    rng = np.random.default_rng(seed)
    q = np.repeat(np.arange(questions), samples)
    skill = rng.beta(3, 2, questions)[q]
    y = rng.integers(0, 2, q.size)
    right = {name: rng.random(q.size) < share for name, share in (("a", skill), ("b", 0.7 * skill))}
    return pd.DataFrame(
        {
            "id": [f"i{k}" for k in range(q.size)],
            "q": [f"q{k:02}" for k in q],
            "topic": np.array(["art", "law", "sea"])[q % 3],
            "lang": np.array(["de", "en"])[np.arange(q.size) % 2],
            "y": y,
            "w": rng.integers(1, 4, q.size),
            **{name: x.astype(int) for name, x in right.items()},
            **{f"p{name}": np.where(x, y, 1 - y) for name, x in right.items()},
            **{f"g{name}": np.round(0.5 * x + 0.5 * rng.random(q.size), 2) for name, x in right.items()},
        }
    )


FRAME = answers()
DATA: dict[str, dict[str, Any]] = {
    "rate": {"outcome": ["a", "b"]},
    "pass@k": {"outcome": ["a", "b"], "metric": "pass@2"},
    "F1": {"truth": "y", "pred": ["pa", "pb"], "metric": "f1"},
    "drawn": {"truth": "y", "pred": ["pa", "pb"], "metric": "phi", "tolerance": 0.2},
    "weights": {"outcome": ["a", "b"], "weight": "w"},
    "graded": {"value": ["ga", "gb"], "bounds": (0, 1)},
    "graded weights": {"value": ["ga", "gb"], "weight": "w"},
}


@pytest.mark.parametrize("verb", ["score", "compare"])
@pytest.mark.parametrize("by", ["topic", "lang"])  # clusters within slices, and across them
@pytest.mark.parametrize("kind", DATA)
def test_a_slice_is_what_it_is_alone(kind, by, verb):
    """The rows of a slice are those of its items alone, the first rows those of all items without slices."""
    call, given = getattr(hs, verb), DATA[kind]
    found = call(FRAME, by=by, cluster="q", **given).to_dict()["rows"]
    each = len(call(FRAME, cluster="q", **given).to_dict()["rows"])
    seen = []
    for k in range(0, len(found), each):
        where = found[k]["slice"]
        seen.append(None if where is None else where[by])
        only = {} if where is None else {"where": f"{by}={where[by]}"}
        alone = call(FRAME, cluster="q", **only, **given).to_dict()["rows"]
        for row, other in zip(found[k : k + each], alone, strict=True):
            same(row, other)
    assert seen[0] is None
    assert sorted(seen[1:]) == sorted(set(FRAME[by]))


def test_clusters_in_several_slices_are_told():
    """A note counts them; there is none where each cluster lies in one slice."""
    found = [hs.score(FRAME, outcome="a", by=by, cluster="q").notes for by in ("topic", "lang")]
    told = [[n for n in notes if n.code == "clusters-cross-slices"] for notes in found]
    assert not told[0]
    assert (told[1][0]["count"], told[1][0]["parts"]) == (24, 48)


@pytest.mark.parametrize(
    ("columns", "files"), [({"outcome": "right"}, False), ({"truth": "y", "pred": "p"}, True), ({"value": "g"}, False)]
)
def test_systems_matched_by_cluster(columns, files, tmp_path):
    """Rows of each system, in one frame or in a file each, with samples that are not paired: as one slice alone."""
    a = FRAME.rename(columns={"a": "right", "pa": "p", "ga": "g"}).assign(model="a")
    b = FRAME.rename(columns={"b": "right", "pb": "p", "gb": "g"}).assign(model="b").iloc[1:]
    long = pd.concat([x[["q", "topic", "y", "right", "p", "g", "model"]] for x in (a, b)])
    paths = {name: str(tmp_path / f"{name}.csv") for name in "ab"}
    for (name, path), x in zip(paths.items(), (a, b), strict=True):
        x.assign(model=name).to_csv(path, index=False)
    data: Any = paths if files else long
    given: dict[str, Any] = {"cluster": "q", "tolerance": 0.2, **columns, **({} if files else {"system": "model"})}
    found = hs.compare(data, by="topic", **given).to_dict()["rows"]
    assert len(found) == 4
    for row in found[::3]:
        only = {} if row["slice"] is None else {"where": f"topic={row['slice']['topic']}"}
        (alone,) = hs.compare(data, **only, **given).to_dict()["rows"]
        same(row, alone)


def test_a_cluster_that_a_system_lacks():
    """It is refused, or dropped from its slice and from all."""
    long = FRAME.melt(["q", "topic"], ["a", "b"], "model", "right")
    long = long[(long.q != "q01") | (long.model != "b")]
    given: dict[str, Any] = {"outcome": "right", "system": "model", "by": "topic", "cluster": "q"}
    with pytest.raises(HowsureError, match="1 cluster of 'q' is not in every system"):
        hs.compare(long, **given)
    rows = hs.compare(long, unmatched="drop", **given).to_dict()["rows"]
    assert {r["slice"] and r["slice"]["topic"]: r["n"] for r in rows} == {None: 92, "art": 32, "law": 28, "sea": 32}


@pytest.mark.parametrize("columns", [{"outcome": "a"}, {"value": "ga", "bounds": (0, 1)}])
def test_a_gate_in_a_slice_of_two_columns(columns):
    """A requirement in one column puts parts of a cluster that lie in several slices together again."""
    metric = "rate" if "outcome" in columns else "mean-ga"
    asked = [f"{metric} > 0.5 in topic=law, lang=en", f"{metric} > 0.5 in topic=law"]
    found = hs.gate(FRAME, asked, cluster="q", **columns).to_dict()["rows"]
    for row, where in zip(found, (["topic=law", "lang=en"], ["topic=law"]), strict=True):
        (alone,) = hs.score(FRAME, cluster="q", where=where, **columns).to_dict()["rows"]
        assert row["low"] == pytest.approx(alone["low"], rel=1e-12)
        assert row["high"] == pytest.approx(alone["high"], rel=1e-12)


def test_marks_deal_whole_clusters():
    """Slices of clusters that are wholly right or wrong look different by chance as often as clusters allow."""
    q = np.repeat(np.arange(60), 20)
    frame = pd.DataFrame({"q": q, "topic": q % 6, "ok": np.random.default_rng(2).integers(0, 2, 60)[q]})
    by_item, by_cluster = (hs.score(frame, outcome="ok", by="topic", **more).notes for more in ({}, {"cluster": "q"}))
    looks = [next(n for n in notes if n.code == "slices-alike")["found"][0] for notes in (by_item, by_cluster)]
    assert looks[0] >= 3
    assert looks[1] <= 1


def test_shards_add_up():
    """Tallies of two shards that hold parts of the same clusters and slices are the tally of all rows."""
    given: dict[str, Any] = {"outcome": "a", "by": "lang", "cluster": "q"}
    whole, parts = hs.tally(FRAME, **given), [hs.tally(FRAME.iloc[k::3], **given) for k in range(3)]
    want, found = (hs.score(x).to_dict()["rows"] for x in (whole, sum(parts)))
    for row, other in zip(found, want, strict=True):
        same(row, other)


@pytest.mark.parametrize(
    ("columns", "more", "said"),
    [
        ({"outcome": "a"}, {}, "whole clusters needs two or more, and 1 slice has only one: 'one'; leave it out with"),
        ({"value": "ga"}, {}, "whole clusters needs two or more, and 1 slice has only one: 'one'; leave it out with"),
        ({"outcome": "a"}, {"metric": "pass@9"}, "pass@9 needs 9 samples of every question"),
        ({"outcome": "a"}, {"metric": "f1"}, "f1"),
        ({"outcome": "a"}, {"shrink": True}, "clusters are resampled whole"),
        ({"outcome": "a"}, {"prevalence": 0.1}, "prevalence= needs truths and answers of classes"),
    ],
)
def test_refusals(columns, more, said):
    """In a sentence."""
    frame = FRAME.assign(topic=FRAME.topic.where(FRAME.q != "q00", "one"))
    data = frame if not more else FRAME
    with pytest.raises(HowsureError, match=re.escape(said)):
        hs.score(data, by="topic", cluster="q", **columns, **more)


def test_a_plan_is_of_one_slice():
    """It is refused with what to leave out."""
    pilot = hs.tally(FRAME, outcome="a", by="topic", cluster="q")
    with pytest.raises(HowsureError, match=r"a plan is for one table: leave out by=, or take one slice with where="):
        hs.plan(metric="rate", pilot=pilot, width=0.1)


def test_future_clusters_of_every_slice():
    """A forecast of the next clusters has a row for each slice: that of the slice alone."""
    found = hs.forecast(hs.tally(FRAME, outcome="a", by="topic", cluster="q"), n=10).to_dict()["rows"]
    assert [row["slice"]["topic"] for row in found] == ["art", "law", "sea"]
    alone = hs.forecast(hs.tally(FRAME, outcome="a", where="topic=law", cluster="q"), n=10).to_dict()["rows"]
    assert found[1]["mean"] == pytest.approx(alone[0]["mean"], abs=0.01)
