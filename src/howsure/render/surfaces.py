"""Surfaces as grids that people can read: a row for each y, a column for each x, a few of each."""

from __future__ import annotations

from typing import Any, Final

from howsure.render.numbers import short
from howsure.render.tables import TextTable, page, texts

_MOST: Final = 11
_NOISE: Final = 1e-13  # what rounding leaves of 0 or 1
NONE: Final = "·"


def surface(document: dict[str, Any]) -> TextTable:
    """Up to 11 x 11 of the values, evenly spread; all of them are in JSON and CSV."""
    nx, ny = document["size"]
    rows = document["rows"]
    columns, lines = _some(nx), _some(ny)
    head = (f"{document['y']} \\ {document['x']}", *(f"{rows[i]['x']:.4g}" for i in columns))
    body = tuple((f"{rows[j * nx]['y']:.4g}", *(_cell(rows[j * nx + i]) for i in columns)) for j in lines)
    fixed = "".join(f", {name} {value:g}" for name, value in document["fixed"].items())
    headline = f"{document['z']} by {document['x']} and {document['y']}{fixed}; {document['feasible']:.1%} feasible"
    notes = texts(document)
    if any(NONE in line for line in body):
        notes.insert(0, f"{NONE} no table")
    if len(columns) < nx or len(lines) < ny:
        notes.append(f"{len(columns)} x {len(lines)} of {nx} x {ny} values are shown; JSON and CSV have all")
    return page(headline, head, 0, body, notes)


def eleven_point(document: dict[str, Any]) -> TextTable:
    """A row for each value, a column for each fallout: averaged precision, and the share of levels that have it."""
    rows = document["rows"]
    fallouts = list(dict.fromkeys(r["fallout"] for r in rows))
    width = len(rows) // len(fallouts)
    body = tuple(
        (f"{rows[j]['value']:.4g}", *(_average(rows[i * width + j]) for i in range(len(fallouts))))
        for j in range(width)
    )
    gaps = ("mean gap", *(short(x) for x in document["gap"]))
    head = (document["measure"], *(f"fallout {a:g}" for a in fallouts))
    headline = f"11-point averaged precision by {document['measure']}; rule {document['rule']} (share of levels)"
    return page(headline, head, 0, (*body, gaps), texts(document))


def _average(row: dict[str, Any]) -> str:
    return NONE if row["mean"] is None else f"{short(row['mean'])} ({row['share']:.0%})"


def _some(size: int) -> list[int]:
    """Places spread evenly, both ends among them."""
    k = min(size, _MOST)
    return [round(i * (size - 1) / (k - 1)) for i in range(k)] if k > 1 else [0]


def _cell(row: dict[str, Any]) -> str:
    if row["z"] is not None:
        near = round(row["z"])
        return short(float(near) if abs(row["z"] - near) < _NOISE else row["z"])
    if row["status"] == "none":
        return NONE
    if row["low"] is None and row["high"] is None:
        return "infinite" if row["status"] == "one" else "0/0"
    low, high = (_end(row[k]) for k in ("low", "high"))
    return f"{low}|{high}" if row["status"] == "several" else f"{low}…{high}"


def _end(x: float | None) -> str:
    if x is None:
        return "∞"
    return f"{x:.2f}" if abs(x) < 1000 else f"{x:.4g}"
