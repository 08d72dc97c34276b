"""The command: options, formats, files and exit codes, mostly without a new process."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli import app, parse

COUNTS = ["score", "--counts", "tp=80,fp=20,fn=30,tn=870"]
F1 = [*COUNTS, "--metric", "f1"]
LABELLED = ",ham,spam\nham,870,20\nspam,30,80\n"


@pytest.fixture
def document(command):
    """Run the command with --format json and give its document."""

    def run(*arguments: str):
        code, out, err = command(*arguments, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def matrix(folder: Path, text: str, name: str = "cm.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# -- counts and rates ---------------------------------------------------------------------------------------------


def test_score_prints_the_library_report(command):
    """The table is what str() of the same report gives in Python."""
    assert command(*F1) == (0, str(hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])), "")


@pytest.mark.parametrize(
    "counts",
    [
        "tp=80,fp=20,fn=30,tn=870",
        "tn=870,fn=30,fp=20,tp=80",
        "80,20,30,870",
        " 80 , 20 , 30 , 870 ",
        "TP=80, FP=20, FN=30, TN=870",
        "tp=80;fp=20;fn=30;tn=870",
        "8e1,20.0,3_0,870",
    ],
)
def test_counts_in_any_order_and_spelling(document, counts):
    """Named cells come in any order; bare numbers mean tp, fp, fn, tn; the output repeats the named cells."""
    got = document("score", "--counts", counts, "--metric", "f1")
    assert got["data"]["cells"] == {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
    assert got["rows"][0]["low"] == pytest.approx(0.69087, abs=1e-5)
    assert got["rows"][0]["high"] == pytest.approx(0.81892, abs=1e-5)


def test_rate(document):
    """--rate 47/50 scores outcomes."""
    got = document("score", "--rate", "47/50")
    assert got["data"]["cells"] == {"hits": 47, "misses": 3}
    assert got["rows"][0]["metric"] == "rate"


def test_options_reach_the_library(document):
    """Prior, level, interval, above, seed and several metrics mean what they mean in Python."""
    options = ["--metric", "f1", "--metric", "recall", "--prior", "uniform", "--level", "0.9", "--interval", "hdi"]
    got = document(*COUNTS, *options, "--above", "f1=0.7", "--seed", "7")
    expected = hs.score(
        hs.Tally.binary(tp=80, fp=20, fn=30, tn=870),
        metrics=["f1", "recall"], prior="uniform", level=0.9, interval="hdi", above={"f1": 0.7}, seed=7,
    )  # fmt: skip
    assert got == json.loads(json.dumps(expected.to_dict()))


def test_above_a_plain_number_is_for_every_row(document):
    """--above 0.8 is the limit of all rows."""
    assert [r["above"] for r in document(*F1, "--metric", "recall", "--above", "0.8")["rows"]] == [0.8, 0.8]


def test_positive_turns_the_table(document):
    """--positive 0 asks for the other class."""
    assert document(*F1, "--positive", "0")["data"]["cells"] == {"tp": 870, "fp": 30, "fn": 20, "tn": 80}


# -- matrices -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        LABELLED,
        "truth,ham,spam\nham,870,20\nspam,30,80\n",
        "ham,spam\n870,20\n30,80\n",
        "ham,870,20\nspam,30,80\n",
        LABELLED.replace(",", ";"),
        LABELLED.replace(",", "\t"),
        "\ufeff" + LABELLED,
        LABELLED.replace("\n", "\r\n") + "\r\n\r\n",
        ',"ham","spam"\n"ham","870","20"\n"spam",30,80\n',
        ", ham , spam\nham , 870 , 20\nspam, 30, 80\n",
    ],
    ids=["both", "corner", "head", "side", "semicolons", "tabs", "bom", "crlf", "quotes", "blanks"],
)
def test_matrix_with_labels(document, tmp_path, text):
    """Labels may stand in the head, in the first column or in both, with any usual separator."""
    got = document("score", "--matrix", matrix(tmp_path, text), "--positive", "spam", "--metric", "f1")
    assert got["data"]["labels"] == ["ham", "spam"]
    assert got["data"]["cells"] == {"tp": 80, "fp": 20, "fn": 30, "tn": 870}


def test_matrix_without_labels(document, tmp_path):
    """Numbers only: classes are 0 to K-1, and 1 of two is positive."""
    got = document("score", "--matrix", matrix(tmp_path, "870,20\n30,80\n"), "--metric", "f1")
    assert (got["data"]["labels"], got["data"]["positive"]) == ([0, 1], 1)
    named = document("score", "--matrix", matrix(tmp_path, "870,20\n30,80\n"), "--labels", "a, b", "--metric", "f1:b")
    assert named["data"]["labels"] == ["a", "b"]
    assert named["rows"][0]["mean"] == got["rows"][0]["mean"]


def test_rows_of_predictions(document, tmp_path):
    """--rows pred reads the transpose."""
    got = document(
        "score", "--matrix", matrix(tmp_path, LABELLED), "--rows", "pred", "--positive", "spam", "--metric", "f1"
    )
    assert got["data"]["cells"] == {"tp": 80, "fp": 30, "fn": 20, "tn": 870}


def test_many_classes(document, tmp_path):
    """A matrix of three classes gives a row a class and measure, then accuracy and the averages."""
    got = document("score", "--matrix", matrix(tmp_path, "5,1,0\n2,7,1\n0,3,9\n"))
    assert [r["asked"] for r in got["rows"]][-4:] == ["f1:2", "accuracy", "macro-f1", "weighted-f1"]


@pytest.mark.parametrize("corner", ["", "row_0"], ids=["blank corner", "named corner"])
def test_matrix_with_numbers_as_labels(document, tmp_path, corner):
    """The CSV that pandas.crosstab(y, z).to_csv() writes for labels 0 and 1 is read as such a table."""
    got = document("score", "--matrix", matrix(tmp_path, f"{corner},0,1\n0,870,20\n1,30,80\n"), "--metric", "accuracy")
    assert got["data"]["n"] == 1000


def test_numbers_as_labels_have_the_usual_positive_class(document, tmp_path):
    """With or without its labels 0 and 1 the same matrix has the same default table."""
    labelled = document("score", "--matrix", matrix(tmp_path, ",0,1\n0,870,20\n1,30,80\n"), "--tolerance", "0.2")
    bare = document("score", "--matrix", matrix(tmp_path, "870,20\n30,80\n"), "--tolerance", "0.2")
    assert labelled == bare


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n \n,,\n", "is empty"),
        (b"\xff\xfe\x00\x01", "is not a text file"),
        (b"1,2\n3\n", "row 2"),
        (b"1,2,3\n4,5,6\n", "square"),
        (b"a,b\n", "no rows of counts"),
        (b"1,-2\n3,4\n", "negative; got -2"),
        (b"1,2.5\n3,4\n", "got '2.5'"),
        (b"1,nan\n3,4\n", "got 'nan'"),
        (b",a,b\nx,1,2\ny,3,4\n", "they must agree"),
        (b",a,a\na,1,2\na,3,4\n", "given twice"),
        (b"1,99999999999999999999\n3,4\n", "2^53"),
    ],
)
def test_bad_files_are_refused(command, tmp_path, content, says):
    """A file that is no confusion matrix is exit code 2 and one sentence."""
    path = tmp_path / "cm.csv"
    path.write_bytes(content)
    code, out, err = command("score", "--matrix", path)
    assert (code, out) == (2, "")
    assert says in err


def test_files_that_cannot_be_read(command, tmp_path):
    """A missing file and a folder are named with the reason."""
    code, _, err = command("score", "--matrix", tmp_path / "none.csv")
    assert (code, "none.csv': No such file" in err) == (2, True)
    code, _, err = command("score", "--matrix", tmp_path)
    assert (code, "directory" in err) == (2, True)


def test_too_large_a_file_is_refused(command, tmp_path, monkeypatch):
    """A file of predictions given as a matrix is refused before it is read."""
    monkeypatch.setattr(parse, "_MOST_BYTES", 10)
    code, _, err = command("score", "--matrix", matrix(tmp_path, LABELLED))
    assert (code, "too large for a confusion matrix" in err) == (2, True)


def test_a_very_long_line_is_bad_input(command, tmp_path):
    """A file without separators is bad input."""
    assert command("score", "--matrix", matrix(tmp_path, "x" * 200_000))[0] == 2


# -- formats and files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "method"), [("markdown", "to_markdown"), ("latex", "to_latex"), ("csv", "to_csv")])
def test_formats_are_those_of_the_library(command, kind, method):
    """Each format is what the report's own method gives."""
    report = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
    assert command(*F1, "--format", kind) == (0, getattr(report, method)(), "")


