"""Shares across the two rows of a two-level model: precision, npv and their complements, by one contour integral.

Statement: with class share μ ~ Beta(a, b), and independent rates θ ~ Beta(c, d) and φ ~ Beta(e, f) within the two rows,
the log odds of μθ/(μθ + (1-μ)φ) are logit μ + log θ - log φ, whose moment generating function is a product of Gamma
functions, Γ(a+s)Γ(b-s)/(Γ(a)Γ(b)) · B(c+s, d)/B(c, d) · B(e-s, f)/B(e, f). P(log odds > y) is the integral of
exp(K(s) - s·y)/s over a line through its saddle, as in contour.py.
Domain: shapes from .02 to 1e9. Error: 1e-10 (differences of log Gammas at large shapes by Stirling's series).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from howsure.arrays import Array, Complex, Mask
from howsure.distributions.continuous import Stepped, WithMoments
from howsure.distributions.exact import log1p
from howsure.distributions.protocol import Pick, Transform

_STEP = 0.125
_NODES = 56
_GRID = 401


@dataclass(frozen=True, eq=False)
class AcrossRows(Stepped, WithMoments):
    """The law of μθ/(μθ + (1-μ)φ); shapes may be batches."""

    share: tuple[Array, Array]
    upper_row: tuple[Array, Array]
    lower_row: tuple[Array, Array]

    lower: float = 0.0
    upper: float = 1.0
    unimodal: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(np.shape(x) for x in self._all))

    @property
    def _all(self) -> tuple[Array, ...]:
        return (*self.share, *self.upper_row, *self.lower_row)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> AcrossRows:
        a, b, c, d, e, f = (np.broadcast_to(x, shape)[pick] for x in self._all)
        return AcrossRows((a, b), (c, d), (e, f))

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.tails_around(self._centre, t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        value = self.one_tail(t, t_low, t > self._centre, density=True)[1]
        for end, gap in ((0.0, 1e-12), (1.0, 1.0 - 1e-12)):
            at = t == end
            if np.any(at):  # the limit: infinite where it grows towards the end
                near, far = (
                    self.one_tail(np.asarray(x), 0.0, np.asarray(end > 0), True)[1]
                    for x in (gap, end + 1e3 * (gap - end))
                )
                value = np.where(at, np.where(near > 1.5 * far, np.inf, np.where(near < far / 1.5, 0.0, near)), value)
        return value

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        del t_low, density
        full = np.broadcast_shapes(np.shape(t), self.shape)
        t, up = np.broadcast_to(t, full), np.broadcast_to(upper, full)
        inside = (t > 0) & (t < 1)
        safe = np.where(inside, t, 0.5)
        with np.errstate(divide="ignore"):
            y = np.log(safe) - np.log1p(-safe)
        tail, slope = self._line(y, up)
        pdf = np.where(inside, slope / (safe * (1.0 - safe)), 0.0)
        return np.where(inside, np.clip(tail, 0.0, 1.0), np.where((t <= 0) == up, 1.0, 0.0)), pdf

    def mean(self) -> Array:
        return self._moments[0]

    def std(self) -> Array:
        return self._moments[1]

    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Mean and standard deviation of g(M), by the trapezoid rule on the log odds."""
        del growth
        value, weight = self._nodes
        at = g(value)
        mean = (weight * at).sum(axis=0)
        return np.asarray(mean), np.asarray(np.sqrt((weight * (at - mean) ** 2).sum(axis=0)))

    @cached_property
    def _centre(self) -> Array:
        a, b, c, d, e, f = self._all
        odds = a / b * c / (c + d) * (e + f) / e
        return np.asarray(odds / (1.0 + odds))

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        return self.moments(lambda x: x, 1.0)

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        """Points of the law and their weights, which sum to 1."""
        a, b, c, d, e, f = self._all
        middle = special.digamma(a) - special.digamma(b) + special.digamma(c) - special.digamma(c + d)
        middle = middle - special.digamma(e) + special.digamma(e + f)
        spread = np.sqrt(sum(special.polygamma(1, x) for x in (a, b, c, e)))
        u = np.linspace(-7.0, 7.0, _GRID).reshape(-1, *([1] * len(self.shape)))
        y = middle + spread * np.sinh(u)
        weight = self._line(y, np.broadcast_to(y > middle, np.broadcast_shapes(y.shape, self.shape)))[1]
        weight = weight * spread * np.cosh(u)
        return np.maximum(special.expit(y), 1e-300), np.asarray(weight / weight.sum(axis=0))

    def _line(self, y: Array, upper: Mask) -> tuple[Array, Array]:
        """The tail and the density of the log odds at y."""
        full = np.broadcast_shapes(y.shape, self.shape)
        y = np.broadcast_to(y, full)
        a, b, c, d, e, f = (np.broadcast_to(x, full) for x in self._all)
        side = np.where(upper, 1.0, -1.0)
        edge = np.where(upper, np.minimum(b, e), -np.minimum(a, c))

        def slopes(s: Array) -> tuple[Array, Array]:
            psi = special.digamma
            first = psi(a + s) - psi(b - s) + psi(c + s) - psi(c + d + s) - psi(e - s) + psi(e + f - s)
            second = [special.polygamma(1, x) for x in (a + s, b - s, c + s, c + d + s, e - s, e + f - s)]
            return np.asarray(first), np.asarray(second[0] + second[1] + second[2] - second[3] + second[4] - second[5])

        low, high = np.full(full, -40.0), np.full(full, 30.0)
        for _ in range(40):
            middle = 0.5 * (low + high)
            s = edge * special.expit(middle)
            beyond = side * (slopes(s)[0] - y - 1.0 / s) > 0
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        s = edge * special.expit(0.5 * (low + high))
        curve = slopes(s)[1] + 1.0 / s**2
        width = np.minimum(1.0 / np.sqrt(curve), np.abs(edge) * special.expit(-0.5 * (low + high)))
        return self._sum((a, b, c, d, e, f), y, s, width, side)

    @staticmethod
    def _sum(shapes: tuple[Array, ...], y: Array, s: Array, width: Array, side: Array) -> tuple[Array, Array]:
        a, b, c, d, e, f = (x[..., None] for x in shapes)

        def cumulant(z: Complex) -> Complex:
            up = _rise(a, z) + _rise(b, -z) + _rise(c, z) + _rise(e, -z)
            return np.asarray(up - _rise(c + d, z) - _rise(e + f, -z) - z * y[..., None])

        u = _STEP * np.arange(_NODES)
        z = s[..., None] + 1j * width[..., None] * np.sinh(u)
        peak = cumulant(s[..., None].astype(complex)).real
        with np.errstate(under="ignore"):
            term = np.exp(cumulant(z) - peak) * np.cosh(u)
            term[..., 0] *= 0.5
            factor = np.exp(peak[..., 0]) * width * _STEP / np.pi
            return side * (term / z).real.sum(axis=-1) * factor, np.maximum(term.real.sum(axis=-1) * factor, 0.0)


def _rise(a: Array, z: Complex) -> Complex:
    """log Γ(a + z) - log Γ(a); at large a from Stirling's series, in which the large parts cancel beforehand."""
    stirling = (a >= 30.0) & ((a + z).real >= 15.0)
    large, step = np.where(stirling, a, 30.0), np.where(stirling, z, 0.0)
    x = large + step
    series = (x - 0.5) * log1p(np.asarray(step / large, dtype=complex)) + step * (np.log(large) - 1.0)
    for k, c in enumerate((1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)):
        series = series + c * (x ** -(2 * k + 1) - large ** -(2 * k + 1.0))
    direct = special.loggamma(np.where(stirling, 1.0, a + z)) - special.loggamma(np.where(stirling, 1.0, a))
    return np.where(stirling, series, direct)
