"""Values of measures as texts, read as the command reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.errors import BadSetting

Given = Mapping[str, Any]  # texts, or pairs of texts


def solved(values: Given, exact: bool, settings: Mapping[str, Any]) -> Any:
    """The tables behind values that are exact, or digits as printed."""
    from howsure.relations.solving import solve, solve_printed

    found = _read(values, exact)
    return solve(found) if exact else solve_printed(found, **settings)


def traded(values: Given, settings: Mapping[str, Any]) -> Any:
    """The trade-off at given measures."""
    from howsure.relations.trading import tradeoff

    return tradeoff(None, **_read(values, True), **settings)


def _read(values: Given, exact: bool) -> dict[str, Any]:
    from howsure.relations.values import as_printed, decimal

    empty = next((k for k, x in values.items() if not all(_texts(x))), None)
    if empty is not None:
        raise BadSetting(f"{empty!r} has no value; give one, such as 0.75.")
    return {
        k: (as_printed(x, k) if not exact else decimal(x, k)) if isinstance(x, str) else tuple(decimal(y, k) for y in x)
        for k, x in values.items()
    }


def _texts(x: Any) -> list[str]:
    return [y.strip() for y in ([x] if isinstance(x, str) else x)]


def shown(values: Given, exact: bool) -> dict[str, Any]:
    """The same as they are written in Python: digits as printed are text there too, what is exact is a number.

    >>> shown({"precision": "75%", "n": ("100", "200")}, exact=True)
    {'precision': 0.75, 'n': (100, 200)}
    """
    return {
        k: (x if not exact else _number(x)) if isinstance(x, str) else tuple(map(_number, x)) for k, x in values.items()
    }


def _number(text: str) -> Any:
    clean = text.strip().replace("_", "")
    share = clean.endswith("%")
    try:
        number = float(clean.removesuffix("%")) / (100 if share else 1)
    except ValueError:
        return text
    return int(number) if number.is_integer() and not share and abs(number) < 2**53 else number
