"""Outlook of graded items and of clusters: future units are drawn from those of the pilot, with its own weights.

The weights of the pilot's units are those of the Bayesian bootstrap (Rubin 1981), one set a data set; a data set has n
units taken by these weights, and is judged by the three moments of its law (kernels/three_moments.py), with the prior
that it would have. A difference is put where it is stated: of graded values by moving all differences alike, of
clusters by weighing up those that favour the first system (an exponential tilt, the smallest change that does it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.kernels.three_moments import Sums, above, positive, quantile
from howsure.language import option
from howsure.model.outlook import OfDifference, Seen

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Atoms = tuple[Array, Array, Array]  # shapes, above and below the line, (data sets, atoms) each

MOST: Final = 10**6
_NUMBERS: Final = 4_000_000
_TILTS: Final = 60


@dataclass(frozen=True, eq=False)
class Units:
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


class OfUnits:
    """What has the pace of its units."""

    units: Units
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
    atoms: Callable[[Counts], Atoms]  # the prior's units of each data set
    units: Units

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
        found = quantile(s, 0.5 + 0.5 * level) - quantile(s, 0.5 - 0.5 * level)
        return Seen(np.where(np.isfinite(found) & (s.spread > 0), found, np.inf), None)

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(above the limit)."""
        return Seen(above(self._sums(n, part, fresh), limit), None)


@dataclass(frozen=True, eq=False)
class OfMovedDifferences(OfUnits, OfDifference):
    """Two systems on the same units with graded values: the mean of the differences, moved to what is stated."""

    top: Array  # differences, first less second in the measure's direction, summed by unit
    bottom: Array
    ends: tuple[Array, Array]  # the lowest and the highest difference of an item of each unit
    by: float
    weight: float  # the prior's, on either side together
    units: Units

    def _moved(self, n: int, part: int, fresh: int) -> tuple[Sums, Array]:
        rng, weights = self.units.worlds(part, fresh)
        counts = rng.multinomial(n, weights)
        shift = self.by - (weights @ self.top) / (weights @ self.bottom)
        low = np.where(counts > 0, self.ends[0], np.inf).min(axis=1) + shift
        high = np.where(counts > 0, self.ends[1], -np.inf).max(axis=1) + shift
        largest = np.maximum(np.abs(low), np.abs(high))
        size = (counts @ self.bottom) / n
        at = np.stack([largest - shift, -largest - shift, -shift], axis=1) * size[:, None]
        shapes = np.broadcast_to(self.weight * np.array([0.5, 0.5, 1.0]), at.shape)
        whole = Sums.of(counts.astype(float), self.top, self.bottom)
        return whole.plus(shapes, at, np.broadcast_to(size[:, None], at.shape)), shift

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(the first is better)."""
        s, shift = self._moved(n, part, fresh)
        return Seen(above(s, limit - shift), None)


@dataclass(frozen=True, eq=False)
class OfTiltedDifferences(OfUnits, OfDifference):
    """Two systems in the same clusters: two quotients, their difference by its linear part."""

    tops: tuple[Array, Array]
    bottoms: tuple[Array, Array]
    atoms: tuple[Array, tuple[Array, Array], tuple[Array, Array]]  # shapes, tops, bottoms of the prior's clusters
    by: float
    sign: float  # -1 where lower is better
    units: Units

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(the first is better)."""
        mean, variance, third = self._law(n, part, fresh)
        return Seen(positive(self.sign * mean - limit, variance, self.sign * third), None)

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
