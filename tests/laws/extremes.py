"""Extreme tables and priors, and what every law and every document must keep to, whatever they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

import howsure as hs
from howsure.posteriors.distribution import Distribution

CELLS = ("tp", "fp", "fn", "tn")
BIG = 10**15
TABLES = np.array([
    (0, 0, 0, 0), (5, 0, 0, 0), (0, 5, 0, 0), (0, 0, 5, 0), (0, 0, 0, 5), (1, 0, 0, 0), (10, 0, 0, 10), (0, 10, 10, 0),
    (1, 1, 0, 0), (0, 1, 1, 1), (1000, 0, 0, 999), (10**6, 1, 0, 0), (3, 10**9, 0, 7), (0, 1, 10**12, 1000),
    (10**8, 0, 0, 10**8), (BIG, 0, 0, 0), (0, 0, 0, BIG), (1, 0, 0, BIG), (BIG, 0, 1, 0), (BIG, 1, 1, BIG),
    (1, BIG, BIG, 1), (BIG, BIG, BIG, BIG),
])  # fmt: skip
PRIORS: tuple[Any, ...] = ("even", "jeffreys", 1e-6, 0.01, 1.0, 1000.0)
POINTS = (1e-9, 0.1, 0.5, 0.9, 1 - 1e-9)
EPS = float(np.finfo(float).eps)


@contextmanager
def no_warnings() -> Iterator[None]:
    """A warning of any kind is an error: on the command line it would be on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def tally(tables: Any) -> hs.Tally:
    """One table, or a batch of them, (tables, 4)."""
    table = np.asarray(tables)
    parts = table if table.ndim == 1 else table.T
    return hs.Tally.binary(**dict(zip(CELLS, parts, strict=True)))


def keeps_to_its_range(d: Distribution, kinds: tuple[str, ...] = ("equal-tailed",)) -> None:
    """Numbers are numbers, lie in the range and in order, and an interval has a width where the law has spread."""
    bottom, top = d.range
    mean, std, median = (np.asarray(x, dtype=float) for x in (d.mean, d.std, d.median))
    assert not np.isnan(median).any()
    assert (std >= 0)[~np.isnan(std)].all()
    for x in (mean[~np.isnan(mean)], median):
        assert ((bottom <= x) & (x <= top)).all(), (bottom, x, top)
    for kind in kinds:
        low, high = (np.asarray(x, dtype=float) for x in d.interval(0.95, kind=kind))
        assert ((bottom <= low) & (low <= high) & (high <= top)).all(), (kind, low, high)
        assert ((low < high) | ~(std > EPS * np.abs(low))).all(), (kind, low, high, std)
        if kind == "equal-tailed":
            assert ((low <= median) & (median <= high)).all(), (low, median, high)
    _has_tails(d)


def _has_tails(d: Distribution) -> None:
    points = [np.asarray(d.ppf(p), dtype=float) for p in POINTS]
    for one, two in pairwise(points):
        assert (one <= two).all(), points
    for x in points:
        below, above, density = (np.asarray(f(x), dtype=float) for f in (d.cdf, d.sf, d.pdf))
        assert ((below >= 0) & (below <= 1) & (above >= 0) & (above <= 1)).all(), (below, above)
        np.testing.assert_allclose(below + above, 1.0, atol=1e-9)
        assert (density >= 0).all(), density
    error = d.error
    assert (np.asarray(error.value, dtype=float) >= 0).all()
    assert (np.asarray(error.probability, dtype=float) >= 0).all()


def keeps_to_numbers(document: Any, path: str = "") -> None:
    """No NaN and no infinity in a document, and every probability is one."""
    if isinstance(document, dict):
        for key, value in document.items():
            keeps_to_numbers(value, f"{path}.{key}")
        _ordered(document, path)
    elif isinstance(document, (list, tuple)):
        for i, value in enumerate(document):
            keeps_to_numbers(value, f"{path}[{i}]")
    elif isinstance(document, float):
        assert np.isfinite(document), path
        if path.rpartition(".")[2].startswith("p_"):
            assert 0 <= document <= 1, (path, document)


def _ordered(row: dict[str, Any], path: str) -> None:
    low, high, bounds = row.get("low"), row.get("high"), row.get("range")
    if low is None or high is None or path.endswith(".error"):
        return
    assert low <= high, (path, low, high)
    if bounds is not None:
        bottom, top = (x if isinstance(x, (int, float)) else None for x in bounds)
        for x in (low, high, row.get("mean"), row.get("median")):
            assert x is None or bottom is None or x >= bottom, (path, x, bounds)
            assert x is None or top is None or x <= top, (path, x, bounds)
