"""One browser for all tests that need one; it ends with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, with a loop of asyncio of its own: who needs another one in this process takes another thread."""
    with chromium.browser() as found:
        yield found


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Iterator[Any]:
    """Where pages open: what they have fetched and compiled, such as the script that draws charts, is kept."""
    context = browser.new_context(accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def page(tabs: Any) -> Iterator[Any]:
    """A page on which nothing may go wrong: no error, no warning, no violation of the policy."""
    wrong: list[str] = []
    found = tabs.new_page()
    found.set_viewport_size({"width": 1280, "height": 900})
    found.set_default_timeout(30_000)
    found.wrong = wrong
    found.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    found.on("pageerror", lambda e: wrong.append(str(e)))
    yield found
    found.close()
    assert wrong == []
