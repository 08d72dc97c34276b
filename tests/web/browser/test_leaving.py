"""Whoever leaves a panel takes nothing along: late answers, old charts and odd addresses; the address of a file."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.outside
expect.set_options(timeout=30_000)
HELD = ("label,pred,other,city\n" + "1,1,1,a\n0,0,1,b\n0,1,0,a\n1,1,0,b\n" * 10).encode()
FILE = {"name": "preds.csv", "mimeType": "text/csv", "buffer": HELD}
LATE = """
const real = window.fetch;
window.late = 0;
window.fetch = async (place, how) => {
  if (!String(place).includes(WHICH)) return real(place, how);
  const found = await real(place, { ...how, signal: undefined });
  await new Promise((done) => setTimeout(done, 2000));
  setTimeout(() => { window.late += 1; }, 300);
  return found;
};
"""  # an answer that comes late, whether it was called off or not


def late(page, which):
    """Answers of some places come after the panel was left."""
    page.add_init_script(LATE.replace("WHICH", repr(which)))


def until(page, holds):
    """Wait without evaluating a text in the page, which its policy forbids."""
    for _ in range(600):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not come to pass")


def test_a_panel_that_is_none(page, address):
    """The first panel, whatever the address says."""
    for name in ("constructor", "__proto__", "nothing"):
        page.goto(f"{address}/?panel={name}")
        expect(page.locator("#asked")).to_have_text("One system")
        expect(page.locator("#finding")).to_contain_text("f1 is")


def test_a_late_answer_does_not_land_in_the_file_panel(page, address):
    """Counts are answered after one has gone to the panel of files."""
    late(page, "/api/score")
    page.goto(address)
    expect(page.locator("#answer")).to_have_class("stale")
    page.click("text=A file")
    expect(page.locator("#drop")).to_be_visible()
    until(page, lambda: page.evaluate("window.late") > 0)
    assert page.locator("#finding").text_content() == ""
    assert page.locator(".drawn").count() == 0
    assert "stale" not in (page.locator("#answer").get_attribute("class") or "")


@pytest.mark.parametrize("step", ["/api/file/preview", "/api/file/score"])
def test_a_late_file_does_not_land_in_another_panel(page, address, step):
    """Neither its columns nor its report; and nothing is thrown."""
    late(page, step)
    page.goto(f"{address}/?panel=file")
    page.set_input_files("#f-file", FILE)
    if step.endswith("score"):
        page.select_option("#c-verb", "score")
        page.click("#make")
    expect(page.locator("#finding")).to_contain_text("…")
    page.click("text=Relations")
    expect(page.locator("#line-shell")).to_contain_text("howsure solve")
    said = page.locator("#finding").text_content()
    until(page, lambda: page.evaluate("window.late") > 0)
    assert page.locator("#finding").text_content() == said
    assert page.locator("iframe, #columns").count() == 0


def test_no_old_chart_under_an_error(page, address):
    """Charts that are still being drawn when a question is refused are not shown."""
    held = []

    def hold(route):
        held.append(route)

    page.route("**/vega.js", hold)
    page.goto(address)
    until(page, lambda: held)
    page.fill("#f-metric", "precison")
    expect(page.locator("#problem")).to_contain_text("Did you mean")
    held[0].continue_()
    until(page, lambda: page.evaluate("typeof window.vegaEmbed") == "function")
    page.wait_for_timeout(500)
    assert page.locator(".drawn").count() == 0
    page.wrong.clear()  # a refused request is told in the console too


def test_the_choices_of_a_file_are_in_the_address(page, browser, address):
    """All but the file: another browser with the same file shows the same, and back goes one step back."""
    page.goto(f"{address}/?panel=file")
    page.set_input_files("#f-file", FILE)
    page.select_option("#c-verb", "score")
    page.select_option("#c-truth", "other")
    page.locator("#c-by input[value=city]").check()
    page.fill("#c-metric", "accuracy")
    page.fill("#c-level", "0.9")
    page.press("#c-level", "Tab")
    assert all(x in page.url for x in ("truth=other", "by=city", "metric=accuracy", "level=0.9"))
    assert "preds" not in page.url
    other = browser.new_page()
    other.goto(page.url)
    other.set_input_files("#f-file", FILE)
    expect(other.locator("#c-truth")).to_have_value("other")
    expect(other.locator("#c-by input[value=city]")).to_be_checked()
    expect(other.locator("#c-metric")).to_have_value("accuracy")
    expect(other.locator("#c-level")).to_have_value("0.9")
    other.set_input_files("#f-file", {**FILE, "buffer": b"label,pred\n1,1\n0,1\n"})
    expect(other.locator("#c-truth")).to_have_value("label")
    other.close()
    page.go_back()
    expect(page.locator("#c-level")).to_have_value("0.95")
    expect(page.locator("#c-metric")).to_have_value("accuracy")


def test_long_values_stay_out_of_the_address(page, address):
    """What was pasted is in the address up to 4,000 characters, and the page says so beyond."""
    page.goto(f"{address}/?from=matrix")
    table = "50,3\n4,40\n"
    for size, there in ((4_000, True), (4_001, False)):
        page.fill("#f-table", table + " " * (size - len(table)))
        expect(page.locator("#about")).to_contain_text("how sure is it" if there else "too long for the address")
        page.wait_for_function("""there => location.search.includes("table=") === there""", arg=there)
