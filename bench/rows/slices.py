"""Slices that lend strength to each other: how long their table takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race

SLICES = ((50, 0.02), (10_000, 1.0))  # and the seconds that they may take


@group("shrink", "Slices together: hs.score(tally, shrink=True), slices of 5 to 200 items")
def shrink(run: Run) -> Iterator[Row]:
    from bench.rows.core import _rules

    rng = np.random.default_rng(16)
    for slices, most in SLICES:
        run.say(f"shrink: {slices:,} slices")
        n = np.exp(rng.uniform(np.log(5), np.log(200), slices)).astype(int)
        tally = hs.Tally.rate(hits=rng.binomial(n, rng.beta(14, 6, slices)), of=n)
        lap = race({"ours": partial(hs.score, tally, shrink=True)}, _rules(run, 1000))["ours"]
        yield Row(f"{slices:,} slices", lap.seconds, target=Under(most))
