"""Settings as plain Python, whichever library their type is of: numbers, whole numbers, True or False."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from howsure.errors import BadSetting
from howsure.language import option


def number(x: Any) -> float:
    """One number as a double; NaN for what is none, or is infinite, or beyond any double.

    A shorter float is the number that it is written as: 0.9 of 32 bits is 0.9, not 0.8999999762.

    >>> number(3), number(True), number("3"), number(10**400), number(np.float32(0.9))
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


def flag(x: Any, name: str) -> bool:
    """True or False, for nothing else is: 'no' would be taken for yes.

    >>> flag(np.True_, "chance")
    True
    """
    if not isinstance(x, (bool, np.bool_)):
        raise BadSetting(f"{option(name)} takes True or False; got {x!r}.")
    return bool(x)


def plain(x: Any) -> Any:
    """The same, but for a number of numpy's, which is one of Python's.

    >>> plain(np.float32(0.8)), plain(np.int64(3)), plain("0.80")
    (0.8, 3, '0.80')
    """
    if isinstance(x, np.floating):
        return float(str(x))
    return x.item() if isinstance(x, np.generic) else x
