"""Evidence: what was observed. Every kind is one small immutable type with this protocol, in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol, Self

import numpy as np

from howsure.evidence.account import Account
from howsure.evidence.layout import Array, Axis
from howsure.labels import Label
from howsure.notes import Notes


class Evidence(Protocol):
    """What every kind of evidence can tell, whatever was observed; `a + b` merges two of a kind."""

    @property
    def n(self) -> Any:
        """The number of items (the sum of weights when weighted); an array for a batch."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that were observed on the same items."""

    @property
    def batch(self) -> tuple[Axis, ...]:
        """The axes of a batch: a name and the coordinates along it; none for a single observation."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of these axes."""

    @property
    def totals(self) -> Array:
        """n as an array of the batch shape."""

    @property
    def weighted(self) -> bool:
        """Whether items have weights."""

    @property
    def notes(self) -> Notes:
        """What was remarked when it was read."""

    @property
    def library(self) -> str | None:
        """The library of the frame that it was read from, if it was one."""

    @property
    def account(self) -> Account | None:
        """What became of the rows that it was read from, where it was."""

    def system(self, name: str) -> Self:
        """What was observed of one system."""

    def pick(self, names: Sequence[str]) -> Self:
        """What was observed of these systems, in this order."""

    def with_positive(self, label: Label) -> Self:
        """The same with another positive class; refused where there are no classes."""

    def only(self, measure: object) -> Evidence:
        """The part that a measure looks at; all of it, but for evidence of several measures."""

    def together(self, axis: int, places: Sequence[int] | None = None) -> Evidence:
        """What all places of a batch axis show together, or some of them."""

    def dealt(self, sizes: Array, rng: np.random.Generator) -> Any:
        """A batch of parts of these sizes, each of items taken at random: what scores can be asked of."""

    def describe(self) -> Mapping[str, Any]:
        """What was observed, as the `data` of a document."""

    def __add__(self, other: Any) -> Self: ...


def same_fields(a: Any, b: Any) -> bool:
    """Whether two observations of a kind are equal, field by field."""
    return type(a) is type(b) and all(
        np.array_equal(x, y) if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) else x == y
        for x, y in ((getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.compare)
    )
