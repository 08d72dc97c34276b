"""The tables that agree with a report: one, several, a region of them, or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Final

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.errors import BadSetting
from howsure.messages.language import spelled
from howsure.relations.boxes import FINELY, ROUGHLY, Cover, Reach, cover, meeting_points, outer_bounds
from howsure.relations.enclosures import limits
from howsure.relations.integers import NotSearched, whole_tables
from howsure.relations.quantities import Quantity, Target
from howsure.relations.roots import FAR, approached, between, extremes, roots
from howsure.relations.system import Constraint, Flat, System, filled_range, flat, system
from howsure.relations.values import CLOSE, Given
from howsure.validate import MOST

# -- region
#
# The tables that agree with a report, when they are more than a few: corners, points within, and spans of metrics.
#
# Linear conditions leave a polytope of shares, known by its corners; a quotient of two sums of cells has its extremes
# there. Exact curves are met by Newton steps from many points of the polytope, those with ranges by a search in boxes
# (boxes.py). Over a segment of tables metrics are followed from end to end; all other extremes are bounded by boxes,
# or, where no proof is asked for, searched from the best points.

Span = tuple[float, float] | None
EDGE: Final = 1e-9  # a share this far below 0 is 0
_STARTS: Final = 500
_STEPS: Final = 36
_MET: Final = 1e-10
_ROUNDING: Final = 1e-14  # of the metrics: no step comes closer
_NOTHING: Final = 1e-120  # stands for an empty cell
_LEFT: Final = 1e-10  # of an empty cell, at most, by steps
_STEP: Final = 1e-30  # of derivatives by a complex step
_ROUNDS: Final = 30
_TRIES: Final = 12  # a third for curves that are no formulas, each step of which takes long
_TURNED: Final = {  # what follows from another metric
    "miss-rate": ("recall", 1.0, -1.0), "fallout": ("specificity", 1.0, -1.0), "fdr": ("precision", 1.0, -1.0),
    "for": ("npv", 1.0, -1.0), "error-rate": ("accuracy", 1.0, -1.0), "balanced-accuracy": ("informedness", 0.5, 0.5),
}  # fmt: skip
_NOISE: Final = 2e-8  # of a search
_DIGITS: Final = 1e-12  # of what is followed
HUGE: Final = 1e9  # a ratio above this grows without end
FEW: Final = 24  # more isolated points than such equations have: they lie on a curve


@dataclass(frozen=True)
class Region:
    """Shares that satisfy the linear conditions (`corners`) and lie on all curves."""

    system: System
    corners: Array
    curves: tuple[Constraint, ...]

    @cached_property
    def found(self) -> Cover:
        """Boxes that hold all tables that agree, and some of these tables."""
        return cover(self.system)

    @cached_property
    def middle(self) -> Array:
        """A point within the polytope."""
        return np.asarray(self.corners.mean(axis=0))

    @cached_property
    def directions(self) -> Array:
        """Orthonormal directions in which the polytope extends."""
        _, size, rows = np.linalg.svd(self.corners - self.middle, full_matrices=False)
        return np.asarray(rows[size > EDGE])

    @property
    def dimension(self) -> int:
        """Of the polytope, curves left aside."""
        return len(self.directions)

    @cached_property
    def void(self) -> Given | None:
        """What cannot be as given anywhere: a quotient that is 0/0, or a count that is 0 while it gives the scale."""
        for one in self.system.givens:
            if one.quantity.weights is None or (one.quantity.sized and one is not self.system.scale):
                continue
            top, bottom = one.quantity.weights
            if abs(float(self.middle @ (top if one.quantity.sized else bottom))) < EDGE:
                return one
        return None

    def without_idle_curves(self) -> Region:
        """The same region without the curves that every point of the polytope meets."""
        if not self.curves:
            return self
        mix = np.random.default_rng(2).dirichlet(np.ones(len(self.corners)), 5)
        inner = mix @ self.corners
        kept = tuple(c for c in self.curves if not (np.abs(c.misses(inner)) < 1e-9 * max(1.0, abs(c.low))).all())
        return self if len(kept) == len(self.curves) else replace(self, curves=kept)

    # -- points

    @cached_property
    def points(self) -> Array:
        """Many points of the region, some close to its sides and corners; none if it is empty."""
        if self.curves and not self.system.exact:
            return self.found.points
        rng = np.random.default_rng(0)
        k = len(self.corners)
        rare = np.exp(rng.uniform(np.log(1e-9), 0.0, (_STARTS, k)))  # some cells a million times others
        mix = np.concatenate([rare / rare.sum(axis=1, keepdims=True), rng.dirichlet(np.full(k, 0.5), _STARTS // 2)])
        starts = np.concatenate([mix @ self.corners, self.middle[None]])
        return self.settle(starts) if self.curves else np.concatenate([starts, self.corners])

    def settle(self, starts: Array, steps: int = _STEPS) -> Array:
        """The points that Newton steps lead to, from where these meet all exact conditions."""
        if not self._conditions or not self.dimension:
            return starts[self._met(starts)]
        x = approached(np.maximum(starts, _NOTHING), [c.misses for c in self._conditions], steps, _ROUNDING)
        x[:, (self.corners == 0).all(axis=0)] = 0.0
        x /= x.sum(axis=1, keepdims=True)
        return x[self._met(x)]

    def _met(self, x: Array) -> Mask:
        met: Mask = np.ones(len(x), dtype=bool)
        for c in self._conditions:
            met &= np.abs(c.misses(x)) <= _MET * max(1.0, abs(c.low))
        return met

    @property
    def _conditions(self) -> list[Constraint]:
        """The linear ones and the curves."""
        return [*(c for c in self.system.conditions if c.target.linear is not None), *self.curves]

    # -- size

    @cached_property
    def freedom(self) -> int:
        """How many values are free at a typical point, those with a range not counted."""
        return self.settled_by(())

    def settled_by(self, more: tuple[Quantity, ...]) -> int:
        """How many values stay free when these quantities are given too."""
        ranges = [c for c in self.system.conditions if c.target.linear is not None and not c.exact]
        held = [c.target for c in (*self.curves, *ranges)] + [Target(q) for q in more]
        if not held:
            return self.dimension
        few = self.exact and len(self.isolated) <= FEW
        inner = np.argsort(-(self.points @ self.system.sides.T).min(axis=1))[: 5 if few or not self.exact else 40]
        moved = self.points[inner, None] + 1j * _STEP * self.directions
        slopes = np.stack([x.at(moved).imag / _STEP for x in held], axis=1)
        slopes = slopes[np.isfinite(slopes).all(axis=(1, 2))]
        ranks = [int(np.linalg.matrix_rank(s, tol=1e-6)) for s in slopes] or [0]
        return self.dimension - (max(ranks) if few or not self.exact else min(ranks))

    @property
    def exact(self) -> bool:
        """Whether points can be isolated: curves that are one number each, and no ranges."""
        return bool(self.curves) and all(c.exact for c in self.system.conditions)

    @cached_property
    def isolated(self) -> Array:
        """The points, near ones taken as one."""
        _, first = np.unique(np.round(self.points, 6), axis=0, return_index=True)
        points = self.points[first]
        if len(points) > 4 * FEW:
            return points
        kept: list[Array] = []
        for x in points:
            if not any(np.abs(x - y).max() < 3e-6 for y in kept):
                kept.append(x)
        found = np.array(kept).reshape(-1, 4)
        emptied = np.where(found < _LEFT, 0.0, found)  # where a value is 0/0 then, it is a limit that no table has
        return found[~np.isnan([c.target.at(emptied) for c in self._conditions]).any(axis=0)]

    # -- spans

    def spans(self, quantities: Sequence[Quantity], *, proved: bool = True) -> list[Span]:
        """The lowest and highest values of quantities, or a little beyond; None for what is undefined throughout.

        What is not `proved` is quick, and for exact values only: the ends are those of tables that were found.
        """
        searched = [q for q in quantities if not self._at_corners(q)]
        ends = self._followed if self._segment else self._bounded if proved else self._search
        found = ends(searched) if searched else {}
        out: list[Span] = []
        for q in quantities:
            values = self._values(q, self._defined_corners(q)) if self._at_corners(q) else found[q.name]
            huge = HUGE if q.bounds[1] == math.inf and not q.sized else math.inf
            span = _ends(values, self._spread(q), huge, _DIGITS if self._segment else _NOISE)
            out.append(self._as_given(q, span) if q.sized or q.name == "tetrachoric" else span)
        return out

    @property
    def _segment(self) -> bool:
        """Whether the tables are all those between two corners."""
        return self.system.exact and not self.curves and self.dimension == 1

    def _followed(self, quantities: Sequence[Quantity]) -> dict[str, Array]:
        """The ends of ranges over a segment, limits at its ends among them; a given value may be 0/0 just there."""
        along = self.corners @ self.directions[0]
        ends = self.corners[[int(along.argmin()), int(along.argmax())]]
        given = np.array([one.quantity.at(ends) for one in self.system.givens]).reshape(-1, 2)
        whole = ends[np.isfinite(given).all(axis=0)]
        near = between(ends[:1], ends[1:], np.zeros(2, dtype=np.intp), FAR[[0, -1]])
        found = {}
        for q in quantities:
            target = self.system.target(q)
            inner = extremes(lambda r, s: target.at(between(ends[:1], ends[1:], r, s)), 1, FAR)  # noqa: B023 - used here
            values = np.concatenate([*inner, target.at(whole), *limits(target, near)])
            found[q.name] = self._sized(q, values)
        return found

    def _bounded(self, quantities: Sequence[Quantity]) -> dict[str, Array]:
        """Outer bounds, or what tables have where these agree and all that is given is exact."""
        names = {q.name for q in quantities} - {one.name for one in self.system.givens}
        turned = {k: x for k, x in _TURNED.items() if {k, x[0]} <= names}
        chosen = [q for q in quantities if q.name not in turned]
        fine = FINELY if self.system.exact else ROUGHLY
        reaches = outer_bounds(self.found, [self.system.target(q) for q in chosen], self.points, fine)
        found = {q.name: self._reached(q, reach) for q, reach in zip(chosen, reaches, strict=True)}
        return found | {k: a + b * found[other] for k, (other, a, b) in turned.items()}

    def _as_given(self, q: Quantity, ends: Span) -> Span:
        """A count does not leave the range that was given for it, nor does what is ±1 until an empty cell is filled."""
        for one in self.system.givens:
            if one.name == q.name and ends is not None:
                return max(ends[0], float(one.low)), min(ends[1], float(one.high))
        return ends

    def _at_corners(self, q: Quantity) -> bool:
        return not self.curves and q.linear is not None and (not q.sized or self._scaled_by_sum)

    def _defined_corners(self, q: Quantity) -> Array:
        """Where a quotient of sums is not 0/0."""
        return self.corners if q.sized or q.weights is None else self.corners[self.corners @ q.weights[1] > 1e-13]

    @property
    def _scaled_by_sum(self) -> bool:
        scale = self.system.scale
        return scale is None or scale.quantity.linear is not None

    def _spread(self, q: Quantity) -> tuple[float, float]:
        """How far a count stretches when the scale itself is a range."""
        scale = self.system.scale
        if not q.sized or scale is None:
            return 1.0, 1.0
        middle = float(scale.middle)
        return float(scale.low) / middle, float(scale.high) / middle

    def _values(self, q: Quantity, x: Array) -> Array:
        values = np.asarray(q.at(x), dtype=float)
        with np.errstate(all="ignore"):
            return values * self.system.size(x) if q.sized else values

    def _reached(self, q: Quantity, reach: Reach) -> Array:
        return self._sized(q, np.array(reach.narrow(q.bounds) if self.system.exact else (reach.low, reach.high)))

    def _sized(self, q: Quantity, values: Array) -> Array:
        """Values of a target as those of its quantity."""
        size = 1.0 if self.system.scale is None or not q.sized else float(self.system.scale.middle)
        return np.asarray(np.clip(values, *q.bounds) * size)

    def _search(self, quantities: Sequence[Quantity]) -> dict[str, Array]:
        """The lowest and highest values found, by moves of all sizes towards other points, and by factors of cells."""
        rng = np.random.default_rng(1)
        ends = [(q, sign) for q in quantities for sign in (-1.0, 1.0)]
        known = np.concatenate([self.points, self._emptied(self.points)])
        goals = np.concatenate([self.corners, known])
        kept = [self._top(q, sign, known) for q, sign in ends]
        tries = _TRIES // 3 if any(c.may_need_empty_cell for c in self.curves) else _TRIES
        for turn in range(_ROUNDS if self.dimension and len(self.points) else 0):
            starts = np.concatenate(kept)
            corner = rng.random((len(starts), tries)) < 0.5
            towards = goals[rng.integers(np.where(corner, len(self.corners), len(goals)))]
            part = np.exp(rng.uniform(np.log(1e-6), 0.0, (len(starts), tries, 1))) ** (0.3 + turn / _ROUNDS)
            radius = np.where(rng.random(part.shape) < 0.3, 1.0 - part, part)  # a little way, or almost all of it
            tried = (starts[:, None] + radius * (towards - starts[:, None])).reshape(-1, 4)
            far = tried * np.exp(10 * part.reshape(-1, 1) * rng.standard_normal(tried.shape))  # odds of any size
            tried = np.where(rng.random((len(tried), 1)) < 0.5, far / far.sum(axis=1, keepdims=True), tried)
            moved = self.settle(tried, _STEPS // 3)
            moved = np.concatenate([moved, self._emptied(moved)])
            kept = [self._top(q, s, np.concatenate([x, moved])) for (q, s), x in zip(ends, kept, strict=True)]
        best = [self._values(q, x[:1]) for (q, _), x in zip(ends, kept, strict=True)]
        return {q.name: np.concatenate(best[2 * i : 2 * i + 2]) for i, q in enumerate(quantities)}

    def _emptied(self, points: Array) -> Array:
        """Those whose all but empty cells may be empty: there the tetrachoric correlation is ±1, far from beside it."""
        few = points[(points < EDGE).any(axis=1)]
        made = np.where(few < EDGE, 0.0, few)
        return made[self._met(made)]

    def _top(self, q: Quantity, sign: float, points: Array) -> Array:
        """The two best points."""
        values = sign * self._values(q, points)
        points, values = points[~np.isnan(values)], values[~np.isnan(values)]
        return points[np.argsort(-values)[:2]]


@dataclass(frozen=True)
class Regions:
    """One region or several, taken together."""

    parts: tuple[Region, ...]

    @property
    def freedom(self) -> int:
        return max(part.freedom for part in self.parts)

    def settled_by(self, more: tuple[Quantity, ...]) -> int:
        return max(part.settled_by(more) for part in self.parts)

    def spans(self, quantities: Sequence[Quantity], *, proved: bool = True) -> list[Span]:
        each = zip(*(part.spans(quantities, proved=proved) for part in self.parts), strict=True)
        return [_union([x for x in spans if x is not None]) for spans in each]


def _union(spans: list[tuple[float, float]]) -> Span:
    return (min(x[0] for x in spans), max(x[1] for x in spans)) if spans else None


def region(system: System) -> Region | None:
    """The polytope of the linear conditions with the curves, or None if it is empty."""
    found = flat(system.equations)
    if found is None:
        return None
    corners = _corners(found, system.sides)
    if not len(corners):
        return None
    return Region(system, corners, system.curves)


def _corners(f: Flat, sides: Array) -> Array:
    """Where as many sides meet as there are free directions, within all others."""
    base = np.array(f.base, dtype=float)
    directions = np.array(f.directions, dtype=float).reshape(-1, 4)
    points = meeting_points(sides, np.zeros(len(sides)), base, directions)
    points = points[(points @ sides.T >= -EDGE).all(axis=1)]
    points = np.maximum(points, 0.0)
    return np.unique(np.round(points / points.sum(axis=1, keepdims=True), 14), axis=0) if len(points) else points


def _ends(values: Array, spread: tuple[float, float], huge: float, noise: float) -> Span:
    """Lowest and highest; a ratio that grows without end is infinite."""
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = float(values.min()) * spread[0], float(values.max()) * spread[1]
    return _tidy(low, noise), math.inf if high > huge else _tidy(high, noise)


def _tidy(x: float, noise: float) -> float:
    """A number found by search, with its noise rounded off."""
    if not math.isfinite(x):
        return x
    near = round(x, 6)
    return near + 0.0 if abs(x - near) < noise * max(1.0, abs(x)) else x


# -- outcome
#
# From reported values to the tables that agree with them: one, several, a region of them, or none.
#
# One method for every set of metrics. The linear conditions are eliminated exactly (system.py). One direction left:
# all roots along a segment (roots.py). More: Newton steps from many points (region.py). Alvarez eqs 17-19 and Ishioka
# eqs 7-12 are what comes out for recall, precision and accuracy, generality or fallout. Where digits or ranges are
# given, and where a search found nothing, boxes tell whether there is a table at all (boxes.py).

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


def _off(curve: Constraint, start: Array, end: Array, rows: Index, s: Array) -> Array:
    return np.asarray(curve.target.at(between(start, end, rows, s)) - curve.low)


def _on_faces(where: Region) -> Outcome:
    """Tables with an empty cell, each of the four in turn: a metric at the end of its range needs one."""
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
        message = "the search was too large and found no table so far; give n, a margin or more digits."
        raise NotSearched(message, "long")
    return Outcome(found.tables, complete=found.complete)
