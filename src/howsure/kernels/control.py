"""A sum of independent Gammas, Σ c·G: the linear part of a measure of many cells, whose law is exact.

Statement: Σ c·G has the characteristic function Π (1 - i·u·c)^(-shape). Where the shapes hang on a share p of a Beta,
p·right + (1 - p)·wrong, the logarithm is linear in p, and the mean over p is a Gauss-Jacobi sum. Density and cdf follow
on a grid by a fast Fourier transform over a period of 24 standard deviations.
Tilting: with weights exp(θ·Σ c·G) on its draws, each Gamma is its own divided by 1 - θ·c, and the law of all else given
Σ c·G stays as it is. So a regression on Σ c·G may take its draws from either tail.
Domain: a characteristic function that falls below 1e-5 within 2,048 terms; else there is no law here (None).
Error: 1e-5 in probability, most of it the tails beyond twelve standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.gauss_beta import gauss_beta

Array = NDArray[np.float64]

_PERIOD = 24.0  # standard deviations
_TERMS = (96, 384, 2048)
_POINTS = 512  # of the grid, at least
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

    def log_wave(self, u: Array) -> NDArray[np.complex128]:
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
                return _on_grid(u, wave, max(_POINTS, 2 * terms))
        return None

    def _wave(self, u: Array) -> NDArray[np.complex128]:
        parts = [x.log_wave(u) for x in self._gathered]
        if len(parts) == 1:
            return np.asarray(np.exp(parts[0]))
        fixed, right, wrong = parts
        a, b = np.array(self.beta)[:, None]
        p, _, weights = (x[0] for x in gauss_beta(a, b, _NODES))
        return np.asarray(np.exp(fixed + wrong + np.multiply.outer(p, right - wrong)).T @ weights)


def _on_grid(u: Array, wave: NDArray[np.complex128], points: int) -> LawOnGrid:
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
