"""Types of arrays, by what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
AnyArray = NDArray[Any]
Complex = NDArray[np.complex128]
Index = NDArray[np.intp]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
