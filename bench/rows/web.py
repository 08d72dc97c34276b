"""The page: how soon it is seen, how soon a key is answered, and how many questions the API answers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from bench.load import load, serving
from bench.memory import of_running
from bench.registry import Row, Run, Under, group
from bench.timing import Cost

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
_PAINT = "performance.getEntriesByName('first-contentful-paint').map((x) => x.startTime)[0]"
_KEY = """(value) => new Promise((done) => {
  const field = document.getElementById('f-tp'), said = document.getElementById('finding');
  const begun = performance.now();
  new MutationObserver((_, own) => { own.disconnect(); done(performance.now() - begun); })
    .observe(said, {childList: true, characterData: true, subtree: true});
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
})"""


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=shutil.which("chromium"), args=list(_ARGUMENTS))
        yield found
        found.close()


@group("web-a", "The page in Chromium, on loopback", "The peak memory is that of the server's processes, added up.")
def page(run: Run) -> Iterator[Row]:
    if shutil.which("chromium") is None:
        run.say("chromium is not installed: make system")
        return
    with serving() as server, _browser() as browser:
        paints = []
        for _ in range(3 if run.quick else 7):
            context = browser.new_context()
            tab = context.new_page()
            tab.goto(server.address)
            tab.wait_for_selector("#finding:not(:empty)")
            paints.append(tab.evaluate(_PAINT) / 1000)
            context.close()
        yield Row("first paint, nothing cached", Cost(min(paints), of_running(server.pid)), target=Under(1.0))
        tab = browser.new_page()
        tab.goto(server.address)
        tab.wait_for_selector(".drawn svg")
        keys = [tab.evaluate(_KEY, str(81 + k)) / 1000 for k in range(10 if run.quick else 40)]
        note = f"median {1000 * median(keys):.0f} ms of {len(keys)} keys"
        yield Row("a key is answered in words", Cost(min(keys), of_running(server.pid)), target=Under(0.1), note=note)


@group(
    "web-b",
    "Questions to POST /api/score on loopback, each another one",
    "The peak memory is that of the server's processes, added up.",
)
def questions(run: Run) -> Iterator[Row]:
    seconds = 2.0 if run.quick else 20.0
    with serving(workers=1) as server:
        found = load(server.address, 8, min(seconds, 5.0))
        cost = Cost(found.seconds / len(found.times), of_running(server.pid))
        yield Row("an answer of one worker", cost, note=f"{found.rate:.0f} a second")
    with serving() as server:
        found = load(server.address, 50, seconds)
        cost = Cost(found.quantile(0.99), of_running(server.pid))
    if found.failed:
        raise RuntimeError(f"{found.failed} of {len(found.times)} answers failed")
    told = f"{len(found.times):,} answers in {found.seconds:.0f} s, none failed"
    note = f"{told}; median {1000 * found.quantile(0.5):.0f} ms"
    yield Row("50 clients at once, the 99th percentile", cost, note=note)
