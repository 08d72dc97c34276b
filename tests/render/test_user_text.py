"""Whatever users call things, no command and no format lets a terminal or a spreadsheet obey it."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

import howsure as hs
from howsure.cli import app
from howsure.render.formats import TEXTS
from tests.refusals import one_sentence
from tests.tiers import turn

BAD = "=b\x1b[31m\x07\x9b1m\u202eb"
ROUGH = ["--tolerance", "0.5"]
FORMATS = [form.name for form in TEXTS]
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?( [-+]?[\d.]+)?")  # or two, of a range


@pytest.fixture
def lines(tmp_path):
    """A command line for every command that takes texts of users, all of them bad."""
    rows = [f"{t},{a},{b},{s},{i}" for i, (t, a, b, s) in enumerate([(BAD, BAD, "o", 0.9), ("o", "o", BAD, 0.2)] * 6)]
    data = tmp_path / f"{BAD}.csv"
    data.write_text("\n".join([f"{BAD}t,{BAD}a,{BAD}b,s,id", *rows]), encoding="utf-8")
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(f",{BAD},o\n{BAD},5,1\no,2,8\n", encoding="utf-8")
    qrels, run = tmp_path / "qrels", tmp_path / BAD
    qrels.write_text("".join(f"q{i} 0 d1 1\n" for i in range(9)))
    run.write_text("".join(f"q{i} Q0 d{i % 3} 1 0.5 r\n" for i in range(9)))
    columns = [str(data), "--truth", f"{BAD}t", "--positive", BAD]
    both = ["--pred", f"{BAD}a", "--pred", f"{BAD}b", *ROUGH]
    return [
        ["score", *columns, "--pred", f"{BAD}a", "--by", f"{BAD}b", "--metric", "f1"],
        ["score", "--matrix", str(matrix), "--metric", f"f1:{BAD}"],
        ["score", "--matrix", str(matrix), *ROUGH],
        ["compare", *columns, *both],
        ["compare", "--wins", "3,2", "--name", BAD, "--name", "b"],
        ["leaderboard", *columns, *both],
        ["curve", *columns, "--score", "s", *ROUGH],
        ["trec", str(qrels), str(run), str(run), "--name", BAD, "--name", "+b"],
        ["solve", "--system", f"@{BAD[1:]} f1=.5", "--system", "b f1=.6", "n=12"],
    ]


def texts(document) -> list[str]:
    """All texts of a document, keys too."""
    if isinstance(document, dict):
        return [*document, *(t for x in document.values() for t in texts(x))]
    if isinstance(document, list):
        return [t for x in document for t in texts(x)]
    return [document] if isinstance(document, str) else []


@pytest.mark.whole
@pytest.mark.parametrize("kind", FORMATS)
def test_outputs_are_harmless(lines, kind, capsys):
    """All that is printed can be seen, and no field of CSV is a formula; in other formats half of the lines each."""
    for line in lines if kind in ("csv", "json") else turn(lines, FORMATS.index(kind), 2):
        assert app.run([*line, "--format", kind]) == 0, line
        out, err = capsys.readouterr()
        assert err == ""
        assert all(c == "\n" or c.isprintable() for c in out), line
        if kind == "csv":
            fields = [x for row in csv.reader(io.StringIO(out)) for x in row]
            assert all(x[0] not in "=+-@" or NUMBER.fullmatch(x) for x in fields if x), line
        if kind == "json":
            assert any(BAD[1:] in text for text in texts(json.loads(out))), line


def test_ranges_are_as_they_are_in_csv(capsys):
    """Numbers that are ours have no apostrophe, and texts of users keep theirs."""
    assert app.run(["score", "--counts", "80,20,30,870", "--metric", "f1", "--metric", "phi", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["range"] for row in rows] == ["0.0 1.0", "-1.0 1.0"]
    data = {"y": [1, 0, 1], "z": [1, 0, 0], "g": ["-1 1", "=x", "x"]}
    text = hs.score(data, truth="y", pred="z", by="g", metrics="f1", sort="name").to_csv()
    assert {row["slice.g"] for row in csv.DictReader(io.StringIO(text))} == {"", "'-1 1", "'=x", "x"}


WRONG = [
    ["score", f"{BAD}.csv", "--truth", "a", "--pred", "b"],
    ["score", "--matrix", f"{BAD}.csv"],
    ["score", "--counts", f"tp=1,{BAD}=2"],
    ["score", "--counts", "1,2,3,4", "--metric", BAD],
    ["score", "--counts", "1,2,3,4", "--metric", f"f1:{BAD}"],
    ["score", "--counts", "1,2,3,4", "--positive", BAD],
    ["score", "--counts", "1,2,3,4", "--prior", BAD],
    ["score", "--counts", "1,2,3,4", "--above", f"{BAD}=1"],
    ["score", "--counts", "1,2,3,4", f"--{BAD}"],
    ["score", "--counts", "1,2,3,4", "--out", f"{BAD}/x.json"],
    ["score", "--counts", "1,2,3,4", "--out", f"x.{BAD}"],
    ["score", "--rate", BAD],
    ["compare", "--wins", BAD],
    ["compare", "--wins", "1,2", "--name", BAD, "--name", BAD],
    ["metrics", BAD],
    ["papers", BAD],
    [BAD],
    ["solve", BAD],
    ["solve", f"{BAD}=.5"],
    ["solve", f"precision={BAD}"],
    ["solve", "--system", BAD, "n=1"],
    ["tradeoff", f"{BAD}=.5"],
    ["tradeoff", "--counts", "1,2,3,4", BAD],
    ["surface", "--x-values", BAD],
    ["surface", "--break-even", "--x", BAD],
    ["trec", BAD, BAD],
    ["curve", BAD, "--truth", "a", "--score", "b"],
    ["curve", "x", "--cost", BAD],
]


@pytest.mark.parametrize("line", WRONG, ids=lambda line: " ".join(line)[:40].replace(BAD, "BAD"))
def test_messages_are_harmless(line, capsys, tmp_path, monkeypatch):
    """A message that quotes what was given is one line that can be seen."""
    monkeypatch.chdir(tmp_path)
    assert app.run(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err[:-1].isprintable()


def test_messages_about_columns_are_harmless(lines, capsys):
    """Names of columns that are there, in a message about one that is not."""
    assert app.run(["score", lines[0][1], "--truth", "none", "--pred", "s"]) == 2
    err = capsys.readouterr().err
    assert one_sentence(err)
    assert all(line.isprintable() for line in err.split("\n"))


def test_what_python_shows_of_a_result_is_harmless():
    """One line in the interpreter, too."""
    y = [BAD, "o", BAD, "o", BAD]
    joint = hs.tally(y, {BAD: y[::-1], "b": y}, positive=BAD)
    p = hs.posterior(hs.tally(y, y[::-1], positive=BAD))
    curve = hs.curve([1, 0, 1, 0], {BAD: [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.1, 0.3, 0.2]})
    for shown in (
        p, p["f1"], p[f"f1:{BAD}"], p.resolve(f"f1:{BAD}"), hs.score(p, metrics=[f"f1:{BAD}"]), hs.score(p), joint,
        hs.compare(joint), hs.leaderboard(joint), curve, hs.compare_wins(first=1, second=2, same=0, names=(BAD, "b")),
    ):  # fmt: skip
        assert repr(shown).isprintable()


def test_a_label_of_a_megabyte_is_shortened(tmp_path):
    """In cells, headlines and notes that people read, in every format for them; programs get all of it."""
    path, label = tmp_path / "a.csv", "x" * 1_000_000
    path.write_text(f"y,z,w\na,b,a\n{label},a,a\n" + "a,a,b\nb,b,b\n" * 9)
    report = hs.score(path, truth="y", pred="z")
    sliced = hs.score(path, truth="y", pred="z", by="y", metrics="accuracy")
    compared = hs.compare(path, truth="y", pred=["z", "w"], tolerance=0.2)
    for made in (report, sliced, compared):
        for form in ("table", "markdown", "latex", "html"):
            shown = made._repr_html_() if form == "html" else made.to_text(form)
            assert len(shown) < 100_000
            assert label not in shown
            assert f"{'x' * 40}..." in shown or made is compared
    assert label not in report.to_html()
    assert label in report.to_json()
