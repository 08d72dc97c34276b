"""Tally: the evidence of classes. Counts of the patterns (truth, answer of each system) that occur.

A 2x2 table keeps all four patterns; a larger one only those that occur. Codes point into `labels`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from howsure.counting import together, whole, within
from howsure.errors import BadCounts, BadLabels, UnknownName, listing, plural
from howsure.evidence import documents, merging
from howsure.evidence.layout import BINARY, SQUARE, THRESHOLD, Array, as_json, number, plain_axes
from howsure.evidence.named_matrices import matched, refuse_margins
from howsure.evidence.patterns import Patterns, out
from howsure.labels import Label, check_labels, find, usual_positive
from howsure.language import option
from howsure.slices import Slices

if TYPE_CHECKING:
    from howsure.evidence.label_sets import Multilabel
    from howsure.evidence.outcomes import Outcomes
    from howsure.evidence.strata import Stratified


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
        parts = {name: whole(value, name) for name, value in given.items()}
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
        square = whole(table, "the matrix", way)
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

    def named(self, *, effective: bool = False) -> dict[str, Array]:
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

    def by_class(self, *, effective: bool = False, lost: bool = True) -> dict[str, Array]:
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
        if merging.occurring(some) == merging.occurring(self):
            return some
        return replace(some, labels_given=True)

    def versus_each(self) -> Tally:
        """The 2x2 tables of every class against the rest: a batch whose first axis is the class.

        >>> Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]]).versus_each().tp.tolist()
        [5, 7, 9]
        """
        squares = None if self.squares is None else in_square(self.squared.by_class())
        return each_against_rest(self, self.labels, in_square(self.by_class()), squares)

    def right_wrong(self, *, effective: bool = True) -> tuple[Array, Array]:
        """Counts of right and of wrong answers, any number of classes."""
        self.single()
        right = self.cells[:, 0] == self.cells[:, 1]
        return self.sum_where(right, effective), self.sum_where(~right, effective)

    def right_alone(self) -> tuple[float, float]:
        """Items on which the first of two systems alone is right, and the second."""
        one, two = (self.cells[:, 0] == self.cells[:, k] for k in (1, 2))
        return float(self.counts[one & ~two].sum()), float(self.counts[two & ~one].sum())

    def dense(self) -> Array:
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

    def _each_once(self) -> Array:
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
        return replace(self, **merging.full_square(self.merged()))

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
        return merging.tallies(self, other) if isinstance(other, Tally) else merging.refused(self, other)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return merging.same(self, other, ("labels", "positive")) if isinstance(other, Tally) else NotImplemented

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
        return documents.document(
            self, self.cells, labels=self.labels, positive=self.positive, fixed=self.labels_given,
            chosen=self.positive_given,
        )  # fmt: skip

    def to_json(self) -> str:
        """to_dict as text."""
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


def in_square(cells: Mapping[str, Array]) -> Array:
    """Counts by name in the order of the patterns of a 2x2 table."""
    return np.stack([cells[name] for name in ("tn", "fp", "fn", "tp")], axis=-1)


def each_against_rest(whole: Patterns, labels: tuple[Label, ...], counts: Array, squares: Array | None) -> Tally:
    """The 2x2 tables of every class, the class the first axis of the batch."""
    return Tally(
        cells=SQUARE, counts=counts, squares=squares, labels=("rest", "class"), positive="class",
        batch=(("class", labels), *whole.batch), systems=whole.systems, notes=whole.notes, library=whole.library,
    )  # fmt: skip
