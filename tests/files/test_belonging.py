"""Rows that may not be independent: a warning with what to type, and a gate that stays inconclusive."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.io import row_checks

N = 150  # 30 questions, 5 samples each
QUESTION = [f"q{i // 5}" for i in range(N)]
ROWS = {"task_id": QUESTION, "passed": [i % 3 > 0 for i in range(N)]}
ROWS |= {
    "topic": [f"t{i % 4}" for i in range(N)],
    "y": [i % 2 for i in range(N)],
    "z": [i % 3 % 2 for i in range(N)],
    "p": [(i * 7 % N) / N for i in range(N)],
}
OWN = {"outcome": "passed"}
WRITERS = {"csv": pl.DataFrame.write_csv, "jsonl": pl.DataFrame.write_ndjson, "parquet": pl.DataFrame.write_parquet}
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table, dict]


def _warned(found: object) -> list[tuple[str, int, int]]:
    return [(n["column"], n["count"], n["rows"]) for n in found.notes if n.code == "repeated-units"]  # type: ignore[attr-defined]


def _file(folder: Path, kind: str, rows: dict[str, object], name: str = "a") -> Path:
    path = folder / f"{name}.{kind}"
    WRITERS[kind](pl.DataFrame(rows), path)
    return path


@pytest.mark.parametrize("kind", WRITERS)
def test_files(kind: str, tmp_path: Path) -> None:
    """Values and rows are counted after --where; missing values do not count."""
    path = _file(tmp_path, kind, ROWS)
    assert _warned(hs.tally(path, **OWN)) == [("task_id", 30, 150)]
    assert _warned(hs.tally(path, **OWN, where="topic!=t0")) == [("task_id", 30, 112)]
    once = [None, None, *(f"q{i}" for i in range(N - 2))]
    assert _warned(hs.tally(_file(tmp_path, kind, {**ROWS, "task_id": once}), **OWN)) == []


@pytest.mark.parametrize("make", FRAMES, ids=["pandas", "polars", "arrow", "dict"])
def test_frames(make: object) -> None:
    """Frames in memory, and columns by name; lists are no ids."""
    assert _warned(hs.tally(make(ROWS), **OWN)) == [("task_id", 30, 150)]  # type: ignore[operator]
    assert hs.tally(make({**ROWS, "task_id": [[1, 2]] * N}), **OWN).n == N  # type: ignore[operator]


@pytest.mark.parametrize(
    "given",
    [
        {"outcome": "passed"}, {"truth": "y", "pred": "z"}, {"truth": "y", "score": "p"}, {"value": "p"},
        {"truth": "y", "score": "p", "threshold": 0.5},
    ],
    ids=["outcomes", "classes", "scores", "values", "cuts"],
)  # fmt: skip
def test_every_kind_warns_and_no_number_changes(given: dict[str, object]) -> None:
    """The posterior is that of the same data without the column."""
    frame = pl.DataFrame(ROWS)
    found, plain = (hs.score(x, **given, tolerance=0.5) for x in (frame, frame.drop("task_id")))
    assert _warned(found) == [("task_id", 30, 150)]
    assert _warned(plain) == []
    assert found.to_dict()["rows"] == plain.to_dict()["rows"]


def _column(name: str, values: object) -> list[tuple[str, int, int]]:
    return _warned(hs.tally(pl.DataFrame({"passed": ROWS["passed"], name: values}), **OWN))


RNG = np.random.default_rng(5)
UNEQUAL = RNG.integers(0, 30, N)


@pytest.mark.parametrize(
    ("name", "values", "warns"),
    [
        ("task_id", QUESTION, True),
        ("testIdx", [i // 2 for i in range(N)], True),
        ("prompt", [f"{k}" for k in UNEQUAL], True),
        ("shade", QUESTION, True),  # groups of one size
        ("shade", [f"s{k}" for k in UNEQUAL], False),
        ("shade", [f"Which of these is number {k}?" for k in UNEQUAL], True),  # long texts
        ("age", UNEQUAL, False),
        ("seconds", [k + 0.5 for k in UNEQUAL], False),
        ("task_id", [k + 0.5 for k in UNEQUAL], False),  # numbers with decimals are no ids
        ("task_id", [f"q{i // 8}" for i in range(N)], False),  # 19 values
        ("task_id", [f"q{i}" for i in range(N)], False),
        ("day", [f"2026-01-{i // 5 + 1:02d}" for i in range(N)], False),
        ("valid", [f"s{k}" for k in UNEQUAL], False),
        ("label", QUESTION, False),  # the usual name of another role
    ],
)
def test_the_rule(name: str, values: object, warns: bool) -> None:
    """Names of ids, groups of one size, and long texts; not ages, numbers, dates or few values."""
    assert bool(_column(name, values)) is warns


def test_another_prediction_is_no_unit() -> None:
    """A column whose values are mostly classes of the data holds labels of another system."""
    classes = [f"c{i % 30}" for i in range(N)]
    frame = pl.DataFrame({"y": classes, "a": classes, "b": classes[::-1]})
    assert _warned(hs.tally(frame, truth="y", pred="a")) == []


@pytest.mark.parametrize("name", ["model", "provider", "provider.label", "run", "Model"])
def test_rows_of_several_systems_are_warned_of(name: str, tmp_path: Path) -> None:
    """With the options that take them apart; one system alone, or very many, is no mixture."""
    mixed = {"passed": ROWS["passed"], name: [f"m{i % 3}" for i in range(N)], "testIdx": [i // 3 for i in range(N)]}
    found = hs.tally(pl.DataFrame(mixed), **OWN)
    assert _warned(found) == [(name, 3, 150)]
    (text,) = (n.text for n in found.notes if n.code == "repeated-units")
    assert f"system={name!r}, item='testIdx'" in text
    assert f"where='{name}=m0'" in text
    alone = {"passed": ROWS["passed"], name: ["m"] * N}
    assert _warned(hs.tally(pl.DataFrame(alone), **OWN)) == []
    assert _warned(hs.tally(_file(tmp_path, "csv", mixed), **OWN)) == [(name, 3, 150)]


@pytest.mark.parametrize(
    "given",
    [
        {"by": "task_id"}, {"cluster": "task_id"}, {"cluster": "topic"}, {"item": "task_id"},
        {"count": "y"},
    ],
    ids=lambda x: "".join(f"{k} {v}" for k, v in x.items()),
)  # fmt: skip
def test_a_column_that_has_a_role_is_not_warned_of(given: dict[str, str]) -> None:
    """Nor one beside clusters, or rows that are counts."""
    assert _warned(hs.tally(pl.DataFrame(ROWS), **OWN, **given)) == []


def test_what_costs_more_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows, large files of text, lazy frames, batches and databases are left alone."""
    frame = pl.DataFrame(ROWS)
    assert _warned(hs.tally(frame.lazy(), **OWN)) == []
    assert _warned(hs.tally(iter([frame]), **OWN)) == []
    connection = sqlite3.connect(":memory:")
    pd.DataFrame(ROWS).to_sql("t", connection)
    assert _warned(hs.tally(connection, table="t", **OWN)) == []
    connection.close()
    path = _file(tmp_path, "csv", ROWS)
    monkeypatch.setattr(row_checks, "MOST_BYTES", path.stat().st_size - 1)
    assert _warned(hs.tally(path, **OWN)) == []
    assert _warned(hs.tally(_file(tmp_path, "parquet", ROWS), **OWN)) == [("task_id", 30, 150)]
    monkeypatch.setattr(row_checks, "MOST_ROWS", N - 1)
    assert _warned(hs.tally(frame, **OWN)) == []


