"""How often 95% intervals of means over queries hold the truth: `.venv/bin/python bench/coverage_queries.py`.

Per-query values are drawn from laws with the shapes that AP has (many near 0, some at 0 or 1), with and without the
prior that `hs.trec` puts on the bounds 0 and 1; the table in docs/trec.md is what this prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402

SEED, RUNS, SIZES = 8_101, 500, (25, 50, 200)
CASES = (  # mean AP about, Beta shapes, share of queries at 0, share at 1
    (0.02, 0.3, 8.0, 0.30, 0.00),
    (0.10, 0.6, 4.0, 0.10, 0.00),
    (0.25, 0.9, 2.6, 0.05, 0.01),
    (0.45, 1.2, 1.6, 0.02, 0.04),
    (0.75, 2.0, 0.9, 0.00, 0.15),
)


def main() -> None:
    print("| mean | queries | prior on 0 and 1: holds | lies too high | too low | width | no prior: holds | width |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for k, (_, a, b, zero, one) in enumerate(CASES):
        truth = one + (1 - zero - one) * a / (a + b)
        for n in SIZES:
            rng = np.random.default_rng([SEED, k, n])
            ends = []
            for _ in range(RUNS):
                u = rng.random(n)
                x = np.where(u < zero, 0.0, np.where(u < zero + one, 1.0, rng.beta(a, b, n)))
                own = [hs.posterior(hs.means(x, bounds=w))["mean"].interval() for w in ((0, 1), None)]
                ends.append([*own[0], *own[1]])
            low, high, bare_low, bare_high = np.array(ends).T
            held = np.mean((low <= truth) & (truth <= high))
            bare = np.mean((bare_low <= truth) & (truth <= bare_high))
            print(
                f"| {truth:.3f} | {n} | {held:.3f} | {np.mean(low > truth):.3f} | {np.mean(high < truth):.3f} | "
                f"{np.mean(high - low):.3f} | {bare:.3f} | {np.mean(bare_high - bare_low):.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
