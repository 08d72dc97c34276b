"""Two systems tested on different items: P(A > B) is the mean of one cdf under the other law (Goutte 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution, number_or_array
from howsure.kernels.difference import difference_of
from howsure.kernels.sampled import Sampled
from howsure.model import END_ERROR

Array = NDArray[np.float64]

OTHER_SEED = 1_000_000_007  # independent systems are drawn from other streams
EXACT_ERROR = 1e-10


def outcome(
    a: Distribution, b: Distribution, tolerance: float, seed: int, draws: int | None
) -> tuple[Any, Any, Distribution, str, float, Callable[[float], Any]]:
    """P(A > B), P(A < B), the difference, the route, the error of a probability, and P(within a margin)."""
    law = difference_of(a.law, b.law) if draws is None else None
    if law is None:
        return _drawn(a, b, tolerance, seed, draws)
    if law.usual or law.closes:
        difference = Distribution(f"difference of {a.name}", law, "quadrature", sampler_of(a, b))
    elif law.closed:
        difference = _drawn_difference(a, b, tolerance, seed, None)
    else:
        return _drawn(a, b, tolerance, seed, None)
    above, below = law.signs()
    return number_or_array(above), number_or_array(below), difference, "quadrature", EXACT_ERROR, within(difference)


def chances(a: Distribution, b: Distribution, tolerance: float, seed: int) -> tuple[Any, Any]:
    """P(A > B) and P(A < B) alone."""
    law = difference_of(a.law, b.law)
    if law is not None and (law.usual or law.closes or law.closed):
        above, below = law.signs()
        return number_or_array(above), number_or_array(below)
    return _drawn(a, b, tolerance, seed, None)[:2]


def sampler_of(
    a: Distribution, b: Distribution, combine: Callable[[Array, Array], Array] = np.subtract
) -> Callable[[int, int], Array]:
    """Draws of the difference (or the ratio) of two independent laws."""

    def sampler(n: int, seed: int) -> Array:
        return combine(a.draws(n, seed=seed), b.draws(n, seed=seed + OTHER_SEED))

    return sampler


def _drawn_difference(a: Distribution, b: Distribution, tolerance: float, seed: int, draws: int | None) -> Distribution:
    n = draws or int(np.ceil(1.3 * (3 * END_ERROR / tolerance) ** 2))
    n = min(n, *(getattr(x.sampler, "most", n) for x in (a, b))) if draws is None else n
    x = sampler_of(a, b)(n, seed)
    low, high = a.range[0] - b.range[1], a.range[1] - b.range[0]
    return Distribution(f"difference of {a.name}", Sampled(np.sort(x, axis=0), low, high), "sampled", sampler_of(a, b))


def _drawn(
    a: Distribution, b: Distribution, tolerance: float, seed: int, draws: int | None
) -> tuple[Any, Any, Distribution, str, float, Callable[[float], Any]]:
    """The paper's own way (eq. 13): the share of draws; its error is three standard errors at most."""
    difference = _drawn_difference(a, b, tolerance, seed, draws)
    above, below = difference.law.signs()
    return (
        number_or_array(above),
        number_or_array(below),
        difference,
        "sampled",
        float(difference.law.error[1]),
        within(difference),
    )


def within(difference: Distribution) -> Callable[[float], Any]:
    """P(the difference lies within a margin)."""

    def between(margin: float) -> Any:
        if margin == 0 and difference.route != "sampled":
            return number_or_array(np.zeros(difference.shape))
        inside = np.asarray(difference.cdf(margin)) - np.asarray(difference.cdf(np.nextafter(-margin, -np.inf)))
        return number_or_array(np.clip(inside, 0.0, 1.0))

    return between
