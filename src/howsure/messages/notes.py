"""Notes: remarks that travel with results as data, a code and its facts, until they are put into words.

A note has one of two levels. A warning says that the numbers may not answer the question that was asked: `--strict`
refuses it, and a gate may not pass on it. Notes of one code that say the same of several metrics are merged. Their
words, in the reader's language, are in `wording`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from howsure.messages.templates import numbers
from howsure.messages.texts import GATHERED, sentence

Facts = tuple[tuple[str, Any], ...]
Level = Literal["note", "warning"]

WARNING: Final[Level] = "warning"
SHARED_ITEMS: Final = "slices-share-items"  # then there is no answer for all items together
DEPENDENT: Final = frozenset(("ids-repeat", "repeated-units", SHARED_ITEMS))  # a gate does not fail on these either
BLOCKING: Final = {  # warnings on which no gate passes, and why in short
    "ids-repeat": "rows may not be independent",
    "repeated-units": "rows may not be independent",
    "shifted-labels": "predictions may be those of other rows",
    "similar-labels": "spellings of one label may count as several",
    "id-predictions": "predictions may be ids",
    "auc-reversed": "scores may be reversed",
    "many-classes": "intervals of averages over so many classes hold too seldom",
    "no-common-label": "predictions and true labels share no label",
    "threshold-extreme": "the threshold may be on another scale",
    "unlike-scales": "the systems may be on unlike scales",
    SHARED_ITEMS: "slices share items",
}
WARNINGS: Final = frozenset(
    (
        "auc-reversed", "between-shares-items", "gate-direction", "id-predictions", "ids-repeat", "joined-labels",
        "judge-one-class", "many-classes", "no-common-label", "repeated-units", "shifted-labels", "similar-labels",
        "threshold-extreme", "unlike-scales",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Note:
    """A remark: a code for programs, and the facts that a sentence for people is made of.

    >>> n = note("missing-wrong", count=3, what="prediction")
    >>> n["count"], n.text
    (3, '3 missing predictions are counted as wrong')
    """

    code: str
    facts: Facts

    def __getitem__(self, fact: str) -> Any:
        return dict(self.facts)[fact]

    def get(self, fact: str, default: Any = None) -> Any:
        """One fact, or the default."""
        return dict(self.facts).get(fact, default)

    @property
    def text(self) -> str:
        """The sentence, in the reader's language."""
        return sentence(self.code, dict(self.facts))

    @property
    def level(self) -> Level:
        """`warning` if the numbers may not answer the question, else `note`."""
        return WARNING if self.code in WARNINGS else "note"

    @property
    def document(self) -> dict[str, Any]:
        """Return the entry of the result dict: code, level and text, and numbers that only this note has."""
        data = numbers(self.code, dict(self.facts))
        return {"code": self.code, "level": self.level, "text": self.text} | ({} if data is None else {"data": data})


Notes = tuple[Note, ...]


def note(code: str, text: str | None = None, **facts: Any) -> Note:
    """A note from its facts, or from a sentence that is known as it is."""
    given = facts if text is None else {"text": text}
    return Note(code, tuple(sorted(given.items())))


def at_level(notes: Iterable[Note], level: float) -> Notes:
    """Notes that speak of an interval, with the level of the result they stand in."""
    fact = "interval_level"
    return tuple(n if n.get(fact) is None else note(n.code, **dict(n.facts) | {fact: level}) for n in notes)


def merged(notes: Iterable[Note]) -> Notes:
    """Every note once; those that differ only in what they are of are one, at the place of the first."""
    once = list(dict.fromkeys(notes))
    for code, (least, gather) in GATHERED.items():
        groups: dict[Facts, list[Note]] = {}
        for n in once:
            if n.code == code and n.get("of") is not None:
                groups.setdefault(tuple((k, v) for k, v in n.facts if k not in gather), []).append(n)
        for rest, same in groups.items():
            if len(same) >= least:
                facts = dict(rest) | {k: join([n[k] for n in same]) for k, join in gather.items()}
                once[once.index(same[0])] = note(code, **facts)
                once = [n for n in once if n not in same]
    return tuple(once)
