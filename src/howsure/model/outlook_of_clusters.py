"""Outlook of clusters: future ones are clusters of the pilot, by the Bayesian bootstrap; for quotients of cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.forms import Linear
from howsure.language import option
from howsure.model.outlook_of_units import OfQuotient, OfTiltedDifferences, Stretching, Units

Array = NDArray[np.float64]


def of_one(q: Any, seed: int, stated: Any) -> OfQuotient:
    """One system; the prior's clusters have the sizes that they have in the pilot."""
    form, kept = _form(q, stated), q.weights > 0
    top, bottom = np.array(form.top), np.array(form.bottom)
    rows = np.diag(q.sizes[0])[kept]

    def atoms(counts: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        one = np.ones((len(counts), 1))
        return one * q.weights[kept], one * (rows @ top), one * (rows @ bottom)

    sums = q.taking_part(0)
    stretching = Stretching(sums.share, q.light.bounds, sums.clusters / q.clusters)
    return OfQuotient(q.cells[0] @ top, q.cells[0] @ bottom, atoms, Units(q.clusters, seed), stretching)


def of_difference(q: Any, by: float, seed: int, disagreement: Any, stated: Any) -> OfTiltedDifferences:
    """Two systems in the same clusters, the first better by so much."""
    form = _form(q, stated)
    if disagreement is not None:
        raise BadSetting(f"clusters tell how systems disagree: leave out {option('disagreement')}.")
    if len(q.cells) != 2:
        raise BadSetting("a difference needs a pilot of two systems in the same clusters.")
    top, bottom = np.array(form.top), np.array(form.bottom)
    kept = q.atom_weights > 0
    one, two = (q.joint_atoms(s)[kept] for s in (0, 1))
    prior = q.atom_weights[kept], (one @ top, two @ top), (one @ bottom, two @ bottom)
    tops, bottoms = ((q.cells[0] @ line, q.cells[1] @ line) for line in (top, bottom))
    sign = -1.0 if q.metric.better == "lower" else 1.0
    stretching = Stretching(q.pair.share, q.light.bounds, q.pair.clusters / q.clusters)
    return OfTiltedDifferences(tops, bottoms, prior, by, sign, Units(q.clusters, seed), stretching)


def _form(q: Any, stated: Any) -> Linear:
    """The quotient of cells that the measure is."""
    if stated is not None:
        raise BadSetting(f"clusters need a pilot: {option('expected')} is for items without clusters.")
    if q.state.evidence.weighted:
        raise BadSetting(f"a pilot of a plan is of items that count alike: leave out {option('weight')}.")
    form: Linear | None = q.quotient
    if form is None or q.light.reading.outer:
        told = "quotients of cells, such as accuracy, recall, precision and f1"
        raise BadSetting(f"a plan of clusters is for {told}; got {q.asked}.")
    return form
