"""Sliced: evidence whose units lie in slices, each slice with units of its own, such as values or clusters of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from howsure.arrays import AnyArray, Array, Integers
from howsure.errors import BadLabels, BadSetting, plural
from howsure.evidence.clusters import Clustered, Observed
from howsure.evidence.graded import Graded
from howsure.evidence.protocol import Account, Axis, same_fields
from howsure.evidence.slices import Slices, distinct, joined
from howsure.messages.language import option
from howsure.messages.notes import Notes

LISTED = 5
Units = Graded | Clustered


@dataclass(frozen=True, eq=False)
class Sliced:
    """The units of every slice, and all of them together; immutable; `a + b` puts the units of both together.

    Clusters lie within slices or across them. A slice has the parts of its clusters that are in it; all units together
    have whole clusters.

    >>> from howsure.io.arrays import graded
    >>> graded({"grade": [1, 4, 5, 2], "topic": ["x", "y", "y", "x"]}, value="grade", by="topic")
    Sliced(4 items in 2 slices)
    """

    parts: tuple[Units, ...]  # in the order of the axis
    whole: Units
    axis: Slices
    notes: Notes = ()  # of all units
    owners: tuple[Integers, ...] | None = None  # of values in clusters: which cluster of all each of a slice is

    @property
    def totals(self) -> Integers:
        """The number of items of every slice."""
        return np.array([part.n for part in self.parts])

    @property
    def n(self) -> Integers:
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
        """The systems that were observed on the same units."""
        return self.whole.systems

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, where there are any."""
        return getattr(self.whole, "labels", ())

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

    @property
    def averages(self) -> Array:
        """The mean value in every slice, one column a system."""
        return np.array([part.averages for part in self.parts if isinstance(part, Graded)])

    @cached_property
    def clusters(self) -> Integers | None:
        """The number of clusters of every slice, where units are clusters."""
        found = [part.clustered if isinstance(part, Graded) else part.clusters for part in self.parts]
        return None if found[0] is None else np.array(found)

    @property
    def crossing(self) -> int:
        """How many more parts of clusters there are than clusters: 0 where each lies in one slice."""
        whole = self.whole.clustered if isinstance(self.whole, Graded) else self.whole.clusters
        return 0 if self.clusters is None else int(self.clusters.sum()) - int(whole or 0)

    @property
    def effective(self) -> Array:
        """The number of units of every slice, that of Kish where items have weights, (slices, 1)."""
        if self.clusters is not None:
            return self.clusters[:, None].astype(float)
        return np.array([[part.effective] for part in self.parts if isinstance(part, Graded)])

    @property
    def part_cost(self) -> int:
        """Numbers that are dealt for a part of the size of a slice, at most."""
        if isinstance(self.whole, Graded):
            return min(len(self.whole.values), int(self.totals.max()))
        patterns: int = max(x.counts.shape[1] for x in self.whole.parts)
        return patterns * min(self.whole.clusters, int(self.effective.max()))

    def named(self, k: int) -> str:
        """One slice in words."""
        return ", ".join(f"{column}={value}" for column, value in self.axis.where(k).items())

    def system(self, name: str) -> Self:
        """The units of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """The units of these systems, in this order."""
        return replace(self, parts=tuple(part.pick(names) for part in self.parts), whole=self.whole.pick(names))

    def only(self, measure: object) -> Self:
        """All metrics look at the same units."""
        self.whole.only(measure)
        return self

    def with_positive(self, label: Any) -> Self:
        """The same with another positive class; refused where there are no classes."""
        whole = self.whole.with_positive(label)
        return replace(self, parts=tuple(part.with_positive(label) for part in self.parts), whole=whole)

    def together(self, axis: int, places: Sequence[int] | None = None) -> Units:
        """The units of all slices, or of some."""
        del axis
        if places is None:
            whole: Units = _noted(self.whole, self.notes)
            return whole
        first, *rest = (self.parts[k] for k in places)
        found: Any = sum(rest, first)
        if self.owners is not None and isinstance(found, Graded) and found.clusters is not None:
            owners = np.concatenate([self.owners[k] for k in places])
            found = replace(found, clusters=np.unique(owners[found.clusters], return_inverse=True)[1].reshape(-1))
        added: Units = _noted(found, self.notes)
        return added

    def dealt(self, sizes: Any, rng: Any) -> Self:
        """Refused: there are slices already."""
        del sizes, rng
        raise BadSetting(f"these items are in slices already: leave out {option('by')}.")

    def describe(self) -> dict[str, Any]:
        """As of all units, and in how many slices they are."""
        return self.whole.describe() | {"tables": len(self.parts)}

    def __add__(self, other: object) -> Sliced:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Sliced):
            return NotImplemented
        if self.axis.columns != other.axis.columns:
            raise BadSetting(f"slices of {self.axis.name} cannot be added to slices of {other.axis.name}.")
        axis, mine, theirs = joined(self.axis, other.axis)
        held: list[list[Any]] = [[] for _ in range(len(axis))]
        owners: list[list[Integers]] = [[] for _ in range(len(axis))]
        first = self.whole.clustered if isinstance(self.whole, Graded) else None
        for evidence, at, more in ((self, mine, 0), (other, theirs, first or 0)):
            for k, part in zip(at.tolist(), evidence.parts, strict=True):
                held[k].append(part)
            for k, own in zip(at.tolist(), evidence.owners or (), strict=False):
                owners[k].append(own + more)
        notes = self.notes + tuple(x for x in other.notes if x not in self.notes)
        together = tuple(map(np.concatenate, owners)) if self.owners is not None else None
        whole: Any = self.whole
        return Sliced(tuple(sum(own[1:], own[0]) for own in held), whole + other.whole, axis, notes, together)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, Sliced) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As of all units: refused."""
        raise BadSetting("evidence in slices of values or clusters cannot be written as JSON.")

    to_json = to_dict

    def __repr__(self) -> str:
        many = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        what = f"{self.whole.n:,} items" if isinstance(self.whole, Graded) else f"{self.whole.clusters:,} clusters"
        return f"Sliced({what} in {len(self.parts):,} slices{many})"


