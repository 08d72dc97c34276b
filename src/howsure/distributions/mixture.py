"""Laws of measures M(U, V) of two independent Beta variables, M monotone in U: one integral over V.

Statement: for given V = v the event M <= t is "odds of U at most N(v)/D(v)". For a bilinear quotient
M = (u, 1-u)·P·(v, 1-v) / (u, 1-u)·Q·(v, 1-v) both N and D are linear in v, so cdf, sf and density are means of
an incomplete beta (or its density) over v, on the interval where N and D are positive; outside it the event is
sure or impossible. For a measure of tp, fp, fn that rises with tp at a fixed fp:fn, N/D is the root of a quadratic.
Source: Goutte & Gaussier (2005) eq. 10 for the Gammas; the integrals are ours (docs/why/002).
Error: as in quadrature.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta
from howsure.distributions.quadrature import Nodes, Window, expect, expect_all


@dataclass(frozen=True)
class LinearForm:
    """The form one·v + zero·(1-v); if it changes sign inside (0, 1) it is evaluated from its root."""

    one: Array
    zero: Array

    def root(self) -> tuple[Array, Array]:
        """The root as a pair (v, 1-v), meaningful where the ends have opposite signs."""
        total = np.abs(self.one) + np.abs(self.zero)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(self.zero) / total, np.abs(self.one) / total

    def rising(self) -> Mask:
        return (self.zero < 0) & (self.one > 0)

    def falling(self) -> Mask:
        return (self.zero > 0) & (self.one < 0)

    def at(self, index: Index, nodes: Nodes) -> Array:
        """Values at the nodes, free of cancellation near the root."""
        one, zero = self.one[index, None], self.zero[index, None]
        found = one * nodes.v + zero * nodes.w
        slope = np.abs(one) + np.abs(zero)
        for turns, gap in (((zero > 0) & (one < 0), nodes.below_hi), ((zero < 0) & (one > 0), nodes.above_lo)):
            if turns.any():
                found = np.where(turns, slope * gap, found)
        return found

    def log_at(self, index: Index, nodes: Nodes) -> Array:
        """Logs of the values at the nodes, right where the shares underflow."""
        one, zero = self.one[index, None], self.zero[index, None]
        log_v, log_w, log_above, log_below = nodes.logs
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(np.abs(one) + np.abs(zero))
            plain = np.logaddexp(np.log(np.maximum(one, 0.0)) + log_v, np.log(np.maximum(zero, 0.0)) + log_w)
        return np.where(
            (zero < 0) & (one > 0), slope + log_above, np.where((zero > 0) & (one < 0), slope + log_below, plain)
        )


def bilinear_window(a: Array, b: Array, c: Array, d: Array, top: LinearForm, bottom: LinearForm) -> Window:
    """The interval of v on which both the numerator N and the denominator D of the odds are positive.

    N falls in v and D rises in v when the measure rises in v: so lo is D's root and hi is N's root.
    """
    lo, lo_rest = bottom.root()
    hi, hi_rest = top.root()
    rising, falling = bottom.rising(), top.falling()
    lo = np.where(rising, lo, 0.0)
    hi_rest = np.where(falling, hi_rest, 0.0)
    both = np.where(falling, hi - lo, 1.0)
    width = np.where(rising & falling, both, np.where(rising, lo_rest, np.where(falling, hi, 1.0)))
    return Window(a, b, lo, hi_rest, np.maximum(width, 1e-300), (d, c))


@dataclass(frozen=True)
class BilinearOdds:
    """All that one evaluation needs, flat: outer Beta(a, b), inner Beta(c, d), odds N/D and their slopes in t."""

    a: Array
    b: Array
    c: Array
    d: Array
    top: LinearForm
    bottom: LinearForm
    top_slope: LinearForm
    bottom_slope: LinearForm

    def tail(self, upper: Mask, with_density: bool = False) -> tuple[Array, Array]:
        """P(M > t) where upper, else P(M <= t); the density at t, zeros unless asked for."""
        window = bilinear_window(self.a, self.b, self.c, self.d, self.top, self.bottom)
        peak = beta.log_peak(self.c, self.d) if with_density else self.c

        def inner(index: Index, nodes: Nodes) -> Array:
            n, d = self.top.at(index, nodes), self.bottom.at(index, nodes)
            (x, y), logs = self._point(index, nodes, n, d)
            shape = self.c[index, None], self.d[index, None]
            probability = _one_tail(*shape, x, y, upper[index, None], logs)
            if not with_density:
                return probability
            slope = self._slope(index, nodes, n, d)
            return np.stack([probability, _density(*shape, x, y, slope, peak[index, None], logs)])

        value, whole = expect_all(window, inner, 2 if with_density else 1)
        probability = value[0] if whole.all() else value[0] + np.where(whole, 0.0, self._sure(upper))
        return probability, value[1] if with_density else np.zeros_like(probability)

    @cached_property
    def _tiny(self) -> bool:
        """Whether a shape is so small that much of its mass lies closer to an end than doubles reach."""
        return bool(min([x.min(initial=1.0) for x in (self.a, self.b, self.c, self.d)]) < 0.1)

    def _point(
        self, index: Index, nodes: Nodes, n: Array, d: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array] | None]:
        """The shares of the odds n : d, and their logs when tiny shapes need them."""
        if not self._tiny:
            return _share(n, d), None
        odds = self.top.log_at(index, nodes) - self.bottom.log_at(index, nodes)
        logs = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
        return (np.exp(logs[0]), np.exp(logs[1])), logs

    def _slope(self, index: Index, nodes: Nodes, n: Array, d: Array) -> Array:
        """The log of the derivative of log(N/D) with respect to t."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            if not self._tiny:
                return np.log(self.top_slope.at(index, nodes) / n + self.bottom_slope.at(index, nodes) / d)
            by_top = self.top_slope.log_at(index, nodes) - self.top.log_at(index, nodes)
            return np.logaddexp(by_top, self.bottom_slope.log_at(index, nodes) - self.bottom.log_at(index, nodes))

    def density(self) -> Array:
        """The density of M at t."""
        window = bilinear_window(self.a, self.b, self.c, self.d, self.top, self.bottom)
        peak = beta.log_peak(self.c, self.d)

        def inner(index: Index, nodes: Nodes) -> Array:
            n, d = self.top.at(index, nodes), self.bottom.at(index, nodes)
            (x, y), logs = self._point(index, nodes, n, d)
            slope = self._slope(index, nodes, n, d)
            return _density(self.c[index, None], self.d[index, None], x, y, slope, peak[index, None], logs)

        return np.asarray(expect(window, inner)[0])

    def _sure(self, upper: Mask) -> Array:
        """The mass of v on which the event is sure: N <= 0 makes M > t whatever u, D <= 0 makes M <= t."""
        falling, rising = upper & self.top.falling(), ~upper & self.bottom.rising()
        sure = np.zeros_like(self.a)
        if falling.any():
            hi, hi_rest = self.top.root()
            sure = np.where(falling, beta.tails(self.a, self.b, hi, hi_rest)[1], sure)
        if rising.any():
            lo, lo_rest = self.bottom.root()
            sure = np.where(rising, beta.tails(self.a, self.b, lo, lo_rest)[0], sure)
        return sure


