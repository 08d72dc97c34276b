"""Plain text tables for terminals, logs and screen readers; colour and bold through rich on a terminal."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import Any

from howsure.render.bars import ASCII, LINES, Signs
from howsure.render.layout import laid_out
from howsure.render.tables import TextTable, from_document
from howsure.render.view import USUAL, WARNED, Detail


def table(document: dict[str, Any], view: Detail = USUAL) -> str:
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


def fitted(document: dict[str, Any], width: int, view: Detail = USUAL, signs: Signs | None = None) -> str:
    """The table in so many columns of text; with bars where there are signs for them."""
    made = laid_out(from_document(document, view), width, signs)
    lines = [*made.headline, "", *made.head, *made.body, *(["", *made.notes] if made.notes else [])]
    return "\n".join(lines).lstrip("\n") + "\n"


def on_terminal(document: dict[str, Any], view: Detail = USUAL) -> None:
    """Print the table with rich, as wide as the terminal: bars, bold heads, yellow warnings and dim notes."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    signs = LINES if _encodes(console.encoding, "├─●┤┆…") else ASCII
    made = laid_out(from_document(document, view), max(get_terminal_size().columns, 20), signs)
    for style, lines in (("bold", made.headline), ("", ("",)), ("bold", made.head), ("", made.body)):
        for line in lines:
            console.print(Text(line, style=style), no_wrap=True, overflow="ignore", crop=False)
    if made.notes:
        console.print()
    style = "dim"
    for line in made.notes:
        if line.startswith("- "):
            style = "yellow" if line.startswith(f"- {WARNED}") else "dim"
        console.print(Text(line, style=style), no_wrap=True, overflow="ignore", crop=False)


def _encodes(encoding: str, characters: str) -> bool:
    try:
        characters.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
