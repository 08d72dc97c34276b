"""--plot: every command that shows a result draws it too, and refuses what it cannot draw before any work is done."""

from __future__ import annotations

import json
import shlex

import pytest

from howsure.charts import chart
from howsure.cli.app import app, run

LINES = {
    "score": "--counts 80,20,30,870 --metric f1",
    "compare": "--wins 17,4,100",
    "leaderboard": "--rate 40/50 --rate 30/50 --rate 48/50",
    "gate": "--counts 80,20,30,870 --require 'f1 > 0.7'",
    "forecast": "--rate 40/50 --n 20",
    "curve": "scores.csv",
    "trec": "qrels.txt run.txt",
    "plan": "--rate 40/50 --width 0.1",
    "solve": "precision=.75 recall=.6",
    "tradeoff": "accuracy=.9 prevalence=.2",
    "surface": "fallout=.01 --size 5",
}
NONE = ("metrics", "papers", "completion", "serve")  # lists and pages


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(
        "truth,score\n" + "".join(f"{k % 3 == 0:d},{(7 * k) % 20 / 20}\n" for k in range(40))
    )
    (tmp_path / "qrels.txt").write_text("".join(f"q{k} 0 d1 1\nq{k} 0 d2 0\n" for k in range(6)))
    (tmp_path / "run.txt").write_text("".join(f"q{k} Q0 d{1 + k % 2} 1 2.5 bm25\n" for k in range(6)))


def test_every_command_that_shows_a_result_draws_it():
    """A new command takes --plot, or is named here as one without."""
    taking = {name for name, made in app.commands.items() if any("--plot" in p.opts for p in made.params)}
    assert taking == set(app.commands) - set(NONE) == set(LINES)


@pytest.mark.parametrize("command", LINES)
def test_a_chart_is_written_beside_the_table(command, tmp_path, capsys):
    words = [command, *shlex.split(LINES[command])]
    assert run([*words, "--plot", "chart.json"]) in (0, 1, 3)
    with_chart = capsys.readouterr().out
    run(words)
    assert capsys.readouterr().out == with_chart
    assert json.loads((tmp_path / "chart.json").read_text())["$schema"].endswith("v6.json")


def test_other_suffixes_are_refused_before_the_data_are_read(tmp_path, capsys):
    assert run(["score", "missing.csv", "--plot", "x.gif"]) == 2
    assert "--plot is written as .svg, .png, .pdf, .html or .json; got 'x.gif'" in capsys.readouterr().err
    assert not list(tmp_path.glob("x.*"))


def test_a_missing_extra_is_one_sentence_before_the_data_are_read(monkeypatch, capsys):
    monkeypatch.setattr(chart, "installed", lambda: False)
    assert run(["score", "missing.csv", "--plot", "x.svg"]) == 2
    assert "pip install 'howsure[charts]'" in capsys.readouterr().err


def test_an_input_file_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "data.json").write_text('[{"truth": 1, "pred": 1}, {"truth": 0, "pred": 1}]')
    before = (tmp_path / "data.json").read_bytes()
    assert run(["score", "data.json", "--plot", "data.json"]) == 2
    assert "--plot 'data.json' is one of the input files" in capsys.readouterr().err
    assert (tmp_path / "data.json").read_bytes() == before


def test_a_table_and_a_chart_are_two_files(capsys):
    assert run(["score", "--counts", "8,2,3,87", "--out", "x.json", "--plot", "x.json"]) == 2
    assert "--out and --plot name the same file" in capsys.readouterr().err


def test_a_chart_is_whole_or_not_there(tmp_path, monkeypatch, capsys):
    def broken(self):
        raise RuntimeError("no drawing")

    monkeypatch.setattr(chart.Chart, "to_svg", broken)
    assert run(["score", "--counts", "8,2,3,87", "--plot", "x.svg"]) == 70
    assert not list(tmp_path.glob("*.svg"))
    assert not list(tmp_path.glob(".howsure*"))
    capsys.readouterr()


def test_the_drawing_of_a_file_is_the_chart_of_python(tmp_path):
    import howsure as hs

    run(["score", *shlex.split(LINES["score"]), "--plot", "x.svg"])
    assert (tmp_path / "x.svg").read_text() == hs.score(
        hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"]
    ).plot().to_svg()


@pytest.mark.parametrize(
    ("out", "plot"), [("nowhere/x.json", "x.svg"), ("x.json", "nowhere/x.svg"), ("folder.json", "x.svg")]
)
def test_neither_file_is_written_where_one_cannot_be(out, plot, tmp_path, capsys):
    """Both places are tried before the data are read, and what is refused leaves nothing behind."""
    (tmp_path / "folder.json").mkdir()
    before = sorted(tmp_path.rglob("*"))
    bad = plot if "nowhere" in plot else out
    for words in (["score", "missing.csv"], ["score", "--counts", "80,20,30,870"]):
        assert run([*words, "--out", out, "--plot", plot]) == 2
        assert bad in capsys.readouterr().err
        assert sorted(tmp_path.rglob("*")) == before


def test_a_chart_is_in_its_place_only_with_the_file_beside_it(tmp_path, capsys, monkeypatch):
    """A disk that is full when --out is written leaves no chart, and an older chart stays as it is."""
    from howsure.errors import BadFile
    from howsure.results.result import Result

    def full(*_given, **_how):
        raise BadFile("cannot write 'x.json': No space left on device.")

    (tmp_path / "old.svg").write_text("old")
    monkeypatch.setattr(Result, "_save", full)
    for plot in ("x.svg", "old.svg"):
        assert run(["compare", "--wins", "17,4,100", "--out", "x.json", "--plot", plot]) == 2
        assert "No space left" in capsys.readouterr().err
    assert not list(tmp_path.glob("x.*"))
    assert (tmp_path / "old.svg").read_text() == "old"
    assert not list(tmp_path.glob(".howsure*"))
