"""How often 95% intervals cover if a perfect score is likely: `.venv/bin/python bench/coverage_ends.py`.

A test shows `wrong` errors on average, so that many tests show none, and their score is 1. Three intervals for these:
equal-tailed; from the equal-tailed low end to 1 (what howsure does); the shortest. All other tests have the
equal-tailed interval. Rates and recall are summed over all outcomes. For F1 tables are sampled. For macro-F1 (classes
of equal size) and AUC (normal scores) the test without errors is one table, and the other tests are sampled. A run in
full writes the study `ends` of src/howsure/data/coverage.json, and its section of docs/contributing/coverage.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import howsure as hs  # noqa: E402
from bench.coverage_data import Row, Study, Table, shares, this_run  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402

Array = NDArray[np.float64]
Held = dict[str, float]  # by rule

SEED, TESTS = 81_427, 100
RULES = ("equal-tailed", "to the end", "shortest")
WRONG = (0.0, 0.1, 0.3, 1.0, 2.0, 2.6, 3.1, 3.5, 4.0)  # errors of a test, on average
SIZES = (20, 100)
SHARE = 0.3  # of positives
CLASSES = 5


def ends(d: Any) -> Mapping[str, tuple[Any, Any]]:
    """Return the interval of each rule for a perfect score."""
    even, shortest = d.interval(kind="equal-tailed"), d.interval(kind="hdi")
    return dict(zip(RULES, ((even.low, even.high), (even.low, 1.0), tuple(shortest)), strict=True))


def covered(d: Any, perfect: Any, true: float) -> dict[str, Any]:
    """Return whether the intervals of a batch cover, by rule."""
    even = d.interval(kind="equal-tailed")
    plain = (even.low <= true) & (true <= even.high)
    return {rule: np.where(perfect, (low <= true) & (true <= high), plain) for rule, (low, high) in ends(d).items()}


def rate(wrong: float, n: int, tests: int) -> Held:
    del tests  # summed over all outcomes
    hits, p = np.arange(n + 1), 1.0 - wrong / n
    found = covered(hs.posterior(hs.Tally.rate(hits=hits, of=np.full(n + 1, n)))["rate"], hits == n, p)
    return {rule: float(stats.binom.pmf(hits, n, p) @ x) for rule, x in found.items()}


def recall(wrong: float, n: int, tests: int) -> Held:
    """The number of positives is binomial; `wrong` of them are missed."""
    positives = np.arange(1, n + 1)
    weights = stats.binom.pmf(positives, n, SHARE)
    kept = np.flatnonzero(weights > 1e-5)
    missed = min(wrong / (SHARE * n), 1.0)
    found = [rate(missed * m, int(m), tests) for m in positives[kept]]
    return {rule: float(weights[kept] @ [x[rule] for x in found] / weights[kept].sum()) for rule in RULES}


def f1(wrong: float, n: int, tests: int) -> Held:
    each = wrong / n / 2
    shares_of_cells = np.array([SHARE - each, each, each, 1.0 - SHARE - each])
    tp, fp, fn, tn = np.random.default_rng([SEED, n, int(10 * wrong)]).multinomial(n, shares_of_cells, 20 * tests).T
    d = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))["f1"]
    true = float(2 * shares_of_cells[0] / (2 * shares_of_cells[0] + 2 * each))
    return {rule: float(x.mean()) for rule, x in covered(d, (fp + fn == 0) & (tp > 0), true).items()}


def macro_f1(wrong: float, n: int, tests: int) -> Held:
    """Classes of equal size; a wrong prediction is any of the other classes."""
    each, right = n // CLASSES, 1.0 - wrong / n
    chances = np.full((CLASSES, CLASSES), (1.0 - right) / (CLASSES - 1))
    np.fill_diagonal(chances, right)
    rng = np.random.default_rng([SEED, n, int(10 * wrong)])

    def one() -> Any:
        while True:
            counts = np.array([rng.multinomial(each, row) for row in chances])
            if np.trace(counts) < n:
                return of_table(counts)

    return mixed(right**n, of_table(np.eye(CLASSES) * each), one, right, tests)


def of_table(counts: Array) -> Any:
    return hs.posterior(hs.Tally.matrix(counts.astype(int)), tolerance=0.1)["macro-f1"]


def auc(wrong: float, n: int, tests: int) -> Held:
    """Normal scores: a pair of a positive and a negative is in the wrong order with probability wrong / (3n)."""
    m = round(SHARE * n)
    true = 1.0 - wrong / n / 3
    apart = float(np.sqrt(2.0) * ndtri(true)) if wrong else 40.0
    rng = np.random.default_rng([SEED, n, int(10 * wrong)])
    y = np.arange(n) < m
    trial = rng.normal(size=(4000, n)) + apart * y
    perfect = float((trial[:, :m].min(axis=1) > trial[:, m:].max(axis=1)).mean())

    def one() -> Any:
        while True:
            x = rng.normal(size=n) + apart * y
            if x[:m].min() < x[m:].max():
                return hs.posterior(hs.Scored(y, x[:, None]), tolerance=0.1)["auc"]

    return mixed(perfect, hs.posterior(hs.Scored(y, (y + 0.0)[:, None]), tolerance=0.1)["auc"], one, true, tests)


def mixed(perfect: float, at_end: Any, one: Callable[[], Any], true: float, tests: int) -> Held:
    """Weigh the one test with a perfect score against a sample of the others."""
    plain = 0.0
    if perfect < 0.999:
        plain = float(np.mean([true in one().interval(kind="equal-tailed") for _ in range(tests)]))
    return {
        rule: perfect * float(low <= true <= high) + (1.0 - perfect) * plain
        for rule, (low, high) in ends(at_end).items()
    }


METRICS: Mapping[str, Callable[[float, int, int], Held]] = {
    "rate": rate, "recall": recall, "f1": f1, "macro-f1": macro_f1, "auc": auc,
}  # fmt: skip


def rows_of(n: int, wrong: float, tests: int) -> list[Row]:
    """A case as the data file has it, a row a rule."""
    found = {name: simulate(wrong, n, tests) for name, simulate in METRICS.items()}
    case = {"items": n, "wrong": wrong}
    held = {rule: {name: shares(["coverage"], [x[rule]]) for name, x in found.items()} for rule in RULES}
    return [Row(case, rule, [tests], cells) for rule, cells in held.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage if a perfect score is likely; about three minutes.")
    parser.add_argument("--tests", type=int, default=TESTS, help="simulated tests a case; fewer make a short run")
    add_root(parser)
    options = parser.parse_args()
    rows = []
    for n in SIZES:
        for wrong in WRONG:
            rows += rows_of(n, wrong, options.tests)
            print(f"  … {n} items, {wrong:g} wrong", file=sys.stderr, flush=True)
    part = Study("bench/coverage_ends.py", this_run(), {"ends": Table(["coverage"], rows)}, {})
    publish(options.root, "ends", part, full=options.tests >= TESTS)


if __name__ == "__main__":
    main()
