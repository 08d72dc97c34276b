"""Classical tests and DeLong's variance, shown beside the posterior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Mask

# -- classical tests
#
# Classical paired tests, for readers of journals: computed by scipy, set beside the posterior.

Pattern = tuple[int, int, int]  # truth, answer of the first, answer of the second

MOST_ITEMS: Final = 20_000
RESAMPLES: Final = 1_999


def of_answers(
    patterns: Sequence[Pattern], counts: Sequence[int], formula: Callable[..., Any], seed: int
) -> dict[str, float | None]:
    """McNemar exact and mid-p, and a paired permutation test of the measure; None where it is too large.

    McNemar's exact test is the sign test on the items where exactly one system is right.
    """
    from scipy import stats

    first = sum(n for (y, a, b), n in zip(patterns, counts, strict=True) if a == y != b)
    second = sum(n for (y, a, b), n in zip(patterns, counts, strict=True) if b == y != a)
    n = first + second
    exact = float(stats.binomtest(first, n, 0.5).pvalue) if n else 1.0
    mid = exact - float(stats.binom.pmf(first, n, 0.5)) if n and first != second else exact
    swapped = _permutation(patterns, counts, formula, seed)
    return {"mcnemar-exact": exact, "mcnemar-mid-p": mid, "permutation": swapped}


def of_values(first: Array, second: Array, seed: int) -> dict[str, float | None]:
    """Sign test, Wilcoxon's signed ranks, and a permutation test of the mean of two systems' values."""
    from scipy import stats

    gap = first - second
    up, down = int((gap > 0).sum()), int((gap < 0).sum())
    if up + down == 0:
        return {"sign": 1.0, "wilcoxon": 1.0, "permutation": 1.0}
    found = None
    if len(first) <= MOST_ITEMS:
        found = stats.permutation_test(
            (first, second), _mean_gap, permutation_type="samples", n_resamples=RESAMPLES,
            vectorized=True, batch=200, rng=np.random.default_rng(seed),
        )  # fmt: skip
    return {
        "sign": float(stats.binomtest(up, up + down, 0.5).pvalue),
        "wilcoxon": float(stats.wilcoxon(gap).pvalue),
        "permutation": None if found is None else float(found.pvalue),
    }


def of_areas(auc: Array, covariance: Array) -> dict[str, float | None]:
    """DeLong's test of two AUCs on the same items."""
    from scipy.special import ndtr

    gap, variance = auc[0] - auc[1], covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]
    if variance <= 1e-15 * (covariance[0, 0] + covariance[1, 1]):
        return {"delong": 1.0 if gap == 0 else None}
    return {"delong": float(2.0 * ndtr(-abs(gap) / np.sqrt(variance)))}


def _mean_gap(one: Any, two: Any, axis: int = -1) -> Any:
    return (one - two).mean(axis=axis)


def _permutation(
    patterns: Sequence[Pattern], counts: Sequence[int], formula: Callable[..., Any], seed: int
) -> float | None:
    """scipy.stats.permutation_test: the two answers of each item change places at random."""
    from scipy import stats

    if sum(counts) > MOST_ITEMS or sum(counts) == 0:
        return None
    y, a, b = (np.repeat([p[k] for p in patterns], counts) for k in range(3))

    def statistic(one: Any, two: Any, axis: int = -1) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(_at(formula, y, one, axis) - _at(formula, y, two, axis))

    found = stats.permutation_test(
        (a, b), statistic, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True, batch=200,
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(found.pvalue)


def _at(formula: Callable[..., Any], y: Any, answer: Any, axis: int) -> Any:
    """The measure of many answers to the same items."""
    yes, says = y == 1, answer == 1
    parts = {"tp": yes & says, "fp": ~yes & says, "fn": yes & ~says, "tn": ~yes & ~says}
    return formula(**{c: x.sum(axis=axis).astype(float) for c, x in parts.items()})


# -- delong
#
# AUC by ranks, and the covariance of several AUCs on the same items (DeLong, DeLong & Clarke-Pearson 1988).
#
# Statement: the AUC is P(score of a positive > score of a negative) + ½·P(equal). Its parts are, for a positive item,
# the share of negatives below it, and for a negative item the share of positives above it; the covariance is that of
# the positives' parts over their number plus that of the negatives' parts over theirs. Ranks give the parts in one
# sort (Sun & Xu 2014).
# Domain: two positives and two negatives or more; finite scores.


def mid_ranks(x: Array) -> Array:
    """Ranks from 1, ties sharing the mean of theirs.

    >>> mid_ranks(np.array([0.2, 0.1, 0.2])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - 0.5 * (count - 1.0))[which.reshape(-1)])


def delong(truth: Mask, scores: Array) -> tuple[Array, Array]:
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
