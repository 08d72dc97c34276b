"""Slices that stand out: how many would look so different if all were alike, and which are beyond that.

If all slices were alike, a slice would be as good as any random part of the data of its size. So items are dealt out at
random: parts of the sizes of the slices, without their names. A slice looks different where its score is further out
than those of 95 in 100 such parts; how many parts are so far out is how many slices would be. Marked are those that
stand out among that many (Benjamini & Hochberg at 1 in 20). It takes point scores only: no prior and no law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.alike import discoveries, size_groups, standing
from howsure.model.posterior import Posterior
from howsure.notes import Note, note

Array = NDArray[np.float64]

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
    group: NDArray[np.intp]
    part_group: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SliceMarks:
    """Which slices of one measure stand out, and how many look different, do by chance, and have a score."""

    marked: NDArray[np.bool_]
    defined: NDArray[np.bool_]
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
    if len(posteriors) > 1:
        return _dealt(posteriors, seed)
    kept = posteriors[0].kept  # measures of the same slices share the parts
    if "dealt" not in kept:
        kept["dealt"] = _dealt(posteriors, seed)
    return kept["dealt"]  # type: ignore[no-any-return]


def _dealt(posteriors: Sequence[Posterior], seed: int) -> DealtParts:
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


def _chosen(group: NDArray[np.intp], usable: NDArray[np.intp], cells: int) -> NDArray[np.intp]:
    """The slices whose sizes are dealt: equally many of each group, enough for the tails that marks need."""
    groups = np.unique(group[usable])
    most = min(PARTS, CELLS // cells) // len(groups)
    each = max(200, min(max(20_000, 100 * len(group)), most))
    spread = np.arange(each) / each
    own = (usable[group[usable] == g] for g in groups)
    return np.concatenate([x[(spread * x.size).astype(np.intp)] if x.size > each else np.resize(x, each) for x in own])


def marks(deal: DealtParts, scores: Array, parts: Array, whole: float) -> SliceMarks:
    """Which slices stand out, from their scores, those of the parts, and that of all items together."""
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
