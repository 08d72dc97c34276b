"""Confusion matrices whose rows and columns have names, as in data frames: counts and classes, matched by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import AnyArray, Integers
from howsure.errors import BadCounts, BadLabels, UnknownName, listing, nearest, plural
from howsure.evidence import patterns
from howsure.evidence.patterns import Patterns, out
from howsure.evidence.protocol import BINARY, SQUARE, THRESHOLD, as_json, number, plain_axes
from howsure.evidence.slices import Slices
from howsure.messages.language import option
from howsure.validate import Label, check_labels, find, together, typed_count, usual_positive, whole_counts, within

if TYPE_CHECKING:
    from howsure.evidence.label_sets import Multilabel
    from howsure.evidence.outcomes import Outcomes
    from howsure.evidence.strata import Stratified


# -- named matrices
#
# Confusion matrices whose rows and columns have names, as in data frames: counts and classes, matched by name.

Names = tuple[Label, ...]
_MARGINS: Final = frozenset({"all", "margin", "margins", "sum", "total", "totals"})


def matched(table: Any, labels: Sequence[Label] | None) -> tuple[Any, Sequence[Label] | None]:
    """The counts with columns in the order of the rows, and the classes; what has no names is as it was given."""
    index, columns = getattr(table, "index", None), getattr(table, "columns", None)
    if not (hasattr(index, "tolist") and hasattr(columns, "tolist") and hasattr(table, "to_numpy")):
        return table, labels
    counts = table.to_numpy()
    names = _names(index, columns)
    if names is None:
        return counts, labels
    rows, across = names
    places = _places(rows, across)
    if places is None:
        way = "table.reindex(index=classes, columns=classes, fill_value=0)"
        refuse_margin(counts, rows, across, "the matrix", f" If it is a class, give it a {{}} too, with {way}.")
        raise BadCounts(
            f"the matrix names columns {_listed(across)} but rows {_listed(rows)}; they must agree. Give it a row and "
            f"a column for each class, with {way}."
        )
    counts = counts[:, places]
    if labels is None:
        return counts, rows if any(not isinstance(x, str) for x in rows) else tuple(across[i] for i in places)
    wanted = check_labels(labels)
    order = _places(wanted, rows)
    if order is None:
        raise BadLabels(
            f"the matrix names classes {_listed(rows)}, but {option('labels')} has {_listed(wanted)}; leave it out, or "
            "give the counts alone: table.to_numpy()."
        )
    return counts[np.ix_(order, order)], wanted


def refuse_margin(counts: Any, rows: Sequence[Label], across: Sequence[Label], what: str, way: str = "") -> None:
    """Refuse a row, or a column, that only this side names and that holds the sums of the others.

    `way` is what to do if it is a class, with {} for the side that it lacks; a usual name of margins is no class.
    """
    if np.asarray(counts).dtype.kind not in "iuf":
        return
    sides = (("row", "column", rows, across, counts), ("column", "row", across, rows, np.transpose(counts)))
    for side, other, own, others, lines in sides:
        more = [k for k, x in enumerate(own) if str(x) not in set(map(str, others))]
        if len(more) != 1 or len(own) != len(others) + 1:
            continue
        name, rest = own[more[0]], np.delete(lines, more[0], axis=0)
        called = is_margin(name)
        # sums of one class that has items are as good as counts
        if np.array_equal(lines[more[0]], rest.sum(axis=0)) and (called or (rest != 0).any(axis=1).sum() > 1):
            raise BadCounts(
                f"{side} {name!r} of {what} looks like a margin, since it holds the sums of the others; leave it out."
                f"{'' if called else way.format(other)}"
            )


def is_margin(name: Label) -> bool:
    """Whether it is a usual name of sums.

    >>> is_margin("All"), is_margin("cat")
    (True, False)
    """
    return str(name).strip().casefold() in _MARGINS


def refuse_margins(square: Integers, names: Names, framed: bool) -> None:
    """Refuse sums of the other rows and columns that stand in the matrix as if they were a class.

    They are known by their sums in a frame, which was most likely crossed with margins; elsewhere by their name too.
    Sums in the row only, or in the column, are known by their name.
    """
    if not square.any():
        return
    rows = (2 * square == square.sum(axis=-2, keepdims=True)).all(axis=-1).reshape(-1, len(names)).all(axis=0)
    columns = (2 * square == square.sum(axis=-1, keepdims=True)).all(axis=-2).reshape(-1, len(names)).all(axis=0)
    used = (square.any(axis=-1) | square.any(axis=-2)).reshape(-1, len(names)).any(axis=0)
    for k, name in enumerate(names):
        called = is_margin(name)
        if rows[k] and columns[k] and (called or (framed and used.sum() > 2)):
            # sums of one class that has items are as good as counts
            way = "" if called else " If it is a class, give the counts alone: table.to_numpy()."
            raise BadCounts(
                f"row and column {name!r} of the matrix hold the sums of the others and are no class; "
                f"leave such margins out.{way}"
            )
        if called and rows[k] != columns[k]:
            _refuse_one_side(square, k, name, "row" if rows[k] else "column")


def _refuse_one_side(square: Integers, k: int, name: Label, side: str) -> None:
    """Refuse sums in a row, or a column, beside an empty other side; of three classes or more beside any other."""
    if square.shape[-1] > 2 or not (square[..., :, k] if side == "row" else square[..., k, :]).any():
        raise BadCounts(
            f"{side} {name!r} of the matrix holds the sums of the others and is no class; leave {name!r} out. If it is "
            "one, give it another name."
        )


def _names(index: Any, columns: Any) -> tuple[Names, Names] | None:
    """The names of rows and of columns; those of one side are for both, and numbers that count places are none."""
    plain = [_counts_places(index), _counts_places(columns)]
    if all(plain):
        return None
    rows, across = check_labels(index.tolist()), check_labels(columns.tolist())
    if any(plain) and len(rows) == len(across) and set(rows) != set(across):
        rows = across = across if plain[0] else rows
    return rows, across


def _counts_places(index: Any) -> bool:
    """Whether it is what a frame has that was given no names."""
    return type(index).__name__ == "RangeIndex" and index.tolist() == list(range(len(index)))


def _places(wanted: Names, there: Names) -> list[int] | None:
    """Where names stand among others; of a file one side may be numbers and the other texts of them."""
    if set(wanted) == set(there):
        return [there.index(x) for x in wanted]
    spelled = {str(x): i for i, x in enumerate(there)}
    if len(spelled) < len(there) or spelled.keys() != set(map(str, wanted)) or len(wanted) != len(there):
        return None
    return [spelled[str(x)] for x in wanted]


def _listed(names: Names) -> str:
    return f"[{', '.join(map(repr, names[:20]))}{', ...' if len(names) > 20 else ''}]"


# -- classes
#
# Tally: the evidence of classes. Counts of the patterns (truth, answer of each system) that occur.
#
# A 2x2 table keeps all four patterns; a larger one only those that occur. Codes point into `labels`.


@dataclass(frozen=True, eq=False, kw_only=True)
class Tally(Patterns):
    """Counts of (truth, answers) patterns; immutable; `a + b` merges, so `sum(tallies)` merges shards.

    >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
    >>> t.n
    1000
    >>> (t + t).n
    2000
    """

    labels: tuple[Label, ...]
    positive: Label | None = None
    labels_given: bool = True  # not read off the data
    positive_given: bool = False  # asked for, not found by rule

    # -- makers

    @classmethod
    def binary(cls, *, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Tally:
        """A 2x2 table from its four counts; arrays make a batch.

        >>> Tally.binary(tp=[1, 2], fp=0, fn=0, tn=5).shape
        (2,)
        """
        given = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        parts = {name: whole_counts(value, name) for name, value in given.items()}
        full = dict(zip(parts, together(parts), strict=True))
        counts = np.stack([full[name] for name in ("tn", "fp", "fn", "tp")], axis=-1)
        batch = plain_axes(counts.shape[:-1])
        return cls(cells=SQUARE, counts=within(counts), labels=(0, 1), positive=1, batch=batch)

    @classmethod
    def matrix(
        cls,
        table: ArrayLike,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        rows: str = "truth",
    ) -> Tally:
        """A K x K confusion matrix, truth by rows (or `rows="pred"` for the transpose); labels default to 0..K-1.

        Rows and columns of a data frame are matched by their names, which are the labels.

        >>> t = Tally.matrix([[870, 20], [30, 80]])
        >>> t.tp, t.fp, t.fn, t.tn
        (80, 20, 30, 870)
        """
        given, (table, labels) = table, matched(table, labels)
        way = " must hold counts, which are whole numbers; got {}. If it was normalised, give it as it was counted."
        square = whole_counts(table, "the matrix", way)
        if square.ndim < 2 or square.shape[-1] != square.shape[-2] or square.shape[-1] < 2:
            raise BadCounts(
                f"a confusion matrix must be square, with two or more classes; this one has shape {square.shape}."
            )
        if rows not in ("truth", "pred"):
            told = f"{option('rows', 'truth')} or {option('rows', 'pred')}"
            raise UnknownName(f"{option('rows', rows)} is not known: give {told}.")
        k = square.shape[-1]
        names = tuple(range(k)) if labels is None else check_labels(labels)
        if len(names) != k:
            raise BadLabels(f"the matrix has {k} classes; got {plural(len(names), 'label')}: {listing(names)}.")
        if labels is not None:
            refuse_margins(square, names, framed=table is not given)
        if rows == "pred":
            square = np.swapaxes(square, -1, -2)
        codes = np.stack(np.meshgrid(np.arange(k), np.arange(k), indexing="ij"), axis=-1).reshape(-1, 2)
        counts = square.reshape(*square.shape[:-2], k * k)
        t = cls(cells=codes, counts=within(counts), labels=names, batch=plain_axes(counts.shape[:-1]))
        settled = replace(t, positive=usual_positive(names)) if positive is None else t.with_positive(positive)
        return settled.tidy()

    @staticmethod
    def rate(*, hits: ArrayLike, of: ArrayLike) -> Outcomes:
        """Outcomes: so many hits of so many trials; arrays make a batch.

        >>> Tally.rate(hits=47, of=50).n
        50
        """
        from howsure.evidence.outcomes import Outcomes

        return Outcomes.rate(hits=hits, of=of)

    @staticmethod
    def multilabel(
        truth: Any, pred: Any, *, labels: Sequence[Label] | None = None, independent: bool = False
    ) -> Multilabel:
        """Items with any number of labels: indicator tables of 0 and 1, or lists of label sets; a mapping has systems.

        The columns of frames are the labels, matched by name. Whole items are resampled, so that labels of one item
        stay together; independent=True takes each label alone.

        >>> Tally.multilabel([{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, {"b"}]).versus_rest("b").tp
        1
        """
        from howsure.evidence.label_sets import Multilabel

        return Multilabel.make(truth, pred, labels=labels, independent=independent)

    def stratified(self, sizes: Mapping[Any, float]) -> Stratified:
        """A stratified sample: the tables of the batch are strata with these population sizes, put together.

        Every stratum keeps its own posterior, and rates are those of the population.

        >>> t = Tally.rate(hits=[9, 2], of=[10, 10])
        >>> t.stratified({0: 1000, 1: 9000}).whole.hits.item()
        5.4
        """
        from howsure.evidence.strata import stratified

        return stratified(self, sizes)

    # -- what it holds

    @property
    def width(self) -> int:
        """The number of classes."""
        return len(self.labels)

    def named(self, *, effective: bool = False) -> dict[str, AnyArray]:
        """The counts by name, tp fp fn tn, for a table with a positive class and one system."""
        self.single()
        if self.positive is None:
            raise BadLabels(f"this table has no positive class: give one of {listing(self.labels)}.")
        yes = self.labels.index(self.positive)
        if self.cells is SQUARE:
            counts = self.effective if effective else self.counts
            at = (3, 1, 2, 0) if yes else (0, 2, 1, 3)
            return {name: counts[..., i] for name, i in zip(BINARY, at, strict=True)}
        truth, answer = self.cells[:, 0] == yes, self.cells[:, 1] == yes
        lost = self.cells[:, 1] < 0
        answer = answer | (lost & ~truth)  # a missing answer is never right
        parts = {"tp": truth & answer, "fp": ~truth & answer, "fn": truth & ~answer, "tn": ~truth & ~answer}
        return {name: self.sum_where(where, effective) for name, where in parts.items()}

    @property
    def tp(self) -> Any:
        """Positive items answered positive."""
        return out(self.named()["tp"])

    @property
    def fp(self) -> Any:
        """Negative items answered positive."""
        return out(self.named()["fp"])

    @property
    def fn(self) -> Any:
        """Positive items answered negative."""
        return out(self.named()["fn"])

    @property
    def tn(self) -> Any:
        """Negative items answered negative."""
        return out(self.named()["tn"])

    def by_class(self, *, effective: bool = False, lost: bool = True) -> dict[str, AnyArray]:
        """The counts tp, fp, fn and tn of every class against the rest, classes first, then the batch.

        A missing answer is a false one of every class, unless lost=False: then it is an answer of no class.
        """
        self.single()
        k, counts = len(self.labels), self.effective if effective else self.counts
        flat = np.moveaxis(counts, -1, 0)
        truth, answer = self.cells[:, 0], self.cells[:, 1]
        right, there = truth == answer, answer >= 0
        row, tp, col, none = (np.zeros((k, *self.shape), dtype=counts.dtype) for _ in range(4))
        np.add.at(row, truth, flat)
        np.add.at(tp, truth[right], flat[right])
        np.add.at(col, answer[there], flat[there])
        if lost and not there.all():
            np.add.at(none, truth[~there], flat[~there])
            col = col + none.sum(axis=0) - none
        return {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": flat.sum(axis=0) - row - col + tp}

    def pick(self, names: Sequence[str]) -> Self:
        """The joint table of these systems; classes that only the others answer still count in averages."""
        some = super().pick(names)
        if patterns.occurring(some) == patterns.occurring(self):
            return some
        return replace(some, labels_given=True)

    def versus_each(self) -> Tally:
        """The 2x2 tables of every class against the rest: a batch whose first axis is the class.

        >>> Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]]).versus_each().tp.tolist()
        [5, 7, 9]
        """
        squares = None if self.squares is None else in_square(self.squared.by_class())
        return each_against_rest(self, self.labels, in_square(self.by_class()), squares)

    def right_wrong(self, *, effective: bool = True) -> tuple[AnyArray, AnyArray]:
        """Counts of right and of wrong answers, any number of classes."""
        self.single()
        right = self.cells[:, 0] == self.cells[:, 1]
        return self.sum_where(right, effective), self.sum_where(~right, effective)

    def right_alone(self) -> tuple[float, float]:
        """Items on which the first of two systems alone is right, and the second."""
        one, two = (self.cells[:, 0] == self.cells[:, k] for k in (1, 2))
        return float(self.counts[one & ~two].sum()), float(self.counts[two & ~one].sum())

    def dense(self) -> AnyArray:
        """The K x K table, truth by rows (missing answers left out), for one system."""
        self.single()
        k = len(self.labels)
        table = np.zeros((*self.shape, k, k), dtype=self.counts.dtype)
        kept = self.cells[:, 1] >= 0
        table[..., self.cells[kept, 0], self.cells[kept, 1]] = self.counts[..., kept]
        return table

    def chi_square(self) -> tuple[Any, Any]:
        """Pearson's chi-square of the 2x2 table and its p-value (1 degree of freedom); a statistic, no posterior.

        None for a table with an empty margin (NaN within a batch).

        >>> x, p = Tally.binary(tp=80, fp=20, fn=30, tn=870).chi_square()
        >>> round(x, 4), p < 1e-99
        (540.3473, True)
        """
        from scipy import special

        c = {name: value.astype(float) for name, value in self.named(effective=True).items()}
        rows, columns = (c["tp"] + c["fn"]) * (c["fp"] + c["tn"]), (c["tp"] + c["fp"]) * (c["fn"] + c["tn"])
        n = c["tp"] + c["fp"] + c["fn"] + c["tn"]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = n * (c["tp"] * c["tn"] - c["fp"] * c["fn"]) ** 2 / (rows * columns)
        if np.ndim(value) == 0 and np.isnan(value):
            return None, None  # an empty margin: nothing to associate
        return out(value), out(special.gammaincc(0.5, np.asarray(value) / 2))

    def describe(self) -> dict[str, Any]:
        """Size and labels, and the named cells when there are four."""
        data: dict[str, Any] = {
            "n": number(self._each_once().sum()),
            "labels": [as_json(x) for x in self.labels],
            "positive": as_json(self.positive),
            "systems": list(self.systems),
            "outcome": False,
            "tables": self.tables,
            "weighted": self.weighted,
        }
        if not self.shape and len(self.systems) == 1 and self.positive is not None:
            two = self if len(self.labels) == 2 else self.versus_rest(self.positive)
            value, p = two.chi_square()
            data["cells"] = {k: number(v) for k, v in two.named().items()}
            data["chi_square"] = {"value": value, "p": p}
        return data

    def _each_once(self) -> AnyArray:
        """Counts in which every item occurs once: the tables of several thresholds share their items."""
        counts = self.counts
        for k, (name, axis) in reversed(list(enumerate(self.batch))):
            if name == THRESHOLD and not isinstance(axis, Slices):
                counts = counts.take(0, axis=k)
        return counts

    # -- views

    def tidy(self) -> Self:
        """Patterns in order, equal ones merged; all four of a 2x2 table, of a larger one those that occur."""
        if len(self.labels) != 2 or len(self.systems) != 1:
            return super().tidy()
        return replace(self, **patterns.full_square(self.merged()))

    def versus_rest(self, label: Label) -> Tally:
        """The 2x2 table of one class against all others.

        >>> Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]], labels=["a", "b", "c"]).versus_rest("b").tp
        7
        """
        at = self.find(label)
        if len(self.labels) == 2 and at == 1:
            return self.with_positive(self.labels[at])
        codes = np.where(self.cells < 0, -1, (self.cells == at).astype(int))
        rest = "rest" if self.labels[at] != "rest" else "other"
        names = (self.labels[1 - at] if len(self.labels) == 2 else rest, self.labels[at])
        return replace(self, cells=codes, labels=names, positive=self.labels[at]).tidy()

    def with_positive(self, label: Label | None) -> Self:
        """The same table with another positive class (or none)."""
        chosen = None if label is None else self.labels[self.find(label)]
        return replace(self, positive=chosen, positive_given=label is not None)

    def find(self, label: Label) -> int:
        """The place of a label; text that spells a label will do."""
        return find(label, self.labels)

    def single(self) -> None:
        """Refuse a table of several systems."""
        if len(self.systems) != 1:
            raise BadLabels(
                f"this tally holds {len(self.systems)} systems: choose one with t.system({self.systems[0]!r})."
            )

    # -- algebra

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        return patterns.tallies(self, other) if isinstance(other, Tally) else patterns.refused(self, other)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return patterns.same(self, other, ("labels", "positive")) if isinstance(other, Tally) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        size = f"{len(self.labels)} classes"
        batch = f", batch {self.shape}" if self.shape else ""
        if not self.shape and self.positive is not None and len(self.systems) == 1:
            size = ", ".join(f"{k}={out(v)}" for k, v in self.named().items())
        return f"Tally({size}{batch})"

    # -- travel

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: `Tally.from_dict(t.to_dict()) == t`.

        >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
        >>> Tally.from_dict(t.to_dict()) == t
        True
        """
        from howsure.evidence import documents

        return documents.document(
            self, self.cells, labels=self.labels, positive=self.positive, fixed=self.labels_given,
            chosen=self.positive_given,
        )  # fmt: skip

    def to_json(self) -> str:
        """to_dict as text."""
        from howsure.evidence import documents

        return documents.text(self.to_dict())

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Any:
        """The evidence of a document that to_dict of a tally, outcomes or label sets made."""
        from howsure.evidence.reading import evidence_of

        return evidence_of(document)

    @classmethod
    def from_json(cls, text: str | bytes) -> Any:
        """The evidence of a text that to_json made."""
        try:
            document = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise BadCounts("this is not a tally: the text is not JSON; write it with Tally.to_json.") from None
        return cls.from_dict(document)


