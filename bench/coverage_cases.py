"""The true tables of the coverage study of classes: a grid, corners that it leaves out, and cases for the warnings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EQUAL = ("macro-f1", "macro-precision", "macro-recall", "f1-of-means", "informedness", "markedness")
SHARED = ("weighted-f1", "kappa", "phi")
PER_CLASS = ("precision", "recall", "f1")
ALL = ("accuracy", *EQUAL, *SHARED)
COLUMNS = (*ALL, *(f"{x}:class" for x in PER_CLASS))
WHY = ("many", "rare", "never")
METHODS = ("even", "even, not pooled", "jeffreys", "uniform", "two-level", "percentile", "BCa",
           "confidenceinterval", "prob_conf_mat")  # fmt: skip


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
    def described(self) -> dict[str, Any]:
        """The case as the data file has it."""
        names = ("classes", "sizes", "errors", "rates", "accuracy", "items_per_class")
        return dict(zip(names, (self.k, self.sizes, self.errors, self.rates, self.accuracy, self.m), strict=True))

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
