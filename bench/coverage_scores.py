"""How often 95% intervals of measures of scores hold the true value: `.venv/bin/python bench/coverage_scores.py`.

Scores of the two classes are normal, a distance apart; the true values are integrals over them. `even` and `none` are
howsure's priors; DeLong's interval is its own. The last columns are of F1 at the threshold that was chosen on the same
items: its true value is that of the threshold in the population. A run in full writes the study `scores` of
src/howsure/data/coverage.json, and its section of docs/contributing/coverage.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import howsure as hs  # noqa: E402
from bench.coverage_data import Row, Study, Table, shares, span, this_run  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402
from howsure.evidence.scored import Scored  # noqa: E402
from howsure.posteriors.score_samples import score_draws  # noqa: E402
from howsure.ranking.thresholds import choose  # noqa: E402

Array = NDArray[np.float64]

SEED, TESTS = 71_993, 400
NAMES = ("auc", "AP", "BEP", "max-f1")
METHODS = ("even", "none", "DeLong", "corrected")
CHOSEN = "F1 where chosen"
PERFECT = 0.99  # an AUC above it is that of a nearly perfect order, of which so few items tell little


@dataclass(frozen=True)
class Case:
    """Normal scores a distance apart, a share of positives, and a number of items."""

    apart: float
    share: float
    n: int

    def rates(self) -> tuple[Array, Array, Array]:
        """Thresholds with recall and fallout, finely spaced."""
        t = np.linspace(-9.0, 9.0 + self.apart, 200_001)
        return t, ndtr(self.apart - t), ndtr(-t)

    def f1(self, threshold: float) -> float:
        recall, fallout = ndtr(self.apart - threshold), ndtr(-threshold)
        found = self.share * recall + (1 - self.share) * fallout
        return float(2 * self.share * recall / (found + self.share))

    def truth(self) -> dict[str, float]:
        t, recall, fallout = self.rates()
        found = self.share * recall + (1 - self.share) * fallout
        precision = self.share * recall / found
        even = np.interp(0.0, found - self.share if found[0] < found[-1] else (found - self.share)[::-1], t[::-1])
        return {
            "auc": float(ndtr(self.apart / np.sqrt(2.0))),
            "AP": float(-np.trapezoid(precision, recall)),
            "BEP": float(ndtr(self.apart - even)),
            "max-f1": float((2 * self.share * recall / (found + self.share)).max()),
        }

    def items(self, rng: np.random.Generator) -> Scored:
        """A sample with at least two items of each class."""
        while True:
            y = rng.random(self.n) < self.share
            if 2 <= y.sum() <= self.n - 2:
                return Scored(y, (rng.normal(size=self.n) + self.apart * y)[:, None])


CASES = tuple(
    Case(*x)
    for x in (
        (1, 0.5, 50), (1, 0.5, 200), (2, 0.5, 50), (2, 0.5, 200), (1.5, 0.1, 100), (1.5, 0.1, 400), (2.5, 0.1, 200),
        (2.5, 0.1, 1000), (3, 0.05, 200), (1.5, 0.02, 1000), (3.5, 0.5, 50), (0, 0.3, 100),
    )
)  # fmt: skip


def tried(case: Case, tests: int) -> dict[tuple[str, str], float]:
    """The share of tests whose interval holds the true value, by method and measure."""
    rng = np.random.default_rng([SEED, CASES.index(case)])
    true = case.truth()
    held: Counter[tuple[str, str]] = Counter()
    for k in range(tests):
        d = case.items(rng)
        for how in ("even", "none"):
            p = hs.posterior(d, how, tolerance=0.15, seed=k)
            draws = p.draws(score_draws(p).number, seed=k, metrics=NAMES)
            for name in NAMES:
                low, high = np.quantile(draws[name], [0.025, 0.975])
                held[how, name] += low <= true[name] <= high
            if how == "even":
                auc, covariance = score_draws(p).delong() or (np.array([np.nan]), np.array([[np.nan]]))
                held["DeLong", "auc"] += bool(abs(auc[0] - true["auc"]) <= 1.96 * np.sqrt(covariance[0, 0]))
                c = choose(p, "f1")
                there = case.f1(c.threshold)
                for method, law in (("even", c.apparent), ("corrected", c.corrected)):
                    low, high = law.interval()
                    held[method, CHOSEN] += low <= there <= high
    return {k: x / tests for k, x in held.items()}


def rows_of(case: Case, tests: int) -> list[Row]:
    """A case as the data file has it, a row a method."""
    found = tried(case, tests)
    told = {"apart": case.apart, "positives": case.share, "items": case.n}
    return [
        Row(told, method, [tests], {x: shares(["coverage"], [got]) for (m, x), got in found.items() if m == method})
        for method in METHODS
    ]


def summary(table: Table) -> dict[str, dict[str, Any]]:
    """The ranges that notes quote."""
    ordinary = Table(table.figures, [x for x in table.rows if ndtr(x.case["apart"] / np.sqrt(2.0)) <= PERFECT])
    best = ordinary.where("even").column("max-f1")
    chosen = {how: table.where(method).column(CHOSEN) for how, method in (("chosen", "even"), ("corrected",) * 2)}
    return {
        "best-of": {"reason": "the best of all thresholds of these items", "held": {"max-f1": span(best)}},
        "chosen": {"reason": "a threshold chosen on the same items", "held": {"f1": span(chosen["chosen"])}},
        "corrected": {
            "reason": "a threshold chosen on the same items, corrected for the choice",
            "held": {"f1": span(chosen["corrected"])},
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of measures of scores; about ten minutes.")
    parser.add_argument("--tests", type=int, default=TESTS, help="simulated tests a case; fewer make a short run")
    add_root(parser)
    options = parser.parse_args()
    rows = []
    for i, case in enumerate(CASES):
        rows += rows_of(case, options.tests)
        print(f"  … {i + 1}/{len(CASES)} {case}", file=sys.stderr, flush=True)
    table = Table(["coverage"], rows)
    part = Study("bench/coverage_scores.py", this_run(), {"scores": table}, summary(table))
    publish(options.root, "scores", part, full=options.tests >= TESTS)


if __name__ == "__main__":
    main()
