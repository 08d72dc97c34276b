"""From reported values to the tables that agree with them: one, several, a region of them, or none.

One method for every set of measures. The linear conditions are eliminated exactly (system.py). One direction left:
all roots of a polynomial (segment_roots.py). More: Newton steps from many points (region.py). Alvarez eqs 17-19 and
Ishioka eqs 7-12 are what comes out for recall, precision and accuracy, generality or fallout. Where digits or ranges
are given, and where a search found nothing, boxes tell whether there is a table at all (cover.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.relations import segment_roots
from howsure.relations.cover import cover, filled_range
from howsure.relations.integers import whole_tables
from howsure.relations.region import EDGE, FEW, Region, Regions, region
from howsure.relations.system import System, flat, system
from howsure.relations.values import CLOSE, Given

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """All tables that agree, or the region of them when they are without number; or neither, and what made it fail."""

    tables: Array = field(default_factory=lambda: np.zeros((0, 4)))
    region: Regions | None = None
    complete: bool = True
    point: Array | None = None  # where the equations would put the shares, outside of what can be
    undefined: Given | None = None  # what is 0/0 throughout
    unproved: bool = False  # no table was found, which is no proof that there is none

    @property
    def status(self) -> str:
        """unique, several, undetermined, infeasible or not-found."""
        if self.region is not None:
            return "undetermined"
        if not len(self.tables):
            return "not-found" if self.unproved else "infeasible"
        return "unique" if len(self.tables) == 1 and self.complete else "several"


def outcome(known: tuple[Given, ...], *, proved: bool = True) -> Outcome:
    """The real tables that agree with what is given; if there are none, whether that is certain, where it is asked."""
    made = system(known)
    found = _solved(made)
    return replace(found, unproved=not cover(made).empty) if proved and found.unproved else found


def _solved(made: System) -> Outcome:
    """As `outcome`; where a search in vain is no proof, that is yet to be asked for."""
    known = made.givens
    found = flat(made.equations)
    if found is not None and not found.directions and not made.inequalities:
        point = np.array([float(x) for x in found.base])
        if (point >= -EDGE).all():
            return _checked(made, np.maximum(point, 0.0)[None])
        return Outcome(point=point)
    where = region(made)
    if where is None:
        shares = None if found is None or found.directions else np.array([float(x) for x in found.base])
        return Outcome(point=shares)
    where = where.without_idle_curves() if where.dimension > 1 else where
    if where.void is not None:
        return Outcome(undefined=None if where.void.quantity.sized else where.void)
    if where.dimension == 0 and all(one.exact for one in known):
        return _checked(made, where.middle[None])
    if where.dimension == 1 and where.curves and not made.inequalities and all(c.exact for c in where.curves):
        return _along(where)
    exact = all(one.exact for one in known)
    if exact and where.dimension > 1 and any(c.extreme for c in where.curves):
        return _on_faces(where)
    return _spread(where)


def _checked(made: System, points: Array) -> Outcome:
    """The points that agree with every report, as tables."""
    points = np.where(points < 1e-14, 0.0, points)  # what Newton steps leave of an empty cell
    kept = [x for x in points if _agrees(made, x)]
    if not kept:
        return Outcome(point=points[0])
    if made.scale is not None and not made.scale.exact:  # the shares are settled, their size is not
        return Outcome(region=Regions(tuple(Region(made, x[None], ()) for x in kept)))
    return Outcome(np.array([tables(made, x) for x in kept]))


def _agrees(made: System, shares: Array) -> bool:
    size = float(made.size(shares))
    values = [float(one.quantity.at(shares)) * (size if one.quantity.sized else 1.0) for one in made.givens]
    return all(
        bool(one.holds(value)) or _filled(made, one, shares) for one, value in zip(made.givens, values, strict=True)
    )


def _filled(made: System, one: Given, shares: Array) -> bool:
    """Whether digits are those of a tetrachoric correlation with an empty cell filled."""
    if one.name != "tetrachoric" or one.exact or shares.all():
        return False
    least, most = filled_range(shares[None], made.scale)
    return bool(most[0] >= float(one.low) and least[0] <= float(one.high))


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
            return _checked(where.system, found) if len(found) else Outcome()
    return Outcome(region=Regions((replace(where, curves=()),)))


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
            parts += one.region.parts
        tables_found += list(one.tables)
    if parts:
        return Outcome(region=Regions(tuple(parts)))
    if not tables_found:
        return Outcome(unproved=True)
    return Outcome(np.unique(np.round(np.array(tables_found), 9), axis=0))


def _spread(where: Region) -> Outcome:
    """More than one direction, or ranges."""
    exact = all(one.exact for one in where.system.givens)
    if not len(where.points):
        return _on_faces(where) if exact and where.dimension > 1 else Outcome(unproved=True)
    if exact and where.curves and len(where.isolated) <= FEW and where.freedom == 0:
        return _checked(where.system, where.isolated)
    return Outcome(region=Regions((where,)))


def whole_outcome(known: tuple[Given, ...], most: int) -> Outcome:
    """The whole-number tables that agree with what is given."""
    found = whole_tables(known, most)
    if not len(found.tables) and not found.complete:
        raise BadSetting("the search was too large and found no table so far; give n, a margin or more digits.")
    return Outcome(found.tables, complete=found.complete)
