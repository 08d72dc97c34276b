"""The page: a document, its charts, its measures and its other priors, put into the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from howsure.charts import style
from howsure.charts.chart import Chart
from howsure.expressions import Expression
from howsure.render import findings, html
from howsure.render.harmless import visible
from howsure.render.numbers import count
from howsure.render.tables import TextTable, from_document, page
from howsure.render.view import TECHNICAL, Detail, in_words
from howsure.report.assumptions import assumptions
from howsure.report.drawing import figures
from howsure.report.formulas import mathml
from howsure.report.opening import answers, title
from howsure.report.remaking import remade, versions

Document = dict[str, Any]
_BLANKS: Final[dict[str, Any]] = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
_MOST_ROWS: Final = 400  # of a table; longer ones keep their first and last
_MOST_FORMULAS: Final = 40
_CELLS: Final = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Parts:
    """What a report shows beside its document."""

    charts: Mapping[str, Chart]
    measures: Sequence[Any] = ()  # with better, meaning, source, and a formula or a text
    priors: Sequence[Document] = ()  # rows of the headline under other priors, each with its `prior`
    typed: Mapping[str, Any] | None = None  # settings for a command that are not in the document; None: there is none


def report(document: Document, parts: Parts, view: Detail) -> str:
    """One file of HTML: text of users is escaped by the template, and nothing is fetched."""
    directions = {str(m): getattr(m, "better", None) for m in parts.measures}
    return str(
        _template().render(
            title=visible(title(document)),
            answers=[(q, [visible(x) for x in said]) for q, said in answers(document, directions)],
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
            remade=_visible(remade(document, parts.typed)),
            versions=versions(str(document.get("version") or "")),
            schema=document["schema"],
            style=_style(),
        )
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
    dark = f"@media screen and (prefers-color-scheme:dark){{{style.dark_rules('.drawing')}}}"
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
    return _shortened(replace(from_document(document, view), notes=()))


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
    return html.bare(page("The most frequent mistakes", columns, 2, rows, ()))


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
    return html.bare(page(told, ("prior", "score", "median", f"{level} interval"), 1, made, ()))


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
