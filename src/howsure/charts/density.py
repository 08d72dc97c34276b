"""Densities: one posterior with its interval and a value it is held against, or several over one another.

After Zhang, Wang and Zhao (2015), Figs 4a and 5a, and Goutte and Gaussier (2005), Fig. 1. The height has no axis: areas
are what counts. On a logarithmic axis the height is the density per step of it, so that areas stay probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from howsure.charts import chart
from howsure.charts.chart import Chart, Spec, at, axis, filled, line, part, points, rows, rule, text
from howsure.messages.numbers import stated

Outline = Mapping[str, Any]  # howsure.results.outlines.outline
MOST: Final = 6  # laws over one another that can be told apart
_ROOM: Final = 1.12  # above the highest density
_LINE: Final = 16  # pixels of a line of words
_LETTER: Final = 6.6


def density(
    outlines: Sequence[Outline],
    *,
    name: str,
    title: str,
    says: str,
    caption: str,
    measure: str,
    region: Mapping[str, Any] | None = None,
) -> Chart:
    """The densities of laws over one another, at most six; each outline says which interval is shaded.

    `region` are values that count as equal: their `low`, `high` and `label`.
    """
    own = list(outlines)[:MOST]
    if len(outlines) > MOST:
        said = f"{MOST} of {len(outlines)} laws are drawn"
        caption = f"{caption}; {said}" if caption else said
    if any(max(o["density"]) > _top(own) for o in own):
        caption = f"{caption}; the highest part is cut off".removeprefix("; ")
    if any(o.get("score") is not None and not _on_scale(o["score"], o) for o in own):
        caption = f"{caption}; a score of 0 has no place on this scale".removeprefix("; ")
    usual, narrow = (_body(own, measure, region, width) for width in (chart.WIDTH, chart.NARROW))
    return Chart(name, title, says, caption, usual, narrow=narrow)


def _body(own: Sequence[Outline], measure: str, region: Mapping[str, Any] | None, width: float) -> Spec:
    """The drawing in a width; words keep their size, and stand one under another where there is no room beside."""
    ends, top = _ends(own, region), _top(own)
    words = _names(own, ends, width) if len(own) > 1 else _sides(own[0], ends, width)
    if region is not None:
        middle = 0.5 * (region["low"] + region["high"])
        words.append(_placed(str(region["label"]), middle, ends, width))
    words = _stacked(words)
    room = _LINE * (1 + max((w["row"] for w in words), default=-1))
    x = axis(measure, low=ends[0], high=ends[1], log=own[0]["log"])
    y = {"type": "quantitative", "axis": None,
         "scale": {"domain": [0, top], "range": [chart.HEIGHT, room]}}  # fmt: skip
    layers = [] if region is None else [_region(region, x, ends, room)]
    layers += [piece for k, o in enumerate(own) for piece in _law(o, k, x, y, top)]
    layers += _reference(own[0], x, room) if len(own) == 1 else []
    layers += [piece for w in words for piece in _word(w)]
    return {"width": width, "height": chart.HEIGHT, "layer": layers}


def _top(own: Sequence[Outline]) -> float:
    return float(_ROOM * max(o["ceiling"] for o in own))


def _law(o: Outline, k: int, x: Spec, y: Spec, top: float) -> list[Spec]:
    """A line, the interval under it filled, and the score as a point on the axis."""
    color, dash = chart.PALETTE[k], chart.DASHES[k]
    places, heights = np.asarray(o["x"]), np.minimum(np.asarray(o["density"]), top)
    inside = (places >= o["low"]) & (places <= o["high"])
    place = {"x": at("x", x), "y": at("y", y)}
    made = [
        filled(rows(x=places[inside], y=heights[inside]), place, color=color),
        line(rows(x=places, y=heights), place, color=color, dash=dash),
    ]
    if o.get("score") is not None and _on_scale(o["score"], o):
        made.append(points(rows(x=[o["score"]], y=[0.0]), place, color=color, shape=chart.SHAPES[k]))
    return made


def _region(region: Mapping[str, Any], x: Spec, ends: tuple[float, float], top: float) -> Spec:
    low, high = max(region["low"], ends[0]), min(region["high"], ends[1])
    place = {"x": at("x", x), "x2": {"field": "to"}, "y": {"value": top}, "y2": {"value": chart.HEIGHT}}
    return part(rows(x=[low], to=[high]), "rect", place, color=chart.GREEN, opacity=0.14)


def _reference(o: Outline, x: Spec, top: float) -> list[Spec]:
    """A dashed line at the value, below the words."""
    r = o.get("reference")
    place = {"x": at("x", x), "y": {"value": top}, "y2": {"value": chart.HEIGHT}}
    return [] if not r or not _on_scale(r["value"], o) else [rule(rows(x=[r["value"]]), place, dash=(4, 3))]


# -- words over the densities: each at a place, one above the other where they would meet


def _sides(o: Outline, ends: tuple[float, float], width: float) -> list[Spec]:
    """The probability on each side of the value, beside the line; without room both on one side."""
    r = o.get("reference")
    if not r:
        return []
    below, above = (str(r.get(f"{x}_says") or stated(f"P({x} {r['shown']})", r[x])) for x in ("below", "above"))
    middle, log = _share(r["value"], ends, bool(o["log"])) * width, bool(o["log"])
    if _wide(below) <= middle - 6 and _wide(above) <= width - middle - 6:
        return [
            _placed(below, r["value"], ends, width, align="right", dx=-6, log=log),
            _placed(above, r["value"], ends, width, align="left", dx=6, log=log),
        ]
    align, dx = ("left", 6.0) if 2.0 * middle < width else ("right", -6.0)  # an arrow tells which side each is of
    pointed = (f"\N{LEFTWARDS ARROW} {below}", f"{above} \N{RIGHTWARDS ARROW}")
    made = (_placed(x, r["value"], ends, width, align=align, dx=dx, log=log) for x in pointed)
    return [word | {"align": align} for word in made]


def _names(own: Sequence[Outline], ends: tuple[float, float], width: float) -> list[Spec]:
    """The name of each law over its highest point."""
    made = []
    for k, o in enumerate(own):
        peak = float(o["x"][int(np.argmax(o["density"]))])
        word = _placed(f"   {o['label']}", peak, ends, width, log=bool(o["log"]))
        made.append(word | {"color": chart.PALETTE[k], "shape": chart.SHAPES[k], "label": str(o["label"])})
    return made


def _placed(
    label: str,
    x: float,
    ends: tuple[float, float],
    width: float,
    *,
    align: str = "center",
    dx: float = 0.0,
    log: bool = False,
) -> Spec:
    """Words at a value, moved so that they stay over the plot."""
    middle, wide = _share(x, ends, log) * width + dx, _wide(label)
    left = middle - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * wide
    left = min(max(left, 0.0), max(width - wide, 0.0))
    return {"label": label, "left": left, "right": left + wide, "color": chart.INK}


def _share(x: float, ends: tuple[float, float], log: bool) -> float:
    """How far along the axis a value is."""
    low, high = ends
    if log and x <= 0:
        return 0.0
    share = np.log(x / low) / np.log(high / low) if log else (x - low) / (high - low)
    return float(np.clip(share, 0.0, 1.0))


def _wide(label: str) -> float:
    return min(len(label), 46) * _LETTER


def _stacked(words: Sequence[Spec]) -> list[Spec]:
    """Each word on the first line that has room for it."""
    lines: list[list[Spec]] = []
    made = []
    for word in words:
        free = (k for k, there in enumerate(lines) if all(
            word["left"] > w["right"] + 8 or word["right"] < w["left"] - 8 for w in there))  # fmt: skip
        k = next(free, len(lines))
        lines += [[]] if k == len(lines) else []
        lines[k].append(word)
        made.append(word | {"row": k})
    return made


def _word(word: Spec) -> list[Spec]:
    """Words, after the sign of a law where they name one."""
    down = {"value": 8 + _LINE * word["row"]}
    look = {"baseline": "middle", "color": word["color"], "limit": 320}
    if "shape" not in word:
        align = word.get("align", "center")
        across = {"left": word["left"], "center": 0.5 * (word["left"] + word["right"]), "right": word["right"]}[align]
        return [text(rows(label=[word["label"]]), {"x": {"value": across}, "y": down}, align=align, **look)]
    sign = points(rows(k=[0]), {"x": {"value": word["left"] + 6}, "y": down}, color=word["color"], shape=word["shape"])
    after = {"x": {"value": word["left"] + 16}, "y": down}
    return [sign, text(rows(label=[word["label"]]), after, align="left", **look)]


# -- scales


def _on_scale(x: float, o: Outline) -> bool:
    """Whether the axis has a place for a value: one of logarithms has none for 0 and below."""
    return bool(x > 0 or not o["log"])


def _ends(own: Sequence[Outline], region: Mapping[str, Any] | None) -> tuple[float, float]:
    """All that is drawn and a little room on both sides, but not beyond what the measure can be."""
    values = [v for o in own for v in (min(o["x"]), max(o["x"]), o.get("score")) if v is not None]
    values += [o["reference"]["value"] for o in own if o.get("reference")]
    values += [] if region is None else [region["low"], region["high"]]
    values = [v for v in values if _on_scale(v, own[0])]
    low, high = min(values), max(values)
    if own[0]["log"]:
        return low / 1.05, high * 1.05
    room, (bottom, top) = 0.02 * (high - low or 1.0), own[0]["range"]
    low = low - room if bottom is None else max(low - room, min(bottom, low))
    return low, high + room if top is None else min(high + room, max(top, high))
