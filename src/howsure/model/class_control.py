"""Measures of all classes by draws with a control: the linear part of the measure at the mean table.

Its law is exact (kernels/control.py), so draws are needed only for what it does not explain: thousands where order
statistics take hundreds of thousands. Half of them are tilted to either side, where the ends of intervals are. Tables
whose measure is far from linear, or lies at an end of its range, keep their order statistics (None).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import Expression
from howsure.gradients import slopes as formula_slopes
from howsure.kernels.class_tables import ClassSlopes
from howsure.kernels.classes import Classes
from howsure.kernels.controlled import Controlled
from howsure.model.sampling import GROWN
from howsure.model.state import State

Array = NDArray[np.float64]
Measured = Callable[[dict[str, Array]], Array]

SIDES: Final = (-1.5, 1.5)  # standard deviations of the linear part, to which draws are tilted
FIRST: Final = 400  # draws of each side, to begin with
FEWER: Final = 150  # where each takes very many numbers
MANY: Final = 3000
TURNS: Final = 4
WORTH: Final = 0.08  # of the draws that order statistics need, at most: beyond, what the fit misses counts too
EXPLAINED: Final = 0.6  # of the variance, that a control must explain
STEP: Final = 1e-4  # relative, of derivatives
AT_A_TIME: Final = 2_000_000  # numbers


def controlled_law(
    state: State, plan: Classes, measure: Measured, bounds: tuple[float, float], formula: Expression
) -> Controlled | None:
    """The law with as many draws as keep equal-tailed ends within the tolerance; None where the control is poor."""
    if plan.systems != 1 or plan.scales is not None or not np.isfinite(bounds).all():
        return None
    slopes = slopes_of(plan, measure, formula)
    linear = plan.linear(slopes)
    control = linear.law() if np.isfinite(linear.std) and linear.std > 0 else None
    if control is None:
        return None
    most = WORTH * state.wanted_draws()
    sides, found, n = [plan.tilted(slopes, linear, s) for s in SIDES], [], 0
    wanted = [FIRST if plan.cost < MANY else FEWER] * 2
    for turn in range(TURNS):
        seed = state.seed + turn * GROWN
        found += [_drawn(sides[i], measure, m, seed + i) for i, m in enumerate(wanted)]
        n += sum(wanted)
        x, y = (np.concatenate(part) for part in zip(*found, strict=True))
        law = Controlled.fitted(linear, control, (x, y), bounds, EXPLAINED)
        if law is None:
            return None
        ends = np.array([float(law.quantile_error(p)) for p in (0.025, 0.975)]) / float(law.std())
        if ends.max() <= state.tolerance * 1.05:
            return law
        square = float((ends**2).mean()) / state.tolerance**2  # the worse end gets more of the draws
        needed = max(1.15 * n * square / law.fit.doubt, 1.3 * n)  # a doubt may be chance
        if not needed <= most:
            return None
        share = ends**2 / (ends**2).sum()
        wanted = np.maximum(needed * share - n / 2, 0.05 * needed).astype(int).tolist()
    return None


def _drawn(plan: Classes, measure: Measured, n: int, seed: int) -> tuple[Array, Array]:
    """Draws of the linear part and of the measure."""
    parts = [(tables.linear, measure(tables.cells(0))) for tables in plan.draws(n, seed)]
    linear, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    return linear, values


def slopes_of(plan: Classes, measure: Measured, formula: Expression) -> ClassSlopes:
    """How a measure follows the right, the missed and the false answers of each class."""
    k, mean = plan.k, plan.expected()
    tp = mean.tp[0]
    base = np.concatenate([tp, mean.row - tp, mean.col[0] - tp])
    cells = _cells(base[:, 0], k)
    found = formula_slopes(formula, cells)
    if found is None:
        return _by_differences(base, measure)
    rest = np.where(cells["tn"] > 0, found["tn"], 0.0)  # an item of a class is one more of all
    right, missed = (found[x] + rest.sum() - rest for x in ("tp", "fn"))
    return ClassSlopes(right, missed, found["fp"] - rest)


def _by_differences(base: Array, measure: Measured) -> ClassSlopes:
    """The same by central differences, for formulas with functions of their own."""
    k = len(base) // 3
    step = STEP * base[:, 0]
    out = np.empty(3 * k)
    size = max(1, AT_A_TIME // (6 * k))
    for first in range(0, 3 * k, size):
        which = np.arange(first, min(first + size, 3 * k))
        move = np.zeros((3 * k, which.size))
        move[which, np.arange(which.size)] = step[which]
        up, down = (measure(_cells(base + sign * move, k)) for sign in (1.0, -1.0))
        out[which] = (up - down) / (2.0 * step[which])
    out = np.where(np.isfinite(out), out, 0.0)
    return ClassSlopes(out[:k], out[k : 2 * k], out[2 * k :])


def _cells(parts: Array, k: int) -> dict[str, Array]:
    tp, fn, fp = parts[:k], parts[k : 2 * k], parts[2 * k :]
    total = tp.sum(axis=0) + fn.sum(axis=0)
    return {"tp": tp, "fp": fp, "fn": fn, "tn": np.maximum(total - tp - fn - fp, 0.0)}
