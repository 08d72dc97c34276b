"""Two classes with a score each, and a threshold: every metric as a function of it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from reprlib import repr as brief
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.catalogue import Metric, parse
from howsure.catalogue.expressions import CELLS
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.numbers import ends, short
from howsure.relations.quantities import Quantity, quantity, quantity_of, unboxed
from howsure.relations.roots import crossings, root, turns
from howsure.relations.values import given, is_number, numbers
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import Verb

# -- distributions of scores
#
# One-dimensional distributions of a score: normal, uniform, a mixed distribution, and the scores of given items.
#
# All that a threshold needs to know: P(x < t) and P(x >= t), each with its own digits, the density where there is
# one, the points at which the distribution is not smooth, and points close enough together to see everything it does.

# Places of a normal distribution, out to where its tails are the smallest numbers there are: far out a wider
# distribution takes over.
_FINEST = 0.02
_PLACES = np.concatenate([np.arange(-37.4, -8.0, 0.1), np.arange(-8.0, 8.0, _FINEST), np.arange(8.0, 37.45, 0.1)])

_FAR = 1e150  # numbers up to this size can be squared, and taken from each other


class ScoreDistribution(Protocol):
    """A distribution of the score x."""

    def tails(self, x: Array) -> tuple[Array, Array]:
        """P(score < x) and P(score >= x)."""

    def pdf(self, x: Array) -> Array:
        """The density; 0 where there is none."""

    def mirrored(self) -> ScoreDistribution:
        """The distribution of minus the score."""

    @property
    def breaks(self) -> Array:
        """Where it is not smooth."""

    @property
    def grid(self) -> Array:
        """Points that resolve it."""

    @property
    def text(self) -> str:
        """What it is, in a few words."""


@dataclass(frozen=True)
class Normal:
    """A normal distribution."""

    mean: float
    std: float

    def tails(self, x: Array) -> tuple[Array, Array]:
        z = self._z(x)
        return special.ndtr(z), special.ndtr(-z)

    def _z(self, x: Array) -> Array:
        with np.errstate(over="ignore"):  # so far out that it is infinite
            return np.asarray((x - self.mean) / self.std)

    def pdf(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            z = self._z(x)
            return np.asarray(np.exp(-0.5 * z * z) / (self.std * math.sqrt(2 * math.pi)))

    def mirrored(self) -> Normal:
        return Normal(-self.mean, self.std)

    @property
    def breaks(self) -> Array:
        return np.zeros(0)

    @property
    def grid(self) -> Array:
        return self.mean + self.std * _PLACES

    @property
    def text(self) -> str:
        return f"normal({self.mean:g}, {self.std:g})"


@dataclass(frozen=True)
class Uniform:
    """A uniform distribution."""

    low: float
    high: float

    def tails(self, x: Array) -> tuple[Array, Array]:
        inside = np.clip(x, self.low, self.high)
        width = self.high - self.low
        return (inside - self.low) / width, (self.high - inside) / width

    def pdf(self, x: Array) -> Array:
        return np.where((x > self.low) & (x < self.high), 1 / (self.high - self.low), 0.0)

    def mirrored(self) -> Uniform:
        return Uniform(-self.high, -self.low)

    @property
    def breaks(self) -> Array:
        return np.array([self.low, self.high])

    @property
    def grid(self) -> Array:
        return np.linspace(self.low, self.high, 101)

    @property
    def text(self) -> str:
        return f"uniform({self.low:g}, {self.high:g})"


@dataclass(frozen=True)
class MixedDistribution:
    """A distribution that is one of several, with given weights."""

    weights: tuple[float, ...]
    parts: tuple[ScoreDistribution, ...]

    def tails(self, x: Array) -> tuple[Array, Array]:
        below, above = zip(*(part.tails(x) for part in self.parts), strict=True)
        return self._sum(below), self._sum(above)

    def _sum(self, values: Sequence[Array]) -> Array:
        return np.asarray(sum(w * v for w, v in zip(self.weights, values, strict=True)))

    def pdf(self, x: Array) -> Array:
        return self._sum([part.pdf(x) for part in self.parts])

    def mirrored(self) -> MixedDistribution:
        return MixedDistribution(self.weights, tuple(part.mirrored() for part in self.parts))

    @property
    def breaks(self) -> Array:
        return np.concatenate([part.breaks for part in self.parts])

    @property
    def grid(self) -> Array:
        """The points of all parts; of many normal distributions of about one width, as many as they need."""
        alike: dict[int, list[Array]] = {}
        for part in self.parts:
            if isinstance(part, Normal):
                alike.setdefault(math.frexp(part.std)[1], []).append(part.grid)
        found = [part.grid for part in self.parts if not isinstance(part, Normal)]
        for width, grids in alike.items():
            x = np.concatenate(grids)
            found.append(x[np.unique(np.floor(x / math.ldexp(_FINEST, width - 1)), return_index=True)[1]])
        return np.concatenate(found)

    @property
    def text(self) -> str:
        return " + ".join(f"{w:g} {part.text}" for w, part in zip(self.weights, self.parts, strict=True))


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of given items, each as likely as the next."""

    values: Array  # sorted

    def tails(self, x: Array) -> tuple[Array, Array]:
        n = len(self.values)
        below = np.searchsorted(self.values, x, side="left")
        return below / n, (n - below) / n

    def pdf(self, x: Array) -> Array:
        return np.zeros(np.shape(x))

    def mirrored(self) -> Scores:
        return Scores(-self.values[::-1])

    @property
    def breaks(self) -> Array:
        return self.values

    @property
    def grid(self) -> Array:
        return np.zeros(0)

    @property
    def text(self) -> str:
        return f"{len(self.values):,} scores"


