"""JSON documents back to evidence: what is not as to_dict writes it is refused, with the place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.arrays import AnyArray
from howsure.errors import BadCounts
from howsure.evidence.classes import Tally
from howsure.evidence.documents import SCHEMA, axis_in, label_in, note_in
from howsure.evidence.label_sets import LabelSets, Multilabel, distinct
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.protocol import SQUARE, Account, of_document
from howsure.evidence.slices import Slices
from howsure.validate import MOST

_WRONG = (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError, RecursionError)
_ROUNDING = 1e-9  # of sums of weights
_HEAVIEST = 1e120  # more than all weights together can be


def evidence_of(document: Mapping[str, Any]) -> Tally | Outcomes | Multilabel:
    """The evidence of a document that to_dict made."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise BadCounts(
            f"this is not a tally: a document with schema {SCHEMA!r} is needed, as written by Tally.to_dict."
        )
    try:
        return _read(document)
    except BadCounts:
        raise
    except _WRONG as error:
        raise BadCounts(f"this tally is damaged: {type(error).__name__}; write it again with to_dict.") from None


def _read(x: Mapping[str, Any]) -> Tally | Outcomes | Multilabel:
    labels, systems = _labels(x["labels"], "labels"), _texts(x["systems"], "systems")
    batch = tuple(_axis(axis) for axis in x["batch"])
    cells = _array(x["cells"], "cells", whole=True, least=-1)  # -1: an answer that is missing, and so wrong
    counts = _array(x["counts"], "counts", whole=x["squares"] is None)
    squares = None if x["squares"] is None else _squares(x["squares"], counts)
    sets = None if x.get("sets") is None else _sets(x["sets"], len(labels))
    codes = len(labels) if sets is None else len(x["sets"])
    _sound(cells.shape == (len(cells), len(systems) + 1) and (cells < codes).all(), "cells")
    _sound(len(np.unique(cells, axis=0)) == len(cells) and (cells[:, 0] >= 0).all(), "cells")
    _sound((cells >= 0).all() or (sets is None and not x["outcome"]), "cells")
    _sound(counts.shape == (*(len(axis) for _, axis in batch), len(cells)), "counts")
    for key in ("outcome", "fixed", "chosen", "independent"):
        _sound(isinstance(x.get(key, False), bool), key)
    shared: dict[str, Any] = {
        "counts": counts, "systems": systems, "batch": batch, "squares": squares,
        "notes": tuple(_note(n) for n in x["notes"]), "account": _account(x.get("rows")),
    }  # fmt: skip
    if x["outcome"]:
        _sound(len(labels) == 2 and (cells[:, 0] == 1).all(), "cells")
        return Outcomes(cells=cells[:, 1:], **shared)
    if sets is not None:
        labelled = {"labels": labels, "labels_given": x["fixed"], "sets": sets}
        return Multilabel(cells=cells, independent=x.get("independent", False), **labelled, **shared)
    positive = None if x["positive"] is None else _labels([x["positive"]], "positive")[0]
    _sound(positive is None or positive in labels, "positive")
    return Tally(
        cells=SQUARE if np.array_equal(cells, SQUARE) else cells, labels=labels, positive=positive,
        labels_given=x["fixed"], positive_given=x["chosen"], **shared,
    )  # fmt: skip


def _sound(holds: Any, key: str) -> None:
    if not holds:
        raise BadCounts(f"this tally is damaged: its {key} cannot be right; write it again with to_dict.")


def _array(given: Any, key: str, *, whole: bool, least: int = 0) -> AnyArray:
    """Numbers from 0 to 2^53, or weights; text that spells one is none."""
    array = np.array(given)
    _sound(array.dtype.kind in ("iu" if whole else "iuf") or not array.size, key)
    _sound((array >= least).all() and (array <= (MOST if whole else _HEAVIEST)).all(), key)
    return array.astype(np.int64 if whole else float)


def _squares(given: Any, counts: AnyArray) -> AnyArray:
    """Sums of squared weights: above 0 where items are, and at most the square of their sum."""
    array = np.array(given)
    _sound(array.shape == counts.shape and array.dtype.kind in "iuf", "squares")
    most = counts**2 * (1 + _ROUNDING)
    _sound(((array > 0) == (counts > 0)).all() and (array >= 0).all() and (array <= most).all(), "squares")
    return array.astype(float)


def _sets(given: Any, labels: int) -> LabelSets:
    for one in given:
        plain = isinstance(one, list) and all(type(m) is int and 0 <= m < labels for m in one)
        _sound(plain and one == sorted(set(one)), "sets")
    return distinct(tuple(one) for one in given)


def _labels(given: Any, key: str) -> tuple[Any, ...]:
    """Plain values, each once."""
    _sound(isinstance(given, list), key)
    found = tuple(label_in(x) for x in given)
    numbers = [x for x in found if isinstance(x, (int, float))]
    _sound(not any(isinstance(x, (list, dict)) for x in found) and all(_finite(x) for x in numbers), key)
    _sound(len(set(found)) == len(found), key)
    return found


def _finite(x: float) -> bool:
    return math.isfinite(x) if isinstance(x, float) else abs(x) < 1 << 63


def _texts(given: Any, key: str) -> tuple[str, ...]:
    _sound(isinstance(given, list) and all(isinstance(x, str) for x in given), key)
    _sound(given and len(set(given)) == len(given), key)
    return tuple(given)


def _axis(given: Any) -> tuple[str, Any]:
    _sound(isinstance(given, dict) and isinstance(given["name"], str), "batch")
    for level in [given["values"]] if "values" in given else given["levels"]:
        _labels(level, "batch")
    if "values" not in given:
        columns = _texts(given["columns"], "batch")
        _sound(len(columns) == len(given["levels"]) == len(given["codes"]), "batch")
        _array(given["codes"], "batch", whole=True)
    name, axis = axis_in(given)
    if isinstance(axis, Slices):
        _sound((axis.codes < [len(level) for level in axis.levels]).all(), "batch")
        _sound(len(np.unique(axis.codes, axis=0)) == len(axis.codes), "batch")
    _sound(len(axis), "batch")
    return name, axis


def _note(given: Any) -> Any:
    _sound(isinstance(given, list) and all(isinstance(x, str) for x in given[:2]), "notes")
    made = note_in(given)
    hash(made)
    json.dumps(given, allow_nan=False)
    _sound(made.text, "notes")
    return made


def _account(given: Any) -> Account | None:
    if given is not None:
        numbers = [given["read"], *given["left_out"].values()]
        _sound(all(type(n) is int and 0 <= n <= MOST for n in numbers), "rows")
        _sound(all(isinstance(x, str) for x in given.get("where", ())), "rows")
    return of_document(given)
