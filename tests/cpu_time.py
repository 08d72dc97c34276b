"""Where the time of the tests goes, in seconds of the processor: python -m pytest -q -n 2 -p tests.cpu_time.

With --write-costs it writes what a case of each test takes to tests/costs.json, by which `make test` chooses cases.
"""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import tiers

COSTLIEST = 25
LEAST = 0.015  # seconds of a case: what takes less is not worth a choice
spent: Counter[str] = Counter()  # by test function, of this process and of those that it waited for
cases: Counter[str] = Counter()  # how many of each


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-costs", action="store_true", help="write what cases take to tests/costs.json")


def _now() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(x.ru_utime + x.ru_stime for x in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Setup, call and teardown of a test."""
    before = _now()
    done = yield
    name = item.nodeid.partition("[")[0]
    spent[name] += _now() - before
    cases[name] += 1
    return done


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what it has; all else is of the start: imports and collection."""
    if session.config.pluginmanager.has_plugin("dsession"):
        return  # the workers tell
    spent["start of a process"] = _now() - spent.total()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_time"] = dict(spent), dict(cases)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    seconds, numbers = node.workeroutput["cpu_time"]
    spent.update(seconds)
    cases.update(numbers)


def _each() -> dict[str, float]:
    """Seconds of a case by the name of its test, and by its file too where several files have a test of that name."""
    files = Counter(test.partition("::")[2] for test in cases)
    each: dict[str, float] = {}
    for test, n in cases.items():
        path, _, name = test.partition("::")
        each[name if files[name] == 1 else f"{Path(path).stem}::{name}"] = round(spent[test] / n, 3)
    return {name: seconds for name, seconds in each.items() if seconds >= LEAST}


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """By folder, and the costliest tests."""
    if config.getoption("--write-costs"):
        tiers.COSTS.write_text(json.dumps(_each(), indent=0, sort_keys=True) + "\n", encoding="utf-8")
    folders: Counter[str] = Counter()
    for name, seconds in spent.items():
        folders["/".join(name.partition("::")[0].split("/")[:2])] += seconds
    terminalreporter.section(f"{spent.total():.0f} s of the processor")
    for listed in (folders.most_common(), spent.most_common(COSTLIEST)):
        terminalreporter.write_line("".join(f"{seconds:8.1f}  {name}\n" for name, seconds in listed))
