"""The exponent of growth: the slope of log cost by log size, where cost has begun to grow.

Small sizes cost what a call costs, whatever it is given. So the slope is that of the points whose cost is at least
twice the least one; with fewer than three such points there is no growth to speak of, and the answer is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

TWICE = 2.0


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float | None:
    """The slope by least squares, or None.

    >>> round(exponent([1, 10, 100, 1000, 10000], [1, 1, 10, 100, 1000]), 3)
    1.0
    >>> exponent([1, 10, 100], [1, 1.1, 0.9]) is None
    True
    """
    least = min(costs)
    if least <= 0:
        return None
    start = next((i for i in range(len(costs)) if min(costs[i:]) >= TWICE * least), len(costs))
    kept = [(math.log(s), math.log(c)) for s, c in zip(sizes[start:], costs[start:], strict=True)]
    if len(kept) < 3:
        return None
    x, y = (sum(v) / len(kept) for v in zip(*kept, strict=True))
    return sum((a - x) * (b - y) for a, b in kept) / sum((a - x) ** 2 for a, _ in kept)
