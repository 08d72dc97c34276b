"""Slices that lend strength to each other: how long their table takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race

CLOSED = ("precision", "recall", "f1", "specificity", "accuracy")  # the default table, but for integrals
SLICES = ((50, 0.02), (10_000, 1.0))  # and the seconds that they may take


@group("shrink", "Slices together: str(hs.score(tally, shrink=True)), slices of 5 to 200 items")
def shrink(run: Run) -> Iterator[Row]:
    from bench.rows.core import _rules

    rng = np.random.default_rng(16)
    for slices, most in SLICES:
        run.say(f"shrink: {slices:,} slices")
        n = np.exp(rng.uniform(np.log(5), np.log(200), slices)).astype(int)
        tally = hs.Tally.rate(hits=rng.binomial(n, rng.beta(14, 6, slices)), of=n)
        lap = race({"ours": partial(_printed, tally)}, _rules(run, 1000))["ours"]
        yield Row(f"{slices:,} slices", lap, target=Under(most))


def _printed(tally: hs.Tally) -> str:
    return str(hs.score(tally, shrink=True))


@group("many-slices", "60,000 slices of about 20 items, by a column: hs.score, its document and its table")
def many_slices(run: Run) -> Iterator[Row]:
    import polars as pl

    many = 6_000 if run.quick else 60_000
    rng = np.random.default_rng(0)
    y, s = rng.random(20 * many) < 0.4, rng.integers(0, many, 20 * many)
    frame = pl.DataFrame({"label": y, "model": y ^ (rng.random(y.size) < 0.15), "region": s})
    settings = {"truth": "label", "pred": "model", "by": ["region"], "metrics": CLOSED}
    run.say(f"many-slices: {many:,} slices")
    shown = {
        "table": lambda: str(hs.score(frame, **settings)),
        "document": lambda: hs.score(frame, **settings).to_dict(),
    }
    laps = race(shown, run.rules(rounds=3, seconds=60))
    for what, most in (("table", 5.0), ("document", 20.0)):
        yield Row(f"{many:,} slices, {len(CLOSED)} measures, {what}", laps[what], target=Under(most))
