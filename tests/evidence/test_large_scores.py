"""Scores and values beyond 2^53: whole numbers that doubles would make equal are refused, wherever they come from."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import howsure as hs
from howsure.cli import app

TRUTH = [0, 1, 0, 1]
LARGE = [2**53 + k for k in range(4)]
SMALL = [2**53 - k for k in range(4, 0, -1)]


def _csv(where: Path, scores: list[Any]) -> str:
    lines = [f"{t},{s}" for t, s in zip(TRUTH, scores, strict=True)]
    (where / "s.csv").write_text("\n".join(["truth,score", *lines, ""]))
    return str(where / "s.csv")


def _jsonl(where: Path, scores: list[Any]) -> str:
    lines = [json.dumps({"truth": t, "score": s}) for t, s in zip(TRUTH, scores, strict=True)]
    (where / "s.jsonl").write_text("\n".join(lines))
    return str(where / "s.jsonl")


def _parquet(where: Path, scores: list[Any]) -> str:
    pq.write_table(pa.table({"truth": TRUTH, "score": scores}), where / "s.parquet")
    return str(where / "s.parquet")


MADE = {
    "mapping": lambda _, scores: {"truth": TRUTH, "score": scores},
    "array": lambda _, scores: {"truth": TRUTH, "score": np.array(scores)},
    "pandas": lambda _, scores: pd.DataFrame({"truth": TRUTH, "score": scores}),
    "objects": lambda _, scores: pd.DataFrame({"truth": TRUTH, "score": pd.Series(scores, dtype=object)}),
    "polars": lambda _, scores: pl.DataFrame({"truth": TRUTH, "score": scores}),
    "lazy": lambda _, scores: pl.LazyFrame({"truth": TRUTH, "score": scores}),
    "pyarrow": lambda _, scores: pa.table({"truth": TRUTH, "score": scores}),
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_whole_scores_beyond_doubles_are_refused(made: Any, tmp_path: Path) -> None:
    """They would be ties, and the area under the curve another one; just below 2^53 they are not."""
    for verb in (hs.curve, hs.graded):
        columns = {"truth": "truth", "score": "score"} if verb is hs.curve else {"value": "score"}
        with pytest.raises(hs.HowsureError, match=r"score.* must be below 2\^53"):
            verb(made(tmp_path, LARGE), **columns)
    found = hs.curve(made(tmp_path, SMALL), truth="truth", score="score", metrics="auc")
    assert found["auc"].score == 0.75


def test_arrays_of_large_scores_are_refused() -> None:
    """Two sequences, and scores below -2^53."""
    for scores in (LARGE, np.array(LARGE), [-x for x in LARGE], np.array(LARGE, dtype=np.uint64)):
        with pytest.raises(hs.HowsureError, match=r"scores must be below 2\^53"):
            hs.curve(TRUTH, scores)


def test_doubles_of_that_size_are_taken() -> None:
    """What is a double already is as exact as it was given."""
    assert hs.curve(TRUTH, [1e300, 3e300, 2e300, 4e300], metrics="auc")["auc"].score == 1.0
    frame = pd.DataFrame({"truth": TRUTH, "score": [1e300, 3e300, 2e300, 4e300]})
    assert hs.curve(frame, metrics="auc")["auc"].score == 1.0


def test_databases_of_large_scores_are_refused() -> None:
    """SQLite holds whole numbers of 64 bits."""
    with sqlite3.connect(":memory:") as con:
        con.execute("CREATE TABLE t (truth INTEGER, score INTEGER)")
        con.executemany("INSERT INTO t VALUES (?, ?)", list(zip(TRUTH, LARGE, strict=True)))
        with pytest.raises(hs.HowsureError, match=r"column 'score' must be below 2\^53"):
            hs.curve(con, table="t", truth="truth", score="score")


def test_thresholds_beyond_doubles_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says so in one line; a threshold below is exact, whatever the scores are."""
    file = _csv(tmp_path, LARGE)
    line = ["score", file, "--truth", "truth", "--score", "score", "--threshold"]
    assert app.run([*line, "9007199254740993"]) == 2
    assert "must be below 2^53" in capsys.readouterr().err
    assert app.run([*line, "9007199254740991"]) == 0
