"""The tetrachoric correlation of 2x2 tables, its standard error, and the rules for empty cells.

Statement: cut two standard normal variables of correlation ρ at the thresholds h and k that give the table's margins;
ρ is tetrachoric when the quadrant probabilities are the shares of the cells (Pearson 1900; Ishioka 3). Standard error
by the delta method (Hamdan 1970): with B = P(Y < k | X = h) and A = P(X > h | Y = k), the gradient of ρ by the cells
(++, +-, -+, --) is (B - A, B - 1, -A, 0) over the density φ2(h, k; ρ).
Domain: finite cells >= 0 with no empty margin (else NaN); a table with an empty cell has ρ = ±1.
Formula: signs are turned and axes swapped until ρ >= 0 and h >= |k|, so that s = P(X > h, Y < k) is the small cell.
With t = tan(v/2), cos v = ρ, and w(t) = (δ/t - σt)/2, δ = h - k, σ = h + k, Plackett's identity ∂P/∂ρ = φ2 becomes

    s = φ(h)/√(π/2) · ∫ exp(-w²/2)/(1 + t²) dt over (0, T),   ρ = (1 - T²)/(1 + T²),

and the excess over independence, D = |ad - bc|/n², is the same integral over (T, 1). Three ways, by where T lies:
- the edge, T below δ/4 and below the peak √(δ/σ): in w itself, a Gaussian tail of an algebraic function, on log s;
- near ρ = 1 with δ of the size of T: exp(-σ²t²/8)/(1 + t²) as a series in t², its moments under exp(-δ²/8t²) closed;
- elsewhere: D by 28 nodes of Gauss and Legendre in t.
Halley's steps, kept in a bracket. φ(h) enters through erfcx, so that small margins keep their digits.
Error: ρ within 2e-15 of mpmath on the 215 tables of tests/reference/tetrachoric.json (ρ to ±1 within 1e-38, margins to
1e-6, n to 1e9, shares down to 1e-30); the standard error within 1e-9 relative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions import tetrachoric_single
from howsure.distributions.exact import two_product
from howsure.distributions.tetrachoric_single import CLOSE, NODES, SMALL_T, STEPS, TERMS

Cells = Array | float
Slopes = tuple[Array, Array, Array]  # a function, and its first and second derivative

RULES: Final = ("keep-margins", "half", "half-all", "none")

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(NODES)
_CHUNK = 4096  # tables at a time: their nodes stay in the cache


def correlation(tp: Cells, fp: Cells, fn: Cells, tn: Cells) -> Array:
    """The tetrachoric correlation of each table, ±1 where a cell is empty, NaN where a margin is.

    >>> float(correlation(2.0, 1.0, 1.0, 2.0).round(12))
    0.5
    """
    return _each(tp, fp, fn, tn, False)[0]


def with_error(tp: Cells, fp: Cells, fn: Cells, tn: Cells) -> tuple[Array, Array]:
    """The correlation and its standard error by the delta method; there is none, NaN, where a cell is empty.

    >>> [float(x.round(9)) for x in with_error(1562.0, 383.0, 42.0, 94.0)]
    [0.595815569, 0.040344578]
    """
    return _each(tp, fp, fn, tn, True)


def without_zeros(tp: Cells, fp: Cells, fn: Cells, tn: Cells, rule: str) -> tuple[Array, Array, Array, Array]:
    """The tables with empty cells filled by a rule; tables without one stay as they are.

    keep-margins: 1/2 to the empty cell and the one across, 1/2 from the two others (or half of the smaller of these, if
    that is less); half: 1/2 to the empty cell; half-all: 1/2 to every cell; none: nothing.

    >>> [float(x) for x in without_zeros(10.0, 5.0, 0.0, 20.0, "keep-margins")]
    [9.5, 5.5, 0.5, 19.5]
    """
    a, b, c, d = (np.array(x, dtype=float) for x in np.broadcast_arrays(tp, fp, fn, tn))
    if rule == "none":
        return a, b, c, d
    if rule != "keep-margins":
        empty = [x == 0 for x in (a, b, c, d)]
        some = empty[0] | empty[1] | empty[2] | empty[3]
        a, b, c, d = (
            x + 0.5 * (some if rule == "half-all" else zero) for x, zero in zip((a, b, c, d), empty, strict=True)
        )
        return a, b, c, d
    right, wrong = np.minimum(a, d), np.minimum(b, c)
    move = np.where(wrong == 0, np.minimum(0.5, right / 2), 0.0) - np.where(right == 0, np.minimum(0.5, wrong / 2), 0.0)
    return a - move, b + move, c + move, d - move


def along(cells: tuple[Array, ...], steps: tuple[Array, ...]) -> tuple[Array, Array]:
    """The correlation, and its derivative along steps of the four cells, for searches: no digits are promised at ±1."""
    a, b, c, d = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in cells))
    n = a + b + c + d
    rho = correlation(a, b, c, d)
    with np.errstate(all="ignore"):
        h, k = -special.ndtri((a + c) / n), -special.ndtri((a + b) / n)
        root = np.sqrt((1.0 - rho) * (1.0 + rho))
        one, two = special.ndtr((rho * h - k) / root), special.ndtr((rho * k - h) / root)
        density = np.exp(-0.5 * (h * h + ((k - rho * h) / root) ** 2)) / (2 * np.pi * root)
        gradient = (1.0 - one - two, -two, -one, np.zeros_like(one))
        mean = sum(x * g for x, g in zip((a, b, c, d), gradient, strict=True)) / n
        slope = sum((g - mean) * step for g, step in zip(gradient, steps, strict=True)) / (n * density)
    return rho, np.asarray(slope)


# -- one frame for all tables


@dataclass(frozen=True)
class _Frame:
    """Tables turned so that ρ >= 0, X is the rarer, and the cell (X, not Y) is the small one; flat arrays."""

    h: Array
    k: Array
    delta: Array
    sigma: Array
    small: Array  # the small cell and the excess over independence, in units of the integral
    excess: Array
    guess: Array  # of T

    def at(self, rows: Index) -> _Frame:
        return _Frame(*(x[rows] for x in vars(self).values()))


def _each(tp: Cells, fp: Cells, fn: Cells, tn: Cells, errors: bool) -> tuple[Array, Array]:
    if np.ndim(tp) == np.ndim(fp) == np.ndim(fn) == np.ndim(tn) == 0:
        one = tetrachoric_single.with_error(float(tp), float(fp), float(fn), float(tn))
        return np.asarray(one[0]), np.asarray(one[1])
    cells = [np.asarray(x, dtype=float) for x in np.broadcast_arrays(tp, fp, fn, tn)]
    shape = cells[0].shape
    flat = np.stack([x.ravel() for x in cells])
    rho, error = np.empty(flat.shape[1]), np.empty(flat.shape[1] if errors else 0)
    with np.errstate(all="ignore"):
        for start in range(0, flat.shape[1], _CHUNK):
            part = slice(start, start + _CHUNK)
            rho[part], spread = _chunk(flat[:, part], errors)
            if errors:
                error[part] = spread
    return rho.reshape(shape), error.reshape(shape) if errors else error


def _chunk(cells: Array, errors: bool) -> tuple[Array, Array]:
    a, b, c, d = _turned(cells)
    n = a + b + c + d
    swap = b < c
    b, c = np.where(swap, c, b), np.where(swap, b, c)
    x, y = a + c, a + b
    (p1, e1), (p2, e2) = two_product(a, d), two_product(b, c)
    det = (p1 - p2) + (e1 - e2)
    negative = det < 0
    first = cells[0] + cells[2] > cells[1] + cells[3]
    second = cells[0] + cells[1] > cells[2] + cells[3]
    sign = np.where(negative ^ first ^ second, -1.0, 1.0)
    if negative.any():  # turn Y: its rarer half is now below the threshold
        a, c = np.where(negative, c, a), np.where(negative, a, c)
        b, d = np.where(negative, d, b), np.where(negative, b, d)
    ok = (x > 0) & (n < np.inf)
    inside = ok & (c > 0)
    t = np.where(ok, 0.0, np.nan)
    frame = _frame(x, y, n, c, np.abs(det), negative, np.abs(b - c), (a, b, c, d))
    rows = np.flatnonzero(inside)
    if rows.size:
        t[rows] = _solve(frame.at(rows) if rows.size < t.size else frame)
    rho = sign * ((1.0 - t) * (1.0 + t) / (1.0 + t * t))
    return rho, _spread(frame, t, (a / n, c / n, b / n, d / n), n) if errors else rho


def _turned(cells: Array) -> tuple[Array, Array, Array, Array]:
    """Both axes turned to their rarer side."""
    a, b, c, d = cells
    flip = a + c > b + d
    a, b, c, d = np.where(flip, b, a), np.where(flip, a, b), np.where(flip, d, c), np.where(flip, c, d)
    flip = a + b > c + d
    return np.where(flip, c, a), np.where(flip, d, b), np.where(flip, a, c), np.where(flip, b, d)


def _frame(
    x: Array, y: Array, n: Array, small: Array, det: Array, negative: Mask, gap: Array, cells: tuple[Array, ...]
) -> _Frame:
    p, r = x / n, y / n
    h, k = np.maximum(-special.ndtri(p), 0.0), np.maximum(-special.ndtri(r), 0.0)  # rounding may pass 1/2
    delta = h - k
    # close thresholds: their distance from the difference of the margins, which is exact
    middle = 0.5 * (h + k)
    near = ~negative & (delta * (1.0 + middle) < 1e-3)
    if near.any():
        density = np.exp(-0.5 * middle * middle) * (1.0 + (middle * middle - 1.0) * delta * delta / 24.0)
        delta = np.where(near, gap / n * np.sqrt(2 * np.pi) / density, delta)
    k = np.where(negative, -k, k)
    delta = np.where(negative, h - k, delta)
    unit = 0.5 * np.pi * special.erfcx(h * np.sqrt(0.5))  # π exp(h²/2), times the share of X
    a, b, c, d = cells
    # Bonett & Price 2005: ρ = cos(π/(1 + ω^power)) is within a few hundredths
    power = 0.5 * (1.0 - np.abs(p - r) / 5.0 - (0.5 - p) ** 2)
    log_odds = np.log(a) + np.log(d) - np.log(b) - np.log(c)
    guess = np.tan(0.5 * np.pi * special.expit(-power * log_odds))
    return _Frame(h, k, delta, h + k, unit * (small / x), unit * (det / n) / x, guess)


def _spread(f: _Frame, t: Array, shares: tuple[Array, ...], n: Array) -> Array:
    """The standard error: gradients of ρ by the cells, about their mean, over the density."""
    up, down = 0.5 * (f.delta / t + f.sigma * t), 0.5 * (f.delta / t - f.sigma * t)
    below, above = special.ndtr(-down), special.ndtr(-up)
    slopes = (below - above, -special.ndtr(down), -above, np.zeros_like(t))
    mean = sum(p * g for p, g in zip(shares, slopes, strict=True))
    variance = sum(p * (g - mean) ** 2 for p, g in zip(shares, slopes, strict=True))
    log_density = -0.5 * (f.h * f.h + down * down)
    root = 2.0 * t / (1.0 + t * t)  # √(1 - ρ²)
    out = np.sqrt(np.asarray(variance) / n) * (2 * np.pi * root) / np.exp(log_density)
    return np.where(t > 0, out, np.nan)


# -- the three ways to T


def _solve(f: _Frame) -> Array:
    peak = np.sqrt(f.delta / np.maximum(f.sigma, 1e-300))
    edge = np.minimum(np.minimum(0.25 * f.delta, peak), 1.0)
    small_t = np.minimum(SMALL_T, 2.0 / np.maximum(f.sigma, 1e-300))
    t = np.empty_like(f.h)
    at_edge = np.zeros(t.shape, dtype=bool)
    tail = 0.5 * (f.delta / edge - f.sigma * edge)  # w there
    logs = np.log(f.small)
    maybe = np.flatnonzero((f.delta > 0) & (f.guess < 4.0 * edge))
    if maybe.size:
        part = f.at(maybe)
        best = _log_edge(part, tail[maybe])[0]
        at_edge[maybe] = logs[maybe] <= best
        rows = maybe[at_edge[maybe]]
        if rows.size:
            t[rows] = _by_edge(f.at(rows), logs[rows], tail[rows], best[at_edge[maybe]])
    rest = np.flatnonzero(~at_edge)
    if not rest.size:
        return t
    near = np.zeros(t.shape, dtype=bool)
    maybe = rest[(edge[rest] < small_t[rest]) & (0.25 * f.delta[rest] <= peak[rest])]
    if maybe.size:
        part = f.at(maybe)
        series = _SmallTangentSeries(part)
        near[maybe] = logs[maybe] <= series.log_small(small_t[maybe])[0]
        mine = near[maybe]
        rows = maybe[mine]
        if rows.size:
            t[rows] = _by_series(series.at(mine), f.at(rows), logs[rows], edge[rows], small_t[rows])
    rows = rest[~near[rest]]
    if rows.size:
        t[rows] = _by_excess(f.at(rows), edge[rows])
    return t


def _log_edge(f: _Frame, w: Array) -> Slopes:
    """log of the integral over (0, T) at w = w(T) >= 0, with slopes by w."""
    delta, square = f.delta[:, None], (f.delta * f.sigma)[:, None]
    half = 0.5 * (76.0 / (np.sqrt(w * w + 76.0) + w))[:, None]  # beyond, exp(-38) of the first value
    step = half * (1.0 + _NODES)
    point = w[:, None] + step
    root = np.sqrt(point * point + square)
    t = delta / (point + root)
    # exp(-w²/2) is left out: relative to its value at the end
    inner = np.exp(-0.5 * step * (step + 2.0 * w[:, None])) * t / (root * (1.0 + t * t))
    total = np.einsum("ij,j->i", inner, _WEIGHTS) * half[:, 0]
    root = np.sqrt(w * w + square[:, 0])
    t = f.delta / (w + root)
    first = t / (root * (1.0 + t * t)) / total
    bend = -w - (1.0 + w / root - 2.0 * t * t / (1.0 + t * t)) / root
    return np.log(total) - 0.5 * w * w, -first, -first * (bend + first)


def _by_edge(f: _Frame, logs: Array, tail: Array, best: Array) -> Array:
    # as if the integrand were Gaussian
    w = -special.ndtri_exp(special.log_ndtr(-tail) + (logs - best))
    low, high = tail, np.maximum(tail, w) + 40.0 / (1.0 + tail)

    def gap(rows: Index, w: Array) -> Slopes:
        value, first, second = _log_edge(f.at(rows), w)
        return value - logs[rows], first, second

    w = _halley(gap, np.clip(w, low, high), low, high, -1.0)
    return f.delta / (w + np.sqrt(w * w + f.delta * f.sigma))


class _SmallTangentSeries:
    """The integral over (0, T) for small T: Σ g_j ∫ t^(2j) exp(-δ²/8t²) dt, g_j the series of exp(-κ y)/(1 + y)."""

    def __init__(self, f: _Frame, terms: list[Array] | None = None) -> None:
        self.delta, self.sigma = f.delta, f.sigma
        if terms is None:
            kappa = f.sigma * f.sigma / 8.0
            power = np.ones_like(kappa)
            terms = [power]
            for j in range(1, TERMS):
                power = power * (-kappa / j)
                terms.append(power - terms[-1])
        self.terms = terms
        self.frame = f

    def at(self, rows: Index | Mask) -> _SmallTangentSeries:
        return _SmallTangentSeries(self.frame.at(rows), [x[rows] for x in self.terms])  # type: ignore[arg-type]

    def log_small(self, t: Array) -> Slopes:
        """log of the integral, with slopes by log t."""
        q = 0.5 * self.delta / t
        square, top = q * q, np.exp(-0.5 * q * q)
        moment = top - q * np.sqrt(np.pi / 2) * special.erfc(q * np.sqrt(0.5))
        y = t * t
        power = np.ones_like(y)
        total = self.terms[0] * moment
        for j in range(1, TERMS):
            moment = (top - square * moment) / (2 * j + 1)
            power = power * y
            total = total + self.terms[j] * power * moment
        total = total * t
        up, down = 0.5 * (self.delta / t + self.sigma * t), 0.5 * (self.delta / t - self.sigma * t)
        lift = 0.25 * self.delta * self.sigma
        first = t * np.exp(-0.5 * down * down - lift) / (1.0 + y) / total
        return np.log(total) + lift, first, first * (1.0 + up * down - 2.0 * y / (1.0 + y) - first)


def _by_series(series: _SmallTangentSeries, f: _Frame, logs: Array, edge: Array, most: Array) -> Array:
    low, high = np.log(np.maximum(edge, 1e-300)), np.log(most)
    start = np.exp(logs - 0.25 * f.delta * f.sigma) + 0.6266 * f.delta
    whole = np.arange(logs.size)

    def gap(rows: Index, y: Array) -> Slopes:
        value, first, second = (series if rows.size == whole.size else series.at(rows)).log_small(np.exp(y))
        return value - logs[rows], first, second

    return np.exp(_halley(gap, np.clip(np.log(start), low, high), low, high, 1.0))


def _by_excess(f: _Frame, edge: Array) -> Array:
    low, high = np.log(np.maximum(edge, 1e-4)), np.zeros_like(edge)

    def gap(rows: Index, x: Array) -> Slopes:
        d, s = f.delta[rows], f.sigma[rows]
        t = np.exp(x)
        far = np.minimum(1.0, np.sqrt(t * t + 320.0 / np.maximum(s * s, 1e-300)))
        half = 0.5 * (far - t)
        at = (t + half)[:, None] + half[:, None] * _NODES
        w = d[:, None] / at - s[:, None] * at
        total = np.einsum("ij,j->i", np.exp(-0.125 * w * w) / (1.0 + at * at), _WEIGHTS) * half
        up, down = 0.5 * (d / t + s * t), 0.5 * (d / t - s * t)
        first = t / (1.0 + t * t) * np.exp(-0.5 * down * down)
        bend = 1.0 + up * down - 2.0 * t * t / (1.0 + t * t)
        return total - f.excess[rows], -first, -first * bend

    return np.exp(_halley(gap, np.clip(np.log(f.guess), low, high), low, high, -1.0))


def _halley(gap: Callable[[Index, Array], Slopes], x: Array, low: Array, high: Array, slope: float) -> Array:
    """The zero of a monotone function in a bracket: Halley's step, or the middle where that leaves the bracket."""
    x, low, high = x.copy(), low.copy(), high.copy()
    rows = np.arange(x.size)
    for _ in range(STEPS):
        at = x[rows]
        value, first, second = gap(rows, at)
        beyond = value * slope > 0
        high[rows] = np.where(beyond, at, high[rows])
        low[rows] = np.where(beyond, low[rows], at)
        step = -value / first
        bent = step / (1.0 + 0.5 * step * second / first)
        new = at + np.where(np.abs(bent) < 2.0 * np.abs(step), bent, step)
        lost = ~((new >= low[rows]) & (new <= high[rows]))
        new = np.where(lost, 0.5 * (low[rows] + high[rows]), new)
        x[rows] = new
        rows = rows[np.abs(new - at) * (1.0 + np.abs(second / first)) > CLOSE]
        if not rows.size:
            break
    return x
