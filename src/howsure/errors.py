"""One family of errors: what was given, what is needed, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

_LONG = r"\S{400,}"  # compiled when the first message needs it
_PASSWORD = r"(://[^:/\s]*):\S*@"
_SETTING = r"(?i)(password=)[^&\s]*"


@dataclass(frozen=True)
class Remedy:
    """What to write in place of a call that failed, as facts: each surface puts it into its own words.

    It is the same call with these options, and without some that it had; with `verb`, that verb instead, on the same
    data with these options alone; with `word`, the same call with its second word in place of the first.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    verb: str | None = None
    word: tuple[str, str] | None = None
    example: bool = False  # whether the reader may mean other values

    def in_python(self) -> str | None:
        """The keywords to give; None for a word in place of another, which the message names.

        >>> Remedy({"truth": "label", "pred": ["a", "b"]}, verb="score").in_python()
        "hs.score(..., truth='label', pred=['a', 'b'])"
        """
        alone = {name: x[0] if isinstance(x, list) and len(x) == 1 else x for name, x in self.options.items()}
        named = ", ".join(f"{name}={x!r}" for name, x in alone.items())
        return None if self.word is not None else named if self.verb is None else f"hs.{self.verb}(..., {named})"


class HowsureError(ValueError):
    """Base of everything howsure raises on purpose; long texts are shown by their ends, addresses without passwords."""

    def __init__(self, *message: object, remedies: Sequence[Remedy] = ()) -> None:
        super().__init__(*(shortened(hidden(x)) if isinstance(x, str) else x for x in message))
        self.remedies = tuple(remedies)

    @property
    def message(self) -> str:
        """The sentence, without what to write instead."""
        return super().__str__()

    def __str__(self) -> str:
        ways = [way for x in self.remedies if (way := x.in_python()) is not None]
        space = "\n" if "\n" in self.message else " "
        return f"{self.message}{space}Give {' or '.join(ways)}." if ways else self.message


def hidden(text: str) -> str:
    """A text without the passwords of addresses in it.

    >>> hidden("postgresql://me:secret@host/name?password=again")
    'postgresql://me:***@host/name?password=***'
    """
    return re.sub(_SETTING, r"\1***", re.sub(_PASSWORD, r"\1:***@", text))


def shortened(text: str) -> str:
    """A message without what is too long to be read: words of over 400 characters, and what is beyond 4,000.

    >>> len(shortened("no metric named " + "x" * 10**6))
    99
    """
    text = re.sub(_LONG, lambda word: f"{word[0][:60]}...{word[0][-20:]}", text)
    return text if len(text) <= 4000 else f"{text[:3000]} ... {text[-500:]}"


class BadCounts(HowsureError):
    """A table or its counts cannot be what they are said to be."""


class BadLabels(HowsureError):
    """Truths and predictions that cannot be tallied as given."""


class NeedsPositive(HowsureError):
    """A metric that depends on which class is positive was asked of a table that does not know."""


class UnknownName(HowsureError):
    """No metric, prior, system, label or option of that name."""


class NoColumn(UnknownName):
    """Data have no column of that name; `said` is the message without the names that there are."""

    def __init__(self, said: str, column: str = "", names: Iterable[str] = ()) -> None:
        self.said, self.column, self.names = said, column, tuple(dict.fromkeys(names))
        super().__init__(f"{said} Columns: {listing(self.names)}." if self.names else said)


def no_column(column: str, names: Iterable[str], where: str, known: Iterable[str] = ()) -> NoColumn:
    """One sentence about it, with the nearest name; `known` has more names that are taken."""
    there = [*names]
    return NoColumn(f"no column named {column!r} in {where}.{nearest(column, [*there, *known])}", column, there)


class BadSetting(HowsureError):
    """A level, prior, threshold or option outside its range."""


class NoCommonId(BadSetting):
    """Files of several systems without an id that joins their items; `repeated` is a column that may group them."""

    repeated: str | None = None


class BadFile(HowsureError):
    """A file, a table or a stream that cannot be read as what it should be."""


def nearest(name: str, names: Iterable[str], *, say: str = " Did you mean {}?") -> str:
    """A hint with the nearest valid name, or nothing.

    >>> nearest("precison", ["precision", "recall"])
    " Did you mean 'precision'?"
    """
    found = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return say.format(repr(found[0])) if found else ""


def plural(count: float, one: str, several: str | None = None) -> str:
    """A count with its noun, and with the verb where that is given too.

    >>> plural(1, "row"), plural(2000, "row"), plural(1, "id occurs", "ids occur")
    ('1 row', '2,000 rows', '1 id occurs')
    """
    return f"1 {one}" if count == 1 else f"{count:,} {several or one + 's'}"


def listing(items: Iterable[object], most: int = 5) -> str:
    """A short list for a message: at most five entries, then how many more.

    >>> listing(["a", "b"])
    "'a', 'b'"
    """
    things = [repr(x) for x in items]
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more
