"""The frame that every document shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howsure.distribution import Note
from howsure.version import VERSION


def envelope(
    schema: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    prior: Mapping[str, Any] | None = None,
    level: float | None = None,
    interval: str | None = None,
    seed: int | None = None,
    data: Mapping[str, Any] | None = None,
    notes: Iterable[Note] = (),
) -> dict[str, Any]:
    """A document with the keys that all have; None where a thing does not apply.

    >>> sorted(envelope("howsure.surface/1", []))
    ['data', 'interval', 'level', 'notes', 'prior', 'rows', 'schema', 'seed', 'version']
    """
    return {
        "schema": schema,
        "version": VERSION,
        "prior": prior,
        "level": level,
        "interval": interval,
        "seed": seed,
        "data": data,
        "rows": rows,
        "notes": [{"code": note.code, "text": note.text} for note in notes],
    }
