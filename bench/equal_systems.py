"""Equal systems: how often P(A > B) on the same items is outside .025-.975: `.venv/bin/python bench/equal_systems.py`.

Discordant items are Poisson and fall to either side like coins. Recall and accuracy depend on them alone and are summed
exactly; F1 and precision are simulated, in tables of 20 positive items that both find, 8 that neither finds, 8 negative
items that both raise an alarm on and 64 others on average, half of the discordant items positive.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402

MEANS = (2, 3, 5, 10, 20, 50)
TAIL = 0.025
PATTERNS = np.array(list(product((0, 1), (0, 1), (0, 1))))  # truth, a, b
SHARED = {(0, 0, 0): 64.0, (0, 1, 1): 8.0, (1, 0, 0): 8.0, (1, 1, 1): 20.0}


def outside(p: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which probabilities call equal systems different."""
    return np.asarray((p < TAIL) | (p > 1.0 - TAIL))


def by_wins(mean: float) -> float:
    """Of recall and of accuracy: the sum over all numbers and splits of discordant items."""
    total = 0.0
    for n in range(int(stats.poisson.ppf(1.0 - 1e-9, mean)) + 1):
        first = np.arange(n + 1)
        called = outside(np.asarray(hs.compare_wins(first, n - first).p_better))
        total += stats.poisson.pmf(n, mean) * float(stats.binom.pmf(first, n, 0.5) @ called)
    return total


def simulated(mean: float, metric: str, tables: int, seed: int) -> float:
    """Of a measure of all rows: the share of simulated tables."""
    rng = np.random.default_rng([seed, mean])
    rates = [SHARED.get(tuple(p), mean / 4.0) for p in PATTERNS.tolist()]
    counts = rng.poisson(rates, (tables, len(PATTERNS)))
    called = 0
    for row in counts:
        t = hs.Tally(cells=PATTERNS, counts=row, systems=("a", "b"), labels=(0, 1), positive=1)
        called += int(outside(np.asarray(hs.compare(t, "a", "b", metric=metric, tolerance=0.1).p_better)))
    return called / tables


def main() -> None:
    """Print the table of docs/how-to/compare.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2000, help="simulated tables for each figure")
    parser.add_argument("--seed", type=int, default=20261)
    given = parser.parse_args()
    print("| discordant items, mean | recall, accuracy | F1 | precision |\n|---|---|---|---|")
    for mean in MEANS:
        drawn = [simulated(mean, m, given.tables, given.seed) for m in ("f1", "precision")]
        print(f"| {mean} | {by_wins(mean):.3f} | {drawn[0]:.3f} | {drawn[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
