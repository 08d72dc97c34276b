"""Clusters: items that belong together are resampled together, for every measure of classes, outcomes and label sets.

Each cluster has a weight of its own, an exponential variable (the Bayesian bootstrap over clusters): a system's cells
are the sums of its items' cells in each cluster, times the weights. A linear quotient of cells is one of Gammas, and
exact; so is the difference of two systems with the same denominator in every cluster; everything else is drawn. The
prior has the weights that it has without clusters, but each unit of weight is a whole cluster of the usual size, all of
whose items are in one cell (docs/why/013, docs/coverage.md): with clusters of one item nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.clusters import Clustered
from howsure.expressions import CELLS
from howsure.forms import Linear, by_chance
from howsure.model import classes, label_sets, outcomes
from howsure.model.all_classes import AllClasses
from howsure.model.answers import dealt
from howsure.model.cells import CellQuestion, refuse_two_level
from howsure.model.chance import share_above
from howsure.model.class_against_rest import ClassAgainstRest, ClassAmongMany
from howsure.model.means import mean_law
from howsure.model.over_items import AddedUp, MeanOverItems, OverItems
from howsure.model.question import Chance, Gap, Places, Question, drawn_gap, exact_gap, nothing_more, nothing_shared
from howsure.model.right_or_wrong import RightOrWrong
from howsure.model.sampling import difference_law, sampled_law
from howsure.model.state import State
from howsure.notes import Note, Notes, note
from howsure.priors import Prior

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]
Cells = dict[str, Array]

STREAM: Final = 80_021
CHUNK: Final = 4_000_000  # weights of clusters drawn at a time
ROUNDING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class OfClusters(Question):
    """A measure of whole clusters; `wholes` are the same measure of each system's table over all clusters."""

    metric: Metric
    wholes: tuple[Any, ...]

    @cached_property
    def score(self) -> Array:
        """The measure of the items themselves."""
        self.state.evidence.single()
        found: Array = self.wholes[0].score
        return found

    @property
    def clusters(self) -> int:
        """How many there are."""
        found: int = self.state.evidence.clusters
        return found

    def law(self) -> tuple[Law, str]:
        """By draws."""
        self.state.evidence.single()
        return sampled_law(self.state, self.metric.bounds, self.draws, 1, self.most_draws), "sampled"

    @property
    def most_draws(self) -> int:  # type: ignore[override]
        """What the budget allows."""
        return max(10_000, min(400_000, 40_000_000 // self.clusters))

    def masses(self, n: int, seed: int) -> Iterator[tuple[np.random.Generator, Array]]:
        """Weights of the clusters, some draws at a time, and the stream they are from."""
        rng = np.random.Generator(np.random.SFC64([seed, STREAM]))
        size = max(1, CHUNK // self.clusters)
        for start in range(0, n, size):
            yield rng, rng.standard_exponential((min(size, n - start), self.clusters))

    def difference(self) -> Gap:
        """By joint draws."""
        n = min(self.most_draws, self.state.wanted_draws(1.3))
        law = difference_law(self.metric.bounds, self._gap_draws(n, self.state.seed))
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return np.asarray(first - second)

    def matches(self, other: Question) -> None:
        """As of the tables over all clusters."""
        if not isinstance(other, OfClusters):
            raise BadSetting("evidence with clusters is compared with evidence with clusters.")
        self.wholes[0].matches(other.wholes[0])

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they know no clusters."""
        raise BadSetting("these tests take independent items, not clusters of them.")

    @property
    def prior_note(self) -> Note | None:
        """The weights without clusters, each unit a cluster."""
        inner = self.wholes[0].prior_note
        return None if inner is None else note("prior", clusters=True, **dict(inner.facts))

    @property
    def remarks(self) -> Notes:
        """That whole clusters are resampled, and what they are worth."""
        own = [*self.state.evidence.notes, note("clusters", count=self.clusters)]
        if self.state.evidence.weighted:
            own.append(note("weighted", of="counts"))
        if len(self.wholes) == 1:
            own += self._design()
        return tuple(own)

    def _design(self) -> Notes:
        """The design effect: the variance of the measure over that of as many independent items."""
        effect = self.design_effect
        if not np.isfinite(effect) or effect <= 0:
            return ()
        n = float(self.state.evidence.totals)
        (name,) = self.state.evidence.systems
        of = self.asked if name == "system" else f"{self.asked} of {name}"
        return (
            note("design-effect", of=(of,), effect=(effect,), worth=(n / effect,), items=n, clusters=self.clusters),
        )

    @property
    def design_effect(self) -> float:
        """NaN where it is not known."""
        return float("nan")


def _influence(by_cluster: Array, whole: Array, squares: Array, slope: Array) -> float:
    """Σ over clusters of (Σ slope)², over Σ over items of slope²: by the linear part of a measure at its cells."""
    with np.errstate(all="ignore"):
        together = float(((by_cluster @ slope) ** 2).sum())
        alone = float((squares * slope**2).sum())
    return (
        together / alone
        if alone > ROUNDING * float(np.abs(whole @ np.abs(slope))) ** 2 / max(whole.sum(), 1)
        else np.nan
    )


@dataclass(frozen=True, eq=False)
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
        """Of each system: the cells of every cluster, (clusters, 4)."""
        return tuple(np.stack([np.asarray(q.counts()[c], dtype=float) for c in CELLS], axis=1) for q in self.by_cluster)

    @cached_property
    def weights(self) -> Array:
        """The prior's weight on each cell."""
        q = self.wholes[0]
        if isinstance(q, ClassAgainstRest):
            return np.array([q.weights[c] for c in CELLS])
        right, wrong = q.weights
        return np.array([right, 0.0, wrong, 0.0])

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """Of each system: the items of a unit of prior weight in each cell."""
        return tuple(_sizes(x) for x in self.cells)

    @cached_property
    def _quotient(self) -> Linear | None:
        form = self.light.reading.form
        return form if isinstance(form, Linear) else None

    def law(self) -> tuple[Law, str]:
        """A quotient of Gammas where the formula is one of cells, else by draws."""
        self.state.evidence.single()
        form = self._quotient
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
        rows = np.array([fp + tn, tp + fn])
        rate = np.array([fp / rows[0] if rows[0] else 0.0, tp / rows[1]])
        parts, y, says = dealt(rng, n, rows, rate, systems)
        out = np.zeros((n, systems, 4))
        for i, (yes, said) in enumerate(((1, True), (0, True), (1, False), (0, False))):
            mass = np.einsum("nk,nks->ns", parts * (y == yes), (says == said).astype(float))
            out[:, :, i] = mass * np.array([size[i] for size in self.sizes])
        return out

    def difference(self) -> Gap:
        """Exact where both systems have the same denominator in every cluster, else by joint draws."""
        refuse_two_level(self.state)
        form = self._quotient
        found = None if form is None or self.light.reading.outer else self._exact_difference(form)
        if found is None:
            return super().difference()
        law, route = found
        difference = Distribution(f"difference of {self.metric}", law, route, self._gap_draws, notes=self.remarks)
        return exact_gap(difference, route)

    def _exact_difference(self, form: Linear) -> tuple[Law, str] | None:
        top, bottom = np.array(form.top), np.array(form.bottom)
        one, two = (np.concatenate([x, self._atoms(s)]) for s, x in enumerate(self.cells))
        shapes = np.concatenate([np.ones(self.clusters), self._atom_weights])
        kept = shapes > 0
        below = one @ bottom
        if not np.allclose(below[kept], (two @ bottom)[kept], rtol=1e-12, atol=0.0):
            return None
        kept &= below > 0
        gap = (one - two) @ top
        if not gap[kept].any():
            return None
        return mean_law(gap[kept], below[kept], shapes[kept])

    def _atoms(self, system: int) -> Array:
        """Pseudo-clusters of the joint patterns (truth, first, second), as the cells of one of the systems."""
        place = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}
        rows = [np.eye(4)[place[p[0], p[1 + system]]] for p in _PATTERNS]
        return np.array(rows) * self.sizes[system]

    @property
    def _atom_weights(self) -> Array:
        tp, fp, fn, tn = self.weights
        row = {1: (fn, tp), 0: (tn, fp)}
        return np.array([row[y][a] * row[y][b] / max(sum(row[y]), 1e-300) for y, a, b in _PATTERNS])

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
        return _influence(self.cells[0], whole, squares, slope * 1e20)


_PATTERNS: Final = tuple(product((0, 1), (0, 1), (0, 1)))


def _sizes(cells: Array) -> Array:
    """Items of a unit of prior weight in each cell: those of a truth row in the clusters that have any."""
    tp, fp, fn, tn = cells.T
    rows = (tp + fn, fp + tn)
    mean = [float(row.sum() / max(int((row > 0).sum()), 1)) or 1.0 for row in rows]
    return np.array([mean[0], mean[1], mean[0], mean[1]])


@dataclass(frozen=True, eq=False)
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
    def _size(self) -> float:
        """Items of a unit of prior weight."""
        return float(self.state.evidence.totals) / self.clusters

    def law(self) -> tuple[Law, str]:
        """A quotient of Gammas."""
        self.state.evidence.single()
        (top, bottom), (up, down, weight) = self._units[0], self.wholes[0].atoms()
        shapes = np.concatenate([np.ones(self.clusters), weight])
        below = np.concatenate([bottom, self._size * down])
        kept = below > 0
        return mean_law(np.concatenate([top, self._size * up])[kept], below[kept], shapes[kept])

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        top, bottom = (np.stack(x, axis=1) for x in zip(*self._units, strict=True))
        out = []
        for rng, mass in self.masses(n, seed):
            up, down = self.wholes[0].prior_mass(rng, (len(mass), len(self.wholes)))
            out.append((mass @ top + self._size * up) / (mass @ bottom + self._size * down))
        return np.concatenate(out)


@dataclass(frozen=True, eq=False)
class ClassesOfClusters(OfClusters):
    """A measure of all classes or labels: cells of every class, and the prior's weight of each."""

    wholes: tuple[AllClasses, ...]

    @cached_property
    def _cells(self) -> tuple[dict[str, Array], ...]:
        """Of each system: true items, right answers and answers of every class in every cluster, (clusters, classes)."""
        found = []
        for part in self.state.evidence.parts:
            c = {k: v.T.astype(float) for k, v in part.by_class(lost=bool(self.metric.average)).items()}
            found.append({"row": c["tp"] + c["fn"], "tp": c["tp"], "col": c["tp"] + c["fp"], "n": _whole(c)})
        return tuple(found)

    @property
    def most_draws(self) -> int:  # type: ignore[override]
        """What the budget allows."""
        k = len(self.state.evidence.labels)
        return max(5_000, min(200_000, 60_000_000 // (self.clusters + 4 * k)))

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        formula = self.wholes[0].formula
        low, high = self.metric.bounds
        out = []
        for rng, mass in self.masses(n, seed):
            columns = []
            own, shares = self._true_items(rng, len(mass)), self._right(rng, len(mass))
            for x, p in zip(self._cells, shares, strict=True):
                good, false = own * p[0], p[1]
                row, tp, col = mass @ x["row"] + own, mass @ x["tp"] + good, mass @ x["col"] + good + false
                total = (mass @ x["n"] + own.sum(axis=1, keepdims=True)).T
                cells = {
                    "tp": tp.T,
                    "fp": (col - tp).T,
                    "fn": (row - tp).T,
                    "tn": np.maximum(total - (row + col - tp).T, 0),
                }
                with np.errstate(all="ignore"):
                    value = np.asarray(formula(**cells))
                columns.append(np.clip(np.where(np.isnan(value), 0.0, value), low, high))
            out.append(np.stack(columns, axis=1))
        return np.concatenate(out)

    @cached_property
    def _pool(self) -> tuple[Array, Array]:
        """Items of a unit of weight in each class, and the mean share of right answers, classes counting alike."""
        x = self._cells[0]
        there = np.maximum((x["row"] > 0).sum(axis=0), 1)
        size = np.maximum(x["row"].sum(axis=0) / there, 1.0)
        clusters = (x["row"] > 0).sum(axis=0)
        share = [
            float((((y["tp"].sum(axis=0) / np.maximum(y["row"].sum(axis=0), 1e-300)) * clusters / (clusters + 1)).sum() + 0.5)
            / ((clusters / (clusters + 1)).sum() + 1.0))
            for y in self._cells
        ]  # fmt: skip
        return size, np.array(share)

    def _true_items(self, rng: np.random.Generator, n: int) -> Array:
        """The prior's true items of each class, (draws, classes)."""
        size, _ = self._pool
        weight = self._weight
        return np.asarray(rng.standard_gamma(weight, (n, len(size))) * size)

    @property
    def _weight(self) -> float:
        """On the true items of a class."""
        k = len(self.state.evidence.labels)
        if self.state.prior.name == "even":
            return 1.0 if self.metric.classes_count_alike else 2.0 / k
        return k * float(self.state.prior.weight or 0.0)

    def _right(self, rng: np.random.Generator, n: int) -> list[tuple[Array, Array]]:
        """Of each system: the share of the prior's items that is right, and the prior's false answers of each class."""
        size, centre = self._pool
        k, weight = len(size), self._weight
        out = []
        for p in centre:
            share = np.full((n, 1), p)
            if self.state.prior.name == "even" and self.metric.classes_count_alike:
                share = np.clip(rng.beta(k / 3.0 * p, k / 3.0 * (1.0 - p), (n, 1)), 1e-9, 1.0 - 1e-9)
            elif self.state.prior.name != "even":
                share = np.full((n, 1), 1.0 / k)
            good = rng.beta(np.maximum(weight * share, 1e-9), np.maximum(weight * (1 - share), 1e-9), (n, k))
            false = rng.standard_gamma(np.broadcast_to(np.maximum(weight * (1 - share), 1e-9), (n, k))) * size
            out.append((good, false))
        return out

    @property
    def design_effect(self) -> float:
        """By the slopes of the formula at the cells of every class."""
        x = self.state.evidence.parts[0].by_class(lost=bool(self.metric.average))
        whole = {c: v.sum(axis=1).astype(complex) for c, v in x.items()}
        k = len(self.state.evidence.labels)
        formula = self.wholes[0].formula
        with np.errstate(all="ignore"):
            slopes = {
                c: np.array([np.imag(formula(**(whole | {c: whole[c] + 1e-20j * (np.arange(k) == i)}))) * 1e20 for i in range(k)])
                for c in CELLS
            }  # fmt: skip
        cells = self.state.evidence.parts[0].cells
        patterns = (
            _pattern_slopes(cells, slopes, k) if hasattr(self.state.evidence.parts[0], "positive_given") else None
        )
        if patterns is None:
            return float("nan")
        counts = self.state.evidence.parts[0].counts.astype(float)
        total = counts.sum(axis=0)
        return _influence(counts, total, total, patterns)


def _pattern_slopes(cells: Any, slopes: dict[str, Array], k: int) -> Array:
    """The slope of the measure along one more item of each pattern (truth, answer)."""
    rest = slopes["tn"].sum()
    out = np.full(len(cells), float(np.real(rest)))
    for j, (y, z) in enumerate(cells.tolist()):
        if y == z:
            out[j] += slopes["tp"][y] - slopes["tn"][y]
            continue
        out[j] += slopes["fn"][y] - slopes["tn"][y]
        if z >= 0:
            out[j] += slopes["fp"][z] - slopes["tn"][z]
    return out


def _whole(c: dict[str, Array]) -> Array:
    return np.asarray((c["tp"] + c["fp"] + c["fn"] + c["tn"])[:, :1])


# -- the kind


def _inner(state: State) -> Any:
    """The model of the kind of table that every cluster has."""
    name = type(state.evidence.parts[0]).__name__
    return {"Tally": classes, "Outcomes": outcomes, "Multilabel": label_sets}[name]


extras = nothing_more
prepare = nothing_shared


def settle_prior(evidence: Clustered, given: Any) -> Prior:
    """A flat prior."""
    made = classes.settle_prior(evidence, given)
    if made.two_level:
        raise BadSetting(f"clusters take a flat prior such as even; got {made.name}.")
    return made


def prior_total(state: State) -> float:
    """As without clusters."""
    return float(_inner(state).prior_total(state.seeing(state.evidence.wholes[0])))


def parse(state: State, name: Any) -> Metric:
    """As without clusters."""
    found: Metric = _inner(state).parse(state, name)
    return found


def question(state: State, metric: Metric, asked: str) -> OfClusters:
    """The way of looking that the measure has without clusters, at whole clusters."""
    inner = _inner(state)
    wholes = tuple(inner.question(state.seeing(whole), metric, asked) for whole in state.evidence.wholes)
    first = wholes[0]
    if isinstance(first, (ClassAgainstRest, RightOrWrong)) and not isinstance(first, ClassAmongMany):
        each = tuple(inner.question(state.seeing(part), metric, asked) for part in state.evidence.parts)
        return CellsOfClusters(state, metric, asked, wholes, each)
    if isinstance(first, (MeanOverItems, AddedUp)):
        return QuotientOfClusters(state, metric, asked, wholes)
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
    whole = _inner(state).table(state.seeing(state.evidence.wholes[0]))
    starred = [m for m in whole if isinstance(m, str) and m.endswith(every)]
    for label in state.evidence.labels:
        listed += [parse(state, m.removesuffix(every)).of(label) for m in starred]
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
