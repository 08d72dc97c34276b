"""Request: which columns to count and how, checked once, the same for frames, files and databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import BadCounts, BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest.patterns import Column, Counted, check_missing, many, settle, settle_outcomes, settle_scores
from howsure.labels import Label

WEIGHT_RANGE = "weights must lie between 1e-100 and 1e100 (or be 0); scale them, only their ratios matter."
TRUTH, COUNT, SUM, SQUARE, LEAST, MOST, GIVEN = "truth", "n", "w", "ww", "least", "most", "given"


@dataclass(frozen=True)
class Request:
    """The columns by role. Counting is one group-by of `keys`; the aggregates are named as in this module."""

    truth: str | None
    answers: tuple[str, ...]
    by: tuple[str, ...] = ()
    weight: str | None = None
    count: str | None = None
    outcome: bool = False
    thresholds: tuple[float, ...] = ()
    positive: Label | None = None
    labels: Sequence[Label] | None = None
    missing: str = "refuse"
    systems: tuple[str, ...] = ()  # shown for the answers; the columns' own names unless given

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """(name in the query, column) of everything that is grouped by."""
        truth = ((TRUTH, self.truth),) if self.truth is not None else ()
        slices = tuple((f"slice{i}", x) for i, x in enumerate(self.by))
        return (*slices, *truth, *((f"answer{i}", x) for i, x in enumerate(self.answers)))

    @property
    def amount(self) -> str | None:
        """The column that is added up, if any: weights or counts."""
        return self.weight if self.weight is not None else self.count

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read."""
        found = [column for _, column in self.keys] + ([self.amount] if self.amount is not None else [])
        return tuple(dict.fromkeys(found))

    def check(self, names: Iterable[str], where: str) -> None:
        """Refuse columns that are not there, with the nearest name."""
        have = list(names)
        for column in self.columns:
            check_column(column, have, where)

    def counted(self, columns: dict[str, Any]) -> Counted:
        """What one group-by gave, by name: the keys as coded columns, and the aggregates as arrays."""
        slices = tuple(_key(columns, f"slice{i}") for i in range(len(self.by)))
        truth = None if self.truth is None else _key(columns, TRUTH)
        answers = tuple(_key(columns, f"answer{i}") for i in range(len(self.answers)))
        rows = np.asarray(columns[COUNT], dtype=np.int64)
        if self.amount is None:
            return Counted(slices, truth, answers, rows)
        sums, squares = _amounts(self, columns, rows)
        return Counted(slices, truth, answers, sums, squares)

    def settle(self, counted: Counted) -> Tally | Outcomes:
        """The Tally of what was counted."""
        named = self.systems or self.answers
        if self.outcome:
            return settle_outcomes(counted, named, self.by, missing=self.missing)
        if self.weight is not None and not counted.counts.any():
            raise BadLabels("all weights are 0.")
        settings: Any = {"positive": self.positive, "labels": self.labels, "missing": self.missing}
        if self.thresholds:
            return settle_scores(counted, named[0], self.by, self.thresholds, **settings)
        return settle(counted, named, self.by, **settings)


def _key(columns: dict[str, Any], name: str) -> Column:
    from howsure.ingest.patterns import coded

    given = columns[name]
    return given if isinstance(given, Column) else coded(given)


def _amounts(r: Request, columns: dict[str, Any], rows: Any) -> tuple[Any, Any]:
    """Sums of weights and of their squares, or sums of counts; checked by their least and most."""
    what, name = ("weight", r.weight) if r.weight is not None else ("count", r.count)
    given = np.asarray(columns[GIVEN], dtype=np.int64)
    sums = _floats(columns[SUM])
    least, most = _floats(columns[LEAST]), _floats(columns[MOST])
    empty = int((rows - given).sum())
    if empty or np.isnan(sums).any() or np.isinf(most).any() or np.isinf(least).any():
        lost = f"{many(empty)} are missing" if empty else "at least one is NaN or infinite"
        raise BadLabels(f"{what}s must be finite numbers; {lost} in column {name!r}.")
    if rows.size and least.min() < 0:
        raise BadLabels(f"{what}s cannot be negative; got {least.min():g} in column {name!r}.")
    if r.weight is not None:
        squares = _floats(columns[SQUARE])
        if rows.size and (most.max() > 1e100 or ((squares == 0) & (sums > 0)).any()):
            raise BadLabels(
                "weights must lie between 1e-100 and 1e100 (or be 0); scale them, only their ratios matter."
            )
        return sums, squares
    if (sums != np.floor(sums)).any():
        raise BadCounts(f"counts must be whole numbers; column {name!r} holds fractions. For weights give weight=.")
    return sums.astype(np.int64), None


