"""Conditions `column=value` on rows: parsed into parts, so that values are bound and never become SQL."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any, Final

from howsure.errors import BadSetting

_PARTS: Final = re.compile(r"\s*(!=|<=|>=|==|=|<|>)\s*")
SIGNS: Final[dict[str, Any]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """One comparison of a column with a value; `number` is the value as a number, where it is one."""

    column: str
    operator: str
    value: str
    number: float | None

    @property
    def flag(self) -> bool | None:
        """The value as true or false, where it is one of them."""
        return {"true": True, "false": False}.get(self.value.lower())

    def compare(self, x: Any, value: Any) -> Any:
        """The comparison of a column, or of a single value, with a value."""
        return SIGNS[self.operator](x, value)

    def holds(self, x: Any) -> bool:
        """Whether a plain value fulfils it; true and false, numbers and texts are told apart.

        >>> parse("age >= 30").holds(31), parse("age >= 30").holds("31"), parse("ok=true").holds(False)
        (True, True, False)
        """
        if self.number is not None:
            try:
                return bool(self.compare(float(x), self.number))
            except (TypeError, ValueError):
                return False
        text = str(x).lower() if self.flag is not None else str(x)
        return bool(self.compare(text, self.value.lower() if self.flag is not None else self.value))


def parse(text: str, columns: tuple[str, ...] = ()) -> Condition:
    """A condition such as region=north, age>=30 or status!=draft; a column's name may hold such signs itself.

    >>> parse("age >= 30")
    Condition(column='age', operator='>=', value='30', number=30.0)
    """
    found = list(_PARTS.finditer(text))
    if not found or not text[: found[0].start()].strip():
        raise BadSetting(f"a condition is column=value (or != < <= > >=); got {text!r}.")
    splits = [(text[: m.start()].strip(), m.group(1), text[m.end() :].strip()) for m in found]
    column, sign, value = next((x for x in splits if x[0] in columns), splits[0])
    return Condition(column, "=" if sign == "==" else sign, value, _number(value))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    exact = len(text.strip("+-").partition(".")[0]) <= 15  # longer whole numbers are names, not amounts
    return value if value == value and exact else None
