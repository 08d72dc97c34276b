"""How often 95% intervals hold the true value, in simulated tests: `.venv/bin/python bench/coverage.py`; see --help.

The draws, laws and intervals are howsure's own. A draw of tables serves every measure, and few draws are taken (the
places of the ends are corrected for their number). Every case has a seed of its own, none of them used to choose the
pooled prior. Results are kept case by case in a file, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import howsure as hs  # noqa: E402
from howsure import priors  # noqa: E402
from howsure.catalogue import parse  # noqa: E402
from howsure.model import classes  # noqa: E402

PAGE = HERE.parent / "docs" / "coverage.md"
KEPT = HERE.parent / "build" / "coverage.json"
MARKS = "<!-- results: written by bench/coverage.py -->", "<!-- end of results -->"

Array = NDArray[np.float64]
Cells = dict[str, Array]

SEED = 640_277
DRAWS, RESAMPLES = 400, 800
TAILS = (0.025, 0.975)
LOW, HIGH = 0.93, 0.97
EQUAL = ("macro-f1", "macro-precision", "macro-recall", "f1-of-means", "informedness", "markedness")
SHARED = ("weighted-f1", "kappa", "phi")
PER_CLASS = ("precision", "recall", "f1")
ALL = ("accuracy", *EQUAL, *SHARED)
COLUMNS = (*ALL, *(f"{x}:class" for x in PER_CLASS))
WHY = ("many", "rare", "never")
METHODS = ("even", "even, not pooled", "jeffreys", "uniform", "two-level", "percentile", "BCa",
           "confidenceinterval", "prob_conf_mat")  # fmt: skip


# -- the true tables -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A true table and a number of items: K classes, m items a class on average."""

    k: int
    sizes: str  # balanced, zipf, dominated
    errors: str  # spread over all classes, concentrated on one, popular: as the answers are
    rates: str  # same, rare: rare classes up to four times as hard, lost: a fifth of the classes is never right
    accuracy: float
    m: int

    @property
    def key(self) -> str:
        return f"{self.k}/{self.sizes}/{self.errors}/{self.rates}/{self.accuracy:g}/{self.m}"

    @property
    def n(self) -> int:
        return self.k * self.m

    def table(self) -> Array:
        """Probabilities of truth (rows) and answer."""
        k, at = self.k, np.arange(self.k)
        share = {"balanced": np.ones(k), "zipf": 1.0 / (1 + at), "dominated": np.where(at == 0, 19.0 * (k - 1), 1.0)}
        size = share[self.sizes] / share[self.sizes].sum()
        wrong = 1.0 + 3.0 * at / (k - 1) if self.rates == "rare" else np.ones(k)
        for _ in range(60):
            wrong = np.minimum(wrong * (1 - self.accuracy) / max(wrong @ size, 1e-300), 0.9)
        if self.rates == "lost":
            wrong = np.where(at % 5 == 4, 1.0, 1 - self.accuracy)
        to = np.ones((k, k))
        if self.errors == "concentrated":
            to = np.full((k, k), 0.1 / (k - 1))
            to[at, (at + 1) % k] += 0.9
        elif self.errors == "popular":
            to = np.tile(size, (k, 1))
        np.fill_diagonal(to, 0.0)
        table = wrong[:, None] * to / to.sum(axis=1, keepdims=True)
        np.fill_diagonal(table, 1 - wrong)
        return np.asarray(table * size[:, None])


def grid() -> list[Case]:
    """The cases asked for; accuracy and hardness of rare classes change from case to case."""
    found = []
    levels = (2, 3, 5, 10, 20, 50), ("balanced", "zipf"), ("spread", "concentrated"), (3, 10, 50)
    for at in itertools.product(*(range(len(x)) for x in levels)):
        k, sizes, errors, m = (x[i] for x, i in zip(levels, at, strict=True))
        accuracy = (0.6, 0.8, 0.95)[sum(at) % 3]
        found.append(Case(k, sizes, errors, ("same", "rare")[(at[0] + at[1] + at[3]) % 2], accuracy, m))
    return found


def corners() -> list[Case]:
    """What the grid leaves out."""
    many = [Case(100, s, "spread", "same", a, m) for s in ("balanced", "zipf") for a, m in ((0.6, 3), (0.9, 10))]
    edge = [Case(50, s, e, "same", 0.8, m) for s in ("balanced", "zipf") for e, m in (("spread", 5), ("popular", 20))]
    lost = [Case(k, s, "spread", "lost", 0.95, m) for k in (5, 20) for s in ("balanced", "zipf") for m in (3, 10, 50)]
    good = [Case(k, "balanced", "spread", "same", a, 10) for k in (3, 10) for a in (0.99, 0.999, 1.0)]
    one = [Case(k, "dominated", e, "same", 0.9, m) for k in (3, 10) for e in ("spread", "popular") for m in (10, 50)]
    drawn = [Case(k, "zipf", "popular", "rare", 0.7, m) for k in (5, 20) for m in (3, 10, 50)]
    return many + edge + lost + good + one + drawn


