"""Chart: a specification with its texts; the style, marks and panels that charts share."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Final

from howsure import atomic
from howsure.errors import BadSetting, UnknownName
from howsure.messages.user_text import visible
from howsure.render.formats import PICTURES

# -- style
#
# One style for all charts: colours that colour-blind readers tell apart, sizes, and what Vega-Lite is told once.

INK: Final = "#1f2328"
MUTED: Final = "#59636e"
RULE: Final = "#d1d9e0"
PAPER: Final = "#ffffff"
# After Okabe and Ito (2008), the ones that stand out on white and, lightened, on black.
BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
GREEN: Final = "#00795c"
PURPLE: Final = "#a63d7a"
BROWN: Final = "#8a5a00"
PALETTE: Final = (BLUE, ORANGE, GREEN, PURPLE, BROWN, INK)
DASHES: Final = ((), (6, 3), (2, 2), (8, 3, 2, 3), (10, 4), (4, 2))  # lines differ by more than their colour
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")  # and points by their shape
# On dark paper a rule of CSS puts these in the place of the colours above: attributes give way to rules.
DARK: Final = {
    INK: "#e6edf3", MUTED: "#9ea7b3", RULE: "#3d444d", PAPER: "#0d1117",
    BLUE: "#58b4f0", ORANGE: "#ff9e57", GREEN: "#3fc79a", PURPLE: "#e08fc0", BROWN: "#d9a54a",
}  # fmt: skip

WIDTH: Final = 520
NARROW: Final = 300  # of a plot on a phone
HEIGHT: Final = 220
FONT: Final = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"


def config() -> dict[str, Any]:
    """What every specification says of its looks."""
    return {
        "background": "transparent",
        # Texts at either side are measured with one font and shown in another, which may be wider.
        "padding": {"left": 12, "top": 5, "right": 24, "bottom": 5},
        "font": FONT,
        "view": {"stroke": None},
        "title": {"anchor": "start", "color": INK, "fontSize": 14, "subtitleColor": MUTED, "subtitleFontSize": 12,
                  "subtitlePadding": 4, "subtitleLineHeight": 16, "offset": 14, "frame": "bounds"},
        "axis": {"labelColor": MUTED, "titleColor": INK, "domainColor": MUTED, "tickColor": MUTED, "gridColor": RULE,
                 "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelOverlap": "greedy",
                 "labelSeparation": 5},
        "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12,
                   "titleFontWeight": "normal", "labelLimit": 260},
        "text": {"color": INK, "fontSize": 12},
        "header": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12},
        "range": {"category": list(PALETTE)},
    }  # fmt: skip


def dark_rules(scope: str = "") -> str:
    """Rules of CSS that give charts within a scope the colours of dark paper."""
    pairs = [(name, light, dark) for light, dark in DARK.items() for name in ("fill", "stroke")]
    return "".join(f'{scope} [{name}="{light}"]{{{name}:{dark}}}' for name, light, dark in pairs)


# -- marks
#
# Parts of specifications that charts are made of: axes, lines, filled bands, points and words.

Spec = dict[str, Any]
FEW_TICKS: Final = 6
_MOST_LETTERS: Final = 200  # of a label: Vega measures a long one letter by letter to cut it


def rows(**columns: Iterable[Any]) -> Spec:
    """Columns of one length as the data of a part; numbers that are not finite are left open."""
    names = tuple(columns)
    made = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns.values(), strict=True)]
    return {"values": made}


def _plain(x: Any) -> Any:
    """A number of Python, or a text that obeys nothing; what is no number (NaN, infinity) is null."""
    if isinstance(x, str):
        shown = visible(x)
        return shown if len(shown) <= _MOST_LETTERS else f"{shown[:_MOST_LETTERS]}…"
    if isinstance(x, bool) or x is None:
        return x
    number = float(x)
    return number if number - number == 0 else None


def axis(
    title: str | None, *, low: float | None = None, high: float | None = None, log: bool = False, **more: Any
) -> Spec:
    """A quantitative place on an axis; `low` and `high` are its ends."""
    scale: Spec = {"nice": False, "type": "log"} if log else {"zero": False, "nice": False}
    if log:
        more = {"values": _round(low, high), "format": ",~g"} | more if low and high else more
    if low is not None and high is not None:
        scale["domain"] = [low, high]
    own: Spec = {"title": None if title is None else visible(title), "grid": False, "tickCount": FEW_TICKS} | more
    if own["title"] is not None and len(own["title"]) > 60:
        own["title"] = own["title"][:59] + "\N{HORIZONTAL ELLIPSIS}"
    return {"type": "quantitative", "scale": scale, "axis": own}


def _round(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between two numbers; of a wide span the powers alone, or every few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, (last - first) // 8)
    digits = tuple(range(1, 10)) if high / low < 12 else (1, 2, 5) if last - first <= 3 else (1,)
    found = [d * 10.0**k for k in range(first, last + 1, every) for d in digits]
    return [float(f"{x:.12g}") for x in found if low <= x <= high]


def at(field: str, place: Mapping[str, Any]) -> Spec:
    """A field on that place."""
    return {"field": field, **place}


def part(data: Spec, mark: str, encoding: Spec, **look: Any) -> Spec:
    """One layer: marks of a kind at the places of the data."""
    return {"data": data, "mark": {"type": mark} | look, "encoding": encoding}


def rule(data: Spec, encoding: Spec, *, color: str = INK, width: float = 1.5, dash: tuple[int, ...] = ()) -> Spec:
    """Straight lines."""
    return part(data, "rule", encoding, color=color, strokeWidth=width, **_dashed(dash))


def line(data: Spec, encoding: Spec, *, color: str = BLUE, width: float = 2.0, dash: tuple[int, ...] = (),
         **look: Any) -> Spec:  # fmt: skip
    """A line through the points, in their order."""
    order = {"order": {"value": 0}} if "order" not in encoding else {}
    return part(data, "line", encoding | order, color=color, strokeWidth=width, clip=True, **_dashed(dash), **look)


def points(data: Spec, encoding: Spec, *, color: str = BLUE, shape: str = "circle", size: float = 60) -> Spec:
    """Filled points."""
    return part(data, "point", encoding, filled=True, opacity=1, color=color, shape=shape, size=size)


def filled(data: Spec, encoding: Spec, *, color: str = BLUE, opacity: float = 0.18, **look: Any) -> Spec:
    """The area between y and y2, or between y and the bottom."""
    return part(data, "area", encoding, color=color, opacity=opacity, clip=True, **look)


def text(data: Spec, encoding: Spec, **look: Any) -> Spec:
    """Words at places, from the field `label`; one that is cut keeps the whole as its description."""
    said = {"text": {"field": "label", "type": "nominal"}, "description": {"field": "label", "type": "nominal"}}
    return part(data, "text", encoding | said, **({"color": INK} | look))


def shown_text(words: str, x: float, y: float, **look: Any) -> Spec:
    """Words at a place in pixels."""
    return text(rows(label=[words]), {"x": {"value": x}, "y": {"value": y}}, **look)


def _dashed(dash: tuple[int, ...]) -> Spec:
    return {"strokeDash": list(dash)} if dash else {}


# -- chart
#
# Chart: a specification with its title, its finding in words and its caption; drawn as SVG, PNG, PDF or HTML.

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
_VERSION: Final = "6.4"  # of Vega-Lite, as vl-convert knows it
_LETTER: Final = 6.3  # about as wide as a letter of 12 pixels is
_SCALE: Final = 2.0  # pixels of a PNG to those of the specification


@dataclass(frozen=True, eq=False)
class Chart:
    """A picture of a result. `says` is the finding, and what a screen reader is told; `caption` is n, prior and level.

    Texts of users may stand in any of them: they are shown, never obeyed.
    """

    name: str
    title: str
    says: str
    caption: str
    body: dict[str, Any] = field(repr=False)  # the specification without title and style
    wide: float = WIDTH  # of the whole drawing in pixels, with what stands beside the plot
    narrow: dict[str, Any] | None = field(
        default=None, repr=False
    )  # the body for a phone, where words need another place

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The whole specification of Vega-Lite, with title, finding and caption; to be read: to_dict is a copy."""
        letters = int(max(self.wide, 360.0) / _LETTER)
        under = [line for text in (self.says, self.caption) for line in textwrap.wrap(_joined(visible(text)), letters)]
        title = {"text": textwrap.wrap(visible(self.title), int(letters * 0.85)), "subtitle": under}
        return self.bare | {"title": title, "background": PAPER}

    @cached_property
    def bare(self) -> dict[str, Any]:
        """The specification without its texts, for a page that has them around it."""
        return self._around(self.body)

    @property
    def bare_narrow(self) -> dict[str, Any] | None:
        """The same for a phone; None where it is enough to make the plot narrower."""
        return None if self.narrow is None else self._around(self.narrow)

    def _around(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"$schema": SCHEMA, "description": visible(self.says), "config": config()} | body

    def to_dict(self) -> dict[str, Any]:
        """The specification, to be changed at will."""
        return copy.deepcopy(self.spec)

    def to_svg(self, *, bare: bool = False) -> str:
        """The drawing as SVG; `bare` is without title, finding and caption, and without paper behind it."""
        made: str = _converter().vegalite_to_svg(self.bare if bare else self.spec, vl_version=_VERSION)
        # A picture has a role and a name; what Vega says of its parts would be read out one by one.
        named = made.replace("<svg ", f'<svg role="img" aria-label="{escape(visible(self.says))}" ', 1)
        return self._own_marks(_DESCRIBED.sub(_titled, named))

    def _own_marks(self, svg: str) -> str:
        """Vega numbers what it cuts by from one drawing to the next; here by the chart, for pages that hold several."""
        own = hashlib.sha256(json.dumps(self.spec).encode()).hexdigest()[:10]
        names = {old: f"c{own}-{k}" for k, old in enumerate(dict.fromkeys(_MARKED.findall(svg)))}
        return _REFERRED.sub(lambda found: f"{found[1]}{names.get(found[2], found[2])}{found[3]}", svg)

    def to_png(self) -> bytes:
        """The drawing as PNG, two pixels for each of the specification."""
        made: bytes = _converter().vegalite_to_png(self.spec, vl_version=_VERSION, scale=_SCALE)
        return made

    def to_pdf(self) -> bytes:
        """The drawing as PDF, with text that can be searched."""
        made: bytes = _converter().vegalite_to_pdf(self.spec, vl_version=_VERSION)
        return made

    def to_html(self) -> str:
        """A page of its own: the drawing, its title, finding and caption. No script, and nothing is fetched."""
        title = escape(visible(self.title))
        return (
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n<style>{_PAGE_STYLE}@media screen and (prefers-color-scheme:dark)"
            f"{{{dark_rules('svg')}}}</style>\n<h1>{title}</h1>\n{self.figure()}"
        )

    def to_json(self) -> str:
        """The specification as text."""
        return json.dumps(self.spec, indent=1, allow_nan=False) + "\n"

    def figure(self) -> str:
        """The drawing with its finding and caption, as a part of a page."""
        texts = "".join(f"<p>{escape(visible(x))}</p>" for x in (self.says, self.caption) if x)
        return f'<figure class="chart">{self.to_svg(bare=True)}<figcaption>{texts}</figcaption></figure>\n'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all: .svg, .png, .pdf, .html, or .json for the specification."""
        made = self.as_file(path)
        with atomic.whole(path) as place:
            place.write_bytes(made)

    def as_file(self, path: str | os.PathLike[str]) -> bytes:
        """What a file of that name holds."""
        return self.written(suffix_of(path).removeprefix("."))

    def written(self, form: str) -> bytes:
        """The drawing in one of the formats of charts: svg, png, ..."""
        made: str | bytes = getattr(self, f"to_{form}")()
        return made.encode() if isinstance(made, str) else made

    def to_altair(self) -> Any:
        """The same as a chart of altair, to be changed or combined with others."""
        try:
            import altair
        except ImportError:
            raise _missing() from None
        return altair.Chart.from_dict(self.spec)

    def captioned(self, caption: str) -> Chart:
        """The same with another caption."""
        return replace(self, caption=caption)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: they draw the specification themselves, or show the drawing."""
        del include, exclude
        return {"application/vnd.vegalite.v6+json": self.spec, "image/svg+xml": self.to_svg(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Chart({self.name}: {visible(self.title)}; {visible(self.says)})"


_MARKED: Final = re.compile(r'<(?:clipPath|linearGradient|radialGradient|pattern) id="([^"]+)"')
_REFERRED: Final = re.compile(r'(\bid="|url\(#)([^")]+)("|\))')
# A text mark that Vega describes, and a label that it cut: the pointer shows all of it.
_DESCRIBED: Final = re.compile(r'(<text [^>]*?aria-label="([^"]*)"[^>]*>)([^<]*\u2026[^<]*)(?=</text>)')
_PHRASE: Final = re.compile(
    r"P\([^()]{1,40}\) (?:=|<|>) \S+|\S+ [=±] \S+|[\d.]+ (?:to|and) [\d.]+|\d+% [\w-]+ intervals?"
)


def _titled(found: re.Match[str]) -> str:
    opened, full, shown = found.groups()
    return f"{opened}<title>{full}</title>{shown}"


def _joined(text: str) -> str:
    """Phrases that no line breaks: P(above 0.8) = 0.098, n = 300."""
    return _PHRASE.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


_PAGE_STYLE: Final = (
    "body{margin:1.5em auto;max-width:60em;padding:0 1em;font:1em/1.5 system-ui,sans-serif}"
    "h1{font-size:1.3em}figure{margin:0}svg{max-width:100%;height:auto}figcaption p{margin:.3em 0}"
)


def suffix_of(path: str | os.PathLike[str], called: str = "a chart") -> str:
    """What a file of a chart ends in, if that is one of those there are."""
    if not isinstance(path, (str, os.PathLike)):
        raise BadSetting(f"a file is named by text or a path; got {path!r}.")
    suffix = Path(path).suffix.lower()
    known = [f".{name}" for name in PICTURES]
    if suffix not in known:
        *first, last = known
        raise UnknownName(f"{called} is written as {', '.join(first)} or {last}; got {os.fspath(path)!r}.")
    return suffix


def installed() -> bool:
    """Whether the extra that draws charts is installed."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("vl_convert", "jinja2"))


def check_installed() -> None:
    """Refuse where it is not, before any work is done."""
    if not installed():
        raise _missing()


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise _missing() from None
    return vl_convert


def _missing() -> BadSetting:
    return BadSetting("drawing charts needs vl-convert-python and altair: pip install 'howsure[charts]'.")


# -- panels
#
# Panels: charts one under another, or side by side, as one.


def panels(charts: Sequence[Chart], *, name: str, title: str, says: str, caption: str, across: bool = False) -> Chart:
    """Each chart with its own title as a heading; the finding and the caption are of the whole."""
    look = {"fontSize": 12, "fontWeight": "normal", "frame": "group"}
    parts = [
        chart.body | ({} if chart.title == title else {"title": {"text": visible(chart.title)} | look})
        for chart in charts
    ]
    wide = sum(c.wide + 30 for c in charts) if across else max(c.wide for c in charts)
    return Chart(name, title, says, caption, {"hconcat" if across else "vconcat": parts, "spacing": 22}, wide)
