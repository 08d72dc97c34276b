"""Conditions as SQL: whether a row fulfils each, and whether it holds what an order cannot take.

Beside whole numbers digits decide where doubles are equal, and moments are compared by their time since 1970; so text
says the same as a column of numbers or of times.
"""

from __future__ import annotations

from typing import Any, Final

from howsure.io import where as conditions
from howsure.io.where import DATE, PLAIN, TIME, ZONE, Condition, Judged

FLOATS: Final = frozenset({"DOUBLE", "FLOAT"})
WHOLES: Final = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT")
)  # fmt: skip
MOMENTS: Final = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE"})
NANOSECONDS: Final = "TIMESTAMP_NS"
_DIGITS: Final = 15  # that doubles tell apart
_RANGES: Final = {"UHUGEINT": (0, 2**128), "DECIMAL": (1 - 10**38, 10**38)}
NUMERIC: Final = FLOATS | WHOLES | {"DECIMAL", "BOOLEAN"}


def constant(c: Condition, place: str, sign: int) -> Judged:
    """Every value that there is lies on one side of the condition's: below it (-1) or above it (1)."""
    return Judged(f"{place} IS NOT NULL" if c.compare(sign, 0) else "1 = 0")


def other_kind(c: Condition, place: str, kind: str) -> Judged:
    """A column of another kind than the condition's value: it has no order with it, and no equal of it."""
    if c.ordered:
        conditions.refuse_kind(c, kind)
    return Judged(f"{place} IS NOT NULL" if c.operator == "!=" else "1 = 0")


def with_unreadable(c: Condition, told: str, unreadable: str) -> Judged:
    """What cannot be read is no equal of the value, and has no place in an order."""
    if c.ordered:
        return Judged(told, f"({unreadable})")
    return Judged(f"COALESCE({told}, {unreadable})" if c.operator == "!=" else told)


# -- DuckDB


def of_duckdb(c: Condition, place: str, kind: str, bound: dict[str, Any], name: str) -> Judged:
    """A condition on a column of a type of DuckDB; values are bound under names that begin with this one."""
    nested = nested_duckdb(kind)
    if nested is not None:
        conditions.refuse_nested(c, nested)
    base = kind.partition("(")[0]
    if base in NUMERIC:
        if c.flag is not None and base == "BOOLEAN":
            return Judged(f"{place} {c.operator} {c.flag}")
        if c.number is None:
            return other_kind(c, place, "numbers")
        return _number(c, place, base, bound, name)
    if base in MOMENTS or base == NANOSECONDS:
        if c.moment is None:
            return other_kind(c, place, "dates or times")
        bound[name] = c.moment * (1000 if base == NANOSECONDS else 1)
        unit = "ns" if base == NANOSECONDS else "us"
        return Judged(f"epoch_{unit}({place}) {c.operator} ${name}")
    return of_text(c, f"CAST({place} AS VARCHAR)", bound, name)


def nested_duckdb(kind: str) -> str | None:
    """What a column of a type of DuckDB holds that is no plain value, in words."""
    if kind.endswith("]"):
        return "lists"
    return "records" if kind.startswith(("STRUCT", "MAP")) else None


def _number(c: Condition, place: str, base: str, bound: dict[str, Any], name: str) -> Judged:
    if base in FLOATS:
        bound[name] = c.single if base == "FLOAT" else c.double
        return Judged(f"({place} {c.operator} CAST(${name} AS DOUBLE) AND NOT isnan({place}))")
    if base == "BOOLEAN":
        place = f"CAST({place} AS INTEGER)"
    if isinstance(c.number, float):
        bound[name] = c.double
        return Judged(f"CAST({place} AS DOUBLE) {c.operator} CAST(${name} AS DOUBLE)")
    low, high = _RANGES.get(base, (-(2**127), 2**127))
    if c.number is None or not low <= c.number < high:
        return constant(c, place, 1 if c.double < 0 else -1)
    bound[name] = c.number
    if base == "DECIMAL":
        return Judged(_beside_whole(c, place, f"${name}"))
    return Judged(f"{place} {c.operator} ${name}")


