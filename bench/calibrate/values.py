"""Means of graded values, and of per-query values with the shapes that average precision has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import stats

import howsure as hs
from bench.calibrate import peers
from bench.calibrate.methods import RESAMPLES, Z
from bench.calibrate.samples import ALPHA, INTERVALS, Array, Bounds, Ends, Sample, each, intervals, rows, stream
from bench.coverage import bca
from bench.coverage_counting import ends as places
from bench.coverage_data import Row, Table
from bench.coverage_graded import MEANS, agreeing, below, unstretched, with_ends
from bench.coverage_queries import CASES as QUERIES

LAWS: Final = ("Beta(3, 2), as nDCG", "0.85 ± 0.04", "grades 2 to 5", "nine in ten 1", "lognormal(0, 1)")
SIZES, QUERY_SIZES = (10, 30, 100, 1_000, 10_000), (10, 25, 50, 200, 1_000)
UNIT: Final = (0.0, 1.0)
WIDTHS: Final = 25  # data sets whose intervals the package computes itself, to check; every width is that of these

Draw = Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True)
class Most:
    """How many data sets each kind of method is given, if they are small; fewer of large ones."""

    fast: int = 2_000
    bootstrap: int = 300
    peers: int = 150
    numbers: int = 400_000  # in all data sets of a case together
    resampled: int = 150_000  # likewise, of a bootstrap

    def of(self, n: int) -> tuple[int, int, int]:
        """Data sets of n values, for each kind of method."""
        found = min(self.fast, self.numbers // n), min(self.bootstrap, self.resampled // n), self.peers
        return tuple(max(x, WIDTHS) for x in found)  # type: ignore[return-value]


def query(k: int) -> tuple[Draw, float]:
    """Per-query values of a kind, and their true mean."""
    _, a, b, zero, one = QUERIES[k]

    def draw(rng: np.random.Generator, n: int) -> Array:
        u = rng.random(n)
        return np.where(u < zero, 0.0, np.where(u < zero + one, 1.0, rng.beta(a, b, n)))

    return draw, one + (1 - zero - one) * a / (a + b)


def around(x: Array, quantile: float) -> Ends:
    """The mean and so many standard errors to both sides."""
    middle, half = x.mean(axis=1), quantile * x.std(axis=1, ddof=1) / np.sqrt(x.shape[1])
    return middle - half, middle + half


def ours(x: Array, bounds: Bounds | None, truth: float) -> list[float]:
    """What howsure's intervals do: by where its law has the truth; widths are those of the first intervals.

    The law at the truth is an integral that the package does not use; it must agree with the package.
    """
    cdf = below(*with_ends(x, bounds, "even"), unstretched(x, bounds, np.full((len(x), 1), truth))[:, 0])
    alike = np.ptp(x, axis=1) == 0  # of these the package has another law, which it is asked for
    for value in np.unique(x[alike, 0]):
        law = hs.posterior(hs.graded(np.full(x.shape[1], value), bounds=bounds))["mean"]
        cdf[alike & (x[:, 0] == value)] = _to_end(float(law.cdf(truth)), value, bounds)
    laws = [hs.posterior(hs.graded(v, bounds=bounds))["mean"] for v in x[:WIDTHS]]
    for law, p, same in zip(laws, cdf, alike, strict=False):
        if not same:
            agreeing(law, float(p), truth)
    low, high = np.array([tuple(law.interval()) for law in laws]).T
    cell = _cell(x[:WIDTHS], (low, high), truth, bounds)
    side = [float(np.mean(cdf > 1 - ALPHA / 2)), float(np.mean(cdf < ALPHA / 2))]  # too low, too high
    held = 1.0 - sum(side)
    error = float(np.sqrt(held * (1 - held) / len(x)))
    figures = dict(zip(INTERVALS, cell, strict=True))
    figures |= {"coverage": held, "error": error, "too low": side[0], "too high": side[1], "score": None}
    return [x if x is None else float(f"{x:.4g}") for x in figures.values()]


def _to_end(cdf: float, value: float, bounds: Bounds | None) -> float:
    """P(mean <= truth), as inside where the interval runs to the end of the range that all values are at."""
    low, high = bounds or (-np.inf, np.inf)
    return min(cdf, 0.5) if value == high else max(cdf, 0.5) if value == low else cdf


def bootstraps(x: Array, rng: np.random.Generator) -> dict[str, Ends]:
    """Percentile and BCa of a mean."""
    n, found = x.shape[1], np.empty((2, 2, len(x)))
    rows_at_once = max(1, min(RESAMPLES, 1_000_000 // n))
    for i, v in enumerate(x):
        parts = [v[rng.integers(0, n, (rows_at_once, n))].mean(axis=1) for _ in range(-(-RESAMPLES // rows_at_once))]
        means = np.concatenate(parts)[None, :RESAMPLES]
        found[0, :, i] = places(means)[:, 0]
        left_out = ((v.sum() - v) / (n - 1))[None]
        found[1, :, i] = bca(means, np.array([v.mean()]), left_out, np.ones(n, dtype=np.int64))[:, 0]
    return {how: (found[h, 0], found[h, 1]) for h, how in enumerate(("percentile", "BCa"))}


def _cell(x: Array, ends: Ends, truth: float, bounds: Bounds | None) -> list[float]:
    """The figures of a method; the width on the data sets for which all methods have one."""
    sample = Sample(x, np.full(len(x), 1 / len(x)), len(x))
    cell = intervals(sample, ends, truth, bounds)
    cell[INTERVALS.index("width")] = float(f"{np.nanmean((ends[1] - ends[0])[:WIDTHS]):.4g}")
    return cell


def of_case(case: dict[str, Any], draw: Draw, truth: float, bounds: Bounds | None, most: Most) -> list[Row]:
    """A law of values, and a number of them; also data sets of equal values."""
    n, (fast, some, few) = case["items"], most.of(case["items"])
    x = draw(stream(*case.values()), fast * n).reshape(fast, n)
    got = [("howsure", "mean", fast, ours(x, bounds, truth))]
    got += [
        (method, "mean", fast, _cell(x, around(x, q), truth, bounds))
        for method, q in (("Wald", Z), ("Student's t", float(stats.t.ppf(1 - ALPHA / 2, n - 1))))
    ]
    y = x[:some]
    for method, ends in bootstraps(y, stream("resamples", *case.values())).items():
        got.append((method, "mean", len(y), _cell(y, ends, truth, bounds)))
    y = x[:few]
    ends = each(lambda v: peers.evalstats_mean(v, bounds), y)
    got.append(("evalstats", "mean", len(y), _cell(y, ends, truth, bounds)))
    return rows(case, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The tables of graded values and of queries."""
    most = Most(100, 20, 20, 20_000, 20_000) if quick else Most()
    graded = []
    for law in LAWS[2:3] if quick else LAWS:
        draw, bounds = MEANS[law]
        truth = float(draw(stream("truth", law), 100_000 if quick else 4_000_000).mean())
        for n in SIZES[:2] if quick else SIZES:
            graded += of_case({"values": law, "items": n}, draw, truth, bounds, most)
    yield "graded", Table(INTERVALS, graded)
    queries = []
    for k in range(1, 2) if quick else range(len(QUERIES)):
        draw, truth = query(k)
        for n in QUERY_SIZES[:2] if quick else QUERY_SIZES:
            queries += of_case({"mean": round(truth, 3), "items": n}, draw, truth, UNIT, most)
    yield "queries", Table(INTERVALS, queries)
