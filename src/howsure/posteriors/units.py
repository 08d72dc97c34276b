"""Units with Gamma weights, and the ratio of two linear forms of their summed features.

Model: a unit is what is sampled as a whole, such as an item, a cluster, a document or a pair of values. Its features
are sums over what it holds. Each unit has an independent Gamma weight, whose shape is how often such a unit occurred;
with shapes 1 this is the Bayesian bootstrap (Rubin 1981). The prior adds made-up units, its atoms, each kind its own.
Statement: P(Σ top·G / Σ bottom·G <= t) = P(Σ (top - t·bottom)·G <= 0).
Routes: equal pairs (top, bottom) are one Gamma; two of them have a closed form, three an integral, more a contour. The
difference of two ratios over the same units is such a ratio itself where both have the same denominators.
Few units tell less than as many independent items would: the distribution may be stretched around its centre.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.distributions.stretched import Stretch, stretched
from howsure.distributions.weights import ALIKE, added_at, gamma_of
from howsure.messages.notes import Notes
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand, Gap, NextScore, drawn_gap, exact_gap
from howsure.posteriors.future_items import called, divided, drawn_score, number_of_draws, sums_scores, wider
from howsure.posteriors.routes import linear_groups_law
from howsure.posteriors.sampling import apart, difference_law, sampled_law
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law

LINES: Final = ((1.0, 0.0), (0.0, 1.0))  # the ratio of two features


@dataclass(frozen=True, eq=False)
class Units:
    """What each unit adds to the sums that a metric looks at, (units, features), and the shape of its weight."""

    features: Array
    shapes: Array

    @classmethod
    def seen(cls, features: Array, counts: Array | None = None) -> Units:
        """Units that occurred so often; each once without counts."""
        return cls(features, np.ones(len(features)) if counts is None else counts)

    def __add__(self, atoms: Units) -> Units:
        """The same with the prior's units; those of no weight are left out."""
        kept = atoms.shapes > 0
        features = np.concatenate([self.features, atoms.features[kept]])
        return Units(features, np.concatenate([self.shapes, atoms.shapes[kept]]))

    def times(self, size: Any) -> Units:
        """The same units, so many times as large."""
        return Units(self.features * size, self.shapes)

    def ratio(self, top: Any, bottom: Any, stretch: Stretch | None = None) -> Ratio:
        """The ratio of two linear forms of the summed features."""
        return Ratio(self.features @ np.asarray(top), self.features @ np.asarray(bottom), self.shapes, stretch)


@dataclass(frozen=True, eq=False)
class Ratio:
    """The posterior of Σ top·G / Σ bottom·G: what units and the prior's atoms add above and below the line."""

    top: Array
    bottom: Array
    shapes: Array
    stretch: Stretch | None = None
    weighed: bool = False  # whether units are items with weights, equal values of which are one Gamma

    @property
    def centre(self) -> float:
        """The ratio at the mean of all weights."""
        return float((self.top @ self.shapes) / (self.bottom @ self.shapes))

    def law(self) -> tuple[Law, str]:
        """The distribution, stretched, and how it is computed."""
        kept = (self.bottom > 0) & (self.shapes > 0)
        found = (weighed_mean_law if self.weighed else mean_law)(self.top[kept], self.bottom[kept], self.shapes[kept])
        return found if self.stretch is None else stretched(*found, self.stretch)

    def minus(self, other: Ratio, stretch: Stretch | None = None) -> Ratio | None:
        """First less second in the same units; None where their denominators differ, or their tops nowhere do."""
        kept = self.shapes > 0
        if not np.allclose(self.bottom[kept], other.bottom[kept], rtol=1e-12, atol=0.0):
            return None
        gap = self.top - other.top
        return Ratio(gap, self.bottom, self.shapes, stretch) if gap[kept & (self.bottom > 0)].any() else None

    def next_score(self, state: State, n: int, metric: Any, unit: str) -> NextScore:
        """The ratio of the sums over the next n units, by draws of whole units."""
        shapes = self.shapes if self.stretch is None else wider(self.shapes, self.stretch)
        kept = shapes > 0
        features = np.stack([self.top[kept], self.bottom[kept]], axis=1)
        values = divided(features[features[:, 1] > 0])
        draws: Any = partial(sums_scores, features, shapes[kept], divided, n)
        size, bounds = number_of_draws(state, n, int(kept.sum())), (float(values.min()), float(values.max()))
        return drawn_score(draws, size, state.seed, bounds, called(metric, n, unit), unit=unit)


