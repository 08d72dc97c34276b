"""The score that the next n items will show, where it is a quotient of counts in two or three groups: its exact law.

Statement: the next counts of groups with Gamma shapes are those of Pólya's urn (Dirichlet-multinomial), and groups put
together stay so. Of three groups one is outer: m items fall outside it, by a Beta-binomial, and of these m the count of
the high group is Beta-binomial again. The score rises with that count, so that
P(score <= t) = Σ_m P(m)·P(X_m <= k_m(t)), all terms from one running sum along the line k_m(t) (kernels/polya.py).
The outer group is one that the score leaves out (items without a part in F1), or the middle one of three with the same
denominator (a difference of two systems in right answers): k_m then rises by 0 or 1 with m. Where it is left out, no
item at all may have a part: the score is 0/0, and the law is given that it is not.
Domain: n up to 1e6, shapes 1e-3 to 1e12; coefficients whose sums are exact in doubles, denominators above 0.
Error: 1e-12 of a probability; quantiles are values that the score can take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.law import level_tails
from howsure.kernels.polya import beta_binomial, cdf_along

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
