"""What random guessing gives, and the probability of being better than that.

Random guessing answers independently of the truth, as often as the system does (Alvarez 4.1, 4.2 with his shares in
place of ours): the table of the same margins and no association. At fixed margins a 2x2 table has one freedom,
d = tp·tn - fp·fn, and nearly every measure rises with it: precision above prevalence, recall above bias, accuracy above
chance agreement, F above its chance value, informedness and kappa above 0 are all the event d > 0, recall above
fallout. Its probability is one exact integral, shared by all these rows. Where the sign of measure minus chance is not
that of d, and for measures of many classes, it is a share of draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric, parse
from howsure.expressions import CELLS
from howsure.forms import beyond_chance, by_chance
from howsure.model import classes
from howsure.routes import Model, exact_law, values

if TYPE_CHECKING:
    from howsure.model.tables import Posterior, View

Array = NDArray[np.float64]
Places = tuple[NDArray[np.intp], ...] | None

DRAWS = 20_000
FIRST = 5_000  # draws that suffice where all of them are on one side
LARGE = 5_000  # tables up to which a batch is done whole, for all rows together
EXACT = 1e-12  # error of the integral
MOST_NUMBERS = 6_000_000  # drawn, or taken through the formula, for one probability


def score(p: Posterior, metric: Metric) -> Array | None:
    """The measure of random guessing with the same margins; None where there is no such thing."""
    view = p.view(metric)
    if not _applies(p, view, metric):
        return None
    with np.errstate(all="ignore"):
        value = np.asarray(_score(p, view), dtype=float)
    simple = np.round(value, 2) + 0.0  # 0, 1, 1/2 come out as such
    return np.where(np.abs(value - simple) < 1e-15, simple, value)


def _score(p: Posterior, view: View) -> Any:
    if view.kind in ("square", "class"):
        return by_chance(view.metric.formula)(**_floats(p._counts(view)))
    cells = _floats(p.tally.by_class())
    if view.kind == "classes":
        return by_chance(p._over_classes(view.metric))(**cells)
    n = sum(cells.values())
    right = ((cells["tp"] + cells["fn"]) * (cells["tp"] + cells["fp"]) / n**2).sum(axis=0)
    zero = np.zeros_like(right)
    return view.metric.score({"tp": right, "fn": 1 - right, "fp": zero, "tn": zero})


def above(p: Posterior, metric: Metric, at: Places = None) -> tuple[Array, Array] | None:
    """P(better than random guessing at the margins of each draw) and its error; None where there is no such thing.

    `at` names the tables of a batch that are wanted, in their order; all without it.
    """
    view = p.view(metric)
    if not _applies(p, view, metric):
        return None
    up = metric.better == "higher"
    sign = beyond_chance(view.metric.formula) if view.kind == "square" else None
    if sign is not None and p.tally.strata is None:
        below, more = _associated(p, view, at)
        exact = more if (sign > 0) == up else below
        return exact, np.full(exact.shape, EXACT)
    if view.kind == "right-wrong":  # more right answers than agreement by chance: kappa above 0
        key = ("above chance", "kappa")
        if key not in p._cache:
            p._cache[key] = _of_classes(p, parse("kappa"))
        found = _turned(p._cache[key], up == _rises(view.metric))
    else:
        found = _turned(_of_classes(p, view.metric) if view.kind == "classes" else _of_draws(p, view), up)
    return found if at is None else (found[0][at], found[1][at])


def _turned(found: tuple[Array, Array], same: bool) -> tuple[Array, Array]:
    return found if same else (1.0 - found[0], found[1])


def _applies(p: Posterior, view: View, metric: Metric) -> bool:
    t = p.tally
    if metric.better is None or view.kind in ("outcome", "items", "added"):
        return False
    if t.strata is not None and view.kind != "square":
        return False
    if view.kind in ("right-wrong", "classes"):
        return t.sets is None and len(t.labels) > 2
    return beyond_chance(view.metric.formula) != 0


def _floats(cells: Any) -> dict[str, Array]:
    return {c: np.asarray(cells[c], dtype=float) for c in CELLS}


def _rises(metric: Metric) -> bool:
    """Whether a measure of right (tp) and wrong (fn) answers rises with the right ones."""
    few, many = (metric.score({"tp": x, "fn": 1 - x, "fp": 0.0, "tn": 0.0}) for x in (0.3, 0.6))
    return bool(many > few)


def _associated(p: Posterior, view: View, at: Places) -> tuple[Array, Array]:
    """P(tp·tn < fp·fn) and P(tp·tn > fp·fn): the law of informedness at 0, in the flat and the two-level model."""
    key = ("associated", view.place)
    model = p._model(view)
    if at is not None and key not in p._cache and model.size() > LARGE:
        return _informed({c: np.broadcast_to(x, model.shape)[at] for c, x in model.cells.items()})
    if key not in p._cache:
        p._cache[key] = _informed(model.cells)
    below, more = p._cache[key]
    return (below, more) if at is None else (below[at], more[at])


def _informed(cells: dict[str, Array]) -> tuple[Array, Array]:
    law, _ = exact_law(parse("informedness"), Model(cells))
    assert law is not None  # noqa: S101 - narrows the type
    below, more = law.tails(np.zeros(np.shape(cells["tp"])))
    return np.asarray(below), np.asarray(more)


def _of_draws(p: Posterior, view: View) -> tuple[Array, Array]:
    """The share of draws of one table above their own chance value."""
    m = view.metric
    gap = m.formula - by_chance(m.formula)
    if view.kind == "class":
        sampler = classes.ClassSampler(p.tally, p.prior, classes.of_class(gap, view.place), False, (-np.inf, np.inf))
        return _share(lambda n: sampler(n, p.seed), sampler.cost)
    model = p._model(view) if p.tally.strata is None else p._of_strata(view).model

    def drawn(n: int) -> Array:
        rows = [values(replace(m, formula=gap), *model.table(j, n, p.seed)) for j in range(model.size())]
        return np.stack(rows, axis=-1).reshape(n, *model.shape)

    return _share(drawn, 4 * model.size())


def _of_classes(p: Posterior, metric: Metric) -> tuple[Array, Array]:
    """The share of draws of all classes above their own chance value, under the prior that the measure has."""
    formula = p._over_classes(metric)
    gap = formula - by_chance(formula)
    sampler, middle = p._class_sampler(replace(metric, formula=gap, multiclass=gap, average="", base=None))
    width = 4 * len(p.tally.labels) * int(np.prod(p.tally.shape, dtype=int))

    def drawn(n: int) -> Array:
        x = sampler(n, p.seed)
        return x if middle is None else np.asarray(x + (middle - x.mean(axis=0)))

    return _share(drawn, max(sampler.cost, width))


def _share(drawn: Callable[[int], Array], cost: int) -> tuple[Array, Array]:
    """The share of draws above 0, half a draw from 0 and 1 at least, and three standard errors of it."""
    most = int(np.clip(MOST_NUMBERS // max(cost, 1), 1000, DRAWS))
    for n in (FIRST, most) if most > FIRST else (most,):
        x = drawn(n)
        share = np.asarray((x > 0).mean(axis=0) + 0.5 * (x == 0).mean(axis=0))
        if ((share == 0) | (share == 1)).all():
            break
    share = np.clip(share, 0.5 / n, 1.0 - 0.5 / n)
    return share, np.asarray(3.0 * np.sqrt(share * (1.0 - share) / n) + 1.5 / n)
