"""Make ``binary.json``: reference values for functionals of a two by two Dirichlet posterior.

The cells tp, fp, fn, tn are independent Gamma variables with shapes count + prior. For every measure
the file holds cdf and sf at exact doubles, and some moments and densities. A tail is never the complement of
a larger one: curves integrate both, contours the smaller. Every tail and density is worked out twice and kept
when both agree (see ``AGREE``):

* ``Curve``: the event is the region under a curve in the plane of two independent Beta variables. With p
  the density of one and q that of the other along the curve, both tails are integrals of p times a running
  integral of q; Gauss-Legendre panels, chosen from the size and bend of log p and log q, carry both.
* ``Contour``: a measure is below t when a signed sum of the Gammas is negative (F-measures, utilities), or
  its logarithm is a sum of log-Gammas (ratios, products). Then a tail is an inverse Laplace integral of
  elementary or Gamma functions, taken along a hyperbola through the saddle point.

Where there is no contour (sums of two rates, a-measure, fowlkes-mallows) the second value is the curve
again with other panels, another rule and the two variables exchanged where the measure allows it.

Usage: python make_binary.py [minutes]     (only mpmath and the standard library)
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any, NamedTuple

from mpmath import mp, mpc, mpf

Num = Any  # a float or an mpf, by context
Shapes = tuple[float, float, float, float]  # tp, fp, fn, tn
Pair = tuple[Num, Num]

HERE = Path(__file__).resolve().parent
LOG = Path("/tmp/make_binary.log")
AGREE = 1e-18  # two evaluations must agree to this, relative, on both tails
SMALLEST = 1e-18  # cases with a smaller tail are left out
NORMAL = NormalDist()
INF = math.inf


# ---------------------------------------------------------------------------------------------------------
# arithmetic: the same formulas in doubles (to place panels and find quantiles) and in mpmath


def _float_log(x: float) -> float:
    return math.log(x) if x > 0 else -INF


def _float_lbeta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@cache
def _mp_lbeta(a: mpf, b: mpf, dps: int) -> mpf:
    with mp.workdps(dps + 15):
        return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


FLOAT = SimpleNamespace(num=float, exp=math.exp, log=_float_log, sqrt=math.sqrt, lbeta=_float_lbeta)
MP = SimpleNamespace(num=mpf, exp=mp.exp, log=mp.log, sqrt=mp.sqrt, lbeta=lambda a, b: _mp_lbeta(a, b, mp.dps))
Context = SimpleNamespace


def logistic(ctx: Context, y: Num) -> Pair:
    """Logarithms of sigmoid(y) and sigmoid(-y)."""
    if y > 0:
        tail = ctx.log(1 + ctx.exp(-y))
        return -tail, -y - tail
    tail = ctx.log(1 + ctx.exp(y))
    return y - tail, -tail


@dataclass(frozen=True)
class Rule:
    """Gauss-Legendre nodes and weights on [-1, 1], and the matrix of integrals from -1 to each node."""

    nodes: list[Num]
    weights: list[Num]
    running: list[list[Num]]


def _legendre(count: int, x: mpf) -> list[mpf]:
    values = [mpf(1), x]
    for k in range(1, count):
        values.append(((2 * k + 1) * x * values[k] - k * values[k - 1]) / (k + 1))
    return values


def _legendre_root(n: int, k: int) -> mpf:
    x = mp.cos(mp.pi * (mpf(k) + 0.75) / (n + 0.5))
    for _ in range(12):
        p = _legendre(n, x)
        x -= p[n] * (x * x - 1) / (n * (x * p[n] - p[n - 1]))
    return x


@cache
def rule_of(n: int, exact: bool) -> Rule:
    """The rule with n nodes, in mpf to 100 digits or in doubles."""
    with mp.workdps(110):
        nodes = sorted(_legendre_root(n, k) for k in range(n))
        tables = [_legendre(n, x) for x in nodes]
        weights = [2 * (1 - x * x) / (n * p[n - 1]) ** 2 for x, p in zip(nodes, tables, strict=True)]
        running = []
        for x, p in zip(nodes, tables, strict=True):
            # integral of P_m from -1 to x is (P_{m+1} - P_{m-1}) / (2m + 1); for m = 0 it is x + 1
            integral = [x + 1] + [(p[m + 1] - p[m - 1]) / (2 * m + 1) for m in range(1, n)]
            running.append(
                [
                    w * sum((2 * m + 1) * integral[m] * table[m] for m in range(n)) / 2
                    for w, table in zip(weights, tables, strict=True)
                ]
            )
        if exact:
            return Rule(nodes, weights, running)
        return Rule(
            [float(x) for x in nodes],
            [float(w) for w in weights],
            [[float(v) for v in row] for row in running],
        )


def dot(ctx: Context, u: list[Num], v: list[Num]) -> Num:
    """Inner product."""
    return mp.fdot(u, v) if ctx is MP else sum(map(lambda a, b: a * b, u, v))


# ---------------------------------------------------------------------------------------------------------
# panels


@dataclass(frozen=True)
class Style:
    """How finely to cut: nodes a panel, bend and change of the log densities, width, shift of the cuts."""

    nodes: int
    bend: float
    change: float
    width: float
    shift: float
    reach: float  # densities below exp(-reach) / the smaller tail count as nothing


COARSE = Style(nodes=10, bend=1.2, change=6.0, width=3.0, shift=0.0, reach=25.0)
FIRST = Style(nodes=20, bend=0.9, change=7.0, width=2.0, shift=0.0, reach=54.0)
SECOND = Style(nodes=24, bend=0.8, change=8.0, width=1.9, shift=0.37, reach=58.0)


@dataclass(frozen=True)
class Panel:
    """An interval and which of the two densities are alive in it."""

    left: float
    right: float
    alive: tuple[bool, ...]


def cut(
    logs: Callable[[float], tuple[float, ...]],
    cuts: list[float],
    kinks: list[float],
    depth: float,
    style: Style,
) -> list[Panel]:
    """Panels, left to right, on which each living log density is nearly straight and changes little."""
    known: dict[float, tuple[float, ...]] = {}

    def at(y: float) -> tuple[float, ...]:
        if y not in known:
            known[y] = logs(y)
        return known[y]

    out: list[Panel] = []
    stack = [(a, b) for a, b in pairwise(cuts) if a < b][::-1]
    while stack:
        a, b = stack.pop()
        m = a + (b - a) * (0.5 + style.shift / 8)
        triples = list(zip(at(a), at(m), at(b), strict=True))
        alive = tuple(max(values) > -depth for values in triples)
        if not any(alive):
            continue
        away = min((abs(m - k) for k in kinks), default=INF)
        fine = b - a <= max(style.width, 0.5 * away)
        fine = fine and all(_straight(v, style) for v, live in zip(triples, alive, strict=True) if live)
        if fine or not a < m < b:
            out.append(Panel(a, b, alive))
        else:
            stack += [(m, b), (a, m)]
    return out


def _straight(values: tuple[float, float, float], style: Style) -> bool:
    a, m, b = values
    if max(values) - min(values) > style.change:
        return False
    return abs(m - (a + b) / 2) <= style.bend + style.shift * abs(b - a)


# ---------------------------------------------------------------------------------------------------------
# one Beta variable


def log_density(ctx: Context, shape: Pair) -> Callable[[Num], Num]:
    """Log density of the log odds of a Beta variable."""
    a, b = shape
    size = ctx.lbeta(a, b)

    def at(z: Num) -> Num:
        low, high = logistic(ctx, z)
        return a * low + b * high - size

    return at


def _tail_panels(shape: Pair, z: float, sign: int, depth: float, style: Style) -> list[Panel]:
    a, b = float(shape[0]), float(shape[1])
    mode = (_float_log(a) - _float_log(b) - z) * sign
    end = (depth + 30) / min(a, b) + 60 + abs(z) + abs(mode)
    cuts = sorted({0.0, end} | ({mode} if mode > 0 else set()))
    density = log_density(FLOAT, (a, b))
    return cut(lambda x: (density(z + sign * x),), cuts, [-z * sign, mode], depth, style)


def beta_tail(ctx: Context, shape: Pair, z: Num, sign: int, depth: float, style: Style) -> Num:
    """P(log odds < z) for sign -1, P(log odds > z) for sign +1."""
    if z == sign * INF:
        return ctx.num(0)
    if z == -sign * INF:
        return ctx.num(1)
    rule, density = rule_of(style.nodes, ctx is MP), log_density(ctx, shape)
    total = ctx.num(0)
    for panel in _tail_panels(shape, float(z), sign, depth, style):
        middle, half = _middle(ctx, panel)
        values = [ctx.exp(density(z + sign * (middle + half * x))) for x in rule.nodes]
        total += half * dot(ctx, rule.weights, values)
    return total


def _middle(ctx: Context, panel: Panel) -> Pair:
    left, right = ctx.num(panel.left), ctx.num(panel.right)
    return (left + right) / 2, (right - left) / 2


# ---------------------------------------------------------------------------------------------------------
# the region under a curve in the plane of two independent Beta variables


class Point(NamedTuple):
    """A point (u, v) of a curve: logs of u, 1-u, v, 1-v, |du/dy|, |dv/dy| / factor, and the factor."""

    u: Num
    u1: Num
    v: Num
    v1: Num
    du: Num
    dv: Num
    factor: Num = 1


@dataclass(frozen=True)
class Segment:
    """A stretch of y on which v rises or falls, and the log odds of v at its low and its high end."""

    left: float
    right: float
    rising: bool
    low: Num
    high: Num


@dataclass(frozen=True)
class Curve:
    """The event {v <= curve at u} for independent Betas: ``outer`` for u and ``inner`` for v."""

    outer: Pair
    inner: Pair
    point: Callable[[Num], Point]
    segments: list[Segment]
    kinks: list[Num] = field(default_factory=lambda: [0.0])
    all_below: tuple[int, Num] | None = None  # where the whole column belongs to the event: side, log odds of u
    none_below: tuple[int, Num] | None = None  # where none of it does
    swapped: bool = False  # the event is the upper tail


def _log_densities(ctx: Context, curve: Curve) -> Callable[[Num], tuple[Num, Num, Num]]:
    """Log p, log q without its factor, and the factor, at y."""
    (a, b), (c, d) = ((x - 1, y - 1) for x, y in (curve.outer, curve.inner))
    p_size, q_size = ctx.lbeta(*curve.outer), ctx.lbeta(*curve.inner)

    def at(y: Num) -> tuple[Num, Num, Num]:
        u, u1, v, v1, du, dv, factor = curve.point(y)
        return a * u + b * u1 + du - p_size, c * v + d * v1 + dv - q_size, factor

    return at


def _mode(value: Callable[[float], float], left: float, right: float) -> float:
    """Where a function with one hump is largest (golden sections)."""
    ratio = (math.sqrt(5) - 1) / 2
    x, y = right - ratio * (right - left), left + ratio * (right - left)
    f, g = value(x), value(y)
    for _ in range(75):
        if f < g:
            left, x, f = x, y, g
            y = left + ratio * (right - left)
            g = value(y)
        else:
            right, y, g = y, x, f
            x = right - ratio * (right - left)
            f = value(x)
    return (left + right) / 2


def _segment_panels(curve: Curve, segment: Segment, depth: float, style: Style) -> list[Panel]:
    """Panels of a segment of a curve made in doubles."""
    kinks = [float(k) for k in curve.kinks if abs(k) < INF]
    end = (depth + 30) / min(*curve.outer, *curve.inner, 1.0) + 60 + max(abs(k) for k in kinks)
    left, right = max(segment.left, -end), min(segment.right, end)
    densities = _log_densities(FLOAT, curve)
    modes = [_mode(lambda y, i=i: densities(y)[i], left, right) for i in (0, 1)]
    cuts = sorted({left, right, *(k for k in (*kinks, *modes) if left < k < right)})
    return cut(lambda y: densities(y)[:2], cuts, kinks + modes, depth, style)


class _Piece(NamedTuple):
    p: Num  # integral of p over the panel
    q: Num
    left: Num  # integral of p times the integral of q from the left end of the panel


def _piece(ctx: Context, densities: Callable[[Num], tuple[Num, Num, Num]], panel: Panel, rule: Rule) -> _Piece:
    middle, half = _middle(ctx, panel)
    with_p, with_q = panel.alive
    ps, qs = [], []
    for x in rule.nodes:
        p, q, factor = densities(middle + half * x)
        ps.append(ctx.exp(p) if with_p else ctx.num(0))
        qs.append(ctx.exp(q) * factor if with_q else ctx.num(0))
    p_sum = half * dot(ctx, rule.weights, ps) if with_p else ctx.num(0)
    q_sum = half * dot(ctx, rule.weights, qs) if with_q else ctx.num(0)
    left = ctx.num(0)
    if with_p and with_q:
        inner = [dot(ctx, row, qs) for row in rule.running]
        left = half * half * dot(ctx, [p * w for p, w in zip(ps, rule.weights, strict=True)], inner)
    return _Piece(p_sum, q_sum, left)


def _segment_tails(
    ctx: Context, curve: Curve, segment: Segment, panels: list[Panel], depth: float, style: Style
) -> Pair:
    """Parts of (P(v <= curve), P(v > curve)) with u in the segment."""
    rule = rule_of(style.nodes, ctx is MP)
    densities = _log_densities(ctx, curve)
    pieces = [_piece(ctx, densities, panel, rule) for panel in panels]
    if not segment.rising:  # walk from the low end of v
        pieces = [_Piece(x.p, x.q, x.p * x.q - x.left) for x in reversed(pieces)]
    below = beta_tail(ctx, curve.inner, segment.low, -1, depth, style)
    above = beta_tail(ctx, curve.inner, segment.high, 1, depth, style)
    low, high = ctx.num(0), ctx.num(0)
    for x in pieces:
        low += below * x.p + x.left
        below += x.q
    for x in reversed(pieces):
        high += above * x.p + (x.p * x.q - x.left)
        above += x.q
    return low, high


def curve_tails(
    make: Callable[[Context, Num], Curve],
    t: float,
    style: Style,
    ctx: Context,
    smaller: float = 1.0,
    step: Num = 0,
) -> Pair:
    """(cdf, sf) at t + step, with the panels of t. ``smaller`` is a guess of the smaller tail."""
    depth = style.reach - math.log(smaller)
    rough, curve = make(FLOAT, t), make(ctx, ctx.num(t) + step)
    low, high = ctx.num(0), ctx.num(0)
    for segment, stretch in zip(rough.segments, curve.segments, strict=True):
        panels = _segment_panels(rough, segment, depth, style)
        parts = _segment_tails(ctx, curve, stretch, panels, depth, style)
        low, high = low + parts[0], high + parts[1]
    if curve.all_below:
        low += beta_tail(ctx, curve.outer, curve.all_below[1], curve.all_below[0], depth, style)
    if curve.none_below:
        high += beta_tail(ctx, curve.outer, curve.none_below[1], curve.none_below[0], depth, style)
    return (high, low) if curve.swapped else (low, high)


# ---------------------------------------------------------------------------------------------------------
# curves of the measures


def sum_curve(ctx: Context, outer: Pair, inner: Pair, c: Num) -> Curve:
    """The event u + v <= c."""
    e = c - 1 if c >= 1 else 1 - c
    tau = 1 - e
    log_tau = ctx.log(tau)

    def high_point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        u = ctx.log(e + tau * ctx.exp(ls)) if e else ls
        v = ctx.log(e + tau * ctx.exp(lm)) if e else lm
        slope = log_tau + ls + lm
        return Point(u, log_tau + lm, v, log_tau + ls, slope, slope)

    def low_point(y: Num) -> Point:
        at = high_point(-y)
        return Point(at.u1, at.u, at.v1, at.v, at.du, at.dv)

    kink = ctx.log(e) - log_tau
    kinks = [0.0, kink, -kink]
    if c >= 1:
        return Curve(outer, inner, high_point, [Segment(-INF, INF, False, kink, INF)], kinks, all_below=(-1, kink))
    return Curve(outer, inner, low_point, [Segment(-INF, INF, False, -INF, -kink)], kinks, none_below=(1, -kink))


def product_curve(ctx: Context, outer: Pair, inner: Pair, m: Num, m1: Num) -> Curve:
    """The event u * v <= m; m1 = 1 - m."""
    log_m, log_m1 = ctx.log(m), ctx.log(m1)

    def point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        u = ctx.log(m + m1 * ctx.exp(ls))
        slope = log_m1 + ls + lm
        return Point(u, log_m1 + lm, log_m - u, log_m1 + ls - u, slope, slope + log_m - 2 * u)

    kink = log_m - log_m1
    segment = Segment(-INF, INF, False, kink, INF)
    return Curve(outer, inner, point, [segment], [0.0, kink, -kink], all_below=(-1, kink))


def ratio_curve(ctx: Context, outer: Pair, inner: Pair, t: Num) -> Curve:
    """The event v <= t u."""
    k = t if t < 1 else 1 / t
    log_k, log_k1 = ctx.log(k), ctx.log(1 - k)

    def point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        small, small1 = log_k + ls, ctx.log((1 - k) + k * ctx.exp(lm)) if k != 1 else lm
        full, slope = (ls, lm), ls + lm
        if t < 1:
            return Point(*full, small, small1, slope, slope + log_k)
        return Point(small, small1, *full, slope + log_k, slope)

    kink = log_k - log_k1
    if t < 1:
        return Curve(outer, inner, point, [Segment(-INF, INF, True, -INF, kink)], [0.0, kink, -kink])
    return Curve(outer, inner, point, [Segment(-INF, INF, True, -INF, INF)], [0.0, kink, -kink], all_below=(1, kink))


def odds_curve(ctx: Context, outer: Pair, inner: Pair, t: Num) -> Curve:
    """The event odds(u) * odds(v) <= t."""
    log_t = ctx.log(t)

    def point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        v, v1 = logistic(ctx, log_t - y)
        return Point(ls, lm, v, v1, ls + lm, v + v1)

    return Curve(outer, inner, point, [Segment(-INF, INF, False, -INF, INF)], [0.0, log_t])


def linear_curve(ctx: Context, lone: Pair, first: Pair, second: Pair, swapped: bool) -> Curve:
    """The event lone * o <= first * w + second * (1 - w); each argument is (size of coefficient, shape)."""
    (k, a), (f, b), (g, c) = lone, first, second
    log_gap = ctx.log(abs(f - g)) - ctx.log(k)

    def point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        z = ctx.log((f * ctx.exp(ls) + g * ctx.exp(lm)) / k)
        v, v1 = logistic(ctx, z)
        return Point(ls, lm, v, v1, ls + lm, v + v1 + log_gap + ls + lm - z)

    ends = sorted([ctx.log(f / k), ctx.log(g / k)])
    segment = Segment(-INF, INF, bool(f > g), *ends)
    return Curve((b, c), (a, b + c), point, [segment], [0.0, ctx.log(g / f)], swapped=swapped)


def root_curve(ctx: Context, outer: Pair, inner: Pair, abc: tuple[Num, Num, Num]) -> Curve:
    """The event o <= positive root of A o^2 + B o = C w (1 - w)."""
    A, B, C = abc
    log_c = ctx.log(C)

    def root(lg: Num) -> Pair:
        size = ctx.sqrt(B * B + 4 * A * C * ctx.exp(lg))
        if B > 0:
            return ctx.log(2 * C) + lg - ctx.log(B + size), ctx.log(size)
        return ctx.log((size - B) / (2 * A)), ctx.log(size)

    def point(y: Num) -> Point:
        ls, lm = logistic(ctx, y)
        z, log_size = root(ls + lm)
        v, v1 = logistic(ctx, z)
        slope = log_c + ls + lm - log_size - z
        return Point(ls, lm, v, v1, ls + lm, v + v1 + slope, abs(ctx.exp(ls) - ctx.exp(lm)))

    low = -INF if B >= 0 else ctx.log(-B / A)
    high = root(-2 * ctx.log(ctx.num(2)))[0]
    segments = [Segment(-INF, 0.0, True, low, high), Segment(0.0, INF, False, low, high)]
    kink = ctx.log(4 * A * C) - 2 * ctx.log(abs(B))
    return Curve(outer, inner, point, segments, [0.0, kink, -kink])


# ---------------------------------------------------------------------------------------------------------
# tails by a contour integral


@dataclass(frozen=True)
class Contour:
    """K(s) = log E exp(s Y) for a tail P(Y > 0), with its slope, right end and algebraic decay."""

    value: Callable[[mpc], mpc]
    slope: Callable[[mpf], mpf]
    end: mpf
    decay: mpf
    weight: Callable[[mpc], mpc]  # exp(K) * weight integrates to the density, exp(K) / s to the tail
    lean: int = 0  # the side to which a path must bend, 0 for either


def linear_contour(terms: list[Pair], rates: list[Num]) -> Contour:
    """Y = sum of coefficient * Gamma(shape); with t a coefficient falls at its rate."""

    def value(s: mpc) -> mpc:
        return -sum(a * mp.log(1 - k * s) for k, a in terms)

    def slope(s: mpf) -> mpf:
        return sum(a * k / (1 - k * s) for k, a in terms)

    def weight(s: mpc) -> mpc:
        return sum(a * d / (1 - k * s) for (k, a), d in zip(terms, rates, strict=True))

    end = min(1 / k for k, _ in terms if k > 0)
    return Contour(value, slope, end, sum(a for _, a in terms), weight)


GammaTerm = tuple[Num, int, int]  # shape, sign of s, power


def gamma_contour(terms: list[GammaTerm], log_t: mpf, rate: mpf) -> Contour:
    """Y = log of a product of Gammas and quotients by their sums, less log_t; rate = d log_t / dt."""
    base = sum(n * mp.loggamma(a) for a, _, n in terms)

    def value(s: mpc) -> mpc:
        return sum(n * mp.loggamma(a + g * s) for a, g, n in terms) - base - s * log_t

    def slope(s: mpf) -> mpf:
        return sum(n * g * mp.digamma(a + g * s) for a, g, n in terms) - log_t

    end = min([a for a, g, n in terms if g < 0 < n], default=mp.inf)
    gain = sum(a * n for a, _, n in terms)
    lean = 0 if gain >= 0 else 1 if log_t > 0 else -1
    return Contour(value, slope, end, -gain if gain < 0 else mpf(1000), lambda _: rate, lean)


@dataclass(frozen=True)
class Hyperbola:
    """A hyperbola through the saddle point: s = c + size (i cos sinh x + sin (cosh x - 1))."""

    center: mpf
    size: mpf
    angle: mpf
    slow: bool  # x = sinh(u), for algebraic decay


def _saddle(contour: Contour) -> mpf:
    def place(x: float) -> mpf:
        if contour.end == mp.inf:
            return mp.exp(x)
        return contour.end / (1 + mp.exp(-x))

    low, high = -90.0, 90.0
    while high - low > 0.003:
        x = (low + high) / 2
        s = place(x)
        low, high = (low, x) if contour.slope(s) > 1 / s else (x, high)
    return place((low + high) / 2)


def plan_path(contour: Contour, bend: float, scale: float) -> Hyperbola:
    """A hyperbola through the saddle of exp(K) / s, bent as exp(K) alone wants it (times ``bend``)."""
    c = _saddle(contour)
    room = min(c, contour.end - c)
    d = room * mpf(10) ** -8
    slopes = [contour.slope(s) for s in (c - d, c, c + d)]
    second = (slopes[2] - slopes[0]) / (2 * d) + 1 / c**2
    third = (slopes[2] - 2 * slopes[1] + slopes[0]) / d**2
    size = min(1 / mp.sqrt(second), room) * scale
    target = float(size * third / (3 * second)) * bend
    angle = math.copysign(_angle(abs(target)), target)
    if angle * contour.lean < 0:
        angle = 0.15 * contour.lean
    return Hyperbola(c, size, mpf(max(-0.9, min(0.9, angle))), bool(contour.decay < 1))


def _angle(target: float) -> float:
    """Solve sin / cos^2 = target."""
    if target < 1e-9:
        return target
    sine = (math.sqrt(1 + 4 * target * target) - 1) / (2 * target)
    return math.asin(sine)


def _path_term(contour: Contour, path: Hyperbola, u: mpf, density: bool) -> mpc:
    x, dx = (mp.sinh(u), mp.cosh(u)) if path.slow else (u, mpf(1))
    e = mp.exp(x)
    sh, ch = (e - 1 / e) / 2, (e + 1 / e) / 2
    cos, sin = mp.cos(path.angle), mp.sin(path.angle)
    s = path.center + path.size * mpc(sin * (ch - 1), cos * sh)
    ds = path.size * dx * mpc(sin * sh, cos * ch)
    return mp.exp(contour.value(s)) * (contour.weight(s) if density else 1 / s) * ds


def _path_sum(term: Callable[[mpf], mpc], first: mpf, step: mpf, top: mpf, digits: int) -> mpf | None:
    """Sum of the terms first, first + step, ... until they vanish next to it or to ``top``."""
    part = mpf(10) ** -digits
    total, quiet, u, floor = mpf(0), 0, first, abs(top) * part
    for _ in range(1500):
        value = term(u)
        total += value.imag
        floor = max(floor, abs(total) * part)
        if abs(value) * part > floor * mpf(10) ** 10:
            return None
        quiet = quiet + 1 if abs(value) < floor else 0
        if quiet == 3:
            return total
        u += step
    return None


def path_integral(contour: Contour, path: Hyperbola, digits: int, density: bool = False) -> mpf | None:
    """P(Y > 0), or the density, by the trapezoidal rule, halving until it stands still."""

    def term(u: mpf) -> mpc:
        return _path_term(contour, path, u, density)

    step, total = mpf(1) / 4, term(mpf(0)).imag / 2
    more = _path_sum(term, step, step, total, digits + 8)
    for _ in range(6):
        if more is None:
            return None
        old, total = total * step * 2, total + more
        if abs(total * step - old) < abs(old) * mpf(10) ** -digits:
            return total * step / mp.pi
        more = _path_sum(term, step / 2, step, total, digits + 8)
        step /= 2
    return None


# ---------------------------------------------------------------------------------------------------------
# measures


def _f_form(b2: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (1 + b2, 0, 0, 0), (1 + b2, 1, b2, 0)


# numerator and denominator, by cell: the measure is a ratio of linear forms
LINEAR: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "jaccard": ((1, 0, 0, 0), (1, 1, 1, 0)),
    "f1": _f_form(1.0),
    "f2": _f_form(4.0),
    "f0.5": _f_form(0.25),
    "fbeta(3)": _f_form(9.0),
    "fbeta(10)": _f_form(100.0),
    "utility:2,-1,0,0": ((2, -1, 0, 0), (1, 1, 1, 1)),
    "utility:3,-2,-1,0.5": ((3, -2, -1, 0.5), (1, 1, 1, 1)),
}
ROOTS = ("a-measure", "fowlkes-mallows")
SUMS = ("informedness", "balanced-accuracy", "markedness")
PRODUCTS = ("g-mean", "lr-plus", "lr-minus", "odds-ratio")
METRICS = (*LINEAR, *ROOTS, *SUMS, *PRODUCTS)


def support(metric: str) -> tuple[float, float]:
    """Ends of the range of a measure."""
    if metric.startswith("utility"):
        return min(LINEAR[metric][0]), max(LINEAR[metric][0])
    if metric in ("informedness", "markedness"):
        return -1.0, 1.0
    return (0.0, INF) if metric in ("lr-plus", "lr-minus", "odds-ratio") else (0.0, 1.0)


def groups(metric: str, shapes: tuple[Num, ...], t: Num) -> list[tuple[Num, Num, float]]:
    """The signed sum of Gammas that is positive above t, each with coefficient, shape and fall with t."""
    merged: dict[tuple[float, float], Num] = {}
    for n, d, a in zip(*LINEAR[metric], shapes, strict=True):
        if (n, d) != (0, 0):
            merged[n, d] = merged.get((n, d), 0) + a
    terms = [(n - t * d, a, d) for (n, d), a in merged.items()]
    return [x for x in terms if x[0] != 0]


def _three(ctx: Context, terms: list[Pair]) -> Curve:
    up, down = [x for x in terms if x[0] > 0], [(-k, a) for k, a in terms if k < 0]
    if len(up) == 1:
        return linear_curve(ctx, up[0], down[0], down[1], swapped=False)
    return linear_curve(ctx, down[0], up[0], up[1], swapped=True)


def make_curve(metric: str, shapes: Shapes, flip: bool, ctx: Context, t: Num) -> Curve:
    """The curve of a measure of three groups or two rates; ``flip`` exchanges two rates if it can."""
    tp, fp, fn, tn = (ctx.num(a) for a in shapes)
    if metric in LINEAR:
        return _three(ctx, [(k, a) for k, a, _ in groups(metric, (tp, fp, fn, tn), t)])
    if metric in ROOTS:
        abc = (1 - t, ctx.num(0.5) - t, t) if metric == "a-measure" else ((1 - t) * (1 + t), -t * t, t * t)
        return root_curve(ctx, (fn, fp) if flip else (fp, fn), (tp, fp + fn), abc)
    if metric == "lr-plus":
        return ratio_curve(ctx, (fp, tn), (tp, fn), t)
    if metric == "lr-minus":
        return ratio_curve(ctx, (tn, fp), (fn, tp), t)
    rates = ((tp, fp), (tn, fn)) if metric == "markedness" else ((tp, fn), (tn, fp))
    u, v = rates[::-1] if flip else rates
    if metric in SUMS:
        return sum_curve(ctx, u, v, 2 * t if metric == "balanced-accuracy" else 1 + t)
    if metric == "g-mean":
        return product_curve(ctx, u, v, t * t, (1 - t) * (1 + t))
    return odds_curve(ctx, u, v, t)


def gamma_terms(metric: str, shapes: tuple[Num, ...]) -> list[GammaTerm]:
    """E exp(s log measure) as a product of Gamma functions (of the square, for the g-mean)."""
    tp, fp, fn, tn = shapes
    if metric == "g-mean":
        return [(tp, 1, 1), (tp + fn, 1, -1), (tn, 1, 1), (tn + fp, 1, -1)]
    if metric == "lr-plus":
        return [(tp, 1, 1), (tp + fn, 1, -1), (fp, -1, 1), (fp + tn, -1, -1)]
    if metric == "lr-minus":
        return [(fn, 1, 1), (tp + fn, 1, -1), (tn, -1, 1), (tn + fp, -1, -1)]
    return [(tp, 1, 1), (tn, 1, 1), (fp, -1, 1), (fn, -1, 1)]


def make_contour(metric: str, shapes: Shapes, t: Num, upper: bool) -> Contour | None:
    """The contour integral of one tail, if the measure has one."""
    exact = tuple(mpf(a) for a in shapes)
    sign = 1 if upper else -1
    if metric in LINEAR:
        terms = groups(metric, exact, t)
        return linear_contour([(sign * k, a) for k, a, _ in terms], [d for _, _, d in terms])
    if metric in PRODUCTS:
        power = 2 if metric == "g-mean" else 1
        factors = [(a, sign * g, n) for a, g, n in gamma_terms(metric, exact)]
        return gamma_contour(factors, sign * power * mp.log(t), power / t)
    return None


# ---------------------------------------------------------------------------------------------------------
# tails of a measure


@dataclass(frozen=True)
class Subject:
    """A measure of a posterior."""

    metric: str
    shapes: Shapes

    def group_count(self, t: float) -> int:
        """How many Gammas matter for a ratio of linear forms; 0 for other measures."""
        return len(groups(self.metric, self.shapes, t)) if self.metric in LINEAR else 0

    def digits(self, extra: int = 0) -> int:
        """Working precision that survives the cancellation of the largest shape."""
        return 40 + extra + int(math.log10(max(*self.shapes, 1.0)))

    def by_curve(
        self,
        t: float,
        style: Style,
        ctx: Context = MP,
        smaller: float = 1.0,
        step: Num = 0,
        flip: bool = False,
    ) -> Pair | None:
        """Both tails by panels, or None for four groups."""
        if self.group_count(t) == 2:
            return self._by_beta(t, style, ctx, smaller, step)
        if self.group_count(t) == 4:
            return None

        def make(context: Context, at: Num) -> Curve:
            return make_curve(self.metric, self.shapes, flip, context, at)

        return curve_tails(make, t, style, ctx, smaller, step)

    def _by_beta(self, t: float, style: Style, ctx: Context, smaller: float, step: Num) -> Pair:
        terms = groups(self.metric, tuple(ctx.num(a) for a in self.shapes), ctx.num(t) + step)
        (k, a, _), (m, b, _) = sorted(terms, key=lambda x: -x[0])
        z = ctx.log(-m / k)
        depth = style.reach - math.log(smaller)
        low, high = (beta_tail(ctx, (a, b), z, sign, depth, style) for sign in (-1, 1))
        return low, high

    def by_contour(self, t: Num, upper: bool, bend: float = 1.0, scale: float = 1.0, digits: int = 26) -> Pair | None:
        """One tail, meant to be the smaller, by a contour integral, and its complement; None if unsettled."""
        contour = make_contour(self.metric, self.shapes, mpf(t), upper)
        if contour is None:
            return None
        tail = path_integral(contour, plan_path(contour, bend, scale), digits)
        if tail is None:
            return None
        return (1 - tail, tail) if upper else (tail, 1 - tail)

    def density_by_contour(self, t: float, upper: bool, bend: float = 1.0, scale: float = 1.0) -> mpf | None:
        """The density by a contour integral, or None where there is none or it does not settle."""
        contour = make_contour(self.metric, self.shapes, mpf(t), upper)
        if contour is None:
            return None
        return path_integral(contour, plan_path(contour, bend, scale), 24, density=True)

    def density_by_curve(self, t: float, style: Style, tails: tuple[float, float], flip: bool = False) -> mpf | None:
        """The density as a difference of the smaller tail with the panels held still."""
        low, high = support(self.metric)
        step = mpf(min(t - low, high - t) if low < 0 or high < INF else t) * mpf(10) ** -20
        upper = tails[1] < tails[0]
        with mp.workdps(self.digits(24)):
            ends = [self.by_curve(t, style, smaller=min(tails), step=h, flip=flip) for h in (-step, step)]
            if ends[0] is None or ends[1] is None:
                return None
            return abs(ends[1][upper] - ends[0][upper]) / (2 * step)

    def rough(self, t: float) -> tuple[float, float]:
        """Both tails, to a few digits."""
        pair = self.by_curve(t, COARSE, FLOAT, 1e-18)
        if pair is None:
            upper = sum(k * a for k, a, _ in groups(self.metric, self.shapes, t)) < 0
            with mp.workdps(self.digits()):
                pair = self.by_contour(t, upper, digits=5) or (upper, not upper)
        return float(pair[0]), float(pair[1])


def differ(one: Pair | None, two: Pair | None) -> float:
    """The largest relative difference of two pairs."""
    if one is None or two is None:
        return INF
    return max(float(abs(a / b - 1)) for a, b in zip(one, two, strict=True))


def tails(subject: Subject, t: float, guess: tuple[float, float]) -> tuple[Pair | None, float, str]:
    """(cdf, sf) at t, how far two evaluations are apart, and which two these were."""
    upper = guess[1] < guess[0]
    with mp.workdps(subject.digits()):
        best = subject.by_contour(t, upper)
        if subject.group_count(t) == 4:
            apart = differ(best, subject.by_contour(t, upper, bend=0.7, scale=0.8))
            larger = subject.by_contour(t, not upper)
            return best, max(apart, float(abs(larger[0] - best[0])) if larger and best else 0), "two contours"
        first = subject.by_curve(t, FIRST, smaller=min(guess))
        if differ(best, first) < AGREE:
            return best, differ(best, first), "contour and curve"
        second = subject.by_curve(t, SECOND, smaller=min(guess), flip=True)
        if best is None:
            return second, differ(second, first), "two curves"
        return best, differ(best, second), "contour and second curve"


# ---------------------------------------------------------------------------------------------------------
# where to look: quantiles


class Finder:
    """Quantiles of a measure, to a few digits, by secants on the normal scale."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.low, self.high = support(subject.metric)
        self.seen: dict[float, float] = {}
        start = -33.1 if self.low < 0 else -120.1
        for x in (start, 33.0 if self.high < INF else 120.0):
            self.normal(x)

    def place(self, x: float) -> float:
        """The value of the measure at x on a logit (or log) scale."""
        if self.high == INF:
            return math.exp(x)
        if x < 0:
            return self.low + (self.high - self.low) / (1 + math.exp(-x))
        return self.high - (self.high - self.low) / (1 + math.exp(x))

    def normal(self, x: float) -> float:
        """Normal score of the cdf at x."""
        if x not in self.seen:
            low, high = (min(max(p, 1e-300), 1.0) for p in self.subject.rough(self.place(x)))
            self.seen[x] = NORMAL.inv_cdf(low) if low < high else -NORMAL.inv_cdf(high)
        return self.seen[x]

    def find(self, score: float) -> float | None:
        """A t whose normal score is about ``score``."""
        for turn in range(70):
            ordered = sorted(self.seen)
            below = max((x for x in ordered if self.seen[x] <= score), default=None)
            above = min((x for x in ordered if self.seen[x] >= score), default=None)
            if below is None or above is None:
                return None
            nearest = min((below, above), key=lambda x: abs(self.seen[x] - score))
            if abs(self.seen[nearest] - score) < 0.06:
                return self.place(nearest)
            if not below < (below + above) / 2 < above or turn == 69:
                return None
            self.normal(self._next(below, above, score, turn))
        return None

    def _next(self, below: float, above: float, score: float, turn: int) -> float:
        f, g = self.seen[below] - score, self.seen[above] - score
        if turn % 3 == 2 or max(-f, g) > 12:
            return (below + above) / 2
        part = min(0.95, max(0.05, f / (f - g)))
        return below + part * (above - below)


