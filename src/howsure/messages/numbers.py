"""Numbers for people: three decimals, or as many as tell the ends of an interval apart.

What would round to 0 or 1 and is neither is shown as a bound: <0.001, >0.999. Inside `in_full`, which --verbose asks
for, numbers have as many digits as their errors leave, and show how far they are from 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, Final

PLACES: Final = 3  # decimals of a number that is smaller than 10
_FULL: Final[ContextVar[bool]] = ContextVar("howsure_numbers_in_full", default=False)
_DUST = 0.1  # of its error: a number so small is none
_WORST = 1.5  # three standard errors of a share of n draws are at most this over √n
_PART = 0.2  # of the width of an interval: what rounding moves its ends by is at most half of it
_LAST = 16  # digits after the first one: with them a double is itself
_WHOLE = 1e9  # numbers below it are written to the last whole one, if they are written out
_LEAST = 5e-324  # the smallest double
_FIXED = range(-5, 12)  # powers of ten of numbers that are written without one


@contextmanager
def in_full(wanted: bool = True) -> Iterator[None]:
    """Show as many digits as there are behind a number.

    >>> with in_full():
    ...     short(1 - 2e-7), probability(0.99998)
    ('1 - 2e-07', '0.99998')
    """
    before = _FULL.set(wanted or _FULL.get())
    try:
        yield
    finally:
        _FULL.reset(before)


def short(
    x: float | None,
    gap: float | None = None,
    digits: int = PLACES,
    error: float | None = None,
    width: float | None = None,
) -> str:
    """A number in a few characters: three decimals, and a bound where these would be 0 or 1 and the number is not.

    With the width of the interval that the number is of, more decimals if three would not show the ends apart.
    `gap` is 1 - x, if that is known to more digits.

    >>> short(0.75857), short(1 - 2e-7), short(3.2e-9), short(None), short(1234.5), short(1.0)
    ('0.759', '>0.999', '3.2e-09', '-', '1234.5', '1.000')
    >>> short(3.2e-9, width=0.1), short(0.91234, width=0.00008), short(2e-7, width=3e-12)
    ('<0.001', '0.91234', '2.000000e-07')
    >>> with in_full():
    ...     short(0.75857, error=0.0008), short(0.75857, error=0.0003), short(0.999, gap=0.001, error=0.002)
    ('0.76', '0.759', '>0.997')
    >>> short(100002.34, width=2.3), short(100002.34, width=2.3, error=0.4)
    ('100002.3', '100002')
    """
    if x is None or math.isnan(x):
        return "-" if x is None else "undefined"
    if math.isinf(x):
        return "infinite" if x > 0 else "-infinite"
    off = error if error is not None and math.isfinite(error) else 0.0
    if abs(x) < 10 and not _FULL.get():
        return _brief(x, gap, digits, width, off)
    last = _last_unit(x, gap, digits)
    if off > 0.5 * last:
        return _rounded(x, gap, off)
    if width and max(_PART * width, 2.0 * off) < last:
        enough = _PART * width if abs(x) >= _WHOLE else min(_PART * width, 1.0)
        return _finer(x, gap, digits, max(enough, _LEAST), off)
    if x in (0.0, 1.0, -1.0) and not gap:
        return f"{x + 0.0:.0f}"
    close = abs(gap) if gap is not None else abs(1.0 - x)
    if abs(x - 1.0) < 0.5 * 10**-digits:
        if close > 0.5e-5:
            return f"{x:.{digits + 2}f}".rstrip("0")
        return f"1 - {close:.2g}" if x <= 1 else f"1 + {close:.2g}"
    if abs(x + 1.0) < 0.5 * 10**-digits:
        near = short(-x, gap, digits)
        return near.replace("1 - ", "-1 + ") if "1 - " in near else f"-{near.replace('1 + ', '1 - ')}"
    if abs(x) < 10 ** (1 - digits):
        return f"{x:.2g}"
    if abs(x) < 10:
        return f"{x:.{digits}f}"
    return f"{x:.1f}" if abs(x) < 1e5 else f"{x:.4g}"


def _brief(x: float, gap: float | None, digits: int, width: float | None, off: float) -> str:
    """A number below 10 with the usual decimals, or with more of them if its interval is narrower than the last one."""
    places = digits
    if width and width < 10.0**-digits:
        places = math.ceil(-math.log10(_PART * width) - 1e-9)
        places = min(places, max(digits, math.floor(-math.log10(2.0 * off) + 1e-9))) if off > 0 else places
        if _exponent(x) not in _FIXED:
            return f"{x:.{min(max(places + _exponent(x), 1), _LAST)}e}"
        places = min(places, _LAST)
    elif not width and 0 < abs(x) < 10.0 ** (1 - digits):
        return f"{x:.2g}"
    return bounded(x, places, gap)


def bounded(x: float, places: int = PLACES, gap: float | None = None) -> str:
    """A number with so many decimals; a bound if these would be 0 or 1 and the number is not.

    >>> bounded(0.9), bounded(1.0), bounded(1.0, gap=1e-30), bounded(0.9996), bounded(-0.0002), bounded(1.0002)
    ('0.900', '1.000', '>0.999', '>0.999', '>-0.001', '1.000')
    """
    text = f"{x + 0.0:.{places}f}"
    unit = 10.0**-places
    if x and float(text) == 0.0:
        return f"{'<' if x > 0 else '>-'}{unit:.{places}f}"
    if abs(float(text)) == 1.0 and (abs(x) < 1.0 or (gap or 0.0) > 0.0):
        return f"{'>' if x > 0 else '<-'}{1.0 - unit:.{places}f}"
    return text.removeprefix("-") if not float(text) else text


def _finer(x: float, gap: float | None, digits: int, unit: float, off: float) -> str:
    """A number with more digits than usual: the last one counts no more than a unit, but twice the error at least."""
    if x in (0.0, 1.0, -1.0) and not gap:
        return f"{x + 0.0:.0f}"
    places = math.ceil(-math.log10(unit) - 1e-9)
    if off > 0:
        places = min(places, math.floor(-math.log10(2.0 * off) + 1e-9))
    close = abs(gap) if gap is not None else abs(1.0 - abs(x))
    if 0 < close <= 0.5e-5 and abs(abs(x) - 1.0) < 0.5 * 10**-digits:
        told = f"{close:.{min(max(1, places + _exponent(close)), _LAST)}e}"
        return f"{'-' if x < 0 else ''}1 {'-' if (abs(x) <= 1) == (x > 0) else '+'} {told}"
    power = _exponent(x)
    places = min(places, _LAST - power)
    if power not in _FIXED:
        return f"{x:.{max(places + power, 1)}e}"
    return f"{x:.{places}f}" if places > 0 else f"{round(x, places):.0f}"


def ends(
    low: float | None,
    high: float | None,
    gaps: tuple[float | None, float | None] = (None, None),
    errors: tuple[float | None, float | None] = (None, None),
) -> tuple[str, str]:
    """Both ends of an interval, which are never the same unless they are one number; `gaps` and `errors` as in short.

    >>> ends(0.691, 0.8187), ends(100001.3, 100003.6), ends(0.7001, 0.7004), ends(0.25, None)
    (('0.691', '0.819'), ('100001.3', '100003.6'), ('0.70010', '0.70040'), ('0.250', '-'))
    >>> ends(0.965, 0.99999), ends(0.0, 0.00009), ends(1e-9, 0.2)
    (('0.965', '>0.999'), ('0.00000', '0.00009'), ('<0.001', '0.200'))
    """
    width = width_of(low, high)
    pairs = tuple(zip((low, high), gaps, errors, strict=True))
    first, last = (short(x, gap, error=error, width=width) for x, gap, error in pairs)
    lost = low != high and (first == last or not (_number(first) or _number(last)))
    if lost and first[0] not in "<>":
        first, last = (short(x, gap, width=width) for x, gap, _ in pairs)
    return first, last


def ends_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Both ends of the interval of a row, by their gaps where they round to 1, and no digit beyond their errors."""
    low, high, span = row["low"], row["high"], row.get("range")
    errors = row.get("error")
    errors = errors if isinstance(errors, Mapping) else {}
    below = 1.0 - low if span == [0.0, 1.0] and low is not None else None
    above = row.get("high_gap") if span and span[1] == 1.0 and (high or 0.0) > 0 else None
    first, last = ends(low, high, (below, above), (errors.get("low"), errors.get("high")))
    return endless(row, "low") or first, endless(row, "high") or last


