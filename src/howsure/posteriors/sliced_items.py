"""Graded values in slices: each slice has the posterior that its items have alone, set beside the others.

Slices have different numbers of items, and a prior that is read off their own values, so that their laws are found one
by one: tens of milliseconds each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.distributions.stacked import Stacked
from howsure.errors import BadSetting
from howsure.evidence.graded import Mean
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import items
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Gap, NextScore, Question, exact_gap, nothing_more, nothing_shared
from howsure.posteriors.future_items import beside
from howsure.posteriors.items import MeanOfItems
from howsure.posteriors.priors import Prior
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law


NEXT_SEED: Final = 2_147_483_659  # slices are drawn from streams of their own


Found = TypeVar("Found")


@dataclass(frozen=True, eq=False, repr=False)
class MeanOfSlices(Question):
    """The mean of graded values in every slice."""

    metric: Mean

    @cached_property
    def each(self) -> tuple[MeanOfItems, ...]:
        """The same question, put to the items of every slice."""
        return tuple(
            MeanOfItems(self.state.seeing(part), self.metric, self.asked) for part in self.state.evidence.parts
        )

    @property
    def shown(self) -> str:
        """Its own name, whatever it was asked by."""
        return self.metric.name

    @cached_property
    def score(self) -> Array:
        """The means of the values themselves."""
        return np.asarray(self.state.evidence.averages[:, 0])

    def law(self) -> tuple[Law, str]:
        """That of every slice."""
        found = self._of_slices(MeanOfItems.law)
        laws, routes = zip(*found, strict=True)
        return Stacked(tuple(laws), routes=tuple(routes)), _route(routes)

    def draws(self, n: int, seed: int) -> Array:
        """n draws of every slice, (n, slices)."""
        return np.stack([q.draws(n, seed + k * NEXT_SEED) for k, q in enumerate(self.each)], axis=-1)

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Draws of both systems of a pair in every slice."""
        first, second = zip(*(q.ratio_draws(n, seed + k * NEXT_SEED) for k, q in enumerate(self.each)), strict=True)
        return np.stack(first, axis=-1), np.stack(second, axis=-1)

    def next_score(self, n: int) -> NextScore:
        """Of the next n items of every slice."""
        return beside(self._of_slices(lambda q: q.next_score(n)))

    def next_difference(self, n: int) -> NextScore:
        """The same of two systems."""
        return beside(self._of_slices(lambda q: q.next_difference(n)))

    # -- two systems

    def difference(self) -> Gap:
        """The mean difference on the items of every slice."""
        found = [gap.difference for gap in self._of_slices(MeanOfItems.difference)]
        law, route = Stacked(tuple(d.law for d in found)), _route([d.route for d in found])
        told = self._gap_remarks([n for d in found for n in d.notes])
        return exact_gap(Distribution(f"difference of {self.metric}", law, route, self._gap_draws, notes=told), route)

    def _gap_draws(self, n: int, seed: int) -> Array:
        return np.stack(
            [q.difference().difference.draws(n, seed=seed + k * NEXT_SEED) for k, q in enumerate(self.each)], axis=-1
        )

    def _gap_remarks(self, told: Sequence[Note]) -> Notes:
        """What is to be said of the differences: once for all slices."""
        notes, weight = list(self.remarks), self.state.prior.outcome()[0]
        if weight:
            notes.append(note("prior-from-data", form="slices", weight=weight, half=0.5 * weight))
        alike, one_sided = (sum(n.code == code for n in told) for code in ("identical", "one-sided"))
        if alike:
            first, second = self.state.evidence.systems
            notes.append(note("identical", form="slices", first=first, second=second, count=alike))
        if one_sided:
            notes.append(note("one-sided", form="slices", count=one_sided))
        return tuple(notes)

    def wins(self) -> tuple[Any, Any, Any] | None:
        """Items of every slice on which either has the better value."""
        first, second, same = (np.array(x) for x in zip(*(q.wins() or () for q in self.each), strict=True))
        return first, second, same

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they are of one set of items."""
        raise BadSetting("these tests need a single table of unweighted items.")

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """Where the weight is, or that there is none."""
        found = self.each[0].prior_note
        if found is None or found.code == "prior":
            return found
        form = "range" if found["form"] == "range" else "bounds"
        return note(found.code, **dict(found.facts) | {"form": form, "slices": True})

    @property
    def remarks(self) -> Notes:
        """What was remarked of all items, and in which slices all values are the same."""
        evidence, notes = self.state.evidence, list(self.state.evidence.notes)
        if evidence.weighted:
            notes.append(note("weighted", of="items"))
        told = [q.prior_note for q in self.each] if len(evidence.systems) == 1 else []
        same = [n for n in told if n is not None and n.get("form") == "alike"]
        if same:
            notes.append(note("prior-from-data", form="alike-slices", count=len(same), weight=same[0]["weight"]))
        return tuple(notes)

    def _of_slices(self, asked: Callable[[MeanOfItems], Found]) -> list[Found]:
        """The answers of all slices; a refusal names the slice."""
        found = []
        for k, q in enumerate(self.each):
            try:
                found.append(asked(q))
            except BadSetting as refused:
                raise BadSetting(f"in the slice {self.state.evidence.named(k)}, {refused}") from None
        return found


def _route(routes: Sequence[str]) -> str:
    """One name for the ways of all slices: closed where all are."""
    return routes[0] if len(set(routes)) == 1 else "quadrature"


extras = nothing_more
prepare = nothing_shared
prior_total = items.prior_total


def settle_prior(evidence: Any, given: Any) -> Prior:
    """As of all items."""
    return items.settle_prior(evidence.whole, given)


def parse(state: State, name: Any) -> Mean:
    """The mean, by any of its names."""
    return items.parse(_whole(state), name)


def question(state: State, metric: Mean, asked: str) -> MeanOfSlices:
    """The mean of every slice."""
    return MeanOfSlices(state, metric, asked)


def names(state: State) -> tuple[str, ...]:
    """The mean."""
    return items.names(_whole(state))


table = names


def default(state: State) -> str:
    """The mean."""
    return items.default(_whole(state))


def draws(state: State, n: int, seed: int, metrics: Any) -> Any:
    """n joint draws of the mean of every system in every slice, (n, systems, slices)."""
    return np.stack(
        [items.draws(state.seeing(x), n, seed + k * NEXT_SEED, metrics) for k, x in enumerate(state.evidence.parts)],
        axis=-1,
    )


def _whole(state: State) -> State:
    return state.seeing(state.evidence.whole)