CENTER = (0.025, 0.3, 0.5, 0.975)
TAILS = (1e-4, 1e-7, 1e-10, 1e-15)


def places(subject: Subject) -> list[float]:
    """The values of t for a subject, without repeats."""
    finder = Finder(subject)
    scores = [NORMAL.inv_cdf(p) for p in (*CENTER, *TAILS)] + [-NORMAL.inv_cdf(p) for p in TAILS]
    found = [finder.find(score) for score in scores]
    if min(subject.shapes) < 0.1:
        found += [finder.place(x) for x in (-21.0, 21.0)]
    inside = [t for t in found if t is not None and finder.low < t < finder.high and t != 0]
    return sorted(set(inside))


# ---------------------------------------------------------------------------------------------------------
# moments


def _half_line(f: Callable[[mpf], mpf], center: mpf) -> mpf:
    """Integral over (0, inf): trapezoids after s = center exp(pi/2 sinh u), halved until they stand still."""
    floor = mpf(10) ** -(mp.dps - 5)

    def term(u: mpf) -> mpf:
        s = center * mp.exp(mp.pi / 2 * mp.sinh(u))
        return f(s) * s * mp.cosh(u) * mp.pi / 2

    def ray(first: mpf, step: mpf, sign: int, top: mpf) -> mpf:
        total, u = mpf(0), first
        while True:
            value = term(sign * u)
            total += value
            if value <= floor * max(top, total) and u > 1:
                return total
            u += step

    step = mpf(1) / 4
    total = term(mpf(0))
    total += ray(step, step, 1, total) + ray(step, step, -1, total)
    for _ in range(9):
        more = ray(step / 2, step, 1, total) + ray(step / 2, step, -1, total)
        old, total, step = total * step, total + more, step / 2
        if abs(total * step - old) < abs(old) * mpf(10) ** -(mp.dps * 0.8):
            return total * step
    raise ArithmeticError("the integral does not settle")


