"""The tiers of tests (tests/tiers.py), and settings of the property tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import settings

import howsure as hs
from howsure import duck
from howsure.cli import app
from tests import order, tiers

FEATURES = {Path(__file__).parent / name for name in tiers.FEATURES}
CASE = type(pytest.param())


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "fast: one quick case of each test; test: every property (default); deep: the long sweeps too"
    parser.addoption("--tier", choices=tiers.TIERS, default="test", help=help_)


def pytest_configure(config: pytest.Config) -> None:
    tiers.tier = config.getoption("--tier")
    settings.register_profile("howsure", tiers.examples(30, 100))
    settings.load_profile("howsure")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the workers: more threads than cores wait for each other
    os.environ.pop("COLUMNS", None)  # pytest-xdist sets it for its workers, and the command lays tables out by it


@pytest.fixture(scope="session", autouse=True)
def usual_signals() -> None:
    """Start commands with the usual signals, also under nohup and in the background of a script.

    A child inherits that a signal is ignored, but not that it is handled: a handler that does nothing keeps the tests
    running, and leaves their commands as a terminal starts them.
    """
    for name in ("SIGHUP", "SIGINT", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def one_duckdb() -> Iterator[None]:
    """Files are read by connections to one DuckDB of the worker: to start one takes longer than to read a small file.

    Connections share no tables (all of ours are temporary), and files that change are read again.
    """
    root = duckdb.connect(config=duck.CONFIG | {"enable_external_file_cache": "false"})
    connect = duck.connect

    def shared(*, in_order: bool = False) -> Any:
        return connect(in_order=True) if in_order else duck.ready(root.cursor())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duck, "connect", shared)
        yield
    root.close()


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[None]:
    """A database server that some test has started is stopped when all tests are done."""
    yield
    if "tests.databases.server" in sys.modules:
        sys.modules["tests.databases.server"].stop()


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process: (exit code, standard output, standard error)."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = app.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def rough_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled metrics are rough unless a tolerance is given, where precision is not what is tested; not when deep."""
    if tiers.tier != "deep":
        monkeypatch.setitem(hs.posterior.__kwdefaults__, "tolerance", 0.2)


def pytest_report_header(config: pytest.Config) -> str:
    return f"tier: {config.getoption('--tier')} of {', '.join(tiers.TIERS)} (--tier)"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Doctests are those of the package: to look for some in the tests themselves takes a second of each worker."""
    found = yield
    return [x for x in found if type(x).__name__ != "DoctestModule"]


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Outside the deep tier the deep cases of a sweep are not even made: they are most of all cases."""
    if tiers.tier == "deep":
        return
    for mark in metafunc.definition.iter_markers("parametrize"):
        cases = mark.args[1] if len(mark.args) > 1 else None
        if isinstance(cases, list) and not isinstance(mark.kwargs.get("ids"), list):
            cases[:] = [case for case in cases if not is_deep(case)] or cases  # all deep: deselected below


def is_deep(case: object) -> bool:
    """Whether a case of a sweep is marked deep."""
    return isinstance(case, CASE) and any(mark.name == "deep" for mark in case.marks)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects what is not of the tier, and puts what waits and what takes long first."""
    if tiers.tier != "deep":
        deselect(config, items)
    items.sort(key=lambda item: order.rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Files are handed to the workers one by one in the order above, so that what a file makes once is made once."""
    return order.by_place(config, log)


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of the tier."""
    kept = [item for item in items if not item.get_closest_marker("deep")]
    named = config.getoption("keyword") or any("::" in x for x in config.args)
    asked = named or config.getoption("--write-costs", default=False)  # of some, all cases
    kept = one_of_each(kept) if tiers.tier == "fast" else kept if asked else within_budget(kept)
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nothing of it is looked at again for garbage."""
    gc.freeze()


def within_budget(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of each test the cases that its time allows; of the features all that are not slow, of one marked whole all."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept: set[pytest.Item] = set()
    for test, cases in tests.items():
        if cases[0].get_closest_marker("whole"):
            kept.update(cases)
        elif not tiers.is_slow(test):
            kept.update(cases if cases[0].path.parent in FEATURES else tiers.affordable(test, cases))
    return [item for item in items if item in kept]


def one_of_each(items: list[pytest.Item]) -> list[pytest.Item]:
    """All of the features, the doctests, and the first case of every other test; nothing outside, nothing slow."""
    seen: set[str] = set()
    kept = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        if item.get_closest_marker("outside") or not tiers.is_quick(test):
            continue
        if item.path.parent in FEATURES or not isinstance(item, pytest.Function) or test not in seen:
            kept.append(item)
        seen.add(test)
    return kept
