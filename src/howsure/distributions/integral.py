"""Distributions by one integral over a Beta, and monotone transforms of distributions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from howsure.arrays import Array, Mask
from howsure.distributions.continuous import Stepped, WithMoments
from howsure.distributions.exact import two_product
from howsure.distributions.protocol import Pick, Transform

if TYPE_CHECKING:
    from howsure.distributions.low_end import LowEnd, Powers

# -- integral
#
# The law of a measure that takes one integral: both tails, density, quantiles and moments from its core.

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

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return self.core.shape

    @cached_property
    def lower(self) -> float:
        return self.core.lower

    @cached_property
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


# -- transformed
#
# A law seen through the square root or the logarithm: M = g(R) with R >= 0.
#
# Statement: P(g(R) <= t) = P(R <= g⁻¹(t)). Formula: t² is carried as two doubles, so that 1 - t² keeps its digits
# near 1. Error: that of R's law at the exact point; exp(t) adds one rounding.

_SAME_POWER = 1e-9  # powers that come from two tails are off by less


@dataclass(frozen=True, eq=False)
class Transformed(WithMoments):
    """sqrt(R) or log(R)."""

    inner: WithMoments
    kind: str  # sqrt or log

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inner.shape

    @property
    def unimodal(self) -> bool:
        return self.inner.unimodal

    @property
    def searched(self) -> bool:
        return self.inner.searched

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Transformed:
        return Transformed(self.inner.rows(pick, shape), self.kind)

    def corners(self) -> tuple[float, ...]:
        return tuple(float(self._g(np.asarray(x))) for x in self.inner.corners() if x >= 0)

    def _g(self, x: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(np.maximum(x, 0.0)) if self.kind == "sqrt" else np.log(x)

    @property
    def lower(self) -> float:
        return float(self._g(np.asarray(self.inner.lower)))

    @property
    def upper(self) -> float:
        return float(self._g(np.asarray(self.inner.upper)))

    def _back(self, t: Array, t_low: Array | float) -> tuple[Array, Array, Array]:
        """R's point as two doubles, and dR/dt."""
        t = np.clip(np.asarray(t, dtype=float), self.lower, self.upper)
        if self.kind == "sqrt":
            finite = np.where(np.isfinite(t), t, 0.0)
            high, low = two_product(finite, finite)
            return np.where(np.isfinite(t), high, t), low + 2 * finite * t_low, 2 * t
        with np.errstate(over="ignore", under="ignore"):
            value = np.exp(t)
        return value, value * t_low, value

    @property
    def _start(self) -> Array | float:
        """The log of the point from which R's tail is taken from its low end."""
        from howsure.distributions.low_end import START

        powers = self.inner.powers_at_zero()
        return START if powers is None else powers[2]

    @cached_property
    def _low_end(self) -> LowEnd:
        """R's tail at points down to and below the smallest double, where R ends at 0."""
        from howsure.distributions.low_end import low_end

        return low_end(lambda t: self.inner.tails(t)[0], self.shape, self.inner.powers_at_zero())

    def _tiny(self, t: Array) -> tuple[LowEnd, Array, Mask] | None:
        """R's low end, log R at t, and where that is below what doubles can show of R; None where it is nowhere."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log_point = 2.0 * np.log(t) if self.kind == "sqrt" else np.asarray(t, dtype=float)
        tiny = (log_point < self._start) & (log_point > -np.inf)
        if self.inner.lower != 0 or not tiny.any():
            return None
        return self._low_end, np.where(tiny, log_point, self._low_end.start), tiny

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        high, low, _ = self._back(t, t_low)
        below, above = self.inner.tails(high, low)
        found = self._tiny(t)
        if found is None:
            return below, above
        end, log_point, tiny = found
        tail = end.tail(log_point)
        return np.where(tiny, tail, below), np.where(tiny, 1.0 - tail, above)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        high, low, slope = self._back(t, t_low)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            value = self.inner.pdf(high, low) * slope
            if (found := self._tiny(t)) is not None:
                end, log_point, tiny = found
                value = np.where(tiny, end.slope(log_point) * (2.0 / t if self.kind == "sqrt" else 1.0), value)
            if self.kind == "sqrt" and self.inner.lower == 0 and (t == 0).any():
                value = np.where(t == 0, self._at_zero, value)  # a density without end times a slope of 0 tells nothing
        inside = (t >= self.lower) & (t <= self.upper)
        return np.where(inside, np.nan_to_num(value, nan=0.0, posinf=np.inf), 0.0)

    @cached_property
    def _at_zero(self) -> Array:
        """The density of sqrt(R) at 0: where the tail of R is C·s^a, it is C if a = 1/2, infinite below and 0 above."""
        end = self._low_end
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            alone = np.where(end.second == 0, end.first, np.inf)  # s^a·log s has no end
            constant = np.where(end.gap > 0, end.first - end.second / end.gap, alone)
            half = constant / np.exp(0.5 * end.start)
        found = np.where(np.abs(end.power - 0.5) < _SAME_POWER, half, np.where(end.power < 0.5, np.inf, 0.0))
        return np.where(end.first > 0, found, 0.0)  # a tail below any double is that of a high power

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        value, _, above = self.inner.quantile(p, q)
        out = self._g(value)
        low = (value <= 10.0 * np.exp(self._start)) & (np.asarray(p) > 0)
        if self.inner.lower == 0 and low.any():
            tiny = low & (p < self._low_end.first)
            log_point = self._low_end.log_quantile(np.asarray(p))
            with np.errstate(under="ignore"):
                out = np.where(tiny, np.exp(0.5 * log_point) if self.kind == "sqrt" else log_point, out)
        with np.errstate(invalid="ignore", divide="ignore"):
            near = self.kind == "sqrt" and np.isfinite(self.upper)
            return out, out - self.lower, above / (self.upper + out) if near else self.upper - out

    def mean(self) -> Array:
        return self._mean_and_std[0]

    def std(self) -> Array:
        return self._mean_and_std[1]

    @cached_property
    def _mean_and_std(self) -> tuple[Array, Array]:
        return self.moments(lambda x: x, 1.0)

    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Moments of g(M), through R's own law."""
        if self.kind == "log":
            return self.inner.log_moments(g)
        return self.inner.moments(lambda x: g(self._g(x)), 0.5 * growth)
