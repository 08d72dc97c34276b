"""Graded values in files: columns of one file, several files joined on ids, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.refusals import one_sentence

A = [0.2, 0.9, 0.4, 0.75, 0.5, 1.0, 0.1, 0.6]
B = [0.3, 0.8, 0.6, 0.7, 0.9, 1.0, 0.2, 0.4]


@pytest.fixture
def folder(tmp_path):
    """Two JSON files of one grade each, in different orders, and a CSV file of both."""
    for name, values in (("a", A), ("b", B)):
        lines = [json.dumps({"id": i, "grade": v}) for i, v in enumerate(values)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines if name == "a" else lines[::-1]) + "\n")
    rows = [f"{i},{a},{b},{i // 2}" for i, (a, b) in enumerate(zip(A, B, strict=True))]
    (tmp_path / "both.csv").write_text("id,a,b,question\n" + "\n".join(rows) + "\n")
    return tmp_path


def answer(capsys, *arguments):
    """The JSON document of a command."""
    code = run([*map(str, arguments), "--format", "json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def test_columns_of_one_file_are_systems(folder, capsys):
    """Two columns score and compare as the same values in memory."""
    items = hs.graded({"a": A, "b": B}, bounds=(0, 1))
    got = answer(capsys, "score", folder / "both.csv", "--value", "a", "--value", "b", "--bounds", "0,1")
    want = hs.score(items).to_dict()
    assert [r["low"] for r in got["rows"]] == pytest.approx([r["low"] for r in want["rows"]], rel=1e-14)
    got = answer(capsys, "compare", folder / "both.csv", "--value", "a", "--value", "b", "--bounds", "0,1")
    assert got["rows"][0]["p_better"] == pytest.approx(hs.compare(items).p_better, abs=1e-12)


def test_files_are_joined_on_ids(folder, capsys):
    """The order of rows does not matter: values are paired by id."""
    got = answer(capsys, "compare", folder / "a.jsonl", folder / "b.jsonl", "--on", "id", "--value", "grade")
    want = hs.compare(hs.graded({"a": A, "b": B}))
    assert got["rows"][0]["p_better"] == pytest.approx(want.p_better, abs=1e-12)
    shrunk = len(A) / (len(A) + 2) * (np.mean(A) - np.mean(B))  # the prior's two items have no difference on average
    assert got["rows"][0]["difference"]["mean"] == pytest.approx(shrunk, abs=1e-12)
    assert got["rows"][0]["metric"] == "mean-grade"


def test_clusters_are_resampled_whole(folder, capsys):
    """Values of one question count together."""
    got = answer(capsys, "score", folder / "both.csv", "--value", "a", "--cluster", "question")
    want = hs.score(hs.graded(A, cluster=[i // 2 for i in range(8)])).to_dict()
    assert got["rows"][0]["high"] == want["rows"][0]["high"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--value", "grde"], "Did you mean 'grade'?"),
        (["--value", "grade", "--bounds", "0"], "--bounds needs two numbers"),
        (["--value", "grade", "--bounds", "0,0.5"], "outside the bounds"),
        (["--value", "grade", "--by", "id"], "needs two or more items"),
        (["--value", "grade", "--truth", "id"], "for graded values leave out --truth"),
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, more, said):
    """Exit 2 and one sentence."""
    assert run(["score", str(folder / "a.jsonl"), *more]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert one_sentence(err)


def test_text_is_no_value(folder, capsys):
    """A value that is no number is named."""
    (folder / "t.csv").write_text("id,v\n1,0.5\n2,good\n")
    assert run(["score", str(folder / "t.csv"), "--value", "v"]) == 2
    assert "'good'" in capsys.readouterr().err
