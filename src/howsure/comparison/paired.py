"""Two systems on the same items: the joint table of (truth, answer of a, answer of b).

The prior weight of a joint pattern is w(y, a)·w(y, b)/w(y, ·), so each system's own posterior is what it is alone.
Where both measures have the same denominator (recall, specificity, accuracy, a rate) the difference is a linear
quotient and exact; otherwise both measures are taken from the same draws of the joint cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.comparison.independent import within
from howsure.distribution import Distribution, number_or_array
from howsure.document import Measure
from howsure.errors import BadSetting
from howsure.expressions import CELLS
from howsure.forms import Linear
from howsure.kernels import draws as drawing
from howsure.kernels.integral import Integral
from howsure.kernels.linear_quotient import LinearQuotient
from howsure.kernels.moebius import Moebius
from howsure.kernels.sampled import Sampled
from howsure.model import END_ERROR, Known, Posterior, Ranked, Resampled
from howsure.model.classes import plan
from howsure.model.tables import MOST_CLASS_NUMBERS
from howsure.routes import values
from howsure.table import Tally

Array = NDArray[np.float64]

WHOLE = ("classes", "items", "added")  # views of all classes, labels or items at once
_NAME = {(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}


@dataclass(frozen=True)
class Joint:
    """Shapes of the joint patterns (truth, a, b) of a 2x2 measure; truth is always 1 for right-or-wrong tables."""

    patterns: tuple[tuple[int, int, int], ...]
    shapes: tuple[Array, ...]
    counts: tuple[Array, ...] = ()

    def cell(self, pattern: tuple[int, int, int], side: int) -> str:
        """The cell of tp, fp, fn, tn that a pattern is for one of the systems."""
        return _NAME[pattern[0], pattern[1 + side]]


def joint_of(p: Posterior, metric: Metric) -> Joint:
    """The joint patterns that a metric looks at, with their prior weights."""
    t, view = p.tally, p.view(metric)
    if p.prior.two_level:
        raise BadSetting("a paired comparison needs a flat prior such as even; a two-level prior has no joint form.")
    if view.kind in ("outcome", "right-wrong"):
        right = [(t.cells[:, 0] == t.cells[:, k]) if not t.outcome else t.cells[:, k] == 1 for k in (1, 2)]
        weights = p.prior.outcome() if t.outcome else p.prior.right_wrong(len(t.labels))
        w = {1: weights[0], 0: weights[1]}
        return _build(t, [np.ones(len(t.cells), dtype=int)], right, {1: w})
    two, cells = two_classes(t, view.place), binary_weights(p, view.place)
    rows = {1: {1: cells["tp"], 0: cells["fn"]}, 0: {1: cells["fp"], 0: cells["tn"]}}
    truth = two.cells[:, 0]
    answers = [np.where(two.cells[:, k] < 0, 1 - truth, two.cells[:, k]) == 1 for k in (1, 2)]
    return _build(two, [truth], answers, rows)


def binary_weights(p: Posterior, place: int) -> dict[str, float]:
    """The prior's weight of each cell of a class against the rest."""
    t = p.tally
    return p.prior.binary(place, len(t.labels), 1 if t.positive is None else t.find(t.positive))


def two_classes(t: Tally, place: int) -> Tally:
    """The table of a class against the rest, coded 1 and 0."""
    two = t.versus_rest(t.labels[place])
    if two.labels.index(two.positive) == 0:
        two = Tally(
            np.where(two.cells < 0, -1, 1 - two.cells), two.counts, two.labels[::-1], two.systems, two.positive,
            two.batch, two.squares,
        )  # fmt: skip
    return two


def _build(t: Tally, truth: list[Any], answers: list[Any], rows: dict[int, dict[int, float]]) -> Joint:
    patterns = tuple(product(sorted(rows), (0, 1), (0, 1)))
    counts = t.effective
    shapes, raw = [], []
    for y, a, b in patterns:
        here = (truth[0] == y) & (answers[0] == a) & (answers[1] == b)
        weight = rows[y][a] * rows[y][b] / (rows[y][0] + rows[y][1])
        shapes.append(np.asarray(counts[..., here].sum(axis=-1) + weight))
        raw.append(np.asarray(t.counts[..., here].sum(axis=-1)))
    return Joint(patterns, tuple(shapes), tuple(raw))


Found = tuple[Any, Any, Distribution, str, float, Callable[[float], Any]]


