"""Items with any number of labels: laws that are exact under whole-item resampling, and the draws of the rest.

Exact: micro averages of linear quotients (sums of items' own cells), averages over items (samples-f1, Hamming loss),
subset accuracy, and every measure of a single label. Draws: macro and weighted averages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.errors import BadSetting
from howsure.expressions import CELLS
from howsure.forms import Linear
from howsure.kernels.classes import PooledAccuracy
from howsure.kernels.multilabel import AnyOf, Apart
from howsure.kernels.sticks import sticks
from howsure.model.resampled import mean_law
from howsure.priors import Prior
from howsure.table import Tally

Array = NDArray[np.float64]

MICRO = 0.5  # the prior's weight on each cell of the table of all labels added up


def item_cells(t: Tally, system: int = 0) -> dict[str, Array]:
    """Right, false, missed and other labels of every pattern."""
    truth, answers, both = t.memberships()
    many = len(t.cells)
    size, said, tp = (np.bincount(x[0], minlength=many).astype(float) for x in (truth, answers[system], both[system]))
    return {"tp": tp, "fp": said - tp, "fn": size - tp, "tn": len(t.labels) - size - said + tp}


def item_values(t: Tally, metric: Metric, system: int = 0) -> Array:
    """The measure of each pattern's own labels; 0 where it is undefined, as in scikit-learn."""
    base = metric.base if metric.base is not None else metric
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.asarray(base.formula(**item_cells(t, system)), dtype=float)
    return np.where(np.isnan(value), 0.0, value)


def end_weights(prior: Prior, metric: Metric, k: int) -> tuple[float, float]:
    """The prior's weights on the ends of a mean over items; Hamming loss is one over (item, label) pairs."""
    if not np.isfinite(metric.bounds).all():
        raise BadSetting(f"{metric} has no bound, and a mean over items needs one; ask for micro or macro averages.")
    if prior.two_level or prior.table is not None:
        raise BadSetting(
            f"items with many labels take the prior even, jeffreys, uniform or a weight; got {prior.name}."
        )
    high, low = prior.outcome()
    share = 1.0 / k if metric.average == "" else 1.0
    return low * share, high * share


def mean_of_items(
    values: Array, shapes: Array, bounds: tuple[float, float], weights: tuple[float, float]
) -> tuple[Any, str]:
    """The law of a mean over items, with the prior's weight on each bound, as for graded values."""
    ends = np.array(bounds)
    top, weight = np.concatenate([values, ends]), np.concatenate([shapes, weights])
    kept = weight > 0
    return mean_law(top[kept], np.ones(int(kept.sum())), weight[kept])


def mean_difference(
    t: Tally, metric: Metric, bounds: tuple[float, float], weights: tuple[float, float]
) -> tuple[Any, str]:
    """The law of the difference of two systems' means over the same items: the mean of the differences."""
    low, high = bounds
    gap = item_values(t, metric, 0) - item_values(t, metric, 1)
    atoms = np.array([0.0, 0.0, high - low, low - high])  # both at one end, or at different ones
    total = sum(weights)
    shapes = np.concatenate(
        [t.effective, np.array([weights[0] ** 2, weights[1] ** 2, *[weights[0] * weights[1]] * 2]) / total]
    )
    return mean_law(np.concatenate([gap, atoms]), np.ones(len(shapes)), shapes)


