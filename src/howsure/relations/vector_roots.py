"""All roots of many functions at once, each along a segment of tables of its own.

A place on a segment is the logit s of the way along it: cells that vanish at an end fall by powers of e there, so
formulas of the cells are smooth in s on the scale of 1, and steps of 0.3 see every turn.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from howsure.relations.searches import Function, RowPlaces, Rows, crossings, lowest, turns

Array = NDArray[np.float64]

PLACES: Final = np.concatenate([[-np.inf], np.linspace(-36.0, 36.0, 241), [np.inf]])
FAR: Final = np.linspace(-90.0, 90.0, 601)  # limits at the ends of a segment, roots of vanishing cells too
MET: Final = 1e-9  # how far from 0 a function may stay at a root, relative to its scale
_SAME: Final = 1e-7  # roots this close on a segment of length 1 are one
_CHUNK: Final = 2048
_DIGITS: Final = 8e-16  # of a place: cells have no more


def between(start: Array, end: Array, rows: Rows, s: Array) -> Array:
    """Tables along the segments of these rows: one place per row, or a line of places."""
    one, two = (start[rows], end[rows]) if s.ndim == 1 else (start[rows, None], end[rows, None])
    return np.asarray(special.expit(-s)[..., None] * one + special.expit(s)[..., None] * two)


class Roots(NamedTuple):
    """Rows and places of all roots, sorted; and the rows whose function is 0 throughout."""

    rows: Rows
    places: Array
    throughout: Rows


def roots(off: Function, scale: Array) -> Roots:
    """The roots of each of `len(scale)` functions; `scale` is the size of what is subtracted in `off`."""
    found: list[RowPlaces] = [(np.arange(0), np.zeros(0))]
    throughout = [np.arange(0)]
    for first in range(0, len(scale), _CHUNK):
        rows = np.arange(first, min(first + _CHUNK, len(scale)))
        y = off(rows, np.broadcast_to(PLACES, (len(rows), PLACES.size)))
        limit = MET * scale[rows, None]
        flat = (~(np.abs(y[:, 1:-1]) > limit)).all(axis=1) & np.isfinite(y[:, 1:-1]).any(axis=1)
        throughout.append(rows[flat])
        y[flat] = np.nan
        found += [(rows[i], s) for i, s in _scanned(lambda i, s: off(rows[i], s), y, limit)]  # noqa: B023 - used here
    rows, places = (np.concatenate(x) for x in zip(*found, strict=True))
    miss = np.abs(off(rows, places)) if rows.size else places
    good = miss <= MET * scale[rows]
    return Roots(*_merged(rows[good], places[good], miss[good]), np.concatenate(throughout))


def _scanned(f: Function, y: Array, limit: Array) -> list[RowPlaces]:
    """Places of the scan that are 0, ends of the segment that nearly are, and what may be a root between places."""
    hit = y == 0
    hit[:, [0, -1]] |= np.abs(y[:, [0, -1]]) <= limit
    i, k = np.nonzero(hit)
    inner = PLACES[1:-1], y[:, 1:-1]
    return [(i, PLACES[k]), crossings(f, *inner, _DIGITS), *turns(f, *inner, limit, _DIGITS)]


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


def extremes(f: Function, size: int, places: Array = PLACES) -> tuple[Array, Array]:
    """The lowest and highest value of each of `size` functions along its segment."""
    out = []
    rows = np.arange(size)
    for sign in (1.0, -1.0):
        y = sign * f(rows, np.broadcast_to(places, (size, places.size)))
        best = np.where(np.isnan(y), np.inf, y).argmin(axis=1)
        inner = np.clip(best, 2, places.size - 3)
        around = (places[inner + j] for j in (-1, 0, 1))
        top = lowest(lambda s, r: sign * f(r, s), *around, rows)  # noqa: B023 - used within the turn
        out.append(sign * np.fmin(y[rows, best], sign * f(rows, top)))
    return out[0], out[1]
