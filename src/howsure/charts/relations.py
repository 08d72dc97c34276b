"""Charts of relations: the trade-off of recall and precision, two classes with a score, and surfaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.charts.chart import Chart, panels
from howsure.charts.contours import contours
from howsure.charts.curves import curves
from howsure.messages.numbers import short
from howsure.render import findings

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]
_UNIT = (0.0, 1.0)
_RIGHT = 0.75  # words at points beyond it stand to the left of them
_MARKED = 3  # recalls that were asked for, each with its words on the curve


# -- recall against precision (Alvarez 2002, Fig. 3)


def tradeoff(document: Document, outlines: Outlines) -> Drawn:
    """The hyperbola at constant accuracy and prevalence; from counts with a band."""
    return {"curve": lambda: _traded(document, outlines["curve"]() if "curve" in outlines else None)}


def _traded(document: Document, line: Document | None) -> Chart:
    rows, held = document["rows"], document.get("curve")
    banded = any(r.get("low") is not None for r in rows)
    series: list[Document] = []
    known = [r for r in rows if r.get("low") is not None]
    if len(known) > 1:
        series.append({"label": "median and band", "x": [r["recall"] for r in known],
                       "y": [r["median"] for r in known], "low": [r["low"] for r in known],
                       "high": [r["high"] for r in known]})  # fmt: skip
    if line is not None:
        series.append({"label": "the counts themselves" if series else "precision"} | line)
    marks = _asked(rows) if len(rows) <= _MARKED else []
    if held and held.get("point"):
        x, y = held["point"]
        marks.append({"x": x, "y": y, "strong": True, "label": "this system", "below": x > _RIGHT})
    said = findings.sentence(document["verdict"])
    at = (
        f"accuracy {short(held['accuracy'])} and prevalence {short(held['prevalence'])}"
        if held
        else "constant accuracy"
    )
    told = findings.caption(document)
    lost = sum(r.get("low") is None for r in rows) if banded else 0
    told += "; dashed: precision 1/2" + (f"; {lost} recalls have no band" if lost else "")
    return curves(
        series, name="curve", title=f"Recall against precision at {at}", says=said, caption=told.removeprefix("; "),
        x_title="recall", y_title="precision", x_ends=_UNIT, y_ends=_UNIT, square=True, marks=marks,
        lines=[{"y": 0.5}],
    )  # fmt: skip


def _asked(rows: Sequence[Document]) -> list[Document]:
    """The precision at each recall that was asked for, where there is one."""
    known = [(r, r["median"] if r.get("precision") is None else r["precision"]) for r in rows]
    return [
        {"x": r["recall"], "y": y, "low": r.get("low"), "high": r.get("high"), "below": True, "left": True,
         "label": f"recall {r['recall']:.4g}: precision {short(y)}"}
        for r, y in known if y is not None
    ]  # fmt: skip


def hyperbolas(lines: Sequence[Document], *, title: str, says: str, caption: str) -> Chart:
    """Several of them, one for each accuracy."""
    return curves(
        lines, name="curves", title=title, says=says, caption=caption, x_title="recall", y_title="precision",
        x_ends=_UNIT, y_ends=_UNIT, square=True, lines=[{"y": 0.5}],
    )  # fmt: skip


# -- two classes with a score (Alvarez 2002, Figs 1, 2, 4 and 5)


def mixture(document: Document, outlines: Outlines) -> Drawn:
    """The densities of both classes over the measures at each threshold."""
    if "panels" not in outlines:
        return {}
    return {"panels": lambda: _two_panels(document, outlines["panels"]())}


def _two_panels(document: Document, found: Document) -> Chart:
    ends = (found["x"][0], found["x"][-1])
    classes = [{"label": k, "x": found["x"], "y": found[k]} for k in ("positive", "negative") if found.get(k)]
    measures = [{"label": k, "x": found["x"], "y": found[k]} for k in ("recall", "precision", "accuracy")]
    even = document["break_even"]
    best = next(b for b in document["best"] if b["metric"] == "accuracy")
    parts = []
    if classes:
        top = 1.08 * max(v for c in classes for v in c["y"])
        parts.append(curves(
            classes, name="classes", title="Density of each class, times its share", says="", caption="",
            x_title="score", y_title="density", x_ends=ends, y_ends=(0.0, top),
        ))  # fmt: skip
    marks = (
        [{"x": even["threshold"], "y": even["recall"], "strong": True, "label": "break-even"}]
        if even["threshold"] is not None
        else []
    )
    parts.append(curves(
        measures, name="measures", title="Measures at each threshold", says="", caption="", x_title="threshold",
        y_title="value", x_ends=ends, y_ends=_UNIT, marks=marks,
    ))  # fmt: skip
    rising = document.get("rising_together") or []
    says = f"Recall and precision meet at threshold {_at(even['threshold'])}, where both are {short(even['recall'])}; "
    says += f"accuracy is highest, {short(best['value'])}, at {_at(best['threshold'])}."
    says += "".join(
        f" Recall and precision rise together from {_at(a)} to {_at(b)}." for a, b in rising[:1] if None not in (a, b)
    )
    sign = "at or above" if document["answer"] == "above" else "at or below"
    caption = (
        f"positive: {document['positive']}; negative: {document['negative']}; prevalence {document['prevalence']:.4g}; "
        f"answered positive {sign} the threshold"
    )
    return panels(parts, name="panels", title="Two classes with a score", says=says, caption=caption)


def _at(x: float | None) -> str:
    return "an end" if x is None else f"{x + 0.0:.3g}" if abs(x) > 1e-12 else "0"


# -- surfaces (Ishioka 2003, Figs 1 to 5)


def surface(document: Document, outlines: Outlines) -> Drawn:
    """Lines of equal value over two measures; a section where one of them has a single value."""
    del outlines
    nx, ny = document["size"]
    if min(nx, ny) > 1:
        return {"contours": lambda: _surface(document)}
    return {"section": lambda: _section(document)}


def _grids(document: Document) -> tuple[Any, Any, Any]:
    nx, ny = document["size"]
    rows = document["rows"]
    x, y = np.array([r["x"] for r in rows[:nx]]), np.array([r["y"] for r in rows[::nx]])
    z = np.array([np.nan if r["z"] is None else r["z"] for r in rows], dtype=float).reshape(ny, nx)
    across, down = np.argsort(x), np.argsort(y)
    return x[across], y[down], z[np.ix_(down, across)]


def _held(document: Document) -> str:
    return ", ".join(f"{k} {v:g}" for k, v in document["fixed"].items())


def _surface(document: Document) -> Chart:
    x, y, z = _grids(document)
    return contours(
        x, y, z, name="contours", title=_titled(document), says=_range(document), caption=_holes(document),
        x_title=document["x"], y_title=document["y"],
    )  # fmt: skip


def _titled(document: Document) -> str:
    at = _held(document)
    return f"{document['z']} by {document['x']} and {document['y']}" + (f" at {at}" if at else "")


def _range(document: Document) -> str:
    known = [r for r in document["rows"] if r["z"] is not None]
    if not known:
        return f"No point of this grid has a single value of {document['z']}."
    low, high = min(known, key=lambda r: r["z"]), max(known, key=lambda r: r["z"])
    spots = [
        f"{short(r['z'] if abs(r['z']) > 1e-12 else 0.0)} at {document['x']} {r['x']:.3g}, {document['y']} {r['y']:.3g}"
        for r in (low, high)
    ]
    share = f"{100 * document['feasible']:.3g}% of the grid is feasible"
    return f"{document['z']} runs from {spots[0]} to {spots[1]}; {share}."


def _holes(document: Document) -> str:
    nx, ny = document["size"]
    said = [f"grid of {nx} x {ny}", *(n["text"] for n in document["notes"] if n["code"] != "one-by-one")]
    return "; ".join(said) + ("; grey: no single value" if any(r["z"] is None for r in document["rows"]) else "")


def _section(document: Document) -> Chart:
    nx, _ = document["size"]
    along, other = ("x", "y") if nx > 1 else ("y", "x")
    rows = sorted(document["rows"], key=lambda r: r[along])
    known = [v for r in rows for v in (r["z"], r["low"], r["high"]) if v is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = 0.05 * (high - low or 1.0)
    series = {"label": document["z"], "x": [r[along] for r in rows], "y": [r["z"] for r in rows]}
    ends = (rows[0][along], rows[-1][along])
    ends = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
    marks = (
        [{"x": r[along], "y": r["z"], "label": short(r["z"])} for r in rows if r["z"] is not None]
        if len(rows) < 3
        else []
    )
    return curves(
        [series], name="section", title=_titled(document), says=_range(document),
        caption=f"{document[other]} {rows[0][other]:.4g}; {_holes(document)}", x_title=document[along],
        y_title=document["z"], x_ends=ends, y_ends=(low - room, high + room), marks=marks,
    )  # fmt: skip


# -- 11-point averaged precision (Ishioka 2003, Figs 6 and 7)


def eleven_point(document: Document, outlines: Outlines) -> Drawn:
    """Averaged precision by the measure, a line for each fallout."""
    del outlines
    made: Drawn = {"curves": lambda: _averaged(document)}
    fallouts, values = (sorted({r[k] for r in document["rows"]}) for k in ("fallout", "value"))
    if min(len(fallouts), len(values)) > 2:
        made["contours"] = lambda: _averaged_surface(document, values, fallouts)
    return made


def _averaged(document: Document) -> Chart:
    fallouts = sorted({r["fallout"] for r in document["rows"]})
    series = []
    for a in fallouts:
        rows = [r for r in document["rows"] if r["fallout"] == a]
        series.append({"label": f"fallout {a:g}", "x": [r["value"] for r in rows], "y": [r["mean"] for r in rows]})
    values = [v for s in series for v in s["x"]]
    return curves(
        series, name="curves", title=f"11-point averaged precision by {document['measure']}",
        says=_gaps(document, fallouts),
        caption="; ".join(n["text"] for n in document["notes"]) + "; dashed: equal", x_title=document["measure"],
        y_title="averaged precision", x_ends=(min(values), max(values)) if min(values) < max(values) else _UNIT,
        y_ends=_UNIT, lines=[{"from": (0.0, 0.0), "to": (1.0, 1.0)}],
    )  # fmt: skip


def _gaps(document: Document, fallouts: Sequence[float]) -> str:
    told = [f"{g:+.3f} at fallout {a:g}" for a, g in zip(fallouts, document["gap"], strict=True) if g is not None]
    return f"Averaged precision less {document['measure']}, on average: {', '.join(told[:4]) or 'nowhere defined'}."


def _averaged_surface(document: Document, values: Sequence[float], fallouts: Sequence[float]) -> Chart:
    by = {(r["fallout"], r["value"]): r["mean"] for r in document["rows"]}
    z = np.array([[np.nan if by[a, v] is None else by[a, v] for v in values] for a in fallouts], dtype=float)
    return contours(
        np.asarray(values), np.asarray(fallouts), z, name="contours",
        title=f"11-point averaged precision by {document['measure']} and fallout", says=_gaps(document, fallouts),
        caption="; ".join(n["text"] for n in document["notes"]), x_title=document["measure"], y_title="fallout",
    )  # fmt: skip
