"""Distribution: a distribution with its name, route and stated error; Interval: a pair of ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Mask
from howsure.distributions.protocol import Law
from howsure.distributions.scale import FARTHEST, NEAREST
from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.validate import (
    AUTO,
    check_draws,
    check_kind,
    check_level,
    check_seed,
    finite,
    refuse_beyond,
    refuse_unlike,
)

if TYPE_CHECKING:
    from howsure.charts.chart import Chart


# -- interval
#
# Interval: a pair of ends with its level and kind, of one table or of a batch.


TO_END: Final = "to-end"  # the kind of an interval that runs to the end of the range, where the score is


@dataclass(frozen=True, eq=False)
class Interval:
    """A credible interval, a pair (low, high). `low_gap` and `high_gap` are the distances to the range's ends.

    Of a batch, `low`, `high` and `width` are arrays, and a number is `in` it if every interval holds it.

    >>> i = Interval(0.25, 0.75, 0.95, "hdi")
    >>> low, high = i
    >>> low, i[1], i.width, len(i), 0.5 in i
    (0.25, 0.75, 0.5, 2, True)
    """

    low: Any
    high: Any
    level: float
    kind: str
    low_gap: Any = None
    high_gap: Any = None
    notes: Notes = ()

    def __post_init__(self) -> None:
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        good = low <= high
        if not good.all():
            good |= np.isnan(low) & np.isnan(high)
        if not good.all():
            first, last = (first_bad(np.broadcast_to(x, good.shape), good) for x in (low, high))
            raise BadSetting(f"an interval runs from its low end up to its high end; got {first:g} to {last:g}.")

    @property
    def width(self) -> Any:
        """How far it is from the low end to the high one."""
        return number_or_array(gap(self.low, self.high))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, which: int) -> Any:
        return (self.low, self.high)[which]

    def __contains__(self, x: ArrayLike) -> bool:
        point = np.asarray(x, dtype=float)
        return bool(np.all((self.low <= point) & (point <= self.high)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interval):
            return NotImplemented
        same = (self.level, self.kind) == (other.level, other.kind)
        return same and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"Interval(batch {np.shape(self.low)}, {self.level:.6g} {self.kind})"
        return f"Interval(low={self.low!r}, high={self.high!r})"


def gap(low: Any, high: Any) -> Array:
    """How far apart, also where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(low == high, 0.0, np.subtract(high, low))


def first_bad(values: Array, good: Mask) -> float:
    """Return the first value that is not good."""
    return float(values.ravel()[int(np.argmin(good.ravel()))])


def number_or_array(value: Any) -> Any:
    """A float for a single value, an array for a batch."""
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array


# -- distribution
#
# Distribution: the posterior of one measure, whatever route computed it.

_MOST_DRAWS = 10**10


@dataclass(frozen=True)
class Error:
    """Bounds: `value` for mean, median and equal-tailed ends, `probability` for any cdf, sf or P."""

    value: Any
    probability: Any