def in_square(cells: Mapping[str, AnyArray]) -> AnyArray:
    """Counts by name in the order of the patterns of a 2x2 table."""
    return np.stack([cells[name] for name in ("tn", "fp", "fn", "tp")], axis=-1)


def each_against_rest(whole: Patterns, labels: tuple[Label, ...], counts: AnyArray, squares: AnyArray | None) -> Tally:
    """The 2x2 tables of every class, the class the first axis of the batch."""
    return Tally(
        cells=SQUARE, counts=counts, squares=squares, labels=("rest", "class"), positive="class",
        batch=(("class", labels), *whole.batch), systems=whole.systems, notes=whole.notes, library=whole.library,
    )  # fmt: skip


def typed_cells(text: str) -> dict[str, int]:
    """tp=80,fp=20,fn=30,tn=870 in any order, or 80,20,30,870."""
    parts = [x.strip() for x in text.replace(";", ",").split(",") if x.strip()]
    if not any("=" in x for x in parts):
        if len(parts) != 4:
            raise BadCounts(f"--counts needs four numbers, tp,fp,fn,tn; got {len(parts)} in {text!r}")
        return {name: typed_count(x, name) for name, x in zip(BINARY, parts, strict=True)}
    found: dict[str, int] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        name = name.strip().lower()
        if not equals or name not in BINARY:
            raise UnknownName(f"--counts knows tp, fp, fn and tn; got {part!r}.{nearest(name, BINARY)}")
        if name in found:
            raise BadCounts(f"--counts gives {name} twice in {text!r}")
        found[name] = typed_count(value, name)
    missing = [name for name in BINARY if name not in found]
    if missing:
        none = ", tn=0 if there are no true negatives" if missing == ["tn"] else ""
        raise BadCounts(f"--counts lacks {', '.join(missing)} in {text!r}; give all of tp, fp, fn and tn{none}")
    return found
