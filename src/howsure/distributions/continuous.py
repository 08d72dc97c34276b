"""The base of continuous distributions: quantiles that are checked by the cdf, moments and intervals from a cdf."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from howsure.arrays import Array, Mask
from howsure.distributions import beta, highest_density
from howsure.distributions.protocol import Law, Pick, Steppable, Transform, level_tails
from howsure.distributions.scale import LAST, Scale, normal_score

if TYPE_CHECKING:
    from howsure.distributions.low_end import Powers

# -- quantiles
#
# Quantiles of a law whose tail and density come together, by safeguarded Newton steps.
#
# Statement: steps on the log of the smaller tail, or on its normal score where it is not small, on the line of the
# range (scale.py), from a law with the same first two moments: a Beta where the range has two ends, a normal one
# where it has none, and where it has one end a normal law of the log of the distance to it. Everything is vectorised
# over the batch.

Looked = tuple[Array, Array, Array]  # points on the line, logs or scores of the tails there, and their slopes

_STEPS = 140  # where a pole is halved; most take three
_EPS = float(np.finfo(float).eps)
_CLOSE = 3e-9  # a miss this small is squared by the step that follows it
_CLOSE_SCORE = 1e-6  # the same for a normal score, which bends less
_LEFT = 2e-11  # of the log of a tail, or of a score, that a last step may leave if the density is not its slope
_QUANTILE_BODY = 1e-3  # tails from here on are matched by their normal scores
_MOST = 1e15  # of a Beta's shapes: with one larger its logit moves as that of the other does, with both it is normal
_ROOT_2PI = float(np.sqrt(2.0 * np.pi))


def quantile(law: Steppable, p: Array, q: Array) -> tuple[Array, Array, Array]:
    """The point with lower tail p and upper tail q = 1 - p, and its gaps to both ends of the range."""
    shape = np.broadcast_shapes(law.shape, p.shape)
    p, q = np.broadcast_to(p, shape).astype(float), np.broadcast_to(q, shape).astype(float)
    scale = Scale(law.lower, law.upper)
    y = law.start(p, q)
    use_low = p <= q
    target = np.where(use_low, p, q)
    at_edge = target <= 0
    y = _newton(law, scale, y, use_low, target, ~at_edge)
    t, below, above = scale.out(y)
    edge = np.where(use_low, law.lower, law.upper)
    t = np.where(at_edge, edge, t)
    zero, span = np.zeros(shape), law.upper - law.lower
    below = np.where(at_edge, np.where(use_low, zero, span), below)
    above = np.where(at_edge, np.where(use_low, span, zero), above)
    return t, below, above


def _newton(law: Steppable, scale: Scale, y: Array, use_low: Mask, target: Array, active: Mask) -> Array:
    """Safeguarded Newton steps on the log of the wanted tail."""
    if not active.any():
        return y
    low, high = np.full(y.shape, -np.inf), np.full(y.shape, np.inf)
    before = np.full(y.shape, np.inf)
    body = target > _QUANTILE_BODY
    goal = _line(np.maximum(target, 1e-300), np.zeros(()), body)[0]
    own, held = law, np.ones(y.shape, dtype=bool)  # the law of the points that are looked at
    last: Looked | None = None
    for _ in range(_STEPS):
        t, below, above = scale.out(y)
        if not law.shape:
            held = active
        elif 2 * np.count_nonzero(active) <= np.count_nonzero(held):  # most have settled
            own, held = law.rows(active, y.shape), active
        if held.all():
            tail, pdf = law.one_tail(t, 0.0, ~use_low, density=True)
        else:
            tail, pdf = target.copy(), np.ones(y.shape)
            tail[held], pdf[held] = own.one_tail(t[held], 0.0, ~use_low[held], density=True)
        with np.errstate(all="ignore"):
            value, rate = _line(tail, pdf * scale.stretch(t, below, above), body)
            miss = np.where(use_low, 1.0, -1.0) * (value - goal)
            step = miss / rate
            step = np.where(tail > 0, step, np.nan)  # a tail that underflows tells the side only
            limit = np.maximum(0.3 * np.abs(y), 3.0)
            step = np.clip(np.where(np.isfinite(step), step, np.sign(miss) * limit), -limit, limit)
            low, high = np.where(miss <= 0, y, low), np.where(miss >= 0, y, high)
            unit = _EPS * (1 + np.abs(y))
            short = np.abs(step) <= 8 * unit
            stuck = short & (np.abs(miss) > _CLOSE_SCORE)  # on a pole of the density: it tells the side only
            new = y - np.where(stuck, np.copysign(64 * unit, miss), step)
            middle = 0.5 * (low + high)
            slow = np.abs(step) > 0.7 * before  # Newton is not shrinking its steps: halve the bracket
            close = np.abs(miss) < np.where(body, _CLOSE_SCORE, _CLOSE)
            close &= np.abs(miss) * _bent(last, (y, value, rate)) < _LEFT
            outside = (new <= low) | (new >= high)
            new = np.where(close & outside, y, new)  # rounding put the last step on the bracket
            halve = np.isfinite(middle) & ~close & (outside | slow)
            new = np.where(halve, middle, new)
            small = short & ~stuck
            tight = np.maximum(np.nextafter(low, np.inf), low + 0.5 * _EPS) >= high  # neighbours: the upper one
            new = np.where(tight, high, new)
        beyond = (np.abs(y) == LAST) & (np.sign(y) * (new - y) > 0) & (not scale.bounded)  # of what is searched
        move, last = active & ~(small & halve & ~tight), (y, value, rate)
        y = np.where(move, np.clip(new, -LAST, LAST) if not scale.bounded else new, y)
        active = active & ~small & ~tight & ~close & ~beyond  # quadratic: this was the last step needed
        if not active.any():
            break
        before = np.abs(step)
    return y


def _line(tail: Array, slope: Array, body: Mask) -> tuple[Array, Array]:
    """What is closest to a line: the normal score of a tail in the body, else its log; and its slope."""
    value, rate = np.log(tail), slope / tail
    if body.any():
        score = special.ndtri(np.clip(tail, 1e-300, 1.0))
        value, rate = (
            np.where(body, score, value),
            np.where(body, slope * _ROOT_2PI * np.exp(0.5 * score * score), rate),
        )
    return value, rate


def _bent(last: Looked | None, now: Looked) -> Array:
    """How far the slopes at two points are from what the tail does between them, as a share of the step that follows.

    Where a density is off, as it is next to an end with cell shapes below 0.01, steps do not shrink by squares.
    """
    if last is None:
        return np.ones(now[0].shape)
    rise = 0.5 * (last[2] + now[2]) * np.abs(now[0] - last[0])
    return np.fmin(np.abs(rise / np.abs(now[1] - last[1]) - 1.0), 1.0)


def between_ends(lower: float, upper: float, mean: Array, std: Array, p: Array, q: Array) -> Array:
    """Quantiles of the Beta on that range with these moments, on the line of the range."""
    width = upper - lower
    z = np.clip((mean - lower) / width, 1e-300, 1.0)
    rest = np.clip((upper - mean) / width, 1e-300, 1.0)
    s = np.maximum(z * rest / np.maximum((std / width) ** 2, 1e-300) - 1.0, 1e-3)
    a, b = np.maximum(z * s, 1e-3), np.maximum(rest * s, 1e-3)
    x, y = beta.quantile(*np.broadcast_arrays(np.minimum(a, _MOST), np.minimum(b, _MOST), p, q))
    line = np.log(np.maximum(x, 1e-300)) - np.log(np.maximum(y, 1e-300))
    line = line + np.log(np.maximum(a / _MOST, 1.0)) - np.log(np.maximum(b / _MOST, 1.0))
    normal = np.log(a) - np.log(b) + np.sqrt(1.0 / a + 1.0 / b) * normal_score(p, q)
    return np.asarray(np.clip(np.where(np.minimum(a, b) > _MOST, normal, line), -690, 690))


def from_one_end(mean: Array, std: Array, p: Array, q: Array) -> Array:
    """Quantiles of the normal law with these moments of the log distance to the one end; a wide one without them."""
    lost = ~(np.isfinite(mean) & np.isfinite(std))
    mean, std = np.where(lost, 0.0, mean), np.where(lost, 10.0, std)
    return np.clip(mean + std * normal_score(p, q), -650, 650)


# -- continuous
#
# The base of laws that have a density and need no draws: what a law does not know better, it finds by search.

EPS = float(np.finfo(float).eps)
_BODY = np.array([0.16, 0.5, 0.84])
_USUAL = 0.95  # the level that most intervals have


class Continuous(Law):
    """A law with a density, known without draws."""

    @property
    def n(self) -> int | None:
        return None

    @property
    @abstractmethod
    def unimodal(self) -> bool:
        """Whether every density of the batch is known to have one inner peak and to vanish at both ends."""

    @property
    def searched(self) -> bool:
        """Whether quantiles take a search, in which several cost about as much as one."""
        return True

    @abstractmethod
    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Continuous:
        """The law of the picked entries of the batch, spread to that shape, flat."""

    def corners(self) -> tuple[float, ...]:
        """Values at which the density may have a corner."""
        return ()

    def start(self, p: Array, q: Array) -> Array:
        """A first guess of the quantiles, on the line of Scale: those of a Beta or a normal law with these moments."""
        if np.isfinite(self.lower):
            return between_ends(self.lower, self.upper, self.mean(), self.std(), p, q)
        return np.arcsinh(self.mean() + self.std() * normal_score(p, q))

    @cached_property
    def body(self) -> tuple[Array, Array]:
        """A middle and a spread, which every law has."""
        if self.searched:
            return _middle_and_spread(self._usual[0][2:])
        p = _BODY.reshape(-1, *([1] * len(self.shape)))
        return _middle_and_spread(self.quantile(p, 1.0 - p)[0])

    @cached_property
    def _usual(self) -> tuple[Array, Array, Array]:
        """The ends of the usual interval and the body, by one search: the same points, whatever is asked first."""
        (p, q), body = level_tails(_USUAL, self.shape), _BODY.reshape(-1, *([1] * len(self.shape)))
        return self.quantile(np.concatenate([p, body]), np.concatenate([q, 1.0 - body]))

    def median(self) -> Array:
        if self.searched:
            return self.body[0]
        half = np.asarray(0.5)
        return self.quantile(half, half)[0]

    def mode(self) -> Array:
        return highest_density.mode(self, *self.body)

    def signs(self) -> tuple[Array, Array]:
        below, above = self.tails(np.zeros(()))
        return above, below

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        usual = self.searched and level == _USUAL
        value, below, above = self._usual if usual else self.quantile(*level_tails(level, self.shape))
        if not self.searched:
            return value[0], value[1], below[0], above[1]
        middle = self.median()  # beside a pole, ends may be rounded past it
        return np.minimum(value[0], middle), np.maximum(value[1], middle), below[0], above[1]

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        low, high = highest_density.shortest(self, level, log_scale)
        return low, high, highest_density.unbounded_both(self)

    @cached_property
    def error(self) -> tuple[Array, Array]:
        return error_of_search(*self.body)

    def own_error(self) -> tuple[Array, Array]:
        """What a law's rules leave of values and of probabilities, where that is more than the search."""
        return np.zeros(self.shape), np.zeros(self.shape)

    @property
    def floor(self) -> float:
        return 0.0

    def mean_error(self) -> Array:
        return self.error[0]

    def standard_error(self) -> Array:
        return np.zeros(self.shape)

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        del level, shortest
        return self.error[0], self.error[0]


