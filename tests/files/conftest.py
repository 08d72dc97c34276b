"""What tests of files share."""

from __future__ import annotations

import json

import pytest

from howsure.cli.app import run


@pytest.fixture
def run_json(capsys):
    """The document that a command prints."""

    def called(*arguments):
        assert run([*map(str, arguments), "--format", "json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return called
