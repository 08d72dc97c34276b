"""Frames of any engine to a Tally, through narwhals: one group-by, and only the cells come back.

pandas, polars (lazy too), pyarrow, DuckDB relations, Dask, Ibis, PySpark and Spark Connect; iterators of frames and
record batches are counted one by one and added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest.patterns import Counted, merged
from howsure.ingest.request import COUNT, GIVEN, LEAST, MOST, SQUARE, SUM, Request

HUGE: Final = 1.7976931348623157e308  # Ibis cannot ask every database for NaN, but NaN is not below this
PENDING: Final = 64  # batches whose cells are kept apart before they are added up


def tally_frame(data: Any, request: Request) -> Tally | Outcomes:
    """The Tally of a frame, or of an iterator of frames."""
    pending: list[Counted] = []
    for frame in _frames(data):
        pending.append(request.counted(_group(frame, request)))
        if len(pending) == PENDING:
            pending = [merged(pending)]
    if not pending:
        raise BadLabels("there are no items: the iterator gave no batches.")
    return request.settle(merged(pending))


def is_frame(data: Any) -> bool:
    """Whether narwhals knows it, or it hands out Arrow record batches."""
    if isinstance(data, (list, tuple, str, bytes, np.ndarray)) or data is None:
        return False
    if _module(data) == "pyarrow" and type(data).__name__ in ("RecordBatchReader", "RecordBatch"):
        return True
    return _narwhal(data) is not None


def _frames(data: Any) -> Iterator[Any]:
    """The frame itself, or each batch of an iterator."""
    if _module(data) == "pyarrow" and type(data).__name__ in ("RecordBatchReader", "RecordBatch"):
        import pyarrow

        batches = [data] if type(data).__name__ == "RecordBatch" else data
        yield from (_checked(pyarrow.Table.from_batches([batch])) for batch in batches)
        return
    if hasattr(data, "__next__") or isinstance(data, (list, tuple)):
        for batch in data:
            yield from _frames(batch)
        return
    yield _checked(data)


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _narwhal(data: Any) -> Any:
    """A narwhals frame, or None."""
    import narwhals as nw

    try:
        found = nw.from_native(data, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise BadLabels(f"this frame cannot be read: {error}") from None
    return found if isinstance(found, (nw.DataFrame, nw.LazyFrame)) else None


def _checked(data: Any) -> Any:
    _refuse_doubled(data)
    found = _narwhal(data)
    if found is None:
        raise BadSetting(
            f"truth= and pred= name columns of a frame, a file or a database; got {type(data).__name__}. "
            "For arrays write hs.tally(y_true, y_pred)."
        )
    return found


def _refuse_doubled(data: Any) -> None:
    """A column name that occurs twice, before the engine stumbles over it."""
    if _module(data) not in ("pandas", "dask", "pyarrow"):
        return  # the others do not allow it
    names = list(data.column_names if _module(data) == "pyarrow" else data.columns)
    if len(set(names)) < len(names):
        doubled = next(x for x in names if names.count(x) > 1)
        raise BadLabels(f"column {doubled!r} of the frame is named twice; every column needs its own name.")


def group(data: Any, request: Request) -> dict[str, Any]:
    """What one group-by of a frame gives, by name."""
    return _group(_checked(data), request)


def _group(frame: Any, request: Request) -> dict[str, Any]:
    """One group-by; the keys and aggregates as lists and arrays."""
    import narwhals as nw

    schema = frame.collect_schema()
    request.check(schema.names(), "the frame")
    _refuse_nested(schema, request)
    ibis = _module(frame.to_native()) == "ibis"
    keys = [_key(name, column, request, ibis) for name, column in request.keys]
    table = frame.select(*keys, *_amount(request))
    if request.amount is not None:
        table = table.with_columns((nw.col(SUM) * nw.col(SUM)).alias(SQUARE))
    grouped = table.group_by([name for name, _ in request.keys]).agg(*_aggregates(request))
    native = grouped.to_native()
    if _module(native) in ("duckdb", "_duckdb"):
        return dict(native.fetchnumpy())
    eager = grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped
    return {name: _values(eager[name]) for name in eager.columns}


def _refuse_nested(schema: Any, request: Request) -> None:
    for column in request.columns:
        if schema[column].is_nested():
            raise BadLabels(f"column {column!r} holds {schema[column]}; one plain value an item is needed.")


def _key(name: str, column: str, request: Request, ibis: bool) -> Any:
    """A column under its name in the query; a score becomes the number of thresholds it reaches."""
    import narwhals as nw

    if not request.thresholds or not name.startswith("answer"):
        return nw.col(column).alias(name)
    score = nw.col(column).cast(nw.Float64)
    steps = [nw.when(score >= t).then(nw.lit(1)).otherwise(nw.lit(0)) for t in request.thresholds]
    total = steps[0]
    for step in steps[1:]:
        total = total + step
    known = score <= HUGE if ibis else ~score.is_nan()
    return nw.when(known).then(total).alias(name)


def _amount(request: Request) -> list[Any]:
    import narwhals as nw

    return [] if request.amount is None else [nw.col(request.amount).cast(nw.Float64).alias(SUM)]


def _aggregates(request: Request) -> list[Any]:
    import narwhals as nw

    found = [nw.len().alias(COUNT)]
    if request.amount is not None:
        found += [
            nw.col(SUM).count().alias(GIVEN),
            nw.col(SUM).min().alias(LEAST),
            nw.col(SUM).max().alias(MOST),
            nw.col(SQUARE).sum().alias(SQUARE),
            nw.col(SUM).sum().alias(SUM),
        ]
    return found


def _values(series: Any) -> Any:
    """Numbers without gaps as an array, everything else as a list."""
    import narwhals as nw

    kind = series.dtype
    whole = kind.is_integer() or kind == nw.Boolean
    if (whole or kind.is_float()) and series.null_count() == 0:
        array = np.asarray(series.to_numpy())
        return array if array.dtype.kind in "iubf" else series.to_list()
    return series.to_list()
