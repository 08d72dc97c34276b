"""One measure over two others at a fixed third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from reprlib import repr as brief
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import Array, Index, Integers, Mask
from howsure.catalogue import Metric
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import short
from howsure.relations import roots
from howsure.relations.quantities import Quantity, quantity, quantity_of
from howsure.relations.region import EDGE, HUGE, outcome
from howsure.relations.values import CLOSE, Given, given, numbers, short_number, simplest, typed_values
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import VALUES, DataGiven, Option, Verb
from howsure.validate import typed_number

# -- grid
#
# The tables at many points at once: three metrics, each with a value for every point.
#
# The batched form of solve. A quotient of sums of cells with a value is a row of weights, so three of them meet in
# one direction, their cofactors, and the table is that direction scaled to shares. Two of them leave a segment of
# tables, along which all roots of the third metric are found (roots.py). Points where rows coincide, and sets
# with less than two such quotients, go through solve itself, one by one. Cells below 1e-14 of all items count as
# empty.

FREE: Final = -1  # tables without number
_COINCIDE: Final = 1e-7  # rows this close to a plane meet in more than a direction, or in one that rounding decides
_EMPTY: Final = 1e-14


@dataclass(frozen=True)
class HeldMetric:
    """A metric with its value at every point; a count is divided by n, so that it is of shares."""

    quantity: Quantity
    values: Array
    n: float = 1.0

    @property
    def rows(self) -> Array:
        """Weights of the cells whose sum is 0, for each point; the largest is 1."""
        top, bottom = self.quantity.weights  # type: ignore[misc]
        below = np.ones(4) if self.quantity.sized else bottom
        made = top - self.values[:, None] * below
        return np.asarray(made / np.abs(made).max(axis=1, keepdims=True))

    def misses(self, points: Index, shares: Array) -> Array:
        """How far the metric of shares is from its value at these points."""
        values = self.values[points]
        return np.asarray(self.quantity.at(shares) - (values[:, None] if shares.ndim > 2 else values))

    def holds(self, points: Index, shares: Array) -> Mask:
        """Whether shares have the value, within rounding; never where the metric is 0/0."""
        return np.asarray(np.abs(self.misses(points, shares)) <= CLOSE * np.maximum(1.0, np.abs(self.values[points])))


class Spans(NamedTuple):
    """At every point: how many tables, and the lowest and highest value of the metric asked for (NaN if 0/0)."""

    tables: Integers
    low: Array
    high: Array
    solved: int  # points that went through solve one by one


def batched(quantities: Sequence[Quantity]) -> bool:
    """Whether points need not be solved one by one."""
    return sum(q.weights is not None for q in quantities) >= 2


def spans(z: Quantity, conditions: Sequence[HeldMetric], n: float | None = None) -> Spans:
    """The values of a metric over all tables that meet three conditions, at every point."""
    size = conditions[0].values.size
    points, shares, left, (free, start, end) = _tables(conditions)
    tables = np.bincount(points, minlength=size)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    value = _value(z, shares, n)
    keep = ~np.isnan(value)
    np.minimum.at(low, points[keep], value[keep])
    np.maximum.at(high, points[keep], value[keep])
    nothing = np.bincount(points[keep], minlength=size) == 0
    low[nothing] = high[nothing] = np.nan
    if free.size:
        tables[free] = FREE
        low[free], most = roots.extremes(lambda at, s: _value(z, roots.between(start, end, at, s), n), free.size)
        high[free] = np.where(most > HUGE, np.inf, most)
    for point in left:
        tables[point], low[point], high[point] = _solved(z, conditions, int(point), n)
    return Spans(tables, low, high, len(left))


def _value(z: Quantity, shares: Array, n: float | None) -> Array:
    return np.asarray(z.at(shares) * (n or 1.0) if z.sized else z.at(shares), dtype=float)


Segments = tuple[Index, Array, Array]  # points, and both ends of their tables


def _tables(conditions: Sequence[HeldMetric]) -> tuple[Index, Array, Index, Segments]:
    """Points and shares of all tables, the points that are left to solve, and those with a segment of tables."""
    linear = [c for c in conditions if c.quantity.weights is not None]
    curves = [c for c in conditions if c.quantity.weights is None]
    everything = np.arange(conditions[0].values.size)
    free: Segments = everything[:0], np.zeros((0, 4)), np.zeros((0, 4))
    if len(linear) < 2:
        return everything[:0], np.zeros((0, 4)), everything, free
    if not curves:
        shares, inside, coincide = _meeting(*(c.rows for c in linear))
        points = everything[inside & ~coincide]
        shares = shares[points]
    else:
        start, end, inside, coincide = _segments(*(c.rows for c in linear))
        single = np.abs(end - start).max(axis=1) < EDGE
        rows, alone = (everything[inside & ~coincide & chosen] for chosen in (~single, single))
        points, shares, throughout = _along(curves[0], rows, start[rows], end[rows])
        points, shares = np.concatenate([points, alone]), np.concatenate([shares, start[alone]])
        middle = 0.5 * (start[throughout] + end[throughout])
        throughout = throughout[_hold(conditions, throughout, middle)]
        free = throughout, start[throughout], end[throughout]
    good = _hold(conditions, points, shares)
    return points[good], shares[good], everything[coincide], free


def _hold(conditions: Sequence[HeldMetric], points: Index, shares: Array) -> Mask:
    return np.asarray(np.logical_and.reduce([c.holds(points, shares) for c in conditions]))


def _meeting(a: Array, b: Array, c: Array) -> tuple[Array, Mask, Mask]:
    """The shares at right angles to three rows; whether they are a table; and where the rows lie in a plane."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape, c.shape))
    for i in range(4):
        j, k, l = (x for x in range(4) if x != i)
        minor = a[..., j] * (b[..., k] * c[..., l] - b[..., l] * c[..., k])
        minor -= a[..., k] * (b[..., j] * c[..., l] - b[..., l] * c[..., j])
        minor += a[..., l] * (b[..., j] * c[..., k] - b[..., k] * c[..., j])
        out[..., i] = -minor if i % 2 else minor
    size, total = np.abs(out).max(axis=-1), out.sum(axis=-1)
    coincide = size < _COINCIDE
    with np.errstate(all="ignore"):
        shares = out / total[..., None]
        inside = (shares >= -EDGE).all(axis=-1)
    return np.where(shares >= _EMPTY, shares, 0.0), np.asarray(inside), np.asarray(coincide)


