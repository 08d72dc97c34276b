"""Slices in results: their order, and which stand out by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array, Index, Mask
from howsure.errors import BadSetting, UnknownName, listing, nearest
from howsure.evidence.protocol import Evidence
from howsure.evidence.slices import Slices
from howsure.messages.language import option
from howsure.messages.notes import Note, note
from howsure.posteriors.posterior import Posterior
from howsure.verbs.rows import Place, Row, row_parts

# -- slice marks
#
# Slices that stand out: how many would look so different if all were alike, and which are beyond that.
#
# If all slices were alike, a slice would be as good as any random part of the data of its size. So items are dealt
# out at random: parts of the sizes of the slices, without their names. A slice looks different where its score is
# further out than those of 95 in 100 such parts; how many parts are so far out is how many slices would be. Marked
# are those that stand out among that many (Benjamini & Hochberg at 1 in 20). It takes point scores only: no prior and
# no law.


MANY: Final = 5  # slices from which on some are marked
LOOKS: Final = 0.05  # a slice looks different that is further out than all but this share of parts
FALSE: Final = 0.05  # of marked slices, those that are so by chance
PARTS: Final = 200_000  # that are dealt, at most
CELLS: Final = 4_000_000  # counts that are dealt, at most


@dataclass(frozen=True, eq=False)
class DealtParts:
    """Parts of the data dealt at random: a posterior of each, with sizes and groups of like size; of slices too."""

    posteriors: tuple[Posterior, ...]
    reach: Array  # of each slice: the standard error of a score, in units of that of one item
    part_reach: Array
    group: Index
    part_group: Index


@dataclass(frozen=True, eq=False)
class SliceMarks:
    """Which slices of one measure stand out, and how many look different, do by chance, and have a score."""

    marked: Mask
    defined: Mask
    found: int
    expected: float

    def at(self, k: int) -> bool | None:
        """Whether a slice is marked; None where it has no score."""
        return bool(self.marked[k]) if self.defined[k] else None

    def note(self, of: str, system: str | None, what: str) -> Note:
        """What is said of it."""
        return note(
            "slices-alike", of=(of,), system=(system,), what=what, slices=(int(self.defined.sum()),),
            found=(self.found,), expected=(float(f"{self.expected:.3g}"),), marked=(int(self.marked.sum()),),
        )  # fmt: skip


def dealt(posteriors: Sequence[Posterior], seed: int) -> DealtParts | None:
    """Parts of the sizes of the slices, of each of these posteriors; None where slices are few, or one axis of more."""
    shape = posteriors[0].evidence.shape
    if len(shape) != 1 or shape[0] < MANY or any(p.evidence.shape != shape for p in posteriors):
        return None
    if any(getattr(p.evidence, "crossing", 0) for p in posteriors):  # parts of one cluster are dealt as one
        return None
    if len(posteriors) > 1:
        return _dealt(posteriors, seed)
    kept = posteriors[0].kept  # measures of the same slices share the parts
    if "dealt" not in kept:
        kept["dealt"] = _dealt(posteriors, seed)
    return kept["dealt"]  # type: ignore[no-any-return]


def _dealt(posteriors: Sequence[Posterior], seed: int) -> DealtParts:
    from howsure.distributions.alike import size_groups

    sizes = [np.maximum(np.round(p.evidence.effective.sum(axis=-1)), 0.0) for p in posteriors]
    with np.errstate(divide="ignore"):
        variance = np.sum([1.0 / n for n in sizes], axis=0)
        reach = np.sqrt(np.sum([1.0 / n - 1.0 / n.sum() for n in sizes], axis=0))
    group = size_groups(1.0 / variance)
    which = _chosen(group, np.flatnonzero(np.isfinite(variance)), max(p.evidence.part_cost for p in posteriors))
    rng = np.random.default_rng(seed)
    wholes = (p.whole(0) for p in posteriors)
    parts = tuple(
        p.seeing(p.evidence.dealt(n[which].astype(np.int64), rng)) for p, n in zip(wholes, sizes, strict=True)
    )
    return DealtParts(parts, reach, reach[which], group, group[which])


def _chosen(group: Index, usable: Index, cells: int) -> Index:
    """The slices whose sizes are dealt: equally many of each group, enough for the tails that marks need."""
    groups = np.unique(group[usable])
    most = min(PARTS, CELLS // cells) // len(groups)
    each = max(200, min(max(20_000, 100 * len(group)), most))
    spread = np.arange(each) / each
    own = (usable[group[usable] == g] for g in groups)
    return np.concatenate([x[(spread * x.size).astype(np.intp)] if x.size > each else np.resize(x, each) for x in own])


def marks(deal: DealtParts, scores: Array, parts: Array, whole: float) -> SliceMarks:
    """Which slices stand out, from their scores, those of the parts, and that of all items together."""
    from howsure.distributions.alike import discoveries, standing

    defined = ~np.isnan(scores)
    shares, looks = np.ones(scores.size), 0.0
    ours, theirs = (_scaled(x, whole, r) for x, r in ((scores, deal.reach), (parts, deal.part_reach)))
    for g in np.unique(deal.group[defined]).tolist():
        here, there = defined & (deal.group == g), (deal.part_group == g) & ~np.isnan(parts)
        if there.any():  # undefined slices are not counted, and undefined parts tell nothing of the others
            shares[here], own = standing(ours[here], theirs[there])
            looks += float(here.sum() * np.mean(own <= LOOKS))
    marked = np.zeros(scores.size, dtype=bool)
    marked[defined] = discoveries(shares[defined], FALSE)
    return SliceMarks(marked, defined, int((shares <= LOOKS).sum()), looks)


def _scaled(scores: Any, whole: float, reach: Array) -> Array:
    """How far scores are from that of the whole, in a unit that does not depend on size; 0 where they are undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (np.asarray(scores, dtype=float) - whole) / reach
    return np.where(np.isnan(away), 0.0, away)


