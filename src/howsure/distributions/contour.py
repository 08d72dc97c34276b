"""A linear quotient of many Gammas: Σ top·G / Σ bottom·G, as in the Bayesian bootstrap of a mean.

Statement: P(M <= t) = P(X <= 0) with X = Σ c·G, c = top - t·bottom. X has the moment generating function
Π (1 - s·c)^(-shape), so P(X > 0) = 1/(2πi) ∫ exp(K(s)) ds/s along a path from -i∞ to i∞ that crosses the real line
between 0 and 1/max c (Lugannani & Rice 1980); P(X <= 0) is the same of -X.
Formula: the path crosses at the saddle of the integrand, where a tail has its digits however small it is, and bends as
the path of steepest descent does: s = saddle + width·(i·sinh x + bend·(cosh x - 1)). Straight up, the integrand of a
tail that hangs on one far value would only turn round and round. The trapezoid rule in x converges geometrically both
for the normal middle and for the algebraic tails of few items; its step is halved until two levels agree.
With equal bottoms all t share Λ(u) = -Σ shape·log(1 - u·d), d = value - origin, u = s/(1 + s·(t - origin)): many values
enter by their power sums about the median, and only those too far out for the series one by one.
Domain: three values or more (fewer have laws of their own), total shape 1/2 or more.
Error: 1e-12, tails below 1e-6 within 1e-8 relative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Complex, Index, Mask
from howsure.distributions.continuous import Stepped
from howsure.distributions.exact import linear, log1p
from howsure.distributions.protocol import Pick

_STEP = 0.25  # of the first level
_LEVELS = 7
_AGREE = 1e-7  # the levels converge geometrically: the finer one is then good to about the square of this
_BLOCK = 16
_FAR = 130.0  # e^(-130/2): nothing is left there at a total shape of 1/2
_MOST = 1e300
_HUGE = 1e240  # times exp(_FAR) it may be no double
_NEGLIGIBLE = 1e-18
_TERMS = 64  # of the power series, at ratios of 1/2 and less
_SMOOTH = 16.0  # the density at a value has as many derivatives as the others have weight, less two
_FEW = 512  # values up to which sums are taken one by one
_ENDS = 64  # values at each end that stay apart when the others are gathered
_ALIKE = 16  # points that share one power series
_NUMBERS = 2_000_000  # complex numbers held at a time


@dataclass(frozen=True, eq=False)
class GammaQuotient(Stepped):
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

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> GammaQuotient:
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
        a, b, base = self.shapes, self.bottom, float(self._values[0])  # differences first: values may lie far from 0
        return base + float((a * (self.top - base * b)).sum() / (a * b).sum())

    @cached_property
    def _origin(self) -> float:
        """Of the power series: the median, because one far value would draw the mean away from all others."""
        return float(np.median(self._values))

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

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        del t_low
        t = np.asarray(t, dtype=float)
        above = np.broadcast_to(upper, t.shape)
        inside = (t > self.lower) & (t < self.upper)
        tail = np.where((t <= self.lower) == above, 1.0, 0.0)
        pdf = np.zeros(t.shape)
        if inside.any():
            beyond = t[inside] > self._centre  # the tail on this side has its digits; the other is what is left
            small, found = self._inside(t[inside], beyond, density)
            small = np.clip(small, 0.0, 1.0)
            tail[inside] = np.where(above[inside] == beyond, small, 1.0 - small)
            pdf[inside] = np.maximum(found, 0.0)
        return tail, pdf

    def mean(self) -> Array:
        return np.asarray(self._moments[0])

    def std(self) -> Array:
        return np.asarray(self._moments[1])

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
        series = self._plain and self.shapes.size > _FEW
        many = max(1, _NUMBERS // ((_TERMS + 64 if series else self.shapes.size) * _BLOCK))
        order = np.arange(t.size)
        if series:  # points alike share a series: one in a far tail would leave it hardly a value
            order, many = np.argsort(np.abs(t - self._centre)), min(many, _ALIKE)
        tail, pdf = np.empty(t.shape), np.empty(t.shape)
        for start in range(0, t.size, many):
            at = order[start : start + many]
            tail[at], pdf[at] = self._some(t[at], upper[at], density)
        return tail, pdf

    def _some(self, t: Array, upper: Mask, density: bool) -> tuple[Array, Array]:
        path = self._path(t, upper)
        generating = self._generating(t, path)
        every = np.arange(t.size)
        peak = generating(np.zeros((t.size, 1), dtype=complex), every)[0].real
        step = _STEP
        total = step * _half_line(path, generating, peak, every, 0.0, step)
        todo = every
        for _ in range(_LEVELS):
            finer = 0.5 * (total[:, todo] + step * _half_line(path, generating, peak, todo, 0.5 * step, step))
            apart = np.abs(finer - total[:, todo]) > _AGREE * np.abs(finer)
            total[:, todo] = finer
            todo, step = todo[apart[: 1 + density].any(axis=0)], 0.5 * step
            if todo.size == 0:
                break
        with np.errstate(under="ignore"):
            tail, pdf = total * np.exp(peak[:, 0]) / np.pi
        return tail, pdf / path.unit

    def _path(self, t: Array, upper: Mask) -> _Path:
        """Where exp(K(s))/s is smallest on the real line between 0 and the pole, and its derivatives there.

        An approximate place will do, so many values are first gathered into a few hundred bins. s is measured by the
        pole and c by the largest c, so that no value is too large or too small.
        """
        a, top, bottom = self._gathered
        side = np.where(upper, 1.0, -1.0)  # the lower tail of X is the upper tail of -X
        c = side[:, None] * linear(top, -bottom, t[:, None])
        unit = c.max(axis=1)
        gap, c = _measured(unit, c)
        low, high = np.full(t.shape, -60.0), np.full(t.shape, 60.0)
        for _ in range(40):
            y = 0.5 * (low + high)
            up = (a * c / _apart(gap, y)).sum(axis=1) > 1.0 + np.exp(-y)
            low, high = np.where(up, low, y), np.where(up, y, high)
        y = 0.5 * (low + high)
        s = 1.0 / (1.0 + np.exp(-y))
        slope = c / _apart(gap, y)
        two = (a * slope**2).sum(axis=1) + 1.0 / s**2
        three = 2.0 * ((a * slope**3).sum(axis=1) - 1.0 / s**3)
        width = np.minimum(1.0 / np.sqrt(two), 1.0 / (1.0 + np.exp(y)))
        return _Path(side, unit, y, s, width, three * width / (3.0 * two))  # a bend of 2/3 at most

    @cached_property
    def _gathered(self) -> tuple[Array, Array, Array]:
        if self.shapes.size <= _FEW:
            return self.shapes, self.top, self.bottom
        order = np.argsort(self._values, kind="stable")
        inner = np.array_split(order[_ENDS:-_ENDS], _FEW - 2 * _ENDS)
        groups = [*order[:_ENDS, None], *(g for g in inner if g.size), *order[-_ENDS:, None]]
        a = np.array([self.shapes[g].sum() for g in groups])
        top, bottom = (
            np.array([(self.shapes[g] * x[g]).sum() / self.shapes[g].sum() for g in groups])
            for x in (self.top, self.bottom)
        )
        return a, top, bottom

    def _generating(self, t: Array, path: _Path) -> Generating:
        """K(s) and Σ shape·bottom/(1 - s·c), which turns the integrand into the density's, by s - saddle."""
        if not self._plain or self.shapes.size <= _FEW:
            return self._one_by_one(t, path, slice(None))
        near, series = _PowerSums.of(self, t, path)
        if series is None:
            return self._one_by_one(t, path, slice(None))
        others = self._one_by_one(t, path, ~near)
        scale = float(self.bottom[0]) * path.side / path.unit
        shift = scale * (t - self._origin)

        def both(ahead: Complex, rows: Index) -> tuple[Complex, Complex]:
            s = path.saddle[rows, None] + ahead
            more = s * shift[rows, None]
            u = scale[rows, None] * s / (1.0 + more)
            value, slope = series(u)
            k, weight = others(ahead, rows)
            # 1 - s·c = (1 + more)·(1 - u·d), so Σ a/(1 - s·c) = (Σ a + u·Λ'(u))/(1 + more)
            k = k + value - series.sums[0] * log1p(more)
            return k, weight + float(self.bottom[0]) * (series.sums[0] + u * slope) / (1.0 + more)

        return both

    def _one_by_one(self, t: Array, path: _Path, some: Mask | slice) -> Generating:
        a, b = self.shapes[some], self.bottom[some]
        c = path.side[:, None] * linear(self.top[some], -b, t[:, None])
        gap, c = _measured(path.unit, c)
        real = _apart(gap, path.y)

        size = np.where(np.abs(c) > _HUGE, np.abs(c), 1.0)  # taken out of products that might be no doubles
        real, c, out = real / size, c / size, np.log(size) @ a

        def direct(ahead: Complex, rows: Index) -> tuple[Complex, Complex]:
            rest = real[rows, None, :] - ahead[:, :, None] * c[rows, None, :]
            return -_log_sum(rest, a) - out[rows, None], np.asarray((a * b / size[rows, None] / rest).sum(axis=-1))

        return direct


