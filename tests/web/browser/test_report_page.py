"""The report in real Chromium: nothing leaves it, nothing fails in it, and everybody can read it."""

from __future__ import annotations

import pytest

from tests.report.pages import html
from tests.web.browser.chromium import violations

pytestmark = pytest.mark.outside


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    for name in ("slices", "compare", "gate"):
        (folder / f"{name}.html").write_text(html(name), encoding="utf-8")
    return folder


def test_the_report_in_a_browser(files, browser):
    """Without JavaScript no request leaves, no message comes, and the answers are on the first screen."""
    asked, said = [], []
    still = browser.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 850})
    page = still.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for path in sorted(files.iterdir()):
        page.goto(path.as_uri())
        assert page.locator("h1").is_visible()
        box = page.locator("dl.answers").bounding_box()
        assert box["y"] + box["height"] < 850
    assert asked == [path.as_uri() for path in sorted(files.iterdir())]
    assert said == []
    assert page.locator("svg").first.is_visible()
    still.close()


def test_everybody_can_read_the_report(files, page):
    """On a screen and on a phone nothing is too wide, axe finds nothing serious, and words of charts can be read.

    Only tables and charts scroll, within themselves; of two drawings the one with less width is shown on a phone, and
    none is much smaller than it was made.
    """
    for path in sorted(files.iterdir()):
        page.goto(path.as_uri())
        for width in (1200, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(page, ("serious", "critical")) == []
        shown = page.locator("svg.drawing:visible")
        assert shown.count() == page.locator("figure").count()
        for drawing in shown.all():
            assert drawing.bounding_box()["width"] >= 0.84 * float(drawing.get_attribute("width"))


def test_the_report_of_a_comparison(files, page):
    """On a usual screen the bars are seen without scrolling: heads of columns give way. On a phone charts do."""
    page.set_viewport_size({"width": 1100, "height": 800})
    page.goto((files / "compare.html").as_uri())
    wide = page.locator("table").first.evaluate("x => [x.scrollWidth, x.closest('.wide').clientWidth]")
    assert wide[0] <= wide[1]
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.locator("svg.narrow:visible").count() == 2


def test_the_report_on_paper(files, page):
    """Printed it is pages on which no chart is wider than the paper; the dark scheme stays on the screen."""
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.goto((files / "slices.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("nav").is_hidden()
    for drawing in page.locator("svg.drawing:visible").all():
        assert drawing.bounding_box()["width"] <= 700
    assert page.pdf(format="A4").startswith(b"%PDF")
