"""The mode is the highest point of the density: alone, in a batch, and as the middle of the narrowest interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import howsure as hs

TABLES = ({"tp": 5, "fp": 2, "fn": 1, "tn": 9}, {"tp": 80, "fp": 20, "fn": 30, "tn": 870})
METRICS = (
    "informedness", "phi", "kappa", "markedness", "balanced-accuracy", "utility(2,-1,0,0)", "f1", "f2", "g-mean",
    "fowlkes-mallows",
)  # fmt: skip


@pytest.mark.parametrize("cells", TABLES, ids=["few", "many"])
@pytest.mark.parametrize("metric", METRICS)
def test_the_mode_is_where_the_density_is_level(cells: dict[str, int], metric: str) -> None:
    """Its slope is 0 there, to 1e-8 of a standard deviation, and a batch has the same mode."""
    d = hs.posterior(hs.Tally.binary(**cells))[metric]
    step = 0.02 * d.std

    def rise(x: float, width: float) -> float:
        return float(np.log(d.pdf(x + width)) - np.log(d.pdf(x - width))) / (2 * width)

    def slope(x: float) -> float:  # Richardson's extrapolation
        return (4 * rise(x, step / 2) - rise(x, step)) / 3

    level = brentq(slope, d.mode - 0.3 * d.std, d.mode + 0.3 * d.std, xtol=1e-13)
    assert d.mode == pytest.approx(level, abs=1e-8 * d.std)
    batch = hs.posterior(hs.Tally.binary(**{k: [v, v + 1] for k, v in cells.items()}))[metric]
    assert batch.mode[0] == pytest.approx(d.mode, abs=1e-8 * d.std)
