"""The model of a tally of classes: which way of looking a measure takes, and what a report of classes shows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from howsure.catalogue import DEFAULT_BINARY, DEFAULT_CLASS, DEFAULT_WHOLE, Metric, metrics
from howsure.catalogue import parse as parse_metric
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.multiclass import of_right_and_wrong
from howsure.errors import BadSetting, HowsureError, NeedsPositive, listing
from howsure.evidence.classes import Tally
from howsure.evidence.protocol import as_json, number
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.posteriors import priors
from howsure.posteriors.cells import used_classes
from howsure.posteriors.class_against_rest import ClassAgainstRest, ClassAmongMany, EveryClass, OnlyClass, RightOrWrong
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand, nothing_shared
from howsure.posteriors.priors import Prior
from howsure.posteriors.state import State
from howsure.validate import find

EVERY = "*"  # the label of every class at once: f1:*
_LEAST_NEGATIVES: Final = 5  # that are all called positive


prepare = nothing_shared


def settle_prior(evidence: Any, given: Any) -> Prior:
    """Any prior with weight in every cell."""
    made = priors.make(given)
    if made.shared:
        from howsure.posteriors.shrunken import check_slices

        check_slices(evidence)
    if made.name == "none":
        raise BadSetting("prior none is for graded values and scores; a table needs weight in every cell, as even has.")
    return made


def prior_total(state: State) -> float:
    """Of all cells; of a slice's own, where slices lend strength to each other."""
    if state.prior.shared:
        from howsure.posteriors.shrunken import TOTAL

        return TOTAL
    return state.prior.total(max(2, len(state.evidence.labels)))


def parse(state: State, name: Any) -> Metric:
    """A measure of a table."""
    del state
    return parse_metric(name)


def question(state: State, metric: Metric, asked: str) -> Estimand:
    """A 2x2 table, right and wrong answers, or all classes at once."""
    if state.prior.shared:
        from howsure.posteriors.shrunken import shrunken

        return shrunken(state, metric, asked, question)
    t: Tally = state.evidence
    k = len(t.labels)
    if metric.any_of:
        raise BadSetting(f"{metric} is for items with several labels (Tally.multilabel); these have one class each.")
    if metric.name == "rate" and metric == parse_metric("rate"):
        raise BadSetting("rate is for outcomes (hits of trials); for a table of classes ask for accuracy.")
    if metric.label == EVERY and EVERY not in t.labels:
        return every_class(state, metric, asked)
    if metric.average in ("macro", "weighted") and (only := _only_class(t)) is not None and metric.base is not None:
        return OnlyClass(state, metric, asked, metric.base, only)
    light = metric
    if k == 2 and metric.over_classes:
        light = metric.of_two()
    elif (formula := metric.of_classes(k)) is not None and not _right_or_wrong(state, metric):
        if k < 2:
            needed = f"Give {option('labels')}."
            raise BadSetting(f"{metric} needs two classes or more; only {listing(t.labels)} occurs. {needed}")
        from howsure.posteriors.all_classes import AllClasses, RightAnswersByRows

        if state.prior.two_level:
            return RightAnswersByRows(state, metric, asked, formula, _is_accuracy(metric, k))
        return AllClasses(state, metric, asked, formula)
    elif metric.average == "micro":
        return RightOrWrong(state, metric, asked, of_right_and_wrong(metric, k))
    if light.label is None and light.agreement and k != 2:
        return RightOrWrong(state, metric, asked, light)
    place = _place(t, light)
    if state.prior.two_level and k > 2:
        return ClassAmongMany(state, metric, asked, light, place)
    return ClassAgainstRest(state, metric, asked, light, place)


def _only_class(t: Tally) -> int | None:
    """Return the place of the one class that occurs in either column, if no labels are given: averages are over it."""
    if t.labels_given or len(t.systems) > 1:
        return None
    used = np.flatnonzero(used_classes(t).reshape(len(t.labels), -1).any(axis=1))
    return int(used[0]) if len(used) == 1 else None


def every_class(state: State, metric: Metric, asked: str) -> EveryClass:
    """One measure of all classes against the rest, the classes an axis of the batch."""
    if state.prior.two_level or state.prior.table is not None:
        raise BadSetting(f"{asked} needs a prior that is the same for all classes; got {state.prior.name}.")
    base = metric.without_label()
    each = ClassAgainstRest(state.seeing(state.evidence.versus_each()), base, str(base), base, 1)
    return EveryClass(state, base, asked.removesuffix(f":{EVERY}"), each)


