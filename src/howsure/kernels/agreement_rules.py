"""Product rules for phi and kappa: the mean over two outer shares of the inner share's tail, of many tables at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from howsure.kernels import beta
from howsure.kernels.agreement import NEGATIVE, POSITIVE, RIGHT, CellLines, Kind, shapes
from howsure.kernels.gauss_beta import gauss_beta

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Cells = tuple[Array, Array, Array, Array]  # tp, fp, fn, tn: shapes of flat tables

SIZES: Final = np.array([5, 7, 9, 12, 16, 21, 28, 38])
FIBONACCI: Final = {2584: 1597, 4181: 2584}  # points of a lattice, and its generator
_ROOM: Final = 16_000  # nodes of all points at a time: they stay in the cache
_SMALL: Final = 3.0
_STEPS_PER_NODE: Final = 4  # of a normal score, for what a Gauss rule has one node
_SCORE_REACH: Final = 7.5  # all but 6e-14 of the mass
_TINY_SHARE: Final = 1e-6
_MOVES: Final = np.eye(3)[:, None, :, None, None] * np.array([1.0, -1.0])[:, None, None, None]


@dataclass(frozen=True)
class ProductRule:
    """Tables that share a number of nodes for each outer share; (n, 0) is a lattice of n points."""

    kind: Kind
    cells: Cells
    split: Index
    nodes: tuple[int, int]

    @cached_property
    def _shapes(self) -> list[tuple[Array, Array]]:
        return shapes(self.split, *self.cells)

    @cached_property
    def _grid(self) -> tuple[CellLines, Array]:
        """The cells at every node, and the weights: arrays (tables, nodes)."""
        _, us, vs = self._shapes
        if not self.nodes[1]:
            return self._lattice(us, vs)
        size = self.split.size, *self.nodes
        u, v = gauss_beta(*us, self.nodes[0]), gauss_beta(*vs, self.nodes[1])
        across = [np.broadcast_to(x[:, :, None], size).reshape(size[0], -1) for x in u]
        along = [np.broadcast_to(x[:, None, :], size).reshape(size[0], -1) for x in v]
        lines = CellLines.make(self.split[:, None], across[0], across[1], along[0], along[1])
        return lines, across[2] * along[2]

    def _lattice(self, us: tuple[Array, Array], vs: tuple[Array, Array]) -> tuple[CellLines, Array]:
        """Quantiles at the points of a Fibonacci lattice, for kinks that the polynomials of a Gauss rule cannot see."""
        n = self.nodes[0]
        i = np.arange(n)
        x, y = (i + 0.5) / n, ((i * FIBONACCI[n]) % n + 0.5) / n
        across, along = (_quantiles(s[0][:, None], s[1][:, None], p) for s, p in ((us, x), (vs, y)))
        return CellLines.make(self.split[:, None], *across, *along), np.full((self.split.size, n), 1.0 / n)

    def tail(self, rows: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """P(M > tanh h) where upper, else P(M <= tanh h), and the density of atanh M: of tables `rows` at points h."""
        each = max(1, _ROOM // (self.nodes[0] * max(1, self.nodes[1])))
        with np.errstate(all="ignore"):  # what is no number is told by the trial of the rule
            parts = [
                self._tail(rows[i : i + each], h[i : i + each], upper[i : i + each]) for i in range(0, h.size, each)
            ]
        tail, density = (np.concatenate(x) for x in zip(*parts, strict=True))
        return tail, density

    def _nodes(self, rows: Index, h: Array) -> tuple[CellLines, Array]:
        """The cells at the nodes of each point, and the weights: here the same for all points of a table."""
        del h
        lines, weights = self._grid
        return (lines.at(rows), weights[rows]) if self.split.size > 1 else (lines, weights)

    def _tail(self, rows: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        lines, weights = self._nodes(rows, h)
        a, b = (x[rows, None] for x in self._shapes[0])
        z, there = lines.root(self.kind, h[:, None])
        r = np.exp(z)
        rest = 1.0 / (1.0 + r)
        y = r * rest
        slope = (lines.atanh_phi if self.kind == "phi" else lines.atanh_kappa)(r)[1]
        density = np.exp(beta.log_density(a, b, y, rest)) / slope
        up = upper[:, None]
        tail = logit_tails(np.where(up, b, a), np.where(up, a, b), np.where(up, -z, z))
        if not there.all():
            tail, density = np.where(there, tail, np.where(up, 1.0, 0.0)), np.where(there, density, 0.0)
        return (weights * tail).sum(axis=-1), (weights * density).sum(axis=-1)

    def moments(self, nodes: int) -> Moments:
        """Of the measure and of its atanh."""
        each = max(1, _ROOM // (nodes * self.nodes[0] * max(1, self.nodes[1])))
        tables = np.arange(self.split.size)
        with np.errstate(all="ignore"):
            parts = [vars(self._moments(tables[i : i + each], nodes)).values() for i in range(0, tables.size, each)]
        return Moments(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _moments(self, tables: Index, nodes: int) -> Moments:
        lines, weights = self._grid[0].at(tables), self._grid[1][tables]
        inner = self._shapes[0]
        x, rest, w = gauss_beta(inner[0][tables], inner[1][tables], nodes)
        r = (x / rest).T[:, :, None]
        h = (lines.atanh_phi if self.kind == "phi" else lines.atanh_kappa)(r)[0]
        w = w.T[:, :, None] * weights
        middle = (w * h).sum(axis=(0, 2))
        side = np.where(middle < 0, -1.0, 1.0)  # distances to the nearer end of the range keep their digits
        gap = 2.0 * special.expit(-2.0 * side[:, None] * h)
        mean = (w * gap).sum(axis=(0, 2))
        away, turn = gap - mean[:, None], h - middle[:, None]
        by = w * turn * turn
        spread = by.sum(axis=(0, 2))
        skew = (by * turn).sum(axis=(0, 2)) / spread**1.5
        std = np.sqrt((w * away * away).sum(axis=(0, 2)))
        return Moments(side * (1.0 - mean), std, middle, np.sqrt(spread), skew)

    def only(self, tables: Index) -> ProductRule:
        """The same rule for some of the tables."""
        return replace(self, cells=_picked(self.cells, tables), split=self.split[tables])


@dataclass(frozen=True)
class TruncatedRule(ProductRule):
    """The rule of kappa below 0: the split by right answers, and fp's share of the wrong only where kappa can be t.

    That share v must lie between (1 - e^h)/2 and (1 + e^h)/2, whatever the others. The integrand bends there, and Gauss
    rules over all v can agree with each other and be off. So each point has its own nodes: equal steps of the normal
    score of the truncated Beta.
    """

    @cached_property
    def _outer(self) -> tuple[Array, Array, Array]:
        return gauss_beta(*self._shapes[1], self.nodes[0])

    def _beyond(self, rows: Index, h: Array) -> tuple[Array, Array]:
        """The probability that v is too small, and that it is too large, for kappa to be tanh h."""
        a, b = (x[rows] for x in self._shapes[2])
        least, most = -0.5 * np.expm1(h), 0.5 * (1.0 + np.exp(h))
        return beta.lower_tail(a, b, least, most), beta.lower_tail(b, a, least, most)

    def _nodes(self, rows: Index, h: Array) -> tuple[CellLines, Array]:
        if not self.nodes[1]:
            return super()._nodes(rows, h)
        below, above = (x[:, None] for x in self._beyond(rows, h))
        inside = 1.0 - below - above
        z, w = _even_scores(_STEPS_PER_NODE * self.nodes[1])
        a, b = (x[rows, None] for x in self._shapes[2])
        v = beta.quantile(a, b, below + inside * special.ndtr(z), above + inside * special.ndtr(-z))
        u = [x[rows] for x in self._outer]
        size = h.size, self.nodes[0], z.size
        across = [np.broadcast_to(x[:, :, None], size).reshape(h.size, -1) for x in u]
        along = [np.broadcast_to(x[:, None, :], size).reshape(h.size, -1) for x in (*v, inside * w)]
        lines = CellLines.make(self.split[rows, None], across[0], across[1], along[0], along[1])
        return lines, across[2] * along[2]

    def _tail(self, rows: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        tail, density = super()._tail(rows, h, upper)
        if self.nodes[1]:
            tail = tail + np.where(upper, sum(self._beyond(rows, h)), 0.0)
        return tail, density


@lru_cache(maxsize=32)
def _even_scores(steps: int) -> tuple[Array, Array]:
    """Equal steps of a normal score, and their weights."""
    z = _SCORE_REACH * ((2.0 * np.arange(steps) + 1.0) / steps - 1.0)
    w = np.exp(-0.5 * z * z)
    return z, w / w.sum()


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation of the measure; mean, standard deviation and skewness of its atanh."""

    mean: Array
    std: Array
    middle: Array
    spread: Array
    skew: Array

    def quantile(self, score: Array) -> Array:
        """Of atanh, by Cornish and Fisher's first correction of a normal score."""
        skew = np.clip(np.where(np.isfinite(self.skew), self.skew, 0.0), -1.5, 1.5)
        return np.asarray(self.middle + self.spread * (score + skew / 6.0 * (score * score - 1.0)))


