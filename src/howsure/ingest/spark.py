"""Paths read by Spark, classic or Connect: the whole group-by is pushed into Spark, and only the cells come back."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure.errors import BadFile, BadSetting, UnknownName, listing, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest import conditions
from howsure.ingest.files import decoded
from howsure.ingest.frames import group
from howsure.ingest.request import Request

_READERS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


def tally_paths(
    paths: Sequence[str], request: Request, where: Sequence[str] = (), remote: str | None = None
) -> Tally | Outcomes:
    """The Tally of files or folders that Spark can reach; `remote` is the address of a Spark Connect server."""
    spark = session(remote)
    frame = _read(spark, paths)
    names = _fields(frame.schema)
    for column in request.columns:
        _check(column, names, paths)
    for text in where:
        frame = frame.filter(_condition(conditions.parse(text, tuple(names)), names, paths))
    found = group(*_flat(frame, request))
    kind = "csv" if _kind(paths[0]) == "csv" else "parquet"  # text is read as numbers, the rest has its types
    return request.settle(request.counted(decoded(kind, request, found)))


def session(remote: str | None) -> Any:
    """A session with a Connect server, or the one that is configured here (local where none is)."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadSetting("--engine spark needs pyspark: pip install 'howsure[spark]'.") from None
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")  # on versions of pandas
    builder = SparkSession.builder.appName("howsure")
    if remote is None:
        return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if not remote.startswith(("sc://", "local")):
        raise BadSetting(f"--remote is an address such as sc://host:15002; got {remote!r}.")
    try:
        return builder.remote(remote).getOrCreate()
    except Exception as error:  # noqa: BLE001 - grpc, py4j and pyspark each have their own
        raise BadSetting(f"no Spark Connect server answers at {remote!r}: {_first_line(error)}.") from None


def _read(spark: Any, paths: Sequence[str]) -> Any:
    kind = _kind(paths[0])
    reader = spark.read
    if kind == "csv":
        tabs = Path(paths[0].removesuffix(".gz")).suffix.lower() == ".tsv"
        reader = reader.option("header", True).option("sep", "\t" if tabs else ",").option("mode", "FAILFAST")
    if kind == "json":
        reader = reader.option("mode", "FAILFAST")
    try:
        frame = reader.format(kind).load(list(paths))
        _ = frame.columns  # asks the server now, not later
    except Exception as error:  # noqa: BLE001 - as above
        raise BadFile(f"Spark cannot read {paths[0]!r}: {_first_line(error)}.") from None
    return frame


def _kind(path: str) -> str:
    name = path.rstrip("/*").lower()
    for packed in (".gz", ".zst", ".bz2"):
        name = name.removesuffix(packed)
    return _READERS.get(Path(name).suffix, "parquet")


def _first_line(error: Exception) -> str:
    """The first line that says something; py4j's own does not."""
    lines = [x.strip(": ") for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
    said = next((x for x in lines if not x.startswith("An error occurred while calling")), lines[0])
    return said[:160].rstrip(".")


def _fields(schema: Any, prefix: str = "") -> dict[str, Any]:
    """Every field by its dotted path, with its type."""
    found: dict[str, Any] = {}
    for field in schema.fields:
        found[prefix + field.name] = field.dataType
        if hasattr(field.dataType, "fields"):
            found |= _fields(field.dataType, f"{prefix}{field.name}.")
    return found


def _check(column: str, names: dict[str, Any], paths: Sequence[str]) -> None:
    if column not in names:
        hint = nearest(column, names)
        raise UnknownName(f"no column named {column!r} in {paths[0]!r}.{hint} Columns: {listing(names)}.")


def _column(name: str) -> Any:
    from pyspark.sql import functions

    return functions.col(".".join("`" + part.replace("`", "``") + "`" for part in name.split(".")))


def _condition(c: conditions.Condition, names: dict[str, Any], paths: Sequence[str]) -> Any:
    from pyspark.sql import functions

    _check(c.column, names, paths)
    column = _column(c.column)
    value: Any = c.value
    if c.number is not None:
        column, value = column.try_cast("double"), c.number
    elif c.value.lower() in ("true", "false"):
        column, value = functions.lower(column.cast("string")), c.value.lower()
    else:
        column = column.cast("string")
    right = functions.lit(value)
    tests = {
        "=": column == right, "!=": column != right, "<": column < right, "<=": column <= right, ">": column > right,
        ">=": column >= right,
    }  # fmt: skip
    return tests[c.operator]


def _flat(frame: Any, request: Request) -> tuple[Any, Request]:
    """The wanted columns under plain names, so that a dotted path is one column."""
    wanted = {column: f"column{i}" for i, column in enumerate(request.columns)}
    flat = frame.select(*(_column(column).alias(name) for column, name in wanted.items()))
    own = replace(
        request,
        truth=None if request.truth is None else wanted[request.truth],
        answers=tuple(wanted[x] for x in request.answers),
        by=tuple(wanted[x] for x in request.by),
        weight=None if request.weight is None else wanted[request.weight],
        count=None if request.count is None else wanted[request.count],
    )
    return flat, own
