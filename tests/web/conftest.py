"""One running server for all tests that do not end it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.browser import chromium
from tests.web.questions import FOUR

QUESTION = {"counts": FOUR, "metrics": ["f1"]}


@contextmanager
def serving(*words: str, folder: Path | None = None, before: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`howsure serve` on a free port, after some lines of Python: its address, and the process."""
    started = ["-c", f"{before}\nfrom howsure.cli import main\nmain()"] if before else ["-m", "howsure"]
    environment = {**os.environ, **({"TMPDIR": str(folder)} if folder is not None else {})}
    process = subprocess.Popen(
        [sys.executable, *started, "serve", "--port", "0", "--no-browser", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        yield re.search(r"http://\S+", said)[0].rstrip("/"), process  # type: ignore[index]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A server that answers; what it keeps between runs is the script that draws charts."""
    kept = Path("build/web").absolute()
    kept.mkdir(parents=True, exist_ok=True)
    with serving(folder=kept) as (found, _):
        assert httpx.post(f"{found}/api/score", json=QUESTION, timeout=60).status_code == 200
        yield found


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[httpx.Client]:
    """Who asks it."""
    with httpx.Client(base_url=address, timeout=60) as made:
        yield made


# -- the browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the pages of a module; its loop ends with it, so that others may have one."""
    with chromium.browser() as found:
        yield found


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page on which nothing may go wrong: no error, no warning, no violation of the policy."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    found = context.new_page()
    found.set_default_timeout(30_000)
    found.wrong = wrong
    found.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    found.on("pageerror", lambda e: wrong.append(str(e)))
    yield found
    context.close()
    assert wrong == []
