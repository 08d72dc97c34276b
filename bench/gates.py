"""Error rates of gates: at the limit, after more items, and when one looks again and again.

`python -m bench.gates` prints the tables of docs/how-to/gate.md and docs/explanation/peeking.md (a minute or two).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtri

import howsure as hs
from howsure._gate import more_items

Array = NDArray[np.float64]
SEED: Final = 1616
SIZES: Final = (50, 200, 500, 2000)
CELLS: Final = np.array([0.25, 0.05, 0.08, 0.62])  # tp, fp, fn, tn
MEASURES: Final = {"rate": 0.8, "f1": 0.5 / 0.63, "recall": 0.25 / 0.33}  # with their values in the population


def tables(rng: np.random.Generator, metric: str, n: int, many: int) -> hs.Tally | hs.Outcomes:
    """Tests of n items, as a batch."""
    if metric == "rate":
        return hs.Tally.rate(hits=rng.binomial(n, MEASURES[metric], many), of=n)
    tp, fp, fn, tn = rng.multinomial(n, CELLS, many).T
    return hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)


# -- exactly at the limit


@dataclass(frozen=True)
class AtLimit:
    """Shares of tests, of a system whose measure is the limit itself."""

    passed: float
    failed: float
    by_score: float  # whose score is above the limit
    by_wald: float  # whose score is above it by z standard errors: a rate as in textbooks


def at_limit(metric: str, n: int, p: float, many: int, seed: int = SEED) -> AtLimit:
    """A gate that asks for more than the value in the population."""
    limit = MEASURES[metric]
    law = hs.posterior(tables(np.random.default_rng([seed, n]), metric, n, many))[metric]
    above, score = law.sf(limit), np.asarray(law.score)
    error = np.sqrt(score * (1 - score) / n) if metric == "rate" else np.full(many, np.nan)
    wald = np.mean(score - ndtri(p) * error > limit) if metric == "rate" else np.nan
    return AtLimit(
        float(np.mean(above >= p)), float(np.mean(above <= 1 - p)), float(np.mean(score > limit)), float(wald)
    )


BOTH: Final = (0.75, 0.05, 0.10, 0.10)  # right: both, the new one alone, the old one alone, neither


def at_margin(n: int, p: float, many: int, seed: int = SEED) -> tuple[float, float]:
    """Shares that pass and fail, of two systems on the same items, the new one worse by exactly the margin, 0.05."""
    which = np.random.default_rng([seed, n, 5]).choice(4, size=many * n, p=BOTH)
    columns = {"test": np.repeat(np.arange(many), n), "new": np.isin(which, (0, 1)), "old": np.isin(which, (0, 2))}
    law = hs.compare(columns, outcome=["new", "old"], by="test", metric="rate").difference
    above = law.sf(-0.05)
    return float(np.mean(above >= p)), float(np.mean(above <= 1 - p))


# -- after so many more items


def settled(
    metric: str, counts: tuple[int, ...], limit: float, p: float, many: int, seed: int = SEED
) -> tuple[int, float]:
    """How many more items are said to settle it, and the share of futures that they settle."""
    rng = np.random.default_rng([seed, *counts])
    first = (
        hs.Tally.rate(hits=counts[0], of=sum(counts))
        if metric == "rate"
        else hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True)))
    )
    row = hs.gate(first, f"{metric} > {limit} with {p}").to_dict()["rows"][0]
    assert row["status"] == "inconclusive"
    assert row["more"] == more_items(row["probability"], p, row["n"] + 2)
    more = row["more"]
    if metric == "rate":
        hits = rng.binomial(more, rng.beta(counts[0] + 1, counts[1] + 1, many))
        later: hs.Tally | hs.Outcomes = hs.Tally.rate(hits=counts[0] + hits, of=sum(counts) + more)
    else:
        shares = rng.dirichlet(np.array(counts) + 0.5, many)
        tp, fp, fn, tn = (rng.multinomial(more, shares) + np.array(counts)).T
        later = hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)
    above = hs.posterior(later)[metric].sf(limit)
    return more, float(np.mean((above >= p) | (above <= 1 - p)))


SETTLING: Final = (
    ("rate", (18, 2), 0.85, 0.95), ("rate", (45, 5), 0.85, 0.9), ("rate", (180, 20), 0.9, 0.95),
    ("rate", (198, 2), 0.98, 0.95), ("f1", (25, 5, 8, 62), 0.75, 0.95), ("f1", (100, 20, 30, 350), 0.8, 0.9),
    ("recall", (18, 4, 2, 76), 0.8, 0.95),
)  # fmt: skip


QUESTIONS: Final = (4, 3, 4, 2, 0, 4, 1, 3, 4, 4, 2, 3, 0, 4, 3, 1, 4, 2, 4, 3)  # passes of 4 samples each
CLUSTERED: Final = (("pass@2", 0.8, 0.95), ("rate", 0.7, 0.9))


def settled_by_clusters(metric: str, limit: float, p: float, many: int, seed: int = SEED) -> tuple[int, float]:
    """The same of samples that belong to questions: futures are questions of the pilot or of the prior, reweighed."""
    rng = np.random.default_rng([seed, len(metric)])
    row = _of_questions(np.array(QUESTIONS), f"{metric} > {limit} with {p}").to_dict()["rows"][0]
    assert (row["status"], row["more_unit"]) == ("inconclusive", "clusters")
    kinds, found = np.array([*QUESTIONS, 0, 4]), 0
    for _ in range(many):
        new = rng.choice(kinds, row["more"], p=rng.dirichlet(np.ones(len(kinds))))
        later = _of_questions(np.concatenate([QUESTIONS, new]), f"{metric} > {limit} with {p}")
        found += later.status != "inconclusive"
    return row["more"], found / many


def _of_questions(passes: NDArray[np.int64], requirement: str) -> hs.Gate:
    of = np.repeat(np.arange(len(passes)), 4)
    passed = np.tile(np.arange(4), len(passes)) < np.repeat(passes, 4)
    return hs.gate({"question": of, "passed": passed}, requirement, outcome="passed", cluster="question", tolerance=0.1)


# -- looking again


def looks(truth: Array | float, limit: float, times: int, batch: int, many: int, seed: int = SEED) -> Array:
    """P(rate > limit) after each batch, (times, many), under the usual prior."""
    rng = np.random.default_rng([seed, times, batch])
    hits = np.cumsum(rng.binomial(batch, np.broadcast_to(truth, many), (times, many)), axis=0)
    n = batch * np.arange(1, times + 1)[:, None]
    return np.asarray(1.0 - betainc(hits + 1.0, n - hits + 1.0, limit))


def ever(found: Array, p: float) -> tuple[float, float, float]:
    """Shares that pass at the last look, at any, and as the first answer of pass and fail."""
    passes, fails = found >= p, found <= 1 - p
    first = np.argmax(passes | fails, axis=0)
    answered = (passes | fails).any(axis=0)
    as_first = answered & passes[first, np.arange(found.shape[1])]
    return float(passes[-1].mean()), float(passes.any(axis=0).mean()), float(as_first.mean())


def stopped(
    truths: Array, limit: float, p: float, times: int, batch: int, seed: int = SEED
) -> tuple[float, float, float]:
    """Of those that stop at their first pass: their share, how many are above the limit, and P as it was then told."""
    found = looks(truths, limit, times, batch, len(truths), seed)
    passes = found >= p
    here = passes.any(axis=0)
    at = np.argmax(passes, axis=0)
    told = found[at, np.arange(len(truths))]
    return float(here.mean()), float((truths[here] > limit).mean()), float(told[here].mean())


# -- tables


def main() -> None:
    """Print all tables."""
    print("| measure | n | p | passes | fails | score above | Wald |\n|---|---:|---:|---:|---:|---:|---:|")
    for metric in MEASURES:
        for n in SIZES:
            for p in (0.95, 0.8):
                x = at_limit(metric, n, p, 20_000)
                wald = "" if np.isnan(x.by_wald) else f"{x.by_wald:.1%}"
                print(f"| {metric} | {n:,} | {p:g} | {x.passed:.1%} | {x.failed:.1%} | {x.by_score:.0%} | {wald} |")
    for n in SIZES[:3]:
        for p in (0.95, 0.8):
            passed, failed = at_margin(n, p, 4_000)
            print(f"| rate not worse by 0.05 | {n:,} | {p:g} | {passed:.1%} | {failed:.1%} |  |  |")
    print("\n| requirement | counts | more items | settled |\n|---|---|---:|---:|")
    for metric, counts, limit, p in SETTLING:
        more, share = settled(metric, counts, limit, p, 20_000)
        print(f"| {metric} > {limit:g} with {p:g} | {', '.join(map(str, counts))} | {more:,} | {share:.0%} |")
    for metric, limit, p in CLUSTERED:
        more, share = settled_by_clusters(metric, limit, p, 1_000)
        print(f"| {metric} > {limit:g} with {p:g} | {len(QUESTIONS)} clusters | {more:,} clusters | {share:.0%} |")
    print("\n| looks | passes at the last | passes at some look | pass before any fail |\n|---:|---:|---:|---:|")
    for times in (1, 5, 20, 100):
        last, some, first = ever(looks(0.8, 0.8, times, 50, 20_000), 0.95)
        print(f"| {times} | {last:.1%} | {some:.1%} | {first:.1%} |")
    print("\n| truths from | looks | stop with a pass | of these above the limit | told on average |")
    print("|---|---:|---:|---:|---:|")
    rng = np.random.default_rng(SEED)
    truths = {"the prior, Beta(1, 1)": (1, 1), "Beta(40, 10)": (40, 10), "Beta(4, 4)": (4, 4)}
    for name, (a, b) in truths.items():
        drawn = rng.beta(a, b, 200_000)
        for times in (1, 20, 100):
            share, right, told = stopped(drawn, 0.8, 0.95, times, 50)
            print(f"| {name} | {times} | {share:.1%} | {right:.1%} | {told:.1%} |")


if __name__ == "__main__":
    main()
