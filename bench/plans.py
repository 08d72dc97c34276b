"""Whether planned numbers of items reach their goals: `nice .venv/bin/python -m bench.plans` (about two minutes).

Each case makes a plan, then fresh tests of so many items, and judges each as its data will be: by the laws of the
package, or for graded items by another route to the same law. Populations are made here, by other code than the plan's.
Beside it stands the size of textbooks: the normal formula with the standard error of the linear part of the measure,
at the expected shares or those of the pilot, for the same power; for a width, the n whose usual width is so much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import howsure as hs
from bench.coverage_graded import _ap, below, with_gaps
from bench.coverage_prediction import PATTERNS

Array = NDArray[np.float64]
Rng = np.random.Generator
Test = Callable[[Rng, int, int], NDArray[np.bool_]]  # generator, items, tests: which reach the goal

SEED: Final = 20_261_116
TESTS: Final = 2000
Z, Z95, Z80 = (float(ndtri(x)) for x in (0.975, 0.95, 0.8))


@dataclass(frozen=True)
class Case:
    """What is asked of hs.plan, how tests of n items are made and judged, and the textbook's n."""

    asked: dict[str, Any]
    test: Test
    textbook: float
    tests: int = TESTS


@dataclass(frozen=True)
class Found:
    """A plan, and the shares of fresh tests that reach its goal with its n and with the textbook's."""

    n: int
    assurance: float
    reached: float
    textbook: int
    by_textbook: float
    tests: int

    @property
    def slack(self) -> float:
        """Three standard errors of the share of tests."""
        return float(3.0 * (self.assurance * (1.0 - self.assurance) / self.tests) ** 0.5)


def run(case: Case, seed: int = SEED) -> Found:
    """Make the plan, then the tests."""
    shown = {"level": 0.9} if "difference" in case.asked else {}  # better from 0.95 on, as in a one-sided test at 0.05
    made = hs.plan(**case.asked, **shown)
    rng, usual = np.random.default_rng([seed, made.n]), int(np.ceil(case.textbook))
    reached, by_textbook = (float(case.test(rng, n, case.tests).mean()) for n in (made.n, usual))
    return Found(made.n, made.assurance, reached, usual, by_textbook, case.tests)


# -- populations: shares of tp, fp, fn, tn


def cells(recall: float, precision: float, prevalence: float) -> Array:
    """Of a system with these measures."""
    tp = recall * prevalence
    fp = tp * (1 - precision) / precision
    return np.array([tp, fp, prevalence - tp, 1 - prevalence - fp])


def f1(shares: Array) -> Array:
    """Of tables (..., 4)."""
    tp, fp, fn, _ = np.moveaxis(shares, -1, 0)
    return np.asarray(2 * tp / (2 * tp + fp + fn))


def phi(shares: Array) -> Array:
    """Of tables (..., 4)."""
    tp, fp, fn, tn = np.moveaxis(shares, -1, 0)
    return np.asarray((tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def solved(gap: Callable[[Array], Array], wanted: float, most: Array) -> Array:
    """Where a rising function of a step has a value: by bisection between 0 and `most`."""
    low, high = np.zeros_like(most), most
    for _ in range(60):
        middle = (low + high) / 2
        enough = gap(middle) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def worse(shares: Array, by: float, measure: Callable[[Array], Array] = f1) -> Array:
    """A system with more false positives and more misses, by one factor, whose measure is lower by so much."""
    tp, fp, fn, tn = shares

    def other(more: Array) -> Array:
        return np.stack([tp - more * fn, fp + more * fp, fn + more * fn, tn - more * fp], axis=-1)

    most = np.array(min(tp / fn, tn / fp) * (1 - 1e-9))
    return other(solved(lambda x: measure(shares) - measure(other(x)), by, most))


def together(first: Array, second: Array, disagreement: float) -> Array:
    """Shares of PATTERNS of two systems that disagree so often.

    The second is right on one part of the errors of the first, the same of misses and of false positives.
    """
    tp, fp, fn, tn = first
    fp2, fn2 = second[1], second[2]
    part = (disagreement - (fp2 + fn2 - fp - fn)) / (2 * (fp + fn))
    out = {}
    for truth, right, wrong, wrong2 in ((1, tp, fn, fn2), (0, tn, fp, fp2)):
        mended = part * wrong
        broken = wrong2 - wrong + mended
        yes, no = truth, 1 - truth
        out |= {(truth, yes, yes): right - broken, (truth, yes, no): broken, (truth, no, yes): mended,
                (truth, no, no): wrong - mended}  # fmt: skip
    return np.array([out[x] for x in PATTERNS])


RIGHT: Final = np.array([[y == a, y == b] for y, a, b in PATTERNS])


def single(joint: Array, which: int) -> Array:
    """The four cells of one of two systems, from shares (..., 8)."""
    at = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}
    out = np.zeros((*joint.shape[:-1], 4))
    for i, pattern in enumerate(PATTERNS):
        out[..., at[pattern[0], pattern[1 + which]]] += joint[..., i]
    return out


def favoured(joint: Array, by: float) -> Array:
    """Shares (worlds, 8) that disagree as before, the first better by so much in F1."""
    mirror = [PATTERNS.index((y, b, a)) for y, a, b in PATTERNS]
    even, lean = (joint + joint[:, mirror]) / 2, RIGHT[:, 0].astype(float) - RIGHT[:, 1]

    def at(step: Array) -> Array:
        return np.asarray(even * (1 + step[:, None] * lean))

    return at(solved(lambda x: f1(single(at(x), 0)) - f1(single(at(x), 1)), by, np.ones(len(joint))))


# -- textbook sizes


def spread(measure: Callable[[Array], Array], shares: Array) -> float:
    """The standard deviation of an item's part in a measure."""
    slope = np.array([(measure(shares + d) - measure(shares - d)) / 2e-6 for d in 1e-6 * np.eye(len(shares))])
    return float(np.sqrt((shares * slope**2).sum() - (shares * slope).sum() ** 2))


def of_width(sd: float, width: float) -> float:
    """The n at which the usual interval is so wide."""
    return (2 * Z * sd / width) ** 2


def of_power(sd: float, gap: float) -> float:
    """One-sided 0.05, power 0.8."""
    return ((Z95 + Z80) * sd / gap) ** 2


# -- tests


def tally(counts: NDArray[np.int64]) -> hs.Tally:
    """Tables (tests, 4) as a batch."""
    tp, fp, fn, tn = counts.T
    return hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)