class MetricOfUnits(Estimand):
    """A metric over units: a ratio of their sums, or drawn. A kind says what its units are, and those of the prior."""

    @property
    def unit(self) -> str:
        """What is counted."""
        return "item"

    def refuse(self) -> None:
        """Refuse several systems, and what has no distribution."""

    def ratio(self) -> Ratio | None:
        """Of one system; None where the metric is no ratio."""
        return None

    def gap_ratio(self) -> Ratio | None:
        """The difference of two systems; None where it is no ratio."""
        return None

    def pair_units(self) -> Units | None:
        """What units add above and below the line of two systems, (units, 4), where the difference is no ratio."""
        return None

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of one system."""
        return self.metric.bounds

    def law(self) -> tuple[Law, str]:
        """That of the ratio, else by draws."""
        self.refuse()
        found = self.ratio()
        if found is None:
            return sampled_law(self.state, self.bounds, self.draws, 1, self.most_draws), "sampled"
        return found.law()

    def next_score(self, n: int) -> NextScore:
        """The score of the next n units, by draws of whole units."""
        self.refuse()
        found = self.ratio()
        if found is None:
            raise self._unpredicted()
        return found.next_score(self.state, n, self.metric, self.unit)

    def next_difference(self, n: int) -> NextScore:
        """The same of the difference of two systems."""
        found = self.gap_ratio()
        if found is not None:
            return found.next_score(self.state, n, self.metric, self.unit)
        pair, (low, high) = self.pair_units(), self.bounds
        if pair is None:
            raise self._unpredicted()
        draws: Any = partial(sums_scores, pair.features, pair.shapes, _gaps, n)
        size, what = number_of_draws(self.state, n, len(pair.shapes)), called(self.metric, n, self.unit)
        return drawn_score(draws, size, self.state.seed, (low - high, high - low), what, unit=self.unit)

    def difference(self) -> Gap:
        """Exact where it is a ratio, else by joint draws."""
        name, found = f"difference of {self.metric}", self.gap_ratio()
        notes = self.gap_remarks(found is None)
        if found is None:
            drawn = difference_law(self.bounds, self._gap_draws(self.gap_size, self.state.seed))
            return drawn_gap(Distribution(name, drawn, "sampled", self._gap_draws, notes=notes))
        law, route = found.law()
        return exact_gap(Distribution(name, law, route, self._gap_draws, notes=notes), route)

    @property
    def gap_size(self) -> int:
        """Draws of a difference that is no ratio."""
        return self.state.wanted_draws(1.3)

    def gap_remarks(self, drawn: bool) -> Notes:
        """What is to be said of a difference."""
        return () if drawn else self.remarks

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return apart(first, second)


def _gaps(sums: Array) -> Array:
    """Differences of two ratios."""
    return apart(divided(sums[:, :2]), divided(sums[:, 2:]))


# -- the distribution of one ratio

CHUNK: Final = 20_000_000  # Gammas drawn at a time
NUMEROUS: Final = 1_000_000_000  # Gammas in all, from which on sums of them are drawn as normal, where they are
SKEWED: Final = 5e-4  # of probability, that a normal law may be off by
_EDGEWORTH: Final = 0.4 / 6.0  # of the skewness, in a probability: the largest of the normal density, over 3!
MANY: Final = 2_000  # different values of weighted items, up to which all are kept apart


def mean_law(top: Array, bottom: Array, shapes: Array) -> tuple[Law, str]:
    """Closed for two different values, one integral for more.

    Four values could nest two Beta integrals; the contour gives the same digits for a fiftieth of the work.
    """
    bottom = np.ravel(bottom)
    if not bottom.all():  # items without a part in the quotient
        top, bottom, shapes = top[bottom != 0], bottom[bottom != 0], shapes[bottom != 0]
    pairs, inverse = _different(top, bottom)
    weight = np.asarray(np.bincount(inverse, shapes), dtype=float)
    if len(pairs) in (2, 3):
        groups = {(u, v): np.asarray(w) for (u, v), w in zip(pairs.tolist(), weight, strict=True)}
        found = linear_groups_law(groups)
        assert found is not None  # noqa: S101 - two and three groups have a law
        return found
    from howsure.distributions.contour import GammaQuotient

    return GammaQuotient(pairs[:, 0], pairs[:, 1], weight), "quadrature"


def masses(rng: np.random.Generator, shapes: Array, n: int) -> Iterator[Array]:
    """n draws of Gammas of these shapes, (draws, shapes), some at a time."""
    size, plain = max(1, CHUNK // len(shapes)), bool((shapes == 1).all())
    for start in range(0, n, size):
        many = (min(size, n - start), len(shapes))
        yield rng.standard_exponential(many) if plain else rng.standard_gamma(shapes, many)


def nearly_normal(top: Array, bottom: Array, shapes: Array) -> bool:
    """Whether the means of all systems, and their differences, are normal but for SKEWED of probability.

    By Edgeworth's term of the third cumulant: of Σ shape·Gamma·d it is 2 Σ shape·d³ over the cube of the spread.
    """
    away = top - bottom * ((shapes @ top) / (shapes @ bottom))
    sides = [*away.T, *(away[:, i] - away[:, j] for i in range(away.shape[1]) for j in range(i))]
    for d in sides:
        spread = np.sqrt(shapes @ (d * d))
        if spread > 0 and abs(2.0 * (shapes @ (d / spread) ** 3)) * _EDGEWORTH > SKEWED:
            return False
    return True


def normal_sums(rng: np.random.Generator, top: Array, bottom: Array, shapes: Array, n: int) -> tuple[Array, Array]:
    """n draws of Σ top·G and Σ bottom·G, (n, systems) each, from the normal law with their means and covariances."""
    both = np.concatenate([top, bottom], axis=1)
    values, vectors = np.linalg.eigh((both * shapes[:, None]).T @ both)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    found = shapes @ both + rng.standard_normal((n, both.shape[1])) @ root.T
    return found[:, : top.shape[1]], found[:, top.shape[1] :]


def weighed_mean_law(top: Array, bottom: Array, shapes: Array) -> tuple[Law, str]:
    """The law of the mean of weighted items: those of one value are one Gamma (distributions/weights.py).

    Of very many values, neighbours go together: the spread within a group is far below that of the items.
    """
    order = np.argsort(top / bottom, kind="stable")
    top, bottom, shapes = top[order], bottom[order], shapes[order]
    value = top / bottom
    new = np.append(True, np.diff(value) > ALIKE * np.abs(value).max())  # they come from products: rounding is no step
    if int(new.sum()) > MANY:
        mass = np.cumsum(shapes * bottom)
        part = np.floor(mass * (MANY / mass[-1]) * (1.0 - 1e-12))
        new &= np.append(True, part[1:] != part[:-1])
    at = np.cumsum(new) - 1
    size = int(at[-1]) + 1
    tops, sums, squares = (added_at(at, shapes * x, size) for x in (top, bottom, bottom * bottom))
    found, scale = gamma_of(sums, squares, 0.0, np.ones(size))
    values = np.where(np.bincount(at) == 1, value[new], tops / sums)
    return mean_law(values * scale, scale, found)


def _different(top: Array, bottom: Array) -> tuple[Array, Index]:
    """The different pairs, and which one each item has; a sort of plain numbers where the bottoms are equal."""
    if (bottom == bottom[0]).all():
        values, inverse = np.unique(top, return_inverse=True)
        return np.stack([values, np.full(values.size, bottom[0])], axis=1), np.ravel(inverse)
    pairs, inverse = np.unique(np.stack([top, bottom], axis=1), axis=0, return_inverse=True)
    return pairs, np.ravel(inverse)
