"""Throw-away environments under build/: made new each time, never the one that you work in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST = (3, 11)  # requires-python
NEWEST = (3, 15)  # what is looked for; an interpreter that is not here is said to be skipped
_LINES = 60  # of what failed: every test that did is named there


class Failed(Exception):
    """A program ended badly; the text is the end of what it said."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, by its folder."""

    home: Path

    @property
    def python(self) -> str:
        return str(self.home / ("Scripts" if os.name == "nt" else "bin") / "python")

    def program(self, name: str) -> str:
        """A program that was installed here, such as `howsure`."""
        return str(Path(self.python).parent / name)

    def install(self, *what: str, pins: Path) -> None:
        """By pip, with the versions of a file of constraints."""
        say(
            [
                self.python,
                "-m",
                "pip",
                "--disable-pip-version-check",
                "-qq",
                "install",
                "--no-compile",
                "-c",
                str(pins),
                *what,
            ]
        )


def made(python: str, name: str) -> Environment:
    """A new environment of this interpreter; one of the same name is removed first."""
    home = ROOT / "build" / "environments" / name
    shutil.rmtree(home, ignore_errors=True)
    say([python, "-m", "venv", str(home)])
    return Environment(home)


def say(line: Sequence[str], folder: Path = ROOT, seconds: float = 1800) -> str:
    """What a program prints; Failed with its last lines if it does not end well."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"))}
    try:
        done = subprocess.run(
            list(line), cwd=folder, env=clean, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{_short(line)} did not end within {seconds:.0f} s") from None
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-_LINES:]
        raise Failed("\n".join([f"{_short(line)} ended with {done.returncode}:", *said]))
    return done.stdout


def _short(line: Sequence[str]) -> str:
    text = " ".join([Path(line[0]).name, *line[1:]])
    return text if len(text) < 100 else text[:97] + "..."


def interpreters() -> Iterator[tuple[str, str | None]]:
    """Each version from 3.11 on, and an interpreter that runs here, or None; of each version the first found."""
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        version = f"3.{minor}"
        places = [shutil.which(f"python{version}"), *_pyenv(version)]
        if sys.version_info[:2] == (3, minor):
            places.insert(0, sys.executable)
        yield version, next((x for x in places if x and _runs(x, version)), None)


def _pyenv(version: str) -> list[str]:
    """Those that pyenv has, whichever it has chosen for this folder."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [str(x / "bin" / "python") for x in sorted(home.glob(f"{version}.*"), reverse=True)]


def _runs(python: str, version: str) -> bool:
    """Whether it starts, is the version it is named for, and can make environments (a shim may do none of these)."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == version
