"""Parts that are alike: what parts of one pool show when items are dealt out at random, and which parts stand out.

Dealing is without replacement, so the pool is kept: a part of n items is a multivariate hypergeometric draw, made as a
chain of hypergeometric ones. Under exchangeable items the place of a part's value among those of dealt parts of its
size is uniform (up to ties), whatever the statistic: a permutation test (Fisher 1935; Pitman 1937). Which parts stand
out among many is told by Benjamini & Hochberg (1995): of those marked about the given share, at most, would be so by
chance.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import Array, Index, Integers, Mask

LARGEST: Final = 500_000_000  # pool that numpy deals from without replacement
FEW: Final = 100  # different values that are dealt one by one, as patterns are
EXPANDED: Final = 5_000_000  # items that are shuffled, at most


def deal(pool: NDArray[np.generic], sizes: Integers, rng: np.random.Generator) -> Integers:
    """For each size the counts of that many items of the pool, (sizes, patterns); sums of weights with replacement."""
    whole = np.asarray(pool, dtype=float)
    after = np.cumsum(whole[::-1])[::-1] - whole  # what comes after each pattern
    exact = bool(np.all(whole == np.floor(whole))) and whole.sum() < LARGEST
    left = np.array(sizes, dtype=np.int64)
    counts = np.zeros((left.size, whole.size), dtype=np.int64)
    for c, (here, rest) in enumerate(zip(whole.tolist(), after.tolist(), strict=True)):
        if here <= 0:
            continue
        if rest <= 0:
            counts[:, c] = left
            break
        counts[:, c] = (
            rng.hypergeometric(int(here), int(rest), left) if exact else rng.binomial(left, here / (here + rest))
        )
        left -= counts[:, c]
    return counts


def deal_sums(
    values: Array, counts: Array | None, weights: Array | None, sizes: Integers, rng: np.random.Generator
) -> Array:
    """For each size the sums of the values of that many rows taken at random, (sizes, columns).

    Rows stand for so many items (counts). By their weights they are taken with replacement. Without weights one shuffle
    of all items is dealt out to as many parts as it is enough for.
    """
    if counts is not None and weights is None and (len(values) <= FEW or counts.sum() > EXPANDED):
        return np.asarray(deal(counts, sizes, rng) @ values)
    each = values if counts is None or weights is not None else np.repeat(values, counts.astype(np.int64), axis=0)
    many, ends = len(each), np.cumsum(sizes)
    chance = None
    if weights is not None:
        mass = weights if counts is None else weights * counts
        chance = mass / mass.sum()
    sums, first, done = np.zeros((len(sizes), values.shape[1])), 0, 0
    while first < len(sizes):
        last = max(first + 1, int(np.searchsorted(ends, done + many, side="right")))
        taken, starts = int(ends[last - 1]) - done, ends[first:last] - sizes[first:last] - done
        at = rng.permutation(many)[:taken] if chance is None else rng.choice(many, taken, p=chance)
        sums[first:last] = np.add.reduceat(each[at], starts, axis=0)
        first, done = last, int(ends[last - 1])
    return sums


def size_groups(sizes: Array) -> Index:
    """Parts of like size, each at most twice as large as another of its group; groups are numbered from 0."""
    doubled = np.floor(np.log2(np.maximum(sizes, 1.0))).astype(np.intp)
    return np.unique(doubled, return_inverse=True)[1].reshape(-1)


def standing(values: Array, dealt: Array) -> tuple[Array, Array]:
    """Two-sided shares of dealt values that are at least as far out, for each value and for the dealt ones themselves.

    Twice the smaller tail. Beyond all that was dealt the tail goes on as a normal one with the spread of the dealt.
    """
    ordered = np.sort(dealt)
    size = ordered.size
    own = np.minimum(np.searchsorted(ordered, dealt, side="right"), size - np.searchsorted(ordered, dealt, side="left"))
    below = np.searchsorted(ordered, values, side="right")
    above = size - np.searchsorted(ordered, values, side="left")
    share = (1.0 + np.minimum(below, above)) / (1.0 + size)
    share = share * _beyond(values, ordered)
    return np.minimum(2.0 * share, 1.0), np.minimum(2.0 * own / size, 1.0)


def _beyond(values: Array, ordered: Array) -> Array:
    """How much thinner a normal tail is at a value than at the furthest that was dealt; 1 within."""
    from scipy.special import log_ndtr

    middle, spread = ordered.mean(), ordered.std()
    if not np.isfinite(spread) or spread <= 0.0:
        return np.ones_like(values)
    with np.errstate(invalid="ignore", over="ignore"):
        z, low, high = ((x - middle) / spread for x in (values, ordered[0], ordered[-1]))
        out = np.where(z < low, log_ndtr(z) - log_ndtr(low), np.where(z > high, log_ndtr(-z) - log_ndtr(-high), 0.0))
    return np.asarray(np.exp(np.nan_to_num(out, nan=0.0, posinf=0.0, neginf=-745.0)))


def discoveries(shares: Array, at: float) -> Mask:
    """Which of many shares are small beyond chance: Benjamini & Hochberg's rule at that rate of false ones."""
    size = shares.size
    order = np.argsort(shares, kind="stable")
    kept = np.flatnonzero(shares[order] * size <= at * np.arange(1, size + 1))
    found = np.zeros(size, dtype=bool)
    if kept.size:
        found[order[: kept[-1] + 1]] = True
    return found
