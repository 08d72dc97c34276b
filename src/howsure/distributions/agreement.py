"""phi and Cohen's kappa of four Dirichlet cells: exact, with an error that each table states for itself.

Statement: a Dirichlet splits into three independent Betas in several ways. By right and wrong answers: the share of
right answers; that of tp among the right; that of fp among the wrong. By tn and the rest (Jaccard): the share of tp
among tp, fp, fn; that of tn in all; that of fp among the wrong. And the latter with the classes swapped. Given the
two others, both metrics rise with the first share y, so P(M <= t) is the mean of P(y <= y*(t)) over the two others.
The split is the one whose first share carries most of the variance of atanh M.
Formula: in the odds r of y the cells are tp = a0 + a1·r, tn = d0 + d1·r, with fp = b and fn = c fixed and total 1 +
r. kappa = t is a quadratic in r. For phi, atanh phi = asinh(N/√R) with N = tp·tn - fp·fn and R the product of the
margins less N², a sum of products that are never negative: nothing cancels next to 1, and Newton's steps in log r,
from kappa's root, are few.
Below 0 phi is that of the table with its predictions swapped, with the sign turned; kappa takes the split by right
answers, and fp's share of the wrong only where kappa can be so low.
Error: the mean over both outer Betas is a Gauss rule where all cells are ordinary, else a trapezoid in their normal
scores, which converges geometrically for small shapes too. Two sizes are held against each other at seven points and
at the moments, and against P(M <= 0), which is one exact integral.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta
from howsure.distributions.beta_moments import beta_order
from howsure.distributions.continuous import EPS, Stepped
from howsure.distributions.protocol import Pick
from howsure.distributions.quadrature import gauss_beta
from howsure.distributions.scale import normal_score

Kind = Literal["phi", "kappa"]
Cells = tuple[Array, Array, Array, Array]  # tp, fp, fn, tn: shapes of flat tables

# -- cells along one share

RIGHT, POSITIVE, NEGATIVE = 0, 1, 2  # splits: by right answers, by the Jaccard share of a class
_RANGE_STEPS: Final = 40
_SETTLED: Final = 1e-7  # steps shrink by squares
_RANGE_FAR: Final = 170.0  # of log r: four cells can be multiplied without overflow


def shapes(split: Index, tp: Array, fp: Array, fn: Array, tn: Array) -> list[tuple[Array, Array]]:
    """The Betas of the inner share and of both outer ones."""
    wrong = fp + fn
    inner = np.choose(split, [tp + tn, tp, tn])
    kept = np.choose(split, [tp, tn, tp])
    rest = np.choose(split, [tn, tp + wrong, tn + wrong])
    inner, wrong, kept, rest, fp, fn = np.broadcast_arrays(inner, wrong, kept, rest, fp, fn)
    return [(inner, wrong), (kept, rest), (fp, fn)]


@dataclass(frozen=True)
class CellLines:
    """The cells as lines in the odds r of the inner share, at given outer shares (u, 1-u) and (v, 1-v)."""

    a0: Array
    a1: Array
    d0: Array
    d1: Array
    b: Array
    c: Array

    @staticmethod
    def make(split: Index, u: Array, u_rest: Array, v: Array, v_rest: Array) -> CellLines:
        zero = np.zeros_like(u)
        outside = np.where(split == RIGHT, 1.0, u_rest)
        return CellLines(
            np.where(split == NEGATIVE, u, zero),
            np.where(split == POSITIVE, u_rest, u),
            np.where(split == POSITIVE, u, zero),
            np.where(split == POSITIVE, u, u_rest),
            outside * v,
            outside * v_rest,
        )

    def at(self, rows: Index | slice) -> CellLines:
        """The lines of some tables."""
        return CellLines(*(x[rows] for x in (self.a0, self.a1, self.d0, self.d1, self.b, self.c)))

    def atanh_phi(self, r: Array) -> tuple[Array, Array]:
        """atanh phi at odds r, and its slope by log r."""
        b, c = self.b, self.c
        da, dd = self.a1 * r, self.d1 * r
        a, d = self.a0 + da, self.d0 + dd
        ad, bc = a * d, b * c
        n, dn = ad - bc, da * d + a * dd
        p, q = a * c + b * d, a * b + c * d
        dp, dq = da * c + b * dd, da * b + c * dd
        rest = 4.0 * ad * bc + (ad + bc) * (p + q) + p * q
        more = 4.0 * dn * bc + dn * (p + q) + (ad + bc) * (dp + dq) + dp * q + p * dq  # the slope of rest
        slope = (dn - 0.5 * n * (more / rest)) / np.sqrt(rest + n * n)  # that of the margins would cancel next to 1
        return np.arcsinh(n / np.sqrt(rest)), slope

    def atanh_kappa(self, r: Array) -> tuple[Array, Array]:
        """atanh kappa at odds r, and its slope by log r."""
        da, dd = self.a1 * r, self.d1 * r
        a, d = self.a0 + da, self.d0 + dd
        half = 0.5 * (self.b + self.c)
        n = a * d - self.b * self.c
        low = half * (1.0 + r)
        high = 2.0 * n + low
        dn = da * d + a * dd
        return 0.5 * np.log(high / low), (dn - n * r / (1.0 + r)) / high

    def root(self, kind: Kind, h: Array) -> tuple[Array, Mask]:
        """log r where the measure is tanh h, and whether it is: kappa may lie above a low value everywhere."""
        z, there = self._kappa_root(h)
        return (z, there) if kind == "kappa" else (self._phi_root(h, z), there)

    def _kappa_root(self, h: Array) -> tuple[Array, Mask]:
        """(1-t)·N = t·(fp+fn)/2·(1+r), a quadratic with one root above 0, or none."""
        with np.errstate(over="ignore"):
            odds = 0.5 * np.expm1(2.0 * h)  # t/(1-t)
        wrong = odds * 0.5 * (self.b + self.c)
        two, one = self.a1 * self.d1, self.a0 * self.d1 + self.a1 * self.d0 - wrong
        none = -self.b * self.c - wrong
        there = none < 0
        none = np.where(there, none, -1.0)
        root = np.sqrt(one * one - 4.0 * two * none)
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.where(one > 0, -2.0 * none / (one + root), (root - one) / (2.0 * two))
        return np.clip(np.log(r), -_RANGE_FAR, _RANGE_FAR), there

    def _phi_root(self, h: Array, z: Array) -> Array:
        """Newton's steps from kappa's root, not below the point where phi is 0; for h >= 0."""
        least = self._kappa_root(np.zeros(()))[0]
        z = np.maximum(z, least)
        for _ in range(_RANGE_STEPS):
            value, slope = self.atanh_phi(np.exp(z))
            step = np.clip((h - value) / slope, -10.0, 10.0)
            z = np.clip(z + step, least, _RANGE_FAR)
            if not (np.abs(step) > _SETTLED).any():
                break
        return z


def at_logs(kind: Kind, *logs: Array) -> Array:
    """The measure at the logs of tp, fp, fn and tn, which may be far below the smallest double."""
    a, b, c, d = logs
    said, unsaid, yes, no = (np.logaddexp(x, y) for x, y in ((a, b), (c, d), (a, c), (b, d)))
    half, even = 0.5 * (said + unsaid + yes + no), np.logaddexp(said + no, yes + unsaid) - np.log(2.0)
    scale = half if kind == "phi" else even
    return np.asarray(np.clip(np.exp(a + d - scale) - np.exp(b + c - scale), -1.0, 1.0))


# -- rules
#
# Rules of integration over both outer shares, of many tables at once.

_EASY: Final = (5, 7, 9, 12, 16)  # nodes of Gauss rules for each outer share, by how much of the variance it carries
SIZES: Final = (24, 36, 54, 80, 120)  # steps of both normal scores
_REACH: Final = 7.5  # of a normal score: all but 6e-14 of the mass
_LEAST_WEIGHT: Final = 1e-17
_ROOM: Final = 16_000  # nodes of all points at a time: they stay in the cache
_SMALL: Final = 3.0  # Gauss rules for the inner share of moments want shapes from here on
_TINY_SHARE: Final = 1e-6
_MOVES: Final = np.eye(3)[:, None, :, None, None] * np.array([1.0, -1.0])[:, None, None, None]


def chosen(kind: Kind, cells: Cells) -> tuple[Index, Array]:
    """The split whose inner share carries most of the variance of atanh M, and how much the others carry of that.

    By the delta method at the mean table.
    """
    splits = np.array([RIGHT, POSITIVE, NEGATIVE], dtype=np.intp)
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
    return splits[best], np.nan_to_num(share[:, best, np.arange(best.size)], nan=1.0, posinf=1e6)


Wanted = tuple[bool, bool]  # whether the tail is, and whether the density; 0 stands for what is not
BOTH: Final = (True, True)


@dataclass(frozen=True)
class ProductRule:
    """Tables that share a rule: Gauss rules of two sizes, or (n, 0), n steps of both normal scores.

    `truncated` is kappa below 0: not all outer shares allow it to be so low. The integrand bends where they do not, so
    each point has its own nodes: equal steps of the normal scores of truncated Betas.
    """

    kind: Kind
    cells: Cells
    split: Index
    nodes: tuple[int, int]
    truncated: bool = False

    @cached_property
    def _shapes(self) -> list[tuple[Array, Array]]:
        return shapes(self.split, *self.cells)

    @cached_property
    def _by_right(self) -> bool:
        return bool((self.split == RIGHT).all())

    @cached_property
    def _across(self) -> tuple[Array, Array, Array]:
        """Nodes of the first outer share, and one minus them, and weights: arrays (tables, nodes)."""
        return _share_nodes(*self._shapes[1], self.nodes[0], gauss=self.nodes[1] > 0)

    @cached_property
    def _grid(self) -> tuple[CellLines, Array]:
        """The cells at every node, and the weights: arrays (tables, nodes)."""
        n = self.nodes[1]
        i, j = _kept(self.nodes)
        u, u_rest, by_u = (x[:, i] for x in self._across)
        v, v_rest, by_v = (x[:, j] for x in _share_nodes(*self._shapes[2], n or self.nodes[0], gauss=n > 0))
        return CellLines.make(self.split[:, None], u, u_rest, v, v_rest), by_u * by_v

    def tail(self, rows: Index, h: Array, upper: Mask, wanted: Wanted = BOTH) -> tuple[Array, Array]:
        """P(M > tanh h) where upper, else P(M <= tanh h), and the density of atanh M: of tables `rows` at points h."""
        each = max(1, _ROOM // _kept(self.nodes)[0].size)
        with np.errstate(all="ignore"):  # what is no number is told by the trial of the rule
            parts = [
                self._tail(rows[i : i + each], h[i : i + each], upper[i : i + each], wanted)
                for i in range(0, h.size, each)
            ]
        tail, density = (np.concatenate(x) for x in zip(*parts, strict=True))
        return tail, density

    def _nodes(self, rows: Index, h: Array) -> tuple[CellLines, Array, Array | float]:
        """The cells at the nodes of each point, their weights, and the probability that v is beyond them all."""
        if not self.truncated:
            lines, weights = self._grid
            return (lines.at(rows), weights[rows], 0.0) if self.split.size > 1 else (lines, weights, 0.0)
        return self._where_so_low(rows, h)

    def _where_so_low(self, rows: Index, h: Array) -> tuple[CellLines, Array, Array]:
        """The same, at nodes of the outer shares that allow kappa to be tanh h < 0.

        v(1 - v) must exceed k = (1 - e^2h)/4, over 1 - u unless the split is by right answers.
        """
        z, w = _even_scores(self.nodes[0])
        low, high, (i, j) = special.ndtr(z), special.ndtr(-z), _kept(self.nodes)
        most, gap = np.exp(2.0 * h)[:, None], -np.expm1(2.0 * h)[:, None]  # of u, and of 1 - u
        if self._by_right:
            u, room, into = tuple(x[rows] for x in self._across), most, np.ones(1)
        else:
            a, b = (x[rows, None] for x in self._shapes[1])
            into, out = beta.lower_tail(a, b, most, gap), beta.lower_tail(b, a, gap, most)
            u = *beta.quantile(a, b, into * low, out + into * high), into * w
            room, gap = np.maximum(most - u[0], 0.0) / u[1], gap / u[1]
        a, b = (x[rows, None] for x in self._shapes[2])
        wide = 0.5 * (1.0 + np.sqrt(room))
        narrow = 0.25 * gap / wide
        below, above = beta.lower_tail(a, b, narrow, wide), beta.lower_tail(b, a, narrow, wide)
        inside = 1.0 - below - above
        v: tuple[Array, ...]
        if self._by_right:
            v = *beta.quantile(a, b, below + inside * low, above + inside * high), inside * w
            u, v = tuple(x[:, i] for x in u), tuple(x[:, j] for x in v)
        else:
            u, below, above, inside = tuple(x[:, i] for x in u), *(x[:, i] for x in (below, above, inside))
            v = *beta.quantile(a, b, below + inside * low[j], above + inside * high[j]), inside * w[j]
        weights = u[2] * v[2]
        lines = CellLines.make(self.split[rows, None], u[0], u[1], v[0], v[1])
        return lines, weights, 1.0 - weights.sum(axis=-1)

    def _tail(self, rows: Index, h: Array, upper: Mask, wanted: Wanted) -> tuple[Array, Array]:
        lines, weights, beyond = self._nodes(rows, h)
        a, b = (x[rows, None] for x in self._shapes[0])
        z, there = lines.root(self.kind, h[:, None])
        tail = density = np.zeros(h.shape)
        if wanted[0]:
            up = upper[:, None]
            inner = logit_tails(np.where(up, b, a), np.where(up, a, b), np.where(up, -z, z))
            inner = inner if there.all() else np.where(there, inner, np.where(up, 1.0, 0.0))
            tail = (weights * inner).sum(axis=-1) + np.where(upper, beyond, 0.0)
        if wanted[1]:
            r = np.exp(z)
            rest = 1.0 / (1.0 + r)
            slope = (lines.atanh_phi if self.kind == "phi" else lines.atanh_kappa)(r)[1]
            inner = np.exp(beta.log_density(a, b, r * rest, rest)) / slope
            density = (weights * (inner if there.all() else np.where(there, inner, 0.0))).sum(axis=-1)
        return tail, density

    def moments(self) -> Moments:
        """Of the measure and of its atanh."""
        gauss = min(float(x.min()) for x in self._shapes[0]) >= _SMALL
        nodes = (8 if self.nodes[1] else 12) if gauss else self.nodes[0]
        each = max(1, _ROOM // (nodes * _kept(self.nodes)[0].size))
        tables = np.arange(self.split.size)
        with np.errstate(all="ignore"):
            parts = [
                vars(self._moments(tables[i : i + each], nodes, gauss)).values() for i in range(0, tables.size, each)
            ]
        return Moments(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _moments(self, tables: Index, nodes: int, gauss: bool) -> Moments:
        lines, weights = self._grid[0].at(tables), self._grid[1][tables]
        inner = self._shapes[0]
        x, rest, w = _share_nodes(inner[0][tables], inner[1][tables], nodes, gauss)
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
        tp, fp, fn, tn = (x[tables] for x in self.cells)
        return replace(self, cells=(tp, fp, fn, tn), split=self.split[tables])


@lru_cache(maxsize=32)
def _even_scores(steps: int) -> tuple[Array, Array]:
    """Equal steps of a normal score, and their weights."""
    z = _REACH * ((2.0 * np.arange(steps) + 1.0) / steps - 1.0)
    w = np.exp(-0.5 * z * z)
    return z, w / w.sum()


@lru_cache(maxsize=32)
def _kept(nodes: tuple[int, int]) -> tuple[Index, Index]:
    """The pairs of nodes of both outer shares that have a weight."""
    if nodes[1]:
        i, j = np.divmod(np.arange(nodes[0] * nodes[1]), nodes[1])
        return i, j
    w = _even_scores(nodes[0])[1]
    i, j = np.nonzero(np.outer(w, w) > _LEAST_WEIGHT)
    return i, j


def _share_nodes(a: Array, b: Array, n: int, gauss: bool) -> tuple[Array, Array, Array]:
    """Nodes of Beta(a, b), one minus them, and weights."""
    if gauss:
        return gauss_beta(a, b, n)
    z, w = _even_scores(n)
    p, q = special.ndtr(z), special.ndtr(-z)
    x, rest = beta.quantile(a[:, None], b[:, None], p, q)
    with np.errstate(under="ignore"):
        x = np.where(x < _TINY_SHARE, special.betaincinv(a[:, None], b[:, None], p), x)
        rest = np.where(rest < _TINY_SHARE, special.betaincinv(b[:, None], a[:, None], q), rest)
    return np.maximum(x, 1e-300), np.maximum(rest, 1e-300), np.broadcast_to(w, x.shape)


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation of the measure; mean, standard deviation and skewness of its atanh."""

    mean: Array
    std: Array
    middle: Array
    spread: Array
    skew: Array

    def of(self, tables: Index) -> Moments:
        """Those of some tables."""
        return Moments(*(x[tables] for x in vars(self).values()))

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


