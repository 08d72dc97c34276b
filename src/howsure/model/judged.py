"""The kind of judged items: which way of looking a measure takes, and what a report of them shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure import priors
from howsure.errors import BadSetting
from howsure.evidence.judged import JudgedItems
from howsure.model import classes, judge_notes, outcomes
from howsure.model.cells import CellQuestion
from howsure.model.corrected import Corrected, prior_weights
from howsure.model.corrected_elsewhere import CorrectedElsewhere
from howsure.model.question import nothing_shared
from howsure.model.state import State
from howsure.notes import Notes
from howsure.priors import Prior, refuse_shared

prepare = nothing_shared


def settle_prior(evidence: Any, given: Any) -> Prior:
    """As of classes; slices of judged items lend nothing."""
    return classes.settle_prior(evidence, refuse_shared(priors.make(given), "these items were labelled by a judge"))


def _inner(e: JudgedItems) -> Any:
    """The model of human labels alone."""
    return outcomes if e.outcome else classes


def _human(state: State) -> State:
    e = state.evidence
    return state.seeing((e if len(e.systems) == 1 else e.system(e.systems[0])).human_only())


def prior_total(state: State) -> float:
    """Of all strata and human labels."""
    return float(prior_weights(state.prior, state.evidence).sum())


def parse(state: State, name: Any) -> Any:
    """A measure of a table."""
    return _inner(state.evidence).parse(state, name)


def question(state: State, metric: Any, asked: str) -> Corrected:
    """A measure of two classes, or of passes."""
    prior_weights(state.prior, state.evidence)  # refuses a prior that does not fit
    human = _inner(state.evidence).question(_human(state), metric, asked)
    if not isinstance(human, CellQuestion):
        raise BadSetting(f"judged items have measures of one class against the other; {asked} is none.")
    made = CorrectedElsewhere if state.evidence.external else Corrected
    return made(state, metric, asked, human)


def names(state: State) -> Sequence[str]:
    """The measures that human labels alone have."""
    return classes.answered(state, question) if not state.evidence.outcome else outcomes.names(state)


def table(state: State) -> Sequence[Any]:
    """As of human labels alone."""
    return list(_inner(state.evidence).table(_human(state)))


def default(state: State) -> str:
    """As of human labels alone."""
    return str(_inner(state.evidence).default(_human(state)))


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cells of human label and answer."""
    classes.refuse_metrics(state, metrics)
    asked, e = question(state, parse(state, default(state)), default(state)), state.evidence
    drawn = [asked.drawn_cells(j, n, seed, j) for j in range(e.tables)]
    wanted = ("tp", "fn") if e.outcome else tuple(drawn[0])
    return {c: np.stack([x[c] for x in drawn], axis=-1).reshape(n, *e.shape) for c in wanted}


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """What is known of the judge, and the prediction-powered estimate beside the rate."""
    parts, notes = judge_notes.extras(state, level)
    human = _human(state).evidence
    return parts, (*notes, *(classes.extraction_notes(human) if _inner(state.evidence) is classes else ()))
