"""The stretch of a mean of few graded values, by the formula of docs/how-to/compare.md, for draws of the plain mean."""

from __future__ import annotations

import numpy as np
from scipy import special, stats


def factor_of(n, values, bounds=None):
    """How far the mean of n values is stretched: they are worth more items than that."""
    worth = 1e18
    if bounds is not None:
        mean = np.mean(values)
        worth = n * (mean - bounds[0]) * (bounds[1] - mean) / np.var(values)
    ratio = stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, worth - 1)
    return ratio * np.sqrt((n + 1) / (n - 1) * (worth - 1) / (worth + 1))


def stretched(x, centre, n, values, bounds=None):
    """Draws x moved away from the centre."""
    factor = factor_of(n, values, bounds)
    if bounds is None:
        return centre + factor * (x - centre)
    low, wide = bounds[0], bounds[1] - bounds[0]
    middle = special.logit((centre - low) / wide)
    return low + wide * special.expit(middle + factor * (special.logit((x - low) / wide) - middle))
