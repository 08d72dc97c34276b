"""Conditions on rows, such as region=north or age>=30: read once, and judged alike wherever the rows are.

The value decides how it is compared: a number as a number (whole ones of any size exactly, others as doubles), an ISO
date or time as a moment, true and false as these, everything else as text. An order (< <= > >=) is
one of numbers or of moments. Nothing missing fulfils a condition; a value that cannot be put in the order that is asked
for is neither.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NoReturn

import numpy as np

from howsure.errors import BadLabels, BadSetting
from howsure.io.columns import LISTS, lost
from howsure.messages.language import option

_PARTS: Final = re.compile(r"\s*(!=|<>|<=|>=|==|=|<|>)\s*")
_SPELLED: Final = {"==": "=", "<>": "!="}
SIGNS: Final[dict[str, Any]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
WHOLE: Final = r"[+-]?[0-9]+(?:\.0*)?"
PLAIN: Final = r"[+-]?[0-9]+(?:\.[0-9]*)?"  # all digits are written out
NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_MONTHS: Final = (
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
)
_LEAP: Final = r"(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29"
DATE: Final = f"(?:[0-9]{{4}}-(?:{_MONTHS})|{_LEAP})"  # of the calendar
TIME: Final = r"[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?"
ZONE: Final = r"(?:Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)"
_LONGEST: Final = 4000  # digits
_MANY: Final = re.compile(r"(?:^|\s)(?:AND|OR)(?:\s|$)|&&|\|\||\s(?:and|or)\s+[^=<>!]*(?:[=<>]|!=)")
_TRUTH: Final = {"true": True, "false": False}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Condition:
    """One comparison of a column with a value, and what the value is read as.

    `number` and `moment` (microseconds since 1970, UTC) are None where it is none; `named` says that texts are compared
    as they are: the value was quoted, has leading zeros, or is nothing else.
    """

    text: str
    column: str
    operator: str
    value: str
    number: int | float | None
    moment: int | None
    named: bool

    @property
    def ordered(self) -> bool:
        """Whether an order is asked for."""
        return self.operator not in ("=", "!=")

    @property
    def flag(self) -> bool | None:
        """The value as true or false, where it is one of them."""
        return _TRUTH.get(self.value.lower())

    @property
    def wanted(self) -> str:
        """What an order needs, in words."""
        return "number" if self.number is not None else "date or time"

    @property
    def exact(self) -> bool:
        """Whether digits decide beside it, where doubles see no difference."""
        return isinstance(self.number, int) and self.number != 0

    @property
    def double(self) -> float:
        """The number as a double."""
        return _double(0 if self.number is None else self.number)

    @property
    def single(self) -> float:
        """The number that a column of 32-bit floats holds for it."""
        with np.errstate(over="ignore"):
            return float(np.float32(self.double))

    def compare(self, x: Any, value: Any) -> Any:
        """The comparison of a column, or of a single value, with a value."""
        return SIGNS[self.operator](x, value)

    def judge(self, x: Any) -> bool | None:
        """Whether a plain value fulfils it; None where it cannot be read as what an order needs.

        >>> parse("age >= 30").judge(31), parse("age >= 30").judge("31"), parse("ok=true").judge(False)
        (True, True, False)
        >>> parse("age >= 30").judge("N/A"), parse("age != 30").judge("N/A")
        (None, True)
        """
        if lost(x) or (isinstance(x, np.datetime64) and np.isnat(x)):
            return False
        if isinstance(x, (*LISTS, Mapping)):
            refuse_nested(self, "records" if isinstance(x, Mapping) else "lists")
        if isinstance(x, str):
            return self._text(x)
        if isinstance(x, (bool, np.bool_)) and self.number is None and self.flag is not None:
            return bool(self.compare(bool(x), self.flag))
        timed = isinstance(x, (date, np.datetime64))
        own, mine = (moment(x), self.moment) if timed else (self._read(x), self.number)
        return self._unlike() if own is None or mine is None else self._numbers(own, mine)

    def _text(self, x: str) -> bool | None:
        if not x.strip():
            return False
        if self.named and not self.ordered:
            return bool(self.compare(x, self.value))
        if self.flag is not None:
            return bool(self.compare(x.strip().lower(), self.value.lower()))
        if self.moment is not None:
            own, mine = moment(x), self.moment
            return self._unlike() if own is None else bool(self.compare(own, mine))
        read = self._read(x)
        if read is not None and read != read:
            return False
        return self._unlike() if read is None or self.number is None else self._numbers(read, self.number)

    def _read(self, x: Any) -> int | float | Decimal | None:
        """A number, with all its digits beside a whole one that could be taken for it."""
        if isinstance(self.number, int) and isinstance(x, Decimal) and x.is_finite():
            return x
        if self.exact and isinstance(x, str) and re.fullmatch(PLAIN, x.strip()):
            return Decimal(x.strip())
        return number(x)

    def _numbers(self, a: int | float | Decimal, b: int | float) -> bool:
        if not (isinstance(a, (int, Decimal)) and isinstance(b, int)):
            a, b = _double(a), _double(b)
        return bool(self.compare(a, b))

    def _unlike(self) -> bool | None:
        """What can be no equal of the value."""
        return None if self.ordered else self.operator == "!="


def parse(text: str, columns: Sequence[str] = ()) -> Condition:
    """A condition such as region=north, age>=30 or status!=draft; a column's name may hold such signs itself.

    >>> c = parse("age >= 30")
    >>> c.column, c.operator, c.number
    ('age', '>=', 30)
    >>> parse('title="this AND that"').value
    'this AND that'
    """
    splits = _splits(text)
    column, sign, value = next((x for x in splits if x[0] in columns), splits[0])
    told = option("where", text)
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    inner = value.lstrip("=<> ")
    if not quoted and value[:1] in ("=", "<", ">") and (number(inner) is not None or moment(inner) is not None):
        raise BadSetting(f"{told} has two signs; the signs are = != < <= > >=. A value that begins so takes quotes.")
    if not quoted and _MANY.search(value):
        raise BadSetting(
            f"{told} holds several conditions; give each a {option('where')} of its own: all of them must hold. "
            "A value that holds such a word takes quotes."
        )
    value = value[1:-1] if quoted else value
    spelled = _SPELLED.get(sign, sign)
    if len(value) > _LONGEST:
        raise BadSetting(f"{option('where')} takes values of at most {_LONGEST:,} characters; got {len(value):,}.")
    read = number(value) if re.fullmatch(NUMBER, value) else None
    at = moment(value)
    if at is not None and re.search(r"[.][0-9]{7}", value) and not (quoted and spelled in ("=", "!=")):
        raise BadSetting(f"{told} is finer than a microsecond; give at most six decimals of a second.")
    if spelled not in ("=", "!=") and read is None and at is None:
        raise BadSetting(
            f"{told} asks for an order, which takes a number (such as 1000 or 0.5) or an ISO date or time (such as "
            f"2024-01-31 or 2024-01-31T10:00); got {value!r}."
        )
    named = quoted or bool(re.match("[+-]?0[0-9]", value)) or (read is None and at is None and not _flag(value))
    return Condition(text, column, spelled, value, read, at, named)


def mentioned(text: str) -> tuple[str, ...]:
    """The columns that a condition may be on, as long as it is not known which there are."""
    return tuple(column for column, _, _ in _splits(text))


def _splits(text: str) -> list[tuple[str, str, str]]:
    found = list(_PARTS.finditer(text))
    if not found or not text[: found[0].start()].strip():
        raise BadSetting(f"a condition is column=value (or != < <= > >=); got {text!r}.")
    return [(text[: m.start()].strip(), m.group(1), text[m.end() :].strip()) for m in found]


def _flag(text: str) -> bool:
    return text.lower() in _TRUTH


def _double(x: int | float | Decimal) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def number(x: Any) -> int | float | None:
    """A value as a number, true and false as 1 and 0; None where it is none.

    >>> number("1700000000000000001"), number("1.50"), number("1e3"), number("1,000")
    (1700000000000000001, 1.5, 1000.0, None)
    """
    if isinstance(x, (bool, np.bool_, int, np.integer)):
        return int(x)
    if isinstance(x, (float, np.floating)):
        return float(x)
    if isinstance(x, Decimal):
        return int(x) if x.is_finite() and x == x.to_integral_value() else float(x)
    if not isinstance(x, str):
        return None
    text = x.strip()
    if re.fullmatch(WHOLE, text) and len(text) <= _LONGEST:
        return int(text.partition(".")[0])
    if re.fullmatch(NUMBER, text) or text.lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return float(text)
    flag = _TRUTH.get(text.lower())
    return None if flag is None else int(flag)


def moment(x: Any) -> int | None:
    """A date or time as microseconds since 1970; a date is its first moment, and what has no zone is UTC.

    >>> moment("1970-01-02"), moment("1970-01-01T01:00+01:00"), moment("01/02/1970")
    (86400000000, 0, None)
    """
    if isinstance(x, np.datetime64):
        return int(x.astype("datetime64[us]").astype(np.int64))
    if isinstance(x, str):
        x = _spelled_moment(x.strip())
    if isinstance(x, datetime):
        known = x.replace(tzinfo=UTC) if x.tzinfo is None else x
        span = known - _EPOCH
        return (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds
    return (x - _EPOCH.date()).days * 86_400_000_000 if isinstance(x, date) else None


def _spelled_moment(text: str) -> date | None:
    if not re.fullmatch(f"{DATE}({TIME}{ZONE}?)?", text):
        return None
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        text = re.sub(r"([.][0-9]{6})[0-9]+", r"\1", text)
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def refuse_unreadable(condition: Condition, said: Any) -> None:
    """One sentence about a value that an order cannot take."""
    raise BadLabels(
        f"{option('where', condition.text)} asks for an order, and column {condition.column!r} holds "
        f"{str(said)[:40]!r}, which is not a {condition.wanted}. Correct it, or give {option('missing', 'drop')} to "
        "leave such rows out."
    )


def refuse_nested(condition: Condition, kind: str) -> NoReturn:
    """One sentence about a column that holds lists or records."""
    told = f"{option('where', condition.text)} needs one plain value per row"
    raise BadSetting(f"{told}, but column {condition.column!r} holds {kind}.")


def refuse_kind(condition: Condition, kind: Any) -> None:
    """One sentence about a column whose type has no such order."""
    raise BadSetting(
        f"{option('where', condition.text)} asks for the order of a {condition.wanted}, but column "
        f"{condition.column!r} holds {kind}."
    )


# -- as expressions of narwhals
#
# What an expression needs more than once becomes a column of the frame first: few engines notice that it is the same,
# and a date that is written as text would be read a hundred times over.


@dataclass(frozen=True)
class Judged:
    """A condition as an engine says it: where it holds, and where it cannot be told, if that can be."""

    holds: Any
    unreadable: Any = None


_WORDS: Final = {"true": 1.0, "false": 0.0, "inf": math.inf, "infinity": math.inf, "+inf": math.inf,
                 "+infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf}  # fmt: skip
_FINE: Final = 2**50  # steps of a decimal that doubles tell apart, and rounding on the way to them
_AFTER: Final = {">": ">", ">=": ">", "<": "<=", "<=": "<="}  # a moment within a day, seen from days


@dataclass
class Steps:
    """A frame that gains columns, whose names begin so, as a condition is worked out."""

    frame: Any
    prefix: str
    nan: bool  # whether the engine knows NaN
    library: str
    many: int = 0

    def column(self, made: Any) -> Any:
        """An expression, or a series, as a column of the frame."""
        import narwhals as nw

        name, self.many = f"{self.prefix}{self.many}", self.many + 1
        self.frame = self.frame.with_columns(made.alias(name))
        return nw.col(name)


def judged(steps: Steps, c: Condition, place: str) -> Judged:
    """Where a condition on the column of this name holds, and where it cannot be told.

    Columns with a type are compared by it, and texts as what they spell.
    """
    import narwhals as nw

    kind = steps.frame.collect_schema()[place]
    column = nw.col(place)
    if kind == nw.Boolean and c.flag is not None and c.number is None:
        return _there(column, c.compare(column, c.flag))
    if kind.is_numeric() or kind == nw.Boolean:
        return _number_column(steps, c, column, kind) if c.number is not None else _other(c, column, kind)
    if kind in (nw.Date, nw.Datetime):
        return _moment_column(c, column, kind, steps.library) if c.moment is not None else _other(c, column, kind)
    if kind == nw.Object and isinstance(steps.frame, nw.DataFrame):
        return _objects(steps, c, place)
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Object, nw.Unknown):
        return _text_column(steps, c, column, column if kind == nw.String else column.cast(nw.String))
    if kind.is_nested():
        refuse_nested(c, "records" if kind == nw.Struct else "lists")
    if c.ordered:
        refuse_kind(c, kind)
    if kind == nw.Duration and steps.library == "polars":  # it has no texts of them
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
        refuse_kind(c, kind)
    return _constant(column, c.operator == "!=")


def _objects(steps: Steps, c: Condition, place: str) -> Judged:
    """Python objects in memory, whatever they are, one by one."""
    import narwhals as nw

    said = [False if lost(x) else c.judge(x) for x in steps.frame[place].to_list()]

    def column(values: list[bool]) -> Any:
        return steps.column(nw.new_series("judged", values, nw.Boolean(), backend=steps.frame.implementation))

    unreadable = column([x is None for x in said]) if None in said else None
    return Judged(column([x is True for x in said]), unreadable)


def _number_column(steps: Steps, c: Condition, column: Any, kind: Any) -> Judged:
    import narwhals as nw

    if kind.is_float():
        x = column.cast(nw.Float64)
        holds = c.compare(x, c.single if kind == nw.Float32 else c.double)
        return _there(column, holds & ~x.is_nan() if steps.nan else holds)
    if kind == nw.Decimal and isinstance(c.number, int) and abs(c.number) * _steps(kind) >= _FINE:
        return _there(column, _digits(steps, c, column.cast(nw.String)))
    if kind in (nw.Decimal, nw.Boolean) or isinstance(c.number, float):
        return _there(column, c.compare(column.cast(nw.Float64), c.double))
    unsigned = kind.is_unsigned_integer()
    low, high = (0, 2**64) if unsigned else (-(2**63), 2**63)
    if c.number is not None and low <= c.number < high:
        return _there(column, c.compare(column, c.number))
    if kind in (nw.Int128, nw.UInt128):
        return _there(column, _digits(steps, c, column.cast(nw.String)))
    return _constant(column, bool(c.compare(1 if c.double < 0 else -1, 0)))


def _steps(kind: Any) -> int:
    """How many values of a type of decimals there are from one whole number to the next."""
    scale = getattr(kind, "scale", None)
    return int(10 ** (38 if scale is None else max(scale, 0)))


def _digits(steps: Steps, c: Condition, text: Any) -> Any:
    """Numbers of more digits than a double has beside a whole one, by their sign, length and digits."""
    mine = str(abs(int(c.number or 0)))
    text = steps.column(text.fill_null("0"))
    own = text.str.replace_all("^.*E-.*$", "0").str.replace_all("[.].*$", "").str.replace_all("^[+-]?0*", "")
    own = steps.column(own)
    size, below = own.str.len_chars(), text.str.starts_with("-")
    same, rest = below if c.double < 0 else ~below, steps.column(text.str.contains("[.]0*[1-9]"))
    beyond = (size > len(mine)) | ((size == len(mine)) & (own > mine)) | ((own == mine) & rest)
    equal = same & (own == mine) & ~rest
    more = same & beyond if c.double > 0 else ~same | ~(beyond | equal)
    return {
        "=": equal, "!=": ~equal, ">": more, ">=": more | equal, "<": ~(more | equal), "<=": ~more,
    }[c.operator]  # fmt: skip


def _moment_column(c: Condition, column: Any, kind: Any, library: str) -> Judged:
    import narwhals as nw

    at = _EPOCH.replace(tzinfo=None) + timedelta(microseconds=c.moment or 0)
    if kind == nw.Date:
        day = at.date()
        if at == datetime(day.year, day.month, day.day):
            return _there(column, c.compare(column, day))
        if not c.ordered:
            return _constant(column, c.operator == "!=")
        return _there(column, SIGNS[_AFTER[c.operator]](column, day))
    if kind.time_zone is None:
        return _there(column, c.compare(column, at))
    own = column.dt.convert_time_zone("UTC") if library == "polars" else column
    return _there(column, c.compare(own, at.replace(tzinfo=UTC)))


# -- texts


def _text_column(steps: Steps, c: Condition, column: Any, text: Any) -> Judged:
    import narwhals as nw

    said = steps.column(text.str.strip_chars())
    there = ~column.is_null() & (said != "")
    if c.named and not c.ordered:
        return Judged(there & c.compare(text, c.value))
    if c.flag is not None:
        return Judged(there & c.compare(said.str.to_lowercase(), c.value.lower()))
    if c.moment is not None:
        day, part = _spelled_time(steps, said)
        known, told = ~day.is_null(), _beside_moment(c, day, part)
    else:
        read = steps.column(spelled(said))
        there = there & ~said.str.to_lowercase().is_in(["nan", "+nan", "-nan"])
        known, told = ~read.is_null(), c.compare(read, c.double)
        if c.exact:
            near = steps.column((read == c.double) & said.str.contains(f"^{PLAIN}$"))
            told = nw.when(near).then(_digits(steps, c, nw.when(near).then(said))).otherwise(told)
    open_, holds = there & ~known, known & told
    if c.ordered:
        return Judged(holds, open_)
    return Judged(holds | open_ if c.operator == "!=" else holds)


def spelled(text: Any) -> Any:
    """The double that each text spells: true is 1, false is 0; null where it is no number, or NaN."""
    import narwhals as nw

    said = text.str.strip_chars()
    word = said.str.to_lowercase()
    found = nw.when(said.str.contains(f"^(?:{NUMBER})$")).then(said).cast(nw.Float64)
    found = nw.when(~found.is_null()).then(found)
    for name, value in _WORDS.items():
        found = found.when(word == name).then(nw.lit(value))
    return found


def _spelled_time(steps: Steps, said: Any) -> tuple[Any, Any]:
    """The days since 1970 and the microseconds of the day that texts spell, in UTC; null where they are no times."""
    import narwhals as nw

    known = nw.when(said.str.contains(f"^{DATE}(?:{TIME}{ZONE}?)?$") & ~said.str.starts_with("0000")).then(said)
    known = steps.column(known)
    full = steps.column(nw.when(said.str.len_chars() > 10).then(known))

    def digits(text: Any, start: int, size: int = 2) -> Any:
        return text.str.slice(start, size).cast(nw.Float64)

    month = steps.column(digits(known, 5))
    late = nw.when(month > 2).then(nw.lit(0.0)).otherwise(nw.lit(1.0))
    years = steps.column(digits(known, 0, 4) - late)  # that begin with March, so that leap days are the last ones
    day = (years * 365.25).floor() - (years / 100).floor() + (years / 400).floor()
    day = day + (((month + late * 12 - 3) * 153 + 2) / 5).floor() + digits(known, 8) - 719_469
    after = steps.column(full.str.slice(16))  # the minutes: seconds, decimals of them, and a zone may be there
    seconds = digits(nw.when(after.str.starts_with(":")).then(after), 1).fill_null(0.0)
    after = steps.column(after.str.replace_all("^:[0-9]{2}", ""))
    decimals = after.str.replace_all("[^.0-9].*$", "").str.replace_all("[.]", "")
    micro = nw.concat_str([decimals, nw.lit("000000")]).str.slice(0, 6).cast(nw.Float64)
    zone = steps.column(after.str.replace_all("^[.0-9]*", ""))
    offset = steps.column(nw.concat_str([zone.str.replace_all("[^0-9]", ""), nw.lit("0000")]))
    minutes = digits(offset, 0) * 60 + digits(offset, 2)
    minutes = minutes * nw.when(zone.str.starts_with("-")).then(nw.lit(1.0)).otherwise(nw.lit(-1.0))
    part = ((digits(full, 11) * 60 + digits(full, 14) + minutes) * 60 + seconds) * 1e6 + micro
    part = steps.column(part.fill_null(0.0))
    moved = (part / 86_400e6).floor()
    return steps.column(day + moved), steps.column(part - moved * 86_400e6)


def _beside_moment(c: Condition, day: Any, part: Any) -> Any:
    days, parts = divmod(c.moment or 0, 86_400_000_000)
    same = day == float(days)
    if not c.ordered:
        equal = same & (part == float(parts))
        return equal if c.operator == "=" else ~equal
    return SIGNS[c.operator[0]](day, float(days)) | (same & c.compare(part, float(parts)))


# -- as SQL of DuckDB
#
# Beside whole numbers digits decide where doubles are equal, and moments are compared by their time since 1970; so text
# says the same as a column of numbers or of times.

FLOATS: Final = frozenset({"DOUBLE", "FLOAT"})
WHOLES: Final = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT")
)  # fmt: skip
MOMENTS: Final = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE"})
NANOSECONDS: Final = "TIMESTAMP_NS"
_TOLD_APART: Final = 15  # that doubles tell apart
_RANGES: Final = {"UHUGEINT": (0, 2**128), "DECIMAL": (1 - 10**38, 10**38)}
NUMERIC: Final = FLOATS | WHOLES | {"DECIMAL", "BOOLEAN"}


def constant(c: Condition, place: str, sign: int) -> Judged:
    """Every value that there is lies on one side of the condition's: below it (-1) or above it (1)."""
    return Judged(f"{place} IS NOT NULL" if c.compare(sign, 0) else "1 = 0")