def outcome(p: Known, metric: Measure, tolerance: float, seed: int) -> Found:
    """As for independent systems, from the joint table or the values of the same items."""
    if isinstance(p, Ranked):
        return _drawn_outcome(p.difference(metric))
    if isinstance(p, Resampled):
        difference = p.only(metric).difference(*p.data.systems)
        if difference.route == "sampled":
            return _drawn_outcome(difference)
        return _exact_outcome(difference, difference.route)
    assert isinstance(metric, Metric)  # noqa: S101 - narrows the type
    view = p.view(metric)
    name, metric = metric, view.metric
    if view.kind == "items":
        law, route = p.item_difference(metric)
        return _exact_outcome(Distribution(f"difference of {name}", law, route, sampler(p, name, np.subtract)), route)
    whole = view.kind in WHOLE
    if not whole:
        joint = joint_of(p, name)
        law = _exact(joint, metric)
        if law is not None:
            difference = Distribution(f"difference of {name}", law, "quadrature", sampler_of(joint, metric))
            return _exact_outcome(difference, "closed form")
    draw = sampler(p, name, np.subtract)
    n = int(np.ceil(1.3 * (3 * END_ERROR / tolerance) ** 2))
    if whole:
        n = max(min(n, 10_000), min(n, MOST_CLASS_NUMBERS // plan(p.tally, p.prior, metric.classes_count_alike).cost))
    low, high = metric.bounds
    draws = Sampled(np.sort(draw(n, seed), axis=0), low - high, high - low)
    return _drawn_outcome(Distribution(f"difference of {name}", draws, "sampled", draw))


def _drawn_outcome(difference: Distribution) -> Found:
    above, below = difference.law.signs()
    error = float(difference.law.error[1])
    return number_or_array(above), number_or_array(below), difference, "sampled", error, within(difference)


def _exact_outcome(difference: Distribution, route: str) -> Found:
    law = difference.law
    below, above = law.tails(np.zeros(()))

    def between(margin: float) -> Any:
        inside = law.tails(np.asarray(margin))[0] - law.tails(np.asarray(-margin))[0]
        return number_or_array(np.clip(inside, 0.0, 1.0))

    return number_or_array(above), number_or_array(below), difference, route, 1e-12, between


def sampler(p: Known, metric: Measure, combine: Callable[[Array, Array], Array]) -> Callable[[int, int], Array]:
    """Draws of the difference (or the ratio) of two systems on the same items."""
    if isinstance(p, Ranked):
        m = p.measure(metric)
        return lambda n, seed: combine(*p.joint_draws([m], n, seed)[0].T)
    if isinstance(p, Resampled):
        return lambda n, seed: combine(*p.only(metric).draws(n, seed=seed).T)
    assert isinstance(metric, Metric)  # noqa: S101 - narrows the type
    view = p.view(metric)
    if view.kind in WHOLE:
        if p.tally.shape:
            raise BadSetting(f"a paired comparison on {metric} takes a single table, not a batch.")
        return lambda n, seed: combine(*p.joint_draws(view.metric, n, seed).T)
    return sampler_of(joint_of(p, metric), view.metric, combine)


def _exact(joint: Joint, metric: Metric) -> Any:
    """The law of the difference when both systems share their denominator; None otherwise."""
    form = metric.reading.form
    if not isinstance(form, Linear) or metric.reading.outer:
        return None
    top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
    groups: dict[tuple[float, float], Array] = {}
    for pattern, shape in zip(joint.patterns, joint.shapes, strict=True):
        a, b = joint.cell(pattern, 0), joint.cell(pattern, 1)
        if bottom[a] != bottom[b]:
            return None
        key = (top[a] - top[b], bottom[a])
        if any(key):
            groups[key] = groups.get(key, np.zeros(())) + shape
    tops, bottoms = tuple(k[0] for k in groups), tuple(k[1] for k in groups)
    if len(groups) == 2:
        order = sorted(groups, key=lambda k: -k[0])
        (u1, v1), (u2, v2) = order
        return Moebius(np.asarray(groups[order[0]]), np.asarray(groups[order[1]]), u1, v1, u2, v2)
    return Integral(LinearQuotient(tuple(groups.values()), tops, bottoms)) if len(groups) in (3, 4) else None


def sampler_of(
    joint: Joint, metric: Metric, combine: Callable[[Array, Array], Array] = np.subtract
) -> Callable[[int, int], Array]:
    """Draws of the difference (or the ratio): both measures from the same joint cells."""

    def sampler(n: int, seed: int) -> Array:
        shape = np.broadcast_shapes(*(s.shape for s in joint.shapes))
        flat = np.stack([np.broadcast_to(s, shape).ravel() for s in joint.shapes])
        out = np.empty((n, flat.shape[1]))
        for j in range(flat.shape[1]):
            logs = drawing.log_shares(flat[:, j], n, seed, j)
            out[:, j] = combine(*(_measure(joint, metric, logs, side) for side in (0, 1)))
        return out.reshape(n, *shape)

    return sampler


def _measure(joint: Joint, metric: Metric, logs: Array, side: int) -> Array:
    """The measure of one system from the joint cells."""
    cells: dict[str, Array] = {}
    for c in CELLS:
        mine = [logs[i] for i, pattern in enumerate(joint.patterns) if joint.cell(pattern, side) == c]
        cells[c] = np.logaddexp.reduce(mine) if mine else np.full(logs.shape[1], -np.inf)
    return values(metric, {c: np.exp(x) for c, x in cells.items()}, cells)
