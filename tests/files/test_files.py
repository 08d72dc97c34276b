"""Files: every format gives the tally of the frame it was written from; bad files end in one sentence."""

from __future__ import annotations

import gzip
import json
import os
import stat
from functools import cache

import duckdb
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadLabels, BadSetting, HowsureError, UnknownName
from howsure.io import where
from howsure.io.entrance import evidence
from howsure.io.formats import system_names
from howsure.messages.notes import note
from tests.engines.data import CASES, LISTS, PLAIN, nameless, polars_frame, reference
from tests.tiers import turn

WHOLE = polars_frame().with_columns(pl.col("kind", "kind_a").cast(pl.String))
FRAME = WHOLE.drop(LISTS)
CSV = FRAME.write_csv()
JSONL = WHOLE.with_columns(pl.col("digit_nan").fill_nan(None)).write_ndjson()


def zstd(data: bytes, path) -> None:
    """DuckDB packs what Python cannot."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t (x VARCHAR)")
        con.executemany("INSERT INTO t VALUES (?)", [[line] for line in data.decode().splitlines()])
        target = str(path).replace("'", "''")
        con.execute(
            f"COPY t TO '{target}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '', COMPRESSION zstd)"
        )


def csv(folder):
    (folder / "a.csv").write_text(CSV, encoding="utf-8")
    return folder / "a.csv"


def tsv(folder):
    (folder / "a.tsv").write_text(FRAME.write_csv(separator="\t"), encoding="utf-8")
    return folder / "a.tsv"


def semicolons(folder):
    (folder / "a.txt").write_text(FRAME.write_csv(separator=";", include_bom=True), encoding="utf-8")
    return folder / "a.txt"


def jsonl(folder):
    (folder / "a.jsonl").write_text(JSONL, encoding="utf-8")
    return folder / "a.jsonl"


def array(folder):
    rows = [json.loads(line) for line in JSONL.splitlines()]
    (folder / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder / "a.json"


def parquet(folder):
    WHOLE.write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def packed(folder):
    (folder / "a.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    return folder / "a.csv.gz"


def zst(folder):
    zstd(JSONL.encode(), folder / "a.jsonl.zst")
    return folder / "a.jsonl.zst"


def shards(folder):
    for i in range(0, FRAME.height, 50):
        WHOLE[i : i + 50].write_parquet(folder / f"part-{i}.parquet")
    return folder / "part-*.parquet"


def odd(folder):
    (folder / "predictions [1]*").write_text(JSONL, encoding="utf-8")
    return folder / "predictions [1]*"


WITH_LISTS = (jsonl, array, parquet, shards)
FORMATS = (csv, tsv, semicolons, packed, zst, odd, *WITH_LISTS)


@cache
def frame_notes(name):
    """The notes of the frame's answer, with the warning that not every engine looks for."""
    return evidence(polars_frame(), **CASES[name]).notes


@pytest.mark.whole
@pytest.mark.parametrize("make", FORMATS, ids=lambda f: f.__name__)
def test_every_format_gives_the_same_evidence(make, tmp_path):
    """Each question of the engines' suite has the frame's answer: half in CSV or Parquet, of others a fifth in turn."""
    path, cases = make(tmp_path), CASES if make in WITH_LISTS else PLAIN
    halves = {csv: 0, parquet: 1}
    for name in turn(cases, halves[make], 2) if make in halves else turn(cases, FORMATS.index(make), 5):
        found = evidence(path, **cases[name])
        assert nameless(found) == reference(name), name
        assert found.notes == frame_notes(name), name


def test_files_of_two_formats_are_shards_of_one_data_set(tmp_path):
    """CSV and Parquet add up."""
    FRAME[:100].write_parquet(tmp_path / "a.parquet")
    FRAME[100:].write_csv(tmp_path / "b.csv")
    case = CASES["three slice columns"]
    assert hs.tally([tmp_path / "a.parquet", tmp_path / "b.csv"], **case) == hs.tally(FRAME, **case)


