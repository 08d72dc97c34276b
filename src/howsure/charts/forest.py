"""Forest: intervals one under another on a common scale, for measures, classes, slices or systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from howsure.charts import chart
from howsure.charts.chart import Chart, Spec, at, axis, points, rows, rule, text

# A line: label, low and high, score (None where undefined), told (the numbers in words), and at will strong (all items,
# or what stands out), limit (the value that this line is held against) and mark (a word on what became of it).
Line = Mapping[str, Any]
MOST: Final = 240  # lines that a page can hold
_STEP: Final = 22  # pixels of a line
_DENSE: Final = 60  # lines from which on they are dense
_DENSE_STEP: Final = 15
_LABEL: Final = 230  # pixels that a label may take
_TOLD: Final = 220
_LETTER: Final = 6.6
_ROOM: Final = 0.04
_WIDTH: Final = 380


def forest(
    lines: Sequence[Line],
    *,
    name: str,
    title: str,
    says: str,
    caption: str,
    measure: str,
    reference: float | None = None,
    within: tuple[float | None, float | None] = (None, None),
    log: bool = False,
    region: tuple[float, float] | None = None,
) -> Chart:
    """A line for each: its label, its interval with the score on it, and both as numbers at the right.

    `reference` is a value that all are held against, `region` values that count as equal to it.
    """
    lines, caption = cut(lines, caption)
    if log:
        lines, caption = _placed(lines, caption)
        reference = reference if reference is not None and reference > 0 else None
    step, size = (_STEP, 12) if len(lines) < _DENSE else (_DENSE_STEP, 11)
    low, high = _ends(lines, reference, within, log)
    x = axis(measure, low=low, high=high, log=log, orient="top" if len(lines) > 25 else "bottom", grid=True)
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [-0.5, len(lines) - 0.5], "reverse": True}}
    layers: list[Spec] = []
    if region is not None:
        layers.append(_region(region, x, (low, high)))
    if reference is not None:
        layers.append(rule(rows(x=[reference]), {"x": at("x", x)}, dash=(4, 3), color=chart.INK))
    layers += _intervals(lines, x, y) + _limits(lines, x, y)
    labels = _words(lines, "label", y, {"value": -10}, size, align="right", limit=_LABEL)
    told = _words(lines, "told", y, {"value": _WIDTH + 10}, size, align="left", limit=_TOLD)
    body: Spec = {"width": _WIDTH, "height": max(step * len(lines), 2 * _STEP), "layer": [*layers, labels, told]}
    return Chart(name, title, says, caption, body, _WIDTH + sum(_longest(lines, k) for k in ("label", "told")))


def cut(lines: Sequence[Line], caption: str) -> tuple[Sequence[Line], str]:
    """Of very many lines the first and the last; the caption says so."""
    if len(lines) <= MOST:
        return lines, caption
    half = MOST // 2
    said = f"the first and the last {half} of {len(lines):,} rows are drawn"
    return [*lines[:half], *lines[-half:]], f"{caption}; {said}" if caption else said


def _placed(lines: Sequence[Line], caption: str) -> tuple[Sequence[Line], str]:
    """Without the points that a logarithmic axis has no place for; the caption says so of scores."""
    out = [{k: None for k in ("score", "limit") if r.get(k) is not None and r[k] <= 0} for r in lines]
    said = "a score of 0 has no place on a logarithmic scale" if any("score" in x for x in out) else ""
    return [{**r, **x} for r, x in zip(lines, out, strict=True)], "; ".join(x for x in (caption, said) if x)


def _intervals(lines: Sequence[Line], x: Spec, y: Spec) -> list[Spec]:
    """The intervals, and the scores on them: a circle, or a diamond where a line stands out."""
    known = [(k, r) for k, r in enumerate(lines) if r.get("low") is not None and r.get("high") is not None]
    made: list[Spec] = []
    if known:
        data = rows(k=[k for k, _ in known], low=[r["low"] for _, r in known], high=[r["high"] for _, r in known])
        place = {"y": at("k", y), "x": at("low", x), "x2": {"field": "high"}}
        made.append(rule(data, place, color=chart.BLUE, width=2.5))
    for strong, size in ((False, 60), (True, 95)):
        own = [(k, r) for k, r in enumerate(lines) if bool(r.get("strong")) is strong and r.get("score") is not None]
        if own:
            data = rows(k=[k for k, _ in own], x=[r["score"] for _, r in own])
            color, shape = (chart.ORANGE, "diamond") if strong else (chart.BLUE, "circle")
            place = {"y": at("k", y), "x": at("x", x)}
            made.append(points(data, place, color=color, shape=shape, size=size))
    return made


def _limits(lines: Sequence[Line], x: Spec, y: Spec) -> list[Spec]:
    """The value that a line is held against, across it."""
    own = [(k, r["limit"]) for k, r in enumerate(lines) if r.get("limit") is not None]
    if not own:
        return []
    data = rows(k=[k - 0.35 for k, _ in own], to=[k + 0.35 for k, _ in own], x=[v for _, v in own])
    return [rule(data, {"y": at("k", y), "y2": {"field": "to"}, "x": at("x", x)}, color=chart.ORANGE, width=2.5)]


def _region(region: tuple[float, float], x: Spec, ends: tuple[float, float]) -> Spec:
    low, high = max(region[0], ends[0]), min(region[1], ends[1])
    look = {"type": "rect", "color": chart.GREEN, "opacity": 0.12}
    return {"data": rows(x=[low], to=[high]), "mark": look, "encoding": {"x": at("x", x), "x2": {"field": "to"}}}


def _words(lines: Sequence[Line], column: str, y: Spec, x: Spec, size: int, **look: Any) -> Spec:
    """Texts beside the lines."""
    data = rows(k=range(len(lines)), label=[str(r.get(column) or "") for r in lines])
    return text(data, {"y": at("k", y), "x": x}, fontSize=size, baseline="middle", **look)


def _longest(lines: Sequence[Line], column: str) -> float:
    """Pixels that the longest text of a column takes, about."""
    letters = max((len(str(r.get(column) or "")) for r in lines), default=0)
    return min(letters * _LETTER, _LABEL if column == "label" else _TOLD) + 10


def _ends(
    lines: Sequence[Line], reference: float | None, within: tuple[float | None, float | None], log: bool
) -> tuple[float, float]:
    """The ends of the scale: what is shown and a little room, within what the measure can be."""
    keys = ("low", "high", "score", "limit")
    shown = [v for r in lines for k in keys if (v := r.get(k)) is not None and (v > 0 or not log)]
    shown += [] if reference is None else [reference]
    if not shown:
        return (0.0, 1.0) if not log else (0.1, 10.0)
    low, high = min(shown), max(shown)
    if log:
        return low / 1.3, high * 1.3
    room = _ROOM * (high - low or 1.0)
    bottom, top = within
    start = low - room if bottom is None else min(low, max(low - room, bottom))
    return start, high + room if top is None else max(high, min(high + room, top))