def _segments(a: Array, b: Array) -> tuple[Array, Array, Mask, Mask]:
    """Both ends of the tables that two rows leave: where they meet the sides of the simplex, farthest apart."""
    corners, inside, coincide = (
        np.stack(x, axis=1) for x in zip(*(_meeting(a, b, side) for side in np.eye(4)), strict=True)
    )
    inside = inside & ~coincide
    pairs = np.array(list(combinations(range(4), 2)) + [(i, i) for i in range(4)])
    corners = np.where(inside[..., None], corners, 0.0)
    apart = np.abs(corners[:, pairs[:, 0]] - corners[:, pairs[:, 1]]).max(axis=2)
    apart = np.where(inside[:, pairs[:, 0]] & inside[:, pairs[:, 1]], apart, -1.0)
    best = apart.argmax(axis=1)
    at = np.arange(len(a))
    start, end = corners[at, pairs[best, 0]], corners[at, pairs[best, 1]]
    return start, end, np.asarray(inside.any(axis=1)), np.asarray(coincide.all(axis=1))


def _along(curve: HeldMetric, rows: Index, start: Array, end: Array) -> tuple[Index, Array, Index]:
    """All tables on segments that meet the curve, and the points where all tables of the segment do."""

    def off(at: Index, s: Array) -> Array:
        with np.errstate(all="ignore"):
            return curve.misses(rows[at], roots.between(start, end, at, s))

    found = roots.roots(off, np.maximum(1.0, np.abs(curve.values[rows])))
    made = roots.between(start, end, found.rows, found.places)
    return rows[found.rows], np.where(made < _EMPTY, 0.0, made), rows[found.throughout]


