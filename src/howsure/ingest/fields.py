"""Columns of regular TREC files by DuckDB: fields one blank, or one tab, apart."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from howsure.ingest.judging import spelled
from howsure.ingest.lines import Irregular, numbered
from howsure.ingest.streams import literal


def columns(con: Any, path: Path, names: tuple[str, ...], wanted: str, number: str) -> dict[str, Any]:
    """Columns of a plain file whose fields are one blank (or one tab) apart; Irregular where they are not."""
    import duckdb

    kinds = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    value = f"{spelled(number)} AS {number}"
    text = (
        f"SELECT {wanted} FROM (SELECT * REPLACE ({value}) FROM read_csv($1, delim=$2, header=false, "
        f"auto_detect=false, quote='', escape='', compression='none', columns={{{kinds}}}))"
    )
    try:
        return con.execute(text, [[glob.escape(literal(str(path)))], _delimiter(path)]).fetchnumpy()  # type: ignore[no-any-return]
    except duckdb.Error:
        raise Irregular from None


def _delimiter(path: Path) -> str:
    first = next((line for _, line in numbered(path) if line.strip()), "")
    return "\t" if "\t" in first and " " not in first.strip() else " "
