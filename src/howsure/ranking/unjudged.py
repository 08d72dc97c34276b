"""Documents that nobody judged, with grades given to them: all the highest, or drawn as often as judged ones have them.

A document has the same grade in every run that retrieved it, and counts among the relevant ones of its query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.ordering import all_falling, changes, single, starts_of
from howsure.rankings import Ints, Judgments, RankedRun

Array = NDArray[np.float64]

VERSIONS: Final = 64  # drawn grades a query; every draw of the posterior takes one of them for each query
WEIGHT: Final = 2.0  # judgments that the rate of all queries is worth for one query


@dataclass(frozen=True, eq=False)
class _Listed:
    """All documents of a run by rank, grades -1 where unjudged, and the number of each in the pool, -1 where judged."""

    ranking: RankedRun
    number: Ints


@dataclass(frozen=True, eq=False)
class Pool:
    """The unjudged documents that any run retrieved, and the runs."""

    judgments: Judgments
    query: Ints
    runs: tuple[_Listed, ...]

    @staticmethod
    def of(qrels: Mapping[str, Any], judgments: Judgments, runs: Sequence[Mapping[str, Any]], ties: str) -> Pool:
        """From dicts of dicts; documents by score, then by id, both falling."""
        given = [[run.get(q, {}) for q in judgments.queries] for run in runs]
        sizes = [np.fromiter(map(len, x), np.int64, len(x)) for x in given]
        grade, number = _known([qrels[q] for q in judgments.queries], given)
        listed = []
        for documents, size, g, k in zip(given, sizes, grade, number, strict=True):
            listed.append(_by_rank(documents, size, g, k, ties == "float32"))
        every = np.concatenate([x.number for x in listed])
        asked = np.concatenate([np.where(x.ranking.grade < 0, x.ranking.query, -1) for x in listed])
        first = np.unique(every, return_index=True)[1]  # where each document is seen first: run, query, rank
        first = np.sort(first[asked[first] >= 0])
        place = np.full(int(every.max(initial=-1)) + 1, -1)
        place[every[first]] = np.arange(len(first))
        own = tuple(_Listed(x.ranking, np.where(x.ranking.grade < 0, place[x.number], -1)) for x in listed)
        return Pool(judgments, asked[first], own)

    @property
    def highest(self) -> Ints:
        """The highest grade there is, for every document."""
        return np.full(len(self.query), max(1, int(self.judgments.grade.max(initial=0))), dtype=np.int64)

    def drawn(self, rng: np.random.Generator) -> Ints:
        """A grade for every document: the rates of its query are drawn first, from a Dirichlet."""
        grades, counts = self._judged
        overall = counts.sum(axis=0) / counts.sum()
        rates = rng.standard_gamma(counts + WEIGHT * overall)
        edges = np.cumsum(rates, axis=1) / rates.sum(axis=1, keepdims=True)
        chance = rng.random(len(self.query))
        at = np.zeros(len(chance), dtype=np.intp)
        for edge in edges[:, :-1].T:  # the last is 1
            at += chance > edge[self.query]
        return np.asarray(grades[at])

    @cached_property
    def _judged(self) -> tuple[Ints, Array]:
        """The grades that were given, and how often in each query."""
        j = self.judgments
        grades, code = np.unique(j.grade, return_inverse=True)
        counts = np.bincount(j.query * len(grades) + code, minlength=len(j.queries) * len(grades))
        return grades, counts.reshape(len(j.queries), -1).astype(float)

    @cached_property
    def _whole(self) -> Judgments:
        """All documents of each query, judged or in the pool, whatever their grades."""
        j = self.judgments
        query = np.sort(np.concatenate([j.query, self.query]))
        return Judgments(j.queries, query, np.zeros(len(query), dtype=np.int64))

    def filled(self, grade: Ints) -> tuple[Judgments, list[RankedRun]]:
        """Judgments and rankings once the pool has these grades."""
        rankings = []
        for run in self.runs:
            given = run.ranking.grade
            own = np.where(given >= 0, given, grade[run.number]) if len(grade) else given
            rankings.append(run.ranking.regraded(own))
        return self._whole.regraded(self._falling(grade)), rankings

    def _falling(self, grade: Ints) -> Ints:
        """The grades of all documents of each query, the highest first; counted, since they are few."""
        j, many = self.judgments, len(self.judgments.queries)
        grades = np.unique(np.append(self._judged[0], self.highest[:1]))[::-1]
        code = np.zeros(int(grades[0]) + 1, dtype=np.int64)
        code[grades] = np.arange(len(grades))
        counts = sum(
            np.bincount(query * len(grades) + code[x], minlength=many * len(grades))
            for query, x in ((j.query, j.grade), (self.query, grade))
        )
        return np.repeat(np.tile(grades, many), counts)


def _known(judged: Sequence[Mapping[str, int]], runs: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[list[Ints], ...]:
    """For every run the grade of each document, -1 if nobody judged it, and a number that runs share."""
    grade: list[list[Ints]] = [[] for _ in runs]
    number: list[list[Ints]] = [[] for _ in runs]
    count = 0
    for k, grades in enumerate(judged):
        here = [run[k] for run in runs]
        names = here[0] if len(here) == 1 else dict.fromkeys(chain.from_iterable(here))
        of = dict(zip(names, range(count, count + len(names)), strict=True))
        count += len(names)
        for documents, own, numbers in zip(here, grade, number, strict=True):
            own.append(np.fromiter(map(grades.get, documents, repeat(-1)), np.int64, len(documents)))
            numbers.append(np.fromiter(map(of.__getitem__, documents), np.int64, len(documents)))
    return [np.concatenate(x) for x in grade], [np.concatenate(x) for x in number]


def _by_rank(given: Sequence[Mapping[str, Any]], sizes: Ints, grade: Ints, number: Ints, rounded: bool) -> _Listed:
    """All documents of a run in the order of their ranks."""
    score: NDArray[Any] = np.fromiter(chain.from_iterable(x.values() for x in given), float, int(sizes.sum()))
    score = single(score) if rounded else score
    query, starts = np.repeat(np.arange(len(sizes)), sizes), starts_of(sizes)
    order = np.arange(len(score)) if all_falling(score, sizes) else np.lexsort((-score, query))
    new = np.flatnonzero(changes(query, score[order]))
    level = np.diff(new, append=len(score))
    for at, many in zip(new[level > 1].tolist(), level[level > 1].tolist(), strict=True):
        tied = order[at : at + many]
        names = list(given[query[at]])
        order[at : at + many] = sorted(tied.tolist(), key=lambda i: names[i - starts[query[at]]], reverse=True)
    rank = np.arange(len(score)) - starts[query] + 1
    above, level = np.repeat(rank[new] - 1, level), np.repeat(level, level)
    return _Listed(RankedRun(sizes, query, rank, grade[order], above, level), number[order])
