"""Graded values (0 to 1, stars, seconds) to Graded: arrays in the order given, or what an engine counted, in order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from howsure.arrays import Array, Integers
from howsure.errors import BadLabels, BadSetting, listing, plural
from howsure.evidence.graded import Graded, Mean
from howsure.evidence.protocol import Account
from howsure.evidence.sliced import LISTED, Sliced, refuse_single
from howsure.evidence.slices import Slices
from howsure.io.columns import Column, as_numbers, coded
from howsure.io.groups import Groups, added, refuse_nothing
from howsure.io.label_arrays import cluster_column, refuse_twins
from howsure.io.request import LARGEST, Request, make
from howsure.io.units import missing_bounds, slices_of, unweighed, without_clusters, without_lost, without_weightless
from howsure.messages.language import option
from howsure.messages.notes import Notes, note

ONE_CLUSTER = "all items are in one cluster; resampling whole clusters needs two or more."
SMALLEST = 1e-100  # of the spread of values: its square stays within floating point


def of_arrays(data: Any, given: Mapping[str, Any]) -> Graded:
    """Values in the order given; a weight, a cluster and settings may be given too."""
    weight, cluster = given.get("weight"), given.get("cluster")
    settings = {name: x for name, x in given.items() if name not in ("weight", "cluster")}
    request = replace(make(value="values", **settings), answers=("",), cluster=None if cluster is None else "cluster")
    columns = dict(data) if isinstance(data, Mapping) else {"system": data}
    if not columns:
        raise BadLabels("no systems were given; give {'a': values, 'b': values}.")
    systems = tuple(str(x) for x in columns)
    refuse_twins(systems, list(columns))
    labels: dict[str, Column] = {}
    lost: list[Hashable] = []
    if all(isinstance(x, Mapping) for x in columns.values()):
        if weight is not None or cluster is not None:
            told = f"{option('weight')} and {option('cluster')}"
            raise BadSetting(f"{told} go with sequences or frames; got a mapping from item to value.")
        ids, lost = _shared(columns, request.missing)
        columns = {name: [x[i] for i in ids] for name, x in columns.items()}
        labels["item0"] = coded(ids)
    said = [f"values of {name!r}" if isinstance(data, Mapping) else "values" for name in columns]
    parts = [as_numbers(x, name, apart=True) for x, name in zip(columns.values(), said, strict=True)]
    if len({len(x) for x in parts}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in zip(columns, parts, strict=True))
        raise BadLabels(f"every system needs one value per item; got {sizes}.")
    n = len(parts[0])
    numbers = {f"answer{i}": x for i, x in enumerate(parts)}
    if weight is not None:
        numbers["weight0"] = as_numbers(weight, "weight")
        if len(numbers["weight0"]) != n:
            told = f"{plural(len(numbers['weight0']), 'entry', 'entries')} of weight"
            raise BadLabels(f"got {plural(n, 'item')} but {told}; give one per item.")
    if cluster is not None:
        labels["cluster0"] = cluster_column(cluster, n)
    account = Account(n + len(lost)).without("unmatched", len(lost))
    groups = Groups(labels, np.ones(n, dtype=np.int64), None, numbers, account=account)
    own = replace(request, names=systems, item=("item",) if "item0" in labels else ())
    found = settle_values(groups, own, counted=False)
    return replace(found, notes=(*unpaired(lost), *found.notes)) if lost else found


def _shared(columns: Mapping[Any, Mapping[Any, Any]], missing: str) -> tuple[list[Hashable], list[Hashable]]:
    """The items that every system has a value for, and those that some lack."""
    every = list(dict.fromkeys(chain.from_iterable(columns.values())))
    lost = [i for i in every if any(i not in x for x in columns.values())]
    if lost and missing == "refuse":
        raise BadLabels(lacking(lost, len(every)))
    gone = set(lost)
    return [i for i in every if i not in gone], lost


def unpaired(lost: Sequence[Hashable]) -> Notes:
    """A note on items that were left out because some system lacks them."""
    return (note("ids-unmatched", form="system", count=len(lost), first=listed(lost)),) if lost else ()


def listed(names: Sequence[Any]) -> str:
    """The first few of what does not match."""
    return ", ".join(repr(x) for x in names[:LISTED]) + (", …" if len(names) > LISTED else "")


def lacking(lost: Sequence[Hashable], total: int, what: str = "value", way: str = "missing") -> str:
    """A sentence on items that some system has no value, or no row, for."""
    said = f"{len(lost):,} of {plural(total, 'item')} {'has' if len(lost) == 1 else 'have'} no {what} for some system"
    return f"{said}, such as {listing(lost[:5])}; give {option(way, 'drop')} to leave them out."


def settled(g: Groups, request: Request, library: str | None = None) -> Graded | Sliced:
    """What an engine counted: items, in slices where these are asked for."""
    return in_slices(g, request, library) if request.by else settle_values(g, request, library)


def in_slices(g: Groups, request: Request, library: str | None = None) -> Sliced:
    """All items, and those of each slice as they would be alone."""
    plain = replace(request, by=())
    whole = settle_values(added(_without_slices(g)), plain, library)
    g, _ = checked_values(g, plain)
    g = g.at(g.counts > 0)
    axis, at = slices_of(request.by, g.named("slice"))
    refuse_single(axis, np.bincount(at, g.counts, len(axis)), "the posterior of a mean needs two or more items")
    g, owners = replace(_without_slices(g), account=None, unweighed=0), []
    order = np.argsort(at, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(at, minlength=len(axis)))[:-1])
    if whole.clusters is not None:
        codes, heavy = g.labels["cluster0"].in_order().codes, g.numbers.get("weight0", g.counts) != 0
        owners = [np.unique(codes[x[heavy[x]]]) for x in rows]
        refuse_single(axis, np.array([x.size for x in owners]), "resampling whole clusters needs two or more")
    return sliced([partial(settle_values, g.at(x), plain, library) for x in rows], whole, axis, owners)


def sliced(parts: Sequence[Callable[[], Graded]], whole: Graded, axis: Slices, owners: Sequence[Integers]) -> Sliced:
    """The values of all slices; a refusal names the slice."""
    found = []
    for k, part in enumerate(parts):
        try:
            found.append(part())
        except BadLabels as refused:
            told = ", ".join(f"{column}={value}" for column, value in axis.where(k).items())
            raise BadLabels(f"in the slice {told}, {refused}") from None
    return Sliced(tuple(found), whole, axis, whole.notes, tuple(owners) or None)


def _without_slices(g: Groups) -> Groups:
    return replace(g, labels={name: x for name, x in g.labels.items() if not name.startswith("slice")})


def settle_values(g: Groups, request: Request, library: str | None = None, *, counted: bool = True) -> Graded:
    """The Items of groups, once every value is a finite number within its bounds; what an engine counted in order."""
    g, notes = checked_values(g, request)
    account, g = g.account, _weighing(g.at(g.counts > 0))
    if counted and len(g):
        g = in_order(g)
    if "weight0" in g.numbers:  # each item has its own weight
        g = replace(g.at(np.repeat(np.arange(len(g)), g.counts)), counts=np.ones(int(g.counts.sum()), dtype=np.int64))
    weights = g.numbers.get("weight0")
    refuse_sizes(g.values(), weights, int(g.counts.sum()))
    clusters = g.labels["cluster0"].in_order().codes if "cluster0" in g.labels else None
    if clusters is not None and clusters.max() == 0:
        raise BadLabels(ONE_CLUSTER)
    alike = None if (g.counts == 1).all() else g.counts.astype(float)
    return Graded(
        g.values(), request.systems, _ids(g, request), weights, clusters, measure(request), request.bounds, notes,
        counts=alike, library=library, account=account,
    )  # fmt: skip


def _weighed(g: Groups, request: Request) -> tuple[Groups, Notes]:
    """Items that have a weight; others are refused, or left out with a note when asked."""
    lost = np.isnan(g.numbers.get("weight0", g.counts))
    return without_lost(g, request, lost, "no weight", "amount", what="weight")


def _weighing(g: Groups) -> Groups:
    """Items that weigh something; those of weight 0 add nothing."""
    weights = g.numbers.get("weight0")
    if weights is None or weights.all():
        return g
    if not weights.any():
        raise BadLabels("all weights are 0.")
    return g.at(weights != 0)


def checked_values(g: Groups, request: Request) -> tuple[Groups, Notes]:
    """Rows that have all values, within their bounds; others are refused, or left out with a note when asked."""
    refuse_nothing(g)
    none = np.zeros(len(g), dtype=bool)
    g, _, _, notes = without_clusters(g, request, none, none)
    lost = np.asarray(np.isnan(g.values()).any(axis=1))
    if lost.any() and request.missing == "bounds":
        if request.bounds is None:
            told = f"{option('missing', 'bounds')} needs {option('bounds')}, the lowest and the highest possible value"
            raise BadSetting(f"{told}; or give {option('missing', 'drop')} to leave items without a value out.")
        held = np.isnan(g.values()).T
        dropped = missing_bounds(np.where(held, 0.0, g.values().T), held, g.counts, request)
        g = g.leaving(lost)
    else:
        g, dropped = without_lost(g, request, lost, "no value", "value", total=g.total)
    g = without_weightless(g)
    g, more = _weighed(g, request)
    notes = (*notes, *dropped, *more, *unweighed(g, request))
    values, bounds = g.values()[g.counts > 0], request.bounds
    if not np.isfinite(values).all():
        raise BadLabels(f"values must be finite numbers; got {values[~np.isfinite(values)][0]:g}.")
    if bounds is not None and not ((values >= bounds[0]) & (values <= bounds[1])).all():
        bad = values[(values < bounds[0]) | (values > bounds[1])][0]
        raise BadSetting(f"a value of {bad:g} lies outside the bounds {bounds[0]:g} to {bounds[1]:g}.")
    return g, notes


def measure(request: Request) -> Mean:
    """The mean, of the column if there is one of them."""
    named = request.answers[0] if len(set(request.answers)) == 1 and request.answers[0] else None
    return Mean(named, request.better, request.bounds or (-np.inf, np.inf))


def _ids(g: Groups, request: Request) -> tuple[Hashable, ...] | None:
    """The names of items, each once."""
    if not g.named("item"):
        return None
    ids = item_names(g, request)
    if len(set(ids)) < len(ids) or (g.counts > 1).any():
        seen: set[Hashable] = set()
        alike = [x for x, n in zip(ids, g.counts.tolist(), strict=True) if n > 1]
        twice = list(dict.fromkeys([*alike, *(x for x in ids if x in seen or seen.add(x))]))  # type: ignore[func-returns-value]
        raise BadLabels(
            f"{plural(len(twice), 'item occurs', 'items occur')} twice, such as {listing(twice[:5])}; an item has one "
            f"row: give {option('item')} more columns, or give only {option('cluster')} if rows belong together."
        )
    return tuple(ids)


def item_names(g: Groups, request: Request) -> list[Hashable]:
    """The name of each row's item: one value, or several together."""
    columns = g.named("item")
    for column, name in zip(columns, request.item, strict=True):
        if column.missing.any():
            raise BadLabels(f"column {name!r} is empty in some rows; fill it in, or leave those rows out.")
    rows = [[c.levels[i] for i in c.codes.tolist()] for c in columns]
    return rows[0] if len(rows) == 1 else list(zip(*rows, strict=True))


