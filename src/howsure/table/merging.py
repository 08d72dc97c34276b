"""Tallies put together: patterns in order, the same labels, slices and label sets on both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from howsure.counting import within
from howsure.errors import BadCounts, BadLabels, listing
from howsure.labels import Label, completed, in_order, usual_positive
from howsure.labelsets import LabelSets, distinct
from howsure.slices import Slices, joined
from howsure.table.layout import PATTERNS, SQUARE, Array, Axis

if TYPE_CHECKING:
    from howsure.table.counts import Tally


def merge(a: Tally, b: Tally) -> Tally:
    """Counts of both; labels are the union; what must agree is checked."""
    if a.strata is not None or b.strata is not None:
        raise BadLabels("stratified tallies cannot be added; add the tallies of their strata.")
    if a.outcome != b.outcome:
        raise BadLabels("a tally of outcomes and a tally of classes cannot be added.")
    if (a.sets is None) != (b.sets is None) or a.independent != b.independent:
        raise BadLabels("a tally of items with many labels can be added to one of its own kind only.")
    if a.systems != b.systems:
        raise BadLabels(f"tallies of different systems cannot be added: {listing(a.systems)} and {listing(b.systems)}.")
    a, b = _aligned(a, b)
    if a.sets is not None and b.sets is not None:
        a, b = _common_sets(a, b)
        counts = np.concatenate([a.counts, b.counts])
        return tidy(replace(a, cells=np.concatenate([a.cells, b.cells]), counts=counts))
    labels = _merged_labels(a, b)
    positive = _merged_positive(a, b, labels)
    weighted = a.weighted or b.weighted
    parts = []
    for t in (a, b):
        to = np.array([labels.index(x) if x in labels else -2 for x in t.labels] + [-1])
        parts.append(to[t.cells])
    codes = np.concatenate(parts)
    kept = (codes > -2).all(axis=1)
    counts = np.concatenate([a.counts, b.counts], axis=-1)[..., kept]
    squares = np.concatenate([_squares(a), _squares(b)], axis=-1)[..., kept] if weighted else None
    notes = a.notes + tuple(x for x in b.notes if x not in a.notes)
    merged = tidy(
        replace(
            a,
            fixed=a.fixed and b.fixed,
            cells=codes[kept],
            counts=counts,
            labels=labels,
            positive=positive,
            squares=squares,
            notes=notes,
        )
    )
    if not weighted:
        within(merged.counts)
    return merged


def _aligned(a: Tally, b: Tally) -> tuple[Tally, Tally]:
    """Both with the slices of either; other axes must agree."""
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


def _spread(t: Tally, k: int, axis: Axis, at: Array) -> Tally:
    """The tables of one axis at their places on a longer one."""

    def put(values: Array | None) -> Array | None:
        if values is None:
            return None
        out = np.zeros((*values.shape[:k], len(axis[1]), *values.shape[k + 1 :]), dtype=values.dtype)
        out[(slice(None),) * k + (at,)] = values
        return out

    batch = (*t.batch[:k], axis, *t.batch[k + 1 :])
    return replace(t, counts=cast("Array", put(t.counts)), squares=put(t.squares), batch=batch)


def _common_sets(a: Tally, b: Tally) -> tuple[Tally, Tally]:
    """Two tallies of label sets, coded alike."""
    labels = a.labels if a.labels == b.labels else in_order({*a.labels, *b.labels})
    place = {label: i for i, label in enumerate(labels)}
    codes: dict[tuple[int, ...], int] = {}
    cells = []
    for t in (a, b):
        own = [place[x] for x in t.labels]
        sets = cast("LabelSets", t.sets)
        to = [codes.setdefault(tuple(sorted(own[i] for i in one)), len(codes)) for one in sets.tuples()]
        cells.append(np.array(to, dtype=np.int64)[t.cells])
    found = distinct(codes)
    return (
        replace(a, cells=cells[0], labels=labels, sets=found, fixed=a.fixed and b.fixed),
        replace(b, cells=cells[1], labels=labels, sets=found),
    )


def _merged_labels(a: Tally, b: Tally) -> tuple[Label, ...]:
    """The union of the labels; labels that only the 0/1 rule added to a shard are decided anew."""
    if a.fixed or b.fixed:
        return a.labels if a.labels == b.labels else in_order({*a.labels, *b.labels})
    return completed(_occurring(a) | _occurring(b)) or a.labels


def _occurring(t: Tally) -> set[Label]:
    used = t.cells[t.counts.reshape(-1, t.counts.shape[-1]).any(axis=0)]
    return {t.labels[i] for i in np.unique(used).tolist() if i >= 0}


def _merged_positive(a: Tally, b: Tally, labels: tuple[Label, ...]) -> Label | None:
    """The positive class of both; one that a shard has only by the 0/1 rule gives way to what holds of the whole."""
    if not a.chosen and not b.chosen and not (a.outcome or b.outcome):
        return usual_positive(labels)
    if a.positive != b.positive:
        raise BadLabels(f"tallies with different positive classes cannot be added: {a.positive!r}, {b.positive!r}.")
    return a.positive


def _squares(t: Tally) -> Array:
    return t.counts.astype(float) if t.squares is None else t.squares


def same(a: Tally, b: Tally) -> bool:
    """Whether two tallies hold the same counts of the same patterns, in whatever order."""
    if (a.sets is None) != (b.sets is None) or a.independent != b.independent:
        return False
    if a.sets is not None and a.labels == b.labels:
        a, b = _common_sets(a, b)
    a, b = tidy(a), tidy(b)
    alike = (a.labels, a.systems, a.positive, a.batch, a.outcome) == (
        b.labels,
        b.systems,
        b.positive,
        b.batch,
        b.outcome,
    )
    return bool(
        alike
        and np.array_equal(a.cells, b.cells)
        and (a.strata is None) == (b.strata is None)
        and (a.strata is None or a.strata == b.strata)
        and (a.squares is None) == (b.squares is None)
        and _equal(a.counts, b.counts, a.weighted)
        and (a.squares is None or _equal(a.squares, cast("Array", b.squares), True))
    )


def _equal(a: Array, b: Array, sums: bool) -> bool:
    """Equal counts; sums of weights may differ by the order in which they were added."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-9, atol=0.0) if sums else np.array_equal(a, b))


