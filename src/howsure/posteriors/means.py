"""The law of a mean under Dirichlet weights, and of any quotient Σ top·G / Σ bottom·G of independent Gammas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.distributions.weights import ALIKE, added_at, gamma_of
from howsure.posteriors.routes import linear_groups_law

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law


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
