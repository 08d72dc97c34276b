"""Counts of future items: Polya urns, and quotients of what they show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.protocol import level_tails

# -- future counts
#
# Counts of future data sets from evenly spread points, so that data sets of different sizes go together.
#
# Statement: a Dirichlet is a chain of Betas, a multinomial a chain of binomials; each link is the quantile of its law
# at one coordinate of a point in the unit cube. The same points at another n give data sets that move with n, so that
# what is averaged over them moves smoothly. Points: several shifted copies of the Kronecker sequence of the square
# roots of primes (Richtmyer 1951); the spread of the copies' averages is the error of the average over all (Cranley &
# Patterson 1976). Binomial quantiles: from the Cornish-Fisher expansion, then corrected by the cdf itself; at a
# variance above 1e5 the expansion alone, which is off by less than one count.


GROUPS: Final = 8  # shifted copies
_PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101,
                  103, 107, 109, 113, 127, 131)  # fmt: skip
MOST_DIMENSIONS: Final = len(_PRIMES)
_NORMAL: Final = 1e5  # variance from which the expansion is exact enough
_EDGE: Final = 1e-12


def points(many: int, dimensions: int, seed: int) -> Array:
    """Points in the unit cube, (many, dimensions): GROUPS shifted copies, one after the other."""
    rng = np.random.default_rng([seed, dimensions, 271_828])
    steps = np.sqrt(np.array(_PRIMES[:dimensions], dtype=float)) % 1.0
    one = np.arange(1, many // GROUPS + 1)[:, None] * steps
    shifted = np.concatenate([(one + rng.random(dimensions)) % 1.0 for _ in range(GROUPS)])
    return np.asarray(np.clip(shifted, _EDGE, 1.0 - _EDGE))


def shares(at: Array, shapes: Array) -> Array:
    """Draws of a Dirichlet, (points, cells), from points with one coordinate for each cell but the last."""
    from scipy import special

    left, out = np.ones(len(at)), np.zeros((len(at), len(shapes)))
    for i, shape in enumerate(shapes[:-1]):
        part = special.betaincinv(shape, shapes[i + 1 :].sum(), at[:, i])
        out[:, i], left = left * part, left * (1.0 - part)
    out[:, -1] = left
    return out


def counts(at: Array, n: int, chances: Array) -> Integers:
    """Counts of n items in cells of these probabilities, (points, cells); probabilities may differ by point."""
    chances = np.broadcast_to(chances, (len(at), chances.shape[-1]))
    later = np.maximum(np.cumsum(chances[:, ::-1], axis=1)[:, ::-1], 1e-300)
    left, out = np.full(len(at), n, dtype=np.int64), np.zeros(chances.shape, dtype=np.int64)
    for i in range(chances.shape[1] - 1):
        part = np.clip(chances[:, i] / later[:, i], 0.0, 1.0)
        out[:, i] = binomial_quantile(at[:, i], left, part)
        left = left - out[:, i]
    out[:, -1] = left
    return out


def binomial_quantile(u: Array, n: Integers, p: Array) -> Integers:
    """The smallest k with P(binomial <= k) >= u."""
    from scipy import special

    z, spread = special.ndtri(u), np.sqrt(n * p * (1.0 - p))
    skewed = (1.0 - 2.0 * p) * (z * z - 1.0) / 6.0
    k = np.clip(np.ceil(n * p + z * spread + skewed - 0.5), 0, n).astype(np.int64)
    inner = (p > 0.0) & (p < 1.0)
    k = np.where(inner, k, np.where(p >= 1.0, n, 0))
    busy = inner & (n > 0) & (spread * spread < _NORMAL)
    return _corrected(k, u, n, p, busy)


def _corrected(k: Integers, u: Array, n: Integers, p: Array, busy: Mask) -> Integers:
    """Moved by ones until the cdf agrees."""
    from scipy import special

    at = np.flatnonzero(busy)
    while at.size:
        here = special.bdtr(k[at].astype(float), n[at], p[at])
        below = np.where(k[at] > 0, special.bdtr(np.maximum(k[at] - 1, 0).astype(float), n[at], p[at]), 0.0)
        step = np.where(here < u[at], 1, np.where(below >= u[at], -1, 0))
        step = np.where((k[at] + step < 0) | (k[at] + step > n[at]), 0, step)
        k[at] += step
        at = at[step != 0]
    return k


def every_count(n: int, chance: float) -> tuple[Integers, Array]:
    """All numbers of hits of n trials that matter, and their probabilities; what is left out weighs under 1e-12."""
    from scipy import special

    spread = np.sqrt(n * chance * (1.0 - chance))
    low, high = np.floor(n * chance - 8.0 * spread - 20), np.ceil(n * chance + 8.0 * spread + 20)
    hits = np.arange(int(max(low, 0)), int(min(high, n)) + 1)
    logs = special.gammaln(n + 1.0) - special.gammaln(hits + 1.0) - special.gammaln(n - hits + 1.0)
    weights = np.exp(logs + special.xlogy(hits, chance) + special.xlog1py(n - hits, -chance))
    return hits, weights / weights.sum()


def every_mixed_count(n: int, hit: float, miss: float) -> tuple[Integers, Array]:
    """The same where the chance of a hit has a Beta law: the Beta-binomial."""
    from scipy import special

    hits = np.arange(n + 1)
    logs = special.gammaln(n + 1.0) - special.gammaln(hits + 1.0) - special.gammaln(n - hits + 1.0)
    weights = np.exp(logs + special.betaln(hits + hit, n - hits + miss) - special.betaln(hit, miss))
    kept = weights > 1e-16
    return hits[kept], weights[kept] / weights[kept].sum()


# -- polya
#
# Pólya's urn: how often the next items fall into a group, and its distribution function along a line of test sizes.
#
# Statement: of the next n items X fall into a group of shape a, and n - X into one of shape b:
# P(X = x) = C(n, x)·B(a + x, b + n - x)/B(a, b), the Beta-binomial (Pólya & Eggenberger 1923).
# One more item: P(X' <= k) = P(X <= k) - P(X = k)·(a + k)/(a + b + m), so that along any line of (m, k_m) whose k rises
# by 0 or 1 at each step all P(X_m <= k_m) come from one running sum, and all P(X_m = k_m) from a running product.
# Domain: shapes above 0 up to 1e12; n up to 1e6.
# Error: of a probability below 1e-13·log(n) plus n rounding errors of the running sum (tests/reference/test_polya.py).


def beta_binomial(n: int, a: Array, b: Array) -> Array:
    """P(X = x) for x = 0 … n along the last axis, of shapes a and b; by ratios of neighbours, from the largest down."""
    a, b = np.asarray(a, dtype=float)[..., None], np.asarray(b, dtype=float)[..., None]
    x = np.arange(n, dtype=float)
    steps = np.log((n - x) / (x + 1.0)) + np.log((a + x) / (b + (n - 1.0 - x)))
    logs = np.concatenate([np.zeros((*steps.shape[:-1], 1)), np.cumsum(steps, axis=-1)], axis=-1)
    mass = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(mass / mass.sum(axis=-1, keepdims=True))


def cdf_along(k: Integers, a: Array, b: Array, first: int = 0) -> Array:
    """P(X_m <= k_m) for m = first, first + 1, … along the last axis of k.

    0 <= k_m <= m, and k rises by 0 or 1 at each step.
    """
    chance, below = _start(k[..., 0], a, b, first)
    a, b = np.asarray(a, dtype=float)[..., None], np.asarray(b, dtype=float)[..., None]
    m, before, rises = first + np.arange(k.shape[-1] - 1.0), k[..., :-1], np.diff(k, axis=-1) > 0
    goes = (a + before) / (a + b + m)  # P(the next item falls into the group), at k_m
    stays = (b + (m - before)) / (a + b + m)
    ratio = np.where(rises, (m + 1.0) / (before + 1.0) * goes, (m + 1.0) / (m + 1.0 - before) * stays)
    after = chance[..., None] * np.exp(np.cumsum(np.log(ratio), axis=-1))  # P(X = k) at m + 1
    here = np.concatenate([chance[..., None], after[..., :-1]], axis=-1)
    change = np.where(rises, after, 0.0) - here * goes
    whole = np.concatenate([below[..., None], below[..., None] + np.cumsum(change, axis=-1)], axis=-1)
    return np.asarray(np.clip(whole, 0.0, 1.0))


def _start(k: Integers, a: Array, b: Array, m: int) -> tuple[Array, Array]:
    """P(X_m = k) and P(X_m <= k)."""
    if not m:
        return np.ones(k.shape), np.ones(k.shape)
    mass = beta_binomial(m, a, b)
    at = k[..., None]
    full = (*k.shape, m + 1)
    chance, below = (
        np.take_along_axis(np.broadcast_to(x, full), at, axis=-1) for x in (mass, np.cumsum(mass, axis=-1))
    )
    return chance[..., 0], below[..., 0]


# -- urn quotient
#
# The score that the next n items will show, where it is a quotient of counts in two or three groups: its exact law.
#
# Statement: the next counts of groups with Gamma shapes are those of Pólya's urn (Dirichlet-multinomial), and groups
# put together stay so. Of three groups one is outer: m items fall outside it, by a Beta-binomial, and of these m the
# count of the high group is Beta-binomial again. The score rises with that count, so that P(score <= t) = Σ_m
# P(m)·P(X_m <= k_m(t)), all terms from one running sum along the line k_m(t) (distributions/future_counts.py). The
# outer group is one that the score leaves out (items without a part in F1), or the middle one of three with the same
# denominator (a difference of two systems in right answers): k_m then rises by 0 or 1 with m. Where it is left out,
# no item at all may have a part: the score is 0/0, and the law is given that it is not.
# Domain: n up to 1e6, shapes 1e-3 to 1e12; coefficients whose sums are exact in doubles, denominators above 0.
# Error: 1e-12 of a probability; quantiles are values that the score can take.


ERROR: Final = 1e-12
CHUNK: Final = 2_000_000  # numbers of a line at a time
_OFFSETS: Final = np.array([-0.25, -0.06, -0.012, 0.012, 0.06, 0.25])  # around where a quantile is looked for
_FIRST: Final = np.arange(1.0, 16.0) / 16.0
_ROUNDS: Final = 60
_SLACK: Final = 1e-13
_NO_MASS: Final = 1e-19  # a number of items so unlikely is left out


class Group(NamedTuple):
    """Items that count alike: the shape of their Gamma, and what one adds above and below the line."""

    shape: Array
    top: float
    bottom: float


@dataclass(frozen=True, eq=False)
class UrnQuotient:
    """The law over the next `size` items; `outer` is None where all of them fall into the other two groups."""

    size: int
    high: Group
    low: Group
    outer: Group | None = None

    @property
    def n(self) -> None:
        """Nothing is drawn."""

    @property
    def floor(self) -> float:
        return 0.0

    @cached_property
    def shape(self) -> tuple[int, ...]:
        groups = (self.high, self.low) if self.outer is None else (self.high, self.low, self.outer)
        return np.broadcast_shapes(*(np.shape(g.shape) for g in groups))

    @property
    def lower(self) -> float:
        return self.low.top / self.low.bottom

    @property
    def upper(self) -> float:
        return self.high.top / self.high.bottom

    # -- counts

    @cached_property
    def _inside(self) -> Array:
        """P(m items outside the outer group), m = 0 … n, along the last axis."""
        assert self.outer is not None  # noqa: S101 - narrows the type
        return beta_binomial(self.size, np.asarray(self.high.shape + self.low.shape), self.outer.shape)

    @property
    def _left_out(self) -> bool:
        """Whether the outer group has no part in the score."""
        return self.outer is not None and self.outer.bottom == 0.0

    @cached_property
    def undefined(self) -> Array:
        """P(no item has a part in the score)."""
        return np.asarray(self._inside[..., 0]) if self._left_out else np.zeros(self.shape)

    @cached_property
    def _weights(self) -> Array:
        """P(m) given that the score is defined."""
        if not self._left_out:
            return self._inside
        mass = self._inside.copy()
        mass[..., 0] = 0.0
        return np.asarray(mass / mass.sum(axis=-1, keepdims=True))

    def _value(self, x: Array, m: Array) -> Array:
        """The score with x items in the high group and m outside the outer one; 0/0 where there is none."""
        top, bottom = (self.high[i] * x + self.low[i] * (m - x) for i in (1, 2))
        if self.outer is not None and not self._left_out:
            top, bottom = top + self.outer.top * (self.size - m), bottom + self.outer.bottom * (self.size - m)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(top / bottom)

    def _most(self, t: Array, m: Array) -> Array:
        """The largest count in the high group with a score of at most t, -1 if there is none; t has a last axis."""
        w1, w2 = (g.top - t * g.bottom for g in (self.high, self.low))
        rest = 0.0 if self.outer is None else (self.outer.top - t * self.outer.bottom) * (self.size - m)
        with np.errstate(invalid="ignore", divide="ignore"):
            k = np.clip(np.floor(-(w2 * m + rest) / np.where(w1 > w2, w1 - w2, 1.0)), -1.0, m)
        k = np.where(self._value(np.minimum(k + 1.0, m), m) <= t, np.minimum(k + 1.0, m), k)
        k = np.where(self._value(np.maximum(k, 0.0), m) > t, k - 1.0, k)
        return np.where(t >= self.upper, m, np.where(t < self.lower, -1.0, np.clip(k, -1.0, m)))

    # -- functions

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        full = np.broadcast_shapes(np.shape(t), self.shape)
        if self.outer is None:
            below = self._of_table(np.broadcast_to(t, full))
        else:
            below = self._along_lines(np.broadcast_to(t, full))
        below = np.clip(below, 0.0, 1.0)
        return below, 1.0 - below

    @cached_property
    def _table(self) -> Array:
        """P(X <= x), x = 0 … n, where there are two groups only."""
        return np.cumsum(beta_binomial(self.size, self.high.shape, self.low.shape), axis=-1)

    def _of_table(self, t: Array) -> Array:
        k = self._most(t[..., None], np.array([float(self.size)]))[..., 0].astype(np.int64)
        table = np.broadcast_to(self._table, (*t.shape, self.size + 1))
        found = np.take_along_axis(table, np.maximum(k, 0)[..., None], axis=-1)[..., 0]
        return np.where(k < 0, 0.0, np.where(k >= self.size, 1.0, found))

    @cached_property
    def _window(self) -> tuple[int, int]:
        """The first and the last m that matter to any table; what is left out is far below the error."""
        kept = np.flatnonzero((self._weights > _NO_MASS).reshape(-1, self.size + 1).any(axis=0))
        return int(kept[0]), int(kept[-1]) + 1

    def _along_lines(self, t: Array) -> Array:
        """The double sum, some points at a time."""
        first, last = self._window
        m, step = np.arange(float(first), float(last)), max(1, CHUNK // last)
        flat, out = t.reshape(-1), np.empty(t.size)
        a, b, weights = self.high.shape, self.low.shape, self._weights[..., first:last]
        if self.shape:  # every point with its own table
            a, b = (np.broadcast_to(x, t.shape).reshape(-1) for x in (a, b))
            weights = np.broadcast_to(weights, (*t.shape, last - first)).reshape(t.size, -1)
        for i in range(0, flat.size, step):
            here: Any = slice(i, i + step) if self.shape else ()
            k = self._most(flat[i : i + step, None], m)
            along = cdf_along(np.maximum(k, 0.0).astype(np.int64), a[here], b[here], first)
            out[i : i + step] = (weights[here] * np.where(k < 0, 0.0, along)).sum(axis=-1)
        return out.reshape(t.shape)

    # -- quantiles: values that the score can take

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        del q
        full = np.broadcast_shapes(np.shape(p), self.shape)
        wanted = np.broadcast_to(np.asarray(p) - _SLACK, full)  # a sum that rounds to just below p has reached it
        value = (self._by_table if self.outer is None else self._by_search)(wanted)
        return value, value - self.lower, self.upper - value

    def _by_table(self, p: Array) -> Array:
        short = (self._table < p[..., None]).sum(axis=-1)
        return self._value(np.minimum(short, self.size).astype(float), np.asarray(float(self.size)))

    def _by_search(self, p: Array) -> Array:
        """The smallest value whose P(<=) is p or more: a bracket around it first, then the next value in it."""
        low, high = np.full(p.shape, np.nextafter(self.lower, -np.inf)), np.full(p.shape, self.upper)
        left, right, place = np.zeros(p.shape), np.ones(p.shape), _spread(_FIRST, p)
        narrow = (self.upper - self.lower) / (2.0 * self.size * max(self.high.bottom, self.low.bottom)) ** 2
        for _ in range(_ROUNDS):
            t = low + place * (high - low)
            for at, found in zip(t, self.tails(t)[0], strict=True):
                less, more = (found < p) & (at > low), (found >= p) & (at < high)
                low, left = np.where(less, at, low), np.where(less, found, left)
                high, right = np.where(more, at, high), np.where(more, found, right)
            if np.all(high - low <= narrow):
                break
            guess = (p - left) / np.where(right > left, right - left, 1.0)
            place = np.clip(guess + _spread(_OFFSETS, p), 0.01, 0.99)
        value = self._next(low)
        while (short := (value < high) & (self.tails(value)[0] < p)).any():
            value = np.where(short, self._next(value), value)
        return np.minimum(value, self.upper)

    def _next(self, t: Array) -> Array:
        """The next value above t that the score can take."""
        m = np.arange(*(float(x) for x in self._window))
        k = self._most(t[..., None], m) + 1.0
        return np.asarray(np.where(k <= m, self._value(np.minimum(k, m), m), np.inf).min(axis=-1))

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        value, below, above = self.quantile(*level_tails(level, self.shape))
        return value[0], value[1], below[0], above[1]

    def median(self) -> Array:
        half = np.asarray(0.5)
        return self.quantile(half, half)[0]

    def signs(self) -> tuple[Array, Array]:
        """P(score > 0) and P(score < 0), ties shared."""
        above = self.tails(np.zeros(()))[1]
        below = self.tails(np.asarray(np.nextafter(0.0, -1.0)))[0]
        tied = 1.0 - above - below
        return above + tied / 2, below + tied / 2

    # -- moments

    def mean(self) -> Array:
        return self._moments[0]

    def std(self) -> Array:
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        if self.outer is None:
            x = np.arange(self.size + 1.0)
            return _mean_and_std(
                beta_binomial(self.size, self.high.shape, self.low.shape), self._value(x, np.asarray(float(self.size)))
            )
        if self._left_out and self.high.bottom == self.low.bottom:
            return self._of_shares()
        a, b = (np.broadcast_to(g.shape, self.shape).reshape(-1) for g in (self.high, self.low))
        weights = np.broadcast_to(self._weights, (*self.shape, self.size + 1)).reshape(a.size, -1)
        found = np.array([self._summed(*x) for x in zip(a, b, weights, strict=True)]).reshape(*self.shape, 2)
        return found[..., 0], found[..., 1]

    def _of_shares(self) -> tuple[Array, Array]:
        """Of a share of m items, whose mean does not depend on m."""
        total = np.asarray(self.high.shape + self.low.shape, dtype=float)
        share, other = self.high.shape / total, self.low.shape / total
        inverse = (self._weights[..., 1:] / np.arange(1.0, self.size + 1.0)).sum(axis=-1)
        spread = np.sqrt(share * other / (total + 1.0) * (1.0 + total * inverse))
        mean = (self.high.top * share + self.low.top * other) / self.low.bottom
        return mean, (self.high.top - self.low.top) / self.low.bottom * spread

    def _summed(self, a: float, b: float, weights: Array) -> tuple[float, float]:
        """Over all counts of one table: conditional on each m that matters."""
        kept = np.flatnonzero(weights > _NO_MASS)
        one = two = 0.0
        middle = self._value(np.asarray(a / (a + b)) * weights.argmax(), np.asarray(float(weights.argmax())))
        middle = np.where(np.isfinite(middle), middle, self.lower)
        for m in kept.tolist():
            mass = beta_binomial(m, np.asarray(a), np.asarray(b))
            away = self._value(np.arange(m + 1.0), np.asarray(float(m))) - middle
            one += weights[m] * float(mass @ away)
            two += weights[m] * float(mass @ away**2)
        return float(middle) + one, float(np.sqrt(max(two - one * one, 0.0)))

    # -- a law of steps has no density

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        raise NotImplementedError

    def mode(self) -> Array:
        raise NotImplementedError

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        raise NotImplementedError

    # -- accuracy

    @property
    def error(self) -> tuple[Array, Array]:
        width = self.upper - self.lower
        return np.full(self.shape, ERROR * width), np.full(self.shape, ERROR)

    def mean_error(self) -> Array:
        return self.error[0]

    def standard_error(self) -> Array:
        return np.zeros(self.shape)

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        del level, shortest
        return self.error[0], self.error[0]


def _mean_and_std(mass: Array, value: Array) -> tuple[Array, Array]:
    mean = (mass * value).sum(axis=-1)
    return mean, np.sqrt((mass * (value - mean[..., None]) ** 2).sum(axis=-1))


def _spread(x: Array, like: Array) -> Array:
    """Points along a new first axis."""
    return x.reshape(-1, *[1] * like.ndim)
