"""One law against another, independent one: P(A > B), and the law of A - B.

Statement: P(A - B <= d) = E[F_A(B + d)] = E[S_B(A - d)]: one integral, with the narrower law outside, so that the
other is smooth on its scale (Goutte & Gaussier 2005, eq. 12, who sample it).
Domain: laws with tails and densities on intervals, which may be infinite; mean and variance are those of A and B.
Formula: both laws are tabulated once (tabulated.py). The integral runs over the line of the outer table, split where
either law has a corner or an end, by the double exponential rule on each part (Takahasi & Mori 1974).
Two Betas seen through the same map compare as the Betas themselves, by quadrature.expect on shares.
Error: nodes are doubled until two levels agree to 1e-9, where the finer one is off by about the square of that; both
tails have their own integrals. Held to 1e-11 against mpmath in tests/comparison/test_difference.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.distributions.beta_moments import beta_order
from howsure.distributions.continuous import Continuous, Stepped, error_of_search
from howsure.distributions.control_variate import TOLD, Controlled
from howsure.distributions.moebius import Moebius
from howsure.distributions.protocol import Law, Pick
from howsure.distributions.scale import Scale
from howsure.distributions.tabulated import Point, Section, Tabulated, tabulate

_REACH = 3.2  # of the double exponential rule: it ends 1e-16 of the length from both ends
_FIRST = 64
_LEVELS = 7
_AGREE = 1e-9
_TINY = 1e-26  # no relative agreement is asked of tails below this
_CLOSED = 1e-10
_SHAPE = 0.1
_CHUNK = 400_000  # node evaluations at a time
_EVEN = 8192  # even quantiles of a law that is fitted to draws
_PLACES = (0.001, 0.01, 0.05, 0.16, 0.3, 0.5, 0.7, 0.84, 0.95, 0.99, 0.999)


def difference_of(a: Law, b: Law) -> Difference | None:
    """The law of A - B for independent laws; None where one of them is known by draws only."""
    exact = all(isinstance(x, Continuous) and x.n is None for x in (a, b))
    return Difference(a, b) if exact else None  # type: ignore[arg-type]


def order_of(a: Law, b: Law) -> tuple[float, float, float] | None:
    """P(A > B), P(A < B) and their error for laws that are fitted to draws (controlled.py); None for others.

    The mean of one law's tails over even quantiles of the other: their draws are not made again, and need not be many.
    """
    if not (isinstance(a, Controlled) and isinstance(b, Controlled)):
        return None
    one, two = _at_quantiles(a, b), _at_quantiles(b, a)
    off = float(np.hypot(one[2], two[2]))
    if float(np.max(a.std())) <= float(np.max(b.std())):  # a wide law has few quantiles where a narrow one lives
        return one[1], one[0], off
    return two[0], two[1], off


def _at_quantiles(outer: Controlled, inner: Controlled) -> tuple[float, float, float]:
    """P(inner > outer) and P(inner < outer), and how far they move with the quantiles of the outer law.

    What lies beyond its floor, where there are few draws or none, is in doubt as a whole: on the side that is rarer.
    """
    p = (np.arange(_EVEN) + 0.5) / _EVEN
    t = outer.quantile(p, p[::-1])[0]
    below, above = inner.tails(t)
    off = np.interp(p, _PLACES, [float(outer.quantile_error(x)) for x in _PLACES])
    rare = above if above.mean() < 0.5 else below
    beyond = rare * (np.minimum(p, p[::-1]) < outer.floor)
    error = float((inner.pdf(t) * off).mean() + beyond.mean()) + TOLD
    return float(above.mean()), float(below.mean()), error


@dataclass(frozen=True, eq=False)
class Difference(Stepped):
    """The law of A - B for independent laws, the narrower one outside the integral."""

    a: Continuous
    b: Continuous

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.a.shape, self.b.shape)

    @property
    def lower(self) -> float:
        return float(self.a.lower - self.b.upper)

    @property
    def upper(self) -> float:
        return float(self.a.upper - self.b.lower)

    @property
    def unimodal(self) -> bool:
        return bool(self.a.unimodal and self.b.unimodal)

    def mean(self) -> Array:
        """Not a number where both means are infinite: their difference is undefined."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.a.mean() - self.b.mean())

    def std(self) -> Array:
        return np.asarray(np.hypot(self.a.std(), self.b.std()))

    @cached_property
    def error(self) -> tuple[Array, Array]:
        searched, one, two = error_of_search(*self.body), self.a.own_error(), self.b.own_error()
        return searched[0] + one[0] + two[0], searched[1] + one[1] + two[1]

    def chance_error(self) -> Array:
        """How far P(A > B) may be off: what the integral leaves, and what the rules of both laws do."""
        return np.asarray(_CLOSED + self.a.own_error()[1] + self.b.own_error()[1])

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Difference:
        return Difference(self.a.rows(pick, shape), self.b.rows(pick, shape))

    @property
    def _shapes(self) -> tuple[Array, Array, Array, Array] | None:
        """The shapes of two Betas that are seen through the same map; None for other laws."""
        a, b = self.a, self.b
        if not (isinstance(a, Moebius) and isinstance(b, Moebius)):
            return None
        same = (a.u1, a.v1, a.u2, a.v2) == (b.u1, b.v1, b.u2, b.v2) and a.tilt is None and b.tilt is None
        return (a.a, a.b, b.a, b.b) if same else None

    @property
    def closed(self) -> bool:
        """Whether both laws are Betas seen through the same map."""
        return self._shapes is not None

    def signs(self) -> tuple[Array, Array]:
        """P(A > B) and P(A < B), each by its own integral."""
        return super().signs() if self._shapes is None else beta_order(*self._shapes)

    @property
    def usual(self) -> bool:
        """Whether the shapes of closed laws alone say that their tables will hold."""
        return self._shapes is not None and min(float(x.min(initial=1.0)) for x in self._shapes) >= _SHAPE

    @cached_property
    def closes(self) -> bool:
        """Whether the tables hold: their masses are 1, and ties at an end, which nothing can tell apart, are rare.

        Shapes far below 0.1 put mass closer to an end than 1e-130, where the tables stop.
        """
        miss = max(float(np.abs(x.miss).max(initial=0.0)) for x in self._tables)
        ties = np.prod([max(float(p.atoms.max(initial=0.0)) for p in x.pieces) for x in self._tables])
        return bool(miss < _CLOSED and ties < _CLOSED)

    @cached_property
    def _tables(self) -> tuple[Tabulated, Tabulated]:
        return tabulate(self.a), tabulate(self.b)

    def _rows(self, shape: tuple[int, ...]) -> tuple[Index, Index]:
        """The rows of both tables, for points of that shape; flat."""
        own = (np.arange(int(np.prod(x.shape, dtype=int))).reshape(x.shape) for x in (self.a, self.b))
        one, two = (np.broadcast_to(x, shape).ravel() for x in own)
        return one, two

    def _evaluate(self, t: Array, density: bool) -> Array:
        """Stacked lower tail, density and upper tail at points t, which broadcast against the batch."""
        shape = np.broadcast_shapes(t.shape, self.shape)
        points = np.clip(np.broadcast_to(t, shape).ravel(), -1e300, 1e300)
        (a, b), (rows_a, rows_b) = self._tables, self._rows(shape)
        out = np.empty((3, points.size))
        a_wide = a.spread[rows_a] > b.spread[rows_b]
        for some, outer, inner, sign in ((a_wide, b, a, 1.0), (~a_wide, a, b, -1.0)):
            at = np.flatnonzero(some)
            for part in np.array_split(at, at.size * 4 * _FIRST // _CHUNK + 1) if at.size else ():
                rows = (rows_b[part], rows_a[part]) if sign > 0 else (rows_a[part], rows_b[part])
                out[:, part] = _expect(outer, inner, *rows, sign * points[part], density)[:: int(sign)]
        return out.reshape(3, *shape)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        del t_low
        t = np.asarray(t, dtype=float)
        low, _, high = self._evaluate(t, False)
        low, high = (
            np.where(t <= self.lower, x, np.where(t >= self.upper, 1.0 - x, y)) for x, y in ((0.0, low), (1.0, high))
        )
        return np.where(high < low, 1.0 - high, low), np.where(high < low, high, 1.0 - low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        del t_low
        return np.asarray(self._evaluate(np.asarray(t, dtype=float), True)[1])

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        del t_low
        low, pdf, high = self._evaluate(np.asarray(t, dtype=float), density)
        return np.where(upper, high, low), pdf

    def start(self, p: Array, q: Array) -> Array:
        """From points close to the quantiles: deviations from the medians added as those of normal laws."""
        shape = np.broadcast_shapes(p.shape, self.shape)
        (a, b), (rows_a, rows_b) = self._tables, self._rows(self.shape)
        p, q = (np.broadcast_to(x, shape).reshape(-1, rows_a.size) for x in (p, q))
        half = np.full((1, 1), 0.5)
        middle_a, middle_b = a.near(rows_a, half, half), b.near(rows_b, half, half)
        by_a, by_b = a.near(rows_a, p, q) - middle_a, b.near(rows_b, q, p) - middle_b
        near = np.asarray(middle_a - middle_b + np.copysign(np.hypot(by_a, by_b), by_a)).reshape(shape)
        return Scale(self.lower, self.upper).place(near)


def _expect(outer: Tabulated, inner: Tabulated, rows: Index, others: Index, d: Array, density: bool) -> Array:
    """Means under the outer law of the inner one's lower tail, density and upper tail at x + d."""
    out = np.zeros((3, d.size))

    def at(items: Index, end: Array, gap: Array) -> Array:
        lower, upper, pdf = inner.look(others[items, None], Point(end, d[items, None], gap), density)
        return np.stack([lower, np.broadcast_to(pdf, lower.shape), upper])

    for low, high, piece in zip(outer.ends[:-1], outer.ends[1:], outer.pieces, strict=True):
        cuts = [_cut(piece, rows, Point(e, -d)) for e in inner.ends if np.isfinite(e)]
        first, last = piece.first[rows], piece.last[rows]
        ends = np.sort(np.clip(np.stack([first, *cuts, last]), first, last), axis=0)
        for left, right in pairwise(ends):
            items = np.flatnonzero((right > left) & (piece.start[rows] > 0))
            if items.size:
                out[:, items] += _part(piece, rows, at, items, left[items], right[items])
        for end, mass in ((low, piece.atoms[0][rows]), (high, piece.atoms[1][rows])):
            items = np.flatnonzero(mass > _TINY)
            if items.size:
                there = np.full((items.size, 1), np.clip(end, -1e300, 1e300))
                out[:, items] += mass[items] * at(items, there, np.zeros(()))[:, :, 0]
    return out


def _cut(piece: Section, rows: Index, t: Point) -> Array:
    """The u of a point, or the end of the line beyond which it lies."""
    low, high = piece.place.scale.lower, piece.place.scale.upper
    with np.errstate(invalid="ignore", divide="ignore"):
        u = piece.place.line(rows, t)[0]
    return np.where(t.above(low) <= 0, -np.inf, np.where(t.above(high) >= 0, np.inf, u))


def _part(
    piece: Section, rows: Index, at: Callable[[Index, Array, Array], Array], items: Index, left: Array, right: Array
) -> Array:
    """The integral over u from left to right of the outer density times the values at its points."""
    middle, half = 0.5 * (left + right), 0.5 * (right - left)

    def terms(some: Index, v: Array) -> Array:
        inside = np.tanh(0.5 * np.pi * np.sinh(v))
        u = middle[some, None] + half[some, None] * inside
        row = rows[items[some], None]
        weight = piece.weight(row, u) * (np.cosh(v) * (1.0 - inside * inside))
        return np.asarray((at(items[some], *piece.place.from_end(row, u)) * weight).sum(axis=-1))

    todo, n = np.arange(items.size), _FIRST
    total = terms(todo, np.linspace(-_REACH, _REACH, n + 1)) / n
    for _ in range(_LEVELS):
        old = total[:, todo]
        finer = 0.5 * (old + terms(todo, _REACH * (2 * np.arange(n) + 1 - n) / n) / n)
        total[:, todo], n = finer, 2 * n
        todo = todo[(np.abs(finer - old) > _AGREE * np.abs(finer) + _TINY).any(axis=0)]
        if todo.size == 0:
            break
    return np.asarray(total * (np.pi * _REACH * half))
