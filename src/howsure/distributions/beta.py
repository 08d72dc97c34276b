"""Beta distributions in relative precision on both sides: cdf, quantiles and intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np
from scipy import special

from howsure.arrays import Array, Mask

# -- beta expansion
#
# Tails of Beta laws with large shapes, by one uniform expansion around the normal law.
#
# Statement: for B ~ Beta(a, b), s = a + b and z = logit B measured from its mode, the density is exp(-s·δ(z)) times its
# peak, δ(z) = log(q + p·exp(z)) - p·z with p = a/s, q = 1 - p. With δ = pq·η²/2 a tail is that of exp(-w²/2)·dz/dη over
# w = η·√κ, κ = ab/s; and dz/dη = Σ d_k(q - p)·η^k, each d_k a polynomial (at q - p = 1 those of Temme for the Gamma
# law, DLMF 8.12). Integrals of w^k·exp(-w²/2) follow from each other, so nothing is summed that has two signs but for
# d_k.
# Domain: κ from 1e3 on, |η| up to 0.3; beyond lie tails below 1e-20.
# Error: what is left out is below 1e-15 of the tail; held against mpmath, and against scipy, which takes ten times as
# long and more, in tests/laws/test_beta_expansion.py.

Polynomial = list[Fraction]  # coefficients, the constant first

LEAST: Final = 1e3  # of κ
FURTHEST: Final = 0.3  # of η
_TERMS: Final = 14
_PIECE: Final = 8_192  # points at a time: all of their arrays stay in the cache


def fits(a: Array, b: Array, drop: Array) -> Mask:
    """Whether the point at which the log density lies so far below its peak is one for the expansion."""
    kappa = a / (a + b) * b
    return (kappa >= LEAST) & (2.0 * drop <= FURTHEST * FURTHEST * kappa)


def tail(a: Array, b: Array, drop: Array, log_factor: Array) -> Array:
    """The tail beyond a point below the mean, flat; log_factor is that of the peak to a normal one of variance 1/κ."""
    out = np.empty(drop.shape)
    for start in range(0, drop.size, _PIECE):
        at = slice(start, start + _PIECE)
        out[at] = _tail(a[at], b[at], drop[at]) * np.exp(log_factor[at])
    return out


def _tail(a: Array, b: Array, drop: Array) -> Array:
    s = a + b
    turn, step = (b - a) / s, 1.0 / np.sqrt(a / s * b)
    w = np.sqrt(2.0 * drop)
    c = _terms(turn, step)
    above = np.zeros(w.shape)  # Σ c_k·w^(k-1) from k = 2 on, of ∫w^k·exp(-w²/2) = w^(k-1)·exp(-w²/2) + (k-1)·∫w^(k-2)…
    for k in range(_TERMS - 1, 1, -1):
        above = above * w + c[k]
        c[k - 2] = c[k - 2] + (k - 1) * c[k]
    below_peak = (above * w + c[1]) * np.exp(-drop)
    return np.asarray(0.5 * c[0] * special.erfc(np.sqrt(drop)) + below_peak / math.sqrt(2.0 * math.pi))


def _terms(turn: Array, step: Array) -> list[Array]:
    """(-1)^k·d_k·step^k: the sign is that of the side below the mean."""
    square, power, found = turn * turn, np.ones(step.shape), []
    for k, own in enumerate(_coefficients()):
        value = np.full(step.shape, own[-1])
        for x in own[-2::-1]:
            value = value * square + x
        found.append(power * (-turn * value if k % 2 else value))
        power = power * step
    return found


@cache
def _coefficients() -> tuple[tuple[float, ...], ...]:
    """Of each d_k, those of g^(k mod 2), g^(k mod 2 + 2), …: d_k is odd or even as k is."""
    return tuple(tuple(float(x) for x in d[k % 2 :: 2]) for k, d in enumerate(slopes(_TERMS)))


def slopes(terms: int) -> list[Polynomial]:
    """d_0, d_1, … as polynomials in g = q - p, exactly.

    E = δ'(z)/pq keeps to dE/dz = 1 + g·E - pq·E² and to E·dz = η·dη, so that S = E² has, with E = Σ E_k·η^k,
    k/2·S_k = [k = 2] + g·E_(k-2) - pq·S_(k-2), and dz/dη is η/E.
    """
    share = [Fraction(1, 4), Fraction(0), Fraction(-1, 4)]  # pq
    e: list[Polynomial] = [[], [Fraction(1)]]
    square: list[Polynomial] = [[], [], [Fraction(1)]]
    for k in range(3, terms + 2):
        rise = _sum(_product([Fraction(0), Fraction(1)], e[k - 2]), _product(share, square[k - 2]), Fraction(-1))
        square.append([Fraction(2, k) * x for x in rise])
        rest = square[k]
        for i in range(2, k - 1):
            rest = _sum(rest, _product(e[i], e[k - i]), Fraction(-1))
        e.append([x / 2 for x in rest])
    d: list[Polynomial] = [[Fraction(1)]]
    for k in range(1, terms):
        d.append([])
        for i in range(1, k + 1):
            d[k] = _sum(d[k], _product(e[i + 1], d[k - i]), Fraction(-1))
    return [x[: k + 1] for k, x in enumerate(d)]


def _sum(x: Polynomial, y: Polynomial, by: Fraction) -> Polynomial:
    size = max(len(x), len(y))
    x, y = (part + [Fraction(0)] * (size - len(part)) for part in (x, y))
    return [p + by * q for p, q in zip(x, y, strict=True)]


def _product(x: Polynomial, y: Polynomial) -> Polynomial:
    made = [Fraction(0)] * max(0, len(x) + len(y) - 1)
    for i, p in enumerate(x):
        for j, q in enumerate(y if p else ()):
            if q:
                made[i + j] += p * q
    return made


# -- beta
#
# The Beta law with both tails and both complements to full relative precision.
#
# Statement: B ~ Beta(a, b) is X/(X+Y) for independent Gammas of shapes a and b.
# Domain: shapes 1e-6 to 1e13; a point is a pair (x, y) with x + y = 1, each to relative precision.
# Formula: the tail on the point's own side of the mean, the other as its complement. scipy.special.betainc up to
# shapes of 1e5; beyond, it is off by up to 1e-8 at (2, 1e9) and 2e-4 at (1e12, 1e12) (scipy 1.17.1; betaincc is no
# better: 6e-11 at (.5, .5, 1e-20)), and an expansion around the Gamma or the normal law, or an integral of the density,
# takes its place. Densities relative to the mode through log1p(u) - u, so that nothing cancels (Loader 2000 has the
# same idea).
# Error: held against mpmath in tests/reference.

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_POLISH_ABOVE = 3e4  # betaincinv loses digits from shapes of about 1e5 on
_PLAIN_BELOW = 1e4
_LARGE = 1e5  # from here on scipy's betainc may be off by 1e-8 relative when the other shape is small,
_HUGE = 1e8  # and from here on when it is not: 1e-11, but 2e-4 at equal shapes of 1e12
_SMALLEST = 2.3e-308  # betaincinv answers the smallest normal double where the quantile underflows
_MISSED = 1e-7  # of the smaller tail: what rounding of the point and of scipy leave is far less
_LOOSE = 4e-12  # the same of small shapes, where a Newton step mends the 1e-10 that scipy leaves at odd points
_ROUNDING = 64 * float(np.finfo(float).eps)  # of a tail, at the root of the smaller shape
_HALVINGS = 64
_FEW = 8  # points of a single law, which are found one by one
_LATE = 0.9  # a share beyond which what is left of 1 is found by itself, so that it keeps its digits


def log1p_minus(u: Array) -> Array:
    """log(1+u) - u without cancellation, for u > -1."""
    u = np.asarray(u, dtype=float)
    small = np.abs(u) < 0.3
    safe = np.where(small, u, 0.0)
    r = safe / (2.0 + safe)
    r2 = r * r
    series = np.zeros_like(r)
    for k in range(27, 1, -2):
        series = series * r2 + 1.0 / k
    near = 2.0 * r * r2 * series - safe * r
    if small.all():
        return near
    far = np.where(small, 1.0, 1.0 + u)
    with np.errstate(divide="ignore"):
        return np.where(small, near, np.log(far) - u)


def stirling_remainder(z: Array) -> Array:
    """log Γ(z) minus Stirling's (z-½)·log z - z + ½·log 2π."""
    z = np.asarray(z, dtype=float)
    large = z >= 12.0
    w = 1.0 / np.where(large, z, 12.0)
    w2 = w * w
    series = w * (1 / 12 - w2 * (1 / 360 - w2 * (1 / 1260 - w2 * (1 / 1680 - w2 * (1 / 1188 - w2 * 691 / 360360)))))
    if large.all():
        return series
    small = np.where(large, 1.0, z)
    direct = special.gammaln(small) - ((small - 0.5) * np.log(small) - small + _HALF_LOG_2PI)
    return np.where(large, series, direct)


