"""How reports are made: the command makes them again, long results stay small, and a bare install has the table."""

from __future__ import annotations

import builtins
import shlex
import sys

import numpy as np
import pytest

import howsure as hs
from howsure.catalogue import parse
from howsure.catalogue.expressions import cells, log, sqrt
from howsure.charts import chart
from howsure.cli.app import run
from howsure.report.page import mathml
from tests.report.pages import Page, T, html, page

LIMIT = 2_000_000


def again(text: str, folder, monkeypatch) -> bytes:
    """What the command on a page makes, run in a folder."""
    (command,) = Page(text).of("code")
    words = shlex.split(command.replace("\\\n", ""))  # a shell goes on reading there
    monkeypatch.chdir(folder)
    assert words[0] == "howsure"
    assert run(words[1:]) == 0
    return (folder / "report.html").read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "--counts", "80,20,30,870", "--metric", "f1", "--metric", "phi", "--above", "f1=.7"],
        ["compare", "--wins", "17,4,3278", "--name", "it's <b>", "--name", "other one"],
        ["score", "preds.csv", "--positive", "a"],
    ],
    ids=["counts", "wins", "file"],
)
def test_the_command_makes_the_same_report(arguments, tmp_path, monkeypatch):
    """Byte by byte, where it was made by a command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("truth,pred\n" + "a,a\nb,b\na,b\n" * 9)
    assert run([*arguments, "--out", "report.html"]) == 0
    first = (tmp_path / "report.html").read_bytes()
    (tmp_path / "report.html").unlink()
    assert again(first.decode(), tmp_path, monkeypatch) == first


@pytest.mark.parametrize(
    "made",
    [
        lambda: hs.score(T, metrics=["f1", "lr-plus"], above={"f1": 0.7}, level=0.9, interval="hdi", prior="uniform"),
        lambda: hs.score(hs.Tally.rate(hits=47, of=50), above=0.9),
        lambda: hs.score(T),
        lambda: hs.score(T, metrics=["lr-plus", "kappa"], tolerance=0.1),
    ],
    ids=["settings", "rate", "plain", "tolerance"],
)
def test_python_names_a_command_that_gives_the_same_numbers(made, tmp_path, monkeypatch):
    """From a single table; all is the same but how it was made and how to ask for more."""
    text = made().to_html()
    got = again(text, tmp_path, monkeypatch).decode()

    def numbers(x: str) -> list[str]:
        return x.partition('<section id="numbers"')[2].partition('<section id="again"')[0].splitlines()

    assert numbers(got) == numbers(text)
    assert Page(got).answers()["How sure is it?"] == Page(text).answers()["How sure is it?"]


def test_a_measure_of_the_users_has_no_command():
    """No command knows it, also where it has the name of another; tolerance is in the words where it is set."""
    tp, fp, fn, _ = hs.cells
    for name in ("my-share", "f1"):
        made = Page(hs.score(T, metrics=[hs.Metric(name, tp / (tp + fp + fn))]).to_html())
        assert made.of("code") == []
        assert any("It was made in Python" in x for x in made.of("p"))
    (command,) = Page(hs.score(T, metrics=["f1"], tolerance=0.1).to_html()).of("code")
    assert "--tolerance 0.1" in command


def test_what_has_no_command_says_how():
    """A comparison of arrays, or slices of a frame, are made again in Python."""
    for name in ("compare", "slices"):
        assert page(name).of("code") == []
        assert any("It was made in Python" in x for x in page(name).of("p"))


@pytest.mark.deep
def test_many_slices_stay_small():
    """Three measures of 200 slices, and one of 400: a page of them, below the limit."""
    rng = np.random.default_rng(1)
    for many, metrics in ((200, ["f1", "recall", "accuracy"]), (400, ["accuracy"])):
        y = rng.integers(0, 2, 4 * many)
        z = np.where(rng.random(y.size) < 0.8, y, 1 - y)
        g = [f"a rather long name of a slice, {i % many}" for i in range(y.size)]
        text = hs.score({"y": y, "z": z, "g": g}, truth="y", pred="z", by="g", metrics=metrics).to_html()
        assert len(text.encode()) < LIMIT / 4
        assert f"{many - 20:,} slices between the worst and the best are not shown." in text


@pytest.mark.deep
def test_many_classes_stay_small():
    """Of 300 classes with three measures the table has its ends, and the chart is drawn or told of."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 300, 3000)
    z = np.where(rng.random(3000) < 0.8, y, (y + 1) % 300)
    text = hs.score(y, z, metrics=["precision:*", "recall:*", "f1:*"]).to_html()
    assert len(text.encode()) < LIMIT
    assert "500 more rows" in text
    assert text.count("<tr>") < 500


