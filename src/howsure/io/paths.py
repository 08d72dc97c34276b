"""Paths as a source, read by DuckDB, or by Spark when asked; and mappings, which may hold paths or columns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.io.column_names import Role, guess, is_id
from howsure.io.files import opened
from howsure.io.groups import Source
from howsure.io.streams import is_stream
from howsure.messages.language import option

_ROLES: Final = ("truth", "pred", "score", "outcome", "value", "judge", "human")
_ANSWERS: Final[tuple[Role, ...]] = ("pred", "score")
_OF_PATHS: Final = frozenset("./\\*?")  # what a name of a file has mostly, and a label hardly


def is_paths(data: Any) -> bool:
    """One path, or several."""
    several = isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(x, (str, Path)) for x in data)
    return isinstance(data, (str, Path)) or several


def is_table(data: Any, given: Mapping[str, Any]) -> bool:
    """Whether a mapping holds columns: those that are named, a truth and its answers under usual names, or outcomes.

    >>> is_table({"y_true": [1, 0], "pred": [1, 1]}, {}), is_table({"a": [1, 0], "b": [1, 1]}, {})
    (True, False)
    >>> is_table({"task_id": [7, 8], "passed": [1, 0]}, {})
    True
    """
    if not isinstance(data, Mapping) or not all(_is_column(x) for x in data.values()):
        return False
    keys = [str(x) for x in data]
    named = [x for role in _ROLES if isinstance(own := given.get(role), (str, list, tuple)) for x in listed(own)]
    usual = bool(guess(keys, "truth")) and any(guess(keys, role) for role in _ANSWERS)
    usual = usual or (len(guess(keys, "outcome")) == 1 and any(map(is_id, keys)))
    return set(named) <= set(keys) if named else usual


def _is_column(x: Any) -> bool:
    return hasattr(x, "__len__") and not isinstance(x, (str, bytes, Path, Mapping))


def refuse_texts(systems: Mapping[Any, Any]) -> None:
    """Refuse a mapping to lists of texts that are no paths: they may be columns of labels."""
    if not all(_is_column(x) for x in systems.values()):
        return
    texts = [str(x) for own in systems.values() for x in own]
    if any(set(x) & _OF_PATHS or x == "-" or Path(x).exists() for x in texts):
        return
    told = f"{next(iter(systems))!r} holds texts such as {texts[0]!r}, which are not names of files"
    way = f"if they are labels, name the columns with {option('truth')} and {option('pred')}"
    raise BadSetting(f"{told}; {way}.")


def listed(paths: Any) -> list[str | Path]:
    """One path, or several, as a list."""
    return [paths] if isinstance(paths, (str, Path)) else list(paths)


def check_remote(place: Mapping[str, Any]) -> None:
    """A server is for Spark."""
    if place.get("remote") is not None:
        told = f"the address of a Spark Connect server; it goes with {option('engine', 'spark')}"
        raise BadSetting(f"{option('remote')} is {told}.")


def by_spark(place: Mapping[str, Any]) -> bool:
    """Whether Spark reads the files, and not DuckDB."""
    engine = place.get("engine")
    if not isinstance(engine, (str, type(None))) or engine not in (None, "duckdb", "spark"):
        raise BadSetting(f"{option('engine')} is 'duckdb' or 'spark'; got {engine!r}.")
    return engine == "spark"


@contextlib.contextmanager
def source_of(paths: Any, place: Mapping[str, Any]) -> Iterator[Source]:
    """The files, which are shards of one data set; `place` may have engine, remote and watch."""
    if by_spark(place):
        from howsure.io.spark import SparkFiles

        once = next((p for p in listed(paths) if is_stream(p)), None)
        if once is not None:
            told = f"{str(once)!r} can be read only once, and Spark reads files and folders"
            raise BadSetting(f"{told}; write it to a file, or leave out {option('engine')}.")
        yield SparkFiles([str(p) for p in listed(paths)], place.get("remote"))
        return
    check_remote(place)
    with opened(listed(paths), place.get("watch")) as files:
        yield files
