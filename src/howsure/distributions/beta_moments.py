"""Moments of Betas and of their logits, and P(one Beta is above another)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.arrays import Array, Index
from howsure.distributions import beta, quadrature
from howsure.distributions.protocol import Transform
from howsure.distributions.quadrature import Nodes, Window, expect

# -- beta order
#
# Which of two independent Betas is larger: one integral for each side.
#
# Statement: P(X > Y) and P(X < Y) for X ~ Beta(a, b), Y ~ Beta(c, d). Error: that of quadrature.py, 1e-12.


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


# -- beta moments
#
# Moments of a measure of two independent Beta variables, on a grid of nodes of both.
#
# Statement: E[g(M)] - centre and E[(g(M) - centre)²] are sums over the nodes of quadrature.beta_nodes, each way; the
# larger the smallest shape, the fewer of them. Batches are arrays, a part at a time.
# Error: moments within 1e-10 of a standard deviation of mpmath (tests/reference).

_FINE_NODES = ((2.0, 80), (0.4, 112), (0.0, 288))  # nodes each way, by the smallest shape


def flat(*arrays: Array | float) -> tuple[tuple[int, ...], list[Array]]:
    """The common shape of arrays that broadcast, and each of them spread to it, flat."""
    full = np.broadcast_arrays(*arrays)
    return full[0].shape, [np.ascontiguousarray(x, dtype=float).ravel() for x in full]


def quotient(top: float, bottom: float) -> float:
    """The quotient, also by 0: infinite, or no number."""
    if bottom:
        return top / bottom
    return float(np.copysign(np.inf, top)) if top else float("nan")


def moments_about(
    outer: tuple[Array, Array],
    inner: tuple[Array, Array],
    value: Callable[[Index, Array, Array, Array, Array], Array],
    g: Transform,
    centre: Array,
    tilt: tuple[float, float] = (0.0, 0.0),
    in_logs: bool = False,
) -> tuple[Array, Array]:
    """First and second moment of g(value) about centre, over independent u ~ inner and v ~ outer.

    The tilt says how fast g² grows as 1-u and 1-v go to 0. With in_logs, value gets logits in place of shares.
    """
    shape, (a, b, c, d, middle) = flat(*outer, *inner, centre)
    first, second = np.empty(a.size), np.empty(a.size)
    smallest = np.minimum(np.minimum(a, b - tilt[1]), np.minimum(c, d - tilt[0]))
    ceiling = np.inf
    for floor, nodes in _FINE_NODES:
        rows = np.flatnonzero((smallest >= floor) & (smallest < ceiling))
        ceiling = floor
        for chunk in quadrature.chunks(rows.size, nodes * nodes // 4):
            part = rows[chunk]
            v, w, weight_v, at_v = quadrature.beta_nodes(a[part], b[part], nodes, (0.0, tilt[1]))
            u, r, weight_u, at_u = quadrature.beta_nodes(c[part], d[part], nodes, (0.0, tilt[0]))
            weight = weight_u[:, :, None] * weight_v[:, None, :]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                if in_logs:
                    points = value(part, at_u[:, :, None], -at_u[:, :, None], at_v[:, None, :], -at_v[:, None, :])
                else:
                    points = value(part, u[:, :, None], r[:, :, None], v[:, None, :], w[:, None, :])
                away = np.where(weight > 0, g(points) - middle[part, None, None], 0.0)
            first[part] = (weight * away).sum(axis=(1, 2))
            second[part] = (weight * away * away).sum(axis=(1, 2))
    return first.reshape(shape), second.reshape(shape)


def at_means(outer: tuple[Array, Array], inner: tuple[Array, Array], value: Callable[..., Array]) -> Array:
    """The measure at the means of both variables: a point to centre second moments on."""
    (a, b), (c, d) = outer, inner
    return value(c / (c + d), d / (c + d), a / (a + b), b / (a + b))
