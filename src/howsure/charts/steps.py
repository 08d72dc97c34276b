"""Steps: the law of a score that takes finitely many values, as the probability of each, or of stretches of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.charts import style
from howsure.charts.chart import Chart
from howsure.charts.marks import at, axis, part, rows, rule, shown_text


def steps(
    outline: Mapping[str, Any], *, name: str, title: str, says: str, caption: str, measure: str
) -> Chart:  # fmt: skip
    """A bar for each value, dark within the interval; `from` and `to` of an outline are stretches of values."""
    o = outline
    inside = [o["low"] <= 0.5 * (a + b) <= o["high"] or a <= o["low"] <= b or a <= o["high"] <= b
              for a, b in zip(o["from"], o["to"], strict=True)]  # fmt: skip
    x = axis(measure, low=o["ends"][0], high=o["ends"][1])
    y = axis("probability", low=0.0, high=1.08 * max(o["mass"]), tickCount=4, grid=True)
    wide = style.WIDTH / (o["ends"][1] - o["ends"][0])
    gap = 0.0 if min(wide * (b - a) for a, b in zip(o["from"], o["to"], strict=True)) < 4 else 1.0
    layers = []
    for within, opacity in ((False, 0.35), (True, 0.9)):
        own = [k for k, here in enumerate(inside) if here is within]
        if own:
            data = rows(x=[o["from"][k] for k in own], to=[o["to"][k] for k in own], y=[o["mass"][k] for k in own],
                        zero=[0.0] * len(own))  # fmt: skip
            place = {"x": at("x", x), "x2": {"field": "to"}, "y": at("zero", y), "y2": {"field": "y"}}
            layers.append(
                part(data, "bar", place, color=style.BLUE, opacity=opacity, xOffset=gap / 2, x2Offset=-gap / 2)
            )
    for k, r in enumerate(o.get("references") or []):
        share = (r["value"] - o["ends"][0]) * wide
        align = "right" if share > style.WIDTH / 2 else "left"
        layers.append(rule(rows(x=[r["value"]]), {"x": at("x", x)}, dash=(4, 3)))
        layers.append(
            shown_text(r["says"], share - 6 if align == "right" else share + 6, 2 + 16 * k, align=align, baseline="top")
        )
    return Chart(name, title, says, caption, {"width": style.WIDTH, "height": style.HEIGHT, "layer": layers})
