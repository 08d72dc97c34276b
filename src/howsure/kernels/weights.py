"""Weights of items: how many equally weighted items they are worth (Kish 1965).

Statement: a sum of weights Σw with Σw² is worth (Σw)²/Σw² items, so a count of weights is worth count·Σw/Σw².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def kish(total: ArrayLike, square: ArrayLike) -> NDArray[np.float64]:
    """The factor Σw/Σw² that turns sums of weights into items; 1 where there are none.

    >>> float(kish(4.0, 8.0))
    0.5
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(square) > 0, np.asarray(total) / square, 1.0)