def normal(mean: float, std: float) -> Normal:
    """A normal distribution of the score.

    >>> normal(0.4, 0.1).text
    'normal(0.4, 0.1)'
    """
    if not _positive(std):
        raise BadSetting(
            f"the standard deviation of a normal law is a number above 0, from {1 / _FAR:g} to {_FAR:g}; "
            f"got {brief(std)}."
        )
    return Normal(_finite(mean, "the mean of a normal law"), float(std))


def uniform(low: float, high: float) -> Uniform:
    """A uniform distribution of the score."""
    a, b = _finite(low, "the lower end of a uniform law"), _finite(high, "the upper end of a uniform law")
    if not a < b:
        raise BadSetting(f"a uniform law goes from low to high; got {brief(low)} and {brief(high)}.")
    return Uniform(a, b)


def mixed(*parts: tuple[float, Any]) -> MixedDistribution:
    """A mixed distribution: pairs of a weight and a distribution; the weights are made to add to 1.

    >>> mixed((1, normal(0, 1)), (3, normal(4, 1))).text
    '0.25 normal(0, 1) + 0.75 normal(4, 1)'
    """
    if not parts or any(not isinstance(x, tuple) or len(x) != 2 or not _positive(x[0]) for x in parts):
        raise BadSetting("a mixed law is made of pairs, a weight above 0 and a law: mixed((0.3, normal(0, 1)), ...).")
    total = sum(float(w) for w, _ in parts)
    return MixedDistribution(
        tuple(float(w) / total for w, _ in parts), tuple(distribution_of(x, "a part of a mixed law") for _, x in parts)
    )


def distribution_of(x: Any, what: str) -> ScoreDistribution:
    """A distribution as it is, or that of an array of scores."""
    if isinstance(x, (Normal, Uniform, MixedDistribution, Scores)):
        return x
    return scores(x, what)


def scores(x: ArrayLike, what: str = "scores") -> Scores:
    """The distribution of given scores."""
    values = numbers(x, f"{what} is a law (normal, uniform, mixed) or an array of scores").ravel()
    if values.size == 0:
        raise BadSetting(f"{what} has no scores.")
    if not np.isfinite(values).all():
        raise BadSetting(f"{what} has scores that are not finite: leave these items out, or give them a number.")
    if np.abs(values).max() > _FAR:
        raise BadSetting(f"{what} has scores beyond {_FAR:g} in size: take their logarithm, or another scale.")
    return Scores(np.sort(values))


def _finite(x: Any, what: str) -> float:
    if not is_number(x) or not abs(x) <= _FAR:
        raise BadSetting(f"{what} is a number of at most {_FAR:g} in size; got {brief(x)}.")
    return float(x)


def _positive(x: Any) -> bool:
    return is_number(x) and bool(1 / _FAR <= x <= _FAR)


