"""The list of measures, or one of them in full, as text, JSON or Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import Any, Final

from howsure.render import json, markdown

SUBJECTS: Final = {  # what a measure is of
    "table": "a 2x2 table",
    "rate": "passes and fails",
    "classes": "many classes",
    "sets": "items with several labels",
    "scores": "scores",
    "samples": "several samples per question",
    "runs": "runs of search engines",
}
_WHERE: Final = {
    "sets": "howsure score --sep",
    "scores": "howsure curve",
    "samples": "howsure score --cluster",
    "runs": "howsure trec",
}
_NARROWEST: Final = 30  # columns for a meaning


def document(metrics: Iterable[Any], full: bool) -> dict[str, Any]:
    """What is known of each measure, read off its declaration."""
    rows = [
        {
            "metric": str(m),
            "of": m.subject,
            "formula": m.text,
            "latex": m.latex,
            "range": [None if abs(x) == float("inf") else x for x in m.bounds],
            "better": m.better,
            "undefined": m.undefined,
            "needs_positive": m.needs_positive,
            "aliases": list(m.aliases),
            "meaning": m.meaning,
            "source": m.source,
            "route": m.route,
            "route_of_label_sets": getattr(m, "route_of_label_sets", None),
        }
        for m in metrics
    ]
    return {"schema": "howsure.metrics/1", "full": full, "rows": rows, "notes": []}


def render(doc: dict[str, Any], kind: str, width: int = 100) -> str:
    """The document in one of its formats; a list of text in so many columns."""
    return FORMATS[kind](doc, width)


def _json(doc: dict[str, Any], _width: int) -> str:
    return json.render({k: v for k, v in doc.items() if k != "full"})


def _text(doc: dict[str, Any], width: int) -> str:
    return "\n".join(_one(row) for row in doc["rows"]) if doc["full"] else _list(doc["rows"], width)


def _markdown(doc: dict[str, Any], _width: int) -> str:
    columns = ("metric", "formula", "range", "better", "route", "meaning", "also called")
    head = "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns)
    rows = ["| " + " | ".join(markdown.escape(x) for x in _cells(row)) + " |" for row in doc["rows"]]
    return "\n".join([head, *rows]) + "\n"


def _cells(r: dict[str, Any]) -> tuple[str, ...]:
    return (
        r["metric"],
        r["formula"] or "",
        span(r["range"]),
        r["better"] or "-",
        posterior(r),
        r["meaning"],
        ", ".join(r["aliases"]),
    )


def _list(rows: list[dict[str, Any]], width: int) -> str:
    """Names, ranges and meanings by what the measures are of; a long meaning goes on below."""
    named, ranged = (
        max(len(x) for x in column) for column in zip(*((r["metric"], span(r["range"])) for r in rows), strict=True)
    )
    lines = [f"{len(rows)} measures; formula, synonyms and source of one: howsure metrics NAME"]
    for subject in SUBJECTS:
        found = [r for r in rows if r["of"] == subject]
        lines += ["", f"of {_titled(subject)}"] if found else []
        for r in found:
            begin = f"  {r['metric']:{named}}  {span(r['range']):{ranged}}  "
            if width - len(begin) < _NARROWEST:
                lines.append(begin.rstrip())
                begin = " " * 4
            lines += _wrapped(r["meaning"], width, begin)
    return "\n".join(lines) + "\n"


def _wrapped(text: str, width: int, begin: str) -> list[str]:
    later = " " * len(begin)
    return textwrap.wrap(
        text, width, initial_indent=begin, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def _titled(subject: str) -> str:
    """What a measure is of, and where that is told."""
    return f"{SUBJECTS[subject]} ({_WHERE[subject]})" if subject in _WHERE else SUBJECTS[subject]


def span(ends: list[float | None]) -> str:
    """The range: 0 to 1, -inf to inf."""
    low, high = ends
    return f"{'-inf' if low is None else f'{low:g}'} to {'inf' if high is None else f'{high:g}'}"


def posterior(row: dict[str, Any]) -> str:
    """The route, and that of items with several labels where it is another."""
    sets = row["route_of_label_sets"]
    return (
        str(row["route"])
        if sets in (None, row["route"])
        else f"{row['route']} ({sets} where items have several labels)"
    )


def positive(row: dict[str, Any]) -> str:
    """Whether a positive class is needed, and why not."""
    if row["needs_positive"]:
        return "needed"
    return "not needed: the same for both classes" if row["of"] == "table" else "not needed"


def _one(row: dict[str, Any]) -> str:
    facts = [
        ("of", _titled(row["of"])),
        ("formula", row["formula"]),
        ("LaTeX", row["latex"]),
        ("range", f"{span(row['range'])}; {row['better'] or 'neither direction'} is better"),
        ("no value if" if row["of"] == "runs" else "divides by 0 if", row["undefined"]),
        ("positive class", positive(row)),
        ("posterior", posterior(row)),
        ("also called", ", ".join(row["aliases"]) or "-"),
        ("source", row["source"]),
    ]
    lines = [f"{row['metric']}: {row['meaning']}", *(f"  {name:15} {told}" for name, told in facts if told is not None)]
    return "\n".join(lines) + "\n"


FORMATS: Final[dict[str, Callable[[dict[str, Any], int], str]]] = {
    "table": _text, "json": _json, "markdown": _markdown,
}  # fmt: skip
