"""Labels are user text: no format lets them out of their cell."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import howsure as hs
from howsure.render import latex, markdown
from howsure.render import text as plain
from howsure.render.formats import render
from tests.tiers import examples

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a|b",
    "x_y & 5%",
    "**bold** _it_ `code`",
    "[link](http://example.org)",
    r"back\slash",
    r"\input{/etc/passwd}",
    "$math$ #1 ~ ^",
    "{brace}",
    "' or 1=1 --",
    "Ünï 😀",
]
CONTROL = ["a\x1b[31mred", "bell\x07", "line\nbreak", "tab\there", "nul\x00", "right\u202eleft", "\x9bcsi"]


def report(label: str) -> hs.Report:
    t = hs.Tally.matrix([[7, 1], [2, 5]], labels=["other", label], positive=label)
    return hs.score(t, metrics=[f"f1:{label}"])


class Cells(HTMLParser):
    """The tags of a page and the text of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("td", "th", "caption"):
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th", "caption")

    def handle_data(self, data):
        if self.inside:
            self.cells[-1] += data


def parsed(text: str) -> Cells:
    page = Cells()
    page.feed(text)
    page.close()
    return page


def as_markdown(text: str) -> Cells:
    return parsed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


# -- HTML ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", NASTY)
def test_html_shows_labels_as_text(label):
    """The only tags are the table's own, and the cell holds the label itself."""
    page = parsed(report(label)._repr_html_())
    drawn = {"style", "svg", "path", "circle", "text"}
    assert (
        set(page.tags) <= {"div", "table", "caption", "small", "thead", "tbody", "tr", "th", "td", "ul", "li"} | drawn
    )
    assert f"f1:{label}" in page.cells
    assert any(f"positive class {label}" in x for x in page.cells[:2])


# -- Markdown -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", NASTY)
def test_markdown_shows_labels_as_text(label):
    """A Markdown reader shows the label itself: no tag, no emphasis, no link, no further column."""
    text = report(label).to_markdown()
    page = as_markdown(text)
    assert f"f1:{label}" in page.cells
    assert set(page.tags) <= {"p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    head = next(line for line in text.splitlines() if line.startswith("| metric"))
    row = next(line for line in text.splitlines() if line.startswith("| f1"))
    assert len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"(?<!\\)\|", head))


@given(
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"], exclude_characters="&~"), max_size=20)
)
@examples(50, 150)
def test_markdown_escape_holds_for_any_text(text):
    """Whatever the text, a Markdown table cell shows it letter by letter."""
    page = as_markdown(f"| h |\n|---|\n| x{markdown.escape(text)}x |\n")
    assert page.cells[1] == f"x{' '.join(text.split())}x"


@pytest.mark.parametrize("text", ["&lt;b&gt;", "&amp;", "~~gone~~", "AT&copy;T"])
def test_markdown_shows_entities_and_tildes_as_text(text):
    """A label that spells an entity or a strike-through is shown as it is."""
    assert as_markdown(f"| h |\n|---|\n| {markdown.escape(text)} |\n").cells[1] == text


def test_markdown_keeps_interval_brackets_plain():
    """An interval has no backslashes in a table cell."""
    assert re.search(r"\| \[0\.\d+, 0\.\d+\] \|", report("spam").to_markdown())


# -- LaTeX --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", NASTY)
def test_latex_has_no_live_character_of_a_label(label):
    """Every special character of a label is escaped, in cells and in comments."""
    text = report(label).to_latex()
    assert f"f1:{latex.escape(label)}" in text
    rows = [line for line in text.splitlines() if line.startswith("f1:")]
    assert len(rows) == 1
    bare = re.sub(r"\\(?:[&%$#_{}]|text\w+\{\})", "", rows[0].removesuffix(r" \\"))
    assert not re.search(r"[\\$#_%^~<>|]", bare.replace("{[", "").replace("]}", ""))
    assert bare.count("&") == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x_y & 5%", r"x\_y \& 5\%"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{$#}", r"\{\$\#\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("a\nb", "a b"),
    ],
)
def test_latex_escape(text, shown):
    """Each special character has its own escape, and no line can end inside a comment."""
    assert latex.escape(text) == shown


def test_latex_guards_brackets_at_the_start_of_a_cell():
    """A row end may take an option in brackets, so a cell that starts with one is put in braces."""
    assert "{[0." in report("spam").to_latex()


@pytest.mark.parametrize("label", ["1e5", "exp2e3x"])
def test_latex_leaves_labels_that_look_like_powers(label):
    """A class called 1e5 keeps its name."""
    assert f"f1:{label}" in report(label).to_latex()


