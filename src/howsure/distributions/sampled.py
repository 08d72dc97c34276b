"""A law known by draws: tails, quantiles, density and shortest interval of a sorted sample, with their errors.

Errors are three Monte Carlo standard errors: s/√n for the mean; √(p(1-p)/n)/f for a quantile, f from the spacing of
order statistics around it; ½/√n at most for a probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.protocol import Pick, level_tails

EPS = float(np.finfo(float).eps)
_BINS = 2048
_FAR, _ASIDE = 1e5, 100.0  # widths of the shortest half of the draws: of all of them, and of a window around it
_HUGE = 8e307  # beyond it differences of draws are no doubles
SIGMAS = 3.0
_REACH = 0.2  # of a tail, on either side of its quantile, from which the density there is read


@dataclass(frozen=True, eq=False)
class Sampled:
    """Sorted draws along the first axis, batch axes behind it."""

    draws: Array
    lower: float
    upper: float
    known_mean: Array | None = None  # where the mean has a closed form
    known_std: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.draws.shape[1:]

    @property
    def n(self) -> int:
        return int(self.draws.shape[0])

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Sampled:
        """The law of the picked entries of the batch, spread to that shape, flat."""
        place = np.broadcast_to(np.arange(int(np.prod(self.shape, dtype=int))).reshape(self.shape), shape)[pick]
        mean, std = (
            None if x is None else np.broadcast_to(x, self.shape).ravel()[place]
            for x in (self.known_mean, self.known_std)
        )
        return Sampled(self._columns()[:, place], self.lower, self.upper, mean, std)

    def _columns(self) -> Array:
        return self.draws.reshape(self.n, -1)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        full = np.broadcast_shapes(np.shape(t), self.shape)
        points = np.broadcast_to(t, full).reshape(-1, max(1, self._columns().shape[1]))
        below = np.stack(
            [np.searchsorted(x, y, side="right") for x, y in zip(self._columns().T, points.T, strict=True)],
            axis=-1,
        ).reshape(full)
        return below / self.n, (self.n - below) / self.n

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        full = np.broadcast_shapes(np.shape(p), self.shape)
        place = np.broadcast_to(np.where(p <= q, p * (self.n - 1), (self.n - 1) - q * (self.n - 1)), full)
        low = np.floor(place).astype(int).reshape(-1, max(1, self._columns().shape[1]))
        part = place.reshape(low.shape) - low
        high = np.minimum(low + 1, self.n - 1)
        columns = np.arange(low.shape[1])
        data = self._columns()
        left, right = data[low, columns], data[high, columns]
        with np.errstate(invalid="ignore"):  # draws of a ratio may be infinite
            value = np.where(left == right, left, left * (1 - part) + right * part)
            value = np.clip(value, left, right).reshape(full)  # rounding may not pass a draw
            return value, value - self.lower, np.where(value == self.upper, 0.0, self.upper - value)

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        value, below, above = self.quantile(*level_tails(level, self.shape))
        return value[0], value[1], below[0], above[1]

    def signs(self) -> tuple[Array, Array]:
        """Shares of the draws, ties by half; never exactly 0 or 1: the mean of the proportion's Beta posterior."""
        above, below = (self.draws > 0).sum(axis=0), (self.draws < 0).sum(axis=0)
        tied = self.n - above - below
        return (above + tied / 2 + 0.5) / (self.n + 1), (below + tied / 2 + 0.5) / (self.n + 1)

    # -- errors

    def quantile_error(self, p: float) -> Array:
        """Three standard errors of the quantile at p."""
        error = np.sqrt(self.n * p * (1 - p))
        half = max(1.0, error, _REACH * self.n * min(p, 1 - p))  # of one error alone, the spacing is itself uncertain
        a, b = (int(np.clip(round(p * (self.n - 1) + side * half), 0, self.n - 1)) for side in (-1, 1))
        with np.errstate(invalid="ignore"):
            apart = np.where(self.draws[b] == self.draws[a], 0.0, self.draws[b] - self.draws[a])  # both may be infinite
        return np.asarray(SIGMAS * apart / max(b - a, 1) * max(error, 1.0))

    @cached_property
    def error(self) -> tuple[Array, Array]:
        value = np.maximum.reduce([self.mean_error(), *(self.quantile_error(p) for p in (0.025, 0.5, 0.975))])
        return value, np.asarray(0.5 * SIGMAS / np.sqrt(self.n))

    @property
    def floor(self) -> float:
        """The rule of three: what may be there when none of the draws is."""
        return SIGMAS / self.n

    def mean_error(self) -> Array:
        """Three standard errors of the mean; rounding where it is known in closed form."""
        if self.known_mean is not None:
            return np.asarray(8 * EPS * (np.abs(np.where(np.isfinite(self.mean()), self.mean(), 0.0)) + 1.0))
        return np.asarray(SIGMAS * self.std() / np.sqrt(self.n))

    def standard_error(self) -> Array:
        if self.known_mean is not None:
            return np.zeros(self.shape)
        return np.asarray(self.std() / np.sqrt(self.n))

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """Those of the quantiles; the ends of a shortest interval are off by about twice as much."""
        tail, factor = 0.5 * (1.0 - level), 2.0 if shortest else 1.0
        return factor * self.quantile_error(tail), factor * self.quantile_error(1.0 - tail)

    # -- points

    def mean(self) -> Array:
        return self._mean

    def std(self) -> Array:
        return self._std

    @cached_property
    def _mean(self) -> Array:
        if self.known_mean is not None:
            return np.asarray(self.known_mean)
        with np.errstate(over="ignore"):
            return np.asarray(self.draws.mean(axis=0))

    @cached_property
    def _std(self) -> Array:
        if self.known_std is not None:
            return np.asarray(self.known_std)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.asarray(self.draws.std(axis=0))
        return np.where(np.isinf(self.draws).any(axis=0), np.inf, found)

    def median(self) -> Array:
        half = np.asarray(0.5)
        return self.quantile(half, half)[0]

    @cached_property
    def _density(self) -> tuple[Array, Array]:
        """Bin centres and heights of a kernel estimate, reflected at the ends of the range."""
        grids, heights = zip(*(self._smooth(x) for x in self._columns().T), strict=True)
        return np.stack(grids, axis=-1), np.stack(heights, axis=-1)

    def _smooth(self, x: Array) -> tuple[Array, Array]:
        """Counted from the middle draw on: draws may be closer to each other than doubles of their size would show."""
        middle = x[self.n // 2]
        if not np.isfinite(middle):  # most draws are infinite: so is the mode, and there is no density
            return np.full(_BINS, middle), np.zeros(_BINS)
        grid, height = self._smooth_around(x - middle, self.lower - middle, self.upper - middle)
        return grid + middle, height

    def _smooth_around(self, x: Array, lower: float, upper: float) -> tuple[Array, Array]:
        """Of the draws that are finite, which may be fewer than all: the others' mass has no density."""
        x = x[np.abs(x) < _HUGE]
        a, b = x[0], x[-1]
        pad = 0.05 * (b - a) or 1e-12
        a, b = max(a - pad, lower), min(b + pad, upper)
        half = x.size // 2
        at = int((x[half:] - x[: x.size - half]).argmin())
        low, high = x[at], x[at + half]
        if b - a > _FAR * (high - low) > 0:  # bins of all draws would show nothing of where most of them are
            a, b = max(a, low - _ASIDE * (high - low)), min(b, high + _ASIDE * (high - low))
            x = x[(x >= a) & (x <= b)]
        count, edges = np.histogram(x, bins=_BINS, range=(a, b))
        step = edges[1] - edges[0]
        with np.errstate(over="ignore"):
            std = float(x.std())
        spread = min(std, (x[int(0.75 * x.size)] - x[int(0.25 * x.size)]) / 1.34) or std
        width = 0.9 * spread * self.n**-0.2 / step
        reach = int(np.ceil(min(max(4 * width, 1.0), _BINS - 1.0)))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(width, 1e-9)) ** 2)
        mirrored = np.concatenate([count[:reach][::-1], count, count[-reach:][::-1]])
        smooth = np.convolve(mirrored, kernel / kernel.sum(), mode="same")[reach : reach + _BINS]
        return 0.5 * (edges[1:] + edges[:-1]), smooth / (self.n * step)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        del t_low
        grid, height = self._density
        full = np.broadcast_shapes(np.shape(t), self.shape)
        points = np.broadcast_to(t, full).reshape(-1, grid.shape[1])
        columns = [np.interp(points[:, i], grid[:, i], height[:, i], left=0.0, right=0.0) for i in range(grid.shape[1])]
        found = np.stack(columns, axis=-1).reshape(full)
        return np.where(found >= 0, found, np.inf)  # between heights that are infinite

    def mode(self) -> Array:
        grid, height = self._density
        return np.asarray(np.take_along_axis(grid, height.argmax(axis=0)[None], axis=0)[0].reshape(self.shape))

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        """The shortest stretch of order statistics that holds the mass, on the measure's scale or its logarithm.

        The width is flat around its minimum, so the place of the smallest one wanders (by n^(-1/3)); the vertex of a
        parabola through the widths around it has half the error.
        """
        inside = int(np.ceil(level * self.n))
        data = self._columns()
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.log(data) if log_scale else data
            width = scale[inside - 1 :] - scale[: self.n - inside + 1]
        width = np.where(np.isnan(width), np.inf, width)
        at = _vertex(width, width.argmin(axis=0))
        columns = np.arange(data.shape[1])
        low, high = data[at, columns], data[at + inside - 1, columns]
        return low.reshape(self.shape), high.reshape(self.shape), np.full(self.shape, False)


_STEPS = np.linspace(-1.0, 1.0, 201)
_PARABOLA = np.linalg.pinv(np.stack([_STEPS**0, _STEPS, _STEPS**2], axis=1))
_LEAST_REACH = 16
_FLAT = 0.001  # a width this much larger is still the smallest, but for chance


def _vertex(width: Array, at: Integers) -> Integers:
    """Where a parabola through the widths around the smallest is lowest, halfway to the nearer end at most."""
    reach = np.minimum(at, width.shape[0] - 1 - at) // 2
    around = at + np.round(_STEPS[:, None] * reach).astype(np.int64)
    seen = width[around, np.arange(width.shape[1])]
    with np.errstate(divide="ignore", invalid="ignore"):
        _, slope, bend = _PARABOLA @ seen
        move = np.clip(-slope / (2.0 * bend), -1.0, 1.0)
    good = (reach >= _LEAST_REACH) & (bend > 0) & np.isfinite(move)
    new = at + np.round(np.where(good, move, 0.0) * reach).astype(np.int64)
    columns = np.arange(width.shape[1])
    return np.where(width[new, columns] <= (1.0 + _FLAT) * width[at, columns], new, at)
