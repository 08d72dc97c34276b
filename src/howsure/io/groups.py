"""Groups: the distinct rows that one group-by gave, with their counts; what every engine hands over.

Keys that are labels come as coded columns, keys that are numbers as arrays. Pieces that were counted apart are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from howsure.arrays import AnyArray, Array, Integers, Mask
from howsure.errors import BadCounts, BadLabels, plural
from howsure.evidence.protocol import Account, both, number
from howsure.evidence.slices import distinct
from howsure.io.columns import EXACT, Column, as_numbers, coded, refuse_many, stacked
from howsure.io.keys import COUNT, GIVEN, KEPT, LEAST, MOST, PART, SQUARE, STATUS, SUM, Grouping, left_out
from howsure.io.typed_text import agreed
from howsure.messages.language import option
from howsure.validate import short, within

WEIGHT_RANGE = "weights must lie between 1e-100 and 1e100 (or be 0); scale them, only their ratios matter."


@dataclass(frozen=True, eq=False)
class Groups:
    """Distinct rows: labels and numbers by the names of their keys, how many items each row is, or what they weigh.

    `rows` tells how many rows of the data each of them is, where that is not the count; `account` what became of all.
    """

    labels: Mapping[str, Column]
    counts: AnyArray
    squares: Array | None = None
    numbers: Mapping[str, Array] = field(default_factory=dict)
    spans: tuple[tuple[Array, Array], ...] = ()
    rows: AnyArray | None = None
    account: Account | None = None
    unweighed: int = 0  # rows that were left out: they have no weight, or no count

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def truth(self) -> Column:
        """The right answers."""
        return self.labels["truth"]

    @property
    def answers(self) -> tuple[Column, ...]:
        """The answers of each system, where they are labels."""
        return self.named("answer")

    @property
    def total(self) -> int | float:
        """The number of items."""
        return number(self.counts.sum())

    @property
    def sizes(self) -> AnyArray:
        """How many rows of the data each row is."""
        return self.counts if self.rows is None else self.rows

    def leaving(self, lost: Mask, why: str = "missing") -> Groups:
        """The same without some of the rows, which are accounted for."""
        account = None if self.account is None else self.account.without(why, self.sizes[lost].sum())
        return replace(self.at(~lost), account=account)

    def named(self, role: str) -> tuple[Column, ...]:
        """The columns of a role that may have several."""
        found: list[Column] = []
        while f"{role}{len(found)}" in self.labels:
            found.append(self.labels[f"{role}{len(found)}"])
        return tuple(found)

    def values(self, role: str = "answer") -> Array:
        """The numbers of a role that may have several, one column each."""
        names = [name for name in self.numbers if name.removeprefix(role).isdigit()]
        return np.stack([self.numbers[name] for name in names], axis=1)

    def at(self, rows: Any) -> Groups:
        """Some of the rows, in an order."""
        return Groups(
            {name: column.at(rows) for name, column in self.labels.items()},
            self.counts[rows],
            None if self.squares is None else self.squares[rows],
            {name: x[rows] for name, x in self.numbers.items()},
            tuple((low[rows], high[rows]) for low, high in self.spans),
            None if self.rows is None else self.rows[rows],
            self.account,
            self.unweighed,
        )

    def with_labels(self, **columns: Column) -> Groups:
        """The same with other columns in some roles."""
        return replace(self, labels={**self.labels, **columns})


class Source(Protocol):
    """Whatever holds rows and can count them: arrays, frames, files, a database, Spark."""

    @property
    def library(self) -> str | None:
        """The library of the frame, if it is one."""

    @property
    def eager(self) -> bool:
        """Whether the rows are in memory, or can be gone through only once; then many groups cost nothing more."""

    def names(self) -> Sequence[str]:
        """The columns that there are."""

    @property
    def called(self) -> str:
        """What it is, in messages."""

    def heading(self) -> Sequence[Any]:
        """The columns that there are, as far as the first rows tell."""

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows of some columns, as plain values."""

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there, with the nearest name."""

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""

    def distinct(self, grouping: Grouping) -> int:
        """About how many there are."""


def read(
    grouping: Grouping,
    raw: Mapping[str, Any],
    what: str = "weight",
    decoded: Callable[[dict[str, Column]], dict[str, Column]] = dict,
) -> Groups:
    """What an engine gave, by name, as Groups; `what` the amounts are: weights or counts.

    The status of rows, where there is one, tells which were not kept.
    """
    raw, lost = kept_rows(raw)
    labels = decoded({k.name: coded(raw[k.name]) for k in grouping.labels})
    for k in grouping.labels:
        if labels[k.name].sets and not k.name.startswith(("truth", "answer")):
            raise BadLabels(f"column {k.column!r} holds lists; one plain value per item is needed.")
    numbers = {k.name: as_numbers(raw[k.name], f"column {k.column!r}") for k in grouping.keys if k.form != "label"}
    rows = np.asarray(raw[COUNT], dtype=np.int64)
    unweighed = 0
    if grouping.amount is not None and grouping.drop:
        given = np.asarray(raw[GIVEN], dtype=np.int64)
        raw, unweighed, rows = _without(raw, given == 0), int((rows - given).sum()), given
    counts, squares = (rows, None) if grouping.amount is None else amounts(grouping.amount, what, raw, rows)
    spans = tuple((_floats(raw[f"{LEAST}{i}"]), _floats(raw[f"{MOST}{i}"])) for i in range(len(grouping.spans)))
    account = Account(int(rows.sum()) + unweighed + sum(lost.values()), {}, grouping.where)
    for why, many in lost.items():
        account = account.without(why, many)
    account = account.without("missing", unweighed)
    sizes = None if grouping.amount is None else rows
    found = Groups(labels, counts, squares, numbers, spans, sizes, account, unweighed)
    return found.at(rows > 0) if unweighed else found


def kept_rows(raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, int]]:
    """What an engine gave of the rows that were kept, and how many others there were."""
    if STATUS not in raw:
        return raw, {}
    lost = left_out(raw[STATUS], raw[COUNT])
    kept = np.asarray(raw[STATUS], dtype=np.int64) == KEPT
    if kept.all():
        return raw, lost
    at = np.flatnonzero(kept).tolist()
    return {name: x[kept] if isinstance(x, np.ndarray) else [x[i] for i in at] for name, x in raw.items()}, lost


def _without(raw: Mapping[str, Any], empty: Mask) -> dict[str, Any]:
    """The sums of groups, 0 where no row has an amount."""
    sums = {name: np.where(empty, 0.0, _floats(raw[name])) for name in (SUM, SQUARE, LEAST, MOST, PART)}
    return {**raw, **sums}


def amounts(name: str, what: str, raw: Mapping[str, Any], rows: Integers) -> tuple[Any, Any]:
    """Sums of weights and of their squares, or sums of counts; checked by their least and most."""
    given = np.asarray(raw[GIVEN], dtype=np.int64)
    sums, least, most = (_floats(raw[x]) for x in (SUM, LEAST, MOST))
    empty = int((rows - given).sum())
    if empty or not (np.isfinite(sums).all() and np.isfinite(most).all() and np.isfinite(least).all()):
        lost = f"{plural(empty, 'is', 'are')} missing" if empty else "at least one is NaN or infinite"
        way = f"; give {option('missing', 'drop')} to leave these rows out" if empty else ""
        raise BadLabels(f"{what}s must be finite numbers; {lost} in column {name!r}{way}.")
    if rows.size and least.min() < 0:
        raise BadLabels(f"{what}s cannot be negative; got {least.min():g} in column {name!r}.")
    if what == "weight":
        squares = _floats(raw[SQUARE])
        if rows.size and (most.max() > 1e100 or ((squares == 0) & (sums > 0)).any()):
            raise BadLabels(WEIGHT_RANGE)
        return sums, squares
    if (sums >= EXACT).any():  # a sum of doubles below it is the sum: none of its parts was rounded
        raise BadCounts(f"counts that add up to 2^53 ({EXACT}) or more are not exact; got {short(int(sums.max()))}.")
    if (_floats(raw[PART]) != 0).any():
        raise BadCounts(
            f"counts must be whole numbers; column {name!r} holds fractions. For weights give {option('weight')}."
        )
    return within(sums).astype(np.int64), None


def refuse_nothing(g: Groups) -> None:
    """Conditions that no row fulfils."""
    if not len(g) and g.account is not None and g.account.left_out.get("where"):
        told = " ".join(option("where", x) for x in g.account.where)
        raise BadLabels(f"no row is left of {many(g.account.read)}: {told} leaves none.")


def weighed(name: str, what: str, w: Array) -> tuple[Any, Any]:
    """The same of rows with one amount each."""
    with np.errstate(all="ignore"):
        raw = {GIVEN: ~np.isnan(w), LEAST: w, MOST: w, SUM: w, SQUARE: w * w, PART: w - np.floor(w)}
    return amounts(name, what, raw, np.ones(len(w), dtype=np.int64))


def beyond(grouping: Grouping, raw: Mapping[str, Any]) -> list[str]:
    """The columns read as numbers, in what an engine counted, that reach 2^53."""
    found = {k.column: [raw[k.name]] for k in grouping.keys if k.form == "number"}
    found |= {x: [raw[f"{LEAST}{i}"], raw[f"{MOST}{i}"]] for i, x in enumerate(grouping.spans)}
    return [x for x, own in found.items() if any((np.abs(_floats(v)) >= EXACT).any() for v in own)]


def _floats(values: Any) -> Array:
    return as_numbers(values, "sums")


def many(count: Any) -> str:
    """A count with all of its digits."""
    return f"{number(count):,}"


def alike(pieces: Sequence[Groups], grouping: Grouping, loose: Sequence[bool] = ()) -> list[Groups]:
    """Pieces counted apart, their labels under one typing; those of a loose piece are texts that may spell others."""
    names = {k.name: k.column for k in grouping.labels}
    if "truth" in names and not any(k.blank for k in grouping.labels):  # before typing, which takes long, too
        truths = [p.labels["truth"] for p in pieces]
        refuse_many(max(0 if x.sets else len(x.levels) for x in truths), sum(x.startswith("answer") for x in names))
    columns = agreed([p.labels for p in pieces], loose or [False] * len(pieces), names)
    return [replace(p, labels=own) for p, own in zip(pieces, columns, strict=True)]


def merged(pieces: Sequence[Groups]) -> Groups:
    """Pieces counted apart, as one; equal rows are added up."""
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    labels = {name: stacked([p.labels[name] for p in pieces]) for name in first.labels}
    numbers = {name: np.concatenate([p.numbers[name] for p in pieces]) for name in first.numbers}
    counts = np.concatenate([p.counts for p in pieces])
    if first.squares is None:
        within(counts)  # before whole numbers are added, which turn negative at 2^63
    squares = None if first.squares is None else np.concatenate([p.squares for p in pieces if p.squares is not None])
    spans = tuple(
        (np.concatenate([p.spans[i][0] for p in pieces]), np.concatenate([p.spans[i][1] for p in pieces]))
        for i in range(len(first.spans))
    )
    rows = None if first.rows is None else np.concatenate([p.sizes for p in pieces])
    account = first.account
    for p in pieces[1:]:
        account = both(account, p.account)
    unweighed = sum(p.unweighed for p in pieces)
    return added(Groups(labels, counts, squares, numbers, spans, rows, account, unweighed))


def added(g: Groups) -> Groups:
    """Equal rows become one, in the order of their codes and numbers."""
    if not len(g):
        return g
    codes = [c.codes + 1 for c in g.labels.values()]
    sizes = [len(c.levels) + 1 for c in g.labels.values()]
    for x in g.numbers.values():
        known, inverse = np.unique(x, return_inverse=True)
        codes.append(inverse.reshape(-1))
        sizes.append(len(known))
    rows, inverse = distinct(codes, sizes)
    first = np.empty(len(rows), dtype=np.int64)
    first[inverse] = np.arange(len(g))
    found = g.at(first)
    spans = tuple((_least(low, inverse, len(rows)), -_least(-high, inverse, len(rows))) for low, high in g.spans)
    squares = None if g.squares is None else _sum(g.squares, inverse, len(rows))
    many = None if g.rows is None else _sum(g.rows, inverse, len(rows))
    return replace(found, counts=_sum(g.counts, inverse, len(rows)), squares=squares, spans=spans, rows=many)


def _sum(values: AnyArray, at: Integers, size: int) -> AnyArray:
    out = np.zeros(size, dtype=values.dtype)
    np.add.at(out, at, values)
    return out


def _least(values: Array, at: Integers, size: int) -> Array:
    out = np.full(size, np.nan)
    np.fmin.at(out, at, values)
    return out
