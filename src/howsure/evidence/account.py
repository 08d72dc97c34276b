"""Account: how many rows were read, how many of them were kept, and why the others were left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

WHY: Final = ("where", "system", "missing", "weightless", "unmatched", "twice", "disagree")  # in the order of documents


@dataclass(frozen=True)
class Account:
    """Rows of data, whatever they weigh or count; read = kept + the sum of what was left out.

    >>> a = Account(1000).without("where", 50).without("missing", 10)
    >>> a.kept, (a + a).document()
    (940, {'read': 2000, 'kept': 1880, 'left_out': {'where': 100, 'missing': 20}})
    """

    read: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    where: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        """How many were kept."""
        return self.read - sum(self.left_out.values())

    def without(self, why: str, rows: Any) -> Account:
        """The same with rows left out for a reason."""
        found = dict(self.left_out)
        found[why] = found.get(why, 0) + int(rows)
        return replace(self, left_out={x: found[x] for x in WHY if found.get(x)})

    def __add__(self, other: object) -> Account:
        if not isinstance(other, Account):
            return NotImplemented
        where = (*self.where, *(x for x in other.where if x not in self.where))
        found = Account(self.read + other.read, self.left_out, where)
        for why, rows in other.left_out.items():
            found = found.without(why, rows)
        return found

    def document(self) -> dict[str, Any]:
        """As in the `data` of a document."""
        found: dict[str, Any] = {"read": self.read, "kept": self.kept, "left_out": dict(self.left_out)}
        return found | ({"where": list(self.where)} if self.where else {})


def together(parts: Iterable[Account | None]) -> Account | None:
    """The rows of all, each account once; None where those of some are not known."""
    found = list({id(x): x for x in parts}.values())
    known = [x for x in found if x is not None]
    if not known or len(known) < len(found):
        return None
    return sum(known[1:], start=known[0])


def both(a: Account | None, b: Account | None) -> Account | None:
    """The rows of both; None where those of one are not known."""
    return None if a is None or b is None else a + b


def document(evidence: Iterable[Any]) -> dict[str, Any] | None:
    """What became of the rows of all evidence that a result is of, as in its document; None where that is not known."""
    found = together(x.account for x in evidence)
    return None if found is None else found.document()


def of_document(x: Mapping[str, Any] | None) -> Account | None:
    """The account of a piece of JSON."""
    if x is None:
        return None
    return Account(int(x["read"]), {k: int(v) for k, v in x["left_out"].items()}, tuple(x.get("where", ())))
