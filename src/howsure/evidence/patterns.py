"""Patterns: counts of what items showed, the layout that tallies of classes, outcomes and label sets share.

`cells` holds the integer codes of the patterns, one row a pattern: the truth first, where there is one, then the answer
of each system. `counts` holds batch axes and then one entry a pattern. What the codes mean is the kind's own business;
-1 is a missing answer that was kept as never right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from howsure.evidence.account import Account
from howsure.evidence.layout import SQUARE, Array, Axis, read_only
from howsure.kernels.alike import deal
from howsure.kernels.weights import effective_counts
from howsure.labels import places
from howsure.notes import Notes


@dataclass(frozen=True, eq=False, kw_only=True)
class Patterns:
    """Counts of patterns; immutable; `a + b` merges, so `sum(parts)` merges shards."""

    cells: Array
    counts: Array
    systems: tuple[str, ...] = ("system",)
    batch: tuple[Axis, ...] = ()
    squares: Array | None = None  # sums of squared weights, where items have weights
    notes: Notes = ()
    library: str | None = None
    account: Account | None = None  # of the rows that it was read from

    truths: ClassVar[int] = 1  # columns of the cells before the answers

    def __post_init__(self) -> None:
        read_only(self.cells, self.counts, self.squares)

    @property
    def width(self) -> int:
        """The number of codes that a cell can have."""
        return 2

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; () for one table."""
        return cast("tuple[int, ...]", self.counts.shape[:-1])

    @property
    def tables(self) -> int:
        """The number of tables of the batch."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def n(self) -> Any:
        """The number of items (the sum of weights when weighted)."""
        return out(self.counts.sum(axis=-1))

    @property
    def totals(self) -> Array:
        """The number of items of every table, as an array of the batch shape."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.squares is not None

    @property
    def effective(self) -> Array:
        """Counts of the table as a whole: the counts, or counts·Σw/Σw² when weighted (Kish 1965)."""
        return self.counts.astype(float) if self.squares is None else effective_counts(self.counts, self.squares)

    @property
    def part_cost(self) -> int:
        """Numbers that are dealt for a part."""
        return len(self.cells)

    @property
    def squared(self) -> Self:
        """The same with the sums of squared weights for counts."""
        return self if self.squares is None else replace(self, counts=self.squares, squares=None)

    def sum_where(self, where: NDArray[np.bool_], effective: bool) -> Array:
        """The counts of some patterns, added up."""
        counts = self.effective if effective else self.counts
        return np.asarray(counts[..., where].sum(axis=-1))

    # -- parts

    def system(self, name: str) -> Self:
        """The table of one system, the others summed out."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """The joint table of these systems, in this order, the others summed out."""
        at = [*range(self.truths), *(self.truths + i for i in places(names, self.systems))]
        return replace(self, cells=self.cells[:, at], systems=tuple(names)).tidy()

    def only(self, measure: object) -> Self:
        """All measures look at the same patterns."""
        del measure
        return self

    def together(self, axis: int, places: Sequence[int] | None = None) -> Self:
        """The counts of all places of a batch axis, or of some."""

        def added(x: Array) -> Array:
            return np.asarray((x if places is None else x.take(places, axis=axis)).sum(axis=axis))

        batch = tuple(x for k, x in enumerate(self.batch) if k != axis)
        squares = None if self.squares is None else added(self.squares)
        return replace(self, counts=added(self.counts), squares=squares, batch=batch)

    def dealt(self, sizes: Array, rng: np.random.Generator) -> Self:
        """A batch of parts of these sizes, each of items taken at random from a single table."""
        counts = deal(self.counts, sizes, rng)
        return replace(self, counts=counts, squares=None, batch=(("part", range(len(sizes))),))

    def at(self, places: Any, batch: tuple[Axis, ...]) -> Self:
        """The tables at some places of the batch, and what its axes are then."""
        squares = None if self.squares is None else self.squares[places]
        return replace(self, counts=self.counts[places], squares=squares, batch=batch)

    # -- order

    def tidy(self) -> Self:
        """Patterns in order, equal ones merged, empty ones left out."""
        tidied = self.merged()
        kept = tidied.counts.reshape(-1, tidied.counts.shape[-1]).any(axis=0)
        squares = None if tidied.squares is None else tidied.squares[..., kept]
        return replace(tidied, cells=tidied.cells[kept], counts=tidied.counts[..., kept], squares=squares)

    def merged(self) -> Self:
        """Patterns in order, equal ones merged."""
        codes, width = self.cells.astype(np.int64), self.width + 1
        if codes.shape[1] * np.log2(width) < 62:
            key = np.ravel_multi_index(tuple((codes + 1).T), (width,) * codes.shape[1])
            _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        else:
            _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        squares = None if self.squares is None else _collect(self.squares, inverse, first.size)
        return replace(self, cells=codes[first], counts=_collect(self.counts, inverse, first.size), squares=squares)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles hold counts in the smallest type that keeps them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return _unpickled, (type(self), values | {name: small(values[name]) for name in ("cells", "counts")})


def _unpickled(kind: type[Patterns], values: dict[str, Any]) -> Patterns:
    cells, counts = values["cells"].astype(np.int64), values["counts"]
    cells = SQUARE if np.array_equal(cells, SQUARE) else cells
    return kind(**{**values, "cells": cells, "counts": counts if counts.dtype.kind == "f" else counts.astype(np.int64)})


def _collect(values: Array, inverse: Array, size: int) -> Array:
    if size == values.shape[-1]:
        found = np.empty_like(values)
        found[..., inverse] = values
        return found
    found = np.zeros((*values.shape[:-1], size), dtype=values.dtype)
    np.add.at(np.moveaxis(found, -1, 0), inverse, np.moveaxis(values, -1, 0))
    return found


def small(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them."""
    if array.dtype.kind != "i" or array.size == 0:
        return array
    low, high = int(array.min()), int(array.max())
    kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(kind if kind.kind in "iu" else array.dtype)


def out(value: Any) -> Any:
    """A Python number for a single value, an array for a batch."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array
