"""Ranks of independent systems: one integral each, under which the number of better ones is Poisson-binomial.

Statement: P(exactly r of the others are above i) = ∫ f_i(t) Q_r(t) dt, Q the law of a sum of independent coins with
chances P(X_j > t); r = 0 is P(i is the largest), the product of all cdfs. P(i above j) comes with it.
Domain: laws with a density, and laws known by draws, whose quantiles are then the nodes.
Formula: laws with densities are tabulated once (tabulated.py); the integral runs over the line of i's table by the
double exponential rule, cut where another law ends and around narrower ones; coins are added one by one.
Error: nodes are doubled until two levels agree to 1e-10, ranks must add up over systems, and laws add the errors of
their own cdfs. Where laws are drawn,
that of their cdfs: of order statistics three standard errors of a share, whatever the number of systems (Hoeffding: the
parts of the variance that go with one system each are no more than all of it); of other laws those of the two least
sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from howsure.arrays import Array
from howsure.distributions.continuous import Continuous
from howsure.distributions.protocol import Law
from howsure.distributions.sampled import Sampled
from howsure.distributions.tabulated import Point, Section, Tabulated, tabulate

_REACH = 3.2  # of the double exponential rule
_FIRST, _LEVELS = 32, 8
_AGREE = 1e-10
_CLOSED = 1e-8  # ranks that do not add up to this are left to draws
_TIED = 1e-10
_NARROW = 0.3  # of the outer spread: a law to cut around
_AROUND = np.array([1e-12, 1e-3, 0.5])
_NODES = 4_000  # quantiles of laws by draws
_ROUNDS = 50  # of adding up over ranks and over systems in turn
_SAME = 1e-3  # draws that repeat each other are ties, which draws of all systems share better


@dataclass(frozen=True)
class Ranked:
    """P(exactly r others are above i), one row a system, P(i above j), and how far these may be off."""

    above: Array
    pairs: Array
    error: float


def ranked(laws: Sequence[Law]) -> Ranked | None:
    """Of independent laws; None where these cannot tell: ties at the ends of their range, or among draws."""
    smooth = [x for x in laws if isinstance(x, Continuous) and x.n is None]
    return _by_integrals(smooth) if len(smooth) == len(laws) else _by_quantiles(laws)


def _counted(chances: Sequence[Array]) -> Array:
    """The law of the number of heads of independent coins, (heads, ...)."""
    out = np.zeros((len(chances) + 1, *np.shape(chances[0])))
    out[0] = 1.0
    for k, p in enumerate(chances):
        out[1 : k + 2] = out[1 : k + 2] * (1.0 - p) + out[: k + 1] * p
        out[0] *= 1.0 - p
    return out


def _collected(rows: list[tuple[Array, Array]], error: float) -> Ranked:
    """Rows of ranks, and of the chances to be above the others."""
    many = len(rows)
    pairs = np.full((many, many), 0.5)
    for i, (_, beats) in enumerate(rows):
        pairs[i, np.arange(many) != i] = beats
    return Ranked(np.stack([r for r, _ in rows]), pairs, error)


# -- laws with densities


def _by_integrals(laws: Sequence[Continuous]) -> Ranked | None:
    tables = [tabulate(x) for x in laws]
    atoms = sorted(max(float(p.atoms.max(initial=0.0)) for p in x.pieces) for x in tables)
    if atoms[-1] * atoms[-2] > _TIED or max(float(np.abs(x.miss).max()) for x in tables) > _CLOSED:
        return None
    rows = []
    for i, table in enumerate(tables):
        found = _integral(table, [x for j, x in enumerate(tables) if j != i])
        rows.append((found[: len(laws)], found[len(laws) :]))
    made = _collected(rows, 0.0)
    off = max(float(np.abs(made.above.sum(axis=k) - 1.0).max()) for k in (0, 1))
    off = max(off, float(np.abs(made.pairs + made.pairs.T - 1.0).max()))
    own = sum(float(x.own_error()[1].max()) for x in laws)
    return None if off > _CLOSED else Ranked(made.above, made.pairs, off + _AGREE + own)


def _integral(outer: Tabulated, others: list[Tabulated]) -> Array:
    """Means under the outer law: how many others are above it, and whether it is above each."""
    total = np.zeros(2 * len(others) + 1)
    for low, high, piece in zip(outer.ends[:-1], outer.ends[1:], outer.pieces, strict=True):
        if piece.start[0] > 0:
            first, last = piece.first[0], piece.last[0]
            cuts = [u for other in others for u in _cuts(piece, outer, other)]
            for left, right in pairwise(np.unique(np.clip([first, *cuts, last], first, last))):
                total += _stretch(piece, others, left, right)
        for end, mass in ((low, piece.atoms[0][0]), (high, piece.atoms[1][0])):
            if mass > 0:
                total += mass * _values(others, np.full((1, 1), np.clip(end, -1e300, 1e300)), np.zeros((1, 1)))[:, 0]
    return total


def _cuts(piece: Section, outer: Tabulated, other: Tabulated) -> list[float]:
    """Places on the line of the outer law where the other one ends, or rises steeply."""
    points = [x for x in other.ends if np.isfinite(x)]
    if other.spread[0] < _NARROW * outer.spread[0]:
        zero = np.zeros(1, dtype=np.intp)
        p = np.concatenate([_AROUND, 1.0 - _AROUND])[:, None]
        points += other.near(zero, p, 1.0 - p)[:, 0].tolist()
    scale, row = piece.place.scale, np.zeros(1, dtype=np.intp)
    inside = [x for x in points if scale.lower < x < scale.upper]
    return [float(piece.place.line(row, Point(np.array([x]), 0.0))[0][0]) for x in inside]


def _stretch(piece: Section, others: list[Tabulated], left: float, right: float) -> Array:
    """The integral over u from left to right."""
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    row = np.zeros((1, 1), dtype=np.intp)

    def terms(v: Array) -> Array:
        inside = np.tanh(0.5 * np.pi * np.sinh(v))
        u = (middle + half * inside)[None]
        weight = piece.weight(row, u)[0] * (np.cosh(v) * (1.0 - inside * inside))
        return np.asarray(_values(others, *piece.place.from_end(row, u)) @ weight)

    n = _FIRST
    total = terms(np.linspace(-_REACH, _REACH, n + 1)) / n
    for _ in range(_LEVELS):
        finer = 0.5 * (total + terms(_REACH * (2 * np.arange(n) + 1 - n) / n) / n)
        apart = np.abs(finer - total).max() * np.pi * _REACH * half
        total, n = finer, 2 * n
        if apart < _AGREE**0.6:  # the next level would be off by about the square
            break
    return np.asarray(total * (np.pi * _REACH * half))


def _values(others: list[Tabulated], end: Array, gap: Array) -> Array:
    """At points: the law of the number of others above, and the chances that each is below."""
    row = np.zeros((1, 1), dtype=np.intp)
    looked = [other.look(row, Point(end, 0.0, gap), False) for other in others]
    return np.concatenate([_counted([upper[0] for _, upper, _ in looked]), [lower[0] for lower, _, _ in looked]])


# -- laws by draws


def _by_quantiles(laws: Sequence[Law]) -> Ranked | None:
    drawn = [x for x in laws if isinstance(x, Sampled)]
    if any((np.diff(x.draws) == 0).mean() > _SAME for x in drawn):
        return None
    p = (np.arange(_NODES) + 0.5) / _NODES
    rows = []
    for i, law in enumerate(laws):
        t = law.quantile(p, 1.0 - p)[0]
        tails = [x.tails(t) for j, x in enumerate(laws) if j != i]
        counted = _counted([above for _, above in tails])
        rows.append((counted.mean(axis=-1), np.array([below.mean() for below, _ in tails])))
    made = _collected(rows, _error_of(laws))
    pairs = 0.5 * (made.pairs + 1.0 - made.pairs.T)
    return Ranked(_adding_up(made.above), pairs, made.error)


def _error_of(laws: Sequence[Law]) -> float:
    """Of probabilities of ranks, by those of the laws."""
    drawn = max((float(x.error[1]) for x in laws if isinstance(x, Sampled)), default=0.0)
    others = sorted(float(x.error[1]) for x in laws if not isinstance(x, Sampled))
    return min(1.0, float(np.linalg.norm([drawn, *others[-2:]])))


def _adding_up(ranks: Array) -> Array:
    """Ranks of every system, and systems of every rank, add up to 1."""
    for _ in range(_ROUNDS):
        ranks = ranks / ranks.sum(axis=0)
        total = ranks.sum(axis=1, keepdims=True)
        ranks = ranks / total
        if np.abs(total - 1.0).max() < 1e-12:
            break
    return ranks
