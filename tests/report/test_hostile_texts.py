"""Texts of users are shown and never obeyed: labels, names of systems, columns and files."""

from __future__ import annotations

import csv
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.report.pages import Page

TEXTS = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "{{ 7*7 }}{% for x in y %}",
    "a&amp;b&lt;",
    "שלום עולם",
    "x' y` ]]>",
]
ALLOWED = {"html", "head", "meta", "title", "style", "body", "a", "header", "h1", "dl", "div", "dt", "dd", "p", "nav",
           "ul", "li", "main", "section", "h2", "h3", "figure", "figcaption", "span", "table", "caption", "thead",
           "tbody", "tr", "th", "td", "strong", "pre", "code", "svg", "g", "path", "line", "text", "circle", "rect",
           "defs", "clippath", "small", "math", "mrow", "mfrac", "mi", "mn", "mo", "msup", "munder"}  # fmt: skip


def seen(text: str, html: str) -> None:
    """Nothing but our own elements and attributes, and the text as it was, in some element."""
    page = Page(html)
    assert {tag for tag, _, _ in page.elements} <= ALLOWED
    assert not any(key.startswith("on") or key in ("src", "srcdoc") for _, attrs, _ in page.elements for key in attrs)
    assert [tag for tag, _, path in page.elements if path == ("html", "head")] == [
        "meta", "meta", "meta", "title", "style"
    ]  # fmt: skip
    assert any(text in shown for _, shown in page.texts)
    assert "49" not in "".join(x for _, x in page.texts if "7*7" in x)


@pytest.mark.parametrize("text", TEXTS)
def test_labels_and_systems_are_shown(text):
    """As classes, as a slice, and as names of systems, in tables, charts and sentences."""
    y = np.array(["other", text] * 20)
    z = np.array(["other", text] * 15 + ["other", "other"] * 5)
    seen(text, hs.compare_wins(first=9, second=2, names=(text, "plain")).to_html())
    asked = {"truth": "y", "pred": "z", "by": text, "positive": text, "metrics": ["accuracy"]}
    seen(text, hs.score({"y": y, "z": z, text: y}, **asked).to_html())


@pytest.mark.parametrize("text", TEXTS[:4])
def test_names_of_files_and_columns_are_shown(text, tmp_path, monkeypatch):
    """In the first screen and in the command that makes it again."""
    monkeypatch.chdir(tmp_path)
    name = text.replace("/", "|") + ".csv"
    with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["truth", text], *[["a", "a"], ["b", "b"], ["a", "b"]] * 5])
    with redirect_stdout(StringIO()) as out:
        assert run(["score", name, "--pred", text, "--positive", "a", "--metric", "f1", "--format", "html"]) == 0
    seen(text, out.getvalue())
    assert any(name in x for x in Page(out.getvalue()).of("dd"))


def test_passwords_are_left_out(tmp_path, monkeypatch):
    """An address of a database is shown without its password, with a word on that."""
    from howsure.messages.language import Typed
    from howsure.report.page import remade

    monkeypatch.chdir(tmp_path)
    typed = Typed(("score", "--db", "postgresql://me:secret@host/x", "--table", "t"))
    made = remade(None, typed)
    assert made.command is not None
    assert "secret" not in made.command
    assert "Passwords are left out" in made.says
