"""The prior of clusters: made-up clusters, how many items each stands for, and the stretch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.catalogue.metric import Metric
from howsure.distributions.alike import deal_sums
from howsure.distributions.sampling import stream
from howsure.distributions.stretched import Stretch
from howsure.errors import BadSetting
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.units import MetricOfUnits

if TYPE_CHECKING:
    pass


# -- cluster prior
#
# The prior of clusters: how many items a unit of prior weight stands for, and how far a distribution is stretched.
#
# A unit of prior weight is a made-up cluster. If all items of a cluster are alike, it is as large as the clusters seen.
# If items are independent, it is a single item. In between it has 1 + (s - 1)·correlation items, s being the mean size
# of a cluster and the correlation an estimate from the data. Few clusters tell less than as many independent items: the
# distribution is stretched around its centre by Student's t of the clusters over Student's t of the independent items
# they are worth (docs/why/045).


ROUNDING: Final = 1e-12  # of the disagreement between all items, what rounding may leave within clusters
TAIL: Final = 0.975  # Student's t of the usual interval


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Of each cluster: its items, their sums above and below the line of a quotient, and those of squares."""

    items: Array
    top: Array
    bottom: Array
    squares: tuple[Array, Array, Array]  # of top², top·bottom and bottom²
    item: float = 1.0  # what one item counts: Σw²/Σw where items have weights

    @classmethod
    def of_hits(cls, hits: Array, items: Array, item: float = 1.0) -> ClusterSums:
        """Right and wrong items."""
        return cls(items, hits, items, (hits, hits, items), item)

    @classmethod
    def of_patterns(cls, counts: Array, top: Array, bottom: Array, item: float = 1.0) -> ClusterSums:
        """Items of patterns that add so much above and below the line; `counts` is (clusters, patterns)."""
        squares = counts @ top**2, counts @ (top * bottom), counts @ bottom**2
        return cls(counts.sum(axis=1), counts @ top, counts @ bottom, squares, item)

    @property
    def clusters(self) -> int:
        """How many clusters have items."""
        return int((self.items > 0).sum())

    @property
    def size(self) -> float:
        """The mean number of items of a cluster that has any."""
        return float(self.items.sum()) / self.item / max(self.clusters, 1)

    @property
    def correlation(self) -> float:
        """The correlation of the items of one cluster."""
        total, below = float(self.items.sum()), float(self.bottom.sum())
        if not below:
            return 1.0
        p = float(self.top.sum()) / below
        each = self.squares[0] - 2.0 * p * self.squares[1] + p * p * self.squares[2]
        away = ((self.top - p * self.bottom) / self.item) ** 2
        return _correlation(self.items / self.item, each / self.item, away, (below / total) ** 2)

    @property
    def share(self) -> float:
        """A made-up cluster, as a share of the mean cluster."""
        return share_of(self.correlation, self.size) if self.clusters else 1.0

    @property
    def factor(self) -> float:
        """How far the distribution of the quotient is stretched."""
        return stretch_factor(self.clusters, self.share)


def _correlation(items: Array, each: Array, away: Array, one: float) -> float:
    """One minus the disagreement within clusters over the disagreement expected of independent items.

    `each` are squared residuals of the items, summed by cluster; `away` squares of the sums of residuals. `one` is the
    disagreement of one more item, so that a single one that differs is no proof: 1 where none are seen to differ.
    """
    here = items > 0
    n, each, away = items[here], each[here], away[here]
    total = float(n.sum())
    within, all_items = float((each - away / n).sum()), float(each.sum())
    if within <= ROUNDING * all_items:
        return 1.0
    expected = (all_items / total + float(away.sum()) / total**2) * (total - len(n)) + one
    return float(np.clip(1.0 - within / expected, 0.0, 1.0))


def pattern_correlation(counts: Array, item: float = 1.0) -> float:
    """The correlation of items of several patterns, from their numbers in each cluster, (clusters, patterns).

    >>> pattern_correlation(np.array([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]))
    1.0
    """
    counts = counts / item
    n = counts.sum(axis=1)
    p = counts.sum(axis=0) / n.sum()
    each = counts.sum(axis=1) - 2.0 * counts @ p + n * float(p @ p)
    return _correlation(n, each, ((counts - np.outer(n, p)) ** 2).sum(axis=1), 2.0)