def other_kind(c: Condition, place: str, kind: str) -> Judged:
    """A column of another kind than the condition's value: it has no order with it, and no equal of it."""
    if c.ordered:
        refuse_kind(c, kind)
    return Judged(f"{place} IS NOT NULL" if c.operator == "!=" else "1 = 0")


def with_unreadable(c: Condition, told: str, unreadable: str) -> Judged:
    """What cannot be read is no equal of the value, and has no place in an order."""
    if c.ordered:
        return Judged(told, f"({unreadable})")
    return Judged(f"COALESCE({told}, {unreadable})" if c.operator == "!=" else told)


# -- DuckDB


def of_duckdb(c: Condition, place: str, kind: str, bound: dict[str, Any], name: str) -> Judged:
    """A condition on a column of a type of DuckDB; values are bound under names that begin with this one."""
    nested = nested_duckdb(kind)
    if nested is not None:
        refuse_nested(c, nested)
    base = kind.partition("(")[0]
    if base in NUMERIC:
        if c.flag is not None and base == "BOOLEAN":
            return Judged(f"{place} {c.operator} {c.flag}")
        if c.number is None:
            return other_kind(c, place, "numbers")
        return _number_sql(c, place, base, bound, name)
    if base in MOMENTS or base == NANOSECONDS:
        if c.moment is None:
            return other_kind(c, place, "dates or times")
        bound[name] = c.moment * (1000 if base == NANOSECONDS else 1)
        unit = "ns" if base == NANOSECONDS else "us"
        return Judged(f"epoch_{unit}({place}) {c.operator} ${name}")
    return of_text(c, f"CAST({place} AS VARCHAR)", bound, name)


