"""How often 95% intervals of measures of scores hold the true value: `.venv/bin/python bench/coverage_scores.py`.

Scores of the two classes are normal, a distance apart; the true values are integrals over them. `even` and `none` are
howsure's priors; DeLong's interval is its own. The last columns are of F1 at the threshold that was chosen on the same
items: its true value is that of the threshold in the population.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from howsure.model.ranked import Ranked  # noqa: E402
from howsure.ranking.choosing import choose  # noqa: E402
from howsure.scored import Scored  # noqa: E402

Array = NDArray[np.float64]

PAGE = HERE.parent / "docs" / "coverage.md"
MARKS = "<!-- scores: written by bench/coverage_scores.py -->", "<!-- end of scores -->"
SEED = 71_993
NAMES = ("auc", "AP", "BEP", "max-f1")
COLUMNS = (
    *(f"{x}, {how}" for x in NAMES for how in ("even", "none")),
    "auc, DeLong",
    "F1 there",
    "F1 there, corrected",
)


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


def tried(case: Case, tests: int) -> dict[str, float]:
    """The share of tests whose interval holds the true value."""
    rng = np.random.default_rng([SEED, CASES.index(case)])
    true = case.truth()
    held = dict.fromkeys(COLUMNS, 0)
    for k in range(tests):
        d = case.items(rng)
        for how, weight in (("even", 0.5), ("none", 0.0)):
            p = Ranked(d, weight, how, tolerance=0.15, seed=k)
            draws = p.draws(p.number_of_draws, seed=k, metrics=NAMES)
            for name in NAMES:
                low, high = np.quantile(draws[name], [0.025, 0.975])
                held[f"{name}, {how}"] += low <= true[name] <= high
            if how == "even":
                auc, covariance = p.delong() or (np.array([np.nan]), np.array([[np.nan]]))
                held["auc, DeLong"] += abs(auc[0] - true["auc"]) <= 1.96 * np.sqrt(covariance[0, 0])
                c = choose(p, "f1")
                there = case.f1(c.threshold)
                for column, law in (("F1 there", c.apparent), ("F1 there, corrected", c.corrected)):
                    low, high = law.interval()
                    held[column] += low <= there <= high
    return {k: x / tests for k, x in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of measures of scores; about ten minutes.")
    parser.add_argument("--tests", type=int, default=400, help="simulated tests a case")
    parser.add_argument("--write", action="store_true", help="write the section of docs/coverage.md")
    options = parser.parse_args()
    lines = [f"| apart | positives | items | {' | '.join(COLUMNS)} |", f"|---:|---:|---:|{'---:|' * len(COLUMNS)}"]
    for case in CASES:
        found = tried(case, options.tests)
        cells = [f"{x:.3f}"[1:] if x < 1 else "1" for x in found.values()]
        lines.append(f"| {case.apart:g} | {case.share:g} | {case.n} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + f"\n\n{options.tests} tests a case: a figure near .95 has a standard error of "
    text += f"{np.sqrt(0.95 * 0.05 / options.tests):.3f}"[1:] + "."
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        PAGE.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