def _solved(z: Quantity, conditions: Sequence[HeldMetric], point: int, n: float | None) -> tuple[int, float, float]:
    """One point through solve: the number of tables, and the span of the metric over them."""
    known = [_given(c.quantity, float(c.values[point]) * c.n) for c in conditions]
    if n is not None:
        known.append(_given(quantity("n"), n))
    found = outcome(tuple(known), proved=False)
    if found.region is not None:
        span = found.region.spans((z,), proved=False)[0]
        return FREE, *(span or (np.nan, np.nan))
    if not len(found.tables):
        return 0, np.nan, np.nan
    tables = found.tables / found.tables.sum(axis=1, keepdims=True)
    values = _value(z, tables, n)
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (np.nan, np.nan)
    return len(tables), low, high


def _given(q: Quantity, value: float) -> Given:
    exact = simplest(value)
    return Given(q, exact, exact, short_number(exact))


# -- surfaces
#
# Surfaces: any metric over any two others at a fixed third, and its section where recall and precision are equal.
#
# Ishioka's figures 1 to 5. The tables of all grid points are found at once (above); where there is none, or more than
# one value, the surface has a hole, and says why.

BREAK_EVEN: Final = "break-even"
STATUSES: Final = ("one", "several", "free", "none", "undefined")
_SAME: Final = 1e-9  # values of several tables this close are one
_SEARCHED: Final = 1e-6  # ends of a continuum are searched
_SIZE: Final = 101
_SLOW_SIZE: Final = 21  # if every point is solved on its own
_MOST: Final = 1_000_000
_MOST_SLOW: Final = 10_000


@dataclass(frozen=True)
class Surface(Result):
    """A metric z on a grid of two others; arrays have a row for each y and a column for each x.

    `values` is NaN where no table has these metrics, where z is 0/0, and where tables have different z; there `low`
    and `high` are its least and greatest value. `tables` counts the tables of each point, -1 for a continuum.
    """

    z: str
    x: str
    y: str
    fixed: Mapping[str, float]
    x_values: Array = field(repr=False)
    y_values: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)
    tables: Integers = field(repr=False)
    solved: int = field(default=0, repr=False)  # points that were solved one by one

    @cached_property
    def values(self) -> Array:
        """z where it is one value, else NaN."""
        close = np.where(self.tables == FREE, _SEARCHED, _SAME)
        with np.errstate(invalid="ignore"):
            one = (self.high - self.low <= close * np.maximum(1.0, np.abs(self.low))) | (self.low == self.high)
        return np.where(one, self.low, np.nan)

    @property
    def mask(self) -> Mask:
        """Where there is no single value."""
        return np.isnan(self.values)

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """For each point: one table, several, free (a continuum), none, or undefined (z is 0/0 at its tables)."""
        chosen = [self.tables == 0, np.isnan(self.low), self.tables == FREE, self.tables > 1]
        return np.select(chosen, ["none", "undefined", "free", "several"], "one")

    @property
    def feasible(self) -> float:
        """The share of points that any table has."""
        return float((self.tables != 0).mean())

    @property
    def notes(self) -> Notes:
        """What is to be said of the holes, and of the time it took."""
        n, share = self.tables.size, np.array([(self.status == s).sum() for s in STATUSES])
        _, several, free, none, undefined = (f"{x:,} of {n:,} points" for x in share)
        made = [
            (share[3], "infeasible", f"no table has these measures at {none}"),
            (share[1], "several", f"several tables at {several}: z from the lowest to the highest of them"),
            (share[2], "free", f"the measures do not settle the table at {free}: z from the lowest to the highest"),
            (share[4], "undefined", f"{self.z} is 0/0 at {undefined}"),
            (self.solved, "one-by-one", f"solved one by one: {self.solved:,} of {n:,} points"),
        ]
        return tuple(note(code, text) for there, code, text in made if there)

    def _make(self) -> dict[str, Any]:
        nx, ny = len(self.x_values), len(self.y_values)
        columns = (np.tile(self.x_values, ny), np.repeat(self.y_values, nx), *(
            a.ravel() for a in (self.values, self.low, self.high, self.tables, self.status)
        ))  # fmt: skip
        rows = [
            {"x": x, "y": y, "z": real(z), "low": real(low), "high": real(high), "tables": k, "status": status}
            for x, y, z, low, high, k, status in zip(*(c.tolist() for c in columns), strict=True)
        ]
        return envelope("howsure.surface/1", rows, notes=self.notes) | {
            "z": self.z,
            "x": self.x,
            "y": self.y,
            "fixed": dict(self.fixed),
            "size": [nx, ny],
            "feasible": self.feasible,
        }

    def __repr__(self) -> str:
        at = "".join(f", {k} {v:g}" for k, v in self.fixed.items())
        size = f"{len(self.x_values)} x {len(self.y_values)}"
        return f"Surface({self.z} by {self.x} and {self.y}{at}: {size}, {self.feasible:.1%} feasible)"


