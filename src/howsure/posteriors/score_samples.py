"""Draws of scored items: the Bayesian bootstrap (Rubin 1981), with a little prior weight above and below all scores.

The prior puts its weight a cell on each of four patterns, positive or negative, scored above all or below all. So at
every threshold the 2x2 table has exactly the posterior that it has alone, with that weight in each cell: a measure at a
threshold is closed, and a curve, its area and its break-even point come from draws of the same model. For systems on
the same items a joint pattern carries w·w/(2w) …, so that each system's own posterior is the same whether or not it is
compared. Weight 0 is the plain Bayesian bootstrap. With clusters whole clusters are drawn, and each unit of prior
weight is a cluster of the usual size.

Half an item at the worst place there is swamps the AUC and the average precision of a nearly perfect order. For these
areas most of the prior's weight lies with the highest and the lowest item of its class (docs/why/046).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array, Index
from howsure.catalogue.retrieval import Ranking
from howsure.distributions import ranked, sparse_walks
from howsure.distributions.classical_tests import delong
from howsure.distributions.ranked import Cuts
from howsure.distributions.sampling import atoms, coin_shares, stream
from howsure.distributions.weights import ALIKE, mean_shares
from howsure.evidence.scored import Scored
from howsure.posteriors.sampling import MOST_DRAWS
from howsure.posteriors.state import State
from howsure.posteriors.weighing import of_patterns, scales_of_rows

CHUNK: Final = 1 << 18  # weights drawn at a time, by each thread
BUDGET: Final = 40_000_000  # weights drawn for one answer, at the usual tolerance
USUAL: Final = 0.02
MOST_TIMES: Final = 8.0  # the budget, at a smaller tolerance
MORE: Final = 3  # times as many, where the tolerance asks for them
MOST_ITEMS: Final = 2_000_000  # for DeLong's interval
LEAST: Final = 1_000  # draws, however many items
FEW_SYSTEMS: Final = 6  # up to here the prior's joint patterns are listed
LEFT: Final = 1e-6  # of the prior's mass, for its last atom
STREAM: Final = 30_011
FEW_ITEMS: Final = 8  # for each point of a curve: up to here the weight of every item is drawn
TIMES: Final = 4  # draws at which a best threshold of another is tried
ANOTHER: Final = 1_000_003
MOST_SCALES: Final = 20_000  # different weights, up to which expected shares are integrated
BEYOND: Final = 0.2  # of the prior's weight, what the areas of a good order leave beyond all scores
NEAR_CHANCE: Final = 4.0  # times the smaller of AUC and 1 - AUC, where that is more


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """tp and fp at points of the curve (points, draws), and the totals of each draw."""

    tp: Array
    fp: Array
    positives: Array
    negatives: Array


@dataclass(frozen=True, eq=False)
class ScoreDraws:
    """What is drawn of scored items under a prior, for every system at once."""

    items: Scored
    weight: float
    wanted: int  # draws that the tolerance asks for
    seed: int
    budget: int = BUDGET  # weights drawn for one answer

    # -- the items as they are

    @cached_property
    def point_cuts(self) -> tuple[Cuts, ...]:
        """The cuts of each system, with the items' own weights."""
        amounts, truth = self.items.amounts[None], self.items.truth
        yes, no = amounts[:, truth], amounts[:, ~truth]
        return tuple(Cuts.weigh(order, yes, no, relevant=self._relevant) for order in self.items.orders)

    def mean_cuts(self, system: int = 0) -> Cuts:
        """The cuts of one system at the mean weights, with the prior of areas."""
        shapes, scales = self._gammas
        yes, no = self._prior_sizes
        return self._cuts_at(system, shapes if scales is None else shapes * scales, self.weight * yes, self.weight * no)

    def _cuts_at(self, system: int, mass: Array, yes: float, no: float) -> Cuts:
        """The cuts of one system where the items weigh so much, and the prior of each class so much on either side."""
        d, prior = self.units, np.array([[yes, yes, no, no]])
        near = self.near_share[system] * prior
        order, mass = d.orders[system], mass[None]
        return Cuts.weigh(order, mass[:, d.truth], mass[:, ~d.truth], prior, near=near).for_areas

    def expected_cuts(self, system: int = 0) -> Cuts | None:
        """The cuts of one system at the expected shares of the weights within each class; None of too many weights."""
        shapes, scales = self._gammas
        if scales is None or np.unique(scales).size > MOST_SCALES:
            return None if scales is not None else self.mean_cuts(system)
        shares, prior = np.empty(shapes.shape), []
        for rows, size in zip((self.units.truth, ~self.units.truth), self._prior_sizes, strict=True):
            found = mean_shares(np.append(shapes[rows], 2.0 * self.weight), np.append(scales[rows], size))
            shares[rows] = found[:-1]
            prior.append(0.5 * float(found[-1]))
        return self._cuts_at(system, shares, *prior)

    @property
    def of_one_scale(self) -> bool:
        """Whether the items of each class weigh alike, so that the shares within a class are Dirichlet."""
        truth, scales = self.units.truth, self._gammas[1]
        return scales is None or all(np.ptp(scales[y]) <= ALIKE * scales[y].max() for y in (truth, ~truth))

    def delong(self) -> tuple[Array, Array] | None:
        """The AUC of each system and their covariance by DeLong's method, as a check; None where it does not apply."""
        d = self.items
        few = min(d.positives, d.negatives) < 2
        if d.weighted or d.clusters is not None or few or d.n > MOST_ITEMS or d.bins:
            return None
        if d.counts is None:
            return delong(d.truth, d.scores)
        times = d.counts.astype(np.int64)
        return delong(np.repeat(d.truth, times), np.repeat(d.scores, times, axis=0))

    # -- draws

    @property
    def number(self) -> int:
        """Draws that keep equal-tailed ends within the tolerance, as far as the budget goes."""
        return min(self.wanted, max(LEAST, self.budget // (self.units.rows * len(self.items.systems))))

    @property
    def few(self) -> int:
        """Draws to begin with where a control tells how many are needed: those of the usual tolerance."""
        return min(self.number, max(LEAST, BUDGET // self.units.rows))

    @property
    def most(self) -> int:
        """Draws at most, where the shape of a law asks for more than the usual number."""
        return max(self.number, min(MOST_DRAWS, MORE * self.budget // self.units.rows))

    @cached_property
    def units(self) -> Scored:
        """What is resampled, in an order of its own."""
        return self.items.tidy

    @cached_property
    def key(self) -> int:
        """What tells these items from others: how each system orders them, not by which numbers."""
        orders = [(x.found, x.alarms, x.positives, x.negatives) for x in self.units.orders]
        return stream(0, orders, self.units.effective)

    @cached_property
    def _relevant(self) -> float:
        return self.effective_sizes[0]

    @cached_property
    def effective_sizes(self) -> tuple[float, float]:
        """The effective numbers of positive and of negative items (Kish 1965), without weights their numbers."""
        d = self.items
        square = d.amounts if d.squares is None else d.squares
        yes, no = (float(d.amounts[y].sum() ** 2 / square[y].sum()) for y in (d.truth, ~d.truth))
        return yes, no

    @cached_property
    def _gammas(self) -> tuple[Array, Array | None]:
        """Shapes of the rows, and what their units weigh where that differs."""
        return of_patterns(self.units.amounts, self.units.squares)

    def of(self, metrics: Sequence[Ranking], n: int, seed: int) -> list[Array]:
        """n draws of each measure for every system, (n, systems), all from the same weights of the items."""
        found = self.as_many(dict.fromkeys(metrics, n), seed)
        return [found[m] for m in metrics]

    def as_many(self, wanted: Mapping[Ranking, int], seed: int) -> dict[Ranking, Array]:
        """So many draws of each measure: the first of those that the most wanted has.

        The best of all thresholds is taken at the threshold that is best in another draw: where a threshold is best and
        how good it is there must not come from the same weights, or every draw flatters itself.
        """
        best = {m: n for m, n in wanted.items() if m.best_cut is not None}
        cuts = self._best_cuts(tuple(best), -(-max(best.values()) // TIMES), seed + ANOTHER) if best else {}

        def value(m: Ranking, c: Cuts, system: int, draws: Index) -> Array:
            if draws[0] >= wanted[m]:
                return np.full(draws.size, np.nan)
            if m not in cuts or m.at_cut is None:
                return m.evaluate(c.for_areas if m.area else c)
            own = cuts[m][system]
            return m.at_cut(c, own[np.minimum(draws // TIMES, own.size - 1)])

        def values(c: Cuts, system: int, draws: Index) -> Array:
            return np.stack([value(m, c, system, draws) for m in wanted])

        found = self._numbered(values, max(wanted.values()), seed).transpose(1, 2, 0)
        return {m: x[:n] for x, (m, n) in zip(found, wanted.items(), strict=True)}

    def of_each(self, functions: Sequence[Callable[[Cuts], Array]], n: int, seed: int) -> AnyArray:
        """A function for each system, at the same n draws of the weights: (systems, …, n)."""
        return self._numbered(lambda c, system, _draws: functions[system](c), n, seed)

    def _best_cuts(self, metrics: Sequence[Ranking], n: int, seed: int) -> dict[Ranking, Index]:
        """The cuts at which measures are best in n draws, (systems, n) for each."""

        def cuts(c: Cuts) -> Index:
            return np.stack([m.best_cut(c) for m in metrics if m.best_cut is not None])

        found = self.through(cuts, n, seed)
        return {m: found[:, i] for i, m in enumerate(metrics)}

    def through(self, function: Callable[[Cuts], Any], n: int, seed: int) -> AnyArray:
        """function(cuts) of every system at n draws of the weights, its last axis the draws: (systems, …, n)."""
        return self._numbered(lambda c, _system, _draws: function(c), n, seed)

    def _numbered(self, function: Callable[[Cuts, int, Index], Any], n: int, seed: int) -> AnyArray:
        """function(cuts, system, numbers of the draws), likewise.

        Chunks of draws have streams of their own, so the numbers do not depend on the number of threads; the first
        draws of a longer run are those of a shorter one.
        """
        size = max(1, min(4096, CHUNK // self.units.rows))
        seed = stream(seed, self.key)
        starts = range(0, n, size)

        def one(k: int) -> AnyArray:
            many = min(size, n - k * size)
            rng = [np.random.Generator(np.random.SFC64([seed, STREAM + i, k])) for i in (0, 1, 3)]
            cuts = self._cuts(self._mass(rng[0], many), self._prior(rng[1], size), rng[2])
            numbers = k * size + np.arange(many)
            with np.errstate(divide="ignore", invalid="ignore"):  # a class of next to no weight: the laws refuse it
                return np.stack([function(c, s, numbers) for s, c in enumerate(cuts)])

        if len(starts) == 1:
            return one(0)
        with ThreadPoolExecutor(_cores()) as pool:
            return np.concatenate(list(pool.map(one, range(len(starts)))), axis=-1)

    # -- draws at a few places

    @property
    def single_gammas(self) -> bool:
        """Whether each item has a Gamma of its own, and all are of one scale."""
        return self.items.clusters is None and self._gammas[1] is None

    @property
    def sparse(self) -> bool:
        """Whether weights can be drawn for groups of items: of one system, each item for itself, all of one scale."""
        return self.single_gammas and len(self.items.systems) == 1

    def at_cuts(self, cuts: Index, n: int, seed: int) -> CurvePoints:
        """tp and fp at given cuts, which must rise, at n draws."""
        found, alarms = self._shapes

        def one(rng: np.random.Generator, many: int, prior: Array) -> tuple[Array, ...]:
            tp, positives = sparse_walks.at_cuts(found, cuts, rng, many, prior[:, :2])
            fp, negatives = sparse_walks.at_cuts(alarms, cuts, rng, many, prior[:, 2:])
            return tp, fp, positives, negatives

        return self._points(one, n, seed, max(1, CHUNK // cuts.size))

    def at_rate(self, rate: str, levels: Array, n: int, seed: int) -> CurvePoints:
        """tp and fp where recall, or fallout, has given values, at n draws; every item's weight where that is less."""
        rates = {"recall": ranked.at_recall, "fallout": ranked.at_fallout}
        if not self.sparse or self.units.rows < FEW_ITEMS * levels.size:

            def every(c: Cuts) -> Array:
                return np.concatenate([*rates[rate](c, levels), c.positives[None], c.negatives[None]])

            tp, fp, totals = np.split(self.through(every, n, seed)[0], [levels.size, 2 * levels.size])
            return CurvePoints(tp, fp, *totals)
        turn = 1 if rate == "recall" else -1
        lead, other = self._shapes[::turn]
        width = max(2, int(np.sqrt(3.0 * lead.size / levels.size)))
        shapes = sparse_walks.Shapes(lead, other, width)
        order = np.argsort(levels)

        def one(rng: np.random.Generator, many: int, prior: Array) -> tuple[Array, ...]:
            slack = -turn * ranked.SLACK
            own, rest = (prior[:, :2], prior[:, 2:])[::turn]
            a, b, *totals = sparse_walks.at_levels(shapes, levels[order], slack, rng, many, own, rest)
            return (*(x[:, np.argsort(order)] for x in (a, b)[::turn]), *totals[::turn])

        return self._points(one, n, seed, max(1, CHUNK // (levels.size * width)))

    @cached_property
    def _shapes(self) -> tuple[Array, Array]:
        """Shapes of the weights at or above each cut, of positive items and of negative ones."""
        d = self.units
        (order,) = d.orders
        parts = (d.truth, order.positives, order.found), (~d.truth, order.negatives, order.alarms)
        found, alarms = (np.append(0.0, np.cumsum(self._gammas[0][mask][at]))[k] for mask, at, k in parts)
        return found, alarms

    @property
    def shapes_from_the_top(self) -> tuple[Array, Array]:
        """Shapes of the weights of an area: positive and negative items, each between the prior's beyond all scores."""
        d, (near,) = self.units, self.weight * self.near_share
        (order,) = d.orders
        parts = ((d.truth, order.positives), (~d.truth, order.negatives))
        beyond = [self.weight - near]
        yes, no = (np.concatenate([beyond, self._gammas[0][mask][at], beyond]) for mask, at in parts)
        for shapes in (yes, no):
            shapes[1] += near
            shapes[-2] += near
        return yes, no

    @property
    def shapes_of_items(self) -> tuple[Array, Array]:
        """Shapes of the weights of positive and of negative items, each in an order that all systems share."""
        return self._gammas[0][self.units.truth], self._gammas[0][~self.units.truth]

    def _points(self, one: Callable[..., tuple[Array, ...]], n: int, seed: int, size: int) -> CurvePoints:
        """Chunks of draws, each with a stream of its own."""
        seed = stream(seed, self.key)

        def chunk(k: int) -> tuple[Array, ...]:
            rng = np.random.Generator(np.random.SFC64([seed, STREAM + 2, k]))
            many = min(size, n - k * size)
            return one(rng, many, self._prior(rng, many)[:, 0])

        with ThreadPoolExecutor(_cores()) as pool:
            parts = list(pool.map(chunk, range(-(-n // size))))
        return CurvePoints(*(np.concatenate(x, axis=0).T for x in zip(*parts, strict=True)))

    def _cuts(self, mass: Array, prior: Array, rng: np.random.Generator) -> Iterator[Cuts]:
        """The weights at the cuts of each system, of rows of the items' weights and as many of the prior's, or more."""
        d, n = self.units, len(mass)
        near = self._near(rng, prior)
        yes = int(d.truth.sum())
        split = bool(d.truth[:yes].all())
        positive, negative = (mass[:, :yes], mass[:, yes:]) if split else (mass[:, d.truth], mass[:, ~d.truth])
        for s, order in enumerate(d.orders):
            own = None if near is None else near[:n, s]
            yield Cuts.weigh(order, positive, negative, prior[:n, s], self._relevant, own)

    def _near(self, rng: np.random.Generator, prior: Array) -> Array | None:
        """Of prior weights, what areas put with the outermost items: the parts of a Gamma are Gammas again."""
        if self.weight == 0:
            return None
        near = self.near_share[:, None]
        share = rng.beta(np.where(near > 0, near, 1.0) * self.weight, (1.0 - near) * self.weight, prior.shape)
        return np.asarray(prior * np.where(near > 0, share, 0.0))

    @cached_property
    def near_share(self) -> Array:
        """Of the prior's weight in each system, the share that areas put near the items on average."""
        area = np.array([float(ranked.auc(c)[0]) for c in self.point_cuts])
        beyond = np.maximum(BEYOND, NEAR_CHANCE * np.minimum(area, 1.0 - area))
        return np.where([order.separated for order in self.items.orders], 0.0, 1.0 - np.minimum(beyond, 1.0))

    def _mass(self, rng: np.random.Generator, n: int) -> Array:
        """Weights of the rows: Gammas of what they stand for, or whole clusters."""
        d = self.units
        if d.clusters is not None:
            groups = rng.standard_exponential((n, int(d.clusters.max()) + 1))
            return np.asarray(groups[:, d.clusters] * (d.amounts / d.amounts.mean()))
        shapes, scales = self._gammas
        one = d.counts is None or (scales is not None and bool((shapes == 1).all()))
        mass = rng.standard_exponential((n, d.rows)) if one else rng.standard_gamma(shapes, (n, d.rows))
        return mass if scales is None else np.multiply(mass, scales, out=mass)

    def _prior(self, rng: np.random.Generator, n: int) -> Array:
        """Prior weights (draws, systems, 4): positive above and below, negative above and below."""
        systems = len(self.items.systems)
        out = np.zeros((n, systems, 4))
        if self.weight == 0:
            return out
        for y, size in enumerate(self._prior_sizes):
            if systems <= FEW_SYSTEMS:
                sides = np.array(list(product((True, False), repeat=systems)))
                mass = size * rng.standard_gamma(2.0 * self.weight / len(sides), (n, len(sides)))
                out[:, :, 2 * y], out[:, :, 2 * y + 1] = mass @ sides, mass @ ~sides
                continue
            total = 2.0 * self.weight
            (parts,), rest = atoms(rng, np.array([total]), n, LEFT)
            mass = size * rng.standard_gamma(total, n)
            above = rng.random((*parts.T.shape, systems)) < 0.5
            share = np.einsum("kn,nks->ns", parts, above)
            if rest is not None:
                share += rest.T * coin_shares(rng, self.weight, self.weight, share.shape)
            out[:, :, 2 * y], out[:, :, 2 * y + 1] = mass[:, None] * share, mass[:, None] * (1.0 - share)
        return out

    @cached_property
    def _prior_sizes(self) -> tuple[float, float]:
        """Items of a unit of prior weight, positive and negative: 1 (of the weight of their class), or a cluster's."""
        d = self.units
        if d.clusters is None:
            shapes, scales = self._gammas
            if scales is None:
                return 1.0, 1.0
            no, yes = scales_of_rows(shapes, scales, d.truth.astype(np.int64), 2).tolist()
            return yes, no
        share = d.amounts / d.amounts.mean()
        rows = (d.truth, ~d.truth)
        pos, neg = (float(share[y].sum()) / len(np.unique(d.clusters[y])) for y in rows)
        return pos, neg


def score_draws(state: State) -> ScoreDraws:
    """The draws of a posterior of scored items, made once."""
    if "score draws" not in state.kept:
        wanted = state.wanted_draws()
        weight = 0.5 if state.prior.weight is None else state.prior.weight
        more = min(MOST_TIMES, max(1.0, (USUAL / state.tolerance) ** 2))  # whoever asks for more has patience for it
        made = ScoreDraws(state.evidence, float(weight), wanted, state.seed, int(more * BUDGET))
        state.kept["score draws"] = made
    return state.kept["score draws"]  # type: ignore[no-any-return]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
