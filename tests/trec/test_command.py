"""The command `howsure trec`."""

from __future__ import annotations

import json

import pytest

import howsure as hs
from howsure.cli import app

FILES = ["examples/wine.qrels", "examples/wine-color.run", "examples/wine-full.run"]


def run(capsys, *arguments):
    code = app.run(["trec", *FILES, *arguments])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def document(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--format", "json"))


def test_the_document_has_the_rows_of_the_verbs(capsys):
    """Rows are those of a leaderboard of each measure, comparisons those of compare, with trec_eval's names."""
    doc = document(capsys, "--metric", "AP", "--metric", "P_10", "--equal-within", "0.02")
    v = hs.trec(FILES[0], FILES[1:], metrics=["AP", "P_10"])
    assert doc["schema"] == "howsure.trec/1"
    assert doc["data"]["measures"] == ["AP", "P@10"]
    board = hs.leaderboard(v, metric="AP").to_dict()["rows"]
    assert doc["rows"][:2] == board
    assert [r["trec_eval"] for r in doc["rows"]] == ["map", "map", "P_10", "P_10"]
    (one, two) = doc["comparisons"]
    assert one == hs.compare(v, "wine-color", "wine-full", metric="AP", equal_within=0.02).to_dict()["rows"][0]
    assert two["metric"] == "P@10"
    assert {(p["metric"], p["first"], p["second"]) for p in doc["pairs"]} == {
        ("AP", "wine-full", "wine-color"), ("P@10", "wine-full", "wine-color"),
    }  # fmt: skip


def test_one_run_is_a_report(capsys):
    """A single run has the rows of score."""
    assert app.run(["trec", *FILES[:2], "--metric", "AP", "--format", "json"]) == 0
    doc = json.loads(capsys.readouterr().out)
    assert doc["rows"] == hs.score(hs.trec(FILES[0], FILES[1], metrics="AP")).to_dict()["rows"]


@pytest.mark.parametrize("kind", ["table", "markdown", "latex", "csv", "html"])
def test_every_format_has_runs_measures_and_verdicts(capsys, kind):
    """Each format names the runs and the measures; tables for people carry the comparison too."""
    out = run(capsys, "--metric", "AP", "--format", kind)
    assert "wine-color" in out
    assert "wine-full" in out
    assert "AP" in out
    if kind != "csv":
        assert "wine-full is better than wine-color on AP" in out


def test_names_pairs_and_options(capsys):
    """--name, --compare, --ties, --unjudged, --only-common and --level reach what they are for."""
    doc = document(
        capsys, "--name", "a", "--name", "b", "--compare", "b", "a", "--ties", "float32", "--unjudged", "bounds",
        "--only-common", "--level", "0.8", "--metric", "AP",
    )  # fmt: skip
    assert doc["data"]["systems"] == ["a", "b"]
    assert doc["data"]["measures"] == ["AP", "AP(unjudged='relevant')"]
    assert [c["first"]["system"] for c in doc["comparisons"]] == ["b", "b"]
    assert doc["level"] == 0.8
    assert {"ties", "unjudged-view", "unjudged"} <= {note["code"] for note in doc["notes"]}
