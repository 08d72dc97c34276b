"""What a document says, as the one sentence that stands above everything on the page."""

from __future__ import annotations

from typing import Any

from howsure.render import findings

Document = dict[str, Any]


def of(document: Document) -> str:
    """The finding of a document of any command.

    >>> of({"schema": "howsure.solve/2", "why": "exactly one table has these digits."})
    'Exactly one table has these digits.'
    """
    rows = document.get("rows") or [{}]
    said = document.get("verdict") or document.get("why") or rows[0].get("verdict")
    if said is None:
        said = findings.of_row(rows[0], document["level"]) if rows[0].get("low") is not None else ""
    said = str(said).strip().rstrip(".")
    return f"{said[:1].upper()}{said[1:]}." if said else ""
