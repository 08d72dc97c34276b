"""Conditions on rows, such as region=north or age>=30: read once, and judged alike wherever the rows are.

The value decides how it is compared: a number as a number (whole ones of any size exactly, others as doubles), an ISO
date or time as a moment, true and false as these, everything else as text. An order (< <= > >=) is
one of numbers or of moments. Nothing missing fulfils a condition; a value that cannot be put in the order that is asked
for is neither.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
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
WHOLE: Final = r"[+-]?[0-9]+(\.0*)?"
PLAIN: Final = r"[+-]?[0-9]+(\.[0-9]*)?"  # all digits are written out
NUMBER: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME: Final = r"[T ]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?"
ZONE: Final = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)"
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
