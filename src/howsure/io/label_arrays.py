"""Arrays of labels: checked, coded and counted without a Python loop over rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Array
from howsure.errors import BadLabels, listing, plural
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.protocol import SQUARE, Account
from howsure.io.columns import Column, coded, lost, times, unarrowed
from howsure.io.groups import Groups
from howsure.io.request import Request, check_missing
from howsure.io.units import head_of, known_labels, look_like_scores, of_another_row, same_kind, settle, similar_labels
from howsure.messages.language import option
from howsure.messages.notes import Notes
from howsure.validate import Label, plain_label, refuse_unlike, usual_positive

# -- tabulating
#
# Counting columns in memory, without a Python loop over rows where it can be.
#
# Small whole numbers are counted by numpy.bincount in cache-sized pieces, much text of fixed width by a hash of its
# letters, and everything else by one pass of a hash table over patterns.

_PIECE: Final = 1 << 16
_SMALL_RANGE: Final = 1 << 10
_WIDEST: Final = 160  # bytes of a row of text that are copied, of so many rows: else it does not pay
_SHORT: Final = 1 << 14
_BUCKET_BITS: Final = 14
_BUCKETS: Final = 1 << _BUCKET_BITS

Patterns = dict[tuple[Hashable, ...], tuple[float, float]]


def count(columns: list[Any], weights: Array | None) -> Patterns:
    """Distinct patterns with their counts (and sums of squared weights)."""
    arrays = all(isinstance(c, np.ndarray) for c in columns)
    if arrays:
        kinds = {c.dtype.kind for c in columns}
        found = _count_text(columns, weights) if kinds == {"U"} else None
        found = _count_bytes(columns) if found is None and kinds == {"U"} and weights is None else found
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


def _count_small(columns: list[AnyArray], weights: Array | None) -> Patterns | None:
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


def _count_text(columns: list[AnyArray], weights: Array | None) -> Patterns | None:
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


def _count_bytes(columns: list[AnyArray]) -> Patterns | None:
    """Text of fixed width side by side: a row is one run of bytes, which a hash table takes quicker than a pair."""
    kind = np.dtype([(str(i), c.dtype) for i, c in enumerate(columns)])
    width, size = kind.itemsize, columns[0].size
    if not 0 < width <= _WIDEST or size > _SHORT:
        return None
    rows = np.empty(size, dtype=kind)
    for name, c in zip(rows.dtype.names or (), columns, strict=True):
        rows[name] = c
    found = Counter(rows.view(f"S{width}").tolist())
    keys = np.array(list(found), dtype=f"S{width}").view(rows.dtype).tolist()
    return {key: (v, 0.0) for key, v in zip(keys, found.values(), strict=True)}


def _value(column: AnyArray, x: int) -> Label:
    return bool(x) if column.dtype.kind == "b" else x


def _count_weighted(lists: list[list[Any]], weights: Array) -> Patterns:
    keys = list(zip(*lists, strict=True))
    index = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(index.__getitem__, keys), dtype=np.intp, count=len(keys))
    total = np.bincount(codes, weights=weights, minlength=len(index))
    square = np.bincount(codes, weights=weights * weights, minlength=len(index))
    return {key: (float(total[i]), float(square[i])) for key, i in index.items()}


def zeros_and_ones(truth: Any, answer: Any, systems: tuple[str, ...]) -> Tally | None:
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
    return Tally(
        cells=SQUARE, counts=counts, labels=known, systems=systems, positive=known[1], labels_given=False,
        account=Account(truth.size),
    )  # fmt: skip


# -- label arrays
#
# Arrays, lists and Series of labels to a Tally, without a Python loop over rows.
#
# Small whole numbers are counted by numpy.bincount in cache-sized pieces; everything else by one pass of a hash
# table over pairs. Missing labels, scores in place of labels and unknown labels are looked for among the distinct
# values only.


def of_arrays(
    y_true: Any,
    y_pred: Any,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weight: Any = None,
    missing: str = "refuse",
    cluster: Any = None,
) -> Tally | Clustered:
    """Truths and predictions; with clusters, what each system showed in every cluster."""
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
            which = f" of {name!r}" if len(answers) > 1 else ""
            said = f"got {plural(len(truth), 'truth')} but {plural(len(column), 'prediction')}{which}"
            raise BadLabels(f"{said}; give one of each per item.")
    if len(truth) == 0:
        raise BadLabels("there are no items: y_true and y_pred are empty.")
    refuse_shuffled(y_true, y_pred, {"weight": weight, "cluster": cluster})
    truth, *columns = _one_unit([truth, *columns])
    settings: Any = {"positive": positive, "labels": labels, "missing": missing}
    weights = None if weight is None else as_weights(weight, len(truth))
    found = _tabulated(
        truth, columns, weights, cluster, Request("classes", tuple(map(str, answers)), "y_true", **settings)
    )
    notes = _of_another_row(truth, dict(zip(answers, columns, strict=True)))
    if not notes:
        return found
    notes = (*notes, *found.notes)
    return found.noted(notes) if isinstance(found, Clustered) else replace(found, notes=notes)


def _tabulated(
    truth: Any, columns: list[Any], weights: Array | None, cluster: Any, request: Request
) -> Tally | Clustered:
    if (
        weights is None
        and request.labels is None
        and request.positive is None
        and len(columns) == 1
        and cluster is None
    ):
        binary = zeros_and_ones(truth, columns[0], request.systems)
        if binary is not None:
            return binary
    if cluster is not None:
        return _clustered(truth, columns, cluster, weights, request)
    found = _finish(count([truth, *columns], weights), request, weights is not None)
    account = None if weights is None else _weighted_account([truth, *columns], request.missing)
    return found if account is None else replace(found, account=account)


def _of_another_row(truth: Any, answers: Mapping[Any, Any]) -> Notes:
    """Warn about predictions that are the true labels of the next row, or of the row before."""
    head, *rest = map(head_of, (truth, *answers.values()))
    names = [f" of {name}" if len(answers) > 1 else "" for name in answers]
    return tuple(n for name, own in zip(names, rest, strict=True) for n in of_another_row(head, own, name))


def _one_unit(columns: list[Any]) -> list[Any]:
    """Days as moments, where other columns hold moments."""
    firsts = [next((x for x in c if not lost(x)), None) if isinstance(c, list) else None for c in columns]
    days = [isinstance(x, date) and not isinstance(x, datetime) for x in firsts]
    if not any(days) or not any(isinstance(x, datetime) for x in firsts):
        return columns
    return [list(map(_moment, c)) if own else c for c, own in zip(columns, days, strict=True)]


def _moment(x: Any) -> Any:
    return datetime(x.year, x.month, x.day) if type(x) is date else x


def _weighted_account(columns: list[Any], missing: str) -> Account:
    """What became of items with weights."""
    found = Account(len(columns[0]))
    gaps = [coded(c).missing for c in columns if isinstance(c, list)] if missing == "drop" else []
    return found.without("missing", np.any(gaps, axis=0).sum()) if gaps else found


def _clustered(truth: Any, columns: list[Any], cluster: Any, weights: Array | None, request: Request) -> Clustered:
    labels = {"cluster0": cluster_column(cluster, len(truth)), "truth": coded(truth)}
    labels |= {f"answer{i}": coded(x) for i, x in enumerate(columns)}
    counts = np.ones(len(truth), dtype=np.int64) if weights is None else weights
    one = np.ones(len(truth), dtype=np.int64)
    squares = None if weights is None else weights**2
    groups = Groups(labels, counts, squares, rows=one, account=Account(len(truth)))
    found = settle(groups, replace(request, cluster="cluster"))
    assert isinstance(found, Clustered)  # noqa: S101 - narrows the type
    return found


# -- columns


def refuse_shuffled(data: Any, second: Any, given: Mapping[str, Any]) -> None:
    """Series of pandas whose indexes hold the same labels in another order: they would be paired by position."""
    answers = second if isinstance(second, Mapping) else {"y_pred": second}
    columns = {**(data if isinstance(data, Mapping) else {"y_true": data}), **answers}
    columns |= {option(name): given[name] for name in ("weight", "cluster") if name in given}
    named = {name: x for name, x in columns.items() if _indexed(x)}
    first = next(iter(named), "")
    for name, x in named.items():
        one, two = named[first].index, x.index
        if one is two or len(one) != len(two) or one.equals(two):
            continue
        if one.is_unique and bool(one.isin(two).all()):
            raise BadLabels(
                f"{name} has the index of {first} in another order, and rows would be paired by position: reindex one "
                "of them, as in b.reindex(a.index), or give both as they stand, with .to_numpy()."
            )


def _indexed(x: Any) -> bool:
    """Whether it is a Series of pandas."""
    return type(x).__module__.partition(".")[0] == "pandas" and type(x).__name__ == "Series"


def as_column(x: Any, name: str) -> Any:
    """A 1-d numpy array of numbers or bools, or a list of anything else."""
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a sequence of labels; got {x!r}.")
    if isinstance(x, (Mapping, set, frozenset)):
        raise BadLabels(f"{name} must be a sequence in the order of the items; got a {type(x).__name__}.")
    if hasattr(x, "columns"):
        raise BadLabels(f"{name} is a table; give one of its columns, such as frame['label'].")
    x = unarrowed(x)
    if isinstance(x, np.ma.MaskedArray):
        x = x.tolist()  # masked items become None: missing
    if hasattr(x, "to_list") and hasattr(x, "dtype"):  # a pandas or polars Series
        kind = str(x.dtype).lower()
        x = x.to_numpy() if kind.startswith(("int", "uint", "bool", "float")) and _no_nulls(x) else x.to_list()
    array = x if isinstance(x, np.ndarray) else None
    if array is None:
        items = list(x) if not isinstance(x, list) else x
        several = next((v for v in items[:100] if isinstance(v, (list, tuple, set, dict, np.ndarray))), None)
        if several is not None:
            shown = repr(several)
            if isinstance(several, set):  # its order depends on the hashes of this process
                shown = f"the set of {', '.join(sorted(map(repr, several))) or 'nothing'}"
            raise BadLabels(f"{name} must hold one label per item; got {shown}.")
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
    if array.dtype.kind in "mM":
        return times(array, name)
    if array.dtype.kind == "V":
        raise BadLabels(
            f"{name} holds records; give one of their fields, such as y[{(array.dtype.names or (0,))[0]!r}]."
        )
    return _checked(array, name) if array.dtype.kind == "f" else array.tolist()


def _no_nulls(x: Any) -> bool:
    nulls = x.isna().any() if hasattr(x, "isna") else x.null_count()
    return not bool(nulls)


def _as_numbers(items: list[Any]) -> AnyArray | None:
    try:
        array = np.asarray(items)
    except (ValueError, OverflowError):
        return None
    same = {type(v) for v in items} <= {int, float} or {type(v) for v in items} == {bool}
    return array if array.dtype.kind in "iubf" and same else None


def _checked(array: AnyArray, name: str) -> Any:
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
        raise look_like_scores(name, float(known[int(np.argmax(bad))]))
    if lost.any():
        whole = np.where(lost, 0, array).astype(np.int64).astype(object)
        whole[lost] = None
        return whole.tolist()
    return array.astype(np.int64)


def as_weights(weight: Any, n: int) -> Array:
    """Weights of n items: finite, none negative, not all 0."""
    weight = unarrowed(weight)
    refuse_unlike(weight, "weights", BadLabels)
    try:
        given = np.asarray(weight.to_numpy() if hasattr(weight, "to_numpy") else weight)
        w = given.astype(float) if given.dtype.kind not in "cmMV" else np.asarray("no number").astype(float)
    except (TypeError, ValueError):
        raise BadLabels("weights must be numbers.") from None
    except OverflowError:
        raise BadLabels("weights must be finite; at least one is beyond any double.") from None
    if w.shape != (n,):
        raise BadLabels(f"got {plural(n, 'item')} but weights of shape {w.shape}; give one weight per item.")
    if not np.isfinite(w).all():
        raise BadLabels("weights must be finite; at least one is NaN or infinite.")
    if (w < 0).any():
        raise BadLabels(f"weights cannot be negative; got {float(w.min())}.")
    if not w.any():
        raise BadLabels("all weights are 0.")
    if w.max() > 1e100 or w[w > 0].min() < 1e-100:
        raise BadLabels("weights must lie between 1e-100 and 1e100 (or be 0); scale them, only their ratios matter.")
    return w


def cluster_column(cluster: Any, n: int) -> Column:
    """The cluster of each of n items; which are alike is all that counts."""
    if isinstance(cluster, (str, bytes, Set, Mapping)) or not isinstance(cluster, Iterable):
        raise BadLabels(f"cluster must be a sequence with one entry per item; got {cluster!r}.")
    cluster = unarrowed(cluster)
    given = cluster if isinstance(cluster, np.ndarray) else list(cluster)
    if len(given) != n:
        raise BadLabels(
            f"got {plural(n, 'item')} but {plural(len(given), 'entry', 'entries')} of cluster; give one per item."
        )
    try:
        found = coded(given)
    except BadLabels:
        found = None
    if found is None or found.sets:
        raise BadLabels(f"cluster must hold numbers or text; got {given[0]!r}.")
    return found


def refuse_twins(names: tuple[str, ...], given: list[Any]) -> None:
    """Systems of one name."""
    twice = next((x for i, x in enumerate(names) if x in names[:i]), None)
    if twice is not None:
        same = [x for x in given if str(x) == twice]
        raise BadLabels(f"systems need different names; got {listing(same)}.")


# -- from patterns to a Tally


def _finish(patterns: Patterns, request: Request, weighted: bool) -> Tally:
    if request.labels is None and len(request.systems) == 1 and not weighted:
        table = _two_by_two(patterns, request.systems, request.positive)
        if table is not None:
            return table
    columns = [coded(list(x)) for x in zip(*patterns, strict=True)]
    labels = {"truth": columns[0], **{f"answer{i}": x for i, x in enumerate(columns[1:])}}
    values = list(patterns.values())
    counts = np.array([v[0] for v in values], dtype=float if weighted else np.int64)
    squares = np.array([v[1] for v in values]) if weighted else None
    account = None if weighted else Account(int(counts.sum()))
    found = settle(Groups(labels, counts, squares, account=account), request)
    assert isinstance(found, Tally)  # noqa: S101 - narrows the type
    return found


def _two_by_two(patterns: Patterns, systems: tuple[str, ...], positive: Label | None) -> Tally | None:
    """The commonest table, made without sorting patterns; None where it is another."""
    if len(patterns) > 4 or any(lost(x) for key in patterns for x in key):
        return None
    truths, answers = ({plain_label(key[k]) for key in patterns} for k in (0, 1))
    known = known_labels(truths, [answers], None)
    if len(known) != 2:
        return None
    place = {label: i for i, label in enumerate(known)}
    counts = [0, 0, 0, 0]
    for (truth, answer), (many, _) in patterns.items():
        counts[2 * place[same_kind(plain_label(truth), known)] + place[same_kind(plain_label(answer), known)]] += int(
            many
        )
    notes = similar_labels(known)
    t = Tally(
        cells=SQUARE,
        counts=np.array(counts),
        labels=known,
        systems=systems,
        positive=usual_positive(known),
        notes=notes,
        labels_given=False,
        account=Account(sum(counts)),
    )
    return t if positive is None else t.with_positive(positive)
