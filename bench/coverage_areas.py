"""How often 95% intervals of curves cover up to a nearly perfect order: `.venv/bin/python bench/coverage_areas.py`.

Scores of three families (normal; positives of twice the spread; normal scores rounded to whole numbers, so that many
tie), true AUC from .6 to .999, and 10 + 10 to 200 + 800 items, as many positive ones first. For AP the class of an item
is random. `even` is what howsure does, `before` has all of the prior's weight beyond all scores, `bootstrap` is the
Bayesian bootstrap without a prior. Where the score is 1 an interval reaches up to 1. Two systems on the same items have
scores that correlate by .3 or .8. Equal ones are to differ clearly (P(better) beyond .025 or .975) in 5% of tests;
`power` is how often the better one of two is found. Cases of AUC and AP that leave .93 to .97 run again with more tests
and a fresh seed, and so do those that are known to be hard; a table has those outside the range then. A run in full
writes the study `areas` of src/howsure/data/coverage.json, and its section of docs/contributing/coverage.md.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import howsure as hs  # noqa: E402
from bench.coverage_data import Row, Study, Table, this_run  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402
from howsure.catalogue.retrieval import parse  # noqa: E402
from howsure.distributions.classical_tests import delong  # noqa: E402
from howsure.distributions.ranked import Cuts, order_of  # noqa: E402
from howsure.evidence.scored import Scored  # noqa: E402
from howsure.posteriors.score_control import pair_draws  # noqa: E402
from howsure.posteriors.score_samples import score_draws  # noqa: E402

Array = NDArray[np.float64]
Found = Mapping[Any, Any]  # what each case gave

SEED, TESTS, DRAWS = 61_403, 200, 800
LOW, HIGH, SEPARATED = 0.93, 0.97, 0.2  # cases that leave the range run again; HIGH where fewer separate perfectly
WEAK = (("auc", "unequal", 0.9), ("auc", "unequal", 0.97))  # run again as well: known to be hard
AGAIN, PAIRS = 5, 2  # times as many tests: of these, and of two systems
FAMILIES = ("normal", "unequal", "ties")
AREAS = (0.6, 0.75, 0.9, 0.97, 0.99, 0.998, 0.999)
SIZES = ((10, 10), (10, 90), (20, 100), (100, 20), (50, 50), (50, 200), (200, 800))
PAIRED = ((10, 10), (20, 100), (50, 50), (50, 200), (200, 800))
APART = {0.75: 0.09, 0.9: 0.06, 0.97: 0.025, 0.99: 0.009}  # of two AUCs with 50 items in the smaller class
ALIKE = (0.3, 0.8)
METHODS = {"auc": ("even", "before", "DeLong"), "AP": ("even", "before", "bootstrap")}
POINTS_OF_CURVES = ("max-f1", "recall@fallout=0.1", "precision@recall=0.9")
FIGURES = ("mean", "lowest", "score outside 10-90%", "width")
ALL_FIGURES = ("mean", "lowest", "below .93", "above .97", "score outside 10-90%, highest", "width")
PAIR_FIGURES = ("equal: mean", "equal: highest", "power", "power below DeLong's, most")
POINTS = 20_000  # of each class, for the true AP
KEPT = HERE.parent / "build" / "coverage_areas.pickle"
TAILS = (0.025, 0.1, 0.9, 0.975)


# -- scores


def apart(family: str, area: float) -> float:
    """Return the distance of the two classes."""
    if family == "ties":
        k = np.arange(-9, 16)
        cdf = ndtr(np.array([k - 0.5, k + 0.5]))

        def off(d: float) -> float:
            here = ndtr(k + 0.5 - d) - ndtr(k - 0.5 - d)
            return float(here @ cdf.mean(axis=0)) - area

        return float(brentq(off, 0.0, 8.0))
    return float(ndtri(area) * np.sqrt(5.0 if family == "unequal" else 2.0))


def turned(family: str, normal: Array, y: NDArray[np.bool_], d: float) -> Array:
    """Return the scores of items from standard normal numbers."""
    found = normal * np.where(y, 2.0 if family == "unequal" else 1.0, 1.0) + d * y
    return np.round(found) if family == "ties" else found


def true_value(name: str, family: str, d: float, share: float) -> float:
    """Return the metric of the population, by its quantiles."""
    y = np.arange(2 * POINTS) < POINTS
    x = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    order = order_of(y, turned(family, np.concatenate([x, x]), y, d))
    cuts = Cuts.weigh(order, np.full((1, POINTS), share), np.full((1, POINTS), 1.0 - share))
    return float(parse(name).evaluate(cuts)[0])


def sampled(rng: np.random.Generator, case: tuple[str, float, tuple[int, int], int], fixed: bool) -> Scored:
    """Return a sample, the number of positive items fixed or random."""
    family, area, (p, n), _ = case
    positives = p if fixed else np.clip(rng.binomial(p + n, p / (p + n)), 2, p + n - 2)
    y = np.arange(p + n) < positives
    return Scored(y, turned(family, rng.normal(size=p + n), y, apart(family, area))[:, None])


# -- one system


def plain(c: Cuts) -> Cuts:
    """Return the same draws without the prior's weight."""
    up, down = c.up - c.up[:, :1], c.down - c.down[:, :1]
    return replace(c, up=up, down=down, positives=up[:, -1], negatives=down[:, -1], near=None)


