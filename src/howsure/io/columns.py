"""Coded columns: the distinct plain values of a column, and for each row the place of its value; and texts as values.

Texts are typed alike in all pieces of a data set, whatever file or batch they came in: all whole numbers, all
true/false (with 1 and 0), all numbers, or text as it is. Text of CSV is typed by what all of it spells; where other
pieces hold numbers, text that spells numbers is read so, and any other is refused. Among slices, ids and clusters
1.10 is a name, and no other spelling of 1.1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Final, NoReturn

import numpy as np

from howsure.arrays import AnyArray, Array, Integers, Mask
from howsure.errors import BadLabels
from howsure.evidence.slices import level_order
from howsure.messages.language import option
from howsure.validate import Label, named, plain_label, refuse_unlike, twins

_NA_TYPES: Final = ("NAType", "NaTType")
_FINER: Final = ("ns", "ps", "fs", "as")  # than what Python tells apart
_PLAIN: Final = "labels must be plain values such as text, whole numbers or booleans."
_MOST_CLASSES: Final = 200_000  # of all systems together
EXACT: Final = 2**53  # whole numbers below it are exact as doubles
LISTS: Final = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class Column:
    """Distinct plain values, and for each row the place of its value; -1 is a missing one."""

    levels: tuple[Any, ...]
    codes: Integers

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, rows: Any) -> Column:
        """Some of the rows."""
        return Column(self.levels, self.codes[rows])

    def relevelled(self, values: Sequence[Any]) -> Column:
        """The same rows with other values for the levels; those that are now equal become one."""
        new = coded(values)
        return Column(new.levels, np.append(new.codes, -1)[self.codes])

    @property
    def missing(self) -> Mask:
        """Which rows have no value."""
        return self.codes < 0

    @property
    def used(self) -> list[int]:
        """The codes that occur, in order, -1 first."""
        found: list[int] = (np.flatnonzero(np.bincount(self.codes + 1, minlength=len(self.levels) + 1)) - 1).tolist()
        return found

    @property
    def present(self) -> set[Label]:
        """The values that occur."""
        return {self.levels[i] for i in self.used if i >= 0}

    @property
    def sets(self) -> bool:
        """Whether the values are sets of labels."""
        return any(isinstance(x, frozenset) for x in self.levels)

    def in_order(self) -> Column:
        """Levels that occur, sorted; missing ones are a level of their own, None, the last."""
        used = self.used
        present = {self.levels[i]: i for i in used if i >= 0}
        ordered = level_order(present)
        to = np.zeros(len(self.levels) + 1, dtype=np.int64)
        for new, level in enumerate(ordered):
            to[present[level]] = new
        to[-1] = len(ordered)
        return Column((*ordered, *((None,) if used and used[0] < 0 else ())), to[self.codes])


def lost(x: Any) -> bool:
    """Whether a value is a missing one: None, NaN, NA or NaT."""
    return x is None or type(x).__name__ in _NA_TYPES or (isinstance(x, (float, np.floating)) and x != x)


def unarrowed(x: Any) -> Any:
    """An array of pyarrow as one of numpy where all are plain numbers, else as a list; other data as they are."""
    if not type(x).__module__.startswith("pyarrow") or not hasattr(x, "to_pylist"):
        return x
    plain_label = str(x.type).startswith(("int", "uint", "bool", "float", "double")) and x.null_count == 0
    return np.asarray(x) if plain_label else x.to_pylist()


def times(x: AnyArray, name: str | None = None) -> Any:
    """Dates, moments and lengths of time as Python has them, whatever their unit; missing ones as None.

    Parts of a microsecond, which Python does not know, are refused where there is a name to say it; else they are
    counts of them.
    """
    if np.datetime_data(x.dtype)[0] not in _FINER:
        return x.tolist()
    found = x.astype(f"{x.dtype.kind}8[us]")
    fine = (found.astype(x.dtype) != x)[~np.isnat(x)].any()
    if fine and name is not None:
        raise BadLabels(f"{name} holds times with parts of a microsecond; round them first.")
    return (x if fine else found).tolist()


def coded(values: Any) -> Column:
    """A column of codes from an array (masked or not) or a list; lists within it are sets of labels.

    >>> c = coded(["b", None, "a", "b"])
    >>> c.levels, c.codes.tolist()
    (('b', 'a'), [0, -1, 1, 0])
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubf":
        return _coded_numbers(values)
    items = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        items = times(values)
    if isinstance(next((x for x in items if not lost(x)), None), LISTS):
        items = [as_set(x) for x in items]
    try:
        place = {x: i for i, x in enumerate(dict.fromkeys(items))}
        raw = np.fromiter(map(place.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        raise BadLabels(_PLAIN) from None
    return _with_plain_levels(list(place), raw)


def as_set(x: Any) -> frozenset[Label] | None:
    """The labels of one item."""
    if not isinstance(x, LISTS):
        if lost(x):
            return None
        raise BadLabels(f"some items have a list of labels and others do not, such as {x!r}; give every item a list.")
    try:
        return frozenset(named(plain_label(v)) for v in x)
    except TypeError:
        raise BadLabels(_PLAIN) from None


def _coded_numbers(values: AnyArray) -> Column:
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.asarray(np.ma.getdata(values))
    if data.dtype.kind == "b":
        data = data.view(np.int8)
        levels, raw = np.array([False, True]), data.astype(np.int64)
    elif data.dtype.kind in "iu" and data.size and int(data.max()) - int(data.min()) <= 4 * data.size + 1024:
        low, high = int(data.min()), int(data.max())
        raw = (data - data.dtype.type(low)).astype(np.int64)
        levels = np.arange(high - low + 1, dtype=object) + low if high > 2**62 else np.arange(low, high + 1)
    else:
        levels, raw = np.unique(data, return_inverse=True)
        raw = raw.reshape(-1).astype(np.int64)
    if mask is not None and mask.any():
        raw = np.where(mask, -1, raw)
    used = np.zeros(len(levels), dtype=bool)
    used[raw[raw >= 0]] = True
    to = np.cumsum(used) - 1
    return _with_plain_levels(levels[used].tolist(), np.where(raw < 0, -1, to[raw]))


def _with_plain_levels(levels: list[Any], raw: Integers) -> Column:
    """Levels as plain values; those that are one value (1 and 1.0) become one, missing ones become -1."""
    place: dict[Any, int] = {}
    to = np.empty(len(levels) + 1, dtype=np.int64)
    to[-1] = -1
    for i, level in enumerate(levels):
        value = _plain(level)
        to[i] = -1 if lost(value) else place.setdefault(value, len(place))
    return Column(tuple(place), to[raw])


def _plain(level: Any) -> Any:
    if isinstance(level, Decimal):
        return int(level) if level == level.to_integral_value() else float(level)
    return plain_label(level)


def stacked(parts: Sequence[Column]) -> Column:
    """Columns one after the other, under the same codes."""
    place: dict[Any, int] = {}
    codes = []
    for part in parts:
        to = np.array([*(place.setdefault(x, len(place)) for x in part.levels), -1], dtype=np.int64)
        codes.append(to[part.codes])
    return Column(tuple(place), np.concatenate(codes))


def _exact(x: AnyArray) -> bool:
    return not x.size or max(-int(x.min()), int(x.max())) < EXACT


def coarse(name: str) -> BadLabels:
    """One sentence about whole numbers that doubles do not tell apart."""
    way = "subtract the same number from all of them first, or divide them"
    said = f"{name} must be below 2^53 ({EXACT}) in size"
    return BadLabels(f"{said}; larger whole numbers are not exact as doubles: {way}.")


def _lapse(x: Any) -> bool:
    """Whether it is a length of time, which numpy counts among the whole numbers."""
    return isinstance(x, np.timedelta64)


def as_numbers(x: Any, name: str, *, apart: bool = False) -> Array:
    """Values as floats; missing ones as NaN. Where they are to be told apart, whole numbers stay exact."""
    if isinstance(x, (str, bytes, Set, Mapping)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a sequence of numbers; got {x!r}.")
    listed = x if hasattr(x, "__array__") else list(x)
    try:
        array = np.ma.asarray(listed) if isinstance(listed, np.ma.MaskedArray) else np.asarray(listed)
    except (TypeError, ValueError):
        raise BadLabels(f"{name} must have one dimension; got parts of different lengths.") from None
    if array.ndim != 1:
        raise BadLabels(f"{name} must have one dimension; got shape {array.shape}.")
    if array.dtype.kind in "mMV":
        refuse_unlike(np.ma.getdata(array), name, BadLabels)
    if apart and array.dtype.kind in "iu" and not _exact(np.ma.getdata(array)):
        raise coarse(name)
    if array.dtype.kind in "biuf":
        return np.asarray(np.ma.filled(array.astype(float), np.nan))
    whole = array.tolist() if array.dtype.kind == "O" else list(listed)
    bad = next((v for v in whole if not (lost(v) or isinstance(v, (Real, Decimal, np.bool_))) or _lapse(v)), None)
    if bad is not None:
        raise BadLabels(f"{name} must be numbers; got {bad!r}.")
    if apart and any(isinstance(v, int) and abs(v) >= EXACT for v in whole):
        raise coarse(name)
    try:
        return np.array([np.nan if lost(v) else float(v) for v in whole])
    except OverflowError:
        raise BadLabels(f"{name} must be finite; at least one number is beyond any double.") from None


def refuse_many(classes: int, systems: int) -> None:
    """Refuse tables of many systems that would take minutes or hours; one system may have any number of classes."""
    if systems > 1 and classes * systems > _MOST_CLASSES:
        given = f"{systems:,} systems with {classes:,} classes are too many"
        fewer = max(1, _MOST_CLASSES // classes)
        way = f"Give {fewer:,} of the systems at a time, or whether each answer is right, as {option('outcome')}"
        raise BadLabels(f"{given} (classes times systems: {_MOST_CLASSES:,} at most). {way}.")


# -- texts as the values they spell

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
