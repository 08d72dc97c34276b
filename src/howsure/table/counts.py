"""Tally: the sufficient statistic. Counts of the patterns (truth, answer of each system) that occur.

One layout serves every size: `cells` holds the integer codes of the patterns, one row a pattern, truth first;
`counts` holds batch axes and then one entry a pattern. A 2x2 table keeps all four patterns; a larger one only
those that occur. Codes point into `labels`; -1 is a missing answer that was kept as never right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure import serialise
from howsure.counting import whole, within
from howsure.errors import BadCounts, BadLabels, UnknownName, listing, nearest
from howsure.labels import Label, check_labels, places, plain, usual_positive
from howsure.labelsets import LabelSets, of_columns
from howsure.table.layout import BINARY, SQUARE, Array, Axis
from howsure.table.merging import merge, same, tidy
from howsure.table.travel import of_document, to_document

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of (truth, answers) patterns; immutable; `a + b` merges, so `sum(tallies)` merges shards.

    >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
    >>> t.n
    1000
    >>> (t + t).n
    2000
    """

    cells: Array
    counts: Array
    labels: tuple[Label, ...]
    systems: tuple[str, ...] = ("system",)
    positive: Label | None = None
    batch: tuple[Axis, ...] = ()
    squares: Array | None = None
    outcome: bool = False
    notes: tuple[tuple[str, str], ...] = ()
    fixed: bool = True  # the labels were given, not read off the data
    chosen: bool = False  # the positive class was asked for, not found by rule
    sets: LabelSets | None = None  # items with any number of labels: the codes of the cells are those of sets
    independent: bool = False  # whether each such label is taken on its own
    strata: tuple[Tally, tuple[float, ...]] | None = None  # a stratified sample: its parts, and their shares outside it

    def __post_init__(self) -> None:
        for array in (self.cells, self.counts, self.squares):
            if array is not None:
                array.setflags(write=False)

    # -- makers

    @classmethod
    def binary(cls, *, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Tally:
        """A 2x2 table from its four counts; arrays make a batch.

        >>> Tally.binary(tp=[1, 2], fp=0, fn=0, tn=5).shape
        (2,)
        """
        given = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        parts = {name: whole(value, name) for name, value in given.items()}
        try:
            full = np.broadcast_arrays(*(parts[name] for name in ("tn", "fp", "fn", "tp")))
        except ValueError:
            sizes = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
            raise BadCounts(f"tp, fp, fn and tn must have one shape, or broadcast to one; got {sizes}.") from None
        counts = np.stack(full, axis=-1)
        return cls(SQUARE, within(counts), (0, 1), positive=1, batch=_plain_axes(counts.shape[:-1]))

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

        >>> t = Tally.matrix([[870, 20], [30, 80]])
        >>> t.tp, t.fp, t.fn, t.tn
        (80, 20, 30, 870)
        """
        square = whole(table, "the matrix")
        if square.ndim < 2 or square.shape[-1] != square.shape[-2] or square.shape[-1] < 2:
            raise BadCounts(
                f"a confusion matrix must be square, two classes or more; this one has shape {square.shape}."
            )
        if rows not in ("truth", "pred"):
            raise UnknownName(f"rows={rows!r} is not known: give rows='truth' or rows='pred'.")
        if rows == "pred":
            square = np.swapaxes(square, -1, -2)
        k = square.shape[-1]
        names = tuple(range(k)) if labels is None else check_labels(labels)
        if len(names) != k:
            raise BadLabels(f"the matrix has {k} classes but {len(names)} labels were given: {listing(names)}.")
        codes = np.stack(np.meshgrid(np.arange(k), np.arange(k), indexing="ij"), axis=-1).reshape(-1, 2)
        counts = square.reshape(*square.shape[:-2], k * k)
        t = cls(codes, within(counts), names, batch=_plain_axes(counts.shape[:-1]))
        return (
            t.with_positive(positive) if positive is not None else replace(t, positive=usual_positive(names))
        )._tidy()

    @classmethod
    def rate(cls, *, hits: ArrayLike, of: ArrayLike) -> Tally:
        """Outcomes: so many hits of so many trials; arrays make a batch.

        >>> Tally.rate(hits=47, of=50).n
        50
        """
        parts = whole(hits, "hits"), whole(of, "of")
        try:
            good, total = np.broadcast_arrays(*parts)
        except ValueError:
            raise BadCounts(f"hits and of must have one shape; got {parts[0].shape} and {parts[1].shape}.") from None
        if np.any(good > total):
            at = np.argmax((good > total).ravel())
            raise BadCounts(f"hits cannot exceed trials: got {good.ravel()[at]} hits of {total.ravel()[at]}.")
        counts = np.stack([total - good, good], axis=-1)
        return cls(
            np.array([(1, 0), (1, 1)]),
            counts,
            ("fail", "pass"),
            positive="pass",
            batch=_plain_axes(counts.shape[:-1]),
            outcome=True,
        )

    @classmethod
    def multilabel(
        cls, truth: Any, pred: Any, *, labels: Sequence[Label] | None = None, independent: bool = False
    ) -> Tally:
        """Items with any number of labels: indicator tables of 0 and 1, or lists of label sets; a mapping has systems.

        Whole items are resampled, so that labels of one item stay together; independent=True takes each label alone.

        >>> Tally.multilabel([{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, {"b"}]).versus_rest("b").tp
        1
        """
        answers = dict(pred) if isinstance(pred, Mapping) else {"system": pred}
        if not answers:
            raise BadLabels("no predictions were given.")
        names = ["the truths", *(f"answers of {x}" if len(answers) > 1 else "the answers" for x in answers)]
        known, sets, codes = of_columns([truth, *answers.values()], names, labels)
        cells, counts = np.unique(codes, axis=0, return_counts=True)
        systems = tuple(str(x) for x in answers)
        return cls(cells, counts, known, systems, fixed=labels is not None, sets=sets, independent=bool(independent))

    # -- what it holds

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; () for one table."""
        return cast("tuple[int, ...]", self.counts.shape[:-1])

    @property
    def n(self) -> Any:
        """The number of items (the sum of weights when weighted)."""
        return _out(self.counts.sum(axis=-1))

    @property
    def totals(self) -> Array:
        """The number of items of every table, as an array of the batch shape."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.squares is not None

    @property
    def effective(self) -> Array:
        """Counts that drive the posterior: the counts, or counts·Σw/Σw² when weighted (Kish 1965)."""
        if self.squares is None:
            return self.counts.astype(float)
        total, square = self.counts.sum(axis=-1), self.squares.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(square > 0, total / square, 1.0)
        return np.asarray(self.counts * factor[..., None])

    def named(self, *, effective: bool = False) -> dict[str, Array]:
        """The counts by name, tp fp fn tn, for a table with a positive class and one system."""
        if self.outcome:
            hit, miss = (
                self._sum_where(self.cells[:, 1] == 1, effective),
                self._sum_where(self.cells[:, 1] != 1, effective),
            )
            zero = np.zeros_like(hit)
            return {"tp": hit, "fp": zero, "fn": miss, "tn": zero}
        self._single()
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
        return {name: self._sum_where(where, effective) for name, where in parts.items()}

    def _sum_where(self, where: NDArray[np.bool_], effective: bool) -> Array:
        counts = self.effective if effective else self.counts
        return np.asarray(counts[..., where].sum(axis=-1))

    @property
    def tp(self) -> Any:
        """Positive items answered positive."""
        return _out(self.named()["tp"])

    @property
    def fp(self) -> Any:
        """Negative items answered positive."""
        return _out(self.named()["fp"])

    @property
    def fn(self) -> Any:
        """Positive items answered negative."""
        return _out(self.named()["fn"])

    @property
    def tn(self) -> Any:
        """Negative items answered negative."""
        return _out(self.named()["tn"])

    def effective_of(self, j: int) -> Array:
        """The same of one table of a flattened batch."""
        tables = int(np.prod(self.shape, dtype=int))
        row = self.counts.reshape(tables, -1)[j].astype(float)
        if self.squares is None:
            return np.asarray(row)
        square = float(self.squares.reshape(tables, -1)[j].sum())
        return np.asarray(row * (row.sum() / square if square > 0 else 1.0))

    def by_class(self, *, effective: bool = False, lost: bool = True) -> dict[str, Array]:
        """The counts tp, fp, fn and tn of every class against the rest, classes first, then the batch.

        A missing answer is a false one of every class, unless lost=False: then it is an answer of no class.
        """
        self._single()
        if self.sets is not None:
            return self._by_label(effective)
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

    def memberships(self) -> tuple[Pairs, tuple[Pairs, ...], tuple[Pairs, ...]]:
        """Pattern and label of every true label, of every answer of each system, and of those that are right."""
        sets = cast("LabelSets", self.sets)
        truth, *answers = (sets.spread(column.astype(np.int64)) for column in self.cells.T)
        k = len(self.labels)
        both = []
        for pattern, label in answers:
            key = np.intersect1d(truth[0] * k + truth[1], pattern * k + label, assume_unique=True)
            both.append((key // k, key % k))
        return truth, tuple(answers), tuple(both)

    def _by_label(self, effective: bool) -> dict[str, Array]:
        counts = self.effective if effective else self.counts
        truth, (answer,), (both,) = self.memberships()
        k = len(self.labels)
        row, col, tp = (
            np.bincount(label, counts[pattern], k).astype(counts.dtype) for pattern, label in (truth, answer, both)
        )
        return {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": counts.sum() - row - col + tp}

    def versus_each(self) -> Tally:
        """The 2x2 tables of every class against the rest: a batch whose first axis is the class.

        >>> Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]]).versus_each().tp.tolist()
        [5, 7, 9]
        """
        cells = self.by_class()
        counts = np.stack([cells[name] for name in ("tn", "fp", "fn", "tp")], axis=-1)
        squares = None
        if self.squares is not None:
            parts = replace(self, counts=self.squares, squares=None).by_class()
            squares = np.stack([parts[name] for name in ("tn", "fp", "fn", "tp")], axis=-1)
        batch = (("class", self.labels), *self.batch)
        return replace(
            self, cells=SQUARE, counts=counts, squares=squares, labels=("rest", "class"), positive="class", batch=batch,
            sets=None,
        )  # fmt: skip

    def right_wrong(self, *, effective: bool = True) -> tuple[Array, Array]:
        """Counts of right and of wrong answers, any number of classes."""
        self._single()
        right = self.cells[:, 0] == self.cells[:, 1]
        return self._sum_where(right, effective), self._sum_where(~right, effective)

    def dense(self) -> Array:
        """The K x K table, truth by rows (missing answers left out), for one system."""
        self._single()
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
        return _out(value), _out(special.gammaincc(0.5, np.asarray(value) / 2))

    # -- views

    def system(self, name: str) -> Tally:
        """The table of one system, the others summed out."""
        (at,) = places([name], self.systems)
        own = replace(self, cells=self.cells[:, [0, at + 1]], systems=(name,), strata=None)._tidy()
        return own._with_strata(self, lambda part: part.system(name))

    def versus_rest(self, label: Label) -> Tally:
        """The 2x2 table of one class against all others.

        >>> Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 0, 9]], labels=["a", "b", "c"]).versus_rest("b").tp
        7
        """
        if self.strata is not None:
            whole = replace(self, strata=None).versus_rest(label)
            return whole._with_strata(self, lambda part: part.versus_rest(label))
        at = self.find(label)
        if self.sets is not None:
            inside = self.sets.holds(at).astype(np.int64)
            names: tuple[Label, ...] = ("without" if self.labels[at] != "without" else "lacking", self.labels[at])
            return replace(self, cells=inside[self.cells], labels=names, positive=self.labels[at], sets=None)._tidy()
        if len(self.labels) == 2 and at == 1:
            return self.with_positive(self.labels[at])
        codes = np.where(self.cells < 0, -1, (self.cells == at).astype(int))
        rest = "rest" if self.labels[at] != "rest" else "other"
        names = (self.labels[1 - at] if len(self.labels) == 2 else rest, self.labels[at])
        return replace(self, cells=codes, labels=names, positive=self.labels[at])._tidy()

    def stratified(self, sizes: Mapping[Any, float]) -> Tally:
        """A stratified sample: the tables of the batch are strata with these population sizes, put together.

        Every stratum keeps its own posterior, and rates are those of the population.

        >>> t = Tally.rate(hits=[9, 2], of=[10, 10])
        >>> t.stratified({0: 1000, 1: 9000}).named()["tp"].item()
        5.4
        """
        if len(self.batch) != 1:
            raise BadCounts("strata are the tables of one batch axis, such as by=['stratum'].")
        names = [x[0] if isinstance(x, tuple) and len(x) == 1 else x for x in self.batch[0][1]]
        given = {str(k): v for k, v in sizes.items()}
        lost = [x for x in names if str(x) not in given]
        extra = [x for x in given if x not in {str(n) for n in names}]
        if lost or extra:
            which = f"{listing(lost)} has none" if lost else f"{listing(extra)} is not in the sample"
            raise BadCounts(f"every stratum needs its population size, and only they: {which}.")
        population = np.array([float(given[str(x)]) for x in names])
        if not ((population > 0) & np.isfinite(population)).all():
            raise BadCounts("population sizes are finite numbers above 0.")
        if self.weighted or not self.totals.all():
            raise BadCounts("strata need items, and no weights of their own.")
        share = population / population.sum()
        counts = (self.counts * (share / self.totals)[:, None]).sum(axis=0) * self.totals.sum()
        return replace(self, counts=counts, batch=(), strata=(self, tuple(share.tolist())))

    def _with_strata(self, whole: Tally, view: Callable[[Tally], Tally]) -> Tally:
        """The strata of the whole, seen alike."""
        return self if whole.strata is None else replace(self, strata=(view(whole.strata[0]), whole.strata[1]))

    def with_positive(self, label: Label | None) -> Tally:
        """The same table with another positive class (or none)."""
        chosen = None if label is None else self.labels[self.find(label)]
        parts = None if self.strata is None else (self.strata[0].with_positive(label), self.strata[1])
        return replace(self, positive=chosen, chosen=label is not None, strata=parts)

    def find(self, label: Label) -> int:
        """The place of a label; text that spells a label will do."""
        wanted = plain(label)
        if not isinstance(wanted, Hashable):
            raise BadLabels(f"a class is named by one value, not by {type(label).__name__}.")
        for i, own in enumerate(self.labels):
            if own == wanted and isinstance(own, bool) == isinstance(wanted, bool):
                return i
        for i, own in enumerate(self.labels):
            if own == wanted or str(own) == str(wanted):
                return i
        names = [str(x) for x in self.labels]
        raise UnknownName(f"no class named {label!r}.{nearest(str(label), names)} Classes: {listing(self.labels)}.")

    # -- algebra

    def __add__(self, other: object) -> Tally:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Tally):
            return NotImplemented
        return merge(self, other)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        size = f"{len(self.labels)} classes" if not self.outcome else "outcomes"
        if self.sets is not None:
            size = f"{len(self.labels)} labels, {self.n:,} items"
        batch = f", batch {self.shape}" if self.shape else ""
        if not self.shape and self.positive is not None and len(self.systems) == 1 and not self.outcome:
            size = ", ".join(f"{k}={_out(v)}" for k, v in self.named().items())
        if self.outcome and not self.shape and len(self.systems) == 1:
            size = f"{_out(self.named()['tp'])} hits of {self.n}"
        return f"Tally({size}{batch})"

    # -- travel

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: `Tally.from_dict(t.to_dict()) == t`.

        >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
        >>> Tally.from_dict(t.to_dict()) == t
        True
        """
        return to_document(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Tally:
        """The Tally of a document that to_dict made."""
        return of_document(cls, document)

    def to_json(self) -> str:
        """to_dict as text."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Tally:
        """The Tally of a text that to_json made."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError:
            raise BadCounts("this is no tally: the text is not JSON; Tally.to_json makes one.") from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles hold counts in the smallest type that keeps them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("cells", "counts"):
            values[name] = serialise.small(values[name])
        return _unpickled, (values,)

    # -- inside

    def _single(self) -> None:
        if len(self.systems) != 1:
            raise BadLabels(
                f"this tally holds {len(self.systems)} systems: take one with t.system({self.systems[0]!r})."
            )

    def _tidy(self) -> Tally:
        return tidy(self)


def _unpickled(values: dict[str, Any]) -> Tally:
    cells, counts = values["cells"].astype(np.int64), values["counts"]
    cells = SQUARE if np.array_equal(cells, SQUARE) else cells
    return Tally(
        **{**values, "cells": cells, "counts": counts if counts.dtype.kind == "f" else counts.astype(np.int64)}
    )


def _plain_axes(shape: tuple[int, ...]) -> tuple[Axis, ...]:
    if 0 in shape:
        raise BadCounts(f"an empty batch has no tables: got arrays of shape {shape}.")
    return tuple((f"batch{i}" if i else "batch", tuple(range(size))) for i, size in enumerate(shape))


def _out(value: Any) -> Any:
    """A Python number for a single value, an array for a batch."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array
