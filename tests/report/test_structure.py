"""Every kind of result is one page: well formed, self-contained, with landmarks, heads and names for all of it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.report.pages import MAKERS, html, page, result

each = pytest.mark.parametrize("name", MAKERS)


@each
def test_it_is_one_page_that_fetches_nothing(name):
    """No script, no address, no element that loads: links go to places of the page itself."""
    text, made = html(name), page(name)
    tags = {tag for tag, _, _ in made.elements}
    assert text.startswith('<!doctype html>\n<html lang="en">')
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "image", "use"}
    assert made.attributes("src") == []
    assert all(x is not None and x.startswith("#") for x in made.attributes("href"))
    assert not re.search(r"https?:|@import|javascript:", text)
    assert not any(key.startswith("on") for _, attrs, _ in made.elements for key in attrs)
    assert all(x.startswith("url(#") for x in re.findall(r"url\([^)]*", text))
    assert len(text.encode()) < 200_000


@each
def test_the_head_holds_our_own_style_alone(name):
    """Three meta elements, a title and one style; no other style is on the page."""
    made = page(name)
    head = [tag for tag, _, path in made.elements if path == ("html", "head")]
    assert head == ["meta", "meta", "meta", "title", "style"]
    assert sum(tag == "style" for tag, _, _ in made.elements) == 1
    assert "style" not in {key for tag, attrs, _ in made.elements for key in attrs if tag != "text"}


@each
def test_readers_find_their_way(name):
    """One first heading, no level left out, landmarks, a skip link, and links and labels that lead somewhere."""
    made = page(name)
    levels = [int(tag[1]) for tag, _, _ in made.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    tags = [tag for tag, _, _ in made.elements]
    assert [tags.count(x) for x in ("header", "nav", "main")] == [1, 1, 1]
    ids = made.attributes("id")
    assert len(set(ids)) == len(ids)
    assert {str(x)[1:] for x in made.attributes("href")} <= set(ids)
    assert set(made.attributes("aria-labelledby")) <= set(ids)
    assert next(attrs for tag, attrs, _ in made.elements if tag == "a")["href"] == "#main"


@each
def test_tables_have_captions_and_scopes(name):
    """Each table has a caption, and each of its heads says what it is a head of."""
    made = page(name)
    tags = [tag for tag, _, _ in made.elements]
    assert tags.count("table") >= 1
    assert tags.count("caption") == tags.count("table")
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs, _ in made.elements if tag == "th")


@each
def test_pictures_have_a_name_and_are_one_thing(name):
    """A chart is a picture with its finding as its name; its parts are not read out, and no two share an id."""
    drawn = [(attrs, path) for tag, attrs, path in page(name).elements if tag == "svg" and attrs.get("role") == "img"]
    for_phones = [attrs for attrs, _ in drawn if "narrow" in attrs["class"]]  # shown in place of another
    assert len(for_phones) == sum("usual" in attrs["class"] for attrs, _ in drawn)
    assert len(drawn) - len(for_phones) == len(result(name).charts())
    assert all(attrs["aria-label"] for attrs, _ in drawn)
    inside = [attrs for tag, attrs, path in page(name).elements if "svg" in path and tag != "svg"]
    assert not any(key == "role" or key.startswith("aria-") for attrs in inside for key in attrs)


@pytest.mark.parametrize("name", ["one", "slices", "compare", "gate"])
def test_the_same_result_is_the_same_page(name):
    """No clock and no count of what was drawn before: the bytes are the same each time."""
    assert MAKERS[name]().to_html() == html(name)


@each
def test_every_result_says_what_it_rests_on(name):
    """Assumptions with what would break them, a method, and how to make it again."""
    made = page(name)
    heads = made.of("h2")
    assert {"Numbers", "Assumptions, and what would break them", "Method", "Reproduce this report"} <= set(heads)
    assert len(made.of("strong")) >= 1
    assert any(x.startswith("howsure ") and "numpy" in x for x in made.of("p"))
    assert made.answers()


def test_colours_have_contrast():
    """Text on paper, by day and by night, has the contrast that WCAG AA asks for."""
    from importlib.resources import files

    css = (files("howsure.report") / "style.css").read_text(encoding="utf-8")
    for block in re.findall(r":root\{([^}]*)\}", css):
        colours = dict(x.split(":") for x in block.split(";"))
        for ink in ("--ink", "--muted", "--link"):
            for ground in ("--paper", "--tint"):
                assert contrast(colours[ink], colours[ground]) >= 4.5


def contrast(a: str, b: str) -> float:
    one, two = sorted((luminance(a), luminance(b)), reverse=True)
    return (one + 0.05) / (two + 0.05)


def luminance(colour: str) -> float:
    digits = colour.strip().lstrip("#")
    digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
    parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
