"""Control variates of areas and points of curves, for one system and for pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.catalogue.retrieval import Ranking
from howsure.distributions.control_variate import Controlled, GammaSum, Weighted
from howsure.distributions.ranked import SLOPES, Cuts, RankedSlopes
from howsure.distributions.sampled import Sampled
from howsure.posteriors.sampling import GROWN
from howsure.posteriors.score_samples import ScoreDraws, score_draws
from howsure.posteriors.state import State

# -- score pairs
#
# Draws for the difference of two systems in an area: the prior is about the items on which the two differ.
#
# Systems that see the same items make similar mistakes. The joint prior of score_draws.py knows nothing of that: it
# says of half an item that one system ranks it best and the other worst, and hides small differences between similar
# systems. Here each class has the prior's weight once for either direction: nearly all of it with the item that
# speaks most for the first system, or for the second, and the rest on an item that one of them ranks above all and
# the other below all. As with graded values, the difference has a prior of its own, and its mean need not be the
# difference of the means.


FEW_PAIRED: Final = 4  # systems whose differences are drawn pair by pair
OPPOSED: Final = 0.08  # of the prior's weight in each direction, on items at opposite ends of the two orders


@dataclass(frozen=True, eq=False)
class PairDraws(ScoreDraws):
    """Draws of two systems on the same items, for the difference of one area."""

    metric: Ranking = field(kw_only=True)

    @cached_property
    def telling(self) -> Index | None:
        """Rows of the items that speak most for the first and for the second system: positive, then negative ones.

        None where no item tells the systems apart.
        """
        slopes = [SLOPES[self.metric.name](super(PairDraws, self).mean_cuts(s)) for s in (0, 1)]
        rows, apart = [], 0.0
        for name, mask in (("positive", self.units.truth), ("negative", ~self.units.truth)):
            each = np.zeros(int(mask.sum()))
            for order, own, sign in zip(self.units.orders, slopes, (1.0, -1.0), strict=True):
                each[getattr(order, f"{name}s")] += sign * getattr(own, name)[1:-1]
            apart = max(apart, float(np.ptp(each)))
            rows += [np.flatnonzero(mask)[k] for k in (each.argmax(), each.argmin())]
        return np.array(rows) if apart > 1e-12 else None

    @property
    def opposed(self) -> float:
        """The prior's weight on an item at opposite ends of the two orders, in each direction."""
        return self.weight * (1.0 if self.telling is None else OPPOSED)

    def mean_cuts(self, system: int = 0) -> Cuts:
        """The cuts of one system at the mean weights."""
        d, (shapes, scales) = self.units, self._gammas
        mean = (shapes if scales is None else shapes * scales)[None].copy()
        self._add(mean, np.full((1, 4), self.weight - self.opposed))
        yes, no = self._prior_sizes
        prior = self.opposed * np.array([[yes, yes, no, no]])
        return Cuts.weigh(d.orders[system], mean[:, d.truth], mean[:, ~d.truth], prior)

    def _add(self, mass: Array, added: Array) -> None:
        """Add the prior's weights to the rows of the telling items."""
        if self.telling is not None:
            for k, row in enumerate(self.telling):
                mass[:, row] += self._prior_sizes[k // 2] * added[:, k]

    @property
    def shapes_of_items(self) -> tuple[Array, Array]:
        shapes = self._gammas[0][None].copy()
        self._add(shapes, np.full((1, 4), self.weight - self.opposed))
        return shapes[0, self.units.truth], shapes[0, ~self.units.truth]

    def _prior(self, rng: np.random.Generator, n: int) -> Array:
        """Prior weights (draws, systems, 4): what is above all of one system is below all of the other."""
        out = np.zeros((n, 2, 4))
        for y, size in enumerate(self._prior_sizes):
            mass = size * rng.standard_gamma(self.opposed, (n, 2))
            out[:, 0, 2 * y : 2 * y + 2], out[:, 1, 2 * y : 2 * y + 2] = mass, mass[:, ::-1]
        return out

    def _cuts(self, mass: Array, prior: Array, rng: np.random.Generator) -> Iterator[Cuts]:
        added = rng.standard_gamma(self.weight - self.opposed, (len(prior), 4))
        self._add(mass, added[: len(mass)])
        return super()._cuts(mass, prior, rng)

    def _near(self, rng: np.random.Generator, prior: Array) -> None:
        """Nothing: the items' own part of the prior is added to them."""
        del rng, prior


def pair_draws(state: State, metric: Ranking) -> PairDraws:
    """The draws for the difference of the two systems of a posterior, made once for each area."""
    if ("pair draws", metric) not in state.kept:
        own = score_draws(state)
        made = PairDraws(own.items, own.weight, own.wanted, own.seed, own.budget, metric=metric)
        state.kept["pair draws", metric] = made
    return state.kept["pair draws", metric]  # type: ignore[no-any-return]


# -- score control
#
# AUC and average precision of many items by draws with a control: the linear part of the measure at the mean weights.
#
# Its law is exact (distributions/control_variate.py), so draws are needed only for what it does not explain. Where
# items are many the budget leaves few draws, and there the linear part explains nearly all: the same draws tell ten
# times as much and more. Where a fit is no better than order statistics, these stay (None).

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
