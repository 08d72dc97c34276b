"""Counting columns in memory, without a Python loop over rows where it can be.

Small whole numbers are counted by numpy.bincount in cache-sized pieces, much text of fixed width by a hash of its
letters, and everything else by one pass of a hash table over patterns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels
from howsure.evidence.account import Account
from howsure.evidence.classes import Tally
from howsure.evidence.layout import SQUARE
from howsure.labels import Label

_PIECE: Final = 1 << 16
_SMALL_RANGE: Final = 1 << 10
_WIDEST: Final = 160  # bytes of a row of text that are copied, of so many rows: else it does not pay
_SHORT: Final = 1 << 14
_BUCKET_BITS: Final = 14
_BUCKETS: Final = 1 << _BUCKET_BITS

Patterns = dict[tuple[Hashable, ...], tuple[float, float]]


def count(columns: list[Any], weights: NDArray[np.float64] | None) -> Patterns:
    """Distinct patterns with their counts (and sums of squared weights)."""
    arrays = all(isinstance(c, np.ndarray) for c in columns)
    if arrays:
        kinds = {c.dtype.kind for c in columns}
        found = _count_text(columns, weights) if kinds == {"U"} else None
        found = _count_bytes(columns) if found is None and kinds == {"U"} and weights is None else found
        found = _count_small(columns, weights) if "U" not in kinds else found
        if found is not None:
            return found
    lists = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns]
    try:
        if weights is None:
            return {k: (v, 0.0) for k, v in Counter(zip(*lists, strict=True)).items()}
        return _count_weighted(lists, weights)
    except TypeError:
        raise BadLabels("labels must be plain values such as text, whole numbers or booleans.") from None


def _count_small(columns: list[NDArray[Any]], weights: NDArray[np.float64] | None) -> Patterns | None:
    """bincount on a mixed-radix code when all values are whole numbers in a small range."""
    low = min(int(c.min()) for c in columns)
    high = max(int(c.max()) for c in columns)
    k, axes = high - low + 1, len(columns)
    if k > _SMALL_RANGE or k**axes > 1 << 20:
        return None
    n = columns[0].size
    total = np.zeros(k**axes, dtype=np.int64 if weights is None else np.float64)
    square = np.zeros(k**axes)
    seen = np.zeros(k**axes, dtype=np.int64)
    for start in range(0, n, _PIECE):
        stop = start + _PIECE
        code = np.subtract(columns[0][start:stop], low, dtype=np.intp, casting="unsafe")
        for c in columns[1:]:
            code *= k
            code += c[start:stop]
            if low:
                code -= low
        if weights is None:
            total += np.bincount(code, minlength=total.size)
        else:
            w = weights[start:stop]
            total += np.bincount(code, weights=w, minlength=total.size)
            square += np.bincount(code, weights=w * w, minlength=total.size)
            seen += np.bincount(code, minlength=total.size)
    where = np.flatnonzero(total if weights is None else seen)
    codes = np.unravel_index(where, (k,) * axes)
    asked = [[_value(c, v + low) for v in axis.tolist()] for c, axis in zip(columns, codes, strict=True)]
    return {key: (total[i].item(), float(square[i])) for key, i in zip(zip(*asked, strict=True), where, strict=True)}


def _count_text(columns: list[NDArray[Any]], weights: NDArray[np.float64] | None) -> Patterns | None:
    """Fixed-width text: a multiplicative hash of each pattern picks a bucket, and each row is compared, letter by
    letter, with the first row of its bucket; a collision or too many patterns leaves it to the general way.
    """
    n = columns[0].size
    letters = [np.ascontiguousarray(c).view(np.uint32).reshape(n, -1) for c in columns]
    width = sum(x.shape[1] for x in letters)
    if width > 96 or n < _PIECE // 4:
        return None
    factors = np.random.default_rng(width).integers(1 << 62, (1 << 63) - 1, width, dtype=np.uint64) | np.uint64(1)
    total = np.zeros(_BUCKETS, dtype=np.int64 if weights is None else np.float64)
    square = np.zeros(_BUCKETS)
    first = np.full(_BUCKETS, -1)
    heads = [np.zeros((x.shape[1], _BUCKETS), dtype=np.uint32) for x in letters]
    for start in range(0, n, _PIECE):
        piece = [x[start : start + _PIECE] for x in letters]
        hashed = np.zeros(len(piece[0]), dtype=np.uint64)
        for column, factor in zip((x[:, j] for x in piece for j in range(x.shape[1])), factors, strict=True):
            hashed += np.multiply(column, factor, dtype=np.uint64)
        bucket = (hashed >> np.uint64(64 - _BUCKET_BITS)).astype(np.intp)
        fresh = np.flatnonzero(first[bucket] < 0)
        if fresh.size:
            new, at = np.unique(bucket[fresh], return_index=True)
            first[new] = start + fresh[at]
            for head, x in zip(heads, letters, strict=True):
                head[:, new] = x[first[new]].T
        for head, x in zip(heads, piece, strict=True):
            if not all(np.array_equal(x[:, j], head[j][bucket]) for j in range(x.shape[1])):
                return None
        if weights is None:
            total += np.bincount(bucket, minlength=_BUCKETS)
        else:
            w = weights[start : start + _PIECE]
            total += np.bincount(bucket, weights=w, minlength=_BUCKETS)
            square += np.bincount(bucket, weights=w * w, minlength=_BUCKETS)
    where = np.flatnonzero(first >= 0)
    return {tuple(str(c[first[i]]) for c in columns): (total[i].item(), float(square[i])) for i in where.tolist()}


def _count_bytes(columns: list[NDArray[Any]]) -> Patterns | None:
    """Text of fixed width side by side: a row is one run of bytes, which a hash table takes quicker than a pair."""
    kind = np.dtype([(str(i), c.dtype) for i, c in enumerate(columns)])
    width, size = kind.itemsize, columns[0].size
    if not 0 < width <= _WIDEST or size > _SHORT:
        return None
    rows = np.empty(size, dtype=kind)
    for name, c in zip(rows.dtype.names or (), columns, strict=True):
        rows[name] = c
    found = Counter(rows.view(f"S{width}").tolist())
    keys = np.array(list(found), dtype=f"S{width}").view(rows.dtype).tolist()
    return {key: (v, 0.0) for key, v in zip(keys, found.values(), strict=True)}


def _value(column: NDArray[Any], x: int) -> Label:
    return bool(x) if column.dtype.kind == "b" else x


def _count_weighted(lists: list[list[Any]], weights: NDArray[np.float64]) -> Patterns:
    keys = list(zip(*lists, strict=True))
    index = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(index.__getitem__, keys), dtype=np.intp, count=len(keys))
    total = np.bincount(codes, weights=weights, minlength=len(index))
    square = np.bincount(codes, weights=weights * weights, minlength=len(index))
    return {key: (float(total[i]), float(square[i])) for key, i in index.items()}


def zeros_and_ones(truth: Any, answer: Any, systems: tuple[str, ...]) -> Tally | None:
    """The commonest case, 0/1 or False/True in two arrays, without a detour over patterns."""
    if not (isinstance(truth, np.ndarray) and isinstance(answer, np.ndarray)):
        return None
    kinds = truth.dtype.kind + answer.dtype.kind
    if "U" in kinds or (kinds != "bb" and (min(truth.min(), answer.min()) < 0 or max(truth.max(), answer.max()) > 1)):
        return None
    counts = np.zeros(4, dtype=np.int64)
    for start in range(0, truth.size, _PIECE):
        code = np.multiply(truth[start : start + _PIECE], 2, dtype=np.intp, casting="unsafe")
        code += answer[start : start + _PIECE]
        counts += np.bincount(code, minlength=4)
    known: tuple[Label, ...] = (False, True) if kinds == "bb" else (0, 1)
    return Tally(
        cells=SQUARE, counts=counts, labels=known, systems=systems, positive=known[1], labels_given=False,
        account=Account(truth.size),
    )  # fmt: skip
