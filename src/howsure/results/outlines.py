"""Outlines: a law as the points of its density, plain numbers that a chart is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.distributions.scale import FARTHEST, NEAREST
from howsure.errors import BadSetting
from howsure.messages.numbers import ends, probability, short, stated, width_of
from howsure.validate import AUTO

if TYPE_CHECKING:
    from howsure.charts.chart import Chart


Distribution = Any  # howsure.posteriors.distribution.Distribution, which is drawn by what stands here
_POINTS: Final = 81  # of the first look, a tenth of a standard deviation apart or less
_ROUNDS: Final = 10  # of more points where the density bends
_OFF: Final = 1e-3  # share of the height by which the line between two points may be off
_TAIL: Final = 5e-4  # beyond these tails nothing is drawn
_MOST: Final = 5.0  # times the usual height: of a density that rises further the rest is not drawn


def outline(
    d: Distribution,
    level: float = 0.95,
    kind: str = AUTO,
    *,
    above: float | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """The density of one law at points from tail to tail, its interval, and the probabilities beside a value."""
    if d.shape:
        raise BadSetting(f"{d.name} is a batch of {d.shape}: plot one of its laws, or a result with all of them.")
    low, high = _drawable(d, np.array([*d.interval(level, kind=kind)]))
    x, height, ceiling = _points(d, np.array([low, high]))
    bottom, top = d.range
    score = d.score
    return {
        "label": d.name if label is None else label,
        "x": x.tolist(),
        "density": height.tolist(),
        "ceiling": ceiling,
        "low": float(low),
        "high": float(high),
        "score": None if score is None or not np.isfinite(score) else float(score),
        "range": [bottom if np.isfinite(bottom) else None, top if np.isfinite(top) else None],
        "log": d.log_scale,
        "reference": None if above is None else _sides(d, float(above)),
    }


def _points(d: Distribution, held: Array) -> tuple[Array, Array, float]:
    """Points of the density, `held` among them, its height there, and the greatest height that is drawn.

    They lie close where it bends: the line through them is off by a thousandth of the greatest height, or a little
    more beside a place where the density has no end.
    """
    places = _drawable(d, d.ppf(np.array([_TAIL, 0.25, 0.5, 0.75, 1.0 - _TAIL])))
    quartiles = places[1:-1]
    x, height = _heights(d, _grid(places[0], places[-1], np.concatenate([held, quartiles]), d.log_scale))
    if x.size < 3:
        raise BadSetting(f"all but nothing of {d.name} lies among the numbers there are: it cannot be drawn.")
    for _ in range(_ROUNDS):
        ceiling = _ceiling(x, height, quartiles)
        more = _bends(np.log(x) if d.log_scale else x, np.minimum(height, ceiling) / ceiling)
        between = np.sqrt(x[more]) * np.sqrt(x[more + 1]) if d.log_scale else 0.5 * (x[more] + x[more + 1])
        between = np.setdiff1d(between, x)
        if not between.size:
            break
        new, there = _heights(d, between)
        x, height = np.concatenate([x, new]), np.concatenate([height, there])
        order = np.argsort(x)
        x, height = x[order], height[order]
    return x, height, _ceiling(x, height, quartiles)


def _drawable(d: Distribution, x: Array) -> Array:
    """Points that an axis can have: what lies beyond all numbers is drawn at the last of them."""
    return np.clip(x, NEAREST if d.log_scale else -FARTHEST, FARTHEST)


def _ceiling(x: Array, height: Array, quartiles: Array) -> float:
    """The greatest height, or some times that at the quartiles: at one of them the density may have no end."""
    return min(float(height.max()), _MOST * float(np.median(np.interp(quartiles, x, height))))


def _heights(d: Distribution, x: Array) -> tuple[Array, Array]:
    """The points at which the density is a number, and its height: per step of the axis, so that areas are right."""
    with np.errstate(invalid="ignore", over="ignore"):  # next to what doubles can hold
        height = np.asarray(d.pdf(x), dtype=float) * (x if d.log_scale else 1.0)
    known = np.isfinite(height)
    return x[known], height[known]


def _grid(low: float, high: float, held: Array, log: bool) -> Array:
    """Points evenly spaced, by their logarithms where the axis is logarithmic, and those to hold."""
    even = np.geomspace(max(low, np.finfo(float).tiny), high, _POINTS) if log else np.linspace(low, high, _POINTS)
    return np.unique(np.concatenate([even, held]))


def _bends(x: Array, y: Array) -> Index:
    """The steps on which a line is too far from the density, by the bend at both of their ends."""
    step = np.diff(x)
    share = step[:-1] / (step[:-1] + step[1:])
    off = np.abs(y[1:-1] - (1.0 - share) * y[:-2] - share * y[2:])
    bend = np.pad(off / step[:-1] / step[1:], 1, mode="edge")
    return np.flatnonzero(np.maximum(bend[:-1], bend[1:]) * step**2 > 4.0 * _OFF)


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
    from howsure.render import findings

    law = outline(d, level, kind, above=above)
    interval = d.interval(level, kind=kind)
    low, high = interval
    span, wide = " to ".join(ends(low, high)), width_of(low, high)
    says = f"{d.name}: {findings.percent(level)} {interval.kind} interval {span}, median {short(d.median, width=wide)}."
    if above is not None:
        says += f" {stated(f'P(above {above:g})', law['reference']['above'])}."
    told = f"{findings.percent(level)} {interval.kind} interval; {d.route}"
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
