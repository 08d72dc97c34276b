"""Clusters: items that belong together are resampled together, for every measure of classes, outcomes and label sets.

Each cluster has a weight of its own, an exponential variable (the Bayesian bootstrap over clusters): a system's cells
are the sums of its items' cells in each cluster, times the weights. A linear quotient of cells is one of Gammas, and
exact; so is the difference of two systems with the same denominator in every cluster; everything else is drawn. The
prior has the weights that it has without clusters, but each unit of weight is a whole cluster of the usual size, all of
whose items are in one cell (docs/why/013, docs/coverage-clusters.md): with clusters of one item nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure import priors
from howsure.catalogue.metric import Metric
from howsure.catalogue.repeated import Repeated, is_repeated
from howsure.catalogue.repeated import parse as parse_repeated
from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.clusters import Clustered
from howsure.expressions import CELLS
from howsure.forms import Linear, by_chance
from howsure.model import classes, label_sets, outcomes, outlook_of_clusters, repeated_samples
from howsure.model.all_classes import AllClasses
from howsure.model.cells import CellQuestion, refuse_two_level
from howsure.model.chance import share_above
from howsure.model.class_against_rest import ClassAgainstRest, ClassAmongMany
from howsure.model.classes_of_clusters import ClassesOfClusters, LabelsOfClusters
from howsure.model.joint_answers import prior_cells
from howsure.model.label_sets import AllLabels
from howsure.model.means import mean_law
from howsure.model.next_items import called, drawn_score, number_of_draws, quotient_score, sums_scores
from howsure.model.over_items import AddedUp, MeanOverItems, OverItems
from howsure.model.question import Chance, Gap, NextScore, Places, Question, exact_gap, nothing_shared
from howsure.model.right_or_wrong import RightOrWrong
from howsure.model.sampling import apart
from howsure.model.state import State
from howsure.model.whole_clusters import OfClusters, influence
from howsure.notes import Notes
from howsure.priors import Prior, refuse_shared

if TYPE_CHECKING:
    from howsure.kernels.law import Law
    from howsure.model.outlook import Outlook

Array = NDArray[np.float64]
Cells = dict[str, Array]


@dataclass(frozen=True, eq=False, repr=False)
class CellsOfClusters(OfClusters):
    """A measure of four cells: of a class against the rest, of right and wrong answers, of passes."""

    by_cluster: tuple[CellQuestion, ...]  # one a system, its batch the clusters

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

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """Of each system: the items of a unit of prior weight in each cell."""
        return tuple(_sizes(x) for x in self.cells)

    @cached_property
    def quotient(self) -> Linear | None:
        """The measure as a quotient of cells, if it is one."""
        form = self.light.reading.form
        return form if isinstance(form, Linear) else None

    def law(self) -> tuple[Law, str]:
        """A quotient of Gammas where the formula is one of cells, else by draws."""
        self.state.evidence.single()
        form = self.quotient
        if form is None or self.light.reading.outer:
            return super().law()
        kept = self.weights > 0
        rows = np.concatenate([self.cells[0], np.diag(self.sizes[0])[kept]])
        shapes = np.concatenate([np.ones(self.clusters), self.weights[kept]])
        return mean_law(rows @ np.array(form.top), rows @ np.array(form.bottom), shapes)

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        return self._measured(self.light.formula, n, seed)

    def _measured(self, formula: Any, n: int, seed: int) -> Array:
        with np.errstate(all="ignore"):
            return np.concatenate([np.asarray(formula(**cells)) for cells in self._drawn(n, seed)])

    def _drawn(self, n: int, seed: int) -> Iterator[Cells]:
        """Draws of the cells, (draws, systems) each."""
        for rng, mass in self.masses(n, seed):
            prior = self._prior(rng, len(mass))
            sums = np.stack([mass @ x for x in self.cells], axis=1) + prior  # (draws, systems, 4)
            yield {c: sums[:, :, i] for i, c in enumerate(CELLS)}

    def _prior(self, rng: np.random.Generator, n: int) -> Array:
        """What the prior adds to the cells of each system, (draws, systems, 4)."""
        systems = len(self.cells)
        if systems == 1:
            return rng.standard_gamma(self.weights, (n, 1, 4)) * self.sizes[0]
        tp, fp, fn, tn = self.weights
        added = prior_cells(rng, n, {y: row for y, row in ((1, (fn, tp)), (0, (tn, fp))) if sum(row)}, systems)
        out = np.zeros((n, systems, 4))
        for i, c in enumerate(CELLS):
            if c in added:
                out[:, :, i] = added[c] * np.array([size[i] for size in self.sizes])
        return out

    def next_score(self, n: int) -> NextScore:
        """The score of the items of the next n clusters, by draws of whole clusters."""
        self.state.evidence.single()
        kept = self.weights > 0
        rows = np.concatenate([self.cells[0], np.diag(self.sizes[0])[kept]])
        shapes = np.concatenate([np.ones(self.clusters), self.weights[kept]])
        return self._next(rows, shapes, n, lambda cells: self._shown(cells[:, :4]), self.light.bounds)

    def next_difference(self, n: int) -> NextScore:
        """Of both systems on the items of the same next clusters."""
        rows = [np.concatenate([x, self.joint_atoms(s)]) for s, x in enumerate(self.cells)]
        shapes = np.concatenate([np.ones(self.clusters), self.atom_weights])
        kept, (low, high) = shapes > 0, self.light.bounds

        def gap(cells: Array) -> Array:
            return apart(self._shown(cells[:, :4]), self._shown(cells[:, 4:]))

        return self._next(np.concatenate(rows, axis=1)[kept], shapes[kept], n, gap, (low - high, high - low))

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

    def difference(self) -> Gap:
        """Exact where both systems have the same denominator in every cluster, else by joint draws."""
        refuse_two_level(self.state)
        form = self.quotient
        found = None if form is None or self.light.reading.outer else self._exact_difference(form)
        if found is None:
            return super().difference()
        law, route = found
        difference = Distribution(f"difference of {self.metric}", law, route, self._gap_draws, notes=self.remarks)
        return exact_gap(difference, route)

    def _exact_difference(self, form: Linear) -> tuple[Law, str] | None:
        top, bottom = np.array(form.top), np.array(form.bottom)
        one, two = (np.concatenate([x, self.joint_atoms(s)]) for s, x in enumerate(self.cells))
        shapes = np.concatenate([np.ones(self.clusters), self.atom_weights])
        kept = shapes > 0
        below = one @ bottom
        if not np.allclose(below[kept], (two @ bottom)[kept], rtol=1e-12, atol=0.0):
            return None
        kept &= below > 0
        gap = (one - two) @ top
        if not gap[kept].any():
            return None
        return mean_law(gap[kept], below[kept], shapes[kept])

    def joint_atoms(self, system: int) -> Array:
        """Pseudo-clusters of the joint patterns (truth, first, second), as the cells of one of the systems."""
        place = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}
        rows = [np.eye(4)[place[p[0], p[1 + system]]] for p in _PATTERNS]
        return np.array(rows) * self.sizes[system]

    @property
    def atom_weights(self) -> Array:
        """The prior's weights of these patterns."""
        tp, fp, fn, tn = self.weights
        row = {1: (fn, tp), 0: (tn, fp)}
        return np.array([row[y][a] * row[y][b] / max(sum(row[y]), 1e-300) for y, a, b in _PATTERNS])

    # -- what is to come

    def outlook(self, seed: int, stated: Array | None = None) -> Outlook:
        """By moments."""
        self.state.evidence.single()
        return outlook_of_clusters.of_one(self, seed, stated)

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> Outlook:
        """Clusters are weighed up until the systems differ as stated."""
        return outlook_of_clusters.of_difference(self, by, seed, disagreement, stated)

    def chance(self, at: Places = None) -> Chance | None:
        """By draws of the cells, for measures that guessing at the same margins has a value of."""
        inner = self.wholes[0].chance(at)
        if inner is None or not isinstance(self.wholes[0], ClassAgainstRest):
            return None
        gap = self.light.formula - by_chance(self.light.formula)
        better, error = share_above(lambda n: self._measured(gap, n, self.state.seed)[:, 0], self.clusters)
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


