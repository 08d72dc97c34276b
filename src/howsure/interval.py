"""Interval: a pair of ends with its level and kind, of one table or of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import BadSetting
from howsure.notes import Notes

Array = NDArray[np.float64]

TO_END: Final = "to-end"  # the kind of an interval that runs to the end of the range, where the score is


@dataclass(frozen=True, eq=False)
class Interval:
    """A credible interval, a pair (low, high). `low_gap` and `high_gap` are the distances to the range's ends.

    Of a batch, `low`, `high` and `width` are arrays, and a number is `in` it if every interval holds it.

    >>> i = Interval(0.25, 0.75, 0.95, "hdi")
    >>> low, high = i
    >>> low, i[1], i.width, len(i), 0.5 in i
    (0.25, 0.75, 0.5, 2, True)
    """

    low: Any
    high: Any
    level: float
    kind: str
    low_gap: Any = None
    high_gap: Any = None
    notes: Notes = ()

    def __post_init__(self) -> None:
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        good = low <= high
        if not good.all():
            good |= np.isnan(low) & np.isnan(high)
        if not good.all():
            first, last = (first_bad(np.broadcast_to(x, good.shape), good) for x in (low, high))
            raise BadSetting(f"an interval runs from its low end up to its high end; got {first:g} to {last:g}.")

    @property
    def width(self) -> Any:
        """How far it is from the low end to the high one."""
        return number_or_array(gap(self.low, self.high))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, which: int) -> Any:
        return (self.low, self.high)[which]

    def __contains__(self, x: ArrayLike) -> bool:
        point = np.asarray(x, dtype=float)
        return bool(np.all((self.low <= point) & (point <= self.high)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interval):
            return NotImplemented
        same = (self.level, self.kind) == (other.level, other.kind)
        return same and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"Interval(batch {np.shape(self.low)}, {self.level:.6g} {self.kind})"
        return f"Interval(low={self.low!r}, high={self.high!r})"


def gap(low: Any, high: Any) -> Array:
    """How far apart, also where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(low == high, 0.0, np.subtract(high, low))


def first_bad(values: Array, good: NDArray[np.bool_]) -> float:
    """Return the first value that is not good."""
    return float(values.ravel()[int(np.argmin(good.ravel()))])


def number_or_array(value: Any) -> Any:
    """A float for a single value, an array for a batch."""
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array
