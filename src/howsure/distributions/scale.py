"""The real line on which a range is searched, and normal scores.

Statement: y is the logit of the place in a range with two ends, the log of the distance to its one end, or asinh t in a
range without ends: the logarithm of the distance to 0 on both sides of it. Gaps to the ends keep their digits.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from howsure.arrays import Array

LAST = 700.0  # a search of a range without two ends goes so far on its line: exp of it is near the largest double
FARTHEST = 0.49 * math.exp(LAST)  # from here on a point is as far as a search goes
NEAREST = 1.01 * math.exp(-LAST)  # and from here on as close to 0


class Scale:
    """The line of one range."""

    def __init__(self, lower: float, upper: float) -> None:
        self.lower, self.upper = lower, upper
        self.from_low, self.from_high = bool(np.isfinite(lower)), bool(np.isfinite(upper))
        self.bounded = self.from_low and self.from_high

    def out(self, y: Array) -> tuple[Array, Array, Array]:
        """The point at y and its gaps to both ends."""
        with np.errstate(over="ignore", under="ignore"):
            if self.bounded:
                width = self.upper - self.lower
                below, above = width * special.expit(y), width * special.expit(-y)
                t = np.where(y <= 0, self.lower + below, self.upper - above)
                return t, below, above
            if self.from_low:
                below = np.exp(y)
                return self.lower + below, below, np.full_like(below, np.inf)
            if not self.from_high:
                return np.sinh(y), np.full_like(y, np.inf), np.full_like(y, np.inf)
            above = np.exp(-y)
            return self.upper - above, np.full_like(above, np.inf), above

    def place(self, t: Array) -> Array:
        """The y of a point."""
        with np.errstate(invalid="ignore"):
            return self.between(t, t - self.lower, self.upper - t)

    def between(self, t: Array, below: Array, above: Array) -> Array:
        """The y of a point from its gaps to both ends, which may be known better than the point."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.bounded:
                return np.log(below) - np.log(above)
            if self.from_low:
                return np.log(below)
            return -np.log(above) if self.from_high else np.arcsinh(t)

    def stretch(self, t: Array, below: Array, above: Array) -> Array:
        """dt/dy at a point and its gaps to both ends."""
        if self.bounded:
            return below * above / (self.upper - self.lower)
        if self.from_low:
            return below
        return above if self.from_high else np.hypot(1.0, t)


def normal_score(p: Array, q: Array) -> Array:
    """The normal quantile with lower tail p and upper tail q."""
    with np.errstate(divide="ignore"):
        return np.where(p <= q, special.ndtri(np.maximum(p, 1e-300)), -special.ndtri(np.maximum(q, 1e-300)))
