"""Conditions on rows of files, and the account of rows: every run states what it read, kept and left out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import duckdb
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadLabels, BadSetting, UnknownName
from howsure.evidence.protocol import Account
from howsure.io.where import parse

ROWS = [  # id, age, region, a time in nanoseconds, a day
    ("1", "500", "north", "1700000000000000000", "2024-01-31"),
    ("2", "1500", "south", "1700000000000000001", "2024-02-01"),
    ("3", "1000", "south", "1699999999999999999", "2023-12-31"),
    ("4", "", "south", "20", "2024-01-31"),
    ("5", "99.5", "north", "-5", "2025-06-30"),
]


def table(folder, rows=ROWS):
    lines = ["id,age,region,ts,day,y,z", *(",".join((*row, str(i % 2), "1")) for i, row in enumerate(rows))]
    path = folder / "rows.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def kept(path, *where, **columns):
    """The ids of the rows that conditions keep."""
    t = hs.tally(path, truth="y", pred="z", by="id", where=list(where), **columns)
    return {str(x["id"]) for x in (t.batch[0][1].where(i) for i in range(len(t.batch[0][1])))}, t.account


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (["ts>1700000000000000000"], "2"),
        (["ts>=1700000000000000000"], "12"),
        (["ts=1700000000000000001"], "2"),
        (["ts!=1700000000000000001"], "1345"),
        (["ts<1" + "0" * 400], "12345"),
        (["ts>-1" + "0" * 60], "12345"),
        (["ts<=-5"], "5"),
        (["age>=1e3"], "23"),
        (["age<>500"], "235"),
        (["age!=500"], "235"),
        (["age==1000.0"], "3"),
        (["age<inf"], None),
        (["age<1e400"], "1235"),
        (["age>=1000", "region=south"], "23"),
        (["day>=2024-01-31"], "1245"),
        (["day>2024-01-31T00:00+01:00"], "1245"),
        (["day<2024-01-31"], "3"),
        (["day=2024-01-31"], "14"),
        (["region='south'"], "234"),
        (["region!="], "12345"),
    ],
)
def test_numbers_of_any_size_and_dates_have_their_order(tmp_path, where, ids):
    """Not the order of texts, in which 99.5 is above 1000, and not that of doubles, to which 19 digits look alike."""
    path = table(tmp_path)
    if ids is None:
        with pytest.raises(BadSetting, match="asks for an order, which takes a number"):
            kept(path, *where)
        return
    found, account = kept(path, *where)
    assert found == set(ids)
    assert account == Account(5, {"where": 5 - len(ids)} if len(ids) < 5 else {}, tuple(where))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("age>1,000", "asks for an order, which takes a number .* or an ISO date or time .*; got '1,000'"),
        ("age>abc", "got 'abc'"),
        ("age>", "got ''"),
        ("day>2024-13-01", "got '2024-13-01'"),
        ("day>31.01.2024", "got '31.01.2024'"),
        ("age>=1000 AND region=south", "holds several conditions; give each a where= of its own"),
        ("age>=1000 && region=south", "holds several conditions"),
        ("region=south OR region=north", "holds several conditions"),
        ("region=south and age>3", "holds several conditions"),
        ("age=>1000", "has two signs"),
        ("age=<1000", "has two signs"),
        ("day>2024-01-31T10:00:00.1234567", "is finer than a microsecond"),
        ("day=2024-01-31T10:00:00.123456789", "is finer than a microsecond"),
        ("age~3", "a condition is column=value"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, where, said):
    """One sentence, in place of rows that nobody asked for."""
    with pytest.raises(BadSetting, match=said):
        kept(table(tmp_path), where)


def test_text_has_no_order(tmp_path):
    """A text among numbers is refused where an order is asked for, or left out and counted with missing=drop."""
    path = table(tmp_path, [*ROWS, ("6", "N/A", "south", "1", "2024-01-31"), ("7", "N/A", "north", "1", "n.d.")])
    with pytest.raises(
        BadLabels, match=r"column 'age' holds 'N/A', which is not a number[.] Correct it, or give missing='drop'"
    ):
        kept(path, "age>100")
    assert kept(path, "age>100", missing="drop") == (
        {"1", "2", "3"}, Account(7, {"where": 2, "missing": 2}, ("age>100",)),
    )  # fmt: skip
    assert kept(path, "age>100", "region=north", missing="drop")[1].left_out == {"where": 5, "missing": 1}
    assert kept(path, "age>100", "id<6")[0] == {"1", "2", "3"}  # another condition leaves it out
    assert kept(path, "age!=500")[0] == {"2", "3", "5", "6", "7"}  # a text is no 500
    with pytest.raises(BadLabels, match=r"column 'day' holds 'n[.]d[.]', which is not a date or time"):
        kept(path, "day>2024-01-01")


def test_quotes_and_leading_zeros_make_names(tmp_path):
    """007 is a name, and a value in quotes is a text; a plain number takes whatever spells it."""
    path = tmp_path / "ids.csv"
    ids = ["7", "007", "7.0", "this AND that", "'q'", "<b>"]
    lines = [f'{i},{x},"{x}",{i % 2},1' for i, x in enumerate(ids)]
    path.write_text("\n".join(["id,x,t,y,z", *lines]), encoding="utf-8")
    for where, found in {
        "t=7": "012", "t=007": "1", 't="7"': "0", "t!=7": "345", "t=7.00": "012", 't="this AND that"': "3",
        "t=<b>": "5", "t>=7": None, "t=\"'q'\"": "4",
    }.items():  # fmt: skip
        if found is None:
            with pytest.raises(BadLabels, match="holds 'this AND that', which is not a number"):
                kept(path, where)
        else:
            assert kept(path, where)[0] == set(found), where


def test_columns_with_types_have_the_order_of_their_type(tmp_path):
    """Parquet: times, days, decimals, whole numbers of 128 bits, floats of 32; the file tells how many rows it has."""
    path = tmp_path / "typed.parquet"
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT i AS id, i % 2 AS y, 1 AS z, TIMESTAMP '2024-01-31 10:00' + to_hours(i) AS at,
            TIMESTAMPTZ '2024-01-31 10:00:00+02' + to_hours(i) AS zoned, DATE '2024-01-31' + CAST(i AS INTEGER) AS day,
            CAST(i AS DECIMAL(20, 2)) / 10 AS price, 1700000000000000000 + i AS ts,
            CAST(CAST(170000000000000000000000000000000 AS HUGEINT) + i AS DECIMAL(38, 0)) AS huge,
            CAST(i / 10 AS FLOAT) AS small, i > 2 AS ok,
            CASE WHEN i = 0 THEN 'NaN'::DOUBLE WHEN i = 1 THEN NULL WHEN i = 2 THEN 'inf'::DOUBLE ELSE i END AS odd
            FROM range(5) t(i)) TO '{path}' (FORMAT parquet)""")
    for where, ids in {
        "at>2024-01-31T11:00": "234", "at>=2024-01-31T11:00Z": "1234", "zoned>=2024-01-31T08:00": "01234",
        "zoned<2024-01-31T09:00": "0", "zoned=2024-01-31T12:00:00+02:00": "2", "day>2024-02-02": "34",
        "day=2024-02-02": "2",
        "price=0.1": "1", "price>0.2": "34", "price>99999999999999999999": "", "ts>1700000000000000002": "34",
        "ts=1700000000000000002": "2", "huge>170000000000000000000000000000002": "34", "huge<1" + "0" * 50: "01234",
        "small=0.1": "1", "small>0.1": "234", "small<=0.3": "0123", "ok=true": "34", "ok=1": "34", "ok!=TRUE": "012",
        "odd>2": "234", "odd!=3": "24", "odd=text": "", "day=text": "", "day!=text": "01234", "id=2.0": "2",
    }.items():  # fmt: skip
        if ids:
            found, account = kept(path, where)
            assert found == set(ids), where
            assert (account.read, account.kept) == (5, len(ids)), where
        else:
            with pytest.raises(BadLabels, match="no row is left of 5: where="):
                kept(path, where)
    with pytest.raises(BadSetting, match="asks for the order of a number, but column 'day' holds dates or times"):
        kept(path, "day>5")
    with pytest.raises(BadSetting, match="asks for the order of a date or time, but column 'price' holds numbers"):
        kept(path, "price>2024-01-01")


