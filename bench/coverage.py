"""How often 95% intervals hold the true value, in simulated tests: `.venv/bin/python bench/coverage.py`; see --help.

The draws, laws and intervals are howsure's own. A draw of tables serves every measure, and few draws are taken (the
places of the ends are corrected for their number). Every case has a seed of its own, none of them used to choose the
pooled prior. Results are kept case by case in a file, so a run that was stopped goes on where it was. A run in full
writes the study `classes` of src/howsure/data/coverage.json, and its section of docs/contributing/coverage.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import howsure as hs  # noqa: E402
from bench.coverage_cases import ALL, EQUAL, PER_CLASS, SHARED, WHY, Case, Size, corners, grid, warned_cases  # noqa: E402
from bench.coverage_counting import DRAWS, RESAMPLES, SEED, TAILS, Array, Hits, ends  # noqa: E402
from bench.coverage_items import of_labels  # noqa: E402
from bench.coverage_page import add_root, publish  # noqa: E402
from bench.coverage_tables import Results, classes_study  # noqa: E402
from howsure.catalogue import parse  # noqa: E402
from howsure.posteriors import priors  # noqa: E402
from howsure.posteriors.all_classes import doubts  # noqa: E402
from howsure.posteriors.class_samples import Bounded, ClassDrawing, centres, move_to, moved  # noqa: E402

KEPT = HERE.parent / "build" / "coverage.json"

Cells = dict[str, Array]


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
            self.each.append(_right if name == "accuracy" else Bounded(e, *m.bounds))

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
            drawing = ClassDrawing(tally, rule, pooled)
            parts = [x.cells(0) for x in drawing.plan().draws(DRAWS, i)]
            values = np.concatenate([measures(x) for x in parts], axis=1)
            if pooled:
                for v, f, a, b in zip(values, measures.each, low[:, 0], high[:, 0], strict=True):
                    v[:] = moved(v, move_to(v, centres(tally, drawing, f), (a, b)), (a, b))
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
    found = [doubts(hs.Tally.matrix(x)) for x in study.tables]
    return {why: float(np.mean([why in x for x in found])) for why in WHY}


def tasks(quick: bool, size: Size) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Everything that is to be run, in order."""
    cases, odd = grid(), corners()
    labels = list(itertools.product((5, 20), (50, 200)))
    if quick:
        cases = [c for c in cases if c.k in (3, 10) and c.m <= 10 and c.errors == "spread"]
        odd, labels = odd[8:10], labels[:1]
    for c in cases:
        yield f"grid {c.key}", lambda c=c: of_case(c, size)
    for c in odd:
        yield f"corner {c.key}", lambda c=c: of_case(c, size, corner=True)
    for c in warned_cases()[-3:-2] if quick else warned_cases():
        yield f"warning {c.key}", lambda c=c: of_warning(c, size)
    for k, n in labels:
        yield f"labels {k}/{n}", lambda k=k, n=n: of_labels(k, n, size)


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
    full = not options.quick and all(key in kept for key, _ in todo)
    publish(options.root, "classes", classes_study(Results(kept)), full)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="How often 95%% intervals hold the true value; about 40 minutes on two busy cores."
    )
    parser.add_argument("--quick", action="store_true", help="few cases and tests, under two minutes")
    parser.add_argument("--only", nargs="+", metavar="PART", help="tasks that start so: grid, corner, labels, means")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop then; the next run goes on")
    parser.add_argument("--keep", type=Path, default=KEPT, help="where results are kept between runs")
    add_root(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
