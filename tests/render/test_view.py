"""What people are shown by default, and what --columns and --verbose add."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import app, run
from howsure.errors import BadSetting, UnknownName
from howsure.messages.numbers import beside

TABLE = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
OTHER = hs.Tally.binary(tp=70, fp=20, fn=40, tn=870)
LINES = {
    "score": "score --counts 80,20,30,870",
    "slices": "score examples/breast_cancer.csv --truth truth --pred logistic --positive malignant --by size",
    "compare": "compare --counts 80,20,30,870 --counts 70,20,40,870 --metric f1",
    "wins": "compare --wins 17,4,3278",
    "leaderboard": "leaderboard --counts 80,20,30,870 --counts 70,20,40,870 --counts 60,5,50,885 --metric f1",
    "curve": "curve examples/breast_cancer.csv --truth truth --score p_tree --positive malignant --metric f1@.5",
    "trec": "trec examples/wine.qrels examples/wine-full.run examples/wine-color.run --metric P@5",
}


def heads(text: str) -> list[str]:
    """The names over the columns."""
    lines = text.splitlines()
    return [
        x.strip() for x in lines[next(i for i, line in enumerate(lines) if line.startswith("--")) - 1].split("  ") if x
    ]


def printed(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert run(line.split()) == 0
    return capsys.readouterr().out


def test_by_default_one_number_and_its_interval():
    """A score table has the measure, the score and the interval, and no word on routes, priors or chi-square."""
    text = str(hs.score(TABLE, metrics=["f1", "kappa"]))
    assert heads(text) == ["metric", "score", "95% interval"]
    assert "prior" not in text
    assert "chi-square" not in text
    assert "draws" not in text


def test_a_prior_that_is_not_the_usual_one_is_told():
    """Whoever reads the table must know it."""
    assert "prior jeffreys" in str(hs.score(TABLE, metrics="f1", prior="jeffreys"))


@pytest.mark.parametrize("name", LINES)
def test_verbose_tells_all(name, capsys):
    """The prior, and the columns mean and route, in every command."""
    usual, verbose = printed(capsys, LINES[name]), printed(capsys, f"{LINES[name]} --verbose")
    assert "route" not in usual
    assert {"route"} <= set(heads(verbose)) - set(heads(usual))
    assert any("mean" in head for head in set(heads(verbose)) - set(heads(usual)))
    assert "prior " in verbose.splitlines()[1]


@pytest.mark.parametrize("name", LINES)
def test_columns_are_added(name, capsys):
    """--columns adds a column, and names of columns that are there anyway do no harm beside it."""
    usual = heads(printed(capsys, LINES[name]))
    assert heads(printed(capsys, f"{LINES[name]} --columns route,{'interval'}")) == [*usual, "route"]


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    "given", ["--columns rout", "--columns interval", "--columns route --format json", "--verbose --format csv"]
)
def test_what_adds_nothing_is_refused(name, given, capsys):
    """An unknown column, one that is there anyway, and a format that has all of them: one sentence each."""
    assert run([*LINES[name].split(), *given.split()]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert given.split()[0] in err
    assert err.count("\n") == 1


def test_the_nearest_column_is_named():
    """A typo stays a typo."""
    with pytest.raises(UnknownName, match="Did you mean 'median'"):
        hs.score(TABLE, metrics="f1").to_text(columns="medain")
    with pytest.raises(BadSetting, match="columns="):
        hs.score(TABLE, metrics="f1").to_text("json", columns=["mean"])


def test_every_table_command_takes_them():
    """The options are those of all commands that score."""
    for name in ("score", "compare", "leaderboard", "curve", "trec"):
        assert {"--columns", "--verbose"} <= {p.opts[0] for p in app.commands[name].params}


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_other_formats_have_the_same_columns(kind, tmp_path):
    """What is asked for is written too, to a text and to a file."""
    report = hs.score(TABLE, metrics="f1")
    more = report.to_text(kind, columns=["route"]).count("closed form")
    assert more == report.to_text(kind).count("closed form") + 1  # a report tells of its method too
    report.save(tmp_path / "x", kind=kind, columns="route")
    text = (tmp_path / "x").read_text(encoding="utf-8")
    assert text == report.to_text(kind, columns="route")


def test_notes_that_change_the_reading_stay():
    """What was dropped or is undefined is told without being asked for."""
    text = str(hs.score(hs.tally([1, 0, None, 1], [1, 0, 1, 1], missing="drop"), metrics="recall"))
    assert "left out" in text
    assert "undefined" in str(hs.score(hs.Tally.binary(tp=0, fp=0, fn=3, tn=4), metrics="precision"))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"pred": "z", "by": "g"}, "6 items in 3 slices"),
        ({"score": "s", "threshold": [0.2, 0.5]}, "6 items at 2 thresholds"),
        ({"score": "s", "threshold": [0.2, 0.5], "by": "g"}, "6 items in 6 slices"),
        ({"pred": "z"}, "6 items"),
    ],
)
def test_the_headline_says_what_the_tables_are(asked, told):
    """Slices of the items, or thresholds that all of them were cut at; a batch has tables."""
    frame = {"y": [1, 0, 1, 0, 1, 0], "z": [1, 0, 0, 0, 1, 1], "s": [0.9, 0.1, 0.3, 0.2, 0.8, 0.6], "g": list("aabbcc")}
    made = hs.score(frame, truth="y", **asked, metrics=["f1"])
    assert str(made).splitlines()[0].endswith(f", {told}")
    batch = hs.score(hs.Tally.binary(tp=[1, 2], fp=[1, 1], fn=[0, 1], tn=[3, 4]), metrics=["f1"])
    assert str(batch).splitlines()[0].endswith(", 13 items in 2 tables")


# -- numbers that add up


@pytest.mark.parametrize(
    ("x", "y"), [(0.5324, 0.7869), (0.9876, 0.98764), (0.0042, 0.03512), (12.34, 9.876), (1.0, 0.9), (0.9025, 0.8375)]
)
def test_a_difference_is_that_of_the_numbers_shown(x, y):
    """The digits add up, and the difference is within a unit of the last one."""
    a, b, gap = beside(x, y)
    places = len(a.partition(".")[2])
    assert round(float(a) - float(b), 9) == float(gap)
    assert abs(float(gap) - (x - y)) <= 10.0**-places + 1e-12


def test_every_difference_is_that_of_the_numbers_shown():
    """Of all pairs of 120ths the digits add up, and two that differ look different."""
    for i in range(1, 120):
        for j in range(1, 120):
            a, b, gap = beside(i / 120, j / 120)
            assert round(float(a) - float(b), 9) == float(gap)
            assert (a == b) == (i == j)


def test_compare_shows_the_difference_of_scores():
    """difference.score is the difference of both scores, also in the table."""
    made = hs.compare(TABLE, OTHER, metric="f1")
    row = made.to_dict()["rows"][0]
    assert (
        row["difference"]["score"] == row["first"]["score"] - row["second"]["score"] == pytest.approx(160 / 210 - 0.7)
    )
    line = next(x for x in str(made).splitlines() if x.startswith("f1")).split()
    assert line[1:4] == ["0.762", "0.700", "0.062"]


def test_the_difference_of_an_undefined_score_is_null():
    """0/0 less anything is nothing."""
    made = hs.compare(hs.Tally.binary(tp=0, fp=0, fn=3, tn=4), TABLE, metric="precision")
    assert made.to_dict()["rows"][0]["difference"]["score"] is None
    assert str(made).count("undefined") >= 2


def test_wins_have_the_difference_of_their_shares():
    """17 and 4 of 3299 items."""
    assert hs.compare_wins(17, 4, 3278).to_dict()["rows"][0]["difference"]["score"] == pytest.approx(13 / 3299)
    assert hs.compare_wins(0, 0, 0).to_dict()["rows"][0]["difference"]["score"] is None


WEIGHED = pl.DataFrame(
    {"g": ["a", "b"] * 10, "y": [1, 0, 1, 1] * 5, "z": [1, 0, 0, 1] * 5, "x": [1, 1, 0, 1] * 5, "w": [0.5, 2.25] * 10}
)


def test_a_sum_of_weights_is_not_called_n():
    """Rows and the sum of their weights where both are known, else the sum as what it is; the column likewise."""
    told = {"truth": "y", "weight": "w"}
    one, sliced = (hs.score(WEIGHED, pred="z", metrics="f1", by=by, **told) for by in (None, "g"))
    assert str(one).splitlines()[0].endswith("20 rows of total weight 27.5")
    assert str(sliced).splitlines()[0].endswith("20 rows of total weight 27.5 in 2 slices")
    assert heads(str(sliced))[2] == "weight"
    rough = hs.curve(WEIGHED, truth="y", score="x", weight="w", tolerance=0.5)
    assert str(rough).splitlines()[0].endswith("20 rows of total weight 27.5")
    pair = hs.compare(WEIGHED, pred=["z", "x"], metric="f1", **told)
    assert ", total weight 27.5\nthe same items\n" in str(pair)
    assert "z alone is right on items of weight 11.2 and x alone on 0" in str(pair)
    assert heads(str(hs.compare(WEIGHED, pred=["z", "x"], metric="f1", by="g", **told)))[2] == "weight"
    for plain in (
        hs.score(WEIGHED, truth="y", pred="z", metrics="f1", by="g"),
        hs.score(WEIGHED, value="x", weight="w"),  # graded items are counted, and not added up
    ):
        assert str(plain).splitlines()[0].partition(", ")[2].startswith("20 items")


def test_weights_that_are_added_in_another_order_are_the_same_size():
    """Both systems have the same items, whatever the last digit of the sum of their weights is."""

    def compared(seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({name: rng.integers(0, 2, 40) for name in "yzx"} | {"w": rng.lognormal(0, 1, 40)})
        return hs.compare(frame, truth="y", pred=["z", "x"], weight="w", metric="recall", tolerance=0.5).to_dict()[
            "rows"
        ][0]

    rows = [row for row in map(compared, range(8)) if row["first"]["n"] != row["second"]["n"]]
    assert rows  # or this test tells nothing
    assert all(row["n"] == row["first"]["n"] for row in rows)


def test_clusters_of_one_value_each_are_counted_once():
    """Where each cluster has a mean, the headline counts clusters, and no items; of passes it counts both."""
    rows = {"q": [0, 0, 1, 1, 2, 2, 2] * 2, "m": ["a"] * 7 + ["b"] * 7, "v": [1, 0, 1, 1, 0, 1, 1] * 2}
    frame = pl.DataFrame(rows)
    said = str(hs.compare(frame, value="v", system="m", cluster="q", bounds=(0, 1), tolerance=0.5)).splitlines()
    assert said[0].endswith(", 3 clusters")
    said = str(hs.compare(frame, outcome="v", system="m", cluster="q", tolerance=0.5)).splitlines()
    assert said[0].endswith(", 7 items")
    assert said[1] == "the same 3 clusters"
