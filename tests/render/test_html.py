"""HTML: one scale for all bars, colours of the reader, cells that say everything, and files that are pages."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from functools import cache
from html.parser import HTMLParser
from io import StringIO

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.render.test_screens import SCREENS

VOID = {"meta"}
WITH_BARS = [name for name in SCREENS if name not in ("solve", "gate", "slices")]


@pytest.fixture(autouse=True)
def bare_install(monkeypatch):
    """Without the extra charts there is the table alone; tests/report holds the report to its word."""
    monkeypatch.setattr("howsure.charts.chart.installed", lambda: False)


class Page(HTMLParser):
    """Rows as lists of (tag, attributes, text), with what is drawn in them; every tag must be closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[tuple[str, dict, str]]] = []
        self.drawn: list[list[tuple[str, dict]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in VOID and tag != "html":  # html, head and body may stay open
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.drawn.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append((tag, dict(attrs), ""))
        elif tag in ("path", "circle", "text"):
            self.drawn[-1].append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("title", "caption", "style"):
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data
        elif self.open and self.open[-1] in ("td", "th", "svg", "text") and self.rows:
            tag, attrs, text = self.rows[-1][-1]
            self.rows[-1][-1] = (tag, attrs, text + data)


@cache
def printed(name: str) -> str:
    """What the command of a screen prints as HTML."""
    with redirect_stdout(StringIO()) as out:
        assert run([*SCREENS[name].split(), "--format", "html"]) == 0
    return out.getvalue()


def ends_of(drawn: list[tuple[str, dict]]) -> tuple[float, float] | None:
    """Where the interval of a row begins and ends, in pixels."""
    path = next((a["d"] for tag, a in drawn if tag == "path" and a.get("class") != "r"), None)
    found = re.fullmatch(r"M([\d.]+) \d+v8m0-4H([\d.]+)m0-4v8", path) if path else None
    return (float(found[1]), float(found[2])) if found else None


@pytest.mark.parametrize("name", SCREENS)
def test_every_kind_of_table_is_well_formed(name):
    """A caption, a scope on every head, as many cells in each row as in the head, every tag closed."""
    page = Page(printed(name))
    assert page.open == []
    assert page.texts["caption"]
    assert {len(row) for row in page.rows} == {len(page.rows[0])}
    assert all(a.get("scope") == "col" for tag, a, _ in page.rows[0] if tag == "th")
    assert all(row[0][1].get("scope") == "row" for row in page.rows[1:])
    assert ("svg" in page.tags) == (name in WITH_BARS)


@pytest.mark.parametrize("name", WITH_BARS)
def test_bars_say_nothing_that_cells_do_not(name):
    """The column of bars is hidden from screen readers, from its head on, and its rows hold no text."""
    page = Page(printed(name))
    for row in page.rows:
        assert [a.get("aria-hidden") for _, a, _ in row] == [None] * (len(row) - 1) + ["true"]
    assert all(row[-1][2] == "" for row in page.rows[1:])


@pytest.mark.parametrize("name", SCREENS)
def test_colours_are_those_of_the_reader(name):
    """Nothing is black or white of its own, nothing runs, and nothing is fetched."""
    text = printed(name)
    assert not re.search(r"script|https?:|src=|href=|url\(|@import|\son\w+=", text)
    assert not re.search(
        r"black|white(?!-space)|gr[ae]y|rgb|hsl|background|:[^;{}]*#[0-9a-f]{3}", Page(text).texts["style"]
    )
    assert "stroke:currentColor" in text


def test_all_rows_have_one_scale():
    """Ends and points lie on one line from values to pixels, whose ends are those that the head names."""
    r = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), above=0.7)
    rows = r.to_dict()["rows"]
    page = Page(r.to_html())
    values = np.array([[row["low"], row["score"], row["high"]] for row in rows])
    points = [next(float(a["cx"]) for tag, a in d if tag == "circle") for d in page.drawn[1:]]
    ends = np.array([ends_of(d) for d in page.drawn[1:]])
    pixels = np.column_stack([ends[:, 0], points, ends[:, 1]])
    slope, start = np.polyfit(values.ravel(), pixels.ravel(), 1)
    assert np.abs(start + slope * values - pixels).max() < 0.12  # pixels have one decimal
    references = {a["d"] for d in page.drawn[1:] for _, a in d if a.get("class") == "r"}
    assert len(references) == 1
    assert float(re.match(r"M([\d.]+) ", references.pop())[1]) == pytest.approx(start + slope * 0.7, abs=0.12)
    assert page.rows[0][-1][2].split() == ["0.6", "0.7", "1"]  # which fit recall's 0.639 and specificity's 0.986
    assert start + slope * 0.6 == pytest.approx(5, abs=0.12)
    assert start + slope * 1.0 == pytest.approx(155, abs=0.12)


