"""What columns look like, by their names and first rows: usual names of roles, a kind, an example, what they may be.

Names and values are all that is asked for, so that any place where data lie can hand them over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Number
from typing import Any, Final, Literal

from howsure.io.columns import LISTS, lost
from howsure.messages.language import option
from howsure.validate import FAIL, PASS, plain_label

# -- names

Role = Literal["truth", "pred", "score", "outcome", "id"]

USUAL: Final[dict[Role, tuple[str, ...]]] = {
    "truth": ("truth", "y_true", "label", "target", "gold", "expected"),
    "pred": ("pred", "y_pred", "prediction", "predicted", "answer", "output"),
    "score": ("score", "prob", "y_score"),
    "outcome": ("passed", "correct", "outcome", "success"),
    "id": ("id", "item", "qid", "doc_id"),
}
SYSTEMS: Final = ("system", "model", "model_name", "provider", "provider.label", "provider.id", "run")
_BLANKS: Final = re.compile(r"[-_\s]+")
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
    return _BLANKS.sub("", name).lower()


# -- first rows

ROWS: Final = 200  # that are looked at
MOST: Final = 20  # columns that are listed
_LONGEST: Final = 28  # signs of an example
_LARGEST: Final = 1e300  # of numbers that are added up
_BETWEEN: Final = ";|"  # labels of one cell
_LABELS: Final = ("text", "whole number", "true or false")


@dataclass(frozen=True)
class Head:
    """The first rows of columns, by name; `called` says in messages where they are, `many` how many there are.

    `sep` is the sign between the labels of one cell, if there is one.
    """

    called: str
    values: Mapping[str, Sequence[Any]]
    many: int = 0
    sep: str | None = None

    def known(self, name: str) -> list[Any]:
        """The values that are not missing."""
        return [plain_label(x) for x in self.values.get(name, ()) if not lost(x)]

    def kind(self, name: str) -> str:
        """What the values are, in a word or two."""
        return kind_of(self.known(name))

    def labels(self, name: str) -> frozenset[Any]:
        """The distinct values of a column that may hold classes: texts, whole numbers, true and false."""
        if self.kind(name) not in _LABELS:
            return frozenset()
        known = self.known(name)
        if self.sep is None or self.kind(name) != "text":
            return frozenset(known)
        return frozenset(part.strip() for x in known for part in str(x).split(self.sep) if part.strip())

    def separator(self, name: str) -> str | None:
        """The sign between the labels of a cell: many cells hold it, and the labels between occur often."""
        known = [str(x) for x in self.known(name)] if self.kind(name) == "text" else []
        for sign in _BETWEEN:
            parts = [part.strip() for x in known for part in x.split(sign)]
            if 4 * sum(sign in x for x in known) >= len(known) > 0 and 2 * len(set(parts)) <= len(parts):
                return sign
        return None

    def passes(self, name: str) -> bool:
        """Whether all values are words for a pass or a fail, such as true, 0 or yes."""
        return bool(self.known(name)) and {str(x).strip().lower() for x in self.known(name)} <= PASS | FAIL

    def fractions(self, name: str) -> bool:
        """Whether they are numbers that are not all whole."""
        return self.kind(name) == "number"

    def within_one(self, name: str) -> bool:
        """Whether all are numbers from 0 to 1."""
        return self.kind(name) in ("number", "whole number") and all(0 <= x <= 1 for x in self.known(name))

    def overlap(self, one: str, other: str) -> bool:
        """Whether the ranges of two columns of numbers overlap."""
        mine, theirs = self.known(one), self.known(other)
        return bool(mine and theirs) and max(min(mine), min(theirs)) <= min(max(mine), max(theirs))

    def once_each(self, item: str, system: str) -> bool:
        """Whether values of a column repeat, but not beside the same value of another, as ids of items do."""
        if not self.labels(item) or not self.labels(system):
            return False
        pairs = list(zip(self.values[item], self.values[system], strict=True))
        return len(set(pairs)) == len(pairs) > len(set(self.values[item]))

    def free(self, name: str) -> bool:
        """Whether these are texts that hardly occur twice: sentences rather than classes."""
        known = self.known(name)
        return self.kind(name) == "text" and len(known) >= 20 and 2 * len(set(known)) > len(known)

    def highest(self, truth: str, score: str) -> Any:
        """The class whose scores are the highest on average; None where there are no classes and scores."""
        pairs = zip(self.values.get(truth, ()), self.values.get(score, ()), strict=True)
        scores: dict[Any, list[float]] = {}
        for label, x in pairs:
            if not lost(label) and isinstance(x, (int, float, Decimal)) and -_LARGEST < x < _LARGEST:
                scores.setdefault(plain_label(label), []).append(float(x))
        return max(scores, key=lambda label: sum(scores[label]) / len(scores[label]), default=None)

    def alike(self, one: str, other: str) -> bool:
        """Whether the values of one are mostly labels of the other."""
        mine, theirs = self.labels(one), self.labels(other)
        return len(mine & theirs) > 0 and len(mine - theirs) <= len(mine & theirs)


def kind_of(known: Sequence[Any]) -> str:
    """What values are that are not missing.

    >>> kind_of([1, 0]), kind_of([0.5, 1]), kind_of(["a"]), kind_of([True]), kind_of([["a"]]), kind_of([])
    ('whole number', 'number', 'text', 'true or false', 'list', 'empty')
    >>> kind_of(["a", ["b"]])
    'mixed'
    """
    if not known:
        return "empty"
    if all(isinstance(x, bool) for x in known):
        return "true or false"
    if all(isinstance(x, int) for x in known):
        return "whole number"
    tests: tuple[tuple[str, Any], ...] = (
        ("number", Number), ("list", LISTS), ("record", Mapping), ("date", date),
    )  # fmt: skip
    found = next((name for name, own in tests if all(isinstance(x, own) for x in known)), "text")
    return "mixed" if found == "text" and any(isinstance(x, (*LISTS, Mapping)) for x in known) else found


def listed(head: Head, uses: Mapping[str, Sequence[str]]) -> str:
    """The columns, a line each, with kind, example and the options that `uses` has for them."""
    names = list(head.values)[:MOST]
    rows = [(_cut(x), head.kind(x), _example(head.known(x)), ", ".join(map(option, uses.get(x, ())))) for x in names]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = ["  ".join([*(x.ljust(w) for x, w in zip(row, widths, strict=False)), row[3]]).rstrip() for row in rows]
    more = max(head.many, len(head.values)) - len(names)
    lines += [f"and {more:,} more" if lines else f"{more:,}, all named more than once"] if more > 0 else []
    return "".join(f"\n  {line}" for line in lines)


def _example(known: Sequence[Any]) -> str:
    """The first value; of numbers the first that is not whole."""
    if not known:
        return ""
    first = next((x for x in known if isinstance(x, (float, Decimal))), known[0])
    return _cut(f"{float(first):.6g}" if isinstance(first, (float, Decimal)) else str(first))


def _cut(text: str) -> str:
    """One line of text, not too long."""
    seen = "".join(c if c.isprintable() or c.isspace() else c.encode("unicode_escape").decode("ascii") for c in text)
    said = re.sub(r"\s+", " ", seen).strip() or repr(text)
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 3]}..."