# -- slice order
#
# The order of slices: in which to show them, and which to leave out of a page.
#
# Slices of a report go from those that are most surely worse than the rest of the data to those most surely better: by
# the normal score of the difference between the slice and the rest, which is what all items show without it. Slices
# of a comparison go by how surely the first system is worse there. It orders; it is not shown.

SORTS: Final = ("worse", "better", "name", "n", "score")
SORTS_OF_PAIRS: Final = ("worse", "better", "name", "n", "difference")
MOST: Final = 50  # tables that a page shows in full
ENDS: Final = 10  # shown at either end of a longer list


def check_sort(sort: Any, evidence: Evidence, known: Sequence[str] = SORTS) -> str:
    """One of the orders of slices; refused where there are no slices."""
    if sort is None:
        return known[0]
    if sliced(evidence) is None:
        raise BadSetting(f"{option('sort')} is the order of slices; this evidence has none.")
    if sort not in known:
        raise UnknownName(f"no order {sort!r}.{nearest(str(sort), known)} Give {listing(known)}.")
    return str(sort)


def sliced(evidence: Evidence) -> int | None:
    """The place of the axis of slices, if there is one."""
    return next((k for k, (_, axis) in enumerate(evidence.batch) if isinstance(axis, Slices)), None)


def order(evidence: Evidence, rows: Sequence[Row], overall: Sequence[Row], sort: str) -> list[Place]:
    """The tables of all rows in the order asked for, by the first measure that has a direction."""
    axis = sliced(evidence)
    if axis is None or sort == "name":
        return list(np.ndindex(evidence.shape))
    if sort == "n":
        return by_key(-np.asarray(evidence.totals, dtype=float))
    parts = list(zip(row_parts(rows), row_parts(overall), strict=True))
    (row, i), (whole, _) = next((x for x in parts if x[0][0].metric.better is not None), parts[0])
    if sort == "score":
        score = row.score if i is None else row.score[i]
        worst = -1.0 if row.metric.better == "lower" else 1.0
        return by_key(np.where(np.isnan(score), np.inf, worst * score))
    z = worse(row, whole, i, axis)
    return by_key(-z if sort == "worse" else z)


def by_key(key: AnyArray) -> list[Place]:
    """Places of a batch, least key first; of equal ones in the order of their names."""
    flat = np.argsort(key.ravel(), kind="stable")
    return list(zip(*(x.tolist() for x in np.unravel_index(flat, key.shape)), strict=True))


def worse(row: Row, whole: Row, i: int | None, axis: int) -> Array:
    """How surely each slice is worse than the rest, as a normal score; 0 where the measure has no direction.

    A slice with the share w of all items is apart from the rest by its distance from the whole over 1 - w, and the rest
    has the variance of the whole over 1 - w. The share is that of items, or of what is known where this is less: recall
    of a slice with few positive items.
    """
    evidence = row.question.state.evidence
    if row.metric.better is None:
        return np.zeros(evidence.shape)
    (mean, std), (middle, spread) = (_moments(x, i) for x in (row, whole))
    n = np.asarray(evidence.totals, dtype=float)
    middle, spread = (np.expand_dims(x, axis) for x in (middle, spread))
    with np.errstate(all="ignore"):
        rest = 1.0 - np.fmin(n / n.sum(axis=axis, keepdims=True), (spread / std) ** 2)
        z = (middle - mean) / rest / np.sqrt(std**2 + spread**2 / rest)
    z = np.nan_to_num(z, nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(z if row.metric.better == "higher" else -z)


def _moments(row: Row, i: int | None) -> tuple[AnyArray, AnyArray]:
    mean, std = (np.asarray(x if i is None else x[i]) for x in (row.distribution.mean, row.distribution.std))
    return mean, std


def ends(places: list[Place]) -> list[Place]:
    """The first and the last of a long list."""
    return places if len(places) <= MOST else [*places[:ENDS], *places[-ENDS:]]


def gap(tables: int, overall: int, each: int) -> dict[str, int]:
    """What a page hides: how many tables, and after which row; a table has so many rows each."""
    return {"tables": tables - 2 * ENDS, "row": overall + ENDS * each}
