"""Measures of two independent Beta variables that take one integral: bilinear quotients and rays.

Each core knows its range, how to turn a point t into the integrals of mixture.py, and how to take means of
functions of the measure over the two independent Beta variables behind it. Batches are arrays; t broadcasts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.distributions.beta_moments import at_means, flat, moments_about, quotient
from howsure.distributions.exact import linear
from howsure.distributions.mixture import BilinearOdds, LinearForm, Quadratic, evaluated
from howsure.distributions.moebius import Moebius
from howsure.distributions.protocol import Pick, Transform

if TYPE_CHECKING:
    from howsure.distributions.low_end import Powers

Matrix = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Bilinear:
    """(u, 1-u)·P·(v, 1-v) / (u, 1-u)·Q·(v, 1-v), u ~ Beta(inner), v ~ Beta(outer), rising in u and in v.

    P[i][j] and Q[i][j] belong to u (i=1) or 1-u (i=0) and v (j=1) or 1-v (j=0).
    Where `odds` are given, the odds of u and of v count times these, in each table.
    """

    inner: tuple[Array, Array]
    outer: tuple[Array, Array]
    top: Matrix
    bottom: Matrix
    odds: tuple[Array, Array] | None = None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.inner[0].shape, self.outer[0].shape)

    @cached_property
    def lower(self) -> float:
        return quotient(self.top[0][0], self.bottom[0][0])

    @cached_property
    def upper(self) -> float:
        return quotient(self.top[1][1], self.bottom[1][1])

    def value(self, u: Array, r: Array, v: Array, w: Array) -> Array:
        """The measure at shares (u, r) and (v, w)."""
        top = u * (self.top[1][1] * v + self.top[1][0] * w) + r * (self.top[0][1] * v + self.top[0][0] * w)
        bottom = u * (self.bottom[1][1] * v + self.bottom[1][0] * w) + r * (
            self.bottom[0][1] * v + self.bottom[0][0] * w
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return top / bottom

    @cached_property
    def _swap(self) -> Mask:
        """Where u is the narrower variable, on the measure's scale: it then goes outside."""
        (a, b), (c, d) = self.outer, self.inner
        m, n, p, q = c / (c + d), d / (c + d), a / (a + b), b / (a + b)
        su, sv = np.sqrt(m * n / (c + d + 1)), np.sqrt(p * q / (a + b + 1))
        if self.odds is not None:
            m, p = m * self.odds[0], p * self.odds[1]
        x = self.value(m, n, p, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_u = np.abs(self._row(1, p, q, x) - self._row(0, p, q, x)) * su
            by_v = np.abs(self._column(1, m, n, x) - self._column(0, m, n, x)) * sv
        return np.asarray(by_u < by_v)

    def _row(self, i: int, v: Array, w: Array, x: Array) -> Array:
        return (self.top[i][1] - x * self.bottom[i][1]) * v + (self.top[i][0] - x * self.bottom[i][0]) * w

    def _column(self, j: int, u: Array, r: Array, x: Array) -> Array:
        return (self.top[1][j] - x * self.bottom[1][j]) * u + (self.top[0][j] - x * self.bottom[0][j]) * r

    def _integral(self, t: Array, t_low: Array | float) -> tuple[tuple[int, ...], BilinearOdds]:
        """The mixture whose tails are those of the measure at t."""
        shape, (t, low, a, b, c, d) = flat(t, t_low, *self.outer, *self.inner)
        swap = np.broadcast_to(self._swap, shape).ravel()
        (p00, p01), (p10, p11) = self.top
        (q00, q01), (q10, q11) = self.bottom
        t01, t10 = np.where(swap, p10, p01), np.where(swap, p01, p10)
        b01, b10 = np.where(swap, q10, q01), np.where(swap, q01, q10)
        ones = np.ones_like(t)
        slopes = np.stack([b01, q00 * ones, -q11 * ones, -b10])
        at = linear(np.stack([-t01, -p00 * ones, p11 * ones, t10]), slopes, t, low)
        forms = (
            LinearForm(at[0], at[1]),
            LinearForm(at[2], at[3]),
            LinearForm(b01, q00 * ones),
            LinearForm(q11 * ones, b10),
        )
        if self.odds is not None:
            u, v = (np.broadcast_to(x, shape).ravel() for x in self.odds)
            outside, inside = np.where(swap, u, v), np.where(swap, v, u)
            forms = tuple(  # type: ignore[assignment]
                LinearForm(form.one * outside * by, form.zero * by)
                for form, by in zip(forms, (ones, inside, ones, inside), strict=True)
            )
        outer = np.where(swap, c, a), np.where(swap, d, b)
        inner = np.where(swap, a, c), np.where(swap, b, d)
        return shape, BilinearOdds(*outer, *inner, *forms)

    def evaluate(self, t: Array, t_low: Array | float, upper: Mask | None, density: bool) -> tuple[Array, Array]:
        """Tail and density at t; without a side, the density only."""
        return evaluated(*self._integral(t, t_low), upper, density)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Bilinear:
        """The core of the picked entries of the batch, flat."""
        odds = None if self.odds is None else _picked(self.odds, pick, shape)
        return replace(self, inner=_picked(self.inner, pick, shape), outer=_picked(self.outer, pick, shape), odds=odds)

    def powers_at_zero(self) -> Powers | None:
        """Of a product of both shares, their shapes; other measures need one."""
        if self.top[0] != (0.0, 0.0) or self.top[1][0] != 0.0:
            return None
        start = math.log(1e-28) - np.log1p(self.inner[1]) - np.log1p(self.outer[1])
        for by in self.odds or ():
            start = start + np.minimum(np.log(by), 0.0)
        return self.inner[0], self.outer[0], start

    def density_at_zero(self) -> Array | None:
        """Of a product of both shares: infinite or 0 by the lower of their powers; of power 1, the mean over the other.

        With u ~ Beta(1, d) the measure is u·h(v) next to 0, and its density there is d·E[1/h(v)].
        """
        if self.powers_at_zero() is None:
            return None
        (c, d), (a, b) = self.inner, self.outer
        (q00, q01), (q10, _) = self.bottom
        by_u, by_v = (1.0, 1.0) if self.odds is None else self.odds
        with np.errstate(divide="ignore", invalid="ignore"):
            over_v = d * (q01 * by_v + q00 * b / (a - 1.0))
            over_u = b * (q10 * by_u + q00 * d / (c - 1.0))
            steady = np.where(c == a, np.inf, np.where(c < a, over_v, over_u) / (self.top[1][1] * by_u * by_v))
        least = np.minimum(a, c)
        return np.where(least < 1.0, np.inf, np.where(least > 1.0, 0.0, steady))

    def corners(self) -> tuple[float, ...]:
        """Values at the corners of both shares."""
        top, bottom = ((*x[0], *x[1]) for x in (self.top, self.bottom))
        return tuple(p / q for p, q in zip(top, bottom, strict=True) if q)

    def _poles(self) -> tuple[bool, bool]:
        """Whether the measure goes to infinity as 1-u, or 1-v, goes to 0 by itself."""
        (_, q01), (q10, q11) = self.bottom
        return q11 == 0 and q10 == 0, q11 == 0 and q01 == 0

    def exists(self, order: float) -> Mask:
        """Whether the moment of that order is finite."""
        if np.isfinite(self.upper):
            return np.full(self.shape, True)
        by_u, by_v = self._poles()
        d, b = self.inner[1], self.outer[1]
        if by_u or by_v:
            ok = np.full(self.shape, True)
            ok = ok & (d > order) if by_u else ok
            return ok & (b > order) if by_v else ok
        return np.asarray(d + b > order)

    def about(self, g: Transform, centre: Array, order: float) -> tuple[Array, Array]:
        """First and second moment of g(M) about centre; g² grows like M to the given order."""
        by_u, by_v = self._poles() if order else (False, False)

        def value(part: Index, u: Array, r: Array, v: Array, w: Array) -> Array:
            by = self._odds(part)
            return self.value(u * by[0], r, v * by[1], w)

        return moments_about(self.outer, self.inner, value, g, centre, (order * by_u, order * by_v))

    def _odds(self, part: Index) -> tuple[Array | float, Array | float]:
        """What the odds count times, of the picked tables, flat, before two axes of nodes."""
        if self.odds is None:
            return 1.0, 1.0
        one, two = (np.broadcast_to(x, self.shape).ravel()[part, None, None] for x in self.odds)
        return one, two

    def about_log(self, g: Transform, centre: Array) -> tuple[Array, Array]:
        """First and second moment of g(log M) about centre, from logs: right where shares underflow."""

        def value(part: Index, u: Array, r: Array, v: Array, w: Array) -> Array:
            us, vs = ([-np.logaddexp(0.0, -x) for x in pair] for pair in ((r, u), (w, v)))
            us[1], vs[1] = (x + np.log(by) for x, by in zip((us[1], vs[1]), self._odds(part), strict=True))
            logs = [
                reduce(np.logaddexp, [np.log(x[i][j]) + us[i] + vs[j] for i in (0, 1) for j in (0, 1) if x[i][j] > 0])
                for x in (self.top, self.bottom)
            ]
            return np.asarray(logs[0] - logs[1])

        return moments_about(self.outer, self.inner, value, g, centre, in_logs=True)

    def centre(self) -> Array:
        if self.odds is None:
            return at_means(self.outer, self.inner, self.value)
        u, v = self.odds
        return at_means(self.outer, self.inner, lambda *x: self.value(x[0] * u, x[1], x[2] * v, x[3]))

    def mirrored(self) -> Bilinear:
        """Upper end minus measure: its moments keep their digits when the measure is close to that end."""
        (p00, p01), (p10, p11) = self.top
        (q00, q01), (q10, q11) = self.bottom
        k = self.upper
        return replace(self, top=((k * q00 - p00, k * q01 - p01), (k * q10 - p10, k * q11 - p11)))

    def smallest(self) -> float:
        return min(float(x.min(initial=np.inf)) for x in (*self.inner, *self.outer))

    def closed(self) -> tuple[Array, Array] | None:
        """Mean and standard deviation when the measure is a polynomial or a product of functions of the rates."""
        scale = self.bottom[0][0]
        if {x for row in self.bottom for x in row} != {scale}:
            return self._product()
        if self.odds is not None:
            return None
        (a, b), (c, d) = self.outer, self.inner
        m, n, p, q = c / (c + d), d / (c + d), a / (a + b), b / (a + b)
        (p00, p01), (p10, p11) = self.top
        by_u = (p11 - p01) * p + (p10 - p00) * q
        by_v = (p11 - p10) * m + (p01 - p00) * n
        both = p11 - p10 - p01 + p00
        su, sv = m * n / (c + d + 1), p * q / (a + b + 1)
        var = by_u * by_u * su + by_v * by_v * sv + both * both * su * sv
        return self.value(m, n, p, q), np.sqrt(var) / scale

    def _product(self) -> tuple[Array, Array] | None:
        """Moments of f(u)·g(v), from those of its factors: likelihood ratios and the odds ratio."""
        top, bottom = _factors(self.top), _factors(self.bottom)
        if top is None or bottom is None:
            return None
        by_u, by_v = (None, None) if self.odds is None else self.odds
        one = Moebius(*self.inner, top[0][1], bottom[0][1], top[0][0], bottom[0][0], by_u)
        two = Moebius(*self.outer, top[1][1], bottom[1][1], top[1][0], bottom[1][0], by_v)
        m1, s1, m2, s2 = one.mean(), one.std(), two.mean(), two.std()
        with np.errstate(invalid="ignore"):
            std = np.sqrt(s1 * s1 * s2 * s2 + s1 * s1 * m2 * m2 + s2 * s2 * m1 * m1)
        return np.asarray(m1 * m2), np.where(np.isfinite(s1) & np.isfinite(s2), std, np.inf)


def _picked(pair: tuple[Array, Array], pick: Pick, shape: tuple[int, ...]) -> tuple[Array, Array]:
    one, two = (np.broadcast_to(x, shape)[pick] for x in pair)
    return one, two


def _factors(x: Matrix) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """x[i][j] = f[i]·g[j], or None when the matrix is not of rank one."""
    if x[0][0] * x[1][1] != x[0][1] * x[1][0]:
        return None
    g = max(x, key=lambda row: sum(abs(k) for k in row))
    k = 0 if g[0] else 1
    return (x[0][k] / g[k], x[1][k] / g[k]), g


@dataclass(frozen=True)
class Ray:
    """A quotient of quadratic forms in tp, fp, fn that rises with tp at a fixed fp:fn.

    u = tp/(tp+fp+fn) ~ Beta(inner), v = fp/(fp+fn) ~ Beta(outer). Coefficients are for
    tp², tp·fp, tp·fn, fp², fp·fn, fn². Where `scales` are given, tp, fp and fn count times these, in each table.
    """

    inner: tuple[Array, Array]
    outer: tuple[Array, Array]
    top: tuple[float, ...]
    bottom: tuple[float, ...]
    scales: tuple[Array, Array, Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.inner[0].shape, self.outer[0].shape)

    @property
    def lower(self) -> float:
        return float(np.nanmin([quotient(p, q) for p, q in zip(self.top[3:], self.bottom[3:], strict=True)]))

    @property
    def upper(self) -> float:
        return quotient(self.top[0], self.bottom[0])

    def value(self, u: Array, r: Array, v: Array, w: Array) -> Array:
        """The measure at the shares (u, r) and (v, w), of each table."""
        with np.errstate(divide="ignore"):
            logs = np.log(u), np.log(r) + np.log(v), np.log(r) + np.log(w)
        if self.scales is not None:
            logs = tuple(x + np.log(s) for x, s in zip(logs, self.scales, strict=True))  # type: ignore[assignment]
        return self.at_logs(*logs)

    def _integral(self, t: Array, t_low: Array | float) -> tuple[tuple[int, ...], Quadratic]:
        """The quadratic in the odds tp : fp+fn whose positive root is the threshold at each fp:fn."""
        shape, (t, low, a, b, c, d) = flat(t, t_low, *self.outer, *self.inner)
        k = [linear(p * np.ones_like(t), -q, t, low) for p, q in zip(self.top, self.bottom, strict=True)]
        s = [-q * np.ones_like(t) for q in self.bottom]
        if self.scales is not None:
            tp, fp, fn = (np.broadcast_to(x, shape).ravel() for x in self.scales)
            by = (tp * tp, tp * fp, tp * fn, fp * fp, fp * fn, fn * fn)
            k, s = ([x * z for x, z in zip(part, by, strict=True)] for part in (k, s))
        zero = np.zeros_like(t)
        return shape, Quadratic(
            a,
            b,
            c,
            d,
            # with v + w = 1 a constant is v² + 2vw + w², a linear form v·x + w·y is (v·x + w·y)(v + w)
            (k[0], 2 * k[0], k[0]),
            (k[1], k[1] + k[2], k[2]),
            (-k[3] + zero, -k[4] + zero, -k[5] + zero),
            ((s[0], 2 * s[0], s[0]), (s[1], s[1] + s[2], s[2]), (-s[3], -s[4], -s[5])),
        )

    def evaluate(self, t: Array, t_low: Array | float, upper: Mask | None, density: bool) -> tuple[Array, Array]:
        """Tail and density at t; without a side, the density only."""
        return evaluated(*self._integral(t, t_low), upper, density)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Ray:
        """The core of the picked entries of the batch, flat."""
        scales = None
        if self.scales is not None:
            tp, fp, fn = (np.broadcast_to(x, shape)[pick] for x in self.scales)
            scales = (tp, fp, fn)
        inner, outer = (_picked(x, pick, shape) for x in (self.inner, self.outer))
        return replace(self, inner=inner, outer=outer, scales=scales)

    def powers_at_zero(self) -> Powers | None:
        """One will do."""
        return None

    def density_at_zero(self) -> Array | None:
        """Not known by itself."""
        return None

    def corners(self) -> tuple[float, ...]:
        """Quotients of the coefficients: among them the values at the corners of the simplex."""
        return tuple(p / q for p, q in zip(self.top, self.bottom, strict=True) if q)

    def exists(self, order: float) -> Mask:
        return np.full(self.shape, np.isfinite(self.upper) or order == 0)

    def about(self, g: Transform, centre: Array, order: float) -> tuple[Array, Array]:
        """First and second moment of g(M) about centre."""
        del order

        def value(part: Index, u: Array, r: Array, v: Array, w: Array) -> Array:
            log_u, log_r, log_v, log_w = (-np.logaddexp(0.0, -x) for x in (u, r, v, w))
            logs = [log_u, log_r + log_v, log_r + log_w]
            if self.scales is not None:
                by = (np.log(np.broadcast_to(x, self.shape).ravel()[part, None, None]) for x in self.scales)
                logs = [x + s for x, s in zip(logs, by, strict=True)]
            return self.at_logs(*logs)

        return moments_about(self.outer, self.inner, value, g, centre, in_logs=True)

    def about_log(self, g: Transform, centre: Array) -> tuple[Array, Array]:
        """First and second moment of g(log M) about centre."""
        return self.about(lambda x: g(np.log(x)), centre, 0.0)

    def at_logs(self, *logs: Array) -> Array:
        """The measure at the logs of tp, fp and fn, which may be far below the smallest double."""
        tp, fp, fn = logs
        terms = (2 * tp, tp + fp, tp + fn, 2 * fp, fp + fn, 2 * fn)
        largest = reduce(np.maximum, [x for x, k in zip(terms, self.bottom, strict=True) if k])
        top, bottom = (
            sum(k * np.exp(x - largest) for k, x in zip(part, terms, strict=True) if k)
            for part in (self.top, self.bottom)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.asarray(bottom) > 0, np.asarray(top) / bottom, self.lower)

    def centre(self) -> Array:
        return at_means(self.outer, self.inner, self.value)

    def mirrored(self) -> Ray:
        """Upper end minus measure: its moments keep their digits when the measure is close to that end."""
        return replace(self, top=tuple(self.upper * q - p for p, q in zip(self.top, self.bottom, strict=True)))

    def smallest(self) -> float:
        return min(float(x.min(initial=np.inf)) for x in (*self.inner, *self.outer))

    def closed(self) -> tuple[Array, Array] | None:
        """No closed moments."""
        return None
