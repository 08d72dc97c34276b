"""SlicedGraded: the evidence of graded values in slices. Each slice has its own items, and its own number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.evidence.account import Account
from howsure.evidence.graded import Graded, Mean
from howsure.evidence.layout import Axis
from howsure.evidence.protocol import same_fields
from howsure.language import option
from howsure.notes import Notes
from howsure.slices import Slices, joined

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SlicedGraded:
    """The items of every slice, and all of them together; immutable; `a + b` puts the items of both together.

    >>> from howsure.ingest.graded import graded
    >>> graded({"grade": [1, 4, 5, 2], "topic": ["x", "y", "y", "x"]}, value="grade", by="topic")
    SlicedGraded(4 items in 2 slices)
    """

    parts: tuple[Graded, ...]  # in the order of the axis
    whole: Graded
    axis: Slices
    notes: Notes = ()  # of all items

    @property
    def totals(self) -> NDArray[np.int64]:
        """The number of items of every slice."""
        return np.array([part.n for part in self.parts])

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of items of every slice."""
        return self.totals

    @property
    def shape(self) -> tuple[int, ...]:
        """The slices."""
        return (len(self.parts),)

    @property
    def batch(self) -> tuple[Axis, ...]:
        """The slices, by the values of their columns."""
        return ((self.axis.name, self.axis),)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that every item has a value of."""
        return self.whole.systems

    @property
    def measure(self) -> Mean:
        """The mean."""
        return self.whole.measure

    @property
    def weighted(self) -> bool:
        """Whether the items have weights."""
        return self.whole.weighted

    @property
    def library(self) -> str | None:
        """The library of the frame that they were read from."""
        return self.whole.library

    @property
    def account(self) -> Account | None:
        """What became of the rows that they were read from."""
        return self.whole.account

    @cached_property
    def averages(self) -> Array:
        """The mean value in every slice, one column a system."""
        return np.array([part.averages for part in self.parts])

    @property
    def effective(self) -> Array:
        """The size of every slice, that of Kish where items have weights, (slices, 1)."""
        return np.array([[part.effective] for part in self.parts])

    @property
    def part_cost(self) -> int:
        """Numbers that are dealt for a part of the size of a slice, at most."""
        return min(len(self.whole.values), int(self.totals.max()))

    def named(self, k: int) -> str:
        """One slice in words."""
        return ", ".join(f"{column}={value}" for column, value in self.axis.where(k).items())

    def system(self, name: str) -> Self:
        """The items of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """The items of these systems, in this order."""
        return replace(self, parts=tuple(part.pick(names) for part in self.parts), whole=self.whole.pick(names))

    def only(self, measure: object) -> Self:
        """There is one measure, the mean."""
        self.whole.only(measure)
        return self

    def with_positive(self, label: object) -> Self:
        """Refused: values have no classes."""
        return replace(self, whole=self.whole.with_positive(label))

    def together(self, axis: int, places: Sequence[int] | None = None) -> Graded:
        """The items of all slices, or of some."""
        del axis
        if places is None:
            return replace(self.whole, notes=self.notes)
        first, *rest = (self.parts[k] for k in places)
        return replace(sum(rest, first), notes=self.notes)

    def dealt(self, sizes: Any, rng: Any) -> Self:
        """Refused: there are slices already."""
        del sizes, rng
        raise BadSetting(f"these items are in slices already: leave out {option('by')}.")

    def describe(self) -> dict[str, Any]:
        """As of all items, and in how many slices they are."""
        return self.whole.describe() | {"tables": len(self.parts)}

    def __add__(self, other: object) -> SlicedGraded:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, SlicedGraded):
            return NotImplemented
        if self.axis.columns != other.axis.columns:
            raise BadSetting(f"slices of {self.axis.name} cannot be added to slices of {other.axis.name}.")
        axis, mine, theirs = joined(self.axis, other.axis)
        held: list[list[Graded]] = [[] for _ in range(len(axis))]
        for part, k in zip((*self.parts, *other.parts), (*mine.tolist(), *theirs.tolist()), strict=True):
            held[k].append(part)
        notes = self.notes + tuple(x for x in other.notes if x not in self.notes)
        return SlicedGraded(tuple(sum(own[1:], own[0]) for own in held), self.whole + other.whole, axis, notes)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, SlicedGraded) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        many = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        return f"SlicedGraded({self.whole.n:,} items in {len(self.parts):,} slices{many})"
