"""Documents that nobody judged, with grades given to them: all the highest, or drawn as often as judged ones have them.

A document has the same grade in every run that retrieved it, and counts among the relevant ones of its query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np

from howsure.kernels.ordering import changes, single, starts_of
from howsure.rankings import Ints, Judgments, RankedRun, sorted_judgments

VERSIONS: Final = 64  # drawn grades a query; every draw of the posterior takes one of them for each query
WEIGHT: Final = 2.0  # judgments that the rate of all queries is worth for one query


@dataclass(frozen=True, eq=False)
class _Listed:
    """All documents of a run by rank: their queries, ranks, ties, grades (-1 unjudged) and places in the pool."""

    query: Ints
    rank: Ints
    above: Ints
    level: Ints
    grade: Ints
    place: Ints
    retrieved: Ints


@dataclass(frozen=True, eq=False)
class Pool:
    """The unjudged documents that any run retrieved, and the runs."""

    judgments: Judgments
    query: Ints
    runs: tuple[_Listed, ...]

    @staticmethod
    def of(qrels: Mapping[str, Any], judgments: Judgments, runs: Sequence[Mapping[str, Any]], ties: str) -> Pool:
        """From dicts of dicts; documents by score, then by id, both falling."""
        known: list[dict[str, int]] = [{} for _ in judgments.queries]
        count, listed, owner = 0, [], []
        for run in runs:
            parts: list[tuple[Any, ...]] = []
            sizes = []
            for k, q in enumerate(judgments.queries):
                given = run.get(q, {})
                if ties == "float32":
                    given = dict(zip(given, single(list(given.values())).tolist(), strict=True))
                ordered = sorted(given.items(), key=itemgetter(1, 0), reverse=True)
                sizes.append(len(ordered))
                judged, seen = qrels[q], known[k]
                for document, score in ordered:
                    grade = judged.get(document, -1)
                    if grade < 0 and document not in seen:
                        seen[document] = count
                        owner.append(k)
                        count += 1
                    parts.append((k, score, grade, seen.get(document, -1)))
            listed.append(_arrays(parts, np.array(sizes)))
        return Pool(judgments, np.array(owner, dtype=np.int64), tuple(listed))

    @property
    def highest(self) -> Ints:
        """The highest grade there is, for every document."""
        return np.full(len(self.query), max(1, int(self.judgments.grade.max(initial=0))), dtype=np.int64)

    def drawn(self, rng: np.random.Generator) -> Ints:
        """A grade for every document: the rates of its query are drawn first, from a Dirichlet."""
        j = self.judgments
        grades, code = np.unique(j.grade, return_inverse=True)
        counts = np.zeros((len(j.queries), len(grades)))
        np.add.at(counts, (j.query, code), 1.0)
        overall = counts.sum(axis=0) / counts.sum()
        rates = rng.standard_gamma(counts + WEIGHT * overall)
        edges = np.cumsum(rates, axis=1) / rates.sum(axis=1, keepdims=True)
        at = (rng.random(len(self.query))[:, None] > edges[self.query]).sum(axis=1)
        return np.asarray(grades[np.minimum(at, len(grades) - 1)])

    def filled(self, grade: Ints) -> tuple[Judgments, list[RankedRun]]:
        """Judgments and rankings once the pool has these grades."""
        j = self.judgments
        query, grades = np.concatenate([j.query, self.query]), np.concatenate([j.grade, grade])
        rankings = []
        for run in self.runs:
            own = np.where(run.grade >= 0, run.grade, grade[run.place] if len(grade) else 0)
            rankings.append(RankedRun(run.retrieved, run.query, run.rank, own, run.above, run.level))
        return sorted_judgments(j.queries, query, grades), rankings


def _arrays(parts: list[tuple[Any, ...]], sizes: Ints) -> _Listed:
    query, grade, place = (np.fromiter(map(itemgetter(i), parts), np.int64, len(parts)) for i in (0, 2, 3))
    score = np.fromiter(map(itemgetter(1), parts), float, len(parts))
    starts = starts_of(sizes)
    rank = np.arange(len(parts)) - starts[query] + 1
    new = np.flatnonzero(changes(query, score))
    group = np.repeat(np.arange(len(new)), np.diff(new, append=len(parts)))
    level = np.diff(new, append=len(parts))[group] if len(parts) else rank
    above = rank[new][group] - 1 if len(parts) else rank
    return _Listed(query, rank, above, level, grade, place, sizes)
