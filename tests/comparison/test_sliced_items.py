"""Graded values in slices: every slice as it is alone, all items first, the order, marks, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.cli import app
from howsure.distributions.alike import deal_sums
from howsure.errors import BadLabels, BadSetting, HowsureError
from tests.tiers import spread

TOPICS = ("art", "law", "med", "sea", "sky")
OWN = ("slice", "overall", "marked", "verdict")  # what a row of a slice has and that of a slice alone has not


def grades(seed: int = 5, n: int = 90, low: str | None = None) -> pd.DataFrame:
    """Grades 1 to 5 of two systems in five topics of different sizes; in one the first may fail."""
    rng = np.random.default_rng(seed)
    topic = np.array(TOPICS)[np.minimum(rng.integers(0, 7, n), 4)]
    a, b = rng.integers(1, 6, n), rng.integers(1, 6, n)
    a = np.where(topic == low, 1 + (a > 4), a)
    return pd.DataFrame(
        {"id": [f"q{i:03}" for i in range(n)], "topic": topic, "a": a, "b": b, "w": rng.random(n) + 0.5}
    )


def melted(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each item and system."""
    return frame.melt(["id", "topic"], ["a", "b"], "model", "grade")


def told(row: dict[str, Any]) -> dict[str, Any]:
    """What a row of a slice shares with the row of the slice alone; the range is one for all slices."""
    sides = {side: told(row[side]) for side in ("first", "second") if side in row}
    return {k: x for k, x in row.items() if k not in OWN and k != "range"} | sides


def flat(x: Any) -> Any:
    """Numbers and texts of a row, by their places."""
    if isinstance(x, dict):
        return {f"{k}/{name}": v for k, y in x.items() for name, v in flat(y).items()}
    return {"": x}


def same(row: dict[str, Any], alone: dict[str, Any]) -> None:
    one, two = flat(told(row)), flat(told(alone))
    assert one.keys() == two.keys()
    for name, x in one.items():
        assert x == (pytest.approx(two[name], rel=1e-12, abs=1e-13) if isinstance(x, float) else two[name]), name


def few() -> pd.DataFrame:
    """Three topics."""
    frame = grades()
    return frame[frame.topic.isin(TOPICS[:3])]


def hold_alone(verb: Any, data: Any, topics: tuple[str, ...] = TOPICS[:3], **given: Any) -> None:
    """The rows of all items are those without slices, the rows of a slice those of its rows alone."""
    rows = verb(data, by="topic", **given).to_dict()["rows"]
    each = len(verb(data, **given).to_dict()["rows"])
    assert len(rows) == each * (1 + len(topics))
    seen = set()
    for k in range(0, len(rows), each):
        where = rows[k]["slice"]
        assert rows[k]["overall"] is (k == 0)
        assert (where is None) == (k == 0)
        seen.add(None if where is None else where["topic"])
        only = {} if where is None else {"where": f"topic={where['topic']}"}
        for row, alone in zip(rows[k : k + each], verb(data, **only, **given).to_dict()["rows"], strict=True):
            same(row, alone)
    assert seen == {None, *topics}


SETTINGS = {"nothing": {}, "bounds": {"bounds": (1, 5), "better": "lower"}, "weight": {"weight": "w"},
            "prior": {"prior": "none"}}  # fmt: skip


@pytest.mark.parametrize(("given", "verb"), spread(SETTINGS, ["score", "compare"], 2))
def test_a_slice_is_what_it_is_alone(given, verb):
    """Wide frames, with all settings of values."""
    hold_alone(getattr(hs, verb), few(), value=["a", "b"], **SETTINGS[given])


def test_long_frames_and_files(tmp_path):
    """A row for each item and system, in a frame and in a file."""
    long, path = melted(few()), tmp_path / "long.csv"
    long.to_csv(path, index=False)
    columns = {"value": "grade", "item": "id", "system": "model"}
    hold_alone(lambda data, **more: hs.compare(data, "a", "b", **more), pl.from_pandas(long), **columns)
    hold_alone(hs.score, str(path), **columns)


def test_every_way_in_finds_the_same(tmp_path):
    """Wide and long, frames, files of each system, and a database."""
    frame = few()
    wide, a, b = (tmp_path / f"{name}.csv" for name in ("wide", "a", "b"))
    frame.to_csv(wide, index=False)
    for name, path in (("a", a), ("b", b)):
        frame[["id", "topic", name]].rename(columns={name: "grade"}).to_csv(path, index=False)
    con = sqlite3.connect(":memory:")
    frame.to_sql("items", con, index=False)
    want = hs.compare(frame, value=["a", "b"], by="topic").to_dict()["rows"]
    found = [
        hs.compare(str(wide), value=["a", "b"], by="topic"),
        hs.compare({"a": str(a), "b": str(b)}, value="grade", on="id", by="topic"),
        hs.compare(con, table="items", value=["a", "b"], by="topic"),
        hs.compare(hs.graded(frame, value=["a", "b"], by="topic")),
        hs.compare(melted(frame), value="grade", item="id", system="model", by="topic"),
    ]
    for result in found:
        for row, other in zip(result.to_dict()["rows"], want, strict=True):
            assert row["slice"] == other["slice"]
            assert row["p_better"] == pytest.approx(other["p_better"], abs=1e-10)
            assert row["wins"] == pytest.approx(other["wins"])


