"""Stratified: the evidence of a stratified sample. Tables of strata, put together by their shares of the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from howsure.arrays import AnyArray
from howsure.errors import BadCounts, BadLabels, listing
from howsure.evidence.protocol import Account, Axis, number
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.validate import Label

if TYPE_CHECKING:
    from howsure.evidence.classes import Tally
    from howsure.evidence.outcomes import Outcomes


@dataclass(frozen=True, eq=False)
class Stratified:
    """Strata as the tables of a batch, and their shares of the population; each keeps a posterior of its own."""

    strata: Tally | Outcomes
    shares: tuple[float, ...]

    @cached_property
    def whole(self) -> Tally | Outcomes:
        """As many items as were sampled, in the proportions of the population."""
        totals = self.strata.totals
        counts = (self.strata.counts * (np.array(self.shares) / totals)[:, None]).sum(axis=0) * totals.sum()
        return replace(self.strata, counts=counts, batch=())

    @property
    def n(self) -> Any:
        """The number of items."""
        return self.totals.item()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return self.strata.systems

    @property
    def batch(self) -> tuple[Axis, ...]:
        """One population is not batched."""
        return ()

    @property
    def shape(self) -> tuple[int, ...]:
        """One population is not batched."""
        return ()

    @property
    def totals(self) -> AnyArray:
        """The number of items, as an array."""
        return np.asarray(self.strata.totals.sum())

    @property
    def weighted(self) -> bool:
        """Strata have no weights of their own."""
        return False

    @property
    def notes(self) -> Notes:
        """What was remarked, and that there are strata."""
        return (*self.strata.notes, note("strata", count=len(self.shares)))

    @property
    def library(self) -> str | None:
        """The library of the frame that it was read from."""
        return self.strata.library

    @property
    def account(self) -> Account | None:
        """What became of the rows that it was read from."""
        return self.strata.account

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes."""
        return self.strata.labels

    @property
    def positive(self) -> Label | None:
        """The positive class."""
        return self.strata.positive

    def named(self) -> dict[str, AnyArray]:
        """The cells of the whole by name."""
        return self.whole.named()

    def system(self, name: str) -> Self:
        """What was observed of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """What was observed of these systems."""
        return replace(self, strata=self.strata.pick(names))

    def with_positive(self, label: Label | None) -> Self:
        """The same with another positive class."""
        return replace(self, strata=self.strata.with_positive(label))

    def only(self, measure: object) -> Self:
        """All measures look at the same strata."""
        del measure
        return self

    def together(self, axis: int, places: Sequence[int] | None = None) -> Self:
        """Refused: there is no batch."""
        del places
        raise BadCounts(f"a stratified sample is one population; it has no axis {axis}.")

    def dealt(self, sizes: Any, rng: Any) -> Self:
        """Refused: there are no slices to deal for."""
        del sizes, rng
        raise BadCounts("a stratified sample has no slices.")

    def describe(self) -> dict[str, Any]:
        """As of the whole, with the shares of the strata."""
        axis = self.strata.batch[0][1]
        shares = [{"stratum": str(x), "share": w} for x, w in zip(axis, self.shares, strict=True)]
        return self.whole.describe() | {"n": number(self.n), "strata": shares}

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        raise BadLabels("stratified tallies cannot be added; add the tallies of their strata.")

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stratified):
            return NotImplemented
        return self.strata == other.strata and self.shares == other.shares

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Stratified({len(self.shares)} strata, {self.n:,} items)"

    def to_dict(self) -> dict[str, Any]:
        """Refused: what travels are the strata."""
        raise BadCounts(
            "a stratified tally cannot be written as JSON: send the tally of its strata, and stratify it there."
        )

    to_json = to_dict


def stratified(parts: Tally | Outcomes, sizes: Mapping[Any, float]) -> Stratified:
    """The tables of a batch as strata with these population sizes."""
    if len(parts.batch) != 1:
        raise BadCounts("strata must be the tables of one batch axis, such as by=['stratum'].")
    names = [x[0] if isinstance(x, tuple) and len(x) == 1 else x for x in parts.batch[0][1]]
    given = {str(k): v for k, v in sizes.items()}
    lost = [x for x in names if str(x) not in given]
    extra = [x for x in given if x not in {str(n) for n in names}]
    if lost or extra:
        which = f"{listing(lost)} has none" if lost else f"{listing(extra)} is not in the sample"
        raise BadCounts(f"give the population size of every stratum in the sample, and of no other: {which}.")
    population = np.array([float(given[str(x)]) for x in names])
    bad = ~((population > 0) & np.isfinite(population))
    if bad.any():
        at = int(np.argmax(bad))
        raise BadCounts(
            f"population sizes must be finite numbers above 0; got {population[at]:g} for {str(names[at])!r}."
        )
    if parts.weighted:
        raise BadCounts(f"strata cannot have weights: leave out {option('weight')}.")
    if not parts.totals.all():
        raise BadCounts("every stratum needs items; at least one has none.")
    return Stratified(parts, tuple((population / population.sum()).tolist()))
