"""What tests of files share: the document of a command, in which sampled metrics are rough unless the line says how."""

from __future__ import annotations

import json

import pytest

from howsure.cli.app import run
from tests.tiers import rough


@pytest.fixture
def run_json(capsys):
    """The document that a command prints."""

    def called(*arguments):
        assert run(rough([*map(str, arguments), "--format", "json"])) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return called