def within(
    middle: float | None,
    low: float | None,
    high: float | None,
    error: float | None = None,
    errors: tuple[float | None, float | None] = (None, None),
) -> str:
    """A number and its interval.

    >>> within(0.7586, 0.691, 0.8187), within(1200003.1, 1199969.0, 1200038.0, errors=(0.8, 0.8))
    ('0.759 [0.691, 0.819]', '1200003 [1199970, 1200040]')
    """
    first, last = ends(low, high, errors=errors)
    return f"{short(middle, error=error, width=width_of(low, high, middle))} [{first}, {last}]"


def width_of(low: float | None, high: float | None, x: float | None = None) -> float | None:
    """How wide an interval is, where both of its ends are numbers; wider where x lies far from it."""
    if low is None or high is None:
        return None
    width = high - low if x is None else max(high - low, low - x, x - high)
    return width if math.isfinite(width) else None


def _number(text: str) -> float:
    """The number that is shown; 1 for what is shown in words."""
    return float(text) if text[-1].isdigit() and " " not in text and text[0] not in "<>" else 1.0


def _exponent(x: float) -> int:
    """The power of ten at or below the size of a number that is not 0."""
    return int(f"{abs(x):.16e}".partition("e")[2])


def _last_unit(x: float, gap: float | None, digits: int) -> float:
    """A unit of the last digit that a number is shown with."""
    size, close = abs(x), abs(gap) if gap is not None else abs(1.0 - abs(x))
    if abs(size - 1.0) < 0.5 * 10**-digits:
        return 10.0 ** -(digits + 2) if close > 0.5e-5 or not close else _power(close) / 10
    if size < 10 ** (1 - digits):
        return _power(size) / 10 if size else 10.0**-digits
    return 10.0**-digits if size < 10 else 0.1 if size < 1e5 else _power(size) / 1000


