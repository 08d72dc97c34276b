"""The model of items with any number of labels: single labels, averages over labels, means over items.

Whole items are resampled, so that labels of one item stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from howsure.catalogue import DEFAULT_CLASS, DEFAULT_LABELS, Metric
from howsure.errors import BadSetting, NeedsPositive
from howsure.evidence.label_sets import Multilabel
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import classes, priors
from howsure.posteriors.all_classes import AllClasses
from howsure.posteriors.cells import label_notes
from howsure.posteriors.class_against_rest import AllLabelsRight, ClassAgainstRest
from howsure.posteriors.estimand import Chance, Estimand, NextScore, Places, nothing_more, nothing_shared
from howsure.posteriors.over_items import AddedUp, LabelDrawing, MeanOverItems, is_quotient
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.state import State


@dataclass(frozen=True, eq=False, repr=False)
class AllLabels(AllClasses):
    """An average over labels, by draws."""

    @property
    def drawing(self) -> LabelDrawing:
        """What is drawn."""
        return LabelDrawing(self.state.evidence, self.state.prior, self.metric.classes_count_alike)

    def chance(self, at: Places = None) -> Chance | None:
        """Nothing is known of guessing at sets of labels."""
        del at
        return None

    def next_score(self, n: int) -> NextScore:
        """Refused: the next sets of labels are not drawn."""
        del n
        raise self._unpredicted("single labels, micro and samples averages of items with several labels")

    @property
    def prior_note(self) -> Note | None:
        """Of every label alone, pooled, or shared by the labels."""
        if self.state.prior.name != "even":
            return None
        if self.state.evidence.independent:
            rule = "each-label"
        else:
            rule = "pooled" if self.metric.classes_count_alike else "shared-by-labels"
        return note("prior", rule=rule, of=(self.asked,))

    @property
    def remarks(self) -> Notes:
        """That labels stay together, empty labels, and coverage."""
        own = label_notes(self.state)
        return (*own, *self._empty_classes(), *self._coverage())


@dataclass(frozen=True, eq=False, repr=False)
class OneLabel(ClassAgainstRest):
    """A measure of the 2x2 table of one label."""

    @cached_property
    def table(self) -> Any:
        """Items with the label or without, answered with it or without."""
        return self.state.evidence.versus_rest(self.state.evidence.labels[self.place])

    @property
    def remarks(self) -> Notes:
        """That labels stay together."""
        return label_notes(self.state)


# -- the kind


extras = nothing_more
prepare = nothing_shared


def settle_prior(evidence: Multilabel, given: Any) -> Prior:
    """As of classes, of one table."""
    return classes.settle_prior(evidence, refuse_shared(priors.make(given), "these items have several labels"))


prior_total = classes.prior_total
parse = classes.parse


def question(state: State, metric: Metric, asked: str) -> Estimand:
    """A label, all labels right, a mean over items, a sum over labels, or an average over labels."""
    t: Multilabel = state.evidence
    if metric.name == "rate":
        raise BadSetting("rate is for outcomes (hits of trials); for items with many labels ask for subset-accuracy.")
    if metric.label == classes.EVERY and classes.EVERY not in t.labels:
        return classes.every_class(state, metric, asked)
    if metric.label is not None:
        return OneLabel(state, metric, asked, metric, t.find(metric.label))
    if metric.name in ("accuracy", "error-rate", "subset-accuracy"):
        return AllLabelsRight(state, metric, asked, metric)
    if metric.average == "samples" or (metric.name == "hamming-loss" and not t.independent):
        return MeanOverItems(state, metric, asked)
    base = metric.base
    whole = metric.average == "micro" and not t.independent and state.prior.name == "even"
    if whole and base is not None and is_quotient(base):
        return AddedUp(state, metric, asked)
    if metric.over_classes:
        return AllLabels(state, metric, asked, metric.formula)
    raise NeedsPositive(
        f"{metric} of {len(t.labels)} labels needs a label, or an average: ask for {metric}:{t.labels[0]} or "
        f"macro-{metric}."
    )


def names(state: State) -> list[str]:
    """Every measure that these labels have."""
    return classes.answered(state, question)


def table(state: State) -> list[str]:
    """Every label, and averages."""
    del state
    return [*(f"{m}:{classes.EVERY}" for m in DEFAULT_CLASS), *DEFAULT_LABELS]


def default(state: State) -> str:
    """The mean over labels."""
    return "macro-f1" if len(state.evidence.labels) > 1 else "subset-accuracy"


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cells of each label, (n, labels)."""
    classes.refuse_metrics(state, metrics)
    return classes.class_draws(state.evidence, LabelDrawing(state.evidence, state.prior, False), n, seed)
