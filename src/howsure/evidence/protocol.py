"""Evidence: what was observed. The protocol of every kind, the layout of tables, and the account of rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Protocol, Self

import numpy as np

from howsure.arrays import AnyArray
from howsure.errors import BadCounts
from howsure.messages.notes import Notes
from howsure.validate import Label

# -- layout
#
# The layout of a table: its arrays and axes, and the patterns of a 2x2 one.

Axis = tuple[str, Sequence[Label]]

THRESHOLD: Final = "threshold"  # an axis whose tables share their items
BINARY: Final = ("tp", "fp", "fn", "tn")
PATTERNS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
SQUARE: Final = np.array(PATTERNS)
SQUARE.setflags(write=False)


def plain_axes(shape: tuple[int, ...]) -> tuple[Axis, ...]:
    """Axes of a batch that was given as arrays: their places are their names."""
    if 0 in shape:
        raise BadCounts(f"an empty batch has no tables: got arrays of shape {shape}.")
    return tuple((f"batch{i}" if i else "batch", tuple(range(size))) for i, size in enumerate(shape))


def number(x: Any) -> int | float:
    """A count: whole where it is."""
    value = np.asarray(x).item()
    return int(value) if float(value).is_integer() else float(value)


def as_json(x: Any) -> Any:
    """A label as JSON has it; an infinite number is told in words.

    >>> as_json(1.5), as_json(float("inf"))
    (1.5, 'inf')
    """
    plain = x is None or isinstance(x, (bool, int, str)) or (isinstance(x, float) and math.isfinite(x))
    return x if plain else str(x)


def read_only(*arrays: AnyArray | None) -> None:
    """Arrays of evidence cannot be written to."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)


# -- account
#
# Account: how many rows were read, how many of them were kept, and why the others were left out.

WHY: Final = ("where", "system", "missing", "weightless", "unmatched", "twice", "disagree")  # in the order of documents


@dataclass(frozen=True)
class Account:
    """Rows of data, whatever they weigh or count; read = kept + the sum of what was left out.

    >>> a = Account(1000).without("where", 50).without("missing", 10)
    >>> a.kept, (a + a).document()
    (940, {'read': 2000, 'kept': 1880, 'left_out': {'where': 100, 'missing': 20}})
    """

    read: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    where: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        """How many were kept."""
        return self.read - sum(self.left_out.values())

    def without(self, why: str, rows: Any) -> Account:
        """The same with rows left out for a reason."""
        found = dict(self.left_out)
        found[why] = found.get(why, 0) + int(rows)
        return replace(self, left_out={x: found[x] for x in WHY if found.get(x)})

    def __add__(self, other: object) -> Account:
        if not isinstance(other, Account):
            return NotImplemented
        where = (*self.where, *(x for x in other.where if x not in self.where))
        found = Account(self.read + other.read, self.left_out, where)
        for why, rows in other.left_out.items():
            found = found.without(why, rows)
        return found

    def document(self) -> dict[str, Any]:
        """As in the `data` of a document."""
        found: dict[str, Any] = {"read": self.read, "kept": self.kept, "left_out": dict(self.left_out)}
        return found | ({"where": list(self.where)} if self.where else {})


def together(parts: Iterable[Account | None]) -> Account | None:
    """The rows of all, each account once; None where those of some are not known."""
    found = list({id(x): x for x in parts}.values())
    known = [x for x in found if x is not None]
    if not known or len(known) < len(found):
        return None
    return sum(known[1:], start=known[0])


def both(a: Account | None, b: Account | None) -> Account | None:
    """The rows of both; None where those of one are not known."""
    return None if a is None or b is None else a + b


def document(evidence: Iterable[Any]) -> dict[str, Any] | None:
    """What became of the rows of all evidence that a result is of, as in its document; None where that is not known."""
    found = together(x.account for x in evidence)
    return None if found is None else found.document()


def of_document(x: Mapping[str, Any] | None) -> Account | None:
    """The account of a piece of JSON."""
    if x is None:
        return None
    return Account(int(x["read"]), {k: int(v) for k, v in x["left_out"].items()}, tuple(x.get("where", ())))


# -- protocol
#
# Evidence: what was observed. Every kind is one small immutable type with this protocol, in a file of its own.


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
    def totals(self) -> AnyArray:
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

    def dealt(self, sizes: AnyArray, rng: np.random.Generator) -> Any:
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