_RIGHT_WRONG: Final = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 0]])  # tn to tp, fp to fn
_PATTERNS: Final = tuple(product((0, 1), (0, 1), (0, 1)))


def _sizes(cells: Array) -> Array:
    """Items of a unit of prior weight in each cell: those of a truth row in the clusters that have any."""
    tp, fp, fn, tn = cells.T
    rows = (tp + fn, fp + tn)
    whole = float(cells.sum() / len(cells)) or 1.0  # where no item has that truth
    mean = [float(row.sum() / max(int((row > 0).sum()), 1)) or whole for row in rows]
    return np.array([mean[0], mean[1], mean[0], mean[1]])


@dataclass(frozen=True, eq=False, repr=False)
class QuotientOfClusters(OfClusters):
    """A mean over items with many labels, or a quotient of sums over all their labels."""

    wholes: tuple[OverItems, ...]

    @cached_property
    def _units(self) -> tuple[tuple[Array, Array], ...]:
        """Of each system: what every cluster adds above and below the line."""
        found = []
        for part, whole in zip(self.state.evidence.parts, self.wholes, strict=True):
            top, bottom = whole.parts(0)
            found.append((part.counts @ top, part.counts @ bottom))
        return tuple(found)

    @property
    def _sizes(self) -> Array:
        """Of each system: the items of a unit of prior weight."""
        return np.array([float(whole.totals) / self.clusters for whole in self.state.evidence.wholes])

    def law(self) -> tuple[Law, str]:
        """A quotient of Gammas."""
        top, bottom, shapes = self._parts
        kept = bottom > 0
        return mean_law(top[kept], bottom[kept], shapes[kept])

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """What clusters, and those of the prior, add above and below the line of one system, and their shapes."""
        self.state.evidence.single()
        (top, bottom), (up, down, weight) = self._units[0], self.wholes[0].atoms()
        size = self._sizes[0]
        shapes = np.concatenate([np.ones(self.clusters), weight])
        return np.concatenate([top, size * up]), np.concatenate([bottom, size * down]), shapes

    def next_score(self, n: int) -> NextScore:
        """The score of the items of the next n clusters, by draws of whole clusters."""
        return quotient_score(self.state, self._parts, n, self.metric, "cluster")

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        top, bottom = (np.stack(x, axis=1) for x in zip(*self._units, strict=True))
        middles, halves = zip(*(whole.made_up() for whole in self.wholes), strict=True)  # of each system alone
        at, out = (np.concatenate(middles, axis=1), np.concatenate(halves)), []
        for rng, mass in self.masses(n, seed):
            up, down = self.wholes[0].prior_mass(rng, (len(mass), len(self.wholes)), at)
            out.append((mass @ top + self._sizes * up) / (mass @ bottom + self._sizes * down))
        return np.concatenate(out)


