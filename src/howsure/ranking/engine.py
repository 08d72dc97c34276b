"""What the measures of rankings are made of, for all queries of a run at once: flat arrays, no loop over documents.

Only judged documents are looked at: every measure depends on their ranks, on how many documents were retrieved and on
the grades of all judged documents, retrieved or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.kernels.ordering import falling_maximum, starts_of, within_segments
from howsure.rankings import Ints, Judgments, RankedRun

Array = NDArray[np.float64]

STEEPEST = 1000  # of grades under exponential gain: 2^grade stays within floating point


@dataclass(frozen=True, eq=False)
class View:
    """One run against the judgments, with the grade from which a document is relevant."""

    judgments: Judgments
    ranking: RankedRun
    level: int = 1

    @property
    def many(self) -> int:
        """The number of queries."""
        return len(self.judgments.queries)

    @cached_property
    def relevant(self) -> Ints:
        """Relevant documents of each query, retrieved or not."""
        return self.judgments.relevant(self.level)

    @cached_property
    def nonrelevant(self) -> Ints:
        """Documents of each query that were judged not relevant."""
        return self.judgments.judged - self.relevant

    @cached_property
    def hit(self) -> NDArray[np.bool_]:
        """Which of the judged documents retrieved are relevant."""
        return np.asarray(self.ranking.grade >= self.level)

    @cached_property
    def query(self) -> Ints:
        """The query of each relevant document retrieved."""
        return self.ranking.query[self.hit]

    @cached_property
    def rank(self) -> Ints:
        """Its rank."""
        return self.ranking.rank[self.hit]

    @cached_property
    def number(self) -> Ints:
        """Which one it is among the relevant documents of its query: 1, 2, …"""
        return within_segments(self.query, self.many) + 1

    @cached_property
    def found(self) -> Ints:
        """Relevant documents retrieved for each query."""
        return np.bincount(self.query, minlength=self.many)

    def sums(self, values: Any, kept: Any = None) -> Array:
        """Sums over the relevant documents retrieved, for each query."""
        query = self.query if kept is None else self.query[kept]
        return np.asarray(np.bincount(query, values if kept is None else values[kept], self.many), dtype=float)

    def hits(self, cutoff: float | None) -> Array:
        """Relevant documents among the first so many."""
        if cutoff is None:
            return self.found.astype(float)
        return np.asarray(np.bincount(self.query[self.rank <= cutoff], minlength=self.many), dtype=float)

    @cached_property
    def precision(self) -> Array:
        """Precision at each relevant document retrieved."""
        return self.number / self.rank

    @cached_property
    def interpolated(self) -> Array:
        """The highest precision from each relevant document retrieved on."""
        return falling_maximum(self.precision, self.query)

    def precision_from(self, needed: Ints) -> Array:
        """The highest precision once so many relevant documents are found; 0 where they never are."""
        at = starts_of(self.found)[:-1] + np.maximum(needed, 1) - 1
        there = np.maximum(needed, 1) <= self.found
        out = np.zeros(self.many)
        out[there] = self.interpolated[at[there]]
        return out

    @cached_property
    def worse_before(self) -> Ints:
        """Documents judged not relevant ahead of each relevant one."""
        place = within_segments(self.ranking.query, self.many)[self.hit]
        return place - (self.number - 1)

    def gained(self, cutoff: float | None, exponential: bool) -> tuple[Array, Array]:
        """Discounted cumulative gain of each query, and the greatest possible: gain / log2(rank + 1)."""
        j, r = self.judgments, self.ranking
        got = _discounted(r.query, r.rank, r.grade, r.discount, cutoff, exponential, self.many)
        return got, _discounted(j.query, j.place, j.grade, j.discount, cutoff, exponential, self.many)

    def spread_hits(self, cutoff: Ints) -> Array:
        """Relevant documents among the first so many of each query, tied scores sharing their ranks equally."""
        above, level = self.ranking.above[self.hit], self.ranking.level[self.hit]
        share = np.clip((cutoff[self.query] - above) / level, 0.0, 1.0)
        return self.sums(share)

    def graded(self, cutoff: float | None) -> tuple[Ints, Ints, Ints]:
        """Ranks, grades and queries of the documents among the first so many that have a grade above 0."""
        r = self.ranking
        kept = r.grade > 0 if cutoff is None else (r.grade > 0) & (r.rank <= cutoff)
        return r.rank[kept], r.grade[kept], r.query[kept]

    def judged_hits(self, cutoff: float | None) -> Array:
        """Judged documents among the first so many."""
        r = self.ranking
        kept = r.query if cutoff is None else r.query[r.rank <= cutoff]
        return np.asarray(np.bincount(kept, minlength=self.many), dtype=float)


def _discounted(
    query: Ints, rank: Ints, grade: Ints, discount: Array, cutoff: float | None, exponential: bool, many: int
) -> Array:
    kept = grade > 0 if cutoff is None else (grade > 0) & (rank <= cutoff)
    gain = grade[kept].astype(float)
    if exponential:
        if gain.max(initial=0.0) > STEEPEST:
            raise BadSetting(
                f"a grade of {gain.max():g} is too high for exponential gain, 2^grade - 1; give dcg='log2'."
            )
        gain = np.exp2(gain) - 1.0
    return np.asarray(np.bincount(query[kept], gain / discount[kept], many), dtype=float)


def share(top: Any, bottom: Any) -> Array:
    """top/bottom, and 0 where nothing could be found."""
    top, bottom = np.asarray(top, dtype=float), np.asarray(bottom, dtype=float)
    out = np.zeros(np.broadcast_shapes(top.shape, bottom.shape))
    return np.asarray(np.divide(top, bottom, out=out, where=bottom != 0))