def _measured(unit: Array, c: Array) -> tuple[Array, Array]:
    """(unit - c)/unit and c/unit; ratios beyond 1e300, which only points within 1e-300 of an end have, are cut."""
    with np.errstate(over="ignore"):
        gap, share = (unit[:, None] - c) / unit[:, None], c / unit[:, None]
    return np.minimum(gap, _MOST), np.maximum(share, -_MOST)


Generating = Callable[[Complex, Index], tuple[Complex, Complex]]


@dataclass(frozen=True)
class _Path:
    """The path of integration: its side of 0, the largest c, the logit of the saddle, the saddle, width and bend."""

    side: Array
    unit: Array
    y: Array
    saddle: Array
    width: Array
    bend: Array

    def ahead(self, x: Array, rows: Index) -> tuple[Complex, Complex]:
        """s - saddle and ds/dx."""
        width, bend = self.width[rows, None], self.bend[rows, None]
        up, along = np.sinh(x), np.cosh(x)
        return width * (1j * up + bend * (2.0 * np.sinh(0.5 * x) ** 2)), width * (1j * along + bend * up)


def _half_line(path: _Path, generating: Generating, peak: Array, rows: Index, first: float, step: float) -> Array:
    """Sums of the integrands of tail and density at first, first + step, ... (half of the middle one), over exp(peak).

    The path is symmetric about the real line, so its upper half is enough.
    """
    total = np.zeros((2, rows.size))
    saddle, width = path.saddle[rows, None], path.width[rows, None]
    while first < _FAR:
        x = first + step * np.arange(_BLOCK, dtype=float)
        ahead, slope = path.ahead(x, rows)
        s = saddle + ahead
        k, weight = generating(ahead, rows)
        with np.errstate(under="ignore"):
            term = np.exp(k - peak[rows]) * slope
            if first == 0.0:
                term[:, 0] *= 0.5
            total[0] += (term / s).imag.sum(axis=1)
            total[1] += (term * weight).imag.sum(axis=1)
            last = np.abs(term[:, -1:]) * saddle / (np.abs(s[:, -1:]) * width)
        if (last < _NEGLIGIBLE).all():
            break
        first = float(x[-1]) + step
    return total


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


