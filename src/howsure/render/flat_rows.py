"""Rows for programs: the columns that people read, and flat names with numbers for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from howsure.render.raw import flat

Row = dict[str, Any]
_TECHNICAL: Final = frozenset({
    "asked", "overall", "class", "marked", "better", "paired", "std", "median", "mode", "low_gap", "high_gap",
    "p_worse", "chance", "p_above_chance", "route", "range", "infinite", "verdict", "same", "reason", "kind", "sign",
    "limit", "margin", "more_unit", "unit", "ranks", "trec_eval", "equal_within",
})  # fmt: skip
_PARTS: Final = {  # of the parts of a row, what people read; the other parts in full
    "first": ("system", "score", "wins"),
    "second": ("system", "score", "wins"),
    "difference": ("score", "low", "high"),
    **dict.fromkeys(("error", "p_top", "shares", "log_odds"), ()),
}
_ALWAYS: Final = frozenset({"score", "low", "high"})
_ENDINGS: Final = {"score": "", "value": "", "low": "_low", "high": "_high"} | {
    k: f"_{k}" for k in ("p_better", "p_best", "expected_rank", "probability")
}
_NAMES: Final = ("asked", "metric", "measure", "what")
_SETTINGS: Final = frozenset({"schema", "version", "level", "seed"})


def readable(rows: Iterable[Row]) -> list[Row]:
    """The rows without nesting, and without technical columns or columns that are empty throughout."""
    found = [flat({k: _part(k, v) for k, v in row.items() if k not in _TECHNICAL}) for row in rows]
    used = {k for row in found for k, v in row.items() if v is not None or k in _ALWAYS}
    return [{k: v for k, v in row.items() if k in used} for row in found]


def _part(key: str, value: Any) -> Any:
    if isinstance(value, dict) and key in _PARTS:
        return {k: value[k] for k in _PARTS[key] if k in value}
    return value


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result under flat names: f1, f1_low, f1_high; system/f1/spam/region=north_low.

    Names that repeat are numbered. Rows without a name (points of a curve, one of many tables) are left out.
    """
    rows = list(document["rows"])
    out = {k: v for k, v in document.items() if k not in _SETTINGS and _is_number(v)}
    found: dict[str, list[dict[str, float]]] = {}
    for name, own in (x for row in [*rows, *(document.get("ranges") or [])] for x in _named(row)):
        values = {end: own[k] for k, end in _ENDINGS.items() if _is_number(own.get(k))}
        if values not in found.setdefault(name, []):  # a system of two pairs has one score
            found[name].append(values)
    if len(rows) == 1 and not any(_named(rows[0])):
        out |= {k: v for k, v in rows[0].items() if _is_number(v)}
    for name, listed in found.items():
        for i, values in enumerate(listed, 1):
            out |= {(name if len(listed) == 1 else f"{name}/{i}") + end: v for end, v in values.items()}
    return out


def _named(row: Row) -> Iterator[tuple[str, Row]]:
    """The names of a row with the values that go under them: of two systems, each of them and the difference."""
    called = next((str(row[k]) for k in _NAMES if row.get(k) is not None), None)
    if called is None:
        return
    metric = called.replace(":", "/").replace("@", "/")
    where = [f"{k}={v}" for k, v in (row.get("slice") or {}).items()]
    sides = [row.get(k) for k in ("first", "second")]
    systems = [x.get("system") if isinstance(x, dict) else x for x in sides]
    for side, system in zip(sides, systems, strict=True):
        if isinstance(side, dict):
            yield "/".join([str(system), metric, *where]), side | {"value": side.get("wins")}
    own = row if row.get("difference") is None else row["difference"] | {"p_better": row.get("p_better")}
    if row.get("next") is not None:  # of future items the mean is expected, whatever the score so far
        own, where = row | {"score": row["mean"]}, [*where, f"next={row['next']}"]
    pair = [] if None in systems else [f"{systems[0]}-{systems[1]}"]
    system = [] if row.get("system") is None else [str(row["system"])]
    yield "/".join([*system, metric, *pair, *where]), own


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)