def surface(
    z: str | Metric = "phi",
    x: str | Metric = "precision",
    y: str | Metric = "recall",
    fixed: Mapping[str, Any] | None = None,
    *,
    x_values: Any = None,
    y_values: Any = None,
    size: int | Sequence[int] | None = None,
    n: Any = None,
    **named: Any,
) -> Surface:
    """A metric over two others at a fixed third, such as phi by precision and recall at a fallout of 0.01.

    Any metrics of the catalogue, and counts where `n` is given. The grid has `size` points per side (a number or a
    pair; 101, or 21 where points must be solved one by one) over the range of each metric, or is `x_values` by
    `y_values`.

    >>> s = surface("phi", "precision", "recall", x_values=[0.25, 0.5], y_values=[0.4], fallout=0.01)
    >>> s.values.round(3).tolist(), s.feasible
    ([[0.309, 0.435]], 1.0)
    """
    if fixed is not None and not isinstance(fixed, Mapping):
        raise BadSetting(
            f"the fixed measure is a mapping such as {{'fallout': 0.01}}, or fallout=0.01; got {brief(fixed)}."
        )
    third = [*(fixed or {}).items(), *named.items()]
    if len(third) != 1:
        got = ", ".join(str(k) for k, _ in third) or "none"
        raise BadSetting(f"a surface needs one fixed measure besides {x} and {y}, such as fallout=0.01; got {got}.")
    held = [(quantity_of(name), _number(name, value)) for name, value in third]
    return _surface(quantity_of(z), ((quantity_of(x),), (quantity_of(y),)), held, (x_values, y_values), size, n)


def break_even(
    z: str | Metric = "phi",
    y: str | Metric = "fallout",
    *,
    x_values: Any = None,
    y_values: Any = None,
    size: int | Sequence[int] | None = None,
    n: Any = None,
) -> Surface:
    """A metric where recall and precision are equal, by their value and another metric (Ishioka figs 4 and 5).

    phi, informedness and markedness are all recall - fallout there: fp = fn.

    >>> break_even("phi", x_values=[0.4, 0.9], y_values=0.01).values.round(9).tolist()
    [[0.39, 0.89]]
    """
    axes = ((quantity("recall"), quantity("precision")), (quantity_of(y),))
    return _surface(quantity_of(z), axes, [], (x_values, y_values), size, n)


Axes = tuple[tuple[Quantity, ...], tuple[Quantity, ...]]  # the metrics of x, which are equal, and those of y


def _surface(
    z: Quantity, axes: Axes, third: list[tuple[Quantity, float]], given_values: tuple[Any, Any],
    size: int | Sequence[int] | None, n: Any,
) -> Surface:  # fmt: skip
    total = None if n is None else _number("n", n)
    everything = [*axes[0], *axes[1], *(q for q, _ in third)]
    _check(z, everything, total)
    x, y = _grid(axes, given_values, size, total, batched(everything))
    columns = [a.ravel() for a in np.meshgrid(x, y)]
    columns = [c for c, axis in zip(columns, axes, strict=True) for _ in axis]
    columns += [np.full(x.size * y.size, value) for _, value in third]
    found = spans(z, [_held(q, c, total) for q, c in zip(everything, columns, strict=True)], total)
    low, high = (a.reshape(y.size, x.size) for a in (found.low, found.high))
    x_name, y_name = (axis[0].name if len(axis) == 1 else BREAK_EVEN for axis in axes)
    fixed = {q.name: value for q, value in third} | ({} if total is None else {"n": total})
    return Surface(z.name, x_name, y_name, fixed, x, y, low, high, found.tables.reshape(low.shape), found.solved)


