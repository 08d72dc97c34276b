"""Files that change, shrink, grow or vanish between two looks at them: numbers of whole rows, or one sentence."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from howsure.ingest.files import Files
from tests.hostile.running import Ran, ran, wrong_with

ROWS = 400
CSV = "y,z\n" + "1,1\n0,1\n1,0\n0,0\n" * (ROWS // 4)
LINES = "".join(json.dumps({"y": i % 2, "z": i // 2 % 2}) + "\n" for i in range(ROWS))
WORDS = ("--truth", "y", "--pred", "z", "--metric", "f1", "--metric", "f2", "--format", "json")


def parquet(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as writing

    writing.write_table(pa.table({"y": [0, 1] * (ROWS // 2), "z": [0, 0, 1, 1] * (ROWS // 4)}), path)


def make(path: Path) -> None:
    """A whole file of that suffix."""
    if path.suffix == ".parquet":
        parquet(path)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(CSV.encode()))
    else:
        path.write_text(CSV if path.suffix == ".csv" else LINES)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def gone(path: Path) -> None:
    path.unlink()


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(path.read_bytes())


def other(path: Path) -> None:
    path.write_bytes(b"\0\1\2 nothing of the kind" * 50)


@pytest.mark.parametrize("change", [cut, empty, gone, grown, other], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.csv.gz"])
def test_a_file_that_changes_after_the_first_look(name, change, tmp_path, monkeypatch) -> None:
    """After its columns are known and before its rows are counted: never an error of our own, rows always add up."""
    path, given, done = tmp_path / name, Files.run, []
    make(path)

    def run(self: Files, query: str, bound: dict) -> dict:
        if not done:
            done.append(change(path))
        return given(self, query, bound)

    monkeypatch.setattr(Files, "run", run)
    made = ran(("score", str(path), *WORDS))
    assert done
    keeps_the_rules(made)
    if made.code == 0 and change in (cut, grown):
        assert made.rows["read"] in range(ROWS // 3, 2 * ROWS + 1)
    if change is gone:
        assert made.code == 2
        assert name in made.err


def keeps_the_rules(made: Ran) -> None:
    """Exit 0 or 2, one sentence, no trace, no words of DuckDB's."""
    assert not wrong_with(made), wrong_with(made)


@pytest.mark.parametrize("change", [cut, empty, gone], ids=lambda f: f.__name__)
def test_runs_that_change_while_they_are_read(change, tmp_path, monkeypatch) -> None:
    """A run is cut after the judgments are read."""
    from howsure.ranking import queries

    judged, run = tmp_path / "qrels", tmp_path / "run"
    judged.write_text("".join(f"q{i} 0 d{j} {j % 2}\n" for i in range(9) for j in range(6)))
    run.write_text("".join(f"q{i} Q0 d{j} {j} {9 - j} s\n" for i in range(9) for j in range(6)))
    given, done = queries.rank, []

    def rank(*a: object, **k: object) -> object:
        if not done:
            done.append(change(run))
        return given(*a, **k)

    monkeypatch.setattr(queries, "rank", rank)
    keeps_the_rules(ran(("trec", str(judged), str(run), "--metric", "AP", "--format", "json")))
    assert done
