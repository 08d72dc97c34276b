"""Linear quotients of three or four groups of cells: one integral, or one within another.

Statement: P(Σ top·G / Σ bottom·G <= t) = P(Σ (top - t·bottom)·G <= 0) for independent Gammas G. Two groups whose
coefficients have the same sign are dealt from one Gamma by a Beta share, which leaves one group fewer.
Where the units of the groups weigh more or less, their coefficients are times that weight; the range stays what it is.
Domain: shapes from 1e-3 to 1e12; coefficients of any sign on top, none negative below.
Error: as in quadrature.py; the fourth group adds a trapezoid sum over 96 nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.distributions import quadrature
from howsure.distributions.beta_moments import flat, moments_about, quotient
from howsure.distributions.exact import linear
from howsure.distributions.low_end import Powers
from howsure.distributions.mixture import BilinearOdds, LinearForm
from howsure.distributions.protocol import Pick, Transform

_NODES = 64
_OUTER_NODES = 96


@dataclass(frozen=True)
class LinearQuotient:
    """A linear quotient of three or four groups of cells: Σ top·G / Σ bottom·G with Gammas G of the given shapes.

    P(M <= t) = P(Σ (top - t·bottom)·G <= 0). Two groups whose coefficients have the same sign are dealt from
    one Gamma by a Beta share; a fourth group adds a sum over the nodes of such a share.
    """

    shapes: tuple[Array, ...]
    top: tuple[float, ...]
    bottom: tuple[float, ...]
    scales: tuple[Array, ...] | None = None  # what a unit of each group weighs, of each table; 1 without

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(x.shape for x in self.shapes))

    @property
    def lower(self) -> float:
        return min(quotient(p, q) for p, q in zip(self.top, self.bottom, strict=True))

    @property
    def upper(self) -> float:
        return max(quotient(p, q) for p, q in zip(self.top, self.bottom, strict=True))

    def evaluate(self, t: Array, t_low: Array | float, upper: Mask | None, density: bool) -> tuple[Array, Array]:
        """Tail and density at t; without a side, the density only."""
        shape, (t, low, *shapes) = flat(t, t_low, *self.shapes)
        upper = None if upper is None else np.broadcast_to(upper, shape).ravel()
        c = np.stack([linear(p * np.ones_like(t), -q, t, low) for p, q in zip(self.top, self.bottom, strict=True)])
        slope = np.stack([q * np.ones_like(t) for q in self.bottom])
        if self.scales is not None:
            weigh = np.stack([np.broadcast_to(x, shape).ravel() for x in self.scales])
            c, slope = c * weigh, slope * weigh
        tail, pdf = _signed_sum(np.stack(shapes), c, slope, upper, density)
        return tail.reshape(shape), pdf.reshape(shape)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> LinearQuotient:
        """The core of the picked entries of the batch, flat."""
        shapes, scales = (
            tuple(np.broadcast_to(x, shape)[pick] for x in part) for part in (self.shapes, self.scales or ())
        )
        return replace(self, shapes=shapes, scales=scales or None)

    def powers_at_zero(self) -> Powers | None:
        """One will do."""
        return None

    def density_at_zero(self) -> Array | None:
        """Not known by itself."""
        return None

    def corners(self) -> tuple[float, ...]:
        """Values at the corners of the simplex."""
        return tuple(p / q for p, q in zip(self.top, self.bottom, strict=True) if q)

    def exists(self, order: float) -> Mask:
        poles = [s for s, q in zip(self.shapes, self.bottom, strict=True) if q > 0]
        if np.isfinite(self.lower) and np.isfinite(self.upper):
            return np.full(self.shape, True)
        return np.asarray(sum(poles) > order)

    def about(self, g: Transform, centre: Array, order: float) -> tuple[Array, Array]:
        """First and second moment of g(M) about centre, by nodes on the successive Beta splits."""
        del order
        if len(self.shapes) == 4:
            return self._about_four(g, centre)
        x, y, z = (s + np.zeros(self.shape) for s in self.shapes)

        def value(part: Index, u: Array, r: Array, v: Array, w: Array) -> Array:
            return self._at((u, r * v, r * w), part)

        return moments_about((y, z), (x, y + z), value, g, centre)

    def about_log(self, g: Transform, centre: Array) -> tuple[Array, Array]:
        """First and second moment of g(log M) about centre."""
        return self.about(lambda x: g(np.log(x)), centre, 0.0)

    def _at(self, cells: tuple[Array, ...], part: Index | None = None) -> Array:
        """The measure at drawn groups of the picked tables, flat; or at one value of every group, of each table."""
        if self.scales is not None:
            weigh = [
                x if part is None else np.broadcast_to(x, self.shape).ravel()[part, None, None] for x in self.scales
            ]
            cells = tuple(x * s for x, s in zip(cells, weigh, strict=True))
        top = sum(k * x for k, x in zip(self.top, cells, strict=True))
        bottom = sum(k * x for k, x in zip(self.bottom, cells, strict=True))
        return np.asarray(top / bottom)

    def _about_four(self, g: Transform, centre: Array) -> tuple[Array, Array]:
        """A sum over nodes of the split of the last two groups, each a problem of three groups."""
        shape, (a, b, c, d, middle) = flat(*self.shapes, centre)
        first, second = np.zeros(a.size), np.zeros(a.size)
        x, y, weight, _ = quadrature.beta_nodes(c, d, _NODES)
        for k in range(x.shape[1]):
            third = x[:, k, None, None], y[:, k, None, None]

            def value(part: Index, u: Array, r: Array, v: Array, w: Array, third: tuple[Array, ...] = third) -> Array:
                return self._at((u, r * v, r * w * third[0][part], r * w * third[1][part]), part)

            one, two = moments_about((b, c + d), (a, b + c + d), value, g, middle)
            first += weight[:, k] * one
            second += weight[:, k] * two
        return first.reshape(shape), second.reshape(shape)

    def centre(self) -> Array:
        return self._at(self.shapes)

    def mirrored(self) -> LinearQuotient:
        """Upper end minus measure: its moments keep their digits when the measure is close to that end."""
        return replace(self, top=tuple(self.upper * q - p for p, q in zip(self.top, self.bottom, strict=True)))

    def smallest(self) -> float:
        return min(float(x.min(initial=np.inf)) for x in self.shapes)

    def closed(self) -> tuple[Array, Array] | None:
        """Mean and standard deviation when the measure is linear in the shares (one bottom for all)."""
        if len(set(self.bottom)) != 1 or self.scales is not None:
            return None
        total = np.asarray(sum(self.shapes))
        values = [k / self.bottom[0] for k in self.top]
        mean = np.asarray(sum(k * s for k, s in zip(values, self.shapes, strict=True)) / total)
        var = sum(s / total * (k - mean) ** 2 for k, s in zip(values, self.shapes, strict=True)) / (total + 1)
        return mean, np.sqrt(np.asarray(var))


def _signed_sum(shapes: Array, c: Array, slope: Array, upper: Mask | None, density: bool) -> tuple[Array, Array]:
    """Tail of Σ c·G around 0, for coefficients c of both signs; density with respect to t by -dc/dt = slope."""
    order = np.argsort(-c, axis=0, kind="stable")
    shapes, c, slope = (np.take_along_axis(x, order, axis=0) for x in (shapes, c, slope))
    if len(c) == 3:
        return _three_groups(shapes, c, slope, upper, density)
    head = c[1] > 0  # two positive coefficients at least: merge the first two, else the last two

    def pick(x: Array, i: int) -> Array:
        return np.asarray(np.where(head, x[i], x[(i + 2) % 4]))

    v, w, weight, _ = quadrature.beta_nodes(pick(shapes, 0), pick(shapes, 1), _OUTER_NODES, keep=1e-32)

    def merge(x: Array) -> Array:
        pair = pick(x, 0)[:, None] * v + pick(x, 1)[:, None] * w
        kept = [np.repeat(pick(x, i)[:, None], v.shape[1], axis=1) for i in (2, 3)]
        return np.stack([y.ravel() for y in (pair, *kept)])

    together = pick(shapes, 0) + pick(shapes, 1)
    kept = [pick(shapes, i) for i in (2, 3)]
    flat = np.stack([np.repeat(x[:, None], v.shape[1], axis=1).ravel() for x in (together, *kept)])
    sides = None if upper is None else np.repeat(upper, v.shape[1])
    parts = _signed_sum(flat, merge(c), merge(slope), sides, density)
    tail, pdf = ((weight * x.reshape(weight.shape)).sum(axis=1) for x in parts)
    return tail, pdf


def _three_groups(shapes: Array, c: Array, slope: Array, upper: Mask | None, density: bool) -> tuple[Array, Array]:
    """Coefficients in falling order. With one positive: odds of the first against the other two."""
    flip = c[1] > 0  # two positive coefficients: mirror the problem
    order = np.where(flip, np.array([[2], [1], [0]]), np.array([[0], [1], [2]]))
    shapes, slope = (np.take_along_axis(x, order, axis=0) for x in (shapes, slope))
    c = np.abs(np.take_along_axis(c, order, axis=0))
    impossible = c[0] == 0  # no coefficient of that sign: t lies at the end of the range
    safe = np.where(impossible, 1.0, c[0])
    mixture = BilinearOdds(
        shapes[1], shapes[2], shapes[0], shapes[1] + shapes[2],
        LinearForm(c[1], c[2]), LinearForm(safe, safe), LinearForm(slope[1], slope[2]), LinearForm(slope[0], slope[0]),
    )  # fmt: skip
    if upper is None:
        pdf = mixture.density()
        return np.zeros_like(pdf), np.where(impossible, 0.0, pdf)
    tail, pdf = mixture.tail(upper != flip, density)
    sure = np.where(flip != upper, 0.0, 1.0)
    return np.where(impossible, sure, tail), np.where(impossible, 0.0, pdf)
