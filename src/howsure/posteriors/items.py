"""Graded values under the Bayesian bootstrap: weights of the items from a Dirichlet (Rubin 1981), and their mean.

The mean is a linear quotient of Gammas, so its law is exact, and so is that of a difference between two systems on the
same items: the mean of the differences. The prior is read off the values seen (posteriors/unit_prior.py): a value
that is always the same still has an interval where its bounds are known, and values of 0 and 1 give the posterior of
a rate. With clusters each unit of prior weight is a made-up cluster, and the distribution is stretched
(posteriors/unit_prior.py).

Pooled items (a sum of tops over a sum of bottoms, as micro averages over queries are) are the same quotient. Systems
whose bottoms differ, and items that may have one of several values, are sampled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Integers
from howsure.distributions.alike import deal_sums
from howsure.distributions.sampled import Sampled
from howsure.distributions.sampling import generator
from howsure.distributions.stretched import Stretch
from howsure.errors import BadSetting, listing
from howsure.evidence.graded import Graded, Mean
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import priors
from howsure.posteriors.cluster_prior import stretch_pair
from howsure.posteriors.estimand import nothing_more, nothing_shared
from howsure.posteriors.future_units import PlannedItems
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.state import State
from howsure.posteriors.unit_prior import ROUNDING, UnitPrior, alike, made_up_means
from howsure.posteriors.units import CHUNK, NUMEROUS, MetricOfUnits, Ratio, masses, nearly_normal, normal_sums

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law


DRAWS: Final = 200_000  # at most, where a law is drawn
STREAM: Final = 20_011


@dataclass(frozen=True, eq=False, repr=False)
class MeanOfItems(PlannedItems, MetricOfUnits):
    """The mean of graded values of the items of one measure."""

    metric: Mean

    @cached_property
    def observed(self) -> Graded:
        """The items of this measure."""
        found: Graded = self.state.evidence.only(self.metric)
        return found

    @cached_property
    def items(self) -> Graded:
        """The same, with bounds where the prior makes use of them."""
        return self.observed if self._weight else replace(self.observed, bounds=None)

    @property
    def shown(self) -> str:
        """Its own name, whatever it was asked by."""
        return self.metric.name

    @property
    def _weight(self) -> float:
        """The prior's weight on either end."""
        return self.state.prior.outcome()[0]

    @cached_property
    def prior(self) -> UnitPrior:
        """Where the prior's made-up units are, and how large."""
        return UnitPrior(self.items, self._seen)

    @cached_property
    def _seen(self) -> Array:
        """The values of items that have a part in the mean, NaN for others."""
        sizes = self.items.sizes
        return self.items.values if sizes is None else np.where(sizes > 0, self.items.values, np.nan)

    @cached_property
    def score(self) -> Array:
        """The mean of the values themselves."""
        sums, sizes, shapes = self.items.units
        below = float((sizes[:, 0] * shapes).sum())
        return np.asarray((sums * shapes[:, None]).sum() / below if below else np.nan)

    def dealt_scores(self, sizes: Integers, rng: np.random.Generator) -> Array:
        """The means of parts of so many items, or clusters, taken at random; with replacement by weights of items."""
        items = self.items
        if items.clusters is None and items.sizes is None:
            sums, below = deal_sums(items.values, items.counts, items.weights, sizes, rng)[:, 0], sizes
        else:
            units = np.column_stack([x[:, 0] for x in items.units[:2]])
            sums, below = deal_sums(units, items.units[2], None, sizes, rng).T
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / below)

    def refuse(self) -> None:
        """Refuse several systems, and values that are all the same."""
        if len(self.items.systems) != 1:
            raise BadSetting(
                f"these items have {len(self.items.systems)} systems, {listing(self.items.systems)}: take one, "
                f"items.system({self.items.systems[0]!r}), or name two to compare."
            )
        self._refuse_constant()

    @property
    def unit(self) -> str:
        """Items, or whole clusters."""
        return "item" if self.items.clusters is None else "cluster"

    def ratio(self) -> Ratio | None:
        """Of one system, but for items with versions."""
        if self.items.versions is not None:
            return None
        top, bottom, shapes = self._parts
        return Ratio(top[:, 0], bottom[:, 0], shapes, self._stretches[0], self._weighed)

    @property
    def _weighed(self) -> bool:
        return self.items.weighted and self.items.clusters is None

    def law(self) -> tuple[Law, str]:
        """Exact, but for items with versions."""
        if self.items.versions is None:
            return super().law()
        self.refuse()
        return Sampled(np.sort(self.draws(self._number, self.state.seed), axis=0), *self.bounds), "sampled"

    @property
    def bounds(self) -> tuple[float, float]:
        """Those that the prior makes use of."""
        return self.items.bounds or (-np.inf, np.inf)

    @property
    def _number(self) -> int:
        """As many draws as the tolerance needs, fewer of many items."""
        return min(DRAWS, self.state.wanted_draws(1.3), max(20_000, 4 * CHUNK // max(1, len(self.items.values))))

    def _refuse_constant(self) -> None:
        """A system whose value is always the same has no spread to resample."""
        if self.items.bounds is not None:
            return
        sums, sizes, _ = self.items.units
        with np.errstate(invalid="ignore"):
            resampled = self._seen if self._weight else sums / sizes
        for name, column in zip(self.items.systems, resampled.T, strict=True):
            if alike(column):
                whole = not self._weight and self.items.clusters is not None
                what = f"{len(column):,} cluster means" if whole else f"{self.items.n:,} values"
                way = f"Give the bounds that a value can have, such as {option('bounds', (0, 1))}."
                if self.observed.bounds is not None:  # which only a prior can make use of
                    way = f"Use {option('prior', 'even')}, which puts weight on the bounds."
                raise BadSetting(
                    f"all {what} of {name} are {np.fmax.reduce(column):g}: resampling cannot tell how "
                    f"sure that is. {way}"
                )

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """Sums, sizes and shapes of items (or clusters) and of the prior's two ends, of one system."""
        sums, sizes, shapes = self.items.units
        if not self._weight:
            return sums, sizes, shapes
        at = np.array(self.prior.ends(0))[:, None]
        size = np.ones((2, 1)) * self.prior.sizes[0]
        weight = np.full(2, self._weight)
        return np.concatenate([sums, at * size]), np.concatenate([sizes, size]), np.concatenate([shapes, weight])

    @cached_property
    def _stretches(self) -> tuple[Stretch, ...]:
        """Of each system."""
        return tuple(self.prior.stretch(s, self._weight) for s in range(len(self.items.systems)))

    # -- draws

    def joint_draws(self, n: int, seed: int) -> Array:
        """The mean of every system, from the same weights of the items; differences of two have the prior of a pair."""
        if len(self.items.systems) == 2:
            sizes = self.prior.mean_size * self.prior.gap_share
            return stretch_pair(self._drawn(n, seed, *self.prior.around(), sizes), self._gap_stretch)
        x = self._drawn(n, seed, *self.prior.around(), self.prior.sizes)
        return self._stretched(x) if x.shape[1] == 1 or (self.prior.shares < 1).any() else x

    def _stretched(self, x: Array) -> Array:
        return np.stack([s(column) for s, column in zip(self._stretches, x.T, strict=True)], axis=1)

    def draws_apart(self, n: int, seed: int) -> Array:
        """The same, but each system has the law that it has alone; its ends of the prior are its own."""
        at = np.array([self.prior.ends(s) for s in range(len(self.items.systems))])
        return self._stretched(self._drawn(n, seed, at.mean(axis=1)[None], 0.5 * np.ptp(at, axis=1), self.prior.sizes))

    def _drawn(self, n: int, seed: int, middle: Array, half: Array, size: Array) -> Array:
        """Draws of all systems, the prior's items of several at one of the middles (choices, systems), ± half."""
        self._refuse_constant()
        dealt = bool(self._weight) and len(self.items.systems) > 1
        top, bottom, shapes = self.items.units if dealt else self._parts
        rng = generator(seed, STREAM, self.items.values)
        out = []
        for above, below in self._sums(rng, top, bottom, shapes, n):
            if dealt:
                more = self._dealt(rng, len(above), middle, half, size)
                above, below = above + more[0], below + more[1]
            out.append(above / below)
        return np.concatenate(out)

    def _sums(
        self, rng: np.random.Generator, top: Array, bottom: Array, shapes: Array, n: int
    ) -> Iterator[tuple[Array, Array]]:
        """Draws of the sums of values and of sizes, some at a time; of very many items at once, if these are normal."""
        versions = self.items.versions
        if versions is None and n * len(shapes) > NUMEROUS and nearly_normal(top, bottom, shapes):
            yield normal_sums(rng, top, bottom, shapes, n)
            return
        for mass in masses(rng, shapes, n):
            above, below = mass @ top, mass @ bottom
            if versions is not None:
                above += self._swapped(rng, mass[:, : len(self.items.values)], versions)
            yield above, below

    def _swapped(self, rng: np.random.Generator, mass: Array, versions: Array) -> Array:
        """What the sums gain when every item of every draw has one of its versions in place of its value."""
        gain = versions - self.items.values[..., None]
        which = rng.integers(0, versions.shape[2], mass.shape)
        at = np.arange(len(self.items.values))
        return np.stack([(mass * gain[at, s, which]).sum(axis=1) for s in range(gain.shape[1])], axis=1)

    def _dealt(self, rng: np.random.Generator, n: int, middle: Array, half: Array, size: Array) -> tuple[Array, Array]:
        """Draws of the prior's sums and sizes."""
        total = rng.standard_gamma(2 * self._weight, (n, 1)) * size
        return made_up_means(rng, n, 2 * self._weight, middle, half) * total, total

    # -- two systems

    def gap_ratio(self) -> Ratio | None:
        """The mean difference on the same items, where both have the same sizes."""
        self._refuse_constant()
        return None if self._is_drawn else Ratio(*self._gap_parts, self._gap_stretch, self._weighed)

    @property
    def gap_size(self) -> int:
        """Fewer draws of many items."""
        return self._number

    @cached_property
    def _gap_stretch(self) -> Stretch:
        return self.prior.gap_stretch(*self._gap_parts)

    @cached_property
    def _gap_parts(self) -> tuple[Array, Array, Array]:
        """Differences of the sums, sizes and shapes of items (or clusters) and of the prior's atoms."""
        sums, sizes, shapes = self.items.units
        gap, bottom = sums[:, 0] - sums[:, 1], sizes[:, 0]
        if self._shift is not None:  # rounding is no spread
            gap = self._shift * bottom
        weight = self._weight or (0.0 if self._shift is None else 1.0)
        if not weight:
            return gap, bottom, shapes
        size = float(self.prior.mean_size[0]) * self.prior.gap_share
        at = size * self.prior.largest * np.array([1.0, -1.0, 0.0])
        more = weight * np.array([0.5, 0.5, 1.0])
        return np.concatenate([gap, at]), np.concatenate([bottom, np.full(3, size)]), np.concatenate([shapes, more])

    @cached_property
    def _shift(self) -> float | None:
        """By how much the two differ, where that is the same on every item (or in every cluster)."""
        sums, sizes, _ = self.items.units
        sums, sizes = sums[sizes[:, 0] > 0], sizes[sizes[:, 0] > 0]
        ratio = (sums[:, 0] - sums[:, 1]) / sizes[:, 0]
        usual = float(np.median(ratio))
        rounding = ROUNDING * np.abs(sums / sizes).sum(axis=1)
        return usual if (np.abs(ratio - usual) <= rounding).all() else None

    def gap_remarks(self, drawn: bool) -> Notes:
        """What is to be said of the difference."""
        (first, second), notes = self.items.systems, list(self.remarks)
        at = self.prior.largest
        seen = self._shift is None or abs(self._shift) > 0.5 * at  # else the range stands for differences
        if self._weight:
            form = "joint" if drawn else "difference"
            notes.append(note("prior-from-data", form=form, largest=at, seen=seen, weight=self._weight))
        if self._shift is not None:
            by = self._shift if seen else None
            notes.append(note("identical", first=first, second=second, by=by, largest=None if self._weight else at))
        elif not self._weight and not drawn and not np.ptp(np.sign(self._gap_parts[0])) > 1:
            notes.append(note("one-sided", system=first if (self._gap_parts[0] > 0).any() else second))
        return tuple(notes)

    def _gap_draws(self, n: int, seed: int) -> Array:
        if self._is_drawn:
            return super()._gap_draws(n, seed)
        top, bottom, shapes = self._gap_parts
        rng = generator(seed, STREAM, top, bottom, shapes)
        return self._gap_stretch(np.concatenate([(mass @ top) / (mass @ bottom) for mass in masses(rng, shapes, n)]))

    @property
    def pairs_differ(self) -> bool:
        """Two systems have the largest difference of the two, more have made-up items for all."""
        return bool(self._weight) and len(self.items.systems) > 2

    @property
    def _is_drawn(self) -> bool:
        """Whether there is no quotient of Gammas: items with versions, or with sizes that differ between systems."""
        sizes = self.items.sizes
        return self.items.versions is not None or (sizes is not None and bool((sizes != sizes[:, [0]]).any()))

    def wins(self) -> tuple[int, int, int] | None:
        """Items on which either has the better value; items of clusters are not independent, and are not counted."""
        if self.items.clusters is not None:
            return None
        one, two = self.items.values.T
        alike = np.ones(len(one)) if self.items.counts is None else self.items.counts
        up, down = int(alike[one > two].sum()), int(alike[one < two].sum())
        first, second = (down, up) if self.metric.better == "lower" else (up, down)
        return first, second, self.items.n - up - down

    def classical_tests(self) -> dict[str, float | None]:
        """Sign test, Wilcoxon's signed ranks, and a permutation test."""
        from howsure.distributions.classical_tests import of_values

        if self.items.weighted:
            raise BadSetting("these tests need a single table of unweighted items.")
        if self.items.clusters is not None:
            raise BadSetting("these tests need independent items, not clusters of them.")
        values, counts = self.items.values, self.items.counts
        one, two = (values if counts is None else np.repeat(values, counts.astype(np.int64), axis=0)).T
        return of_values(one, two, self.state.seed)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """Where the weight is, or that there is none."""
        if not self._weight:
            return note("prior", rule="none")
        form, name = "range" if self.items.bounds is None else "bounds", self.state.prior.name
        if form == "bounds" and len(self.items.systems) == 1 and alike(self._seen):
            form = "alike"
        whole = self.items.clusters is not None
        return note("prior-from-data", form=form, prior=name, weight=self._weight, clusters=whole)

    @property
    def remarks(self) -> Notes:
        """Weights and clusters."""
        notes = [*self.items.notes, *([note("weighted", of="items")] if self.items.weighted else [])]
        if self.items.clusters is not None:
            notes.append(note("clusters", count=self.items.clustered))
        return tuple(notes)

    @property
    def columns(self) -> dict[str, Any]:
        """trec_eval's name of a measure of queries."""
        return {"trec_eval": self.metric.trec_eval} if self.metric.called else {}


extras = nothing_more
prepare = nothing_shared


def settle_prior(evidence: Graded, given: Any) -> Prior:
    """One weight for either end of the values seen, or none."""
    del evidence
    made = refuse_shared(priors.make(given), "these are graded values")
    if made.table is not None or made.two_level:
        raise BadSetting(f"graded values need the prior even, none or a weight such as 0.5; got {made.name}.")
    return made


def prior_total(state: State) -> float:
    """On both ends."""
    return float(sum(state.prior.outcome()))


def parse(state: State, name: Any) -> Mean:
    """The measure of that name among those that the items have."""
    items: Graded = state.evidence
    return items.only(name).measure


def question(state: State, metric: Mean, asked: str) -> MeanOfItems:
    """The mean of the values."""
    return MeanOfItems(state, metric, asked)


def names(state: State) -> tuple[str, ...]:
    """The measures that the items have values of."""
    items: Graded = state.evidence
    return items.measures


table = names


def default(state: State) -> str:
    """The first measure."""
    return str(state.evidence.measure.name)


def draws(state: State, n: int, seed: int, metrics: Any) -> Any:
    """n joint draws of a measure of every system, (n, systems); of the first one unless told."""
    name = default(state) if metrics is None else metrics
    return question(state, parse(state, name), str(name)).draws_apart(n, seed)
