"""Kinds: which charts a document has. A document says by its schema what it is; what draws it is named here once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from howsure.charts.chart import Chart

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]  # what a document does not hold, by name: points of laws and lines
Drawn = dict[str, Callable[[], Chart]]

SCHEMAS: Final = {  # the document -> the module that draws it, and the function there
    "score": ("scores", "score"),
    "compare": ("systems", "compare"),
    "leaderboard": ("systems", "leaderboard"),
    "trec": ("systems", "evaluation"),
    "folds": ("systems", "folds"),
    "curve": ("thresholds", "curve"),
    "band": ("thresholds", "band"),
    "threshold": ("thresholds", "choice"),
    "gate": ("decisions", "gate"),
    "plan": ("decisions", "plan"),
    "forecast": ("decisions", "forecast"),
    "solve": ("tables", "solve"),
    "association": ("tables", "association"),
    "identities": ("tables", "identities"),
    "tradeoff": ("relations", "tradeoff"),
    "mixture": ("relations", "mixture"),
    "surface": ("relations", "surface"),
    "eleven-point": ("relations", "eleven_point"),
}


def drawn(document: Document, outlines: Outlines) -> Drawn:
    """The charts of a document by name, the most telling first; none where its kind has none."""
    kind = str(document.get("schema") or "").removeprefix("howsure.").partition("/")[0]
    if kind not in SCHEMAS:
        return {}
    module, function = SCHEMAS[kind]
    made: Drawn = getattr(import_module(f"howsure.charts.{module}"), function)(document, outlines)
    return made
