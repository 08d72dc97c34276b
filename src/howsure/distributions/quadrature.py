"""Rules of integration: tanh-sinh, trapezoid and Gauss-Jacobi for Beta weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from howsure.arrays import Array, Index, Mask
from howsure.distributions import beta

# -- quadrature
#
# Expectations over a Beta variable restricted to an interval, by the trapezoid rule after a sinh map.
#
# Statement: ∫ f(v)·g(v) dv over (lo, hi) within [0, 1], f the density of Beta(a, b), g between 0 and its bound
# and smooth inside; end-point singularities of any algebraic order are allowed.
# Formula: v = lo + (hi - lo)·σ(y), y = centre + scale·sinh(u). In u the integrand is analytic in a strip and dies
# double-exponentially, so the trapezoid rule converges geometrically (Takahasi & Mori 1974). A coarse scan finds
# where the integrand lives, relative to its own peak, so that a tail of 1e-15 keeps its digits.
# Error: nodes are doubled until two levels agree to 1e-11 of the value; for a geometric rule the error of the
# finer level is then about the square of that.


_DROP = 60.0  # the scan covers densities down to exp(-60) of the peak
_KEEP = 1e-19  # parts below this share of the peak are left out
_SCAN = 96
_FIRST = 48
_LEVELS = 6
_MORE = 3  # for shapes of 0.001, whose integrands live on a line 1e4 long and bend within 1
_BY_HALF = (0.4, 0.6)  # by this again and again: cut off at an end, which more nodes do not mend
_AGREE = 1e-11
_LARGE = 1e6
_CHUNK = 4_000_000  # node evaluations at a time
_FIXED = 72  # nodes that are tried first for a single law
_SQUARED = 1e-8  # two step sizes that differ by this: the error of the finer is about its square
_EDGE = 1e-15
_SMOOTH = 20.0  # powers with which an integrand leaves its value beyond an end: less is a kink
_POINTS = 64
_LEAST = 1.0


@dataclass(frozen=True)
class Nodes:
    """Points of the outer variable: v and 1-v, and the gaps to the ends of the interval."""

    v: Array
    w: Array
    above_lo: Array
    below_hi: Array
    logs: tuple[Array, Array, Array, Array]  # of the four, which may underflow


Integrand = Callable[[Index, Nodes], Array]


@dataclass(frozen=True)
class Window:
    """The outer law Beta(a, b) and the interval (lo, hi), given as lo, 1-hi and hi-lo; flat arrays.

    `powers` are the lowest powers of the distance to an inner end with which the integrand may vanish there.
    """

    a: Array
    b: Array
    lo: Array
    hi_rest: Array
    width: Array
    powers: tuple[Array, Array] | None = None

    @cached_property
    def _peak(self) -> Array:
        return beta.log_peak(self.a, self.b)

    @cached_property
    def centre_and_scale(self) -> tuple[Array, Array]:
        """Where the outer law lives on the logit scale of the interval, and how wide it is there."""
        s = self.a + self.b
        mean, rest = self.a / s, self.b / s
        sd = np.sqrt(mean * rest / (s + 1.0))
        whole = self.width >= 1.0
        room = np.minimum(sd, 0.5 * self.width)
        left = np.maximum(mean - self.lo, room)
        left = np.minimum(left, self.width - room)
        right = np.maximum(np.minimum(rest - self.hi_rest, self.width - room), room)
        centre = np.log(np.where(whole, self.a, left)) - np.log(np.where(whole, self.b, right))
        with np.errstate(divide="ignore", under="ignore"):
            scale = np.minimum(1.0, sd / (left * right / self.width))
        kappa = self.a * self.b / s
        return centre, np.where(whole, 1.0 / np.sqrt(1.0 + kappa), scale)

    def nodes(self, index: Index, y: Array) -> tuple[Nodes, Array]:
        """Points at logit y (rows follow index) and the outer density with respect to y."""
        a, b = self.a[index, None], self.b[index, None]
        lo, hi_rest, width = self.lo[index, None], self.hi_rest[index, None], self.width[index, None]
        up, down = special.expit(y), special.expit(-y)
        above, below = width * up, width * down
        v, w = lo + above, hi_rest + below
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log_up, log_down, log_width = -np.logaddexp(0.0, -y), -np.logaddexp(0.0, y), np.log(width)
            log_v = np.where(lo > 0, np.log(v), log_width + log_up)
            log_w = np.where(hi_rest > 0, np.log(w), log_width + log_down)
            log_f = beta.log_density(a, b, v, w, self._peak[index, None], (log_v, log_w))
            density = np.exp(log_f + (log_width + log_up + log_down) - (log_v + log_w))
            logs = (log_v, log_w, log_width + log_up, log_width + log_down)
        return Nodes(v, w, above, below, logs), density


def expect(window: Window, g: Integrand, columns: int = 1) -> Array:
    """Integrals of f·g; g returns `columns` stacked integrands, the first decides when they agree."""
    return _expectation(window, g, columns, whole=False)[0]


def expect_all(window: Window, g: Integrand, columns: int = 1) -> tuple[Array, Mask]:
    """The same where the first integrand is right outside the window, too; and whether that part is included."""
    return _expectation(window, g, columns, whole=True)


def _expectation(window: Window, g: Integrand, columns: int, whole: bool) -> tuple[Array, Mask]:
    size = window.a.size
    value, quick, included = np.zeros((columns, size)), np.full(size, False), False
    if _one_law(window.a, window.b):
        included = whole and window.powers is not None and min(float(x.min()) for x in window.powers) >= _SMOOTH
        value, quick = _by_fixed_nodes(window, g, columns, included)
    todo = np.flatnonzero(~quick)
    step = max(1, _CHUNK // (_SCAN * 4))
    for start in range(0, todo.size, step):
        index = todo[start : start + step]
        value[:, index] = _expect(window, g, index, columns)
    return value, quick & included


def _one_law(a: Array, b: Array) -> bool:
    """Whether one law of ordinary shapes is asked for at some points."""
    if not 0 < a.size <= _POINTS:
        return False
    first, second = float(a[0]), float(b[0])
    return _LEAST <= min(first, second) <= max(first, second) <= _LARGE and bool(
        (a == first).all() and (b == second).all()
    )


@lru_cache(maxsize=64)
def _fixed_nodes(a: float, b: float) -> tuple[Array, Array, Array]:
    """Nodes for all points of a law, with the weights of every second of them and of all."""
    v, w, weights, _ = (x[0] for x in beta_nodes(np.array([a]), np.array([b]), _FIXED))
    coarse = np.where(np.arange(v.size) % 2, 0.0, weights)
    return v, w, np.stack([coarse / coarse.sum(), weights], axis=1)


def _by_fixed_nodes(window: Window, g: Integrand, columns: int, whole: bool) -> tuple[Array, Mask]:
    """Integrals by nodes that are not looked for at each point, and where two step sizes agree.

    That is away from far tails, and where no end of the window cuts off much of the law.
    """
    v, w, weights = _fixed_nodes(float(window.a[0]), float(window.b[0]))
    above, below = v - window.lo[:, None], w - window.hi_rest[:, None]
    inside = (above > 0) & (below > 0)
    v, w = np.broadcast_to(v, above.shape), np.broadcast_to(w, above.shape)
    with np.errstate(all="ignore"):
        logs = (np.log(v), np.log(w), np.log(above), np.log(below))
        inner = g(np.arange(window.a.size), Nodes(v, w, np.maximum(above, 0.0), np.maximum(below, 0.0), logs))
        inner = inner.reshape(columns, *above.shape)
        border = inside[:, 1:-1] & ~(inside[:, :-2] & inside[:, 2:])
        first = int(whole)
        inner[first:] = np.where(inside, inner[first:], 0.0)
        both = inner @ weights
        coarse, fine = both[..., 0], both[..., 1]
        lost = inner * weights[:, 1]  # beyond the last nodes, and beyond the ends of the window
        ends = np.maximum(lost[..., 0], lost[..., -1])
        ends[first:] = np.maximum(ends[first:], (lost[first:, :, 1:-1] * border).max(axis=-1))
        good = (np.abs(coarse - fine) < _SQUARED * fine) & (ends < _EDGE * fine)
    return fine, np.all(good, axis=0)


def _expect(window: Window, g: Integrand, index: Index, columns: int) -> Array:
    centre, scale = window.centre_and_scale
    centre, scale = centre[index, None], scale[index, None]

    def at(rows: Index, u: Array) -> Array:
        c, s = centre[rows], scale[rows]
        points, density = window.nodes(index[rows], c + s * np.sinh(u))
        inner = g(index[rows], points).reshape(columns, *u.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = density * (s * np.cosh(u))
            terms = np.concatenate([inner * weight, weight[None]])
        return np.where(terms < 1e300, terms, 0.0)

    everything = np.arange(index.size)
    left, right = _spans(window, index, centre[:, 0], scale[:, 0])
    first, last = _locate(at, everything, left, right)
    total = np.zeros((columns + 1, index.size))
    todo = everything
    a, b = window.a[index], window.b[index]
    agree = _AGREE + 4 * np.finfo(float).eps * np.sqrt(a / (a + b) * b)  # no finer than the nodes are rounded
    n = _FIRST
    fraction = np.linspace(0.0, 1.0, n + 1)[None, :]
    u = first[:, None] + (last - first)[:, None] * fraction
    values = at(todo, u)
    total[:] = values.sum(axis=-1) / n
    before, halved = np.full(index.size, np.inf), np.zeros(index.size, dtype=int)
    for level in range(_LEVELS + _MORE):
        middle = (np.arange(n)[None, :] + 0.5) / n
        apart = np.empty(todo.size)
        for part in chunks(todo.size, n):
            rows = todo[part]
            u = first[rows, None] + (last - first)[rows, None] * middle
            finer = 0.5 * (total[:, rows] + at(rows, u).sum(axis=-1) / n)
            apart[part] = np.abs(finer[0] - total[0, rows])
            total[:, rows] = finer
        n *= 2
        by_half = (apart > _BY_HALF[0] * before[todo]) & (apart < _BY_HALF[1] * before[todo])
        before[todo], halved[todo] = apart, np.where(by_half, halved[todo] + 1, 0)
        todo = todo[(apart > agree[todo] * np.abs(total[0, todo])) & ((level < _LEVELS - 1) | (halved[todo] < 2))]
        if todo.size == 0:
            break
    return np.asarray(total[:-1] * ((last - first) * _blur(window, index, total[-1] * (last - first))))


def _blur(window: Window, index: Index, mass: Array) -> Array:
    """Where the nodes hold all of the interval's mass but for rounding, the factor that makes it exact.

    At shapes of 1e12 a node's density is good to 1e-10 only; the sum of densities is off by the same as the integral.
    """
    a, b = window.a[index], window.b[index]
    kappa = a / (a + b) * b
    large = kappa > _LARGE
    if not large.any():
        return np.ones_like(mass)
    below = beta.lower_tail(a, b, window.lo[index], 1.0 - window.lo[index])
    above = beta.lower_tail(b, a, window.hi_rest[index], 1.0 - window.hi_rest[index])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        factor = (1.0 - below - above) / mass  # of next to no mass: left as it is
    rounding = 8 * np.finfo(float).eps * np.sqrt(kappa)
    return np.where(large & (np.abs(factor - 1.0) < rounding), factor, 1.0)


def _spans(window: Window, index: Index, centre: Array, scale: Array) -> tuple[Array, Array]:
    """How far the scan must reach to each side, in u."""
    a, b, width = window.a[index], window.b[index], window.width[index]
    kappa = a * b / (a + b)
    c = _DROP / kappa
    reach = c + np.sqrt(2 * c)  # the density drops by kappa·(exp(-|z|)-1+|z|) at least
    sides = []
    for k, end in enumerate((window.lo[index], window.hi_rest[index])):
        power = 1.0 if window.powers is None else np.minimum(1.0, window.powers[k][index])
        with np.errstate(divide="ignore"):
            inner = np.abs(centre) + np.maximum(-np.log(end / width), 0.0) + _DROP / power + 40.0
        cut = np.where(width < 1, _DROP + np.abs(centre) + 40.0, 0.0)
        sides.append(np.where(end > 0, inner, np.maximum(reach, cut)))
    left, right = sides
    return np.arcsinh(left / scale), np.arcsinh(right / scale)


def _locate(
    at: Callable[[Index, Array], Array], rows: Index, left: Array, right: Array, keep: float = _KEEP
) -> tuple[Array, Array]:
    """The part of the u axis where some integrand exceeds a share `keep` of its peak."""
    fraction = np.linspace(0.0, 1.0, _SCAN)[None, :]
    u = -left[:, None] + (left + right)[:, None] * fraction
    coarse = at(rows, u)
    coarse = coarse[:-1] if len(coarse) > 1 else coarse
    peak = coarse.max(axis=-1, keepdims=True)
    lives = ((coarse > keep * peak) & (peak > 0)).any(axis=0)
    start = np.maximum(lives.argmax(axis=-1) - 1, 0)
    stop = np.minimum(_SCAN - lives[:, ::-1].argmax(axis=-1), _SCAN - 1)
    nothing = ~lives.any(axis=-1)
    start, stop = np.where(nothing, 0, start), np.where(nothing, _SCAN - 1, stop)
    return u[rows, start], u[rows, stop]


def chunks(size: int, nodes: int) -> list[slice]:
    """Slices of a flat batch that keep node arrays within a few tens of megabytes."""
    step = max(1, _CHUNK // (4 * nodes))
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def beta_nodes(
    a: Array, b: Array, n: int, tilt: tuple[float, float] = (0.0, 0.0), keep: float = _KEEP
) -> tuple[Array, Array, Array, Array]:
    """Nodes (x, y), weights and logits for means under Beta(a, b) of functions that grow like x^-tilt0 and y^-tilt1.

    Flat a and b give arrays of shape (size, n + 1); weights sum to 1 (apart from what a tilt moves).
    """
    zero = np.zeros_like(a)
    window = Window(a - tilt[0], b - tilt[1], zero, zero, np.ones_like(a))
    centre, scale = window.centre_and_scale
    rows = np.arange(a.size)

    def at(index: Index, u: Array) -> Array:
        y = centre[index, None] + scale[index, None] * np.sinh(u)
        return np.asarray((window.nodes(index, y)[1] * np.cosh(u))[None])

    first, last = _locate(at, rows, *_spans(window, rows, centre, scale), keep)
    u = first[:, None] + (last - first)[:, None] * np.linspace(0.0, 1.0, n + 1)[None, :]
    y = centre[:, None] + scale[:, None] * np.sinh(u)
    true = Window(a, b, zero, zero, np.ones_like(a))
    points, density = true.nodes(rows, y)
    weight = density * np.cosh(u)
    return points.v, points.w, weight / weight.sum(axis=-1, keepdims=True), y


# -- gauss beta
#
# Gauss rules whose weight is the density of a Beta law, for many laws at once.
#
# Statement: E f(B) for B ~ Beta(p, q) is exact for polynomials f of degree 2m - 1 on m nodes, whatever the shapes do to
# the ends of the range. Formula: eigenvalues and first components of the Jacobi matrix (Golub & Welsch 1969) of the
# polynomials on [0, 1], from the side of the smaller shape, so that nodes next to 0 keep their digits.
# Error: rounding of the eigenvalues, about 1e-16 of the largest node.


def gauss_beta(p: Array, q: Array, m: int) -> tuple[Array, Array, Array]:
    """Nodes x and 1 - x and their weights, each of shape (laws, m), for flat arrays of shapes."""
    flip = p > q
    low, high = np.minimum(p, q)[:, None], np.maximum(p, q)[:, None]
    s, k = low + high, np.arange(1.0, m)
    t = 2.0 * k + s - 2.0
    middle = np.empty((p.size, m))
    middle[:, :1] = low / s
    middle[:, 1:] = (2.0 * k * (k + s - 1.0) + (s - 2.0) * low) / (t * (t + 2.0))
    beside = np.empty((p.size, m - 1))
    beside[:, :1] = low / s * (high / s) / (s + 1.0)
    k, t = k[1:], t[:, 1:]
    beside[:, 1:] = k * (k + high - 1.0) / t * ((k + low - 1.0) * (k + s - 2.0) / t) / ((t - 1.0) * (t + 1.0))
    matrix = np.zeros((p.size, m, m))
    at = np.arange(m)
    matrix[:, at, at] = middle
    matrix[:, at[1:], at[:-1]] = np.sqrt(beside)
    nodes, vectors = np.linalg.eigh(matrix)
    x = np.clip(nodes, 1e-300, 1.0 - 1e-16)
    rest = 1.0 - x
    return np.where(flip[:, None], rest, x), np.where(flip[:, None], x, rest), vectors[:, 0, :] ** 2
