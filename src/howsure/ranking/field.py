"""Field: judgments and the rankings of all runs, and the values of measures on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting
from howsure.ingest.trec import Qrels, Run
from howsure.kernels.draws import generator
from howsure.language import option
from howsure.ranking.engine import View
from howsure.ranking.ir_measures_bridge import Foreign
from howsure.ranking.measures import RunMeasure
from howsure.ranking.unjudged import VERSIONS, Pool
from howsure.rankings import Judgments, RankedRun

Array = NDArray[np.float64]
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

    def _without(self, m: RunMeasure) -> NDArray[np.bool_]:
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
