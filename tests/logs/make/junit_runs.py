"""Write junit/, the files of repeated pytest runs, into this folder: `python junit_runs.py`.

Made with pytest 9.2.0. Three runs for each of two versions of a program whose tests are flaky. pytest writes the name
of the machine into the file: here it is "demo".
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

TESTS = """\
import os
import random

import pytest

SKILL, RUN = float(os.environ["SKILL"]), os.environ["RUN"]


def passes(name):
    known = random.Random(name).random()
    return 0.6 * known + 0.4 * random.Random(f"{name} {RUN} {SKILL}").random() < SKILL


@pytest.fixture
def server():
    if RUN == "2":
        raise ConnectionError("no server")


@pytest.mark.parametrize("case", range(20))
def test_answers(case):
    assert passes(case)


class TestTools:
    @pytest.mark.parametrize("tool", ["search", "read", "write"])
    def test_uses(self, tool):
        assert passes(tool)

    def test_server(self, server):
        assert passes("server")

    @pytest.mark.skip(reason="no network")
    def test_network(self):
        assert False
"""

if __name__ == "__main__":
    platform.node = lambda: "demo"
    Path("test_agent.py").write_text(TESTS)
    for version, skill in (("base", 0.55), ("tuned", 0.75)):
        for run in range(1, 4):
            os.environ.update(SKILL=str(skill), RUN=str(run))
            given = ["test_agent.py", "-q", "--no-header", "-p", "no:cacheprovider", "--tb=line"]
            code = os.fork() or os._exit(pytest.main([*given, f"--junitxml=junit/{version}/run-{run}.xml"]))
            os.waitpid(code, 0)
