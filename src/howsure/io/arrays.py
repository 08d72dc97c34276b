"""hs.tally and hs.graded, and true labels with scores: arrays, or columns of frames, files and databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.graded import Graded
from howsure.evidence.scored import Scored
from howsure.evidence.sliced import Sliced
from howsure.io.label_arrays import of_arrays
from howsure.messages.language import option
from howsure.validate import Label

# -- arrays
#
# hs.tally: truths and answers of arrays, or of the columns of frames, files and databases.

Names = str | Sequence[str]


@overload
def tally(
    data: Any,
    y_pred: Any,
    *,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weight: Any = None,
    missing: str = "refuse",
) -> Tally: ...
@overload
def tally(
    data: Any,
    y_pred: Any = None,
    *,
    truth: str | None = None,
    pred: Names | None = None,
    by: Names | None = None,
    outcome: Names | None = None,
    score: str | None = None,
    threshold: float | Sequence[float] | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weight: Any = None,
    count: str | None = None,
    missing: str = "refuse",
    cluster: Any = None,
    item: Names | None = None,
    system: str | None = None,
    where: Names | None = None,
    independent_rows: bool = False,
    sep: str | None = None,
    table: str | None = None,
    query: str | None = None,
    engine: str | None = None,
    remote: str | None = None,
) -> Any: ...
def tally(
    data: Any,
    y_pred: Any = None,
    *,
    truth: str | None = None,
    pred: Names | None = None,
    by: Names | None = None,
    outcome: Names | None = None,
    score: str | None = None,
    threshold: float | Sequence[float] | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weight: Any = None,
    count: str | None = None,
    missing: str = "refuse",
    cluster: Any = None,
    item: Names | None = None,
    system: str | None = None,
    where: Names | None = None,
    independent_rows: bool = False,
    sep: str | None = None,
    table: str | None = None,
    query: str | None = None,
    engine: str | None = None,
    remote: str | None = None,
) -> Any:
    """Count (truth, answer) pairs: of two arrays, or of the columns of a frame, a file or a database.

    Arrays, lists, Series: `tally(y_true, y_pred)`; a mapping of predictions counts joint patterns of several systems.
    Frames of any engine, iterators of them, and paths: `tally(frame, truth="label", pred="model")`. `pred=["a", "b"]`
    is a joint tally, `by=` makes a batch of slices, `outcome="passed"` counts passes and fails, `score=` with
    `threshold=` cuts a score, `weight=` and `count=` name columns of weights or of counts made earlier. Columns of
    lists are sets of labels; `sep=` splits texts into them. `cluster=` tells which items belong together, `item=` and
    `system=` which rows of a long frame are the same item, `where="year=2024"` which rows to take. howsure warns
    if other columns suggest that rows are not independent; `independent_rows=True` says that they are.
    A DB-API connection takes `table=` or `query=` beside them, files `engine="spark"`.

    >>> tally([1, 0, 1, 1], [1, 0, 0, 1])
    Tally(tp=2, fp=0, fn=1, tn=1)
    >>> tally(["spam", "ham"], ["spam", "spam"], positive="spam").fp
    1
    """
    named = (truth, pred, by, outcome, score, threshold, count, item, system, where, sep, independent_rows or None)
    if y_pred is not None and not any(x is not None for x in (*named, table, query, engine, remote)):
        return of_arrays(data, y_pred, positive, labels, weight, missing, cluster)
    from howsure.io.entrance import evidence

    if score is not None and threshold is None:
        raise BadSetting(f"{option('score')} needs {option('threshold')}, one number or a list of them.")
    return evidence(
        data, y_pred, kind="table", truth=truth, pred=pred, by=by, outcome=outcome, score=score, threshold=threshold,
        positive=positive, labels=labels, weight=weight, count=count, missing=missing, cluster=cluster, item=item,
        system=system, where=where, independent_rows=independent_rows, sep=sep, table=table, query=query,
        engine=engine, remote=remote,
    )  # fmt: skip


# -- graded
#
# hs.graded: graded values per item, of arrays, or of columns in long or wide form.


def graded(
    data: Any,
    *,
    value: Names | None = None,
    item: Names | None = None,
    system: str | None = None,
    weight: Any = None,
    cluster: Any = None,
    better: str | None = "higher",
    bounds: tuple[float, float] | None = None,
    by: Names | None = None,
    missing: str = "refuse",
    count: str | None = None,
    where: Names | None = None,
    independent_rows: bool = False,
    table: str | None = None,
    query: str | None = None,
    engine: str | None = None,
    remote: str | None = None,
) -> Graded | Sliced:
    """Graded values of items: a sequence, a mapping from system to sequence, or columns of a frame, file or database.

    A mapping may also go from system to item to value, {"a": {"q1": 0.5, "q2": 1.0}}: items are then matched by name.
    A frame is long (value="grade", item="id", system="model": one row for each item and system) or wide
    (value=["a", "b"]: one row an item). `cluster` names items that belong together, such as several answers to one
    question: whole clusters are resampled. `bounds` are the least and the greatest value that an item can have. `by`
    slices: every slice has its own items and its own prior.

    >>> graded([0.5, 1.0, 0.75], bounds=(0, 1))
    Graded(3 items)
    """
    from howsure.io.entrance import evidence

    columns: dict[str, Any] = {"value": value, "item": item, "system": system, "count": count}
    columns |= {"by": by, "where": where, "independent_rows": independent_rows}
    place: dict[str, Any] = {"table": table, "query": query, "engine": engine, "remote": remote}
    settings: dict[str, Any] = {"weight": weight, "cluster": cluster, "better": better, "bounds": bounds}
    found = evidence(data, kind="values", missing=missing, **columns, **place, **settings)
    assert isinstance(found, (Graded, Sliced))  # noqa: S101 - narrows the type
    return found


# -- scores
#
# Truths and scores of arrays, or of the columns of frames, files and databases: what curves are made of.


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
    **more: Any,
) -> Scored:
    """Truths and scores: two sequences, a mapping from system to scores, or a frame (or files) with columns named.

    `more` are the other options of columns: count=, where=, table=, query=, engine=, remote=, names= and watch=.

    >>> scored([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    Scored(4 items, 2 positive)
    """
    if isinstance(data, Scored):
        return data
    if more.get("threshold") is not None:
        raise BadSetting(f"a curve looks at every threshold: leave out {option('threshold')}.")
    from howsure.io.entrance import evidence

    settings: dict[str, Any] = {"positive": positive, "weight": weight, "cluster": cluster, "bins": bins}
    found = evidence(data, scores, kind="scores", truth=truth, score=score, missing=missing, **settings, **more)
    assert isinstance(found, Scored)  # noqa: S101 - narrows the type
    return found
