"""Counts that are too large to be exact are refused in one sentence, however they come and are added up."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from howsure.errors import BadCounts
from howsure.io.entrance import evidence

ASKED = {"truth": "y", "pred": "p", "count": "c"}


def _places(folder: Any, count: Any, kind: Any = pl.UInt64) -> dict[str, tuple[Any, dict[str, str]]]:
    """The same eight rows in every place that takes counts of this size, one for all rows or one for each."""
    counts = count if isinstance(count, list) else [count] * 8
    rows = [{"y": i % 2, "p": i // 2 % 2, "c": c} for i, c in enumerate(counts)]
    (folder / "a.csv").write_text("y,p,c\n" + "".join(f"{r['y']},{r['p']},{r['c']}\n" for r in rows))
    (folder / "a.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    frame = pl.DataFrame(rows, schema={"y": pl.Int64, "p": pl.Int64, "c": kind})
    frame.write_parquet(folder / "a.parquet")
    found = {x: (str(folder / f"a.{x}"), {}) for x in ("csv", "jsonl", "parquet")}
    found |= {"polars": (frame, {}), "lazy": (frame.lazy(), {}), "pandas": (frame.to_pandas(), {})}
    found |= {"arrow": (frame.to_arrow(), {}), "columns": ({x: frame[x].to_list() for x in "ypc"}, {})}
    duck = duckdb.connect()
    duck.execute(f"CREATE TABLE t AS SELECT * FROM '{folder / 'a.parquet'}'")
    found |= {"relation": (duck.table("t"), {}), "duckdb": (duck, {"table": "t"})}
    if max(counts) < 2**63:
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE t (y, p, c)")
        base.executemany("INSERT INTO t VALUES (:y, :p, :c)", rows)
        found["sqlite"] = (base, {"table": "t"})
    return found


@pytest.mark.parametrize("count", [2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1])
def test_every_place_refuses_counts_that_are_not_exact(tmp_path, count):
    """Sums of such counts turned negative from 2^63 on, or were an engine's own error."""
    for name, (data, where) in _places(tmp_path, count).items():
        with pytest.raises(BadCounts, match=r"are not exact; got [0-9]"):
            pytest.fail(f"{name}: {evidence(data, **ASKED, **where)}")


@pytest.mark.parametrize(("first", "second"), [(2**53 + 1, 3), (2**53 - 1, 1), (2**53 - 2, 3)])
def test_counts_are_refused_where_doubles_may_have_rounded_them(tmp_path, first, second):
    """2^53 + 1 was read as 2^53, which passed; so would a sum of 2^53 + 1."""
    for name, (data, where) in _places(tmp_path, [first, 3, 2, 1, second, 1, 1, 1]).items():
        if name == "columns" and first + second == 2**53:
            continue  # added up as whole numbers
        with pytest.raises(BadCounts, match=r"are not exact; got 900[0-9]+\.$"):
            pytest.fail(f"{name}: {evidence(data, **ASKED, **where)}")
    for name, (data, where) in _places(tmp_path, [2**53 - 3, 1, 1, 1, 2, 1, 1, 1]).items():
        assert evidence(data, **ASKED, **where).counts.max() == 2**53 - 1, name


@pytest.mark.parametrize(
    "counts", [[0.5, 1, 1, 1, 0.5, 1, 1, 1], [1, 1, 1, 0.1, 1, 1, 1, 2.9], [1.5, 2, 2, 2, 1, 1, 1, 1]]
)
def test_every_place_refuses_fractions_of_counts(tmp_path, counts):
    """Two halves in one cell added up to a whole number, and passed."""
    for name, (data, where) in _places(tmp_path, counts, pl.Float64).items():
        with pytest.raises(BadCounts, match="counts must be whole numbers; column 'c' holds fractions"):
            pytest.fail(f"{name}: {evidence(data, **ASKED, **where)}")
        kept = where | {"where": "y=0", "missing": "drop"}
        if counts[3] != 0.1:
            with pytest.raises(BadCounts, match="column 'c' holds fractions"):
                pytest.fail(f"{name}: {evidence(data, **ASKED, **kept)}")
        else:
            assert evidence(data, **ASKED, **kept).n == 4, name


def test_files_of_systems_refuse_fractions_of_counts(tmp_path):
    """Joined on ids, two rows fall into one cell."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,y,p,c\n1,1,1,0.5\n2,1,1,0.5\n3,0,0,3\n")
    with pytest.raises(BadCounts, match="column 'c' holds fractions"):
        evidence({x: str(tmp_path / f"{x}.csv") for x in "ab"}, **ASKED, on="id")


def test_every_place_adds_up_counts_that_are(tmp_path):
    """Two of 2^51 are 2^52, in each of four cells."""
    for name, (data, where) in _places(tmp_path, 2**51).items():
        found = evidence(data, **ASKED, **where)
        assert found.counts.tolist() == [2**52] * 4, name
        assert found.n == 2**54


@pytest.mark.deep
def test_batches_that_each_are_exact_do_not_turn_negative():
    """3,000 batches of 2^52 are beyond 2^63: the sum of their whole numbers was negative."""
    batches = (pd.DataFrame({"y": [0, 1], "p": [0, 1], "c": [2**52] * 2}) for _ in range(3000))
    with pytest.raises(BadCounts, match="are not exact"):
        evidence(batches, **ASKED)
    wide = (pd.DataFrame({"y": np.arange(2), "s": [i, i + 0.5], "c": [2**53 - 1] * 2}) for i in range(600))
    with pytest.raises(BadCounts, match=r"more than 2\^62"):
        evidence(wide, truth="y", score="s", count="c")
