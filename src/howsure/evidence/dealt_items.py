"""DealtGraded: parts of graded items that were dealt out at random; of each only the means are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.evidence.layout import Axis
from howsure.labels import places

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DealtGraded:
    """The mean value of every part, one column a system, and how many items each part has."""

    averages: Array
    totals: NDArray[Any]
    systems: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The parts."""
        return (len(self.averages),)

    @property
    def batch(self) -> tuple[Axis, ...]:
        """The parts, which have no names."""
        return (("part", range(len(self.averages))),)

    def pick(self, names: Sequence[str]) -> DealtGraded:
        """The means of these systems, in this order."""
        return replace(self, averages=self.averages[:, places(names, self.systems)], systems=tuple(names))

    def only(self, measure: object) -> DealtGraded:
        """There is one measure, the mean."""
        del measure
        return self
