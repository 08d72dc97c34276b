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


@pytest.mark.parametrize("metric", ["f1", "informedness", "phi", "f2", "recall"])
@pytest.mark.parametrize("level", [0.01, 0.1, 0.9])
def test_a_shortest_interval_holds_its_level_and_the_mode(metric: str, level: float) -> None:
    """Also where it is hardly wider than a point."""
    for cells in (*TABLES, {"tp": 1, "fp": 1, "fn": 1, "tn": 0}):
        d = hs.posterior(hs.Tally.binary(**cells))[metric]
        low, high = d.interval(level, kind="hdi")
        assert low <= d.mode <= high
        assert d.cdf(high) - d.cdf(low) == pytest.approx(level, rel=1e-4)


@pytest.mark.parametrize("level", [0.01, 0.1, 0.95])
def test_a_shortest_interval_of_a_ratio_holds_its_level(level: float) -> None:
    """On the scale of logarithms too, of tables with hardly any counts."""
    d = hs.posterior(hs.Tally.binary(tp=1, fp=1, fn=1, tn=0))["lr-plus"]
    low, high = d.interval(level, kind="hdi")
    assert d.cdf(high) - d.cdf(low) == pytest.approx(level, rel=1e-4)


@pytest.mark.parametrize(("level", "kind", "least"), [(1e-9, "hdi", "0.01"), (1e-300, "equal-tailed", "1e-06")])
def test_a_level_of_next_to_nothing_is_refused(level: float, kind: str, least: str) -> None:
    """Nobody needs it, and no search finds its ends."""
    d = hs.posterior(hs.Tally.binary(**TABLES[0]))["f1"]
    with pytest.raises(hs.HowsureError, match=f"is a point to all intents; give a level from {least} on"):
        d.interval(level, kind=kind)
    with pytest.raises(hs.HowsureError, match="is a point to all intents"):
        hs.score(hs.Tally.binary(**TABLES[0]), metrics="f1", level=level, interval=kind)