# -- monotone pieces
#
# Where a function of a threshold turns: between the nodes found here it only rises, only falls, or stays.
#
# The slope is known to rounding: a derivative by a complex step along each class, so its sign is too, but for a sum of
# two parts that cancel to their last digits. Its roots are looked for between points that resolve the distributions
# (above), in each stretch between two breaks on its own.

Slopes = Callable[[Array], tuple[Array, Array]]  # the slope and the size of its parts at a threshold

_ROUND_OFF = 64 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Points:
    """Thresholds to look at: `at`, none of them a break, and the breaks."""

    at: Array
    breaks: Array


def points(grid: Array, breaks: Array) -> Points:
    """The points of the grids, three in each stretch between two breaks, and its ends; none without a density.

    The ends: beside a jump of the density the slope may change its sign within the first step of the grid.
    """
    breaks = np.sort(
        breaks, kind="stable"
    )  # which merges what is sorted already, as the scores of each distribution are
    breaks = breaks[np.diff(breaks, prepend=-np.inf) > 0]
    if not len(grid):
        return Points(grid, breaks)
    inner = [breaks[:-1] + f * np.diff(breaks) for f in (0.25, 0.5, 0.75)] if len(breaks) > 1 else []
    at = np.unique(np.concatenate([grid, *inner, *_beside(breaks)]))
    return Points(at[~np.isin(at, breaks)], breaks)


def _beside(breaks: Array) -> list[Array]:
    """The numbers next to each break, below and above it."""
    return [np.nextafter(breaks, side) for side in (-np.inf, np.inf)]


def nodes(slopes: Slopes, where: Points) -> Array:
    """Thresholds between which the function only rises, only falls, or stays: turns, breaks and all ends, sorted."""
    if not len(where.at):  # scores only: at a score and down to the next one, answers are the same
        return np.append(where.breaks, np.inf)

    def slope(_: Index, x: Array) -> Array:
        """As a share of its parts; 0 where these cancel to rounding."""
        total, size = slopes(x)
        return np.where(np.abs(total) <= _ROUND_OFF * size, 0.0, total / np.where(size > 0, size, 1.0))

    y = slope(np.zeros(0, dtype=np.intp), where.at)
    still = (y[1:] == 0) != (y[:-1] == 0)  # where a stretch without slope begins and ends
    order = np.argsort(np.concatenate([where.at, where.breaks]))
    x = np.concatenate([where.at, where.breaks])[order]
    y = np.concatenate([y, np.full(len(where.breaks), np.nan)])[order]  # no slope at a break: stretches stay apart
    alone = np.flatnonzero((y[1:-1] == 0) & (y[:-2] * y[2:] < 0)) + 1
    found = [x[alone], crossings(slope, x, y[None])[1], turns(slope, x, y[None])[1][1]]
    edges = [where.at[1:][still], where.at[:-1][still], where.at[[0, -1]]]
    return np.unique(np.concatenate([[-np.inf, np.inf], where.breaks, *_beside(where.breaks), *edges, *found]))


# -- threshold
#
# Two classes, a score with a distribution in each, and a threshold: every metric as a function of it (Alvarez 2, 4.3
# and 5.3).
#
# An item is answered positive where its score is at or above the threshold (or at or below: Alvarez' rule). The table
# of shares follows from the two distributions and the prevalence; metrics are those of the catalogue at that table.

Span = tuple[float, float]

STEP = 1e-8  # of the derivative by a complex step, as a share of a cell: its square is below rounding
SAME = 1e-14  # values this close are one value
SHOWN = ("recall", "precision", "accuracy", "f1", "informedness")


class Peak(NamedTuple):
    """A highest value (lowest, where less is better) and the thresholds that have it: all between low and high.

    An end at which the metric jumps may itself not have it. An end that is infinite means that all items, or none, are
    answered positive, or that the value is approached only. `threshold` is in the middle.
    """

    threshold: float
    value: float
    low: float
    high: float


class BreakEven(NamedTuple):
    """The threshold at which as many items are answered positive as are: fp = fn, so recall = precision.

    `triple`: whether accuracy is the same too, which takes prevalence 1/2, or no mistakes (Alvarez 2.4).
    """

    threshold: float
    recall: float
    precision: float
    accuracy: float
    triple: bool