def _place(t: Tally, metric: Metric) -> int:
    """Where the class that a measure is of stands."""
    label = metric.label if metric.label is not None else t.positive
    if label is None and not metric.needs_positive and len(t.labels) == 2:
        label = t.labels[1]
    if label is None:
        raise NeedsPositive(_need(metric, t))
    return t.find(label)


def _need(metric: Metric, t: Tally) -> str:
    if len(t.labels) == 2:
        a, b = t.labels
        return (
            f"{metric} needs a positive class: {a!r} or {b!r}. Give {option('positive')}, or ask for {metric}:{b} "
            f"(or {metric}:{a})."
        )
    one = f"{metric}:{t.labels[0]}"
    every = f"macro-{metric} of all of them, or " if _averaged(metric) else ""
    return (
        f"{metric} of {len(t.labels)} classes needs a class: ask for {every}{one} of one, or give "
        f"{option('positive')} (classes: {listing(t.labels)})."
    )


def _averaged(metric: Metric) -> bool:
    """Whether its average over classes has a name."""
    try:
        parse_metric(f"macro-{metric}")
    except HowsureError:
        return False
    return True


def _right_or_wrong(state: State, metric: Metric) -> bool:
    """Whether a measure of all classes depends on the number of right answers alone, and has a law of its own."""
    return (metric.agreement or metric.average == "micro") and not state.prior.two_level


def _is_accuracy(metric: Metric, k: int) -> bool:
    """Whether a measure is the share of right answers."""
    if metric.average != "micro":
        return metric.name == "accuracy"
    form = of_right_and_wrong(metric, k).reading.form
    return isinstance(form, Linear) and (form.top[0], form.bottom[0], form.top[2], form.bottom[2]) == (1, 1, 0, 1)


# -- what a posterior of classes shows


def names(state: State) -> list[str]:
    """Every measure of the catalogue that these classes have."""
    return answered(state, question)


def answered(state: State, ask: Callable[[State, Metric, str], Estimand]) -> list[str]:
    """The measures of the catalogue that a kind of evidence answers."""
    found = []
    for metric in metrics():
        with contextlib.suppress(HowsureError):
            ask(state, metric, str(metric))
            found.append(str(metric))
    return found


def table(state: State) -> list[str | Metric]:
    """Two classes with a positive one, or every class and averages over them."""
    t: Tally = state.evidence
    if state.prior.shared:
        return rates(state, table(replace(state, prior=state.prior.alone)))
    if t.positive is not None:
        return _of_the_positive(t)
    special = state.prior.two_level or state.prior.table is not None  # priors that differ from class to class
    if len(t.labels) > 2 and not special:
        return [*(f"{m}:{EVERY}" for m in DEFAULT_CLASS), *DEFAULT_WHOLE]
    each: list[str | Metric] = [parse_metric(m).of(label) for label in t.labels for m in DEFAULT_CLASS]
    if len(t.labels) == 1:
        return [*each, "accuracy"]
    return [*each, *(DEFAULT_WHOLE if len(t.labels) > 2 else ("accuracy", "balanced-accuracy", "mcc"))]


def _of_the_positive(t: Tally) -> list[str | Metric]:
    """Measures of the positive class against the rest; where a bare name is of all classes, with the class in the name.

    A table that begins with tp, fp, fn and tn holds what follows from these four.
    """
    k = len(t.labels)
    if k <= 2:
        return [*(DEFAULT_CLASS if extraction_notes(t) else DEFAULT_BINARY)]
    return [_of_class(name, t) if _is_of_all(parse_metric(name), k) else name for name in DEFAULT_BINARY]


def _is_of_all(metric: Metric, k: int) -> bool:
    """Whether a bare name is of all k classes together."""
    return metric.agreement or metric.of_classes(k) is not None


def _of_class(name: str, t: Tally) -> str | Metric:
    """The name with the positive class; the metric itself if another label is spelled the same."""
    same = find(str(t.positive), t.labels) == find(t.positive, t.labels)
    return f"{name}:{t.positive}" if same else parse_metric(name).of(t.positive)