def _power(x: float) -> float:
    """The power of ten at or below a positive number; below any double, the smallest."""
    return float(10.0 ** max(-300, math.floor(math.log10(x)))) if x > 0 else 1e-300


def _rounded(x: float, gap: float | None, error: float) -> str:
    """A number to the digits that its error leaves, one at least; from 0 to 1 a bound, where that would be an end."""
    places = math.floor(-math.log10(2.0 * error))
    places = max(places, 1 if abs(x) < 10 else -math.floor(math.log10(abs(x))))
    text = f"{x:.{places}f}" if places > 0 else f"{round(x, places):.0f}"
    number = float(text)
    if gap is not None and 0 < x < 1 and number in (0.0, 1.0):
        return beyond(min(x, abs(gap)) if number == 1.0 else x, error, number == 1.0)
    if number == 0:
        return f"{x:.1g}" if abs(x) > _DUST * error else text.removeprefix("-")
    return text if abs(number) < 1e5 else f"{number:.4g}"


def beyond(tail: float, error: float, upper: bool) -> str:
    """A bound: what is left to an end of the range, and its error, rounded up to one digit.

    >>> beyond(0.0001, 0.00005, True), beyond(0.0, 0.0003, False)
    ('>0.9998', '<0.0003')
    """
    left = tail + error
    unit = _power(left)
    left = min(1.0, math.ceil(left / unit - 1e-9) * unit)
    places = max(1, -math.floor(math.log10(left) + 1e-9))
    return f">{1.0 - left:.{places}f}" if upper else f"<{left:.{places}f}"


