"""What the jobs share: a folder to be in, and the command as a person sees it."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from howsure.cli.app import run


@dataclass(frozen=True)
class Seen:
    """What a command printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON that it printed."""
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        """The codes of the notes."""
        return [note["code"] for note in self.document["notes"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, and we are in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rng():
    """The same numbers in every run."""
    return np.random.default_rng(15)


@pytest.fixture
def type_(capsys):
    """Type a line; without a code it must work."""

    def typed(line: str, code: int = 0) -> Seen:
        words = shlex.split(line)
        assert words[0] == "howsure"
        capsys.readouterr()
        got = run(words[1:])
        printed = capsys.readouterr()
        assert got == code, printed.err or printed.out
        return Seen(got, printed.out, printed.err)

    return typed
