"""Columns as files, for tables of millions of rows: arrays of one length, by name, through DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure import duck
from howsure.render.harmless import field

Columns = Mapping[str, Any]
_ERRNO = re.compile(r'"errno":"(\d+)"')  # in what DuckDB says of files


def parquet_file(columns: Columns, path: Path) -> None:
    """A Parquet file."""
    _copy(columns, path, "FORMAT parquet, COMPRESSION zstd")


def csv_file(columns: Columns, path: Path) -> None:
    """A CSV file with a head line; texts are such that no spreadsheet computes them."""
    _copy({field(name): _guarded(values) for name, values in columns.items()}, path, "FORMAT csv, HEADER")


def _guarded(values: Any) -> Any:
    """The same values; of texts, each distinct one is looked at once."""
    if values.dtype != object:
        return values
    texts = {x: field(x) for x in set(values.tolist()) if isinstance(x, str)}
    out = values.copy()
    out[:] = [texts.get(x, x) for x in values.tolist()]
    return out


def _copy(columns: Columns, path: Path, options: str) -> None:
    """The file is written where it is: whoever asks has seen to it that it is not half there (howsure.atomic)."""
    import duckdb

    table = {f"c{i}": values for i, values in enumerate(columns.values())}
    names = ", ".join(f'c{i} AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns))
    quoted = str(path).replace("'", "''")
    try:
        with duck.connect() as con:
            con.register("columns_given", table)
            con.execute(f"COPY (SELECT {names} FROM columns_given) TO '{quoted}' ({options}, USE_TMP_FILE false)")
    except duckdb.Error as error:
        number = _ERRNO.search(str(error))
        raise OSError(os.strerror(int(number[1])) if number else str(error).splitlines()[0]) from None
