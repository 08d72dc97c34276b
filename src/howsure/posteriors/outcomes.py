"""The model of outcomes: passes and fails have a rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.catalogue import Metric
from howsure.catalogue import parse as parse_metric
from howsure.errors import BadSetting
from howsure.posteriors import classes
from howsure.posteriors.class_against_rest import Passes, only_hits
from howsure.posteriors.classes import refuse_metrics, refuse_shared_cells
from howsure.posteriors.estimand import Estimand, nothing_more, nothing_shared
from howsure.posteriors.shrunken import TOTAL, shrunken
from howsure.posteriors.state import State

extras = nothing_more
settle_prior = classes.settle_prior
prepare = nothing_shared


def prior_total(state: State) -> float:
    """Of a hit and a miss."""
    if state.prior.shared:
        return TOTAL
    return float(sum(state.prior.outcome()))


def parse(state: State, name: Any) -> Metric:
    """A measure of a table."""
    del state
    return parse_metric(name)


def question(state: State, metric: Metric, asked: str) -> Estimand:
    """The rate, or a measure of right and wrong answers."""
    if state.prior.shared:
        return shrunken(state, metric, asked, question)
    if metric.any_of:
        raise BadSetting(f"{metric} is for items with several labels (Tally.multilabel); these are outcomes.")
    if not only_hits(metric) and not metric.agreement:
        raise BadSetting(f"this tally holds outcomes, hits and misses; ask for rate, not {metric}.")
    return Passes(state, metric, asked, metric)


def names(state: State) -> list[str]:
    """The rate, and accuracy and error rate by their names."""
    del state
    return ["accuracy", "error-rate", "rate"]


def table(state: State) -> list[str]:
    """The rate."""
    del state
    return ["rate"]


def default(state: State) -> str:
    """The rate."""
    del state
    return "rate"


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n draws of the probabilities of a hit (tp) and a miss (fn), each of shape (n, *batch)."""
    refuse_metrics(state, metrics)
    refuse_shared_cells(state)
    rate = parse_metric("rate")
    model = Passes(state, rate, "rate", rate).model
    tables = [drawn for drawn, _ in model.tables(n, seed)]
    return {c: np.stack([x[c] for x in tables], axis=-1).reshape(n, *model.shape) for c in ("tp", "fn")}
