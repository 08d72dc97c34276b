"""Two systems on the same items: the law of the difference of their linear quotients of joint cells.

Statement: D = M_a - M_b, each a quotient of linear forms in the joint patterns (truth, a, b), which carry Gammas. Two
groups of patterns speak for a (it alone finds a positive item, b alone raises a false alarm) and two for b. The share v
of the former in both is a Beta, independent of all other splits, and D rises in v: P(D <= t) is the mean over the other
splits of v's cdf at the root of a quadratic. At t = 0 there always is a root, so this is the mean of a smooth function.
Where one truth row alone makes the difference, v is the share within that row.
Domain: shapes of 0.02 and more; measures with finite ends that rise in v whatever the other cells are.
Formula: the splits of the groups are independent Betas, one after the other: a product of Gauss rules (gauss_beta.py),
in the chart whose v carries most of the variance. v's cdf is looked up by quintic Hermite polynomials of its logit.
Error: rules grow until the error of P(D > 0) that their steps tell is small. Of small shapes the series is slow and one
small step may be chance: there are three rules at least, and the error is the largest of the last step sixfold, the one
before threefold and the one before that. With 5 and more in every group two rules that agree to 1e-6 will do, and 1e-6
is stated. Of few items D has no root for some splits, and tails at other t are less sure: `ends_error` is theirs, and
an end of an interval is off by that over the density there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from howsure.arrays import Array, Mask
from howsure.distributions import beta
from howsure.distributions.continuous import Stepped, error_of_search
from howsure.distributions.protocol import Pick
from howsure.distributions.quadrature import gauss_beta

Key = tuple[float, float, float, float]  # top and bottom of the first system, top and bottom of the second

_RULES = ((5, 4), (7, 5), (10, 7), (14, 9), (18, 11))  # nodes of two splits, and of the others
_LEAN = ((5, 3), (7, 4), (9, 5), (11, 6), (14, 8))  # where there are three others and more
_AGREE = 1e-6  # of two rules, and what is stated of them
_PLENTY = 5.0  # in every group, for two rules to do
_ENDS_AGREE = 1e-4
_CLOSE = 3e-5  # enough, after three rules
_FAR = 5e-4  # too far off, after four rules, for a fifth to help
_TIMES = (6.0, 3.0, 1.0)  # of the last steps, from the last one back, in the error stated
_ROUND = 1e-10  # what rounding and the table of v's cdf leave
_STEP = 0.125  # of the table, in units of v's logit or of its spread
_INNER = 24  # nodes of v, for moments


@dataclass(frozen=True)
class JointCells:
    """Groups of joint patterns with equal coefficients: those whose share is v, those v leaves, and the rest."""

    first: tuple[Key, ...]
    second: tuple[Key, ...]
    rest: tuple[Key, ...]
    shapes: dict[Key, float]

    @property
    def share(self) -> tuple[float, float]:
        """The shapes of v."""
        return sum(self.shapes[k] for k in self.first), sum(self.shapes[k] for k in self.second)

    def splits(self) -> tuple[Array, Array]:
        """Shapes of the splits: within the two sides of v, then of all before from one more group."""
        both = sum(self.share)
        pairs = [(self.shapes[side[0]], self.shapes[side[1]]) for side in (self.first, self.second) if len(side) == 2]
        for k in self.rest:
            pairs.append((both, self.shapes[k]))
            both += self.shapes[k]
        p, q = np.array(pairs).T
        return p, q

    def turned(self) -> JointCells:
        """With the sides of v exchanged, for measures that fall in it."""
        return JointCells(self.second, self.first, self.rest, self.shapes)

    def carried(self, slopes: dict[Key, float]) -> float:
        """The standard deviation of D that v carries, from the slopes of D in the logs of the groups."""
        a, b = self.share
        one, two = (sum(slopes[k] for k in side) for side in (self.first, self.second))
        return float(abs(b * one - a * two) / (a + b) * np.sqrt(1.0 / a + 1.0 / b))


def chart(first: tuple[Key, Key], second: tuple[Key, Key], shapes: dict[Key, float]) -> JointCells:
    """The way to split these groups in which v carries most; keys of positive items first on each side."""
    top, bottom, top2, bottom2 = (sum(k[i] * s for k, s in shapes.items()) for i in range(4))
    slopes = {
        k: s * ((k[0] * bottom - top * k[1]) / bottom**2 - (k[2] * bottom2 - top2 * k[3]) / bottom2**2)
        for k, s in shapes.items()
    }
    others = tuple(sorted((k for k in shapes if k not in (*first, *second)), key=lambda k: -(k[0] + k[2])))
    rows = (JointCells((first[i],), (second[i],), (first[1 - i], second[1 - i], *others), shapes) for i in (0, 1))
    return max((JointCells(first, second, others, shapes), *rows), key=lambda way: way.carried(slopes))


@dataclass(frozen=True)
class Rule:
    """Quadratics in the odds of v at every node: `value` - t·`bottom`, each (3, nodes), from v = 0 to v = 1."""

    value: Array
    bottom: Array
    weight: Array
    rises: bool  # whether D rises in v at every node
    falls: bool

    def roots(self, t: float) -> tuple[Array, Array]:
        """Log odds of v at which D is t, and their derivative with respect to t."""
        none, some, all_ = self.value - t * self.bottom
        with np.errstate(all="ignore"):
            disc = np.sqrt(np.maximum(some * some - 4.0 * all_ * none, 0.0))
            r = np.where(some > 0, -2.0 * none / (some + disc), (disc - some) / (2.0 * all_))
            r = np.where(none >= 0, 0.0, np.where(all_ <= 0, np.inf, r))
            slope = (self.bottom[0] / r + self.bottom[1] + self.bottom[2] * r) / disc
            inside = (r > 0) & (r < np.inf)
            return np.log(r), np.where(inside & np.isfinite(slope), slope, 0.0)

    def at(self, odds: Array) -> Array:
        """D at odds of v, (odds, nodes)."""
        r = odds[:, None]
        top, bottom = (x[0] + r * (x[1] + r * x[2]) for x in (self.value, self.bottom))
        return np.asarray(top / bottom)


def rule(cells: JointCells, nodes: tuple[int, int]) -> Rule:
    """The product rule with so many nodes for the two splits that matter, and for the others."""
    p, q = cells.splits()
    sides = [*zip(*gauss_beta(p[:2], q[:2], nodes[0]), strict=True)]
    if p.size > 2:
        sides += zip(*gauss_beta(p[2:], q[2:], nodes[1]), strict=True)
    many = len(sides)
    x, y, w = (
        [s[i].reshape([-1 if e == d else 1 for e in range(many)]) for d, s in enumerate(sides)] for i in range(3)
    )
    weight = _product(w)
    base: list[Array] = [np.zeros(())] * 4
    left: Array = np.ones(())
    within = many - len(cells.rest)
    for d in range(many - 1, within - 1, -1):
        key = cells.rest[d - within]
        base = [b + c * (left * y[d]) if c else b for b, c in zip(base, key, strict=True)]
        left = left * x[d]
    ends = []
    for d, side in enumerate((cells.first, cells.second)):
        share = (x[d], y[d]) if len(side) == 2 else (np.ones(()),)
        forms = [base[i] + left * sum(k[i] * part for k, part in zip(side, share, strict=True)) for i in range(4)]
        ends.append([np.broadcast_to(f, weight.shape).ravel() for f in forms])
    return _quadratics(ends[1], ends[0], weight.ravel())


def _product(parts: list[Array]) -> Array:
    out = parts[0]
    for part in parts[1:]:
        out = out * part
    return out


def _quadratics(none: list[Array], full: list[Array], weight: Array) -> Rule:
    """From tops and bottoms of both systems at v = 0 and at v = 1."""
    (a0, b0, c0, e0), (a1, b1, c1, e1) = none, full
    value = np.stack([a0 * e0 - c0 * b0, a0 * e1 + a1 * e0 - c0 * b1 - c1 * b0, a1 * e1 - c1 * b1])
    bottom = np.stack([b0 * e0, b0 * e1 + b1 * e0, b1 * e1])
    one, two = a1 * b0 - a0 * b1, c1 * e0 - c0 * e1
    rises, falls = bool((one >= 0).all() and (two <= 0).all()), bool((one <= 0).all() and (two >= 0).all())
    return Rule(value, bottom, weight, rises, falls)


class Share:
    """Both tails of the logit of a Beta share, from a table."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b
        centre, spread = np.log(a / b), np.sqrt(1.0 / a + 1.0 / b)
        left, right = (8.0 * spread + 40.0 / x if x < 5.0 else 9.0 * spread for x in (a, b))
        self.first, last = centre - left, centre + right
        cells = int(np.ceil((last - self.first) / (_STEP * min(1.0, spread))))
        self.step = (last - self.first) / cells
        y = self.first + self.step * np.arange(cells + 1)
        v, w = special.expit(y), special.expit(-y)
        self.below, self.above = beta.tails(np.full_like(y, a), np.full_like(y, b), v, w)
        self.density = np.exp(self._log_density(y))
        self.bend = self.density * (a * w - b * v)

    def _log_density(self, y: Array) -> Array:
        logs = -self.a * np.logaddexp(0.0, -y) - self.b * np.logaddexp(0.0, y)
        return np.asarray(logs - special.betaln(self.a, self.b))

    def pdf(self, y: Array) -> Array:
        """The density with respect to the logit."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(y), np.exp(self._log_density(np.where(np.isfinite(y), y, 0.0))), 0.0)

    def tail(self, y: Array, upper: bool) -> Array:
        """P(logit > y) or P(logit <= y)."""
        s = np.clip((y - self.first) / self.step, 0.0, self.below.size - 1.0)
        at = np.minimum(s.astype(np.intp), self.below.size - 2)
        table, sign = (self.above, -self.step) if upper else (self.below, self.step)
        slope, bend = sign * self.density, sign * self.step * self.bend
        found = _quintic(s - at, *(x[k] for k in (at, at + 1) for x in (table, slope, bend)))
        return np.clip(found, 0.0, 1.0)


def _quintic(r: Array, f0: Array, d0: Array, c0: Array, f1: Array, d1: Array, c1: Array) -> Array:
    """The polynomial with given values, first and second derivatives at 0 and 1."""
    rise, tilt, turn = f1 - f0 - d0 - 0.5 * c0, d1 - d0 - c0, 0.5 * (c1 - c0)
    a, b, c = 10 * rise - 4 * tilt + turn, -15 * rise + 7 * tilt - 2 * turn, 6 * rise - 3 * tilt + turn
    return np.asarray(f0 + r * (d0 + r * (0.5 * c0 + r * (a + r * (b + r * c)))))


@dataclass(frozen=True, eq=False)
class PairedQuotients(Stepped):
    """The law of the difference for one joint table."""

    cells: JointCells
    rule: Rule
    share: Share
    bounds: tuple[float, float]
    known_mean: float
    turn: int  # the place of the rule among those that grow
    zero_error: float  # of P(D > 0)
    ends_error: float  # of a tail at the ends of the interval

    def for_ends(self) -> PairedQuotients:
        """With rules that grow until they agree on the tails at the ends of the interval."""
        sizes = rules(self.cells)
        ends = [float(np.clip(self.known_mean + s * 1.96 * self.std(), *self.bounds)) for s in (-1.0, 1.0)]
        law, steps = replace(self, rule=rule(self.cells, sizes[0])), []
        for turn in range(1, len(sizes)):
            finer = replace(self, rule=self.rule if turn == self.turn else rule(self.cells, sizes[turn]), turn=turn)
            steps.append(max(abs(finer.tail(t) - law.tail(t)) for t in ends))
            law = replace(finer, ends_error=_stated(steps))
            if turn >= self.turn and (_done(turn, law.ends_error, _ENDS_AGREE) or not law.rule.rises):
                break
        return law

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def lower(self) -> float:
        return self.bounds[0]

    @property
    def upper(self) -> float:
        return self.bounds[1]

    @property
    def unimodal(self) -> bool:
        return False

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Stepped:
        from howsure.distributions.stacked import Stacked

        size = int(np.broadcast_to(np.zeros(()), shape)[pick].size)
        return Stacked((self,) * size)

    def one_tail(self, t: Array, t_low: Array | float, upper: Mask, density: bool) -> tuple[Array, Array]:
        del t_low
        t, upper = np.broadcast_arrays(np.asarray(t, dtype=float), upper)
        found = [self._at(float(x), bool(u), density) for x, u in zip(t.ravel(), upper.ravel(), strict=True)]
        tail, pdf = np.array(found).reshape(-1, 2).T
        return tail.reshape(t.shape), pdf.reshape(t.shape)

    def tail(self, t: float, upper: bool = False) -> float:
        """P(D <= t), or P(D > t)."""
        return self._at(t, upper, False)[0]

    def signs(self) -> tuple[Array, Array]:
        """P(D > 0) and P(D < 0), each by its own sum."""
        return np.asarray(self.tail(0.0, True)), np.asarray(self.tail(0.0))

    def _at(self, t: float, upper: bool, density: bool) -> tuple[float, float]:
        if not self.lower < t < self.upper:
            return float((t <= self.lower) == upper), 0.0
        y, slope = self.rule.roots(t)
        tail = min(1.0, float(self.rule.weight @ self.share.tail(y, upper)))  # weights add to 1 but for rounding
        return tail, float(self.rule.weight @ (self.share.pdf(y) * slope)) if density else 0.0

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        return self.tails_around(self.known_mean, t, t_low)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        return self.one_tail(np.asarray(t, dtype=float), t_low, np.asarray(False), True)[1]

    def mean(self) -> Array:
        return np.asarray(self.known_mean)

    def std(self) -> Array:
        return np.asarray(self._std)

    @cached_property
    def _std(self) -> float:
        a, b = self.cells.share
        x, rest, weight = (s[0] for s in gauss_beta(np.array([a]), np.array([b]), _INNER))
        away = self.rule.at(x / rest) - self.known_mean
        return float(np.sqrt(weight @ (away * away) @ self.rule.weight))

    @cached_property
    def error(self) -> tuple[Array, Array]:
        chance = error_of_search(*self.body)[1]
        value = np.maximum.reduce([*self.end_errors(0.95, False), self._off_at(self.median())])
        return value, np.asarray(chance + self._miss)

    def mean_error(self) -> Array:
        return error_of_search(*self.body)[0]

    def end_errors(self, level: float, shortest: bool) -> tuple[Array, Array]:
        """The error of a tail over the density at either end."""
        low, high = (self.shortest if shortest else self.equal_tailed)(level)[:2]
        return self._off_at(low), self._off_at(high)

    @property
    def _miss(self) -> float:
        return max(self.zero_error, self.ends_error)

    def _off_at(self, end: Array) -> Array:
        with np.errstate(divide="ignore"):
            off = self.mean_error() + self._miss / self.pdf(end)
        return np.minimum(off, self.upper - self.lower)


def paired_quotients(cells: JointCells, bounds: tuple[float, float], mean: float) -> PairedQuotients | None:
    """The law, with rules that grow until they agree on P(D > 0); None where D does not rise, or fall, in v."""
    sizes = rules(cells)
    first = rule(cells, sizes[0])
    if first.falls:
        cells = cells.turned()
        first = rule(cells, sizes[0])
    if not first.rises:
        return None
    law = PairedQuotients(cells, first, Share(*cells.share), bounds, mean, 0, 1.0, 1.0)
    plenty, steps = min(cells.shapes.values()) >= _PLENTY, []
    for turn in range(1, len(sizes)):
        finer = replace(law, rule=rule(cells, sizes[turn]), turn=turn)
        if not finer.rule.rises:
            return None
        steps.append(abs(finer.tail(0.0) - law.tail(0.0)))
        if plenty and turn == 1 and steps[0] < _AGREE:
            return replace(finer, zero_error=_AGREE)
        law = replace(finer, zero_error=_stated(steps))
        if _done(turn, law.zero_error, _CLOSE):
            break
    return law


def _done(turn: int, error: float, enough: float) -> bool:
    return error < enough or (turn >= 3 and error > _FAR)


def _stated(steps: list[float]) -> float:
    """The error of a rule, from the steps up to it: a slow series has more to come, and one step tells nothing."""
    if len(steps) < 2:
        return 1.0
    return max(times * step for times, step in zip(_TIMES, reversed(steps), strict=False)) + _ROUND


def rules(cells: JointCells) -> tuple[tuple[int, int], ...]:
    """Numbers of nodes, from few to many."""
    return _RULES if len(cells.splits()[0]) < 5 else _LEAN
