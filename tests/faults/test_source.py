"""What no file of the package does: load pickles, run text as code, start a shell, or put names into SQL unquoted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import howsure as hs
from tests.faults.nursery import ROOT

FILES = sorted((ROOT / "src" / "howsure").rglob("*.py"))
MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "marshal",
    "shelve",
    "code",
    "codeop",
    "pty",
    "telnetlib",
}
CALLS = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
METHODS = {"read_pickle", "to_pickle", "unsafe_load", "full_load"}
OF_OS = {"system", "popen"}


def found(tree: ast.AST) -> list[str]:
    """Everything in a file that must not be there."""
    wrong = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wrong += [a.name for a in node.names if a.name.partition(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom):
            wrong += [str(node.module)] if str(node.module).partition(".")[0] in MODULES else []
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            keywords = {
                k.arg for k in node.keywords if not (isinstance(k.value, ast.Constant) and k.value.value is False)
            }
            wrong += [name] if name in CALLS else []
            own = (
                isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "os"
            )
            wrong += [method] if method in METHODS or (own and method in OF_OS) else []
            wrong += sorted(str(k) for k in keywords & {"shell", "allow_pickle"})
    return wrong


@pytest.mark.whole
def test_no_file_runs_text() -> None:
    """Found by the syntax, whatever the names of variables."""
    assert len(FILES) > 100
    bad = {str(p.relative_to(ROOT)): wrong for p in FILES if (wrong := found(ast.parse(p.read_text(encoding="utf-8"))))}
    assert bad == {}


@pytest.mark.parametrize(
    "text",
    ["import pickle", "from pickle import loads", "eval(x)", "np.load(f, allow_pickle=True)", "os.system(x)",
     "subprocess.run(x, shell=True)", "pd.read_pickle(f)", "exec(compile(x, '', 'exec'))"],
)  # fmt: skip
def test_the_search_finds_what_it_is_for(text) -> None:
    assert found(ast.parse(text))


HOSTILE = [
    'a"b',
    "a'b",
    "a;DROP TABLE x;--",
    "a) FROM range(9); --",
    "select",
    "a``b",
    "$1",
    "?",
    "{x}",
    "a\\b",
    "a.b",
    "*",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_columns_of_any_name(name, tmp_path) -> None:
    """Columns named by pieces of SQL are columns: in files of three kinds and in a database, in every role."""
    import sqlite3

    import pyarrow as pa
    from pyarrow import csv, parquet

    other = f"{name} 2"
    table = pa.table({name: [1, 0, 1, 1], other: [1, 0, 0, 1], f"{name} 3": ["u", "v", "u", "v"]})
    csv.write_csv(table, tmp_path / "x.csv")
    parquet.write_table(table, tmp_path / "x.parquet")
    want = hs.tally([1, 0, 1, 1], [1, 0, 0, 1]).named()
    for path in ("x.csv", "x.parquet"):
        got = hs.tally(str(tmp_path / path), truth=name, pred=other, where=[f"{name} 3!=w"])
        assert {k: float(v) for k, v in got.named().items()} == {k: float(v) for k, v in want.items()}, path
    with sqlite3.connect(tmp_path / "x.db") as con:
        columns = ", ".join('"' + x.replace('"', '""') + '"' for x in table.column_names)
        con.execute(f'CREATE TABLE "t ""{"x"}" ({columns})')
        con.executemany(f'INSERT INTO "t ""{"x"}" VALUES (?, ?, ?)', zip(*table.to_pydict().values(), strict=True))
        con.commit()
        got = hs.tally(con, table='t "x', truth=name, pred=other)
        assert float(got.named()["tp"]) == 2
    assert Path(tmp_path / "x.csv").exists()
