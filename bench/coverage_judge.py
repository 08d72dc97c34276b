"""Coverage and width of a judge's rate, corrected: against human labels alone, the judge alone and PPI++.

    python -m bench.coverage_judge            # tables of docs/how-to/judge.md, minutes
    python -m bench.coverage_judge --quick    # a few cases

Every case has a true rate, a judge's recall and specificity, so many validated items and so many more that are judged
only. Replicates are drawn as counts; the posterior of a replicate is that of hs.correct_judge: Betas of all verdicts,
and of human labels within each verdict. Validations without both classes are left out.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any, Final

import numpy as np

from howsure.distributions.judge_errors import Verdicts, rate_draws

RATES: Final = (0.6, 0.8, 0.9, 0.99)
TRUE: Final = (0.1, 0.5, 0.9)
SIZES: Final = ((30, 200), (30, 10_000), (100, 200), (100, 10_000), (500, 200), (500, 10_000))
TAILS: Final = (0.025, 0.975)
NORMAL: Final = 1.959963984540054


def replicates(case: tuple[float, ...], many: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Validated (verdict, human) counts, (many, 2, 2), and passes among the others."""
    se, sp, rate, few, more = case
    cells = np.array([[(1 - rate) * sp, rate * (1 - se)], [(1 - rate) * (1 - sp), rate * se]])
    known = rng.multinomial(int(few), cells.ravel(), many).reshape(-1, 2, 2)
    passes = rng.binomial(int(more), cells[1].sum(), many)
    kept = known.sum(axis=1).all(axis=1) & known.sum(axis=2).all(axis=1)
    return known[kept], passes[kept]


def corrected(known: Any, passes: Any, more: int, draws: int, rng: np.random.Generator) -> Any:
    """Ends of intervals of the posterior, (2, replicates)."""
    all_of = known.sum(axis=2) + np.stack([more - passes, passes], axis=1)
    q = rng.beta(all_of[:, 1] + 1.0, all_of[:, 0] + 1.0, (draws, len(known)))
    no, yes = (rng.beta(known[:, j, 1] + 0.5, known[:, j, 0] + 0.5, (draws, len(known))) for j in (0, 1))
    return np.quantile(q * yes + (1 - q) * no, TAILS, axis=0)


def powered(known: Any, passes: Any, more: int) -> Any:
    """Ends of PPI++."""
    few = known.sum(axis=(1, 2))
    human, said, both = known[:, :, 1].sum(axis=1) / few, known[:, 1].sum(axis=1) / few, known[:, 1, 1] / few
    every, rest = (known[:, 1].sum(axis=1) + passes) / (few + more), passes / more
    weight = np.clip((both - human * said) * few / (few - 1) / (every * (1 - every) * (1 + few / more)), 0, 1)
    spread = human * (1 - human) - 2 * weight * (both - human * said) + weight**2 * said * (1 - said)
    error = np.sqrt(weight**2 * rest * (1 - rest) / more + spread / (few - 1))
    middle = human + weight * (rest - said)
    return np.stack([middle - NORMAL * error, middle + NORMAL * error])


def people(known: Any) -> Any:
    """Ends of the posterior of human labels alone."""
    from scipy.special import betaincinv

    hits, misses = known[:, :, 1].sum(axis=1), known[:, :, 0].sum(axis=1)
    return np.stack([betaincinv(hits + 1.0, misses + 1.0, p) for p in TAILS])


def believed(known: Any, passes: Any, more: int) -> Any:
    """Ends of the posterior that takes every verdict for the truth."""
    from scipy.special import betaincinv

    hits = known[:, 1].sum(axis=1) + passes
    total = known.sum(axis=(1, 2)) + more
    return np.stack([betaincinv(hits + 1.0, total - hits + 1.0, p) for p in TAILS])


