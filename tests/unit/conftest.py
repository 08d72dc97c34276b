"""What the unit tests share: the command in this process."""

from __future__ import annotations

import pytest

from howsure.cli import app


@pytest.fixture
def command(capsys):
    """Run the command in this process: (exit code, standard output, standard error)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = app.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run
