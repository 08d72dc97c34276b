"""How often 95% intervals of pass@k hold, and what tests say of equal systems: `python bench/coverage_samples.py`.

Questions have difficulties from four laws; each is sampled n times. The truth is the mean over the population of
questions. Rules: that of howsure (the Bayesian bootstrap of questions, the prior of clusters of n/k items, stretched:
docs/why/045), its rule before (weight 1 on the smallest and on the largest value seen, each moved a tenth of the way to
its bound), the t interval over questions, and the percentile bootstrap over questions. numpy and scipy.special only:
distributions are sampled, 999 draws a test, with the places of the ends corrected for their number;
tests/posteriors/test_repeated_samples.py holds the sampled rule to the distribution of the package.

    --tests 1000  tests a case (about 4 minutes of one core)
    --write       put the tables into docs/how-to/pass-at-k.md as well
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy import special

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from bench.clusters import rules  # noqa: E402
from howsure.catalogue.repeated import Repeated, parse  # noqa: E402

Array = NDArray[np.float64]

PAGE = HERE.parent / "docs" / "how-to" / "pass-at-k.md"
MARKS = "<!-- samples: written by bench/coverage_samples.py -->", "<!-- end of samples -->"
DRAWS, LEVEL, SEED = 999, 0.95, 20_261_118
QUESTIONS, SAMPLES = (20, 50, 200), (5, 10, 20)
RULES = ("howsure", "before", "t", "bootstrap")


class World(NamedTuple):
    """The difficulties of questions: a mixture of Betas, each with half of them."""

    name: str
    betas: tuple[tuple[float, float], ...]

    def draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        """Probabilities that a sample of a question passes."""
        which = rng.integers(0, len(self.betas), size)
        a, b = np.array(self.betas).T
        return rng.beta(a[which], b[which])

    def truth(self, metric: Repeated) -> float:
        """The mean of 1 - (1 - p)^k, or of p^k."""
        found = []
        for a, b in self.betas:
            one, other = (b, a) if metric.passing == "any" else (a, b)
            power = np.exp(special.betaln(one + metric.k, other) - special.betaln(one, other))
            found.append(1.0 - power if metric.passing == "any" else power)
        return float(np.mean(found))


WORLDS = (
    World("spread, Beta(½, ½)", ((0.5, 0.5),)),
    World("middling, Beta(2, 2)", ((2.0, 2.0),)),
    World("two kinds, Beta(2, 18) and Beta(18, 2)", ((2.0, 18.0), (18.0, 2.0))),
    World("hard, Beta(0.2, 3.8), mean 5%", ((0.2, 3.8),)),
)


def measures(n: int, world: World) -> list[Repeated]:
    """pass@k; of hard questions all-pass@k as well, which is its mirror image elsewhere."""
    ks = sorted({1, 3, 5, n})
    return [parse(f"pass@{k}") for k in ks] + [parse(f"all-pass@{k}") for k in (3, 5) if "hard" in world.name]


def counts(values: Array, n: int) -> Array:
    """Of each test, how many questions had 0, 1, …, n passes."""
    return np.stack([(values == c).sum(axis=1) for c in range(n + 1)], axis=1).astype(float)


def ends_seen(seen: Array, grades: Array) -> tuple[Array, Array]:
    """Where the prior's weight is, of each test."""
    low = np.where(seen > 0, grades, np.inf).min(axis=1)
    high = np.where(seen > 0, grades, -np.inf).max(axis=1)
    same = low == high
    return np.where(same, 0.0, 0.9 * low), np.where(same, 1.0, high + 0.1 * (1.0 - high))


def quantiles(draws: Array) -> tuple[Array, Array]:
    """Ends of equal-tailed intervals of draws (draws, tests)."""
    tail = 0.5 * (1.0 - LEVEL)
    at = round(tail * (len(draws) + 1)) - 1
    ranked = np.partition(draws, [at, len(draws) - 1 - at], axis=0)
    return ranked[at], ranked[len(draws) - 1 - at]


