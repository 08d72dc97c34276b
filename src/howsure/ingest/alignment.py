"""Warnings that need the order of rows: predictions that belong to the next row, and predictions that are ids.

Counts do not have that order, so the first 200 rows are read once more. That happens only if most predictions are
wrong in the way that such mistakes make them wrong: other data cost nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from howsure.ingest.columns import Codes, Column, lost
from howsure.ingest.groups import Groups, Source
from howsure.ingest.guessing import is_id
from howsure.ingest.heads import MOST, ROWS, kind_of
from howsure.ingest.request import Request
from howsure.labels import plain
from howsure.notes import Notes, note

IDS: Final = "id-predictions"
_LEAST_ROWS: Final = 20
_LEAST_IDS: Final = 10  # distinct values
_NEARLY_ALL: Final = 0.98
_APART: Final = 0.2  # how much more often the next row agrees than the row itself


def misaligned(source: Source, request: Request, g: Groups) -> Notes:
    """Warn about predictions that are the true labels of the row before or after, or the values of an id column."""
    columns = (g.truth, *g.answers) if request.kind == "classes" and request.truth is not None else ()
    if not columns or any(c.sets for c in columns) or len(g.answers) != len(request.answers):
        return ()
    doubted = [_doubted(g.truth, a, g.sizes) for a in g.answers]
    if not any(doubted):
        return ()
    heading = [x for x in source.heading() if isinstance(x, str)]
    others = [x for x in heading if heading.count(x) == 1 and x not in (request.truth, *request.answers)]
    usual = [x for x in others if is_id(x)]
    picked = dict.fromkeys((str(request.truth), *request.answers, *usual[:MOST], *others[:MOST]))
    head = {name: head_of(own) for name, own in source.first([*picked], ROWS).items()}
    found: list[Any] = []
    for answer, system, doubt in zip(request.answers, request.systems, doubted, strict=True):
        of = f" of {system}" if len(request.systems) > 1 else ""
        truth, own = head[str(request.truth)], head[answer]
        if "shifted" in doubt:
            found += of_another_row(truth, own, of)
        if "ids" in doubt:
            columns_of_ids = ([answer] if is_id(answer) else []) + [x for x in head if x in others]
            found += _ids(truth, own, {x: head[x] for x in columns_of_ids}, of)
    return tuple(found)


def _doubted(truth: Column, answer: Column, sizes: Codes) -> set[str]:
    """Return what the counts do not rule out: `ids`, `shifted`, both or nothing."""
    place = {level: i for i, level in enumerate(truth.levels)}
    at = np.array([*(place.get(x, -2) for x in answer.levels), -1])[answer.codes]
    total, right = sizes.sum(), sizes[at == truth.codes].sum()
    found = set()
    if 2 * right < total and len(answer.present) >= _LEAST_IDS:
        found.add("ids")
    shape = len(truth.levels) + 2
    gaps = np.abs(np.bincount(at + 2, sizes, shape) - np.bincount(truth.codes + 2, sizes, shape)).sum()
    if right < (1 - _APART) * total and gaps <= 2 + (1 - _NEARLY_ALL) * total:  # a shift moves one label in and one out
        found.add("shifted")
    return found


def of_another_row(truth: Sequence[Any], answer: Sequence[Any], of: str = "") -> Notes:
    """Warn if predictions are the true labels of the next row, or of the row before.

    Predictions that follow from the true label of their own row, such as two classes swapped, are another mistake.

    >>> truth = [0, 1, 1, 0, 1, 0, 0] * 4
    >>> [n["row"] for n in of_another_row(truth, [*truth[1:], 0])], of_another_row(truth, [1 - x for x in truth])
    (['next'], ())
    """
    n = len(truth)
    if n < _LEAST_ROWS or (own := _agreement(truth, answer)) > 1 - _APART:
        return ()
    least = max(_NEARLY_ALL, own + _APART)
    for row, share in (("next", _agreement(truth[1:], answer[:-1])), ("previous", _agreement(truth[:-1], answer[1:]))):
        if share >= least and len(set(zip(truth, answer, strict=True))) > len(set(truth)) + 1:  # the end may be filled
            return (note("shifted-labels", form="row", system=of, row=row, share=share, rows=n),)
    return ()


def _agreement(one: Sequence[Any], other: Sequence[Any]) -> float:
    """Return the share of rows in which both are alike."""
    return float(sum(map(operator.eq, one, other)) / len(one))


def head_of(column: Any) -> list[Any]:
    """Return the first rows of a column as plain labels, None where one is missing."""
    head = column[:ROWS].tolist() if isinstance(column, np.ndarray) else list(column[:ROWS])
    if set(map(type, head)) <= {int, str, bool}:
        return head
    return [None if lost(x) else plain(x) for x in head]


def _ids(truth: Sequence[Any], answer: Sequence[Any], columns: dict[str, list[Any]], of: str) -> Notes:
    known = [x for x in answer if x is not None]
    for name, own in columns.items():
        distinct = len(set(known)) == len(known) and kind_of(known) == "whole number"
        if len(set(known)) >= _LEAST_IDS and own == answer != truth and (distinct or is_id(name)):
            return (note(IDS, form="column", system=of, column=name),)
    return ()
