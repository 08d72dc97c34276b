"""Distributions of a batch from several kernels, and repeated tables computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import Array, Index, Mask
from howsure.distributions.continuous import Continuous, Stepped
from howsure.distributions.protocol import Law, Pick

# -- repeated
#
# The law of a batch in which tables occur again: numbers of the law are found once for each different table.
#
# Statement: tables that are equal have equal laws. Thousands of slices of few items have few different tables, and what
# takes a search or an integral (ends, median, mode) is done for these. Points of their own are asked of the whole
# batch.


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


# -- stacked
#
# Laws of parts of a batch, set beside each other as one; some may be known by draws.


@dataclass(frozen=True, eq=False)
class Stacked(Stepped):
    """Laws along one axis; points broadcast against it.

    Each law is that of one table, in their order, or of the tables at its `places`. `routes` name how each is known.
    """

    laws: tuple[Any, ...]
    places: tuple[Index, ...] = ()
    routes: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(x.size for x in self.places) if self.places else len(self.laws),)

    @property
    def lower(self) -> float:
        return min(float(x.lower) for x in self.laws)

    @property
    def upper(self) -> float:
        return max(float(x.upper) for x in self.laws)

    @property
    def n(self) -> int | None:
        """Of the law with the fewest draws."""
        return min((x.n for x in self.laws if x.n is not None), default=None)

    @property
    def floor(self) -> float:
        return max(float(x.floor) for x in self.laws)

    @property
    def unimodal(self) -> bool:
        return all(isinstance(x, Continuous) and x.unimodal for x in self.laws)

    @cached_property
    def _order(self) -> Index:
        """Where each table is among those of the first law, the second, and so on."""
        return np.argsort(np.concatenate(self.places)) if self.places else np.arange(len(self.laws))

    def joined(self, parts: Sequence[Any]) -> Array:
        """What every law says of its tables, as that of the batch; tables lie along the last axis."""
        if not self.places:
            return np.stack([np.asarray(x) for x in parts], axis=-1)
        return np.concatenate([np.asarray(x) for x in parts], axis=-1)[..., self._order]

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Stacked:
        wanted = np.broadcast_to(np.arange(self.shape[0]), shape)[pick].ravel()
        if not self.places:
            kept = tuple(self.routes[i] for i in wanted) if self.routes else ()
            return Stacked(tuple(self.laws[i] for i in wanted), routes=kept)
        rank = self._order[wanted]  # among the tables of all laws, one law after the other
        ends = np.cumsum([x.size for x in self.places])
        laws, places, routes = [], [], []
        names = self.routes or ("",) * len(self.laws)
        for law, end, own, name in zip(self.laws, ends, self.places, names, strict=True):
            at = np.flatnonzero((rank >= end - own.size) & (rank < end))
            if at.size:
                laws.append(law.rows(rank[at] - (end - own.size), law.shape))
                places.append(at)
                routes.append(name)
        return Stacked(tuple(laws), tuple(places), tuple(routes) if self.routes else ())

    def _each(self, call: Callable[[Any, list[Array]], tuple[Array, ...]], *points: Any) -> tuple[Array, ...]:
        """What every law says of its own points, which lie along the last axis."""
        shape = np.broadcast_shapes(self.shape, *(np.shape(x) for x in points))
        spread = [np.broadcast_to(x, shape) for x in points]
        own: Sequence[Any] = self.places or range(len(self.laws))
        found = [call(law, [x[..., i] for x in spread]) for i, law in zip(own, self.laws, strict=True)]
        return tuple(self.joined(parts) for parts in zip(*found, strict=True))

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        tail, pdf = self._each(lambda law, x: law.one_tail(x[0], x[1], x[2], density), t, t_low, upper)
        return tail, pdf

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        below, above = self._each(lambda law, x: law.tails(*x), t, t_low)
        return below, above

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self._each(lambda law, x: (law.pdf(*x),), t, t_low)[0]

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        value, below, above = self._each(lambda law, x: law.quantile(*x), p, q)
        return value, below, above

    def signs(self) -> tuple[Array, Array]:
        above, below = zip(*(x.signs() for x in self.laws), strict=True)
        return self.joined(above), self.joined(below)

    def mean(self) -> Array:
        return self.joined([x.mean() for x in self.laws])

    def std(self) -> Array:
        return self.joined([x.std() for x in self.laws])

    def median(self) -> Array:
        return self.joined([x.median() for x in self.laws])

    def mode(self) -> Array:
        return self.joined([x.mode() for x in self.laws])

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        low, high, below, above = map(self.joined, zip(*(x.equal_tailed(level) for x in self.laws), strict=True))
        return low, high, below, above

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        low, high, unbounded = zip(*(x.shortest(level, log_scale) for x in self.laws), strict=True)
        return self.joined(low), self.joined(high), self.joined(unbounded).astype(bool)

    @property
    def error(self) -> tuple[Array, Array]:
        parts = [(x.error[0], np.broadcast_to(x.error[1], x.shape)) for x in self.laws]
        value, chance = map(self.joined, zip(*parts, strict=True))
        return value, chance

    def mean_error(self) -> Array:
        return self.joined([x.mean_error() for x in self.laws])

    def standard_error(self) -> Array:
        return self.joined([x.standard_error() for x in self.laws])

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        low, high = map(self.joined, zip(*(x.end_errors(level, shortest) for x in self.laws), strict=True))
        return low, high


def stacked(laws: Sequence[Continuous], shape: tuple[int, ...]) -> Continuous:
    """One law as it is; several along the axis of a batch."""
    return laws[0] if shape == () else Stacked(tuple(laws))


def table_floors(law: Law) -> Array:
    """Below what a tail may as well be 0, at each table of a batch."""
    if isinstance(law, RepeatedTables):
        return table_floors(law.law)[law.place]
    if isinstance(law, Stacked):
        return law.joined([np.full(x.shape, x.floor) for x in law.laws])
    return np.full(law.shape, law.floor)


def table_routes(law: Law, route: str) -> NDArray[np.str_]:
    """How each table of a batch is known: as its own law is, where these have routes of their own."""
    if isinstance(law, RepeatedTables):
        return table_routes(law.law, route)[law.place]
    if isinstance(law, Stacked) and law.routes:
        names = [np.full(x.shape, name) for x, name in zip(law.laws, law.routes, strict=True)]
        return law.joined(names).astype(np.str_)
    return np.full(law.shape, route)
