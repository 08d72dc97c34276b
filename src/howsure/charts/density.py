"""Densities: one posterior with its interval and a value it is held against, or several over one another.

After Zhang, Wang and Zhao (2015), Figs 4a and 5a, and Goutte and Gaussier (2005), Fig. 1. The height has no axis: areas
are what counts. On a logarithmic axis the height is the density per step of it, so that areas stay probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from howsure.charts import style
from howsure.charts.chart import Chart
from howsure.charts.marks import Spec, at, axis, rows, rule, text

Outline = Mapping[str, Any]  # howsure.outlines.outline
_ROOM: Final = 1.12  # above the highest density
_MOST: Final = 6  # laws over one another that can be told apart


def density(outlines: Sequence[Outline], *, name: str, title: str, says: str, caption: str, measure: str) -> Chart:
    """The densities of laws over one another, at most six; each outline says which interval is shaded."""
    own = list(outlines)[:_MOST]
    low, high = min(min(o["x"]) for o in own), max(max(o["x"]) for o in own)
    marks = [o["reference"]["value"] for o in own if o.get("reference")]
    low, high = _with_room([*marks, low, high], own[0]["range"], own[0]["log"])
    top = _ROOM * max(_ceiling(o) for o in own)
    x = axis(measure, low=low, high=high, log=own[0]["log"])
    y = {"type": "quantitative", "scale": {"domain": [0, top]}, "axis": None}
    layers = [part for k, o in enumerate(own) for part in _law(o, k, x, y, top)]
    layers += _reference(own[0], x) if len(own) == 1 else _names(own, x, y, top)
    body: Spec = {"width": style.WIDTH, "height": style.HEIGHT, "layer": layers}
    return Chart(name, title, says, caption, body)


def _law(o: Outline, k: int, x: Spec, y: Spec, top: float) -> list[Spec]:
    """A line, the interval under it filled, and the score as a point on the axis."""
    color, dash = style.PALETTE[k], style.DASHES[k]
    points, heights = np.asarray(o["x"]), np.minimum(np.asarray(o["density"]), top)
    inside = (points >= o["low"]) & (points <= o["high"])
    place = {"x": at("x", x), "y": at("y", y)}
    line = {"type": "line", "color": color, "strokeWidth": 2, "clip": True}
    parts: list[Spec] = [
        {"data": rows(x=points[inside], y=heights[inside]),
         "mark": {"type": "area", "color": color, "opacity": 0.18, "clip": True}, "encoding": place},
        {"data": rows(x=points, y=heights), "mark": line | ({"strokeDash": list(dash)} if dash else {}),
         "encoding": place},
    ]  # fmt: skip
    if o.get("score") is not None:
        mark = {"type": "point", "shape": "circle", "filled": True, "size": 60, "color": color, "opacity": 1}
        parts.append({"data": rows(x=[o["score"]], y=[0.0]), "mark": mark, "encoding": place})
    return parts


def _reference(o: Outline, x: Spec) -> list[Spec]:
    """A dashed line at the value, with the probability on each side of it."""
    if not o.get("reference"):
        return []
    r = o["reference"]
    place = {"x": at("x", x)}
    y = {"value": 2}
    parts = [rule(rows(x=[r["value"]]), place, dash=(4, 3), width=1.5)]
    for side, align, dx in (("below", "right", -6), ("above", "left", 6)):
        data = rows(x=[r["value"]], label=[f"P({side} {r['shown']}) = {r[side]}"])
        parts.append(text(data, place | {"y": y}, align=align, dx=dx, baseline="top"))
    return parts


def _names(own: Sequence[Outline], x: Spec, y: Spec, top: float) -> list[Spec]:
    """The name of each law over its highest point; names that would meet go one above the other."""
    tops = [(float(o["x"][int(np.argmax(o["density"]))]), min(_ceiling(o), top)) for o in own]
    data = rows(x=[t[0] for t in tops], y=[t[1] for t in tops], label=[str(o["label"]) for o in own], k=range(len(own)))
    color = {"field": "k", "type": "ordinal", "scale": {"range": list(style.PALETTE[: len(own)])}, "legend": None}
    place = {"x": at("x", x), "y": at("y", y), "color": color}
    return [text(data, place, dy=-8, baseline="bottom", fontWeight="bold", limit=180)]


def _ceiling(o: Outline) -> float:
    """The height that a chart has to hold: the highest within the inner 99%, where a density may be endless."""
    inner = np.asarray(o["density"])[np.asarray(o["inner"], dtype=bool)]
    return float(np.max(inner)) if inner.size else 1.0


def _with_room(values: Sequence[float], ends: Sequence[float | None], log: bool) -> tuple[float, float]:
    """A little room on both sides, but not beyond what the measure can be."""
    low, high = min(values), max(values)
    if log:
        return low / 1.05, high * 1.05
    room = 0.02 * (high - low)
    low = low - room if ends[0] is None else max(low - room, ends[0])
    return low, high + room if ends[1] is None else min(high + room, ends[1])