def test_commands_say_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the words of the command, quoted as a shell needs it."""
    path = _file(tmp_path, "csv", {"Doc Id" if name == "task_id" else name: x for name, x in ROWS.items()})
    for words in (["score"], ["gate", "--require", "rate > 0.5"], ["forecast", "--n", "10"]):
        assert run([*words, str(path), "--outcome", "passed", "--format", "json"]) in (0, 3)
        notes = json.loads(capsys.readouterr().out)["notes"]
        (text,) = (n["text"] for n in notes if n["code"] == "repeated-units")
        assert text == (
            "rows may not be independent: 'Doc Id' has 30 values in 150 rows. If rows with the same Doc Id belong "
            "together, such as samples of one question, give --cluster 'Doc Id'; otherwise give --independent-rows"
        )


def _gate(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = run(["gate", *words, "--outcome", "passed", "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_gate_neither_passes_nor_fails_on_repeated_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is inconclusive, says why, and asks for no more items, until the user says what the rows are."""
    path = str(_file(tmp_path, "csv", {"task_id": QUESTION, "passed": [i % 5 > 0 for i in range(N)]}))
    for limit in ("rate > 0.5", "rate > 0.99"):
        code, found = _gate(capsys, path, "--require", limit)
        (row,) = found["rows"]
        assert (code, found["status"], row["reason"], row["more"]) == (3, "inconclusive", "repeated-units", None)
        assert str(found["verdict"]).startswith("Inconclusive: rows may not be independent")
    assert _gate(capsys, path, "--require", "rate > 0.5", "--cluster", "task_id")[0] == 0
    code, found = _gate(capsys, path, "--require", "rate > 0.5", "--independent-rows")
    assert (code, found["rows"][0]["reason"]) == (0, None)
    assert [n["level"] for n in found["notes"] if n["code"] == "rows-independent"] == ["note"]
    code, found = _gate(capsys, path, "--require", "rate > 0.5", "--where", "task_id!=q1")
    assert (code, found["rows"][0]["reason"]) == (3, "repeated-units")  # a condition says nothing of the rows
    assert hs.gate(pl.read_csv(path), "rate > 0.5", outcome="passed").status == "inconclusive"
    assert hs.gate(pl.read_csv(path), "rate > 0.5", outcome="passed", independent_rows=True).status == "pass"


