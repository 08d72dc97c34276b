"""A law seen through the square root or the logarithm: M = g(R) with R >= 0.

Statement: P(g(R) <= t) = P(R <= g⁻¹(t)). Formula: t² is carried as two doubles, so that 1 - t² keeps its digits
near 1. Error: that of R's law at the exact point; exp(t) adds one rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.continuous import WithMoments
from howsure.kernels.exact import two_product
from howsure.kernels.law import Pick, Transform
from howsure.kernels.low_end import START, LowEnd, low_end

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
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
        powers = self.inner.powers_at_zero()
        return START if powers is None else powers[2]

    @cached_property
    def _low_end(self) -> LowEnd:
        """R's tail at points down to and below the smallest double, where R ends at 0."""
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