def intervals(d: Scored, name: str, seed: int) -> dict[str, Array]:
    """Return four quantiles of each method."""
    drawn, m = score_draws(hs.posterior(d, seed=seed)), parse(name)

    def three(c: Cuts) -> Array:
        return np.stack([m.evaluate(x) for x in (c.for_areas, c, plain(c))])

    found = np.quantile(drawn.through(three, DRAWS, seed)[0], TAILS, axis=1, method="weibull").T
    out = dict(zip(("even", "before", "bootstrap"), found, strict=True))
    if name == "auc":
        value, covariance = delong(d.truth, d.scores)
        out["DeLong"] = value[0] + np.sqrt(covariance[0, 0]) * ndtri(TAILS)
    return out


def one_system(
    case: tuple[str, float, tuple[int, int], int], names: tuple[str, ...] = tuple(METHODS), seed: int = SEED
) -> dict[tuple[str, str], Array]:
    """Return of each metric and method: coverage, score outside, width; and the share of perfect scores."""
    family, area, (p, n), tests = case
    rng = np.random.default_rng([seed, FAMILIES.index(family), AREAS.index(area), p, n])
    true = {"auc": area, "AP": true_value("AP", family, apart(family, area), p / (p + n))}
    found: dict[tuple[str, str], list[Any]] = {}
    for k in range(tests):
        for name in names:
            items = sampled(rng, case, fixed=name == "auc")
            score = float(hs.posterior(items).point(name))
            for method, (low, a, b, high) in intervals(items, name, k).items():
                if method in METHODS[name]:
                    top = 1.0 if score == 1.0 and method in ("even", "before") else high
                    off = score < 1.0 and not a <= score <= b
                    held = low <= true[name] <= top
                    found.setdefault((name, method), []).append((held, off, top - low, score == 1.0))
    return {k: np.mean(x, axis=0) for k, x in found.items()}


def once_more(case: tuple[str, tuple[str, float, tuple[int, int], int]]) -> dict[tuple[str, str], Array]:
    """Return one metric of a case with a fresh seed."""
    return one_system(case[1], (case[0],), SEED + 1)


def at_points(case: tuple[str, float, tuple[int, int], int]) -> dict[tuple[str, str], Array]:
    """Return the same of the best F1 and of points of the curves."""
    family, area, (p, n), tests = case
    rng = np.random.default_rng([SEED, 2, FAMILIES.index(family), AREAS.index(area), p, n])
    metrics = [parse(x) for x in POINTS_OF_CURVES]
    true = [true_value(x, family, apart(family, area), p / (p + n)) for x in POINTS_OF_CURVES]
    found: dict[tuple[str, str], list[Any]] = {}
    for k in range(tests):
        items = sampled(rng, case, fixed=False)
        for method, prior in (("even", "even"), ("bootstrap", "none")):
            posterior = hs.posterior(items, prior, seed=k)
            draws = score_draws(posterior).of(metrics, DRAWS, k)
            for name, value, x in zip(POINTS_OF_CURVES, true, draws, strict=True):
                low, a, b, high = np.quantile(x[:, 0], TAILS, method="weibull")
                score = float(posterior.point(name))
                top = 1.0 if score == 1.0 and method == "even" else high
                off = score < 1.0 and not a <= score <= b
                found.setdefault((name, method), []).append((low <= value <= top, off, top - low, score == 1.0))
    return {k: np.mean(x, axis=0) for k, x in found.items()}


