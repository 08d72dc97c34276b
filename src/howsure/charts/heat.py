"""Heat: a table of numbers from 0 to 1 with its cells shaded, for ranks of systems and confusions of classes.

Numbers stand in the cells, so that nothing is told by the shade alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from howsure.charts import chart
from howsure.charts.chart import Chart, Spec, at, part, rows, text

Cell = Mapping[str, Any]  # row, column, value, label, and at will told: a second line, smaller
_LABEL: Final = 200
LETTER: Final = 6.6
_SHADE: Final = 0.6  # at most, so that words on it are read


def heat(
    cells: Sequence[Cell],
    *,
    names: Sequence[str],
    columns: Sequence[str],
    name: str,
    title: str,
    says: str,
    caption: str,
    row_title: str | None = None,
    column_title: str | None = None,
    beside: Sequence[str] = (),
    wide: float = 52,
    high: float = 26,
) -> Chart:
    """A row for each name and a column for each of the others; `beside` are words at the right of the rows."""
    width, height = wide * len(columns), high * len(names)
    place = {"x": _place(len(columns)), "y": _place(len(names), turned=True)}
    layers = [_shades(cells, place), _labels(cells, place, two=any(c.get("told") for c in cells))]
    layers += [t for t in (_told(cells, place),) if t is not None]
    layers += [_beside_rows(names, place, {"value": -8}, "right"), _over_columns(columns, place, wide)]
    left = max(len(x) for x in names) * LETTER
    if beside:
        layers.append(_beside_rows(beside, place, {"value": width + 10}, "left"))
    layers += _titles(row_title, column_title, width, 24 if not _long(columns, wide) else 92)
    right = max((len(x) for x in beside), default=0) * LETTER
    full = width + min(left, _LABEL) + min(right, _LABEL) + 20
    return Chart(name, title, says, caption, {"width": width, "height": height, "layer": layers}, full)


def _place(size: int, turned: bool = False) -> Spec:
    """The middle of a cell is a whole number."""
    scale: Spec = {"domain": [-0.5, size - 0.5], "nice": False, "zero": False}
    return {"type": "quantitative", "axis": None, "scale": scale | ({"reverse": True} if turned else {})}


def _shades(cells: Sequence[Cell], place: Spec) -> Spec:
    data = rows(
        left=[c["column"] - 0.5 for c in cells], right=[c["column"] + 0.5 for c in cells],
        top=[c["row"] - 0.5 for c in cells], bottom=[c["row"] + 0.5 for c in cells], value=[c["value"] for c in cells],
    )  # fmt: skip
    shade = {"field": "value", "type": "quantitative", "legend": None,
             "scale": {"domain": [0, 1], "range": [0, _SHADE], "clamp": True}}  # fmt: skip
    where = {"x": at("left", place["x"]), "x2": {"field": "right"}, "y": at("top", place["y"]),
             "y2": {"field": "bottom"}, "fillOpacity": shade}  # fmt: skip
    return part(data, "rect", where, fill=chart.BLUE, stroke=chart.RULE, strokeWidth=1)


def _labels(cells: Sequence[Cell], place: Spec, two: bool) -> Spec:
    shown = [c for c in cells if c["label"]]
    data = rows(k=[c["column"] for c in shown], j=[c["row"] for c in shown], label=[str(c["label"]) for c in shown])
    where = {"x": at("k", place["x"]), "y": at("j", place["y"])}
    return text(data, where, baseline="middle", dy=-7 if two else 0)


def _told(cells: Sequence[Cell], place: Spec) -> Spec | None:
    shown = [c for c in cells if c.get("told")]
    if not shown:
        return None
    data = rows(k=[c["column"] for c in shown], j=[c["row"] for c in shown], label=[str(c["told"]) for c in shown])
    where = {"x": at("k", place["x"]), "y": at("j", place["y"])}
    return text(data, where, baseline="middle", dy=8, fontSize=10)


def _beside_rows(names: Sequence[str], place: Spec, x: Spec, align: str) -> Spec:
    data = rows(j=range(len(names)), label=[str(x) for x in names])
    return text(data, {"x": x, "y": at("j", place["y"])}, align=align, baseline="middle", limit=_LABEL)


def _long(columns: Sequence[str], wide: float) -> bool:
    return max(len(str(x)) for x in columns) * LETTER > wide


def _over_columns(columns: Sequence[str], place: Spec, wide: float) -> Spec:
    """Names over the columns; long ones are turned."""
    data = rows(k=range(len(columns)), label=[str(x) for x in columns])
    turned = {"align": "left", "baseline": "middle", "angle": 315, "limit": 110}
    look: dict[str, Any] = turned if _long(columns, wide) else {"baseline": "bottom"}
    return text(data, {"x": at("k", place["x"]), "y": {"value": -6}}, **look)


def _titles(row_title: str | None, column_title: str | None, width: float, over: float) -> list[Spec]:
    """What rows and columns are: over their names."""
    look = {"color": chart.MUTED, "fontSize": 11, "baseline": "bottom"}
    made = []
    if row_title is not None:
        made.append(text(rows(label=[row_title]), {"x": {"value": -8}, "y": {"value": -6}}, align="right", **look))
    if column_title is not None:
        place = {"x": {"value": width / 2}, "y": {"value": -over}}
        made.append(text(rows(label=[column_title]), place, align="center", **look))
    return made