@dataclass(frozen=True)
class Quadratic:
    """Odds o of the inner share where A·o² + B·o = C, coefficients quadratic forms in (v, 1-v); A > 0, C > 0.

    Each coefficient is a triple of arrays for v², v(1-v), (1-v)²; slopes are the derivatives with respect to t.
    """

    a: Array
    b: Array
    c: Array
    d: Array
    square: tuple[Array, Array, Array]
    single: tuple[Array, Array, Array]
    constant: tuple[Array, Array, Array]
    slopes: tuple[tuple[Array, ...], tuple[Array, ...], tuple[Array, ...]]

    def _window(self) -> Window:
        zero = np.zeros_like(self.a)
        return Window(self.a, self.b, zero, zero, np.ones_like(self.a))

    def _odds(self, index: Index, nodes: Nodes) -> tuple[Array, Array]:
        """The positive root as a numerator and a denominator, without cancellation."""
        square, single, constant = (_form(k, index, nodes) for k in (self.square, self.single, self.constant))
        root = np.sqrt(single * single + 4.0 * square * constant)
        away = single >= 0
        return np.where(away, 2.0 * constant, root - single), np.where(away, single + root, 2.0 * square)

    def _log_slope(self, index: Index, nodes: Nodes, n: Array, d: Array) -> Array:
        """The log of d log o / dt, by implicit differentiation, o = n/d."""
        square, single = _form(self.square, index, nodes), _form(self.single, index, nodes)
        ds, dl, dc = (_form(k, index, nodes) for k in self.slopes)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            odds = n / d
            return np.log((dc - ds * odds * odds - dl * odds) / ((2.0 * square * odds + single) * odds))

    def tail(self, upper: Mask, with_density: bool = False) -> tuple[Array, Array]:
        """As for BilinearOdds."""
        peak = beta.log_peak(self.c, self.d) if with_density else self.c

        def inner(index: Index, nodes: Nodes) -> Array:
            n, d = self._odds(index, nodes)
            x, y = _share(n, d)
            shape = self.c[index, None], self.d[index, None]
            probability = _one_tail(*shape, x, y, upper[index, None])
            if not with_density:
                return probability
            slope = self._log_slope(index, nodes, n, d)
            return np.stack([probability, _density(*shape, x, y, slope, peak[index, None])])

        value = expect(self._window(), inner, 2 if with_density else 1)
        return value[0], value[1] if with_density else np.zeros_like(value[0])

    def density(self) -> Array:
        """As for BilinearOdds."""
        peak = beta.log_peak(self.c, self.d)

        def inner(index: Index, nodes: Nodes) -> Array:
            n, d = self._odds(index, nodes)
            slope = self._log_slope(index, nodes, n, d)
            return _density(self.c[index, None], self.d[index, None], *_share(n, d), slope, peak[index, None])

        return np.asarray(expect(self._window(), inner)[0])


