"""Slices of values or of clusters: each has the posterior that its units have alone, set beside the others.

Slices have different numbers of units, and a prior that is read off their own data. So their distributions are found
one by one: tens of milliseconds each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.distributions.stacked import Stacked
from howsure.errors import BadCounts, BadSetting
from howsure.evidence.slices import Dealt
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Chance, Estimand, Gap, NextScore, Places, nothing_shared
from howsure.posteriors.future_items import beside
from howsure.posteriors.posterior import kind_of
from howsure.posteriors.priors import Prior
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law


NEXT_SEED: Final = 2_147_483_659  # slices are drawn from streams of their own


Found = TypeVar("Found")


@dataclass(frozen=True, eq=False, repr=False)
class EachSlice(Estimand):
    """A metric in every slice, as an array over them."""

    @cached_property
    def each(self) -> tuple[Estimand, ...]:
        """The same question, put to the units of every slice."""
        kind = _kind(self.state)
        return tuple(kind.question(part, self.metric, self.asked) for part in _parts(self.state))

    @property
    def shown(self) -> str:
        """As of one slice."""
        return self.each[0].shown

    @cached_property
    def score(self) -> Array:
        """The scores of the slices themselves, or of parts that are dealt."""
        if isinstance(self.state.evidence, Dealt):
            dealt = self.state.evidence
            whole: Any = _kind(self.state).question(_whole(self.state), self.metric, self.asked)
            return np.asarray(whole.dealt_scores(dealt.totals, dealt.rng))
        return np.array([q.score for q in self.each])

    def law(self) -> tuple[Law, str]:
        """That of every slice."""
        found = self._of_slices(lambda q: q.law())
        laws, routes = zip(*found, strict=True)
        return Stacked(tuple(laws), routes=tuple(routes)), _route(routes)

    def draws(self, n: int, seed: int) -> Array:
        """n draws of every slice, (n, slices)."""
        return np.stack([q.draws(n, seed + k * NEXT_SEED) for k, q in enumerate(self.each)], axis=-1)

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Draws of both systems of a pair in every slice."""
        first, second = zip(*(q.ratio_draws(n, seed + k * NEXT_SEED) for k, q in enumerate(self.each)), strict=True)
        return np.stack(first, axis=-1), np.stack(second, axis=-1)

    @property
    def most_draws(self) -> int | None:  # type: ignore[override]
        """As many as the largest slice can afford."""
        return min((q.most_draws for q in self.each if q.most_draws), default=None)

    def next_score(self, n: int) -> NextScore:
        """Of the next n units of every slice."""
        return beside(self._of_slices(lambda q: q.next_score(n)))

    def next_difference(self, n: int) -> NextScore:
        """The same of two systems."""
        return beside(self._of_slices(lambda q: q.next_difference(n)))

    # -- two systems

    def difference(self) -> Gap:
        """The difference of two systems on the units of every slice."""
        gaps = self._of_slices(lambda q: q.difference())
        found = [gap.difference for gap in gaps]
        routes = [d.route for d in found]
        law, route = Stacked(tuple(d.law for d in found), routes=tuple(routes)), _route(routes)
        told = self._gap_remarks([n for d in found for n in d.notes])
        difference = Distribution(f"difference of {self.metric}", law, route, self._gap_draws, notes=told)
        above, below = (np.array(x, dtype=float) for x in zip(*((gap.above, gap.below) for gap in gaps), strict=True))
        return Gap(above, below, difference, route, np.array([gap.error for gap in gaps]))

    def _gap_draws(self, n: int, seed: int) -> Array:
        return np.stack(
            [q.difference().difference.draws(n, seed=seed + k * NEXT_SEED) for k, q in enumerate(self.each)], axis=-1
        )

    def _gap_remarks(self, told: Sequence[Note]) -> Notes:
        """What is to be said of the differences: once for all slices."""
        notes, weight = list(self.remarks), self.state.prior.outcome()[0]
        if weight and any(n.code == "prior-from-data" for n in told):
            notes.append(note("prior-from-data", form="slices", weight=weight, half=0.5 * weight))
        alike, one_sided = (sum(n.code == code for n in told) for code in ("identical", "one-sided"))
        if alike:
            first, second = self.state.evidence.systems
            notes.append(note("identical", form="slices", first=first, second=second, count=alike))
        if one_sided:
            notes.append(note("one-sided", form="slices", count=one_sided))
        return tuple(notes)

    def matches(self, other: Estimand) -> None:
        """As of one slice."""
        if isinstance(other, EachSlice):
            self.each[0].matches(other.each[0])

    def wins(self) -> tuple[Any, Any, Any] | None:
        """Units of every slice on which either has the better value."""
        counts = [q.wins() for q in self.each]
        if None in counts:
            return None
        first, second, same = (np.array(x) for x in zip(*(x or () for x in counts), strict=True))
        return first, second, same

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they are of one set of items."""
        raise BadSetting("these tests need a single table of unweighted items.")

    def chance(self, at: Places = None) -> Chance | None:
        """What random guessing gives in every slice, or in some."""
        places = range(len(self.each)) if at is None else at[0].tolist()
        found = [self.each[k].chance() for k in places]
        known = [x for x in found if x is not None]
        if not known or len(known) < len(found):
            return None
        score, better, error = (np.array([float(x) for x in column]) for column in zip(*known, strict=True))
        return Chance(score, better, error)

    def _unplanned(self) -> BadSetting:
        return BadSetting(
            f"a plan is for one table: leave out {option('by')}, or take one slice with {option('where')}."
        )

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
        """What was remarked of all units, clusters in several slices, and slices in which all values are the same."""
        evidence, notes = self.state.evidence, list(self.state.evidence.notes)
        if evidence.crossing:
            parts = int(evidence.clusters.sum())
            notes.append(note("clusters-cross-slices", parts=parts, count=parts - evidence.crossing))
        if evidence.weighted:
            notes.append(note("weighted", of="items" if evidence.clusters is None else "clusters"))
        told = [q.prior_note for q in self.each] if len(evidence.systems) == 1 else []
        same = [n for n in told if n is not None and n.get("form") == "alike"]
        if same:
            notes.append(note("prior-from-data", form="alike-slices", count=len(same), weight=same[0]["weight"]))
        return tuple(notes)

    def _of_slices(self, asked: Callable[[Estimand], Found]) -> list[Found]:
        """The answers of all slices; a refusal names the slice."""
        found = []
        for k, q in enumerate(self.each):
            try:
                found.append(asked(q))
            except (BadSetting, BadCounts) as refused:
                raise type(refused)(f"in the slice {self.state.evidence.named(k)}, {refused}") from None
        return found


def _route(routes: Sequence[str]) -> str:
    """One name for the ways of all slices."""
    return routes[0] if len(set(routes)) == 1 else "sampled" if "sampled" in routes else "quadrature"


# -- the kind: that of all units


def _whole(state: State) -> State:
    if "whole" not in state.kept:
        state.kept["whole"] = state.seeing(state.evidence.whole)
    found: State = state.kept["whole"]
    return found


def _parts(state: State) -> list[State]:
    """The posterior of every slice, the same for all metrics."""
    if "parts" not in state.kept:
        state.kept["parts"] = [state.seeing(part) for part in state.evidence.parts]
    found: list[State] = state.kept["parts"]
    return found


def _kind(state: State) -> Any:
    return kind_of(type(state.evidence.whole))


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """As of all units."""
    found: tuple[dict[str, Any], Notes] = _kind(state).extras(_whole(state), level)
    return found


prepare = nothing_shared


def prior_total(state: State) -> float:
    """As of all units."""
    return float(_kind(state).prior_total(_whole(state)))


def settle_prior(evidence: Any, given: Any) -> Prior:
    """As of all units."""
    return kind_of(type(evidence.whole)).settle_prior(evidence.whole, given)


def parse(state: State, name: Any) -> Any:
    """As of all units."""
    return _kind(state).parse(_whole(state), name)


def question(state: State, metric: Any, asked: str) -> EachSlice:
    """The metric in every slice."""
    _kind(state).question(_whole(state), metric, asked)  # refuses what is not known of such units
    return EachSlice(state, metric, asked)


def names(state: State) -> Sequence[str]:
    """As of all units."""
    found: Sequence[str] = _kind(state).names(_whole(state))
    return found


def table(state: State) -> Sequence[Any]:
    """As of all units."""
    found: Sequence[Any] = _kind(state).table(_whole(state))
    return found


def default(state: State) -> str:
    """As of all units."""
    return str(_kind(state).default(_whole(state)))


def draws(state: State, n: int, seed: int, metrics: Any) -> Any:
    """n joint draws of every slice, along the last axis."""
    kind = _kind(state)
    found = [kind.draws(part, n, seed + k * NEXT_SEED, metrics) for k, part in enumerate(_parts(state))]
    if isinstance(found[0], dict):
        every = dict.fromkeys(c for x in found for c in x)
        return {c: np.stack([x.get(c, np.zeros(n)) for x in found], axis=-1) for c in every}
    return np.stack(found, axis=-1)
