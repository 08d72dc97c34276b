"""A real browser for tests, without a network; and axe, which finds what people who do not see would miss."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium of the system; the test is skipped where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium here: make system brings it")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright drives the browser: make check brings it"
    )
    with playwright.sync_playwright() as made:
        own = made.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield own
        finally:
            own.close()


def violations(page: Any, only: tuple[str, ...] | None = None) -> list[tuple[str, list[str]]]:
    """What axe has against a page, with the places; `only` of these impacts. Frames run no script, and are left out.

    In the light scheme by every rule, and in the dark one by the only rule that colours can break.
    """
    if not AXE.exists():
        pytest.skip("there is no axe-core here: make build/axe brings it")
    page.evaluate(AXE.read_text(encoding="utf-8"))  # past a policy that takes no script of others
    found = []
    for scheme, rules in (("dark", ", runOnly: ['color-contrast']"), ("light", "")):
        page.emulate_media(color_scheme=scheme)
        run = f"axe.run(document, {{resultTypes: ['violations'], iframes: false{rules}}})"
        found += page.evaluate(run)["violations"]
    kept = [x for x in found if only is None or x["impact"] in only]
    return [(f"{x['id']}: {x['help']}", [n["html"][:120] for n in x["nodes"]]) for x in kept]
