"""How often 95% intervals of means over queries hold the truth: `.venv/bin/python bench/coverage_queries.py`.

Per-query values are drawn from laws with the shapes that AP has (many near 0, some at 0 or 1), under the priors `even`
and `none`, and beside Student's t. A run in full writes the study `queries` of src/howsure/data/coverage.json, and its
section of docs/contributing/coverage.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402
from bench.coverage_data import Row, Study, Table, span, this_run  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402

SEED, TESTS, SIZES = 8_102, 500, (25, 50, 200)
CASES = (  # mean AP about, Beta shapes, share of queries at 0, share at 1
    (0.02, 0.3, 8.0, 0.30, 0.00),
    (0.10, 0.6, 4.0, 0.10, 0.00),
    (0.25, 0.9, 2.6, 0.05, 0.01),
    (0.45, 1.2, 1.6, 0.02, 0.04),
    (0.75, 2.0, 0.9, 0.00, 0.15),
)
PRIORS, STUDENT = ("even", "none"), "Student's t"
FIGURES = ["coverage", "too high", "too low", "width"]  # too high: the interval lies above the truth
LOW_MEAN = 0.1


def rows_of(k: int, n: int, tests: int) -> list[Row]:
    """One law of values and a number of queries, a row a method."""
    _, a, b, zero, one = CASES[k]
    truth = one + (1 - zero - one) * a / (a + b)
    rng = np.random.default_rng([SEED, k, n])
    ends: dict[str, list[Any]] = {x: [] for x in (*PRIORS, STUDENT)}
    for _ in range(tests):
        u = rng.random(n)
        x = np.where(u < zero, 0.0, np.where(u < zero + one, 1.0, rng.beta(a, b, n)))
        items = hs.graded(x, bounds=(0, 1))
        for prior in PRIORS:
            ends[prior].append([*hs.posterior(items, prior)["mean"].interval()])
        half = stats.t.ppf(0.975, n - 1) * x.std(ddof=1) / np.sqrt(n)
        ends[STUDENT].append([x.mean() - half, x.mean() + half])
    rows = []
    for method, found in ends.items():
        low, high = np.array(found).T
        held = np.mean((low <= truth) & (truth <= high)), np.mean(low > truth), np.mean(high < truth)
        cell = [round(float(y), 3) for y in (*held, np.mean(high - low))]
        rows.append(Row({"mean": round(truth, 3), "queries": n}, method, [tests], {"mean": cell}))
    return rows


def summary(table: Table) -> dict[str, dict[str, Any]]:
    """The ranges with the prior, of low means and of others."""
    own = table.where(PRIORS[0])
    low = Table(own.figures, [x for x in own.rows if x.case["mean"] < LOW_MEAN])
    others = Table(own.figures, [x for x in own.rows if x.case["mean"] >= LOW_MEAN])
    return {
        "low-mean": {"reason": f"a mean below {LOW_MEAN:g}", "held": {"mean": span(low.column("mean"))}},
        "other-means": {"reason": f"a mean of {LOW_MEAN:g} or more", "held": {"mean": span(others.column("mean"))}},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of means over queries; a few minutes.")
    parser.add_argument("--tests", type=int, default=TESTS, help="simulated tests a case; fewer make a short run")
    add_root(parser)
    options = parser.parse_args()
    rows = []
    for k in range(len(CASES)):
        for n in SIZES:
            rows += rows_of(k, n, options.tests)
    table = Table(FIGURES, rows)
    part = Study("bench/coverage_queries.py", this_run(), {"queries": table}, summary(table))
    publish(options.root, "queries", part, full=options.tests >= TESTS)


if __name__ == "__main__":
    main()
