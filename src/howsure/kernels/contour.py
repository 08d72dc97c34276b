"""A linear quotient of many Gammas: Σ top·G / Σ bottom·G, as in the Bayesian bootstrap of a mean.

Statement: P(M <= t) = P(X <= 0) with X = Σ c·G, c = top - t·bottom. X has the moment generating function
Π (1 - s·c)^(-shape), so P(X > 0) = 1/(2πi) ∫ exp(K(s)) ds/s along a line with a real part between 0 and 1/max c, and
P(X <= 0) along one between 1/min c and 0 (Lugannani & Rice 1980). The line goes through the saddle of the integrand,
where a tail has its digits however small it is; s = saddle + i·w·sinh(x) makes the trapezoid rule converge
geometrically both for the normal middle and for the algebraic tails of few items.
With equal bottoms all t share Λ(u) = -Σ shape·log(1 - u·d), d = top - centre, u = s/(1 + s·(t - centre)): many values
enter by their power sums, and only those too far out for the series one by one.
Domain: five values or more (fewer have laws of their own), total shape 1/2 or more.
Error: 1e-12, tails below 1e-6 within 1e-8 relative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import solve

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Mask = NDArray[np.bool_]

_STEP = 0.125  # e^(-2π·(π/4)/step) = 7e-18: the strip in which the integrand stays analytic
_BLOCK = 16
_BLOCKS = 60
_NEGLIGIBLE = 1e-18
_TERMS = 64  # of the power series, at ratios of 1/2 and less
_SMOOTH = 16.0  # the density at a value has as many derivatives as the others have weight, less two
_FEW = 512  # values up to which sums are taken one by one
_NUMBERS = 2_000_000  # complex numbers held at a time


@dataclass(frozen=True)
class Many:
    """The law of Σ top·G / Σ bottom·G with independent Gammas G of the given shapes; a single law, no batch."""

    top: Array
    bottom: Array
    shapes: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @cached_property
    def _values(self) -> Array:
        return self.top / self.bottom

    @cached_property
    def lower(self) -> float:
        return float(self._values.min())

    @cached_property
    def upper(self) -> float:
        return float(self._values.max())

    @property
    def unimodal(self) -> bool:
        """Whether so many items share the weight that the density has one peak."""
        return bool(self.total >= 50 and (self.shapes * self.bottom).max() < 0.1 * (self.shapes * self.bottom).sum())

    def rows(self, pick: Mask, shape: tuple[int, ...]) -> Many:
        """The law itself: there is no batch to pick from."""
        del pick, shape
        return self

    def corners(self) -> tuple[float, ...]:
        """Values at which the density is not smooth: without that value, little weight is left."""
        return tuple(self._values[self.total - self.shapes < _SMOOTH].tolist())

    @cached_property
    def total(self) -> float:
        return float(self.shapes.sum())

    @cached_property
    def _plain(self) -> bool:
        return bool((self.bottom == self.bottom[0]).all())

    @cached_property
    def _centre(self) -> float:
        return float((self.shapes * self.top).sum() / (self.shapes * self.bottom).sum())

    # -- what the rest of the house asks of a law

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        """Both tails, the smaller by its own integral."""
        t = np.asarray(t, dtype=float)
        beyond = t > self._centre
        small = self.one_tail(t, t_low, beyond, density=False)[0]
        return np.where(beyond, 1.0 - small, small), np.where(beyond, small, 1.0 - small)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        return self.one_tail(t, t_low, t > self._centre, density=True)[1]

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array, Array]:
        """P(M > t) where upper, else P(M <= t); the density if asked for; the size of the last terms left out."""
        del t_low
        t = np.asarray(t, dtype=float)
        above = np.broadcast_to(upper, t.shape)
        inside = (t > self.lower) & (t < self.upper)
        tail = np.where((t <= self.lower) == above, 1.0, 0.0)
        pdf = np.zeros(t.shape)
        if inside.any():
            found = self._inside(t[inside], above[inside], density)
            tail[inside], pdf[inside] = np.clip(found[0], 0.0, 1.0), np.maximum(found[1], 0.0)
        return tail, pdf, np.zeros(t.shape)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return solve.quantile(self, np.asarray(p), np.asarray(q))

    def mean(self) -> Array:
        return np.asarray(self._moments[0])

    def std(self) -> Array:
        return np.asarray(self._moments[1])

    def moments(self, g: Callable[[Array], Array], growth: float) -> tuple[Array, Array]:
        """Not needed: the range is bounded, so searches start from the mean and the standard deviation."""
        raise NotImplementedError

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Closed for equal bottoms; otherwise E[X/Y] = ∫ E[X·e^(-uY)] du and E[X²/Y²] = ∫ u·E[X²·e^(-uY)] du."""
        a, m = self.shapes, self._centre
        if self._plain:
            spread = (a * (self._values - m) ** 2).sum() / self.total
            return m, float(np.sqrt(spread / (self.total + 1.0)))
        b = self.bottom / self.bottom.max()
        c = self.top / self.bottom.max() - m * b
        one = two = 0.0
        for x in np.linspace(-60.0, 60.0, 961):
            u = np.exp(x - np.log((a * b).sum()))
            weight = np.exp(-(a * np.log1p(u * b)).sum()) * u * 0.125
            shrunk = c / (1.0 + u * b)
            first = float((a * shrunk).sum())
            one += weight * first
            two += weight * u * (first**2 + float((a * shrunk**2).sum()))
        return m + one, float(np.sqrt(max(two - one * one, 0.0)))

    # -- the integral

    def _inside(self, t: Array, upper: Mask, density: bool) -> tuple[Array, Array]:
        """Tail and density at points inside the range, some at a time."""
        width = self.shapes.size if not self._plain or self.shapes.size <= _FEW else _TERMS + 64
        many = max(1, _NUMBERS // (width * _BLOCK))
        parts = [self._some(t[i : i + many], upper[i : i + many], density) for i in range(0, t.size, many)]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _some(self, t: Array, upper: Mask, density: bool) -> tuple[Array, Array]:
        line = self._line(t, upper)
        generating = self._generating(t, line)
        peak = generating(np.zeros((t.size, 1)))[0].real
        tail, pdf = np.zeros(t.shape), np.zeros(t.shape)
        for block in range(_BLOCKS):
            x = _STEP * (np.arange(_BLOCK) + block * _BLOCK)
            tau = line.width[:, None] * np.sinh(x)
            s = line.saddle[:, None] + 1j * tau
            k, slope = generating(tau)
            with np.errstate(under="ignore"):
                term = np.exp(k - peak) * np.cosh(x)
            if block == 0:
                term[:, 0] *= 0.5  # the line is symmetric: half of the middle node
            tail += (term / s).real.sum(axis=1)
            if density:
                pdf += (term * slope).real.sum(axis=1)
            if (np.abs(term[:, -1]) * np.maximum(1.0, np.abs(s[:, -1] / line.saddle)) < _NEGLIGIBLE).all():
                break
        with np.errstate(under="ignore"):
            factor = np.exp(peak[:, 0]) * line.width * _STEP / np.pi
            return np.abs(tail * factor), pdf * factor

    def _line(self, t: Array, upper: Mask) -> _Line:
        """Where exp(K(s))/s is smallest on the real line between 0 and the nearest pole, and the width of its peak.

        An approximate place will do, so many values are first gathered into a few hundred bins.
        """
        a, top, bottom = self._gathered
        side = np.where(upper, 1.0, -1.0)  # the lower tail of X is the upper tail of -X
        c = side[:, None] * (top - t[:, None] * bottom)
        pole = 1.0 / c.max(axis=1)
        low, high = np.full(t.shape, -60.0), np.full(t.shape, 60.0)
        for _ in range(48):
            y = 0.5 * (low + high)
            up = (a * c / _apart(c, pole, y)).sum(axis=1) > (1.0 + np.exp(-y)) / pole
            low, high = np.where(up, low, y), np.where(up, y, high)
        y = 0.5 * (low + high)
        s = pole / (1.0 + np.exp(-y))
        curve = (a * (c / _apart(c, pole, y)) ** 2).sum(axis=1) + 1.0 / s**2
        width = np.minimum(1.0 / np.sqrt(curve), pole / (1.0 + np.exp(y)))
        return _Line(side * s, width, side, pole, y)

    @cached_property
    def _gathered(self) -> tuple[Array, Array, Array]:
        if self.shapes.size <= _FEW:
            return self.shapes, self.top, self.bottom
        order = np.argsort(self._values, kind="stable")
        inner = np.array_split(order[1:-1], _FEW)
        groups = [order[:1], *(g for g in inner if g.size), order[-1:]]
        a = np.array([self.shapes[g].sum() for g in groups])
        top, bottom = (
            np.array([(self.shapes[g] * x[g]).sum() / self.shapes[g].sum() for g in groups])
            for x in (self.top, self.bottom)
        )
        return a, top, bottom

    def _generating(self, t: Array, line: _Line) -> Callable[[Array], tuple[Complex, Complex]]:
        """K(s) and Σ shape·bottom/(1 - s·c), which turns the integrand into the density's, by the height of s."""
        a, b = self.shapes, self.bottom
        if not self._plain or a.size <= _FEW:
            c = self.top - t[:, None] * b
            real = _apart(line.side[:, None] * c, line.pole, line.y)

            def direct(tau: Array) -> tuple[Complex, Complex]:
                rest = real[:, None, :] - 1j * (tau[:, :, None] * c[:, None, :])
                return -_log_sum(rest, a), np.asarray((a * b / rest).sum(axis=-1))

            return direct
        shared = _Shared.of(self, t, line)
        shift, scale = (t - self._centre)[:, None], float(b[0])

        def plain(tau: Array) -> tuple[Complex, Complex]:
            s = scale * (line.saddle[:, None] + 1j * tau)
            rest = 1.0 + s * shift
            u = s / rest
            value, slope = shared(np.asarray(u, dtype=complex))
            # Σ a/(1 - s·(v - t)) = (Σ a + u·Λ'(u))/rest
            return np.asarray(value - self.total * np.log(rest)), scale * (self.total + u * slope) / rest

        return plain


@dataclass(frozen=True)
class _Line:
    """The line of integration: its place, width and side of 0, the pole next to it, the logit of saddle/pole."""

    saddle: Array
    width: Array
    side: Array
    pole: Array
    y: Array


def _log_sum(rest: Complex, weights: Array) -> Complex:
    """Σ weight·log(rest) along the last axis; factors of weight 1 are multiplied eight at a time.

    The phase of a product may be off by whole turns, which its exponential does not see.
    """
    once = weights == 1
    whole = int(once.sum()) // 8 * 8
    at = np.flatnonzero(once)
    together, apart = at[:whole], np.concatenate([at[whole:], np.flatnonzero(~once)])
    total = np.zeros(rest.shape[:-1], dtype=complex)
    if whole:
        total += np.log(rest[..., together].reshape(*rest.shape[:-1], -1, 8).prod(axis=-1)).sum(axis=-1)
    if apart.size:
        total += np.log(rest[..., apart]) @ weights[apart]
    return total


def _apart(c: Array, pole: Array, y: Array) -> Array:
    """1 - s·c at s = pole/(1 + e^-y), without cancellation at the pole's own c."""
    near = 1.0 / (1.0 + np.exp(y))
    gap = 1.0 - c * pole[:, None]
    return near[:, None] + gap * (1.0 - near[:, None])


@dataclass(frozen=True)
class _Shared:
    """Λ(u) and its derivative: a power series for the values near the centre, the others one by one."""

    sums: Array  # Σ shape·(d/reach)^k, k = 0 .. terms
    reach: float
    far: Array
    weights: Array

    @classmethod
    def of(cls, law: Many, t: Array, line: _Line) -> _Shared:
        d, a = law._values - law._centre, law.shapes
        b = float(law.bottom[0])
        shift = t - law._centre
        reach = 0.0
        for side in (b * (line.saddle + 9.5j * line.width), b * line.saddle + 0j):  # nothing is left beyond 9.5 widths
            reach = max(reach, float(np.abs(side / (1.0 + side * shift)).max()))
        limit = 0.5 / reach
        near = np.abs(d) <= limit
        if near.sum() <= _FEW:
            return cls(np.zeros(0), 1.0, d, a)
        part = d[near] / limit
        power = a[near].copy()
        sums = np.empty(_TERMS + 1)
        for k in range(_TERMS + 1):
            sums[k] = power.sum()
            power *= part
        return cls(sums, limit, d[~near], a[~near])

    def __call__(self, u: Complex) -> tuple[Complex, Complex]:
        value, slope = np.zeros_like(u), np.zeros_like(u)
        if self.sums.size:
            z = u * self.reach
            z = np.where(np.abs(z) > 1.0, z / np.abs(z), z)  # far along the line, where the integrand has died out
            for k in range(self.sums.size - 1, 0, -1):
                value = z * (value + self.sums[k] / k)
                slope = z * slope + self.sums[k]
            slope = slope * self.reach
        if self.far.size:
            rest = 1.0 - u[..., None] * self.far
            value = value - np.log(rest) @ self.weights
            slope = slope + (self.weights * self.far / rest).sum(axis=-1)
        return value, slope
