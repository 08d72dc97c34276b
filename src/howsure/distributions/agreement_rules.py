"""Rules of integration for phi and kappa: nodes and weights of the outer Betas, and where one decides the side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, Literal

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta
from howsure.distributions.quadrature import gauss_beta

# -- agreement
#
# phi and Cohen's kappa of four Dirichlet cells: where they reach a value, along one share of the table.
#
# Statement: a Dirichlet splits into three independent Betas in several ways. By right and wrong answers: the share of
# right answers; that of tp among the right; that of fp among the wrong. By tn and the rest (Jaccard): the share of tp
# among tp, fp, fn; that of tn in all; that of fp among the wrong. And the latter with the classes swapped. Given the
# two others, both measures rise with the first share y, so P(M <= t) is the mean of P(y <= y*(t)) over the two
# others.
# Formula: in the odds r of y the cells are tp = a0 + a1·r, tn = d0 + d1·r, with fp = b and fn = c fixed and total 1 +
# r. kappa = t is a quadratic in r. For phi, atanh phi = asinh(N/√R) with N = tp·tn - fp·fn and R the product of the
# margins less N², a sum of products that are never negative: nothing cancels next to 1, and Newton's steps in log r,
# from kappa's root, are few.

Kind = Literal["phi", "kappa"]

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


# -- agreement rules
#
# Product rules for phi and kappa: the mean over two outer shares of the inner share's tail, of many tables at once.

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


# -- agreement sides
#
# Rules for phi and kappa on either side of 0, large enough for each table, and how far they may be off.
#
# Statement: two sizes of a product rule (agreement_rules.py) are held against each other at three points of the law,
# next to 0 and at the mean; while they differ the rule grows, and a lattice takes over where that does not help.
# Below 0 phi is that of the table with its answers swapped, with the sign turned; kappa takes the split by right
# answers.

REACH: Final = 9.0  # standard deviations of atanh M
MORE: Final = 8.0  # by which a probability between the points of a trial may be further off
_SCORES: Final = np.array([[-1.96], [0.0], [1.96], [-3.29], [3.29]])  # where two rules are held against each other
_ENDS: Final = 3  # of these are in the body: a rule grows until it does there
_NEAR_ZERO: Final = np.array([[0.004], [0.04]])
_BENT: Final = 1e-5  # as a probability: less is stated, but the rule need not grow for it
_CLOSE: Final = 1e-8  # in standard deviations: the smaller rule will do
_ENOUGH: Final = 1e-5  # the larger rule will do
_LARGE: Final = 5  # in the row of sizes: from here on less will do,
_POOR: Final = 1e-4  # and if the largest has not this, a lattice is tried
PLAIN: Final = 5.0  # tables with such shapes, for which few nodes are wanted, take a rule two sizes up:
_EASY: Final = 2
_SHOWN: Final = 1e-6  # it was never off by more (6e-8 in 3,000 tables), in standard deviations or as a probability
_SHOWN_FAR: Final = 1e-4  # the same for quantiles from .0005 to .9995 (1e-5 in these tables)
_INNER: Final = (8, 24)  # nodes of the inner share for moments, where shapes are ordinary or small


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

    def tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """Tail and density of atanh M, table by table."""
        if len(self.groups) == 1:
            return self.groups[0][1].tail(self._place[1][tables], h, upper)
        tail, density = np.empty(h.shape), np.empty(h.shape)
        group, row = self._place
        for k, (_, rule) in enumerate(self.groups):
            at = np.flatnonzero(group[tables] == k)
            if at.size:
                tail[at], density[at] = rule.tail(row[tables[at]], h[at], upper[at])
        return tail, density


def settled(kind: Kind, cells: Cells, right: bool = False, lattice: Mask | None = None) -> Side:
    """Rules that are large enough for each table; those for which a Gauss rule is known not to do take a lattice."""
    split, level = chosen(kind, cells, right)
    size, sign = split.size, -1.0 if right else 1.0
    made = _Settling(size)
    plain = (np.min(cells, axis=0) >= PLAIN) & (level.max(axis=1) <= _EASY) & (not right)
    plain = plain if lattice is None else plain & ~lattice
    for tables, rule in _by_size(kind, cells, split, level + 2, np.flatnonzero(plain)):
        made.trust(tables, rule)
    by_lattice = np.full(size, False) if lattice is None else lattice
    for table in np.flatnonzero(by_lattice):
        own = ProductRule(kind, _of(cells, np.array([table])), split[[table]], (0, 0))
        made.take(np.array([table]), _lattices(own, sign), np.array([True]))
    todo = np.flatnonzero(~plain & ~by_lattice)
    while todo.size:
        again = []
        for tables, rule in _by_size(kind, cells, split, level, todo, right):
            trial = _Trial(rule, _larger(rule), sign)
            last = (level[tables] >= SIZES.size - 2).all(axis=1)
            done = trial.off <= np.where(level[tables].max(axis=1) < _LARGE, _ENOUGH, _POOR)
            made.take(tables, trial, done)
            for poor in tables[last & ~done]:
                own = rule.only(np.flatnonzero(tables == poor))
                made.take(np.array([poor]), _lattices(own, sign), np.array([True]))
            again.append(tables[~done & ~last])
        todo = np.concatenate(again) if again else todo[:0]
        level[todo] = np.minimum(level[todo] + np.where(made.off[todo] > 1e-4, 2, 1)[:, None], SIZES.size - 2)
    return made.side()


class _Settling:
    """Rules found so far."""

    def __init__(self, size: int) -> None:
        self.off, self.far, self.mean_off, self.chance = (np.empty(size) for _ in range(4))
        self.moments = [np.empty(size) for _ in range(5)]
        self.groups: list[tuple[Index, ProductRule]] = []

    def take(self, tables: Index, trial: _Trial, good: Mask) -> None:
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
        for values, own in zip(self.moments, vars(rule.moments(_INNER[0])).values(), strict=True):
            values[tables] = own
        self.groups.append((tables, rule))

    def side(self) -> Side:
        return Side(tuple(self.groups), Moments(*self.moments), self.off, self.far, self.mean_off, self.chance)


def _lattices(rule: ProductRule, sign: float) -> _Trial:
    few, many = (replace(rule, nodes=(n, 0)) for n in FIBONACCI)
    return _Trial(few, many, sign)


def _of(cells: Cells, tables: Index) -> Cells:
    tp, fp, fn, tn = (x[tables] for x in cells)
    return tp, fp, fn, tn


def _larger(rule: ProductRule) -> ProductRule:
    u, v = (int(SIZES[np.searchsorted(SIZES, n) + 1]) for n in rule.nodes)
    return replace(rule, nodes=(u, v))


def _by_size(
    kind: Kind, cells: Cells, split: Index, level: Index, todo: Index, right: bool = False
) -> Iterator[tuple[Index, ProductRule]]:
    """Tables that take the same numbers of nodes, with their rule."""
    family = TruncatedRule if right else ProductRule
    code = level[todo, 0] * SIZES.size + level[todo, 1]
    for one in np.unique(code):
        tables = todo[code == one]
        tp, fp, fn, tn = (x[tables] for x in cells)
        u, v = divmod(int(one), SIZES.size)
        yield tables, family(kind, (tp, fp, fn, tn), split[tables], (int(SIZES[u]), int(SIZES[v])))


class _Trial:
    """A rule held against the next larger one."""

    def __init__(self, rule: ProductRule, larger: ProductRule, sign: float) -> None:
        self.small, self.large = rule, larger
        inner = _INNER[int(min(float(x.min()) for x in rule.cells) < _SMALL)]
        before, self.moments = rule.moments(inner), self.large.moments(inner + 4)
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
        safety = 1.0 if rule.nodes[1] else 6.0  # a lattice gains a power only, a Gauss rule gains by squares
        self.chance, ends, mean = (
            np.nan_to_num(x, nan=np.inf, posinf=np.inf) for x in (apart.max(axis=0), safety * ends, safety * mean)
        )  # MORE, which is stated of probabilities, covers a lattice too
        bent = np.where(safety * self.chance > _BENT, safety * self.chance, 0.0)
        self.off, self.far, self.mean_off = np.maximum(ends[:_ENDS].max(axis=0), bent), ends.max(axis=0), mean

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

    def __init__(self, kind: Kind, cells: Cells, lattice: Mask | None = None) -> None:
        self.kind, self.cells, self.lattice = kind, cells, lattice
        self.sides: list[Side] = []
        self.side, self.row = np.full(cells[0].size, -1), np.zeros(cells[0].size, dtype=np.intp)

    def _make(self, tables: Index) -> None:
        new = np.unique(tables[self.side[tables] < 0])
        if new.size:
            tp, fp, fn, tn = (x[new] for x in self.cells)
            phi = self.kind == "phi"
            lattice = None if self.lattice is None else self.lattice[new]
            turned = (fp, tp, tn, fn) if phi else (tp, fp, fn, tn)
            made = settled(self.kind, turned, right=not phi, lattice=lattice)
            self.side[new], self.row[new] = len(self.sides), np.arange(new.size)
            self.sides.append(made)

    def _parts(self, tables: Index) -> Iterator[tuple[Index, Side, Index]]:
        """Where the tables of one side are, that side, and their rows in it."""
        self._make(tables)
        for k in np.unique(self.side[tables]):
            at = np.flatnonzero(self.side[tables] == k)
            yield at, self.sides[k], self.row[tables[at]]

    def tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """As for a Side."""
        tail, density = np.empty(h.shape), np.empty(h.shape)
        for at, side, rows in self._parts(tables):
            tail[at], density[at] = side.tail(rows, h[at], upper[at])
        return tail, density

    def of(self, tables: Index) -> Array:
        """How far quantiles, far ones and probabilities of some tables may be off: three rows."""
        found = np.empty((3, tables.size))
        for at, side, rows in self._parts(tables):
            found[:, at] = side.off[rows], side.far[rows], side.chance[rows]
        return found
