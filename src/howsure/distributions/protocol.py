"""What every law answers for itself, whatever route computed it.

A Distribution asks, and knows no kinds of laws: a law with closed moments uses them, one that is known by draws says
how many there are and how far they can be off, and one with a density finds its mode and shortest interval by search.
Points may be given as two doubles, t + t_low; probabilities as a pair p, q = 1 - p, so that a small tail has its digits
on either side. Arrays have the shape of the batch, or that of points which broadcast against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from howsure.arrays import Array, Index, Mask

Pick = Mask | Index  # entries of a batch
Transform = Callable[[Array], Array]


class Law(Protocol):
    """The law of one measure: of a single table, or of every table of a batch."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch; () for a single law."""
        ...

    @property
    def lower(self) -> float:
        """The lowest value the measure can take."""
        ...

    @property
    def upper(self) -> float:
        """The highest value."""
        ...

    @property
    def n(self) -> int | None:
        """The number of draws that the law is known by; None where nothing is drawn."""
        ...

    # -- functions

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        """P(M <= t) and P(M > t), the smaller one with its digits."""
        ...

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        """The density; infinite at an end where it has no bound."""
        ...

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        """The point with lower tail p and upper tail q, and its gaps to both ends of the range."""
        ...

    def signs(self) -> tuple[Array, Array]:
        """P(M > 0) and P(M < 0), ties shared."""
        ...

    # -- points

    def mean(self) -> Array:
        """The mean; infinite where it does not exist."""
        ...

    def std(self) -> Array:
        """The standard deviation; infinite where it does not exist."""
        ...

    def median(self) -> Array:
        """The point with half of the probability on each side."""
        ...

    def mode(self) -> Array:
        """The highest point of the density, an end of the range when there is no inner one."""
        ...

    # -- intervals

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        """Both ends, the gap of the low end to the bottom of the range, and that of the high end to its top."""
        ...

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        """The ends of the shortest interval, on the measure's scale or its logarithm.

        True marks tables whose density has no bound at either end: there is no single shortest interval, and their
        ends mean nothing.
        """
        ...

    # -- accuracy

    @property
    def error(self) -> tuple[Array, Array]:
        """Bounds: of mean, median and equal-tailed ends, and of any probability."""
        ...

    @property
    def floor(self) -> float:
        """The probability below which a tail may as well be 0; 0 where nothing is drawn."""
        ...

    def mean_error(self) -> Array:
        """How far the mean can be off: three standard errors, where it is that of draws."""
        ...

    def standard_error(self) -> Array:
        """One standard error of the mean; 0 where it is not that of draws."""
        ...

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """How far the ends of the equal-tailed, or the shortest, interval can be off."""
        ...


class Searchable(Law, Protocol):
    """A law whose density can be searched."""

    @property
    def unimodal(self) -> bool:
        """Whether every density of the batch is known to have one inner peak and to vanish at both ends."""
        ...


class Steppable(Searchable, Protocol):
    """A law whose quantiles are found by steps: a tail and the density come together, and there is a first guess."""

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        """P(M > t) where upper, else P(M <= t), and the density if asked for."""
        ...

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Steppable:
        """The law of the picked entries of the batch, spread to that shape, flat."""
        ...

    def start(self, p: Array, q: Array) -> Array:
        """A first guess of the quantiles, on the line of Scale."""
        ...


def level_tails(level: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The lower and the upper tails at both ends of an equal-tailed interval, ahead of the axes of a batch."""
    small = 0.5 * (1.0 - level)
    p, q = np.array([small, 1.0 - small]), np.array([1.0 - small, small])
    ahead = (-1, *([1] * len(shape)))
    return p.reshape(ahead), q.reshape(ahead)
