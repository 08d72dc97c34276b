"""The frame that every document shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from howsure.notes import WARNING, Note, note

MISSING: Final = "missing-dropped"


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
    account: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A document: null where a thing does not apply; notes in words, in the reader's language, warnings first.

    The account of rows is part of the data, and a note where some were left out: one for all that were missing.
    """
    from howsure.version import VERSION

    if account is not None:
        data = {**(data or {}), "rows": account}
        told = MISSING if "missing" in account["left_out"] else None  # by one note for all
        notes = [*(n for n in notes if n.code != told), *_left_out(account)]
    return {
        "schema": schema,
        "version": VERSION,
        "prior": prior,
        "level": level,
        "interval": interval,
        "seed": seed,
        "data": data,
        "rows": rows,
        "notes": [n.document for n in sorted(notes, key=lambda n: n.level != WARNING)],
    }


def _left_out(account: Mapping[str, Any]) -> list[Note]:
    """One note on the rows that were left out, if any were."""
    lost = account["left_out"]
    if not lost:
        return []
    code = MISSING if "missing" in lost else "rows-left-out"
    facts = {"read": account["read"], "kept": account["kept"], "where": tuple(account.get("where", ()))}
    return [note(code, form="rows", lost=tuple(lost.items()), **facts)]
