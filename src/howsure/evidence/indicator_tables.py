"""Tables of 0 and 1, a row per item and a column per label: arrays, and frames, whose columns have names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.counting import refuse_unlike
from howsure.errors import BadLabels, listing, nearest, plural
from howsure.labels import Label, check_labels
from howsure.language import option

Table = NDArray[np.bool_]


@dataclass(frozen=True)
class Indicators:
    """Which labels each item has, and the names of the columns, where they have some."""

    table: Table
    columns: tuple[Label, ...] | None = None

    def taking(self, columns: tuple[Label, ...]) -> Table:
        """The columns of these names, in this order; a table without names is in this order already."""
        if self.columns is None or self.columns == columns:
            return self.table
        return self.table[:, [self.columns.index(x) for x in columns]]


def indicators(x: Any, name: str) -> Indicators | None:
    """A table of 0 and 1, one row per item, or None."""
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (set, frozenset, tuple)):
        return None
    if isinstance(x, list) and any(isinstance(v, str) for one in x[:50] if isinstance(one, Iterable) for v in one):
        return None
    frame = _frame(x)
    if frame is not None:
        return _of_frame(frame, name)
    refuse_unlike(x, name, BadLabels)
    try:
        table = np.asarray(x.toarray() if hasattr(x, "toarray") else x)
    except ValueError:
        return None
    if table.ndim != 2 or table.dtype.kind not in "bifu" or not np.isin(table, (0, 1)).all():
        return None
    if isinstance(x, (list, tuple)) and all(len(set(map(int, row))) == len(row) for row in table.tolist()):
        raise BadLabels(
            "these rows of 0 and 1 could be sets of labels or an indicator table: give sets such as {0, 1}, or a "
            "numpy array."
        )
    return Indicators(table.astype(bool))


def _frame(x: Any) -> Any:
    """A narwhals frame in memory, or None; a series holds a set of labels per item."""
    if isinstance(x, (list, tuple, np.ndarray, Mapping, str, bytes)) or hasattr(x, "toarray") or x is None:
        return None
    import narwhals as nw

    try:
        found = nw.from_native(x, pass_through=True)
        if isinstance(found, nw.LazyFrame):
            found = found.collect()
    except nw.exceptions.NarwhalsError as error:
        raise BadLabels(f"this frame cannot be read: {' '.join(str(error).split())}.") from None
    return found if isinstance(found, nw.DataFrame) else None


def _of_frame(frame: Any, name: str) -> Indicators:
    columns = check_labels(frame.columns)
    if not columns:
        raise BadLabels(f"{name} have no columns; give one per label.")
    parts = [_flags(x.to_numpy(), label, name) for label, x in zip(columns, frame.iter_columns(), strict=True)]
    return Indicators(np.column_stack(parts), columns)


def _flags(values: NDArray[Any], label: Label, name: str) -> Table:
    """A column of 0 and 1; whole numbers that may be missing come as objects."""
    if values.dtype.kind in "bifu" and np.isin(values, (0, 1)).all():
        return values.astype(bool)
    listed = values.tolist()
    bad = next((v for v in listed if not isinstance(v, (bool, int, float)) or v not in (0, 1)), True)
    if bad is not True:
        raise BadLabels(f"a frame of labels holds 0 and 1; column {label!r} of {name} holds {bad!r}.")
    return np.array(listed, dtype=bool)


def aligned(
    tables: Sequence[Indicators], names: Sequence[str], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], list[Table]]:
    """The labels, and the tables with their columns in that order: those of frames are matched by name."""
    width = tables[0].table.shape[1]
    first = next(((t.columns, name) for t, name in zip(tables, names, strict=True) if t.columns is not None), None)
    if first is not None and first[0] is not None:
        for t, name in zip(tables, names, strict=True):
            _refuse_other_columns((first[0], first[1]), t.columns, name)
    if any(t.table.shape[1] != width for t in tables):
        sizes = ", ".join(f"{name} {t.table.shape[1]}" for name, t in zip(names, tables, strict=True))
        raise BadLabels(f"indicator tables need one column for each label; got {sizes}.")
    own = None if first is None else first[0]
    known = own or tuple(range(width))
    wanted = known if labels is None else check_labels(labels)
    if len(wanted) != width:
        given = plural(len(wanted), "label")
        raise BadLabels(f"the indicator tables have {plural(width, 'column')} but {given} in {option('labels')}.")
    if own is None:
        return wanted, [t.table for t in tables]
    shared = set(wanted) & set(own)
    if shared and len(shared) < width:
        odd = next(x for x in wanted if x not in shared)
        hint = nearest(str(odd), [str(x) for x in own])
        raise BadLabels(f"{option('labels')} names {odd!r}, which is not a column.{hint} Columns: {listing(own)}.")
    return wanted, [t.taking(wanted if shared else own) for t in tables]


def _refuse_other_columns(first: tuple[tuple[Label, ...], str], columns: tuple[Label, ...] | None, name: str) -> None:
    """Frames of truths and answers need the same columns, in any order."""
    if columns is None or set(columns) == set(first[0]):
        return
    missing = [x for x in first[0] if x not in columns]
    extra = [x for x in columns if x not in first[0]]
    what = f"{name} lack column {missing[0]!r} of {first[1]}" if missing else f"{name} have a column {extra[0]!r} more"
    raise BadLabels(f"frames of labels need the same columns; {what}.")