def _floats(values: Any) -> Any:
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "iuf":
        return values.astype(float)
    items = values.tolist() if isinstance(values, np.ndarray) else values
    return np.array([np.nan if x is None else float(x) for x in items])


def check_column(column: str, names: Sequence[str], where: str) -> None:
    """One column that must be there, once."""
    if names.count(column) > 1:
        raise BadLabels(f"column {column!r} of {where} is named twice; every column that is read needs its own name.")
    if column not in names:
        hint = nearest(column, names)
        raise UnknownName(f"no column named {column!r} in {where}.{hint} Columns: {listing(names)}.")


def make(
    *,
    truth: Any = None,
    pred: Any = None,
    by: Any = None,
    weight: Any = None,
    count: Any = None,
    outcome: Any = None,
    score: Any = None,
    threshold: Any = None,
    positive: Any = None,
    labels: Any = None,
    missing: Any = "refuse",
    systems: Sequence[str] = (),
) -> Request:
    """A checked request from what a user gave.

    >>> make(truth="label", pred=["a", "b"], by="region").columns
    ('region', 'label', 'a', 'b')
    """
    given = [name for name, x in (("pred", pred), ("outcome", outcome), ("score", score)) if x is not None]
    if len(given) != 1:
        got = " and ".join(f"{x}=" for x in given) or "none"
        raise BadSetting(f"give one of pred=, outcome= and score=; got {got}.")
    if outcome is not None and not (truth is positive is labels is None):
        raise BadSetting("outcomes have no classes: leave out truth=, positive= and labels=.")
    if outcome is None and truth is None:
        raise BadSetting(f"{given[0]}= needs truth=, the column of the right answers.")
    if weight is not None and count is not None:
        raise BadSetting("give weight= or count=, not both.")
    answers = _names({"pred": pred, "outcome": outcome, "score": score}[given[0]], given[0])
    if given[0] == "score" and len(answers) != 1:
        raise BadSetting("score= takes one column; tally each score on its own.")
    shown = tuple(str(x) for x in systems)
    if shown and (len(shown) != len(answers) or len(set(shown)) != len(shown)):
        raise BadSetting(f"there are {len(answers)} systems but the names {listing(shown)}; each needs its own.")
    return Request(
        None if truth is None else _name(truth, "truth"),
        answers,
        () if by is None else _names(by, "by"),
        None if weight is None else _name(weight, "weight"),
        None if count is None else _name(count, "count"),
        outcome is not None,
        _thresholds(score, threshold),
        positive,
        labels,
        check_missing(missing),
        shown,
    )


def _name(given: Any, option: str) -> str:
    if not isinstance(given, str):
        raise BadSetting(f"{option}= takes the name of a column; got {type(given).__name__}.")
    return given


def _names(given: Any, option: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    if not names:
        raise BadSetting(f"{option}= is empty; name a column or leave it out.")
    for name in names:
        _name(name, option)
        if names.count(name) > 1:
            raise BadSetting(f"{option}= names column {name!r} twice.")
    return names


def _thresholds(score: Any, threshold: Any) -> tuple[float, ...]:
    if score is None:
        if threshold is not None:
            raise BadSetting("threshold= goes with score=, the column it cuts.")
        return ()
    if threshold is None:
        raise BadSetting("score= needs threshold=, one number or a list of them.")
    found = np.atleast_1d(np.asarray(threshold, dtype=object)).ravel().tolist()
    for x in found:
        if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not np.isfinite(x):
            raise BadSetting(f"a threshold is a finite number; got {x!r}.")
    numbers = tuple(float(x) for x in found)
    if not numbers or len(set(numbers)) != len(numbers):
        raise BadSetting(f"thresholds must be one or more different numbers; got {listing(numbers)}.")
    return numbers