def test_nested_fields_by_path(tmp_path):
    """A dotted path goes into JSON and into Parquet structs; a column with that very name comes first."""
    rows = [{"label": "x", "response": {"label": "x", "a b": {"c'\"d": i % 2}}, "q": i % 2} for i in range(10)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    assert hs.tally(path, truth="label", pred="response.label").n == 10
    assert hs.tally(path, truth="q", pred="response.a b.c'\"d").tp == 5
    pl.read_ndjson(path).write_parquet(tmp_path / "a.parquet")
    assert hs.tally(tmp_path / "a.parquet", truth="q", pred="response.a b.c'\"d").tp == 5
    path.write_text('{"a.b": 1, "a": {"b": 0}}\n', encoding="utf-8")
    assert hs.tally(path, truth="a.b", pred="a.b").tp == 1


def test_a_field_that_occurs_late_is_found(tmp_path):
    """Fields are looked for in all of the file before they are called unknown."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"y": 1}\n' * 30_000 + '{"y": 1, "z": 1}\n', encoding="utf-8")
    assert hs.tally(path, truth="y", pred="z", missing="drop").n == 1


def count(path, *where, **columns):
    return hs.tally(path, where=where, **columns).n


def test_conditions_choose_rows(tmp_path):
    """= != on numbers and on text, < <= > >= on numbers, the same in CSV, JSON and Parquet; text has no order."""
    tests = {
        "year=2023": FRAME["year"] == 2023,
        "year!=2023": FRAME["year"] != 2023,
        "score>=0.5": FRAME["score"] >= 0.5,
        "score < 0.25": FRAME["score"] < 0.25,
        "region=north": FRAME["region"] == "north",
        "region!=north": FRAME["region"] != "north",
        "flag=true": FRAME["flag"],
        "region=<b>east</b>": FRAME["region"] == "<b>east</b>",
    }
    for path in (csv(tmp_path), jsonl(tmp_path), parquet(tmp_path)):
        for text, mask in tests.items():
            assert count(path, text, truth="bit", pred="bit_a") == mask.sum(), (path, text)
        assert (
            count(path, "year=2023", "region=north", outcome="passed")
            == ((FRAME["year"] == 2023) & (FRAME["region"] == "north")).sum()
        )
        with pytest.raises(BadSetting, match="asks for an order, which takes a number"):
            count(path, "region>north", truth="bit", pred="bit_a")


NASTY = "x'; DROP TABLE file0; --\"\\ \N{SNOWMAN}<i>"


def test_user_text_never_becomes_sql(tmp_path):
    """Quotes and semicolons in names, values, paths and labels are only ever data."""
    frame = pl.DataFrame({NASTY: [NASTY, "b"], "p": [NASTY, NASTY], "s": [NASTY, "c"], "id": [NASTY, "2"]})
    (tmp_path / "a'; --").mkdir()
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        path = tmp_path / "a'; --" / name
        {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[name[2:]](path)
        t = hs.tally(path, truth=NASTY, pred="p", by="s")
        assert set(t.labels) == {NASTY, "b"}
        assert count(path, f"s={NASTY}", truth=NASTY, pred="p") == 1
        with pytest.raises(UnknownName):
            hs.tally(path, truth="p", pred="nothing'; DROP TABLE x; --")


def test_texts_of_a_csv_are_the_values_they_spell(tmp_path):
    """0.0 and 1 are whole numbers; true is a boolean; 007 is a name."""
    path = tmp_path / "a.csv"
    path.write_text("y,z,b,c,k\n1,1.0,True,false,007\n0,0.0,FALSE,true,07\n", encoding="utf-8")
    assert hs.tally(path, truth="y", pred="z").labels == (0, 1)
    assert hs.tally(path, truth="b", pred="c").labels == (False, True)
    assert hs.tally(path, truth="k", pred="k").labels == ("007", "07")


def test_labels_that_differ_by_case_or_blanks_get_a_question(tmp_path):
    """The note asks whether they are one class."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"y": "Spam", "z": "spam "}\n{"y": "ham", "z": "ham"}\n', encoding="utf-8")
    assert hs.tally(path, truth="y", pred="z").notes == (note("similar-labels", first="Spam", second="spam "),)


# -- bad files -----------------------------------------------------------------------------------------------------


def _binary(folder):
    (folder / "x.bin").write_bytes(bytes(range(256)) * 20)
    return "x.bin"


def _truncated(folder):
    data = parquet(folder).read_bytes()
    (folder / "x.parquet").write_bytes(data[: len(data) // 2])
    return "x.parquet"


def _damaged(folder):
    data = parquet(folder).read_bytes()
    (folder / "x.parquet").write_bytes(data[:100] + b"\0" * 2000 + data[2100:])
    return "x.parquet"


def _text(name, content):
    def make(folder):
        (folder / name).write_text(content, encoding="utf-8")
        return name

    return make


def _bytes(name, content):
    def make(folder):
        (folder / name).write_bytes(content)
        return name

    return make


def _folder(folder):
    (folder / "x").mkdir()
    return "x"


BAD = {
    "truncated Parquet": (_truncated, "'x.parquet' is a damaged or truncated Parquet file"),
    "damaged Parquet": (_damaged, "x.parquet"),
    "Parquet by name only": (_text("x.parquet", "hello"), "'x.parquet' is not a Parquet file"),
    "ragged CSV": (_text("x.csv", "y,z\n1,0\n1\n"), "line 3 of 'x.csv' has 1 field but the header line has 2"),
    "wide CSV": (_text("x.csv", "y,z\n1,0\n1,0,1\n"), "line 3 of 'x.csv' has 3 fields but the header line has 2"),
    "mixed types": (_text("x.jsonl", '{"y": 1, "z": 1}\n{"y": "a", "z": 1}\n'), "both text and numbers"),
    "text against numbers": (_text("x.jsonl", '{"y": 1, "z": "a"}\n'), "truths and predictions do not match"),
    "scores for labels": (_text("x.csv", "y,z\n1,0.7\n"), "0.7"),
    "long line": (_text("x.csv", "y,z\n1,0\n1," + "x" * 5_000_000 + "\n"), "line 3 of 'x.csv' is longer than 2 MB"),
    "long first line": (_text("x.csv", "x" * 5_000_000), "the first line of 'x.csv' is longer than 2 MB"),
    "long record": (_text("x.jsonl", '{"y": "' + "x" * 40_000_000 + '"}'), "'x.jsonl'"),
    "directory": (_folder, "'x' is a directory"),
    "binary file": (_binary, "'x.bin' is a binary file"),
    "binary file in text's clothes": (_bytes("x.csv", b"y,z\n\0\0\0\0"), "'x.csv' is a binary file"),
    "Latin-1": (_bytes("x.csv", "y,z\né,é\n".encode("latin-1")), "UTF-8"),
    "Latin-1 further down": (_bytes("x.csv", b"y,z\n" + b"a,a\n" * 40_000 + b"\xe9,a\n"), "40002"),
    "empty file": (_text("x.csv", ""), "'x.csv' is empty"),
    "blank file": (_text("x.csv", "\n\n"), "'x.csv' has no header line"),
    "head only": (_text("x.csv", "y,z\n"), "no items"),
    "column named twice": (_text("x.csv", "y,y,z\n1,1,1\n"), "column 'y' of 'x.csv' is named twice"),
    "broken JSON": (_text("x.jsonl", '{"y": 1, "z": 1}\n{"y": 1,\n'), "line 2 of 'x.jsonl' is not JSON"),
    "no JSON": (_text("x.jsonl", "y,z\n1,1\n"), "does not hold JSON records"),
    "no records": (_text("x.json", "[]"), "there are no records in 'x.json'"),
    "a record without fields": (_text("x.json", "{}"), "there are no fields in the records of 'x.json'"),
    "records without fields": (_text("x.jsonl", "{}\n{}\n"), "there are no fields in the records of 'x.jsonl'"),
    "a field named json": (_text("x.jsonl", '{"json": 1}\n'), "no column named 'y' in 'x.jsonl'. Columns:"),
    "lists": (_text("x.jsonl", '{"y": [1], "z": 1}\n'), "column 'y' holds lists"),
    "records": (_text("x.jsonl", '{"y": {"a": 1}, "z": 1}\n'), "such as y.a"),
    "pattern without files": (lambda _: "no*.csv", "no file matches 'no*.csv'"),
    "no file": (lambda _: "x.csv", "cannot read 'x.csv': No such file or directory"),
    "damaged gzip": (_bytes("x.csv.gz", b"\x1f\x8b" + b"junk" * 50), "damaged or truncated gzip"),
    "damaged zstd": (_bytes("x.csv.zst", b"\x28\xb5\x2f\xfd" + b"junk" * 50), "damaged or truncated zstd"),
    "gzip cut short": (_bytes("x.csv.gz", gzip.compress(os.urandom(99) + b"y,z\n1,0\n" * 999)[:-200]), "x.csv.gz"),
    "missing column": (_text("x.csv", "why,z\n1,1\n"), "no column named 'y' in 'x.csv'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_end_in_one_sentence(name, tmp_path, monkeypatch):
    """One sentence that names the file."""
    make, said = BAD[name]
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    with pytest.raises(HowsureError) as got:
        hs.tally(path, truth="y", pred="z")
    assert said in str(got.value)
    assert "\n" not in str(got.value)
    assert len(str(got.value)) < 400


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    """The system's own words, also where root may read everything."""
    path = csv(tmp_path)
    path.chmod(0)
    if os.access(path, os.R_OK):

        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(BadFile, match=r"cannot read '.*': Permission denied"):
        hs.tally(path, truth="bit", pred="bit_a")
    monkeypatch.undo()
    path.chmod(stat.S_IRUSR)


def test_conditions_that_are_none():
    """A condition needs a column and a sign."""
    for text in ("region", "=x", "", "  >= 3"):
        with pytest.raises(BadSetting, match="a condition is column=value"):
            where.parse(text)
    assert where.parse("a=b=c", ("a=b",)).column == "a=b"


def test_a_condition_on_an_unknown_column(tmp_path):
    """The nearest name is suggested."""
    with pytest.raises(UnknownName, match="Did you mean 'region'"):
        count(csv(tmp_path), "regoin=north", truth="bit", pred="bit_a")


def test_systems_are_named_by_the_shortest_part_that_tells_them_apart():
    """A stem, a folder, or the whole path."""
    assert system_names(["x/a.jsonl", "x/b.jsonl.gz"]) == ("a", "b")
    assert system_names(["x/a/out.csv", "x/b/out.csv"]) == ("a", "b")
    assert system_names(["x/a/1.csv", "y/a/1.csv", "x/b/1.csv"]) == ("x/a/1.csv", "y/a/1.csv", "x/b/1.csv")


def test_mixed_types_name_the_column(tmp_path):
    """The sentence names the column and both values."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"y": 1, "z": 1}\n{"y": "a", "z": 1}\n', encoding="utf-8")
    with pytest.raises(BadLabels, match="column 'y' holds both text and numbers, such as 'a' and 1"):
        hs.tally(path, truth="y", pred="z")
