"""Confusion matrices whose rows and columns have names, as in data frames: counts and classes, matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.errors import BadCounts, BadLabels
from howsure.labels import Label, check_labels
from howsure.language import option

Names = tuple[Label, ...]


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
        raise BadCounts(
            f"the matrix names columns {_listed(across)} but rows {_listed(rows)}; they must agree. Give it a row and "
            "a column for each class, with table.reindex(index=classes, columns=classes, fill_value=0)."
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