def rates(state: State, names: Iterable[str | Metric]) -> list[str | Metric]:
    """Those of some measures that are rates; of every class, each for itself."""
    labels, each = state.evidence.labels, []
    for name in map(str, names):
        each += [f"{name[:-1]}{y}" for y in labels] if name.endswith(f":{EVERY}") else [name]
    found: list[str | Metric] = []
    for name in each:
        with contextlib.suppress(HowsureError):
            question(state, parse_metric(name), name)
            found.append(name)
    return found


def default(state: State) -> str:
    """f1 for a positive class, macro-f1 for many."""
    t: Tally = state.evidence
    return "f1" if t.positive is not None else "macro-f1" if len(t.labels) > 1 else "accuracy"


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cell probabilities tp, fp, fn, tn, each of shape (n, *batch).

    Of many classes without a positive one: the cells of each class against the rest, (n, classes).
    """
    from howsure.posteriors.class_samples import ClassDrawing

    t: Tally = state.evidence
    refuse_metrics(state, metrics)
    refuse_shared_cells(state)
    if len(t.labels) < 2:
        needed = f"Give {option('labels')}."
        raise BadSetting(f"draws need two classes or more; only {listing(t.labels)} occurs. {needed}")
    if len(t.labels) > 2 and t.positive is None:
        return class_draws(t, ClassDrawing(t, state.prior, False), n, seed)
    asked = parse_metric("phi" if len(t.labels) == 2 else "lr-plus")
    model = question(state, asked, str(asked)).model  # type: ignore[attr-defined]
    tables = [drawn for drawn, _ in model.tables(n, seed)]
    return {c: np.stack([x[c] for x in tables], axis=-1).reshape(n, *model.shape) for c in CELLS}


def refuse_metrics(state: State, metrics: Any) -> None:
    """Draws of tables are of the cells of one system."""
    systems = state.evidence.systems
    if len(systems) > 1:
        raise BadSetting(f"draws are of one system's cells: choose posterior.system({systems[0]!r}).")
    if metrics is not None:
        raise BadSetting("draws of a table are of its cells; for those of a measure ask it: p['f1'].draws(1000).")


def refuse_shared_cells(state: State) -> None:
    """Slices that lend strength to each other have rates, and no cells."""
    if state.prior.shared:
        what = f"{option('shrink')} is of rates, not of cells"
        raise BadSetting(f"{what}: ask a measure for its draws, as in p['accuracy'].draws(1000).")


def class_draws(evidence: Any, drawing: Any, n: int, seed: int) -> dict[str, Any]:
    """Draws of the cells of each class against the rest."""
    if evidence.shape:
        raise BadSetting("draws of many classes need a single table, not a batch.")
    drawn = [x.cells(0) for x in drawing.plan().draws(n, seed)]
    cells = {c: np.concatenate([x[c] for x in drawn], axis=1).T for c in CELLS}
    total = sum(cells.values())
    return {c: np.asarray(x / total) for c, x in cells.items()}


# -- the most frequent mistakes


@dataclass(frozen=True)
class Confusion:
    """Items of one class that were taken for another: how many, and the posterior of their share of the class."""

    truth: Any
    answer: Any
    count: Any
    of: Any
    share: Distribution


@dataclass(frozen=True, eq=False)
class _BetaDraws:
    a: Any
    b: Any
    tilt: Any

    def __call__(self, n: int, seed: int) -> Any:
        from howsure.distributions.sampling import generator

        a, b, tilt = (float(np.ravel(x)[0]) for x in (self.a, self.b, self.tilt))
        x = generator(seed, 60_013, a, b, tilt).beta(self.a, self.b, (n, *np.shape(self.a)))
        return x if np.all(self.tilt == 1.0) else self.tilt * x / (self.tilt * x + 1.0 - x)


def confusions(state: State, top: int = 10) -> tuple[Confusion, ...]:
    """The most frequent mistakes of one table, with weight 1/2 on each and 1/2 on the rest of the class."""
    t: Tally = state.evidence
    wrong = np.flatnonzero((t.cells[:, 0] != t.cells[:, 1]) & (t.cells[:, 1] >= 0) & (t.counts > 0))
    order = wrong[np.argsort(-t.counts[wrong], kind="stable")][:top]
    raw, squares = _of_classes(t)
    out = []
    for i in order.tolist():
        y, z = (int(x) for x in t.cells[i])
        share = _share((raw[y], squares[y]), (float(t.counts[i]), float(t.squared.counts[i])))
        out.append(Confusion(t.labels[y], t.labels[z], number(t.counts[i]), number(raw[y]), share))
    return tuple(out)


def _of_classes(t: Tally) -> tuple[Any, Any]:
    """The items of each true class, and the sums of their squared weights."""
    raw, squares = (np.bincount(t.cells[:, 0], x, len(t.labels)) for x in (t.counts, t.squared.counts))
    return raw, squares


def _share(whole: tuple[Any, Any], hit: tuple[Any, Any]) -> Distribution:
    """The share of a class that is answered in one way; both as sums of weights and of their squares, or arrays."""
    from howsure.distributions.moebius import Moebius
    from howsure.distributions.weights import gamma_of

    rest = [np.maximum(np.asarray(x) - np.asarray(y), 0.0) for x, y in zip(whole, hit, strict=True)]
    seen = np.asarray(whole[0]) > 0
    unit = np.where(seen, np.asarray(whole[1]) / np.where(seen, whole[0], 1.0), 1.0)
    (a, s), (b, r) = (gamma_of(np.asarray(v), np.asarray(q), 0.5, unit) for v, q in (hit, rest))
    tilt = np.asarray(s / r)
    law = Moebius(a, b, 1.0, 1.0, 0.0, 1.0, None if (tilt == 1.0).all() else tilt)
    return Distribution("share", law, "closed form", _BetaDraws(a, b, tilt))


MOST_DRAWN: Final = 12  # classes whose whole table is drawn


def confusion_table(state: State, level: float, interval: str) -> dict[str, Any] | None:
    """Every cell of one table of a few classes with its share of the true class; None of other tables."""
    t: Tally = state.evidence
    known = bool((t.cells[:, 0] >= 0).all() and (t.cells[:, 1] >= 0).all())
    if t.shape or len(t.systems) > 1 or not 2 <= len(t.labels) <= MOST_DRAWN or not known:
        return None
    raw, squares = _of_classes(t)
    size = len(t.labels)
    counts, sums = np.zeros((size, size)), np.zeros((size, size))
    np.add.at(counts, (t.cells[:, 0], t.cells[:, 1]), t.counts)
    np.add.at(sums, (t.cells[:, 0], t.cells[:, 1]), t.squared.counts)
    whole = np.broadcast_to(raw[:, None], (size, size)), np.broadcast_to(squares[:, None], (size, size))
    low, high = _share(whole, (counts, sums)).interval(level, kind=interval)
    cells = [
        {"truth": y, "answer": z, "count": number(counts[y, z]), "of": number(raw[y]),
         "share": float(counts[y, z] / raw[y]) if raw[y] > 0 else None,
         "low": float(low[y, z]), "high": float(high[y, z])}
        for y, z in np.ndindex(size, size)
    ]  # fmt: skip
    return {"labels": [as_json(x) for x in t.labels], "cells": cells}


def extraction_notes(t: Tally) -> Notes:
    """Say that metrics of true negatives are not shown for data that cannot have any, such as those of extraction.

    There, items are what was found or should have been. No classifier is like that: one that calls some items negative
    calls some negative items so, unless there are hardly any.
    """
    if len(t.labels) != 2 or t.positive is None:
        return ()
    for name in t.systems:
        tp, fp, fn, tn = (float(x.sum()) for x in t.system(name).named(effective=True).values())
        if tn > 0 or fn == 0 or fp < _LEAST_NEGATIVES or tp < min(fp, fn):
            return ()
    from howsure.evidence.shifted import ShiftedTally

    if isinstance(t, ShiftedTally):
        return ()
    return (note("no-true-negatives", names=", ".join(m for m in DEFAULT_BINARY if m not in DEFAULT_CLASS)),)


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """The most frequent mistakes of many classes; the first three in words."""
    t: Tally = state.evidence
    if len(t.labels) == 2:
        return {}, extraction_notes(t)
    if t.shape or len(t.systems) > 1 or len(t.labels) <= 2:
        return {}, ()
    found = confusions(state)
    if not found:
        return {}, ()
    shown = []
    for c in found[:3]:
        low, high = c.share.interval()
        shown.append((c.truth, c.answer, float(c.share.mean), low, high))
    listed = []
    for c in found:
        low, high = c.share.interval(level)
        names = {"truth": as_json(c.truth), "answer": as_json(c.answer), "count": c.count, "of": c.of}
        listed.append(names | {"mean": float(c.share.mean), "low": float(low), "high": float(high)})
    return {"confusions": listed}, (note("confusions", shares=tuple(shown)),)
