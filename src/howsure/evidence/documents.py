"""Evidence of patterns as JSON documents: labels, axes and counts, so that shards travel between programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

import numpy as np

from howsure.errors import BadLabels
from howsure.evidence.patterns import Patterns
from howsure.evidence.slices import Slices
from howsure.messages.notes import Note

SCHEMA: Final = "howsure.tally/1"


def document(
    t: Patterns,
    cells: Any,
    *,
    labels: Sequence[Any],
    positive: Any = None,
    outcome: bool = False,
    sets: list[list[int]] | None = None,
    fixed: bool = True,
    chosen: bool = False,
    independent: bool = False,
) -> dict[str, Any]:
    """Patterns with what their kind knows of them; cells have the truth first."""
    return {
        "schema": SCHEMA,
        "labels": [label_out(x) for x in labels],
        "positive": label_out(positive),
        "systems": list(t.systems),
        "outcome": outcome,
        "fixed": fixed,
        "chosen": chosen,
        "batch": [_axis_out(name, axis) for name, axis in t.batch],
        "cells": cells.tolist(),
        "counts": t.counts.tolist(),
        "squares": None if t.squares is None else t.squares.tolist(),
        "notes": [[n.code, n.text, dict(n.facts)] for n in t.notes],
        "sets": sets,
        "independent": independent,
        "rows": None if t.account is None else t.account.document(),
    }


def note_in(x: Sequence[Any]) -> Note:
    """The note of a piece of JSON: its facts, or its text where that is all there is."""
    facts = x[2] if len(x) > 2 else {"text": x[1]}
    return Note(x[0], tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in facts.items())))


def text(document: dict[str, Any]) -> str:
    """A document as JSON."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def label_out(x: Any) -> Any:
    """A label as JSON; dates carry their type.

    >>> label_out("spam"), label_out(date(2024, 5, 1))
    ('spam', {'date': '2024-05-01'})
    """
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float) and np.isfinite(x):
        return x
    if isinstance(x, datetime):
        return {"datetime": x.isoformat()}
    if isinstance(x, date):
        return {"date": x.isoformat()}
    raise BadLabels(f"a label of type {type(x).__name__} cannot be written as JSON; use text or numbers as labels.")


def label_in(x: Any) -> Any:
    """The label of a piece of JSON."""
    if not isinstance(x, dict):
        return x
    if "datetime" in x:
        return datetime.fromisoformat(x["datetime"])
    return date.fromisoformat(x["date"])


def _axis_out(name: str, axis: Sequence[Any]) -> dict[str, Any]:
    """A batch axis as JSON; slices keep their codes."""
    if not isinstance(axis, Slices):
        return {"name": name, "values": [label_out(x) for x in axis]}
    levels = [[label_out(x) for x in level] for level in axis.levels]
    return {"name": name, "columns": list(axis.columns), "levels": levels, "codes": axis.codes.T.tolist()}


def axis_in(x: dict[str, Any]) -> tuple[str, Sequence[Any]]:
    """The axis of a piece of JSON."""
    if "values" in x:
        return x["name"], tuple(label_in(v) for v in x["values"])
    levels = tuple(tuple(label_in(v) for v in level) for level in x["levels"])
    codes = np.ascontiguousarray(np.array(x["codes"], dtype=np.int64).reshape(len(levels), -1).T)
    return x["name"], Slices(tuple(x["columns"]), levels, codes)
