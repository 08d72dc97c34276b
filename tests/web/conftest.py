"""One running server for all tests that do not end it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

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
        end = time.monotonic() + 300  # workers start slowly on a machine that does much else
        while (answer := httpx.post(f"{found}/api/score", json=QUESTION, timeout=60)).status_code == 503:
            assert time.monotonic() < end, answer.text
        assert answer.status_code == 200, answer.text
        yield found


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[httpx.Client]:
    """Who asks it."""
    with httpx.Client(base_url=address, timeout=60) as made:
        yield made
