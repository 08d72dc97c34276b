"""Slices of a comparison: all items first, their order, those that stand out by their difference, and pages."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import BadLabels, BadSetting, UnknownName


def frame(groups: int, each: int = 40, seed: int = 4, odd: int | None = None) -> pl.DataFrame:
    """Two systems of equal skill, but for one slice, in which the first fails."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each + np.arange(groups) % 3)
    truth = rng.integers(0, 2, group.size)
    skill = np.where(group == (-1 if odd is None else odd), 0.3, 0.85)
    a, b = (np.where(rng.random(group.size) < s, truth, 1 - truth) for s in (skill, 0.85))
    return pl.DataFrame({"g": [f"g{i:02}" for i in group], "y": truth, "a": a, "b": b})


KEYWORDS = {"truth": "y", "pred": ["a", "b"], "by": "g", "metric": "f1"}


def slices(result) -> list[dict]:
    return [row for row in result.to_dict()["rows"] if not row["overall"]]


def test_all_items_come_first():
    """The first row is the comparison of the items themselves; each row has n."""
    data = frame(6)
    rows = hs.compare(data, **KEYWORDS).to_dict()["rows"]
    (want,) = hs.compare(data, truth="y", pred=["a", "b"], metric="f1").to_dict()["rows"]
    assert (rows[0]["overall"], rows[0]["slice"], rows[0]["n"]) == (True, None, len(data))
    for key in ("p_better", "difference"):
        assert rows[0][key] == pytest.approx(want[key], abs=1e-9)
    assert sum(row["n"] for row in rows[1:]) == len(data)


@pytest.mark.parametrize("sort", ["worse", "better", "name", "n", "difference"])
def test_orders(sort):
    """By how sure the difference is, by name, by size, by the difference itself."""
    rows = slices(hs.compare(frame(8, odd=5), sort=sort, **KEYWORDS))
    key = {
        "worse": lambda row: row["p_better"],
        "better": lambda row: -row["p_better"],
        "name": lambda row: row["slice"]["g"],
        "n": lambda row: -row["n"],
        "difference": lambda row: row["difference"]["mean"],
    }[sort]
    assert [key(row) for row in rows] == sorted(map(key, rows))
    assert len(rows) == 8


def test_where_less_is_better_the_order_turns():
    """The slice where the first has the higher fallout most surely is the first."""
    rows = slices(hs.compare(frame(8, odd=5), **KEYWORDS | {"metric": "fallout"}))
    assert rows[0]["difference"]["mean"] > 0 > rows[-1]["difference"]["mean"]
    assert [row["p_better"] for row in rows] == sorted(row["p_better"] for row in rows)


def test_orders_that_are_refused():
    """An unknown one, one of a report, and any where there are no slices."""
    with pytest.raises(UnknownName, match="Did you mean 'worse'"):
        hs.compare(frame(6), sort="worst", **KEYWORDS)
    with pytest.raises(UnknownName, match="difference"):
        hs.compare(frame(6), sort="score", **KEYWORDS)
    with pytest.raises(BadSetting, match="order of slices"):
        hs.compare(frame(6), truth="y", pred=["a", "b"], sort="n")


@pytest.mark.parametrize("metric", ["f1", "accuracy", "kappa"])
def test_a_slice_whose_difference_is_another_is_marked(metric):
    """One of ten: it alone; the note has the numbers."""
    c = hs.compare(frame(10, odd=5), tolerance=0.2, **KEYWORDS | {"metric": metric})
    assert [row["slice"]["g"] for row in slices(c) if row["marked"]] == ["g05"]
    (told,) = [n for n in c.to_dict()["notes"] if n["code"] == "slices-alike"]
    assert (told["data"][0]["slices"], told["data"][0]["marked"]) == (10, 1)
    assert "1 stands out beyond that, marked *" in told["text"]
    assert "g05 *" in str(c)