def logit_tails(a: Array, b: Array, z: Array) -> Array:
    """P(logit B <= z) at many z of each law Beta(a, b): arrays (laws, 1) and (laws, points).

    The normal score of the tail is nearly a line in z: where the points lie within some standard deviations, a
    polynomial through twelve of them leaves 1e-10 of a probability.
    """
    low, high = z.min(axis=-1, keepdims=True), z.max(axis=-1, keepdims=True)
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-300)
    smooth = (half * half <= _WIDE * (1.0 / a + 1.0 / b)) & (np.minimum(a, b) >= _SMOOTH)
    if z.shape[-1] <= 2 * _DEGREE or not smooth.any():
        return beta.lower_tail(a, b, special.expit(z), special.expit(-z))
    at = middle + half * _CHEBYSHEV[0]
    score = special.ndtri(beta.lower_tail(a, b, special.expit(at), special.expit(-at)))
    smooth = smooth[:, 0] & (np.abs(score) < _FAR_SCORE).all(axis=-1)
    tail = np.empty(z.shape)
    if smooth.any():
        coefficients = score[smooth] @ _CHEBYSHEV[1]
        x = (z[smooth] - middle[smooth]) / half[smooth]
        tail[smooth] = special.ndtr(_clenshaw(coefficients, x))
    rough = ~smooth
    if rough.any():
        tail[rough] = beta.lower_tail(a[rough], b[rough], special.expit(z[rough]), special.expit(-z[rough]))
    return tail


