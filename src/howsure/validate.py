"""Checks of what a user gives: counts, labels, settings, limits of metrics and names of columns."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, Context, Decimal
from typing import Any, Final, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import AnyArray, Array, Integers
from howsure.errors import BadCounts, BadLabels, BadSetting, HowsureError, UnknownName, listing, nearest
from howsure.messages.language import option, spelled

# -- counting
#
# Counts: whole numbers that stay exact in a double, or one sentence about the first that is not.


MOST: Final = 2**53  # counts stay exact in a double up to here
_LONG: Final = 10**20  # beyond it digits tell less than a power of ten
MOST_TOGETHER: Final = 2**62  # sums of whole numbers turn negative at 2^63
_UNLIKE: Final = {"c": "complex numbers", "M": "dates", "m": "lengths of time", "V": "records"}


def short(x: float) -> str:
    """A number for a message, without the digits of one that has hundreds.

    >>> short(2**53 + 1), short(int(1e308)), short(10**5000), short(0.5)
    ('9007199254740993', '1e+308', '1e+5000', '0.5')
    """
    if not isinstance(x, int) or abs(x) < _LONG:
        return str(x)
    return f"{Decimal(x).normalize(Context(prec=6, Emax=MAX_EMAX)):e}"


def refuse_unlike(given: Any, name: str, error: type[HowsureError] = BadCounts) -> None:
    """Refuse what numpy makes numbers of without a word: masked entries, dates and times, records, complex numbers."""
    rows = given if isinstance(given, (list, tuple)) and given and isinstance(given[0], np.ndarray) else (given,)
    if any(np.ma.is_masked(x) for x in rows):
        way = "leave them out, or put numbers in their place with .filled()"
        raise error(f"some entries of {name} are masked, which means that they are missing; {way}.")
    what = _UNLIKE.get(str(getattr(getattr(given, "dtype", None), "kind", None)))
    if what is not None:
        raise error(f"{name} must be real numbers; got {what}.")


def whole_counts(value: ArrayLike, name: str, way: str | None = None) -> Integers:
    """Counts as whole numbers, or one sentence about the first that is not; `way` is what to do about parts of one."""
    array = _regular(value, name)
    if array.dtype.kind == "f":
        _refuse(~np.isfinite(array), array, f"{name} must be finite; got {{}}.")
        told = f" must be a whole number; got {{}}. For weighted items give {option('weight')}." if way is None else way
        _refuse(array != np.floor(array), array, name + told)
    _refuse(array < 0, array, f"{name} cannot be negative; got {{}}.")
    return within(array).astype(np.int64)


def amounts(value: ArrayLike, name: str) -> Array:
    """Counts, sums of weights or shares as doubles: finite, 0 or more, or one sentence about the first that is not.

    >>> amounts([1, 0.5], "tp")
    array([1. , 0.5])
    """
    array = _regular(value, name).astype(float)
    _refuse(~np.isfinite(array), array, f"{name} must be finite; got {{}}.")
    _refuse(array < 0, array, f"{name} cannot be negative; got {{}}.")
    return array


def together(parts: Mapping[str, AnyArray]) -> list[AnyArray]:
    """Arrays of the same shape, or one sentence about shapes that do not go together."""
    try:
        return list(np.broadcast_arrays(*parts.values()))
    except ValueError:
        *names, last = parts
        sizes = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
        said = f"{', '.join(names)} and {last} must have the same shape, or broadcast to one"
        raise BadCounts(f"{said}; got {sizes}.") from None


def _regular(value: ArrayLike, name: str) -> AnyArray:
    """An array of numbers from what was given."""
    refuse_unlike(value, name)
    try:
        array = np.asarray(value)
    except ValueError:
        raise BadCounts(f"{name} must be a number or a regular array of numbers; its rows differ in length.") from None
    refuse_unlike(array, name)
    return _numbers(array, name) if array.dtype == object or array.dtype.kind in "US" else array


def _numbers(array: AnyArray, name: str) -> AnyArray:
    """Whole Python numbers of any size from an object array."""
    flat = array.ravel().tolist()
    for x in flat:
        if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
            raise BadCounts(f"{name} must be a number; got {x!r}.")
        if isinstance(x, int) and abs(x) > MOST:
            raise BadCounts(_TOO_LARGE.format(short(x)))
    return np.array([float(x) for x in flat]).reshape(array.shape)


_TOO_LARGE = "counts above 2^53 (9007199254740992) are not exact; got {}."


def within(array: AnyArray) -> AnyArray:
    """The array, if every count is exact in a double."""
    _refuse(array > MOST, array, _TOO_LARGE)
    total = float(array.sum(dtype=float))
    if total > MOST_TOGETHER:
        raise BadCounts(f"counts that add up to more than 2^62 ({MOST_TOGETHER}) are too many; got about {total:.3g}.")
    return array


def _refuse(bad: AnyArray | bool, array: AnyArray, message: str) -> None:
    if np.any(bad):
        first = np.asarray(array).ravel()[int(np.argmax(np.asarray(bad).ravel()))].item()
        raise BadCounts(message.format(short(first)))


# -- labels
#
# Labels: plain values in a settled order, and the rule of the positive class.

Label = Hashable
PASS: Final = frozenset({"true", "1", "yes", "y", "pass", "passed", "t", "correct", "c"})
FAIL: Final = frozenset({"false", "0", "no", "n", "fail", "failed", "f", "incorrect", "i"})


def plain_label(label: Any) -> Label:
    """A label as a plain Python value; whole floats become ints."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return cast("Label", value)


