"""solve: from reported measures to the 2x2 tables behind them.

One method for every set of measures. The linear conditions are eliminated exactly (system.py). One direction left:
all roots of a polynomial (segment_roots.py). More: Newton steps from many points (region.py). Alvarez eqs 17-19 and
Ishioka eqs 7-12 are what comes out for recall, precision and accuracy, generality or fallout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.relations import segment_roots
from howsure.relations.integers import whole_tables
from howsure.relations.joint import JointSolution, solve_together
from howsure.relations.region import EDGE, FEW, Faces, Region, region
from howsure.relations.result import Outcome, Solution
from howsure.relations.system import System, flat, system
from howsure.relations.values import CLOSE, Given, givens

Array = NDArray[np.float64]


@overload
def solve(
    measures: Mapping[str, Mapping[str, Any]],
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int = ...,
    ties: str = ...,
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = ...,
    **named: Any,
) -> JointSolution: ...
@overload
def solve(
    measures: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int = ...,
    ties: str = ...,
    wins: None = ...,
    **named: Any,
) -> Solution: ...
def solve(
    measures: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = None,
    integers: bool = False,
    most: int = 10_000,
    ties: str = "up",
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = None,
    **named: Any,
) -> Solution | JointSolution:
    """The 2x2 tables behind reported measures: one, several, undetermined or none.

    A number is exact; text such as "0.75" means every value that prints so, [0.745, 0.755); a pair is a range.
    With `integers=True` every whole-number table that agrees is listed, `most` at most; n may be a range (low, high).
    `ties="either"` allows both roundings of a tie. A mapping of mappings gives several systems tested on the same
    items, with what they share as keywords and `wins={("a", "b"): (only a right, only b right)}`.

    >>> solve(precision=0.75, recall=0.6, accuracy=0.85, n=200).table
    {'tp': 30, 'fp': 10, 'fn': 20, 'tn': 140}
    >>> solve(recall=0.8, specificity=0.8, accuracy=0.8, n=100).status
    'undetermined'
    """
    _check(measures, most)
    if measures and all(isinstance(x, Mapping) for x in measures.values()):
        shared = givens(None, n, named, ties=ties) if named or n is not None else ()
        return solve_together(measures, shared, wins or {}, most, ties, lambda known: _why_not(known, most))
    if wins:
        raise BadSetting("wins= is for several systems: give a mapping from each system to its measures.")
    known = givens(measures, n, named, ties=ties)
    if integers:
        return Solution(known, whole_outcome(known, most), integers=True)
    return Solution(known, outcome(known))


def _check(measures: Any, most: Any) -> None:
    """Settings of the right kind."""
    if measures is not None and not isinstance(measures, Mapping):
        raise BadSetting(f"measures are a mapping from names to values; got {type(measures).__name__}.")
    kinds = {isinstance(x, Mapping) for x in (measures or {}).values()}
    if len(kinds) > 1:
        alone = next(name for name, x in (measures or {}).items() if not isinstance(x, Mapping))
        raise BadSetting(f"several systems need a mapping each; {alone!r} has none: give what they share as keywords.")
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise BadSetting(f"most= is a whole number from 1; got {most!r}.")


def _why_not(known: tuple[Given, ...], most: int) -> str:
    return Solution(known, whole_outcome(known, most), integers=True).why


def outcome(known: tuple[Given, ...]) -> Outcome:
    """The real tables that agree with what is given."""
    return _solved(system(known))


def _solved(made: System) -> Outcome:
    known = made.givens
    found = flat(made.equations)
    if found is not None and not found.directions and not made.inequalities:
        point = np.array([float(x) for x in found.base])
        if (point >= -EDGE).all():
            return _checked(made, np.maximum(point, 0.0)[None])
        return Outcome("infeasible", point=point)
    where = region(made)
    if where is None:
        shares = None if found is None or found.directions else np.array([float(x) for x in found.base])
        return Outcome("infeasible", point=shares)
    where = where.without_idle_curves() if where.dimension > 1 else where
    if where.void is not None:
        return Outcome("infeasible", undefined=None if where.void.quantity.sized else where.void)
    if where.dimension == 0 and all(one.exact for one in known):
        return _checked(made, where.middle[None])
    if where.dimension == 1 and where.curves and not made.inequalities and all(c.exact for c in where.curves):
        return _along(where)
    if where.dimension > 1 and any(c.extreme for c in where.curves):
        return _on_faces(where)
    return _spread(where)


def _checked(made: System, points: Array) -> Outcome:
    """The points that agree with every report, as tables."""
    points = np.where(points < 1e-14, 0.0, points)  # what Newton steps leave of an empty cell
    kept = [x for x in points if _agrees(made, x)]
    if not kept:
        return Outcome("infeasible", point=points[0])
    if made.scale is not None and not made.scale.exact:  # the shares are settled, their size is not
        parts = tuple(Region(made, x[None], ()) for x in kept)
        return Outcome("undetermined", region=parts[0] if len(parts) == 1 else Faces(parts))
    return Outcome("unique" if len(kept) == 1 else "several", tables=np.array([tables(made, x) for x in kept]))


def _agrees(made: System, shares: Array) -> bool:
    size = float(made.size(shares))
    values = [float(one.quantity.at(shares)) * (size if one.quantity.sized else 1.0) for one in made.givens]
    return all(bool(one.holds(value)) for one, value in zip(made.givens, values, strict=True))


def tables(made: System, shares: Array) -> Array:
    """Counts, or shares when no count is given; within rounding of whole numbers they are whole, if these agree too."""
    size = float(made.size(shares))
    counts = shares * size
    if made.scale is None:
        return counts
    near = np.round(counts)
    whole = np.where(np.abs(counts - near) < CLOSE * max(size, 1.0) * 0.1, near, counts)
    return whole if _agrees(made, whole / max(float(whole.sum()), 1e-300)) else counts


def _along(where: Region) -> Outcome:
    """One direction is free: the curve that fixes it, and then the others."""
    t = where.corners @ where.directions[0]
    start, end = where.corners[int(t.argmin())], where.corners[int(t.argmax())]
    for curve in where.curves:
        found, throughout = segment_roots.roots(curve.formula, curve.low, start, end)
        if not throughout:
            return _checked(where.system, found) if len(found) else Outcome("infeasible")
    return Outcome("undetermined", region=replace(where, curves=()))


def _on_faces(where: Region) -> Outcome:
    """Tables with an empty cell, each of the four in turn: a measure at the end of its range needs one."""
    made = where.system
    parts: list[Region] = []
    tables_found: list[Array] = []
    for i in range(4):
        if where.corners[:, i].max() < EDGE:
            continue
        row = tuple(Fraction(int(i == j)) for j in range(4))
        one = _solved(replace(made, equations=(*made.equations, row)))
        if one.region is not None:
            parts += one.region.parts if isinstance(one.region, Faces) else (one.region,)
        tables_found += list(one.tables)
    if parts:
        return Outcome("undetermined", region=Faces(tuple(parts)) if len(parts) > 1 else parts[0])
    if not tables_found:
        return Outcome("infeasible")
    found: Array = np.unique(np.round(np.array(tables_found), 9), axis=0)
    return Outcome("unique" if len(found) == 1 else "several", tables=found)


def _spread(where: Region) -> Outcome:
    """More than one direction, or ranges."""
    if not len(where.points):
        return _on_faces(where) if where.dimension > 1 and where.curves else Outcome("infeasible")
    exact = all(one.exact for one in where.system.givens)
    if exact and where.curves and len(where.isolated) <= FEW and where.freedom == 0:
        return _checked(where.system, where.isolated)
    return Outcome("undetermined", region=where)


def whole_outcome(known: tuple[Given, ...], most: int) -> Outcome:
    """The whole-number tables that agree with what is given."""
    found = whole_tables(known, most)
    if len(found.tables):
        status = "unique" if len(found.tables) == 1 and found.complete else "several"
        return Outcome(status, tables=found.tables, complete=found.complete)
    if not found.complete:
        raise BadSetting("the search was too large and found no table so far; give n, a margin or more digits.")
    return Outcome("infeasible", unexplained=True)


def without_whole(known: tuple[Given, ...]) -> Outcome:
    """Why no whole-number table agrees: no table does, or only tables of fractions do."""
    real = outcome(known)
    return real if real.status == "infeasible" else Outcome("infeasible", fractions=True)
