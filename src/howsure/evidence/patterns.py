"""Patterns: counts of what items showed, as tallies, outcomes and label sets share them, and how parts merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np

from howsure.arrays import AnyArray, Mask
from howsure.errors import BadCounts, BadLabels, listing
from howsure.evidence.protocol import PATTERNS, SQUARE, Account, Axis, both, read_only
from howsure.evidence.slices import Slices, joined
from howsure.messages.notes import Notes
from howsure.validate import Label, completed, in_order, places, refuse_number_and_text, usual_positive, within

if TYPE_CHECKING:
    from howsure.evidence.classes import Tally


# -- patterns
#
# Patterns: counts of what items showed, the layout that tallies of classes, outcomes and label sets share.
#
# `cells` holds the integer codes of the patterns, one row a pattern: the truth first, where there is one, then the
# answer of each system. `counts` holds batch axes and then one entry a pattern. What the codes mean is the kind's own
# business; -1 is a missing answer that was kept as never right.


@dataclass(frozen=True, eq=False, kw_only=True)
class Patterns:
    """Counts of patterns; immutable; `a + b` merges, so `sum(parts)` merges shards."""

    cells: AnyArray
    counts: AnyArray
    systems: tuple[str, ...] = ("system",)
    batch: tuple[Axis, ...] = ()
    squares: AnyArray | None = None  # sums of squared weights, where items have weights
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
    def totals(self) -> AnyArray:
        """The number of items of every table, as an array of the batch shape."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.squares is not None

    @property
    def effective(self) -> AnyArray:
        """Counts of the table as a whole: the counts, or counts·Σw/Σw² when weighted (Kish 1965)."""
        if self.squares is None:
            return self.counts.astype(float)
        from howsure.distributions.weights import effective_counts

        return effective_counts(self.counts, self.squares)

    @property
    def part_cost(self) -> int:
        """Numbers that are dealt for a part."""
        return len(self.cells)

    @property
    def squared(self) -> Self:
        """The same with the sums of squared weights for counts."""
        return self if self.squares is None else replace(self, counts=self.squares, squares=None)

    def sum_where(self, where: Mask, effective: bool) -> AnyArray:
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

        def added(x: AnyArray) -> AnyArray:
            return np.asarray((x if places is None else x.take(places, axis=axis)).sum(axis=axis))

        batch = tuple(x for k, x in enumerate(self.batch) if k != axis)
        squares = None if self.squares is None else added(self.squares)
        return replace(self, counts=added(self.counts), squares=squares, batch=batch)

    def dealt(self, sizes: AnyArray, rng: np.random.Generator) -> Self:
        """A batch of parts of these sizes, each of items taken at random from a single table."""
        from howsure.distributions.alike import deal

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


def _collect(values: AnyArray, inverse: AnyArray, size: int) -> AnyArray:
    if size == values.shape[-1]:
        found = np.empty_like(values)
        found[..., inverse] = values
        return found
    found = np.zeros((*values.shape[:-1], size), dtype=values.dtype)
    np.add.at(np.moveaxis(found, -1, 0), inverse, np.moveaxis(values, -1, 0))
    return found


def small(array: AnyArray) -> AnyArray:
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


# -- merging
#
# Patterns put together: the same labels, slices and label sets on both sides, and what must agree is checked.

P = TypeVar("P", bound=Patterns)


def tallies(a: Tally, b: Tally) -> Any:
    """Counts of both; labels are the union."""
    a, other = aligned(a, b)
    labels = _merged_labels(a, other)
    parts = []
    for t in (a, other):
        to = np.array([labels.index(x) if x in labels else -2 for x in t.labels] + [-1])
        parts.append(to[t.cells])
    codes = np.concatenate(parts)
    kept = (codes > -2).all(axis=1)
    made = added(a, other, codes, kept)
    positive = _merged_positive(a, other, labels)
    given = a.labels_given and other.labels_given
    return checked(replace(made, labels=labels, positive=positive, labels_given=given).tidy())


def added(a: P, b: Patterns, codes: AnyArray, kept: Any = slice(None)) -> P:
    """The patterns of both one after the other, under these codes."""
    counts = np.concatenate([a.counts, b.counts], axis=-1)[..., kept]
    squares = None
    if a.weighted or b.weighted:
        squares = np.concatenate([_squares(a), _squares(b)], axis=-1)[..., kept]
    notes = a.notes + tuple(x for x in b.notes if x not in a.notes)
    account = both(a.account, b.account)
    return replace(a, cells=codes[kept], counts=counts, squares=squares, notes=notes, account=account)


def checked(t: P) -> P:
    """The same, if its counts are exact in a double."""
    if not t.weighted:
        within(t.counts)
    return t


