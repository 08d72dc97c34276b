"""Detail: what people are shown of a document by default, and what more is theirs for the asking.

Programs get all of it: JSON, CSV and Parquet know no view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import option
from howsure.messages.remedies import Typed
from howsure.validate import flag

VERBOSE: Final = ("mean", "route")  # columns that come with every note
TECHNICAL: Final = frozenset(  # how numbers were found, where that does not change how to read them
    (
        "binned", "chance-sampled", "clusters", "delong", "folds", "infinite-mean", "interval-to-end", "labels",
        "micro", "no-mean", "pairs-prior", "prior", "prior-from-data", "recall-rule", "rounds-to-edge", "rule",
        "sampled", "simultaneous", "unbounded",
    )
)  # fmt: skip
USUAL_PRIORS: Final = ("even", "wins")  # which need no word


@dataclass(frozen=True)
class Detail:
    """The columns asked for beside the usual ones, and whether every note and setting is to be told.

    `typed` is the command that asks, which a report repeats; None in Python.
    """

    columns: tuple[str, ...] = ()
    verbose: bool = False
    typed: Typed | None = None

    @property
    def usual(self) -> bool:
        """Whether nothing more was asked for."""
        return not (self.columns or self.verbose)

    def wants(self, key: str) -> bool:
        """Whether a column that is not shown by itself is asked for."""
        return key in self.columns or (self.verbose and key in VERBOSE)

    def notes(self, document: dict[str, Any]) -> list[str]:
        """The notes in words: all of them, or those that change how to read the numbers."""
        return in_words(n for n in document["notes"] if self.verbose or n["code"] not in TECHNICAL)


USUAL: Final = Detail()
WARNED: Final = "warning: "  # how the text of a warning begins


def in_words(notes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts of notes; a warning says that it is one.

    >>> in_words([{"level": "warning", "text": "ids repeat"}, {"level": "note", "text": "f1 is sampled"}])
    ['warning: ids repeat', 'f1 is sampled']
    """
    return [f"{WARNED if n['level'] == 'warning' else ''}{n['text']}" for n in notes]


def view(columns: str | Iterable[str] = (), verbose: bool = False) -> Detail:
    """A view, from names of columns: texts, or one text with commas.

    >>> view("mean, route").columns
    ('mean', 'route')
    """
    given = (
        columns.split(",") if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else [None]
    )
    if isinstance(columns, Mapping) or not all(isinstance(name, str) for name in given):
        raise BadSetting(f"{option('columns')} takes names of columns, such as mean and route; got {columns!r}.")
    names = dict.fromkeys(name.strip().lower() for name in given if name is not None and name.strip())
    return Detail(tuple(names), flag(verbose, "verbose"))


def check(asked: Detail, more: Sequence[str], always: Sequence[str]) -> None:
    """Refuse columns that a table does not have, and a list that adds none."""
    for name in asked.columns:
        if name not in more and name not in always:
            raise UnknownName(f"no column {name!r} here.{nearest(name, [*more, *always])} {_takes(more)}")
    if asked.columns and not any(name in more for name in asked.columns):
        raise BadSetting(f"{' and '.join(asked.columns)} {_shown(asked.columns)} anyway. {_takes(more)}")


def _shown(names: Sequence[str]) -> str:
    return "is shown" if len(names) == 1 else "are shown"


def _takes(more: Sequence[str]) -> str:
    if not more:
        return f"This table has no more columns: leave out {option('columns')}."
    return f"{option('columns')} takes {', '.join(more)}."
