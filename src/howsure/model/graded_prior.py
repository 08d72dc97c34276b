"""The prior of graded values, read off the values seen: two ends for a mean, three atoms for a difference.

A mean has weight on the smallest and on the largest value seen, each moved a tenth of the way to its bound. A
difference of two systems is evidence of its own: half of that weight on plus and on minus the largest difference
seen, the whole of it on none. The mean is then stretched (model/unit_prior.py). On values of 0 and 1 these are the
rules of a rate, of pairs of outcomes and of wins.

Many systems have made-up items c ± δ/2, with a fair sign of its own for each system: every pair has the three atoms
above, at (δ + δ)/2, whatever c is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.sticks import atoms, coin_shares

Array = NDArray[np.float64]
Ends = tuple[float, float]

STEP: Final = 0.1  # of the way from the values seen to their bound
LEFT: Final = 1e-6  # of the mass of made-up items, for the last of them
ROUNDING: Final = 16 * float(np.finfo(float).eps)


def spread_share(values: Array, weights: Array, bounds: Ends | None) -> float:
    """The variance of values, over that of values at the bounds with the same mean; 0 without bounds.

    Items that are right or wrong have 1 and need no stretch: Student's t is for values whose spread is estimated. So
    have values that are all the same, whose prior is on the bounds.

    >>> values = np.array([0.25, 0.75])
    >>> spread_share(values, np.ones(2), (0.0, 1.0)), spread_share(np.round(values), np.ones(2), (0.0, 1.0))
    (0.25, 1.0)
    """
    if bounds is None or not np.isfinite(np.subtract(*bounds)):
        return 0.0
    if np.isin(values, bounds).all():  # exactly, whatever rounding makes of the quotient below: 13 of 14 gave 1 - 4e-15
        return 1.0
    values, share = values[weights > 0], weights[weights > 0] / weights.sum()
    mean = float(share @ values)
    spread, most = float(share @ (values - mean) ** 2), (mean - bounds[0]) * (bounds[1] - mean)
    return spread / most if 0 < spread < (1.0 - ROUNDING) * most and not alike(values) else 1.0


def alike(values: Array) -> bool:
    """Whether all values are the same, but for rounding; NaN stands for no value."""
    low, high = _span(values)
    return not high - low > ROUNDING * max(abs(low), abs(high))


def ends(values: Array, bounds: Ends | None) -> Ends:
    """Where a mean has the prior's weight: the values seen, a tenth further out; the bounds where all are the same.

    >>> ends(np.array([0.2, 0.7]), (0.0, 1.0)), ends(np.array([2.0, 4.0]), None)
    ((0.18, 0.73), (1.8, 4.2))
    """
    low, high = _span(values)
    if bounds is None:
        step = STEP * (high - low)
        return low - step, high + step
    if alike(values):
        return bounds
    return low + STEP * (bounds[0] - low), high + STEP * (bounds[1] - high)


def ends_of_many(low: Array, high: Array, bounds: Ends | None) -> tuple[Array, Array]:
    """The same of many data sets, from the least and the greatest value of each."""
    if bounds is None:
        step = STEP * (high - low)
        return low - step, high + step
    same = ~(high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high)))
    return (
        np.where(same, bounds[0], low + STEP * (bounds[0] - low)),
        np.where(same, bounds[1], high + STEP * (bounds[1] - high)),
    )


def largest(values: Array, bounds: Ends | None) -> float:
    """Where the difference of two systems has the prior's weight: at the largest difference seen, (items, 2).

    Where all are 0: at the range of the bounds, or else of the values.
    """
    return float(_largest_of(values, 0)[1]) or _whole(values, bounds)


def spreads(values: Array, bounds: Ends | None) -> Array:
    """δ of each of several systems, (systems,): the lower median of its largest differences from the others.

    One system far from all others does not widen what is put between these.
    """
    found = np.empty(values.shape[1])
    for k in range(len(found)):
        each = _largest_of(values, k)
        some = np.sort(each[each > 0])
        found[k] = some[(len(some) - 1) // 2] if len(some) else _whole(values, bounds)
    return found


def _largest_of(values: Array, k: int) -> Array:
    """The largest differences of one system from each, (systems,); those by rounding are none."""
    one = values[:, [k]]
    gaps = np.abs(values - one)
    gaps[~(gaps > ROUNDING * (np.abs(values) + np.abs(one)))] = 0.0
    return np.asarray(gaps.max(axis=0, initial=0.0))


def _whole(values: Array, bounds: Ends | None) -> float:
    low, high = _span(values) if bounds is None else bounds
    return high - low


def centres(values: Array, bounds: Ends | None, widest: float) -> Ends:
    """c of the made-up items, either of two: so that c ± δ/2 lies within the ends of all values seen."""
    low, high = ends(values, bounds)
    if bounds is not None and widest > high - low:
        low, high = bounds
    half = 0.5 * min(widest, high - low)
    return low + half, high - half


def made_up_means(rng: np.random.Generator, n: int, weight: float, middle: Array, half: Array) -> Array:
    """n draws of the mean of made-up items of this weight in all, (n, systems), by stick-breaking.

    Each is at one of the middles (one or two of them, systems), plus or minus half by a coin of each system.
    """
    up, far = np.zeros((n, len(half))), np.zeros((n, 1))
    (parts,), rest = atoms(rng, np.array([weight]), n, LEFT)
    for part in parts[:, :, None]:
        up += part * rng.integers(0, 2, up.shape, dtype=np.int8)
        far += part * rng.integers(0, 2, far.shape, dtype=np.int8)
    if rest is not None:
        for coins in (up, far):
            coins += rest.T * coin_shares(rng, 0.5 * weight, 0.5 * weight, coins.shape)
    return np.asarray(middle[0] + far * (middle[-1] - middle[0]) + (2 * up - 1) * half)


def _span(values: Array) -> Ends:
    """The least and the greatest value; NaN stands for no value."""
    return float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
