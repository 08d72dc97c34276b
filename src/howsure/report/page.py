"""The report: one HTML page with answers, charts, formulas and how to reproduce them."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from howsure.catalogue.expressions import CELLS, OVER_CLASSES, OVER_ITEMS, Expression
from howsure.charts import chart
from howsure.charts.chart import Chart
from howsure.errors import hidden
from howsure.messages.language import Typed
from howsure.messages.numbers import count
from howsure.messages.user_text import visible
from howsure.render import findings, html
from howsure.render.columns import texts_columns
from howsure.render.formats import Detail
from howsure.render.tables import TECHNICAL, TextTable, in_words, safe_table, text_table
from howsure.report.assumptions import assumptions
from howsure.report.opening import answers, title

# -- drawing
#
# Charts within a page: drawings whose names are their own, without what a page of several has no use for.

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
    for k, (name, drawn) in enumerate(charts.items()):
        key = f"chart-{k + 1}"
        svg = _both(drawn, key) if _height(drawn.body) <= _TALLEST else ""
        if not svg or len(svg) > room:
            says = f"This chart is too long for a report: plot({name!r}).save(…) draws it alone."
            made.append(Figure(key, visible(drawn.title), says, "", ""))
            continue
        room -= len(svg)
        made.append(Figure(key, visible(drawn.title), visible(drawn.says), visible(drawn.caption), svg))
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


# -- formulas
#
# Formulas as MathML, which browsers set without a script, and as plain text for those that do not.

_WIDE: Final = 40  # letters of a formula that may be wider than a phone
_BINDS: Final = {"+": 1, "-": 1, "*": 2, "^": 4}
_SIGNS: Final = {"+": "+", "-": "−", "*": "·"}


def mathml(e: Expression, text: str) -> str:
    """A formula as a block of MathML; `text` is what it says where nothing is drawn."""
    reach = ' tabindex="0"' if len(text) > _WIDE else ""  # on a phone it scrolls, which keys must be able to do
    return f'<math display="block" aria-label="{escape(visible(text))}"{reach}>{_row(_part(e))}</math>'


def _part(e: Expression, outer: int = 0, right: bool = False) -> str:
    if e.op == "cell":
        name = str(e.value).upper() if e.value in CELLS else str(e.value)
        return f'<mi mathvariant="normal">{escape(name)}</mi>'
    if e.op == "number":
        return _number(e.value, outer)
    if e.op == "/":
        made = f"<mfrac>{_row(_part(e.args[0]))}{_row(_part(e.args[1]))}</mfrac>"
        return _fenced(made) if outer >= _BINDS["^"] else made
    if e.op == "sqrt":  # without a font for mathematics browsers draw no sign for <msqrt>
        return f'<mo stretchy="false">√</mo>{_fenced(_part(e.args[0]))}'
    if e.op in (*OVER_CLASSES, OVER_ITEMS):
        return _over_several(e)
    if e.op == "log" or e.function is not None:
        name = "log" if e.function is None else e.function.name
        return f"<mi>{escape(visible(name))}</mi>{_fenced('<mo>,</mo>'.join(_part(x) for x in e.args))}"
    if e.op == "^":
        return f"<msup>{_row(_part(e.args[0], 5))}{_row(_part(e.args[1]))}</msup>"
    own = _BINDS[e.op]
    if e.op == "*" and e.args[0].value == -1:
        made = f"<mo>−</mo>{_part(e.args[1], 3)}"
        return _fenced(made) if outer else made
    made = f"{_part(e.args[0], own)}<mo>{_SIGNS[e.op]}</mo>{_part(e.args[1], own, e.op == '-')}"
    return _fenced(made) if own < outer or (right and own == outer) else made


def _over_several(e: Expression) -> str:
    """A sum or a mean over classes, or over items; the mean of defined ones divides by how many these are."""
    many = {"total": "", "mean": "K", "mean of defined": "K′", OVER_ITEMS: "n"}[e.op]
    share = f"<mfrac><mn>1</mn><mi>{many}</mi></mfrac>" if many else ""
    return f"{share}<munder><mo>∑</mo><mi>{'i' if e.op == OVER_ITEMS else 'k'}</mi></munder>{_fenced(_part(e.args[0]))}"


def _number(value: Fraction | str, outer: int) -> str:
    value = Fraction(value)
    if value.denominator == 1:
        made = f"<mn>{abs(value.numerator)}</mn>"
    else:
        size, short = abs(value), repr(abs(float(value)))
        exact = "e" not in short and Fraction(short) == size
        made = f"<mn>{short}</mn>" if exact else f"<mfrac><mn>{size.numerator}</mn><mn>{size.denominator}</mn></mfrac>"
    return made if value >= 0 else _fenced(f"<mo>−</mo>{made}") if outer else f"<mo>−</mo>{made}"


def _row(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"


def _fenced(inside: str) -> str:
    return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"


# -- remaking
#
# How to make a report again: the command as it was typed, or one that gives the same numbers.

Document = dict[str, Any]
_PARTS: Final = ("numpy", "scipy", "altair", "vl-convert-python", "jinja2")
_CELLS: Final = ("tp", "fp", "fn", "tn")
_LINE: Final = 80  # characters of a command before it goes on below


@dataclass(frozen=True)
class Remade:
    """A command, if there is one, and what is to be said of it."""

    command: str | None
    says: str


def remade(command: Sequence[str] | None, typed: Typed | None = None) -> Remade:
    """Return the command as it was typed; from Python one that gives the same numbers, if there is one."""
    if typed is not None:
        said = "In the folder that it was run in, with the same files, this makes the same report."
        again = hidden(_joined(["howsure", *typed.words]))
        if "***" in again:
            said += " Passwords are left out."
        return Remade(again, said)
    if command is not None:
        return Remade(_joined(command), "It was made in Python; this command gives the same numbers from the counts.")
    return Remade(
        None,
        "It was made in Python: the same data, call, seed and versions give the same report, by"
        ' result.save("report.html").',
    )


def _joined(words: Sequence[str]) -> str:
    """Words for a shell; a long command goes on after a backslash, before an option."""
    lines = [""]
    for word in words:
        quoted = shlex.quote(word)
        if len(lines[-1]) + len(quoted) > _LINE and word.startswith("-"):
            lines[-1] += " \\"
            lines.append(f"    {quoted}")
        else:
            lines[-1] += f" {quoted}" if lines[-1] else quoted
    return "\n".join(lines)


def versions(own: str) -> list[tuple[str, str]]:
    """What computed and drew it, each with its version."""
    return [("howsure", own), ("Python", platform.python_version()), *((x, v) for x in _PARTS if (v := _version(x)))]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# -- page
#
# The page: a document, its charts, its measures and its other priors, put into the template.

_BLANKS: Final[dict[str, Any]] = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
_MOST_ROWS: Final = 400  # of a table; longer ones keep their first and last
_MOST_FORMULAS: Final = 40
_PIXELS: Final = 420  # of the bar beneath the heading


@dataclass(frozen=True)
class Parts:
    """What a report shows beside its document."""

    charts: Mapping[str, Chart]
    measures: Sequence[Any] = ()  # with better, meaning, source, and a formula or a text
    priors: Sequence[Document] = ()  # rows of the headline under other priors, each with its `prior`
    command: Sequence[str] | None = None  # that gives the same numbers, if one does


def report(document: Document, parts: Parts, view: Detail) -> str:
    """One file of HTML: text of users is escaped by the template, and nothing is fetched."""
    files = () if view.typed is None else tuple(Path(x).name or x for x in view.typed.files)
    told = text_table(document, view)
    directions = {str(m): getattr(m, "better", None) for m in parts.measures}
    return str(
        _template().render(
            title=visible(title(document)),
            finding=told.headline or visible(title(document)),
            bar=_bar(document),
            answers=[(q, [visible(x) for x in said]) for q, said in answers(document, directions, files)],
            caption=visible(findings.caption(document)),
            figures=figures(parts.charts),
            table=html.bare(_table(document, view)),
            notes=_notes(document, technical=False),
            remarks=_notes(document, technical=True),
            matrix=_matrix(document),
            confusions=_confusions(document),
            priors=_priors(document, parts.priors),
            assumptions=assumptions(document, parts.measures),
            formulas=_formulas(parts.measures),
            routes=_routes(document),
            remade=_visible(remade(parts.command, view.typed)),
            versions=versions(str(document.get("version") or "")),
            schema=document["schema"],
            style=_style(),
        )
    )


def _bar(document: Document) -> str:
    """The score that matters most as a number, with its interval on the scale from 0 to 1; nothing of other scales."""
    rows = findings.headlines(document) if document["rows"] and "asked" in document["rows"][0] else []
    if len(rows) != 1 or rows[0].get("range") != [0.0, 1.0] or None in (rows[0].get("low"), rows[0].get("high")):
        return ""
    row = rows[0]
    low, high = (_PIXELS * row[k] for k in ("low", "high"))
    point = ""
    if row["score"] is not None:
        point = f'<circle cx="{_PIXELS * row["score"]:.1f}" cy="10" r="6" fill="{chart.BLUE}"/>'
    return (
        f'<p><strong class="large">{escape(findings.score_of(row))}</strong></p>'
        f'<svg class="interval" viewBox="-8 0 {_PIXELS + 16} 38" aria-hidden="true">'
        f'<line x1="0" y1="10" x2="{_PIXELS}" y2="10" stroke="{chart.RULE}" stroke-width="3"/>'
        f'<line x1="{low:.1f}" y1="10" x2="{high:.1f}" y2="10" stroke="{chart.BLUE}" stroke-width="7"/>{point}'
        f'<text x="0" y="34" fill="{chart.MUTED}" font-size="13">0</text>'
        f'<text x="{_PIXELS}" y="34" fill="{chart.MUTED}" font-size="13" text-anchor="end">1</text></svg>'
    )


@cache
def _template() -> Any:
    """Every text is escaped, unless the template says that it is ours; a name that is not given is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, **_BLANKS)
    return made.get_template("template.html")


