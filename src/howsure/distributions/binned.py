"""What putting scores into bins can do to a measure: bounds that hold whatever the order within the bins.

Statement: the end of each bin is a cut of the items too, so measures at those cuts are exact. Within a bin that adds p
and n to tp = T and fp = F, the items may come in any order (ties together or not), so
AUC is off by at most ½·Σ p·n/(P·N), half for each pair within a bin;
a positive item's precision is at most (T+p)/(T+p+F) and, item after item, at least that of u in 0..p with all n before
it: AP lies between Σ ∫ (T+u)/(T+u+F+n) du / P and Σ p·(T+p)/(T+p+F) / P;
the best of a measure that falls with fp is at most its best over (T+p, F);
precision from a recall on is at least that at the cuts, at most the best (T+p)/(T+p+F) of the bins that reach it;
at the break-even point r = P - (T+F) items of its bin are found: between max(0, r-n) and min(p, r) positive ones.
Error: none; the bounds are attained or wide.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from howsure.arrays import Array
from howsure.distributions import ranked
from howsure.distributions.ranked import Cuts, Formula

_NEAR: Final = 1e-9  # of a bin: less than any item of it


def _steps(c: Cuts) -> tuple[Array, Array, Array, Array]:
    """T, F, p and n of every bin (draws, bins)."""
    tp, fp = c.every
    before = [np.concatenate([np.zeros((len(x), 1)), x[:, :-1]], axis=1) for x in (tp, fp)]
    return before[0], before[1], tp - before[0], fp - before[1]


def auc(c: Cuts) -> Array:
    """How far AUC can be off."""
    _, _, p, n = _steps(c)
    return np.asarray(0.5 * np.einsum("ij,ij->i", p, n) / (c.positives * c.negatives))


def average_precision(c: Cuts) -> Array:
    """How far average precision can be off."""
    t, f, p, n = _steps(c)
    wrong = f + n
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(wrong > 0, wrong * np.log1p(p / np.where(t + wrong > 0, t + wrong, 1.0)), 0.0)
        high = np.where(p > 0, p * (t + p) / (t + p + f), 0.0)
    low = np.where((t + wrong == 0) & (p > 0), p, p - lost)
    value = ranked.average_precision(c)
    return np.asarray(np.maximum(high.sum(axis=1) / c.positives - value, value - low.sum(axis=1) / c.positives))


def break_even(c: Cuts) -> Array:
    """How far the break-even point (by the rule crossing) can be off."""
    tp, fp = c.every
    cut = np.argmax(tp + fp >= c.positives[:, None] * (1.0 - ranked.SLACK), axis=1)
    t, f, p, n = (x[np.arange(len(cut)), cut] for x in _steps(c))
    left = np.maximum(c.positives - t - f, 0.0)
    value = ranked.break_even(c)
    high, low = (t + np.minimum(p, left)) / c.positives, (t + np.maximum(left - n, 0.0)) / c.positives
    return np.asarray(np.maximum(high - value, value - low))


def eleven_points(c: Cuts, rule: str) -> Array:
    """How far 11-point precision can be off, where the first positive item has a bin that ends with it."""
    t, f, p, _ = _steps(c)
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.where(p > 0, (t + p) / (t + p + f), 0.0)
    best = np.maximum.accumulate(high[:, ::-1], axis=1)[:, ::-1]
    levels = ranked.recall_levels(c.relevant, rule)
    target = np.multiply.outer(levels, c.positives) - ranked.SLACK * c.positives
    tp = c.every[0]
    reach = np.stack([np.argmax(tp >= one[:, None], axis=1) for one in target])
    values = ranked.eleven_points(c, rule)
    gap = np.maximum(best[np.arange(len(best)), reach] - values, 0.0)
    return np.asarray(gap[1 if rule == "ceil" else 0 :].sum(axis=0) / len(levels))


def best(c: Cuts, formula: Formula, sign: float) -> Array:
    """How far the best value over all cuts can be off, of a measure that more fp never make better."""
    t, f, p, n = _steps(c)
    lucky = ranked.turned(formula, c, t + p, f, sign)
    inside = ranked.turned(formula, c, t + (1.0 - _NEAR) * p, f + _NEAR * n, sign)  # where the corner is 0/0
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.maximum(
                np.where(lucky == -np.inf, inside, lucky).max(axis=1) - sign * ranked.best(c, formula, sign)[0], 0.0
            )
        )


def at_recall(c: Cuts, level: float, formula: Formula) -> Array:
    """How far a measure at a recall can be off, over the fp that its bin allows."""
    tp = c.every[0]
    goal = level * c.positives
    cut = np.argmax(tp >= (goal - ranked.SLACK * c.positives)[:, None], axis=1)
    _, f, _, n = (x[np.arange(len(cut)), cut] for x in _steps(c))
    here = ranked.at_recall(c, np.array([level]))
    return _spread(c, formula, (here[0][0], here[1][0]), ((goal, f), (goal, f + n)))


def at_fallout(c: Cuts, level: float, formula: Formula) -> Array:
    """How far a measure at a fallout can be off, over the tp that its bin allows."""
    fp = c.every[1]
    goal = level * c.negatives
    over = fp > (goal + ranked.SLACK * c.negatives)[:, None]
    cut = np.where(over.any(axis=1), np.argmax(over, axis=1), fp.shape[1] - 1)
    t, _, p, _ = (x[np.arange(len(cut)), cut] for x in _steps(c))
    here = ranked.at_fallout(c, np.array([level]))
    return _spread(c, formula, (here[0][0], here[1][0]), ((t, goal), (t + p, goal)))


def at_threshold(c: Cuts, threshold: float, formula: Formula) -> Array:
    """How far a measure at a threshold can be off: not at all where a bin begins, else by a part of the bin there."""
    k = c.order.count_above(threshold)
    if k == c.order.thresholds.size or (k and c.order.thresholds[k - 1] == threshold):
        return np.zeros(len(c.up))
    t, f, p, n = (x[:, k] for x in _steps(c))
    here = ranked.at_threshold(c, threshold)
    return _spread(c, formula, here, tuple((a, b) for a in (t, t + p) for b in (f, f + n)))


def _spread(c: Cuts, formula: Formula, here: tuple[Array, Array], ends: tuple[tuple[Array, Array], ...]) -> Array:
    """The largest distance of a measure, monotone between the ends, from its value here; NaN where that is 0/0."""

    def value(tp: Array, fp: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(formula(tp=tp, fp=fp, fn=c.positives - tp, tn=c.negatives - fp), dtype=float)

    middle, far = value(*here), []
    for end, other in zip(ends, ends[::-1], strict=True):  # 0/0 at a corner: its value is that of just inside
        inside = (a + _NEAR * (b - a) for a, b in zip(end, other, strict=True))
        at = value(*end)
        with np.errstate(invalid="ignore"):
            far.append(np.abs(np.where(np.isnan(at), value(*inside), at) - middle))
    return np.asarray(np.maximum.reduce(far))