def evaluated(
    shape: tuple[int, ...], mixture: BilinearOdds | Quadratic, upper: Mask | None, density: bool
) -> tuple[Array, Array]:
    """Tail and density in that shape; without a side, the density only."""
    if upper is None:
        pdf = mixture.density()
        return np.zeros(shape), pdf.reshape(shape)
    tail, pdf = mixture.tail(np.broadcast_to(upper, shape).ravel(), density)
    return tail.reshape(shape), pdf.reshape(shape)


def _form(k: tuple[Array, ...], index: Index, nodes: Nodes) -> Array:
    v, w = nodes.v, nodes.w
    return k[0][index, None] * v * v + k[1][index, None] * v * w + k[2][index, None] * w * w


def _share(n: Array, d: Array) -> tuple[Array, Array]:
    """Odds n/d as a pair of shares."""
    n, d = np.maximum(n, 0.0), np.maximum(d, 0.0)
    total = n + d
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, n / total, 0.0), np.where(total > 0, d / total, 1.0)


def _one_tail(c: Array, d: Array, x: Array, y: Array, upper: Mask, logs: tuple[Array, Array] | None = None) -> Array:
    turned = None if logs is None else (np.where(upper, logs[1], logs[0]), np.where(upper, *logs))
    shapes = np.where(upper, d, c), np.where(upper, c, d)
    return beta.lower_tail(*shapes, np.where(upper, y, x), np.where(upper, x, y), turned)


def _density(
    c: Array,
    d: Array,
    x: Array,
    y: Array,
    slope: Array,
    peak: Array,
    logs: tuple[Array, Array] | None = None,
) -> Array:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        value = np.exp(beta.log_density(c, d, x, y, peak, logs) + slope)
    inside = (x > 0) & (y > 0) if logs is None else np.isfinite(logs[0]) & np.isfinite(logs[1])
    return np.where(inside & np.isfinite(value), value, 0.0)