def together(
    t: Tally, metric: Metric, kind: str, n: int, seed: int, weights: tuple[float, float] = (1.0, 1.0)
) -> Array:
    """Draws of a mean over items, or of a quotient of sums over all labels, for every system, (n, systems)."""
    rng = np.random.Generator(np.random.SFC64([seed, 50_021]))
    systems = range(len(t.systems))
    if kind == "items":
        top = np.stack([item_values(t, metric, s) for s in systems], axis=1)
        bottom = np.ones_like(top)
    else:
        top, bottom = (np.stack(x, axis=1) for x in zip(*(_quotient(t, metric, s) for s in systems), strict=True))
    out = np.empty((n, len(systems)))
    size = max(1, 5_000_000 // len(top))
    for i in range(0, n, size):
        m = min(size, n - i)
        mass = rng.standard_gamma(t.effective, (m, len(top)))
        up, down = _prior_mass(metric, kind, (m, len(systems)), rng, weights)
        out[i : i + m] = (mass @ top + up) / (mass @ bottom + down)
    return out


def _prior_mass(
    metric: Metric, kind: str, size: tuple[int, int], rng: np.random.Generator, weights: tuple[float, float]
) -> tuple[Array, Array]:
    """What the prior adds above and below the line of each system's quotient."""
    if kind == "items":  # one Gamma for all systems, dealt to atoms at whose ends each system has a coin of its own
        low, high = metric.bounds
        total = float(sum(weights))
        parts = sticks(rng, np.array([total]), size[0])[0] * rng.standard_gamma(total, size[0])  # (atoms, draws)
        up = np.zeros(size)
        for part in parts:
            up += part[:, None] * np.where(rng.random(size) < weights[1] / total, high, low)
        return up, parts.sum(axis=0)[:, None] * np.ones(size)
    form = _linear(metric)
    own = rng.standard_gamma(MICRO, (*size, 4))
    return own @ np.array(form.top), own @ np.array(form.bottom)


def _linear(metric: Metric) -> Linear:
    form = metric.base.reading.form if metric.base is not None else None
    assert isinstance(form, Linear)  # noqa: S101 - the view looked
    return form


def _quotient(t: Tally, metric: Metric, system: int) -> tuple[Array, Array]:
    """What each pattern adds above and below the line."""
    form, cells = _linear(metric), item_cells(t, system)
    top, bottom = (
        np.sum([w * cells[c] for w, c in zip(part, CELLS, strict=True)], axis=0) for part in (form.top, form.bottom)
    )
    return np.asarray(top), np.asarray(bottom)


def added_up(t: Tally, metric: Metric) -> tuple[Any, str]:
    """The law of a micro average that is a linear quotient of the cells of all labels added up."""
    form = _linear(metric)
    top, bottom = _quotient(t, metric, 0)
    top, bottom = np.concatenate([top, form.top]), np.concatenate([bottom, form.bottom])
    shapes = np.concatenate([t.effective, np.full(4, MICRO)])
    kept = (bottom > 0) & (shapes > 0)
    return mean_law(top[kept], bottom[kept], shapes[kept])


def plan(t: Tally, prior: Prior, equal: bool) -> AnyOf | Apart:
    """What is drawn for a measure of all labels."""
    if t.shape:
        raise BadSetting("measures of all labels take a single table, not a batch.")
    if prior.two_level or prior.table is not None:
        raise BadSetting(
            f"items with many labels take the priors even, jeffreys, uniform or a weight; got {prior.name}."
        )
    k = len(t.labels)
    if t.independent:
        if len(t.systems) > 1:
            raise BadSetting(
                "labels taken on their own have no joint form; leave out independent=True to compare systems."
            )
        cells = t.by_class(effective=True)
        weight = 0.5 if prior.name == "even" else float(prior.weight or 0.0)
        return Apart(np.stack([cells[c] for c in CELLS]) + weight)
    truth, answers, both = t.memberships()
    shapes = t.effective
    if prior.name != "even":
        return AnyOf(shapes, k, truth, answers, both, 2.0 * float(prior.weight or 0.0))
    if equal:
        return AnyOf(shapes, k, truth, answers, both, 1.0, pool_of(t))
    return AnyOf(shapes, k, truth, answers, both, 2.0 * MICRO / k)


def pool_of(t: Tally) -> PooledAccuracy:
    """The shared share of true labels that are found: true labels weighted so that each label counts about alike."""
    (pattern, label), _, both = t.memberships()
    k = len(t.labels)
    counts = t.effective
    size = np.bincount(label, counts[pattern], k)
    weights = counts[pattern] / (size[label] + 1.0)
    key = pattern * k + label
    found = np.stack([np.isin(key, x[0] * k + x[1]) for x in both], axis=1)
    right, which = np.unique(found, axis=0, return_inverse=True)
    if not len(right):
        return PooledAccuracy(np.zeros((1, len(both)), dtype=bool), np.zeros(1), 1.0, k / 3.0)
    return PooledAccuracy(right, np.asarray(np.bincount(np.ravel(which), weights), dtype=float), 1.0, k / 3.0)
