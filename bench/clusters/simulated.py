"""What is simulated: clusters whose items are right with a chance of their own; and what is kept of every test."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[Any]

SEED = 771_903
DRAWS, GROUP = 999, 25  # tests of a group share their random weights
LEAST, MOST = 25, 974  # the interval is from the 25th to the 975th of 999 draws


@dataclass(frozen=True)
class Case:
    """Clusters whose items are right with a chance of their own, Beta with this mean and correlation."""

    clusters: int
    sizes: str  # 1, 5, 20, 1..20; heavy: Pareto; harder: 2 or 20, the large ones less often right
    truth: str  # one: all items of a cluster have the same; mixed: each has its own
    share: float  # of positive items; of the classes: 1 for equal, 0 for Zipf's
    accuracy: float
    correlation: float
    also: str = ""  # pairs: whether two systems find the same clusters hard; classes: whether wrong answers are alike
    behind: float = 0.0  # pairs: by how much the second system is worse

    def rng(self, study: str) -> np.random.Generator:
        return np.random.default_rng([SEED, zlib.crc32(f"{study} {self}".encode())])

    @property
    def rate(self) -> float:
        """The true share of right answers."""
        return self.accuracy - (0.2 * 20 / 22 if self.sizes == "harder" else 0.0)

    def items(self, tests: int, rng: np.random.Generator) -> Array:
        """Numbers of items, (tests, clusters)."""
        shape = (tests, self.clusters)
        if self.sizes == "1..20":
            return rng.integers(1, 21, shape)
        if self.sizes == "heavy":
            return np.minimum(rng.pareto(1.2, shape) + 1, 500).astype(int)
        if self.sizes == "harder":
            return np.where(rng.random(shape) < 0.5, 2, 20)
        return np.full(shape, int(self.sizes))

    def chances(self, n: Array, rng: np.random.Generator) -> Array:
        """Each cluster's own chance of a right answer."""
        mean = self.accuracy - 0.2 * (n == 20) if self.sizes == "harder" else np.full(n.shape, self.accuracy)
        if not self.correlation:
            return mean
        size = (1 - self.correlation) / self.correlation
        return np.clip(rng.beta(mean * size, (1 - mean) * size), 0.0, 1.0)

    def positives(self, n: Array, rng: np.random.Generator) -> Array:
        return n * (rng.random(n.shape) < self.share) if self.truth == "one" else rng.binomial(n, self.share)


def cells_of(pos: Array, neg: Array, p: Array, rng: np.random.Generator) -> Array:
    """The cells tp, fp, fn, tn of every cluster, (tests, 4, clusters)."""
    tp, tn = rng.binomial(pos, p), rng.binomial(neg, p)
    return np.stack([tp, neg - tn, pos - tp, tn], axis=1)


@dataclass
class Record:
    """What tests of a case had, by rule and metric."""

    held: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # an interval; or a wrong verdict
    wide: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # widths of intervals
    below: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # P(metric < its true value)

    def add(self, rule: str, name: str, draws: Array, true: float, width: bool) -> None:
        below = (draws < true).sum(axis=1)
        self.held.setdefault((rule, name), []).extend((below >= LEAST) & (below <= MOST))
        self.below.setdefault((rule, name), []).extend(below / DRAWS)
        if width:
            ends = np.partition(np.nan_to_num(draws), (LEAST - 1, MOST), axis=1)[:, [LEAST - 1, MOST]]
            self.wide.setdefault((rule, name), []).extend(ends[:, 1] - ends[:, 0])

    def normal(self, rule: str, name: str, value: Array, error: Array, freedom: float, true: float) -> None:
        """The same of value ± t·error; an error of 0 holds nothing but the value itself."""
        error = np.maximum(np.nan_to_num(error), 1e-12)
        below = stdtr(freedom, (true - np.nan_to_num(value)) / error)
        self.held.setdefault((rule, name), []).extend((below >= 0.025) & (below <= 0.975))
        self.below.setdefault((rule, name), []).extend(below)
        self.wide.setdefault((rule, name), []).extend(2 * error * stdtrit(freedom, 0.975))

    def difference(self, rule: str, name: str, draws: Array) -> None:
        """Whether P(A > B) of two equal systems is outside .025 to .975."""
        above = (draws > 0).sum(axis=1) + 0.5 * (draws == 0).sum(axis=1)
        self.held.setdefault((rule, name), []).extend((above < LEAST) | (above > MOST))

    def rejected(self, rule: str, name: str, value: Array, error: Array, freedom: float) -> None:
        """Whether a t test rejects at 5%; where nothing differs it does not."""
        value, error = np.nan_to_num(value), np.maximum(np.nan_to_num(error), 1e-12)
        self.held.setdefault((rule, name), []).extend(np.abs(value) > stdtrit(freedom, 0.975) * error)

    def figures(self) -> dict[str, dict[str, dict[str, float]]]:
        """Shares that held, mean widths, and how often a gate at the true value fails and passes at 95%."""
        out: dict[str, dict[str, dict[str, float]]] = {}
        for (rule, name), held in self.held.items():
            own = out.setdefault(rule, {}).setdefault(name, {"held": float(np.mean(held))})
            if (rule, name) in self.wide:
                own["width"] = float(np.mean(self.wide[rule, name]))
            if (rule, name) in self.below:
                below = np.array(self.below[rule, name])
                own |= {"fails": float((below >= 0.95).mean()), "passes": float((below <= 0.05).mean())}
        return out


def groups(tests: int) -> Iterator[tuple[slice, bool]]:
    """Some tests at a time, and whether their widths are measured: a quarter is enough."""
    for start in range(0, tests, GROUP):
        yield slice(start, start + GROUP), start // GROUP % 4 == 0


def gammas(rng: np.random.Generator, shape: Any, size: Any = None) -> Array:
    return rng.standard_gamma(np.asarray(shape, dtype=np.float32), size, dtype=np.float32)


def weighted(x: Array, rng: np.random.Generator) -> Array:
    """Sums over clusters with drawn weights: (tests, cells, clusters) to (tests, cells, draws)."""
    w = rng.standard_exponential((x.shape[2], DRAWS), dtype=np.float32)
    return (x.reshape(-1, x.shape[2]).astype(np.float32) @ w).reshape(*x.shape[:2], DRAWS)


def mean_size(x: Array, otherwise: Array) -> Array:
    """Items a cluster, among clusters that have any, along the last axis."""
    many = (x > 0).sum(axis=-1)
    return np.where(many > 0, x.sum(axis=-1) / np.maximum(many, 1), otherwise)
