"""How graded values hold: `.venv/bin/python bench/coverage_graded.py`, some minutes.

Coverage and width of means and of paired differences under the priors `even` and `none`, beside Student's t; how often
two equal systems have P(better) outside .025 to .975; and how often a better system is found, beside the paired t
test. A run in full writes the study `graded` of src/howsure/data/coverage.json, and its section of docs: coverage.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402
from bench.coverage_data import Row, Study, Table, span, this_run  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402

Array = NDArray[np.float64]
Rng = np.random.Generator

SEED, TESTS, WIDTHS = 90_412, 2_000, 40  # intervals of the first tests are computed in full
PRIORS, STUDENT = ("even", "none"), "Student's t"
PLAIN = "even, not stretched"
UNIT = (0.0, 1.0)
STEP = 0.125  # of the grid of an integral
SHIFTS: Final = {  # of symmetric differences: how much better the first is with 10 items, less with more
    "AP": 0.1, "ties": 0.11, "grades 1 to 5": 0.9, "right and wrong": 0.25, "normal": 1.0, "t with 4 df": 1.3,
}  # fmt: skip

MEANS: dict[str, tuple[Callable[[Rng, int], Array], tuple[float, float] | None]] = {
    "Beta(0.6, 1.6), as AP": (lambda r, n: r.beta(0.6, 1.6, n), UNIT),
    "Beta(0.25, 6), as low AP": (lambda r, n: r.beta(0.25, 6.0, n), UNIT),
    "Beta(3, 2), as nDCG": (lambda r, n: r.beta(3.0, 2.0, n), UNIT),
    "0.85 ± 0.04": (lambda r, n: np.clip(r.normal(0.85, 0.04, n), 0.0, 1.0), UNIT),
    "grades 2 to 5": (lambda r, n: r.choice([0.25, 0.5, 0.75, 1.0], n, p=[0.03, 0.07, 0.3, 0.6]), UNIT),
    "nine in ten 1": (lambda r, n: np.where(r.random(n) < 0.9, 1.0, r.random(n)), UNIT),
    "reciprocal ranks": (
        lambda r, n: 1 / r.choice([1, 2, 3, 4, 5, 10, 50], n, p=[0.5, 0.15, 0.1, 0.05, 0.05, 0.1, 0.05]), UNIT),
    "right in 0.7": (lambda r, n: (r.random(n) < 0.7).astype(float), UNIT),
    "exponential": (lambda r, n: r.exponential(1.0, n), None),
    "lognormal(0, 1)": (lambda r, n: r.lognormal(0.0, 1.0, n), None),
    "normal": (lambda r, n: r.normal(size=n), None),
}  # fmt: skip


def _ap(r: Rng, n: int, shift: float) -> Array:
    """Queries of one difficulty for both systems."""
    q = r.beta(0.8, 1.6, n)
    a, b = (np.clip(q + r.normal(s, 0.08, n) * 2 * np.sqrt(q * (1 - q)), 0.0, 1.0) for s in (shift, 0.0))
    return np.stack([a, b], axis=1)


def _around(gap: Array) -> Array:
    """Two systems with these differences."""
    return np.stack([0.5 + gap / 2, 0.5 - gap / 2], axis=1)


def _grades(r: Rng, n: int, shift: float) -> Array:
    true = r.integers(0, 5, n)
    a, b = (np.clip(true + r.choice([-1, 0, 0, 1], n) + (r.random(n) < s), 0, 4) for s in (shift, 0.0))
    return np.stack([a, b], axis=1) / 4


def _right(r: Rng, n: int, shift: float) -> Array:
    return np.stack([r.random(n) < 0.75 + shift, r.random(n) < 0.75], axis=1).astype(float)


PAIRS: dict[str, tuple[Callable[[Rng, int, float], Array], tuple[float, float] | None]] = {
    "AP": (_ap, UNIT),
    "ties": (lambda r, n, s: _around(np.where(r.random(n) < 0.5, 0.0, r.normal(2 * s, 0.15, n))), None),
    "grades 1 to 5": (_grades, UNIT),
    "right and wrong": (_right, UNIT),
    "normal": (lambda r, n, s: _around(r.normal(s, 1.0, n)), None),
    "t with 4 df": (lambda r, n, s: _around(s + r.standard_t(4.0, n)), None),
    "skewed": (lambda r, n, s: _around(r.exponential(0.1, n) * (r.random(n) < 0.3) - 0.03 + s), None),
}


def stream(*what: Any) -> Rng:
    """Random numbers of one case."""
    return np.random.default_rng([SEED, *(zlib.crc32(str(x).encode()) for x in what)])


def below(values: Array, shapes: Array, at: Array) -> Array:
    """P(mean <= at) under Dirichlet weights, test by test: Gil-Pelaez' integral on a logarithmic grid.

    values (tests, items), shapes (items,), at (tests,). Not the route of the package, which is checked by it.
    """
    c = values - at[:, None]
    c = c / np.sqrt((shapes * c**2).sum(axis=1, keepdims=True))
    u = np.exp(np.arange(-26.0, 14.0, STEP))
    out = np.empty(len(c))
    for k in range(0, len(c), 100):
        part = c[k : k + 100, :, None] * u
        size = np.exp(-0.5 * (shapes[:, None] * np.log1p(part**2)).sum(axis=1))
        turn = (shapes[:, None] * np.arctan(part)).sum(axis=1)
        out[k : k + 100] = 0.5 - STEP / np.pi * (size * np.sin(turn)).sum(axis=1)
    return out


def with_ends(x: Array, bounds: tuple[float, float] | None, prior: str) -> tuple[Array, Array]:
    """Values (tests, items) with the prior's two ends, and their shapes."""
    n = x.shape[1]
    if prior == "none":
        return x, np.ones(n)
    low, high = x.min(axis=1), x.max(axis=1)
    out = (low - high, high - low) if bounds is None else (bounds[0] - low, bounds[1] - high)
    ends = np.stack([low + 0.1 * out[0], high + 0.1 * out[1]], axis=1)
    return np.concatenate([x, ends], axis=1), np.ones(n + 2)


