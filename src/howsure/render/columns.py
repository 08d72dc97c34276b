"""Columns that the tables of several verbs share, and the texts of their cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from howsure.messages.numbers import by_weight, count, endless, ends, ends_of, probability, short, stated, width_of
from howsure.render.kinds import ResultDict, Row, TableColumn


def words(key: str, field: str | None = None, title: str | None = None) -> TableColumn:
    """Return a column of words, by default from the field of its key."""
    return TableColumn(key, title or key, lambda r: str(r[field or key]), "words")


def slices(rows: Sequence[Row]) -> list[TableColumn]:
    """Return the column of slices, if there are any.

    Slices by one column have its name as their title, unless that would make a slice look like all items.
    """
    found = [r["slice"] for r in rows if r["slice"]]
    if not found:
        return []
    names = {name for at in found for name in at}
    several = len(names) > 1 or any("all" in at.values() for at in found)
    return [TableColumn("slice", "slice" if several else names.pop(), lambda r: _slice(r, several), "words")]


def _slice(row: Row, named: bool) -> str:
    """Return a slice with its mark; all items together are no slice."""
    at = {k: "(missing)" if v is None else str(v) for k, v in (row["slice"] or {}).items()}
    where = ", ".join(f"{k}={v}" if named else v for k, v in at.items()) or ("all" if row.get("overall") else "")
    return f"{where} *" if row.get("marked") else where


def items(result: ResultDict, shown: bool = False) -> TableColumn:
    """Return the column of the number of items; of weighted ones the sum of their weights."""
    title = "weight" if by_weight(result["data"]) else "n"
    return TableColumn("n", title, lambda r: "" if r["n"] is None else count(r["n"]), "count", shown)


def metric() -> TableColumn:
    """Return the column of the metric, by the name that it was asked for."""
    return words("metric", "asked")


def score(title: str = "score") -> TableColumn:
    """Return the column of the point score."""
    return TableColumn("score", title, lambda r: value(r, "score", "undefined"))


_MOMENTS = {"mean": 5, "median": 4, "mode": 3, "std": 2}


def moments(*names: str) -> list[TableColumn]:
    """Return what else is known of a posterior, for the asking; by default mean, median, mode and std."""
    return [
        TableColumn(k, k, lambda r, k=k: value(r, k, "infinite"), shown=False, leaves=_MOMENTS[k])  # type: ignore[misc]
        for k in names or _MOMENTS
    ]


def intervals(result: ResultDict) -> TableColumn:
    """Return the column of intervals."""
    return TableColumn("interval", level_of(result), interval, "interval")


def route() -> TableColumn:
    """Return the column of routes, for the asking."""
    return replace(words("route"), shown=False, leaves=1)


def limit(side: str, rows: Sequence[Row]) -> TableColumn:
    """Return the column of the probability to be above or below a value, which the title names if all rows share it."""
    sign = ">" if side == "above" else "<"
    limits = {r[side] for r in rows}
    if len(limits) == 1:
        return TableColumn(side, f"P({sign}{limits.pop():g})", lambda r: _beyond(r, side), "probability")
    return TableColumn(
        side,
        f"P({side})",
        lambda r: stated(f"P({sign} {r[side]:g})", x) if (x := _beyond(r, side)) else "",
        "probability",
    )


def _beyond(row: Row, side: str) -> str:
    if row[side] is None:
        return ""
    return probability(row[f"p_{side}"], error_of(row, "probability"), error_of(row, "floor"))


# -- cells


def level_of(result: Mapping[str, Any]) -> str:
    """Return the name of intervals: 95% interval."""
    kind = " hdi" if result["interval"] == "hdi" else ""
    return f"{100 * result['level']:.12g}%{kind} interval"


def value(row: Row, key: str, empty: str) -> str:
    """Return a number of a row; the score is exact, means and ends have errors."""
    if row[key] is None:
        return endless(row, key) or empty
    return short(row[key], error=error_of(row, key), width=width_of(row.get("low"), row.get("high"), row[key]))


def error_of(row: Row, key: str) -> float | None:
    """Return how far a number of a row can be off, where the row says so."""
    errors = row.get("error")
    return errors.get(key) if isinstance(errors, dict) else None


def interval(row: Row) -> str:
    """Return the interval of a row; its ends are those of the range where they lie on it."""
    low, high = ends_of(row)
    return f"[{low}, {'infinite' if row['high'] is None else high}]"


def plain_interval(row: Row) -> str:
    """Return the interval of a row whose ends are values of their own."""
    low, high = ends(row["low"], row["high"], errors=(error_of(row, "low"), error_of(row, "high")))
    low, high = endless(row, "low") or low, endless(row, "high") or high
    return f"[{low}, {high}]"


def number(x: float | None) -> str:
    """Return a number that may be 0/0."""
    return "undefined" if x is None else short(x)


# -- other tables


def last_first(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Return columns of which the last leaves first; the first two stay, and so do counts and intervals."""
    stay = ("count", "interval")
    return [replace(c, leaves=-i) if i > 1 and c.holds not in stay else c for i, c in enumerate(columns)]


def fields(titles: Mapping[str, str], cell: Callable[[Any], str] = number) -> list[TableColumn]:
    """Return columns of the plain numbers of a row, by their keys and titles."""
    return [TableColumn(k, title, lambda r, k=k: cell(r[k])) for k, title in titles.items()]  # type: ignore[misc]


def texts_columns(titles: Iterable[str], words: int = 0) -> list[TableColumn]:
    """Return the columns of rows that are tuples of texts; the first ones hold words, the others numbers."""
    return last_first([
        TableColumn(str(i), title, itemgetter(i), "words" if i < words else "number") for i, title in enumerate(titles)
    ])  # fmt: skip


USUAL_PRIORS: Final = ("even", "wins")  # which need no word