def test_plain_values_are_judged_alike():
    """The rule itself, on values of Python."""
    judge = {
        ("x>1", "1_000"): None, ("x>1", True): False, ("x>=1", "TRUE"): True, ("x=1", Decimal("1.0")): True,
        ("x>1", float("nan")): False, ("x>1", None): False, ("x>1", "nan"): False, ("x<1", "-inf"): True,
        ("x>1970-01-01", datetime(1970, 1, 1, 1, tzinfo=UTC)): True, ("x=5", "five"): False, ("x!=5", "five"): True,
        ("x!=5", " "): False, ("x>" + "9" * 3000, "9" * 3001): True, ("x=1e400", "1e401"): True,
    }  # fmt: skip
    assert {key: parse(key[0]).judge(key[1]) for key in judge} == judge


# -- the account


def test_documents_state_rows(tmp_path, run_json):
    """read = kept + left out, and the conditions, in the data of every document; one note for people."""
    path = tmp_path / "a.csv"
    path.write_text(
        "id,y,z,s,g\n" + "".join(f"{i},{i % 2},{'' if i < 10 else i % 3 % 2},{i / 100},{i % 5}\n\n" for i in range(100))
    )
    asked = ["--where", "g>0", "--where", "id<90", "--missing", "drop"]
    found = run_json("score", path, "--truth", "y", "--pred", "z", *asked)
    assert found["data"]["rows"] == {
        "read": 100, "kept": 64, "left_out": {"where": 28, "missing": 8}, "where": ["g>0", "id<90"],
    }  # fmt: skip
    told = [n["text"] for n in found["notes"] if n["code"] == "missing-dropped"]
    assert told == ["100 rows read: 28 left out by --where g>0 --where id<90, 8 for missing values; 64 kept"]
    found = run_json("curve", path, "--truth", "y", "--score", "s", "--where", "g>0")
    assert found["data"]["rows"] == {"read": 100, "kept": 80, "left_out": {"where": 20}, "where": ["g>0"]}
    assert [n["text"] for n in found["notes"] if n["code"] == "rows-left-out"] == [
        "100 rows read: 20 left out by --where g>0; 80 kept"
    ]
    found = run_json("score", path, "--value", "s")
    assert found["data"]["rows"] == {"read": 100, "kept": 100, "left_out": {}}
    assert not [n for n in found["notes"] if "rows read" in n["text"]]
    assert "rows" not in run_json("score", "--counts", "8,2,3,7")["data"]


