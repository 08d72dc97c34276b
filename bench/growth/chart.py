"""Charts of growth as SVG: time and memory by size, both axes logarithmic, lines labelled where they end."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73")  # of Okabe and Ito: told apart by the colour-blind
SHAPES = ("circle", "square", "triangle-up")
LEAST = 0.1  # MB; less is drawn there, since a logarithmic axis has no 0
WIDTH, HEIGHT, LABEL = 300, 240, 200


def save(case: dict[str, Any], path: Path) -> None:
    """Both panels side by side in one file."""
    import altair as alt

    time = _panel(case, "seconds", "seconds a call")
    memory = _panel(case, "megabytes", "MB that the peak rises by")
    both = alt.hconcat(time, memory, spacing=30).properties(
        title=alt.Title(case["title"], anchor="start", fontSize=15),
        padding={"left": 8, "top": 8, "bottom": 8, "right": 48},  # browsers' fonts may be wider
    )
    styled = both.configure_view(stroke=None).configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e6e6e6")
    styled.configure(font="sans-serif", background="white").save(str(path))


def _panel(case: dict[str, Any], field: str, title: str) -> Any:
    import altair as alt

    names = [line["name"] for line in case["lines"]]
    rows = [
        {"line": line["name"], "size": p["size"], "cost": max(p[field], LEAST) if field == "megabytes" else p[field]}
        for line in case["lines"]
        for p in line["points"]
        if p[field] is not None
    ]
    sizes = sorted({row["size"] for row in rows})
    across = alt.Scale(type="log", domain=[sizes[0], sizes[-1]], nice=False)
    x = alt.X("size:Q", scale=across, title=case["axis"], axis=alt.Axis(format="~s", values=sizes))
    low, high = (math.log10(end(row["cost"] for row in rows)) for end in (min, max))
    marks = [10.0**k for k in range(math.floor(low), math.ceil(high) + 1)]
    up = alt.Scale(type="log", domain=[marks[0], marks[-1]], nice=False)
    y = alt.Y("cost:Q", scale=up, title=title, axis=alt.Axis(format="~g", values=marks))
    colour = alt.Color("line:N", scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])), legend=None)
    shape = alt.Shape("line:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=None)
    base = alt.Chart(alt.Data(values=rows))
    lines = base.mark_line(strokeWidth=2).encode(x, y, colour)
    points = base.mark_point(filled=True, size=45, opacity=1).encode(x, y, colour, shape)
    ends = alt.Chart(alt.Data(values=_ends(rows, names)))
    words = ends.mark_text(align="left", dx=8, fontSize=11, limit=LABEL).encode(
        alt.X("size:Q"), alt.Y("cost:Q"), colour, alt.Text("line:N")
    )
    return (lines + points + words).properties(width=WIDTH, height=HEIGHT)


def _ends(rows: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """The last point of each line, with labels moved apart where lines end close to each other."""
    last = {name: max((r for r in rows if r["line"] == name), key=lambda r: r["size"]) for name in names}
    ordered = sorted(({**last[name]} for name in names if name in last), key=lambda r: r["cost"])
    span = max(r["cost"] for r in rows) / min(r["cost"] for r in rows)
    gap = max(span, 10.0) ** (14 / HEIGHT)  # the height of a label, as a factor
    for below, above in pairwise(ordered):
        if below["size"] == above["size"]:
            above["cost"] = max(above["cost"], below["cost"] * gap)
    return ordered
