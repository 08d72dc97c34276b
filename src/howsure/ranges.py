"""Ranges of measures: a limit that none of their values reaches is refused in a sentence."""

from __future__ import annotations

import math
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.language import option, spelled

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
