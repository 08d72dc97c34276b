"""Pólya's urn: how often the next items fall into a group, and its distribution function along a line of test sizes.

Statement: of the next n items X fall into a group of shape a, and n - X into one of shape b:
P(X = x) = C(n, x)·B(a + x, b + n - x)/B(a, b), the Beta-binomial (Pólya & Eggenberger 1923).
One more item: P(X' <= k) = P(X <= k) - P(X = k)·(a + k)/(a + b + m), so that along any line of (m, k_m) whose k rises
by 0 or 1 at each step all P(X_m <= k_m) come from one running sum, and all P(X_m = k_m) from a running product.
Domain: shapes above 0 up to 1e12; n up to 1e6.
Error: of a probability below 1e-13·log(n) plus n rounding errors of the running sum (tests/reference/test_polya.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def beta_binomial(n: int, a: Array, b: Array) -> Array:
    """P(X = x) for x = 0 … n along the last axis, of shapes a and b; by ratios of neighbours, from the largest down."""
    a, b = np.asarray(a, dtype=float)[..., None], np.asarray(b, dtype=float)[..., None]
    x = np.arange(n, dtype=float)
    steps = np.log((n - x) / (x + 1.0)) + np.log((a + x) / (b + (n - 1.0 - x)))
    logs = np.concatenate([np.zeros((*steps.shape[:-1], 1)), np.cumsum(steps, axis=-1)], axis=-1)
    mass = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(mass / mass.sum(axis=-1, keepdims=True))


def cdf_along(k: Counts, a: Array, b: Array, first: int = 0) -> Array:
    """P(X_m <= k_m) for m = first, first + 1, … along the last axis of k.

    0 <= k_m <= m, and k rises by 0 or 1 at each step.
    """
    chance, below = _start(k[..., 0], a, b, first)
    a, b = np.asarray(a, dtype=float)[..., None], np.asarray(b, dtype=float)[..., None]
    m, before, rises = first + np.arange(k.shape[-1] - 1.0), k[..., :-1], np.diff(k, axis=-1) > 0
    goes = (a + before) / (a + b + m)  # P(the next item falls into the group), at k_m
    stays = (b + (m - before)) / (a + b + m)
    ratio = np.where(rises, (m + 1.0) / (before + 1.0) * goes, (m + 1.0) / (m + 1.0 - before) * stays)
    after = chance[..., None] * np.exp(np.cumsum(np.log(ratio), axis=-1))  # P(X = k) at m + 1
    here = np.concatenate([chance[..., None], after[..., :-1]], axis=-1)
    change = np.where(rises, after, 0.0) - here * goes
    whole = np.concatenate([below[..., None], below[..., None] + np.cumsum(change, axis=-1)], axis=-1)
    return np.asarray(np.clip(whole, 0.0, 1.0))


def _start(k: Counts, a: Array, b: Array, m: int) -> tuple[Array, Array]:
    """P(X_m = k) and P(X_m <= k)."""
    if not m:
        return np.ones(k.shape), np.ones(k.shape)
    mass = beta_binomial(m, a, b)
    at = k[..., None]
    full = (*k.shape, m + 1)
    chance, below = (
        np.take_along_axis(np.broadcast_to(x, full), at, axis=-1) for x in (mass, np.cumsum(mass, axis=-1))
    )
    return chance[..., 0], below[..., 0]
