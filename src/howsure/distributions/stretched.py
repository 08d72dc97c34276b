"""A distribution stretched around a centre c by a factor f on the logit scale: M = g⁻¹(g(c) + f·(g(R) - g(c))).

Statement: g is the logit of the place in the range. It maps the range onto the real line and rises, so
P(M <= t) = P(R <= g⁻¹(g(c) + (g(t) - g(c))/f)), and the quantiles of M are those of R, mapped: what is exact stays
exact. In a range with one end g is the log of the distance to that end; in a range without ends it is the identity.
Formula: each point carries its gaps to both ends of the range, so that a point next to an end keeps its digits. Mean
and standard deviation are trapezoid sums of the density of g(R); the step is halved until two sums agree.
Error: the error of R times the steepest slope of the map inside the usual interval, and the difference of those sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from howsure.arrays import Array, Mask
from howsure.distributions.continuous import Continuous
from howsure.distributions.protocol import Law, Pick
from howsure.distributions.sampled import Sampled
from howsure.distributions.scale import Scale

Gaps = tuple[Array, Array, Array]  # a point and its gaps to both ends of the range

_FIRST, _LAST = 97, 1537  # nodes of the sums
_AGREE = 1e-11  # of a standard deviation, between two sums
_CUT = 1e-15  # of the mass, left out at either end
_BESIDE = (-30.0, -20.0)  # g of R, where its density next to an end shows whether that of M rises


@dataclass(frozen=True, eq=False)
class Stretch:
    """The map: around a centre, by a factor; both may be arrays of a batch."""

    centre: Array | float
    factor: Array | float
    lower: float
    upper: float

    @property
    def is_none(self) -> bool:
        """Whether the stretch changes nothing."""
        return bool(np.all(self.effective == 1.0))

    @property
    def _inside(self) -> Mask:
        """Where the centre is not on an end of the range: from there nothing can be stretched."""
        return np.asarray((np.asarray(self.centre) > self.lower) & (np.asarray(self.centre) < self.upper))

    @cached_property
    def effective(self) -> Array:
        """The factor, 1 where nothing is stretched."""
        return np.where(self._inside, self.factor, 1.0)

    @cached_property
    def _scale(self) -> Scale | None:
        """The line of a range with ends; a range without any is its own line."""
        return Scale(self.lower, self.upper) if np.isfinite(self.lower) or np.isfinite(self.upper) else None

    def line(self, point: Gaps) -> Array:
        """g of a point."""
        return np.asarray(point[0] if self._scale is None else self._scale.between(*point))

    def point(self, y: Array) -> Gaps:
        """The point at g = y."""
        if self._scale is None:
            return y, np.full_like(y, np.inf), np.full_like(y, np.inf)
        return self._scale.out(y)

    def rate(self, point: Gaps) -> Array:
        """How fast the point moves with g."""
        return np.ones_like(point[0]) if self._scale is None else self._scale.stretch(*point)

    def gaps(self, t: Array, t_low: Array | float = 0.0) -> Gaps:
        """A point of the range with its gaps."""
        t = np.clip(np.asarray(t, dtype=float), self.lower, self.upper)
        with np.errstate(invalid="ignore"):
            return t, np.maximum((t - self.lower) + t_low, 0.0), np.maximum((self.upper - t) - t_low, 0.0)

    @cached_property
    def _middle(self) -> Array:
        """g of the centre; any point will do where nothing is stretched."""
        return self.line(self.gaps(np.where(self._inside, self.centre, self._any_point)))

    @property
    def _any_point(self) -> float:
        if np.isfinite(self.lower) and np.isfinite(self.upper):
            return 0.5 * (self.lower + self.upper)
        return self.lower + 1.0 if np.isfinite(self.lower) else min(self.upper - 1.0, 0.0)

    def forth(self, y: Array) -> Array:
        """g of M at g of R."""
        return np.asarray(self._middle + (y - self._middle) * self.effective)

    def back(self, y: Array) -> Array:
        """g of R at g of M."""
        return np.asarray(self._middle + (y - self._middle) / self.effective)

    def __call__(self, x: Array) -> Array:
        """Return draws of R as draws of M."""
        if self.is_none:
            return x
        with np.errstate(divide="ignore"):
            return self.point(self.forth(self.line(self.gaps(x))))[0]

    def undo(self, x: Array) -> Array:
        """Return points of M as points of R."""
        with np.errstate(divide="ignore"):
            return self.point(self.back(self.line(self.gaps(x))))[0]


def stretched(law: Law, route: str, stretch: Stretch) -> tuple[Law, str]:
    """Return the stretched distribution and its route; without a stretch both are returned as they are."""
    if stretch.is_none:
        return law, route
    if isinstance(law, Sampled):
        return Sampled(stretch(law.draws), law.lower, law.upper), route
    assert isinstance(law, Continuous)  # noqa: S101 - a distribution that is not sampled has a density
    return Stretched(law, stretch), "quadrature" if route == "closed form" else route  # its mean is an integral


@dataclass(frozen=True, eq=False)
class Stretched(Continuous):
    """The distribution of a stretched metric."""

    inner: Continuous
    stretch: Stretch

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inner.shape

    @property
    def unimodal(self) -> bool:
        """Not known: a strong stretch may let the density rise at an end."""
        return False

    @property
    def searched(self) -> bool:
        return self.inner.searched

    @property
    def lower(self) -> float:
        return float(np.min(self.stretch(np.asarray(self.inner.lower))))

    @property
    def upper(self) -> float:
        return float(np.max(self.stretch(np.asarray(self.inner.upper))))

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Stretched:
        s = self.stretch
        centre, factor = (np.broadcast_to(x, shape)[pick] if np.ndim(x) else x for x in (s.centre, s.factor))
        return Stretched(self.inner.rows(pick, shape), Stretch(centre, factor, s.lower, s.upper))

    def corners(self) -> tuple[float, ...]:
        return tuple(float(x) for c in self.inner.corners() for x in np.ravel(self.stretch(np.asarray(c))))

    def _inner_point(self, y: Array) -> tuple[Gaps, Array]:
        """R's point at g = y with its gaps, and what the double of that point leaves."""
        t, below, above = self.stretch.point(y)
        with np.errstate(invalid="ignore"):
            rest = np.where(below <= above, below - (t - self.stretch.lower), (self.stretch.upper - t) - above)
        inside = (t > self.inner.lower) & (t < self.inner.upper)
        rest = np.where(inside & np.isfinite(rest), rest, 0.0)
        return (np.clip(t, self.inner.lower, self.inner.upper), below, above), rest

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            y = self.stretch.back(self.stretch.line(self.stretch.gaps(t, t_low)))
        point, rest = self._inner_point(y)
        return self.inner.tails(point[0], rest)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        own = self.stretch.gaps(t, t_low)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self._height(self.stretch.line(own)) / self.stretch.rate(own)
        found = np.where(np.isfinite(found), found, 0.0)
        for end, sign in ((self.stretch.lower, 1.0), (self.stretch.upper, -1.0)):
            at = own[0] == end
            if np.isfinite(end) and at.any():
                found = np.where(at, self._beside(sign), found)
        inside = (np.asarray(t) >= self.lower) & (np.asarray(t) <= self.upper)
        return np.where(inside, found, 0.0)

    def _height(self, y: Array) -> Array:
        """The density of g(M) at y."""
        point, rest = self._inner_point(self.stretch.back(y))
        return np.asarray(self.inner.pdf(point[0], rest) * self.stretch.rate(point) / self.stretch.effective)

    def _beside(self, sign: float) -> Array:
        """The density at an end of the range: without bound, 0, or the number that it tends to."""
        near, far = (self.stretch.forth(np.asarray(sign * y) + np.zeros(self.shape)) for y in _BESIDE)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            one, two = (self._height(y) / self.stretch.rate(self.stretch.point(y)) for y in (near, far))
            power = np.log(one / two)
        return np.where((one > 0) & (power > 1e-3), np.inf, np.where(np.abs(power) <= 1e-3, one, 0.0))

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        value, below, above = self.inner.quantile(p, q)
        s = self.stretch
        with np.errstate(divide="ignore", invalid="ignore"):
            point = value, below + (self.inner.lower - s.lower), above + (s.upper - self.inner.upper)
            return s.point(s.forth(s.line(point)))

    # -- moments

    def mean(self) -> Array:
        return self._moments[0]

    def std(self) -> Array:
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[Array, Array, Array]:
        """Mean, standard deviation, and how far the mean may be off."""
        ahead = [1] * len(self.shape)
        cut = np.array([_CUT, 1.0]).reshape(2, *ahead)
        low, high = self.inner.quantile(cut[0], cut[1] - cut[0]), self.inner.quantile(cut[1] - cut[0], cut[0])
        s, (bottom, top) = self.stretch, (self.inner.lower - self.stretch.lower, self.stretch.upper - self.inner.upper)
        with np.errstate(divide="ignore", invalid="ignore"):
            first, last = (s.line((t, b + bottom, a + top)) for t, b, a in (low, high))
        before, many = None, _FIRST
        while True:
            share = np.linspace(0.0, 1.0, many).reshape(-1, *ahead)
            mean, std = self._sums(first + (last - first) * share)
            if before is not None:
                off = np.maximum(np.abs(mean - before[0]), np.abs(std - before[1]))
                if many >= _LAST or bool(np.all(off <= _AGREE * std)):
                    return mean, std, off
            before, many = (mean, std), 2 * many - 1

    def _sums(self, y: Array) -> tuple[Array, Array]:
        """Mean and standard deviation from nodes of g(R)."""
        point, rest = self._inner_point(y)
        weight = self.inner.pdf(point[0], rest) * self.stretch.rate(point)
        weight[[0, -1]] *= 0.5
        weight = np.where(np.isfinite(weight), weight, 0.0)
        weight = weight / weight.sum(axis=0)
        value = self.stretch.point(self.stretch.forth(y))[0]
        mean = (weight * value).sum(axis=0)
        return np.asarray(mean), np.asarray(np.sqrt((weight * (value - mean) ** 2).sum(axis=0)))

    # -- accuracy

    @cached_property
    def error(self) -> tuple[Array, Array]:
        value, chance = super().error
        own, odds = self.inner.error
        return np.maximum.reduce([value, own * self._steepest, self._moments[2]]), np.maximum(chance, odds)

    @cached_property
    def _steepest(self) -> Array:
        """The largest slope of the map between the ends of the usual interval."""
        points = self._usual if self.searched else self.quantile(*_ends(self.shape))
        s = self.stretch
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = s.effective * s.rate(points) / s.rate(s.point(s.back(s.line(points))))
        return np.asarray(np.nan_to_num(slope, nan=1.0, posinf=1.0).max(axis=0))


def _ends(shape: tuple[int, ...]) -> tuple[Array, Array]:
    p = np.array([0.025, 0.5, 0.975]).reshape(3, *([1] * len(shape)))
    return p, 1.0 - p
