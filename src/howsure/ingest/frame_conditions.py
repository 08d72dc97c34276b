"""Conditions on frames of any engine, as narwhals expressions.

Columns with a type are compared by it. Of columns of text, categories and Python objects the distinct values are judged
one by one, so that they are read as those of files are.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.ingest import conditions
from howsure.ingest.columns import lost
from howsure.ingest.conditions import Condition
from howsure.ingest.keys import Judged
from howsure.language import option

MOST_TEXTS: Final = 100_000  # different texts of a frame that is not in memory
_FINE: Final = 2**50  # steps of a decimal that doubles tell apart, and rounding on the way to them
_EPOCH: Final = datetime(1970, 1, 1)
_AFTER: Final = {">": ">", ">=": ">", "<": "<=", "<=": "<="}  # a moment within a day, seen from days


def judged(frame: Any, c: Condition, nan: bool, library: str) -> Judged:
    """Where a condition holds, and where it cannot be told; `nan` says whether the engine knows NaN."""
    import narwhals as nw

    kind = frame.collect_schema()[c.column]
    column = nw.col(c.column)
    if kind == nw.Boolean and c.flag is not None and c.number is None:
        return _there(column, c.compare(column, c.flag))
    if kind.is_numeric() or kind == nw.Boolean:
        return _number(c, column, kind, nan) if c.number is not None else _other(c, column, kind)
    if kind in (nw.Date, nw.Datetime):
        return _moment(c, column, kind, library) if c.moment is not None else _other(c, column, kind)
    if kind in (nw.String, nw.Categorical, nw.Enum) and c.named and not c.ordered:
        text = column.cast(nw.String)
        return _there(column, c.compare(text, c.value) & (text != ""))
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Object, nw.Unknown):
        return _texts(frame, c, column, kind)
    if kind.is_nested():
        conditions.refuse_nested(c, "records" if kind == nw.Struct else "lists")
    if c.ordered:
        conditions.refuse_kind(c, kind)
    if kind == nw.Duration and library == "polars":  # it has no texts of them
        way = f"make it a column of numbers first, such as polars.col({c.column!r}).dt.total_seconds()"
        raise BadSetting(
            f"{option('where', c.text)} needs numbers or text, but column {c.column!r} holds {kind}; {way}."
        )
    return _there(column, c.compare(column.cast(nw.String), c.value))


def _there(column: Any, holds: Any) -> Judged:
    return Judged(holds & ~column.is_null())


def _constant(column: Any, holds: bool) -> Judged:
    return Judged(~column.is_null() if holds else column.is_null() & ~column.is_null())


def _other(c: Condition, column: Any, kind: Any) -> Judged:
    """A column whose type can hold no equal of the value."""
    if c.ordered:
        conditions.refuse_kind(c, kind)
    return _constant(column, c.operator == "!=")


def _number(c: Condition, column: Any, kind: Any, nan: bool) -> Judged:
    import narwhals as nw

    if kind.is_float():
        x = column.cast(nw.Float64)
        holds = c.compare(x, c.single if kind == nw.Float32 else c.double)
        return _there(column, holds & ~x.is_nan() if nan else holds)
    if kind == nw.Decimal and isinstance(c.number, int) and abs(c.number) * _steps(kind) >= _FINE:
        return _digits(c, column)
    if kind in (nw.Decimal, nw.Boolean) or isinstance(c.number, float):
        return _there(column, c.compare(column.cast(nw.Float64), c.double))
    unsigned = kind.is_unsigned_integer()
    low, high = (0, 2**64) if unsigned else (-(2**63), 2**63)
    if c.number is not None and low <= c.number < high:
        return _there(column, c.compare(column, c.number))
    if kind in (nw.Int128, nw.UInt128):
        return _digits(c, column)
    return _constant(column, bool(c.compare(1 if c.double < 0 else -1, 0)))


def _steps(kind: Any) -> int:
    """How many values of a type of decimals there are from one whole number to the next."""
    scale = getattr(kind, "scale", None)
    return int(10 ** (38 if scale is None else max(scale, 0)))


def _digits(c: Condition, column: Any) -> Judged:
    """Numbers of more digits than a double has beside a whole one, by their sign, length and digits."""
    import narwhals as nw

    text, mine = column.cast(nw.String).fill_null("0"), str(abs(int(c.number or 0)))
    own = text.str.replace_all("^.*E-.*$", "0").str.replace_all("[.].*$", "").str.replace_all("^[+-]?0*", "")
    size, below = own.str.len_chars(), text.str.starts_with("-")
    same, rest = below if c.double < 0 else ~below, text.str.contains("[.]0*[1-9]")
    beyond = (size > len(mine)) | ((size == len(mine)) & (own > mine)) | ((own == mine) & rest)
    equal = same & (own == mine) & ~rest
    more = same & beyond if c.double > 0 else ~same | ~(beyond | equal)
    holds = {
        "=": equal, "!=": ~equal, ">": more, ">=": more | equal, "<": ~(more | equal), "<=": ~more,
    }[c.operator]  # fmt: skip
    return _there(column, holds)


def _moment(c: Condition, column: Any, kind: Any, library: str) -> Judged:
    import narwhals as nw

    at = _EPOCH + timedelta(microseconds=c.moment or 0)
    if kind == nw.Date:
        day = at.date()
        if at == datetime(day.year, day.month, day.day):
            return _there(column, c.compare(column, day))
        if not c.ordered:
            return _constant(column, c.operator == "!=")
        return _there(column, conditions.SIGNS[_AFTER[c.operator]](column, day))
    if kind.time_zone is None:
        return _there(column, c.compare(column, at))
    own = column.dt.convert_time_zone("UTC") if library == "polars" else column
    return _there(column, c.compare(own, at.replace(tzinfo=UTC)))


# -- values one by one


def _texts(frame: Any, c: Condition, column: Any, kind: Any) -> Judged:
    """Columns of text: the different texts are judged, and rows taken by them."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        if kind == nw.Object:
            return _objects(frame, c)
        found = frame.select(column.cast(nw.String).alias("text")).unique()
    else:
        found = frame.select(column.cast(nw.String).alias("text")).unique().head(MOST_TEXTS + 1).collect()
    values = [x for x in found["text"].to_list() if not lost(x)]
    if len(values) > MOST_TEXTS and not isinstance(frame, nw.DataFrame):
        raise BadSetting(
            f"{option('where', c.text)} reads text, and column {c.column!r} holds more than {MOST_TEXTS:,} different "
            "ones; make it a column of numbers or times first."
        )
    said = {x: c.judge(x) for x in values}
    text = column.cast(nw.String)

    def among(chosen: Callable[[bool | None], bool]) -> Any:
        return text.is_in([x for x, own in said.items() if chosen(own)]) & ~column.is_null()

    none = any(x is None for x in said.values())
    return Judged(among(lambda x: x is True), among(lambda x: x is None) if none else None)


def _objects(frame: Any, c: Condition) -> Judged:
    """Python objects in memory, whatever they are."""
    import narwhals as nw

    said = [c.judge(x) if not lost(x) else False for x in frame[c.column].to_list()]

    def series(values: list[bool]) -> Any:
        return nw.new_series("judged", values, nw.Boolean(), backend=frame.implementation)

    unreadable = series([x is None for x in said]) if None in said else None
    return Judged(series([x is True for x in said]), unreadable)
