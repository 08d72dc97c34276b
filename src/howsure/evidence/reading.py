"""JSON documents back to evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.errors import BadCounts
from howsure.evidence.account import of_document
from howsure.evidence.classes import Tally
from howsure.evidence.documents import SCHEMA, axis_in, label_in, note_in
from howsure.evidence.label_sets import Multilabel, distinct
from howsure.evidence.layout import SQUARE
from howsure.evidence.outcomes import Outcomes


def evidence_of(document: Mapping[str, Any]) -> Tally | Outcomes | Multilabel:
    """The evidence of a document that to_dict made."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise BadCounts(f"this is no tally: a document with schema {SCHEMA!r} is needed, as Tally.to_dict makes.")
    try:
        return _read(document)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise BadCounts(f"this tally is damaged: {type(error).__name__}; write it anew with to_dict.") from None


def _read(x: Mapping[str, Any]) -> Tally | Outcomes | Multilabel:
    squares = None if x["squares"] is None else np.array(x["squares"], dtype=float)
    batch = tuple(axis_in(axis) for axis in x["batch"])
    counts = np.array(x["counts"], dtype=np.int64 if squares is None else float)
    cells = np.array(x["cells"], dtype=np.int64)
    labels = tuple(label_in(label) for label in x["labels"])
    sets = None if x.get("sets") is None else distinct(tuple(one) for one in x["sets"])
    codes = len(labels) if sets is None else len(sets)
    fits = counts.shape == (*(len(axis) for _, axis in batch), len(cells)) and cells.max(initial=-1) < codes
    if not fits or cells.shape != (len(cells), len(x["systems"]) + 1) or (counts < 0).any():
        raise ValueError
    shared: dict[str, Any] = {
        "counts": counts, "systems": tuple(x["systems"]), "batch": batch, "squares": squares,
        "notes": tuple(note_in(n) for n in x["notes"]), "account": of_document(x.get("rows")),
    }  # fmt: skip
    if x["outcome"]:
        return Outcomes(cells=cells[:, 1:], **shared)
    if sets is not None:
        labelled = {"labels": labels, "labels_given": x["fixed"], "sets": sets}
        return Multilabel(cells=cells, independent=x.get("independent", False), **labelled, **shared)
    return Tally(
        cells=SQUARE if np.array_equal(cells, SQUARE) else cells, labels=labels, positive=label_in(x["positive"]),
        labels_given=x["fixed"], positive_given=x["chosen"], **shared,
    )  # fmt: skip
