"""K classes: macro-F1 of balanced and of unequal classes, by the true tables of the coverage study."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from bench.calibrate import peers
from bench.calibrate.methods import Z
from bench.calibrate.samples import INTERVALS, Array, Ends, Sample, each, intervals, rows, stream
from bench.coverage import Measures, Study, bca, cells_of
from bench.coverage_cases import Case
from bench.coverage_counting import RESAMPLES
from bench.coverage_counting import ends as places
from bench.coverage_data import Row, Table

NAME: Final = "macro-f1"
TOLERANCE: Final = 0.1  # of the draws, as a share of the standard deviation
_GRID: Final = itertools.product((3, 10, 50), ("balanced", "zipf"), (5, 20, 100))
CASES: Final = (
    *(Case(k, s, "spread", "same", 0.8, m) for k, s, m in _GRID),
    Case(10, "dominated", "popular", "same", 0.9, 20),  # where coverage.md says that the pooled prior falls short
    Case(10, "balanced", "spread", "lost", 0.95, 10),
    Case(50, "zipf", "popular", "rare", 0.7, 5),
)  # fmt: skip


@dataclass(frozen=True)
class Most:
    """How many tables each kind of method is given."""

    howsure: int = 250
    bootstrap: int = 150
    peers: int = 50


def wald(tables: Array) -> Ends:
    """The delta method; a class that neither occurs nor is answered has an F1 of 0."""
    n, k = tables.sum(axis=(1, 2)), tables.shape[-1]
    p = tables / n[:, None, None]
    right, both = np.diagonal(p, axis1=1, axis2=2), p.sum(axis=1) + p.sum(axis=2)
    more = np.divide(2.0, both, out=np.zeros_like(both), where=both > 0)
    f1 = right * more
    less = f1 * more / 2  # what an item of a class, or answered as it, takes from its F1
    slope = (np.eye(k) * more[:, None, :] - less[:, :, None] - less[:, None, :]) / k
    variance = (p * slope**2).sum(axis=(1, 2)) - (p * slope).sum(axis=(1, 2)) ** 2
    half = Z * np.sqrt(np.maximum(variance, 0.0) / n)
    return f1.mean(axis=1) - half, f1.mean(axis=1) + half


def ours(table: NDArray[np.int64]) -> Any:
    """The interval as it is shipped, with fewer draws than by default."""
    return tuple(hs.posterior(hs.Tally.matrix(table), tolerance=TOLERANCE)[NAME].interval())


def bootstraps(sample: Sample, case: Case, rng: np.random.Generator) -> dict[str, Ends]:
    """Percentile and BCa, items resampled."""
    study = Study(case, sample.data, {}, np.empty(0))
    measures = Measures(case.k, (NAME,))
    found = np.empty((2, 2, len(sample)))
    for i, table in enumerate(sample.data):
        at, counts = np.argwhere(table > 0), table[table > 0]
        values = measures(study.resampled(at, rng.multinomial(counts.sum(), counts / counts.sum(), size=RESAMPLES)))
        found[0, :, i] = places(values)[:, 0]
        left_out = measures(study.resampled(at, counts - np.eye(len(counts), dtype=np.int64)))
        found[1, :, i] = bca(values, measures(study.resampled(at, counts[None]))[:, 0], left_out, counts)[:, 0]
    return {how: (found[h, 0], found[h, 1]) for h, how in enumerate(("percentile", "BCa"))}


def found(simulated: NDArray[np.int64], case: Case, most: Most) -> Iterator[tuple[str, Sample, Ends]]:
    """Every method, the tables that it was given, and its ends."""

    def some(tests: int) -> Sample:
        return Sample(simulated[:tests], np.full(tests, 1 / tests), tests)

    full, fewer, few = some(most.howsure), some(most.bootstrap), some(most.peers)
    yield "howsure", full, each(ours, full.data)
    yield "Wald", full, wald(full.data)
    for method, ends in bootstraps(fewer, case, stream("resamples", case.key)).items():
        yield method, fewer, ends
    yield "confidenceinterval", few, each(lambda x: peers.confidenceinterval(x, [NAME])[NAME], few.data)
    asked = (peers.prob_conf_mat(x, [NAME], i)[NAME] for i, x in enumerate(few.data))
    yield "prob_conf_mat", few, each(lambda x: x, asked)


def of_case(case: Case, most: Most) -> list[Row]:
    """A true table of classes, and a number of items a class."""
    p = case.table()
    truth = float(Measures(case.k, (NAME,))(cells_of(p))[0, 0])
    simulated = stream("classes", case.key).multinomial(case.n, p.ravel() / p.sum(), size=most.howsure)
    got = [
        (method, NAME, given.tests, intervals(given, ends, truth, (0.0, 1.0)))
        for method, given, ends in found(simulated.reshape(-1, case.k, case.k), case, most)
    ]
    return rows(case.described | {"items": case.n}, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of classes."""
    most = Most(30, 20, 5) if quick else Most()
    yield "classes", Table(INTERVALS, [row for case in (CASES[:2] if quick else CASES) for row in of_case(case, most)])