def share_of(correlation: float, size: float) -> float:
    """A made-up cluster of 1 + (size - 1)·correlation items, as a share of `size`; clusters of one item have one."""
    return 1.0 - max(1.0 - 1.0 / size, 0.0) * (1.0 - correlation)


def difference_share(gap: Array, size: Array, floor: float) -> float:
    """A made-up cluster on which two systems differ wholly, as a share of the mean cluster.

    `gap` is the difference of the systems in each cluster, as a share of the largest there can be, and is averaged with
    itself and the size for weights; one more cluster differs wholly. The `floor` is the share of one item.
    """
    part = size > 0
    apart = np.abs(gap[part]) * (size[part] / size[part].mean()) if part.any() else np.zeros(0)
    many = int((apart > 0).sum())
    if not many:
        return 1.0
    typical = float((apart**2).sum() / apart.sum())
    return float(np.clip((many * typical + 1.0) / (many + 1.0), min(floor, 1.0), 1.0))


def stretch_factor(clusters: float, share: float) -> float:
    """Student's t of so many clusters over that of the independent items they are worth; 1 where these are equal.

    The Bayesian bootstrap of k units has the variance of k + 1, the estimate from them that of k - 1: both roots enter.

    >>> stretch_factor(80, 1.0), round(stretch_factor(20, 0.1), 4)
    (1.0, 1.1103)
    """
    if clusters < 2 or share >= 1.0:
        return 1.0
    from scipy.special import stdtrit

    worth = clusters / max(share, 1e-12)
    ratio = float(stdtrit(clusters - 1.0, TAIL) / stdtrit(worth - 1.0, TAIL))
    return ratio * float(np.sqrt((clusters + 1.0) / (clusters - 1.0) * (worth - 1.0) / (worth + 1.0)))


def stretch_of_difference(centre: Array | float, factor: float, bounds: tuple[float, float]) -> Stretch:
    """The stretch of a difference of two values between these bounds."""
    low, high = bounds
    return Stretch(centre, factor, low - high, high - low)


def stretch_pair(draws: Array, stretch: Stretch) -> Array:
    """Draws of two systems, (draws, 2), whose difference is stretched; their mean stays."""
    if stretch.is_none:
        return draws
    middle, half = draws.mean(axis=1), 0.5 * stretch(draws[:, 0] - draws[:, 1])
    return np.stack([middle + half, middle - half], axis=1)


# -- whole clusters
#
# A metric of whole clusters: what all ways of looking at clusters have in common.
#
# Each cluster has a weight of its own, an exponential variable (the Bayesian bootstrap over clusters), shared by all
# systems. The distribution is then stretched around its centre (posteriors/cluster_prior.py).

STREAM: Final = 80_021
CHUNK: Final = 4_000_000  # weights of clusters drawn at a time
_TAKEN: Final = "accuracy, rates and measures of one class, such as f1:CLASS, where there are clusters"


@dataclass(frozen=True, eq=False, repr=False)
class OfClusters(MetricOfUnits):
    """A measure of whole clusters; `wholes` are the same measure of each system's table over all clusters."""

    metric: Metric
    wholes: tuple[Any, ...]

    @property
    def unit(self) -> str:
        """Whole clusters."""
        return "cluster"

    def refuse(self) -> None:
        """Refuse several systems."""
        self.state.evidence.single()

    @cached_property
    def score(self) -> Array:
        """The measure of the items themselves."""
        self.state.evidence.single()
        found: Array = self.wholes[0].score
        return found

    def dealt_scores(self, sizes: Integers, rng: np.random.Generator) -> Array:
        """The scores of parts of so many clusters taken at random."""
        (part,), whole = self.state.evidence.parts, self.wholes[0]
        counts = deal_sums(part.counts.astype(float), None, None, sizes, rng)
        dealt = replace(part, counts=counts, squares=None, batch=(("part", range(len(sizes))),))
        found: Array = replace(whole, state=whole.state.seeing(dealt)).score
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

    def stretch(self, centre: Array | float, factor: float) -> Stretch:
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

    def _unpredicted(self, takes: str = _TAKEN) -> BadSetting:
        return super()._unpredicted(takes)

    @property
    def gap_size(self) -> int:
        """What the budget allows."""
        return min(self.most_draws, super().gap_size)

    def matches(self, other: Estimand) -> None:
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
