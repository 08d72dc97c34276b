"""Run with `make stress`, or `python -m bench.stress --share 0.01` for a hundredth; exits 1 on any violation."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

import howsure as hs
from bench.stress.trial import Job, Violation, tried

CLOSED_SIZE, OTHER_SIZE, FEW = 10_000, 100, 10
ROUGH = 0.5  # of sampled laws: few draws, so that there can be many tables
# How many tables each measure gets in a full run, by what one costs on these tables: 50 us in closed form, some
# milliseconds by quadrature or draws, up to half a second for phi and kappa, and for the difference of two.
TABLES = {"closed form": 1_000_000, "quadrature": 4_000, "sampled": 10_000}
COSTLY = {"phi": 400, "kappa": 400, "utility(2,-1,0,0)": 1_000}
OF_KIND = {"wins": 2_000, "classes": 500, "weighted": 500, "differences": 20, "pairs": 40}
PAIRS = ("f1", "precision", "recall", "accuracy", "jaccard", "npv", "specificity", "bias", "informedness")
WEIGHTED = ("f1", "precision", "recall", "accuracy", "f2", "informedness", "odds-ratio", "lr-plus", "g-mean")
MANY = (
    "accuracy",
    "macro-f1",
    "macro-recall",
    "micro-f1",
    "weighted-f1",
    "kappa",
    "phi",
    "f1:1",
    "f2:0",
    "informedness:2",
)


def plan() -> Iterator[tuple[str, str, int, int]]:
    """Kind, measure, how many tables, and how many of them at once."""
    two = [
        m
        for m in hs.metrics()
        if m.name != "rate" and not m.any_of and not m.name.startswith(("micro", "macro", "weighted"))
    ]
    for m in two:
        size = CLOSED_SIZE if m.route == "closed form" else OTHER_SIZE
        yield "binary", m.name, COSTLY.get(m.name, TABLES[m.route]), size
    yield "rates", "rate", TABLES["closed form"], CLOSED_SIZE
    yield "wins", "wins", OF_KIND["wins"], OTHER_SIZE
    for name in MANY:
        yield "classes", name, OF_KIND["classes"], OTHER_SIZE
    for name in WEIGHTED:
        yield "weighted", name, OF_KIND["weighted"], OTHER_SIZE
    for m in two:
        yield "differences", m.name, OF_KIND["differences"], FEW
    for name in PAIRS:
        yield "pairs", name, OF_KIND["pairs"], FEW


def jobs(share: float, seed: int, only: str = "") -> list[Job]:
    """Batches of that share of the plan, at least one of each; those of one kind and measure are far apart."""
    made = []
    for kind, name, tables, most in plan():
        if only and only not in f"{kind} {name}":
            continue
        wanted = max(1, round(tables * share))
        size = min(most, wanted)
        made += [(i / -(-wanted // size), Job(kind, name, seed + i, size, ROUGH)) for i in range(-(-wanted // size))]
    return [job for _, job in sorted(made, key=lambda pair: pair[0])]


def run(todo: list[Job], workers: int) -> dict[str, Violation]:
    """All jobs; violations of one kind are counted together, and the smallest example is kept."""
    found: dict[str, Violation] = {}
    start, tables = time.monotonic(), 0
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:  # a worker that dies is an error
        parts = (x.result() for x in as_completed([pool.submit(tried, job) for job in todo]))
        results = parts if workers > 1 else map(tried, todo)
        for done, (job, wrong) in enumerate(results, 1):
            tables += job.size
            for v in wrong:
                old = found.get(v.kind)
                best = v if old is None or v.weight < old.weight else old
                found[v.kind] = Violation(v.kind, v.count + (old.count if old else 0), best.weight, best.example)
            if sys.stderr.isatty() or done % 20 == 0 or done == len(todo):
                _progress(done, len(todo), tables, time.monotonic() - start, found)
    return found


def _progress(done: int, of: int, tables: int, seconds: float, found: dict[str, Violation]) -> None:
    wrong = sum(v.count for v in found.values())
    left = seconds / done * (of - done)
    line = (
        f"{done:,} of {of:,} batches, {tables:,} laws, {seconds:.0f} s, about {left:.0f} s left, {wrong:,} violations"
    )
    print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def main() -> int:
    """The violations, with their count last."""
    parser = argparse.ArgumentParser(prog="python -m bench.stress", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the full run; at least one batch of each measure")
    parser.add_argument("--quick", action="store_true", help="one small batch of each measure")
    parser.add_argument("--only", default="", help="kinds and measures whose name has this, such as 'binary f2'")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    found = run(jobs(1e-9 if given.quick else given.share, given.seed, given.only), given.workers)
    print(file=sys.stderr)
    for v in sorted(found.values(), key=lambda v: v.kind):
        print(f"{v.kind}: {v.count:,}\n    {v.example}\n")
    print(sum(v.count for v in found.values()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
