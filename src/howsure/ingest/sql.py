"""Databases as a source: a DB-API connection with a table or a query, one GROUP BY in plain SQL that any of them reads.

Ibis tables come in as frames. Column names are quoted after they were found in the result; a query is the user's own;
values of conditions are bound.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from howsure.errors import BadFile, BadSetting
from howsure.ingest import conditions
from howsure.ingest.groups import Groups, read
from howsure.ingest.keys import DUCKDB, Arithmetic, Grouping, sql_arithmetic, sql_groups, sql_rows
from howsure.ingest.request import check_column
from howsure.language import option

_BACKTICKS: Final = ("mysql", "pymysql", "MySQLdb", "mariadb", "aiomysql")
_PLACES: Final = {"qmark": "?", "format": "%s", "pyformat": "%s"}
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
            raise BadSetting(f"a database needs {option('table')} or {option('query')}, one of them.")

    @property
    def called(self) -> str:
        """What it is, in messages."""
        return "the query" if self.table is None else f"table {self.table!r}"

    @property
    def _driver(self) -> str:
        return type(self.connection).__module__.partition(".")[0].lstrip("_")

    def _quoted(self, name: str) -> str:
        mark = "`" if self._driver in _BACKTICKS else '"'
        return mark + name.replace(mark, mark + mark) + mark

    @property
    def _source(self) -> str:
        if self.query is not None:
            return f"({str(self.query).strip().rstrip(';')}) given_rows"
        return ".".join(self._quoted(part) for part in str(self.table).split("."))

    @cached_property
    def names(self) -> list[str]:
        """The columns that there are."""
        found = self._run(f"SELECT * FROM {self._source} WHERE 1 = 0", ())[0]
        return [d[0] for d in found]

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, self.names, self.called)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        rows, bound = self._rows(grouping)
        found = self._run(sql_groups(grouping, rows), bound)[1]
        names = [*(k.name for k in grouping.keys), *grouping.aggregates]
        columns = list(zip(*found, strict=True)) or [()] * len(names)
        return read(grouping, {name: list(x) for name, x in zip(names, columns, strict=True)}, what)

    def distinct(self, grouping: Grouping) -> int:
        """How many there are."""
        rows, bound = self._rows(grouping)
        keys = ", ".join(k.name for k in grouping.keys)
        text = f"SELECT COUNT(*) FROM (SELECT DISTINCT {keys} FROM ({rows}) picked) counted"
        return int(self._run(text, bound)[1][0][0])

    def _rows(self, grouping: Grouping) -> tuple[str, tuple[Any, ...]]:
        self.check(grouping.columns)
        chosen, bound = self._where(grouping.where)
        source = f"{self._source}{chosen}"
        return sql_rows(grouping, source, lambda k: self._quoted(k.column), self._number, self._arithmetic), bound

    def _number(self, column: str) -> str:
        own = self._quoted(column)
        if self._driver == "duckdb":
            return f"CAST({own} AS DOUBLE)"  # to it 1.0 is a decimal, and large products overflow
        if self._driver != "sqlite3":
            return f"1.0 * {own}"
        return f"CASE WHEN typeof({own}) = 'text' THEN {own} ELSE 1.0 * {own} END"  # SQLite takes any text for 0

    @property
    def _arithmetic(self) -> Arithmetic:
        if self._driver == "duckdb":
            return DUCKDB
        # SQLite may lack FLOOR; cells are never below 0, so cutting off the fraction is as good
        return sql_arithmetic("CAST({} AS INTEGER)" if self._driver == "sqlite3" else "FLOOR({})")

    def _where(self, where: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        parts: list[str] = []
        bound: list[Any] = []
        for text in where:
            c = conditions.parse(text, tuple(self.names))
            self.check([c.column])
            sign = "<>" if c.operator == "!=" else c.operator
            bound.append(c.number if c.number is not None else c.value if c.flag is None else c.flag)
            parts.append(f"{self._quoted(c.column)} {sign} {_PLACE}")
        return f" WHERE {' AND '.join(parts)}" if parts else "", tuple(bound)

    def _run(self, text: str, bound: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        cursor = self.connection.cursor()
        try:
            cursor.execute(*((self._with_places(text), bound) if bound else (text,)))
            return cursor.description, cursor.fetchall()
        except Exception as error:  # noqa: BLE001 - every driver has its own family
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
