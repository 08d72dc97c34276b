"""Sums of many weighted Gammas by their first three moments: how sure a quotient of such sums is above a value.

Statement: R = Σ G_u·top_u / Σ G_u·bottom_u with independent Gammas of shapes a_u is above t exactly when
S = Σ G_u·(top_u - t·bottom_u) is above 0, and S has mean Σ a·d, variance Σ a·d² and third moment 2·Σ a·d³.
Formula: S is taken for a shifted Gamma with these moments (Pearson's type III).
Domain: a batch of data sets, the sums Σ a·top^j·bottom^k given; the exact law of one data set takes milliseconds, and
a plan needs thousands. Error: within 0.01 of the exact law from 15 units on,
within 0.004 from 40 on (tests/decisions/test_plan.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from howsure.arrays import Array

_STRAIGHT: Final = 1e-4  # skewness below which the law is normal
_STEPS: Final = 12
_NOTHING: Final = 1e-100  # the variance of what does not vary


class Sums(NamedTuple):
    """Σ a·top^j·bottom^k of every data set: (j, k) from (1, 0) to (0, 3)."""

    t: Array
    b: Array
    tt: Array
    tb: Array
    bb: Array
    ttt: Array
    ttb: Array
    tbb: Array
    bbb: Array

    @classmethod
    def of(cls, shapes: Array, top: Array, bottom: Array) -> Sums:
        """Of shapes (data sets, units) and what each unit has above and below the line."""
        powers = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]
        return cls(*(shapes @ (top**j * bottom**k) for j, k in powers))

    def plus(self, shapes: Array, top: Array, bottom: Array) -> Sums:
        """With more units, whose values differ by data set: (data sets, units) each."""
        powers = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]
        return Sums(*(x + (shapes * top**j * bottom**k).sum(axis=1) for x, (j, k) in zip(self, powers, strict=True)))

    @property
    def middle(self) -> Array:
        """The quotient of the means."""
        return self.t / self.b

    @property
    def spread(self) -> Array:
        """About the standard deviation of the quotient."""
        r = self.middle
        return np.sqrt(np.maximum(self.tt - 2 * r * self.tb + r * r * self.bb, 0.0)) / self.b


def above(s: Sums, t: Array | float) -> Array:
    """P(R > t) of every data set."""
    mean = s.t - t * s.b
    square = s.tt - 2 * t * s.tb + t * t * s.bb
    cube = 2 * (s.ttt - 3 * t * s.ttb + 3 * t * t * s.tbb - t**3 * s.bbb)
    return positive(mean, square, cube)


def slopes_of(formula: Callable[..., Any], cells: Mapping[str, Array]) -> tuple[Array, dict[str, Array]]:
    """A formula of cells, and how it follows each: by a step in the imaginary direction (Squire & Trapp 1998)."""
    with np.errstate(all="ignore"):
        value = np.real(np.asarray(formula(**cells)))
        slopes = {c: np.imag(np.asarray(formula(**{**cells, c: x + 1e-20j}))) * 1e20 for c, x in cells.items()}
    return value, slopes


def of_formula(formula: Callable[..., Any], cells: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """A measure of independent Gammas of these shapes: its value, and the next two moments of its linear part."""
    value, slopes = slopes_of(formula, cells)
    variance = np.asarray(sum(shape * slopes[c] ** 2 for c, shape in cells.items()))
    return value, np.maximum(variance, 1e-300), np.asarray(sum(2.0 * x * slopes[c] ** 3 for c, x in cells.items()))


def positive(mean: Array, variance: Array, third: Array) -> Array:
    """P(S > 0) of a shifted Gamma with these moments."""
    from scipy import special

    variance = np.maximum(variance, _NOTHING)
    z, skew = -mean / np.sqrt(variance), np.clip(third / variance**1.5, -1e6, 1e6)
    bent = np.where(np.abs(skew) < _STRAIGHT, _STRAIGHT, np.abs(skew))
    shape = 4.0 / bent**2
    up = special.gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0))
    down = special.gammainc(shape, np.maximum(shape - z * np.sqrt(shape), 0.0))
    return np.where(np.abs(skew) < _STRAIGHT, special.ndtr(-z), np.where(skew > 0, up, down))


def quantile(s: Sums, q: float) -> Array:
    """Where P(R > t) = 1 - q: by secants on the normal scale, on which it is nearly straight."""
    from scipy import special

    wanted = special.ndtri(1.0 - q)
    one = s.middle
    two = one - wanted * s.spread
    first, second = (special.ndtri(np.clip(above(s, x), 1e-300, 1 - 1e-16)) for x in (one, two))
    for _ in range(_STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            new = two + (wanted - second) * (two - one) / (second - first)
        new = np.where(np.isfinite(new), new, two)
        one, first, two = two, second, new
        second = special.ndtri(np.clip(above(s, two), 1e-300, 1 - 1e-16))
        if np.all(np.abs(second - wanted) < 1e-9):
            break
    return two
