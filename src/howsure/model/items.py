"""Graded values under the Bayesian bootstrap: weights of the items from a Dirichlet (Rubin 1981), and their mean.

The mean is a linear quotient of Gammas, so its law is exact, and so is that of a difference between two systems on the
same items: the mean of the differences. Where the values have known bounds, the prior `even` puts weight 1 on each:
a value that is always the same still has an interval, and values of 0 and 1 give the posterior of a rate. With clusters
each unit of prior weight is a whole cluster of mean size.

Pooled items (a sum of tops over a sum of bottoms, as micro averages over queries are) are the same quotient, with
bottoms of their own; the prior's items have the mean size. Two systems whose bottoms differ, and items that may have
one of several values, are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure import priors
from howsure.distribution import Distribution
from howsure.errors import BadSetting, listing
from howsure.evidence.items import Items, Mean
from howsure.kernels.sampled import Sampled
from howsure.kernels.sticks import sticks
from howsure.language import option
from howsure.model.means import mean_law
from howsure.model.question import Gap, Question, drawn_gap, exact_gap, nothing_more, nothing_shared
from howsure.model.state import State
from howsure.notes import Note, Notes, note
from howsure.priors import Prior

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]

CHUNK: Final = 20_000_000  # Gammas drawn at a time
LEFT: Final = 1e-8  # of the prior's mass for the last atom, where its ends are too many to list
FEW_SYSTEMS: Final = 6
DRAWS: Final = 200_000  # at most, where a law is drawn
ROUNDING: Final = 16 * float(np.finfo(float).eps)
STREAM: Final = 20_011


@dataclass(frozen=True, eq=False, repr=False)
class MeanOfItems(Question):
    """The mean of graded values of the items of one measure."""

    metric: Mean

    @cached_property
    def items(self) -> Items:
        """The items of this measure."""
        found: Items = self.state.evidence.only(self.metric)
        return found if self._has_prior else replace(found, bounds=None)

    @property
    def shown(self) -> str:
        """Its own name, whatever it was asked by."""
        return self.metric.name

    @property
    def _has_prior(self) -> bool:
        return self.state.prior.name != "none"

    @cached_property
    def score(self) -> Array:
        """The mean of the values themselves."""
        sums, sizes, shapes = self.items.units
        below = float((sizes[:, 0] * shapes).sum())
        return np.asarray((sums * shapes[:, None]).sum() / below if below else np.nan)

    def law(self) -> tuple[Law, str]:
        """Exact, but for items with versions."""
        if len(self.items.systems) != 1:
            raise BadSetting(
                f"these items have {len(self.items.systems)} systems, {listing(self.items.systems)}: take one, "
                f"items.system({self.items.systems[0]!r}), or name two to compare."
            )
        self._refuse_constant()
        if self.items.versions is not None:
            return self._drawn_law(self.draws(self._number, self.state.seed))
        top, bottom, shapes = self._parts
        return mean_law(top[:, 0], bottom, shapes)

    @property
    def _number(self) -> int:
        """As many draws as the tolerance needs, fewer of many items."""
        return min(DRAWS, self.state.wanted_draws(1.3), max(20_000, 4 * CHUNK // max(1, len(self.items.values))))

    def _drawn_law(self, draws: Array) -> tuple[Sampled, str]:
        return Sampled(np.sort(draws, axis=0), *(self.items.bounds or (-np.inf, np.inf))), "sampled"

    def _refuse_constant(self) -> None:
        """A system whose value is always the same has no spread to resample."""
        if self.items.bounds is not None:
            return
        sums, sizes, _ = self.items.units
        for name, column in zip(self.items.systems, sums.T, strict=True):
            ratio = column / sizes[:, 0]
            if np.ptp(ratio) <= ROUNDING * np.abs(ratio).max():
                what = "values" if self.items.clusters is None else "cluster means"
                raise BadSetting(
                    f"all {len(sizes):,} {what} of {name} are {ratio[0]:g}: resampling cannot tell how sure that is. "
                    f"Give the bounds that a value can have, such as {option('bounds', (0, 1))}."
                )

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """Sums, sizes and shapes of items (or clusters) and of the prior's atoms."""
        sums, sizes, shapes = self.items.units
        if self.items.bounds is None:
            return sums, sizes, shapes
        ends = np.array(list(product(self.items.bounds, repeat=len(self.items.systems))), dtype=float)
        weight = np.full(len(ends), 2.0 / len(ends))
        size = np.ones((len(ends), 1)) * self._prior_size
        return np.concatenate([sums, ends * size]), np.concatenate([sizes, size]), np.concatenate([shapes, weight])

    @property
    def _prior_size(self) -> Any:
        """The size of an item of the prior: 1, or the mean size where items (or clusters) have sizes of their own."""
        if self.items.sizes is not None:
            return np.maximum(self.items.sizes.mean(axis=0), 1e-300)
        return 1.0 if self.items.clusters is None else float(self.items.units[1].mean())

    # -- draws

    def joint_draws(self, n: int, seed: int) -> Array:
        """The mean of every system, from the same weights of the items."""
        self._refuse_constant()
        dealt = self.items.bounds is not None and len(self.items.systems) > FEW_SYSTEMS
        top, bottom, shapes = self.items.units if dealt else self._parts
        rng = np.random.Generator(np.random.SFC64([seed, STREAM]))
        size = max(1, CHUNK // len(shapes))
        versions = self.items.versions
        out = []
        for start in range(0, n, size):
            many = (min(size, n - start), len(shapes))
            mass = rng.standard_exponential(many) if (shapes == 1).all() else rng.standard_gamma(shapes, many)
            above, below = mass @ top, mass @ bottom
            if versions is not None:
                above += self._swapped(rng, mass[:, : len(self.items.values)], versions)
            if dealt:
                more = self._dealt(rng, many[0])
                above, below = above + more[0], below + more[1]
            out.append(above / below)
        return np.concatenate(out)

    def _swapped(self, rng: np.random.Generator, mass: Array, versions: Array) -> Array:
        """What the sums gain when every item of every draw has one of its versions in place of its value."""
        gain = versions - self.items.values[..., None]
        which = rng.integers(0, versions.shape[2], mass.shape)
        at = np.arange(len(self.items.values))
        return np.stack([(mass * gain[at, s, which]).sum(axis=1) for s in range(gain.shape[1])], axis=1)

    def _dealt(self, rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        """Draws of the prior's sums and sizes by stick-breaking: 2^systems corners need no enumeration."""
        ends, systems = np.array(self.items.bounds), len(self.items.systems)
        total = rng.standard_gamma(2.0, (n, 1))
        sums = np.zeros((n, systems))
        for part in sticks(rng, np.array([2.0]), n, LEFT)[0]:
            sums += part[:, None] * ends[rng.integers(0, 2, (n, systems))]
        return sums * total * self._prior_size, total * self._prior_size

    # -- two systems

    def difference(self) -> Gap:
        """The mean difference on the same items: exact where there is a quotient of Gammas."""
        self._refuse_constant()
        name = f"difference of {self.metric}"
        if self._is_drawn:
            width = np.inf if self.items.bounds is None else self.items.bounds[1] - self.items.bounds[0]
            drawn = Sampled(np.sort(self._gap_draws(self._number, self.state.seed)), -width, width)
            return drawn_gap(Distribution(name, drawn, "sampled", self._gap_draws, notes=self.remarks))
        (first, second), notes = self.items.systems, self.remarks
        top, bottom, shapes = self._parts
        gap = top[:, 0] - top[:, 1]
        ratio = gap / bottom[:, 0]
        rounding = ROUNDING * np.abs(top / bottom).sum(axis=1)
        if (np.abs(ratio - np.median(ratio)) <= rounding).all():
            low, high = float(self.items.values.min()), float(self.items.values.max())
            spread = replace(self.state.evidence.only(self.metric), bounds=(low, high))
            bounded = replace(self.state.seeing(spread), prior=priors.make("even"))
            top, bottom, shapes = replace(self, state=bounded)._parts
            gap = top[:, 0] - top[:, 1]
            by = float(np.median(ratio)) if ratio.any() else None
            notes = (*notes, note("identical", first=first, second=second, by=by, low=low, high=high))
        if self.items.bounds is None and ((gap >= 0).all() or (gap <= 0).all()):
            notes = (*notes, note("one-sided", system=first if (gap >= 0).all() else second))
        law, route = mean_law(gap, bottom[:, 0], shapes)
        return exact_gap(Distribution(name, law, route, self._gap_draws, notes=notes), route)

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return first - second

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
        up, down = int((one > two).sum()), int((one < two).sum())
        first, second = (down, up) if self.metric.better == "lower" else (up, down)
        return first, second, len(one) - up - down

    def classical_tests(self) -> dict[str, float | None]:
        """Sign test, Wilcoxon's signed ranks, and a permutation test."""
        from howsure.kernels.classical_tests import of_values

        if self.items.weighted:
            raise BadSetting("these tests take a single table of unweighted items.")
        if self.items.clusters is not None:
            raise BadSetting("these tests take independent items, not clusters of them.")
        one, two = self.items.values.T
        return of_values(one, two, self.state.seed)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """1 on each bound, or none."""
        return note("prior", rule="none" if self.items.bounds is None else "bounds")

    @property
    def remarks(self) -> Notes:
        """Weights and clusters."""
        notes = list(self.items.notes)
        if self.items.weighted:
            notes.append(note("weighted", of="items"))
        if self.items.clusters is not None:
            notes.append(note("clusters", count=self.items.clustered))
        return tuple(notes)

    @property
    def columns(self) -> dict[str, Any]:
        """trec_eval's name of a measure of queries."""
        return {"trec_eval": self.metric.trec_eval} if self.metric.called else {}


extras = nothing_more
prepare = nothing_shared


def settle_prior(evidence: Items, given: Any) -> Prior:
    """Even on the bounds of the values, where they have any; or none."""
    made = priors.make(given)
    if made.name not in ("even", "none"):
        raise BadSetting(f"items take the prior even (on {option('bounds')} of their values) or none; got {made.name}.")
    return made if evidence.bounds is not None else priors.make("none")


def prior_total(state: State) -> float:
    """1 on each bound."""
    return 0.0 if state.prior.name == "none" else 2.0


def parse(state: State, name: Any) -> Mean:
    """The measure of that name among those that the items have."""
    items: Items = state.evidence
    return items.only(name).measure


def question(state: State, metric: Mean, asked: str) -> MeanOfItems:
    """The mean of the values."""
    return MeanOfItems(state, metric, asked)


def names(state: State) -> tuple[str, ...]:
    """The measures that the items have values of."""
    items: Items = state.evidence
    return items.measures


table = names


def default(state: State) -> str:
    """The first measure."""
    items: Items = state.evidence
    return items.measure.name


def draws(state: State, n: int, seed: int, metrics: Any) -> Any:
    """n joint draws of a measure of every system, (n, systems); of the first one unless told."""
    name = default(state) if metrics is None else metrics
    return question(state, parse(state, name), str(name)).joint_draws(n, seed)
