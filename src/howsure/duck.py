"""A DuckDB of our own: in memory, silent, and without a network."""

from __future__ import annotations

from typing import Any


def connect() -> Any:
    """A new connection; extensions are neither fetched nor loaded, and no progress bar reaches standard output."""
    import duckdb

    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    con.execute("SET enable_progress_bar = true")  # so that query_progress tells; the printing is ours
    con.execute("SET enable_progress_bar_print = false")
    return con
