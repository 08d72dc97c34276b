"""Columns in memory as a source: arrays and lists by name, and groups that are grouped once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import AnyArray, Array, Mask
from howsure.evidence.protocol import Account
from howsure.io import where as conditions
from howsure.io.columns import Column, as_numbers, coded
from howsure.io.groups import NUMPY, Grouping, Groups, Key, added, made, weighed
from howsure.io.request import check_column


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name; `called` says what they are in messages, `weights` are checked already.

    `sizes` tells how many rows of the data each row is, and `account` what became of the others.
    """

    columns: Mapping[str, Any]
    weights: AnyArray | None = None
    squares: Array | None = None
    called: str = "the data"
    library: str | None = None
    eager: bool = True
    sizes: AnyArray | None = None
    account: Account | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def names(self) -> list[str]:
        """The columns that there are."""
        return list(self.columns)

    heading = names

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows."""
        return {x: list(self.columns[x][:rows]) for x in columns}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, self.names(), self.called)

    def rows(self, grouping: Grouping, what: str = "weight") -> Groups:
        """Every row a group of its own, in the order given."""
        labels = {k.name: self._labels(k) for k in grouping.labels}
        numbers = {k.name: self._made(k) for k in grouping.keys if k.form != "label"}
        spans = []
        for column in grouping.spans:
            x = self._numbers(column, apart=True)
            x = np.where(np.isfinite(x), x, np.nan)
            spans.append((x, x))
        account = self.account or Account(len(self), {}, grouping.where)
        sizes = np.ones(len(self), dtype=np.int64) if self.sizes is None else self.sizes
        kept, unreadable = self._judged(grouping)
        lost = self._lost(grouping) & kept
        amounts = self._amounts(grouping.amount, what, kept & ~lost)
        account = account.without("where", (~kept & ~unreadable).sum()).without(
            "missing", unreadable.sum() + lost.sum()
        )
        every = Groups(labels, *amounts, numbers, tuple(spans), sizes, account, int(lost.sum()))
        return every if (kept & ~lost).all() else every.at(kept & ~lost)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        return added(self.rows(grouping, what))

    def distinct(self, grouping: Grouping) -> int:
        """How many there are."""
        return len(self.grouped(grouping))

    def _lost(self, grouping: Grouping) -> Mask:
        """Which rows have no amount and are to be left out for that."""
        if self.weights is not None or grouping.amount is None or not grouping.drop:
            return np.zeros(len(self), dtype=bool)
        return np.isnan(self._numbers(grouping.amount))

    def _amounts(self, column: str | None, what: str, used: Mask) -> tuple[AnyArray, Array | None]:
        """How many items each row is, or what they weigh, and the squares of weights; 0 for rows that are not used."""
        if self.weights is not None:
            return self.weights, self.squares
        if column is None:
            return np.ones(len(self), dtype=np.int64), None
        return weighed(column, what, np.where(used, self._numbers(column), 0.0))

    def _labels(self, key: Key) -> Column:
        given = self.columns[key.column]
        return given if isinstance(given, Column) else coded(given)

    def _numbers(self, column: str, apart: bool = False) -> Array:
        return as_numbers(self.columns[column], f"column {column!r}", apart=apart)

    def _made(self, key: Key) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(made(key, self._numbers(key.column, key.form == "number"), NUMPY), dtype=float)

    def _judged(self, grouping: Grouping) -> tuple[Mask, Mask]:
        """Which rows fulfil the conditions, and which cannot be told; these are refused where they are not dropped."""
        names = tuple(self.columns)
        if not grouping.where:
            return np.ones(len(self), dtype=bool), np.zeros(len(self), dtype=bool)
        judged = []
        for text in grouping.where:
            c = conditions.parse(text, names)
            check_column(c.column, names, self.called)
            given = self.columns[c.column]
            if isinstance(given, np.ndarray) and given.dtype == np.float32 and c.number is not None:
                c = replace(c, number=c.single)
            column = _levels(given, c)
            said = [c.judge(x) for x in column.levels]
            at = np.array([*(-1 if x is None else int(x) for x in said), 0])[column.codes]
            judged.append((c, column, at))
        each = np.array([at for _, _, at in judged])
        unreadable = (each != 0).all(axis=0) & (each < 0).any(axis=0)
        if unreadable.any() and not grouping.drop:
            row = int(np.flatnonzero(unreadable)[0])
            c, column, _ = next(x for x in judged if x[2][row] < 0)
            conditions.refuse_unreadable(c, column.levels[column.codes[row]])
        return np.asarray((each > 0).all(axis=0)), np.asarray(unreadable)


def table_of(g: Groups) -> Table:
    """Groups as a source: its columns are called as its keys are."""
    return Table({**g.labels, **g.numbers}, g.counts, g.squares, sizes=g.sizes, account=g.account)


def _levels(given: Any, c: conditions.Condition) -> Column:
    """The distinct values as they are: numbers of any size, and dates as dates."""
    if isinstance(given, Column):
        return given
    if isinstance(given, np.ndarray) and given.dtype.kind in "iubf":
        return coded(given)
    if isinstance(given, np.ndarray) and given.dtype.kind == "M":
        levels, at = np.unique(given, return_inverse=True)
        return Column(tuple(levels), at.reshape(-1).astype(np.int64))
    place: dict[Any, int] = {}
    try:
        codes = [place.setdefault((type(x), x), len(place)) for x in given]
    except TypeError:
        conditions.refuse_nested(c, "records" if any(isinstance(x, Mapping) for x in given) else "lists")
    return Column(tuple(x for _, x in place), np.array(codes, dtype=np.int64))
