"""Laws of parts of a batch, set beside each other as one; some may be known by draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import Continuous, Stepped
from howsure.kernels.law import Law, Pick
from howsure.kernels.repeated import RepeatedTables

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


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
