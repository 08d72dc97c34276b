"""The largest gap among slices, in simulated tests: false alarms of equal slices, coverage and power.

python -m bench.gaps [--tests 200] [--seed 34] prints the table of docs/how-to/slices.md. Slices have 20 to 400 items
and their true rates are normal on the logit scale around a common one. `alarm`: compare --between says "is better";
`unpooled`: the slices with the highest and the lowest score, compared as if nobody had searched for them.
"""

from __future__ import annotations

import argparse
from typing import Final

import numpy as np
from scipy import special

import howsure as hs

SLICES: Final = (3, 10, 50)
RATES: Final = (0.8, 0.97)
SPREADS: Final = (0.0, 0.3, 1.0)
LIMIT: Final = 0.975  # of P(better), from which on a verdict is "is better"


def row(rng: np.random.Generator, slices: int, rate: float, spread: float, tests: int) -> tuple[float, float, float]:
    """Shares of tests with an alarm, with one if unpooled, and in which the interval covers the true difference."""
    alarm = unpooled = covered = 0
    for _ in range(tests):
        n = rng.integers(20, 401, slices)
        true = special.expit(special.logit(rate) + spread * rng.standard_normal(slices))
        tally = hs.Tally.rate(hits=rng.binomial(n, true), of=n)
        found = hs.compare(tally, between="batch", tolerance=0.05)
        low, high = found.difference.interval(0.95)
        alarm += found.p_better >= LIMIT
        covered += low <= true[int(found.systems[0])] - true[int(found.systems[1])] <= high
        share = np.array([d / m for d, m in zip(np.ravel(tally.counts[..., -1]), n, strict=True)])
        pair = share.argmax(), share.argmin()
        alone = [hs.Tally.rate(hits=int(share[k] * n[k] + 0.5), of=int(n[k])) for k in pair]
        unpooled += hs.compare(*alone).p_better >= LIMIT
    return alarm / tests, unpooled / tests, covered / tests


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=200)
    parser.add_argument("--seed", type=int, default=34)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print('| slices | rate | spread (logit) | "is better" | unpooled | coverage |')
    print("|--:|--:|--:|--:|--:|--:|")
    for slices in SLICES:
        for rate in RATES:
            for spread in SPREADS:
                alarm, alone, covered = row(rng, slices, rate, spread, given.tests)
                print(f"| {slices} | {rate:g} | {spread:g} | {alarm:.1%} | {alone:.1%} | {covered:.1%} |", flush=True)


if __name__ == "__main__":
    main()
