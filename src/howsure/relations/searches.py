"""Roots and lowest points of many functions of one number at once: Chandrupatla's methods (1997, 1998), as in scipy.

A function is known by its values at places that resolve it: between neighbours of other signs it has a root, and where
it turns without a change of sign its extreme is refined, for it may touch 0 there or pass it twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
RowPlaces = tuple[Rows, Array]  # rows, and a place in each
Function = Callable[[Rows, Array], Array]  # of rows and places, one place or a line of places per row


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


def crossings(f: Function, places: Array, y: Array, within: float = 0.0) -> RowPlaces:
    """The roots between neighbouring places of other signs; y has the values of a function in each row."""
    sign = np.sign(y)
    i, k = np.nonzero(sign[:, :-1] * sign[:, 1:] < 0)
    return i, _closed(f, i, places[k], places[k + 1], within)


def _closed(f: Function, rows: Rows, low: Array, high: Array, within: float) -> Array:
    return root(lambda x, i: f(i, x), low, high, rows, within=within) if rows.size else low


def turns(
    f: Function, places: Array, y: Array, limit: Array | float = 0.0, within: float = 0.0
) -> tuple[RowPlaces, RowPlaces]:
    """Where functions come closest to 0 between places of one sign, and the roots on both sides where they pass it.

    A parabola through three places falls below the middle one by an eighth of its bend at most: all of it, and `limit`,
    are allowed for.
    """
    size, sign = np.abs(y), np.sign(y)
    left, middle, right = size[:, :-2], size[:, 1:-1], size[:, 2:]
    with np.errstate(invalid="ignore"):
        turn = (middle <= left) & (middle <= right) & (middle <= left - 2 * middle + right + limit)
    turn &= (sign[:, 1:-1] == sign[:, :-2]) & (sign[:, 1:-1] == sign[:, 2:]) & (sign[:, 1:-1] != 0)
    i, k = np.nonzero(turn)
    if not i.size:
        return (i, places[k]), (i, places[k])
    side = sign[i, k + 1]
    top = lowest(lambda x, r, own: own * f(r, x), places[k], places[k + 1], places[k + 2], i, side)
    passed = side * f(i, top) < 0
    r, k = i[passed], k[passed]
    before, after = _closed(f, r, places[k], top[passed], within), _closed(f, r, top[passed], places[k + 2], within)
    return (i, top), (np.concatenate([r, r]), np.concatenate([before, after]))
