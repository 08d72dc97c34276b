"""The law of a batch in which tables occur again: numbers of the law are found once for each different table.

Statement: tables that are equal have equal laws. Thousands of slices of few items have few different tables, and what
takes a search or an integral (ends, median, mode) is done for these. Points of their own are asked of the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable
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
class RepeatedTables(Continuous):
    """The law of the different tables, and the place among them of each table of the batch, which has one axis."""

    law: Any  # of one axis; by draws, or partly so, as well as exact
    place: Index

    @property
    def shape(self) -> tuple[int, ...]:
        return self.place.shape

    @property
    def lower(self) -> float:
        return float(self.law.lower)

    @property
    def upper(self) -> float:
        return float(self.law.upper)

    @property
    def n(self) -> int | None:
        number: int | None = self.law.n
        return number

    @property
    def floor(self) -> float:
        return float(self.law.floor)

    @property
    def unimodal(self) -> bool:
        return isinstance(self.law, Continuous) and self.law.unimodal

    @property
    def searched(self) -> bool:
        return isinstance(self.law, Continuous) and self.law.searched

    def corners(self) -> tuple[float, ...]:
        return self.law.corners() if isinstance(self.law, Continuous) else ()

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Continuous:
        own: Continuous = self.law.rows(np.broadcast_to(self.place, shape)[pick], self.law.shape)
        return own

    @cached_property
    def _whole(self) -> Any:
        return self.law.rows(self.place, self.law.shape)

    # -- functions

    def _told(self, ask: Callable[..., tuple[Array, ...]], *points: Any) -> tuple[Array, ...]:
        """Points that are the same for all tables are asked of the different ones; points of their own, of all."""
        if not any(np.ndim(x) and np.shape(x)[-1] != 1 for x in points):
            shape = np.broadcast_shapes(self.law.shape, *(np.shape(x) for x in points))
            return tuple(np.broadcast_to(x, shape)[..., self.place] for x in ask(self.law, *points))
        return ask(self._whole, *points) if self.law.n is None else self._one_by_one(ask, *points)

    def _one_by_one(self, ask: Callable[..., tuple[Array, ...]], *points: Any) -> tuple[Array, ...]:
        """Points of their own of tables that are drawn: the draws are not copied for each table that has them."""
        spread = [np.broadcast_to(x, np.broadcast_shapes(self.shape, *(np.shape(y) for y in points))) for x in points]
        order = np.argsort(self.place, kind="stable")
        tables = np.split(order, np.flatnonzero(np.diff(self.place[order])) + 1)
        parts = [  # a law of one table: points lie along the axis before
            ask(self.law.rows(self.place[at[:1]], self.law.shape), *(x[..., at, None] for x in spread)) for at in tables
        ]
        back = np.argsort(np.concatenate(tables))
        return tuple(np.concatenate([y[..., 0] for y in x], axis=-1)[..., back] for x in zip(*parts, strict=True))

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        below, above = self._told(lambda law, *x: law.tails(*x), t, t_low)
        return below, above

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self._told(lambda law, *x: (law.pdf(*x),), t, t_low)[0]

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        """Of a law that has tails and densities together."""
        tail, pdf = self._told(lambda law, *x: law.one_tail(*x, density), t, t_low, upper)
        return tail, pdf

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        value, below, above = self._told(lambda law, *x: law.quantile(*x), p, q)
        return value, below, above

    def signs(self) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.signs())
        return one, two

    # -- numbers

    def _at(self, x: Any) -> Any:
        """What the different tables have, for each table of the batch."""
        return np.broadcast_to(x, self.law.shape)[self.place]

    def mean(self) -> Array:
        return np.asarray(self._at(self.law.mean()))

    def std(self) -> Array:
        return np.asarray(self._at(self.law.std()))

    @cached_property
    def body(self) -> tuple[Array, Array]:
        if not isinstance(self.law, Continuous):
            return super().body
        one, two = map(self._at, self.law.body)
        return one, two

    def median(self) -> Array:
        return np.asarray(self._at(self.law.median()))

    def mode(self) -> Array:
        return np.asarray(self._at(self.law.mode()))

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
        if not isinstance(self.law, Continuous):
            return super().own_error()
        one, two = map(self._at, self.law.own_error())
        return one, two

    def mean_error(self) -> Array:
        return np.asarray(self._at(self.law.mean_error()))

    def standard_error(self) -> Array:
        return np.asarray(self._at(self.law.standard_error()))

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        one, two = map(self._at, self.law.end_errors(level, shortest))
        return one, two