def test_csv_reads_back(command):
    """CSV on standard output is one line a row."""
    _, out, _ = command(*F1, "--metric", "recall", "--format", "csv")
    assert [r["metric"] for r in csv.DictReader(io.StringIO(out))] == ["f1", "recall"]


def test_out_writes_the_file_and_nothing_else(command, tmp_path):
    """--out puts into the file what would have been printed, replacing what was there."""
    path = tmp_path / "report.md"
    path.write_text("old")
    printed = command(*F1, "--format", "markdown")[1]
    assert command(*F1, "--format", "markdown", "--out", path) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == printed
    assert [p.name for p in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("arguments", [["--metric", "nonsense"], ["--level", "7"], ["--prior", "0"]])
def test_bad_input_leaves_the_old_file(command, tmp_path, arguments):
    """When the input is bad, the file stays as it was."""
    path = tmp_path / "report.txt"
    path.write_text("old")
    assert command(*COUNTS, *arguments, "--out", path)[0] == 2
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_out_that_cannot_be_written(command, tmp_path):
    """A folder that is not there, or a folder in place of a file, is bad input."""
    code, _, err = command(*F1, "--out", tmp_path / "none" / "x.txt")
    assert (code, "cannot write" in err) == (2, True)
    assert command(*F1, "--out", tmp_path)[0] == 2


def test_a_failed_write_leaves_nothing(command, tmp_path, monkeypatch):
    """When the file cannot be put in its place no trace is left."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert command(*F1, "--out", tmp_path / "x.txt")[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_out_has_the_usual_permissions(command, tmp_path):
    """A written file may be read by those whom the umask allows."""
    mask = os.umask(0o022)
    try:
        command(*F1, "--out", tmp_path / "x.txt")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "x.txt").stat().st_mode) == 0o644


def test_out_does_not_replace_a_pipe(command, tmp_path):
    """A named pipe or a device is written to, not replaced."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        command(*F1, "--out", path)
        assert stat.S_ISFIFO(path.stat().st_mode)
    finally:
        os.close(reader)


def test_a_terminal_gets_the_same_content(command, monkeypatch):
    """On a terminal the table goes through rich, with every row of the plain one."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "140")
    code, out, _ = command(*COUNTS, "--metric", "f1", "--metric", "recall")
    assert code == 0
    assert "0.762" in out
    assert "[0.639, 0.804]" in out
    assert "tp 80, fp 20, fn 30, tn 870" in out


# -- metrics, help, version ---------------------------------------------------------------------------------------


def test_metrics_lists_the_catalogue(command):
    """howsure metrics has a line for every measure, in each format."""
    names = [str(m) for m in hs.metrics()]
    assert json.loads(command("metrics", "--format", "json")[1])["rows"][0]["metric"] == names[0]
    for kind in ("table", "json", "markdown"):
        code, out, err = command("metrics", "--format", kind)
        assert (code, err) == (0, "")
        assert all(name in out for name in names)


def test_metrics_fit_a_terminal(command, monkeypatch):
    """The list has no line beyond 100 columns, nor beyond those of a terminal; names stay whole."""
    for terminal in (False, True):
        monkeypatch.setattr("sys.stdout.isatty", lambda there=terminal: there, raising=False)
        for columns, most in (("240", 100), ("80", 80)):
            monkeypatch.setenv("COLUMNS", columns)
            lines = command("metrics")[1].splitlines()
            assert most - 10 < max(map(len, lines)) <= most
            assert sum(x.startswith("  precision@recall=0.9  0 to 1 ") for x in lines) == 1
    monkeypatch.setenv("COLUMNS", "40")
    narrow = command("metrics")[1].splitlines()
    assert max(len(x) for x in narrow if x.startswith("    ")) <= 40
    assert "    share of positive answers that are" in narrow


def test_metrics_tells_of_measures_of_runs(command):
    """Names of ir_measures and trec_eval are described, with their cut-offs; one of scores and of runs as both."""
    for name in ("nDCG@10", "ndcg_cut_10"):
        code, out, _ = command("metrics", name)
        assert code == 0
        assert out.startswith("nDCG@10: gain discounted by log2(rank + 1)")
        assert "runs of search engines (howsure trec)" in out
        assert "formula" not in out
    assert "relevant share of the first 7 documents" in command("metrics", "P@7")[1]
    rows = json.loads(command("metrics", "AP", "--format", "json")[1])["rows"]
    assert [(r["metric"], r["of"]) for r in rows] == [("AP", "scores"), ("AP", "runs")]
    assert [r["of"] for r in json.loads(command("metrics", "accuracy", "--format", "json")[1])["rows"]] == ["table"]
    assert command("metrics", "P")[2] == "howsure: P needs a cut-off: P@10; got 'P'.\n"
    listed = json.loads(command("metrics", "--format", "json")[1])["rows"]
    assert {"P@10", "nDCG", "RR", "IPrec@0.1"} <= {r["metric"] for r in listed if r["of"] == "runs"}


def test_metrics_shows_one_in_full(command):
    """howsure metrics NAME shows formula, range, synonyms, meaning and source, by any alias."""
    code, out, _ = command("metrics", "Sensitivity")
    assert code == 0
    for part in (
        "recall: share of positive items",
        "tp / (tp + fn)",
        r"\frac",
        "0 to 1",
        "tpr",
        "Powers",
        "tp + fn = 0",
    ):
        assert part in out


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["score", "--help"], ["metrics", "-h"], ["--version"]])
def test_help_and_version_are_exit_0(command, arguments):
    """Help and version go to standard output."""
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    assert "howsure" in out


def test_no_command_shows_the_help(command):
    """howsure alone shows its help as it is laid out."""
    _, out, err = command()
    assert len((out + err).splitlines()) > 5


# -- exit codes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["nonsense"],
        ["score", "--counts", "1,2,3"],
        ["score", "--counts", "1,2,3,4", "--rate", "1/2"],
        ["score", "--rate", "5/3"],
        [*COUNTS, "--format", "xml"],
        [*COUNTS, "--nonsense"],
        [*COUNTS, "--level", "x"],
        [*COUNTS, "file.csv"],
        ["metrics", "nonsense"],
    ],
    ids=" ".join,
)
def test_bad_input_is_exit_2_and_one_line(command, arguments):
    """Bad input prints nothing on standard output and one line, from howsure, on standard error."""
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("howsure: ")
    assert err.endswith((".\n", "?\n"))
    assert "?." not in err
    assert err.count("\n") == 1


def _broken(*_, **__):
    raise RuntimeError("the cat\nsat on it")


def test_our_own_error_is_exit_70(command, monkeypatch):
    """An error that is ours is one line with its type; --debug raises it."""
    monkeypatch.setattr("howsure.cli.commands.show", _broken)
    code, out, err = command(*F1)
    assert (code, out) == (70, "")
    assert "RuntimeError: the cat sat on it" in err
    assert "--debug" in err
    assert err.count("\n") == 1
    with pytest.raises(RuntimeError, match="the cat"):
        command("--debug", *F1)


def test_an_interrupt_is_exit_130(command, monkeypatch):
    """Control-C is exit code 130 without a trace."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("howsure.cli.commands.show", interrupted)
    code, out, err = command(*F1)
    assert (code, out) == (130, "")
    assert "Traceback" not in err


@pytest.fixture(scope="module")
def closed_pipe() -> tuple[int, bytes]:
    """Exit code and messages when the reader of a long output goes away, as head does."""
    arguments = [sys.executable, "-m", "howsure", "metrics"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
        return process.wait(timeout=60), err


def test_a_closed_pipe_is_silent(closed_pipe):
    """A reader that goes away causes no message."""
    assert closed_pipe[1] == b""


def test_a_closed_pipe_is_no_failed_gate(closed_pipe):
    """A reader that goes away is no failure."""
    assert closed_pipe[0] == 0


def test_the_installed_command_runs():
    """python -m howsure is the command, with its exit code."""
    arguments = [sys.executable, "-m", "howsure", "score", "--counts", "1,2,3"]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "howsure: --counts needs four numbers, tp,fp,fn,tn; got 3 in '1,2,3'.\n"


@pytest.mark.parametrize("kind", ["table", "json", "markdown", "latex", "csv"])
@pytest.mark.parametrize(
    "source", [["accuracy=.9", "prevalence=20%"], ["--counts", "80,20,30,870", "--prior", "uniform"]]
)
def test_tradeoff_shows_what_the_library_gives(command, kind, source):
    """Each format of howsure tradeoff is that of hs.tradeoff, for values and for counts, at the recalls asked for."""
    from howsure.render.formats import render

    if "--counts" in source:
        result = hs.tradeoff(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), prior="uniform", recalls=[0.4, 0.9])
    else:
        result = hs.tradeoff(accuracy=0.9, prevalence=0.2, recalls=[0.4, 0.9])
    got = command("tradeoff", *source, "--recall", ".4,90%", "--format", kind)
    assert got == (0, render(result.to_dict(), kind), "")
    assert "out of reach" in str(result)


def test_what_is_too_large_for_memory_is_refused_in_a_sentence(monkeypatch, capsys):
    """It is no mistake of howsure's own, and there is something to do about it."""

    def full(*_given, **_more):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("howsure.cli.sources.Inputs.evidence", full)
    assert app.run(["score", "--counts", "1,2,3,4"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("howsure: what was asked is too large for the memory of this machine; ask for fewer")
    assert said.count("\n") == 1