def warned_cases() -> list[Case]:
    """Tables that were not looked at when the warnings were drawn up, about half of which should have one."""
    found = [
        (50, "zipf", "concentrated", "same", 0.7, 4), (50, "balanced", "spread", "rare", 0.7, 8),
        (80, "zipf", "popular", "same", 0.8, 6), (80, "balanced", "spread", "same", 0.7, 10),
        (120, "zipf", "spread", "same", 0.8, 5), (6, "dominated", "spread", "same", 0.9, 20),
        (15, "dominated", "concentrated", "same", 0.85, 10), (30, "dominated", "popular", "same", 0.9, 20),
        (10, "balanced", "spread", "lost", 0.9, 10), (10, "zipf", "spread", "lost", 0.9, 20),
        (30, "balanced", "concentrated", "lost", 0.95, 10), (30, "balanced", "spread", "same", 0.7, 5),
        (30, "zipf", "concentrated", "rare", 0.8, 10), (40, "zipf", "spread", "same", 0.8, 5),
        (40, "zipf", "spread", "same", 0.6, 12), (8, "zipf", "spread", "same", 0.9, 5),
        (15, "zipf", "popular", "same", 0.7, 20), (30, "zipf", "spread", "same", 0.9, 20),
    ]  # fmt: skip
    return [Case(*x) for x in found]


# -- measures --------------------------------------------------------------------------------------


class Measures:
    """Values of measures of all classes, at two classes as howsure takes them."""

    def __init__(self, k: int, names: Sequence[str]):
        self.names = tuple(names)
        self.two = k == 2
        self.each: list[Callable[[Cells], Array]] = []
        for name in names:
            m = parse(name)
            e = (m.of_two().formula if m.over_classes else m.formula) if self.two else m.of_classes(k)
            self.each.append(_right if name == "accuracy" else classes.formula(e, *m.bounds))

    def __call__(self, cells: Cells) -> Array:
        """(measures, draws)."""
        seen = {c: x[1] for c, x in cells.items()} if self.two else cells
        return np.stack([f(cells if f is _right else seen) for f in self.each])


def _right(cells: Cells) -> Array:
    return np.asarray(cells["tp"].sum(axis=0) / (cells["tp"] + cells["fn"]).sum(axis=0))


def per_class(cells: Cells) -> Array:
    """Precision, recall and f1 of every class, (3, classes, draws); 0/0 is 0."""
    tp, fp, fn = (cells[c] for c in ("tp", "fp", "fn"))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.stack([tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)]))


def cells_of(tables: Array) -> Cells:
    """Cells of each class against the rest, classes first, of tables (..., K, K)."""
    tp = np.diagonal(tables, axis1=-2, axis2=-1)
    return _against_rest(*(np.atleast_2d(x).T for x in (tp, tables.sum(axis=-1), tables.sum(axis=-2))))


