"""Texts as the values they spell: one typing for all pieces of a data set, whatever file or batch they came in.

All whole numbers, all true/false (with 1 and 0), all numbers, or text as it is. Text of CSV is typed by what all of it
spells; where other pieces hold numbers, text that spells numbers is read so, and any other is refused. Among slices,
ids and clusters 1.10 is a name, and no other spelling of 1.1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from howsure.errors import BadLabels
from howsure.io.columns import Column
from howsure.messages.language import option
from howsure.validate import twins

_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,299})(\.0+)?")  # longer ones are names
_ONE_OR_NOT = re.compile(r"[01](\.0+)?")
_TRUTH = {"true": True, "false": False}
MISSING: Final = ("", "na", "n/a", "#n/a", "<na>", "nan", "null", "none")  # in a column of numbers, in small letters


def typed(levels: Iterable[Any], names: bool = False) -> dict[Any, Any]:
    """The value of each distinct text; one text that is no number keeps all of them texts. NaN among numbers is None.

    Among `names` so does a fraction that a number would be written otherwise.

    >>> typed(["1", "0.0"]), typed(["True", "false"]), typed(["1", "x"]), typed(["007"])
    ({'1': 1, '0.0': 0}, {'True': True, 'false': False}, {'1': '1', 'x': 'x'}, {'007': '007'})
    >>> typed(["1.10", "1.1"]), typed(["1.10", "1.1"], names=True), typed(["1", "false"])
    ({'1.10': 1.1, '1.1': 1.1}, {'1.10': '1.10', '1.1': '1.1'}, {'1': True, 'false': False})
    """
    found = list(dict.fromkeys(levels))
    texts = {x: x.strip() if isinstance(x, str) else str(x) for x in found}
    said = {x: t for x, t in texts.items() if t.lower() != "nan"}
    lost: dict[Any, Any] = dict.fromkeys(x for x in found if x not in said)
    if said and all(_WHOLE.fullmatch(t) for t in said.values()):
        return {x: int(t.partition(".")[0]) for x, t in said.items()} | lost
    if said and all(t.lower() in _TRUTH or _ONE_OR_NOT.fullmatch(t) for t in said.values()):
        return {x: _TRUTH.get(t.lower(), t[0] == "1") for x, t in said.items()} | lost
    numbers = {x: _number(t, names) for x, t in said.items()}
    if said and all(n is not None for n in numbers.values()):
        return numbers | lost
    return {x: x for x in found}


def spelt(texts: Sequence[str | None]) -> list[Any]:
    """What each text of a column spells; None stays.

    >>> spelt(["1", None, "0.5"])
    [1, None, 0.5]
    """
    values = typed(x for x in texts if x is not None)
    return [None if x is None else values[x] for x in texts]


def _number(text: str, name: bool) -> int | float | None:
    """A whole number, or one with a point or an exponent; 007 is a name, and where names are 1.10 is one too."""
    if _WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    if not re.fullmatch(r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]+)?([eE][+-]?[0-9]+)?", text) or not re.search("[0-9]", text):
        return None
    number = float(text)
    return number if math.isfinite(number) and (not name or repr(number) == text) else None


# -- one typing


def agreed(
    pieces: Sequence[Mapping[str, Column]], loose: Sequence[bool], names: Mapping[str, str]
) -> list[dict[str, Column]]:
    """The columns of all pieces under one typing; the values of a loose piece are texts that may spell others.

    `names` has the name of the column behind each key, for messages. Truths and answers are texts where one of them is.
    """
    labels = [key for key in pieces[0] if key.startswith(("truth", "answer"))]
    meet = any(loose) and any(_meeting([p[key] for p in pieces]) for key in labels)
    readings = {}
    for key in pieces[0]:
        columns, label = [p[key] for p in pieces], key in labels
        met = meet if label else any(loose) and _meeting(columns)
        readings[key] = _reading(columns, loose, names[key], label, met)
    if (all(loose) or meet) and any(isinstance(x, str) for key in labels for x in (readings[key] or {}).values()):
        readings |= dict.fromkeys(labels)
    found = [{key: _read(column, readings[key]) for key, column in p.items()} for p in pieces]
    for key in readings:
        twin = twins(x for p in found for x in p[key].levels) if len(found) > 1 else None
        if twin is not None and all(twins(p[key].levels) is None for p in found):
            refuse_mixed(names[key], *twin)
    return found


def _meeting(columns: Sequence[Column]) -> bool:
    """Whether pieces that each spell a value in one way spell one of them differently: 1, 1.0 or true."""
    texts = [c.levels for c in columns if _all_text(c)]
    values = typed((x for own in texts for x in own), names=True)
    alone = all(len({values[x] for x in own}) == len(own) for own in texts)
    return alone and len(set(values.values())) < len(values)


def _reading(
    columns: Sequence[Column], loose: Sequence[bool], name: str, label: bool, met: bool
) -> dict[Any, Any] | None:
    """What the texts of a column spell; None where they stay as they are.

    `label`: these are classes, which are never fractions. `met`: texts of different pieces spell one value.
    """
    firm = [c for c, free in zip(columns, loose, strict=True) if not free]
    other = next((x for c in firm for x in c.levels if not isinstance(x, str)), None)
    if other is None and any(c.levels for c in firm) and not met:
        return None
    texts = [x for c in columns if _all_text(c) for x in c.levels]
    values = typed(texts, names=not label and other is None)
    if other is None or not texts:
        return values
    if any(isinstance(x, str) for x in values.values()) or not isinstance(other, (bool, int, float)):
        told = next((x for x in texts if isinstance(typed([x])[x], str)), texts[0])
        refuse_mixed(name, told, other)
    return values


def _read(column: Column, values: Mapping[Any, Any] | None) -> Column:
    return column if values is None or not _all_text(column) else column.relevelled([values[x] for x in column.levels])


def _all_text(column: Column) -> bool:
    return all(isinstance(x, str) for x in column.levels)


def refuse_no_number(column: str, text: str) -> NoReturn:
    """One sentence about a text where a number is needed."""
    way = f"write a number, or nothing and give {option('missing', 'drop')}"
    raise BadLabels(f"column {column!r} holds {text[:40]!r}, which is not a number; {way}.")


def refuse_mixed(column: str, text: str, other: Any) -> NoReturn:
    """One sentence about a column of texts and of something else."""
    what = "other values" if isinstance(other, bool) or not isinstance(other, (int, float)) else "numbers"
    shown = sorted(other, key=str) if isinstance(other, frozenset) else other
    raise BadLabels(
        f"column {column!r} holds both text and {what}, such as {text!r} and {shown!r}; make them all the same type."
    )