# -- text, JSON, CSV ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", CONTROL, ids=repr)
def test_no_control_character_reaches_a_terminal(label):
    """Escape sequences, bells, line breaks and reversed text in a label are seen as escapes in the text table."""
    text = render(report(label).to_dict(), "table")
    assert all(c == "\n" or c.isprintable() for c in text)
    assert f"f1:{label.encode('unicode_escape').decode()}" in text
    headline, *lines = text.splitlines()
    assert headline.startswith("f1:")
    assert sum(line.startswith("f1:") for line in lines) == 1


@pytest.mark.parametrize("label", CONTROL, ids=repr)
def test_no_control_character_reaches_rich(label, capsys):
    """The coloured table on a terminal is as clean as the plain one."""
    plain.on_terminal(report(label).to_dict())
    out = capsys.readouterr().out
    assert all(c == "\n" or c.isprintable() for c in out)


@pytest.mark.parametrize("name", ["1. a", "- a", "+ a", "2) a", "# a"])
def test_markdown_headlines_are_no_lists(name):
    """A system whose name begins as a list does is a name."""
    page = as_markdown(hs.compare_wins(first=9, second=2, same=1, names=(name, "b")).to_markdown())
    assert not {"ol", "h1"} & set(page.tags)
    assert page.tags[0] == "p"


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_no_escape_sequence_in_any_text_format(kind):
    """Formats that are printed too hold no escape sequence of a label."""
    assert "\x1b" not in render(report("a\x1b[31mred").to_dict(), kind)


@pytest.mark.parametrize("label", ["[bold]x[/bold]", "[link=http://x]y[/link]", ":smile:"])
def test_rich_markup_in_a_label_is_text(label, capsys):
    """Markup of the terminal library in a label is shown, not obeyed."""
    plain.on_terminal(report(label).to_dict())
    assert f"f1:{label}" in capsys.readouterr().out


@pytest.mark.parametrize("label", NASTY + CONTROL, ids=repr)
def test_json_keeps_labels(label):
    """JSON says the label as it is, by escapes where a terminal would obey it."""
    text = render(report(label).to_dict(), "json")
    assert json.loads(text)["rows"][0]["class"] == label
    assert all(c == "\n" or c.isprintable() for c in text)


@pytest.mark.parametrize("label", [*NASTY, "line\nbreak", "tab\there", "a-b", "x=1"], ids=repr)
def test_csv_keeps_labels(label):
    """CSV says the label as it is, where neither a spreadsheet nor a terminal would obey it."""
    assert next(csv.DictReader(io.StringIO(report(label).to_csv(), newline="")))["class"] == label


FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-x"]


@pytest.mark.parametrize("label", FORMULAS, ids=repr)
def test_csv_has_no_formula(label):
    """Text that a spreadsheet would compute has an apostrophe before it."""
    said = next(csv.DictReader(io.StringIO(report(label).to_csv(), newline="")))["class"]
    assert said == "'" + label.replace("\r", r"\r")


@pytest.mark.parametrize("label", ["-1", "+1.5", "-.5e-3", "-1e9"])
def test_csv_keeps_labels_that_are_numbers(label):
    """A class called -1 is a number for spreadsheets too."""
    assert next(csv.DictReader(io.StringIO(report(label).to_csv(), newline="")))["class"] == label


def test_csv_keeps_numbers():
    """Numbers below 0 are no formulas: the values are those of the document, digit by digit."""
    r = hs.score(hs.Tally.matrix([[1, 9], [8, 2]], labels=["a", "b"], positive="b"), metrics=["phi", "kappa"])
    rows = list(csv.DictReader(io.StringIO(r.to_csv())))
    for row, said in zip(r.to_dict()["rows"], rows, strict=True):
        assert row["score"] < 0
        assert [float(said[k]) for k in ("score", "mean", "low", "high")] == [
            row[k] for k in ("score", "mean", "low", "high")
        ]


def test_columns_in_csv_have_no_formula(tmp_path):
    """The file for millions of slices too: values, and the names of columns. Parquet keeps them."""
    frame = pl.DataFrame({"y": [1, 0, 1], "p": [1, 1, 0], "=c\x1b": ["=1+1", "-0.5", "ok"]})
    r = hs.score(frame, truth="y", pred="p", by=["=c\x1b"], metrics=["f1"])
    r.write(tmp_path / "x.csv")
    r.write(tmp_path / "x.parquet")
    read = list(csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text())))
    assert {row["'=c\\x1b"] for row in read} == {"'=1+1", "-0.5", "ok"}
    assert set(pl.read_parquet(tmp_path / "x.parquet")["=c\x1b"]) == {"=1+1", "-0.5", "ok"}


@pytest.mark.parametrize("kind", ["table", "markdown", "latex", "html"])
def test_columns_do_not_move(kind):
    """A label with a line break takes one row in every format."""
    plain_rows = render(report("x").to_dict(), kind).count("\n")
    assert render(report("a b").to_dict(), kind).count("\n") == plain_rows
    if kind != "html":
        assert render(report("a\nb").to_dict(), kind).count("\n") == plain_rows
