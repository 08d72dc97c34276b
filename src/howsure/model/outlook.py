"""Outlook: what future data sets would show of a measure, drawn from what a pilot leaves open or from stated shares.

An outlook gives, for so many future items, one number for each of many data sets: the width of the interval, or the
probability of the claim that is to be shown. The analysis of each is the one that the data will have.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """A number for each of many data sets, and their weights; none where all weigh the same, in groups of points."""

    values: Array
    weights: Array | None


class Outlook(Protocol):
    """What can be foreseen of n units: items, or clusters of them."""

    @property
    def exact(self) -> bool:
        """Whether all data sets are listed, and none drawn."""

    @property
    def pace(self) -> int:
        """How many data sets are looked at."""

    @property
    def most(self) -> int:
        """How many units can be asked for."""

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """The width of the interval."""

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """The probability that the measure, or the difference, is above a limit."""


class OfDifference:
    """Of two systems a difference is shown, and no width is planned."""

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """Refused: a plan for two systems is about their difference being shown."""
        del n, level, interval, part, fresh
        raise BadSetting("a plan for the width of a difference is not made; give the difference to be shown.")
