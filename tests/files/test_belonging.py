"""Ids that nobody named and that repeat are asked about in a note; nothing else of the result changes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.ingest import belonging
from howsure.notes import note

ROWS = {"qid": [f"q{i // 5}" for i in range(60)], "passed": [i % 3 > 0 for i in range(60)]}
ROWS |= {
    "topic": [f"t{i % 4}" for i in range(60)],
    "y": [i % 2 for i in range(60)],
    "z": [i % 3 % 2 for i in range(60)],
}
ROWS |= {"p": [(i * 7 % 60) / 60 for i in range(60)]}
TOLD = note("rows-together", column="qid", ids=12, rows=60)
OWN = {"outcome": "passed"}
WRITERS = {"csv": pl.DataFrame.write_csv, "jsonl": pl.DataFrame.write_ndjson, "parquet": pl.DataFrame.write_parquet}


def _asked(found: object) -> list[object]:
    return [n for n in found.notes if n.code == "rows-together"]  # type: ignore[attr-defined]


def _file(folder: Path, kind: str, rows: dict[str, list[object]]) -> Path:
    path = folder / f"a.{kind}"
    WRITERS[kind](pl.DataFrame(rows), path)
    return path


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_whose_ids_repeat_is_asked_about(kind: str, tmp_path: Path) -> None:
    """The note counts values and rows, those that conditions leave out apart; missing ids are no ids."""
    path = _file(tmp_path, kind, ROWS)
    assert _asked(hs.tally(path, **OWN)) == [TOLD]
    assert _asked(hs.tally(path, **OWN, where="topic=t0")) == [note("rows-together", column="qid", ids=12, rows=15)]
    alone = [None, None, *(f"q{i}" for i in range(58))]
    assert _asked(hs.tally(_file(tmp_path, kind, {**ROWS, "qid": alone}), **OWN)) == []
    twice = [None, None, "q7", *alone[3:]]
    expected = note("rows-together", column="qid", ids=57, rows=58)
    assert _asked(hs.tally(_file(tmp_path, kind, {**ROWS, "qid": twice}), **OWN)) == [expected]


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_rows_in_memory_are_asked_about(make: object) -> None:
    """Frames that are in memory, and columns by name."""
    assert _asked(hs.tally(make(ROWS), **OWN)) == [TOLD]  # type: ignore[operator]
    some = hs.tally(make(ROWS), **OWN, where="topic=t0")  # type: ignore[operator]
    assert _asked(some) == [note("rows-together", column="qid", ids=12, rows=15)]
    alone = {**ROWS, "qid": [None, None, *range(58)]}
    assert _asked(hs.tally(make(alone), **OWN)) == []  # type: ignore[operator]
    lists = {**ROWS, "qid": [[1, 2]] * 60}
    assert hs.tally(make(lists), **OWN).n == 60  # type: ignore[operator]


@pytest.mark.parametrize(
    "given",
    [
        {"outcome": "passed"}, {"truth": "y", "pred": "z"}, {"truth": "y", "score": "p"}, {"value": "p"},
        {"truth": "y", "score": "p", "threshold": 0.5},
    ],
    ids=["outcomes", "classes", "scores", "values", "cuts"],
)  # fmt: skip
def test_every_kind_that_takes_clusters_is_asked_and_no_number_changes(given: dict[str, object]) -> None:
    """The posterior is that of the same data without the column."""
    frame = pl.DataFrame(ROWS)
    found, plain = (hs.score(x, **given, tolerance=0.5) for x in (frame, frame.drop("qid")))
    assert _asked(found) == [TOLD]
    assert _asked(plain) == []
    assert found.to_dict()["rows"] == plain.to_dict()["rows"]


@pytest.mark.parametrize(
    "given",
    [{"by": "qid"}, {"cluster": "qid"}, {"cluster": "topic"}, {"where": "qid!=q0"}, {"item": "qid"}, {"count": "y"}],
    ids=lambda x: "".join(f"{k} {v}" for k, v in x.items()),
)
def test_an_id_that_has_a_role_is_not_asked_about(given: dict[str, str]) -> None:
    """Nor one beside clusters, or rows that are counts."""
    assert _asked(hs.tally(pl.DataFrame(ROWS), **OWN, **given)) == []


def test_what_costs_more_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows, large files of text, lazy frames, batches and databases are left alone."""
    frame = pl.DataFrame(ROWS)
    assert _asked(hs.tally(frame.lazy(), **OWN)) == []
    assert _asked(hs.tally(iter([frame]), **OWN)) == []
    connection = sqlite3.connect(":memory:")
    pd.DataFrame(ROWS).to_sql("t", connection)
    assert _asked(hs.tally(connection, table="t", **OWN)) == []
    connection.close()
    path = _file(tmp_path, "csv", ROWS)
    monkeypatch.setattr(belonging, "MOST_BYTES", path.stat().st_size - 1)
    assert _asked(hs.tally(path, **OWN)) == []
    assert _asked(hs.tally(_file(tmp_path, "parquet", ROWS), **OWN)) == [TOLD]
    monkeypatch.setattr(belonging, "MOST_ROWS", 59)
    assert _asked(hs.tally(frame, **OWN)) == []


@pytest.mark.parametrize(
    "words",
    [["score"], ["gate", "--require", "rate > 0.5"], ["predict", "--n", "10"]],
    ids=lambda x: x[0],
)
def test_commands_tell_what_to_type(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the words of the command, quoted as a shell needs it."""
    rows = {"Doc Id" if name == "qid" else name: x for name, x in ROWS.items()}
    path = _file(tmp_path, "csv", rows)
    assert run([*words, str(path), "--outcome", "passed", "--format", "json"]) in (0, 3)
    told = [n["text"] for n in json.loads(capsys.readouterr().out)["notes"] if n["code"] == "rows-together"]
    (text,) = told
    assert text == (
        "'Doc Id' has 12 values in 60 rows: if rows with one Doc Id belong together, such as answers to one question, "
        "give --cluster 'Doc Id'"
    )
