"""Conditions `column=value` on rows: parsed into parts, so that values are bound and never become SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass

from howsure.errors import BadSetting

_PARTS = re.compile(r"\s*(!=|<=|>=|==|=|<|>)\s*")


@dataclass(frozen=True)
class Condition:
    """One comparison of a column with a value; `number` is the value as a number, where it is one."""

    column: str
    operator: str
    value: str
    number: float | None


def parse(text: str, columns: tuple[str, ...] = ()) -> Condition:
    """A condition such as region=north, age>=30 or status!=draft; a column's name may hold such signs itself.

    >>> parse("age >= 30")
    Condition(column='age', operator='>=', value='30', number=30.0)
    """
    found = list(_PARTS.finditer(text))
    if not found or not text[: found[0].start()].strip():
        raise BadSetting(f"a condition is column=value (or != < <= > >=); got {text!r}.")
    splits = [(text[: m.start()].strip(), m.group(1), text[m.end() :].strip()) for m in found]
    column, operator, value = next((x for x in splits if x[0] in columns), splits[0])
    return Condition(column, "=" if operator == "==" else operator, value, _number(value))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    exact = len(text.strip("+-").partition(".")[0]) <= 15  # longer whole numbers are names, not amounts
    return value if value == value and exact else None
