"""The law of phi, or of Cohen's kappa, of four Dirichlet cells: exact, with an error that each table states for itself.

Statement: tails, density, quantiles and moments by the product rules of agreement_rules.py. Two sizes of the rule are
held against each other at three points of the law and at its mean; while they differ the rule grows.
Below 0 phi is that of the table with its answers swapped, with the sign turned; kappa takes the split by right answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from howsure.kernels.agreement import Kind
from howsure.kernels.agreement_rules import FIBONACCI, SIZES, Cells, Moments, ProductRule, chosen
from howsure.kernels.continuous import EPS, Stepped
from howsure.kernels.law import Pick
from howsure.kernels.scale import normal_score

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_SCORES: Final = np.array([[-1.96], [0.0], [1.96]])  # where two rules are held against each other
_NEAR_ZERO: Final = np.array([[0.004], [0.04]])
_BENT: Final = 1e-5  # as a probability: less is stated, but the rule need not grow for it
_CLOSE: Final = 1e-8  # in standard deviations: the smaller rule will do
_ENOUGH: Final = 1e-5  # the larger rule will do
_LARGE: Final = 5  # in the row of sizes: from here on less will do,
_POOR: Final = 1e-4  # and if the largest has not this, a lattice is tried
_LOST: Final = 1e-3
_PLAIN: Final = 5.0  # tables with such shapes, for which few nodes are wanted, take a rule two sizes up:
_EASY: Final = 2
_SHOWN: Final = 1e-6  # it was never off by more (6e-8 in 3,000 tables), in standard deviations or as a probability
_MORE: Final = 8.0  # by which a probability between the points of a trial may be further off
_INNER: Final = (8, 24)  # nodes of the inner share for moments, where shapes are ordinary or small
_SMALL: Final = 3.0
_STEPS: Final = 60
_FEW: Final = 100
_REACH: Final = 9.0  # standard deviations of atanh M
_SELDOM: Final = 1e-6  # values below 0 that are rarer do not count
_NEAR: Final = 1e-6  # a miss this small is squared by the step that follows it


@dataclass(frozen=True)
class Side:
    """Rules for values of one sign, each table with its own, and how far they may be off."""

    groups: tuple[tuple[Index, ProductRule], ...]
    moments: Moments
    off: Array  # of a quantile, in standard deviations
    mean_off: Array
    chance: Array  # of a probability

    @cached_property
    def _place(self) -> tuple[Index, Index]:
        """The group of each table, and its row there."""
        group, row = np.empty(self.off.size, dtype=np.intp), np.empty(self.off.size, dtype=np.intp)
        for k, (tables, _) in enumerate(self.groups):
            group[tables], row[tables] = k, np.arange(tables.size)
        return group, row

    def tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """Tail and density of atanh M, table by table."""
        if len(self.groups) == 1:
            return self.groups[0][1].tail(self._place[1][tables], h, upper)
        tail, density = np.empty(h.shape), np.empty(h.shape)
        group, row = self._place
        for k, (_, rule) in enumerate(self.groups):
            at = np.flatnonzero(group[tables] == k)
            if at.size:
                tail[at], density[at] = rule.tail(row[tables[at]], h[at], upper[at])
        return tail, density


def settled(kind: Kind, cells: Cells, right: bool = False) -> Side:
    """Rules that are large enough for each table."""
    split, level = chosen(kind, cells, right)
    size, sign = split.size, -1.0 if right else 1.0
    made = _Settling(size)
    plain = (np.min(cells, axis=0) >= _PLAIN) & (level.max(axis=1) <= _EASY) & (not right)
    for tables, rule in _by_size(kind, cells, split, level + 2, np.flatnonzero(plain)):
        made.trust(tables, rule)
    todo = np.flatnonzero(~plain)
    while todo.size:
        again = []
        for tables, rule in _by_size(kind, cells, split, level, todo):
            trial = _Trial(rule, _larger(rule), sign)
            last = (level[tables] >= SIZES.size - 2).all(axis=1)
            done = trial.off <= np.where(level[tables].max(axis=1) < _LARGE, _ENOUGH, _POOR)
            made.take(tables, trial, done)
            for poor in tables[last & ~done]:
                own = rule.only(np.flatnonzero(tables == poor))
                few, many = (replace(own, nodes=(n, 0)) for n in FIBONACCI)
                made.take(np.array([poor]), _Trial(few, many, sign), np.array([True]))
            again.append(tables[~done & ~last])
        todo = np.concatenate(again) if again else todo[:0]
        level[todo] = np.minimum(level[todo] + np.where(made.off[todo] > 1e-4, 2, 1)[:, None], SIZES.size - 2)
    return made.side()


class _Settling:
    """Rules found so far."""

    def __init__(self, size: int) -> None:
        self.off, self.mean_off, self.chance = (np.empty(size) for _ in range(3))
        self.moments = [np.empty(size) for _ in range(5)]
        self.groups: list[tuple[Index, ProductRule]] = []

    def take(self, tables: Index, trial: _Trial, good: Mask) -> None:
        """What the trial found of its tables, and the rule of those that are served by it."""
        self.off[tables], self.mean_off[tables], self.chance[tables] = trial.off, trial.mean_off, trial.chance
        for values, own in zip(self.moments, vars(trial.moments).values(), strict=True):
            values[tables] = own
        close = trial.off <= _CLOSE
        for mask, rule in ((good & close, trial.small), (good & ~close, trial.large)):
            if mask.any():
                self.groups.append((tables[mask], rule if mask.all() else rule.only(np.flatnonzero(mask))))

    def trust(self, tables: Index, rule: ProductRule) -> None:
        """Tables for which tests have shown that a rule of this size will do."""
        self.off[tables], self.mean_off[tables], self.chance[tables] = _SHOWN, _SHOWN, _SHOWN / _MORE
        for values, own in zip(self.moments, vars(rule.moments(_INNER[0])).values(), strict=True):
            values[tables] = own
        self.groups.append((tables, rule))

    def side(self) -> Side:
        return Side(tuple(self.groups), Moments(*self.moments), self.off, self.mean_off, self.chance)


def _larger(rule: ProductRule) -> ProductRule:
    u, v = (int(SIZES[np.searchsorted(SIZES, n) + 1]) for n in rule.nodes)
    return replace(rule, nodes=(u, v))


def _by_size(kind: Kind, cells: Cells, split: Index, level: Index, todo: Index) -> Iterator[tuple[Index, ProductRule]]:
    """Tables that take the same numbers of nodes, with their rule."""
    code = level[todo, 0] * SIZES.size + level[todo, 1]
    for one in np.unique(code):
        tables = todo[code == one]
        tp, fp, fn, tn = (x[tables] for x in cells)
        u, v = divmod(int(one), SIZES.size)
        yield tables, ProductRule(kind, (tp, fp, fn, tn), split[tables], (int(SIZES[u]), int(SIZES[v])))


class _Trial:
    """A rule held against the next larger one."""

    def __init__(self, rule: ProductRule, larger: ProductRule, sign: float) -> None:
        self.small, self.large = rule, larger
        inner = _INNER[int(min(float(x.min()) for x in rule.cells) < _SMALL)]
        before, self.moments = rule.moments(inner), self.large.moments(inner + 4)
        size = rule.split.size
        h = self._points(np.tile(np.arange(size), _SCORES.size), sign).reshape(_SCORES.size, size)
        near = np.where(np.abs(self.moments.middle) < _REACH * self.moments.spread, self.moments.spread, np.nan)
        h = np.concatenate([h, sign * near * _NEAR_ZERO])  # splits by right answers, or by a class, bend at 0
        tables = np.tile(np.arange(size), len(h))
        one, two, density = self._held(tables, np.where(np.isnan(h), sign, h).ravel())
        apart = np.where(sign * h > 0, np.abs(one - two).reshape(h.shape), 0.0)  # the other side has its own rule
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (apart / density.reshape(h.shape))[: _SCORES.size] / self.moments.spread
            mean = np.abs(before.mean - self.moments.mean) / self.moments.std
        ends = np.where((apart[: _SCORES.size] == 0) & ~np.isfinite(ends), 0.0, ends).max(axis=0)
        safety = 1.0 if rule.nodes[1] else 6.0  # a lattice gains a power only, a Gauss rule gains by squares
        self.chance, ends, mean = (safety * np.nan_to_num(x, nan=np.inf) for x in (apart.max(axis=0), ends, mean))
        self.off, self.mean_off = np.maximum(ends, np.where(self.chance > _BENT, self.chance, 0.0)), mean

    def _held(self, tables: Index, h: Array) -> tuple[Array, Array, Array]:
        """Tails by both rules, and the density."""
        upper = h > self.moments.middle[tables]
        (one, _), (two, density) = self.small.tail(tables, h, upper), self.large.tail(tables, h, upper)
        return one, two, density

    def _points(self, tables: Index, sign: float) -> Array:
        """About where the tails of _SCORES are: a guess by moments, and a step from it."""
        h = sign * np.maximum(sign * self.moments.quantile(_SCORES).ravel(), 0.0)
        upper = np.repeat(_SCORES[:, 0] > 0, tables.size // _SCORES.size)
        tail, density = self.small.tail(tables, h, upper)
        wanted = np.repeat(special.ndtr(-np.abs(_SCORES[:, 0])), tables.size // _SCORES.size)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = np.where(upper, 1.0, -1.0) * np.log(tail / wanted) * tail / np.maximum(density, 1e-300)
        spread = self.moments.spread[tables]
        h = h + np.clip(np.where(np.isfinite(step), step, 0.0), -spread, spread)
        return np.asarray(sign * np.maximum(sign * h, 0.0))


@dataclass(frozen=True, eq=False)
class AgreementLaw(Stepped):
    """The law of phi or kappa; cells are shapes of tp, fp, fn, tn, in a batch or single."""

    kind: Kind
    cells: Cells

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(x.shape for x in self.cells))

    @property
    def lower(self) -> float:
        return -1.0

    @property
    def upper(self) -> float:
        return 1.0

    @cached_property
    def _flat(self) -> Cells:
        tp, fp, fn, tn = (np.broadcast_to(x, self.shape).ravel().astype(float) for x in self.cells)
        return tp, fp, fn, tn

    @cached_property
    def _above(self) -> Side:
        return settled(self.kind, self._flat)

    @cached_property
    def _below(self) -> Side:
        """For values below 0."""
        if self.kind == "kappa":
            return settled(self.kind, self._flat, right=True)
        tp, fp, fn, tn = self._flat
        return settled(self.kind, (fp, tp, tn, fn))

    @property
    def searched(self) -> bool:
        return self._flat[0].size <= _FEW  # of many tables, points that nobody asks for take their time

    @property
    def unimodal(self) -> bool:
        return min(float(x.min(initial=np.inf)) for x in self.cells) >= 1.5

    def corners(self) -> tuple[float, ...]:
        return (0.0,)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> AgreementLaw:
        tp, fp, fn, tn = (np.broadcast_to(x, shape)[pick] for x in self.cells)
        return AgreementLaw(self.kind, (tp, fp, fn, tn))

    # -- tails

    def _tail(self, tables: Index, h: Array, upper: Mask) -> tuple[Array, Array]:
        """Tail and density of atanh M at flat points of flat tables."""
        low = h < 0
        if not low.any():
            return self._above.tail(tables, h, upper)
        turn = -1.0 if self.kind == "phi" else 1.0
        if low.all():
            return self._below.tail(tables, turn * h, upper ^ (turn < 0))
        tail, density = np.empty(h.shape), np.empty(h.shape)
        for at in (low, ~low):
            tail[at], density[at] = self._tail(tables[at], h[at], upper[at])
        return tail, density

    @cached_property
    def _at_zero(self) -> Array:
        """P(M <= 0), flat; 0 where that is out of reach."""
        moments = self._above.moments
        near = np.flatnonzero(~(moments.middle > _REACH * moments.spread))
        below = np.zeros(moments.middle.size)
        if near.size:
            below[near] = self._above.tail(near, np.zeros(near.size), np.full(near.size, False))[0]
        return below

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        del density  # comes with the tail
        shape, tables, (t, t_low, up) = self._points(t, t_low, upper)
        h = _atanh(t, t_low)
        inside = np.isfinite(h)
        tail, slope = np.where((t <= -1.0) == up, 1.0, 0.0), np.zeros(t.shape)
        if inside.any():
            tail[inside], slope[inside] = self._tail(tables[inside], h[inside], up[inside].astype(bool))
            slope[inside] *= np.cosh(np.minimum(np.abs(h[inside]), 350.0)) ** 2
        return np.clip(tail, 0.0, 1.0).reshape(shape), slope.reshape(shape)

    def _points(self, *values: Array | Mask | float) -> tuple[tuple[int, ...], Index, list[Array]]:
        """Points against the batch, flat, with the number of the table of each."""
        shape = np.broadcast_shapes(self.shape, *(np.shape(x) for x in values))
        number = np.arange(self._flat[0].size).reshape(self.shape)
        return (
            shape,
            np.broadcast_to(number, shape).ravel(),
            [np.broadcast_to(x, shape).ravel().astype(float) for x in values],
        )

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.tails_around(np.tanh(self._above.moments.middle).reshape(self.shape), t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        return self.one_tail(t, t_low, np.zeros(np.broadcast_shapes(t.shape, self.shape), dtype=bool), True)[1]

    # -- quantiles

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        shape, tables, (p, q) = self._points(p, q)
        h = np.where(p <= 0, -np.inf, np.where(q <= 0, np.inf, 0.0))
        inside = np.isfinite(h)
        if inside.any():
            h[inside] = self._search(tables[inside], p[inside], q[inside])
        h = h.reshape(shape)
        return np.tanh(h), 2.0 * special.expit(2.0 * h), 2.0 * special.expit(-2.0 * h)

    def _search(self, tables: Index, p: Array, q: Array) -> Array:
        """Safeguarded Newton steps on the log of the smaller tail."""
        use_low = p <= q
        target = np.where(use_low, p, q)
        negative = p < self._at_zero[tables]
        low, high = np.where(negative, -np.inf, 0.0), np.where(negative, 0.0, np.inf)
        moments = self._above.moments
        spread = moments.spread[tables]
        h = Moments(*(x[tables] for x in vars(moments).values())).quantile(normal_score(p, q))
        h = np.where(negative, np.minimum(h, -0.05 * spread), np.maximum(h, 0.05 * spread))
        active = np.arange(h.size)
        for _ in range(_STEPS):
            tail, density = self._tail(tables[active], h[active], ~use_low[active])
            with np.errstate(all="ignore"):
                miss = np.where(use_low[active], 1.0, -1.0) * np.log(tail / target[active])
                step = miss * tail / density
            limit = 2.0 * spread[active]
            step = np.clip(np.where(np.isfinite(step), step, np.sign(miss) * limit), -limit, limit)
            old = h[active]
            low[active] = np.where(miss <= 0, old, low[active])
            high[active] = np.where(miss >= 0, old, high[active])
            new = old - step
            with np.errstate(invalid="ignore"):
                middle = 0.5 * (low[active] + high[active])
            halve = np.isfinite(middle) & ((new <= low[active]) | (new >= high[active]))
            h[active] = np.where(halve, middle, new)
            done = ((np.abs(miss) < _NEAR) & ~halve) | (np.abs(h[active] - old) <= 4 * EPS * np.abs(old))
            active = active[~done]
            if not active.size:
                break
        return h

    # -- points and accuracy

    def mean(self) -> Array:
        return self._above.moments.mean.reshape(self.shape)

    def std(self) -> Array:
        return self._above.moments.std.reshape(self.shape)

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        """How far a quantile may be off, in standard deviations, and a probability: the worse of both sides of 0."""
        sides = [self._above, self._below] if (self._at_zero > _SELDOM).any() else [self._above]
        off, chance = (np.max([getattr(side, name) for side in sides], axis=0) for name in ("off", "chance"))
        return off, np.minimum(_MORE * chance + 1e-10, 1.0)

    @property
    def lost(self) -> bool:
        """Whether some table is served by no rule: near kappa's lowest value, with counts beyond a billion."""
        return bool((self._off[0] > _LOST).any())

    @cached_property
    def error(self) -> tuple[Array, Array]:
        value = np.maximum(self.mean_error(), self.end_errors(0.95, False)[0])
        return value, self._off[1].reshape(self.shape)

    def own_error(self) -> tuple[Array, Array]:
        return self.error

    def mean_error(self) -> Array:
        return ((self._above.mean_off + 1e-10) * self._above.moments.std + 8 * EPS).reshape(self.shape)

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """What two rules differ by, held by tests; twice that for the ends of a shortest interval."""
        del level
        off = ((1.0 + shortest) * (self._off[0] + 1e-9) * self._above.moments.std + 8 * EPS).reshape(self.shape)
        return off, off


def _atanh(t: Array, t_low: Array) -> Array:
    """atanh(t + t_low), infinite at and beyond the ends."""
    above, below = (1.0 - t) - t_low, (1.0 + t) + t_low
    with np.errstate(divide="ignore", invalid="ignore"):
        h = 0.5 * (np.log(np.maximum(below, 0.0)) - np.log(np.maximum(above, 0.0)))
        near = np.arctanh(np.where(np.abs(t) < 0.5, t, 0.0)) + t_low
    return np.where(np.abs(t) < 0.5, near, h)