# -- sides
#
# Rules on either side of 0, large enough for each table, and how far they may be off.

REACH: Final = 9.0  # standard deviations of atanh M
MORE: Final = 8.0  # by which a probability between the points of a trial may be further off
_SCORES: Final = np.array([[-1.96], [0.0], [1.96], [-3.29], [3.29]])  # where two rules are held against each other
_ENDS: Final = 3  # of these are in the body: a rule grows until it does there
_NEAR_ZERO: Final = np.array([[0.004], [0.04]])
_BENT: Final = 1e-5  # as a probability: less is stated, but the rule need not grow for it
_CLOSE: Final = 1e-8  # in standard deviations: the smaller rule will do
_ENOUGH: Final = 1e-5  # the larger rule will do,
_ENOUGH_MEAN: Final = 1e-4  # in standard deviations of the mean
PLAIN: Final = 5.0  # tables with such shapes, whose inner share carries enough of the variance, take a Gauss rule
_SHOWN: Final = 1e-6  # it was never off by more, in standard deviations or as a probability
_SHOWN_FAR: Final = 1e-4  # the same for quantiles from .0005 to .9995


@dataclass(frozen=True)
class Side:
    """Rules for values of one sign, each table with its own, and how far they may be off."""

    groups: tuple[tuple[Index, ProductRule], ...]
    moments: Moments
    off: Array  # of a quantile from .025 to .975, in standard deviations
    far: Array  # of one from .0005 to .9995
    mean_off: Array
    chance: Array  # of a probability

    @cached_property
    def _place(self) -> tuple[Index, Index]:
        """The group of each table, and its row there."""
        group, row = np.empty(self.off.size, dtype=np.intp), np.empty(self.off.size, dtype=np.intp)
        for k, (tables, _) in enumerate(self.groups):
            group[tables], row[tables] = k, np.arange(tables.size)
        return group, row

    def tail(self, tables: Index, h: Array, upper: Mask, wanted: Wanted = BOTH) -> tuple[Array, Array]:
        """Tail and density of atanh M, table by table."""
        if len(self.groups) == 1:
            return self.groups[0][1].tail(self._place[1][tables], h, upper, wanted)
        tail, density = np.empty(h.shape), np.empty(h.shape)
        group, row = self._place
        for k, (_, rule) in enumerate(self.groups):
            at = np.flatnonzero(group[tables] == k)
            if at.size:
                tail[at], density[at] = rule.tail(row[tables[at]], h[at], upper[at], wanted)
        return tail, density


