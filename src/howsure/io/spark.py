"""Paths read by Spark, classic or Connect, as a source: conditions and the group-by are Spark's."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure.errors import BadFile, BadLabels, BadSetting
from howsure.io import where as conditions
from howsure.io.frames import Frame
from howsure.io.groups import Groups
from howsure.io.keys import FAILED, KEPT, STATUS, UNREADABLE, Grouping
from howsure.io.request import check_column
from howsure.io.typed_text import MISSING, refuse_no_number, spelt
from howsure.io.where import DATE, NUMBER, PLAIN, TIME, ZONE, Condition, Judged
from howsure.messages.language import option

# -- spark conditions
#
# Conditions on columns that Spark reads, as columns of Spark: the rule of files, in the words of Spark.

_WHOLES: Final = ("byte", "short", "integer", "long")
_FLOATS: Final = ("float", "double")
_NESTED: Final = {"array": "lists", "map": "records", "struct": "records"}
_DAY: Final = 86_400_000_000


def state(own: Judged) -> Any:
    """What a condition makes of a row, as a number."""
    from pyspark.sql import functions

    found = functions.when(own.holds, KEPT)
    if own.unreadable is not None:
        found = found.when(own.unreadable, UNREADABLE)
    return found.otherwise(FAILED)


def judged(c: Condition, column: Any, kind: str) -> Judged:
    """Where a condition on a column of a type holds, and where it cannot be told."""
    from pyspark.sql import functions

    if kind == "boolean" and c.flag is not None and c.number is None:
        return Judged(c.compare(column, functions.lit(c.flag)))
    if kind in (*_WHOLES, *_FLOATS, "decimal", "boolean"):
        return _number(c, column, kind) if c.number is not None else _other(c, column, kind)
    if kind in ("date", "timestamp", "timestamp_ntz"):
        if c.moment is None:
            return _other(c, column, kind)
        if kind == "timestamp_ntz":  # to the session it is local time
            return Judged(c.compare(_moment(column.cast("string")), functions.lit(c.moment)))
        own = functions.unix_date(column) * _DAY if kind == "date" else functions.unix_micros(column)
        return Judged(c.compare(own, functions.lit(c.moment)))
    if kind in _NESTED:
        conditions.refuse_nested(c, _NESTED[kind])
    if kind != "string" and c.ordered:
        conditions.refuse_kind(c, kind)
    return _text(c, column.cast("string"))


def _other(c: Condition, column: Any, kind: str) -> Judged:
    """A column whose type can hold no equal of the value."""
    if c.ordered:
        conditions.refuse_kind(c, kind)
    return _constant(column, c.operator == "!=")


def _constant(column: Any, holds: bool) -> Judged:
    return Judged(column.isNotNull() if holds else column.isNotNull() & column.isNull())


def _number(c: Condition, column: Any, kind: str) -> Judged:
    from pyspark.sql import functions

    if kind in _FLOATS:
        x = column.cast("double")
        holds = c.compare(x, functions.lit(c.single if kind == "float" else c.double))
        return Judged(holds & ~functions.isnan(x))
    if kind == "boolean" or isinstance(c.number, float):
        return Judged(c.compare(column.cast("double"), functions.lit(c.double)))
    end = 10**38 if kind == "decimal" else 2**63
    if c.number is None or not -end < c.number < end:
        return _constant(column, bool(c.compare(1 if c.double < 0 else -1, 0)))
    if kind == "decimal":
        return Judged(_beside_whole(c, column, functions.lit(Decimal(c.number))))
    return Judged(c.compare(column, functions.lit(c.number)))


def _beside_whole(c: Condition, column: Any, value: Any) -> Any:
    """A decimal beside a whole number: the whole numbers around it say all, exactly."""
    from pyspark.sql import functions

    low, high = functions.floor(column), functions.ceil(column)
    if not c.ordered:
        equal = (low == value) & (high == value)
        return equal if c.operator == "=" else ~equal
    return c.compare(high if c.operator in (">", "<=") else low, value)


def _text(c: Condition, text: Any) -> Judged:
    from pyspark.sql import functions

    said = functions.trim(text)
    there = said != ""
    if c.named and not c.ordered:
        return Judged(c.compare(text, functions.lit(c.value)) & there)
    if c.flag is not None:
        return Judged(c.compare(functions.lower(said), functions.lit(c.value.lower())) & there)
    if c.moment is not None:
        read = _moment(text)
        told = c.compare(read, functions.lit(c.moment))
    else:
        read = spelled(text)
        told = c.compare(read, functions.lit(c.double)) & ~functions.isnan(read)
        if c.exact:
            near = (read == functions.lit(c.double)) & said.rlike(f"^({PLAIN})$")
            told = functions.when(near, _by_digits(c, said)).otherwise(told)
    if c.ordered:
        return Judged(told & read.isNotNull(), read.isNull() & there)
    return Judged(functions.when(read.isNull(), there).otherwise(told) if c.operator == "!=" else told)


def spelled(text: Any) -> Any:
    """Text as a double; true is 1, false is 0."""
    from pyspark.sql import functions

    said = functions.lower(functions.trim(text))
    known = said.rlike(f"^({NUMBER}|[+-]?(inf|infinity)|nan)$")
    return functions.when(known, said.try_cast("double")).when(said == "true", 1.0).when(said == "false", 0.0)


def _moment(text: Any) -> Any:
    """Text as microseconds since 1970; what has no zone is UTC."""
    from pyspark.sql import functions

    said = functions.trim(text)
    zoned = functions.when(said.rlike(f"{ZONE}$"), said).otherwise(functions.concat(said, functions.lit("Z")))
    exact = functions.regexp_replace(zoned, r"^(.{10}[T ][0-9]{2}:[0-9]{2})(?=[^:])", "$1:00")
    short = functions.concat(said, functions.lit("T00:00:00Z"))
    whole = functions.when(functions.length(said) == 10, short).otherwise(exact)
    form = said.rlike(f"^{DATE}({TIME}{ZONE}?)?$")
    return functions.when(form, functions.unix_micros(whole.try_cast("timestamp")))


def _by_digits(c: Condition, text: Any) -> Any:
    """Numbers of more digits than a double has beside a whole one, by their sign, length and digits."""
    from pyspark.sql import functions

    mine = str(abs(int(c.number or 0)))
    own = functions.regexp_replace(functions.regexp_extract(text, "([0-9]+)", 1), "^0+", "")
    size, below = functions.length(own), text.startswith("-")
    less, more = (-1, 1) if c.double > 0 else (1, -1)
    order = functions.when(~below if c.double < 0 else below, less)
    order = order.when(size < len(mine), less).when(size > len(mine), more)
    order = order.when(own < mine, less).when(own > mine, more)
    order = order.when(text.rlike("[.]0*[1-9]"), more).otherwise(0)
    return c.compare(order, 0) & text.isNotNull()


# -- spark
#
# Paths read by Spark, classic or Connect, as a source: the group-by is Spark's, and only the groups come back.

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
