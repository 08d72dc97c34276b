"""Judge intervals of phi and kappa by charts of the table that the package does not use.

The share of positives, recall and the false positive rate are independent Betas, and both metrics rise with recall:
P(M <= t) is the mean, over the other two, of the Beta tail at the recall where M = t, which has a closed form. The mean
is a trapezoid rule in the normal scores of both Betas. Transposing the table or swapping its classes changes neither
metric and gives three more charts. The best two are those whose half-size rules change least: the widest Beta is
innermost there. The referee judges only if these two charts and their half-size rules agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Shapes = tuple[float, float, float, float]  # of tp, fp, fn, tn
Judged = tuple[Array, float]

CHARTS: tuple[Callable[[float, float, float, float], Shapes], ...] = (
    lambda tp, fp, fn, tn: (tp, fp, fn, tn),
    lambda tp, fp, fn, tn: (tp, fn, fp, tn),  # transposed
    lambda tp, fp, fn, tn: (tn, fn, fp, tp),  # classes swapped
    lambda tp, fp, fn, tn: (tn, fp, fn, tp),  # both
)
REACH = 7.5  # normal scores: all but 6e-14 of a Beta
LEAST_WEIGHT = 1e-15


def probabilities(kind: str, shapes: Shapes, t: Array, agree: float, sizes: Sequence[int] = (32, 64)) -> Judged | None:
    """Return P(M <= t) at points t, and what two charts and two steps differ by; None if none of the sizes agree."""
    charts = list(dict.fromkeys(chart(*shapes) for chart in CHARTS))  # two are the same if fp and fn are
    if len(charts) < 2:
        return None
    half = [tails(kind, x, t, sizes[0] // 2) for x in charts]
    for nodes in sizes:
        full = [tails(kind, x, t, nodes) for x in charts]
        change = [np.abs(x - y).max() for x, y in zip(full, half, strict=True)]
        one, two = np.argsort(change, kind="stable")[:2]
        apart = float(np.ptp([full[one], full[two], half[one], half[two]], axis=0).max())
        if apart <= agree:
            return full[one], apart
        half = full
    return None


def random_table(rng: np.random.Generator) -> list[int]:
    """Return counts of tp, fp, fn, tn: of any size, or of a multinomial, or small, or with zeros."""
    how = rng.integers(4)
    if how == 1:
        counts = rng.multinomial(int(10 ** rng.uniform(0.5, 3)), rng.dirichlet(np.full(4, 0.6)))
    elif how == 2:
        counts = rng.integers(0, 12, 4)
    else:
        counts = np.floor(10 ** rng.uniform(-0.5, 3, 4)) * (rng.random(4) < (0.7 if how else 1.0))
    return [int(x) for x in counts]


def tails(kind: str, shapes: Shapes, t: Array, nodes: int) -> Array:
    """Return P(M <= t) by one chart: recall is innermost."""
    tp, fp, fn, tn = shapes
    low = t < 0
    if kind == "phi" and low.any():  # with the predictions swapped phi changes its sign
        value = np.empty(t.shape)
        value[low] = 1.0 - tails(kind, (fn, tn, tp, fp), -t[low], nodes)
        if not low.all():
            value[~low] = tails(kind, shapes, t[~low], nodes)
        return value
    (p, q, w), (f, g, v) = scores(tp + fn, fp + tn, nodes), scores(fp, tn, nodes)
    weight = w[:, None] * v
    i, j = np.nonzero(weight > LEAST_WEIGHT)
    with np.errstate(all="ignore"):
        x, y = (phi_root if kind == "phi" else kappa_root)(p[i], q[i], f[j], g[j], t[:, None])
        below = x < y
        share = np.clip(np.where(below, x, y), 0.0, 1.0)
        inside = special.betainc(np.where(below, tp, fn), np.where(below, fn, tp), share)
    return np.asarray(np.where(below, inside, 1.0 - inside) @ weight[i, j])


@lru_cache(maxsize=64)
def scores(a: float, b: float, nodes: int) -> tuple[Array, Array, Array]:
    """Return shares of Beta(a, b) at equal steps of its normal score, one minus them, and weights."""
    z = (np.arange(nodes) + 0.5) / nodes * 2 * REACH - REACH
    x, y = special.betaincinv(a, b, special.ndtr(z)), special.betaincinv(b, a, special.ndtr(-z))
    w = np.exp(-0.5 * z * z)
    return x, y, w / w.sum()


def phi_root(p: Array, q: Array, f: Array, g: Array, t: Array) -> tuple[Array, Array]:
    """Return the recall x at which phi is t >= 0, and 1 - x; outside [0, 1] if there is none."""
    t2 = t * t
    two, one = p * (q + t2 * p), t2 * p * (g - f)  # two·d² - one·d - t²·f·g = 0 for d = x - f
    root = np.sqrt(one * one + 4.0 * two * t2 * f * g)
    d = np.where(one > 0, (one + root) / (2.0 * two), 2.0 * t2 * f * g / (root - one))
    x = f + d
    last = g * q * (p * g - t2 * (p + q * f))  # the last coefficient of the same in y = 1 - x
    y = 2.0 * last / (2.0 * two * g - one + root)
    return x, np.where(x < 0.5, 1.0 - x, y)


def kappa_root(p: Array, q: Array, f: Array, g: Array, t: Array) -> tuple[Array, Array]:
    """Return the recall x at which kappa is t, and 1 - x; outside [0, 1] if there is none."""
    bottom = p * (q * (2.0 - t) + t * p)
    up = t >= 0
    y = q * (2.0 * p * g * (1.0 - t) - t * f) / bottom
    x = (f * q * (2.0 * p - t * (p - q)) + t * p) / bottom
    x = np.where(up, f + t * (p * g + q * f) / bottom, x)
    none = bottom <= 0  # kappa is above t at every recall
    x, y = np.where(up, x, np.where(none, -1.0, x)), np.where(up, y, np.where(none, 2.0, 1.0 - x))
    return x, np.where(up & (x < 0.5), 1.0 - x, y)