def nested_duckdb(kind: str) -> str | None:
    """What a column of a type of DuckDB holds that is no plain value, in words."""
    if kind.endswith("]"):
        return "lists"
    return "records" if kind.startswith(("STRUCT", "MAP")) else None


def _number_sql(c: Condition, place: str, base: str, bound: dict[str, Any], name: str) -> Judged:
    if base in FLOATS:
        bound[name] = c.single if base == "FLOAT" else c.double
        return Judged(f"({place} {c.operator} CAST(${name} AS DOUBLE) AND NOT isnan({place}))")
    if base == "BOOLEAN":
        place = f"CAST({place} AS INTEGER)"
    if isinstance(c.number, float):
        bound[name] = c.double
        return Judged(f"CAST({place} AS DOUBLE) {c.operator} CAST(${name} AS DOUBLE)")
    low, high = _RANGES.get(base, (-(2**127), 2**127))
    if c.number is None or not low <= c.number < high:
        return constant(c, place, 1 if c.double < 0 else -1)
    bound[name] = c.number
    if base == "DECIMAL":
        return Judged(_beside_whole(c, place, f"${name}"))
    return Judged(f"{place} {c.operator} ${name}")


def _beside_whole(c: Condition, place: str, value: str) -> str:
    """A decimal beside a whole number: the whole numbers around it say all, exactly."""
    low, high = f"floor({place})", f"ceil({place})"
    if not c.ordered:
        return f"{'' if c.operator == '=' else 'NOT '}({low} = {value} AND {high} = {value})"
    return f"{high if c.operator in ('>', '<=') else low} {c.operator} {value}"


