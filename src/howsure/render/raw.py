"""JSON and CSV: full precision, no NaN and no Infinity."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from howsure.render.harmless import field, json_escaped


def json_text(document: dict[str, Any]) -> str:
    """The document itself, texts as they are."""
    return json_escaped(json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2)) + "\n"


def csv_text(document: dict[str, Any]) -> str:
    """One line a row; nested parts become columns joined by a dot. Texts are such that no spreadsheet computes them."""
    rows = [flat(row) for row in document["rows"] or _answer(document)]
    names = list(dict.fromkeys(k for row in rows for k in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(field, names))
    writer.writerows([_cell(row.get(k)) for k in names] for row in rows)
    return out.getvalue()


def _answer(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What a document without rows has found, where it says so."""
    return [{k: document[k] for k in ("status", "why")}] if "status" in document else []


def _cell(value: Any) -> Any:
    return field(value) if isinstance(value, str) else "" if value is None else value


def flat(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """A row without nesting: keys joined by a dot, lists by blanks."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out |= flat(value, f"{prefix}{key}.")
        elif isinstance(value, (list, tuple)):
            out[prefix + key] = " ".join(str(x) for x in value)
        else:
            out[prefix + key] = value
    return out
