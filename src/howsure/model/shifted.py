"""A tally asked of a target with another share of positives: recall and specificity carry over, the rest follows.

Where the target is a sample with the same numbers of both classes as the items tested, the class shares have the law
that they have in the tested table, and everything is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.cell_models import Model, Shapes
from howsure.errors import BadSetting
from howsure.evidence.shifted import TargetShare
from howsure.expressions import CELLS
from howsure.forms import Linear, carries_over
from howsure.language import option
from howsure.model import classes
from howsure.model.answers import Answers
from howsure.model.cells import table_notes
from howsure.model.class_against_rest import ClassAgainstRest
from howsure.model.question import Question, nothing_more, nothing_shared
from howsure.model.sampling import sampled_law
from howsure.model.state import State
from howsure.model.target_answers import TargetAnswers
from howsure.model.target_share import TargetModel, target_law
from howsure.notes import Notes, note
from howsure.routes import values

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]

APART = 1_000_000_007  # between the seeds of systems that were tested on different items


@dataclass(frozen=True, eq=False, repr=False)
class AtPrevalence(ClassAgainstRest):
    """A measure of two classes in a target where the class has another share."""

    @property
    def target(self) -> TargetShare:
        """The share of positives, and how it is known."""
        return self.state.evidence.target  # type: ignore[no-any-return]

    @cached_property
    def carried(self) -> bool:
        """Whether it depends on recall and specificity alone."""
        return carries_over(self.light.reading.form)

    @property
    def _turned(self) -> bool:
        """Whether the class that is asked for is the other one than the target's."""
        return bool(self.state.evidence.labels[self.place] != self.target.label)

    # -- one system

    def counts(self) -> Shapes:
        """As many items as were tested, in the proportions of the target; as tested, if the measure carries over."""
        raw = {c: np.asarray(x, dtype=float) for c, x in super().counts().items()}
        if self.carried:
            return raw
        share = 1.0 - self.target.share if self._turned else self.target.share
        n = sum(raw.values())
        with np.errstate(divide="ignore", invalid="ignore"):
            yes, no = share * n / (raw["tp"] + raw["fn"]), (1.0 - share) * n / (raw["fp"] + raw["tn"])
            return {"tp": raw["tp"] * yes, "fp": raw["fp"] * no, "fn": raw["fn"] * yes, "tn": raw["tn"] * no}

    @cached_property
    def score(self) -> Array:
        """The measure at the recall and specificity of the items, and the target's share."""
        cells = self.counts()
        if not self.metric.over_classes:
            return np.asarray(self.light.at(cells), dtype=float)
        other = {"tp": cells["tn"], "fp": cells["fn"], "fn": cells["fp"], "tn": cells["tp"]}
        with np.errstate(all="ignore"):
            return np.asarray(self.metric.formula(**{c: np.stack([cells[c], other[c]]) for c in CELLS}))

    @property
    def undefined(self) -> str:
        """When the score is 0/0: also where the items lack a class."""
        raw = super().counts()
        lacks = np.any((raw["tp"] + raw["fn"] == 0) | (raw["fp"] + raw["tn"] == 0))
        return "a class has no items" if lacks and not self.carried else super().undefined

    @cached_property
    def model(self) -> Model:
        """Rates as tested, shares as in the target; the tested table itself where the target has its numbers."""
        tested = super().model
        if self.target.counts is None:
            low, high = self.target.low, self.target.high
            if self._turned:
                low, high = 1.0 - high, 1.0 - low
            return TargetModel(tested.cells, scales=tested.scales, low=low, high=high)
        yes, no = self._shapes(self.target.counts)
        cells, shape = tested.cells, tested.shape
        same = (
            tested.scales is None
            and np.all(cells["tp"] + cells["fn"] == yes)
            and np.all(cells["fp"] + cells["tn"] == no)
        )
        if same and not self.state.prior.two_level:
            return tested
        return TargetModel(cells, (np.full(shape, yes), np.full(shape, no)), tested.scales)

    def _shapes(self, counts: tuple[float, float]) -> tuple[float, float]:
        """Those of the target's share after its sample, under the prior."""
        prior, w = self.state.prior, self.weights
        added = (w["tp"] + w["fn"], w["fp"] + w["tn"])
        if self.target.outcomes:
            added = prior.outcome()
        elif prior.between is not None:
            added = (prior.between, prior.between)
        own = counts[::-1] if self._turned else counts
        return own[0] + added[0], own[1] + added[1]

    def law(self) -> tuple[Law, str]:
        """Exact where recall and specificity decide, or the share is known; else by draws."""
        model = self.model
        if not isinstance(model, TargetModel):
            return super().law()
        self._refuse_known(model)
        law, route = target_law(self.light, model)
        if law is None:
            law = sampled_law(self.state, self.light.bounds, partial(self._law_draws, model), model.size())
        return law, route

    def _refuse_known(self, model: TargetModel) -> None:
        """What depends on the share alone has no law where that is a number."""
        form = self.light.reading.form
        if not isinstance(form, Linear) or not model.known:
            return
        top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
        if all(x["tp"] == x["fn"] and x["fp"] == x["tn"] for x in (top, bottom)):
            raise BadSetting(
                f"{self.asked} depends on {option('prevalence')} alone, which is given as {self.target.share:g}: there "
                "is nothing to learn of it from these items."
            )

    # -- several systems

    def answers(self) -> Answers:
        """What the systems said to the items of each class; the share of the classes is that of the target."""
        t = self.state.evidence
        one = replace(self, state=self.state.seeing(t.system(t.systems[0])))  # the shares are those of all systems
        own, model = super().answers(), one.model
        if not isinstance(model, TargetModel):
            return own
        return TargetAnswers(**{f.name: getattr(own, f.name) for f in fields(Answers)}, target=model)

    def draw_systems(self, answers: Answers, metrics: list[Metric], n: int, seed: int) -> list[Array]:
        """All from the same patterns, and the same shares of the target."""
        if isinstance(answers, TargetAnswers):
            return answers.joint_draws(metrics, n, seed)
        return super().draw_systems(answers, metrics, n, seed)

    def linked_draws(self, others: Sequence[Question]) -> Callable[[int, int], list[Array]] | None:
        """Systems tested on different items have the target's share in common, where that is not known."""
        asked = [q for q in (self, *others) if isinstance(q, AtPrevalence) and not q.carried]
        if len(asked) <= len(others) or any(q.target != self.target for q in asked):
            return None
        models = [q.model if isinstance(q.model, TargetModel) else q.as_target() for q in asked]
        if models[0].known:
            return None

        def drawn(n: int, seed: int) -> list[Array]:
            made = []
            for k, (q, model) in enumerate(zip(asked, models, strict=True)):
                tables = [model.table(j, n, seed, 0, k * APART) for j in range(model.size())]
                made.append(np.stack([values(q.light, *x) for x in tables], axis=-1).reshape(n, *model.shape))
            return made

        return drawn

    def as_target(self) -> TargetModel:
        """The model with the share of the target apart, also where that has the law of the tested table."""
        tested = super().model
        yes, no = self._shapes(self.target.counts or (0.0, 0.0))
        shape = tested.shape
        return TargetModel(tested.cells, (np.full(shape, yes), np.full(shape, no)), tested.scales)

    def classical_tests(self) -> dict[str, float | None]:
        """Of the items tested, and so for measures that carry over."""
        if not self.carried:
            raise BadSetting(f"these tests are of the items tested; {self.asked} is asked of a target.")
        return super().classical_tests()

    @property
    def remarks(self) -> Notes:
        """What was remarked of the data, and that measures are asked of a target."""
        return (*table_notes(self.state), _shift_note(self.state))


