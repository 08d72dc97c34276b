"""Mixtures of Betas for rates that shrink toward each other (partial pooling)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta
from howsure.distributions.continuous import Stepped
from howsure.distributions.protocol import Pick

# -- shared rates
#
# The law of what slices share: how much they lend each other and the rate around which they lie, on a grid of nodes.
#
# Statement: the rate of slice i, with h_i hits and m_i misses, has the prior Beta(w + λμ, w' + λ(1-μ)): the weights w
# and w' that it has alone, and λ items more of the shared rate μ. Given λ and μ its counts are beta-binomial. μ is
# uniform; λ/(λ+w+w') is uniform, λ up to N, all items together: 0 lends nothing, N makes slices differ by less than
# their mean is known. Source: Kleinman (1973) for beta-binomial slices; this prior is ours (docs/why/038).
# Domain: counts 0 to 1e9, up to millions of slices; weights 1e-3 to 1e3.
# Formula: in the logit of μ, whose law given λ is close to a Beta's, the trapezoid rule; in log(λ+w+w'), where it is
# smooth up to both ends, Gauss-Legendre nodes on the window that holds all but 1e-11. Sums over slices take the
# distinct counts only. Nodes of no weight are left out.
# Error: 1e-5 of any probability, against finer grids and a plain rule without cuts (tests/laws/test_shared_rates.py).


_STEP: Final = 0.65  # of a standard deviation of logit μ
_SKEWED: Final = 10.0  # a shape of its law below which steps are shorter,
_SHORTER: Final = 0.75  # by this
_REACH: Final = 32.0  # e-foldings below the peak to which its nodes go, by the Beta law that is close to its own
_SIDES: Final = 72  # most nodes to either side of its middle
_NODES: Final = 14  # Gauss-Legendre nodes of a piece of log(λ+w+w')
_PIECE: Final = 3.0  # the longest piece; there are two at least
_RATE_SCAN: Final = 17  # points by which the window is found
_RATE_DROP: Final = 26.0  # e-foldings below the peak at which the window ends
_NEWTON: Final = 5  # steps to the middle of logit μ, in each round
_LEAST: Final = 1e-9  # of a weight that is kept
_LARGE: Final = 1e4  # shapes above which differences of log Γ lose digits
_RATE_CHUNK: Final = 1_000_000  # numbers at a time


class SharedNodes(NamedTuple):
    """Weighted λ and μ as shapes w + λμ and w' + λ(1-μ), and from where to where each stands for log(λ + w + w')."""

    weight: Array  # adds to 1
    lent: Array
    a: Array
    b: Array
    cell: tuple[Array, Array]

    def mean(self) -> Array:
        """The mean of the rates of slices, at each node."""
        return np.asarray(self.a / (self.a + self.b))

    def pull(self, items: Array) -> Array:
        """The share of the way to the shared rate that slices of so many items are moved, on average over the nodes."""
        n = np.asarray(items, dtype=float)[..., None]
        return np.asarray(self.lent / (n + self.a + self.b) @ self.weight)

    def spread_quantiles(self, p: Array) -> Array:
        """Quantiles of the standard deviation of the rates, each node dealt out over the λ that it stands for."""
        middle = self.mean()
        scale = 0.5 * np.log(middle * (1.0 - middle))
        high, low = (scale - 0.5 * np.log1p(np.exp(edge)) for edge in self.cell)
        at = np.linspace(low.min(), high.max(), 400)
        share = np.clip((at[:, None] - low) / np.maximum(high - low, 1e-300), 0.0, 1.0)
        return np.exp(np.interp(p, share @ self.weight, at))


@dataclass(frozen=True, eq=False)
class _Counted:
    """Distinct counts of hits, misses and items, each with the number of slices that have it; and the own weights."""

    hits: tuple[Array, Array]
    misses: tuple[Array, Array]
    items: tuple[Array, Array]
    own: tuple[float, float]

    @property
    def total(self) -> float:
        """All items."""
        return float(self.items[0] @ self.items[1])

    def shapes(self, v: Array, lent: Array) -> tuple[Array, Array]:
        """w + λμ and w' + λ(1-μ) at logits of μ."""
        return self.own[0] + lent * special.expit(v), self.own[1] + lent * special.expit(-v)

    def log_posterior(self, v: Array, q: Array, column: Index) -> Array:
        """Up to a constant, with respect to logit μ and q = log(λ+w+w'), at flat nodes; q by the column of each."""
        size = np.exp(q)
        a, b = self.shapes(v, (size - sum(self.own))[column])
        seen = _summed(*self.hits, a) + _summed(*self.misses, b) - _summed(*self.items, size)[column]
        return np.asarray(seen + special.log_expit(v) + special.log_expit(-v) - q[column])

    def slope(self, v: Array, lent: Array) -> tuple[Array, Array]:
        """The derivative of that in logit μ, and how it bends there, roughly but never the wrong way."""
        mean, rest = special.expit(v), special.expit(-v)
        total, bend = np.zeros(v.shape), np.zeros(v.shape)
        for (count, many), a, sign in zip((self.hits, self.misses), self.shapes(v, lent), (1.0, -1.0), strict=True):
            total += sign * (many @ special.psi(count[:, None] + a) - many.sum() * special.psi(a))
            bend += many.sum() * _trigamma(a) - many @ _trigamma(count[:, None] + a)
        each = lent * mean * rest
        return total * each + rest - mean, bend * each**2 + (rest - mean) ** 2 + 2.0 * mean * rest