def _ratio_moment(metric: str, shapes: tuple[mpf, ...], order: int) -> mpf:
    """E (tp-measure)^order for n tp / D: integrals of E[tp^k exp(-s D)] s^(k-1)."""
    n, d = LINEAR[metric][0][0], LINEAR[metric][1]
    rising = mp.rf(shapes[0], order) * mpf(n) ** order

    def f(s: mpf) -> mpf:
        log = -sum(a * mp.log(1 + k * s) for k, a in zip(d, shapes, strict=True) if k)
        return rising * s ** (order - 1) * mp.exp(log - order * mp.log(1 + d[0] * s))

    return _half_line(f, 1 / (1 + sum(k * a for k, a in zip(d, shapes, strict=True))))


def _series_3f2(a: mpf, b: mpf, c: mpf, d: mpf, e: mpf) -> mpf:
    total, term, k = mpf(0), mpf(1), 0
    while term > total * mpf(10) ** -(mp.dps + 5):
        total += term
        term *= (a + k) * (b + k) * (c + k) / ((d + k) * (e + k) * (k + 1))
        k += 1
    return total


def _unit_3f2(a: mpf, b: mpf, c: mpf, d: mpf, e: mpf) -> mpf:
    """3F2(a, b, c; d, e; 1) by its series, or by mpmath, in two forms (Thomae), where that is slow."""
    s = d + e - a - b - c
    if s > 20:
        return _series_3f2(a, b, c, d, e)
    value = mp.hyp3f2(a, b, c, d, e, 1)
    other = mp.gammaprod([d, e, s], [a, s + b, s + c]) * mp.hyp3f2(d - a, e - a, s, s + b, s + c, 1)
    if abs(value / other - 1) > mpf(10) ** -32:
        raise ArithmeticError(f"3F2 in doubt: {value} {other}")
    return value