def refused(a: Patterns, b: object) -> Any:
    """Evidence of two kinds; anything else is not evidence at all."""
    if not isinstance(b, Patterns):
        return NotImplemented
    raise BadLabels(
        f"evidence of different kinds (classes, outcomes, items with several labels) cannot be added; got "
        f"{type(a).__name__} and {type(b).__name__}."
    )


def aligned(a: P, b: P) -> tuple[P, P]:
    """Both with the slices of either; systems and other axes must agree."""
    if a.systems != b.systems:
        raise BadLabels(f"tallies of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    if a.batch == b.batch:
        return a, b
    if [name for name, _ in a.batch] != [name for name, _ in b.batch]:
        raise BadCounts(f"tallies of different batches cannot be added: shapes {a.shape} and {b.shape}.")
    for k, ((name, x), (_, y)) in enumerate(zip(a.batch, b.batch, strict=True)):
        if x == y:
            continue
        if not isinstance(x, Slices) or not isinstance(y, Slices):
            raise BadCounts(f"tallies of different batches cannot be added: shapes {a.shape} and {b.shape}.")
        axis, at, bt = joined(x, y)
        a, b = _spread(a, k, (name, axis), at), _spread(b, k, (name, axis), bt)
    return a, b


def _spread(t: P, k: int, axis: Axis, at: AnyArray) -> P:
    """The tables of one axis at their places on a longer one."""

    def put(values: AnyArray) -> AnyArray:
        out = np.zeros((*values.shape[:k], len(axis[1]), *values.shape[k + 1 :]), dtype=values.dtype)
        out[(slice(None),) * k + (at,)] = values
        return out

    squares = None if t.squares is None else put(t.squares)
    return replace(t, counts=put(t.counts), squares=squares, batch=(*t.batch[:k], axis, *t.batch[k + 1 :]))


def _merged_labels(a: Tally, b: Tally) -> tuple[Label, ...]:
    """The union of the labels; labels that only the 0/1 rule added to a shard are decided anew."""
    refuse_number_and_text(a.labels, b.labels, "labels")
    if a.labels_given or b.labels_given:
        return a.labels if a.labels == b.labels else in_order({*a.labels, *b.labels})
    return completed(occurring(a) | occurring(b)) or a.labels


def occurring(t: Tally) -> set[Label]:
    """The labels of true items and of predictions."""
    used = t.cells[t.counts.reshape(-1, t.counts.shape[-1]).any(axis=0)]
    return {t.labels[i] for i in np.unique(used).tolist() if i >= 0}


def _merged_positive(a: Tally, b: Tally, labels: tuple[Label, ...]) -> Label | None:
    """The positive class of both; one that a shard has only by the 0/1 rule gives way to what holds of the whole."""
    if not a.positive_given and not b.positive_given:
        return usual_positive(labels)
    if a.positive != b.positive:
        raise BadLabels(f"tallies with different positive classes cannot be added: {a.positive!r}, {b.positive!r}.")
    return a.positive


def _squares(t: Patterns) -> AnyArray:
    return t.counts.astype(float) if t.squares is None else t.squares


def same(a: Patterns, b: Patterns, also: tuple[str, ...] = ()) -> bool:
    """Whether two hold the same counts of the same patterns, in whatever order."""
    a, b = a.tidy(), b.tidy()
    names = ("systems", "batch", *also)
    return bool(
        [getattr(a, x) for x in names] == [getattr(b, x) for x in names]
        and np.array_equal(a.cells, b.cells)
        and a.weighted == b.weighted
        and _equal(a.counts, b.counts, a.weighted)
        and (a.squares is None or b.squares is None or _equal(a.squares, b.squares, True))
    )


def _equal(a: AnyArray, b: AnyArray, sums: bool) -> bool:
    """Equal counts; sums of weights may differ by the order in which they were added."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-9, atol=0.0) if sums else np.array_equal(a, b))


def full_square(t: Patterns) -> dict[str, Any]:
    """All four patterns of a 2x2 table (and missing answers, if any), in order."""
    lost = sorted({tuple(c) for c in t.cells.tolist()} - set(PATTERNS))
    patterns = [*PATTERNS, *lost]
    place = {p: i for i, p in enumerate(patterns)}
    at = [place[tuple(c)] for c in t.cells.tolist()]
    full = np.zeros((*t.shape, len(patterns)), dtype=t.counts.dtype)
    full[..., at] = t.counts
    more = None
    if t.squares is not None:
        more = np.zeros((*t.shape, len(patterns)))
        more[..., at] = t.squares
    return {"cells": SQUARE if not lost else np.array(patterns), "counts": full, "squares": more}
