"""Paths read by Spark, classic or Connect: flat frames with columns under names of our own, counted as any frame is."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import BadFile, BadLabels, BadSetting
from howsure.io import where as conditions
from howsure.io.columns import MISSING, refuse_no_number, spelt
from howsure.io.frames import Frame, judged_rows
from howsure.io.groups import Grouping, Groups
from howsure.io.request import check_column
from howsure.io.where import spelled
from howsure.messages.language import option

_READERS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


@dataclass(frozen=True, eq=False)
class SparkFiles:
    """Files or folders that Spark can reach; `remote` is the address of a Spark Connect server."""

    paths: Sequence[str]
    remote: str | None = None
    library: str | None = None
    eager: bool = False

    @cached_property
    def frame(self) -> Any:
        """The data frame of the files."""
        return _read(session(self.remote), self.paths)

    @cached_property
    def fields(self) -> dict[str, Any]:
        """Every field by its dotted path, with its type."""
        return _fields(self.frame.schema)

    def names(self) -> list[str]:
        """The fields that there are, by their dotted paths."""
        return list(self.fields)

    @property
    def called(self) -> str:
        """What they are, in messages."""
        return repr(self.paths[0])

    def heading(self) -> list[str]:
        """The columns that there are."""
        return list(self.frame.columns)

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows."""
        if not columns:
            return {}
        found = self.frame.select(*map(_column, columns)).limit(rows).collect()
        values = {name: [row[i] for row in found] for i, name in enumerate(columns)}
        return values if not self._loose else {name: spelt(x) for name, x in values.items()}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, self.names(), self.called)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        frame, own = self._flat(grouping)
        try:
            found = frame.grouped(own, what, grouping)
        except BadLabels:
            if grouping.amount is not None:  # the better sentence, where there is one
                self._refuse_text(grouping.amount)
            raise
        if found.unweighed:
            self._refuse_text(str(grouping.amount))
        for column in grouping.numbers:
            keys = [k.name for k in grouping.keys if k.column == column and k.form != "label"]
            if any(np.isnan(found.numbers[name]).any() for name in keys):
                self._refuse_text(column)
        return found

    def distinct(self, grouping: Grouping) -> int:
        """About how many there are."""
        frame, own = self._flat(grouping)
        return frame.distinct(own)

    @property
    def _loose(self) -> bool:
        """Whether these are files of text."""
        return _kind(self.paths[0]) == "csv"

    def _refuse_text(self, column: str) -> None:
        """Text that spells no number is looked for where numbers are missing."""
        import narwhals as nw

        if self.fields[column].typeName() != "string":
            return
        t = nw.col("t")
        text = nw.from_native(self.frame.select(_column(column).alias("t")))
        odd = spelled(t).is_null() & ~t.is_null() & ~t.str.strip_chars().str.to_lowercase().is_in(MISSING)
        said = text.filter(odd).head(1).collect()["t"].to_list()
        if said:
            refuse_no_number(column, said[0])

    def _flat(self, grouping: Grouping) -> tuple[Frame, Grouping]:
        """The wanted columns under plain names, so that a dotted path is one column; text as numbers where wanted."""
        import narwhals as nw

        told = [conditions.parse(text, tuple(self.fields)) for text in grouping.where]
        self.check([*grouping.columns, *(c.column for c in told)])
        numbers = {x: f"number{i}" for i, x in enumerate([*grouping.numbers, *_some(grouping.amount)])}
        places = {**{k.name: k.column for k in grouping.labels}, **{name: x for x, name in numbers.items()}}
        tests = {f"where{i}": c.column for i, c in enumerate(told)}
        picked = (_column(x).alias(name) for name, x in {**places, **tests}.items())
        flat: Any = nw.from_native(self.frame.select(*picked))
        texts = [name for x, name in numbers.items() if self.fields[x].typeName() == "string"]
        blank = [k.name for k in grouping.labels if k.blank and self._loose]
        made = [spelled(nw.col(name)).alias(name) for name in texts] + [nw.col(x).fill_null("") for x in blank]
        flat = flat.with_columns(*made) if made else flat
        rows = judged_rows(flat, told, list(tests)) if told else None
        keys = [replace(k, column=k.name if k.form == "label" else numbers[k.column]) for k in grouping.keys]
        amount = None if grouping.amount is None else numbers[grouping.amount]
        spans = tuple(numbers[x] for x in grouping.spans)
        own = Grouping(tuple(keys), amount, spans, grouping.where, grouping.drop)
        return Frame(flat, loose=self._loose, rows=rows), own


def _some(x: str | None) -> tuple[str, ...]:
    return () if x is None else (x,)


def session(remote: str | None) -> Any:
    """A session with a Connect server, or the one that is configured here (local where none is)."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadSetting(f"{option('engine', 'spark')} needs pyspark: pip install 'howsure[spark]'.") from None
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")  # on versions of pandas
    builder = SparkSession.builder.appName("howsure")
    if remote is None:
        return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if not remote.startswith(("sc://", "local")):
        raise BadSetting(f"{option('remote')} must be an address such as sc://host:15002; got {remote!r}.")
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


def _column(name: str) -> Any:
    from pyspark.sql import functions

    return functions.col(".".join("`" + part.replace("`", "``") + "`" for part in name.split(".")))
