"""Parquet: the columns of a result, for millions of rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure import duck


def write(columns: Mapping[str, Any], path: Path) -> None:
    """Write arrays of one length, by name."""
    duck.copy(columns, path, "FORMAT parquet, COMPRESSION zstd")
