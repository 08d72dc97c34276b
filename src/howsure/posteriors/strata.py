"""A stratified sample: the cells of the population are those of the strata, by their shares, each stratum drawn alone.

The way of looking is that of the strata (a class against the rest, or right and wrong answers); measures of all classes
at once are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.arrays import Array, Mask
from howsure.distributions import sampling as drawing
from howsure.errors import BadSetting
from howsure.evidence.strata import Stratified
from howsure.messages.notes import Note, Notes
from howsure.posteriors import chance, classes, outcomes, priors
from howsure.posteriors.cells import CellEstimand, refuse_tests
from howsure.posteriors.class_against_rest import ClassAgainstRest, ClassAmongMany
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Chance, Estimand, Gap, Places, drawn_gap, nothing_shared
from howsure.posteriors.paired import cell_draws
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.routes import Mixed, values
from howsure.posteriors.sampling import apart, difference_law, sampled_law
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law


@dataclass(frozen=True, eq=False, repr=False)
class OfPopulation(Estimand):
    """A measure of four cells, asked of a population of strata."""

    strata: CellEstimand  # of the strata, a batch
    whole: CellEstimand  # of the sample in the proportions of the population

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the strata in the population."""
        return self.state.evidence.shares  # type: ignore[no-any-return]

    @cached_property
    def score(self) -> Array:
        """Of the sample in the proportions of the population."""
        return self.whole.score

    @cached_property
    def model(self) -> Mixed:
        """The cells of the strata, mixed."""
        return Mixed(self.strata.model, self.shares)

    def law(self) -> tuple[Law, str]:
        """By draws."""
        return sampled_law(self.state, self.whole.light.bounds, self.draws, 1), "sampled"

    def draws(self, n: int, seed: int) -> Array:
        """The measure at draws of the population's cells."""
        return values(self.whole.light, *self.model.table(0, n, seed))

    # -- systems on the same items

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same patterns of every stratum."""
        answers = self.strata.answers()
        mixed: dict[str, Any] = {}
        for h, share in enumerate(self.shares):
            one = replace(answers, shapes=answers.shapes[h], counts=answers.counts[h])
            parts = list(cell_draws(one, n, seed + h * 1_000_003))
            cells = {c: np.concatenate([p[c] for p in parts]) for c in parts[0]}
            total = sum(cells.values())
            mixed = {c: mixed.get(c, 0.0) + share * x / total for c, x in cells.items()}
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.whole.light.formula(**mixed))

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Both systems from the same joint cells of every stratum."""
        answers = self.strata.answers()
        shapes = np.stack([np.broadcast_to(s, (len(self.shares),)) for s in answers.pair_shapes()])
        sides: list[dict[str, Any]] = [{}, {}]
        for h, share in enumerate(self.shares):
            logs = drawing.log_shares(shapes[:, h], n, seed, h)
            for side, mixed in enumerate(sides):
                for c, x in answers.pair_cells(logs, side).items():
                    mixed[c] = mixed.get(c, 0.0) + share * np.exp(x)
        first, second = (values(self.whole.light, cells, None) for cells in sides)
        return first, second

    def difference(self) -> Gap:
        """By joint draws of the strata."""
        x = self._gap_draws(self.state.wanted_draws(1.3), self.state.seed)
        law = difference_law(self.whole.light.bounds, x)
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return apart(first, second)

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they know no strata."""
        refuse_tests(self.state)
        raise BadSetting("these tests need a simple random sample of items; this one has strata.")

    def chance(self, at: Places = None) -> Chance | None:
        """By draws of the population, for measures of a 2x2 table."""
        if not isinstance(self.whole, ClassAgainstRest):
            return None
        q = self.whole
        return chance.of_cells(q.light, q.metric, q.counts(), self.model, self.state, q.place, at)

    def matches(self, other: Estimand) -> None:
        """As of the whole."""
        self.whole.matches(other)

    @property
    def prior_note(self) -> Note | None:
        """As of each stratum."""
        return self.strata.prior_note

    @property
    def remarks(self) -> Notes:
        """What was remarked, and that there are strata."""
        return tuple(self.state.evidence.notes)

    @cached_property
    def empty_cell(self) -> Mask:
        """As of the whole."""
        return self.whole.empty_cell


def _inner(state: State) -> Any:
    """The model of the strata's own kind."""
    return outcomes if getattr(state.evidence.whole, "outcome", False) else classes


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """As of the whole, without the most frequent mistakes."""
    del level
    return {}, classes.extraction_notes(state.evidence.whole) if _inner(state) is classes else ()


prepare = nothing_shared


def settle_prior(evidence: Stratified, given: Any) -> Prior:
    """As of the strata."""
    return classes.settle_prior(evidence, refuse_shared(priors.make(given), "strata are put together"))


def prior_total(state: State) -> float:
    """Of each stratum."""
    return float(_inner(state).prior_total(state.seeing(state.evidence.whole)))


def parse(state: State, name: Any) -> Any:
    """As of the strata."""
    return _inner(state).parse(state, name)


def question(state: State, metric: Any, asked: str) -> OfPopulation:
    """A measure of two classes or of right answers, asked of the strata and put together."""
    inner = _inner(state)
    strata = inner.question(state.seeing(state.evidence.strata), metric, asked)
    whole = inner.question(state.seeing(state.evidence.whole), metric, asked)
    if not isinstance(strata, CellEstimand) or isinstance(strata, ClassAmongMany):
        raise BadSetting(f"a stratified sample has measures of two classes or of right answers; {metric} is neither.")
    return OfPopulation(state, metric, asked, strata, whole)


def names(state: State) -> list[str]:
    """As of the whole."""
    return list(_inner(state).names(state.seeing(state.evidence.whole)))


def table(state: State) -> list[Any]:
    """As of the whole."""
    return list(_inner(state).table(state.seeing(state.evidence.whole)))


def default(state: State) -> str:
    """As of the whole."""
    return str(_inner(state).default(state.seeing(state.evidence.whole)))


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the population's cells."""
    classes.refuse_metrics(state, metrics)
    asked = question(state, parse(state, default(state)), default(state))
    return {c: x for c, x in asked.model.table(0, n, seed)[0].items() if x.any()}
