"""Every table of whole numbers that agrees with reported digits.

The search counts through four sums of cells that determine the table (cells, margins, right, wrong, n), the narrowest
first; each next one is bounded by projecting the inequalities (Fourier-Motzkin), the last one exactly in integers.
Curves such as phi are bounded by interval arithmetic over ever shorter ranges of the last sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.expressions import CELLS
from howsure.language import spelled
from howsure.relations.enclosures import when_filled
from howsure.relations.inequalities import (
    ENDLESS,
    Inequalities,
    between,
    held_sums,
    inequalities,
    projections,
    whole_ends,
)
from howsure.relations.intervals import bounds
from howsure.relations.quantities import COUNT_NAMES, Quantity, quantity
from howsure.relations.values import CLOSE, Given

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
_SUMS: Final = np.array([quantity(q).weights[0] for q in COUNT_NAMES[:-1]])  # type: ignore[index]
_CHUNK: Final = 200_000
_BUDGET: Final = 12_000_000  # prefixes looked at; what takes longer counts more
_PER_CURVE: Final = 4  # bounds of a formula over a range
_PER_CALL: Final = 60  # a measure that is no formula, such as the tetrachoric correlation
_LARGEST: Final = 10**12
_SURE: Final = 10**10
_SHORT: Final = 12
_CLOSER: Final = 1e-11  # how far floats with all their digits may miss a curve, some of which lose a few
_GOLDEN: Final = (5**0.5 - 1) / 2


class NotSearched(BadSetting):
    """Tables of whole numbers were not all looked at; `reason` is endless, large, unsure or long."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class Found:
    """Tables as rows of tp, fp, fn, tn; `complete` unless the search ended early."""

    tables: Array
    complete: bool


def whole_tables(known: tuple[Given, ...], most: int) -> Found:
    """The whole-number tables that agree with every value given, `most` at most."""
    for g in known:
        if g.quantity.sized and g.quantity.linear is not None and g.low > _LARGEST:
            raise NotSearched(f"whole-number tables are searched up to n = {_LARGEST:,}; got {g}.", "large")
    rows = inequalities(known)
    held = held_sums(known)
    corners = rows.corners(held)
    if not len(corners):
        _refuse_unsure(known)
        return Found(np.zeros((0, 4)), True)
    if corners.sum(axis=1).max() > 0.99 * ENDLESS:
        need = spelled("n=200 or n=(100, 200)", "n=200 or n=100-200")
        raise NotSearched(f"whole-number tables need n or a range of it, such as {need}.", "endless")
    search = _Search(rows, [g for g in known if g.quantity.linear is None], corners, held)
    parts: list[Any] = []
    count = 0
    for part in search.run():
        parts.append(part)
        count += len(part)
        if count > most:
            break
    if not parts:
        _refuse_unsure(known)
    tables = np.concatenate(parts) if parts else np.zeros((0, 4), dtype=np.int64)
    complete = count <= most and not search.stopped
    if len(tables) > 1:
        tables = tables[np.lexsort(tables.T[::-1])]
    return Found(tables[:most].astype(float), complete)


def linear_spans(known: tuple[Given, ...], quantities: Sequence[Quantity]) -> dict[str, tuple[float, float]]:
    """Ends of sums and of quotients of sums over all tables, whole or not, that the linear values allow."""
    corners = inequalities(known).corners(held_sums(known))
    found = {}
    for q in quantities:
        if q.weights is None:
            continue
        values = np.asarray(q.at(corners))
        values = values[np.isfinite(values)]
        if values.size:
            found[q.name] = (float(values.min()), float(values.max()))
    return found


def _refuse_unsure(known: tuple[Given, ...]) -> None:
    """A search in vain among counts so large that rounding may hide a few items."""
    counts = [g for g in known if g.quantity.sized and g.quantity.linear is not None]
    most = max(counts, key=lambda g: g.low, default=None)
    if most is not None and len(counts) > 1 and most.low > _SURE:
        told = f"no table was found, which is certain only with counts up to {_SURE:,}; got {most}."
        raise NotSearched(told, "unsure")


