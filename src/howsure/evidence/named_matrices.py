"""Confusion matrices whose rows and columns have names, as in data frames: counts and classes, matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadCounts, BadLabels
from howsure.labels import Label, check_labels
from howsure.language import option

Names = tuple[Label, ...]
_MARGINS: Final = frozenset({"all", "margin", "margins", "sum", "total", "totals"})


def matched(table: Any, labels: Sequence[Label] | None) -> tuple[Any, Sequence[Label] | None]:
    """The counts with columns in the order of the rows, and the classes; what has no names is as it was given."""
    index, columns = getattr(table, "index", None), getattr(table, "columns", None)
    if not (hasattr(index, "tolist") and hasattr(columns, "tolist") and hasattr(table, "to_numpy")):
        return table, labels
    counts = table.to_numpy()
    names = _names(index, columns)
    if names is None:
        return counts, labels
    rows, across = names
    places = _places(rows, across)
    if places is None:
        way = "table.reindex(index=classes, columns=classes, fill_value=0)"
        refuse_margin(counts, rows, across, "the matrix", f" If it is a class, give it a {{}} too, with {way}.")
        raise BadCounts(
            f"the matrix names columns {_listed(across)} but rows {_listed(rows)}; they must agree. Give it a row and "
            f"a column for each class, with {way}."
        )
    counts = counts[:, places]
    if labels is None:
        return counts, rows if any(not isinstance(x, str) for x in rows) else tuple(across[i] for i in places)
    wanted = check_labels(labels)
    order = _places(wanted, rows)
    if order is None:
        raise BadLabels(
            f"the matrix names classes {_listed(rows)}, but {option('labels')} has {_listed(wanted)}; leave it out, or "
            "give the counts alone: table.to_numpy()."
        )
    return counts[np.ix_(order, order)], wanted


def refuse_margin(counts: Any, rows: Sequence[Label], across: Sequence[Label], what: str, way: str = "") -> None:
    """Refuse a row, or a column, that only this side names and that holds the sums of the others.

    `way` is what to do if it is a class, with {} for the side that it lacks; a usual name of margins is no class.
    """
    if np.asarray(counts).dtype.kind not in "iuf":
        return
    sides = (("row", "column", rows, across, counts), ("column", "row", across, rows, np.transpose(counts)))
    for side, other, own, others, lines in sides:
        more = [k for k, x in enumerate(own) if str(x) not in set(map(str, others))]
        if len(more) != 1 or len(own) != len(others) + 1:
            continue
        name, rest = own[more[0]], np.delete(lines, more[0], axis=0)
        called = is_margin(name)
        # sums of one class that has items are as good as counts
        if np.array_equal(lines[more[0]], rest.sum(axis=0)) and (called or (rest != 0).any(axis=1).sum() > 1):
            raise BadCounts(
                f"{side} {name!r} of {what} looks like a margin, since it holds the sums of the others; leave it out."
                f"{'' if called else way.format(other)}"
            )


def is_margin(name: Label) -> bool:
    """Whether it is a usual name of sums.

    >>> is_margin("All"), is_margin("cat")
    (True, False)
    """
    return str(name).strip().casefold() in _MARGINS


def refuse_margins(square: NDArray[np.int64], names: Names, framed: bool) -> None:
    """Refuse sums of the other rows and columns that stand in the matrix as if they were a class.

    They are known by their sums in a frame, which was most likely crossed with margins; elsewhere by their name too.
    Sums in the row only, or in the column, are known by their name.
    """
    if not square.any():
        return
    rows = (2 * square == square.sum(axis=-2, keepdims=True)).all(axis=-1).reshape(-1, len(names)).all(axis=0)
    columns = (2 * square == square.sum(axis=-1, keepdims=True)).all(axis=-2).reshape(-1, len(names)).all(axis=0)
    used = (square.any(axis=-1) | square.any(axis=-2)).reshape(-1, len(names)).any(axis=0)
    for k, name in enumerate(names):
        called = is_margin(name)
        if rows[k] and columns[k] and (called or (framed and used.sum() > 2)):
            # sums of one class that has items are as good as counts
            way = "" if called else " If it is a class, give the counts alone: table.to_numpy()."
            raise BadCounts(
                f"row and column {name!r} of the matrix hold the sums of the others and are no class; "
                f"leave such margins out.{way}"
            )
        if called and rows[k] != columns[k]:
            _refuse_one_side(square, k, name, "row" if rows[k] else "column")


def _refuse_one_side(square: NDArray[np.int64], k: int, name: Label, side: str) -> None:
    """Refuse sums in a row, or a column, beside an empty other side; of three classes or more beside any other."""
    if square.shape[-1] > 2 or not (square[..., :, k] if side == "row" else square[..., k, :]).any():
        raise BadCounts(
            f"{side} {name!r} of the matrix holds the sums of the others and is no class; leave {name!r} out. If it is "
            "one, give it another name."
        )


def _names(index: Any, columns: Any) -> tuple[Names, Names] | None:
    """The names of rows and of columns; those of one side are for both, and numbers that count places are none."""
    plain = [_counts_places(index), _counts_places(columns)]
    if all(plain):
        return None
    rows, across = check_labels(index.tolist()), check_labels(columns.tolist())
    if any(plain) and len(rows) == len(across) and set(rows) != set(across):
        rows = across = across if plain[0] else rows
    return rows, across


def _counts_places(index: Any) -> bool:
    """Whether it is what a frame has that was given no names."""
    return type(index).__name__ == "RangeIndex" and index.tolist() == list(range(len(index)))


def _places(wanted: Names, there: Names) -> list[int] | None:
    """Where names stand among others; of a file one side may be numbers and the other texts of them."""
    if set(wanted) == set(there):
        return [there.index(x) for x in wanted]
    spelled = {str(x): i for i, x in enumerate(there)}
    if len(spelled) < len(there) or spelled.keys() != set(map(str, wanted)) or len(wanted) != len(there):
        return None
    return [spelled[str(x)] for x in wanted]


def _listed(names: Names) -> str:
    return f"[{', '.join(map(repr, names[:20]))}{', ...' if len(names) > 20 else ''}]"
