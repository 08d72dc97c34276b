"""Parts of specifications that charts are made of: axes, rules, points, filled and plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from howsure.charts import style
from howsure.render.harmless import visible

Spec = dict[str, Any]
FEW_TICKS: Final = 6


def rows(**columns: Iterable[Any]) -> Spec:
    """Columns of one length as the data of a part; numbers that are not finite are left open."""
    names = tuple(columns)
    made = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns.values(), strict=True)]
    return {"values": made}


def _plain(x: Any) -> Any:
    """A number of Python, or a text that obeys nothing; what is no number (NaN, infinity) is null."""
    if isinstance(x, str):
        return visible(x)
    if isinstance(x, bool) or x is None:
        return x
    number = float(x)
    return number if number - number == 0 else None


def axis(
    title: str | None, *, low: float | None = None, high: float | None = None, log: bool = False, **more: Any
) -> Spec:
    """A quantitative place on an axis; `low` and `high` are its ends."""
    scale: Spec = {"zero": False, "nice": False}
    if log:
        scale["type"] = "log"
    if low is not None and high is not None:
        scale["domain"] = [low, high]
    own: Spec = {"title": None if title is None else visible(title), "grid": False, "tickCount": FEW_TICKS} | more
    return {"type": "quantitative", "scale": scale, "axis": own}


def at(field: str, place: Mapping[str, Any]) -> Spec:
    """A field on that place."""
    return {"field": field, **place}


def rule(data: Spec, encoding: Spec, *, color: str = style.INK, width: float = 1.5, dash: tuple[int, ...] = ()) -> Spec:
    """Straight lines."""
    mark: Spec = {"type": "rule", "color": color, "strokeWidth": width, "clip": False}
    return {"data": data, "mark": mark | ({"strokeDash": list(dash)} if dash else {}), "encoding": encoding}


def text(data: Spec, encoding: Spec, **look: Any) -> Spec:
    """Words at places, from the field `label`."""
    said = {"text": {"field": "label", "type": "nominal"}}
    return {"data": data, "mark": {"type": "text", "color": style.INK} | look, "encoding": encoding | said}
