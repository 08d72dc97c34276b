"""The page, in a real browser: what is typed is answered with Python's numbers, and stays in the address."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

import howsure as hs
from howsure.render.findings import of_row
from tests.web.browser.chromium import violations
from tests.web.questions import FOUR

HOSTILE = "<img src=x onerror=alert(1)>"
pytestmark = pytest.mark.outside
expect.set_options(timeout=30_000)  # on a machine that does much else


def finding(tally, level=0.95, **how):
    report = hs.score(tally, metrics=["f1"], level=level, **how)
    return of_row(report.to_dict()["rows"][0], level)


def test_type_counts_and_see_the_number(page, address):
    """Each key changes the sentence, the table, the chart and the lines."""
    page.goto(address)
    expect(page.locator("#finding")).to_have_text(finding(hs.Tally.binary(**FOUR)))
    page.fill("#f-tp", "90")
    page.fill("#f-above", "0.8")
    tally = hs.Tally.binary(**{**FOUR, "tp": 90})
    expect(page.locator("#finding")).to_have_text(finding(tally, above=0.8))
    expect(page.locator("#line-shell")).to_have_text(
        "howsure score --counts tp=90,fp=20,fn=30,tn=870 --metric f1 --above 0.8"
    )
    said = finding(tally, above=0.8)
    expect(page.locator(".drawn svg").first).to_have_attribute("aria-label", re.compile(re.escape(said), re.IGNORECASE))
    row = hs.score(tally, metrics=["f1"], above=0.8).to_dict()["rows"][0]
    with page.expect_download() as saved:
        page.click("#export >> text=JSON")
    document = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert document["rows"][0] == row


def test_a_bad_number_is_told(page, address):
    """In the words of the command, and what was typed stays."""
    page.goto(f"{address}/?metric=precison")
    expect(page.locator("#problem")).to_contain_text("Did you mean 'precision'?")
    page.fill("#f-metric", "precision")
    expect(page.locator("#finding")).to_contain_text("precision is 0.800")
    expect(page.locator("#problem")).to_be_empty()
    page.fill("#f-tp", "")
    expect(page.locator("#finding")).to_have_text("Type the four counts.")
    page.wrong.clear()  # a refused request is told in the console too


def test_a_link_restores_the_state(page, browser, address):
    """All that was typed is in the address, and another browser shows the same."""
    page.goto(f"{address}/?panel=compare")
    page.check("input[value=wins]")
    page.fill("#f-first", "30")
    page.fill("#f-same", "100")
    expect(page.locator("#line-shell")).to_have_text("howsure compare --wins 30,4,100")
    said = page.locator("#finding").text_content()
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("#finding")).to_have_text(said)
    expect(other.locator("#f-first")).to_have_value("30")
    other.close()


def test_back_and_forward(page, address):
    """Each value that was typed, and each panel, is a step."""
    page.goto(address)
    page.fill("#f-tp", "81")
    page.press("#f-tp", "Tab")
    page.fill("#f-fp", "22")
    page.press("#f-fp", "Tab")
    page.click("text=Plan")
    expect(page.locator("#asked")).to_have_text("Plan")
    page.go_back()
    expect(page.locator("#f-fp")).to_have_value("22")
    expect(page.locator("#f-tp")).to_have_value("81")
    page.go_back()
    expect(page.locator("#f-fp")).to_have_value("20")
    expect(page.locator("#line-shell")).to_contain_text("tp=81,fp=20")
    page.go_forward()
    expect(page.locator("#line-shell")).to_contain_text("tp=81,fp=22")
    page.go_forward()
    expect(page.locator("#asked")).to_have_text("Plan")


def test_keyboard_only(page, address):
    """From the first link to a number, to another panel and to a copied line, without a mouse."""
    page.goto(address)
    expect(page.locator("#finding")).not_to_be_empty()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "f-tp":
            break
    page.keyboard.press("Control+A")
    page.keyboard.type("95")
    expect(page.locator("#line-shell")).to_contain_text("tp=95")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Copy the Shell line":
            break
    page.keyboard.press("Enter")
    expect(page.locator("button:focus")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("howsure score --counts tp=95")
    page.locator("a[data-panel=relations]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#asked")).to_have_text("Relations")
    page.locator("input[value=solve]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#line-shell")).to_have_text("howsure tradeoff accuracy=0.9 prevalence=0.2 --recall 0.8")


def test_sliders(page, address):
    """Accuracy, prevalence and recall are moved, and the precision follows."""
    page.goto(f"{address}/?panel=relations&from=tradeoff")
    page.locator("#f-accuracy").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#line-python")).to_contain_text("hs.tradeoff(accuracy=0.905, prevalence=0.2, recalls=[0.8])")
    precision = hs.tradeoff(accuracy=0.905, prevalence=0.2).precision(0.8)
    expect(page.locator("#finding")).to_contain_text(f"precision is {float(precision):.3f}")


def test_the_threshold_of_a_curve(page, address):
    """The handle shows the posterior at the threshold, as Python has it, and the curves have a mark there."""
    page.goto(f"{address}/?panel=curves")
    expect(page.locator("#finding")).to_contain_text("f1@0.5")
    page.locator("#f-threshold").focus()
    page.keyboard.press("ArrowRight")
    value = page.locator("#f-threshold").input_value()
    expect(page.locator("#finding")).to_contain_text(f"f1@{value}")
    text = page.locator("#f-scores").input_value().split("\n")[1:]
    truth, scores = zip(*((int(x.split(",")[0]), float(x.split(",")[1])) for x in text), strict=True)
    row = hs.curve(list(truth), list(scores), metrics=[f"f1@{value}"]).to_dict()["rows"][0]
    expect(page.locator("#finding")).to_contain_text(f"{row['low']:.3f} to {row['high']:.3f}")
    expect(page.locator(".drawn svg").first).to_have_attribute("aria-label", re.compile(f"f1.*{row['low']:.3f}"))
    for kind in ("ROC curve", "Precision against recall"):
        marked = page.locator("figure", has_text=kind).locator("svg text", has_text=f"score >= {value}")
        expect(marked.first).to_be_visible()


def test_a_matrix_is_pasted(page, address):
    """With names and without."""
    page.goto(f"{address}/?from=matrix")
    page.fill("#f-table", f"\tcat\t{HOSTILE}\ncat\t5\t1\n{HOSTILE}\t2\t7")
    page.fill("#f-measure", "accuracy")
    expect(page.locator("#line-python")).to_contain_text(f"labels=['cat', '{HOSTILE}']")
    expect(page.locator("#finding")).to_contain_text("accuracy is 0.800")
    page.fill("#f-table", "5 1 0\n2 7 1\n0 0 9")
    expect(page.locator("#line-python")).to_contain_text("[[5, 1, 0], [2, 7, 1], [0, 0, 9]]")
    assert page.locator("img").count() == 0


def test_drop_a_file_and_read_the_report(page, address):
    """Columns as the command guesses them; the report in a frame that runs nothing; hostile names are shown."""
    held = f"label,pred,{HOSTILE}\n" + f"{HOSTILE},{HOSTILE},a\nham,ham,b\nham,{HOSTILE},a\n" * 10
    page.goto(f"{address}/?panel=file")
    page.set_input_files("#f-file", {"name": f"{HOSTILE}.csv", "mimeType": "text/csv", "buffer": held.encode()})
    expect(page.locator("#numbers")).to_contain_text(HOSTILE)
    expect(page.locator("#c-truth")).to_have_value("label")
    assert page.locator("#c-answers input:checked").evaluate_all("x => x.map((y) => y.value)") == ["pred"]
    page.fill("#c-metric", "accuracy")
    page.locator("#c-by input").nth(2).check()
    page.click("#make")
    frame = page.frame_locator("iframe")
    expect(frame.locator("body")).to_contain_text("accuracy")
    expect(frame.locator("body")).to_contain_text("0.667")
    assert page.locator("iframe").get_attribute("sandbox") == ""
    assert page.locator("img").count() == frame.locator("img").count() == 0
    assert "label" not in page.url
    with page.expect_download() as saved:
        page.click("text=Save the report")
    assert "accuracy" in saved.value.path().read_text(encoding="utf-8")


def test_a_file_of_200_mb_is_refused_politely(page, address, tmp_path):
    """Before a byte of it is sent, with what to do instead."""
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(200_000_000)
    page.goto(f"{address}/?panel=file")
    page.set_input_files("#f-file", large)
    expect(page.locator("#problem")).to_have_text(
        "At most 100 MB are taken; this is 200.0 MB. For larger files use the command: howsure score FILE."
    )


def test_a_browser_reads_why_200_mb_are_refused(page, address):
    """Also where the page did not look at the size: the server answers before the connection ends."""
    page.goto(f"{address}/?panel=file")
    told = page.evaluate("""async () => {
        const headers = { "content-type": "application/octet-stream" };
        const body = new Blob([new Uint8Array(200000000)]);
        const found = await fetch("/api/file/preview?name=large.csv", { method: "POST", headers, body });
        return [found.status, (await found.json()).error.message];
    }""")
    assert told[0] == 413
    assert told[1].startswith("at most 100 MB are taken; this is 200.0 MB.")
    page.wrong.clear()  # a refused request is told in the console too


def test_pictures_are_saved(page, address):
    """PNG, SVG and CSV, as the command writes them."""
    page.goto(address)
    expect(page.locator(".drawn svg").first).to_be_visible()
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg", "CSV": b"metric"}
    for form, start in begins.items():
        with page.expect_download() as saved:
            page.click(f"#export >> text={form}")
        assert saved.value.path().read_bytes().startswith(start)
        assert saved.value.suggested_filename == f"howsure-score.{form.lower()}"


SMALLEST = """() => Math.min(...[...document.querySelectorAll('.drawn svg')].map((x) =>
  x.getBoundingClientRect().width / x.viewBox.baseVal.width * Math.min(...[...x.querySelectorAll('text')].map((t) =>
    parseFloat(getComputedStyle(t).fontSize)))))"""
BOXES = """(all) => all.map((x) => {
  const { left, top, right, bottom } = x.getBoundingClientRect();
  return [x.textContent, left, top, right, bottom];
})"""
PLACES = ["score&above=0.8", "compare", "plan", "relations", "relations&from=tradeoff", "curves", "file"]


@pytest.mark.parametrize("place", [*(f"/?panel={x}" for x in PLACES), "/api"])
def test_everybody_can_read_each_panel_on_a_phone(page, address, place):
    """Axe finds nothing: labels, contrast in light and dark, names and order. Nothing is wider than the screen.

    Of charts the plots give way and words keep their size: none is smaller than eight pixels, and none lies on another.
    """
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address + place)
    expect(page.locator(".api section, #fields > *").first).to_be_visible()
    if place not in ("/api", "/?panel=file"):
        expect(page.locator("#line-shell")).not_to_be_empty()
        expect(page.locator("#finding")).not_to_be_empty()
        expect(page.locator(".drawn svg").first).to_be_visible()
        assert page.evaluate(SMALLEST) >= 8.4
        words = page.locator(".drawn").first.locator(".mark-text text").evaluate_all(BOXES)
        said = {text: box for text, *box in words}  # some twice, over paper of their own
        boxes = [box for box in said.values() if box[2] > box[0]]
        for k, one in enumerate(boxes):
            for two in boxes[k + 1 :]:
                across = min(one[2], two[2]) - max(one[0], two[0])
                down = min(one[3], two[3]) - max(one[1], two[1])
                assert min(across, down) < 4
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert place == "/api" or page.evaluate("document.documentElement.scrollWidth") <= 360


def test_axe_finds_nothing_about_a_file(page, address):
    """With its columns to choose from, and with the report; the frame runs no script, and so is not judged here."""
    page.goto(f"{address}/?panel=file")
    held = b"label,pred,city\n" + b"1,1,a\n0,0,b\n0,1,a\n1,1,b\n" * 10
    page.set_input_files("#f-file", {"name": "preds.csv", "mimeType": "text/csv", "buffer": held})
    expect(page.locator("#make")).to_be_visible()
    assert violations(page) == []
    page.locator("#c-by input[value=city]").check()
    page.fill("#c-metric", "accuracy")
    page.click("#make")
    expect(page.locator("iframe")).to_be_visible()
    expect(page.locator(".drawn svg").first).to_be_visible()
    assert violations(page) == []