def howsure_rule(rng: np.random.Generator, seen: Array, grades: Array, groups: float) -> tuple[Array, Array]:
    """Gamma weights of all questions of one value together, weight 1 on 0 and on 1, and the stretch.

    Each question has so many groups of k samples. If the score is 0 or 1, the interval runs to that end.
    """
    many, total, squares = seen.sum(axis=1), seen @ grades, seen @ grades**2
    p = total / many
    within, away = groups * (total - squares), groups**2 * (squares - many * p**2)
    expected = (p * (1 - p) + away / (many * groups) ** 2) * many * (groups - 1) + 1
    rho = np.where(within > 1e-9, np.clip(1 - within / expected, 0.0, 1.0), 1.0)
    share = 1 - (1 - 1 / groups) * (1 - rho)
    mass = rng.standard_gamma(seen, (DRAWS, *seen.shape))
    ends = rng.standard_exponential((2, DRAWS, len(seen))) * share
    drawn = (mass @ grades + ends[1]) / (mass.sum(axis=2) + ends.sum(axis=0))
    centre = (total + share) / (many + 2 * share)
    low, high = (rules.stretched(x[:, None], centre, rules.stretch_factor(many, share))[:, 0] for x in quantiles(drawn))
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)


def before_rule(rng: np.random.Generator, seen: Array, grades: Array, groups: float) -> tuple[Array, Array]:
    """Gamma weights of all questions of one value together, and weight 1 on either end of the values seen."""
    del groups
    low, high = ends_seen(seen, grades)
    mass = rng.standard_gamma(seen, (DRAWS, *seen.shape))
    ends = rng.standard_exponential((2, DRAWS, len(seen)))
    drawn = (mass @ grades + ends[0] * low + ends[1] * high) / (mass.sum(axis=2) + ends.sum(axis=0))
    return quantiles(drawn)


def bootstrap_rule(rng: np.random.Generator, seen: Array, grades: Array, groups: float) -> tuple[Array, Array]:
    """As many questions, drawn with replacement."""
    del groups
    total = seen.sum(axis=1)
    drawn = rng.multinomial(total.astype(int)[None], seen / total[:, None], size=(DRAWS, len(seen)))
    return quantiles(drawn @ grades / total)


def t_rule(rng: np.random.Generator, seen: Array, grades: Array, groups: float) -> tuple[Array, Array]:
    """Mean ± t·s/√n."""
    del rng, groups
    total = seen.sum(axis=1)
    mean = seen @ grades / total
    spread = np.sqrt(np.maximum(seen @ grades**2 / total - mean**2, 0.0) / (total - 1))
    half = special.stdtrit(total - 1, 0.5 + 0.5 * LEVEL) * spread
    return mean - half, mean + half


INTERVALS: dict[str, Callable[[np.random.Generator, Array, Array, float], tuple[Array, Array]]] = {
    "howsure": howsure_rule, "before": before_rule, "t": t_rule, "bootstrap": bootstrap_rule,
}  # fmt: skip


