"""What rows are grouped by, and what comes back: distinct rows with their counts, the same from every engine.

The arithmetic of keys is written once, for SQL text, narwhals expressions and numpy arrays alike, so that every engine
puts a score into the same cell. Keys that are labels come back as coded columns, keys that are numbers as arrays.
Pieces that were counted apart are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

import numpy as np

from howsure.arrays import AnyArray, Array, Integers, Mask
from howsure.errors import BadCounts, BadLabels, plural
from howsure.evidence.protocol import Account, both, number
from howsure.evidence.slices import distinct
from howsure.io.columns import EXACT, Column, agreed, as_numbers, coded, refuse_many, stacked
from howsure.io.where import Judged
from howsure.messages.language import option
from howsure.validate import short, within

# -- keys

HUGE: Final = 1.7976931348623157e308  # not every database can be asked for NaN, but NaN is not below this
COUNT, SUM, SQUARE, LEAST, MOST, GIVEN = "n", "w", "ww", "least", "most", "given"
PART: Final = "part"  # the greatest fraction of an amount: 0 where all of them are whole
STATUS: Final = "status"  # of a row under the conditions: what each makes of it, added up
KEPT, UNREADABLE, FAILED = 0, 1, 1000

Form = Literal["label", "number", "odd", "steps", "hundredths", "cells"]


@dataclass(frozen=True)
class Piece:
    """Cells of one width from a start on: the cell of x is first + floor((x - start) * scale)."""

    start: float
    scale: float
    first: int


@dataclass(frozen=True)
class Key:
    """One thing to group by: its name in the query, its column, and what is made of it.

    label: the value as it is. number: as a number. odd: 0 if it is a finite number, else the number itself. steps: how
    many of some points it reaches. hundredths: how many hundredths it reaches. cells: the number of its cell.
    """

    name: str
    column: str
    form: Form = "label"
    points: tuple[float, ...] = ()
    pieces: tuple[Piece, ...] = ()
    blank: bool = False  # an empty field of a file of text is an empty text, and not a missing one


@dataclass(frozen=True)
class Grouping:
    """What an engine is asked for: the distinct rows of the keys, how many of each, and sums of an amount.

    `spans` are columns whose least and greatest finite number is wanted in each group. `where` are conditions on rows;
    with `drop` rows that an order cannot take, and rows without an amount, are left out, and not refused.
    """

    keys: tuple[Key, ...]
    amount: str | None = None
    spans: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    drop: bool = False

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that are read as numbers, the amount apart."""
        return tuple(dict.fromkeys([*(k.column for k in self.keys if k.form != "label"), *self.spans]))

    @property
    def labels(self) -> tuple[Key, ...]:
        """Keys that are values as they are."""
        return tuple(k for k in self.keys if k.form == "label")

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is grouped by or added up."""
        amount = () if self.amount is None else (self.amount,)
        return tuple(dict.fromkeys([*(k.column for k in self.keys), *self.spans, *amount]))

    @property
    def aggregates(self) -> tuple[str, ...]:
        """The names of what is asked for beside the keys."""
        sums = () if self.amount is None else (GIVEN, LEAST, MOST, PART, SQUARE, SUM)
        ends = [name for i in range(len(self.spans)) for name in (f"{LEAST}{i}", f"{MOST}{i}")]
        return (COUNT, *sums, *ends)


def bounded(x: Any) -> Any:
    """Whether a number is neither NaN nor infinite, for databases that have no function for it."""
    return (x <= HUGE) & (x >= -HUGE)


@dataclass(frozen=True)
class Arithmetic:
    """How an engine chooses between two values, rounds down, and tells that a number is not NaN, or finite."""

    when: Callable[[Any, Any, Any], Any]
    floor: Callable[[Any], Any]
    known: Callable[[Any], Any] = lambda x: x <= HUGE
    finite: Callable[[Any], Any] = bounded
    none: Any = None


NUMPY: Final = Arithmetic(np.where, np.floor, lambda x: ~np.isnan(x), np.isfinite, np.nan)


def made(key: Key, x: Any, how: Arithmetic) -> Any:
    """What a key makes of a column of numbers."""
    if key.form == "odd":
        return how.when(how.finite(x), 0.0, x)
    if key.form == "steps":
        total = how.when(x >= key.points[0], 1, 0)
        for point in key.points[1:]:
            total = total + how.when(x >= point, 1, 0)
        return how.when(how.known(x), total, how.none)
    if key.form == "hundredths":
        c = how.floor(x * 100.0)  # may be one off by rounding: a hundredth is the number nearest to its decimals
        hundred = x * 0.0 + 100.0  # polars multiplies by 1/100 where it could divide by 100, and misses some of them
        settled = how.when(x >= (c + 1.0) / hundred, c + 1.0, how.when(x < c / hundred, c - 1.0, c))
        return how.when(how.finite(x), settled, 0.0)
    if key.form == "cells":
        return how.when(how.finite(x), _cell(key.pieces, x, how), x)
    return x


def _cell(pieces: tuple[Piece, ...], x: Any, how: Arithmetic) -> Any:
    *rest, last = pieces
    found = how.floor((x - last.start) * last.scale) + float(last.first)
    for piece, after in zip(reversed(rest), reversed(pieces[1:]), strict=True):
        found = how.when(x < after.start, how.floor((x - piece.start) * piece.scale) + float(piece.first), found)
    return found


# -- SQL


@dataclass(frozen=True)
class Sql:
    """A piece of SQL that Python's signs work on.

    >>> (Sql("x") * 100.0 >= Sql("y")).text
    '((x * 1.00000000000000000e+02) >= y)'
    """

    text: str

    def _with(self, sign: str, other: Any) -> Sql:
        return Sql(f"({self.text} {sign} {literal(other)})")

    def __add__(self, other: Any) -> Sql:
        return self._with("+", other)

    def __sub__(self, other: Any) -> Sql:
        return self._with("-", other)

    def __mul__(self, other: Any) -> Sql:
        return self._with("*", other)

    def __truediv__(self, other: Any) -> Sql:
        return self._with("/", other)

    def __and__(self, other: Any) -> Sql:
        return self._with("AND", other)

    def __lt__(self, other: Any) -> Sql:
        return self._with("<", other)

    def __le__(self, other: Any) -> Sql:
        return self._with("<=", other)

    def __ge__(self, other: Any) -> Sql:
        return self._with(">=", other)


def literal(x: Any) -> str:
    """A number as SQL; with an exponent, so that it is a double and no decimal."""
    if isinstance(x, Sql):
        return x.text
    if x is None:
        return "NULL"
    return str(x) if isinstance(x, int) else f"{x:.17e}"


def sql_arithmetic(floor: str = "FLOOR({})") -> Arithmetic:
    """The arithmetic of any database."""
    return Arithmetic(
        lambda c, a, b: Sql(f"CASE WHEN {c.text} THEN {literal(a)} ELSE {literal(b)} END"),
        lambda x: Sql(floor.format(x.text)),
    )


# from the statistics of a Parquet file DuckDB takes x <= 1.8e308 for true, though statistics leave out NaN
DUCKDB: Final = replace(
    sql_arithmetic(), known=lambda x: Sql(f"NOT isnan({x.text})"), finite=lambda x: Sql(f"isfinite({x.text})")
)


def sql_rows(
    grouping: Grouping,
    source: str,
    label: Callable[[Key], str],
    number: Callable[[str], str],
    how: Arithmetic,
    status: str | None = None,
) -> str:
    """Rows of the keys, and of what is added up: columns get names of our own first, keys are made of these.

    With a status, rows that are not kept have nothing else: they are counted in one or two groups of their own.
    """
    g = grouping
    place = {column: f"x{i}" for i, column in enumerate(g.numbers)}
    first = [f"{label(k)} AS {k.name}" for k in g.labels]
    first += [f"{number(column)} AS {name}" for column, name in place.items()]
    if g.amount is not None:
        first.append(f"{number(g.amount)} AS {SUM}")
    first += [] if status is None else [f"{status} AS {STATUS}"]
    rows = f"SELECT {', '.join(first)} FROM {source}"
    if status is not None:
        names = [*(k.name for k in g.labels), *place.values(), *([SUM] if g.amount is not None else [])]
        kept = [f"CASE WHEN {STATUS} = {KEPT} THEN {name} END AS {name}" for name in names]
        rows = f"SELECT {', '.join([*kept, STATUS])} FROM ({rows}) judged"
    if not place:
        return rows
    second = [k.name for k in g.labels]
    second += [f"{made(k, Sql(place[k.column]), how).text} AS {k.name}" for k in g.keys if k.form != "label"]
    second += [f"CASE WHEN {how.finite(Sql(place[x])).text} THEN {place[x]} END AS f{i}" for i, x in enumerate(g.spans)]
    second += [] if g.amount is None else [SUM]
    second += [] if status is None else [STATUS]
    return f"SELECT {', '.join(second)} FROM ({rows}) numbered"


def status_sql(judged: Sequence[Judged]) -> str:
    """What becomes of a row: kept where all conditions hold, and left out where one fails, whatever the others say."""
    parts = []
    for j in judged:
        open_ = "" if j.unreadable is None else f" WHEN {j.unreadable} THEN {UNREADABLE}"
        parts.append(f"CASE WHEN {j.holds} THEN {KEPT}{open_} ELSE {FAILED} END")
    return " + ".join(parts)


def left_out(status: Any, rows: Any) -> dict[str, int]:
    """How many rows were not kept, by the reason."""
    state, many = np.asarray(status, dtype=np.int64), np.asarray(rows, dtype=np.int64)
    failed = state >= FAILED
    return {"where": int(many[failed].sum()), "missing": int(many[(state != KEPT) & ~failed].sum())}


def sql_groups(grouping: Grouping, rows: str, status: bool = False, how: Arithmetic = DUCKDB) -> str:
    """One GROUP BY over rows; aggregates are told by their place, and the status of rows is the last key.

    >>> print(sql_groups(Grouping((Key("truth", "y"), Key("answer0", "z"))), "SELECT truth, answer0 FROM t"))
    SELECT truth, answer0, COUNT(*) FROM (SELECT truth, answer0 FROM t) picked GROUP BY truth, answer0
    """
    keys = ", ".join([*(k.name for k in grouping.keys), *([STATUS] if status else [])])
    sums = ", ".join(_aggregate(name, how) for name in grouping.aggregates)
    return f"SELECT {keys}, {sums} FROM ({rows}) picked GROUP BY {keys}"


def _aggregate(name: str, how: Arithmetic) -> str:
    plain = {COUNT: "COUNT(*)", GIVEN: f"COUNT({SUM})", LEAST: f"MIN({SUM})", MOST: f"MAX({SUM})"}
    plain |= {PART: f"MAX({SUM} - {how.floor(Sql(SUM)).text})", SQUARE: f"SUM({SUM} * {SUM})", SUM: f"SUM({SUM})"}
    if name in plain:
        return plain[name]
    return f"MIN(f{name.removeprefix(LEAST)})" if name.startswith(LEAST) else f"MAX(f{name.removeprefix(MOST)})"


# -- groups

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
