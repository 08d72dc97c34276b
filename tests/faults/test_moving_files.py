"""Files that change, shrink, grow or vanish between two looks at them: numbers of whole rows, or one sentence."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path

import pytest

from howsure.io.files import Files
from tests.hostile.running import Ran, ran, wrong_with
from tests.tiers import some

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
    from howsure import _trec

    judged, run = tmp_path / "qrels", tmp_path / "run"
    judged.write_text("".join(f"q{i} 0 d{j} {j % 2}\n" for i in range(9) for j in range(6)))
    run.write_text("".join(f"q{i} Q0 d{j} {j} {9 - j} s\n" for i in range(9) for j in range(6)))
    given, done = _trec.rank, []

    def rank(*a: object, **k: object) -> object:
        if not done:
            done.append(change(run))
        return given(*a, **k)

    monkeypatch.setattr(_trec, "rank", rank)
    keeps_the_rules(ran(("trec", str(judged), str(run), "--metric", "AP", "--format", "json")))
    assert done


LARGE = 1_000  # times the rows of the others
PAD = "x" * 200  # in every row, so that DuckDB takes several blocks of the file, one after the other


def make_large(path: Path) -> None:
    """A file of nearly 100 MB, before it is packed."""
    if path.suffix == ".parquet":
        import numpy as np
        import pyarrow as pa
        from pyarrow import parquet as writing

        drawn = np.random.default_rng(1).random((2, 5 * ROWS * LARGE))  # so that it is not small when packed
        table = pa.table({"y": drawn[0] > 0.5, "z": drawn[1] > 0.5, "s": drawn[0], "t": drawn[1]})
        writing.write_table(table, path, row_group_size=ROWS * 100)
        return
    lines = CSV.splitlines()[1:] if ".csv" in path.name else LINES.splitlines()
    rows = "".join(f"{x},{PAD}\n" if ".csv" in path.name else f'{x[:-1]}, "t": "{PAD}"}}\n' for x in lines).encode()
    head = b"y,z,t\n" if ".csv" in path.name else b""
    held = head + rows * LARGE
    path.write_bytes(gzip.compress(held, 1) if path.suffix == ".gz" else held)


@pytest.mark.parametrize("change", [cut, empty, gone, grown], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", some(["x.csv", "x.jsonl", "x.parquet", "x.csv.gz"], every=3))
def test_a_file_that_changes_while_its_rows_are_read(name, change, tmp_path, monkeypatch) -> None:
    """In another thread, while DuckDB is at it: a sentence where it was cut, and never half of it taken for all."""
    path, given, began = tmp_path / name, Files.run, []
    make_large(path)

    def run(self: Files, query: str, bound: dict) -> dict:
        if not began:
            began.append(threading.Timer(0.02, change, (path,)))
            began[0].start()
        try:
            return given(self, query, bound)
        finally:
            began[0].join()  # on a fast machine it comes right after the rows, and before the files are closed

    monkeypatch.setattr(Files, "run", run)
    made = ran(("score", str(path), *WORDS))
    keeps_the_rules(made)
    if change in (cut, empty):
        assert made.code == 2
        assert "was cut or removed while it was read" in made.err
    elif made.code == 0:
        assert made.rows["read"] >= ROWS * LARGE
