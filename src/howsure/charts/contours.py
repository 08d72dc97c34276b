"""Isolines: where a surface that is known on a grid has a value, by marching squares.

Statement: in every cell of four known corners the line crosses the edges whose ends lie on different sides of the
value, at the place that a straight line between these ends gives. Where all four edges are crossed, the mean of the
corners tells which two belong together. Cells with an unknown corner have no line.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.charts import chart
from howsure.charts.chart import Chart, Spec, at, axis, line, part, rows, text

# -- isolines
#
# Isolines: where a surface that is known on a grid has a value, by marching squares.
#
# Statement: in every cell of four known corners the line crosses the edges whose ends lie on different sides of the
# value, at the place that a straight line between these ends gives. Where all four edges are crossed, the mean of the
# corners tells which two belong together. Cells with an unknown corner have no line.

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


# -- contours
#
# Contours: a measure over two others as lines of equal value, each with its number (Ishioka 2003, Figs 1 to 7).

_SIDE: Final = 360
_APART: Final = 34.0  # pixels between numbers


def contours(
    x: Array, y: Array, z: Array, *, name: str, title: str, says: str, caption: str, x_title: str, y_title: str
) -> Chart:  # fmt: skip
    """Lines of equal z; where it is not known the ground is grey."""
    known = z[np.isfinite(z)]
    levels = round_levels(float(known.min()), float(known.max())) if known.size else []
    logs = [_by_factors(v) for v in (x, y)]
    ends = [(float(v.min()), float(v.max())) for v in (x, y)]
    place = {
        "x": axis(x_title, low=ends[0][0], high=ends[0][1], log=logs[0]),
        "y": axis(y_title, low=ends[1][0], high=ends[1][1], log=logs[1]),
    }
    found = [(v, ways) for v in levels if (ways := isolines(x, y, z, v))]
    layers = [_unknown(x, y, z, place)] if not np.isfinite(z).all() else []
    points = [(v, k, *p) for v, ways in found for k, way in enumerate(ways) for p in way.tolist()]
    if points:
        data = rows(x=[p[2] for p in points], y=[p[3] for p in points], way=[f"{p[0]:g} {p[1]}" for p in points])
        where = {"x": at("x", place["x"]), "y": at("y", place["y"]), "detail": {"field": "way", "type": "nominal"}}
        layers.append(line(data, where, width=1.4))
        layers += _numbers(found, ends, place, logs)
    layers = layers or [_unknown(x, y, z, place)]
    return Chart(name, title, says, caption, {"width": _SIDE, "height": _SIDE, "layer": layers}, _SIDE + 60)


def _by_factors(v: Array) -> bool:
    """Whether values go up by equal factors: then their axis is logarithmic."""
    return bool(v.size > 2 and v.min() > 0 and np.ptp(np.diff(np.log(v))) < 1e-9)


def _unknown(x: Array, y: Array, z: Array, place: Spec) -> Spec:
    """Stretches of points without a value, each point with half the way to its neighbours."""
    across, down = _edges(x), _edges(y)
    made: list[tuple[float, float, float, float]] = []
    for i, open_ in enumerate(~np.isfinite(z)):
        turns = np.flatnonzero(np.diff(np.concatenate([[0], open_.astype(int), [0]])))
        made += [(across[a], across[b], down[i], down[i + 1]) for a, b in turns.reshape(-1, 2).tolist()]
    left, right, bottom, top = (list(v) for v in zip(*made, strict=True)) if made else ([], [], [], [])
    where = {
        "x": at("left", place["x"]),
        "x2": {"field": "right"},
        "y": at("bottom", place["y"]),
        "y2": {"field": "top"},
    }
    return part(rows(left=left, right=right, bottom=bottom, top=top), "rect", where, color=chart.RULE, opacity=0.55)


def _edges(v: Array) -> list[float]:
    middle = 0.5 * (v[1:] + v[:-1])
    return [float(v[0]), *middle.tolist(), float(v[-1])]


def _numbers(found: list[tuple[float, list[Array]]], ends: Any, place: Spec, logs: list[bool]) -> list[Spec]:
    """The value of each line on the longest part of it, as far from other numbers as the line allows."""
    taken: list[Array] = []
    spots: list[tuple[float, float, str]] = []
    for value, ways in found:
        way = ways[0]
        pixels = np.stack([_pixels(way[:, k], ends[k], logs[k]) for k in (0, 1)], axis=1)
        inside = ((pixels > 12) & (pixels < _SIDE - 12)).all(axis=1)
        middle = np.abs(np.arange(len(way)) - 0.5 * (len(way) - 1))
        crowd = np.min([np.hypot(*(pixels - t).T) for t in taken], axis=0) if taken else np.full(len(way), _SIDE)
        score = np.where(inside, np.minimum(crowd, _APART) - 0.001 * middle, -1.0)
        best = int(np.argmax(score))
        if score[best] >= 0.6 * _APART - 1:
            taken.append(pixels[best])
            spots.append((*way[best].tolist(), f"{value:g}"))
    data = rows(x=[s[0] for s in spots], y=[s[1] for s in spots], label=[s[2] for s in spots])
    where = {"x": at("x", place["x"]), "y": at("y", place["y"])}
    look: dict[str, Any] = {"baseline": "middle", "fontSize": 11}
    ground = text(data, where, stroke=chart.PAPER, strokeWidth=5, **look)
    return [ground, text(data, where, **look)]


def _pixels(v: Array, ends: tuple[float, float], log: bool) -> Array:
    low, high = ends
    share = np.log(v / low) / np.log(high / low) if log else (v - low) / (high - low)
    return np.asarray(share * _SIDE)
