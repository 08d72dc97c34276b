"""How many items weighted items are worth (Kish 1965), and the Gamma that stands for the mass of some of them.

Statement: the mean of items with weights w has the variance of a mean of (Σw)²/Σw² items that count alike. Under the
Bayesian bootstrap items have masses w·Exp(1): those of a cell have mean Σw and variance Σw² in all, as the Gamma of
shape (Σw)²/Σw² and scale Σw²/Σw has; of items of one weight it is their sum itself. The prior's items add to both sums.
Domain: weights of 0 and more; of none at all, each counts for itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from howsure.arrays import Array, Integers

ALIKE: Final = 1e-12  # weights that differ by less are the same
_LOGS: Final = np.arange(-40.0, 40.0, 0.25)  # of u, measured by the mean of the sum


def effective_size(weights: Array) -> Array:
    """(Σw)²/Σw² along the last axis.

    >>> float(effective_size(np.array([2.0, 2.0, 2.0]))), float(effective_size(np.array([3.0, 1.0])))
    (3.0, 1.6)
    """
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def effective_counts(weights: Array, squares: Array | None = None) -> Array:
    """Weights scaled to sum to the effective size, along the last axis.

    Where the weights are sums of items' weights, `squares` are the sums of their squares: of every entry, or in all.

    >>> effective_counts(np.array([3.0, 1.0])).tolist()
    [1.2000000000000002, 0.4]
    """
    total = weights.sum(axis=-1)
    square = (weights**2 if squares is None else squares).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(square > 0, total / square, 1.0)
    return np.asarray(weights * factor[..., None])


def scale_of(sums: Array, squares: Array, where_empty: Array | float = 1.0) -> Array:
    """Σw²/Σw, what a unit of the Gamma weighs; where there are no items, what is given for that.

    >>> scale_of(np.array([4.0, 0.0]), np.array([10.0, 0.0])).tolist()
    [2.5, 1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums > 0, squares / sums, where_empty)


def mean_shares(shapes: Array, scales: Array) -> Array:
    """E[s_i·G_i / Σ s·G] for independent Gammas G of these shapes and scales s.

    1/Y = ∫ exp(-uY) du, so it is a_i·s_i·∫ Π(1 + u·s)^(-a) / (1 + u·s_i) du: a trapezoid in log u, which converges
    geometrically.

    >>> mean_shares(np.array([1.0, 2.0]), np.array([3.0, 3.0])).round(12).tolist()
    [0.333333333333, 0.666666666667]
    """
    unique, place = np.unique(scales, return_inverse=True)
    own = np.bincount(place.ravel(), shapes, unique.size)
    unit = unique / (own @ unique)
    total = np.zeros(unique.size)
    for y in _LOGS:
        grown = np.exp(y) * unit
        total += np.exp(y - own @ np.log1p(grown)) / (1.0 + grown)
    found = shapes * (unit * total)[place.ravel()]
    return np.asarray(found / found.sum())


def added_at(places: Integers, values: Array, size: int) -> Array:
    """Sums of the values at each of so many places."""
    return np.asarray(np.bincount(places, values, size), dtype=float)


def gamma_of(sums: Array, squares: Array, prior: Array | float, unit: Array) -> tuple[Array, Array]:
    """Shape and scale of the mass of items with these sums and of `prior` items more, each of weight `unit`.

    >>> gamma_of(np.array([6.0]), np.array([12.0]), 0.5, np.array([2.0]))
    (array([3.5]), array([2.]))
    """
    own = scale_of(sums, squares, unit)
    same = np.isclose(own, unit, rtol=ALIKE, atol=0.0)
    mean, variance = sums + prior * unit, squares + prior * unit * unit
    with np.errstate(divide="ignore", invalid="ignore"):
        shape = np.where(same, _whole(sums / own) + prior, mean * mean / variance)
        scale = np.where(same, unit, variance / mean)
    return shape, scale


def _whole(x: Array) -> Array:
    """Whole numbers where rounding alone has made them other: items of one weight are as many as they are."""
    near = np.rint(x)
    return np.where(np.abs(x - near) <= ALIKE * near, near, x)
