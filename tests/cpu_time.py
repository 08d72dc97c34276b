"""Where the time of the tests goes, in seconds of the processor: python -m pytest -q -n 2 -p tests.cpu_time."""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

COSTLIEST = int(os.environ.get("COSTLIEST", "25"))  # of which so many are shown
spent: Counter[str] = Counter()  # by test function, of this process and of those that it waited for


def _now() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(x.ru_utime + x.ru_stime for x in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Setup, call and teardown of a test."""
    before = _now()
    done = yield
    spent[item.nodeid.partition("[")[0]] += _now() - before
    return done


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what it has; all else is of the start: imports and collection."""
    if session.config.pluginmanager.has_plugin("dsession"):
        return  # the workers tell
    spent["start of a process"] = _now() - spent.total()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_time"] = dict(spent)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    spent.update(node.workeroutput["cpu_time"])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """By folder, and the costliest tests."""
    folders: Counter[str] = Counter()
    for name, seconds in spent.items():
        folders["/".join(name.partition("::")[0].split("/")[:2])] += seconds
    terminalreporter.section(f"{spent.total():.0f} s of the processor")
    for listed in (folders.most_common(), spent.most_common(COSTLIEST)):
        terminalreporter.write_line("".join(f"{seconds:8.1f}  {name}\n" for name, seconds in listed))
