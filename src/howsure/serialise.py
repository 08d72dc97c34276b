"""Labels, axes and counts as JSON and back: what a Tally needs to travel between programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels
from howsure.slices import Slices


def label_out(x: Any) -> Any:
    """A label as JSON; dates carry their type.

    >>> label_out("spam"), label_out(date(2024, 5, 1))
    ('spam', {'date': '2024-05-01'})
    """
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float) and np.isfinite(x):
        return x
    if isinstance(x, datetime):
        return {"datetime": x.isoformat()}
    if isinstance(x, date):
        return {"date": x.isoformat()}
    raise BadLabels(f"a label of type {type(x).__name__} cannot be written as JSON; use text or numbers as labels.")


def label_in(x: Any) -> Any:
    """The label of a piece of JSON."""
    if not isinstance(x, dict):
        return x
    if "datetime" in x:
        return datetime.fromisoformat(x["datetime"])
    return date.fromisoformat(x["date"])


def axis_out(name: str, axis: Sequence[Any]) -> dict[str, Any]:
    """A batch axis as JSON; slices keep their codes."""
    if not isinstance(axis, Slices):
        return {"name": name, "values": [label_out(x) for x in axis]}
    levels = [[label_out(x) for x in level] for level in axis.levels]
    return {"name": name, "columns": list(axis.columns), "levels": levels, "codes": axis.codes.T.tolist()}


def axis_in(x: dict[str, Any]) -> tuple[str, Sequence[Any]]:
    """The axis of a piece of JSON."""
    if "values" in x:
        return x["name"], tuple(label_in(v) for v in x["values"])
    levels = tuple(tuple(label_in(v) for v in level) for level in x["levels"])
    codes = np.ascontiguousarray(np.array(x["codes"], dtype=np.int64).reshape(len(levels), -1).T)
    return x["name"], Slices(tuple(x["columns"]), levels, codes)


def small(array: NDArray[Any] | None) -> NDArray[Any] | None:
    """Whole numbers in the smallest type that holds them, for pickling."""
    if array is None or array.dtype.kind != "i" or array.size == 0:
        return array
    low, high = int(array.min()), int(array.max())
    kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(kind if kind.kind in "iu" else array.dtype)
