"""The document of the items and its three formats."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from howsure.errors import UnknownName, nearest
from howsure.papers.item import VERDICTS, Item
from howsure.render import markdown, plain, raw
from howsure.render.tables import TextTable
from howsure.version import VERSION

KINDS: Final = ("table", "json", "markdown")
WIDTHS: Final = {"item": 28, "printed": 38, "howsure": 40, "verdict": 20}


def document(chosen: Iterable[Item]) -> dict[str, Any]:
    """One row an item, computed now; never NaN or Infinity."""
    return {"schema": "howsure.papers/1", "version": VERSION, "rows": [_row(x) for x in chosen], "notes": []}


def _row(item: Item) -> dict[str, Any]:
    found = item.compute()
    return {
        "id": item.id,
        "paper": item.paper,
        "where": item.where,
        "title": item.title,
        "printed": item.printed,
        "computed": found.computed,
        "verdict": found.verdict,
        "note": item.note,
        "data": {key: _finite(value) for key, value in found.data.items()},
    }


def _finite(value: Any) -> Any:
    """Plain Python values; null for what is not a finite number.

    >>> _finite([1, float("inf")])
    [1, None]
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def render(doc: dict[str, Any], kind: str) -> str:
    """The document in one of its formats."""
    makers = {"table": _text, "json": raw.json_text, "markdown": _markdown}
    if kind not in makers:
        raise UnknownName(f"no format {kind!r}.{nearest(kind, KINDS)} Give table, json or markdown.")
    return makers[kind](doc)


def headline(doc: dict[str, Any]) -> str:
    """How many items there are, and how many of each verdict; for one item, what it is."""
    rows = doc["rows"]
    if len(rows) == 1:
        return f"{rows[0]['paper']}, {rows[0]['where']}: {rows[0]['title']}"
    counts = Counter(row["verdict"] for row in rows)
    parts = "; ".join(f"{v}: {counts[v]}" for v in VERDICTS if counts[v])
    names = ", ".join(dict.fromkeys(row["paper"] for row in rows))
    return f"{len(rows)} items of {names or 'no paper'}. {parts}"


def _notes(doc: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{row['id']}: {row['note']}" for row in doc["rows"] if row["note"])


def _text(doc: dict[str, Any]) -> str:
    """Cells are folded so that the table fits a wide terminal; an item's later lines have an empty first cell."""
    lines = [line for row in doc["rows"] for line in _folded(row)]
    return plain.text(TextTable(headline(doc), tuple(WIDTHS), (False,) * len(WIDTHS), tuple(lines), _notes(doc)))


def _folded(row: dict[str, Any]) -> list[tuple[str, ...]]:
    texts = (row["id"], row["printed"], row["computed"], row["verdict"])
    cells = [textwrap.wrap(t, w, break_on_hyphens=False) for t, w in zip(texts, WIDTHS.values(), strict=True)]
    height = max(len(cell) for cell in cells)
    return [tuple(cell[i] if i < len(cell) else "" for cell in cells) for i in range(height)]


_COLUMNS: Final = ("id", "where", "title", "printed", "computed", "verdict")


def _markdown(doc: dict[str, Any]) -> str:
    lines = [markdown.escape(headline(doc)), ""]
    lines.append("| item | where | what | printed | howsure | verdict |")
    lines.append("|" + "---|" * len(_COLUMNS))
    lines += ["| " + " | ".join(markdown.escape(row[c]) for c in _COLUMNS) + " |" for row in doc["rows"]]
    notes = _notes(doc)
    lines += ["", *(f"- {markdown.escape(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"
