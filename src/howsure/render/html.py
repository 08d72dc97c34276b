"""HTML: a table with bars for notebooks and pages, and a page of its own for files; user text is escaped.

Colours are those around the table (currentColor), so it reads on light and on dark. Bars repeat what cells say, and are
hidden from screen readers. No script, and nothing is fetched.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Final

from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict
from howsure.render.tables import Bars, TextTable, text_table

_WIDE: Final = 160  # of a bar, in pixels
_HIGH: Final = 18
_EDGE: Final = 5  # room for a point at an end of the scale
_LETTER: Final = 8  # as wide as a digit of the scale may be
STYLE: Final = (
    ".howsure{overflow-x:auto}"
    ".howsure table{border-collapse:collapse;margin:0 0 .5em;font-variant-numeric:tabular-nums}"
    ".howsure caption{text-align:left;font-weight:bold;padding:.3em .6em;color:inherit}"
    "div.howsure tr>*{text-align:right;padding:.2em .6em;white-space:nowrap}"
    "div.howsure tr>.l{text-align:left;white-space:normal;overflow-wrap:break-word;max-width:16em}"
    ".howsure caption small{display:block;font-weight:normal;opacity:.75}"
    ".howsure tbody th{font-weight:normal}"
    "div.howsure thead tr>*{border-bottom:1px solid;vertical-align:bottom}"
    ".howsure svg{display:block;fill:none;stroke:currentColor;stroke-width:1.5}"
    ".howsure circle,.howsure text{fill:currentColor;stroke:none;font-size:13px}"
    ".howsure .r{stroke-dasharray:3;stroke-width:1;opacity:.6}"
    ".howsure ul{margin:0;padding-left:1.6em;max-width:60em}"
)
_PAGE: Final = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
    "<title>{title}</title>\n<style>body{{margin:1.5em;font:.9em/1.4 system-ui,sans-serif}}</style>\n{table}"
)


def render(result: ResultDict, detail: Detail = USUAL) -> str:
    """A table with a caption, column heads, row heads and bars, and its notes as a list; a part of a page."""
    return _part(text_table(result, detail))


def page(result: ResultDict, detail: Detail = USUAL) -> str:
    """The same as a page of its own, in the light or dark colours of the reader."""
    t = text_table(result, detail)
    return _PAGE.format(title=escape(f"howsure: {t.headline}"), table=_part(t))


def _part(t: TextTable) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in t.notes)
    tail = f"<ul>{notes}</ul>\n" if notes else ""
    return f'<div class="howsure">\n<style>{STYLE}</style>\n{bare(t)}{tail}</div>\n'


def bare(t: TextTable) -> str:
    """The table alone, without style and notes, for a page that has both."""
    if t.lead is not None:
        first = bare(replace(t.lead, headline=t.headline, about=t.about))
        return first + bare(replace(t, headline="Each class", about="", lead=None))
    head = "".join(f'<th scope="col"{_side(r)}>{escape(c)}</th>' for c, r in zip(t.titles, t.right, strict=True))
    body = "\n".join(_row(row, t.right, _bar(t.bars, i)) for i, row in enumerate(t.rows))
    about = f"<small>{escape(t.about)}</small>" if t.about else ""
    caption = f"<caption>{escape(t.headline)}{about}</caption>\n" if t.headline else ""
    return f"<table>\n{caption}<thead><tr>{head}{_scale(t.bars)}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"


def _row(row: tuple[str, ...], right: tuple[bool, ...], bar: str) -> str:
    first, *rest = row
    cells = "".join(f"<td{_side(r)}>{escape(x)}</td>" for x, r in zip(rest, right[1:], strict=True))
    return f'<tr><th scope="row"{_side(right[0])}>{escape(first)}</th>{cells}{bar}</tr>'


def _side(right: bool) -> str:
    return "" if right else ' class="l"'


def _scale(bars: Bars | None) -> str:
    """The ends of the scale over their places, and the reference where there is room."""
    if bars is None:
        return ""
    low, high = f"{bars.low:.6g}", f"{bars.high:.6g}"
    texts = [f'<text x="0" y="13">{low}</text>', f'<text x="{_WIDE}" y="13" text-anchor="end">{high}</text>']
    if bars.reference is not None:
        label, at = f"{bars.reference:.6g}", _place(bars, bars.reference)
        half = _LETTER * (len(label) + 1) / 2
        if at - half > _LETTER * len(low) and at + half < _WIDE - _LETTER * len(high):
            texts.insert(1, f'<text x="{at:g}" y="13" text-anchor="middle">{label}</text>')
    return f'<td aria-hidden="true">{_drawing(" ".join(texts))}</td>'


def _bar(bars: Bars | None, row: int) -> str:
    """The interval, its point and the reference of a row."""
    if bars is None:
        return ""
    span, middle = bars.spans[row], _HIGH // 2
    drawn = "" if bars.reference is None else f'<path class="r" d="M{_place(bars, bars.reference):g} 0v{_HIGH}"/>'
    if span is not None:
        low, high = _place(bars, span[0]), _place(bars, span[2])
        drawn += f'<path d="M{low:g} {middle - 4}v8m0-4H{high:g}m0-4v8"/>'
        if span[1] is not None:
            drawn += f'<circle cx="{_place(bars, span[1]):g}" cy="{middle}" r="3.5"/>'
    return f'<td aria-hidden="true">{_drawing(drawn)}</td>'


def _drawing(inside: str) -> str:
    return f'<svg width="{_WIDE}" height="{_HIGH}">{inside}</svg>' if inside else ""


def _place(bars: Bars, x: float) -> float:
    return round(_EDGE + bars.share(x) * (_WIDE - 2 * _EDGE), 1)


def escaped(character: str) -> str:
    """Return a character that an output lacks as a reference."""
    return f"&#{ord(character)};"
