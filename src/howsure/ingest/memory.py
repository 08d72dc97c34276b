"""Columns in memory as a source: arrays and lists by name, and groups that are grouped once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.ingest import conditions
from howsure.ingest.columns import Array, Column, as_numbers, coded
from howsure.ingest.groups import Groups, added, weighed
from howsure.ingest.keys import NUMPY, Grouping, Key, made
from howsure.ingest.request import check_column


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name; `called` says what they are in messages, `weights` are checked already."""

    columns: Mapping[str, Any]
    weights: NDArray[Any] | None = None
    squares: Array | None = None
    called: str = "the data"
    library: str | None = None
    eager: bool = True

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, list(self.columns), self.called)

    def rows(self, grouping: Grouping, what: str = "weight") -> Groups:
        """Every row a group of its own, in the order given."""
        labels = {k.name: self._labels(k) for k in grouping.labels}
        numbers = {k.name: self._made(k) for k in grouping.keys if k.form != "label"}
        spans = []
        for column in grouping.spans:
            x = self._numbers(column)
            x = np.where(np.isfinite(x), x, np.nan)
            spans.append((x, x))
        every = Groups(labels, *self._amounts(grouping.amount, what), numbers, tuple(spans))
        return every if not grouping.where else every.at(self._chosen(grouping.where))

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        return added(self.rows(grouping, what))

    def distinct(self, grouping: Grouping) -> int:
        """How many there are."""
        return len(self.grouped(grouping))

    def _amounts(self, column: str | None, what: str) -> tuple[NDArray[Any], Array | None]:
        """How many items each row is, or what they weigh, and the squares of weights."""
        if self.weights is not None:
            return self.weights, self.squares
        if column is None:
            return np.ones(len(self), dtype=np.int64), None
        return weighed(column, what, self._numbers(column))

    def _labels(self, key: Key) -> Column:
        given = self.columns[key.column]
        return given if isinstance(given, Column) else coded(given)

    def _numbers(self, column: str) -> Array:
        return as_numbers(self.columns[column], f"column {column!r}")

    def _made(self, key: Key) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(made(key, self._numbers(key.column), NUMPY), dtype=float)

    def _chosen(self, where: Sequence[str]) -> NDArray[np.bool_]:
        names = tuple(self.columns)
        found = np.ones(len(self), dtype=bool)
        for text in where:
            condition = conditions.parse(text, names)
            check_column(condition.column, names, self.called)
            column = coded(self.columns[condition.column])
            holds = np.array([*(condition.holds(x) for x in column.levels), False])
            found &= holds[column.codes]
        return found


def table_of(g: Groups) -> Table:
    """Groups as a source: its columns are called as its keys are."""
    return Table({**g.labels, **g.numbers}, g.counts, g.squares)
