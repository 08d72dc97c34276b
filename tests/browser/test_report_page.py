"""The report in real Chromium: nothing leaves it, nothing fails in it, and everybody can read it."""

from __future__ import annotations

import pytest

from tests.browser.chromium import browser, violations
from tests.report.pages import html


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    for name in ("slices", "compare", "gate"):
        (folder / f"{name}.html").write_text(html(name), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_report_in_a_browser(files):
    """Without JavaScript no request leaves and no message comes; axe finds nothing serious, in light or dark."""
    with browser() as chromium:
        asked, said = [], []
        still = chromium.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 850})
        page = still.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for path in sorted(files.iterdir()):
            page.goto(path.as_uri())
            assert page.locator("h1").is_visible()
            box = page.locator("dl.answers").bounding_box()
            assert box["y"] + box["height"] < 850  # the answers are on the first screen
        assert asked == [path.as_uri() for path in sorted(files.iterdir())]
        assert said == []
        assert page.locator("svg").first.is_visible()
        for scheme, width in (("light", 1200), ("dark", 390)):
            context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
            page = context.new_page()
            for path in sorted(files.iterdir()):
                page.goto(path.as_uri())
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width  # only tables and charts scroll, within themselves
                assert violations(page, ("serious", "critical")) == []


@pytest.mark.slow
def test_the_report_on_paper(files):
    """Printed it is pages on which no chart is wider than the paper; the dark scheme stays on the screen."""
    with browser() as chromium:
        context = chromium.new_context(color_scheme="dark", viewport={"width": 700, "height": 900})
        page = context.new_page()
        page.goto((files / "slices.html").as_uri())
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator("nav").is_hidden()
        for drawing in page.locator("svg.drawing:visible").all():
            assert drawing.bounding_box()["width"] <= 700
        assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.slow
def test_words_of_charts_are_read_on_a_phone(files):
    """Of two drawings the one with less width is shown, and none is much smaller than it was made."""
    with browser() as chromium:
        page = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
        for path in sorted(files.iterdir()):
            page.goto(path.as_uri())
            shown = page.locator("svg.drawing:visible")
            assert shown.count() == page.locator("figure").count()
            for drawing in shown.all():
                assert drawing.bounding_box()["width"] >= 0.84 * float(drawing.get_attribute("width"))
        page.goto((files / "compare.html").as_uri())
        assert page.locator("svg.narrow:visible").count() == 2


@pytest.mark.slow
def test_tables_of_a_comparison_are_as_wide_as_the_page(files):
    """On a screen of usual width the bars are seen without scrolling: heads of columns give way."""
    with browser() as chromium:
        page = chromium.new_context(viewport={"width": 1100, "height": 800}).new_page()
        page.goto((files / "compare.html").as_uri())
        sizes = "x => [x.scrollWidth, x.closest('.wide').clientWidth]"
        wide = page.locator("table").first.evaluate(sizes)
        assert wide[0] <= wide[1]
