"""Addresses of databases: sqlite:///x.db, duckdb:///x.duckdb or postgresql://host/name; opened to be read only.

Nothing is created, written or fetched, and no password reaches a message.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from howsure.errors import BadFile, BadSetting, UnknownName, hidden, listing, nearest
from howsure.io.database import Database
from howsure.messages.language import option, spelled
from howsure.messages.notes import Notes, note

Kind = Literal["sqlite", "duckdb", "postgresql"]
_SCHEMES: Final[dict[str, Kind]] = {
    "sqlite": "sqlite", "sqlite3": "sqlite", "duckdb": "duckdb", "postgresql": "postgresql", "postgres": "postgresql",
}  # fmt: skip
_OTHERS: Final = (
    "bigquery", "clickhouse", "cockroachdb", "databricks", "db2", "hive", "mariadb", "mssql", "mysql", "oracle",
    "presto", "redshift", "snowflake", "trino",
)  # fmt: skip
_NAMES: Final = {"sqlite": "a SQLite", "duckdb": "a DuckDB", "postgresql": "a PostgreSQL"}
_SUFFIXES: Final[dict[str, Kind]] = {
    ".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".duckdb": "duckdb", ".ddb": "duckdb",
}  # fmt: skip
_FORMS: Final = "sqlite:///file.db, duckdb:///file.duckdb or postgresql://user@host/name"
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\+[A-Za-z0-9_]+)?:(.*)", re.DOTALL)
_WORD: Final = re.compile(r"^([^/@:]*):[^/@]*@")  # of what was meant for a server
_LOGS: Final = (".wal", ".wal.checkpoint", ".wal.recovery")  # files that DuckDB may read beside a database
_LISTED: Final = (
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
)


@dataclass(frozen=True)
class Address:
    """Where a database is: a file, or what libpq is told, which may hold a password."""

    kind: Kind
    place: str = field(repr=False)

    @property
    def text(self) -> str:
        """As it is written."""
        return self.place if self.kind == "postgresql" else f"{self.kind}:///{self.place}"

    def connect(self) -> Any:
        """A connection that only reads; errors are one sentence."""
        return {"sqlite": _sqlite, "duckdb": _duckdb, "postgresql": _postgres}[self.kind](self.place)


def is_address(data: Any) -> bool:
    """Whether it is the address of a database, and no path."""
    found = _SCHEME.match(data) if isinstance(data, str) else None
    return found is not None and (found[1].lower() in _SCHEMES or found[1].lower() in _OTHERS)


def address(text: str) -> Address:
    """What a text means: an address in any spelling that is clear, or a file that is a database.

    >>> address("sqlite://answers.db").place, address("sqlite:////data/answers.db").place
    ('answers.db', '/data/answers.db')
    """
    found = _SCHEME.fullmatch(text.strip())
    scheme = found[1].lower() if found is not None else ""
    if found is None or (len(scheme) == 1 and not found[2].startswith("//")):  # C:\x.db
        return _file(text.strip())
    if scheme in _OTHERS:
        way = spelled("give a DB-API connection", "in Python give hs.score a DB-API connection")
        raise BadSetting(f"{scheme} addresses are not read: {_FORMS} are; for other databases {way}.")
    if scheme not in _SCHEMES:
        raise BadSetting(f"a database is {_FORMS}; got {hidden(text)!r}.")
    kind, rest = _SCHEMES[scheme], found[2]
    if kind == "postgresql":
        return Address(kind, f"postgresql://{rest.removeprefix('//')}")
    place = rest[3:] if rest.startswith("///") else rest.removeprefix("//")
    if place.strip("/") in ("", ":memory:"):
        raise BadSetting(f"a database in memory is empty here: give the file, {kind}:///file; got {text!r}.")
    return Address(kind, place)


def _file(text: str) -> Address:
    """A path without a scheme: what the file is, or what its suffix says."""
    path = Path(text)
    kind = _written(path) or _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise BadSetting(f"a database is {_FORMS}; got {hidden(text)!r}.")
    return Address(kind, text)


def _written(path: Path) -> Kind | None:
    """What wrote a file, by its first bytes; None where it is no database."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except (OSError, ValueError):
        return None
    if head == b"SQLite format 3\0":
        return "sqlite"
    return "duckdb" if head[8:12] == b"DUCK" else None


def _checked(place: str, kind: Kind) -> Path:
    """The file of a database, which is there: opening another would make it."""
    path = Path(place)
    if not path.exists():
        absolute = Path("/" + place)
        way = f" Did you mean {kind}:///{absolute}, with four slashes?" if absolute.is_file() else ""
        harmless = _WORD.sub(r"\1:***@", place)
        raise BadFile(f"there is no file {harmless!r}.{way}")
    if not path.is_file():
        raise BadFile(f"{place!r} is not a file; give the file of the database.")
    found = _written(path)
    if found != kind and path.stat().st_size > 0:
        way = "" if found is None else f"; it is {_NAMES[found]} one: give {found}:///{place}"
        raise BadFile(f"{place!r} is not {_NAMES[kind]} database{way}.")
    return path


