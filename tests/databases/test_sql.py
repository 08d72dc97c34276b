"""Databases: SQLite, PostgreSQL and DuckDB through DB-API, and Ibis tables, give the tally of the frame."""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import replace

import duckdb
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadSetting, UnknownName
from howsure.evidence.clusters import Clustered
from howsure.evidence.scored import Scored
from howsure.io.entrance import evidence
from tests.databases.server import postgres
from tests.engines.data import CASES, COLUMNS, LISTS, PLAIN, nameless, polars_frame, reference

pytestmark = pytest.mark.outside
FRAME = polars_frame()
KINDS = {bool: "boolean", int: "bigint", float: "double precision", str: "text", list: "text[]"}
TYPES = {k: KINDS[type(next(x for x in v if x is not None))] for k, v in COLUMNS.items()}
ROWS = list(zip(*COLUMNS.values(), strict=True))
SIMPLE = [k for k in TYPES if k not in LISTS]  # SQLite has no lists
SIMPLE_ROWS = list(zip(*(COLUMNS[k] for k in SIMPLE), strict=True))


def create(names):
    """A table of these columns."""
    listed = ", ".join(f'"{k}" {TYPES[k]}' for k in names)
    return f"CREATE TABLE answers ({listed})"


COUNTS = "SELECT bit, bit_a, region, count(*) AS n FROM answers GROUP BY bit, bit_a, region"  # counted already


@pytest.fixture(scope="module")
def server():
    import psycopg

    with postgres() as where:
        with psycopg.connect(**where) as con:
            con.execute(create(TYPES))
            con.cursor().executemany(f"INSERT INTO answers VALUES ({', '.join(['%s'] * len(TYPES))})", ROWS)
            con.execute('CREATE TABLE "odd ""name" ("Y; --" int, "z" int)')
            con.execute('INSERT INTO "odd ""name" VALUES (1, 1), (0, 1)')
        yield where


@pytest.fixture(scope="module")
def connections(server):
    """One connection of each kind with the same table."""
    import psycopg

    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    for con, names, rows in ((lite, SIMPLE, SIMPLE_ROWS), (duck, list(TYPES), ROWS)):
        con.execute(create(names))
        con.executemany(f"INSERT INTO answers VALUES ({', '.join('?' * len(names))})", rows)
    with psycopg.connect(**server) as post:
        yield {"SQLite": lite, "PostgreSQL": post, "DuckDB": duck}
    lite.close()
    duck.close()


@pytest.mark.whole
@pytest.mark.parametrize("name", ["SQLite", "PostgreSQL", "DuckDB"])
def test_every_database_gives_the_same_evidence(connections, name):
    """Each question of the engines' suite, asked of a table."""
    for case, asked in (PLAIN if name == "SQLite" else CASES).items():
        got, want = evidence(connections[name], table="answers", **asked), reference(case)
        if name == "SQLite":  # it has no booleans: 0 and 1
            got, want = plain(got), plain(want)
        assert got == want, case


def plain(t):
    """Without the difference between true and 1."""
    if isinstance(t, Scored):
        return replace(t, labels=tuple(int(x) if isinstance(x, bool) else x for x in t.labels))
    if isinstance(t, Clustered) or not hasattr(t, "to_json"):
        return t
    text = t.to_json().replace("true", "1").replace("false", "0")
    return {k: v for k, v in json.loads(text).items() if k not in ("squares", "counts")} | {
        "counts": [round(x, 9) for x in t.counts.ravel().tolist()]
    }


@pytest.mark.parametrize("name", ["SQLite", "PostgreSQL", "DuckDB"])
def test_a_query_and_a_table_of_counts(connections, name):
    """A query's rows, and counts that were made before."""
    con = connections[name]
    got = hs.tally(con, query="SELECT * FROM answers WHERE year = 2023;", truth="bit", pred="bit_a")
    assert got == hs.tally(FRAME.filter(pl.col("year") == 2023), truth="bit", pred="bit_a")
    counted = hs.tally(con, query=COUNTS, truth="bit", pred="bit_a", by="region", count="n")
    assert counted == hs.tally(FRAME, truth="bit", pred="bit_a", by="region")


def test_only_the_cells_come_back(connections):
    """One GROUP BY: as many rows are fetched as there are patterns."""
    seen = []
    connections["SQLite"].set_trace_callback(seen.append)
    hs.tally(connections["SQLite"], table="answers", truth="bit", pred="bit_a")
    connections["SQLite"].set_trace_callback(None)
    asked = [x for x in seen if "GROUP BY" in x]
    assert len(seen) == 2
    assert len(asked) == 1


def test_names_are_quoted(server):
    """Odd names of tables and columns are only names."""
    import psycopg

    with psycopg.connect(**server) as con:
        t = hs.tally(con, table='odd "name', truth="Y; --", pred="z")
        assert (t.tp, t.fp) == (1, 1)
        assert hs.tally(con, table="public.answers", outcome="passed").n == len(ROWS)


def test_what_a_database_refuses(connections):
    """An unknown table or column, no table, and a broken query: one sentence."""
    con = connections["SQLite"]
    with pytest.raises(BadFile, match="the database refuses table 'nothing': no such table"):
        hs.tally(con, table="nothing", truth="a", pred="b")
    with pytest.raises(BadFile, match="the database refuses the query"):
        hs.tally(con, query="SELECT FROM", truth="a", pred="b")
    with pytest.raises(UnknownName, match="Did you mean 'bit_a'"):
        hs.tally(con, table="answers", truth="bit", pred="bit_aa")
    with pytest.raises(BadSetting, match="table= or query="):
        hs.tally(con, truth="bit", pred="bit_a")
    with pytest.raises(BadSetting, match="are for a database connection"):
        hs.tally(FRAME, table="x", truth="bit", pred="bit_a")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_ibis_on_postgres_and_sqlite(server, tmp_path):
    """Ibis tables of a real database are frames."""
    import ibis

    path = tmp_path / "a.db"
    with sqlite3.connect(path) as con:
        con.execute(create(SIMPLE).replace("double precision", "real"))
        con.executemany(f"INSERT INTO answers VALUES ({', '.join('?' * len(SIMPLE))})", SIMPLE_ROWS)
    con.close()
    post = ibis.postgres.connect(host=server["host"], user=server["user"], database=server["dbname"])
    lite = ibis.sqlite.connect(path)
    try:
        for con in (post, lite):
            table = con.table("answers")
            for case in ("text", "nulls wrong", "three slice columns", "weights", "thresholds in slices", "joint"):
                assert plain(nameless(evidence(table, **CASES[case]))) == plain(reference(case)), case
    finally:
        post.disconnect()
        lite.disconnect()


def test_nan_is_no_score(connections):
    """PostgreSQL puts NaN above every number; here it is missing."""
    con = connections["PostgreSQL"]
    assert any(math.isnan(x) for x in COLUMNS["digit_nan"])
    got = hs.tally(con, table="answers", truth="bit", score="digit_nan", threshold=4, missing="drop")
    assert got == hs.tally(FRAME, truth="bit", score="digit_nan", threshold=4, missing="drop")
