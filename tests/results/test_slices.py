"""Slices in a report: all items first, their order, those that stand out, what a page hides, and files of columns."""

from __future__ import annotations

import json
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli import app
from howsure.distributions.alike import deal, discoveries
from howsure.errors import BadFile, UnknownName
from howsure.evidence.slices import Slices


def frame(groups: int, each: int = 20, seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    n = groups * each
    group = np.repeat(np.arange(groups), each)
    truth = rng.integers(0, 2, n)
    skill = np.repeat(rng.uniform(0.5, 1.0, groups), each)
    answer = np.where(rng.random(n) < skill, truth, 1 - truth)
    return pl.DataFrame({"group": [f"g{i:04}" for i in group], "y": truth, "z": answer})


def report(groups: int = 30, **settings):
    t = hs.tally(frame(groups), truth="y", pred="z", by="group")
    return hs.score(t, metrics=["f1"], **settings)


def slices(result) -> list[dict]:
    """The rows of slices, without those of all items."""
    return [row for row in result.to_dict()["rows"] if not row["overall"]]


def test_slices_go_from_surely_worse_to_surely_better():
    """The order is that of P(slice worse than all others), computed exactly pair by pair."""
    r = report(12)
    shown = [row["slice"]["group"] for row in slices(r)]
    data = frame(12)
    exact = {}
    for name in shown:
        one, rest = (hs.tally(x, truth="y", pred="z") for x in (
            data.filter(pl.col("group") == name), data.filter(pl.col("group") != name)))  # fmt: skip
        exact[name] = hs.compare(one, rest, metric="f1").p_worse
    places = [sorted(exact, key=lambda x: -exact[x]).index(name) for name in shown]
    assert np.abs(np.array(places) - np.arange(12)).max() <= 1
    assert exact[shown[0]] > 0.9
    assert exact[shown[-1]] < 0.1


def test_a_measure_where_less_is_better_turns_the_order():
    """The worst fallout is the highest."""
    t = hs.tally(frame(30), truth="y", pred="z", by="group")
    means = [row["mean"] for row in slices(hs.score(t, metrics=["fallout"]))]
    assert np.mean(means[:5]) > np.mean(means[-5:])


@pytest.mark.parametrize("sort", ["name", "n", "score", "better"])
def test_other_orders(sort):
    """By name, by size, by score, and the best first."""
    rows = slices(report(sort=sort))
    if sort == "name":
        assert [r["slice"]["group"] for r in rows] == sorted(r["slice"]["group"] for r in rows)
    if sort == "n":
        assert [r["n"] for r in rows] == sorted((r["n"] for r in rows), reverse=True)
    if sort == "score":
        assert [r["score"] for r in rows] == sorted(r["score"] for r in rows)
    if sort == "better":
        assert rows[0]["mean"] > rows[-1]["mean"]


def test_an_unknown_order():
    """The nearest one is suggested."""
    with pytest.raises(UnknownName, match="Did you mean 'worse'"):
        report(sort="worst")


def test_a_page_shows_both_ends_and_says_how_many_are_hidden():
    """Of 2,000 slices the table shows ten at either end; JSON and CSV hold all of them."""
    r = report(2000)
    lines = str(r).splitlines()
    assert any("… 1,980 more …" in line for line in lines)
    assert len(lines) < 40
    rows = slices(r)
    assert len(rows) == 2000
    assert rows[0]["slice"]["group"] in str(r)
    assert rows[-1]["slice"]["group"] in str(r)
    assert rows[500]["slice"]["group"] not in str(r)
    assert r.to_csv().count("\n") == 2002
    assert "… 1,980 more …" in r.to_markdown()


def test_a_page_of_two_measures_and_two_systems():
    """The rows of a slice stand together, all items first, and what is hidden is told once."""
    data = frame(100).with_columns(w=pl.col("z").reverse())
    r = hs.score(hs.tally(data, truth="y", pred=["z", "w"], by="group"), metrics=["f1", "recall"])
    assert str(r).count("… 80 more …") == 1
    shown = [(x["slice"], x["system"], x["asked"]) for x in r.page()["rows"]]
    each = [(system, metric) for system in ("z", "w") for metric in ("f1", "recall")]
    assert len(shown) == 4 * 21
    assert [x[1:] for x in shown] == each * 21
    assert [x[0] for x in shown[:4]] == [None] * 4
    assert all(len({str(x[0]) for x in shown[k : k + 4]}) == 1 for k in range(0, 84, 4))


def test_classes_in_slices():
    """The table of many classes has slices too."""
    data = frame(60).with_columns(pl.col("y", "z") + pl.int_range(pl.len()) % 2)
    t = hs.tally(data, truth="y", pred="z", by="group")
    assert str(hs.score(t, metrics=["f1:1", "accuracy"])).count("… 40 more …") == 1
    few = hs.tally(data[:60], truth="y", pred="z", by="group")
    rows = slices(hs.score(few, metrics=["recall:1", "f1:1"]))
    recall = [row for row in rows if row["metric"] == "recall:1"]
    assert len(recall) == 3
    assert recall[0]["mean"] <= recall[-1]["mean"]


def test_flat_names_for_trackers():
    """f1, f1_low, f1_high; a slash for a class, a system or a slice."""
    t = hs.tally(["ham", "spam", "spam", "ham"], ["ham", "spam", "ham", "ham"])
    flat = hs.score(t, metrics=["f1:spam", "accuracy"]).to_metrics()
    assert set(flat) == {f"{m}{end}" for m in ("f1/spam", "accuracy") for end in ("", "_low", "_high")}
    assert flat["accuracy"] == 0.75
    assert flat["f1/spam_low"] < flat["f1/spam"] < flat["f1/spam_high"]
    two = hs.score(hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]}), metrics=["f1"]).to_metrics()
    assert "a/f1_low" in two
    assert "f1/group=g0001_high" in report(3).to_metrics()


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_columns_are_written(tmp_path, name):
    """One line a slice with the numbers of the report."""
    r = report(40)
    r.write(tmp_path / name)
    got = pl.read_parquet(tmp_path / name) if name.endswith("parquet") else pl.read_csv(tmp_path / name)
    assert got.columns == ["group", "metric", "n", "score", "mean", "low", "high"]
    want = {row["slice"]["group"]: row for row in slices(r)}
    for row in got.to_dicts():
        for key in ("n", "score", "mean", "low", "high"):
            assert row[key] == pytest.approx(want[row["group"]][key])
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_columns_are_written_whole_or_not_at_all(tmp_path):
    """A folder that is not there: one sentence, no file."""
    with pytest.raises(BadFile, match="cannot write"):
        report(3).write(tmp_path / "no" / "out.parquet")


