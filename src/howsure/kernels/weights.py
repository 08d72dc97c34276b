"""How many items weighted items are worth (Kish 1965).

Statement: the mean of items with weights w has the variance of a mean of (Σw)²/Σw² items that count alike.
Domain: weights of 0 and more; of none at all, each counts for itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