def test_independent_rows_contradict_clusters() -> None:
    """One of the two is wrong; arrays have no other columns."""
    with pytest.raises(hs.HowsureError, match="give cluster= or independent_rows=, not both"):
        hs.tally(pl.DataFrame(ROWS), **OWN, cluster="task_id", independent_rows=True)
    with pytest.raises(hs.HowsureError, match="independent_rows= takes True or False"):
        hs.tally(pl.DataFrame(ROWS), **OWN, independent_rows="yes")


TWICE = {
    "doc": [f"d{i % 130}" for i in range(260)],
    "language": ["de"] * 130 + ["en"] * 130,
    "passed": [i % 7 > 0 for i in range(260)],
    "other": [i % 5 > 0 for i in range(260)],
}


def test_slices_that_share_items_have_no_row_of_all_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """260 rows are 130 documents twice: each slice is right, all rows together are no sample of 260."""
    frame = pl.DataFrame(TWICE)
    r = hs.score(frame, outcome="passed", by="language")
    assert [row["slice"] for row in r.to_dict()["rows"]] == [{"language": x} for x in ("de", "en")]
    assert [n.code for n in r.notes if n.code in ("slices-share-items", "repeated-units")] == ["slices-share-items"]
    c = hs.compare(frame, outcome=["passed", "other"], by="language")
    assert len(c.to_dict()["rows"]) == 2
    some = hs.score(frame.head(129).vstack(frame.tail(130)), outcome="passed", by="language", independent_rows=True)
    assert len(some.to_dict()["rows"]) == 3
    path = str(_file(tmp_path, "csv", TWICE))
    need = ("--require", "rate > 0.5 in language=de")
    code, found = _gate(capsys, path, *need)
    assert (code, [n for n in found["notes"] if n["code"] == "slices-share-items"]) == (0, [])
    code, found = _gate(capsys, path, *need, "--require", "rate > 0.5")
    assert (code, [x["reason"] for x in found["rows"]]) == (3, [None, "slices-share-items"])


def test_the_shipped_examples_raise_no_false_alarm() -> None:
    """Only files with several samples of a question are warned of."""
    examples = Path(__file__).parents[2] / "examples"
    asked = {
        "breast_cancer.csv": {"truth": "truth", "pred": "logistic"}, "wine.csv": {"truth": "truth", "pred": "tree"},
        "studies/medical.csv": {"truth": "disease", "pred": "new", "missing": "drop"},
        "studies/spam_test.csv": {"truth": "label", "score": "p_spam", "positive": "spam"},
    }  # fmt: skip
    for name, given in asked.items():
        assert _warned(hs.score(str(examples / name), **given, tolerance=0.2)) == [], name
    assert _warned(hs.tally(str(examples / "logistic.jsonl"), outcome="passed"))[0][0] == "question"
    assert _warned(hs.score(str(examples / "studies/two_models.csv")))[0][0] == "model"


def test_files_of_systems_are_looked_at(tmp_path: Path) -> None:
    """Two files that are joined on ids of their rows; the ids themselves have a role."""
    rows = {"id": list(range(N)), "task": QUESTION, "passed": ROWS["passed"]}
    files = {name: str(_file(tmp_path, "csv", rows, name)) for name in ("a", "b")}
    assert _warned(hs.compare(files, outcome="passed", on="id")) == [("task", 30, 150)]
    assert _warned(hs.compare(files, outcome="passed", on=["id", "task"])) == []
    assert _warned(hs.compare(files, outcome="passed", on="id", independent_rows=True)) == []
    assert _warned(hs.compare(files, outcome="passed", cluster="task")) == []


def test_plans_tell_of_their_pilot(tmp_path: Path) -> None:
    """What is wrong with a pilot is wrong with the plan."""
    path = _file(tmp_path, "csv", ROWS)
    found = hs.plan(pilot=hs.tally(path, **OWN), metric="rate", width=0.1)
    assert found.to_dict()["notes"][0]["code"] == "repeated-units"
