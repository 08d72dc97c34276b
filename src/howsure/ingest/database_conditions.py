"""Conditions on columns of databases: by their types where the driver tells them, in SQLite by a function of Python."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal

from howsure.ingest import conditions
from howsure.ingest.conditions import DATE, NUMBER, TIME, ZONE, Condition
from howsure.ingest.judging import constant, other_kind, with_unreadable
from howsure.ingest.keys import Judged

POSTGRES: Final = ("psycopg", "psycopg2", "pg8000")
Kind = Literal["number", "real", "flag", "text", "moment"]
_CODES: Final[dict[int, Kind]] = {16: "flag", 700: "real"}  # of PostgreSQL


def kind_of(connection: Any, code: Any) -> Kind | None:
    """What a column holds, by the names that DB-API has for it; None where the driver does not tell."""
    module = sys.modules.get(type(connection).__module__.partition(".")[0])
    if code in _CODES and module is not None and module.__name__ in POSTGRES:
        return _CODES[code]
    names: tuple[tuple[str, Kind], ...] = (("NUMBER", "number"), ("STRING", "text"), ("DATETIME", "moment"))
    for name, kind in names:
        known = getattr(module, name, None)
        if known is not None and known == code:
            return kind
    plain: dict[Any, Kind] = {int: "number", float: "number", Decimal: "number", str: "text", datetime: "moment"}
    return plain.get(code) if isinstance(code, type) else None


def by_function(connection: Any, c: Condition, place: str, name: str) -> Judged:
    """SQLite holds any type in any column: each value is judged as it is, by a function of this name."""

    @lru_cache(maxsize=65_536, typed=True)
    def judge(x: Any) -> int:
        said = c.judge(bool(x) if c.flag is not None and x in (0, 1) else x)  # it has no other true and false
        return 2 if said is None else int(said)

    connection.create_function(name, 1, judge)
    return Judged(f"{name}({place}) = 1", f"{name}({place}) = 2" if c.ordered else None)


def of_database(c: Condition, place: str, kind: Kind | None, postgres: bool, bound: list[Any], mark: str) -> Judged:
    """A condition on a column of any other database; values are bound where the mark is."""
    sign = "<>" if c.operator == "!=" else c.operator
    if kind == "flag":
        if c.flag is None and c.number is None:
            return other_kind(c, place, "true and false")
        bound.append(c.number if c.flag is None else c.flag)
        return Judged(f"{place if c.flag is not None else f'CAST({place} AS int)'} {sign} {mark}")
    if kind in ("number", "real"):
        if c.number is None:
            return other_kind(c, place, "numbers")
        bound.append(c.single if kind == "real" else c.number)
        nan = f" AND CAST({place} AS float8) <> 'NaN'" if postgres else ""
        return Judged(f"{place} {sign} {mark}{nan}")
    if kind == "moment":
        if c.moment is None:
            return other_kind(c, place, "dates or times")
        if postgres:
            bound.append(Decimal(c.moment) / 1_000_000)
            return Judged(f"EXTRACT(EPOCH FROM {place}) {sign} {mark}")
        bound.append(datetime(1970, 1, 1) + timedelta(microseconds=c.moment))
        return Judged(f"{place} {sign} {mark}")
    if kind == "text":
        return _text(c, place, sign, postgres, bound, mark)
    bound.append(c.number if c.number is not None else c.value if c.flag is None else c.flag)
    return Judged(f"{place} {sign} {mark}")


def _text(c: Condition, place: str, sign: str, postgres: bool, bound: list[Any], mark: str) -> Judged:
    there = f"TRIM({place}) <> ''"
    if c.ordered and not postgres:
        conditions.refuse_kind(c, "text; cast it to numbers or times in a query")
    if (c.named and not c.ordered) or not postgres:
        bound.append(c.value)
        return Judged(f"({place} {sign} {mark} AND {there})")
    if c.flag is not None:
        bound.append(c.value.lower())
        return Judged(f"(LOWER(TRIM({place})) {sign} {mark} AND {there})")
    read, value = (_number(place), c.number) if c.moment is None else (_moment(place), Decimal(c.moment) / 1_000_000)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        own = constant(c, read, -1 if value > 0 else 1)
    else:
        bound.append(value)
        own = Judged(f"{read} {sign} {mark}")
    return with_unreadable(c, own.holds, f"{read} IS NULL AND {there}")


def _number(place: str) -> str:
    """Text as a number of any size, in PostgreSQL."""
    said = f"TRIM({place})"
    flags = f"WHEN LOWER({said}) = 'true' THEN 1 WHEN LOWER({said}) = 'false' THEN 0"
    return f"CASE WHEN {said} ~ '^({NUMBER})$' THEN CAST({said} AS numeric) {flags} END"


def _moment(place: str) -> str:
    """Text as seconds since 1970, in PostgreSQL."""
    said = f"TRIM({place})"
    zoned = f"CASE WHEN LENGTH({said}) > 10 AND {said} ~ '{ZONE}$' THEN {said} ELSE {said} || 'Z' END"
    whole = f"CASE WHEN LENGTH({said}) = 10 THEN {said} || ' 00:00:00Z' ELSE {zoned} END"
    form = f"{said} ~ '^{DATE}({TIME}{ZONE}?)?$'"
    return f"CASE WHEN {form} THEN EXTRACT(EPOCH FROM CAST({whole} AS timestamptz)) END"
