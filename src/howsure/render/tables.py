"""From a document to the table that text, Markdown and LaTeX share: a headline, columns, rows and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from howsure.render.bars import Bars, bars_of
from howsure.render.harmless import visible
from howsure.render.numbers import count, probability, short, size
from howsure.render.shown import columns_of
from howsure.render.view import USUAL, USUAL_PRIORS, Detail, check, in_words


@dataclass(frozen=True)
class TextTable:
    """Texts only; `right` marks the columns that hold numbers."""

    headline: str
    columns: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    keys: tuple[str, ...] = ()  # of the columns, where they have names
    bars: Bars | None = None  # of the rows, for whoever draws them


_PAGES = {  # documents whose tables are made elsewhere
    "solve": ("relations", "solution"),
    "identities": ("relations", "identities"),
    "tradeoff": ("relations", "tradeoff"),
    "mixture": ("relations", "mixture"),
    "surface": ("surfaces", "surface"),
    "eleven-point": ("surfaces", "eleven_point"),
    "plan": ("plans", "plan"),
}


def from_document(document: dict[str, Any], view: Detail = USUAL) -> TextTable:
    """The table of any howsure document that has rows."""
    rows = document["rows"]
    kind = document["schema"].partition(".")[2].partition("/")[0]
    if kind in _PAGES:
        module, function = _PAGES[kind]
        made: TextTable = getattr(import_module(f"howsure.render.{module}"), function)(document)
        return made
    every = columns_of(document, rows)
    check(view, [c.key for c in every if c.more], [c.key for c in every if not c.more])
    columns = [c for c in every if not c.more or view.wants(c.key)]
    return TextTable(
        visible(headline(document, view)),
        tuple(visible(c.title) for c in columns),
        tuple(c.right for c in columns),
        _with_gaps(document, tuple(tuple(visible(c.cell(row)) for c in columns) for row in rows)),
        tuple(map(visible, view.notes(document))),
        tuple(c.key for c in columns),
        _barred(document, rows),
    )


def page(
    headline: str, columns: Sequence[str], named: int, rows: Iterable[Sequence[str]], notes: Iterable[str]
) -> TextTable:
    """A table of clean texts: the first columns, as many as are `named`, hold words, the others numbers."""
    right = tuple(i >= named for i in range(len(columns)))
    body = tuple(tuple(visible(x) for x in row) for row in rows)
    return TextTable(visible(headline), tuple(map(visible, columns)), right, body, tuple(map(visible, notes)))


def texts(document: dict[str, Any]) -> list[str]:
    """The notes of a document, in words."""
    return in_words(document["notes"])


def _with_gaps(document: dict[str, Any], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A line between the ends of a long list that says how many are hidden there."""
    hidden = document.get("hidden")
    if not hidden:
        return rows
    at, more = hidden["row"], f"… {count(hidden['tables'])} more …"
    return (*rows[:at], (more, *[""] * (len(rows[0]) - 1)), *rows[at:])


def _barred(document: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Bars | None:
    """The bars of the rows, and none on the line that says how many rows are hidden."""
    bars, hidden = bars_of(document, rows), document.get("hidden")
    if bars is None or not hidden:
        return bars
    at = hidden["row"]
    return replace(bars, spans=(*bars.spans[:at], None, *bars.spans[at:]))


def headline(document: dict[str, Any], view: Detail = USUAL) -> str:
    """What was scored, in one line."""
    data = document["data"]
    rows = document["rows"]
    parts = []
    if "verdict" in (rows[0] if rows else ()) and len(rows) == 1:
        parts.append(rows[0]["verdict"])
    elif "verdict" in (rows[0] if rows else ()) and not document.get("verdict"):
        measures = {row["metric"] for row in rows}
        parts.append(" against ".join(data["systems"]) + (f" on {measures.pop()}" if len(measures) == 1 else ""))
    if document.get("verdict"):
        parts.append(document["verdict"])
    if data.get("folds"):
        parts.append(
            f"on the same {count(data['folds'])} folds, {100 * data['test_share']:.3g}% of the data tested in each"
        )
    elif data.get("paired"):
        parts.append(f"on the same {count(data['clusters'])} clusters" if data.get("clusters") else "on the same items")
    elif data.get("paired") is False and not parts:
        parts.append("on different items")
    parts += _size(document)
    if data.get("cells"):
        parts.append(", ".join(f"{k} {count(v)}" for k, v in data["cells"].items()))
    if data.get("positive") not in (None, 1) and not data.get("outcome"):
        parts.append(f"positive {data['positive']}")
    if data.get("prevalence"):
        parts.append(_target(data["prevalence"]))
    return "; ".join([*parts, *_settings(document, view)])


def in_parts(document: dict[str, Any]) -> str:
    """In how many slices or tables the items are, or at how many thresholds they were cut; nothing of one table."""
    many = document["data"].get("tables") or 1
    if many < 2:
        return ""
    rows = document["rows"]
    if any(row.get("overall") is not None for row in rows):
        return f" in {count(many)} slices"
    cut = {tuple(row.get("slice") or ()) for row in rows} == {("threshold",)}
    return f" at {count(many)} thresholds" if cut else f" in {count(many)} tables"


def _size(document: dict[str, Any]) -> list[str]:
    """How many items there are, or what they weigh."""
    data = document["data"]
    n = data.get("n")
    if n is None or (data.get("paired") and n == data.get("clusters")):  # clusters of one value each stand above
        return []
    return [size(data, in_parts(document))]


def _target(told: dict[str, Any]) -> str:
    """The share of positives that the numbers are for."""
    if told["form"] == "counted":
        return f"for prevalence as in {count(told['positives'])} of {count(told['items'])}"
    known = told["form"] == "fixed"
    return f"for prevalence {told['share']:g}" if known else f"for prevalence {told['low']:g} to {told['high']:g}"


def _settings(document: dict[str, Any], view: Detail) -> list[str]:
    """Chi-square and prior, where they are asked for; a prior that is not the usual one always."""
    parts = []
    test, prior = document["data"].get("chi_square"), document.get("prior")
    if view.verbose and test and test["value"] is not None:
        parts.append(f"chi-square {short(test['value'])} (p {probability(test['p'])})")
    if prior is not None and (view.verbose or prior["name"] not in USUAL_PRIORS):
        parts.append(f"prior {prior['name']}")
    return parts
