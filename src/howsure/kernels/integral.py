"""The law of a measure that takes one integral: both tails, density, quantiles and moments from its core."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import Stepped, WithMoments
from howsure.kernels.law import Pick, Transform
from howsure.kernels.low_end import Powers

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
_STEADY = 1.02  # what a density that has a limit changes by, next to an end


class Core(Protocol):
    """What an integral needs to know of its measure: two_betas.py and linear_quotient.py have them."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    def evaluate(self, t: Array, t_low: Array | float, upper: Mask | None, density: bool) -> tuple[Array, Array]: ...
    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Core: ...
    def corners(self) -> tuple[float, ...]: ...
    def powers_at_zero(self) -> Powers | None: ...
    def density_at_zero(self) -> Array | None: ...
    def smallest(self) -> float: ...
    def centre(self) -> Array: ...
    def mirrored(self) -> Core: ...
    def closed(self) -> tuple[Array, Array] | None: ...
    def exists(self, order: float) -> Mask: ...
    def about(self, g: Transform, centre: Array, order: float) -> tuple[Array, Array]: ...
    def about_log(self, g: Transform, centre: Array) -> tuple[Array, Array]: ...


@dataclass(frozen=True, eq=False)
class Integral(Stepped, WithMoments):
    """A law given by a core; t is always an exact double, with an optional low part."""

    core: Core

    @property
    def shape(self) -> tuple[int, ...]:
        return self.core.shape

    @property
    def lower(self) -> float:
        return self.core.lower

    @property
    def upper(self) -> float:
        return self.core.upper

    @property
    def unimodal(self) -> bool:
        """Whether every shape is well above 1, so that the density has one inner peak and falls off smoothly."""
        return self.core.smallest() >= 1.5

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Integral:
        return Integral(self.core.rows(pick, shape))

    def corners(self) -> tuple[float, ...]:
        return self.core.corners()

    def powers_at_zero(self) -> Powers | None:
        return self.core.powers_at_zero()

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        inside = (t > self.lower) & (t < self.upper)
        safe = np.where(inside, t, self._somewhere())
        tail, pdf = self.core.evaluate(safe, t_low, upper, density)
        outside = np.where((t <= self.lower) == upper, 1.0, 0.0)
        tail = np.where(inside, np.minimum(np.maximum(tail, 0.0), 1.0), outside)
        return tail, np.where(inside, pdf, 0.0)

    def _somewhere(self) -> float:
        """A point inside the range, to stand in for points outside it."""
        if np.isfinite(self.lower) and np.isfinite(self.upper):
            return 0.5 * (self.lower + self.upper)
        if np.isfinite(self.lower):
            return self.lower + 1.0
        return self.upper - 1.0 if np.isfinite(self.upper) else 0.0

    @cached_property
    def _centre(self) -> Array:
        return self.core.centre()

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.tails_around(self._centre, t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        low, high = t > self.lower, t < self.upper
        inside = (low | ((t == self.lower) & (t_low > 0))) & (high | ((t == self.upper) & (t_low < 0)))
        safe = np.where(inside, t, self._somewhere())
        value = np.where(inside, self.core.evaluate(safe, t_low, None, True)[1], 0.0)
        for end, step in ((self.lower, 1.0), (self.upper, -1.0)):
            at = (t == end) & ~inside
            if np.isfinite(end) and np.any(at):
                value = np.where(at, self._at_end(end, step), value)
        return value

    def _at_end(self, end: float, step: float) -> Array:
        """The density's limit at an end: infinite where it still grows within 1e-18 of the range from it.

        Tails are powers of the distance, or a power times its log: a log grows by more than a third here.
        """
        known = self.core.density_at_zero() if end == 0.0 else None
        if known is not None:
            return known
        size = step * (self.upper - self.lower if np.isfinite(self.upper - self.lower) else 1.0)
        near, far = (self.pdf(np.asarray(end), size * gap) for gap in (1e-26, 1e-18))
        return np.where(near > _STEADY * far, np.inf, np.where(near < far / _STEADY, 0.0, near))

    def mean(self) -> Array:
        return self._mean_and_std[0]

    def std(self) -> Array:
        return self._mean_and_std[1]

    @cached_property
    def _mean_and_std(self) -> tuple[Array, Array]:
        closed = self.core.closed()
        if closed is not None:
            return closed
        bounded = np.isfinite(self.upper) and np.isfinite(self.lower)
        if bounded and np.all(2 * self._centre > self.lower + self.upper):
            mean, std = Integral(self.core.mirrored()).moments(lambda x: x, 1.0)
            return self.upper - mean, std
        return self.moments(lambda x: x, 1.0)

    def log_moments(self, g: Transform) -> tuple[Array, Array]:
        """Mean and standard deviation of g(log M) for a measure that is never negative."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            centre = np.asarray(g(np.log(self.core.centre())))
            one, two = self.core.about_log(g, centre)
        return centre + one, np.sqrt(np.maximum(two - one * one, 0.0))

    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Mean and standard deviation of g(M), g growing like M^growth; infinite where they do not exist."""
        core = self.core
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            centre = np.asarray(g(core.centre()))
            first, second = core.exists(growth), core.exists(2 * growth)
            reach = 2 * growth if bool(second.all()) else growth
            one, two = core.about(g, centre, reach if bool(core.exists(reach).all()) else 0.0)
            std = np.sqrt(np.maximum(two - one * one, 0.0))
            return np.where(first, centre + one, np.inf), np.where(second, std, np.inf)
