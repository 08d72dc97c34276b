"""The base of laws that have a density and need no draws: what a law does not know better, it finds by search."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import highest_density, quantiles
from howsure.kernels.law import Law, Pick, Transform, level_tails
from howsure.kernels.low_end import Powers
from howsure.kernels.scale import normal_score

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
            return quantiles.between_ends(self.lower, self.upper, self.mean(), self.std(), p, q)
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
    """What tests have held values and probabilities to (docs/accuracy.md), by the middle and the spread of a law."""
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
        return quantiles.from_one_end(mean, std, p, q)


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
        return quantiles.quantile(self, np.asarray(p), np.asarray(q))

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
