"""Texts of a CSV column as the values they spell: all whole numbers, all true/false, all numbers, or text as it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,299})(\.0+)?")  # longer ones are names
_TRUTH = {"true": True, "false": False}


def typed(levels: Iterable[Any]) -> dict[Any, Any]:
    """The value of each distinct text; one text that is no number keeps all of them texts. NaN among numbers is None.

    >>> typed(["1", "0.0"]), typed(["True", "false"]), typed(["1", "x"]), typed(["007"])
    ({'1': 1, '0.0': 0}, {'True': True, 'false': False}, {'1': '1', 'x': 'x'}, {'007': '007'})
    """
    found = list(dict.fromkeys(levels))
    texts = {x: x.strip() if isinstance(x, str) else str(x) for x in found}
    said = {x: t for x, t in texts.items() if t.lower() != "nan"}
    lost: dict[Any, Any] = dict.fromkeys(x for x in found if x not in said)
    if said and all(_WHOLE.fullmatch(t) for t in said.values()):
        return {x: int(t.partition(".")[0]) for x, t in said.items()} | lost
    if said and all(t.lower() in _TRUTH for t in said.values()):
        return {x: _TRUTH[t.lower()] for x, t in said.items()} | lost
    numbers = {x: _fraction(t) for x, t in said.items()}
    if said and all(n is not None for n in numbers.values()):
        return numbers | lost
    return {x: x for x in found}


def typed_together(columns: Sequence[Sequence[Any]]) -> list[dict[Any, Any]]:
    """Columns of labels: each by itself, but all of them texts where one is."""
    each = [typed(levels) for levels in columns]
    if any(isinstance(x, str) for values in each for x in values.values()):
        return [{x: x for x in levels} for levels in columns]
    return each


def _fraction(text: str) -> float | None:
    """A number with a point or an exponent; 007 is a name."""
    if not re.fullmatch(r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]+)?([eE][+-]?[0-9]+)?", text) or not re.search("[0-9]", text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
