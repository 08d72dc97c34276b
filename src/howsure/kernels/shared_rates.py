"""The law of what slices share: how much they lend each other and the rate around which they lie, on a grid of nodes.

Statement: the rate of slice i, with h_i hits and m_i misses, has the prior Beta(w + λμ, w' + λ(1-μ)): the weights w and
w' that it has alone, and λ items more of the shared rate μ. Given λ and μ its counts are beta-binomial. μ is uniform;
λ/(λ+w+w') is uniform, λ up to N, all items together: 0 lends nothing, N makes slices differ by less than their mean is
known. Source: Kleinman (1973) for beta-binomial slices; this prior is ours (docs/why/038).
Domain: counts 0 to 1e9, up to millions of slices; weights 1e-3 to 1e3.
Formula: in the logit of μ, whose law given λ is close to a Beta's, the trapezoid rule; in log(λ+w+w'), where it is
smooth up to both ends, Gauss-Legendre nodes on the window that holds all but 1e-11. Sums over slices take the distinct
counts only. Nodes of no weight are left out.
Error: 1e-5 of any probability, against finer grids and a plain rule without cuts (tests/laws/test_shared_rates.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_STEP: Final = 0.65  # of a standard deviation of logit μ
_SKEWED: Final = 10.0  # a shape of its law below which steps are shorter,
_SHORTER: Final = 0.75  # by this
_REACH: Final = 32.0  # e-foldings below the peak to which its nodes go, by the Beta law that is close to its own
_SIDES: Final = 72  # most nodes to either side of its middle
_NODES: Final = 14  # Gauss-Legendre nodes of a piece of log(λ+w+w')
_PIECE: Final = 3.0  # the longest piece; there are two at least
_SCAN: Final = 17  # points by which the window is found
_DROP: Final = 26.0  # e-foldings below the peak at which the window ends
_NEWTON: Final = 5  # steps to the middle of logit μ, in each round
_LEAST: Final = 1e-9  # of a weight that is kept
_LARGE: Final = 1e4  # shapes above which differences of log Γ lose digits
_CHUNK: Final = 1_000_000  # numbers at a time


class SharedNodes(NamedTuple):
    """Weighted λ and μ as shapes w + λμ and w' + λ(1-μ), and from where to where each stands for log(λ + w + w')."""

    weight: Array  # adds to 1
    lent: Array
    a: Array
    b: Array
    cell: tuple[Array, Array]

    def mean(self) -> Array:
        """The mean of the rates of slices, at each node."""
        return np.asarray(self.a / (self.a + self.b))

    def pull(self, items: Array) -> Array:
        """The share of the way to the shared rate that slices of so many items are moved, on average over the nodes."""
        n = np.asarray(items, dtype=float)[..., None]
        return np.asarray(self.lent / (n + self.a + self.b) @ self.weight)

    def spread_quantiles(self, p: Array) -> Array:
        """Quantiles of the standard deviation of the rates, each node dealt out over the λ that it stands for."""
        middle = self.mean()
        scale = 0.5 * np.log(middle * (1.0 - middle))
        high, low = (scale - 0.5 * np.log1p(np.exp(edge)) for edge in self.cell)
        at = np.linspace(low.min(), high.max(), 400)
        share = np.clip((at[:, None] - low) / np.maximum(high - low, 1e-300), 0.0, 1.0)
        return np.exp(np.interp(p, share @ self.weight, at))


@dataclass(frozen=True, eq=False)
class _Counted:
    """Distinct counts of hits, misses and items, each with the number of slices that have it; and the own weights."""

    hits: tuple[Array, Array]
    misses: tuple[Array, Array]
    items: tuple[Array, Array]
    own: tuple[float, float]

    @property
    def total(self) -> float:
        """All items."""
        return float(self.items[0] @ self.items[1])

    def shapes(self, v: Array, lent: Array) -> tuple[Array, Array]:
        """w + λμ and w' + λ(1-μ) at logits of μ."""
        return self.own[0] + lent * special.expit(v), self.own[1] + lent * special.expit(-v)

    def log_posterior(self, v: Array, q: Array, column: Index) -> Array:
        """Up to a constant, with respect to logit μ and q = log(λ+w+w'), at flat nodes; q by the column of each."""
        size = np.exp(q)
        a, b = self.shapes(v, (size - sum(self.own))[column])
        seen = _summed(*self.hits, a) + _summed(*self.misses, b) - _summed(*self.items, size)[column]
        return np.asarray(seen + special.log_expit(v) + special.log_expit(-v) - q[column])

    def slope(self, v: Array, lent: Array) -> tuple[Array, Array]:
        """The derivative of that in logit μ, and how it bends there, roughly but never the wrong way."""
        mean, rest = special.expit(v), special.expit(-v)
        total, bend = np.zeros(v.shape), np.zeros(v.shape)
        for (count, many), a, sign in zip((self.hits, self.misses), self.shapes(v, lent), (1.0, -1.0), strict=True):
            total += sign * (many @ special.psi(count[:, None] + a) - many.sum() * special.psi(a))
            bend += many.sum() * _trigamma(a) - many @ _trigamma(count[:, None] + a)
        each = lent * mean * rest
        return total * each + rest - mean, bend * each**2 + (rest - mean) ** 2 + 2.0 * mean * rest