def _sqlite(place: str) -> Any:
    import sqlite3

    path = _checked(place, "sqlite")
    try:
        con = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise BadFile(f"cannot open {place!r}: {error}.") from None
    con.execute("PRAGMA trusted_schema = OFF")  # the database may come from somebody else
    con.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    con.set_progress_handler(lambda: 0, 100_000)  # so that Python sees Control-C during a long query
    return con


def _duckdb(place: str) -> Any:
    import duckdb

    from howsure import duck

    path = _checked(place, "duckdb")
    _refuse_linked_logs(path)
    try:
        return duck.open_file(str(path))
    except duckdb.Error as error:
        raise BadFile(f"cannot open {place!r}: {first_line(error)}.") from None


def _refuse_linked_logs(path: Path) -> None:
    """Refuse a link where DuckDB keeps its log: a view could read the file at its end."""
    for own in {path, path.resolve()}:
        for suffix in _LOGS:
            log = own.with_name(own.name + suffix)
            if log.is_symlink():
                raise BadFile(f"{str(log)!r} is a link, and would be read with {str(path)!r}; remove the link.")


def _postgres(place: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise BadSetting("reading PostgreSQL needs psycopg: pip install 'howsure[postgres]'.") from None
    try:
        told = psycopg.conninfo.conninfo_to_dict(place)
    except psycopg.Error:
        told = {"host": "@"}
    if any("@" in str(told.get(x) or "") for x in ("host", "port", "dbname")):  # it would be part of a password
        form = "postgresql://user:password@host:5432/name, with %40 for an @ and %2F for a / in the password"
        raise BadSetting(f"the address {hidden(place)!r} cannot be read; write {form}.")
    try:
        con = psycopg.connect(place, connect_timeout=told.get("connect_timeout", 10))
        con.read_only = True
        con.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ  # several queries see the same rows
    except (psycopg.Error, UnicodeError) as error:
        said = first_line(error).replace(str(told.get("password") or "\0"), "***")
        raise BadFile(f"cannot connect to {hidden(place)!r}: {said}.") from None
    return con


def first_line(error: BaseException) -> str:
    """What a driver says, in short: of several attempts the last, without advice."""
    lines = [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
    tried = [x for x in lines if x.startswith("- ")]
    return (tried[-1].removeprefix("- ") if tried else lines[0])[:200].rstrip(".:")


# -- tables and queries


@contextlib.contextmanager
def opened(text: str, table: str | None, query: str | None) -> Iterator[tuple[Database, Notes]]:
    """The rows of a table or of a query, of a database that is open meanwhile; its only table where none is named."""
    with contextlib.closing(address(text).connect()) as con:
        notes: Notes = ()
        if table is None and query is None:
            table = _only_table(con)
            notes = (note("table-taken", table=table),)
        yield _known(Database(con, table, query)), notes


def _known(source: Database) -> Database:
    """The same, once its columns are known; what there is instead is told where it is not found."""
    if source.query is not None:
        _refuse_several(source)
    try:
        source.names()
    except BadFile as error:
        if source.query is not None:
            raise BadFile(f"{str(error).rstrip('.')}{_advice(source.query)}.") from None
        if source.driver == "psycopg":
            source.connection.rollback()  # or it refuses whatever comes next
        return _another(source, error)
    return source


def _another(source: Database, error: BadFile) -> Database:
    """A table whose name has dots, or a refusal that names the tables that there are."""
    names = _tables(source.connection)
    if source.table in names and "." in source.table:
        return Database(source.connection, query=f"SELECT * FROM {source.quoted(source.table)}")
    if source.table in names:
        raise error
    raise UnknownName(
        f"no table named {source.table!r} in the database.{nearest(str(source.table), names)} {_told(names)}"
    )


def _only_table(con: Any) -> str:
    names = _tables(con)
    if len(names) != 1:
        raise BadSetting(f"a database needs {option('table')} or {option('query')}, one of them. {_told(names)}")
    return names[0]


def _tables(con: Any) -> list[str]:
    """Tables and views, by their names; those outside of the usual schema with that before them."""
    if type(con).__module__.startswith("sqlite3"):
        own = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        return [x for (x,) in con.execute(f"SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND {own}")]
    found = con.execute(_LISTED).fetchall()
    return sorted(name if schema in ("public", "main") else f"{schema}.{name}" for schema, name in found)


def _told(names: list[str]) -> str:
    return f"Tables: {listing(sorted(names), 10)}." if names else "It has no tables."


def _refuse_several(source: Database) -> None:
    """Some drivers would run one statement after the other."""
    several = False
    if source.driver == "duckdb":
        import duckdb

        try:
            several = len(source.connection.extract_statements(source.empty)) != 1
        except duckdb.Error as error:  # it would run all statements before the one that is wrong
            raise BadFile(f"the database refuses the query: {first_line(error)}{_advice(str(source.query))}.") from None
    elif source.driver == "psycopg":
        import psycopg

        try:
            source.connection.execute(source.empty, prepare=True)
        except psycopg.Error as error:  # the first use says what else is wrong
            several = "multiple commands" in str(error)
        source.connection.rollback()
    if several:
        raise BadSetting(f"{option('query')} takes one SELECT; this is more than one statement.")


def _advice(query: str) -> str:
    reads = re.match(r"\s*(select|with|values|from|table)\b", query, re.IGNORECASE)
    return "" if reads and ";" not in query else f"; {option('query')} takes one SELECT, and nothing is written"
