"""The score that the next items will show, by draws: a law of steps, and the draws of sums over the next items.

Statement: the quantile at p is the smallest draw with a share of p or more at or below it; its error is the distance to
the order statistics three standard errors of their rank away, which needs no density (David & Nagaraja 2003, 7.1).
Sums over the next n items of atoms that have Gammas for weights: shares are drawn, then n items from these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.distributions.sampled import SIGMAS, Sampled

CHUNK: Final = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class DrawnScores(Sampled):
    """Sorted draws of a score that has steps, along the first axis; batch axes behind it.

    A step is one number, however it was computed (0.7 - 0.6 is 0.1): draws and points are told apart by twelve digits.
    """

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return super().tails(np.asarray(t) + self._slack, t_low)

    def below(self, t: Array) -> Array:
        """P(score < t)."""
        return super().tails(np.asarray(t) - self._slack)[0]

    @cached_property
    def _slack(self) -> float:
        finite = self.draws[np.isfinite(self.draws)]
        return 1e-12 * float(np.abs(finite).max(initial=1.0))

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        del q
        full = np.broadcast_shapes(np.shape(p), self.shape)
        rank = np.clip(np.ceil(np.broadcast_to(p, full) * self.n - 1e-9).astype(np.int64) - 1, 0, self.n - 1)
        own = rank.reshape(-1, max(1, self._columns().shape[1]))
        value = self._columns()[own, np.arange(own.shape[1])].reshape(full)
        with np.errstate(invalid="ignore"):
            return value, value - self.lower, np.where(value == self.upper, 0.0, self.upper - value)

    def quantile_error(self, p: float) -> Array:
        """The farther of the order statistics three standard errors of the rank away."""
        reach = max(1.0, SIGMAS * float(np.sqrt(self.n * p * (1.0 - p))))
        here = self.quantile(np.asarray(p), np.asarray(1.0 - p))[0]
        ends = [self.draws[int(np.clip(round(p * self.n + side * reach), 0, self.n - 1))] for side in (-1, 1)]
        with np.errstate(invalid="ignore"):
            return np.maximum(*(np.where(x == here, 0.0, np.abs(x - here)) for x in ends))


def multinomials(shares: Array, n: int, rng: np.random.Generator) -> Array:
    """Counts of n items, a row for each row of shares."""
    shares = shares / shares.sum(axis=1, keepdims=True)
    return rng.multinomial(n, shares).astype(float)


def next_sums(features: Array, shapes: Array, n: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Sums of the features (atoms, features) over the next n items, (draws, features), some draws at a time."""
    atoms = len(shapes)
    size = max(1, CHUNK // atoms)
    for start in range(0, draws, size):
        mass = rng.standard_gamma(shapes, (min(size, draws - start), atoms))
        if n >= atoms:
            yield multinomials(mass, n, rng) @ features
        else:
            yield features[_chosen(mass, n, rng)].sum(axis=1)


def _chosen(mass: Array, n: int, rng: np.random.Generator) -> Integers:
    """n atoms for each row of masses, with these chances."""
    edges = np.cumsum(mass, axis=1)
    rows = np.arange(len(mass))[:, None]
    edges = edges / edges[:, -1:] + rows
    place = np.searchsorted(edges.ravel(), (rng.random((len(mass), n)) + rows).ravel(), side="right")
    found = place.reshape(len(mass), n) - rows * mass.shape[1]
    return np.asarray(np.clip(found, 0, mass.shape[1] - 1))
