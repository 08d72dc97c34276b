"""One class against the rest, and right against wrong predictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.arrays import Array, Mask
from howsure.catalogue import metrics
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.metric import Metric
from howsure.evidence.classes import Tally
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import chance
from howsure.posteriors.cells import CellEstimand, label_notes, of_all_classes, refuse_two_level, score_over_classes
from howsure.posteriors.estimand import Chance, Estimand, NextScore, Places
from howsure.posteriors.routes import Model, Shapes, exact_law

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law
    from howsure.posteriors.class_samples import ClassSampler
    from howsure.posteriors.paired import Answers


# -- class against rest
#
# Class against rest: a measure of the 2x2 table of one class, or of the only two.
#
# Prior `even`: weight ½ on each of the four cells, whatever the number of classes: what a user gets who collapses
# first. Under a two-level prior of many classes a class has a row of its own and a share; the rest is mixed over the
# other rows, and measures that look at it are drawn.


@dataclass(frozen=True, eq=False, repr=False)
class ClassAgainstRest(CellEstimand):
    """A measure of the 2x2 table of the class at a place among the labels."""

    place: int

    @cached_property
    def table(self) -> Tally:
        """The 2x2 table."""
        t = self.state.evidence
        same = len(t.labels) == 2 and t.positive == t.labels[self.place]
        return t if same else t.versus_rest(t.labels[self.place])  # type: ignore[no-any-return]

    @cached_property
    def score(self) -> Array:
        """The measure of the counts; averages take an undefined class for 0, but not a table of none."""
        if not self.metric.over_classes:
            return np.asarray(self.light.at(self.counts()), dtype=float)
        return score_over_classes(self.state.evidence, self.metric, self.metric.formula, True)

    def observed(self, counts: Shapes) -> Array:
        """The same of items to come."""
        if not self.metric.over_classes:
            return super().observed(counts)
        swapped = {"tp": "tn", "fp": "fn", "fn": "fp", "tn": "tp"}
        with np.errstate(all="ignore"):
            return np.asarray(self.metric.formula(**{c: np.stack([counts[c], counts[x]]) for c, x in swapped.items()}))

    def counts(self) -> Shapes:
        """tp, fp, fn and tn."""
        return self.table.named()

    @cached_property
    def weights(self) -> dict[str, float]:
        """The prior's weight on each cell."""
        t = self.state.evidence
        own = 1 if t.positive is None else t.find(t.positive)
        return self.state.prior.binary(self.place, len(t.labels), own)

    @cached_property
    def model(self) -> Model:
        """Counts plus weights; class shares of their own under a two-level prior."""
        between = self.state.prior.between
        if self.table.weighted:
            return weighed_model(self.table, self.weights, None if between is None else (between, between))
        counts = self.table.named()
        cells = {c: np.asarray(counts[c] + self.weights[c], dtype=float) for c in CELLS}
        if between is None:
            return Model(cells)
        yes, no = counts["tp"] + counts["fn"] + between, counts["fp"] + counts["tn"] + between
        return Model(cells, (np.asarray(yes), np.asarray(no)))

    def answers(self) -> Answers:
        """Truth and answers of the systems, this class 1 and the rest 0; a missing answer is wrong."""
        from howsure.posteriors.paired import Answers, one_row
        from howsure.posteriors.weighing import of_patterns

        refuse_two_level(self.state)
        two = coded(self.state.evidence, self.place)
        truth, w = two.cells[:, 0], self.weights
        says = np.where(two.cells[:, 1:] < 0, 1 - truth[:, None], two.cells[:, 1:]) == 1
        rows = {1: (w["fn"], w["tp"]), 0: (w["tn"], w["fp"])}
        shapes, scales = of_patterns(two.counts, two.squares)
        return Answers(truth, says, shapes, two.counts, rows, one_row(self.light), scales)

    def chance(self, at: Places = None) -> Chance | None:
        """Against random guessing at the same margins."""
        return chance.of_cells(self.light, self.metric, self.counts(), self.model, self.state, self.place, at)

    def matches(self, other: Estimand) -> None:
        """Both need the same positive class."""
        chance.refuse_other_classes(self.state.evidence, other.state.evidence, False)

    @property
    def prior_note(self) -> Note | None:
        """½ on each cell."""
        if self.state.prior.name != "even":
            return None
        return note("prior", rule="cells", classes=len(self.state.evidence.labels) > 2)

    @cached_property
    def empty_cell(self) -> Mask:
        """Which tables have an empty cell but no empty margin, where the measure has a rule for it."""
        if not self.metric.empty_cell_rule:
            return np.zeros((), dtype=bool)
        tp, fp, fn, tn = (np.asarray(self.counts()[c]) for c in CELLS)
        some = (tp == 0) | (fp == 0) | (fn == 0) | (tn == 0)
        return np.asarray(some & (tp + fp > 0) & (tp + fn > 0) & (fp + tn > 0) & (fn + tn > 0))


