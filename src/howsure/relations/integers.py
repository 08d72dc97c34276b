"""Tables of whole numbers that fit what was reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.catalogue.expressions import CELLS
from howsure.errors import BadSetting
from howsure.messages.language import spelled
from howsure.relations.boxes import meeting_points
from howsure.relations.enclosures import Bounds, bounds
from howsure.relations.quantities import COUNT_NAMES, Quantity, quantity
from howsure.relations.system import when_filled
from howsure.relations.values import CLOSE, Given

# -- inequalities
#
# What reported digits say of tables of whole numbers: linear inequalities, their corners and their projections.
#
# The digits of a quotient of sums are two inequalities with whole coefficients.

ENDLESS: Final = 1e13  # items, where nothing bounds n
_NOT_ENDLESS: Final = np.array([[-1.0, -1.0, -1.0, -1.0, ENDLESS]])
_WIDE: Final = 2**40  # larger weights are Python's integers
_TINY: Final = 1e-10


@dataclass(frozen=True)
class Inequalities:
    """weights·cells + constant >= 0, above 0 where strict; whole numbers."""

    weights: Any
    constant: Any
    strict: Mask
    pinned: Mask  # says, with another row, that a sum is one number

    @cached_property
    def scaled(self) -> Array:
        """Index with the constant last, scaled to size 1."""
        table = np.concatenate([self.weights, self.constant[:, None]], axis=1).astype(float)
        return np.asarray(table / np.abs(table[:, :4]).max(axis=1, keepdims=True))

    def corners(self, held: Array) -> Array:
        """The corners of the real tables that agree; `held` are rows that are 0 in all of them."""
        sides, offsets = self._sides
        directions, back = _along(tuple(map(tuple, held[:, :4].tolist())))
        points = meeting_points(sides, offsets, back @ -held[:, 4], directions)
        size = np.abs(points).sum(axis=1, keepdims=True) + 1.0
        inside = (points @ sides.T + offsets >= -1e-9 * size).all(axis=1)
        return np.asarray(points[inside])

    @cached_property
    def _sides(self) -> tuple[Array, Array]:
        """The rows that do not pin a sum, and that n is not endless: weights and constants."""
        table = np.concatenate([self.scaled[~self.pinned], _NOT_ENDLESS])
        return table[:, :4], table[:, 4]


def inequalities(known: tuple[Given, ...]) -> Inequalities:
    """Cells are not negative, quotients are defined and lie in their digits' interval."""
    made: list[list[int]] = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
    strict, pinned = [False] * 4, [False] * 4
    for g in known:
        if g.quantity.linear is None:
            continue
        top, bottom = g.quantity.linear
        (a, below), (b, above) = (x.as_integer_ratio() for x in _ends(g, known))
        if g.quantity.sized:
            made += [[*(below * t for t in top), -a], [*(-above * t for t in top), b]]
            strict += [False, g.open_end]
            pinned += [g.exact, g.exact]
            continue
        made.append([*(below * t - a * u for t, u in zip(top, bottom, strict=True)), 0])
        made.append([*(b * u - above * t for t, u in zip(top, bottom, strict=True)), 0])
        made.append([*bottom, 0])
        strict += [False, g.open_end, True]
        pinned += [False] * 3
    kept = [i for i, row in enumerate(made) if any(row[:4])]  # 0 >= 0 says nothing
    rows = [made[i] for i in kept]
    wide = max(max(map(abs, row)) for row in rows) > _WIDE
    table = np.array(rows, dtype=object if wide else np.int64)
    open_ends, held = (np.array([x[i] for i in kept], dtype=bool) for x in (strict, pinned))
    return Inequalities(table[:, :4], table[:, 4], open_ends, held)


