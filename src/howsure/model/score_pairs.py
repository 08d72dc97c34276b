"""Draws for the difference of two systems in an area: the prior is about the items on which the two differ.

Systems that see the same items make similar mistakes. The joint prior of score_draws.py knows nothing of that: it says
of half an item that one system ranks it best and the other worst, and hides small differences between similar systems.
Here each class has the prior's weight once for either direction: nearly all of it with the item that speaks most for
the first system, or for the second, and the rest on an item that one of them ranks above all and the other below all.
As with graded values, the difference has a prior of its own, and its mean need not be the difference of the means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.retrieval import Ranking
from howsure.kernels.ranked import Cuts, Places
from howsure.kernels.ranked_slopes import SLOPES
from howsure.model.score_draws import ScoreDraws, score_draws
from howsure.model.state import State

Array = NDArray[np.float64]

FEW_PAIRED: Final = 4  # systems whose differences are drawn pair by pair
OPPOSED: Final = 0.08  # of the prior's weight in each direction, on items at opposite ends of the two orders


@dataclass(frozen=True, eq=False)
class PairDraws(ScoreDraws):
    """Draws of two systems on the same items, for the difference of one area."""

    metric: Ranking = field(kw_only=True)

    @cached_property
    def telling(self) -> Places | None:
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
