"""A law whose every point is dear, tabulated once: for integrals of one law under another.

Statement: z(y) = Φ⁻¹(F(t)) with y the logit of t's place in the range is nearly a straight line for the mean of many
values, so polynomials through Chebyshev points give both tails, Φ(±z), and the density φ(z)·dz/dt.
Domain: laws on bounded ranges. Beyond tails of 1e-20 z goes on as a straight line: those are right in that they are
below 1e-20, no more.
Error: a piece of the line is halved until its polynomial meets the law between its nodes within 1e-12 of z + 1; where
pieces become too many (few values, whose density has corners), there is no table and the law itself is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy import special

from howsure.kernels import solve
from howsure.kernels.solve import Scale

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_REACH = 1e-20
_DEGREE = 32
_MOST = 48  # pieces
_AGREE = 1e-12


@dataclass(frozen=True)
class Tabulated:
    """A law, places on the line of its range, and the polynomials of its normal scores between them."""

    law: Any
    edges: Array
    scores: Array  # one column a piece

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def lower(self) -> float:
        return float(self.law.lower)

    @property
    def upper(self) -> float:
        return float(self.law.upper)

    @property
    def unimodal(self) -> bool:
        return bool(self.law.unimodal)

    def rows(self, pick: Mask, shape: tuple[int, ...]) -> Tabulated:
        """The law itself: there is no batch to pick from."""
        del pick, shape
        return self

    def mean(self) -> Array:
        return np.asarray(self.law.mean())

    def std(self) -> Array:
        return np.asarray(self.law.std())

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        return solve.quantile(self, np.asarray(p), np.asarray(q))

    def moments(self, g: Any, growth: float) -> tuple[Array, Array]:
        """Not needed: the range is bounded."""
        raise NotImplementedError

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        z = self._at(np.asarray(t, dtype=float), density=False)[0]
        return np.asarray(special.ndtr(z)), np.asarray(special.ndtr(-z))

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self.one_tail(t, t_low, np.asarray(False), density=True)[1]

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array, Array]:
        del t_low
        z, slope = self._at(np.asarray(t, dtype=float), density)
        with np.errstate(under="ignore", invalid="ignore"):
            pdf = np.where(np.isfinite(z), np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * slope, 0.0)
        return np.asarray(special.ndtr(np.where(upper, -z, z))), pdf, np.zeros(np.shape(z))

    def _at(self, t: Array, density: bool) -> tuple[Array, Array]:
        """Normal score and dz/dt."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            below, above = np.maximum(t - self.lower, 0.0), np.maximum(self.upper - t, 0.0)
            y = np.log(below) - np.log(above)
            piece = np.clip(np.searchsorted(self.edges, y) - 1, 0, self.edges.size - 2)
            left, right = self.edges[piece], self.edges[piece + 1]
            at = np.clip(y, left, right)
            x = (2.0 * at - left - right) / (right - left)
            z = _polynomial(x, self.scores[:, piece])
            beyond = np.where(y == at, 0.0, y - at)
            if not density and not beyond.any():
                return z, np.zeros(np.shape(t))
            steep = _polynomial(x, self._slopes[:, piece]) * 2.0 / (right - left)
            return np.where(beyond == 0.0, z, z + beyond * steep), steep * (1.0 / below + 1.0 / above)

    @cached_property
    def _slopes(self) -> Array:
        return np.asarray(chebyshev.chebder(self.scores, axis=0), dtype=float)


def _polynomial(x: Array, coefficients: Array) -> Array:
    return np.asarray(chebyshev.chebval(x, coefficients, tensor=False), dtype=float)


def tabulated(law: Any) -> Any:
    """The law with a table, if its table is right; otherwise the law itself."""
    scale = Scale(law.lower, law.upper)
    small = np.array([_REACH, 1.0])
    left, right = scale.place(law.quantile(small, small[::-1].copy())[0]).tolist()
    if not np.isfinite([left, right]).all() or not left < right:
        return law

    def score(y: Array) -> Array:
        below, above = law.tails(scale.out(y)[0])
        return np.asarray(np.where(below <= above, special.ndtri(below), -special.ndtri(above)))

    nodes = np.cos(np.pi * np.arange(_DEGREE + 1) / _DEGREE)
    between = np.cos(np.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE)
    todo, done = [(left, right)], []
    while todo:
        low, high = todo.pop()
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        z = score(middle + half * np.concatenate([nodes, between]))
        found = _through(z[: _DEGREE + 1])
        if (np.abs(_polynomial(between, found) - z[_DEGREE + 1 :]) <= _AGREE * (1.0 + np.abs(z[_DEGREE + 1 :]))).all():
            done.append((low, high, found))
        else:
            todo += [(middle, high), (low, middle)]
        if len(todo) + len(done) > _MOST:
            return law
    done.sort(key=lambda piece: piece[0])
    return Tabulated(law, np.array([left, *(p[1] for p in done)]), np.stack([p[2] for p in done], axis=1))


def _through(values: Array) -> Array:
    """Chebyshev coefficients of the polynomial through values at cos(πk/n), k = 0 .. n."""
    n = values.size - 1
    weights = np.full(n + 1, 2.0 / n)
    weights[[0, -1]] = 1.0 / n
    found = np.cos(np.pi / n * np.outer(np.arange(n + 1), np.arange(n + 1))) @ (weights * values)
    found[[0, -1]] *= 0.5
    return np.asarray(found)
