"""Repeated samples: pass@k and all-pass@k, over questions that are clusters of samples which pass or fail.

Each question has one value between 0 and 1, unbiased whatever the number of its samples, and questions are what is
resampled: so these are graded items, with their distribution and their paired differences (model/items.py). The prior
is that of clusters whose items pass or fail, such as a rate has: a question stands for n/k groups of k samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from howsure.catalogue.repeated import Repeated
from howsure.errors import BadCounts, BadSetting, plural
from howsure.evidence.clusters import Clustered
from howsure.evidence.graded import Graded, Mean
from howsure.evidence.layout import Array
from howsure.evidence.patterns import Patterns
from howsure.kernels.stretched import Stretch
from howsure.language import option
from howsure.model.items import MeanOfItems
from howsure.model.question import NextScore
from howsure.model.state import State
from howsure.model.unit_prior import SampledUnits
from howsure.notes import Note, Notes, note


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedSamples(MeanOfItems):
    """The mean over questions of what k of their samples show."""

    metric: Repeated  # type: ignore[assignment]

    @cached_property
    def observed(self) -> Graded:
        """Questions with their values, one column per system."""
        evidence: Clustered = self.state.evidence
        columns = []
        for name, part in zip(evidence.systems, evidence.parts, strict=True):
            passed, failed = part.right_wrong(effective=False)
            _refuse_few(self.metric, part, passed + failed, name if len(evidence.systems) > 1 else None)
            pairs, at = np.unique(np.stack([passed + failed, passed], axis=1), axis=0, return_inverse=True)
            columns.append(self.metric.values(pairs[:, 0], pairs[:, 1])[np.ravel(at)])
        measure = Mean(called=self.metric.name, bounds=self.metric.bounds)
        return Graded(np.stack(columns, axis=1), evidence.systems, measure=measure, bounds=self.metric.bounds)

    @cached_property
    def prior(self) -> SampledUnits:
        """That of clusters of n/k items."""
        samples = np.stack([np.asarray(part.totals, dtype=float) for part in self.state.evidence.parts], axis=1)
        return SampledUnits(self.items, self._seen, samples / self.metric.k)

    @property
    def prior_note(self) -> Note | None:
        """As of a rate of these clusters."""
        if self.state.prior.name != "even":
            return None
        return note("prior", rule="hits", clusters=True)

    @property
    def remarks(self) -> Notes:
        """That questions are what is resampled, and what sets pass@1 apart from the rate."""
        evidence: Clustered = self.state.evidence
        own = [*evidence.notes, note("clusters", count=evidence.clusters)]
        sizes = np.concatenate([np.ravel(part.totals) for part in evidence.parts])
        if self.metric.k == 1 and np.ptp(sizes):
            own.append(note("samples-differ", of=self.metric.name, least=int(sizes.min()), most=int(sizes.max())))
        return tuple(own)

    def _next(self, n: int, parts: tuple[Array, Array, Array], by: Stretch) -> NextScore:
        """What comes next are questions, with as many samples each as these have."""
        return replace(super()._next(n, parts, by), unit="cluster")

    @property
    def columns(self) -> dict[str, Any]:
        """No more than all questions have."""
        return {}


def question(state: State, metric: Repeated, asked: str) -> RepeatedSamples:
    """The measure put to clusters whose items pass or fail."""
    evidence: Clustered = state.evidence
    if evidence.weighted:
        raise BadSetting(f"{metric} counts samples, which have no weights: leave out {option('weight')}.")
    return RepeatedSamples(state, metric, asked)


def _refuse_few(metric: Repeated, part: Patterns, sizes: Array, system: str | None) -> None:
    """k samples cannot be taken from fewer."""
    few = np.flatnonzero(sizes < metric.k)
    if not len(few):
        return
    (name, coordinates), first = part.batch[0], int(few[np.argmin(sizes[few])])
    here, least = coordinates[first], int(sizes[first])
    of = "" if system is None else f" of {system}"
    more = f", and {plural(len(few) - 1, 'other has', 'others have')} fewer than {metric.k:,}" if len(few) > 1 else ""
    base = metric.name.partition("@")[0]
    way = f"Ask for {base}@{least} at most" if least else f"Leave it out with {option('where')}"
    raise BadCounts(
        f"{metric} needs {metric.k:,} samples of every question; {name} {here!r}{of} has {least:,}{more}. {way}, "
        "or take more samples."
    )
