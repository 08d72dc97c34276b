"""Interval arithmetic: bounds of a formula over boxes of tables, for arrays of boxes at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import Expression

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]


def bounds(e: Expression, at: dict[str, Bounds]) -> Bounds:
    """The least and the greatest value, or wider, where each cell lies between its two ends.

    >>> from howsure.expressions import cells
    >>> box = {c: (np.array([1.0]), np.array([2.0])) for c in ("tp", "fp", "fn", "tn")}
    >>> low, high = bounds(cells.tp / (cells.tp + cells.fp), box)
    >>> float(low[0]), float(high[0])
    (0.25, 1.0)
    """
    if e.op == "cell":
        return at[str(e.value)]
    if e.op == "number":
        x = np.array(float(e.value))
        return x, x
    if e.function is not None:
        return np.array(-np.inf), np.array(np.inf)
    with np.errstate(all="ignore"):
        if e.op == "^" and int(float(e.args[1].value)) % 2 == 0:
            return _even_power(bounds(e.args[0], at), int(float(e.args[1].value)))
        return apply(e.op, *(bounds(x, at) for x in e.args))


def apply(op: str, a: Bounds, b: Bounds | None = None) -> Bounds:
    """The bounds of one operation."""
    if op in ("sqrt", "log"):
        f: Any = np.sqrt if op == "sqrt" else np.log
        return f(np.maximum(a[0], 0.0)), f(np.maximum(a[1], 0.0))
    assert b is not None  # noqa: S101 - narrows the type
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    if op == "*":
        return _ends([x * y for x in a for y in b])
    if op == "^":
        power = int(b[0])
        return a[0] ** power, a[1] ** power
    if op == "/":
        low, high = _ends([x / y for x in a for y in b])
        across = (b[0] <= 0) & (b[1] >= 0)
        return np.where(across, -np.inf, low), np.where(across, np.inf, high)
    return np.array(-np.inf), np.array(np.inf)  # an operation not known here bounds nothing


def _ends(products: list[Any]) -> Bounds:
    stack = np.stack(np.broadcast_arrays(*products))
    low, high = stack.min(axis=0), stack.max(axis=0)
    lost = np.isnan(low)
    return np.where(lost, -np.inf, low), np.where(lost, np.inf, high)


def _even_power(a: Bounds, power: int) -> Bounds:
    low, high = a[0] ** power, a[1] ** power
    across = (a[0] <= 0) & (a[1] >= 0)
    return np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high)
