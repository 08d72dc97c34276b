"""One entrance for data."""

from __future__ import annotations

from typing import Any


def evidence(data: Any, second: Any = None, **columns: Any) -> Any:
    """Evidence of data in memory, of frames, files and databases."""
    from howsure.ingest.arrays import tally

    return tally(data, second, **columns)
