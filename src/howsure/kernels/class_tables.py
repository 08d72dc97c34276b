"""What drawn tables of many classes are made of: sums by class, the shared share of right answers, slopes and tilts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.draws import gammas
from howsure.kernels.sticks import sticks

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
_BINS: Final = 2000  # of slopes: more classes have too many cells to look at each


@dataclass(frozen=True)
class Tables:
    """Drawn tables: mass of true items (classes, m); right answers and all answers, one such array a system."""

    row: Array
    tp: list[Array]
    col: list[Array]
    total: Array | None = None  # of all items, where they may have several labels or none
    linear: Array | None = None  # the linear part of a measure, where the plan is tilted

    def cells(self, s: int) -> dict[str, Array]:
        """The four cells of every class against the rest, for one system."""
        tp = self.tp[s]
        total = self.row.sum(axis=0) if self.total is None else self.total
        fn, fp, tn = self.row - tp, self.col[s] - tp, total - tp
        np.maximum(fn, 0.0, out=fn)
        np.maximum(fp, 0.0, out=fp)
        tn -= fn
        tn -= fp
        np.maximum(tn, 0.0, out=tn)
        return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@dataclass(frozen=True)
class ByClass:
    """Rows of an array to be added up by class: in layers, each with one row of a class at most, or class by class."""

    rows: Codes  # in the order of their classes
    starts: Codes  # of the classes that have any
    classes: Codes
    layers: list[
        tuple[Codes, Codes]
    ]  # rows, and their classes; none where classes have more rows than there are classes
    k: int

    @classmethod
    def of(cls, classes: Codes, k: int, rows: Codes | None = None) -> ByClass:
        """Of all rows of an array, or of some."""
        order = np.argsort(classes, kind="stable")
        kept, count = classes[order], np.bincount(classes, minlength=k)
        found, first = order if rows is None else rows[order], np.cumsum(count) - count
        layers = []
        if classes.size and count.max() <= max(k, 4):
            rank = np.arange(kept.size) - np.repeat(first, count)
            parts = np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1])
            layers = [(found[part], kept[part]) for part in parts]
        some = np.flatnonzero(count)
        return cls(found, first[some], some, layers, k)


def added(mass: Array, where: ByClass) -> Array:
    """Sums of the rows of mass by class, (classes, m)."""
    out = np.zeros((where.k, mass.shape[1]))
    for i, (rows, classes) in enumerate(where.layers):
        if i == 0:
            out[classes] = mass[rows]
        else:
            out[classes] += mass[rows]
    if where.starts.size and not where.layers:
        out[where.classes] = np.add.reduceat(mass[where.rows], where.starts, axis=0)
    return out


@dataclass(frozen=True)
class PooledAccuracy:
    """The shared share of right answers: weights of the (right or wrong by system) patterns, and the total size."""

    right: NDArray[np.bool_]
    weights: Array
    smooth: float
    size: float

    def centre(self) -> Array:
        """The mean share of right answers of each system."""
        total = self.weights.sum() + self.smooth
        return np.asarray((self.weights @ self.right + 0.5 * self.smooth) / total)

    def draw(self, rng: np.random.Generator, m: int) -> Array:
        """Shares of right answers, (systems, m): each Beta(size·centre, size·(1 - centre)), drawn together."""
        total = self.weights.sum() + self.smooth
        systems = self.right.shape[1]
        if systems == 1:
            p = float(self.centre()[0])
            return rng.beta(self.size * p, self.size * (1.0 - p), (1, m))
        seen = gammas(self.size * self.weights / total, m, rng)
        rest = self.size * self.smooth / total
        parts = sticks(rng, np.array([rest]), m)[0] * gammas(np.array([rest]), m, rng)
        coin = rng.random((systems, *parts.shape)) < 0.5
        right = self.right.T.astype(float) @ seen + np.einsum("jm,sjm->sm", parts, coin)
        return np.asarray(np.clip(right / (seen.sum(axis=0) + parts.sum(axis=0)), 1e-300, 1.0))


@dataclass(frozen=True, eq=False)
class ClassSlopes:
    """How a measure follows the right, the missed and the false answers of each class, at the mean table."""

    right: Array
    missed: Array
    false: Array

    def of(self, codes: Codes, lost: bool) -> Array:
        """Of each pattern (truth, answer)."""
        truth, answer = codes[:, 0], codes[:, 1]
        wrong = self.missed[truth] + self.false[answer]
        missing = self.missed[truth] + (self.false.sum() - self.false[truth] if lost else 0.0)
        return np.where(truth == answer, self.right[truth], np.where(answer < 0, missing, wrong))

    def wrong_cells(self, weights: Array) -> tuple[Array, Array]:
        """Slopes of all wrong cells, and the weight of its class that each has; of very many, those alike as one."""
        k = self.right.size
        if k <= _BINS:
            coefs = (self.missed[:, None] + self.false)[~np.eye(k, dtype=bool)]
            return coefs, np.repeat(weights / (k - 1), k - 1)
        (missed, rows), (false, columns) = _alike(self.missed), _alike(self.false)
        mass, many = np.bincount(rows, weights), np.bincount(columns)
        diagonal = np.bincount(rows * many.size + columns, weights, mass.size * many.size)
        shapes = (np.multiply.outer(mass, many).ravel() - diagonal) / (k - 1)
        kept = shapes > 0
        return np.add.outer(missed, false).ravel()[kept], shapes[kept]

    def along(self, tables: Tables) -> Array:
        """The linear part at drawn tables."""
        tp = tables.tp[0]
        return np.asarray(self.right @ tp + self.missed @ (tables.row - tp) + self.false @ (tables.col[0] - tp))


def _alike(x: Array) -> tuple[Array, Codes]:
    """The means of values that are nearly the same, and which of them each value belongs to."""
    step = max(float(np.ptp(x)), 1e-300) / _BINS
    _, place = np.unique(((x - x.min()) / step).astype(np.int64), return_inverse=True)
    return np.bincount(place, x) / np.bincount(place), place


@dataclass(frozen=True, eq=False)
class Tilt:
    """Weights exp(θ·L) on draws; `leaning` is what they put on the shared share of right answers."""

    slopes: ClassSlopes
    theta: float
    leaning: float

    def factor(self, coefs: Array) -> Array:
        """Of Gammas with these coefficients."""
        found = np.asarray(self.theta * coefs)
        np.subtract(1.0, found, out=found)
        return np.divide(1.0, found, out=found)
