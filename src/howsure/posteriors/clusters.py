"""Clusters: items that belong together are resampled together, for every metric; pass@k of repeated samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.arrays import AnyArray
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.metric import Metric
from howsure.catalogue.repeated import Repeated, is_repeated
from howsure.catalogue.repeated import parse as parse_repeated
from howsure.distributions.stretched import Stretch
from howsure.errors import BadCounts, BadSetting, plural
from howsure.evidence.clusters import Clustered
from howsure.evidence.graded import Graded, Mean
from howsure.evidence.patterns import Patterns
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import classes, label_sets, outcomes, priors
from howsure.posteriors.all_classes import AllClasses
from howsure.posteriors.cells_of_clusters import CellsOfClusters
from howsure.posteriors.class_against_rest import ClassAgainstRest, ClassAmongMany, RightOrWrong
from howsure.posteriors.classes_of_clusters import ClassesOfClusters, LabelsOfClusters
from howsure.posteriors.cluster_prior import ClusterSums, OfClusters
from howsure.posteriors.estimand import Estimand, nothing_shared
from howsure.posteriors.items import MeanOfItems
from howsure.posteriors.label_sets import AllLabels
from howsure.posteriors.over_items import AddedUp, MeanOverItems, OverItems
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.state import State
from howsure.posteriors.unit_prior import SampledUnits
from howsure.posteriors.units import LINES, Ratio, Units

if TYPE_CHECKING:
    pass


# -- repeated samples
#
# Repeated samples: pass@k and all-pass@k, over questions that are clusters of samples which pass or fail.
#
# Each question has one value between 0 and 1, unbiased whatever the number of its samples, and questions are what is
# resampled: so these are graded items, with their distribution and their paired differences (posteriors/items.py).
# The prior is that of clusters whose items pass or fail, such as a rate has: a question stands for n/k groups of k
# samples.


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

    @property
    def unit(self) -> str:
        """What comes next are questions, with as many samples each as these have."""
        return "cluster"

    @property
    def columns(self) -> dict[str, Any]:
        """No more than all questions have."""
        return {}


def pass_at_k(state: State, metric: Repeated, asked: str) -> RepeatedSamples:
    """The measure put to clusters whose items pass or fail."""
    evidence: Clustered = state.evidence
    if evidence.weighted:
        raise BadSetting(f"{metric} counts samples, which have no weights: leave out {option('weight')}.")
    return RepeatedSamples(state, metric, asked)


def _refuse_few(metric: Repeated, part: Patterns, sizes: AnyArray, system: str | None) -> None:
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


# -- clusters
#
# Clusters: items that belong together are resampled together, for every measure of classes, outcomes and label sets.
#
# Each cluster has a weight of its own, an exponential variable (the Bayesian bootstrap over clusters): a system's cells
# are the sums of its items' cells in each cluster, times the weights. The prior has the weights that it has without
# clusters, but each unit of weight is a made-up cluster, and the distribution is stretched
# (posteriors/cluster_prior.py, docs/why/013, docs/why/045, docs: coverage-clusters): with clusters of one item
# nothing changes.


@dataclass(frozen=True, eq=False, repr=False)
class QuotientOfClusters(OfClusters):
    """A mean over items with many labels, or a quotient of sums over all their labels."""

    wholes: tuple[OverItems, ...]

    @cached_property
    def _sums(self) -> tuple[ClusterSums, ...]:
        """Of each system: what every cluster adds above and below the line."""
        found = []
        for system, (part, whole) in enumerate(zip(self.state.evidence.parts, self.wholes, strict=True)):
            found.append(ClusterSums.of_patterns(part.counts, *whole.parts(0), self.items[system]))
        return tuple(found)

    @cached_property
    def _sizes(self) -> AnyArray:
        """Of each system: the items of a unit of prior weight."""
        wholes = zip(self.state.evidence.wholes, self._sums, strict=True)
        return np.array([float(whole.totals) / self.clusters * sums.share for whole, sums in wholes])

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """By the correlation of the items' own values."""
        both = zip(self._ratios, self._sums, strict=True)
        return tuple(self.stretch(ratio.centre, sums.factor) for ratio, sums in both)

    def ratio(self) -> Ratio:
        """Of one system."""
        return replace(self._ratios[0], stretch=self.stretches[0])

    @cached_property
    def _ratios(self) -> tuple[Ratio, ...]:
        """Of each system: clusters, and those of the prior."""
        found = []
        for sums, whole, size in zip(self._sums, self.wholes, self._sizes, strict=True):
            units = Units.seen(np.stack([sums.top, sums.bottom], axis=1)) + whole.atoms().times(size)
            found.append(units.ratio(*LINES))
        return tuple(found)

    def plain_draws(self, n: int, seed: int) -> AnyArray:
        """All systems from the same weights of the clusters."""
        top, bottom = (np.stack(x, axis=1) for x in zip(*((x.top, x.bottom) for x in self._sums), strict=True))
        middles, halves = zip(*(whole.made_up() for whole in self.wholes), strict=True)  # of each system alone
        at, out = (np.concatenate(middles, axis=1), np.concatenate(halves)), []
        for rng, mass in self.masses(n, seed):
            up, down = self.wholes[0].prior_mass(rng, (len(mass), len(self.wholes)), at)
            out.append((mass @ top + self._sizes * up) / (mass @ bottom + self._sizes * down))
        return np.concatenate(out)


