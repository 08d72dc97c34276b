"""Graded: the evidence of graded values, one for each item and system, with its weight and its cluster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np

from howsure.arrays import Array, Integers
from howsure.distributions.weights import ALIKE
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.protocol import Account, Axis, both, read_only, same_fields
from howsure.evidence.slices import Dealt
from howsure.messages.language import option, spelled
from howsure.messages.notes import Notes
from howsure.validate import places

# -- graded
#
# Graded: the evidence of graded values, one for each item and system, its weight, and the cluster it belongs to.
#
# The same items may have values under several measures, as queries have; each measure keeps the items that it has a
# value for.

_FEW: Final = 10  # items whose range tells little


@dataclass(frozen=True)
class Mean:
    """The measure of Graded: the mean value of an item, in its direction."""

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

    @property
    def unbounded(self) -> bool:
        """A mean has its own scale."""
        return False

    def __str__(self) -> str:
        return self.name


def _plain(name: str) -> str:
    return "".join(name.split()).lower().replace('"', "'")


class Spread(NamedTuple):
    """The range of some values, and of their middle 90%."""

    least: float
    low: float
    high: float
    most: float


@dataclass(frozen=True, eq=False)
class Graded:
    """Values of items, one column per system; immutable; `a + b` puts the items of both together, their clusters apart.

    `rest` holds the values of other measures; `items.only("AP")` are the items of one, `"AP" in items` asks, and
    `items.measures` lists them. A row may stand for several items that are alike: `counts` says how many.

    >>> from howsure.io.arrays import graded
    >>> graded({"a": [0.2, 0.9, 0.4], "b": [0.1, 0.7, 0.6]})
    Graded(3 items, 2 systems)
    """

    values: Array
    systems: tuple[str, ...] = ("system",)
    ids: tuple[Hashable, ...] | None = None
    weights: Array | None = None
    clusters: Integers | None = None
    measure: Mean = Mean()
    bounds: tuple[float, float] | None = None
    notes: Notes = ()
    sizes: Array | None = None  # (items, systems): the mean is that of all parts of the items, pooled
    versions: Array | None = None  # (items, systems, versions): values an item may have, equally likely
    rest: tuple[Graded, ...] = ()
    counts: Array | None = None  # how many items a row stands for; 1 without
    library: str | None = None
    lines: dict[str, Any] | None = None  # lines and queries of runs: read, kept and left out
    account: Account | None = field(default=None, compare=False)  # of the rows that they were read from

    def __post_init__(self) -> None:
        read_only(self.values, self.weights, self.clusters, self.sizes, self.versions, self.counts)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.values) if self.counts is None else int(self.counts.sum())

    @property
    def shape(self) -> tuple[int, ...]:
        """Items are not batched."""
        return ()

    @property
    def batch(self) -> tuple[Axis, ...]:
        """Items are not batched."""
        return ()

    @property
    def totals(self) -> Integers:
        """The number of items, as an array of the batch shape."""
        return np.asarray(self.n)

    @property
    def weighted(self) -> bool:
        """Whether the items have weights."""
        return self.weights is not None

    @property
    def clustered(self) -> int | None:
        """The number of clusters, where there are any."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    def spread(self) -> Spread | None:
        """Return the range of the values of one system; None for a few items, and for queries, which have one scale."""
        if self.measure.called or self.n < _FEW or len(self.systems) > 1:
            return None
        order = np.argsort(self.values[:, 0], kind="stable")
        reached = np.arange(1, self.n + 1) if self.counts is None else np.cumsum(self.counts[order])
        at = np.searchsorted(reached, np.multiply([0.0, 0.05, 0.95, 1.0], self.n))
        return Spread(*map(float, self.values[order[at], 0]))

    @property
    def averages(self) -> Array:
        """The mean value of every system, (systems,); NaN where there is nothing to take it of."""
        sums, sizes, shapes = self.units
        below = (sizes * shapes[:, None]).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(below > 0, (sums * shapes[:, None]).sum(axis=0) / below, np.nan))

    @property
    def effective(self) -> float:
        """The number of items, that of Kish where they have weights."""
        if self.weights is None:
            return float(self.n)
        alike, share = 1.0 if self.counts is None else self.counts, self.weights / self.weights.max()
        return float((alike * share).sum() ** 2 / (alike * share**2).sum())

    @property
    def parts(self) -> tuple[Graded, ...]:
        """The items of each measure apart."""
        return (replace(self, rest=()) if self.rest else self, *self.rest)

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(part.measure.name for part in self.parts)

    def __contains__(self, measure: object) -> bool:
        return any(part.measure.named(measure) for part in self.parts)

    def only(self, measure: object) -> Graded:
        """The items of one measure."""
        found = next((part for part in self.parts if part.measure.named(measure)), None)
        if found is not None:
            return found
        if self.measure.called is None:
            way = spelled("use hs.tally", f"give {option('truth')} and {option('pred')}")
            raise UnknownName(f"graded items have only a mean; got {str(measure)!r}. For classes {way}.")
        near = nearest(str(measure), self.measures)
        raise UnknownName(f"no measure {str(measure)!r} in these items.{near} They have {', '.join(self.measures)}.")

    def system(self, name: str) -> Graded:
        """The items of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Graded:
        """The items of these systems, in this order."""
        at = places(names, self.systems)
        return replace(
            self,
            values=self.values[:, at],
            systems=tuple(names),
            sizes=None if self.sizes is None else self.sizes[:, at],
            versions=None if self.versions is None else self.versions[:, at],
            rest=tuple(part.pick(names) for part in self.rest),
        )

    def with_positive(self, label: object) -> Self:
        """Refused: values have no classes."""
        del label
        raise BadSetting(f"graded values have no positive class: leave out {option('positive')}.")

    def together(self, axis: int, places: Sequence[int] | None = None) -> Self:
        """Refused: there is no batch."""
        del places
        raise BadSetting(f"graded values are not batched; they have no axis {axis}.")

    def dealt(self, sizes: Integers, rng: np.random.Generator) -> Dealt:
        """Parts of these sizes, each of items (or clusters) taken at random: by their weights, where items have any."""
        return Dealt(self, sizes, rng)

    def describe(self) -> dict[str, Any]:
        """Size, direction and bounds; of queries also what was read and left out."""
        accounts = [part.lines for part in self.parts if part.lines is not None]
        queries = {name: entry for x in accounts for name, entry in x["queries"].items()}
        read = {"rows": accounts[0]["rows"], "queries": queries} if accounts else {}
        return {
            "n": max(part.n for part in self.parts), "labels": [], "positive": None, "systems": list(self.systems),
            "value": self.measure.of, "better": self.measure.better, "weighted": self.weighted,
            "clusters": self.clustered, "bounds": None if self.bounds is None else list(self.bounds),
            **read,
        }  # fmt: skip

    def __add__(self, other: object) -> Graded:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Graded):
            return NotImplemented
        return _together(self, other)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, Graded) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        many = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        named = f", {', '.join(self.measures)}" if self.measure.called else ""
        return f"Graded({max(part.n for part in self.parts):,} items{many}{named})"

    # -- what is resampled

    @property
    def units(self) -> tuple[Array, Array, Array]:
        """Sums of the values (units, systems), sizes (units, 1 or systems) and shapes of what is resampled.

        Units are items, or whole clusters. Weighted items have their weights for sizes, over Σw²/Σw: an item of size 1
        is then worth one of the effective ones.
        """
        rows = len(self.values)
        alike = np.ones(rows) if self.counts is None else self.counts
        if self.sizes is not None:
            return self.values * self.sizes, self.sizes, alike
        if self.clusters is None:
            if self.weights is None:
                return self.values, np.ones((rows, 1)), alike
            own = self.weights * ((alike * self.weights).sum() / (alike * self.weights**2).sum())
            own[np.isclose(own, 1.0, rtol=ALIKE, atol=0.0)] = 1.0
            return self.values * own[:, None], own[:, None], alike
        size = alike if self.weights is None else self.weights / self.weights.mean()
        count = int(self.clusters.max()) + 1
        columns = (size, *(self.values * size[:, None]).T)
        whole = [np.asarray(np.bincount(self.clusters, column, count), dtype=float) for column in columns]
        return np.stack(whole[1:], axis=1), whole[0][:, None], np.ones(count)


def _together(a: Graded, b: Graded) -> Graded:
    if a.systems != b.systems:
        raise BadLabels(f"items of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    if (a.measure, a.bounds) != (b.measure, b.bounds) or set(a.measures) != set(b.measures):
        raise BadSetting("items of different values, directions or bounds cannot be added.")
    if any((x is None) != (y is None) for x, y in ((a.ids, b.ids), (a.clusters, b.clusters))):
        raise BadSetting("items with ids or clusters cannot be added to items without.")
    ids = None if a.ids is None or b.ids is None else a.ids + b.ids
    if ids is not None and len(set(ids)) < len(ids):
        raise BadLabels(
            f"both hold the items {listing(set(a.ids or ()) & set(b.ids or ()))}; each item can be added only once."
        )
    clusters = None
    if a.clusters is not None and b.clusters is not None:
        clusters = np.concatenate([a.clusters, b.clusters + a.clusters.max() + 1])
    sizes, versions = (_joined(getattr(a, name), getattr(b, name)) for name in ("sizes", "versions"))
    return replace(
        a,
        values=np.concatenate([a.values, b.values]),
        ids=ids,
        weights=_or_ones(a.weights, b.weights, len(a.values), len(b.values)),
        clusters=clusters,
        notes=a.notes + tuple(x for x in b.notes if x not in a.notes),
        account=both(a.account, b.account),
        sizes=sizes,
        versions=versions,
        counts=_or_ones(a.counts, b.counts, len(a.values), len(b.values)),
        lines=None if a.lines is None or b.lines is None else _added(a.lines, b.lines),
        rest=tuple(part + b.only(part.measure.name) for part in a.rest),
    )


def _added(a: Any, b: Any) -> Any:
    """Two accounts as one: numbers added, lists put together."""
    if isinstance(a, dict):
        return {k: _added(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
    return a + b


def _joined(a: Array | None, b: Array | None) -> Array | None:
    return None if a is None or b is None else np.concatenate([a, b])


def _or_ones(a: Array | None, b: Array | None, first: int, second: int) -> Array | None:
    """Both, with ones where one of them has none."""
    if a is None and b is None:
        return None
    return np.concatenate([np.ones(first) if a is None else a, np.ones(second) if b is None else b])