def _beta_moments(a: mpf, b: mpf) -> Pair:
    return a / (a + b), a * (a + 1) / ((a + b) * (a + b + 1))


def _inverse_moments(a: mpf, b: mpf) -> tuple[mpf | None, mpf | None]:
    """E 1/X and E 1/X^2 of a Beta variable."""
    first = (a + b - 1) / (a - 1) if a > 1 else None
    return first, first * (a + b - 2) / (a - 2) if first is not None and a > 2 else None


def _root_moments(a: mpf, b: mpf) -> mpf:
    """E sqrt(X) of a Beta variable."""
    return mp.exp(mp.loggamma(a + 0.5) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(a + b + 0.5))


def _linear_moments(metric: str, shapes: tuple[mpf, ...]) -> Pair:
    n, d = LINEAR[metric]
    if metric.startswith("utility"):
        total = sum(shapes)
        mean = mp.fdot(n, shapes) / total
        square = sum(k * k * a for k, a in zip(n, shapes, strict=True)) / total
        return mean, (square + total * mean * mean) / (total + 1)
    if set(n) | set(d) <= {0, 1}:
        inside = sum(a for k, a in zip(n, shapes, strict=True) if k)
        return _beta_moments(inside, mp.fdot(d, shapes) - inside)
    return _ratio_moment(metric, shapes, 1), _ratio_moment(metric, shapes, 2)


