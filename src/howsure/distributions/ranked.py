"""Areas and points of curves under weights on ranked items, with their slopes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array, Index, Mask

# -- ranked
#
# Ranked lists as weights cumulated from the top: areas, break-even, eleven points, and rates at a cut.
#
# Statement: an ordering fixes how many positive and negative items lie at or above each distinct score; the weights of
# the items, cumulated along it, give tp and fp at every cut. Ties go together. Weights may be drawn (rows of an array),
# and the prior's weight lies above all scores or below all: it is found, or missed, at every cut, and is no cut itself.
# Domain: weights of 0 and more with a positive sum in each class. Between two cuts tp and fp grow in proportion
# (a random order within ties; Davis & Goadrich 2006), which is a straight line in ROC space.
# Error: rounding of the sums, some 1e-15 of the total.

Formula = Callable[..., Array]

LEVELS: Final = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_LONG: Final = 2_000  # items from which a draw is searched on its own
SLACK: Final = 1e-12  # of a total, when a sum of weights is held against a level


@dataclass(frozen=True)
class Order:
    """How one system orders the items: distinct scores from the highest down, and the items at or above each."""

    thresholds: Array
    found: Index  # positive items at or above each threshold
    alarms: Index  # negative items at or above each
    positives: Index  # positive items, numbered among themselves, from the top
    negatives: Index

    @cached_property
    def hits(self) -> Index:
        """Thresholds that add positive items, and the first of all."""
        return np.flatnonzero(np.diff(self.found, prepend=-1) > 0)

    @cached_property
    def sorted(self) -> tuple[bool, bool]:
        """Whether the positive items, and the negative ones, are in this order already."""
        return tuple(bool((x == np.arange(x.size)).all()) for x in (self.positives, self.negatives))  # type: ignore[return-value]

    @cached_property
    def separated(self) -> bool:
        """Whether all items of one class score above all of the other."""
        first = (self.found == self.found[-1]) & (self.alarms == 0)
        return bool((first | ((self.found == 0) & (self.alarms == self.alarms[-1]))).any())

    def count_above(self, threshold: float) -> int:
        """The number of distinct scores at or above a threshold."""
        return int(np.searchsorted(-self.thresholds, -threshold, side="right"))


def order_of(truth: Mask, scores: Array) -> Order:
    """The ordering by falling score."""
    order = np.argsort(-scores)
    own = scores[order]
    ends = np.append(np.flatnonzero(own[1:] != own[:-1]), own.size - 1)
    if ends.size < own.size:  # ties stay in the order of the items
        order = np.argsort(-scores, kind="stable")
        own = scores[order]
    positive = truth[order]
    found = np.cumsum(positive)[ends]
    number = np.cumsum(truth) - 1
    other = np.arange(truth.size) - number - 1
    return Order(own[ends], found, ends + 1 - found, number[order[positive]], other[order[~positive]])


@dataclass(frozen=True)
class Cuts:
    """Weights at or above every cut of one ordering, a row a draw; the first column is the prior's above all."""

    order: Order
    up: Array  # positive weight above the first, second, … positive item
    down: Array
    positives: Array  # totals, with the prior's below all
    negatives: Array
    relevant: float  # the number of positive items
    near: Array | None = None  # of the prior's weight, what areas put with the outermost items

    @classmethod
    def weigh(
        cls, order: Order, positive: Array, negative: Array, prior: Array | None = None, relevant: float | None = None,
        near: Array | None = None,
    ) -> Cuts:  # fmt: skip
        """Cumulate the weights of positive and negative items (rows of draws, items in their own order).

        `prior` has the weights of (positive above, positive below, negative above, negative below), one column each.
        """
        extra = np.zeros((len(positive), 4)) if prior is None else prior
        number = float(order.positives.size) if relevant is None else relevant
        in_order = order.sorted
        up = _cumulated(positive, None if in_order[0] else order.positives, extra[:, 0])
        down = _cumulated(negative, None if in_order[1] else order.negatives, extra[:, 2])
        return cls(order, up, down, up[:, -1] + extra[:, 1], down[:, -1] + extra[:, 3], number, near)

    @cached_property
    def for_areas(self) -> Cuts:
        """The same draws with the near part of the prior's weight at the highest and the lowest item of its class."""
        if self.near is None:
            return self
        sums = self.up.copy(), self.down.copy()
        for k, x in enumerate(sums):
            x[:, 0] -= self.near[:, 2 * k]
            x[:, -1] += self.near[:, 2 * k + 1]
        return replace(self, up=sums[0], down=sums[1], near=None)

    def at(self, cut: Index) -> tuple[Array, Array]:
        """tp and fp at the cuts of those numbers, one for each draw (…, draws); 0 and 0 at cut -1, all at the last."""
        last = self.order.thresholds.size
        row = np.arange(len(self.up))
        inside = np.clip(cut, 0, last - 1)
        tp = np.where(cut < 0, 0.0, self.up[row, self.order.found[inside]])
        fp = np.where(cut < 0, 0.0, self.down[row, self.order.alarms[inside]])
        return np.where(cut >= last, self.positives, tp), np.where(cut >= last, self.negatives, fp)

    @cached_property
    def rises(self) -> tuple[Array, Array]:
        """tp and fp where tp rises, and at the end, where all are found."""
        return self._taken(self.order.hits)

    @cached_property
    def precision(self) -> Array:
        """Precision where tp rises, and at the end."""
        return _share(*self.rises)

    @cached_property
    def gains(self) -> Array:
        """By how much tp rises there; the first is tp itself."""
        tp = self.rises[0]
        gain = tp.copy()
        gain[:, 1:] -= tp[:, :-1]
        return gain

    @cached_property
    def every(self) -> tuple[Array, Array]:
        """tp and fp at every threshold, and at the end, where all are found."""
        return self._taken(slice(None))

    def _taken(self, which: Index | slice) -> tuple[Array, Array]:
        parts = (self.up, self.order.found, self.positives), (self.down, self.order.alarms, self.negatives)
        out = []
        for sums, places, total in parts:
            at = places[which]
            full = np.empty((len(sums), at.size + 1))
            np.take(sums, at, axis=1, out=full[:, :-1])
            full[:, -1] = total
            out.append(full)
        return out[0], out[1]


