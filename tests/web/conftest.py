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


@contextmanager
def serving(*words: str, folder: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`howsure serve` on a free port: its address, and the process."""
    environment = {**os.environ, **({"TMPDIR": str(folder)} if folder is not None else {})}
    process = subprocess.Popen(
        [sys.executable, "-m", "howsure", "serve", "--port", "0", "--no-browser", *words],
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
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that answers."""
    with serving(folder=tmp_path_factory.mktemp("serving")) as (found, _):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with_counts = {"counts": {"tp": 8, "fp": 2, "fn": 3, "tn": 80}}
            if httpx.post(f"{found}/api/score", json=with_counts, timeout=60).status_code == 200:
                break
        yield found


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[httpx.Client]:
    """Who asks it."""
    with httpx.Client(base_url=address, timeout=60) as made:
        yield made