def _joint_moments(metric: str, shapes: tuple[mpf, ...]) -> Pair:
    """Of (precision + recall) / 2 and sqrt(precision * recall)."""
    a, b, c, _ = shapes
    both = a * (a + 1) / ((a + b + 1) * (a + c + 1)) * _unit_3f2(a + 2, mpf(1), mpf(1), a + b + 2, a + c + 2)
    if metric == "a-measure":
        (p, p2), (r, r2) = _beta_moments(a, b), _beta_moments(a, c)
        return (p + r) / 2, (p2 + r2 + 2 * both) / 4
    half = mpf(1) / 2
    ratio = mp.loggamma(a + b + half) - mp.loggamma(a + b + 1) + mp.loggamma(a + c + half) - mp.loggamma(a + c + 1)
    return a * mp.exp(ratio) * _unit_3f2(a + 1, half, half, a + b + 1, a + c + 1), both


def _rate_moments(metric: str, shapes: tuple[mpf, ...]) -> tuple[mpf | None, mpf | None]:
    tp, fp, fn, tn = shapes
    if metric in SUMS:
        x, y = ((tp, fp), (tn, fn)) if metric == "markedness" else ((tp, fn), (tn, fp))
        (r, r2), (s, s2) = _beta_moments(*x), _beta_moments(*y)
        if metric == "balanced-accuracy":
            return (r + s) / 2, (r2 + s2 + 2 * r * s) / 4
        return r + s - 1, r2 + s2 + 1 + 2 * r * s - 2 * r - 2 * s
    if metric == "g-mean":
        return _root_moments(tp, fn) * _root_moments(tn, fp), tp / (tp + fn) * tn / (tn + fp)
    if metric == "odds-ratio":
        first = tp * tn / ((fp - 1) * (fn - 1)) if min(fp, fn) > 1 else None
        second = first and first * (tp + 1) * (tn + 1) / ((fp - 2) * (fn - 2)) if min(fp, fn) > 2 else None
        return first, second
    above, below = ((tp, fn), (fp, tn)) if metric == "lr-plus" else ((fn, tp), (tn, fp))
    pairs = zip(_beta_moments(*above), _inverse_moments(*below), strict=True)
    first, second = (None if y is None else x * y for x, y in pairs)
    return first, second


