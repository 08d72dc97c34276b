"""The command on databases: the document of the file of the same rows, nothing written, one sentence for mistakes."""

from __future__ import annotations

import builtins
import contextlib
import csv
import io
import json
import shlex
import sqlite3
import subprocess
import sys

import duckdb
import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadSetting
from howsure.io.addresses import address, hidden, is_address
from tests.databases.server import postgres
from tests.refusals import one_sentence

COLUMNS = ("id", "label", "a", "b", "passed", "grade", "p", "region", "question", "w", "model")
TYPES = ("int", "text", "text", "text", "int", "double precision", "double precision", *["text"] * 2, "int", "text")


def rows():
    rng = np.random.default_rng(15)
    for i in range(120):
        label = "spam" if rng.random() < 0.4 else "ham"
        a, b = ((label if rng.random() < q else ("ham" if label == "spam" else "spam")) for q in (0.9, 0.7))
        p = round(float(rng.random() * 0.6 + 0.4 * (label == "spam")), 3)
        grade = float(rng.integers(0, 5)) / 4
        region = ("north", "south")[int(rng.integers(0, 2))]
        yield (i // 2, label, a, b, int(a == label), grade, p, region, f"q{i // 8}", 1 + i % 3, ("x", "y")[i % 2])


ROWS = list(rows())
_DECLARED = ", ".join(f"{name} {kind}" for name, kind in zip(COLUMNS, TYPES, strict=True))
MAKE = f"CREATE TABLE preds ({_DECLARED})"
FILL = f"INSERT INTO preds VALUES ({', '.join('?' * len(COLUMNS))})"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A CSV file, a SQLite and a DuckDB database of the same rows."""
    home = tmp_path_factory.mktemp("databases")
    with (home / "preds.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *ROWS])
    for con in (sqlite3.connect(home / "x.db"), duckdb.connect(str(home / "x.duckdb"))):
        con.execute(MAKE)
        con.executemany(FILL, ROWS)
        con.execute("CREATE TABLE other (y int)")
        con.execute('CREATE TABLE "runs.v2" (y int, z int)')
        con.execute('INSERT INTO "runs.v2" VALUES (1, 1), (0, 1)')
        con.commit()
        con.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        yield home


def told(line, *more):
    """Exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([*shlex.split(line), *more])
    return code, out.getvalue(), err.getvalue()


def document(text):
    """A document without the question about ids that repeat, for which no database is asked."""
    found = json.loads(text)
    return found | {"notes": [n for n in found["notes"] if n["code"] != "repeated-units"]}


def refusal(line, *more):
    code, out, err = told(line, *more)
    assert (code, out) == (2, "")
    assert one_sentence(err)
    return err


LINES = {
    "classes": "score {} --truth label --pred a --positive spam --metric f1",
    "slices": "score {} --truth label --pred a --by region --metric f1:spam",
    "conditions": "score {} --truth label --pred a --metric accuracy --where region=north --where 'p>=0.2'",
    "weights": "score {} --truth label --pred a --metric f1:ham --weight w",
    "strata": "score {} --outcome passed --metric rate --stratum region --population north=500,south=900",
    "pair": "compare {} --truth label --pred a --pred b --metric f1:spam",
    "clusters": "score {} --outcome passed --metric rate --cluster question --tolerance 0.3",
    "long": "compare {} --value grade --system model --on id --tolerance 0.3",
    "table": "leaderboard {} --truth label --pred a --pred b --metric accuracy --draws 100",
    "scores": "curve {} --truth label --score p --positive spam --metric auc --tolerance 0.3",
}


@pytest.mark.parametrize("kind", LINES)
def test_a_database_gives_the_document_of_the_file(folder, kind):
    """Every kind of data, on both databases that are files."""
    want = told(LINES[kind].format("preds.csv"), "--format", "json")
    assert want[0] == 0, want
    for where in ("sqlite:///x.db", "duckdb:///x.duckdb"):
        got = told(LINES[kind].format(f"--db {where} --table preds"), "--format", "json")
        assert got[0] == 0, got
        assert document(got[1]) == document(want[1]), where


@pytest.mark.parametrize(
    "where",
    ["sqlite://x.db", "sqlite:x.db", "SQLite:///x.db", "sqlite+pysqlite:///x.db", "x.db", "sqlite:///{home}/x.db",
     "duckdb:x.duckdb", "duckdb://x.duckdb", "x.duckdb", "duckdb:///{home}/x.duckdb"],
)  # fmt: skip
def test_spellings_that_are_clear(folder, where):
    """What people type."""
    line = f"score --db {where.format(home=folder)} --table preds --truth label --pred a --metric accuracy --format csv"
    want = told("score preds.csv --truth label --pred a --metric accuracy --format csv")
    assert told(line) == want
    assert want[0] == 0


def test_an_address_in_the_place_of_a_file(folder):
    """It is taken for what it is; and so in Python."""
    want = told("score --db sqlite:///x.db --table preds --truth label --pred a --metric accuracy")
    assert told("score sqlite:///x.db --table preds --truth label --pred a --metric accuracy") == want
    got = hs.score("sqlite:///x.db", table="preds", truth="label", pred="a", metrics="accuracy")
    assert str(got) + "\n" == want[1] or got.to_dict()["rows"][0]["n"] == len(ROWS)
    assert not is_address("preds.csv")
    assert not is_address("s3://bucket/sqlite.parquet")


def test_a_query(folder):
    """Its rows, with a comment at its end and a semicolon."""
    for query in ("select * from preds where region = 'north'", "select * from preds where region = 'north'; ",
                  "select * from preds -- all\nwhere region = 'north' -- of them"):  # fmt: skip
        for where in ("x.db", "x.duckdb"):
            got = told(f"score --db {where} --truth label --pred a --metric accuracy --format csv", "--query", query)
            want = told("score preds.csv --truth label --pred a --metric accuracy --format csv --where region=north")
            assert got == want


def test_the_only_table_is_taken_and_told(folder, tmp_path):
    """With one table there is nothing to choose; a note says which it was."""
    path = tmp_path / "one.db"
    with contextlib.closing(sqlite3.connect(path)) as con:
        con.execute(MAKE)
        con.executemany(FILL, ROWS)
        con.commit()
    code, out, _ = told(f"score --db {path} --truth label --pred a --metric accuracy --format json")
    assert code == 0
    assert [x["text"] for x in json.loads(out)["notes"] if x["code"] == "table-taken"] == [
        "read table 'preds', the only one in the database"
    ]
    said = refusal("score --db x.db --truth label --pred a")
    assert "--table" in said
    assert "Tables: 'other', 'preds', 'runs.v2'" in said


def test_a_dot_in_the_name_of_a_table(folder):
    """A schema and a table, or a table with a dot in its name."""
    for where in ("x.db", "x.duckdb"):
        assert told(f"score --db {where} --table runs.v2 --truth y --pred z --metric f1")[0] == 0
        assert told(f"score --db {where} --table main.preds --truth label --pred a --metric accuracy")[0] == 0


# -- nothing is written

WRITING = [
    "drop table preds", "delete from preds", "create table made (y int)", "select 1 as label, 1 as a; drop table preds",
    "select 1 as label, 1 as a) x; drop table preds; --", "select 1 as label, 1 as a) x; drop table preds; select (1",
    "select 1 as label, 1 as a) x; copy (select 1) to 'made.csv'; --", "attach 'made.db' as made", "",
]  # fmt: skip


@pytest.mark.parametrize("query", WRITING)
@pytest.mark.parametrize("where", ["x.db", "x.duckdb"])
def test_a_query_that_writes_is_refused(folder, where, query):
    """One sentence, and the database is as it was."""
    before = (folder / where).read_bytes()
    said = refusal(f"score --db {where} --truth label --pred a", "--query", query)
    assert "query" in said
    assert (folder / where).read_bytes() == before
    assert not list(folder.glob("made*"))


def test_a_missing_file_is_not_made(folder):
    """SQLite and DuckDB would make it."""
    for kind in ("sqlite", "duckdb"):
        assert "there is no file 'none.db'" in refusal(f"score --db {kind}:///none.db --table t --truth y --pred z")
    assert "there is no file 'none.db'" in refusal("score --db none.db --table t --truth y --pred z")
    assert not (folder / "none.db").exists()
    place = str(folder / "x.db").lstrip("/")
    said = refusal(f"score --db sqlite:///{place} --table preds --truth label --pred a")
    assert f"Did you mean sqlite:////{place}, with four slashes?" in said


def test_out_does_not_replace_the_database(folder):
    """What is read is not written over."""
    for where in ("x.db", "sqlite:///x.db", f"sqlite:///{folder}/x.db", "sqlite://x.db"):
        line = f"score --db {where} --table preds --truth label --pred a --format json --out x.db"
        assert "would be overwritten" in refusal(line)


# -- mistakes


def test_wrong_names(folder):
    """Tables and columns that there are."""
    said = refusal("score --db x.db --table pred --truth label --pred a")
    known = "Tables: 'other', 'preds', 'runs.v2'."
    assert said == f"howsure: no table named 'pred' in the database. Did you mean 'preds'? {known}\n"
    assert "Tables: 'other', 'preds', 'runs.v2'" in refusal("score --db x.duckdb --table pred --truth label --pred a")
    said = refusal("score --db x.db --table preds --truth lable --pred a")
    assert "no column named 'lable' in table 'preds'. Did you mean 'label'?" in said
    assert "Did you mean 'label'?" in refusal(
        "score --db x.db --truth lable --pred a", "--query", "select * from preds"
    )


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--db x.db --table preds --query 'select 1' --truth label --pred a", "give one of --table and --query"),
        ("--table preds --truth label --pred a", "--db sqlite:///file.db"),
        ("--query 'select 1' --truth label --pred a", "--query is of a database"),
        ("preds.csv --db x.db --truth label --pred a", "cannot be combined with --db"),
        ("preds.csv --table preds --truth label --pred a", "--table does not go with FILE"),
        ("--db x.db --counts 1,2,3,4", "cannot be combined with"),
        ("--db sqlite:// --table t --truth y --pred z", "in memory is empty"),
        ("--db sqlite:///:memory: --table t --truth y --pred z", "in memory is empty"),
        ("--db '' --table t --truth y --pred z", "a database is sqlite:///file.db"),
        ("--db nothing --table t --truth y --pred z", "a database is sqlite:///file.db"),
        ("--db http://host/x.db --table t --truth y --pred z", "a database is sqlite:///file.db"),
        ("--db mysql://me:secret@host/x --table t --truth y --pred z", "DB-API connection"),
        ("--db sqlite:///x.duckdb --table t --truth y --pred z", "give duckdb:///x.duckdb"),
        ("--db duckdb:///preds.csv --table t --truth y --pred z", "'preds.csv' is not a DuckDB database."),
        ("--db sqlite:///. --table t --truth y --pred z", "is not a file"),
        ("x.db --truth y --pred z", "give --db sqlite:///x.db and --table"),
        ("x.duckdb --truth y --pred z", "give --db duckdb:///x.duckdb and --table"),
        ("--db x.db --table preds --truth label --pred a --pool", "leave out --pool"),
        ("--db x.db --table preds --truth label --pred a --engine spark", "leave out --engine"),
        (
            "--db postgresql://localhost:1/x --table t --truth y --pred z",
            "cannot connect to 'postgresql://localhost:1/x'",
        ),
    ],
)
def test_one_sentence_for_a_mistake(folder, line, part):
    """What was given, and what to do."""
    assert part in refusal(f"score {line}")