def rates(truth: Callable[[Rng, int], Any], judge: Callable[[Any], NDArray[np.bool_]]) -> Test:
    """Of passes and fails."""
    return lambda rng, n, many: judge(
        hs.posterior(hs.Tally.rate(hits=rng.binomial(n, truth(rng, many), many), of=n))["rate"]
    )


def tables(worlds: Callable[[Rng, int], Array], metric: str, judge: Callable[[Any], NDArray[np.bool_]]) -> Test:
    """Of one system."""
    return lambda rng, n, many: judge(
        hs.posterior(tally(rng.multinomial(n, worlds(rng, many), many)), tolerance=0.1)[metric]
    )


def at_most(width: float) -> Callable[[Any], NDArray[np.bool_]]:
    return lambda law: np.asarray(law.interval().width) <= width


def over(limit: float) -> Callable[[Any], NDArray[np.bool_]]:
    return lambda law: np.asarray(law.sf(limit)) >= 0.95


def two_tests(one: Any, two: Any, metric: str = "f1") -> Test:
    """Two systems on items of their own: their rates, or the shares of their cells."""

    def test(rng: Rng, n: int, many: int) -> NDArray[np.bool_]:
        made: Any = [
            hs.Tally.rate(hits=rng.binomial(n, x, many), of=n)
            if metric == "rate"
            else tally(rng.multinomial(n, x, many))
            for x in (one, two)
        ]
        return np.asarray(hs.compare(*made, metric=metric).difference.sf(0.0)) >= 0.95

    return test


def pairs(worlds: Callable[[Rng, int], Array]) -> Test:
    """F1 of two systems on the same items."""

    def test(rng: Rng, n: int, many: int) -> NDArray[np.bool_]:
        counts = rng.multinomial(n, worlds(rng, many), many)
        return np.asarray(hs.compare(joint(counts), metric="f1").difference.sf(0.0)) >= 0.95

    return test


def joint(counts: NDArray[np.int64]) -> hs.Tally:
    """Two systems: one table (8,), or a batch (tests, 8)."""
    batch = (("test", range(len(counts))),) if counts.ndim > 1 else ()
    return hs.Tally(cells=np.array(PATTERNS), counts=counts, systems=("a", "b"), labels=(0, 1), positive=1, batch=batch)


def rate_pairs(one: float, two: float, disagreement: float) -> Test:
    """Passes and fails of two systems on the same items."""
    gap = one - two
    shares = [(disagreement - gap) / 2, (disagreement + gap) / 2]  # right: the second alone, the first alone
    shares = [1 - two - shares[1], *shares, one - shares[1]]

    def test(rng: Rng, n: int, many: int) -> NDArray[np.bool_]:
        counts = rng.multinomial(n, shares, many)
        both = hs.Outcomes(
            cells=np.array([(0, 0), (0, 1), (1, 0), (1, 1)]), counts=counts, systems=("a", "b"),
            batch=(("test", range(many)),),
        )  # fmt: skip
        return np.asarray(hs.compare(both).difference.sf(0.0)) >= 0.95

    return test