# -- the kind


def _inner(state: State) -> Any:
    """The model of the kind of table that every cluster has."""
    name = type(state.evidence.parts[0]).__name__
    return {"Tally": classes, "Outcomes": outcomes, "Multilabel": label_sets}[name]


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """As without clusters, without the most frequent mistakes."""
    del level
    whole = state.evidence.wholes[0]
    return {}, classes.extraction_notes(whole) if _inner(state) is classes else ()


prepare = nothing_shared


def settle_prior(evidence: Clustered, given: Any) -> Prior:
    """A flat prior."""
    made = classes.settle_prior(evidence, refuse_shared(priors.make(given), "clusters are resampled whole"))
    if made.two_level:
        raise BadSetting(f"clusters need a flat prior such as even; got {made.name}.")
    return made


def prior_total(state: State) -> float:
    """As without clusters."""
    return float(_inner(state).prior_total(state.seeing(state.evidence.wholes[0])))


def parse(state: State, name: Any) -> Metric | Repeated:
    """As without clusters; and measures of repeated samples."""
    if is_repeated(name):
        return parse_repeated(name)
    found: Metric = _inner(state).parse(state, name)
    return found


def question(state: State, metric: Metric | Repeated, asked: str) -> Question:
    """The way of looking that the measure has without clusters, at whole clusters."""
    if isinstance(metric, Repeated):
        return repeated_samples.question(state, metric, asked)
    inner = _inner(state)
    wholes = tuple(inner.question(state.seeing(whole), metric, asked) for whole in state.evidence.wholes)
    first = wholes[0]
    if isinstance(first, (ClassAgainstRest, RightOrWrong)) and not isinstance(first, ClassAmongMany):
        each = tuple(inner.question(state.seeing(part), metric, asked) for part in state.evidence.parts)
        return CellsOfClusters(state, metric, asked, wholes, each)
    if isinstance(first, (MeanOverItems, AddedUp)):
        return QuotientOfClusters(state, metric, asked, wholes)
    if isinstance(first, AllLabels):
        return LabelsOfClusters(state, metric, asked, wholes)
    if isinstance(first, AllClasses):
        return ClassesOfClusters(state, metric, asked, wholes)
    raise BadSetting(f"{asked} is not known of clusters; ask for one class, such as {asked.partition(':')[0]}:CLASS.")


def names(state: State) -> list[str]:
    """As without clusters."""
    return list(_inner(state).names(state.seeing(state.evidence.wholes[0])))


def table(state: State) -> list[Any]:
    """As without clusters, every class by its name."""
    listed: list[Any] = []
    every = f":{classes.EVERY}"
    inner = _inner(state)
    whole = inner.table(state.seeing(state.evidence.wholes[0]))
    starred = [m for m in whole if isinstance(m, str) and m.endswith(every)]
    for label in state.evidence.labels:
        listed += [inner.parse(state, m.removesuffix(every)).of(label) for m in starred]
    return [*listed, *(m for m in whole if m not in starred)]


def default(state: State) -> str:
    """As without clusters."""
    return str(_inner(state).default(state.seeing(state.evidence.wholes[0])))


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cells, as shares."""
    classes.refuse_metrics(state, metrics)
    asked = question(state, parse(state, default(state)), default(state))
    if not isinstance(asked, CellsOfClusters):
        raise BadSetting("draws of clusters are of the cells of two classes or of outcomes.")
    parts = list(asked._drawn(n, seed))
    cells = {c: np.concatenate([p[c][:, 0] for p in parts]) for c in CELLS}
    total = sum(cells.values())
    return {c: np.asarray(x / total) for c, x in cells.items() if x.any()}