def _apart(gap: Array, y: Array) -> Array:
    """1 - s·c at s = 1/(1 + e^-y), from the gaps 1 - c: no cancellation at the pole."""
    near = 1.0 / (1.0 + np.exp(y))[:, None]
    return near + gap * (1.0 - near)


@dataclass(frozen=True)
class _PowerSums:
    """Λ(u) and its derivative for the values near the origin, by their power sums."""

    sums: Array  # Σ shape·(d/reach)^k, k = 0 .. terms
    reach: float

    @classmethod
    def of(cls, law: GammaQuotient, t: Array, path: _Path) -> tuple[Mask, _PowerSums | None]:
        """The values near enough, and their series; none where they are few."""
        d = law._values - law._origin
        reach = 0.5 / _farthest(law, t, path)
        near = np.abs(d) <= reach
        if near.sum() <= _FEW:
            return near, None
        part, power = d[near] / reach, law.shapes[near].copy()
        sums = np.empty(_TERMS + 1)
        for k in range(_TERMS + 1):
            sums[k] = power.sum()
            power *= part
        return near, cls(sums, reach)

    def __call__(self, u: Complex) -> tuple[Complex, Complex]:
        value, slope = np.zeros_like(u), np.zeros_like(u)
        z = u * self.reach
        over = np.abs(z) > 1.0
        z = np.where(over, 0.0, z)
        for k in range(self.sums.size - 1, 0, -1):
            value = z * (value + self.sums[k] / k)
            slope = z * slope + self.sums[k]
        return np.where(over, -np.inf, value), slope * self.reach  # beyond the farthest u the integrand has died out


def _farthest(law: GammaQuotient, t: Array, path: _Path) -> float:
    """The largest |u| on the paths before the integrand of the gathered values has died out."""
    coarse = GammaQuotient(*(law._gathered[k] for k in (1, 2, 0)))
    rows = np.arange(t.size)
    generating = coarse._generating(t, path)
    scale = float(law.bottom[0]) * path.side / path.unit
    found, x = 0.0, np.arange(0.0, _FAR, 0.25)
    for block in range(0, x.size, _BLOCK):
        ahead, slope = path.ahead(x[block : block + _BLOCK], rows)
        s = path.saddle[:, None] + ahead
        k = generating(ahead, rows)[0].real
        if block == 0:
            peak = k[:, :1]
        with np.errstate(under="ignore"):
            lives = np.exp(k - peak) * np.abs(slope / s) * (path.saddle / path.width)[:, None] > 1e-3 * _NEGLIGIBLE
        u = np.abs(scale[:, None] * s / (1.0 + s * (scale * (t - law._origin))[:, None]))
        found = max(found, float(np.where(lives, u, 0.0).max()))
        if not lives[:, -1].any():
            break
    return 1.3 * found  # one step of the scan beyond
