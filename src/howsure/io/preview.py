"""A look at a file before it is counted: its columns, their first values, and what the command would take for what."""

from __future__ import annotations

from typing import Any, Final

from howsure.errors import BadSetting
from howsure.io.first_rows import Head
from howsure.io.paths import source_of
from howsure.io.request import Wanted
from howsure.io.roles import completed, head_of, recognised, suggested, uses_of

_ROLES: Final = ("pred", "outcome", "value", "score")
_WANTED: Final = Wanted("score", cuts=True)
_EXAMPLES: Final = 5
_LONGEST: Final = 60


def preview(path: str) -> dict[str, Any]:
    """The columns of a file, with what each may be; `clear` says whether names alone tell what is meant."""
    with source_of(path, {}) as source:
        head = head_of(source)
        message = None
        try:
            guessed, _ = completed({}, _ROLES, [source], _WANTED)
        except BadSetting as refused:
            guessed = {} if recognised(head.values) else suggested(head, {}, _ROLES, _WANTED)
            message = refused.message.split(" Columns:")[0].rstrip(".") + "."
    uses = uses_of(head, _ROLES, guessed.get("truth"), _WANTED)
    return {
        "file": path,
        "columns": [_column(head, name, uses.get(name, [])) for name in head.values],
        "guessed": {role: x for role, x in guessed.items() if x != "COLUMN"},
        "clear": message is None,
        "message": message,
    }


def _column(head: Head, name: str, uses: list[str]) -> dict[str, Any]:
    known = head.known(name)
    shown = list(dict.fromkeys(str(x)[:_LONGEST] for x in known))
    return {
        "name": name,
        "kind": head.kind(name),
        "examples": shown[:_EXAMPLES],
        "values": len(shown),
        "uses": uses,
    }
