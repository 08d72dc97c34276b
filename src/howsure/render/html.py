"""HTML tables for notebooks and pages; user text is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

from howsure.render.tables import from_document
from howsure.render.view import USUAL, Detail


def table(document: dict[str, Any], view: Detail = USUAL) -> str:
    """A table with a caption, column heads and row heads, and its notes as a list."""
    t = from_document(document, view)
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in t.columns)
    body = "\n".join(_row(row, t.right) for row in t.rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in t.notes)
    tail = f'<ul class="howsure-notes">{notes}</ul>\n' if notes else ""
    return (
        f'<table class="howsure">\n<caption>{escape(t.headline)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{tail}"
    )


def _row(row: tuple[str, ...], right: tuple[bool, ...]) -> str:
    first, *rest = row
    cells = "".join(
        f'<td style="text-align:right">{escape(x)}</td>' if r else f"<td>{escape(x)}</td>"
        for x, r in zip(rest, right[1:], strict=True)
    )
    return f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
