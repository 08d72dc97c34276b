"""Priors of units with values: two ends for a mean, three atoms for a difference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array
from howsure.distributions.sampling import atoms, coin_shares
from howsure.distributions.stretched import Stretch
from howsure.distributions.weights import added_at
from howsure.evidence.graded import Graded
from howsure.posteriors.cluster_prior import ClusterSums, difference_share, stretch_factor, stretch_of_difference

# -- graded prior
#
# The prior of graded values, read off the values seen: two ends for a mean, three atoms for a difference.
#
# A mean has weight on the smallest and on the largest value seen, each moved a tenth of the way to its bound. A
# difference of two systems is evidence of its own: half of that weight on plus and on minus the largest difference
# seen, the whole of it on none. The mean is then stretched (posteriors/unit_prior.py). On values of 0 and 1 these are
# the rules of a rate, of pairs of outcomes and of wins.
#
# Many systems have made-up items c ± δ/2, with a fair sign of its own for each system: every pair has the three atoms
# above, at (δ + δ)/2, whatever c is.

Ends = tuple[float, float]

STEP: Final = 0.1  # of the way from the values seen to their bound
LEFT: Final = 1e-6  # of the mass of made-up items, for the last of them
ROUNDING: Final = 16 * float(np.finfo(float).eps)


def spread_share(values: Array, weights: Array, bounds: Ends | None) -> float:
    """The variance of values, over that of values at the bounds with the same mean; 0 without bounds.

    Items that are right or wrong have 1 and need no stretch: Student's t is for values whose spread is estimated. So
    have values that are all the same, whose prior is on the bounds.

    >>> values = np.array([0.25, 0.75])
    >>> spread_share(values, np.ones(2), (0.0, 1.0)), spread_share(np.round(values), np.ones(2), (0.0, 1.0))
    (0.25, 1.0)
    """
    if bounds is None or not np.isfinite(np.subtract(*bounds)):
        return 0.0
    if np.isin(values, bounds).all():  # exactly, whatever rounding makes of the quotient below: 13 of 14 gave 1 - 4e-15
        return 1.0
    values, share = values[weights > 0], weights[weights > 0] / weights.sum()
    mean = float(share @ values)
    spread, most = float(share @ (values - mean) ** 2), (mean - bounds[0]) * (bounds[1] - mean)
    return spread / most if 0 < spread < (1.0 - ROUNDING) * most and not alike(values) else 1.0


def alike(values: Array) -> bool:
    """Whether all values are the same, but for rounding; NaN stands for no value."""
    low, high = _span(values)
    return not high - low > ROUNDING * max(abs(low), abs(high))


def ends(values: Array, bounds: Ends | None) -> Ends:
    """Where a mean has the prior's weight: the values seen, a tenth further out; the bounds where all are the same.

    >>> ends(np.array([0.2, 0.7]), (0.0, 1.0)), ends(np.array([2.0, 4.0]), None)
    ((0.18, 0.73), (1.8, 4.2))
    """
    low, high = _span(values)
    if bounds is None:
        step = STEP * (high - low)
        return low - step, high + step
    if alike(values):
        return bounds
    return low + STEP * (bounds[0] - low), high + STEP * (bounds[1] - high)


def ends_of_many(low: Array, high: Array, bounds: Ends | None) -> tuple[Array, Array]:
    """The same of many data sets, from the least and the greatest value of each."""
    if bounds is None:
        step = STEP * (high - low)
        return low - step, high + step
    same = ~(high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high)))
    return (
        np.where(same, bounds[0], low + STEP * (bounds[0] - low)),
        np.where(same, bounds[1], high + STEP * (bounds[1] - high)),
    )


def largest(values: Array, bounds: Ends | None) -> float:
    """Where the difference of two systems has the prior's weight: at the largest difference seen, (items, 2).

    Where all are 0: at the range of the bounds, or else of the values.
    """
    return float(_largest_of(values, 0)[1]) or _whole(values, bounds)


def spreads(values: Array, bounds: Ends | None) -> Array:
    """δ of each of several systems, (systems,): the lower median of its largest differences from the others.

    One system far from all others does not widen what is put between these.
    """
    found = np.empty(values.shape[1])
    for k in range(len(found)):
        each = _largest_of(values, k)
        some = np.sort(each[each > 0])
        found[k] = some[(len(some) - 1) // 2] if len(some) else _whole(values, bounds)
    return found


def _largest_of(values: Array, k: int) -> Array:
    """The largest differences of one system from each, (systems,); those by rounding are none."""
    one = values[:, [k]]
    gaps = np.abs(values - one)
    gaps[~(gaps > ROUNDING * (np.abs(values) + np.abs(one)))] = 0.0
    return np.asarray(gaps.max(axis=0, initial=0.0))


def _whole(values: Array, bounds: Ends | None) -> float:
    low, high = _span(values) if bounds is None else bounds
    return high - low


def centres(values: Array, bounds: Ends | None, widest: float) -> Ends:
    """c of the made-up items, either of two: so that c ± δ/2 lies within the ends of all values seen."""
    low, high = ends(values, bounds)
    if bounds is not None and widest > high - low:
        low, high = bounds
    half = 0.5 * min(widest, high - low)
    return low + half, high - half


def made_up_means(rng: np.random.Generator, n: int, weight: float, middle: Array, half: Array) -> Array:
    """n draws of the mean of made-up items of this weight in all, (n, systems), by stick-breaking.

    Each is at one of the middles (one or two of them, systems), plus or minus half by a coin of each system.
    """
    up, far = np.zeros((n, len(half))), np.zeros((n, 1))
    (parts,), rest = atoms(rng, np.array([weight]), n, LEFT)
    for part in parts[:, :, None]:
        up += part * rng.integers(0, 2, up.shape, dtype=np.int8)
        far += part * rng.integers(0, 2, far.shape, dtype=np.int8)
    if rest is not None:
        for coins in (up, far):
            coins += rest.T * coin_shares(rng, 0.5 * weight, 0.5 * weight, coins.shape)
    return np.asarray(middle[0] + far * (middle[-1] - middle[0]) + (2 * up - 1) * half)


def _span(values: Array) -> Ends:
    """The least and the greatest value; NaN stands for no value."""
    return float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))


# -- unit prior
#
# The prior of a mean over units: where its made-up units are, how large they are, and how far the mean is stretched.
#
# Units are graded items, clusters of graded items, or questions with several samples each. Graded items have the prior
# of posteriors/unit_prior.py, and are stretched unless all values are at the bounds. Clusters have the same with the
# sizes of posteriors/cluster_prior.py. The values of questions are averages over groups of k samples, so that a
# question counts as a cluster of n/k items: pass@1 of equal numbers of samples has the prior of their rate.


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
        return stretch_of_difference(centre, stretch_factor(self.units, self.gap_share), self._bounds)

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