def error_of_search(middle: Array, spread: Array) -> tuple[Array, Array]:
    """What tests have held values and probabilities to (docs: accuracy), by the middle and the spread of a law."""
    round_off = 8 * EPS * (np.abs(middle) + 1.0)
    with np.errstate(over="ignore"):
        chance = np.minimum(1e-12 + round_off * 0.6 / spread, 1.0)
    return np.asarray(5e-11 * spread + round_off), np.asarray(chance)


def _middle_and_spread(body: Array) -> tuple[Array, Array]:
    return body[1], np.maximum(0.5 * (body[2] - body[0]), 1e-300)


class WithMoments(Continuous):
    """A law that can take the mean and the standard deviation of a function of its measure."""

    @abstractmethod
    def rows(self, pick: Pick, shape: tuple[int, ...]) -> WithMoments:
        """As for any continuous law."""

    def powers_at_zero(self) -> Powers | None:
        """The two powers of the point by which the lower tail vanishes at 0, and from where; None where one will do."""
        return None

    @abstractmethod
    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Mean and standard deviation of g(M), g growing like M^growth."""

    def log_moments(self, g: Transform) -> tuple[Array, Array]:
        """Mean and standard deviation of g(log M), for a measure that is never negative."""
        return self.moments(lambda x: g(_log(x)), 0.0)

    def start(self, p: Array, q: Array) -> Array:
        """In a range with one end from the moments of the log of the distance to it."""
        up = bool(np.isfinite(self.lower))
        if up == bool(np.isfinite(self.upper)):
            return super().start(p, q)
        with np.errstate(all="ignore"):
            if self.lower == 0:
                mean, std = self.log_moments(lambda x: x)
            else:
                mean, std = self.moments(lambda x: _log(x - self.lower) if up else -_log(self.upper - x), 0.0)
        return from_one_end(mean, std, p, q)


def _log(x: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x)


class Stepped(Continuous):
    """A law whose tail and density at a point come together, so that quantiles are found by steps."""

    @abstractmethod
    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Stepped:
        """As for any continuous law."""

    @abstractmethod
    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        """P(M > t) where upper, else P(M <= t), and the density if asked for."""

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return quantile(self, np.asarray(p), np.asarray(q))

    def tails_around(self, centre: Array | float, t: Array, t_low: Array | float) -> tuple[Array, Array]:
        """Both tails, the smaller by its own integral: beyond the centre, that should be the upper one."""
        t = np.asarray(t, dtype=float)
        beyond = t > centre
        small = self.one_tail(t, t_low, beyond, density=False)[0]
        wrong = small > 0.75  # the guess of the side was off: take the other tail there
        if wrong.any():
            other = self.one_tail(t, t_low, ~beyond, density=False)[0]
            small, beyond = np.where(wrong, other, small), beyond ^ wrong
        return np.where(beyond, 1.0 - small, small), np.where(beyond, small, 1.0 - small)
