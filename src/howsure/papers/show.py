"""The document of the items and its formats."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from howsure.errors import UnknownName, nearest, plural
from howsure.papers.item import AGREES, MEANINGS, NUMBER, SAMPLING, VERDICTS, Agreement, Item
from howsure.render import json, markdown
from howsure.render import text as plain
from howsure.render.columns import texts_columns
from howsure.render.tables import TextTable
from howsure.version import VERSION

WIDTHS: Final = {"item": 28, "printed": 38, "howsure": 40, "verdict": 20}
TERMS: Final = {
    "worked table": "TP 80, FP 20, FN 30, TN 870, an example of ours.",
    "300 tables": "random ones with 1 to 59 in each cell.",
}


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
        "compared": [_compared(c) for c in found.checks if c.basis == NUMBER and c.what],
    }


def _compared(check: Agreement) -> dict[str, Any]:
    """A printed number beside the computed one."""
    verdict = AGREES if check.holds else SAMPLING if check.likely else "differs"
    number = _finite(float(check.computed))
    return {"what": check.what, "printed": check.printed, "computed": number, "verdict": verdict}


def _beside(value: float | None, printed: str) -> str:
    """A computed number with two digits more than are printed.

    >>> _beside(0.58333, "58%"), _beside(0.50291, "0.503")
    ('58.33%', '0.50291')
    """
    digits = len(printed.rstrip("%").partition(".")[2]) + 2
    number = float("nan") if value is None else value
    return f"{number:.{digits}{'%' if printed.endswith('%') else 'f'}}"


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


def render(doc: dict[str, Any], kind: str, width: int | None = None) -> str:
    """The document in one of its formats; a table in so many columns of text."""
    if kind not in FORMATS:
        *first, last = FORMATS
        raise UnknownName(f"no format {kind!r}.{nearest(kind, list(FORMATS))} Give {', '.join(first)} or {last}.")
    return _text(doc, width) if kind == "table" else FORMATS[kind](doc)


def _page(doc: dict[str, Any]) -> str:
    from howsure.papers.page import page

    return page(doc, headline(doc))


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
    """What the verdicts and terms mean that occur, and the notes of the items."""
    rows = doc["rows"]
    verdicts = [f"{v}: {text}" for v, text in MEANINGS.items() if any(v == row["verdict"] for row in rows)]
    terms = [f"{k}: {text}" for k, text in TERMS.items() if any(k in row["computed"] for row in rows)]
    items: dict[str, list[str]] = {}
    for row in rows:
        items.setdefault(row["note"], []).append(row["id"])
    return (*verdicts, *terms, *(f"{', '.join(ids)}: {note}" for note, ids in items.items() if note))


def summary(doc: dict[str, Any], width: int) -> str:
    """A line for each paper, its items by verdict, and what the verdicts mean."""
    papers: dict[str, Counter[str]] = {}
    for row in doc["rows"]:
        papers.setdefault(row["paper"], Counter())[row["verdict"]] += 1
    found = [v for v in VERDICTS if any(v in counts for counts in papers.values())]
    columns = texts_columns(("paper", "items", *found), 1)
    lines = [(name, str(counts.total()), *(str(counts[v] or "") for v in found)) for name, counts in papers.items()]
    notes = (*(f"{v}: {MEANINGS[v]}" for v in found if v in MEANINGS), "howsure papers --all lists every item")
    said = f"{len(doc['rows'])} printed items of {plural(len(papers), 'paper')}, recomputed"
    table = TextTable(said, tuple(replace(c, leaves=None) for c in columns), tuple(lines), notes)
    return "\n".join(plain.laid_out(table, width, None).lines) + "\n"


def _text(doc: dict[str, Any], width: int | None = None) -> str:
    """Cells are folded so that the table fits a wide terminal; under the item is its place in the paper.

    For one item the numbers that are compared are listed as well.
    """
    rows, alone = doc["rows"], len(doc["rows"]) == 1
    widths = _widths(width)
    lines = [line for row in rows for line in _folded(row, alone, widths)]
    notes = () if alone and len(rows[0]["compared"]) > 1 else _notes(doc)
    said = textwrap.fill(headline(doc), width or 10**6, break_on_hyphens=False)
    told = [textwrap.fill(x, (width or 10**6) - 2, subsequent_indent="  ", break_on_hyphens=False) for x in notes]
    text = plain.text(TextTable(said, tuple(texts_columns(WIDTHS, len(WIDTHS))), tuple(lines), tuple(told)))
    if notes or not alone:
        return text
    numbers = [
        (c["what"], c["printed"], _beside(c["computed"], c["printed"]), c["verdict"]) for c in rows[0]["compared"]
    ]
    number, *printed, verdict = texts_columns(("number", "printed", "howsure", "verdict"), 1)
    columns = (number, *printed, replace(verdict, holds="words"))
    return f"{text}\n{plain.text(TextTable('Number by number:', columns, tuple(numbers), _notes(doc)))}"


def _widths(width: int | None) -> dict[str, int]:
    """How wide the columns are, in a page of so many columns of text."""
    room, usual = (width or 10**6) - 2 * (len(WIDTHS) - 1), sum(WIDTHS.values())
    return dict(WIDTHS) if room >= usual else {k: max(x * room // usual, 5) for k, x in WIDTHS.items()}


def _folded(row: dict[str, Any], alone: bool, widths: dict[str, int]) -> list[tuple[str, ...]]:
    texts = (row["id"], row["printed"], row["computed"], row["verdict"])
    cells = [textwrap.wrap(t, w, break_on_hyphens=False) for t, w in zip(texts, widths.values(), strict=True)]
    if not alone:
        cells[0] += textwrap.wrap(f"{row['where']}: {row['title']}", widths["item"], break_on_hyphens=False)
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


FORMATS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "table": _text, "json": json.render, "markdown": _markdown, "html": _page,
}  # fmt: skip
