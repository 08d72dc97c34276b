"""Arrays, lists and Series of labels to a Tally, without a Python loop over rows.

Small whole numbers are counted by numpy.bincount in cache-sized pieces; everything else by one pass of a hash
table over pairs. Missing labels, scores in place of labels and unknown labels are looked for among the distinct
values only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.counting import refuse_unlike
from howsure.errors import BadLabels, listing, plural
from howsure.evidence.account import Account
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.layout import SQUARE
from howsure.ingest.alignment import head_of, of_another_row
from howsure.ingest.columns import Column, coded, lost, times, unarrowed
from howsure.ingest.groups import Groups
from howsure.ingest.labelling import known_labels, look_like_scores, same_kind, similar_labels
from howsure.ingest.request import Request, check_missing
from howsure.ingest.settling import settle
from howsure.ingest.tabulating import Patterns, count, zeros_and_ones
from howsure.labels import Label, plain, usual_positive
from howsure.language import option
from howsure.notes import Notes


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
    truth: Any, columns: list[Any], weights: NDArray[np.float64] | None, cluster: Any, request: Request
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


def _clustered(
    truth: Any, columns: list[Any], cluster: Any, weights: NDArray[np.float64] | None, request: Request
) -> Clustered:
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
        if any(isinstance(v, (list, tuple, set, dict, np.ndarray)) for v in items[:100]):
            raise BadLabels(f"{name} must hold one label per item; got {items[0]!r}.")
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
        raise look_like_scores(name, float(known[int(np.argmax(bad))]))
    if lost.any():
        whole = np.where(lost, 0, array).astype(np.int64).astype(object)
        whole[lost] = None
        return whole.tolist()
    return array.astype(np.int64)


def as_weights(weight: Any, n: int) -> NDArray[np.float64]:
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
    truths, answers = ({plain(key[k]) for key in patterns} for k in (0, 1))
    known = known_labels(truths, [answers], None)
    if len(known) != 2:
        return None
    place = {label: i for i, label in enumerate(known)}
    counts = [0, 0, 0, 0]
    for (truth, answer), (many, _) in patterns.items():
        counts[2 * place[same_kind(plain(truth), known)] + place[same_kind(plain(answer), known)]] += int(many)
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
