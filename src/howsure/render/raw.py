"""JSON and CSV: full precision, no NaN and no Infinity."""

from __future__ import annotations

import csv
import io
import json
from typing import Any


def json_text(document: dict[str, Any]) -> str:
    """The document itself."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2) + "\n"


def csv_text(document: dict[str, Any]) -> str:
    """One line a row; nested parts become columns joined by a dot."""
    rows = [flat(row) for row in document["rows"]]
    names = list(dict.fromkeys(k for row in rows for k in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
    return out.getvalue()


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
