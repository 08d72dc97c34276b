"""Databases to a Tally: a DB-API connection with a table or a query, one GROUP BY in plain SQL that any of them reads.

Ibis tables come in as frames. Column names are quoted after they were found in the result; a query is the user's own.
"""

from __future__ import annotations

from typing import Any, Final

from howsure.errors import BadFile, BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest.request import COUNT, GIVEN, LEAST, MOST, SQUARE, SUM, Request

_BACKTICKS: Final = ("mysql", "pymysql", "MySQLdb", "mariadb", "aiomysql")
_HUGE: Final = "1.7976931348623157e308"  # a NaN is not below it, on databases that order NaN last


def is_connection(data: Any) -> bool:
    """Whether it looks like a DB-API connection."""
    return all(callable(getattr(data, name, None)) for name in ("cursor", "commit", "rollback", "close"))


def tally_sql(
    connection: Any, request: Request, table: str | None = None, query: str | None = None
) -> Tally | Outcomes:
    """The Tally of a table or of a query's rows."""
    if (table is None) == (query is None):
        raise BadSetting("a database needs table= or query=, one of them.")
    mark = "`" if type(connection).__module__.partition(".")[0] in _BACKTICKS else '"'
    source = _table(str(table), mark) if query is None else f"({str(query).strip().rstrip(';')}) given_rows"
    cursor = connection.cursor()
    try:
        names = [d[0] for d in _run(cursor, f"SELECT * FROM {source} WHERE 1 = 0", table, query).description]
        request.check(names, "the query" if table is None else f"table {table!r}")
        rows = _run(cursor, group_by(request, source, mark), table, query).fetchall()
    finally:
        cursor.close()
    columns = list(zip(*rows, strict=True)) or [()] * (len(request.keys) + len(_aggregates(request)))
    labels = [*(name for name, _ in request.keys), *_aggregates(request)]
    return request.settle(request.counted({name: list(x) for name, x in zip(labels, columns, strict=True)}))


def group_by(request: Request, source: str, mark: str = '"') -> str:
    """The one query: keys by name in a derived table, grouped; aggregates by their place.

    >>> from howsure.ingest import request
    >>> print(group_by(request.make(truth="y", pred="z"), "t"))
    SELECT truth, answer0, COUNT(*) FROM (SELECT "y" AS truth, "z" AS answer0 FROM t) picked GROUP BY truth, answer0
    """
    picked = [f"{_key(name, column, request, mark)} AS {name}" for name, column in request.keys]
    if request.amount is not None:
        picked.append(f"1.0 * {_quoted(request.amount, mark)} AS amount")
    keys = ", ".join(name for name, _ in request.keys)
    sums = ", ".join(_aggregates(request).values())
    return f"SELECT {keys}, {sums} FROM (SELECT {', '.join(picked)} FROM {source}) picked GROUP BY {keys}"


def _aggregates(request: Request) -> dict[str, str]:
    found = {COUNT: "COUNT(*)"}
    if request.amount is not None:
        found |= {GIVEN: "COUNT(amount)", LEAST: "MIN(amount)", MOST: "MAX(amount)"}
        found |= {SQUARE: "SUM(amount * amount)", SUM: "SUM(amount)"}
    return found


def _key(name: str, column: str, request: Request, mark: str) -> str:
    own = _quoted(column, mark)
    if not request.thresholds or not name.startswith("answer"):
        return own
    steps = " + ".join(f"CASE WHEN {own} >= {t!r} THEN 1 ELSE 0 END" for t in request.thresholds)
    return f"CASE WHEN {own} <= {_HUGE} THEN {steps} END"


def _quoted(name: str, mark: str) -> str:
    return mark + name.replace(mark, mark + mark) + mark


def _table(name: str, mark: str) -> str:
    """schema.table, each part quoted."""
    return ".".join(_quoted(part, mark) for part in name.split("."))


def _run(cursor: Any, text: str, table: str | None, query: str | None) -> Any:
    try:
        cursor.execute(text)
    except Exception as error:  # noqa: BLE001 - every driver has its own family
        what = "the query" if query is not None else f"table {table!r}"
        said = (str(error).strip() or type(error).__name__).splitlines()[0][:160].rstrip(".")
        raise BadFile(f"the database refuses {what}: {said}.") from None
    return cursor
