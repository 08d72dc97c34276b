"""A database is read and nothing else: no other file through its views, a table's name, a query or a path."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import duckdb
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.io.addresses import address
from tests.refusals import one_sentence

SECRET = "label,a\nsecret,secret\n"
ASKED = ["--truth", "label", "--pred", "a", "--metric", "accuracy"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A stranger's databases, and files that they must not reach."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "secret.csv").write_text(SECRET)
    (home / "secret.json").write_text('[{"label": "secret", "a": "secret"}]')
    with contextlib.closing(duckdb.connect("other.duckdb")) as con:
        con.execute("CREATE TABLE preds AS SELECT 'secret' AS label, 'secret' AS a")
    with contextlib.closing(duckdb.connect("x.duckdb")) as con:
        con.execute("CREATE TABLE preds AS SELECT i % 2 AS label, i % 3 % 2 AS a FROM range(60) t(i)")
        con.execute("CREATE VIEW plain AS SELECT * FROM preds")
        con.execute("CREATE VIEW texts AS SELECT content AS label, content AS a FROM read_text('secret.csv')")
        con.execute("CREATE VIEW files AS SELECT file AS label, file AS a FROM glob('*')")
        con.execute("CREATE VIEW path AS SELECT * FROM 'secret.csv'")
        con.execute("CREATE MACRO hidden() AS TABLE SELECT * FROM read_csv('secret.csv')")
        con.execute("CREATE VIEW through_macro AS SELECT * FROM hidden()")
    return home


def told(capsys, *words):
    code = run(["score", "--db", "duckdb:///x.duckdb", *words, *ASKED])
    return code, *capsys.readouterr()


def refusal(capsys, *words):
    code, out, err = told(capsys, *words)
    assert (code, out) == (2, "")
    assert one_sentence(err)
    assert "secret,secret" not in err
    return err


def test_tables_and_views_of_the_database_are_read(capsys):
    """Its own."""
    for name in ("preds", "plain", "main.preds"):
        assert told(capsys, "--table", name)[0] == 0


@pytest.mark.parametrize("name", ["secret.json", "secret.csv", "./secret.csv", "*.csv", "other.duckdb", "/etc/passwd"])
def test_a_path_is_no_table(capsys, name):
    """DuckDB would read the file."""
    assert f"no table named {name!r} in the database" in refusal(capsys, "--table", name)


@pytest.mark.parametrize("name", ["texts", "files", "path", "through_macro"])
def test_a_view_reads_no_other_file(capsys, name):
    """One sentence says which file it is, and what to do."""
    said = refusal(capsys, "--table", name)
    assert f"table {name!r} reads another file, " in said
    assert "copy its rows into a table" in said


QUERIES = [
    "select * from read_csv('secret.csv')", "select * from 'secret.csv'", 'select * from "secret.json"',
    "select content as label, 1 as a from read_text('/etc/hostname')", "select * from read_json('secret.json')",
    "select content as label, 1 as a from read_blob('secret.csv')", "select file as label, 1 as a from glob('*')",
    "select * from read_duckdb('other.duckdb')", "select * from query_table(['secret.csv'])",
    "select * from query('select * from read_csv(''secret.csv'')')",
    "select 1 as label, 1 as a from sniff_csv('secret.csv')",
    "select * from preds where label = (select count(*) from read_text('secret.csv'))",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_reads_no_other_file(capsys, query):
    """Only the tables of the database."""
    assert "the query reads another file, " in refusal(capsys, "--query", query)


def test_a_query_sees_no_variables_of_python(capsys):
    """DuckDB would take a frame of the caller for a table."""
    import polars as pl

    ours = pl.DataFrame({"label": [1], "a": [1]})
    with pytest.raises(hs.HowsureError, match="ours does not exist"):
        hs.score("duckdb:///x.duckdb", query="select * from ours", truth="label", pred="a")
    assert len(ours) == 1


def test_settings_are_locked():
    """No extension, no secrets, no way back."""
    with contextlib.closing(address("duckdb:///x.duckdb").connect()) as con:
        for text in ("SET enable_external_access = true", "SET lock_configuration = false", "LOAD sqlite",
                     "INSTALL httpfs", "ATTACH 'other.duckdb'", "COPY preds TO 'made.csv'", "SET threads = 1",
                     "CREATE TABLE made (y int)"):  # fmt: skip
            with pytest.raises(duckdb.Error):
                con.execute(text)
    assert not Path("made.csv").exists()


@pytest.mark.parametrize("suffix", [".wal", ".wal.checkpoint", ".wal.recovery"])
def test_a_link_in_place_of_a_log_is_refused(capsys, folder, suffix):
    """DuckDB may read its logs, and a link would make any file one of them."""
    Path(f"x.duckdb{suffix}").symlink_to(folder / "secret.csv")
    assert "is a link" in refusal(capsys, "--query", f"select content as label from read_text('x.duckdb{suffix}')")
    assert (folder / "secret.csv").read_text() == SECRET


def test_large_groups_still_spill(folder, monkeypatch):
    """The folder for temporary data stays open to DuckDB itself."""
    from howsure import duck

    with contextlib.closing(duckdb.connect("large.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT hash(i)::VARCHAR || repeat('x', 100) AS a FROM range(1000000) r(i)")
    monkeypatch.setattr(duck, "CONFIG", duck.CONFIG | {"memory_limit": "60MB", "threads": "1"})
    with contextlib.closing(address("duckdb:///large.duckdb").connect()) as con:
        assert con.execute("SELECT count(*) FROM (SELECT a, count(*) FROM t GROUP BY a)").fetchone() == (1_000_000,)


# -- SQLite


def test_sqlite_attaches_and_loads_nothing(capsys):
    """Neither from a query nor from a stranger's view."""
    with contextlib.closing(sqlite3.connect("x.db")) as con:
        con.execute("CREATE TABLE preds (label, a)")
        con.executemany("INSERT INTO preds VALUES (?, ?)", [(i % 2, i % 3 % 2) for i in range(60)])
        con.execute("CREATE VIEW loads AS SELECT load_extension('./evil') AS label, 1 AS a")
        con.execute("CREATE VIEW calls AS SELECT howsure_where0(label) AS label, a FROM preds")
        con.commit()
    for words in (["--table", "loads"], ["--table", "calls", "--where", "a=1"],
                  ["--query", "select load_extension('./evil') as label, 1 as a"],
                  ["--query", "attach 'other.db' as o"]):  # fmt: skip
        assert run(["score", "--db", "sqlite:///x.db", *words, *ASKED]) == 2, words
        assert one_sentence(capsys.readouterr().err)
    assert run(["score", "--db", "sqlite:///x.db", "--table", "preds", *ASKED, "--where", "a=1"]) == 0
    capsys.readouterr()
    with contextlib.closing(address("sqlite:///x.db").connect()) as con:
        with pytest.raises(sqlite3.Error):
            con.execute("ATTACH 'made.db' AS made")
        assert con.execute("PRAGMA trusted_schema").fetchone() == (0,)
    assert not Path("made.db").exists()


