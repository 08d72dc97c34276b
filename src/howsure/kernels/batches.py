"""Large batches: tables that repeat are computed once, and the rest is shared among the cores.

Statement: slices of small counts have few distinct shapes, and the ufuncs of scipy release Python's lock, so threads
share the work. Domain: laws that act on each table by itself. Error: none; the numbers are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MANY: Final = 20_000  # tables from which it pays
_PIECE: Final = 50_000
_MIXED: Final = 0.6180339887498949


def distinct(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.intp]] | None:
    """The distinct pairs and where each table finds its own; None where too few repeat."""
    if a.size < MANY or a.ndim != 1 or a.shape != b.shape:
        return None
    mixed = np.sort(a + _MIXED * b)  # far quicker to sort than pairs, and hardly ever equal where these are not
    if 2 * np.count_nonzero(mixed[1:] != mixed[:-1]) > a.size:
        return None
    pairs, inverse = np.unique(a + 1j * b, return_inverse=True)
    if pairs.size > a.size // 2:
        return None
    return pairs.real.copy(), pairs.imag.copy(), inverse.reshape(-1)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_pieces(work: Callable[[Array, Array], tuple[Array, ...]], a: Array, b: Array) -> tuple[Array, ...]:
    """work(a, b) with the tables dealt out to the cores; results have the tables on their last axis."""
    if a.size < 2 * _PIECE or a.ndim != 1 or a.shape != b.shape or cores() == 1:
        return work(a, b)
    cuts = range(0, a.size, _PIECE)
    with ThreadPoolExecutor(cores()) as pool:
        parts = list(pool.map(lambda i: work(a[i : i + _PIECE], b[i : i + _PIECE]), cuts))
    return tuple(np.concatenate(x, axis=-1) for x in zip(*parts, strict=True))
