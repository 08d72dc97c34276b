"""A real browser for tests, without a network; and axe, which finds what people who do not see would miss."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


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


def serious(page: Any) -> list[str]:
    """What axe calls serious or critical on a page, with the first place of each."""
    if not AXE.exists():
        pytest.skip("there is no axe-core here: make build/axe brings it")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("async () => (await axe.run(document)).violations")
    return [
        f"{x['id']}: {x['help']}: {x['nodes'][0]['html'][:200]}"
        for x in found
        if x["impact"] in ("serious", "critical")
    ]
