"""Right or wrong: measures that depend on the number of right answers alone, at any number of classes, and rates.

Prior `even`: weight 1 on a right and 1 on a wrong answer (a hit and a miss). Right answers stand in the cell tp, wrong
ones in fn: accuracy, error rate and micro averages of many classes, the rate of passes, subset accuracy of label sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import metrics
from howsure.catalogue.metric import Metric
from howsure.cell_models import Model, Shapes
from howsure.kernels.weights import gamma_of
from howsure.model import chance
from howsure.model.answers import Answers
from howsure.model.cells import CellQuestion, label_notes, of_all_classes, refuse_two_level
from howsure.model.question import Chance, Places, Question
from howsure.model.weighing import of_patterns, relative, uneven
from howsure.notes import Note, Notes, note

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RightOrWrong(CellQuestion):
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

    def _answers(self, right: NDArray[np.bool_]) -> Answers:
        t = self.state.evidence
        rows = {1: (self.weights[1], self.weights[0])}
        shapes, scales = of_patterns(t.counts, t.squares)
        return Answers(np.ones(len(t.cells), dtype=np.int64), right, shapes, t.counts, rows, scales=scales)

    def chance(self, at: Places = None) -> Chance | None:
        """More right answers than agreement by chance: kappa above 0."""
        return chance.of_right_answers(self.light, self.metric, self.state, at)

    def matches(self, other: Question) -> None:
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

    def matches(self, other: Question) -> None:
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
