"""What rows are grouped by: labels as they are, numbers, and whole numbers made from numbers by simple arithmetic.

The arithmetic is written once, for SQL text, narwhals expressions and numpy arrays alike, so that every engine puts a
score into the same cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from howsure.io.where import Judged

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
    sums = ", ".join(_sum(name, how) for name in grouping.aggregates)
    return f"SELECT {keys}, {sums} FROM ({rows}) picked GROUP BY {keys}"


def _sum(name: str, how: Arithmetic) -> str:
    plain = {COUNT: "COUNT(*)", GIVEN: f"COUNT({SUM})", LEAST: f"MIN({SUM})", MOST: f"MAX({SUM})"}
    plain |= {PART: f"MAX({SUM} - {how.floor(Sql(SUM)).text})", SQUARE: f"SUM({SUM} * {SUM})", SUM: f"SUM({SUM})"}
    if name in plain:
        return plain[name]
    return f"MIN(f{name.removeprefix(LEAST)})" if name.startswith(LEAST) else f"MAX(f{name.removeprefix(MOST)})"