@dataclass(frozen=True, eq=False, repr=False)
class OnlyClass(ClassAgainstRest):
    """An average over the one class that occurs: the metric of that class."""

    @cached_property
    def score(self) -> Array:
        """The metric of the counts."""
        return np.asarray(self.light.at(self.counts()), dtype=float)

    def observed(self, counts: Shapes) -> Array:
        """The same of future items."""
        return CellEstimand.observed(self, counts)


@dataclass(frozen=True, eq=False, repr=False)
class ClassAmongMany(ClassAgainstRest):
    """The same under a two-level prior of three classes and more."""

    @cached_property
    def model(self) -> Model:
        """Its own row is a Beta, and so is its share; the rest is mixed."""
        prior, k = self.state.prior, len(self.state.evidence.labels)
        inside, outside = prior.within or 0.0, prior.between or 0.0
        mixed = np.full(self.state.evidence.shape, np.nan)
        if self.table.weighted:
            added = {"tp": inside, "fn": (k - 1) * inside, "fp": 0.0, "tn": 0.0}
            made = weighed_model(self.table, added, (outside, (k - 1) * outside))
            return replace(made, cells={**made.cells, "fp": mixed, "tn": mixed})
        counts = self.table.named()
        own = {"tp": counts["tp"] + inside, "fn": counts["fn"] + (k - 1) * inside}
        yes = counts["tp"] + counts["fn"] + outside
        no = counts["fp"] + counts["tn"] + (k - 1) * outside
        return Model({**own, "fp": mixed, "tn": mixed}, (np.asarray(yes), np.asarray(no)))

    @property
    def _sampler(self) -> ClassSampler:
        from howsure.posteriors.class_samples import ClassDrawing, ClassSampler, OfClass

        t = self.state.evidence
        measure = OfClass(self.light.formula, self.place)
        return ClassSampler(ClassDrawing(t, self.state.prior, False), t.shape, measure, self.light.bounds)

    def law(self) -> tuple[Law, str]:
        """Exact where the measure looks at its own row or share only."""
        from howsure.posteriors.sampling import sampled_law

        if not _mixed(self.light):
            law, route = exact_law(self.light, self.model)
            if law is not None:
                return law, route
        sampler = self._sampler
        made = sampled_law(self.state, self.light.bounds, sampler, self.model.size(), sampler.most)
        return made, "sampled"

    def draws(self, n: int, seed: int) -> Array:
        """From tables of all classes."""
        return replace(self._sampler, apart=True)(n, seed)

    def next_score(self, n: int) -> NextScore:
        """Refused: the rest has no cells of its own here."""
        del n
        raise self._unpredicted("flat priors such as even where there are three classes or more")

    def chance(self, at: Places = None) -> Chance | None:
        """By draws of all classes."""
        from howsure.posteriors.class_samples import OfClass

        gap = chance.beyond(self.light)
        sampler = replace(self._sampler, measure=OfClass(gap, self.place), bounds=(-np.inf, np.inf))
        return chance.of_sampler(self.light, self.metric, self.counts(), sampler, self.state.seed, at)


