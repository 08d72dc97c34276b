"""The prior of a mean over units: where its made-up units are, how large they are, and how far the mean is stretched.

Units are graded items, clusters of graded items, or questions with several samples each. Graded items have the prior
of model/graded_prior.py, and are stretched unless all values are at the bounds. Clusters have the same with the sizes
of model/cluster_prior.py. The values of questions are averages over groups of k samples, so that a question counts as a
cluster of n/k items: pass@1 of equal numbers of samples has the prior of their rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.evidence.graded import Graded
from howsure.kernels.stretched import Stretch
from howsure.kernels.weights import added_at
from howsure.model.cluster_prior import ClusterSums, difference_share, of_difference, stretch_factor
from howsure.model.graded_prior import Ends, centres, ends, ends_of_many, largest, spread_share, spreads

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class UnitPrior:
    """The prior of graded items, or of clusters of them; `seen` are the values that have a part in the mean."""

    items: Graded
    seen: Array

    # -- where made-up units are

    def ends(self, system: int) -> Ends:
        """Of the mean of one system."""
        return ends(self.seen[:, system], self.items.bounds)

    def ends_of_many(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Of many data sets, from the least and the greatest value of each."""
        return ends_of_many(low, high, self.items.bounds)

    def around(self) -> tuple[Array, Array]:
        """Of several systems together: middles (choices, systems), and how far above or below them a system is."""
        half = 0.5 * spreads(self.seen, self.items.bounds)
        middle = centres(self.seen, self.items.bounds, 2 * float(half.max()))
        return np.outer(middle, np.ones(len(half))), half

    @cached_property
    def largest(self) -> float:
        """Of a difference of two systems."""
        return largest(self.seen, self.items.bounds)

    def largest_of_many(self, found: Array) -> Array:
        """Of many data sets, from the largest difference of each."""
        return found

    # -- how large they are

    @property
    def mean_size(self) -> Array:
        """The mean size of a unit of each system: 1 for items that count alike."""
        if self.items.sizes is not None:
            return np.asarray(np.maximum(self.items.sizes.mean(axis=0), 1e-300))
        size = 1.0 if self.items.clusters is None else float(self.items.units[1].mean())
        return np.full(len(self.items.systems), size)

    @cached_property
    def shares(self) -> Array:
        """A made-up unit of each system, as a share of the mean one."""
        if self.items.clusters is None:
            return np.ones(len(self.items.systems))
        return np.array([self._sums(s).share for s in range(len(self.items.systems))])

    @property
    def sizes(self) -> Array:
        """The size of a made-up unit of each system."""
        return self.mean_size * self.shares

    @cached_property
    def gap_share(self) -> float:
        """A made-up unit on which two systems differ, as a share of the mean one: against how items differ."""
        gaps = np.abs(self.items.values[:, 0] - self.items.values[:, 1])
        if self.items.clusters is None or not gaps.any():
            return 1.0
        typical = float((self._counts @ gaps**2) / (self._counts @ gaps))
        sums, sizes, _ = self.items.units
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = (sums[:, 0] - sums[:, 1]) / sizes[:, 0] / typical
        return difference_share(np.nan_to_num(gap), sizes[:, 0], self._item / float(self.mean_size[0]))

    # -- how far the mean is stretched

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.items.units[0])

    @property
    def _bounds(self) -> Ends:
        return self.items.bounds or (-np.inf, np.inf)

    def stretch(self, system: int, weight: float) -> Stretch:
        """Of one system: around the mean of the values and of the prior's two ends, which have this weight."""
        (sums, sizes, shapes), more = self.items.units, weight * float(self.sizes[system])
        top = shapes @ sums[:, system] + more * sum(self.ends(system))
        bottom = shapes @ np.broadcast_to(sizes, sums.shape)[:, system] + 2.0 * more
        factor = stretch_factor(self.worth, float(self.stretch_shares[system])) if weight else 1.0
        return Stretch(float(top / bottom), factor, *self._bounds)

    @cached_property
    def worth(self) -> float:
        """How many units of equal weight there are."""
        if self.items.clusters is not None:
            return float(self.units)
        w = self._counts
        return float(w.sum()) / self._item

    @cached_property
    def stretch_shares(self) -> Array:
        """The share of clusters, times that of the spread of values."""
        values = self.items.values.T
        own = [spread_share(x[~np.isnan(x)], self._counts[~np.isnan(x)], self.items.bounds) for x in values]
        return np.asarray(self.shares * np.array(own))

    def gap_stretch(self, top: Array, bottom: Array, shapes: Array) -> Stretch:
        """Of the difference of two systems: around the mean of the differences and of the prior's atoms."""
        centre = float((shapes @ top) / (shapes @ bottom))
        return of_difference(centre, stretch_factor(self.units, self.gap_share), self._bounds)

    # -- clusters

    @property
    def _counts(self) -> Array:
        """What each row counts."""
        alike = np.ones(len(self.items.values)) if self.items.counts is None else self.items.counts
        return alike if self.items.weights is None else self.items.weights / self.items.weights.mean()

    @property
    def _item(self) -> float:
        """What one item counts."""
        w = self._counts
        return 1.0 if self.items.weights is None else float((w * w).sum() / w.sum())

    def _sums(self, system: int) -> ClusterSums:
        """Values by cluster, as places between the ends of the prior."""
        low, high = self.ends(system)
        value = (self.items.values[:, system] - low) / ((high - low) or 1.0)
        w, at = self._counts, np.asarray(self.items.clusters)
        n, top, square = (added_at(at, x, int(at.max()) + 1) for x in (w, w * value, w * value**2))
        return ClusterSums(n, top, n, (square, top, n), self._item)


@dataclass(frozen=True, eq=False)
class SampledUnits(UnitPrior):
    """The prior of questions with several samples each: the values are averages over groups of k samples."""

    groups: Array  # samples of each question over k, (questions, systems)

    def ends(self, system: int) -> Ends:
        """The ends of the range."""
        del system
        return 0.0, 1.0

    def ends_of_many(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The ends of the range."""
        return np.zeros_like(low), np.ones_like(high)

    def around(self) -> tuple[Array, Array]:
        """At either end."""
        half = np.full((1, len(self.items.systems)), 0.5)
        return half, half[0]

    @cached_property
    def largest(self) -> float:
        """The whole range."""
        return 1.0

    def largest_of_many(self, found: Array) -> Array:
        """The whole range."""
        return np.ones_like(found)

    @cached_property
    def shares(self) -> Array:
        """As of clusters of n/k items."""
        both = zip(self.items.values.T, self.groups.T, strict=True)
        return np.array([ClusterSums.of_hits(value * n, n).share for value, n in both])

    @property
    def stretch_shares(self) -> Array:
        """As of clusters of n/k items."""
        return self.shares

    @cached_property
    def gap_share(self) -> float:
        """As of clusters of n/k items."""
        one, two = self.items.values.T
        return difference_share(one - two, np.ones(len(one)), 1.0 / float(self.groups.mean()))