def _ends(g: Given, known: tuple[Given, ...]) -> tuple[Fraction, Fraction]:
    """The ends of a value; those of a float are as far apart as float arithmetic may be off.

    Two quotients p/q and a/b differ by 1/qb at least: with a bottom b too small for that, the float is p/q.
    """
    if not g.slack or g.quantity.sized or g.quantity.linear is None:
        return g.low, g.high
    away = 2 * g.slack  # the fraction may be off the float, and the float off the truth
    n = next((x.high for x in known if x.name == "n"), None)
    if n is not None and g.low.denominator * n * max(map(abs, g.quantity.linear[1])) * away < 1:
        return g.low, g.high
    return g.low - away, g.high + away


def held_sums(known: tuple[Given, ...]) -> Array:
    """Independent sums that are given as one number: rows that are 0 in every table."""
    held = np.zeros((0, 5))
    for g in known:
        if g.exact and g.quantity.sized and g.quantity.linear is not None:
            more = np.concatenate([held, [[*g.quantity.linear[0], -float(g.low)]]])
            if len(more) < 3 or np.linalg.matrix_rank(more[:, :4]) == len(more):  # two different sums always are
                held = more
    return held


@lru_cache(maxsize=128)
def _along(held: tuple[tuple[float, ...], ...]) -> tuple[Array, Array]:
    """Directions along which these sums stay as they are, and the way from their values to a point."""
    rows = np.array(held).reshape(-1, 4)
    turned = np.linalg.svd(rows, full_matrices=True)[2]
    return np.ascontiguousarray(turned[len(rows) :]), np.linalg.pinv(rows)


def between(rows: Array, start: Integers) -> tuple[Integers, Integers]:
    """The next sum lies between these whole numbers, or a little wider."""
    k = start.shape[1]
    rest = start.astype(float) @ rows[:, :k].T + rows[:, -1]
    lead = rows[:, k]
    up, down = lead > _TINY, lead < -_TINY  # what is smaller is rounding
    low = (-rest[:, up] / lead[up]).max(axis=1, initial=-ENDLESS)
    high = (-rest[:, down] / lead[down]).min(axis=1, initial=ENDLESS)
    return whole_ends(low, high)


def whole_ends(low: Array, high: Array) -> tuple[Integers, Integers]:
    """Integers numbers between two ends that rounding may have moved a little."""
    slack = 1e-6 + 1e-12 * np.maximum(np.abs(low), np.abs(high))
    return np.ceil(low - slack).astype(np.int64), np.floor(high + slack).astype(np.int64)


def projections(rows: Array, times: int) -> list[Array]:
    """The inequalities without the last sum, without the last two, ...; the shortest first (Fourier-Motzkin)."""
    out: list[Array] = []
    marks = np.array([1 << i for i in range(len(rows))], dtype=object)
    for step in range(1, times + 1):
        rows, marks = _without_last(rows, marks, step + 1)
        out.insert(0, rows)
    return out


def _without_last(rows: Array, marks: Any, most: int) -> tuple[Array, Any]:
    """Eliminate the last sum: each lower bound lies below each upper one.

    After k steps a row that is made of more than k + 1 others follows from the rest (Kohler's rule).
    """
    lead = rows[:, -2]
    plain = np.abs(lead) < 1e-15  # rows between this and _TINY are left out: the last sum is checked against all
    up, down = np.nonzero(lead >= _TINY)[0], np.nonzero(lead <= -_TINY)[0]
    i, j = (x.ravel() for x in np.meshgrid(up, down, indexing="ij"))
    made = np.concatenate([rows[plain], rows[i] / lead[i, None] - rows[j] / lead[j, None]])
    marked = np.concatenate([marks[plain], marks[i] | marks[j]])
    made = np.delete(made, -2, axis=1)
    size = np.abs(made[:, :-1]).max(axis=1)
    keep = (size > _TINY) & np.array([x.bit_count() <= most for x in marked], dtype=bool)
    return made[keep] / size[keep, None], marked[keep]


# -- integers
#
# Every table of whole numbers that agrees with reported digits.
#
# The search counts through four sums of cells that determine the table (cells, margins, right, wrong, n), the narrowest
# first; each next one is bounded by projecting the inequalities (Fourier-Motzkin), the last one exactly in integers.
# Curves such as phi are bounded by interval arithmetic over ever shorter ranges of the last sum.

