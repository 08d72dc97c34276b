"""Gauss rules whose weight is the density of a Beta law, for many laws at once.

Statement: E f(B) for B ~ Beta(p, q) is exact for polynomials f of degree 2m - 1 on m nodes, whatever the shapes do to
the ends of the range. Formula: eigenvalues and first components of the Jacobi matrix (Golub & Welsch 1969) of the
polynomials on [0, 1], from the side of the smaller shape, so that nodes next to 0 keep their digits.
Error: rounding of the eigenvalues, about 1e-16 of the largest node.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gauss_beta(p: Array, q: Array, m: int) -> tuple[Array, Array, Array]:
    """Nodes x and 1 - x and their weights, each of shape (laws, m), for flat arrays of shapes."""
    flip = p > q
    low, high = np.minimum(p, q)[:, None], np.maximum(p, q)[:, None]
    s, k = low + high, np.arange(1.0, m)
    t = 2.0 * k + s - 2.0
    middle = np.empty((p.size, m))
    middle[:, :1] = low / s
    middle[:, 1:] = (2.0 * k * (k + s - 1.0) + (s - 2.0) * low) / (t * (t + 2.0))
    beside = np.empty((p.size, m - 1))
    beside[:, :1] = low / s * (high / s) / (s + 1.0)
    k, t = k[1:], t[:, 1:]
    beside[:, 1:] = k * (k + high - 1.0) / t * ((k + low - 1.0) * (k + s - 2.0) / t) / ((t - 1.0) * (t + 1.0))
    matrix = np.zeros((p.size, m, m))
    at = np.arange(m)
    matrix[:, at, at] = middle
    matrix[:, at[1:], at[:-1]] = np.sqrt(beside)
    nodes, vectors = np.linalg.eigh(matrix)
    x = np.clip(nodes, 1e-300, 1.0 - 1e-16)
    rest = 1.0 - x
    return np.where(flip[:, None], rest, x), np.where(flip[:, None], x, rest), vectors[:, 0, :] ** 2
