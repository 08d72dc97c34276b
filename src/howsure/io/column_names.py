"""The usual names of columns: which column of some data has a role that nobody named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

Role = Literal["truth", "pred", "score", "outcome", "id"]

USUAL: Final[dict[Role, tuple[str, ...]]] = {
    "truth": ("truth", "y_true", "label", "target", "gold", "expected"),
    "pred": ("pred", "y_pred", "prediction", "predicted", "answer", "output"),
    "score": ("score", "prob", "y_score"),
    "outcome": ("passed", "correct", "outcome", "success"),
    "id": ("id", "item", "qid", "doc_id"),
}
SYSTEMS: Final = ("system", "model", "model_name", "provider", "provider.label", "provider.id", "run")
_BETWEEN: Final = re.compile(r"[-_\s]+")
_ID_END: Final = re.compile(r"(^|[-_\s.])(id|ids|idx|index|row|key|hash|uuid|guid)$|[a-z](Id|ID|Idx)$", re.ASCII)
_IDS: Final = frozenset(
    (
        "id", "qid", "uid", "pid", "task", "question", "problem", "prompt", "item", "query", "case", "testcase",
        "instance", "example", "doc", "document", "passage", "conversation", "dialog", "dialogue", "session", "user",
        "patient", "participant", "testidx",
    )
)  # fmt: skip


def guess(columns: Iterable[str], role: Role) -> list[str]:
    """The columns that have a usual name of a role, in their order; case, hyphens, spaces and underlines are forgiven.

    >>> guess(["ID", "Y-True", "model"], "truth"), guess(["label", "target"], "truth"), guess(["model"], "pred")
    (['Y-True'], ['label', 'target'], [])
    """
    usual = {plain_name(name) for name in USUAL[role]}
    return [column for column in dict.fromkeys(columns) if plain_name(column) in usual]


def usual_names(columns: Iterable[str]) -> list[str]:
    """The columns that have a usual name of any role, in their order: one look at each, as there may be many.

    >>> usual_names(["ID", "Y-True", "model"])
    ['ID', 'Y-True']
    """
    usual = {plain_name(name) for names in USUAL.values() for name in names}
    return [column for column in dict.fromkeys(columns) if plain_name(column) in usual]


def usual_id(columns_of_each: Sequence[Iterable[str]]) -> str | None:
    """The one column with a usual name of an id that all of several files have; None where there is none, or several.

    >>> usual_id([["id", "pred"], ["id", "passed", "item"]]), usual_id([["id"], ["item"]]), usual_id([["id", "item"]])
    ('id', None, None)
    """
    each = [guess(columns, "id") for columns in columns_of_each]
    shared = [column for column in each[0] if all(column in own for own in each[1:])] if each else []
    return shared[0] if len(shared) == 1 else None


def is_id(name: str) -> bool:
    """Whether a column has a name that units of sampling have.

    >>> is_id("task_id"), is_id("testIdx"), is_id("Question"), is_id("valid"), is_id("region")
    (True, True, True, False, False)
    """
    return plain_name(name) in _IDS or _ID_END.search(name) is not None or _ID_END.search(name.lower()) is not None


def is_system(name: str) -> bool:
    """Whether a column has a name that systems have.

    >>> is_system("provider.label"), is_system("Model"), is_system("model_a")
    (True, True, False)
    """
    return plain_name(name) in map(plain_name, SYSTEMS)


def plain_name(name: str) -> str:
    """Return a name without what is forgiven: y_true, Y-True and "y true" are one."""
    return _BETWEEN.sub("", name).lower()
