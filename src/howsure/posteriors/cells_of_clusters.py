"""Metrics of four cells when whole clusters are resampled, and their future clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear, by_chance
from howsure.catalogue.metric import Metric
from howsure.distributions.stretched import Stretch
from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.posteriors.cells import CellEstimand, refuse_two_level
from howsure.posteriors.chance import share_above
from howsure.posteriors.class_against_rest import ClassAgainstRest
from howsure.posteriors.cluster_prior import (
    ClusterSums,
    OfClusters,
    difference_share,
    influence,
    stretch_factor,
    stretch_of_difference,
    stretch_pair,
)
from howsure.posteriors.estimand import Chance, NextScore, Places
from howsure.posteriors.future_items import called, drawn_score, number_of_draws, sums_scores, wider
from howsure.posteriors.future_units import OfQuotient, OfTiltedDifferences, PilotUnits, Stretching
from howsure.posteriors.paired import one_row, pattern_weight, prior_cells
from howsure.posteriors.sampling import apart
from howsure.posteriors.units import Ratio, Units

if TYPE_CHECKING:
    from howsure.posteriors.state import Outlook


# -- outlook of clusters
#
# Outlook of clusters: future ones are clusters of the pilot, by the Bayesian bootstrap; for quotients of cells.


def of_one(q: Any, seed: int, stated: Any) -> OfQuotient:
    """One system; the prior's clusters have the sizes that they have in the pilot."""
    form, kept = _form(q, stated), q.weights > 0
    top, bottom = np.array(form.top), np.array(form.bottom)
    rows = np.diag(q.sizes[0])[kept]

    def atoms(counts: Integers) -> tuple[Array, Array, Array]:
        one = np.ones((len(counts), 1))
        return one * q.weights[kept], one * (rows @ top), one * (rows @ bottom)

    sums = q.taking_part(0)
    stretching = Stretching(sums.share, q.light.bounds, sums.clusters / q.clusters)
    return OfQuotient(q.cells[0] @ top, q.cells[0] @ bottom, atoms, PilotUnits(q.clusters, seed), stretching)


def future_difference(q: Any, by: float, seed: int, disagreement: Any, stated: Any) -> OfTiltedDifferences:
    """Two systems in the same clusters, the first better by so much."""
    form = _form(q, stated)
    if disagreement is not None:
        raise BadSetting(f"clusters tell how systems disagree: leave out {option('disagreement')}.")
    if len(q.cells) != 2:
        raise BadSetting("a difference needs a pilot of two systems in the same clusters.")
    top, bottom = np.array(form.top), np.array(form.bottom)
    kept = q.atom_weights > 0
    one, two = (q.joint_atoms(s)[kept] for s in (0, 1))
    prior = q.atom_weights[kept], (one @ top, two @ top), (one @ bottom, two @ bottom)
    tops, bottoms = ((q.cells[0] @ line, q.cells[1] @ line) for line in (top, bottom))
    sign = -1.0 if q.metric.better == "lower" else 1.0
    stretching = Stretching(q.pair.share, q.light.bounds, q.pair.clusters / q.clusters)
    return OfTiltedDifferences(tops, bottoms, prior, by, sign, PilotUnits(q.clusters, seed), stretching)


def _form(q: Any, stated: Any) -> Linear:
    """The quotient of cells that the measure is."""
    if stated is not None:
        raise BadSetting(f"clusters need a pilot: {option('expected')} is for items without clusters.")
    if q.state.evidence.weighted:
        raise BadSetting(f"a pilot of a plan is of items that count alike: leave out {option('weight')}.")
    form: Linear | None = q.quotient
    if form is None or q.light.reading.outer:
        told = "quotients of cells, such as accuracy, recall, precision and f1"
        raise BadSetting(f"a plan of clusters is for {told}; got {q.asked}.")
    return form


# -- cells of clusters
#
# Cells of clusters: metrics of four cells (of a class against the rest, of right and wrong answers, of passes).
#
# A system's cells are the sums of its items' cells in each cluster, times the weights of the clusters. A linear
# quotient of cells is one of Gammas, and exact; so is the difference of two systems with the same denominator in every
# cluster. The difference of two systems has a prior of its own: see `Pair`.

Cells = dict[str, Array]

_RIGHT_WRONG: Final = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 0]])  # tn to tp, fp to fn
_PATTERNS: Final = tuple(product((0, 1), (0, 1), (0, 1)))
_ROWS: Final = {1: [0, 2], 0: [3, 1]}  # right and wrong cells of each truth