def in_order(g: Groups) -> Groups:
    """Rows by item, or by cluster and values, whatever order an engine gave them in; so sums repeat to the last bit."""
    labels = [x.in_order().codes for x in (*g.named("item"), *g.named("cluster"))]
    weights = [g.numbers["weight0"]] if "weight0" in g.numbers else []
    return g.at(np.lexsort((*weights, *g.values().T[::-1], *labels[::-1])))


def refuse_sizes(values: Array, weights: Array | None, n: int) -> None:
    """Values that are too few, too large or too close together, and weights that leave hardly an item."""
    if n < 2:
        raise BadLabels(f"the posterior of a mean needs two or more items; got {n}.")
    if np.abs(values).max() > LARGEST or 0.0 < np.ptp(values) < SMALLEST:
        raise BadLabels(
            f"values from {values.min():g} to {values.max():g} are beyond floating point; give them in other units, "
            f"of sizes between {SMALLEST:g} and {LARGEST:g}."
        )
    if weights is None:
        return
    good = (weights > 0) & (weights <= LARGEST)
    if not good.all():
        raise BadLabels(f"weights must be numbers from 0 to {LARGEST:g}; got {weights[~good][0]:g}.")
    share = weights / weights.max()
    effective = float(share.sum() ** 2 / (share**2).sum())
    if effective < 2.0:
        raise BadLabels(
            f"the weights leave an effective size of {effective:.3g} items (Kish); the posterior of a mean needs 2 "
            "or more: one weight is far above the others."
        )
