"""Coverage of weighted tables: scales of the cells' own items against one factor for the whole table.

    python -m bench.coverage_weights [tests] [seed]

Items are drawn from a population of known cells, some kinds of them more rarely, and weighted back; their weights may
vary by themselves as well. Both models are drawn: `cells` as howsure has it (posteriors/weighing.py), `one factor`
with the counts times Σw/Σw² of the whole table, as it was before.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.expressions import CELLS
from howsure.posteriors.weighing import weighed

Array = NDArray[np.float64]

DRAWS: Final = 1_500
POPULATIONS: Final = {"10% positive": (0.08, 0.03, 0.02, 0.87), "50% positive": (0.4, 0.1, 0.1, 0.4)}
WEIGHTS: Final = {  # of tp, fp, fn, tn, and the spread of their logarithms
    "nothing": ((1.0, 1.0, 1.0, 1.0), 1.0),
    "the truth, 1 to 20": ((1.0, 20.0, 1.0, 20.0), 0.0),
    "the truth, 1 to 20, and by themselves": ((1.0, 20.0, 1.0, 20.0), 0.7),
    "the answer, 1 to 10": ((1.0, 1.0, 10.0, 10.0), 0.0),
    "the answer, 10 to 1": ((10.0, 10.0, 1.0, 1.0), 0.0),
    "the answer, 1 to 10, and by themselves": ((1.0, 1.0, 10.0, 10.0), 0.7),
}
MEASURES: Final = {
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),  # noqa: ARG005
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),  # noqa: ARG005
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),  # noqa: ARG005
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
}


def sample(rng: np.random.Generator, tests: int, n: int, cells: Array, weight: Array, spread: float) -> list[Array]:
    """Sums of weights and of their squares in each cell, (tests, 4)."""
    share = cells / weight
    counts = rng.multinomial(n, share / share.sum(), size=tests)
    sums, squares = np.zeros((tests, 4)), np.zeros((tests, 4))
    for c in range(4):
        w = weight[c] * np.exp(spread * rng.standard_normal((tests, int(counts[:, c].max()))))
        w = np.where(np.arange(w.shape[1]) < counts[:, [c]], w, 0.0)
        sums[:, c], squares[:, c] = w.sum(axis=1), (w * w).sum(axis=1)
    return [sums, squares]


def models(sums: Array, squares: Array) -> dict[str, tuple[Array, Array]]:
    """Shapes and scales of the cells under both models, with prior weight 1/2 in each."""
    names = [dict(zip(CELLS, x.T, strict=True)) for x in (sums, squares)]
    own = [np.stack([x[c] for c in CELLS], axis=1) for x in weighed(*names, dict.fromkeys(CELLS, 0.5))]
    factor = sums.sum(axis=1) / squares.sum(axis=1)
    return {"cells": (own[0], own[1]), "one factor": (sums * factor[:, None] + 0.5, np.ones_like(sums))}


def main(tests: int, seed: int) -> None:
    """One line a case: how often 95% intervals held the true value, and their mean width."""
    rng = np.random.default_rng(seed)
    print(f"{tests} tests of each kind, seed {seed}\n")
    print("| population | weights follow | items | model | " + " | ".join(MEASURES) + " |")
    print("|---" * (4 + len(MEASURES)) + "|")
    for name, cells in POPULATIONS.items():
        true = {m: f(*cells) for m, f in MEASURES.items()}
        for follows, (weight, spread) in WEIGHTS.items():
            for n in (100, 400):
                sums, squares = sample(rng, tests, n, np.array(cells), np.array(weight), spread)
                for model, (shapes, scales) in models(sums, squares).items():
                    x = np.moveaxis(rng.standard_gamma(np.broadcast_to(shapes, (DRAWS, tests, 4))) * scales, -1, 0)
                    shown = []
                    for m, f in MEASURES.items():
                        low, high = np.quantile(f(*x), [0.025, 0.975], axis=0)
                        held = ((low <= true[m]) & (true[m] <= high)).mean()
                        shown.append(f"{held:.3f} ({(high - low).mean():.3f})")
                    print(f"| {name} | {follows} | {n} | {model} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    given = [int(x) for x in sys.argv[1:]]
    main(*(given + [1_500, 2026][len(given) :])[:2])
