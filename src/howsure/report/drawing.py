"""Charts within a page: drawings whose names are their own, without what a page of several has no use for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from xml.etree import ElementTree

from howsure.charts.chart import Chart
from howsure.render.harmless import visible

_MOST: Final = 900_000  # characters of all drawings together, so that the file stays below 2 MB
_TALLEST: Final = 3600  # pixels of a chart with a line for each row: drawing more takes long, and nobody reads it
_ON_A_PHONE: Final = 420  # pixels of a drawing whose words are still read when it is as wide as a phone
_REFERENCE: Final = re.compile(r"url\(#([^)]*)\)")


@dataclass(frozen=True)
class Figure:
    """A drawing with its texts; without one, `says` tells why."""

    key: str
    title: str
    says: str
    caption: str
    svg: str


def figures(charts: Mapping[str, Chart]) -> list[Figure]:
    """All charts, as far as there is room for them."""
    made, room = [], _MOST
    for k, (name, chart) in enumerate(charts.items()):
        key = f"chart-{k + 1}"
        svg = _both(chart, key) if _height(chart.body) <= _TALLEST else ""
        if not svg or len(svg) > room:
            says = f"This chart is too long for a report: plot({name!r}).save(…) draws it alone."
            made.append(Figure(key, visible(chart.title), says, "", ""))
            continue
        room -= len(svg)
        made.append(Figure(key, visible(chart.title), visible(chart.says), visible(chart.caption), svg))
    return made


def _both(chart: Chart, key: str) -> str:
    """The drawing, and the one for phones where words need other places there; the style shows one of them."""
    if chart.narrow is None:
        return inline(chart, key)
    narrow = replace(chart, body=chart.narrow, narrow=None)
    return _named(inline(chart, key), "usual") + _named(inline(narrow, f"{key}-narrow"), "narrow")


def _named(svg: str, kind: str) -> str:
    return svg.replace('class="drawing', f'class="drawing {kind}', 1)


def _height(body: Mapping[str, Any]) -> float:
    """How high a chart is in pixels; panels are one under another, or side by side."""
    under = sum(_height(part) for part in body.get("vconcat") or ())
    beside = max((_height(part) for part in body.get("hconcat") or ()), default=0.0)
    own = body.get("height")
    return max(under, beside, float(own) if isinstance(own, int | float) else 0.0)


def inline(chart: Chart, key: str) -> str:
    """The drawing as an element of a page.

    Vega numbers what is cut out over all drawings of a process: here these names are those of the chart, so that two
    charts do not share one, and the same chart is the same text each time. What it says of its parts is left out: the
    picture has one name, and the table says the rest.
    """
    root = ElementTree.fromstring(chart.to_svg(bare=True))
    names = {x.attrib["id"]: f"{key}-{i}" for i, x in enumerate(x for x in root.iter() if "id" in x.attrib)}
    for part in root.iter():
        part.tag = _local(part.tag)
        for name, value in list(part.attrib.items()):
            if part is not root and (name == "role" or name.startswith("aria-")):
                del part.attrib[name]
            elif name == "id":
                part.attrib[name] = names[value]
            elif "url(#" in value:
                part.attrib[name] = _REFERENCE.sub(lambda m: f"url(#{names.get(m[1], m[1])})", value)
    root.attrib.pop("version", None)
    fits = float(root.attrib.get("width") or 0.0) <= _ON_A_PHONE
    root.attrib["class"] = "drawing fits" if fits else "drawing"  # what does not, scrolls there
    return ElementTree.tostring(root, encoding="unicode")


def _local(tag: str) -> str:
    """A name without its namespace, which a page of HTML knows by itself."""
    return tag.rpartition("}")[2]
