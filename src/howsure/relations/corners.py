"""Where the sides of a polytope meet."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def meeting_points(sides: Array, offsets: Array, base: Array, directions: Array) -> Array:
    """The points base + steps·directions at which as many sides·point + offset are 0 as there are directions.

    >>> meeting_points(np.eye(2), np.array([0.0, -1.0]), np.zeros(2), np.eye(2))
    array([[0., 1.]])
    """
    picks = _picks(len(sides), len(directions))
    steps = _steps((sides @ directions.T)[picks], -(sides @ base + offsets)[picks])
    return np.asarray(base + steps @ directions)


@lru_cache(maxsize=128)
def _picks(sides: int, size: int) -> NDArray[np.int64]:
    return np.array(list(combinations(range(sides), size)), dtype=np.int64).reshape(math.comb(sides, size), size)


def _steps(a: Array, b: Array) -> Array:
    """The solutions of a·step = b, where there is one; two unknowns, the common case, in closed form."""
    if a.shape[1] == 2:
        (p, q), (r, s) = a.transpose(1, 2, 0)
        det = p * s - q * r
        good = np.abs(det) > 1e-13
        one, two = b[:, 0], b[:, 1]
        steps = np.stack([s * one - q * two, p * two - r * one], axis=1)
        return np.asarray(steps[good] / det[good, None])
    good = np.abs(np.linalg.det(a)) > 1e-13
    return np.asarray(np.linalg.solve(a[good], b[good][..., None])[..., 0])
