"""A DuckDB of our own: in memory, or a file to be read; silent, and without a network."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Final

CONFIG: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_OPEN: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


def interrupt() -> None:
    """End the queries that run: left alone, DuckDB would first finish what it has begun, and be it the whole file."""
    import duckdb

    for con in list(_OPEN):
        with contextlib.suppress(duckdb.Error):  # closed by now
            con.interrupt()


def connect(database: str = ":memory:", *, read_only: bool = False, in_order: bool = False) -> Any:
    """A new connection; extensions are neither fetched nor loaded. In order: by one thread, from the first row on."""
    import duckdb

    config: Any = CONFIG | ({"threads": "1"} if in_order else {})
    return ready(duckdb.connect(database, read_only=read_only, config=config))


def ready(con: Any) -> Any:
    """A connection that no progress bar reaches standard output from, and that can be interrupted."""
    con.execute("SET enable_progress_bar = true")  # so that query_progress tells; the printing is ours
    con.execute("SET enable_progress_bar_print = false")
    _OPEN.add(con)
    return con
