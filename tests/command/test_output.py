"""The command and its files: the suffix of --out is the format, unless --format names one."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys

import polars as pl
import pytest

from howsure.render.formats import TEXTS

F1 = ["score", "--counts", "tp=80,fp=20,fn=30,tn=870", "--metric", "f1"]
WINS = ["compare", "--wins", "17,4,3278"]
SUFFIXES = [(form.name, suffix) for form in TEXTS for suffix in form.suffixes]


@pytest.mark.parametrize(("kind", "suffix"), SUFFIXES)
@pytest.mark.parametrize("arguments", [F1, WINS, ["tradeoff", "accuracy=.9", "prevalence=.2"]], ids=lambda a: a[0])
def test_the_suffix_is_the_format(command, tmp_path, arguments, kind, suffix):
    """--out x.tex writes what --format latex prints; a format that is given wins over the suffix.

    A report says by which words it was made, and these differ.
    """
    path = tmp_path / f"x{suffix}"
    assert command(*arguments, "--out", path) == (0, "", f"wrote {path}\n")
    text = path.read_text(encoding="utf-8")
    printed = command(*arguments, "--format", kind)[1]
    if kind == "html":
        text, printed = (x.partition("<pre")[0] for x in (text, printed))
    assert text == printed
    for other in ("json", "table"):
        assert command(*arguments, "--out", path, "--format", other) == (0, "", f"wrote {path}\n")
        assert path.read_text(encoding="utf-8") == command(*arguments, "--format", other)[1]


def test_the_suffix_counts_wherever_it_is_said(command, tmp_path):
    """--out before or after the rest, in capitals, with further dots: the last suffix is the format."""
    path = tmp_path / "v1.2.JSON"
    command("score", "--out", path, *F1[1:])
    assert json.loads(path.read_text())["schema"] == "howsure.score/1"


@pytest.mark.parametrize("name", ["report", "report.d/x"])
def test_a_name_without_a_suffix_is_a_table(command, tmp_path, name):
    """A name that ends in nothing is written as it would be printed."""
    (tmp_path / "report.d").mkdir()
    assert command(*F1, "--out", tmp_path / name) == (0, "", f"wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_text(encoding="utf-8") == command(*F1)[1]


@pytest.mark.parametrize(
    ("arguments", "name", "says"),
    [
        (F1, "x.xyz", ".txt (table), .json, .md (markdown), .tex (latex), .csv, .html, .methods or .parquet"),
        (WINS, "x.xyz", ".txt (table), .json, .md (markdown), .tex (latex), .csv, .html or .methods"),
        (WINS, "x.parquet", "this output cannot be written as parquet"),
        (["metrics"], "x.tex", "this output cannot be written as latex; "),
        (["papers", "goutte-eq-1"], "x.csv", "Use .txt (table), .json, .md (markdown) or .html, or give --format."),
    ],
)
def test_a_suffix_that_is_no_format_is_refused(command, tmp_path, monkeypatch, arguments, name, says):
    """One sentence with the suffixes there are, before anything is computed or written."""

    def too_late(*_, **__):
        raise AssertionError

    monkeypatch.setattr("howsure.results.verbs.Verb.run", too_late)
    code, out, err = command(*arguments, "--out", tmp_path / name)
    assert (code, out) == (2, "")
    assert err.startswith("howsure: ")
    assert err.count("\n") == 1
    assert says in err
    assert name in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["metrics"], ["metrics", "f1"], ["papers", "goutte-eq-1"]], ids=" ".join)
@pytest.mark.parametrize(("kind", "suffix"), [("table", ".txt"), ("json", ".json"), ("markdown", ".md")])
def test_listings_go_by_the_suffix_too(command, tmp_path, arguments, kind, suffix):
    """howsure metrics and howsure papers have three formats."""
    path = tmp_path / f"x{suffix}"
    assert command(*arguments, "--out", path) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == command(*arguments, "--format", kind)[1]


@pytest.mark.parametrize("arguments", [["--out", "x.parquet"], ["--out", "x.txt", "--format", "parquet"]], ids=" ".join)
def test_scores_are_written_as_columns(command, tmp_path, monkeypatch, arguments):
    """Parquet by suffix, or by name whatever the suffix."""
    monkeypatch.chdir(tmp_path)
    assert command(*F1, *arguments) == (0, "", f"wrote {arguments[1]}\n")
    got = pl.read_parquet(arguments[1])
    assert got["metric"].to_list() == ["f1"]
    assert [p.name for p in tmp_path.iterdir()] == [arguments[1]]


def test_columns_go_to_a_pipe(command, tmp_path):
    """A Parquet file can be read at the other end of a pipe, which stays one."""
    path = tmp_path / "x.parquet"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert command(*F1, "--out", path) == (0, "", "")
        data = os.read(reader, 1_000_000)
    finally:
        os.close(reader)
    assert pl.read_parquet(io.BytesIO(data))["n"].to_list() == [1000]
    assert stat.S_ISFIFO(path.stat().st_mode)


PREDS = "id,t,p,s\n" + "".join(f"{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]},{i / 9}\n" for i in range(9))
MATRIX = ",a,b\na,5,1\nb,2,8\n"
COLUMNS = ["--truth", "t", "--pred", "p"]
READING = {
    "score": (["score", "x.csv", *COLUMNS], PREDS),
    "score by another way": (["score", "./../here/x.csv", *COLUMNS], PREDS),
    "score of a pattern": (["score", "?.csv", *COLUMNS], PREDS),
    "score of a matrix": (["score", "--matrix", "x.csv"], MATRIX),
    "compare": (["compare", "other.csv", "x.csv", "--on", "id", *COLUMNS], PREDS),
    "compare matrices": (["compare", "--matrix", "other.csv", "--matrix", "x.csv"], MATRIX),
    "leaderboard": (["leaderboard", "x.csv", "other.csv", "--independent", *COLUMNS], PREDS),
    "curve": (["curve", "x.csv", "--truth", "t", "--score", "s"], PREDS),
    "judgments": (["trec", "x.csv", "run"], "q 0 d 1\n"),
    "run": (["trec", "qrels", "x.csv"], "q Q0 d 1 0.5 r\n"),
}


@pytest.mark.parametrize("out", ["x.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize("name", READING)
def test_a_file_that_is_read_is_not_written(command, tmp_path, monkeypatch, name, out):
    """One sentence, under any name of the file, and the file stays as it was."""
    home = tmp_path / "here"
    home.mkdir()
    arguments, text = READING[name]
    for x in ("x.csv", "other.csv"):
        (home / x).write_text(text)
    (home / "qrels").write_text("q 0 d 1\n")
    (home / "run").write_text("q Q0 d 1 0.5 r\n")
    (home / "link.csv").symlink_to("x.csv")
    os.link(home / "x.csv", home / "hard.csv")
    monkeypatch.chdir(home)
    said = f"howsure: --out {out!r} is one of the input files, and would be overwritten; give another name.\n"
    assert command(*arguments, "--out", out) == (2, "", said)
    assert (home / "x.csv").read_text() == text


def test_standard_input_from_a_file_is_not_written(tmp_path):
    """The shell opens it, and it is the same file."""
    path, name = tmp_path / "x.csv", "-"
    path.write_text(PREDS)
    with path.open() as given:
        line = [sys.executable, "-m", "howsure", "score", name, *COLUMNS, "--out", str(path)]
        run = subprocess.run(line, stdin=given, capture_output=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"is one of the input files" in run.stderr
    assert path.read_text() == PREDS


def test_nothing_is_computed_for_a_file_that_is_read(command, tmp_path, monkeypatch):
    """The refusal comes before the file is opened; another file, or one that is not there yet, is written."""
    path, other = tmp_path / "x.csv", tmp_path / "y.csv"
    path.write_text(PREDS)
    assert command("score", path, *COLUMNS, "--out", other) == (0, "", f"wrote {other}\n")
    assert command("score", path, *COLUMNS, "--out", other) == (0, "", f"wrote {other}\n")

    def too_late(*_, **__):
        raise AssertionError

    monkeypatch.setattr("howsure.io.entrance.evidence", too_late)
    assert command("score", path, *COLUMNS, "--out", path)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        ([*F1, "--out", ""], "--out needs the name of a file"),
        (["score", "--matrix", ""], "--matrix needs the name of a file"),
        (["trec", "", "run"], "QRELS needs the name of a file"),
        (["trec", "qrels", ""], "RUN... needs the name of a file"),
        (["score", "", *COLUMNS], "the name of a file is needed, or - for standard input"),
    ],
)
def test_an_empty_name_is_no_folder(command, arguments, called):
    """An empty name is said to be one, not to be the folder one is in."""
    assert command(*arguments) == (2, "", f"howsure: {called}; got ''.\n")


# -- what was written is said on standard error


def test_a_command_says_which_files_it_wrote(command, tmp_path, monkeypatch):
    """--out, --plot or both, once each; standard output is for the result."""
    monkeypatch.chdir(tmp_path)
    printed = command(*F1, "--format", "json")
    assert printed[2] == ""
    assert command(*F1, "--format", "json", "--plot", "f1.json") == (0, printed[1], "wrote f1.json\n")
    assert command(*F1, "--out", "x.csv", "--plot", "f1.json") == (0, "", "wrote x.csv\nwrote f1.json\n")
    assert command("papers", "goutte-eq-1", "--out", "papers.html") == (0, "", "wrote papers.html\n")
    assert command("gate", *F1[1:3], "--require", "f1 > 0.95", "--out", "g.xml") == (1, "", "wrote g.xml\n")


def test_nothing_is_said_where_no_file_is_written(command, tmp_path, monkeypatch):
    """Output that is printed, a device, and a file that cannot be written."""
    monkeypatch.chdir(tmp_path)
    assert command(*F1)[2] == ""
    assert command(*F1, "--out", os.devnull) == (0, "", "")
    assert "wrote" not in command(*F1, "--out", "none/x.json")[2]
    assert "wrote" not in command(*F1, "--metric", "nonsense", "--out", "x.json", "--plot", "y.json")[2]


def test_the_name_of_a_file_is_harmless_on_a_terminal(command, tmp_path):
    """Its control characters are escapes."""
    path = tmp_path / "a\x1b[31m\n.json"
    assert command(*F1, "--out", path) == (0, "", f"wrote {tmp_path}/a\\x1b[31m\\n.json\n")
