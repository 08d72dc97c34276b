"""Counts: whole numbers that stay exact in a double, or one sentence about the first that is not."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import MAX_EMAX, Context, Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import BadCounts, HowsureError
from howsure.language import option

Array = NDArray[Any]

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


def whole(value: ArrayLike, name: str, way: str | None = None) -> NDArray[np.int64]:
    """Counts as whole numbers, or one sentence about the first that is not; `way` is what to do about parts of one."""
    array = _regular(value, name)
    if array.dtype.kind == "f":
        _refuse(~np.isfinite(array), array, f"{name} must be finite; got {{}}.")
        told = f" must be a whole number; got {{}}. For weighted items give {option('weight')}." if way is None else way
        _refuse(array != np.floor(array), array, name + told)
    _refuse(array < 0, array, f"{name} cannot be negative; got {{}}.")
    return within(array).astype(np.int64)


def amounts(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """Counts, sums of weights or shares as doubles: finite, 0 or more, or one sentence about the first that is not.

    >>> amounts([1, 0.5], "tp")
    array([1. , 0.5])
    """
    array = _regular(value, name).astype(float)
    _refuse(~np.isfinite(array), array, f"{name} must be finite; got {{}}.")
    _refuse(array < 0, array, f"{name} cannot be negative; got {{}}.")
    return array


def together(parts: Mapping[str, Array]) -> list[Array]:
    """Arrays of the same shape, or one sentence about shapes that do not go together."""
    try:
        return list(np.broadcast_arrays(*parts.values()))
    except ValueError:
        *names, last = parts
        sizes = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
        said = f"{', '.join(names)} and {last} must have the same shape, or broadcast to one"
        raise BadCounts(f"{said}; got {sizes}.") from None


def _regular(value: ArrayLike, name: str) -> Array:
    """An array of numbers from what was given."""
    refuse_unlike(value, name)
    try:
        array = np.asarray(value)
    except ValueError:
        raise BadCounts(f"{name} must be a number or a regular array of numbers; its rows differ in length.") from None
    refuse_unlike(array, name)
    return _numbers(array, name) if array.dtype == object or array.dtype.kind in "US" else array


def _numbers(array: Array, name: str) -> Array:
    """Whole Python numbers of any size from an object array."""
    flat = array.ravel().tolist()
    for x in flat:
        if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
            raise BadCounts(f"{name} must be a number; got {x!r}.")
        if isinstance(x, int) and abs(x) > MOST:
            raise BadCounts(_TOO_LARGE.format(short(x)))
    return np.array([float(x) for x in flat]).reshape(array.shape)


_TOO_LARGE = "counts above 2^53 (9007199254740992) are not exact; got {}."


def within(array: Array) -> Array:
    """The array, if every count is exact in a double."""
    _refuse(array > MOST, array, _TOO_LARGE)
    total = float(array.sum(dtype=float))
    if total > MOST_TOGETHER:
        raise BadCounts(f"counts that add up to more than 2^62 ({MOST_TOGETHER}) are too many; got about {total:.3g}.")
    return array


def _refuse(bad: Array | bool, array: Array, message: str) -> None:
    if np.any(bad):
        first = np.asarray(array).ravel()[int(np.argmax(np.asarray(bad).ravel()))].item()
        raise BadCounts(message.format(short(first)))
