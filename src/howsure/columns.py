"""Columns: the keywords that name columns of data and say how to take them, the same in every verb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypedDict

Names = str | Sequence[str]


class Columns(TypedDict, total=False):
    """What `score`, `compare`, `leaderboard`, `curve` and `tally` can be told of data; see hs.tally."""

    truth: str
    pred: Names
    outcome: Names
    judge: Names
    human: Names
    value: Names
    score: Names
    threshold: float | Sequence[float]
    by: Names
    cluster: Any
    weight: Any
    count: str
    item: Names
    system: str
    on: Names
    unmatched: str
    where: Names
    independent_rows: bool
    missing: str
    positive: Any
    labels: Sequence[Any]
    bounds: tuple[float, float]
    better: str | None
    bins: int
    sep: str
    table: str
    query: str
    engine: str
    remote: str


class ColumnsAndTarget(Columns, total=False):
    """The same for verbs that answer for a target with another share of positives; see hs.shift."""

    prevalence: Any


NAMES: Final = tuple(Columns.__annotations__)
