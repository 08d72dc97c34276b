"""Words for a missing number in columns of scores, values, weights and counts; and texts that are no number."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadLabels
from howsure.io.entrance import evidence
from howsure.messages.notes import note
from tests import tiers

N = 24
WORDS = ("", "NA", "n/a", "NaN", "null", "None", "#N/A", "<NA>")
ASKED: dict[str, dict[str, Any]] = {
    "score": {"truth": "y", "score": "x"},
    "binned score": {"truth": "y", "score": "x", "bins": 5},
    "cut score": {"truth": "y", "score": "x", "threshold": 3},
    "value": {"value": "x"},
    "weight": {"truth": "y", "pred": "p", "weight": "x"},
    "weight of a score": {"truth": "y", "score": "s", "weight": "x"},
    "weight of a value": {"value": "s", "weight": "x"},
    "weight of a binned score": {"truth": "y", "score": "s", "weight": "x", "bins": 5},
    "count": {"truth": "y", "pred": "p", "count": "x"},
}


def rows(word: Any, *, keep: bool = True) -> list[dict[str, Any]]:
    """Rows of which two have a word in place of a number, or none of these two."""
    made = [{"y": i % 2, "p": i // 3 % 2, "s": i * 7 % 11 / 8, "x": 1 + i % 5} for i in range(N)]
    return [r | ({"x": word} if i in (5, 8) else {}) for i, r in enumerate(made) if keep or i not in (5, 8)]


def _csv(made: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "a.csv"
    path.write_text("y,p,s,x\n" + "".join(",".join(str(v) for v in r.values()) + "\n" for r in made))
    return str(path)


def _json(made: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in made))
    return str(path)


def _parquet(made: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "a.parquet"
    pl.DataFrame([r | {"x": str(r["x"])} for r in made]).write_parquet(path)
    return str(path)


FILES: dict[str, Callable[[list[dict[str, Any]], Path], str]] = {"csv": _csv, "json": _json, "parquet": _parquet}


def _same(a: Any, b: Any) -> bool:
    bare = [hs.posterior(x) for x in (a, b)]
    return repr(bare[0]) == repr(bare[1]) and a.n == b.n


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("write", FILES.values(), ids=FILES)
def test_words_for_a_missing_number(tmp_path, write, name):
    """They are refused with the way out, and left out when asked, as if the rows were not there.

    Each word in each kind of file; with each column only when deep.
    """
    asked, turn = ASKED[name], slice(None) if tiers.tier == "deep" else slice(list(ASKED).index(name) % 4, None, 4)
    whole = evidence(write(rows(0, keep=False), tmp_path), **asked)
    for word in WORDS[turn]:
        path = write(rows(word), tmp_path)
        with pytest.raises(BadLabels, match=r"missing.*drop"):
            evidence(path, **asked)
        found = evidence(path, **asked, missing="drop")
        assert _same(found, whole), word
        assert "missing-dropped" in {n.code for n in found.notes}
    for bad in ("x7", "1_000", "0_9", "1e1_0")[turn]:  # DuckDB takes 1_000 for 1000
        path = write(rows(bad), tmp_path)
        for missing in ("refuse", "drop"):
            with pytest.raises(BadLabels, match=f"column 'x' holds '{bad}', which is not a number; write a number"):
                evidence(path, **asked, missing=missing)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_missing_numbers_of_frames_and_databases(asked):
    """None in frames, columns in memory and a database."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (y INTEGER, p INTEGER, s REAL, x REAL)")
    base.executemany("INSERT INTO t VALUES (:y, :p, :s, :x)", rows(None))
    whole = evidence(pl.DataFrame(rows(0, keep=False)), **asked)
    columns = {name: [r[name] for r in rows(None)] for name in "ypsx"}
    for data, where in (
        (pl.DataFrame(rows(None)), {}), (pl.DataFrame(rows(None)).lazy(), {}), (pd.DataFrame(rows(None)), {}),
        (columns, {}), (base, {"table": "t"}),
    ):  # fmt: skip
        with pytest.raises(BadLabels, match=r"missing.*drop"):
            evidence(data, **asked, **where)
        assert _same(evidence(data, **asked, **where, missing="drop"), whole), type(data)


def test_text_of_a_database_with_underscores_is_no_number():
    """DuckDB casts 1_000 to 1000; a text that spells a number is one."""
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT 1 AS y, 1 AS p, '1_000' AS x")
    asked = {"truth": "y", "pred": "p", "count": "x", "table": "t"}
    with pytest.raises(BadFile, match="no number: 1_000"):
        evidence(con, **asked)
    con.execute("UPDATE t SET x = '7'")
    assert evidence(con, **asked).n == 7


def test_what_was_left_out_is_told(tmp_path):
    """A note counts the rows without a weight, also of several systems."""
    asked = {"truth": "y", "pred": "p", "weight": "x", "missing": "drop"}
    left = note("missing-dropped", form="amount", count=2, what="weight")
    assert left in evidence(_csv(rows("N/A"), tmp_path), **asked).notes
    assert left.text == "2 rows without a weight were left out"
    long = [r | {"id": i, "m": m} for m in "ab" for i, r in enumerate(rows(None))]
    assert left in evidence(pl.DataFrame(long), **asked, item="id", system="m").notes
    for name in "ab":
        _csv([r | {"id": i} for i, r in enumerate(rows("N/A"))], tmp_path)
        text = (tmp_path / "a.csv").read_text().replace("y,p,s,x", "y,p,s,x,id")
        (tmp_path / f"{name}_.csv").write_text(text)
    files = {name: str(tmp_path / f"{name}_.csv") for name in "ab"}
    assert left in evidence(files, **asked, on="id").notes