def shared_nodes(hits: Array, misses: Array, own: tuple[float, float], finer: int = 1) -> SharedNodes:
    """The law of λ and μ after these counts, one of each slice; `finer` divides the steps, for checks."""
    seen = _counted(np.asarray(hits, dtype=float).ravel(), np.asarray(misses, dtype=float).ravel(), own)
    at, middle, bend = _rate_window(seen)
    q, width = _sizes(float(at[0]), float(at[-1]), _NODES * finer)
    middle, bend = np.interp(q, at, middle), np.exp(np.interp(q, at, np.log(bend)))
    v, column, step = _means(middle, bend, _STEP / finer)
    log_weight = np.log(width[column] * step) + seen.log_posterior(v, q, column)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    kept = weight > _LEAST
    weight, v, column = weight[kept], v[kept], column[kept]
    lent, ends = np.exp(q[column]) - sum(own), at[0] + np.cumsum(width)
    cell = (ends - width)[column], ends[column]
    return SharedNodes(weight / weight.sum(), lent, *seen.shapes(v, lent), cell)


def _summed(counts: Array, many: Array, shapes: Array) -> Array:
    """Σ many·(log Γ(a+count) - log Γ(a)) at each shape a."""
    out = np.empty(shapes.shape)
    width = max(1, _RATE_CHUNK // max(1, counts.size))
    for i in range(0, shapes.size, width):
        a = shapes[i : i + width]
        large, some = a > _LARGE, np.empty(a.shape)
        some[~large] = many @ special.gammaln(counts[:, None] + a[~large]) - many.sum() * special.gammaln(a[~large])
        some[large] = many @ log_rising(a[large], counts[:, None])
        out[i : i + width] = some
    return out


def log_rising(a: Array, h: Array) -> Array:
    """log Γ(a+h) - log Γ(a) by Stirling's formula, of shapes a above 1e4: off by a few h·eps."""
    z = a + h
    return np.asarray(h * (np.log(a) - 1.0) + (z - 0.5) * np.log1p(h / a) - h / (12.0 * a * z))


def _trigamma(x: Array) -> Array:
    """Within a tenth, from 0.4 on; more than that below."""
    return np.asarray((1.0 + (0.5 + 1.0 / (6.0 * x)) / x) / x)


def _counted(hits: Array, misses: Array, own: tuple[float, float]) -> _Counted:
    found = (np.unique(x[x > 0], return_counts=True) for x in (hits, misses, hits + misses))
    h, m, n = ((x, many.astype(float)) for x, many in found)
    return _Counted(h, m, n, own)


def _rate_window(seen: _Counted) -> tuple[Array, Array, Array]:
    """Values of q from end to end of where all but nothing of its law lies, with middle and bend of logit μ at each."""
    low, high = np.log(sum(seen.own)), np.log(sum(seen.own) + max(seen.total, 2.0))
    at = np.linspace(low, high, _RATE_SCAN)
    middle, bend, height = _profile(seen, at, np.zeros(_RATE_SCAN))
    for _ in range(12):
        alive = np.flatnonzero(height > height.max() - _RATE_DROP)
        left, right = at[max(alive[0] - 1, 0)], at[min(alive[-1] + 1, _RATE_SCAN - 1)]
        if right - left > 0.85 * (at[-1] - at[0]):
            break
        before, at = at, np.linspace(left, right, _RATE_SCAN)
        middle, bend, height = _profile(seen, at, np.interp(at, before, middle))
    return at, middle, bend


def _profile(seen: _Counted, q: Array, start: Array) -> tuple[Array, Array, Array]:
    """Middle and bend of logit μ at each q, by Newton's steps, and the log density of q, roughly."""
    lent, v = np.exp(q) - sum(seen.own), start
    for _ in range(_NEWTON):
        slope, bend = seen.slope(v, lent)
        v = v + np.clip(slope / bend, -2.0, 2.0)
    _, bend = seen.slope(v, lent)
    return v, bend, seen.log_posterior(v, q, np.arange(q.size)) - 0.5 * np.log(bend)


def _sizes(low: float, high: float, nodes: int) -> tuple[Array, Array]:
    """Nodes of q on the window, piece by piece, and their widths."""
    x, w = _legendre(nodes)
    pieces = max(2, int(np.ceil((high - low) / _PIECE)))
    starts, half = np.linspace(low, high, pieces + 1)[:-1], 0.5 * (high - low) / pieces
    return (starts[:, None] + half * (1.0 + x)).ravel(), np.tile(half * w, pieces)


def _means(middle: Array, bend: Array, step: float) -> tuple[Array, Index, Array]:
    """Nodes of logit μ for each q, flat, with the columns they stand in and their steps.

    Where the log density is highest at v and bends by Q, the Beta law of a logit with shapes Q·(1+e^v) and Q·(1+e^-v)
    does so too; nodes go as far as that has weight.
    """
    v0, q = middle[:, None], bend[:, None]
    log_rise, log_fall = np.logaddexp(0.0, v0), np.logaddexp(0.0, -v0)
    rise, fall = q * np.exp(np.minimum(log_rise, 60.0)), q * np.exp(np.minimum(log_fall, 60.0))
    each = step * np.where(np.minimum(rise, fall) < _SKEWED, _SHORTER, 1.0) / np.sqrt(q)
    sides = int(_SIDES * _STEP / step)
    v = v0 + each * np.arange(-sides, sides + 1)
    drop = rise * (np.logaddexp(0.0, -v) - log_fall) + fall * (np.logaddexp(0.0, v) - log_rise)
    column, place = np.nonzero(drop < _REACH)
    return v[column, place], column, each[column, 0]


@lru_cache(maxsize=4)
def _legendre(n: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(n)
    return x, w


# -- beta mixture
#
# The law of a rate in each of many slices that share a mean and a concentration: a mixture of Betas.
#
# Statement: given the nodes of what slices share (shared_rates.py), the rate of a slice with h hits and m misses is
# Beta(h + a, m + b) with the weight of the node (a, b), and so a mixture over all nodes.
# Domain: counts 0 to 1e9, shapes from 1e-3 on; thousands of slices, of which those with equal counts are computed once.
# Formula: moments are sums over the nodes. The density of the logit z is a Chebyshev series in t with
# z = centre + width·sinh(t), on the window that holds all but 1e-13; its integral gives both tails, and quantiles by
# Newton's steps. Tails below 1e-5 are sums of incomplete betas.
# Error: 1e-11 of a tail against the sums (tests/laws/test_shared_rates.py), on top of what the nodes are off.


_ORDER: Final = 72  # of the series
_LAST: Final = 6  # terms that tell how far it is off
_SCAN: Final = 41  # points by which the window is found
_SOME: Final = 40  # nodes by which it is found
_FAR: Final = 40.0  # standard deviations of the widest Beta that are looked at
_DROP: Final = 31.0  # e-foldings below the peak at which the window ends
_DEEP: Final = 1e-5  # tails below are summed
_EDGE: Final = 1e-100
_NEAR_PEAK: Final = 1e-6  # of the peak: densities below are summed
_BODY: Final = 1e-6  # tails beyond which no mode is looked for
_CLOSE: Final = 1e-14  # of a tail that is met
_CHUNK: Final = 2_000_000  # numbers at a time
_STEPS: Final = 30
_OFF: Final = 1e-5  # what nodes leave of any probability, and of values in standard deviations


@dataclass(frozen=True, eq=False)
class BetaMixture(Stepped):
    """The rate of every slice; hits and misses are arrays of the batch."""

    hits: Array
    misses: Array
    nodes: SharedNodes

    @property
    def shape(self) -> tuple[int, ...]:
        return self.hits.shape

    @property
    def lower(self) -> float:
        return 0.0

    @property
    def upper(self) -> float:
        return 1.0

    @property
    def unimodal(self) -> bool:
        return False

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> BetaMixture:
        hits, misses = (np.broadcast_to(x, shape)[pick] for x in (self.hits, self.misses))
        return BetaMixture(hits, misses, self.nodes)

    # -- sums over the nodes

    @cached_property
    def _few(self) -> tuple[Array, Array, Index]:
        """The distinct counts, and the place of each slice among them."""
        pairs, place = np.unique(self.hits.ravel() + 1j * self.misses.ravel(), return_inverse=True)
        return pairs.real.copy(), pairs.imag.copy(), place.reshape(self.shape)

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Mean and standard deviation of the distinct slices."""
        hits, misses, _ = self._few
        mean, std = np.empty(hits.size), np.empty(hits.size)
        for at in _chunks(hits.size, self.nodes):
            a, b = hits[at, None] + self.nodes.a, misses[at, None] + self.nodes.b
            s = a + b
            middle = a / s
            mean[at] = middle @ self.nodes.weight
            within = middle * (b / s) / (s + 1.0)
            std[at] = np.sqrt((within + (middle - mean[at, None]) ** 2) @ self.nodes.weight)
        return mean, std

    def mean(self) -> Array:
        return self._moments[0][self._few[2]]

    def std(self) -> Array:
        return self._moments[1][self._few[2]]

    def _summed(self, row: Index, x: Array, y: Array, what: str) -> Array:
        """A tail or the density of the logit at the points (x, y) of distinct slices, flat, by the nodes."""
        hits, misses, _ = self._few
        out = np.empty(x.shape)
        for at in _chunks(x.size, self.nodes):
            a, b = hits[row[at], None] + self.nodes.a, misses[row[at], None] + self.nodes.b
            u, v = np.broadcast_to(x[at, None], a.shape), np.broadcast_to(y[at, None], a.shape)
            if what == "density":
                with np.errstate(under="ignore"):
                    parts = np.exp(beta.log_density(a, b, u, v))
            else:
                parts = beta.tails(a, b, u, v)[what == "upper"]
            out[at] = parts @ self.nodes.weight
        return out

    # -- the series

    @cached_property
    def _series(self) -> LogitSeries:
        hits, misses, _ = self._few
        return logit_series(hits, misses, self.nodes)

    def _places(self, t: Array) -> tuple[Index, Array]:
        """The distinct slice of each point, and the points, flat."""
        t = np.asarray(t, dtype=float)
        shape = np.broadcast_shapes(t.shape, self.shape)
        return np.broadcast_to(self._few[2], shape).ravel(), np.broadcast_to(t, shape).ravel()

    def _both(self, t: Array, t_low: Array | float) -> tuple[Array, Array]:
        """Points and their complements, within the range."""
        t = np.asarray(t, dtype=float)
        with np.errstate(invalid="ignore"):
            y = np.where(np.isfinite(t), (1.0 - t) - t_low, 1.0 - t)
        return np.clip(t, 0.0, 1.0), np.clip(y, 0.0, 1.0)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        x, y = self._both(t, t_low)
        shape = np.broadcast_shapes(x.shape, self.shape)
        (row, u), (_, v) = self._places(x), self._places(y)
        with np.errstate(divide="ignore"):
            lower = self._series.lower_tail(row, np.log(u) - np.log(v))
        upper = 1.0 - lower
        for tail, other, side in ((lower, upper, "lower"), (upper, lower, "upper")):
            deep = tail < _DEEP
            if deep.any():
                tail[deep] = self._summed(row[deep], u[deep], v[deep], side)
                other[deep] = 1.0 - tail[deep]
        return lower.reshape(shape), upper.reshape(shape)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        x, y = (np.maximum(k, _EDGE) for k in self._both(t, t_low))  # at an end: the density next to it
        shape = np.broadcast_shapes(x.shape, self.shape)
        (row, u), (_, v) = self._places(x), self._places(y)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self._series.density(row, np.log(u) - np.log(v))
            small = ~(value > _NEAR_PEAK)
            if small.any():
                value[small] = self._summed(row[small], u[small], v[small], "density")
            value = value / (u * v)
        outside = np.broadcast_to((np.asarray(t) < 0) | (np.asarray(t) > 1), shape)
        return np.where(outside, 0.0, value.reshape(shape))

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        """For the search of deep quantiles."""
        both = self.tails(t, t_low)
        return np.where(upper, both[1], both[0]), self.pdf(t, t_low) if density else np.zeros(())

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
        if np.minimum(p, q).min(initial=1.0) < _DEEP:
            return super().quantile(p, q)
        if p.ndim <= len(self.shape) or p.shape[p.ndim - len(self.shape) :].count(1) < len(self.shape):
            row, low = self._places(p)
            z = self._series.quantile(row, low).reshape(np.broadcast_shapes(p.shape, self.shape))
        else:  # the same points of all slices: of each distinct one
            every = np.arange(self._few[0].size)
            points = p.reshape(-1)
            found = self._series.quantile(np.tile(every, points.size), np.repeat(points, every.size))
            z = found.reshape(*p.shape[: p.ndim - len(self.shape)], every.size)[..., self._few[2]]
        below, above = special.expit(z), special.expit(-z)
        return np.where(z <= 0, below, 1.0 - above), below, above

    def mode(self) -> Array:
        return self._series.mode()[self._few[2]]

    @cached_property
    def error(self) -> tuple[Array, Array]:
        left = self._series.left[self._few[2]]
        return (_OFF + left) * self.std(), np.minimum(_OFF + left, 1.0)


@dataclass(frozen=True, eq=False)
class LogitSeries:
    """Chebyshev series of the density of logits and of its integral, by row: z = centre + width·sinh(t)."""

    centre: Array
    width: Array
    first: Array  # t at both ends of the window
    last: Array
    terms: Array  # (order + 1, rows), of the density with respect to t
    tail: Array  # of its integral from the first end on
    left: Array  # what the series leave of a tail, by their last terms

    def _unit(self, row: Index, z: Array) -> tuple[Array, Array]:
        """Where points lie in the window, from -1 to 1, and t."""
        t = np.arcsinh((z - self.centre[row]) / self.width[row])
        half = 0.5 * (self.last - self.first)[row]
        return np.clip((t - self.first[row]) / half - 1.0, -1.0, 1.0), t

    def lower_tail(self, row: Index, z: Array) -> Array:
        """P(logit <= z)."""
        return np.clip(_clenshaw(self.tail, row, self._unit(row, z)[0]), 0.0, 1.0)

    def density(self, row: Index, z: Array) -> Array:
        """The density of the logit; 0 beyond the window."""
        x, t = self._unit(row, z)
        inside = (t > self.first[row]) & (t < self.last[row])
        scale = self.width[row] * np.cosh(np.where(inside, t, 0.0))
        return np.where(inside, _clenshaw(self.terms, row, x) / scale, 0.0)

    @cached_property
    def _nodes(self) -> tuple[Array, Array, Array]:
        """Chebyshev points, falling, and (points, rows): logits there and lower tails."""
        x = np.cos(np.pi * np.arange(_ORDER + 1) / _ORDER)
        t = self.first + 0.5 * (self.last - self.first) * (1.0 + x[:, None])
        angle = np.pi * np.outer(np.arange(_ORDER + 1), np.arange(len(self.tail))) / _ORDER
        return x, self.centre + self.width * np.sinh(t), np.cos(angle) @ self.tail

    def quantile(self, row: Index, p: Array) -> Array:
        """The logit with that lower tail, by Newton's steps within a bracket."""
        nodes, _, below = self._nodes
        k = np.clip((below[:, row] > p).sum(axis=0), 1, _ORDER)
        low, high = nodes[k], nodes[k - 1]
        f, g = below[k, row], below[k - 1, row]
        half = 0.5 * (self.last - self.first)[row]
        x = low + (high - low) * np.clip((p - f) / np.maximum(g - f, 1e-300), 0.0, 1.0)
        for _ in range(_STEPS):
            miss = _clenshaw(self.tail, row, x) - p
            low, high = np.where(miss <= 0, x, low), np.where(miss >= 0, x, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = x - miss / (_clenshaw(self.terms, row, x) * half)
            new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
            moved = np.where(np.abs(miss) > _CLOSE, np.abs(new - x), 0.0)
            x = np.where(np.abs(miss) > _CLOSE, new, x)
            if (moved < 1e-12).all():
                break
        return np.asarray(self.centre[row] + self.width[row] * np.sinh(self.first[row] + half * (1.0 + x)))

    def mode(self) -> Array:
        """The highest point of the density of the rate; an end of the range where it rises to one."""
        every = np.arange(self.centre.size)
        _, z, below = self._nodes
        body = (below > _BODY) & (below < 1.0 - _BODY)
        height = np.where(body, self._height(np.broadcast_to(every, z.shape), z), -np.inf)
        best = np.argmax(height, axis=0)
        highest, lowest = np.argmax(body, axis=0), _ORDER - np.argmax(body[::-1], axis=0)
        at = z[best, every]
        gap = np.minimum(z[np.maximum(best - 1, 0), every] - at, at - z[np.minimum(best + 1, _ORDER), every])
        for _ in range(6):  # parabolas through the log density, narrower by steps
            points = np.stack([at - gap, at, at + gap])
            a, b, c = self._height(np.broadcast_to(every, points.shape), points)
            with np.errstate(divide="ignore", invalid="ignore"):
                shift = 0.5 * gap * (a - c) / (a - 2.0 * b + c)
            at = at + np.where(np.isfinite(shift), np.clip(shift, -gap, gap), 0.0)
            gap = 0.25 * gap
        return np.where(best == highest, 1.0, np.where(best == lowest, 0.0, special.expit(at)))

    def _height(self, row: Index, z: Array) -> Array:
        """The log density of the rate at a logit."""
        density = self.density(row.ravel(), z.ravel()).reshape(z.shape)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(density, 0.0)) - special.log_expit(z) - special.log_expit(-z))


def logit_series(hits: Array, misses: Array, nodes: SharedNodes) -> LogitSeries:
    """The series of every row of counts."""
    centre, width, reach = _peaks(hits, misses, nodes)
    first, last = _window(hits, misses, nodes, centre, width, reach)
    x = np.cos(np.pi * np.arange(_ORDER + 1) / _ORDER)
    at = first[:, None] + 0.5 * (last - first)[:, None] * (1.0 + x)
    terms = _transform() @ _density(hits, misses, nodes, centre, width, at).T
    tail = np.polynomial.chebyshev.chebint(terms, lbnd=-1) * (0.5 * (last - first))
    total = tail.sum(axis=0)  # 1 but for what the window leaves out
    left = _LAST * (last - first) * np.abs(terms[-_LAST:]).max(axis=0)
    return LogitSeries(centre, width, first, last, terms / total, tail / total, left)


def _peaks(hits: Array, misses: Array, nodes: SharedNodes) -> tuple[Array, Array, Array]:
    """Where logits are densest, how wide they are there, and how far out t has to go for the widest of the Betas."""
    out = np.empty((3, hits.size))
    for at in _chunks(hits.size, nodes):
        a, b = hits[at, None] + nodes.a, misses[at, None] + nodes.b
        narrow = 1.0 / np.sqrt(1.0 / a + 1.0 / b)
        dense = narrow * nodes.weight
        total = dense.sum(axis=1)
        out[:, at] = ((np.log(a) - np.log(b)) * dense).sum(axis=1) / total, 1.0 / total, 1.0 / narrow.min(axis=1)
    centre, width, widest = out
    return centre, width, np.arcsinh(_FAR * np.maximum(widest, widest**2) / width)


def _window(
    hits: Array, misses: Array, nodes: SharedNodes, centre: Array, width: Array, reach: Array
) -> tuple[Array, Array]:
    """The values of t between which the density is within e-31 of its peak, by some of the nodes."""
    order = np.argsort(nodes.lent, kind="stable")[:: max(1, nodes.lent.size // _SOME)]
    weight, lent, a, b = (x[order] for x in nodes[:4])
    some = SharedNodes(weight, lent, a, b, nodes.cell)
    t = reach[:, None] * np.linspace(-1.0, 1.0, _SCAN)
    with np.errstate(divide="ignore"):
        height = np.log(_density(hits, misses, some, centre, width, t))
    alive = height > height.max(axis=1, keepdims=True) - _DROP
    left = np.maximum(np.argmax(alive, axis=1) - 1, 0)
    right = np.minimum(_SCAN - np.argmax(alive[:, ::-1], axis=1), _SCAN - 1)
    every = np.arange(hits.size)
    return t[every, left], t[every, right]


def _density(hits: Array, misses: Array, nodes: SharedNodes, centre: Array, width: Array, at: Array) -> Array:
    """The density with respect to t at points (rows, points), from that at the centre of the row.

    With z = centre + d, log x^a·y^b rises by a·d - (a+b)·log(1 + x·(e^d - 1)), x the share at the centre.
    """
    d = width[:, None] * np.sinh(at)
    x, y = special.expit(centre), special.expit(-centre)
    log_rise = _log_rise(d, x[:, None], y[:, None])
    out = np.empty(at.shape)
    with np.errstate(under="ignore", over="ignore"):
        for i in _chunks(hits.size, nodes, at.shape[1]):
            a, b = hits[i, None] + nodes.a, misses[i, None] + nodes.b
            u, v = (np.broadcast_to(k[i, None], a.shape) for k in (x, y))
            base = beta.log_density(a, b, u, v) + np.log(nodes.weight)
            power = a[:, None] * d[i, :, None]
            power -= (a + b)[:, None] * log_rise[i, :, None]
            power += base[:, None]
            out[i] = np.exp(power, out=power).sum(axis=-1)
    return out * width[:, None] * np.cosh(at)


def _log_rise(d: Array, x: Array, y: Array) -> Array:
    """log(1 + x·(e^d - 1)), x + y = 1, also where e^d overflows."""
    near = np.log1p(x * np.expm1(np.minimum(d, 0.5)))
    return np.where(d > 0.5, d + np.log(x + y * np.exp(-np.maximum(d, 0.0))), near)


def _chunks(rows: int, nodes: SharedNodes, points: int = 1) -> Iterator[slice]:
    """Rows, so many at a time that arrays over points and nodes stay small."""
    width = max(1, _CHUNK // (nodes.weight.size * points))
    for i in range(0, rows, width):
        yield slice(i, i + width)


@lru_cache(maxsize=1)
def _transform() -> Array:
    """From values at the Chebyshev points to coefficients."""
    k = np.arange(_ORDER + 1)
    matrix = np.cos(np.pi * np.outer(k, k) / _ORDER) * (2.0 / _ORDER)
    matrix[:, [0, _ORDER]] *= 0.5
    matrix[[0, _ORDER]] *= 0.5
    return np.asarray(matrix)


def _clenshaw(terms: Array, row: Index, x: Array) -> Array:
    """The series of some rows at their points, flat."""
    one, two = np.zeros(x.shape), np.zeros(x.shape)
    twice = 2.0 * x
    for c in terms[:0:-1]:
        one, two = c[row] + twice * one - two, one
    return np.asarray(terms[0][row] + x * one - two)
