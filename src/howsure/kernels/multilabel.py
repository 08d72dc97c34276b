"""Draws for items with any number of labels: whole items are resampled, so that labels of one item stay together.

Statement: items carry Gammas of their counts (the Bayesian bootstrap, Rubin 1981); a label's true items, right answers
and answers are sums over the items that have it. Every label has a little prior mass of its own: a Gamma of weight
`rows` on its true items, of which the share p is right, and as much as is wrong there on false answers.
With `independent` each label has a Dirichlet of its own instead (Zhang, Wang & Zhao 2015, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.class_tables import ByClass, PooledAccuracy, Tables, added
from howsure.kernels.classes import chunks
from howsure.kernels.draws import gamma_each, gammas, stream

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Pairs = tuple[Codes, Codes]  # pattern and label of each membership


@dataclass(frozen=True)
class AnyOf:
    """Patterns with their shapes; memberships of truths, of each system's answers, and of those that are right."""

    shapes: Array
    k: int
    truth: Pairs
    answers: tuple[Pairs, ...]
    both: tuple[Pairs, ...]
    rows: float  # the prior's weight on the true items of a label
    pool: PooledAccuracy | None = None  # the shared share of right ones; one half without it

    @property
    def systems(self) -> int:
        return len(self.answers)

    @property
    def cost(self) -> int:
        """Numbers handled a draw."""
        members = self.truth[0].size + sum(x[0].size for x in (*self.answers, *self.both))
        return int(self.shapes.size + members + 4 * self.k * self.systems)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, stream(seed, self), self._some)

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        mass = gammas(self.shapes, m, rng)
        row, tp, col = (self._sums(mass, part) for part in self._sorted)
        p = self.pool.draw(rng, m) if self.pool is not None else np.full((self.systems, m), 0.5)
        own = gamma_each(np.full((self.k, m), self.rows), rng)
        for s in range(self.systems):
            right, wrong = (self._own(x, rng) for x in (p[s], 1 - p[s]))
            with np.errstate(invalid="ignore", divide="ignore"):
                share = right / (right + wrong)
            good = own * np.where(np.isnan(share), p[s], share)
            tp[s] += good
            col[s] += good + self._own(1 - p[s], rng)
        row[0] += own
        return Tables(row[0], tp, col, total=mass.sum(axis=0) + own.sum(axis=0))

    def _own(self, share: Array, rng: np.random.Generator) -> Array:
        """The prior's mass of a share of every label's weight, (labels, m)."""
        return gamma_each(np.broadcast_to(np.maximum(self.rows * share, 1e-9), (self.k, share.size)), rng)

    def _sums(self, mass: Array, parts: list[ByClass]) -> list[Array]:
        return [added(mass, where) for where in parts]

    @cached_property
    def _sorted(self) -> tuple[list[ByClass], ...]:
        parts = ((self.truth,), self.both, self.answers)
        return tuple([ByClass.of(labels, self.k, patterns) for patterns, labels in part] for part in parts)


@dataclass(frozen=True)
class EachLabel:
    """Every label with a 2x2 table of its own: shapes of tp, fp, fn and tn, (4, labels)."""

    shapes: Array

    @property
    def systems(self) -> int:
        return 1

    @property
    def cost(self) -> int:
        """Numbers drawn a draw."""
        return int(self.shapes.size)

    def draws(self, n: int, seed: int) -> Iterator[Tables]:
        """Tables, some draws at a time."""
        return chunks(self.cost, n, stream(seed, self), self._some)

    def _some(self, rng: np.random.Generator, m: int) -> Tables:
        cells = gammas(self.shapes.ravel(), m, rng).reshape(4, -1, m)
        cells /= cells.sum(axis=0)
        tp, fp, fn, _ = cells
        return Tables(tp + fn, [tp], [tp + fp], total=np.ones(m))
