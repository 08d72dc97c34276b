"""What future units with values show: weighted items and clusters of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.distributions.stretched import Stretch
from howsure.distributions.three_moments import Sums, above, positive, quantile
from howsure.errors import BadSetting
from howsure.evidence.graded import Graded
from howsure.messages.language import option
from howsure.posteriors.cluster_prior import stretch_factor, stretch_of_difference
from howsure.posteriors.state import OfDifference, Seen
from howsure.posteriors.unit_prior import UnitPrior

# -- outlook of units
#
# Outlook of graded items and of clusters: future units are drawn from those of the pilot, with its own weights.
#
# The weights of the pilot's units are those of the Bayesian bootstrap (Rubin 1981), one set a data set; a data set has
# n units taken by these weights, and is judged by the three moments of its law (distributions/three_moments.py), with
# the prior and the stretch that it would have. A difference is put where it is stated: of graded values by moving all
# differences alike, of clusters by weighing up those that favour the first system (an exponential tilt, the smallest
# change that does it).

Atoms = tuple[Array, Array, Array]  # shapes, above and below the line, (data sets, atoms) each

MOST: Final = 10**6
_NUMBERS: Final = 4_000_000
_TILTS: Final = 60


@dataclass(frozen=True, eq=False)
class PilotUnits:
    """How the pilot's units are taken: so many data sets of n of them."""

    many: int  # units of the pilot
    seed: int

    @property
    def pace(self) -> int:
        """Data sets that are looked at."""
        return max(256, min(2048, _NUMBERS // self.many))

    def worlds(self, part: int, fresh: int) -> tuple[np.random.Generator, Array]:
        """Weights of the units, one set a data set; the same at every n."""
        rng = np.random.default_rng([self.seed, fresh, 577_215])
        mass = rng.standard_exponential((self.pace // part, self.many))
        return rng, mass / mass.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Stretching:
    """How far distributions of n units are stretched, and in what range the metric is."""

    share: float = 1.0  # of a made-up unit
    bounds: tuple[float, float] = (-np.inf, np.inf)
    part: float = 1.0  # of the units, those that take part in the metric

    def factor(self, n: int) -> float:
        """At n units."""
        return stretch_factor(n * self.part, self.share)


class OfUnits:
    """What has the pace of its units."""

    units: PilotUnits
    exact = False
    most = MOST

    @property
    def pace(self) -> int:
        """As of the units."""
        return self.units.pace


@dataclass(frozen=True, eq=False)
class OfQuotient(OfUnits):
    """One system: a quotient of what units have above and below the line."""

    top: Array
    bottom: Array
    atoms: Callable[[Integers], Atoms]  # the prior's units of each data set
    units: PilotUnits
    stretching: Stretching = Stretching()

    def _stretch(self, s: Sums, n: int) -> Stretch:
        return Stretch(s.middle, self.stretching.factor(n), *self.stretching.bounds)

    def _sums(self, n: int, part: int, fresh: int) -> Sums:
        rng, weights = self.units.worlds(part, fresh)
        counts = rng.multinomial(n, weights)
        return Sums.of(counts.astype(float), self.top, self.bottom).plus(*self.atoms(counts))

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """Of the equal-tailed interval."""
        if interval == "hdi":
            raise BadSetting(
                f"a plan of graded values or of clusters is for equal-tailed intervals: leave out {option('interval')}."
            )
        s = self._sums(n, part, fresh)
        high, low = (self._stretch(s, n)(quantile(s, 0.5 + side * 0.5 * level)) for side in (1, -1))
        found = high - low
        return Seen(np.where(np.isfinite(found) & (s.spread > 0), found, np.inf), None)

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(above the limit)."""
        s = self._sums(n, part, fresh)
        return Seen(above(s, self._stretch(s, n).undo(np.full(len(s.t), limit))), None)


@dataclass(frozen=True, eq=False)
class OfMovedDifferences(OfUnits, OfDifference):
    """Two systems on the same units with graded values: the mean of the differences, moved to what is stated."""

    top: Array  # differences, first less second in the measure's direction, summed by unit
    bottom: Array
    ends: tuple[Array, Array]  # the lowest and the highest difference of an item of each unit
    by: float
    weight: float  # the prior's, on either side together
    units: PilotUnits
    prior: UnitPrior
    stretching: Stretching = Stretching()

    def _moved(self, n: int, part: int, fresh: int) -> tuple[Sums, Array]:
        rng, weights = self.units.worlds(part, fresh)
        counts = rng.multinomial(n, weights)
        shift = self.by - (weights @ self.top) / (weights @ self.bottom)
        low = np.where(counts > 0, self.ends[0], np.inf).min(axis=1) + shift
        high = np.where(counts > 0, self.ends[1], -np.inf).max(axis=1) + shift
        largest = self.prior.largest_of_many(np.maximum(np.abs(low), np.abs(high)))
        size = (counts @ self.bottom) / n * self.stretching.share
        at = np.stack([largest - shift, -largest - shift, -shift], axis=1) * size[:, None]
        shapes = np.broadcast_to(self.weight * np.array([0.5, 0.5, 1.0]), at.shape)
        whole = Sums.of(counts.astype(float), self.top, self.bottom)
        return whole.plus(shapes, at, np.broadcast_to(size[:, None], at.shape)), shift

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(the first is better)."""
        s, shift = self._moved(n, part, fresh)
        stretch = stretch_of_difference(s.middle + shift, self.stretching.factor(n), self.stretching.bounds)
        return Seen(above(s, stretch.undo(np.full(len(shift), limit)) - shift), None)


@dataclass(frozen=True, eq=False)
class OfTiltedDifferences(OfUnits, OfDifference):
    """Two systems in the same clusters: two quotients, their difference by its linear part."""

    tops: tuple[Array, Array]
    bottoms: tuple[Array, Array]
    atoms: tuple[Array, tuple[Array, Array], tuple[Array, Array]]  # shapes, tops, bottoms of the prior's clusters
    by: float
    sign: float  # -1 where lower is better
    units: PilotUnits
    stretching: Stretching = Stretching()

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(the first is better)."""
        mean, variance, third = self._law(n, part, fresh)
        stretch = stretch_of_difference(self.sign * mean, self.stretching.factor(n), self.stretching.bounds)
        at = stretch.undo(np.full(len(mean), limit))
        return Seen(positive(self.sign * mean - at, variance, self.sign * third), None)

    def _law(self, n: int, part: int, fresh: int) -> tuple[Array, Array, Array]:
        rng, weights = self.units.worlds(part, fresh)
        counts = rng.multinomial(n, self._tilted(weights)).astype(float)
        shapes, tops, bottoms = self.atoms
        whole = np.concatenate([counts, np.broadcast_to(shapes, (len(counts), len(shapes)))], axis=1)
        both = [np.concatenate(x) for x in zip((*self.tops, *self.bottoms), (*tops, *bottoms), strict=True)]
        mean, slope = _slopes(whole, both[:2], both[2:])
        return mean, np.maximum((whole * slope**2).sum(axis=1), 1e-300), 2.0 * (whole * slope**3).sum(axis=1)

    def _tilted(self, weights: Array) -> Array:
        """Weights under which the systems differ as stated."""
        wanted = self.sign * self.by
        _, slope = _slopes(weights, self.tops, self.bottoms)
        scale = np.maximum(np.abs(slope).max(axis=1, keepdims=True), 1e-300)
        lean, low, high = slope / scale, np.full(len(weights), -40.0), np.full(len(weights), 40.0)
        for _ in range(_TILTS):
            middle = 0.5 * (low + high)
            enough = self._gap(weights, lean, middle) >= wanted
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        if (np.abs(self._gap(weights, lean, high) - wanted) > 1e-6).mean() > 0.1:
            raise BadSetting(
                f"a difference of {self.by:g} is out of reach of these clusters, however they are weighed."
            )
        return self._weighed(weights, lean, high)

    def _weighed(self, weights: Array, lean: Array, tilt: Array) -> Array:
        logs = np.log(np.maximum(weights, 1e-300)) + tilt[:, None] * lean
        mass = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def _gap(self, weights: Array, lean: Array, tilt: Array) -> Array:
        w = self._weighed(weights, lean, tilt)
        one, two = ((w @ t) / (w @ b) for t, b in zip(self.tops, self.bottoms, strict=True))
        return np.asarray(one - two)


def _slopes(
    shapes: Array, tops: Array | list[Array] | tuple[Array, ...], bottoms: Array | list[Array] | tuple[Array, ...]
) -> tuple[Array, Array]:
    """The difference of two quotients, and how it follows each unit, (data sets, units)."""
    ratios, slopes = [], []
    for top, bottom in zip(tops, bottoms, strict=True):
        below = (shapes @ bottom)[:, None]
        ratio = (shapes @ top)[:, None] / below
        ratios.append(ratio[:, 0])
        slopes.append((top - ratio * bottom) / below)
    return ratios[0] - ratios[1], slopes[0] - slopes[1]


# -- outlook of items
#
# Outlook of graded items, such as queries: future ones have values of the pilot's, by the Bayesian bootstrap.

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
        return future_difference(self.items, self.prior, self._weight, by, seed, disagreement, stated)


def of_one(items: Graded, prior: UnitPrior, weight: float, seed: int, stated: Any) -> OfQuotient:
    """The mean of one system; `weight` is the prior's on either end of the values."""
    items = _one_by_one(items, stated)
    if len(items.systems) != 1:
        raise BadSetting(f"a plan for the mean of one system needs a pilot of one; this has {len(items.systems)}.")
    sums, sizes, _ = items.units
    least, most = _by_unit(items, items.values[:, 0])

    def atoms(counts: Integers) -> tuple[Array, Array, Array]:
        """The prior's two ends in each data set."""
        low = np.where(counts > 0, least, np.inf).min(axis=1)
        high = np.where(counts > 0, most, -np.inf).max(axis=1)
        at = np.stack(prior.ends_of_many(low, high), axis=1)
        size = np.repeat(counts @ sizes / counts.sum(axis=1, keepdims=True), 2, axis=1) * prior.shares[0]
        return np.full(at.shape, weight), at * size, size

    stretching = Stretching(float(prior.stretch_shares[0]) if weight else 1.0, items.bounds or (-np.inf, np.inf))
    return OfQuotient(sums[:, 0], sizes[:, 0], atoms, PilotUnits(len(sums), seed), stretching)


def future_difference(
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
    units = PilotUnits(len(sums), seed)
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
