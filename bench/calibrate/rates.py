"""Rates, such as accuracy: all numbers of hits with their probabilities; nothing is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

import howsure as hs
from bench.calibrate import methods, peers
from bench.calibrate.samples import INTERVALS, Ends, Sample, each, intervals, rows
from bench.coverage_data import Row, Table

TRUTHS, SIZES = (0.5, 0.8, 0.95, 0.99, 0.999), (10, 30, 100, 1_000, 10_000)
CURVE_ITEMS, CURVE = 50, (*(round(0.5 + 0.005 * i, 3) for i in range(100)), 0.999)
UNIT = (0.0, 1.0)

Methods = Callable[[Sample, int], Iterator[tuple[str, Ends]]]


def hits(p: float, n: int) -> Sample:
    """All numbers of hits."""
    k = np.arange(n + 1)
    return Sample.all(k, stats.binom.pmf(k, n, p))


def plain(sample: Sample, n: int) -> Iterator[tuple[str, Ends]]:
    """howsure and the old ways on these numbers of hits."""
    k = sample.data
    law = hs.posterior(hs.Tally.rate(hits=k, of=n))["rate"]
    yield "howsure", tuple(law.interval())
    yield "howsure, hdi", tuple(law.interval(kind="hdi"))
    yield "Wald", methods.wald_rate(k, n)
    yield "Wilson", methods.wilson(k, np.full(len(k), n))
    yield "percentile", methods.percentile_rate(k, n)
    yield "BCa", methods.bca_rate(k, n)


def found(sample: Sample, n: int) -> Iterator[tuple[str, Ends]]:
    """Every method on these numbers of hits."""
    k = sample.data
    yield from plain(sample, n)
    table = {int(x): np.array([[x, n - x], [0, 0]]) for x in k}
    yield "confidenceinterval", each(lambda x: peers.confidenceinterval(table[int(x)], ["accuracy"])["accuracy"], k)
    yield "evalstats", each(lambda x: peers.evalstats_mean((np.arange(n) < x).astype(float)), k)


def of_case(p: float, n: int, ask: Methods = found) -> list[Row]:
    """A true rate and a number of items."""
    sample = hits(p, n)
    cells = ((method, "rate", 0, intervals(sample, ends, p, UNIT)) for method, ends in ask(sample, n))
    return rows({"rate": p, "items": n}, cells)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of rates, and the finer one of a chart."""
    sizes = SIZES[:3] if quick else SIZES
    yield "rates", Table(INTERVALS, [row for p in TRUTHS for n in sizes for row in of_case(p, n)])
    curve = CURVE[::20] if quick else CURVE
    yield "rate curve", Table(INTERVALS, [row for p in curve for row in of_case(p, CURVE_ITEMS, plain)])