def queries(gaps: Array, by: float) -> Test:
    """Graded differences: queries of the pilot with weights of the Bayesian bootstrap, moved to the difference."""

    def test(rng: Rng, n: int, many: int) -> NDArray[np.bool_]:
        weights = rng.dirichlet(np.ones(len(gaps)), many)
        x = np.stack([rng.choice(gaps, n, p=w) + by - w @ gaps for w in weights])
        return below(*with_gaps(x, "even"), at=np.zeros(many)) <= 0.05

    return test


def clusters(hits: NDArray[np.int64], of: NDArray[np.int64], width: float) -> Test:
    """Outcomes in clusters of the pilot, with weights of the Bayesian bootstrap."""

    def test(rng: Rng, n: int, many: int) -> NDArray[np.bool_]:
        out = np.zeros(many, dtype=bool)
        for i in range(many):
            at = rng.choice(len(hits), n, p=rng.dirichlet(np.ones(len(hits))))
            found = hs.posterior(hs.Clustered.of({"a": hs.Outcomes.rate(hits=hits[at], of=of[at])}))
            out[i] = found["rate"].interval().width <= width
        return out

    return test


# -- the cases

EXPECTED: Final = {"recall": 0.8, "precision": 0.7, "prevalence": 0.1}
USUAL: Final = {"recall": 0.85, "precision": 0.8, "prevalence": 0.4}
TABLE, BALANCED = cells(**EXPECTED), cells(**USUAL)
PILOT: Final = np.array([80, 20, 30, 870])
JOINT_PILOT: Final = np.array([330, 12, 20, 18, 14, 10, 16, 80])  # of PATTERNS


def fixed(shares: Any) -> Callable[[Rng, int], Any]:
    """A population that is known."""
    return lambda _rng, _many: shares


def after(counts: Any, weight: float) -> Callable[[Rng, int], Array]:
    """Populations that a pilot leaves open; `weight` is the prior's on every count."""
    return lambda rng, many: rng.dirichlet(np.asarray(counts) + weight, many)


def of_one() -> dict[str, Case]:
    """Widths and claims of one system."""
    f, p, rate = spread(f1, TABLE), spread(f1, PILOT / 1000), {"rate": 0.8}
    pilot = hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), PILOT.tolist(), strict=True)))
    small = hs.Tally.rate(hits=40, of=50)
    shown = (Z95 * (0.75 * 0.25) ** 0.5 + Z80 * 0.4) ** 2 / 0.05**2
    base = {"metric": "f1", "expected": EXPECTED}
    return {
        "rate 0.8, width 0.1": Case(
            {"expected": rate, "width": 0.1}, rates(fixed(0.8), at_most(0.1)), of_width(0.4, 0.1)),
        "rate, pilot of 40 in 50, width 0.2": Case(
            {"pilot": small, "width": 0.2}, rates(lambda r, m: r.beta(41, 11, m), at_most(0.2)), of_width(0.4, 0.2)),
        "rate 0.8 above 0.75": Case({"expected": rate, "above": 0.75}, rates(fixed(0.8), over(0.75)), shown),
        "F1 0.747, width 0.1": Case(
            base | {"width": 0.1}, tables(fixed(TABLE), "f1", at_most(0.1)), of_width(f, 0.1)),
        "the same, assurance 0.95": Case(
            base | {"width": 0.1, "assurance": 0.95}, tables(fixed(TABLE), "f1", at_most(0.1)), of_width(f, 0.1)),
        "F1, pilot of 1,000, width 0.1": Case(
            {"metric": "f1", "pilot": pilot, "width": 0.1}, tables(after(PILOT, 0.5), "f1", at_most(0.1)),
            of_width(p, 0.1)),
        "F1 0.747 above 0.7": Case(
            base | {"above": 0.7}, tables(fixed(TABLE), "f1", over(0.7)), of_power(f, float(f1(TABLE)) - 0.7)),
        "F1, pilot of 1,000, above 0.7": Case(
            {"metric": "f1", "pilot": pilot, "above": 0.7}, tables(after(PILOT, 0.5), "f1", over(0.7)),
            of_power(p, 160 / 210 - 0.7)),
        "phi 0.72, width 0.1": Case(
            {"metric": "phi", "expected": EXPECTED, "width": 0.1}, tables(fixed(TABLE), "phi", at_most(0.1)),
            of_width(spread(phi, TABLE), 0.1)),
    }  # fmt: skip


