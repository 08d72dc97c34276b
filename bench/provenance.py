"""Where figures come from: the commit, the machine, and whether both stayed the same during a run."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

import howsure

ROOT = Path(__file__).parents[1]
MEASURED = ("src", "bench", "tests/papers", "pyproject.toml", "constraints.txt")  # what figures depend on
WRITTEN = ("bench/RESULTS.md", "bench/baseline.json", "bench/growth.json")  # what runs write


class Mixed(Exception):
    """Figures that would not be of one commit; the text says what to do."""


def commit() -> str:
    """The commit that is measured; Mixed where the files are not those of a commit."""
    try:
        changed = _git("status", "--porcelain", "--", *MEASURED, *(f":(exclude){x}" for x in WRITTEN))
        name = _git("rev-parse", "--short=12", "HEAD").strip()
    except (OSError, subprocess.CalledProcessError):
        raise Mixed("there is no git history here, so figures would not be of a known commit: use --quick") from None
    if changed:
        first = changed.splitlines()[0][3:]
        raise Mixed(f"{first} is not as in commit {name}: commit first, so that all figures are of one, or use --quick")
    return name


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def version(name: str) -> str:
    """Of a package; our own is that of the source, wherever it was installed from."""
    return howsure.__version__ if name == "howsure" else importlib.metadata.version(name)


def machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores"


def load() -> str:
    """How busy the machine is with other things; asked before a run begins."""
    return f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else "load not told"


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