def moments(subject: Subject) -> dict[str, str | None]:
    """Mean and standard deviation, None where infinite."""
    with mp.workdps(52 + 2 * int(math.log10(max(*subject.shapes, 1.0)))):
        shapes, metric = tuple(mpf(a) for a in subject.shapes), subject.metric
        kind = _linear_moments if metric in LINEAR else _joint_moments if metric in ROOTS else _rate_moments
        mean, square = kind(metric, shapes)
        std = None if square is None else mp.sqrt(square - mean * mean)
        return {"mean": text(mean, 30), "std": text(std, 30)}


# ---------------------------------------------------------------------------------------------------------
# the file

Counts = tuple[float, float, float, float]

EVERYWHERE: list[tuple[Counts, float]] = [
    ((80, 20, 30, 870), 0.5),
    ((3, 2, 1, 5), 1.0),
    ((0, 0, 0, 0), 0.5),
    ((1e12, 2e11, 5e10, 3e12), 1.0),
    ((1e6, 0, 3, 1e9), 0.5),
]
IN_TURN: list[tuple[Counts, float]] = [
    ((0, 1, 0, 10), 1.0),
    ((500, 10, 1000, 30), 0.5),
    ((0, 3, 2, 7), 0.05),
    ((1, 1, 1, 1), 1e-3),
    ((10, 0, 5, 0), 0.5),
    ((1e9, 1e9, 1e3, 1), 0.5),
    ((1e12, 0, 0, 1e12), 0.5),
    ((10, 20, 30, 40), 1e3),
    ((1e12, 1, 1e6, 1e9), 1.0),
    ((5, 0, 0, 20), 0.05),
    ((1000, 1, 0, 100), 1.0),
    ((3e9, 7e8, 2e9, 9e9), 0.5),
    ((0, 0, 1, 0), 1e-3),
    ((0, 0, 0, 0), 1e3),
    ((0, 1e12, 3, 1e12), 0.5),
    ((1e6, 2e6, 5e5, 1e6), 1.0),
    ((2, 1e9, 0, 1e12), 0.05),
    ((1, 1e6, 1e6, 1), 1.0),
    ((7, 3, 0, 1e12), 1.0),
    ((123, 45, 6, 78), 0.05),
    ((1e12, 1e12, 1e12, 1e12), 0.5),
]


