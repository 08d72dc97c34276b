"""What every law of a batch must keep to: each check marks the tables that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.posteriors.distribution import Distribution

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Found = tuple[str, Mask, Any]  # what is wrong, in which tables, and the numbers that show it

EPS = float(np.finfo(float).eps)
UNITS = 4  # units in the last place by which a quantile may be off,
ABSOLUTE = 16 * EPS  # and so much in a range around 0: twice the stated bound, of the quantile and of its cdf
SMALLEST = 1e-290
SLACK = 1e-10  # of the cdf at a quantile, beside its stated error
ALIKE = 1e-9  # of the standard deviation, or of the number: a table alone and in a batch


@dataclass(frozen=True)
class Numbers:
    """What was asked of a law; each an array of the batch."""

    low: Array
    median: Array
    high: Array
    mean: Array
    std: Array
    level: float

    @classmethod
    def of(cls, d: Distribution, level: float) -> Numbers:
        interval = d.interval(level, kind="equal-tailed")
        parts = (interval.low, d.median, interval.high, d.mean, d.std)
        return cls(*(np.asarray(x, dtype=float) for x in parts), level)


def broken(d: Distribution, numbers: Numbers) -> Iterator[Found]:
    """All checks of one law."""
    yield from _points(d, numbers)
    yield from _order(d, numbers)
    yield from _cdf(d, numbers)
    yield from _inverse(d, numbers)
    yield from _error(d)


def _points(d: Distribution, n: Numbers) -> Iterator[Found]:
    """Numbers are numbers and lie in the range; only a moment may be infinite."""
    bottom, top = d.range
    for name in ("low", "median", "high", "mean", "std"):
        x = getattr(n, name)
        undefined = np.isinf(n.std) & (name == "mean") & (bottom == -np.inf)  # infinity less infinity
        yield f"{name} is NaN", np.isnan(x) & ~undefined, x
        if name != "std":
            yield f"{name} is outside the range", (x < bottom) | (x > top), x
    yield "std is below 0", n.std < 0, n.std


def _order(d: Distribution, n: Numbers) -> Iterator[Found]:
    shown = np.stack([n.low, n.median, n.high])
    yield "low is above the median", n.low > n.median, shown
    yield "high is below the median", n.high < n.median, shown
    known = np.isfinite(n.std) & (n.std > EPS * np.maximum(np.abs(n.low), 1e-300))
    yield "the interval has no width", (n.low >= n.high) & known & ~_nothing(d), shown


def _nothing(d: Distribution) -> Mask:
    """A sampled law that is one point: a difference of what two systems share."""
    return np.asarray((np.asarray(d.std) == 0) & (d.ess is not None))


def _between(low: Array, high: Array) -> Array:
    """Halfway, on a ruler that fits ends of very different size."""
    apart = (low > 0) & (high > 8 * low)
    with np.errstate(invalid="ignore", over="ignore"):
        plain = low + 0.5 * (high - low)
    root = np.sqrt(np.where(apart, low, 1.0)) * np.sqrt(np.where(apart, np.minimum(high, 1e300), 1.0))
    return np.where(apart, root, np.where(np.isfinite(plain), plain, low))  # draws may overflow: both are infinite


def _cdf(d: Distribution, n: Numbers) -> Iterator[Found]:
    """The cdf rises from 0 to 1, and is 1 together with sf, at the quantiles, between them and at the ends."""
    bottom, top = (np.full(n.low.shape, x) for x in d.range)
    inner = [n.low, _between(n.low, n.median), n.median, _between(n.median, n.high), n.high]
    inner = list(np.maximum.accumulate(np.stack(inner), axis=0))
    points = np.stack([bottom, *inner, top])
    below, above = (np.asarray(x, dtype=float) for x in d.law.tails(points))
    yield "cdf or sf is NaN", (np.isnan(below) | np.isnan(above)).any(axis=0), below
    yield "cdf is outside 0 to 1", ((below < 0) | (below > 1)).any(axis=0), below
    yield "sf is outside 0 to 1", ((above < 0) | (above > 1)).any(axis=0), above
    yield "cdf falls", (np.diff(below, axis=0) < -1e-12).any(axis=0), below
    yield "sf rises", (np.diff(above, axis=0) > 1e-12).any(axis=0), above
    yield "cdf and sf are not 1 together", (np.abs(below + above - 1) > 1e-12).any(axis=0), below + above
    yield "cdf is not 1 at the top of the range", below[-1] < 1 - 1e-12, below[-1]
    density = np.asarray(d.pdf(np.stack(inner[1::2])), dtype=float)
    yield "pdf is NaN or below 0", ~(density >= 0).all(axis=0), density


def _inverse(d: Distribution, n: Numbers) -> Iterator[Found]:
    """The cdf of a quantile is its probability; where doubles are too coarse, it lies between its neighbours'."""
    bottom, top = d.range
    small = 0.5 * (1 - n.level)
    error = np.asarray(d.error.probability, dtype=float) if d.route == "sampled" or d.ess else 0.0
    slack = SLACK + 2 * error
    stated = np.asarray(d.error.value, dtype=float) if d.route == "quadrature" else 0.0  # poles may lie inside
    for name, x, q in (("low", n.low, small), ("median", n.median, 0.5), ("high", n.high, 1 - small)):
        with np.errstate(invalid="ignore"):
            ulp = np.where(np.isfinite(x), UNITS * np.spacing(np.abs(np.where(np.isfinite(x), x, 0.0))), 0.0)
            ulp = np.maximum(ulp, ABSOLUTE) if bottom < 0 else np.maximum(ulp, np.minimum(stated, ABSOLUTE))
            around = np.stack([np.clip(x - ulp, bottom, top), np.clip(x + ulp, bottom, top)])
            around[0] = np.minimum(around[0], 1 / SMALLEST)  # an end beyond all doubles is infinite
            around[1] = np.where((np.abs(x) < SMALLEST) & (bottom == 0), SMALLEST, around[1])  # 0 where it underflows
        below = np.asarray(d.cdf(around), dtype=float)
        # a quantile that rounds to an end is that end; searches end at 1e-304 and 1e304
        at_bottom, at_top = (
            (around[0] <= bottom) | (np.abs(x) < SMALLEST),
            (around[1] >= top) | (np.abs(x) > 1 / SMALLEST),
        )
        wrong = ((below[0] > q + slack) & ~at_bottom) | ((below[1] < q - slack) & ~at_top)
        yield f"cdf at {name} is not its probability", wrong, np.concatenate([np.stack([x]), below])