@dataclass(frozen=True)
class Mixture(Result):
    """A score with one distribution for positive items and one for negative ones; see `mixture`."""

    positive: ScoreDistribution
    negative: ScoreDistribution
    prevalence: float
    answer: str = "above"
    thresholds: tuple[float, ...] | None = None

    # -- tables and metrics

    @cached_property
    def _distributions(self) -> tuple[ScoreDistribution, ScoreDistribution]:
        """Both distributions, turned so that high scores are answered positive."""
        if self.answer == "above":
            return self.positive, self.negative
        return self.positive.mirrored(), self.negative.mirrored()

    def _turn(self, x: ArrayLike) -> Array:
        """To and from thresholds of the turned distributions."""
        t = np.asarray(x, dtype=float)
        return t if self.answer == "above" else -t

    def _cells(self, t: Array) -> Array:
        (fn, tp), (tn, fp) = (law.tails(t) for law in self._distributions)
        a, b = self.prevalence, 1 - self.prevalence
        return np.stack([a * tp, b * fp, a * fn, b * tn], axis=-1)

    def table(self, threshold: ArrayLike) -> dict[str, Any]:
        """The shares tp, fp, fn, tn at a threshold."""
        found = self._cells(self._turn(_numbers(threshold)))
        return {c: unboxed(found[..., i]) for i, c in enumerate(CELLS)}

    def measure(self, metric: str | Metric, threshold: ArrayLike) -> Any:
        """Any metric of the catalogue, or your own, at thresholds; NaN where it is undefined.

        >>> from howsure.relations import mixture, normal
        >>> m = mixture(normal(1, 1), normal(-1, 1), prevalence=0.5)
        >>> round(m.measure("recall", 0), 6), round(m.measure("phi", 0), 6)
        (0.841345, 0.682689)
        """
        return unboxed(quantity_of(metric).at(self._cells(self._turn(_numbers(threshold)))))

    # -- how a metric moves

    def slope(self, metric: str | Metric, threshold: ArrayLike) -> Any:
        """The derivative of a metric by the threshold; 0 between the scores of given items."""
        sign = 1.0 if self.answer == "above" else -1.0
        return unboxed(sign * self._slopes(quantity_of(metric), self._turn(_numbers(threshold)))[0])

    def _slopes(self, q: Quantity, t: Array) -> tuple[Array, Array]:
        """The slope, and the sum of the sizes of its parts: what each of the two classes adds to it.

        A complex step along each class. Steps are shares of the cells, so that they are small however small these are.
        """
        cells = self._cells(t)
        a, b = self._distributions
        moves = self.prevalence * a.pdf(t), (1 - self.prevalence) * b.pdf(t)
        zero = np.zeros(np.shape(t))
        ways = (np.stack([-moves[0], zero, moves[0], zero], -1), np.stack([zero, -moves[1], zero, moves[1]], -1))
        with np.errstate(all="ignore"):
            rate = np.nanmax([np.where(cells > 0, np.abs(way) / cells, 0.0) for way in ways], axis=(0, -1))
            rate = np.where(rate > 0, rate, 1.0)
            parts = [np.imag(q.at(cells + 1j * STEP * (way / rate[..., None]))) * rate / STEP for way in ways]
        parts = [np.where(np.isfinite(x), x, 0.0) for x in parts]
        return parts[0] + parts[1], np.abs(parts[0]) + np.abs(parts[1])

    @cached_property
    def _points(self) -> Points:
        a, b = self._distributions
        return points(np.concatenate([a.grid, b.grid]), np.concatenate([a.breaks, b.breaks]))

    def _path(self, q: Quantity) -> tuple[Array, Array]:
        """The nodes that have a value, with their values; at the end of a smooth tail without one, that of the tail."""
        t = nodes(lambda x: self._slopes(q, x), self._points)
        value = np.asarray(q.at(self._cells(t)), dtype=float)
        known = np.flatnonzero(~np.isnan(value))
        if not len(known):
            raise BadSetting(f"{q.name} has no value at any threshold.")
        breaks = self._points.breaks
        for end, last in ((0, known[0]), (-1, known[-1])):
            smooth = not len(breaks) or (t[last] < breaks[0] if end == 0 else t[last] > breaks[-1])
            if np.isnan(value[end]) and smooth:
                value[end] = value[last]
        keep = ~np.isnan(value)
        return t[keep], value[keep]

    def peaks(self, metric: str | Metric) -> tuple[Peak, ...]:
        """Every local best value of a metric, the best first."""
        return tuple(self._peak(*x) for x in zip(*(y.tolist() for y in self._runs(metric)), strict=True))

    def _runs(self, metric: str | Metric) -> tuple[Array, Array, Array]:
        """First node, last node and value of every run of nodes that is higher than its neighbours, the best first."""
        q = quantity_of(metric)
        t, value = self._path(q)
        up = value if _better(metric) == "higher" else -value
        with np.errstate(invalid="ignore"):
            least = 0.0 if q.bounds[0] >= 0 else 1.0  # what crosses 0 is rounded like 1
            near = np.abs(np.diff(up)) <= SAME * np.maximum(least, np.abs(up[1:]))
        start = np.flatnonzero(np.append(True, ~(near | (up[1:] == up[:-1]))))
        stop = np.append(start[1:], len(t)) - 1
        top = np.maximum.reduceat(up, start)
        best = np.append(True, top[1:] > top[:-1]) & np.append(top[:-1] > top[1:], True)
        order = np.flatnonzero(best)[np.argsort(-top[best], kind="stable")]
        begin = t if len(self._points.at) else np.append(-np.inf, t[:-1])
        return begin[start[order]], t[stop[order]], top[order] if _better(metric) == "higher" else -top[order]

    def _peak(self, low: float, high: float, value: float) -> Peak:
        low, high = sorted(self._turn([self._on_break(low), self._on_break(high)]).tolist())
        finite = [x for x in (low, high) if np.isfinite(x)]
        middle = sum(finite) / len(finite) if finite else (0.0 if low < high else low)
        return Peak(middle, float(value), low, high)

    def _on_break(self, t: float) -> float:
        """The break that a threshold is next to, if it is."""
        breaks = self._points.breaks
        near = breaks[np.clip(np.searchsorted(breaks, t) - np.arange(2), 0, len(breaks) - 1)] if len(breaks) else []
        return next((float(x) for x in near if np.nextafter(t, x) == x), t)

    def best(self, metric: str | Metric) -> Peak:
        """The best threshold for a metric, over all of them.

        >>> from howsure.relations import mixture, normal
        >>> m = mixture(normal(1, 1), normal(-1, 1), prevalence=0.2)
        >>> round(m.best("accuracy").threshold, 12)  # where the densities, weighted, are equal: log(4)/2
        0.69314718056
        """
        low, high, value = self._runs(metric)
        return self._peak(float(low[0]), float(high[0]), float(value[0]))

    def rising_together(self) -> tuple[Span, ...]:
        """Stretches of thresholds over which recall and precision rise, or fall, together; needs densities."""
        if not self._smooth:
            raise BadSetting("with given scores precision jumps up at every positive item: give laws with a density.")
        q = quantity("precision")
        t, precision = self._path(q)
        recall = np.asarray(quantity("recall").at(self._cells(t)), dtype=float)
        same = (np.diff(precision) < -SAME) & (np.diff(recall) < -SAME)
        return self._spans(t, same)

    def flat(self, metric: str | Metric) -> tuple[Span, ...]:
        """Stretches of thresholds over which answers change but the metric does not; needs densities."""
        if not self._smooth:
            raise BadSetting("with given scores answers change by jumps: give laws with a density.")
        q = quantity_of(metric)
        t, value = self._path(q)
        recall, fallout = (np.asarray(quantity(x).at(self._cells(t)), dtype=float) for x in ("recall", "fallout"))
        moved = np.abs(np.diff(recall)) + np.abs(np.diff(fallout)) > 1e-9
        return self._spans(t, moved & (np.abs(np.diff(value)) <= SAME))

    @property
    def _smooth(self) -> bool:
        return not any(_has_scores(law) for law in self._distributions)

    def _spans(self, t: Array, inside: Mask) -> tuple[Span, ...]:
        """Runs of neighbouring stretches, in the thresholds of the user; a step of one rounding joins them."""
        tiny = np.diff(t) <= 4 * np.spacing(np.maximum(np.abs(t[1:]), np.abs(t[:-1])))
        joined = inside | (tiny & np.append(False, inside[:-1]) & np.append(inside[1:], False))
        edges = np.flatnonzero(np.diff(np.concatenate([[0], joined.astype(int), [0]])))
        ends = [self._on_break(float(t[i])) for i in edges]
        found = [sorted(self._turn(pair).tolist()) for pair in zip(ends[::2], ends[1::2], strict=True)]
        return tuple(sorted((a, b) for a, b in found))

    def break_even(self) -> BreakEven:
        """Where recall and precision are equal; of given scores, where they pass each other.

        >>> from howsure.relations import mixture, normal
        >>> mixture(normal(1, 1), normal(-1, 1), prevalence=0.5).break_even().triple
        True
        """

        def more(x: Array) -> Array:
            cells = self._cells(x)
            return np.asarray(cells[..., 1] - cells[..., 2])

        where = self._points
        ends = [x[i] for x in (where.at, where.breaks) if len(x) for i in (0, -1)]
        edges = np.r_[np.nextafter(min(ends), -np.inf), where.breaks, np.nextafter(max(ends), np.inf)]
        i = bisect_left(edges, True, key=lambda x: bool(more(x) <= 0))
        low, high, jumped = edges[i - 1], edges[i], np.nextafter(edges[i - 1], np.inf)
        t = root(more, *((jumped, low) if more(jumped) <= 0 else (high, jumped)))
        if not len(where.at):  # scores only: in the middle of the thresholds with these answers, as best is
            i = int(np.searchsorted(where.breaks, t))
            below, above = where.breaks[max(i - 1, 0)], where.breaks[min(i, len(where.breaks) - 1)]
            t = np.asarray(max(0.5 * (below + above), np.nextafter(below, above)) if 0 < i < len(where.breaks) else t)
        r, p, a = (float(quantity(x).at(self._cells(t))) for x in ("recall", "precision", "accuracy"))
        triple = max(r, p, a) - min(r, p, a) <= 1e-12
        return BreakEven(float(self._turn(t)), r, p, a, triple)

    # -- document

    def at(self) -> Array:
        """The thresholds of the rows: those asked for, or 21 that span both distributions."""
        if self.thresholds is not None:
            return np.array(self.thresholds)
        return np.sort(self._turn(np.linspace(self._quantile(0.001), self._quantile(0.999), 21)))

    def _quantile(self, p: float) -> float:
        """Where the share of scores below is p, about."""
        t = np.concatenate([self._points.at, self._points.breaks])
        t = np.unique(np.concatenate([t, np.linspace(t.min(), t.max(), 2001)]))
        cells = self._cells(t)
        return float(np.interp(p, cells[..., 2] + cells[..., 3], t))

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        return {"panels": self._panels}

    def _panels(self, size: int = 241) -> dict[str, Any]:
        """The metrics at thresholds from end to end, and the densities of both classes where they have one."""
        t = np.sort(self._turn(np.linspace(self._quantile(0.001), self._quantile(0.999), size)))
        found = {name: [real(x) for x in self.measure(name, t)] for name in ("recall", "precision", "accuracy")}
        if self._smooth:
            found["positive"] = (self.prevalence * self.positive.pdf(t)).tolist()
            found["negative"] = ((1 - self.prevalence) * self.negative.pdf(t)).tolist()
        return {"x": t.tolist()} | found

    def _make(self) -> dict[str, Any]:
        t = self.at()
        columns = {"threshold": t, **{name: self.measure(name, t) for name in SHOWN}}
        even = self.break_even()
        best = []
        for name in ("accuracy", "f1", "informedness"):
            top = self.best(name)
            best.append({"metric": name, **{k: real(x) for k, x in top._asdict().items()}})
        rows = [{k: real(x[i]) for k, x in columns.items()} for i in range(len(t))]
        return envelope("howsure.mixture/1", rows) | {
            "positive": self.positive.text,
            "negative": self.negative.text,
            "prevalence": self.prevalence,
            "answer": self.answer,
            "break_even": {k: real(x) if k != "triple" else x for k, x in even._asdict().items()},
            "best": best,
            "rising_together": [[real(x) for x in s] for s in self.rising_together()] if self._smooth else None,
        }

    def __repr__(self) -> str:
        sign = ">=" if self.answer == "above" else "<="
        return (
            f"Mixture(positive {self.positive.text}, negative {self.negative.text}, prevalence {self.prevalence:.6g}, "
            f"positive where score {sign} threshold)"
        )


