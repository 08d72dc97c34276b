"""Measured coverage: how often 95% intervals held the true value in simulated tests, for the notes that quote it.

The figures are those of data/coverage.json. The studies bench/coverage*.py write it, docs: coverage shows it, and
bench/coverage_data.py tells its form; it is read when the first note asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from howsure.errors import UnknownName, listing, nearest

PAGE: Final = "docs/explanation/coverage.md"  # where a reader finds the figures


def held(study: str, why: str, measure: str) -> tuple[int, int] | None:
    """The lowest and the highest case of a kind of tests, in percent, rounded down; None if no note quotes it.

    `why` is the kind: of `classes` the reason for a warning (many, rare, never), of `scores` best-of, chosen or
    corrected, of `queries` low-mean or other-means.

    >>> low, high = held("classes", "rare", "markedness")
    >>> low < 10 < 90 < high
    True
    >>> held("classes", "never", "macro-recall") is None
    True
    """
    found = _kind(study, why)["held"].get(measure)
    return None if found is None else (_percent(found["lowest"]), _percent(found["highest"]))


def reason(study: str, why: str) -> str:
    """A kind of tests in words, as notes say it.

    >>> reason("classes", "never")
    'a class that is never right'
    """
    return str(_kind(study, why)["reason"])


def _kind(study: str, why: str) -> Mapping[str, Any]:
    return _entry(_entry(_studies(), "study", study)["summary"], f"kind of tests in the study {study}", why)


def _entry(entries: Mapping[str, Mapping[str, Any]], what: str, name: str) -> Mapping[str, Any]:
    if name not in entries:
        raise UnknownName(f"no {what} is named {name!r}; there are {listing(entries)}.{nearest(name, entries)}")
    return entries[name]


def _percent(share: float) -> int:
    return round(1000 * share) // 10  # shares are in thousandths


@cache
def _studies() -> Mapping[str, Mapping[str, Any]]:
    text = files("howsure").joinpath("data", "coverage.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Any]] = json.loads(text)["studies"]
    return found