def _grid(
    axes: Axes, given_values: tuple[Any, Any], size: int | Sequence[int] | None, n: float | None, fast: bool
) -> tuple[Array, Array]:
    """The values of x and of y: those given, or as many as asked for over the range of the metric."""
    if size is not None and all(v is not None for v in given_values):
        message = f"{option('x_values')} and {option('y_values')} make the whole grid"
        raise BadSetting(f"{message}: leave out {option('size')}.")
    known = [None if v is None else axis_values(axis[0], v) for axis, v in zip(axes, given_values, strict=True)]
    sizes = _sides(size, _SIZE if fast else _SLOW_SIZE)
    sides = [k if v is None else v.size for k, v in zip(sizes, known, strict=True)]
    most, slow = (_MOST, "") if fast else (_MOST_SLOW, " if every point is solved on its own")
    if sides[0] * sides[1] > most:
        raise BadSetting(f"a surface has at most {most:,} points{slow}; got {sides[0]:,} x {sides[1]:,}.")
    x, y = (_default(a[0], k, n) if v is None else v for a, k, v in zip(axes, sides, known, strict=True))
    return x, y


def _held(q: Quantity, values: Array, n: float | None) -> HeldMetric:
    return HeldMetric(q, values / n, n) if q.sized and n is not None else HeldMetric(q, values)


def _check(z: Quantity, held: list[Quantity], n: float | None) -> None:
    """Three metrics that differ, and n where a count is among them."""
    names = [q.name for q in held]
    for name in names:
        if names.count(name) > 1:
            raise BadSetting(
                f"{name} is held twice: a surface needs three measures that differ; got {', '.join(names)}."
            )
        if name == "n":
            raise BadSetting("n is fixed throughout a surface: give it as n=.")
    counts = [q.name for q in (z, *held) if q.sized]
    if counts and n is None:
        raise BadSetting(f"{counts[0]} is a count: give n= as well, such as n=1000.")


def _sides(size: int | Sequence[int] | None, default: int) -> tuple[int, int]:
    pair = (default, default) if size is None else tuple(size) if isinstance(size, (list, tuple)) else (size, size)
    if len(pair) != 2 or not all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 2 for k in pair):
        raise BadSetting(f"size must be a number of points per side, at least 2, or a pair of them; got {brief(size)}.")
    return int(pair[0]), int(pair[1])


def axis_values(q: Quantity, values: Any) -> Array:
    """A number or a list of them, all within the range of the metric."""
    made = np.atleast_1d(numbers(values, f"values of {q} are numbers"))
    if made.ndim != 1 or not made.size or not np.isfinite(made).all():
        raise BadSetting(f"values of {q} are a list of finite numbers; got {brief(values)}.")
    for end in (made.min(), made.max()):
        given(q.name, float(end))
    return made


def _default(q: Quantity, size: int, n: float | None) -> Array:
    """Evenly over the range; by equal factors from 1/100 to 100 where it has no end."""
    low, high = q.bounds
    if q.sized:
        high = float(n or 0.0)
    return np.geomspace(0.01, 100.0, size) if np.isinf(high) else np.linspace(low, high, size)


def _number(name: str, value: Any) -> float:
    """One number, in the range of its metric."""
    one = given(name, value) if not isinstance(value, str) else None
    if one is None or not one.exact:
        got = repr(value) if one is None else one.shown
        raise BadSetting(f"{name} must be one number, no text and no range, to be held fixed; got {got}.")
    return float(one.low)


# -- eleven
#
# The 11-point averaged precision that belongs to a phi, or another metric, at a fixed fallout (Ishioka 3.3).
#
# At a recall r and a fallout a the metric is a function of precision. The precision that gives it a target value is
# looked for at r = 0, 0.1, ..., 1, and averaged. The function is not monotone: phi is 0 at both ends and rises to a
# peak between, so a target above the peak has no solution, one below it has two. The sound rule finds all solutions,
# takes the lowest at each level (the precision that is needed, on the side where the metric rises with it) or the
# highest, leaves out the levels without one, and says how many those are. The rule of the paper halves [0.01, 0.99]
# as if the function rose, and returns a number whether there is a solution or not.

LEVELS: Final = np.linspace(0.0, 1.0, 11)
RULES: Final = ("lowest", "highest", "bisection")
_FALLOUTS: Final = (0.01, 0.02, 0.05, 0.1)
_HALVINGS: Final = 50
_MOST_POINTS: Final = 110_000  # points, some 10 seconds
_FIRST: Final = 1e-6  # recall at level 0 of the bisection, where precision has no meaning


