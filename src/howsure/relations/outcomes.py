"""From reported values to the tables that agree with them: one, several, a region of them, or none.

One method for every set of measures. The linear conditions are eliminated exactly (system.py). One direction left:
all roots along a segment (roots.py). More: Newton steps from many points (region.py). Alvarez eqs 17-19 and
Ishioka eqs 7-12 are what comes out for recall, precision and accuracy, generality or fallout. Where digits or ranges
are given, and where a search found nothing, boxes tell whether there is a table at all (cover.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.errors import BadSetting
from howsure.messages.language import spelled
from howsure.relations.cover import cover
from howsure.relations.integers import NotSearched, whole_tables
from howsure.relations.region import EDGE, FEW, Region, Regions, region
from howsure.relations.roots import between, roots
from howsure.relations.system import Condition, System, filled_range, flat, system
from howsure.relations.values import CLOSE, Given
from howsure.validate import MOST

_LARGE: Final = 10**9  # from here on one item is a share that a search takes for 0


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
    searched = found.unproved and made.exact  # with ranges, boxes have told already
    return replace(found, unproved=not cover(made).empty) if proved and searched else found


def _solved(made: System) -> Outcome:
    """As `outcome`; where a search in vain is no proof, that is yet to be asked for."""
    known = made.givens
    for one in known:
        if one.quantity.sized and one.quantity.linear is not None and one.low > MOST:
            raise _too_large(str(one))
    found = flat(made.equations)
    if found is not None and not found.directions and not made.inequalities:
        return _settled(made, found.base)
    where = region(made)
    if where is None:
        shares = None if found is None or found.directions else np.array([float(x) for x in found.base])
        return Outcome(point=shares)
    if where.void is not None or (found is not None and where.dimension < len(found.directions)):
        _refuse_large(known)
    where = where.without_idle_curves() if where.dimension > 1 else where
    if where.void is not None:
        return Outcome(undefined=None if where.void.quantity.sized else where.void)
    if where.dimension == 0 and made.exact:
        return _checked(made, _swept(where.middle[None]))
    if where.dimension == 1 and where.curves and not made.inequalities and all(c.exact for c in where.curves):
        return _along(where)
    exact = made.exact
    if exact and where.dimension > 1 and any(c.extreme for c in where.curves):
        return _on_faces(where)
    return _spread(where)


def _too_large(got: str) -> BadSetting:
    return BadSetting(f"counts above 2^53 ({MOST}) are not exact; got {got}.")


def _refuse_large(known: tuple[Given, ...]) -> None:
    """Counts of which some may be too small a part of others to be told from 0."""
    counts = [one for one in known if one.quantity.sized and one.low > 0]
    most = max(counts, key=lambda one: one.low, default=None)
    if most is not None and len(counts) > 1 and most.low >= _LARGE:
        raise BadSetting(
            f"counts below {_LARGE:,} are solved where they do not settle all four cells; got {most}: "
            f"give one more count, or {spelled('integers=True', 'leave out --exact')}."
        )


def _settled(made: System, base: tuple[Fraction, ...]) -> Outcome:
    """The one point that the linear conditions leave, in exact numbers; whole counts must agree to the last item."""
    whole = all(
        one.quantity.sized and one.quantity.linear and one.exact and one.low.denominator == 1 for one in made.givens
    )
    point = np.array([float(x) for x in base])
    if min(base) < (0 if whole else -EDGE):
        return Outcome(point=point)
    shares = [max(x, Fraction(0)) for x in base]
    scale = made.scale
    if scale is None or not scale.exact or scale.quantity.linear is None:
        return _checked(made, np.maximum(point, 0.0)[None])
    part = _sum(scale, shares)
    if not part:
        return Outcome(point=point)
    counts = [x * scale.low / part for x in shares]
    if sum(counts) > MOST:
        raise _too_large(f"n = {float(sum(counts)):.6g}")
    exact = np.array([float(x) for x in counts])
    if whole:
        agrees = all(_sum(one, counts) == one.low for one in made.givens)
        return Outcome(exact[None]) if agrees else Outcome(point=point)
    if not _agrees(made, np.maximum(point, 0.0)):
        return Outcome(point=point)
    return Outcome(_rounded(made, exact)[None])


def _sum(one: Given, cells: list[Fraction]) -> Fraction:
    """A count of a table."""
    weights = (0, 0, 0, 0) if one.quantity.linear is None else one.quantity.linear[0]
    return sum((w * x for w, x in zip(weights, cells, strict=True)), start=Fraction(0))


def _swept(points: Array) -> Array:
    """Without what Newton steps leave of an empty cell."""
    return np.where(points < 1e-14, 0.0, points)


def _checked(made: System, points: Array) -> Outcome:
    """The points that agree with every report, as tables."""
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
    """Counts, or shares when no count is given."""
    counts = shares * float(made.size(shares))
    return counts if made.scale is None else _rounded(made, counts)


def _rounded(made: System, counts: Array) -> Array:
    """Within rounding of whole numbers counts are whole, if these agree too."""
    size = float(counts.sum())
    near = np.round(counts)
    whole = np.where(np.abs(counts - near) < CLOSE * max(size, 1.0) * 0.1, near, counts)
    return whole if _agrees(made, whole / max(float(whole.sum()), 1e-300)) else counts


def _along(where: Region) -> Outcome:
    """One direction is free: the curve that fixes it, and then the others."""
    t = where.corners @ where.directions[0]
    start, end = where.corners[[int(t.argmin())]], where.corners[[int(t.argmax())]]
    for curve in where.curves:
        found = roots(partial(_off, curve, start, end), np.array([max(1.0, abs(curve.low))]))
        if not found.throughout.size:
            points = between(start, end, found.rows, found.places)
            return _checked(where.system, _swept(points)) if len(points) else Outcome()
    return Outcome(region=Regions((replace(where, curves=()),)))


def _off(curve: Condition, start: Array, end: Array, rows: Index, s: Array) -> Array:
    return np.asarray(curve.target.at(between(start, end, rows, s)) - curve.low)


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
    exact = where.system.exact
    if not len(where.points):
        return _on_faces(where) if exact and where.dimension > 1 else Outcome(unproved=exact or not where.found.empty)
    if exact and where.curves and len(where.isolated) <= FEW and where.freedom == 0:
        points = _swept(where.isolated)
        return _checked(where.system, points) if len(points) else Outcome(unproved=True)
    return Outcome(region=Regions((where,)))


def whole_outcome(known: tuple[Given, ...], most: int) -> Outcome:
    """The whole-number tables that agree with what is given."""
    found = whole_tables(known, most)
    if not len(found.tables) and not found.complete:
        told = "the search was too large and found no table so far; give n, a margin or more digits."
        raise NotSearched(told, "long")
    return Outcome(found.tables, complete=found.complete)