def unstretched(x: Array, bounds: tuple[float, float] | None, at: Array) -> Array:
    """Where points (tests, points) were before means (tests, items) under `even` were stretched."""
    n, centre = x.shape[1], with_ends(x, bounds, "even")[0].mean(axis=1)[:, None]
    worth = np.full(len(x), 1e18)
    if bounds is not None:
        spread = (x.mean(axis=1) - bounds[0]) * (bounds[1] - x.mean(axis=1))
        worth = np.divide(n * spread, x.var(axis=1), out=np.full(len(x), float(n)), where=np.ptp(x, axis=1) > 0)
    worth = np.maximum(worth, n)
    factor = stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, worth - 1)
    factor = factor * np.sqrt((n + 1) / (n - 1) * (worth - 1) / (worth + 1))
    if bounds is None:
        return np.asarray(centre + (at - centre) / factor[:, None])
    low, wide = bounds[0], bounds[1] - bounds[0]
    g, middle = (special.logit((y - low) / wide) for y in (at, centre))
    return np.asarray(low + wide * special.expit(middle + (g - middle) / factor[:, None]))


def with_gaps(x: Array, prior: str) -> tuple[Array, Array]:
    """Differences (tests, items) with the prior's three, and their shapes."""
    n = x.shape[1]
    if prior == "none":
        return x, np.ones(n)
    most = np.abs(x).max(axis=1, keepdims=True)
    return np.concatenate([x, most, -most, 0 * most], axis=1), np.array([*np.ones(n), 0.5, 0.5, 1.0])


Kept = tuple[Array, Array]  # cdf at the truth, test by test; widths of some


def rows(case: dict[str, Any], kept: dict[str, Kept]) -> list[Row]:
    """Coverage and mean width."""
    out = []
    for method, (cdf, width) in kept.items():
        held = round(float(np.mean((cdf >= 0.025) & (cdf <= 0.975))), 3)
        out.append(Row(case, method, [len(cdf)], {"mean": [held, float(f"{width.mean():.3g}")]}))
    return out


def student(x: Array, truth: float) -> Kept:
    """Student's t."""
    n, error = x.shape[1], x.std(axis=1, ddof=1) / np.sqrt(x.shape[1])
    cdf = stats.t.cdf((truth - x.mean(axis=1)) / error, n - 1)
    return cdf, 2 * stats.t.ppf(0.975, n - 1) * error[:WIDTHS]


def agreeing(law: Any, cdf: float, truth: float) -> float:
    """The width of an interval, once the package's law agrees with the integral here."""
    if abs(law.cdf(truth) - cdf) > 1e-9:
        raise ValueError(f"{law} has {law.cdf(truth)} below {truth}, the integral {cdf}.")
    low, high = law.interval()
    return float(high - low)


def of_means(law: str, n: int, tests: int) -> list[Row]:
    """The mean of n values; tests of equal values, for which t has no width, are left out."""
    draw, bounds = MEANS[law]
    truth, rng = float(draw(stream("truth", law), 4_000_000).mean()), stream("means", law, n)
    x = draw(rng, tests * n).reshape(tests, n)
    x = x[np.ptp(x, axis=1) > 0]
    kept: dict[str, Kept] = {}
    true = np.full((len(x), 1), truth)
    for prior in PRIORS:
        at = unstretched(x, bounds, true) if prior == "even" else true
        cdf = below(*with_ends(x, bounds, prior), at[:, 0])
        laws = [hs.posterior(hs.graded(v, bounds=bounds), prior)["mean"] for v in x[:WIDTHS]]
        kept[prior] = cdf, np.array([agreeing(d, p, truth) for d, p in zip(laws, cdf.tolist(), strict=False)])
        if prior == "even":
            ends = np.array([[*d.interval(kind="equal-tailed")] for d in laws])
            plain = unstretched(x[:WIDTHS], bounds, ends)
            kept[PLAIN] = below(*with_ends(x, bounds, prior), true[:, 0]), plain[:, 1] - plain[:, 0]
    return rows({"values": law, "items": n}, kept | {STUDENT: student(x, truth)})


