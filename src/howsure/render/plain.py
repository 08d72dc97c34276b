"""Plain text tables for terminals, logs and screen readers; colour and bold through rich on a terminal."""

from __future__ import annotations

from typing import Any

from howsure.render.tables import TextTable, from_document
from howsure.render.view import USUAL, View


def table(document: dict[str, Any], view: View = USUAL) -> str:
    """An aligned table with its headline and notes."""
    return text(from_document(document, view))


def text(t: TextTable) -> str:
    """Columns two blanks apart, numbers to the right."""
    shown = [t.columns, *t.rows]
    widths = [max(len(row[i]) for row in shown) for i in range(len(t.columns))]
    lines = [t.headline, ""]
    for k, row in enumerate(shown):
        cells = (x.rjust(w) if right else x.ljust(w) for x, w, right in zip(row, widths, t.right, strict=True))
        lines.append("  ".join(cells).rstrip())
        if k == 0:
            lines.append("  ".join("-" * w for w in widths))
    lines += ["", *(f"- {note}" for note in t.notes)] if t.notes else []
    return "\n".join(lines) + "\n"


def on_terminal(document: dict[str, Any], view: View = USUAL) -> None:
    """Print the table with rich: the same content, with a rule under the head and dim notes."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    t = from_document(document, view)
    console = Console()
    console.print(Text(t.headline, style="bold"))
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for name, right in zip(t.columns, t.right, strict=True):
        grid.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in t.rows:
        grid.add_row(*(Text(x) for x in row))
    console.print(grid)
    for note in t.notes:
        console.print(Text(f"- {note}", style="dim"))
