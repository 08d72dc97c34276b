"""Tables as text for a terminal of any width."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from shutil import get_terminal_size
from typing import Final

from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict, TableColumn
from howsure.render.tables import ASCII, LINES, WARNED, Signs, TextTable, text_table

# -- layout
#
# A table in a given width. The bar leaves first; then heads wrap at blanks, names are shortened, and columns leave in
# a stated order. If what has to stay is still too wide, each row becomes a block of lines.

SHORTEST_BAR: Final = 12
LONGEST_BAR: Final = 40
_GAP: Final = 2
_TIE: Final = "\0"  # stands for a blank while lines are made; no text that is shown holds it
_FEWEST: Final = 12  # characters of a name that is shortened beside other columns
_LEAST: Final = 5  # and of one that has the width to itself
STATUS: Final = {"pass": "green", "fail": "red", "inconclusive": "yellow"}
Spans = tuple[tuple[int, int, str], ...]  # from, to, style


@dataclass(frozen=True)
class Page:
    """Lines by their parts."""

    headline: tuple[str, ...]
    about: tuple[str, ...]
    table: tuple[tuple[str, str, Spans], ...]  # each line with its style, and parts of it with theirs
    notes: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """All of them as text."""
        rest = ["", *self.notes] if self.notes else []
        return [*self.headline, *self.about, "", *(x for x, _, _ in self.table), *rest]


def laid_out(t: TextTable, width: int, signs: Signs | None = LINES) -> Page:
    """The table in so many columns of text; without signs there is no bar."""
    lines: list[tuple[str, str, Spans]] = []
    gone: list[str] = []
    for part in (t.lead, t):
        if part is not None:
            made, left = _table(part, width, signs)
            lines += [("", "", ()), *made] if lines else made
            gone += [x for x in left if x not in gone]
    notes = [*t.notes, *([f"columns hidden to fit: {', '.join(gone)}; use a wider terminal"] if gone else [])]
    return Page(
        tuple(_wrapped(t.headline, width)),
        tuple(_wrapped(t.about, width)),
        tuple(lines),
        tuple(line for x in notes for line in _wrapped(f"- {x}", width, "  ")),
    )


def _table(t: TextTable, width: int, signs: Signs | None) -> tuple[list[tuple[str, str, Spans]], list[str]]:
    """The lines of a table, and the titles of the columns that left."""
    t = _aligned(t)
    dots = "~" if signs is None else signs.dots
    barred = signs is not None and t.bars is not None
    for wrapped in (False, True):
        room = width - _width(t, wrapped)
        if room >= (_GAP + SHORTEST_BAR if barred else 0):
            return _lines(t, wrapped, signs, min(room - _GAP, LONGEST_BAR) if barred else 0), []
    if _width(t, False) <= width:
        return _lines(t, False, signs, 0), []
    gone: list[str] = []
    for column in (None, *_leaving(t)):
        if column is not None:
            gone.append(column.title)
            t = _without(t, column)
        short = _shortened(t, width, dots)
        if short is not None:
            return _lines(short, True, signs, 0), gone
    return _stacked(t, width, dots), gone


def _lines(t: TextTable, wrapped: bool, signs: Signs | None, bar: int) -> list[tuple[str, str, Spans]]:
    sizes = _sizes(t, wrapped)
    heads = [(_wrapped(c, size) if wrapped else [c]) or [""] for c, size in zip(t.titles, sizes, strict=True)]
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
    return [
        *((x, "bold", ()) for x in head),
        *((x.rstrip(), "", _coloured(t, row, sizes)) for x, row in zip(body, t.rows, strict=True)),
    ]


def _coloured(t: TextTable, row: Sequence[str], sizes: Sequence[int]) -> Spans:
    """The places of a line that have a colour: what passes and what fails."""
    starts = [0, *accumulate(size + _GAP for size in sizes)]
    return tuple(
        (starts[i], starts[i] + len(row[i]), STATUS[row[i]])
        for i, c in enumerate(t.columns) if c.key == "status" and row[i] in STATUS
    )  # fmt: skip


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines that end at blanks; a word that is longer stays whole."""
    kept = text.replace(" = ", f"{_TIE}={_TIE}")  # "P(> 0.7) = 0.93" stays on one line
    lines = textwrap.wrap(kept, max(width, 1), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def _joined(line: str, room: int, bar: str) -> str:
    return line + " " * (room - cells(line) + _GAP) + bar


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


# -- alignment


_PARTS: Final = r"(?:(?P<first>[^\[\]]*) )?\[(?P<low>[^\[\],]+), (?P<high>[^\[\],]+)\]"
_FRACTION: Final = r"(\.\d+|\d)$"


def _aligned(t: TextTable) -> TextTable:
    """Numbers with their decimal points below each other; of intervals both ends."""
    columns = [_points([row[i] for row in t.rows], c) for i, c in enumerate(t.columns)]
    return replace(t, rows=tuple(zip(*columns, strict=True))) if t.rows else t


def _points(texts: list[str], column: TableColumn) -> list[str]:
    if not column.right:
        return texts
    found = [re.fullmatch(_PARTS, x) for x in texts]
    if not any(found):
        return decimals(texts)
    keys = ("first", "low", "high")
    first, low, high = (iter(_even(decimals([m[k] or "" for m in found if m is not None]))) for k in keys)
    made = []
    for m, text in zip(found, texts, strict=True):
        said = text if m is None else f"{next(first)} [{next(low)}, {next(high)}]".removeprefix(" ")
        made.append(said)
    return made


def decimals(texts: Sequence[str]) -> list[str]:
    """Texts of numbers that end so far from the right that their decimal points are below each other.

    >>> decimals(["0.969", "27.3", "12", "undefined"])
    ['0.969', '27.3  ', '12    ', 'undefined']
    """
    ends = [re.search(_FRACTION, x) for x in texts]
    tails = [None if m is None else len(m[1]) if m[1][0] == "." else 0 for m in ends]
    most = max((x for x in tails if x is not None), default=0)
    return [text if tail is None else text + " " * (most - tail) for text, tail in zip(texts, tails, strict=True)]


def _even(texts: Sequence[str]) -> list[str]:
    size = max(map(cells, texts), default=0)
    return [" " * (size - cells(x)) + x for x in texts]


# -- names


def _shortened(t: TextTable, width: int, dots: str) -> TextTable | None:
    """The same with names that fit, different names for different things; None if they would be too short to read."""
    over = _width(t, True) - width
    if over <= 0:
        return t
    stripped = _renamed(t, shorter(t.names, 10**6, dots) or {})
    for size in range(max((cells(x) for x in _names(stripped)), default=0), _FEWEST - 1, -1):
        made = _names_cut(stripped, size, dots)
        if made is not None and _width(made, True) <= width:
            return made
    return None


def _names(t: TextTable) -> set[str]:
    own = {row[i] for row in t.rows for i, c in enumerate(t.columns) if not c.right}
    return own | {word for c in t.columns for word in c.title.split()}


def _names_cut(t: TextTable, size: int, dots: str) -> TextTable | None:
    """Names of at most so many characters in columns of words and in heads; None if two would be the same."""
    rows = [list(row) for row in t.rows]
    for i, column in enumerate(t.columns):
        if column.right or not rows:
            continue
        short = shorter({row[i]: None for row in t.rows}, size, dots)
        if short is None:
            return None
        for row in rows:
            row[i] = short[row[i]]
    titles = [" ".join(cut(word, size, dots) for word in c.title.split()) for c in t.columns]
    if len(set(titles)) < len({c.title for c in t.columns}):
        return None
    columns = tuple(replace(c, title=title) for c, title in zip(t.columns, titles, strict=True))
    return replace(t, columns=columns, rows=tuple(map(tuple, rows)))


def _renamed(t: TextTable, short: Mapping[str, str]) -> TextTable:
    """Systems by other names, in cells and in heads."""
    if all(a == b for a, b in short.items()):
        return t
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(x)}(?!\w)" for x in sorted(short, key=len, reverse=True)))
    rows = tuple(tuple(short.get(x, x) for x in row) for row in t.rows)
    columns = tuple(replace(c, title=pattern.sub(lambda m: short[m[0]], c.title)) for c in t.columns)
    return replace(t, columns=columns, rows=rows)