def _order(rows: Inequalities, corners: Array, held: Array) -> tuple[tuple[int, ...], int]:
    """Four sums that determine the table in whole numbers, each the narrowest once those before it are fixed.

    Also how many of the first have one value only.
    """
    chosen: tuple[int, ...] = ()
    known = 0
    width, order = _widths(corners)
    while len(chosen) < 4:
        k = next(k for k in order if k not in chosen and _completes((*chosen, k)))
        known += int(len(chosen) == known and width[k] < 1e-7)
        chosen = (*chosen, k)
        if width[k] > 1e-7 and len(chosen) < 3 and len(corners):
            held = np.concatenate([held, [[*_SUMS[k], -float((corners @ _SUMS[k]).mean())]]])
            corners = rows.corners(held) if len(held) < 4 else corners[:0]
            width, order = _widths(corners)
    return chosen, min(known, 2)


def _widths(corners: Array) -> tuple[list[float], list[int]]:
    """How far each sum ranges, and the sums from the narrowest to the widest."""
    if not len(corners):
        return [1.0] * len(_SUMS), list(range(len(_SUMS)))
    sums = corners @ _SUMS.T
    width: Array = sums.max(axis=0) - sums.min(axis=0)
    return width.tolist(), np.argsort(width, kind="stable").tolist()


@lru_cache(maxsize=4096)
def _there_and_back(chosen: tuple[int, ...]) -> tuple[Array, Whole]:
    """From cells to these sums, and from the sums to cells."""
    order = np.asarray(_SUMS[list(chosen)])
    back = np.rint(np.linalg.inv(order)).astype(np.int64)
    order.flags.writeable = back.flags.writeable = False
    return order, back


@lru_cache(maxsize=4096)
def _completes(chosen: tuple[int, ...]) -> bool:
    """Whether these sums can be completed to four with determinant 1 or -1."""
    rest = [k for k in range(len(_SUMS)) if k not in chosen]
    more = combinations(rest, 4 - len(chosen))
    return any(round(abs(float(np.linalg.det(_SUMS[[*chosen, *m]])))) == 1 for m in more)


# -- the search


