"""Items under the Bayesian bootstrap: weights of the items from a Dirichlet (Rubin 1981), and the law of their mean.

The mean is a linear quotient of Gammas, so its law is exact, and so is that of a difference between two systems on the
same items: the mean of the differences. Where the values have known bounds, the prior `even` puts weight 1 on each:
a value that is always the same still has an interval, and values of 0 and 1 give the posterior of a rate.

Pooled items (a sum of tops over a sum of bottoms, as micro averages over queries are) are the same quotient, with
bottoms of their own; the prior's items have the mean size. Two systems whose bottoms differ, and items that may have
one of several values, are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution, Note, check_draws, check_seed
from howsure.errors import BadSetting, listing
from howsure.items import Items, Mean
from howsure.kernels.sticks import sticks
from howsure.model.export import to_arviz

Array = NDArray[np.float64]

CHUNK = 20_000_000  # Gammas drawn at a time
LEFT = 1e-8  # of the prior's mass for the last atom, where its ends are too many to list
FEW_SYSTEMS = 6
DRAWS = 200_000  # at most, where a law is drawn
ROUNDING = 16 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Resampled(Mapping[str, Distribution]):
    """What is known of the mean of items; a mapping from measure to Distribution.

    >>> from howsure.ingest.graded import means
    >>> Resampled(means([0.2, 0.9, 0.4, 0.7]))["mean"]
    mean 0.550 [0.321, 0.779] 95% equal-tailed, quadrature
    """

    data: Items
    seed: int = 0

    @property
    def source(self) -> Items:
        """The data."""
        return self.data

    @property
    def prior_document(self) -> dict[str, Any]:
        """Name and total weight of the prior."""
        return {"name": "none", "total": 0} if self.data.bounds is None else {"name": "even", "total": 2}

    def update(self, items: Items) -> Resampled:
        """The posterior after more items."""
        return replace(self, data=self.data + items)

    def system(self, name: str) -> Resampled:
        """The posterior of one system."""
        return replace(self, data=self.data.system(name))

    def measure(self, name: Any) -> Mean:
        """The measure of a name."""
        return self.data.only(name).measure

    def only(self, metric: Any) -> Resampled:
        """The posterior of one measure."""
        if not self.data.rest and self.data.measure.named(metric):
            return self
        return self._parts_known.setdefault(self.measure(metric), replace(self, data=self.data.only(metric)))

    @cached_property
    def _parts_known(self) -> dict[Mean, Resampled]:
        return {}

    def __getitem__(self, metric: Any) -> Distribution:
        return self.only(metric)._distribution

    def __contains__(self, metric: object) -> bool:
        return metric in self.data

    def __iter__(self) -> Iterator[str]:
        return iter(self.data.measures)

    def __len__(self) -> int:
        return len(self.data.parts)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _distribution(self) -> Distribution:
        if len(self.data.systems) != 1:
            raise BadSetting(
                f"these items have {len(self.data.systems)} systems, {listing(self.data.systems)}: take one, "
                f"items.system({self.data.systems[0]!r}), or name two to compare."
            )
        self._refuse_constant()
        if self.data.versions is not None:
            law, route = self._drawn(self._sampler)
        else:
            top, bottom, shapes = self._parts
            law, route = mean_law(top[:, 0], bottom, shapes)
        return Distribution(self.data.measure.name, law, route, self._sampler, notes=self._notes)

    def _drawn(self, sampler: Any, low: float | None = None) -> tuple[Any, str]:
        """A law by draws: as many as the default tolerance needs, fewer of many items."""
        from howsure.kernels.sampled import Sampled

        n = min(DRAWS, max(20_000, 4 * CHUNK // max(1, self.data.n)))
        ends = self.data.bounds or (-np.inf, np.inf)
        return Sampled(np.sort(sampler(n, self.seed), axis=0), ends[0] if low is None else low, ends[1]), "sampled"

    def _refuse_constant(self) -> None:
        """A system whose value is always the same has no spread to resample."""
        if self.data.bounds is not None:
            return
        sums, sizes, _ = self.data.units
        for name, column in zip(self.data.systems, sums.T, strict=True):
            ratio = column / sizes[:, 0]
            if np.ptp(ratio) <= ROUNDING * np.abs(ratio).max():
                what = "values" if self.data.clusters is None else "cluster means"
                raise BadSetting(
                    f"all {len(sizes):,} {what} of {name} are {ratio[0]:g}: resampling cannot tell how sure that is. "
                    "Give the bounds that a value can have, such as bounds=(0, 1)."
                )

    def point(self, metric: Any) -> Array:
        """The mean of the values themselves."""
        sums, sizes, shapes = self.data.only(metric).units
        below = float((sizes[:, 0] * shapes).sum())
        return np.asarray((sums * shapes[:, None]).sum() / below if below else np.nan)

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """Sums, sizes and shapes of items (or clusters) and of the prior's atoms."""
        sums, sizes, shapes = self.data.units
        if self.data.bounds is None:
            return sums, sizes, shapes
        ends = np.array(list(product(self.data.bounds, repeat=len(self.data.systems))), dtype=float)
        weight = np.full(len(ends), 2.0 / len(ends))
        size = np.ones((len(ends), 1)) * self._prior_size
        return np.concatenate([sums, ends * size]), np.concatenate([sizes, size]), np.concatenate([shapes, weight])

    @property
    def _prior_size(self) -> Any:
        """The size of an item of the prior: 1, or the mean size where items have sizes of their own."""
        return 1.0 if self.data.sizes is None else np.maximum(self.data.sizes.mean(axis=0), 1e-300)

    @property
    def _notes(self) -> tuple[Note, ...]:
        notes = [Note(code, text) for code, text in self.data.notes]
        if self.data.weighted:
            notes.append(Note("weighted", _WEIGHTED))
        if self.data.clusters is not None:
            notes.append(Note("clusters", f"whole clusters are resampled: {len(self.data.units[2]):,} of them"))
        return tuple(notes)

    def _sampler(self, n: int, seed: int) -> Array:
        return self.draws(n, seed=seed)[:, 0]

    def draws(self, n: int, *, seed: int = 0) -> Array:
        """n joint draws of the (first) measure of every system, (n, systems)."""
        check_draws(n)
        if self.data.rest:
            return self.only(self.data.measure).draws(n, seed=seed)
        self._refuse_constant()
        dealt = self.data.bounds is not None and len(self.data.systems) > FEW_SYSTEMS
        top, bottom, shapes = replace(self, data=replace(self.data, bounds=None))._parts if dealt else self._parts
        rng = np.random.Generator(np.random.SFC64([check_seed(seed), 20_011]))
        size = max(1, CHUNK // len(shapes))
        versions = self.data.versions
        out = []
        for start in range(0, n, size):
            many = (min(size, n - start), len(shapes))
            mass = rng.standard_exponential(many) if (shapes == 1).all() else rng.standard_gamma(shapes, many)
            above, below = mass @ top, mass @ bottom
            if versions is not None:
                above += self._swapped(rng, mass[:, : self.data.n], versions)
            if dealt:
                more = self._dealt(rng, many[0])
                above, below = above + more[0], below + more[1]
            out.append(above / below)
        return np.concatenate(out)

    def _swapped(self, rng: np.random.Generator, mass: Array, versions: Array) -> Array:
        """What the sums gain when every item of every draw has one of its versions in place of its value."""
        gain = versions - self.data.values[..., None]
        which = rng.integers(0, versions.shape[2], mass.shape)
        at = np.arange(self.data.n)
        return np.stack([(mass * gain[at, s, which]).sum(axis=1) for s in range(gain.shape[1])], axis=1)

    def to_arviz(self, metrics: Any = None, *, draws: int = 1000, chains: int = 4, seed: int = 0) -> Any:
        """Independent draws of the mean as ArviZ's InferenceData, with dimensions chain and draw (extra `arviz`)."""
        return to_arviz(self, list(self) if metrics is None else metrics, draws, chains, seed)

    def _dealt(self, rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        """Draws of the prior's sums and sizes by stick-breaking: 2^systems corners need no enumeration."""
        ends, systems = np.array(self.data.bounds), len(self.data.systems)
        total = rng.standard_gamma(2.0, (n, 1))
        sums = np.zeros((n, systems))
        for part in sticks(rng, np.array([2.0]), n, LEFT)[0]:
            sums += part[:, None] * ends[rng.integers(0, 2, (n, systems))]
        return sums * total * self._prior_size, total * self._prior_size

    def difference(self, first: str, second: str) -> Distribution:
        """The law of the mean difference of two systems on the same items."""
        if self.data.rest:
            return self.only(self.data.measure).difference(first, second)
        pair = replace(self, data=self.data.chosen(first, second))
        pair._refuse_constant()

        def sampler(n: int, seed: int) -> Array:
            x = pair.draws(n, seed=seed)
            return np.asarray(x[:, 0] - x[:, 1])

        name = f"difference of {self.data.measure}"
        if pair._is_drawn:
            low = -np.inf if self.data.bounds is None else self.data.bounds[0] - self.data.bounds[1]
            law, route = pair._drawn(sampler, low)
            return Distribution(name, law, route, sampler, notes=self._notes)
        top, bottom, shapes = pair._parts
        notes = self._notes
        gap = top[:, 0] - top[:, 1]
        ratio = gap / bottom[:, 0]
        rounding = ROUNDING * np.abs(top / bottom).sum(axis=1)
        if (np.abs(ratio - np.median(ratio)) <= rounding).all():
            spread = (float(pair.data.values.min()), float(pair.data.values.max()))
            pair = replace(pair, data=replace(pair.data, bounds=spread))
            top, bottom, shapes = pair._parts
            gap = top[:, 0] - top[:, 1]
            same = "have the same value" if not ratio.any() else f"differ by {np.median(ratio):g}"
            notes = (*notes, Note("identical", _IDENTICAL.format(first, second, same, *spread)))
        if self.data.bounds is None and ((gap >= 0).all() or (gap <= 0).all()):
            better = first if (gap >= 0).all() else second
            notes = (*notes, Note("one-sided", _ONE_SIDED.format(better)))
        law, route = mean_law(gap, bottom[:, 0], shapes)
        return Distribution(name, law, route, sampler, notes=notes)

    @property
    def _is_drawn(self) -> bool:
        """Whether there is no quotient of Gammas: items with versions, or with sizes that differ between systems."""
        sizes = self.data.sizes
        return self.data.versions is not None or (sizes is not None and bool((sizes != sizes[:, [0]]).any()))


_WEIGHTED = (
    "weighted items: the posterior uses Kish's effective sample size, (sum of weights)²/(sum of squared weights)"
)
_ONE_SIDED = (
    "{} has the larger value on every item: resampling them alone cannot doubt that; give the bounds that a value can "
    "have for a prior that can"
)
_IDENTICAL = (
    "{} and {} {} on every item: the interval of their difference comes from a prior weight of 1 on "
    "each end of the values seen, {:g} and {:g}"
)


def _different(top: Array, bottom: Array) -> tuple[Array, NDArray[np.intp]]:
    """The different pairs, and which one each item has; a sort of plain numbers where the bottoms are equal."""
    if (bottom == bottom[0]).all():
        values, inverse = np.unique(top, return_inverse=True)
        return np.stack([values, np.full(values.size, bottom[0])], axis=1), np.ravel(inverse)
    pairs, inverse = np.unique(np.stack([top, bottom], axis=1), axis=0, return_inverse=True)
    return pairs, np.ravel(inverse)


def mean_law(top: Array, bottom: Array, shapes: Array) -> tuple[Any, str]:
    """The law of Σ top·G / Σ bottom·G: closed for two different values, one integral for more.

    Four values could nest two Beta integrals; the contour gives the same digits for a fiftieth of the work.
    """
    bottom = np.ravel(bottom)
    if not bottom.all():  # items without a part in the quotient
        top, bottom, shapes = top[bottom != 0], bottom[bottom != 0], shapes[bottom != 0]
    pairs, inverse = _different(top, bottom)
    weight = np.asarray(np.bincount(inverse, shapes), dtype=float)
    if len(pairs) == 2:
        from howsure.kernels.moebius import Moebius

        order = np.argsort(pairs[:, 0] / pairs[:, 1])[::-1]
        (u1, v1), (u2, v2) = pairs[order].tolist()
        a, b = (np.asarray(x) for x in weight[order])
        return Moebius(a, b, u1, v1, u2, v2), "closed form"
    if len(pairs) == 3:
        from howsure.kernels.integral import Integral
        from howsure.kernels.linear_quotient import LinearQuotient

        tops, bottoms = (tuple(x) for x in pairs.T.tolist())
        return Integral(LinearQuotient(tuple(np.asarray(w) for w in weight), tops, bottoms)), "quadrature"
    from howsure.kernels.contour import GammaQuotient

    return GammaQuotient(pairs[:, 0], pairs[:, 1], weight), "quadrature"
