"""JSON and CSV: full precision, no NaN and no Infinity."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from howsure.render.harmless import field, json_escaped


def json_text(document: dict[str, Any]) -> str:
    """The document itself, texts as they are."""
    return json_escaped(json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2)) + "\n"


def csv_text(document: dict[str, Any]) -> str:
    """One line a row; nested parts become columns joined by a dot. Texts are such that no spreadsheet computes them."""
    rows = [flat(row, text=field) for row in document["rows"] or _answer(document)]
    found = list(dict.fromkeys(k for row in rows for k in row))
    names = [k for k in found if not any(x.startswith(f"{k}.") for x in found)]  # a part that some rows lack
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(field, names))
    writer.writerows(["" if row.get(k) is None else row[k] for k in names] for row in rows)
    return out.getvalue()


def _answer(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What a document without rows has found, where it says so."""
    return [{k: document[k] for k in ("status", "why")}] if "status" in document else []


def flat(row: dict[str, Any], prefix: str = "", text: Callable[[str], str] = str) -> dict[str, Any]:
    """A row without nesting: keys joined by a dot, lists by blanks; `text` changes texts, not lists of numbers."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out |= flat(value, f"{prefix}{key}.", text)
        elif isinstance(value, (list, tuple)):
            joined = " ".join(str(x) for x in value)
            out[prefix + key] = text(joined) if any(isinstance(x, str) for x in value) else joined
        else:
            out[prefix + key] = text(value) if isinstance(value, str) else value
    return out
