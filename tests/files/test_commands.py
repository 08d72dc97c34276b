"""The command on files: what it says is what Python says; several files are joined on ids."""

from __future__ import annotations

import io
import json
import sys

import polars as pl
import pytest

import howsure as hs
from howsure.cli import app
from tests.files.test_files import BAD, FRAME, NASTY, csv, jsonl, packed, parquet
from tests.refusals import one_sentence


@pytest.mark.parametrize("name", BAD)
def test_bad_files_end_in_one_sentence(name, tmp_path, monkeypatch, capsys):
    """Exit code 2, one line on stderr that names the file, nothing on stdout, nothing half-written."""
    make, said = BAD[name]
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path)
    assert app.run(["score", path, "--truth", "y", "--pred", "z", "--out", "out.txt"]) == 2
    got = capsys.readouterr()
    assert said in got.err
    assert one_sentence(got.err)
    assert len(got.err) < 400
    assert not got.out
    assert not (tmp_path / "out.txt").exists()


def run(capsys, *arguments):
    assert app.run([str(x) for x in arguments]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def unadvised(document):
    """A document without what its warning tells to type, which is in the language of the reader."""
    texts = [n | {"text": ""} if n["code"] == "repeated-units" else n for n in document["notes"]]
    return document | {"notes": texts}


def test_score_of_a_file_is_the_score_of_its_tally(tmp_path, capsys):
    """The command says what Python says."""
    path = csv(tmp_path)
    for options, case in (
        (["--truth", "animal", "--pred", "animal_a", "--positive", "owl"], {"positive": "owl"}),
        (["--truth", "animal", "--pred", "animal_a", "--labels", "owl,dog,cat"], {"labels": ["owl", "dog", "cat"]}),
        (["--truth", "animal", "--pred", "animal_gaps", "--missing", "wrong"], {"missing": "wrong"}),
        (["--truth", "bit", "--pred", "bit_a", "--pred", "bit_b"], {}),
        (["--truth", "bit", "--score", "score", "--threshold", "0.5", "--threshold", "0.2"], {"threshold": [0.5, 0.2]}),
        (["--outcome", "solved", "--by", "region"], {}),
        (["--truth", "bit", "--pred", "bit_a", "--weight", "weight"], {}),
        (["--truth", "bit", "--pred", "bit_a", "--count", "n", "--labels", "0,1"], {"labels": [0, 1]}),
    ):
        named: dict = {}
        for option, value in zip(options[::2], options[1::2], strict=True):
            name = option.removeprefix("--")
            named[name] = value if name not in named else [*[named[name]], value]
        t = hs.tally(FRAME, **{**named, **case})
        got = run(capsys, "score", path, *options, "--format", "json")
        assert unadvised(got) == unadvised(hs.score(t).to_dict()), options


def test_standard_input(tmp_path, monkeypatch, capsys):
    """- reads standard input, of any format."""
    want = hs.score(hs.tally(FRAME, truth="bit", pred="bit_a")).to_dict()["rows"]
    for make in (csv, jsonl, parquet, packed):
        data = make(tmp_path).read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run(capsys, "score", "-", "--truth", "bit", "--pred", "bit_a", "--format", "json")["rows"] == want


def test_compare_and_leaderboard_of_columns(tmp_path, capsys):
    """Columns of one file are systems on the same items."""
    path = csv(tmp_path)
    joint = hs.tally(FRAME, truth="bit", pred=["bit_a", "bit_b"])
    columns = ["--truth", "bit", "--pred", "bit_a", "--pred", "bit_b", "--format", "json"]
    assert unadvised(run(capsys, "compare", path, *columns)) == unadvised(hs.compare(joint).to_dict())
    named = run(capsys, "compare", path, *columns, "--name", "A", "--name", "B", "--by", "region")
    assert named["data"]["systems"] == ["A", "B"]
    found = [r["slice"] and r["slice"]["region"] for r in named["rows"]]
    assert found[0] is None
    assert sorted(found[1:]) == ["<b>east</b>", "north", "south"]
    assert unadvised(run(capsys, "leaderboard", path, *columns)) == unadvised(hs.leaderboard(joint).to_dict())


# -- two files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path):
    """The same items in two files, the second in another order and another format."""
    frame = FRAME.with_row_index("id").with_columns(pl.col("id").cast(pl.Int64), sample=pl.col("id") % 3)
    one = frame.select("id", "sample", "animal", "region", "weight", answer="animal_a", ok="passed")
    two = frame.select("id", "sample", "animal", answer="animal_gaps", ok="solved").sample(
        fraction=1.0, shuffle=True, seed=3
    )
    two = two.with_columns(pl.col("answer").fill_null("cat"))
    one.write_ndjson(tmp_path / "one.jsonl")
    return tmp_path, one, two


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_two_files_are_joined_on_ids(pair, kind, capsys):
    """The joint tally is that of a frame joined by hand, whatever the order and the format."""
    folder, one, two = pair
    getattr(two, f"write_{kind}")(folder / f"two.{kind}")
    both = one.join(two, on="id", suffix="_two")
    files = [folder / "one.jsonl", folder / f"two.{kind}", "--on", "id", "--format", "json"]
    got = run(capsys, "compare", *files, "--truth", "animal", "--pred", "answer", "--metric", "accuracy")
    joint = hs.tally(both, truth="animal", pred=["answer", "answer_two"])
    assert got["data"]["systems"] == ["one", "two"]
    want = hs.compare(joint, metric="accuracy")
    assert got["rows"][0]["p_better"] == want.p_better
    got = run(capsys, "compare", *files, "--on", "sample", "--outcome", "ok", "--by", "region")
    want = hs.compare(hs.tally(both, outcome=["ok", "ok_two"], by="region"))
    assert [r["p_better"] for r in got["rows"]][1:] == sorted(want.p_better.tolist())
    weighted = run(capsys, "compare", *files, "--outcome", "ok", "--weight", "weight")
    assert weighted["rows"][0]["first"]["score"] == pytest.approx(
        both.filter(pl.col("ok"))["weight"].sum() / both["weight"].sum()
    )


def test_items_that_cannot_be_paired_are_refused_or_left_out(pair, capsys):
    """Ids twice, missing, in one file only, truths that disagree: counted, listed, and dropped only when told so."""
    folder, _, two = pair
    extra = two[:1].with_columns(id=pl.lit(9999, dtype=pl.Int64))
    bad = pl.concat([
        two.with_columns(animal=pl.when(pl.col("id") == 7).then(pl.lit("emu")).otherwise("animal")),
        two.filter(pl.col("id") == 5),
        extra,
        extra.with_columns(id=pl.lit(None, dtype=pl.Int64)),
    ]).filter(pl.col("id").is_null() | ~pl.col("id").is_in(list(range(20, 28))))  # fmt: skip
    bad.write_csv(folder / "two.csv")
    line = ["compare", folder / "one.jsonl", folder / "two.csv", "--on", "id", "--truth", "animal", "--pred", "answer"]
    line = [*map(str, line), "--metric", "accuracy", "--format", "json"]
    assert app.run(line) == 2
    said = capsys.readouterr().err
    for part in (
        "1 row has no id",
        "1 id occurs more than once in",
        "('5')",
        "8 ids are only in",
        "('20', '21', '22', '23', '24', …)",
        "1 id is only in",
        "('9999')",
        "1 id has truths that disagree ('7')",
        "--unmatched drop",
    ):
        assert part in said
    got = run(capsys, *line, "--unmatched", "drop")
    assert got["data"]["n"] == FRAME.height - 10
    assert sum(note["text"].startswith("left out") for note in got["notes"]) == 5


def test_two_files_are_never_paired_by_their_order(pair, capsys):
    """Without ids the files are refused, or compared as independent when told so."""
    folder, _, two = pair
    two.rename({"id": "key"}).write_csv(folder / "two.csv")
    line = ["compare", str(folder / "one.jsonl"), str(folder / "two.csv"), "--outcome", "ok", "--format", "json"]
    assert app.run(line) == 2
    assert "rows are never paired by their order" in capsys.readouterr().err
    got = run(capsys, *line, "--independent")
    assert got["rows"][0]["paired"] is False
    assert app.run([*line, "--independent", "--on", "id"]) == 2


def test_one_column_for_each_file(pair, capsys):
    """--pred once for each file names the systems."""
    folder, _, two = pair
    two.rename({"answer": "other"}).write_csv(folder / "two.csv")
    line = ["compare", folder / "one.jsonl", folder / "two.csv", "--on", "id", "--truth", "animal"]
    got = run(capsys, *line, "--pred", "answer", "--pred", "other", "--metric", "accuracy", "--format", "json")
    assert got["data"]["systems"] == ["answer", "other"]


def test_leaderboard_of_three_files(pair, capsys):
    """Three files joined on ids are ranked together."""
    folder, _, two = pair
    for name in ("b", "c"):
        two.write_csv(folder / f"{name}.csv")
    files = [folder / "one.jsonl", folder / "b.csv", folder / "c.csv"]
    got = run(capsys, "leaderboard", *files, "--on", "id", "--outcome", "ok", "--format", "json")
    assert sorted(got["data"]["systems"]) == ["b", "c", "one"]
    assert got["data"]["n"] == FRAME.height


def test_user_text_never_becomes_sql(tmp_path):
    """Quotes and semicolons in names, values, paths and labels of files that are joined are only ever data."""
    frame = pl.DataFrame({NASTY: [NASTY, "b"], "p": [NASTY, NASTY], "s": [NASTY, "c"], "id": [NASTY, "2"]})
    (tmp_path / "a'; --").mkdir()
    frame.write_csv(tmp_path / "a'; --" / "a.csv")
    frame.write_ndjson(tmp_path / "a'; --" / "a.jsonl")
    line = ["compare", *[str(tmp_path / "a'; --" / x) for x in ("a.jsonl", "a.csv")], "--on", "id"]
    assert app.run([*line, "--truth", NASTY, "--pred", "p", "--metric", "accuracy"]) == 0
