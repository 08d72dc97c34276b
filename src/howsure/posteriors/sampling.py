"""Laws by draws: as many as keep equal-tailed ends within the tolerance, three standard errors counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.distributions.sampled import Sampled
from howsure.posteriors.state import TOGETHER, State

GROWN = 10**12  # between the seeds of draws that are added to others
MOST_DRAWS = 2_000_000
ROUNDING = 16 * float(np.finfo(float).eps)
MOST_NUMBERS = 40_000_000  # kept at a time for a batch


def sampled_law(
    state: State,
    bounds: tuple[float, float],
    sampler: Callable[[int, int], Array],
    tables: int,
    most: int | None = None,
) -> Sampled:
    """The law of what a sampler draws, of so many tables; `most` draws where each costs much."""
    most = max(10_000, min(MOST_DRAWS, MOST_NUMBERS // max(1, tables))) if most is None else most
    n = min(most, state.wanted_draws())
    draws, turn = sampler(n, state.seed), 0
    low, high = bounds  # found on a grid for some formulas: the draws may know better
    while True:
        law = Sampled(np.sort(draws, axis=0), min(low, float(draws.min())), max(high, float(draws.max())))
        more = more_draws(law.draws, state.tolerance, most)
        if not more:
            return law
        turn += 1
        draws, n = np.concatenate([draws, sampler(more, state.seed + turn * GROWN)]), n + more


def more_draws(draws: Array, tolerance: float, most: int) -> int:
    """How many more draws (along the first axis) keep equal-tailed ends within the tolerance, up to the most."""
    n = len(draws)
    law = Sampled(np.sort(draws, axis=0), -np.inf, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        worst = max(float(np.max(law.quantile_error(p) / law.std())) for p in (0.025, 0.975))
    if worst <= tolerance * 1.05 or n >= most or not np.isfinite(worst):
        return 0
    return int(min(most, n * max(1.1, 1.1 * (worst / tolerance) ** 2))) - n


def apart(first: Array, second: Array) -> Array:
    """Differences of two systems in the same draws; where only rounding tells them apart there is none."""
    gap = first - second
    with np.errstate(invalid="ignore"):
        alike = np.abs(gap) <= ROUNDING * np.maximum(np.abs(first), np.abs(second))
    return np.asarray(np.where(alike, 0.0, gap))


def difference_law(bounds: tuple[float, float], draws: Array) -> Sampled:
    """The law of differences of a measure with these bounds."""
    low, high = bounds
    return Sampled(np.sort(draws, axis=0), low - high, high - low)


def shared_draws(
    question: Any, n: int, seed: int, alike: Callable[[Any], bool], drawn: Callable[[list[Any]], list[Array]]
) -> Array:
    """Joint draws of a question; those that are asked together with it, and are drawn alike, have theirs made too."""
    kept, own = question.state.kept, ("joint draws", question.metric, n, seed)
    if kept.get(own) is not None:
        found: Array = kept[own]
        kept[own] = None  # had once
        return found
    asked = {q.metric: q for q in kept.get(TOGETHER, ())}
    others = [q for m, q in asked.items() if m != question.metric and (own[0], m, n, seed) not in kept and alike(q)]
    mine, *rest = drawn([question, *others])
    for q, x in zip(others, rest, strict=True):
        kept[own[0], q.metric, n, seed] = x
    return mine