# -- two systems


def clear(d: Scored, seed: int) -> dict[str, float]:
    """Return P(the first is better) of each method."""
    p, m = hs.posterior(d, seed=seed), parse("auc")
    pair, joint = pair_draws(p, m), score_draws(p)
    new = pair.of([m], DRAWS, seed)[0].T
    old = joint.through(m.evaluate, DRAWS, seed)
    value, covariance = delong(d.truth, d.scores)
    side = np.array([1.0, -1.0])
    error = float(np.sqrt(max(0.0, side @ covariance @ side)))
    usual = float(ndtr((value[0] - value[1]) / error)) if error else 0.5
    shares = {k: float((x[0] > x[1]).mean() + 0.5 * (x[0] == x[1]).mean()) for k, x in (("even", new), ("before", old))}
    return shares | {"DeLong": usual}


def two_systems(case: tuple[float, float, tuple[int, int], int]) -> dict[str, Array]:
    """Return of each method how often equal systems differ clearly, and how often the better one is found."""
    area, alike, (p, n), tests = case
    rng = np.random.default_rng([SEED, 1, int(1000 * area), int(10 * alike), p, n])
    y = np.arange(p + n) < p
    gap = APART[area] * np.sqrt(50 / min(p, n)) * (0.6 if alike > 0.5 else 1.0)
    high = min(area + gap / 2, 0.9995)
    found: dict[str, list[tuple[bool, bool]]] = {}
    for k in range(tests):
        shares = []
        for pair in ((area, area), (high, high - gap)):
            common = np.sqrt(alike) * rng.normal(size=p + n)
            noise = np.sqrt(1.0 - alike) * rng.normal(size=(2, p + n))
            scores = [turned("normal", common + e, y, apart("normal", a)) for e, a in zip(noise, pair, strict=True)]
            shares.append(clear(Scored(y, np.column_stack(scores), systems=("a", "b")), k))
        for method, equal in shares[0].items():
            found.setdefault(method, []).append((not 0.025 <= equal <= 0.975, shares[1][method] > 0.975))
    return {k: np.mean(x, axis=0) for k, x in found.items()}


# -- the study