def test_a_chart_that_is_too_long_is_told_of(monkeypatch):
    """In its place is a sentence that says how to draw it alone."""
    monkeypatch.setattr("howsure.report.page._MOST", 1000)
    text = hs.score(T, metrics=["f1"]).to_html()
    assert 'role="img"' not in text
    assert "too long for a report" in text


def test_a_chart_that_is_too_tall_is_not_drawn(monkeypatch):
    """By the height of its panels together, before anything is drawn."""
    from howsure.report import page as drawing

    drawn = hs.score(T, metrics=["f1", "lr-plus", "lr-minus"]).plot()
    heights = [part["height"] for part in drawn.body["vconcat"]]
    assert len(heights) == 3
    monkeypatch.setattr(drawing, "inline", lambda chart, key: "<svg></svg>")
    monkeypatch.setattr(drawing, "_TALLEST", sum(heights))
    assert drawing.figures({"forest": drawn})[0].svg
    monkeypatch.setattr(drawing, "_TALLEST", sum(heights) - 1)
    monkeypatch.setattr(drawing, "inline", lambda chart, key: pytest.fail("it was drawn"))
    (told,) = drawing.figures({"forest": drawn})
    assert told.says == "This chart is too long for a report: plot('forest').save(…) draws it alone."


@pytest.mark.parametrize("missing", ["jinja2", "vl_convert"])
def test_a_bare_install_has_the_table(monkeypatch, tmp_path, missing):
    """Without one of the parts the format html is the table, with a note that names the extra; nothing else asks."""
    from importlib import util

    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *rest: None if name == missing else found(name, *rest))
    kept = builtins.__import__

    def absent(name, *rest, **more):
        if name.partition(".")[0] in ("jinja2", "vl_convert", "altair"):
            raise ImportError(name)
        return kept(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert not chart.installed()
    r = hs.score(T, metrics=["f1"])
    r.save(tmp_path / "x.html")
    for text in (r.to_html(), (tmp_path / "x.html").read_text(encoding="utf-8")):
        assert "howsure[charts]" in text
        assert "<h1" not in text
    assert "howsure[charts]" not in r._repr_html_()
    assert "howsure[charts]" not in str(r)


def test_notebooks_keep_the_small_table():
    """What a cell of a notebook shows is the table alone, whatever is installed."""
    assert hs.score(T, metrics=["f1"])._repr_html_().startswith('<div class="howsure">')


def test_nothing_is_imported_before_it_is_needed():
    """`import howsure` and a table take neither jinja2 nor what draws."""
    import subprocess

    code = (
        "import sys, howsure as hs; print(hs.score(hs.Tally.rate(hits=4, of=5)));"
        "print({'jinja2', 'altair', 'vl_convert'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("set()")


def test_columns_and_notes_for_the_asking_are_in_the_report():
    """As in any other format for people."""
    r = hs.score(T, metrics=["f1"])
    assert "closed form" in Page(r.to_text("html", columns="route")).of("td")
    assert "closed form" not in page("one").of("td")


def test_formulas_are_set_by_the_browser():
    """A fraction, a root, a sign, a sum over classes; the plain text is the name of the formula."""
    tp, fp, fn, tn = cells
    made = mathml(sqrt(tp / (tp + fp)) - 2 * log(fn / tn), "x<y")
    assert made.startswith('<math display="block" aria-label="x&lt;y"><mrow><mo stretchy="false">√</mo>')
    assert "<mo>−</mo><mn>2</mn><mo>·</mo><mi>log</mi>" in made
    assert mathml((tp + fp) * (tp - (fp - fn)), "").count("<mo>(</mo>") == 3
    over_items, of_passes = (mathml(parse(x).shown, "") for x in ("samples-f1", "rate"))
    assert "<mfrac><mn>1</mn><mi>n</mi></mfrac><munder><mo>∑</mo><mi>i</mi></munder>" in over_items
    assert '<mi mathvariant="normal">passes</mi>' in of_passes
    assert "passes" in hs.score(hs.Tally.rate(hits=47, of=50)).to_html()
    assert "<munder><mo>∑</mo>" in hs.score(hs.Tally.matrix([[5, 1, 1], [1, 5, 1], [1, 1, 5]])).to_html()
    assert '<mrow><mo stretchy="false">√</mo>' in html("default")  # phi


def test_measures_of_users_have_their_formula():
    """Also those that no catalogue has."""
    tp, fp, fn, _ = hs.cells
    mine = hs.Metric("<mine>", tp / (tp + fp + fn), meaning="ours & theirs")
    made = Page(hs.score(T, metrics=[mine]).to_html())
    assert "<mine>" in made.of("dt")
    assert "ours & theirs" in made.of("dd")
