"""Databases as a source: a DB-API connection, conditions on its columns, and one GROUP BY in plain SQL."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from howsure.errors import BadFile, BadSetting
from howsure.io import where as conditions
from howsure.io.columns import EXACT, coarse
from howsure.io.groups import (
    DUCKDB,
    FAILED,
    STATUS,
    Arithmetic,
    Grouping,
    Groups,
    beyond,
    read,
    sql_arithmetic,
    sql_groups,
    sql_rows,
    status_sql,
)
from howsure.io.request import check_column
from howsure.io.where import (
    DATE,
    NUMBER,
    TIME,
    ZONE,
    Condition,
    Judged,
    constant,
    of_duckdb,
    other_kind,
    with_unreadable,
)
from howsure.messages.language import option

# -- database conditions
#
# Conditions on columns of databases: by their types where the driver tells them, in SQLite by a function of Python.

POSTGRES: Final = ("psycopg", "psycopg2", "pg8000")
Kind = Literal["number", "real", "flag", "text", "moment"]
_CODES: Final[dict[int, Kind]] = {16: "flag", 700: "real"}  # of PostgreSQL


def kind_of(connection: Any, code: Any) -> Kind | None:
    """What a column holds, by the names that DB-API has for it; None where the driver does not tell."""
    module = sys.modules.get(type(connection).__module__.partition(".")[0])
    if code in _CODES and module is not None and module.__name__ in POSTGRES:
        return _CODES[code]
    names: tuple[tuple[str, Kind], ...] = (("NUMBER", "number"), ("STRING", "text"), ("DATETIME", "moment"))
    for name, kind in names:
        known = getattr(module, name, None)
        if known is not None and known == code:
            return kind
    plain: dict[Any, Kind] = {int: "number", float: "number", Decimal: "number", str: "text", datetime: "moment"}
    return plain.get(code) if isinstance(code, type) else None


def by_function(connection: Any, c: Condition, place: str, name: str) -> Judged:
    """SQLite holds any type in any column: each value is judged as it is, by a function of this name."""

    @lru_cache(maxsize=65_536, typed=True)
    def judge(x: Any) -> int:
        said = c.judge(bool(x) if c.flag is not None and x in (0, 1) else x)  # it has no other true and false
        return 2 if said is None else int(said)

    connection.create_function(name, 1, judge)
    return Judged(f"{name}({place}) = 1", f"{name}({place}) = 2" if c.ordered else None)


def of_database(c: Condition, place: str, kind: Kind | None, postgres: bool, bound: list[Any], mark: str) -> Judged:
    """A condition on a column of any other database; values are bound where the mark is."""
    sign = "<>" if c.operator == "!=" else c.operator
    if kind == "flag":
        if c.flag is None and c.number is None:
            return other_kind(c, place, "true and false")
        bound.append(c.number if c.flag is None else c.flag)
        return Judged(f"{place if c.flag is not None else f'CAST({place} AS int)'} {sign} {mark}")
    if kind in ("number", "real"):
        if c.number is None:
            return other_kind(c, place, "numbers")
        bound.append(c.single if kind == "real" else c.number)
        nan = f" AND CAST({place} AS float8) <> 'NaN'" if postgres else ""
        return Judged(f"{place} {sign} {mark}{nan}")
    if kind == "moment":
        if c.moment is None:
            return other_kind(c, place, "dates or times")
        if postgres:
            bound.append(Decimal(c.moment) / 1_000_000)
            return Judged(f"EXTRACT(EPOCH FROM {place}) {sign} {mark}")
        bound.append(datetime(1970, 1, 1) + timedelta(microseconds=c.moment))
        return Judged(f"{place} {sign} {mark}")
    if kind == "text":
        return _text(c, place, sign, postgres, bound, mark)
    bound.append(c.number if c.number is not None else c.value if c.flag is None else c.flag)
    return Judged(f"{place} {sign} {mark}")


def _text(c: Condition, place: str, sign: str, postgres: bool, bound: list[Any], mark: str) -> Judged:
    there = f"TRIM({place}) <> ''"
    if c.ordered and not postgres:
        conditions.refuse_kind(c, "text; cast it to numbers or times in a query")
    if (c.named and not c.ordered) or not postgres:
        bound.append(c.value)
        return Judged(f"({place} {sign} {mark} AND {there})")
    if c.flag is not None:
        bound.append(c.value.lower())
        return Judged(f"(LOWER(TRIM({place})) {sign} {mark} AND {there})")
    read, value = (_number(place), c.number) if c.moment is None else (_moment(place), Decimal(c.moment) / 1_000_000)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        own = constant(c, read, -1 if value > 0 else 1)
    else:
        bound.append(value)
        own = Judged(f"{read} {sign} {mark}")
    return with_unreadable(c, own.holds, f"{read} IS NULL AND {there}")


def _number(place: str) -> str:
    """Text as a number of any size, in PostgreSQL."""
    said = f"TRIM({place})"
    flags = f"WHEN LOWER({said}) = 'true' THEN 1 WHEN LOWER({said}) = 'false' THEN 0"
    return f"CASE WHEN {said} ~ '^({NUMBER})$' THEN CAST({said} AS numeric) {flags} END"


def _moment(place: str) -> str:
    """Text as seconds since 1970, in PostgreSQL."""
    said = f"TRIM({place})"
    zoned = f"CASE WHEN LENGTH({said}) > 10 AND {said} ~ '{ZONE}$' THEN {said} ELSE {said} || 'Z' END"
    whole = f"CASE WHEN LENGTH({said}) = 10 THEN {said} || ' 00:00:00Z' ELSE {zoned} END"
    form = f"{said} ~ '^{DATE}({TIME}{ZONE}?)?$'"
    return f"CASE WHEN {form} THEN EXTRACT(EPOCH FROM CAST({whole} AS timestamptz)) END"


# -- sql
#
# Databases as a source: a DB-API connection with a table or a query, one GROUP BY in plain SQL that any of them reads.
#
# Ibis tables come in as frames. Column names are quoted after they were found in the result; a query is the user's own;
# values of conditions are bound.

_BACKTICKS: Final = ("mysql", "pymysql", "MySQLdb", "mariadb", "aiomysql")
_LIMITS: Final = (*_BACKTICKS, *POSTGRES, "sqlite3", "duckdb")
_PLACES: Final = {"qmark": "?", "format": "%s", "pyformat": "%s"}
_FUNCTION: Final = "howsure_where{}"
_ELSEWHERE: Final = re.compile(r'Permission Error: Cannot access (?:file|directory) "(.+?)"')  # see howsure.duck
_PLACE: Final = "\0"  # of a value, until the driver's own sign is put there


def is_connection(data: Any) -> bool:
    """Whether it looks like a DB-API connection."""
    return all(callable(getattr(data, name, None)) for name in ("cursor", "commit", "rollback", "close"))


@dataclass(frozen=True, eq=False)
class Database:
    """A table of a database, or the rows of a query."""

    connection: Any
    table: str | None = None
    query: str | None = None
    library: str | None = None
    eager: bool = False

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            raise BadSetting(f"a database needs either {option('table')} or {option('query')}.")

    @property
    def called(self) -> str:
        """What it is, in messages."""
        return "the query" if self.table is None else f"table {self.table!r}"

    @property
    def driver(self) -> str:
        """The module of the connection."""
        return type(self.connection).__module__.partition(".")[0].lstrip("_")

    def quoted(self, name: str) -> str:
        """A name of a table or column, as nothing but a name."""
        mark = "`" if self.driver in _BACKTICKS else '"'
        return mark + name.replace(mark, mark + mark) + mark

    @property
    def _source(self) -> str:
        if self.query is not None:
            return f"({str(self.query).strip().rstrip(';')}\n) given_rows"  # its last line may be a comment
        return ".".join(self.quoted(part) for part in str(self.table).split("."))

    @property
    def empty(self) -> str:
        """All columns, and no row."""
        return f"SELECT * FROM {self._source} WHERE 1 = 0"

    @cached_property
    def _described(self) -> list[Any]:
        return list(self._run(self.empty, ())[0])

    def names(self) -> list[str]:
        """The columns that there are."""
        return [d[0] for d in self._described]

    heading = names

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows, of databases that are known to read LIMIT; of others nothing but the names."""
        if not columns or self.driver not in _LIMITS:
            return {x: [] for x in columns}
        self.check(columns)
        names = ", ".join(self.quoted(x) for x in columns)
        found = self._run(f"SELECT {names} FROM {self._source} LIMIT {int(rows)}", ())[1]
        return {name: [row[i] for row in found] for i, name in enumerate(columns)}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, self.names(), self.called)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        with self._conditions(grouping.where) as (judged, bound):
            return self._grouped(grouping, what, judged, bound)

    def _grouped(self, grouping: Grouping, what: str, judged: Sequence[tuple[Condition, Judged]], bound: Any) -> Groups:
        rows = self._rows(grouping, self._source, status_sql([x for _, x in judged]) if judged else None)
        found = self._run(sql_groups(grouping, rows, bool(judged), self._arithmetic), bound)[1]
        names = [*(k.name for k in grouping.keys), *([STATUS] if judged else []), *grouping.aggregates]
        columns = list(zip(*found, strict=True)) or [()] * len(names)
        raw = {name: list(x) for name, x in zip(names, columns, strict=True)}
        made = read(grouping, raw, what)
        for column in beyond(grouping, raw):
            self._refuse_rounded(column)
        if made.account is not None and made.account.left_out.get("missing") and not grouping.drop:
            self._refuse_unreadable(judged, bound)
        return made

    def _refuse_rounded(self, column: str) -> None:
        """Refuse a column of whole numbers that doubles do not tell apart."""
        own = self.quoted(column)
        ends = self._run(f"SELECT MIN({own}), MAX({own}) FROM {self._source}", ())[1][0]
        if any(isinstance(x, int) and abs(x) >= EXACT for x in ends):
            raise coarse(f"column {column!r}")

    def distinct(self, grouping: Grouping) -> int:
        """How many there are."""
        with self._conditions(grouping.where) as (judged, bound):
            chosen = " AND ".join(f"({x.holds})" for _, x in judged)
            rows = self._rows(grouping, f"{self._source}{f' WHERE {chosen}' if chosen else ''}")
            keys = ", ".join(k.name for k in grouping.keys)
            text = f"SELECT COUNT(*) FROM (SELECT DISTINCT {keys} FROM ({rows}) picked) counted"
            return int(self._run(text, bound)[1][0][0])

    def _rows(self, grouping: Grouping, source: str, status: str | None = None) -> str:
        self.check(grouping.columns)
        return sql_rows(grouping, source, lambda k: self.quoted(k.column), self._number, self._arithmetic, status)

    def _number(self, column: str) -> str:
        own = self.quoted(column)
        if self.driver == "duckdb":
            kind = next(str(d[1]) for d in self._described if d[0] == column)
            said = f"IF(contains({own}, '_'), 'no number: ' || {own}, {own})" if kind == "VARCHAR" else own
            return f"CAST({said} AS DOUBLE)"  # to it 1.0 is a decimal, and large products overflow; and 1_000 a number
        if self.driver != "sqlite3":
            return f"1.0 * {own}"
        return f"CASE WHEN typeof({own}) = 'text' THEN {own} ELSE 1.0 * {own} END"  # SQLite takes any text for 0

    @property
    def _arithmetic(self) -> Arithmetic:
        if self.driver == "duckdb":
            return DUCKDB
        # SQLite may lack FLOOR; cells are never below 0, so cutting off the fraction is as good
        return sql_arithmetic("CAST({} AS INTEGER)" if self.driver == "sqlite3" else "FLOOR({})")

    @contextmanager
    def _conditions(self, where: Sequence[str]) -> Iterator[tuple[list[tuple[Condition, Judged]], Any]]:
        """The conditions in SQL and the values in it; what SQLite was given to judge by is taken from it at the end.

        The name of the function stays in its list, as Python cannot take that back; nothing is behind it.
        """
        try:
            yield self._judged(where)
        finally:
            for i in range(len(where) if self.driver == "sqlite3" else 0):
                self.connection.create_function(_FUNCTION.format(i), 1, None)

    def _judged(self, where: Sequence[str]) -> tuple[list[tuple[Condition, Judged]], Any]:
        bound: Any = {} if self.driver == "duckdb" else []
        found = []
        for i, text in enumerate(where):
            c = conditions.parse(text, tuple(self.names()))
            self.check([c.column])
            code = next(d[1] for d in self._described if d[0] == c.column)
            place = self.quoted(c.column)
            if self.driver == "duckdb":
                own = of_duckdb(c, place, str(code), bound, f"where{i}_")
            elif self.driver == "sqlite3":
                own = by_function(self.connection, c, place, _FUNCTION.format(i))
            else:
                own = of_database(c, place, kind_of(self.connection, code), self.driver in POSTGRES, bound, _PLACE)
            found.append((c, own))
        return found, bound if isinstance(bound, dict) else tuple(bound)

    def _refuse_unreadable(self, judged: Sequence[tuple[Condition, Judged]], bound: Any) -> None:
        """Refuse a value that an order cannot take, in a row that no other condition leaves out."""
        status = status_sql([x for _, x in judged])
        for c, own in judged:
            if own.unreadable is not None:
                told = f"SELECT {self.quoted(c.column)} AS said, {own.unreadable} AS open_, {status} AS {STATUS}"
                query = f"SELECT MIN(said) FROM ({told} FROM {self._source}) judged WHERE open_ AND {STATUS} < {FAILED}"
                said = self._run(query, bound)[1]
                if said and said[0][0] is not None:
                    conditions.refuse_unreadable(c, said[0][0])

    def _run(self, text: str, bound: Any) -> tuple[Any, list[Any]]:
        cursor = self.connection.cursor()
        try:
            cursor.execute(*((self._with_places(text), bound) if bound else (text,)))
            return cursor.description, cursor.fetchall()
        except Exception as error:  # noqa: BLE001 - every driver has its own family
            elsewhere = _ELSEWHERE.search(str(error)) if self.driver == "duckdb" else None
            if elsewhere:
                told = f"{self.called} reads another file, {elsewhere[1]!r}; howsure reads only the database"
                raise BadFile(f"{told}. Give that file by its name, or copy its rows into a table.") from None
            said = (str(error).strip() or type(error).__name__).splitlines()[0][:160].rstrip(".")
            raise BadFile(f"the database refuses {self.called}: {said}.") from None
        finally:
            cursor.close()

    def _with_places(self, text: str) -> str:
        """The driver's own signs for the values that are bound."""
        style = getattr(sys.modules.get(type(self.connection).__module__.partition(".")[0]), "paramstyle", "qmark")
        if style in ("format", "pyformat"):
            text = text.replace("%", "%%")
        first, *rest = text.split(_PLACE)
        return first + "".join(f"{_PLACES.get(style, f':{i}')}{x}" for i, x in enumerate(rest, 1))
