"""Slices, the coordinates of a batch axis made from one or more columns, as codes; and parts dealt at random."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

import numpy as np

from howsure.arrays import AnyArray, Integers
from howsure.evidence.protocol import Axis, Evidence, as_json
from howsure.validate import in_order, refuse_number_and_text


@dataclass(frozen=True, eq=False)
class Slices(Sequence[Any]):
    """The slices that occur, in the order of their levels; one column gives plain values, several give tuples.

    >>> s = Slices(("region", "year"), (("north", "south"), (2023, 2024)), np.array([[0, 1], [1, 0]]))
    >>> s.name, list(s), s.where(1)
    ('region, year', [('north', 2024), ('south', 2023)], {'region': 'south', 'year': 2023})
    """

    columns: tuple[str, ...]
    levels: tuple[tuple[Hashable, ...], ...]
    codes: Integers  # one row a slice, one column a slice column, rows in order

    def __post_init__(self) -> None:
        self.codes.setflags(write=False)

    @property
    def name(self) -> str:
        """The name of the axis."""
        return ", ".join(self.columns)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        values = tuple(levels[c] for levels, c in zip(self.levels, self.codes[at].tolist(), strict=True))
        return values if len(values) > 1 else values[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slices):
            return NotImplemented
        return (self.columns, self.levels) == (other.columns, other.levels) and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]

    def where(self, at: int) -> dict[str, Any]:
        """One slice as column and value."""
        return dict(zip(self.columns, (x[c] for x, c in zip(self.levels, self.codes[at], strict=True)), strict=True))

    def values(self, column: int) -> AnyArray:
        """One column's value in every slice, as an array of objects."""
        objects = np.empty(len(self.levels[column]), dtype=object)
        objects[:] = self.levels[column]
        return objects[self.codes[:, column]]


def distinct(columns: Sequence[Integers], sizes: Sequence[int]) -> tuple[Integers, Integers]:
    """The distinct rows of some columns of codes, in order, and for each row its place among them."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for codes, size in zip(columns, sizes, strict=True):
        if span * size >= 1 << 62:  # too many combinations for one number: those that occur are numbered first
            found, key = np.unique(key, return_inverse=True)
            span = len(found)
        key = key * size + codes
        span *= size
    if span <= 4 * key.size + 1024:  # a table of all combinations is cheaper than a sort
        seen = np.zeros(span, dtype=bool)
        seen[key] = True
        first = np.empty(span, dtype=np.int64)
        first[key] = np.arange(key.size)
        place = np.cumsum(seen) - 1
        rows = first[seen]
        inverse = place[key]
    else:
        _, rows, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.stack([codes[rows] for codes in columns], axis=1), inverse.reshape(-1)


def level_order(levels: Iterable[Any]) -> tuple[Any, ...]:
    """Values of a slice column in order; a missing one (None) is the last."""
    found = frozenset(levels)
    present = found - {None}
    try:
        ordered = in_order(present)
    except TypeError:
        ordered = tuple(sorted(present, key=lambda x: (type(x).__name__, str(x))))
    return (*ordered, None) if None in found else ordered


def joined(a: Slices, b: Slices) -> tuple[Slices, Integers, Integers]:
    """The slices of either, and the places of each one's slices among them."""
    levels = tuple(level_order({*x, *y}) for x, y in zip(a.levels, b.levels, strict=True))
    for column, x, y in zip(a.columns, a.levels, b.levels, strict=True):
        refuse_number_and_text(x, y, f"slices of {column!r}:")
    columns = []
    for k, level in enumerate(levels):
        place = {x: i for i, x in enumerate(level)}
        parts = [np.array([place[x] for x in s.levels[k]], dtype=np.int64)[s.codes[:, k]] for s in (a, b)]
        columns.append(np.concatenate(parts))
    rows, inverse = distinct(columns, [len(x) for x in levels])
    return Slices(a.columns, levels, rows), inverse[: len(a)], inverse[len(a) :]


def slice_of(evidence: Evidence, at: tuple[int, ...]) -> dict[str, Any]:
    """The place of one table of the batch: each slice column, or other axis, with its value."""
    found: dict[str, Any] = {}
    for (name, axis), i in zip(evidence.batch, at, strict=True):
        found |= axis.where(i) if isinstance(axis, Slices) else {name: axis[i]}
    return {name: as_json(value) for name, value in found.items()}


# -- dealt
#
# Dealt: parts of the units, of given sizes, that are dealt out at random. Only scores are asked of them.


@dataclass(frozen=True, eq=False)
class Dealt:
    """Units, the sizes of the parts, and the stream that deals them: the same deal for every metric and system."""

    whole: Any
    totals: Integers
    stream: np.random.Generator

    @property
    def rng(self) -> np.random.Generator:
        """The stream from its start."""
        return copy.deepcopy(self.stream)

    @property
    def shape(self) -> tuple[int, ...]:
        """The parts."""
        return (len(self.totals),)

    @property
    def batch(self) -> tuple[Axis, ...]:
        """The parts, which have no names."""
        return (("part", range(len(self.totals))),)

    @property
    def systems(self) -> tuple[str, ...]:
        """Those of the units."""
        names: tuple[str, ...] = self.whole.systems
        return names

    def pick(self, names: Sequence[str]) -> Self:
        """The same parts of these systems."""
        return replace(self, whole=self.whole.pick(names))

    def only(self, measure: object) -> Self:
        """All metrics look at the same parts."""
        del measure
        return self
