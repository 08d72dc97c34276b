"""How a formula over classes follows each cell of each class: all slopes in one pass back through its tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import CELLS, OVER_CLASSES, Expression, evaluate

Array = NDArray[np.float64]


def slopes(e: Expression, at: dict[str, Array]) -> dict[str, Array] | None:
    """The derivative by each cell of each class, at cells of shape (classes,); None where a function has none of ours.

    >>> from howsure.expressions import cells, mean
    >>> at = {"tp": np.array([1.0, 3.0]), "fp": np.array([1.0, 1.0]), "fn": np.zeros(2), "tn": np.zeros(2)}
    >>> slopes(mean(cells.tp / (cells.tp + cells.fp)), at)["tp"].tolist()
    [0.125, 0.03125]
    """
    if not _known(e):
        return None
    out = {c: np.zeros_like(at[c]) for c in CELLS}
    with np.errstate(all="ignore"):
        _back(e, np.ones(()), at, out)
    return {c: np.where(np.isfinite(x), x, 0.0) for c, x in out.items()}


def _known(e: Expression) -> bool:
    return e.function is None and all(_known(x) for x in e.args)


def _back(e: Expression, slope: Any, at: dict[str, Array], out: dict[str, Array]) -> None:
    """Add what the formula's arguments do to it; `slope` is what it does to the whole."""
    if e.op == "cell":
        out[str(e.value)] += slope
        return
    args = [np.asarray(evaluate(x, at), dtype=float) for x in e.args]
    for x, own, inner in zip(e.args, args, _inner(e.op, args), strict=True):
        if x.op != "number":
            down = slope * inner
            _back(x, down.sum() if np.ndim(down) > np.ndim(own) else down, at, out)


def _inner(op: str, args: list[Any]) -> list[Any]:
    """The derivative of an operation by each of its arguments."""
    a, b = (*args, np.ones(()))[:2]
    if op in OVER_CLASSES:
        defined = (~np.isnan(a)).astype(float)
        size = {"total": 1.0, "mean": float(len(a))}.get(op, defined.sum())
        return [defined / size]
    one = np.ones(())
    found = {
        "+": [one, one], "-": [one, -one], "*": [b, a], "/": [one / b, -a / b**2], "^": [b * a ** (b - 1.0), one],
        "sqrt": [0.5 / np.sqrt(a)], "log": [one / a],
    }  # fmt: skip
    return found[op]
