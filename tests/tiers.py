"""Three tiers of tests, from seconds to many minutes: fast, test and deep.

`make test` (plain pytest) tests every property that does not take long. A sweep of many like cases keeps a spread
sample there, and the rest is marked deep: `make deep` (pytest --tier deep) runs all. `make fast` (pytest --tier fast)
runs the folders of FEATURES, the doctests, and one case of every other test; it leaves out a test if a case takes more
than QUICK seconds, or if it asks another program (marked outside).

Of a test whose cases take long, `make test` runs as many as BUDGET allows, spread over all of them, and none if one
takes more than SLOW: that is for the deep tier, except in the folders of PROMISES. What a case takes was measured:
tests/costs.json, written by `python -m pytest -q -n 2 -p tests.cpu_time --write-costs`. A test that is marked `whole`
walks over all there is of something, or holds what nothing else does, and is not cut. Cases that are named (-k, or
file::test) run in any tier.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

TIERS = ("fast", "test", "deep")
FEATURES = (  # run whole
    "answers", "bad_input", "command", "evidence", "metrics", "package", "posteriors", "results", "sklearn",
)  # fmt: skip
BUDGET = 0.15  # seconds of the processor, for all cases of a test
QUICK = 0.1  # seconds of a case that the fast tier runs
SLOW = 0.3  # seconds of a case that only the deep tier runs
PROMISES = ("command", "databases", "docs", "jobs", "web")  # what users see or rely on: processes, pages, safety
COSTS = Path(__file__).with_name("costs.json")  # seconds of a case
tier = "test"  # what runs now; set by conftest.py before any test module is imported


def some(cases: Iterable[Any], every: int, start: int = 0) -> list[Any]:
    """Cases of one argument: the first, the last and every so many of the others; the rest are deep."""
    listed = list(cases)
    kept = {0, len(listed) - 1, *range(start, len(listed), every)}
    return [_param((case,), i in kept) for i, case in enumerate(listed)]


def spread(rows: Iterable[Any], columns: Iterable[Any], every: int | None = None) -> list[Any]:
    """Cases of two arguments: of all pairs one in so many, so that each row and each column is met; the rest are deep.

    Along the diagonals: at most as many as there are rows or columns (so many if none is given), or some would be
    missed.
    """
    listed, across = list(rows), list(columns)
    most = min(len(listed), len(across))
    every = most if every is None else every
    assert every <= most
    pairs = product(enumerate(listed), enumerate(across))
    return [_param((row, column), (i + j) % every == 0) for (i, row), (j, column) in pairs]


def turn(cases: Iterable[Any], at: int, every: int) -> list[Any]:
    """What one of several like tests looks at: one case in so many, others for each test; all in the deep tier.

    As many tests as `every`, numbered from 0, see all cases between them.
    """
    return list(cases) if tier == "deep" else list(cases)[at % every :: every]


def affordable(test: str, cases: Sequence[Any]) -> list[Any]:
    """As many cases of a test as its time allows, spread from the first to the last: at least these two; all if new."""
    cost = cost_of(test)
    most = len(cases) if not cost else max(2, int(BUDGET / cost + 1e-9))
    if most >= len(cases):
        return list(cases)
    return [cases[i * (len(cases) - 1) // (most - 1)] for i in range(most)]


def is_quick(test: str) -> bool:
    """Whether the fast tier has the time for a case of a test; it has for what is new."""
    return cost_of(test) <= QUICK


def is_slow(test: str) -> bool:
    """Whether a case of a test takes longer than any but the deep tier has for it."""
    return cost_of(test) > SLOW and Path(test.partition("::")[0]).parts[1] not in PROMISES


def cost_of(test: str) -> float:
    """Seconds of a case of a test, given as `path::name`; 0 for what is new or takes next to nothing.

    What was measured is kept by names, so that a test may move to another file; where two files have a test of one
    name, by the name of the file too.
    """
    path, _, name = test.partition("::")
    return costs().get(f"{Path(path).stem}::{name}", costs().get(name, 0.0))


@cache
def costs() -> dict[str, float]:
    """What was measured."""
    found: dict[str, float] = json.loads(COSTS.read_text(encoding="utf-8"))
    return found


def _param(values: Sequence[Any], kept: bool) -> Any:
    return pytest.param(*values, id="-".join(map(str, values)), marks=() if kept else pytest.mark.deep)


def examples(few: int, many: int, **more: Any) -> settings:
    """That many examples of a property: random ones in the deep tier, else the same in every run.

    No deadline, as the first call of a part imports it.
    """
    deep = tier == "deep"
    return settings(max_examples=many if deep else few, deadline=None, derandomize=not deep, **more)


def rough(line: list[str], tolerance: float = 0.2) -> list[str]:
    """A command line whose sampled metrics are rough, where precision is not what is tested."""
    from howsure.cli.app import app

    takes = any("--tolerance" in option.opts for option in app.commands[line[0]].params)
    return line if not takes or {"--tolerance", "--wins"} & set(line) else [*line, "--tolerance", str(tolerance)]


def tolerance(rough: float, fine: float = 0.02) -> float:
    """How far the laws of sampled metrics may be off: what the package takes by default in the deep tier, else more."""
    return fine if tier == "deep" else rough
