"""Coded columns: the distinct plain values of a column, and for each row the place of its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array, Integers, Mask
from howsure.errors import BadLabels
from howsure.evidence.slices import level_order
from howsure.messages.language import option
from howsure.validate import Label, named, plain_label, refuse_unlike

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