def shorter(names: Iterable[str], size: int, dots: str) -> dict[str, str] | None:
    """Names without the beginning that they share, then without their middle; None if two would be the same.

    >>> shorter(["model_small", "model_large"], 20, "~")
    {'model_small': 'small', 'model_large': 'large'}
    >>> shorter(["a-name-that-is-long", "another"], 9, "~")
    {'a-name-that-is-long': 'a-na~long', 'another': 'another'}
    """
    every = list(names)
    own = [x for x in every if x != "all"]  # of all items, beside slices
    low, high = min(own, default=""), max(own, default="")  # what these share is shared by all
    alike = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    shared = re.match(r".*[-_/.: ]", low[:alike]) if len(own) > 1 else None
    begin = len(shared[0]) if shared is not None and all(len(x) > len(shared[0]) for x in own) else 0
    made = {x: cut(x if x == "all" else x[begin:], size, dots) for x in every}
    return made if len(set(made.values())) == len(every) else None


def cut(text: str, size: int, dots: str) -> str:
    """A text with its middle left out."""
    if cells(text) <= size:
        return text
    keep = size - 1
    return text[: (keep + 1) // 2] + dots + text[len(text) - keep // 2 :]


def _stacked(t: TextTable, width: int, dots: str) -> list[tuple[str, str, Spans]]:
    """Each row as a block: its names, and below them a line for each number."""
    t = _renamed(t, shorter(t.names, 10**6, dots) or {})
    room = max(cells(c.title) for c in t.columns)
    most = max((cells(row[i].strip()) for row in t.rows for i, c in enumerate(t.columns) if c.right), default=0)
    room = max(min(room, width - most - 2 * _GAP), _LEAST)
    lines: list[tuple[str, str, Spans]] = []
    for row in t.rows:
        words = [x for x, right in zip(row, t.right, strict=True) if not right and x]
        lines += [("", "", ())] if lines else []
        lines += [(x, "bold", ()) for x in _wrapped(", ".join(words), width)]
        for title, text, right in zip(t.titles, row, t.right, strict=True):
            if right and text.strip():
                *first, last = [cut(x, room, dots) for x in _wrapped(title, room)]
                lines += [(f"  {x}", "", ()) for x in first]
                lines.append((f"  {last}{' ' * (room - cells(last) + _GAP)}{text.strip()}", "", ()))
    return lines


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
    lines = [t.headline, *([t.about] if t.about else [])]
    for part in (t.lead, t):
        if part is None:
            continue
        part = _aligned(part)
        sizes = _sizes(part, False)
        rule = "  ".join("-" * w for w in sizes)
        head, *body = (_line(row, part.right, sizes).rstrip() for row in (part.titles, *part.rows))
        lines += ["", head, rule, *body]
    lines += ["", *(f"- {note}" for note in t.notes)] if t.notes else []
    return "\n".join(lines) + "\n"


def fitted(result: ResultDict, width: int, detail: Detail = USUAL, signs: Signs | None = None) -> str:
    """The table in so many columns of text; with bars where there are signs for them."""
    return "\n".join(laid_out(text_table(result, detail), width, signs).lines).lstrip("\n") + "\n"


def on_terminal(result: ResultDict, detail: Detail = USUAL) -> None:
    """Print the table with rich, as wide as the terminal: bars, bold heads, coloured verdicts, dim notes."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    signs = LINES if _encodes(console.encoding, "├─●┤┆…") else ASCII
    made = laid_out(text_table(result, detail), max(get_terminal_size().columns, 20), signs)

    def line(text: str, style: str, spans: Spans = ()) -> None:
        shown = Text(text, style=style)
        for start, end, colour in spans:
            shown.stylize(colour, start, end)
        console.print(shown, no_wrap=True, overflow="ignore", crop=False)

    status = str(result.get("status") or "")
    colour = STATUS.get(status, "") if made.headline and made.headline[0].lower().startswith(f"{status}:") else ""
    for i, said in enumerate(made.headline):
        line(said, "bold", ((0, len(status), colour),) if colour and i == 0 else ())
    for said in made.about:
        line(said, "dim")
    for said, style, spans in (("", "", ()), *made.table, *((("", "", ()),) if made.notes else ())):
        line(said, style, spans)
    style = "dim"
    for said in made.notes:
        if said.startswith("- "):
            style = "yellow" if said.startswith(f"- {WARNED}") else "dim"
        line(said, style)


def _encodes(encoding: str, characters: str) -> bool:
    try:
        characters.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
