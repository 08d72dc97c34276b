"""Reported values: a number is exact, text means all numbers that are printed so, a pair means a range.

A float stands for the simplest fraction that rounds to it, so 1/15 and 0.6 are what they seem, and values computed
from counts fit each other exactly. Text with 15 or more significant digits is a float that a program printed, not a
rounded number. Such floats may be off by a few units in the last place, as float arithmetic leaves them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from reprlib import repr as brief
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.relations.quantities import Quantity, full_name, quantity
from howsure.validate import plain_number

CLOSE = 1e-8  # how far exact values may miss each other: they are often printed with ten digits
_SIMPLE = 100_000_000  # the largest denominator that is called simple
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_GROUPED = re.compile(r"\d{1,3}(?:[,' \u00a0\u202f]\d{3})+")
_DOUBLE = 15  # significant digits from which on a number is a float that was printed whole
_ULPS = 4  # by so many units in the last place float arithmetic may be off
_SIZE = 10**300  # numbers beyond it, or closer to 0 than its inverse, are slips


@dataclass(frozen=True)
class Given:
    """A reported quantity: all values from `low` to `high`, the upper end left out when `open_end`."""

    quantity: Quantity
    low: Fraction
    high: Fraction
    shown: str
    open_end: bool = False
    unit: Fraction | None = None  # of the last digit, if these are rounded digits
    slack: Fraction = Fraction(0)  # how far a float may be off the number that it stands for

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    @property
    def full(self) -> bool:
        """Whether it is one number with all the digits of a float."""
        return self.exact and len(Decimal(repr(float(self.low))).as_tuple().digits) >= _DOUBLE

    @property
    def printed(self) -> bool:
        """Whether these are digits that were rounded."""
        return self.unit is not None

    def reread(self, reading: str) -> Given:
        """The same digits with ties rounded either way (ties-either), or truncated."""
        if self.unit is None:
            return self
        if reading == "ties-either":
            return replace(self, open_end=False)
        middle, lowest = self.high - self.unit / 2, self.quantity.bounds[0]
        low = middle - self.unit if middle < 0 or (middle == 0 and lowest < 0) else middle
        high = middle + self.unit if middle >= 0 else middle
        return replace(self, low=low, high=high, open_end=middle >= 0)

    @property
    def middle(self) -> Fraction:
        """The number itself, or the one that was printed."""
        return self.low if self.exact else (self.low + self.high) / 2

    def holds(self, value: Any, close: float = CLOSE) -> Any:
        """Whether values agree with the report, an exact one within rounding."""
        low, high = float(self.low), float(self.high)
        size = max(1.0, abs(high))
        slack = close * size if self.exact else min(1e-13 * size, (high - low) / 8)  # of 14 digits a part is left
        below_end = value < high - slack if self.open_end else value <= high + slack
        return (value >= low - slack) & below_end

    def __str__(self) -> str:
        return f"{self.name} {self.shown}"


def givens(
    metrics: Mapping[str, Any] | None, n: Any, named: Mapping[str, Any], *, ties: str = "up"
) -> tuple[Given, ...]:
    """Everything that was reported, once each."""
    if ties not in ("up", "either"):
        raise BadSetting(f"{option('ties')} is 'up' or 'either'; got {ties!r}.")
    pairs = [*(metrics or {}).items(), *named.items(), *([] if n is None else [("n", n)])]
    out: dict[str, Given] = {}
    for name, value in pairs:
        one = given(full_name(str(name)), value, ties=ties)
        if one.name in out and (out[one.name].low, out[one.name].high) != (one.low, one.high):
            first, second = (_quoted(x) for x in (out[one.name], one))
            raise BadSetting(f"{one.name} is given twice, as {first} and as {second}.")
        out[one.name] = one
    if not out:
        raise BadSetting("nothing is given: solve needs measures, such as precision=0.75 recall=0.6 n=200.")
    return tuple(out.values())


def given(name: str, value: Any, *, ties: str = "up") -> Given:
    """One reported value.

    >>> given("precision", 0.75).exact, given("precision", "0.75").low, given("n", (100, 200)).high
    (True, Fraction(149, 200), Fraction(200, 1))
    """
    what = quantity(name)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        low, high = (_end(x, name) for x in value)
        if low > high:
            raise BadSetting(f"a range of {name} goes from low to high; got {_text(value[0])} to {_text(value[1])}.")
        one = Given(what, low, high, f"{_text(value[0])} to {_text(value[1])}")
    elif isinstance(value, str):
        one = _printed(what, value, name, ties)
    else:
        number, slack = _exact(value, name)
        one = Given(what, number, number, _text(value), slack=slack)
    return _checked(one)


def _printed(what: Quantity, text: str, name: str, ties: str) -> Given:
    """The numbers that print as this text; a whole number for a count means itself."""
    clean, percent = _plain(text)
    if "/" in clean and not percent:
        try:
            number = Fraction(clean)
        except (ValueError, ZeroDivisionError):
            raise _no_number(text, what, name) from None
        return Given(what, _sized(number, name, text), number, text.strip())
    if not _NUMBER.fullmatch(clean):
        raise _no_number(text, what, name)
    if percent:
        _shared(what, text)
    digits = Decimal(clean)
    number = _sized(Fraction(digits), name, text)
    exponent = int(digits.as_tuple().exponent) - (2 if percent else 0)
    if what.sized and what.linear is not None and number.denominator == 1:
        return Given(what, number, number, clean)
    unit = Fraction(10) ** exponent
    middle = number / 100 if percent else number
    if len(digits.as_tuple().digits) >= _DOUBLE:
        slack = unit / 2 + _units(float(middle))
        number = simplest(float(middle), slack)
        return Given(what, number, number, text.strip(), slack=slack)
    low = max(middle - unit / 2, Fraction(0)) if what.sized and middle >= 0 else middle - unit / 2
    return Given(what, low, middle + unit / 2, text.strip(), ties == "up", unit)


def _units(x: float) -> Fraction:
    """A few units in the last place of a float."""
    return _ULPS * Fraction(math.ulp(x))


def _shared(what: Quantity, text: str) -> None:
    """A count is no percentage."""
    if what.sized:
        raise BadSetting(f"{what.name} is a count, not a percentage; got {text!r}.")


def _plain(text: str) -> tuple[str, bool]:
    """A text without blanks, with plain signs; and whether it is a percentage."""
    clean = text.strip().replace("_", "").replace("−", "-")
    return clean.removesuffix("%").strip(), clean.endswith("%")


def _no_number(text: str, what: Quantity, name: str) -> BadSetting:
    """The error for a text that is no number, with the number it may stand for."""
    clean = text.strip()
    hint = ""
    if _GROUPED.fullmatch(clean):
        hint = f" Did you mean {re.sub(r'[^0-9]', '', clean)}?"
    elif re.fullmatch(r"\d*,\d+", clean):
        hint = f" Did you mean {clean.replace(',', '.')}?"
    example = "200" if what.sized else "0.75 or 75%"
    return BadSetting(f"{name} must be a number, such as {example}; got {text!r}.{hint}")


def _sized(number: Fraction, name: str, shown: object) -> Fraction:
    top, bottom = abs(number.numerator), number.denominator
    if top and not (bottom < top * _SIZE and top < bottom * _SIZE):
        raise _odd_size(name, shown)
    return number


def _odd_size(name: str, shown: object) -> BadSetting:
    text = str(shown)
    text = text if len(text) <= 40 else f"{text[:20]}… ({len(text)} characters)"
    return BadSetting(f"{name} must be 0, or between 1e-300 and 1e300 in size; got {text}.")


def as_printed(text: str, name: str) -> Any:
    """A text of the command line as its digits; a bare 0 or 1 at an end of the range is that number, not 0.5 to 1.5.

    >>> as_printed("1", "precision"), as_printed("1.0", "precision"), as_printed("4", "lr-plus")
    (Fraction(1, 1), '1.0', '4')
    """
    what = quantity(full_name(name))
    whole = re.fullmatch(r"[-+−]?\d+", text.strip()) is not None and not what.sized
    number = decimal(text, name) if whole else None
    return text if number is None or float(number) not in what.bounds else number


def decimal(text: str, name: str) -> Any:
    """A text of the command line as an exact number, or as it stands if it is none."""
    clean, percent = _plain(text)
    if percent and _NUMBER.fullmatch(clean):
        _shared(quantity(full_name(name)), text)
    return Fraction(Decimal(clean)) / (100 if percent else 1) if _NUMBER.fullmatch(clean) else text


def _end(value: Any, name: str) -> Fraction:
    """An end of a range."""
    if isinstance(value, str):
        number = decimal(value, name)
        if isinstance(number, str):
            raise BadSetting(f"both ends of a range of {name} must be numbers, such as (0.7, 0.8); got {value!r}.")
        return _sized(number, name, value)
    return _exact(value, name)[0]


def _exact(value: Any, name: str) -> tuple[Fraction, Fraction]:
    """The number that a value stands for, and how far a float may be off."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    value = plain_number(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, Decimal)):
        raise BadSetting(f"{name} must be a number, text or a range (low, high); got {value!r}.")
    if not (value.is_finite() if isinstance(value, Decimal) else not isinstance(value, float) or math.isfinite(value)):
        raise BadSetting(f"{name} must be a finite number; got {value}.")
    if isinstance(value, Decimal) and value and abs(value.adjusted()) > 999:  # as a fraction it would fill the memory
        raise _odd_size(name, value)
    if not isinstance(value, float):
        return _sized(Fraction(value), name, value), Fraction(0)
    slack = _units(value)
    return _sized(simplest(value, slack), name, value), slack