def _clenshaw(coefficients: Array, x: Array) -> Array:
    """Chebyshev series, one of each row."""
    one, two = np.zeros_like(x), np.zeros_like(x)
    twice = 2.0 * x
    for k in range(coefficients.shape[1] - 1, 0, -1):
        one, two = twice * one - two + coefficients[:, k, None], one
    return np.asarray(x * one - two + coefficients[:, :1])


def _chebyshev(n: int) -> tuple[Array, Array]:
    """Points on [-1, 1], and the matrix from values there to coefficients."""
    angle = np.pi * (np.arange(n) + 0.5) / n
    matrix = 2.0 / n * np.cos(np.outer(angle, np.arange(n)))
    matrix[:, 0] *= 0.5
    return np.cos(angle), matrix


_DEGREE: Final = 12
_CHEBYSHEV: Final = _chebyshev(_DEGREE)
_WIDE: Final = 9.0  # points within three standard deviations of the logit to either side
_SMOOTH: Final = 5.0
_FAR_SCORE: Final = 5.5


def _quantiles(a: Array, b: Array, p: Array) -> tuple[Array, Array]:
    """Quantiles x of Beta(a, b) and 1 - x, both with their digits."""
    x, rest = beta.quantile(a, b, p, 1.0 - p)
    with np.errstate(under="ignore"):
        x = np.where(x < _TINY_SHARE, special.betaincinv(a, b, p), x)
        rest = np.where(rest < _TINY_SHARE, special.betaincinv(b, a, 1.0 - p), rest)
    return np.maximum(x, 1e-300), np.maximum(rest, 1e-300)


def _picked(cells: Cells, tables: Index) -> Cells:
    tp, fp, fn, tn = (x[tables] for x in cells)
    return tp, fp, fn, tn


def chosen(kind: Kind, cells: Cells, right: bool) -> tuple[Index, Index]:
    """The split whose inner share carries most of the variance of atanh M, and numbers of nodes for both others.

    By the delta method at the mean table; `right` takes the split by right answers, which has no lowest value.
    """
    splits = np.array([RIGHT] if right else [RIGHT, POSITIVE, NEGATIVE], dtype=np.intp)
    split = np.broadcast_to(splits[:, None], (splits.size, cells[0].size))
    pairs = shapes(split, *cells)
    means = np.array([p / (p + q) for p, q in pairs])
    rests = np.array([q / (p + q) for p, q in pairs])
    std = np.sqrt(means * rests / np.array([p + q + 1.0 for p, q in pairs]))
    reach = 0.5 * np.minimum(std, np.minimum(means, rests))
    move = _MOVES * reach  # up and down in each share: (share moved, sign, share, split, table)
    (y, u, v), (y_rest, u_rest, v_rest) = np.moveaxis(means + move, 2, 0), np.moveaxis(rests - move, 2, 0)
    lines = CellLines.make(split, u, u_rest, v, v_rest)
    h = (lines.atanh_phi if kind == "phi" else lines.atanh_kappa)(y / y_rest)[0]
    by = ((h[:, 0] - h[:, 1]) / (2.0 * reach) * std) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(by[0] > 0, by[1:] / by[0], np.inf)
    best = np.argmin(np.where(np.isnan(share).any(axis=0), np.inf, share.sum(axis=0)), axis=0)
    own = np.arange(best.size)
    share = np.nan_to_num(share[:, best, own], nan=1.0, posinf=1e6)
    small = np.array([np.minimum(p, q)[best, own] < _SMALL for p, q in pairs[1:]])
    wanted = np.minimum(4.0 + 6.0 * np.sqrt(share), 24.0) + 5.0 * small
    return splits[best], np.minimum(np.searchsorted(SIZES, wanted).T, SIZES.size - 2)
