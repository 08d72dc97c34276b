"""The layout of a table: its arrays and axes, and the patterns of a 2x2 one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadCounts
from howsure.labels import Label

Array = NDArray[Any]
Axis = tuple[str, Sequence[Label]]

THRESHOLD: Final = "threshold"  # an axis whose tables share their items
BINARY: Final = ("tp", "fp", "fn", "tn")
PATTERNS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
SQUARE: Final = np.array(PATTERNS)
SQUARE.setflags(write=False)


def plain_axes(shape: tuple[int, ...]) -> tuple[Axis, ...]:
    """Axes of a batch that was given as arrays: their places are their names."""
    if 0 in shape:
        raise BadCounts(f"an empty batch has no tables: got arrays of shape {shape}.")
    return tuple((f"batch{i}" if i else "batch", tuple(range(size))) for i, size in enumerate(shape))


def number(x: Any) -> int | float:
    """A count: whole where it is."""
    value = np.asarray(x).item()
    return int(value) if float(value).is_integer() else float(value)


def as_json(x: Any) -> Any:
    """A label as JSON has it; an infinite number is told in words.

    >>> as_json(1.5), as_json(float("inf"))
    (1.5, 'inf')
    """
    plain = x is None or isinstance(x, (bool, int, str)) or (isinstance(x, float) and math.isfinite(x))
    return x if plain else str(x)


def read_only(*arrays: Array | None) -> None:
    """Arrays of evidence cannot be written to."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)
