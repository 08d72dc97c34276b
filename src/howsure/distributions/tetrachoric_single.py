"""One 2x2 table's tetrachoric correlation on plain floats: the same three ways as distributions/tetrachoric.py.

A call of an array function costs about as much as thirty multiplications of floats, so a table alone is done without
arrays, in some 40 µs. Statement, domain, formula and error are those of distributions/tetrachoric.py; a test holds
that both agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from numpy.polynomial.legendre import leggauss
from scipy import special

NODES: Final = 28  # of Gauss and Legendre
TERMS: Final = 14
SMALL_T: Final = 0.23  # up to here the series in t² has all digits
STEPS: Final = 60
CLOSE: Final = 1e-5  # Halley's steps cube the error: the one after this is the last
_RULE: Final = [(float(x), float(w)) for x, w in zip(*leggauss(NODES), strict=True)]

Slopes = tuple[float, float, float]


def with_error(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """The tetrachoric correlation of the table tp, fp, fn, tn and its standard error."""
    n = a + b + c + d
    sign = 1.0
    if a + c > b + d:
        a, b, c, d, sign = b, a, d, c, -sign
    if a + b > c + d:
        a, b, c, d, sign = c, d, a, b, -sign
    if b < c:
        b, c = c, b
    x, y = a + c, a + b
    if not x > 0 or not n < math.inf:
        return math.nan, math.nan
    det, gap = _difference(a, d, b, c), b - c
    negative = det < 0
    if negative:
        a, b, c, d, det, sign = c, d, a, b, -det, -sign
    if c <= 0:
        return sign, math.nan
    h, k = max(0.0, float(-special.ndtri(x / n))), max(0.0, float(-special.ndtri(y / n)))
    delta, middle = h - k, 0.5 * (h + k)
    if negative:
        k = -k
        delta = h - k
    elif delta * (1.0 + middle) < 1e-3:
        density = math.exp(-0.5 * middle * middle) * (1.0 + (middle * middle - 1.0) * delta * delta / 24.0)
        delta = gap / n * math.sqrt(2 * math.pi) / density
    unit = 0.5 * math.pi * float(special.erfcx(h * math.sqrt(0.5)))
    power = 0.5 * (1.0 - abs(x - y) / n / 5.0 - (0.5 - x / n) ** 2)
    odds = power * (math.log(a) + math.log(d) - math.log(b) - math.log(c)) if b else math.inf
    guess = math.tan(0.5 * math.pi / (1.0 + math.exp(min(odds, 700.0))))
    t = tangent(h, k, delta, unit * (c / x), unit * (det / n) / x, guess)
    rho = sign * ((1.0 - t) * (1.0 + t) / (1.0 + t * t))
    return rho, _spread(h, delta, h + k, t, (a / n, c / n, b / n), n)


def _difference(a: float, d: float, b: float, c: float) -> float:
    """ad - bc, exact but for one rounding: Dekker's products."""
    p, e = _product(a, d)
    q, f = _product(b, c)
    return (p - q) + (e - f)


def _product(a: float, b: float) -> tuple[float, float]:
    p = a * b
    x, y = 134217729.0 * a, 134217729.0 * b
    a_hi, b_hi = x - (x - a), y - (y - b)
    a_lo, b_lo = a - a_hi, b - b_hi
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def _spread(h: float, delta: float, sigma: float, t: float, shares: tuple[float, float, float], n: float) -> float:
    up, down = 0.5 * (delta / t + sigma * t), 0.5 * (delta / t - sigma * t)
    above = float(special.ndtr(-up))
    slopes = (float(special.ndtr(-down)) - above, -float(special.ndtr(down)), -above)
    mean = sum(p * g for p, g in zip(shares, slopes, strict=True))
    variance = sum(p * (g - mean) ** 2 for p, g in zip(shares, slopes, strict=True)) + (1.0 - sum(shares)) * mean**2
    density = math.exp(-0.5 * (h * h + down * down))
    return math.sqrt(variance / n) * (4.0 * math.pi * t / (1.0 + t * t)) / density if density else math.inf


def tangent(h: float, k: float, delta: float, small: float, excess: float, guess: float) -> float:
    """T = tan(v/2), cos v = ρ, of a table in the frame of distributions/tetrachoric.py."""
    sigma = h + k
    peak = math.sqrt(delta / sigma) if sigma > 0 else math.inf
    edge = min(0.25 * delta, peak, 1.0)
    if delta > 0 and guess < 4.0 * edge:
        tail = 0.5 * (delta / edge - sigma * edge)
        best = _log_edge(delta, sigma, tail)[0]
        if math.log(small) <= best:
            return _by_edge(delta, sigma, math.log(small), tail, best)
    most = min(SMALL_T, 2.0 / sigma) if sigma > 0 else SMALL_T
    if edge < most and 0.25 * delta <= peak:
        terms = _terms(sigma)
        if math.log(small) <= _log_series(delta, sigma, terms, most)[0]:
            return _by_series(delta, sigma, terms, math.log(small), edge, most)
    return _by_excess(delta, sigma, excess, guess, edge)