def log_peak(a: Array, b: Array) -> Array:
    """Log of the density of logit B at its mode, where x = a/(a+b)."""
    s = a + b
    half = 0.5 * (np.log(a) + np.log(b) - np.log(s)) - _HALF_LOG_2PI
    return half - stirling_remainder(a) - stirling_remainder(b) + stirling_remainder(s)


def log_density(
    a: Array,
    b: Array,
    x: Array,
    y: Array,
    peak: Array | None = None,
    logs: tuple[Array, Array] | None = None,
) -> Array:
    """Log of the density of logit B at the point (x, y): log f(x) + log x + log y.

    `peak` (log_peak) and `logs` (log x and log y, where x or y underflow) may be given.
    """
    s = a + b
    away = x * b - y * a  # s times the distance of x from a/(a+b)
    u, v = away / a, -away / b
    if peak is None:
        peak = log_peak(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_x, log_y = logs if logs is not None else (np.log(x), np.log(y))
        far_x, far_y = log_x + np.log(s / a), log_y + np.log(s / b)
        if max(a.max(initial=0.0), b.max(initial=0.0)) < _PLAIN_BELOW:  # errors of a few 1e-14: no need for series
            lx = np.where(u > -0.5, np.log1p(u), far_x)
            ly = np.where(v > -0.5, np.log1p(v), far_y)
            return a * lx + b * ly + peak
        lx = np.where(np.abs(u) < 0.3, log1p_minus(np.clip(u, -0.3, 0.3)), far_x - u)
        ly = np.where(np.abs(v) < 0.3, log1p_minus(np.clip(v, -0.3, 0.3)), far_y - v)
        return a * lx + b * ly + peak


def lower_tail(a: Array, b: Array, x: Array, y: Array, logs: tuple[Array, Array] | None = None) -> Array:
    """P(B <= x), relative precision where it is the smaller tail; logs of x and y help where these underflow."""
    p, below = _beyond_mean(a, b, x, y)
    if logs is not None:
        p = _below_doubles(a, b, x, y, logs, p, below)
    return np.where(below, p, 1.0 - p)


def _below_doubles(a: Array, b: Array, x: Array, y: Array, logs: tuple[Array, Array], p: Array, below: Mask) -> Array:
    """Tails at points closer to an end than the smallest double: x^a/(a·B(a, b)), the first term of the series."""
    tiny = np.where(below, x, y) < 1e-290
    if not tiny.any():
        return p
    own = np.broadcast_to(np.where(below, a, b), p.shape)[tiny]
    other = np.broadcast_to(np.where(below, b, a), p.shape)[tiny]
    log_share = np.broadcast_to(np.where(below, *logs), p.shape)[tiny]
    out = p.copy()
    out[tiny] = np.exp(own * log_share - np.log(own) - special.betaln(own, other))
    return out


def tails(a: Array, b: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """P(B <= x) and P(B > x); the one beyond the mean is computed, the other is its complement."""
    p, below = _beyond_mean(a, b, x, y)
    return np.where(below, p, 1.0 - p), np.where(below, 1.0 - p, p)


def _beyond_mean(a: Array, b: Array, x: Array, y: Array) -> tuple[Array, Mask]:
    """The tail on the point's side of the mean, and whether that is the lower one."""
    below = x * b <= y * a
    own, other, share = np.where(below, a, b), np.where(below, b, a), np.where(below, x, y)
    high = np.maximum(a, b)
    if not high.max(initial=0.0) > _LARGE:
        return np.asarray(special.betainc(own, other, share), dtype=float), below
    rest = np.where(below, y, x)
    low, high = np.minimum(own, other), np.maximum(own, other)
    large = high > _LARGE
    p = np.empty(own.shape)
    skewed = large & (low <= 1e3) & (high > 1e3 * low**1.5)
    normal = large & (low > 1e3)
    plain = ~(skewed | normal)
    p[plain] = special.betainc(own[plain], other[plain], share[plain])
    if skewed.any():
        p[skewed] = _skewed_tail(own[skewed], other[skewed], share[skewed], rest[skewed])
    if normal.any():
        p[normal] = _normal_tail(own[normal], other[normal], share[normal], rest[normal])
    return p, below


def _normal_tail(a: Array, b: Array, x: Array, y: Array) -> Array:
    """P(B <= x) below the mean, both shapes large: by an expansion; far tails otherwise.

    betainc takes up to a second a point at shapes of 1e15, and may be off there: only where it is neither.
    """
    away = (x * b - y * a) / (y * a)
    close = np.abs(away) < 0.3
    drop = drop_from_peak(a, b, np.log1p(np.where(close, away, 0.0)))
    by_expansion = close & fits(a, b, drop)
    value = np.empty(a.shape)
    if by_expansion.any():
        own = a[by_expansion], b[by_expansion]
        factor = stirling_remainder(own[0] + own[1]) - stirling_remainder(own[0]) - stirling_remainder(own[1])
        value[by_expansion] = tail(*own, np.maximum(drop[by_expansion], 0.0), factor)
    huge = ~by_expansion & (np.maximum(a, b) > _HUGE)
    if huge.any():
        value[huge] = _huge_tail(a[huge], b[huge], x[huge], y[huge])
    rest = ~(by_expansion | huge)
    if rest.any():
        value[rest] = special.betainc(a[rest], b[rest], x[rest])
    return value


def _skewed_tail(own: Array, other: Array, share: Array, rest: Array) -> Array:
    """P(B <= share) for B ~ Beta(own, other) when one shape dwarfs the other: nearly a Gamma law (Wise 1950).

    With w = -log(1-X) for the small side X ~ Beta(a, b) and y = (b + (a-1)/2)·w, the density of y is that of Gamma(a)
    times (sinh(w/2)/(w/2))^(a-1) = 1 + c·y² + ..., c = (a-1)/24/(b+(a-1)/2)². What is left out is below 1e-13.
    """
    lower = own < other  # the wanted tail is the lower one of the small side
    a, b = np.minimum(own, other), np.maximum(own, other)
    scale = b + 0.5 * (a - 1.0)
    with np.errstate(divide="ignore"):
        y = -scale * np.log1p(-np.where(lower, share, rest))
    c = (a - 1.0) / (24.0 * scale * scale) * a * (a + 1.0)
    p = special.gammainc(a, y) + c * special.gammainc(a + 2.0, y)
    q = special.gammaincc(a, y) + c * special.gammaincc(a + 2.0, y)
    return np.asarray(np.where(lower, p, q) / (1.0 + c))


@cache
def _legendre() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(40)


def _huge_tail(a: Array, b: Array, x: Array, y: Array) -> Array:
    """P(B <= x) below the mean, both shapes huge: the density on the logit scale from the point outwards.

    scipy 1.17's betainc is off by 2e-4 relative at equal shapes of 1e12; here 40 Gauss-Legendre nodes over 42
    e-foldings leave rounding only. z is the logit measured from the mode, where nothing cancels.
    """
    s = a + b
    kappa = a / s * b
    away = (x * b - y * a) / (y * a)
    far = np.abs(away) > 0.3  # a probability of exp(-1e8): 0
    z0 = np.abs(np.log1p(np.where(far, 0.0, away)))
    width = 1.1 * (np.sqrt(z0 * z0 + 84.0 / kappa) - z0)
    nodes, weights = _legendre()
    z = -(z0[:, None] + width[:, None] * (nodes + 1) / 2)
    below_peak = drop_from_peak(a[:, None], b[:, None], z)
    value = (np.exp(log_peak(a, b)[:, None] - below_peak) * weights).sum(axis=-1) * width / 2
    return np.where(far, 0.0, value)


def drop_from_peak(a: Array, b: Array, z: Array) -> Array:
    """How far the log density of logit B lies below its peak, at distance z from the mode, without cancellation.

    a·log1p(u) + b·log1p(v) with a·u + b·v = kappa·(2·sinh(z/2))², kappa = ab/(a+b), for abs(z) below about 1.
    """
    s = a + b
    return np.asarray(
        a * log1p_minus(b / s * np.expm1(-z))
        + b * log1p_minus(a / s * np.expm1(z))
        + a / s * b * 4 * np.sinh(z / 2) ** 2
    )


def quantile(a: Array, b: Array, p: Array, q: Array, *, polish_above: float = _POLISH_ABOVE) -> tuple[Array, Array]:
    """The point (x, y) with lower tail p and upper tail q = 1 - p; 0 where it underflows.

    From shapes of `polish_above` on a Newton step mends what scipy leaves: up to 1e-10 at odd points of small shapes.
    Every point is checked by its tail, and found by halving where that is another one than the tail asked for.
    """
    if np.ndim(a) == np.ndim(b) == 0 and 0 < np.size(p) <= _FEW:
        found = _by_numbers(float(a), float(b), np.asarray(p), np.asarray(q), polish_above)
        if found is not None:
            return found
    flip = a > b  # work on the side whose value is small, so that it keeps its digits
    c, d = np.minimum(a, b), np.maximum(a, b)
    low, high = np.where(flip, q, p), np.where(flip, p, q)
    z = _side(c, d, low, high, polish_above)
    rest = np.asarray(1.0 - z)
    late = z > _LATE  # both shapes are small, and the law has mass next to both ends
    if late.any():
        c, d, low, high = (x[late] for x in np.broadcast_arrays(c, d, low, high))
        rest[late] = _side(d, c, high, low, polish_above)
    return np.where(flip, rest, z), np.where(flip, z, rest)


def _by_numbers(a: float, b: float, p: Array, q: Array, polish_above: float) -> tuple[Array, Array] | None:
    """The same of one law at a few points by plain numbers, which take a fifth of the time of arrays.

    None where a point takes more than what scipy answers, and where that does not pass the check.
    """
    c, d = min(a, b), max(a, b)
    if not d <= min(polish_above, _LARGE):
        return None
    found = []
    for lower, upper in zip(p.ravel().tolist(), q.ravel().tolist(), strict=True):
        low, high = (upper, lower) if a > b else (lower, upper)
        least = min(low, high)
        z = float(special.betaincinv(c, d, low) if low <= high else special.betainccinv(c, d, high))
        below = z * d <= (1.0 - z) * c
        beyond = float(special.betainc(c, d, z) if below else special.betainc(d, c, 1.0 - z))
        off = (beyond if below == (low <= high) else 1.0 - beyond) - least
        if not (_SMALLEST < z <= _LATE and least > 0.0 and abs(off) <= _LOOSE * least):
            return None
        found.append((1.0 - z, z) if a > b else (z, 1.0 - z))
    x, y = np.array(found).T
    return x.reshape(p.shape), y.reshape(p.shape)


def _side(c: Array, d: Array, low: Array, high: Array, polish_above: float) -> Array:
    """The quantile of Beta(c, d), with its digits where it is small; 0 where it underflows."""
    z = _first_quantile(c, d, low, high)
    if np.maximum(c, d).max(initial=0.0) > polish_above:
        c, d, z, low, high = np.broadcast_arrays(c, d, z, low, high)
        rough = np.maximum(c, d) > polish_above
        z = z.copy()
        z[rough] = _polish(c[rough], d[rough], z[rough].astype(float), low[rough], high[rough])
    z = _checked(c, d, z, low, high)
    return np.where(z <= _SMALLEST, 0.0, z)


def _first_quantile(c: Array, d: Array, low: Array, high: Array) -> Array:
    """By scipy, from the smaller tail; where both shapes are huge, which takes it a millisecond, by a normal logit."""
    if c.max(initial=0.0) > _HUGE:
        c, d, low, high = np.broadcast_arrays(c, d, low, high)
        huge = c > _HUGE
        z = np.empty(c.shape)
        z[~huge] = _first_quantile(c[~huge], d[~huge], low[~huge], high[~huge])
        score = np.where(low <= high, special.ndtri(low), -special.ndtri(high))[huge]
        c, d = c[huge], d[huge]
        z[huge] = special.expit(np.log(c / d) + np.sqrt(1.0 / c + 1.0 / d) * score)
        return z
    use_low = low <= high
    if use_low.all():
        return np.asarray(special.betaincinv(c, d, low), dtype=float)
    if not use_low.any():
        return np.asarray(special.betainccinv(c, d, high), dtype=float)
    c, d, low, high, use_low = np.broadcast_arrays(c, d, low, high, use_low)
    z = np.empty(c.shape)
    z[use_low] = special.betaincinv(c[use_low], d[use_low], low[use_low])
    z[~use_low] = special.betainccinv(c[~use_low], d[~use_low], high[~use_low])
    return z


def _polish(a: Array, b: Array, z: Array, low: Array, high: Array) -> Array:
    """Newton steps on the log of the smaller tail, in the logit of z; one will do below shapes of 1e8."""
    for _ in range(1 if b.max() < _HUGE else 3):
        inside = (z > 1e-300) & (z < 1.0) & (low > 0) & (high > 0)
        x = np.where(inside, z, 0.5)
        lower, upper = tails(a, b, x, 1.0 - x)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            density = np.exp(log_density(a, b, x, 1.0 - x))
            by_low = np.log(lower / low) * lower
            by_high = -np.log(upper / high) * upper
            step = np.where(low <= high, by_low, by_high) / density
        step = np.where(inside & np.isfinite(step) & (np.abs(step) < 0.5), step, 0.0)
        odds = x / (1.0 - x) * np.exp(-step)
        z = np.where(step != 0.0, odds / (1.0 + odds), z)
    return z


def _checked(a: Array, b: Array, z: Array, low: Array, high: Array) -> Array:
    """The points whose tails are as asked, as they are; others anew.

    scipy 1.17.1's betaincinv(1000, b, p) is one wrong number whatever p, for all b from 1e9 on.
    """
    least = np.minimum(low, high)
    off = np.abs(np.where(least > 0, _over(a, b, z, low, high), 0.0))
    if (off <= _LOOSE * least).all():
        return z
    a, b, z, low, high, off, least = np.broadcast_arrays(a, b, z, low, high, off, least)
    rounding = np.where(np.maximum(a, b) <= _POLISH_ABOVE, 0.0, _ROUNDING * np.sqrt(np.minimum(a, b)))
    loose = np.asarray(off > (_LOOSE + rounding) * least)
    wrong = ~(off <= _MISSED * least)
    if not (loose | wrong).any():
        return z
    out = z.astype(float)
    for _ in range(4):  # a number that is wrong takes some rounds
        if not loose.any():
            break
        own, other, lower, upper = a[loose], b[loose], low[loose], high[loose]
        out[loose] = _polish(own, other, out[loose], lower, upper)
        loose[loose] = np.abs(_over(own, other, out[loose], lower, upper)) > ((_LOOSE + rounding) * least)[loose]
    if not wrong.any():
        return out
    a, b, low, high = a[wrong], b[wrong], low[wrong], high[wrong]
    near = np.maximum(np.nan_to_num(out[wrong], nan=0.5), _SMALLEST)
    before, after = np.where(near <= _SMALLEST, 0.0, np.nextafter(near, 0.0)), np.nextafter(near, 1.0)
    between = (_miss(a, b, before, low, high) <= 0) & (_miss(a, b, after, low, high) >= 0)  # between two doubles
    out[wrong] = np.where(between, near, _halved(a, b, low, high))
    return out


def _miss(a: Array, b: Array, z: Array, low: Array, high: Array) -> Array:
    """Whether the lower tail at z is too small (-1), too large (1) or right but for rounding (0)."""
    over = _over(a, b, z, low, high)
    return np.where(np.abs(over) <= _MISSED * np.minimum(low, high), 0.0, np.sign(over))


def _over(a: Array, b: Array, z: Array, low: Array, high: Array) -> Array:
    """By how much the lower tail at z is too large, from the smaller tail."""
    p, below = _beyond_mean(a, b, z, 1.0 - z)
    use_low = low <= high
    tail = np.where(below == use_low, p, 1.0 - p)
    return np.where(use_low, tail - low, high - tail)


def _halved(a: Array, b: Array, low: Array, high: Array) -> Array:
    """The point with these tails by halving the line of logits, which ends at the smallest double and next to 1."""
    left, right = np.full(a.shape, -709.0), np.full(a.shape, 37.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        lower, upper = tails(a, b, special.expit(middle), special.expit(-middle))
        beyond = np.where(low <= high, lower >= low, upper <= high)
        left, right = np.where(beyond, left, middle), np.where(beyond, middle, right)
    return np.asarray(special.expit(0.5 * (left + right)))