def mixture(
    positive: Any,
    negative: Any,
    *,
    prevalence: float | None = None,
    answer: str = "above",
    thresholds: Sequence[float] | None = None,
) -> Mixture:
    """Two classes with a score each: distributions (normal, uniform, mixed) or arrays of scores of your own items.

    `prevalence` may be left out when both are arrays: it is the share of positive scores. `answer` tells which scores
    are answered positive: those at or "above" the threshold, or at or "below" it.

    >>> m = mixture([0.9, 0.8, 0.4], [0.7, 0.3, 0.2, 0.1])
    >>> m.best("f1")
    Peak(threshold=0.35, value=0.8571428571428571, low=0.3, high=0.4)
    """
    laws = distribution_of(positive, "positive"), distribution_of(negative, "negative")
    if answer not in ("above", "below"):
        raise UnknownName(f"answer= is 'above' or 'below'; got {answer!r}.{nearest(str(answer), ('above', 'below'))}")
    if prevalence is None:
        if not all(isinstance(x, Scores) for x in laws):
            raise BadSetting("give prevalence=, the share of positive items: laws of scores do not tell it.")
        sizes = [len(x.values) for x in laws if isinstance(x, Scores)]
        prevalence = sizes[0] / sum(sizes)
    share = float(given("prevalence", prevalence).middle)
    if not 0 < share < 1:
        raise BadSetting(f"prevalence lies between 0 and 1, for a mixture has two classes; got {prevalence!r}.")
    return Mixture(*laws, share, answer, None if thresholds is None else _shown(thresholds))