def rules_of(kind: Kind, cells: Cells, below: bool = False) -> Side:
    """Rules that are large enough for each table."""
    truncated = below and kind == "kappa"
    split, shares = chosen(kind, cells)
    level = np.searchsorted(_EASY, np.minimum(4.0 + 6.0 * np.sqrt(shares), 99.0))
    plain = (np.min(cells, axis=0) >= PLAIN) & (level.max(axis=0) <= 2) & (not truncated)
    made = _Found(split.size)
    code = (level[0] + 2) * len(_EASY) + level[1] + 2
    for one in np.unique(code[plain]):
        tables = np.flatnonzero(plain & (code == one))
        nodes = _EASY[one // len(_EASY)], _EASY[one % len(_EASY)]
        made.trust(tables, ProductRule(kind, _of(cells, tables), split[tables], nodes))
    trials = SizeTrials(kind, cells, truncated)
    todo = np.flatnonzero(~plain)
    for small, large in pairwise(SIZES):
        again = [todo[:0]]
        for tables, trial in trials.of(todo, split, (small, large)):
            done = trial.good | (large == SIZES[-1])
            made.take(tables, trial, done)
            again.append(tables[~done])
        todo = np.sort(np.concatenate(again))
        if small == SIZES[0] and todo.size:  # another split may do at once
            others = np.stack([(split[todo] + k) % 3 for k in range(3)])
            off = np.stack([made.off[todo], *(trials.off(todo, x, (small, large)) for x in others[1:])])
            split[todo] = np.take_along_axis(others, off.argmin(axis=0)[None], axis=0)[0]
    return made.side()


class _Found:
    """Rules found so far."""

    def __init__(self, size: int) -> None:
        self.off, self.far, self.mean_off, self.chance = (np.empty(size) for _ in range(4))
        self.moments = [np.empty(size) for _ in range(5)]
        self.groups: list[tuple[Index, ProductRule]] = []

    def take(self, tables: Index, trial: SizeTrial, good: Mask) -> None:
        """What the trial found of its tables, and the rule of those that are served by it."""
        self.off[tables], self.far[tables] = trial.off, trial.far
        self.mean_off[tables], self.chance[tables] = trial.mean_off, trial.chance
        for values, own in zip(self.moments, vars(trial.moments).values(), strict=True):
            values[tables] = own
        close = trial.off <= _CLOSE
        for mask, rule in ((good & close, trial.small), (good & ~close, trial.large)):
            if mask.any():
                self.groups.append((tables[mask], rule if mask.all() else rule.only(np.flatnonzero(mask))))

    def trust(self, tables: Index, rule: ProductRule) -> None:
        """Tables for which tests have shown that a rule of this size will do."""
        self.off[tables], self.far[tables] = _SHOWN, _SHOWN_FAR
        self.mean_off[tables], self.chance[tables] = _SHOWN, _SHOWN / MORE
        for values, own in zip(self.moments, vars(rule.moments()).values(), strict=True):
            values[tables] = own
        self.groups.append((tables, rule))

    def side(self) -> Side:
        return Side(tuple(self.groups), Moments(*self.moments), self.off, self.far, self.mean_off, self.chance)


def _of(cells: Cells, tables: Index) -> Cells:
    tp, fp, fn, tn = (x[tables] for x in cells)
    return tp, fp, fn, tn


class SizeTrials:
    """SizeTrials of tables of a batch, those together that cost alike."""

    def __init__(self, kind: Kind, cells: Cells, truncated: bool) -> None:
        self.kind, self.cells, self.truncated = kind, cells, truncated

    def of(self, tables: Index, split: Index, sizes: tuple[int, int]) -> Iterator[tuple[Index, SizeTrial]]:
        """SizeTrials of two sizes of these tables; `split` is that of all."""
        by_right = (split[tables] == RIGHT) & self.truncated
        for own in (tables[by_right], tables[~by_right]):
            if own.size:
                rule = ProductRule(self.kind, _of(self.cells, own), split[own], (sizes[0], 0), self.truncated)
                yield own, SizeTrial(rule, replace(rule, nodes=(sizes[1], 0)), -1.0 if self.truncated else 1.0)

    def off(self, tables: Index, split: Index, sizes: tuple[int, int]) -> Array:
        """How far two sizes differ where these tables take that split."""
        off, every = np.empty(tables.size), np.zeros(self.cells[0].size, dtype=np.intp)
        every[tables] = split
        for own, trial in self.of(tables, every, sizes):
            off[np.searchsorted(tables, own)] = trial.off
        return off


class SizeTrial:
    """A rule held against the next larger one."""

    def __init__(self, rule: ProductRule, larger: ProductRule, sign: float) -> None:
        self.small, self.large = rule, larger
        before, self.moments = rule.moments(), larger.moments()
        size = rule.split.size
        h = self._points(np.tile(np.arange(size), _SCORES.size), sign).reshape(_SCORES.size, size)
        near = np.where(np.abs(self.moments.middle) < REACH * self.moments.spread, self.moments.spread, np.nan)
        h = np.concatenate([h, sign * near * _NEAR_ZERO])  # splits by right answers, or by a class, bend at 0
        tables = np.tile(np.arange(size), len(h))
        one, two, density = self._held(tables, np.where(np.isnan(h), sign, h).ravel())
        apart = np.where(sign * h > 0, np.abs(one - two).reshape(h.shape), 0.0)  # the other side has its own rule
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ends = (apart / density.reshape(h.shape))[: _SCORES.size] / self.moments.spread
            mean = np.abs(before.mean - self.moments.mean) + np.abs(before.std - self.moments.std)
            mean = mean / self.moments.std
        ends = np.where((apart[: _SCORES.size] == 0) & ~np.isfinite(ends), 0.0, ends)
        self.chance, ends, mean = (np.nan_to_num(x, nan=np.inf, posinf=np.inf) for x in (apart.max(axis=0), ends, mean))
        bent = np.where(self.chance > _BENT, self.chance, 0.0)
        self.off, self.far, self.mean_off = np.maximum(ends[:_ENDS].max(axis=0), bent), ends.max(axis=0), mean

    @property
    def good(self) -> Mask:
        return np.asarray((self.off <= _ENOUGH) & (self.mean_off <= _ENOUGH_MEAN))

    def _held(self, tables: Index, h: Array) -> tuple[Array, Array, Array]:
        """Tails by both rules, and the density."""
        upper = h > self.moments.middle[tables]
        (one, _), (two, density) = self.small.tail(tables, h, upper), self.large.tail(tables, h, upper)
        return one, two, density

    def _points(self, tables: Index, sign: float) -> Array:
        """About where the tails of _SCORES are: a guess by moments, and a step from it."""
        h = sign * np.maximum(sign * self.moments.quantile(_SCORES).ravel(), 0.0)
        upper = np.repeat(_SCORES[:, 0] > 0, tables.size // _SCORES.size)
        tail, density = self.small.tail(tables, h, upper)
        wanted = np.repeat(special.ndtr(-np.abs(_SCORES[:, 0])), tables.size // _SCORES.size)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = np.where(upper, 1.0, -1.0) * np.log(tail / wanted) * tail / np.maximum(density, 1e-300)
        spread = self.moments.spread[tables]
        h = h + np.clip(np.where(np.isfinite(step), step, 0.0), -spread, spread)
        return np.asarray(sign * np.maximum(sign * h, 0.0))


class Below:
    """Rules for values below 0, made for a table when it is first asked for."""

    def __init__(self, kind: Kind, cells: Cells) -> None:
        self.kind, self.cells = kind, cells
        self.sides: list[Side] = []
        self.side, self.row = np.full(cells[0].size, -1), np.zeros(cells[0].size, dtype=np.intp)

    def _make(self, tables: Index) -> None:
        new = np.unique(tables[self.side[tables] < 0])
        if new.size:
            tp, fp, fn, tn = (x[new] for x in self.cells)
            made = rules_of(self.kind, (fp, tp, tn, fn) if self.kind == "phi" else (tp, fp, fn, tn), below=True)
            self.side[new], self.row[new] = len(self.sides), np.arange(new.size)
            self.sides.append(made)

    def _parts(self, tables: Index) -> Iterator[tuple[Index, Side, Index]]:
        """Where the tables of one side are, that side, and their rows in it."""
        self._make(tables)
        for k in np.unique(self.side[tables]):
            at = np.flatnonzero(self.side[tables] == k)
            yield at, self.sides[k], self.row[tables[at]]

    def tail(self, tables: Index, h: Array, upper: Mask, wanted: Wanted = BOTH) -> tuple[Array, Array]:
        """As for a Side."""
        tail, density = np.empty(h.shape), np.empty(h.shape)
        for at, side, rows in self._parts(tables):
            tail[at], density[at] = side.tail(rows, h[at], upper[at], wanted)
        return tail, density

    def of(self, tables: Index) -> Array:
        """How far quantiles, far ones and probabilities of some tables may be off: three rows."""
        found = np.empty((3, tables.size))
        for at, side, rows in self._parts(tables):
            found[:, at] = side.off[rows], side.far[rows], side.chance[rows]
        return found


# -- the law

_LOST: Final = 1e-3
_LOST_MEAN: Final = 5e-3
_STEPS: Final = 60
_FEW: Final = 100
_BODY, _FAR = 0.951, 0.9991  # levels up to which ends were tried
_SEAM: Final = 5e-5
_SELDOM: Final = 1e-6  # values below 0 that are rarer do not count
_EDGE: Final = 84.0  # of atanh, 1e-73 from the end of the range: the rules end there
_NEXT_TO_END: Final = 25.0  # of atanh, 4e-22 from the end of the range
_SAME_POWER: Final = 1e-9
_NEAR: Final = 1e-6  # a miss this small is squared by the step that follows it


class _Rules:
    """Rules above and below 0 for tables and for all that are picked of them."""

    def __init__(self, kind: Kind, cells: Cells) -> None:
        self.kind, self.cells = kind, cells

    @cached_property
    def above(self) -> Side:
        return rules_of(self.kind, self.cells)

    @cached_property
    def below(self) -> Below:
        return Below(self.kind, self.cells)

    @cached_property
    def at_zero(self) -> tuple[Array, Array]:
        """P(M <= 0), 0 where it is below anything that rules could tell; and how far the rules miss it."""
        moments = self.above.moments
        near = np.flatnonzero((moments.middle <= REACH * moments.spread) | (np.min(self.cells, axis=0) < PLAIN))
        zero, miss = np.zeros(moments.middle.size), np.zeros(moments.middle.size)
        if near.size:
            tp, fp, fn, tn = (x[near] for x in self.cells)
            zero[near] = want = beta_order(fp, tn, tp, fn)[0]  # recall is not above fallout
            up = want > 0.5
            miss[near] = np.abs(self.above.tail(near, np.zeros(near.size), up)[0] - np.where(up, 1.0 - want, want))
            at = np.flatnonzero(zero > _SELDOM)
            up, want = zero[at] > 0.5, zero[at]
            other = self.below.tail(at, np.zeros(at.size), up ^ (self.kind == "phi"))[0]
            miss[at] = np.maximum(miss[at], np.abs(other - np.where(up, 1.0 - want, want)))
        return zero, np.nan_to_num(miss, nan=np.inf)

    @cached_property
    def off(self) -> Array:
        """How far a quantile, a far one and a probability may be off: the worse of both sides of 0, and at 0."""
        found = np.stack([self.above.off, self.above.far, self.above.chance])
        zero, miss = self.at_zero
        both = np.flatnonzero(zero > _SELDOM)
        if both.size:
            found[:, both] = np.maximum(found[:, both], self.below.of(both))
        off = np.maximum(found[0], np.where(miss > _SEAM, np.inf, 0.0))
        return np.stack([off, np.maximum(off, found[1]), np.minimum(MORE * np.maximum(found[2], miss) + 1e-10, 1.0)])


@dataclass(frozen=True, eq=False)
class AgreementLaw(Stepped):
    """The law of phi or kappa; cells are shapes of tp, fp, fn, tn, in a batch or single."""

    kind: Kind
    cells: Cells
    _from: tuple[_Rules, Index] | None = field(default=None, repr=False)  # those of a larger batch, and places there
    _ends: dict[float, tuple[Array, Array, Array, Array]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(x.shape for x in self.cells))

    @property
    def lower(self) -> float:
        return -1.0

    @property
    def upper(self) -> float:
        return 1.0

    @cached_property
    def _flat(self) -> Cells:
        tp, fp, fn, tn = (np.broadcast_to(x, self.shape).ravel().astype(float) for x in self.cells)
        return tp, fp, fn, tn

    @cached_property
    def _rules(self) -> _Rules:
        return self._from[0] if self._from else _Rules(self.kind, self._flat)

    @cached_property
    def _place(self) -> Index:
        """The place of each table among those of the rules."""
        return self._from[1] if self._from else np.arange(self._flat[0].size)

    @cached_property
    def _moments(self) -> Moments:
        return self._rules.above.moments.of(self._place)

    @property
    def searched(self) -> bool:
        return self._flat[0].size <= _FEW  # of many tables, points that nobody asks for take their time

    @property
    def unimodal(self) -> bool:
        return min(float(x.min(initial=np.inf)) for x in self.cells) >= 1.5

    def corners(self) -> tuple[float, ...]:
        return (0.0,)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> AgreementLaw:
        tp, fp, fn, tn = (np.broadcast_to(x, shape)[pick] for x in self.cells)
        place = np.broadcast_to(self._place.reshape(self.shape), shape)[pick]
        return AgreementLaw(self.kind, (tp, fp, fn, tn), (self._rules, place.ravel()))

    # -- tails

    def _tail(self, tables: Index, h: Array, upper: Mask, wanted: Wanted = BOTH) -> tuple[Array, Array]:
        """Tail and density of atanh M at flat points of flat tables."""
        low = h < 0
        if not low.any():
            return self._rules.above.tail(tables, h, upper, wanted)
        turn = -1.0 if self.kind == "phi" else 1.0
        if low.all():
            return self._rules.below.tail(tables, turn * h, upper ^ (turn < 0), wanted)
        tail, density = np.empty(h.shape), np.empty(h.shape)
        for at in (low, ~low):
            tail[at], density[at] = self._tail(tables[at], h[at], upper[at], wanted)
        return tail, density

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        return self._at(t, t_low, upper, (True, density))

    def _at(self, t: Array, t_low: Array | float, upper: Mask, wanted: Wanted) -> tuple[Array, Array]:
        """Tail and density of M at points against the batch."""
        shape, tables, (t, t_low, up) = self._points(t, t_low, upper)
        h = _atanh(t, t_low)
        inside = np.isfinite(h)
        tail, slope = np.where((t <= -1.0) == up, 1.0, 0.0), np.zeros(t.shape)
        if inside.any():
            tail[inside], slope[inside] = self._tail(tables[inside], h[inside], up[inside].astype(bool), wanted)
            slope[inside] *= np.cosh(np.minimum(np.abs(h[inside]), 350.0)) ** 2
        return np.clip(tail, 0.0, 1.0).reshape(shape), slope.reshape(shape)

    def _points(self, *values: Array | Mask | float) -> tuple[tuple[int, ...], Index, list[Array]]:
        """Points against the batch, flat, with the place of the table of each among those of the rules."""
        shape = np.broadcast_shapes(self.shape, *(np.shape(x) for x in values))
        number = self._place.reshape(self.shape)
        return (
            shape,
            np.broadcast_to(number, shape).ravel(),
            [np.broadcast_to(x, shape).ravel().astype(float) for x in values],
        )

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.tails_around(np.tanh(self._moments.middle).reshape(self.shape), t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        upper = np.zeros(np.broadcast_shapes(t.shape, self.shape), dtype=bool)
        value = self._at(t, t_low, upper, (False, True))[1]
        for end, limit in ((self.lower, self._at_lower), (self.upper, self._at_upper)):
            at = (t == end) & (np.asarray(t_low) == 0)
            if at.any():
                value = np.where(at, limit().reshape(self.shape), value)
        return value

    def _at_upper(self) -> Array:
        """The density's limit at 1, where fp and fn vanish together: tails are powers of the distance, fp + fn."""
        return self._limit(self._flat[1] + self._flat[2], 1.0)

    def _at_lower(self) -> Array:
        """The same at -1: of phi by tp + tn; of kappa by half more, since fp and fn must also be equal there.

        Near it kappa + 1 is 8·(fp - 1/2)^2 + 2·(tp + tn), to first order.
        """
        tp, fp, fn, tn = self._flat
        if self.kind == "phi":
            return self._limit(tp + tn, -1.0)
        right, wrong = tp + tn, fp + fn
        equal = (2.0 - fp - fn) * np.log(2.0) - special.betaln(fp, fn)  # the log of their density there
        with np.errstate(over="ignore"):  # where it is not asked for
            steady = 0.25 * np.pi * np.exp(equal - special.betaln(right, wrong))
        return _by_power(right + 0.5, steady)

    def _limit(self, power: Array, end: float) -> Array:
        """The density next to an end, where the tail is as the distance itself; infinite below that power, 0 above."""
        tables = self._place
        h = np.full(power.size, np.sign(end) * _NEXT_TO_END)
        slope = self._tail(tables, h, np.full(power.size, end > 0))[1] * np.cosh(_NEXT_TO_END) ** 2
        return _by_power(power, slope)

    # -- quantiles

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        shape, tables, (p, q) = self._points(p, q)
        h = np.where(p <= 0, -np.inf, np.where(q <= 0, np.inf, 0.0))
        inside = np.isfinite(h)
        if inside.any():
            h[inside] = self._search(tables[inside], p[inside], q[inside])
        h = h.reshape(shape)
        return np.tanh(h), 2.0 * special.expit(2.0 * h), 2.0 * special.expit(-2.0 * h)

    def _search(self, tables: Index, p: Array, q: Array) -> Array:
        """Safeguarded Newton steps on the log of the smaller tail."""
        use_low = p <= q
        target = np.where(use_low, p, q)
        negative = p < self._rules.at_zero[0][tables]
        low, high = np.where(negative, -np.inf, 0.0), np.where(negative, 0.0, np.inf)
        moments = self._rules.above.moments.of(tables)
        spread = moments.spread
        h = moments.quantile(normal_score(p, q))
        h = np.clip(np.where(negative, np.minimum(h, -0.05 * spread), np.maximum(h, 0.05 * spread)), -_EDGE, _EDGE)
        active, before = np.arange(h.size), np.full(h.size, np.inf)
        for _ in range(_STEPS):
            tail, density = self._tail(tables[active], h[active], ~use_low[active])
            with np.errstate(all="ignore"):
                miss = np.where(use_low[active], 1.0, -1.0) * np.log(tail / target[active])
                step = miss * tail / density
            limit = 2.0 * spread[active]
            step = np.clip(np.where(np.isfinite(step), step, np.sign(miss) * limit), -limit, limit)
            old = h[active]
            low[active] = np.where(miss <= 0, old, low[active])
            high[active] = np.where(miss >= 0, old, high[active])
            new = np.clip(old - step, -_EDGE, _EDGE)
            with np.errstate(invalid="ignore"):
                middle = 0.5 * (low[active] + high[active])
            near = np.abs(miss) < _NEAR  # rounding may put the last step on the bracket: no reason to leave it
            slow = np.abs(step) > 0.7 * before[active]
            outside = (new <= low[active]) | (new >= high[active])
            halve = np.isfinite(middle) & ~near & (outside | slow)
            h[active] = np.where(halve, middle, np.clip(new, low[active], high[active]))
            before[active] = np.abs(step)
            active = active[~(near | (np.abs(h[active] - old) <= 4 * EPS * np.abs(old)))]
            if not active.size:
                break
        return h

    # -- points and accuracy

    def mean(self) -> Array:
        return self._moments.mean.reshape(self.shape)

    def std(self) -> Array:
        return self._moments.std.reshape(self.shape)

    @cached_property
    def _off(self) -> Array:
        """How far a quantile may be off, in standard deviations, one in a far tail, and a probability."""
        return self._rules.off[:, self._place]

    @cached_property
    def _mean_off(self) -> Array:
        return self._rules.above.mean_off[self._place]

    @property
    def lost(self) -> Mask:
        """Tables that are served by no rule: next to kappa's lowest value, say."""
        return np.asarray((self._off[0] > _LOST) | (self._mean_off > _LOST_MEAN)).reshape(self.shape)

    @cached_property
    def error(self) -> tuple[Array, Array]:
        value = np.maximum.reduce([self.mean_error(), *self.end_errors(0.95, False)])
        return value, self._off[2].reshape(self.shape)

    def own_error(self) -> tuple[Array, Array]:
        return self.error

    def mean_error(self) -> Array:
        return ((self._mean_off + 1e-10) * self._moments.std + 8 * EPS).reshape(self.shape)

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """What two rules differ by, and at least the error of a probability over the density at that end.

        Twice that for the ends of a shortest interval.
        """
        far = 0 if level <= _BODY else 1
        more = 1.0 if level <= _BODY else 4.0 if level <= _FAR else 100.0
        apart = (more * (self._off[far] + 1e-9) * self._moments.std).reshape(self.shape)
        low, high = np.maximum(apart, np.minimum(self._off[2].reshape(self.shape) / self._end_densities(level), 2.0))
        return (1.0 + shortest) * low + 8 * EPS, (1.0 + shortest) * high + 8 * EPS

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        if level not in self._ends:
            self._ends[level] = super().equal_tailed(level)
        return self._ends[level]

    def _end_densities(self, level: float) -> Array:
        """The density at both ends of an equal-tailed interval, by their distances to -1 and 1."""
        below, above = self.equal_tailed(level)[2:]
        distance = np.stack([below, above]).reshape(2, -1)
        side = np.array([[-1.0], [1.0]])
        with np.errstate(divide="ignore"):
            h = side * np.minimum(0.5 * (np.log(2.0 - distance) - np.log(distance)), _EDGE)
        tables = np.tile(self._place, 2)
        slope = self._tail(tables, h.ravel(), np.repeat([False, True], tables.size // 2))[1] * np.cosh(h.ravel()) ** 2
        return np.asarray(np.maximum(slope, np.finfo(float).tiny).reshape(2, *self.shape))


def _by_power(power: Array, steady: Array) -> Array:
    """A density at an end where the tail is that power of the distance; `steady` where it is the first."""
    first = np.abs(power - 1.0) < _SAME_POWER
    return np.where(first, steady, np.where(power < 1.0, np.inf, 0.0))


def _atanh(t: Array, t_low: Array) -> Array:
    """atanh(t + t_low), infinite at and beyond the ends."""
    above, below = (1.0 - t) - t_low, (1.0 + t) + t_low
    with np.errstate(divide="ignore", invalid="ignore"):
        h = 0.5 * (np.log(np.maximum(below, 0.0)) - np.log(np.maximum(above, 0.0)))
        near = np.arctanh(np.where(np.abs(t) < 0.5, t, 0.0)) + t_low
    return np.where(np.abs(t) < 0.5, near, h)