def probability(
    p: float | None, error: float | None = None, floor: float | None = None, rest: float | None = None
) -> str:
    """A probability with three decimals; a bound where these would be 0 or 1 and it is not, or draws cannot say.

    The error is the largest that any probability of so many draws can have; one close to 0 or 1 has less. The floor is
    what draws cannot tell from 0, where that is not the rule of three of as many draws as the error speaks of. `rest`
    is 1 - p, where that is known to more digits.

    >>> probability(0.937), probability(0.99998), probability(0.0), probability(0.0, rest=1.0)
    ('0.937', '>0.999', '<0.001', '0.000')
    >>> [probability(p, 1.5 / 20_000**0.5) for p in (0.937, 1.0, 0.0, 0.9982, 0.5)]
    ['0.937', '>0.999', '<0.001', '0.998', '0.500']
    >>> [probability(p, 0.003, 0.0025) for p in (0.937, 0.00002, 1.0, 0.0123)]
    ['0.937', '<0.003', '>0.997', '0.012']
    >>> with in_full():
    ...     [probability(p, 1.5 / 20_000**0.5) for p in (0.937, 0.999975, 0.000025, 0.9982, 0.5)]
    ['0.94', '>0.9998', '<0.0002', '0.998', '0.50']
    """
    drawn = p is not None and error is not None and error > 1e-6
    least = _least(error, floor) if p is not None and error is not None and drawn else 0.0
    if p is None or (_FULL.get() and (error is None or not drawn)):
        return short(p, rest)
    if not _FULL.get() and (least < 10.0**-PLACES or 3.0 * min(p, 1.0 - p) > least):
        if p in (0.0, 1.0) and (drawn or rest is None):  # a sum of draws, or rounded
            return beyond(0.0, 10.0**-PLACES, p > 0.5)
        return bounded(p, PLACES, rest)
    off = error_at(p, error or 0.0, floor)
    if 3.0 * min(p, 1.0 - p) > least:
        return share(p, off)
    shown = beyond(0.0, least, p > 0.5)
    return shown if _FULL.get() else f"{shown[0]}{float(shown[1:]):.{PLACES}f}"


def percentage(p: float, error: float | None = None) -> str:
    """A probability in percent, with one decimal.

    >>> percentage(0.1083), percentage(0.99999), percentage(0.0)
    ('10.8%', 'over 99.9%', 'under 0.1%')
    """
    shown = probability(p, error)
    word = {"<": "under ", ">": "over "}.get(shown[0], "")
    return f"{word}{100 * float(shown[1:]):.3g}%" if word else f"{100 * p:.1f}%"


def stated(what: str, shown: str) -> str:
    """What a number is of, and the number as shown: an equation, or a bound.

    >>> stated("P(a better)", "0.93"), stated("P(a better)", ">0.9998")
    ('P(a better) = 0.93', 'P(a better) > 0.9998')
    """
    return f"{what} {shown[0]} {shown[1:]}" if shown.startswith(("<", ">")) else f"{what} = {shown}"


def _least(error: float, floor: float | None) -> float:
    """What draws cannot tell from 0: none of them, or one, by the rule of three."""
    return max(3.0 * (min(error, 1.0) / _WORST) ** 2, floor or 0.0)


def error_at(p: float, error: float, floor: float | None = None) -> float:
    """How far a probability of draws can be off at its own size, from the most that any of them can be off.

    >>> [round(error_at(p, 0.015), 5) for p in (0.5, 0.95, 1.0)]
    [0.01515, 0.00669, 0.0003]
    """
    n, tail, least = (_WORST / min(error, 1.0)) ** 2, max(0.0, min(p, 1.0 - p)), _least(error, floor)
    if 3.0 * tail <= least:
        return least
    return max(3.0 * math.sqrt(tail * (1.0 - tail) / n) + 1.5 / n, 0.5 * least)