def whole_number(text: str) -> int | None:
    """The whole number that a text spells; longer ones than any count or id are names.

    >>> whole_number("-5"), whole_number("--5"), whole_number("²")
    (-5, None, None)
    """
    return int(text) if re.fullmatch(r"-?[0-9]{1,300}", text) else None


def spells(text: Any, label: Label) -> bool:
    """Whether a text, such as one of a command line, means a label that is no text: true, TRUE and 1 mean True.

    >>> spells("TRUE", True), spells("0", False), spells("1.0", 1), spells("1.0", "1")
    (True, True, True, False)
    """
    if not isinstance(text, str) or not isinstance(label, (bool, int)):
        return False
    said = text.strip().lower()
    number = whole_number(said.partition(".0")[0]) if re.fullmatch(r"-?[0-9]+(\.0+)?", said) else None
    return said == str(label).lower() or (number is not None and number == label)


def twins(values: Iterable[Any]) -> tuple[str, Any] | None:
    """A text and a number, or a truth value, that it spells, where both occur.

    >>> twins(["a", 1, "1"]), twins(["a", 1, "b"])
    (('1', 1), None)
    """
    texts: dict[str, str] = {}
    numbers: dict[str, Any] = {}
    for x in values:
        if isinstance(x, str):
            texts[x.strip().lower()] = x
        elif isinstance(x, (bool, int, float)):
            numbers[str(x).lower()] = x
    both = texts.keys() & numbers.keys()
    return (texts[min(both)], numbers[min(both)]) if both else None


def refuse_number_and_text(one: Iterable[Any], two: Iterable[Any], what: str) -> None:
    """One sentence about a number on one side, and a text on the other that spells it."""
    found = twins({*one, *two})
    if found is not None and twins(one) is None and twins(two) is None:
        raise BadLabels(f"{what} {found[0]!r} and {found[1]!r} are a text and a number; make them all the same type.")


def in_order(labels: set[Label] | frozenset[Label]) -> tuple[Label, ...]:
    """Labels sorted within their types, so that any order of merging gives the same tuple."""
    kind = {bool: "0", int: "1", float: "1"}
    return tuple(sorted(labels, key=lambda x: (kind.get(type(x), type(x).__name__), cast("Any", x))))


def completed(seen: set[Label]) -> tuple[Label, ...]:
    """Labels that occur, in order; 0 or 1 alone, False or True alone, -1 or 1 alone are joined by their partner."""
    if seen and all(isinstance(x, bool) for x in seen):
        return (False, True)
    if seen and all(isinstance(x, (int, bool)) for x in seen):
        numbers = {int(x) for x in seen}  # type: ignore[call-overload]
        for pair in ((0, 1), (-1, 1)):
            if numbers <= set(pair):
                return pair
        return in_order(numbers)
    return in_order(seen)


