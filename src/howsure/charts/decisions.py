"""Steps: the law of a score that takes finitely many values, as the probability of each, or of stretches of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from howsure.charts import chart
from howsure.charts.chart import Chart, at, axis, panels, part, rows, rule, shown_text
from howsure.charts.curves import curves
from howsure.charts.forest import forest
from howsure.charts.scores import of_one_scale, within
from howsure.messages.numbers import count, probability, short, stated
from howsure.render import findings

# -- steps
#
# Steps: the law of a score that takes finitely many values, as the probability of each, or of stretches of them.


def steps(
    outline: Mapping[str, Any], *, name: str, title: str, says: str, caption: str, measure: str
) -> Chart:  # fmt: skip
    """A bar for each value, dark within the interval; `from` and `to` of an outline are stretches of values."""
    o = outline
    inside = [o["low"] <= 0.5 * (a + b) <= o["high"] or a <= o["low"] <= b or a <= o["high"] <= b
              for a, b in zip(o["from"], o["to"], strict=True)]  # fmt: skip
    x = axis(measure, low=o["ends"][0], high=o["ends"][1])
    y = axis("probability", low=0.0, high=1.08 * max(o["mass"]), tickCount=4, grid=True)
    wide = chart.WIDTH / (o["ends"][1] - o["ends"][0])
    gap = 0.0 if min(wide * (b - a) for a, b in zip(o["from"], o["to"], strict=True)) < 4 else 1.0
    layers = []
    for steps_within, opacity in ((False, 0.35), (True, 0.9)):
        own = [k for k, here in enumerate(inside) if here is steps_within]
        if own:
            data = rows(x=[o["from"][k] for k in own], to=[o["to"][k] for k in own], y=[o["mass"][k] for k in own],
                        zero=[0.0] * len(own))  # fmt: skip
            place = {"x": at("x", x), "x2": {"field": "to"}, "y": at("zero", y), "y2": {"field": "y"}}
            layers.append(
                part(data, "bar", place, color=chart.BLUE, opacity=opacity, xOffset=gap / 2, x2Offset=-gap / 2)
            )
    for k, r in enumerate(o.get("references") or []):
        share = (r["value"] - o["ends"][0]) * wide
        align = "right" if share > chart.WIDTH / 2 else "left"
        layers.append(rule(rows(x=[r["value"]]), {"x": at("x", x)}, dash=(4, 3)))
        layers.append(
            shown_text(r["says"], share - 6 if align == "right" else share + 6, 2 + 16 * k, align=align, baseline="top")
        )
    return Chart(name, title, says, caption, {"width": chart.WIDTH, "height": chart.HEIGHT, "layer": layers})


# -- decisions
#
# Charts of decisions: requirements with what they are held against, the planning curve, and what comes next.

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]
_SAID: Final = 1e-4  # P(0/0) from which on it is said


def gate(document: Document, outlines: Outlines) -> Drawn:
    """Every requirement with its interval and its limit."""
    del outlines
    return {"requirements": lambda: _requirements(document), "probabilities": lambda: _probabilities(document)}


def _requirements(document: Document) -> Chart:
    says = findings.sentence(document["verdict"])
    caption = f"{findings.caption(document)}; vertical mark = threshold"
    title = "Do the requirements hold?"
    parts = [
        forest(
            [_ruling(row) for row in rows], name="requirements", title=title, says=says, caption=caption,
            measure=str(rows[0]["metric"]) if len({r["metric"] for r in rows}) == 1 else "measure",
            within=within(rows),
        )
        for rows in of_one_scale(document["rows"], "metric")
    ]  # fmt: skip
    return parts[0] if len(parts) == 1 else panels(parts, name="requirements", title=title, says=says, caption=caption)


def _ruling(row: Document) -> Document:
    margin = row.get("margin")
    limit = row["limit"] if row.get("limit") is not None else None if margin is None else _beyond(row, margin)
    return {
        "label": row["requirement"], "score": row["score"], "low": row["low"], "high": row["high"], "limit": limit,
        "told": f"{row['status']}, {stated('P', _chance(row))}", "strong": row["status"] == "fail",
    }  # fmt: skip


def _beyond(row: Document, margin: float) -> float:
    """Where a difference would be too bad."""
    return float(margin if row.get("sign") == "<" else -margin)


def _chance(row: Document) -> str:
    error = (row.get("error") or {}).get("probability")
    return probability(row["probability"], error, rest=1.0 - row["probability"])


def _probabilities(document: Document) -> Chart:
    """The probability that each requirement holds, and that which it needs."""
    lines = [
        {"label": row["requirement"], "score": row["probability"], "limit": row["p"],
         "told": f"{row['status']}, {_chance(row)} of {row['p']:g}",
         "strong": row["status"] == "fail"}
        for row in document["rows"]
    ]  # fmt: skip
    return forest(
        lines, name="probabilities", title="How sure is each requirement?", says=findings.sentence(document["verdict"]),
        caption=f"{findings.caption(document)}; vertical mark = probability that is needed",
        measure="probability that it holds", within=(0.0, 1.0),
    )  # fmt: skip


# -- plans


def plan(document: Document, outlines: Outlines) -> Drawn:
    """What more items give: narrower intervals, or a higher chance to show it."""
    del outlines
    return {"curve": lambda: _planned(document)}


def _planned(document: Document) -> Chart:
    rows = sorted(document["rows"], key=lambda r: r["n"])
    goal, unit = document["goal"], str(document["unit"])
    wide = goal["kind"] in (None, "width")
    if wide:
        keys = (
            ("width_assured", f"with {findings.percent(document['assurance'])} assurance"),
            ("width_average", "on average"),
        )
        y_title = f"width of the {findings.percent(document['level'])} interval"
    else:
        keys = (("power", "probability of showing it"), ("p_average", "average probability of the claim"))
        y_title = "probability"
    series = [{"label": label, "x": [r["n"] for r in rows], "y": [r.get(key) for r in rows]}
              for key, label in keys if any(r.get(key) is not None for r in rows)]  # fmt: skip
    held = goal["value"] if wide else document["assurance"]
    lines = [] if held is None else [_level(held, wide)]
    lines.append({"x": document["n"], "label": f"n = {count(document['n'])}", "align": "right", "low": not wide})
    top = max(v for s in series for v in [*(x for x in s["y"] if x is not None), held or 0.0])
    return curves(
        series, name="curve", title=f"How many {unit} for {document['metric']}?",
        says=findings.sentence(document["verdict"]),
        caption=_rests_on(document), x_title=f"{unit} to label", y_title=y_title,
        x_ends=(rows[0]["n"], rows[-1]["n"]) if len(rows) > 1 else (0.0, 2.0 * rows[0]["n"]),
        y_ends=(0.0, 1.08 * top if wide else 1.0), log=len(rows) > 1 and rows[0]["n"] > 0, lines=lines,
    )  # fmt: skip


def _level(value: float, wide: bool) -> Document:
    """The goal, where no curve passes: widths fall from the left, and chances rise to the right."""
    if wide:
        return {"y": value, "label": f"goal: {value:g}"}
    return {"y": value, "label": f"assurance: {value:g}", "align": "right", "under": True}


def _rests_on(document: Document) -> str:
    data = document.get("data") or {}
    own = f"pilot of {count(data['n'])}" if data.get("pilot") and data.get("n") is not None else "expected values"
    told = findings.caption({k: document.get(k) for k in ("prior", "level", "interval")})
    return f"{own}; {told}; assurance {findings.percent(document['assurance'])}"


# -- predictions


def forecast(document: Document, outlines: Outlines) -> Drawn:
    """The law of one score to come, or the intervals of many."""
    if "steps" in outlines and len(document["rows"]) == 1:
        return {"steps": lambda: _next(document, outlines["steps"]())}
    return {"forest": lambda: _nexts(document)}


def _next(document: Document, law: Document) -> Chart:
    (row,) = document["rows"]
    what = _called(row)
    low, high, level = law["low"], law["high"], law["level"]
    error = (row.get("error") or {}).get("probability")
    references = [
        {"value": row[k],
         "says": stated(f"P({k} {row[k]:g})", probability(row[f"p_{k}"], error, rest=1.0 - row[f"p_{k}"]))}
        for k in ("below", "above") if row.get(k) is not None and row.get(f"p_{k}") is not None
    ]  # fmt: skip
    says = f"With probability {findings.percent(level)} or more {what} of {_coming(row)} lies between "
    says += f"{short(low)} and {short(high)}"
    says += "".join(f"; {r['says']}" for r in references) + "."
    lost = row["p_undefined"] or 0.0
    told = "; each bar is one value" if law["single"] else "; each bar covers a range of values"
    told += f"; it is 0/0 with probability {probability(lost)}" if lost >= _SAID else ""
    caption = findings.caption(document | {"level": level}).replace("intervals", "interval")
    law = law | {"references": references}
    return steps(law, name="steps", title=f"{what} of {_coming(row)}", says=says, caption=caption + told, measure=what)


def _nexts(document: Document) -> Chart:
    rows = document["rows"]
    several = len({_called(row) for row in rows}) > 1
    lines = [
        {"label": _label(row, several), "score": row["median"], "low": row["low"], "high": row["high"],
         "told": f"{short(row['median'])} [{findings.span(row).replace(' to ', ', ')}]"}
        for row in rows
    ]  # fmt: skip
    what, level = "scores" if several else _called(rows[0]), findings.percent(document["level"])
    says = f"{len(rows)} laws of {what} of {_coming(rows[0])}, each with its {level} interval."
    return forest(
        lines, name="forest", title=f"{what} of {_coming(rows[0])}", says=says,
        caption=f"{findings.caption(document)}; points are medians", measure=what,
        within=tuple(rows[0].get("range") or (None, None)),
    )  # fmt: skip


def _label(row: Document, several: bool) -> str:
    where = findings.place(row)
    return ", ".join(x for x in (_called(row) if several or not where else "", where) if x)


def _called(row: Document) -> str:
    both = f", {row['first']} less {row['second']}" if row.get("first") else ""
    return f"{row['asked']}{' of ' + str(row['system']) if row.get('system') else ''}{both}"


def _coming(row: Document) -> str:
    unit = row.get("unit") or "item"
    return f"the next {count(row['next'])} {unit}{'' if row['next'] == 1 else 's'}"
