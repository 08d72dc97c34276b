"""Conditions on columns that Spark reads, as columns of Spark: the rule of files, in the words of Spark."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from howsure.ingest import conditions
from howsure.ingest.conditions import DATE, NUMBER, PLAIN, TIME, ZONE, Condition
from howsure.ingest.keys import FAILED, KEPT, UNREADABLE, Judged

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
