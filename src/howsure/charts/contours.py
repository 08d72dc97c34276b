"""Contours: a measure over two others as lines of equal value, each with its number (Ishioka 2003, Figs 1 to 7)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.charts import style
from howsure.charts.chart import Chart
from howsure.charts.isolines import isolines, round_levels
from howsure.charts.marks import Spec, at, axis, line, part, rows, text

Array = NDArray[np.float64]
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
    return part(rows(left=left, right=right, bottom=bottom, top=top), "rect", where, color=style.RULE, opacity=0.55)


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
    ground = text(data, where, stroke=style.PAPER, strokeWidth=5, **look)
    return [ground, text(data, where, **look)]


def _pixels(v: Array, ends: tuple[float, float], log: bool) -> Array:
    low, high = ends
    share = np.log(v / low) / np.log(high / low) if log else (v - low) / (high - low)
    return np.asarray(share * _SIDE)
