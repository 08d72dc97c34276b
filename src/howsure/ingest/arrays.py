"""Arrays, lists and Series of labels to a Tally, without a Python loop over rows.

Small whole numbers are counted by numpy.bincount in cache-sized pieces; everything else by one pass of a hash
table over pairs. Missing labels, scores in place of labels and unknown labels are looked for among the distinct
values only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.layout import SQUARE
from howsure.evidence.outcomes import Outcomes
from howsure.ingest.patterns import (
    SCORES,
    Counted,
    check_missing,
    coded,
    known_labels,
    lost,
    same_kind,
    settle,
    similar_labels,
)
from howsure.labels import Label, plain, usual_positive

Codes = NDArray[np.intp]

_PIECE = 1 << 16
_SMALL_RANGE = 1 << 10
_BUCKET_BITS = 14
_BUCKETS = 1 << _BUCKET_BITS


def tally(
    data: Any,
    y_pred: Any = None,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    outcome: str | Sequence[str] | None = None,
    score: str | None = None,
    threshold: float | Sequence[float] | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weight: Any = None,
    count: str | None = None,
    missing: str = "refuse",
    table: str | None = None,
    query: str | None = None,
) -> Tally | Outcomes:
    """Count (truth, answer) pairs: of two arrays, or of the columns of a frame or a file.

    Arrays, lists, Series: `tally(y_true, y_pred)`; a mapping of predictions counts joint patterns of several systems.
    Frames of any engine, iterators of them, and paths: `tally(frame, truth="label", pred="model")`. `pred=["a", "b"]`
    is a joint tally, `by=` makes a batch of slices, `outcome="passed"` counts passes and fails, `score=` with
    `threshold=` cuts a score, `weight=` and `count=` name columns of weights or of counts made earlier.
    A DB-API connection takes `table=` or `query=` beside them.

    >>> tally([1, 0, 1, 1], [1, 0, 0, 1])
    Tally(tp=2, fp=0, fn=1, tn=1)
    >>> tally(["spam", "ham"], ["spam", "spam"], positive="spam").fp
    1
    """
    named: dict[str, Any] = {
        "truth": truth,
        "pred": pred,
        "by": by,
        "outcome": outcome,
        "score": score,
        "threshold": threshold,
    }
    given = [name for name, x in {**named, "count": count}.items() if x is not None]
    settings: Any = {"positive": positive, "labels": labels, "weight": weight, "missing": missing}
    if y_pred is None and (given or _is_frame(data)):
        return _tally_columns(data, {**named, "count": count, **settings}, table, query)
    if given:
        raise BadSetting(f"{given[0]}= names a column of a frame; with arrays write hs.tally(y_true, y_pred).")
    return _tally_arrays(data, y_pred, **settings)


def _tally_columns(data: Any, asked: dict[str, Any], table: str | None, query: str | None) -> Tally | Outcomes:
    """Columns of databases, of files or of frames."""
    from howsure.ingest import request, sql

    wanted = request.make(**asked)
    if sql.is_connection(data):
        return sql.tally_sql(data, wanted, table, query)
    if table is not None or query is not None:
        raise BadSetting(f"table= and query= go with a database connection; got {type(data).__name__}.")
    many = isinstance(data, (list, tuple)) and len(data) > 0
    if isinstance(data, (str, Path)) or (many and all(isinstance(x, (str, Path)) for x in data)):
        from howsure.ingest.files import tally_files

        return tally_files([data] if isinstance(data, (str, Path)) else data, wanted)
    from howsure.ingest.frames import tally_frame

    return tally_frame(data, wanted)


def _is_frame(data: Any) -> bool:
    if isinstance(data, (list, tuple, str, bytes, np.ndarray)):
        return False
    from howsure.ingest.frames import is_frame

    return is_frame(data)


def _tally_arrays(
    y_true: Any,
    y_pred: Any,
    positive: Label | None,
    labels: Sequence[Label] | None,
    weight: Any,
    missing: str,
) -> Tally | Outcomes:
    check_missing(missing)
    answers = dict(y_pred) if isinstance(y_pred, Mapping) else {"system": y_pred}
    if not answers:
        raise BadLabels("no predictions were given.")
    truth = as_column(y_true, "y_true")
    columns = [
        as_column(x, f"predictions of {name!r}" if len(answers) > 1 else "y_pred") for name, x in answers.items()
    ]
    for name, column in zip(answers, columns, strict=True):
        if len(column) != len(truth):
            which = f"predictions of {name!r}" if len(answers) > 1 else "predictions"
            raise BadLabels(f"there are {len(truth)} truths but {len(column)} {which}; each item needs one of both.")
    if len(truth) == 0:
        raise BadLabels("there are no items: y_true and y_pred are empty.")
    weights = None if weight is None else as_weights(weight, len(truth))
    if weights is None and labels is None and positive is None and len(columns) == 1:
        binary = _zeros_and_ones(truth, columns[0], tuple(answers))
        if binary is not None:
            return binary
    patterns = _count([truth, *columns], weights)
    return _finish(patterns, tuple(str(x) for x in answers), positive, labels, missing, weights is not None)


def _zeros_and_ones(truth: Any, answer: Any, systems: tuple[str, ...]) -> Tally | None:
    """The commonest case, 0/1 or False/True in two arrays, without a detour over patterns."""
    if not (isinstance(truth, np.ndarray) and isinstance(answer, np.ndarray)):
        return None
    kinds = truth.dtype.kind + answer.dtype.kind
    if "U" in kinds or (kinds != "bb" and (min(truth.min(), answer.min()) < 0 or max(truth.max(), answer.max()) > 1)):
        return None
    counts = np.zeros(4, dtype=np.int64)
    for start in range(0, truth.size, _PIECE):
        code = np.multiply(truth[start : start + _PIECE], 2, dtype=np.intp, casting="unsafe")
        code += answer[start : start + _PIECE]
        counts += np.bincount(code, minlength=4)
    known: tuple[Label, ...] = (False, True) if kinds == "bb" else (0, 1)
    return Tally(cells=SQUARE, counts=counts, labels=known, systems=systems, positive=known[1], labels_given=False)


# -- columns


def as_column(x: Any, name: str) -> Any:
    """A 1-d numpy array of numbers or bools, or a list of anything else."""
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a sequence of labels; got {x!r}.")
    if isinstance(x, (Mapping, set, frozenset)):
        raise BadLabels(f"{name} must be a sequence in the order of the items; got a {type(x).__name__}.")
    if hasattr(x, "columns"):
        raise BadLabels(f"{name} is a table; give one of its columns, such as frame['label'].")
    if isinstance(x, np.ma.MaskedArray):
        x = x.tolist()  # masked items become None: missing
    if hasattr(x, "to_list") and hasattr(x, "dtype"):  # a pandas or polars Series
        kind = str(x.dtype).lower()
        x = x.to_numpy() if kind.startswith(("int", "uint", "bool", "float")) and _no_nulls(x) else x.to_list()
    array = x if isinstance(x, np.ndarray) else None
    if array is None:
        items = list(x) if not isinstance(x, list) else x
        if any(isinstance(v, (list, tuple, set, dict, np.ndarray)) for v in items[:100]):
            raise BadLabels(f"{name} must hold one label an item; got {items[0]!r}.")
        if items and all(type(v) in (int, bool, float) for v in items[:100]):
            array = _as_numbers(items)
        return _checked(array, name) if array is not None else items
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1:
        raise BadLabels(f"{name} must have one dimension; got shape {array.shape}.")
    if array.dtype == np.uint64:
        array = array.astype(np.int64) if array.max(initial=0) < 2**63 else array.astype(object)
    if array.dtype.kind in "iubU":
        return array
    return _checked(array, name) if array.dtype.kind == "f" else array.tolist()


def _no_nulls(x: Any) -> bool:
    nulls = x.isna().any() if hasattr(x, "isna") else x.null_count()
    return not bool(nulls)


def _as_numbers(items: list[Any]) -> NDArray[Any] | None:
    try:
        array = np.asarray(items)
    except (ValueError, OverflowError):
        return None
    same = {type(v) for v in items} <= {int, float} or {type(v) for v in items} == {bool}
    return array if array.dtype.kind in "iubf" and same else None


def _checked(array: NDArray[Any], name: str) -> Any:
    """Whole floats as integers; NaN is missing and keeps the column a list; fractions are refused."""
    if array.dtype.kind != "f":
        return array
    lost = np.isnan(array)
    known = array[~lost] if lost.any() else array
    if np.isinf(known).any():
        raise BadLabels(f"{name} holds an infinite value; labels must be finite.")
    if float(np.abs(known).max(initial=0.0)) >= 2.0**53:
        return array.tolist()
    bad = known != np.floor(known)
    if bad.any():
        raise BadLabels(SCORES.format(name, float(known[int(np.argmax(bad))])))
    if lost.any():
        whole = np.where(lost, 0, array).astype(np.int64).astype(object)
        whole[lost] = None
        return whole.tolist()
    return array.astype(np.int64)


def as_weights(weight: Any, n: int) -> NDArray[np.float64]:
    """Weights of n items: finite, none negative, not all 0."""
    try:
        given = np.asarray(weight.to_numpy() if hasattr(weight, "to_numpy") else weight)
        w = given.astype(float) if given.dtype.kind != "c" else np.asarray("complex").astype(float)
    except (TypeError, ValueError):
        raise BadLabels("weights must be numbers.") from None
    if w.shape != (n,):
        raise BadLabels(f"there are {n} items but weights of shape {w.shape}; each item needs one weight.")
    if not np.isfinite(w).all():
        raise BadLabels("weights must be finite; at least one is NaN or infinite.")
    if (w < 0).any():
        raise BadLabels(f"weights cannot be negative; got {float(w.min())}.")
    if not w.any():
        raise BadLabels("all weights are 0.")
    if w.max() > 1e100 or w[w > 0].min() < 1e-100:
        raise BadLabels("weights must lie between 1e-100 and 1e100 (or be 0); scale them, only their ratios matter.")
    return w


# -- counting

Patterns = dict[tuple[Hashable, ...], tuple[float, float]]


def _count(columns: list[Any], weights: NDArray[np.float64] | None) -> Patterns:
    """Distinct patterns with their counts (and sums of squared weights)."""
    arrays = all(isinstance(c, np.ndarray) for c in columns)
    if arrays:
        kinds = {c.dtype.kind for c in columns}
        found = _count_text(columns, weights) if kinds == {"U"} else None
        found = _count_small(columns, weights) if "U" not in kinds else found
        if found is not None:
            return found
    lists = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns]
    try:
        if weights is None:
            return {k: (v, 0.0) for k, v in Counter(zip(*lists, strict=True)).items()}
        return _count_weighted(lists, weights)
    except TypeError:
        raise BadLabels("labels must be plain values such as text, whole numbers or booleans.") from None


def _count_small(columns: list[NDArray[Any]], weights: NDArray[np.float64] | None) -> Patterns | None:
    """bincount on a mixed-radix code when all values are whole numbers in a small range."""
    low = min(int(c.min()) for c in columns)
    high = max(int(c.max()) for c in columns)
    k, axes = high - low + 1, len(columns)
    if k > _SMALL_RANGE or k**axes > 1 << 20:
        return None
    n = columns[0].size
    total = np.zeros(k**axes, dtype=np.int64 if weights is None else np.float64)
    square = np.zeros(k**axes)
    seen = np.zeros(k**axes, dtype=np.int64)
    for start in range(0, n, _PIECE):
        stop = start + _PIECE
        code = np.subtract(columns[0][start:stop], low, dtype=np.intp, casting="unsafe")
        for c in columns[1:]:
            code *= k
            code += c[start:stop]
            if low:
                code -= low
        if weights is None:
            total += np.bincount(code, minlength=total.size)
        else:
            w = weights[start:stop]
            total += np.bincount(code, weights=w, minlength=total.size)
            square += np.bincount(code, weights=w * w, minlength=total.size)
            seen += np.bincount(code, minlength=total.size)
    where = np.flatnonzero(total if weights is None else seen)
    codes = np.unravel_index(where, (k,) * axes)
    asked = [[_value(c, v + low) for v in axis.tolist()] for c, axis in zip(columns, codes, strict=True)]
    return {key: (total[i].item(), float(square[i])) for key, i in zip(zip(*asked, strict=True), where, strict=True)}


def _count_text(columns: list[NDArray[Any]], weights: NDArray[np.float64] | None) -> Patterns | None:
    """Fixed-width text: a multiplicative hash of each pattern picks a bucket, and each row is compared, letter by
    letter, with the first row of its bucket; a collision or too many patterns leaves it to the general way.
    """
    n = columns[0].size
    letters = [np.ascontiguousarray(c).view(np.uint32).reshape(n, -1) for c in columns]
    width = sum(x.shape[1] for x in letters)
    if width > 96 or n < _PIECE // 4:
        return None
    factors = np.random.default_rng(width).integers(1 << 62, (1 << 63) - 1, width, dtype=np.uint64) | np.uint64(1)
    total = np.zeros(_BUCKETS, dtype=np.int64 if weights is None else np.float64)
    square = np.zeros(_BUCKETS)
    first = np.full(_BUCKETS, -1)
    heads = [np.zeros((x.shape[1], _BUCKETS), dtype=np.uint32) for x in letters]
    for start in range(0, n, _PIECE):
        piece = [x[start : start + _PIECE] for x in letters]
        hashed = np.zeros(len(piece[0]), dtype=np.uint64)
        for column, factor in zip((x[:, j] for x in piece for j in range(x.shape[1])), factors, strict=True):
            hashed += np.multiply(column, factor, dtype=np.uint64)
        bucket = (hashed >> np.uint64(64 - _BUCKET_BITS)).astype(np.intp)
        fresh = np.flatnonzero(first[bucket] < 0)
        if fresh.size:
            new, at = np.unique(bucket[fresh], return_index=True)
            first[new] = start + fresh[at]
            for head, x in zip(heads, letters, strict=True):
                head[:, new] = x[first[new]].T
        for head, x in zip(heads, piece, strict=True):
            if not all(np.array_equal(x[:, j], head[j][bucket]) for j in range(x.shape[1])):
                return None
        if weights is None:
            total += np.bincount(bucket, minlength=_BUCKETS)
        else:
            w = weights[start : start + _PIECE]
            total += np.bincount(bucket, weights=w, minlength=_BUCKETS)
            square += np.bincount(bucket, weights=w * w, minlength=_BUCKETS)
    where = np.flatnonzero(first >= 0)
    return {tuple(str(c[first[i]]) for c in columns): (total[i].item(), float(square[i])) for i in where.tolist()}


def _value(column: NDArray[Any], x: int) -> Label:
    return bool(x) if column.dtype.kind == "b" else x


def _count_weighted(lists: list[list[Any]], weights: NDArray[np.float64]) -> Patterns:
    keys = list(zip(*lists, strict=True))
    index = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(index.__getitem__, keys), dtype=np.intp, count=len(keys))
    total = np.bincount(codes, weights=weights, minlength=len(index))
    square = np.bincount(codes, weights=weights * weights, minlength=len(index))
    return {key: (float(total[i]), float(square[i])) for key, i in index.items()}


# -- from patterns to a Tally


def _finish(
    patterns: Patterns,
    systems: tuple[str, ...],
    positive: Label | None,
    labels: Sequence[Label] | None,
    missing: str,
    weighted: bool,
) -> Tally | Outcomes:
    if labels is None and len(systems) == 1 and not weighted:
        table = _two_by_two(patterns, systems, positive)
        if table is not None:
            return table
    truth, *answers = (coded(list(x)) for x in zip(*patterns, strict=True))
    values = list(patterns.values())
    counts = np.array([v[0] for v in values], dtype=float if weighted else np.int64)
    squares = np.array([v[1] for v in values]) if weighted else None
    counted = Counted((), truth, tuple(answers), counts, squares)
    return settle(counted, systems, positive=positive, labels=labels, missing=missing)


def _two_by_two(patterns: Patterns, systems: tuple[str, ...], positive: Label | None) -> Tally | None:
    """The commonest table, made without sorting patterns; None where it is another."""
    if any(lost(x) for key in patterns for x in key):
        return None
    truths, answers = ({plain(key[k]) for key in patterns} for k in (0, 1))
    known = known_labels(truths, [answers], None)
    if len(known) != 2:
        return None
    place = {label: i for i, label in enumerate(known)}
    counts = [0, 0, 0, 0]
    for (truth, answer), (count, _) in patterns.items():
        counts[2 * place[same_kind(plain(truth), known)] + place[same_kind(plain(answer), known)]] += int(count)
    notes = similar_labels(known)
    t = Tally(
        cells=SQUARE,
        counts=np.array(counts),
        labels=known,
        systems=systems,
        positive=usual_positive(known),
        notes=notes,
        labels_given=False,
    )
    return t if positive is None else t.with_positive(positive)
