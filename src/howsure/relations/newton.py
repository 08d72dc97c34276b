"""Steps of Newton from tables to tables that meet conditions, in the logarithms of the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Miss = Callable[[Any], Any]  # of tables, along the last axis; complex steps too
_STEP: Final = 1e-30  # of derivatives by a complex step
_LONGEST: Final = 3.0  # a cell changes by this power of e at most
_LEAST: Final = -280.0
_STEEP: Final = 1e150


def approached(tables: Array, misses: Sequence[Miss], steps: int) -> Array:
    """Where the steps lead; the caller tells which tables are good."""
    x = np.log(tables)
    moved = 1.0 + 1j * _STEP * np.eye(4)
    active = np.arange(len(x))
    for _ in range(steps):
        with np.errstate(all="ignore"):
            both = np.stack([f(np.exp(x[active])[:, None] * moved) for f in misses], axis=1)
        miss, slopes = both[..., 0].real, both.imag / _STEP
        good = np.isfinite(miss).all(axis=1) & (np.abs(slopes) < _STEEP).all(axis=(1, 2)) & (miss != 0).any(axis=1)
        active, miss, slopes = active[good], miss[good], slopes[good]
        if not len(active):
            break
        step = least(slopes, -miss)
        size = np.abs(step).max(axis=1, keepdims=True)
        x[active] += step * np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))
        x[active] = np.maximum(x[active] - x[active].max(axis=1, keepdims=True), _LEAST)
    return np.exp(x)


def least(slopes: Array, right: Array) -> Array:
    """The shortest step that solves slopes·step = right, for each point.

    Gram and Schmidt, not the normal equations, which halve the digits; a slope along those before it is left out.
    """
    size = np.sqrt((slopes**2).sum(axis=2)) + 1e-300
    unit, right = slopes / size[..., None], right / size
    step: Array = np.zeros_like(unit[:, 0])
    axes: list[Array] = []
    for j in range(unit.shape[1]):
        rest = unit[:, j]
        for axis in axes:
            rest = rest - (rest * axis).sum(axis=1, keepdims=True) * axis
        length = np.sqrt((rest**2).sum(axis=1, keepdims=True))
        axes.append(np.where(length > 1e-12, rest / np.maximum(length, 1e-300), 0.0))
        missing = right[:, j, None] - (unit[:, j] * step).sum(axis=1, keepdims=True)
        step = step + axes[-1] * missing / np.maximum(length, 1e-12)
    return step