def _cumulated(weights: Array, order: Index | None, first: Array) -> Array:
    full = np.empty((len(weights), weights.shape[1] + 1))
    full[:, 0] = first
    if order is None:
        np.cumsum(weights, axis=1, out=full[:, 1:])
        if first.any():
            full[:, 1:] += first[:, None]
        return full
    np.take(weights, order, axis=1, out=full[:, 1:])
    return np.cumsum(full, axis=1, out=full)


# -- areas


def auc(c: Cuts) -> Array:
    """P(a positive item scores above a negative one), ties by half: the area under the ROC curve."""
    fp = c.rises[1][:, :-1]
    hits, gain = c.order.hits, c.gains[:, :-1]
    before = np.where(hits > 0, c.order.alarms[hits - 1], 0)
    if np.array_equal(before, c.order.alarms[hits]):
        lost = np.einsum("ij,ij->i", gain, fp) - c.up[:, 0] * fp[:, 0]
    else:
        both = fp + np.take(c.down, before, axis=1)
        lost = 0.5 * (np.einsum("ij,ij->i", gain, both) - c.up[:, 0] * both[:, 0])
    lost += 0.5 * c.up[:, 0] * c.down[:, 0]
    below, rest = c.positives - c.up[:, -1], c.negatives - c.down[:, -1]
    lost += below * (c.negatives - 0.5 * rest)
    return np.asarray(1.0 - lost / (c.positives * c.negatives))


def average_precision(c: Cuts) -> Array:
    """The sum of precision times the gain in recall over the cuts: no interpolation."""
    return np.asarray(np.einsum("ij,ij->i", c.gains, c.precision) / c.positives)


def _share(tp: Array, fp: Array) -> Array:
    """Precision; 0 where nothing is found."""
    total = tp + fp
    if total.size and total.min() > 0:
        return np.asarray(tp / total)
    return np.divide(tp, total, out=np.zeros_like(total), where=total > 0)


# -- cuts by what they find


def _found(tp: Array, fp: Array) -> Array:  # noqa: ARG001 - an amount of both
    return tp


def _alarms(tp: Array, fp: Array) -> Array:  # noqa: ARG001 - an amount of both
    return fp


