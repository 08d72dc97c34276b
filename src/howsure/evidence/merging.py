"""Patterns put together: the same labels, slices and label sets on both sides, and what must agree is checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from howsure.counting import within
from howsure.errors import BadCounts, BadLabels, listing
from howsure.evidence.account import both
from howsure.evidence.layout import PATTERNS, SQUARE, Array, Axis
from howsure.evidence.patterns import Patterns
from howsure.labels import Label, completed, in_order, refuse_number_and_text, usual_positive
from howsure.slices import Slices, joined

if TYPE_CHECKING:
    from howsure.evidence.classes import Tally

P = TypeVar("P", bound=Patterns)


def tallies(a: Tally, b: Tally) -> Any:
    """Counts of both; labels are the union."""
    a, other = aligned(a, b)
    labels = _merged_labels(a, other)
    parts = []
    for t in (a, other):
        to = np.array([labels.index(x) if x in labels else -2 for x in t.labels] + [-1])
        parts.append(to[t.cells])
    codes = np.concatenate(parts)
    kept = (codes > -2).all(axis=1)
    made = added(a, other, codes, kept)
    positive = _merged_positive(a, other, labels)
    given = a.labels_given and other.labels_given
    return checked(replace(made, labels=labels, positive=positive, labels_given=given).tidy())


def added(a: P, b: Patterns, codes: Array, kept: Any = slice(None)) -> P:
    """The patterns of both one after the other, under these codes."""
    counts = np.concatenate([a.counts, b.counts], axis=-1)[..., kept]
    squares = None
    if a.weighted or b.weighted:
        squares = np.concatenate([_squares(a), _squares(b)], axis=-1)[..., kept]
    notes = a.notes + tuple(x for x in b.notes if x not in a.notes)
    account = both(a.account, b.account)
    return replace(a, cells=codes[kept], counts=counts, squares=squares, notes=notes, account=account)


def checked(t: P) -> P:
    """The same, if its counts are exact in a double."""
    if not t.weighted:
        within(t.counts)
    return t


def refused(a: Patterns, b: object) -> Any:
    """Evidence of two kinds; anything else is not evidence at all."""
    if not isinstance(b, Patterns):
        return NotImplemented
    raise BadLabels(
        f"evidence of different kinds (classes, outcomes, items with several labels) cannot be added; got "
        f"{type(a).__name__} and {type(b).__name__}."
    )


def aligned(a: P, b: P) -> tuple[P, P]:
    """Both with the slices of either; systems and other axes must agree."""
    if a.systems != b.systems:
        raise BadLabels(f"tallies of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    if a.batch == b.batch:
        return a, b
    if [name for name, _ in a.batch] != [name for name, _ in b.batch]:
        raise BadCounts(f"tallies of different batches cannot be added: shapes {a.shape} and {b.shape}.")
    for k, ((name, x), (_, y)) in enumerate(zip(a.batch, b.batch, strict=True)):
        if x == y:
            continue
        if not isinstance(x, Slices) or not isinstance(y, Slices):
            raise BadCounts(f"tallies of different batches cannot be added: shapes {a.shape} and {b.shape}.")
        axis, at, bt = joined(x, y)
        a, b = _spread(a, k, (name, axis), at), _spread(b, k, (name, axis), bt)
    return a, b


def _spread(t: P, k: int, axis: Axis, at: Array) -> P:
    """The tables of one axis at their places on a longer one."""

    def put(values: Array) -> Array:
        out = np.zeros((*values.shape[:k], len(axis[1]), *values.shape[k + 1 :]), dtype=values.dtype)
        out[(slice(None),) * k + (at,)] = values
        return out

    squares = None if t.squares is None else put(t.squares)
    return replace(t, counts=put(t.counts), squares=squares, batch=(*t.batch[:k], axis, *t.batch[k + 1 :]))


def _merged_labels(a: Tally, b: Tally) -> tuple[Label, ...]:
    """The union of the labels; labels that only the 0/1 rule added to a shard are decided anew."""
    refuse_number_and_text(a.labels, b.labels, "labels")
    if a.labels_given or b.labels_given:
        return a.labels if a.labels == b.labels else in_order({*a.labels, *b.labels})
    return completed(occurring(a) | occurring(b)) or a.labels


def occurring(t: Tally) -> set[Label]:
    """The labels of true items and of predictions."""
    used = t.cells[t.counts.reshape(-1, t.counts.shape[-1]).any(axis=0)]
    return {t.labels[i] for i in np.unique(used).tolist() if i >= 0}


def _merged_positive(a: Tally, b: Tally, labels: tuple[Label, ...]) -> Label | None:
    """The positive class of both; one that a shard has only by the 0/1 rule gives way to what holds of the whole."""
    if not a.positive_given and not b.positive_given:
        return usual_positive(labels)
    if a.positive != b.positive:
        raise BadLabels(f"tallies with different positive classes cannot be added: {a.positive!r}, {b.positive!r}.")
    return a.positive


def _squares(t: Patterns) -> Array:
    return t.counts.astype(float) if t.squares is None else t.squares


def same(a: Patterns, b: Patterns, also: tuple[str, ...] = ()) -> bool:
    """Whether two hold the same counts of the same patterns, in whatever order."""
    a, b = a.tidy(), b.tidy()
    names = ("systems", "batch", *also)
    return bool(
        [getattr(a, x) for x in names] == [getattr(b, x) for x in names]
        and np.array_equal(a.cells, b.cells)
        and a.weighted == b.weighted
        and _equal(a.counts, b.counts, a.weighted)
        and (a.squares is None or b.squares is None or _equal(a.squares, b.squares, True))
    )


def _equal(a: Array, b: Array, sums: bool) -> bool:
    """Equal counts; sums of weights may differ by the order in which they were added."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-9, atol=0.0) if sums else np.array_equal(a, b))


def full_square(t: Patterns) -> dict[str, Any]:
    """All four patterns of a 2x2 table (and missing answers, if any), in order."""
    lost = sorted({tuple(c) for c in t.cells.tolist()} - set(PATTERNS))
    patterns = [*PATTERNS, *lost]
    place = {p: i for i, p in enumerate(patterns)}
    at = [place[tuple(c)] for c in t.cells.tolist()]
    full = np.zeros((*t.shape, len(patterns)), dtype=t.counts.dtype)
    full[..., at] = t.counts
    more = None
    if t.squares is not None:
        more = np.zeros((*t.shape, len(patterns)))
        more[..., at] = t.squares
    return {"cells": SQUARE if not lost else np.array(patterns), "counts": full, "squares": more}