def test_systems_that_differ_alike_everywhere_are_not_marked():
    """The first is surely worse in every slice, and no slice stands out."""
    rng = np.random.default_rng(9)
    n = 1200
    truth = rng.integers(0, 2, n)
    data = pl.DataFrame({
        "g": np.arange(n) % 12, "y": truth, "a": np.where(rng.random(n) < 0.6, truth, 1 - truth),
        "b": np.where(rng.random(n) < 0.9, truth, 1 - truth),
    })  # fmt: skip
    rows = slices(hs.compare(data, **KEYWORDS))
    assert max(row["p_better"] for row in rows) < 0.05
    assert not any(row["marked"] for row in rows)


def test_different_items_have_slices_too():
    """Slices match by name; n is that of both sides, and other names are refused."""
    one, two = (hs.tally(frame(7, seed=s, odd=o), truth="y", pred="a", by="g") for s, o in ((1, 3), (2, None)))
    c = hs.compare(one, two, metric="f1")
    rows = c.to_dict()["rows"]
    assert (rows[0]["overall"], rows[0]["n"], rows[0]["first"]["n"]) == (True, None, int(one.totals.sum()))
    assert [row["slice"]["g"] for row in rows if row["marked"]] == ["g03"]
    other = hs.tally(frame(7).with_columns(pl.col("g").replace({"g00": "west"})), truth="y", pred="a", by="g")
    with pytest.raises(BadLabels, match="'g00' is only in the first"):
        hs.compare(one, other, metric="f1")


def test_the_command_sorts_and_groups_by_slice(tmp_path, capsys):
    """Rows of two measures stand together, all items first; a page hides the middle."""
    path = tmp_path / "x.csv"
    frame(60, 12).write_csv(path)
    line = ["compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b", "--by", "g"]
    both = ["--metric", "accuracy", "--metric", "recall", "--sort", "name"]
    assert app.run([*line, *both, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["metric"] for row in rows] == ["accuracy", "recall"] * 61
    assert [row["slice"] for row in rows[:2]] == [None, None]
    assert [row["slice"]["g"] for row in rows[2::2]] == [f"g{i:02}" for i in range(60)]
    assert app.run([*line, *both]) == 0
    assert capsys.readouterr().out.count("… 40 more …") == 1
    assert app.run([*line, "--sort", "score"]) == 2
    assert "no order 'score'" in capsys.readouterr().err
    assert app.run([*line[:-2], "--sort", "n"]) == 2
    assert "give --by too" in capsys.readouterr().err


@pytest.mark.parametrize("metric", ["macro-f1", "weighted-recall", "kappa"])
def test_slices_of_measures_of_all_classes_are_as_if_each_was_compared_alone(metric):
    """Of many classes too, on the same items, the draws of a slice are those of its own table."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, 240)
    a, b = (np.where(rng.random(240) < right, y, rng.integers(0, 4, 240)) for right in (0.8, 0.6))
    data = pl.DataFrame({"g": np.repeat(["one", "two"], [80, 160]), "y": y, "a": a, "b": b})
    found = hs.compare(data, truth="y", pred=["a", "b"], by="g", metric=metric, tolerance=0.5)
    assert found.paired
    for row in slices(found):
        part = data.filter(pl.col("g") == row["slice"]["g"])
        alone = hs.compare(part, truth="y", pred=["a", "b"], labels=[0, 1, 2, 3], metric=metric, tolerance=0.5)
        (want,) = alone.to_dict()["rows"]
        slack = 3 * (row["error"]["probability"] + want["error"]["probability"])
        assert row["p_better"] == pytest.approx(want["p_better"], abs=slack)
        for key in ("mean", "low", "high"):
            error = row["error"]["value"] + want["error"]["value"]
            assert row["difference"][key] == pytest.approx(want["difference"][key], abs=3 * error)
        assert row["first"]["score"] == pytest.approx(want["first"]["score"])
