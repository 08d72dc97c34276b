"""Columns of frames by their types: numbers are made numbers, and what has no place in a count is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from howsure.errors import BadLabels
from howsure.ingest.columns import as_numbers, lost
from howsure.ingest.keys import Key
from howsure.language import option

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