def test_differences_are_held_against_nought():
    """The dashed line of a comparison is at 0, left of intervals above it."""
    page = Page(printed("compare"))
    reference, _, point = page.drawn[1]
    assert reference[1]["class"] == "r"
    zero = float(re.match(r"M([\d.]+) ", reference[1]["d"])[1])
    assert zero <= ends_of(page.drawn[1])[0] < float(point[1]["cx"])


def test_what_has_no_place_is_not_drawn():
    """An undefined score has no point, and an interval beyond the scale of the others no bar; the cells tell."""
    page = Page(hs.score(hs.Tally.binary(tp=0, fp=0, fn=3, tn=40), metrics=["precision", "f1"]).to_html())
    assert [[tag for tag, _ in d] for d in page.drawn[1:]] == [["path"], ["path", "circle"]]
    page = Page(hs.score(hs.Tally.binary(tp=80, fp=0, fn=30, tn=870), metrics=["recall", "lr-plus"]).to_html())
    assert [[tag for tag, _ in d] for d in page.drawn[1:]] == [["path", "circle"], []]
    assert page.rows[2][1][2] == "infinite"


def slices(many: int, metrics: tuple[str, ...] = ("f1",)) -> hs.Report:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 40 * many)
    pred = np.where(rng.random(y.size) < 0.8, y, 1 - y)
    data = {"y": y, "pred": pred, "category": [f"north-west {i % many}" for i in range(y.size)]}
    return hs.score(data, truth="y", pred="pred", by="category", metrics=list(metrics))


def test_long_results_stay_small():
    """A hundred scores are less than 40 kB: a row for each slice, a column for each metric."""
    page = slices(24, ("precision", "recall", "f1", "accuracy")).to_html()
    assert page.count("<tr>") == 26  # 24 slices, all items, and the head
    assert len(page.encode()) < 40_000


def test_a_page_of_many_slices_has_bars_and_a_gap():
    """The line that says how many slices are hidden has no bar; those around it have theirs."""
    report = slices(300)
    page = Page(report.to_html())
    at = next(i for i, row in enumerate(page.rows) if "more" in row[0][2])
    assert [bool(d) for d in page.drawn] == [i != at for i in range(len(page.rows))]
    rows = report.page()["rows"]
    low, high = ends_of(page.drawn[-1])
    first = ends_of(page.drawn[1])
    unit = (high - low) / (rows[-1]["high"] - rows[-1]["low"])
    assert first[1] - first[0] == pytest.approx(unit * (rows[0]["high"] - rows[0]["low"]), abs=0.3)


@pytest.mark.parametrize("suffix", [".html", ".htm"])
def test_a_file_is_a_page(tmp_path, suffix):
    """Type, language, encoding, title and both schemes of colour; in it the table that to_html gives."""
    names = ("<script>é&", "</title>")
    result = hs.compare_wins(first=90, second=20, same=1, names=names)
    path = tmp_path / f"x{suffix}"
    result.save(path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith('<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n')
    assert text.endswith(result.to_html())
    assert '<meta name="color-scheme" content="light dark">' in text
    page = Page(text)
    assert page.texts["title"] == f"howsure: {page.texts['caption']}"
    assert all(name in page.texts["title"] for name in names)
    assert page.tags <= {
        "html", "meta", "title", "style", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "path",
        "circle", "text", "ul", "li", "small",
    }  # fmt: skip


def test_what_is_asked_for_is_in_the_page(tmp_path):
    """Columns and notes for the asking are in files too."""
    result = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
    result.save(tmp_path / "x.html", columns="mean")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").endswith(result.to_text("html", columns="mean"))


def test_notebooks_get_the_table():
    """A part of a page: no type, no title, nothing that speaks for the page around it."""
    result = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
    shown = result._repr_html_()
    assert shown.startswith('<div class="howsure">\n')
    assert not re.search(r"<!doctype|<html|<title|<body|color-scheme|body\{", shown)


def test_without_the_extra_a_note_names_it():
    """The table in a file, on standard output and from Python says what would make it a report; a notebook does not."""
    result = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
    told = "charts and a whole report instead of a table: pip install &#x27;howsure[charts]&#x27;"
    assert told in result.to_html()
    assert told in printed("score")
    assert told not in result._repr_html_()
    assert result.to_html().replace(f"<ul><li>{told}</li></ul>\n", "") == result._repr_html_()


def test_numbers_that_differ_in_their_last_digits_have_bars():
    """A scale is never without width."""
    made = hs.score(hs.graded([10.0**15 + k for k in range(9)]))
    assert "<svg" in made.to_html()