def usual_positive(labels: Sequence[Label]) -> Label | None:
    """1 or True when the labels lie in {0, 1}, {False, True} or {-1, 1}; otherwise none."""
    if len(labels) == 2 and all(isinstance(x, (int, bool)) for x in labels) and set(labels) in ({0, 1}, {-1, 1}):
        return next(x for x in labels if x == 1)
    return None


def check_labels(labels: Any) -> tuple[Label, ...]:
    """Labels given by the user: a sequence of distinct plain values."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise BadLabels(f"{option('labels')} must be a list of class names; got {labels!r}.")
    names = tuple(plain_label(x) for x in labels)
    _distinct(names)
    for x in names:
        named(x)
    return names


def named(label: Label) -> Label:
    """The label, if it is one: None and NaN say that a label is missing."""
    if not isinstance(label, Hashable):
        raise BadLabels(f"a label must be a plain value such as text or a number; got {label!r}.")
    if label is None or label != label:  # NaN differs from itself
        raise BadLabels(f"{label!r} means that a label is missing; give the class another name.")
    return label


def _distinct(labels: Sequence[Label]) -> None:
    seen: set[Label] = set()
    if not all(isinstance(x, Hashable) for x in labels):
        raise BadLabels(f"class names must be plain values such as text or numbers; got {list(labels)!r}.")
    for label in labels:
        if label in seen:
            raise BadLabels(f"label {label!r} is given twice; every class needs its own name.")
        seen.add(label)


def find(label: Any, labels: Sequence[Label]) -> int:
    """The place of a label; text that spells a label will do.

    >>> find("1", (0, 1)), find("true", (False, True))
    (1, 1)
    """
    wanted = plain_label(label)
    if not isinstance(wanted, Hashable):
        raise BadLabels(f"a class must be named by one value; got {type(label).__name__}.")
    for i, own in enumerate(labels):
        if own == wanted and isinstance(own, bool) == isinstance(wanted, bool):
            return i
    for i, own in enumerate(labels):
        if own == wanted or str(own) == str(wanted) or spells(wanted, own):
            return i
    names = [str(x) for x in labels]
    raise UnknownName(f"no class named {label!r}.{nearest(str(label), names)} Classes: {listing(labels)}.")


def places(names: Iterable[Any], systems: Sequence[str]) -> list[int]:
    """Where these systems stand among all of them.

    >>> places(["b", "a"], ("a", "b", "c"))
    [1, 0]
    """
    found = []
    for name in names:
        if name not in systems:
            raise UnknownName(f"no system named {name!r}.{nearest(str(name), systems)} Given: {listing(systems)}.")
        found.append(systems.index(name))
    return found


# -- settings
#
# Settings as plain Python, whichever library their type is of: numbers, whole numbers, True or False.


def finite(x: Any) -> float:
    """One number as a double; NaN for what is none, or is infinite, or beyond any double.

    A shorter float is the number that it is written as: 0.9 of 32 bits is 0.9, not 0.8999999762.

    >>> finite(3), finite(True), finite("3"), finite(10**400), finite(np.float32(0.9))
    (3.0, nan, nan, nan, 0.9)
    """
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        return math.nan
    try:
        found = float(x) if isinstance(x, (int, float, np.integer)) else float(str(x))
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def integer(x: Any) -> int | None:
    """One whole number; None for what is none, floats among them.

    >>> integer(np.int64(3)), integer(True), integer(3.0)
    (3, None, None)
    """
    return None if isinstance(x, bool) or not isinstance(x, (int, np.integer)) else int(x)


def whole_from(x: Any, what: str, least: int) -> int:
    """A whole number from the least one on, or one sentence about what it is not.

    >>> whole_from(np.int64(5), "seed", 0)
    5
    """
    found = integer(x)
    if found is None or found < least:
        raise BadSetting(f"{what} must be a whole number, {least} or more; got {x!r}.")
    return found


def flag(x: Any, name: str) -> bool:
    """True or False, for nothing else is: 'no' would be taken for yes.

    >>> flag(np.True_, "chance")
    True
    """
    if not isinstance(x, (bool, np.bool_)):
        raise BadSetting(f"{option(name)} takes True or False; got {x!r}.")
    return bool(x)


def plain_number(x: Any) -> Any:
    """The same, but for a number of numpy's, which is one of Python's.

    >>> plain_number(np.float32(0.8)), plain_number(np.int64(3)), plain_number("0.80")
    (0.8, 3, '0.80')
    """
    if isinstance(x, np.floating):
        return float(str(x))
    return x.item() if isinstance(x, np.generic) else x


def several(
    x: Any, name: str, need: str, alone: type | tuple[type, ...] = (), otherwise: str = "for the usual ones"
) -> list[Any]:
    """One thing or several, as a list; texts and what is of the types in `alone` are one.

    >>> several("f1", "metrics", "names"), several(("f1", "f2"), "metrics", "names")
    (['f1'], ['f1', 'f2'])
    """
    if isinstance(x, (str, alone)):
        return [x]
    if not isinstance(x, Iterable) or isinstance(x, (bytes, bytearray, Mapping)):
        raise BadSetting(f"{option(name)} must be {need}; got {x!r}.")
    found = list(x)
    if not found:
        raise BadSetting(f"{option(name)} is empty; leave it out {otherwise}.")
    return found


# -- metric= and metrics=, which mean the same in every verb


def metrics_given(
    metric: Any,
    metrics: Any,
    otherwise: str = "for the usual one",
    need: str = "names, Metrics or a list of them",
    alone: type | tuple[type, ...] = (),
) -> Any:
    """What `metric=` or `metrics=` asks for: one metric, or a list of several; None if neither is given.

    One metric is a name, or an object with a direction or of the types in `alone`.

    >>> metrics_given("f1", None), metrics_given(None, ("f1", "f2")), metrics_given(None, None)
    ('f1', ['f1', 'f2'], None)
    """
    if metric is not None and metrics is not None:
        shown = " and ".join(repr(x if isinstance(x, (str, list, tuple)) else str(x)) for x in (metric, metrics))
        raise BadSetting(f"metric= and metrics= mean the same; got {shown}. Leave out one of them.")
    name, given = ("metrics", metrics) if metric is None else ("metric", metric)
    if given is None or isinstance(given, (str, alone)) or hasattr(given, "better"):
        return given
    return several(given, name, need, (), otherwise)


def one_metric(verb: str, metric: Any, metrics: Any, need: str = "a name or a Metric") -> Any:
    """The metric of a verb that takes no more than one; None if none is given.

    >>> one_metric("plan", None, "f1"), one_metric("plan", ["f1"], None)
    ('f1', 'f1')
    """
    found = metrics_given(metric, metrics, need=need)
    if not isinstance(found, list):
        return found
    if len(found) > 1:
        shown = listing([str(x) for x in found])
        raise BadSetting(f"{verb} takes one metric; got {len(found)}: {shown}. Give {option('metric', str(found[0]))}.")
    return found[0]


# -- numbers as they are typed


def typed_number(text: str) -> float:
    """A number, or a percentage; ValueError for anything else.

    >>> typed_number("10%"), typed_number(".1")
    (0.1, 0.1)
    """
    clean = text.strip()
    return float(clean[:-1]) / 100 if clean.endswith("%") else float(clean)


def typed_count(text: str, name: str) -> int:
    """A whole number as it is typed: 1_000, 1e3 or 1000.0 too."""
    clean = text.strip().replace("_", "")
    try:
        return int(clean)
    except ValueError:
        pass
    try:
        number = float(clean)
    except ValueError:
        raise BadCounts(f"{name} must be a whole number; got {text.strip()!r}") from None
    if number != number or number in (float("inf"), float("-inf")) or not number.is_integer():
        raise BadCounts(f"{name} must be a finite whole number; got {text.strip()!r}")
    return int(number)


# -- settings that many verbs have

AUTO: Final = "auto"  # equal-tailed, but up to the end of the range if the score is there
KINDS: Final = (AUTO, "equal-tailed", "hdi")
_LEAST_LEVELS: Final = {"hdi": 0.01}  # the density is too level about its mode for less
_LEAST_LEVEL: Final = 1e-6


def check_level(level: float, kind: str = AUTO) -> float:
    """The level, if it lies strictly between 0 and 1, and is none that nobody needs and no search finds."""
    found = finite(level)
    if not 0 < found < 1:
        hint = f" Did you mean {found / 100:g}?" if 50 <= found < 100 else ""
        raise BadSetting(f"a level lies between 0 and 1, such as 0.95; got {level!r}.{hint}")
    least = _LEAST_LEVELS.get(kind, _LEAST_LEVEL)
    if found < least:
        what = "a shortest interval" if kind == "hdi" else "an interval"
        raise BadSetting(f"{what} of level {level!r} is a point to all intents; give a level from {least:g} on.")
    return found


def check_draws(n: int) -> int:
    """The number of draws, if it is a whole number from 1 on."""
    return whole_from(n, "the number of draws", 1)


def check_seed(seed: int) -> int:
    """The seed, if it is a whole number from 0 on."""
    return whole_from(seed, "seed", 0)


def check_kind(kind: str) -> str:
    """The kind of interval, spelled as it is known."""
    name = str(kind).strip().lower().replace("_", "-")
    if name not in KINDS:
        raise UnknownName(f"no interval kind {kind!r}.{nearest(name, KINDS)} Give 'auto', 'equal-tailed' or 'hdi'.")
    return name


# -- ranges
#
# Ranges of measures: a limit that none of their values reaches is refused in a sentence.

Bounds = tuple[float, float]

_SCANNED: Final = 0.25  # of the width of a range that was found on a grid: the grid may have missed its end by less


def reached(metric: Any) -> Bounds:
    """Bounds that no value of a measure passes: wider than its own where these were found on a grid."""
    low, high = metric.bounds
    room = _SCANNED * (high - low) if getattr(metric, "scanned", False) else 0.0
    return low - room, high + room


def refuse_beyond(name: str, bounds: Bounds, value: float, setting: str, fits: str | None = None) -> None:
    """Refuse a limit outside the range of a measure; `fits` is another measure that is asked for and has such values.

    >>> refuse_beyond("f1", (0.0, 1.0), 0.8, "above")
    >>> refuse_beyond("kappa", (-1.0, 1.0), 2.0, "above", fits="lr-plus")
    Traceback (most recent call last):
    howsure.errors.BadSetting: kappa lies between -1 and 1; got above=2. Give a number in that range, or say which \