def test_rows_of_several_files_are_added_up(tmp_path, run_json):
    """Ids that are missing, occur twice, or are not in every file, and truths that disagree, each row once."""
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("id,y,z\n1,1,1\n2,0,0\n3,1,0\n4,0,\n5,1,1\n5,1,1\n,1,1\n6,0,0\n")
    b.write_text("id,y,z\n1,1,0\n2,0,0\n3,1,1\n4,0,1\n5,1,1\n6,1,0\n8,1,1\n9,1,1\n")
    options = ["--on", "id", "--truth", "y", "--pred", "z", "--unmatched", "drop", "--missing", "drop"]
    left = {"missing": 2, "unmatched": 4, "twice": 2, "disagree": 2}
    for verb in ("compare", "leaderboard"):
        found = run_json(verb, a, b, *options)["data"]
        assert found["rows"] == {"read": 16, "kept": 6, "left_out": left}
        assert found["n"] == 3
    apart = run_json("compare", a, b, "--independent", "--truth", "y", "--pred", "z", "--missing", "drop")
    assert apart["data"]["rows"] == {"read": 16, "kept": 15, "left_out": {"missing": 1}}


def test_accounts_of_evidence_add_up(tmp_path):
    """Weights and counts are of items, not of rows; shards add, and travel as JSON; counts alone have no rows."""
    frame = pl.DataFrame({"y": [1, 0, 1, None], "z": [1, 1, 0, 0], "w": [2.0, 0.0, 3.5, 1.0], "n": [3, 0, 2, 9]})
    path = tmp_path / "a.parquet"
    frame.write_parquet(path)
    for amount in ({}, {"weight": "w"}, {"count": "n"}):
        for data in (path, frame, frame.lazy(), frame.to_dict(as_series=False)):
            t = hs.tally(data, truth="y", pred="z", missing="drop", **amount)
            assert t.account == Account(4, {"missing": 1})
            assert (t + t).account == Account(8, {"missing": 2})
            assert hs.Tally.from_json(t.to_json()).account == t.account
    weights = frame["w"].to_list()
    for weight in (None, weights):
        t = hs.tally(frame["y"].to_list(), frame["z"].to_list(), weight=weight, missing="drop")
        assert t.account == Account(4, {"missing": 1})
    assert hs.tally([1, 0], [1, 1]).account == Account(2)
    assert (t + hs.Tally.binary(tp=1, fp=1, fn=1, tn=1)).account is None