@dataclass(frozen=True, eq=False)
class Pair:
    """The prior of a difference of two systems: made-up clusters on which they differ, or do not."""

    sizes: tuple[Array, Array]  # of each system: the items of a unit of prior weight in each cell
    times: float  # what the weights of independent items are multiplied by
    share: float  # of a made-up cluster, by the items that take part in the metric
    clusters: int  # that have such items

    @property
    def factor(self) -> float:
        """How far the difference is stretched."""
        return stretch_factor(self.clusters, self.share)


@dataclass(frozen=True, eq=False, repr=False)
class CellsOfClusters(OfClusters):
    """A metric of four cells."""

    by_cluster: tuple[CellEstimand, ...]  # one a system, its batch the clusters

    @property
    def light(self) -> Metric:
        """The measure in the light of its cells."""
        found: Metric = self.wholes[0].light
        return found

    @cached_property
    def cells(self) -> tuple[Array, ...]:
        """Of each system: the cells of every cluster, (clusters, 4); right and wrong answers as tp and fn."""
        found = [np.stack([np.asarray(q.counts()[c], dtype=float) for c in CELLS], axis=1) for q in self.by_cluster]
        return tuple(x @ _RIGHT_WRONG for x in found) if self._agreement else tuple(found)

    @property
    def _agreement(self) -> bool:
        """Whether a measure of two classes depends on right and wrong answers alone, as a rate does."""
        return isinstance(self.wholes[0], ClassAgainstRest) and self.light.agreement

    @cached_property
    def weights(self) -> Array:
        """The prior's weight on each cell."""
        q = self.wholes[0]
        if isinstance(q, ClassAgainstRest):
            own = np.array([q.weights[c] for c in CELLS])
            return np.asarray(own @ _RIGHT_WRONG) if self._agreement else own
        right, wrong = q.weights
        return np.array([right, 0.0, wrong, 0.0])

    @property
    def _row(self) -> int | None:
        """The truth row that the metric looks at, where it looks at one of two."""
        return one_row(self.light) if isinstance(self.wholes[0], ClassAgainstRest) and not self._agreement else None

    # -- the prior of one system

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """Of each system: the items of a unit of prior weight in each cell; several systems have the same shares.

        A made-up cluster is as alike as those of its truth, or as the items that take part in the metric if these are
        more alike: where all items of a cluster have one truth, so have all that are answered with a class.
        """
        systems = range(len(self.cells))
        parts = [self.taking_part(s).share for s in systems]
        shares = {y: np.mean([max(parts[s], self._row_share(s, at)) for s in systems]) for y, at in _ROWS.items()}
        return tuple(_whole_sizes(x) * _by_cell(shares) for x in self.cells)

    def _row_share(self, system: int, at: list[int]) -> float:
        """A made-up cluster of one truth, whose cells are right and wrong."""
        x = self.cells[system]
        return ClusterSums.of_hits(x[:, at[0]], x[:, at].sum(axis=1), self.items[system]).share

    @cached_property
    def part(self) -> tuple[Array, Array]:
        """Cells with items that take part in the metric, and those among them that count as hits: 1 or 0."""
        form = self.quotient
        if form is None:
            return np.ones(4), np.array([1.0, 0.0, 0.0, 1.0])
        top, bottom = np.array(form.top), np.array(form.bottom)
        return ((top != 0) | (bottom != 0)).astype(float), (top > 0).astype(float)

    def taking_part(self, system: int) -> ClusterSums:
        """The items of a system that take part in the metric, by cluster."""
        part, hits = self.part
        x = self.cells[system]
        return ClusterSums.of_hits(x @ hits, x @ part, self.items[system])

    def centre(self, system: int, formula: Any = None) -> Array:
        """The metric, or another formula, at the mean of all masses."""
        return self._at(self.cells[system].sum(axis=0) + self.weights * self.sizes[system], formula)

    def _at(self, cells: Array, formula: Any = None) -> Array:
        formula = self.light.formula if formula is None else formula
        with np.errstate(all="ignore"):
            return np.asarray(formula(**dict(zip(CELLS, cells, strict=True))), dtype=float)

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Of each system, by the items that take part in the metric."""
        return tuple(self.stretch(self.centre(s), self.taking_part(s).factor) for s in range(len(self.cells)))

    @cached_property
    def quotient(self) -> Linear | None:
        """The measure as a quotient of cells, if it is one."""
        form = self.light.reading.form
        return form if isinstance(form, Linear) else None

    def ratio(self) -> Ratio | None:
        """Of one system, where the formula is a quotient of cells."""
        form = self.quotient
        if form is None or self.light.reading.outer:
            return None
        return self._units.ratio(form.top, form.bottom, self.stretches[0])

    @property
    def _units(self) -> Units:
        """The cells of clusters and of the prior's units."""
        return Units.seen(self.cells[0]) + Units(np.diag(self.sizes[0]), self.weights)

    def _of_pair(self, system: int) -> Units:
        """The cells of one of two systems, and of the prior's units of their difference."""
        return Units.seen(self.cells[system]) + Units(self.joint_atoms(system), self.atom_weights)

    def plain_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        return self._measured(self.light.formula, self._drawn(n, seed))

    def joint_draws(self, n: int, seed: int) -> Array:
        """As of all clusters; two systems have the prior of their difference."""
        if len(self.cells) != 2:
            return super().joint_draws(n, seed)
        return stretch_pair(self._measured(self.light.formula, self._drawn(n, seed, self.pair)), self._gap_stretch)

    def _measured(self, formula: Any, drawn: Iterator[Cells]) -> Array:
        with np.errstate(all="ignore"):
            return np.concatenate([np.asarray(formula(**cells)) for cells in drawn])

    def _drawn(self, n: int, seed: int, pair: Pair | None = None) -> Iterator[Cells]:
        """Draws of the cells, (draws, systems) each."""
        for rng, mass in self.masses(n, seed):
            prior = self._prior(rng, len(mass), self.sizes if pair is None else pair.sizes, pair.times if pair else 1.0)
            sums = np.stack([mass @ x for x in self.cells], axis=1) + prior  # (draws, systems, 4)
            yield {c: sums[:, :, i] for i, c in enumerate(CELLS)}

    def _prior(self, rng: np.random.Generator, n: int, sizes: tuple[Array, ...], times: float) -> Array:
        """What the prior adds to the cells of each system, (draws, systems, 4)."""
        systems = len(self.cells)
        if systems == 1:
            return rng.standard_gamma(self.weights, (n, 1, 4)) * sizes[0]
        tp, fp, fn, tn = times * self.weights
        rows = {y: row for y, row in ((1, (fn, tp)), (0, (tn, fp))) if sum(row)}
        added = prior_cells(rng, n, rows, systems, self._row)
        out = np.zeros((n, systems, 4))
        for i, c in enumerate(CELLS):
            if c in added:
                out[:, :, i] = added[c] * np.array([size[i] for size in sizes])
        return out

    # -- what comes next

    def next_score(self, n: int) -> NextScore:
        """The score of the items of the next n clusters, by draws of whole clusters."""
        self.state.evidence.single()
        units = self._units
        shapes = wider(units.shapes, self.stretches[0])
        return self._next(units.features, shapes, n, lambda cells: self._shown(cells[:, :4]), self.light.bounds)

    def next_difference(self, n: int) -> NextScore:
        """Of both systems on the items of the same next clusters."""
        one, two = self._of_pair(0), self._of_pair(1)
        low, high = self.light.bounds

        def gap(cells: Array) -> Array:
            return apart(self._shown(cells[:, :4]), self._shown(cells[:, 4:]))

        shapes = wider(one.shapes, self._gap_stretch)
        return self._next(
            np.concatenate([one.features, two.features], axis=1), shapes, n, gap, (low - high, high - low)
        )

    def _next(
        self, rows: Array, shapes: Array, n: int, score: Callable[[Array], Array], bounds: tuple[float, float]
    ) -> NextScore:
        draws = partial(sums_scores, rows, shapes, score, n)
        size, what = number_of_draws(self.state, n, len(shapes)), called(self.metric, n, "cluster")
        return drawn_score(draws, size, self.state.seed, bounds, what, unit="cluster")

    def _shown(self, cells: Array) -> Array:
        """The score of cells, (draws, 4)."""
        found: Array = self.wholes[0].observed(dict(zip(CELLS, cells.T, strict=True)))
        return found

    # -- two systems

    @cached_property
    def pair(self) -> Pair:
        """The prior of the difference of two systems."""
        share = self._differing(*self.part)
        shares = {y: max(share, self._differing(_one_hot(at), _one_hot(at[:1]))) for y, at in _ROWS.items()}
        sizes = [_whole_sizes(x) * _by_cell(shares) for x in self.cells]
        both = self._row is None and all(self.weights[at].any() for at in _ROWS.values())
        times = float(np.mean([_truths(x) for x in self.cells])) if both else 1.0
        part = np.stack([x @ self.part[0] for x in self.cells])
        return Pair((sizes[0], sizes[1]), times, share, int((part > 0).any(axis=0).sum()))

    def _differing(self, part: Array, hits: Array) -> float:
        """A made-up cluster on which the systems differ, by the items of some cells and the hits among them."""
        size, right = (np.stack([x @ cells for x in self.cells]) for cells in (part, hits))
        here = (size > 0).all(axis=0)
        size, right = size[:, here], right[:, here]
        usual = size.mean(axis=0)
        item = float(np.mean(self.items)) / float(usual.mean()) if len(usual) else 1.0
        return difference_share(np.abs(right[0] / size[0] - right[1] / size[1]), usual, min(item, 1.0))

    def gap_ratio(self) -> Ratio | None:
        """Where both systems have the same denominator in every cluster."""
        refuse_two_level(self.state)
        form = self.quotient
        if form is None or self.light.reading.outer:
            return None
        one, two = (self._of_pair(s).ratio(form.top, form.bottom) for s in (0, 1))
        return one.minus(two, self._gap_stretch)

    @cached_property
    def _gap_stretch(self) -> Stretch:
        """Around the difference at the mean of all masses."""
        prior = [self.pair.times * self.weights * size for size in self.pair.sizes]
        one, two = (self._at(x.sum(axis=0) + more) for x, more in zip(self.cells, prior, strict=True))
        return stretch_of_difference(float(one - two), self.pair.factor, self.light.bounds)

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.joint_draws(n, seed).T
        return apart(first, second)

    @property
    def pairs_differ(self) -> bool:
        """Two systems have made-up clusters on which these two differ, more have those of each."""
        return len(self.cells) > 2

    def joint_atoms(self, system: int) -> Array:
        """Made-up clusters of the joint patterns (truth, first, second), as the cells of one of the systems."""
        place = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}
        rows = [np.eye(4)[place[p[0], p[1 + system]]] for p in _PATTERNS]
        return np.array(rows) * self.pair.sizes[system]

    @property
    def atom_weights(self) -> Array:
        """The prior's weights of these patterns."""
        tp, fp, fn, tn = self.weights
        row = {1: (fn, tp), 0: (tn, fp)}
        return np.array([self.pair.times * pattern_weight(row[y], y == self._row, (a, b)) for y, a, b in _PATTERNS])

    # -- what is to come

    def outlook(self, seed: int, stated: Array | None = None) -> Outlook:
        """By moments."""
        self.state.evidence.single()
        return of_one(self, seed, stated)

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> Outlook:
        """Clusters are weighed up until the systems differ as stated."""
        return future_difference(self, by, seed, disagreement, stated)

    def chance(self, at: Places = None) -> Chance | None:
        """By stretched draws of the lead, for measures that guessing at the same margins has a value of."""
        inner = self.wholes[0].chance(at)
        if inner is None or not isinstance(self.wholes[0], ClassAgainstRest):
            return None
        gap = self.light.formula - by_chance(self.light.formula)
        drawn = partial(self._drawn, seed=self.state.seed)
        stretch = stretch_of_difference(float(self.centre(0, gap)), self.taking_part(0).factor, self.light.bounds)
        better, error = share_above(lambda n: stretch(self._measured(gap, drawn(n))[:, 0]), self.clusters)
        return Chance(inner.score, better if self.metric.better == "higher" else 1.0 - better, error)

    @property
    def design_effect(self) -> float:
        """By the slopes of the formula at the cells."""
        whole = self.cells[0].sum(axis=0)
        step = 1e-20j * np.eye(4)
        with np.errstate(all="ignore"):
            slope = np.array([np.imag(self.light.formula(**dict(zip(CELLS, whole + s, strict=True)))) for s in step])
        squares = whole
        part = self.state.evidence.parts[0]
        if part.squares is not None:
            raw = replace(self.by_cluster[0], state=self.state.seeing(replace(part, counts=part.squares, squares=None)))
            squares = np.array([float(np.sum(raw.counts()[c])) for c in CELLS])
            squares = squares @ _RIGHT_WRONG if self._agreement else squares
        return influence(self.cells[0], whole, squares, slope * 1e20)


def _one_hot(at: list[int]) -> Array:
    return np.isin(np.arange(4), at).astype(float)


def _by_cell(rows: dict[int, Any]) -> Array:
    """What each truth row has, for its cells tp, fp, fn, tn."""
    return np.array([rows[1], rows[0], rows[1], rows[0]])


def _truths(cells: Array) -> float:
    """The mean number of truths of a cluster."""
    there = np.stack([cells[:, at].sum(axis=1) > 0 for at in _ROWS.values()])
    return float(there.sum() / max(int(there.any(axis=0).sum()), 1))


def _whole_sizes(cells: Array) -> Array:
    """Items of a whole cluster in each cell: those of a truth row in the clusters that have any."""
    tp, fp, fn, tn = cells.T
    rows = (tp + fn, fp + tn)
    whole = float(cells.sum() / len(cells)) or 1.0  # where no item has that truth
    mean = [float(row.sum() / max(int((row > 0).sum()), 1)) or whole for row in rows]
    return np.array([mean[0], mean[1], mean[0], mean[1]])
