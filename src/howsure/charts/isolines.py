"""Isolines: where a surface that is known on a grid has a value, by marching squares.

Statement: in every cell of four known corners the line crosses the edges whose ends lie on different sides of the
value, at the place that a straight line between these ends gives. Where all four edges are crossed, the mean of the
corners tells which two belong together. Cells with an unknown corner have no line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Edge = tuple[int, int, int]  # 0 along x or 1 along y, and the corner where it starts
# For each of 16 cases (bits: corners (i, j), (i, j+1), (i+1, j+1), (i+1, j)) the pairs of sides that a line joins;
# sides: 0 from corner 0 to 1, 1 from 1 to 2, 2 from 3 to 2, 3 from 0 to 3.
_PAIRS: tuple[tuple[tuple[int, int], ...], ...] = (
    (), ((3, 0),), ((0, 1),), ((3, 1),), ((1, 2),), ((3, 0), (1, 2)), ((0, 2),), ((3, 2),),
    ((2, 3),), ((0, 2),), ((0, 1), (2, 3)), ((1, 2),), ((3, 1),), ((0, 1),), ((3, 0),), (),
)  # fmt: skip
_OTHER = {5: ((0, 1), (2, 3)), 10: ((3, 0), (1, 2))}  # where the middle is on the other side


def isolines(x: Array, y: Array, z: Array, level: float) -> list[Array]:
    """Lines of points (x, y), the longest first; z has a row for each y."""
    corners = np.stack([z[:-1, :-1], z[:-1, 1:], z[1:, 1:], z[1:, :-1]])
    known = np.isfinite(corners).all(axis=0)
    case = ((corners >= level) * np.array([1, 2, 4, 8])[:, None, None]).sum(axis=0)
    with np.errstate(invalid="ignore"):
        high = corners.mean(axis=0) >= level
    joined: dict[Edge, list[Edge]] = {}
    for i, j in zip(*(k.tolist() for k in np.nonzero(known & (case > 0) & (case < 15))), strict=True):
        kind = int(case[i, j])
        pairs = _PAIRS[kind] if kind not in _OTHER or not high[i, j] else _OTHER[kind]
        sides = ((0, i, j), (1, i, j + 1), (0, i + 1, j), (1, i, j))
        for a, b in pairs:
            joined.setdefault(sides[a], []).append(sides[b])
            joined.setdefault(sides[b], []).append(sides[a])
    found = [np.array([_crossing(x, y, z, level, edge) for edge in way]) for way in _ways(joined)]
    return sorted(found, key=lambda p: -float(np.hypot(*np.diff(p, axis=0).T).sum()))


def _ways(joined: dict[Edge, list[Edge]]) -> list[list[Edge]]:
    """Edges in the order that a line crosses them: open lines from an end, then those that close."""
    left = {edge: list(there) for edge, there in joined.items()}
    made = []
    for start in sorted(left, key=lambda edge: (len(joined[edge]) != 1, edge)):
        while left[start]:
            way, here = [start], start
            while left[here]:
                after = left[here].pop()
                left[after].remove(here)
                way.append(after)
                here = after
            made.append(way)
    return made


def _crossing(x: Array, y: Array, z: Array, level: float, edge: Edge) -> tuple[float, float]:
    along, i, j = edge
    a, b = z[i, j], z[i + along, j + 1 - along]
    share = float((level - a) / (b - a)) if a != b else 0.5
    if along == 0:
        return float(x[j] + share * (x[j + 1] - x[j])), float(y[i])
    return float(x[j]), float(y[i] + share * (y[i + 1] - y[i]))


def round_levels(low: float, high: float, most: int = 10) -> list[float]:
    """Round numbers between two values, at most so many.

    >>> round_levels(0.0, 1.0)
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    """
    if not high > low:
        return []
    power = 10.0 ** np.floor(np.log10((high - low) / most))
    step = next(s * power for s in (1.0, 2.0, 5.0, 10.0, 20.0) if (high - low) / (s * power) <= most + 1e-9)
    first, last = int(np.floor(low / step + 1e-6)) + 1, int(np.ceil(high / step - 1e-6)) - 1
    digits = max(0, int(-np.floor(np.log10(step) + 1e-9)))
    return [round(float(k * step), digits) + 0.0 for k in range(first, last + 1)]
