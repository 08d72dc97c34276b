"""Parts of specifications that charts are made of: axes, lines, filled bands, points and words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from howsure.charts import style
from howsure.render.harmless import visible

Spec = dict[str, Any]
FEW_TICKS: Final = 6
_MOST_LETTERS: Final = 200  # of a label: Vega measures a long one letter by letter to cut it


def rows(**columns: Iterable[Any]) -> Spec:
    """Columns of one length as the data of a part; numbers that are not finite are left open."""
    names = tuple(columns)
    made = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns.values(), strict=True)]
    return {"values": made}


def _plain(x: Any) -> Any:
    """A number of Python, or a text that obeys nothing; what is no number (NaN, infinity) is null."""
    if isinstance(x, str):
        shown = visible(x)
        return shown if len(shown) <= _MOST_LETTERS else f"{shown[:_MOST_LETTERS]}…"
    if isinstance(x, bool) or x is None:
        return x
    number = float(x)
    return number if number - number == 0 else None


def axis(
    title: str | None, *, low: float | None = None, high: float | None = None, log: bool = False, **more: Any
) -> Spec:
    """A quantitative place on an axis; `low` and `high` are its ends."""
    scale: Spec = {"nice": False, "type": "log"} if log else {"zero": False, "nice": False}
    if log:
        more = {"values": _round(low, high), "format": ",~g"} | more if low and high else more
    if low is not None and high is not None:
        scale["domain"] = [low, high]
    own: Spec = {"title": None if title is None else visible(title), "grid": False, "tickCount": FEW_TICKS} | more
    if own["title"] is not None and len(own["title"]) > 60:
        own["title"] = own["title"][:59] + "\N{HORIZONTAL ELLIPSIS}"
    return {"type": "quantitative", "scale": scale, "axis": own}


def _round(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between two numbers; of a wide span the powers alone, or every few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, (last - first) // 8)
    digits = tuple(range(1, 10)) if high / low < 12 else (1, 2, 5) if last - first <= 3 else (1,)
    found = [d * 10.0**k for k in range(first, last + 1, every) for d in digits]
    return [float(f"{x:.12g}") for x in found if low <= x <= high]


def at(field: str, place: Mapping[str, Any]) -> Spec:
    """A field on that place."""
    return {"field": field, **place}


def part(data: Spec, mark: str, encoding: Spec, **look: Any) -> Spec:
    """One layer: marks of a kind at the places of the data."""
    return {"data": data, "mark": {"type": mark} | look, "encoding": encoding}


def rule(data: Spec, encoding: Spec, *, color: str = style.INK, width: float = 1.5, dash: tuple[int, ...] = ()) -> Spec:
    """Straight lines."""
    return part(data, "rule", encoding, color=color, strokeWidth=width, **_dashed(dash))


def line(data: Spec, encoding: Spec, *, color: str = style.BLUE, width: float = 2.0, dash: tuple[int, ...] = (),
         **look: Any) -> Spec:  # fmt: skip
    """A line through the points, in their order."""
    order = {"order": {"value": 0}} if "order" not in encoding else {}
    return part(data, "line", encoding | order, color=color, strokeWidth=width, clip=True, **_dashed(dash), **look)


def points(data: Spec, encoding: Spec, *, color: str = style.BLUE, shape: str = "circle", size: float = 60) -> Spec:
    """Filled points."""
    return part(data, "point", encoding, filled=True, opacity=1, color=color, shape=shape, size=size)


def filled(data: Spec, encoding: Spec, *, color: str = style.BLUE, opacity: float = 0.18, **look: Any) -> Spec:
    """The area between y and y2, or between y and the bottom."""
    return part(data, "area", encoding, color=color, opacity=opacity, clip=True, **look)


def text(data: Spec, encoding: Spec, **look: Any) -> Spec:
    """Words at places, from the field `label`; one that is cut keeps the whole as its description."""
    said = {"text": {"field": "label", "type": "nominal"}, "description": {"field": "label", "type": "nominal"}}
    return part(data, "text", encoding | said, **({"color": style.INK} | look))


def shown_text(words: str, x: float, y: float, **look: Any) -> Spec:
    """Words at a place in pixels."""
    return text(rows(label=[words]), {"x": {"value": x}, "y": {"value": y}}, **look)


def _dashed(dash: tuple[int, ...]) -> Spec:
    return {"strokeDash": list(dash)} if dash else {}
