"""Which of two independent Betas is larger: one integral for each side.

Statement: P(X > Y) and P(X < Y) for X ~ Beta(a, b), Y ~ Beta(c, d). Error: that of quadrature.py, 1e-12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import beta
from howsure.kernels.quadrature import Index, Nodes, Window, expect

Array = NDArray[np.float64]


def beta_order(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """P(X > Y) and P(X < Y) for X ~ Beta(a, b), Y ~ Beta(c, d), the law with the narrower logit outside."""
    shape = np.broadcast_shapes(a.shape, c.shape)
    a, b, c, d = (np.broadcast_to(x, shape).astype(float).ravel() for x in (a, b, c, d))
    swap = 1 / a + 1 / b > 1 / c + 1 / d
    a, b, c, d = np.where(swap, c, a), np.where(swap, d, b), np.where(swap, a, c), np.where(swap, b, d)
    zero = np.zeros_like(a)
    window = Window(a, b, zero, zero, np.ones_like(a))

    def inner(index: Index, nodes: Nodes) -> Array:
        return np.stack(beta.tails(c[index, None], d[index, None], nodes.v, nodes.w))

    above, below = expect(window, inner, 2)
    above, below = np.where(swap, below, above), np.where(swap, above, below)
    total = above + below  # 1 but for rounding: the smaller one keeps its relative precision
    return (above / total).reshape(shape), (below / total).reshape(shape)
