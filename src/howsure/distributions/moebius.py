"""Möbius images of one Beta: precision, recall, F1 and all other quotients of two groups."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta, highest_density, quadrature
from howsure.distributions.continuous import WithMoments
from howsure.distributions.exact import linear
from howsure.distributions.protocol import Pick, Transform

# -- batches
#
# Large batches: tables that repeat are computed once, and the rest is shared among the cores.
#
# Statement: slices of small counts have few distinct shapes, and the ufuncs of scipy release Python's lock, so threads
# share the work. Domain: laws that act on each table by itself. Error: none; the numbers are the same.


MANY: Final = 20_000  # tables from which it pays
_PIECE: Final = 50_000
_MIXED: Final = 0.6180339887498949


def distinct(a: Array, b: Array) -> tuple[Array, Array, Index] | None:
    """The distinct pairs and where each table finds its own; None where too few repeat."""
    if a.size < MANY or a.ndim != 1 or a.shape != b.shape:
        return None
    mixed = np.sort(a + _MIXED * b)  # far quicker to sort than pairs, and hardly ever equal where these are not
    if 2 * np.count_nonzero(mixed[1:] != mixed[:-1]) > a.size:
        return None
    pairs, inverse = np.unique(a + 1j * b, return_inverse=True)
    if pairs.size > a.size // 2:
        return None
    return pairs.real.copy(), pairs.imag.copy(), inverse.reshape(-1)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_pieces(work: Callable[[Array, Array], tuple[Array, ...]], a: Array, b: Array) -> tuple[Array, ...]:
    """work(a, b) with the tables dealt out to the cores; results have the tables on their last axis."""
    if a.size < 2 * _PIECE or a.ndim != 1 or a.shape != b.shape or cores() == 1:
        return work(a, b)
    cuts = range(0, a.size, _PIECE)
    with ThreadPoolExecutor(cores()) as pool:
        parts = list(pool.map(lambda i: work(a[i : i + _PIECE], b[i : i + _PIECE]), cuts))
    return tuple(np.concatenate(x, axis=-1) for x in zip(*parts, strict=True))


# -- moebius
#
# The law of a linear quotient of two groups of cells: a Möbius map of one Beta variable.
#
# Statement: M = (u1·X + u2·Y)/(v1·X + v2·Y) with independent Gammas X (shape a) and Y (shape b). With
# B = X/(X+Y) ~ Beta(a, b), M is a Möbius map of B: precision, recall, accuracy, Jaccard, and F1, which has
# B ~ Beta(tp, fp+fn) and F1 = 2B/(1+B) (Goutte & Gaussier 2005, eq. 11, who call its law unknown).
# Where a unit of X weighs more than one of Y, u1 and v1 are times that ratio; the range stays what it is.
# Domain: v1, v2 >= 0, not both 0; the groups are ordered so that M rises with B.
# Formula: t is mapped to a pair of shares by error-free linear forms; everything else is kernels.beta.
# Error: that of the incomplete beta; see tests/reference.


_SERIES_BELOW = 0.75
_CONVERGED = 1e-13


@dataclass(frozen=True, eq=False)
class Moebius(WithMoments):
    """Beta(a, b) seen through (u1·x + u2·y)/(v1·x + v2·y), rising in x."""

    a: Array
    b: Array
    u1: float
    v1: float
    u2: float
    v2: float
    tilt: Array | None = None  # the weight of a unit of X over that of Y, of each table; 1 without

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return self.a.shape

    @cached_property
    def lower(self) -> float:
        return self.u2 / self.v2 if self.v2 else -np.inf

    @cached_property
    def upper(self) -> float:
        return self.u1 / self.v1 if self.v1 else np.inf

    @property
    def unimodal(self) -> bool:
        """Whether every density of the batch has one inner peak and vanishes at both ends."""
        return bool(np.all(self.a > 1) and np.all(self.b > 1))

    @property
    def searched(self) -> bool:
        return False

    @cached_property
    def _top(self) -> Array | float:
        return self.u1 if self.tilt is None else self.u1 * self.tilt

    @cached_property
    def _bottom(self) -> Array | float:
        return self.v1 if self.tilt is None else self.v1 * self.tilt

    @cached_property
    def _det(self) -> Array | float:
        det = self.u1 * self.v2 - self.u2 * self.v1
        return det if self.tilt is None else det * self.tilt

    def _shares(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array, Array, Array]:
        """(x, y) with M(x, y) = t, and the two linear forms they come from."""
        inside = np.clip(t, self.lower, self.upper)
        finite = np.where(np.isfinite(inside), inside, 0.0)
        low = np.where(inside == t, t_low, 0.0)
        n = np.maximum(linear(-self.u2, self.v2, finite, low), 0.0)
        d = np.maximum(linear(self.u1, -self.v1, finite, low), 0.0)
        d = d if self.tilt is None else d * self.tilt
        n = np.where(inside == np.inf, 1.0, np.where(inside == -np.inf, 0.0, n))
        d = np.where(inside == np.inf, 0.0, np.where(inside == -np.inf, 1.0, d))
        total = n + d
        return n / total, d / total, n, d

    def value(self, x: Array, y: Array) -> Array:
        """M at the shares (x, y)."""
        with np.errstate(divide="ignore"):
            return np.asarray((self._top * x + self.u2 * y) / (self._bottom * x + self.v2 * y))

    def gaps(self, x: Array, y: Array) -> tuple[Array, Array]:
        """M minus its lower end, and its upper end minus M, each to relative precision."""
        bottom = self._bottom * x + self.v2 * y
        with np.errstate(divide="ignore", invalid="ignore"):
            below = self._det * x / (self.v2 * bottom) if self.v2 else np.full_like(x, np.inf)
            above = self._det * y / (self._bottom * bottom) if self.v1 else np.full_like(y, np.inf)
        return below, above

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        x, y, _, _ = self._shares(t, t_low)
        return beta.tails(self.a, self.b, x, y)

    def above(self, t: float, p: float) -> Mask:
        """Where P(M > t) is p or more: by Cantelli's inequality where that tells, else by the tail."""
        x = np.broadcast_to(self._shares(np.asarray(t))[0], self.shape)
        total = self.a + self.b
        gap = self.a / total - x
        spread = self.a * self.b / (total * total * (total + 1.0))
        found = (gap > 0) & (gap * gap * (1.0 - p) >= p * spread)
        open_ones = ~found & ~((gap < 0) & (gap * gap * p > (1.0 - p) * spread))
        tilt = None if self.tilt is None else np.broadcast_to(self.tilt, self.shape)[open_ones]
        few = replace(self, a=self.a[open_ones], b=self.b[open_ones], tilt=tilt)
        found[open_ones] = few.tails(np.asarray(t))[1] >= p
        return found

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        x, y, n, d = self._shares(t, t_low)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            inner = np.exp(beta.log_density(self.a, self.b, x, y)) * self._det / (n * d)
            at_low = _edge(self.a, self.b, self.v2 / d) if self.v2 else np.zeros(())
            at_high = _edge(self.b, self.a, self._bottom / n) if self.v1 else np.zeros(())
        value = np.where(n == 0, at_low, np.where(d == 0, at_high, inner))
        return np.where((t < self.lower) | (t > self.upper), 0.0, value)

    @cached_property
    def _few(self) -> tuple[Moebius, Index] | None:
        """The distinct tables of a large batch, and the place of each table among them."""
        found = distinct(self.a, self.b) if self.tilt is None else None
        return None if found is None else (replace(self, a=found[0], b=found[1]), found[2])

    def quantile_shares(self, p: Array, q: Array) -> tuple[Array, Array]:
        if np.ndim(p) and np.shape(p)[-1] != 1:
            return beta.quantile(self.a, self.b, p, q)
        if self._few is not None:
            few, place = self._few
            x, y = few.quantile_shares(p, q)
            return x[..., place], y[..., place]
        x, y = in_pieces(lambda a, b: beta.quantile(a, b, p, q), self.a, self.b)
        return x, y

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        """The point with lower tail p and upper tail q, and its gaps to both ends of the range."""
        x, y = self.quantile_shares(p, q)
        below, above = self.gaps(x, y)
        return self.value(x, y), below, above

    def mean(self) -> Array:
        """Closed for equal bottoms; else a positive hypergeometric series, or quadrature near its radius."""
        if self._few is not None:
            return self._few[0].mean()[self._few[1]]
        s = self.a + self.b
        if self.v1 == self.v2 and self.tilt is None:
            return np.asarray((self.u1 * self.a + self.u2 * self.b) / (self.v1 * s))
        if min(self.v1, self.v2) == 0:
            return self._mean_with_pole()
        if self.tilt is not None:
            return self._centred(1)
        big, small = max(self.v1, self.v2), min(self.v1, self.v2)
        if 1 - small / big > _SERIES_BELOW:
            return self._centred(1)
        return self._mean_series(1 - small / big)

    def _mean_series(self, rho: float) -> Array:
        """E[x/(v1·x + v2·y)] = a/(a+b)·F(1, b; a+b+1; rho)/v1 for v1 > v2, and its mirror image."""
        s = self.a + self.b
        near, far = (self.a, self.b) if self.v1 > self.v2 else (self.b, self.a)
        total = np.ones_like(s)
        for k in range(int(np.ceil(-38 / np.log(rho))), -1, -1):
            total = 1.0 + total * rho * (far + k) / (s + 1 + k)
        part = near / s * total * np.abs(self._det) / (self.v1 * self.v2)
        return np.asarray(self.lower + part if self.v1 > self.v2 else self.upper - part)

    def _mean_with_pole(self) -> Array:
        """Odds-like quotients: E[x/y] = a/(b-1), infinite when b <= 1."""
        if self.v1 == 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(self.b > 1, self.a / (self.b - 1), np.inf)
            return np.asarray(self.lower + self._top / self.v2 * ratio)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.a > 1, self.b / (self.a - 1), np.inf)
        return np.asarray(self.upper + self.u2 / self._bottom * ratio)

    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Mean and standard deviation of g(M), by quadrature; g grows like M^growth."""
        del growth
        a, b = self.a.ravel(), self.b.ravel()
        x, y, weight, _ = quadrature.beta_nodes(a, b, 288)
        value = g(self._spread().value(x, y))
        value = np.where(weight > 0, value, 0.0)
        mean = (weight * value).sum(axis=-1)
        var = (weight * (value - mean[:, None]) ** 2).sum(axis=-1)
        return mean.reshape(self.shape), np.sqrt(var).reshape(self.shape)

    def std(self) -> Array:
        """Closed for equal bottoms and for odds; else the centred second moment by quadrature."""
        if self._few is not None:
            return self._few[0].std()[self._few[1]]
        a, b, s = self.a, self.b, self.a + self.b
        if self.v1 == self.v2 and self.tilt is None:
            return np.asarray(np.abs(self._det) / self.v1**2 * np.sqrt(a / s * (b / s) / (s + 1)))
        if min(self.v1, self.v2) == 0:
            up, down = (a, b) if self.v1 == 0 else (b, a)
            size = np.abs(self._det) / np.maximum(self._bottom, self.v2) ** 2
            with np.errstate(divide="ignore", invalid="ignore"):
                sd = np.sqrt(up * (up + down - 1) / (down - 2)) / (down - 1)
            return np.asarray(np.where(down > 2, size * sd, np.inf))
        return np.sqrt(self._centred(2))

    def _centred(self, order: int) -> Array:
        """The mean (order 1) or the central second moment (order 2) on the logit nodes of the Beta law."""
        out = np.empty(self.a.size)
        a, b = self.a.ravel(), self.b.ravel()
        usual = self.tilt is None and np.minimum(a, b).min(initial=1.0) >= 0.4  # a tilt puts a bend far from the middle
        nodes = 80 if usual else 288
        for part in quadrature.chunks(a.size, nodes):
            x, y, weight, _ = quadrature.beta_nodes(a[part], b[part], nodes)
            m, rest = (a / (a + b))[part, None], (b / (a + b))[part, None]
            law = self._spread(part)
            centre = law.value(m, rest)
            below = [law._bottom * p + law.v2 * q for p, q in ((x, y), (m, rest))]
            away = law._det * (x * rest - y * m) / (below[0] * below[1])
            first = (weight * away).sum(axis=-1)
            if order == 1:
                out[part] = centre[:, 0] + first
            else:
                out[part] = (weight * (away - first[:, None]) ** 2).sum(axis=-1)
        return out.reshape(self.shape)

    def _spread(self, part: slice = slice(None)) -> Moebius:
        """The map of some tables, flat, whose shares have one more axis of nodes."""
        return (
            self
            if self.tilt is None
            else replace(self, tilt=np.broadcast_to(self.tilt, self.shape).ravel()[part, None])
        )

    def _stationary(self) -> tuple[Array, Array, Array]:
        """Roots in x of the derivative of the log density on M's scale, and the number within (0, 1).

        (a-1)(1-x)(v2+cx) - (b-1)x(v2+cx) + 2c·x(1-x) = 0 with c = v1 - v2.
        """
        c = self._bottom - self.v2
        a1, b1 = self.a - 1.0, self.b - 1.0
        k0 = a1 * self.v2
        k1 = a1 * (c - self.v2) - b1 * self.v2 + 2 * c
        k2 = -(a1 + b1 + 2.0) * c
        if self.tilt is None and c == 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                root = np.where(k1 != 0, -k0 / k1, np.nan)
            inside = (root > 0) & (root < 1)
            return root, np.full_like(root, np.nan), inside.astype(float)
        disc = k1 * k1 - 4 * k2 * k0
        with np.errstate(divide="ignore", invalid="ignore"):
            big = -0.5 * (k1 + np.where(k1 >= 0, 1.0, -1.0) * np.sqrt(np.where(disc >= 0, disc, np.nan)))
            r1, r2 = big / k2, k0 / big
        count = sum(((r > 0) & (r < 1)).astype(float) for r in (r1, r2))
        return r1, r2, np.asarray(count)

    def slope(self, x: Array, y: Array) -> Array:
        """Derivative of the log density (on M's scale) with respect to the logit of x."""
        c = self._bottom - self.v2
        return np.asarray((self.a - 1) * y - (self.b - 1) * x + 2 * c * x * y / (self._bottom * x + self.v2 * y))

    def mode(self) -> Array:
        """The inner mode when there is one, else the end with the higher density (Goutte, after eq. 9)."""
        r1, r2, _ = self._stationary()
        best = np.full(self.shape, np.nan)
        height = np.full(self.shape, -np.inf)
        for r in (r1, r2):
            ok = (r > 0) & (r < 1)
            x = np.where(ok, r, 0.5)
            h = 1e-4 * np.minimum(x, 1 - x)
            peak = ok & (self.slope(x - h, 1 - x + h) > 0) & (self.slope(x + h, 1 - x - h) < 0)
            log_pdf = beta.log_density(self.a, self.b, x, 1 - x) + 2 * np.log(self._bottom * x + self.v2 * (1 - x))
            log_pdf = log_pdf - np.log(x) - np.log1p(-x)
            better = peak & (log_pdf > height)
            best, height = np.where(better, x, best), np.where(better, log_pdf, height)
        inner = self.value(np.nan_to_num(best, nan=0.5), 1 - np.nan_to_num(best, nan=0.5))
        at_end = np.isnan(best) | self._unbounded_both
        return np.where(at_end, self._edge_mode(), inner) if at_end.any() else inner

    def _edge_mode(self) -> Array:
        low, high = self.pdf(np.full(self.shape, self.lower)), self.pdf(np.full(self.shape, self.upper))
        flat = (self.a == 1) & (self.b == 1) & np.equal(self._bottom, self.v2)
        to_low = (low > high) | ((low == high) & (self.a <= self.b))
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (self.lower + self.upper)
        return np.where(flat, middle, np.where(to_low, self.lower, self.upper))

    @property
    def _unbounded_both(self) -> Mask:
        """Whether the density has no upper bound at either end."""
        return (self.a < 1) & (self.b < 1) & bool(self.v1 and self.v2)

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        if log_scale:
            return super().shortest(level, log_scale)
        x1, x2, rest = self._shortest_shares(level)
        low, high = np.atleast_1d(self.value(x1, 1 - x1)), np.atleast_1d(self.value(x2, 1 - x2))
        wild = self._unbounded_both
        search = np.atleast_1d(rest & ~wild)
        if search.any():
            part = self.rows(search if self.shape else np.asarray(True), self.shape)
            low[search], high[search] = highest_density.shortest(part, level)
        return low.reshape(self.shape), high.reshape(self.shape), wild

    def _shortest_shares(self, level: float) -> tuple[Array, Array, Mask]:
        """Shares of the shortest interval (x at both ends) by Newton, and where it needs the general search."""
        _, _, count = self._stationary()
        falls = (self.a <= 1) & (self.b >= 1) & (count == 0)
        rises = (self.b <= 1) & (self.a >= 1) & (count == 0) & ~falls
        inner = (self.a > 1) & (self.b > 1)
        low, high, ok = _newton(self, level, inner)
        one = np.full(self.shape, level)
        rest = np.full(self.shape, 1 - level)
        top = self.quantile_shares(one, rest)[0] if falls.any() else np.ones(self.shape)
        bottom = self.quantile_shares(rest, one)[0] if rises.any() else np.zeros(self.shape)
        low = np.where(falls, 0.0, np.where(rises, bottom, low))
        high = np.where(falls, top, np.where(rises, 1.0, high))
        return low, high, ~(falls | rises | (inner & ok))

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Moebius:
        tilt = None if self.tilt is None else np.broadcast_to(self.tilt, shape)[pick]
        a, b = (np.broadcast_to(x, shape)[pick] for x in (self.a, self.b))
        return replace(self, a=a, b=b, tilt=tilt)


def _edge(a: Array, b: Array, slope: Array | float) -> Array:
    """The density at the end where the first share is 0: infinite, finite or 0 as a is below, at or above 1."""
    return np.where(a < 1, np.inf, np.where(a > 1, 0.0, b * slope))


def _newton(law: Moebius, level: float, use: Mask) -> tuple[Array, Array, Mask]:
    """Solve F(high) - F(low) = level with equal densities, in the logits of both ends."""
    low, high = np.zeros(law.shape), np.ones(law.shape)
    ok = np.zeros(law.shape, dtype=bool)
    if not use.any():
        return low, high, ok
    part = law.rows(use, law.shape)
    tail = np.full(part.shape, 0.5 * (1 - level))
    x1, y1 = part.quantile_shares(tail, 1 - tail)
    x2, y2 = part.quantile_shares(1 - tail, tail)
    done = np.zeros(part.shape, dtype=bool)
    for _ in range(14):
        x1, y1, x2, y2, size = _newton_step(part, level, x1, y1, x2, y2)
        done |= size < _CONVERGED
        if done.all():
            break
    low[use], high[use], ok[use] = x1, x2, done | (size < 1e-9)
    return low, high, ok


def _newton_step(
    law: Moebius, level: float, x1: Array, y1: Array, x2: Array, y2: Array
) -> tuple[Array, Array, Array, Array, Array]:
    a, b = law.a, law.b
    with np.errstate(all="ignore"):
        log1, log2 = beta.log_density(a, b, x1, y1), beta.log_density(a, b, x2, y2)
        f1, f2 = np.exp(log1), np.exp(log2)
        mass = 1.0 - level - beta.tails(a, b, x1, y1)[0] - beta.tails(a, b, x2, y2)[1]
        bottom1, bottom2 = (law._bottom * x + law.v2 * y for x, y in ((x1, y1), (x2, y2)))
        tilt = log2 - log1 - np.log(x2 * y2 / (x1 * y1)) + 2 * np.log(bottom2 / bottom1)
        s1, s2 = law.slope(x1, y1), law.slope(x2, y2)
        det = -f1 * s2 + f2 * s1
        d1 = (-mass * s2 + tilt * f2) / det
        d2 = (f1 * tilt - s1 * mass) / det
        sd = np.sqrt((a + b) / (a * b)) + 1e-300
        d1, d2 = np.clip(d1, -sd, sd), np.clip(d2, -sd, sd)
        o1, o2 = x1 / y1 * np.exp(d1), x2 / y2 * np.exp(d2)
        size = np.maximum(np.abs(d1), np.abs(d2)) / sd
    size = np.where(np.isfinite(size), size, 1.0)
    return o1 / (1 + o1), 1 / (1 + o1), o2 / (1 + o2), 1 / (1 + o2), size
