"""hs.tally: truths and answers of arrays, or of the columns of frames, files and databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.ingest.label_arrays import of_arrays
from howsure.labels import Label
from howsure.language import option

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
    from howsure.ingest.entrance import evidence

    if score is not None and threshold is None:
        raise BadSetting(f"{option('score')} needs {option('threshold')}, one number or a list of them.")
    return evidence(
        data, y_pred, kind="table", truth=truth, pred=pred, by=by, outcome=outcome, score=score, threshold=threshold,
        positive=positive, labels=labels, weight=weight, count=count, missing=missing, cluster=cluster, item=item,
        system=system, where=where, independent_rows=independent_rows, sep=sep, table=table, query=query,
        engine=engine, remote=remote,
    )  # fmt: skip
