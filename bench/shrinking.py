"""Slices together, in simulated tests: coverage, squared error and width, against slices alone and a plug-in.

python -m bench.shrinking [--tests 300] [--seed 16] prints its table. Slices have 5 to 200 items
each (uniform in the logarithm), and their true rates are equal, spread, of two groups, or equal but for one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from howsure.distributions.beta_mixture import BetaMixture, shared_nodes

Array = NDArray[np.float64]
Rates = Callable[[np.random.Generator, int], Array]

LEVEL: Final = 0.95
TAILS: Final = np.array([[0.5 * (1 - LEVEL)], [0.5 * (1 + LEVEL)]])
TRUTHS: Final[dict[str, Rates]] = {
    "all 0.80": lambda _, s: np.full(s, 0.8),
    "all 0.02": lambda _, s: np.full(s, 0.02),
    "spread, sd 0.10": lambda rng, s: rng.beta(14, 6, s),
    "anything, uniform": lambda rng, s: rng.random(s),
    "two groups, 0.60 and 0.85": lambda _, s: np.where(np.arange(s) % 2, 0.6, 0.85),
    "0.90, one of 0.50": lambda _, s: np.where(np.arange(s) == 0, 0.5, 0.9),
}
SLICES: Final = (5, 20, 50)


@dataclass(frozen=True)
class Found:
    """What a way of scoring slices did: shares and means over slices and tests; `first` is the coverage of slice 0."""

    coverage: float
    error: float
    width: float
    first: float


def alone(hits: Array, misses: Array) -> tuple[Array, Array, Array]:
    """Every slice by itself, prior even."""
    a, b = hits + 1.0, misses + 1.0
    low, high = special.betaincinv(a, b, TAILS)
    return a / (a + b), low, high


def plug_in(hits: Array, misses: Array) -> tuple[Array, Array, Array]:
    """Empirical Bayes: the most likely Beta of the rates, taken as if it were known."""

    def unlikely(at: Array) -> float:
        a, b = np.exp(at)
        return -float(np.sum(special.betaln(hits + a, misses + b) - special.betaln(a, b)))

    start = np.log([1.0 + hits.sum(), 1.0 + misses.sum()]) - np.log(hits.sum() + misses.sum()) + np.log(10.0)
    a, b = np.exp(optimize.minimize(unlikely, start, method="L-BFGS-B", bounds=[(-7.0, 12.0)] * 2).x)
    low, high = special.betaincinv(hits + a, misses + b, TAILS)
    return (hits + a) / (hits + misses + a + b), low, high


def together(hits: Array, misses: Array) -> tuple[Array, Array, Array]:
    """shrink=True."""
    law = BetaMixture(hits, misses, shared_nodes(hits, misses, (0.5, 0.5)))
    low, high, _, _ = law.equal_tailed(LEVEL)
    return law.mean(), low, high


WAYS: Final = {"alone": alone, "plug-in": plug_in, "shrink": together}


def simulate(truth: Rates, slices: int, tests: int, seed: int) -> dict[str, Found]:
    """The ways on the same simulated tests."""
    rng = np.random.default_rng([seed, slices])
    sums = {way: np.zeros(4) for way in WAYS}
    for _ in range(tests):
        n = np.exp(rng.uniform(np.log(5), np.log(200), slices)).round()
        rates = truth(rng, slices)
        hits = rng.binomial(n.astype(int), rates).astype(float)
        for way, score in WAYS.items():
            mean, low, high = score(hits, n - hits)
            held = (low <= rates) & (rates <= high)
            sums[way] += held.mean(), ((mean - rates) ** 2).mean(), (high - low).mean(), held[0]
    return {way: Found(*(x / tests).tolist()) for way, x in sums.items()}


def table(tests: int, seed: int) -> Iterator[str]:
    """The lines of the table."""
    columns = ["true rates", "slices", *(f"{what} {way}" for what in ("coverage", "error") for way in WAYS)]
    yield f"| {' | '.join([*columns, 'width alone', 'width shrink'])} |"
    yield f"|---|{'--:|' * 9}"
    for name, truth in TRUTHS.items():
        for slices in SLICES:
            found = simulate(truth, slices, tests, seed)
            cover = [f"{100 * found[way].coverage:.1f}%" for way in WAYS]
            error = [f"{found[way].error ** 0.5:.3f}" for way in WAYS]
            width = [f"{found[way].width:.3f}" for way in ("alone", "shrink")]
            yield f"| {name} | {slices} | {' | '.join([*cover, *error, *width])} |"
            if "one of" in name:
                first = [f"{100 * found[way].first:.0f}%" for way in WAYS]
                yield f"| the one of 0.50 | {slices} | {' | '.join(first)} | | | | | |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=int, default=300)
    parser.add_argument("--seed", type=int, default=16)
    given = parser.parse_args()
    for line in table(given.tests, given.seed):
        print(line, flush=True)
