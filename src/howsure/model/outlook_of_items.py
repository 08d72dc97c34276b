"""Outlook of graded items, such as queries: future ones have values of the pilot's, by the Bayesian bootstrap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.evidence.graded import Graded
from howsure.language import option
from howsure.model.outlook_of_units import OfMovedDifferences, OfQuotient, Stretching, Units
from howsure.model.unit_prior import UnitPrior

Array = NDArray[np.float64]

MOST_UNITS: Final = 20_000


class PlannedItems:
    """What a question of graded items can tell of items to come."""

    items: Any
    prior: Any
    _weight: Any  # the prior's, on either end of the values

    def outlook(self, seed: int, stated: Array | None = None) -> OfQuotient:
        """By moments."""
        return of_one(self.items, self.prior, self._weight, seed, stated)

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> OfMovedDifferences:
        """The differences of the items, moved to the mean difference that is stated."""
        return of_difference(self.items, self.prior, self._weight, by, seed, disagreement, stated)


def of_one(items: Graded, prior: UnitPrior, weight: float, seed: int, stated: Any) -> OfQuotient:
    """The mean of one system; `weight` is the prior's on either end of the values."""
    items = _one_by_one(items, stated)
    if len(items.systems) != 1:
        raise BadSetting(f"a plan for the mean of one system needs a pilot of one; this has {len(items.systems)}.")
    sums, sizes, _ = items.units
    least, most = _by_unit(items, items.values[:, 0])

    def atoms(counts: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        """The prior's two ends in each data set."""
        low = np.where(counts > 0, least, np.inf).min(axis=1)
        high = np.where(counts > 0, most, -np.inf).max(axis=1)
        at = np.stack(prior.ends_of_many(low, high), axis=1)
        size = np.repeat(counts @ sizes / counts.sum(axis=1, keepdims=True), 2, axis=1) * prior.shares[0]
        return np.full(at.shape, weight), at * size, size

    stretching = Stretching(float(prior.stretch_shares[0]) if weight else 1.0, items.bounds or (-np.inf, np.inf))
    return OfQuotient(sums[:, 0], sizes[:, 0], atoms, Units(len(sums), seed), stretching)


def of_difference(
    items: Graded, prior: UnitPrior, weight: float, by: float, seed: int, disagreement: Any, stated: Any
) -> OfMovedDifferences:
    """The mean difference of two systems, the first better by so much."""
    items = _one_by_one(items, stated)
    if disagreement is not None:
        raise BadSetting(f"graded values differ by amounts, not in answers: leave out {option('disagreement')}.")
    if len(items.systems) != 2:
        raise BadSetting("a difference of graded values needs a pilot of two systems on the same items.")
    sums, sizes, _ = items.units
    sign = -1.0 if items.measure.better == "lower" else 1.0
    gaps = sign * (items.values[:, 0] - items.values[:, 1])
    if not np.ptp(gaps) > 0:
        raise BadSetting("the two systems differ by the same on every item: such a pilot tells nothing of the spread.")
    top, stretching = sign * (sums[:, 0] - sums[:, 1]), Stretching(prior.gap_share, items.bounds or (-np.inf, np.inf))
    units = Units(len(sums), seed)
    return OfMovedDifferences(top, sizes[:, 0], _by_unit(items, gaps), by, weight, units, prior, stretching)


def _one_by_one(items: Graded, stated: Any) -> Graded:
    """Items that count alike, each with one value, and a row of its own."""
    if stated is not None:
        raise BadSetting(f"graded values need a pilot: {option('expected')} is for tables and rates.")
    if items.weighted:
        raise BadSetting(f"a pilot of a plan is of items that count alike: leave out {option('weight')}.")
    if items.sizes is not None or items.versions is not None:
        raise BadSetting("a pilot of graded values is of items that count alike, each with one value.")
    if items.counts is None:
        return items
    at = np.repeat(np.arange(len(items.values)), items.counts.astype(np.int64))
    if len(at) > MOST_UNITS:
        raise BadSetting(f"a pilot of graded values has {MOST_UNITS:,} items at most; this one has {len(at):,}.")
    clusters = None if items.clusters is None else items.clusters[at]
    return replace(items, values=items.values[at], counts=None, ids=None, clusters=clusters, rest=())


def _by_unit(items: Graded, values: Array) -> tuple[Array, Array]:
    """The least and the greatest of the values of each unit, an item or a cluster."""
    at = items.clusters
    if at is None:
        return values, values
    low, high = (np.full(int(at.max()) + 1, x) for x in (np.inf, -np.inf))
    np.minimum.at(low, at, values)
    np.maximum.at(high, at, values)
    return low, high
