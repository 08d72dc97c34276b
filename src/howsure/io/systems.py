"""Several systems in rows of their own: paired by the names of items, or matched by cluster.

Long frames name the system in a column; files of several systems are read one by one. Items are paired by name and
never by the order of rows. With clusters, samples are not paired at all: each system has its own number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from howsure.arrays import AnyArray, Array, Integers
from howsure.errors import BadFile, BadLabels, BadSetting, UnknownName, listing, nearest, plural
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered, Observed
from howsure.evidence.graded import Graded
from howsure.evidence.label_sets import Multilabel
from howsure.evidence.protocol import Account, together
from howsure.evidence.sliced import LISTED, Sliced, refuse_single
from howsure.evidence.slices import Slices, distinct, level_order
from howsure.io.columns import Column, coded
from howsure.io.graded_values import (
    ONE_CLUSTER,
    checked_values,
    in_order,
    item_names,
    lacking,
    listed,
    measure,
    refuse_sizes,
    sliced,
    unpaired,
)
from howsure.io.groups import Groups, refuse_nothing, weighed
from howsure.io.request import Request
from howsure.io.units import by_cluster, of_clusters, slices_of, split
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.validate import completed

Parts = Mapping[str, Groups]


def check_unmatched(unmatched: Any) -> bool:
    """Whether what does not match is dropped; else it is refused."""
    if unmatched not in ("refuse", "drop"):
        hint = nearest(str(unmatched), ("refuse", "drop"))
        raise UnknownName(f"{option('unmatched', unmatched)} is not known.{hint} Give 'refuse' or 'drop'.")
    return bool(unmatched == "drop")


def chosen(g: Groups, request: Request) -> Groups:
    """The rows of the systems that were asked for by name; all where none was."""
    column = g.labels["system0"]
    if not request.names or not len(g):
        return g
    there = sorted({str(x) for x in column.present})
    unknown = next((x for x in request.names if x not in there), None)
    if unknown is not None:
        hint = nearest(unknown, there)
        raise UnknownName(
            f"{option('names', unknown)} is not in column {request.system!r}.{hint} It has {listing(there, most=20)}."
        )
    other = np.array([*(str(x) not in request.names for x in column.levels), False])
    return g.leaving(other[column.codes], "system")


def by_system(g: Groups, request: Request) -> Parts:
    """The groups of each system that a column names, in the order of their names, or as they were asked for."""
    refuse_nothing(g)
    if not len(g):
        raise BadLabels("there are no items: the data have 0 rows.")
    column = g.labels["system0"]
    if column.missing.any():
        raise BadLabels(f"column {request.system!r} is empty in some rows; fill it in, or leave those rows out.")
    named = {str(x): x for x in column.present}
    if len(named) < len(column.present):
        raise BadLabels(f"systems need different names; got {listing(sorted(column.present, key=str))}.")
    place = {x: i for i, x in enumerate(column.levels)}
    found = {name: g.at(column.codes == place[named[name]]) for name in request.names or sorted(named)}
    return {name: _with_account(part, g.account, i) for i, (name, part) in enumerate(found.items())}


def _with_account(part: Groups, whole: Account | None, i: int) -> Groups:
    """The rows of one system; those that were left out unread count with the first."""
    own = Account(int(part.sizes.sum()), {}, () if whole is None else whole.where)
    if whole is not None and i == 0:
        own = replace(own, read=own.read + whole.read - whole.kept, left_out=whole.left_out)
    return replace(part, account=None if whole is None else own, unweighed=part.unweighed if i == 0 else 0)


def between_slices(
    g: Groups, request: Request, made: Callable[[Groups, Request], Any], unmatched: str, library: str | None = None
) -> Any:
    """The evidence of each slice by its name; of all, matched by cluster, where slices share clusters."""
    column = g.labels["between0"]
    if request.missing == "drop":
        g = g.leaving(column.missing)
    own = replace(request, system=request.between, between=None)
    g = chosen(g.with_labels(system0=g.labels["between0"]), own)
    parts = by_system(g, own)
    if len(parts) < 2:
        raise BadLabels(f"{option('between')} needs two slices; column {request.between!r} has only {listing(parts)}.")
    if request.cluster is not None and _share_clusters(parts):
        if request.kind == "scores":
            told = f"slices of {request.between!r} share clusters of {request.cluster!r}, so they are not independent"
            raise BadSetting(f"{told}; for scores this is not computed: cut them, with {option('threshold')}.")
        return matched(parts, replace(own, names=()), unmatched, library, every=True)
    labels = request.labels or (_every_label(parts, request) if request.kind != "cuts" else None)
    alone = replace(own, system=None, labels=labels)
    return {name: _relabelled(made(part, replace(alone, names=(name,))), request) for name, part in parts.items()}


def _share_clusters(parts: Parts) -> bool:
    """Whether some cluster has items in more than one slice."""
    every = [np.unique(g.labels["cluster0"].codes) for g in parts.values()]
    return bool((np.bincount(np.concatenate(every) + 1)[1:] > 1).any())


# -- paired by item


def paired(g: Groups, request: Request, unmatched: str = "refuse") -> tuple[Groups, Request, Notes]:
    """One row for each item and system to one row an item; the request of that, and what was left out."""
    parts = by_system(g, request)
    ids = {name: item_names(part, request) for name, part in parts.items()}
    order = {x: i for i, x in enumerate(level_order({x for own in ids.values() for x in own}))}
    rows = {name: np.array([order[x] for x in own], dtype=np.int64) for name, own in ids.items()}
    _refuse_twice(parts, rows, list(order))
    every = np.zeros((len(order), len(parts)), dtype=bool)
    for j, own in enumerate(rows.values()):
        every[own, j] = True
    whole = np.asarray(every.all(axis=1))
    lost = [name for name, there in zip(order, whole, strict=True) if not there]
    if len(lost) == len(order):
        raise BadLabels(
            f"no item has a row of every system: {option('system', request.system)} names {listing(parts)}, and "
            f"{option('item', ' '.join(request.item))} tells the items; is each the right column?"
        )
    if lost and not check_unmatched(unmatched) and request.missing not in ("drop", "bounds"):
        raise BadLabels(lacking(lost, len(order), "row", "unmatched"))
    labels = {f"item{k}": c for k, c in enumerate(_items(list(order), len(request.item)))}
    made = _side_by_side(parts, rows, request, list(order))
    sizes = np.zeros(len(order), dtype=np.int64)
    for name, part in parts.items():
        np.add.at(sizes, rows[name], part.sizes)
    made = replace(made, labels={**labels, **made.labels}, rows=sizes, account=g.account)
    made = made.leaving(~whole, "unmatched")
    if request.kind != "values":
        made = _weighed(made, request)
    wide = replace(request, system=None, names=tuple(parts), answers=request.answers * len(parts))
    return made, wide, unpaired(lost)


def _side_by_side(parts: Parts, rows: Mapping[str, Integers], request: Request, names: list[Hashable]) -> Groups:
    """What the rows of an item share, once, and the answers of the systems beside each other."""
    first = next(iter(parts.values()))
    shared = [x for x in first.labels if not x.startswith(("item", "system", "answer"))]
    columns = {name: _agreed(parts, rows, name, request, names) for name in shared}
    numbers = {}
    for j, (name, part) in enumerate(parts.items()):
        column = part.labels.get("answer0")
        at = np.full(len(names), -1, dtype=np.int64)
        at[rows[name]] = np.arange(len(part))
        if column is None:
            numbers[f"answer{j}"] = np.append(part.numbers["answer0"], np.nan)[at]
        else:
            columns[f"answer{j}"] = Column(column.levels, np.append(column.codes, -1)[at])
    if "weight0" in first.numbers:
        numbers["weight0"] = _weights(parts, rows, request, names)
    return Groups(columns, np.ones(len(names), dtype=np.int64), None, numbers)


def _weighed(g: Groups, request: Request) -> Groups:
    """The same with the weights of the items as their amounts; items without one left out when asked."""
    if "weight0" not in g.numbers:
        return g
    numbers = dict(g.numbers)
    lost = np.isnan(numbers["weight0"]) & (request.missing in ("drop", "bounds"))
    counts, squares = weighed(str(request.weight), "weight", np.where(lost, 0.0, numbers.pop("weight0")))
    found = replace(g, counts=counts, squares=squares, numbers=numbers, unweighed=int(lost.sum()))
    return found.leaving(lost)


def _items(names: list[Any], many: int) -> list[Column]:
    return [coded(names)] if many == 1 else [coded([x[k] for x in names]) for k in range(many)]


def _refuse_twice(parts: Parts, rows: Mapping[str, Integers], names: list[Hashable]) -> None:
    twice = []
    for name, part in parts.items():
        many = np.bincount(rows[name], _rows(part), len(names))
        twice += [f"{names[i]!r} of {name}" for i in np.flatnonzero(many > 1)[:LISTED].tolist()]
    if twice:
        raise BadLabels(
            f"items occur twice for one system: {', '.join(twice[:LISTED])}; each item needs one row per system: give "
            f"{option('item')} more columns, or give {option('cluster')} if they belong together."
        )


def _rows(part: Groups) -> AnyArray:
    """How many rows were counted; of weights 1, or 2 where they were more: their sum squared is no sum of squares."""
    return part.counts if part.squares is None else np.where(np.isclose(part.counts**2, part.squares), 1, 2)


def _agreed(parts: Parts, rows: Mapping[str, Integers], name: str, request: Request, names: list[Hashable]) -> Column:
    """What all rows of an item must share: its truth, slices and cluster."""
    first = next(iter(parts.values())).labels[name]  # all parts have the same levels
    codes = np.full(len(names), -2, dtype=np.int64)
    for part, own in zip(parts.values(), rows.values(), strict=True):
        mine = part.labels[name].codes
        differs = (codes[own] != -2) & (codes[own] != mine)
        if differs.any():
            column = next(k.column for k in request.keys if k.name == name)
            _refuse_differing(column, names[int(own[differs][0])])
        codes[own] = mine
    return Column(first.levels, np.maximum(codes, -1))


def _weights(parts: Parts, rows: Mapping[str, Integers], request: Request, names: list[Hashable]) -> Array:
    """The weight that the rows of an item share; none where one of them lacks it."""
    found = np.full(len(names), np.nan)
    lacking = np.zeros(len(names), dtype=bool)
    for part, own in zip(parts.values(), rows.values(), strict=True):
        mine = part.numbers["weight0"]
        lacking[own] |= np.isnan(mine)
        differs = ~np.isnan(found[own]) & ~np.isnan(mine) & (found[own] != mine)
        if differs.any():
            _refuse_differing(str(request.weight), names[int(own[differs][0])])
        found[own] = np.where(np.isnan(mine), found[own], mine)
    return np.where(lacking, np.nan, found)


def _refuse_differing(column: str, item: Hashable) -> None:
    raise BadLabels(f"column {column!r} differs between the rows of item {item!r}; it needs one value.")


def repeating(g: Groups, request: Request) -> Notes:
    """A question about ids that repeat: rows of one id may belong together, and must where clusters tell which do."""
    if not request.item:
        return ()
    if request.cluster is not None:
        _refuse_torn(g, request)
        return ()
    if request.independent_rows:
        return ()
    counts = np.bincount(g.labels["item0"].codes + 1, g.counts)[1:]
    many = int((counts > 1).sum())
    return (note("ids-repeat", column=request.item[0], ids=many),) if many else ()


def _refuse_torn(g: Groups, request: Request) -> None:
    """An item lies in one cluster."""
    items = np.stack([c.codes for c in g.named("item")], axis=1)
    found, at = np.unique(items, axis=0, return_inverse=True)
    pairs = np.unique(np.column_stack([at.ravel(), g.labels["cluster0"].codes]), axis=0)
    torn = np.flatnonzero(np.bincount(pairs[:, 0], minlength=len(found)) > 1)
    if torn.size:
        names = [c.levels[found[torn[0], k]] for k, c in enumerate(g.named("item"))]
        shown = names[0] if len(names) == 1 else tuple(names)
        raise BadLabels(
            f"{plural(torn.size, 'item lies', 'items lie')} in several clusters of {request.cluster!r}, such as "
            f"{shown!r}: the ids of {option('item')} or {option('on')} contradict {option('cluster')}; "
            "an item belongs to one cluster."
        )


# -- matched by cluster


def matched(
    parts: Parts, request: Request, unmatched: str = "refuse", library: str | None = None, every: bool = False
) -> Clustered | Graded | Sliced:
    """Systems counted by cluster, each for itself; clusters that not every system has are refused or dropped.

    With `every` they are kept, empty, where what is counted are items of classes or outcomes.
    """
    drop = check_unmatched(unmatched)
    if request.item:
        for g in parts.values():
            _refuse_torn(g, request)
    if request.kind == "values":
        return _matched_values(parts, request, drop, library)
    if request.sep is not None:
        parts = {name: split(g, request.sep) for name, g in parts.items()}
    own = replace(request, system=None, sep=None, labels=request.labels or _every_label(parts, request))
    answers = request.answers if len(request.answers) == len(parts) else request.answers * len(parts)
    tables = {
        name: by_cluster(g, replace(own, names=(name,), answers=(answer,)), library)
        for (name, g), answer in zip(parts.items(), answers, strict=True)
    }
    own_levels = {name: list(t.batch[0][1]) for name, t in tables.items()}
    levels, notes = (_all(own_levels), ()) if every else _common(own_levels, request, drop)
    if notes:
        tables = {name: _without_others(t, parts[name], levels, own) for name, t in tables.items()}
    found = {name: _relabelled(_at(t, levels, request), request) for name, t in tables.items()}
    first = next(iter(found))
    found[first] = replace(found[first], notes=(*notes, *found[first].notes))
    return of_clusters(found, request)


def _without_others(t: Observed, g: Groups, levels: list[Any], request: Request) -> Observed:
    """The same table, its account without the rows of clusters that other systems lack."""
    if t.account is None:
        return t
    common = _common_rows(g, levels, request)
    answers = request.answers[:1]
    only = replace(common, account=Account(int(common.sizes.sum())))
    kept = by_cluster(only, replace(request, names=t.systems, answers=answers)).account
    return replace(t, account=t.account.without("unmatched", t.account.kept - (kept.kept if kept else 0)))


def _common_rows(g: Groups, levels: list[Any], request: Request) -> Groups:
    """The rows of these clusters."""
    pairs, at = slices_of((*request.by, str(request.cluster)), [*g.named("slice"), *g.named("cluster")])
    wanted = set(levels)
    return g.at(np.array([_spelled(x, levels) in wanted for x in pairs])[at])


def _every_label(parts: Parts, request: Request) -> Sequence[Any] | None:
    """The labels of all systems, so that each is counted under the same."""
    if request.kind != "classes":
        return None
    columns = [c for g in parts.values() for c in (g.truth, *g.answers)]
    seen = set().union(*(c.present for c in columns))
    if any(c.sets for c in columns):
        seen = set().union(*(x for x in seen if isinstance(x, frozenset)))
    try:
        return completed(seen)
    except TypeError:
        return None  # each part says for itself what is wrong


def _relabelled(t: Any, request: Request) -> Any:
    given = request.labels is not None
    return replace(t, labels_given=given) if isinstance(t, (Tally, Multilabel)) else t


def _all(clusters: Mapping[str, list[Any]]) -> list[Any]:
    """The clusters that some system has."""
    return list(level_order(set().union(*clusters.values())))


def _at(t: Observed, levels: list[Any], request: Request) -> Observed:
    """The tables of some clusters, in order; empty ones of clusters that it does not have."""
    axis = _axis(levels, request)
    place = {_spelled(x, levels): i for i, x in enumerate(t.batch[0][1])}
    here = np.array([x in place for x in axis])
    found = t.at([place.get(x, 0) for x in axis], ((axis.name, axis),))
    if here.all():
        return found
    squares = None if found.squares is None else found.squares * here[:, None]
    return replace(found, counts=found.counts * here[:, None], squares=squares)


def _axis(levels: list[Any], request: Request) -> Slices:
    """Clusters, or slices with the clusters in them, in order."""
    names = (*request.by, str(request.cluster))
    columns = [coded(x).in_order() for x in (zip(*levels, strict=True) if request.by else [levels])]
    codes = np.stack([x.codes for x in columns], axis=1)
    return Slices(names, tuple(x.levels for x in columns), codes[np.lexsort(codes.T[::-1])])


def _spelled(x: Any, levels: list[Any]) -> Any:
    """Clusters of different types meet as text."""
    return _as_text(x) if levels and isinstance(_cluster(levels[0]), str) else x


def _cluster(x: Any) -> Any:
    """The cluster of a place: the last of its slices and it."""
    return x[-1] if isinstance(x, tuple) else x


def _as_text(x: Any) -> Any:
    return (*x[:-1], str(x[-1])) if isinstance(x, tuple) else str(x)


def _common(clusters: Mapping[str, list[Any]], request: Request, drop: bool) -> tuple[list[Any], Notes]:
    """The clusters that every system has; the others are refused, or left out with a note."""
    kinds = {isinstance(_cluster(x), str) for own in clusters.values() for x in own}
    sets = {name: {_as_text(x) if len(kinds) > 1 else x for x in own} for name, own in clusters.items()}
    every, shared = set().union(*sets.values()), set.intersection(*sets.values())
    lost = level_order(every - shared)
    if not lost:
        return list(level_order(shared)), ()
    first = listed(lost)
    if not drop:
        raise BadFile(
            f"the systems cannot be matched: {plural(len(lost), 'cluster')} of {request.cluster!r} "
            f"{'is' if len(lost) == 1 else 'are'} not in every system ({first}). "
            f"Correct the data, or give {option('unmatched', 'drop')} to leave them out."
        )
    if not shared:
        raise BadFile(f"no cluster of {request.cluster!r} is in every system.")
    return list(level_order(shared)), (note("clusters-unmatched", count=len(lost), first=first),)


def _matched_values(parts: Parts, request: Request, drop: bool, library: str | None) -> Graded | Sliced:
    """Each cluster one row: the mean of its samples, and how many they are (or what they weigh), of each system."""
    kept, sums, notes = {}, {}, []
    for name, g in parts.items():
        kept[name], told = checked_values(g, replace(request, names=(name,)))
        sums[name] = _sums(in_order(kept[name].at(kept[name].counts > 0)), request)
        notes += [x for x in told if x not in notes]
    levels, lost = _common({name: list(own) for name, own in sums.items()}, request, drop)
    axis = _axis(levels, request)
    spelled = {name: {_spelled(x, levels): v for x, v in own.items()} for name, own in sums.items()}
    table = np.array([[spelled[name][x] for name in parts] for x in axis])  # clusters, systems, sum and size
    names, clusters = np.unique(axis.codes[:, -1], return_inverse=True)
    clusters = clusters.reshape(-1)
    account = together([_matched_account(g, levels, request) for g in kept.values()])

    def graded(table: AnyArray, codes: Integers, notes: Notes = (), account: Account | None = None) -> Graded:
        if len(table) < 2:
            raise BadLabels(ONE_CLUSTER)
        values = table[..., 0] / table[..., 1]
        refuse_sizes(values, None, len(values))
        ids = tuple(axis.levels[-1][i] for i in names[codes].tolist())
        return Graded(
            values, tuple(parts), ids, None, np.arange(len(table)), measure(request), request.bounds, notes,
            sizes=table[..., 1], library=library, account=account,
        )  # fmt: skip

    every = np.zeros((len(names), *table.shape[1:]))
    np.add.at(every, clusters, table)
    whole = graded(every, np.arange(len(names)), (*lost, *notes), account)
    if not request.by:
        return whole
    rows, at = distinct(list(axis.codes[:, :-1].T), [len(x) for x in axis.levels[:-1]])
    slices = Slices(request.by, axis.levels[:-1], rows)
    owners = [clusters[at == k] for k in range(len(slices))]
    refuse_single(slices, np.array([x.size for x in owners]), "resampling whole clusters needs two or more")
    found = [partial(graded, table[at == k], own) for k, own in enumerate(owners)]
    return sliced(found, whole, slices, owners)


def _matched_account(g: Groups, levels: list[Any], request: Request) -> Account | None:
    """Of rows that have all values, those of clusters that other systems lack are left out."""
    many = g.sizes.sum() - _common_rows(g, levels, request).sizes.sum()
    return None if g.account is None else g.account.without("unmatched", many)


def _sums(g: Groups, request: Request) -> dict[Any, tuple[float, float]]:
    """By cluster (in its slice) the sum of the values, and how many they are (or what they weigh)."""
    clusters, at = slices_of((*request.by, str(request.cluster)), [*g.named("slice"), *g.named("cluster")])
    sizes = g.counts * g.numbers.get("weight0", np.ones(len(g)))
    both = (np.bincount(at, sizes * x, len(clusters)) for x in (g.numbers["answer0"], 1.0))
    return dict(zip(clusters, zip(*(x.tolist() for x in both), strict=True), strict=True))
