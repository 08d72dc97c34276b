"""All roots of many functions at once, each along a segment of its own: scan, refine what turns, close the brackets.

A place on a segment is the logit s of the way along it: cells that vanish at an end fall by powers of e there, so
formulas of the cells are smooth in s on the scale of 1, and steps of 0.3 see every turn. Where a function turns without
a change of sign its extreme is refined first: it may touch 0 or pass it twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from howsure.relations.searches import lowest, root

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Function = Callable[[Rows, Array], Array]  # rows and places, one place or a line of places a row

PLACES: Final = np.concatenate([[-np.inf], np.linspace(-36.0, 36.0, 241), [np.inf]])
MET: Final = 1e-9  # how far from 0 a function may stay at a root, relative to its scale
_SAME: Final = 1e-7  # roots this close on a segment of length 1 are one
_CHUNK: Final = 2048
_DIGITS: Final = 8e-16  # of a place: cells have no more


def between(start: Array, end: Array, rows: Rows, s: Array) -> Array:
    """Tables along the segments of these rows: one place a row, or a line of places."""
    one, two = (start[rows], end[rows]) if s.ndim == 1 else (start[rows, None], end[rows, None])
    return np.asarray(special.expit(-s)[..., None] * one + special.expit(s)[..., None] * two)


class Roots(NamedTuple):
    """Rows and places of all roots, sorted; and the rows whose function is 0 throughout."""

    rows: Rows
    places: Array
    throughout: Rows


def roots(off: Function, scale: Array) -> Roots:
    """The roots of each of `len(scale)` functions; `scale` is the size of what is subtracted in `off`."""
    nothing = np.arange(0)
    found: list[tuple[Rows, Array]] = [(nothing, np.zeros(0))]
    throughout: list[Rows] = [nothing]
    for first in range(0, len(scale), _CHUNK):
        rows = np.arange(first, min(first + _CHUNK, len(scale)))
        y = off(rows, np.broadcast_to(PLACES, (len(rows), PLACES.size)))
        limit = MET * scale[rows, None]
        flat = (~(np.abs(y[:, 1:-1]) > limit)).all(axis=1) & np.isfinite(y[:, 1:-1]).any(axis=1)
        throughout.append(rows[flat])
        y[flat] = np.nan
        found += [_hits(rows, y, limit), _crossings(off, rows, y), *_turns(off, rows, y, limit)]
    rows, places = (np.concatenate([x[i] for x in found]) for i in (0, 1))
    miss = np.abs(off(rows, places)) if rows.size else places
    good = miss <= MET * scale[rows]
    return Roots(*_merged(rows[good], places[good], miss[good]), np.concatenate(throughout))


def _hits(rows: Rows, y: Array, limit: Array) -> tuple[Rows, Array]:
    """Places of the scan that are roots themselves: zeros, and ends of the segment within the tolerance."""
    hit = y == 0
    hit[:, [0, -1]] |= np.abs(y[:, [0, -1]]) <= limit
    i, k = np.nonzero(hit)
    return rows[i], PLACES[k]


def _crossings(off: Function, rows: Rows, y: Array) -> tuple[Rows, Array]:
    """Roots between neighbours of other signs."""
    inner = np.sign(y[:, 1:-1])
    i, k = np.nonzero(inner[:, :-1] * inner[:, 1:] < 0)
    return rows[i], _closed(off, rows[i], PLACES[k + 1], PLACES[k + 2])


def _closed(off: Function, rows: Rows, low: Array, high: Array) -> Array:
    return root(lambda s, r: off(r, s), low, high, rows, within=_DIGITS) if rows.size else low


def _turns(off: Function, rows: Rows, y: Array, limit: Array) -> list[tuple[Rows, Array]]:
    """Roots where a function turns between places of one sign: it touches 0 there, or passes it twice."""
    size, sign = np.abs(y[:, 1:-1]), np.sign(y[:, 1:-1])
    turn = (size[:, 1:-1] <= size[:, :-2]) & (size[:, 1:-1] <= size[:, 2:])
    turn &= (sign[:, 1:-1] == sign[:, :-2]) & (sign[:, 1:-1] == sign[:, 2:]) & (sign[:, 1:-1] != 0)
    # a parabola through three places falls below the middle one by an eighth of its bend at most: allow all of it
    with np.errstate(invalid="ignore"):
        bend = size[:, :-2] - 2 * size[:, 1:-1] + size[:, 2:]
    turn &= size[:, 1:-1] <= bend + limit
    i, k = np.nonzero(turn)
    at, side = rows[i], sign[i, k + 1]
    if not at.size:
        return []
    left, middle, right = (PLACES[k + j] for j in (1, 2, 3))
    top = lowest(lambda s, r, sign: sign * off(r, s), left, middle, right, at, side)
    passed = side * off(at, top) < 0
    r, s = at[passed], top[passed]
    return [(at, top), (r, _closed(off, r, left[passed], s)), (r, _closed(off, r, s, right[passed]))]


def _merged(rows: Rows, places: Array, miss: Array) -> tuple[Rows, Array]:
    """Near roots of a row as one: an end of the segment, else that with the smallest miss; by row and place."""
    miss = np.where(np.isinf(places), -1.0, miss)
    order = np.lexsort((places, rows))
    rows, places, miss = rows[order], places[order], miss[order]
    way = special.expit(places)
    new = np.ones(rows.size, dtype=bool)
    new[1:] = (rows[1:] != rows[:-1]) | (way[1:] - way[:-1] > _SAME)
    group = np.cumsum(new)
    best = np.lexsort((miss, group))
    first = best[np.concatenate([[True], np.diff(group[best]) > 0])] if rows.size else best
    return rows[first], places[first]
