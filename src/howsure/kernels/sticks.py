"""Stick-breaking: the mass of a Dirichlet process in atoms (Sethuraman 1994).

Statement: what is left after a stick is a uniform to the power 1/weight of what was left before; each atom takes the
difference. After j sticks a share of (w/(1 + w))^j is left on average, and goes to the last atom.
Domain: weights of at least 0; below 1e-9 all the mass is one atom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEFT = 1e-3
MOST = 400


def count(weight: float, left: float = LEFT, most: int = MOST) -> int:
    """Sticks until no more than this share of the mass is left.

    >>> count(2.0), count(2.0, left=1e-6)
    (18, 35)
    """
    if weight <= 1e-9:
        return 1
    return int(np.clip(np.ceil(np.log(left) / np.log(weight / (1.0 + weight))), 1, most))


def sticks(rng: np.random.Generator, weights: Array, m: int, left: float = LEFT, most: int = MOST) -> Array:
    """Shares of the mass of each row in atoms, (rows, sticks, m), m draws of them; weights (rows,) or (rows, m)."""
    j = count(float(weights.mean() + weights.std()), left, most)
    rest = rng.standard_exponential((len(weights), j, m))  # minus the logarithm of a uniform
    for i in range(1, j):
        rest[:, i] += rest[:, i - 1]
    power = -1.0 / np.maximum(weights, 1e-12)
    rest *= power[:, None, :] if weights.ndim == 2 else power[:, None, None]
    with np.errstate(under="ignore"):
        np.exp(rest, out=rest)
    parts = np.empty_like(rest)
    parts[:, 0] = 1.0 - rest[:, 0]
    np.subtract(rest[:, :-1], rest[:, 1:], out=parts[:, 1:])
    parts[:, -1] += rest[:, -1]
    return parts
