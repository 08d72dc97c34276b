"""2x2 tables of balanced to 1:1000 data: accuracy, precision, recall, F1 and phi."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import gammaln

import howsure as hs
from bench.calibrate import methods, peers
from bench.calibrate.methods import MEASURES, RATES, bounds
from bench.calibrate.samples import INTERVALS, Array, Ends, Sample, intervals, rows, stream
from bench.coverage_data import Row, Table

SHARES: Final = {"1:1": 0.5, "1:10": 1 / 11, "1:100": 1 / 101, "1:1000": 1 / 1_001}
SYSTEMS: Final = {"fair": (0.8, 0.7), "good": (0.95, 0.95)}  # recall and precision
SIZES: Final = (10, 30, 100, 1_000, 10_000)
ENUMERATED: Final = 30  # up to so many items all tables are taken
NAMES: Final = tuple(MEASURES)
CLOSED: Final = ("accuracy", "precision", "recall", "f1")  # the laws of howsure that need no draws
TOLERANCE: Final = 0.05  # of phi, which is drawn where counts are small


@dataclass(frozen=True)
class Most:
    """How many tables each kind of method is given, at most."""

    fast: int = 6_000
    bootstrap: int = 600
    phi: int = 300
    peers: int = 240


def cells(share: float, recall: float, precision: float) -> Array:
    """Probabilities of tp, fp, fn, tn."""
    tp = share * recall
    fp = tp * (1 - precision) / precision
    return np.array([tp, fp, share - tp, 1 - share - fp])


def all_tables(n: int, p: Array) -> Sample:
    """Every table of n items, with its multinomial probability."""
    grid = np.array(
        [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    )
    logs = gammaln(n + 1) - gammaln(grid + 1).sum(axis=1) + grid @ np.log(p)
    return Sample.all(grid, np.exp(logs))


def tables(n: int, p: Array, tests: int, *seed: str) -> Sample:
    """Tables of n items: all of them if there are not many, else simulated ones."""
    return all_tables(n, p) if n <= ENUMERATED else Sample.of(stream(*seed, n).multinomial(n, p, size=tests))


def tally(sample: Sample) -> hs.Tally:
    """The tables as a batch."""
    return hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), sample.data.T, strict=True)))


def found(sample: Sample, most: Most, rng: np.random.Generator) -> Iterator[tuple[str, Sample, Mapping[str, Ends]]]:
    """Every method, the tables that it was given, and its ends by measure."""
    fast, few = sample.few(most.fast, rng), sample.few(most.phi, rng)
    posterior = hs.posterior(tally(fast))
    yield "howsure", fast, {x: tuple(posterior[x].interval()) for x in CLOSED}
    yield "howsure", few, {"phi": tuple(hs.posterior(tally(few), tolerance=TOLERANCE)["phi"].interval())}
    yield "Wald", fast, {x: methods.wald(fast.data, x) for x in NAMES}
    yield "Wilson", fast, {x: methods.wilson_of(fast.data, x) for x in RATES}
    some = sample.few(most.bootstrap, rng)
    for method, ends in methods.bootstraps(some.data, NAMES, rng).items():
        yield method, some, ends
    some = sample.few(most.peers, rng)
    squares = [peers.square(x) for x in some.data]
    yield "confidenceinterval", some, peers.by_name([peers.confidenceinterval(x, NAMES) for x in squares])
    yield "prob_conf_mat", some, peers.by_name([peers.prob_conf_mat(x, NAMES, i) for i, x in enumerate(squares)])
    yield "evalstats", some, peers.by_name([peers.evalstats_rates(x, NAMES) for x in some.data])


def of_case(odds: str, system: str, n: int, most: Most) -> list[Row]:
    """Positives of these odds, a system, and a number of items."""
    p = cells(SHARES[odds], *SYSTEMS[system])
    sample = tables(n, p, most.fast, odds, system)
    got = [
        (method, name, given.tests, intervals(given, ends, float(MEASURES[name](p)), bounds(name)))
        for method, given, by_name in found(sample, most, stream("few", odds, system, n))
        for name, ends in by_name.items()
    ]
    return rows({"odds": odds, "system": system, "items": n}, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of 2x2 tables."""
    cases = list(itertools.product(SHARES, SYSTEMS, SIZES))
    most = Most(2_000, 40, 20, 20) if quick else Most()
    if quick:
        cases = [("1:1", "fair", 10), ("1:100", "good", 100)]
    yield "tables", Table(INTERVALS, [row for case in cases for row in of_case(*case, most)])
