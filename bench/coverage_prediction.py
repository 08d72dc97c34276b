"""How often 95% predicted intervals hold the score that the next items show, and how often posterior intervals do.

Data and next items are drawn from one truth: a fixed table of shares, or one that is drawn from the prior for each
test. A next score that is 0/0 is not counted. The interval holds a score where P(<= score) is 2.5% or more and
P(< score) is below 97.5%, so no interval has to be found. Run: python -m bench.coverage_prediction
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import howsure as hs

Array = NDArray[np.float64]

CELLS = ("tp", "fp", "fn", "tn")
TRUTHS = {"rare": (0.08, 0.02, 0.03, 0.87), "balanced": (0.4, 0.1, 0.1, 0.4), "prior": None}
SIZES = [(n, m) for n in (30, 100, 1000) for m in (20, 200, 2000)]
EXACT, DRAWN, PAIRS = ("accuracy", "recall", "precision", "f1"), ("phi",), ("accuracy", "f1")
SLACK = 1e-9


@dataclass(frozen=True)
class Held:
    """Shares of next scores that the predicted interval holds, and that of the posterior; and how many there were."""

    predicted: float
    posterior: float
    tests: int


def _tables(shares: Array, n: int, rng: np.random.Generator) -> Array:
    return rng.multinomial(n, shares).astype(float)


def _shares(truth: tuple[float, ...] | None, tests: int, rng: np.random.Generator) -> Array:
    """The truth of each test: weight 1/2 on each cell where it comes from the prior."""
    return rng.dirichlet([0.5] * 4, tests) if truth is None else np.tile(truth, (tests, 1))


def _tally(counts: Array) -> hs.Tally:
    return hs.Tally.binary(**{c: counts[:, i].astype(int) for i, c in enumerate(CELLS)})


def _held(d: hs.Distribution, own: hs.Distribution, score: Array) -> Held:
    """Of a batch; scores that are undefined are left out."""
    there = ~np.isnan(score)
    at = np.where(there, score, 0.5)
    inside = [(np.asarray(x.cdf(at + SLACK)) >= 0.025) & (np.asarray(x.cdf(at - SLACK)) < 0.975) for x in (d, own)]
    return Held(*(float(x[there].mean()) for x in inside), int(there.sum()))


def one_system(metric: str, truth: tuple[float, ...] | None, n: int, m: int, tests: int, seed: int) -> Held:
    """Tests of one system on n items, and m items to come."""
    rng = np.random.default_rng([seed, n, m])
    shares = _shares(truth, tests, rng)
    p = hs.posterior(_tally(_tables(shares, n, rng)), tolerance=0.1)
    score = hs.posterior(_tally(_tables(shares, m, rng))).point(metric)
    return _held(hs.forecast(p, n=m, metric=metric), p[metric], score)


PATTERNS = [(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)]
JOINT = (0.62, 0.05, 0.06, 0.02, 0.03, 0.04, 0.06, 0.12)  # of (truth, a, b), in that order


def two_systems(metric: str, n: int, m: int, tests: int, seed: int) -> Held:
    """Tests of two systems on the same n items, and the same m items to come."""
    rng = np.random.default_rng([seed, n, m])
    inside, inside_own, there = 0, 0, 0
    for _ in range(tests):
        seen, coming = (_joint(rng.multinomial(size, JOINT)) for size in (n, m))
        p = hs.posterior(seen, tolerance=0.2)
        a, b = (hs.posterior(coming.system(name)).point(metric) for name in ("a", "b"))
        gap = float(a - b)
        if np.isnan(gap):
            continue
        there += 1
        d, own = hs.forecast(p, n=m, metric=metric), hs.compare(p, metric=metric).difference
        inside += d.cdf(gap + SLACK) >= 0.025 and d.cdf(gap - SLACK) < 0.975
        inside_own += own.cdf(gap + SLACK) >= 0.025 and own.cdf(gap - SLACK) < 0.975
    return Held(inside / there, inside_own / there, there)


def five_classes(n: int, m: int, tests: int, seed: int) -> Held:
    """macro-f1 of five classes of unequal size, three answers of four right."""
    rng = np.random.default_rng([seed, n, m])
    shares = np.array([0.4, 0.25, 0.15, 0.12, 0.08])[:, None] * np.where(np.eye(5) > 0, 0.75, 0.25 / 4)
    seen, coming = (rng.multinomial(size, shares.ravel(), tests).reshape(tests, 5, 5) for size in (n, m))
    inside = np.zeros((tests, 2), dtype=bool)
    for i in range(tests):
        p = hs.posterior(hs.Tally.matrix(seen[i]), tolerance=0.2)
        score = float(hs.posterior(hs.Tally.matrix(coming[i])).point("macro-f1"))
        laws = hs.forecast(p, n=m, metric="macro-f1"), p["macro-f1"]
        inside[i] = [x.cdf(score + SLACK) >= 0.025 and x.cdf(score - SLACK) < 0.975 for x in laws]
    return Held(*inside.mean(axis=0).tolist(), tests)


def _joint(counts: NDArray[np.int64]) -> hs.Tally:
    return hs.Tally(cells=np.array(PATTERNS), counts=counts, systems=("a", "b"), labels=(0, 1), positive=1)


def spans(found: list[Held]) -> str:
    """Lowest and highest share."""
    lows, highs = ([getattr(x, side) for x in found] for side in ("predicted", "posterior"))
    return f"{min(lows):.3f} to {max(lows):.3f} | {min(highs):.3f} to {max(highs):.3f}"


def table(say: Callable[[str], None], seed: int = 20_261_117) -> None:
    """All of it, as Markdown."""
    say("| score | truth | next score in its predicted interval | in the posterior's interval | tests |")
    say("|---|---|---|---|---|")
    for metrics, tests in ((EXACT, 2000), (DRAWN, 400)):
        for metric in metrics:
            for name, truth in TRUTHS.items():
                found = [one_system(metric, truth, n, m, tests, seed) for n, m in SIZES]
                say(f"| {metric} | {name} | {spans(found)} | {sum(x.tests for x in found):,} |")
    found = [five_classes(n, m, 40, seed) for n, m in SIZES]
    say(f"| macro-f1 | five classes | {spans(found)} | {sum(x.tests for x in found):,} |")
    for metric in PAIRS:
        found = [two_systems(metric, n, m, 200 if metric == "accuracy" else 100, seed) for n, m in SIZES]
        say(f"| difference of {metric} | two systems | {spans(found)} | {sum(x.tests for x in found):,} |")


if __name__ == "__main__":
    table(lambda line: print(line, flush=True))
