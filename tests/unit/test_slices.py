"""Slices in a report: their order, what a page hides, flat names, and files of columns."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import BadFile, UnknownName


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


def test_slices_go_from_surely_worse_to_surely_better():
    """The order is that of P(slice worse than all others), computed exactly pair by pair."""
    r = report(12)
    shown = [row["slice"]["group"] for row in r.to_dict()["rows"]]
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
    means = [row["mean"] for row in hs.score(t, metrics=["fallout"]).to_dict()["rows"]]
    assert np.mean(means[:5]) > np.mean(means[-5:])


@pytest.mark.parametrize("sort", ["name", "n", "score", "better"])
def test_other_orders(sort):
    """By name, by size, by score, and the best first."""
    rows = report(sort=sort).to_dict()["rows"]
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
    rows = r.to_dict()["rows"]
    assert len(rows) == 2000
    assert rows[0]["slice"]["group"] in str(r)
    assert rows[-1]["slice"]["group"] in str(r)
    assert rows[500]["slice"]["group"] not in str(r)
    assert r.to_csv().count("\n") == 2001
    assert "… 1,980 more …" in r.to_markdown()


def test_a_page_of_two_measures_and_two_systems():
    """Each measure of each system has its own gap."""
    data = frame(100).with_columns(w=pl.col("z").reverse())
    r = hs.score(hs.tally(data, truth="y", pred=["z", "w"], by="group"), metrics=["f1", "recall"])
    assert str(r).count("… 80 more …") == 4


def test_classes_in_slices():
    """The table of many classes has slices too."""
    data = frame(60).with_columns(pl.col("y", "z") + pl.int_range(pl.len()) % 2)
    t = hs.tally(data, truth="y", pred="z", by="group")
    assert str(hs.score(t, metrics=["f1:1", "accuracy"])).count("… 40 more …") == 2
    few = hs.tally(data[:60], truth="y", pred="z", by="group")
    rows = hs.score(few).to_dict()["rows"]
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
    want = {row["slice"]["group"]: row for row in r.to_dict()["rows"]}
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
    assert [r["slice"]["group"] for r in rows] == [f"g{i:04}" for i in range(60)]
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
