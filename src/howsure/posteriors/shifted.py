"""Metrics at another prevalence: a target whose share of positives is given, a range or counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.arrays import Array, Integers
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear, at_prevalence, carries_over
from howsure.catalogue.metric import Metric
from howsure.distributions import sampling as drawing
from howsure.errors import BadSetting
from howsure.evidence.shifted import TargetShare
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.posteriors import classes
from howsure.posteriors.cells import table_notes
from howsure.posteriors.class_against_rest import ClassAgainstRest
from howsure.posteriors.estimand import Estimand, nothing_more, nothing_shared
from howsure.posteriors.paired import FEW, NAMES, Answers, Cells, cell_draws, listed
from howsure.posteriors.routes import Model, Shapes, exact_law, outside, rates_law, values
from howsure.posteriors.sampling import sampled_law
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.paired_quotients import PairedQuotients
    from howsure.distributions.protocol import Law


# -- target share
#
# The cells of a target: recall and specificity as tested, and a share of positives that is known apart.
#
# The share is a number, uniform between two, or a Beta after a sample of the target. At a known share every linear
# quotient of the cells, and kappa, is a quotient of two independent rates (forms.at_prevalence), one exact integral.


SMALL = 0.1  # below, rates of both classes underflow together, and their quotient is 0/0


@dataclass(frozen=True)
class TargetModel(Model):
    """Shapes of the four cells as tested; the share of positives lies between low and high, or is Beta(shares)."""

    low: float = 0.5
    high: float = 0.5

    @property
    def by_rows(self) -> bool:
        """The share is never that of the items tested."""
        return True

    @property
    def known(self) -> bool:
        """Whether the share is a number."""
        return self.shares is None and self.low == self.high

    @property
    def tested(self) -> Model:
        """The cells as tested, for what depends on recall and specificity alone."""
        return Model(self.cells, scales=self.scales)

    def class_shares(self, j: int, n: int, seed: int, place: int = 0) -> Array:
        """Logs of n draws of the share of positives, and of the rest."""
        if self.shares is not None:
            return super().class_shares(j, n, seed, place)
        if self.known:
            return np.tile(np.log([[self.low], [1.0 - self.low]]), (1, n))
        from howsure.distributions.sampling import generator

        part = generator(seed, place, self.low, self.high).random(n)
        yes = self.low + (self.high - self.low) * part
        return np.log(np.stack([yes, (1.0 - self.high) + (self.high - self.low) * (1.0 - part)]))


def target_law(metric: Metric, model: TargetModel) -> tuple[Law | None, str]:
    """The law of a measure in the target, or None where only draws are left."""
    form, outer = metric.reading.form, metric.reading.outer
    if carries_over(form):
        return exact_law(metric, model.tested)
    if model.known:
        tiny = any(np.any(x < SMALL) for x in model.cells.values())
        rates = None if tiny else at_prevalence(form, model.low)
        return outside(None if rates is None else rates_law(rates, model.cells, model.scales), outer)
    if model.shares is not None:
        return exact_law(metric, model)
    return None, "sampled"


# -- target answers
#
# Systems on the same items, asked of a target: joint patterns within each truth row, rows by the target's shares.
#
# The rows of a Dirichlet are independent of their totals, so the joint patterns of a row keep their law, and one draw
# of the share of positives serves all systems. Measures of one truth row are as they were tested, and as exact.


@dataclass(frozen=True, eq=False)
class TargetAnswers(Answers):
    """Patterns of truth and answers; the share of positives is that of the target."""

    as_tested = False
    target: TargetModel = field(default_factory=lambda: TargetModel({}), compare=False)

    def exact_difference(self, metric: Metric) -> Law | None:
        """Of measures of one truth row."""
        return super().exact_difference(metric) if carries_over(metric.reading.form) else None

    def paired_laws(self, metric: Metric) -> list[PairedQuotients | None]:
        """None: both are drawn."""
        del metric
        return []

    def chances(self, metric: Metric) -> Array | None:
        """Of measures of one truth row."""
        return super().chances(metric) if carries_over(metric.reading.form) else None

    def pair_logs(self, shapes: Array, n: int, seed: int, scales: Array | None, j: int) -> Array:
        """Logs of draws of the joint patterns of one table, each row with its share of the target."""
        logs = super().pair_logs(shapes, n, seed, scales, j)
        return _in_target(logs, np.array([y for y, _, _ in self.pairs]), self.target.class_shares(j, n, seed))

    def joint_draws(self, metrics: Sequence[Metric], n: int, seed: int) -> list[Array]:
        """Draws of each measure of every system, (n, systems), all from the same patterns and shares."""
        shares = self.target.class_shares(0, n, seed)
        if self.says.shape[1] > FEW:
            return self._by_parts(metrics, n, seed, np.exp(shares))
        truth, says, shapes, scales = listed(self)
        logs = _in_target(drawing.log_shares(shapes, n, seed, 0, scales), truth, shares)
        columns = []
        for k in range(says.shape[1]):
            cells: Cells = {}
            for (y, said), name in NAMES.items():
                mine = logs[(truth == y) & (says[:, k] == said)]
                cells[name] = np.logaddexp.reduce(mine) if len(mine) else np.full(n, -np.inf)
            plain = {c: np.exp(x) for c, x in cells.items()}
            columns.append([values(m, plain, cells) for m in metrics])
        return [np.stack(parts, axis=1) for parts in zip(*columns, strict=True)]

    def _by_parts(self, metrics: Sequence[Metric], n: int, seed: int, shares: Array) -> list[Array]:
        """The same of many systems, some draws at a time."""
        drawn: list[list[Array]] = []
        start = 0
        for cells in cell_draws(self, n, seed):
            size = len(cells["tp"])
            yes, no = (x[start : start + size, None] for x in shares)
            start += size
            with np.errstate(divide="ignore", invalid="ignore"):
                up, down = yes / (cells["tp"] + cells["fn"]), no / (cells["fp"] + cells["tn"])
                by = {"tp": up, "fn": up, "fp": down, "tn": down}
                made = {c: cells[c] * x for c, x in by.items()}
                drawn.append([np.asarray(m.formula(**made)) for m in metrics])
        return [np.concatenate(parts) for parts in zip(*drawn, strict=True)]


def _in_target(logs: Array, truth: Integers, shares: Array) -> Array:
    """Logs of patterns, (patterns, draws), with the rows' totals those of the target: yes, no."""
    out = np.empty_like(logs)
    for y, own in ((1, shares[0]), (0, shares[1])):
        here = truth == y
        if here.any():
            out[here] = logs[here] - np.logaddexp.reduce(logs[here], axis=0) + own
    return out


# -- shifted
#
# A tally asked of a target with another share of positives: recall and specificity carry over, the rest follows.
#
# Where the target is a sample with the same numbers of both classes as the items tested, the class shares have the law
# that they have in the tested table, and everything is as it was.

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

    def linked_draws(self, others: Sequence[Estimand]) -> Callable[[int, int], list[Array]] | None:
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