def _beside_whole(c: Condition, place: str, value: str) -> str:
    """A decimal beside a whole number: the whole numbers around it say all, exactly."""
    low, high = f"floor({place})", f"ceil({place})"
    if not c.ordered:
        return f"{'' if c.operator == '=' else 'NOT '}({low} = {value} AND {high} = {value})"
    return f"{high if c.operator in ('>', '<=') else low} {c.operator} {value}"


def of_text(c: Condition, text: str, bound: dict[str, Any], name: str) -> Judged:
    """A condition on text that DuckDB reads."""
    there = f"trim({text}) <> ''"
    if c.named and not c.ordered:
        bound[name] = c.value
        return Judged(f"({text} {c.operator} ${name} AND {there})")
    if c.flag is not None:
        bound[name] = c.value.lower()
        return Judged(f"(lower(trim({text})) {c.operator} ${name} AND {there})")
    if c.moment is not None:
        bound[name], read = c.moment, _read_moment(text)
        return with_unreadable(c, f"{read} {c.operator} ${name}", f"{read} IS NULL AND {there}")
    bound[name] = c.double
    read = read_number(text)
    told = f"{read} {c.operator} CAST(${name} AS DOUBLE)"
    if c.exact:
        whole = f"regexp_full_match(trim({text}), '{PLAIN}')"
        exact = f"CASE WHEN {whole} THEN {_digits(c, text, bound, f'{name}digits')} {c.operator} 0 ELSE {told} END"
        near = f"length({text}) > {_DIGITS} AND {read} = CAST(${name} AS DOUBLE)"  # doubles keep the order
        told = f"CASE WHEN {near} THEN {exact} ELSE {told} END"
    return with_unreadable(c, f"({told} AND NOT isnan({read}))", f"{read} IS NULL AND {there}")


def read_number(text: str) -> str:
    """Text as a double; true is 1, false is 0, and what is no number becomes NULL."""
    flag = f"CASE lower(trim({text})) WHEN 'true' THEN 1e0 WHEN 'false' THEN 0e0 END"
    return f"coalesce({spelled(text)}, {flag})"


def spelled(text: str) -> str:
    """The double that a text spells, or NULL; to DuckDB 1_000 is a number, which is more often a name."""
    return f"CASE WHEN contains({text}, '_') THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"


def _read_moment(text: str) -> str:
    """Microseconds since 1970, or NULL."""
    said = f"trim({text})"
    zoned = f"regexp_matches({said}, '{ZONE}$')"
    day = f"WHEN {said} LIKE '____-__-__' THEN epoch_us(TRY_CAST({said} AS TIMESTAMP))"
    whole = f"CASE WHEN {zoned} THEN {said} ELSE {said} || 'Z' END"
    form = f"regexp_full_match({said}, '{DATE}{TIME}{ZONE}?')"
    return f"CASE {day} WHEN {form} THEN epoch_us(TRY_CAST({whole} AS TIMESTAMPTZ)) END"


def _digits(c: Condition, text: str, bound: dict[str, Any], name: str) -> str:
    """-1, 0 or 1 as a number in digits lies below, at or above the condition's, a whole one, whatever their length."""
    mine = str(abs(int(c.number or 0)))
    bound[name] = mine
    own = rf"ltrim(regexp_extract({text}, '([0-9]+)', 1), '0')"
    less, more = (-1, 1) if c.double > 0 else (1, -1)
    other = f"({text} {'' if c.double > 0 else 'NOT '}LIKE '%-%')"
    return (
        f"CASE WHEN {text} IS NULL THEN NULL WHEN {other} THEN {less} "
        f"WHEN length({own}) < {len(mine)} THEN {less} WHEN length({own}) > {len(mine)} THEN {more} "
        f"WHEN {own} < ${name} THEN {less} WHEN {own} > ${name} THEN {more} "
        f"WHEN regexp_matches({text}, '[.]0*[1-9]') THEN {more} ELSE 0 END"
    )