@dataclass(frozen=True, eq=False, repr=False)
class EveryClass(Estimand):
    """A measure of every class against the rest at once: the first axis of all arrays is the classes."""

    inner: ClassAgainstRest

    @property
    def classes(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The labels along the first axis."""
        return tuple(self.state.evidence.labels)

    @cached_property
    def score(self) -> Array:
        """Of all classes."""
        return self.inner.score

    def law(self) -> tuple[Law, str]:
        """Of all classes."""
        return self.inner.law()

    def draws(self, n: int, seed: int) -> Array:
        """Of all classes, (n, classes, *batch)."""
        return self.inner.draws(n, seed)

    def chance(self, at: Places = None) -> Chance | None:
        """Of all classes."""
        return self.inner.chance(at)

    @property
    def prior_note(self) -> Note | None:
        """½ on each cell."""
        return None if self.state.prior.name != "even" else note("prior", rule="cells", classes=True)

    @property
    def remarks(self) -> Notes:
        """As of one class."""
        return self.inner.remarks


def coded(t: Tally, place: int) -> Tally:
    """The table of a class against the rest, coded 1 and 0."""
    two = t.versus_rest(t.labels[place])
    if two.labels.index(two.positive) == 0:
        cells = np.where(two.cells < 0, -1, 1 - two.cells)
        two = replace(two, cells=cells, labels=two.labels[::-1])
    return two


def weighed_model(t: Tally, prior: dict[str, float], between: tuple[float, float] | None) -> Model:
    """The model of weighted items: each cell, and each class share, has an effective size and a scale of its own."""
    from howsure.distributions.weights import gamma_of, scale_of
    from howsure.posteriors.weighing import relative, uneven, weighed

    sums, squares, _ = relative(t.named(), t.squared.named())
    cells, scales = weighed(sums, squares, prior)
    if between is None:
        return Model(cells, scales=uneven(scales))
    rows = [[x[a] + x[b] for x in (sums, squares)] for a, b in (("tp", "fn"), ("fp", "tn"))]
    made = [gamma_of(s, q, w, scale_of(s, q)) for (s, q), w in zip(rows, between, strict=True)]
    by = uneven({"yes": made[0][1], "no": made[1][1]})
    shares = made[0][0], made[1][0]
    return Model(cells, shares, uneven(scales), None if by is None else (by["yes"], by["no"]))


def _mixed(metric: Metric) -> bool:
    """Whether it looks at negative items by their answers: mixed over the rows of a two-level model of many classes."""
    form = metric.reading.form
    if not isinstance(form, Linear) or metric.reading.outer:
        return True
    rows = all(form.top[a] == form.top[b] and form.bottom[a] == form.bottom[b] for a, b in ((0, 2), (1, 3)))
    return not (rows or not any((form.top[1], form.top[3], form.bottom[1], form.bottom[3])))


# -- right or wrong
#
# Right or wrong: measures that depend on the number of right answers alone, at any number of classes, and rates.
#
# Prior `even`: weight 1 on a right and 1 on a wrong answer (a hit and a miss). Right answers stand in the cell tp,
# wrong ones in fn: accuracy, error rate and micro averages of many classes, the rate of passes, subset accuracy of
# label sets.


@dataclass(frozen=True, eq=False, repr=False)
class RightOrWrong(CellEstimand):
    """A measure of right and wrong answers of classes or label sets."""

    @cached_property
    def weights(self) -> tuple[float, float]:
        """The prior's weight on right and on wrong answers."""
        return self.state.prior.right_wrong(len(self.state.evidence.labels))

    def counts(self) -> Shapes:
        """Right answers as tp, wrong ones as fn."""
        right, wrong = self.state.evidence.right_wrong(effective=False)
        zero = np.zeros_like(right)
        return {"tp": right, "fn": wrong, "fp": zero, "tn": zero}

    @cached_property
    def model(self) -> Model:
        """Counts plus weights; right and wrong answers have scales of their own where items have weights."""
        from howsure.distributions.weights import gamma_of
        from howsure.posteriors.weighing import relative, uneven

        t, zero = self.state.evidence, np.zeros(self.state.evidence.shape)
        if not t.weighted:
            right, wrong = t.right_wrong(effective=False)
            return Model(self._placed(right + self.weights[0], wrong + self.weights[1], zero))
        sums, squares = (dict(zip("rw", x.right_wrong(effective=False), strict=True)) for x in (t, t.squared))
        sums, squares, one = relative(sums, squares)
        made = [gamma_of(sums[c], squares[c], w, np.ones_like(one)) for c, w in zip("rw", self.weights, strict=True)]
        scales = uneven({"r": made[0][1], "w": made[1][1]})
        cells = self._placed(made[0][0], made[1][0], zero)
        if scales is None:
            return Model(cells)
        return Model(cells, scales=self._placed(scales["r"], scales["w"], np.ones_like(one)))

    def _placed(self, right: Array, wrong: Array, other: Array) -> Shapes:
        """Values of right and of wrong answers in their cells."""
        return {"tp": right, "fn": wrong, "fp": other, "tn": other}

    def answers(self) -> Answers:
        """Whether each system is right."""
        refuse_two_level(self.state)
        t = self.state.evidence
        return self._answers(t.cells[:, 1:] == t.cells[:, [0]])

    def _answers(self, right: Mask) -> Answers:
        from howsure.posteriors.paired import Answers
        from howsure.posteriors.weighing import of_patterns

        t = self.state.evidence
        rows = {1: (self.weights[1], self.weights[0])}
        shapes, scales = of_patterns(t.counts, t.squares)
        return Answers(np.ones(len(t.cells), dtype=np.int64), right, shapes, t.counts, rows, scales=scales)

    def chance(self, at: Places = None) -> Chance | None:
        """More right answers than agreement by chance: kappa above 0."""
        return chance.of_right_answers(self.light, self.metric, self.state, at)

    def matches(self, other: Estimand) -> None:
        """Both need the same positive class, if they have one."""
        chance.refuse_other_classes(self.state.evidence, other.state.evidence, False)

    @property
    def remarks(self) -> Notes:
        """What was remarked of the data, and that it is of all classes."""
        return (*super().remarks, *of_all_classes(self.state, self.metric, self.asked))

    @property
    def prior_note(self) -> Note | None:
        """1 on right and 1 on wrong."""
        return None if self.state.prior.name != "even" else note("prior", rule="right-wrong")


@dataclass(frozen=True, eq=False, repr=False)
class AllLabelsRight(RightOrWrong):
    """The same of items with many labels, which are right where all their labels are."""

    def chance(self, at: Places = None) -> Chance | None:
        """Nothing is known of guessing at sets of labels."""
        del at
        return None

    @property
    def remarks(self) -> Notes:
        """That labels stay together."""
        return label_notes(self.state)

    @property
    def prior_note(self) -> Note | None:
        """1 on each end of the range."""
        return None if self.state.prior.name != "even" else note("prior", rule="item-ends")


@dataclass(frozen=True, eq=False, repr=False)
class Passes(RightOrWrong):
    """A rate of passes among trials, or accuracy and error rate by another name."""

    @cached_property
    def weights(self) -> tuple[float, float]:
        """The prior's weight on a hit and on a miss."""
        return self.state.prior.outcome()

    def _placed(self, right: Array, wrong: Array, other: Array) -> Shapes:
        """Misses in the cell that the measure names them by: fn for a rate, fp for accuracy."""
        cells = super()._placed(right, wrong, other)
        return cells if only_hits(self.metric) else {**cells, "fp": cells["fn"], "fn": cells["fp"]}

    @property
    def draws_key(self) -> tuple[object, ...]:
        """Rates, and measures that name misses otherwise, apart."""
        return (*super().draws_key, only_hits(self.metric))

    def answers(self) -> Answers:
        """Whether each system passes."""
        refuse_two_level(self.state)
        return self._answers(self.state.evidence.cells == 1)

    def chance(self, at: Places = None) -> Chance | None:
        """A rate of passes has no margins to guess at."""
        del at
        return None

    def matches(self, other: Estimand) -> None:
        """Outcomes match outcomes."""

    @property
    def prior_note(self) -> Note | None:
        """1 on a hit and 1 on a miss."""
        return None if self.state.prior.name != "even" else note("prior", rule="hits")


def only_hits(metric: Metric) -> bool:
    """Whether it is the rate, or a user's own formula of tp and fn alone."""
    if metric.name == "rate":
        return True
    return metric not in metrics() and {str(x.value) for x in metric.formula.walk() if x.op == "cell"} <= {"tp", "fn"}
