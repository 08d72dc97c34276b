"""Some of n things, taken without putting any back: the probability that none of them is marked."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array

_NOTHING: Final = -745.2  # the log of what is below the smallest number


def log_none_marked(n: ArrayLike, marked: ArrayLike, k: int) -> Array:
    """log C(n - marked, k) / C(n, k), for arrays: Σ log(1 - marked/(n - i)) over i < k; -inf where some must be marked.

    The same with k and `marked` exchanged, so the sum has no more terms than the smaller of the two. All terms have
    one sign, each with its digits: no binomial coefficient is formed, and none can overflow.
    """
    total, of = np.broadcast_arrays(np.asarray(n, dtype=float), np.asarray(marked, dtype=float))
    few, many = np.minimum(of, k), np.maximum(of, k)
    found = np.where(many + few > total, -np.inf, 0.0)
    at = np.flatnonzero((found == 0) & (few > 0))
    flat, size = found.reshape(-1), total.reshape(-1)
    few, many = few.reshape(-1), many.reshape(-1)
    i = 0
    while at.size:
        flat[at] += np.log1p(-many[at] / (size[at] - i))
        i += 1
        at = at[(few[at] > i) & (flat[at] > _NOTHING)]
    return flat.reshape(total.shape)
