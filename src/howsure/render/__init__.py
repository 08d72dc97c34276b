"""Renderers: they see documents (plain dicts) only, and turn them into text, JSON, Markdown, LaTeX and CSV."""

from __future__ import annotations

from typing import Any, Final

FORMATS: Final = ("table", "json", "markdown", "latex", "csv", "html")


def render(document: dict[str, Any], kind: str) -> str:
    """A document in one of the formats, ending in a newline."""
    from howsure.render import html, latex, markdown, plain, raw

    makers = {
        "table": plain.table,
        "json": raw.json_text,
        "markdown": markdown.table,
        "latex": latex.table,
        "csv": raw.csv_text,
        "html": html.table,
    }
    return makers[kind](document)
