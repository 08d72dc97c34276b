"""A DuckDB of our own: in memory, or a database file that is read and nothing else; silent, and without a network."""

from __future__ import annotations

import contextlib
import os
import re
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

CONFIG: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_CONFINED: Final = {  # for a database that may come from somebody else: no file but itself, no secrets, no variables
    "enable_external_access": "false", "allow_persistent_secrets": "false", "python_enable_replacements": "false",
}  # fmt: skip
_ERRNO: Final = re.compile(r'"errno":"(\d+)"')  # in what DuckDB says of files
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


def copy(columns: Mapping[str, Any], path: Path, options: str) -> None:
    """Write arrays of one length, by name, to a file in place: the caller makes it whole (howsure.atomic)."""
    import duckdb

    table = {f"c{i}": values for i, values in enumerate(columns.values())}
    names = ", ".join(f'c{i} AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns))
    quoted = str(path).replace("'", "''")
    try:
        with connect() as con:
            con.register("columns_given", table)
            con.execute(f"COPY (SELECT {names} FROM columns_given) TO '{quoted}' ({options}, USE_TMP_FILE false)")
    except duckdb.Error as error:
        number = _ERRNO.search(str(error))
        raise OSError(os.strerror(int(number[1])) if number else str(error).splitlines()[0]) from None
