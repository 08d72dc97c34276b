"""A DuckDB of our own: in memory, or a database file that is read and nothing else; silent, and without a network."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Final

CONFIG: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_CONFINED: Final = {  # for a database that may come from somebody else: no file but itself, no secrets, no variables
    "enable_external_access": "false", "allow_persistent_secrets": "false", "python_enable_replacements": "false",
}  # fmt: skip
_OPEN: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


def interrupt() -> None:
    """End the queries that run: left alone, DuckDB would first finish what it has begun, and be it the whole file."""
    import duckdb

    for con in list(_OPEN):
        with contextlib.suppress(duckdb.Error):  # closed by now
            con.interrupt()


def connect(*, in_order: bool = False) -> Any:
    """Open a database in memory that fetches and loads no extensions. In order: one thread, from the first row on."""
    import duckdb

    config: Any = CONFIG | ({"threads": "1"} if in_order else {})
    return ready(duckdb.connect(config=config))


def open_file(path: str) -> Any:
    """Open a database file to read it: its views and a user's query reach no other file, and change no setting."""
    import duckdb

    config: Any = CONFIG | _CONFINED
    con = ready(duckdb.connect(path, read_only=True, config=config))
    con.execute("SET lock_configuration = true")
    return con


def ready(con: Any) -> Any:
    """A connection that no progress bar reaches standard output from, and that can be interrupted."""
    con.execute("SET enable_progress_bar = true")  # so that query_progress tells; the printing is ours
    con.execute("SET enable_progress_bar_print = false")
    _OPEN.add(con)
    return con
