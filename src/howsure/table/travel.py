"""Tallies as JSON documents, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure import serialise
from howsure.errors import BadCounts
from howsure.labelsets import distinct
from howsure.table.layout import SQUARE

if TYPE_CHECKING:
    from howsure.table.counts import Tally

SCHEMA: Final = "howsure.tally/1"


def to_document(t: Tally) -> dict[str, Any]:
    """Plain JSON values."""
    if t.strata is not None:
        raise BadCounts("a stratified tally does not travel: send the tally of its strata, and put it together there.")
    return {
        "schema": SCHEMA,
        "labels": [serialise.label_out(x) for x in t.labels],
        "positive": serialise.label_out(t.positive),
        "systems": list(t.systems),
        "outcome": t.outcome,
        "fixed": t.fixed,
        "chosen": t.chosen,
        "batch": [serialise.axis_out(name, axis) for name, axis in t.batch],
        "cells": t.cells.tolist(),
        "counts": t.counts.tolist(),
        "squares": None if t.squares is None else t.squares.tolist(),
        "notes": [list(note) for note in t.notes],
        "sets": None if t.sets is None else [list(x) for x in t.sets.tuples()],
        "independent": t.independent,
    }


def of_document(make: type[Tally], document: Mapping[str, Any]) -> Tally:
    """The Tally of a document that to_document made."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise BadCounts(f"this is no tally: a document with schema {SCHEMA!r} is needed, as Tally.to_dict makes.")
    try:
        return _read(make, document)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise BadCounts(f"this tally is damaged: {type(error).__name__}; write it anew with to_dict.") from None


def _read(make: type[Tally], x: Mapping[str, Any]) -> Tally:
    squares = None if x["squares"] is None else np.array(x["squares"], dtype=float)
    batch = tuple(serialise.axis_in(axis) for axis in x["batch"])
    counts = np.array(x["counts"], dtype=np.int64 if squares is None else float)
    cells = np.array(x["cells"], dtype=np.int64)
    labels = tuple(serialise.label_in(label) for label in x["labels"])
    sets = None if x.get("sets") is None else distinct(tuple(one) for one in x["sets"])
    codes = len(labels) if sets is None else len(sets)
    fits = counts.shape == (*(len(axis) for _, axis in batch), len(cells)) and cells.max(initial=-1) < codes
    if not fits or cells.shape != (len(cells), len(x["systems"]) + 1) or (counts < 0).any():
        raise ValueError
    return make(
        SQUARE if np.array_equal(cells, SQUARE) else cells, counts, labels, tuple(x["systems"]),
        serialise.label_in(x["positive"]), batch, squares, x["outcome"], tuple((a, b) for a, b in x["notes"]),
        x["fixed"], x["chosen"], sets, x.get("independent", False),
    )  # fmt: skip
