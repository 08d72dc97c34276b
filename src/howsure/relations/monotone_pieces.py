"""Where a function of a threshold turns: between the nodes found here it only rises, only falls, or stays.

The slope is known to rounding: a derivative by a complex step along each class, so its sign is too, but for a sum of
two parts that cancel to their last digits. Signs are compared at points that resolve the laws (attributes.py); each
change is closed in by bisection to neighbouring numbers. Between two points of the same sign a slope may touch 0 and
turn back: where it comes nearest to 0 a golden-section search looks for the other sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sizes = Callable[[Array], tuple[Array, Array]]  # the slope and the size of its parts at a threshold

_ROUND_OFF = 64 * float(np.finfo(float).eps)
_GOLDEN = (np.sqrt(5.0) - 1) / 2


@dataclass(frozen=True)
class Points:
    """Thresholds to look at: `at`, none of them a break, and the number of the stretch between breaks each is in."""

    at: Array
    stretch: NDArray[np.intp]
    breaks: Array


def points(grid: Array, breaks: Array) -> Points:
    """The points of the grids, and three in each stretch between two breaks; none where no law has a density."""
    breaks = np.unique(breaks)
    if not len(grid):
        return Points(grid, np.zeros(0, dtype=np.intp), breaks)
    inner = [breaks[:-1] + f * np.diff(breaks) for f in (0.25, 0.5, 0.75)] if len(breaks) > 1 else []
    at = np.unique(np.concatenate([grid, *inner]))
    at = at[~np.isin(at, breaks)]
    return Points(at, np.searchsorted(breaks, at), breaks)


def signs(sizes: Sizes, at: Array) -> Array:
    """The sign of the slope; 0 where its parts cancel to rounding."""
    slope, size = sizes(at)
    return np.where(np.abs(slope) <= _ROUND_OFF * size, 0.0, np.sign(slope))


def roots(sizes: Sizes, where: Points) -> Array:
    """Every threshold at which the slope changes its sign within a stretch."""
    at, same = where.at, where.stretch[1:] == where.stretch[:-1]
    sign = signs(sizes, at)
    crossing = same & (sign[1:] * sign[:-1] < 0)
    low, high = [at[:-1][crossing]], [at[1:][crossing]]
    for a, b in _touching(sizes, where, sign):
        low.append(a)
        high.append(b)
    zero = _isolated(sign, where)
    return np.sort(np.concatenate([_bisect(sizes, np.concatenate(low), np.concatenate(high)), at[zero]]))


def _isolated(sign: Array, where: Points) -> NDArray[np.intp]:
    """Points that are roots themselves: no slope there, other signs on both sides."""
    inner = np.arange(1, max(1, len(sign) - 1))
    alone = (sign[inner] == 0) & (sign[inner - 1] * sign[inner + 1] < 0)
    alone &= where.stretch[inner - 1] == where.stretch[inner + 1]
    return np.asarray(inner[alone])


def _touching(sizes: Sizes, where: Points, sign: Array) -> list[tuple[Array, Array]]:
    """Brackets of pairs of roots between points of the same sign."""
    at = where.at
    slope, size = sizes(at)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.abs(np.where(size > 0, slope / size, 0.0))
    i = np.arange(1, max(1, len(at) - 1))
    dip = (share[i] < share[i - 1]) & (share[i] < share[i + 1]) & (share[i] < 0.3)
    dip &= (sign[i] != 0) & (sign[i - 1] == sign[i]) & (sign[i + 1] == sign[i])
    dip &= (where.stretch[i - 1] == where.stretch[i]) & (where.stretch[i + 1] == where.stretch[i])
    i = i[dip]
    if not len(i):
        return []
    low, high, own = at[i - 1], at[i + 1], sign[i]

    def depth(x: Array) -> Array:
        a, b = sizes(x.ravel())
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(own * np.where(b > 0, a / b, 1.0).reshape(x.shape))

    left, right = low.copy(), high.copy()
    for _ in range(30):  # to 1e-6 of the gap between points: what turns back within has no height left
        pair = np.stack([right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)])
        first, second = depth(pair)
        left, right = np.where(first < second, left, pair[0]), np.where(first < second, pair[1], right)
    bottom = 0.5 * (left + right)
    through = signs(sizes, bottom) == -own
    return [(low[through], bottom[through]), (bottom[through], high[through])]


def _bisect(sizes: Sizes, low: Array, high: Array) -> Array:
    """To neighbouring numbers, or to where the slope is 0 to rounding."""
    if not len(low):
        return low
    first = signs(sizes, low)
    for _ in range(1100):  # halving reaches neighbours long before, unless the bracket spans 0
        middle = 0.5 * (low + high)
        if not ((middle > low) & (middle < high)).any():
            break
        sign = signs(sizes, middle)
        low, high = np.where(sign == first, middle, low), np.where(sign == first, high, middle)
        flat = sign == 0
        low = np.where(flat, middle, low)
    return np.asarray(0.5 * (low + high))
