"""What random guessing gives, and the probability of being better than that.

Random guessing answers independently of the truth, as often as the system does (Alvarez 4.1, 4.2 with his shares in
place of ours): the table of the same margins and no association. At fixed margins a 2x2 table has one freedom,
d = tp·tn - fp·fn, and nearly every measure rises with it: precision above prevalence, recall above bias, accuracy above
chance agreement, F above its chance value, informedness and kappa above 0 are all the event d > 0, recall above
fallout. Its probability is one exact integral, shared by all these rows. Where the sign of measure minus chance is not
that of d, and for measures of many classes, it is a share of draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from howsure.arrays import Array
from howsure.catalogue import Metric, parse
from howsure.catalogue.expressions import CELLS, Expression
from howsure.catalogue.forms import beyond_chance, by_chance, independent
from howsure.errors import BadLabels, listing
from howsure.messages.language import option
from howsure.posteriors.estimand import EXACT, Chance, Places
from howsure.posteriors.routes import Mixed, Model, exact_law, values
from howsure.posteriors.state import State
from howsure.validate import Label

if TYPE_CHECKING:
    from howsure.posteriors.class_samples import ClassSampler

Found = tuple[Array, Array]

DRAWS: Final = 20_000
FIRST: Final = 5_000  # draws that suffice where all of them are on one side
LARGE: Final = 5_000  # tables up to which a batch is done whole, for all rows together
FEW: Final = 4  # a larger one is not, where one table in so many, or fewer, is asked for
MOST_NUMBERS: Final = 6_000_000  # drawn, or taken through the formula, for one probability


def beyond(metric: Metric) -> Expression:
    """How far a measure is above its own chance value."""
    return metric.formula - by_chance(metric.formula)


def of_cells(
    light: Metric, asked: Metric, counts: Mapping[str, Any], model: Model | Mixed, state: State, place: int, at: Places
) -> Chance | None:
    """Of a 2x2 table: by the law of informedness at 0 where the measure rises with it, else by draws."""
    sign = beyond_chance(light.formula)
    if asked.better is None or sign == 0:
        return None
    up = asked.better == "higher"
    if sign is not None and isinstance(model, Model):
        below, more = _associated(state, model, place, at)
        exact = more if (sign > 0) == up else below
        return _chance(_score(light, counts), (exact, np.full(exact.shape, EXACT)), at, cut=False)
    gap = replace(light, formula=beyond(light))

    def drawn(n: int) -> Array:
        rows = [values(gap, *model.table(j, n, state.seed)) for j in range(model.size())]
        return np.stack(rows, axis=-1).reshape(n, *model.shape)

    return _chance(_score(light, counts), _turned(share_above(drawn, 4 * model.size()), up), at)


def of_sampler(
    light: Metric, asked: Metric, counts: Mapping[str, Any], sampler: ClassSampler, seed: int, at: Places
) -> Chance | None:
    """Of a class among many, by draws of how far it is beyond chance."""
    if asked.better is None or beyond_chance(light.formula) == 0:
        return None
    found = share_above(lambda n: sampler(n, seed), sampler.cost)
    return _chance(_score(light, counts), _turned(found, asked.better == "higher"), at)


def of_right_answers(light: Metric, asked: Metric, state: State, at: Places) -> Chance | None:
    """Of right answers among many classes: more than agreement by chance is kappa above 0."""
    t = state.evidence
    if asked.better is None or len(t.labels) <= 2:
        return None
    key = ("above chance", "kappa")
    if key not in state.kept:
        state.kept[key] = _of_classes(state, parse("kappa"))
    cells = _floats(t.by_class())
    with np.errstate(all="ignore"):
        n = sum(cells.values())
        right = ((cells["tp"] + cells["fn"]) * (cells["tp"] + cells["fp"]) / n**2).sum(axis=0)
        zero = np.zeros_like(right)
        value = light.at({"tp": right, "fn": 1 - right, "fp": zero, "tn": zero})
    return _chance(value, _turned(state.kept[key], (asked.better == "higher") == _rises(light)), at)


def of_all_classes(formula: Expression, metric: Metric, state: State, at: Places) -> Chance | None:
    """Of a measure of all classes, by draws under the prior that the measure has."""
    t = state.evidence
    if metric.better is None or len(t.labels) <= 2:
        return None
    with np.errstate(all="ignore"):
        value = formula(**independent(**_floats(t.by_class())))
    return _chance(value, _turned(_of_classes(state, metric), metric.better == "higher"), at)


class _Classed(Protocol):
    labels: tuple[Label, ...]
    positive: Label | None


def refuse_other_classes(one: _Classed, two: _Classed, whole: bool) -> None:
    """Refuse to compare measures of different classes; `whole` are measures of all of them."""
    first, second = set(one.labels), set(two.labels)
    numbers = {0, 1}  # four counts have no names of their own
    if first == second or (numbers in (first, second) and len(first) == len(second) == 2):
        return
    if whole or one.positive != two.positive:
        here, there = (listing(sorted(map(str, x))) for x in (first - second or first, second - first or second))
        raise BadLabels(
            f"the two tallies have different classes: {here} in the first, {there} in the second; "
            f"give both the same {option('labels')}."
        )


# -- inside


def _score(light: Metric, counts: Mapping[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return light.formula(**independent(**_floats(counts)))


def _chance(value: Any, found: Found, at: Places, *, cut: bool = True) -> Chance:
    """Scores of 0, 1 and 1/2 come out as such; the tables that were asked for."""
    value = np.asarray(value, dtype=float)
    simple = np.round(value, 2) + 0.0
    with np.errstate(invalid="ignore"):
        value = np.where(np.abs(value - simple) < 1e-15, simple, value)
    if at is None:
        return Chance(value, *found)
    return Chance(value[at], *(x[at] for x in found)) if cut else Chance(value[at], *found)


def _turned(found: Found, same: bool) -> Found:
    return found if same else (1.0 - found[0], found[1])


def _floats(cells: Mapping[str, Any]) -> dict[str, Array]:
    return {c: np.asarray(cells[c], dtype=float) for c in CELLS}


def _rises(metric: Metric) -> bool:
    """Whether a measure of right (tp) and wrong (fn) answers rises with the right ones."""
    few, many = (metric.at({"tp": x, "fn": 1 - x, "fp": 0.0, "tn": 0.0}) for x in (0.3, 0.6))
    return bool(many > few)


def _associated(state: State, model: Model, place: int, at: Places) -> Found:
    """P(tp·tn < fp·fn) and P(tp·tn > fp·fn): the law of informedness at 0, in the flat and the two-level model."""
    key = ("associated", place)
    if at is not None and key not in state.kept and model.size() > max(LARGE, FEW * np.size(at[0])):
        scales = None if model.scales is None else _at(model.scales, model.shape, at)
        return _informed(_at(model.cells, model.shape, at), scales)
    if key not in state.kept:
        state.kept[key] = _informed(model.cells, model.scales)
    below, more = state.kept[key]
    return (below, more) if at is None else (below[at], more[at])


def _at(cells: dict[str, Array], shape: tuple[int, ...], at: Any) -> dict[str, Array]:
    return {c: np.broadcast_to(x, shape)[at] for c, x in cells.items()}


@cache
def _informedness() -> Metric:
    return parse("informedness")


def _informed(cells: dict[str, Array], scales: dict[str, Array] | None) -> Found:
    whole = Model(cells, scales=scales)
    if whole.shape:  # equal tables are looked at once
        first, place = whole.distinct()
        cells = _flat(cells, whole.shape, first)
        scales = None if scales is None else _flat(scales, whole.shape, first)
    law, _ = exact_law(_informedness(), Model(cells, scales=scales))
    assert law is not None  # noqa: S101 - narrows the type
    found = law.tails(np.zeros(np.shape(cells["tp"])))
    below, more = (np.asarray(x)[place].reshape(whole.shape) if whole.shape else np.asarray(x) for x in found)
    return below, more


def _flat(cells: dict[str, Array], shape: tuple[int, ...], at: list[int]) -> dict[str, Array]:
    return {c: np.broadcast_to(x, shape).ravel()[at] for c, x in cells.items()}


def _of_classes(state: State, metric: Metric) -> Found:
    """The share of draws of all classes above their own chance value, under the prior that the measure has."""
    from howsure.posteriors.class_samples import class_sampler

    t = state.evidence
    formula = metric.of_classes(len(t.labels))
    assert formula is not None  # noqa: S101 - a measure of all classes
    gap = formula - by_chance(formula)
    far = replace(metric, formula=gap, multiclass=gap, average="", base=None)
    sampler, middle = class_sampler(state, far, gap)
    width = 4 * len(t.labels) * t.tables

    def drawn(n: int) -> Array:
        x = sampler(n, state.seed)
        return x if middle is None else np.asarray(x + (middle - x.mean(axis=0)))

    return share_above(drawn, max(sampler.cost, width))


def share_above(drawn: Callable[[int], Array], cost: int) -> Found:
    """The share of draws above 0, half a draw from 0 and 1 at least, and three standard errors of it."""
    most = int(np.clip(MOST_NUMBERS // max(cost, 1), 1000, DRAWS))
    for n in (FIRST, most) if most > FIRST else (most,):
        x = drawn(n)
        share = np.asarray((x > 0).mean(axis=0) + 0.5 * (x == 0).mean(axis=0))
        if ((share == 0) | (share == 1)).all():
            break
    share = np.clip(share, 0.5 / n, 1.0 - 0.5 / n)
    return share, np.minimum(3.0 * np.sqrt(share * (1.0 - share) / n) + 1.5 / n, 1.0)
