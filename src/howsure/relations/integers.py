"""Every table of whole numbers that agrees with reported digits.

Digits of a quotient of sums are two linear inequalities with whole coefficients. The search counts through four sums
of cells that determine the table (cells, margins, right, wrong, n), the narrowest first; each next one is bounded by
projecting the inequalities (Fourier-Motzkin), the last one exactly in integers. Curves such as phi are bounded by
interval arithmetic over ever shorter ranges of the last sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.expressions import CELLS
from howsure.relations.intervals import bounds
from howsure.relations.quantities import COUNT_NAMES, quantity
from howsure.relations.values import Given

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
_SUMS: Final = np.array([[float(x) for x in quantity(q).linear[0]] for q in COUNT_NAMES[:-1]])  # type: ignore[index]
_CHUNK: Final = 200_000
_BUDGET: Final = 12_000_000  # prefixes looked at
_HUGE: Final = 1e13
_SHORT: Final = 12


@dataclass(frozen=True)
class Found:
    """Tables as rows of tp, fp, fn, tn; `complete` unless the search ended early."""

    tables: Array
    complete: bool


@dataclass(frozen=True)
class Rows:
    """weights·cells + constant >= 0, above 0 where strict; whole numbers."""

    weights: Any
    constant: Any
    strict: NDArray[np.bool_]


def whole_tables(known: tuple[Given, ...], most: int) -> Found:
    """The whole-number tables that agree with every value given, `most` at most."""
    rows = _rows(known)
    corners = _corners(rows)
    if not len(corners):
        return Found(np.zeros((0, 4)), True)
    if corners.sum(axis=1).max() > 0.99 * _HUGE:
        raise BadSetting("whole-number tables need n or a range of it, such as n=200 or n=(100, 200).")
    search = _Search(rows, [g for g in known if g.quantity.linear is None], _order(rows, corners))
    parts: list[Any] = []
    count = 0
    for part in search.run():
        parts.append(part)
        count += len(part)
        if count > most:
            break
    tables = np.concatenate(parts) if parts else np.zeros((0, 4), dtype=np.int64)
    complete = count <= most and not search.stopped
    tables = tables[np.lexsort(tables.T[::-1])]
    return Found(tables[:most].astype(float), complete)


def _rows(known: tuple[Given, ...]) -> Rows:
    """Cells are not negative, quotients are defined and lie in their digits' interval."""
    made: list[tuple[list[Fraction], Fraction, bool]] = []
    zero = Fraction(0)
    made += [([Fraction(int(i == j)) for j in range(4)], zero, False) for i in range(4)]
    for g in known:
        if g.quantity.linear is None:
            continue
        top, bottom = g.quantity.linear
        if g.quantity.sized:
            made.append((list(top), -g.low, False))
            made.append(([-x for x in top], g.high, g.open_end))
            continue
        made.append(([t - g.low * b for t, b in zip(top, bottom, strict=True)], zero, False))
        made.append(([g.high * b - t for t, b in zip(top, bottom, strict=True)], zero, g.open_end))
        made.append((list(bottom), zero, True))
    whole = []
    for weights, constant, _ in made:
        scale = math.lcm(*(x.denominator for x in (*weights, constant)))
        whole.append([int(x * scale) for x in (*weights, constant)])
    table = np.array(whole, dtype=object)
    return Rows(table[:, :4], table[:, 4], np.array([strict for *_, strict in made]))


# -- the polytope of real tables


def _real(rows: Rows) -> Array:
    """Rows with the constant last, scaled to size 1."""
    table = np.concatenate([rows.weights, rows.constant[:, None]], axis=1).astype(float)
    return np.asarray(table / np.abs(table[:, :4]).max(axis=1, keepdims=True))


def _corners(rows: Rows, fixed: Array | None = None) -> Array:
    """Where sides meet; `fixed` holds rows that are met everywhere."""
    sides = np.concatenate([_real(rows), [[-1.0, -1.0, -1.0, -1.0, _HUGE]]])
    held = np.zeros((0, 5)) if fixed is None else fixed
    picks = np.array(list(combinations(range(len(sides)), 4 - len(held))), dtype=int).reshape(-1, 4 - len(held))
    a = np.concatenate([np.broadcast_to(held, (len(picks), len(held), 5)), sides[picks]], axis=1)
    good = np.abs(np.linalg.det(a[:, :, :4])) > 1e-12
    if not good.any():
        return np.zeros((0, 4))
    points = np.linalg.solve(a[good][:, :, :4], -a[good][:, :, 4:])[..., 0]
    size = np.abs(points).sum(axis=1, keepdims=True) + 1.0
    inside = (points @ sides[:, :4].T + sides[:, 4] >= -1e-9 * size).all(axis=1)
    return np.asarray(points[inside])


