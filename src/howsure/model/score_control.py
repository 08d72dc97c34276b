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
from howsure.model.sampling import GROWN
from howsure.model.score_draws import ScoreDraws
from howsure.model.score_pairs import PairDraws

Array = NDArray[np.float64]

EXPLAINED: Final = 0.95  # of the variance, that a control must explain


def control_of(drawn: ScoreDraws, metric: Ranking) -> Ranking | None:
    """The linear part as a measure to draw; None where there are draws enough, or no such part."""
    if metric.name not in SLOPES or not drawn.sparse or drawn.number >= drawn.wanted:
        return None
    linear = partial(_linear, slopes=SLOPES[metric.name](drawn.mean_cuts()))
    return Ranking(f"linear part of {metric.name}", linear, area=True)


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


FIRST: Final = 2_000  # draws by which it is seen how many are needed
TURNS: Final = 3
ENOUGH: Final = 10_000  # plain draws that are better than a control that fits badly


def more_controlled(law: Controlled, tolerance: float, most: int) -> int:
    """How many more draws keep equal-tailed ends within the tolerance, up to the most."""
    with np.errstate(all="ignore"):
        worst = max(map(float, _errors(law))) / float(law.std())
    if worst <= tolerance or law.n >= most or not np.isfinite(worst):
        return 0
    return int(min(most, law.n * max(1.1, 1.1 * (worst / tolerance) ** 2))) - law.n


def gap_law(drawn: PairDraws, metric: Ranking, tolerance: float, known_mean: float | None) -> Controlled | None:
    """The law of the difference of two systems on the same items, by as many draws as the tolerance needs.

    The linear part of a difference is that of both systems, item by item, and in the prior's two patterns of each
    class: one sum of Gammas, whose law is exact. None where there is no such part, it explains too little, or there are
    draws enough without it; nor where it fits badly, which more draws do not mend.
    """
    if metric.name not in SLOPES or not drawn.single_gammas or drawn.number >= drawn.wanted:
        return None
    slopes = [SLOPES[metric.name](drawn.mean_cuts(s)) for s in (0, 1)]
    linear = GammaSum(_gap_weights(drawn, slopes))
    law = linear.law() if np.isfinite(linear.std) and linear.std > 0 else None
    if law is None:
        return None
    functions = [partial(_with_linear, metric=metric, slopes=x) for x in slopes]
    low, high = metric.bounds
    more, draws = min(FIRST, drawn.most), np.empty((2, 0))
    for turn in range(TURNS):
        first, second = drawn.of_each(functions, more, drawn.seed + turn * GROWN)
        draws = np.concatenate([draws, first - second], axis=1)
        with np.errstate(all="ignore"):
            found = Controlled.fitted(linear, law, (draws[1], draws[0]), (low - high, high - low), EXPLAINED)
        if found is None:
            return None
        found = found if known_mean is None else found.moved_to(known_mean)
        more = more_controlled(found, tolerance, drawn.most)
        if more and found.fit.doubt > 1.0 and drawn.number > ENOUGH:
            return None
        if not more:
            break
    return found


def _with_linear(c: Cuts, metric: Ranking, slopes: RankedSlopes) -> Array:
    return np.stack([metric.evaluate(c), slopes.linear(c)])


def _gap_weights(drawn: PairDraws, slopes: list[RankedSlopes]) -> Weighted:
    """Slopes of the difference in the weight of each item, and of the prior's at opposite ends of the two orders."""
    orders, coefs, shapes = drawn.units.orders, [], []
    for name, own in zip(("positive", "negative"), drawn.shapes_of_items, strict=True):
        one, two = (getattr(x, name) for x in slopes)
        each = np.zeros(own.size)
        each[getattr(orders[0], f"{name}s")] += one[1:-1]
        each[getattr(orders[1], f"{name}s")] -= two[1:-1]
        coefs += [each, one[[0, -1]] - two[[-1, 0]]]
        shapes += [own, np.full(2, drawn.opposed)]
    return Weighted(np.concatenate(coefs), np.concatenate(shapes))


def _errors(law: Controlled | Sampled) -> tuple[Array, Array]:
    return law.end_errors(0.95, shortest=False)
