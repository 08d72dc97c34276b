"""Two systems on the same items of K classes, compared by macro-F1."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from bench.calibrate import pairs, peers
from bench.calibrate.pairs import BETTER, EQUAL
from bench.calibrate.samples import VERDICTS, Sample, rows, stream, verdicts
from bench.coverage_data import Row, Table

Labels = NDArray[np.int64]

CLASSES, ITEMS = (3, 10), (10, 50)  # items a class
COMMON, OWN, GAIN = 0.1, 0.15, 0.6  # shares of errors in common, of a system's own, and how many fewer a better one has
NAME: Final = "macro-f1"
TOLERANCE: Final = 0.1
RESAMPLES: Final = 499


@dataclass(frozen=True)
class Most:
    """How many data sets each kind of method is given."""

    howsure: int = 140
    others: int = 120
    peers: int = 60


def items(k: int, n: int, better: bool, rng: np.random.Generator) -> Labels:
    """Truths and the answers of both systems, (3, items); classes are equally likely."""
    truth, u = rng.integers(0, k, n), rng.random((3, n))
    wrong = [(u[0] < COMMON) | (x < OWN * (1 - GAIN if gains else 1.0)) for x, gains in ((u[1], better), (u[2], False))]
    other = (truth + rng.integers(1, k, (2, n))) % k
    return np.stack([truth, *(np.where(w, o, truth) for w, o in zip(wrong, other, strict=True))])


def macro_f1(truth: Labels, answer: Labels, k: int) -> Any:
    """Macro-F1 of many data sets (sets, items); 0/0 is 0."""
    at = np.arange(len(truth))[:, None] * k
    right, rows_, columns = (
        np.bincount((at + x).ravel(), weights=w.ravel(), minlength=len(truth) * k).reshape(-1, k)
        for x, w in ((truth, truth == answer), (truth, np.ones_like(truth)), (answer, np.ones_like(truth)))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(2 * right / (rows_ + columns)).mean(axis=1)


def gap(x: Labels, k: int) -> Any:
    """The first less the second, of (3, sets, items)."""
    return macro_f1(x[0], x[1], k) - macro_f1(x[0], x[2], k)


def bootstrap(x: Labels, k: int, rng: np.random.Generator) -> float:
    """Whether 0 is in the percentile interval of the difference."""
    n = x.shape[1]
    low, high = np.quantile(gap(x[:, rng.integers(0, n, (RESAMPLES, n))], k), [0.025, 0.975], method="weibull")
    return 1.0 if low > 0 else 0.0 if high < 0 else 0.5


def permutation(x: Labels, k: int, rng: np.random.Generator) -> float:
    """The two answers of an item change places at random."""
    swap = rng.random((RESAMPLES, x.shape[1])) < 0.5
    null = gap(np.stack([np.broadcast_to(x[0], swap.shape), np.where(swap, x[2], x[1]), np.where(swap, x[1], x[2])]), k)
    at = gap(x[:, None], k)[0]
    return float(peers.one_sided((1 + np.sum(np.abs(null) >= abs(at) - 1e-12)) / (RESAMPLES + 1), at))


def ours(x: Labels, k: int) -> float:
    """P(first better) of macro-F1, by the joint table."""
    found = hs.compare(x[0], {"a": x[1], "b": x[2]}, metric=NAME, labels=range(k), tolerance=TOLERANCE)
    return float(found.p_better)


def unpaired(x: Labels, k: int, seed: int) -> float:
    """prob_conf_mat's, of two tables."""
    a, b = (np.bincount(x[0] * k + z, minlength=k * k).reshape(k, k) for z in x[1:])
    return peers.prob_conf_mat_better(a, b, NAME, seed)


def found(data: list[Labels], k: int, most: Most, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Every method, and where it puts the first."""
    yield "howsure", [ours(x, k) for x in data[: most.howsure]]
    right = [(x[1] == x[0], x[2] == x[0]) for x in data]
    b, c = (np.array([(p & ~q).sum() for p, q in pq]) for pq in (right, [(q, p) for p, q in right]))
    yield "McNemar, exact", pairs.mcnemar(b, c)
    yield "McNemar, mid-p", pairs.mid_p(b, c)
    yield "bootstrap", [bootstrap(x, k, rng) for x in data[: most.others]]
    yield "permutation", [permutation(x, k, rng) for x in data[: most.others]]
    yield "prob_conf_mat", [unpaired(x, k, i) for i, x in enumerate(data[: most.peers])]


def of_case(k: int, m: int, truth: str, most: Most) -> list[Row]:
    """K classes with m items each on average."""
    rng = stream("paired classes", k, m, truth)
    data = [items(k, k * m, truth == BETTER, rng) for _ in range(most.howsure)]
    got = [
        (method, NAME, len(p), verdicts(Sample(np.empty(0), np.full(len(p), 1 / len(p)), len(p)), p))
        for method, p in found(data, k, most, rng)
    ]
    return rows({"classes": k, "items_per_class": m, "items": k * m, "systems": truth}, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of macro-F1 of two systems."""
    cases = list(itertools.product(CLASSES, ITEMS, (EQUAL, BETTER)))
    most = Most(10, 10, 5) if quick else Most()
    yield "paired classes", Table(VERDICTS, [row for x in (cases[:2] if quick else cases) for row in of_case(*x, most)])