def of_differences(law: str, n: int, shift: float, tests: int) -> list[Row]:
    """The mean difference of two systems on n items."""
    draw, bounds = PAIRS[law]
    many = draw(stream("truth", law, shift), 4_000_000, shift)
    truth, rng = float((many[:, 0] - many[:, 1]).mean()), stream("differences", law, n, shift)
    x = draw(rng, tests * n, shift).reshape(tests, n, 2)
    x = x[np.ptp(x[:, :, 0] - x[:, :, 1], axis=1) > 0]
    gap, kept = x[:, :, 0] - x[:, :, 1], {}
    for prior in PRIORS:
        cdf = below(*with_gaps(gap, prior), np.full(len(gap), truth))
        found = [_difference(v, bounds, prior) for v in x[:WIDTHS]]
        kept[prior] = cdf, np.array([agreeing(d, p, truth) for d, p in zip(found, cdf.tolist(), strict=False)])
    return rows(
        {"differences": law, "items": n, "true mean": round(truth, 3) or 0.0}, kept | {STUDENT: student(gap, truth)}
    )


def _difference(x: Array, bounds: Any, prior: str) -> Any:
    items = hs.graded({"a": x[:, 0], "b": x[:, 1]}, bounds=bounds)
    if bounds is not None and prior == "none":  # a system that is always right has no law of its own then
        items = hs.graded({"a": x[:, 0] + np.arange(len(x)), "b": x[:, 1] + np.arange(len(x))})
    return hs.posterior(items, prior).resolve("mean").difference().difference


def found_better(law: str, n: int, shift: float, tests: int) -> dict[str, tuple[float, float]]:
    """How often the first is found better, and worse: P outside .025 to .975, and t's p-value likewise."""
    x = PAIRS[law][0](stream("pairs", law, n, shift), tests * n, shift).reshape(tests, n, 2)
    gap = x[:, :, 0] - x[:, :, 1]
    gap = gap[gap.any(axis=1)]  # without any difference nothing is found
    ps = {prior: 1 - below(*with_gaps(gap, prior), np.zeros(len(gap))) for prior in PRIORS}
    with np.errstate(divide="ignore"):
        ps[STUDENT] = 1 - student(gap, 0.0)[0]
    return {k: (float((p > 0.975).sum() / tests), float((p < 0.025).sum() / tests)) for k, p in ps.items()}


def of_equals(law: str, n: int, tests: int) -> list[Row]:
    """Two equal systems, and the first better by some: how often each method says so."""
    out = []
    equal, better = (found_better(law, n, s, tests) for s in (0.0, SHIFTS[law] * np.sqrt(10 / n)))
    for method in (*PRIORS, STUDENT):
        cell = [round(sum(equal[method]), 3), round(better[method][0], 3)]
        out.append(Row({"differences": law, "items": n}, method, [tests], {"mean": cell}))
    return out


def summary(means: Table, differences: Table, equals: Table) -> dict[str, dict[str, Any]]:
    """The ranges under even."""
    parts = {"means": (means, "coverage"), "differences": (differences, "coverage"), "equal": (equals, "outside")}
    return {
        name: {"reason": name, "held": {"mean": span(table.where("even").column(figure=figure))}}
        for name, (table, figure) in parts.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of graded values; some minutes.")
    parser.add_argument("--tests", type=int, default=TESTS, help="simulated tests a case; fewer make a short run")
    add_root(parser)
    o = parser.parse_args()
    means = Table(["coverage", "width"], [r for x in MEANS for n in (8, 10, 25, 50) for r in of_means(x, n, o.tests)])
    gaps = [r for x in PAIRS for n in (10, 25, 50) for s in (0.0, 0.05) for r in of_differences(x, n, s, o.tests)]
    differences = Table(["coverage", "width"], gaps)
    found = [r for x in SHIFTS for n in (10, 25, 50) for r in of_equals(x, n, o.tests)]
    equals = Table(["outside", "found"], found)
    tables = {"means": means, "differences": differences, "equal systems": equals}
    part = Study("bench/coverage_graded.py", this_run(), tables, summary(means, differences, equals))
    publish(o.root, "graded", part, full=o.tests >= TESTS)


if __name__ == "__main__":
    main()
