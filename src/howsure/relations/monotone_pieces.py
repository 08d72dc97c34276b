"""Where a function of a threshold turns: between the nodes found here it only rises, only falls, or stays.

The slope is known to rounding: a derivative by a complex step along each class, so its sign is too, but for a sum of
two parts that cancel to their last digits. Signs are compared at points that resolve the laws (attributes.py); each
change is closed in to the last digits. Between two points of the same sign a slope may touch 0 and turn back: where it
comes nearest to 0 the other sign is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howsure.relations.searches import lowest, root

Array = NDArray[np.float64]
Sizes = Callable[[Array], tuple[Array, Array]]  # the slope and the size of its parts at a threshold

_ROUND_OFF = 64 * float(np.finfo(float).eps)


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
    return np.sign(_slope(sizes, at))


def _slope(sizes: Sizes, at: Array) -> Array:
    """The slope; 0 where its parts cancel to rounding."""
    slope, size = sizes(at)
    return np.where(np.abs(slope) <= _ROUND_OFF * size, 0.0, slope)


def roots(sizes: Sizes, where: Points) -> Array:
    """Every threshold at which the slope changes its sign within a stretch."""
    at, same = where.at, where.stretch[1:] == where.stretch[:-1]
    sign = signs(sizes, at)
    crossing = same & (sign[1:] * sign[:-1] < 0)
    low, high = [at[:-1][crossing]], [at[1:][crossing]]
    for a, b in _touching(sizes, where, sign):
        low.append(a)
        high.append(b)
    ends = np.concatenate(low), np.concatenate(high)
    found = root(lambda x: _slope(sizes, x), *ends) if len(ends[0]) else ends[0]
    return np.sort(np.concatenate([found, at[_isolated(sign, where)]]))


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

    def depth(x: Array, sign: Array) -> Array:
        a, b = sizes(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sign * np.where(b > 0, a / b, 1.0))

    bottom = lowest(depth, low, at[i], high, own)
    through = signs(sizes, bottom) == -own
    return [(low[through], bottom[through]), (bottom[through], high[through])]