@dataclass(frozen=True, eq=False)
class Distribution:
    """The law of a measure: numbers for one table, arrays for a batch; arguments broadcast as in numpy."""

    name: str
    law: Law
    route: str
    sampler: Callable[[int, int], Array] = field(repr=False)
    log_scale: bool = False
    notes: Notes = ()
    point: Callable[[], Any] | None = field(default=None, repr=False)  # finds the score, when it is asked for

    # -- moments and points

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; () for one table."""
        return self.law.shape

    @cached_property
    def range(self) -> tuple[float, float]:
        """The lowest and highest values the measure can take."""
        return float(self.law.lower), float(self.law.upper)

    @cached_property
    def score(self) -> Any:
        """The measure of the data themselves; NaN where it is undefined, None where there is no such thing."""
        return None if self.point is None else number_or_array(self.point())

    @cached_property
    def mean(self) -> Any:
        """The posterior mean; infinite where it does not exist."""
        return number_or_array(self.law.mean())

    @cached_property
    def std(self) -> Any:
        """The posterior standard deviation; infinite where it does not exist."""
        return number_or_array(self.law.std())

    @cached_property
    def median(self) -> Any:
        """The point with half of the probability on each side."""
        return number_or_array(self._to_edge(self.law.median()))

    @cached_property
    def mode(self) -> Any:
        """The highest point of the density, an end of the range when there is no inner one."""
        return number_or_array(self.law.mode())

    # -- functions

    def cdf(self, x: ArrayLike) -> Any:
        """P(measure <= x)."""
        return number_or_array(self.law.tails(_points(x))[0])

    def sf(self, x: ArrayLike) -> Any:
        """P(measure > x), with its digits even where it is tiny."""
        return number_or_array(self.law.tails(_points(x))[1])

    def prob_above(self, x: ArrayLike) -> Any:
        """P(measure > x)."""
        return self.sf(x)

    def pdf(self, x: ArrayLike) -> Any:
        """The density at x; infinite at an end where it has no bound."""
        return number_or_array(self.law.pdf(_points(x)))

    def ppf(self, q: ArrayLike) -> Any:
        """The point with lower tail q; where it rounds to the end of the range, that end."""
        p = _points(q)
        if not np.all((p >= 0) & (p <= 1)):
            raise BadSetting(f"a quantile needs a probability from 0 to 1; got {first_bad(p, (p >= 0) & (p <= 1))}.")
        value = self.law.quantile(p, 1.0 - p)[0]
        value = np.where(p == 0, self.law.lower, np.where(p == 1, self.law.upper, self._to_edge(value)))
        return number_or_array(np.clip(value, self.law.lower, self.law.upper))

    def draws(self, n: int, *, seed: int = 0) -> Array:
        """n draws, shape (n, *batch); the same seed gives the same tables for every measure of one posterior.

        Two posteriors of equal evidence need two seeds: with the same one their draws are the same.
        """
        if check_draws(n) * max(1, math.prod(self.shape)) > _MOST_DRAWS:
            raise BadSetting(f"at most {_MOST_DRAWS:,} numbers are drawn at once; got {n!r} draws.")
        return self.sampler(int(n), check_seed(seed))

    def interval(self, level: float = 0.95, *, kind: str = AUTO) -> Interval:
        """Return the credible interval of that level: auto, equal-tailed or hdi (the shortest).

        `auto` is equal-tailed; if the score is at an end of the range, it runs from the equal-tailed end on the other
        side to that end, and its kind is `to-end`.
        """
        level = check_level(level, kind := check_kind(kind))
        if kind == "hdi":
            return self._shortest(level)
        even = self._equal_tailed(level)
        return self._to_end(even) if kind == AUTO and np.any(self._at_ends) else even

    @cached_property
    def _at_ends(self) -> tuple[Mask, Mask]:
        """Whether the score is at the lower, and at the upper, end of a bounded range; never for ratios."""
        bottom, top = self.range
        if self.point is None or self.log_scale or not math.isfinite(bottom) or not math.isfinite(top):
            return np.zeros(self.shape, dtype=bool), np.zeros(self.shape, dtype=bool)
        score, near = np.broadcast_to(np.asarray(self.score, dtype=float), self.shape), _UNITS * (top - bottom)
        return score <= bottom + near, score >= top - near

    def _to_end(self, even: Interval) -> Interval:
        """Return the interval with its ends moved to those of the range, where the score is."""
        (at_bottom, at_top), (bottom, top) = self._at_ends, self.range
        low, high = np.where(at_bottom, bottom, even.low), np.where(at_top, top, even.high)
        below, above = np.where(at_bottom, 0.0, even.low_gap), np.where(at_top, 0.0, even.high_gap)
        rounded = ((low == bottom) & ~at_bottom) | ((high == top) & ~at_top)
        kept = [x for x in even.notes if x.code != "rounds-to-edge" or rounded.any()]
        told = note("interval-to-end", of=(self.name,), holds=0.5 + 0.5 * even.level)
        low, high, below, above = map(number_or_array, (low, high, below, above))
        return Interval(low, high, even.level, TO_END, below, above, (*kept, told))

    def _equal_tailed(self, level: float) -> Interval:
        low, high, below, above = self.law.equal_tailed(level)
        return self._bounded(*self._around_median(low, high), level, "equal-tailed", (below, above))

    def _to_edge(self, value: Array, low: bool = True, high: bool = True) -> Array:
        """Points that are as far out as a search goes, where that is: at the lower and at the upper end of the range.

        Ends of an interval go outwards only, so that it holds its level.
        """
        bottom, top = self.range
        if math.isfinite(bottom) and math.isfinite(top):
            return value
        if low:
            value = np.where(value <= (bottom + NEAREST if math.isfinite(bottom) else -FARTHEST), bottom, value)
        if high:
            value = np.where(value >= (top - NEAREST if math.isfinite(top) else FARTHEST), top, value)
        return value

    def _around_median(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Ends that are closer to those of the range than doubles can show may round to the median's other side."""
        bottom, top = [x if math.isfinite(x) else np.nan for x in self.range]  # no end is at infinity
        at_end = (low <= bottom + _UNITS * abs(bottom)) | (high >= top - _UNITS * abs(top))
        if not at_end.any():
            return low, high
        median = np.asarray(self.median)
        return np.where(at_end, np.minimum(low, median), low), np.where(at_end, np.maximum(high, median), high)

    def _shortest(self, level: float) -> Interval:
        low, high, unbounded = self.law.shortest(level, self.log_scale)
        bottom, top = self.range
        open_ended = not (math.isfinite(bottom) and math.isfinite(top))
        if not (open_ended or unbounded.any()):
            return self._bounded(low, high, level, "hdi")
        even = self._equal_tailed(level)
        far = np.asarray((even.low == bottom) | (even.high == top)) & open_ended  # no search can look beyond numbers
        none, notes = unbounded & ~far, []
        notes += [note("hdi-beyond", of=self.name)] if far.any() else []
        notes += [note("hdi-unbounded", of=self.name)] if none.any() else []
        low, high = np.where(none | far, even.low, low), np.where(none | far, even.high, high)
        return self._bounded(low, high, level, "hdi", None, tuple(notes))

    def _bounded(
        self,
        low: Array,
        high: Array,
        level: float,
        kind: str,
        gaps: tuple[Array, Array] | None = None,
        notes: Notes = (),
    ) -> Interval:
        """An interval within the range and never of width 0: ends that round together are moved apart."""
        bottom, top = self.range
        low = self._to_edge(np.minimum(np.maximum(low, bottom), top), high=False)
        high = self._to_edge(np.minimum(np.maximum(high, bottom), top), low=False)
        same = low >= high
        if same.any():
            same &= ~self._nothing
            crossed = (low > high) & (gap(high, low) <= _ROUNDING * (np.abs(low) + np.abs(high)))
            low, high = np.where(crossed, high, low), np.where(crossed, low, high)
            low = np.where(same & (low > bottom), np.nextafter(low, -np.inf), low)
            high = np.where(same & (low == bottom), np.nextafter(high, np.inf), high)
        below, above = gaps if gaps is not None else (gap(bottom, low), gap(high, top))
        at_edge = (low == bottom) | (high == top)
        if at_edge.any():
            notes = (*notes, *self._edge_notes(low, high, kind, below, above))
        low, high, below, above = map(number_or_array, (low, high, below, above))
        return Interval(low, high, level, kind, below, above, notes)

    def _edge_notes(self, low: Array, high: Array, kind: str, below: Array, above: Array) -> Notes:
        """Which ends of intervals are those of the range, because they round to them or lie beyond all numbers.

        The shortest interval may well begin at an end of the range, and draws may well lie on one, but not because all
        of them round to it.
        """
        bottom, top = self.range
        at_edge = ((low == bottom) | (high == top)) & (kind == "equal-tailed")
        at_edge |= ((low == bottom) & (below > 0)) | ((high == top) & (above > 0))
        far = np.isinf(low) | np.isinf(high)
        rounded = gap(low, high) <= _SAME * np.maximum(np.abs(low), np.abs(high))
        at_edge &= ~(far | self._nothing | (self._drawn & ~rounded))
        found = [note("rounds-to-edge", of=self.name)] if at_edge.any() else []
        return (*found, note("beyond-numbers", of=self.name)) if far.any() else tuple(found)

    # -- accuracy

    @cached_property
    def error(self) -> Error:
        """Bounds on how far the numbers may be off (see the accuracy page of the docs)."""
        value, probability = self.law.error
        return Error(number_or_array(value), number_or_array(np.minimum(probability, 1.0)))

    @property
    def _drawn(self) -> Mask:
        """Tables that are known by draws, which may well lie on an end of the range."""
        from howsure.distributions.stacked import table_floors

        return np.asarray(table_floors(self.law) > 0)

    @property
    def _nothing(self) -> Mask:
        """Where it is exactly 0: the difference of what two systems share."""
        zero = self.law.lower < 0 and self.law.n is not None
        return np.asarray((np.asarray(self.mean) == 0) & (np.asarray(self.std) == 0) & zero)

    def end_errors(self, level: float, kind: str) -> tuple[Any, Any]:
        """How far the ends of that interval can be off; the ends of a sampled hdi about twice as much as tails."""
        low, high = self.law.end_errors(level, shortest=kind == "hdi")
        if kind == AUTO:
            low, high = (np.where(x, 0.0, off) for x, off in zip(self._at_ends, (low, high), strict=True))
        return number_or_array(low), number_or_array(high)

    @property
    def ess(self) -> int | None:
        """The number of independent draws of a sampled route, else None; with a control they are worth more."""
        return self.law.n

    @property
    def mc_error(self) -> Any:
        """One standard error of the mean of a sampled route, as ArviZ's mcse_mean; 0 where nothing is sampled."""
        return number_or_array(self.law.standard_error())

    @property
    def median_error(self) -> Any:
        """How far the median can be off."""
        return self.error.value if self.ess is None else self.end_errors(1e-9, "equal-tailed")[0]

    def mean_error(self) -> Array:
        """How far the mean can be off: three standard errors where it is sampled, rounding where it is closed."""
        return self.law.mean_error()

    def plot(self, *, level: float = 0.95, interval: str = AUTO, above: float | None = None) -> Chart:
        """The density with its interval shaded, and P(below) and P(above) a value: d.plot(above=0.8).save("x.svg")."""
        from howsure.results.outlines import density_chart

        at = None if above is None else finite(above)
        if at is not None:
            if math.isnan(at):
                raise BadSetting(f"{option('above')} must be a finite number; got {above!r}.")
            refuse_beyond(self.name, self.range, at, "above")
        return density_chart(self, check_level(level), check_kind(interval), at)

    # -- comparing

    def __eq__(self, other: object) -> bool:
        """Whether name, route and batch are the same, and so are a few quantiles, to the last digit."""
        if not isinstance(other, Distribution):
            return NotImplemented
        if (self.name, self.route, self.shape) != (other.name, other.route, other.shape):
            return False
        p = np.array(_FIXED).reshape(-1, *([1] * len(self.shape)))
        return np.array_equal(self.ppf(p), other.ppf(p), equal_nan=True)

    def __hash__(self) -> int:
        return hash((self.name, self.route, self.shape))

    # -- showing

    def __repr__(self) -> str:
        from howsure.messages.numbers import within
        from howsure.messages.user_text import visible

        if self.shape:
            return f"{visible(self.name)} batch {self.shape}, {self.route}"

        interval = self.interval()
        middle = next((x for x in (self.score, self.mean) if x is not None and np.isfinite(x)), self.median)
        told = within(middle, interval.low, interval.high, errors=self.end_errors(0.95, AUTO))
        return f"{visible(self.name)} {told} 95% {interval.kind}, {self.route}"


_UNITS = 1e-15  # a few units in the last place of 1
_SAME = 1e-12  # of its ends: an interval so narrow is hardly more than rounding
_ROUNDING = 1e-11  # ends may round past each other, by so much at most
_FIXED = (0.01, 0.16, 0.5, 0.84, 0.99)  # probabilities at which two laws are held against each other


def _points(x: ArrayLike) -> Array:
    refuse_unlike(x, "points to evaluate at", BadSetting)
    try:
        array = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BadSetting(f"a point to evaluate at must be a number or an array of numbers; got {x!r}.") from None
    if np.isnan(array).any():
        raise BadSetting("a point to evaluate at is NaN.")
    return array