def _error(d: Distribution) -> Iterator[Found]:
    for name in ("value", "probability"):
        x = np.asarray(getattr(d.error, name), dtype=float)
        yield f"error.{name} is NaN or below 0", ~(x >= 0), x


def differs(d: Distribution, numbers: Numbers, place: int, alone: Distribution) -> Iterator[Found]:
    """Whether a table alone has the numbers that it has in the batch; within both errors where one is sampled."""
    one = Numbers.of(alone, numbers.level)
    if d.ess is not None or alone.ess is not None:
        yield from _drawn_differs(d, numbers, place, alone)
        return
    for name in ("low", "median", "high", "mean", "std"):
        x, y = float(np.ravel(getattr(numbers, name))[place]), float(getattr(one, name))
        size = abs(y) if name in ("mean", "std") or not np.isfinite(one.std) else float(one.std)
        middle = max(abs(y), abs(float(one.mean)) if np.isfinite(one.mean) else 0.0)  # rounding, of a spread too
        same = x == y or (np.isnan(x) and np.isnan(y)) or abs(x - y) <= ALIKE * size + 8 * EPS * middle
        yield f"{name} in a batch is not {name} alone", np.asarray(not same), np.asarray([x, y])


def _drawn_differs(d: Distribution, numbers: Numbers, place: int, alone: Distribution) -> Iterator[Found]:
    """By probabilities, as a quantile in a gap of the law may be anywhere in it: errors are three deviations."""
    small = 0.5 * (1 - numbers.level)
    own = float(np.broadcast_to(d.error.probability, numbers.low.shape).ravel()[place])
    room = 1e-10 + 2 * (own + float(alone.error.probability))
    for name, q in (("low", small), ("median", 0.5), ("high", 1 - small)):
        x = float(np.ravel(getattr(numbers, name))[place])
        by = 1e-9 * (abs(x) + 1) if np.isfinite(x) else 0.0  # draws on the very end of the range, and next to it
        below, above = float(alone.cdf(x - by)), float(alone.cdf(x + by))
        wrong = not (below - room <= q <= above + room)
        yield f"{name} in a batch is not {name} alone", np.asarray(wrong), np.asarray([x, below, above, q, room])
