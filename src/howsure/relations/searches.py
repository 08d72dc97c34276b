"""Roots and lowest points of many functions of one number at once: Chandrupatla's methods (1997, 1998), as in scipy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def root(f: Callable[..., Array], low: Array, high: Array, *args: Any, within: float = 0.0) -> Array:
    """The root of each function between two places, to the last digits or `within`; f takes places and arguments.

    Where f has one sign at both ends, the end at which it is closer to 0.

    >>> root(lambda x, a: x * x - a, np.array([0.0, 0.0]), np.array([3.0, 3.0]), np.array([4.0, 25.0]))
    array([2., 3.])
    """
    from scipy.optimize import elementwise  # takes a while: only who searches waits for it

    found = elementwise.find_root(f, (low, high), args=args, tolerances={"xatol": within + float(np.finfo(float).tiny)})
    (left, right), (at_left, at_right) = found.bracket, found.f_bracket
    closer = np.where(np.abs(at_left) <= np.abs(at_right), left, right)
    return np.asarray(np.where(np.isnan(found.x), closer, found.x))


def lowest(f: Callable[..., Array], low: Array, middle: Array, high: Array, *args: Any) -> Array:
    """Where each function is lowest between two places; the middle one where it is not below both.

    >>> lowest(lambda x: (x - 0.3) ** 2, np.array([0.0]), np.array([0.5]), np.array([1.0])).round(8)
    array([0.3])
    """
    from scipy.optimize import elementwise

    find: Any = elementwise.find_minimum  # the stubs know no arguments
    found = find(f, (low, middle, high), args=args)
    return np.asarray(np.where(np.isnan(found.x), middle, found.x))