def of_text(c: Condition, text: str, bound: dict[str, Any], name: str) -> Judged:
    """A condition on text that DuckDB reads."""
    there = f"trim({text}) <> ''"
    if c.named and not c.ordered:
        bound[name] = c.value
        return Judged(f"({text} {c.operator} ${name} AND {there})")
    if c.flag is not None:
        bound[name] = c.value.lower()
        return Judged(f"(lower(trim({text})) {c.operator} ${name} AND {there})")
    if c.moment is not None:
        bound[name], read = c.moment, _read_moment(text)
        return with_unreadable(c, f"{read} {c.operator} ${name}", f"{read} IS NULL AND {there}")
    bound[name] = c.double
    read = read_number(text)
    told = f"{read} {c.operator} CAST(${name} AS DOUBLE)"
    if c.exact:
        whole = f"regexp_full_match(trim({text}), '{PLAIN}')"
        exact = f"CASE WHEN {whole} THEN {_digits_sql(c, text, bound, f'{name}digits')} {c.operator} 0 ELSE {told} END"
        near = f"length({text}) > {_TOLD_APART} AND {read} = CAST(${name} AS DOUBLE)"  # doubles keep the order
        told = f"CASE WHEN {near} THEN {exact} ELSE {told} END"
    return with_unreadable(c, f"({told} AND NOT isnan({read}))", f"{read} IS NULL AND {there}")