def tables(tests: int, workers: int, until: float) -> dict[str, Table] | None:
    """Simulate every case; None if the time does not suffice, and the next run goes on."""
    fewer = {(200, 800): max(1, tests // 2)}
    cases = [(f, a, s, fewer.get(s, tests)) for a, f, s in product(AREAS, FAMILIES, SIZES)]
    pairs = [(a, r, s, PAIRS * fewer.get(s, tests)) for a, r, s in product(APART, ALIKE, PAIRED)]
    single = measured("one", one_system, cases, workers, until)
    if len(single) < len(cases):
        return None
    doubtful = [
        (m, (*c[:3], AGAIN * c[3]))
        for m in METHODS
        for c, x in single.items()
        if outside(*x[m, "even"][[0, 3]]) or (m, *c[:2]) in WEAK
    ]
    again = measured("again", once_more, doubtful, workers, until)
    points = measured("points", at_points, cases, workers, until)
    double = measured("two", two_systems, pairs, workers, until)
    if len(again) < len(doubtful) or len(points) < len(cases) or len(double) < len(pairs):
        return None
    out = {"all cases": Table(ALL_FIGURES, _in_all(single, again, points))}
    out |= {name: Table(FIGURES, _by_area(single, name, METHODS[name])) for name in METHODS}
    out["outside .93 to .97 in the longer run"] = Table(("coverage",), _again_rows(again))
    out |= {name: Table(FIGURES, _by_area(points, name, ("even", "bootstrap"))) for name in POINTS_OF_CURVES}
    return out | {"two systems": Table(PAIR_FIGURES, _pair_rows(double))}


def outside(coverage: float, separated: float) -> bool:
    """Whether a coverage leaves what it should be."""
    return bool(coverage < LOW or (coverage > HIGH and separated < SEPARATED))


def _in_all(single: Found, again: Found, points: Found) -> list[Row]:
    """Return figures of all cases, a row for each metric and method."""
    groups: dict[tuple[str, str], dict[Any, Array]] = {}
    for c, found in (*single.items(), *points.items()):
        for (name, method), x in found.items():
            groups.setdefault((name, method), {})[c] = x
    for (name, c), found in again.items():
        groups.setdefault((f"{name}, longer run", "even"), {})[c] = found[name, "even"]
    rows = []
    for (name, method), here in groups.items():
        held, off, width, perfect = np.array([*here.values()]).T
        few = perfect < SEPARATED
        figures = (held.mean(), held.min(), (held < LOW).mean(), (few & (held > HIGH)).mean(), off.max(), width.mean())
        case = {"metric": name, "interval": method}
        cell = [round(float(x), 3) for x in figures]
        rows.append(Row(case, "", sorted({c[-1] for c in here}), {"all cases": cell}, cases=len(here)))
    return rows


def _by_area(found: Found, name: str, methods: tuple[str, ...]) -> list[Row]:
    rows = []
    for area in AREAS:
        here = {c: x for c, x in found.items() if c[1] == area}
        tests = sorted({c[-1] for c in here})
        for method in methods:
            held, off, width, _ = np.array([x[name, method] for x in here.values()]).T
            cell = [round(float(x), 3) for x in (held.mean(), held.min(), off.mean(), width.mean())]
            rows.append(Row({"true auc": area}, method, tests, {name: cell}, cases=len(here)))
    return rows


def _again_rows(found: Found) -> list[Row]:
    """Return the cases that leave the range in the second run too."""
    rows = []
    for (name, (family, area, (p, n), tests)), x in found.items():
        if outside(*x[name, "even"][[0, 3]]):
            case = {"metric": name, "scores": family, "true auc": area, "items": f"{p} + {n}"}
            rows += [Row(case, m, [tests], {"coverage": [round(float(x[name, m][0]), 3)]}) for m in ("even", "before")]
    return rows


def _pair_rows(found: Found) -> list[Row]:
    """Return figures of pairs by area and correlation, and of all."""
    rows = []
    for area, alike in (*product(APART, ALIKE), ("all", "all")):
        here = {c: x for c, x in found.items() if area == "all" or c[:2] == (area, alike)}
        usual = np.array([x["DeLong"][1] for x in here.values()])
        for method in ("even", "before", "DeLong"):
            equal, power = np.array([x[method] for x in here.values()]).T
            cell = [round(float(x), 3) for x in (equal.mean(), equal.max(), power.mean(), (usual - power).max())]
            case = {"true auc": area, "correlation": alike}
            rows.append(Row(case, method, sorted({c[-1] for c in here}), {"difference": cell}, cases=len(here)))
    return rows


def measured(name: str, simulate: Callable[[Any], Any], cases: list[Any], workers: int, until: float) -> dict[Any, Any]:
    """Return what each case gave, kept in a file from run to run."""
    KEPT.parent.mkdir(exist_ok=True)
    kept = pickle.loads(KEPT.read_bytes()) if KEPT.exists() else {}
    left = [c for c in cases if (name, c) not in kept]
    with ProcessPoolExecutor(workers) as pool:
        while left and time.monotonic() < until:
            now, left = left[: 2 * workers], left[2 * workers :]
            kept |= dict(zip(((name, c) for c in now), pool.map(simulate, now), strict=True))
            KEPT.write_bytes(pickle.dumps(kept))
            print(f"  … {name}: {len(left)} left", file=sys.stderr, flush=True)
    return {c: kept[name, c] for c in cases if (name, c) in kept}


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of AUC, AP and points of curves; about an hour.")
    parser.add_argument("--tests", type=int, default=TESTS, help="simulated tests a case; fewer make a short run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after about so many; the next run goes on")
    add_root(parser)
    options = parser.parse_args()
    found = tables(options.tests, options.workers, time.monotonic() + 60.0 * options.minutes)
    if found is None:
        print(f"Not all cases are done; {KEPT} keeps what is.", file=sys.stderr)
        return
    part = Study("bench/coverage_areas.py", this_run(), found, {})
    publish(options.root, "areas", part, full=options.tests >= TESTS)
    KEPT.unlink()


if __name__ == "__main__":
    main()
