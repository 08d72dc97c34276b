"""The law of a batch in which tables occur again: numbers of the law are found once for each different table.

Statement: tables that are equal have equal laws. Thousands of slices of few items have few different tables, and what
takes a search or an integral (ends, median, mode) is done for these. Points of their own are asked of the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import Continuous
from howsure.kernels.law import Pick

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Repeated(Continuous):
    """The law of the different tables, and the place among them of each table of the batch, which has one axis."""

    law: Continuous
    place: Index

    @property
    def shape(self) -> tuple[int, ...]:
        return self.place.shape

    @property
    def lower(self) -> float:
        return self.law.lower

    @property
    def upper(self) -> float:
        return self.law.upper

    @property
    def unimodal(self) -> bool:
        return self.law.unimodal

    @property
    def searched(self) -> bool:
        return self.law.searched

    def corners(self) -> tuple[float, ...]:
        return self.law.corners()

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Continuous:
        return self.law.rows(np.broadcast_to(self.place, shape)[pick], self.law.shape)

    @cached_property
    def _whole(self) -> Continuous:
        return self.law.rows(self.place, self.law.shape)

    # -- functions

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        if np.ndim(t) or np.ndim(t_low):
            return self._whole.tails(t, t_low)
        one, two = map(self._at, self.law.tails(t, t_low))
        return one, two

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self._whole.pdf(t, t_low)

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        """Of a law that has tails and densities together."""
        found: tuple[Array, Array] = self._whole.one_tail(t, t_low, upper, density)  # type: ignore[attr-defined]
        return found

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return self._whole.quantile(p, q)

    def signs(self) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.signs())
        return one, two

    # -- numbers

    def _at(self, x: Any) -> Any:
        """What the different tables have, for each table of the batch."""
        return np.broadcast_to(x, self.law.shape)[self.place]

    def mean(self) -> Array:
        return self.law.mean()[self.place]

    def std(self) -> Array:
        return self.law.std()[self.place]

    @cached_property
    def body(self) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.body)
        return one, two

    def median(self) -> Array:
        return self.law.median()[self.place]

    def mode(self) -> Array:
        return self.law.mode()[self.place]

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        low, high, below, above = map(self._at, self.law.equal_tailed(level))
        return low, high, below, above

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        low, high, unbounded = map(self._at, self.law.shortest(level, log_scale))
        return low, high, unbounded

    @cached_property
    def error(self) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.error)
        return one, two

    def own_error(self) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.own_error())
        return one, two

    def mean_error(self) -> Array:
        return np.asarray(self._at(self.law.mean_error()))

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.end_errors(level, shortest))
        return one, two