def text(x: mpf | None, digits: int) -> str | None:
    """A decimal string."""
    return None if x is None else mp.nstr(x, digits, strip_zeros=False, min_fixed=0, max_fixed=0)


def subjects(every: int) -> Iterator[Subject]:
    """Every measure with the posteriors it meets: all common ones, then one in ``every`` of the others."""
    for k, (counts, prior) in enumerate(EVERYWHERE + IN_TURN):
        tp, fp, fn, tn = (float(n) + prior for n in counts)
        for i, metric in enumerate(METRICS):
            if k < len(EVERYWHERE) or (k + i) % every == 0:
                yield Subject(metric, (tp, fp, fn, tn))


def label(subject: Subject) -> dict[str, Any]:
    """The fields that name a subject."""
    return {"metric": subject.metric, "shapes": [repr(a) for a in subject.shapes]}


def special(metric: str) -> list[float]:
    """Values of t where the shape of the event changes."""
    turns = {"informedness": 0.0, "markedness": 0.0, "balanced-accuracy": 0.5, "a-measure": 0.5}
    turns |= {"lr-plus": 1.0, "lr-minus": 1.0, "odds-ratio": 1.0, "utility:2,-1,0,0": 0.0}
    return [turns[metric]] if metric in turns else []


class Report:
    """What was kept and what was dropped."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = dict.fromkeys(METRICS, 0)
        self.hows: dict[str, int] = {}
        self.dropped: list[str] = []
        self.tiny = 0
        self.worst = 0.0
        self.start = time.monotonic()
        LOG.write_text("")

    @property
    def minutes(self) -> float:
        """Since the start."""
        return (time.monotonic() - self.start) / 60

    def say(self, words: str) -> None:
        """A line in the log."""
        with LOG.open("a") as f:
            f.write(f"{self.minutes:6.2f}  {words}\n")


def cdf_cases(subject: Subject, report: Report) -> Iterator[dict[str, Any]]:
    """The cases of a subject whose two evaluations agree."""
    for t in sorted({*places(subject), *special(subject.metric)}):
        guess = subject.rough(t)
        pair, apart, how = tails(subject, t, guess) if min(guess) > SMALLEST / 2 else ((0, 0), INF, "")
        if pair is not None and min(pair) < SMALLEST:
            report.tiny += 1
        elif pair is None or not apart < AGREE:
            report.dropped.append(f"{subject} {t!r} {how} {apart:.1e}")
            report.say("dropped " + report.dropped[-1])
        else:
            report.kept[subject.metric] += 1
            report.hows[how] = report.hows.get(how, 0) + 1
            report.worst = max(report.worst, apart)
            yield {**label(subject), "t": t.hex(), "cdf": text(pair[0], 25), "sf": text(pair[1], 25)}


def pdf_case(subject: Subject, t: float, report: Report) -> dict[str, Any] | None:
    """The density at t if two evaluations agree."""
    pair = subject.rough(t)
    with mp.workdps(subject.digits()):
        upper = pair[1] < pair[0]
        one = subject.density_by_contour(t, upper)
        if subject.group_count(t) == 4:
            two = subject.density_by_contour(t, upper, bend=0.7, scale=0.8)
        else:
            two = subject.density_by_curve(t, FIRST, pair)
        one = subject.density_by_curve(t, SECOND, pair, flip=True) if one is None else one
        if one is None or two is None or not abs(one / two - 1) < AGREE:
            report.dropped.append(f"pdf {subject} {t!r} {one} {two}")
            report.say("dropped " + report.dropped[-1])
            return None
        return {**label(subject), "t": t.hex(), "pdf": text(one, 25)}


def pdf_cases(cases: list[dict[str, Any]], report: Report, count: int) -> list[dict[str, Any]]:
    """Densities at an even choice of the places of the cdf cases."""
    usual = [case for case in cases if float.fromhex(case["t"]) not in special(case["metric"])]
    chosen = [usual[k * len(usual) // count] for k in range(count)]
    made = []
    for case in chosen:
        shapes = tuple(float(a) for a in case["shapes"])
        made.append(pdf_case(Subject(case["metric"], shapes), float.fromhex(case["t"]), report))
    return [case for case in made if case]


SOURCE = (
    "make_binary.py (mpmath): every value twice, by Gauss-Legendre panels along a curve and by a contour "
    f"integral or other panels; kept when they agree to {AGREE:g} relative on both tails; mean and std from "
    "closed forms, hypergeometric series or one-dimensional integrals; t is an exact double"
)


def write(parts: dict[str, list[dict[str, Any]]]) -> None:
    """The file, one line a case, put in place at once."""
    blocks = [f'"source":{json.dumps(SOURCE)}', '"cells":"tp, fp, fn, tn"']
    for name, cases in parts.items():
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        blocks.append(f'"{name}":[\n{lines}\n]')
    draft = HERE / "binary.json.part"
    draft.write_text("{" + ",\n".join(blocks) + "}\n")
    draft.replace(HERE / "binary.json")


def main(minutes: float) -> None:
    """Make the file within some minutes: moments, tails, then densities."""
    report = Report()
    everything = list(subjects(every=3))
    parts: dict[str, list[dict[str, Any]]] = {"cdf": [], "moments": [], "pdf": []}
    parts["moments"] = [{**label(subject), **moments(subject)} for subject in subjects(every=2)]
    report.say(f"{len(parts['moments'])} moments")
    for k, subject in enumerate(everything):
        if report.minutes > minutes - 3.2:
            report.say(f"out of time after {k} of {len(everything)}")
            break
        parts["cdf"] += cdf_cases(subject, report)
        if k % 10 == 9:
            write(parts)
            report.say(f"{k + 1} of {len(everything)}: {len(parts['cdf'])} cases, {len(report.dropped)} dropped")
    parts["pdf"] = pdf_cases(parts["cdf"], report, 205)
    write(parts)
    for words in (report.kept, report.hows, {k: len(v) for k, v in parts.items()}):
        report.say(str(words))
    report.say(f"{len(report.dropped)} dropped, {report.tiny} too far out, worst agreement {report.worst:.1e}")
    print(LOG.read_text())


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 24.0)
