"""What the coverage studies count: intervals that hold the true value, by measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEED = 640_277
DRAWS, RESAMPLES = 400, 800
TAILS = (0.025, 0.975)


def ends(values: Array) -> Array:
    """Low and high of draws along the last axis; (n + 1)·p is the place that holds for any number of draws."""
    return np.asarray(np.quantile(values, TAILS, axis=-1, method="weibull"))


class Hits:
    """Intervals of one method in one case: by measure, how many were given, held the truth, and how wide they were."""

    def __init__(self) -> None:
        self.sums: dict[str, list[float]] = {}
        self.by_class: dict[str, Array] = {}

    def add(self, name: str, low: Any, high: Any, truth: Any) -> None:
        """Count intervals; one that is not a number holds nothing."""
        low, high, truth = np.broadcast_arrays(low, high, truth)
        there = np.isfinite(low) & np.isfinite(high)
        inside = there & (low <= truth) & (truth <= high)
        if name.endswith(":class"):
            self.by_class[name] = self.by_class.get(name, 0) + inside.reshape(len(inside), -1).sum(axis=1)
        width = np.where(there, high - low, 0.0).sum()
        above = (there & (truth > high)).sum()
        new = [float(x) for x in (low.size, inside.sum(), there.sum(), width, above)]
        self.sums[name] = [a + b for a, b in zip(self.sums.get(name, [0.0] * 5), new, strict=True)]

    def document(self) -> dict[str, dict[str, float]]:
        out = {}
        for name, (of, held, given, width, above) in self.sums.items():
            out[name] = {"of": of, "coverage": held / of, "none": 1 - given / of, "width": width / max(given, 1)}
            out[name]["above"] = above / of  # the truth was above the interval
            if name in self.by_class:
                hits = self.by_class[name]
                out[name]["worst"] = float(hits.min()) / (of / len(hits))
        return out
