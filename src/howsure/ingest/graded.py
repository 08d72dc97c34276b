"""Graded values an item (0 to 1, stars, seconds) to Items: from arrays, or from frames in long or wide form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.items import Items, Mean
from howsure.kernels.weights import effective_size
from howsure.notes import note

Array = NDArray[np.float64]
Names = str | Sequence[str]

LARGEST, SMALLEST = 1e100, 1e-100  # of values and of their spread: squares stay within floating point


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

    A mapping may also go from system to item to value, {"a": {"q1": 0.5, "q2": 1.0}}: items are then matched by name.
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
        found = _of_arrays(data, weight, cluster, missing)
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


def _of_arrays(data: Any, weight: Any, cluster: Any, missing: str) -> _Found:
    columns = dict(data) if isinstance(data, Mapping) else {"system": data}
    if not columns:
        raise BadLabels("no systems were given; give {'a': values, 'b': values}.")
    systems = tuple(str(x) for x in columns)
    refuse_twins(systems, list(columns))
    ids = None
    if all(isinstance(x, Mapping) for x in columns.values()):
        if weight is not None or cluster is not None:
            raise BadSetting("weight= and cluster= go with sequences or frames; got a mapping from item to value.")
        ids = tuple(_shared(columns, missing))
        columns = {name: [x[i] for i in ids] for name, x in columns.items()}
    parts = [
        as_numbers(x, f"values of {name!r}" if isinstance(data, Mapping) else "values") for name, x in columns.items()
    ]
    if len({len(x) for x in parts}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in zip(columns, parts, strict=True))
        raise BadLabels(f"every system needs one value for each item; got {sizes}.")
    found = _Found(np.stack(parts, axis=1), systems)
    found.ids = ids
    found.weights = None if weight is None else as_numbers(weight, "weight")
    if cluster is not None:
        if isinstance(cluster, (str, bytes, Set, Mapping)) or not isinstance(cluster, Iterable):
            raise BadLabels(f"cluster must be a sequence with one entry for each item; got {cluster!r}.")
        found.clusters = as_codes(list(cluster), "cluster")
    return found


def _shared(columns: Mapping[Any, Mapping[Any, Any]], missing: str) -> list[Hashable]:
    """The items that every system has a value for."""
    every = list(dict.fromkeys(chain.from_iterable(columns.values())))
    lost = {i for i in every if any(i not in x for x in columns.values())}
    if lost and missing == "refuse":
        raise BadLabels(_lacking([i for i in every if i in lost], len(every)))
    return [i for i in every if i not in lost]


def _lacking(lost: Sequence[Hashable], total: int) -> str:
    return (
        f"{len(lost):,} of {total:,} items have no value for some system, such as {listing(lost[:5])}; give "
        "missing='drop' to leave them out."
    )


def _of_frame(
    data: Any, value: Names | None, item: Names | None, system: str | None, weight: Any, cluster: Any, missing: str
) -> _Found:
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise BadLabels(
            f"{type(data).__name__} is no frame that is known here; give a pandas, polars or pyarrow frame, or arrays."
        ) from None
    for name, x in (("system", system), ("weight", weight), ("cluster", cluster)):
        if x is not None and not isinstance(x, str):
            raise BadSetting(f"of a frame, {name}= names a column; got {type(x).__name__}.")
    values = column_names(value, "value")
    if not values:
        raise BadSetting("a frame needs the name of its value column: value='grade'.")
    refuse_twins(tuple(values), values)
    wanted = list(dict.fromkeys([*values, *column_names(item, "item"), *(x for x in (system, weight, cluster) if x)]))
    have = frame.collect_schema().names()
    for name in wanted:
        if name not in have:
            raise UnknownName(f"no column named {name!r}.{nearest(name, have)} Columns: {listing(have)}.")
    picked = frame.select(wanted)
    eager = picked.collect() if isinstance(picked, nw.LazyFrame) else picked
    columns = {name: eager[name].to_list() for name in wanted}
    ids = _keys(columns, column_names(item, "item")) if item is not None else None
    if system is None:
        return _wide(columns, values, ids, weight, cluster)
    if ids is None or len(values) != 1:
        raise BadSetting("with system= give item=, the column that tells which rows are the same item, and one value.")
    return _long(columns, values[0], ids, system, weight, cluster, missing)


def _wide(
    columns: dict[str, list[Any]], values: list[str], ids: list[Hashable] | None, weight: Any, cluster: Any
) -> _Found:
    if ids is not None:
        _refuse_twice(ids)
    parts = [as_numbers(columns[v], f"column {v!r}") for v in values]
    single = len(values) == 1
    found = _Found(np.stack(parts, axis=1), ("system",) if single else tuple(values), values[0] if single else None)
    found.ids = None if ids is None else tuple(ids)
    found.weights = None if weight is None else as_numbers(columns[weight], f"column {weight!r}")
    found.clusters = None if cluster is None else as_codes(columns[cluster], f"column {cluster!r}")
    return found


def _long(
    columns: dict[str, list[Any]], value: str, ids: list[Hashable], system: str, weight: Any, cluster: Any, missing: str
) -> _Found:
    """One row for each item and system to one row an item."""
    numbers = as_numbers(columns[value], f"column {value!r}")
    if any(_absent(x) for x in columns[system]):
        raise BadLabels(f"column {system!r} does not name the system of some rows; fill it in, or drop those rows.")
    given = list(dict.fromkeys(columns[system]))
    refuse_twins(tuple(str(x) for x in given), given)
    names = sorted(str(x) for x in given)
    order = {key: i for i, key in enumerate(dict.fromkeys(ids))}
    row = np.array([order[x] for x in ids], dtype=np.intp)
    place = {name: j for j, name in enumerate(names)}
    at = np.array([place[str(x)] for x in columns[system]], dtype=np.intp)
    cell = row * len(names) + at
    first, count = np.unique(cell, return_counts=True)
    if (count > 1).any():
        bad = first[count > 1][:5]
        listed = ", ".join(f"{list(order)[b // len(names)]!r} of {names[b % len(names)]}" for b in bad)
        raise BadLabels(
            f"items occur twice for one system: {listed}; an item has one value for each: give item= more columns."
        )
    table = np.full((len(order), len(names)), np.nan)
    table[row, at] = numbers
    absent = np.ones(table.shape, dtype=bool)
    absent[row, at] = False
    if absent.any() and missing == "refuse":
        every = list(order)
        raise BadLabels(_lacking([every[i] for i in np.flatnonzero(absent.any(axis=1))], len(every)))
    found = _Found(table, tuple(names), value)
    found.ids = tuple(order)
    if weight is not None:
        found.weights = _of_items(as_numbers(columns[weight], f"column {weight!r}"), row, weight, list(order))
    if cluster is not None:
        found.clusters = _of_items(as_codes(columns[cluster], f"column {cluster!r}"), row, cluster, list(order))
    return found


def _of_items(column: Any, row: NDArray[np.intp], name: str, ids: list[Hashable]) -> Any:
    """One entry an item, which all its rows must share."""
    first = column[np.unique(row, return_index=True)[1]]
    differs = (first[row] != column) & ~(np.isnan(first[row]) & np.isnan(column))
    if differs.any():
        raise BadLabels(
            f"column {name!r} differs between the rows of item {ids[row[differs][0]]!r}; it needs one value."
        )
    return first


def column_names(x: Any, name: str) -> list[str]:
    """One name of a column, or several, as a list."""
    names = [] if x is None else [x] if isinstance(x, str) else x
    if not isinstance(names, (list, tuple)) or not all(isinstance(y, str) for y in names):
        raise BadSetting(f"{name}= takes the name of a column, or a list of names; got {x!r}.")
    return list(names)


def _keys(columns: dict[str, list[Any]], names: list[str]) -> list[Hashable]:
    for name in names:
        if any(_absent(x) for x in columns[name]):
            raise BadLabels(f"column {name!r} does not tell the item of some rows; fill it in, or drop those rows.")
    keys: list[Any] = columns[names[0]] if len(names) == 1 else list(zip(*(columns[x] for x in names), strict=True))
    try:
        set(keys)
    except TypeError:
        raise BadLabels(f"item= must be columns of numbers or text; {listing(names)} holds {keys[0]!r}.") from None
    return keys


def _absent(x: Any) -> bool:
    """None, NaN, or pandas' NA and NaT."""
    return x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, (float, np.floating)) and x != x)