def read_number(text: str) -> str:
    """Text as a double; true is 1, false is 0, and what is no number becomes NULL."""
    flag = f"CASE lower(trim({text})) WHEN 'true' THEN 1e0 WHEN 'false' THEN 0e0 END"
    return f"coalesce({spelled_sql(text)}, {flag})"


def spelled_sql(text: str) -> str:
    """The double that a text spells, or NULL; to DuckDB 1_000 is a number, which is more often a name."""
    return f"CASE WHEN contains({text}, '_') THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"


def _read_moment(text: str) -> str:
    """Microseconds since 1970, or NULL."""
    said = f"trim({text})"
    zoned = f"regexp_matches({said}, '{ZONE}$')"
    day = f"WHEN {said} LIKE '____-__-__' THEN epoch_us(TRY_CAST({said} AS TIMESTAMP))"
    whole = f"CASE WHEN {zoned} THEN {said} ELSE {said} || 'Z' END"
    form = f"regexp_full_match({said}, '{DATE}{TIME}{ZONE}?')"
    return f"CASE {day} WHEN {form} THEN epoch_us(TRY_CAST({whole} AS TIMESTAMPTZ)) END"


def _digits_sql(c: Condition, text: str, bound: dict[str, Any], name: str) -> str:
    """-1, 0 or 1 as a number in digits lies below, at or above the condition's, a whole one, whatever their length."""
    mine = str(abs(int(c.number or 0)))
    bound[name] = mine
    own = rf"ltrim(regexp_extract({text}, '([0-9]+)', 1), '0')"
    less, more = (-1, 1) if c.double > 0 else (1, -1)
    other = f"({text} {'' if c.double > 0 else 'NOT '}LIKE '%-%')"
    return (
        f"CASE WHEN {text} IS NULL THEN NULL WHEN {other} THEN {less} "
        f"WHEN length({own}) < {len(mine)} THEN {less} WHEN length({own}) > {len(mine)} THEN {more} "
        f"WHEN {own} < ${name} THEN {less} WHEN {own} > ${name} THEN {more} "
        f"WHEN regexp_matches({text}, '[.]0*[1-9]') THEN {more} ELSE 0 END"
    )
