"""Rankings of documents for many queries, and what judges said of the documents: flat arrays sorted by query."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.ordering import order_by, within_segments

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Judgments:
    """Grades of the judged documents of every query, from 0; sorted by query, the highest grade first.

    Documents with a negative grade were in the pool but not judged (trec_eval): they are left out here.
    """

    queries: tuple[str, ...]
    query: Integers
    grade: Integers

    @cached_property
    def place(self) -> Integers:
        """The rank of each judged document in an ideal ranking, from 1."""
        return within_segments(self.query, len(self.queries)) + 1

    @cached_property
    def discount(self) -> Array:
        """log2(rank + 1) of the ideal ranking."""
        return np.asarray(np.log2(self.place + 1.0))

    @cached_property
    def judged(self) -> Integers:
        """Judged documents of each query."""
        return np.bincount(self.query, minlength=len(self.queries))

    def only(self, kept: Mask) -> Judgments:
        """The judgments of some of the queries."""
        if kept.all():
            return self
        here = kept[self.query]
        names = tuple(q for q, k in zip(self.queries, kept.tolist(), strict=True) if k)
        return Judgments(names, (np.cumsum(kept) - 1)[self.query[here]], self.grade[here])

    def regraded(self, grade: Integers) -> Judgments:
        """As many documents of each query with other grades, falling; what depends on their number is kept."""
        return _keeping(self, Judgments(self.queries, self.query, grade), "place", "discount", "judged")

    def relevant(self, level: int) -> Integers:
        """Documents of each query with this grade or a higher one."""
        return np.bincount(self.query[self.grade >= level], minlength=len(self.queries))


@dataclass(frozen=True, eq=False)
class RankedRun:
    """The judged documents that one run retrieved, sorted by query and rank (from 1), and how many it retrieved.

    `above` and `level` count the documents of a higher and of the same score, the document itself among the latter.
    """

    retrieved: Integers
    query: Integers
    rank: Integers
    grade: Integers
    above: Integers
    level: Integers
    facts: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def discount(self) -> Array:
        """log2(rank + 1) of each document."""
        return np.asarray(np.log2(self.rank + 1.0))

    def only(self, kept: Mask) -> RankedRun:
        """The ranking of some of the queries."""
        if kept.all():
            return self
        code = np.cumsum(kept) - 1
        here = kept[self.query]
        rank, grade, above, level = (x[here] for x in (self.rank, self.grade, self.above, self.level))
        return RankedRun(self.retrieved[kept], code[self.query[here]], rank, grade, above, level, self.facts)

    def regraded(self, grade: Integers) -> RankedRun:
        """The same documents with other grades; what depends on their ranks is kept."""
        made = RankedRun(self.retrieved, self.query, self.rank, grade, self.above, self.level, self.facts)
        return _keeping(self, made, "discount")


def _keeping(old: T, new: T, *names: str) -> T:
    """The new one with cached properties of the old."""
    new.__dict__.update({name: getattr(old, name) for name in names})
    return new


def sorted_judgments(queries: tuple[str, ...], query: Integers, grade: Integers) -> Judgments:
    """Judgments in any order, negative grades among them, as Judgments."""
    seen = grade >= 0
    query, grade = query[seen], grade[seen]
    order = order_by(query, grade.max(initial=0) - grade)
    return Judgments(queries, query[order], grade[order])