@pytest.mark.parametrize(
    "where",
    ["postgresql://me:secret@localhost:1/x", "postgres://me:se@secret@localhost:1/x", "postgresql://me:x/secret@h/x",
     "postgresql+psycopg://me:secret@nowhere.invalid/x", "postgresql://localhost:1/x?password=secret",
     "postgresql://me:secret@localhost:99999999/x", "postgresql://me:secret@[bad/x", "mysql://me:secret@h/x",
     "host=localhost port=1 password=secret", "oracle+x://me:secret@h"],
)  # fmt: skip
def test_no_password_is_shown(folder, where):
    """In no message, whatever is wrong with the address."""
    assert "secret" not in refusal("score --table t --truth y --pred z", "--db", where)
    assert "secret" not in hidden(where)
    with contextlib.suppress(BadSetting):
        assert "secret" not in repr(address(where))


def test_psycopg_is_asked_for(folder, monkeypatch):
    """Without it one sentence says how it is installed."""
    own = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("psycopg"):
            raise ImportError(name)
        return own(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'howsure[postgres]'" in refusal("score --db postgresql://h/x --table t --truth y --pred z")


def test_no_extension_is_fetched_or_loaded(folder):
    """DuckDB neither installs nor loads what a query would need."""
    with contextlib.closing(address("duckdb:///x.duckdb").connect()) as con:
        for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
            assert con.execute("SELECT current_setting(?)", [name]).fetchone() == (False,)


# -- PostgreSQL


@pytest.fixture(scope="module")
def server(folder):
    import psycopg

    with postgres() as where:
        with psycopg.connect(**where) as con:
            con.execute(MAKE)
            con.cursor().executemany(FILL.replace("?", "%s"), ROWS)
            con.execute("CREATE SCHEMA lab")
            con.execute("CREATE TABLE lab.runs AS SELECT * FROM preds")
            con.execute("CREATE SEQUENCE steps")
        yield f"postgresql://tester:hush@/{where['dbname']}?host={where['host']}"


@pytest.mark.outside
@pytest.mark.parametrize("kind", LINES)
def test_postgres_gives_the_document_of_the_file(server, kind):
    """Counted on the server."""
    want = told(LINES[kind].format("preds.csv"), "--format", "json")
    got = told(LINES[kind].format(f"--db '{server}' --table preds"), "--format", "json")
    assert got[0] == 0, got
    assert document(got[1]) == document(want[1])


@pytest.mark.outside
def test_postgres_spellings_schemas_and_mistakes(server):
    """Other names of the scheme, a table in a schema, what is not there, and what would write."""
    for where in (server, server.replace("postgresql:", "postgres:"), server.replace("sql:", "sql+psycopg2:")):
        assert told(f"score --db '{where}' --table lab.runs --truth label --pred a --metric accuracy")[0] == 0
    said = refusal(f"score --db '{server}' --table Preds --truth label --pred a")
    assert "Did you mean 'preds'? Tables: 'lab.runs', 'preds'." in said
    assert "Tables: 'lab.runs', 'preds'" in refusal(f"score --db '{server}' --truth label --pred a")
    setting = "select set_config('transaction_read_only', 'off', false) as label, 1 as a"
    ending = "select 1 as label, 1 as a) x; commit; drop table preds; --"
    step, gone = "select nextval('steps') as label, 1 as a", "with x as (delete from preds returning *) select * from x"
    writing = [*WRITING, setting, ending, step, gone]
    for query in writing:
        said = refusal(f"score --db '{server}' --truth label --pred a", "--query", query)
        assert "hush" not in said
    assert told(f"score --db '{server}' --table preds --truth label --pred a --metric accuracy")[0] == 0
    assert "hush" not in refusal("score --table t --truth y --pred z", "--db", server.replace("howsure-pg-", "no-"))


_LATER = """
import os, threading
from howsure.io.database import Database

grouped = Database.grouped

def interrupted(self, *rest):
    threading.Timer(0.5, os.kill, (os.getpid(), 2)).start()
    return grouped(self, *rest)

Database.grouped = interrupted
from howsure.cli import main
main()
"""
_ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select x as label, x as a from c"


def test_control_c_ends_a_long_query(folder):
    """SQLite would run on: the command ends with 130, and says nothing."""
    line = ["score", "--db", "x.db", "--truth", "label", "--pred", "a", "--query", _ENDLESS]
    made = subprocess.run([sys.executable, "-c", _LATER, *line], capture_output=True, timeout=60, check=False)
    assert (made.returncode, made.stdout, made.stderr) == (130, b"", b"")


def test_a_password_in_the_address_of_a_file_is_not_shown(capsys):
    """It was meant for a server."""
    assert run(["score", "--db", "sqlite://joe:s3cret@/x", "--table", "a", "--truth", "y", "--pred", "z"]) == 2
    err = capsys.readouterr().err
    assert "s3cret" not in err
    assert "joe:***@" in err


@pytest.mark.parametrize(
    "line",
    [
        "score --db postgresql://user@corp:s3cret@nowhere.invalid/db --table t --truth y --pred z",
        "score --db postgresql://me:s3cret@h/db --db postgresql://me:s3cret@h/db --table t",
        "score a.csv postgresql://me:s3cret@h/db --truth y --pred z",
    ],
)
def test_no_message_repeats_a_password(line):
    """Wherever the address stands."""
    code, _, err = told(line)
    assert code == 2
    assert "s3cret" not in err