# -- the kind


def _inner(state: State) -> Any:
    """The model of the kind of table that every cluster has."""
    name = type(state.evidence.parts[0]).__name__
    return {"Tally": classes, "Outcomes": outcomes, "Multilabel": label_sets}[name]


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """As without clusters, without the most frequent mistakes."""
    del level
    whole = state.evidence.wholes[0]
    return {}, classes.extraction_notes(whole) if _inner(state) is classes else ()


prepare = nothing_shared


def settle_prior(evidence: Clustered, given: Any) -> Prior:
    """A flat prior."""
    made = classes.settle_prior(evidence, refuse_shared(priors.make(given), "clusters are resampled whole"))
    if made.two_level:
        raise BadSetting(f"clusters need a flat prior such as even; got {made.name}.")
    return made


def prior_total(state: State) -> float:
    """As without clusters."""
    return float(_inner(state).prior_total(state.seeing(state.evidence.wholes[0])))


def parse(state: State, name: Any) -> Metric | Repeated:
    """As without clusters; and measures of repeated samples."""
    if is_repeated(name):
        return parse_repeated(name)
    found: Metric = _inner(state).parse(state, name)
    return found


def question(state: State, metric: Metric | Repeated, asked: str) -> Estimand:
    """The way of looking that the measure has without clusters, at whole clusters."""
    if isinstance(metric, Repeated):
        return pass_at_k(state, metric, asked)
    inner = _inner(state)
    wholes = tuple(inner.question(state.seeing(whole), metric, asked) for whole in state.evidence.wholes)
    first = wholes[0]
    if isinstance(first, (ClassAgainstRest, RightOrWrong)) and not isinstance(first, ClassAmongMany):
        each = tuple(inner.question(state.seeing(part), metric, asked) for part in state.evidence.parts)
        return CellsOfClusters(state, metric, asked, wholes, each)
    if isinstance(first, (MeanOverItems, AddedUp)):
        return QuotientOfClusters(state, metric, asked, wholes)
    if isinstance(first, AllLabels):
        return LabelsOfClusters(state, metric, asked, wholes)
    if isinstance(first, AllClasses):
        return ClassesOfClusters(state, metric, asked, wholes)
    raise BadSetting(f"{asked} is not known of clusters; ask for one class, such as {asked.partition(':')[0]}:CLASS.")


def names(state: State) -> list[str]:
    """As without clusters."""
    return list(_inner(state).names(state.seeing(state.evidence.wholes[0])))


def table(state: State) -> list[Any]:
    """As without clusters, every class by its name."""
    listed: list[Any] = []
    every = f":{classes.EVERY}"
    inner = _inner(state)
    whole = inner.table(state.seeing(state.evidence.wholes[0]))
    starred = [m for m in whole if isinstance(m, str) and m.endswith(every)]
    for label in state.evidence.labels:
        listed += [inner.parse(state, m.removesuffix(every)).of(label) for m in starred]
    return [*listed, *(m for m in whole if m not in starred)]


def default(state: State) -> str:
    """As without clusters."""
    return str(_inner(state).default(state.seeing(state.evidence.wholes[0])))


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cells, as shares."""
    classes.refuse_metrics(state, metrics)
    asked = question(state, parse(state, default(state)), default(state))
    if not isinstance(asked, CellsOfClusters):
        raise BadSetting("draws of clusters are of the cells of two classes or of outcomes.")
    parts = list(asked._drawn(n, seed))
    cells = {c: np.concatenate([p[c][:, 0] for p in parts]) for c in CELLS}
    total = sum(cells.values())
    return {c: np.asarray(x / total) for c, x in cells.items() if x.any()}
