"""CSV: one line per row in full precision; no text is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from howsure import duck
from howsure.messages.user_text import field
from howsure.render.kinds import ResultDict


def render(result: ResultDict) -> str:
    """Return one line per row; nested parts become columns joined by a dot."""
    rows = [flat(row, text=field) for row in result["rows"] or _answer(result)]
    found = list(dict.fromkeys(k for row in rows for k in row))
    names = [k for k in found if not any(x.startswith(f"{k}.") for x in found)]  # a part that some rows lack
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(field, names))
    writer.writerows(["" if row.get(k) is None else row[k] for k in names] for row in rows)
    return out.getvalue()


def _answer(result: ResultDict) -> list[dict[str, Any]]:
    """Return what a result dict without rows says, if it does."""
    return [{k: result[k] for k in ("status", "why")}] if "status" in result else []


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


def write(columns: Mapping[str, Any], path: Path) -> None:
    """Write arrays of one length, by name, with a head line."""
    duck.copy({field(name): _guarded(values) for name, values in columns.items()}, path, "FORMAT csv, HEADER")


def _guarded(values: Any) -> Any:
    """Return the same values without formulas; of texts, each distinct one is checked once."""
    if values.dtype != object:
        return values
    texts = {x: field(x) for x in set(values.tolist()) if isinstance(x, str)}
    out = values.copy()
    out[:] = [texts.get(x, x) for x in values.tolist()]
    return out
