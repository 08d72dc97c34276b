"""Multilabel: the evidence of items with any number of labels, coded by the distinct sets that occur."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from howsure.arrays import AnyArray, Integers, Mask
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest, plural
from howsure.evidence import documents, patterns
from howsure.evidence.classes import Tally, each_against_rest, in_square
from howsure.evidence.patterns import Patterns
from howsure.evidence.protocol import as_json, number
from howsure.messages.language import option
from howsure.validate import (
    Label,
    check_labels,
    find,
    flag,
    in_order,
    named,
    plain_label,
    refuse_number_and_text,
    refuse_unlike,
)

# -- indicator tables
#
# Tables of 0 and 1, a row per item and a column per label: arrays, and frames, whose columns have names.


@dataclass(frozen=True)
class Indicators:
    """Which labels each item has, and the names of the columns, where they have some."""

    table: Mask
    columns: tuple[Label, ...] | None = None

    def taking(self, columns: tuple[Label, ...]) -> Mask:
        """The columns of these names, in this order; a table without names is in this order already."""
        if self.columns is None or self.columns == columns:
            return self.table
        return self.table[:, [self.columns.index(x) for x in columns]]


def indicators(x: Any, name: str) -> Indicators | None:
    """A table of 0 and 1, one row per item, or None."""
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (set, frozenset, tuple)):
        return None
    if isinstance(x, list) and any(isinstance(v, str) for one in x[:50] if isinstance(one, Iterable) for v in one):
        return None
    frame = _frame(x)
    if frame is not None:
        return _of_frame(frame, name)
    refuse_unlike(x, name, BadLabels)
    try:
        table = np.asarray(x.toarray() if hasattr(x, "toarray") else x)
    except ValueError:
        return None
    if table.ndim != 2 or table.dtype.kind not in "bifu" or not np.isin(table, (0, 1)).all():
        return None
    if isinstance(x, (list, tuple)) and all(len(set(map(int, row))) == len(row) for row in table.tolist()):
        raise BadLabels(
            "these rows of 0 and 1 could be sets of labels or an indicator table: give sets such as {0, 1}, or a "
            "numpy array."
        )
    return Indicators(table.astype(bool))


def _frame(x: Any) -> Any:
    """A narwhals frame in memory, or None; a series holds a set of labels per item."""
    if isinstance(x, (list, tuple, np.ndarray, Mapping, str, bytes)) or hasattr(x, "toarray") or x is None:
        return None
    import narwhals as nw

    try:
        found = nw.from_native(x, pass_through=True)
        if isinstance(found, nw.LazyFrame):
            found = found.collect()
    except nw.exceptions.NarwhalsError as error:
        raise BadLabels(f"this frame cannot be read: {' '.join(str(error).split())}.") from None
    return found if isinstance(found, nw.DataFrame) else None


def _of_frame(frame: Any, name: str) -> Indicators:
    columns = check_labels(frame.columns)
    if not columns:
        raise BadLabels(f"{name} have no columns; give one per label.")
    parts = [_flags(x.to_numpy(), label, name) for label, x in zip(columns, frame.iter_columns(), strict=True)]
    return Indicators(np.column_stack(parts), columns)


def _flags(values: AnyArray, label: Label, name: str) -> Mask:
    """A column of 0 and 1; whole numbers that may be missing come as objects."""
    if values.dtype.kind in "bifu" and np.isin(values, (0, 1)).all():
        return values.astype(bool)
    listed = values.tolist()
    bad = next((v for v in listed if not isinstance(v, (bool, int, float)) or v not in (0, 1)), True)
    if bad is not True:
        raise BadLabels(f"a frame of labels holds 0 and 1; column {label!r} of {name} holds {bad!r}.")
    return np.array(listed, dtype=bool)


def aligned(
    tables: Sequence[Indicators], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], list[Mask]]:
    """The labels, and the tables with their columns in that order: those of frames are matched by name."""
    width = tables[0].table.shape[1]
    first = next(((t.columns, name) for t, name in zip(tables, names, strict=True) if t.columns is not None), None)
    if first is not None and first[0] is not None:
        for t, name in zip(tables, names, strict=True):
            _refuse_other_columns((first[0], first[1]), t.columns, name)
    if any(t.table.shape[1] != width for t in tables):
        sizes = ", ".join(f"{name} {t.table.shape[1]}" for name, t in zip(names, tables, strict=True))
        raise BadLabels(f"indicator tables need one column for each label; got {sizes}.")
    own = None if first is None else first[0]
    known = own or tuple(range(width))
    wanted = known if labels is None else check_labels(labels)
    if len(wanted) != width:
        given = plural(len(wanted), "label")
        raise BadLabels(f"the indicator tables have {plural(width, 'column')} but {given} in {option('labels')}.")
    if own is None:
        return wanted, [t.table for t in tables]
    shared = set(wanted) & set(own)
    if shared and len(shared) < width:
        odd = next(x for x in wanted if x not in shared)
        hint = nearest(str(odd), [str(x) for x in own])
        raise BadLabels(f"{option('labels')} names {odd!r}, which is not a column.{hint} Columns: {listing(own)}.")
    return wanted, [t.taking(wanted if shared else own) for t in tables]


def _refuse_other_columns(first: tuple[tuple[Label, ...], str], columns: tuple[Label, ...] | None, name: str) -> None:
    """Frames of truths and answers need the same columns, in any order."""
    if columns is None or set(columns) == set(first[0]):
        return
    missing = [x for x in first[0] if x not in columns]
    extra = [x for x in columns if x not in first[0]]
    what = f"{name} lack column {missing[0]!r} of {first[1]}" if missing else f"{name} have a column {extra[0]!r} more"
    raise BadLabels(f"frames of labels need the same columns; {what}.")


# -- label sets
#
# Items with any number of labels, coded by the distinct sets of labels that occur, and their evidence: Multilabel.


@dataclass(frozen=True)
class LabelSets:
    """Distinct sets of labels: the labels of set i are `members[starts[i] : starts[i + 1]]`, in order."""

    starts: Integers
    members: Integers

    def __post_init__(self) -> None:
        for array in (self.starts, self.members):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Integers:
        """The number of labels of each set."""
        return np.diff(self.starts)

    def tuples(self) -> list[tuple[int, ...]]:
        """The sets as tuples."""
        return [tuple(part.tolist()) for part in np.split(self.members, self.starts[1:-1])]

    def holds(self, label: int) -> Mask:
        """Which sets hold a label."""
        found = np.zeros(len(self), dtype=bool)
        found[np.repeat(np.arange(len(self)), self.sizes)[self.members == label]] = True
        return found

    def spread(self, codes: Integers) -> tuple[Integers, Integers]:
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


Pairs = tuple[Integers, Integers]


@dataclass(frozen=True, eq=False, kw_only=True)
class Multilabel(Patterns):
    """Counts of (set of true labels, set of answered labels of each system) patterns; codes point into `sets`.

    Whole items are resampled, so that labels of one item stay together, unless labels are taken as independent.
    """

    labels: tuple[Label, ...]
    sets: LabelSets
    independent: bool = False
    labels_given: bool = True

    @classmethod
    def make(cls, truth: Any, pred: Any, *, labels: Sequence[Label] | None, independent: bool) -> Multilabel:
        """From indicator tables or lists of label sets; a mapping of answers has systems."""
        answers = dict(pred) if isinstance(pred, Mapping) else {"system": pred}
        if not answers:
            raise BadLabels("no predictions were given.")
        names = ["the truths", *(f"answers of {x}" if len(answers) > 1 else "the answers" for x in answers)]
        known, sets, codes = of_columns([truth, *answers.values()], names, labels)
        cells, counts = np.unique(codes, axis=0, return_counts=True)
        return cls(
            cells=cells, counts=counts, labels=known, systems=tuple(str(x) for x in answers), sets=sets,
            labels_given=labels is not None, independent=flag(independent, "independent"),
            library=type(truth).__module__.partition(".")[0] if hasattr(type(truth), "columns") else None,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """The number of distinct sets."""
        return len(self.sets)

    @property
    def positive(self) -> None:
        """Labels have no positive one."""
        return

    def find(self, label: Label) -> int:
        """The place of a label."""
        return find(label, self.labels)

    def single(self) -> None:
        """Refuse answers of several systems."""
        if len(self.systems) != 1:
            raise BadLabels(
                f"this tally holds {len(self.systems)} systems: choose one with t.system({self.systems[0]!r})."
            )

    def memberships(self) -> tuple[Pairs, tuple[Pairs, ...], tuple[Pairs, ...]]:
        """Pattern and label of every true label, of every answer of each system, and of those that are right."""
        truth, *answers = (self.sets.spread(column.astype(np.int64)) for column in self.cells.T)
        k = len(self.labels)
        both = []
        for pattern, label in answers:
            key = np.intersect1d(truth[0] * k + truth[1], pattern * k + label, assume_unique=True)
            both.append((key // k, key % k))
        return truth, tuple(answers), tuple(both)

    def by_class(self, *, effective: bool = False, lost: bool = True) -> dict[str, AnyArray]:
        """The counts tp, fp, fn and tn of every label."""
        del lost  # a set is never missing
        self.single()
        counts = self.effective if effective else self.counts
        flat = np.moveaxis(counts, -1, 0)
        truth, (answer,), (both,) = self.memberships()
        row, col, tp = (np.zeros((len(self.labels), *self.shape), dtype=counts.dtype) for _ in range(3))
        for into, (pattern, label) in ((row, truth), (col, answer), (tp, both)):
            np.add.at(into, label, flat[pattern])
        return {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": flat.sum(axis=0) - row - col + tp}

    def right_wrong(self, *, effective: bool = True) -> tuple[AnyArray, AnyArray]:
        """Items whose labels are all right, and the others."""
        self.single()
        right = self.cells[:, 0] == self.cells[:, 1]
        return self.sum_where(right, effective), self.sum_where(~right, effective)

    def versus_rest(self, label: Label) -> Tally:
        """The 2x2 table of one label: items that have it or not, answered with it or not."""
        at = self.find(label)
        inside = self.sets.holds(at).astype(np.int64)
        names: tuple[Label, ...] = ("without" if self.labels[at] != "without" else "lacking", self.labels[at])
        return Tally(
            cells=inside[self.cells], counts=self.counts, labels=names, positive=self.labels[at],
            systems=self.systems, notes=self.notes, library=self.library,
        ).tidy()  # fmt: skip

    def versus_each(self) -> Tally:
        """The 2x2 tables of every label, the label the first axis of the batch."""
        return each_against_rest(self, self.labels, in_square(self.by_class()), None)

    def with_positive(self, label: Label | None) -> Self:
        """Refused: every label is asked for by its name."""
        del label
        raise BadSetting(f"items with many labels have no positive one: ask for f1:{self.labels[0]} or micro-f1.")

    def describe(self) -> dict[str, Any]:
        """Size and labels."""
        return {
            "n": number(self.counts.sum()), "labels": [as_json(x) for x in self.labels], "positive": None,
            "systems": list(self.systems), "outcome": False, "tables": 1, "weighted": self.weighted,
        }  # fmt: skip

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Multilabel) or self.independent != other.independent:
            return patterns.refused(self, other)  # type: ignore[no-any-return]
        a, b = _coded_alike(*patterns.aligned(self, other))  # type: ignore[arg-type]
        return patterns.checked(patterns.added(a, b, np.concatenate([a.cells, b.cells])).tidy())  # type: ignore[return-value]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Multilabel):
            return NotImplemented
        if self.labels != other.labels or self.independent != other.independent:
            return False
        one, two = _coded_alike(self, other)
        return patterns.same(one, two, ("labels",))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Multilabel({len(self.labels)} labels, {number(self.counts.sum()):,} items)"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: `Tally.from_dict(t.to_dict()) == t`."""
        sets = [list(x) for x in self.sets.tuples()]
        return documents.document(
            self, self.cells, labels=self.labels, fixed=self.labels_given, sets=sets, independent=self.independent
        )

    def to_json(self) -> str:
        """to_dict as text."""
        return documents.text(self.to_dict())


