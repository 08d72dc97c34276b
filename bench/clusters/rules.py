"""The prior of clusters, for many simulated tests at once: sizes of its units, and how far distributions are stretched.

The formulas of howsure.posteriors.cluster_prior, over arrays (tests, clusters):
tests/posteriors/test_cluster_prior.py holds the two together. The usual method is a t interval of the linear part of
the metric, with one residual a cluster.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from bench.clusters.simulated import Array, mean_size

Formula = Callable[..., Array]


def correlation(right: Array, n: Array) -> Array:
    """The correlation of items in one cluster: `right` of `n` items a cluster; 1 where none are seen to differ."""
    return pattern_correlation(np.stack([right, n - right], axis=-1))


def pattern_correlation(x: Array) -> Array:
    """The same of items of several patterns, (tests, clusters, patterns)."""
    n = x.sum(axis=-1)
    total, many = n.sum(axis=-1), (n > 0).sum(axis=-1)
    p = x.sum(axis=-2) / np.maximum(total, 1)[..., None]
    away = ((x - p[..., None, :] * n[..., None]) ** 2).sum(axis=(-1, -2))
    within = (x * (n[..., None] - x) / np.maximum(n, 1)[..., None]).sum(axis=(-1, -2))
    expected = ((p * (1 - p)).sum(axis=-1) + away / np.maximum(total, 1) ** 2) * (total - many) + 2
    return np.clip(1 - within / expected, 0.0, 1.0)


def share(right: Array, n: Array) -> Array:
    """A made-up cluster as a share of the mean one."""
    many = (n > 0).sum(axis=-1)
    size = n.sum(axis=-1) / np.maximum(many, 1)
    return np.where(many > 0, 1 - np.maximum(1 - 1 / np.maximum(size, 1e-9), 0.0) * (1 - correlation(right, n)), 1.0)


def difference_share(gap: Array, size: Array, item: float | Array = 1.0) -> Array:
    """A made-up cluster on which two systems differ wholly, as a share of the mean one; one item at least."""
    mean = mean_size(size, np.ones(len(size)))
    apart = gap * size / mean[..., None]
    many = (apart > 0).sum(axis=-1)
    typical = (apart**2).sum(axis=-1) / np.maximum(apart.sum(axis=-1), 1e-300)
    return np.where(many > 0, np.clip((many * typical + 1) / (many + 1), np.minimum(item / mean, 1.0), 1.0), 1.0)


def stretch_factor(many: Array, part: Array) -> Array:
    """Student's t of so many clusters over that of the independent items they are worth."""
    some = np.maximum(np.asarray(many, dtype=float), 2.0)
    worth = some / part
    ratio = stdtrit(some - 1, 0.975) / stdtrit(worth - 1, 0.975)
    return np.where((part < 1) & (many > 1), ratio * np.sqrt((some + 1) / (some - 1) * (worth - 1) / (worth + 1)), 1.0)


def stretched(draws: Array, centre: Array, factor: Array, low: float = 0.0) -> Array:
    """Draws of a metric between low and 1, (tests, draws), stretched on the logit scale."""
    p, c = ((np.clip(np.asarray(x, dtype=float), low, 1.0) - low) / (1 - low) for x in (draws, centre))
    with np.errstate(divide="ignore", invalid="ignore"):
        odds, middle = np.log(p) - np.log1p(-p), (np.log(c) - np.log1p(-c))[:, None]
        found = 1 / (1 + np.exp(-(middle + factor[:, None] * (odds - middle))))
    return np.where(np.isfinite(middle), low + (1 - low) * found, draws)


def linear(formula: Formula, x: Array) -> tuple[Array, Array]:
    """Value and cluster-robust standard error of a formula of cells (tests, cells, clusters), by its slopes."""
    whole, m = x.sum(axis=2).astype(complex), x.shape[2]
    slopes = []
    with np.errstate(all="ignore"):
        for i in range(x.shape[1]):
            step = whole.copy()
            step[:, i] += 1e-20j
            slopes.append(np.imag(formula(*step.T)) * 1e20)
        value = np.real(formula(*whole.T))
    away = np.einsum("tkc,kt->tc", x, np.nan_to_num(np.array(slopes)))
    away = away - away.mean(axis=1, keepdims=True)
    return np.asarray(value), np.sqrt(m / (m - 1) * (away**2).sum(axis=1))
