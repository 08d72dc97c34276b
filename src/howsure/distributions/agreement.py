"""The law of phi, or of Cohen's kappa, of four Dirichlet cells: exact, with an error that each table states for itself.

Statement: tails, density, quantiles and moments by the product rules of agreement_rules.py, on a scale of atanh.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions.agreement_rules import MORE, PLAIN, REACH, Below, Cells, Kind, Moments, Side, settled
from howsure.distributions.beta_moments import beta_order
from howsure.distributions.continuous import EPS, Stepped
from howsure.distributions.protocol import Pick
from howsure.distributions.scale import normal_score

_LOST: Final = 1e-3
_LOST_MEAN: Final = 5e-3
_STEPS: Final = 60
_FEW: Final = 100
_BODY, _FAR = 0.951, 0.9991  # levels up to which ends were tried
_SEAM: Final = 5e-5
_SELDOM: Final = 1e-6  # values below 0 that are rarer do not count
_EDGE: Final = 84.0  # of atanh, 1e-73 from the end of the range: the rules end there
_NEXT_TO_END: Final = 25.0  # of atanh, 4e-22 from the end of the range
_SAME_POWER: Final = 1e-9
_NEAR: Final = 1e-6  # a miss this small is squared by the step that follows it


@dataclass(frozen=True, eq=False)
class AgreementLaw(Stepped):
    """The law of phi or kappa; cells are shapes of tp, fp, fn, tn, in a batch or single."""

    kind: Kind
    cells: Cells
    _ends: dict[float, tuple[Array, Array, Array, Array]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
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
    def _sides(self) -> tuple[Side, Below, Array, Array]:
        """Rules above and below 0; P(M <= 0), and how far they miss it: where that is too far, by lattices."""
        above, below = settled(self.kind, self._flat), Below(self.kind, self._flat)
        far = above.moments.middle > REACH * above.moments.spread
        near = np.flatnonzero(~(far & (np.min(self._flat, axis=0) >= PLAIN)))
        zero, seam = np.zeros(far.size), np.zeros(far.size)
        if near.size:
            tp, fp, fn, tn = (x[near] for x in self._flat)
            zero[near] = beta_order(fp, tn, tp, fn)[0]  # recall is not above fallout
            seam[near] = self._seam(above, below, near, zero[near])
        bad = ~(seam <= _SEAM)
        if bad.any():
            above, below = settled(self.kind, self._flat, lattice=bad), Below(self.kind, self._flat, bad)
            seam[near] = self._seam(above, below, near, zero[near])
        return above, below, zero, seam

    @property
    def _above(self) -> Side:
        return self._sides[0]

    @property
    def _below(self) -> Below:
        return self._sides[1]

    @property
    def _at_zero(self) -> Array:
        """P(M <= 0), flat; 0 where it is below anything that rules could tell."""
        return self._sides[2]

    def _seam(self, above: Side, below: Below, tables: Index, zero: Array) -> Array:
        """How far the rules of some tables are off at 0, as a probability."""
        up = zero > 0.5
        want, points = np.where(up, 1.0 - zero, zero), np.zeros(zero.size)
        with np.errstate(invalid="ignore"):
            miss = np.abs(above.tail(tables, points, up)[0] - want)
            both = np.flatnonzero(zero > _SELDOM)
            if both.size:
                other = below.tail(tables[both], points[both], up[both] ^ (self.kind == "phi"))[0]
                miss[both] = np.maximum(miss[both], np.abs(other - want[both]))
        return np.nan_to_num(miss, nan=np.inf)

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
        value = self.one_tail(t, t_low, np.zeros(np.broadcast_shapes(t.shape, self.shape), dtype=bool), True)[1]
        for end, limit in ((self.lower, self._at_lower), (self.upper, self._at_upper)):
            at = (t == end) & (np.asarray(t_low) == 0)
            if at.any():
                value = np.where(at, limit().reshape(self.shape), value)
        return value

    def _at_upper(self) -> Array:
        """The density's limit at 1, where fp and fn vanish together: tails are powers of the distance, fp + fn."""
        return self._limit(self._flat[1] + self._flat[2], 1.0)

    def _at_lower(self) -> Array:
        """The same at -1: of phi by tp + tn; of kappa by half more, since fp and fn must also be equal there.

        Near it kappa + 1 is 8·(fp - 1/2)^2 + 2·(tp + tn), to first order.
        """
        tp, fp, fn, tn = self._flat
        if self.kind == "phi":
            return self._limit(tp + tn, -1.0)
        right, wrong = tp + tn, fp + fn
        equal = (2.0 - fp - fn) * np.log(2.0) - special.betaln(fp, fn)  # the log of their density there
        with np.errstate(over="ignore"):  # where it is not asked for
            steady = 0.25 * np.pi * np.exp(equal - special.betaln(right, wrong))
        return _by_power(right + 0.5, steady)

    def _limit(self, power: Array, end: float) -> Array:
        """The density next to an end, where the tail is as the distance itself; infinite below that power, 0 above."""
        tables = np.arange(power.size)
        h = np.full(power.size, np.sign(end) * _NEXT_TO_END)
        slope = self._tail(tables, h, np.full(power.size, end > 0))[1] * np.cosh(_NEXT_TO_END) ** 2
        return _by_power(power, slope)

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
        h = np.clip(np.where(negative, np.minimum(h, -0.05 * spread), np.maximum(h, 0.05 * spread)), -_EDGE, _EDGE)
        active, before = np.arange(h.size), np.full(h.size, np.inf)
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
            new = np.clip(old - step, -_EDGE, _EDGE)
            with np.errstate(invalid="ignore"):
                middle = 0.5 * (low[active] + high[active])
            near = np.abs(miss) < _NEAR  # rounding may put the last step on the bracket: no reason to leave it
            slow = np.abs(step) > 0.7 * before[active]
            outside = (new <= low[active]) | (new >= high[active])
            halve = np.isfinite(middle) & ~near & (outside | slow)
            h[active] = np.where(halve, middle, np.clip(new, low[active], high[active]))
            before[active] = np.abs(step)
            active = active[~(near | (np.abs(h[active] - old) <= 4 * EPS * np.abs(old)))]
            if not active.size:
                break
        return h

    # -- points and accuracy

    def mean(self) -> Array:
        return self._above.moments.mean.reshape(self.shape)

    def std(self) -> Array:
        return self._above.moments.std.reshape(self.shape)

    @cached_property
    def _off(self) -> tuple[Array, Array, Array]:
        """How far a quantile may be off, in standard deviations, and a probability: the worse of both sides of 0."""
        found = np.stack([self._above.off, self._above.far, self._above.chance])
        both = np.flatnonzero(self._at_zero > _SELDOM)
        if both.size:
            found[:, both] = np.maximum(found[:, both], self._below.of(both))
        seam = self._sides[3]
        off = np.maximum(found[0], np.where(seam > _SEAM, np.inf, 0.0))
        return off, np.maximum(off, found[1]), np.minimum(MORE * np.maximum(found[2], seam) + 1e-10, 1.0)

    @property
    def lost(self) -> Mask:
        """Tables that are served by no rule: next to kappa's lowest value, say."""
        return np.asarray((self._off[0] > _LOST) | (self._above.mean_off > _LOST_MEAN)).reshape(self.shape)

    @cached_property
    def error(self) -> tuple[Array, Array]:
        value = np.maximum.reduce([self.mean_error(), *self.end_errors(0.95, False)])
        return value, self._off[2].reshape(self.shape)

    def own_error(self) -> tuple[Array, Array]:
        return self.error

    def mean_error(self) -> Array:
        return ((self._above.mean_off + 1e-10) * self._above.moments.std + 8 * EPS).reshape(self.shape)

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """What two rules differ by, and at least the error of a probability over the density at that end.

        Twice that for the ends of a shortest interval.
        """
        far = 0 if level <= _BODY else 1
        more = 1.0 if level <= _BODY else 4.0 if level <= _FAR else 100.0
        apart = (more * (self._off[far] + 1e-9) * self._above.moments.std).reshape(self.shape)
        low, high = np.maximum(apart, np.minimum(self._off[2].reshape(self.shape) / self._end_densities(level), 2.0))
        return (1.0 + shortest) * low + 8 * EPS, (1.0 + shortest) * high + 8 * EPS

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        if level not in self._ends:
            self._ends[level] = super().equal_tailed(level)
        return self._ends[level]

    def _end_densities(self, level: float) -> Array:
        """The density at both ends of an equal-tailed interval, by their distances to -1 and 1."""
        below, above = self.equal_tailed(level)[2:]
        distance = np.stack([below, above]).reshape(2, -1)
        side = np.array([[-1.0], [1.0]])
        with np.errstate(divide="ignore"):
            h = side * np.minimum(0.5 * (np.log(2.0 - distance) - np.log(distance)), _EDGE)
        tables = np.tile(np.arange(self._flat[0].size), 2)
        slope = self._tail(tables, h.ravel(), np.repeat([False, True], tables.size // 2))[1] * np.cosh(h.ravel()) ** 2
        return np.asarray(np.maximum(slope, np.finfo(float).tiny).reshape(2, *self.shape))


def _by_power(power: Array, steady: Array) -> Array:
    """A density at an end where the tail is that power of the distance; `steady` where it is the first."""
    first = np.abs(power - 1.0) < _SAME_POWER
    return np.where(first, steady, np.where(power < 1.0, np.inf, 0.0))


def _atanh(t: Array, t_low: Array) -> Array:
    """atanh(t + t_low), infinite at and beyond the ends."""
    above, below = (1.0 - t) - t_low, (1.0 + t) + t_low
    with np.errstate(divide="ignore", invalid="ignore"):
        h = 0.5 * (np.log(np.maximum(below, 0.0)) - np.log(np.maximum(above, 0.0)))
        near = np.arctanh(np.where(np.abs(t) < 0.5, t, 0.0)) + t_low
    return np.where(np.abs(t) < 0.5, near, h)