@cache
def _style() -> str:
    own = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    dark = f"@media screen and (prefers-color-scheme:dark){{{chart.dark_rules('svg')}}}"
    return own + html.STYLE + "\n" + dark


def _visible(made: Any) -> Any:
    lines = None if made.command is None else "\n".join(visible(x) for x in made.command.split("\n"))
    return replace(made, command=lines)


def _notes(document: Document, technical: bool) -> list[str]:
    """Notes that change how to read the numbers, or those on how they were found."""
    own = [n for n in document.get("notes") or () if (n["code"] in TECHNICAL) is technical]
    return [visible(text) for text in in_words(own)]


def _table(document: Document, view: Detail) -> TextTable:
    """The table of the document; of thousands of rows the first and the last. Notes have a place of their own."""
    return _shortened(replace(text_table(document, view), notes=()))


def _shortened(t: TextTable) -> TextTable:
    if len(t.rows) <= _MOST_ROWS:
        return t
    half = _MOST_ROWS // 2
    gap = (f"… {count(len(t.rows) - _MOST_ROWS)} more rows …", *[""] * (len(t.columns) - 1))
    bars = t.bars
    if bars is not None:
        bars = replace(bars, spans=(*bars.spans[:half], None, *bars.spans[-half:]))
    return replace(t, rows=(*t.rows[:half], gap, *t.rows[-half:]), bars=bars)