def of_two() -> dict[str, Case]:
    """Differences, on items of their own and on the same."""
    two, near = worse(TABLE, 0.05), worse(BALANCED, 0.05)
    both, phi_two = together(TABLE, two, 0.04), worse(TABLE, 0.1, phi)

    def apart(one: Array, other: Array, measure: Callable[[Array], Array], by: float) -> float:
        return of_power(float(np.hypot(spread(measure, one), spread(measure, other))), by)

    def gap(shares: Array) -> Array:
        return f1(single(shares, 0)) - f1(single(shares, 1))

    middle = favoured((JOINT_PILOT / JOINT_PILOT.sum())[None], 0.05)[0]
    mcnemar = (Z95 * 0.15**0.5 + Z80 * (0.15 - 0.05**2) ** 0.5) ** 2 / 0.05**2
    return {
        "rates 0.8 and 0.75, apart": Case(
            {"expected": {"rate": 0.8}, "difference": 0.05}, two_tests(0.8, 0.75, "rate"),
            (Z95 + Z80) ** 2 * 0.3475 / 0.05**2),
        "rates, same items, 15% disagree": Case(
            {"expected": {"rate": 0.8}, "difference": 0.05, "disagreement": 0.15}, rate_pairs(0.8, 0.75, 0.15),
            mcnemar),
        "F1 by 0.05, apart": Case(
            {"metric": "f1", "expected": EXPECTED, "difference": 0.05}, two_tests(TABLE, two),
            apart(TABLE, two, f1, 0.05)),
        "F1 by 0.05, apart, 40% positive": Case(
            {"metric": "f1", "expected": USUAL, "difference": 0.05}, two_tests(BALANCED, near),
            apart(BALANCED, near, f1, 0.05)),
        "F1 by 0.15, apart, 40% positive": Case(
            {"metric": "f1", "expected": USUAL, "difference": 0.15}, two_tests(BALANCED, worse(BALANCED, 0.15)),
            apart(BALANCED, worse(BALANCED, 0.15), f1, 0.15)),
        "F1 by 0.05, same items, 4% disagree": Case(
            {"metric": "f1", "expected": EXPECTED, "difference": 0.05, "disagreement": 0.04}, pairs(fixed(both)),
            of_power(spread(gap, both), 0.05)),
        "F1 by 0.05, pilot of 500 with both": Case(
            {"metric": "f1", "pilot": joint(JOINT_PILOT), "difference": 0.05},
            pairs(lambda r, m: favoured(after(JOINT_PILOT, 0.25)(r, m), 0.05)), of_power(spread(gap, middle), 0.05)),
        "phi by 0.1, apart": Case(
            {"metric": "phi", "expected": EXPECTED, "difference": 0.1}, two_tests(TABLE, phi_two, "phi"),
            apart(TABLE, phi_two, phi, 0.1), 500),
    }  # fmt: skip


def of_units() -> dict[str, Case]:
    """Graded items and clusters: the pilots are drawn once."""
    rng = np.random.default_rng(50)
    runs = _ap(rng, 50, 0.02)
    gaps = runs[:, 0] - runs[:, 1]
    of = rng.integers(3, 13, 80)
    hits = rng.binomial(of, rng.beta(4, 1, 80))
    rate = hits.sum() / of.sum()
    sd = float(gaps.std(ddof=1))
    each = float(np.std((hits - rate * of) / of.mean()))
    made = hs.graded({"a": runs[:, 0], "b": runs[:, 1]})
    return {
        "AP by 0.03, pilot of 50 queries": Case(
            {"pilot": made, "difference": 0.03}, queries(gaps, 0.03), of_power(sd, 0.03)),
        "AP by 0.06, pilot of 50 queries": Case(
            {"pilot": made, "difference": 0.06}, queries(gaps, 0.06), of_power(sd, 0.06)),
        "rate in clusters, pilot of 80, width 0.1": Case(
            {"pilot": hs.Clustered.of({"a": hs.Outcomes.rate(hits=hits, of=of)}), "width": 0.1},
            clusters(hits, of, 0.1), of_width(each, 0.1), 1000),
    }  # fmt: skip


def cases() -> dict[str, Case]:
    """All of them."""
    return of_one() | of_two() | of_units()


def main() -> None:
    """The table of docs/how-to/plan.md."""
    print("| plan | n | assurance | reached | textbook n | reached |\n|---|---:|---:|---:|---:|---:|")
    for name, case in cases().items():
        x = run(case)
        shares = f"{x.assurance:g} | {x.reached:.3f} | {x.textbook:,} | {x.by_textbook:.3f}"
        print(f"| {name} | {x.n:,} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
