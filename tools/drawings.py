"""Small figures of the docs, as SVG that reads well on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

import altair as alt
import numpy as np

import howsure as hs

COLORS = ["#3987bf", "#d0762b", "#3f9b5f", "#a25fb5"]
INK, LINE, FILL = "#7d838c", "#3987bf", "#6fa8d4"  # grays and blues between black and white: no background
POINTS = 161


def posterior(law: hs.Distribution, name: str, score: float | None, chance: float | None) -> str:
    """The density of one law, its 95% interval filled, the observed score and what chance gives as lines."""
    low, high = (float(end) for end in law.interval(0.95))
    ends = [float(law.ppf(q)) for q in (0.0005, 0.9995)]
    x = np.unique(np.concatenate([np.linspace(*ends, POINTS), [low, high]]))
    density = np.asarray(law.pdf(x), dtype=float)
    rows = [{"x": float(a), "y": float(b)} for a, b in zip(x, density, strict=True) if np.isfinite(b)]
    inside = [row for row in rows if low <= row["x"] <= high]
    # Rounded to what the eye can see, so that another machine's last digit does not change the file.
    for row in rows:
        row["x"], row["y"] = (float(f"{v:.5g}") for v in (row["x"], row["y"]))
    axis = alt.X("x:Q", title=name, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(grid=False, tickCount=6))
    top = 1.2 * max(row["y"] for row in rows)  # room for the words above the curve
    height = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, top]))
    area = alt.Chart(alt.Data(values=inside)).mark_area(color=FILL, opacity=0.45).encode(axis, height)
    line = alt.Chart(alt.Data(values=rows)).mark_line(color=LINE, strokeWidth=2).encode(axis, height)
    layers = [area, line]
    for value, words, dash in ((score, "observed", [1, 0]), (chance, "chance", [3, 3])):
        if value is not None and ends[0] <= value <= ends[1]:
            layers.append(_mark(value, words, dash))
    told = f"posterior density of {name}; the filled part is its 95% interval, {low:.3g} to {high:.3g}"
    chart = alt.layer(*layers).properties(width=520, height=120, background="transparent")
    return svg(chart, told)


def _mark(value: float, words: str, dash: list[int]) -> alt.LayerChart:
    place = alt.Chart(alt.Data(values=[{"x": float(f"{value:.5g}"), "words": words}])).encode(alt.X("x:Q"))
    rule = place.mark_rule(color=INK, strokeDash=dash, strokeWidth=1.5)
    return rule + place.mark_text(color=INK, align="left", dx=5, y=5, fontSize=11).encode(text="words:N")


Series = Mapping[str, tuple[Iterable[float], Iterable[float]]]


def lines(series: Series, x: str, y: str, told: str) -> str:
    """Several curves, each named beside a line of its color."""
    rows = [
        {"x": float(f"{a:.5g}"), "y": float(f"{b:.5g}"), "of": name}
        for name, (across, up) in series.items()
        for a, b in zip(across, up, strict=True)
        if np.isfinite(b)
    ]
    color = alt.Color("of:N", sort=list(series), title=None, scale=alt.Scale(range=COLORS))
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2, clip=True)
    drawn = chart.encode(
        alt.X("x:Q", title=x, axis=alt.Axis(grid=False, tickCount=6), scale=alt.Scale(zero=False, nice=False)),
        alt.Y("y:Q", title=y, axis=alt.Axis(grid=False, tickCount=4)),
        color,
    )
    return svg(alt.layer(drawn).properties(width=440, height=200, background="transparent"), told)


def svg(chart: alt.LayerChart, told: str) -> str:
    """A chart as SVG, with the fonts and grays of the site; what it shows is told to those who do not see it."""
    from vl_convert import vegalite_to_svg

    styled = (
        chart.configure(font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_legend(labelColor=INK, symbolStrokeWidth=3)
        .configure_axis(labelColor=INK, titleColor=INK, domainColor=INK, tickColor=INK, titleFontWeight="normal")
    )
    text: str = vegalite_to_svg(styled.to_dict())
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(told)}" ', 1) + "\n"
