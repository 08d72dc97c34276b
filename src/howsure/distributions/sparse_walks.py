"""Weights cumulated along an ordering, at a few places only: the Bayesian bootstrap without a weight for each item.

Statement: the weights of items are independent Gammas, so the sum over items that lie together is one Gamma of the sum
of their shapes, and their parts of it a Dirichlet. Where one class reaches given levels is found from sums over blocks,
and only the blocks that hold a level are dealt out to their items; the other class is then drawn at those cuts alone.
Domain: shapes of 0 and more, cumulated over the cuts of one ordering (distributions/ranked.py), levels that rise.
Error: rounding of the sums; in law the same as drawing every weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Index, Mask


@dataclass(frozen=True, eq=False)
class Shapes:
    """Shapes at or above each cut: of the class whose rate is given, and of the other."""

    lead: Array
    other: Array
    width: int  # cuts in a block

    @cached_property
    def cuts(self) -> Index:
        """Cuts that add to the lead, and the first of all: no other is the first to reach a level."""
        return np.flatnonzero(np.append(True, self.lead[1:] > self.lead[:-1]))

    @cached_property
    def blocks(self) -> Array:
        """The shapes that these cuts add, in rows of one block each; the last is filled up with 0."""
        size = -(-self.cuts.size // self.width) * self.width
        out = np.zeros(size)
        out[: self.cuts.size] = np.diff(self.lead[self.cuts], prepend=0.0)
        return out.reshape(-1, self.width)

    @cached_property
    def single(self) -> bool:
        """Whether every cut adds one item, or none: a Gamma of shape 1 is an exponential."""
        return bool(np.isin(self.blocks, (0.0, 1.0)).all())

    @cached_property
    def full(self) -> Mask:
        """Blocks in which every cut adds something."""
        return np.asarray((self.blocks > 0).all(axis=1))


def at_cuts(shapes: Array, cuts: Index, rng: np.random.Generator, n: int, prior: Array) -> tuple[Array, Array]:
    """Weights at or above given cuts (n, cuts), which must rise, and in all; `prior` (n, 2) is above and below all."""
    places = np.append(shapes[cuts], shapes[-1])
    sums = np.cumsum(rng.standard_gamma(np.diff(places, prepend=0.0), (n, places.size)), axis=1) + prior[:, :1]
    return sums[:, :-1], sums[:, -1] + prior[:, 1]


def at_levels(
    s: Shapes, levels: Array, slack: float, rng: np.random.Generator, n: int, lead: Array, other: Array
) -> tuple[Array, Array, Array, Array]:
    """Where the lead's share reaches each level (give or take the slack), on the line that ends at the cut there.

    `lead` and `other` (n, 2) are the prior's weights above and below all. Weights of the lead and of the other there,
    each (n, levels), and the totals of both.
    """
    sums = rng.standard_gamma(s.blocks.sum(axis=1), (n, len(s.blocks)))
    ends = np.cumsum(sums, axis=1) + lead[:, :1]
    total = ends[:, -1] + lead[:, 1]
    target = total[:, None] * levels
    unit, before, here = _reached(s, rng, sums, ends, target + slack * total[:, None], lead[:, 0])
    past = unit == s.cuts.size  # beyond the last cut lies the prior's weight below all
    before = np.where(past, ends[:, -1:], before)
    here = np.where(past, total[:, None], here)
    ahead, there, whole = _followed(s, rng, unit, other)
    step = np.divide(target - before, here - before, out=np.ones_like(before), where=here > before)
    step = np.clip(step, 0.0, 1.0)
    return before + step * (here - before), ahead + step * (there - ahead), total, whole


def _reached(
    s: Shapes, rng: np.random.Generator, sums: Array, ends: Array, target: Array, above: Array
) -> tuple[Index, Array, Array]:
    """The first of the cuts at which the lead reaches each target, and its weight at the cut before and there."""
    block = np.stack([np.searchsorted(x, y) for x, y in zip(ends, target, strict=True)])
    inside = np.minimum(block, len(s.blocks) - 1)
    new = np.append(np.ones((len(sums), 1), dtype=bool), inside[:, 1:] != inside[:, :-1], axis=1)
    parts = np.cumsum(_parts(s, rng, inside[new]), axis=1)
    if not new.all():  # two levels in one block have the same parts
        parts = parts[np.cumsum(new) - 1]
    row = np.arange(len(sums))[:, None]
    start = np.where(inside > 0, ends[row, inside - 1], above[:, None])
    whole = parts[:, -1].reshape(block.shape)
    scale = np.divide(sums[row, inside], whole, out=np.zeros_like(whole), where=whole > 0)
    wanted = np.divide(target - start, scale, out=np.zeros_like(whole), where=scale > 0)
    k = np.count_nonzero(parts[:, :-1] < wanted.reshape(-1, 1), axis=1).reshape(block.shape)
    unit = np.minimum(inside * s.width + k, s.cuts.size - 1)
    k = (unit - inside * s.width).ravel()
    each = np.arange(k.size)
    before, here = (
        start + scale * x.reshape(block.shape) for x in (np.where(k > 0, parts[each, k - 1], 0.0), parts[each, k])
    )
    return np.where(block == len(s.blocks), s.cuts.size, unit), np.where(unit == 0, 0.0, before), here


def _parts(s: Shapes, rng: np.random.Generator, blocks: Index) -> Array:
    """Gammas of the cuts in these blocks."""
    if not s.single:
        return rng.standard_gamma(s.blocks[blocks])
    out = rng.standard_exponential((blocks.size, s.width))
    short = ~s.full[blocks]
    out[short] *= s.blocks[blocks[short]]
    return out


def _followed(s: Shapes, rng: np.random.Generator, unit: Index, prior: Array) -> tuple[Array, Array, Array]:
    """The other class's weight at the cut before each of these, at it, and in all."""
    n, many = unit.shape
    cut = np.append(s.cuts, s.other.size)[unit]
    shapes = np.concatenate([[0.0], s.other, s.other[-1:]])  # at cut -1, at each, and at the end
    places = np.empty((n, 2 * many + 1))
    places[:, 0:-1:2], places[:, 1:-1:2], places[:, -1] = shapes[cut], shapes[cut + 1], s.other[-1]
    new = np.append(np.ones((n, 1), dtype=bool), cut[:, 1:] != cut[:, :-1], axis=1)
    steps = np.diff(places, axis=1, prepend=0.0)
    steps[:, 0:-1:2] *= new  # two levels at one cut have the same places
    steps[:, 1:-1:2] *= new
    sums = np.cumsum(rng.standard_gamma(np.maximum(steps, 0.0)), axis=1) + prior[:, :1]
    first = np.maximum.accumulate(np.where(new, np.arange(many), 0), axis=1)
    ahead = np.take_along_axis(sums[:, 0:-1:2], first, axis=1)
    whole = sums[:, -1] + prior[:, 1]
    there = np.where(cut == s.other.size, whole[:, None], sums[:, 1:-1:2])
    return np.where(cut == 0, 0.0, ahead), there, whole
