"""Shortest intervals and modes of a law that has tails, quantiles and a density.

Statement: the shortest interval of a mass has equal densities at its ends, or begins or ends with the range.
Formula: Newton steps to equal densities from the equal-tailed interval where the density has one peak; otherwise the
law is tabulated once and the best candidate of the table is refined. Everything is vectorised over the batch.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Mask
from howsure.distributions.protocol import Searchable
from howsure.distributions.scale import Scale, normal_score

_GRID = 49
_LOST = 1e-5  # of the mass between two ends, what rounding may take of it; beside a pole it could be said to take all
_THREE = np.array([[-1, 0, 1], [-1 / 2, 0, 1 / 2], [1, -2, 1]])  # places, and the weights of the slope and the bend
_FIVE = np.array(
    [[-2, -1, 0, 1, 2], [1 / 12, -2 / 3, 0, 2 / 3, -1 / 12], [-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12]]
)  # Abramowitz and Stegun, table 25.2


def shortest(law: Searchable, level: float, log_scale: bool = False) -> tuple[Array, Array]:
    """Ends of the shortest interval of that mass; log_scale measures log M.

    Candidates are the two one-sided intervals and every inner one with equal densities at both ends. The law is
    tabulated once; the best candidate of the table is then refined by Newton steps on the law itself.
    """
    rest = 1.0 - level
    if law.unimodal:
        ruler = Ruler(law, log_scale)
        half = np.asarray(0.5 * rest)
        start = law.quantile(half, 1.0 - half)[0], law.quantile(1.0 - half, half)[0]
        low, high, settled = _equal_densities(law, ruler, level, *start)
        if settled.all():
            return low, high
    table = _Table(law, log_scale)
    lower_tail = np.minimum(table.below[:-1], rest)
    upper_end = table.point_at(np.clip(lower_tail + level, 0.0, 1.0), np.clip(rest - lower_tail, 0.0, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        width = np.where(table.below[:-1] <= rest, table.ruler(upper_end) - table.ruler(table.t[:-1]), np.inf)
    best = np.argmin(np.where(np.isnan(width), np.inf, width), axis=0)[None]
    low = np.take_along_axis(table.t[:-1], best, axis=0)[0]
    high = np.take_along_axis(upper_end, best, axis=0)[0]
    low, high, _ = _equal_densities(law, table, level, low, high)
    return _against_one_sided(law, table, level, low, high)


class Ruler:
    """How widths and densities are measured: on the measure's own scale, or on its logarithm."""

    def __init__(self, law: Searchable, log_scale: bool) -> None:
        self.log_scale = log_scale
        self.scale = Scale(law.lower, law.upper)

    def ruler(self, t: Array) -> Array:
        """The scale on which widths are measured."""
        with np.errstate(divide="ignore"):
            return np.log(t) if self.log_scale else t

    def height(self, t: Array, pdf: Array) -> Array:
        """The log density on that scale; no number where it is infinite at 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(pdf) + (np.log(t) if self.log_scale else 0.0))


class _Table(Ruler):
    """A law at points spread over its range by its own quantiles, on the real line of the range."""

    def __init__(self, law: Searchable, log_scale: bool) -> None:
        super().__init__(law, log_scale)
        small = np.array([1e-9, 0.5]).reshape(2, *([1] * len(law.shape)))
        left, middle = law.quantile(small, 1.0 - small)[0]
        right = law.quantile(1.0 - small[0], small[0])[0]
        y1, y0, y2 = (np.clip(self.scale.place(x), -700.0, 700.0) for x in (left, middle, right))
        fraction = np.linspace(0.0, 1.0, _GRID).reshape(-1, *([1] * len(law.shape)))
        line = np.concatenate([y1 + (y0 - y1) * fraction, y0 + (y2 - y0) * fraction[1:]])
        self.t, _, _ = self.scale.out(line)
        self.y = line
        self.below, self.above = law.tails(self.t)
        self.pdf = law.pdf(self.t)

    def point_at(self, p: Array, q: Array) -> Array:
        """Quantiles by interpolation between the points of the table (normal scores against places)."""
        score = normal_score(self.below, self.above)
        want = normal_score(p, q)
        flat_score, flat_y = score.reshape(len(score), -1), self.y.reshape(len(score), -1)
        flat_want = want.reshape(len(want), -1)
        y = np.stack(
            [np.interp(flat_want[:, i], flat_score[:, i], flat_y[:, i]) for i in range(flat_y.shape[1])], axis=-1
        )
        return self.scale.out(y.reshape(want.shape))[0]


def unbounded_both(law: Searchable) -> Mask:
    """Whether the density rises without bound towards both ends: it still rises from tails of 1e-6 to 1e-9."""
    if law.unimodal:
        return np.full(law.shape, False)
    p = np.array([1e-9, 1e-6, 1e-3]).reshape(3, *([1] * len(law.shape)))
    low, high = law.pdf(law.quantile(p, 1.0 - p)[0]), law.pdf(law.quantile(1.0 - p, p)[0])
    return np.asarray((low[0] > 1.5 * low[1]) & (low[1] > low[2]) & (high[0] > 1.5 * high[1]) & (high[1] > high[2]))


def _equal_densities(law: Searchable, table: Ruler, level: float, low: Array, high: Array) -> tuple[Array, Array, Mask]:
    """Newton steps on "mass between the ends is the level" and "densities at the ends are equal"; where settled."""
    scale = table.scale
    y1, y2 = (np.clip(scale.place(x), -700.0, 700.0) for x in (low, high))
    step = 1e-3 * np.maximum(np.abs(y2 - y1), 1e-12)
    for _ in range(12):
        places = np.stack([y1, y1 - step, y1 + step, y2, y2 - step, y2 + step])
        t, below, above = scale.out(places)
        pdf = law.pdf(t)
        height = table.height(t, pdf)
        lower, upper = law.tails(t[[0, 3]])
        with np.errstate(all="ignore"):
            density = pdf[[0, 3]] * scale.stretch(*(x[[0, 3]] for x in (t, below, above)))
            mass = 1.0 - level - lower[0] - upper[1]
            tilt = height[3] - height[0]
            s1, s2 = (height[2] - height[1]) / (2 * step), (height[5] - height[4]) / (2 * step)
            det = -density[0] * s2 + density[1] * s1
            d1 = (-mass * s2 + tilt * density[1]) / det
            d2 = (density[0] * tilt - s1 * mass) / det
            most = 0.3 * np.abs(y2 - y1)
            ok = np.isfinite(d1) & np.isfinite(d2)
            d1, d2 = (np.where(ok, np.clip(d, -most, most), 0.0) for d in (d1, d2))
        y1, y2 = y1 + d1, y2 + d2
        moved = np.maximum(np.abs(d1), np.abs(d2)) / np.maximum(np.abs(y2 - y1), 1e-300)
        settled = ok & (moved < 1e-6) & (np.abs(mass) < 1e-6)
        if (moved < 1e-9).all():  # the steps shrink by squares: the next would be below the last digit
            break
    return scale.out(y1)[0], scale.out(y2)[0], settled


def _against_one_sided(law: Searchable, table: _Table, level: float, low: Array, high: Array) -> tuple[Array, Array]:
    """The inner interval if its mass is right and it is shorter than both one-sided ones."""
    one, rest = np.asarray(level), np.asarray(1.0 - level)
    top, bottom = law.quantile(one, rest)[0], law.quantile(rest, one)[0]
    below, above = law.tails(np.stack([low, high]))
    rounding = np.max(np.abs(np.stack([low, high])) + 1, axis=0) * np.max(law.pdf(np.stack([low, high])), axis=0)
    good = np.abs(1.0 - level - below[0] - above[1]) < 1e-7 + np.minimum(16 * np.finfo(float).eps * rounding, _LOST)
    if not good.all():  # where no two ends were found that hold the level at one density, the table's low end does
        p = np.clip(np.where(np.isfinite(below[0]), below[0], 0.0), 0.0, 1.0 - level)
        found = law.quantile(p, 1.0 - p)[0], law.quantile(p + level, np.maximum(1.0 - level - p, 0.0))[0]
        low, high = (np.where(good, x, y) for x, y in zip((low, high), found, strict=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        inner = table.ruler(high) - table.ruler(low)
        from_low = table.ruler(top) - table.ruler(np.asarray(law.lower))
        to_high = table.ruler(np.asarray(law.upper)) - table.ruler(bottom)
    use_low = from_low < np.minimum(inner, to_high)
    use_high = ~use_low & (to_high < inner)
    low = np.where(use_low, law.lower, np.where(use_high, bottom, low))
    return low, np.where(use_low, top, np.where(use_high, law.upper, high))


def _climb(law: Searchable, t: Array, spread: Array) -> tuple[Array, Mask]:
    """Parabolas through the log density from the median, narrower by steps; and where they settled inside.

    The last steps are Newton's, with the slope and the bend by five points: a parabola through three is off by a share
    of its width, for the density leans.
    """
    ok = np.full(law.shape, True)
    for width, stencil in ((0.5, _THREE), (0.1, _THREE), (0.02, _FIVE), (0.01, _FIVE)):
        (places, to_slope, to_bend), step = stencil, width * spread
        with np.errstate(all="ignore"):
            height = np.log(law.pdf(t + np.multiply.outer(places, step)))
            slope, bend = np.tensordot(to_slope, height, 1), np.tensordot(to_bend, height, 1)
            shift = -step * slope / bend  # infinite, or no number, where the density has no bound
        ok = np.isfinite(shift) & (bend < 0) & (np.abs(shift) < 2 * spread)
        t = np.where(ok, t + shift, t)
    return t, ok & (t > law.lower) & (t < law.upper) & (np.abs(shift) < 1e-4 * spread)


def mode(law: Searchable, middle: Array, spread: Array) -> Array:
    """The highest point of the density, or the end of the range it rises to.

    The best point of a table of the law, refined by parabolas through the log density.
    """
    if law.unimodal:
        t, ok = _climb(law, middle, spread)
        if ok.all():
            return t
    table = _Table(law, log_scale=False)
    best = np.argmax(table.pdf, axis=0)[None]
    last = table.pdf.shape[0] - 1
    y = np.take_along_axis(table.y, best, axis=0)[0]
    near = np.take_along_axis(table.y, np.minimum(best + 1, last), axis=0)[0]
    step = np.maximum(np.abs(near - y), 1e-300)
    t = table.scale.out(y)[0]
    inner = (best[0] > 0) & (best[0] < last)
    for _ in range(6):
        with np.errstate(all="ignore"):  # at an end of the range the place is infinite; inner points are finite
            width = 0.5 * step * np.abs(table.scale.stretch(*table.scale.out(y)))
            points = np.stack([t - width, t, t + width])
            a, b, c = table.height(points, law.pdf(points))
            shift = 0.5 * width * (a - c) / (a - 2 * b + c)
        shift = np.where(np.isfinite(shift), np.clip(shift, -width, width), 0.0)
        t = np.where(inner, np.clip(t + shift, law.lower, law.upper), t)
        y = table.scale.place(t)
        step = np.maximum(0.25 * step, 1e-4 * np.abs(near - y) + 1e-300)
    return np.where(inner, t, np.where(best[0] == 0, law.lower, law.upper))
