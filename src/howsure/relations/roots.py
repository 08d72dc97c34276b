"""Roots of equations between metrics: by bisection, Newton's rule and along segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import special

from howsure.arrays import Array, Index

# -- newton
#
# Steps of Newton from tables to tables that meet conditions, in the logarithms of the cells.

Miss = Callable[[Any], Any]  # of tables, along the last axis; complex steps too
_STEP: Final = 1e-30  # of derivatives by a complex step
_LONGEST: Final = 3.0  # a cell changes by this power of e at most
_LEAST: Final = -280.0
_STEEP: Final = 1e150


def approached(tables: Array, misses: Sequence[Miss], steps: int, close: float = 0.0) -> Array:
    """Where the steps lead, until all misses are as close to 0; the caller tells which tables are good."""
    x = np.log(tables)
    moved = 1.0 + 1j * _STEP * np.eye(4)
    active = np.arange(len(x))
    for _ in range(steps):
        with np.errstate(all="ignore"):
            both = np.stack([f(np.exp(x[active])[:, None] * moved) for f in misses], axis=1)
        miss, slopes = both[..., 0].real, both.imag / _STEP
        good = (
            np.isfinite(miss).all(axis=1)
            & (np.abs(slopes) < _STEEP).all(axis=(1, 2))
            & (np.abs(miss) > close).any(axis=1)
        )
        active, miss, slopes = active[good], miss[good], slopes[good]
        if not len(active):
            break
        step = least(slopes, np.where(np.abs(miss) > close, -miss, 0.0))
        size = np.abs(step).max(axis=1, keepdims=True)
        x[active] += step * np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))
        x[active] = np.maximum(x[active] - x[active].max(axis=1, keepdims=True), _LEAST)
    return np.exp(x)


def least(slopes: Array, right: Array) -> Array:
    """The shortest step that solves slopes·step = right, for each point.

    Gram and Schmidt, not the normal equations, which halve the digits; a slope along those before it is left out.
    """
    size = np.sqrt((slopes**2).sum(axis=2)) + 1e-300
    unit, right = slopes / size[..., None], right / size
    step: Array = np.zeros_like(unit[:, 0])
    axes: list[Array] = []
    for j in range(unit.shape[1]):
        rest = unit[:, j]
        for axis in axes:
            rest = rest - (rest * axis).sum(axis=1, keepdims=True) * axis
        length = np.sqrt((rest**2).sum(axis=1, keepdims=True))
        axes.append(np.where(length > 1e-12, rest / np.maximum(length, 1e-300), 0.0))
        missing = right[:, j, None] - (unit[:, j] * step).sum(axis=1, keepdims=True)
        step = step + axes[-1] * missing / np.maximum(length, 1e-12)
    return step


# -- searches
#
# Roots and lowest points of many functions of one number at once: Chandrupatla's methods (1997, 1998), as in scipy.
#
# A function is known by its values at places that resolve it: between neighbours of other signs it has a root, and
# where it turns without a change of sign its extreme is refined, for it may touch 0 there or pass it twice.

RowPlaces = tuple[Index, Array]  # rows, and a place in each
Function = Callable[[Index, Array], Array]  # of rows and places, one place or a line of places per row


def root(f: Callable[..., Array], low: Array, high: Array, *args: Any, within: float = 0.0) -> Array:
    """The root of each function between two places, to the last digits or `within`; f takes places and arguments.

    Where f has one sign at both ends, the end at which it is closer to 0.

    >>> root(lambda x, a: x * x - a, np.array([0.0, 0.0]), np.array([3.0, 3.0]), np.array([4.0, 25.0]))
    array([2., 3.])
    """
    from scipy.optimize import elementwise  # takes a while: only who searches waits for it

    found = elementwise.find_root(f, (low, high), args=args, tolerances={"xatol": within + float(np.finfo(float).tiny)})
    (left, right), (at_left, at_right) = found.bracket, found.f_bracket
    closer = np.where(np.abs(at_left) <= np.abs(at_right), left, right)
    return np.asarray(np.where(np.isnan(found.x), closer, found.x))


def lowest(f: Callable[..., Array], low: Array, middle: Array, high: Array, *args: Any) -> Array:
    """Where each function is lowest between two places; the middle one where it is not below both.

    >>> lowest(lambda x: (x - 0.3) ** 2, np.array([0.0]), np.array([0.5]), np.array([1.0])).round(8)
    array([0.3])
    """
    from scipy.optimize import elementwise

    find: Any = elementwise.find_minimum  # the stubs know no arguments
    found = find(f, (low, middle, high), args=args)
    return np.asarray(np.where(np.isnan(found.x), middle, found.x))


def crossings(f: Function, places: Array, y: Array, within: float = 0.0) -> RowPlaces:
    """The roots between neighbouring places of other signs; y has the values of a function in each row."""
    sign = np.sign(y)
    i, k = np.nonzero(sign[:, :-1] * sign[:, 1:] < 0)
    return i, _closed(f, i, places[k], places[k + 1], within)


def _closed(f: Function, rows: Index, low: Array, high: Array, within: float) -> Array:
    return root(lambda x, i: f(i, x), low, high, rows, within=within) if rows.size else low


def turns(
    f: Function, places: Array, y: Array, limit: Array | float = 0.0, within: float = 0.0
) -> tuple[RowPlaces, RowPlaces]:
    """Where functions come close to 0 between places of one sign, and the roots on both sides where they pass it.

    A parabola through three places falls below the middle one by an eighth of its bend at most: all of it, and `limit`,
    are allowed for.
    """
    size, sign = np.abs(y), np.sign(y)
    left, middle, right = size[:, :-2], size[:, 1:-1], size[:, 2:]
    with np.errstate(invalid="ignore"):
        turn = (middle <= left) & (middle <= right) & (middle <= left - 2 * middle + right + limit)
    turn &= (sign[:, 1:-1] == sign[:, :-2]) & (sign[:, 1:-1] == sign[:, 2:]) & (sign[:, 1:-1] != 0)
    i, k = np.nonzero(turn)
    if not i.size:
        return (i, places[k]), (i, places[k])
    side = sign[i, k + 1]
    top = lowest(lambda x, r, own: own * f(r, x), places[k], places[k + 1], places[k + 2], i, side)
    passed = side * f(i, top) < 0
    r, k = i[passed], k[passed]
    before, after = _closed(f, r, places[k], top[passed], within), _closed(f, r, top[passed], places[k + 2], within)
    return (i[~passed], top[~passed]), (np.concatenate([r, r]), np.concatenate([before, after]))


# -- vector roots
#
# All roots of many functions at once, each along a segment of tables of its own.
#
# A place on a segment is the logit s of the way along it: cells that vanish at an end fall by powers of e there, so
# formulas of the cells are smooth in s on the scale of 1, and steps of 0.3 see every turn.

PLACES: Final = np.concatenate([[-np.inf], np.linspace(-36.0, 36.0, 241), [np.inf]])
FAR: Final = np.linspace(-90.0, 90.0, 601)  # limits at the ends of a segment, roots of vanishing cells too
MET: Final = 1e-9  # how far from 0 a function may stay at a root, relative to its scale
_SAME: Final = 1e-7  # roots this close on a segment of length 1 are one
_TURN: Final = 1e-4  # and those as close as this, if the function is 0 between them but for rounding
_ROUNDED: Final = 1e-12
_CHUNK: Final = 2048
_DIGITS: Final = 8e-16  # of a place: cells have no more


def between(start: Array, end: Array, rows: Index, s: Array) -> Array:
    """Tables along the segments of these rows: one place per row, or a line of places."""
    one, two = (start[rows], end[rows]) if s.ndim == 1 else (start[rows, None], end[rows, None])
    return np.asarray(special.expit(-s)[..., None] * one + special.expit(s)[..., None] * two)


class Roots(NamedTuple):
    """Rows and places of all roots, sorted; and the rows whose function is 0 throughout."""

    rows: Index
    places: Array
    throughout: Index


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
    rows, places = _merged(rows[good], places[good], miss[good])
    return Roots(*_touching(off, scale, rows, places), np.concatenate(throughout))


def _touching(off: Function, scale: Array, rows: Index, places: Array) -> tuple[Index, Array]:
    """Two roots as the double one that they were before the value of the function was rounded."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (places[1:] + places[:-1])
    pair = (rows[1:] == rows[:-1]) & (np.diff(special.expit(places)) < _TURN) & np.isfinite(middle)
    i = np.flatnonzero(pair)
    i = i[np.abs(off(rows[i], middle[i])) < _ROUNDED * scale[rows[i]]] if i.size else i
    places[i] = middle[i]
    return np.delete(rows, i + 1), np.delete(places, i + 1)


def _scanned(f: Function, y: Array, limit: Array) -> list[RowPlaces]:
    """Places of the scan that are 0, ends of the segment that nearly are, and what may be a root between places."""
    hit = y == 0
    hit[:, [0, -1]] |= np.abs(y[:, [0, -1]]) <= limit
    i, k = np.nonzero(hit)
    inner = PLACES[1:-1], y[:, 1:-1]
    return [(i, PLACES[k]), crossings(f, *inner, _DIGITS), *turns(f, *inner, limit, _DIGITS)]


def _merged(rows: Index, places: Array, miss: Array) -> tuple[Index, Array]:
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
