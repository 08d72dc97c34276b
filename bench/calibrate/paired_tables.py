"""Two systems on the same items, compared by F1: balanced to 1:1000 data, and macro-F1 of K classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from bench.calibrate import pairs, peers
from bench.calibrate.methods import MEASURES
from bench.calibrate.pairs import BETTER, EQUAL
from bench.calibrate.samples import VERDICTS, Array, Sample, rows, stream, verdicts
from bench.calibrate.tables import SHARES, SYSTEMS
from bench.coverage_data import Row, Table
from bench.equal_systems import PATTERNS

SIZES: Final = (100, 1_000, 10_000)
FEWEST: Final = 5  # positive items expected
TOLERANCE: Final = 0.1
RESAMPLES: Final = 999
OWN: Final = 0.4  # the share of a system's own among its errors; the others it has in common with the other system
GAIN: Final = 0.5  # of its own errors, a better system has so many fewer


@dataclass(frozen=True)
class Most:
    """How many data sets each kind of method is given."""

    howsure: int = 500
    others: int = 300
    peers: int = 150


def patterns(share: float, recall: float, precision: float, better: bool) -> Array:
    """Probabilities of PATTERNS (truth, a, b): each system has errors of its own, and some in common."""
    fallout = share * recall * (1 - precision) / precision / (1 - share)
    found = []
    for truth, rate in ((0, fallout), (1, 1 - recall)):  # rates of errors
        size, common = share if truth else 1 - share, rate * (1 - OWN)
        a, b = rate * OWN * (1 - GAIN if better else 1.0), rate * OWN
        error = {(1, 1): common, (1, 0): a, (0, 1): b, (0, 0): 1 - common - a - b}
        found += [size * error[x ^ truth, y ^ truth] for t, x, y in PATTERNS.tolist() if t == truth]
    return np.array(found)


def cells(counts: Any, system: int) -> Array:
    """tp, fp, fn, tn of a system, along the first axis, of counts of patterns along the last."""
    truth, answer = PATTERNS[:, 0] == 1, PATTERNS[:, 1 + system] == 1
    at = (truth & answer, ~truth & answer, truth & ~answer, ~truth & ~answer)
    return np.stack([counts[..., x].sum(axis=-1) for x in at]).astype(float)


def gap(counts: Any) -> Array:
    """F1 of the first less that of the second; 0/0 is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        one, two = (np.nan_to_num(MEASURES["f1"](cells(counts, s))) for s in (0, 1))
    return np.asarray(one - two)


def bootstrap(data: NDArray[np.int64], rng: np.random.Generator) -> Array:
    """Whether 0 is in the percentile interval of the difference."""
    found = []
    for row in data:
        low, high = np.quantile(
            gap(rng.multinomial(row.sum(), row / row.sum(), size=RESAMPLES)), [0.025, 0.975], method="weibull"
        )
        found.append(1.0 if low > 0 else 0.0 if high < 0 else 0.5)
    return np.array(found)


def permutation(data: NDArray[np.int64], rng: np.random.Generator) -> Array:
    """The two answers of an item change places at random."""
    swapped = [PATTERNS.tolist().index([t, b, a]) for t, a, b in PATTERNS.tolist()]
    found = []
    for row in data:
        both = row + row[swapped]
        drawn = np.tile(row, (RESAMPLES, 1))
        for i, j in enumerate(swapped):
            if i < j:
                drawn[:, i] = rng.binomial(both[i], 0.5, RESAMPLES)
                drawn[:, j] = both[i] - drawn[:, i]
        at, null = gap(row), gap(drawn)
        p = (1 + np.sum(np.abs(null) >= np.abs(at) - 1e-12)) / (RESAMPLES + 1)
        found.append(peers.one_sided(p, at))
    return np.array(found)


def ours(data: NDArray[np.int64]) -> Any:
    """P(first better) of F1, by the joint table."""
    tally = hs.Tally(cells=PATTERNS, counts=data, systems=("a", "b"), labels=(0, 1), positive=1)
    return hs.compare(tally, "a", "b", metric="f1", tolerance=TOLERANCE).p_better


def found(simulated: NDArray[np.int64], most: Most, rng: np.random.Generator) -> Iterator[tuple[str, Sample, Any]]:
    """Every method, the data that it was given, and where it puts the first."""
    own, fewer, few = (Sample.of(simulated[:n]) for n in (most.howsure, most.others, most.peers))
    yield "howsure", own, ours(own.data)
    right = PATTERNS[:, 1:] == PATTERNS[:, :1]
    b, c = (own.data[:, right[:, i] & ~right[:, 1 - i]].sum(axis=1) for i in (0, 1))
    yield "McNemar, exact", own, pairs.mcnemar(b, c)
    yield "McNemar, mid-p", own, pairs.mid_p(b, c)
    yield "bootstrap", fewer, bootstrap(fewer.data, rng)
    yield "permutation", fewer, permutation(fewer.data, rng)
    squares = [[peers.square(cells(x, s).astype(int)) for s in (0, 1)] for x in few.data]
    yield "prob_conf_mat", few, [peers.prob_conf_mat_better(*x, "f1", i) for i, x in enumerate(squares)]


def of_case(odds: str, system: str, n: int, truth: str, most: Most) -> list[Row]:
    """Positives of these odds, two systems of a kind, and a number of items."""
    p = patterns(SHARES[odds], *SYSTEMS[system], truth == BETTER)
    simulated = stream("paired", odds, system, n, truth).multinomial(n, p, size=most.howsure)
    rng = stream("resamples", odds, system, n, truth)
    got = [(method, "f1", s.tests, verdicts(s, x)) for method, s, x in found(simulated, most, rng)]
    return rows({"odds": odds, "system": system, "items": n, "systems": truth}, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of F1 of two systems."""
    cases = [
        (o, s, n, t) for o, share in SHARES.items() for s in SYSTEMS for n in SIZES if n * share >= FEWEST
        for t in (EQUAL, BETTER)
    ]  # fmt: skip
    most = Most(30, 20, 5) if quick else Most()
    yield "paired tables", Table(VERDICTS, [r for x in (cases[:2] if quick else cases) for r in of_case(*x, most)])