def tidy(t: Tally) -> Tally:
    """Patterns in order, equal ones merged, empty ones left out unless the table is 2x2."""
    width = (len(t.labels) if t.sets is None else len(t.sets)) + 1
    codes = t.cells.astype(np.int64)
    if t.cells.shape[1] * np.log2(width) < 62:
        key = np.ravel_multi_index(tuple((codes + 1).T), (width,) * codes.shape[1])
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    cells, counts = codes[first], _collect(t.counts, inverse, first.size)
    squares = None if t.squares is None else _collect(t.squares, inverse, first.size)
    if len(t.labels) == 2 and len(t.systems) == 1 and not t.outcome and t.sets is None:
        return replace(t, **_full_square(cells, counts, squares))
    keep = counts.reshape(-1, counts.shape[-1]).any(axis=0)
    if t.outcome:
        keep = np.ones_like(keep)
    return replace(
        t,
        cells=cells[keep],
        counts=counts[..., keep],
        squares=None if squares is None else squares[..., keep],
    )


def _collect(values: Array, inverse: Array, size: int) -> Array:
    if size == values.shape[-1]:
        out = np.empty_like(values)
        out[..., inverse] = values
        return out
    out = np.zeros((*values.shape[:-1], size), dtype=values.dtype)
    np.add.at(np.moveaxis(out, -1, 0), inverse, np.moveaxis(values, -1, 0))
    return out


def _full_square(cells: Array, counts: Array, squares: Array | None) -> dict[str, Any]:
    """All four patterns of a 2x2 table (and missing answers, if any), in order."""
    lost = sorted({tuple(c) for c in cells.tolist()} - set(PATTERNS))
    patterns = [*PATTERNS, *lost]
    place = {p: i for i, p in enumerate(patterns)}
    at = [place[tuple(c)] for c in cells.tolist()]
    full = np.zeros((*counts.shape[:-1], len(patterns)), dtype=counts.dtype)
    full[..., at] = counts
    more = None
    if squares is not None:
        more = np.zeros((*counts.shape[:-1], len(patterns)))
        more[..., at] = squares
    return {"cells": SQUARE if not lost else np.array(patterns), "counts": full, "squares": more}
