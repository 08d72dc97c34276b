"""The 11-point averaged precision that belongs to a phi, or another measure, at a fixed fallout (Ishioka 3.3).

At a recall r and a fallout a the measure is a function of precision. The precision that gives it a target value is
looked for at r = 0, 0.1, ..., 1, and averaged. The function is not monotone: phi is 0 at both ends and rises to a peak
between, so a target above the peak has no solution, one below it has two. The sound rule finds all solutions, takes the
lowest at each level (the precision that is needed, on the side where the measure rises with it) or the highest, leaves
out the levels without one, and says how many those are. The rule of the paper halves [0.01, 0.99] as if the function
rose, and returns a number whether there is a solution or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.envelope import envelope
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.notes import Notes, note
from howsure.relations.grid import HeldMeasure, spans
from howsure.relations.quantities import Quantity, measure_of, quantity
from howsure.relations.surfaces import axis_values
from howsure.result import Result
from howsure.rows import real

Array = NDArray[np.float64]
LEVELS: Final = np.linspace(0.0, 1.0, 11)
RULES: Final = ("lowest", "highest", "bisection")
_FALLOUTS: Final = (0.01, 0.02, 0.05, 0.1)
_HALVINGS: Final = 50
_MOST: Final = 110_000  # points, some 10 seconds
_FIRST: Final = 1e-6  # recall at level 0 of the bisection, where precision has no meaning


@dataclass(frozen=True)
class ElevenPoint(Result):
    """Averaged precision by the value of a measure (columns) and by fallout (rows).

    `precision` has the 11 recall levels along its last axis, NaN where no table has the target; `share` is the part of
    the levels that have one, `mean` the average over those (bisection: over all), NaN where there is none.
    """

    measure: str
    rule: str
    values: Array = field(repr=False)
    fallout: Array = field(repr=False)
    precision: Array = field(repr=False)
    reachable: NDArray[np.bool_] = field(repr=False)

    @cached_property
    def mean(self) -> Array:
        """The averaged precision."""
        there = ~np.isnan(self.precision)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(there, self.precision, 0.0).sum(axis=2) / there.sum(axis=2))

    @property
    def share(self) -> Array:
        """The part of the 11 levels at which a table has the target."""
        return np.asarray(self.reachable.mean(axis=2))

    @property
    def gap(self) -> Array:
        """Averaged precision minus the value of the measure, averaged over the values; one number per fallout."""
        with np.errstate(invalid="ignore"):
            gaps = self.mean - self.values
            there = ~np.isnan(gaps)
            return np.asarray(np.where(there, gaps, 0.0).sum(axis=1) / there.sum(axis=1))

    @property
    def notes(self) -> Notes:
        missed = float(1 - self.reachable.mean())
        rule = {
            "highest": "the highest precision with the target at each level; levels without one are left out",
            "lowest": "the lowest precision with the target at each level; levels without one are left out",
            "bisection": "halving [0.01, 0.99] as if the measure rose with precision: a number even where none has it",
        }[self.rule]
        return (
            note("rule", rule),
            note("infeasible", f"no table has the target at {missed:.1%} of all levels"),
        )

    def _make(self) -> dict[str, Any]:
        rows = [
            {
                "fallout": float(a), "value": float(v), "mean": real(self.mean[i, j]), "share": real(self.share[i, j]),
                "precision": [real(p) for p in self.precision[i, j]],
            }
            for i, a in enumerate(self.fallout) for j, v in enumerate(self.values)
        ]  # fmt: skip
        return envelope("howsure.eleven-point/1", rows, notes=self.notes) | {
            "measure": self.measure,
            "rule": self.rule,
            "levels": LEVELS.tolist(),
            "gap": [real(x) for x in self.gap],
        }

    def __repr__(self) -> str:
        size = f"{len(self.values)} values, {len(self.fallout)} fallouts"
        return f"ElevenPoint({self.measure}, {self.rule}: {size}, {self.reachable.mean():.1%} of levels feasible)"


def eleven_point(
    measure: str | Metric = "phi", values: Any = None, *, fallout: Any = _FALLOUTS, rule: str = "lowest"
) -> ElevenPoint:
    """The 11-point averaged precision of systems with a given phi (or tetrachoric, ...) and fallout.

    `values` are the targets, 0.05 to 0.95 by default. `rule` is lowest, highest or bisection (the paper's).

    >>> e = eleven_point("phi", [0.5], fallout=[0.01])
    >>> e.mean.round(3).tolist(), e.share.round(3).tolist()
    ([[0.405]], [[0.636]])
    """
    if rule not in RULES:
        raise UnknownName(f"no rule {rule!r}.{nearest(str(rule), RULES)} Rules: {', '.join(RULES)}.")
    what = measure_of(measure)
    if what.sized or np.ptp(what.at(_tables(np.array([0.3, 0.6]), 0.7, 0.2))) < 1e-9:
        raise BadSetting(
            f"eleven_point needs a measure that precision moves at a fixed recall and fallout; got {what}."
        )
    targets = np.linspace(0.05, 0.95, 19) if values is None else axis_values(what, values)
    rates = axis_values(quantity("fallout"), fallout)
    if rates.size * targets.size * LEVELS.size > _MOST:
        raise BadSetting(
            f"eleven_point allows at most {_MOST // LEVELS.size:,} pairs of a value and a fallout; got "
            f"{targets.size:,} values and {rates.size:,} fallouts."
        )
    a, v, r = (x.ravel() for x in np.meshgrid(rates, targets, LEVELS, indexing="ij"))
    known = [HeldMeasure(quantity("recall"), r), HeldMeasure(quantity("fallout"), a), HeldMeasure(what, v)]
    found = spans(quantity("precision"), known)
    chosen = {"highest": found.high, "lowest": found.low}.get(rule)
    precision = _bisected(what, r, a, v) if chosen is None else chosen
    shape = (rates.size, targets.size, LEVELS.size)
    reachable = (~np.isnan(found.low)).reshape(shape)
    return ElevenPoint(what.name, rule, targets, rates, precision.reshape(shape), reachable)


def _bisected(what: Quantity, r: Array, a: Array, v: Array) -> Array:
    """The paper's search: up where the measure is below the target, else down."""
    low, high = np.full(r.shape, 0.01), np.full(r.shape, 0.99)  # no bracket of a root, as searches.root needs
    r = np.maximum(r, _FIRST)
    for _ in range(_HALVINGS):
        p = 0.5 * (low + high)
        value = what.at(_tables(p, r, a))
        low, high = np.where(value < v, p, low), np.where(value < v, high, p)
    return np.where(np.isnan(value), np.nan, 0.5 * (low + high))  # fallout 0 leaves no item but true negatives


def _tables(p: Array, r: Array | float, a: Array | float) -> Array:
    """Ishioka eqs 7 to 9 with tp = ap."""
    return np.stack(np.broadcast_arrays(a * p, a * (1 - p), a * p * (1 / r - 1), (1 - p) * (1 - a)), axis=-1)
