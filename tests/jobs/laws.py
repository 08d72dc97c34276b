"""Oracles of the jobs: laws that follow from the model on paper, by scipy.stats and by resampling."""

from __future__ import annotations

import numpy as np
from scipy import stats


def f1_ends(tp: int, fp: int, fn: int, level: float = 0.95) -> tuple[float, float]:
    """Jaccard has a Beta law with half a count per cell, and F1 is 2 J / (1 + J)."""
    tail = (1 - level) / 2
    j = stats.beta(tp + 0.5, fp + fn + 1).ppf([tail, 1 - tail])
    low, high = 2 * j / (1 + j)
    return float(low), float(high)


def rate_ends(hits: int, misses: int, weight: float = 1.0, level: float = 0.95) -> tuple[float, float]:
    """A Beta law."""
    tail = (1 - level) / 2
    low, high = stats.beta(hits + weight, misses + weight).ppf([tail, 1 - tail])
    return float(low), float(high)


def cells(truth: np.ndarray, answer: np.ndarray, positive: object) -> tuple[int, int, int, int]:
    """tp, fp, fn, tn."""
    y, z = truth == positive, answer == positive
    return int((y & z).sum()), int((~y & z).sum()), int((y & ~z).sum()), int((~y & ~z).sum())


def p_first_passes_more(first: np.ndarray, second: np.ndarray) -> float:
    """Items that only one passes, half a count each: the share of the first is a Beta law."""
    return float(stats.beta((first & ~second).sum() + 0.5, (second & ~first).sum() + 0.5).sf(0.5))


def bootstrap_difference(first: np.ndarray, second: np.ndarray, groups: np.ndarray, draws: int = 20_000) -> float:
    """P(the mean of the first is greater), whole groups weighed at random: the Bayesian bootstrap."""
    rng = np.random.default_rng(7)
    _, index = np.unique(groups, return_inverse=True)
    gain = np.bincount(index, first.astype(float) - second)
    weights = rng.exponential(size=(draws, gain.size))
    return float(((weights @ gain) > 0).mean())
