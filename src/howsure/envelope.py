"""The frame that every document shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howsure.notes import Note


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
    """A document: null where a thing does not apply; notes in words, in the reader's language."""
    from howsure.version import VERSION

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
