"""What a chosen threshold is worth: bias and coverage on simulated scores, `.venv/bin/python bench/thresholds.py`.

Scores of several shapes, shares of positives and numbers of items. Two true values: the measure at the threshold that
was chosen (corrected rows aim at it), and the best over all thresholds (max- rows aim at it). `apparent` takes the
chosen threshold as given; `resample` and `folds` are corrections of `choose`; `flattered` are draws of the best of all
thresholds, each at its own; `max` is the law of `max-f1`. The figures of docs: curves are those of a run in full.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402
from howsure.catalogue import parse  # noqa: E402
from howsure.evidence.scored import Scored  # noqa: E402
from howsure.posteriors.score_samples import score_draws  # noqa: E402
from howsure.ranking.thresholds import choose  # noqa: E402

Array = NDArray[np.float64]
SEED, TESTS, POPULATION = 52_711, 300, 1_000_000

CASES = (
    ("normal 1.5", 0.1, 60), ("normal 1.5", 0.1, 150), ("normal 1", 0.5, 40), ("normal 1", 0.3, 100),
    ("normal 2.5", 0.1, 60), ("normal 2.5", 0.05, 200), ("normal 0", 0.3, 100), ("beta", 0.2, 60), ("beta", 0.1, 60),
    ("exponential", 0.2, 60), ("two groups", 0.2, 100), ("rounded", 0.2, 60), ("wider", 0.05, 200),
    ("normal 1.5", 0.05, 500), ("exponential", 0.3, 300),
)  # fmt: skip


def scores(shape: str, truth: NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """Scores of items with these truths."""
    n = truth.size
    if shape.startswith("normal"):
        return np.asarray(rng.normal(size=n) + float(shape.split()[1]) * truth)
    if shape == "beta":
        return np.where(truth, rng.beta(3, 1.5, n), rng.beta(1, 4, n))
    if shape == "exponential":
        return np.asarray(rng.exponential(np.where(truth, 3.0, 1.0)))
    if shape == "two groups":  # half of the positive items cannot be told from the negative ones
        return np.asarray(rng.normal(size=n) + 3.0 * (truth & (rng.random(n) < 0.5)))
    if shape == "rounded":
        return np.asarray(np.round(3 * (rng.normal(size=n) + 1.5 * truth)) / 3)
    return np.asarray(rng.normal(size=n) * np.where(truth, 2.0, 1.0) + 1.5 * truth)


class Population:
    """The measure at any threshold, and the best of all, from a large sample."""

    def __init__(self, shape: str, share: float, metric: str) -> None:
        rng = np.random.default_rng(SEED)
        y = np.arange(POPULATION) % 2 == 0
        s = scores(shape, y, rng)
        self.yes, self.no, self.share, self.metric = np.sort(s[y]), np.sort(s[~y]), share, parse(metric)
        sign = 1.0 if self.metric.better == "higher" else -1.0
        every = self(np.unique(np.quantile(s, np.linspace(0, 1, 4_001))))
        self.best = float(sign * np.nanmax(sign * every))

    def __call__(self, threshold: Array | float) -> Array:
        recall, fallout = (1.0 - np.searchsorted(x, threshold) / x.size for x in (self.yes, self.no))
        a, b = self.share, 1.0 - self.share
        cells = {"tp": a * recall, "fp": b * fallout, "fn": a * (1 - recall), "tn": b * (1 - fallout)}
        return np.asarray(self.metric.score(cells), dtype=float)


def tested(case: tuple[str, float, int], tests: int, metric: str) -> dict[tuple[str, str], Array]:
    """For each method and true value the mean of (error, held, width)."""
    shape, share, n = case
    population = Population(shape, share, metric)
    rng = np.random.default_rng([SEED, CASES.index(case)])
    found: dict[tuple[str, str], list[tuple[float, bool, float]]] = {}
    best = ("max-" if population.metric.better == "higher" else "min-") + metric
    for k in range(tests):
        y = rng.random(n) < share
        while not 2 <= y.sum() <= n - 2:
            y = rng.random(n) < share
        p = hs.posterior(Scored(y, scores(shape, y, rng)[:, None]), tolerance=0.06, seed=k)
        folds, again = (choose(p, metric, correct=how) for how in ("folds", "resample"))
        drawn = score_draws(p).through(p.measure(best).evaluate, score_draws(p).number, k)[0]
        laws = {
            "apparent": (folds.apparent.mean, *folds.apparent.interval()),
            "resample": (again.corrected.mean, *again.corrected.interval()),
            "folds": (folds.corrected.mean, *folds.corrected.interval()),
            "flattered": (drawn.mean(), *np.quantile(drawn, [0.025, 0.975])),
            "max": (p[best].mean, *p[best].interval()),
        }
        true = {"chosen": float(population(folds.threshold)), "best": population.best}
        for method, (mean, low, high) in laws.items():
            for what, value in true.items():
                row = (float(mean) - value, bool(low <= value <= high), float(high - low))
                found.setdefault((method, what), []).append(row)
    return {key: np.asarray(rows, dtype=float).mean(axis=0) for key, rows in found.items()}


SHOWN = (("apparent", "chosen"), ("resample", "chosen"), ("folds", "chosen"), ("flattered", "best"), ("max", "best"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Bias and coverage of measures at a chosen threshold.")
    parser.add_argument("--tests", type=int, default=TESTS)
    parser.add_argument("--metric", default="f1")
    parser.add_argument("--cases", type=int, default=len(CASES), help="the first so many")
    options = parser.parse_args()
    print("| scores | positives | items | " + " | ".join(f"{a} ({b})" for a, b in SHOWN) + " |")
    print("| --- " * (3 + len(SHOWN)) + "|")
    for case in CASES[: options.cases]:
        got = tested(case, options.tests, options.metric)
        cells = (f"{got[key][0]:+.3f} {got[key][1]:.3f} {got[key][2]:.2f}" for key in SHOWN)
        print(f"| {case[0]} | {case[1]} | {case[2]} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
