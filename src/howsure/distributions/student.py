"""Student's t law with a centre and a scale.

Statement: M = centre + scale·T, where T has Student's t law; freedom/(freedom + T²) ~ Beta(freedom/2, ½).
Domain: 1 degree of freedom and more, scales above 0.
Formula: tails by those of the Beta law (distributions/beta.py), with both complements; quantiles by its inverse on
the side of the smaller share, and a Newton step. scipy's stdtr is off by 1.5e-9 next to the centre at 1 degree of
freedom, and its stdtrit gives inf for tails of 1e-300 at 3 (scipy 1.17.1). Error: held against mpmath in
tests/reference/test_student.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import special

from howsure.arrays import Array, Mask
from howsure.distributions import beta
from howsure.distributions.continuous import Continuous
from howsure.distributions.protocol import Pick, level_tails


@dataclass(frozen=True, eq=False)
class Student(Continuous):
    """The law of one measure, or of each of a batch."""

    centre: Array
    scale: Array
    freedom: Array

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(np.shape(x) for x in (self.centre, self.scale, self.freedom)))

    @property
    def lower(self) -> float:
        return -np.inf

    @property
    def upper(self) -> float:
        return np.inf

    @property
    def unimodal(self) -> bool:
        return True

    @property
    def searched(self) -> bool:
        return False

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Student:
        parts = (self.centre, self.scale, self.freedom)
        return Student(*(np.broadcast_to(x, shape).ravel()[pick] for x in parts))

    def _scales(self, t: Array, t_low: Array | float) -> Array:
        """How many scales a point is from the centre."""
        return np.asarray(((np.asarray(t, dtype=float) - self.centre) + t_low) / self.scale)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        away = self._scales(t, t_low)
        root = np.sqrt(self.freedom)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            far = np.hypot(away, root)
            inner, outer = np.abs(away) / far, root / far
            logs = 2.0 * np.log(outer), 2.0 * np.log(inner)
            points = 0.5 * self.freedom, np.asarray(0.5), outer * outer, inner * inner, *logs
            a, b, x, y, log_x, log_y = (np.asarray(z, dtype=float) for z in np.broadcast_arrays(*points))
            found = beta.lower_tail(a, b, x, y, (log_x, log_y))
        small = np.where(np.isinf(away), 0.0, 0.5 * np.where(away == 0, 1.0, found))
        return np.where(away < 0, small, 1.0 - small), np.where(away < 0, 1.0 - small, small)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        away, v = self._scales(t, t_low), np.asarray(self.freedom, dtype=float)
        top = special.gammaln(0.5 * (v + 1.0)) - special.gammaln(0.5 * v) - 0.5 * np.log(np.pi * v)
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.exp(top - (v + 1.0) * np.log(np.hypot(1.0, away / np.sqrt(v)))) / self.scale)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        away = _away(np.asarray(self.freedom, dtype=float), np.abs(np.subtract(q, p)), 2.0 * np.minimum(p, q))
        value = self.centre + self.scale * np.where(p < q, -away, away)
        return value, np.full(value.shape, np.inf), np.full(value.shape, np.inf)

    def mean(self) -> Array:
        return np.where(np.asarray(self.freedom) > 1, self._full(self.centre), np.inf)

    def std(self) -> Array:
        v = self._full(self.freedom)
        return np.where(v > 2, self.scale * np.sqrt(v / np.where(v > 2, v - 2.0, 1.0)), np.inf)

    def median(self) -> Array:
        return self._full(self.centre)

    mode = median

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        """The equal-tailed interval: the law is symmetric."""
        del log_scale
        value = self.quantile(*level_tails(level, self.shape))[0]
        return value[0], value[1], np.zeros(self.shape, dtype=bool)

    def _full(self, x: Array) -> Array:
        return np.broadcast_to(np.asarray(x, dtype=float), self.shape)


def _away(freedom: Array, within: Array, beyond: Array) -> Array:
    """t with P(|T| <= t) = within and P(|T| > t) = beyond, each with its digits where it is the smaller one."""
    a, within, beyond = np.broadcast_arrays(0.5 * freedom, within, beyond)
    far = beyond < 0.5
    root = np.sqrt(2.0 * a)
    with np.errstate(all="ignore"):
        outer = np.where(far, special.betaincinv(a, 0.5, beyond), 1.0)  # of freedom / (freedom + T²)
        inner = np.where(far, 0.0, special.betaincinv(0.5, a, within))
        body = root * np.where(far, np.sqrt((1.0 - outer) / outer), np.sqrt(inner / (1.0 - inner)))
        power = np.exp(-0.5 * (np.log(beyond) + np.log(a) + special.betaln(a, 0.5)) / a)  # the tail's leading term
        found = np.where(outer < _TINY, root * power, body)
        law = Student(np.zeros(()), np.ones(()), 2.0 * a)
        step = (law.tails(found)[1] - 0.5 * beyond) / law.pdf(found)
    return np.where(np.isfinite(step) & (np.abs(step) < 1e-3 * found), found + step, found)


_TINY: Final = 1e-60