def test_long_files_and_clusters_account_for_each_row(tmp_path, run_json):
    """Rows of several systems: items that some system lacks, and clusters, rows by rows."""
    path = tmp_path / "long.csv"
    rows = [
        (i, m, i % 4, i % 2, "" if (i, m) == (3, "a") else 1) for i in range(12) for m in "ab" if (i, m) != (7, "b")
    ]
    path.write_text("id,m,c,y,z\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    options = ["--truth", "y", "--pred", "z", "--system", "m", "--missing", "drop", "--unmatched", "drop"]
    found = run_json("compare", path, *options, "--on", "id", "--where", "id!=11")["data"]["rows"]
    assert found == {
        "read": 23, "kept": 18, "left_out": {"where": 2, "missing": 2, "unmatched": 1}, "where": ["id!=11"],
    }  # fmt: skip
    found = run_json("compare", path, *options, "--cluster", "c", "--where", "id!=11")["data"]["rows"]
    assert found == {"read": 23, "kept": 20, "left_out": {"where": 2, "missing": 1}, "where": ["id!=11"]}
    rows = [row for row in rows if row[1:3] != ("b", 2)]
    path.write_text("id,m,c,y,z\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    for role in (["--truth", "y", "--pred", "z"], ["--value", "z", "--bounds", "0,1"]):
        found = run_json("compare", path, *role, *options[4:], "--cluster", "c")["data"]["rows"]
        assert found == {"read": 20, "kept": 16, "left_out": {"missing": 1, "unmatched": 3}}, role


def test_json_texts_are_read_as_csv_texts_are(tmp_path):
    """Fields of JSON: numbers, texts and null, each as it is spelled."""
    path = tmp_path / "a.jsonl"
    values = [1700000000000000001, "1700000000000000000", 5.5, None, "2024-01-31T10:00:00Z"]
    path.write_text(
        "".join(json.dumps({"id": i, "v": {"x": x}, "y": i % 2, "z": 1}) + "\n" for i, x in enumerate(values))
    )
    assert kept(path, "v.x>1700000000000000000", "id<4")[0] == {"0"}
    assert kept(path, "v.x>=2024-01-31T10:00", "id=4")[0] == {"4"}
    assert kept(path, "v.x!=5.5")[0] == {"0", "1", "4"}


@pytest.mark.parametrize("asked", [{"where": "r=n"}, {"by": "r"}, {"where": "r=n", "missing": "drop"}, {"weight": "r"}])
def test_a_column_that_one_of_the_files_lacks(tmp_path, asked):
    """Its rows were left out in silence where the files are Parquet or JSON; CSV refused them."""
    first = pl.DataFrame({"y": [1, 0], "p": [1, 1], "r": ["n", "s"]})
    second = pl.DataFrame({"y": [1, 0], "p": [1, 1], "other": [{"r": "n"}] * 2})
    first.write_parquet(tmp_path / "a.parquet")
    second.drop("other").write_parquet(tmp_path / "b.parquet")
    first.write_csv(tmp_path / "a.csv")
    second.drop("other").write_csv(tmp_path / "b.csv")
    first.write_ndjson(tmp_path / "a.jsonl")
    second.write_ndjson(tmp_path / "b.jsonl")
    for kind in ("csv", "parquet", "jsonl"):
        for order in ("ab", "ba"):
            files = [str(tmp_path / f"{x}.{kind}") for x in order]
            with pytest.raises(UnknownName, match=rf"no column named 'r' in '[^']*b\.{kind}'"):
                pytest.fail(f"{kind} {order}: {hs.tally(files, truth='y', pred='p', **asked)}")


def test_a_field_that_occurs_late_or_as_null_is_there(tmp_path):
    """One record of a JSON file that has the field will do, also beyond the first hundred."""
    (tmp_path / "a.jsonl").write_text('{"y": 1, "p": 1, "r": "n", "in": {"q": 1}}\n')
    late = '{"y": 1, "p": 1}\n' * 150
    (tmp_path / "b.jsonl").write_text(late + '{"y": 0, "p": 1, "r": "n", "in": {"q": 1}}\n')
    (tmp_path / "c.jsonl").write_text('{"y": 1, "p": 1, "r": null, "in": {"q": 2}}\n')
    files = [str(tmp_path / f"{x}.jsonl") for x in "abc"]
    assert hs.tally(files, truth="y", pred="p", where="r=n").n == 2
    assert hs.tally(files, truth="y", pred="p", where="in.q=1").n == 2
    assert hs.tally(files, truth="y", pred="p", where="r!=n=1").n == 2
    for name, rows in (("a", [{"q": 1}]), ("b", [{"q": 2}])):
        pl.DataFrame({"y": [1], "p": [1], "in": rows}).write_parquet(tmp_path / f"{name}.parquet")
    both = [str(tmp_path / f"{x}.parquet") for x in "ab"]
    assert hs.tally(both, truth="y", pred="p", where="in.q=1").n == 1
