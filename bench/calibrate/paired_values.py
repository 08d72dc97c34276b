"""Two systems with graded values, or per-query values, on the same items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import stats

import howsure as hs
from bench.calibrate import peers
from bench.calibrate.methods import RESAMPLES
from bench.calibrate.pairs import BETTER, EQUAL, mcnemar
from bench.calibrate.peers import one_sided
from bench.calibrate.samples import VERDICTS, Array, Sample, rows, stream, verdicts
from bench.coverage_data import Row, Table
from bench.coverage_graded import PAIRS, SHIFTS, below, with_gaps

LAWS: Final = ("AP", "ties", "grades 1 to 5", "t with 4 df", "skewed")
SIZES: Final = (10, 25, 50, 200, 1_000)
QUERIES: Final = "AP"  # the law of per-query values, both systems on queries of one difficulty
CHECKED: Final = 20  # comparisons that the package computes itself, to check


@dataclass(frozen=True)
class Most:
    """How many data sets each kind of method is given, if they are small; fewer of large ones."""

    fast: int = 2_000
    resampled: int = 400
    peers: int = 60
    numbers: int = 300_000  # in all data sets of a case together

    def of(self, n: int) -> tuple[int, int, int]:
        """Data sets of n items, for each kind of method."""
        return min(self.fast, self.numbers // n), min(self.resampled, self.numbers // n // 3), self.peers


def ours(x: Array, bounds: Any) -> Array:
    """P(first better), by an integral that the package does not use; it must agree with the package.

    None where a system has one value on all items, if no bounds are known: there the package refuses.
    """
    gap = x[:, :, 0] - x[:, :, 1]
    p, some = np.full(len(gap), 0.5), gap.any(axis=1)
    p[some] = 1 - below(*with_gaps(gap[some], "even"), np.zeros(int(some.sum())))
    if bounds is None:
        p[(np.ptp(x, axis=1) == 0).any(axis=1)] = np.nan
    for v, q in zip(x[:CHECKED], p, strict=False):
        own = asked(v, bounds)
        if np.isnan(own) != np.isnan(q) or abs(own - q) > 1e-8:
            raise ValueError(f"howsure has P = {own}, the integral {q}.")
    return p


def asked(v: Array, bounds: Any) -> float:
    """The package's own P(first better); none if it refuses."""
    try:
        return float(hs.compare(hs.graded({"a": v[:, 0], "b": v[:, 1]}, bounds=bounds), "a", "b").p_better)
    except hs.HowsureError:
        return float("nan")


def student(gap: Array) -> Array:
    """The paired t test; none where all differences are equal."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = gap.mean(axis=1) / (gap.std(axis=1, ddof=1) / np.sqrt(gap.shape[1]))
    return np.asarray(stats.t.cdf(np.where(gap.std(axis=1) > 0, t, np.nan), gap.shape[1] - 1))


def wilcoxon(gap: Array) -> Array:
    """Wilcoxon's signed ranks, exact up to 50 items without ties, else by the normal law; none if no items differ."""
    found = np.full(len(gap), np.nan)
    for i, g in enumerate(gap):
        if g.any():
            alike = not g.all() or len(np.unique(np.abs(g))) < len(g)
            p = stats.wilcoxon(g, method="asymptotic" if alike else "auto").pvalue
            ranks = stats.rankdata(np.abs(g[g != 0])) * np.sign(g[g != 0])
            found[i] = one_sided(p, ranks.sum())
    return found


def resampled(gap: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The percentile bootstrap of the mean difference, and the permutation test, by signs at random."""
    n, boot, perm = gap.shape[1], [], []
    for g in gap:
        means = g[rng.integers(0, n, (RESAMPLES, n))].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975], method="weibull")
        boot.append(1.0 if low > 0 else 0.0 if high < 0 else 0.5)
        null = (rng.integers(0, 2, (RESAMPLES, n)) * 2 - 1) @ g / n
        p = (1 + np.sum(np.abs(null) >= np.abs(g.mean()) - 1e-12)) / (RESAMPLES + 1)
        perm.append(one_sided(p, g.mean()))
    return np.array(boot), np.array(perm)


def of_case(law: str, n: int, truth: str, most: Most) -> list[Row]:
    """A law of differences, a number of items, and whether the first is better."""
    draw, bounds = PAIRS[law]
    shift = 0.0 if truth == EQUAL else SHIFTS[law] * np.sqrt(10 / n)
    fast, some, few = most.of(n)
    x = draw(stream(law, n, truth), fast * n, shift).reshape(fast, n, 2)
    gap = x[:, :, 0] - x[:, :, 1]
    got: list[tuple[str, Any]] = [("howsure", ours(x, bounds)), ("Student's t", student(gap))]
    got.append(("sign test", mcnemar((gap > 0).sum(axis=1), (gap < 0).sum(axis=1))))
    got.append(("Wilcoxon", wilcoxon(gap[: max(some, few)])))
    boot, perm = resampled(gap[:some], stream("resamples", law, n, truth))
    got += [("bootstrap", boot), ("permutation", perm)]
    got.append(("evalstats", [peers.evalstats_better(v[:, 0], v[:, 1]) for v in x[:few]]))
    found = [
        (method, "mean", len(p), verdicts(Sample(np.empty(0), np.full(len(p), 1 / len(p)), len(p)), p))
        for method, p in got
    ]
    return rows({"differences": law, "items": n, "systems": truth, "gap": float(f"{shift:.3g}")}, found)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The tables of graded values and of queries."""
    most = Most(60, 20, 5, 3_000) if quick else Most()
    sizes = SIZES[:2] if quick else SIZES
    for name, laws in (("paired queries", (QUERIES,)), ("paired values", tuple(x for x in LAWS if x != QUERIES))):
        cases = [(x, n, t) for x in laws for n in sizes for t in (EQUAL, BETTER) if t == EQUAL or x in SHIFTS]
        yield name, Table(VERDICTS, [row for x in (cases[:2] if quick else cases) for row in of_case(*x, most)])
