"""A law kept between two points and seen through a Möbius map.

Statement: E has a known law; M = (a·E + b)/(c·E + d) given low <= E <= high, for arrays of low, high and coefficients.
P(M <= t) is P(low <= E <= e)/P(low <= E <= high) where M rises with E, with e the point that maps to t.
Domain: the map has no pole inside; M lies in [0, 1]; P(low <= E <= high) of 1e-9 and more. Where the law is cut off, M
is 0 or 1: the shortest interval begins or ends there, or has equal densities at its ends.
Formula: both tails by differences of the tails of E; quantiles by the quantiles of E; moments by a double-exponential
rule on the tail.
Error: that of E's law over P(low <= E <= high); moments 1e-10 (tests/relations/test_band.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from howsure.arrays import Array, Mask
from howsure.distributions.continuous import Continuous, error_of_search
from howsure.distributions.protocol import Law, Pick

_X = np.linspace(-3.3, 3.3, 89)
_BELOW, _ABOVE = special.expit(np.pi * np.sinh(_X)), special.expit(-np.pi * np.sinh(_X))
_NEGLIGIBLE = 1e-17
_WEIGHTS = (_X[1] - _X[0]) * np.pi * np.cosh(_X) * _BELOW * _ABOVE


@dataclass(frozen=True, eq=False)
class Truncated(Continuous):
    """E's law, of one table, between low and high; arrays have the shape of the batch."""

    inner: Law
    low: Array
    high: Array
    map: tuple[Array, Array, Array, Array]
    missed: Array | float = 0.0  # probability, given the event, of what the event should leave out but does not
    lower: float = 0.0
    upper: float = 1.0
    unimodal: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.high)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Truncated:
        def some(x: Array) -> Array:
            return np.asarray(np.broadcast_to(x, shape)[pick])

        a, b, c, d = (some(x) for x in self.map)
        return Truncated(self.inner, some(self.low), some(self.high), (a, b, c, d), some(np.asarray(self.missed)))

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """P(E <= low) and P(E > high)."""
        return self.inner.tails(self.low)[0], self.inner.tails(self.high)[1]

    @cached_property
    def kept(self) -> Array:
        """P(low <= E <= high)."""
        below, above = self._ends
        wide, narrow = self.inner.tails(self.high)[0] - below, self.inner.tails(self.low)[1] - above
        return np.asarray(np.where(below < 0.5, wide, narrow))

    @cached_property
    def _rising(self) -> Mask:
        a, b, c, d = self.map
        return np.asarray(a * d - b * c > 0)

    def _value(self, e: Array) -> Array:
        a, b, c, d = self.map
        return np.clip((a * e + b) / (c * e + d), self.lower, self.upper)

    def _back(self, t: Array) -> Array:
        a, b, c, d = self.map
        with np.errstate(divide="ignore", invalid="ignore"):
            e = (d * t - b) / (a - c * t)
        return np.clip(np.where(np.isnan(e), -np.inf, e), self.low, self.high)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        below, above = self._ends
        low, high = self.inner.tails(self._back(np.asarray(t, dtype=float)))
        low, high = (np.clip((x - y) / self.kept, 0.0, 1.0) for x, y in ((low, below), (high, above)))
        low, high = np.where(low <= high, low, 1.0 - high), np.where(low <= high, 1.0 - low, high)
        return np.where(self._rising, low, high), np.where(self._rising, high, low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        del t_low
        t = np.asarray(t, dtype=float)
        a, b, c, d = self.map
        e = self._back(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.inner.pdf(e) * np.abs(a * d - b * c) / (a - c * t) ** 2 / self.kept
        ends = self._value(np.stack(np.broadcast_arrays(self._finite_low, self.high)))
        inside = (t >= ends.min(axis=0)) & (t <= ends.max(axis=0)) & np.isfinite(e)
        return np.asarray(np.where(inside & ~np.isnan(value), value, 0.0))

    @property
    def _finite_low(self) -> Array:
        return np.maximum(self.low, -1e300)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        """The point with lower tail p and upper tail q, and its gaps to 0 and 1."""
        p, q = (np.where(self._rising, x, y) for x, y in ((p, q), (q, p)))
        below, above = self._ends
        e = self.inner.quantile(below + p * self.kept, above + q * self.kept)[0]
        value = self._value(np.clip(e, self._finite_low, self.high))
        return value, value - self.lower, self.upper - value

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Mean and standard deviation: E[M] = top - ∫ P(M <= t) dt from where the law begins to where it ends.

        The density of E has a corner at 0, the value of a cell of its own: each side has its integral.
        """
        ends = np.array([_NEGLIGIBLE, 1.0]), np.array([1.0, _NEGLIGIBLE])
        p, q, x, y, w = (x.reshape(-1, *([1] * len(self.shape))) for x in (*ends, _BELOW, _ABOVE, _WEIGHTS))
        bottom, top = self.quantile(p, q)[0]
        corner = np.clip(self._value(np.clip(0.0, self._finite_low, self.high)), bottom, top)
        parts = []
        for a, b in ((bottom, corner), (corner, top)):
            if np.all(a == b):
                continue
            t = np.where(x <= y, a + (b - a) * x, b - (b - a) * y)
            parts.append((t, (b - a) * w * self.tails(t)[0]))
        mean = top - sum(below.sum(axis=0) for _, below in parts)
        square = (top - mean) ** 2 - sum((2 * (t - mean) * below).sum(axis=0) for t, below in parts)
        return np.asarray(mean), np.sqrt(np.maximum(square, 0.0))

    @cached_property
    def error(self) -> tuple[Array, Array]:
        """Errors of E's law over the probability of the event, and what the missed part can move: F by that much."""
        value, probability = error_of_search(*self.body)
        value, probability = value / self.kept, probability / self.kept + self.missed
        if not np.any(self.missed):
            return value, probability
        p = np.array([0.025, 0.5, 0.975]).reshape(-1, *([1] * len(self.shape)))
        ends = [np.clip(p + s * self.missed, 0.0, 1.0) for s in (-1, 1)]
        low, high = (self.quantile(x, 1.0 - x)[0] for x in ends)
        return value + np.maximum((high - low).max(axis=0), self.missed * (self.upper - self.lower)), probability

    def mean(self) -> Array:
        return self._moments[0]

    def std(self) -> Array:
        return self._moments[1]