def refuse_twins(names: tuple[str, ...], given: list[Any]) -> None:
    """Systems of one name."""
    twice = next((x for i, x in enumerate(names) if x in names[:i]), None)
    if twice is not None:
        same = [x for x in given if str(x) == twice]
        raise BadLabels(f"systems need different names; got {listing(same)}.")


def _refuse_twice(ids: list[Hashable]) -> None:
    if len(set(ids)) == len(ids):
        return
    seen: set[Hashable] = set()
    twice = [x for x in ids if x in seen or seen.add(x)]  # type: ignore[func-returns-value]
    raise BadLabels(f"{len(twice):,} items occur twice, such as {listing(twice[:5])}; an item has one row.")


def as_codes(labels: list[Any], name: str) -> NDArray[np.int64]:
    """A number for each different label, in the order they come."""
    if any(_absent(x) for x in labels):
        raise BadLabels(f"{name} is missing for some items; every item belongs to one.")
    try:
        order = {x: i for i, x in enumerate(dict.fromkeys(labels))}
    except TypeError:
        raise BadLabels(f"{name} must hold numbers or text; got {labels[0]!r}.") from None
    return np.array([order[x] for x in labels], dtype=np.int64)


def as_numbers(x: Any, name: str) -> Array:
    """Values as floats; missing ones as NaN."""
    if isinstance(x, (str, bytes, Set, Mapping)) or not isinstance(x, Iterable):
        raise BadLabels(f"{name} must be a sequence of numbers; got {x!r}.")
    listed = x if hasattr(x, "__array__") else list(x)
    try:
        array = np.asarray(listed)
    except (TypeError, ValueError):
        raise BadLabels(f"{name} must have one dimension; got parts of different lengths.") from None
    if array.ndim != 1:
        raise BadLabels(f"{name} must have one dimension; got shape {array.shape}.")
    if array.dtype.kind in "biuf":
        return array.astype(float)
    whole = array.tolist() if array.dtype.kind == "O" else list(listed)
    bad = next((v for v in whole if not (_absent(v) or isinstance(v, (Real, Decimal, np.bool_)))), None)
    if bad is not None:
        raise BadLabels(f"{name} must be numbers; got {bad!r}.")
    return np.array([np.nan if _absent(v) else float(v) for v in whole])