def covered(
    world: World, questions: int, n: int, tests: int
) -> Iterator[tuple[Repeated, dict[str, tuple[float, float]]]]:
    """Of each measure, the coverage and the mean width by each rule."""
    rng = np.random.default_rng([SEED, WORLDS.index(world), questions, n])
    passed = rng.binomial(n, world.draw(rng, (tests, questions)))
    seen = counts(passed, n)
    for metric in measures(n, world):
        grades, truth, found = metric.values(n, np.arange(n + 1)), world.truth(metric), {}
        for name, rule in INTERVALS.items():
            parts = [rule(rng, some, grades, n / metric.k) for some in np.array_split(seen, -(-tests // 250))]
            low, high = (np.concatenate(x) for x in zip(*parts, strict=True))
            found[name] = float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean())
        yield metric, found


# -- equal systems ----------------------------------------------------------------------------------


def equal_systems(
    world: World, questions: int, n: int, metric: Repeated, tests: int, same: bool
) -> tuple[float, float, float]:
    """How often P(better) is beyond 97.5% on either side, now and before, and how often a t test rejects at 5%.

    The systems find the same questions hard, or each has difficulties of its own from the same law.
    """
    rng = np.random.default_rng([SEED, WORLDS.index(world), questions, n, metric.k, same])
    p = world.draw(rng, (1 if same else 2, tests, questions))
    one, two = metric.values(n, rng.binomial(n, np.broadcast_to(p, (2, tests, questions))))
    gap = one - two
    now, before = (np.concatenate([above(rng, some, metric.k / n) for some in np.array_split(gap, -(-tests // 50))
                                   ]) for above in (_above, _above_before))  # fmt: skip
    with np.errstate(invalid="ignore", divide="ignore"):
        t = gap.mean(axis=1) / (gap.std(axis=1, ddof=1) / np.sqrt(questions))
    rejects = np.abs(np.nan_to_num(t)) > special.stdtrit(questions - 1, 0.975)
    found = [float(((x > 0.975) | (x < 0.025)).mean()) for x in (now, before)]
    return found[0], found[1], float(rejects.mean())


def _above(rng: np.random.Generator, gap: Array, item: float) -> Array:
    """P(better): weight ½ on either end of the range and 1 on no difference, of a share of a question, stretched."""
    ones = np.ones_like(gap)
    share = rules.difference_share(np.abs(gap), ones, item)
    mass, atoms = rng.standard_exponential((DRAWS, *gap.shape)), rng.standard_gamma(0.5, (4, DRAWS, len(gap))) * share
    drawn = ((mass * gap).sum(axis=2) + atoms[0] - atoms[1]) / (mass.sum(axis=2) + atoms.sum(axis=0))
    centre = gap.sum(axis=1) / (gap.shape[1] + 2 * share)
    drawn = rules.stretched(drawn.T, centre, rules.stretch_factor(gap.shape[1], share), -1.0)
    return np.asarray((drawn > 0).mean(axis=1))


def _above_before(rng: np.random.Generator, gap: Array, item: float) -> Array:
    """P(better): weight ½ on plus and on minus the largest difference seen, 1 on none."""
    del item
    largest = np.abs(gap).max(axis=1)
    largest[largest == 0] = 1.0
    mass, atoms = rng.standard_exponential((DRAWS, *gap.shape)), rng.standard_gamma(0.5, (2, DRAWS, len(gap)))
    return np.asarray((((mass * gap).sum(axis=2) + (atoms[0] - atoms[1]) * largest) > 0).mean(axis=0))


# -- tables -----------------------------------------------------------------------------------------


def coverage_lines(tests: int) -> list[str]:
    """One line for each law of difficulties and number of questions: the range over samples and k."""
    head = ["| difficulty of questions | questions | " + " | ".join(f"{r}: held, width" for r in RULES) + " | worst |"]
    lines = [*head, "|---|--:|" + "--:|" * (len(RULES) + 1)]
    for world, questions in product(WORLDS, QUESTIONS):
        found = [(n, m, x) for n in SAMPLES for m, x in covered(world, questions, n, tests)]
        cells = []
        for rule in RULES:
            held, width = (np.mean([x[rule][i] for _, _, x in found]) for i in (0, 1))
            least = min(x[rule][0] for _, _, x in found)
            cells.append(f"{100 * held:.1f}% (least {100 * least:.1f}%), {width:.3f}")
        n, metric, _ = min(found, key=lambda x: x[2]["howsure"][0])
        lines.append(f"| {world.name} | {questions} | {' | '.join(cells)} | {metric} of {n} |")
    return lines


def equal_lines(tests: int) -> list[str]:
    """One line for each law of difficulties and number of questions."""
    kinds = (("the same questions are hard", True), ("each its own", False))
    kinds_shown = " | ".join(f"{name}: howsure, before, t test" for name, _ in kinds)
    head = f"| difficulty of questions | questions | {kinds_shown} |"
    lines = [head, "|---|--:|--:|--:|"]
    for world, questions in product(WORLDS, QUESTIONS[:2]):
        cells = []
        for _, same in kinds:
            found = [equal_systems(world, questions, 10, parse(f"pass@{k}"), tests, same) for k in (1, 5)]
            cells.append("; ".join(", ".join(f"{100 * x:.1f}%" for x in y) for y in found))
        lines.append(f"| {world.name} | {questions} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    told: Any = parser.parse_args()
    lines = [
        *coverage_lines(told.tests), "",
        "Equal systems, 10 samples per question; pass@1, then pass@5:", "",
        *equal_lines(told.tests),
    ]  # fmt: skip
    print("\n".join(lines))
    if told.write:
        before, _, rest = PAGE.read_text().partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        PAGE.write_text(before + "\n".join([MARKS[0], "", *lines, "", MARKS[1]]) + after)


if __name__ == "__main__":
    main()
