"""The layout of a table: its arrays and axes, and the patterns of a 2x2 one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.labels import Label

Array = NDArray[Any]
Axis = tuple[str, Sequence[Label]]

THRESHOLD: Final = "threshold"  # an axis whose tables share their items
BINARY: Final = ("tp", "fp", "fn", "tn")
PATTERNS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
SQUARE: Final = np.array(PATTERNS)
SQUARE.setflags(write=False)
