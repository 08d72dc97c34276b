"""Curves: lines of one measure against another, with bands, chosen points and lines to hold them against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from howsure.charts import chart
from howsure.charts.chart import Chart, Spec, at, axis, filled, line, points, rows, rule, text

# A series: label, x, y, and at will low and high, a band.
Series = Mapping[str, Any]
MOST: Final = 6
_NAME: Final = 300  # pixels for the names of lines at the right, at most
_LETTER: Final = 6.6
SIDE: Final = 340  # pixels of a square plot


def curves(
    series: Sequence[Series],
    *,
    name: str,
    title: str,
    says: str,
    caption: str,
    x_title: str,
    y_title: str,
    x_ends: tuple[float, float],
    y_ends: tuple[float, float],
    square: bool = False,
    log: bool = False,
    marks: Sequence[Mapping[str, Any]] = (),
    lines: Sequence[Mapping[str, Any]] = (),
) -> Chart:
    """Lines with the bands around them.

    `marks` are points with words (x, y, label; at will low and high), `lines` values of one axis that all is held
    against (x or y, label; at will align, and low or under for where the words are), or straight lines between two
    points (from and to).
    """
    if len(series) > MOST:
        said = f"{MOST} of {len(series)} lines are drawn"
        series, caption = list(series)[:MOST], f"{caption}; {said}" if caption else said
    width, height = (SIDE, SIDE) if square else (chart.WIDTH, chart.HEIGHT + 40)
    named = len(series) > 1
    axes = {"x_title": x_title, "y_title": y_title, "x_ends": x_ends, "y_ends": y_ends, "log": log}
    usual, narrow = (_body(series, axes, marks, lines, size, beside)
                     for size, beside in (((width, height), True), ((chart.NARROW, height), False)))  # fmt: skip
    beside = min(_NAME, 45 + _LETTER * max(len(str(s["label"])) for s in series)) if named else 0
    wide = max(width + 50 + beside, 480)
    return Chart(name, title, says, caption, usual, wide, narrow if named else None)


def _body(
    series: Sequence[Series],
    axes: Mapping[str, Any],
    marks: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    size: tuple[int, int],
    beside: bool,
) -> Spec:
    """The drawing in a size; the names of lines stand beside the plot, or over it where there is no room."""
    x_ends, y_ends = axes["x_ends"], axes["y_ends"]
    x = axis(axes["x_title"], low=x_ends[0], high=x_ends[1], log=axes["log"], grid=True)
    y = axis(axes["y_title"], low=y_ends[0], high=y_ends[1], grid=True)
    layers = [piece for one in lines for piece in _held(one, x, y, size)]
    layers += [_band(s, k, x, y) for k, s in enumerate(series) if s.get("low") is not None]
    layers += [_line(s, k, x, y) for k, s in enumerate(series)]
    layers += [piece for one in marks for piece in _mark(one, x, y, x_ends)]
    if len(series) > 1:
        layers += _names(series, y_ends, size) if beside else _names_over(series)
    return {"width": size[0], "height": size[1], "layer": layers}


def _line(s: Series, k: int, x: Spec, y: Spec) -> Spec:
    place = {"x": at("x", x), "y": at("y", y)}
    return line(rows(x=s["x"], y=s["y"]), place, color=chart.PALETTE[k], dash=chart.DASHES[k])


def _band(s: Series, k: int, x: Spec, y: Spec) -> Spec:
    known = [(a, b, c) for a, b, c in zip(s["x"], s["low"], s["high"], strict=True) if None not in (a, b, c)]
    data = rows(x=[r[0] for r in known], low=[r[1] for r in known], high=[r[2] for r in known])
    place = {"x": at("x", x), "y": at("low", y), "y2": {"field": "high"}, "order": {"value": 0}}
    return filled(data, place, color=chart.PALETTE[k], opacity=0.2)


def _held(one: Mapping[str, Any], x: Spec, y: Spec, size: tuple[int, int]) -> list[Spec]:
    """A value of an axis, or a straight line, with its words at the end."""
    if "from" in one:
        (a, b), (c, d) = one["from"], one["to"]
        place = {"x": at("x", x), "y": at("y", y)}
        return [line(rows(x=[a, c], y=[b, d]), place, color=chart.MUTED, width=1.2, dash=(4, 3))]
    key = "x" if one.get("x") is not None else "y"
    place, value = {key: at(key, x if key == "x" else y)}, rows(**{key: [one[key]]})
    made = [rule(value, place, color=chart.MUTED, width=1.2, dash=(4, 3))]
    if one.get("label"):
        words = rows(**{key: [one[key]], "label": [str(one["label"])]})
        if key == "x":
            low = bool(one.get("low"))
            look = {
                "align": one.get("align", "left"),
                "baseline": "bottom" if low else "top",
                "dx": -5 if one.get("align") == "right" else 5,
            }
            down = {"y": {"value": size[1] - 5 if low else 2}}
            made.append(text(words, place | down, color=chart.MUTED, **look))
        else:
            left, under = one.get("align", "left") == "left", bool(one.get("under"))
            look = {"align": "left" if left else "right", "baseline": "top" if under else "bottom"}
            where = place | {"x": {"value": 6 if left else size[0] - 4}}
            made.append(text(words, where, color=chart.MUTED, dy=4 if under else -3, **look))
    return made


def _mark(one: Mapping[str, Any], x: Spec, y: Spec, ends: tuple[float, float]) -> list[Spec]:
    """A point, at will with its interval, and words beside it on the side that has room."""
    place = {"x": at("x", x), "y": at("y", y)}
    color = chart.ORANGE if one.get("strong") else chart.INK
    made = [points(rows(x=[one["x"]], y=[one["y"]]), place, color=color, size=90 if one.get("strong") else 45,
                   shape="diamond" if one.get("strong") else "circle")]  # fmt: skip
    if one.get("low") is not None:
        span = rows(x=[one["x"]], low=[one["low"]], high=[one["high"]])
        made.insert(0, rule(span, {"x": at("x", x), "y": at("low", y), "y2": {"field": "high"}}, color=color, width=2))
    if one.get("label"):
        right = _to_the_left(one, ends)
        data = rows(x=[one["x"]], y=[one["y"]], label=[str(one["label"])])
        look = {"align": "right" if right else "left", "dx": -8 if right else 8,
                "dy": 12 if one.get("below") else -10, "baseline": "middle"}  # fmt: skip
        made += [text(data, place, stroke=chart.PAPER, strokeWidth=4, strokeOpacity=0.8, **look),
                 text(data, place, **look)]  # fmt: skip
    return made


def _to_the_left(one: Mapping[str, Any], ends: tuple[float, float]) -> bool:
    share = (one["x"] - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    return bool(share > 0.75 or (one.get("left") and share > 0.2))


def extent(one: Mapping[str, Any], ends: tuple[float, float], width: float) -> tuple[float, float]:
    """From where to where the words of a mark go, in pixels."""
    at_x = width * (one["x"] - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    wide = 8 + _LETTER * len(str(one["label"]))
    return (at_x - wide, at_x) if _to_the_left(one, ends) else (at_x, at_x + wide)


def _names(series: Sequence[Series], y_ends: tuple[float, float], size: tuple[int, int]) -> list[Spec]:
    """The name of each line at the right, near where it ends, at least a line apart; a stroke shows its dashes."""
    low, high = y_ends
    ends: list[list[float]] = []
    for k, s in enumerate(series):
        known = [v for v in s["y"] if v is not None and v == v]
        last = known[-1] if known else low
        ends.append([size[1] * (1.0 - min(max((last - low) / (high - low), 0.0), 1.0)), k])
    ends.sort()
    for before, after in pairwise(ends):
        after[0] = max(after[0], before[0] + 17.0)
    over = max(0.0, ends[-1][0] - size[1])
    return [piece for down, k in ends for piece in _named(series[int(k)], int(k), size[0] + 8, down - over)]


def _names_over(series: Sequence[Series]) -> list[Spec]:
    """The name of each line over the plot, one under another."""
    return [piece for k, s in enumerate(series) for piece in _named(s, k, 0, -12 - 17 * (len(series) - 1 - k))]


def _named(s: Series, k: int, left: float, down: float) -> list[Spec]:
    """A stroke of a line, and its name after it."""
    stroke = {"x": {"value": left}, "x2": {"value": left + 26}, "y": {"value": down}}
    place = {"x": {"value": left + 31}, "y": {"value": down}}
    return [
        rule(rows(k=[0]), stroke, color=chart.PALETTE[k], width=2.2, dash=chart.DASHES[k]),
        text(rows(label=[str(s["label"])]), place, align="left", baseline="middle", limit=_NAME - 45),
    ]
