"""Traces: draws in their order with their running mean, after Zhang, Wang and Zhao (2015), Figs 4b and 5b."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howsure.charts import chart
from howsure.charts.chart import Chart, at, axis, line, rows, rule, shown_text


def trace(
    draws: Sequence[float], *, name: str, title: str, says: str, caption: str, measure: str, mean: float | None = None
) -> Chart:
    """The draws, thin, the mean of all draws so far, and the mean of the law where it is known."""
    values = np.asarray(draws, dtype=float)
    steps = np.arange(1, values.size + 1)
    running = np.cumsum(values) / steps
    room = 0.05 * float(np.ptp(values) or 1.0)
    y = axis(measure, low=float(values.min()) - room, high=float(values.max()) + room)
    place = {"x": at("x", axis("draw", low=1.0, high=float(values.size))), "y": at("y", y)}
    layers = [line(rows(x=steps, y=values), place, color=chart.MUTED, width=0.7)]
    if mean is not None:
        layers.append(rule(rows(y=[mean]), {"y": at("y", y)}, color=chart.INK, width=1.2, dash=(4, 3)))
    layers.append(line(rows(x=steps, y=running), place, color=chart.ORANGE, width=2.4))
    words = "thick: running mean" + ("" if mean is None else f"; dashed: mean {mean:.4f}")
    layers.append(shown_text(words, chart.WIDTH - 4, 2, align="right", baseline="top"))
    return Chart(name, title, says, caption, {"width": chart.WIDTH, "height": chart.HEIGHT, "layer": layers})