class _Search:
    """Counts through the sums one by one, in chunks."""

    def __init__(self, rows: Inequalities, curves: list[Given], corners: Array, held: Array) -> None:
        chosen, self.known = _order(rows, corners, held)
        order, self.back = _there_and_back(chosen)
        self.curves = curves
        self.corners = corners @ order.T
        self.exact = replace(rows, weights=rows.weights @ self.back.astype(rows.weights.dtype))
        self.largest = int((np.abs(self.exact.weights).sum(axis=1) + np.abs(rows.constant)).max())
        steps = 2 - self.known
        self.projected = projections(rows.scaled @ _lifted(self.back), steps) if steps else []
        called = any(x.function is not None for g in curves for x in g.quantity.formula.walk())
        self.cost = _PER_CALL if called else len(curves)  # of a table that is looked at
        self.spent = 0
        self.stopped = False

    def run(self) -> Iterator[Whole]:
        """Tables, a chunk at a time."""
        k = self.known
        start = np.rint(self.corners[:1, :k]).astype(np.int64)
        if np.abs(self.corners[:1, :k] - start).max(initial=0.0) > 1e-6 * max(1.0, float(self.corners.max())):
            return  # a sum that is no whole number
        ends = np.array([self.corners[:, k].min(), self.corners[:, k].max()])
        low, high = whole_ends(ends[:1], ends[1:])
        if low[0] <= high[0]:
            for prefix in _expanded(start, low, high - low + 1):
                yield from self._deeper(_scattered(prefix))
                if self.stopped:
                    return

    def _deeper(self, start: Whole) -> Iterator[Whole]:
        level = start.shape[1]
        if level == 3:
            self.spent += len(start)
            for part in _growing(_scattered(start)) if self.curves else (start,):
                yield from self._last(part)
                if self.stopped:
                    return
            return
        low, high = between(self.projected[level - 3], start)
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
            self.spent += self.cost * len(sums)
            cells = sums @ self.back.T
            for g in self.curves:
                cells = cells[_agree(g, cells)]
            if len(cells):
                yield cells
            if self.spent > _BUDGET:
                self.stopped = True
                return

    def _exact_bounds(self, start: Whole) -> tuple[Whole, Whole, NDArray[np.bool_]]:
        """The range of the last sum, in exact integers: 64 bits where these are enough."""
        fits = self.largest * (int(np.abs(start).max(initial=0)) + 1) < 2**62
        kind: Any = np.int64 if fits else object
        weights = self.exact.weights.astype(kind, copy=False)
        least = self.exact.constant.astype(kind, copy=False) - self.exact.strict  # strictly above 0 is at least 1
        last = weights[:, 3]
        rest = start.astype(kind) @ weights[:, :3].T + least
        up, down = last > 0, last < 0
        low = (-(rest[:, up] // last[up])).max(axis=1)
        high = (rest[:, down] // -last[down]).min(axis=1)
        good = (rest[:, ~(up | down)] >= 0).all(axis=1)
        return low.astype(np.int64), high.astype(np.int64), np.asarray(good, dtype=bool)

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
            self.spent += _PER_CURVE * len(self.curves) * len(start)
            if self.spent > _BUDGET:
                self.stopped = True
                break
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


def _agree(g: Given, cells: Whole) -> NDArray[np.bool_]:
    """Which tables have the value of a curve, with their empty cells as they are or filled."""
    close = _CLOSER if g.full else CLOSE
    good = np.asarray(g.holds(np.asarray(g.quantity.at(cells)), close), dtype=bool)
    empty = np.flatnonzero((cells == 0).any(axis=1)) if g.name == "tetrachoric" else np.arange(0)
    if len(empty):
        good[empty] |= g.holds(when_filled(cells[empty].astype(float), cells[empty].sum(axis=1)), close)
    return good


def _lifted(back: Whole) -> Array:
    out = np.zeros((5, 5))
    out[:4, :4] = back
    out[4, 4] = 1.0
    return out


def _scattered(start: Whole) -> Whole:
    """In an order that soon has been everywhere: a search that ends early has then not seen one end only."""
    return start if len(start) < 2 else start[np.argsort((0.5 + np.arange(len(start))) * _GOLDEN % 1.0, kind="stable")]


def _growing(start: Whole) -> Iterator[Whole]:
    """Few at first, as these may have enough tables, then more and more."""
    at, size = 0, 64
    while at < len(start):
        yield start[at : at + size]
        at, size = at + size, 2 * size


def _expanded(start: Whole, low: Whole, count: Whole) -> Iterator[Whole]:
    """Each prefix with each of its next values, in chunks of bounded size."""
    if len(start) == 1:
        yield from _cut(start[0], int(low[0]), int(count[0]))
        return
    ends = np.cumsum(count)
    at = 0
    while at < len(start):
        done = int(ends[at - 1]) if at else 0
        stop = max(at + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
        part = slice(at, stop)
        if int(count[at]) > 4 * _CHUNK:  # a single long range is cut too
            yield from _cut(start[at], int(low[at]), int(count[at]))
            at += 1
            continue
        total = int(count[part].sum())
        which = np.repeat(np.arange(at, stop), count[part])
        within = np.arange(total) - np.repeat(ends[part] - count[part] - done, count[part])
        yield np.concatenate([start[which], (low[which] + within)[:, None]], axis=1)
        at = stop


def _cut(prefix: Whole, low: int, count: int) -> Iterator[Whole]:
    """One prefix with each of its next values, in chunks."""
    for first in range(low, low + count, _CHUNK):
        values = np.arange(first, min(first + _CHUNK, low + count))
        out = np.empty((len(values), len(prefix) + 1), dtype=np.int64)
        out[:, :-1], out[:, -1] = prefix, values
        yield out
