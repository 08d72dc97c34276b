"""Comparing two systems: the exact probability against draws and against peers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race

A, B = (84, 18, 26, 872), (80, 20, 30, 870)
CELLS = ("tp", "fp", "fn", "tn")


def _table(cells: tuple[int, ...]) -> hs.Tally:
    return hs.Tally.binary(**dict(zip(CELLS, cells, strict=True)))


@group("compare", "P(A better than B) on F1, systems tested on different items")
def independent(run: Run) -> Iterator[Row]:
    from bench.rows.core import _rules

    run.say("compare: one pair of tables")
    a, b = _table(A), _table(B)

    def ours() -> float:
        return float(hs.compare(a, b, metric="f1").p_better)

    def draws() -> float:
        rng = np.random.default_rng(0)
        x, y = (_f1(rng, t, 10_000) for t in (A, B))
        return float((x > y).mean())

    laps = race({"ours": ours, "draws": draws}, _rules(run, 1000))
    off = abs(laps["draws"].value - laps["ours"].value)
    note = f"the draws are off by {off:.1e}"
    yield Row(
        "P(A > B) on F1", laps["ours"].seconds, "numpy, 10,000 draws", laps["draws"].seconds, Under(0.001), note=note
    )
    run.say("compare: 10,000 pairs of tables")
    counts = np.random.default_rng(1).integers(0, 500, (8, 10_000))
    many = [hs.Tally.binary(**dict(zip(CELLS, part, strict=True))) for part in (counts[:4], counts[4:])]
    batch = race({"ours": lambda: hs.compare(*many, metric="f1").p_better}, _rules(run, 10_000_000))
    yield Row("P(A > B) on F1, 10,000 pairs", batch["ours"].seconds)


def _f1(rng: np.random.Generator, cells: tuple[int, ...], n: int) -> np.ndarray:
    tp, fp, fn = (rng.standard_gamma(c + 0.5, n) for c in cells[:3])
    return 2 * tp / (2 * tp + fp + fn)
