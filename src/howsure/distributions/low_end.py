"""The lower tail of a law that ends at 0, at points down to and below the smallest double.

Statement: near 0 the tail of a measure of Beta variables is a sum of powers of the point: s^a for a single variable
that goes to 0, C1·s^a + C2·s^c for a product of two (s^a·log s where a = c). Further terms are smaller by s times the
other shapes. Domain: points below a start at which that is below 1e-17, given by their logarithm. Formula: the
constants from the tails at the start and at 1e10 times it, in a basis that stays apart where the two powers meet.
Error: that of these two tails, some hundred times over; against the residues of the Mellin transform in tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array

Powers = tuple[Array, Array, Array]  # two powers, and the log of the point below which there are no others

START = math.log(1e-290)  # where one power is found from the tails themselves
_NEXT = math.log(1e10)
_HALVINGS = 80
_LOWEST = -1e9
_STEP = 0.05


@dataclass(frozen=True, eq=False)
class LowEnd:
    """first·r^power + second·r^power·(r^gap - 1)/gap at r times the start, whose logarithm is given."""

    start: Array
    first: Array
    second: Array
    power: Array
    gap: Array

    def tail(self, log_point: Array) -> Array:
        """P(M <= s) at log s."""
        far = np.minimum(log_point - self.start, 0.0)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            value = np.exp(self.power * far) * (self.first + self.second * _power_law(self.gap, far))
        return np.asarray(np.clip(np.nan_to_num(value), 0.0, self.first))

    def slope(self, log_point: Array) -> Array:
        """The derivative of the tail by log s."""
        one, two = (self.tail(log_point + k * _STEP) - self.tail(log_point - k * _STEP) for k in (1, 2))
        return np.asarray(np.maximum(8.0 * one - two, 0.0) / (12.0 * _STEP))

    def log_quantile(self, p: Array) -> Array:
        """log s of the point with lower tail p, which lies below the start."""
        shape = np.broadcast_shapes(np.shape(p), self.first.shape)
        low, high = np.full(shape, _LOWEST), np.broadcast_to(self.start, shape)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            beyond = self.tail(middle) >= p
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return high


def low_end(tail: Callable[[Array], Array], shape: tuple[int, ...], powers: Powers | None) -> LowEnd:
    """From the lower tail and its two powers at 0 with their start, or one power that the tails tell."""
    start = np.full(shape, START) if powers is None else powers[2] + np.zeros(shape)
    near, further = tail(np.exp(start)), tail(np.exp(start + _NEXT))
    none = np.zeros_like(near)
    with np.errstate(all="ignore"):
        if powers is None:
            power = np.where((near > 0) & (further > near), np.log(further / near) / _NEXT, 0.0)
            return LowEnd(start, near, none, power, none)
        power, gap = np.minimum(*powers[:2]) + none, np.abs(powers[0] - powers[1]) + none
        rise = np.exp(power * _NEXT)
        second = (further - near * rise) / (rise * _power_law(gap, np.full_like(near, _NEXT)))
    second = np.where((near > 0) & np.isfinite(second), second, 0.0)
    return LowEnd(start, near, second, power, gap)


def _power_law(gap: Array, log_ratio: Array) -> Array:
    """(r^gap - 1)/gap, and log r where the gap is 0."""
    safe = np.where(gap > 0, gap, 1.0)
    with np.errstate(over="ignore"):
        return np.where(gap > 0, np.expm1(safe * log_ratio) / safe, log_ratio)
