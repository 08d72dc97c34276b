"""Conditions on values that not every engine has: missing ones of pandas, lists, records; and what conditions cost."""

from __future__ import annotations

import contextlib
import gc
import json
import sqlite3

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadSetting
from howsure.io import formats

LABELS = {"y": [0, 1, 0, 1], "z": [0, 1, 1, 1]}


def kept(data, where, **more):
    """How many rows a condition keeps."""
    return hs.tally(data, truth="y", pred="z", where=where, **more).account.kept


@pytest.mark.parametrize("dtype", ["Int64", "float[pyarrow]", "Float64", "int64[pyarrow]", "object"])
def test_columns_of_pandas_in_a_mapping(dtype):
    """What is missing in them fulfils nothing, as in a frame."""
    import pandas as pd

    for own, where in (([1, None, 3, 4], "a>2"), ([1, pd.NA, 3, 4], "a!=1")):
        columns = {**LABELS, "a": pd.Series(own, dtype=dtype)}
        assert kept(columns, where) == kept(pd.DataFrame(columns), where) == 2


def test_singles_of_pandas_in_a_mapping():
    """A value is rounded as the column was."""
    import pandas as pd

    for dtype in ("float32", "Float32", "float[pyarrow]"):
        columns = {**LABELS, "a": pd.Series([0.1, 0.2, 0.1, None], dtype=dtype)}
        assert kept(columns, "a=0.1") == kept(pd.DataFrame(columns), "a=0.1") == 2


def nested_places(values, folder):
    """Lists or records in every place that can hold them."""
    import duckdb
    import pandas as pd
    import polars as pl

    frame = pl.DataFrame({**LABELS, "a": values})
    frame.write_parquet(folder / "a.parquet")
    rows = [dict(zip(("y", "z", "a"), x, strict=True)) for x in zip(LABELS["y"], LABELS["z"], values, strict=True)]
    (folder / "a.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows), encoding="utf-8")
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS FROM '{folder / 'a.parquet'}'")
    yield {**LABELS, "a": values}, {}
    yield frame, {}
    yield frame.lazy(), {}
    yield frame.to_arrow(), {}
    yield pd.DataFrame({**LABELS, "a": values}), {}
    yield frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype), {}
    yield con.table("t"), {}
    yield con, {"table": "t"}
    yield folder / "a.parquet", {}
    yield folder / "a.jsonl", {}


@pytest.mark.parametrize("where", ["a=1", "a!=1", "a>1", "a=x", "a>2024-01-01"])
@pytest.mark.parametrize(
    ("values", "words"), [([[1], [2], [1, 2], [3]], "lists"), ([{"b": 1}, {"b": 2}, {"b": 1}, {"b": 3}], "records")]
)
def test_lists_and_records_have_one_sentence(where, values, words, tmp_path):
    """They are no plain values, wherever they are."""
    for data, more in nested_places(values, tmp_path):
        with pytest.raises(BadSetting, match=f"needs one plain value per row, but column 'a' holds {words}"):
            kept(data, where, **more)


def test_tuples_and_arrays_are_lists():
    """Whether Python can hash them or not."""
    for values in ([(1,), (2,), (1, 2), (3,)], [np.array([1])] * 4, [{1}, {2}, {1}, {3}]):
        with pytest.raises(BadSetting, match="holds lists"):
            kept({**LABELS, "a": values}, "a>1")


def test_nothing_stays_on_a_connection():
    """What judges values in SQLite, and remembers them, is gone, after a result and after a refusal."""
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE t (y, z, a)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", [(0, 0, 1), (1, 1, 5), (0, 1, "x"), (1, 1, 9)])
    for where in (["a!=1"], ["a>3"], ["a>100", "y=1"]):
        with contextlib.suppress(hs.HowsureError):
            hs.score(con, table="t", truth="y", pred="z", where=where)
        for (name,) in con.execute("SELECT name FROM pragma_function_list WHERE name LIKE 'howsure%'").fetchall():
            with pytest.raises(sqlite3.OperationalError):
                con.execute(f"SELECT {name}(5)").fetchall()
    gc.collect()
    held = [getattr(x, "__qualname__", "") for x in gc.get_objects() if type(x).__name__ == "_lru_cache_wrapper"]
    assert not [x for x in held if x.startswith("by_function.")]


def test_a_value_with_a_sign_costs_no_second_look(tmp_path, monkeypatch):
    """JSON is looked at as a whole only for fields that its beginning has not."""
    rows = [{**dict(zip(("y", "z"), x, strict=True)), "url": "u5=b"} for x in zip(*LABELS.values(), strict=True)]
    rows[3]["url"], rows[3]["late"] = "other", 1
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(x) + "\n" for x in rows), encoding="utf-8")
    asked = []
    names = formats._json_names
    monkeypatch.setattr(formats, "_json_names", lambda *x: asked.append(x[2]) or names(*x))
    assert kept(path, "url!=u5=b") == 1
    assert not [x for x in asked if "sample_size" in x]
    with pytest.raises(hs.HowsureError, match="no column named 'uri'"):
        kept(path, "uri=u5=b")
    assert [x for x in asked if "sample_size" in x]