def _order(rows: Rows, corners: Array) -> Array:
    """Four sums that determine the table in whole numbers, each the narrowest once those before it are fixed."""
    chosen: list[int] = []
    fixed = np.zeros((0, 5))
    while len(chosen) < 4:
        width = np.ptp(corners @ _SUMS.T, axis=0) if len(corners) else np.ones(len(_SUMS))
        for k in np.argsort(width, kind="stable"):
            if k not in chosen and _completes([*chosen, int(k)]):
                chosen.append(int(k))
                break
        middle = float((corners @ _SUMS[chosen[-1]]).mean()) if len(corners) else 0.0
        fixed = np.concatenate([fixed, [[*_SUMS[chosen[-1]], -middle]]])
        if len(chosen) < 3:
            corners = _corners(rows, fixed)
    return _SUMS[chosen]


def _completes(chosen: list[int]) -> bool:
    """Whether these sums can be completed to four with determinant 1 or -1."""
    rest = [k for k in range(len(_SUMS)) if k not in chosen]
    more = combinations(rest, 4 - len(chosen))
    return any(round(abs(float(np.linalg.det(_SUMS[[*chosen, *m]])))) == 1 for m in more)


# -- the search


class _Search:
    """Counts through the sums one by one, in chunks."""

    def __init__(self, rows: Rows, curves: list[Given], order: Array) -> None:
        self.curves = curves
        self.back = np.rint(np.linalg.inv(order)).astype(np.int64)  # from sums to cells
        self.exact = Rows(rows.weights @ self.back.astype(object), rows.constant, rows.strict)
        self.projected = _projections(_real(rows) @ _lifted(self.back))
        self.spent = 0
        self.stopped = False

    def run(self) -> Iterator[Whole]:
        """Tables, a chunk at a time."""
        yield from self._deeper(np.zeros((1, 0), dtype=np.int64))

    def _deeper(self, start: Whole) -> Iterator[Whole]:
        level = start.shape[1]
        if level == 3:
            self.spent += len(start)
            yield from self._last(start)
            return
        low, high = _between(self.projected[level], start)
        keep = low <= high
        start, low, count = start[keep], low[keep], (high - low + 1)[keep]
        for prefix in _expanded(start, low, count):
            if self.spent + len(prefix) * (level == 2) > _BUDGET:
                self.stopped = True
                return
            yield from self._deeper(prefix)
            if self.stopped:
                return

    def _last(self, start: Whole) -> Iterator[Whole]:
        low, high, good = self._exact_bounds(start)
        keep = good & (low <= high)
        start, low, high = start[keep], low[keep], high[keep]
        if self.curves:
            start, low, high = self._narrowed(start, low, high)
        for sums in _expanded(start, low, high - low + 1):
            cells = sums @ self.back.T
            for g in self.curves:
                cells = cells[np.asarray(g.holds(np.asarray(g.quantity.at(cells))), dtype=bool)]
            if len(cells):
                yield cells

    def _exact_bounds(self, start: Whole) -> tuple[Whole, Whole, NDArray[np.bool_]]:
        """The range of the last sum, in exact integers."""
        a, b, strict = self.exact.weights, self.exact.constant, self.exact.strict
        largest = int(np.abs(start).max(initial=0)) + 1
        biggest = max(int(sum(abs(x) for x in row)) for row in a) * largest + max(abs(int(x)) for x in b)
        kind: Any = np.int64 if biggest < 2**62 else object
        s = start.astype(kind)
        low = np.full(len(s), -(2**62), dtype=kind)
        high = np.full(len(s), 2**62, dtype=kind)
        good = np.ones(len(s), dtype=bool)
        for row, constant, above in zip(a, b, strict, strict=True):
            rest = s @ row[:3].astype(kind) + int(constant) - int(above)  # strictly above 0 is at least 1
            last = int(row[3])
            if last > 0:
                low = np.maximum(low, -(rest // last))
            elif last < 0:
                high = np.minimum(high, rest // -last)
            else:
                good &= np.asarray(rest >= 0, dtype=bool)
        return low.astype(np.int64), high.astype(np.int64), good

    def _narrowed(self, start: Whole, low: Whole, high: Whole) -> tuple[Whole, Whole, Whole]:
        """Halve the ranges of the last sum until they are short, and leave out where a curve cannot be met."""
        done: list[tuple[Whole, Whole, Whole]] = []
        while len(start):
            keep = self._possible(start, low, high)
            start, low, high = start[keep], low[keep], high[keep]
            short = high - low < _SHORT
            done.append((start[short], low[short], high[short]))
            start, low, high = start[~short], low[~short], high[~short]
            middle = (low + high) // 2
            start = np.concatenate([start, start])
            low, high = np.concatenate([low, middle + 1]), np.concatenate([middle, high])
            self.spent += len(start)
        if not done:
            return start, low, high
        a, b, c = (np.concatenate(x) for x in zip(*done, strict=True))
        return a, b, c

    def _possible(self, start: Whole, low: Whole, high: Whole) -> NDArray[np.bool_]:
        one, two = (np.concatenate([start, x[:, None]], axis=1) @ self.back.T for x in (low, high))
        ends = np.minimum(one, two).astype(float), np.maximum(one, two).astype(float)
        at = {c: (ends[0][:, i], ends[1][:, i]) for i, c in enumerate(CELLS)}
        keep = np.ones(len(start), dtype=bool)
        for g in self.curves:
            least, greatest = bounds(g.quantity.formula, at)
            slack = 1e-7 * max(1.0, abs(float(g.high)))
            keep &= ~((greatest < float(g.low) - slack) | (least > float(g.high) + slack))
        return keep


def _lifted(back: Whole) -> Array:
    out = np.zeros((5, 5))
    out[:4, :4] = back
    out[4, 4] = 1.0
    return out


def _expanded(start: Whole, low: Whole, count: Whole) -> Iterator[Whole]:
    """Each prefix with each of its next values, in chunks of bounded size."""
    ends = np.cumsum(count)
    at = 0
    while at < len(start):
        done = int(ends[at - 1]) if at else 0
        stop = max(at + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
        part = slice(at, stop)
        if int(count[at]) > 4 * _CHUNK:  # a single long range is cut too
            for first in range(0, int(count[at]), _CHUNK):
                values = low[at] + np.arange(first, min(first + _CHUNK, int(count[at])))
                yield np.concatenate([np.broadcast_to(start[at], (len(values), start.shape[1])), values[:, None]], 1)
            at += 1
            continue
        total = int(count[part].sum())
        which = np.repeat(np.arange(at, stop), count[part])
        within = np.arange(total) - np.repeat(ends[part] - count[part] - done, count[part])
        yield np.concatenate([start[which], (low[which] + within)[:, None]], axis=1)
        at = stop


def _between(rows: Array, start: Whole) -> tuple[Whole, Whole]:
    """The next sum lies between these whole numbers, or a little wider."""
    k = start.shape[1]
    rest = start.astype(float) @ rows[:, :k].T + rows[:, -1]
    lead = rows[:, k]
    low = (-rest[:, lead > 0] / lead[lead > 0]).max(axis=1, initial=-_HUGE)
    high = (-rest[:, lead < 0] / lead[lead < 0]).min(axis=1, initial=_HUGE)
    slack = 1e-6 + 1e-12 * np.maximum(np.abs(low), np.abs(high))
    return np.ceil(low - slack).astype(np.int64), np.floor(high + slack).astype(np.int64)


def _projections(rows: Array) -> list[Array]:
    """Inequalities in the first sum, in the first two and in the first three (Fourier-Motzkin)."""
    out: list[Array] = []
    marks = np.array([1 << i for i in range(len(rows))], dtype=object)
    for step in range(1, 4):
        rows, marks = _without_last(rows, marks, step + 1)
        out.insert(0, rows)
    return out


def _without_last(rows: Array, marks: Any, most: int) -> tuple[Array, Any]:
    """Eliminate the last sum: each lower bound lies below each upper one. Rows made of too many others add nothing."""
    lead = rows[:, -2]
    plain = np.abs(lead) < 1e-12
    up, down = np.nonzero(lead >= 1e-12)[0], np.nonzero(lead <= -1e-12)[0]
    i, j = (x.ravel() for x in np.meshgrid(up, down, indexing="ij"))
    made = np.concatenate([rows[plain], rows[i] / lead[i, None] - rows[j] / lead[j, None]])
    marked = np.concatenate([marks[plain], marks[i] | marks[j]])
    made = np.delete(made, -2, axis=1)
    size = np.abs(made[:, :-1]).max(axis=1)
    keep = (size > 1e-12) & np.array([x.bit_count() <= most for x in marked], dtype=bool)
    made, marked = made[keep] / size[keep, None], marked[keep]
    _, first = np.unique(np.round(made, 12), axis=0, return_index=True)
    return made[first], marked[first]
