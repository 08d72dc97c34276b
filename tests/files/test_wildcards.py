"""Columns named by a pattern: all that match, in the order of the data, whatever holds them."""

from __future__ import annotations

import json
import sqlite3

import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadSetting, UnknownName

DATA = {
    "id": [1, 2, 3, 4, 5, 6],
    "label": ["x", "y", "x", "y", "x", "y"],
    "model_b": ["x", "y", "y", "y", "x", "x"],
    "model_a": ["x", "x", "x", "y", "x", "y"],
    "other": ["y", "y", "y", "y", "x", "x"],
    "ok_1": [1, 0, 1, 1, 1, 0],
    "ok_2": [0, 0, 1, 1, 0, 0],
    "grade_1": [1, 2, 3, 4, 5, 5],
    "grade_2": [2, 2, 3, 4, 4, 5],
    "p_1": [0.9, 0.2, 0.4, 0.3, 0.8, 0.7],
    "p_2": [0.5, 0.1, 0.6, 0.2, 0.7, 0.4],
}
FRAME = pl.DataFrame(DATA)
WANT = hs.tally(FRAME, truth="label", pred=["model_b", "model_a"])


def _database():
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE t (label TEXT, model_b TEXT, model_a TEXT, other TEXT)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", FRAME.select("label", "model_b", "model_a", "other").rows())
    return con


@pytest.fixture
def folder(tmp_path):
    """The data in every format of files."""
    FRAME.write_csv(tmp_path / "a.csv")
    FRAME.write_ndjson(tmp_path / "a.jsonl")
    FRAME.write_parquet(tmp_path / "a.parquet")
    return tmp_path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_columns_of_files(folder, form):
    """The evidence of a pattern is that of the columns written out, in the order of the file."""
    path = folder / f"a.{form}"
    assert hs.tally(path, truth="label", pred="model_*") == WANT
    assert hs.tally(path, truth="label", pred=["model_a", "model_?"]).systems == ("model_a", "model_b")
    assert hs.tally(path, outcome="ok_[12]") == hs.tally(FRAME, outcome=["ok_1", "ok_2"])


def test_columns_of_frames_mappings_and_databases():
    """Whatever has columns takes patterns."""
    lists = [FRAME[:3], FRAME[3:]]
    for data in (FRAME, FRAME.lazy(), FRAME.to_pandas(), FRAME.to_arrow(), DATA, lists, iter(lists)):
        assert hs.tally(data, truth="label", pred="model_*") == WANT
    con = _database()
    assert hs.tally(con, table="t", truth="label", pred="model_*") == WANT
    con.close()


def test_a_column_that_is_called_so_wins():
    """A name with a star is a name first."""
    frame = FRAME.with_columns(pl.col("other").alias("model_*"))
    assert hs.tally(frame, truth="label", pred="model_*").systems == ("model_*",)


def test_columns_with_another_role_do_not_match():
    """A star takes no truth, id, slice or weight for an answer."""
    frame = FRAME.select("label", "model_a", "other", "ok_1", "ok_2")
    made = hs.tally(frame, truth="label", pred="*", by="ok_1", count="ok_2")
    assert made.systems == ("model_a", "other")


def test_fields_of_records(tmp_path):
    """A star does not reach over a dot, and fields that occur late are seen."""
    rows = [{"y": i % 2, "m": {"a": 1, "b": i % 2}, "m_c": 1} for i in range(30_000)]
    rows[-1]["m"]["late"] = 1
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert hs.tally(path, truth="y", pred="m.*", missing="wrong").systems == ("m.a", "m.b", "m.late")
    assert hs.tally(path, truth="y", pred="m_*").systems == ("m_c",)


def test_nothing_matches():
    """The columns are listed."""
    with pytest.raises(UnknownName, match=r"no column matches pred='modle_\*'\. Columns: 'id', 'label', 'model_b'"):
        hs.tally(FRAME, truth="label", pred="modle_*")
    with pytest.raises(BadSetting, match="with system= give pred= one column; got 2"):
        hs.tally(FRAME, truth="label", pred="model_*", system="other", item="id")
    with pytest.raises(BadSetting, match="needs one column"):
        hs.tally(FRAME, truth="label", score="p_*", threshold=0.5)


def test_names_are_one_for_each_column_that_matches(folder, run_json, capsys):
    """Their number is known once the columns are."""
    line = ["score", folder / "a.csv", "--truth", "label", "--pred", "model_*", "--metric", "accuracy"]
    got = run_json(*line, "--name", "B", "--name", "A")
    assert [r["system"] for r in got["rows"]] == ["B", "A"]
    assert run([*map(str, line), "--name", "B"]) == 2
    assert (
        "2 columns match --pred model_*: give --name one name for each, or some of 'model_b', 'model_a'"
        in capsys.readouterr().err
    )


def test_every_command_takes_patterns(folder, run_json):
    """What the command says of a pattern is what it says of the columns written out."""
    path = folder / "a.csv"
    for command, role, pattern, names, more in (
        ("leaderboard", "pred", "model_*", ["model_b", "model_a"], ["--truth", "label"]),
        ("compare", "pred", "model_*", ["model_b", "model_a"], ["--truth", "label", "--positive", "x"]),
        ("compare", "value", "grade_*", ["grade_1", "grade_2"], []),
        ("leaderboard", "outcome", "ok_*", ["ok_1", "ok_2"], []),
        ("curve", "score", "p_*", ["p_1", "p_2"], ["--truth", "label", "--positive", "x", "--metric", "auc"]),
    ):
        written = [word for name in names for word in (f"--{role}", name)]
        got = run_json(command, path, *more, f"--{role}", pattern)
        assert got == run_json(command, path, *more, *written), (command, role)


def test_a_star_alone_means_no_ids_and_no_columns_of_conditions(folder):
    """Nothing that is used elsewhere; a longer pattern means what it says."""
    frame = FRAME.select("id", "label", "model_b", "model_a", "other")
    assert hs.tally(frame, truth="label", pred="*", where="other=y").systems == ("model_b", "model_a")
    assert hs.tally(frame, truth="label", pred="o*", where="other=y").systems == ("other",)
