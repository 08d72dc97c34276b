"""Paths read by Spark, classic or Connect, as a source: the group-by is Spark's, and only the groups come back."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import BadFile, BadLabels, BadSetting
from howsure.ingest import conditions
from howsure.ingest.frames import Frame
from howsure.ingest.groups import Groups
from howsure.ingest.keys import FAILED, KEPT, STATUS, Grouping, Judged
from howsure.ingest.request import check_column
from howsure.ingest.spark_conditions import judged, spelled, state
from howsure.ingest.texts import MISSING, refuse_no_number, spelt
from howsure.language import option

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
        return values if _kind(self.paths[0]) != "csv" else {name: spelt(x) for name, x in values.items()}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for column in columns:
            check_column(column, self.names(), self.called)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        frame, own = self._flat(grouping)
        loose = _kind(self.paths[0]) == "csv"
        try:
            found = Frame(frame, loose=loose, judged=bool(grouping.where)).grouped(own, what, grouping)
        except BadLabels:
            if grouping.amount is not None:  # the better sentence, where there is one
                self._refuse_text(grouping.amount)
            raise
        if found.account is not None and found.account.left_out.get("missing") and not grouping.drop:
            self._refuse_unreadable(grouping.where)
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
        kept = frame.filter(f"{STATUS} = {KEPT}") if grouping.where else frame
        return Frame(kept).distinct(replace(own, where=()))

    def _refuse_text(self, column: str) -> None:
        """Text that spells no number is looked for where numbers are missing."""
        if self.fields[column].typeName() != "string":
            return
        text = self.frame.select(_column(column).alias("t"), self._number(column).alias("x"))
        words = ", ".join(f"'{x}'" for x in MISSING)
        said = text.filter(f"x IS NULL AND lower(trim(t)) NOT IN ({words})").limit(1).collect()
        if said:
            refuse_no_number(column, said[0][0])

    def _flat(self, grouping: Grouping) -> tuple[Any, Grouping]:
        """The wanted columns under plain names, so that a dotted path is one column; text as numbers where wanted."""
        from pyspark.sql import functions

        self.check(grouping.columns)
        numbers = {x: f"number{i}" for i, x in enumerate([*grouping.numbers, *_some(grouping.amount)])}
        labels = {k.name: _column(k.column) for k in grouping.labels}
        for k in grouping.labels:
            if k.blank and _kind(self.paths[0]) == "csv":
                labels[k.name] = functions.coalesce(labels[k.name], functions.lit(""))
        values = {**labels, **{name: self._number(x) for x, name in numbers.items()}}
        picked = [x.alias(name) for name, x in values.items()]
        if grouping.where:  # rows that are not kept have nothing else
            status = _status([x for _, x in self._judged(grouping.where)])
            picked = [functions.when(status == KEPT, x).alias(name) for name, x in values.items()]
            picked.append(status.alias(STATUS))
        keys = [replace(k, column=k.name if k.form == "label" else numbers[k.column]) for k in grouping.keys]
        amount = None if grouping.amount is None else numbers[grouping.amount]
        spans = tuple(numbers[x] for x in grouping.spans)
        return self.frame.select(*picked), Grouping(tuple(keys), amount, spans, grouping.where, grouping.drop)

    def _number(self, column: str) -> Any:
        from pyspark.sql import functions

        own = _column(column)
        if self.fields[column].typeName() != "string":
            return own.cast("double")
        said = spelled(own)
        return functions.when(~functions.isnan(said), said)

    def _judged(self, where: Sequence[str]) -> list[tuple[conditions.Condition, Judged]]:
        found = []
        for text in where:
            c = conditions.parse(text, tuple(self.fields))
            self.check([c.column])
            found.append((c, judged(c, _column(c.column), self.fields[c.column].typeName())))
        return found

    def _refuse_unreadable(self, where: Sequence[str]) -> None:
        """Refuse a text that an order cannot take, in a row that no other condition leaves out."""
        found = self._judged(where)
        for c, own in found:
            if own.unreadable is not None:
                rows = self.frame.filter(own.unreadable & (_status([x for _, x in found]) < FAILED))
                said = rows.select(_column(c.column)).limit(1).collect()
                if said:
                    conditions.refuse_unreadable(c, said[0][0])


def _status(found: Sequence[Judged]) -> Any:
    first, *rest = (state(x) for x in found)
    return sum(rest, start=first)


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