def shared_nodes(hits: Array, misses: Array, own: tuple[float, float], finer: int = 1) -> SharedNodes:
    """The law of λ and μ after these counts, one of each slice; `finer` divides the steps, for checks."""
    seen = _counted(np.asarray(hits, dtype=float).ravel(), np.asarray(misses, dtype=float).ravel(), own)
    at, middle, bend = _window(seen)
    q, width = _sizes(float(at[0]), float(at[-1]), _NODES * finer)
    middle, bend = np.interp(q, at, middle), np.exp(np.interp(q, at, np.log(bend)))
    v, column, step = _means(middle, bend, _STEP / finer)
    log_weight = np.log(width[column] * step) + seen.log_posterior(v, q, column)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    kept = weight > _LEAST
    weight, v, column = weight[kept], v[kept], column[kept]
    lent, ends = np.exp(q[column]) - sum(own), at[0] + np.cumsum(width)
    cell = (ends - width)[column], ends[column]
    return SharedNodes(weight / weight.sum(), lent, *seen.shapes(v, lent), cell)


def _summed(counts: Array, many: Array, shapes: Array) -> Array:
    """Σ many·(log Γ(a+count) - log Γ(a)) at each shape a."""
    out = np.empty(shapes.shape)
    width = max(1, _CHUNK // max(1, counts.size))
    for i in range(0, shapes.size, width):
        a = shapes[i : i + width]
        large, some = a > _LARGE, np.empty(a.shape)
        some[~large] = many @ special.gammaln(counts[:, None] + a[~large]) - many.sum() * special.gammaln(a[~large])
        some[large] = many @ log_rising(a[large], counts[:, None])
        out[i : i + width] = some
    return out


def log_rising(a: Array, h: Array) -> Array:
    """log Γ(a+h) - log Γ(a) by Stirling's formula, of shapes a above 1e4: off by a few h·eps."""
    z = a + h
    return np.asarray(h * (np.log(a) - 1.0) + (z - 0.5) * np.log1p(h / a) - h / (12.0 * a * z))


def _trigamma(x: Array) -> Array:
    """Within a tenth, from 0.4 on; more than that below."""
    return np.asarray((1.0 + (0.5 + 1.0 / (6.0 * x)) / x) / x)


def _counted(hits: Array, misses: Array, own: tuple[float, float]) -> _Counted:
    found = (np.unique(x[x > 0], return_counts=True) for x in (hits, misses, hits + misses))
    h, m, n = ((x, many.astype(float)) for x, many in found)
    return _Counted(h, m, n, own)


def _window(seen: _Counted) -> tuple[Array, Array, Array]:
    """Values of q from end to end of where all but nothing of its law lies, with middle and bend of logit μ at each."""
    low, high = np.log(sum(seen.own)), np.log(sum(seen.own) + max(seen.total, 2.0))
    at = np.linspace(low, high, _SCAN)
    middle, bend, height = _profile(seen, at, np.zeros(_SCAN))
    for _ in range(12):
        alive = np.flatnonzero(height > height.max() - _DROP)
        left, right = at[max(alive[0] - 1, 0)], at[min(alive[-1] + 1, _SCAN - 1)]
        if right - left > 0.85 * (at[-1] - at[0]):
            break
        before, at = at, np.linspace(left, right, _SCAN)
        middle, bend, height = _profile(seen, at, np.interp(at, before, middle))
    return at, middle, bend


def _profile(seen: _Counted, q: Array, start: Array) -> tuple[Array, Array, Array]:
    """Middle and bend of logit μ at each q, by Newton's steps, and the log density of q, roughly."""
    lent, v = np.exp(q) - sum(seen.own), start
    for _ in range(_NEWTON):
        slope, bend = seen.slope(v, lent)
        v = v + np.clip(slope / bend, -2.0, 2.0)
    _, bend = seen.slope(v, lent)
    return v, bend, seen.log_posterior(v, q, np.arange(q.size)) - 0.5 * np.log(bend)


def _sizes(low: float, high: float, nodes: int) -> tuple[Array, Array]:
    """Nodes of q on the window, piece by piece, and their widths."""
    x, w = _legendre(nodes)
    pieces = max(2, int(np.ceil((high - low) / _PIECE)))
    starts, half = np.linspace(low, high, pieces + 1)[:-1], 0.5 * (high - low) / pieces
    return (starts[:, None] + half * (1.0 + x)).ravel(), np.tile(half * w, pieces)


def _means(middle: Array, bend: Array, step: float) -> tuple[Array, Index, Array]:
    """Nodes of logit μ for each q, flat, with the columns they stand in and their steps.

    Where the log density is highest at v and bends by Q, the Beta law of a logit with shapes Q·(1+e^v) and Q·(1+e^-v)
    does so too; nodes go as far as that has weight.
    """
    v0, q = middle[:, None], bend[:, None]
    log_rise, log_fall = np.logaddexp(0.0, v0), np.logaddexp(0.0, -v0)
    rise, fall = q * np.exp(np.minimum(log_rise, 60.0)), q * np.exp(np.minimum(log_fall, 60.0))
    each = step * np.where(np.minimum(rise, fall) < _SKEWED, _SHORTER, 1.0) / np.sqrt(q)
    sides = int(_SIDES * _STEP / step)
    v = v0 + each * np.arange(-sides, sides + 1)
    drop = rise * (np.logaddexp(0.0, -v) - log_fall) + fall * (np.logaddexp(0.0, v) - log_rise)
    column, place = np.nonzero(drop < _REACH)
    return v[column, place], column, each[column, 0]


@lru_cache(maxsize=4)
def _legendre(n: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(n)
    return x, w