def test_the_command_sorts_and_writes_parquet(tmp_path, capsys):
    """--sort, --format json, and --out with a Parquet name."""
    path = tmp_path / "a.csv"
    frame(60).write_csv(path)
    line = ["score", str(path), "--truth", "y", "--pred", "z", "--by", "group", "--metric", "f1"]
    assert app.run([*line, "--sort", "name", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [r["slice"] and r["slice"]["group"] for r in rows] == [None, *(f"g{i:04}" for i in range(60))]
    assert app.run(line) == 0
    assert "… 40 more …" in capsys.readouterr().out
    assert app.run([*line, "--out", str(tmp_path / "o.parquet")]) == 0
    assert duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/o.parquet'").fetchall() == [(60,)]
    assert app.run([*line, "--format", "parquet"]) == 2
    assert "--out" in capsys.readouterr().err


def test_large_batches_have_the_numbers_of_small_ones():
    """Tables that repeat, and tables dealt out to threads, give the very same numbers."""
    rng = np.random.default_rng(5)
    for top in (12, 100_000):
        cells = {c: rng.integers(0, top, 120_000) for c in ("tp", "fp", "fn", "tn")}
        big = hs.posterior(hs.Tally.binary(**cells))["f1"]
        some = rng.integers(0, 120_000, 500)
        small = hs.posterior(hs.Tally.binary(**{c: x[some] for c, x in cells.items()}))["f1"]
        assert np.array_equal(np.asarray(big.mean)[some], small.mean)
        for x, y in zip(big.interval(), small.interval(), strict=True):
            assert np.array_equal(x[some], y)
        if top == 12:
            assert np.allclose(np.asarray(big.std)[some], small.std, rtol=1e-12)


# -- all items


def test_all_items_come_first():
    """The first row of each measure and system is that of the items themselves, not the mean of the slices."""
    data = frame(8).with_columns(w=pl.col("z").reverse())[:-17]
    asked = {"truth": "y", "pred": ["z", "w"], "metrics": ["f1", "kappa"], "tolerance": 0.2}
    rows = hs.score(data, by="group", **asked).to_dict()["rows"]
    whole = hs.score(data, **asked).to_dict()["rows"]
    for row, want in zip(rows[:4], whole, strict=True):
        assert row["overall"] is True
        assert row["slice"] is None
        assert {k: row[k] for k in ("asked", "system", "n", "score")} == {
            k: want[k] for k in ("asked", "system", "n", "score")
        }
        assert row["low"] == pytest.approx(want["low"], abs=1e-12)
    assert sum(row["n"] for row in rows[4::4]) == rows[0]["n"]


def test_a_slice_called_all_is_not_all_items():
    """In the table, in JSON and in CSV; and a missing name of a slice is neither."""
    data = frame(3).with_columns(pl.col("group").replace({"g0000": "all", "g0001": None}))
    r = hs.score(data, truth="y", pred="z", by="group", metrics="f1", sort="name")
    assert [(row["overall"], row["slice"]) for row in r.to_dict()["rows"]] == [
        (True, None), (False, {"group": "all"}), (False, {"group": "g0002"}), (False, {"group": None})
    ]  # fmt: skip
    shown = [line.split()[0] for line in str(r).splitlines()[4:8]]
    assert shown == ["all", "group=all", "group=g0002", "group=(missing)"]
    table = pl.read_csv(r.to_csv().encode())
    assert table["overall"].to_list() == [True, False, False, False]


def test_weighted_slices_have_all_items_too():
    """Sums of weights and of their squares: the interval of the whole."""
    data = frame(6).with_columns(weight=1.0 + pl.int_range(pl.len()) % 3)
    keywords = {"truth": "y", "pred": "z", "weight": "weight", "metrics": "f1"}
    one = hs.score(data, by="group", **keywords).to_dict()["rows"][0]
    want = hs.score(data, **keywords).to_dict()["rows"][0]
    assert (one["n"], one["score"]) == (want["n"], want["score"])
    assert (one["low"], one["high"]) == pytest.approx((want["low"], want["high"]), abs=1e-9)


def test_thresholds_of_slices():
    """All items have a row for each threshold; arrays of counts are no slices of one thing."""
    rng = np.random.default_rng(2)
    data = pl.DataFrame({"g": ["x", "y"] * 30, "y": rng.integers(0, 2, 60), "s": rng.random(60)})
    rows = hs.score(data, truth="y", score="s", threshold=[0.3, 0.6], by="g", metrics="f1").to_dict()["rows"]
    assert [row["slice"] for row in rows[:2]] == [{"threshold": 0.3}, {"threshold": 0.6}]
    assert [row["overall"] for row in rows] == [True, True, False, False, False, False]
    batch = hs.score(hs.Tally.binary(tp=[3, 4], fp=1, fn=2, tn=5), metrics="f1").to_dict()["rows"]
    assert [row["overall"] for row in batch] == [None, None]


# -- slices that stand out


def alike(groups: int, each: int, seed: int, odd: dict[int, float] | None = None) -> pl.DataFrame:
    """Slices of one skill, but for those that are odd."""
    rng = np.random.default_rng(seed)
    skill = np.full(groups, 0.8)
    for k, value in (odd or {}).items():
        skill[k] = value
    group = np.repeat(np.arange(groups), each)
    truth = rng.integers(0, 2, group.size)
    answer = np.where(rng.random(group.size) < skill[group], truth, 1 - truth)
    return pl.DataFrame({"group": [f"g{i:03}" for i in group], "y": truth, "z": answer})


def test_only_slices_beyond_chance_are_marked():
    """Two of twenty are odd; the note has the numbers as data, the table the sign, and its meaning in words."""
    data = alike(20, 50, seed=5, odd={3: 0.4, 7: 1.0})
    r = hs.score(data, truth="y", pred="z", by="group", metrics="accuracy")
    marked = {row["slice"]["group"] for row in slices(r) if row["marked"]}
    assert marked == {"g003", "g007"}
    assert r.to_dict()["rows"][0]["marked"] is None
    (told,) = [n for n in r.to_dict()["notes"] if n["code"] == "slices-alike"]
    (numbers,) = told["data"]
    assert {k: numbers[k] for k in ("metric", "system", "slices", "marked")} == {
        "metric": "accuracy", "system": None, "slices": 20, "marked": 2
    }  # fmt: skip
    assert numbers["found"] >= 2
    assert "g003 *" in str(r)
    assert "2 stand out beyond that, marked *" in told["text"]


def test_few_slices_are_not_marked():
    """Below five there is no note, and marked is null."""
    r = hs.score(alike(4, 50, seed=5, odd={1: 0.2}), truth="y", pred="z", by="group", metrics="accuracy")
    assert {row["marked"] for row in r.to_dict()["rows"]} == {None}
    assert not [n for n in r.notes if n.code == "slices-alike"]


def test_a_slice_without_a_score_is_not_marked():
    """Its mark is null, and it is no slice of those that are counted."""
    data = alike(6, 30, seed=8).with_columns(
        pl.when(pl.col("group") == "g002").then(0).otherwise(pl.col(c)).alias(c) for c in ("y", "z")
    )
    r = hs.score(data, truth="y", pred="z", by="group", metrics="f1")
    assert [row["marked"] for row in slices(r) if row["slice"]["group"] == "g002"] == [None]
    assert [n["slices"] for n in r.notes if n.code == "slices-alike"] == [(5,)]


def test_how_many_look_different_is_a_hypergeometric_sum():
    """Of slices of ten items the expected number is that of the exact law of a part of the data."""
    from scipy.stats import hypergeom

    data = alike(30, 10, seed=11)
    r = hs.score(data, truth="y", pred="z", by="group", metrics="accuracy")
    (told,) = [n for n in r.notes if n.code == "slices-alike"]
    law = hypergeom(300, int((data["y"] == data["z"]).sum()), 10)
    k = np.arange(11)
    share = np.minimum(1.0, 2 * np.minimum(law.cdf(k), law.sf(k - 1)))
    assert told["expected"][0] == pytest.approx(30 * law.pmf(k)[share <= 0.05].sum(), rel=0.15)
    hits = data.group_by("group").agg((pl.col("y") == pl.col("z")).sum().alias("hits"))["hits"].to_numpy()
    assert told["found"][0] == int((share[hits] <= 0.05).sum())


@pytest.mark.parametrize(
    ("runs", "groups"), [(20, 20), pytest.param(400, 50, marks=pytest.mark.deep)]
)  # fmt: skip
def test_slices_that_are_alike_look_different_as_often_as_is_said(runs, groups):
    """The note's number is right on average, and marks are rare: in at most 1 of 20 runs, but for chance."""
    rng = np.random.default_rng(runs)
    found, said, marks = [], [], 0
    for _ in range(runs):
        sizes = np.round(10 ** rng.uniform(1, 2.5, groups)).astype(int)
        hits = rng.binomial(sizes, 0.85)
        axis = Slices(("g",), (tuple(range(groups)),), np.arange(groups)[:, None])
        t = replace(hs.Outcomes.rate(hits=hits, of=sizes), batch=(("g", axis),))
        (told,) = [n for n in hs.score(t).notes if n.code == "slices-alike"]
        found.append(told["found"][0])
        said.append(told["expected"][0])
        marks += told["marked"][0] > 0
    assert abs(np.mean(found) - np.mean(said)) < 4 * np.std(found) / np.sqrt(runs)
    assert marks <= 0.05 * runs + 3 * np.sqrt(0.05 * runs)


def test_discoveries_are_those_of_the_paper():
    """Benjamini and Hochberg's rule on the numbers of their paper (1995, section 3.2): four of fifteen."""
    shares = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
    assert discoveries(np.array(shares[::-1]), 0.05)[::-1].tolist() == [True] * 4 + [False] * 11


def test_dealing_keeps_the_pool():
    """Parts as large as the pool are the pool; smaller ones have the hypergeometric mean and variance."""
    pool, rng = np.array([5, 0, 12, 3]), np.random.default_rng(1)
    assert (deal(pool, np.full(10, 20), rng) == pool).all()
    parts = deal(pool, np.full(40_000, 8), rng)
    assert (parts.sum(axis=1) == 8).all()
    share = pool / 20
    assert parts.mean(axis=0) == pytest.approx(8 * share, abs=0.03)
    assert parts.var(axis=0) == pytest.approx(8 * share * (1 - share) * 12 / 19, rel=0.05, abs=1e-9)


def test_slices_that_lack_positive_items_are_not_marked_for_it():
    """All slices are alike, and few of them have a positive item: recall is undefined in most parts of their size."""
    rng = np.random.default_rng(5)
    y = (rng.random(5000) < 0.005).astype(int)
    z = np.where(rng.random(5000) < 0.4, 1 - y, y)
    made = hs.score(
        hs.tally({"y": y, "z": z, "g": np.arange(5000) % 1000}, truth="y", pred="z", by="g"), metrics="recall"
    )
    assert not any(row["marked"] for row in made.to_dict()["rows"])
