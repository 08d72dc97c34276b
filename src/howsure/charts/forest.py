"""Forest: intervals one under another on a common scale, for measures, classes, slices or systems."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from howsure.charts import style
from howsure.charts.chart import Chart
from howsure.charts.marks import Spec, at, axis, rows, rule
from howsure.render.harmless import visible

Line = Mapping[str, Any]  # label, score, low, high, told (the numbers in words), strong (all items, or what stands out)
Ends = tuple[float | None, float | None]
_STEP: Final = 22  # pixels of a line; dense ones share less
_DENSE: Final = 60  # lines from which on they are dense
_LABEL: Final = 220  # pixels that a label may take
_ROOM: Final = 0.04


def forest(
    lines: Sequence[Line],
    *,
    name: str,
    title: str,
    says: str,
    caption: str,
    measure: str,
    reference: float | None = None,
    within: tuple[float, float] | None = None,
) -> Chart:
    """A line for each: its label, its interval with the score on it, and both as numbers at the right."""
    keys = [str(k) for k in range(len(lines))]
    step = _STEP if len(lines) < _DENSE else 15
    low, high = _ends(lines, reference, within)
    x = axis(measure, low=low, high=high, orient="top" if len(lines) > 25 else "bottom", grid=True)
    # Labels are not the keys: two lines may bear the same name.
    y = {"field": "key", "type": "ordinal", "sort": None, "scale": {"paddingInner": 0.2, "domain": keys}}
    left = y | {"axis": _side(lines, "label", "left")}
    right = y | {"axis": _side(lines, "told", "right")}
    layers: list[Spec] = []
    if reference is not None:
        layers.append(rule(rows(x=[reference]), {"x": at("x", x)}, dash=(4, 3), color=style.MUTED))
    bars = rows(key=keys, low=[r["low"] for r in lines], high=[r["high"] for r in lines])
    span = {"x": at("low", x), "x2": {"field": "high"}}
    layers.append(rule(bars, {"y": left} | span, color=style.BLUE, width=2.5))
    for strong, size in ((False, 60), (True, 90)):
        own = [(k, r) for k, r in zip(keys, lines, strict=True) if bool(r.get("strong")) is strong]
        if not own:
            continue
        data = rows(key=[k for k, _ in own], x=[r["score"] for _, r in own])
        color, shape = (style.ORANGE, "diamond") if strong else (style.BLUE, "circle")
        look = {"type": "point", "filled": True, "opacity": 1, "size": size, "color": color, "shape": shape}
        layers.append({"data": data, "mark": look, "encoding": {"y": left, "x": at("x", x)}})
    layers.append({"data": bars, "mark": {"type": "rule", "opacity": 0}, "encoding": {"y": right} | span})
    body: Spec = {
        "width": style.WIDTH - 120,
        "height": {"step": step},
        "layer": layers,
        "resolve": {"axis": {"y": "independent"}, "scale": {"y": "shared"}},
    }
    return Chart(name, title, says, caption, body)


def _side(lines: Sequence[Line], column: str, orient: str) -> Spec:
    """Texts beside the lines: an axis whose labels are looked up by the key of the line."""
    texts = [visible(str(r.get(column) or "")) for r in lines]
    return {
        "title": None, "orient": orient, "ticks": False, "domain": False, "labelLimit": _LABEL, "labelPadding": 8,
        "labelOverlap": False, "labelColor": style.INK, "labelExpr": f"{_quoted(texts)}[+datum.value]",
    }  # fmt: skip


def _quoted(texts: Sequence[str]) -> str:
    """Texts as a list of the expressions of Vega: JSON, in which nothing can end a text early."""
    return json.dumps(list(texts), ensure_ascii=True)


def _ends(lines: Sequence[Line], reference: float | None, within: tuple[float, float] | None) -> Ends:
    """The ends of the scale: what is shown and a little room, within what the measure can be."""
    shown = [v for r in lines for v in (r["low"], r["high"], r["score"], reference) if v is not None]
    if not shown:
        return None, None
    low, high = min(shown), max(shown)
    room = _ROOM * (high - low or 1.0)
    low, high = low - room, high + room
    return (low, high) if within is None else (max(low, within[0]), min(high, within[1]))
