"""Places in many rankings at once: segments of one flat array, each sorted, each searched."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import AnyArray, Array, Index, Integers, Mask


def starts_of(sizes: Any) -> Integers:
    """Where each segment starts, and the end of the last one."""
    out = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def changes(*columns: AnyArray) -> Mask:
    """Whether each row differs from the one before it, the first one too; by comparison, which infinities stand."""
    new = np.ones(len(columns[0]), dtype=bool)
    if len(new):
        new[1:] = np.any([x[1:] != x[:-1] for x in columns], axis=0)
    return new


def single(scores: Any) -> AnyArray:
    """Scores in single precision; those beyond it tie, as infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(scores, dtype=np.float64).astype(np.float32)


def sort_segments(values: AnyArray, sizes: Any) -> AnyArray:
    """A copy in which every segment rises; segments of one length are sorted as the rows of one matrix."""
    sizes, starts = np.asarray(sizes), starts_of(sizes)
    lengths = np.unique(sizes)
    if len(lengths) == 1 and lengths[0]:
        return np.asarray(np.sort(values.reshape(-1, lengths[0]), axis=1).ravel())
    out = np.array(values)
    for length in lengths[lengths > 1].tolist():
        at = starts[:-1][sizes == length][:, None] + np.arange(length)
        out[at] = np.sort(values[at], axis=1)
    return out


def all_falling(values: AnyArray, sizes: Any) -> bool:
    """Whether no value of a segment is above the one before it."""
    (up,) = np.nonzero(values[1:] > values[:-1])
    return len(up) < len(sizes) and bool(np.isin(up + 1, starts_of(sizes)).all())


def above_and_level(rising: AnyArray, sizes: Any, segment: Any, value: Any) -> tuple[Integers, Integers]:
    """For each value in its segment: how many there are greater, and how many equal, itself counted.

    The values must occur in their segments. One bisection of all together: as many steps as the longest segment has
    binary digits; a second one for those that are not alone.
    """
    ends = starts_of(sizes)
    first, end = ends[:-1][segment], ends[1:][segment]
    last = _last(rising, first, end, value, np.less_equal)
    level = np.ones(len(value), dtype=np.int64)
    (tied,) = np.nonzero((last > first) & (rising[last - 1] == value))
    if tied.size:
        level[tied] = last[tied] - _last(rising, first[tied], end[tied], value[tied], np.less)
    return end - 1 - last, level


def _last(rising: AnyArray, first: Integers, end: Integers, value: Any, goes_before: np.ufunc) -> Integers:
    """The last place that goes before each value; one ahead of the segment where none does."""
    at = first - 1
    for k in range(int((end - first).max(initial=0)).bit_length() - 1, -1, -1):
        there = at + (1 << k)
        inside = there < end
        inside &= goes_before(rising[np.where(inside, there, first)], value)
        at += inside.astype(np.int64) << k
    return at


def order_by(major: Any, minor: Any) -> Index:
    """The order by the first of two whole numbers, then by the second, from 0 on: one sort of one number."""
    span = int(np.max(minor, initial=0)) + 1
    return np.argsort(np.asarray(major, dtype=np.int64) * span + minor)


def within_segments(segment: Any, many: int) -> Integers:
    """The place of each entry of sorted segment numbers within its segment, from 0."""
    starts = starts_of(np.bincount(segment, minlength=many))
    return np.asarray(np.arange(len(segment)) - starts[segment])


def falling_maximum(values: Any, segment: Any) -> Array:
    """The greatest value from each entry to the end of its segment; segment numbers must be sorted.

    Maxima of whole numbers (place of the value, ahead of it the segment): no digit of a value is lost.
    """
    size = len(values)
    order = np.argsort(values)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    last = int(segment[-1]) if size else 0
    key = (last - np.asarray(segment, dtype=np.int64)) * size + place
    best = np.maximum.accumulate(key[::-1])[::-1] % size if size else key
    return np.asarray(np.asarray(values)[order][best], dtype=float)


def matches(lines: NDArray[np.uint64], known: NDArray[np.uint64]) -> tuple[Integers, Integers]:
    """Places in `known` and in `lines` of the hashes that both have; a table of 2^20 marks sorts out most lines."""
    table = np.zeros(1 << 20, dtype=bool)
    high = np.uint64(44)
    table[known >> high] = True
    (likely,) = np.nonzero(table[lines >> high])
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], lines[likely]), len(known) - 1)
    same = known[order][at] == lines[likely]
    return order[at[same]], likely[same]