def _log_edge(delta: float, sigma: float, w: float) -> Slopes:
    half, square = 38.0 / (math.sqrt(w * w + 76.0) + w), delta * sigma
    total = 0.0
    for x, weight in _RULE:
        step = half * (1.0 + x)
        point = w + step
        root = math.sqrt(point * point + square)
        t = delta / (point + root)
        total += weight * math.exp(-0.5 * step * (step + 2.0 * w)) * t / (root * (1.0 + t * t))
    total *= half
    root = math.sqrt(w * w + square)
    t = delta / (w + root)
    first = t / (root * (1.0 + t * t)) / total
    bend = -w - (1.0 + w / root - 2.0 * t * t / (1.0 + t * t)) / root
    return math.log(total) - 0.5 * w * w, -first, -first * (bend + first)


def _by_edge(delta: float, sigma: float, logs: float, tail: float, best: float) -> float:
    w = float(-special.ndtri_exp(special.log_ndtr(-tail) + (logs - best)))
    high = max(tail, w) + 40.0 / (1.0 + tail)

    def gap(w: float) -> Slopes:
        value, first, second = _log_edge(delta, sigma, w)
        return value - logs, first, second

    w = _halley(gap, min(max(w, tail), high), tail, high, -1.0)
    return delta / (w + math.sqrt(w * w + delta * sigma))


def _terms(sigma: float) -> list[float]:
    kappa, power = sigma * sigma / 8.0, 1.0
    terms = [1.0]
    for j in range(1, TERMS):
        power *= -kappa / j
        terms.append(power - terms[-1])
    return terms


def _log_series(delta: float, sigma: float, terms: list[float], t: float) -> Slopes:
    q, y, power = 0.5 * delta / t, t * t, 1.0
    square, top = q * q, math.exp(-0.5 * q * q)
    moment = top - q * math.sqrt(math.pi / 2) * math.erfc(q * math.sqrt(0.5))
    total = moment
    for j in range(1, TERMS):
        moment = (top - square * moment) / (2 * j + 1)
        power *= y
        total += terms[j] * power * moment
    total *= t
    up, down = 0.5 * (delta / t + sigma * t), 0.5 * (delta / t - sigma * t)
    lift = 0.25 * delta * sigma
    first = t * math.exp(-0.5 * down * down - lift) / (1.0 + y) / total
    return math.log(total) + lift, first, first * (1.0 + up * down - 2.0 * y / (1.0 + y) - first)


def _by_series(delta: float, sigma: float, terms: list[float], logs: float, edge: float, most: float) -> float:
    low, high = math.log(max(edge, 1e-300)), math.log(most)
    start = math.log(math.exp(logs - 0.25 * delta * sigma) + 0.6266 * delta)

    def gap(y: float) -> Slopes:
        value, first, second = _log_series(delta, sigma, terms, math.exp(y))
        return value - logs, first, second

    return math.exp(_halley(gap, min(max(start, low), high), low, high, 1.0))


def _by_excess(delta: float, sigma: float, excess: float, guess: float, edge: float) -> float:
    low = math.log(max(edge, 1e-4))
    reach = 320.0 / max(sigma * sigma, 1e-300)

    def gap(x: float) -> Slopes:
        t = math.exp(x)
        half = 0.5 * (min(1.0, math.sqrt(t * t + reach)) - t)
        middle, total = t + half, 0.0
        for node, weight in _RULE:
            at = middle + half * node
            w = delta / at - sigma * at
            total += weight * math.exp(-0.125 * w * w) / (1.0 + at * at)
        up, down = 0.5 * (delta / t + sigma * t), 0.5 * (delta / t - sigma * t)
        first = t / (1.0 + t * t) * math.exp(-0.5 * down * down)
        bend = 1.0 + up * down - 2.0 * t * t / (1.0 + t * t)
        return total * half - excess, -first, -first * bend

    return math.exp(_halley(gap, min(max(math.log(guess), low), 0.0), low, 0.0, -1.0))


def _halley(gap: Callable[[float], Slopes], x: float, low: float, high: float, slope: float) -> float:
    for _ in range(STEPS):
        value, first, second = gap(x)
        if value * slope > 0:
            high = x
        else:
            low = x
        new, curved = math.nan, 0.0
        if first:
            step, curved = -value / first, second / first
            curve = 1.0 + 0.5 * step * curved
            bent = step / curve if curve else math.inf
            new = x + (bent if abs(bent) < 2.0 * abs(step) else step)
        if not low <= new <= high:
            new = 0.5 * (low + high)
        moved, x = abs(new - x), new
        if moved * (1.0 + abs(curved)) <= CLOSE:
            break
    return x