def share(p: float, error: float) -> str:
    """A probability with an error of its own: one standard error, a third of it, is at most half a unit."""
    if not _FULL.get():
        return beyond(0.0, 10.0**-PLACES, p > 0.5) if p in (0.0, 1.0) else bounded(p)
    tail = max(0.0, min(p, 1.0 - p))
    places = min(3, math.floor(-math.log10(error / 1.5)))
    if places >= 1 and 0 < float(f"{p:.{places}f}") < 1:
        return f"{p:.{places}f}"
    if tail > 2.0 * error:
        places = -math.floor(math.log10(tail))
        return f"{p:.{places}f}"
    return beyond(tail, error, p > 0.5)


def count(n: float) -> str:
    """A count with thin grouping; weighted counts keep a decimal, and below 10 three digits.

    >>> count(1234567), count(12.5), count(0.225), count(8e-8)
    ('1,234,567', '12.5', '0.225', '8e-08')
    """
    if float(n).is_integer():
        return f"{int(n):,}"
    return f"{n:.3g}" if abs(n) < 10 else f"{n:,.1f}"


def endless(row: Mapping[str, Any], key: str) -> str:
    """The word for a number of a row that has no end, and none for others.

    >>> endless({"infinite": ["score"]}, "score"), endless({"infinite": ["-low"]}, "low"), endless({}, "low")
    ('infinite', '-infinite', '')
    """
    named = row.get("infinite") or ()
    return "infinite" if key in named else "-infinite" if f"-{key}" in named else ""


def by_weight(data: dict[str, Any]) -> bool:
    """Whether n is a sum of weights, which is no number of items; graded items are counted, whatever they weigh."""
    return bool(data.get("weighted")) and "value" not in data


def size(data: dict[str, Any], parts: str = "") -> str:
    """How many items there are; of weighted ones the sum of their weights. `parts` says in how many slices they are.

    >>> size({"n": 300}), size({"n": 110.3, "weighted": True}), size({"n": 300}, " in 2 slices")
    ('n = 300', 'total weight 110.3', 'n = 300 in 2 slices')
    """
    n = count(data["n"])
    if not by_weight(data):
        return f"n = {n}{parts}"
    rows = (data.get("rows") or {}).get("kept") if len(data.get("systems", ())) == 1 else None
    return f"total weight {n}{parts}" if rows is None else f"{count(rows)} rows{parts}, whose weights sum to {n}"


def at_least(threshold: float) -> str:
    """A threshold as what it does: items are called positive from this score on.

    >>> at_least(0.3174), at_least(0.31746689999), at_least(2.0)
    ('score >= 0.3174', 'score >= 0.317467', 'score >= 2')
    """
    return f"score >= {threshold:.6g}"


_MOST_PLACES = 6


def beside(x: float, y: float) -> tuple[str, str, str]:
    """Two numbers and their difference, which is that of the numbers as shown.

    More decimals are shown where two numbers that differ would look the same.

    >>> beside(0.5324, 0.7869), beside(0.81234, 0.81211), beside(0.25, 0.25)
    (('0.532', '0.787', '-0.255'), ('0.8123', '0.8121', '0.0002'), ('0.250', '0.250', '0.000'))
    >>> beside(0.9025, 0.8375), beside(0.99998, 0.9), beside(1234.5, 1200.0)
    (('0.902', '0.838', '0.064'), ('>0.999', '0.900', '0.100'), ('1234.5', '1200.0', '34.5'))
    >>> with in_full():
    ...     beside(0.9025, 0.8375)
    ('0.90250', '0.83750', '0.06500')
    """
    if max(abs(x), abs(y)) >= 1e5:
        return short(x, width=abs(x - y)), short(y, width=abs(x - y)), short(x - y)
    places = (PLACES if max(abs(x), abs(y)) < 10 else 1) + 2 * _FULL.get()
    while x != y and f"{x:.{places}f}" == f"{y:.{places}f}" and places < _MOST_PLACES:
        places += 1
    a, b = (Decimal(f"{v:.{places}f}") for v in (x, y))
    return bounded(x, places), bounded(y, places), f"{a - b + 0:f}"