def simplest(x: float, slack: Fraction = Fraction(0)) -> Fraction:
    """The first convergent of its continued fraction that is within `slack` of x or rounds to it, else its decimal.

    >>> simplest(0.6), simplest(1 / 15)
    (Fraction(3, 5), Fraction(1, 15))
    """
    exact = Fraction(x)
    top, bottom = x.as_integer_ratio()
    p, q, before_p, before_q = 1, 0, 0, 1
    while bottom:
        whole, rest = divmod(top, bottom)
        p, q, before_p, before_q = before_p + whole * p, before_q + whole * q, p, q
        if q > _SIMPLE:
            break
        if p / q == x or abs(Fraction(p, q) - exact) <= slack:
            return Fraction(p, q)
        top, bottom = bottom, rest
    return Fraction(repr(x))


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        return short_number(value)
    known = plain_number(value)
    return f"{known:.10g}" if isinstance(known, float) else str(known)


def short_number(x: Fraction | float) -> str:
    """A number as people write it, six digits at most."""
    if float(x).is_integer() and abs(float(x)) < 1e15:
        return str(int(x))
    return f"{float(x):.6g}"


def numbers(x: ArrayLike, need: str) -> Array:
    """Anything as an array of numbers; `need` says what is wanted, where it cannot be one."""
    try:
        if x is None:
            raise TypeError
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BadSetting(f"{need}; got {brief(x)}.") from None


