"""Data sets of one case, each distinct one once with its share, and what intervals and verdicts do on them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.coverage_data import Row

Array = NDArray[np.float64]
Ends = tuple[Any, Any]  # low and high, one of each for each data set
Bounds = tuple[float, float]

SEED: Final = 318_211  # no other study has it
LEVEL, ALPHA = 0.95, 0.05
INTERVALS: Final = ("coverage", "error", "too low", "too high", "width", "score", "none", "zero", "outside")
VERDICTS: Final = ("called", "error", "wrong way", "none")
NOTHING: Final = 1e-8  # a width or a share below it is none


def stream(*what: Any) -> np.random.Generator:
    """Random numbers of one case."""
    return np.random.default_rng([SEED, *(zlib.crc32(str(x).encode()) for x in what)])


@dataclass(frozen=True)
class Sample:
    """Distinct data sets with their shares, which add to 1."""

    data: NDArray[Any]
    shares: Array
    tests: int  # simulated; 0 if these are all data sets that can occur, with their probabilities

    @classmethod
    def of(cls, simulated: NDArray[Any]) -> Sample:
        """Simulated data sets; the same one counts as often as it came."""
        data, counts = np.unique(simulated, axis=0, return_counts=True)
        return cls(data, counts / len(simulated), len(simulated))

    @classmethod
    def all(cls, data: NDArray[Any], probabilities: Array, dust: float = 1e-12) -> Sample:
        """All data sets that can occur, but for those that together are less likely than `dust`."""
        order = np.argsort(probabilities)
        kept = np.sort(order[np.cumsum(probabilities[order]) > dust])
        return cls(data[kept], probabilities[kept] / probabilities[kept].sum(), 0)

    def __len__(self) -> int:
        return len(self.data)

    def few(self, most: int, rng: np.random.Generator) -> Sample:
        """For slow methods: itself if it has no more data sets than that, else so many of them at random."""
        if len(self) <= most:
            return self
        counts = rng.multinomial(most, self.shares)
        return Sample(self.data[counts > 0], counts[counts > 0] / most, most)


def intervals(sample: Sample, ends: Ends, truth: float, bounds: Bounds | None = None) -> list[float]:
    """The figures of INTERVALS: what the intervals of one method did.

    `score` is the interval score: the width, and 2/alpha times how far the truth is outside. No interval leaves the
    whole range.
    """
    low, high = (np.asarray(x, dtype=float) for x in ends)
    there = np.isfinite(low) & np.isfinite(high)
    below, above = there & (high < truth), there & (low > truth)
    width = np.where(there, high - low, 0.0)
    far = np.where(below, truth - high, 0.0) + np.where(above, low - truth, 0.0)
    whole = np.nan if bounds is None else bounds[1] - bounds[0]
    score = np.where(there, width + 2.0 / ALPHA * far, whole)
    edge = bounds or (-np.inf, np.inf)
    outside = there & ((low < edge[0] - NOTHING) | (high > edge[1] + NOTHING))

    def share(x: NDArray[Any]) -> float:
        return float(sample.shares @ np.where(sample.shares > 0, x, 0.0))

    held, given = share(there & ~below & ~above), share(there)
    return _rounded(
        [held, _error(held, sample.tests), share(below), share(above), share(width) / given if given else None,
         share(score), 1.0 - given, share(there & (width < NOTHING)), share(outside)]
    )  # fmt: skip


def verdicts(sample: Sample, p_better: Any) -> list[float]:
    """The figures of VERDICTS, of P(first better) or of one-sided p-values: called different outside .025 to .975.

    Where a method says nothing (NaN) no difference is called.
    """
    p = np.asarray(p_better, dtype=float)
    first, second = p > 1 - ALPHA / 2, p < ALPHA / 2
    called, wrong, none = (float(sample.shares @ x) for x in (first | second, second, np.isnan(p)))
    return _rounded([called, _error(called, sample.tests), wrong, none])


def _error(share: float, tests: int) -> float:
    """The standard error of a simulated share."""
    return float(np.sqrt(max(share * (1 - share), 0.0) / tests)) if tests else 0.0


def _rounded(found: Sequence[float | None]) -> list[Any]:
    return [None if x is None or not np.isfinite(x) else 0.0 if abs(x) < NOTHING else float(f"{x:.4g}") for x in found]


def rows(case: Mapping[str, Any], cells: Iterable[tuple[str, str, int, list[float]]]) -> list[Row]:
    """The rows of a case, one a method, from (method, measure, tests, cell)."""
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for method, measure, tests, cell in cells:
        found.setdefault((method, tests), {})[measure] = cell
    return [Row(dict(case), method, [tests], held) for (method, tests), held in found.items()]


def each(call: Callable[[Any], Ends], data: Iterable[Any]) -> Ends:
    """The ends of a method that takes one data set at a time."""
    found = np.array([call(x) for x in data], dtype=float)
    return found[:, 0], found[:, 1]
