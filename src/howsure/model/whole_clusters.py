"""A metric of whole clusters: what all ways of looking at clusters have in common.

Each cluster has a weight of its own, an exponential variable (the Bayesian bootstrap over clusters), shared by all
systems. The distribution is then stretched around its centre (model/cluster_prior.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.kernels.draws import stream
from howsure.kernels.stretched import Stretch
from howsure.model.question import Gap, NextScore, Question, drawn_gap
from howsure.model.sampling import apart, difference_law, sampled_law
from howsure.notes import Note, Notes, note

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]

STREAM: Final = 80_021
CHUNK: Final = 4_000_000  # weights of clusters drawn at a time
ROUNDING: Final = 1e-12
_TAKEN: Final = "accuracy, rates and measures of one class, such as f1:CLASS, where there are clusters"


@dataclass(frozen=True, eq=False, repr=False)
class OfClusters(Question):
    """A measure of whole clusters; `wholes` are the same measure of each system's table over all clusters."""

    metric: Metric
    wholes: tuple[Any, ...]

    @cached_property
    def score(self) -> Array:
        """The measure of the items themselves."""
        self.state.evidence.single()
        found: Array = self.wholes[0].score
        return found

    @cached_property
    def items(self) -> tuple[float, ...]:
        """Of each system: the weight of one item, Σw²/Σw where items have weights."""
        parts = self.state.evidence.parts
        return tuple(1.0 if x.squares is None else float(x.squares.sum() / x.counts.sum()) for x in parts)

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """How the distribution of each system is stretched."""
        raise self._unasked("a stretch")

    def stretch(self, centre: Array, factor: float) -> Stretch:
        """Around a centre, in the range of the metric."""
        return Stretch(float(centre), factor, *self.metric.bounds)

    def plain_draws(self, n: int, seed: int) -> Array:
        """Draws of all systems from the same weights of the clusters, before they are stretched."""
        del n, seed
        raise self._unasked("draws")

    def joint_draws(self, n: int, seed: int) -> Array:
        """Draws of all systems from the same weights of the clusters."""
        x = self.plain_draws(n, seed)
        return np.stack([s(column) for s, column in zip(self.stretches, x.T, strict=True)], axis=1)

    @property
    def clusters(self) -> int:
        """How many there are."""
        found: int = self.state.evidence.clusters
        return found

    def law(self) -> tuple[Law, str]:
        """By draws."""
        self.state.evidence.single()
        return sampled_law(self.state, self.metric.bounds, self.draws, 1, self.most_draws), "sampled"

    @property
    def most_draws(self) -> int:  # type: ignore[override]
        """What the budget allows."""
        return max(10_000, min(400_000, 40_000_000 // self.clusters))

    @property
    def cost(self) -> int:
        """Numbers handled a draw."""
        return self.clusters

    def masses(self, n: int, seed: int) -> Iterator[tuple[np.random.Generator, Array]]:
        """Weights of the clusters, some draws at a time, and the stream they are from."""
        own = stream(seed, [part.counts for part in self.state.evidence.parts])
        rng = np.random.Generator(np.random.SFC64([own, STREAM]))
        size = max(1, CHUNK // self.cost)
        for start in range(0, n, size):
            yield rng, rng.standard_exponential((min(size, n - start), self.clusters))

    def next_score(self, n: int) -> NextScore:
        """Refused, but for measures of sums over items."""
        del n
        raise self._unpredicted(_TAKEN)

    def next_difference(self, n: int) -> NextScore:
        """The same of two systems."""
        del n
        raise self._unpredicted(_TAKEN)

    def difference(self) -> Gap:
        """By joint draws."""
        n = min(self.most_draws, self.state.wanted_draws(1.3))
        law = difference_law(self.metric.bounds, self._gap_draws(n, self.state.seed))
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return apart(first, second)

    def matches(self, other: Question) -> None:
        """As of the tables over all clusters."""
        if not isinstance(other, OfClusters):
            raise BadSetting("evidence with clusters can only be compared with evidence with clusters.")
        self.wholes[0].matches(other.wholes[0])

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they know no clusters."""
        raise BadSetting("these tests need independent items, not clusters of them.")

    @property
    def prior_note(self) -> Note | None:
        """The weights without clusters, each unit a cluster."""
        inner = self.wholes[0].prior_note
        return None if inner is None else note("prior", clusters=True, **dict(inner.facts))

    @property
    def remarks(self) -> Notes:
        """That whole clusters are resampled, and what they are worth."""
        own = [*self.state.evidence.notes, note("clusters", count=self.clusters)]
        if self.state.evidence.weighted:
            own.append(note("weighted", of="clusters"))
        if len(self.wholes) == 1:
            own += self._design()
        return tuple(own)

    def _design(self) -> Notes:
        """The design effect: the variance of the measure over that of as many independent items."""
        effect = self.design_effect
        if not np.isfinite(effect) or effect <= 0:
            return ()
        n = self._worth
        (name,) = self.state.evidence.systems
        of = self.asked if name == "system" else f"{self.asked} of {name}"
        return (
            note("design-effect", of=(of,), effect=(effect,), worth=(n / effect,), items=n, clusters=self.clusters),
        )

    @property
    def _worth(self) -> float:
        """The number of items; of weighted ones Kish's effective size."""
        part = self.state.evidence.parts[0]
        total = float(part.counts.sum())
        return total if part.squares is None else total**2 / float(part.squares.sum())

    @property
    def design_effect(self) -> float:
        """NaN where it is not known."""
        return float("nan")


def influence(by_cluster: Array, whole: Array, squares: Array, slope: Array) -> float:
    """Σ over clusters of (Σ slope)², over Σ over items of slope²: by the linear part of a measure at its cells."""
    with np.errstate(all="ignore"):
        together = float(((by_cluster @ slope) ** 2).sum())
        alone = float((squares * slope**2).sum())
        items = max(float(whole.sum()), 1.0)
    usual = max(float(np.abs(slope).max(initial=0.0)), 1.0 / items)  # one item moves a measure by about 1/n
    return together / alone if alone > ROUNDING * items * usual**2 else float("nan")
