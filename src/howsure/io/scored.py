"""True labels and scores to Scored, counted by distinct scores or in bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.errors import BadLabels, BadSetting, plural
from howsure.evidence.protocol import Account
from howsure.evidence.scored import Scored
from howsure.evidence.slices import distinct
from howsure.io.columns import as_numbers, coded
from howsure.io.groups import Grouping, Groups, Key, Piece, Source, added, refuse_nothing
from howsure.io.label_arrays import as_column, as_weights, cluster_column, refuse_twins
from howsure.io.memory import table_of
from howsure.io.request import Request, check_missing
from howsure.io.units import known_labels, two_classes, unweighed, without_clusters, without_lost, without_weightless
from howsure.messages.notes import Note, note
from howsure.validate import Label

# -- binning
#
# Scores counted by their distinct values, or in bins where these are too many; by group-bys only, on any engine.
#
# Cells of equal width come first; where a cell holds far more than its share, pieces of the range get cells of their
# own width, in proportion to what they hold, and the rows are counted anew. The hundredths are edges where all scores
# lie between 0 and 1, and so is the highest score of a positive item. A bin stands at its edge, or at the least score
# that it holds; what bins can do to a measure is bounded in distributions/binned.py, whatever they are.

MOST: Final = 1_000_000  # distinct rows that are kept as they are
BINS: Final = 65_536
JOINT_BINS: Final = 1_024  # of each of several systems
FINE: Final = 65_536  # cells of the first count of one score
COARSE: Final = 8_192  # cells of the first count of one of several scores
PARTS: Final = 256  # of the rows, whose density is looked at
PIECES: Final = 24
HEAVY: Final = 8  # times its share, and a cell is divided
_ROOM: Final = 400  # bins, from which on there is room for the hundredths
_LEAST_WEIGHT: Final = 1e-100


@dataclass(frozen=True)
class Bins:
    """How many bins there are at most for a score, and where they begin and end for each."""

    size: int
    ends: tuple[tuple[float, float], ...]

    @property
    def note(self) -> Note:
        """What was done."""
        form = "one" if len(self.ends) == 1 else "several"
        ends = ", ".join(f"{low:.6g} to {high:.6g}" for low, high in self.ends)
        return note("binned", form=form, bins=self.size, scores=len(self.ends), ends=ends)


def scores(source: Source, request: Request) -> tuple[Groups, Bins | None]:
    """Rows by truth and scores, counted, and the bins that the scores were put in, if they were."""
    keys = tuple(replace(request.answer(i), column=x) for i, x in enumerate(request.answers))
    only = replace(request.grouping, keys=keys, amount=None)
    if not source.eager:
        if request.bins is None and source.distinct(only) <= MOST:
            return source.grouped(request.grouping, request.what), None
        return _binned(source, request)
    found = source.grouped(request.grouping, request.what)
    table = table_of(found)
    own = replace(
        request, truth="truth", answers=tuple(k.name for k in keys), cluster="cluster0" if request.cluster else None,
        between="between0" if request.between else None, weight=None, count=None, where=(),
    )  # fmt: skip
    few = len(found) <= MOST or table.distinct(Grouping(own.keys[-len(keys) :])) <= MOST
    if request.bins is None and few:
        return found, None
    binned, bins = _binned(table, own)
    return replace(binned, unweighed=found.unweighed), bins


def _binned(source: Source, request: Request) -> tuple[Groups, Bins]:
    many = len(request.answers)
    number = request.bins or (BINS if many == 1 else JOINT_BINS)
    ends, tops = _ends(source, request)
    within = number > _ROOM and all(low >= 0.0 and high <= 1.0 for low, high in ends)
    room = max(2, number - 2 - (101 if within else 0))

    def final(*pieces: tuple[Piece, ...]) -> Groups:
        keys = [k for k in request.keys if not k.name.startswith("answer")]
        for i, (x, own) in enumerate(zip(request.answers, pieces, strict=True)):
            keys.append(Key(f"cell{i}", x, "cells", pieces=own))
            keys += [Key(f"hundredth{i}", x, "hundredths")] if within else []
            top = tops[i]
            keys += [Key(f"top{i}", x, "steps", (top,))] if top is not None else []
        grouping = replace(request.grouping, keys=tuple(keys), spans=request.answers)
        return source.grouped(grouping, request.what)

    if many == 1:
        found = _planned(final, ends[0], max(FINE, number), HEAVY / FINE)
    else:
        found = final(*(_marginal(source, request, i, ends[i], room) for i in range(many)))
    columns, sizes = {}, []
    for i in range(many):
        score, size = _represented(found, i, number if many == 1 else None, tops[i])
        columns[f"answer{i}"] = score
        sizes.append(size)
    made = replace(found, numbers=columns, spans=())
    made = added(made) if many == 1 else made  # bins of one score may have become fewer
    good = [x[np.isfinite(x)] for x in columns.values()]
    shown = tuple((float(x.min()), float(x.max())) if x.size else (0.0, 0.0) for x in good)
    return made, Bins(max(sizes), shown)


def _ends(source: Source, request: Request) -> tuple[list[tuple[float, float]], list[float | None]]:
    """The least and greatest of each score among the rows that will count, and the greatest of a positive item."""
    keys = [Key("truth", str(request.truth))]
    keys += [Key(f"odd{i}", x, "odd") for i, x in enumerate(request.answers)]
    amount = request.weight or request.count
    keys += [Key("heavy", amount, "steps", (_LEAST_WEIGHT,))] if amount is not None else []
    g = source.grouped(replace(request.grouping, keys=tuple(keys), amount=None, spans=request.answers))
    good = ~g.truth.missing & (g.values("odd") == 0.0).all(axis=1)
    good &= g.numbers["heavy"] == 1.0 if amount is not None else g.counts > 0
    g = g.at(good)
    if not len(g):
        return [(0.0, 0.0)] * len(g.spans), [None] * len(g.spans)  # no row will count: refused when they are counted
    ends = [(float(low.min()), float(high.max())) for low, high in g.spans]
    for low, high in ends:
        if not np.isfinite(high - low):
            raise BadLabels(f"scores from {low:g} to {high:g} are beyond floating point; give them in other units.")
    known = known_labels(g.truth.present, [], None)
    yes = np.zeros(len(g), dtype=bool) if len(known) < 2 else two_classes(g.truth, known, request.positive)[0] == 1
    return ends, [float(high[yes].max()) if yes.any() else None for _, high in g.spans]


# -- cells


def _marginal(source: Source, request: Request, i: int, ends: tuple[float, float], room: int) -> tuple[Piece, ...]:
    """Cells of one of several scores: few, and each with about as many rows."""
    column = request.answers[i]

    def count(pieces: tuple[Piece, ...]) -> Groups:
        key = Key("cell0", column, "cells", pieces=pieces)
        return source.grouped(replace(request.grouping, keys=(key,), spans=(column,)), request.what)

    return _pieces(*_cells(_planned(count, ends, max(COARSE, 8 * room), 0.5 / room)), room)


def _planned(
    count: Callable[[tuple[Piece, ...]], Groups], ends: tuple[float, float], cells: int, share: float
) -> Groups:
    """What was counted in cells of which none that holds several scores has more than a share, where that can be."""
    pieces: tuple[Piece, ...] = (_piece(*ends, cells, 0),)
    before = np.inf
    while True:
        found = count(pieces)
        least, most, counts = _cells(found)
        worst = float(np.max(counts[least < most], initial=0.0))
        if worst <= share * counts.sum() or worst > 0.9 * before:
            return found
        pieces, before = _pieces(least, most, counts, cells), worst


def _cells(g: Groups) -> tuple[Array, Array, Array]:
    """The least and greatest score of each cell that holds any, and the number of its rows, in order."""
    cell = g.numbers["cell0"]
    good = np.isfinite(cell)
    _, at = np.unique(cell[good], return_inverse=True)
    low, high = (x[good] for x in g.spans[0])
    counts = np.asarray(np.bincount(at, g.counts[good]), dtype=float)
    least, most = np.full(len(counts), np.inf), np.full(len(counts), -np.inf)
    np.minimum.at(least, at, low)
    np.maximum.at(most, at, high)
    return least, most, counts


def _pieces(least: Array, most: Array, counts: Array, cells: int) -> tuple[Piece, ...]:
    """Pieces in which rows lie about equally dense, and cells for each in proportion to the rows that it holds."""
    if not counts.size:
        return (_piece(0.0, 0.0, 1, 0),)
    parts = min(PARTS, cells - 1)
    starts = np.append(0, np.searchsorted(np.cumsum(counts), np.arange(1, parts) * counts.sum() / parts))
    if cells > PARTS:  # a cell that holds much is a part of its own
        much = np.flatnonzero(counts > counts.sum() / PIECES)
        starts = np.concatenate([starts, much, much + 1])
    starts = np.unique(starts[starts < len(counts)])
    low, high, held = least[starts], most[np.append(starts[1:], len(counts)) - 1], np.add.reduceat(counts, starts)
    if cells > PARTS:
        low, high, held = _alike(*_divided(low, high, held))
    room = np.maximum(1, np.floor((cells - len(held)) * held / held.sum())).astype(int)
    first = np.append(0, np.cumsum(room)).tolist()
    return tuple(
        _piece(a, b, r, f) for a, b, r, f in zip(low.tolist(), high.tolist(), room.tolist(), first, strict=False)
    )


def _divided(low: Array, high: Array, held: Array) -> tuple[Array, Array, Array]:
    """Parts that hold much become smaller and smaller ones towards both their ends: one of them may be dense there."""
    out: list[tuple[float, float, float]] = []
    steps = 2.0 ** -np.arange(10.0, 70.0, 10.0)
    for a, b, n in zip(low.tolist(), high.tolist(), held.tolist(), strict=True):
        if n <= held.sum() / PIECES or a >= b:
            out.append((a, b, n))
            continue
        edges = np.unique(np.concatenate([[a, b], a + (b - a) * steps, b - (b - a) * steps]))
        out += [(x, y, n / (len(edges) - 1)) for x, y in pairwise(edges.tolist())]
    a, b, n = np.array(out).T
    return a, b, n


def _alike(low: Array, high: Array, held: Array) -> tuple[Array, Array, Array]:
    """Neighbours of about the same density put together, so that few pieces are left."""
    density = (np.log2(held) - np.log2(np.maximum(high - low, np.finfo(float).tiny))).tolist()
    factor, new = 1.0, [0] * (PIECES + 1)
    while len(new) > PIECES:
        factor, new = 1.5 * factor, [0]
        for k, x in enumerate(density):
            if abs(x - density[new[-1]]) > factor:
                new.append(k)
    return low[new], high[np.array([*new[1:], len(low)]) - 1], np.add.reduceat(held, new)


def _piece(low: float, high: float, cells: int, first: int) -> Piece:
    """Cells from low to high, the last of which holds high."""
    width = high - low
    return Piece(low, min(cells * (1.0 - 1e-9) / width, 1e300) if width > 0 else 0.0, first)


# -- bins


def _represented(g: Groups, i: int, most: int | None, top: float | None) -> tuple[Array, int]:
    """The score that each row is given: the edge of its bin, or the least score in it; and the number of bins."""
    cell = g.numbers[f"cell{i}"]
    good = np.isfinite(cell)
    if not good.any():
        return cell, 0
    names = [name for name in (f"cell{i}", f"hundredth{i}", f"top{i}") if name in g.numbers]
    codes = [g.numbers[name][good].astype(np.int64) for name in names]
    rows, at = distinct(codes, [int(x.max()) + 1 for x in codes])
    least = np.full(len(rows), np.inf)
    np.minimum.at(least, at, g.spans[i][0][good])
    order = np.argsort(least, kind="stable")
    edge, must = least[order].copy(), np.zeros(len(rows), dtype=bool)
    for name, mine in zip(names[1:], rows[order].T[1:], strict=True):
        new = np.append(False, mine[1:] > mine[:-1])
        edge[new] = top if name.startswith("top") else mine[new] / 100.0
        must |= new
    held = np.asarray(np.bincount(at, g.counts[good]), dtype=float)[order]
    bins = np.arange(len(rows)) if most is None else _coarser(held, must, most)
    edge = edge[np.unique(bins, return_index=True)[1]]
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = bins
    score = cell.copy()
    score[good] = edge[place[at]]
    return score, len(edge)


def _coarser(counts: Array, must: Mask, most: int) -> Integers:
    """At most so many bins out of more: those that must begin do, the others share the rows."""
    if len(counts) <= most:
        return np.arange(len(counts))
    begin = must.copy()
    share = np.cumsum(counts) / counts.sum()
    extra = max(1, most - int(must.sum()) - 1)
    begin[np.searchsorted(share, np.arange(1, extra) / extra, side="left")] = True
    begin[0] = True
    return np.asarray(np.cumsum(begin) - 1)


# -- scored items
#
# Truths and scores to Scored: arrays in the order given, or what an engine counted, in order.


def of_arrays(y_true: Any, scores: Any, settings: Mapping[str, Any]) -> Scored:
    """Truths and scores in the order given; a weight, a cluster and settings may be given too."""
    weight, cluster = settings.get("weight"), settings.get("cluster")
    if scores is None:
        raise BadSetting("a curve needs truths and scores: hs.curve(y_true, scores).")
    given = dict(scores) if isinstance(scores, Mapping) else {"system": scores}
    if not given:
        raise BadLabels("no scores were given.")
    names = tuple(str(x) for x in given)
    refuse_twins(names, list(given))
    called = [f"scores of {x!r}" for x in given] if isinstance(scores, Mapping) else ["scores"]
    labels = {"truth": coded(as_column(y_true, "y_true"))}
    parts = [as_numbers(x, name, apart=True) for name, x in zip(called, given.values(), strict=True)]
    n = len(labels["truth"])
    for name, x in zip(called, parts, strict=True):
        if len(x) != n:
            raise BadLabels(f"got {plural(n, 'truth')} but {len(x):,} {name}; give one of each per item.")
    weights = None if weight is None else as_weights(weight, n)
    if cluster is not None:
        labels["cluster0"] = cluster_column(cluster, n)
    counts = np.ones(n, dtype=np.int64) if weights is None else weights
    numbers = {f"answer{i}": x for i, x in enumerate(parts)}
    squares = None if weights is None else weights**2
    groups = Groups(labels, counts, squares, numbers, rows=np.ones(n, dtype=np.int64), account=Account(n))
    answers = tuple(numbers)
    missing = check_missing(settings.get("missing", "refuse"), "scores")
    request = Request(
        kind="scores", answers=answers, truth="truth", names=names, positive=settings.get("positive"),
        cluster=None if cluster is None else "cluster", missing=missing,
    )  # fmt: skip
    return settle_scores(groups, request, counted=False)


def of_source(source: Source, request: Request) -> tuple[Groups, Callable[[Groups, Request], Scored]]:
    """Rows counted by an engine, distinct scores in order or bins of them; and what makes evidence of them."""
    found, bins = scores(source, request)

    def finished(g: Groups, asked: Request) -> Scored:
        made = settle_scores(g, asked, counted=True)
        if bins is not None:
            made = replace(made, bins=bins.size, notes=(*made.notes, bins.note))
        return replace(made, library=source.library)

    return found, finished


def settle_scores(g: Groups, request: Request, *, counted: bool) -> Scored:
    """The Scored of groups; those that an engine counted are put in order."""
    if not counted and not len(g):
        raise BadLabels("there are no items: truths and scores are empty.")
    refuse_nothing(g)
    none = np.zeros(len(g), dtype=bool)
    g, _, _, notes = without_clusters(g, request, none, none)
    values = g.values()
    truths = g.truth.missing
    lost = truths | np.isnan(values).any(axis=1)
    lacks = "no truth" if truths.any() else "a score that is missing or NaN"
    g, dropped = without_lost(g, request, lost, lacks, "score", "row" if counted else "item", total=g.total)
    notes = (*notes, *dropped, *unweighed(g, request))
    g = without_weightless(g)
    account = g.account
    g = g.at(g.counts > 0)
    if not len(g):
        raise BadLabels("there are no items: no row has a truth and a score.")
    g = g.at(_order(g)) if counted else g
    values = g.values()
    known = known_labels(g.truth.present, [], None)
    if len(known) < 2:
        raise BadLabels(f"all items are {known[0]!r}: a curve needs items of both classes.")
    yes, labels = two_classes(g.truth, known, request.positive)
    _refuse(values, yes.astype(bool), labels)
    clusters = None
    if "cluster0" in g.labels:
        clusters = g.labels["cluster0"].in_order().codes
        if clusters.max() == 0:
            raise BadLabels("all items are in one cluster: whole clusters are resampled, so two or more are needed.")
    plain = g.squares is None and bool((g.counts == 1).all())
    counts = None if plain else g.counts.astype(float)
    return Scored(
        yes.astype(bool), values, request.systems, labels, counts, g.squares, clusters, notes, account=account
    )


def _order(g: Groups) -> Integers:
    """Rows by cluster, truth and scores, whatever order an engine gave them in."""
    ordered = [x.in_order().codes for x in (*g.named("cluster"), g.truth)]
    return np.lexsort((*g.values().T[::-1], *ordered[::-1]))


def _refuse(values: Array, truth: Mask, labels: tuple[Label, Label]) -> None:
    """Scores that are infinite, and truths of one class only."""
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise BadLabels(f"scores must be finite numbers; got {bad:g}. Replace it, or leave those items out.")
    if truth.all() or not truth.any():
        raise BadLabels(
            f"all {len(truth):,} items are {labels[int(truth[0])]!r}: a curve needs items of both classes, "
            f"{labels[0]!r} and {labels[1]!r}."
        )
