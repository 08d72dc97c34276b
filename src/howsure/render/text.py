"""Tables as text for a terminal of any width."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shutil import get_terminal_size
from typing import Final

from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict, TableColumn
from howsure.render.tables import ASCII, LINES, WARNED, Signs, TextTable, text_table

# -- layout
#
# A table in a given width: columns leave in a stated order, heads and sentences wrap at blanks, words stay whole.
#
# The bar leaves first. Names are shortened in the middle only where nothing else is left to go, and never so that two
# of them look the same.

SHORTEST_BAR: Final = 12
LONGEST_BAR: Final = 40
_GAP: Final = 2
_TIE: Final = "\0"  # stands for a blank while lines are made; no text that is shown holds it
_FEWEST: Final = 5  # characters of a name that is shortened


@dataclass(frozen=True)
class Page:
    """Lines by their parts."""

    headline: tuple[str, ...]
    head: tuple[str, ...]
    body: tuple[str, ...]
    notes: tuple[str, ...]


def laid_out(t: TextTable, width: int, signs: Signs | None = LINES) -> Page:
    """The table in so many columns of text; without signs there is no bar."""
    t, wrapped, bar, gone = _fitted(t, width, signs is not None and t.bars is not None)
    sizes = _sizes(t, wrapped)
    if sum(sizes) + _GAP * (len(sizes) - 1) > width:
        t = _shortened(t, width, sizes, "~" if signs is None else signs.dots)
        sizes = _sizes(t, wrapped)
    heads = [_wrapped(c, size) or [""] for c, size in zip(t.titles, sizes, strict=True)]
    deep = max(map(len, heads))
    head = [
        _line([h[k - deep + len(h)] if k >= deep - len(h) else "" for h in heads], t.right, sizes) for k in range(deep)
    ]
    body = [_line(row, t.right, sizes) for row in t.rows]
    room = sum(sizes) + _GAP * (len(sizes) - 1)
    head = [x.rstrip() for x in head]
    if bar and t.bars is not None and signs is not None:
        head[-1] = _joined(head[-1], room, t.bars.head(bar))
        body = [_joined(x, room, t.bars.draw(i, bar, signs)) for i, x in enumerate(body)]
    notes = [*t.notes]
    if gone:
        notes.append(f"hidden because the terminal is narrow: {', '.join(gone)}; widen it or use --format json")
    return Page(
        tuple(_wrapped(t.headline, width)),
        tuple(head),
        tuple(x.rstrip() for x in body),
        tuple(line for x in notes for line in _wrapped(f"- {x}", width, "  ")),
    )


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines that end at blanks; a word that is longer stays whole."""
    kept = text.replace(" = ", f"{_TIE}={_TIE}")  # "n = 569" stays on one line
    lines = textwrap.wrap(kept, max(width, 1), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def _joined(line: str, room: int, bar: str) -> str:
    return line + " " * (room - cells(line) + _GAP) + bar


def _fitted(t: TextTable, width: int, barred: bool) -> tuple[TextTable, bool, int, list[str]]:
    """The columns that fit, whether heads are wrapped, the width of the bar, and the titles of what left."""
    gone: list[str] = []
    for wrapped in (False, True):
        room = width - _width(t, wrapped) - _GAP
        if barred and room >= SHORTEST_BAR:
            return t, wrapped, min(room, LONGEST_BAR), gone
    wrapped = _width(t, False) > width
    for column in _leaving(t):
        if _width(t, wrapped) <= width:
            break
        gone.append(column.title)
        t = _without(t, column)
    return t, wrapped, 0, gone


def _leaving(t: TextTable) -> list[TableColumn]:
    """Return what may leave, in order; the metric does at last, if it is the same in all of several rows."""
    leaving = sorted((c for c in t.columns if c.leaves is not None), key=lambda c: c.leaves or 0)
    metrics = [c for i, c in enumerate(t.columns) if c.key == "metric" and len({row[i] for row in t.rows}) == 1]
    return [*leaving, *(metrics if len(t.rows) > 1 else [])]


def _without(t: TextTable, column: TableColumn) -> TextTable:
    places = [i for i, c in enumerate(t.columns) if c is not column]
    rows = tuple(tuple(row[i] for i in places) for row in t.rows)
    return replace(t, columns=tuple(t.columns[i] for i in places), rows=rows)


def _width(t: TextTable, wrapped: bool) -> int:
    sizes = _sizes(t, wrapped)
    return sum(sizes) + _GAP * (len(sizes) - 1)


def _sizes(t: TextTable, wrapped: bool) -> list[int]:
    heads = [max((cells(w) for w in c.split()), default=0) if wrapped else cells(c) for c in t.titles]
    return [max(h, *(cells(row[i]) for row in t.rows), 0) for i, h in enumerate(heads)]


def _shortened(t: TextTable, width: int, sizes: list[int], dots: str) -> TextTable:
    """The longest names of words cut in the middle, as far as they stay different."""
    over = sum(sizes) + _GAP * (len(sizes) - 1) - width
    words = sorted((i for i, right in enumerate(t.right) if not right), key=lambda i: -sizes[i])
    for i in words:
        size = max(_FEWEST, sizes[i] - over)
        names = {row[i] for row in t.rows}
        short = {x: _cut(x, size, dots) for x in names}
        if len(set(short.values())) == len(names):
            rows = tuple((*row[:i], short[row[i]], *row[i + 1 :]) for row in t.rows)
            over -= sizes[i] - max(map(cells, short.values()))
            t = replace(t, rows=rows)
        if over <= 0:
            break
    return t


def _cut(text: str, size: int, dots: str) -> str:
    """A text with its middle left out."""
    if cells(text) <= size:
        return text
    keep = size - 1
    return text[: (keep + 1) // 2] + dots + text[len(text) - keep // 2 :]


def _line(row: Sequence[str], right: Sequence[bool], sizes: Sequence[int]) -> str:
    parts = []
    for x, to_right, size in zip(row, right, sizes, strict=True):
        blanks = " " * max(0, size - cells(x))
        parts.append(blanks + x if to_right else x + blanks)
    return (" " * _GAP).join(parts)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cells("f1"), cells("猫")
    (2, 2)
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# -- plain
#
# Plain text tables for terminals, logs and screen readers; colour and bold through rich on a terminal.


def render(result: ResultDict, detail: Detail = USUAL) -> str:
    """An aligned table with its headline and notes."""
    return text(text_table(result, detail))


def text(t: TextTable) -> str:
    """Columns two blanks apart, numbers to the right."""
    shown = [t.titles, *t.rows]
    widths = [max(len(row[i]) for row in shown) for i in range(len(t.columns))]
    lines = [t.headline, ""]
    for k, row in enumerate(shown):
        cells = (x.rjust(w) if right else x.ljust(w) for x, w, right in zip(row, widths, t.right, strict=True))
        lines.append("  ".join(cells).rstrip())
        if k == 0:
            lines.append("  ".join("-" * w for w in widths))
    lines += ["", *(f"- {note}" for note in t.notes)] if t.notes else []
    return "\n".join(lines) + "\n"


def fitted(result: ResultDict, width: int, detail: Detail = USUAL, signs: Signs | None = None) -> str:
    """The table in so many columns of text; with bars where there are signs for them."""
    made = laid_out(text_table(result, detail), width, signs)
    lines = [*made.headline, "", *made.head, *made.body, *(["", *made.notes] if made.notes else [])]
    return "\n".join(lines).lstrip("\n") + "\n"


def on_terminal(result: ResultDict, detail: Detail = USUAL) -> None:
    """Print the table with rich, as wide as the terminal: bars, bold heads, yellow warnings and dim notes."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    signs = LINES if _encodes(console.encoding, "├─●┤┆…") else ASCII
    made = laid_out(text_table(result, detail), max(get_terminal_size().columns, 20), signs)
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