def test_the_command(tmp_path, capsys):
    """score and compare by topic, wide and long, and the order asked for."""
    frame, wide, long = grades(low="sea"), tmp_path / "wide.csv", tmp_path / "long.csv"
    frame.to_csv(wide, index=False)
    melted(frame).to_csv(long, index=False)
    columns = [[str(wide), "--value", "a", "--value", "b"],
               [str(long), "--value", "grade", "--system", "model", "--on", "id"]]  # fmt: skip
    for line in columns:
        assert app.run(["score", *line, "--by", "topic", "--sort", "n", "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        sizes = [row["n"] for row in rows[2:]]
        assert sizes == sorted(sizes, reverse=True)
        assert app.run(["compare", *line, "--by", "topic"]) == 0
        shown = capsys.readouterr()
        assert not shown.err
        assert "all " in shown.out
        assert "sea *" in shown.out


def test_order_and_marks():
    """The topic in which the first fails comes first and is marked; a note tells how many look different."""
    result = hs.score(grades(low="sea", n=200), value="a", by="topic")
    rows = result.to_dict()["rows"]
    assert [row["overall"] for row in rows] == [True] + 5 * [False]
    assert rows[1]["slice"] == {"topic": "sea"}
    assert rows[1]["marked"] is True
    (alike,) = [n for n in result.notes if n.code == "slices-alike"]
    assert alike["slices"] == (5,)
    first = hs.compare(grades(low="sea", n=200), value=["a", "b"], by="topic").to_dict()["rows"][1]
    assert (first["slice"], first["marked"]) == ({"topic": "sea"}, True)


def test_several_columns_and_a_missing_topic():
    """Slices of two columns, and rows without a topic, which are a slice of their own."""
    frame = grades().assign(half=np.arange(90) % 2)
    rows = hs.score(frame, value="a", by=["topic", "half"]).to_dict()["rows"]
    assert len(rows) == 11
    assert sum(row["n"] for row in rows[1:]) == 90
    gone = frame.assign(topic=frame.topic.where(frame.topic != "sky"))
    rows = hs.score(gone, value="a", by="topic").to_dict()["rows"]
    same(
        next(r for r in rows[1:] if r["slice"]["topic"] is None),
        hs.score(frame, value="a", where="topic=sky").to_dict()["rows"][0],
    )


def test_values_that_are_missing():
    """They are refused, or dropped: the item is gone from its slice and from all."""
    frame = grades()
    frame["a"] = frame["a"].astype(float).where(frame.id != "q003")
    with pytest.raises(BadLabels, match=r"1 of 90 items has no value; give missing='drop'"):
        hs.score(frame, value="a", by="topic")
    found = hs.score(frame, value="a", by="topic", missing="drop").to_dict()
    assert found["data"]["n"] == 89
    assert sum(row["n"] for row in found["rows"][1:]) == 89
    kept = hs.score(frame[frame.id != "q003"], value="a", by="topic").to_dict()["rows"]
    assert [(row["n"], row["low"]) for row in kept] == [(row["n"], row["low"]) for row in found["rows"]]


def one_of_law(frame: pd.DataFrame) -> Any:
    """Weights by which one item of a slice is almost all of it."""
    return np.where((frame.topic != "law") | (frame.id == frame.id[frame.topic == "law"].iloc[0]), 1e3, 1.0)


@pytest.mark.parametrize(
    ("change", "given", "said"),
    [
        (
            {"topic": lambda f: f.topic.where(f.id != "q003", "one")},
            {},
            "1 slice has only one: 'one'; leave it out with where=, as in where='topic!=one'",
        ),
        (
            {"topic": lambda f: f.topic.where(f.id > "q001", f.id)},
            {},
            "2 slices have only one: 'q000', 'q001'; leave them out with where=",
        ),
        (
            {"a": lambda f: f.a.where(f.topic != "law", 3)},
            {},
            r"in the slice topic=law, all \d\d values of system are 3",
        ),
        (
            {"w": one_of_law},
            {"weight": "w"},
            "in the slice topic=law, the weights leave an effective size of 1.03 items",
        ),
        ({}, {"chance": True}, "chance= is for measures of classes"),
        ({}, {"metrics": "f1"}, "graded items have only a mean"),
    ],
)
def test_refusals(change, given, said):
    """In a sentence that names the slice."""
    frame = grades()
    with pytest.raises(HowsureError, match=said):
        hs.score(frame.assign(**{name: make(frame) for name, make in change.items()}), value="a", by="topic", **given)


def test_refused_verbs():
    """A leaderboard and classical tests are of all items; an item of a long file lies in one slice."""
    frame = grades()
    with pytest.raises(BadSetting, match="leave out by="):
        hs.leaderboard(frame, value=["a", "b"], by="topic")
    with pytest.raises(BadSetting, match="single table"):
        hs.compare(frame, value=["a", "b"], by="topic").tests()
    long = melted(frame)
    long.loc[0, "topic"] = "elsewhere"
    with pytest.raises(BadLabels, match="column 'topic' differs between the rows of item 'q000'"):
        hs.compare(long, value="grade", item="id", system="model", by="topic")


def test_values_that_are_all_the_same_with_bounds():
    """The slice has an interval from the prior on its bounds, and a note says so; so have equal systems."""
    frame = grades()
    frame["a"] = frame.a.where(frame.topic != "law", 3)
    report = hs.score(frame, value="a", by="topic", bounds=(1, 5))
    assert [n["count"] for n in report.notes if n.get("form") == "alike-slices"] == [1]
    frame["b"] = frame.b.where(frame.topic != "sea", frame.a)
    c = hs.compare(frame, value=["a", "b"], by="topic", bounds=(1, 5))
    assert [n["count"] for n in c.notes if n.code == "identical"] == [1]
    assert all(n.text for n in (*report.notes, *c.notes))
    frame = grades()
    frame["b"] = np.where(frame.topic == "art", frame.a + (frame.id > "q020"), frame.b)
    (note,) = [n for n in hs.compare(frame, value=["a", "b"], by="topic", prior="none").notes if n.code == "one-sided"]
    assert note.text.startswith("in 1 slice one system has the larger value")


def test_evidence_of_slices():
    """It is added slice by slice, picked, drawn from, and compared with slices of other items."""
    frame = grades()
    joint = hs.graded(frame, value=["a", "b"], by="topic")
    assert repr(joint) == "Sliced(90 items in 5 slices, 2 systems)"
    left, right = (hs.graded(x, value="a", by="topic") for x in (frame[:50], frame[50:]))
    whole = hs.score(hs.graded(frame, value="a", by="topic"), sort="name").to_dict()["rows"]
    for row, want in zip(hs.score(left + right, sort="name").to_dict()["rows"], whole, strict=True):
        assert (row["n"], row["low"]) == (want["n"], pytest.approx(want["low"], abs=1e-9))
    p = hs.posterior(joint)
    assert p.draws(7).shape == (7, 2, 5)
    x = p.system("a")["mean"].draws(4000, seed=3)
    assert x.mean(axis=0) == pytest.approx(p.system("a")["mean"].mean, abs=0.05)
    apart = hs.compare(left, hs.graded(frame[40:], value="a", by="topic"))
    alone = hs.compare(*(hs.graded(f[f.topic == "law"], value="a") for f in (frame[:50], frame[40:])))
    assert apart.p_better[1] == pytest.approx(alone.p_better, abs=apart.gap.error)


def test_wins_and_tests_count_items_and_not_values():
    """Rows that are alike are counted together; every one of them is an item."""
    frame = grades()
    c = hs.compare(frame, value=["a", "b"])
    assert tuple(map(int, c.wins.counts[:2])) == ((frame.a > frame.b).sum(), (frame.a < frame.b).sum())
    arrays = hs.compare(hs.graded({"a": frame.a, "b": frame.b}))
    assert c.wins.counts == arrays.wins.counts
    assert c.tests()["sign"] == pytest.approx(arrays.tests()["sign"])
    assert c.tests()["wilcoxon"] == pytest.approx(arrays.tests()["wilcoxon"])


@pytest.mark.parametrize("way", ["items", "few values", "many values", "weights"])
def test_dealt_parts_are_random_parts(way):
    """Their means and spreads are those of samples without replacement; by weights, with it."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(30 if way == "few values" else 300, 1))
    counts = rng.integers(1, 4, len(values)).astype(float) if "values" in way else None
    weights = rng.random(len(values)) + 0.2 if way == "weights" else None
    sizes = np.resize([7, 20], 20_000)
    sums = deal_sums(values, counts, weights, sizes, rng)[:, 0]
    share = np.ones(len(values)) if counts is None else counts
    share = (share if weights is None else weights) / (share if weights is None else weights).sum()
    mean = float(share @ values[:, 0])
    total = len(values) if counts is None else counts.sum()
    variance = float(share @ (values[:, 0] - mean) ** 2)
    for size in (7, 20):
        found = sums[sizes == size] / size
        left = 1.0 if weights is not None else (total - size) / (total - 1)
        assert found.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / size / 10_000))
        assert found.var() == pytest.approx(variance / size * left, rel=0.07)


def test_slices_are_drawn_from_streams_of_their_own():
    """The same values in two slices do not make the same draws."""
    frame = pd.DataFrame({"v": [1.0, 2, 3, 4, 5, 3] * 2, "g": ["a"] * 6 + ["b"] * 6})
    x = hs.posterior(hs.graded(frame, value="v", by="g"))["mean"].draws(4000, seed=1)
    assert abs(np.corrcoef(x.T)[0, 1]) < 0.06