_SUMS: Final = np.array([quantity(q).weights[0] for q in COUNT_NAMES[:-1]])  # type: ignore[index]
_CHUNK: Final = 200_000
_BUDGET: Final = 12_000_000  # prefixes looked at; what takes longer counts more
_PER_CURVE: Final = 4  # bounds of a formula over a range
_PER_CALL: Final = 60  # a metric that is no formula, such as the tetrachoric correlation
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
        message = f"no table was found, which is certain only with counts up to {_SURE:,}; got {most}."
        raise NotSearched(message, "unsure")


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
def _there_and_back(chosen: tuple[int, ...]) -> tuple[Array, Integers]:
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

    def run(self) -> Iterator[Integers]:
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

    def _deeper(self, start: Integers) -> Iterator[Integers]:
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

    def _last(self, start: Integers) -> Iterator[Integers]:
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

    def _exact_bounds(self, start: Integers) -> tuple[Integers, Integers, Mask]:
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

    def _narrowed(self, start: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers, Integers]:
        """Halve the ranges of the last sum until they are short, and leave out where a curve cannot be met."""
        done: list[tuple[Integers, Integers, Integers]] = []
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

    def _possible(self, start: Integers, low: Integers, high: Integers) -> Mask:
        one, two = (np.concatenate([start, x[:, None]], axis=1) @ self.back.T for x in (low, high))
        ends = np.minimum(one, two).astype(float), np.maximum(one, two).astype(float)
        at = {c: Bounds(*(x[:, i] for x in ends)) for i, c in enumerate(CELLS)}
        keep = np.ones(len(start), dtype=bool)
        for g in self.curves:
            least, greatest = bounds(g.quantity.formula, at)
            slack = 1e-7 * max(1.0, abs(float(g.high)))
            keep &= ~((greatest < float(g.low) - slack) | (least > float(g.high) + slack))
        return keep


def _agree(g: Given, cells: Integers) -> Mask:
    """Which tables have the value of a curve, with their empty cells as they are or filled."""
    close = _CLOSER if g.full else CLOSE
    good = np.asarray(g.holds(np.asarray(g.quantity.at(cells)), close), dtype=bool)
    empty = np.flatnonzero((cells == 0).any(axis=1)) if g.name == "tetrachoric" else np.arange(0)
    if len(empty):
        good[empty] |= g.holds(when_filled(cells[empty].astype(float), cells[empty].sum(axis=1)), close)
    return good


def _lifted(back: Integers) -> Array:
    out = np.zeros((5, 5))
    out[:4, :4] = back
    out[4, 4] = 1.0
    return out


def _scattered(start: Integers) -> Integers:
    """In an order that soon has been everywhere: a search that ends early has then not seen one end only."""
    return start if len(start) < 2 else start[np.argsort((0.5 + np.arange(len(start))) * _GOLDEN % 1.0, kind="stable")]


def _growing(start: Integers) -> Iterator[Integers]:
    """Few at first, as these may have enough tables, then more and more."""
    at, size = 0, 64
    while at < len(start):
        yield start[at : at + size]
        at, size = at + size, 2 * size


def _expanded(start: Integers, low: Integers, count: Integers) -> Iterator[Integers]:
    """Each prefix with each of its next values, in chunks of whole prefixes but for those that are longer alone."""
    ends = np.cumsum(count)
    first, total = 0, int(count.sum())
    while first < total:
        k = int(np.searchsorted(ends, first + _CHUNK, side="right"))
        stop = int(ends[k - 1]) if k and ends[k - 1] > first else min(first + _CHUNK, total)
        place = np.arange(first, stop)
        which = np.searchsorted(ends, place, side="right")
        value = low[which] + place - (ends - count)[which]
        yield np.concatenate([start[which], value[:, None]], axis=1)
        first = stop
