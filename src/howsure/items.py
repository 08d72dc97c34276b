"""Items: what has no finite table. Per item a value for each system, a weight, and the cluster it belongs to.

The same items may have values under several measures, as queries have; each measure keeps the items that it has a
value for.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.labels import places

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Mean:
    """The measure of Items: the mean value of an item, in its direction."""

    of: str | None = None
    better: Literal["higher", "lower"] | None = "higher"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    label: Hashable = None
    undefined: str = "no items"
    called: str | None = None  # its own name, where it is a measure of queries
    aliases: tuple[str, ...] = ()
    trec_eval: str | None = None

    @property
    def name(self) -> str:
        """mean, mean-grade for a named value, or the name of the measure whose mean it is."""
        return self.called or ("mean" if self.of is None else f"mean-{self.of}")

    def named(self, name: object) -> bool:
        """Whether this is its name, or one of its other names; case and blanks are forgiven."""
        if not isinstance(name, str):
            return name == self
        known = (self.name, *self.aliases, *(() if self.called else ("mean",)))
        return _plain(name) in map(_plain, known)

    def __str__(self) -> str:
        return self.name


def _plain(name: str) -> str:
    return "".join(name.split()).lower().replace('"', "'")


@dataclass(frozen=True, eq=False)
class Items:
    """Values of items, one column a system; immutable; `a + b` puts the items of both together, their clusters apart.

    `rest` holds the values of other measures; `items.only("AP")` are the items of one, `"AP" in items` tells, and
    `items.measures` lists them.

    >>> from howsure.ingest.graded import means
    >>> means({"a": [0.2, 0.9, 0.4], "b": [0.1, 0.7, 0.6]})
    Items(3 items, 2 systems)
    """

    values: Array
    systems: tuple[str, ...] = ("system",)
    ids: tuple[Hashable, ...] | None = None
    weights: Array | None = None
    clusters: NDArray[np.int64] | None = None
    measure: Mean = Mean()
    bounds: tuple[float, float] | None = None
    notes: tuple[tuple[str, str], ...] = ()
    sizes: Array | None = None  # (items, systems): the mean is that of all parts of the items, pooled
    versions: Array | None = None  # (items, systems, versions): values an item may have, equally likely
    rest: tuple[Items, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.values, self.weights, self.clusters, self.sizes, self.versions):
            if array is not None:
                array.setflags(write=False)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.values)

    @property
    def shape(self) -> tuple[int, ...]:
        """Items are not batched."""
        return ()

    @property
    def batch(self) -> tuple[Any, ...]:
        """Items are not batched."""
        return ()

    @property
    def totals(self) -> NDArray[np.int64]:
        """The number of items, as an array of the batch shape."""
        return np.asarray(self.n)

    @property
    def weighted(self) -> bool:
        """Whether the items have weights."""
        return self.weights is not None

    @property
    def parts(self) -> tuple[Items, ...]:
        """The items of each measure apart."""
        return (replace(self, rest=()) if self.rest else self, *self.rest)

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(part.measure.name for part in self.parts)

    def __contains__(self, measure: object) -> bool:
        return any(part.measure.named(measure) for part in self.parts)

    def only(self, measure: object) -> Items:
        """The items of one measure."""
        found = next((part for part in self.parts if part.measure.named(measure)), None)
        if found is not None:
            return found
        if self.measure.called is None:
            raise UnknownName(f"items have a mean only; got {str(measure)!r}. For classes use hs.tally.")
        near = nearest(str(measure), self.measures)
        raise UnknownName(f"no measure {str(measure)!r} in these items.{near} They have {', '.join(self.measures)}.")

    def system(self, name: str) -> Items:
        """The items of one system."""
        return self.chosen(name)

    def chosen(self, *names: str) -> Items:
        """The items of these systems, in this order."""
        at = places(names, self.systems)
        return replace(
            self,
            values=self.values[:, at],
            systems=names,
            sizes=None if self.sizes is None else self.sizes[:, at],
            versions=None if self.versions is None else self.versions[:, at],
            rest=tuple(part.chosen(*names) for part in self.rest),
        )

    def __add__(self, other: object) -> Items:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Items):
            return NotImplemented
        return _together(self, other)

    __radd__ = __add__

    def __repr__(self) -> str:
        many = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        named = f", {', '.join(self.measures)}" if self.measure.called else ""
        return f"Items({max(part.n for part in self.parts):,} items{many}{named})"

    # -- what is resampled

    @property
    def units(self) -> tuple[Array, Array, Array]:
        """Sums of the values (units, systems), sizes (units, 1 or systems) and shapes of what is resampled.

        Units are items, or whole clusters. Weighted items have shapes that sum to Kish's effective size, (Σw)²/Σw².
        """
        if self.sizes is not None:
            return self.values * self.sizes, self.sizes, np.ones(self.n)
        size = np.ones(self.n) if self.weights is None else self.weights / self.weights.mean()
        sums = self.values * size[:, None]
        if self.clusters is None:
            if self.weights is None:
                return sums, size[:, None], np.ones(self.n)
            shapes = size * (size.sum() / (size**2).sum())
            return self.values, np.ones((self.n, 1)), shapes
        count = int(self.clusters.max()) + 1
        whole = [np.asarray(np.bincount(self.clusters, column, count), dtype=float) for column in (size, *sums.T)]
        return np.stack(whole[1:], axis=1), whole[0][:, None], np.ones(count)


def _together(a: Items, b: Items) -> Items:
    if a.systems != b.systems:
        raise BadLabels(f"items of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    if (a.measure, a.bounds) != (b.measure, b.bounds) or set(a.measures) != set(b.measures):
        raise BadSetting("items of different values, directions or bounds cannot be added.")
    if any((x is None) != (y is None) for x, y in ((a.ids, b.ids), (a.clusters, b.clusters))):
        raise BadSetting("items with ids or clusters cannot be added to items without.")
    ids = None if a.ids is None or b.ids is None else a.ids + b.ids
    if ids is not None and len(set(ids)) < len(ids):
        raise BadLabels(f"both have the items {listing(set(a.ids or ()) & set(b.ids or ()))}; an item is added once.")
    weights = None
    if a.weighted or b.weighted:
        weights = np.concatenate([np.ones(x.n) if x.weights is None else x.weights for x in (a, b)])
    clusters = None
    if a.clusters is not None and b.clusters is not None:
        clusters = np.concatenate([a.clusters, b.clusters + a.clusters.max() + 1])
    notes = a.notes + tuple(x for x in b.notes if x not in a.notes)
    sizes, versions = (_joined(getattr(a, name), getattr(b, name)) for name in ("sizes", "versions"))
    return replace(
        a,
        values=np.concatenate([a.values, b.values]),
        ids=ids,
        weights=weights,
        clusters=clusters,
        notes=notes,
        sizes=sizes,
        versions=versions,
        rest=tuple(part + b.only(part.measure.name) for part in a.rest),
    )


def _joined(a: Array | None, b: Array | None) -> Array | None:
    return None if a is None or b is None else np.concatenate([a, b])
