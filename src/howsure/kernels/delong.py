"""AUC by ranks, and the covariance of several AUCs on the same items (DeLong, DeLong & Clarke-Pearson 1988).

Statement: the AUC is P(score of a positive > score of a negative) + ½·P(equal). Its parts are, for a positive item, the
share of negatives below it, and for a negative item the share of positives above it; the covariance is that of the
positives' parts over their number plus that of the negatives' parts over theirs. Ranks give the parts in one sort
(Sun & Xu 2014).
Domain: two positives and two negatives or more; finite scores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mid_ranks(x: Array) -> Array:
    """Ranks from 1, ties sharing the mean of theirs.

    >>> mid_ranks(np.array([0.2, 0.1, 0.2])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - 0.5 * (count - 1.0))[which.reshape(-1)])


def delong(truth: NDArray[np.bool_], scores: Array) -> tuple[Array, Array]:
    """The AUC of each column of scores (items, systems), and their covariance matrix.

    >>> auc, covariance = delong(np.array([True, True, False, False]), np.array([[0.9], [0.4], [0.5], [0.1]]))
    >>> auc.tolist(), covariance.tolist()
    ([0.75], [[0.125]])
    """
    yes, no = scores[truth], scores[~truth]
    m, n = len(yes), len(no)
    below, above = np.empty(yes.shape), np.empty(no.shape)
    for k in range(scores.shape[1]):  # a sort each
        everyone = mid_ranks(np.concatenate([yes[:, k], no[:, k]]))
        below[:, k] = (everyone[:m] - mid_ranks(yes[:, k])) / n
        above[:, k] = 1.0 - (everyone[m:] - mid_ranks(no[:, k])) / m
    spread = [np.atleast_2d(np.cov(x, rowvar=False)) / len(x) for x in (below, above)]
    return below.mean(axis=0), np.asarray(spread[0] + spread[1])