def _shown(thresholds: ArrayLike) -> tuple[float, ...]:
    """The thresholds of the rows."""
    values = np.atleast_1d(_numbers(thresholds))
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise BadSetting(f"thresholds= is a number or a list of finite numbers; got {brief(thresholds)}.")
    return tuple(values.tolist())


def _has_scores(law: ScoreDistribution) -> bool:
    return isinstance(law, Scores) or (isinstance(law, MixedDistribution) and any(_has_scores(x) for x in law.parts))


def _better(metric: str | Metric) -> str:
    """The direction of a metric."""
    q = quantity_of(metric)
    better = None if q.sized else parse(metric).better
    if better is None:
        raise BadSetting(f"{q.name} has no best value: it is neither better high nor better low.")
    return better


def _numbers(x: ArrayLike) -> Array:
    values = numbers(x, "a threshold is a number or an array of numbers")
    if np.isnan(values).any():
        raise BadSetting("a threshold is NaN.")
    return values


# -- what is shown


def _columns(_result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return the metrics at each threshold."""
    return col.last_first(col.fields({k: k for k in rows[0]}))


def _headline(result: ResultDict) -> str:
    """Return where recall and precision meet."""
    even = result["break_even"]
    same = f", and accuracy {short(even['accuracy'])}" if even["triple"] else ""
    met = f"recall {col.number(even['recall'])}, precision {col.number(even['precision'])}{same}"
    return f"break-even at threshold {short(even['threshold'])}: {met}"


def _about(result: ResultDict) -> list[str]:
    sign = ">=" if result["answer"] == "above" else "<="
    classes = f"positive {result['positive']}, negative {result['negative']}"
    return [classes, f"prevalence {short(result['prevalence'])}", f"predicted positive if score {sign} threshold"]


def _notes(result: ResultDict, texts: list[str]) -> list[str]:
    """Return the best thresholds, and where recall and precision rise together."""
    return [
        *(f"best {x['metric']} {short(x['value'])} {_place(x)}" for x in result["best"]),
        *(
            f"recall and precision rise together from threshold {short(a)} to {short(b)}"
            for a, b in result["rising_together"] or ()
        ),
        *texts,
    ]


def _place(x: dict[str, Any]) -> str:
    if x["low"] is None and x["high"] is None:
        return "at any threshold" if x["threshold"] is not None else "as the threshold goes out"
    if x["low"] == x["high"]:
        return f"at threshold {short(x['low'])}"
    low, high = ends(x["low"], x["high"])
    low, high = "lowest" if x["low"] is None else low, "highest" if x["high"] is None else high
    return f"at threshold {low} to {high}"


VERB: Final = Verb(
    mixture,
    kinds=(
        ResultKind(
            "mixture",
            _columns,
            headline=_headline,
            about=_about,
            notes=_notes,
            every_note=True,
            charts=later("charts.relations:mixture"),
            title="What does a threshold do to two kinds of items?",
            sampled=False,
        ),
    ),
)
