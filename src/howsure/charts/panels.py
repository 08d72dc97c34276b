"""Panels: charts one under another, or side by side, as one."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.charts.chart import Chart
from howsure.render.harmless import visible


def panels(charts: Sequence[Chart], *, name: str, title: str, says: str, caption: str, across: bool = False) -> Chart:
    """Each chart with its own title as a heading; the finding and the caption are of the whole."""
    look = {"fontSize": 12, "fontWeight": "normal", "frame": "group"}
    parts = [
        chart.body | ({} if chart.title == title else {"title": {"text": visible(chart.title)} | look})
        for chart in charts
    ]
    wide = sum(c.wide + 30 for c in charts) if across else max(c.wide for c in charts)
    return Chart(name, title, says, caption, {"hconcat" if across else "vconcat": parts, "spacing": 22}, wide)
