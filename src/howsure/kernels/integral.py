"""The law of a measure that takes one integral: both tails, density, quantiles and moments from its core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import quantiles
from howsure.kernels.linear_quotient import Groups
from howsure.kernels.two_betas import Bilinear, Ray, Transform, _back

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Integral:
    """A law given by a core; t is always an exact double, with an optional low part."""

    core: Bilinear | Ray | Groups

    @property
    def shape(self) -> tuple[int, ...]:
        return self.core.shape

    @property
    def lower(self) -> float:
        return self.core.lower

    @property
    def upper(self) -> float:
        return self.core.upper

    @property
    def unimodal(self) -> bool:
        """Whether every shape is well above 1, so that the density has one inner peak and falls off smoothly."""
        return self.core.smallest() >= 1.5

    def rows(self, pick: NDArray[np.bool_], shape: tuple[int, ...]) -> Integral:
        """The law of the picked entries of the batch, flat."""

        def some(*arrays: Array) -> tuple[Array, ...]:
            return tuple(np.broadcast_to(x, shape)[pick] for x in arrays)

        core = self.core
        if isinstance(core, Groups):
            return Integral(replace(core, shapes=some(*core.shapes)))
        return Integral(replace(core, inner=some(*core.inner), outer=some(*core.outer)))  # type: ignore[arg-type]

    def corners(self) -> tuple[float, ...]:
        """Values at the corners of the simplex, where the density may have a corner too."""
        core = self.core
        top: tuple[float, ...]
        bottom: tuple[float, ...]
        if isinstance(core, Bilinear):
            top, bottom = (*core.top[0], *core.top[1]), (*core.bottom[0], *core.bottom[1])
        else:
            top, bottom = core.top, core.bottom
        return tuple(p / q for p, q in zip(top, bottom, strict=True) if q)

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array, Array]:
        """P(M > t) where upper, else P(M <= t); the density if asked for; the quadrature's last difference."""
        inside = (t > self.lower) & (t < self.upper)
        safe = np.where(inside, t, self._somewhere())
        if isinstance(self.core, Groups):
            tail, pdf, error = self.core.evaluate(safe, t_low, upper, density)
        else:
            shape, integral = self.core.integral(safe, t_low)
            tail, pdf, error = _back(shape, *integral.tail(np.broadcast_to(upper, shape).ravel(), density))
        outside = np.where((t <= self.lower) == upper, 1.0, 0.0)
        tail = np.where(inside, np.clip(tail, 0.0, 1.0), outside)
        return tail, np.where(inside, pdf, 0.0), np.where(inside, error, 0.0)

    def _somewhere(self) -> float:
        """A point inside the range, to stand in for points outside it."""
        if np.isfinite(self.lower) and np.isfinite(self.upper):
            return 0.5 * (self.lower + self.upper)
        if np.isfinite(self.lower):
            return self.lower + 1.0
        return self.upper - 1.0 if np.isfinite(self.upper) else 0.0

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        """Both tails; the smaller by its own integral."""
        t = np.asarray(t, dtype=float)
        beyond = t > self._middle
        small, _, _ = self.one_tail(t, t_low, beyond, density=False)
        wrong = small > 0.75  # the guess of the side was off: take the other tail there
        if wrong.any():
            other, _, _ = self.one_tail(t, t_low, ~beyond, density=False)
            small, beyond = np.where(wrong, other, small), beyond ^ wrong
        return np.where(beyond, 1.0 - small, small), np.where(beyond, small, 1.0 - small)

    @cached_property
    def _middle(self) -> Array:
        return self.core.centre()

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        t = np.asarray(t, dtype=float)
        low, high = t > self.lower, t < self.upper
        inside = (low | ((t == self.lower) & (t_low > 0))) & (high | ((t == self.upper) & (t_low < 0)))
        safe = np.where(inside, t, self._somewhere())
        if isinstance(self.core, Groups):
            value = self.core.evaluate(safe, t_low, None, True)[1]
        else:
            shape, integral = self.core.integral(safe, t_low)
            (value,) = _back(shape, integral.density()[0])
        value = np.where(inside, value, 0.0)
        for end, step in ((self.lower, 1.0), (self.upper, -1.0)):
            at = (t == end) & ~inside
            if np.isfinite(end) and np.any(at):
                value = np.where(at, self._at_end(end, step), value)
        return value

    def _at_end(self, end: float, step: float) -> Array:
        """The density's limit at an end: infinite where it still grows between 1e-9 and 1e-12 of the range from it."""
        size = step * (self.upper - self.lower if np.isfinite(self.upper - self.lower) else 1.0)
        near, far = (self.pdf(np.asarray(end + size * gap)) for gap in (1e-12, 1e-9))
        return np.where(near > 1.5 * far, np.inf, np.where(near < far / 1.5, 0.0, near))

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return quantiles.quantile(self, p, q)

    def mean(self) -> Array:
        return self._mean_and_std[0]

    def std(self) -> Array:
        return self._mean_and_std[1]

    @cached_property
    def _mean_and_std(self) -> tuple[Array, Array]:
        closed = self.core.closed()
        if closed is not None:
            return closed
        bounded = np.isfinite(self.upper) and np.isfinite(self.lower)
        if bounded and np.all(2 * self._middle > self.lower + self.upper):
            mean, std = Integral(self.core.mirrored()).moments(lambda x: x, 1.0)
            return self.upper - mean, std
        return self.moments(lambda x: x, 1.0)

    def log_moments(self, g: Transform) -> tuple[Array, Array]:
        """Mean and standard deviation of g(log M) for a measure that is never negative."""
        if not isinstance(self.core, Bilinear):
            return self.moments(lambda x: g(np.log(x)), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = np.asarray(g(np.log(self.core.centre())))
            one, two = self.core.about_log(g, centre)
        return centre + one, np.sqrt(np.maximum(two - one * one, 0.0))

    def moments(self, g: Transform, growth: float) -> tuple[Array, Array]:
        """Mean and standard deviation of g(M), g growing like M^growth; infinite where they do not exist."""
        core = self.core
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            centre = np.asarray(g(core.centre()))
            first, second = core.exists(growth), core.exists(2 * growth)
            reach = 2 * growth if bool(second.all()) else growth
            one, two = core.about(g, centre, reach if bool(core.exists(reach).all()) else 0.0)
            std = np.sqrt(np.maximum(two - one * one, 0.0))
            return np.where(first, centre + one, np.inf), np.where(second, std, np.inf)
