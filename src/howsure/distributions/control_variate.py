"""Sampled distributions with a control variate whose distribution is exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from howsure.arrays import Array, Complex, Mask
from howsure.distributions.protocol import level_tails
from howsure.distributions.quadrature import gauss_beta
from howsure.distributions.scale import normal_score

# -- control
#
# A sum of independent Gammas, Σ c·G: the linear part of a measure of many cells, whose law is exact.
#
# Statement: Σ c·G has the characteristic function Π (1 - i·u·c)^(-shape). Where the shapes hang on a share p of a Beta,
# p·right + (1 - p)·wrong, the logarithm is linear in p, and the mean over p is a Gauss-Jacobi sum. Density and cdf
# follow on a grid by a fast Fourier transform over a period of 24 standard deviations. Tilting: with weights exp(θ·Σ
# c·G) on its draws, each Gamma is its own divided by 1 - θ·c, and the law of all else given Σ c·G stays as it is. So
# a regression on Σ c·G may take its draws from either tail.
# Domain: a characteristic function that falls below 1e-5 within 2,048 terms; else there is no law here (None).
# Error: 1e-5 in probability, most of it the tails beyond twelve standard deviations.


_PERIOD = 24.0  # standard deviations
_TERMS = (96, 384, 2048)
_CONTROL_POINTS = 512  # of the grid, at least
_FADED = 1e-5
_NODES = 24  # of the mean over p
_BINS = 256  # coefficients that are more than these are gathered
_NEAR = 0.9  # of the way to where a tilted Gamma would have no law


@dataclass(frozen=True, eq=False)
class Weighted:
    """Coefficients and the shapes, or the weights, that go with them."""

    coefs: Array
    shapes: Array

    def gathered(self) -> Weighted:
        """Shared out among bins, mean and total kept, where there are many."""
        if self.coefs.size <= _BINS:
            return self
        low, high = float(self.coefs.min()), float(self.coefs.max())
        step = max(high - low, 1e-300) / (_BINS - 1)
        place = (self.coefs - low) / step
        left = np.minimum(place.astype(np.int64), _BINS - 2)
        part = place - left
        total = np.bincount(left, self.shapes * (1.0 - part), _BINS)
        total += np.bincount(left + 1, self.shapes * part, _BINS)
        kept = total > 0
        return Weighted(
            np.asarray(low + step * np.arange(_BINS), dtype=float)[kept], np.asarray(total, dtype=float)[kept]
        )

    def log_factor(self, theta: float) -> float:
        """The logarithm of the moment generating function."""
        return -float(np.log1p(-theta * self.coefs) @ self.shapes)

    def log_wave(self, u: Array) -> Complex:
        """The logarithm of the characteristic function."""
        x = u[:, None] * self.coefs
        return np.asarray(-0.5 * (np.log1p(x * x) @ self.shapes) + 1j * (np.arctan(x) @ self.shapes))


@dataclass(frozen=True, eq=False)
class LawOnGrid:
    """Points in standard deviations about the mean, density and cdf there."""

    points: Array
    pdf: Array
    cdf: Array

    def span(self, tail: float) -> tuple[float, float]:
        """The points with so much probability beyond them on either side."""
        low, high = np.interp([tail, 1.0 - tail], self.cdf, self.points)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class GammaSum:
    """Fixed shapes, and those that go with p and with 1 - p, p from Beta(a, b)."""

    fixed: Weighted
    beta: tuple[float, float] = (1.0, 1.0)
    right: Weighted | None = None
    wrong: Weighted | None = None

    @cached_property
    def _parts(self) -> tuple[list[Weighted], Array]:
        """The parts, with the mean share of each."""
        if self.right is None or self.wrong is None:
            return [self.fixed], np.ones(1)
        a, b = self.beta
        return [self.fixed, self.right, self.wrong], np.array([1.0, a / (a + b), b / (a + b)])

    @cached_property
    def _gathered(self) -> list[Weighted]:
        return [x.gathered() for x in self._parts[0]]

    @cached_property
    def mean(self) -> float:
        """Of the sum."""
        parts, share = self._parts
        return float(sum(s * (x.coefs @ x.shapes) for x, s in zip(parts, share, strict=True)))

    @cached_property
    def std(self) -> float:
        """Of the sum."""
        parts, share = self._parts
        found = sum(s * (x.coefs**2 @ x.shapes) for x, s in zip(parts, share, strict=True))
        return float(np.sqrt(found + self._shared))

    @cached_property
    def _shared(self) -> float:
        """The variance that comes with p."""
        if self.right is None or self.wrong is None:
            return 0.0
        a, b = self.beta
        gap = float(self.right.coefs @ self.right.shapes - self.wrong.coefs @ self.wrong.shapes)
        return gap**2 * a * b / ((a + b) ** 2 * (a + b + 1.0))

    def tilt(self, sigmas: float) -> float:
        """The θ that moves the mean by about so many standard deviations."""
        share = self._parts[1]
        c = np.concatenate([x.coefs for x in self._gathered])
        a = np.concatenate([s * x.shapes for x, s in zip(self._gathered, share, strict=True)])
        far = (c.max() if sigmas > 0 else c.min()) * np.sign(sigmas)
        want = sigmas * self.std
        if far <= 0:
            return sigmas / self.std
        low, high = 0.0, float(np.sign(sigmas) * _NEAR / far)
        for _ in range(30):
            mid = 0.5 * (low + high)
            moved = (a * c * c) @ (mid / (1.0 - mid * c)) + self._shared * mid
            beyond = (moved - want) * np.sign(sigmas) > 0
            low, high = (low, mid) if beyond else (mid, high)
        return low

    def leaning(self, theta: float) -> float:
        """The D of weights exp(p·D) on p under a tilt."""
        if self.right is None or self.wrong is None:
            return 0.0
        return self.right.log_factor(theta) - self.wrong.log_factor(theta)

    def law(self) -> LawOnGrid | None:
        """Density and cdf over the period; None where the characteristic function falls too slowly."""
        for terms in _TERMS:
            step = 2.0 * np.pi / _PERIOD
            u = np.asarray(step * np.arange(1, terms + 1), dtype=float)
            wave = self._wave(np.asarray(u / self.std)) * np.exp(-1j * u * self.mean / self.std)
            if abs(wave[-1]) < _FADED:
                return _on_grid(u, wave, max(_CONTROL_POINTS, 2 * terms))
        return None

    def _wave(self, u: Array) -> Complex:
        parts = [x.log_wave(u) for x in self._gathered]
        if len(parts) == 1:
            return np.asarray(np.exp(parts[0]))
        fixed, right, wrong = parts
        a, b = np.array(self.beta)[:, None]
        p, _, weights = (x[0] for x in gauss_beta(a, b, _NODES))
        return np.asarray(np.exp(fixed + wrong + np.multiply.outer(p, right - wrong)).T @ weights)


def _on_grid(u: Array, wave: Complex, points: int) -> LawOnGrid:
    """Sums of the Fourier series of the density and of its integral."""
    x = _PERIOD * (np.arange(points) / points - 0.5)
    turn = (-1.0) ** np.arange(1, u.size + 1)  # the grid starts half a period before 0
    spectrum = np.zeros(points // 2 + 1, dtype=np.complex128)
    spectrum[1 : u.size + 1] = np.conj(wave) * turn
    spectrum[0] = 1.0
    pdf = np.fft.irfft(spectrum, points) * (points / _PERIOD)
    spectrum[1 : u.size + 1] /= 1j * u
    spectrum[0] = 0.0
    wavy = np.fft.irfft(spectrum, points) * (points / _PERIOD)
    cdf = np.clip(wavy - wavy[0] + (x - x[0]) / _PERIOD, 0.0, 1.0)
    return LawOnGrid(x, np.maximum(pdf, 0.0), np.maximum.accumulate(cdf))


# -- controlled
#
# A law by regression on a control: M = g(L) + s(L)·e, where the law of L is exact and g, s and e are fitted to draws.
#
# Statement: P(M <= t) = mean over e of P(g(L) + s(L)·e <= t). g is a cubic or a quintic, s² a quadratic, e the
# standardised residuals, in equal groups. Only what L does not explain is left to chance, so some hundred or thousand
# draws do what takes order statistics hundreds of thousands. The draws may come from tilted laws of L (control.py).
# Error: three standard errors, from the influence of each draw on the coefficients, so that unequal spread is no harm;
# they grow with the lack of fit, seen in the residuals by stretches of L. Tails below `floor` may as well be 0: few
# of the draws are there, and beyond 4.5 standard deviations the law goes on as it bends between 3.5 and 4.5.
# Domain: one table, a range with two ends.


EPS = float(np.finfo(float).eps)
SIGMAS = 3.0
_QUADRATIC, _CUBIC, _QUINTIC = 3, 4, 6  # terms
_STRETCHES = 8  # more than terms, by which a lack of fit shows
_DOUBTED = 1.67  # ten fits in a hundred have more by chance
_GROUPS = 16
_FLOOR = 0.2  # of the mean square of residuals
_POINTS = 257
_BEYOND = 5e-4  # probability of the control on either side that the regression leaves out
_LEAST = 100  # draws within it
_OUTSIDE = 1e-3  # probability that a fit may put outside of the range
_NOTHING = 1e-8  # probability beyond the first and the last point
TOLD = 1e-5  # the error of the law of the control: no smaller tail is told from 0
_KNEE, _LAST = 3.5, 4.5  # normal scores: between them the slope is read by which a tail goes on
_FARTHEST = 8.0  # no tail is exactly 0 or 1 within the range
_PLACES = (0.025, 0.16, 0.5, 0.84, 0.975)


@dataclass(frozen=True, eq=False)
class Fit:
    """g and s² as polynomials in the control, residuals in groups, and the covariance of all coefficients."""

    reach: tuple[float, float]  # of the control, within which draws were taken
    g: Array
    square: Array
    floor: float
    residuals: Array
    covariance: Array
    doubt: float  # how much larger the squares of residuals are, by stretches of the control, than chance makes them

    @classmethod
    def of(cls, control: Array, measure: Array, reach: tuple[float, float]) -> Fit:
        """By least squares; the control in standard deviations. A cubic, or a quintic where that fits better."""
        cubic = cls._of_terms(control, measure, reach, _CUBIC)
        if cubic.doubt == 1.0:
            return cubic
        quintic = cls._of_terms(control, measure, reach, _QUINTIC)
        return min(cubic, quintic, key=lambda fit: fit.doubt)

    @classmethod
    def _of_terms(cls, control: Array, measure: Array, reach: tuple[float, float], terms: int) -> Fit:
        x, y = (np.vander(control, t, increasing=True) for t in (terms, _QUADRATIC))
        inverse = [np.linalg.pinv(a.T @ a, hermitian=True) for a in (x, y)]
        g = inverse[0] @ (x.T @ measure)
        rest = measure - x @ g
        square = inverse[1] @ (y.T @ rest**2)
        floor = _FLOOR * float((rest**2).mean()) + 1e-30
        spread = np.sqrt(np.maximum(y @ square, floor))
        groups = _means(np.sort(rest / spread), _GROUPS)
        groups -= groups.mean()
        influence = np.hstack([(x @ inverse[0]) * rest[:, None], (y @ inverse[1]) * (rest**2 - y @ square)[:, None]])
        many, doubt = rest.size, _doubt(control, rest / spread, terms)
        covariance = influence.T @ influence * (doubt * many / (many - terms - _QUADRATIC))
        return cls(reach, g, square, floor, groups / max(float(groups.std()), 1e-300), covariance, doubt)

    def powers(self, x: Array) -> tuple[Array, Array]:
        """Of the control for g, straight beyond the reach, and for s², constant there."""
        near = np.clip(x, *self.reach)
        a, b = (np.vander(near, c.size, increasing=True) for c in (self.g, self.square))
        slope = np.zeros_like(a)
        slope[:, 1:] = a[:, :-1] * np.arange(1, self.g.size)
        return a + slope * (x - near)[:, None], b

    def spread(self, x: Array) -> Array:
        """s."""
        return np.asarray(np.sqrt(np.maximum(self.powers(x)[1] @ self.square, self.floor)))


def _tail(t: Array, score: Array, side: float, end: float) -> tuple[list[float], list[float]]:
    """The point at which a tail ends, and its normal score; nothing where the range ends before the tail does."""
    last = -1 if side > 0 else 0
    knee, z = float(np.interp(side * _KNEE, score, t)), float(score[last])
    run = side * (float(t[last]) - knee)
    if not (side * z > _KNEE and run > 0 and side * (end - t[last]) > 0):
        return [], []
    slope = (side * z - _KNEE) / run
    far = min((_FARTHEST - side * z) / slope, side * (end - float(t[last])))
    return [float(t[last]) + side * far], [z + side * slope * far]


def _pair(p: float) -> tuple[Array, Array]:
    return np.asarray(p), np.asarray(1.0 - p)


def _doubt(control: Array, rest: Array, terms: int) -> float:
    """The lack of fit: squares of mean residuals of stretches of the control, against what chance makes of them."""
    many = terms + _STRETCHES
    means = _means(rest[np.argsort(control)], many)
    found = float(means @ means) * (rest.size / many) / max(float(rest @ rest) / rest.size, 1e-300)
    return found / _STRETCHES if found > _DOUBTED * _STRETCHES else 1.0


def _means(x: Array, parts: int) -> Array:
    """Of so many parts of equal size, but for one."""
    starts = np.arange(parts) * x.size // parts
    return np.asarray(np.add.reduceat(x, starts) / np.diff(np.append(starts, x.size)))


@dataclass(frozen=True, eq=False)
class Controlled:
    """The law of one measure of one table, moved on the logit scale of its range so that its mean is `known_mean`."""

    fit: Fit
    control: LawOnGrid
    n: int
    lower: float
    upper: float
    shift: float = 0.0
    known_mean: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def fitted(
        cls, linear: GammaSum, control: LawOnGrid, draws: tuple[Array, Array], bounds: tuple[float, float], share: float
    ) -> Controlled | None:
        """By draws of the control and the measure; None where the fit leaves the range, or explains less than this."""
        x, y = (draws[0] - linear.mean) / linear.std, draws[1]
        low, high = control.span(_BEYOND)
        near = (x > low) & (x < high)
        if near.sum() < _LEAST:
            return None
        law = cls(Fit.of(x[near], y[near], (low, high)), control, y.size, *bounds)
        return law if law.explained > share and law.outside < _OUTSIDE else None

    # -- the law before it is moved

    @cached_property
    def _weights(self) -> Array:
        return np.asarray(self.control.pdf / self.control.pdf.sum())

    @cached_property
    def _curves(self) -> tuple[Array, Array]:
        """Points of the control within reach, and g + s·e there for every e, rising."""
        x = self.control.points
        inside = (self.control.cdf > _NOTHING) & (self.control.cdf < 1.0 - _NOTHING)
        x = x[inside]
        a, b = self.fit.powers(x)
        y = a @ self.fit.g + np.sqrt(np.maximum(b @ self.fit.square, self.fit.floor)) * self.fit.residuals[:, None]
        return x, np.maximum.accumulate(y, axis=1)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Points and their normal scores."""
        x, y = self._curves
        t = np.linspace(max(float(y.min()), self.lower), min(float(y.max()), self.upper), _POINTS)
        score = normal_score(self.control.cdf, 1.0 - self.control.cdf)
        at = np.interp([np.interp(t, row, x) for row in y], self.control.points, score)
        below, above = special.ndtr(at).mean(axis=0), special.ndtr(-at).mean(axis=0)
        score = np.maximum.accumulate(normal_score(below, above) + 1e-9 * np.arange(_POINTS))
        return t, score

    @cached_property
    def explained(self) -> float:
        """The share of the variance that goes with the control."""
        own, rest = self._variances[1:]
        return own / (own + rest)

    @cached_property
    def _variances(self) -> tuple[float, float, float]:
        """The mean, the variance that goes with the control, and the rest."""
        x, y = self.fit.powers(self.control.points)
        g, square = x @ self.fit.g, np.maximum(y @ self.fit.square, self.fit.floor)
        mean = float(self._weights @ g)
        return mean, float(self._weights @ (g - mean) ** 2), float(self._weights @ square)

    @cached_property
    def outside(self) -> float:
        """The probability that the fit puts outside of the range."""
        x, y = self._curves
        at = np.array([np.interp((self.lower, self.upper), row, x, left=-np.inf, right=np.inf) for row in y])
        below, above = np.interp(at, self.control.points, self.control.cdf).mean(axis=0)
        return float(below + 1.0 - above)

    def _raw_quantile(self, p: float) -> float:
        t, score = self._table
        return float(np.interp(special.ndtri(p), score, t))

    # -- the move

    def _out(self, t: Array) -> Array:
        if self.shift == 0.0:
            return t
        width = self.upper - self.lower
        part = np.clip((t - self.lower) / width, 1e-15, 1.0 - 1e-15)
        return np.asarray(self.lower + width / (1.0 + np.exp(-self.shift) * (1.0 - part) / part))

    def _slope(self, t: Array) -> Array:
        """Of a move at points as they are before it."""
        here, there = ((x - self.lower) * (self.upper - x) for x in (t, self._out(t)))
        return np.asarray(there / np.maximum(here, 1e-300))

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        """Points and masses of the law as it is moved."""
        t, score = self._table
        mass = np.diff(special.ndtr(score))
        return self._out(0.5 * (t[1:] + t[:-1])), mass / mass.sum()

    def moved_to(self, mean: float) -> Controlled:
        """Moved on the logit scale of the range, so that this is its mean."""
        x, mass = self._nodes
        width = self.upper - self.lower
        part = np.clip((x - self.lower) / width, 1e-15, 1.0 - 1e-15)
        odds, shift = part / (1.0 - part), 0.0
        for _ in range(20):
            p = 1.0 / (1.0 + np.exp(-shift) / odds)
            step = (mass @ p - (mean - self.lower) / width) / max(float(mass @ (p * (1.0 - p))), 1e-12)
            shift -= float(np.clip(step, -1.0, 1.0))
            if abs(step) < 1e-10:
                break
        made = replace(self, shift=shift, known_mean=np.asarray(mean))
        made.__dict__.update({name: getattr(self, name) for name in ("_weights", "_curves", "_table")})
        return made

    # -- functions

    @cached_property
    def _moved(self) -> tuple[Array, Array]:
        """Points and their normal scores, with tails that go on to 8, or to the end of the range."""
        t, score = self._table
        near = np.abs(score) <= _LAST
        t, score = np.maximum.accumulate(self._out(t[near])), score[near]
        low, high = (_tail(t, score, side, end) for side, end in ((-1.0, self.lower), (1.0, self.upper)))
        points, scores = (np.concatenate(x) for x in zip(low, (t, score), high, strict=True))
        return points, scores

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        points, score = self._moved
        t = np.asarray(t + t_low, dtype=float)
        z = np.interp(t, points, score)
        z = np.where(t <= self.lower, -np.inf, np.where(t >= self.upper, np.inf, z))
        return special.ndtr(z), special.ndtr(-z)

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        points, score = self._moved
        value = np.interp(normal_score(np.asarray(p), np.asarray(q)), score, points)
        return value, value - self.lower, self.upper - value

    @cached_property
    def _density(self) -> tuple[Array, Array]:
        points, score = self._moved
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.gradient(score, np.maximum(points, points[0] + 1e-300 * np.arange(points.size)))
        height = np.exp(-0.5 * score**2) / np.sqrt(2.0 * np.pi) * rate
        return points, np.where(np.isfinite(height), height, 0.0)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return np.asarray(np.interp(np.asarray(t + t_low, dtype=float), *self._density, left=0.0, right=0.0))

    def signs(self) -> tuple[Array, Array]:
        below, above = self.tails(np.zeros(()))
        return above, below

    # -- points

    @cached_property
    def _moments(self) -> tuple[float, float]:
        if self.shift != 0.0:
            x, mass = self._nodes
            mean = float(mass @ x)
            return mean, float(np.sqrt(mass @ (x - mean) ** 2))
        mean, own, rest = self._variances
        return mean, float(np.sqrt(own + rest))

    def mean(self) -> Array:
        return np.asarray(self._moments[0] if self.known_mean is None else self.known_mean)

    def std(self) -> Array:
        return np.asarray(self._moments[1])

    def median(self) -> Array:
        half = np.asarray(0.5)
        return self.quantile(half, half)[0]

    def mode(self) -> Array:
        points, height = self._density
        return np.asarray(points[int(height.argmax())])

    def equal_tailed(self, level: float) -> tuple[Array, Array, Array, Array]:
        value, below, above = self.quantile(*level_tails(level, ()))
        return value[0], value[1], below[0], above[1]

    def shortest(self, level: float, log_scale: bool = False) -> tuple[Array, Array, Mask]:
        """Of all stretches with that mass the shortest; where none is, the vertex of a parabola through three."""
        del log_scale  # for measures without an end, which have no control
        p = (1.0 - level) * np.linspace(0.0, 1.0, 514)[1:-1]

        def ends(p: Array) -> tuple[Array, Array]:
            return self.quantile(p, 1.0 - p)[0], self.quantile(p + level, 1.0 - level - p)[0]

        low, high = ends(p)
        at = int(np.clip((high - low).argmin(), 1, p.size - 2))
        one, two, three = (high - low)[at - 1 : at + 2]
        bend = one - 2.0 * two + three
        move = np.clip(0.5 * (one - three) / bend, -1.0, 1.0) if bend > 0 else 0.0
        low, high = ends(p[at] + move * (p[1] - p[0]))
        return low, high, np.asarray(False)

    # -- errors

    def _reach(self, p: float) -> Array:
        """How the quantile at p follows the coefficients."""
        x, y = self._curves
        t = self._raw_quantile(p)
        at = np.array([np.interp(t, row, x) for row in y])
        cell = np.clip(np.searchsorted(x, at), 1, x.size - 1)
        rows = np.arange(len(y))
        rise = (y[rows, cell] - y[rows, cell - 1]) / (x[cell] - x[cell - 1])
        rise = np.maximum(rise, 0.1 * (y[:, -1] - y[:, 0]).mean() / (x[-1] - x[0]) + 1e-300)
        part = np.interp(at, self.control.points, self.control.pdf) / rise
        part /= max(float(part.sum()), 1e-300)
        spread = self.fit.spread(at)
        powers = self.fit.powers(at)
        return np.concatenate([part @ powers[0], (part * self.fit.residuals / (2.0 * spread)) @ powers[1]])

    @cached_property
    def _mean_reach(self) -> Array:
        return np.concatenate([self._weights @ self.fit.powers(self.control.points)[0], np.zeros(_QUADRATIC)])

    def _standard_error(self, p: float) -> float:
        """Of the quantile at p, as it is moved."""
        reach = self._reach(p)
        if self.shift != 0.0:
            t = np.asarray(self._raw_quantile(p))
            x, mass = self._nodes
            stretch = (x - self.lower) * (self.upper - x)
            q = self._out(t)
            share = (q - self.lower) * (self.upper - q) / (mass @ stretch)
            reach = self._slope(t) * reach - share * self._mean_reach
        return float(np.sqrt(reach @ self.fit.covariance @ reach))

    def quantile_error(self, p: float) -> Array:
        """Three standard errors of the quantile at p."""
        return np.asarray(SIGMAS * self._standard_error(p))

    @cached_property
    def error(self) -> tuple[Array, Array]:
        ends = [self.quantile_error(p) for p in _PLACES]
        high = [float(self.pdf(self.quantile(*_pair(p))[0])) for p in _PLACES]
        chance = max(e * h for e, h in zip(ends, high, strict=True))
        return np.asarray(max(float(self.mean_error()), *map(float, ends))), np.asarray(chance)

    @cached_property
    def floor(self) -> float:
        """By the rule of three, by the control, and by the error of the law out there."""
        few = max(SIGMAS / self.n, TOLD)
        off = [float(self.quantile_error(p) * self.pdf(self.quantile(*_pair(p))[0])) for p in (few, 1.0 - few)]
        return max(few, *off)

    def mean_error(self) -> Array:
        """Three standard errors of the mean; rounding where it is known in closed form."""
        if self.known_mean is not None:
            return np.asarray(8 * EPS * (abs(float(self.known_mean)) + 1.0))
        return SIGMAS * self.standard_error()

    def standard_error(self) -> Array:
        if self.known_mean is not None:
            return np.zeros(())
        reach = self._mean_reach
        return np.sqrt(np.asarray(reach @ self.fit.covariance @ reach))

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """Those of the quantiles; the ends of a shortest interval are off by about twice as much."""
        tail, factor = 0.5 * (1.0 - level), 2.0 if shortest else 1.0
        return factor * self.quantile_error(tail), factor * self.quantile_error(1.0 - tail)
