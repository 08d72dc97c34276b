"""Truths and scores to Scored: from arrays, lists and Series, or from the columns of a frame or of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.scored import Scored
from howsure.ingest.arrays import as_column, as_weights
from howsure.ingest.frames import is_frame
from howsure.ingest.graded import as_codes, as_numbers, column_names, refuse_twins
from howsure.ingest.patterns import Column, coded, known_labels, many, positive_of, present, same_kind
from howsure.ingest.request import check_column
from howsure.labels import Label
from howsure.notes import Notes, note

Array = NDArray[np.float64]


def scored(
    data: Any,
    scores: Any = None,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    positive: Label | None = None,
    weight: Any = None,
    cluster: Any = None,
    missing: str = "refuse",
    bins: int | None = None,
) -> Scored:
    """Truths and scores: two sequences, a mapping from system to scores, or a frame (or files) with columns named.

    >>> scored([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    Scored(4 items, 2 positive)
    """
    if missing not in ("refuse", "drop"):
        raise BadSetting(f"missing={missing!r} is not known here: give 'refuse' or 'drop'.")
    if isinstance(data, Scored):
        return data
    if scores is None and (truth is not None or score is not None or is_frame(data)):
        return _of_columns(data, truth, score, positive, weight, cluster, missing, bins)
    if bins is not None:
        raise BadSetting("bins= is for files; scores in memory are taken as they are.")
    if truth is not None or score is not None:
        raise BadSetting("truth= and score= name columns of a frame; with arrays write hs.curve(y_true, scores).")
    if scores is None:
        raise BadSetting("a curve needs truths and scores: hs.curve(y_true, scores).")
    columns = dict(scores) if isinstance(scores, Mapping) else {"system": scores}
    if not columns:
        raise BadLabels("no scores were given.")
    several = isinstance(scores, Mapping)
    named = {str(k): (f"scores of {k!r}" if several else "scores", x) for k, x in columns.items()}
    refuse_twins(tuple(str(k) for k in columns), list(columns))
    return _made(data, "y_true", named, positive, weight, cluster, missing)


def _of_columns(
    data: Any, truth: Any, score: Any, positive: Label | None, weight: Any, cluster: Any, missing: str, bins: int | None
) -> Scored:
    names = column_names(score, "score")
    if truth is None or not names:
        raise BadSetting("a curve of columns needs truth= and score=: hs.curve(frame, truth='label', score='p').")
    for option, x in (("truth", truth), ("weight", weight), ("cluster", cluster)):
        if x is not None and not isinstance(x, str):
            raise BadSetting(f"{option}= names a column here; got {type(x).__name__}.")
    refuse_twins(tuple(names), names)
    files = [data] if isinstance(data, (str, Path)) else data
    if isinstance(files, (list, tuple)) and files and all(isinstance(x, (str, Path)) for x in files):
        from howsure.ingest.scorefiles import scored_files

        if cluster is not None:
            raise BadSetting("cluster= is for frames and arrays; rows of files are counted by their score.")
        return scored_files(files, truth, names, positive=positive, weight=weight, missing=missing, bins=bins)
    if bins is not None:
        raise BadSetting("bins= is for files; scores in memory are taken as they are.")
    import narwhals as nw

    if not is_frame(data):
        raise BadSetting(f"truth= and score= name columns of a frame or a file; got {type(data).__name__}.")
    frame = nw.from_native(data)
    wanted = list(dict.fromkeys([truth, *names, *(x for x in (weight, cluster) if x is not None)]))
    have = frame.collect_schema().names()
    for column in wanted:
        check_column(column, have, "the frame")
    picked = frame.select(wanted)
    eager = picked.collect() if isinstance(picked, nw.LazyFrame) else picked
    columns = {name: _plain(eager[name]) for name in wanted}
    shown = names if len(names) > 1 else ["system"]
    named = {s: (f"column {name!r}", columns[name]) for s, name in zip(shown, names, strict=True)}
    extra = (columns.get(weight), columns.get(cluster))
    return _made(columns[truth], f"column {truth!r}", named, positive, *extra, missing)


def _plain(series: Any) -> Any:
    """Numbers without gaps as an array, everything else as a list."""
    kind = series.dtype
    whole = (kind.is_integer() or kind.is_float() or str(kind) == "Boolean") and series.null_count() == 0
    return series.to_numpy() if whole else series.to_list()


def _made(
    y_true: Any,
    where: str,
    given: dict[str, tuple[str, Any]],
    positive: Label | None,
    weight: Any,
    cluster: Any,
    missing: str,
) -> Scored:
    column = coded(as_column(y_true, where))
    parts = [as_numbers(x, name) for name, x in given.values()]
    n = len(column.codes)
    for (name, _), x in zip(given.values(), parts, strict=True):
        if len(x) != n:
            raise BadLabels(f"there are {n:,} truths but {len(x):,} {name}; each item needs one of both.")
    if n == 0:
        raise BadLabels("there are no items: truths and scores are empty.")
    values = np.stack(parts, axis=1)
    weights = None if weight is None else as_weights(weight, n)
    clusters = None if cluster is None else as_codes(list(cluster), "cluster")
    if clusters is not None and len(clusters) != n:
        raise BadLabels(f"there are {n:,} items but {len(clusters):,} entries of cluster; each item needs one.")
    if clusters is not None and clusters.max() == 0:
        raise BadLabels("all items are in one cluster: whole clusters are resampled, and it takes two or more.")
    lost = (column.codes < 0) | np.isnan(values).any(axis=1)
    notes = _refuse_lost(lost, column, missing)
    keep = ~lost if weights is None else ~lost & (weights > 0)
    truth, labels = _classes(column, keep, positive)
    if not keep.all():
        truth, values = truth[keep], values[keep]
        weights = None if weights is None else weights[keep]
        clusters = None if clusters is None else np.unique(clusters[keep], return_inverse=True)[1].astype(np.int64)
    refuse_scores(values)
    refuse_one_class(truth, labels)
    square = None if weights is None else float((weights**2).sum())
    return Scored(truth, values, tuple(given), labels, weights, square, clusters, notes)


def _refuse_lost(lost: Any, column: Column, missing: str) -> Notes:
    number = int(lost.sum())
    if not number:
        return ()
    if missing == "refuse":
        what = "no truth" if (column.codes < 0).any() else "a score that is missing or NaN"
        raise BadLabels(f"{many(number)} of {len(lost):,} have {what}; give missing='drop' to leave them out.")
    return (note("missing-dropped", form="score", count=number, total=len(lost)),)


def refuse_scores(values: Array) -> None:
    """Scores that are infinite."""
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise BadLabels(f"scores must be finite numbers; got {bad:g}. Replace it, or leave those items out.")


def refuse_one_class(truth: NDArray[np.bool_], labels: tuple[Label, Label]) -> None:
    """Truths of one class only."""
    if len(truth) == 0:
        raise BadLabels("there are no items: truths and scores are empty.")
    if truth.all() or not truth.any():
        raise BadLabels(
            f"all {len(truth):,} items are {labels[int(truth[0])]!r}: a curve needs items of both classes, "
            f"{labels[0]!r} and {labels[1]!r}."
        )


def _classes(column: Column, keep: NDArray[np.bool_], positive: Label | None) -> tuple[Any, tuple[Label, Label]]:
    """Which items are positive, and the names of both classes."""
    used = Column(column.levels, column.codes[keep])
    if not len(used.codes):
        raise BadLabels("there are no items: truths and scores are empty, or all were left out.")
    return positive_items(column, known_labels(present(used), [], None), positive)


def positive_items(column: Column, known: tuple[Label, ...], positive: Label | None) -> tuple[Any, tuple[Label, Label]]:
    """The same, of labels that are known."""
    if len(known) < 2:
        raise BadLabels(f"all items are {known[0]!r}: a curve needs items of both classes.")
    chosen = positive_of(known, positive)
    others = [x for x in known if x != chosen]
    rest = others[0] if len(others) == 1 else "rest"
    yes = np.array([same_kind(x, known) == chosen for x in column.levels] + [False])
    return yes[column.codes], (rest, chosen)
