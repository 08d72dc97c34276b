"""A DuckDB of our own: in memory, or a file to be read; silent, and without a network."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Final

_OPEN: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


def interrupt() -> None:
    """End the queries that run: left alone, DuckDB would first finish what it has begun, and be it the whole file."""
    import duckdb

    for con in list(_OPEN):
        with contextlib.suppress(duckdb.Error):  # closed by now
            con.interrupt()


def connect(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A new connection; extensions are neither fetched nor loaded, and no progress bar reaches standard output."""
    import duckdb

    config: Any = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    con = duckdb.connect(database, read_only=read_only, config=config)
    con.execute("SET enable_progress_bar = true")  # so that query_progress tells; the printing is ours
    con.execute("SET enable_progress_bar_print = false")
    _OPEN.add(con)
    return con