@dataclass(frozen=True)
class ElevenPoint(Result):
    """Averaged precision by the value of a metric (columns) and by fallout (rows).

    `precision` has the 11 recall levels along its last axis, NaN where no table has the target; `share` is the part of
    the levels that have one, `mean` the average over those (bisection: over all), NaN where there is none.
    """

    measure: str
    rule: str
    values: Array = field(repr=False)
    fallout: Array = field(repr=False)
    precision: Array = field(repr=False)
    reachable: Mask = field(repr=False)

    @cached_property
    def mean(self) -> Array:
        """The averaged precision."""
        there = ~np.isnan(self.precision)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(there, self.precision, 0.0).sum(axis=2) / there.sum(axis=2))

    @property
    def share(self) -> Array:
        """The part of the 11 levels at which a table has the target."""
        return np.asarray(self.reachable.mean(axis=2))

    @property
    def gap(self) -> Array:
        """Averaged precision minus the value of the metric, averaged over the values; one number per fallout."""
        with np.errstate(invalid="ignore"):
            gaps = self.mean - self.values
            there = ~np.isnan(gaps)
            return np.asarray(np.where(there, gaps, 0.0).sum(axis=1) / there.sum(axis=1))

    @property
    def notes(self) -> Notes:
        missed = float(1 - self.reachable.mean())
        rule = {
            "highest": "the highest precision with the target at each level; levels without one are left out",
            "lowest": "the lowest precision with the target at each level; levels without one are left out",
            "bisection": "halving [0.01, 0.99] as if the measure rose with precision: a number even where none has it",
        }[self.rule]
        return (
            note("rule", rule),
            note("infeasible", f"no table has the target at {missed:.1%} of all levels"),
        )

    def _make(self) -> dict[str, Any]:
        rows = [
            {
                "fallout": float(a), "value": float(v), "mean": real(self.mean[i, j]), "share": real(self.share[i, j]),
                "precision": [real(p) for p in self.precision[i, j]],
            }
            for i, a in enumerate(self.fallout) for j, v in enumerate(self.values)
        ]  # fmt: skip
        return envelope("howsure.eleven-point/1", rows, notes=self.notes) | {
            "measure": self.measure,
            "rule": self.rule,
            "levels": LEVELS.tolist(),
            "gap": [real(x) for x in self.gap],
        }

    def __repr__(self) -> str:
        size = f"{len(self.values)} values, {len(self.fallout)} fallouts"
        return f"ElevenPoint({self.measure}, {self.rule}: {size}, {self.reachable.mean():.1%} of levels feasible)"


def eleven_point(
    measure: str | Metric = "phi", values: Any = None, *, fallout: Any = _FALLOUTS, rule: str = "lowest"
) -> ElevenPoint:
    """The 11-point averaged precision of systems with a given phi (or tetrachoric, ...) and fallout.

    `values` are the targets, 0.05 to 0.95 by default. `rule` is lowest, highest or bisection (the paper's).

    >>> e = eleven_point("phi", [0.5], fallout=[0.01])
    >>> e.mean.round(3).tolist(), e.share.round(3).tolist()
    ([[0.405]], [[0.636]])
    """
    if rule not in RULES:
        raise UnknownName(f"no rule {rule!r}.{nearest(str(rule), RULES)} Rules: {', '.join(RULES)}.")
    what = quantity_of(measure)
    if what.sized or np.ptp(what.at(_ishioka_tables(np.array([0.3, 0.6]), 0.7, 0.2))) < 1e-9:
        raise BadSetting(
            f"eleven_point needs a measure that precision moves at a fixed recall and fallout; got {what}."
        )
    targets = np.linspace(0.05, 0.95, 19) if values is None else axis_values(what, values)
    rates = axis_values(quantity("fallout"), fallout)
    if rates.size * targets.size * LEVELS.size > _MOST_POINTS:
        raise BadSetting(
            f"eleven_point allows at most {_MOST_POINTS // LEVELS.size:,} pairs of a value and a fallout; got "
            f"{targets.size:,} values and {rates.size:,} fallouts."
        )
    a, v, r = (x.ravel() for x in np.meshgrid(rates, targets, LEVELS, indexing="ij"))
    known = [HeldMetric(quantity("recall"), r), HeldMetric(quantity("fallout"), a), HeldMetric(what, v)]
    found = spans(quantity("precision"), known)
    chosen = {"highest": found.high, "lowest": found.low}.get(rule)
    precision = _bisected(what, r, a, v) if chosen is None else chosen
    shape = (rates.size, targets.size, LEVELS.size)
    reachable = (~np.isnan(found.low)).reshape(shape)
    return ElevenPoint(what.name, rule, targets, rates, precision.reshape(shape), reachable)