def _matrix(document: Document) -> Document | None:
    """The four cells with their sums, under the names of the classes."""
    data = document.get("data") or {}
    cells = data.get("cells") or {}
    if set(cells) != set(_CELLS):
        return None
    positive = data.get("positive")
    others = [x for x in data.get("labels") or () if x != positive]
    if positive in (None, 1):
        yes, no = "positive", "negative"
    else:
        yes, no = visible(str(positive)), visible(str(others[0])) if len(others) == 1 else "another"
    tp, fp, fn, tn = (cells[x] for x in _CELLS)
    rows = [(yes, tp, fn, tp + fn), (no, fp, tn, fp + tn), ("all", tp + fp, fn + tn, tp + fp + fn + tn)]
    return {"yes": yes, "no": no, "rows": [(name, *map(count, numbers)) for name, *numbers in rows]}


def _confusions(document: Document) -> str:
    """The most frequent mistakes of many classes."""
    found = (document.get("confusions") or ())[:_MOST_FORMULAS]
    if not found:
        return ""
    level = findings.percent(document["level"])
    rows = [(str(x["truth"]), str(x["answer"]), count(x["count"]), count(x["of"]), findings.span(x)) for x in found]
    columns = ("truth", "answer", "times", "of", f"{level} interval of the share")
    return html.bare(safe_table("The most frequent mistakes", texts_columns(columns, 2), rows))


def _priors(document: Document, rows: Sequence[Document]) -> str:
    """The headline under other priors."""
    if len(rows) < 2:
        return ""
    level = findings.percent(document["level"])
    own = (document.get("prior") or {}).get("name")
    made = [
        (str(row["prior"]) + (" (used here)" if row["prior"] == own else ""),
         findings.score_of(row), findings.score_of(row | {"score": row["median"]}), findings.span(row))
        for row in rows
    ]  # fmt: skip
    told = f"{findings.named(rows[0])} under other priors"
    return html.bare(safe_table(told, texts_columns(("prior", "score", "median", f"{level} interval"), 1), made))


def _formulas(measures: Sequence[Any]) -> list[dict[str, str]]:
    """Each measure once, without its class, with what it means and its formula."""
    found: dict[str, dict[str, str]] = {}
    for m in measures:
        base = m.without_label() if hasattr(m, "without_label") and getattr(m, "label", None) is not None else m
        name = str(base)
        if name in found or len(found) >= _MOST_FORMULAS:
            continue
        formula, text = getattr(base, "shown", None), str(getattr(base, "text", "") or "")
        drawn = mathml(formula, f"{name} = {text}") if isinstance(formula, Expression) else ""
        said = {"meaning": getattr(base, "meaning", ""), "source": getattr(base, "source", "")}
        found[name] = {"name": visible(name), "text": visible(text), "mathml": drawn} | {
            k: visible(str(v or "")) for k, v in said.items()
        }
    return list(found.values())


_ROUTES: Final = {
    "closed form": "in closed form, by incomplete beta functions",
    "quadrature": "by numerical integration with a checked error bound",
    "sampled": "from random draws with a fixed seed; digits beyond their error are not shown",
}


def _routes(document: Document) -> list[str]:
    """How the posteriors were found: one sentence for each way."""
    found: dict[str, dict[str, None]] = {}
    for row in document["rows"]:
        if isinstance(row, dict) and row.get("route"):
            name = str(row.get("asked") or row.get("metric") or "")
            found.setdefault(str(row["route"]), {})[name] = None
    return [visible(f"{_some(list(names))}: {_ROUTES.get(route, route)}.") for route, names in found.items()]


def _some(names: Sequence[str]) -> str:
    shown = [x for x in names if x][:8]
    return ", ".join(shown) + (f" and {count(len(names) - 8)} more" if len(names) > 8 else "") or "the numbers"
