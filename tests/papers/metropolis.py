"""The method of Zhang, Wang & Zhao 2015, for comparison only: a Metropolis chain, and its effective size.

Random-walk Metropolis on the free coordinates of each simplex (softmax with the last coordinate at 0), one block for
the class shares and one for each truth row, in turn; a step is a sweep over all blocks. The target has the Jacobian of
the softmax, so that it is the paper's posterior with Dirichlet weights 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def chain(table: Any, steps: int, seed: int = 0, weight: float = 1.0) -> dict[str, Array]:
    """micro-f1 and macro-f1 along the chain, which starts at equal probabilities, with no burn-in, as in the paper."""
    c = np.asarray(table, dtype=float)
    k = len(c)
    shapes = np.vstack([c.sum(axis=1), c]) + weight  # block 0: class shares
    scales = 2.4 / np.sqrt((k - 1) * np.maximum(shapes.sum(axis=1) / k, 1.0))
    rng = np.random.default_rng(seed)
    free = np.zeros((k + 1, k))
    logs = _log_shares(free)
    density = (shapes * logs).sum(axis=1)
    out = np.empty((steps, 2))
    for i in range(steps):  # the blocks are independent given the data: one proposal for each at once
        moved = free.copy()
        moved[:, :-1] += scales[:, None] * rng.standard_normal((k + 1, k - 1))
        new = _log_shares(moved)
        there = (shapes * new).sum(axis=1)  # Dirichlet density times the Jacobian, ∏ of all shares
        yes = np.log(rng.random(k + 1)) < there - density
        free[yes], logs[yes], density[yes] = moved[yes], new[yes], there[yes]
        shares = np.exp(logs)
        mass = shares[0][:, None] * shares[1:]
        right = np.diagonal(mass)
        out[i] = right.sum(), np.mean(2 * right / (mass.sum(axis=0) + mass.sum(axis=1)))
    return {"micro-f1": out[:, 0], "macro-f1": out[:, 1]}


def _log_shares(free: Array) -> Array:
    return free - np.log(np.exp(free).sum(axis=1, keepdims=True))


def effective_size(x: Array) -> float:
    """n over the integrated autocorrelation time, by Geyer's initial positive sequence."""
    n = x.size
    y = x - x.mean()
    size = 1 << (2 * n - 1).bit_length()
    f = np.fft.rfft(y, size)
    covariance = np.fft.irfft(f * np.conj(f), size)[:n] / n
    rho = covariance / covariance[0]
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    bad = np.flatnonzero(pairs <= 0)
    last = int(bad[0]) if bad.size else pairs.size
    kept = np.minimum.accumulate(pairs[:last])
    return float(n / max(2 * kept.sum() - 1, 1 / np.log10(n)))
