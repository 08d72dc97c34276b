"""docs: calibration-cases: coverage, or calls, of every method in every case, each with its standard error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.calibrate import data, summary
from bench.calibrate.summary import INTERVAL_GROUPS, METHODS, TEST_GROUPS, TESTS, Cell
from bench.calibrate.words import case_words, first_up, page, width, with_error
from bench.coverage_page import markdown, short

PAGE: Final = Path("docs/contributing/calibration-cases.md")
_MARK: Final = (
    "<!-- written by make calibrate from bench/calibration.json; edit bench/calibrate/cases_page.py instead -->"
)
_INTERVALS: Final = (
    "The cases behind [does it beat the old ways?](calibration.md): in each cell the coverage of 95% intervals with "
    "its standard error (none if it is exact), and in brackets the mean width. What else was counted (misses to "
    "either side, intervals that are none) is in `bench/calibration.json`."
)
_TESTS: Final = (
    "Below, in each cell how often two systems are called different, with its standard error; in brackets, of a "
    "better system, how often it is called worse."
)


def text(document: Mapping[str, Any]) -> str:
    """The whole page."""
    tables = data.tables(document)
    intervals, tests = (summary.cells(tables, x) for x in (INTERVAL_GROUPS, TEST_GROUPS))
    parts = ["# Case by case", _MARK, _INTERVALS]
    for group in INTERVAL_GROUPS:
        parts += _section(summary.where(intervals, group=group), group, METHODS, _coverage)
    parts.append(_TESTS)
    for group in TEST_GROUPS:
        parts += _section(summary.where(tests, group=group), f"two systems: {group}", TESTS, _calls)
    return page(parts)


def _section(found: Sequence[Cell], title: str, methods: Sequence[str], shown: Callable[[Cell], str]) -> list[str]:
    there = [m for m in methods if any(c.method == m for c in found)]
    by = {(c.key, c.method): c for c in found}
    cases = list(dict.fromkeys(c.key for c in found))
    rows = [[case_words(dict(key)), *(shown(by[key, m]) if (key, m) in by else "–" for m in there)] for key in cases]
    return [f"## {first_up(title)}", markdown(("case", *there), rows)] if rows else []


def _coverage(c: Cell) -> str:
    return f"{with_error(c.coverage, c)} ({width(c)})"


def _calls(c: Cell) -> str:
    wrong = f" ({short(c['wrong way'])})" if c.case["systems"] == "better" else ""
    return with_error(float(c["called"]), c) + wrong