def is_number(x: Any) -> bool:
    """Whether it is one number, and no truth value."""
    return isinstance(x, (int, float, np.number)) and not isinstance(x, bool)


def _quoted(one: Given) -> str:
    """A value as it was given; digits in quotes where they mean a range."""
    return f"'{one.shown}'" if one.printed else one.shown


def _checked(one: Given) -> Given:
    """The value, if it lies in the range of the quantity; 75 is told from 0.75."""
    low, high = one.quantity.bounds
    if one.quantity.sized:
        if one.low < 0:
            raise BadSetting(f"{one.name} cannot be negative; got {one.shown}.")
        if one.name == "n" and one.high == 0:
            raise BadSetting("n must be above 0; got 0.")
        return one
    if float(one.high) < low or float(one.low) > high:
        raise BadSetting(_outside(one, low, high))
    return one


def _outside(one: Given, low: float, high: float) -> str:
    """Below or above the range; between 1 and 100 times the range it looks like a percentage."""
    value = float(one.middle)
    if math.isfinite(high) and math.isfinite(low):
        what = f"{one.name} lies between {low:g} and {high:g}; got {one.shown}."
        if 2 * high <= abs(value) <= 100 * high and (value > 0 or low < 0):
            return f"{what} Did you mean {f'{value / 100:.10g}' if one.exact else f'{one.shown}%'}?"
        return what
    return f"{one.name} is at least {low:g}; got {one.shown}." if value < low else f"{one.name} got {one.shown}."


# -- values as they are typed

_END = r"([-+−]?(?:[\d_]+\.?[\d_]*|\.[\d_]+)\s*%?)"
_RANGE = rf"\s*{_END}\s*(?:\.\.|-|–|to)\s*{_END}\s*"


def typed_values(
    values: Sequence[str], digits: bool, verb: str = "solve", example: str = "precision=.75"
) -> dict[str, Any]:
    """precision=.75 and the like; exact fractions, or the digits as they stand."""
    found: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for text in values:
        name, equals, value = (x.strip() for x in text.partition("="))
        if not equals or not name or not value:
            raise BadSetting(f"{verb} needs name=value, such as {example}; got {text!r}")
        if texts.setdefault(name, value) != value:
            raise BadSetting(f"{name} is given twice, as {texts[name]} and as {value}")
        pair = re.fullmatch(_RANGE, value)
        if pair:
            found[name] = (decimal(pair[1], name), decimal(pair[2], name))
        else:
            found[name] = as_printed(value, name) if digits else decimal(value, name)
    return found


def python_value(text: str | Sequence[str]) -> Any:
    """A value, or the two ends of a range, as Python writes what is exact.

    >>> python_value("75%"), python_value(["100", "200"])
    (0.75, (100, 200))
    """
    if not isinstance(text, str):
        return tuple(map(python_value, text))
    clean = text.strip().replace("_", "")
    share = clean.endswith("%")
    try:
        number = float(clean.removesuffix("%")) / (100 if share else 1)
    except ValueError:
        return text
    return int(number) if number.is_integer() and not share and abs(number) < 2**53 else number