def study(case: tuple[float, ...], many: int, draws: int, seed: int) -> dict[str, float]:
    """Coverage and mean width of each way in one case; `five` are widths where five errors of each kind were seen."""
    rng, more, rate = np.random.default_rng([seed, *(int(1000 * x) for x in case)]), int(case[4]), case[2]
    known, passes = replicates(case, many, rng)
    ways = {
        "correct": corrected(known, passes, more, draws, rng), "ppi": powered(known, passes, more),
        "human": people(known), "judge": believed(known, passes, more),
    }  # fmt: skip
    found = {f"{k} covers": float(np.mean((x[0] <= rate) & (rate <= x[1]))) for k, x in ways.items()}
    found |= {f"{k} width": float(np.mean(x[1] - x[0])) for k, x in ways.items()}
    five = (known[:, 0, 1] >= 5) & (known[:, 1, 0] >= 5)
    width = {k: float(np.mean((x[1] - x[0])[five])) if five.sum() >= 20 else np.nan for k, x in ways.items()}
    return found | {"five": width["correct"] / width["ppi"]}


def elsewhere(case: tuple[float, ...], many: int, draws: int, seed: int) -> tuple[float, float]:
    """Coverage and mean width where recall and specificity carry over from items with a true rate of a half."""
    se, sp, rate, few, more = case
    rng = np.random.default_rng([seed, 7, *(int(1000 * x) for x in case)])
    known, _ = replicates((se, sp, 0.5, few, 1), many, rng)
    passes = rng.binomial(int(more), rate * se + (1 - rate) * (1 - sp), len(known))
    ends = []
    for (no, yes), x in zip(known, passes, strict=True):
        seen = Verdicts(np.array([float(x)]), np.array([float(more)]), np.ones((1, 1)))
        drawn = rate_draws(np.array([yes[1], no[1]]) + 0.5, np.array([no[0], yes[0]]) + 0.5, seen, draws, rng)
        ends.append((0.0, 1.0) if drawn is None else np.quantile(drawn, TAILS))
    low, high = np.array(ends).T
    return float(np.mean((low <= rate) & (rate <= high))), float(np.mean(high - low))


def main(quick: bool) -> None:
    """Print the tables."""
    many, draws = (400, 400) if quick else (2_000, 600)
    cases = [(a, b, r, *size) for a, b, r, size in itertools.product(RATES, RATES, TRUE, SIZES)]
    found = {case: study(case, many, draws, 1) for case in (cases[::12] if quick else cases)}
    print("validated judged  least coverage (mean)                              mean width")
    print("                  correct       ppi++         human         judge         correct ppi++ human")
    for size in SIZES:
        own = [x for case, x in found.items() if case[3:] == size]
        if own:
            ways = ("correct", "ppi", "human", "judge")
            each = [[x[f"{way} covers"] for x in own] for way in ways]
            covers = "  ".join(f"{min(x):.3f} ({np.mean(x):.3f})" for x in each)
            widths = " ".join(f"{np.mean([x[f'{way} width'] for x in own]):.3f}" for way in ways[:3])
            print(f"{size[0]:9d} {size[1]:6d}  {covers}  {widths}")
    worst = sorted(found, key=lambda case: found[case]["correct covers"])[:5]
    for case in worst:
        print("lowest", case, f"{found[case]['correct covers']:.3f}")
    ratios = [x["five"] for x in found.values() if np.isfinite(x["five"])]
    print(f"five errors of each kind: width over PPI++'s {np.mean(ratios):.3f} on average, {max(ratios):.3f} at most")
    for case in [(a, a, r, few, 1_000) for a in (0.6, 0.8, 0.99) for r in (0.1, 0.5) for few in (30, 100, 500)]:
        if not quick or case[3] == 100:
            covers, width = elsewhere(case, 100 if quick else 400, 800, 1)
            print("elsewhere", case, f"covers {covers:.3f}, width {width:.3f}")


if __name__ == "__main__":
    main("--quick" in sys.argv)
