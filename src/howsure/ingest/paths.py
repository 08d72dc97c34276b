"""Paths as a source: read by DuckDB, or by Spark when asked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from howsure.errors import BadSetting
from howsure.ingest.files import opened
from howsure.ingest.groups import Source
from howsure.ingest.streams import is_stream
from howsure.language import option


def is_paths(data: Any) -> bool:
    """One path, or several."""
    several = isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(x, (str, Path)) for x in data)
    return isinstance(data, (str, Path)) or several


def listed(paths: Any) -> list[str | Path]:
    """One path, or several, as a list."""
    return [paths] if isinstance(paths, (str, Path)) else list(paths)


def check_remote(place: Mapping[str, Any]) -> None:
    """A server is for Spark."""
    if place.get("remote") is not None:
        told = f"the address of a Spark Connect server; it goes with {option('engine', 'spark')}"
        raise BadSetting(f"{option('remote')} is {told}.")


@contextlib.contextmanager
def source_of(paths: Any, place: Mapping[str, Any]) -> Iterator[Source]:
    """The files, which are shards of one data set; `place` may have engine, remote and watch."""
    engine, remote = place.get("engine"), place.get("remote")
    if engine not in (None, "duckdb", "spark"):
        raise BadSetting(f"{option('engine')} is 'duckdb' or 'spark'; got {engine!r}.")
    if engine == "spark":
        from howsure.ingest.spark import SparkFiles

        once = next((p for p in listed(paths) if is_stream(p)), None)
        if once is not None:
            told = f"{str(once)!r} can be read only once, and Spark reads files and folders"
            raise BadSetting(f"{told}; write it to a file, or leave out {option('engine')}.")
        yield SparkFiles([str(p) for p in listed(paths)], remote)
        return
    check_remote(place)
    with opened(listed(paths), place.get("watch")) as files:
        yield files