def _against_rest(tp: Array, row: Array, col: Array) -> Cells:
    return {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": row.sum(axis=0) - row - col + tp}


def ends(values: Array) -> Array:
    """Low and high of draws along the last axis; (n + 1)·p is the place that holds for any number of draws."""
    return np.asarray(np.quantile(values, TAILS, axis=-1, method="weibull"))


# -- what is counted -------------------------------------------------------------------------------


class Hits:
    """Intervals of one method in one case: by measure, how many were given, held the truth, and how wide they were."""

    def __init__(self) -> None:
        self.sums: dict[str, list[float]] = {}
        self.by_class: dict[str, Array] = {}

    def add(self, name: str, low: Any, high: Any, truth: Any) -> None:
        """Count intervals; one that is not a number holds nothing."""
        low, high, truth = np.broadcast_arrays(low, high, truth)
        there = np.isfinite(low) & np.isfinite(high)
        inside = there & (low <= truth) & (truth <= high)
        if name.endswith(":class"):
            self.by_class[name] = self.by_class.get(name, 0) + inside.reshape(len(inside), -1).sum(axis=1)
        width = np.where(there, high - low, 0.0).sum()
        above = (there & (truth > high)).sum()
        new = [float(x) for x in (low.size, inside.sum(), there.sum(), width, above)]
        self.sums[name] = [a + b for a, b in zip(self.sums.get(name, [0.0] * 5), new, strict=True)]

    def document(self) -> dict[str, dict[str, float]]:
        out = {}
        for name, (of, held, given, width, above) in self.sums.items():
            out[name] = {"of": of, "coverage": held / of, "none": 1 - given / of, "width": width / max(given, 1)}
            out[name]["above"] = above / of  # the truth was above the interval
            if name in self.by_class:
                hits = self.by_class[name]
                out[name]["worst"] = float(hits.min()) / (of / len(hits))
        return out


# -- methods on one table --------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """One case: its simulated tables and its true values."""

    case: Case
    tables: NDArray[np.int64]
    truth: dict[str, float]
    classes: Array  # true precision, recall and f1 by class

    @classmethod
    def of(cls, case: Case, reps: int) -> Study:
        rng = np.random.default_rng([SEED, zlib.crc32(case.key.encode())])
        table = case.table()
        drawn = rng.multinomial(case.n, table.ravel() / table.sum(), size=reps).reshape(reps, case.k, case.k)
        cells = cells_of(table)
        values = Measures(case.k, ALL)(cells)[:, 0]
        return cls(case, drawn, dict(zip(ALL, values.tolist(), strict=True)), per_class(cells)[:, :, 0])

    def exact(self, name: str) -> Hits:
        """Accuracy, and measures of single classes, by howsure's batched laws."""
        hits, prior = Hits(), priors.make(name)
        batch = hs.Tally.matrix(self.tables)
        got = hs.posterior(batch, prior=prior)["accuracy"].interval()
        hits.add("accuracy", got.low, got.high, self.truth["accuracy"])
        rows = hs.posterior(batch.versus_each(), prior=prior)
        for i, measure in enumerate(PER_CLASS):
            got = rows[measure].interval()
            hits.add(f"{measure}:class", got.low, got.high, self.classes[i][:, None])
        return hits

    def drawn(self, hits: Hits, prior: str, names: Sequence[str], reps: int, whole: bool = False) -> Hits:
        """Measures of all classes by howsure's draws; `whole` takes accuracy and single classes from them too."""
        measures, rule = Measures(self.case.k, names), priors.make(prior)
        pooled = prior == "even" and names == EQUAL
        low, high = (np.array(x)[:, None] for x in zip(*(parse(x).bounds for x in names), strict=True))
        for i, table in enumerate(self.tables[:reps]):
            tally = hs.Tally.matrix(table)
            parts = [x.cells(0) for x in classes.plan(tally, rule, pooled).draws(DRAWS, i)]
            values = np.concatenate([measures(x) for x in parts], axis=1)
            if pooled:
                for v, f, a, b in zip(values, measures.each, low[:, 0], high[:, 0], strict=True):
                    v[:] = classes.moved(v, classes.move_to(v, classes.centres(tally, f), (a, b)), (a, b))
            self.count(hits, names, ends(values))
            if whole:
                self.count_classes(hits, ends(np.concatenate([per_class(x) for x in parts], axis=2)))
        return hits

    def bootstrap(self, reps: int) -> tuple[Hits, Hits]:
        """Items resampled: percentile intervals, and BCa ones of measures of all classes."""
        plain, corrected = Hits(), Hits()
        rng = np.random.default_rng([SEED, 1, zlib.crc32(self.case.key.encode())])
        measures = Measures(self.case.k, ALL)
        for table in self.tables[:reps]:
            at = np.argwhere(table > 0)
            counts = table[table > 0]
            weights = rng.multinomial(counts.sum(), counts / counts.sum(), size=RESAMPLES)
            cells = self.resampled(at, weights)
            values = measures(cells)
            self.count(plain, ALL, ends(values))
            self.count_classes(plain, ends(per_class(cells)))
            left_out = measures(self.resampled(at, counts - np.eye(len(counts), dtype=np.int64)))
            point = measures(self.resampled(at, counts[None]))[:, 0]
            self.count(corrected, ALL, bca(values, point, left_out, counts))
        return plain, corrected

    def resampled(self, at: NDArray[np.int64], weights: NDArray[np.int64]) -> Cells:
        k = self.case.k
        row, col = np.eye(k)[:, at[:, 0]], np.eye(k)[:, at[:, 1]]
        w = weights.T.astype(float)
        return _against_rest((row * col) @ w, row @ w, col @ w)

    def peers(self, reps: int) -> tuple[Hits, Hits]:
        """The packages confidenceinterval and prob_conf_mat, as they come."""
        analytic, sampled = Hits(), Hits()
        for i, table in enumerate(self.tables[:reps]):
            for hits, found in ((analytic, _analytic(table)), (sampled, _sampled(table, i))):
                for name, (low, high) in found.items():
                    hits.add(name, low, high, self.truth[name])
        return analytic, sampled

    def count(self, hits: Hits, names: Sequence[str], found: Array) -> None:
        for name, low, high in zip(names, *found, strict=True):
            hits.add(name, low, high, self.truth[name])

    def count_classes(self, hits: Hits, found: Array) -> None:
        for i, name in enumerate(PER_CLASS):
            hits.add(f"{name}:class", found[0, i], found[1, i], self.classes[i])


def bca(values: Array, point: Array, left_out: Array, counts: NDArray[np.int64]) -> Array:
    """Efron's corrected ends, as scipy.stats.bootstrap has them; the same item left out many times counts as often."""
    with np.errstate(all="ignore"):
        below = 0.5 * ((values < point[:, None]).mean(axis=1) + (values <= point[:, None]).mean(axis=1))
        z0 = ndtri(below)
        gap = (left_out @ counts / counts.sum())[:, None] - left_out
        a = (gap**3 @ counts) / (6 * (gap**2 @ counts) ** 1.5)
        shifted = [z0 + ndtri(p) for p in TAILS]
        places = [ndtr(z0 + x / (1 - a * x)) for x in shifted]
    out = np.full((2, len(values)), np.nan)
    for i, (row, p, q) in enumerate(zip(values, *places, strict=True)):
        if np.isfinite(p) and np.isfinite(q):
            out[:, i] = np.quantile(row, (p, q), method="weibull")
    return out


def _analytic(table: NDArray[np.int64]) -> dict[str, tuple[float, float]]:
    import confidenceinterval as peer  # type: ignore[import-untyped]

    at = np.indices(table.shape).reshape(2, -1)
    y, z = (np.repeat(x, table.ravel()) for x in at)
    asked = {"macro-f1": peer.f1_score, "macro-precision": peer.precision_score, "macro-recall": peer.recall_score}
    found = {name: lambda f=f: f(y, z, confidence_level=0.95, average="macro")[1] for name, f in asked.items()}
    found["accuracy"] = lambda: peer.accuracy_score(y, z, confidence_level=0.95)[1]
    return {name: _tried(f) for name, f in found.items()}


def _sampled(table: NDArray[np.int64], seed: int) -> dict[str, tuple[float, float]]:
    from prob_conf_mat.io import ConfMatIOError
    from prob_conf_mat.study import Study as Peer

    names = {"macro-f1": "f1@macro", "macro-precision": "precision@macro", "macro-recall": "recall@macro",
             "accuracy": "acc", "kappa": "kappa", "phi": "mcc"}  # fmt: skip
    peer = Peer(seed=seed, num_samples=RESAMPLES, ci_probability=0.95)

    def one(name: str) -> tuple[float, float]:
        low, high = ends(np.ravel(peer.get_metric_samples(name, "a/a", "posterior").values))
        return float(low), float(high)

    try:
        peer.add_experiment("a/a", confusion_matrix=table)
        for name in names.values():
            peer.add_metric(name)
    except ConfMatIOError:  # it refuses tables with an empty row
        return dict.fromkeys(names, (np.nan, np.nan))
    return {ours: _tried(lambda name=name: one(name)) for ours, name in names.items()}


def _tried(call: Callable[[], Any]) -> tuple[float, float]:
    try:
        low, high = call()
    except (ValueError, ZeroDivisionError, IndexError):
        return np.nan, np.nan
    return float(low), float(high)


# -- the parts of the study ------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """How many tables are simulated."""

    few: int = 300  # of up to ten classes
    many: int = 200  # of more
    others: tuple[int, int] = (120, 60)  # by other methods
    peers: int = 40

    def of(self, k: int) -> tuple[int, int, int]:
        """Tests by even, by other methods, and by the packages."""
        if k <= 10:
            return self.few, self.others[0], self.peers
        return self.many, self.others[1] if k <= 20 else self.others[1] * 2 // 3, self.peers if k <= 20 else 15


def of_case(case: Case, size: Size, corner: bool = False) -> dict[str, Any]:
    """All methods on one case; at a corner only even and the bootstrap."""
    reps, fewer, fewest = size.of(case.k)
    study = Study.of(case, reps)
    found = {"even": study.exact("even")}
    plain = study.drawn(Hits(), "even", (*EQUAL, *SHARED), reps)
    own = ALL if case.k == 2 else SHARED
    found["even"].sums |= {x: plain.sums.pop(x) for x in own if x in plain.sums}
    if case.k > 2:
        study.drawn(found["even"], "even", EQUAL, reps)
        found["even, not pooled"] = plain
    found["percentile"], found["BCa"] = study.bootstrap(fewer)
    if not corner:
        for name in ("jeffreys", "uniform"):
            found[name] = study.drawn(study.exact(name), name, (*EQUAL, *SHARED), fewer)
        found["two-level"] = study.drawn(Hits(), "two-level", ALL, fewer, whole=True)
        found["confidenceinterval"], found["prob_conf_mat"] = study.peers(min(fewest, reps))
    methods = {x: h.document() for x, h in found.items()}
    return {"case": vars(case), "truth": study.truth, "methods": methods, "warned": reasons(study)}


def of_warning(case: Case, size: Size) -> dict[str, Any]:
    """`even` alone, and how often each reason for a warning was there."""
    study = Study.of(case, size.others[0])
    hits = study.drawn(Hits(), "even", EQUAL, len(study.tables))
    study.drawn(hits, "even", SHARED, len(study.tables))
    return {"case": vars(case), "methods": {"even": hits.document()}, "warned": reasons(study)}


def reasons(study: Study) -> dict[str, float]:
    """The share of the tests in which there is each reason for a warning."""
    found = [classes.doubts(hs.Tally.matrix(x)) for x in study.tables]
    return {why: float(np.mean([why in x for x in found])) for why in WHY}


def of_labels(k: int, n: int, size: Size) -> dict[str, Any]:
    """Items with many labels, some items harder than others, label l on a share 0.4/(1 + l/2) of them."""
    rng = np.random.default_rng([SEED, 2, k, n])
    names = ("macro-f1", "micro-f1", "samples-f1")

    def items(m: int) -> tuple[Any, Any]:
        topic, ease = rng.random((m, 1)), rng.normal(0.0, 1.0, (m, 1))
        share = 0.4 / (1 + 0.5 * np.arange(k)) * (0.5 + topic)
        truth = rng.random((m, k)) < share
        found = rng.random((m, k)) < ndtr(0.9 + ease)
        false = rng.random((m, k)) < 0.5 * share * ndtr(-0.9 - ease)
        return truth, np.where(truth, found, false)

    macro = parse("macro-f1")
    measure = classes.formula(macro.formula, *macro.bounds)

    def values(truth: Any, answer: Any, weights: Array) -> Array:
        """Macro, micro and samples F1 of items with weights (items, draws)."""
        tp, row, col = ((x.T.astype(float) @ weights) for x in (truth & answer, truth, answer))
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.nan_to_num(2 * (truth & answer).sum(axis=1) / (truth.sum(axis=1) + answer.sum(axis=1)))
        flat = 2 * tp.sum(axis=0) / (row.sum(axis=0) + col.sum(axis=0))
        cells = {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": weights.sum(axis=0) - row - col + tp}
        return np.stack([measure(cells), flat, each @ weights / weights.sum(axis=0)])

    real = np.mean([values(*items(200_000), np.ones((200_000, 1)))[:, 0] for _ in range(5)], axis=0)
    methods = {x: Hits() for x in ("even", "labels apart", "percentile")}
    for i in range(size.many):
        truth, answer = items(n)
        t = hs.Tally.multilabel(truth.astype(int), answer.astype(int), labels=range(k))
        draws = [measure(x.cells(0)) for x in classes.plan(t, priors.make("even"), True).draws(DRAWS, i)]
        x = np.concatenate(draws)
        shift = classes.move_to(x, classes.centres(t, measure), (0.0, 1.0))
        methods["even"].add("macro-f1", *ends(classes.moved(x, shift, (0.0, 1.0))), real[0])
        p = hs.posterior(t)
        for j in (1, 2):
            got = p[names[j]].interval()
            methods["even"].add(names[j], got.low, got.high, real[j])
        apart = hs.Tally.multilabel(truth.astype(int), answer.astype(int), labels=range(k), independent=True)
        draws = [measure(y.cells(0)) for y in classes.plan(apart, priors.make("even"), True).draws(DRAWS, i)]
        x = np.concatenate(draws)
        methods["labels apart"].add("macro-f1", *ends(x), real[0])
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T.astype(float)
        for name, low, high, true in zip(names, *ends(values(truth, answer, drawn)), real, strict=True):
            methods["percentile"].add(name, low, high, true)
    return {"k": k, "n": n, "methods": {x: h.document() for x, h in methods.items()}}


VALUES: dict[str, tuple[Callable[[np.random.Generator, int], Array], float, tuple[float, float] | None]] = {
    "Beta(0.3, 1), mean 0.23": (lambda rng, n: rng.beta(0.3, 1.0, n), 0.3 / 1.3, (0.0, 1.0)),
    "Beta(1, 0.1), mean 0.91": (lambda rng, n: rng.beta(1.0, 0.1, n), 1 / 1.1, (0.0, 1.0)),
    "exponential": (lambda rng, n: rng.exponential(1.0, n), 1.0, None),
    "lognormal(0, 1)": (lambda rng, n: rng.lognormal(0.0, 1.0, n), float(np.exp(0.5)), None),
}


def of_means(law: str, n: int, size: Size) -> dict[str, Any]:
    """The mean of skewed values of n items."""
    draw, real, bounds = VALUES[law]
    rng = np.random.default_rng([SEED, 3, zlib.crc32(law.encode()), n])
    methods = {x: Hits() for x in ("no bounds", "bounds", "percentile", "Student's t")}
    for _ in range(size.many):
        x = draw(rng, n)
        for name, given in (("no bounds", None), ("bounds", bounds)):
            if name == "no bounds" or bounds is not None:
                got = hs.posterior(hs.means(x, bounds=given))["mean"].interval()
                methods[name].add("mean", got.low, got.high, real)
        again = x[rng.integers(0, n, (RESAMPLES, n))].mean(axis=1)
        methods["percentile"].add("mean", *ends(again), real)
        half = stats.t.ppf(TAILS[1], n - 1) * x.std(ddof=1) / np.sqrt(n)
        methods["Student's t"].add("mean", x.mean() - half, x.mean() + half, real)
    return {"law": law, "n": n, "methods": {k: h.document() for k, h in methods.items() if h.sums}}


def tasks(quick: bool, size: Size) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Everything that is to be run, in order."""
    cases, odd = grid(), corners()
    labels, means = list(itertools.product((5, 20), (50, 200))), list(itertools.product(VALUES, (10, 30, 100)))
    if quick:
        cases = [c for c in cases if c.k in (3, 10) and c.m <= 10 and c.errors == "spread"]
        odd, labels, means = odd[8:10], labels[:1], means[:2]
    for c in cases:
        yield f"grid {c.key}", lambda c=c: of_case(c, size)
    for c in odd:
        yield f"corner {c.key}", lambda c=c: of_case(c, size, corner=True)
    for c in warned_cases()[-3:-2] if quick else warned_cases():
        yield f"warning {c.key}", lambda c=c: of_warning(c, size)
    for k, n in labels:
        yield f"labels {k}/{n}", lambda k=k, n=n: of_labels(k, n, size)
    for law, n in means:
        yield f"means {law}/{n}", lambda law=law, n=n: of_means(law, n, size)


# -- the page --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Results:
    """What was kept, by kind."""

    kept: dict[str, Any]

    def kind(self, name: str) -> list[dict[str, Any]]:
        return [x for key, x in self.kept.items() if key.startswith(name + " ")]

    def cases(self) -> list[dict[str, Any]]:
        return [*self.kind("grid"), *self.kind("corner"), *self.kind("warning")]

    def grid(self, where: Callable[[Case], bool]) -> list[dict[str, Any]]:
        return [x for x in self.kind("grid") if where(Case(**x["case"]))]


def figures(found: Iterable[dict[str, Any]], method: str, name: str, what: str = "coverage") -> list[float]:
    got = (x["methods"].get(method, {}).get(name) for x in found)
    return [x[what] for x in got if x is not None]


def cell(found: Sequence[dict[str, Any]], method: str, name: str) -> str:
    """Mean and, of several cases, minimum."""
    got = figures(found, method, name)
    if not got:
        return "–"
    return short(np.mean(got)) if len(got) == 1 else f"{short(np.mean(got))} ({short(min(got))})"


def short(x: Any) -> str:
    return "1" if x > 0.9995 else f"{x:.3f}".lstrip("0") if x >= 0.0005 else "0"


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(x) + " |" for x in (head, rule, *body))


def by_method(found: Sequence[dict[str, Any]], names: Sequence[str], methods: Sequence[str] = METHODS) -> str:
    rows = ([f"`{m}`" if m in priors.NAMES else m, *(cell(found, m, x) for x in names)] for m in methods)
    return table(("", *names), (x for x in rows if set(x[1:]) != {"–"}))


def outside(found: Sequence[dict[str, Any]]) -> str:
    """Where `even` leaves .93 to .97 by more than two standard errors, and what others do there."""
    rows = []
    for name in COLUMNS:
        below, above = [], []
        for x in found:
            got = x["methods"]["even"][name]
            error = np.sqrt(0.95 * 0.05 / x["methods"]["even"]["macro-f1"]["of"])
            if got["coverage"] < LOW - 2 * error:
                below.append(x)
            elif got["coverage"] > HIGH + 2 * error:
                above.append(x)
        worst = min(found, key=lambda x: x["methods"]["even"][name]["coverage"])
        here = {m: x[name]["coverage"] for m, x in worst["methods"].items() if m != "even" and name in x}
        best = min(here, key=lambda m: abs(here[m] - 0.95), default="–")
        there = f"{best} {short(here[best])}" if here else best
        what = _told(Case(**worst["case"]))
        rows.append((name, str(len(below)), str(len(above)), short(worst["methods"]["even"][name]["coverage"]), what,
                     there))  # fmt: skip
    return table(("measure", "below", "above", "lowest", "there", "nearest to .95 of the others there"), rows)


def crowded(r: Results) -> str:
    """Coverage of `even` where many classes have few items."""
    found = [x for x in r.cases() if Case(**x["case"]).k >= 20]
    rows = []
    for k, m in sorted({(x["case"]["k"], x["case"]["m"]) for x in found}):
        here = [x for x in found if (x["case"]["k"], x["case"]["m"]) == (k, m)]
        rows.append([f"{k}, {m}: {len(here)}", *(span(here, x) for x in (*EQUAL, *SHARED))])
    return table(("K, items a class: cases", *EQUAL, *SHARED), rows)


def span(found: Sequence[dict[str, Any]], name: str) -> str:
    """The lowest and the highest case of `even`."""
    got = figures(found, "even", name)
    return "–" if not got else short(got[0]) if len(got) == 1 else f"{short(min(got))} to {short(max(got))}"


def warned(r: Results) -> str:
    """Coverage of `even` by the reason for a warning, the first that most tests of a case have."""
    groups: dict[str, list[dict[str, Any]]] = {why: [] for why in ("never", "rare", "many", "none")}
    for x in r.cases():
        if x["case"]["k"] > 2 and x["case"]["accuracy"] < 0.98:
            groups[next((why for why in groups if x["warned"].get(why, 0.0) > 0.5), "none")].append(x)
    rows = ([f"{why}: {len(x)}", *(span(x, name) for name in (*EQUAL, *SHARED))] for why, x in groups.items())
    return table(("reason: cases", *EQUAL, *SHARED), rows)


def confirmed(r: Results) -> str:
    """The cases for the warnings, one by one."""
    rows = []
    for x in r.kind("warning"):
        why = ", ".join(f"{name} {short(share)}" for name, share in x["warned"].items() if share > 0)
        rows.append([_told(Case(**x["case"])), why or "–", *(span([x], name) for name in (*EQUAL, *SHARED))])
    return table(("case", "warned", *EQUAL, *SHARED), rows)


def corner(x: dict[str, Any], name: str) -> str:
    """The coverage of `even`; where it is low, also that of the other method that is nearest to .95."""
    got = x["methods"]["even"][name]
    if got["coverage"] >= LOW - 2 * np.sqrt(LOW * (1 - LOW) / x["methods"]["even"]["macro-f1"]["of"]):
        return short(got["coverage"])
    here = {m: y[name]["coverage"] for m, y in x["methods"].items() if m != "even" and name in y}
    best = min(here, key=lambda m: abs(here[m] - 0.95), default=None)
    return f"**{short(got['coverage'])}**" + (f", {best.removeprefix('even, ')} {short(here[best])}" if best else "")


def wide(groups: Iterable[tuple[str, list[dict[str, Any]]]], methods: Sequence[str], names: Sequence[str]) -> str:
    """Methods by group of cases."""
    rows = [
        [title if method == methods[0] else "", method, *(cell(found, method, x) for x in names)]
        for title, found in groups
        for method in methods
        if found
    ]
    return table(("", "", *names), rows)


def errors(r: Results) -> str:
    """The sentence on standard errors."""
    number = {m: sorted({int(x) for x in figures(r.kind("grid"), m, "macro-f1", "of")}) for m in METHODS}
    said = {m: ", ".join(f"{x} (±{np.sqrt(0.95 * 0.05 / x):.3f})" for x in n) for m, n in number.items()}
    return (
        f"{len(r.kind('grid'))} cases. Simulated tests of each, with the binomial standard error of a figure near .95: "
        f"`even` {said['even']}; other priors and the bootstrap {said['BCa']}, more up to ten classes; the "
        f"two packages {said['prob_conf_mat']}. A figure near .8 has nearly twice that error. Figures are means over "
        "cases, in brackets the lowest case. `:class` is the mean over classes too. Corners have as many tests as the "
        "grid, the cases for warnings 120 (±0.020), labels and graded items 200 (±0.015)."
    )


def page(r: Results) -> str:
    """The results section."""
    parts = [errors(r)]
    single = COLUMNS[len(ALL) :]
    for sizes in ("balanced", "zipf"):
        found = r.grid(lambda c, s=sizes: c.k > 2 and c.sizes == s)
        parts += [f"### {sizes.capitalize()} sizes, three classes and more"]
        parts += [by_method(found, ALL), by_method(found, single)]
    parts += ["### Two classes", by_method(r.grid(lambda c: c.k == 2), COLUMNS)]
    groups = [
        (f"{s}, {m}", r.grid(lambda c, s=s, m=m: c.k > 2 and (c.sizes, c.m) == (s, m)))
        for s, m in itertools.product(("balanced", "zipf"), (3, 10, 50))
    ]
    parts += ["### By items a class, three classes and more"]
    parts += [wide(groups, METHODS, ALL), wide(groups, [m for m in METHODS[:6] if "not" not in m], single)]
    groups = [
        (f"{s}, {k}", r.grid(lambda c, s=s, k=k: (c.sizes, c.k) == (s, k)))
        for s, k in itertools.product(("balanced", "zipf"), (3, 5, 10, 20, 50))
    ]
    parts += ["### By number of classes", wide(groups, ("even",), COLUMNS)]
    parts += [f"### Where `even` leaves {short(LOW)} to {short(HIGH)}", outside(r.kind("grid"))]
    parts += ["### Many classes with few items, `even`: lowest to highest case", crowded(r)]
    parts += ["### Warnings, `even`: lowest to highest case", warned(r), confirmed(r), "### Corners"]
    rows = [[_told(Case(**x["case"])), *(corner(x, y) for y in COLUMNS)] for x in r.kind("corner")]
    parts += [table(("case", *COLUMNS), rows), "### Many labels an item"]
    groups = [(f"{x['k']} labels, {x['n']} items", [x]) for x in r.kind("labels")]
    parts += [wide(groups, ("even", "labels apart", "percentile"), ("macro-f1", "micro-f1", "samples-f1"))]
    names = ("no bounds", "bounds", "percentile", "Student's t")
    rows = [[x["law"], str(x["n"]), *(cell([x], y, "mean") for y in names)] for x in r.kind("means")]
    parts += ["### The mean of graded items", table(("values", "items", *names), rows)]
    return "\n\n".join(parts)


def _told(c: Case) -> str:
    return f"K {c.k}, {c.sizes}, {c.errors}, {c.rates}, {c.accuracy:g}, {c.m} a class"


def write(text: str) -> None:
    old = PAGE.read_text(encoding="utf-8")
    before, _, rest = old.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(HERE.parent)}.")


def main() -> None:
    options = _options()
    warnings.simplefilter("ignore")  # those of the peers
    size = Size(40, 40, (20, 20), 5) if options.quick else Size()
    kept = json.loads(options.keep.read_text()) if options.keep.exists() and not options.quick else {}
    start, todo = time.monotonic(), list(tasks(options.quick, size))
    for i, (key, run) in enumerate(todo):
        if key in kept or (options.only and not key.startswith(tuple(options.only))):
            continue
        if time.monotonic() - start > 60 * options.minutes:
            print(f"Stopped after {options.minutes:g} minutes; run again to go on.", file=sys.stderr)
            break
        began = time.monotonic()
        kept[key] = run()
        print(f"  … {i + 1}/{len(todo)} {key} {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
        if not options.quick:
            options.keep.parent.mkdir(exist_ok=True)
            options.keep.write_text(json.dumps(kept))
    text = page(Results(kept))
    print(text)
    if options.write:
        write(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="How often 95%% intervals hold the true value; about 40 minutes on two busy cores."
    )
    parser.add_argument("--quick", action="store_true", help="few cases and tests, under two minutes")
    parser.add_argument("--only", nargs="+", metavar="PART", help="tasks that start so: grid, corner, labels, means")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop then; the next run goes on")
    parser.add_argument("--keep", type=Path, default=KEPT, help="where results are kept between runs")
    parser.add_argument("--write", action="store_true", help="write the results section of docs/coverage.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
