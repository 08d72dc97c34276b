"""A law seen through the square root or the logarithm: M = g(R) with R >= 0.

Statement: P(g(R) <= t) = P(R <= g⁻¹(t)). Formula: t² is carried as two doubles, so that 1 - t² keeps its digits
near 1. Error: that of R's law at the exact point; exp(t) adds one rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.exact import two_product
from howsure.kernels.quantiles import Law

Array = NDArray[np.float64]


class Inner(Law, Protocol):
    """A law that can take moments of a function of itself."""

    def moments(self, g: Callable[[Array], Array], growth: float) -> tuple[Array, Array]: ...
    def rows(self, pick: NDArray[np.bool_], shape: tuple[int, ...]) -> Inner: ...


@dataclass(frozen=True)
class Through:
    """sqrt(R) or log(R)."""

    inner: Inner
    kind: str

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inner.shape

    @property
    def unimodal(self) -> bool:
        return self.inner.unimodal

    def rows(self, pick: NDArray[np.bool_], shape: tuple[int, ...]) -> Through:
        """The law of the picked entries of the batch, flat."""
        return Through(self.inner.rows(pick, shape), self.kind)

    def corners(self) -> tuple[float, ...]:
        """Points where the density may have a corner."""
        found = getattr(self.inner, "corners", None)
        return tuple(float(self._g(np.asarray(x))) for x in found() if x >= 0) if found is not None else ()

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

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        high, low, _ = self._back(t, t_low)
        return self.inner.tails(high, low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        high, low, slope = self._back(t, t_low)
        with np.errstate(invalid="ignore"):
            value = self.inner.pdf(high, low) * slope
        inside = (t >= self.lower) & (t <= self.upper)
        return np.where(inside, np.nan_to_num(value, nan=0.0, posinf=np.inf), 0.0)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        value, _, above = self.inner.quantile(p, q)
        out = self._g(value)
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

    def moments(self, g: Callable[[Array], Array], growth: float) -> tuple[Array, Array]:
        """Moments of g(M), through R's own law."""
        by_logs = getattr(self.inner, "log_moments", None)
        if self.kind == "log" and by_logs is not None:
            mean, std = by_logs(g)
            return np.asarray(mean), np.asarray(std)
        rate = 0.5 * growth if self.kind == "sqrt" else 0.0
        return self.inner.moments(lambda x: g(self._g(x)), rate)
