"""Counts of future data sets from evenly spread points, so that data sets of different sizes go together.

Statement: a Dirichlet is a chain of Betas, a multinomial a chain of binomials; each link is the quantile of its law at
one coordinate of a point in the unit cube. The same points at another n give data sets that move with n, so that what
is averaged over them moves smoothly.
Points: several shifted copies of the Kronecker sequence of the square roots of primes (Richtmyer 1951); the spread of
the copies' averages is the error of the average over all (Cranley & Patterson 1976).
Binomial quantiles: from the Cornish-Fisher expansion, then corrected by the cdf itself; at a variance above 1e5 the
expansion alone, which is off by less than one count.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GROUPS: Final = 8  # shifted copies
_PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101,
                  103, 107, 109, 113, 127, 131)  # fmt: skip
MOST_DIMENSIONS: Final = len(_PRIMES)
_NORMAL: Final = 1e5  # variance from which the expansion is exact enough
_EDGE: Final = 1e-12


def points(many: int, dimensions: int, seed: int) -> Array:
    """Points in the unit cube, (many, dimensions): GROUPS shifted copies, one after the other."""
    rng = np.random.default_rng([seed, dimensions, 271_828])
    steps = np.sqrt(np.array(_PRIMES[:dimensions], dtype=float)) % 1.0
    one = np.arange(1, many // GROUPS + 1)[:, None] * steps
    shifted = np.concatenate([(one + rng.random(dimensions)) % 1.0 for _ in range(GROUPS)])
    return np.asarray(np.clip(shifted, _EDGE, 1.0 - _EDGE))


def shares(at: Array, shapes: Array) -> Array:
    """Draws of a Dirichlet, (points, cells), from points with one coordinate for each cell but the last."""
    from scipy import special

    left, out = np.ones(len(at)), np.zeros((len(at), len(shapes)))
    for i, shape in enumerate(shapes[:-1]):
        part = special.betaincinv(shape, shapes[i + 1 :].sum(), at[:, i])
        out[:, i], left = left * part, left * (1.0 - part)
    out[:, -1] = left
    return out


def counts(at: Array, n: int, chances: Array) -> NDArray[np.int64]:
    """Counts of n items in cells of these probabilities, (points, cells); probabilities may differ by point."""
    chances = np.broadcast_to(chances, (len(at), chances.shape[-1]))
    later = np.maximum(np.cumsum(chances[:, ::-1], axis=1)[:, ::-1], 1e-300)
    left, out = np.full(len(at), n, dtype=np.int64), np.zeros(chances.shape, dtype=np.int64)
    for i in range(chances.shape[1] - 1):
        part = np.clip(chances[:, i] / later[:, i], 0.0, 1.0)
        out[:, i] = binomial_quantile(at[:, i], left, part)
        left = left - out[:, i]
    out[:, -1] = left
    return out


def binomial_quantile(u: Array, n: NDArray[np.int64], p: Array) -> NDArray[np.int64]:
    """The smallest k with P(binomial <= k) >= u."""
    from scipy import special

    z, spread = special.ndtri(u), np.sqrt(n * p * (1.0 - p))
    skewed = (1.0 - 2.0 * p) * (z * z - 1.0) / 6.0
    k = np.clip(np.ceil(n * p + z * spread + skewed - 0.5), 0, n).astype(np.int64)
    inner = (p > 0.0) & (p < 1.0)
    k = np.where(inner, k, np.where(p >= 1.0, n, 0))
    busy = inner & (n > 0) & (spread * spread < _NORMAL)
    return _corrected(k, u, n, p, busy)


def _corrected(
    k: NDArray[np.int64], u: Array, n: NDArray[np.int64], p: Array, busy: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Moved by ones until the cdf agrees."""
    from scipy import special

    at = np.flatnonzero(busy)
    while at.size:
        here = special.bdtr(k[at].astype(float), n[at], p[at])
        below = np.where(k[at] > 0, special.bdtr(np.maximum(k[at] - 1, 0).astype(float), n[at], p[at]), 0.0)
        step = np.where(here < u[at], 1, np.where(below >= u[at], -1, 0))
        step = np.where((k[at] + step < 0) | (k[at] + step > n[at]), 0, step)
        k[at] += step
        at = at[step != 0]
    return k


def every_count(n: int, chance: float) -> tuple[NDArray[np.int64], Array]:
    """All numbers of hits of n trials that matter, and their probabilities; what is left out weighs under 1e-12."""
    from scipy import special

    spread = np.sqrt(n * chance * (1.0 - chance))
    low, high = np.floor(n * chance - 8.0 * spread - 20), np.ceil(n * chance + 8.0 * spread + 20)
    hits = np.arange(int(max(low, 0)), int(min(high, n)) + 1)
    logs = special.gammaln(n + 1.0) - special.gammaln(hits + 1.0) - special.gammaln(n - hits + 1.0)
    weights = np.exp(logs + special.xlogy(hits, chance) + special.xlog1py(n - hits, -chance))
    return hits, weights / weights.sum()


def every_mixed_count(n: int, hit: float, miss: float) -> tuple[NDArray[np.int64], Array]:
    """The same where the chance of a hit has a Beta law: the Beta-binomial."""
    from scipy import special

    hits = np.arange(n + 1)
    logs = special.gammaln(n + 1.0) - special.gammaln(hits + 1.0) - special.gammaln(n - hits + 1.0)
    weights = np.exp(logs + special.betaln(hits + hit, n - hits + miss) - special.betaln(hit, miss))
    kept = weights > 1e-16
    return hits[kept], weights[kept] / weights[kept].sum()
