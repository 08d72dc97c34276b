"""Clustered: the evidence of items that belong together, such as answers to one question or visits of a patient.

Items of one cluster are not independent, so whole clusters are what is resampled. Of each system it is known what its
items showed in every cluster; items are never paired between systems, clusters are. So systems may have different
numbers of items in a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from howsure.arrays import AnyArray, Integers
from howsure.errors import BadCounts, BadLabels, BadSetting, listing
from howsure.evidence.classes import Tally
from howsure.evidence.label_sets import Multilabel
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.patterns import out
from howsure.evidence.protocol import Account, Axis, together
from howsure.evidence.slices import Dealt
from howsure.messages.notes import Notes
from howsure.validate import Label, places

Observed = Tally | Outcomes | Multilabel


@dataclass(frozen=True, eq=False)
class Clustered:
    """One table of patterns by cluster for each system; the clusters of all are the same, in the same order.

    >>> Clustered.of({"a": Outcomes.rate(hits=[5, 1, 4], of=5), "b": Outcomes.rate(hits=[3, 1, 2], of=[3, 4, 4])})
    Clustered(3 clusters, 2 systems, outcomes)
    """

    parts: tuple[Observed, ...]  # one a system, each with one batch axis: the clusters

    @classmethod
    def of(cls, parts: Mapping[str, Observed]) -> Clustered:
        """Tables whose one batch axis is the clusters, one for each system."""
        account = together(part.account for part in parts.values())
        named = tuple(replace(part, systems=(str(name),), account=account) for name, part in parts.items())
        if not named:
            raise BadLabels("no systems were given.")
        first = named[0]
        if any(type(p) is not type(first) or len(p.batch) != 1 for p in named):
            raise BadCounts("clusters need tables of the same kind with one batch axis, such as by=['question'].")
        if any(p.batch != first.batch for p in named):
            raise BadLabels("systems match by cluster: all need the same clusters in the same order.")
        if len(first.batch[0][1]) < 2:
            raise BadLabels("all items are in one cluster; resampling whole clusters needs two or more.")
        return cls(_of_one_form(named))

    @classmethod
    def joint(cls, table: Observed) -> Clustered:
        """Systems on the same items, as one table by cluster."""
        return cls.of({name: table.system(name) for name in table.systems})

    @cached_property
    def wholes(self) -> tuple[Observed, ...]:
        """The table of each system over all clusters."""
        return tuple(_summed(part) for part in self.parts)

    @property
    def whole(self) -> Observed:
        """The table of one system over all clusters."""
        self.single()
        return self.wholes[0]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.parts[0].batch[0][1])

    @property
    def n(self) -> Any:
        """The number of items of the first system (the sum of weights when weighted)."""
        return self.wholes[0].n

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, matched by cluster."""
        return tuple(part.systems[0] for part in self.parts)

    @property
    def batch(self) -> tuple[Axis, ...]:
        """Clusters are no batch."""
        return ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Clusters are no batch."""
        return ()

    @property
    def totals(self) -> AnyArray:
        """The number of items, as an array."""
        return self.wholes[0].totals

    @property
    def weighted(self) -> bool:
        """Whether items have weights."""
        return any(part.weighted for part in self.parts)

    @property
    def notes(self) -> Notes:
        """What was remarked."""
        return tuple(dict.fromkeys(n for part in self.parts for n in part.notes))

    def noted(self, notes: Notes) -> Clustered:
        """The same with these remarks alone."""
        first, *rest = self.parts
        return replace(self, parts=(replace(first, notes=notes), *(replace(part, notes=()) for part in rest)))

    @property
    def library(self) -> str | None:
        """The library of the frame that it was read from."""
        return self.parts[0].library

    @property
    def account(self) -> Account | None:
        """What became of the rows that it was read from."""
        return self.parts[0].account

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes or labels."""
        return self.parts[0].labels

    @property
    def positive(self) -> Label | None:
        """The positive class."""
        return self.parts[0].positive

    def single(self) -> None:
        """Refuse several systems."""
        if len(self.parts) != 1:
            raise BadSetting(f"these are {len(self.parts)} systems: choose one with .system({self.systems[0]!r}).")

    def system(self, name: str) -> Self:
        """What was observed of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """What was observed of these systems, in this order."""
        return replace(self, parts=tuple(self.parts[i] for i in places(names, self.systems)))

    def with_positive(self, label: Label | None) -> Self:
        """The same with another positive class."""
        return replace(self, parts=tuple(part.with_positive(label) for part in self.parts))

    def only(self, measure: object) -> Self:
        """All measures look at the same clusters."""
        del measure
        return self

    def together(self, axis: int, places: Sequence[int] | None = None) -> Self:
        """Refused: there is no batch."""
        del places
        raise BadSetting(f"clusters are not a batch; they have no axis {axis}.")

    def dealt(self, sizes: Integers, rng: np.random.Generator) -> Dealt:
        """Parts of so many clusters taken at random."""
        return Dealt(self, sizes, rng)

    def describe(self) -> dict[str, Any]:
        """As of the first system's whole table, with the number of clusters, and the items of each system."""
        data = dict(self.wholes[0].describe()) | {"systems": list(self.systems), "clusters": self.clusters}
        data.pop("chi_square", None)  # of independent items
        if len(self.parts) > 1:
            data.pop("cells", None)
            data["items"] = {name: out(whole.totals) for name, whole in zip(self.systems, self.wholes, strict=True)}
        return data

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Clustered):
            return NotImplemented
        if self.systems != other.systems:
            raise BadLabels(
                f"clusters of different systems cannot be added: {listing(self.systems)} and {listing(other.systems)}."
            )
        both = zip(self.parts, other.parts, strict=True)
        return replace(self, parts=_of_one_form(tuple(a + b for a, b in both)))

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, Clustered) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Refused: what travels are tables by cluster."""
        raise BadCounts(
            "clusters cannot be written as JSON: send the tally by cluster of each system, and join them there."
        )

    to_json = to_dict

    def __repr__(self) -> str:
        what = {Tally: f"{len(self.labels)} classes", Outcomes: "outcomes"}.get(type(self.parts[0]), "label sets")
        many = f", {len(self.parts)} systems" if len(self.parts) > 1 else ""
        return f"Clustered({self.clusters:,} clusters{many}, {what})"


def _of_one_form(parts: tuple[Observed, ...]) -> tuple[Observed, ...]:
    """All with the same classes: those that any of them has."""
    if not isinstance(parts[0], Tally) or len({part.labels for part in parts}) == 1:
        return parts
    empty = [replace(part, counts=np.zeros_like(part.counts), account=Account(0)) for part in parts]
    return tuple(
        sum((replace(e, systems=part.systems) for e in empty if isinstance(e, Tally)), start=part) for part in parts
    )


def _summed(part: Observed) -> Observed:
    squares = None if part.squares is None else part.squares.sum(axis=0)
    return replace(part, counts=part.counts.sum(axis=0), squares=squares, batch=())