def _bisected(what: Quantity, r: Array, a: Array, v: Array) -> Array:
    """The paper's search: up where the metric is below the target, else down."""
    low, high = np.full(r.shape, 0.01), np.full(r.shape, 0.99)  # no bracket of a root, as roots.root needs
    r = np.maximum(r, _FIRST)
    for _ in range(_HALVINGS):
        p = 0.5 * (low + high)
        value = what.at(_ishioka_tables(p, r, a))
        low, high = np.where(value < v, p, low), np.where(value < v, high, p)
    return np.where(np.isnan(value), np.nan, 0.5 * (low + high))  # fallout 0 leaves no item but true negatives


def _ishioka_tables(p: Array, r: Array | float, a: Array | float) -> Array:
    """Ishioka eqs 7 to 9 with tp = ap."""
    return np.stack(np.broadcast_arrays(a * p, a * (1 - p), a * p * (1 / r - 1), (1 - p) * (1 - a)), axis=-1)


# -- what is shown

_MOST_COLUMNS: Final = 11
_NOISE: Final = 1e-13  # what rounding leaves of 0 or 1
_NONE: Final = "·"


def _shown(result: ResultDict) -> tuple[list[int], list[int]]:
    """Return the places of the columns and the lines that people see: up to 11 x 11, evenly spread."""
    nx, ny = result["size"]
    return _some(nx), _some(ny)


def _some(size: int) -> list[int]:
    """Return places spread evenly, both ends among them."""
    k = min(size, _MOST_COLUMNS)
    return [round(i * (size - 1) / (k - 1)) for i in range(k)] if k > 1 else [0]


def _columns(result: ResultDict, _rows: Sequence[Any]) -> list[TableColumn]:
    """Return a column for each x; the rows are the values of y."""
    across, _ = _shown(result)
    return col.texts_columns([f"{result['y']} \\ {result['x']}", *(f"{result['rows'][i]['x']:.4g}" for i in across)])


def _rows(result: ResultDict) -> list[tuple[str, ...]]:
    rows, nx, (across, down) = result["rows"], result["size"][0], _shown(result)
    return [(f"{rows[j * nx]['y']:.4g}", *(_cell(rows[j * nx + i]) for i in across)) for j in down]


def _headline(result: ResultDict) -> str:
    fixed = "".join(f", {name} {value:g}" for name, value in result["fixed"].items())
    return f"{result['z']} by {result['x']} and {result['y']}{fixed}; {result['feasible']:.1%} feasible"


def _notes(result: ResultDict, texts: list[str]) -> list[str]:
    (nx, ny), (across, down) = result["size"], _shown(result)
    empty = [f"{_NONE} no table"] if any(_NONE in line for line in _rows(result)) else []
    some = [f"{len(across)} x {len(down)} of {nx} x {ny} values are shown; JSON and CSV have all"]
    return [*empty, *texts, *(some if (len(across), len(down)) != (nx, ny) else [])]


def _cell(row: dict[str, Any]) -> str:
    if row["z"] is not None:
        near = round(row["z"])
        return short(float(near) if abs(row["z"] - near) < _NOISE else row["z"])
    if row["status"] == "none":
        return _NONE
    if row["low"] is None and row["high"] is None:
        return "infinite" if row["status"] == "one" else "0/0"
    low, high = (_end(row[k]) for k in ("low", "high"))
    return f"{low}|{high}" if row["status"] == "several" else f"{low}…{high}"


def _end(x: float | None) -> str:
    if x is None:
        return "∞"
    return f"{x:.2f}" if abs(x) < 1000 else f"{x:.4g}"


