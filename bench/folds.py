"""How often two equal learners are told apart by cross-validation: `python bench/folds.py`.

Two classes that differ alike in every one of eight features. The two learners are of one kind, one on the first four
features, one on the other four: equal in expectation, different on every data set. Kinds: nearest centroid, which
hardly changes with its training set, and one nearest neighbour, which does. Repeated k-fold cross-validation of each
data set; a learner is told apart where P(better) is beyond 97.5% on either side, or a paired
t test rejects at 5%. A t test that takes folds as independent is the Bayesian t law without the correction: the two
have the same tails. numpy and scipy.special only.

    --data-sets 2000  data sets a case (about two minutes of one core)
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy import special

sys.path[0] = str(Path(__file__).resolve().parents[1])

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

SEED, FEATURES, APART = 20_261_117, 8, 0.45  # class means are that far from 0, on either side
CASES = ((100, 1, 5), (100, 1, 10), (100, 10, 10), (300, 1, 10), (300, 5, 5), (300, 10, 10))


def data_set(rng: np.random.Generator, n: int, features: int, repeats: int, folds: int) -> tuple[Array, Codes, Codes]:
    """Features, classes, and the fold of each item in every repeat."""
    y = rng.permutation(np.arange(n) % 2)
    x = rng.standard_normal((n, features)) + APART * (2 * y[:, None] - 1)
    return x, y, np.stack([rng.permutation(np.arange(n) % folds) for _ in range(repeats)])


def scores(x: Array, y: Codes, fold: Codes, learner: str) -> Array:
    """Accuracy on each half of the features, (2, repeats, folds)."""
    halves = np.stack(np.split(x, 2, axis=1))
    said = LEARNERS[learner](halves, y, fold)  # halves, repeats, items
    right = (said == y).astype(float)
    member = (fold[:, :, None] == np.arange(int(fold.max()) + 1)).astype(float)
    found: Array = np.einsum("hri,rif->hrf", right, member) / member.sum(axis=1)
    return found


def centroids(halves: Array, y: Codes, fold: Codes) -> Codes:
    """The class whose mean over the other folds is nearest."""
    member = (fold[:, :, None] == np.arange(int(fold.max()) + 1)).astype(float)  # repeats, items, folds
    distance = []
    for k in (0, 1):
        own = (y == k).astype(float)
        inside = np.einsum("rif,i,hid->hrfd", member, own, halves, optimize=True)
        left = (own * halves.transpose(0, 2, 1)).sum(axis=2)[:, None, None] - inside
        centre = left / (own.sum() - np.einsum("rif,i->rf", member, own))[None, :, :, None]
        mine = np.stack([centre[:, r, fold[r]] for r in range(len(fold))], axis=1)  # halves, repeats, items, features
        distance.append(((halves[:, None] - mine) ** 2).sum(axis=3))
    return (distance[1] < distance[0]).astype(np.int64)


def neighbours(halves: Array, y: Codes, fold: Codes) -> Codes:
    """The class of the nearest item of the other folds."""
    squares = (halves**2).sum(axis=2)
    away = squares[:, :, None] + squares[:, None] - 2.0 * halves @ halves.transpose(0, 2, 1)
    same = fold[:, :, None] == fold[:, None]
    return np.stack([y[np.where(s, np.inf, away).argmin(axis=2)] for s in same], axis=1)


LEARNERS: dict[str, Callable[[Array, Codes, Codes], Codes]] = {
    "nearest centroid": centroids, "one nearest neighbour": neighbours,
}  # fmt: skip


def rates(learner: str, n: int, repeats: int, folds: int, data_sets: int) -> tuple[float, float]:
    """How often the correlated t law and the plain one tell the two apart; equal scores in every fold never do."""
    rng = np.random.default_rng([SEED, n, repeats, folds])
    gap = np.empty((data_sets, repeats * folds))
    for i in range(data_sets):
        one, two = scores(*data_set(rng, n, FEATURES, repeats, folds), learner)
        gap[i] = (one - two).ravel()
    many, share = gap.shape[1], 1.0 / folds
    spread = gap.std(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = gap.mean(axis=1) / (spread / np.sqrt(many))
    t[spread == 0] = 0.0
    limit = special.stdtrit(many - 1, 0.975)
    ours = t / np.sqrt(1.0 + many * share / (1.0 - share))
    return float((np.abs(ours) > limit).mean()), float((np.abs(t) > limit).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    told: Any = parser.parse_args()
    print("| items | repeats x folds | " + " | ".join(f"{x}: hs.compare_folds, plain t" for x in LEARNERS) + " |")
    print("|--:|--:|" + "--:|" * len(LEARNERS))
    for n, repeats, folds in CASES:
        found = [rates(x, n, repeats, folds, told.data_sets) for x in LEARNERS]
        cells = " | ".join(f"{100 * ours:.1f}%, {100 * plain:.1f}%" for ours, plain in found)
        print(f"| {n} | {repeats} x {folds} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
