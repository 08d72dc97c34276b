"""How many items to label: plans against a simulation in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race

EXPECTED: Final = {"recall": 0.8, "precision": 0.7, "prevalence": 0.1}
SHARES: Final = np.array([0.08, 0.08 * 3 / 7, 0.02, 0.9 - 0.08 * 3 / 7])  # tp, fp, fn, tn
TABLES: Final = 200
DRAWS: Final = 1000
LOOKS: Final = 8  # halvings between 1,000 and 4,000 items


def by_simulation(width: float) -> int:
    """The n at which four of five drawn tables have an interval so narrow, from draws of its posterior."""
    low, high = 1000, 4000
    for _ in range(LOOKS):
        n = (low + high) // 2
        rng = np.random.default_rng(0)
        tables = rng.multinomial(n, SHARES, TABLES)
        tp, fp, fn, _ = np.moveaxis(rng.standard_gamma(tables[:, None] + 0.5, (TABLES, DRAWS, 4)), -1, 0)
        ends = np.quantile(2 * tp / (2 * tp + fp + fn), [0.025, 0.975], axis=1)
        low, high = (low, n) if np.mean(ends[1] - ends[0] <= width) >= 0.8 else (n, high)
    return high


@group(
    "plan",
    "How many items to label, with the curve of other numbers",
    f"The peer halves the range of n {LOOKS} times, with {TABLES} drawn tables and {DRAWS:,} draws of each posterior; "
    "it has no curve. Whether planned numbers reach their goals: docs/how-to/plan.md.",
)
def plans(run: Run) -> Iterator[Row]:
    run.say("plan: F1 by its width, and above a limit")
    calls = {
        "width": lambda: hs.plan(metric="f1", expected=EXPECTED, width=0.1).n,
        "pilot": lambda: hs.plan(metric="f1", pilot=hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), width=0.1).n,
        "above": lambda: hs.plan(metric="f1", expected=EXPECTED, above=0.7).n,
        "drawn": lambda: by_simulation(0.1),
    }
    laps = race(calls, run.rules(rounds=5, seconds=20))
    ours, peer = laps["width"], laps["drawn"]
    note = f"n = {ours.value:,}; by simulation {peer.value:,}"
    yield Row("F1 within 0.1, expected measures", ours, "numpy, drawn", peer, Under(1.0), note=note)
    yield Row("F1 within 0.1, a pilot of 1,000", laps["pilot"], target=Under(1.0))
    yield Row("F1 above 0.7, expected measures", laps["above"], target=Under(1.0))