def _noted(units: Any, notes: Notes) -> Any:
    return units.noted(notes) if isinstance(units, Clustered) else replace(units, notes=notes)


def refuse_single(axis: Slices, sizes: AnyArray, needs: str) -> None:
    """Refuse slices of one unit, which have no posterior."""
    lost = np.flatnonzero(sizes < 2)
    if not lost.size:
        return
    found = axis.where(int(lost[0]))
    shown = ", ".join(repr(axis[int(k)]) for k in lost[:LISTED]) + (", …" if lost.size > LISTED else "")
    way = f"leave {'it' if lost.size == 1 else 'them'} out with {option('where')}"
    if len(found) == 1 and None not in found.values():
        ((column, value),) = found.items()
        way += f", as in {option('where', f'{column}!={value}')}"
    told = f"{plural(int(lost.size), 'slice has', 'slices have')} only one: {shown}"
    raise BadLabels(f"{needs}, and {told}; {way}.")


def slices_of_clusters(tables: Mapping[str, Observed]) -> Sliced:
    """Tables of one system each, whose batch axis is slices and clusters (the last column), the same for all."""
    first = next(iter(tables.values()))
    pairs: Any = first.batch[0][1]
    *columns, _ = pairs.codes.T
    rows, at = distinct(columns, [len(x) for x in pairs.levels[:-1]])
    axis = Slices(pairs.columns[:-1], pairs.levels[:-1], rows)
    refuse_single(axis, np.bincount(at, minlength=len(axis)), "resampling whole clusters needs two or more")
    whole = Clustered.of({name: _whole(t, pairs) for name, t in tables.items()})
    alone = {name: replace(t, notes=(), account=None) for name, t in tables.items()}
    parts = []
    for places in np.split(np.argsort(at, kind="stable"), np.cumsum(np.bincount(at))[:-1]):
        named = Slices(pairs.columns[-1:], pairs.levels[-1:], pairs.codes[places, -1:])
        parts.append(Clustered.of({k: t.at(places, ((named.name, named),)).tidy() for k, t in alone.items()}))
    return Sliced(tuple(parts), whole, axis, whole.notes)


def _whole(t: Observed, pairs: Slices) -> Observed:
    """The table by cluster, parts in several slices added up."""
    codes, at = np.unique(pairs.codes[:, -1], return_inverse=True)
    axis = Slices(pairs.columns[-1:], pairs.levels[-1:], codes[:, None])

    def added(values: AnyArray) -> AnyArray:
        found = np.zeros((len(codes), *values.shape[1:]), dtype=values.dtype)
        np.add.at(found, at.reshape(-1), values)
        return found

    squares = None if t.squares is None else added(t.squares)
    return replace(t, counts=added(t.counts), squares=squares, batch=((axis.name, axis),))
