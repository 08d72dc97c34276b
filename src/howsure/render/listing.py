"""The list of measures, or one of them in full, as text, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from howsure.render import markdown, plain, raw
from howsure.render.tables import TextTable


def document(metrics: Iterable[Any], full: bool) -> dict[str, Any]:
    """What is known of each measure, read off its declaration."""
    rows = [
        {
            "metric": str(m),
            "formula": m.text,
            "latex": m.latex,
            "range": [None if abs(x) == float("inf") else x for x in m.bounds],
            "better": m.better,
            "undefined": m.undefined,
            "needs_positive": m.needs_positive,
            "aliases": list(m.aliases),
            "meaning": m.meaning,
            "source": m.source,
            "route": m.route,
        }
        for m in metrics
    ]
    return {"schema": "howsure.metrics/1", "full": full, "rows": rows, "notes": []}


def render(doc: dict[str, Any], kind: str) -> str:
    """The document in one of its formats."""
    if kind == "json":
        return raw.json_text({k: v for k, v in doc.items() if k != "full"})
    if doc["full"] and kind == "table":
        return "\n".join(_one(row) for row in doc["rows"])
    table = _table(doc)
    if kind == "table":
        return plain.text(table)
    head = "| " + " | ".join(table.columns) + " |\n|" + "---|" * len(table.columns)
    rows = ["| " + " | ".join(markdown.escape(x) for x in row) + " |" for row in table.rows]
    return "\n".join([head, *rows]) + "\n"


def _table(doc: dict[str, Any]) -> TextTable:
    rows = tuple(
        (
            r["metric"],
            r["formula"],
            _range(r["range"]),
            r["better"] or "-",
            r["route"],
            r["meaning"],
            ", ".join(r["aliases"]),
        )
        for r in doc["rows"]
    )
    columns = ("metric", "formula", "range", "better", "route", "meaning", "also called")
    return TextTable(f"{len(rows)} measures; see one with: howsure metrics NAME", columns, (False,) * 7, rows, ())


def _range(ends: list[float | None]) -> str:
    low, high = ends
    return f"{'-inf' if low is None else f'{low:g}'} to {'inf' if high is None else f'{high:g}'}"


def _one(row: dict[str, Any]) -> str:
    positive = "yes" if row["needs_positive"] else "no, the same for both classes"
    lines = [
        f"{row['metric']}: {row['meaning']}",
        f"  formula         {row['formula']}",
        f"  LaTeX           {row['latex']}",
        f"  range           {_range(row['range'])}; {row['better'] or 'neither direction'} is better",
        f"  divides by 0 if {row['undefined']}",
        f"  positive class  {positive}",
        f"  posterior       {row['route']}",
        f"  also called     {', '.join(row['aliases']) or '-'}",
        f"  source          {row['source']}",
    ]
    return "\n".join(lines) + "\n"
