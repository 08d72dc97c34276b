"""Judge metrics of two independent rates, and F_beta, by a rule that the package does not use.

Both rates are Betas and the metric rises in each (or falls in each, for lr-minus), so P(M <= t) is the mean, over one
rate, of the Beta tail of the other at its root, which has a closed form. The mean is a trapezoid rule in the normal
scores of the first rate, truncated to where the root lies in (0, 1). Exchanging the rates gives a second chart. F_beta
has one chart, over the share of fn among the wrong items, and is judged by two steps alone. The package integrates in
logits instead. The referee judges a table only if both charts and half of the nodes agree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Shapes = tuple[Array, Array, Array, Array]  # of tp, fp, fn, tn
Beta = tuple[Array, Array]
Chart = tuple[Callable[[Array, Array, Array], Array], Callable[[Array], Array], Callable[[Array], Array]]

REACH = 7.5  # normal scores: all but 6e-14 of a Beta
NODES = 96


def _all(t: Array) -> tuple[Array, Array]:
    return np.zeros(t.shape), np.ones(t.shape)


# For each metric: the root of one rate given the other, z, its rest 1 - z and t; and where z must be for one in (0, 1).
# Below that the root is above 1, above it below 0.
SUM = (lambda z, w, t: t + w, lambda t: np.maximum(t, 0.0), lambda t: np.minimum(1.0 + t, 1.0))
PRODUCT = (lambda z, w, t: t * t / z, lambda t: t * t, lambda t: np.ones(t.shape))
ODDS = (lambda z, w, t: t * w / (z + t * w), lambda t: np.zeros(t.shape), lambda t: np.ones(t.shape))
CHARTS: dict[str, tuple[Chart, Chart]] = {
    "informedness": (SUM, SUM),
    "markedness": (SUM, SUM),
    "g-mean": (PRODUCT, PRODUCT),
    "odds-ratio": (ODDS, ODDS),
    "lr-plus": (
        (lambda z, w, t: t * w, lambda t: np.maximum(1.0 - 1.0 / t, 0.0), lambda t: np.ones(t.shape)),
        (lambda z, w, t: 1.0 - z / t, lambda t: np.zeros(t.shape), lambda t: np.minimum(t, 1.0)),
    ),
    "lr-minus": (
        (lambda z, w, t: 1.0 - t * z, lambda t: np.zeros(t.shape), lambda t: np.minimum(1.0 / t, 1.0)),
        (lambda z, w, t: w / t, lambda t: np.maximum(1.0 - t, 0.0), lambda t: np.ones(t.shape)),
    ),
}


def probabilities(name: str, shapes: Shapes, t: Array) -> tuple[Array, Array]:
    """Return P(M <= t) of each table at points t (points, tables), and what charts and steps differ by."""
    if name.startswith("fbeta"):
        full, half = (_of_f(float(name[6:-1]) ** 2, shapes, t, n) for n in (NODES, NODES // 2))
        return full, np.abs(full - half)
    tp, fp, fn, tn = shapes
    one, two = ((tp, fp), (tn, fn)) if name == "markedness" else ((tp, fn), (tn, fp))
    found = [
        _mean(inner, outer, chart, t, n)
        for (inner, outer), chart in zip(((one, two), (two, one)), CHARTS[name], strict=True)
        for n in (NODES, NODES // 2)
    ]
    apart = np.ptp(np.stack(found), axis=0)
    return (1.0 - found[0] if name == "lr-minus" else found[0]), apart


def _mean(inner: Beta, outer: Beta, chart: Chart, t: Array, nodes: int) -> Array:
    """P(inner <= root(outer))."""
    root, lowest, highest = chart
    a, b = outer
    least, beyond = special.betainc(a, b, lowest(t)), special.betainc(b, a, 1.0 - highest(t))
    z, w, weight = _scores(a[..., None], b[..., None], least[..., None], beyond[..., None], nodes)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.clip(np.nan_to_num(root(z, w, t[..., None]), nan=1.0), 0.0, 1.0)
    inside = special.betainc(inner[0][..., None], inner[1][..., None], x)
    return np.asarray(least + (1.0 - least - beyond) * (inside * weight).sum(axis=-1))


def _of_f(square: float, shapes: Shapes, t: Array, nodes: int) -> Array:
    """The same of F_beta: the odds of tp against the wrong items at which it is t, by the share of fn among these."""
    tp, fp, fn, _ = shapes
    zero = np.zeros((*t.shape, 1))
    z, w, weight = _scores(fn[..., None], fp[..., None], zero, zero, nodes)
    odds = t[..., None] * (square * z + w) / ((1.0 + square) * (1.0 - t[..., None]))
    return np.asarray((special.betainc(tp[..., None], (fp + fn)[..., None], odds / (1.0 + odds)) * weight).sum(axis=-1))


def _scores(a: Array, b: Array, below: Array, above: Array, nodes: int) -> tuple[Array, Array, Array]:
    """Return shares of a truncated Beta at equal steps of its normal score, one minus them, and weights."""
    s = (np.arange(nodes) + 0.5) / nodes * 2 * REACH - REACH
    inside = 1.0 - below - above
    p, q = below + inside * special.ndtr(s), above + inside * special.ndtr(-s)
    weight = np.exp(-0.5 * s * s)
    return special.betaincinv(a, b, p), special.betaincinv(b, a, q), weight / weight.sum()