def _columns_by_fallout(result: ResultDict, _rows: Sequence[Any]) -> list[TableColumn]:
    fallouts = dict.fromkeys(r["fallout"] for r in result["rows"])
    return col.texts_columns([result["measure"], *(f"fallout {a:g}" for a in fallouts)])


def _rows_by_fallout(result: ResultDict) -> list[tuple[str, ...]]:
    """Return averaged precision and the share of levels that have it, by value; and the mean gaps."""
    lines: dict[float, list[str]] = {}
    for r in result["rows"]:
        average = _NONE if r["mean"] is None else f"{short(r['mean'])} ({r['share']:.0%})"
        lines.setdefault(r["value"], [f"{r['value']:.4g}"]).append(average)
    return [*map(tuple, lines.values()), ("mean gap", *(short(x) for x in result["gap"]))]


def _headline_by_fallout(result: ResultDict) -> str:
    return f"11-point averaged precision by {result['measure']}; rule {result['rule']} (share of levels)"


_AXIS: Final = "0.1,0.5 | 0.1:0.9:5"
_LONGEST: Final = 1_000_000


def _typed(
    _given: DataGiven, *, values: Sequence[str] = (), z: str = "phi", x: str | None = None, y: str | None = None,
    x_values: str | None = None, y_values: str | None = None, break_even: bool = False, size: int | None = None,
) -> Surface:  # fmt: skip
    fixed = typed_values(values, False, "surface")
    how: dict[str, Any] = {"x_values": _typed_axis(x_values), "y_values": _typed_axis(y_values), "size": size}
    how["n"] = fixed.pop("n", None)
    if not break_even:
        return surface(z, x or "precision", y or "recall", fixed, **how)
    if x is not None or fixed:
        stray = f"--x {x}" if x else ", ".join(fixed)
        raise BadSetting(f"--break-even already sets x: leave out {stray}, and give only --y")
    return _break_even(z, y or "fallout", **how)


def _typed_axis(text: str | None) -> list[float] | None:
    """0.1,0.5 or 0.1:0.9:5 as numbers."""
    if text is None:
        return None
    try:
        if ":" not in text:
            return [typed_number(part) for part in text.split(",")]
        first, last, number = text.split(":")
        steps = int(number) - 1
        low, high = typed_number(first), typed_number(last)
        if not 1 <= steps < _LONGEST:
            raise ValueError
        return [low + (high - low) * i / steps for i in range(steps + 1)]
    except ValueError:
        raise BadSetting(
            f"values are a list (0.1,0.5) or first:last:number (0.1:0.9:5), at most {_LONGEST:,} of them; got {text!r}"
        ) from None


_break_even = break_even  # which is a keyword of the command too

VERB: Final = Verb(
    surface,
    help="""Names are those of howsure metrics; counts such as tp need n=VALUE too. The table shows up to 11 x 11 of the
    values, JSON and CSV have all.""",
    table={
        "values": VALUES,
        "z": Option("The metric that is shown.", metavar="NAME", default="phi"),
        "x": Option("The metric of the columns.", metavar="NAME", default="precision"),
        "y": Option("The metric of the rows.", metavar="NAME", default="recall; fallout with --break-even"),
        "break_even": Option("Columns are recall = precision; no fixed metric is needed.", reads="flag"),
        "x_values": Option("Values of x: a list, or first:last:number.", metavar=_AXIS),
        "y_values": Option("Values of y: a list, or first:last:number.", metavar=_AXIS),
        "size": Option("Points per side; 101, or 21 if each must be solved on its own.", reads="whole"),
        "n": None,
    },
    typed=_typed,
    kinds=(
        ResultKind(
            "surface",
            _columns,
            _rows,
            _headline,
            _notes,
            about=lambda _: [],
            every_note=True,
            charts=later("charts.relations:surface"),
            title="How do these measures go together?",
            sampled=False,
        ),
        ResultKind(
            "eleven-point",
            _columns_by_fallout,
            _rows_by_fallout,
            _headline_by_fallout,
            about=lambda _: [],
            every_note=True,
            charts=later("charts.relations:eleven_point"),
            title="Which averaged precision belongs to it?",
            sampled=False,
        ),
    ),
    examples=("--z phi fallout=.01",),
)
