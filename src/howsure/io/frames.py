"""Frames of any engine as a source, through narwhals: conditions, types of columns, and one group-by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import tee
from typing import Any, Final, NoReturn

import numpy as np

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.protocol import Account
from howsure.io import where as conditions
from howsure.io.columns import LISTS, as_numbers, as_set, coarse, coded, lost
from howsure.io.groups import (
    COUNT,
    FAILED,
    GIVEN,
    KEPT,
    LEAST,
    MOST,
    PART,
    SQUARE,
    STATUS,
    SUM,
    UNREADABLE,
    Arithmetic,
    Grouping,
    Groups,
    Key,
    alike,
    beyond,
    left_out,
    made,
    merged,
    read,
)
from howsure.io.request import check_column
from howsure.io.where import Condition, Judged, Steps, judged
from howsure.messages.language import option

# -- frame kinds
#
# Columns of frames by their types: numbers are made numbers, and what has no place in a count is refused.

_TO_NUMBERS: Final = {
    "pandas": "pandas.to_numeric(frame[{0!r}])", "polars": "frame.with_columns(polars.col({0!r}).cast(polars.Float64))",
}  # fmt: skip


def refuse_names(data: Any, module: str) -> None:
    """Names of columns that occur twice or have levels, before the engine stumbles over them."""
    if module not in ("pandas", "dask", "pyarrow"):
        return  # the others do not allow it
    own = data.column_names if module == "pyarrow" else data.columns
    levels = getattr(own, "nlevels", 1)
    if levels > 1:
        way = "flatten them first: frame.columns = ['_'.join(map(str, x)) for x in frame.columns]"
        raise BadLabels(f"the columns of this frame have names of {levels} levels, such as {own[0]!r}; {way}.")
    names = list(own)
    if len(set(names)) < len(names):
        doubled = next(x for x in names if names.count(x) > 1)
        raise BadLabels(f"column {doubled!r} of the frame is named twice; every column needs its own name.")


def numeric(frame: Any, column: str, kind: Any, library: str, *, apart: bool) -> Any:
    """Refuse text and the like; objects in memory are looked at one by one, and may have to be told apart."""
    import narwhals as nw

    if kind in (nw.Int64, nw.UInt64) and isinstance(frame, nw.DataFrame) and library == "pyarrow":
        rounded = frame[column].to_native().cast("float64", safe=False)  # it refuses to round what is above 2^53
        return frame.with_columns(nw.from_native(rounded, series_only=True).alias(column))
    if kind in (nw.Object, nw.Unknown) and isinstance(frame, nw.DataFrame):
        own = frame[column]
        values = as_numbers(own.to_list() if kind == nw.Object else own.to_native(), f"column {column!r}", apart=apart)
        return frame.with_columns(nw.new_series(column, values, backend=frame.implementation))
    if kind.is_numeric() or kind == nw.Boolean or kind == nw.Unknown:
        return frame
    way = _TO_NUMBERS.get(library) if kind == nw.String else None
    told = "" if kind != nw.String else " Turn it into numbers first" + (f": {way.format(column)}." if way else ".")
    raise BadLabels(f"column {column!r} must be numbers; it holds {kind}.{told}")


def groupable(frame: Any, column: str, kind: Any) -> Any:
    """Half floats as floats: pandas has no group-by for them."""
    import narwhals as nw

    if not (kind == nw.Unknown or kind.is_float()) or not isinstance(frame, nw.DataFrame):
        return frame
    own = frame[column].to_native()
    if str(getattr(own, "dtype", "")) != "float16":
        return frame
    return frame.with_columns(nw.from_native(own.astype("float32"), series_only=True).alias(column))


def refuse_unhashable(frame: Any, keys: Sequence[Key], library: str) -> NoReturn:
    """One sentence about values that cannot be counted: the column is looked for in memory only."""
    import narwhals as nw

    for key in keys if isinstance(frame, nw.DataFrame) else ():
        held = next((x for x in frame[key.name].to_list() if not lost(x) and not _hashable(x)), None)
        if held is not None:
            what = "records" if isinstance(held, Mapping) else f"{type(held).__name__}s"
            raise BadLabels(f"column {key.column!r} holds {what}; one plain value per item is needed.") from None
    told = f"lists cannot be counted in a frame of {library}"
    raise BadLabels(f"{told}; bring it into memory first, or give texts and {option('sep')}.") from None


def _hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


# -- frames
#
# Frames of any engine as a source, through narwhals: one group-by, and only the groups come back.
#
# pandas, polars (lazy too), pyarrow, DuckDB relations, Dask, Ibis, PySpark and Spark Connect; iterators of frames and
# record batches are counted one by one and added up.

PENDING: Final = 64  # batches whose groups are kept apart before they are added up
_LIBRARIES: Final = {"_duckdb": "duckdb", "dask_expr": "dask"}
_ARROW: Final = ("RecordBatchReader", "RecordBatch")


def is_frame(data: Any) -> bool:
    """Whether narwhals knows it, or it hands out Arrow record batches."""
    if isinstance(data, (list, tuple, str, bytes, np.ndarray, Mapping)) or data is None:
        return False
    return _arrow(data) or _narwhal(data) is not None


def is_batches(data: Any) -> bool:
    """Whether it hands out frames one by one."""
    return hasattr(data, "__next__") or isinstance(data, (list, tuple)) or _arrow(data)


class Frame:
    """A frame of any engine, or an iterator of frames; `called` says in messages what it is.

    The values of a loose one, which comes from a file of text, are texts that may spell numbers. Rows that are judged
    already have their status beside them.
    """

    def __init__(
        self, data: Any, called: str = "the frame", *, loose: bool = False, rows: JudgedRows | None = None
    ) -> None:
        self.data, self.called, self.loose, self.rows = data, called, loose, rows
        self.library = None if is_batches(data) else _library(data)  # of batches: known when the first one comes

    @property
    def eager(self) -> bool:
        """Whether the rows are in memory, or come by once."""
        import narwhals as nw

        return is_batches(self.data) or isinstance(_checked(self.data), nw.DataFrame)

    def names(self) -> list[Any]:
        """The columns that there are, of batches those of the first."""
        return [] if (found := self._looked()) is None else list(found.collect_schema().names())

    heading = names

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows, of batches those of the first."""
        if (found := self._looked()) is None or not columns:
            return {x: [] for x in columns}
        eager = _collected(found.select(*columns).head(rows))
        return {x: eager[x].to_list() for x in columns}

    def _looked(self) -> Any:
        """The frame, or the first batch, which stays in its place; None where there is none."""
        look = self.data
        if hasattr(look, "__next__") or type(look).__name__ == _ARROW[0]:
            self.data, look = tee(self.data)
        return next(self._frames(look), None)

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there; batches are looked at when they come."""
        if not is_batches(self.data):
            _check(_checked(self.data), columns, self.called)

    def grouped(self, grouping: Grouping, what: str = "weight", shown: Grouping | None = None) -> Groups:
        """The distinct rows of the keys, counted; `shown` has the columns under their own names, for messages."""
        shown = shown or grouping
        pending: list[Groups] = []
        for frame in self._frames(self.data):
            _check(frame, grouping.columns, self.called)
            pending.append(self._counted(frame, grouping, what, shown))
            if len(pending) == PENDING:
                pending = [merged(alike(pending, shown))]
        if not pending:
            raise BadLabels("there are no items: the iterator gave no batches.")
        return merged(alike(pending, shown, [self.loose] * len(pending)))

    def _counted(self, frame: Any, grouping: Grouping, what: str, shown: Grouping) -> Groups:
        """The groups of one frame: rows of memory are chosen first; elsewhere one pass counts all, kept and others."""
        rows = self._judged_rows(frame, grouping)
        if rows is None:
            return read(shown, _grouped(frame, grouping, None), what)
        if rows.apart:
            account = rows.account(grouping)
            if account.left_out.get("missing") and not grouping.drop:
                rows.refuse_unreadable()
            found = read(shown, _grouped(rows.kept, grouping, None), what)
            return replace(found, account=account.without("missing", found.unweighed))
        found = read(shown, _grouped(rows.emptied(grouping.columns), grouping, rows.status), what)
        if found.account is not None and found.account.left_out.get("missing") and not grouping.drop:
            rows.refuse_unreadable()
        return found

    def _judged_rows(self, frame: Any, grouping: Grouping) -> JudgedRows | None:
        """The rows with their status under the conditions, if there are any."""
        if self.rows is not None or not grouping.where:
            return self.rows
        names = frame.collect_schema().names()
        told = [conditions.parse(text, tuple(names)) for text in grouping.where]
        for c in told:
            check_column(c.column, names, self.called)
        return judged_rows(frame, told, [c.column for c in told])

    def chosen(self, grouping: Grouping) -> Any:
        """The rows that fulfil the conditions."""
        frame = _checked(self.data)
        rows = self._judged_rows(frame, grouping)
        return frame if rows is None else rows.kept

    def distinct(self, grouping: Grouping) -> int:
        """About how many there are."""
        frame = self.chosen(grouping)
        return _distinct(frame.select(*_keys(frame, grouping)))

    def _frames(self, data: Any) -> Iterator[Any]:
        """The frame itself, or each batch of an iterator."""
        if _arrow(data):
            import pyarrow

            batches = [data] if type(data).__name__ == "RecordBatch" else data
            data = (pyarrow.Table.from_batches([batch]) for batch in batches)
        if hasattr(data, "__next__") or isinstance(data, (list, tuple)):
            for batch in data:
                yield from self._frames(batch)
            return
        self.library = self.library or _library(data)
        yield _checked(data)


# -- what it is


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _library(data: Any) -> str:
    import narwhals as nw

    native = data.to_native() if isinstance(data, (nw.DataFrame, nw.LazyFrame)) else data
    return _LIBRARIES.get(_module(native), _module(native))


def _arrow(data: Any) -> bool:
    return _module(data) == "pyarrow" and type(data).__name__ in _ARROW


def _narwhal(data: Any) -> Any:
    """A narwhals frame, or None."""
    import narwhals as nw

    try:
        found = nw.from_native(data, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        refuse_names(data, _module(data))
        raise BadLabels(f"this frame cannot be read: {' '.join(str(error).split())}") from None
    return found if isinstance(found, (nw.DataFrame, nw.LazyFrame)) else None


def _checked(data: Any) -> Any:
    refuse_names(data, _module(data))
    found = _narwhal(data)
    if found is None:
        raise BadSetting(f"columns need a frame, a file or a database; got {type(data).__name__}.")
    return found


def _check(frame: Any, columns: Sequence[str], called: str) -> None:
    names = frame.collect_schema().names()
    for column in columns:
        check_column(column, names, called)


# -- conditions


@dataclass(frozen=True)
class JudgedRows:
    """Rows with a column that says what becomes of each under conditions, which look at the columns in `places`."""

    frame: Any
    status: str
    told: Sequence[Condition]
    places: Sequence[str]
    found: Sequence[Judged]

    @property
    def apart(self) -> bool:
        """Whether rows are chosen before they are counted: pandas turns whole numbers with gaps into others."""
        import narwhals as nw

        return isinstance(self.frame, nw.DataFrame) or _library(self.frame) == "dask"

    @property
    def kept(self) -> Any:
        """The rows that fulfil all conditions."""
        import narwhals as nw

        return self.frame.filter(nw.col(self.status) == KEPT)

    def emptied(self, columns: Sequence[str]) -> Any:
        """All rows with their status; those that are not kept have nothing else."""
        import narwhals as nw

        kept = nw.col(self.status) == KEPT
        return self.frame.select(*(nw.when(kept).then(nw.col(x)).alias(x) for x in columns), self.status)

    def account(self, grouping: Grouping) -> Account:
        """What becomes of all rows."""
        import narwhals as nw

        counts = _collected(self.frame.group_by(self.status).agg(nw.len().alias(COUNT)))
        states, rows = (np.array(counts[x].to_list(), dtype=np.int64) for x in (self.status, COUNT))
        lost = left_out(states, rows)
        account = Account(int(rows.sum()), {}, grouping.where)
        return account.without("where", lost["where"]).without("missing", lost["missing"])

    def refuse_unreadable(self) -> None:
        """Refuse a value that an order cannot take, in a row that no other condition leaves out."""
        import narwhals as nw

        for c, place, j in zip(self.told, self.places, self.found, strict=True):
            if j.unreadable is not None:
                rows = self.frame.filter(j.unreadable, nw.col(self.status) < FAILED).select(place).head(1)
                said = _collected(rows)[place].to_list()
                if said:
                    conditions.refuse_unreadable(c, said[0])


def judged_rows(frame: Any, told: Sequence[Condition], places: Sequence[str]) -> JudgedRows:
    """The rows of a frame with their status under conditions on the columns in these places."""
    import narwhals as nw

    prefix = "judged_"
    while any(str(x).startswith(prefix) for x in frame.collect_schema().names()):
        prefix += "_"
    steps = Steps(frame, prefix, _knows_nan(frame), _library(frame))
    found = [judged(steps, c, place) for c, place in zip(told, places, strict=True)]
    status = nw.lit(0)
    for j in found:
        other = nw.lit(FAILED)
        if j.unreadable is not None:
            other = nw.when(j.unreadable).then(nw.lit(UNREADABLE)).otherwise(other)
        status = status + nw.when(j.holds).then(nw.lit(KEPT)).otherwise(other)
    return JudgedRows(steps.frame.with_columns(status.alias(prefix)), prefix, told, places, found)


def _collected(frame: Any) -> Any:
    import narwhals as nw

    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _knows_nan(frame: Any) -> bool:
    """Not every database does."""
    native = frame.to_native()
    return _library(native) != "ibis" or native.get_backend().name == "duckdb"


# -- one group-by


def _grouped(frame: Any, grouping: Grouping, status: str | None) -> dict[str, Any]:
    """The keys and aggregates as lists and arrays, and the status of the rows if a column has it."""
    import narwhals as nw

    schema = frame.collect_schema()
    frame, levels = _with_codes(frame, grouping)
    keys = tuple(replace(k, column=_codes(k)) if k.name in levels else k for k in grouping.keys)
    picked = [*_keys(frame, replace(grouping, keys=keys)), *_spans(frame, grouping), *_amount(grouping)]
    table = frame.select(*picked, *([] if status is None else [nw.col(status).alias(STATUS)]))
    if grouping.amount is not None:
        w = nw.col(SUM)
        table = table.with_columns((w * w).alias(SQUARE), (w - w.floor()).alias(PART))
    by, library = [*(k.name for k in grouping.keys), *([] if status is None else [STATUS])], _library(table)
    try:
        found = table.group_by(by).agg(*(_aggregate(x) for x in grouping.aggregates))
        eager = found.collect() if isinstance(found, nw.LazyFrame) and library != "duckdb" else found
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        refuse_unhashable(table, grouping.keys, library)
    if library == "duckdb":
        raw = dict(found.to_native().fetchnumpy())
    else:
        raw = {name: _values(eager[name]) for name in eager.columns}
    for column in beyond(grouping, raw):
        if schema[column].is_integer():
            raise coarse(f"column {column!r}")
    return raw | {name: [None if x < 0 else own[int(x)] for x in raw[name]] for name, own in levels.items()}


def _codes(key: Key) -> str:
    return f"codes of {key.name}"


def _with_codes(frame: Any, grouping: Grouping) -> tuple[Any, dict[str, tuple[Any, ...]]]:
    """Columns of lists as numbers of their different sets, where the rows are in memory; and what the numbers mean."""
    import narwhals as nw

    schema, levels = frame.collect_schema(), {}
    for key in grouping.labels:
        kind = schema[key.column]
        if kind == nw.Struct:
            raise BadLabels(f"column {key.column!r} holds {kind}; one plain value per item is needed.")
        if not isinstance(frame, nw.DataFrame):
            continue
        frame = groupable(frame, key.column, kind)
        if not (kind.is_nested() or (kind == nw.Object and _lists(frame[key.column]))):
            continue
        sets = coded([as_set(x) for x in frame[key.column].to_list()])
        frame = frame.with_columns(nw.new_series(_codes(key), sets.codes, backend=frame.implementation))
        levels[key.name] = sets.levels
    for column in (*grouping.numbers, *(() if grouping.amount is None else (grouping.amount,))):
        apart = any(k.column == column and k.form == "number" for k in grouping.keys)
        frame = numeric(frame, column, schema[column], _library(frame), apart=apart)
    return frame, levels


def _lists(series: Any) -> bool:
    return isinstance(next((x for x in series.head(100).to_list() if not lost(x)), None), LISTS)


def _keys(frame: Any, grouping: Grouping) -> list[Any]:
    """The keys under their names in the query."""
    import narwhals as nw

    how, columns = _arithmetic(frame), [(k, nw.col(k.column)) for k in grouping.keys]
    each = [x if k.form == "label" else made(k, x.cast(nw.Float64), how) for k, x in columns]
    return [x.alias(k.name) for x, k in zip(each, grouping.keys, strict=True)]


def _arithmetic(frame: Any) -> Arithmetic:
    import narwhals as nw

    def when(condition: Any, yes: Any, no: Any) -> Any:
        first = nw.when(condition).then(yes if isinstance(yes, nw.Expr) else nw.lit(yes))
        return first if no is None else first.otherwise(no if isinstance(no, nw.Expr) else nw.lit(no))

    if not _knows_nan(frame):
        return Arithmetic(when, lambda x: x.floor())
    return Arithmetic(when, lambda x: x.floor(), lambda x: ~x.is_nan(), lambda x: x.is_finite())


def _spans(frame: Any, grouping: Grouping) -> list[Any]:
    import narwhals as nw

    how, numbers = _arithmetic(frame), [nw.col(column).cast(nw.Float64) for column in grouping.spans]
    return [how.when(how.finite(x), x, None).alias(f"f{i}") for i, x in enumerate(numbers)]


def _amount(grouping: Grouping) -> list[Any]:
    import narwhals as nw

    return [] if grouping.amount is None else [nw.col(grouping.amount).cast(nw.Float64).alias(SUM)]


def _aggregate(name: str) -> Any:
    import narwhals as nw

    if name == COUNT:
        return nw.len().alias(COUNT)
    amount = nw.col(SUM)
    plain = {GIVEN: amount.count, LEAST: amount.min, MOST: amount.max, SUM: amount.sum}
    plain |= {PART: nw.col(PART).max, SQUARE: nw.col(SQUARE).sum}
    if name in plain:
        return plain[name]().alias(name)
    if name.startswith(LEAST):
        return nw.col(f"f{name.removeprefix(LEAST)}").min().alias(name)
    return nw.col(f"f{name.removeprefix(MOST)}").max().alias(name)


def _values(series: Any) -> Any:
    """Numbers without gaps as an array, everything else as a list."""
    import narwhals as nw

    kind = series.dtype
    whole = kind.is_integer() or kind == nw.Boolean
    if (whole or kind.is_float()) and series.null_count() == 0:
        array = np.asarray(series.to_numpy())
        return array if array.dtype.kind in "iubf" else series.to_list()
    return series.to_list()


def _distinct(keys: Any) -> int:
    """About how many different rows there are; exact where an engine cannot tell it roughly."""
    import narwhals as nw

    native = keys.to_native()
    if _library(native) == "duckdb":
        names = ", ".join(keys.collect_schema().names())
        return int(native.aggregate(f"approx_count_distinct(hash({names})) AS n").fetchall()[0][0])
    if _library(native) == "pyspark":
        from pyspark.sql import functions

        return int(native.select(functions.approx_count_distinct(functions.xxhash64("*"))).collect()[0][0])
    return int(_collected(keys.unique().select(nw.len())).item())