def _coded_alike(a: Multilabel, b: Multilabel) -> tuple[Multilabel, ...]:
    """Two tallies of label sets under the same codes."""
    refuse_number_and_text(a.labels, b.labels, "labels")
    labels = a.labels if a.labels == b.labels else in_order({*a.labels, *b.labels})
    place = {label: i for i, label in enumerate(labels)}
    codes: dict[tuple[int, ...], int] = {}
    cells = []
    for t in (a, b):
        own = [place[x] for x in t.labels]
        to = [codes.setdefault(tuple(sorted(own[i] for i in one)), len(codes)) for one in t.sets.tuples()]
        cells.append(np.array(to, dtype=np.int64)[t.cells])
    found = distinct(codes)
    given = a.labels_given and b.labels_given
    return tuple(
        replace(t, cells=own, labels=labels, sets=found, labels_given=given)
        for t, own in zip((a, b), cells, strict=True)
    )


def of_columns(
    columns: Sequence[Any], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], LabelSets, Integers]:
    """Labels, distinct sets, and for each item the codes of its set of truths and of every system's answers."""
    tables = [indicators(x, name) for x, name in zip(columns, names, strict=True)]
    if all(t is not None for t in tables):
        return _of_indicators([t for t in tables if t is not None], names, labels)
    if any(t is not None for t in tables):
        raise BadLabels(
            "give truths and answers in the same form: all as indicator tables, or all as lists of label sets."
        )
    lists = [_as_sets(x, name) for x, name in zip(columns, names, strict=True)]
    _same_length([len(x) for x in lists], names)
    seen = {label for part in lists for one in part for label in one}
    known = in_order(seen) if labels is None else check_labels(labels)
    place = {label: i for i, label in enumerate(known)}
    unknown = sorted({str(x) for x in seen if x not in place})
    if unknown:
        hint = nearest(unknown[0], [str(x) for x in known])
        raise UnknownName(f"label {unknown[0]!r} is not among {option('labels')}.{hint} Given: {listing(known)}.")
    if not known:
        raise BadLabels(f"no label occurs; give {option('labels')}.")
    codes: dict[tuple[int, ...], int] = {}
    out = [[codes.setdefault(tuple(sorted(place[x] for x in one)), len(codes)) for one in part] for part in lists]
    return known, distinct(codes), np.array(out, dtype=np.int64).T.reshape(-1, len(lists))


def _of_indicators(
    found: list[Indicators], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], LabelSets, Integers]:
    _same_length([len(t.table) for t in found], names)
    known, tables = aligned(found, names, labels)
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
            raise BadLabels(
                f"{name} must hold a set of labels per item; got {one!r}. For one label per item use hs.tally."
            )
        if isinstance(one, Mapping):
            raise BadLabels(f"{name} must hold a set of labels per item, and no values beside them; got {one!r}.")
        out.append({named(plain_label(v)) for v in one})
    return out


def _same_length(sizes: list[int], names: Sequence[str]) -> None:
    if len(set(sizes)) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
        raise BadLabels(f"every item needs a set of truths and a set of answers; got {listed}.")
    if not sizes[0]:
        raise BadLabels("there are no items.")
