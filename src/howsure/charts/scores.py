"""Charts of scores: the density of one row, or a forest of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from howsure.charts.chart import Chart
from howsure.charts.density import density
from howsure.charts.forest import forest
from howsure.render import findings

Document = dict[str, Any]
Drawn = dict[str, Callable[[], Chart]]


def drawn(document: Document, outline: Callable[[], Document]) -> Drawn:
    """One row is a density; more are a forest."""
    if len(document["rows"]) == 1:
        return {"density": lambda: one(document, outline())}
    return {"forest": lambda: many(document)}


def one(document: Document, law: Document) -> Chart:
    """The posterior of one score."""
    (row,) = document["rows"]
    title = f"How sure is {findings.named(row)}?"
    says = findings.of_row(row, document["level"])
    return density(
        [law], name="density", title=title, says=says, caption=findings.caption(document), measure=row["asked"]
    )


def many(document: Document) -> Chart:
    """The scores of several measures, classes, slices or systems."""
    rows = document["rows"]
    measures = list(dict.fromkeys(row["asked"] for row in rows))
    lines = [
        {
            "label": findings.named(row),
            "told": findings.numbers_of(row),
            "strong": row.get("overall") or row.get("marked"),
        }
        | {k: row[k] for k in ("score", "low", "high")}
        for row in rows
    ]
    return forest(
        lines, name="forest", title=f"{', '.join(measures[:4])}", says=f"{len(rows)} scores with their intervals.",
        caption=findings.caption(document), measure=measures[0] if len(measures) == 1 else "score",
        reference=rows[0].get("above"),
    )  # fmt: skip
