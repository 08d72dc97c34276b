"""Laws of single tables, set beside each other as those of a batch; some may be known by draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import Continuous, Stepped
from howsure.kernels.law import Pick

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stacked(Stepped):
    """Laws along one axis; points broadcast against it."""

    laws: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.laws),)

    @property
    def lower(self) -> float:
        return min(float(x.lower) for x in self.laws)

    @property
    def upper(self) -> float:
        return max(float(x.upper) for x in self.laws)

    @property
    def unimodal(self) -> bool:
        return all(x.unimodal for x in self.laws)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Stacked:
        places = np.broadcast_to(np.arange(len(self.laws)), shape)[pick]
        return Stacked(tuple(self.laws[i] for i in np.ravel(places)))

    def _each(self, call: Callable[[Any, list[Array]], tuple[Array, ...]], *points: Any) -> tuple[Array, ...]:
        """What every law says of its own points, which lie along the last axis."""
        shape = np.broadcast_shapes(self.shape, *(np.shape(x) for x in points))
        spread = [np.broadcast_to(x, shape) for x in points]
        found = [call(law, [x[..., i] for x in spread]) for i, law in enumerate(self.laws)]
        return tuple(np.stack([np.asarray(part) for part in parts], axis=-1) for parts in zip(*found, strict=True))

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

    def mean(self) -> Array:
        return np.stack([np.asarray(x.mean()) for x in self.laws])

    def std(self) -> Array:
        return np.stack([np.asarray(x.std()) for x in self.laws])

    def median(self) -> Array:
        return np.stack([np.asarray(x.median()) for x in self.laws])

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        low, high, below, above = (
            np.stack(part) for part in zip(*(x.equal_tailed(level) for x in self.laws), strict=True)
        )
        return low, high, below, above

    def mode(self) -> Array:
        return np.stack([np.asarray(x.mode()) for x in self.laws])

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        low, high, unbounded = zip(*(x.shortest(level, log_scale) for x in self.laws), strict=True)
        return np.stack(low), np.stack(high), np.stack(unbounded)

    @property
    def error(self) -> tuple[Array, Array]:
        value, chance = (np.stack(parts) for parts in zip(*(x.error for x in self.laws), strict=True))
        return value, chance

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        low, high = zip(*(x.end_errors(level, shortest) for x in self.laws), strict=True)
        return np.stack(low), np.stack(high)


def stacked(laws: Sequence[Continuous], shape: tuple[int, ...]) -> Continuous:
    """One law as it is; several along the axis of a batch."""
    return laws[0] if shape == () else Stacked(tuple(laws))