def _shift_note(state: State) -> Any:
    """What share the tested items have, what share the target has, and what is assumed."""
    t, target = state.evidence, state.evidence.target
    here = t.cells[:, 0] == t.labels.index(target.label)
    n, found = float(t.counts.sum()), float(t.counts[..., here].sum())
    tested = f"{found / n:.3g}" if n else "none"
    return note("prevalence-shifted", form=target.form, tested=tested, of=str(target.label), **target.facts)


extras = nothing_more
prepare = nothing_shared
settle_prior = classes.settle_prior
prior_total = classes.prior_total
parse = classes.parse
table = classes.table
default = classes.default


def question(state: State, metric: Metric, asked: str) -> AtPrevalence:
    """A measure of two classes, asked of the target."""
    found = classes.question(state, metric, asked)
    if not isinstance(found, ClassAgainstRest):
        raise BadSetting(
            f"{asked} is not known for another {option('prevalence')}: ask for a measure of one class, or accuracy."
        )
    return AtPrevalence(state, metric, asked, found.light, found.place)


def names(state: State) -> list[str]:
    """Every measure of the catalogue that these classes have."""
    return classes.answered(state, question)


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cell probabilities of the target, each of shape (n, *batch)."""
    classes.refuse_metrics(state, metrics)
    asked = parse(state, "phi")
    model = question(state, asked, "phi").model
    tables = [drawn for drawn, _ in model.tables(n, seed)]
    return {c: np.stack([x[c] for x in tables], axis=-1).reshape(n, *model.shape) for c in CELLS}
