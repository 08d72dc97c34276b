"""The law of conditions: in every place those rows that a filter in plain Python keeps; and all are accounted for."""

from __future__ import annotations

import csv
import json
import sqlite3
from decimal import Decimal
from functools import cache
from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadLabels, BadSetting
from tests import tiers
from tests.engines.condition_cases import ASKED, ROWS, TYPES, expected

COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}


def polars(_):
    import polars as pl

    return pl.DataFrame(COLUMNS), {}


def lazy(_):
    return polars(_)[0].lazy(), {}


def arrow(_):
    return polars(_)[0].to_arrow(), {}


def pandas(_):
    import pandas as pd

    frame = polars(_)[0].to_pandas()
    frame["ns"] = pd.array(COLUMNS["ns"], dtype="Int64")  # with gaps pandas would make doubles of them
    return frame, {}


def arrow_pandas(_):
    import pandas as pd

    return arrow(_)[0].to_pandas(types_mapper=pd.ArrowDtype), {}


def objects(_):
    import pandas as pd

    return pd.DataFrame(COLUMNS, dtype=object), {}


def batches(_):
    frame = polars(_)[0]
    return iter([frame[:50], frame[50:]]), {}


def dask(_):
    import dask.dataframe as dd

    return dd.from_pandas(arrow_pandas(_)[0], npartitions=3), {}


def relation(_):
    import duckdb

    con = duckdb.connect()
    con.register("rows", arrow(_)[0])
    return con.table("rows"), {}


def ibis(_):
    import ibis

    return ibis.memtable(arrow(_)[0]), {}


def mapping(_):
    return COLUMNS, {}


def arrays(_):
    return {name: np.array(x, dtype=object) for name, x in COLUMNS.items()}, {}


def plain(x):
    if x is None or isinstance(x, (int, float, str)):
        return x
    return str(x) if isinstance(x, Decimal) else x.isoformat()


def csv_file(folder):
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in ROWS:
            writer.writerow([str(x).lower() if isinstance(x, bool) else plain(x) for x in row.values()])
    return folder / "a.csv", {}


def json_file(folder):
    lines = [json.dumps({name: plain(x) for name, x in row.items()}) + "\n" for row in ROWS]
    (folder / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder / "a.jsonl", {}


def parquet_file(folder):
    polars(folder)[0].write_parquet(folder / "a.parquet")
    return folder / "a.parquet", {}


def filled(con, mark, literal=lambda x: x, types=TYPES):
    cursor = con.cursor()
    kinds = [f'"{name}" {types.get(name, "TEXT")}' for name in COLUMNS]
    cursor.execute(f"CREATE TABLE t ({', '.join(kinds)})")
    marks = ", ".join([mark] * len(COLUMNS))
    cursor.executemany(f"INSERT INTO t VALUES ({marks})", [[literal(x) for x in row.values()] for row in ROWS])
    con.commit()
    return con, {"table": "t"}


def sqlite(_):
    types = {**TYPES, "exact": "TEXT"}  # its decimals are doubles
    return filled(sqlite3.connect(":memory:"), "?", lambda x: x if isinstance(x, bool) else plain(x), types)


def duckdb_connection(_):
    import duckdb

    return filled(duckdb.connect(), "?")


FRAMES = (polars, lazy, arrow, pandas, arrow_pandas, objects, batches, dask, relation, ibis, mapping, arrays)
PLACES = {x.__name__: x for x in (*FRAMES, csv_file, json_file, parquet_file, sqlite, duckdb_connection)}


def ways(asked):
    """Conditions with both rules for what is missing; of those that lack nothing, with one in turn, unless deep."""
    for i, (where, missing) in enumerate(product(asked, ("refuse", "drop"))):
        if tiers.tier == "deep" or expected(where)[2] or i % 4 in (0, 3):
            yield where, missing


def check(make, folder, asked):
    """Kept rows and the account, or a refusal, as the filter in plain Python has them."""
    for where, missing in ways(asked):
        kept, failed, open_ = expected(where)
        data, more = make(folder)
        call = {"truth": "y", "pred": "z", "by": "id", "where": where, "missing": missing, **more}
        if (open_ and missing == "refuse") or not kept:
            with pytest.raises((BadLabels, BadSetting), match=r"asks for |no row is left"):
                hs.tally(data, **call)
            continue
        t = hs.tally(data, **call)
        axis = t.batch[0][1]
        assert {int(axis.where(i)["id"]) for i in range(len(axis))} == kept, where
        left = {why: n for why, n in (("where", failed), ("missing", open_)) if n}
        assert t.account.document() == {"read": len(ROWS), "kept": len(kept), "left_out": left, "where": where}, where


@pytest.mark.whole
@pytest.mark.parametrize("place", PLACES)
def test_the_same_rows_everywhere(place, tmp_path):
    """Numbers of any size, dates, names and refusals, whatever holds the rows, in turn; more in three places."""
    make = batches if place == "batches" else cache(PLACES[place])  # which are read once
    most = ("polars", "csv_file", "sqlite")  # one of each kind of engine
    own = (most.index(place), 3) if place in most else (list(PLACES).index(place), 12)
    check(make, tmp_path, tiers.turn(ASKED, *own))


@pytest.mark.parametrize("make", [polars, lazy, pandas, relation])
def test_columns_called_as_the_steps_of_a_condition(make):
    """A frame may have columns with the names that the columns of a condition's steps begin with."""
    import narwhals as nw

    frame = nw.from_native(make(None)[0])
    named = frame.with_columns(nw.col("id").alias("judged_"), nw.col("y").alias("judged__0"))
    t = hs.tally(named.to_native(), truth="judged__0", pred="z", by="judged_", where="id>=7")
    axis = t.batch[0][1]
    assert {int(axis.where(i)["judged_"]) for i in range(len(axis))} == {r["id"] for r in ROWS if r["id"] >= 7}


@pytest.mark.outside
def test_the_same_rows_on_postgres():
    """With the types of PostgreSQL, and text in it."""
    import psycopg

    from tests.databases.server import postgres

    with postgres() as where, psycopg.connect(**where) as con:
        made = filled(con, "%s")
        check(lambda _: made, None, ASKED)
