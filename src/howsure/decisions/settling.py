"""How many more items would likely settle a question that is open: P(above) between 1 - p and p.

Future items are drawn from what is known now (the posterior predictive), and an answer is one of pass and fail. On the
scale on which the posterior is normal, P now is Φ(z₀). With r times as many items more, the posterior's mean moves by a
normal amount and its spread falls such that the z of then is normal with mean z₀√(1+r) and variance r; it is settled
when that lies beyond ±z, z = Φ⁻¹(p). The chance of that rises with r, from 0 to 1. No moment is needed: z₀ is that of
the exact P, whatever the scale. How well it holds: docs/gates.md.
"""

from __future__ import annotations

import math
from typing import Final

ASSURANCE: Final = 0.8  # how likely so many items settle it
_HALVINGS: Final = 60


def growth(probability: float, needed: float, assurance: float = ASSURANCE) -> float | None:
    """How many times as many items more settle it, with that assurance; None where it is settled already.

    >>> round(growth(0.5, 0.95), 1), growth(0.97, 0.95)
    (42.2, None)
    """
    from scipy.special import ndtri

    least = min(probability, 1.0 - probability)
    if not 1.0 - needed < least:
        return None
    now, then = abs(float(ndtri(least))), float(ndtri(needed))
    low, high = 0.0, (then / float(ndtri(1.0 - assurance / 2.0))) ** 2  # the most that it takes, from 1/2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _settled(now, then, middle) < assurance else (low, middle)
    return high


def _settled(now: float, then: float, r: float) -> float:
    """The chance that r times as many items more give an answer."""
    from scipy.special import ndtr

    mean, std = now * math.sqrt(1.0 + r), math.sqrt(r)
    return float(ndtr((mean - then) / std) + ndtr((-mean - then) / std))


def more_items(probability: float, needed: float, size: float) -> int | None:
    """So many more, to two digits and rounded up; `size` is that of the items or clusters and of the prior's weight."""
    times = growth(probability, needed)
    if times is None or not size > 0:
        return None
    exact = times * size
    unit = 10.0 ** max(0, math.floor(math.log10(max(exact, 1.0))) - 1)
    return int(math.ceil(exact / unit) * unit)
