"""Averages over items with many labels, and samples of label sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue import Metric
from howsure.catalogue import parse as parse_metric
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.distributions.classes import AnyOf, EachLabel, PooledAccuracy
from howsure.distributions.sampling import stream
from howsure.distributions.stretched import Stretch
from howsure.errors import BadSetting
from howsure.evidence.label_sets import Multilabel
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors.cells import label_notes
from howsure.posteriors.cluster_prior import stretch_factor
from howsure.posteriors.priors import Prior
from howsure.posteriors.unit_prior import centres, ends, largest, made_up_means, spread_share, spreads
from howsure.posteriors.units import LINES, MetricOfUnits, Ratio, Units

# -- label draws
#
# Draws of all labels of items with any number of them: whole items are resampled, or each label alone.

MICRO: Final = 0.5  # the prior's weight on each cell of the table of all labels added up


@dataclass(frozen=True, eq=False)
class LabelDrawing:
    """Draws of all labels: whole items, or each label alone."""

    evidence: Multilabel
    prior: Prior
    alike: bool

    @property
    def pooled(self) -> bool:
        """Measures in which labels count alike, under even, of whole items."""
        return self.alike and self.prior.name == "even" and not self.evidence.independent

    def plan(self, j: int = 0) -> AnyOf | EachLabel:
        """Items with their shapes and memberships, or a table for each label."""
        del j
        t, prior = self.evidence, self.prior
        if t.shape:
            raise BadSetting("measures of all labels need a single table, not a batch.")
        refuse_tables(prior)
        k = len(t.labels)
        if t.independent:
            if len(t.systems) > 1:
                raise BadSetting(
                    "labels taken on their own have no joint form; leave out independent=True to compare systems."
                )
            cells = t.by_class(effective=True)
            weight = 0.5 if prior.name == "even" else float(prior.weight or 0.0)
            return EachLabel(np.stack([cells[c] for c in CELLS]) + weight)
        truth, answers, both = t.memberships()
        shapes = t.effective
        if prior.name != "even":
            return AnyOf(shapes, k, truth, answers, both, 2.0 * float(prior.weight or 0.0))
        if self.alike:
            return AnyOf(shapes, k, truth, answers, both, 1.0, self.pools()[0])
        return AnyOf(shapes, k, truth, answers, both, 2.0 * MICRO / k)

    def pools(self) -> list[PooledAccuracy]:
        """The share of true labels that are found: true labels weighted so that each label counts about alike."""
        t = self.evidence
        (pattern, label), _, both = t.memberships()
        k, counts = len(t.labels), t.effective
        size = np.bincount(label, counts[pattern], k)
        weights = counts[pattern] / (size[label] + 1.0)
        key = pattern * k + label
        found = np.stack([np.isin(key, x[0] * k + x[1]) for x in both], axis=1)
        right, which = np.unique(found, axis=0, return_inverse=True)
        if not len(right):
            return [PooledAccuracy(np.zeros((1, len(both)), dtype=bool), np.zeros(1), 1.0, k / 3.0)]
        return [PooledAccuracy(right, np.asarray(np.bincount(np.ravel(which), weights), dtype=float), 1.0, k / 3.0)]

    def units(self) -> None:
        """Label sets have no weights."""


def refuse_tables(prior: Prior) -> None:
    """Priors that differ from cell to cell."""
    if prior.two_level or prior.table is not None:
        raise BadSetting(
            f"items with several labels need the prior even, jeffreys, uniform or a weight; got {prior.name}."
        )


# -- over items
#
# Over items: means over items with many labels, and quotients of sums over all their labels, with exact laws.
#
# A mean over items (`samples-`) has the prior of graded values, Hamming loss weight on the ends of its range; a micro
# average that is a linear quotient of the cells of all labels added up has weight ½ on each of these cells.

MadeUp = tuple[Array, Array]

STREAM: Final = 50_021


def item_cells(t: Multilabel, system: int = 0) -> dict[str, Array]:
    """Right, false, missed and other labels of every pattern."""
    truth, answers, both = t.memberships()
    many = len(t.cells)
    size, said, tp = (np.bincount(x[0], minlength=many).astype(float) for x in (truth, answers[system], both[system]))
    return {"tp": tp, "fp": said - tp, "fn": size - tp, "tn": len(t.labels) - size - said + tp}


@dataclass(frozen=True, eq=False, repr=False)
class OverItems(MetricOfUnits):
    """A measure Σ top·G / Σ bottom·G over items, each with a top and a bottom of its own."""

    metric: Metric

    def parts(self, system: int) -> tuple[Array, Array]:
        """What each pattern adds above and below the line."""
        del system
        raise self._unasked("parts")

    def atoms(self) -> Units:
        """The prior's units of one system: what they add above and below the line."""
        raise self._unasked("a prior")

    def made_up(self) -> MadeUp:
        """Items of the prior, where it has any: their middles (choices, systems), and how far off a value may be."""
        return np.zeros((1, 1)), np.zeros(1)

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int], at: MadeUp) -> tuple[Array, Array]:
        """Draws of what the prior adds above and below the line of each system's quotient."""
        del rng, size, at
        raise self._unasked("a prior")

    @cached_property
    def score(self) -> Array:
        """Of the items themselves."""
        top, bottom = self.parts(0)
        counts = self.state.evidence.counts
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((top * counts).sum() / (bottom * counts).sum())

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the items."""
        shapes, systems = self.state.evidence.effective, range(len(self.state.evidence.systems))
        own = stream(seed, self.state.evidence.cells, shapes)
        rng = np.random.Generator(np.random.SFC64([own, STREAM]))
        top, bottom = (np.stack(x, axis=1) for x in zip(*(self.parts(s) for s in systems), strict=True))
        out, at = np.empty((n, len(systems))), self.made_up()
        size = max(1, 5_000_000 // len(top))
        for i in range(0, n, size):
            m = min(size, n - i)
            mass = rng.standard_gamma(shapes, (m, len(top)))
            up, down = self.prior_mass(rng, (m, len(systems)), at)
            out[i : i + m] = (mass @ top + up) / (mass @ bottom + down)
        return out

    @property
    def _stretch(self) -> Stretch | None:
        """None, but for means of values."""
        return None

    def ratio(self) -> Ratio:
        """Of one system: items, and those of the prior."""
        units = Units(np.stack(self.parts(0), axis=1), self.state.evidence.effective) + self.atoms()
        return units.ratio(*LINES, self._stretch)

    @property
    def remarks(self) -> Notes:
        """That labels stay together."""
        return label_notes(self.state)


@dataclass(frozen=True, eq=False, repr=False)
class MeanOverItems(OverItems):
    """The mean over items of a measure of each item's own labels; 0 where it is undefined, as in scikit-learn."""

    @cached_property
    def of_item(self) -> Metric:
        """The measure of one item's own labels."""
        base = self.metric.base
        return base if base is not None else replace(parse_metric("error-rate"), multiclass=None)

    @cached_property
    def weight(self) -> float:
        """The prior's on either end; Hamming loss is a mean over (item, label) pairs."""
        if not np.isfinite(self.metric.bounds).all():
            raise BadSetting(
                f"{self.metric} has no bound, and a mean over items needs one; ask for micro or macro averages."
            )
        refuse_tables(self.state.prior)
        share = 1.0 / len(self.state.evidence.labels) if self._is_hamming else 1.0
        return self.state.prior.outcome()[0] * share

    @property
    def _is_hamming(self) -> bool:
        return self.metric.average == ""

    @cached_property
    def values(self) -> Array:
        """Of the patterns that occur, (patterns, systems)."""
        kept = self.state.evidence.counts > 0
        return np.stack([self.parts(s)[0][kept] for s in range(len(self.state.evidence.systems))], axis=1)

    def _ends(self, system: int = 0) -> tuple[float, float]:
        """Where the prior's weight is: as for graded values; on the bounds of Hamming loss, or without items."""
        seen = self.values[:, system]
        return self.metric.bounds if self._is_hamming or not len(seen) else ends(seen, self.metric.bounds)

    def parts(self, system: int) -> tuple[Array, Array]:
        """The value of each pattern, and 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(self.of_item.formula(**item_cells(self.state.evidence, system)), dtype=float)
        value = np.where(np.isnan(value), 0.0, value)
        return value, np.ones_like(value)

    @property
    def _stretch(self) -> Stretch:
        """As of graded values; Hamming loss is a mean over right and wrong labels."""
        counts, value = self.state.evidence.effective, self.parts(0)[0]
        share = 1.0 if self._is_hamming or not self.weight else spread_share(value, counts, self.metric.bounds)
        centre = (counts @ value + self.weight * sum(self._ends())) / (counts.sum() + 2.0 * self.weight)
        return Stretch(float(centre), stretch_factor(float(counts.sum()), share), *self.metric.bounds)

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the items; one alone is stretched."""
        x = super().joint_draws(n, seed)
        return self._stretch(x) if x.shape[1] == 1 else x

    def atoms(self) -> Units:
        """Both ends."""
        return Units(np.stack([self._ends(), np.ones(2)], axis=1), np.full(2, self.weight))

    def made_up(self) -> MadeUp:
        """Of several systems on the same items: those of graded values."""
        values, bounds = self.values, self.metric.bounds
        if values.shape[1] > 1 and len(values) and not self._is_hamming:
            half = 0.5 * spreads(values, bounds)
            middle = centres(values, bounds, 2 * float(half.max()))
            return np.outer(middle, np.ones(len(half))), half
        at = np.array([self._ends(s) for s in range(values.shape[1])])
        return at.mean(axis=1)[None], 0.5 * np.ptp(at, axis=1)

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int], at: MadeUp) -> tuple[Array, Array]:
        """One Gamma for all systems, dealt to made-up items; each system has a coin of its own."""
        total = rng.standard_gamma(2 * self.weight, (size[0], 1))
        return made_up_means(rng, size[0], 2 * self.weight, *at) * total, total * np.ones(size)

    def gap_ratio(self) -> Ratio:
        """The mean of the differences, with the prior of differences of graded values."""
        most, shapes = self._most, self.state.evidence.effective
        gaps = Units((self.parts(0)[0] - self.parts(1)[0])[:, None], shapes)
        prior = Units(np.array([[most], [-most], [0.0]]), self.weight * np.array([0.5, 0.5, 1.0]))
        both = gaps + prior
        return Ratio(both.features[:, 0], np.ones(len(both.shapes)), both.shapes)

    @property
    def _most(self) -> float:
        """Where a difference has the prior's weight."""
        low, high = self.metric.bounds
        return largest(self.values, self.metric.bounds) if self._follows_values else high - low

    @property
    def _follows_values(self) -> bool:
        return bool(len(self.values)) and not self._is_hamming

    def gap_remarks(self, drawn: bool) -> Notes:
        """Where the prior of the difference is."""
        notes = super().gap_remarks(drawn)
        if not self._follows_values:
            return notes
        seen = bool((self.values[:, 0] != self.values[:, 1]).any())
        form = {"form": "difference", "largest": self._most, "seen": seen, "weight": self.weight}
        return (*notes, note("prior-from-data", None, **form))

    @property
    def pairs_differ(self) -> bool:
        """Two systems have the largest difference of the two, more have made-up items for all."""
        return not self._is_hamming and len(self.state.evidence.systems) > 2

    @property
    def prior_note(self) -> Note | None:
        """Where the weight is."""
        if self.state.prior.name != "even":
            return None
        return note("prior", rule="item-pairs" if self._is_hamming else "item-values")


