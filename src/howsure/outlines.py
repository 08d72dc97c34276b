"""Outlines: a law as the points of its density, plain numbers that a chart is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.render import findings
from howsure.render.numbers import probability, short

if TYPE_CHECKING:
    from howsure.charts.chart import Chart

Array = NDArray[np.float64]
Distribution = Any  # howsure.distribution.Distribution, which is drawn by what stands here
_POINTS: Final = 161
_KNOTS: Final = 49
_TAIL: Final = 5e-4  # beyond these tails nothing is drawn
_MOST: Final = 5.0  # times the height at the median: where a density has no end, more is not drawn


def outline(
    d: Distribution,
    level: float = 0.95,
    kind: str = "equal-tailed",
    *,
    above: float | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """The density of one law at points from tail to tail, its interval, and the probabilities beside a value."""
    if d.shape:
        raise BadSetting(f"{d.name} is a batch of {d.shape}: plot one of its laws, or a result with all of them.")
    low, high = d.interval(level, kind=kind)
    first, middle, last = d.ppf(np.array([_TAIL, 0.5, 1.0 - _TAIL]))
    x = _grid(np.array([first, low, high, last]), d.log_scale)
    height = (_smooth(d, x) if d.route == "quadrature" else np.asarray(d.pdf(x), dtype=float)) * (
        x if d.log_scale else 1.0
    )
    known = np.isfinite(height)
    x, height = x[known], height[known]
    bottom, top = d.range
    score = d.score
    return {
        "label": d.name if label is None else label,
        "x": x.tolist(),
        "density": height.tolist(),
        "ceiling": min(float(height.max()), _MOST * float(np.interp(middle, x, height))),
        "low": float(low),
        "high": float(high),
        "score": None if score is None or not np.isfinite(score) else float(score),
        "range": [bottom if np.isfinite(bottom) else None, top if np.isfinite(top) else None],
        "log": d.log_scale,
        "reference": None if above is None else _sides(d, float(above)),
    }


def _grid(ends: Array, log: bool) -> Array:
    """Points evenly spaced, by their logarithms where the axis is logarithmic, with the ends of the interval."""
    low, inner_low, inner_high, high = ends
    if log:
        low = max(low, np.finfo(float).tiny)
        even = np.geomspace(low, high, _POINTS)
    else:
        even = np.linspace(low, high, _POINTS)
    return np.unique(np.concatenate([even, [inner_low, inner_high]]))


def _smooth(d: Distribution, x: Array) -> Array:
    """A density that takes an integral at each point: computed at some of them, between these by a cubic spline.

    At a tenth of a standard deviation the spline is off by a few millionths of the height.
    """
    knots = np.linspace(x[0], x[-1], _KNOTS)
    y, step = np.asarray(d.pdf(knots), dtype=float), float(knots[1] - knots[0])
    if not np.isfinite(y).all():
        return np.asarray(d.pdf(x), dtype=float)
    system = np.diag(np.full(_KNOTS, 4.0)) + np.diag(np.ones(_KNOTS - 1), 1) + np.diag(np.ones(_KNOTS - 1), -1)
    bend = np.zeros(_KNOTS)
    bend[1:-1] = 6.0 * np.diff(y, 2) / step**2
    system[0, :2] = system[-1, -2:] = 0.0
    system[0, 0] = system[-1, -1] = 1.0
    curve = np.linalg.solve(system, bend)  # the second derivatives at the knots
    k = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, _KNOTS - 2)
    b = (x - knots[k]) / step
    a = 1.0 - b
    bent = ((a**3 - a) * curve[k] + (b**3 - b) * curve[k + 1]) * step**2 / 6.0
    return np.asarray(np.maximum(a * y[k] + b * y[k + 1] + bent, 0.0))


def _sides(d: Distribution, value: float) -> dict[str, Any]:
    """The probability below and above a value, as shown."""
    below, above, error = float(d.cdf(value)), float(d.sf(value)), float(d.error.probability)
    return {
        "value": value,
        "shown": f"{value:g}",
        "below": probability(below, error, rest=above),
        "above": probability(above, error, rest=below),
        "short": short(value),
    }


def density_chart(d: Distribution, level: float, kind: str, above: float | None) -> Chart:
    """The density of one law, drawn."""
    from howsure.charts.density import density

    law = outline(d, level, kind, above=above)
    ends = f"{short(law['low'])} to {short(law['high'])}"
    says = f"{d.name}: {findings.percent(level)} {kind} interval {ends}, median {short(d.median)}."
    if above is not None:
        says += f" P(above {above:g}) = {law['reference']['above']}."
    told = f"{findings.percent(level)} {kind} interval; {d.route}"
    return density([law], name="density", title=d.name, says=says, caption=told, measure=d.name)


# -- laws of steps

_VALUES: Final = 80  # that are drawn one by one; more are drawn in stretches
_BINS: Final = 32


def step_outline(d: Distribution, level: float, n: int, marks: Sequence[float] = ()) -> dict[str, Any]:
    """The law of a score of n items: the probability of each value, or of stretches of many; `marks` are in sight."""
    if d.shape:
        raise BadSetting(f"{d.name} is a batch of {d.shape}: plot one of its laws, or a result with all of them.")
    low, high = d.interval(level)
    first, last = (float(x) for x in d.ppf(np.array([_TAIL, 1.0 - _TAIL])))
    even = _shares_of(d, n, first, last)
    bounds = _stretches(first, last) if even is None else even
    upto = np.asarray(d.prob_below(bounds), dtype=float)
    return {
        "label": d.name,
        "from": bounds[:-1].tolist(),
        "to": bounds[1:].tolist(),
        "mass": np.diff(upto).tolist(),
        "low": float(low),
        "high": float(high),
        "level": level,
        "ends": [float(min([bounds[0], *marks])), float(max([bounds[-1], *marks]))],
        "single": even is not None and bool(np.ptp(bounds[:2]) * n < 1.5),
    }


def _shares_of(d: Distribution, n: int, first: float, last: float) -> Array | None:
    """Bounds between the multiples of 1/n, or every few of them, if the score takes no other value."""
    low, high = round(first * n), round(last * n)
    if not 0 < high - low < 100 * _VALUES:
        return None
    some = np.unique(np.linspace(low, high, min(high - low + 1, 13)).round()) / n
    inside = np.asarray(d.prob_below(some[1:] - 1e-6 / n)) - np.asarray(d.cdf(some[1:] - (1 - 1e-6) / n))
    if np.abs(inside).max() > 1e-9:
        return None
    step = -(-(high - low + 1) // _VALUES)
    return np.asarray((np.arange(low, high + 1 + step, step) - 0.5) / n)


def _stretches(low: float, high: float) -> Array:
    """Even bounds that hold all values."""
    room = 0.5 * (high - low) / _BINS or 0.5 * max(abs(low), 1.0) / _BINS
    return np.linspace(low - room, high + room, _BINS + 1)
