"""Graded values an item (0 to 1, stars, seconds) to Items: from arrays, or from frames in long or wide form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.items import Items, Mean

Array = NDArray[np.float64]
Names = str | Sequence[str]


def means(
    data: Any,
    *,
    value: Names | None = None,
    item: Names | None = None,
    system: str | None = None,
    weight: Any = None,
    cluster: Any = None,
    better: str | None = "higher",
    bounds: tuple[float, float] | None = None,
    missing: str = "refuse",
) -> Items:
    """Graded values of items: a sequence, a mapping from system to sequence, or a frame with its columns named.

    A frame is long (value="grade", item="id", system="model": one row for each item and system) or wide
    (value=["a", "b"]: one row an item). `cluster` names items that belong together, such as several answers to one
    question: whole clusters are resampled. `bounds` are the least and the greatest value that an item can have.

    >>> means([0.5, 1.0, 0.75], bounds=(0, 1))
    Items(3 items)
    """
    if missing not in ("refuse", "drop"):
        raise UnknownName(f"missing={missing!r} is not known. Give 'refuse' or 'drop'.")
    if better not in ("higher", "lower", None):
        raise BadSetting(f"better= is 'higher', 'lower' or None; got {better!r}.")
    ends = _bounds(bounds)
    if _is_frame(data):
        found = _of_frame(data, value, item, system, weight, cluster, missing)
    else:
        extra = [k for k, v in {"value": value, "item": item, "system": system}.items() if v is not None]
        if extra:
            raise BadSetting(f"{extra[0]}= names a column; the data given is not a frame but {type(data).__name__}.")
        found = _of_arrays(data, weight, cluster)
    return _checked(found, missing, Mean(found.name, better, ends or (-np.inf, np.inf)), ends)  # type: ignore[arg-type]


class _Found:
    """Columns as they were given."""

    def __init__(self, values: Array, systems: tuple[str, ...], name: str | None = None) -> None:
        self.values, self.systems, self.name = values, systems, name
        self.ids: tuple[Hashable, ...] | None = None
        self.weights: Array | None = None
        self.clusters: NDArray[np.int64] | None = None


def _bounds(bounds: Any) -> tuple[float, float] | None:
    if bounds is None:
        return None
    try:
        low, high = (float(x) for x in bounds)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not -np.inf < low < high < np.inf:
        raise BadSetting(f"bounds are two finite numbers, the lower first, such as (0, 1); got {bounds!r}.")
    return low, high


def _is_frame(data: Any) -> bool:
    kind = type(data)  # asking a lazy frame itself for its columns would run it
    plain = isinstance(data, (Mapping, np.ndarray, list, tuple))
    return not plain and (hasattr(kind, "columns") or hasattr(kind, "column_names"))


def _of_arrays(data: Any, weight: Any, cluster: Any) -> _Found:
    columns = dict(data) if isinstance(data, Mapping) else {"system": data}
    if not columns:
        raise BadLabels("no systems were given.")
    parts = [
        _numbers(x, f"values of {name!r}" if isinstance(data, Mapping) else "values") for name, x in columns.items()
    ]
    if len({len(x) for x in parts}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in zip(columns, parts, strict=True))
        raise BadLabels(f"every system needs one value for each item; got {sizes}.")
    found = _Found(np.stack(parts, axis=1), tuple(str(x) for x in columns))
    found.weights = None if weight is None else _numbers(weight, "weight")
    if cluster is not None:
        found.clusters = _codes(list(cluster))
    return found


def _of_frame(
    data: Any, value: Names | None, item: Names | None, system: str | None, weight: Any, cluster: Any, missing: str
) -> _Found:
    import narwhals as nw

    frame = nw.from_native(data)
    if value is None:
        raise BadSetting("a frame needs the name of its value column: value='grade'.")
    wanted = [*_names(value), *_names(item), *_names(system), *_names(weight), *_names(cluster)]
    have = frame.collect_schema().names()
    for name in wanted:
        if name not in have:
            raise UnknownName(f"no column named {name!r}.{nearest(str(name), have)} Columns: {listing(have)}.")
    picked = frame.select(list(dict.fromkeys(wanted)))
    eager = picked.collect() if isinstance(picked, nw.LazyFrame) else picked
    columns = {name: eager[name].to_list() for name in dict.fromkeys(wanted)}
    ids = _keys([columns[x] for x in _names(item)]) if item is not None else None
    if system is None:
        return _wide(columns, _names(value), ids, weight, cluster)
    if ids is None or not isinstance(value, str):
        raise BadSetting("with system= give item=, the column that tells which rows are the same item, and one value.")
    return _long(columns, value, ids, system, weight, cluster, missing)


def _wide(
    columns: dict[str, list[Any]], values: list[str], ids: list[Hashable] | None, weight: Any, cluster: Any
) -> _Found:
    if ids is not None:
        _refuse_twice(ids)
    parts = [_numbers(columns[v], f"column {v!r}") for v in values]
    single = len(values) == 1
    found = _Found(np.stack(parts, axis=1), ("system",) if single else tuple(values), values[0] if single else None)
    found.ids = None if ids is None else tuple(ids)
    found.weights = None if weight is None else _numbers(columns[weight], f"column {weight!r}")
    found.clusters = None if cluster is None else _codes(columns[cluster])
    return found


def _long(
    columns: dict[str, list[Any]], value: str, ids: list[Hashable], system: str, weight: Any, cluster: Any, missing: str
) -> _Found:
    """One row for each item and system to one row an item."""
    numbers = _numbers(columns[value], f"column {value!r}")
    names = sorted({str(x) for x in columns[system]})
    order = {key: i for i, key in enumerate(dict.fromkeys(ids))}
    row = np.array([order[x] for x in ids])
    place = {name: j for j, name in enumerate(names)}
    at = np.array([place[str(x)] for x in columns[system]])
    cell = row * len(names) + at
    first, count = np.unique(cell, return_counts=True)
    if (count > 1).any():
        bad = first[count > 1][:5]
        listed = ", ".join(f"{list(order)[b // len(names)]!r} of {names[b % len(names)]}" for b in bad)
        raise BadLabels(
            f"{int((count > 1).sum()):,} items occur twice for one system: {listed}; give item= more columns."
        )
    table = np.full((len(order), len(names)), np.nan)
    table[row, at] = numbers
    absent = np.ones(table.shape, dtype=bool)
    absent[row, at] = False
    if absent.any() and missing == "refuse":
        lost = [list(order)[i] for i in np.flatnonzero(absent.any(axis=1))[:5]]
        raise BadLabels(
            f"{int(absent.any(axis=1).sum()):,} items have no value for some system, such as {listing(lost)}; "
            "give missing='drop' to leave them out."
        )
    found = _Found(table, tuple(names), value)
    found.ids = tuple(order)
    first_row = np.unique(row, return_index=True)[1]
    if weight is not None:
        found.weights = _numbers(columns[weight], f"column {weight!r}")[first_row]
    if cluster is not None:
        found.clusters = _codes([columns[cluster][i] for i in first_row.tolist()])
    return found


def _names(x: Any) -> list[str]:
    return [] if x is None else [x] if isinstance(x, str) else list(x)


def _keys(columns: list[list[Any]]) -> list[Hashable]:
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _refuse_twice(ids: list[Hashable]) -> None:
    if len(set(ids)) == len(ids):
        return
    seen: set[Hashable] = set()
    twice = [x for x in ids if x in seen or seen.add(x)]  # type: ignore[func-returns-value]
    raise BadLabels(f"{len(twice):,} items occur twice, such as {listing(twice[:5])}; an item has one row.")


def _codes(labels: list[Any]) -> NDArray[np.int64]:
    order = {x: i for i, x in enumerate(dict.fromkeys(labels))}
    if None in order:
        raise BadLabels("a cluster is missing for some items.")
    return np.array([order[x] for x in labels], dtype=np.int64)


def _numbers(x: Any, name: str) -> Array:
    """Values as floats; missing ones as NaN."""
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a sequence of numbers; got {x!r}.")
    try:
        array = np.array([np.nan if v is None else v for v in x] if isinstance(x, (list, tuple)) else x, dtype=float)
    except (TypeError, ValueError):
        raise BadLabels(f"{name} must be numbers.") from None
    if array.ndim != 1:
        raise BadLabels(f"{name} must have one dimension; got shape {array.shape}.")
    return array


def _checked(found: _Found, missing: str, measure: Mean, bounds: tuple[float, float] | None) -> Items:
    """The Items, once every value is a finite number within its bounds."""
    values, notes = found.values, []
    keep = np.asarray(~np.isnan(values).any(axis=1))
    lost = int((~keep).sum())
    if lost and missing == "refuse":
        raise BadLabels(f"{lost:,} of {len(keep):,} items have no value; give missing='drop' to leave them out.")
    if lost:
        notes.append(("missing-dropped", f"{lost:,} of {len(keep):,} items were left out: a value is missing"))
    for name, column in (("weight", found.weights), ("cluster", found.clusters)):
        if column is not None and len(column) != len(values):
            raise BadLabels(f"there are {len(values)} items but {len(column)} entries of {name}; each item needs one.")
    weights = found.weights[keep] if found.weights is not None else None
    if weights is not None and not ((weights > 0) & np.isfinite(weights)).all():
        raise BadLabels("weights must be finite numbers above 0.")
    values = values[keep]
    if not np.isfinite(values).all():
        raise BadLabels("values must be finite numbers.")
    if len(values) < 2:
        raise BadLabels(f"a mean with its posterior needs two items or more; got {len(values)}.")
    if bounds is not None and not ((values >= bounds[0]) & (values <= bounds[1])).all():
        bad = values[(values < bounds[0]) | (values > bounds[1])][0]
        raise BadSetting(f"a value of {bad:g} lies outside the bounds {bounds[0]:g} to {bounds[1]:g}.")
    ids = tuple(x for x, k in zip(found.ids, keep, strict=True) if k) if found.ids is not None else None
    clusters = None
    if found.clusters is not None:
        clusters = np.unique(found.clusters[keep], return_inverse=True)[1].reshape(-1).astype(np.int64)
        if clusters.max() == 0:
            raise BadLabels("all items are in one cluster; resampling whole clusters needs two or more.")
    return Items(values, found.systems, ids, weights, clusters, measure, bounds, tuple(notes))