def _first(c: Cuts, amount: Callable[[Array, Array], Array], target: Array) -> Index:
    """The first cut at which an amount that never falls reaches the target, by bisection, for each draw."""
    for one, sums, places in ((_found, c.up, c.order.found), (_alarms, c.down, c.order.alarms)):
        if amount is one and sums.shape[1] > _LONG:  # few draws at a time: each has a search of its own
            items = np.stack([np.searchsorted(row, x) for row, x in zip(sums, target.T, strict=True)], axis=-1)
            return np.searchsorted(places, items)
    low = np.full(target.shape, -1)  # below the target, or before the first cut
    high = np.full(target.shape, c.order.thresholds.size)
    while (high - low > 1).any():
        middle = (low + high) // 2
        there = (amount(*c.at(middle)) >= target) & (middle >= 0)
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return high


def _between(c: Cuts, cut: Index, amount: Callable[[Array, Array], Array], target: Array) -> tuple[Array, Array]:
    """tp and fp where the amount meets the target on the straight line that ends at the cut."""
    (t0, f0), (t1, f1) = c.at(cut - 1), c.at(cut)
    a0, a1 = amount(t0, f0), amount(t1, f1)
    step = np.clip(np.divide(target - a0, a1 - a0, out=np.ones_like(a0), where=a1 > a0), 0.0, 1.0)
    return t0 + step * (t1 - t0), f0 + step * (f1 - f0)


def at_recall(c: Cuts, levels: Array) -> tuple[Array, Array]:
    """tp and fp where recall first reaches each level above 0, (levels, draws)."""
    target = np.multiply.outer(levels, c.positives)
    cut = _first(c, _found, target - SLACK * c.positives)
    return _between(c, cut, _found, target)


def at_fallout(c: Cuts, levels: Array) -> tuple[Array, Array]:
    """tp and fp where fallout is about to exceed each level, (levels, draws)."""
    target = np.multiply.outer(levels, c.negatives)
    cut = _first(c, _alarms, target + SLACK * c.negatives)
    return _between(c, np.minimum(cut, c.order.thresholds.size), _alarms, target)


def at_threshold(c: Cuts, threshold: float) -> tuple[Array, Array]:
    """tp and fp of the items that score at least the threshold; the prior's above all is always among them."""
    k = c.order.count_above(threshold)
    if k == 0:
        return c.up[:, 0], c.down[:, 0]
    return c.up[:, c.order.found[k - 1]], c.down[:, c.order.alarms[k - 1]]


# -- break-even


def break_even(c: Cuts, rule: str = "crossing") -> Array:
    """Precision where it equals recall.

    p - r = tp·(R - found)/(R·found), with R positive items and found = tp + fp: so p = r where as many are found as are
    positive, and nowhere else but at tp = 0, the origin. There is one crossing, and it is R-precision.
    `crossing`: on the straight line (in ROC space) between the cuts around it. `r-precision`: precision at the first
    cut that finds R or more. `nearest`: the mean of p and r at the cut, with a positive item, where they differ least.
    """
    if rule == "nearest":
        tp, fp = c.every
        precision, recall = _share(tp, fp), tp / c.positives[:, None]
        gap = np.where(np.append(c.order.found > 0, True), np.abs(precision - recall), np.inf)
        at = np.arange(len(tp)), gap.argmin(axis=1)
        return np.asarray(0.5 * (precision[at] + recall[at]))
    total = np.add
    cut = _first(c, total, c.positives * (1.0 - SLACK))
    if rule == "r-precision":
        return _share(*c.at(cut))
    return np.asarray(_between(c, cut, total, c.positives)[0] / c.positives)


# -- eleven points


def recall_levels(relevant: float, rule: str) -> Array:
    """The eleven recalls that the rule looks at, given the number of relevant items.

    `ceil` asks for the levels themselves. trec_eval asks for a number of relevant items: the level times their number,
    plus 0.9 and cut off in version 9, rounded in version 10 (halves away from 0).
    """
    if rule == "ceil":
        return LEVELS
    more = {"trec_eval-9": 0.9, "trec_eval-10": 0.5}[rule]
    return np.asarray(np.floor(LEVELS * relevant + more) / relevant)


