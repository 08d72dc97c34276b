"""Chart: a specification with its title, its finding in words and its caption; drawn as SVG, PNG, PDF or HTML."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Final

from howsure import atomic
from howsure.charts import style
from howsure.errors import BadSetting, UnknownName
from howsure.render.harmless import visible

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
    wide: float = style.WIDTH  # of the whole drawing in pixels, with what stands beside the plot
    narrow: dict[str, Any] | None = field(
        default=None, repr=False
    )  # the body for a phone, where words need another place

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The whole specification of Vega-Lite, with title, finding and caption; to be read: to_dict is a copy."""
        letters = int(max(self.wide, 360.0) / _LETTER)
        under = [line for text in (self.says, self.caption) for line in textwrap.wrap(_joined(visible(text)), letters)]
        title = {"text": textwrap.wrap(visible(self.title), int(letters * 0.85)), "subtitle": under}
        return self.bare | {"title": title, "background": style.PAPER}

    @cached_property
    def bare(self) -> dict[str, Any]:
        """The specification without its texts, for a page that has them around it."""
        return self._around(self.body)

    @property
    def bare_narrow(self) -> dict[str, Any] | None:
        """The same for a phone; None where it is enough to make the plot narrower."""
        return None if self.narrow is None else self._around(self.narrow)

    def _around(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"$schema": SCHEMA, "description": visible(self.says), "config": style.config()} | body

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
            f"{{{style.dark_rules('svg')}}}</style>\n<h1>{title}</h1>\n{self.figure()}"
        )

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
        made = SUFFIXES[suffix_of(path)](self)
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

SUFFIXES: Final[dict[str, Callable[[Chart], str | bytes]]] = {
    ".svg": Chart.to_svg,
    ".png": Chart.to_png,
    ".pdf": Chart.to_pdf,
    ".html": Chart.to_html,
    ".json": lambda chart: json.dumps(chart.spec, indent=1, allow_nan=False) + "\n",
}


def suffix_of(path: str | os.PathLike[str], called: str = "a chart") -> str:
    """What a file of a chart ends in, if that is one of those there are."""
    if not isinstance(path, (str, os.PathLike)):
        raise BadSetting(f"a file is named by text or a path; got {path!r}.")
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        *first, last = SUFFIXES
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
