"""How averages over many classes hold: `.venv/bin/python -m bench.many_classes [--tests 60]`, some minutes.

Balanced classes; an answer is right with probability 0.7, else any class alike. Prints the table of docs: coverage,
"Many classes".
"""

from __future__ import annotations

import argparse

import numpy as np

import howsure as hs

CASES = ((100, 10), (150, 3), (300, 3), (300, 10), (300, 30), (1000, 3), (1000, 10))
METRICS = ("macro-f1", "macro-precision", "macro-recall")


def held(classes: int, items: int, tests: int, seed: int) -> list[float]:
    """The share of tests in which the 95% interval of each metric holds its true value."""
    rng, true = np.random.default_rng((seed, classes, items)), 0.7 + 0.3 / classes
    found = np.zeros(len(METRICS))
    for _ in range(tests):
        y = rng.integers(classes, size=classes * items)
        z = np.where(rng.random(y.size) < 0.7, y, rng.integers(classes, size=y.size))
        rows = hs.score(y, z, metrics=list(METRICS), tolerance=0.02).to_metrics()
        found += [rows[f"{m}_low"] <= true <= rows[f"{m}_high"] for m in METRICS]
    return (found / tests).tolist()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1118)
    given = parser.parse_args()
    print(f"| classes | items a class | {' | '.join(METRICS)} |\n|---:|---:|{'---:|' * len(METRICS)}")
    for classes, items in CASES:
        shares = held(classes, items, given.tests, given.seed)
        print(f"| {classes:,} | {items} | {' | '.join(f'{x:.2f}' for x in shares)} |", flush=True)


if __name__ == "__main__":
    main()