@dataclass(frozen=True, eq=False, repr=False)
class AddedUp(OverItems):
    """A micro average that is a linear quotient of the cells of all labels added up."""

    @cached_property
    def form(self) -> Linear:
        """The quotient."""
        found = self.metric.base.reading.form if self.metric.base is not None else None
        assert isinstance(found, Linear)  # noqa: S101 - is_quotient looked
        return found

    def parts(self, system: int) -> tuple[Array, Array]:
        """What each pattern adds above and below the line."""
        cells = item_cells(self.state.evidence, system)
        top, bottom = (
            np.asarray(np.sum([w * cells[c] for w, c in zip(part, CELLS, strict=True)], axis=0))
            for part in (self.form.top, self.form.bottom)
        )
        return top, bottom

    def atoms(self) -> Units:
        """One item in each cell."""
        return Units(np.array([self.form.top, self.form.bottom]).T, np.full(4, MICRO))

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int], at: MadeUp) -> tuple[Array, Array]:
        """½ on each cell of every system."""
        del at
        own = rng.standard_gamma(MICRO, (*size, 4))
        return own @ np.array(self.form.top), own @ np.array(self.form.bottom)

    def pair_units(self) -> Units:
        """Items, and those that the prior adds to each system by itself."""
        seen = np.concatenate([np.stack(self.parts(s), axis=1) for s in (0, 1)], axis=1)
        atoms, none = self.atoms(), np.zeros((4, 2))
        each = (np.concatenate([atoms.features, none], axis=1), np.concatenate([none, atoms.features], axis=1))
        prior = Units(np.concatenate(each), np.tile(atoms.shapes, 2))
        return Units(seen, self.state.evidence.effective) + prior

    @property
    def gap_size(self) -> int:
        """Fewer draws of many labels."""
        n = super().gap_size
        drawing = LabelDrawing(self.state.evidence, self.state.prior, self.metric.classes_count_alike)
        return max(min(n, 10_000), min(n, 60_000_000 // drawing.plan().cost))

    @property
    def prior_note(self) -> Note | None:
        """½ on each cell of the table of all labels."""
        return None if self.state.prior.name != "even" else note("prior", rule="added-up")


def is_quotient(metric: Metric) -> bool:
    """Whether it is a linear quotient with something below the line wherever there is something above."""
    form = metric.reading.form
    return (
        isinstance(form, Linear)
        and not metric.reading.outer
        and all(b or not a for a, b in zip(form.top, form.bottom, strict=True))
    )