def interpolated(c: Cuts, levels: Array) -> Array:
    """The highest precision at any recall from each level on, (levels, draws).

    Levels are of the items: recall 1 is that of the last positive item. The prior's weight below all is found by no
    threshold, and would make precision at recall 1 that of answering always.
    """
    best = np.maximum.accumulate(c.precision[:, ::-1], axis=1)[:, ::-1]
    items = c.up[:, -1]
    reached = _first(c, _found, np.multiply.outer(levels, items) - SLACK * items)
    place = np.append(np.searchsorted(c.order.hits, np.arange(c.order.thresholds.size)), c.order.hits.size)
    return np.asarray(best[np.arange(len(best)), place[reached]])


def eleven_points(c: Cuts, rule: str = "ceil") -> Array:
    """Precision at the recalls 0.0, 0.1, …, 1.0, (11, draws).

    Under `ceil` the first is the precision at the first relevant item, as Ishioka has it; trec_eval takes the highest.
    """
    values = interpolated(c, recall_levels(c.relevant, rule))
    if rule == "ceil":
        first = int(np.argmax(c.order.found > 0))
        values[0] = _share(c.up[:, c.order.found[first]], c.down[:, c.order.alarms[first]])
    return values


# -- the best cut


def best(c: Cuts, formula: Formula, sign: float = 1.0, rising: bool = False) -> tuple[Array, Index]:
    """The highest value (lowest, for sign -1) over the cuts, and its cut; `rising` if more fp never make it better.

    Finding nothing (cut -1) and finding all (the last) are cuts too. NaN where every cut is 0/0.
    """
    tp, fp = c.rises if rising else c.every
    zero = np.zeros((len(tp), 1))
    values, none = turned(formula, c, tp, fp, sign), turned(formula, c, zero, zero, sign)[:, 0]
    at = values.argmax(axis=1)
    high = values[np.arange(len(tp)), at]
    size = c.order.thresholds.size
    cut = np.append(c.order.hits, size)[at] if rising else at
    top = np.maximum(high, none)
    return np.where(top == -np.inf, np.nan, sign * top), np.where(none > high, -1, cut)


def turned(formula: Formula, c: Cuts, tp: Array, fp: Array, sign: float) -> Array:
    """The measure at tp and fp, turned so that more is better; where it is 0/0, the worst."""
    with np.errstate(all="ignore"):
        value = sign * formula(tp=tp, fp=fp, fn=c.positives[:, None] - tp, tn=c.negatives[:, None] - fp)
    return np.where(np.isnan(value), -np.inf, np.broadcast_to(value, tp.shape))


# -- a cut that is chosen

Limit = tuple[Formula, float, float]  # a measure, +1 for "at least" and -1 for "at most", and the value


def from_nothing(c: Cuts) -> tuple[Array, Array]:
    """tp and fp where nothing is found, and at every threshold."""
    tp, fp = (np.concatenate([np.zeros((len(x), 1)), x[:, :-1]], axis=1) for x in c.every)
    return tp, fp


def keeping(c: Cuts, limits: Sequence[Limit]) -> Mask:
    """Whether finding nothing keeps all limits, and which thresholds do."""
    tp, fp = from_nothing(c)
    kept = np.ones(tp.shape, dtype=bool)
    for measure, side, value in limits:
        kept &= turned(measure, c, tp, fp, side) >= side * value - 1e-12 * abs(value)
    return kept


def choose(c: Cuts, formula: Formula, sign: float, kept: Mask) -> tuple[Array, Index]:
    """The best value over the thresholds that are kept, and its cut: -1 for finding nothing.

    NaN, with cut -2, where none is kept or the measure is 0/0 at all that are.
    """
    values = np.where(kept, turned(formula, c, *from_nothing(c), sign), -np.inf)
    at = values.argmax(axis=1)
    high = values[np.arange(len(at)), at]
    lost = high == -np.inf
    return np.where(lost, np.nan, sign * high), np.where(lost, -2, at - 1)


def value_at(c: Cuts, formula: Formula, cut: Index) -> Array:
    """The measure at one cut for each draw; NaN where it is 0/0 or the cut is -2."""
    tp, fp = c.at(cut)
    with np.errstate(all="ignore"):
        value = np.asarray(formula(tp=tp, fp=fp, fn=c.positives - tp, tn=c.negatives - fp), dtype=float)
    return np.where(cut == -2, np.nan, value)


