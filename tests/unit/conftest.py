"""What the unit tests share: the settings of the property tests, and the command in this process."""

from __future__ import annotations

import pytest
from hypothesis import settings

from howsure.cli import app

# no deadline per example, because the first call of a part imports it
settings.register_profile("howsure", deadline=None)
settings.load_profile("howsure")


@pytest.fixture
def command(capsys):
    """Run the command in this process: (exit code, standard output, standard error)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = app.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run
