"""A law that hangs on an estimate: beside it the same law three standard errors of the estimate on.

Statement: every number is that of the first law; how far it can be off is its own error and its distance to the number
of the second law, added up.
Domain: two laws of one kind over the same range and batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Mask
from howsure.distributions.protocol import Law

_SIGMAS = 3.0
_PLACES = (0.025, 0.16, 0.5, 0.84, 0.975)


@dataclass(frozen=True, eq=False)
class Estimated:
    """The law at an estimate from n draws, and that at the estimate plus three standard errors."""

    law: Law
    further: Law
    n: int

    @property
    def shape(self) -> tuple[int, ...]:
        return self.law.shape

    @property
    def lower(self) -> float:
        return self.law.lower

    @property
    def upper(self) -> float:
        return self.law.upper

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.law.tails(t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self.law.pdf(t, t_low)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return self.law.quantile(p, q)

    def signs(self) -> tuple[Array, Array]:
        return self.law.signs()

    def mean(self) -> Array:
        return self.law.mean()

    def std(self) -> Array:
        return self.law.std()

    def median(self) -> Array:
        return self.law.median()

    def mode(self) -> Array:
        return self.law.mode()

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        return self.law.equal_tailed(level)

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        return self.law.shortest(level, log_scale)

    # -- errors

    @cached_property
    def error(self) -> tuple[Array, Array]:
        own, chance = self.law.error
        ends = (*self.end_errors(0.95, False), *self.end_errors(0.68, False))
        middle = own + np.abs(self.law.median() - self.further.median())
        value = np.maximum.reduce([self.mean_error(), middle, *ends])
        gaps = [np.abs(self.further.tails(self._quantile(p))[0] - p) for p in _PLACES]
        return value, np.asarray(chance + np.maximum.reduce(gaps))

    def _quantile(self, p: float) -> Array:
        full = np.full(self.shape, p)
        return self.law.quantile(full, 1.0 - full)[0]

    @property
    def floor(self) -> float:
        return self.law.floor

    def _mean_gap(self) -> Array:
        with np.errstate(invalid="ignore"):
            gap = np.abs(self.law.mean() - self.further.mean())
        return np.where(np.isnan(gap), 0.0, gap)  # both are infinite

    def mean_error(self) -> Array:
        return np.asarray(self.law.mean_error() + self._mean_gap())

    def standard_error(self) -> Array:
        return np.asarray(np.hypot(self.law.standard_error(), self._mean_gap() / _SIGMAS))

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        here, there = ((x.shortest(level) if shortest else x.equal_tailed(level))[:2] for x in (self.law, self.further))
        own = self.law.end_errors(level, shortest)
        low, high = (np.asarray(e + np.abs(a - b)) for e, a, b in zip(own, here, there, strict=True))
        return low, high
