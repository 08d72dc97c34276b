"""Items under the Bayesian bootstrap: weights of the items from a Dirichlet (Rubin 1981), and the law of their mean.

The mean is a linear quotient of Gammas, so its law is exact, and so is that of a difference between two systems on the
same items: the mean of the differences. Where the values have known bounds, the prior `even` puts weight 1 on each:
a value that is always the same still has an interval, and values of 0 and 1 give the posterior of a rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution, Note
from howsure.errors import BadSetting, UnknownName
from howsure.items import Items, Mean
from howsure.model.export import to_arviz

Array = NDArray[np.float64]

CHUNK = 20_000_000  # Gammas drawn at a time


@dataclass(frozen=True)
class Resampled(Mapping[str, Distribution]):
    """What is known of the mean of items; a mapping with one measure.

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
        """The mean, which is all there is."""
        own = self.data.measure
        if name == own or (isinstance(name, str) and name.strip().lower() in ("mean", own.name.lower())):
            return own
        raise UnknownName(f"items have a mean only; got {str(name)!r}. For classes use hs.tally.")

    def __getitem__(self, metric: Any) -> Distribution:
        self.measure(metric)
        return self._distribution

    def __contains__(self, metric: object) -> bool:
        try:
            self.measure(metric)
        except UnknownName:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter((self.data.measure.name,))

    def __len__(self) -> int:
        return 1

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _distribution(self) -> Distribution:
        if len(self.data.systems) != 1:
            raise BadSetting(f"these items have {len(self.data.systems)} systems: take one with p.system(name).")
        top, bottom, shapes = self._parts
        if (top / bottom == top[0] / bottom[0]).all():
            raise BadSetting(
                f"all {self.data.n:,} values of {self.data.systems[0]} are {top[0, 0] / bottom[0]:g}: resampling "
                "cannot tell how sure that is. Give the bounds that a value can have, such as bounds=(0, 1)."
            )
        law, route = mean_law(top[:, 0], bottom, shapes)
        return Distribution(self.data.measure.name, law, route, self._sampler, notes=self._notes)

    def point(self, metric: Any) -> Array:
        """The mean of the values themselves."""
        self.measure(metric)
        sums, sizes, shapes = self.data.units
        return np.asarray((sums * shapes[:, None]).sum() / (sizes * shapes).sum())

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """Sums, sizes and shapes of items (or clusters) and of the prior's atoms."""
        sums, sizes, shapes = self.data.units
        if self.data.bounds is None:
            return sums, sizes[:, None], shapes
        ends = np.array(list(product(self.data.bounds, repeat=len(self.data.systems))), dtype=float)
        weight = np.full(len(ends), 2.0 / len(ends))
        return np.concatenate([sums, ends]), np.concatenate([sizes, np.ones(len(ends))])[:, None], _join(shapes, weight)

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
        """n joint draws of the mean of every system, (n, systems)."""
        top, bottom, shapes = self._parts
        rng = np.random.Generator(np.random.SFC64([seed, 20_011]))
        size = max(1, CHUNK // len(shapes))
        out = []
        for start in range(0, n, size):
            many = (min(size, n - start), len(shapes))
            mass = rng.standard_exponential(many) if (shapes == 1).all() else rng.standard_gamma(shapes, many)
            out.append((mass @ top) / (mass @ bottom))
        return np.concatenate(out)

    def to_arviz(self, metrics: Any = None, *, draws: int = 1000, chains: int = 4, seed: int = 0) -> Any:
        """Independent draws of the mean as ArviZ's InferenceData, with dimensions chain and draw (extra `arviz`)."""
        return to_arviz(self, list(self) if metrics is None else metrics, draws, chains, seed)

    def difference(self, first: str, second: str) -> Distribution:
        """The law of the mean difference of two systems on the same items."""
        pair = replace(self, data=self.data.chosen(first, second))
        top, bottom, shapes = pair._parts
        notes = self._notes
        gap = top[:, 0] - top[:, 1]
        if not gap.any():
            spread = (float(pair.data.values.min()), float(pair.data.values.max()))
            if spread[0] == spread[1]:
                raise BadSetting(
                    f"{first} and {second} have one and the same value on all {pair.data.n:,} items: resampling "
                    "cannot tell how sure that is. Give the bounds that a value can have, such as bounds=(0, 1)."
                )
            pair = replace(pair, data=replace(pair.data, bounds=spread))
            top, bottom, shapes = pair._parts
            gap = top[:, 0] - top[:, 1]
            notes = (*notes, Note("identical", _IDENTICAL.format(first, second, *spread)))
        law, route = mean_law(gap, bottom, shapes)

        def sampler(n: int, seed: int) -> Array:
            x = pair.draws(n, seed=seed)
            return np.asarray(x[:, 0] - x[:, 1])

        return Distribution(f"difference of {self.data.measure}", law, route, sampler, notes=notes)


_WEIGHTED = (
    "weighted items: the posterior uses Kish's effective sample size, (sum of weights)²/(sum of squared weights)"
)
_IDENTICAL = (
    "{} and {} have the same value on every item: the interval of their difference comes from a prior weight of 1 on "
    "each end of the values seen, {:g} and {:g}"
)


def _join(a: Array, b: Array) -> Array:
    return np.concatenate([a, b])


def mean_law(top: Array, bottom: Array, shapes: Array) -> tuple[Any, str]:
    """The law of Σ top·G / Σ bottom·G: closed for two different values, one integral for more."""
    pairs, inverse = np.unique(np.stack([top, np.ravel(bottom)], axis=1), axis=0, return_inverse=True)
    weight = np.asarray(np.bincount(np.ravel(inverse), shapes), dtype=float)
    if len(pairs) == 2:
        from howsure.kernels.moebius import Moebius

        order = np.argsort(pairs[:, 0] / pairs[:, 1])[::-1]
        (u1, v1), (u2, v2) = pairs[order].tolist()
        a, b = (np.asarray(x) for x in weight[order])
        return Moebius(a, b, u1, v1, u2, v2), "closed form"
    if len(pairs) <= 4:
        from howsure.kernels.groups import Groups
        from howsure.kernels.integral import Integral

        tops, bottoms = (tuple(x) for x in pairs.T.tolist())
        return Integral(Groups(tuple(np.asarray(w) for w in weight), tops, bottoms)), "quadrature"
    from howsure.kernels.contour import Many

    return Many(pairs[:, 0], pairs[:, 1], weight), "quadrature"
