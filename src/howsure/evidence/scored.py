"""Scored: the evidence of items with a truth and a score for each system. The cut is left open: curves and areas."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.ranked import Order, order_of
from howsure.distributions.weights import effective_counts
from howsure.errors import BadLabels, BadSetting, listing
from howsure.evidence.protocol import Account, Axis, as_json, both, number, read_only, same_fields
from howsure.messages.language import option
from howsure.messages.notes import Notes
from howsure.validate import places


@dataclass(frozen=True, eq=False)
class Scored:
    """Truths and scores of items, one column per system; immutable; `a + b` puts the items of both together.

    `counts` says how many items a row stands for, or their weight; `squares` are then the sums of squared weights.

    >>> Scored(np.array([True, False, True]), np.array([[0.9], [0.4], [0.3]]))
    Scored(3 items, 2 positive)
    """

    truth: Mask
    scores: Array
    systems: tuple[str, ...] = ("system",)
    labels: tuple[Hashable, Hashable] = (0, 1)  # negative, positive
    counts: Array | None = None
    squares: Array | None = None
    clusters: Integers | None = None
    notes: Notes = ()
    bins: int = 0  # that the scores were put in, each score the least of its bin; 0 if they were not
    library: str | None = None
    account: Account | None = field(default=None, compare=False)  # of the rows that they were read from

    def __post_init__(self) -> None:
        read_only(self.truth, self.scores, self.counts, self.squares, self.clusters)

    @property
    def positive(self) -> Hashable:
        """The positive class."""
        return self.labels[1]

    @property
    def rows(self) -> int:
        """The number of rows, each for one item or for several that are alike."""
        return len(self.truth)

    @property
    def n(self) -> Any:
        """The number of items (the sum of weights when weighted)."""
        return _whole(self.totals)

    @property
    def totals(self) -> Array:
        """The same as an array of the batch shape."""
        return np.asarray(float(self.rows) if self.counts is None else self.counts.sum())

    @property
    def positives(self) -> Any:
        """The number of positive items (the sum of their weights)."""
        return _whole(self.amounts[self.truth].sum())

    @property
    def negatives(self) -> Any:
        """The number of negative items (the sum of their weights)."""
        return _whole(self.amounts[~self.truth].sum())

    @property
    def amounts(self) -> Array:
        """How many items each row stands for, or what they weigh."""
        return np.ones(self.rows) if self.counts is None else self.counts

    @property
    def shape(self) -> tuple[int, ...]:
        """Scored items are not batched."""
        return ()

    @property
    def batch(self) -> tuple[Axis, ...]:
        """Scored items are not batched."""
        return ()

    @property
    def weighted(self) -> bool:
        """Whether the counts are weights."""
        return self.squares is not None

    @property
    def effective(self) -> Array:
        """Amounts of the whole: the counts, or counts·Σw/Σw² when weighted (Kish 1965)."""
        return self.amounts if self.squares is None else effective_counts(self.amounts, self.squares)

    @property
    def clustered(self) -> int | None:
        """The number of clusters, where there are any."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    def system(self, name: str) -> Scored:
        """The scores of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Scored:
        """The scores of these systems, in this order."""
        at = places(names, self.systems)
        return replace(self, scores=self.scores[:, at], systems=tuple(names))

    def with_positive(self, label: object) -> Self:
        """Refused: scores speak for the class they were made with."""
        del label
        raise BadSetting(f"{option('positive')} is for making a curve from data; this one is already made.")

    def only(self, measure: object) -> Self:
        """All measures look at the same items."""
        del measure
        return self

    def together(self, axis: int, places: Sequence[int] | None = None) -> Self:
        """Refused: there is no batch."""
        del places
        raise BadSetting(f"scores are not batched; they have no axis {axis}.")

    def dealt(self, sizes: Any, rng: Any) -> Self:
        """Refused: there are no slices to deal for."""
        del sizes, rng
        raise BadSetting("scores have no slices.")

    def describe(self) -> dict[str, Any]:
        """Size, classes, weights, clusters and bins."""
        return {
            "n": number(self.totals), "labels": [as_json(x) for x in self.labels], "positive": as_json(self.positive),
            "positives": number(self.positives), "systems": list(self.systems), "weighted": self.weighted,
            "clusters": self.clustered, "bins": self.bins or None,
        }  # fmt: skip

    @cached_property
    def tidy(self) -> Scored:
        """Rows in the order of truth and scores, positive and high first; rows that are alike become one where it pays.

        So the order of the rows given changes nothing, not even the draws.
        """
        if self.clusters is not None:
            return self
        order = np.lexsort((self.amounts, *(-self.scores.T[::-1]), ~self.truth))
        truth, scores, amounts = self.truth[order], self.scores[order], self.amounts[order]
        new = np.append(True, (truth[1:] != truth[:-1]) | (scores[1:] != scores[:-1]).any(axis=1))
        if 2 * int(new.sum()) > self.rows:
            counts = None if self.counts is None else amounts
            squares = None if self.squares is None else self.squares[order]
            return replace(self, truth=truth, scores=scores, counts=counts, squares=squares)
        first = np.flatnonzero(new)
        counts = np.add.reduceat(amounts, first)
        squares = None if self.squares is None else np.add.reduceat(self.squares[order], first)
        return replace(self, truth=truth[new], scores=scores[new], counts=counts, squares=squares)

    @cached_property
    def orders(self) -> tuple[Order, ...]:
        """How each system orders the rows."""
        return tuple(order_of(self.truth, column) for column in self.scores.T)

    def __add__(self, other: object) -> Scored:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Scored):
            return NotImplemented
        return _together(self, other)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, Scored) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("square") is not None:
            raise BadSetting(
                "this pickle of weighted scores is from an earlier version of howsure: it holds one sum of squared "
                "weights for all items, and one per row is needed. Make it again from the data."
            )
        self.__dict__.update({"account": None} | {name: x for name, x in state.items() if name != "square"})

    def __repr__(self) -> str:
        many = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        return f"Scored({_shown(self.n)} items, {_shown(self.positives)} positive{many})"


def _shown(x: Any) -> str:
    return f"{x:,}" if isinstance(x, int) else f"{x:,.6g}"


def _whole(x: Any) -> int | float:
    value = float(x)
    return int(value) if value.is_integer() and abs(value) < 2.0**53 else value


def _together(a: Scored, b: Scored) -> Scored:
    if a.systems != b.systems:
        raise BadLabels(f"scores of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    if a.labels != b.labels:
        raise BadLabels(f"scores of different classes cannot be added: {listing(a.labels)} and {listing(b.labels)}.")
    if (a.clusters is None) != (b.clusters is None):
        raise BadSetting("scores with clusters cannot be added to scores without.")
    counts = None
    if a.counts is not None or b.counts is not None:
        counts = np.concatenate([a.amounts, b.amounts])
    squares = None
    if a.squares is not None or b.squares is not None:
        squares = np.concatenate([x.amounts if x.squares is None else x.squares for x in (a, b)])
    clusters = None
    if a.clusters is not None and b.clusters is not None:
        clusters = np.concatenate([a.clusters, b.clusters + a.clusters.max() + 1])
    return replace(
        a, truth=np.concatenate([a.truth, b.truth]), scores=np.concatenate([a.scores, b.scores]), counts=counts,
        squares=squares, clusters=clusters, notes=a.notes + tuple(x for x in b.notes if x not in a.notes),
        bins=max(a.bins, b.bins), account=both(a.account, b.account),
    )  # fmt: skip
