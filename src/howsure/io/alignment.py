"""Warnings that need the order of rows: predictions that belong to the next row, and predictions that are ids.

Counts do not have that order, so the first 200 rows are read once more. That happens only if most predictions are
wrong in the way that such mistakes make them wrong: other data cost nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from howsure.io.column_names import is_id
from howsure.io.columns import lost
from howsure.io.first_rows import MOST, ROWS, kind_of
from howsure.io.groups import Source
from howsure.io.request import Request
from howsure.io.units import APART, LEAST_IDS, NEARLY_ALIKE
from howsure.messages.notes import Note, Notes, note
from howsure.validate import plain_label

IDS: Final = "id-predictions"
_LEAST_ROWS: Final = 20


def misaligned(source: Source, request: Request, doubted: Sequence[set[str]]) -> Notes:
    """Warn about predictions that are the true labels of the row before or after, or the values of an id column.

    `doubted` says for each system which of these the counts leave possible (`labelling.doubtful`).
    """
    heading = [x for x in source.heading() if isinstance(x, str)]
    others = [x for x in heading if heading.count(x) == 1 and x not in (request.truth, *request.answers)]
    usual = [x for x in others if is_id(x)]
    picked = dict.fromkeys((str(request.truth), *request.answers, *usual[:MOST], *others[:MOST]))
    head = {name: head_of(own) for name, own in source.first([*picked], ROWS).items()}
    found: list[Note] = []
    for answer, system, doubt in zip(request.answers, request.systems, doubted, strict=True):
        of = f" of {system}" if len(request.systems) > 1 else ""
        truth, own = head[str(request.truth)], head[answer]
        if "shifted" in doubt:
            found += of_another_row(truth, own, of)
        if "ids" in doubt:
            names = [x for x in head if x in others or (x == answer and is_id(x))]
            found += _ids(truth, own, {x: head[x] for x in names}, of)
    return tuple(found)


def of_another_row(truth: Sequence[Any], answer: Sequence[Any], of: str = "") -> Notes:
    """Warn if predictions are the true labels of the next row, or of the row before.

    Predictions that follow from the true label of their own row, such as two classes swapped, are another mistake.

    >>> truth = [0, 1, 1, 0, 1, 0, 0] * 4
    >>> [n["row"] for n in of_another_row(truth, [*truth[1:], 0])], of_another_row(truth, [1 - x for x in truth])
    (['next'], ())
    """
    n = len(truth)
    if n < _LEAST_ROWS or (own := _agreement(truth, answer)) > 1 - APART:
        return ()
    least = max(NEARLY_ALIKE, own + APART)
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
    return [None if lost(x) else plain_label(x) for x in head]


def _ids(truth: Sequence[Any], answer: Sequence[Any], columns: dict[str, list[Any]], of: str) -> Notes:
    known = [x for x in answer if x is not None]
    for name, own in columns.items():
        distinct = len(set(known)) == len(known) and kind_of(known) == "whole number"
        if len(set(known)) >= LEAST_IDS and own == answer != truth and (distinct or is_id(name)):
            return (note(IDS, form="column", system=of, column=name),)
    return ()