# -- files that DuckDB reads


@pytest.mark.parametrize("name", ["~/preds.csv", "file:/{home}/preds.csv", "file:preds.csv", "[ab].csv", "{{a,b}}.csv"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_path_is_the_file_that_it_names(capsys, folder, monkeypatch, name, suffix):
    """DuckDB takes ~ for the home folder and file: for an address; these are folders and files here."""
    monkeypatch.setenv("HOME", str(folder / "user"))
    name = name.format(home=folder).replace(".csv", f".{suffix}")
    for path, right in ((folder / "user" / f"preds.{suffix}", 0), (folder / f"preds.{suffix}", 0),
                        (folder / f"a.{suffix}", 0), (Path(name), 1)):  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        form = {"csv": "csv, HEADER", "jsonl": "json", "parquet": "parquet"}[suffix]
        made = f"SELECT i % 2 AS label, (i + 1 - {right}) % 2 AS a FROM range(40) t(i)"
        duckdb.connect().execute(f"COPY ({made}) TO '{path.absolute()}' (FORMAT {form})")
    assert run(["score", name, *ASKED, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["score"] == 1


def test_a_run_is_the_file_that_it_names(capsys, folder, monkeypatch):
    """The same for TREC files."""
    monkeypatch.setenv("HOME", str(folder / "user"))
    for home, scores in ((Path("~"), "12"), (folder / "user", "21")):
        home.mkdir(parents=True)
        (home / "x.run").write_text("".join(f"q{i} Q0 d{d} 1 {s} x\n" for i in range(9) for d, s in enumerate(scores)))
    Path("x.qrels").write_text("".join(f"q{i} 0 d1 1\n" for i in range(9)))
    assert run(["trec", "x.qrels", "~/x.run", "--metric", "P@1", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["score"] == 1
