"""The old ways: intervals of 2x2 tables and of rates, many tables at once. No interval is NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri

from bench.calibrate.samples import ALPHA, Array, Bounds, Ends
from bench.coverage import bca as bca_ends
from bench.coverage_counting import ends as places

Z: Final = float(ndtri(1 - ALPHA / 2))
RESAMPLES: Final = 999
STEP: Final = 1e-20  # of a complex step: the derivative is exact to rounding

Measure = Callable[[Any], Any]  # of cells tp, fp, fn, tn along the first axis

MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": lambda c: (c[0] + c[3]) / (c[0] + c[1] + c[2] + c[3]),
    "precision": lambda c: c[0] / (c[0] + c[1]),
    "recall": lambda c: c[0] / (c[0] + c[2]),
    "f1": lambda c: 2 * c[0] / (2 * c[0] + c[1] + c[2]),
    "phi": lambda c: (c[0] * c[3] - c[1] * c[2]) / np.sqrt(
        (c[0] + c[1]) * (c[0] + c[2]) * (c[1] + c[3]) * (c[2] + c[3])),
}  # fmt: skip
RATES: Final[Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]] = {  # which cells are right, and which are counted
    "accuracy": ((0, 3), (0, 1, 2, 3)), "precision": ((0,), (0, 1)), "recall": ((0,), (0, 2)),
}  # fmt: skip
BOUNDS: Final[Mapping[str, Bounds]] = {"phi": (-1.0, 1.0)}  # of the others 0 and 1


def bounds(measure: str) -> Bounds:
    """The range of a measure."""
    return BOUNDS.get(measure, (0.0, 1.0))


# -- rates -----------------------------------------------------------------------------------------


def wald_rate(k: Array, n: Array) -> Ends:
    """The textbook's: the rate and 1.96 standard errors to both sides."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p = k / n
        half = Z * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def wilson(k: Array, n: Array) -> Ends:
    """Wilson's score interval."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = k / n, Z**2 / n
        middle, half = p + q / 2, Z * np.sqrt(p * (1 - p) / n + q / (4 * n))
        return np.where(n > 0, (middle - half) / (1 + q), np.nan), np.where(n > 0, (middle + half) / (1 + q), np.nan)


def percentile_rate(k: Array, n: int) -> Ends:
    """The percentile bootstrap with infinitely many resamples: a resampled count is binomial."""
    return tuple(stats.binom.ppf(q, n, k / n) / n for q in (ALPHA / 2, 1 - ALPHA / 2))  # type: ignore[return-value]


def bca_rate(k: Array, n: int) -> Ends:
    """The BCa bootstrap with infinitely many resamples; none where all items are alike."""
    p = k / n
    with np.errstate(all="ignore"):
        below = 0.5 * (stats.binom.cdf(k - 1, n, p) + stats.binom.cdf(k, n, p))
        z0 = ndtri(below)
        a = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))  # by the jackknife, in closed form
        moved = [z0 + (z0 + z) / (1 - a * (z0 + z)) for z in (-Z, Z)]
        found = [np.where((k > 0) & (k < n), stats.binom.ppf(ndtr(m), n, p) / n, np.nan) for m in moved]
    return found[0], found[1]


# -- tables ----------------------------------------------------------------------------------------


def wald(tables: Array, measure: str) -> Ends:
    """The delta method: the gradient of the measure, and the covariance of a multinomial table."""
    f, c = MEASURES[measure], np.asarray(tables, dtype=float).T
    n = c.sum(axis=0)
    p = (c / n).astype(complex)
    with np.errstate(all="ignore"):
        slopes = []
        for i in range(4):
            there = p.copy()
            there[i] += 1j * STEP
            slopes.append(f(there).imag / STEP)
        g, p = np.stack(slopes), p.real
        half = Z * np.sqrt(np.maximum((p * g**2).sum(axis=0) - (p * g).sum(axis=0) ** 2, 0.0) / n)
        at = f(c)
    return at - half, at + half


def wilson_of(tables: Array, measure: str) -> Ends:
    """Wilson's interval of a measure that is a rate."""
    right, counted = RATES[measure]
    return wilson(tables[:, right].sum(axis=1), tables[:, counted].sum(axis=1))


def bootstraps(tables: Array, names: tuple[str, ...], rng: np.random.Generator) -> dict[str, dict[str, Ends]]:
    """Percentile and BCa intervals, items resampled; 0/0 is 0, as scikit-learn has it."""
    found = np.empty((2, 2, len(names), len(tables)))  # method, end, measure, table
    for i, counts in enumerate(np.asarray(tables, dtype=np.int64)):
        n = int(counts.sum())
        seen = np.flatnonzero(counts)
        values = _values(rng.multinomial(n, counts / n, size=RESAMPLES).T, names)
        found[0, :, :, i] = places(values)
        if len(seen) == 1:  # all resamples are the data: BCa has nothing to correct
            found[1, :, :, i] = np.nan
            continue
        left_out = counts - np.eye(4, dtype=np.int64)[seen]
        found[1, :, :, i] = bca_ends(
            values, _values(counts[:, None], names)[:, 0], _values(left_out.T, names), counts[seen]
        )
    return {
        how: {name: (found[h, 0, m], found[h, 1, m]) for m, name in enumerate(names)}
        for h, how in enumerate(("percentile", "BCa"))
    }


def _values(cells: Any, names: tuple[str, ...]) -> Array:
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.stack([MEASURES[x](cells.astype(float)) for x in names]))
