"""Runs judged by qrels: metrics of every query, with unjudged documents as bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array, Integers, Mask
from howsure.distributions.ordering import all_falling, changes, single, starts_of
from howsure.distributions.sampling import generator
from howsure.errors import BadLabels, BadSetting
from howsure.evidence.rankings import Judgments, RankedRun
from howsure.io.trec import Qrels, Run
from howsure.messages.language import option
from howsure.ranking.ir_measures_bridge import Foreign
from howsure.ranking.measures import RunMeasure, View

# -- unjudged
#
# Documents that nobody judged, with grades given to them: all the highest, or drawn as often as judged ones have them.
#
# A document has the same grade in every run that retrieved it, and counts among the relevant ones of its query.


VERSIONS: Final = 64  # drawn grades a query; every draw of the posterior takes one of them for each query
WEIGHT: Final = 2.0  # judgments that the rate of all queries is worth for one query


@dataclass(frozen=True, eq=False)
class _Listed:
    """All documents of a run by rank, grades -1 where unjudged, and the number of each in the pool, -1 where judged."""

    ranking: RankedRun
    number: Integers


@dataclass(frozen=True, eq=False)
class Pool:
    """The unjudged documents that any run retrieved, and the runs."""

    judgments: Judgments
    query: Integers
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
    def highest(self) -> Integers:
        """The highest grade there is, for every document."""
        return np.full(len(self.query), max(1, int(self.judgments.grade.max(initial=0))), dtype=np.int64)

    def drawn(self, rng: np.random.Generator) -> Integers:
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
    def _judged(self) -> tuple[Integers, Array]:
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

    def filled(self, grade: Integers) -> tuple[Judgments, list[RankedRun]]:
        """Judgments and rankings once the pool has these grades."""
        rankings = []
        for run in self.runs:
            given = run.ranking.grade
            own = np.where(given >= 0, given, grade[run.number]) if len(grade) else given
            rankings.append(run.ranking.regraded(own))
        return self._whole.regraded(self._falling(grade)), rankings

    def _falling(self, grade: Integers) -> Integers:
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


def _known(
    judged: Sequence[Mapping[str, int]], runs: Sequence[Sequence[Mapping[str, Any]]]
) -> tuple[list[Integers], ...]:
    """For every run the grade of each document, -1 if nobody judged it, and a number that runs share."""
    grade: list[list[Integers]] = [[] for _ in runs]
    number: list[list[Integers]] = [[] for _ in runs]
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


def _by_rank(
    given: Sequence[Mapping[str, Any]], sizes: Integers, grade: Integers, number: Integers, rounded: bool
) -> _Listed:
    """All documents of a run in the order of their ranks."""
    score: AnyArray = np.fromiter(chain.from_iterable(x.values() for x in given), float, int(sizes.sum()))
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


# -- field
#
# Field: judgments and the rankings of all runs, and the values of measures on them.

Asked = RunMeasure | Foreign


@dataclass(frozen=True, eq=False)
class Field:
    """Judgments, and the rankings of all runs."""

    qrels: Qrels
    runs: tuple[Run, ...]
    judgments: Judgments
    rankings: tuple[RankedRun, ...]
    seed: int
    ties: str
    rated: tuple[RunMeasure, ...]  # the measures that take unjudged documents at the rate of the judged
    barren_as_zero: bool  # a query without relevant documents has the value 0, not none
    whole: tuple[RankedRun, ...]  # the rankings of all judged queries, those that are left out too

    @cached_property
    def _views(self) -> dict[Any, Any]:
        return {}

    def views(self, level: int) -> list[View]:
        """Every run with the grade from which documents are relevant."""
        if level not in self._views:
            self._views[level] = [View(self.judgments, r, level) for r in self.rankings]
        return list(self._views[level])

    @cached_property
    def pool(self) -> Pool:
        """The unjudged documents of all runs."""
        return Pool.of(self.qrels.by_query, self.judgments, [run.dicts for run in self.runs], self.ties)

    @cached_property
    def bounded(self) -> tuple[Judgments, list[RankedRun]]:
        """As if every unjudged document had the highest grade."""
        return self.pool.filled(self.pool.highest)

    @cached_property
    def drawn(self) -> dict[RunMeasure, Array]:
        """Values (queries, runs, versions) with grades of unjudged documents drawn at the rates of the judged ones."""
        if not self.judgments.grade.size:
            raise BadLabels(
                "no document has a grade of 0 or more, from which a rate could be taken: "
                f"leave out {option('unjudged', 'rate')}, or give {option('unjudged', 'bounds')}."
            )
        rng = generator(self.seed, 70_001, self.judgments.grade, self.pool.query)
        out: dict[RunMeasure, list[list[Array]]] = {m: [] for m in self.rated}
        for _ in range(VERSIONS):  # one at a time: a version is as large as the runs
            judgments, rankings = self.pool.filled(self.pool.drawn(rng))
            levels = {m.parameters["rel"] for m in self.rated}
            views = {level: [View(judgments, r, level) for r in rankings] for level in levels}
            for m, values in out.items():
                values.append([self._own(m, v) for v in views[m.parameters["rel"]]])
        return {m: np.array(values).transpose(2, 1, 0) for m, values in out.items()}

    def values(self, m: Asked) -> tuple[Array, Array | None, Array | None]:
        """Values (queries, runs), NaN where a query has none; sizes for pooled measures; and versions where drawn."""
        if isinstance(m, Foreign):
            queries = self.judgments.queries
            return np.stack([m.values(self.qrels.by_query, r.dicts, queries) for r in self.runs], axis=1), None, None
        if m.micro:
            tops, sizes = (np.stack(x, axis=1) for x in zip(*map(m.tallies, self._seen(m)), strict=True))
            if not sizes.any(axis=0).all():
                raise BadLabels(f"{m} has nothing to divide by: no documents at all.")
            return np.divide(tops, sizes, out=np.zeros_like(tops), where=sizes > 0), sizes, None
        if m.unjudged == "rate":
            versions = self.drawn[m]
            versions[self._without(m)] = np.nan
            return versions.mean(axis=2), None, versions
        values = np.stack([self._own(m, v) for v in self._seen(m)], axis=1)
        if m.unjudged == "relevant":
            values[self._without(m)] = np.nan
        return values, None, None

    def _own(self, m: RunMeasure, view: View) -> Array:
        """Values of one run."""
        found = m.values(view)
        return np.nan_to_num(found) if self.barren_as_zero and m.recall_based else found

    def _without(self, m: RunMeasure) -> Mask:
        """Queries that the measure itself has no value for: other views leave them out, or could not be compared."""
        plain = [self._own(m.taking("not"), v) for v in self.views(m.parameters["rel"])]
        return np.asarray(np.isnan(plain).any(axis=0))

    def _seen(self, m: RunMeasure) -> list[View]:
        """Every run, as the measure sees unjudged documents."""
        level = m.parameters["rel"]
        if m.unjudged == "not":
            return self.views(level)
        if m.unjudged == "rate":
            raise BadSetting(
                f"{m} pools its tallies, which are not drawn; give {m.taking('relevant')} or {m.taking('not')}."
            )
        judgments, rankings = self.bounded
        return [View(judgments, r, level) for r in rankings]
