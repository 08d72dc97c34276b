"""Long files, one row per item and system: their numbers are those of a file with a column for each system."""

from __future__ import annotations

import shlex
from dataclasses import replace

import polars as pl
import pytest

from howsure.cli.app import run
from howsure.errors import BadSetting, UnknownName
from howsure.io.entrance import evidence
from tests.tiers import spread

ITEMS = 40
SYSTEMS = "bcad"  # not in the order of their names


def _wide() -> pl.DataFrame:
    """Forty items with what four systems answered."""
    truth = ["x" if i % 3 else "y" for i in range(ITEMS)]
    data = {"id": list(range(ITEMS)), "label": truth, "half": ["p" if i % 2 else "q" for i in range(ITEMS)]}
    for k, name in enumerate(SYSTEMS):
        right = [(i * (k + 3)) % (k + 4) != 1 for i in range(ITEMS)]
        data[f"pred_{name}"] = [y if r else "z" for y, r in zip(truth, right, strict=True)]
        data[f"ok_{name}"] = [int(r) for r in right]
        data[f"grade_{name}"] = [1 + (i * (k + 1) + i // 7) % 5 for i in range(ITEMS)]
    return pl.DataFrame(data)


WIDE = _wide()
LONG = pl.concat(
    WIDE.select("id", "label", "half", pl.lit(name).alias("model"), answer=f"pred_{name}", ok=f"ok_{name}",
                grade=f"grade_{name}")
    for name in SYSTEMS
).sample(fraction=1.0, shuffle=True, seed=5)  # fmt: skip
KINDS = {"pred": ("--truth label --pred", "answer", "recall:x"), "ok": ("--outcome", "ok", "rate"),
         "grade": ("--value", "grade", "mean")}  # fmt: skip
FORMS = pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The long file and the wide one, in every format."""
    path = tmp_path_factory.mktemp("long")
    for name, frame in (
        ("long", LONG),
        ("wide", WIDE),
        ("short", LONG.filter((pl.col("id") > 4) | (pl.col("model") != "c"))),
    ):
        frame.write_csv(path / f"{name}.csv")
        frame.write_ndjson(path / f"{name}.jsonl")
        frame.write_parquet(path / f"{name}.parquet")
    return path


def _numbers(rows):
    """Every number of the rows, by system where they have one; names of wide columns lose what they begin with."""
    named = [(str(row.get("system")).rpartition("_")[2], row) for row in rows]
    return [(name, key, x) for name, row in named for key, x in _flat(row) if isinstance(x, (int, float))]


def _flat(x, key=""):
    """The leaves of a piece of a document."""
    if isinstance(x, dict):
        return [leaf for name, y in x.items() if name != "error" for leaf in _flat(y, f"{key}.{name}")]
    return [leaf for y in x for leaf in _flat(y, key)] if isinstance(x, list) else [(key, x)]


@FORMS
@pytest.mark.parametrize(("kind", "verb"), spread(KINDS, ["score", "compare", "leaderboard"], every=2))
def test_a_long_file_has_the_numbers_of_a_wide_one(folder, form, kind, verb, run_json):
    """Labels, outcomes and grades; all rows, some of them, and without items that a system lacks."""
    option, column, metric = KINDS[kind]
    systems = ["d", "b"] if verb == "compare" else sorted(SYSTEMS)
    names = [x for name in systems for x in ("--name", name)]
    columns = [x for name in systems for x in (option.split()[-1], f"{kind}_{name}")]
    answers = [*option.split()[:-1], *columns]
    draws = ["--draws", "400"] if verb == "leaderboard" else []
    how = ["--metric", metric, *draws]
    long = ["--system", "model", *option.split(), column, *names, *how]
    ids = ["--on", "id"] if verb == "leaderboard" and kind == "grade" else []  # draws are of items, not of rows alike
    wide = [*answers, *names, *how, *ids]
    cases = {"long": ["--on", "id"], "where": ["--where", "half=p"], "short": ["--unmatched", "drop"]}
    where = {"long": [], "where": ["--where", "half=p"], "short": ["--where", "id>4"]}
    for case, more in list(cases.items())[: 3 if form == "csv" else 1]:
        if case == "short" and verb == "compare":  # the system that lacks items is not among the two
            more, where[case] = [], []
        name = "short" if case == "short" else "long"
        got = run_json(verb, folder / f"{name}.{form}", *long, *more)
        want = run_json(verb, folder / f"wide.{form}", *wide, *where[case])
        got_rows, want_rows = _numbers(got["rows"]), _numbers(want["rows"])
        assert [x[:2] for x in got_rows] == [x[:2] for x in want_rows] != []
        assert [x[2] for x in got_rows] == pytest.approx([x[2] for x in want_rows], rel=1e-9, abs=1e-9)
        assert ("columns-guessed" in [n["code"] for n in got["notes"]]) is (case != "long")


def test_the_id_that_nobody_named(tmp_path, folder, capsys):
    """One column of the usual names, in Python too; none or several are asked for."""
    made = evidence(folder / "long.csv", outcome="ok", system="model")
    want = evidence(WIDE, outcome=[f"ok_{x}" for x in "abcd"], names=list("abcd"))
    assert made == replace(want, notes=made.notes, account=made.account)
    assert [n.text for n in made.notes if n.code == "columns-guessed"] == ["using column 'id' as the id"]
    for frame in (LONG.drop("id"), LONG.with_columns(item="id")):
        frame.write_csv(tmp_path / "other.csv")
        assert run(["compare", str(tmp_path / "other.csv"), "--system", "model", "--outcome", "ok"]) == 2
        assert "--system also needs --on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("long.csv --system model --outcome ok", ["a", "b"]),
        ("long.csv --system model --outcome ok --name d --name c --name a", ["d", "c"]),
        ("wide.csv --outcome ok_*", ["ok_b", "ok_c"]),
        ("wide.csv --truth label --pred pred_[abd]", ["pred_b", "pred_a"]),
    ],
)
def test_a_comparison_of_more_than_two_says_what_to_type(folder, capsys, line, names, monkeypatch):
    """The names are listed, and the command that is shown works."""
    monkeypatch.chdir(folder)
    assert run(["compare", *line.split()]) == 2
    said = capsys.readouterr().err
    shown = shlex.split(next(x for x in said.splitlines() if x.startswith("  howsure")))[1:]
    assert all(repr(name) in said for name in names)
    assert "howsure leaderboard" in said
    assert [shown[i + 1] for i, x in enumerate(shown) if x == "--name"] == names
    assert run(shown) == 0
    assert f"P({names[0]} better" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("wide.csv --outcome ok_a --outcome ok_b --outcome ok_c", "Give two --outcome"),
        ("a.csv b.csv c.csv --outcome ok", "Give two of the files"),
    ],
)
def test_columns_and_files_of_more_than_two_are_given_as_two(folder, capsys, line, way, monkeypatch):
    """What was typed one by one is left out one by one."""
    monkeypatch.chdir(folder)
    for name in "abc":
        (folder / f"{name}.csv").write_text("id,ok\n1,1\n2,0\n")
    assert run(["compare", *line.split()]) == 2
    said = capsys.readouterr().err
    assert f"{way}, or rank all with howsure leaderboard." in said
    assert said.count("\n") == 1


def test_systems_that_are_not_there(folder, capsys):
    """The nearest name, and all; a pattern says what it matched."""
    frame = LONG.with_columns(model=pl.concat_str(pl.lit("model-"), "model"))
    with pytest.raises(
        UnknownName,
        match=r"names='model-e' is not in column 'model'. Did you mean .* It has 'model-a'",
    ):
        evidence(frame, outcome="ok", system="model", names=["model-a", "model-e"])
    with pytest.raises(BadSetting, match="different names; got 'model-a', 'model-a'"):
        evidence(frame, outcome="ok", system="model", names=["model-a", "model-a"])
    assert run(["score", str(folder / "wide.csv"), "--outcome", "ok_*", "--name", "x", "--name", "y"]) == 2
    said = "4 columns match --outcome ok_*: give --name one name for each, or some of 'ok_b', 'ok_c', 'ok_a', 'ok_d'"
    assert said in capsys.readouterr().err


def test_rows_of_other_systems_are_accounted_for(folder, run_json):
    """What was read but not asked for."""
    options = ["--system", "model", "--outcome", "ok", "--on", "id", "--name", "a", "--name", "c", "--where", "half=q"]
    rows = run_json("score", folder / "long.csv", *options)["data"]["rows"]
    assert rows["left_out"] == {"where": 80, "system": 40}
    assert (rows["read"], rows["kept"]) == (160, 40)