measure it is for: above={'lr-plus': 2}.
    """
    low, high = bounds
    given = int(value) if value.is_integer() and abs(value) < 1e15 else value
    if low <= value <= high:
        return
    lies = f"lies between {low:g} and {high:g}"
    if math.isinf(low) or math.isinf(high):
        lies = f"is {low:g} or more" if math.isfinite(low) else f"is {high:g} or less"
    more = ""
    if fits is not None:
        named = spelled(f"{setting}={{{fits!r}: {given}}}", f"--{setting} {fits}={given}")
        more = f", or say which measure it is for: {named}"
    hint = f" Did you mean {value / 100:g}?" if bounds == (0.0, 1.0) and 1 < value <= 100 and fits is None else ""
    got = option(setting, given)
    raise BadSetting(f"{name} {lies}; got {got}. Give a number in that range{more}.{hint}")


# -- columns
#
# Columns: the keywords that name columns of data and say how to take them, the same in every verb.

Names = str | Sequence[str]


class Columns(TypedDict, total=False):
    """What `score`, `compare`, `leaderboard`, `curve` and `tally` can be told of data; see hs.tally."""

    truth: str
    pred: Names
    outcome: Names
    judge: Names
    human: Names
    value: Names
    score: Names
    threshold: float | Sequence[float]
    by: Names
    cluster: Any
    weight: Any
    count: str
    item: Names
    system: str
    on: Names
    unmatched: str
    where: Names
    independent_rows: bool
    missing: str
    positive: Any
    labels: Sequence[Any]
    bounds: tuple[float, float]
    better: str | None
    bins: int
    sep: str
    table: str
    query: str
    engine: str
    remote: str
    task: Names
    filter: Names
    scorer: Names


class ColumnsAndTarget(Columns, total=False):
    """The same for verbs that answer for a target with another share of positives; see hs.shift."""

    prevalence: Any


NAMES: Final = tuple(Columns.__annotations__)
