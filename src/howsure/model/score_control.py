"""AUC and average precision of many items by draws with a control: the linear part of the measure at the mean weights.

Its law is exact (kernels/control.py), so draws are needed only for what it does not explain. Where items are many the
budget leaves few draws, and there the linear part explains nearly all: the same draws tell ten times as much and more.
Where a fit is no better than order statistics, these stay (None).
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.retrieval import Ranking
from howsure.kernels.control import GammaSum, Weighted
from howsure.kernels.controlled import Controlled
from howsure.kernels.ranked import Cuts
from howsure.kernels.ranked_slopes import SLOPES, RankedSlopes
from howsure.kernels.sampled import Sampled
from howsure.model.score_draws import ScoreDraws

Array = NDArray[np.float64]

EXPLAINED: Final = 0.95  # of the variance, that a control must explain


def control_of(drawn: ScoreDraws, metric: Ranking) -> Ranking | None:
    """The linear part as a measure to draw; None where there are draws enough, or no such part."""
    if metric.name not in SLOPES or not drawn.sparse or drawn.number >= drawn.wanted:
        return None
    return Ranking(f"linear part of {metric.name}", partial(_linear, slopes=SLOPES[metric.name](drawn.mean_cuts())))


def _linear(c: Cuts, slopes: RankedSlopes) -> Array:
    return slopes.linear(c)


def controlled_law(
    drawn: ScoreDraws, metric: Ranking, control: Array, values: Array, plain: Sampled
) -> Controlled | None:
    """The law by regression on draws of the linear part, where it is surer of its ends than order statistics."""
    slopes, shapes = SLOPES[metric.name](drawn.mean_cuts()), drawn.shapes_from_the_top
    linear = GammaSum(Weighted(np.concatenate([slopes.positive, slopes.negative]), np.concatenate(shapes)))
    law = linear.law() if np.isfinite(linear.std) and linear.std > 0 else None
    if law is None:
        return None
    with np.errstate(all="ignore"):  # a fit that is far off is left below
        found = Controlled.fitted(linear, law, (control, values), metric.bounds, EXPLAINED)
        if found is None:
            return None
        if plain.known_mean is not None:
            found = found.moved_to(float(plain.known_mean))
        surer = all(float(a) < float(b) for a, b in zip(_errors(found), _errors(plain), strict=True))
    return found if surer else None


def _errors(law: Controlled | Sampled) -> tuple[Array, Array]:
    return law.end_errors(0.95, shortest=False)
