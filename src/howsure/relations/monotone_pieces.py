"""Where a function of a threshold turns: between the nodes found here it only rises, only falls, or stays.

The slope is known to rounding: a derivative by a complex step along each class, so its sign is too, but for a sum of
two parts that cancel to their last digits. Its roots are looked for between points that resolve the laws
(attributes.py), in each stretch between two breaks on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howsure.relations.searches import Rows, crossings, turns

Array = NDArray[np.float64]
Slopes = Callable[[Array], tuple[Array, Array]]  # the slope and the size of its parts at a threshold

_ROUND_OFF = 64 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Points:
    """Thresholds to look at: `at`, none of them a break, and the breaks."""

    at: Array
    breaks: Array


def points(grid: Array, breaks: Array) -> Points:
    """The points of the grids, and three in each stretch between two breaks; none where no law has a density."""
    breaks = np.sort(breaks, kind="stable")  # which merges what is sorted already, as the scores of each law are
    breaks = breaks[np.diff(breaks, prepend=-np.inf) > 0]
    if not len(grid):
        return Points(grid, breaks)
    inner = [breaks[:-1] + f * np.diff(breaks) for f in (0.25, 0.5, 0.75)] if len(breaks) > 1 else []
    at = np.unique(np.concatenate([grid, *inner]))
    return Points(at[~np.isin(at, breaks)], breaks)


def nodes(slopes: Slopes, where: Points) -> Array:
    """Thresholds between which the function only rises, only falls, or stays: turns, breaks and all ends, sorted."""
    if not len(where.at):  # scores only: at a score and down to the next one, answers are the same
        return np.append(where.breaks, np.inf)

    def slope(_: Rows, x: Array) -> Array:
        """As a share of its parts; 0 where these cancel to rounding."""
        total, size = slopes(x)
        return np.where(np.abs(total) <= _ROUND_OFF * size, 0.0, total / np.where(size > 0, size, 1.0))

    y = slope(np.zeros(0, dtype=np.intp), where.at)
    still = (y[1:] == 0) != (y[:-1] == 0)  # where a stretch without slope begins and ends
    order = np.argsort(np.concatenate([where.at, where.breaks]))
    x = np.concatenate([where.at, where.breaks])[order]
    y = np.concatenate([y, np.full(len(where.breaks), np.nan)])[order]  # no slope at a break: stretches stay apart
    alone = np.flatnonzero((y[1:-1] == 0) & (y[:-2] * y[2:] < 0)) + 1
    found = [x[alone], crossings(slope, x, y[None])[1], turns(slope, x, y[None])[1][1]]
    sides = [np.nextafter(where.breaks, side) for side in (-np.inf, np.inf)]
    edges = [where.at[1:][still], where.at[:-1][still], where.at[[0, -1]]]
    return np.unique(np.concatenate([[-np.inf, np.inf], where.breaks, *sides, *edges, *found]))
