"""The items as one page of its own: every figure drawn again beside its verdict, and a table of all items."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import Any, Final

from howsure.charts import chart as style
from howsure.charts.chart import check_installed
from howsure.messages.user_text import visible
from howsure.papers.figures import drawn
from howsure.papers.item import AGREES, HOLDS, MEANINGS, SAMPLING

_GOOD: Final = (AGREES, HOLDS, SAMPLING)
_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1f2328;--muted:#59636e;--rule:#d1d9e0;--paper:#fff;--good:#00795c;--other:#8a5a00}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6edf3;--muted:#9ea7b3;--rule:#3d444d;--paper:#0d1117;
--good:#3fc79a;--other:#d9a54a}}
body{margin:2em auto;max-width:72em;padding:0 1em;font:1em/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
h1{font-size:1.6em}h2{font-size:1.25em;border-top:1px solid var(--rule);padding-top:1em;margin-top:2em}h3{font-size:1em}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(31em,100%),1fr));gap:1.5em}
article{border:1px solid var(--rule);border-radius:6px;padding:.5em 1em;break-inside:avoid;overflow:hidden}
figure{margin:0}svg{max-width:100%;height:auto}figcaption,dl,.muted{color:var(--muted);font-size:.9em}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em .8em;margin:.4em 0}dd{margin:0}
.verdict{font-weight:600}.good{color:var(--good)}.other{color:var(--other)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.88em}
th,td{text-align:left;vertical-align:top;padding:.3em .6em;border-bottom:1px solid var(--rule)}
td:first-child{white-space:nowrap}@media print{body{max-width:none;margin:0}article{border-color:#ccc}}
"""


def page(doc: dict[str, Any], headline: str) -> str:
    """One file that loads nothing: no script, charts as SVG in it."""
    check_installed()
    parts = [_paper(name, list(rows)) for name, rows in groupby(doc["rows"], key=lambda row: row["paper"])]
    terms = "".join(f"<dt>{escape(v)}</dt><dd>{escape(text)}</dd>" for v, text in MEANINGS.items())
    dark = f"@media screen and (prefers-color-scheme:dark){{{style.dark_rules('svg')}}}"
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>The papers, computed again</title>\n<style>{_STYLE}{dark}</style>\n<main>\n"
        f"<h1>The papers, computed again</h1>\n<p>{_safe(headline)}</p>\n<dl>{terms}</dl>\n{''.join(parts)}"
        f'<p class="muted">howsure {_safe(doc["version"])}: howsure papers --out papers.html</p>\n</main>\n</html>\n'
    )


def _paper(name: str, rows: list[dict[str, Any]]) -> str:
    figures = "".join(_figure(row) for row in rows)
    lines = "".join(_line(row) for row in rows)
    head = "".join(f'<th scope="col">{x}</th>' for x in ("item", "where", "what", "printed", "howsure", "verdict"))
    shown = f'<div class="figures">{figures}</div>\n' if figures else ""
    table = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>\n'
    return f"<h2>{_safe(name)}</h2>\n{shown}<h3>All items</h3>\n{table}"


def _figure(row: dict[str, Any]) -> str:
    """A figure of the paper with what is printed, and the verdict on it."""
    charts = drawn(row)
    if not charts:
        return ""
    facts = [("printed", _safe(row["printed"])), ("verdict", _verdict(row["verdict"]))]
    facts += [("note", _safe(row["note"]))] if row["note"] else []
    told = "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in facts)
    title = _safe(f"{row['where']}: {row['title']}")
    shown = "".join(chart.figure() for chart in charts)
    return f'<article id="{_safe(row["id"])}"><h3>{title}</h3>{shown}<dl>{told}</dl></article>\n'


def _line(row: dict[str, Any]) -> str:
    cells = [_safe(row[k]) for k in ("id", "where", "title", "printed", "computed")] + [_verdict(row["verdict"])]
    return f"<tr>{''.join(f'<td>{x}</td>' for x in cells)}</tr>\n"


def _verdict(verdict: str) -> str:
    kind = "good" if verdict in _GOOD else "other"
    return f'<span class="verdict {kind}">{_safe(verdict)}</span>'


def _safe(text: Any) -> str:
    return escape(visible(str(text)))
