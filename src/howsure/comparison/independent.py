"""Two systems tested on different items: P(A > B) is the mean of one cdf under the other law (Goutte 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution
from howsure.interval import number_or_array
from howsure.kernels.difference import difference_of, order_of
from howsure.kernels.sampled import Sampled
from howsure.model.question import Gap, Question, drawn_gap

Array = NDArray[np.float64]

OTHER_SEED: Final = 1_000_000_007  # independent systems are drawn from other streams


@dataclass(frozen=True, eq=False)
class Apart:
    """Draws of the difference (or the ratio) of two laws: independent ones, but for what the questions share."""

    first: Question
    second: Question
    combine: Callable[[Array, Array], Array] = np.subtract

    def __call__(self, n: int, seed: int) -> Array:
        return self.combine(*draws_apart([self.first, self.second], n, seed))


def draws_apart(questions: Sequence[Question], n: int, seed: int) -> list[Array]:
    """Draws of systems tested on different items."""
    lead, *others = questions
    linked = lead.linked_draws(others)
    if linked is not None:
        return linked(n, seed)
    return [q.distribution.draws(n, seed=seed + k * OTHER_SEED) for k, q in enumerate(questions)]


def gap(one: Question, two: Question, draws: int | None = None) -> Gap:
    """First against second: one integral where both laws are computed; a number of draws is the paper's own way."""
    a, b = one.distribution, two.distribution
    linked = one.linked_draws([two]) is not None
    law = difference_of(a.law, b.law) if draws is None and not linked else None
    if law is None:
        return drawn_gap(_drawn(one, two, draws))
    if law.usual or law.closes:
        difference = Distribution(f"difference of {a.name}", law, "quadrature", Apart(one, two))
    elif law.closed:
        difference = _drawn(one, two, None)
    else:
        return drawn_gap(_drawn(one, two, None))
    above, below = law.signs()
    return Gap(
        number_or_array(above), number_or_array(below), difference, "quadrature", float(np.max(law.chance_error()))
    )


def chances(one: Question, two: Question) -> tuple[float, float, float]:
    """P(A > B) and P(A < B) alone, and their error."""
    a, b = one.distribution, two.distribution
    alone = one.linked_draws([two]) is None
    law = difference_of(a.law, b.law) if alone else None
    if law is not None and (law.usual or law.closes or law.closed):
        above, below = law.signs()
        return number_or_array(above), number_or_array(below), float(np.max(law.chance_error()))
    ordered = order_of(a.law, b.law) if alone else None
    if ordered is not None:
        return ordered
    found = drawn_gap(_drawn(one, two, None))
    return found.above, found.below, found.error


def most_draws(n: int, *questions: Question) -> int:
    """At most as many draws as each of the questions can afford."""
    return min(n, *(q.most_draws or n for q in questions))


def _drawn(one: Question, two: Question, draws: int | None) -> Distribution:
    """The paper's own way (eq. 13): the share of draws."""
    a, b = one.distribution, two.distribution
    n = draws or most_draws(min(one.gap_draws, two.gap_draws), one, two)
    low, high = a.range[0] - b.range[1], a.range[1] - b.range[0]
    sampler = Apart(one, two)
    x = np.sort(sampler(n, one.state.seed), axis=0)
    return Distribution(f"difference of {a.name}", Sampled(x, low, high), "sampled", sampler)