def resampled(c: Cuts, size: float, rng: np.random.Generator) -> Cuts:
    """Samples of so many items from the populations that the draws are: Poisson counts in place of the weights."""
    scale = (size / (c.positives + c.negatives))[:, None]

    def some(sums: Array, total: Array) -> tuple[Array, Array]:
        parts = np.diff(sums, axis=1, prepend=0.0, append=total[:, None])
        counts = np.cumsum(rng.poisson(np.maximum(parts, 0.0) * scale), axis=1).astype(float)
        return counts[:, :-1], counts[:, -1]

    (up, positives), (down, negatives) = some(c.up, c.positives), some(c.down, c.negatives)
    return Cuts(c.order, up, down, positives, negatives, c.relevant)


# -- ranked slopes
#
# How the area under the ROC curve and average precision follow the weight of each item: their linear parts.
#
# Statement: at given weights a measure M has a slope in the weight of every item, and in the prior's above and below
# all. M is the same whatever all weights are multiplied by, so Σ slope·weight is 0 there, and M - Σ slope·weight is
# flat: of many items little is left but the sum, whose law is exact (control.py).
# Formula: of the AUC, DeLong's components less the AUC, over the total of the class. Of average precision, with gains g
# at cuts: (precision at its cut + Σ g·fp/(tp + fp)² from there on - AP)/P for a positive item, -Σ g·tp/(tp + fp)²/P for
# a negative one.


@dataclass(frozen=True, eq=False)
class RankedSlopes:
    """In the weights of positive and of negative items, from the top, each between the prior's above and below all."""

    positive: Array
    negative: Array

    def linear(self, c: Cuts) -> Array:
        """Σ slope·weight of each draw, by sums of weights cumulated from the top."""
        out = c.positives * self.positive[-1] + c.negatives * self.negative[-1]
        out -= c.up @ np.diff(self.positive)
        return np.asarray(out - c.down @ np.diff(self.negative))


def slopes_of_auc(c: Cuts) -> RankedSlopes:
    """At the weights of the first draw."""
    tp, fp, total, other = _sums(c)
    value = float(auc(c)[0])
    beyond = 1.0 - 0.5 * (fp[1:] + fp[:-1]) / other  # of the negative weight, for a positive item at each cut
    ahead = 0.5 * (tp[1:] + tp[:-1]) / total
    yes = np.append(1.0 - 0.5 * fp[0] / other, beyond) - value
    no = np.append(0.5 * tp[0] / total, ahead) - value
    return _of_items(c, yes / total, no / other)


def slopes_of_average_precision(c: Cuts) -> RankedSlopes:
    """At the weights of the first draw."""
    tp, fp, total, _ = _sums(c)
    tp, fp = tp[1:], fp[1:]
    gain = np.diff(tp, prepend=0.0)
    precision = tp / (tp + fp)
    value = float((gain * precision).sum() / total)
    later = [np.cumsum((gain * x / (tp + fp) ** 2)[::-1])[::-1] for x in (fp, tp)]
    yes, no = (precision + later[0] - value) / total, -later[1] / total
    return _of_items(c, np.append(yes[0], yes), np.append(no[0], no))


SLOPES: Final[dict[str, Callable[[Cuts], RankedSlopes]]] = {"auc": slopes_of_auc, "AP": slopes_of_average_precision}


def _sums(c: Cuts) -> tuple[Array, Array, float, float]:
    """tp and fp above all cuts, at each, and at the end; and the totals."""
    o = c.order
    tp = np.concatenate([c.up[0, :1], c.up[0, o.found], c.positives[:1]])
    fp = np.concatenate([c.down[0, :1], c.down[0, o.alarms], c.negatives[:1]])
    return tp, fp, float(c.positives[0]), float(c.negatives[0])


def _of_items(c: Cuts, positive: Array, negative: Array) -> RankedSlopes:
    """From slopes above all, at each cut and below all to those of the items."""
    o = c.order
    parts = []
    for slopes, found, size in ((positive, o.found, o.positives.size), (negative, o.alarms, o.negatives.size)):
        cut = np.searchsorted(found, np.arange(1, size + 1))
        parts.append(np.concatenate([slopes[:1], slopes[1:][cut], slopes[-1:]]))
    return RankedSlopes(*parts)
