"""Sets of labels: items that have any number of labels, coded by the distinct sets that occur."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, UnknownName, listing, nearest
from howsure.labels import Label, check_labels, in_order, named, plain

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class LabelSets:
    """Distinct sets of labels: the labels of set i are `members[starts[i] : starts[i + 1]]`, in order."""

    starts: Codes
    members: Codes

    def __post_init__(self) -> None:
        for array in (self.starts, self.members):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Codes:
        """The number of labels of each set."""
        return np.diff(self.starts)

    def tuples(self) -> list[tuple[int, ...]]:
        """The sets as tuples."""
        return [tuple(part.tolist()) for part in np.split(self.members, self.starts[1:-1])]

    def holds(self, label: int) -> NDArray[np.bool_]:
        """Which sets hold a label."""
        found = np.zeros(len(self), dtype=bool)
        found[np.repeat(np.arange(len(self)), self.sizes)[self.members == label]] = True
        return found

    def spread(self, codes: Codes) -> tuple[Codes, Codes]:
        """For patterns with these sets: the pattern and the label of every membership."""
        sizes = self.sizes[codes]
        pattern = np.repeat(np.arange(len(codes)), sizes)
        first = np.repeat(self.starts[codes] - np.cumsum(sizes) + sizes, sizes)
        return pattern, self.members[first + np.arange(len(pattern))]


def distinct(sets: Iterable[tuple[int, ...]]) -> LabelSets:
    """The layout of sets given as sorted tuples."""
    parts = list(sets)
    starts = np.concatenate([[0], np.cumsum([len(x) for x in parts])]).astype(np.int64)
    return LabelSets(starts, np.array([m for x in parts for m in x], dtype=np.int64))


def of_columns(
    columns: Sequence[Any], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], LabelSets, Codes]:
    """Labels, distinct sets, and for each item the codes of its set of truths and of every system's answers."""
    tables = [_indicator(x) for x in columns]
    if all(t is not None for t in tables):
        return _of_indicators([t for t in tables if t is not None], names, labels)
    if any(t is not None for t in tables):
        raise BadLabels("give truths and answers alike: all as indicator tables, or all as lists of label sets.")
    lists = [_as_sets(x, name) for x, name in zip(columns, names, strict=True)]
    _same_length([len(x) for x in lists], names)
    seen = {label for part in lists for one in part for label in one}
    known = in_order(seen) if labels is None else check_labels(labels)
    place = {label: i for i, label in enumerate(known)}
    unknown = sorted({str(x) for x in seen if x not in place})
    if unknown:
        hint = nearest(unknown[0], [str(x) for x in known])
        raise UnknownName(f"label {unknown[0]!r} is not among labels=.{hint} Given: {listing(known)}.")
    if not known:
        raise BadLabels("no label occurs; give labels=.")
    codes: dict[tuple[int, ...], int] = {}
    out = [[codes.setdefault(tuple(sorted(place[x] for x in one)), len(codes)) for one in part] for part in lists]
    return known, distinct(codes), np.array(out, dtype=np.int64).T.reshape(-1, len(lists))


def _indicator(x: Any) -> NDArray[np.bool_] | None:
    """A table of 0 and 1, one row an item, or None."""
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (set, frozenset, tuple)):
        return None
    if isinstance(x, list) and any(isinstance(v, str) for one in x[:50] if isinstance(one, Iterable) for v in one):
        return None
    try:
        table = np.asarray(x.toarray() if hasattr(x, "toarray") else x)
    except ValueError:
        return None
    if table.ndim != 2 or table.dtype.kind not in "bifu":
        return None
    if not np.isin(table, (0, 1)).all():
        return None
    if isinstance(x, (list, tuple)) and all(len(set(map(int, row))) == len(row) for row in table.tolist()):
        raise BadLabels(
            "these rows of 0 and 1 could be sets of labels or an indicator table: give sets such as {0, 1}, or a "
            "numpy array."
        )
    return table.astype(bool)


def _of_indicators(
    tables: list[NDArray[np.bool_]], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], LabelSets, Codes]:
    _same_length([len(t) for t in tables], names)
    width = tables[0].shape[1]
    if any(t.shape[1] != width for t in tables):
        sizes = ", ".join(f"{name} {t.shape[1]}" for name, t in zip(names, tables, strict=True))
        raise BadLabels(f"indicator tables need one column for each label; got {sizes}.")
    known = tuple(range(width)) if labels is None else check_labels(labels)
    if len(known) != width:
        raise BadLabels(f"the indicator tables have {width} columns but {len(known)} labels were given.")
    packed = np.packbits(np.concatenate(tables), axis=1)
    _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    rows = np.concatenate(tables)[first]
    place, members = np.nonzero(rows)
    starts = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(rows)))]).astype(np.int64)
    return known, LabelSets(starts, members.astype(np.int64)), inverse.reshape(len(tables), -1).T.astype(np.int64)


def _as_sets(x: Any, name: str) -> list[set[Label]]:
    if isinstance(x, (str, bytes, Mapping)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a list of label sets or an indicator table of 0 and 1; got {x!r}.")
    out = []
    for one in x:
        if isinstance(one, (str, bytes)) or not isinstance(one, Iterable):
            raise BadLabels(f"{name} must hold a set of labels for each item; got {one!r}. For one label use hs.tally.")
        out.append({named(plain(v)) for v in one})
    return out


def _same_length(sizes: list[int], names: Sequence[str]) -> None:
    if len(set(sizes)) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
        raise BadLabels(f"each item needs a set of truths and one of answers; got {listed}.")
    if not sizes[0]:
        raise BadLabels("there are no items.")