def _checked(found: _Found, missing: str, measure: Mean, bounds: tuple[float, float] | None) -> Items:
    """The Items, once every value is a finite number within its bounds."""
    values, notes = found.values, []
    keep = np.asarray(~np.isnan(values).any(axis=1))
    lost = int((~keep).sum())
    if lost and missing == "refuse":
        raise BadLabels(f"{lost:,} of {len(keep):,} items have no value; give missing='drop' to leave them out.")
    if lost:
        notes.append(note("missing-dropped", form="value", count=lost, total=len(keep)))
    for name, column in (("weight", found.weights), ("cluster", found.clusters)):
        if column is not None and len(column) != len(values):
            raise BadLabels(f"there are {len(values)} items but {len(column)} entries of {name}; each item needs one.")
    weights = found.weights[keep] if found.weights is not None else None
    values = values[keep]
    _refuse_sizes(values, weights)
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


def _refuse_sizes(values: Array, weights: Array | None) -> None:
    """Values that are too few, too large or too close together, and weights that leave hardly an item."""
    if not np.isfinite(values).all():
        raise BadLabels(f"values must be finite numbers; got {values[~np.isfinite(values)][0]:g}.")
    if len(values) < 2:
        raise BadLabels(f"a mean with its posterior needs two items or more; got {len(values)}.")
    if np.abs(values).max() > LARGEST or 0.0 < np.ptp(values) < SMALLEST:
        raise BadLabels(
            f"values from {values.min():g} to {values.max():g} are beyond floating point; give them in other units, "
            f"of sizes between {SMALLEST:g} and {LARGEST:g}."
        )
    if weights is None:
        return
    good = (weights > 0) & (weights <= LARGEST)
    if not good.all():
        raise BadLabels(f"weights must be numbers above 0 and at most {LARGEST:g}; got {weights[~good][0]:g}.")
    share = weights / weights.max()
    effective = float(effective_size(share))
    if effective < 2.0:
        raise BadLabels(
            f"the weights leave an effective size of {effective:.3g} items (Kish); a mean with its posterior needs 2 "
            "or more: one weight is far above the others."
        )
