"""The document of runs says what was read: lines and queries, kept and left out, and the numbers add up."""

from __future__ import annotations

import json

import pytest

import howsure as hs
from howsure.cli import app
from tests.trec.test_items import QRELS_30, RUNS_30

QRELS = "# judged\nq1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 p -1\nq3 0 a 0\nq4 0 c 1\n"
ONE = "# run one\nq1 Q0 a 1 3.0 t\nq1 Q0 x 2 2.0 t of mine\nq2 Q0 a 1 1.0 t\nq3 Q0 a 1 1.0 t\nq4 Q0 c 1 1.0 t\n"
TWO = "q1 Q0 b 1 3.0 t\nq2 Q0 a 1 1.0 t\nq2 Q0 p 2 0.5 t\nq3 Q0 z 1 1.0 t\nother Q0 a 1 1.0 t\n"


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / name for name in ("judged.qrels", "one.run", "two.run")]
    for path, text in zip(paths, (QRELS, ONE, TWO), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def adds_up(entry):
    return entry["read"] == entry["kept"] + sum(entry["left_out"].values())


def data(capsys, *arguments):
    assert app.run(["trec", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["data"]


@pytest.mark.whole
def test_every_line_and_query_is_accounted_for(capsys, files):
    """Lines by file, and queries by measure, with the reasons why some are left out."""
    found = data(capsys, *files, "--metric", "AP", "--metric", "P@5")
    qrels, one, two = found["rows"]["of"]
    assert qrels["name"].endswith("judged.qrels")
    assert {k: qrels[k] for k in ("read", "kept", "left_out")} == {
        "read": 7, "kept": 5, "left_out": {"comment": 1, "negative-grade": 1},
    }  # fmt: skip
    assert one == {"name": "one", "read": 6, "kept": 5, "left_out": {"comment": 1}}
    assert two == {"name": "two", "read": 5, "kept": 4, "left_out": {"unjudged-query": 1}}
    assert {k: v for k, v in found["rows"].items() if k != "of"} == {
        "read": 18, "kept": 14, "left_out": {"comment": 2, "negative-grade": 1, "unjudged-query": 1},
    }  # fmt: skip
    assert found["queries"] == {
        "AP": {"read": 4, "kept": 3, "left_out": {"no-relevant": 1}},
        "P@5": {"read": 4, "kept": 4, "left_out": {}},
    }


def test_queries_that_a_run_lacks_are_accounted_for(capsys, files):
    """--only-common leaves out their lines, of judgments and of the other run."""
    found = data(capsys, *files, "--metric", "AP", "--metric", "P@5", "--only-common", "--no-relevant", "zero")
    qrels, one, two = found["rows"]["of"]
    assert qrels["left_out"] == {"comment": 1, "negative-grade": 1, "missing-in-run": 1}
    assert one["left_out"] == {"comment": 1, "missing-in-run": 1}
    assert two["left_out"] == {"unjudged-query": 1}
    assert found["queries"]["AP"] == {"read": 4, "kept": 3, "left_out": {"missing-in-run": 1}}
    entries = [found["rows"], *found["rows"]["of"], *found["queries"].values()]
    assert all(map(adds_up, entries))


def test_a_measure_without_values_says_so(capsys, files):
    """Queries that a measure has no value for are no-value."""
    runs = {"r": {q: {"a": 2.0, "z": 1.0} for q in ("q1", "q2", "q3")}}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    found = hs.score(hs.trec(qrels, runs, metrics=["Accuracy"])).to_dict()["data"]
    assert found["queries"]["Accuracy"] == {"read": 3, "kept": 2, "left_out": {"no-value": 1}}


def test_dicts_are_accounted_for_as_files_are(tmp_path):
    """Pairs of query and document stand for lines; regular and irregular files give the same account."""
    runs = {"one": {**RUNS_30["one"], "other": {"d1": 1.0, "d2": 2.0}}}
    text = "".join(f"{q} Q0 {d} 1 {s!r} tag\n" for q, docs in runs["one"].items() for d, s in docs.items())
    accounts = [hs.trec(QRELS_30, runs, metrics=["AP"]).lines]
    for change in (text, text.replace(" ", "  ")):
        path = tmp_path / "one"
        path.write_text(change)
        accounts.append(hs.trec(QRELS_30, [path], metrics=["AP"]).lines)
    assert accounts[0] == accounts[1] == accounts[2]
    assert accounts[0]["rows"]["of"][1]["left_out"] == {"unjudged-query": 2}


def test_accounts_add_up_with_their_items():
    """v + w has read the lines and queries of both."""
    other = {f"x{q}": d for q, d in QRELS_30.items()}
    runs = {name: {f"x{q}": d for q, d in run.items()} for name, run in RUNS_30.items()}
    v, w = hs.trec(QRELS_30, RUNS_30, metrics=["AP", "P@5"]), hs.trec(other, runs, metrics=["AP", "P@5"])
    both = hs.score(v + w).to_dict()["data"]
    assert both["rows"]["read"] == 2 * v.lines["rows"]["read"]
    assert both["queries"] == {name: {"read": 60, "kept": 60, "left_out": {}} for name in ("AP", "P@5")}
    assert len(both["rows"]["of"]) == 6
